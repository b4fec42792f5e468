// RUN: noria opt --pass-pipeline=convert-dispatch-region-to-workgroups %s | FileCheck %s
// RUN: noria run %s --entry=captures '[[1.0, 2.0, 3.0]]' 5 '[1, 2]' 1.5 '(1.0, 2.0)' true --interpret | FileCheck %s --check-prefix=CAPTURES
// RUN: noria run %s --entry=captures '[[1.0, 2.0, 3.0]]' 5 '[1, 2]' 1.5 '(1.0, 2.0)' true --check-stages | FileCheck %s --check-prefix=CAPTURES
// RUN: noria run %s --entry=captures '[[1.0, 2.0, 3.0]]' 5 '[]' 1.5 '(1.0, 2.0)' false --check-stages | FileCheck %s --check-prefix=NOTHING
// RUN: noria run %s --entry=in_place '[1.0, 2.0, 3.0]' 1 --check-stages | FileCheck %s --check-prefix=PLACE
// RUN: noria run %s --entry=nested '[1.0, 2.0, 3.0]' --check-stages | FileCheck %s --check-prefix=NESTED
// RUN: noria run %s --entry=blocks '[1.0, 2.0]' true --check-stages | FileCheck %s --check-prefix=BLOCKS
// RUN: noria run %s --entry=claims '[1.0, 2.0]' 2 --check-stages | FileCheck %s --check-prefix=CLAIMS
// RUN: not noria run %s --entry=claims '[1.0, 2.0]' 3 2>&1 | FileCheck %s --check-prefix=CLAIM
// RUN: not noria run %s --entry=claims '[1.0, 2.0]' 3 --interpret 2>&1 | FileCheck %s --check-prefix=CLAIM

// Values of every kind become arguments, with the dims of tensors; constants and empty tensors are copied. Tensors of
// index are passed as i64.
// CHECK-LABEL: func.func @captures(
// CHECK-SAME: %[[A:[^:]*]]: tensor<?x3xf32>, %[[N:[^:]*]]: index, %[[T:[^:]*]]: tensor<?xindex>, %[[F:[^:]*]]: f16, %[[Z:[^:]*]]: complex<f32>, %[[B:[^:]*]]: i1)
// CHECK: %[[D:.*]] = tensor.dim %[[A]],
// CHECK: %[[E:.*]] = tensor.dim %[[T]],
// CHECK: %[[M:.*]] = memref.alloc()
// CHECK: %[[V:.*]] = vector.broadcast %[[N]]
// CHECK: %[[I64:.*]] = arith.index_cast %[[T]] : tensor<?xindex> to tensor<?xi64>
// CHECK: %[[V64:.*]] = arith.index_cast %[[V]] : vector<4xindex> to vector<4xi64>
// CHECK: %[[R:.*]]:4 = flow.dispatch.workgroups(%[[A]], %[[D]], %[[I64]], %[[F]], %[[Z]], %[[M]], %[[V64]], %[[B]], %[[E]],
// CHECK-SAME: -> (tensor<?x3xf32>{%[[D]]}, tensor<?xi64>{%[[E]]}, tensor<3xcomplex<f32>>, tensor<i32>) =
// CHECK-NEXT: (%[[INA:[^:]*]]: !flow.dispatch.tensor<readonly:tensor<?x3xf32>>, %[[IND:[^:]*]]: index,
// CHECK: tensor.empty(%[[IND]])
// CHECK: %[[X:.*]] = flow.dispatch.tensor.load %[[INA]],
// CHECK: linalg.map { math.absf } ins(%[[X]]
// CHECK: flow.dispatch.tensor.store {{.*}} -> !flow.dispatch.tensor<writeonly:tensor<?x3xf32>>{%[[IND]]}
// CHECK: %[[J:.*]] = arith.index_cast {{.*}} : tensor<?xindex> to tensor<?xi64>
// CHECK: flow.dispatch.tensor.store %[[J]],
// CHECK: flow.return{{$}}
// CHECK-NEXT: }
// CHECK-NOT: count
// CHECK: arith.index_cast %[[R]]#1 : tensor<?xi64> to tensor<?xindex>

