// RUN: noria opt --pass-pipeline=cse %s | FileCheck %s
// RUN: noria opt --pass-pipeline=cse --syntax=mlir %s | mlir-opt

func.func private @unknown()

// CHECK-LABEL: func.func @same_operands
// CHECK: %[[S:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK-NEXT: %[[D:.*]] = arith.subi
// CHECK-NEXT: %[[E:.*]] = arith.subi
// CHECK-NEXT: return %[[S]], %[[S]], %[[D]], %[[E]]
func.func @same_operands(%a: i32, %b: i32) -> (i32, i32, i32, i32) {
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %b, %a : i32
  %2 = arith.subi %a, %b : i32
  %3 = arith.subi %b, %a : i32
  return %0, %1, %2, %3 : i32, i32, i32, i32
}

// CHECK-LABEL: func.func @attributes_differ
// CHECK: arith.cmpi slt
// CHECK: arith.cmpi sgt
func.func @attributes_differ(%a: i32, %b: i32) -> (i1, i1) {
  %0 = arith.cmpi slt, %a, %b : i32
  %1 = arith.cmpi sgt, %a, %b : i32
  return %0, %1 : i1, i1
}

// An op around a region is seen in it, one in a sibling region is not.
// CHECK-LABEL: func.func @regions
// CHECK: %[[O:.*]] = arith.mulf
// CHECK: scf.if
// CHECK-NEXT: scf.yield %[[O]], %[[O]]
// CHECK: else
// CHECK-NEXT: %[[I:.*]] = arith.addf
// CHECK-NEXT: scf.yield %[[O]], %[[I]]
// CHECK: %[[A:.*]] = arith.addf
// CHECK-NEXT: return %{{.*}}, %{{.*}}, %[[A]]
func.func @regions(%c: i1, %x: f32) -> (f32, f32, f32) {
  %0 = arith.mulf %x, %x : f32
  %r:2 = scf.if %c -> (f32, f32) {
    %1 = arith.mulf %x, %x : f32
    scf.yield %0, %1 : f32, f32
  } else {
    %1 = arith.addf %x, %x : f32
    scf.yield %0, %1 : f32, f32
  }
  %2 = arith.addf %x, %x : f32
  return %r#0, %r#1, %2 : f32, f32, f32
}

// CHECK-LABEL: func.func @blocks
// CHECK: %[[M:.*]] = arith.mulf
// CHECK: ^bb1:
// CHECK-NEXT: %[[A:.*]] = arith.addf
// CHECK-NEXT: cf.br ^bb3(%[[A]], %[[M]] : f32, f32)
// CHECK: ^bb2:
// CHECK-NEXT: %[[B:.*]] = arith.addf
// CHECK-NEXT: cf.br ^bb3(%[[B]], %[[M]] : f32, f32)
func.func @blocks(%c: i1, %x: f32) -> (f32, f32) {
  %0 = arith.mulf %x, %x : f32
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %1 = arith.addf %x, %0 : f32
  %2 = arith.mulf %x, %x : f32
  cf.br ^bb3(%1, %2 : f32, f32)
^bb2:
  %3 = arith.addf %x, %0 : f32
  %4 = arith.mulf %x, %x : f32
  cf.br ^bb3(%3, %4 : f32, f32)
^bb3(%r: f32, %s: f32):
  return %r, %s : f32, f32
}

// CHECK-LABEL: func.func @loads
// CHECK: %[[A:.*]] = memref.load
// CHECK-NEXT: memref.store
// CHECK-NEXT: %[[B:.*]] = memref.load
// CHECK-NEXT: {{(func.)?}}call @unknown
// CHECK-NEXT: %[[C:.*]] = memref.load
// CHECK-NEXT: return %[[A]], %[[A]], %[[B]], %[[C]]
func.func @loads(%m: memref<4xf32>, %i: index) -> (f32, f32, f32, f32) {
  %0 = memref.load %m[%i] : memref<4xf32>
  %1 = memref.load %m[%i] : memref<4xf32>
  memref.store %0, %m[%i] : memref<4xf32>
  %2 = memref.load %m[%i] : memref<4xf32>
  call @unknown() : () -> ()
  %3 = memref.load %m[%i] : memref<4xf32>
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// Two allocations are two buffers.
// CHECK-LABEL: func.func @allocations
// CHECK-COUNT-2: memref.alloc
func.func @allocations() -> (memref<4xf32>, memref<4xf32>) {
  %0 = memref.alloc() : memref<4xf32>
  %1 = memref.alloc() : memref<4xf32>
  return %0, %1 : memref<4xf32>, memref<4xf32>
}

// Ops with regions, when what is in them is the same.
// CHECK-LABEL: func.func @same_regions
// CHECK: %[[A:.*]] = linalg.generic
// CHECK: arith.mulf
// CHECK: %[[B:.*]] = linalg.generic
// CHECK: arith.divf
// CHECK-NOT: linalg.generic
// CHECK: %[[I:.*]] = scf.if
// CHECK-NOT: scf.if
// CHECK: return %[[A]], %[[A]], %[[B]], %[[I]], %[[I]]
func.func @same_regions(%t: tensor<4xf32>, %c: i1, %x: f32)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, f32, f32) {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %x : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32):
    %m = arith.mulf %x, %p : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %d = arith.divf %b, %x : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  %3 = scf.if %c -> (f32) {
    %s = arith.addf %x, %x : f32
    scf.yield %s : f32
  } else {
    scf.yield %x : f32
  }
  %4 = scf.if %c -> (f32) {
    %s = arith.addf %x, %x : f32
    scf.yield %s : f32
  } else {
    scf.yield %x : f32
  }
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, f32, f32
}

// Regions of several blocks are equal when their branches go to equal blocks.
// CHECK-LABEL: func.func @regions_of_blocks
// CHECK: %[[A:.*]] = scf.execute_region
// CHECK: %[[B:.*]] = scf.execute_region
// CHECK-NOT: scf.execute_region
// CHECK: return %[[A]], %[[A]], %[[B]]
func.func @regions_of_blocks(%c: i1, %x: i32) -> (i32, i32, i32) {
  %a = scf.execute_region -> i32 {
    cf.cond_br %c, ^one(%x : i32), ^two
  ^one(%p: i32):
    %s = arith.addi %p, %x : i32
    scf.yield %s : i32
  ^two:
    scf.yield %x : i32
  }
  %b = scf.execute_region -> i32 {
    cf.cond_br %c, ^first(%x : i32), ^second
  ^first(%q: i32):
    %s = arith.addi %x, %q : i32
    scf.yield %s : i32
  ^second:
    scf.yield %x : i32
  }
  %d = scf.execute_region -> i32 {
    cf.cond_br %c, ^two, ^one(%x : i32)
  ^one(%p: i32):
    %s = arith.addi %p, %x : i32
    scf.yield %s : i32
  ^two:
    scf.yield %x : i32
  }
  return %a, %b, %d : i32, i32, i32
}
