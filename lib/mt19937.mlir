// mt19937.mlir - the Mersenne Twister MT19937 of M. Matsumoto and T. Nishimura (1998), as NumPy's RandomState(seed) has
// it.
//
// The state is 624 words, which give 624 words of 32 random bits each before they are renewed. Two of them make a
// number.

// Fills the state from a seed, of which the low 32 bits count.
func.func private @mt_seed(%state: memref<624xi32>, %seed: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c624 = arith.constant 624 : index
  %c30 = arith.constant 30 : i32
  %factor = arith.constant 1812433253 : i32
  %low = arith.trunci %seed : i64 to i32
  memref.store %low, %state[%c0] : memref<624xi32>
  %last = scf.for %i = %c1 to %c624 step %c1 iter_args(%word = %low) -> (i32) {
    %high = arith.shrui %word, %c30 : i32
    %mixed = arith.xori %word, %high : i32
    %product = arith.muli %mixed, %factor : i32
    %place = arith.index_cast %i : index to i32
    %next = arith.addi %product, %place : i32
    memref.store %next, %state[%i] : memref<624xi32>
    scf.yield %next : i32
  }
  return
}

// Renews all words of the state.
func.func private @mt_renew(%state: memref<624xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c227 = arith.constant 227 : index
  %c397 = arith.constant 397 : index
  %c623 = arith.constant 623 : index
  %c624 = arith.constant 624 : index
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %upper = arith.constant 0x80000000 : i32
  %lower = arith.constant 0x7fffffff : i32
  %matrix = arith.constant 0x9908b0df : i32
  scf.for %i = %c0 to %c624 step %c1 {
    %is_last = arith.cmpi eq, %i, %c623 : index
    %behind = arith.addi %i, %c1 : index
    %next = arith.select %is_last, %c0, %behind : index
    %is_low = arith.cmpi ult, %i, %c227 : index
    %ahead = arith.addi %i, %c397 : index
    %before = arith.subi %i, %c227 : index
    %far = arith.select %is_low, %ahead, %before : index
    %a = memref.load %state[%i] : memref<624xi32>
    %b = memref.load %state[%next] : memref<624xi32>
    %c = memref.load %state[%far] : memref<624xi32>
    %high = arith.andi %a, %upper : i32
    %rest = arith.andi %b, %lower : i32
    %y = arith.ori %high, %rest : i32
    %half = arith.shrui %y, %one : i32
    %bit = arith.andi %y, %one : i32
    %is_odd = arith.cmpi ne, %bit, %zero : i32
    %twist = arith.select %is_odd, %matrix, %zero : i32
    %mixed = arith.xori %c, %half : i32
    %word = arith.xori %mixed, %twist : i32
    memref.store %word, %state[%i] : memref<624xi32>
  }
  return
}

func.func private @mt_word(%state: memref<624xi32>, %i: index) -> i32 {
  %c11 = arith.constant 11 : i32
  %c7 = arith.constant 7 : i32
  %c15 = arith.constant 15 : i32
  %c18 = arith.constant 18 : i32
  %mask_7 = arith.constant 0x9d2c5680 : i32
  %mask_15 = arith.constant 0xefc60000 : i32
  %y0 = memref.load %state[%i] : memref<624xi32>
  %s0 = arith.shrui %y0, %c11 : i32
  %y1 = arith.xori %y0, %s0 : i32
  %s1 = arith.shli %y1, %c7 : i32
  %m1 = arith.andi %s1, %mask_7 : i32
  %y2 = arith.xori %y1, %m1 : i32
  %s2 = arith.shli %y2, %c15 : i32
  %m2 = arith.andi %s2, %mask_15 : i32
  %y3 = arith.xori %y2, %m2 : i32
  %s3 = arith.shrui %y3, %c18 : i32
  %y4 = arith.xori %y3, %s3 : i32
  return %y4 : i32
}

// A multiple of 2^-53 in [0, 1) from words i < 623 and i + 1.
func.func private @mt_number(%state: memref<624xi32>, %i: index) -> f64 {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : i32
  %c6 = arith.constant 6 : i32
  %shift = arith.constant 67108864.0 : f64
  %unit = arith.constant 0x3CA0000000000000 : f64
  %j = arith.addi %i, %c1 : index
  %first = func.call @mt_word(%state, %i) : (memref<624xi32>, index) -> i32
  %second = func.call @mt_word(%state, %j) : (memref<624xi32>, index) -> i32
  %a = arith.shrui %first, %c5 : i32
  %b = arith.shrui %second, %c6 : i32
  %high = arith.uitofp %a : i32 to f64
  %low = arith.uitofp %b : i32 to f64
  %scaled = arith.mulf %high, %shift : f64
  %sum = arith.addf %scaled, %low : f64
  %number = arith.mulf %sum, %unit : f64
  return %number : f64
}
