"""C source of programs answers as machine code does. These are samples: python tests/python/c_source.py has all programs."""

import os
import re

import onnx
import numpy as np
import pytest
from onnx.backend.test.case.node import collect_testcases

import c_source
import noria

EVERY = 20
RUNS = list(c_source.program_runs())[::EVERY]
COMPILERS = c_source.COMPILERS
ALONE = [name for name, compiler in COMPILERS.items() if compiler.alone]

KERNELS = """
func.func @main(%a: tensor<?x8xf32>, %b: tensor<8x6xf32>, %n: i64) -> (tensor<?x6xf32>, tensor<?x6xf32>, i64, tensor<4xi8>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x6xf32>) -> tensor<?x6xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x6xf32>) outs(%f : tensor<?x6xf32>) -> tensor<?x6xf32>
  %t = math.tanh %p : tensor<?x6xf32>
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %z = arith.constant 0 : i64
  %steps:2 = scf.while (%x = %n, %count = %z) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi sgt, %x, %one : i64
    scf.condition(%more) %x, %count : i64, i64
  } do {
  ^bb0(%x: i64, %count: i64):
    %bit = arith.andi %x, %one : i64
    %odd = arith.cmpi eq, %bit, %one : i64
    %next = scf.if %odd -> i64 {
      %y = arith.muli %x, %three : i64
      %u = arith.addi %y, %one : i64
      scf.yield %u : i64
    } else {
      %h = arith.divsi %x, %two : i64
      scf.yield %h : i64
    }
    %k = arith.addi %count, %one : i64
    scf.yield %next, %k : i64, i64
  }
  %w = arith.constant dense<[100, -100, 127, -128]> : tensor<4xi8>
  %s = arith.addi %w, %w : tensor<4xi8>
  return %p, %t, %steps#1, %s : tensor<?x6xf32>, tensor<?x6xf32>, i64, tensor<4xi8>
}
"""

# Each op on numbers at the edges of its type; in lines of its own, so that a fault names it.
EDGES = """
func.func @main(%a: tensor<12xi32>, %b: tensor<12xi32>, %x: tensor<12xf32>, %y: tensor<12xf32>)
    -> (tensor<12xi32>, tensor<12xi32>, tensor<12xi32>, tensor<12xi64>, tensor<12xf32>, tensor<12xf32>, tensor<12xf64>) {
  %mask = arith.constant dense<31> : tensor<12xi32>
  %shift = arith.andi %b, %mask : tensor<12xi32>
  %add = arith.addi %a, %b : tensor<12xi32>
  %mul = arith.muli %add, %b : tensor<12xi32>
  %shl = arith.shli %mul, %shift : tensor<12xi32>
  %shr = arith.shrsi %a, %shift : tensor<12xi32>
  %count = math.ctlz %b : tensor<12xi32>
  %tail = math.cttz %a : tensor<12xi32>
  %bits = arith.addi %count, %tail : tensor<12xi32>
  %wide = arith.extui %a : tensor<12xi32> to tensor<12xi64>
  %square = arith.muli %wide, %wide : tensor<12xi64>
  %max = arith.maximumf %x, %y : tensor<12xf32>
  %num = arith.minimumf %x, %y : tensor<12xf32>
  %even = math.roundeven %num : tensor<12xf32>
  %double = arith.extf %x : tensor<12xf32> to tensor<12xf64>
  %root = math.sqrt %double : tensor<12xf64>
  return %shl, %shr, %bits, %square, %max, %even, %root
    : tensor<12xi32>, tensor<12xi32>, tensor<12xi32>, tensor<12xi64>, tensor<12xf32>, tensor<12xf32>, tensor<12xf64>
}
"""


def kernel_inputs():
    random = np.random.default_rng(7)
    return [random.standard_normal((5, 8), np.float32), random.standard_normal((8, 6), np.float32), np.array(27)]


