// RUN: noria opt --cpu=skylake-avx512 --pass-pipeline=form-dispatch-regions,clone-producers-into-dispatch-regions,canonicalize %s | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#cube = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// Columns of a tensor are no argument: a workgroup takes its part of them out of the tensor.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: tensor.extract_slice
// CHECK: flow.dispatch.region
// CHECK: tensor.extract_slice %arg0[0, 512] [2048, 512] [1, 1]
func.func @columns(%x: tensor<2048x1024xf32>) -> tensor<2048x512xf32> {
  %s = tensor.extract_slice %x[0, 512] [2048, 512] [1, 1] : tensor<2048x1024xf32> to tensor<2048x512xf32>
  %e = tensor.empty() : tensor<2048x512xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<2048x512xf32>) outs(%e : tensor<2048x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<2048x512xf32>
  return %p : tensor<2048x512xf32>
}

// Rows lie side by side: they are an argument as they are.
// CHECK-LABEL: func.func @rows
// CHECK: tensor.extract_slice %arg0[1024, 0] [1024, 1024] [1, 1]
// CHECK: flow.dispatch.region
func.func @rows(%x: tensor<2048x1024xf32>) -> tensor<1024x1024xf32> {
  %s = tensor.extract_slice %x[1024, 0] [1024, 1024] [1, 1] : tensor<2048x1024xf32> to tensor<1024x1024xf32>
  %e = tensor.empty() : tensor<1024x1024xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<1024x1024xf32>) outs(%e : tensor<1024x1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<1024x1024xf32>
  return %p : tensor<1024x1024xf32>
}

// Columns that are taken apart: the whole tensor is taken apart, and the workgroup takes some heads of it.
// CHECK-LABEL: func.func @heads
// CHECK: %[[W:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [%{{.*}}, 36, 64] : tensor<?x2304xf32> into tensor<?x36x64xf32>
// CHECK: flow.dispatch.region
// CHECK: tensor.extract_slice %[[W]][0, 12, 0] [%{{.*}}, 12, 64] [1, 1, 1]
// CHECK-NOT: tensor.expand_shape
// CHECK-LABEL: func.func @across
func.func @heads(%x: tensor<?x2304xf32>, %n: index, %start: tensor<?x12x64xf32>) -> tensor<?x12x64xf32> {
  %s = tensor.extract_slice %x[0, 768] [%n, 768] [1, 1] : tensor<?x2304xf32> to tensor<?x768xf32>
  %h = tensor.expand_shape %s [[0], [1, 2]] output_shape [%n, 12, 64] : tensor<?x768xf32> into tensor<?x12x64xf32>
  %p = linalg.generic {indexing_maps = [#cube, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%h : tensor<?x12x64xf32>) outs(%start : tensor<?x12x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<?x12x64xf32>
  return %p : tensor<?x12x64xf32>
}

// They begin in the middle of a head: the columns are taken apart as they are.
// CHECK: tensor.extract_slice %arg0[0, 32]
// CHECK: tensor.expand_shape
// CHECK: flow.dispatch.region
func.func @across(%x: tensor<2048x256xf32>) -> tensor<2048x2x64xf32> {
  %e = tensor.empty() : tensor<2048x2x64xf32>
  %s = tensor.extract_slice %x[0, 32] [2048, 128] [1, 1] : tensor<2048x256xf32> to tensor<2048x128xf32>
  %h = tensor.expand_shape %s [[0], [1, 2]] output_shape [2048, 2, 64] : tensor<2048x128xf32> into tensor<2048x2x64xf32>
  %p = linalg.generic {indexing_maps = [#cube, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%h : tensor<2048x2x64xf32>) outs(%e : tensor<2048x2x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<2048x2x64xf32>
  return %p : tensor<2048x2x64xf32>
}
