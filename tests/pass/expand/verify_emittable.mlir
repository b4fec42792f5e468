// RUN: noria opt --pass-pipeline=verify-emittable --split-input-file --verify-diagnostics %s
// RUN: not noria opt --pass-pipeline=expand-complex,expand-math,expand-floats,verify-emittable --split-input-file %s 2>&1 | FileCheck %s
// CHECK: 'math.exp' op on f128 has no machine code
// CHECK-NOT: has no machine code

func.func @known(%x: f32, %m: memref<4xf32>, %i: index) -> f32 {
  %0 = memref.generic_atomic_rmw %m[%i] : memref<4xf32> {
  ^bb0(%old: f32):
    %y = math.sqrt %old : f32
    memref.atomic_yield %y : f32
  }
  cf.br ^end(%0 : f32)
^end(%r: f32):
  return %r : f32
}

// -----

func.func @written_out(%x: f32) -> f32 {
  // expected-error@+1 {{'math.exp' op on f32 has no machine code: an earlier stage should have lowered it}}
  %y = math.exp %x : f32
  return %y : f32
}

// -----

func.func @no_type(%x: f128) -> f128 {
  // expected-error@+1 {{'math.exp' op on f128 has no machine code}}
  %y = math.exp %x : f128
  return %y : f128
}

// -----

// Backends have the bits of such floats only: what is left that computes with them is no move.
func.func @only_bits(%x: bf16, %c: i1) -> bf16 {
  %y = arith.select %c, %x, %x : bf16
  // expected-error@+1 {{'arith.addf' op on bf16 has no machine code}}
  %z = arith.addf %y, %x : bf16
  return %z : bf16
}

// -----

// The message names the type that has no arithmetic, which is not that of the first operand here.
func.func @second_operand(%x: f32, %s: f8E8M0FNU) -> f4E2M1FN {
  // expected-error@+1 {{'arith.scaling_truncf' op on f8E8M0FNU has no machine code}}
  %0 = arith.scaling_truncf %x, %s : f32, f8E8M0FNU to f4E2M1FN
  return %0 : f4E2M1FN
}
