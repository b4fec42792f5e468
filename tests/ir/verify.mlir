// Errors of the verifier that rows and structure give, all in one run.
// RUN: noria opt --split-input-file --verify-diagnostics %s

func.func @operand_type(%a: f32) {
  // expected-error@+1 {{'scf.if' op operand #0 must be 1-bit integer, but got 'f32'}}
  "scf.if"(%a) ({
    scf.yield
  }, {
  }) : (f32) -> ()
  return
}

// -----

func.func @operand_count(%a: f32) {
  // expected-error@+1 {{'arith.addf' op expected 2 operands, but found 1}}
  %0 = "arith.addf"(%a) : (f32) -> f32
  // expected-error@+1 {{'arith.addf' op expected 1 result, but found 0}}
  "arith.addf"(%a, %a) : (f32, f32) -> ()
  return
}

// -----

func.func @unknown_length() {
  // expected-error@+1 {{'arith.constant' op a vector of unknown length needs one element for all}}
  %0 = arith.constant dense<[1, 2]> : vector<[2]xi32>
  return
}

// -----

func.func @same_types(%a: f32, %b: f64) {
  // expected-error@+1 {{'arith.addf' op requires the same type for all operands and results, but has 'f32' and 'f64'}}
  %0 = "arith.addf"(%a, %b) : (f32, f64) -> f32
  return
}

// -----

func.func @dominance(%c: i1, %x: i32) -> i32 {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  // expected-note@+1 {{operand defined here}}
  %0 = arith.addi %x, %x : i32
  cf.br ^bb2
^bb2:
  // expected-error@+1 {{operand #0 of 'func.return' does not dominate this use}}
  return %0 : i32
}

// -----

func.func @branch(%x: i32) {
  // expected-error@+1 {{'cf.br' op branch has 1 operands for successor #0, but target block has 0}}
  cf.br ^bb1(%x : i32)
^bb1:
  return
}

// -----

func.func @branch_type(%x: i32) {
  // expected-error@+1 {{'cf.br' op type mismatch for bb argument #0 of successor #0: 'i32' vs 'f32'}}
  cf.br ^bb1(%x : i32)
^bb1(%y: f32):
  return
}

// -----

// expected-note@+1 {{see existing symbol definition here}}
func.func @twice() {
  return
}
// expected-error@+1 {{redefinition of symbol named 'twice'}}
func.func @twice() {
  return
}

// -----

func.func @caller() {
  // expected-error@+1 {{'func.call' op 'calee' does not reference a valid function; did you mean 'callee'?}}
  call @calee() : () -> ()
  return
}
func.func private @callee()

// -----

// expected-note@+1 {{in a region of this op}}
func.func @no_terminator(%x: i32) {
  // expected-error@+1 {{block without a terminator: 'arith.addi' is its last op}}
  %0 = arith.addi %x, %x : i32
}

// -----

func.func @after_terminator() {
  // expected-error@+1 {{'func.return' op must be the last operation in the parent block}}
  return
  return
}

// -----

func.func @wrong_parent(%x: i32) {
  // expected-error@+1 {{'scf.yield' op yield only terminates}}
  scf.yield %x : i32
}
