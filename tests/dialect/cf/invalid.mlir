// RUN: noria opt %s --split-input-file --verify-diagnostics

func.func @count() {
  // expected-error@+1 {{branch has 0 operands for successor #0, but target block has 1}}
  cf.br ^bb1
^bb1(%x: i32):
  return
}

// -----

func.func @type(%c: i1, %a: f32) {
  // expected-error@+1 {{type mismatch for bb argument #0 of successor #1}}
  cf.cond_br %c, ^bb2, ^bb1(%a : f32)
^bb1(%x: i32):
  return
^bb2:
  return
}

// -----

func.func @cases(%flag: i32) {
  // expected-error@+1 {{'flag' type ('i32') should match case value type ('i64')}}
  "cf.switch"(%flag)[^bb1, ^bb1] <{case_operand_segments = array<i32: 0>, case_values = dense<1> : vector<1xi64>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
^bb1:
  return
}

// -----

func.func @case_too_large(%c: i8) {
  // expected-error@+1 {{custom op 'cf.switch' case value 256 does not fit type 'i8'}}
  cf.switch %c : i8, [ default: ^bb1, 256: ^bb1 ]
^bb1:
  return
}
