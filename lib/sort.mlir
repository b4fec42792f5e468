// sort.mlir - the rows of a matrix, sorted.
//
// Elements become integers in the same order, which are sorted as unsigned ones (merge_sort.mlir) and become elements again.
// -0 comes before 0 there; where a row has both, its zeros are written once more in the order that they have in the row.
// So equal elements keep their order, as far as one can tell them apart. All NaN become one NaN.
//
// The prelude defines the types !T and !K, @code(!T) -> !K, its reverse @element, @zero and @minus_zero (their codes), @is_minus_zero
// and @key_bits.

!S = !K

func.func private @less(%a: !S, %b: !S) -> i1 {
  %less = arith.cmpi ult, %a, %b : !S
  return %less : i1
}

// Writes the zeros of a row of x to the places of the zeros in the same row of the sorted list.
func.func private @order_zeros(%x: tensor<?x?x!T>, %row: index, %sorted: memref<?x!S>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x!T>
  %begin = arith.muli %row, %n : index
  %zero_key = func.call @zero() : () -> !K
  %minus_zero_key = func.call @minus_zero() : () -> !K
  %first_zero_key = arith.minui %zero_key, %minus_zero_key : !K
  %before = scf.for %i = %c0 to %n step %c1 iter_args(%count = %begin) -> (index) {
    %at = arith.addi %begin, %i : index
    %key = memref.load %sorted[%at] : memref<?x!S>
    %less = arith.cmpi ult, %key, %first_zero_key : !S
    %with = arith.addi %count, %c1 : index
    %next = arith.select %less, %with, %count : index
    scf.yield %next : index
  }
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%to = %before) -> (index) {
    %value = tensor.extract %x[%row, %i] : tensor<?x?x!T>
    %key = func.call @code(%value) : (!T) -> !K
    %is_zero = arith.cmpi eq, %key, %zero_key : !K
    %is_minus_zero = arith.cmpi eq, %key, %minus_zero_key : !K
    %either = arith.ori %is_zero, %is_minus_zero : i1
    %next = scf.if %either -> (index) {
      memref.store %key, %sorted[%to] : memref<?x!S>
      %after = arith.addi %to, %c1 : index
      scf.yield %after : index
    } else {
      scf.yield %to : index
    }
    scf.yield %next : index
  }
  return
}

func.func @sort(%x: tensor<?x?x!T>) -> tensor<?x?x!T> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  %part = arith.constant 65536 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?x!T>
  %n = tensor.dim %x, %c1 : tensor<?x?x!T>
  %total = arith.muli %rows, %n : index
  %bits = func.call @key_bits() : () -> index
  %keys = memref.alloc(%total) : memref<?x!S>
  %spare = memref.alloc(%total) : memref<?x!S>
  %list = tensor.collapse_shape %x [[0, 1]] : tensor<?x?x!T> into tensor<?x!T>
  %num_parts = arith.ceildivui %total, %part : index
  %mixed_zeros = memref.alloc(%num_parts) : memref<?xi1>
  scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
    %begin = arith.muli %p, %part : index
    %left = arith.subi %total, %begin : index
    %size = arith.minui %left, %part : index
    %slice = tensor.extract_slice %list[%begin] [%size] [1] : tensor<?x!T> to tensor<?x!T>
    %any = scf.for %i = %c0 to %size step %c1 iter_args(%acc = %no) -> (i1) {
      %value = tensor.extract %slice[%i] : tensor<?x!T>
      %key = func.call @code(%value) : (!T) -> !K
      %at = arith.addi %begin, %i : index
      memref.store %key, %keys[%at] : memref<?x!S>
      %is_one = func.call @is_minus_zero(%value) : (!T) -> i1
      %next = arith.ori %acc, %is_one : i1
      scf.yield %next : i1
    }
    memref.store %any, %mixed_zeros[%p] : memref<?xi1>
    scf.reduce
  } {noria.point_ns = 40000}
  %sorted = func.call @sort_rows(%keys, %spare, %rows, %n, %part, %c0, %bits)
      : (memref<?x!S>, memref<?x!S>, index, index, index, index, index) -> memref<?x!S>
  %any_minus_zero = scf.for %p = %c0 to %num_parts step %c1 iter_args(%acc = %no) -> (i1) {
    %any = memref.load %mixed_zeros[%p] : memref<?xi1>
    %next = arith.ori %acc, %any : i1
    scf.yield %next : i1
  }
  scf.if %any_minus_zero {
    scf.parallel (%row) = (%c0) to (%rows) step (%c1) {
      func.call @order_zeros(%x, %row, %sorted) : (tensor<?x?x!T>, index, memref<?x!S>) -> ()
      scf.reduce
    }
  }
  %none = tensor.empty(%total) : tensor<?x!T>
  %values = scf.forall (%p) in (%num_parts) shared_outs(%acc = %none) -> (tensor<?x!T>) {
    %begin = arith.muli %p, %part : index
    %left = arith.subi %total, %begin : index
    %size = arith.minui %left, %part : index
    %slice = tensor.extract_slice %acc[%begin] [%size] [1] : tensor<?x!T> to tensor<?x!T>
    %written = scf.for %i = %c0 to %size step %c1 iter_args(%out = %slice) -> (tensor<?x!T>) {
      %at = arith.addi %begin, %i : index
      %key = memref.load %sorted[%at] : memref<?x!S>
      %value = func.call @element(%key) : (!K) -> !T
      %with = tensor.insert %value into %out[%i] : tensor<?x!T>
      scf.yield %with : tensor<?x!T>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %written into %acc[%begin] [%size] [1] : tensor<?x!T> into tensor<?x!T>
    }
  } {noria.point_ns = 40000}
  memref.dealloc %keys : memref<?x!S>
  memref.dealloc %spare : memref<?x!S>
  memref.dealloc %mixed_zeros : memref<?xi1>
  %result = tensor.expand_shape %values [[0, 1]] output_shape [%rows, %n] : tensor<?x!T> into tensor<?x?x!T>
  return %result : tensor<?x?x!T>
}
