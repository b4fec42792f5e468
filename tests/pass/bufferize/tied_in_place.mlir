// A result that is tied to an argument of a dispatch is written in the argument's memory; a copy is made only where the old
// value is still used, or belongs to the caller.

// RUN: noria opt --bufferize %s | FileCheck %s
// RUN: noria run --entry=chain %s '[1, 3]' | FileCheck %s --check-prefix=CHAIN
// RUN: noria run --entry=chain --interpret %s '[1, 3]' | FileCheck %s --check-prefix=CHAIN
// RUN: noria run --entry=kept --check-stages %s '[1, 3]' 2>/dev/null | FileCheck %s --check-prefix=KEPT
// RUN: noria bench --entry=chain %s --input '[1, 3]' --threads=1 | FileCheck %s --check-prefix=BLOCKS
// RUN: noria bench --entry=kept %s --input '[1, 3]' --threads=1 | FileCheck %s --check-prefix=MORE
// BLOCKS: 1 allocations a run
// MORE: 2 allocations a run

flow.executable private @ex {
  flow.executable.export public @inc workgroups() -> (index, index, index) {
    %c1 = arith.constant 1 : index
    flow.return %c1, %c1, %c1 : index, index, index
  }
  builtin.module {
    func.func @inc(%x: !flow.dispatch.tensor<readwrite:tensor<2xi32>>) {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %t = flow.dispatch.tensor.load %x, offsets = [0], sizes = [2], strides = [1] : !flow.dispatch.tensor<readwrite:tensor<2xi32>> -> tensor<2xi32>
      %e = tensor.extract %t[%c0] : tensor<2xi32>
      %s = arith.addi %e, %one : i32
      %u = tensor.insert %s into %t[%c0] : tensor<2xi32>
      flow.dispatch.tensor.store %u, %x, offsets = [0], sizes = [2], strides = [1] : tensor<2xi32> -> !flow.dispatch.tensor<readwrite:tensor<2xi32>>
      return
    }
  }
}

// The caller's tensor is copied once; three dispatches then write one buffer.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: memref<2xi32>)
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: memref.copy %[[X]], %[[A]]
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK-COUNT-3: rt.dispatch @ex::@inc[{{.*}}] (%[[A]])
// CHECK: return %[[A]]
// CHAIN: dense<[4, 3]> : tensor<2xi32>
func.func @chain(%x: tensor<2xi32>) -> tensor<2xi32> {
  %a = flow.dispatch @ex::@inc(%x) : (tensor<2xi32>) -> %x
  %b = flow.dispatch @ex::@inc(%a) : (tensor<2xi32>) -> %a
  %c = flow.dispatch @ex::@inc(%b) : (tensor<2xi32>) -> %b
  return %c : tensor<2xi32>
}

// The first result is returned, so the second dispatch gets a copy, which the third writes.
// CHECK-LABEL: func.func @kept
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: rt.dispatch @ex::@inc[{{.*}}] (%[[A]])
// CHECK: %[[B:.*]] = memref.alloc
// CHECK-NEXT: memref.copy %[[A]], %[[B]]
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK-COUNT-2: rt.dispatch @ex::@inc[{{.*}}] (%[[B]])
// CHECK: return %[[A]], %[[B]]
// KEPT: dense<[2, 3]> : tensor<2xi32>
// KEPT: dense<[4, 3]> : tensor<2xi32>
func.func @kept(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %a = flow.dispatch @ex::@inc(%x) : (tensor<2xi32>) -> %x
  %b = flow.dispatch @ex::@inc(%a) : (tensor<2xi32>) -> %a
  %c = flow.dispatch @ex::@inc(%b) : (tensor<2xi32>) -> %b
  return %a, %c : tensor<2xi32>, tensor<2xi32>
}
