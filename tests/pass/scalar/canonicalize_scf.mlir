// RUN: noria opt --pass-pipeline=canonicalize %s | FileCheck %s
// RUN: noria opt --pass-pipeline=canonicalize --syntax=mlir %s | mlir-opt

func.func private @use(index)
func.func private @use_float(f32)
func.func private @test() -> i1

// CHECK-LABEL: func.func @no_iteration
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: f32)
// CHECK-NEXT: return %[[X]], %[[X]]
func.func @no_iteration(%n: index, %x: f32) -> (f32, f32) {
  %c7 = arith.constant 7 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c7 to %c3 step %n iter_args(%a = %x) -> (f32) {
    func.call @use(%i) : (index) -> ()
    scf.yield %a : f32
  }
  %1 = scf.for %i = %n to %n step %c3 iter_args(%a = %x) -> (f32) {
    func.call @use(%i) : (index) -> ()
    scf.yield %a : f32
  }
  return %0, %1 : f32, f32
}

// CHECK-LABEL: func.func @one_iteration
// CHECK-SAME: %[[X:.*]]: f32)
// CHECK-NEXT: %[[C3:.*]] = arith.constant 3 : index
// CHECK-NEXT: call @use(%[[C3]])
// CHECK-NEXT: %[[R:.*]] = arith.addf %[[X]], %[[X]] : f32
// CHECK-NEXT: return %[[R]] : f32
func.func @one_iteration(%x: f32) -> f32 {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c3 to %c4 step %c3 iter_args(%a = %x) -> (f32) {
    func.call @use(%i) : (index) -> ()
    %s = arith.addf %a, %a : f32
    scf.yield %s : f32
  }
  return %0 : f32
}

// CHECK-LABEL: func.func @unsigned_range
// CHECK: scf.for unsigned
func.func @unsigned_range(%x: f32) -> f32 {
  %c3 = arith.constant 3 : i8
  %m1 = arith.constant -1 : i8
  %0 = scf.for unsigned %i = %c3 to %m1 step %c3 iter_args(%a = %x) -> (f32) : i8 {
    %s = arith.addf %a, %a : f32
    scf.yield %s : f32
  }
  return %0 : f32
}

