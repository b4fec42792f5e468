// Every op here reads, prints and reads back in both spellings, and MLIR reads what we print as the same program.
// RUN: noria opt --syntax=mlir %s -o %t.ours
// RUN: mlir-opt %t.ours -o %t.back
// RUN: mlir-opt %s -o %t.theirs
// RUN: diff %t.back %t.theirs
// RUN: noria opt --syntax=2020 %s -o %t.old
// RUN: noria opt --syntax=mlir %t.old -o %t.new
// RUN: diff %t.new %t.ours
// RUN: noria opt --syntax=2020 --generic %s -o %t.old
// RUN: noria opt --syntax=mlir %t.old -o %t.new
// RUN: diff %t.new %t.ours

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @linalgs(%a: tensor<4x8xf32>, %b: tensor<4xf32>, %f: f32, %m: memref<4x8xf32>) -> tensor<4xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  linalg.fill ins(%f : f32) outs(%m : memref<4x8xf32>)
  %1 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x8xf32>) outs(%0 : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %i = linalg.index 1 : index
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  linalg.generic {doc = "d", indexing_maps = [#id], iterator_types = ["parallel", "parallel"], library_call = "f"} outs(%m : memref<4x8xf32>) attrs = {tag} {
  ^bb0(%y: f32):
    linalg.yield %f : f32
  }
  return %1 : tensor<4xf32>
}
func.func @vectors(%m: memref<?xf32>, %i: index, %v: vector<8xf32>, %f: f32, %k: vector<8xi1>, %w: vector<4x8xf32>, %ix: vector<8xi32>, %mask2: vector<4x8xi1>) {
  %0 = vector.load %m[%i] : memref<?xf32>, vector<8xf32>
  vector.store %0, %m[%i] : memref<?xf32>, vector<8xf32>
  %1 = vector.maskedload %m[%i], %k, %v : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.maskedstore %m[%i], %k, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  %2 = vector.broadcast %f : f32 to vector<8xf32>
  %3 = vector.extract %w[2] : vector<8xf32> from vector<4x8xf32>
  %4 = vector.extract %v[%i] : f32 from vector<8xf32>
  %5 = vector.insert %v, %w[1] : vector<8xf32> into vector<4x8xf32>
  %6 = vector.insert %f, %v[0] : f32 into vector<8xf32>
  %7 = vector.fma %v, %v, %v : vector<8xf32>
  %8 = vector.reduction <add>, %v : vector<8xf32> into f32
  %9 = vector.reduction <add>, %v, %f fastmath<reassoc> : vector<8xf32> into f32
  %10 = vector.create_mask %i : vector<8xi1>
  %11 = vector.shuffle %v, %v [0, 8, 1, 9] : vector<8xf32>, vector<8xf32>
  %12 = vector.transfer_read %m[%i], %f {in_bounds = [true]} : memref<?xf32>, vector<8xf32>
  vector.transfer_write %12, %m[%i] : vector<8xf32>, memref<?xf32>
  %13 = vector.gather %m[%i] [%ix], %k, %v : memref<?xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.scatter %m[%i] [%ix], %k, %v : memref<?xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32>
  %14 = vector.shape_cast %w : vector<4x8xf32> to vector<32xf32>
  %15 = vector.transpose %w, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
  %16 = vector.bitcast %v : vector<8xf32> to vector<8xi32>
  %17 = vector.step : vector<8xindex>
  %18 = vector.multi_reduction <add>, %w, %v [0] : vector<4x8xf32> to vector<8xf32>
  %19 = vector.constant_mask [4] : vector<8xi1>
  %20 = vector.from_elements %f, %f : vector<2xf32>
  %21 = vector.extract_strided_slice %w {offsets = [0, 2], sizes = [2, 4], strides = [1, 1]} : vector<4x8xf32> to vector<2x4xf32>
  return
}
