// RUN: noria opt --cpu=haswell --pass-pipeline=convert-linalg-to-loops %s | FileCheck %s
// RUN: noria opt --cpu=nehalem --pass-pipeline=convert-linalg-to-loops %s | FileCheck %s --check-prefix=SSE
// RUN: noria opt --cpu=haswell --pass-pipeline=convert-linalg-to-loops %s | noria run - --interpret --entry=known random:8x16 random:16 random:16x8 zeros:16x8 --seed=3 > %t.turned
// RUN: noria run %s --interpret --entry=known random:8x16 random:16 random:16x8 zeros:16x8 --seed=3 | diff - %t.turned
// RUN: noria opt --cpu=haswell --pass-pipeline=convert-linalg-to-loops %s | noria run - --interpret --entry=open random:2x11x8 zeros:2x8x11 --seed=3 > %t.turned
// RUN: noria run %s --interpret --entry=open random:2x11x8 zeros:2x8x11 --seed=3 | diff - %t.turned

// Eight rows of eight elements are loaded across the lines of the output and turned by three rounds of eight shuffles.
// What lies along the lines is loaded as a vector, what is one for a line as a scalar.
// CHECK-LABEL: func.func @known
// CHECK: scf.for %[[J:.*]] = %c0{{.*}} to %c16{{.*}} step %c8
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c8{{.*}} step %c8
// CHECK-COUNT-8: vector.load %arg0{{.*}} vector<8xf32>
// CHECK-NOT: vector.load
// CHECK: vector.shuffle {{.*}} [0, 8, 2, 10, 4, 12, 6, 14]
// CHECK: vector.shuffle {{.*}} [1, 9, 3, 11, 5, 13, 7, 15]
// CHECK-COUNT-22: vector.shuffle
// CHECK-NOT: vector.shuffle
// CHECK: %[[B:.*]] = memref.load %arg1
// CHECK: vector.broadcast %[[B]]
// CHECK: vector.load %arg2
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK: vector.store {{.*}}, %arg3
// SSE-LABEL: func.func @known
// SSE: vector.load %arg0{{.*}} vector<4xf32>
func.func @known(%a: memref<8x16xf32>, %b: memref<16xf32>, %c: memref<16x8xf32>, %o: memref<16x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>, affine_map<(j, i) -> (j, i)>, affine_map<(j, i) -> (j, i)>], iterator_types = ["parallel", "parallel"]} ins(%a, %b, %c : memref<8x16xf32>, memref<16xf32>, memref<16x8xf32>) outs(%o : memref<16x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %old: f32):
    %s = arith.addf %x, %y : f32
    %m = arith.maximumf %s, %z : f32
    linalg.yield %m : f32
  }
  return
}

// The end of lines of unknown length: the last row is loaded in place of those behind it, and stores have a mask.
// CHECK-LABEL: func.func @open
// CHECK: %[[LEFT:.*]] = arith.subi
// CHECK: vector.create_mask %[[LEFT]]
// CHECK: arith.minui
// CHECK: vector.maskedstore
func.func @open(%a: memref<2x?x8xf32>, %o: memref<2x8x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, j, i) -> (n, i, j)>, affine_map<(n, j, i) -> (n, j, i)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a : memref<2x?x8xf32>) outs(%o : memref<2x8x?xf32>) {
  ^bb0(%x: f32, %old: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  }
  return
}

// An index, a division of integers and an input that no vector fits keep the loops over elements.
// CHECK-LABEL: func.func @others
// CHECK-NOT: vector.
// CHECK: return
func.func @others(%a: memref<32x32xi32>, %b: memref<32x64xi32>, %o: memref<32x32xi32>) {
  linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j, i)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<32x32xi32>) outs(%o : memref<32x32xi32>) {
  ^bb0(%x: i32, %old: i32):
    %d = arith.divsi %x, %x : i32
    linalg.yield %d : i32
  }
  linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j, i * 2)>, affine_map<(j, i) -> (j, i)>], iterator_types = ["parallel", "parallel"]} ins(%a, %b : memref<32x32xi32>, memref<32x64xi32>) outs(%o : memref<32x32xi32>) {
  ^bb0(%x: i32, %y: i32, %old: i32):
    %d = arith.addi %x, %y : i32
    linalg.yield %d : i32
  }
  return
}
