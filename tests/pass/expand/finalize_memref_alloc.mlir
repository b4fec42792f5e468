// New buffers have one dim, of as many elements as their shape needs.
// RUN: noria opt --pass-pipeline=finalize-memref,verify-emittable %s | FileCheck %s
// RUN: noria run --check-stages --entry=main %s 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: all 9 outcomes are that of 'import'
// STAGES: 6 : index

// CHECK-LABEL: func.func private @known_0
// CHECK: %[[M:.*]] = memref.alloca() {alignment = 128 : i64} : memref<12xf32>
// CHECK: %[[P:.*]] = rt.pointer %[[M]] : memref<12xf32> -> memref<?xf32>
// CHECK: memref.load %[[P]][
func.func @known(%i: index) -> f32 {
  %m = memref.alloca() {alignment = 128} : memref<3x4xf32>
  %x = memref.load %m[%i, %i] : memref<3x4xf32>
  return %x : f32
}

// A size below zero is too large, as is a product that no buffer has; also where another size is 0.
// CHECK-LABEL: func.func private @sizes_0
// CHECK: arith.maxui %arg0, %{{.*}} : index
// CHECK: %{{.*}}:2 = arith.mului_extended
// CHECK: %[[PRODUCT:.*]] = arith.muli %arg0, %arg1 : index
// CHECK: %[[LARGE:.*]] = arith.cmpi uge
// CHECK: %[[COUNT:.*]] = arith.select %[[LARGE]], %{{.*}}, %[[PRODUCT]] : index
// CHECK: memref.alloc(%[[COUNT]]) : memref<?xi8>
func.func @sizes(%n: index, %k: index) -> memref<?x?xi8> {
  %m = memref.alloc(%n, %k) : memref<?x?xi8>
  return %m : memref<?x?xi8>
}

// Up to behind the last element.
// CHECK-LABEL: func.func @strided(
// CHECK: %[[M:.*]] = memref.alloc() : memref<25xi8>
// CHECK-NEXT: %[[P:.*]] = rt.pointer %[[M]]
// CHECK: return %[[P]] : memref<?xi8>
func.func @strided() -> memref<3x4xi8, strided<[1, 6], offset: 4>> {
  %m = memref.alloc() : memref<3x4xi8, strided<[1, 6], offset: 4>>
  return %m : memref<3x4xi8, strided<[1, 6], offset: 4>>
}

// The offset and strides of the symbols of a layout.
#skewed = affine_map<(d0, d1)[s0, s1] -> (d0 * s0 + d1 + s1)>
// CHECK-LABEL: func.func private @symbols_0
// CHECK: memref.load %{{.*}}[%{{.*}}] : memref<?xindex>
func.func @symbols(%s: index, %o: index, %i: index) -> index {
  %m = memref.alloc()[%s, %o] : memref<2x3xindex, #skewed>
  memref.store %i, %m[%i, %i] : memref<2x3xindex, #skewed>
  %x = memref.load %m[%i, %i] : memref<2x3xindex, #skewed>
  memref.dealloc %m : memref<2x3xindex, #skewed>
  return %x : index
}

func.func @main() -> (index, index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %m = memref.alloc(%c2, %c3) : memref<?x?xindex>
  memref.store %c5, %m[%c1, %c2] : memref<?x?xindex>
  %d = memref.dim %m, %c1 : memref<?x?xindex>
  %x = memref.load %m[%c1, %c2] : memref<?x?xindex>
  %y = func.call @symbols(%c5, %c2, %c1) : (index, index, index) -> index
  %z = arith.addi %x, %y : index
  memref.dealloc %m : memref<?x?xindex>
  return %z, %d : index, index
}
