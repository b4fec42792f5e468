// RUN: noria opt --pass-pipeline=lower-affine --syntax=mlir %s | FileCheck %s
// RUN: noria opt --pass-pipeline=lower-affine --syntax=mlir %s | mlir-opt

// Quotients and remainders round down, also below 0.
// CHECK-LABEL: func.func @expressions
// CHECK-SAME: (%[[X:.*]]: index, %[[Y:.*]]: index)
func.func @expressions(%x: index, %y: index) -> (index, index, index, index) {
  // CHECK:      %[[THREE:.*]] = arith.constant 3 : index
  // CHECK-NEXT: %[[REM:.*]] = arith.remsi %[[X]], %[[THREE]] : index
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK-NEXT: %[[NEG:.*]] = arith.cmpi slt, %[[REM]], %[[ZERO]] : index
  // CHECK-NEXT: %[[UP:.*]] = arith.addi %[[REM]], %[[THREE]] : index
  // CHECK-NEXT: %[[MOD:.*]] = arith.select %[[NEG]], %[[UP]], %[[REM]] : index
  %mod = affine.apply affine_map<(d0) -> (d0 mod 3)>(%x)
  // CHECK:      %[[M1:.*]] = arith.constant -1 : index
  // CHECK-NEXT: %[[NEG:.*]] = arith.cmpi slt, %[[X]], %{{.*}} : index
  // CHECK-NEXT: %[[MIRROR:.*]] = arith.subi %[[M1]], %[[X]] : index
  // CHECK-NEXT: %[[DIVIDEND:.*]] = arith.select %[[NEG]], %[[MIRROR]], %[[X]] : index
  // CHECK-NEXT: %[[Q:.*]] = arith.divsi %[[DIVIDEND]], %[[Y]] : index
  // CHECK-NEXT: %[[BACK:.*]] = arith.subi %[[M1]], %[[Q]] : index
  // CHECK-NEXT: %[[FLOOR:.*]] = arith.select %[[NEG]], %[[BACK]], %[[Q]] : index
  %floor = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%x)[%y]
  // CHECK:      %[[LOW:.*]] = arith.cmpi sle, %[[X]], %{{.*}} : index
  // CHECK:      %[[DIVIDEND:.*]] = arith.select %[[LOW]], %{{.*}}, %{{.*}} : index
  // CHECK-NEXT: arith.divsi %[[DIVIDEND]]
  // CHECK:      %[[CEIL:.*]] = arith.select %[[LOW]], %{{.*}}, %{{.*}} : index
  %ceil = affine.apply affine_map<(d0) -> (d0 ceildiv 4)>(%x)
  // CHECK:      %[[A:.*]] = arith.minsi %[[X]], %[[Y]] : index
  // CHECK:      %[[B:.*]] = arith.minsi %[[A]], %{{.*}} : index
  %min = affine.min affine_map<(d0)[s0] -> (d0, s0, 7)>(%x)[%y]
  // CHECK: return %[[MOD]], %[[FLOOR]], %[[CEIL]], %[[B]]
  return %mod, %floor, %ceil, %min : index, index, index, index
}

// CHECK-LABEL: func.func @loops
// CHECK-SAME: (%[[M:.*]]: memref<10xf32>, %[[N:.*]]: index, %[[X:.*]]: f32)
func.func @loops(%m: memref<10xf32>, %n: index, %x: f32) -> f32 {
  // CHECK:      %[[LB:.*]] = arith.maxsi %[[N]], %{{.*}} : index
  // CHECK:      %[[UB:.*]] = arith.minsi %{{.*}}, %[[N]] : index
  // CHECK:      %[[STEP:.*]] = arith.constant 4 : index
  // CHECK-NEXT: %[[R:.*]] = scf.for %[[I:.*]] = %[[LB]] to %[[UB]] step %[[STEP]] iter_args(%[[ACC:.*]] = %[[X]]) -> (f32) {
  %r = affine.for %i = max affine_map<(d0) -> (d0, 2)>(%n) to min affine_map<(d0) -> (10, d0)>(%n) step 4
      iter_args(%acc = %x) -> f32 {
    // CHECK:      %[[AT:.*]] = arith.addi %[[I]], %{{.*}} : index
    // CHECK-NEXT: %[[V:.*]] = memref.load %[[M]][%[[AT]]] {nontemporal = true} : memref<10xf32>
    %v = affine.load %m[%i - 1] {nontemporal = true} : memref<10xf32>
    // CHECK:      arith.cmpi sge
    // CHECK:      arith.cmpi eq
    // CHECK:      %[[BOTH:.*]] = arith.andi
    // CHECK-NEXT: %[[NEXT:.*]] = scf.if %[[BOTH]] -> (f32) {
    %next = affine.if affine_set<(d0) : (d0 - 3 >= 0, d0 mod 2 == 0)>(%i) -> f32 {
      // CHECK-NEXT: memref.store %[[V]], %[[M]][%[[I]]] : memref<10xf32>
      affine.store %v, %m[%i] : memref<10xf32>
      // CHECK-NEXT: scf.yield %[[V]] : f32
      affine.yield %v : f32
    } else {
      // CHECK: scf.yield %[[ACC]] : f32
      affine.yield %acc : f32
    }
    // CHECK: scf.yield %[[NEXT]] : f32
    affine.yield %next : f32
  }
  // CHECK: return %[[R]]
  return %r : f32
}

// CHECK-LABEL: func.func @parallel
func.func @parallel(%m: memref<10xf32>, %n: index, %k: i32) -> (f32, i32) {
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
  // The neutral element of IEEE 754's addition is -0.0; mlir-opt starts from 0.0, which turns a sum of -0.0 into 0.0.
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant -0.000000e+00 : f32
  // CHECK: %{{.*}}:2 = scf.parallel (%[[I:.*]], %{{.*}}) = (%{{.*}}, %{{.*}}) to (%{{.*}}, %{{.*}}) step (%{{.*}}, %{{.*}}) init (%[[ZERO]], %[[ONE]]) -> (f32, i32) {
  %r:2 = affine.parallel (%i, %j) = (0, 0) to (10, symbol(%n)) reduce ("addf", "muli") -> (f32, i32) {
    // CHECK-NEXT: %[[V:.*]] = memref.load
    %v = affine.load %m[%i] : memref<10xf32>
    // CHECK-NEXT: scf.reduce(%[[V]], %{{.*}} : f32, i32) {
    // CHECK:        arith.addf
    // CHECK:        arith.muli
    affine.yield %v, %k : f32, i32
  }
  // CHECK-NOT: affine.
  return %r#0, %r#1 : f32, i32
}
