// RUN: noria opt --split-input-file --verify-diagnostics %s

util.func @f(%a: i32) {
  // expected-error@+1 {{(C1) failed to verify that all of {operands, results} have same type}}
  %b = "util.optimization_barrier"(%a) : (i32) -> i64
  // expected-error@+1 {{(C1) the value is not one of type i64}}
  %c = "util.unfoldable_constant"() <{value = 1 : i32}> : () -> i64
  // expected-error@+1 {{(C1) !util.buffer has no size}}
  %d = "util.sizeof"() <{sizedType = !util.buffer}> : () -> index
  util.return
}
// -----
util.func @f() {
  // expected-error@+1 {{expected a constant with a type}}
  %c = util.unfoldable_constant [1]
  util.return
}
// -----
util.func @f(%a: i32, %b: i64, %i: index) {
  // expected-error@+1 {{expected i32, the type of the values}}
  %s = util.switch i32 from [%a] at %i else %a : i64
  util.return
}
// -----
util.func @f(%a: i32, %b: i64, %i: index) {
  // expected-error@+1 {{expects different type than prior uses}}
  %s = util.switch i32 from [%b] at %i else %a : i32
  util.return
}
// -----
util.func @f(%a: !util.buffer, %b: i32) {
  // expected-error@+1 {{(C1) operand type !util.buffer is not object cast compatible with result type i32}}
  %s = util.cast %a : !util.buffer to i32
  // expected-error@+1 {{(C1) expected at least one operand}}
  %r = "util.range.min"() : () -> index
  // expected-error@+1 {{(C1) expected at least one operand}}
  %e:2 = "util.range.extents"() : () -> (index, index)
  // expected-error@+1 {{(C1) cannot say that !util.buffer holds numbers of i8}}
  %n = util.numeric.optional_narrow %a : !util.buffer as i8
  // expected-error@+1 {{(C1) cannot say that i32 holds numbers of index}}
  %o = util.numeric.optional_narrow %b : i32 as index
  util.return
}
// -----
util.func @f(%a: index, %b: i64) {
  // expected-error@+1 {{(C1) expected 2 assumption rows to match number of operands}}
  %x:2 = "util.assume.int"(%a, %b) <{assumptions = [[]]}> : (index, i64) -> (index, i64)
  // expected-error@+1 {{(C2) expected operand #1 to have 3 assumptions but it has 2}}
  %y:2 = util.assume.int %a[<umin = 0>, <umin = 1>, <umin = 2>], %b[<umin = 0>, <umin = 1>] : index, i64
  // expected-error@+1 {{(C1) row 0 is no list of #util.int.assumption}}
  %z = "util.assume.int"(%a) <{assumptions = [3]}> : (index) -> index
  // expected-error@+1 {{(C3) failed to verify that all of {operands, results} have same type}}
  %w = "util.assume.int"(%a) <{assumptions = [[]]}> : (index) -> i64
  util.return
}
// -----
util.func @f(%a: index) {
  // expected-error@+1 {{expected 'umin', 'umax' or 'udiv'}}
  %y = util.assume.int %a<least = 0> : index
  util.return
}
// -----
util.func @f(%a: index) {
  // expected-error@+1 {{udiv cannot be 0}}
  %y = util.assume.int %a<udiv = 0> : index
  util.return
}
