// RUN: noria opt --split-input-file --verify-diagnostics %s

// expected-error@+1 {{tied operand not found for result reference}}
util.func private @f(%a: i32) -> %b
// -----
// expected-error@+1 {{expected all arguments of the function to have names, or none}}
util.func private @f(%a: i32, i32)
// -----
// expected-error@+1 {{symbol declaration cannot have public visibility}}
util.func @f(%a: i32)
// -----
// expected-error@+1 {{(C1) result #0 tied to invalid operand index 3}}
"util.func"() <{function_type = (i32) -> i32, sym_name = "f", sym_visibility = "private", tied_operands = [3 : index]}> ({}) : () -> ()
// -----
// expected-error@+1 {{(C1) must have 1 tied operand entries, one per result, got 2}}
"util.func"() <{function_type = (i32) -> i32, sym_name = "f", sym_visibility = "private", tied_operands = [0 : index, 0 : index]}> ({}) : () -> ()
// -----
// expected-error@+1 {{(C1) entry 0 of tied_operands is no integer}}
"util.func"() <{function_type = (i32) -> i32, sym_name = "f", sym_visibility = "private", tied_operands = ["a"]}> ({}) : () -> ()
// -----
// expected-error@+1 {{requires attribute 'function_type' to be a function type}}
"util.func"() <{function_type = i32, sym_name = "f", sym_visibility = "private"}> ({}) : () -> ()
// -----
// expected-error@+1 {{entry block must have 1 arguments to match function signature}}
"util.func"() <{function_type = (i32) -> i32, sym_name = "f"}> ({
  %c = arith.constant 1 : i32
  "util.return"(%c) : (i32) -> ()
}) : () -> ()
// -----
util.func @f(%a: i32) -> i32 {
  // expected-error@+1 {{(C1) has 0 operands, but enclosing function-like op returns 1}}
  util.return
}
// -----
util.func @f(%a: i32) -> i64 {
  // expected-error@+1 {{(C1) type of return operand 0 (i32) doesn't match function result type (i64)}}
  util.return %a : i32
}
// -----
util.initializer {
  %a = arith.constant 1 : i32
  // expected-error@+1 {{(C1) has 1 operands, but enclosing function-like op returns 0}}
  util.return %a : i32
}
// -----
func.func @f() {
  // expected-error@+1 {{expects parent op to be one of 'util.func, util.initializer'}}
  util.return
}
// -----
func.func private @f(i32) -> i32
util.func @g(%a: i32) -> i32 {
  // expected-error@+1 {{(C2) undefined/incompatible callee: @f is no util.func}}
  %r = util.call @f(%a) : (i32) -> i32
  util.return %r : i32
}
// -----
util.func @g(%a: i32) -> i32 {
  // expected-error@+1 {{'f' does not reference a valid function}}
  %r = util.call @f(%a) : (i32) -> i32
  util.return %r : i32
}
// -----
util.func private @f(%a: i32) -> i32
util.func @g(%a: i32) -> i64 {
  // expected-error@+1 {{(C2) function type mismatch; callee is (i32) -> i32}}
  %r = util.call @f(%a) : (i32) -> i64
  util.return %r : i64
}
// -----
util.func private @f(%a: i32) -> %a
util.func @g(%a: i32) -> i32 {
  // expected-error@+1 {{(C3) function tied operands mismatch; result #0 is tied to -1, but to 0 in @f}}
  %r = util.call @f(%a) : (i32) -> i32
  util.return %r : i32
}
// -----
util.func private @f(%a: i32) -> i32
util.func @g(%a: i32) -> i32 {
  // expected-error@+1 {{(C1) must have 1 tied operand entries, one per result, got 2}}
  %r = "util.call"(%a) <{callee = @f, tied_operands = [-1 : index, -1 : index]}> : (i32) -> i32
  util.return %r : i32
}
// -----
util.func @g(%a: i32) -> i32 {
  // expected-error@+1 {{1 operands but 2 types}}
  %r = util.call @g(%a) : (i32, i32) -> i32
  util.return %r : i32
}
