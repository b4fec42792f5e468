"""The runtime library against NumPy and ml_dtypes, through its C interface: .npy files, DLPack, small floats."""
import ctypes
import io
import subprocess

import ml_dtypes
import numpy as np
import pytest

from conftest import BUILD

DTYPES = {
    np.dtype(np.float32): 1, np.dtype(np.uint8): 2, np.dtype(np.int8): 3, np.dtype(np.uint16): 4,
    np.dtype(np.int16): 5, np.dtype(np.int32): 6, np.dtype(np.int64): 7, np.dtype(np.bool_): 9,
    np.dtype(np.float16): 10, np.dtype(np.float64): 11, np.dtype(np.uint32): 12, np.dtype(np.uint64): 13,
    np.dtype(np.complex64): 14, np.dtype(np.complex128): 15,
}


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("message", ctypes.c_char_p)]


@pytest.fixture(scope="module")
def runtime():
    path = BUILD / "libnoria_runtime.so"
    if not path.exists():
        pytest.skip(f"{path} is not built")
    library = ctypes.CDLL(str(path))
    for name, result in {"noria_tensor_data": ctypes.c_void_p, "noria_tensor_dims": ctypes.POINTER(ctypes.c_int64),
                         "noria_tensor_rank": ctypes.c_int64, "noria_tensor_size": ctypes.c_size_t,
                         "noria_tensor_string": ctypes.c_char_p}.items():
        getattr(library, name).restype = result
    return library


def read(runtime, path):
    value, error = ctypes.c_void_p(), Error()
    assert runtime.noria_npy_read(str(path).encode(), ctypes.byref(value), ctypes.byref(error)) == 0, error.message
    return value


def shape_of(runtime, value):
    return tuple(runtime.noria_tensor_dims(value)[i] for i in range(runtime.noria_tensor_rank(value)))


def arrays():
    random = np.random.default_rng(7)
    for dtype in DTYPES:
        for shape in [(), (3,), (2, 3), (4, 1, 5), (0, 2), (2, 3, 2, 2)]:
            array = np.asarray(random.integers(0, 2, shape) if dtype == bool else random.normal(0, 50, shape) % 100)
            array = array.astype(dtype)
            yield array
            yield np.asfortranarray(array)
            yield array.astype(dtype.newbyteorder(">"))


def test_npy_files_of_numpy_are_read_and_read_back(runtime, tmp_path):
    for i, array in enumerate(arrays()):
        np.save(tmp_path / "in.npy", array)
        value = read(runtime, tmp_path / "in.npy")
        native = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="))).reshape(array.shape)
        assert runtime.noria_value_dtype(value) == DTYPES[native.dtype], i
        assert shape_of(runtime, value) == array.shape, i
        size = runtime.noria_tensor_size(value)
        assert ctypes.string_at(runtime.noria_tensor_data(value), size) == native.tobytes() if size else True, i
        error = Error()
        assert runtime.noria_npy_write(str(tmp_path / "out.npy").encode(), value, ctypes.byref(error)) == 0
        back = np.load(tmp_path / "out.npy")
        assert back.dtype == native.dtype and back.shape == array.shape
        np.testing.assert_array_equal(back, native)
        runtime.noria_value_release(value)


