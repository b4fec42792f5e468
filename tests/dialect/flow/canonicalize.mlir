// RUN: noria opt --pass-pipeline=canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @region
// CHECK-SAME: (%[[T:.*]]: tensor<?xf32>, %[[D:.*]]: index)
// CHECK: %[[R:.*]] = flow.dispatch.region -> (tensor<?xf32>{%[[D]]}) {
// CHECK: flow.return %{{[0-9]+}} : tensor<?xf32>
// CHECK: return %[[R]], %[[R]]
func.func @region(%t: tensor<?xf32>, %d: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %0:3 = flow.dispatch.region -> (tensor<?xf32>{%d}, tensor<?xf32>{%d}, tensor<4xf32>) {
    %1 = flow.tensor.clone %t : tensor<?xf32>{%d}
    %2 = tensor.empty() : tensor<4xf32>
    flow.return %1, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xf32>
}

// Arguments that are unused or come twice, workload that comes twice; tied arguments stay.
// CHECK-LABEL: func.func @workgroups
// CHECK-SAME: (%[[A:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<4xf32>, %[[D:.*]]: index)
// CHECK: flow.dispatch.workgroups[%[[D]]](%[[A]], %[[C]]) : (tensor<?xf32>{%[[D]]}, tensor<4xf32>) -> (tensor<4xf32>, %[[C]])
// CHECK-NEXT: (%[[P:.*]]: !flow.dispatch.tensor<readonly:tensor<?xf32>>, %{{.*}}: !flow.dispatch.tensor<writeonly:tensor<4xf32>>, %[[O:.*]]: !flow.dispatch.tensor<writeonly:tensor<4xf32>>) {
// CHECK: %[[V:.*]] = flow.dispatch.tensor.load %[[P]], offsets = [0], sizes = [4], strides = [1]
// CHECK-NEXT: %[[W:.*]] = flow.dispatch.tensor.load %[[P]], offsets = [4], sizes = [4], strides = [1]
// CHECK: } count(%[[X:.*]]: index) -> (index, index, index) {
// CHECK: flow.return %[[X]], %[[X]], %[[X]]
func.func @workgroups(%a: tensor<?xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = flow.dispatch.workgroups[%d, %d](%a, %a, %b, %c) : (tensor<?xf32>{%d}, tensor<?xf32>{%d}, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, %c) =
      (%p: !flow.dispatch.tensor<readonly:tensor<?xf32>>, %q: !flow.dispatch.tensor<readonly:tensor<?xf32>>, %u: !flow.dispatch.tensor<readonly:tensor<4xf32>>, %t: !flow.dispatch.tensor<readwrite:tensor<4xf32>>, %o: !flow.dispatch.tensor<writeonly:tensor<4xf32>>) {
    %n = arith.constant 8 : index
    %v = flow.dispatch.tensor.load %p, offsets = [0], sizes = [4], strides = [1] : !flow.dispatch.tensor<readonly:tensor<?xf32>>{%n} -> tensor<4xf32>
    %w = flow.dispatch.tensor.load %q, offsets = [4], sizes = [4], strides = [1] : !flow.dispatch.tensor<readonly:tensor<?xf32>>{%n} -> tensor<4xf32>
    flow.dispatch.tensor.store %v, %o, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !flow.dispatch.tensor<writeonly:tensor<4xf32>>
    flow.dispatch.tensor.store %w, %t, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !flow.dispatch.tensor<readwrite:tensor<4xf32>>
    flow.return
  } count(%x: index, %y: index) -> (index, index, index) {
    flow.return %x, %y, %x : index, index, index
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @constants
// CHECK-DAG: arith.constant dense<[2.000000e+00, 3.000000e+00]> : tensor<2xf32>
// CHECK-DAG: arith.constant dense<{{\[\[}}1.000000e+00, 9.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
// CHECK-DAG: arith.constant dense<[1.000000e+00, 8.000000e+00, 8.000000e+00, 4.000000e+00]> : tensor<4xf32>
// CHECK-DAG: %[[L:.*]] = arith.constant 4.000000e+00 : f32
// CHECK-DAG: arith.constant dense<{{\[\[}}2.000000e+00], [4.000000e+00]]> : tensor<2x1xf32>
// CHECK-NOT: flow.
func.func @constants() -> (tensor<2xf32>, tensor<2x2xf32>, tensor<4xf32>, f32, tensor<2x1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %nine = arith.constant 9.0 : f32
  %0 = flow.tensor.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %1 = flow.tensor.slice %0[%c1 for %c2] : tensor<4xf32> -> tensor<2xf32>
  %2 = flow.tensor.reshape %0 : tensor<4xf32> -> tensor<2x2xf32>
  %3 = flow.tensor.store %nine, %2[%c0, %c1] : tensor<2x2xf32>
  %4 = flow.tensor.constant dense<8.0> : tensor<2xf32>
  %5 = flow.tensor.update %4, %0[%c1] : tensor<2xf32> -> %0 as tensor<4xf32>
  %6 = flow.tensor.load %2[%c1, %c1] : tensor<2x2xf32>
  // A column is a box like any other.
  %7 = flow.tensor.slice %2[%c0, %c1 for %c2, %c1] : tensor<2x2xf32> -> tensor<2x1xf32>
  return %1, %3, %5, %6, %7 : tensor<2xf32>, tensor<2x2xf32>, tensor<4xf32>, f32, tensor<2x1xf32>
}

// Parameters are not in the program.
// CHECK-LABEL: func.func @parameters
// CHECK: %[[P:.*]] = flow.tensor.constant #flow.parameter.named<"w"> : tensor<4xf32>
// CHECK: flow.tensor.clone %[[P]]
// CHECK: flow.tensor.load %[[P]]
func.func @parameters() -> (tensor<4xf32>, f32) {
  %c1 = arith.constant 1 : index
  %0 = flow.tensor.constant #flow.parameter.named<"w"> : tensor<4xf32>
  %1 = flow.tensor.clone %0 : tensor<4xf32>
  %2 = flow.tensor.load %0[%c1] : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, f32
}

// CHECK-LABEL: func.func @reshapes
// CHECK-SAME: (%[[T:.*]]: tensor<?x4xf32>, %[[D:.*]]: index, %[[V:.*]]: f32)
// CHECK: %[[A:.*]] = flow.tensor.reshape %[[T]] : tensor<?x4xf32>{%[[D]]} -> tensor<2x?xf32>{%[[D]]}
// CHECK: %[[B:.*]] = flow.tensor.bitcast %[[T]] : tensor<?x4xf32>{%[[D]]} -> tensor<?x2xi64>{%[[D]]}
// CHECK: %[[E:.*]] = flow.tensor.empty : tensor<?xf32>{%[[D]]}
// CHECK: %[[S:.*]] = flow.tensor.splat %[[V]] : tensor<?xf32>{%[[D]]}
// CHECK: return %[[A]], %[[B]], %[[E]], %[[S]], %[[T]], %[[V]]
func.func @reshapes(%t: tensor<?x4xf32>, %d: index, %v: f32) -> (tensor<2x?xf32>, tensor<?x2xi64>, tensor<?xf32>, tensor<?xf32>, tensor<?x4xf32>, f32) {
  %0 = flow.tensor.reshape %t : tensor<?x4xf32>{%d} -> tensor<4x?xf32>{%d}
  %1 = flow.tensor.reshape %0 : tensor<4x?xf32>{%d} -> tensor<2x?xf32>{%d}
  %2 = flow.tensor.bitcast %0 : tensor<4x?xf32>{%d} -> tensor<?x2xi64>{%d}
  %3 = flow.tensor.empty : tensor<?x?xf32>{%d, %d}
  %4 = flow.tensor.reshape %3 : tensor<?x?xf32>{%d, %d} -> tensor<?xf32>{%d}
  %5 = flow.tensor.splat %v : tensor<?x?xf32>{%d, %d}
  %6 = flow.tensor.reshape %5 : tensor<?x?xf32>{%d, %d} -> tensor<?xf32>{%d}
  %7 = flow.tensor.reshape %0 : tensor<4x?xf32>{%d} -> tensor<?x4xf32>{%d}
  %8 = flow.tensor.load %5[%d, %d] : tensor<?x?xf32>{%d, %d}
  return %1, %2, %4, %6, %7, %8 : tensor<2x?xf32>, tensor<?x2xi64>, tensor<?xf32>, tensor<?xf32>, tensor<?x4xf32>, f32
}

// CHECK-LABEL: func.func @slices_and_transfers
// CHECK-SAME: (%[[T:.*]]: tensor<8xf32>, %[[I:.*]]: index, %[[N:.*]]: index, %[[Z:.*]]: tensor<0xf32>)
// CHECK: %[[S:.*]] = arith.addi %[[I]], %[[N]] : index
// CHECK: %[[A:.*]] = flow.tensor.slice %[[T]][%[[S]] for %[[N]]] : tensor<8xf32> -> tensor<?xf32>{%[[N]]}
// CHECK: %[[B:.*]] = flow.tensor.transfer %[[T]] : tensor<8xf32> to "b"
// CHECK: return %[[A]], %[[B]], %[[B]], %[[T]], %[[N]]
func.func @slices_and_transfers(%t: tensor<8xf32>, %i: index, %n: index, %z: tensor<0xf32>) -> (tensor<?xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, index) {
  %c0 = arith.constant 0 : index
  %0 = flow.tensor.slice %t[%i for %n] : tensor<8xf32> -> tensor<?xf32>{%n}
  %1 = flow.tensor.slice %0[%n for %n] : tensor<?xf32>{%n} -> tensor<?xf32>{%n}
  %2 = flow.tensor.transfer %t : tensor<8xf32> to "a"
  %3 = flow.tensor.transfer %2 : tensor<8xf32> to "b"
  %4 = flow.tensor.transfer %3 : tensor<8xf32> to "b"
  %5 = flow.tensor.update %z, %t[%i] : tensor<0xf32> -> %t as tensor<8xf32>
  %6 = flow.tensor.tie_shape %1 : tensor<?xf32>{%n}
  %7 = tensor.dim %6, %c0 : tensor<?xf32>
  %c = flow.channel.default : !flow.channel
  %s = flow.channel.split %c, %i, %n : !flow.channel -> !flow.channel
  return %1, %3, %4, %5, %7 : tensor<?xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, index
}
