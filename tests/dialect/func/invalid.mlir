// RUN: noria opt %s --split-input-file --verify-diagnostics

func.func @returns_nothing() -> i32 {
  // expected-error@+1 {{has 0 operands, but enclosing function (@returns_nothing) returns 1}}
  return
}

// -----

func.func @returns_another_type(%a: f32) -> i32 {
  // expected-error@+1 {{type of return operand 0 ('f32') doesn't match function result type ('i32') in function @returns_another_type}}
  return %a : f32
}

// -----

// expected-error@+1 {{entry block must have 1 arguments to match function signature}}
"func.func"() <{sym_name = "f", function_type = (i32) -> ()}> ({
  "func.return"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{type of entry block argument #0('f32') must match the type of the corresponding argument in function signature('i32')}}
"func.func"() <{sym_name = "f", function_type = (i32) -> ()}> ({
^bb0(%a: f32):
  "func.return"() : () -> ()
}) : () -> ()

// -----

func.func private @callee(i32) -> f32
func.func @caller(%a: f32) {
  // expected-error@+1 {{operand type mismatch: expected operand type 'i32', but provided 'f32' for operand number 0}}
  %0 = call @callee(%a) : (f32) -> f32
  return
}

// -----

func.func private @callee(i32) -> f32
func.func @caller(%a: i32) {
  // expected-error@+1 {{incorrect number of results for callee}}
  call @callee(%a) : (i32) -> ()
  return
}

// -----

func.func @caller() {
  // expected-error@+1 {{'nobody' does not reference a valid function}}
  call @nobody() : () -> ()
  return
}

// -----

module @inner {}
func.func @calls_a_module() {
  // expected-error@+1 {{'func.call' op 'inner' does not reference a valid function}}
  call @inner() : () -> ()
  return
}

// -----

func.func private @callee(i32) -> f32
func.func @takes_another_type() {
  // expected-error@+1 {{reference to function with mismatched type}}
  %f = func.constant @callee : (i32) -> i32
  return
}
