"""Random nodes of ai.onnx.ml's support vector machines and decision trees. A part of random_ops.py."""
import numpy as np
from onnx import numpy_helper
from random_draw import Case
from random_ops import ops
from random_ops_ml import ML, POSTS, floats, labels, matrix

MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")


def kernel(d):
    name = d.choose("LINEAR", "POLY", "RBF", "SIGMOID")
    params = [float(np.float32(d.random.uniform(.1, .5))), float(np.float32(d.random.uniform(0, 1))),
              float(d.integer(1, 3))]
    return {"kernel_type": name, "kernel_params": params}


@ops(ML + "SVMRegressor")
def svm_regressor(d, op):
    features, count = d.dim(1), d.integer(0, 5)
    x = matrix(d, features, (np.float32,))
    attrs = {"rho": floats(d, 1), "one_class": d.integer(0, 1)}
    if count:
        attrs |= kernel(d) | {"n_supports": count, "coefficients": floats(d, count),
                              "support_vectors": floats(d, count * features)}
    else:
        attrs["coefficients"] = floats(d, features)
    return Case(op, [x], attrs, tolerance=2e-4)


@ops(ML + "SVMClassifier")
def svm_classifier(d, op):
    features, classes = d.dim(1), d.integer(2, 4)
    attrs = labels(d, classes)
    if d.chance(.3):  # linear
        attrs |= {"coefficients": floats(d, features * classes), "rho": floats(d, 1), "kernel_type": "LINEAR"}
        posts = POSTS[:4]
    else:
        per_class = [d.integer(1, 3) for _ in range(classes)]
        count, pairs = sum(per_class), classes * (classes - 1) // 2
        attrs |= kernel(d) | {"vectors_per_class": per_class, "rho": floats(d, pairs),
                              "support_vectors": floats(d, count * features),
                              "coefficients": [-1., *floats(d, count * (classes - 1) - 1)]}
        if d.chance():
            attrs |= {"prob_a": floats(d, pairs, -2, -.1), "prob_b": floats(d, pairs)}
        # of two classes without probabilities, ONNX Runtime does not transform the scores by the softmax
        posts = POSTS[:4 if classes > 2 or "prob_a" in attrs else 2]
    attrs["post_transform"] = d.choose(*posts)
    return Case(op, [matrix(d, features, (np.float32,))], attrs, outputs=2, tolerance=1e-3, unreliable=True)


class Forest:
    """Random trees in the lists of nodes_*, the nodes of each behind its root in a random order."""

    def __init__(self, d, features, modes):
        self.d, self.features, self.modes, self.nodes, self.leaves = d, features, modes, [], []
        for tree in range(d.integer(1, 5)):
            self.tree(tree)

    def tree(self, tree):
        d, nodes = self.d, []

        def grow(depth):
            at = len(nodes)
            nodes.append(None)
            if depth == 0 or d.chance(.25):
                nodes[at] = (tree, at, 0, 0., "LEAF", 0, 0, 0)
                self.leaves.append((tree, at))
            else:
                feature, threshold = d.integer(0, self.features - 1), d.integer(-2, 2) / 2
                nodes[at] = (tree, at, feature, threshold, d.choose(*self.modes), grow(depth - 1), grow(depth - 1),
                             d.integer(0, 1))
            return at

        grow(d.integer(0, 4))
        self.nodes += nodes[:1] + [nodes[k + 1] for k in d.random.permutation(len(nodes) - 1)]

    def attrs(self, wide, missing):
        names = ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids",
                 "missing_value_tracks_true")
        lists = {"nodes_" + name: list(values) for name, values in zip(names, zip(*self.nodes))}
        if not missing:
            del lists["nodes_missing_value_tracks_true"]
        if wide:
            lists["nodes_values_as_tensor"] = tensor(lists.pop("nodes_values"), np.float64)
        return lists

    def votes(self, d, prefix, targets, wide, low=-2):
        """A vote of each leaf for each target, and some more. With one target ONNX Runtime takes one vote of a leaf."""
        votes = [(tree, node, target, w) for tree, node in self.leaves for target in range(targets)
                 for w in floats(d, d.choose(1, 1, 2) if targets > 1 else 1, low, 2)]
        names = (f"{prefix}_treeids", f"{prefix}_nodeids", f"{prefix}_ids", f"{prefix}_weights")
        lists = dict(zip(names, map(list, zip(*votes))))
        if wide:
            lists[names[3] + "_as_tensor"] = tensor(lists.pop(names[3]), np.float64)
        return lists


def tensor(values, dtype):
    return numpy_helper.from_array(np.asarray(values, dtype), "t")


def row_values(d, features, t):
    """Halves, so that comparisons for equality hold now and then; NaN among floats."""
    x = d.random.integers(-4, 5, (d.dim(), features)) / 2
    if np.dtype(t).kind == "f" and d.chance():
        x[d.random.random(x.shape) < .2] = np.nan
    return x.astype(t)


