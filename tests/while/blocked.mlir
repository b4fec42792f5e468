// A blocked for in a while: non-maximum suppression of boxes in the order of their scores, 16 boxes at a time. All boxes
// of a block are compared with one kept box after the other, until each is suppressed. Then the boxes of the block are
// taken in order: one that is kept suppresses those behind it, and one that is suppressed suppresses no other. So the
// result is that of taking box by box. test_while.py compares it with that.
// RUN: noria run %s --check-stages '[0, 1, 10, 0.5]' '[0, 1, 10, 0.5]' '[4, 5, 12, 4]' '[4, 5, 12, 4]' 0.5 4 | FileCheck %s
// RUN: noria run %s '[0, 1, 10, 0.5]' '[0, 1, 10, 0.5]' '[4, 5, 12, 4]' '[4, 5, 12, 4]' 0.5 2 | FileCheck %s --check-prefix=TWO
// CHECK: dense<[0, 1, 2, -1]> : tensor<4xi64>
// CHECK-NEXT: 3 : index
// TWO: dense<[0, 1, -1, -1]> : tensor<4xi64>
// TWO-NEXT: 2 : index

// Whether two boxes overlap by more than a share of their union.
func.func private @suppresses(%ax1: f32, %ay1: f32, %ax2: f32, %ay2: f32, %bx1: f32, %by1: f32, %bx2: f32, %by2: f32,
    %share: f32) -> i1 {
  %zero = arith.constant 0.0 : f32
  %x1 = arith.maximumf %ax1, %bx1 : f32
  %y1 = arith.maximumf %ay1, %by1 : f32
  %x2 = arith.minimumf %ax2, %bx2 : f32
  %y2 = arith.minimumf %ay2, %by2 : f32
  %w = arith.subf %x2, %x1 : f32
  %h = arith.subf %y2, %y1 : f32
  %both = arith.mulf %w, %h : f32
  %aw = arith.subf %ax2, %ax1 : f32
  %ah = arith.subf %ay2, %ay1 : f32
  %bw = arith.subf %bx2, %bx1 : f32
  %bh = arith.subf %by2, %by1 : f32
  %a = arith.mulf %aw, %ah : f32
  %b = arith.mulf %bw, %bh : f32
  %sum = arith.addf %a, %b : f32
  %union = arith.subf %sum, %both : f32
  %part = arith.divf %both, %union : f32
  %wide = arith.cmpf ogt, %w, %zero : f32
  %high = arith.cmpf ogt, %h, %zero : f32
  %more = arith.cmpf ogt, %part, %share : f32
  %meet = arith.andi %wide, %high : i1
  %yes = arith.andi %meet, %more : i1
  return %yes : i1
}

