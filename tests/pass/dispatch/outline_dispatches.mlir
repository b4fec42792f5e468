// RUN: noria opt --pass-pipeline=outline-dispatches %s | FileCheck %s
// RUN: noria opt --pass-pipeline=outline-dispatches %s | FileCheck %s --check-prefix=SAME
// RUN: noria opt --pass-pipeline=outline-dispatches %s | FileCheck %s --check-prefix=NAMES

// Equal bodies share one executable, whatever their operands; another body gets its own.
// CHECK: flow.executable private @[[ADD:host_[^ ]*]] {
// CHECK: flow.executable.export public @[[ADD]] workgroups(%[[N:.*]]: index) -> (index, index, index) {
// CHECK: flow.return %[[N]], %{{.*}}, %{{.*}} : index, index, index
// CHECK: module {
// CHECK: func.func @[[ADD]](%{{.*}}: !flow.dispatch.tensor<readonly:tensor<8xf32>>, %{{.*}}: !flow.dispatch.tensor<writeonly:tensor<8xf32>>)
// CHECK: flow.dispatch.tensor.load
// CHECK: arith.addf
// CHECK: flow.dispatch.tensor.store
// CHECK: flow.executable private @[[MUL:host_[^ ]*]] {
// CHECK: arith.mulf
// CHECK-NOT: flow.executable private
// CHECK-LABEL: func.func @host(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[COUNT:.*]]: index)
// CHECK: %[[A:.*]] = flow.dispatch @[[ADD]]::@[[ADD]][%[[COUNT]]](%[[X]])
// CHECK: %[[B:.*]] = flow.dispatch @[[ADD]]::@[[ADD]][%[[COUNT]]](%[[A]])
// CHECK: %[[C:.*]] = flow.dispatch @[[MUL]]::@[[MUL]][%[[COUNT]]](%[[B]])
// CHECK: return %[[C]]
!in = !flow.dispatch.tensor<readonly:tensor<8xf32>>
!out = !flow.dispatch.tensor<writeonly:tensor<8xf32>>
func.func @host(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %a = flow.dispatch.workgroups[%n](%x) : (tensor<8xf32>) -> tensor<8xf32> =
  (%from: !in, %to: !out) {
    %t = flow.dispatch.tensor.load %from, offsets = [0], sizes = [8], strides = [1] : !in -> tensor<8xf32>
    %y = arith.addf %t, %t : tensor<8xf32>
    flow.dispatch.tensor.store %y, %to, offsets = [0], sizes = [8], strides = [1] : tensor<8xf32> -> !out
    flow.return
  } count(%w: index) -> (index, index, index) {
    %c1 = arith.constant 1 : index
    flow.return %w, %c1, %c1 : index, index, index
  }
  %b = flow.dispatch.workgroups[%n](%a) : (tensor<8xf32>) -> tensor<8xf32> =
  (%source: !in, %target: !out) {
    %loaded = flow.dispatch.tensor.load %source, offsets = [0], sizes = [8], strides = [1] : !in -> tensor<8xf32>
    %sum = arith.addf %loaded, %loaded : tensor<8xf32>
    flow.dispatch.tensor.store %sum, %target, offsets = [0], sizes = [8], strides = [1] : tensor<8xf32> -> !out
    flow.return
  } count(%w: index) -> (index, index, index) {
    %c1 = arith.constant 1 : index
    flow.return %w, %c1, %c1 : index, index, index
  }
  %c = flow.dispatch.workgroups[%n](%b) : (tensor<8xf32>) -> tensor<8xf32> =
  (%from: !in, %to: !out) {
    %t = flow.dispatch.tensor.load %from, offsets = [0], sizes = [8], strides = [1] : !in -> tensor<8xf32>
    %y = arith.mulf %t, %t : tensor<8xf32>
    flow.dispatch.tensor.store %y, %to, offsets = [0], sizes = [8], strides = [1] : tensor<8xf32> -> !out
    flow.return
  } count(%w: index) -> (index, index, index) {
    %c1 = arith.constant 1 : index
    flow.return %w, %c1, %c1 : index, index, index
  }
  return %c : tensor<8xf32>
}

// Equality is that of the ops: the order of a sum's operands, the blocks' names and the values' names do not count.
// Another branch does.
// SAME-LABEL: func.func @blocks(
// SAME: %[[A:.*]] = flow.dispatch @[[FIRST:.*]]::@[[FIRST]](%{{.*}})
// SAME: %[[B:.*]] = flow.dispatch @[[FIRST]]::@[[FIRST]](%[[A]])
// SAME: flow.dispatch @[[OTHER:.*]]::@[[OTHER]](%[[B]])
// NAMES-COUNT-2: flow.executable private @blocks_dispatch_
// NAMES-NOT: flow.executable private @blocks_dispatch_
// NAMES: func.func @blocks(
func.func @blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = flow.dispatch.workgroups(%x) : (tensor<8xf32>) -> tensor<8xf32> =
  (%from: !in, %to: !out) {
    %t = flow.dispatch.tensor.load %from, offsets = [0], sizes = [8], strides = [1] : !in -> tensor<8xf32>
    %u = arith.mulf %t, %t : tensor<8xf32>
    %y = arith.addf %t, %u : tensor<8xf32>
    %c = arith.constant true
    cf.cond_br %c, ^then, ^end
  ^then:
    flow.dispatch.tensor.store %y, %to, offsets = [0], sizes = [8], strides = [1] : tensor<8xf32> -> !out
    cf.br ^end
  ^end:
    flow.return
  }
  %b = flow.dispatch.workgroups(%a) : (tensor<8xf32>) -> tensor<8xf32> =
  (%source: !in, %target: !out) {
    %value = flow.dispatch.tensor.load %source, offsets = [0], sizes = [8], strides = [1] : !in -> tensor<8xf32>
    %square = arith.mulf %value, %value : tensor<8xf32>
    %sum = arith.addf %square, %value : tensor<8xf32>
    %yes = arith.constant true
    cf.cond_br %yes, ^bb1, ^bb2
  ^bb1:
    flow.dispatch.tensor.store %sum, %target, offsets = [0], sizes = [8], strides = [1] : tensor<8xf32> -> !out
    cf.br ^bb2
  ^bb2:
    flow.return
  }
  %c = flow.dispatch.workgroups(%b) : (tensor<8xf32>) -> tensor<8xf32> =
  (%source: !in, %target: !out) {
    %value = flow.dispatch.tensor.load %source, offsets = [0], sizes = [8], strides = [1] : !in -> tensor<8xf32>
    %square = arith.mulf %value, %value : tensor<8xf32>
    %sum = arith.addf %square, %value : tensor<8xf32>
    %yes = arith.constant true
    cf.cond_br %yes, ^bb2, ^bb1
  ^bb1:
    flow.dispatch.tensor.store %sum, %target, offsets = [0], sizes = [8], strides = [1] : tensor<8xf32> -> !out
    cf.br ^bb2
  ^bb2:
    flow.return
  }
  return %c : tensor<8xf32>
}
