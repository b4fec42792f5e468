// RUN: noria opt --cpu=x86-64-v3 --vectorize-parallel-loops %s | FileCheck %s
// RUN: noria opt --cpu=x86-64-v3 --vectorize-parallel-loops --explain-vectorize %s 2>&1 >%t | FileCheck %s --check-prefix=WHY

// The code of sin has a branch for large angles, which LLVM's vectorizer does not take.
// CHECK-LABEL: func.func @sin
// CHECK: scf.for %{{.*}} = %c0{{[_0-9]*}} to %{{.*}} step %c8
// CHECK: vector.load %{{.*}} : memref<?xf32>, vector<8xf32>
// CHECK: math.sin %{{.*}} : vector<8xf32>
// CHECK: vector.store
// CHECK: vector.maskedload
// WHY: [[#@LINE+4]]:3: remark: vectorized: 8 iterations take {{.*}} in 8 lanes
func.func @sin(%x: memref<?xf32> {noria.readonly}, %y: memref<?xf32> {noria.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<?xf32>
    %b = math.sin %a : f32
    memref.store %b, %y[%i] : memref<?xf32>
  }
  return
}

// In a branch of each iteration, on f16.
// CHECK-LABEL: func.func @branch
// CHECK: math.tan %{{.*}} : vector<
func.func @branch(%x: memref<64xf16>, %y: memref<64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f16
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    %a = memref.load %x[%i] : memref<64xf16>
    %low = arith.cmpf olt, %a, %zero : f16
    %b = scf.if %low -> f16 {
      %t = math.tan %a : f16
      scf.yield %t : f16
    } else {
      scf.yield %a : f16
    }
    memref.store %b, %y[%i] : memref<64xf16>
    scf.reduce
  }
  return
}

// f64 calls the C library, and exp has no branch.
// CHECK-LABEL: func.func @others
// CHECK-NOT: vector
func.func @others(%x: memref<64xf64>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    %a = memref.load %x[%i] : memref<64xf64>
    %b = math.sin %a : f64
    memref.store %b, %x[%i] : memref<64xf64>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    %a = memref.load %y[%i] : memref<64xf32>
    %b = math.exp %a : f32
    memref.store %b, %y[%i] : memref<64xf32>
    scf.reduce
  }
  return
}
