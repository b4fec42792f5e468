// Every op of vector: MLIR reads what is printed as the same program.
// RUN: noria opt --syntax=mlir %s | mlir-opt -o %t.ours
// RUN: mlir-opt %s -o %t.theirs
// RUN: diff %t.ours %t.theirs

func.func @f(%acc: vector<4x4xf32>, %acc8: vector<8x8xf32>, %mst: memref<4x8xf32>, %v0: vector<f32>, %m: memref<4x?xf32>, %i: index, %v: f32, %t : tensor<?x4xf32>, %vi: vector<8xi32>, %mask: vector<8xi1>, %v8: vector<8xf32>, %v48: vector<4x8xf32>, %m1: memref<?xf32>, %f64: vector<2xf64>) {
  %b = vector.broadcast %v : f32 to vector<8xf32>
  %b2 = vector.broadcast %v8 : vector<8xf32> to vector<4x8xf32>
  %e = vector.extract %v48[0, 3] : f32 from vector<4x8xf32>
  %e1 = vector.extract %v48[%i] : vector<8xf32> from vector<4x8xf32>
  %e0 = vector.extract %v48[] : vector<4x8xf32> from vector<4x8xf32>
  %in = vector.insert %v8, %v48[2] : vector<8xf32> into vector<4x8xf32>
  %in1 = vector.insert %v, %v48[2, %i] : f32 into vector<4x8xf32>
  %l = vector.load %m[%i, %i] : memref<4x?xf32>, vector<8xf32>
  vector.store %l, %m[%i, %i] {nontemporal = true} : memref<4x?xf32>, vector<8xf32>
  %ml = vector.maskedload %m[%i, %i], %mask, %v8 : memref<4x?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.maskedstore %m[%i, %i], %mask, %v8 : memref<4x?xf32>, vector<8xi1>, vector<8xf32>
  %g = vector.gather %m[%i, %i] [%vi], %mask, %v8 : memref<4x?xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.scatter %m[%i, %i] [%vi], %mask, %v8 : memref<4x?xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32>
  %x = vector.expandload %m[%i, %i], %mask, %v8 : memref<4x?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.compressstore %m[%i, %i], %mask, %v8 : memref<4x?xf32>, vector<8xi1>, vector<8xf32>
  %fma = vector.fma %v8, %v8, %v8 : vector<8xf32>
  %r = vector.reduction <add>, %v8 : vector<8xf32> into f32
  %r1 = vector.reduction <maximumf>, %v8, %v fastmath<reassoc> : vector<8xf32> into f32
  %cm = vector.create_mask %i, %i : vector<4x8xi1>
  %km = vector.constant_mask [3, 8] : vector<4x8xi1>
  %tr = vector.transfer_read %m[%i, %i], %v : memref<4x?xf32>, vector<8xf32>
  %tr2 = vector.transfer_read %m[%i, %i], %v, %cm {in_bounds = [true, false]} : memref<4x?xf32>, vector<4x8xf32>
  %tr3 = vector.transfer_read %m[%i, %i], %v {permutation_map = affine_map<(d0, d1) -> (d1, 0)>} : memref<4x?xf32>, vector<4x8xf32>
  vector.transfer_write %v8, %m[%i, %i] : vector<8xf32>, memref<4x?xf32>
  %tw = vector.transfer_write %v48, %t[%i, %i], %cm {in_bounds = [true, true]} : vector<4x8xf32>, tensor<?x4xf32>
  %sc = vector.shape_cast %v48 : vector<4x8xf32> to vector<32xf32>
  %bc = vector.bitcast %v8 : vector<8xf32> to vector<8xi32>
  %sh = vector.shuffle %v8, %v8 [0, 8, 1, 9] : vector<8xf32>, vector<8xf32>
  %st = vector.step : vector<8xindex>
  %mr = vector.multi_reduction <add>, %v48, %v8 [0] : vector<4x8xf32> to vector<8xf32>
  %tp = vector.transpose %v48, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
  %es = vector.extract_strided_slice %v48 {offsets = [0, 2], sizes = [2, 4], strides = [1, 1]} : vector<4x8xf32> to vector<2x4xf32>
  %is = vector.insert_strided_slice %es, %v48 {offsets = [0, 2], strides = [1, 1]} : vector<2x4xf32> into vector<4x8xf32>
  %int, %int2 = vector.deinterleave %v8 : vector<8xf32> -> vector<4xf32>
  %il = vector.interleave %v8, %v8 : vector<8xf32> -> vector<16xf32>
  %fe:2 = vector.to_elements %f64 : vector<2xf64>
  %tt = vector.from_elements %fe#0, %fe#1 : vector<2xf64>
  %z = vector.extract %v0[] : f32 from vector<f32>
  return
}