@pytest.mark.parametrize("name, dtype", [
    ("bfloat16", 16), ("float8_e4m3fn", 17), ("float8_e4m3fnuz", 18), ("float8_e5m2", 19), ("float8_e5m2fnuz", 20),
    ("uint4", 21), ("int4", 22), ("float4_e2m1fn", 23), ("float8_e8m0fnu", 24), ("uint2", 25), ("int2", 26),
    ("float6_e2m3fn", 27), ("float6_e3m2fn", 28),
])
def test_what_numpy_has_no_type_for_is_written_as_one_that_holds_it(runtime, tmp_path, name, dtype):
    patterns = np.arange(1 << 16, dtype=np.uint16) if name == "bfloat16" else np.arange(256, dtype=np.uint8)
    bits = int("".join(c for c in name.split("_")[0] if c.isdigit())) if name != "bfloat16" else 16
    want = (patterns & np.array((1 << bits) - 1, patterns.dtype)).view(getattr(ml_dtypes, name))
    kind = np.float32 if "float" in name else np.uint8 if name[0] == "u" else np.int8
    value, error = ctypes.c_void_p(), Error()
    dims = (ctypes.c_int64 * 1)(len(patterns))
    assert runtime.noria_tensor_create(dtype, ctypes.c_int64(1), dims, patterns.ctypes.data_as(ctypes.c_void_p),
                                       ctypes.byref(value), ctypes.byref(error)) == 0
    assert runtime.noria_npy_write(str(tmp_path / "out.npy").encode(), value, ctypes.byref(error)) == 0, error.message
    back = np.load(tmp_path / "out.npy")
    assert back.dtype == kind
    np.testing.assert_array_equal(back, want.astype(kind))
    runtime.noria_value_release(value)


@pytest.mark.parametrize("array", [
    np.array(["", "zürich", "€😀"]), np.array([["a", "bb"], ["ccc", ""]], order="F"),
    np.array(["x", "yz"]).astype(">U2"), np.array(b"bytes"),
])
def test_npy_strings(runtime, tmp_path, array):
    np.save(tmp_path / "in.npy", array)
    value = read(runtime, tmp_path / "in.npy")
    texts = [runtime.noria_tensor_string(value, i, None).decode() for i in range(array.size)]
    assert texts == [x.decode() if isinstance(x, bytes) else str(x) for x in array.flatten()]
    assert runtime.noria_npy_write(str(tmp_path / "out.npy").encode(), value, None) == 0
    assert np.load(tmp_path / "out.npy").tolist() == np.array(texts).reshape(array.shape).tolist()
    runtime.noria_value_release(value)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_npy_versions(runtime, version):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.arange(5.0), version=version)
    data, value = buffer.getvalue(), ctypes.c_void_p()
    assert runtime.noria_npy_decode(data, ctypes.c_size_t(len(data)), ctypes.byref(value), None) == 0
    assert shape_of(runtime, value) == (5,)
    runtime.noria_value_release(value)


def test_types_that_numpy_lacks_are_refused(runtime, tmp_path):
    np.save(tmp_path / "in.npy", np.zeros(3, ml_dtypes.bfloat16))
    value, error = ctypes.c_void_p(), Error()
    assert runtime.noria_npy_read(str(tmp_path / "in.npy").encode(), ctypes.byref(value), ctypes.byref(error)) == 9
    assert b"bfloat16" in error.message and b"in.npy" in error.message
    runtime.noria_error_clear(ctypes.byref(error))


# ---- DLPack: capsules as Python's array libraries pass them ------------------------------------------------------

capsule_new = ctypes.pythonapi.PyCapsule_New
capsule_new.restype, capsule_new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype, capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
capsule_rename = ctypes.pythonapi.PyCapsule_SetName
capsule_rename.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Lent:
    """A tensor of the runtime as an object that numpy.from_dlpack takes."""

    def __init__(self, runtime, value):
        self.runtime, self.value = runtime, value

    def __dlpack__(self, **_):
        managed = ctypes.c_void_p()
        assert self.runtime.noria_tensor_to_dlpack(self.value, ctypes.byref(managed), None) == 0
        return capsule_new(managed, b"dltensor", None)

    def __dlpack_device__(self):
        return (1, 0)


