// While loops that carry tensors. test_while.py runs them, and every pass on them.
// RUN: noria run %s --check-stages '[1, 2, 4, 8]' 100 | FileCheck %s
// CHECK: dense<[8.000000e+00, 1.600000e+01, 3.200000e+01, 6.400000e+01]> : tensor<4xf32>
// CHECK-NEXT: 3 : i32
// CHECK-NEXT: dense<[8.000000e+00, 4.000000e+00, 2.000000e+00, 1.000000e+00]> : tensor<4xf32>

#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0) -> ()>

// Doubles %t until the sum of its elements is at least %limit, at most 20 times; and how often that was.
func.func @double_until(%t: tensor<?xf32>, %limit: f32) -> (tensor<?xf32>, i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %most = arith.constant 20 : i32
  %f0 = arith.constant 0.0 : f32
  %r:2 = scf.while (%x = %t, %k = %zero) : (tensor<?xf32>, i32) -> (tensor<?xf32>, i32) {
    %none = tensor.empty() : tensor<f32>
    %start = linalg.fill ins(%f0 : f32) outs(%none : tensor<f32>) -> tensor<f32>
    %total = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction"]}
        ins(%x : tensor<?xf32>) outs(%start : tensor<f32>) {
    ^bb0(%e: f32, %acc: f32):
      %s = arith.addf %acc, %e : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    %sum = tensor.extract %total[] : tensor<f32>
    %low = arith.cmpf olt, %sum, %limit : f32
    %left = arith.cmpi slt, %k, %most : i32
    %more = arith.andi %low, %left : i1
    scf.condition(%more) %x, %k : tensor<?xf32>, i32
  } do {
  ^bb0(%x: tensor<?xf32>, %k: i32):
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %none = tensor.empty(%n) : tensor<?xf32>
    %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : tensor<?xf32>) outs(%none : tensor<?xf32>) {
    ^bb0(%e: f32, %o: f32):
      %d = arith.addf %e, %e : f32
      linalg.yield %d : f32
    } -> tensor<?xf32>
    %k1 = arith.addi %k, %one : i32
    scf.yield %y, %k1 : tensor<?xf32>, i32
  }
  return %r#0, %r#1 : tensor<?xf32>, i32
}

// Swaps the elements from both ends inwards, while the left one is less than the right one.
func.func @swap_ends(%t: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %r:3 = scf.while (%x = %t, %i = %c0, %j = %n) : (tensor<?xf32>, index, index) -> (tensor<?xf32>, index, index) {
    %i1 = arith.addi %i, %c1 : index
    %apart = arith.cmpi slt, %i1, %j : index
    %more = scf.if %apart -> (i1) {
      %last = arith.subi %j, %c1 : index
      %a = tensor.extract %x[%i] : tensor<?xf32>
      %b = tensor.extract %x[%last] : tensor<?xf32>
      %less = arith.cmpf olt, %a, %b : f32
      scf.yield %less : i1
    } else {
      scf.yield %false : i1
    }
    scf.condition(%more) %x, %i, %j : tensor<?xf32>, index, index
  } do {
  ^bb0(%x: tensor<?xf32>, %i: index, %j: index):
    %last = arith.subi %j, %c1 : index
    %a = tensor.extract %x[%i] : tensor<?xf32>
    %b = tensor.extract %x[%last] : tensor<?xf32>
    %y = tensor.insert %b into %x[%i] : tensor<?xf32>
    %z = tensor.insert %a into %y[%last] : tensor<?xf32>
    %i1 = arith.addi %i, %c1 : index
    scf.yield %z, %i1, %last : tensor<?xf32>, index, index
  }
  return %r#0 : tensor<?xf32>
}

func.func @main(%values: tensor<?xf32>, %limit: f32) -> (tensor<?xf32>, i32, tensor<?xf32>) {
  %doubled:2 = func.call @double_until(%values, %limit) : (tensor<?xf32>, f32) -> (tensor<?xf32>, i32)
  %swapped = func.call @swap_ends(%values) : (tensor<?xf32>) -> tensor<?xf32>
  return %doubled#0, %doubled#1, %swapped : tensor<?xf32>, i32, tensor<?xf32>
}
