"""flow.call: functions of a shared library, called by the interpreter and by compiled code, with NumPy's results."""
import os
import subprocess

import ml_dtypes
import numpy as np
import pytest

import noria
from conftest import ROOT

TYPES = {"i1": (np.bool_, "unsigned char"), "i8": (np.int8, "signed char"), "i32": (np.int32, "int"),
         "i64": (np.int64, "long long"), "ui8": (np.uint8, "unsigned char"), "ui64": (np.uint64, "unsigned long long"),
         "f32": (np.float32, "float"), "f64": (np.float64, "double"), "index": (np.int64, "long long"),
         "bf16": (ml_dtypes.bfloat16, "unsigned short"), "f16": (np.float16, "unsigned short")}
STAGES = [None, "import", "tensor", "buffer", "expand"]

HEAD = """
#include <noria/exec_abi.h>
#include <string.h>
static inline int64_t count(const NoriaDesc *d) {
  int64_t n = 1;
  for (int64_t i = 0; i < d->rank; i++) n *= d->dims[i];
  return n;
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Compiles C text to a shared library; gives its path."""
    folder = tmp_path_factory.mktemp("libraries")

    def make(name, text):
        source, out = folder / f"{name}.c", folder / f"lib{name}.so"
        source.write_text(HEAD + text)
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-Wall", "-Werror", f"-I{ROOT}/include",
                        str(source), "-o", str(out)], check=True, timeout=60)
        return out

    return make


def session(text, libraries, stage=None):
    options = noria.SessionOptions()
    options.libraries = libraries
    options.interpret_after = stage
    options.intra_op_num_threads = 1
    return noria.InferenceSession(text.encode(), options)


def run(text, libraries, inputs, stage=None):
    made = session(text, libraries, stage)
    return made.run(None, {arg.name: value for arg, value in zip(made.get_inputs(), inputs)})


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", TYPES)
def test_types(library, name, stage):
    """A tensor is copied, rotated by one, to a new one, a scalar goes through, and the bytes of an element are said."""
    dtype, c_type = TYPES[name]
    lib = library(f"types_{name}_{stage}", f"""
int32_t rotate(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {{
  const {c_type} *x = args[0].data;
  {c_type} *y = results[0].data;
  int64_t n = count(&args[0]);
  if (args[0].bits != sizeof *x || results[0].bits != sizeof *y) return exec->api->error(exec, "the size is wrong");
  if (args[1].rank != -1 || results[1].rank != -1) return exec->api->error(exec, "that is no scalar");
  if (n != count(&results[0]) || results[0].rank != 2) return exec->api->error(exec, "the shape is wrong");
  for (int64_t i = 0; i < n; i++) y[i] = x[(i + 1) % n];
  results[1].bits = args[1].bits;
  if (sizeof *x < 8) results[1].bits |= 0xabull << 56; /* bits above the type are not read */
  return 0;
}}""")
    text = f"""
flow.func private @rotate(%x: tensor<?x3x{name}>, %s: {name}) -> (tensor<?x3x{name}>, {name})
func.func @main(%x: tensor<?x3x{name}>, %s: {name}) -> (tensor<?x3x{name}>, {name}) {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x{name}>
  %y, %t = flow.call @rotate(%x, %s) : (tensor<?x3x{name}>{{%n}}, {name}) -> (tensor<?x3x{name}>{{%n}}, {name})
  return %y, %t : tensor<?x3x{name}>, {name}
}}"""
    x = np.arange(6).reshape(2, 3).astype(dtype)
    s = np.array(1, dtype)
    if np.issubdtype(dtype, np.signedinteger):
        s = np.array(-5, dtype)
    y, t = run(text, [lib], [x, s], stage)
    np.testing.assert_array_equal(np.asarray(y, dtype), np.roll(x.ravel(), -1).reshape(2, 3))
    np.testing.assert_array_equal(np.asarray(t, dtype), s)


ADD_ONE = """
int32_t add_one(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  float *y = results[0].data;
  if (args[0].data != y) return exec->api->error(exec, "the result is not in place");
  for (int64_t i = 0; i < count(&results[0]); i++) y[i] += 1;
  return 0;
}
int32_t bits(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  int *y = results[0].data;
  for (int64_t i = 0; i < count(&results[0]); i++) y[i] ^= 1;
  return 0;
}
int32_t order(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  static int64_t calls;
  results[0].bits = (uint64_t)(args[0].bits * 100 + calls++ % 4);
  return 0;
}
"""


@pytest.mark.parametrize("stage", STAGES)
def test_tied(library, stage):
    """A tied result is written in the argument's memory, of which a copy is made where the old value is used."""
    text = """
flow.func private @add_one(%x: tensor<4xf32>) -> %x
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = flow.call @add_one(%x) : (tensor<4xf32>) -> %x
  %b = flow.call @add_one(%a) : (tensor<4xf32>) -> %a
  %c = flow.call @add_one(%a) : (tensor<4xf32>) -> %a
  %d = flow.call @add_one(%c) : (tensor<4xf32>) -> %c
  return %x, %b, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}"""
    x = np.arange(4, dtype=np.float32)
    for got, want in zip(run(text, [library("tied", ADD_ONE)], [x], stage), (x, x + 2, x + 3)):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("stage", STAGES)
