"""flow.tensor.trace: what it writes, in which order, interpreted and compiled."""
import ctypes
import os

import numpy as np
import pytest

from conftest import BUILD

WAYS = [[], ["--interpret"], ["--check-bounds"], ["--threads=2"]]
ORDER = """
func.func @main(%x: tensor<?x2xf32>, %n: index) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %d = tensor.dim %x, %c0 : tensor<?x2xf32>
  flow.tensor.trace "before" = [%x : tensor<?x2xf32>{%d}]
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> (tensor<?x2xf32>) {
    flow.tensor.trace "in the loop" = [%t : tensor<?x2xf32>{%d}]
    flow.tensor.trace "in the loop" = [%t : tensor<?x2xf32>{%d}]
    %e = tensor.extract %t[%c0, %c0] : tensor<?x2xf32>
    %more = arith.addf %e, %one : f32
    %u = tensor.insert %more into %t[%c0, %c0] : tensor<?x2xf32>
    scf.yield %u : tensor<?x2xf32>
  }
  flow.tensor.trace "100% after %0" = [%x : tensor<?x2xf32>{%d}, %y : tensor<?x2xf32>{%d}]
  flow.tensor.trace "nothing" = []
  return %y : tensor<?x2xf32>
}"""


def tensor(first):
    return f"dense<[[{first:.6e}, 2.000000e+00]]> : tensor<1x2xf32>\n"


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_order(way, noria_tool, tmp_path):
    (tmp_path / "f.mlir").write_text(ORDER)
    done = noria_tool("run", tmp_path / "f.mlir", "[[1, 2]]", 3, *way)
    expected = "=== before ===\n" + tensor(1)
    for value in 1, 1, 2, 2, 3, 3:
        expected += "=== in the loop ===\n" + tensor(value)
    expected += "=== 100% after %0 ===\n" + tensor(1) + tensor(4) + "=== nothing ===\n"
    assert done.stderr == expected
    assert done.stdout == tensor(4)


VALUES = {
    "f32": "dense<[1.5, -0.0, 3.14159274, 1.0e+30, 0x7F800000, 0xFFC00000]>",
    "f64": "dense<[1.5, 0.1, 3.141592653589793, 1.0e-300, 0x7FF0000000000000, 123456789.125]>",
    "f16": "dense<[1.5, 0.1, 65504.0, 0x7C00]>", "bf16": "dense<[1.5, 0.1, 3.0e38, 0xFF80]>",
    "tf32": "dense<[1.5, 0.1]>", "f8E4M3FN": "dense<[1.5, 448.0, 0x7F]>", "f8E5M2": "dense<[1.5, 0x7C]>",
    "i1": "dense<[true, false]>", "i4": "dense<[-8, 7]>", "i8": "dense<[-128, 127]>", "ui8": "dense<[0, 255]>",
    "i24": "dense<[-8388608, 5]>", "i64": "dense<[-9223372036854775808, 9223372036854775807]>",
    "ui64": "dense<[0, 18446744073709551615]>", "si16": "dense<[-1, 2]>", "index": "dense<[-1, 5]>",
    "complex<f32>": "dense<[(1.0, -2.5), (0.1, 0.0)]>",
}


@pytest.mark.parametrize("way", [[], ["--interpret"]], ids=str)
@pytest.mark.parametrize("name", VALUES)
def test_elements(name, way, noria_tool, tmp_path):
    """The text is that of noria's own constants."""
    count = VALUES[name].count("(") if "complex" in name else VALUES[name].count(",") + 1
    constant = f"arith.constant {VALUES[name]} : tensor<{count}x{name}>"
    text = f'func.func @main() {{\n  %c = {constant}\n  flow.tensor.trace "k" = [%c : tensor<{count}x{name}>]\n  return\n}}'
    (tmp_path / "f.mlir").write_text(text)
    printed = noria_tool("opt", tmp_path / "f.mlir").stdout
    expected = printed[printed.index("arith.constant ") + len("arith.constant "):].split("\n")[0]
    done = noria_tool("run", tmp_path / "f.mlir", *way)
    assert done.returncode == 0, done.stderr
    assert done.stderr == f"=== k ===\n{expected}\n"


@pytest.mark.parametrize("way", [[], ["--interpret"]], ids=str)
def test_shapes(way, noria_tool, tmp_path):
    (tmp_path / "f.mlir").write_text("""
func.func @main(%e: tensor<0x3xi8>, %s: tensor<i8>, %t: tensor<2x1x2xi8>) {
  %part = tensor.extract_slice %t[0, 0, 1] [2, 1, 1] [1, 1, 1] : tensor<2x1x2xi8> to tensor<2x1x1xi8>
  flow.tensor.trace "shapes" = [%e : tensor<0x3xi8>, %s : tensor<i8>, %t : tensor<2x1x2xi8>, %part : tensor<2x1x1xi8>]
  return
}""")
    done = noria_tool("run", tmp_path / "f.mlir", "zeros:0x3xi8", "7", "[[[1, 2]], [[3, 4]]]", *way)
    assert done.stderr == ("=== shapes ===\ndense<> : tensor<0x3xi8>\ndense<7> : tensor<i8>\n"
                           "dense<[[[1, 2]], [[3, 4]]]> : tensor<2x1x2xi8>\ndense<[[[2]], [[4]]]> : tensor<2x1x1xi8>\n")


@pytest.mark.parametrize("way", [[], ["--interpret"]], ids=str)
def test_what_cannot_be_traced(way, noria_tool, tmp_path):
    (tmp_path / "f.mlir").write_text("""func.func @main(%w: tensor<2xi128>) {
  flow.tensor.trace "wide" = [%w : tensor<2xi128>]
  return
}""")
    done = noria_tool("run", tmp_path / "f.mlir", "zeros:2xi128", *way)
    assert done.returncode == 1 and "f.mlir:2:3" in done.stderr and "traces elements that are no integers" in done.stderr


def test_sink(tmp_path):
    """An embedding program gets the traces, one a call."""
    text = tmp_path / "f.mlir"
    text.write_text(ORDER)
    noria = ctypes.CDLL(str(BUILD / "libnoria.so"))
    pointer, i64 = ctypes.c_void_p, ctypes.c_int64
    sink_type = ctypes.CFUNCTYPE(None, pointer, pointer, ctypes.c_size_t)
    seen = []
    sink = sink_type(lambda user, data, size: seen.append((user, ctypes.string_at(data, size).decode())))

    class Options(ctypes.Structure):
        _fields_ = [("threads", ctypes.c_int32), ("limits", i64 * 3), ("cache", i64), ("lists", pointer * 8),
                    ("trace", sink_type), ("trace_user", pointer), ("rest", pointer * 64)]

    options, program, values, output = Options(threads=1, trace=sink, trace_user=5), pointer(), (pointer * 2)(), pointer()
    assert noria.noria_compile_file(os.fsencode(text), ctypes.byref(options), ctypes.byref(program), None) == 0
    for i, array in enumerate((np.float32([[1, 2]]), np.int64(0))):
        array = np.asarray(array)
        dims = (i64 * 4)(*array.shape)
        assert noria.noria_tensor_create(7 if i else 1, i64(array.ndim), dims, array.ctypes.data_as(pointer),
                                         ctypes.byref(values, 8 * i), None) == 0
    assert noria.noria_program_run(program, values, i64(2), ctypes.byref(output), i64(1), None, None) == 0
    assert seen == [(5, "=== before ===\n" + tensor(1)), (5, "=== 100% after %0 ===\n" + tensor(1) + tensor(1)),
                    (5, "=== nothing ===\n")]
    noria.noria_program_destroy(program)
