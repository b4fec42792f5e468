// csr_add.mlir - the sum of two sparse matrices in CSR. Uses lib/csr.mlir and lib/csr_merge.mlir.
//
// The prelude defines !T, the elements, !I, the indices, and arithmetic on !T.

func.func private @combine(%a: !T, %b: !T) -> !T {
  %sum = func.call @plus(%a, %b) : (!T, !T) -> !T
  return %sum : !T
}

// Whether the sums of elements with zero are none of the result: they are zero themselves.
func.func private @special(%v: vector<16x!T>) -> vector<16xi1> {
  %yes = arith.constant dense<true> : vector<16xi1>
  %filled = func.call @not_zero_16(%v) : (vector<16x!T>) -> vector<16xi1>
  %zero = arith.xori %filled, %yes : vector<16xi1>
  return %zero : vector<16xi1>
}

// How many sums two rows have, and whether one of them is zero, so that it is left out: then @write_plain cannot write
// the row.
func.func private @count_plain(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %pa: index, %ea: index, %pb: index, %eb: index) -> (index, i1) {
  %c0 = arith.constant 0 : index
  %no = arith.constant false
  %found:2 = func.call @common(%ai, %ad, %bi, %bd, %ai, %ad, %pa, %ea, %pb, %eb, %c0, %no)
      : (memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!T>, index, index, index,
         index, index, i1) -> (index, index)
  %na = arith.subi %ea, %pa : index
  %nb = arith.subi %eb, %pb : index
  %all = arith.addi %na, %nb : index
  %twice = arith.addi %found#0, %found#0 : index
  %alone = arith.subi %all, %twice : index
  %count = arith.addi %alone, %found#1 : index
  %zeros = arith.cmpi ne, %found#0, %found#1 : index
  return %count, %zeros : index, i1
}

// Merges two rows, all of whose sums stay, from place %at on. The place of an element of a is its place in its own row
// and the number of elements of b before it that are alone in their column, and so for those of b: columns of b are
// compared with 16 of a, which tells both.
func.func private @write_plain(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %pa: index, %ea: index, %pb: index, %eb: index, %at: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = func.call @zero() : () -> !T
  %nothing = vector.broadcast %zero : !T to vector<16x!T>
  %zeros = arith.constant dense<0> : vector<16x!I>
  %ranks = memref.alloca() : memref<16x!I>
  %values = memref.alloca() : memref<16x!T>
  // a row without elements has one block too, for those of b
  %some = arith.addi %pa, %c1 : index
  %stop = arith.maxui %ea, %some : index
  %merged:2 = scf.for %p = %pa to %stop step %c16 iter_args(%q0 = %pb, %base = %at) -> (index, index) {
    %rest = arith.subi %ea, %p : index
    %n = arith.minui %rest, %c16 : index
    %mask = vector.create_mask %n : vector<16xi1>
    %columns = func.call @block(%ai, %p, %n) : (memref<?x!I>, index, index) -> vector<16x!I>
    %own = vector.maskedload %ad[%p], %mask, %nothing : memref<?x!T>, vector<16xi1>, vector<16x!T> into vector<16x!T>
    vector.store %own, %values[%c0] : memref<16x!T>, vector<16x!T>
    %end = func.call @end_of_block(%ai, %p, %ea, %bi, %q0, %eb)
        : (memref<?x!I>, index, index, memref<?x!I>, index, index) -> index
    %block:2 = scf.for %q = %q0 to %end step %c1 iter_args(%o = %base, %rank = %zeros) -> (index, vector<16x!I>) {
      %column = memref.load %bi[%q] : memref<?x!I>
      %value = memref.load %bd[%q] : memref<?x!T>
      %each = vector.broadcast %column : !I to vector<16x!I>
      %less = arith.cmpi ult, %columns, %each : vector<16x!I>
      %greater = arith.cmpi ugt, %columns, %each : vector<16x!I>
      %lane = func.call @count_lanes(%less) : (vector<16xi1>) -> index
      %differ = arith.ori %less, %greater : vector<16xi1>
      %alone = vector.reduction <and>, %differ : vector<16xi1> into i1
      %next:2 = scf.if %alone -> (index, vector<16x!I>) {
        %place = arith.addi %o, %lane : index
        memref.store %column, %ci[%place] : memref<?x!I>
        memref.store %value, %cd[%place] : memref<?x!T>
        %counted = arith.extsi %greater : vector<16xi1> to vector<16x!I>
        %next_rank = arith.subi %rank, %counted : vector<16x!I>
        %behind = arith.addi %o, %c1 : index
        scf.yield %behind, %next_rank : index, vector<16x!I>
      } else {
        %other = memref.load %values[%lane] : memref<16x!T>
        %sum = func.call @combine(%other, %value) : (!T, !T) -> !T
        memref.store %sum, %values[%lane] : memref<16x!T>
        scf.yield %o, %rank : index, vector<16x!I>
      }
      scf.yield %next#0, %next#1 : index, vector<16x!I>
    }
    vector.store %block#1, %ranks[%c0] : memref<16x!I>, vector<16x!I>
    scf.for %i = %c0 to %n step %c1 {
      %from = arith.addi %p, %i overflow<nsw, nuw> : index
      %column = memref.load %ai[%from] : memref<?x!I>
      %value = memref.load %values[%i] : memref<16x!T>
      %before = memref.load %ranks[%i] : memref<16x!I>
      %before_a = arith.index_castui %before : !I to index
      %place = arith.addi %base, %i : index
      %o = arith.addi %place, %before_a : index
      memref.store %column, %ci[%o] : memref<?x!I>
      memref.store %value, %cd[%o] : memref<?x!T>
    } {noria.loop = {vectorize = false}} // scattered stores of lanes are slower
    %next_base = arith.addi %block#0, %n : index
    scf.yield %end, %next_base : index, index
  }
  return
}

// C = A + B. %n: how many columns they have. The columns of their rows ascend, and those of C.
func.func @csr_add(%ap_: tensor<?x!I>, %ai_: tensor<?x!I>, %ad_: tensor<?x!T>, %bp_: tensor<?x!I>,
    %bi_: tensor<?x!I>, %bd_: tensor<?x!T>, %n: index) -> (tensor<?x!I>, tensor<?x!I>, tensor<?x!T>) {
  %ap = bufferization.to_buffer %ap_ read_only : tensor<?x!I> to memref<?x!I>
  %ai = bufferization.to_buffer %ai_ read_only : tensor<?x!I> to memref<?x!I>
  %ad = bufferization.to_buffer %ad_ read_only : tensor<?x!T> to memref<?x!T>
  %bp = bufferization.to_buffer %bp_ read_only : tensor<?x!I> to memref<?x!I>
  %bi = bufferization.to_buffer %bi_ read_only : tensor<?x!I> to memref<?x!I>
  %bd = bufferization.to_buffer %bd_ read_only : tensor<?x!T> to memref<?x!T>
  %c:3 = func.call @merge(%ap, %ai, %ad, %bp, %bi, %bd, %n)
      : (memref<?x!I>, memref<?x!I>, memref<?x!T>, memref<?x!I>, memref<?x!I>, memref<?x!T>, index)
      -> (tensor<?x!I>, tensor<?x!I>, tensor<?x!T>)
  return %c#0, %c#1, %c#2 : tensor<?x!I>, tensor<?x!I>, tensor<?x!T>
}
