"""Maps against ONNX Runtime: ZipMap, DictVectorizer and CastMap, in branches, and what is refused."""
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import noria

F32 = np.float32
X = np.array([[1, -2.5, 3], [0, .25, 7]], F32)
FLOAT, INT64, STRING = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING


def map_of(key, value, shape=()):
    return helper.make_map_type_proto(key, helper.make_tensor_type_proto(value, shape))


def maps_of(key):
    return helper.make_sequence_type_proto(map_of(key, FLOAT))


def model(nodes, inputs, outputs):
    graph = helper.make_graph(nodes, "maps", [helper.make_value_info(*i) for i in inputs],
                              [helper.make_value_info(*o) for o in outputs])
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()


def models():
    """Those that this file runs and judges, for test_op_types.py."""
    data = [zip_model(key, **attrs) for key, attrs in ZIPPED] + [vectorizer(*v[:2], **v[3]) for v in VECTORS]
    return [onnx.load_from_string(d) for d in data + [caster(*c[:2], **c[3]) for c in CASTS]]


def node(op, inputs=("x",), outputs=("y",), **attrs):
    return helper.make_node(op, inputs, outputs, name="n", domain="ai.onnx.ml", **attrs)


def zip_model(key=STRING, dims=("n", "c"), **attrs):
    return model([node("ZipMap", **attrs)], [("x", helper.make_tensor_type_proto(FLOAT, dims))], [("y", maps_of(key))])


def vectorizer(key, value, **vocabulary):
    return model([node("DictVectorizer", **vocabulary)], [("x", map_of(key, value))],
                 [("y", helper.make_tensor_type_proto(value, None))])


def caster(value, result, **attrs):
    return model([node("CastMap", **attrs)], [("x", map_of(INT64, value))],
                 [("y", helper.make_tensor_type_proto(result, None))])


ZIPPED = [(STRING, {"classlabels_strings": ["c", "", "ä"]}), (INT64, {"classlabels_int64s": [7, -2, 2 ** 62]}),
          (STRING, {"classlabels_strings": ["b", "a", "b"]})]


@pytest.mark.parametrize("key, attrs", ZIPPED)
@pytest.mark.parametrize("x", [X, X[:1], X[0]])
def test_zip_map(key, attrs, x):
    """The same dicts, in the same order, with Python's own types as keys and values."""
    data = zip_model(key, ("n", "c")[:x.ndim], **attrs)
    session, peer = noria.InferenceSession(data), onnxruntime.InferenceSession(data)
    (got,), (want,) = session.run(None, {"x": x}), peer.run(None, {"x": x})
    assert got == want
    assert [list(m.items()) for m in got] == [list(m.items()) for m in want]
    assert {type(v) for m in got for v in m.values()} == {float}
    assert session.get_outputs()[0].type == peer.get_outputs()[0].type


def test_an_empty_list_beside_the_labels():
    """A list without elements is one that is missing."""
    attrs = [helper.make_attribute("classlabels_int64s", [], attr_type=onnx.AttributeProto.INTS),
             helper.make_attribute("classlabels_strings", ["c", "a", "b"])]
    zipped = node("ZipMap")
    zipped.attribute.extend(attrs)
    data = model([zipped], [("x", helper.make_tensor_type_proto(FLOAT, ("n", 3)))], [("y", maps_of(STRING))])
    y, = noria.InferenceSession(data).run(None, {"x": X})
    assert y == [dict(zip("cab", row)) for row in X.tolist()]


def test_no_rows():
    assert noria.InferenceSession(zip_model(classlabels_strings=["a"])).run(None, {"x": np.zeros((0, 1), F32)}) == [[]]


def test_in_branches():
    """An If that gives one of two sequences of maps, at all stages."""
    def branch(name, *labels):
        out = helper.make_value_info("z", maps_of(STRING))
        return helper.make_graph([node("ZipMap", ["x"], ["z"], classlabels_strings=labels)], name, [], [out])
    data = model([helper.make_node("If", ["c"], ["y"], then_branch=branch("t", "b", "a", "c"),
                                   else_branch=branch("e", "p", "q", "r"))],
                 [("c", helper.make_tensor_type_proto(TensorProto.BOOL, [])),
                  ("x", helper.make_tensor_type_proto(FLOAT, ["n", 3]))], [("y", maps_of(STRING))])
    options = noria.SessionOptions()
    for stage in (None, "tensor", "buffer"):
        options.interpret_after = stage
        session = noria.InferenceSession(data, options)
        for c, names in ((True, "bac"), (False, "pqr")):
            want = [dict(sorted(zip(names, row.tolist()))) for row in X]
            assert session.run(None, {"x": X, "c": np.array(c)}) == [want]


