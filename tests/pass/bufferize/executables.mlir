// RUN: noria opt --pass-pipeline=bufferize %s | FileCheck %s
// RUN: noria opt --pass-pipeline=bufferize,bufferize %s | FileCheck %s
// RUN: noria run --entry=main --interpret %s > %t.expected
// RUN: noria run --entry=main %s | diff - %t.expected
// RUN: noria run --entry=main --check-stages %s | diff - %t.expected
// RUN: noria opt --pipeline %s > %t.low.mlir
// RUN: noria run --entry=main %t.low.mlir | diff - %t.expected
// RUN: noria run --entry=main --interpret %t.low.mlir | FileCheck %s --check-prefix=VALUES

// Executables keep modules of their own: their functions and constants may have the same names.
// CHECK-LABEL: flow.executable private @add {
// CHECK: memref.global "private" constant @__constant_0 : memref<20xf32> = dense<{{.*}}1.000000e+00, 2.000000e+00
// CHECK: func.func @f(%{{.*}}: memref<20xf32> {noria.readonly}, %{{.*}}: memref<20xf32> {noria.noalias}, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index) attributes {noria.dispatch}
// CHECK: memref.get_global @__constant_0
// CHECK-LABEL: flow.executable private @mul {
// CHECK: memref.global "private" constant @__constant_0 : memref<20xf32> = dense<{{.*}}1.000000e+00, 2.000000e+00
// CHECK: func.func @f(
// CHECK: memref.get_global @__constant_0
// CHECK-LABEL: func.func @main(
// CHECK: rt.dispatch @add::@first[
// CHECK: rt.dispatch @mul::@f[
// VALUES: dense<[4.000000e+00, 1.000000e+01, 1.800000e+01,
!in = !flow.dispatch.tensor<readonly:tensor<20xf32>>
!out = !flow.dispatch.tensor<writeonly:tensor<20xf32>>
#map = affine_map<(d0) -> (d0)>
flow.executable private @add {
  flow.executable.export public @f as("first")
  builtin.module {
    func.func @f(%a: !in, %r: !out) {
      %c = arith.constant dense<[1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12., 13., 14., 15., 16., 17., 18., 19., 20.]> : tensor<20xf32>
      %t = flow.dispatch.tensor.load %a, offsets = [0], sizes = [20], strides = [1] : !in -> tensor<20xf32>
      %e = tensor.empty() : tensor<20xf32>
      %s = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%t, %c : tensor<20xf32>, tensor<20xf32>) outs(%e : tensor<20xf32>) {
      ^bb0(%i: f32, %j: f32, %o: f32):
        %y = arith.addf %i, %j : f32
        linalg.yield %y : f32
      } -> tensor<20xf32>
      flow.dispatch.tensor.store %s, %r, offsets = [0], sizes = [20], strides = [1] : tensor<20xf32> -> !out
      return
    }
  }
}
flow.executable private @mul {
  flow.executable.export public @f
  builtin.module {
    func.func @f(%a: !in, %r: !out) {
      %c = arith.constant dense<[1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12., 13., 14., 15., 16., 17., 18., 19., 20.]> : tensor<20xf32>
      %t = flow.dispatch.tensor.load %a, offsets = [0], sizes = [20], strides = [1] : !in -> tensor<20xf32>
      %e = tensor.empty() : tensor<20xf32>
      %s = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%t, %c : tensor<20xf32>, tensor<20xf32>) outs(%e : tensor<20xf32>) {
      ^bb0(%i: f32, %j: f32, %o: f32):
        %y = arith.mulf %i, %j : f32
        linalg.yield %y : f32
      } -> tensor<20xf32>
      flow.dispatch.tensor.store %s, %r, offsets = [0], sizes = [20], strides = [1] : tensor<20xf32> -> !out
      return
    }
  }
}
func.func @main() -> tensor<20xf32> {
  %x = arith.constant dense<3.> : tensor<20xf32>
  %r = flow.dispatch @add::@first(%x) : (tensor<20xf32>) -> tensor<20xf32>
  %s = flow.dispatch @mul::@f(%r) : (tensor<20xf32>) -> tensor<20xf32>
  return %s : tensor<20xf32>
}
