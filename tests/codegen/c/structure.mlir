// Names, loops and ifs of the program are those of the C.
// RUN: noria compile %s --entry=gcd -o %t.c
// RUN: FileCheck %s --check-prefix=GCD < %t.c
// RUN: noria compile %s --entry=sum -o %t.c
// RUN: FileCheck %s --check-prefix=SUM < %t.c
// RUN: noria compile %s --entry=pick -o %t.c --header %t.own.h
// RUN: FileCheck %s --check-prefix=PICK < %t.c
// RUN: FileCheck %s --check-prefix=HEADER < %t.own.h
// RUN: noria compile %s --entry=noria_fail -o %t.c
// RUN: FileCheck %s --check-prefix=OURS < %t.c

// GCD: static int32_t gcd(NoriaExec *exec, i64 a, i64 b, i64 *result0) {
// GCD: i64 x = a;
// GCD-NEXT: i64 y = b;
// GCD: for (;;) {
// GCD-NEXT: bool more = y != 0;
// GCD-NEXT: if (!more) {
// GCD-NEXT: break;
// GCD: i64 [[NEXT:[a-z_]+]] = y;
// GCD-NEXT: y = remu_i64(x, y);
// GCD-NEXT: x = [[NEXT]];
// GCD: *result0 = x;
// GCD-NEXT: return 0;
func.func @gcd(%a: i64, %b: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %r:2 = scf.while (%x = %a, %y = %b) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi ne, %y, %zero : i64
    scf.condition(%more) %x, %y : i64, i64
  } do {
  ^bb0(%x: i64, %y: i64):
    %rem = arith.remui %x, %y : i64
    scf.yield %y, %rem : i64, i64
  }
  return %r#0 : i64
}

// SUM: static int32_t sum(NoriaExec *exec, f32 *[[M:[a-z0-9]+]], f32 *result0) {
// SUM: f32 acc = 0.0f;
// SUM-NEXT: for (i64 i = 0; i < 8; i++) {
// SUM-NEXT: acc = acc + [[M]][i];
// SUM-NEXT: }
// SUM-NEXT: *result0 = acc;
func.func @sum(%m: memref<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %z) -> f32 {
    %v = memref.load %m[%i] : memref<8xf32>
    %w = arith.addf %acc, %v : f32
    scf.yield %w : f32
  }
  return %s : f32
}

// PICK: static NORIA_ALIGNED(64) i64 last[1] = {0};
// PICK: if (p) {
// PICK-NEXT: i64 y = mul_i64(x, 3);
// PICK-NEXT: if (note(exec, y)) return 1;
// PICK-NEXT: r = y;
// PICK-NEXT: } else {
// PICK-NEXT: r = x;
// PICK-NEXT: }
// HEADER: one call at a time
// HEADER: const uint8_t *p
// HEADER-SAME: int64_t *result0, char *error, size_t error_size);
func.func @pick(%p: i1, %i: index) -> i64 {
  %c3 = arith.constant 3 : i64
  %x = arith.index_cast %i : index to i64
  %r = scf.if %p -> i64 {
    %y = arith.muli %x, %c3 : i64
    func.call @note(%y) : (i64) -> ()
    scf.yield %y : i64
  } else {
    scf.yield %x : i64
  }
  return %r : i64
}
memref.global @last : memref<i64> = dense<0>
func.func private @note(%y: i64) attributes {no_inline} {
  %g = memref.get_global @last : memref<i64>
  memref.store %y, %g[] : memref<i64>
  return
}

// Names that the file's own functions have are not theirs.
// OURS: static int32_t v_noria_fail(NoriaExec *exec, i64 v_noria_x, i64 *result0) {
func.func @noria_fail(%noria_x: i64) -> i64 {
  return %noria_x : i64
}
