// RUN: noria opt --cpu=haswell --pass-pipeline=expand-math %s | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: noria opt --cpu=nehalem --pass-pipeline=expand-math %s | FileCheck %s --check-prefixes=CHECK,APART
// RUN: noria opt --pass-pipeline=expand-math %s | noria opt - -o /dev/null
// The interpreter on what the pass has made, and machine code, give the same bits.
// RUN: noria opt --pass-pipeline=expand-math %s | noria run --entry=bits --interpret - > %t.interpreted
// RUN: noria run --entry=bits %s > %t.compiled
// RUN: cmp %t.interpreted %t.compiled
// RUN: noria run --check-stages --entry=all %s 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: all 9 outcomes are that of 'import'

// A narrow float is computed in f32.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK-NOT: math.exp
// FUSED: math.fma {{.*}} : f32
// APART-NOT: math.fma
// CHECK: %[[OUT:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK-NEXT: return %[[OUT]]
func.func @narrow(%x: bf16) -> bf16 {
  %y = math.exp %x : bf16
  return %y : bf16
}

// Rows of a vector, one after the other; constants stand once.
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-1: arith.constant dense<2.885390e+00> : vector<4xf32>
// CHECK: %[[ROW:.*]] = vector.extract %arg0[0] : vector<4xf32> from vector<2x4xf32>
// CHECK: vector.insert %{{.*}}, %{{.*}} [0] : vector<4xf32> into vector<2x4xf32>
// CHECK: vector.extract %arg0[1]
// CHECK-NOT: math.tanh
func.func @rows(%x: vector<2x4xf32>) -> vector<2x4xf32> {
  %y = math.tanh %x : vector<2x4xf32>
  return %y : vector<2x4xf32>
}

// f64, and what has no polynomial, calls the C library on each element.
// CHECK-LABEL: func.func @library
// CHECK: rt.libm "exp"(%arg0) : f64
// CHECK: %[[A:.*]] = vector.extract %arg1[0] : f32 from vector<2xf32>
// CHECK: rt.libm "atan2f"(%[[A]], %{{.*}}) : f32
// CHECK: rt.libm "atan2f"
func.func @library(%x: f64, %v: vector<2xf32>) -> (f64, vector<2xf32>) {
  %y = math.exp %x : f64
  %z = math.atan2 %v, %v : vector<2xf32>
  return %y, %z : f64, vector<2xf32>
}

// Both results of one angle come from one reduction; large angles go to the library, of a vector only these.
// CHECK-LABEL: func.func @angle
// CHECK: %[[USUAL:.*]] = arith.cmpf ule
// CHECK-COUNT-1: arith.extf
// CHECK: cf.cond_br %[[USUAL]] weights([1048576, 1]), ^[[JOIN:.*]](%{{.*}}, %{{.*}} : f32, f32), ^[[RARE:.*]]
// CHECK: ^[[RARE]]:
// CHECK-NEXT: rt.libm "sinf"(%{{.*}}) {rare}
// CHECK-NEXT: rt.libm "cosf"(%{{.*}}) {rare}
// CHECK-NEXT: cf.br ^[[JOIN]](
// CHECK: ^[[JOIN]](%{{.*}}: f32, %{{.*}}: f32):
// CHECK-LABEL: func.func @angles
// CHECK: %[[EACH:.*]] = arith.cmpf ule, %{{.*}} : vector<2xf32>
// CHECK: %[[ALL:.*]] = vector.reduction <and>, %[[EACH]]
// CHECK: cf.cond_br %[[ALL]] weights([1048576, 1]), ^[[JOIN:.*]](%[[STRAIGHT:.*]] : vector<2xf32>), ^[[RARE:.*]]
// CHECK: ^[[RARE]]:
// CHECK-COUNT-2: rt.libm "tanf"
// CHECK: arith.select %[[EACH]], %[[STRAIGHT]], %{{.*}} : vector<2xi1>, vector<2xf32>
// CHECK-NEXT: cf.br ^[[JOIN]](
func.func @angle(%x: f32) -> (f32, f32) {
  %s, %c = math.sincos %x : f32
  return %s, %c : f32, f32
}

