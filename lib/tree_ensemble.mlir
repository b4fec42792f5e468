// tree_ensemble.mlir - the votes of decision trees for rows of features.
//
// A node is a row of %links: the feature that it compares, where to go when the comparison holds and when it does not,
// and what it compares by. Where to go is a node, or a leaf as the complement of its number. Leaf i has the votes from
// %first[i] to %first[i + 1]: a target and a weight each. Threads share blocks of rows; a block takes one tree after
// the other, so that the tree stays in the cache.
//
// The tables are checked when the program is compiled: each feature is below the number of columns of %x, and each
// node, leaf, vote and target is there. So nothing is checked in the run.
//
// The prelude defines !T, @holds(!T, !T, i32) -> i1, the comparison of a feature with a threshold, and @combine(!T, !T)
// -> !T, which adds a weight to what a target has.

// Where a row goes on from a node.
func.func private @next(%x: memref<?x?x!T>, %row: index, %links: memref<?x4xi32>, %thresholds: memref<?x!T>, %at: i32)
    -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %node = arith.index_cast %at : i32 to index
  %column = memref.load %links[%node, %c0] : memref<?x4xi32>
  %yes = memref.load %links[%node, %c1] : memref<?x4xi32>
  %no = memref.load %links[%node, %c2] : memref<?x4xi32>
  %by = memref.load %links[%node, %c3] : memref<?x4xi32>
  %threshold = memref.load %thresholds[%node] : memref<?x!T>
  %feature = arith.index_cast %column : i32 to index
  %value = memref.load %x[%row, %feature] : memref<?x?x!T>
  %holds = func.call @holds(%value, %threshold, %by) : (!T, !T, i32) -> i1
  %next = arith.select %holds, %yes, %no : i32
  return %next : i32
}

// The same from a leaf too, where a row stays. It is done for node 0 then, which is there while any row is at a node.
func.func private @next_or_stay(%x: memref<?x?x!T>, %row: index, %links: memref<?x4xi32>, %thresholds: memref<?x!T>,
    %at: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %node = arith.maxsi %at, %zero : i32
  %next = func.call @next(%x, %row, %links, %thresholds, %node)
      : (memref<?x?x!T>, index, memref<?x4xi32>, memref<?x!T>, i32) -> i32
  %inner = arith.cmpi sge, %at, %zero : i32
  %result = arith.select %inner, %next, %at : i32
  return %result : i32
}

// The leaf to which a row comes from a root, as a complement.
func.func private @leaf_of(%x: memref<?x?x!T>, %row: index, %links: memref<?x4xi32>, %thresholds: memref<?x!T>,
    %root: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %leaf = scf.while (%at = %root) : (i32) -> i32 {
    %inner = arith.cmpi sge, %at, %zero : i32
    scf.condition(%inner) %at : i32
  } do {
  ^bb0(%at: i32):
    %next = func.call @next(%x, %row, %links, %thresholds, %at)
        : (memref<?x?x!T>, index, memref<?x4xi32>, memref<?x!T>, i32) -> i32
    scf.yield %next : i32
  }
  return %leaf : i32
}

// Those of four rows. Their loads do not wait for each other.
func.func private @leaves_of_4(%x: memref<?x?x!T>, %r0: index, %links: memref<?x4xi32>, %thresholds: memref<?x!T>,
    %root: i32) -> (i32, i32, i32, i32) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %r1 = arith.addi %r0, %c1 : index
  %r2 = arith.addi %r1, %c1 : index
  %r3 = arith.addi %r2, %c1 : index
  %leaves:4 = scf.while (%a = %root, %b = %root, %c = %root, %d = %root) : (i32, i32, i32, i32)
      -> (i32, i32, i32, i32) {
    %ab = arith.andi %a, %b : i32
    %cd = arith.andi %c, %d : i32
    %all = arith.andi %ab, %cd : i32
    %some_inner = arith.cmpi sge, %all, %zero : i32
    scf.condition(%some_inner) %a, %b, %c, %d : i32, i32, i32, i32
  } do {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %a_next = func.call @next_or_stay(%x, %r0, %links, %thresholds, %a)
        : (memref<?x?x!T>, index, memref<?x4xi32>, memref<?x!T>, i32) -> i32
    %b_next = func.call @next_or_stay(%x, %r1, %links, %thresholds, %b)
        : (memref<?x?x!T>, index, memref<?x4xi32>, memref<?x!T>, i32) -> i32
    %c_next = func.call @next_or_stay(%x, %r2, %links, %thresholds, %c)
        : (memref<?x?x!T>, index, memref<?x4xi32>, memref<?x!T>, i32) -> i32
    %d_next = func.call @next_or_stay(%x, %r3, %links, %thresholds, %d)
        : (memref<?x?x!T>, index, memref<?x4xi32>, memref<?x!T>, i32) -> i32
    scf.yield %a_next, %b_next, %c_next, %d_next : i32, i32, i32, i32
  }
  return %leaves#0, %leaves#1, %leaves#2, %leaves#3 : i32, i32, i32, i32
}

