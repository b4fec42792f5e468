"""Decision trees and support vector machines of ai.onnx.ml: what random nodes (random_ops_trees.py) do not reach."""
import numpy as np
import pytest
from onnx import numpy_helper
from ops import Batch, fails

ML = "ai.onnx.ml."
F32, F64, F16, I64 = np.float32, np.float64, np.float16, np.int64
NAN = float("nan")
X = np.array([[0, 5], [1, 5], [2, 5], [NAN, 5]], F32)

# Of feature 0: at most 0.5, at most 1.5, more.
NODES = {"nodes_treeids": [0] * 5, "nodes_nodeids": [0, 1, 2, 3, 4], "nodes_featureids": [0, 0, 0, 0, 0],
         "nodes_values": [.5, 0., 1.5, 0., 0.], "nodes_modes": ["BRANCH_LEQ", "LEAF", "BRANCH_LEQ", "LEAF", "LEAF"],
         "nodes_truenodeids": [1, 0, 3, 0, 0], "nodes_falsenodeids": [2, 0, 4, 0, 0]}
TARGETS = {"target_treeids": [0] * 3, "target_nodeids": [1, 3, 4], "target_ids": [0] * 3,
           "target_weights": [1., 2., 4.], "n_targets": 1}
CLASSES = {"class_treeids": [0] * 3, "class_nodeids": [1, 3, 4], "class_ids": [0, 1, 1], "class_weights": [.4, .3, 1.]}
REGRESSOR = NODES | TARGETS


def tensor(values, dtype):
    return numpy_helper.from_array(np.asarray(values, dtype), "t")


def column(*values):
    return np.array(values, F32)[:, None]


def logistic(x):
    return (1 / (1 + np.exp(-x))).astype(F32)


def test_regressor_by_the_document():
    """A transform of a single target, and several votes of a leaf for it, which ONNX Runtime leaves out."""
    b = Batch(21, versions={"ai.onnx.ml": 3})
    b.add(ML + "TreeEnsembleRegressor", [X], column(1, 2, 4, 4), **REGRESSOR)
    b.add(ML + "TreeEnsembleRegressor", [X], logistic(column(1, 2, 4, 4)), post_transform="LOGISTIC", **REGRESSOR)
    b.add(ML + "TreeEnsembleRegressor", [X[:3].astype(I64)], column(3, 2, 4), **NODES | {
        "target_treeids": [0] * 4, "target_nodeids": [1, 1, 3, 4], "target_ids": [0] * 4,
        "target_weights": [1., 2., 2., 4.], "n_targets": 1})
    b.add(ML + "TreeEnsembleRegressor", [X], np.array([[1, .5], [0, 2.5], [4, .5], [4, .5]], F32),
          **REGRESSOR | {"target_ids": [0, 1, 0], "n_targets": 2, "aggregate_function": "MIN"}, base_values=[0., .5])
    b.add(ML + "TreeEnsembleRegressor", [X], column(1, 2, 4, 1), **REGRESSOR,
          nodes_missing_value_tracks_true=[1, 0, 0, 0, 0])
    b.check()


def test_a_missing_value_is_not_unequal():
    b = Batch(21, versions={"ai.onnx.ml": 3})
    modes = ["BRANCH_NEQ", "LEAF", "BRANCH_NEQ", "LEAF", "LEAF"]
    b.add(ML + "TreeEnsembleRegressor", [X], column(1, 1, 1, 4), **REGRESSOR | {"nodes_modes": modes})
    b.add(ML + "TreeEnsembleRegressor", [X], column(1, 1, 1, 4),
          **REGRESSOR | {"nodes_modes": modes, "nodes_values": [NAN, 0., 1., 0., 0.]})
    b.add(ML + "TreeEnsembleRegressor", [X], column(2, 2, 4, 4), **REGRESSOR | {"nodes_values": [NAN, 0., 1.5, 0., 0.]})
    b.check()


