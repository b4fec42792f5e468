"""Trains models of scikit-learn on small data and exports them by skl2onnx:

    python export_sklearn.py FOLDER [NAME...]

Each becomes NAME.onnx with its inputs in NAME.onnx.feeds.
"""

import sys

import numpy as np
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification, make_regression
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
)
from sklearn.svm import SVC, SVR

from zoo import Zoo

ROWS = 1000
zoo = Zoo()
X, LABELS = make_classification(ROWS, 20, n_informative=12, n_classes=4, random_state=0)
TARGET = make_regression(ROWS, 20, random_state=0)[1]
X = X.astype(np.float32)
WORDS = (
    "the river turns wheel and lifts water a loop that stops by itself is best kind of one small step for model call "
    "whole recording"
).split()
COLOURS = np.array(["red", "green", "blue", "none"], object)


def on_numbers(model, y=LABELS, **options):
    """Exports a model that was trained on the table of numbers."""
    model.fit(X, y)
    return to_onnx(model, X[:1], **options), {"X": X}


def classifier(name, make, **options):
    zoo.add(name)(lambda: on_numbers(make(), **options))


def regressor(name, make):
    zoo.add(name)(lambda: on_numbers(make(), TARGET))


SCORES = {"options": {"zipmap": False}}
classifier("random_forest", lambda: RandomForestClassifier(100, random_state=0), **SCORES)
classifier("random_forest_zipmap", lambda: RandomForestClassifier(10, random_state=0))
regressor("random_forest_regressor", lambda: RandomForestRegressor(100, random_state=0))
classifier("extra_trees", lambda: ExtraTreesClassifier(50, random_state=0), **SCORES)
classifier("gradient_booster", lambda: GradientBoostingClassifier(n_estimators=50, random_state=0), **SCORES)
regressor("gradient_booster_regressor", lambda: GradientBoostingRegressor(n_estimators=50, random_state=0))
classifier("ada_boost", lambda: AdaBoostClassifier(n_estimators=20, random_state=0), **SCORES)
zoo.add("isolation_forest")(
    lambda: on_numbers(IsolationForest(n_estimators=50, random_state=0), None, target_opset={"": 21, "ai.onnx.ml": 3})
)
classifier("svm", lambda: make_pipeline(StandardScaler(), SVC(probability=True, random_state=0)), **SCORES)
classifier("svm_polynomial", lambda: SVC(kernel="poly"), **SCORES)
regressor("svm_regressor", lambda: make_pipeline(MinMaxScaler(), SVR()))
classifier(
    "logistic_regression",
    lambda: make_pipeline(StandardScaler(), PolynomialFeatures(2), LogisticRegression(max_iter=200)),
)
regressor("linear_regression", lambda: make_pipeline(Normalizer(), LinearRegression()))
classifier("neighbours", lambda: KNeighborsClassifier(5), **SCORES)
classifier(
    "multilayer_perceptron", lambda: make_pipeline(StandardScaler(), MLPClassifier((64, 32), max_iter=50)), **SCORES
)
classifier("naive_bayes", GaussianNB, **SCORES)
zoo.add("k_means")(lambda: on_numbers(make_pipeline(PCA(8), KMeans(5, n_init=1, random_state=0)), None))
regressor("gaussian_process", lambda: GaussianProcessRegressor(alpha=1e-2))
classifier(
    "bins",
    lambda: make_pipeline(KBinsDiscretizer(5, encode="onehot-dense"), LogisticRegression(max_iter=200)),
    **SCORES,
)


def sentences(rng, count):
    return np.array([" ".join(rng.choice(WORDS, rng.integers(3, 12))) for _ in range(count)], object)


def on_text(model):
    rng = np.random.default_rng(0)
    text = sentences(rng, ROWS)
    model.fit(text, ["loop" in line or "wheel" in line for line in text])
    return (
        to_onnx(model, initial_types=[("text", StringTensorType([None, 1]))], options={"zipmap": False}),
        {"text": text[:, None]},
    )


zoo.add("text_pipeline")(
    lambda: on_text(make_pipeline(TfidfVectorizer(ngram_range=(1, 2), token_pattern="[a-z]+"), LogisticRegression()))
)
zoo.add("text_counts")(lambda: on_text(make_pipeline(CountVectorizer(), MultinomialNB())))


@zoo.add("columns")
def columns():
    """A table with columns of numbers, some missing, whole numbers and strings."""
    rng = np.random.default_rng(0)
    numbers = X[:, :4].copy()
    numbers[rng.random(numbers.shape) < 0.1] = np.nan
    whole, colours = rng.integers(0, 5, (ROWS, 1)), rng.choice(COLOURS, (ROWS, 2))
    table = np.hstack([numbers.astype(object), whole.astype(object), colours])
    model = make_pipeline(
        ColumnTransformer(
            [
                ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), [0, 1, 2, 3]),
                ("whole", OneHotEncoder(handle_unknown="ignore"), [4]),
                ("colour", OneHotEncoder(), [5]),
                ("order", OrdinalEncoder(), [6]),
            ]
        ),
        LogisticRegression(max_iter=200),
    )
    model.fit(table, LABELS)
    types = [(f"n{i}", FloatTensorType([None, 1])) for i in range(4)]
    types += [
        ("whole", Int64TensorType([None, 1])),
        ("colour", StringTensorType([None, 1])),
        ("order", StringTensorType([None, 1])),
    ]
    feeds = {f"n{i}": numbers[:, i : i + 1] for i in range(4)}
    return to_onnx(model, initial_types=types), {
        **feeds,
        "whole": whole,
        "colour": colours[:, :1],
        "order": colours[:, 1:],
    }


if __name__ == "__main__":
    zoo.export(sys.argv[1], sys.argv[2:])
