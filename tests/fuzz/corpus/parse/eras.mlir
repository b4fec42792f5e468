func @decl(i32, f64) -> i64
func @std_for(%arg0 : index, %arg1 : index, %arg2 : index) {
  loop.for %i0 = %arg0 to %arg1 step %arg2 {
    loop.for %i1 = %arg0 to %arg1 step %arg2 {
      %min_cmp = cmpi "slt", %i0, %i1 : index
      %min = select %min_cmp, %i0, %i1 : index
      %max_cmp = cmpi "sge", %i0, %i1 : index
      %max = select %max_cmp, %i0, %i1 : index
      loop.for %i2 = %min to %max step %i1 {
      }
    }
  }
  return
}
func @parallel(%a: index, %b: index, %c: index, %m: memref<2x4xi8, (d0, d1) -> (d1, d0), 1>) {
  %s = dim %m, 1 : memref<2x4xi8, (d0, d1) -> (d1, d0), 1>
  loop.parallel (%i, %j) = (%a, %b) to (%b, %c) step (%c, %c) {
    %zero = constant 0.0 : f32
    loop.reduce(%zero) {
      ^bb0(%lhs : f32, %rhs: f32):
        %res = addf %lhs, %rhs : f32
        loop.reduce.return %res : f32
    } : f32
  } : f32
  "loop.if"(%t) ({ "loop.terminator"() : () -> () }, {}) : (i1) -> ()
  %t = constant 1 : i1
  return
}
func @views(%arg0: memref<2048xi8>, %x: memref<?x?xf32, offset: ?, strides: [?, 1]>) {
  %c0 = std.constant 0 : index
  %1 = "std.constant"() {value = 3 : i32} : () -> i32
  %f = constant @decl : (i32, f64) -> i64
  %r = call @decl(%1, %d) : (i32, f64) -> i64
  %d = constant 1.5 : f64
  %r2 = call_indirect %f(%1, %d) : (i32, f64) -> i64
  return
}
"module_terminator"() : () -> ()
