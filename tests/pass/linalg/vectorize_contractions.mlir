// RUN: noria opt --pass-pipeline=vectorize-contractions %s | FileCheck %s

// Lanes over the columns: whole vectors of the output stay in registers over the reduction.
// CHECK-LABEL: func.func @matmul
// CHECK-NOT: linalg.generic
// CHECK: vector.load
// CHECK: scf.for {{.*}} iter_args
// CHECK: vector.broadcast
// CHECK: arith.mulf {{.*}} : vector<
// CHECK: vector.store
func.func @matmul(%a: memref<8x32xf32>, %b: memref<32x64xf32>, %c: memref<8x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<8x32xf32>, memref<32x64xf32>) outs(%c : memref<8x64xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// Lanes over the sum, which must be allowed to change its order.
// CHECK-LABEL: func.func @dot
// CHECK: vector.extract_strided_slice
// CHECK-LABEL: func.func @exact_dot
// CHECK: linalg.generic
func.func @dot(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%c : memref<f32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y fastmath<contract> : f32
    %s = arith.addf %acc, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  }
  return
}
func.func @exact_dot(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%c : memref<f32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// A named op is taken by its maps and body as linalg.generic is.
// CHECK-LABEL: func.func @named
// CHECK-NOT: linalg.matmul
// CHECK: vector.load
// CHECK: arith.mulf {{.*}} : vector<
// CHECK: vector.store
func.func @named(%a: memref<8x32xf32>, %b: memref<32x64xf32>, %c: memref<8x64xf32>) {
  linalg.matmul ins(%a, %b : memref<8x32xf32>, memref<32x64xf32>) outs(%c : memref<8x64xf32>)
  return
}

// Bytes that lie by four are multiplied by rt.dot: of a row and sixteen columns at once. Factors of equal sign have one
// flipped; the correction is a sum of its own.
// CHECK-LABEL: func.func @bytes
// CHECK: memref.collapse_shape
// CHECK: vector.load {{.*}} vector<4xi8>
// CHECK-NOT: arith.xori
// CHECK: rt.dot
// CHECK-LABEL: func.func @signed_bytes
// CHECK: arith.xori
// CHECK: rt.dot
// CHECK: arith.subi {{.*}} : vector<
func.func @bytes(%a: memref<8x6x4xi8>, %b: memref<6x64x4xi8>, %c: memref<8x64xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k, z) -> (m, k, z)>, affine_map<(m, n, k, z) -> (k, n, z)>, affine_map<(m, n, k, z) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : memref<8x6x4xi8>, memref<6x64x4xi8>) outs(%c : memref<8x64xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %u = arith.extui %x : i8 to i32
    %s = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %s : i32
    %r = arith.addi %acc, %p : i32
    linalg.yield %r : i32
  }
  return
}
func.func @signed_bytes(%a: memref<8x6x4xi8>, %b: memref<6x64x4xi8>, %c: memref<8x64xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k, z) -> (m, k, z)>, affine_map<(m, n, k, z) -> (k, n, z)>, affine_map<(m, n, k, z) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : memref<8x6x4xi8>, memref<6x64x4xi8>) outs(%c : memref<8x64xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %u = arith.extsi %x : i8 to i32
    %s = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %s : i32
    %r = arith.addi %acc, %p : i32
    linalg.yield %r : i32
  }
  return
}

// Columns that may be few: half a vector of them, or fewer, are copied to lie along the sum, and lanes go along that.
// CHECK-LABEL: func.func @few_columns
// CHECK: %[[T:.*]] = memref.alloca() : memref<[[COLUMNS:[248]]]x256xf32>
// CHECK: %[[FEW:.*]] = arith.cmpi ule, %{{.*}}, %c[[COLUMNS]]{{.*}} : index
// CHECK: scf.if %[[FEW]] {
// CHECK: memref.subview %[[T]]
// CHECK: vector.extract_strided_slice
// CHECK: } else {
// CHECK: vector.broadcast
// CHECK-LABEL: func.func @columns
// CHECK-NOT: alloca
func.func @few_columns(%a: memref<1x?x?xf32>, %b: memref<?x?x?xf32>, %c: memref<?x?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(g, m, n, k) -> (0, m, k)>, affine_map<(g, m, n, k) -> (g, k, n)>, affine_map<(g, m, n, k) -> (g, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : memref<1x?x?xf32>, memref<?x?x?xf32>) outs(%c : memref<?x?x?xf32>) attrs = {noria.may_be_short} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y fastmath<contract> : f32
    %s = arith.addf %acc, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  }
  return
}
func.func @columns(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y fastmath<contract> : f32
    %s = arith.addf %acc, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  }
  return
}

