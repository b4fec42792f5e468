// argsort.mlir - for each row of a matrix, the places of its elements in ascending order; equal ones in the order of
// their places.
//
// What is sorted (sort_rows.mlir) are integers of 64 bits: 32 bits of an element's key above its place. No two are
// equal, so the order is stable whatever sorts them. A key of 64 bits takes two sorts, as digits do: by its low half,
// and then, of the places in that order, by its high half.
//
// The prelude defines the types !T and !K, @key(!T) -> !K, @half(!K, i1) -> i64 and @key_bits.

!S = i64

func.func private @less(%a: !S, %b: !S) -> i1 {
  %less = arith.cmpi ult, %a, %b : !S
  return %less : i1
}

func.func private @is_wide() -> i1 {
  %c32 = arith.constant 32 : index
  %bits = func.call @key_bits() : () -> index
  %is_wide = arith.cmpi ugt, %bits, %c32 : index
  return %is_wide : i1
}

// Half of the key of an element, above a number.
func.func private @pack(%value: !T, %high: i1, %i: index) -> !S {
  %c32 = arith.constant 32 : i64
  %key = func.call @key(%value) : (!T) -> !K
  %half = func.call @half(%key, %high) : (!K, i1) -> i64
  %above = arith.shli %half, %c32 : i64
  %number = arith.index_cast %i : index to i64
  %packed = arith.ori %above, %number : i64
  return %packed : !S
}

func.func private @read(%x: memref<?x!T>, %keys: memref<?x!S>, %row: index, %i: index) -> !S {
  %no = arith.constant false
  %at = arith.addi %row, %i : index
  %is_wide = func.call @is_wide() : () -> i1
  %packed = scf.if %is_wide -> (!S) {
    %key = memref.load %keys[%at] : memref<?x!S>
    scf.yield %key : !S
  } else {
    %value = memref.load %x[%at] : memref<?x!T>
    %key = func.call @pack(%value, %no, %i) : (!T, i1, index) -> !S
    scf.yield %key : !S
  }
  return %packed : !S
}

func.func private @result(%key: !S, %order: memref<?xi32>, %row: index) -> !S {
  %low_bits = arith.constant 0xffffffff : i64
  %place = arith.andi %key, %low_bits : i64
  %is_wide = func.call @is_wide() : () -> i1
  %found = scf.if %is_wide -> (i64) {
    %column = arith.index_cast %place : i64 to index
    %at = arith.addi %row, %column : index
    %before = memref.load %order[%at] : memref<?xi32>
    %wide = arith.extui %before : i32 to i64
    scf.yield %wide : i64
  } else {
    scf.yield %place : i64
  }
  return %found : !S
}

// The keys of one round of two: halves of the elements' keys, in the order of the places that the round before found.
func.func private @write_keys(%x: memref<?x!T>, %again: i1, %places: memref<?x!S>, %n: index, %begin: index,
    %end: index, %keys: memref<?x!S>, %order: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %some = arith.maxui %n, %c1 : index
  %first = arith.remui %begin, %some : index
  %last = scf.for %at = %begin to %end step %c1 iter_args(%i = %first) -> (index) {
    %row = arith.subi %at, %i : index
    %column = scf.if %again -> (index) {
      %place = memref.load %places[%at] : memref<?x!S>
      %found = arith.index_cast %place : i64 to index
      scf.yield %found : index
    } else {
      scf.yield %i : index
    }
    %place32 = arith.index_cast %column : index to i32
    memref.store %place32, %order[%at] : memref<?xi32>
    %from = arith.addi %row, %column : index
    %value = memref.load %x[%from] : memref<?x!T>
    %packed = func.call @pack(%value, %again, %i) : (!T, i1, index) -> !S
    memref.store %packed, %keys[%at] : memref<?x!S>
    %after = arith.addi %i, %c1 : index
    %ends = arith.cmpi eq, %after, %n : index
    %next = arith.select %ends, %c0, %after : index
    scf.yield %next : index
  }
  return
}

func.func @argsort(%x: tensor<?x?x!T>) -> tensor<?x?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %most = arith.constant 4294967296 : index
  %part = arith.constant 32768 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?x!T>
  %n = tensor.dim %x, %c1 : tensor<?x?x!T>
  %fits = arith.cmpi ule, %n, %most : index
  cf.assert %fits, "argsort: a row has at most 2^32 elements"
  // rows without elements may be more than can be visited
  %is_empty = arith.cmpi eq, %n, %c0 : index
  %some_rows = arith.select %is_empty, %c0, %rows : index
  %total = arith.muli %some_rows, %n : index
  %list = tensor.collapse_shape %x [[0, 1]] : tensor<?x?x!T> into tensor<?x!T>
  %elements = bufferization.to_buffer %list read_only : tensor<?x!T> to memref<?x!T>
  %is_wide = func.call @is_wide() : () -> i1
  %num_keys = arith.select %is_wide, %total, %c0 : index
  %keys = memref.alloc(%num_keys) : memref<?x!S>
  %order = memref.alloc(%num_keys) : memref<?xi32>
  %places = memref.alloc(%total) : memref<?x!S>
  %rounds = arith.select %is_wide, %c2, %c1 : index
  scf.for %round = %c0 to %rounds step %c1 {
    scf.if %is_wide {
      %again = arith.cmpi eq, %round, %c1 : index
      %num_parts = arith.ceildivui %total, %part : index
      scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
        %begin = arith.muli %p, %part : index
        %behind = arith.addi %begin, %part : index
        %end = arith.minui %behind, %total : index
        func.call @write_keys(%elements, %again, %places, %n, %begin, %end, %keys, %order)
            : (memref<?x!T>, i1, memref<?x!S>, index, index, index, memref<?x!S>, memref<?xi32>) -> ()
        scf.reduce
      } {noria.point_ns = 80000}
    }
    func.call @sort_rows(%elements, %keys, %order, %some_rows, %n, %c32, %places)
        : (memref<?x!T>, memref<?x!S>, memref<?xi32>, index, index, index, memref<?x!S>) -> ()
  }
  memref.dealloc %keys : memref<?x!S>
  memref.dealloc %order : memref<?xi32>
  %all = bufferization.to_tensor %places restrict : memref<?x!S> to tensor<?xi64>
  %result = tensor.expand_shape %all [[0, 1]] output_shape [%rows, %n] : tensor<?xi64> into tensor<?x?xi64>
  return %result : tensor<?x?xi64>
}