@pytest.mark.parametrize("dtype", [d for d in DTYPES])
def test_dlpack_shares_memory_with_numpy(runtime, dtype):
    array = np.ascontiguousarray(np.arange(24).reshape(2, 3, 4).astype(dtype))
    capsule = array.__dlpack__()
    value = ctypes.c_void_p()
    pointer = ctypes.c_void_p(capsule_pointer(capsule, b"dltensor"))
    assert runtime.noria_tensor_from_dlpack(pointer, ctypes.byref(value), None) == 0
    capsule_rename(capsule, b"used_dltensor")
    assert runtime.noria_tensor_data(value) == array.ctypes.data
    assert runtime.noria_value_dtype(value) == DTYPES[dtype]
    back = np.from_dlpack(Lent(runtime, value))
    runtime.noria_value_release(value)
    assert back.ctypes.data == array.ctypes.data
    np.testing.assert_array_equal(back, array)


def test_dlpack_strides(runtime):
    array = np.arange(24.0).reshape(2, 3, 4)[:, ::-1, ::2]
    capsule = array.__dlpack__()
    value = ctypes.c_void_p()
    pointer = ctypes.c_void_p(capsule_pointer(capsule, b"dltensor"))
    assert runtime.noria_tensor_from_dlpack(pointer, ctypes.byref(value), None) == 0
    capsule_rename(capsule, b"used_dltensor")
    np.testing.assert_array_equal(np.from_dlpack(Lent(runtime, value)), array)
    runtime.noria_value_release(value)


# ---- small floats (src/base/float_format.h), inside libnoria.so --------------------------------------------------

SMALL = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz, "f8e5m2": ml_dtypes.float8_e5m2, "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "f8e8m0fnu": ml_dtypes.float8_e8m0fnu, "f4e2m1fn": ml_dtypes.float4_e2m1fn,
    "f6e2m3fn": ml_dtypes.float6_e2m3fn, "f6e3m2fn": ml_dtypes.float6_e3m2fn,
}


@pytest.fixture(scope="module")
def floats():
    path = BUILD / "libnoria.so"
    if not path.exists():
        pytest.skip(f"{path} is not built")
    library = ctypes.CDLL(str(path))
    library.nr_float_decode.restype = ctypes.c_double
    library.nr_float_decode.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
    library.nr_float_encode.restype = ctypes.c_uint64
    library.nr_float_encode.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_bool]
    return library


def all_values(name):
    """Every bit pattern, and its value as float64."""
    dtype = np.dtype(SMALL[name])
    bits = np.arange({"f4": 16, "f6": 64}.get(name[:2], 1 << 8 * dtype.itemsize), dtype=f"u{dtype.itemsize}")
    with np.errstate(invalid="ignore"):
        return bits, bits.view(dtype).astype(np.float64)


@pytest.mark.parametrize("name", SMALL)
def test_every_bit_pattern_decodes_and_encodes_back(floats, name):
    form = ctypes.addressof(ctypes.c_char.in_dll(floats, f"nr_format_{name}"))
    for bits, value in zip(*(x.tolist() for x in all_values(name))):
        decoded = floats.nr_float_decode(form, bits)
        assert decoded == value or (decoded != decoded and value != value), hex(bits)
        if value == value:
            assert np.signbit(decoded) == np.signbit(value)
            assert floats.nr_float_encode(form, value, False) == bits


@pytest.mark.parametrize("name", SMALL)
def test_encoding_rounds_to_nearest_even(floats, name):
    """At each pair of neighbours: the middle, and a little on either side of it; and beyond the largest value."""
    form = ctypes.addressof(ctypes.c_char.in_dll(floats, f"nr_format_{name}"))
    finite = np.unique(all_values(name)[1])
    finite = finite[np.isfinite(finite)]
    if len(finite) > 4096:
        finite = np.concatenate([finite[::37], finite[-70:], finite[:70], finite[np.abs(finite).argsort()[:70]]])
        finite = np.unique(finite)
    step = np.diff(finite)
    middle = finite[:-1] + step / 2
    points = np.concatenate([middle, middle + step / 1024, middle - step / 1024, finite[-1:] * 1.25, finite[:1] * 1.25])
    if name == "f8e8m0fnu":
        # ml_dtypes reads the fields of float32 subnormals as if they were normal: 1.499 * 2^-127 goes up there.
        points = points[(points > 2.0**-126) & (points <= finite[-1])]
    with np.errstate(all="ignore"):
        expected = points.astype(SMALL[name])
    for point, want in zip(points.tolist(), expected):
        got = floats.nr_float_decode(form, floats.nr_float_encode(form, point, False))
        want = float(want)
        assert got == want or (got != got and want != want), (point, got, want)
        saturated = floats.nr_float_decode(form, floats.nr_float_encode(form, point, True))
        assert saturated == (want if np.isfinite(want) else np.copysign(finite[-1], point))


