// The generic form of any op, its types and attributes; what unregistered ops have survives, and equals what MLIR prints.
// RUN: noria opt --allow-unregistered-dialect %s | FileCheck %s
// RUN: noria opt --allow-unregistered-dialect %s -o %t.ours
// RUN: mlir-opt --allow-unregistered-dialect %s -o %t.theirs
// RUN: mlir-opt --allow-unregistered-dialect %t.ours -o %t.again
// RUN: diff %t.theirs %t.again

!alias = tensor<4x?xf32>
#map = affine_map<(d0, d1)[s0] -> (d0 * 2 + s0, d1 floordiv 4, d0 ceildiv s0 mod 3, -d1 - 5, (d0 + d1) * 3)>
#set = affine_set<(d0)[s0] : (d0 - 1 == 0, s0 >= 0, 5 >= d0)>

// CHECK: "t.ints"() {a = 1 : i64, b = -1 : i64, c = 9223372036854775807 : i64, d = -9223372036854775808 : i64, e = -1 : i8,
// CHECK-SAME: f = -128 : i8, g = 255 : ui8, h = -5 : si8, i = -1 : i128, j = 5 : index, k = true, l = false}
"t.ints"() {a = 1, b = -1, c = 9223372036854775807, d = -9223372036854775808, e = 0xFF : i8, f = -128 : i8, g = 255 : ui8,
  h = -5 : si8, i = 340282366920938463463374607431768211455 : i128, j = 5 : index, k = 1 : i1, l = false} : () -> ()

// CHECK: "t.floats"() {a = 1.000000e+00 : f64, b = -1.500000e+10 : f32, c = 0x7FC00000 : f32, d = 0x7C00 : f16
"t.floats"() {a = 1., b = -1.5e+10 : f32, c = 0x7FC00000 : f32, d = 0x7C00 : f16, e = 3.14159265358979323846,
  f = 123456789012345678901234567890.0, g = 0.1 : f32, h = -0.0, i = 2.5 : f8E5M2, j = 1.7976931348623157e308} : () -> ()

"t.types"() {a = [i1, si8, ui16, i1000, index, f16, bf16, f32, f64, tf32, f80, f128, f8E5M2, f8E4M3FN, f4E2M1FN, none],
  b = [complex<f32>, tuple<>, tuple<i32, tuple<f32>>, () -> (), (i32) -> i32, (i32, f32) -> (i32, f32), () -> (() -> ())],
  c = [vector<4xf32>, vector<[4]xf32>, vector<2x[4]xf32>, vector<[2]x[4]xf32>, vector<f32>, vector<4 x 8 x i1>],
  d = [tensor<f32>, tensor<4x?xf32>, tensor<*xf32>, tensor<0xf32>, tensor<0x4xf32>, tensor<4x0xf32>, tensor<4xf32, "enc">],
  e = [memref<f32>, memref<*xf32>, memref<4xf32, 1>, memref<*xf32, 2 : i32>, memref<4x4xf32, strided<[4, 1]>>,
       memref<4x4xf32, strided<[?, ?], offset: ?>>, memref<4x4xf32, affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>, "space">,
       memref<?xmemref<4xf32>>, memref<4xvector<4xf32>>],
  f = [!alias, !foo.bar, !foo.bar<1, "x>", [2, {a}], (i32) -> i32>, !foo<"opaque">]} : () -> ()

"t.misc"() {unit, arr = [], arr2 = [1, [2, "x"], {}], dict = {a, b = {c = 1 : i8}}, map = #map, set = #set, none = unit,
  map0 = affine_map<() -> ()>, map1 = affine_map<() -> (5)>, map2 = affine_map<(i, j)[N] -> (i + N, j mod 2 + i floordiv 3)>,
  st = strided<[1, ?], offset: ?>, st0 = strided<[]>, d0 = distinct[0]<"x">, d1 = distinct[1]<"x">, d2 = distinct[0]<"x">,
  sym = @f, sym2 = @f::@"odd name"::@h, str = "\22\5C\0A\09 \00\FF\n", typed = "s" : !foo.str, "quoted key" = 1, g.h = 2,
  op = #foo.attr<1, 2>, op2 = #foo<"bar">, op3 = #foo.nothing, loc = loc("x":1:2)} : () -> ()

// CHECK: c = dense<[true, false]> : tensor<2xi1>
// CHECK-SAME: g = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
"t.dense"() {a = dense<1> : tensor<4xi32>, b = dense<[[1, 2], [3, -4]]> : tensor<2x2xi8>, c = dense<[true, false]> : tensor<2xi1>,
  d = dense<1.0> : vector<4xf32>, e = dense<[1.0, -2.5, 0x7FC00000]> : tensor<3xf32>, f = dense<[1, 2]> : tensor<2xindex>,
  g = dense<"0x0000803F00000040"> : tensor<2xf32>, h = dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>, i = dense<-1> : tensor<3xi4>,
  j = dense<> : tensor<0xf32>, k = dense<5> : tensor<i32>, l = dense<[1, 340282366920938463463374607431768211455]> : tensor<2xi128>,
  m = dense<[(1, 2), (3, 4)]> : tensor<2xcomplex<i8>>, n = dense<[1.0, 2.0]> : tensor<2xf16>, o = dense<"0x01"> : tensor<4xi8>,
  p = sparse<[[0, 0], [1, 2]], [1.0, 5.0]> : tensor<3x4xf32>, q = sparse<0, 4> : tensor<5xi32>, r = sparse<> : tensor<3xf32>,
  s = array<i64: 1, 2, -3>, t = array<i8>, u = array<i1: true, false>, v = array<f32: 1.0, -2.0>,
  w = dense_resource<blob> : tensor<2xf32>} : () -> ()

// CHECK: %[[R:.*]]:3 = "t.results"() : () -> (i32, i64, f32)
// CHECK: "t.use"(%[[R]]#2, %[[R]]#1, %[[R]]#0, %[[R]]#1) : (f32, i64, i32, i64) -> i1
%a, %b:2 = "t.results"() : () -> (i32, i64, f32)
%c = "t.use"(%b#1, %b#0, %a, %b) : (f32, i64, i32, i64) -> i1

// CHECK: "t.region"() ({
// CHECK: "t.br"(%[[X:.*]])[^bb2, ^bb2] : (i32) -> ()
// CHECK: ^bb1(%{{.*}}: i32, %{{.*}}: f32):  // pred: ^bb2
// CHECK: }, {
// CHECK-NEXT: }, {
// CHECK-NEXT: ^bb0(%arg0: index):
// CHECK: }) {after} : () -> ()
"t.region"() ({
  %x = "t.def"() : () -> i32
  "t.br"(%x)[^bb2, ^bb2] : (i32) -> ()
^bb1(%y: i32 loc("argument"), %z: f32):
  "t.use"(%y, %later) : (i32, f16) -> ()
  "t.end"() : () -> ()
^bb2:
  %later = "t.def"() : () -> f16
  "t.br"()[^bb1] : () -> ()
}, {
}, {
^bb0(%q: index):
  "t.end"() : () -> ()
}) {after} : () -> ()

{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000803F00000040"
    }
  }
#-}
