// csr_expand.mlir - the merge of steps of two rows, at most 16 elements of each, that have no column in common, for
// machines that expand vectors (@expands). Not a kernel. Uses lib/csr_merge.mlir.
//
// From how many columns of b are less than each of a follows which of the 32 places behind each other are those of a: a
// bit for each. The elements of a are expanded to those places, and the elements of b to the others. So an element
// takes no instruction of its own but a comparison with the columns of a, and no branch depends on the columns.

// A bit for each place among the merged elements, at most 32, that one of a has: elements %q to %q + %k - 1 of b are
// merged with the columns of a. Lanes of %a that are -1 have places behind them. Two columns that are in no order may
// have one place.
func.func private @places_of(%a: vector<16x!I>, %bi: memref<?x!I>, %q: index, %k: index) -> i32 {
  %c1 = arith.constant 1 : index
  %own = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi32>
  %ones = arith.constant dense<1> : vector<16xi32>
  %end = arith.addi %q, %k : index
  %places = scf.for %j = %q to %end step %c1 iter_args(%sum = %own) -> (vector<16xi32>) {
    %column = memref.load %bi[%j] : memref<?x!I>
    %each = vector.broadcast %column : !I to vector<16x!I>
    %less = arith.cmpi ult, %each, %a : vector<16x!I>
    %more = arith.addi %sum, %ones : vector<16xi32>
    %next = arith.select %less, %more, %sum : vector<16xi1>, vector<16xi32>
    scf.yield %next : vector<16xi32>
  } {noria.loop = {vectorize = false}}
  %bits = arith.shli %ones, %places : vector<16xi32>
  %all = vector.reduction <or>, %bits : vector<16xi32> into i32
  return %all : i32
}

// The low 16 or 8 bits as lanes.
func.func private @lanes_of(%bits: i32) -> vector<16xi1> {
  %low = arith.trunci %bits : i32 to i16
  %one = vector.broadcast %low : i16 to vector<1xi16>
  %lanes = vector.bitcast %one : vector<1xi16> to vector<16xi1>
  return %lanes : vector<16xi1>
}
func.func private @eight_lanes_of(%bits: i32) -> vector<8xi1> {
  %low = arith.trunci %bits : i32 to i8
  %one = vector.broadcast %low : i8 to vector<1xi8>
  %lanes = vector.bitcast %one : vector<1xi8> to vector<8xi1>
  return %lanes : vector<8xi1>
}

// Lanes as the low 16 bits.
func.func private @bits_of(%lanes: vector<16xi1>) -> i32 {
  %one = vector.bitcast %lanes : vector<16xi1> to vector<1xi16>
  %low = vector.extract %one[0] : i16 from vector<1xi16>
  %bits = arith.extui %low : i16 to i32
  return %bits : i32
}

