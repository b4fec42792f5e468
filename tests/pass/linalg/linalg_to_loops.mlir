// RUN: noria opt --pass-pipeline=convert-linalg-to-loops %s | FileCheck %s
// RUN: noria opt --cpu=skylake-avx512 --pass-pipeline=convert-linalg-to-loops %s | FileCheck %s --check-prefix=WIDE
// RUN: noria opt --cpu=haswell --pass-pipeline=convert-linalg-to-loops %s | FileCheck %s --check-prefix=NARROW

// Parallel loops are outermost; the reduction loop is innermost and carries its sum in a register.
// CHECK-LABEL: func.func @row_sums
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[INIT:.*]] = memref.load %arg1[%[[I]]]
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = {{.*}} iter_args(%[[ACC:.*]] = %[[INIT]]) -> (f32)
// CHECK: %[[A:.*]] = memref.load %arg0[%[[I]], %[[K]]]
// CHECK: arith.addf %[[ACC]], %[[A]]
// CHECK: memref.store %[[SUM]], %arg1[%[[I]]]
func.func @row_sums(%a: memref<4x8xf32>, %o: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a : memref<4x8xf32>) outs(%o : memref<4xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.addf %acc, %x : f32
    linalg.yield %s : f32
  }
  return
}

// A transpose goes in tiles, each of them written line by line.
// CHECK-LABEL: func.func @transpose
// CHECK: scf.for %[[CB:.*]] = %c0{{.*}} step %c16
// CHECK: scf.for %[[LB:.*]] = %c0{{.*}} step %c16
// CHECK: %[[CE:.*]] = arith.minsi
// CHECK: scf.for %[[C:.*]] = %[[CB]] to %[[CE]]
// CHECK: %[[LE:.*]] = arith.minsi
// CHECK: scf.for %[[L:.*]] = %[[LB]] to %[[LE]]
// CHECK: %[[X:.*]] = memref.load %arg0[%[[L]], %[[C]]]
// CHECK: memref.store %[[X]], %arg1[%[[C]], %[[L]]]
func.func @transpose(%a: memref<?x70xf32>, %o: memref<70x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<?x70xf32>) outs(%o : memref<70x?xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// A slab of 11 rows is walked in tiles of 16 x 11. LLVM must not make scatters of vectors of them.
// CHECK-LABEL: func.func @transpose_slab
// CHECK: scf.for %[[LB:.*]] = %c0{{.*}} step %c16
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.store
// CHECK: } {noria.loop = {vectorize = false}}
// CHECK: } {noria.loop = {vectorize = false}}
func.func @transpose_slab(%a: memref<70x11xf32>, %o: memref<11x70xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<70x11xf32>) outs(%o : memref<11x70xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// Small ones do not.
// CHECK-LABEL: func.func @small_transpose
// CHECK-NOT: arith.minsi
// CHECK: return
func.func @small_transpose(%a: memref<8x70xf32>, %o: memref<70x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<8x70xf32>) outs(%o : memref<70x8xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// The rest of a number below 0 is not negative, and a quotient of one is rounded down; of what cannot be below 0 they are
// one op.
// RUN: noria opt --convert-linalg-to-loops %s | noria run - --interpret --entry=turned '[1, 2, 3, 4, 5]' zeros:5 | FileCheck --check-prefix=TURNED %s
// TURNED: dense<[1, 5, 4, 3, 2]> : tensor<5xi32>
// CHECK-LABEL: func.func @turned
// CHECK: %[[REST:.*]] = arith.remsi
// CHECK: %[[BELOW:.*]] = arith.cmpi slt, %[[REST]]
// CHECK: %[[MORE:.*]] = arith.addi %[[REST]]
// CHECK: arith.select %[[BELOW]], %[[MORE]], %[[REST]]
func.func @turned(%a: memref<5xi32>, %o: memref<5xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> ((-d0) mod 5)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : memref<5xi32>) outs(%o : memref<5xi32>) {
  ^bb0(%x: i32, %old: i32):
    linalg.yield %x : i32
  }
  return
}

// CHECK-LABEL: func.func @halves
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: %[[HALF:.*]] = arith.divui %[[I]], %c2
// CHECK-NEXT: memref.load %arg0[%[[HALF]]]
func.func @halves(%a: memref<5xi32>, %o: memref<10xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 floordiv 2)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : memref<5xi32>) outs(%o : memref<10xi32>) {
  ^bb0(%x: i32, %old: i32):
    linalg.yield %x : i32
  }
  return
}

