func.func private @helper(%x: i32, %y: i32) -> (i32, i32) {
  %sum = arith.addi %x, %y : i32
  return %sum, %y : i32, i32
}

func.func @main(%a: i32, %b: i32, %n: index, %m: memref<8xi32>) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
  %h:2 = call @helper(%a, %c7) : (i32, i32) -> (i32, i32)
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %h#0, %z = %b) -> (i32, i32, i32) {
    %less = arith.cmpi slt, %x, %y : i32
    %v = scf.if %less -> (i32) {
      %old = memref.load %m[%c1] : memref<8xi32>
      %new = arith.muli %old, %z : i32
      memref.store %new, %m[%c0] : memref<8xi32>
      scf.yield %new : i32
    } else {
      scf.yield %x : i32
    }
    scf.yield %y, %v, %x : i32, i32, i32
  }
  %w:2 = scf.while (%p = %r#0, %q = %b) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ult, %p, %c7 : i32
    scf.condition(%more) %q, %p : i32, i32
  } do {
  ^bb0(%s: i32, %t: i32):
    %next = arith.addi %t, %c7 : i32
    scf.yield %next, %s : i32, i32
  }
  return %w#0, %r#2 : i32, i32
}
