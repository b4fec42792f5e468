// csf_mttkrp.mlir - a sparse tensor of three dims in CSF, times the rows of two dense matrices. Uses lib/csr.mlir.
//
// A[i, j] = sum over k and l of B[i, k, l] * C[k, j] * D[l, j]. For each i and k, the rows of D are added first, each
// times an element of B, to a row of workspace; this is multiplied by row k of C once. (Kjolstad et al., Tensor Algebra
// Compilation with Workspaces, CGO 2019.)
//
// CSF has the values of i that B has elements of (%i0); for each, pos1 has the places of its values of k in crd1; for
// each of these, pos2 has the places of its values of l in crd2, and of its elements. In messages, %i0, pos1 and crd1
// are matrix 0, and pos2 and crd2 are matrix 1. The prelude defines !T, the elements, !I, the indices, and arithmetic
// on !T.

// Checks that the indices are less than %size and ascend, so that each row of A is written by one thread.
func.func private @check_roots(%i0: memref<?x!I>, %size: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %minus = arith.constant -1 : !I
  %count = memref.dim %i0, %c0 : memref<?x!I>
  %last = scf.for %p = %c0 to %count step %c1 iter_args(%before = %minus) -> (!I) {
    %i = memref.load %i0[%p] : memref<?x!I>
    %row = arith.index_cast %i : !I to index
    %there = arith.cmpi ult, %row, %size : index
    rt.check %there, "CSF tensor: index %0 of dim 0 is %1, but its size is %2"(%p, %i, %size : index, !I, index)
    %rises = arith.cmpi slt, %before, %i : !I
    rt.check %rises, "CSF tensor: index %0 of dim 0 is %1, not greater than the index before it"(%p, %i : index, !I)
    scf.yield %i : !I
  }
  return
}

// Adds the slice of B between places %b1 and %e1 of crd1 to row %row of A; w: a row of workspace.
func.func private @add_slice(%crd1: memref<?x!I>, %pos2: memref<?x!I>, %crd2: memref<?x!I>, %values: memref<?x!T>,
    %c: memref<?x?x!T>, %d: memref<?x?x!T>, %a: memref<?x?x!T>, %w: memref<?x!T>, %row: index, %b1: index, %e1: index,
    %width: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = func.call @zero() : () -> !T
  scf.for %p = %b1 to %e1 step %c1 {
    %next = arith.addi %p, %c1 : index
    %k = func.call @pointer(%crd1, %p) : (memref<?x!I>, index) -> index
    %b2 = func.call @pointer(%pos2, %p) : (memref<?x!I>, index) -> index
    %e2 = func.call @pointer(%pos2, %next) : (memref<?x!I>, index) -> index
    scf.for %j = %c0 to %width step %c1 {
      memref.store %zero, %w[%j] : memref<?x!T>
    }
    scf.for %q = %b2 to %e2 step %c1 {
      %l = func.call @pointer(%crd2, %q) : (memref<?x!I>, index) -> index
      %b = memref.load %values[%q] : memref<?x!T>
      scf.for %j = %c0 to %width step %c1 {
        %y = memref.load %d[%l, %j] : memref<?x?x!T>
        %s = memref.load %w[%j] : memref<?x!T>
        %product = func.call @times(%b, %y) : (!T, !T) -> !T
        %sum = func.call @plus(%s, %product) : (!T, !T) -> !T
        memref.store %sum, %w[%j] : memref<?x!T>
      }
    }
    scf.for %j = %c0 to %width step %c1 {
      %x = memref.load %c[%k, %j] : memref<?x?x!T>
      %y = memref.load %w[%j] : memref<?x!T>
      %s = memref.load %a[%row, %j] : memref<?x?x!T>
      %product = func.call @times(%x, %y) : (!T, !T) -> !T
      %sum = func.call @plus(%s, %product) : (!T, !T) -> !T
      memref.store %sum, %a[%row, %j] : memref<?x?x!T>
    }
  }
  return
}

