#map = affine_map<(d0, d1)[s0] -> (d0 * 2 + s0, d1 floordiv 4, d0 ceildiv s0 mod 3, -d1 - 5, (d0 + d1) * 3)>
#set = affine_set<(d0)[s0] : (d0 - 1 == 0, s0 >= 0, 5 >= d0)>
#set1 = affine_set<() : ()>
!alias = tensor<4x?xf32>
"t.types"() {a = [i1, i32, i64, si8, ui16, i1000, index, f16, bf16, f32, f64, tf32, f80, f128, f8E5M2, f8E4M3FN, f4E2M1FN, none],
  b = [complex<f32>, complex<i8>, tuple<>, tuple<i32, f32>, tuple<tuple<i1>>, () -> (), (i32) -> i32, (i32, f32) -> (i32, f32), () -> (() -> ()), (() -> i1) -> (() -> i1)],
  c = [vector<4xf32>, vector<4x8xi1>, vector<[4]xf32>, vector<2x[4]xf32>, vector<[2]x[4]xf32>, vector<f32>, vector<1xindex>],
  d = [tensor<f32>, tensor<4xf32>, tensor<4x?xf32>, tensor<?x?x?xi8>, tensor<*xf32>, tensor<0xf32>, tensor<0x4xf32>, tensor<4x0xf32>, tensor<1x10x100xf32>, tensor<4xf32, "enc">, tensor<4xcomplex<f32>>, tensor<2xvector<4xf32>>, tensor<4xf32, #foo.bar<1>>],
  e = [memref<f32>, memref<4xf32>, memref<4x?xf32>, memref<*xf32>, memref<4xf32, 1>, memref<*xf32, 2 : i32>, memref<4x4xf32, strided<[4, 1]>>, memref<4x4xf32, strided<[?, ?], offset: ?>>, memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>, memref<4x4xf32, affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>, "space">, memref<?xmemref<4xf32>>, memref<4xvector<4xf32>>, memref<4xf32, #gpu.address_space<workgroup>>],
  f = [!alias, !foo.bar, !foo.bar<1, "x>", [2, {a}], (i32) -> i32>, !foo<"opaque">, !llvm.ptr, !onnx.seq<tensor<4xf32>>]} : () -> ()
"t.attrs"() {a = 1, b = -1, c = 0, d = 9223372036854775807, e = -9223372036854775808, f = 1 : i8, g = 255 : i8, h = -128 : i8, i = 0xFF : i8, j = 255 : ui8, k = -5 : si8, l = 340282366920938463463374607431768211455 : i128, m = -170141183460469231731687303715884105728 : i128, n = 1 : index, o = 0xFFFFFFFFFFFFFFFFFFFF : i80, p = 1 : i1, q = true, r = false} : () -> ()
"t.floats"() {a = 1.0, b = -1.0, c = 1., d = 1.e-9, e = 1.5e+10 : f32, f = 0x7FC00000 : f32, g = 0xFFF0000000000000 : f64, h = 0x7C00 : f16, i = 1.0 : bf16, j = 3.14159265358979323846, k = 0.1 : f32, l = -0.0, m = 123456789012345678901234567890.0, n = 1.0e-320, o = 1.0e308, p = 2.5 : f8E5M2, q = 0x80 : f8E4M3FNUZ, r = 1.0 : f80, s = 4.9e-324} : () -> ()
"t.strings"() {a = "hello", b = "\22\5C\0A\09 \00\FF", c = "tab\t nl\n q\" b\\", d = "typed" : !foo.str, e = "", "quoted key" = 1, g.h = 2} : () -> ()
"t.symbols"() {a = @f, b = @f::@g::@h, c = @"odd name", d = @f::@"x y"} : () -> ()
"t.misc"() {unit, unit2 = unit, arr = [], arr2 = [1, [2, "x"], {}], dict = {a, b = {c = 1 : i8}}, map = #map, set = #set, emptyset = #set1, map0 = affine_map<() -> ()>, map1 = affine_map<() -> (5)>, map2 = affine_map<(i, j)[N] -> (i + N, j mod 2 + i floordiv 3)>, st = strided<[1, ?], offset: ?>, st0 = strided<[]>, d0 = distinct[0]<"x">, d1 = distinct[1]<"x">, d2 = distinct[0]<"x">, d3 = distinct[2]<>, op = #foo.attr<1, 2>, op2 = #foo<"bar">, op3 = #foo.nothing, loc = loc("x":1:2)} : () -> ()
"t.dense"() {a = dense<1> : tensor<4xi32>, b = dense<[1, 2, 3, 4]> : tensor<4xi32>, c = dense<[[1, 2], [3, -4]]> : tensor<2x2xi8>, d = dense<[true, false]> : tensor<2xi1>, e = dense<1.0> : vector<4xf32>, f = dense<[1.0, -2.5, 0x7FC00000]> : tensor<3xf32>, g = dense<"0x0000803F00000040"> : tensor<2xf32>, h = dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>, i = dense<[(1, 2), (3, 4)]> : tensor<2xcomplex<i8>>, j = dense<> : tensor<0xf32>, k = dense<[]> : tensor<0xi32>, l = dense<5> : tensor<i32>, m = dense<[1, 2]> : tensor<2xindex>, n = dense<[[[1]]]> : tensor<1x1x1xi64>, o = dense<-1> : tensor<3xi4>, p = dense<"0x01"> : tensor<4xi8>, q = dense<[1, 340282366920938463463374607431768211455]> : tensor<2xi128>, r = dense<[1.0, 2.0]> : tensor<2xf16>, s = dense<[1, 255]> : tensor<2xui8>, t = dense<true> : tensor<3xi1>} : () -> ()
"t.more"() {a = sparse<[[0, 0], [1, 2]], [1.0, 5.0]> : tensor<3x4xf32>, b = sparse<0, 4> : tensor<5xi32>, c = sparse<> : tensor<3xf32>, d = array<i64: 1, 2, -3>, e = array<i8>, f = array<i1: true, false>, g = array<f32: 1.0, -2.0>, h = array<f64>, i = dense_resource<blob> : tensor<2xf32>, j = array<i32: 5>} : () -> ()
"t.locs"() : () -> () loc("file.mlir":10:20)
"t.locs"() : () -> () loc("name")
"t.locs"() : () -> () loc("name"("f":1:2))
"t.locs"() : () -> () loc(callsite("a" at "f":10:8))
"t.locs"() : () -> () loc(fused["a", "f":1:2, unknown])
"t.locs"() : () -> () loc(fused<"meta">["a", "b"])
"t.locs"() : () -> () loc(unknown)
"t.locs"() : () -> () loc(#loc1)
"t.locs"() : () -> () loc("f":2:8 to :10)
"t.locs"() : () -> () loc("f":2:8 to 3:10)
%a, %b:2 = "t.results"() : () -> (i32, i64, f32)
%c = "t.use"(%b#1, %b#0, %a, %b) : (f32, i64, i32, i64) -> i1
"t.region"() ({
  %x = "t.def"() : () -> i32
  "t.br"(%x)[^bb2, ^bb2] : (i32) -> ()
^bb1(%y: i32 loc("argloc"), %z: f32):
  "t.use2"(%y, %later) : (i32, f16) -> ()
  "t.end"() : () -> ()
^bb2:
  %later = "t.def"() : () -> f16
  "t.br"()[^bb1] : () -> ()
}, {
}, {
^bb0(%q: index):
  "t.end"() : () -> ()
}) {after} : () -> ()
"t.props"() <{p = 1 : i8}> {q = 2 : i8} : () -> ()
#loc0 = loc("zero")
#loc2 = loc("two":3:4)
#loc1 = loc(callsite(#loc0 at #loc2))
{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000803F00000040"
    }
  }
#-}
