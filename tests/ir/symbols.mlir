// Where symbols stand, who sees them, and what declarations say.
// RUN: noria opt --split-input-file --verify-diagnostics %s

func.func @outside() {
  return
}
module @inner {
  func.func @caller() {
    // expected-error@+1 {{'func.call' op 'outside' does not reference a valid function}}
    call @outside() : () -> ()
    return
  }
  func.func @callee() {
    return
  }
}

// -----

func.func @f() {
  // expected-error@+1 {{'func.func' op symbol's parent must have the SymbolTable trait}}
  func.func @g() {
    return
  }
  return
}

// -----

// expected-error@+1 {{visibility expected to be one of ["public", "private", "nested"], but got "hidden"}}
memref.global "hidden" @g : memref<2xf32> = uninitialized
// expected-error@+1 {{visibility expected to be one of ["public", "private", "nested"], but got ""}}
"func.func"() <{sym_name = "f", function_type = () -> (), sym_visibility = ""}> ({
  "func.return"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{'func.func' op symbol declaration cannot have public visibility}}
func.func @f()
// expected-error@+1 {{'func.func' op symbol declaration cannot have public visibility}}
func.func public @g(i32) -> i32
func.func nested @h()

// -----

// expected-error@+1 {{'func.func' op arguments may only have dialect attributes, such as 'dialect.fast'}}
func.func @f(%a: i32 {a.b, fast}) {
  return
}
// expected-error@+1 {{'func.func' op results may only have dialect attributes, such as 'dialect.fast'}}
func.func private @g() -> (i32 {fast})

// -----

// expected-error@+1 {{'builtin.module' op region should have no arguments}}
module @args {
^bb0(%a: i32):
}
