// RUN: noria opt %s --split-input-file --verify-diagnostics

func.func @bound_of_wrong_type(%x: f32, %i: index) {
  // expected-error@+1 {{operand #0 must be index}}
  "scf.for"(%x, %i, %i) ({
  ^bb0(%iv: index):
    "scf.yield"() : () -> ()
  }) : (f32, index, index) -> ()
  return
}

// -----

func.func @step_must_be_positive(%i: index) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{constant step operand must be positive}}
  scf.for %iv = %i to %i step %c0 {
  }
  return
}

// -----

func.func @two_regions(%i: index) {
  // expected-error@+1 {{'scf.for' op has incorrect number of regions: expected 1 but found 2}}
  "scf.for"(%i, %i, %i) ({
  ^bb0(%iv: index):
    "scf.yield"() : () -> ()
  }, {}) : (index, index, index) -> ()
  return
}

// -----

func.func @two_blocks(%i: index) {
  // expected-error@+1 {{expects region #0 to have 0 or 1 blocks}}
  "scf.for"(%i, %i, %i) ({
  ^bb0(%iv: index):
    "scf.yield"() : () -> ()
  ^bb1:
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @induction_variable(%i: index) {
  // expected-error@+1 {{expected body first argument to be an index argument for the induction variable}}
  "scf.for"(%i, %i, %i) ({
  ^bb0(%iv: i32):
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @carried_values_and_results(%i: index, %x: f32) {
  // expected-error@+1 {{mismatch in number of loop-carried values and defined values}}
  "scf.for"(%i, %i, %i, %x) ({
  ^bb0(%iv: index, %a: f32):
    "scf.yield"() : () -> ()
  }) : (index, index, index, f32) -> ()
  return
}

// -----

func.func @carried_values_and_types(%i: index, %x: f32) {
  // expected-error@+1 {{mismatch in number of loop-carried values and defined values}}
  %r = scf.for %iv = %i to %i step %i iter_args(%a = %x, %b = %x) -> (f32) {
    scf.yield %a : f32
  }
  return
}

// -----

func.func @block_arguments(%i: index, %x: f32) {
  // expected-error@+1 {{mismatch in number of basic block args and defined values}}
  %r = "scf.for"(%i, %i, %i, %x) ({
  ^bb0(%iv: index):
    "scf.yield"(%x) : (f32) -> ()
  }) : (index, index, index, f32) -> f32
  return
}

// -----

func.func @type_of_init(%i: index, %x: f32) {
  // expected-error@+1 {{types mismatch between 0th iter operand and defined value}}
  %r = "scf.for"(%i, %i, %i, %x) ({
  ^bb0(%iv: index, %a: i32):
    "scf.yield"(%a) : (i32) -> ()
  }) : (index, index, index, f32) -> i32
  return
}

// -----

func.func @type_of_argument(%i: index, %x: f32) {
  // expected-error@+1 {{types mismatch between 0th iter region arg and defined value}}
  %r = "scf.for"(%i, %i, %i, %x) ({
  ^bb0(%iv: index, %a: i32):
    "scf.yield"(%x) : (f32) -> ()
  }) : (index, index, index, f32) -> f32
  return
}

// -----

func.func @yield_count(%i: index, %x: f32) {
  %r = scf.for %iv = %i to %i step %i iter_args(%a = %x) -> (f32) {
    // expected-error@+1 {{parent of yield must have same number of results as the yield operands}}
    scf.yield %x, %x : f32, f32
  }
  return
}

// -----

func.func @yield_type(%c: i1, %x: f32, %i: i32) {
  %r = scf.if %c -> (f32) {
    // expected-error@+1 {{types mismatch between yield op and its parent}}
    scf.yield %i : i32
  } else {
    scf.yield %x : f32
  }
  return
}

// -----

func.func @yield_elsewhere() {
  // expected-error@+1 {{yield only terminates If, For or Parallel regions}}
  scf.yield
}

// -----

func.func @condition_type(%x: f32) {
  // expected-error@+1 {{operand #0 must be 1-bit integer}}
  "scf.if"(%x) ({
    "scf.yield"() : () -> ()
  }, {}) : (f32) -> ()
  return
}

// -----

func.func @if_arguments(%c: i1) {
  // expected-error@+1 {{requires that child entry blocks have no arguments}}
  "scf.if"(%c) ({
  ^bb0(%x: index):
    "scf.yield"() : () -> ()
  }, {}) : (i1) -> ()
  return
}

// -----

func.func @if_without_else(%c: i1, %x: f32) {
  // expected-error@+1 {{must have an else block if defining values}}
  %r = scf.if %c -> (f32) {
    scf.yield %x : f32
  }
  return
}

// -----

func.func @parallel_bounds(%i: index) {
  // expected-error@+1 {{expected 1 operands}}
  scf.parallel (%iv) = (%i, %i) to (%i) step (%i) {
  }
  return
}

// -----

func.func @parallel_of_no_dims() {
  // expected-error@+1 {{needs at least one tuple element for lowerBound, upperBound and step}}
  scf.parallel () = () to () step () {
  }
  return
}

// -----

func.func @parallel_step(%i: index) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{constant step operand must be positive}}
  scf.parallel (%iv) = (%i) to (%i) step (%c0) {
  }
  return
}

// -----

func.func @parallel_variables(%i: index) {
  // expected-error@+1 {{expects the same number of induction variables: 2 as bound and step values: 1}}
  "scf.parallel"(%i, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%a: index, %b: index):
    "scf.reduce"() : () -> ()
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @parallel_variable_type(%i: index) {
  // expected-error@+1 {{expects arguments for the induction variable to be of index type}}
  "scf.parallel"(%i, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%a: i32):
    "scf.reduce"() : () -> ()
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @parallel_results(%i: index, %x: f32) {
  // expected-error@+1 {{expects number of results: 0 to be the same as number of reductions: 1}}
  scf.parallel (%iv) = (%i) to (%i) step (%i) {
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      scf.reduce.return %a : f32
    }
  }
  return
}

// -----

func.func @reduction_type(%i: index, %x: f32) {
  %r = scf.parallel (%iv) = (%i) to (%i) step (%i) init (%x) -> f32 {
    // expected-error@+1 {{expects type of reduce: 'index' to be the same as result type: 'f32'}}
    scf.reduce(%iv : index) {
    ^bb0(%a: index, %b: index):
      scf.reduce.return %a : index
    }
  }
  return
}

// -----

func.func @reduction_arguments(%i: index, %x: f32) {
  %r = scf.parallel (%iv) = (%i) to (%i) step (%i) init (%x) -> f32 {
    // expected-error@+1 {{expects two arguments to reduce block of type 'f32'}}
    scf.reduce(%x : f32) {
    ^bb0(%a: f32):
      scf.reduce.return %a : f32
    }
  }
  return
}

// -----

func.func @reduction_terminator(%i: index, %x: f32) {
  %r = scf.parallel (%iv) = (%i) to (%i) step (%i) init (%x) -> f32 {
    // expected-error@+1 {{the block inside reduce should be terminated with a 'scf.reduce.return' op}}
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      // expected-error@+1 {{yield only terminates If, For or Parallel regions}}
      "scf.yield"() : () -> ()
    }
  }
  return
}

// -----

func.func @reduction_result(%i: index, %x: f32) {
  %r = scf.parallel (%iv) = (%i) to (%i) step (%i) init (%x) -> f32 {
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      // expected-error@+1 {{needs to have type 'f32' (the type of the enclosing ReduceOp)}}
      scf.reduce.return %i : index
    }
  }
  return
}

// -----

func.func @reduce_elsewhere(%x: f32) {
  // expected-error@+1 {{expects parent op 'scf.parallel'}}
  scf.reduce
}

// -----

// The last two shapes of 2020 that have no counterpart today.
func @yield_in_parallel(%i: index) {
  loop.parallel (%iv) = (%i) to (%i) step (%i) {
    // expected-error@+1 {{yield inside loop.parallel is not allowed to have operands}}
    loop.yield %iv : index
  }
  return
}

// -----

func @reduction_without_neutral_element(%i: index, %x: memref<f32>) -> memref<f32> {
  %r = loop.parallel (%iv) = (%i) to (%i) step (%i) {
    // expected-error@+1 {{reduction #0 of 'memref<f32>' needs an initial value: give the loop one with init(..)}}
    loop.reduce(%x) {
    ^bb0(%a: memref<f32>, %b: memref<f32>):
      loop.reduce.return %a : memref<f32>
    } : memref<f32>
  } : memref<f32>
  return %r : memref<f32>
}

// -----

func.func @while_terminators(%c: i1) {
  // expected-error@+1 {{expects the 'before' region to terminate with 'scf.condition'}}
  "scf.while"() ({
    "scf.yield"() : () -> ()
  }, {
    "scf.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @while_condition(%c: i1, %x: f32) {
  // expected-error@+1 {{(C2) scf.condition: value #0 has type 'i1', but region 'after' has 'f32'}}
  %r = scf.while : () -> f32 {
    scf.condition(%c) %c : i1
  } do {
  ^bb0(%a: f32):
    scf.yield
  }
  return
}

// -----

func.func @while_yield(%c: i1, %x: f32) {
  // expected-error@+1 {{(C1) scf.yield: 0 values are passed on, but region 'before' has 1}}
  scf.while (%a = %x) : (f32) -> () {
    scf.condition(%c)
  } do {
    scf.yield
  }
  return
}

// -----

func.func @switch_cases(%i: index) {
  // expected-error@+1 {{(C1) has duplicate case value: 2}}
  scf.index_switch %i
  case 2 {
    scf.yield
  }
  case 2 {
    scf.yield
  }
  default {
    scf.yield
  }
  return
}

// -----

func.func @bound_1_of_wrong_type(%i: index, %x: f32) {
  // expected-error@+1 {{'scf.for' op operand #1 must be index}}
  "scf.for"(%i, %x, %i) ({
  ^bb0(%iv: index):
    "scf.yield"() : () -> ()
  }) : (index, f32, index) -> ()
  return
}

// -----

func.func @bound_2_of_wrong_type(%i: index, %x: f32) {
  // expected-error@+1 {{'scf.for' op operand #2 must be index}}
  "scf.for"(%i, %i, %x) ({
  ^bb0(%iv: index):
    "scf.yield"() : () -> ()
  }) : (index, index, f32) -> ()
  return
}

// -----

func.func @prior_use(%i: i32) {
  // expected-error@+2 {{expects different type than prior uses: 'f32' vs 'i32'}}
  // expected-note@-2 {{prior use here}}
  %0 = arith.addf %i, %i : f32
  return
}

// -----

func.func @if_of_one_region(%c: i1) {
  // expected-error@+1 {{'scf.if' op has incorrect number of regions: expected 2}}
  "scf.if"(%c) ({
    "scf.yield"() : () -> ()
  }) : (i1) -> ()
  return
}

// -----

func.func @if_of_two_blocks(%c: i1) {
  // expected-error@+1 {{'scf.if' op expects region #0 to have 0 or 1 blocks}}
  "scf.if"(%c) ({
    "scf.yield"() : () -> ()
  ^bb1:
    "scf.yield"() : () -> ()
  }, {}) : (i1) -> ()
  return
}

// -----

func.func @initial_values(%i: index, %x: f32) {
  // expected-error@+1 {{'scf.parallel' op expects number of results: 1 to be the same as number of initial values: 2}}
  %r = "scf.parallel"(%i, %i, %i, %x, %x) <{operandSegmentSizes = array<i32: 1, 1, 1, 2>}> ({
  ^bb0(%a: index):
    "scf.reduce"(%x) ({
    ^bb0(%l: f32, %m: f32):
      "scf.reduce.return"(%l) : (f32) -> ()
    }) : (f32) -> ()
  }) : (index, index, index, f32, f32) -> f32
  return
}

// -----

func.func @reduction_of_no_block(%i: index, %x: f32) {
  %r = scf.parallel (%a) = (%i) to (%i) step (%i) init (%x) -> f32 {
    // expected-error@+1 {{'scf.reduce' op the block inside reduce should not be empty}}
    "scf.reduce"(%x) ({
    }) : (f32) -> ()
  }
  return
}

// -----

func.func @reduction_of_empty_block(%i: index, %x: f32) {
  %r = scf.parallel (%a) = (%i) to (%i) step (%i) init (%x) -> f32 {
    // expected-error@+1 {{'scf.reduce' op the block inside reduce should not be empty}}
    "scf.reduce"(%x) ({
    ^bb0(%l: f32, %m: f32):
    }) : (f32) -> ()
  }
  return
}

// -----

func.func @return_elsewhere(%x: f32) {
  // expected-error@+1 {{'scf.reduce.return' op expects parent op 'scf.reduce'}}
  scf.reduce.return %x : f32
}