def test_tied_as_another_type(library, stage):
    text = """
flow.func private @bits(%x: tensor<?x2xf32>) -> %x as tensor<4xi32>
func.func @main(%x: tensor<?x2xf32>) -> tensor<4xi32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %a = flow.call @bits(%x) : (tensor<?x2xf32>{%n}) -> %x as tensor<4xi32>
  return %a : tensor<4xi32>
}"""
    lib = library("bits", ADD_ONE)
    x = np.arange(4, dtype=np.float32).reshape(2, 2)
    np.testing.assert_array_equal(run(text, [lib], [x], stage)[0], x.ravel().view(np.int32) ^ 1)
    with pytest.raises(noria.Error, match="result #0 does not have the size of the argument"):
        run(text, [lib], [x[:1]], stage)


@pytest.mark.parametrize("stage", STAGES)
def test_calls_stay_in_order(library, stage):
    """Calls have effects: none is merged, dropped or moved."""
    text = """
flow.func private @order(%x: i64) -> i64
func.func @main(%x: i64) -> (i64, i64) {
  %a = flow.call @order(%x) : (i64) -> i64
  %unused = flow.call @order(%x) : (i64) -> i64
  %b = flow.call @order(%x) : (i64) -> i64
  %c = flow.call @order(%x) : (i64) -> i64
  return %b, %c : i64, i64
}"""
    got = run(text, [library("order", ADD_ONE)], [np.int64(7)], stage)
    assert [int(v) for v in got] == [702, 703]


@pytest.mark.parametrize("stage", STAGES)
def test_failures(library, stage):
    lib = library("failures", """
int32_t fails(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  if (args[0].bits == 1) return exec->api->error(exec, "100% of it is %0 and wrong");
  return (int32_t)args[0].bits;
}""")
    text = """flow.func private @fails(%x: i32)
func.func @main(%x: i32) -> i32 {
  flow.call @fails(%x) : (i32) -> ()
  return %x : i32
}"""
    made = session(text, [lib], stage)
    name = made.get_inputs()[0].name
    for value, message in (1, "3:3: 100% of it is %0 and wrong"), (-9, "3:3: function 'fails' failed with status -9"):
        with pytest.raises(noria.Error, match=message):
            made.run(None, {name: np.int32(value)})
    assert made.run(None, {name: np.int32(0)})[0] == 0  # it runs again


@pytest.mark.parametrize("stage", [None, "import"])
def test_wrong_libraries(library, stage, tmp_path):
    text = """flow.func private @missing(%x: i32) -> i32
flow.func private @not_called(%x: i32) -> i32
func.func @main(%x: i32) -> i32 {
  %y = flow.call @missing(%x) : (i32) -> i32
  return %y : i32
}"""
    lib = library("other", ADD_ONE)
    with pytest.raises(noria.Error, match="calls function 'missing', but was given no library with it"):
        session(text, [], stage)
    with pytest.raises(noria.Error, match=r"calls function 'missing', which is not in '.*libother.so', '.*libother.so'"):
        session(text, [lib, lib], stage)
    data = library("data", "int missing[4] = {1};")
    with pytest.raises(noria.Error, match="calls 'missing', which is data and no function in '.*libdata.so'"):
        session(text, [data], stage)
    with pytest.raises(noria.Error, match="library '.*none.so' cannot be opened: No such file"):
        session(text, [tmp_path / "none.so"], stage)
    (tmp_path / "text.so").write_text(text)
    with pytest.raises(noria.Error, match="library '.*text.so' is no shared library$"):
        session(text, [tmp_path / "text.so"], stage)
    whole = lib.read_bytes()
    for size in 0, 3, 64, len(whole) // 2, len(whole) - 1:
        (tmp_path / "cut.so").write_bytes(whole[:size])
        with pytest.raises(noria.Error, match="library '.*cut.so'"):
            session(text, [tmp_path / "cut.so"], stage)


def test_a_function_is_never_one_of_the_runtime():
    """The runtime's own functions have another contract."""
    text = """flow.func private @value_release(%x: tensor<4xf32>)
func.func @main(%x: tensor<4xf32>) -> i32 {
  flow.call @value_release(%x) : (tensor<4xf32>) -> ()
  %c = arith.constant 1 : i32
  return %c : i32
}"""
    with pytest.raises(noria.Error, match="calls function 'value_release', but was given no library"):
        session(text, [])


@pytest.mark.parametrize("stage", [None, "import"])
def test_ties_are_those_of_the_declaration(library, stage):
    text = """flow.func private @add_one(%x: tensor<4xf32>) -> tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = flow.call @add_one(%x) : (tensor<4xf32>) -> %x
  return %y : tensor<4xf32>
}"""
    with pytest.raises(noria.Error, match="ties other results to arguments than the declaration of its callee"):
        run(text, [library("ties", ADD_ONE)], [np.zeros(4, np.float32)], stage)
