// Errors of reading and of checking come in one run: what could be read is checked though the file could not be.
// RUN: noria opt --verify-diagnostics %s

func.func @reads(%a: f32) -> f32 {
  // expected-error@+1 {{unknown op 'arith.adf'; did you mean 'arith.addf'?}}
  %0 = arith.adf %a, %a : f32
  return %0 : f32
}

func.func @returns() -> i32 {
  %0 = arith.constant 1 : i64
  // expected-error@+1 {{type of return operand 0 ('i64') doesn't match function result type ('i32')}}
  return %0 : i64
}

// What is wrong inside an op that has an error of its own is not looked for: it may only follow from that.
func.func @half(%c: i1) -> i32 {
  // expected-error@+1 {{use of undeclared SSA value name '%b'}}
  %0 = arith.select %c, %b, %b : i64
  return %0 : i64
}

// What is named may be what could not be read.
func.func @calls(%a: f32) -> f32 {
  %0 = call @reads(%a) : (f32) -> f32
  %1 = call @nobody(%0) : (f32) -> f32
  return %1 : f32
}

module @inner {
  func.func @blocks(%c: i1) -> i32 {
    cf.cond_br %c, ^a, ^b
  ^a:
    // expected-note@+1 {{operand defined here}}
    %1 = arith.constant 3 : i32
    cf.br ^b
  ^b:
    // expected-error@+1 {{operand #0 of 'func.return' does not dominate this use}}
    return %1 : i32
  }
  // expected-error@+1 {{unknown type 'bogus'}}
  func.func private @broken(%c: bogus)
}
