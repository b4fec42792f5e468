// Casts of what loops carry, regions of several blocks, pads of parts.
// RUN: noria opt --canonicalize %s | FileCheck %s
// RUN: noria opt --canonicalize --syntax=mlir %s | mlir-opt
// RUN: noria opt --canonicalize %s -o %t.mlir

// What the loop makes has the shape that the cast hid.
// CHECK-LABEL: func.func @carried(
// CHECK: %[[R:.*]] = scf.for %{{.*}} iter_args(%[[A:.*]] = %arg0) -> (tensor<4xf32>) {
// CHECK: scf.yield %{{.*}} : tensor<4xf32>
// CHECK-NOT: tensor.cast
// CHECK: return %[[R]] : tensor<4xf32>
func.func @carried(%t: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 7.0 : f32
  %0 = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %0) -> tensor<?xf32> {
    %2 = tensor.insert %x into %a[%i] : tensor<?xf32>
    %3 = arith.addf %2, %2 : tensor<?xf32>
    scf.yield %3 : tensor<?xf32>
  }
  %4 = tensor.cast %1 : tensor<?xf32> to tensor<4xf32>
  return %4 : tensor<4xf32>
}
// RUN: noria run %s --interpret --entry=carried '[1, 2, 3, 4]' 2 | FileCheck %s --check-prefix=CARRIED
// RUN: noria run %t.mlir --check-stages --entry=carried '[1, 2, 3, 4]' 2 | FileCheck %s --check-prefix=CARRIED
// CARRIED: dense<[2.800000e+01, 1.400000e+01, 1.200000e+01, 1.600000e+01]>

