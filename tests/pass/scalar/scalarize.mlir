// RUN: noria opt --pass-pipeline=scalarize,canonicalize,cse %s | FileCheck %s
// RUN: noria opt --pass-pipeline=scalarize,canonicalize,cse --syntax=mlir %s | mlir-opt

#id0 = affine_map<() -> ()>
#id1 = affine_map<(d0) -> (d0)>
#first = affine_map<(d0) -> (0)>

// A loop over a tensor of rank 0 becomes a loop on a register.
// CHECK-LABEL: func.func @scalar_loop
// CHECK-SAME: (%[[T:.*]]: tensor<f32>, %[[N:.*]]: index)
// CHECK-DAG: %[[C:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-DAG: %[[X:.*]] = tensor.extract %[[T]][] : tensor<f32>
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %[[X]]) -> (f32) {
// CHECK-NEXT: %[[M:.*]] = arith.mulf %[[A]], %[[C]] : f32
// CHECK-NEXT: scf.yield %[[M]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: %[[P:.*]] = tensor.from_elements %[[R]] : tensor<f32>
// CHECK-NEXT: return %[[P]]
func.func @scalar_loop(%t: tensor<f32>, %n: index) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant dense<2.0> : tensor<f32>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<f32>) {
    %e = tensor.empty() : tensor<f32>
    %1 = linalg.generic {indexing_maps = [#id0, #id0, #id0], iterator_types = []} ins(%a, %two : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %2 = arith.mulf %x, %y : f32
      linalg.yield %2 : f32
    } -> tensor<f32>
    scf.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// Collatz: a while whose condition and carried values are tensors of one element; steps are counted in rank 1.
// CHECK-LABEL: func.func @while
// CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (i64, i64) -> (i64, i64) {
// CHECK-NOT: tensor
// CHECK: scf.condition(%{{.*}}) %{{.*}}, %{{.*}} : i64, i64
// CHECK: ^bb0(%{{.*}}: i64, %{{.*}}: i64):
// CHECK-NOT: tensor
// CHECK: scf.if %{{.*}} -> (i64) {
// CHECK-NOT: tensor
// CHECK: scf.yield %{{.*}}, %{{.*}} : i64, i64
// CHECK-NEXT: }
// CHECK: tensor.from_elements
func.func @while(%t: tensor<i64>, %zero: tensor<1xi64>) -> tensor<1xi64> {
  %0:2 = scf.while (%x = %t, %n = %zero) : (tensor<i64>, tensor<1xi64>) -> (tensor<i64>, tensor<1xi64>) {
    %one = arith.constant dense<1> : tensor<i64>
    %c = arith.cmpi ne, %x, %one : tensor<i64>
    %s = tensor.extract %c[] : tensor<i1>
    scf.condition(%s) %x, %n : tensor<i64>, tensor<1xi64>
  } do {
  ^bb0(%x: tensor<i64>, %n: tensor<1xi64>):
    %one = arith.constant dense<1> : tensor<1xi64>
    %two = arith.constant dense<2> : tensor<i64>
    %e = tensor.empty() : tensor<1xi64>
    %m = linalg.generic {indexing_maps = [#id1, #first, #id1], iterator_types = ["parallel"]} ins(%n, %one : tensor<1xi64>, tensor<1xi64>) outs(%e : tensor<1xi64>) {
    ^bb0(%a: i64, %b: i64, %o: i64):
      %1 = arith.addi %a, %b : i64
      linalg.yield %1 : i64
    } -> tensor<1xi64>
    %r = arith.remsi %x, %two : tensor<i64>
    %odd = tensor.extract %r[] : tensor<i64>
    %is = arith.trunci %odd : i64 to i1
    %y = scf.if %is -> (tensor<i64>) {
      %three = arith.constant dense<3> : tensor<i64>
      %o1 = arith.constant dense<1> : tensor<i64>
      %2 = arith.muli %x, %three : tensor<i64>
      %3 = arith.addi %2, %o1 : tensor<i64>
      scf.yield %3 : tensor<i64>
    } else {
      %4 = arith.divsi %x, %two : tensor<i64>
      scf.yield %4 : tensor<i64>
    }
    scf.yield %y, %m : tensor<i64>, tensor<1xi64>
  }
  return %0#1 : tensor<1xi64>
}

// Shape arithmetic becomes index arithmetic: a reduction, a slice, a concat, a reshape of a few integers.
// CHECK-LABEL: func.func @shapes
// CHECK-SAME: (%[[S:.*]]: tensor<3xi64>, %[[X:.*]]: tensor<?xf32>)
// CHECK-NOT: linalg
// CHECK-NOT: slice
// CHECK-NOT: concat
// CHECK: arith.muli
// CHECK: arith.muli
// CHECK: %[[R:.*]] = tensor.from_elements %{{.*}}, %{{.*}}, %{{.*}} : tensor<3xi64>
// CHECK: tensor.reshape %[[X]](%[[R]])
func.func @shapes(%s: tensor<3xi64>, %x: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %one = arith.constant dense<1> : tensor<i64>
  %p = linalg.generic {indexing_maps = [#id1, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%s : tensor<3xi64>) outs(%one : tensor<i64>) {
  ^bb0(%a: i64, %b: i64):
    %1 = arith.muli %a, %b : i64
    linalg.yield %1 : i64
  } -> tensor<i64>
  %p1 = tensor.expand_shape %p [] output_shape [1] : tensor<i64> into tensor<1xi64>
  %tail = tensor.extract_slice %s[1] [2] [1] : tensor<3xi64> to tensor<2xi64>
  %r = tensor.concat dim(0) %p1, %tail : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
  %2 = tensor.reshape %x(%r) : (tensor<?xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  return %2 : tensor<?x?x?xf32>
}

// One row of a scan output that is a scalar goes in as an element; one element of a large tensor comes out as one.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: (%[[O:.*]]: tensor<?x1xf32>, %[[T:.*]]: tensor<16xf32>, %[[I:.*]]: index)
// CHECK: %[[E:.*]] = tensor.extract %[[T]][%[[I]]] : tensor<16xf32>
// CHECK: tensor.insert %[[E]] into %[[O]][%[[I]], %{{.*}}] : tensor<?x1xf32>
func.func @rows(%o: tensor<?x1xf32>, %t: tensor<16xf32>, %i: index) -> tensor<?x1xf32> {
  %0 = tensor.extract_slice %t[%i] [1] [1] : tensor<16xf32> to tensor<1xf32>
  %1 = tensor.insert_slice %0 into %o[%i, 0] [1, 1] [1, 1] : tensor<1xf32> into tensor<?x1xf32>
  return %1 : tensor<?x1xf32>
}

// Floats of more than one element stay tensors.
// CHECK-LABEL: func.func @larger
// CHECK: scf.for {{.*}} -> (tensor<4xf32>) {
// CHECK: linalg.generic
func.func @larger(%t: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<4xf32>) {
    %1 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%t : tensor<4xf32>) {
    ^bb0(%x: f32, %o: f32):
      %2 = arith.addf %x, %o : f32
      linalg.yield %2 : f32
    } -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// linalg.index, outputs that keep what they held, nested regions in the body.
// CHECK-LABEL: func.func @unrolled
// CHECK-SAME: (%[[A:.*]]: i64, %[[B:.*]]: i64, %[[C:.*]]: i1)
// CHECK: %[[P:.*]] = arith.constant 1 : i64
// CHECK: %[[X:.*]] = arith.select %[[C]], %{{.*}}, %{{.*}} : i64
// CHECK: tensor.from_elements %{{.*}}, %{{.*}} : tensor<2xi64>
func.func @unrolled(%a: i64, %b: i64, %c: i1) -> tensor<2xi64> {
  %0 = tensor.from_elements %a, %b : tensor<2xi64>
  %1 = linalg.generic {indexing_maps = [#id1], iterator_types = ["parallel"]} outs(%0 : tensor<2xi64>) {
  ^bb0(%x: i64):
    %3 = linalg.index 0 : index
    %2 = scf.if %c -> (i64) {
      %4 = arith.index_cast %3 : index to i64
      scf.yield %4 : i64
    } else {
      scf.yield %x : i64
    }
    %5 = arith.addi %2, %x : i64
    linalg.yield %5 : i64
  } -> tensor<2xi64>
  return %1 : tensor<2xi64>
}

// A place that is not there is the business of the run.
// CHECK-LABEL: func.func @outside
// CHECK: tensor.insert_slice
func.func @outside(%s: tensor<1xi32>) -> tensor<2xi32> {
  %far = arith.constant 1000 : index
  %d = arith.constant dense<[1, 2]> : tensor<2xi32>
  %q = tensor.insert_slice %s into %d[%far] [1] [1] : tensor<1xi32> into tensor<2xi32>
  return %q : tensor<2xi32>
}
