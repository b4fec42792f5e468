// argsort.mlir - for each row of a matrix, the places of its elements in ascending order; equal ones in the order of
// their places.
//
// What is sorted (sort_rows.mlir) are integers of 64 bits: 32 bits of an element's key above its place. No two are
// equal, so the order is stable whatever sorts them. A key of 64 bits takes two sorts, as digits do: by its low half,
// and then, of the places in that order, by its high half. Where all keys of the matrix are within 2^32 of each other,
// one sort by the differences from the least of them is enough.
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

// Half of the difference of an element's key from %least, above a number.
func.func private @pack(%value: !T, %least: !K, %high: i1, %i: index) -> !S {
  %c32 = arith.constant 32 : i64
  %key = func.call @key(%value) : (!T) -> !K
  %difference = arith.subi %key, %least : !K
  %half = func.call @half(%difference, %high) : (!K, i1) -> i64
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
    %none = arith.constant 0 : !K
    %key = func.call @pack(%value, %none, %no, %i) : (!T, !K, i1, index) -> !S
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

// The least and the greatest key of elements %begin to %end - 1, at least one.
func.func private @range_of_keys(%x: memref<?x!T>, %begin: index, %end: index) -> (!K, !K) {
  %c1 = arith.constant 1 : index
  %first = memref.load %x[%begin] : memref<?x!T>
  %first_key = func.call @key(%first) : (!T) -> !K
  %range:2 = scf.for %i = %begin to %end step %c1 iter_args(%min = %first_key, %max = %first_key) -> (!K, !K) {
    %value = memref.load %x[%i] : memref<?x!T>
    %key = func.call @key(%value) : (!T) -> !K
    %less = arith.minui %min, %key : !K
    %greater = arith.maxui %max, %key : !K
    scf.yield %less, %greater : !K, !K
  }
  return %range#0, %range#1 : !K, !K
}

// Whether the difference of two keys has no more than 32 bits.
func.func private @is_narrow(%min: !K, %max: !K) -> i1 {
  %yes = arith.constant true
  %none = arith.constant 0 : i64
  %difference = arith.subi %max, %min : !K
  %high = func.call @half(%difference, %yes) : (!K, i1) -> i64
  %is_narrow = arith.cmpi eq, %high, %none : i64
  return %is_narrow : i1
}

// Whether all keys of 64 bits are within 2^32 of each other, and the least of them. The first 256 are looked at before
// all: they usually show that the keys are not near.
func.func private @find_least(%x: memref<?x!T>, %total: index) -> (i1, !K) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  %zero = arith.constant 0 : !K
  %part = arith.constant 32768 : index
  %sample = arith.constant 256 : index
  %few = arith.minui %total, %sample : index
  %some = arith.cmpi ugt, %total, %c0 : index
  %is_wide = func.call @is_wide() : () -> i1
  %looks = arith.andi %some, %is_wide : i1
  %may = scf.if %looks -> (i1) {
    %range:2 = func.call @range_of_keys(%x, %c0, %few) : (memref<?x!T>, index, index) -> (!K, !K)
    %near = func.call @is_narrow(%range#0, %range#1) : (!K, !K) -> i1
    scf.yield %near : i1
  } else {
    scf.yield %no : i1
  }
  %found:2 = scf.if %may -> (i1, !K) {
    %num_parts = arith.ceildivui %total, %part : index
    %mins = memref.alloc(%num_parts) : memref<?x!K>
    %maxs = memref.alloc(%num_parts) : memref<?x!K>
    scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
      %begin = arith.muli %p, %part : index
      %behind = arith.addi %begin, %part : index
      %end = arith.minui %behind, %total : index
      %range:2 = func.call @range_of_keys(%x, %begin, %end) : (memref<?x!T>, index, index) -> (!K, !K)
      memref.store %range#0, %mins[%p] : memref<?x!K>
      memref.store %range#1, %maxs[%p] : memref<?x!K>
      scf.reduce
    } {noria.point_ns = 10000}
    %min0 = memref.load %mins[%c0] : memref<?x!K>
    %max0 = memref.load %maxs[%c0] : memref<?x!K>
    %all:2 = scf.for %p = %c1 to %num_parts step %c1 iter_args(%min = %min0, %max = %max0) -> (!K, !K) {
      %low = memref.load %mins[%p] : memref<?x!K>
      %high = memref.load %maxs[%p] : memref<?x!K>
      %less = arith.minui %min, %low : !K
      %greater = arith.maxui %max, %high : !K
      scf.yield %less, %greater : !K, !K
    }
    memref.dealloc %mins : memref<?x!K>
    memref.dealloc %maxs : memref<?x!K>
    %near = func.call @is_narrow(%all#0, %all#1) : (!K, !K) -> i1
    %least = arith.select %near, %all#0, %zero : !K
    scf.yield %near, %least : i1, !K
  } else {
    scf.yield %no, %zero : i1, !K
  }
  return %found#0, %found#1 : i1, !K
}

// The keys of one round: halves of the differences of the elements' keys from %least, in the order of the places that
// the round before found.
func.func private @write_keys(%x: memref<?x!T>, %least: !K, %again: i1, %places: memref<?x!S>, %n: index, %begin: index,
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
    %packed = func.call @pack(%value, %least, %again, %i) : (!T, !K, i1, index) -> !S
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
  %is_near, %least = func.call @find_least(%elements, %total) : (memref<?x!T>, index) -> (i1, !K)
  %most_rounds = arith.select %is_wide, %c2, %c1 : index
  %rounds = arith.select %is_near, %c1, %most_rounds : index
  scf.for %round = %c0 to %rounds step %c1 {
    scf.if %is_wide {
      %again = arith.cmpi eq, %round, %c1 : index
      %num_parts = arith.ceildivui %total, %part : index
      scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
        %begin = arith.muli %p, %part : index
        %behind = arith.addi %begin, %part : index
        %end = arith.minui %behind, %total : index
        func.call @write_keys(%elements, %least, %again, %places, %n, %begin, %end, %keys, %order)
            : (memref<?x!T>, !K, i1, memref<?x!S>, index, index, index, memref<?x!S>, memref<?xi32>) -> ()
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