// It may have another shape in between: the cast stays where it was.
// CHECK-LABEL: func.func @changes(
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<?xf32>) {
func.func @changes(%t: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %z = arith.constant 1.0 : f32
  %0 = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %0) -> tensor<?xf32> {
    %d = tensor.dim %a, %c0 : tensor<?xf32>
    %other = arith.subi %c6, %d : index
    %s = tensor.splat %z[%other] : tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  %4 = tensor.cast %1 : tensor<?xf32> to tensor<4xf32>
  return %4 : tensor<4xf32>
}
// RUN: noria run %t.mlir --check-stages --entry=changes '[1, 2, 3, 4]' 2 | FileCheck %s --check-prefix=CHANGES
// CHANGES: dense<1.000000e+00> : tensor<4xf32>

// CHECK-LABEL: func.func @blocks(
// CHECK-NOT: scf.execute_region
// CHECK: cf.br ^[[HEAD:.*]](%c0
// CHECK: ^[[HEAD]](%[[I:.*]]: index):
// CHECK: cf.cond_br %{{.*}}, ^[[BODY:.*]], ^[[END:[a-z0-9]*]]
// CHECK: ^[[BODY]]:
// CHECK: cf.br ^[[HEAD]]
// CHECK: return
func.func @blocks(%t: tensor<4xf32>, %n: index) -> (index, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = scf.execute_region -> index {
    cf.br ^head(%c0 : index)
  ^head(%i: index):
    %more = arith.cmpi slt, %i, %n : index
    cf.cond_br %more, ^body, ^end
  ^body:
    %next = arith.addi %i, %c1 : index
    cf.br ^head(%next : index)
  ^end:
    scf.yield %i : index
  }
  %x = arith.index_cast %k : index to i32
  %y = arith.sitofp %x : i32 to f32
  %s = tensor.splat %y : tensor<4xf32>
  %r = arith.addf %t, %s : tensor<4xf32>
  return %k, %r : index, tensor<4xf32>
}
// RUN: noria run %s --check-passes --entry=blocks ones 3 | FileCheck %s --check-prefix=BLOCKS
// RUN: noria run %t.mlir --check-passes --entry=blocks ones 3 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: 3 : index
// BLOCKS: dense<4.000000e+00> : tensor<4xf32>

// Where one block has to do, and where it is said, it stays.
// CHECK-LABEL: func.func @stays(
// CHECK: scf.if
// CHECK: scf.execute_region -> i32 {
// CHECK: scf.execute_region -> i32 no_inline {
func.func @stays(%c: i1, %x: i32, %y: i32) -> i32 {
  %r = scf.if %c -> i32 {
    %q = scf.execute_region -> i32 {
      %odd = arith.trunci %x : i32 to i1
      cf.cond_br %odd, ^bb1, ^bb2
    ^bb1:
      scf.yield %x : i32
    ^bb2:
      scf.yield %y : i32
    }
    scf.yield %q : i32
  } else {
    scf.yield %y : i32
  }
  %s = scf.execute_region -> i32 no_inline {
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    scf.yield %r : i32
  ^bb2:
    scf.yield %y : i32
  }
  return %s : i32
}

// One inside the other.
// CHECK-LABEL: func.func @nested(
// CHECK-NOT: scf.execute_region
// CHECK: return
func.func @nested(%c: i1, %x: i32, %y: i32) -> i32 {
  %r = scf.execute_region -> i32 {
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    %q = scf.execute_region -> i32 {
      %odd = arith.trunci %x : i32 to i1
      cf.cond_br %odd, ^bb3, ^bb4
    ^bb3:
      %s = arith.addi %x, %y : i32
      scf.yield %s : i32
    ^bb4:
      scf.yield %y : i32
    }
    scf.yield %q : i32
  ^bb2:
    scf.yield %y : i32
  }
  return %r : i32
}
// RUN: noria run %t.mlir --check-passes --entry=nested 1 5 6 | FileCheck %s --check-prefix=NESTED
// NESTED: 11 : i32

// Each pad has a dim of its own.
// CHECK-LABEL: func.func @pads(
// CHECK: %[[S:.*]] = tensor.extract_slice %arg0[16, 4] [%arg1, %arg2] [1, 1] : tensor<64x64xf32> to tensor<?x?xf32>
// CHECK: tensor.pad %[[S]] low[0, 0] high[%arg3, %arg4]
// CHECK-NOT: tensor.pad
// CHECK: return
func.func @pads(%t: tensor<64x64xf32>, %a: index, %b: index, %h: index, %l: index) -> tensor<8x6xf32> {
  %z = arith.constant 0.0 : f32
  %s0 = tensor.extract_slice %t[16, 0] [%a, 64] [1, 1] : tensor<64x64xf32> to tensor<?x64xf32>
  %p0 = tensor.pad %s0 low[0, 0] high[%h, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x64xf32> to tensor<8x64xf32>
  %s1 = tensor.extract_slice %p0[0, 4] [8, %b] [1, 1] : tensor<8x64xf32> to tensor<8x?xf32>
  %p1 = tensor.pad %s1 low[0, 0] high[0, %l] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<8x?xf32> to tensor<8x6xf32>
  return %p1 : tensor<8x6xf32>
}
// RUN: noria run %s --interpret --entry=pads ones 7 4 1 2 > %t.pads
// RUN: noria run %t.mlir --check-stages --entry=pads ones 7 4 1 2 > %t.pads_after
// RUN: diff %t.pads %t.pads_after

// Both pad the same dim, or the second takes not all of what the first padded.
// CHECK-LABEL: func.func @pads_of_one_dim(
// CHECK-COUNT-2: tensor.pad
func.func @pads_of_one_dim(%t: tensor<64x64xf32>, %a: index, %b: index, %h: index) -> tensor<8x64xf32> {
  %z = arith.constant 0.0 : f32
  %s0 = tensor.extract_slice %t[16, 0] [%a, 64] [1, 1] : tensor<64x64xf32> to tensor<?x64xf32>
  %p0 = tensor.pad %s0 low[0, 0] high[%h, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x64xf32> to tensor<8x64xf32>
  %s1 = tensor.extract_slice %p0[0, 0] [7, %b] [1, 1] : tensor<8x64xf32> to tensor<7x?xf32>
  %p1 = tensor.pad %s1 low[0, 0] high[1, %h] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<7x?xf32> to tensor<8x64xf32>
  return %p1 : tensor<8x64xf32>
}