// Rows of 14 elements lie side by side in both, so that lanes go across their ends: 196 elements are twelve vectors of 16
// and a quarter. 128 rows of %c read what is copied to the panel.
// CHECK-LABEL: func.func @short_rows
// CHECK: memref.alloca() {{.*}} : memref<9216xf32>
// CHECK: memref.collapse_shape {{.*}} : memref<300x14x14xf32> into memref<300x196xf32>
// CHECK: memref.collapse_shape {{.*}} : memref<128x14x14xf32> into memref<128x196xf32>
// CHECK-NOT: linalg.generic
// CHECK: vector.store {{.*}} : memref<9216xf32>
// CHECK: vector.load {{.*}} : memref<9216xf32>
func.func @short_rows(%a: memref<128x300xf32>, %b: memref<300x14x14xf32>, %c: memref<128x14x14xf32>) {
  linalg.generic {indexing_maps = [affine_map<(o, y, x, q) -> (o, q)>, affine_map<(o, y, x, q) -> (q, y, x)>, affine_map<(o, y, x, q) -> (o, y, x)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : memref<128x300xf32>, memref<300x14x14xf32>) outs(%c : memref<128x14x14xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// The same with rows of unknown length: a part of the sum at a time, its tiles of three vectors at most along both rows,
// from which the last vector has a mask, and no tile of one vector where there are more.
// CHECK-LABEL: func.func @rows_of_unknown_length
// CHECK: memref.collapse_shape {{.*}} : memref<300x?x?xf32> into memref<300x?xf32>
// CHECK: %[[LENGTH:.*]] = memref.dim
// CHECK: scf.for %[[PART:.*]] = %c0{{.*}} to %c300
// CHECK: %[[VECTORS:.*]] = arith.ceildivui %[[LENGTH]]
// CHECK: arith.remui %[[VECTORS]]
// CHECK: scf.for %[[TILE:.*]] = %c0
// CHECK: scf.for %[[ROW:.*]] = %c0
// CHECK: arith.addi %[[PART]], %[[ROW]]
// CHECK: vector.maskedload %{{.*}} : memref<300x?xf32>
// CHECK: vector.store {{.*}} : memref<9216xf32>
// CHECK: vector.load {{.*}} : memref<9216xf32>
// CHECK-NOT: vector.maskedload %{{.*}} : memref<9216xf32>
// CHECK-NOT: linalg.generic
func.func @rows_of_unknown_length(%a: memref<128x300xf32>, %b: memref<300x?x?xf32>, %c: memref<128x?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(o, y, x, q) -> (o, q)>, affine_map<(o, y, x, q) -> (q, y, x)>, affine_map<(o, y, x, q) -> (o, y, x)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : memref<128x300xf32>, memref<300x?x?xf32>) outs(%c : memref<128x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// Halves are loaded as vectors and extended to the type of the sum.
// CHECK-LABEL: func.func @halves
// CHECK-NOT: linalg.generic
// CHECK: vector.load {{.*}} : memref<32x64xf16>, vector<[[LANES:[0-9]+]]xf16>
// CHECK: arith.extf {{.*}} : vector<[[LANES]]xf16> to vector<[[LANES]]xf32>
// CHECK: vector.store {{.*}} : memref<8x64xf32>, vector<[[LANES]]xf32>
func.func @halves(%a: memref<8x32xbf16>, %b: memref<32x64xf16>, %c: memref<8x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<8x32xbf16>, memref<32x64xf16>) outs(%c : memref<8x64xf32>) {
  ^bb0(%x: bf16, %y: f16, %acc: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : f16 to f32
    %p = arith.mulf %u, %v : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// Rows that have one order in the factor and another one in the result: tiles along the dim that is longer in the run.
// CHECK-LABEL: func.func @rows_in_two_orders
// CHECK: %[[I:.*]] = memref.dim %arg0, %c1
// CHECK: %[[J:.*]] = memref.dim %arg0, %c0
// CHECK: %[[LONGER:.*]] = arith.cmpi ult, %[[J]], %[[I]] : index
// CHECK: scf.if %[[LONGER]] {
// CHECK: %[[OUTER:.*]] = memref.dim %arg0, %c0
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[OUTER]] step %c1
// CHECK: } else {
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[I]] step %c1
// CHECK-NOT: linalg.generic
func.func @rows_in_two_orders(%a: memref<?x?x64xf32>, %b: memref<64x96xf32>, %c: memref<?x?x96xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, n, k) -> (j, i, k)>, affine_map<(i, j, n, k) -> (k, n)>, affine_map<(i, j, n, k) -> (i, j, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : memref<?x?x64xf32>, memref<64x96xf32>) outs(%c : memref<?x?x96xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// Two rows of known number are not what a tile is along where there are ten others.
// CHECK-LABEL: func.func @few_rows_inside
// CHECK-NOT: scf.if
// CHECK-NOT: linalg.generic
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c2{{.*}} step %c1
func.func @few_rows_inside(%a: memref<2x10x64xf32>, %b: memref<64x96xf32>, %c: memref<10x2x96xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, n, k) -> (j, i, k)>, affine_map<(i, j, n, k) -> (k, n)>, affine_map<(i, j, n, k) -> (i, j, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : memref<2x10x64xf32>, memref<64x96xf32>) outs(%c : memref<10x2x96xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// Rows that are no multiple of a tile of eight: twenty are six and two times seven, so that no row is by itself.
// RUN: noria opt --cpu=skylake-avx512 --pass-pipeline=vectorize-contractions %s | FileCheck %s --check-prefix=ROWS
// ROWS-LABEL: func.func @twenty_rows
// ROWS: scf.for %{{.*}} = %c0{{.*}} to %c14{{.*}} step %c7
// ROWS: scf.for %{{.*}} = %c14{{.*}} to %c20{{.*}} step %c6
// ROWS-NOT: step %c8
func.func @twenty_rows(%a: memref<20x32xf32>, %b: memref<32x32xf32>, %c: memref<20x32xf32>) {
  linalg.matmul ins(%a, %b : memref<20x32xf32>, memref<32x32xf32>) outs(%c : memref<20x32xf32>)
  return
}

// The same of a number of rows that the run knows: code for each size of a tile from half of the largest on, and for a
// single row. The sum under windows reads them where they lie, and takes an element once for a block of columns.
// ROWS-LABEL: func.func @windows
// ROWS: %[[W:.*]] = memref.dim %arg2
// ROWS: %[[TILES:.*]] = arith.ceildivui %[[W]], %c8
// ROWS: %[[SOME:.*]] = arith.maxui %[[TILES]], %c1
// ROWS: %[[SIZE:.*]] = arith.divui %[[W]], %[[SOME]]
// ROWS: arith.remui %[[W]], %[[SOME]]
// ROWS: arith.cmpi eq, %[[SIZE]], %c7
// ROWS: arith.cmpi eq, %[[SIZE]], %c8
// ROWS: step %c8
// ROWS-NOT: memref.alloc
// ROWS: step %c7
// ROWS: step %c4
// ROWS-NOT: step %c3
// ROWS-NOT: step %c2
// ROWS: step %c1
func.func @windows(%x: memref<64x?xf32>, %k: memref<64x3x32xf32>, %y: memref<?x32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(w, o, c, t) -> (c, w + t)>, affine_map<(w, o, c, t) -> (c, t, o)>, affine_map<(w, o, c, t) -> (w, o)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x, %k : memref<64x?xf32>, memref<64x3x32xf32>) outs(%y : memref<?x32xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %m = arith.mulf %p, %q fastmath<reassoc,contract> : f32
    %s = arith.addf %acc, %m fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  }
  return
}
