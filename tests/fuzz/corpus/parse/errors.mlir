func.func @f(%a: i32, %b: f32) -> i32 {
  %0 = arith.adf %b, %b : f32
  %1 = arith.addi %a, %b : i32
  %2 = arith.addi %a, %nope : i32
  %a = arith.addi %a, %a : i32
  %3 = arith.addi %0, %1 : i32
  cf.br ^bb7
^bb1:
  %4 = arith.addi %a, %a i32
  "unknown.op"() : () -> ()
  %5:2 = arith.addi %a, %a : i32
  %6 = arith.constant 300 : i8
  %7 = "arith.addi"(%a, %a) {
     x = ?,
     y = [1, 2]
  } : (i32, i32) -> i32
  scf.if %cond {
    %9 = foo.bar %7 {
      %x = nothing
    } else {
      stuff
    }
    scf.yield
  } else {
    %10 = arith.addi %7, %9 : i32
  }
  %lit = arith.constant "abc
  return %7 : i32
^bb1:
  return
}
func.func @g(%x: i33x) {
  %y = arith.foo
}
#m = affine_map<(d0) -> (d1)>
func.func @h() {
  scf.for %i = %c to %c step %c {