// Which columns are not less than the one behind them, as bits; behind the last one is the first of the others.
func.func private @not_less(%columns: vector<16x!I>, %others: vector<16x!I>) -> i32 {
  %behind = vector.shuffle %columns, %others [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
      : vector<16x!I>, vector<16x!I>
  %stays = arith.cmpi uge, %columns, %behind : vector<16x!I>
  %bits = func.call @bits_of(%stays) : (vector<16xi1>) -> i32
  return %bits : i32
}

// %n bits, at most 32.
func.func private @first_bits(%n: index) -> i32 {
  %one = arith.constant 1 : i64
  %size = arith.index_cast %n : index to i64
  %behind = arith.shli %one, %size : i64
  %all = arith.subi %behind, %one : i64
  %bits = arith.trunci %all : i64 to i32
  return %bits : i32
}

// How many of the low 16 bits are set.
func.func private @count_bits(%bits: i32) -> index {
  %low = arith.constant 65535 : i32
  %here = arith.andi %bits, %low : i32
  %count = math.ctpop %here : i32
  %size = arith.index_castui %count : i32 to index
  return %size : index
}

// 16 columns: those of elements %p and behind it of a at the places of %bits_a, those from %q on of b at those of
// %bits_b, and %others at other places.
func.func private @expand_columns(%ai: memref<?x!I>, %bi: memref<?x!I>, %p: index, %q: index, %bits_a: i32,
    %bits_b: i32, %others: vector<16x!I>) -> vector<16x!I> {
  %of_a = func.call @lanes_of(%bits_a) : (i32) -> vector<16xi1>
  %of_b = func.call @lanes_of(%bits_b) : (i32) -> vector<16xi1>
  %with_a = vector.expandload %ai[%p], %of_a, %others {noria.readable}
      : memref<?x!I>, vector<16xi1>, vector<16x!I> into vector<16x!I>
  %with_b = vector.expandload %bi[%q], %of_b, %with_a {noria.readable}
      : memref<?x!I>, vector<16xi1>, vector<16x!I> into vector<16x!I>
  return %with_b : vector<16x!I>
}

// The same of 8 values, to place %at and the 7 behind it.
func.func private @write_values(%ad: memref<?x!T>, %bd: memref<?x!T>, %p: index, %q: index, %bits_a: i32,
    %bits_b: i32, %cd: memref<?x!T>, %at: index) {
  %zero = func.call @zero() : () -> !T
  %zeros = vector.broadcast %zero : !T to vector<8x!T>
  %of_a = func.call @eight_lanes_of(%bits_a) : (i32) -> vector<8xi1>
  %of_b = func.call @eight_lanes_of(%bits_b) : (i32) -> vector<8xi1>
  %with_a = vector.expandload %ad[%p], %of_a, %zeros {noria.readable}
      : memref<?x!T>, vector<8xi1>, vector<8x!T> into vector<8x!T>
  %with_b = vector.expandload %bd[%q], %of_b, %with_a {noria.readable}
      : memref<?x!T>, vector<8xi1>, vector<8x!T> into vector<8x!T>
  vector.store %with_b, %cd[%at] : memref<?x!T>, vector<8x!T>
  return
}

// The same of the values at %count places, 8 to 16, of which 8 are written.
func.func private @write_more_values(%ad: memref<?x!T>, %bd: memref<?x!T>, %p: index, %q: index, %bits_a: i32,
    %bits_b: i32, %cd: memref<?x!T>, %at: index, %count: index) {
  %c8 = arith.constant 8 : index
  %eight = arith.constant 8 : i32
  %low = arith.constant 255 : i32
  %more = arith.cmpi ugt, %count, %c8 : index
  scf.if %more {
    %first = arith.andi %bits_a, %low : i32
    %before = func.call @count_bits(%first) : (i32) -> index
    %rest = arith.subi %c8, %before : index
    %p1 = arith.addi %p, %before : index
    %q1 = arith.addi %q, %rest : index
    %at1 = arith.addi %at, %c8 : index
    %next_a = arith.shrui %bits_a, %eight : i32
    %next_b = arith.shrui %bits_b, %eight : i32
    func.call @write_values(%ad, %bd, %p1, %q1, %next_a, %next_b, %cd, %at1)
        : (memref<?x!T>, memref<?x!T>, index, index, i32, i32, memref<?x!T>, index) -> ()
  }
  return
}

// Writes elements %p to %p + %n - 1 of a and %q to %q + %k - 1 of b, merged, from place %at on, and
// anything to the places behind them, up to the 32nd. 32 elements may be read from %p + %n and from %q + %k on. Gives
// the first column, and whether a column is not less than the one behind it, or the last one not less than %fill. Then
// the caller has to merge these elements again, another way: both have a column in common, or one is out of range, or a
// list does not ascend, and two elements may have been written to one place.
func.func private @merge_expanded(%ai: memref<?x!I>, %ad: memref<?x!T>, %bi: memref<?x!I>, %bd: memref<?x!T>,
    %ci: memref<?x!I>, %cd: memref<?x!T>, %p: index, %n: index, %q: index, %k: index, %at: index,
    %fill: !I) -> (!I, i1) {
  %c16 = arith.constant 16 : index
  %sixteen = arith.constant 16 : i32
  %none = arith.constant 0 : i32
  %behind_all = arith.constant dense<-1> : vector<16x!I>
  %own = func.call @first_bits(%n) : (index) -> i32
  %lanes = func.call @lanes_of(%own) : (i32) -> vector<16xi1>
  %next_16 = vector.load %ai[%p] : memref<?x!I>, vector<16x!I>
  %a = arith.select %lanes, %next_16, %behind_all : vector<16xi1>, vector<16x!I>
  %all = func.call @places_of(%a, %bi, %q, %k) : (vector<16x!I>, memref<?x!I>, index, index) -> i32
  %total = arith.addi %n, %k : index
  %places = func.call @first_bits(%total) : (index) -> i32
  %bits_a = arith.andi %all, %places : i32
  %bits_b = arith.xori %bits_a, %places : i32
  %others = vector.broadcast %fill : !I to vector<16x!I>
  %columns = func.call @expand_columns(%ai, %bi, %p, %q, %bits_a, %bits_b, %others)
      : (memref<?x!I>, memref<?x!I>, index, index, i32, i32, vector<16x!I>) -> vector<16x!I>
  vector.store %columns, %ci[%at] : memref<?x!I>, vector<16x!I>
  func.call @write_values(%ad, %bd, %p, %q, %bits_a, %bits_b, %cd, %at)
      : (memref<?x!T>, memref<?x!T>, index, index, i32, i32, memref<?x!T>, index) -> ()
  func.call @write_more_values(%ad, %bd, %p, %q, %bits_a, %bits_b, %cd, %at, %total)
      : (memref<?x!T>, memref<?x!T>, index, index, i32, i32, memref<?x!T>, index, index) -> ()
  %two = arith.cmpi ugt, %total, %c16 : index
  %behind_16, %wrong_behind = scf.if %two -> (vector<16x!I>, i32) {
    %before = func.call @count_bits(%bits_a) : (i32) -> index
    %rest = arith.subi %c16, %before : index
    %p1 = arith.addi %p, %before : index
    %q1 = arith.addi %q, %rest : index
    %at1 = arith.addi %at, %c16 : index
    %count1 = arith.subi %total, %c16 : index
    %high_a = arith.shrui %bits_a, %sixteen : i32
    %high_b = arith.shrui %bits_b, %sixteen : i32
    %columns1 = func.call @expand_columns(%ai, %bi, %p1, %q1, %high_a, %high_b, %others)
        : (memref<?x!I>, memref<?x!I>, index, index, i32, i32, vector<16x!I>) -> vector<16x!I>
    vector.store %columns1, %ci[%at1] : memref<?x!I>, vector<16x!I>
    func.call @write_values(%ad, %bd, %p1, %q1, %high_a, %high_b, %cd, %at1)
        : (memref<?x!T>, memref<?x!T>, index, index, i32, i32, memref<?x!T>, index) -> ()
    func.call @write_more_values(%ad, %bd, %p1, %q1, %high_a, %high_b, %cd, %at1, %count1)
        : (memref<?x!T>, memref<?x!T>, index, index, i32, i32, memref<?x!T>, index, index) -> ()
    %stays1 = func.call @not_less(%columns1, %others) : (vector<16x!I>, vector<16x!I>) -> i32
    %shifted = arith.shli %stays1, %sixteen : i32
    scf.yield %columns1, %shifted : vector<16x!I>, i32
  } else {
    scf.yield %others, %none : vector<16x!I>, i32
  }
  %stays = func.call @not_less(%columns, %behind_16) : (vector<16x!I>, vector<16x!I>) -> i32
  %wrong = arith.ori %stays, %wrong_behind : i32
  %wrong_here = arith.andi %wrong, %places : i32
  %falls = arith.cmpi ne, %wrong_here, %none : i32
  %set = math.ctpop %bits_a : i32
  %count_a = arith.index_castui %set : i32 to index
  %misses = arith.cmpi ne, %count_a, %n : index
  %any = arith.ori %falls, %misses : i1
  %first = vector.extract %columns[0] : !I from vector<16x!I>
  return %first, %any : !I, i1
}