// The 16 elements from %first on; behind the end, the last one again.
func.func private @block(%t: tensor<?xf32>, %first: index) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %last = arith.subi %n, %c1 : index
  %none = tensor.empty() : tensor<16xf32>
  %r = scf.for %lane = %c0 to %c16 step %c1 iter_args(%acc = %none) -> (tensor<16xf32>) {
    %i = arith.addi %first, %lane : index
    %at = arith.minui %i, %last : index
    %e = tensor.extract %t[%at] : tensor<?xf32>
    %acc1 = tensor.insert %e into %acc[%lane] : tensor<16xf32>
    scf.yield %acc1 : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

// The places of the boxes that are kept, at most %limit, and behind them -1; and how many they are.
func.func @main(%x1: tensor<?xf32>, %y1: tensor<?xf32>, %x2: tensor<?xf32>, %y2: tensor<?xf32>, %share: f32,
    %limit: index) -> (tensor<?xi64>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %true = arith.constant true
  %none = arith.constant -1 : i64
  %n = tensor.dim %x1, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xi64>
  %no_kept = linalg.fill ins(%none : i64) outs(%empty : tensor<?xi64>) -> tensor<?xi64>
  %all:3 = scf.while (%first = %c0, %kept = %no_kept, %count = %c0)
      : (index, tensor<?xi64>, index) -> (index, tensor<?xi64>, index) {
    %left = arith.cmpi ult, %first, %n : index
    %room = arith.cmpi ult, %count, %limit : index
    %more = arith.andi %left, %room : i1
    scf.condition(%more) %first, %kept, %count : index, tensor<?xi64>, index
  } do {
  ^bb0(%first: index, %kept: tensor<?xi64>, %count: index):
    %bx1 = func.call @block(%x1, %first) : (tensor<?xf32>, index) -> tensor<16xf32>
    %by1 = func.call @block(%y1, %first) : (tensor<?xf32>, index) -> tensor<16xf32>
    %bx2 = func.call @block(%x2, %first) : (tensor<?xf32>, index) -> tensor<16xf32>
    %by2 = func.call @block(%y2, %first) : (tensor<?xf32>, index) -> tensor<16xf32>
    // what is behind the last box counts as suppressed
    %no_mask = tensor.empty() : tensor<16xi1>
    %start = scf.for %lane = %c0 to %c16 step %c1 iter_args(%acc = %no_mask) -> (tensor<16xi1>) {
      %i = arith.addi %first, %lane : index
      %behind = arith.cmpi uge, %i, %n : index
      %acc1 = tensor.insert %behind into %acc[%lane] : tensor<16xi1>
      scf.yield %acc1 : tensor<16xi1>
    }
    %false = arith.constant false
    %by_kept:3 = scf.while (%s = %c0, %mask = %start, %dead = %false)
        : (index, tensor<16xi1>, i1) -> (index, tensor<16xi1>, i1) {
      %more = arith.cmpi ult, %s, %count : index
      %alive = arith.xori %dead, %true : i1
      %go_on = arith.andi %more, %alive : i1
      scf.condition(%go_on) %s, %mask, %dead : index, tensor<16xi1>, i1
    } do {
    ^bb0(%s: index, %mask: tensor<16xi1>, %unused: i1):
      %place = tensor.extract %kept[%s] : tensor<?xi64>
      %k = arith.index_cast %place : i64 to index
      %kx1 = tensor.extract %x1[%k] : tensor<?xf32>
      %ky1 = tensor.extract %y1[%k] : tensor<?xf32>
      %kx2 = tensor.extract %x2[%k] : tensor<?xf32>
      %ky2 = tensor.extract %y2[%k] : tensor<?xf32>
      %next:2 = scf.for %lane = %c0 to %c16 step %c1 iter_args(%acc = %mask, %dead = %true) -> (tensor<16xi1>, i1) {
        %a = tensor.extract %bx1[%lane] : tensor<16xf32>
        %b = tensor.extract %by1[%lane] : tensor<16xf32>
        %c = tensor.extract %bx2[%lane] : tensor<16xf32>
        %d = tensor.extract %by2[%lane] : tensor<16xf32>
        %dies = func.call @suppresses(%kx1, %ky1, %kx2, %ky2, %a, %b, %c, %d, %share)
            : (f32, f32, f32, f32, f32, f32, f32, f32, f32) -> i1
        %before = tensor.extract %acc[%lane] : tensor<16xi1>
        %now = arith.ori %before, %dies : i1
        %acc1 = tensor.insert %now into %acc[%lane] : tensor<16xi1>
        %all_dead = arith.andi %dead, %now : i1
        scf.yield %acc1, %all_dead : tensor<16xi1>, i1
      }
      %s1 = arith.addi %s, %c1 : index
      scf.yield %s1, %next#0, %next#1 : index, tensor<16xi1>, i1
    }
    // the block itself, in order
    %taken:3 = scf.for %l = %c0 to %c16 step %c1 iter_args(%mask = %by_kept#1, %list = %kept, %size = %count)
        -> (tensor<16xi1>, tensor<?xi64>, index) {
      %suppressed = tensor.extract %mask[%l] : tensor<16xi1>
      %alive = arith.xori %suppressed, %true : i1
      %room = arith.cmpi ult, %size, %limit : index
      %keep = arith.andi %alive, %room : i1
      %after:3 = scf.if %keep -> (tensor<16xi1>, tensor<?xi64>, index) {
        %i = arith.addi %first, %l : index
        %place = arith.index_cast %i : index to i64
        %list1 = tensor.insert %place into %list[%size] : tensor<?xi64>
        %size1 = arith.addi %size, %c1 : index
        %lx1 = tensor.extract %bx1[%l] : tensor<16xf32>
        %ly1 = tensor.extract %by1[%l] : tensor<16xf32>
        %lx2 = tensor.extract %bx2[%l] : tensor<16xf32>
        %ly2 = tensor.extract %by2[%l] : tensor<16xf32>
        %next = scf.for %lane = %c0 to %c16 step %c1 iter_args(%acc = %mask) -> (tensor<16xi1>) {
          %a = tensor.extract %bx1[%lane] : tensor<16xf32>
          %b = tensor.extract %by1[%lane] : tensor<16xf32>
          %c = tensor.extract %bx2[%lane] : tensor<16xf32>
          %d = tensor.extract %by2[%lane] : tensor<16xf32>
          %dies = func.call @suppresses(%lx1, %ly1, %lx2, %ly2, %a, %b, %c, %d, %share)
              : (f32, f32, f32, f32, f32, f32, f32, f32, f32) -> i1
          %later = arith.cmpi ugt, %lane, %l : index
          %hit = arith.andi %dies, %later : i1
          %before = tensor.extract %acc[%lane] : tensor<16xi1>
          %now = arith.ori %before, %hit : i1
          %acc1 = tensor.insert %now into %acc[%lane] : tensor<16xi1>
          scf.yield %acc1 : tensor<16xi1>
        }
        scf.yield %next, %list1, %size1 : tensor<16xi1>, tensor<?xi64>, index
      } else {
        scf.yield %mask, %list, %size : tensor<16xi1>, tensor<?xi64>, index
      }
      scf.yield %after#0, %after#1, %after#2 : tensor<16xi1>, tensor<?xi64>, index
    }
    %behind = arith.addi %first, %c16 : index
    scf.yield %behind, %taken#1, %taken#2 : index, tensor<?xi64>, index
  }
  return %all#1, %all#2 : tensor<?xi64>, index
}
