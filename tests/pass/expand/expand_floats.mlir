// RUN: noria opt --cpu=haswell --pass-pipeline=expand-floats %s | FileCheck %s --check-prefixes=CHECK,F16
// RUN: noria opt --cpu=nehalem --pass-pipeline=expand-floats %s | FileCheck %s --check-prefixes=CHECK,BITS
// RUN: noria opt --pass-pipeline=expand-floats %s | noria opt - -o /dev/null
// The interpreter on what the pass has made, and machine code, give what the interpreter gives before it.
// RUN: noria run --check-stages --entry=all %s 1.7 0.3 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: noria run --check-stages --entry=all %s -3.1e-3 200.0 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: outcomes are that of 'import'

// In f32, and rounded to nearest, ties to even: by half of the last place and the lowest bit that stays.
// CHECK-LABEL: func.func private @sum
// CHECK: %[[A:.*]] = arith.bitcast %arg0 : vector<4xbf16> to vector<4xi16>
// CHECK: %[[W:.*]] = arith.extui %[[A]] : vector<4xi16> to vector<4xi32>
// CHECK: %[[S:.*]] = arith.shli %[[W]], %{{.*}} : vector<4xi32>
// CHECK: %[[F:.*]] = arith.bitcast %[[S]] : vector<4xi32> to vector<4xf32>
// CHECK: %[[SUM:.*]] = arith.addf %[[F]], %{{.*}} fastmath<nnan> : vector<4xf32>
// CHECK: arith.bitcast %[[SUM]] : vector<4xf32> to vector<4xi32>
// CHECK: %[[CUT:.*]] = arith.trunci %{{.*}} : vector<4xi32> to vector<4xi16>
// CHECK: %[[OUT:.*]] = arith.bitcast %[[CUT]] : vector<4xi16> to vector<4xbf16>
// CHECK-NEXT: return %[[OUT]]
func.func private @sum(%a: vector<4xbf16>, %b: vector<4xbf16>) -> vector<4xbf16> {
  %c = arith.addf %a, %b fastmath<nnan> : vector<4xbf16>
  return %c : vector<4xbf16>
}

// f16 by the CPU's conversions where it has them.
// CHECK-LABEL: func.func private @half
// F16-NEXT: arith.mulf %arg0, %arg0 : f16
// BITS-NOT: arith.mulf {{.*}} : f16
// BITS: arith.mulf {{.*}} : f32
// CHECK: return
func.func private @half(%a: f16) -> f16 {
  %b = arith.mulf %a, %a : f16
  return %b : f16
}

// No CPU rounds f64 to f16, which once through f32 would be twice.
// CHECK-LABEL: func.func private @once
// CHECK-NOT: arith.truncf
// CHECK: arith.bitcast %arg0 : f64 to i64
// CHECK: arith.bitcast %{{.*}} : i16 to f16
func.func private @once(%a: f64) -> f16 {
  %b = arith.truncf %a : f64 to f16
  return %b : f16
}

// A rounding mode: to nearest, and a step to the neighbour where that is on the wrong side.
// CHECK-LABEL: func.func private @downward
// CHECK: %[[NEAR:.*]] = arith.truncf %arg0 : f64 to f32
// CHECK: %[[BACK:.*]] = arith.extf %[[NEAR]] : f32 to f64
// CHECK: %[[OVER:.*]] = arith.cmpf ogt, %[[BACK]], %arg0 : f64
// CHECK: %[[OUT:.*]] = arith.select %{{.*}}, %{{.*}}, %[[NEAR]] : f32
// CHECK-NEXT: return %[[OUT]]
func.func private @downward(%a: f64) -> f32 {
  %b = arith.truncf %a downward : f64 to f32
  return %b : f32
}

// Comparisons in f32; integers through f64.
// CHECK-LABEL: func.func private @casts
// CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f32
// CHECK: arith.sitofp %arg1 : i32 to f64
// CHECK: arith.bitcast %{{.*}} : i4 to f4E2M1FN
// CHECK: arith.fptosi %{{.*}} : f32 to i32
// CHECK: return
func.func private @casts(%a: f8E4M3FN, %i: i32) -> (i1, f4E2M1FN, i32) {
  %less = arith.cmpf olt, %a, %a : f8E4M3FN
  %f = arith.sitofp %i : i32 to f4E2M1FN
  %n = arith.fptosi %a : f8E4M3FN to i32
  return %less, %f, %n : i1, f4E2M1FN, i32
}

