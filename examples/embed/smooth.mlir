// Exponential smoothing: y[i] = y[i-1] + alpha * (x[i] - y[i-1]), from y[-1] = 0. Each value needs the one before it,
// so this is a loop, and it stays one: the state is in a register, and the result is written once.
func.func @smooth(%x: tensor<?xf32>, %alpha: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %y, %last = scf.for %i = %c0 to %n step %c1 iter_args(%out = %empty, %state = %zero) -> (tensor<?xf32>, f32) {
    %in = tensor.extract %x[%i] : tensor<?xf32>
    %error = arith.subf %in, %state : f32
    %step = arith.mulf %alpha, %error : f32
    %next = arith.addf %state, %step : f32
    %written = tensor.insert %next into %out[%i] : tensor<?xf32>
    scf.yield %written, %next : tensor<?xf32>, f32
  }
  return %y : tensor<?xf32>
}
