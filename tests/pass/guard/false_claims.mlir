// What a cast hides from an op, and would make it invalid, stays hidden: that the claim is false is found in the run.
// RUN: noria opt %s --split-input-file --canonicalize --cse --canonicalize -o %t
// RUN: noria opt %s --split-input-file --check-bounds --canonicalize -o %t
// RUN: noria opt %s --split-input-file --pipeline -o %t
// RUN: noria opt %s --split-input-file --canonicalize | FileCheck %s

// CHECK: %[[HIDDEN:.*]] = tensor.cast %{{.*}} : tensor<4x8xf32> to tensor<?x?xf32>
// CHECK: tensor.cast %[[HIDDEN]] : tensor<?x?xf32> to tensor<8x4xf32>
func.func @main(%a: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %b = tensor.cast %a : tensor<4x8xf32> to tensor<?x?xf32>
  %c = tensor.cast %b : tensor<?x?xf32> to tensor<8x4xf32>
  return %c : tensor<8x4xf32>
}

// -----

func.func @main(%a: tensor<4xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  %b = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%b : tensor<?xf32>) outs(%d : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @main(%a: tensor<4xf32>, %d: tensor<8xf32>) -> tensor<?xf32> {
  %b = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %c = tensor.cast %d : tensor<8xf32> to tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%b : tensor<?xf32>) outs(%c : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @main(%a: tensor<4xf32>, %d: tensor<8xf32>) -> tensor<?xf32> {
  %b = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %c = tensor.cast %d : tensor<8xf32> to tensor<?xf32>
  %r = arith.addf %b, %c : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @main(%a: tensor<4xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  %b = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %c8 = arith.constant 8 : index
  %r = tensor.insert_slice %b into %d[0] [%c8] [1] : tensor<?xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @main(%a: tensor<4xf32>, %d: tensor<8xf32>) -> tensor<16xf32> {
  %b = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %c = tensor.cast %d : tensor<8xf32> to tensor<?xf32>
  %r = tensor.concat dim(0) %b, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

func.func @main(%a: tensor<4x2xf32>, %d: tensor<8x3xf32>) -> tensor<?x?xf32> {
  %b = tensor.cast %a : tensor<4x2xf32> to tensor<?x?xf32>
  %c = tensor.cast %d : tensor<8x3xf32> to tensor<?x?xf32>
  %r = tensor.concat dim(0) %b, %c : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

func.func @main(%a: tensor<4x2xf32>) -> tensor<9xf32> {
  %b = tensor.cast %a : tensor<4x2xf32> to tensor<?x?xf32>
  %c = tensor.collapse_shape %b [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %d = tensor.cast %c : tensor<?xf32> to tensor<9xf32>
  return %d : tensor<9xf32>
}

// -----

func.func @main(%a: tensor<8xf32>) -> tensor<3x3xf32> {
  %b = tensor.cast %a : tensor<8xf32> to tensor<?xf32>
  %c3 = arith.constant 3 : index
  %c = tensor.expand_shape %b [[0, 1]] output_shape [%c3, %c3] : tensor<?xf32> into tensor<?x?xf32>
  %d = tensor.cast %c : tensor<?x?xf32> to tensor<3x3xf32>
  return %d : tensor<3x3xf32>
}

// -----

func.func @main(%a: tensor<8xf32>) -> tensor<3x3xf32> {
  %b = tensor.cast %a : tensor<8xf32> to tensor<?xf32>
  %s = arith.constant dense<[3, 3]> : tensor<2xindex>
  %c = tensor.reshape %b(%s) : (tensor<?xf32>, tensor<2xindex>) -> tensor<3x3xf32>
  return %c : tensor<3x3xf32>
}

// -----

func.func @main(%a: tensor<8xf32>) -> tensor<3xf32> {
  %b = tensor.cast %a : tensor<8xf32> to tensor<?xf32>
  %c3 = arith.constant 12 : index
  %c = tensor.extract_slice %b[0] [%c3] [1] : tensor<?xf32> to tensor<?xf32>
  %d = tensor.cast %c : tensor<?xf32> to tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

func.func @main(%a: tensor<8xf32>, %v: f32) -> tensor<3xf32> {
  %b = tensor.cast %a : tensor<8xf32> to tensor<?xf32>
  %c3 = arith.constant 12 : index
  %c = tensor.pad %b low[%c3] high[0] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<?xf32> to tensor<?xf32>
  %d = tensor.cast %c : tensor<?xf32> to tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

func.func @main(%a: tensor<8xf32>, %v: i1, %e: tensor<4xf32>) -> tensor<3xf32> {
  %b = tensor.cast %a : tensor<8xf32> to tensor<?xf32>
  %f = tensor.cast %e : tensor<4xf32> to tensor<?xf32>
  %c = scf.if %v -> tensor<?xf32> {
    scf.yield %b : tensor<?xf32>
  } else {
    scf.yield %f : tensor<?xf32>
  }
  %d = tensor.cast %c : tensor<?xf32> to tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

func.func @main(%a: tensor<8xf32>, %v: i1, %e: tensor<4xf32>) -> tensor<3xf32> {
  %b = tensor.cast %a : tensor<8xf32> to tensor<?xf32>
  %f = tensor.cast %e : tensor<4xf32> to tensor<?xf32>
  %c = arith.select %v, %b, %f : tensor<?xf32>
  %d = tensor.cast %c : tensor<?xf32> to tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

func.func @main(%a: tensor<8xf32>, %n: index, %e: tensor<4xf32>) -> tensor<3xf32> {
  %b = tensor.cast %a : tensor<8xf32> to tensor<?xf32>
  %f = tensor.cast %e : tensor<4xf32> to tensor<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = scf.for %i = %c0 to %n step %c1 iter_args(%x = %b) -> tensor<?xf32> {
    scf.yield %f : tensor<?xf32>
  }
  %d = tensor.cast %c : tensor<?xf32> to tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

func.func @main(%a: tensor<8xf32>, %n: index, %e: tensor<4xf32>) -> tensor<3xf32> {
  %b = tensor.cast %a : tensor<8xf32> to tensor<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = scf.for %i = %c0 to %n step %c1 iter_args(%x = %b) -> tensor<?xf32> {
    %y = tensor.cast %x : tensor<?xf32> to tensor<7xf32>
    %z = arith.addf %y, %y : tensor<7xf32>
    %w = tensor.cast %z : tensor<7xf32> to tensor<?xf32>
    scf.yield %w : tensor<?xf32>
  }
  %d = tensor.cast %c : tensor<?xf32> to tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

func.func @main(%a: tensor<8xf32>, %n: index, %e: f32) -> tensor<3xf32> {
  %b = tensor.cast %a : tensor<8xf32> to tensor<?xf32>
  %r = linalg.fill ins(%e : f32) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  %d = tensor.cast %r : tensor<?xf32> to tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

func.func @main(%n: index, %e: f32) -> tensor<3xf32> {
  %c7 = arith.constant 7 : index
  %b = tensor.empty(%c7) : tensor<?xf32>
  %r = linalg.fill ins(%e : f32) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  %d = tensor.cast %r : tensor<?xf32> to tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

func.func @main(%e: f32) -> tensor<3xf32> {
  %c7 = arith.constant 7 : index
  %b = tensor.splat %e[%c7] : tensor<?xf32>
  %d = tensor.cast %b : tensor<?xf32> to tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

func.func @main(%e: index) -> tensor<3xindex> {
  %c7 = arith.constant 7 : index
  %b = tensor.generate %c7 {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<?xindex>
  %d = tensor.cast %b : tensor<?xindex> to tensor<3xindex>
  return %d : tensor<3xindex>
}

// -----

func.func @main(%e: tensor<4xf32>) -> tensor<3xf32> {
  %u = tensor.cast %e : tensor<4xf32> to tensor<*xf32>
  %d = tensor.cast %u : tensor<*xf32> to tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

func.func @main(%e: tensor<4xf32>) -> tensor<2x2xf32> {
  %u = tensor.cast %e : tensor<4xf32> to tensor<*xf32>
  %d = tensor.cast %u : tensor<*xf32> to tensor<2x2xf32>
  return %d : tensor<2x2xf32>
}

// -----

func.func @main(%e: tensor<4xf32>) -> tensor<3xf32> {
  %u = tensor.cast %e : tensor<4xf32> to tensor<*xf32>
  %v = math.exp %u : tensor<*xf32>
  %d = tensor.cast %v : tensor<*xf32> to tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

func.func @main(%e: tensor<4xf32>, %g: tensor<5xf32>) -> tensor<3xf32> {
  %u = tensor.cast %e : tensor<4xf32> to tensor<*xf32>
  %w = tensor.cast %g : tensor<5xf32> to tensor<*xf32>
  %v = arith.addf %u, %w : tensor<*xf32>
  %d = tensor.cast %v : tensor<*xf32> to tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

func.func @main(%a: memref<4xf32>, %d: memref<8xf32>) {
  %b = memref.cast %a : memref<4xf32> to memref<?xf32>
  memref.copy %b, %d : memref<?xf32> to memref<8xf32>
  return
}

// -----

func.func @main(%a: memref<4xf32>, %d: memref<8xf32>) {
  %b = memref.cast %a : memref<4xf32> to memref<?xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%b : memref<?xf32>) outs(%d : memref<8xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @main(%a: memref<4xf32>) -> f32 {
  %b = memref.cast %a : memref<4xf32> to memref<?xf32>
  %c = memref.cast %b : memref<?xf32> to memref<8xf32>
  %c7 = arith.constant 7 : index
  %r = memref.load %c[%c7] : memref<8xf32>
  return %r : f32
}

// -----

func.func @main(%a: memref<4xf32>) -> memref<2x4xf32> {
  %b = memref.cast %a : memref<4xf32> to memref<?xf32>
  %c4 = arith.constant 4 : index
  %c = memref.expand_shape %b [[0, 1]] output_shape [2, %c4] : memref<?xf32> into memref<2x?xf32>
  %d = memref.cast %c : memref<2x?xf32> to memref<2x4xf32>
  return %d : memref<2x4xf32>
}

// -----

func.func @main(%a: memref<4xf32>) -> f32 {
  %b = memref.cast %a : memref<4xf32> to memref<?xf32>
  %c8 = arith.constant 8 : index
  %c7 = arith.constant 7 : index
  %c = memref.subview %b[0] [%c8] [1] : memref<?xf32> to memref<?xf32>
  %r = memref.load %c[%c7] : memref<?xf32>
  return %r : f32
}

// -----

func.func @main(%m: memref<8xf32, strided<[2]>>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %b = memref.cast %m : memref<8xf32, strided<[2]>> to memref<8xf32, strided<[?]>>
  %c = memref.cast %b : memref<8xf32, strided<[?]>> to memref<8xf32>
  %r = vector.load %c[%c0] : memref<8xf32>, vector<4xf32>
  return %r : vector<4xf32>
}

// -----

func.func @main(%m: memref<8xf32, strided<[2]>>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %k = arith.constant dense<true> : vector<4xi1>
  %v = arith.constant dense<1.0> : vector<4xf32>
  %r = vector.maskedload %m[%c0], %k, %v : memref<8xf32, strided<[2]>>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.maskedstore %m[%c0], %k, %r : memref<8xf32, strided<[2]>>, vector<4xi1>, vector<4xf32>
  return %r : vector<4xf32>
}

// -----

func.func @main(%m: memref<8xf32>) -> vector<2x4xf32> {
  %c0 = arith.constant 0 : index
  %k = arith.constant dense<true> : vector<2x4xi1>
  %v = arith.constant dense<1.0> : vector<2x4xf32>
  %r = vector.maskedload %m[%c0], %k, %v : memref<8xf32>, vector<2x4xi1>, vector<2x4xf32> into vector<2x4xf32>
  return %r : vector<2x4xf32>
}

// -----

func.func @main(%m: memref<8xf32>, %k: vector<4xi1>, %v: vector<4xf32>, %i: index) -> vector<4xf32> {
  %b = memref.cast %m : memref<8xf32> to memref<?xf32, strided<[?]>>
  %c = memref.cast %b : memref<?xf32, strided<[?]>> to memref<8xf32>
  vector.store %v, %c[%i] : memref<8xf32>, vector<4xf32>
  %r = vector.maskedload %c[%i], %k, %v : memref<8xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  return %r : vector<4xf32>
}

// -----

func.func @main(%a: tensor<4xf32>, %b: memref<8xf32>) {
  %t = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %u = tensor.cast %t : tensor<?xf32> to tensor<8xf32>
  bufferization.materialize_in_destination %u in restrict writable %b : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

func.func @main(%a: tensor<4xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  %c = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %r = scf.forall (%i) in (2) shared_outs(%o = %d) -> tensor<8xf32> {
    %c3 = arith.constant 3 : index
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c into %o[%i] [%c3] [1] : tensor<?xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

func.func @main(%a: tensor<4xf32>) -> tensor<?xf32> {
  %d = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %r = scf.forall (%i) in (2) shared_outs(%o = %d) -> tensor<?xf32> {
    %x = tensor.cast %o : tensor<?xf32> to tensor<7xf32>
    %s = tensor.extract_slice %x[0][1][1] : tensor<7xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}

// -----

func.func @main(%a: tensor<4xf32>) -> f32 {
  %d = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %e = tensor.cast %d : tensor<?xf32> to tensor<7xf32>
  %c6 = arith.constant 6 : index
  %x = tensor.extract %e[%c6] : tensor<7xf32>
  return %x : f32
}

// -----

func.func @main(%t: tensor<2x4xf32>) -> tensor<4x2xf32> {
  %d = tensor.cast %t : tensor<2x4xf32> to tensor<?x?xf32>
  %e = bufferization.to_buffer %d : tensor<?x?xf32> to memref<?x?xf32>
  %f = memref.cast %e : memref<?x?xf32> to memref<4x2xf32>
  %g = bufferization.to_tensor %f restrict : memref<4x2xf32> to tensor<4x2xf32>
  return %g : tensor<4x2xf32>
}