// Rounded after each element; atomic ops as a loop around one step.
// CHECK-LABEL: func.func private @steps
// CHECK: vector.extract %arg0[0]
// CHECK: vector.extract %arg0[1]
// CHECK: arith.mulf {{.*}} : f32
// CHECK: arith.mulf {{.*}} : f32
// CHECK-NOT: vector.reduction
// CHECK: memref.generic_atomic_rmw %arg1[%arg2] : memref<4xbf16> {
// CHECK: ^bb0(%[[OLD:.*]]: bf16):
// CHECK: arith.bitcast %[[OLD]] : bf16 to i16
// CHECK: arith.addf {{.*}} : f32
// CHECK: memref.atomic_yield %{{.*}} : bf16
func.func private @steps(%v: vector<3xbf16>, %m: memref<4xbf16>, %i: index, %x: bf16) -> (bf16, bf16) {
  %p = vector.reduction <mul>, %v : vector<3xbf16> into bf16
  %old = memref.atomic_rmw addf %x, %m[%i] : (bf16, memref<4xbf16>) -> bf16
  return %p, %old : bf16, bf16
}

// The pattern of -0 is NaN where that is so: 0 stays 0, and NaN stays NaN.
// CHECK-LABEL: func.func private @negated
// CHECK: %[[BITS:.*]] = arith.bitcast %arg0 : f8E4M3FNUZ to i8
// CHECK: %[[FLIPPED:.*]] = arith.xori %[[BITS]], %{{.*}} : i8
// CHECK: %[[PLAIN:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i8
// CHECK: arith.select %[[PLAIN]], %[[BITS]], %[[FLIPPED]] : i8
func.func private @negated(%a: f8E4M3FNUZ) -> f8E4M3FNUZ {
  %b = arith.negf %a : f8E4M3FNUZ
  return %b : f8E4M3FNUZ
}

func.func @all(%a: f64, %b: f64) -> (f32, f32, f32, f32, i1, f32, i32, f32, f32, f32, f32, i8, i8, i8) {
  %c0 = arith.constant 0 : index
  %a16 = arith.truncf %a : f64 to bf16
  %b16 = arith.truncf %b : f64 to bf16
  %va = vector.broadcast %a16 : bf16 to vector<4xbf16>
  %vb = vector.broadcast %b16 : bf16 to vector<4xbf16>
  %vs = func.call @sum(%va, %vb) : (vector<4xbf16>, vector<4xbf16>) -> vector<4xbf16>
  %s = vector.extract %vs[2] : bf16 from vector<4xbf16>
  %0 = arith.extf %s : bf16 to f32
  %h = func.call @once(%a) : (f64) -> f16
  %hh = func.call @half(%h) : (f16) -> f16
  %1 = arith.extf %hh : f16 to f32
  %2 = func.call @downward(%a) : (f64) -> f32
  %f8 = arith.truncf %b : f64 to f8E4M3FN
  %3 = arith.extf %f8 : f8E4M3FN to f32
  %k = arith.constant -3 : i32
  %4, %f4, %6 = func.call @casts(%f8, %k) : (f8E4M3FN, i32) -> (i1, f4E2M1FN, i32)
  %5 = arith.extf %f4 : f4E2M1FN to f32
  %m = memref.alloca() : memref<4xbf16>
  memref.store %a16, %m[%c0] : memref<4xbf16>
  %w = vector.extract_strided_slice %vs {offsets = [0], sizes = [3], strides = [1]} : vector<4xbf16> to vector<3xbf16>
  %p, %old = func.call @steps(%w, %m, %c0, %b16) : (vector<3xbf16>, memref<4xbf16>, index, bf16) -> (bf16, bf16)
  %7 = arith.extf %p : bf16 to f32
  %8 = arith.extf %old : bf16 to f32
  %now = memref.load %m[%c0] : memref<4xbf16>
  %9 = arith.extf %now : bf16 to f32
  %up = arith.truncf %a upward : f64 to f8E5M2
  %10 = arith.extf %up : f8E5M2 to f32
  %fnuz = arith.truncf %a : f64 to f8E4M3FNUZ
  %minus = func.call @negated(%fnuz) : (f8E4M3FNUZ) -> f8E4M3FNUZ
  %11 = arith.bitcast %minus : f8E4M3FNUZ to i8
  %zero = arith.constant 0.0 : f8E4M3FNUZ
  %zero2 = func.call @negated(%zero) : (f8E4M3FNUZ) -> f8E4M3FNUZ
  %12 = arith.bitcast %zero2 : f8E4M3FNUZ to i8
  %nan = arith.constant 0x80 : f8E4M3FNUZ
  %nan2 = func.call @negated(%nan) : (f8E4M3FNUZ) -> f8E4M3FNUZ
  %13 = arith.bitcast %nan2 : f8E4M3FNUZ to i8
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13 : f32, f32, f32, f32, i1, f32, i32, f32, f32, f32, f32, i8, i8, i8
}
