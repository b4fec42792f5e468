// Programs in the spelling of 2020 are told of their mistakes in it.
// RUN: noria opt %s --split-input-file --verify-diagnostics

func @bound(%x: f32, %i: index) {
  // expected-error@+1 {{'loop.for' op operand #0 must be index}}
  "loop.for"(%x, %i, %i) ({
  ^bb0(%iv: index):
    "loop.yield"() : () -> ()
  }) : (f32, index, index) -> ()
  return
}

// -----

func @bounds(%i: index) {
  // expected-error@+1 {{custom op 'loop.parallel' expected 1 operands}}
  loop.parallel (%a) = (%i, %i) to (%i) step (%i) {
  }
  return
}

// -----

func @carried(%i: index, %x: f32) {
  // expected-error@+1 {{custom op 'loop.for' mismatch in number of loop-carried values and defined values}}
  loop.for %iv = %i to %i step %i iter_args(%a = %x) -> (f32, f32) {
    loop.yield %a, %a : f32, f32
  }
  return
}

// -----

func @reductions(%i: index, %x: f32) {
  // expected-error@+1 {{'loop.parallel' op expects number of results: 0 to be the same as number of reductions: 1}}
  "loop.parallel"(%i, %i, %i) ({
  ^bb0(%a: index):
    "loop.reduce"(%x) ({
    ^bb0(%l: f32, %r: f32):
      "loop.reduce.return"(%l) : (f32) -> ()
    }) : (f32) -> ()
    "loop.yield"() : () -> ()
  }) {operand_segment_sizes = dense<[1, 1, 1, 0]> : vector<4xi32>} : (index, index, index) -> ()
  return
}

// -----

func @terminator(%i: index, %x: f32) -> f32 {
  %r = loop.parallel (%a) = (%i) to (%i) step (%i) init (%x) {
    // expected-error@+1 {{'loop.reduce' op the block inside reduce should be terminated with a 'loop.reduce.return' op}}
    loop.reduce(%x) {
    ^bb0(%l: f32, %r: f32):
      // expected-error@+1 {{'loop.yield' op yield only terminates If, For or Parallel regions}}
      loop.yield
    } : f32
  } : f32
  return %r : f32
}

// -----

func @parent(%x: f32) {
  // expected-error@+1 {{'loop.reduce.return' op expects parent op 'loop.reduce'}}
  loop.reduce.return %x : f32
}

// -----

func @bound_1(%i: index, %x: f32) {
  // expected-error@+1 {{'loop.for' op operand #1 must be index}}
  "loop.for"(%i, %x, %i) ({
  ^bb0(%iv: index):
    "loop.yield"() : () -> ()
  }) : (index, f32, index) -> ()
  return
}

// -----

func @bound_2(%i: index, %x: f32) {
  // expected-error@+1 {{'loop.for' op operand #2 must be index}}
  "loop.for"(%i, %i, %x) ({
  ^bb0(%iv: index):
    "loop.yield"() : () -> ()
  }) : (index, index, f32) -> ()
  return
}

// -----

func @step(%i: index) {
  %c0 = constant 0 : index
  // expected-error@+1 {{'loop.for' op constant step operand must be positive}}
  loop.for %iv = %i to %i step %c0 {
  }
  return
}

// -----

func @two_regions(%i: index) {
  // expected-error@+1 {{'loop.for' op has incorrect number of regions: expected 1 but found 2}}
  "loop.for"(%i, %i, %i) ({
  ^bb0(%iv: index):
    "loop.terminator"() : () -> ()
  }, {}) : (index, index, index) -> ()
  return
}

// -----

