// Calls of the runtime in text: what the types leave open is looked at when the program runs.

// RUN: noria run %s --entry=append 1 '[1, 2]' --check-stages | FileCheck %s --check-prefix=ONE
// RUN: noria run %s --entry=construct 1 '[1, 2]' --check-stages | FileCheck %s --check-prefix=ONE
// RUN: noria run %s --entry=construct 1000 '[1, 2]' | FileCheck %s --check-prefix=ONE
// RUN: noria run %s --entry=construct 1000 '[1, 2]' --interpret | FileCheck %s --check-prefix=ONE
// ONE: 1 : i64
// RUN: not noria run %s --entry=append 8 '[1, 2]' 2>&1 | FileCheck %s --check-prefix=STRINGS
// RUN: not noria run %s --entry=append 8 '[1, 2]' --interpret 2>&1 | FileCheck %s --check-prefix=STRINGS
// STRINGS: runtime_calls.mlir:{{[0-9]+}}:8: a tensor of 4 bytes an element is taken for one of type string (8)
// RUN: not noria run %s --entry=append 999 '[1, 2]' 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not noria run %s --entry=append 999 '[1, 2]' --interpret 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: there is no element type 999
func.func @append(%dtype: i32, %t: tensor<2xf32>) -> i64 {
  %s = rt.call "seq_empty"(%dtype) : (i32) -> !onnx.seq<none>
  %u = rt.call "seq_append"(%s, %t) : (!onnx.seq<none>, tensor<2xf32>) -> !onnx.seq<tensor<2xf32>>
  %n = rt.call "seq_length"(%u) : (!onnx.seq<tensor<2xf32>>) -> i64
  return %n : i64
}

func.func @construct(%n: i64, %t: tensor<2xf32>) -> i64 {
  %dtype = arith.constant 1 : i32
  %s = rt.call "seq_construct"(%dtype, %n, %t) : (i32, i64, tensor<2xf32>) -> !onnx.seq<tensor<2xf32>>
  %m = rt.call "seq_length"(%s) : (!onnx.seq<tensor<2xf32>>) -> i64
  return %m : i64
}

// RUN: not noria run %s --entry=take '[1, 2]' 2>&1 | FileCheck %s --check-prefix=TAKE
// RUN: not noria run %s --entry=take '[1, 2]' --interpret 2>&1 | FileCheck %s --check-prefix=TAKE
// TAKE: gives a tensor of another element type than the program says
func.func @take(%t: tensor<2xf32>) -> tensor<?xf64> {
  %dtype = arith.constant 1 : i32
  %c0 = arith.constant 0 : i64
  %site = arith.constant -1 : i32
  %s = rt.call "seq_empty"(%dtype) : (i32) -> !onnx.seq<none>
  %u = rt.call "seq_append"(%s, %t) : (!onnx.seq<none>, tensor<2xf32>) -> !onnx.seq<none>
  %r = rt.call "seq_at"(%site, %u, %c0) : (i32, !onnx.seq<none>, i64) -> tensor<?xf64>
  return %r : tensor<?xf64>
}

// RUN: not noria run %s --entry=dim '[1, 2]' 2>&1 | FileCheck %s --check-prefix=DIM
// RUN: not noria run %s --entry=dim '[1, 2]' --interpret 2>&1 | FileCheck %s --check-prefix=DIM
// DIM: gives a tensor whose dim 0 is 2 where the program says 1000
func.func @dim(%t: tensor<2xf32>) -> tensor<1000xf32> {
  %dtype = arith.constant 1 : i32
  %c0 = arith.constant 0 : i64
  %site = arith.constant -1 : i32
  %c1 = arith.constant 1 : i64
  %s = rt.call "seq_construct"(%dtype, %c1, %t) : (i32, i64, tensor<2xf32>) -> !onnx.seq<tensor<?xf32>>
  %r = rt.call "seq_at"(%site, %s, %c0) : (i32, !onnx.seq<tensor<?xf32>>, i64) -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// RUN: not noria run %s --entry=text 11 '[1, 2]' 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not noria run %s --entry=text 11 '[1, 2]' --interpret 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: a tensor of 4 bytes an element is taken for one of type float64 (11)
func.func @text(%dtype: i32, %t: tensor<2xf32>) -> index {
  %s = rt.call "string_from"(%dtype, %t) : (i32, tensor<2xf32>) -> tensor<2x!onnx.string>
  %c0 = arith.constant 0 : index
  %d = tensor.dim %s, %c0 : tensor<2x!onnx.string>
  return %d : index
}

// RUN: noria run %s --entry=grow 5 '[1, 2]' --check-stages | FileCheck %s --check-prefix=GROW
// GROW: 5 : index
// RUN: not noria run %s --entry=grow -1 '[1, 2]' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not noria run %s --entry=grow -1 '[1, 2]' --interpret 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: 'rt.call' op the size of dim 0 is -1; it must not be negative
func.func @grow(%n: index, %t: tensor<2xf32>) -> index {
  %c = tensor.cast %t : tensor<2xf32> to tensor<?xf32>
  %s = rt.call "tensor_grow"(%c, %n) : (tensor<?xf32>, index) -> tensor<?xf32>
  %c0 = arith.constant 0 : index
  %d = tensor.dim %s, %c0 : tensor<?xf32>
  return %d : index
}