// The votes of a leaf, given as a complement, are combined with what %sums has for a row.
func.func private @add_votes(%first: memref<?xi32>, %targets: memref<?xi32>, %weights: memref<?x!T>,
    %sums: memref<?x?x!T>, %row: index, %complement: i32) {
  %c1 = arith.constant 1 : index
  %ones = arith.constant -1 : i32
  %number = arith.xori %complement, %ones : i32
  %leaf = arith.index_cast %number : i32 to index
  %after = arith.addi %leaf, %c1 : index
  %begin_ = memref.load %first[%leaf] : memref<?xi32>
  %end_ = memref.load %first[%after] : memref<?xi32>
  %begin = arith.index_cast %begin_ : i32 to index
  %end = arith.index_cast %end_ : i32 to index
  scf.for %v = %begin to %end step %c1 {
    %target_ = memref.load %targets[%v] : memref<?xi32>
    %target = arith.index_cast %target_ : i32 to index
    %weight = memref.load %weights[%v] : memref<?x!T>
    %sum = memref.load %sums[%row, %target] : memref<?x?x!T>
    %next = func.call @combine(%sum, %weight) : (!T, !T) -> !T
    memref.store %next, %sums[%row, %target] : memref<?x?x!T>
  }
  return
}

// The votes of trees for rows %r0 to %r1 - 1 are combined with what is in %sums.
func.func private @vote(%x: memref<?x?x!T>, %links: memref<?x4xi32>, %thresholds: memref<?x!T>, %roots: memref<?xi32>,
    %first: memref<?xi32>, %targets: memref<?xi32>, %weights: memref<?x!T>, %sums: memref<?x?x!T>, %r0: index,
    %r1: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %trees = memref.dim %roots, %c0 : memref<?xi32>
  %count = arith.subi %r1, %r0 : index
  %fours = arith.divui %count, %c4 : index
  %in_fours = arith.muli %fours, %c4 : index
  %single = arith.addi %r0, %in_fours : index
  scf.for %tree = %c0 to %trees step %c1 {
    %root = memref.load %roots[%tree] : memref<?xi32>
    scf.for %row = %r0 to %single step %c4 {
      %row1 = arith.addi %row, %c1 : index
      %row2 = arith.addi %row1, %c1 : index
      %row3 = arith.addi %row2, %c1 : index
      %a, %b, %c, %d = func.call @leaves_of_4(%x, %row, %links, %thresholds, %root)
          : (memref<?x?x!T>, index, memref<?x4xi32>, memref<?x!T>, i32) -> (i32, i32, i32, i32)
      func.call @add_votes(%first, %targets, %weights, %sums, %row, %a)
          : (memref<?xi32>, memref<?xi32>, memref<?x!T>, memref<?x?x!T>, index, i32) -> ()
      func.call @add_votes(%first, %targets, %weights, %sums, %row1, %b)
          : (memref<?xi32>, memref<?xi32>, memref<?x!T>, memref<?x?x!T>, index, i32) -> ()
      func.call @add_votes(%first, %targets, %weights, %sums, %row2, %c)
          : (memref<?xi32>, memref<?xi32>, memref<?x!T>, memref<?x?x!T>, index, i32) -> ()
      func.call @add_votes(%first, %targets, %weights, %sums, %row3, %d)
          : (memref<?xi32>, memref<?xi32>, memref<?x!T>, memref<?x?x!T>, index, i32) -> ()
    }
    scf.for %row = %single to %r1 step %c1 {
      %leaf = func.call @leaf_of(%x, %row, %links, %thresholds, %root)
          : (memref<?x?x!T>, index, memref<?x4xi32>, memref<?x!T>, i32) -> i32
      func.call @add_votes(%first, %targets, %weights, %sums, %row, %leaf)
          : (memref<?xi32>, memref<?xi32>, memref<?x!T>, memref<?x?x!T>, index, i32) -> ()
    }
  }
  return
}

// For each row and each of %num_targets the votes of all trees, combined with %start.
func.func @tree_ensemble(%x_: tensor<?x?x!T>, %links_: tensor<?x4xi32>, %thresholds_: tensor<?x!T>,
    %roots_: tensor<?xi32>, %first_: tensor<?xi32>, %targets_: tensor<?xi32>, %weights_: tensor<?x!T>,
    %num_targets: index, %start: !T) -> tensor<?x?x!T> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = bufferization.to_buffer %x_ read_only : tensor<?x?x!T> to memref<?x?x!T>
  %links = bufferization.to_buffer %links_ read_only : tensor<?x4xi32> to memref<?x4xi32>
  %thresholds = bufferization.to_buffer %thresholds_ read_only : tensor<?x!T> to memref<?x!T>
  %roots = bufferization.to_buffer %roots_ read_only : tensor<?xi32> to memref<?xi32>
  %first = bufferization.to_buffer %first_ read_only : tensor<?xi32> to memref<?xi32>
  %targets = bufferization.to_buffer %targets_ read_only : tensor<?xi32> to memref<?xi32>
  %weights = bufferization.to_buffer %weights_ read_only : tensor<?x!T> to memref<?x!T>
  %rows = memref.dim %x, %c0 : memref<?x?x!T>
  %sums = memref.alloc(%rows, %num_targets) : memref<?x?x!T>
  %blocks = arith.ceildivui %rows, %c64 : index
  scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
    %r0 = arith.muli %block, %c64 : index
    %or_more = arith.addi %r0, %c64 : index
    %r1 = arith.minui %or_more, %rows : index
    scf.for %row = %r0 to %r1 step %c1 {
      scf.for %target = %c0 to %num_targets step %c1 {
        memref.store %start, %sums[%row, %target] : memref<?x?x!T>
      }
    }
    func.call @vote(%x, %links, %thresholds, %roots, %first, %targets, %weights, %sums, %r0, %r1)
        : (memref<?x?x!T>, memref<?x4xi32>, memref<?x!T>, memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<?x!T>,
           memref<?x?x!T>, index, index) -> ()
  }
  %result = bufferization.to_tensor %sums : memref<?x?x!T> to tensor<?x?x!T>
  return %result : tensor<?x?x!T>
}
