// nms.mlir - non-maximum suppression as ONNX NonMaxSuppression defines it: for each batch and class, boxes are taken by
// descending score; one is kept unless it overlaps a box that is already kept by more than a share of their union.
//
// The boxes whose score is high enough form a binary heap, which orders only those that are taken: work ends when the
// limit is reached. A box is compared with the kept ones, 16 at a time, until one suppresses it. Threads share the
// pairs of a batch and a class.
//
// A box's key is an integer: the score, as bits in the order of the numbers, above the complement of its index. So
// unsigned comparison takes the higher score, then the lower index. -0 equals 0, and NaN comes after all numbers.
//
// The prelude defines @corners(%boxes: tensor<?x?x4xf32>, %batch: index, %i: index) -> (f32, f32, f32, f32, f32): the
// least x and y of a box, the greatest x and y, and its area. No multiplication and addition are contracted to one
// operation, so that results equal those of other libraries to the last bit.

func.func private @key(%score: f32, %i: index) -> i64 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i32
  %low = arith.constant 0xffffffff : i64
  %c32 = arith.constant 32 : i64
  %sign = arith.constant 0x80000000 : i32
  %ones = arith.constant -1 : i32
  %is_zero = arith.cmpf oeq, %score, %zero : f32
  %is_nan = arith.cmpf uno, %score, %score : f32
  %number = arith.select %is_zero, %zero, %score : f32
  %bits = arith.bitcast %number : f32 to i32
  %negative = arith.cmpi slt, %bits, %c0 : i32
  %flip = arith.select %negative, %ones, %sign : i32
  %ordered = arith.xori %bits, %flip : i32
  %known = arith.select %is_nan, %c0, %ordered : i32
  %wide = arith.extui %known : i32 to i64
  %high = arith.shli %wide, %c32 : i64
  %place = arith.index_cast %i : index to i64
  %inverse = arith.xori %place, %low : i64
  %key = arith.ori %high, %inverse : i64
  return %key : i64
}

// Puts key at the hole of a heap, or below it after larger keys are moved up.
func.func private @sift(%heap: tensor<?xi64>, %hole: index, %count: index, %key: i64) -> tensor<?xi64> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %found:4 = scf.while (%at = %hole, %h = %heap) : (index, tensor<?xi64>) -> (index, tensor<?xi64>, index, i64) {
    %twice = arith.muli %at, %c2 : index
    %left = arith.addi %twice, %c1 : index
    %inside = arith.cmpi ult, %left, %count : index
    %next:3 = scf.if %inside -> (i1, index, i64) {
      %right_or_more = arith.addi %left, %c1 : index
      %has_right = arith.cmpi ult, %right_or_more, %count : index
      %right = arith.select %has_right, %right_or_more, %left : index
      %left_key = tensor.extract %h[%left] : tensor<?xi64>
      %right_key = tensor.extract %h[%right] : tensor<?xi64>
      %right_first = arith.cmpi ugt, %right_key, %left_key : i64
      %child = arith.select %right_first, %right, %left : index
      %child_key = arith.maxui %left_key, %right_key : i64
      %moves = arith.cmpi ugt, %child_key, %key : i64
      scf.yield %moves, %child, %child_key : i1, index, i64
    } else {
      scf.yield %inside, %at, %key : i1, index, i64
    }
    scf.condition(%next#0) %at, %h, %next#1, %next#2 : index, tensor<?xi64>, index, i64
  } do {
  ^bb0(%at: index, %h: tensor<?xi64>, %child: index, %child_key: i64):
    %moved = tensor.insert %child_key into %h[%at] : tensor<?xi64>
    scf.yield %child, %moved : index, tensor<?xi64>
  }
  %filled = tensor.insert %key into %found#1[%found#0] : tensor<?xi64>
  return %filled : tensor<?xi64>
}