// A, of %size rows. C and D have a row for each index of dims 1 and 2 of B, and as many columns as A.
func.func @csf_mttkrp(%i0_: tensor<?x!I>, %pos1_: tensor<?x!I>, %crd1_: tensor<?x!I>, %pos2_: tensor<?x!I>,
    %crd2_: tensor<?x!I>, %values_: tensor<?x!T>, %c_: tensor<?x?x!T>, %d_: tensor<?x?x!T>, %size: index)
    -> tensor<?x?x!T> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = func.call @zero() : () -> !T
  %i0 = bufferization.to_buffer %i0_ read_only : tensor<?x!I> to memref<?x!I>
  %pos1 = bufferization.to_buffer %pos1_ read_only : tensor<?x!I> to memref<?x!I>
  %crd1 = bufferization.to_buffer %crd1_ read_only : tensor<?x!I> to memref<?x!I>
  %pos2 = bufferization.to_buffer %pos2_ read_only : tensor<?x!I> to memref<?x!I>
  %crd2 = bufferization.to_buffer %crd2_ read_only : tensor<?x!I> to memref<?x!I>
  %values = bufferization.to_buffer %values_ read_only : tensor<?x!T> to memref<?x!T>
  %c = bufferization.to_buffer %c_ read_only : tensor<?x?x!T> to memref<?x?x!T>
  %d = bufferization.to_buffer %d_ read_only : tensor<?x?x!T> to memref<?x?x!T>
  %n0 = memref.dim %i0, %c0 : memref<?x!I>
  %n1 = memref.dim %crd1, %c0 : memref<?x!I>
  %rows1 = func.call @check_pointers(%pos1, %n1, %c0) : (memref<?x!I>, index, index) -> index
  %rows2 = func.call @check_rows(%pos2, %crd2, %values, %c1)
      : (memref<?x!I>, memref<?x!I>, memref<?x!T>, index) -> index
  %same1 = arith.cmpi eq, %rows1, %n0 : index
  rt.check %same1, "CSF tensor: pos1 is for %0 indices of dim 0, but there are %1"(%rows1, %n0 : index, index)
  %same2 = arith.cmpi eq, %rows2, %n1 : index
  rt.check %same2, "CSF tensor: pos2 is for %0 indices of dim 1, but there are %1"(%rows2, %n1 : index, index)
  %num_k = memref.dim %c, %c0 : memref<?x?x!T>
  %num_l = memref.dim %d, %c0 : memref<?x?x!T>
  %width = memref.dim %c, %c1 : memref<?x?x!T>
  %width_d = memref.dim %d, %c1 : memref<?x?x!T>
  %same_width = arith.cmpi eq, %width, %width_d : index
  rt.check %same_width, "C has %0 columns, but D has %1"(%width, %width_d : index, index)
  func.call @check_roots(%i0, %size) : (memref<?x!I>, index) -> ()
  func.call @check_columns(%pos1, %crd1, %c0, %rows1, %num_k, %c0)
      : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
  func.call @check_columns(%pos2, %crd2, %c0, %rows2, %num_l, %c1)
      : (memref<?x!I>, memref<?x!I>, index, index, index, index) -> ()
  %a = memref.alloc(%size, %width) : memref<?x?x!T>
  scf.for %i = %c0 to %size step %c1 {
    scf.for %j = %c0 to %width step %c1 {
      memref.store %zero, %a[%i, %j] : memref<?x?x!T>
    }
  }
  scf.parallel (%p) = (%c0) to (%n0) step (%c1) {
    %w = memref.alloc(%width) : memref<?x!T>
    %next = arith.addi %p, %c1 : index
    %row = func.call @pointer(%i0, %p) : (memref<?x!I>, index) -> index
    %b1 = func.call @pointer(%pos1, %p) : (memref<?x!I>, index) -> index
    %e1 = func.call @pointer(%pos1, %next) : (memref<?x!I>, index) -> index
    func.call @add_slice(%crd1, %pos2, %crd2, %values, %c, %d, %a, %w, %row, %b1, %e1, %width)
        : (memref<?x!I>, memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x?x!T>, memref<?x?x!T>, memref<?x?x!T>,
           memref<?x!T>, index, index, index, index) -> ()
    memref.dealloc %w : memref<?x!T>
  }
  %result = bufferization.to_tensor %a : memref<?x?x!T> to tensor<?x?x!T>
  return %result : tensor<?x?x!T>
}