// Several vectors at once take the long chain of ops that a function is; not so few that all are in sight anyway, and no
// count that would leave many elements to the scalar loop behind the vectors.
// CHECK-LABEL: func.func @function
// WIDE-LABEL: func.func @function
// WIDE: } {noria.loop = {interleave = 4 : i64}}
// NARROW-LABEL: func.func @function
// NARROW: } {noria.loop = {interleave = 2 : i64}}
func.func @function(%x: memref<1024xf32>, %o: memref<1024xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<1024xf32>) outs(%o : memref<1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.tanh %a : f32
    linalg.yield %y : f32
  }
  return
}

// WIDE-LABEL: func.func @even
// WIDE: } {noria.loop = {interleave = 2 : i64}}
func.func @even(%x: memref<160xf32>, %o: memref<160xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<160xf32>) outs(%o : memref<160xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.tanh %a : f32
    linalg.yield %y : f32
  }
  return
}

// WIDE-LABEL: func.func @few
// WIDE-NOT: noria.loop
func.func @few(%x: memref<64xf32>, %o: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%o : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.tanh %a : f32
    linalg.yield %y : f32
  }
  return
}

// WIDE-LABEL: func.func @unknown
// WIDE-NOT: noria.loop
func.func @unknown(%x: memref<?xf32>, %o: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%o : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = math.tanh %a : f32
    linalg.yield %y : f32
  }
  return
}

// A long chain waits for its results however few elements there are.
// WIDE-LABEL: func.func @chain
// WIDE: } {noria.loop = {interleave = 4 : i64}}
func.func @chain(%x: memref<?xf32>, %o: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%o : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = math.tanh %a : f32
    %y = math.tanh %t : f32
    linalg.yield %y : f32
  }
  return
}

// WIDE-LABEL: func.func @short
// WIDE-NOT: noria.loop
func.func @short(%x: memref<1024xf32>, %o: memref<1024xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<1024xf32>) outs(%o : memref<1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = arith.addf %a, %a : f32
    linalg.yield %y : f32
  }
  return
}

// Rows of 14 elements lie side by side in both, with the same factor for all of a channel: one loop runs over them. A
// body that asks for an index keeps its loops.
// CHECK-LABEL: func.func @rows_side_by_side
// CHECK: memref.collapse_shape {{.*}} : memref<8x14x14xf32> into memref<8x196xf32>
// CHECK: memref.load %{{.*}} : memref<8x196xf32>
// CHECK: memref.store %{{.*}} : memref<8x196xf32>
// CHECK-LABEL: func.func @rows_with_index
// CHECK-NOT: memref.collapse_shape
// CHECK: memref.store %{{.*}} : memref<8x14x14xindex>
func.func @rows_side_by_side(%x: memref<8x14x14xf32>, %b: memref<8xf32>, %o: memref<8x14x14xf32>) {
  linalg.generic {indexing_maps = [affine_map<(c, h, w) -> (c, h, w)>, affine_map<(c, h, w) -> (c)>, affine_map<(c, h, w) -> (c, h, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %b : memref<8x14x14xf32>, memref<8xf32>) outs(%o : memref<8x14x14xf32>) {
  ^bb0(%a: f32, %f: f32, %old: f32):
    %y = arith.mulf %a, %f : f32
    linalg.yield %y : f32
  }
  return
}
func.func @rows_with_index(%o: memref<8x14x14xindex>) {
  linalg.generic {indexing_maps = [affine_map<(c, h, w) -> (c, h, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%o : memref<8x14x14xindex>) {
  ^bb0(%old: index):
    %y = linalg.index 2 : index
    linalg.yield %y : index
  }
  return
}

// A buffer without gaps is filled by one loop, one with gaps by a loop for each dim.
// CHECK-LABEL: func.func @fills
// CHECK: memref.collapse_shape %{{.*}} {{\[}}[0, 1, 2]] : memref<1x9x9xf32, strided<[810, 9, 1], offset: 5>>
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c81
// CHECK-NEXT: memref.store %{{.*}}[%[[I]]]
// CHECK: scf.for %{{.*}} to %c9
// CHECK: scf.for %{{.*}} to %c8
func.func @fills(%x: memref<1x9x9xf32, strided<[810, 9, 1], offset: 5>>, %y: memref<9x8xf32, strided<[9, 1]>>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%x : memref<1x9x9xf32, strided<[810, 9, 1], offset: 5>>)
  linalg.fill ins(%z : f32) outs(%y : memref<9x8xf32, strided<[9, 1]>>)
  return
}