// CAPTURES: dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00]]> : tensor<1x3xf32>
// CAPTURES: dense<[2, 4]> : tensor<2xindex>
// CAPTURES: dense<(2.500000e+00,2.000000e+00)> : tensor<3xcomplex<f32>>
// CAPTURES: dense<15> : tensor<i32>
// NOTHING: tensor<1x3xf32>
// NOTHING: tensor<0xindex>
// NOTHING: dense<(2.500000e+00,2.000000e+00)> : tensor<3xcomplex<f32>>
// NOTHING: dense<7> : tensor<i32>
func.func @captures(%a: tensor<?x3xf32>, %n: index, %t: tensor<?xindex>, %f: f16, %z: complex<f32>, %b: i1) -> (tensor<?x3xf32>, tensor<?xindex>, tensor<3xcomplex<f32>>, tensor<i32>) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %a, %c0 : tensor<?x3xf32>
  %e = tensor.dim %t, %c0 : tensor<?xindex>
  %m = memref.alloc() : memref<4xi32>
  %seven = arith.constant 7 : i32
  memref.store %seven, %m[%c0] : memref<4xi32>
  %v = vector.broadcast %n : index to vector<4xindex>
  %steps = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  %empty = tensor.empty(%d) : tensor<?x3xf32>
  %0:4 = flow.dispatch.region[%d] -> (tensor<?x3xf32>{%d}, tensor<?xindex>{%e}, tensor<3xcomplex<f32>>, tensor<i32>) {
    %r = linalg.map { math.absf } ins(%a : tensor<?x3xf32>) outs(%empty : tensor<?x3xf32>)
    %p = arith.addi %t, %t : tensor<?xindex>
    %ff = arith.extf %f : f16 to f32
    %y = complex.create %ff, %ff : complex<f32>
    %im = arith.constant 0.0 : f32
    %re = complex.create %ff, %im : complex<f32>
    %sum = complex.add %z, %re : complex<f32>
    %q = tensor.splat %sum : tensor<3xcomplex<f32>>
    %w = memref.load %m[%c0] : memref<4xi32>
    %v32 = arith.index_cast %v : vector<4xindex> to vector<4xi32>
    %vs = arith.addi %v32, %steps : vector<4xi32>
    %u = vector.extract %vs[2] : i32 from vector<4xi32>
    %s = scf.if %b -> i32 {
      %x = arith.addi %u, %w : i32
      scf.yield %x : i32
    } else {
      scf.yield %w : i32
    }
    %i = tensor.from_elements %s : tensor<i32>
    flow.return %r, %p, %q, %i : tensor<?x3xf32>, tensor<?xindex>, tensor<3xcomplex<f32>>, tensor<i32>
  } count(%x: index) -> (index, index, index) {
    flow.return %x, %x, %x : index, index, index
  }
  memref.dealloc %m : memref<4xi32>
  return %0#0, %0#1, %0#2, %0#3 : tensor<?x3xf32>, tensor<?xindex>, tensor<3xcomplex<f32>>, tensor<i32>
}

// A result starts as a captured tensor that is not used otherwise: it is tied.
// CHECK-LABEL: func.func @in_place
// CHECK: flow.dispatch.workgroups(%[[T:.*]], %{{.*}}) : (tensor<3xf32>, index) -> %[[T]] =
// CHECK-NEXT: (%{{.*}}: !flow.dispatch.tensor<readwrite:tensor<3xf32>>, %{{.*}}: index)
// CHECK: flow.dispatch.workgroups({{.*}}) : (tensor<3xf32>, index) -> tensor<3xf32> =
// PLACE: dense<[1.000000e+00, 5.000000e+00, 3.000000e+00]> : tensor<3xf32>
// PLACE: dense<[1.000000e+00, 1.000000e+00, 3.000000e+00]> : tensor<3xf32>
// PLACE: dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
func.func @in_place(%t: tensor<3xf32>, %k: index) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 5.0 : f32
  %0 = flow.dispatch.region -> (tensor<3xf32>) {
    %r = tensor.insert %x into %t[%k] : tensor<3xf32>
    flow.return %r : tensor<3xf32>
  }
  %1 = flow.dispatch.region -> (tensor<3xf32>) {
    %e = tensor.extract %t[%c0] : tensor<3xf32>
    %r = tensor.insert %e into %t[%k] : tensor<3xf32>
    flow.return %r : tensor<3xf32>
  }
  return %0, %1, %t : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// A region in a region is part of its dispatch; its workgroup is the only one.
// CHECK-LABEL: func.func @nested
// CHECK-COUNT-1: flow.dispatch.workgroups
// CHECK-NOT: flow.dispatch.region
// NESTED: dense<[3.000000e+00, 5.000000e+00, 7.000000e+00]> : tensor<3xf32>
func.func @nested(%t: tensor<3xf32>) -> tensor<3xf32> {
  %0 = flow.dispatch.region -> (tensor<3xf32>) {
    %1 = flow.dispatch.region -> (tensor<3xf32>) {
      %r = arith.addf %t, %t : tensor<3xf32>
      flow.return %r : tensor<3xf32>
    }
    %id = flow.dispatch.workgroup.id[1] : index
    %count = flow.dispatch.workgroup.count[1] : index
    %n = arith.addi %id, %count : index
    %i = arith.index_cast %n : index to i32
    %f = arith.sitofp %i : i32 to f32
    %s = tensor.splat %f : tensor<3xf32>
    %r = arith.addf %1, %s : tensor<3xf32>
    flow.return %r : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @blocks
// CHECK: cf.cond_br
// CHECK-COUNT-2: flow.dispatch.tensor.store
// BLOCKS: dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>
func.func @blocks(%t: tensor<2xf32>, %b: i1) -> tensor<2xf32> {
  %0 = flow.dispatch.region -> (tensor<2xf32>) {
    cf.cond_br %b, ^twice, ^once
  ^twice:
    %r = arith.addf %t, %t : tensor<2xf32>
    flow.return %r : tensor<2xf32>
  ^once:
    flow.return %t : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// CLAIMS: dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CLAIM: 'flow.dispatch.region' op dim 0 of result #0 is 2, not 3 as the op says
func.func @claims(%t: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %0 = flow.dispatch.region -> (tensor<?xf32>{%n}) {
    flow.return %t : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
