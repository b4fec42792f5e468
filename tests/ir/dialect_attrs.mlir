// Attributes of dialects are read and printed by their definitions (attrs.def), as mlir-opt prints them; others are kept
// as text.
// RUN: noria opt %s --verify-diagnostics --split-input-file | FileCheck %s

// CHECK: @flags() attributes {a = #arith.fastmath<nnan,contract>, b = #arith.fastmath<none>, c = #arith.fastmath<fast>, d = #arith.overflow<nsw, nuw>, e = #arith.overflow<none>}
func.func private @flags() attributes {a = #arith.fastmath<contract, nnan>, b = #arith.fastmath<none>, c = #arith.fastmath<reassoc,nnan,ninf,nsz,arcp,contract,afn>, d = #arith.overflow<nuw, nsw>, e = #arith.overflow<none>}
// CHECK: @words() attributes {a = #linalg.iterator_type<reduction>, b = #vector.kind<minui>, c = #linalg.type_fn<cast_unsigned>, d = #linalg.elementwise_kind<exp>, e = #ub.poison, f = #ub.poison : f32}
func.func private @words() attributes {a = #linalg.iterator_type<reduction>, b = #vector.kind<minui>, c = #linalg.type_fn< cast_unsigned >, d = #linalg.elementwise_kind<exp>, e = #ub.poison, f = #ub.poison : f32}
// CHECK: @parameters() attributes {a = #flow.parameter.named<"s"::"k"> : tensor<2xf32>, b = #flow.parameter.named<"k\22">, c = #flow.parameter.named<"k", {length = 16 : i64}>}
func.func private @parameters() attributes {a = #flow.parameter.named<"s"::"k"> : tensor<2xf32>, b = #flow.parameter.named<"k\22">, c = #flow.parameter.named<"k", {length = 16}>}
// CHECK: @unknown() attributes {a = #arith.other<x,  y>, b = #a.b, c = #a.b<1> : i8}
func.func private @unknown() attributes {a = #arith.other<x,  y>, b = #a.b, c = #a.b<1> : i8}

// Flags in any order, or as MLIR's number, are one attribute.
// CHECK-LABEL: @one
func.func @one(%a: f32) -> (f32, f32) {
  // CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<nnan,contract> : f32
  %0 = "arith.addf"(%a, %a) {fastmath = #arith.fastmath<contract, nnan>} : (f32, f32) -> f32
  // CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
  %1 = "arith.mulf"(%a, %a) {fastmath = #arith.fastmath<none>} : (f32, f32) -> f32
  return %0, %1 : f32, f32
}

// -----

// expected-error@+1 {{'nnam' is none of the flags of 'fastmath'; did you mean 'nnan'?}}
func.func private @flag() attributes {a = #arith.fastmath<nnam>}

// -----

// expected-error@+1 {{expected 'parallel', 'reduction' or 'window'}}
func.func private @word() attributes {a = #linalg.iterator_type<serial>}

// -----

// expected-error@+1 {{expected '<'}}
func.func private @no_parameters() attributes {a = #vector.kind}

// -----

// expected-error@+1 {{expected the key of a parameter}}
func.func private @no_key() attributes {a = #flow.parameter.named<"scope"::>}