def test_classifier_of_two_classes_with_votes_for_both():
    """The label is of the list and of the highest score."""
    scores = np.array([[.4, 0], [0, .3], [0, 1], [0, 1]], F32)
    b = Batch(21, versions={"ai.onnx.ml": 1})
    b.add(ML + "TreeEnsembleClassifier", [X], [np.array([3, 7, 7, 7]), scores], classlabels_int64s=[3, 7],
          **NODES, **CLASSES)
    b.add(ML + "TreeEnsembleClassifier", [X], [np.array(["b", "b", "b", "b"], object), scores + np.array([0, 1], F32)],
          classlabels_strings=["a", "b"], base_values=[0., 1.], **NODES, **CLASSES)
    b.add(ML + "TreeEnsembleClassifier", [X], [np.array([9] * 4), column(.4, .3, 1, 1)], classlabels_int64s=[9],
          **NODES, **CLASSES | {"class_ids": [0] * 3})
    b.check()


ENSEMBLE = {"tree_roots": [0], "n_targets": 1, "nodes_featureids": [0, 0], "nodes_truenodeids": [0, 1],
            "nodes_trueleafs": [1, 1], "nodes_falsenodeids": [1, 2], "nodes_falseleafs": [0, 1],
            "leaf_targetids": [0, 0, 0]}


def ensemble(t=F32, modes=(0, 0), splits=(.5, 1.5), **more):
    return ENSEMBLE | {"nodes_modes": tensor(modes, np.uint8), "nodes_splits": tensor(splits, t),
                       "leaf_weights": tensor([1, 2, 4], t)} | more


def test_ensemble_types_and_members():
    b = Batch(21)
    for t in F16, F32, F64:
        b.add(ML + "TreeEnsemble", [X.astype(t)], column(1, 2, 4, 4).astype(t), **ensemble(t))
    members = tensor([0, 2.5, NAN, NAN], F32)  # the second set is empty
    x = np.array([[0], [2.5], [1], [NAN]], F32)
    b.add(ML + "TreeEnsemble", [x], column(1, 1, 4, 4), **ensemble(modes=(6, 6), membership_values=members))
    b.add(ML + "TreeEnsemble", [x], column(1, 1, 4, 1),
          **ensemble(modes=(6, 6), membership_values=members, nodes_missing_value_tracks_true=[1, 0]))
    b.add(ML + "TreeEnsemble", [X], logistic(column(1, 2, 4, 4)), **ensemble(post_transform=2))
    b.add(ML + "TreeEnsemble", [X[:0]], np.zeros((0, 1), F32), **ensemble())
    b.check()


def test_many_rows_and_deep_trees():
    """More rows than a block has, and a tree that is one path."""
    depth = 3000
    x = np.random.default_rng(0).uniform(-1, depth + 1, (200, 1)).astype(F32)
    attrs = {"tree_roots": [0, 0], "n_targets": 1, "nodes_featureids": [0] * depth,
             "nodes_modes": tensor([1] * depth, np.uint8), "nodes_splits": tensor(np.arange(depth), F32),
             "nodes_truenodeids": list(range(depth)), "nodes_trueleafs": [1] * depth,
             "nodes_falsenodeids": [*range(1, depth), depth], "nodes_falseleafs": [0] * (depth - 1) + [1],
             "leaf_targetids": [0] * (depth + 1), "leaf_weights": tensor(np.arange(depth + 1), F32)}
    b = Batch(21)
    b.add(ML + "TreeEnsemble", [x], 2 * np.searchsorted(np.arange(depth), x, "right").astype(F32), **attrs)
    b.check()


def changed(attrs, **changes):
    return {**attrs, **changes}


