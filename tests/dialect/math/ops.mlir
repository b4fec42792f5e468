// Every op of math.
// RUN: noria opt %s | FileCheck %s
// RUN: noria opt --syntax=mlir %s | mlir-opt

// CHECK-LABEL: func.func @unary
func.func @unary(%a: f32, %v: vector<8xf16>, %i: i32) {
  // CHECK: math.absf %{{.*}} : f32
  %0 = math.absf %a : f32
  // CHECK: math.ceil %{{.*}} : f32
  %1 = math.ceil %a : f32
  // CHECK: math.floor %{{.*}} : f32
  %2 = math.floor %a : f32
  // CHECK: math.round %{{.*}} : f32
  %3 = math.round %a : f32
  // CHECK: math.roundeven %{{.*}} : f32
  %4 = math.roundeven %a : f32
  // CHECK: math.trunc %{{.*}} : f32
  %5 = math.trunc %a : f32
  // CHECK: math.sqrt %{{.*}} : f32
  %6 = math.sqrt %a : f32
  // CHECK: math.rsqrt %{{.*}} : f32
  %7 = math.rsqrt %a : f32
  // CHECK: math.cbrt %{{.*}} : f32
  %8 = math.cbrt %a : f32
  // CHECK: math.exp %{{.*}} : f32
  %9 = math.exp %a : f32
  // CHECK: math.exp2 %{{.*}} : f32
  %10 = math.exp2 %a : f32
  // CHECK: math.expm1 %{{.*}} : f32
  %11 = math.expm1 %a : f32
  // CHECK: math.log %{{.*}} : f32
  %12 = math.log %a : f32
  // CHECK: math.log2 %{{.*}} : f32
  %13 = math.log2 %a : f32
  // CHECK: math.log10 %{{.*}} : f32
  %14 = math.log10 %a : f32
  // CHECK: math.log1p %{{.*}} : f32
  %15 = math.log1p %a : f32
  // CHECK: math.sin %{{.*}} : f32
  %16 = math.sin %a : f32
  // CHECK: math.cos %{{.*}} : f32
  %17 = math.cos %a : f32
  // CHECK: math.tan %{{.*}} : f32
  %18 = math.tan %a : f32
  // CHECK: math.asin %{{.*}} : f32
  %19 = math.asin %a : f32
  // CHECK: math.acos %{{.*}} : f32
  %20 = math.acos %a : f32
  // CHECK: math.atan %{{.*}} : f32
  %21 = math.atan %a : f32
  // CHECK: math.sinh %{{.*}} : f32
  %22 = math.sinh %a : f32
  // CHECK: math.cosh %{{.*}} : f32
  %23 = math.cosh %a : f32
  // CHECK: math.tanh %{{.*}} : f32
  %24 = math.tanh %a : f32
  // CHECK: math.asinh %{{.*}} : f32
  %25 = math.asinh %a : f32
  // CHECK: math.acosh %{{.*}} : f32
  %26 = math.acosh %a : f32
  // CHECK: math.atanh %{{.*}} : f32
  %27 = math.atanh %a : f32
  // CHECK: math.erf %{{.*}} : f32
  %28 = math.erf %a : f32
  // CHECK: math.erfc %{{.*}} : f32
  %29 = math.erfc %a : f32
  // CHECK: math.exp %{{.*}} fastmath<afn> {tag} : vector<8xf16>
  %30 = math.exp %v fastmath<afn> {tag} : vector<8xf16>
  // CHECK: math.sincos %{{.*}} : f32
  %s, %c = math.sincos %a : f32
  // CHECK: math.absi %{{.*}} : i32
  %31 = math.absi %i : i32
  // CHECK: math.ctlz %{{.*}} : i32
  %32 = math.ctlz %i : i32
  // CHECK: math.cttz %{{.*}} : i32
  %33 = math.cttz %i : i32
  // CHECK: math.ctpop %{{.*}} : i32
  %34 = math.ctpop %i : i32
  // CHECK: math.isnan %{{.*}} : vector<8xf16>
  %35 = math.isnan %v : vector<8xf16>
  // CHECK: math.isinf %{{.*}} : vector<8xf16>
  %36 = math.isinf %v : vector<8xf16>
  // CHECK: math.isfinite %{{.*}} : vector<8xf16>
  %37 = math.isfinite %v : vector<8xf16>
  // CHECK: math.isnormal %{{.*}} : vector<8xf16>
  %38 = math.isnormal %v : vector<8xf16>
  return
}

// CHECK-LABEL: func.func @more_operands
func.func @more_operands(%a: f32, %b: f32, %i: i32, %t: tensor<?xf64>) {
  // CHECK: math.atan2 %{{.*}}, %{{.*}} : f32
  %0 = math.atan2 %a, %b : f32
  // CHECK: math.powf %{{.*}}, %{{.*}} fastmath<fast> : tensor<?xf64>
  %1 = math.powf %t, %t fastmath<fast> : tensor<?xf64>
  // CHECK: math.copysign %{{.*}}, %{{.*}} : f32
  %2 = math.copysign %a, %b : f32
  // CHECK: math.fma %{{.*}}, %{{.*}}, %{{.*}} : f32
  %3 = math.fma %a, %b, %a : f32
  // CHECK: math.fpowi %{{.*}}, %{{.*}} : f32, i32
  %4 = math.fpowi %a, %i : f32, i32
  // CHECK: math.ipowi %{{.*}}, %{{.*}} : i32
  %5 = math.ipowi %i, %i : i32
  // CHECK: math.clampf %{{.*}} to [%{{.*}}, %{{.*}}] fastmath<nnan> : f32
  %6 = math.clampf %a to [%b, %a] fastmath<nnan> : f32
  return
}
