// RUN: noria opt --cpu=haswell --pass-pipeline=form-dispatch-regions,clone-producers-into-dispatch-regions,convert-dispatch-region-to-workgroups,tile-dispatches,outline-dispatches,canonicalize %s | FileCheck %s

// Equal dispatches share one executable; a workgroup computes a slab of rows.
// CHECK: flow.executable private @twice_dispatch_0_elementwise_512x512_f32 {
// CHECK: flow.executable.export public @twice_dispatch_0_elementwise_512x512_f32 workgroups(%{{.*}}: index) -> (index, index, index)
// CHECK: arith.ceildivui
// CHECK: flow.dispatch.workgroup.id[0]
// CHECK: flow.dispatch.tensor.load {{.*}} sizes = [16, 512]
// CHECK: linalg.generic
// CHECK: flow.dispatch.tensor.store
// CHECK-NOT: flow.executable private
// CHECK-LABEL: func.func @twice(
// CHECK-COUNT-2: flow.dispatch @twice_dispatch_0_elementwise_512x512_f32::@twice_dispatch_0_elementwise_512x512_f32
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @twice(%x: tensor<512x512xf32>, %z: tensor<512x512xf32>) -> (tensor<512x512xf32>, tensor<512x512xf32>) {
  %e = tensor.empty() : tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<512x512xf32>) outs(%e : tensor<512x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<512x512xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%z : tensor<512x512xf32>) outs(%e : tensor<512x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<512x512xf32>
  return %0, %1 : tensor<512x512xf32>, tensor<512x512xf32>
}

// What is small stays in the host program.
// CHECK-LABEL: func.func @small
// CHECK-NOT: flow.dispatch
// CHECK: linalg.generic
func.func @small(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// A constant that is used only inside of an op of the body.
// CHECK: func.func @nested_constant
// CHECK: flow.dispatch @nested_constant_dispatch_
func.func @nested_constant(%t: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %k = arith.constant 2.0 : f32
  %d = tensor.dim %t, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%t : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = scf.if %c -> f32 {
      %q = arith.mulf %a, %k : f32
      scf.yield %q : f32
    } else {
      scf.yield %a : f32
    }
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Many sizes: 13 tensors of 24 dims.
// CHECK: func.func @many_sizes
// CHECK: flow.dispatch @many_sizes_dispatch_
#all = affine_map<(d0,d1,d2,d3,d4,d5,d6,d7,d8,d9,d10,d11,d12,d13,d14,d15,d16,d17,d18,d19,d20,d21,d22,d23) -> (d0,d1,d2,d3,d4,d5,d6,d7,d8,d9,d10,d11,d12,d13,d14,d15,d16,d17,d18,d19,d20,d21,d22,d23)>
!many = tensor<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
func.func @many_sizes(%a0: !many, %a1: !many, %a2: !many, %a3: !many, %a4: !many, %a5: !many, %a6: !many, %a7: !many, %a8: !many, %a9: !many, %a10: !many, %a11: !many, %o: !many) -> !many {
  %r = linalg.generic {indexing_maps = [#all, #all, #all, #all, #all, #all, #all, #all, #all, #all, #all, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10, %a11 : !many, !many, !many, !many, !many, !many, !many, !many, !many, !many, !many, !many) outs(%o : !many) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %x4: f32, %x5: f32, %x6: f32, %x7: f32, %x8: f32, %x9: f32, %x10: f32, %x11: f32, %x12: f32):
    linalg.yield %x11 : f32
  } -> !many
  return %r : !many
}
