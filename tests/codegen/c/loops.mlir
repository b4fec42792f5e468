// Loops that count are `for`; what one leaves for what follows it stands behind it.
// RUN: noria compile %s --entry=two -o %t.c
// RUN: FileCheck %s --check-prefix=TWO < %t.c
// RUN: noria compile %s --entry=last_index -o %t.c
// RUN: FileCheck %s --check-prefix=LAST < %t.c
// RUN: noria compile %s --entry=last_index -o %t.so
// RUN: noria run %t.so 5 > %t.out
// RUN: FileCheck %s --check-prefix=NUMBER < %t.out
// RUN: noria compile %s --entry=downwards -o %t.c
// RUN: FileCheck %s --check-prefix=DOWN < %t.c

// The sum of one loop is where the next begins.
// TWO: i64 sum = 0;
// TWO-NEXT: for (i64 i = 0; i < 9; i++) {
// TWO-NEXT: sum = add_i64(sum, mul_i64(i, x));
// TWO-NEXT: }
// TWO-NEXT: i64 product = sum;
// TWO-NEXT: for (i64 k = 1; k < 8; k++) {
// TWO-NEXT: product = mul_i64(product, add_i64(k, x));
// TWO-NEXT: }
// TWO-NEXT: *result0 = product;
func.func @two(%x: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 9 : index
  %m = arith.constant 8 : index
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> index {
    %y = arith.muli %i, %x : index
    %t = arith.addi %sum, %y : index
    scf.yield %t : index
  }
  %p = scf.for %k = %c1 to %m step %c1 iter_args(%product = %s) -> index {
    %y = arith.addi %k, %x : index
    %t = arith.muli %product, %y : index
    scf.yield %t : index
  }
  return %p : index
}

// The counter is read behind the loop.
// LAST: i64 i = 0;
// LAST: for (; i < n; i++) {
// LAST-NEXT: i64 t = add_i64(sum, i);
// LAST: if ((
// LAST-NEXT: if (exec->api->poll(exec, 1024)) return
// LAST-NEXT: }
// LAST-NEXT: sum = t;
// LAST: }
// LAST-NEXT: *result0 = mul_i64(i, sum);
// NUMBER: 50
func.func @last_index(%n: i64) -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  cf.br ^head(%c0, %c0 : i64, i64)
^head(%i: i64, %sum: i64):
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^body, ^end
^body:
  %t = arith.addi %sum, %i : i64
  %next = arith.addi %i, %c1 : i64
  cf.br ^head(%next, %t : i64, i64)
^end:
  %p = arith.muli %i, %sum : i64
  return %p : i64
}

// Without the test `i < n`, one more may be too much for the type.
// DOWN: for (; i != n; i = add_i64(i, 1)) {
func.func @downwards(%n: i64) -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  cf.br ^head(%c0 : i64)
^head(%i: i64):
  %more = arith.cmpi ne, %i, %n : i64
  cf.cond_br %more, ^body, ^end
^body:
  %next = arith.addi %i, %c1 : i64
  cf.br ^head(%next : i64)
^end:
  return %i : i64
}