func.func @angles(%x: vector<2xf32>) -> vector<2xf32> {
  %y = math.tan %x : vector<2xf32>
  return %y : vector<2xf32>
}

// There are no branches in an atomic step.
// CHECK-LABEL: func.func @atomic
// CHECK: memref.generic_atomic_rmw
// CHECK-NEXT: ^bb0
// CHECK-NEXT: rt.libm "sinf"
// CHECK-NOT: math.ipowi
// CHECK: memref.atomic_yield
func.func @atomic(%m: memref<4xf32>, %n: i8, %i: index) -> f32 {
  %0 = memref.generic_atomic_rmw %m[%i] : memref<4xf32> {
  ^bb0(%x: f32):
    %y = math.sin %x : f32
    %p = math.ipowi %n, %n : i8
    %f = arith.sitofp %p : i8 to f32
    %z = arith.addf %y, %f : f32
    memref.atomic_yield %z : f32
  }
  return %0 : f32
}

// CHECK-LABEL: func.func @others
// CHECK: arith.cmpf uno, %arg0, %arg0 : f32
// CHECK: arith.maximumf
// CHECK-NEXT: arith.minimumf
// CHECK: math.sqrt %arg0 fastmath<fast> : f32
// CHECK-NEXT: arith.divf %{{.*}} fastmath<fast> : f32
// CHECK: math.powf %{{.*}} : f64
// What a CPU can do stays, and so does what machine code has no type for.
// CHECK: math.floor %arg0 : f32
// CHECK: math.exp %arg2 : f128
func.func @others(%x: f32, %n: i32, %q: f128) -> (i1, f32, f32, f32, f32, f128) {
  %0 = math.isnan %x : f32
  %1 = math.clampf %x to [%x, %x] : f32
  %2 = math.rsqrt %x fastmath<fast> : f32
  %3 = math.fpowi %x, %n : f32, i32
  %4 = math.floor %x : f32
  %5 = math.exp %q : f128
  return %0, %1, %2, %3, %4, %5 : i1, f32, f32, f32, f32, f128
}

func.func @bits() -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, vector<2xf32>, f16, i64) {
  %x = arith.constant 0.7310585 : f32
  %v = arith.constant dense<[0.3, 2.0e7]> : vector<2xf32>
  %h = arith.constant 0.4 : f16
  %n = arith.constant 13 : i64
  %0 = math.exp %x : f32
  %1 = math.exp2 %x : f32
  %2 = math.expm1 %x : f32
  %3 = math.log %x : f32
  %4 = math.log2 %x : f32
  %5 = math.log10 %x : f32
  %6 = math.log1p %x : f32
  %7 = math.tanh %x : f32
  %8 = math.erf %x : f32
  %9 = math.tan %x : f32
  %10 = math.cos %v : vector<2xf32>
  %11 = math.sin %h : f16
  %12 = math.ipowi %n, %n : i64
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12
    : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, vector<2xf32>, f16, i64
}

func.func @all() -> (f32, f32, f32, i32, i32, i1, i1, f64) {
  %x = arith.constant -1.5 : f32
  %n = arith.constant -3 : i32
  %big = arith.constant 3.0e9 : f32
  %m1 = arith.constant -1 : i32
  %d = arith.constant 0.25 : f64
  %0 = math.sin %big : f32
  %1 = math.fpowi %x, %n : f32, i32
  %2 = math.clampf %big to [%x, %x] : f32
  %3 = math.ipowi %m1, %n : i32
  %4 = math.ipowi %n, %3 : i32
  %5 = math.isnormal %big : f32
  %6 = math.isinf %big : f32
  %7 = math.asin %d : f64
  return %0, %1, %2, %3, %4, %5, %6, %7 : f32, f32, f32, i32, i32, i1, i1, f64
}
