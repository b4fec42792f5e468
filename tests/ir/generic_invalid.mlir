// The generic form says anything: what the readers of older shapes look at may not be there, or have uses.
// RUN: noria opt --split-input-file --verify-diagnostics --allow-unregistered-dialect %s

func @alloc(%x: index) {
  // expected-error@+2 {{'alloc' op expected 1 result, but found 0}}
  // expected-error@+1 {{'alloc' op requires attribute 'operandSegmentSizes'}}
  "std.alloc"(%x) : (index) -> ()
  return
}

// -----

func @dim(%m: memref<?xf32>) {
  // expected-error@+1 {{'dim' op expected 2 operands, but found 1}}
  %0 = "std.dim"(%m) {index = "0"} : (memref<?xf32>) -> index
  return
}

// -----

func @yields(%c: i1) {
  "loop.if"(%c) ({
    // expected-error@+2 {{'loop.yield' op must be the last operation in the parent block}}
    // expected-error@+1 {{operand #0 of 'loop.yield' does not dominate this use}}
    "loop.yield"(%x) : (f32) -> ()
    // expected-error@+2 {{'loop.yield' op expected 0 results, but found 1}}
    // expected-note@+1 {{operand defined here}}
    %x = "loop.yield"() : () -> f32
  }, {}) : (i1) -> ()
  return
}

// -----

"module"() ({
  "a.use"(%x) : (i32) -> ()
  // expected-error@+1 {{'builtin.module_terminator' op expected 0 results, but found 1}}
  %x = "module_terminator"() : () -> i32
}) : () -> ()

// -----

func @reduction(%i: index, %x: f32) {
  // expected-error@+1 {{'loop.parallel' op expects body to terminate with}}
  "loop.parallel"(%i, %i, %i) ({
  ^bb0(%iv: index):
    // expected-error@+1 {{operand #0 of 'a.use' does not dominate this use}}
    "a.use"(%q) : (i32) -> ()
    // expected-error@+3 {{'loop.reduce' op must be the last operation in the parent block}}
    // expected-error@+2 {{'loop.reduce' op expected 0 results, but found 1}}
    // expected-note@+1 {{operand defined here}}
    %q = "loop.reduce"(%x) ({
    ^bb0(%a: f32, %b: f32):
      "loop.reduce.return"(%a) : (f32) -> ()
    }) : (f32) -> i32
    "loop.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}

// -----

func @nothing_returned(%i: index, %x: f32) {
  %r = "loop.parallel"(%i, %i, %i) ({
  ^bb0(%iv: index):
    "loop.reduce"(%x) ({
    ^bb0(%a: f32, %b: f32):
      %s = "std.addf"(%a, %b) : (f32, f32) -> f32
      // expected-error@+1 {{'loop.reduce.return' op expected 1 operand, but found 0}}
      "loop.reduce.return"() : () -> ()
    }) : (f32) -> ()
    "loop.yield"() : () -> ()
  }) : (index, index, index) -> f32
  return
}

// -----

// An op without a row is no terminator of a region that gets one when it is left out; of another it may be.
func.func @ends(%n: index) {
  affine.for %i = 0 to %n {
    "a.last"() : () -> ()
  }
  // expected-error@+1 {{'affine.for' op expects regions to end with 'affine.yield', found 'a.last'}}
  "affine.for"(%n) <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 1, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0)>}> ({
  ^bb0(%i: index):
    "a.last"() : () -> ()
  }) : (index) -> ()
  return
}

// -----

// expected-error@+1 {{null character not allowed in operation name}}
"a\00b.c"() : () -> ()