// The heap of the keys of a class, in a list of n, and how many they are.
func.func private @candidates(%scores: tensor<?x?x?xf32>, %batch: index, %class: index, %n: index, %least: f32,
    %any_score: i1, %list: tensor<?xi64>) -> (tensor<?xi64>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %keys:2 = scf.for %i = %c0 to %n step %c1 iter_args(%l = %list, %count = %c0) -> (tensor<?xi64>, index) {
    %score = tensor.extract %scores[%batch, %class, %i] : tensor<?x?x?xf32>
    %above = arith.cmpf ogt, %score, %least : f32
    %wanted = arith.ori %above, %any_score : i1
    // written in any case, and kept by counting it; the count is at most i
    %key = func.call @key(%score, %i) : (f32, index) -> i64
    %with = tensor.insert %key into %l[%count] : tensor<?xi64>
    %one_more = arith.addi %count, %c1 : index
    %next = arith.select %wanted, %one_more, %count : index
    scf.yield %with, %next : tensor<?xi64>, index
  }
  %half = arith.divui %keys#1, %c2 : index
  %heap = scf.for %i = %c0 to %half step %c1 iter_args(%h = %keys#0) -> (tensor<?xi64>) {
    %done = arith.addi %i, %c1 : index
    %at = arith.subi %half, %done : index
    %key = tensor.extract %h[%at] : tensor<?xi64>
    %sifted = func.call @sift(%h, %at, %keys#1, %key) : (tensor<?xi64>, index, index, i64) -> tensor<?xi64>
    scf.yield %sifted : tensor<?xi64>
  }
  return %heap, %keys#1 : tensor<?xi64>, index
}

// Whether two boxes, given by their least x and y and greatest x and y, may have an area in common.
func.func private @near(%a1: f32, %b1: f32, %a2: f32, %b2: f32, %x1: f32, %y1: f32, %x2: f32, %y2: f32) -> i1 {
  %right = arith.cmpf olt, %x1, %a2 : f32
  %left = arith.cmpf olt, %a1, %x2 : f32
  %below = arith.cmpf olt, %y1, %b2 : f32
  %above = arith.cmpf olt, %b1, %y2 : f32
  %x = arith.andi %right, %left : i1
  %y = arith.andi %below, %above : i1
  %near = arith.andi %x, %y : i1
  return %near : i1
}

// Whether one of the first `count` kept boxes overlaps a box by more than a share of their union. A block of kept has
// 16 boxes: the least x of each, the least y, the greatest x and y, and the areas.
func.func private @suppressed(%kept: tensor<?x5x16xf32>, %count: index, %x1: f32, %y1: f32, %x2: f32, %y2: f32,
    %area: f32, %share: f32) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %no = arith.constant false
  %yes = arith.constant true
  %result:2 = scf.while (%block = %c0, %found = %no) : (index, i1) -> (index, i1) {
    %begin = arith.muli %block, %c16 : index
    %left = arith.cmpi ult, %begin, %count : index
    %not_found = arith.xori %found, %yes : i1
    %go_on = arith.andi %left, %not_found : i1
    scf.condition(%go_on) %block, %found : index, i1
  } do {
  ^bb0(%block: index, %unused: i1):
    %begin = arith.muli %block, %c16 : index
    // a NaN of either box is near nothing
    %some_near = scf.for %lane = %c0 to %c16 step %c1 iter_args(%acc = %no) -> (i1) {
      %a1 = tensor.extract %kept[%block, %c0, %lane] : tensor<?x5x16xf32>
      %b1 = tensor.extract %kept[%block, %c1, %lane] : tensor<?x5x16xf32>
      %a2 = tensor.extract %kept[%block, %c2, %lane] : tensor<?x5x16xf32>
      %b2 = tensor.extract %kept[%block, %c3, %lane] : tensor<?x5x16xf32>
      %near = func.call @near(%a1, %b1, %a2, %b2, %x1, %y1, %x2, %y2) : (f32, f32, f32, f32, f32, f32, f32, f32) -> i1
      %next = arith.ori %acc, %near : i1
      scf.yield %next : i1
    }
    %any = scf.if %some_near -> (i1) {
      %some = scf.for %lane = %c0 to %c16 step %c1 iter_args(%acc = %no) -> (i1) {
        %i = arith.addi %begin, %lane : index
        %there = arith.cmpi ult, %i, %count : index
        %a1 = tensor.extract %kept[%block, %c0, %lane] : tensor<?x5x16xf32>
        %b1 = tensor.extract %kept[%block, %c1, %lane] : tensor<?x5x16xf32>
        %a2 = tensor.extract %kept[%block, %c2, %lane] : tensor<?x5x16xf32>
        %b2 = tensor.extract %kept[%block, %c3, %lane] : tensor<?x5x16xf32>
        %other = tensor.extract %kept[%block, %c4, %lane] : tensor<?x5x16xf32>
        %near = func.call @near(%a1, %b1, %a2, %b2, %x1, %y1, %x2, %y2) : (f32, f32, f32, f32, f32, f32, f32, f32) -> i1
        %left_of = arith.cmpf olt, %a1, %x1 : f32
        %above = arith.cmpf olt, %b1, %y1 : f32
        %right_of = arith.cmpf olt, %x2, %a2 : f32
        %below = arith.cmpf olt, %y2, %b2 : f32
        %xmin = arith.select %left_of, %x1, %a1 : f32
        %ymin = arith.select %above, %y1, %b1 : f32
        %xmax = arith.select %right_of, %x2, %a2 : f32
        %ymax = arith.select %below, %y2, %b2 : f32
        %width = arith.subf %xmax, %xmin : f32
        %height = arith.subf %ymax, %ymin : f32
        %both = arith.mulf %width, %height : f32
        %areas = arith.addf %area, %other : f32
        %union = arith.subf %areas, %both : f32
        %quotient = arith.divf %both, %union : f32
        %wide = arith.cmpf ogt, %width, %zero : f32
        %high = arith.cmpf ogt, %height, %zero : f32
        %meet = arith.cmpf ogt, %both, %zero : f32
        %is_box = arith.cmpf ogt, %area, %zero : f32
        %other_is_box = arith.cmpf ogt, %other, %zero : f32
        %has_area = arith.cmpf ogt, %union, %zero : f32
        %over = arith.cmpf ogt, %quotient, %share : f32
        %and0 = arith.andi %wide, %high : i1
        %and1 = arith.andi %meet, %has_area : i1
        %and2 = arith.andi %is_box, %other_is_box : i1
        %and3 = arith.andi %and0, %and1 : i1
        %and4 = arith.andi %and2, %over : i1
        %and5 = arith.andi %and3, %and4 : i1
        %and6 = arith.andi %near, %there : i1
        %dies = arith.andi %and5, %and6 : i1
        %next = arith.ori %acc, %dies : i1
        scf.yield %next : i1
      }
      scf.yield %some : i1
    } else {
      scf.yield %no : i1
    }
    %after = arith.addi %block, %c1 : index
    scf.yield %after, %any : index, i1
  }
  return %result#1 : i1
}