// CHECK-LABEL: func.func @invariant
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %[[X]]) -> (f32) {
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[Y]] : f32
// CHECK-NEXT: scf.yield %[[S]] : f32
// CHECK: return %[[R]], %[[Y]]
func.func @invariant(%n: index, %x: f32, %y: f32) -> (f32, f32) {
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c1 to %n step %c1 iter_args(%a = %x, %b = %y) -> (f32, f32) {
    %s = arith.addf %a, %b : f32
    scf.yield %s, %b : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}

// Carried values that only their own next ones depend on.
// CHECK-LABEL: func.func @dead
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT: call @use(%[[I]])
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @dead(%n: index, %x: f32) {
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c1 to %n step %c1 iter_args(%a = %x, %b = %x) -> (f32, f32) {
    func.call @use(%i) : (index) -> ()
    %s = arith.mulf %a, %b : f32
    scf.yield %b, %s : f32, f32
  }
  return
}

// CHECK-LABEL: func.func @duplicate
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (f32) {
// CHECK-NEXT: arith.mulf %[[A]], %[[A]]
// CHECK: return %[[R]], %[[R]]
func.func @duplicate(%n: index, %x: f32) -> (f32, f32) {
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c1 to %n step %c1 iter_args(%a = %x, %b = %x) -> (f32, f32) {
    %s = arith.mulf %a, %b : f32
    scf.yield %s, %s : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}

// Values that change places are all needed.
// CHECK-LABEL: func.func @swapped
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (f32, f32) {
// CHECK-NEXT: scf.yield %[[B]], %[[A]]
func.func @swapped(%n: index, %x: f32, %y: f32) -> f32 {
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c1 to %n step %c1 iter_args(%a = %x, %b = %y) -> (f32, f32) {
    scf.yield %b, %a : f32, f32
  }
  return %r#0 : f32
}

// CHECK-LABEL: func.func @known_condition
// CHECK-SAME: %[[X:.*]]: f32)
// CHECK-NEXT: call @use_float(%[[X]])
// CHECK-NEXT: return %[[X]]
func.func @known_condition(%x: f32) -> f32 {
  %true = arith.constant true
  %false = arith.constant false
  %r = scf.if %true -> (f32) {
    func.call @use_float(%x) : (f32) -> ()
    scf.yield %x : f32
  } else {
    %0 = arith.negf %x : f32
    scf.yield %0 : f32
  }
  scf.if %false {
    func.call @use_float(%r) : (f32) -> ()
  }
  return %r : f32
}

// CHECK-LABEL: func.func @condition_inside
// CHECK-SAME: %[[C:.*]]: i1, %[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK-NEXT: scf.if %[[C]] {
// CHECK-NEXT: call @use_float(%[[X]])
// CHECK-NEXT: } else {
// CHECK-NEXT: call @use_float(%[[Y]])
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @condition_inside(%c: i1, %x: f32, %y: f32) {
  scf.if %c {
    %0 = arith.select %c, %x, %y : f32
    func.call @use_float(%0) : (f32) -> ()
  } else {
    %0 = arith.select %c, %x, %y : f32
    func.call @use_float(%0) : (f32) -> ()
  }
  return
}

// CHECK-LABEL: func.func @results
// CHECK-SAME: %[[C:.*]]: i1, %[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK: %[[S:.*]] = arith.select %[[C]], %[[X]], %[[Y]] : f32
// CHECK-NEXT: %[[R:.*]] = scf.if %[[C]] -> (f32) {
// CHECK: return %[[R]], %[[X]], %[[S]], %[[C]]
func.func @results(%c: i1, %x: f32, %y: f32) -> (f32, f32, f32, i1) {
  %true = arith.constant true
  %false = arith.constant false
  %r:5 = scf.if %c -> (f32, f32, f32, f32, i1) {
    %0 = arith.negf %x : f32
    %1 = arith.mulf %x, %x : f32
    func.call @use_float(%0) : (f32) -> ()
    scf.yield %0, %1, %x, %x, %true : f32, f32, f32, f32, i1
  } else {
    %0 = arith.mulf %x, %y : f32
    scf.yield %0, %0, %x, %y, %false : f32, f32, f32, f32, i1
  }
  return %r#0, %r#2, %r#3, %r#4 : f32, f32, f32, i1
}

// A choice of tensors stays a branch.
// CHECK-LABEL: func.func @tensors
// CHECK: scf.if
func.func @tensors(%c: i1, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.if %c -> (tensor<4xf32>) {
    scf.yield %x : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @empty_branches
// CHECK-SAME: %[[C:.*]]: i1, %[[X:.*]]: f32)
// CHECK-NEXT: %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT: scf.if %[[C]] {
// CHECK-NEXT: call
// CHECK-NEXT: }
// CHECK-NEXT: %[[NOT:.*]] = arith.xori %[[C]], %[[TRUE]] : i1
// CHECK-NEXT: scf.if %[[NOT]] {
// CHECK-NEXT: call
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @empty_branches(%c: i1, %x: f32) {
  scf.if %c {
    func.call @use_float(%x) : (f32) -> ()
  } else {
  }
  scf.if %c {
  } else {
    func.call @use_float(%x) : (f32) -> ()
  }
  scf.if %c {
  } else {
  }
  return
}

// CHECK-LABEL: func.func @while_false
// CHECK-SAME: %[[X:.*]]: f32)
// CHECK-NEXT: call @use_float(%[[X]])
// CHECK-NEXT: return %[[X]]
func.func @while_false(%x: f32) -> f32 {
  %false = arith.constant false
  %r = scf.while (%a = %x) : (f32) -> f32 {
    func.call @use_float(%a) : (f32) -> ()
    scf.condition(%false) %a : f32
  } do {
  ^bb0(%b: f32):
    %0 = arith.negf %b : f32
    scf.yield %0 : f32
  }
  return %r : f32
}

// A loop without end stays, but what it carries for nobody goes.
// CHECK-LABEL: func.func @while_true
// CHECK: scf.while : () -> () {
// CHECK-NEXT: scf.condition(%{{.*}})
// CHECK-NEXT: } do {
// CHECK-NEXT: call @use_float(%{{.*}})
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
func.func @while_true(%x: f32) {
  %true = arith.constant true
  %r = scf.while (%a = %x) : (f32) -> f32 {
    scf.condition(%true) %a : f32
  } do {
  ^bb0(%b: f32):
    func.call @use_float(%b) : (f32) -> ()
    scf.yield %b : f32
  }
  return
}

// CHECK-LABEL: func.func @while_values
// CHECK-SAME: %[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK: %[[R:.*]] = scf.while (%[[A:.*]] = %[[X]]) : (f32) -> f32 {
// CHECK: %[[C:.*]] = {{(func.)?}}call @test()
// CHECK: scf.condition(%[[C]]) %[[A]] : f32
// CHECK: ^bb0(%[[B:.*]]: f32):
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[B]], %[[Y]] : f32
// CHECK-NEXT: scf.yield %[[S]] : f32
// CHECK: return %[[R]], %[[R]], %[[Y]]
func.func @while_values(%x: f32, %y: f32) -> (f32, f32, f32) {
  %r:4 = scf.while (%a = %x, %k = %y) : (f32, f32) -> (f32, f32, f32, i1) {
    %c = func.call @test() : () -> i1
    scf.condition(%c) %a, %a, %k, %c : f32, f32, f32, i1
  } do {
  ^bb0(%b: f32, %same: f32, %l: f32, %c: i1):
    %s = arith.addf %same, %l : f32
    %t = arith.select %c, %s, %b : f32
    scf.yield %t, %l : f32, f32
  }
  return %r#0, %r#1, %r#2 : f32, f32, f32
}

// CHECK-LABEL: func.func @switch
// CHECK-SAME: %[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK-NEXT: return %[[Y]], %[[X]]
func.func @switch(%x: f32, %y: f32) -> (f32, f32) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %0 = scf.index_switch %c2 -> f32
  case 2 {
    scf.yield %y : f32
  }
  default {
    scf.yield %x : f32
  }
  %1 = scf.index_switch %c3 -> f32
  case 2 {
    scf.yield %y : f32
  }
  default {
    scf.yield %x : f32
  }
  return %0, %1 : f32, f32
}

// CHECK-LABEL: func.func @execute_region
// CHECK-NEXT: %[[N:.*]] = arith.negf
// CHECK-NEXT: return %[[N]]
func.func @execute_region(%x: f32) -> f32 {
  %0 = scf.execute_region -> f32 {
    %1 = arith.negf %x : f32
    scf.yield %1 : f32
  }
  return %0 : f32
}

// CHECK-LABEL: func.func @no_points
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: f32)
// CHECK-NEXT: return %[[X]]
func.func @no_points(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c0) step (%c1, %c1) init (%x) -> f32 {
    func.call @use(%i) : (index) -> ()
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}
