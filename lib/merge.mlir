// merge.mlir - two sorted lists as one; of equal elements, those of the first come first.
//
// Parts of the result are merged on all threads (merge_path.mlir). Lists that are not sorted give some of their elements,
// or with @checked an error.
//
// The prelude defines !T and @before(!T, !T) -> i1: whether the first operand comes before the second; a strict weak order;
// and @checked() -> i1.

!S = !T

func.func private @less(%a: !S, %b: !S) -> i1 {
  %before = func.call @before(%a, %b) : (!T, !T) -> i1
  return %before : i1
}

func.func @merge(%a: tensor<?x!T>, %b: tensor<?x!T>) -> tensor<?x!T> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = arith.constant 32768 : index
  %m = tensor.dim %a, %c0 : tensor<?x!T>
  %n = tensor.dim %b, %c0 : tensor<?x!T>
  %total = arith.addi %m, %n : index
  %checked = func.call @checked() : () -> i1
  scf.if %checked {
    %place_a = func.call @first_unsorted(%a) : (tensor<?x!T>) -> index
    %a_sorted = arith.cmpi eq, %place_a, %m : index
    rt.check %a_sorted, "merge: a is not sorted: element %0 is before the one ahead of it"(%place_a : index)
    %place_b = func.call @first_unsorted(%b) : (tensor<?x!T>) -> index
    %b_sorted = arith.cmpi eq, %place_b, %n : index
    rt.check %b_sorted, "merge: b is not sorted: element %0 is before the one ahead of it"(%place_b : index)
  }
  %left = bufferization.to_buffer %a read_only : tensor<?x!T> to memref<?x!T>
  %right = bufferization.to_buffer %b read_only : tensor<?x!T> to memref<?x!T>
  %out = memref.alloc(%total) : memref<?x!T>
  %num_parts = arith.ceildivui %total, %part : index
  scf.parallel (%p) = (%c0) to (%num_parts) step (%c1) {
    %begin = arith.muli %p, %part : index
    %behind = arith.addi %begin, %part : index
    %end = arith.minui %behind, %total : index
    func.call @merge_part(%left, %c0, %m, %right, %c0, %n, %begin, %end, %out, %begin)
        : (memref<?x!S>, index, index, memref<?x!S>, index, index, index, index, memref<?x!S>, index) -> ()
    scf.reduce
  } {noria.point_ns = 60000}
  %merged = bufferization.to_tensor %out restrict : memref<?x!T> to tensor<?x!T>
  return %merged : tensor<?x!T>
}
