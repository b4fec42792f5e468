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