func @two_blocks(%i: index) {
  // expected-error@+1 {{'loop.for' op expects region #0 to have 0 or 1 blocks}}
  "loop.for"(%i, %i, %i) ({
  ^bb0(%iv: index):
    "loop.yield"() : () -> ()
  ^bb1:
    "loop.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}

// -----

func @variable(%i: index) {
  // expected-error@+1 {{'loop.for' op expected body first argument to be an index argument for the induction variable}}
  "loop.for"(%i, %i, %i) ({
  ^bb0(%iv: i32):
    "loop.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}

// -----

func @carried_and_defined(%i: index, %x: f32) {
  // expected-error@+1 {{'loop.for' op mismatch in number of loop-carried values and defined values}}
  "loop.for"(%i, %i, %i, %x) ({
  ^bb0(%iv: index, %a: f32):
    "loop.yield"() : () -> ()
  }) : (index, index, index, f32) -> ()
  return
}

// -----

func @arguments_and_defined(%i: index, %x: f32) {
  // expected-error@+1 {{'loop.for' op mismatch in number of basic block args and defined values}}
  %r = "loop.for"(%i, %i, %i, %x) ({
  ^bb0(%iv: index):
    "loop.yield"(%x) : (f32) -> ()
  }) : (index, index, index, f32) -> f32
  return
}

// -----

func @type_of_operand(%i: index, %x: f32) {
  // expected-error@+1 {{'loop.for' op types mismatch between 0th iter operand and defined value}}
  %r = "loop.for"(%i, %i, %i, %x) ({
  ^bb0(%iv: index, %a: i32):
    "loop.yield"(%a) : (i32) -> ()
  }) : (index, index, index, f32) -> i32
  return
}

// -----

func @type_of_argument(%i: index, %x: f32) {
  // expected-error@+1 {{'loop.for' op types mismatch between 0th iter region arg and defined value}}
  %r = "loop.for"(%i, %i, %i, %x) ({
  ^bb0(%iv: index, %a: i32):
    "loop.yield"(%x) : (f32) -> ()
  }) : (index, index, index, f32) -> f32
  return
}

// -----

func @prior_use(%i: i32) {
  // expected-error@+2 {{expects different type than prior uses: 'f32' vs 'i32'}}
  // expected-note@-2 {{prior use here}}
  %0 = addf %i, %i : f32
  return
}

// -----

func @condition(%x: f32) {
  // expected-error@+1 {{'loop.if' op operand #0 must be 1-bit integer}}
  "loop.if"(%x) ({
    "loop.yield"() : () -> ()
  }, {}) : (f32) -> ()
  return
}

// -----

func @one_region(%c: i1) {
  // expected-error@+1 {{'loop.if' op has incorrect number of regions: expected 2}}
  "loop.if"(%c) ({
    "loop.yield"() : () -> ()
  }) : (i1) -> ()
  return
}

// -----

func @blocks_of_if(%c: i1) {
  // expected-error@+1 {{'loop.if' op expects region #0 to have 0 or 1 blocks}}
  "loop.if"(%c) ({
    "loop.yield"() : () -> ()
  ^bb1:
    "loop.yield"() : () -> ()
  }, {}) : (i1) -> ()
  return
}

// -----

func @arguments_of_if(%c: i1) {
  // expected-error@+1 {{'loop.if' op requires that child entry blocks have no arguments}}
  "loop.if"(%c) ({
  ^bb0(%a: index):
    "loop.yield"() : () -> ()
  }, {}) : (i1) -> ()
  return
}

// -----

func @no_else(%c: i1, %x: f32) {
  // expected-error@+1 {{'loop.if' op must have an else block if defining values}}
  %r = loop.if %c -> (f32) {
    loop.yield %x : f32
  }
  return
}

// -----

func @no_dims() {
  // expected-error@+1 {{'loop.parallel' op needs at least one tuple element for lowerBound, upperBound and step}}
  loop.parallel () = () to () step () {
  }
  return
}

// -----

func @parallel_step(%i: index) {
  %c0 = constant 0 : index
  // expected-error@+1 {{'loop.parallel' op constant step operand must be positive}}
  loop.parallel (%iv) = (%i) to (%i) step (%c0) {
  }
  return
}

// -----

func @variables(%i: index) {
  // expected-error@+1 {{'loop.parallel' op expects the same number of induction variables: 2 as bound and step values: 1}}
  "loop.parallel"(%i, %i, %i) ({
  ^bb0(%a: index, %b: index):
    "loop.yield"() : () -> ()
  }) {operand_segment_sizes = dense<[1, 1, 1, 0]> : vector<4xi32>} : (index, index, index) -> ()
  return
}

// -----

func @type_of_variable(%i: index) {
  // expected-error@+1 {{'loop.parallel' op expects arguments for the induction variable to be of index type}}
  "loop.parallel"(%i, %i, %i) ({
  ^bb0(%a: i32):
    "loop.yield"() : () -> ()
  }) {operand_segment_sizes = dense<[1, 1, 1, 0]> : vector<4xi32>} : (index, index, index) -> ()
  return
}

// -----

func @initial_values(%i: index, %x: f32) {
  // expected-error@+1 {{'loop.parallel' op expects number of results: 1 to be the same as number of initial values: 2}}
  %r = "loop.parallel"(%i, %i, %i, %x, %x) ({
  ^bb0(%a: index):
    "loop.reduce"(%x) ({
    ^bb0(%l: f32, %m: f32):
      "loop.reduce.return"(%l) : (f32) -> ()
    }) : (f32) -> ()
    "loop.yield"() : () -> ()
  }) {operand_segment_sizes = dense<[1, 1, 1, 2]> : vector<4xi32>} : (index, index, index, f32, f32) -> f32
  return
}

// -----

func @type_of_reduce(%i: index, %x: f32) {
  %r = loop.parallel (%a) = (%i) to (%i) step (%i) init (%x) {
    // expected-error@+1 {{'loop.reduce' op expects type of reduce: 'index' to be the same as result type: 'f32'}}
    loop.reduce(%a) {
    ^bb0(%l: index, %m: index):
      loop.reduce.return %l : index
    } : index
  } : f32
  return
}

// -----

func @reduce_elsewhere(%x: f32) {
  // expected-error@+1 {{'loop.reduce' op expects parent op 'loop.parallel'}}
  "loop.reduce"() : () -> ()
}

// -----

func @no_block(%i: index, %x: f32) {
  %r = loop.parallel (%a) = (%i) to (%i) step (%i) init (%x) {
    // expected-error@+1 {{'loop.reduce' op the block inside reduce should not be empty}}
    "loop.reduce"(%x) ({
    }) : (f32) -> ()
  } : f32
  return
}

// -----

func @empty_block(%i: index, %x: f32) {
  %r = loop.parallel (%a) = (%i) to (%i) step (%i) init (%x) {
    // expected-error@+1 {{'loop.reduce' op the block inside reduce should not be empty}}
    "loop.reduce"(%x) ({
    ^bb0(%l: f32, %m: f32):
    }) : (f32) -> ()
  } : f32
  return
}

// -----

func @arguments_of_reduce(%i: index, %x: f32) {
  %r = loop.parallel (%a) = (%i) to (%i) step (%i) init (%x) {
    // expected-error@+1 {{'loop.reduce' op expects two arguments to reduce block of type 'f32'}}
    loop.reduce(%x) {
    ^bb0(%l: f32):
      loop.reduce.return %l : f32
    } : f32
  } : f32
  return
}

// -----

func @type_of_return(%i: index, %x: f32) {
  %r = loop.parallel (%a) = (%i) to (%i) step (%i) init (%x) {
    loop.reduce(%x) {
    ^bb0(%l: f32, %m: f32):
      // expected-error@+1 {{'loop.reduce.return' op needs to have type 'f32' (the type of the enclosing ReduceOp)}}
      loop.reduce.return %a : index
    } : f32
  } : f32
  return
}

// -----

func @yielded_number(%i: index, %x: f32) {
  %r = loop.for %iv = %i to %i step %i iter_args(%a = %x) -> (f32) {
    // expected-error@+1 {{'loop.yield' op parent of yield must have same number of results as the yield operands}}
    loop.yield %a, %a : f32, f32
  }
  return
}

// -----

func @yielded_type(%i: index, %x: f32) {
  %r = loop.for %iv = %i to %i step %i iter_args(%a = %x) -> (f32) {
    // expected-error@+1 {{'loop.yield' op types mismatch between yield op and its parent}}
    loop.yield %iv : index
  }
  return
}

// -----

func @yield_in_parallel(%i: index) {
  loop.parallel (%iv) = (%i) to (%i) step (%i) {
    // expected-error@+1 {{'loop.yield' op yield inside loop.parallel is not allowed to have operands}}
    loop.yield %iv : index
  }
  return
}

// -----

func @yield_elsewhere() {
  // expected-error@+1 {{'loop.yield' op yield only terminates If, For or Parallel regions}}
  loop.yield
}

// -----

func @types_twice(%i: index, %x: f32) {
  // expected-error@+1 {{custom op 'loop.for' types mismatch between 1th iter operand and defined value}}
  loop.for %iv = %i to %i step %i iter_args(%a = %x : f32, %b = %x : f32) -> (f32, f64) {
    loop.yield %a, %b : f32, f64
  }
  return
}

// -----

func @types_of_some(%i: index, %x: f32) {
  // expected-error@+1 {{custom op 'loop.for' mismatch in number of loop-carried values and defined values}}
  loop.for %iv = %i to %i step %i iter_args(%a = %x : f32, %b = %x) {
    loop.yield %a, %b : f32, f32
  }
  return
}
