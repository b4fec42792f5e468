// Which dim a slice loses is said by the types: a size of the run that happens to be 1 stays. The interpreter dropped
// the first dim that was 1.
func.func @main(%t: tensor<?x4x4xf64>) -> (tensor<?x4x4xf64>, tensor<?x2xf64>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?x4x4xf64>
  %empty = tensor.empty(%n) : tensor<?x2xf64>
  %x = arith.constant -2.0 : f64
  %part = linalg.fill ins(%x : f64) outs(%empty : tensor<?x2xf64>) -> tensor<?x2xf64>
  %r = tensor.insert_slice %part into %t[0, 0, 2] [%n, 2, 1] [1, 2, 1] : tensor<?x2xf64> into tensor<?x4x4xf64>
  %s = tensor.extract_slice %r[0, 1, 2] [%n, 2, 1] [1, 2, 1] : tensor<?x4x4xf64> to tensor<?x2xf64>
  return %r, %s : tensor<?x4x4xf64>, tensor<?x2xf64>
}
