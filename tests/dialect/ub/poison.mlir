// Values for where none is asked for.
// RUN: noria opt %s | FileCheck %s
// RUN: noria opt %s | mlir-opt
// RUN: mlir-opt --mlir-print-op-generic %s | noria opt | FileCheck %s

// CHECK-LABEL: func.func @types
// CHECK: ub.poison : i32
// CHECK: ub.poison : memref<?x4xf32, strided<[?, 1], offset: ?>>
// CHECK: ub.poison {mark} : tensor<*xf64>
// CHECK: ub.poison : complex<f32>
func.func @types() {
  %0 = ub.poison : i32
  %1 = ub.poison : memref<?x4xf32, strided<[?, 1], offset: ?>>
  %2 = ub.poison {mark} : tensor<*xf64>
  %3 = ub.poison <#ub.poison> : complex<f32>
  return
}

// Chosen against and handed on.
// RUN: noria run %s --check-stages --entry=chosen 1 | FileCheck %s --check-prefix=SEVEN
// SEVEN: {{^}}7 : i32
func.func @chosen(%c: i1) -> i32 {
  %i = arith.constant 0 : index
  %seven = arith.constant 7 : i32
  %m = memref.alloc() : memref<1xi32>
  %none = ub.poison : memref<1xi32>
  %any = ub.poison : i32
  memref.store %seven, %m[%i] : memref<1xi32>
  %buffer = scf.if %c -> memref<1xi32> {
    scf.yield %m : memref<1xi32>
  } else {
    scf.yield %none : memref<1xi32>
  }
  %v = memref.load %buffer[%i] : memref<1xi32>
  %r = arith.select %c, %v, %any : i32
  memref.dealloc %m : memref<1xi32>
  return %r : i32
}

// RUN: noria run %s --check-stages --entry=tensors 0 | FileCheck %s --check-prefix=ONES
// ONES: {{^}}dense<1.000000e+00> : tensor<2xf32>
func.func @tensors(%c: i1) -> tensor<?xf32> {
  %one = arith.constant dense<1.0> : tensor<2xf32>
  %some = tensor.cast %one : tensor<2xf32> to tensor<?xf32>
  %none = ub.poison : tensor<?xf32>
  %r = arith.select %c, %none, %some : tensor<?xf32>
  return %r : tensor<?xf32>
}

// RUN: not noria run %s --interpret --entry=used 2>&1 | FileCheck %s --check-prefix=USED
// USED: uses memory that was freed
func.func @used() -> f32 {
  %i = arith.constant 0 : index
  %m = ub.poison : memref<4xf32>
  %v = memref.load %m[%i] : memref<4xf32>
  return %v : f32
}

// RUN: noria run %s --check-stages --entry=unranked 1 '[5, 6]' | FileCheck %s --check-prefix=RANK
// RUN: noria run %s --check-stages --entry=unranked 0 '[5, 6]' | FileCheck %s --check-prefix=OTHER
// RANK: {{^}}1 : index
// OTHER: {{^}}7 : index
func.func @unranked(%c: i1, %t: tensor<2xi32>) -> index {
  %seven = arith.constant 7 : index
  %some = tensor.cast %t : tensor<2xi32> to tensor<*xi32>
  %none = ub.poison : tensor<*xi32>
  %r = scf.if %c -> tensor<*xi32> {
    scf.yield %some : tensor<*xi32>
  } else {
    scf.yield %none : tensor<*xi32>
  }
  %rank = scf.if %c -> index {
    %k = tensor.rank %r : tensor<*xi32>
    scf.yield %k : index
  } else {
    scf.yield %seven : index
  }
  return %rank : index
}