// For each kept box, in order of batch, class, and selection, a row of the three indices. Of each class at most `limit`
// boxes are kept, which is at most their number; boxes count whose score is above `least`, or all if any_score.
func.func @nms(%boxes: tensor<?x?x4xf32>, %scores: tensor<?x?x?xf32>, %limit: index, %share: f32, %least: f32,
    %any_score: i1) -> tensor<?x3xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %low = arith.constant 0xffffffff : i64
  %num_batches = tensor.dim %scores, %c0 : tensor<?x?x?xf32>
  %num_classes = tensor.dim %scores, %c1 : tensor<?x?x?xf32>
  %n = tensor.dim %scores, %c2 : tensor<?x?x?xf32>
  %product = arith.muli %num_batches, %num_classes : index
  %nothing = arith.cmpi eq, %limit, %c0 : index
  %pairs = arith.select %nothing, %c0, %product : index
  %nan = arith.constant 0x7FC00000 : f32
  %blocks = arith.ceildivui %limit, %c16 : index
  %places = memref.alloc(%pairs, %limit) : memref<?x?xi64>
  %counts = memref.alloc(%pairs) : memref<?xindex>
  scf.parallel (%pair) = (%c0) to (%pairs) step (%c1) {
    %batch = arith.divui %pair, %num_classes : index
    %class = arith.remui %pair, %num_classes : index
    %list = tensor.empty(%n) : tensor<?xi64>
    %no_kept = tensor.empty(%blocks) : tensor<?x5x16xf32>
    %ordered:2 = func.call @candidates(%scores, %batch, %class, %n, %least, %any_score, %list)
        : (tensor<?x?x?xf32>, index, index, index, f32, i1, tensor<?xi64>) -> (tensor<?xi64>, index)
    %taken:4 = scf.while (%heap = %ordered#0, %size = %ordered#1, %count = %c0, %kept = %no_kept)
        : (tensor<?xi64>, index, index, tensor<?x5x16xf32>) -> (tensor<?xi64>, index, index, tensor<?x5x16xf32>) {
      %left = arith.cmpi ugt, %size, %c0 : index
      %room = arith.cmpi ult, %count, %limit : index
      %more = arith.andi %left, %room : i1
      scf.condition(%more) %heap, %size, %count, %kept : tensor<?xi64>, index, index, tensor<?x5x16xf32>
    } do {
    ^bb0(%heap: tensor<?xi64>, %size: index, %count: index, %kept: tensor<?x5x16xf32>):
      %first = tensor.extract %heap[%c0] : tensor<?xi64>
      %rest = arith.subi %size, %c1 : index
      %last = tensor.extract %heap[%rest] : tensor<?xi64>
      %sifted = func.call @sift(%heap, %c0, %rest, %last) : (tensor<?xi64>, index, index, i64) -> tensor<?xi64>
      %inverse = arith.andi %first, %low : i64
      %place = arith.xori %inverse, %low : i64
      %i = arith.index_cast %place : i64 to index
      %box:5 = func.call @corners(%boxes, %batch, %i) : (tensor<?x?x4xf32>, index, index) -> (f32, f32, f32, f32, f32)
      %dies = func.call @suppressed(%kept, %count, %box#0, %box#1, %box#2, %box#3, %box#4, %share)
          : (tensor<?x5x16xf32>, index, f32, f32, f32, f32, f32, f32) -> i1
      %next:2 = scf.if %dies -> (index, tensor<?x5x16xf32>) {
        scf.yield %count, %kept : index, tensor<?x5x16xf32>
      } else {
        %block = arith.divui %count, %c16 : index
        %lane = arith.remui %count, %c16 : index
        %begins = arith.cmpi eq, %lane, %c0 : index
        %kept0 = scf.if %begins -> (tensor<?x5x16xf32>) {
          %cleared = scf.for %k = %c0 to %c16 step %c1 iter_args(%cleared0 = %kept) -> (tensor<?x5x16xf32>) {
            %cleared1 = tensor.insert %nan into %cleared0[%block, %c0, %k] : tensor<?x5x16xf32>
            scf.yield %cleared1 : tensor<?x5x16xf32>
          }
          scf.yield %cleared : tensor<?x5x16xf32>
        } else {
          scf.yield %kept : tensor<?x5x16xf32>
        }
        %kept1 = tensor.insert %box#0 into %kept0[%block, %c0, %lane] : tensor<?x5x16xf32>
        %kept2 = tensor.insert %box#1 into %kept1[%block, %c1, %lane] : tensor<?x5x16xf32>
        %kept3 = tensor.insert %box#2 into %kept2[%block, %c2, %lane] : tensor<?x5x16xf32>
        %kept4 = tensor.insert %box#3 into %kept3[%block, %c3, %lane] : tensor<?x5x16xf32>
        %kept5 = tensor.insert %box#4 into %kept4[%block, %c4, %lane] : tensor<?x5x16xf32>
        memref.store %place, %places[%pair, %count] : memref<?x?xi64>
        %one_more = arith.addi %count, %c1 : index
        scf.yield %one_more, %kept5 : index, tensor<?x5x16xf32>
      }
      scf.yield %sifted, %rest, %next#0, %next#1 : tensor<?xi64>, index, index, tensor<?x5x16xf32>
    }
    memref.store %taken#2, %counts[%pair] : memref<?xindex>
    scf.reduce
  }
  %total = scf.for %pair = %c0 to %pairs step %c1 iter_args(%sum = %c0) -> (index) {
    %count = memref.load %counts[%pair] : memref<?xindex>
    %next = arith.addi %sum, %count : index
    scf.yield %next : index
  }
  %no_rows = tensor.empty(%total) : tensor<?x3xi64>
  %rows:2 = scf.for %pair = %c0 to %pairs step %c1 iter_args(%rows0 = %no_rows, %begin = %c0)
      -> (tensor<?x3xi64>, index) {
    %batch = arith.divui %pair, %num_classes : index
    %class = arith.remui %pair, %num_classes : index
    %batch_number = arith.index_cast %batch : index to i64
    %class_number = arith.index_cast %class : index to i64
    %count = memref.load %counts[%pair] : memref<?xindex>
    %with = scf.for %i = %c0 to %count step %c1 iter_args(%rows1 = %rows0) -> (tensor<?x3xi64>) {
      %row = arith.addi %begin, %i : index
      %place = memref.load %places[%pair, %i] : memref<?x?xi64>
      %rows2 = tensor.insert %batch_number into %rows1[%row, %c0] : tensor<?x3xi64>
      %rows3 = tensor.insert %class_number into %rows2[%row, %c1] : tensor<?x3xi64>
      %rows4 = tensor.insert %place into %rows3[%row, %c2] : tensor<?x3xi64>
      scf.yield %rows4 : tensor<?x3xi64>
    }
    %end = arith.addi %begin, %count : index
    scf.yield %with, %end : tensor<?x3xi64>, index
  }
  return %rows#0 : tensor<?x3xi64>
}
