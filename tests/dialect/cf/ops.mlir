// RUN: noria opt %s | FileCheck %s
// RUN: noria opt --syntax=mlir %s | mlir-opt

// CHECK-LABEL: func.func @branches
func.func @branches(%c: i1, %a: i32, %b: f32) -> i32 {
  // CHECK: cf.assert %{{.*}}, "c must hold"
  cf.assert %c, "c must hold"
  // CHECK: cf.br ^bb1(%{{.*}}, %{{.*}} : i32, f32)
  cf.br ^bb1(%a, %b : i32, f32)
// CHECK: ^bb1(%[[X:.*]]: i32, %{{.*}}: f32):
^bb1(%x: i32, %y: f32):
  // CHECK: cf.cond_br %{{.*}}, ^bb2, ^bb3(%[[X]] : i32)
  cf.cond_br %c, ^bb2, ^bb3(%x : i32)
^bb2:
  // CHECK: cf.cond_br %{{.*}} weights([90, 10]), ^bb1(%{{.*}}, %{{.*}} : i32, f32), ^bb3(%{{.*}} : i32)
  cf.cond_br %c weights([90, 10]), ^bb1(%x, %y : i32, f32), ^bb3(%a : i32)
^bb3(%z: i32):
  return %z : i32
}

// CHECK-LABEL: func.func @switch
func.func @switch(%flag: i32, %a: f32) -> f32 {
  // CHECK: cf.switch %{{.*}} : i32, [
  // CHECK: default: ^bb1(%{{.*}} : f32),
  // CHECK: 42: ^bb1(%{{.*}} : f32),
  // CHECK: -7: ^bb2
  cf.switch %flag : i32, [
    default: ^bb1(%a : f32),
    42: ^bb1(%a : f32),
    -7: ^bb2
  ]
^bb1(%x: f32):
  return %x : f32
^bb2:
  // CHECK: cf.switch %{{.*}} : i32, [
  // CHECK: default: ^bb1
  cf.switch %flag : i32, [default: ^bb1(%a : f32)]
}