@pytest.mark.parametrize("op, attrs, message", [
    ("TreeEnsembleRegressor", changed(REGRESSOR, nodes_falsenodeids=[2, 0, 0, 0, 0]), "node 0 of tree 0 is below itself"),
    ("TreeEnsembleRegressor", changed(REGRESSOR, nodes_truenodeids=[9, 0, 3, 0, 0]),
     "node 0 of tree 0 goes to node 9 when its comparison holds, which does not exist"),
    ("TreeEnsembleRegressor", changed(REGRESSOR, nodes_falsenodeids=[1, 0, 4, 0, 0]),
     "tree 0 has two roots: no node goes to nodes 0 and 2"),
    ("TreeEnsembleRegressor", changed(REGRESSOR, nodes_nodeids=[0, 1, 2, 3, 3]), "node 3 of tree 0 is given twice"),
    ("TreeEnsembleRegressor", changed(REGRESSOR, nodes_modes=["BRANCH_XX"] + NODES["nodes_modes"][1:]),
     "node 0 of tree 0 has mode 'BRANCH_XX'"),
    ("TreeEnsembleRegressor", changed(REGRESSOR, nodes_values=[.5]), "nodes_values has 1 elements, but nodes_treeids has 5"),
    ("TreeEnsembleRegressor", changed(REGRESSOR, nodes_featureids=[-1, 0, 0, 0, 0]), "node 0 of tree 0 compares feature -1"),
    ("TreeEnsembleRegressor", changed(REGRESSOR, nodes_featureids=[7, 0, 0, 0, 0]), "a node compares feature 7, but X has 2"),
    ("TreeEnsembleRegressor", changed(REGRESSOR, target_nodeids=[1, 3, 8]), "vote 2 is of node 8 of tree 0, which does not"),
    ("TreeEnsembleRegressor", changed(REGRESSOR, target_ids=[0, 0, 1]), "vote 2, of node 4 of tree 0, is for target 1 of 1"),
    ("TreeEnsembleRegressor", changed(REGRESSOR, base_values=[0., 1.]), "base_values has 2 elements, but"),
    ("TreeEnsembleRegressor", changed(REGRESSOR, aggregate_function="PRODUCT"), "aggregate_function is 'PRODUCT'"),
    ("TreeEnsembleClassifier", NODES | CLASSES, "has neither classlabels_int64s nor classlabels_strings"),
    ("TreeEnsemble", ensemble(tree_roots=[2]), "the root of tree 0 is node 2, which does not exist"),
    ("TreeEnsemble", ensemble(nodes_falsenodeids=[0, 2]), "node 0 is below itself"),
    ("TreeEnsemble", ensemble(nodes_truenodeids=[3, 1]), "node 0 goes to leaf 3 when its comparison holds, which does"),
    ("TreeEnsemble", ensemble(modes=(7, 0)), "node 0 has mode 7; modes are 0 to 6"),
    ("TreeEnsemble", ensemble(modes=(6, 0)), "membership_values has no end of the members of node 0"),
    ("TreeEnsemble", ensemble(membership_values=tensor([1, NAN], F32)), "membership_values has 2 numbers, but the nodes"),
    ("TreeEnsemble", ensemble(leaf_targetids=[0, 0, 1]), "leaf 2 is for target 1 of 1"),
    ("SVMRegressor", {"kernel_type": "CUBIC", "n_supports": 1, "support_vectors": [1., 2.]}, "kernel_type is 'CUBIC'"),
    ("SVMRegressor", {"n_supports": 3, "support_vectors": [1., 2.]}, "support_vectors has 2 numbers for 3 vectors"),
    ("SVMRegressor", {"n_supports": 1, "support_vectors": [1.], "coefficients": [1.], "rho": [1.]}, "dim 1 of X is 2, not 1"),
    ("SVMRegressor", {"coefficients": [1., 2.]}, "rho is missing"),
    ("SVMClassifier", {"vectors_per_class": [1, 1], "support_vectors": [1.] * 4, "coefficients": [1.] * 2,
                       "rho": [1.], "classlabels_ints": [1, 2, 3]}, "3 class labels for 2 classes"),
    ("SVMClassifier", {"vectors_per_class": [1, 1], "support_vectors": [1.] * 4, "coefficients": [1.],
                       "rho": [1.]}, "coefficients has 1 numbers, not 2"),
    ("SVMClassifier", {"vectors_per_class": [1, -1]}, "vectors_per_class has -1 for class 1"),
])
def test_errors(op, attrs, message):
    """Whether the number of features is known before the run or in it."""
    for symbolic in False, True:
        error = fails(ML + op, [X], 21, symbolic, **attrs)
        assert message in error and "node 'the_node'" in error, error
