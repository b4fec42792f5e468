// RUN: noria opt --lift-cf-to-scf='where-possible' --allow-unregistered-dialect %s | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: noria opt --lift-cf-to-scf='min-blocks=4 where-possible' --allow-unregistered-dialect %s | FileCheck %s --check-prefixes=CHECK,SOME
// RUN: not noria opt --lift-cf-to-scf='min-blocks=4' --allow-unregistered-dialect %s 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: 'test.leave' op and 'func.return' end one region: it cannot be lifted

// CHECK-LABEL: func.func @other_end
// CHECK: cf.cond_br %{{.*}}, ^bb1, ^bb3
// CHECK: scf.execute_region
// CHECK: cf.switch
// CHECK: return %{{.*}} : i32
// CHECK: "test.leave"
func.func @other_end(%c: i1, %x: i32) -> i32 {
  cf.cond_br %c, ^a, ^b
^a:
  %r = scf.execute_region -> i32 {
    %c2 = arith.constant 2 : i32
    cf.switch %x : i32, [default: ^d, 7: ^e]
  ^d:
    scf.yield %c2 : i32
  ^e:
    "test.leave"() : () -> ()
  }
  cf.br ^f
^f:
  return %r : i32
^b:
  "test.leave"() : () -> ()
}

// CHECK-LABEL: func.func @three
// ALL-NOT: cf.
// ALL: scf.if
// SOME-NOT: scf.
// SOME: cf.cond_br
// CHECK: return
func.func @three(%c: i1, %x: i32, %y: i32) -> i32 {
  cf.cond_br %c, ^a, ^b(%x : i32)
^a:
  %z = arith.addi %x, %y : i32
  cf.br ^b(%z : i32)
^b(%r: i32):
  return %r : i32
}

// CHECK-LABEL: func.func @four
// CHECK-NOT: cf.
// CHECK: scf.if
// CHECK: return
func.func @four(%c: i1, %x: i32, %y: i32) -> i32 {
  cf.cond_br %c, ^a, ^b
^a:
  %z = arith.addi %x, %y : i32
  cf.br ^d(%z : i32)
^b:
  %w = arith.subi %x, %y : i32
  cf.br ^d(%w : i32)
^d(%r: i32):
  return %r : i32
}
