// RUN: noria opt --cpu=skylake-avx512 --pass-pipeline=form-dispatch-regions,clone-producers-into-dispatch-regions,convert-dispatch-region-to-workgroups,tile-dispatches,outline-dispatches --dump-dispatch-graph=%t %s -o /dev/null
// RUN: FileCheck %s --match-full-lines < %t
// RUN: not noria opt --pass-pipeline=outline-dispatches --dump-dispatch-graph=%t.none/x %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-FILE
// RUN: not noria opt --pass-pipeline=outline-dispatches --dump-dispatch-graph= %s 2>&1 | FileCheck %s --check-prefix=NO-NAME
// NO-FILE: noria opt: {{.*}}none/x
// NO-NAME: --dump-dispatch-graph needs a file name

// Nodes are dispatches, with their names and workloads; edges are tensors. A slice is an op of the host program, a change
// of shape is none. Functions without dispatches have no graph.
// CHECK: digraph "main" {
// CHECK-NEXT:   n0 [label="main_dispatch_0_matmul_256x512x128_f32\nworkload 256 x 512", shape=box];
// CHECK-NEXT:   n1 [label="argument 0", shape=plaintext];
// CHECK-NEXT:   n1 -> n0 [label="tensor<256x128xf32>"];
// CHECK-NEXT:   n2 [label="argument 1", shape=plaintext];
// CHECK-NEXT:   n2 -> n0 [label="tensor<128x512xf32>"];
// CHECK-NEXT:   n3 [label="main_dispatch_1_elementwise_D_f32\nworkload ?", shape=box];
// CHECK-NEXT:   n0 -> n3 [label="tensor<?xf32>"];
// CHECK-NEXT:   n4 [label="return", shape=plaintext];
// CHECK-NEXT:   n3 -> n4 [label="tensor<?xf32>"];
// CHECK-NEXT: }
// CHECK-NOT: {{.+}}
#mk = affine_map<(d0, d1, d2) -> (d0, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#mn = affine_map<(d0, d1, d2) -> (d0, d1)>
#one = affine_map<(d0) -> (d0)>
func.func @main(%a: tensor<256x128xf32>, %b: tensor<128x512xf32>) -> tensor<?xf32> {
  %zero = arith.constant dense<0.0> : tensor<256x512xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x128xf32>, tensor<128x512xf32>) outs(%zero : tensor<256x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y fastmath<reassoc,contract> : f32
    %s = arith.addf %z, %m fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<256x512xf32>
  %flat = tensor.collapse_shape %p [[0, 1]] : tensor<256x512xf32> into tensor<131072xf32>
  %open = tensor.cast %flat : tensor<131072xf32> to tensor<?xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %open, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %q = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%open : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%x: f32, %w: f32):
    %s = math.exp %x : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %q : tensor<?xf32>
}

func.func @none(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