VECTORS = [
    (STRING, FLOAT, {"b": 1.5, "zz": 2, "ä": -1}, {"string_vocabulary": ["ä", "b", "c", "b"]}, [-1, 1.5, 0, 1.5]),
    (INT64, FLOAT, {-3: 1.5}, {"int64_vocabulary": [-3, 3]}, [1.5, 0]),
    (STRING, INT64, {"b": 2 ** 60}, {"string_vocabulary": ["a", "b"]}, [0, 2 ** 60]),
    (INT64, STRING, {1: "one", 2: "two"}, {"int64_vocabulary": [2, 5]}, ["two", ""]),
    (STRING, TensorProto.DOUBLE, {"b": -.1}, {"string_vocabulary": ["a", "b"]}, [0, -.1]),
    (INT64, TensorProto.DOUBLE, {}, {"int64_vocabulary": [2, 5]}, [0, 0])]


@pytest.mark.parametrize("key, value, feed, vocabulary, want", VECTORS)
def test_dict_vectorizer(key, value, feed, vocabulary, want):
    y, = noria.InferenceSession(vectorizer(key, value, **vocabulary)).run(None, {"x": feed})
    assert y.tolist() == [want]
    assert y.dtype == (object if value == STRING else helper.tensor_dtype_to_np_dtype(value))


CASTS = [
    (FLOAT, FLOAT, {3: .5, 1: -2.75}, {}, [-2.75, .5]),
    (FLOAT, INT64, {3: .5, 1: -2.75}, {"cast_to": "TO_INT64"}, [-2, 0]),
    (FLOAT, STRING, {3: .5, 1: 7}, {"cast_to": "TO_STRING"}, ["7", "0.5"]),
    (STRING, FLOAT, {3: "-1e3", 1: "2"}, {}, [2, -1000]),
    (STRING, INT64, {1: "12"}, {"cast_to": "TO_INT64", "map_form": "SPARSE", "max_map": 3}, [0, 12, 0]),
    (STRING, STRING, {1: "x"}, {"cast_to": "TO_STRING", "map_form": "SPARSE", "max_map": 2}, ["0", "x"]),
    (FLOAT, FLOAT, {2: 5, 9: 1, -1: 3}, {"map_form": "SPARSE", "max_map": 4}, [0, 0, 5, 0])]


@pytest.mark.parametrize("value, result, feed, attrs, want", CASTS)
def test_cast_map(value, result, feed, attrs, want):
    y, = noria.InferenceSession(caster(value, result, **attrs)).run(None, {"x": feed})
    assert y.tolist() == [want]


@pytest.mark.parametrize("data, text", [
    (zip_model(), "n.*has neither classlabels_int64s nor classlabels_strings"),
    (zip_model(classlabels_strings=["a"], classlabels_int64s=[1]), "n.*has both classlabels_int64s and"),
    (zip_model(dims=("n", 3), classlabels_strings=["a", "b"]), "n.*dim 1 of X"),
    (zip_model(dims=(1, 1, 1), classlabels_strings=["a"]), "n.*rank 3, not 1 or 2"),
    (vectorizer(STRING, FLOAT, int64_vocabulary=[1]), "n.*keys of the map are string, those of the vocabulary int64"),
    (caster(FLOAT, FLOAT, cast_to="TO_BOOL"), "n.*cast_to is 'TO_BOOL'"),
    (caster(FLOAT, FLOAT, map_form="FULL"), "n.*map_form is 'FULL'"),
    (caster(FLOAT, FLOAT, map_form="SPARSE", max_map=0), "n.*max_map is 0"),
    (model([node("CastMap")], [("x", helper.make_tensor_type_proto(FLOAT, [2]))],
           [("y", helper.make_tensor_type_proto(FLOAT, None))]), "n.*input 0 is float32, not map")])
def test_refused(data, text):
    with pytest.raises(noria.Error, match=text):
        noria.InferenceSession(data)


@pytest.mark.parametrize("feed, text", [
    ({"a": 1.}, "keys of type int64, not 'a'"), ([1.], "must be a dict, not list"), ({1: "word"}, "no float"),
    ({2 ** 63: 1.}, "no float"), (None, "input 'x' is None")])
def test_wrong_feeds(feed, text):
    session = noria.InferenceSession(vectorizer(INT64, FLOAT, int64_vocabulary=[1]))
    with pytest.raises(noria.Error, match=text):
        session.run(None, {"x": feed})


def test_wrong_rows():
    session = noria.InferenceSession(zip_model(classlabels_strings=["a", "b"]))
    with pytest.raises(noria.Error, match="'n'.*3.*2|'n'.*2.*3"):
        session.run(None, {"x": X})