def edge_inputs():
    ends = [0, 1, -1, 2**31 - 1, -2**31, 7]
    reals = [0.0, -0.0, np.nan, np.inf, -np.inf, 2.5]
    pairs = [(i, (i * 5 + 1 + i // 6) % 6) for i in list(range(6)) * 2]
    first, second = [i for i, _ in pairs], [j for _, j in pairs]
    return [np.array(ends, np.int32)[first], np.array(ends, np.int32)[second], np.array(reals, np.float32)[first],
            np.array(reals, np.float32)[second]]


@pytest.mark.parametrize("compiler", ALONE)
@pytest.mark.parametrize("text, inputs", [(KERNELS, kernel_inputs()), (EDGES, edge_inputs())], ids=["kernels", "edges"])
def test_plain_function(tmp_path, compiler, text, inputs):
    """The same bits as machine code gives, on every machine; NaN is NaN."""
    path = tmp_path / "program.mlir"
    path.write_text(text)
    machine = tmp_path / "machine.so"  # without FMA, as the C: so that results are equal to the bit
    assert c_source.run(c_source.NORIA, "compile", "--cpu=x86-64", path, "-o", machine)[0] == 0
    session = noria.InferenceSession(str(machine))
    want = session.run(None, {i.name: a for i, a in zip(session.get_inputs(), inputs)})
    got = c_source.Alone(path, tmp_path, COMPILERS[compiler]).run(*inputs)
    assert c_source.differences(want, got) is None


def test_failures_of_plain_functions(tmp_path):
    path = tmp_path / "add.mlir"
    path.write_text("func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {\n"
                    "  %0 = arith.addf %a, %b : tensor<?xf32>\n  return %0 : tensor<?xf32>\n}\n")
    add = c_source.Alone(path, tmp_path, COMPILERS["gcc-ubsan"])
    three = np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(add.run(three, three)[0], three + three)
    with pytest.raises(RuntimeError, match="add.mlir:2:8: 'arith.addf' op its operands have different shapes"):
        add.run(three, three[:2])


REALLOC = """
func.func @main(%n: index, %more: index) -> index {
  %c0 = arith.constant 0 : index
  %m = memref.alloc(%n) : memref<?xindex>
  memref.store %n, %m[%c0] : memref<?xindex>
  BEFORE
  %r = memref.realloc %m(%more) : memref<?xindex> to memref<?xindex>
  %x = memref.load %r[%c0] : memref<?xindex>
  memref.dealloc %r : memref<?xindex>
  return %x : index
}
"""


@pytest.mark.parametrize("compiler", ["gcc-ubsan", "m32"])
@pytest.mark.parametrize("before, more, words", [
    ("", 100, None), ("", 1, None), ("memref.dealloc %m : memref<?xindex>", 100, "uses memory that was freed"),
    ("", -1, "-1"), ("", 1 << 62, "has no memory for")])
def test_realloc_without_the_runtime(tmp_path, compiler, before, more, words):
    """It answers, or fails, as under the runtime."""
    path = tmp_path / "resized.mlir"
    path.write_text(REALLOC.replace("BEFORE", before))
    code, out, err = c_source.run(c_source.NORIA, "run", path, 3, more)
    alone = c_source.Alone(path, tmp_path, COMPILERS[compiler])
    if words is None:
        assert code == 0 and out.startswith("3 ")
        assert alone.run(np.array(3), np.array(more))[0] == 3
        return
    with pytest.raises(RuntimeError) as raised:
        alone.run(np.array(3), np.array(more))
    assert words in str(raised.value) and c_source.message(err).strip() == str(raised.value)


def test_wide_constants(tmp_path):
    """An array of integers of 128 bits: high and low half of each, as Python computes them."""
    numbers = [1, -2, (1 << 127) - 1, -(1 << 127), 1 << 65]
    path = tmp_path / "wide.mlir"
    path.write_text("func.func @main(%i: index) -> (i64, i64) {\n"
                    f"  %t = arith.constant dense<{numbers}> : tensor<5xi128>\n"
                    "  %e = tensor.extract %t[%i] : tensor<5xi128>\n  %s = arith.constant 64 : i128\n"
                    "  %h = arith.shrsi %e, %s : i128\n  %a = arith.trunci %h : i128 to i64\n"
                    "  %b = arith.trunci %e : i128 to i64\n  return %a, %b : i64, i64\n}\n")
    wide = c_source.Alone(path, tmp_path, COMPILERS["gcc-ubsan"])
    for i, number in enumerate(numbers):
        high, low = (int(a) for a in wide.run(np.array(i)))
        assert (high << 64) + low % (1 << 64) == number


# Masked loads whose only readers are values that a loop carries and nothing else reads.
DEAD_LOADS = """
module {
  func.func @main(%arg0: tensor<?xi16>, %arg1: tensor<?xf32>, %arg2: tensor<?xi16>, %arg3: tensor<?xf32>) -> (tensor<?xi16>, tensor<?xf32>, tensor<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %cst = arith.constant 0.000000e+00 : f32
    %0 = bufferization.to_buffer %arg0 read_only : tensor<?xi16> to memref<?xi16>
    %1 = bufferization.to_buffer %arg1 read_only : tensor<?xf32> to memref<?xf32>
    %2 = bufferization.to_buffer %arg2 read_only : tensor<?xi16> to memref<?xi16>
    %3 = bufferization.to_buffer %arg3 read_only : tensor<?xf32> to memref<?xf32>
    %4 = memref.dim %0, %c0 : memref<?xi16>
    %5 = arith.muli %4, %c8 : index
    %6 = memref.alloc(%4) : memref<?xi16>
    %7 = memref.alloc(%4) : memref<?xf32>
    %8 = memref.alloc(%5) : memref<?xf32>
    memref.store %cst, %8[%c0] : memref<?xf32>
    scf.parallel (%arg4) = (%c0) to (%4) step (%c1) {
      %12 = memref.load %0[%arg4] : memref<?xi16>
      %13 = memref.load %1[%arg4] : memref<?xf32>
      %14 = arith.cmpi eq, %12, %12 : i16
      %15 = arith.maxsi %12, %12 : i16
      %16 = arith.addi %arg4, %arg4 : index
      memref.store %13, %8[%16] : memref<?xf32>
      %c0_i16 = arith.constant 0 : i16
      %17:3 = scf.while (%arg5 = %c0_i16, %arg6 = %12, %arg7 = %13) : (i16, i16, f32) -> (i16, i16, f32) {
        %c1_i16 = arith.constant 1 : i16
        %18 = arith.cmpi slt, %arg5, %c1_i16 : i16
        %19 = arith.cmpf ogt, %13, %arg7 : f32
        %20 = arith.andi %18, %19 : i1
        scf.condition(%20) %arg5, %15, %13 : i16, i16, f32
      } do {
      ^bb0(%arg5: i16, %arg6: i16, %arg7: f32):
        %18 = arith.cmpi sle, %15, %c0_i16 : i16
        %19 = arith.andi %12, %12 : i16
        %20 = arith.index_cast %19 : i16 to index
        %21 = arith.andi %15, %12 : i16
        %22 = arith.index_cast %21 : i16 to index
        %23:2 = scf.for %arg8 = %c0 to %22 step %c1 iter_args(%arg9 = %c0_i16, %arg10 = %arg7) -> (i16, f32) {
          %25 = arith.index_cast %arg8 : index to i16
          %26:3 = scf.loop token(%arg11) iter_args(%arg12 = %c0_i16, %arg13 = %25, %arg14 = %arg7) : (i16, i16, f32) -> (i16, i16, f32) {
            %c9_i16 = arith.constant 9 : i16
            %27 = arith.cmpi sge, %arg12, %c9_i16 : i16
            scf.if %27 {
              scf.break [%arg11] %arg12, %arg13, %arg14 : i16, i16, f32
            }
            %28 = arith.minimumf %arg7, %arg14 : f32
            %c31_i16 = arith.constant 31 : i16
            %29 = arith.andi %12, %c31_i16 : i16
            %30 = arith.index_cast %29 : i16 to index
            %31 = memref.load %3[%30] : memref<?xf32>
            %c1_i16_0 = arith.constant 1 : i16
            %32 = arith.addi %arg12, %c1_i16_0 : i16
            %33 = arith.cmpi slt, %arg12, %c0_i16 : i16
            scf.if %33 {
              scf.continue [%arg11] %32, %15, %31 : i16, i16, f32
            }
            scf.continue [%arg11] %32, %arg9, %28 : i16, i16, f32
          }
          scf.yield %25, %26#2 : i16, f32
        }
        %c1_i16 = arith.constant 1 : i16
        %24 = arith.addi %arg5, %c1_i16 : i16
        scf.yield %24, %12, %arg7 : i16, i16, f32
      }
      memref.store %17#1, %6[%arg4] : memref<?xi16>
      memref.store %17#2, %7[%arg4] : memref<?xf32>
      scf.reduce
    }
    %9 = bufferization.to_tensor %6 restrict : memref<?xi16> to tensor<?xi16>
    %10 = bufferization.to_tensor %8 restrict : memref<?xf32> to tensor<?xf32>
    %11 = bufferization.to_tensor %7 restrict : memref<?xf32> to tensor<?xf32>
    return %9, %10, %11 : tensor<?xi16>, tensor<?xf32>, tensor<?xf32>
  }
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang-22"])
def test_no_variable_is_unused(tmp_path, compiler):
    (tmp_path / "p.mlir").write_text(DEAD_LOADS)
    code, _, err = c_source.run(c_source.NORIA, "compile", "--cpu=x86-64-v4", tmp_path / "p.mlir", "-o", tmp_path / "p.c")
    assert code == 0, err
    code, _, err = c_source.run(compiler, *c_source.WARNINGS, "-fsyntax-only", tmp_path / "p.c")
    assert code == 0 and not err, err


def declarations(path):
    """The types and numbers that a C file declares, each as lists of words, with one name a declaration."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    found = {name: value.split() for name, value in re.findall(r"#define (NORIA_\w+) +(.+)", text)}
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    for name, body in re.findall(r"struct (\w+) \{(.*?)\n\}", text, re.S):
        fields = []
        for field in filter(None, map(str.strip, body.split(";"))):
            kind, names = re.fullmatch(r"(.*?)(\**\w+(?:\[\w*\])?(?:, \**\w+)*|\(\*.*)", field, re.S).groups()
            fields += [f"{kind} {one}".split() for one in ([names] if "(" in names else names.split(", "))]
        found[name] = fields
    return found | {name: line.split() for line, name in re.findall(r"^(typedef [^{};]*?\(\*?(\w+)\)\(.*?\));", text, re.M)}


def test_c_files_have_the_contract_with_the_runtime():
    """lib/c/exec_abi.c says what include/noria/exec_abi.h does, type by type and field by field."""
    header, printed = (declarations(c_source.ROOT / path) for path in ("include/noria/exec_abi.h", "lib/c/exec_abi.c"))
    assert {"NoriaDesc", "NoriaRuntimeApi", "NoriaExec", "NoriaModule", "NoriaEntryFn", "NORIA_MAX_RANK"} <= set(printed)
    del printed["NoriaFunction"]  # any function as a pointer, which the header does not need
    assert printed == {name: header[name] for name in printed}


def test_functions_of_the_runtime_are_named(tmp_path):
    """A plain function cannot call the runtime; a library can."""
    model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]> g (float[N] x) => (float[M] y) {'
                                    'nothing = SequenceEmpty<dtype=1>() s = SequenceInsert(nothing, x)'
                                    'zero = Constant<value_int=0>() y = SequenceAt(s, zero) }')
    path = tmp_path / "s.onnx"
    onnx.save(model, path)
    three = np.arange(3, dtype=np.float32)
    session = c_source.Session(model.SerializeToString(), tmp_path, COMPILERS["gcc"])
    np.testing.assert_array_equal(session.run(None, {"x": three})[0], three)
    with pytest.raises(c_source.NotAlone, match="node .*is a function of Noria's runtime"):
        c_source.Alone(path, tmp_path, COMPILERS["gcc-ubsan"]).run(three)


def test_python_writes_it(tmp_path):
    source, program = tmp_path / "rows.mlir", tmp_path / "rows.c"
    source.write_text("func.func @main(%a: tensor<?x3xf32>) -> tensor<?x3xf32> {\n"
                      "  %0 = arith.addf %a, %a : tensor<?x3xf32>\n  return %0 : tensor<?x3xf32>\n}\n")
    noria.compile_to_file(source, program)
    assert "float **result0, int64_t *result0_dim0" in (tmp_path / "rows.h").read_text()
    c_source.build(program, tmp_path / "rows.so", COMPILERS["gcc"])
    noria.compile_to_file(source, tmp_path / "machine.so", header=tmp_path / "other.h")
    assert "noria_module" in (tmp_path / "other.h").read_text()
    rows = np.arange(6, dtype=np.float32).reshape(2, 3)
    for library in ("rows.so", "machine.so"):
        np.testing.assert_array_equal(noria.InferenceSession(tmp_path / library).run(None, {"a": rows})[0], rows + rows)
    with pytest.raises(noria.Error, match="ends in none of .o, .so, .ll, .s, .c"):
        noria.compile_to_file(source, tmp_path / "rows.txt")
    with pytest.raises(noria.Error, match="C source is for one CPU"):
        noria.compile_to_file(source, tmp_path / "two.c", cpu="x86-64-v2,x86-64-v3")
    assert not (tmp_path / "two.c").exists()


@pytest.mark.parametrize("text, options, words", [
    ("func.func @main(%a: i200) -> i200 { %0 = arith.addi %a, %a : i200 return %0 : i200 }", [], "i200"),
    ("func.func @main(%a: i32) -> i32 { return %a : i32 }", ["--cpu=x86-64-v2,x86-64-v3"], "one CPU"),
    ("func.func @main(%a: i32) -> i32 { return %b : i32 }", [], "%b"),
])
def test_refused(tmp_path, text, options, words):
    path = tmp_path / "bad.mlir"
    path.write_text(text)
    code, out, err = c_source.run(c_source.NORIA, "compile", *options, path, "-o", tmp_path / "bad.c")
    assert code == 1 and words in err and not out
    assert [p.name for p in tmp_path.iterdir()] == ["bad.mlir"]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    return {name: c_source.Programs(tmp_path_factory.mktemp(name), COMPILERS[name]) for name in COMPILERS}


def in_turn(number, check):
    """One compiler for each number, the next for the next; that of a library for what cannot stand alone."""
    compiler = list(COMPILERS)[number % len(COMPILERS)]
    try:
        return check(compiler)
    except c_source.NotAlone:
        return check("gcc")


@pytest.mark.parametrize("number", range(len(RUNS)), ids=lambda i: os.path.basename(RUNS[i][0]))
def test_program(programs, number):
    assert in_turn(number, lambda compiler: programs[compiler].check(*RUNS[number])) is None


CASES = ["test_add_bcast", "test_argmax_keepdims_random", "test_averagepool_2d_strides",
         "test_clip", "test_conv_with_strides_padding", "test_cumsum_1d", "test_einsum_sum",
         "test_gather_elements_0", "test_gru_defaults", "test_if", "test_isinf", "test_layer_normalization_4d_axis1",
         "test_loop11", "test_loop13_seq", "test_lstm_defaults", "test_matmul_3d", "test_nonmaxsuppression_two_classes",
         "test_scan9_sum", "test_sequence_insert_at_front",
         "test_softmax_axis_1", "test_top_k", "test_unique_sorted_with_axis_3d"]


@pytest.fixture(scope="module")
def cases():
    return {case.name: case for case in collect_testcases(None)}


@pytest.mark.parametrize("name", CASES)
def test_model(cases, tmp_path, name):
    """Of the official tests."""
    case = cases[name]

    def check(compiler):
        for inputs, outputs in case.data_sets:
            session = c_source.Session(case.model.SerializeToString(), tmp_path, COMPILERS[compiler])
            got = session.run(None, {i.name: a for i, a in zip(session.get_inputs(), inputs)})
            for a, b in zip(outputs, got, strict=True):
                onnx.backend.test.BackendTest.assert_similar_outputs([a], [b], rtol=case.rtol, atol=case.atol)

    in_turn(CASES.index(name), check)
