// Every kind of attribute and type, on an unregistered op: what we print is what MLIR prints, but for floats that it
// writes as hexadecimal bits.
// RUN: noria opt --syntax=mlir --allow-unregistered-dialect %s | FileCheck %s
// RUN: noria opt --syntax=mlir --allow-unregistered-dialect %s -o %t.ours
// RUN: mlir-opt --allow-unregistered-dialect %s -o %t.theirs
// RUN: echo >> %t.ours
// RUN: diff %t.ours %t.theirs

// CHECK: "t.op"() {a = 1 : i32, aa = dense<(1.000000e+00,2.000000e+00)> : tensor<2xcomplex<f32>>, b = 2 : i64,
// CHECK-SAME: d = "q\22\0A\\t", dd = () -> (), e = [1, 2 : i8, 3.000000e+00, 4.000000e+00 : f32, "s", @a::@b],
// CHECK-SAME: ee = (i32) -> ((i32) -> f32), f = {x = 1 : i64, y},
// CHECK-SAME: z = 170141183460469231731687303715884105727 : i128

"t.op"() {a = 1 : i32, b = 2, c = true, d = "q\"\n\\t", e = [1, 2 : i8, 3.0, 4.0 : f32, "s", @a::@b], f = {x = 1, y}, g = i32, h = @sym, i = @"a b"::@c, j = unit, k = dense<1> : tensor<4xi32>, l = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>, m = dense<> : tensor<0xf32>, n = array<i32: 1, 2>, o = array<i1: true, false>, p = array<f32>, q = strided<[?, 1], offset: ?>, r = dense<[true, false]> : vector<2xi1>, s = 0x7FC00000 : f32, t = dense<"0x01020304"> : tensor<4xi8>, u = sparse<[[0, 0], [1, 2]], [1, 5]> : tensor<3x4xi32>, v = 5 : index, w = -3 : si8, x = 255 : ui8, "y z" = 1, z = 170141183460469231731687303715884105727 : i128, aa = dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>, bb = dense<["a", "b"]> : tensor<2x!onnx.string>, cc = "typed" : i32, dd = () -> (), ee = (i32) -> ((i32) -> f32), ff = vector<[4]x2xf32>, gg = tuple<i32, f32>, hh = tensor<*xf32>, ii = memref<*xf32, 1>, jj = memref<2xf32, strided<[2], offset: 1>, 3 : i32>, kk = none, ll = complex<f64>, mm = tensor<2x?xf8E4M3FN>, nn = dense_resource<blob> : tensor<2xi32>, oo = 1.0e10 : f32, qq = 0.1 : f64, ss = 3.14159274101257324 : f32, uu = 1.5 : f16, vv = 0.33333 : bf16, ww = !t.x<foo, [1]>, xx = #t.attr<a, "b">, yy = dense<[1, -1]> : tensor<2xi5>, zz = 0.0001234567891 : f64 } : () -> ()
// CHECK: "t.op"() <{a = 1 : i64, b}> ({
// CHECK: }) {b = sparse<> : tensor<2xi32>, c = sparse<{{\[\[}}0], [1]], 7> : tensor<2xi32>,
// CHECK-SAME: operand_segment_sizes = "any"
"t.op"() <{a = 1, b}> ({}) {b = sparse<[], []> : tensor<2xi32>, c = sparse<[[0], [1]], 7> : tensor<2xi32>, operand_segment_sizes = "any"} : () -> ()
// Elements of types that are not known are strings; spaces of memory are equal when they are; so are regions' blocks.
// CHECK: "t.op"() ({
// CHECK-NEXT: {{^ *}}^bb0:
// CHECK-NEXT: }, {
// CHECK-NEXT: }) {a = dense<"abc"> : tensor<2x!t.string>, b = dense<["a", "b"]> : tensor<2x!t.string>, c = memref<2xf32>,
// CHECK-SAME: d = memref<*xf32>, e = memref<2xf32, 1>, f = sparse<{{\[\[}}0], [2]], 3> : tensor<4xi8>}
"t.op"() ({^bb0:}, {}) {a = dense<"abc"> : tensor<2x!t.string>, b = dense<["a", "b"]> : tensor<2x!t.string>, c = memref<2xf32, 0>, d = memref<*xf32, 0 : i32>, e = memref<2xf32, 1>, f = sparse<[[0], [2]], 3> : tensor<4xi8>} : () -> ()
{-#
  dialect_resources: { builtin: { blob: "0x040000000100000002000000" } }
#-}
// CHECK: blob: "0x040000000100000002000000"
