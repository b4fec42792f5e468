// Every op that makes something in the interpreter ends the run with the limit's message and its own place when there is
// no memory for it: the loop runs each function, and the message of each names the line of the op below it.

// RUN: sh -c 'for f in $(sed -n "s/^func.func @\([a-z_0-9]*\)(.*/\1/p" %s); do noria run --interpret --memory-limit=100 --entry=$f %s zeros 0 5; echo "$f: $?"; done' 2>&1 | FileCheck %s
// RUN: sh -c 'for f in $(sed -n "s/^func.func @\([a-z_0-9]*\)(.*/\1/p" %s); do noria run --interpret --memory-limit=1M --entry=$f %s zeros 0 5 || echo "$f: $?"; done' 2>&1 | FileCheck %s --check-prefix=ROOM
// ROOM-NOT: error

memref.global "private" constant @m : memref<16xi64> = dense<[1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]>
memref.global "private" @g : memref<16xi64> = dense<5>

// Tensors.
// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @empty(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = tensor.empty() : tensor<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @splat(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = tensor.splat %x : tensor<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:8: the memory limit of 100 bytes is reached
func.func @from_elements(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %v = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi64>
  %r = tensor.from_elements %v : tensor<1xvector<16xi64>>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @generate(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = tensor.generate {
  ^bb0(%j: index):
  tensor.yield %x : i64
  } : tensor<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @insert(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = tensor.insert %x into %t[%i] : tensor<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+4]]:8: the memory limit of 100 bytes is reached
func.func @extract_vector(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %c = vector.broadcast %x : i64 to vector<4xi64>
  %d = tensor.from_elements %c, %c : tensor<2xvector<4xi64>>
  %r = tensor.extract %d[%i] : tensor<2xvector<4xi64>>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @extract_slice(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = tensor.extract_slice %t[0] [13] [1] : tensor<16xi64> to tensor<13xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @insert_slice(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = tensor.insert_slice %t into %t[0] [16] [1] : tensor<16xi64> into tensor<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @pad(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = tensor.pad %t low[1] high[1] {
  ^bb0(%j: index):
  tensor.yield %x : i64
  } : tensor<16xi64> to tensor<18xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @concat(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = tensor.concat dim(0) %t, %t : (tensor<16xi64>, tensor<16xi64>) -> tensor<32xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @expand(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = tensor.expand_shape %t [[0, 1]] output_shape [4, 4] : tensor<16xi64> into tensor<4x4xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @bitcast(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = tensor.bitcast %t : tensor<16xi64> to tensor<16xf64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @constant(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = arith.constant dense<7> : tensor<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @poison(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = ub.poison : tensor<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @add(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = arith.addi %t, %t : tensor<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:14: the memory limit of 100 bytes is reached
func.func @second_result(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %n = tensor.extract_slice %t[0] [6] [1] : tensor<16xi64> to tensor<6xi64>
  %lo, %hi = arith.mulsi_extended %n, %n : tensor<6xi64>
  return %x : i64
}

// Structured ops and loops.
// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @fill(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = linalg.fill ins(%x : i64) outs(%t : tensor<16xi64>) -> tensor<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @generic(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%t : tensor<16xi64>) outs(%t : tensor<16xi64>) {
  ^bb0(%p: i64, %q: i64):
  linalg.yield %p : i64
  } -> tensor<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+4]]:3: the memory limit of 100 bytes is reached
func.func @generic_of_vectors(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %a = memref.alloc() : memref<1xi64>
  %b = memref.alloc() : memref<1xvector<8xi64>>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%b : memref<1xvector<8xi64>>) outs(%a : memref<1xi64>) {
  ^bb0(%p: vector<8xi64>, %q: i64):
  linalg.yield %q : i64
  }
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @forall(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = scf.forall (%j) in (16) shared_outs(%o = %t) -> (tensor<16xi64>) {
  scf.forall.in_parallel {
  }
  }
  return %x : i64
}

// Memory.
// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @alloc(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = memref.alloc() : memref<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @alloca(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = memref.alloca() : memref<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @alloc_with_gaps(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = memref.alloc() : memref<4xi64, strided<[4]>>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:8: the memory limit of 100 bytes is reached
func.func @realloc(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %a = memref.alloc() : memref<8xi64>
  %r = memref.realloc %a : memref<8xi64> to memref<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+5]]:3: the memory limit of 100 bytes is reached
func.func @copy(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %m = memref.get_global @m : memref<16xi64>
  %a = memref.alloc() : memref<8xi64>
  %s = memref.subview %m[0] [8] [1] : memref<16xi64> to memref<8xi64, strided<[1]>>
  memref.copy %s, %a : memref<8xi64, strided<[1]>> to memref<8xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:8: the memory limit of 100 bytes is reached
func.func @load_vector(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %b = memref.alloc() : memref<3xvector<4xi64>>
  %r = memref.load %b[%i] : memref<3xvector<4xi64>>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:8: the memory limit of 100 bytes is reached
func.func @to_tensor(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %m = memref.get_global @m : memref<16xi64>
  %r = bufferization.to_tensor %m restrict : memref<16xi64> to tensor<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:8: the memory limit of 100 bytes is reached
func.func @clone(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %m = memref.get_global @m : memref<16xi64>
  %r = bufferization.clone %m : memref<16xi64> to memref<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @global(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = memref.get_global @g : memref<16xi64>
  return %x : i64
}

// Calls and dispatches.
// CHECK: no_memory.mlir:[[#@LINE+5]]:8: the memory limit of 100 bytes is reached
func.func @grow(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %c16 = arith.constant 16 : index
  %d = tensor.extract_slice %t[0] [2] [1] : tensor<16xi64> to tensor<2xi64>
  %c = tensor.cast %d : tensor<2xi64> to tensor<?xi64>
  %r = rt.call "tensor_grow"(%c, %c16) : (tensor<?xi64>, index) -> tensor<?xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:8: the memory limit of 100 bytes is reached
func.func @runtime(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %dtype = arith.constant 7 : i32
  %r = rt.call "seq_construct"(%dtype, %x, %t) : (i32, i64, tensor<16xi64>) -> !onnx.seq<tensor<16xi64>>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @flow_empty(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = flow.tensor.empty : tensor<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @flow_splat(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = flow.tensor.splat %x : tensor<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @flow_constant(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = flow.tensor.constant dense<3> : tensor<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @flow_store(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = flow.tensor.store %x, %t[%i] : tensor<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:8: the memory limit of 100 bytes is reached
func.func @flow_slice(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %c13 = arith.constant 13 : index
  %r = flow.tensor.slice %t[%i for %c13] : tensor<16xi64> -> tensor<13xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @flow_update(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = flow.tensor.update %t, %t[%i] : tensor<16xi64> -> %t as tensor<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @flow_reshape(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = flow.tensor.reshape %t : tensor<16xi64> -> tensor<4x4xi64>
  return %x : i64
}

// Vectors.
// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @broadcast(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = vector.broadcast %x : i64 to vector<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @vector_from_elements(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = vector.from_elements %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x : vector<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @step(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = vector.step : vector<16xindex>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:8: the memory limit of 100 bytes is reached
func.func @shape_cast(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %v = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi64>
  %r = vector.shape_cast %v : vector<16xi64> to vector<4x4xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:8: the memory limit of 100 bytes is reached
func.func @vector_bitcast(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %v = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi64>
  %r = vector.bitcast %v : vector<16xi64> to vector<32xi32>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:8: the memory limit of 100 bytes is reached
func.func @transpose(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %w = arith.constant dense<[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]]> : vector<2x16xi64>
  %r = vector.transpose %w, [1, 0] : vector<2x16xi64> to vector<16x2xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:8: the memory limit of 100 bytes is reached
func.func @shuffle(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %v = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi64>
  %r = vector.shuffle %v, %v [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<16xi64>, vector<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:8: the memory limit of 100 bytes is reached
func.func @interleave(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %v = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi64>
  %r = vector.interleave %v, %v : vector<16xi64> -> vector<32xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:12: the memory limit of 100 bytes is reached
func.func @deinterleave(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %v = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi64>
  %r, %s = vector.deinterleave %v : vector<16xi64> -> vector<8xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:8: the memory limit of 100 bytes is reached
func.func @vector_extract(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %w = arith.constant dense<[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]]> : vector<2x16xi64>
  %r = vector.extract %w[1] : vector<16xi64> from vector<2x16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:8: the memory limit of 100 bytes is reached
func.func @vector_insert(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %v = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi64>
  %r = vector.insert %x, %v[3] : i64 into vector<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:8: the memory limit of 100 bytes is reached
func.func @extract_strided_slice(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %v = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi64>
  %r = vector.extract_strided_slice %v {offsets = [0], sizes = [13], strides = [1]} : vector<16xi64> to vector<13xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+4]]:8: the memory limit of 100 bytes is reached
func.func @insert_strided_slice(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %v = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi64>
  %w = arith.constant dense<[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]]> : vector<2x16xi64>
  %r = vector.insert_strided_slice %v, %w {offsets = [0, 0], strides = [1]} : vector<16xi64> into vector<2x16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @create_mask(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = vector.create_mask %i, %i : vector<16x16xi1>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+2]]:8: the memory limit of 100 bytes is reached
func.func @constant_mask(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %r = vector.constant_mask [3, 4] : vector<16x16xi1>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+4]]:8: the memory limit of 100 bytes is reached
func.func @multi_reduction(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %v = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi64>
  %w = arith.constant dense<[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]]> : vector<2x16xi64>
  %r = vector.multi_reduction <add>, %w, %v [0] : vector<2x16xi64> to vector<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:8: the memory limit of 100 bytes is reached
func.func @vector_load(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %m = memref.get_global @m : memref<16xi64>
  %r = vector.load %m[%i] : memref<16xi64>, vector<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+5]]:8: the memory limit of 100 bytes is reached
func.func @maskedload(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %v = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi64>
  %m = memref.get_global @m : memref<16xi64>
  %k = vector.constant_mask [16] : vector<16xi1>
  %r = vector.maskedload %m[%i], %k, %v : memref<16xi64>, vector<16xi1>, vector<16xi64> into vector<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+5]]:8: the memory limit of 100 bytes is reached
func.func @expandload(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %v = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi64>
  %m = memref.get_global @m : memref<16xi64>
  %k = vector.constant_mask [16] : vector<16xi1>
  %r = vector.expandload %m[%i], %k, %v : memref<16xi64>, vector<16xi1>, vector<16xi64> into vector<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+5]]:8: the memory limit of 100 bytes is reached
func.func @gather(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %v = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi64>
  %m = memref.get_global @m : memref<16xi64>
  %k = vector.constant_mask [16] : vector<16xi1>
  %r = vector.gather %m[%i] [%v], %k, %v : memref<16xi64>, vector<16xi64>, vector<16xi1>, vector<16xi64> into vector<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:8: the memory limit of 100 bytes is reached
func.func @transfer_read(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %m = memref.get_global @m : memref<16xi64>
  %r = vector.transfer_read %m[%i], %x : memref<16xi64>, vector<16xi64>
  return %x : i64
}

// CHECK: no_memory.mlir:[[#@LINE+3]]:8: the memory limit of 100 bytes is reached
func.func @transfer_write(%t: tensor<16xi64>, %i: index, %x: i64) -> i64 {
  %v = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi64>
  %r = vector.transfer_write %v, %t[%i] : vector<16xi64>, tensor<16xi64>
  return %x : i64
}

// The result of a function counts once.
// CHECK: no_memory.mlir:[[#@LINE+1]]:1: the memory limit of 100 bytes is reached: the run holds 0 bytes and asks for 128
func.func @result(%t: tensor<16xi64>, %i: index, %x: i64) -> tensor<16xi64> {
  return %t : tensor<16xi64>
}

// CHECK: result_fits: 0
func.func @result_fits(%t: tensor<16xi64>, %i: index, %x: i64) -> tensor<8xi64> {
  %r = tensor.splat %x : tensor<8xi64>
  return %r : tensor<8xi64>
}
