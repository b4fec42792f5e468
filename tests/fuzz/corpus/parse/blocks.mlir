#map = affine_map<(d0, d1)[s0] -> (d0 * 2 + s0, d1 floordiv 4)>
!t = vector<4xf32>
module @m attributes {a = 1 : i8, b, c = [1, 2.5, "x\0A", @f::@g, unit, true, i32, dense<[[1,2],[3,4]]> : tensor<2x2xi8>, dense<1.0> : tensor<3xf16>], "quoted name" = {x = 0x7FC00000 : f32, y = -7 : i128}} {
  func.func @f(%arg0: memref<4x?xf32, strided<[?, 1], offset: ?>>, %x: !t) -> i32 attributes {m = #map} {
    %c = arith.constant 3 : i32
    %true = arith.constant true
    %z = arith.constant 2.5e-3 : f32
    %d:2 = scf.if %true -> (i32, f32) { scf.yield %c, %z : i32, f32 } else { scf.yield %c, %z : i32, f32 }
    cf.br ^bb1(%d#0 : i32)
  ^bb1(%q: i32):
    cf.cond_br %true, ^bb1(%q : i32), ^bb2
  ^bb2:
    return %q : i32
  }
  func.func private @g(i32, f64) -> (i64, tensor<*xf32>)
}
