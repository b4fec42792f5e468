func @conditional_reduce(%buffer: memref<1024xf32>, %lb: index, %ub: index, %step: index) -> (f32) {
  %sum_0 = constant 0.0 : f32
  %c0 = constant 0.0 : f32
  %sum = loop.for %iv = %lb to %ub step %step iter_args(%sum_iter = %sum_0) -> (f32) {
    %t = load %buffer[%iv] : memref<1024xf32>
    %cond = cmpf "ugt", %t, %c0 : f32
    %sum_next = loop.if %cond -> (f32) {
     %new_sum = addf %sum_iter, %t : f32
      loop.yield %new_sum : f32
   } else {
          loop.yield %sum_iter : f32
   }
    loop.yield %sum_next : f32
  }
  return %sum : f32
}