# ---- a compiled model as an embedder has it: a shared library, the header, the runtime library -----------------------

MODEL = r"""
#include "noria/exec_abi.h"
static const int64_t dims[] = {-1};
static const char *const dim_names[] = {"N"};
static const NoriaValueInfo in[] = {{"x", NORIA_KIND_TENSOR, NORIA_F32, 1, 0, dims, dim_names}};
static const NoriaValueInfo out[] = {{"y", NORIA_KIND_TENSOR, NORIA_F32, 1, 0, dims, dim_names}};
static int32_t entry(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  int64_t n = inputs[0].dims[0];
  float *y = exec->api->alloc(exec, n * 4);
  if (!y) return 1;
  for (int64_t i = 0; i < n; i++) y[i] = 2 * ((const float *)inputs[0].data)[i];
  outputs[0].data = y;
  outputs[0].rank = 1;
  outputs[0].dims[0] = n;
  return 0;
}
const NoriaModule noria_module = {.abi_version = NORIA_ABI_VERSION, .num_inputs = 1, .num_outputs = 1, .name = "twice",
                                  .inputs = in, .outputs = out, .entry = entry};
"""


def compile_c(root, tmp_path, name, text, *options):
    source = tmp_path / f"{name}.c"
    source.write_text(text)
    subprocess.run(["cc", "-O1", "-Wall", "-Werror", f"-I{root / 'include'}", source, *options], check=True)


def test_a_shared_library_is_loaded_and_run(runtime, root, tmp_path):
    compile_c(root, tmp_path, "model", MODEL, "-shared", "-fPIC", "-o", tmp_path / "model.so")
    program, value, result = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    path = str(tmp_path / "model.so").encode()
    assert runtime.noria_program_load(path, None, ctypes.byref(program), None) == 0
    array = np.arange(5, dtype=np.float32)
    np.save(tmp_path / "x.npy", array)
    value = read(runtime, tmp_path / "x.npy")
    one = ctypes.c_size_t(1)
    assert runtime.noria_program_run(program, ctypes.byref(value), one, ctypes.byref(result), one, None, None) == 0
    assert runtime.noria_npy_write(str(tmp_path / "y.npy").encode(), result, None) == 0
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), 2 * array)
    for v in (value, result):
        runtime.noria_value_release(v)
    runtime.noria_program_destroy(program)


def test_a_library_that_is_no_model_is_refused(runtime, root, tmp_path):
    compile_c(root, tmp_path, "other", "int nothing;", "-shared", "-fPIC", "-o", tmp_path / "other.so")
    program, error = ctypes.c_void_p(), Error()
    path = str(tmp_path / "other.so").encode()
    assert runtime.noria_program_load(path, None, ctypes.byref(program), ctypes.byref(error)) == 1
    assert b"noria_module" in error.message
    runtime.noria_error_clear(ctypes.byref(error))


def test_the_header_is_c_and_cpp(root, tmp_path):
    text = '#include "noria/runtime.h"\nint main(void) { NoriaError e = NORIA_ERROR_INIT; return e.code; }\n'
    compile_c(root, tmp_path, "c", text, "-std=c17", "-Wextra", "-fsyntax-only")
    compile_c(root, tmp_path, "cpp", text, "-x", "c++", "-Wextra", "-fsyntax-only")
