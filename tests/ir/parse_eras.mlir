// The spellings of 2019 to 2021, mixed: std ops without and with their prefix, bare affine maps, memref layouts, elided
// terminators, types behind reductions, generic names of 2020. All become today's text.
// RUN: noria opt --syntax=mlir %s | FileCheck %s
// RUN: noria opt %s | FileCheck %s --check-prefix=OLD

// CHECK: #[[$T:.*]] = affine_map<(d0, d1) -> (d1, d0)>
!view = type memref<?x?xf32, offset: ?, strides: [?, 1]>

// CHECK: func.func private @decl(i32, f64) -> i64
// OLD: func @decl(i32, f64) -> i64
func @decl(i32, f64) -> i64

// CHECK-LABEL: func.func @bounds
// OLD-LABEL: func @bounds
func @bounds(%arg0 : index, %arg1 : index, %arg2 : index) {
  // CHECK: scf.for %[[I:.*]] = %arg0 to %arg1 step %arg2 {
  // OLD: loop.for %{{.*}} = %arg0 to %arg1 step %arg2 {
  loop.for %i0 = %arg0 to %arg1 step %arg2 {
    // CHECK: %[[LESS:.*]] = arith.cmpi slt, %[[I]], %arg1 : index
    // CHECK: %[[MIN:.*]] = arith.select %[[LESS]], %[[I]], %arg1 : index
    // OLD: cmpi "slt", %{{.*}}, %arg1 : index
    %less = cmpi "slt", %i0, %arg1 : index
    %min = select %less, %i0, %arg1 : index
    // CHECK: scf.for %{{.*}} = %[[MIN]] to %arg1 step %arg2 {
    // CHECK-NEXT: }
    loop.for %i1 = %min to %arg1 step %arg2 {
    }
  }
  return
}

// CHECK-LABEL: func.func @shapes
// CHECK-SAME: memref<2x4xi8, #[[$T]], 1>, %{{.*}}: memref<?x?xf32, strided<[?, 1], offset: ?>>, %{{.*}}: memref<4x4xf32>
func @shapes(%m: memref<2x4xi8, (d0, d1) -> (d1, d0), 1>, %v: !view, %i: memref<4x4xf32, (d0, d1) -> (d0, d1)>) {
  // CHECK: %[[ONE:.*]] = arith.constant 1 : index
  // CHECK: memref.dim %{{.*}}, %[[ONE]] : memref<2x4xi8
  %size = dim %m, 1 : memref<2x4xi8, (d0, d1) -> (d1, d0), 1>
  // CHECK: arith.constant 0 : index
  // CHECK: arith.constant 3 : i32
  %c0 = std.constant 0 : index
  %c3 = "std.constant"() {value = 3 : i32} : () -> i32
  // CHECK: memref.dim %{{.*}}, %{{.*}} : memref<?x?xf32
  %n = "dim"(%v, %c0) : (memref<?x?xf32, offset: ?, strides: [?, 1]>, index) -> index
  return
}

// CHECK-LABEL: func.func @calls
func @calls(%a: i32, %b: f64) -> i64 {
  // CHECK: %[[F:.*]] = {{(func\.)?}}constant @decl : (i32, f64) -> i64
  %f = constant @decl : (i32, f64) -> i64
  // CHECK: call @decl(%arg0, %arg1) : (i32, f64) -> i64
  %0 = call @decl(%a, %b) : (i32, f64) -> i64
  // CHECK: call_indirect %[[F]](%arg0, %arg1) : (i32, f64) -> i64
  %1 = call_indirect %f(%a, %b) : (i32, f64) -> i64
  // CHECK: cf.cond_br
  // OLD: cond_br
  %t = constant true
  cond_br %t, ^one(%0 : i64), ^two
^one(%x: i64):
  return %x : i64
^two:
  br ^one(%1 : i64)
}

// CHECK-LABEL: func.func @if_without_values
func @if_without_values(%c: i1) {
  // CHECK: scf.if %arg0 {
  // CHECK-NEXT: }
  "loop.if"(%c) ({ "loop.terminator"() : () -> () }, {}) : (i1) -> ()
  return
}

// CHECK-NOT: module_terminator
"module_terminator"() : () -> ()
