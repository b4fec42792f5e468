// csr_common.mlir - the columns that two rows of CSR matrices have in common. Not a kernel. Uses lib/csr_rows.mlir.
//
// The columns of a row of a are taken in blocks of 16. The columns of b up to the last one of a block are compared with
// all of the block at once, so that no branch depends on how the columns of the two rows follow each other. Where a
// block has fewer columns, -1 stands for the others: as an unsigned number it is behind all columns.

// The number of lanes that are true.
func.func private @count_lanes(%lanes: vector<16xi1>) -> index {
  %each = arith.extui %lanes : vector<16xi1> to vector<16xi32>
  %sum = vector.reduction <add>, %each : vector<16xi32> into i32
  %count = arith.index_castui %sum : i32 to index
  return %count : index
}

// The block of 16 columns that begins with element %p of a row of a, which ends before %ea. %n: how many there are.
func.func private @block(%a: memref<?x!I>, %p: index, %n: index) -> vector<16x!I> {
  %none = arith.constant dense<-1> : vector<16x!I>
  %mask = vector.create_mask %n : vector<16xi1>
  %columns = vector.maskedload %a[%p], %mask, %none : memref<?x!I>, vector<16xi1>, vector<16x!I> into vector<16x!I>
  return %columns : vector<16x!I>
}

// The element of b, from %q on and before %eb, with which those end that are compared with the block of a at %p: all up
// to the last column of the block, or, of the last block of its row, all that are left.
func.func private @end_of_block(%a: memref<?x!I>, %p: index, %ea: index, %b: memref<?x!I>, %q: index, %eb: index)
    -> index {
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %rest = arith.subi %ea, %p : index
  %more = arith.cmpi ugt, %rest, %c16 : index
  %end = scf.if %more -> (index) {
    %at = arith.addi %p, %c15 : index
    %last = memref.load %a[%at] : memref<?x!I>
    %limit = vector.broadcast %last : !I to vector<16x!I>
    %found = scf.while (%from = %q) : (index) -> (index) {
      %left = arith.subi %eb, %from : index
      %n = arith.minui %left, %c16 : index
      %columns = func.call @block(%b, %from, %n) : (memref<?x!I>, index, index) -> vector<16x!I>
      %within = arith.cmpi ule, %columns, %limit : vector<16x!I>
      %count = func.call @count_lanes(%within) : (vector<16xi1>) -> index
      %to = arith.addi %from, %count : index
      %all = arith.cmpi eq, %count, %c16 : index
      scf.condition(%all) %to : index
    } do {
    ^bb0(%from: index):
      scf.yield %from : index
    }
    scf.yield %found : index
  } else {
    scf.yield %eb : index
  }
  return %end : index
}

// @combine of the elements of each column that elements %pa to %ea - 1 of a and %pb to %eb - 1 of b have in common. Where
// %write says so, those that are not zero are written from place %at on. The number of these columns, and the place
// behind the last of those elements.
func.func private @common(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %pa: index, %ea: index, %pb: index, %eb: index, %at: index, %write: i1)
    -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %all:3 = scf.for %p = %pa to %ea step %c16 iter_args(%q0 = %pb, %count0 = %c0, %o0 = %at) -> (index, index, index) {
    %rest = arith.subi %ea, %p : index
    %n = arith.minui %rest, %c16 : index
    %columns = func.call @block(%ai, %p, %n) : (memref<?x!I>, index, index) -> vector<16x!I>
    %end = func.call @end_of_block(%ai, %p, %ea, %bi, %q0, %eb)
        : (memref<?x!I>, index, index, memref<?x!I>, index, index) -> index
    %found:2 = scf.for %q = %q0 to %end step %c1 iter_args(%count = %count0, %o = %o0) -> (index, index) {
      %column = memref.load %bi[%q] : memref<?x!I>
      %each = vector.broadcast %column : !I to vector<16x!I>
      %same = arith.cmpi eq, %columns, %each : vector<16x!I>
      %any = vector.reduction <or>, %same : vector<16xi1> into i1
      %next:2 = scf.if %any -> (index, index) {
        %less = arith.cmpi ult, %columns, %each : vector<16x!I>
        %lane = func.call @count_lanes(%less) : (vector<16xi1>) -> index
        %place = arith.addi %p, %lane : index
        %va = memref.load %ad[%place] : memref<?x!T>
        %vb = memref.load %bd[%q] : memref<?x!T>
        %v = func.call @combine(%va, %vb) : (!T, !T) -> !T
        %behind = func.call @write_if(%column, %v, %ci, %cd, %o, %write)
            : (!I, !T, memref<?x!I>, memref<?x!T>, index, i1) -> index
        %more = arith.addi %count, %c1 : index
        scf.yield %more, %behind : index, index
      } else {
        scf.yield %count, %o : index, index
      }
      scf.yield %next#0, %next#1 : index, index
    }
    scf.yield %end, %found#0, %found#1 : index, index, index
  }
  return %all#1, %all#2 : index, index
}
