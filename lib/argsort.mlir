// argsort.mlir - for each row of a matrix, the places of its elements in ascending order; equal ones in the order of their places.
//
// What is sorted (merge_sort.mlir) are integers of 64 bits: 32 bits of an element's key above its place. No two are equal, so
// the order is stable whatever sorts them. A key of 64 bits takes two sorts, as digits do: by its low half, and then, of the
// places in that order, by its high half.
//
// The prelude defines the types !T and !K, @key(!T) -> !K, @half(!K, i1) -> i64 and @key_bits.

!S = i64

func.func private @less(%a: !S, %b: !S) -> i1 {
  %less = arith.cmpi ult, %a, %b : !S
  return %less : i1
}

func.func @argsort(%x: tensor<?x?x!T>) -> tensor<?x?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %no = arith.constant false
  %most = arith.constant 4294967296 : index
  %shift = arith.constant 32 : i64
  %low_bits = arith.constant 0xffffffff : i64
  %part = arith.constant 32768 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?x!T>
  %n = tensor.dim %x, %c1 : tensor<?x?x!T>
  %fits = arith.cmpi ule, %n, %most : index
  cf.assert %fits, "argsort: a row has at most 2^32 elements"
  %total = arith.muli %rows, %n : index
  %bits = func.call @key_bits() : () -> index
  %is_wide = arith.cmpi ugt, %bits, %c32 : index
  %half_bits = arith.minui %bits, %c32 : index
  %high = arith.addi %half_bits, %c32 : index
  %keys = memref.alloc(%total) : memref<?x!S>
  %spare = memref.alloc(%total) : memref<?x!S>
  %num_places = arith.select %is_wide, %total, %c0 : index
  %order = memref.alloc(%num_places) : memref<?xi32>
  %list = tensor.collapse_shape %x [[0, 1]] : tensor<?x?x!T> into tensor<?x!T>
  %num_parts = arith.ceildivui %total, %part : index
  scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
    %begin = arith.muli %p, %part : index
    %left = arith.subi %total, %begin : index
    %size = arith.minui %left, %part : index
    %slice = tensor.extract_slice %list[%begin] [%size] [1] : tensor<?x!T> to tensor<?x!T>
    %some = arith.maxui %n, %c1 : index
    %first = arith.remui %begin, %some : index
    %rest = scf.for %i = %c0 to %size step %c1 iter_args(%place = %first) -> (index) {
      %value = tensor.extract %slice[%i] : tensor<?x!T>
      %key = func.call @key(%value) : (!T) -> !K
      %half = func.call @half(%key, %no) : (!K, i1) -> i64
      %high_half = arith.shli %half, %shift : i64
      %number = arith.index_cast %place : index to i64
      %packed = arith.ori %high_half, %number : i64
      %at = arith.addi %begin, %i : index
      memref.store %packed, %keys[%at] : memref<?x!S>
      %after = arith.addi %place, %c1 : index
      %ends = arith.cmpi eq, %after, %n : index
      %next = arith.select %ends, %c0, %after : index
      scf.yield %next : index
    }
    scf.reduce
  } {noria.point_ns = 40000}
  %two = arith.constant 2 : index
  %rounds = arith.select %is_wide, %two, %c1 : index
  %done:2 = scf.for %round = %c0 to %rounds step %c1 iter_args(%from = %keys, %other = %spare) -> (memref<?x!S>, memref<?x!S>) {
    %again = arith.cmpi eq, %round, %c1 : index
    scf.if %again {
      // the places so far are kept, and sorted by the high halves of the keys at them
      scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
        %begin = arith.muli %p, %part : index
        %behind = arith.addi %begin, %part : index
        %end = arith.minui %behind, %total : index
        scf.for %at = %begin to %end step %c1 {
          %packed = memref.load %from[%at] : memref<?x!S>
          %place = arith.trunci %packed : i64 to i32
          memref.store %place, %order[%at] : memref<?xi32>
          %column = arith.index_castui %place : i32 to index
          %row = arith.divui %at, %n : index
          %begin_of_row = arith.muli %row, %n : index
          %i = arith.subi %at, %begin_of_row : index
          %value = tensor.extract %x[%row, %column] : tensor<?x?x!T>
          %key = func.call @key(%value) : (!T) -> !K
          %yes = arith.constant true
          %half = func.call @half(%key, %yes) : (!K, i1) -> i64
          %high_half = arith.shli %half, %shift : i64
          %number = arith.index_cast %i : index to i64
          %packed1 = arith.ori %high_half, %number : i64
          memref.store %packed1, %from[%at] : memref<?x!S>
        }
        scf.reduce
      } {noria.point_ns = 40000}
    }
    %sorted = func.call @sort_rows(%from, %other, %rows, %n, %part, %c32, %high)
        : (memref<?x!S>, memref<?x!S>, index, index, index, index, index) -> memref<?x!S>
    // the other list, which the next round needs
    %address = memref.extract_aligned_pointer_as_index %sorted : memref<?x!S> -> index
    %from_address = memref.extract_aligned_pointer_as_index %from : memref<?x!S> -> index
    %same = arith.cmpi eq, %address, %from_address : index
    %spare1 = scf.if %same -> (memref<?x!S>) {
      scf.yield %other : memref<?x!S>
    } else {
      scf.yield %from : memref<?x!S>
    }
    scf.yield %sorted, %spare1 : memref<?x!S>, memref<?x!S>
  }
  %none = tensor.empty(%total) : tensor<?xi64>
  %places = scf.forall (%p) in (%num_parts) shared_outs(%acc = %none) -> (tensor<?xi64>) {
    %begin = arith.muli %p, %part : index
    %left = arith.subi %total, %begin : index
    %size = arith.minui %left, %part : index
    %slice = tensor.extract_slice %acc[%begin] [%size] [1] : tensor<?xi64> to tensor<?xi64>
    %written = scf.for %i = %c0 to %size step %c1 iter_args(%out = %slice) -> (tensor<?xi64>) {
      %at = arith.addi %begin, %i : index
      %packed = memref.load %done#0[%at] : memref<?x!S>
      %place = arith.andi %packed, %low_bits : i64
      %known = scf.if %is_wide -> (i64) {
        %row = arith.divui %at, %n : index
        %begin_of_row = arith.muli %row, %n : index
        %column = arith.index_cast %place : i64 to index
        %from = arith.addi %begin_of_row, %column : index
        %first_place = memref.load %order[%from] : memref<?xi32>
        %wide = arith.extui %first_place : i32 to i64
        scf.yield %wide : i64
      } else {
        scf.yield %place : i64
      }
      %with = tensor.insert %known into %out[%i] : tensor<?xi64>
      scf.yield %with : tensor<?xi64>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %written into %acc[%begin] [%size] [1] : tensor<?xi64> into tensor<?xi64>
    }
  } {noria.point_ns = 40000}
  memref.dealloc %keys : memref<?x!S>
  memref.dealloc %spare : memref<?x!S>
  memref.dealloc %order : memref<?xi32>
  %result = tensor.expand_shape %places [[0, 1]] output_shape [%rows, %n] : tensor<?xi64> into tensor<?x?xi64>
  return %result : tensor<?x?xi64>
}
