// Every op of linalg: MLIR reads what is printed as the same program.
// RUN: noria opt --syntax=mlir %s | mlir-opt -o %t.ours
// RUN: mlir-opt %s -o %t.theirs
// RUN: diff %t.ours %t.theirs

func.func @ops(%s0: memref<f32>, %ts0: tensor<f32>, %m: memref<4x?xf32>, %t: tensor<?x4xf32>, %v: f32) {
  %z = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"], doc = "hi", library_call = "foo"} ins(%t : tensor<?x4xf32>) outs(%t : tensor<?x4xf32>) attrs = {xx = 1 : i32} {
   ^bb0(%a9: f32, %b9: f32):
     %i9 = linalg.index 0 : index
     linalg.yield %a9 : f32
  } -> tensor<?x4xf32>
  linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%s0 : memref<f32>) {
   ^bb0(%a9: f32):
     linalg.yield %a9 : f32
  }
  %z0 = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%ts0 : tensor<f32>) {
   ^bb0(%a9: f32):
     linalg.yield %a9 : f32
  } -> tensor<f32>
  linalg.fill ins(%v : f32) outs(%m : memref<4x?xf32>)
  %fl = linalg.fill ins(%v : f32) outs(%t : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}
