"""Ops of domain ai.onnx.ml: what random nodes (random_ops_ml.py) do not reach, against NumPy by the documents' text."""
import numpy as np
import pytest
from ops import Batch, fails

import noria

ML = "ai.onnx.ml."
F32, F64, I64, I32 = np.float32, np.float64, np.int64, np.int32
NAN = float("nan")
X = np.array([[1, -2, 3], [0, 0, 0], [-1, -4, -2]], F32)


def objects(*texts):
    return np.array(texts, object)


def test_scaler_without_attributes_and_with_one_number():
    b = Batch(21)
    b.add(ML + "Scaler", [X], X)
    b.add(ML + "Scaler", [X], X * 2, scale=[2.])
    b.add(ML + "Scaler", [X], X - F32(1), offset=[1.])
    b.add(ML + "Scaler", [X[None]], (X[None] - np.array([1, 2, 3], F32)) * F32(2), offset=[1., 2., 3.], scale=[2.])
    b.add(ML + "Scaler", [F32(3)], F32(4), offset=[1.], scale=[2.])
    b.check()


def test_normalizer_of_other_ranks_and_of_zeros():
    b = Batch(21)
    cube = np.stack([X, X * 2])
    b.add(ML + "Normalizer", [cube], cube / np.maximum(np.abs(cube).sum(-1, keepdims=True), 1e-30), norm="L1")
    b.add(ML + "Normalizer", [X[0]], X[0] / F32(3))
    b.add(ML + "Normalizer", [np.zeros((2, 0), I64)], np.zeros((2, 0), F32), norm="L2")
    b.check()


def test_imputer_by_feature_of_any_rank():
    b = Batch(21)
    cube = np.array([[[0, 1], [2, 0]], [[0, 0], [3, 4]]])
    want = np.where(cube == 0, np.array([8, 9]), cube)
    b.add(ML + "Imputer", [cube.astype(F32)], want.astype(F32), imputed_value_floats=[8., 9.])
    b.add(ML + "Imputer", [cube.astype(I32)], want.astype(I32), imputed_value_int64s=[8, 9])
    b.add(ML + "Imputer", [np.array([1, NAN])], np.array([1, 7.]), imputed_value_floats=[7.], replaced_value_float=NAN)
    b.check()


def test_extractor_and_vectorizer():
    b = Batch(21)
    b.add(ML + "ArrayFeatureExtractor", [X, np.array([-1, 0], I64)], X[:, [-1, 0]])
    b.add(ML + "ArrayFeatureExtractor", [objects("a", "b"), np.array([[1], [1]], I64)], objects("b", "b")[None])
    b.add(ML + "ArrayFeatureExtractor", [X, np.zeros(0, I64)], np.zeros((3, 0), F32))
    b.add(ML + "FeatureVectorizer", [X, X[:, :1]], np.concatenate([X, X[:, :1]], 1))
    b.add(ML + "FeatureVectorizer", [X[0].astype(I32), X[1].astype(I32)], np.concatenate([X[0], X[1]])[None])
    b.add(ML + "FeatureVectorizer", [np.zeros((2, 0), F64)], np.zeros((2, 3), F32), inputdimensions=[3])
    b.check()


def test_label_encoder_nan_and_repeated_keys():
    """The document of version 4: a NaN key matches every NaN; of equal keys the last one counts."""
    x = np.array([0, 1, NAN, 2], F32)
    for version in 2, 4:
        b = Batch(21, versions={"ai.onnx.ml": version})
        b.add(ML + "LabelEncoder", [x], np.array([5, 7, 8, -1], I64), keys_floats=[0., 1., 1., NAN],
              values_int64s=[5, 6, 7, 8])
        b.add(ML + "LabelEncoder", [x], objects("_Unused", "_Unused", "nan", "_Unused"), keys_floats=[NAN],
              values_strings=["nan"])
        b.add(ML + "LabelEncoder", [objects("a", "b", "")], np.array([2, -0., 3], F32), keys_strings=["a", "a", ""],
              values_floats=[1., 2., 3.])
        b.check()


def test_many_keys():
    """More keys than a search by steps of one finds; near the ends of the type."""
    rng = np.random.default_rng(0)
    keys = np.unique(np.concatenate([rng.integers(-2**63, 2**63 - 1, 997), [-2**63, 2**63 - 1]]))
    order = rng.permutation(len(keys))
    x = np.concatenate([keys, keys[1:] - 1])
    table = {k: i for i, k in enumerate(keys[order].tolist())}
    b = Batch(21)
    b.add(ML + "LabelEncoder", [x], np.array([table.get(v, -1) for v in x.tolist()], I64),
          keys_int64s=keys[order].tolist(), values_int64s=list(range(len(keys))))
    words = [f"word {k}" for k in keys.tolist()]
    b.add(ML + "CategoryMapper", [objects(*words[::-1], "none")], np.array([*range(len(words))][::-1] + [-1], I64),
          cats_strings=words, cats_int64s=list(range(len(words))))
    b.check()