def modes_of(d, x):
    """ONNX Runtime takes a NaN for unequal to all, whatever the node says of missing values."""
    modes = MODES[:5] if x.dtype.kind == "f" and np.isnan(x).any() else MODES
    return [d.choose(*modes)] if d.chance() else modes


@ops(ML + "TreeEnsembleRegressor")
def tree_regressor(d, op):
    features, targets, wide = d.dim(1), d.integer(1, 3), d.chance(.3)
    x = row_values(d, features, np.float64 if wide else np.float32)
    forest = Forest(d, features, modes_of(d, x))
    attrs = forest.attrs(wide, d.chance()) | forest.votes(d, "target", targets, wide)
    attrs |= {"n_targets": targets, "aggregate_function": d.choose("SUM", "AVERAGE", "MIN", "MAX")}
    if d.chance():
        attrs["base_values"] = floats(d, targets)
        if wide:
            attrs["base_values_as_tensor"] = tensor(attrs.pop("base_values"), np.float64)
    if targets > 1:
        attrs["post_transform"] = d.choose(*POSTS[:4])
    return Case(op, [x], attrs, tolerance=1e-4, versions={ML[:-1]: 3 if wide else d.choose(1, 3)}, unreliable=True)


@ops(ML + "TreeEnsembleClassifier")
def tree_classifier(d, op):
    features, classes, wide = d.dim(1), d.integer(2, 5), d.chance(.3)
    x = row_values(d, features, np.float64 if wide else d.choose(np.float32, np.int64, np.int32, np.float32))
    forest = Forest(d, features, modes_of(d, x))
    single = classes == 2  # with votes for both of two classes ONNX Runtime gives no label of the list
    attrs = forest.attrs(wide, d.chance()) | labels(d, classes, "classlabels_int64s")
    attrs |= forest.votes(d, "class", 1 if single else classes, wide, d.choose(-2, 0))
    if d.chance():
        name, values = "base_values", floats(d, 1 if single else classes)
        attrs |= {name + "_as_tensor": tensor(values, np.float64)} if wide else {name: values}
    attrs["post_transform"] = d.choose(*(POSTS[:2] if single else POSTS[:4]))
    return Case(op, [x], attrs, outputs=2, tolerance=1e-4, versions={ML[:-1]: 3 if wide else d.choose(1, 3)},
                unreliable=True)


@ops(ML + "TreeEnsemble")
def tree_ensemble(d, op):
    features, targets, t = d.dim(1), d.integer(1, 3), d.choose(np.float32, np.float64)
    x = row_values(d, features, t)
    modes = list(range(5 if np.isnan(x).any() else 6)) + [6]
    nodes, leaves, roots, sets = [], [], [], {}

    def leaf():
        leaves.append((d.integer(0, targets - 1), floats(d, 1)[0]))
        return len(leaves) - 1, 1

    def grow(depth):
        if depth == 0 or d.chance(.25):
            return leaf()
        at, mode = len(nodes), d.choose(*modes)
        nodes.append(None)
        if mode == 6:
            sets[at] = [float(v) for v in d.random.permutation(5)[:d.integer(1, 4)] - 2]
        yes, no = grow(depth - 1), grow(depth - 1)
        nodes[at] = (d.integer(0, features - 1), mode, d.integer(-2, 2) / 2, *yes, *no, d.integer(0, 1))
        return at, 0

    for _ in range(d.integer(1, 4)):
        at, is_leaf = grow(d.integer(0, 4))
        if is_leaf:  # a node with two ways to it
            nodes.append((0, 0, 0., at, 1, at, 1, 0))
            at = len(nodes) - 1
        roots.append(at)
    features_, modes_, splits, yes, yes_leaf, no, no_leaf, missing = map(list, zip(*nodes))
    attrs = {"tree_roots": roots, "nodes_featureids": features_, "nodes_modes": tensor(modes_, np.uint8),
             "nodes_splits": tensor(splits, t), "nodes_truenodeids": yes, "nodes_trueleafs": yes_leaf,
             "nodes_falsenodeids": no, "nodes_falseleafs": no_leaf, "n_targets": targets,
             "leaf_targetids": [a for a, _ in leaves], "leaf_weights": tensor([w for _, w in leaves], t),
             "aggregate_function": d.integer(0, 3)}
    if d.chance():
        attrs["nodes_missing_value_tracks_true"] = missing
    if sets:  # of integers: ONNX Runtime cuts off fractions of what it looks for
        x = np.trunc(x)
        attrs["membership_values"] = tensor([v for at in sorted(sets) for v in [*sets[at], np.nan]], t)
    post = d.choose(0, 1, 2, 3) if targets > 1 else 0
    swapped = (0, 2, 1, 3)[post]  # ONNX Runtime takes 1 for LOGISTIC and 2 for SOFTMAX, against the document
    twin = [(op, ["x0"], ["y0"], attrs | {"post_transform": swapped})]
    return Case(op, [x], attrs | {"post_transform": post}, tolerance=1e-4, twin=twin, unreliable=True)