def test_linear_by_the_document():
    """A transform applies to a single target as well (ONNX Runtime leaves that as it is), and to two classes."""
    b = Batch(21)
    score = X @ np.array([1, .5, .25], F32) + F32(.1)
    b.add(ML + "LinearRegressor", [X], (1 / (1 + np.exp(-score)))[:, None], coefficients=[1., .5, .25],
          intercepts=[.1], post_transform="LOGISTIC")
    pair = np.stack([-score, score], 1)
    share = np.exp(pair) / np.exp(pair).sum(1, keepdims=True)
    b.add(ML + "LinearClassifier", [X], [np.where(score > 0, 7, 3), share], coefficients=[1., .5, .25],
          intercepts=[.1], post_transform="SOFTMAX", classlabels_ints=[3, 7])
    wide = X.astype(F64) @ np.array([[1, .5, .25], [0, 0, 1], [.5, .5, .5]]).T
    b.add(ML + "LinearClassifier", [X.astype(F64)], [objects("a", "b", "c")[wide.argmax(1)], wide.astype(F32)],
          coefficients=[1., .5, .25, 0., 0., 1., .5, .5, .5], classlabels_strings=["a", "b", "c"])
    b.check()


@pytest.mark.parametrize("op, inputs, attrs, message", [
    ("Scaler", [X], {"scale": [1., 2.]}, "dim 1 of X is 3, not 2"),
    ("Normalizer", [X], {"norm": "L3"}, "norm is 'L3', not MAX, L1 or L2"),
    ("Imputer", [X], {}, "X holds floats, and imputed_value_floats is missing"),
    ("Imputer", [X.astype(I64)], {"imputed_value_floats": [1.]}, "imputed_value_int64s is missing"),
    ("Imputer", [X.astype(I32)], {"imputed_value_int64s": [2**40]}, "which is no int32"),
    ("ArrayFeatureExtractor", [X, np.array([3], I64)], {}, "index 3 is out of range for 3 elements"),
    ("FeatureVectorizer", [X, X], {"inputdimensions": [3]}, "inputdimensions has 1 sizes for 2 inputs"),
    ("FeatureVectorizer", [X, X[:2]], {}, "rows of the inputs"),
    ("LabelEncoder", [X], {"keys_int64s": [1], "values_int64s": [1]}, "X holds float32, but keys_int64s has keys of "),
    ("LabelEncoder", [X], {"keys_floats": [1.]}, "has none of values_floats"),
    ("LabelEncoder", [X], {"keys_floats": [1.], "values_int64s": [1, 2]}, "has 1 keys, but values_int64s has 2"),
    ("LabelEncoder", [X], {"keys_floats": [1.], "keys_int64s": [1], "values_int64s": [1]}, "has both keys_floats and"),
    ("CategoryMapper", [objects("a")], {"cats_strings": ["a"]}, "has 1 keys, but cats_int64s has 0 values"),
    ("OneHotEncoder", [X], {"cats_strings": ["a"]}, "X holds float32, and cats_int64s is missing"),
    ("OneHotEncoder", [X], {"cats_int64s": [1], "zeros": 0}, "an element of X is in no category, and zeros is 0"),
    ("LinearRegressor", [X], {"coefficients": [1.] * 4, "targets": 2}, "dim 1 of X is 3, not 2"),
    ("LinearRegressor", [X], {}, "coefficients is missing"),
    ("LinearRegressor", [X], {"coefficients": [1.] * 3, "targets": 2}, "3 coefficients are not the same number"),
    ("LinearRegressor", [X], {"coefficients": [1.] * 3, "post_transform": "TANH"}, "post_transform is 'TANH', not"),
    ("LinearClassifier", [X], {"coefficients": [1.] * 9, "intercepts": [1.] * 3, "classlabels_ints": [1, 2]}, "2 class labels for 3 rows"),
    ("LinearClassifier", [X], {"coefficients": [1.] * 9, "classlabels_ints": [1, 2, 3],
                               "classlabels_strings": ["a", "b", "c"]}, "has both classlabels_ints and"),
])
def test_errors(op, inputs, attrs, message):
    """The node's name is in each of them, whether the shapes are known before the run or in it."""
    for symbolic in False, True:
        error = fails(ML + op, inputs, 21, symbolic, **attrs)
        assert message in error or symbolic and "number of rows" in error, error
        assert "node 'the_node'" in error
