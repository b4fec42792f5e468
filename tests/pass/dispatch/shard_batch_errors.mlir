// RUN: noria opt --shard-batch --split-input-file --verify-diagnostics %s

// expected-error @+1 {{no input has a name for its dim 0, the batch that --shard=batch cuts}}
func.func @unnamed(%x: tensor<?xi64>) -> tensor<?xi64> attributes {noria.entry} {
  return %x : tensor<?xi64>
}

// -----

// expected-error @+1 {{the batch of input #0 is fixed; --shard=batch needs an open one}}
func.func @fixed(%x: tensor<4xi64>) -> tensor<4xi64> attributes {noria.entry, noria.inputs = [
    {dim_names = ["N"], dims = array<i64: -1>, dtype = 7 : i64, kind = 0 : i64, name = "x"}]} {
  return %x : tensor<4xi64>
}

// -----

// expected-error @+1 {{result #0 has no batch as dim 0, which --shard=batch needs}}
func.func @whole(%x: tensor<?xi64>) -> tensor<i64> attributes {noria.entry, noria.inputs = [
    {dim_names = ["N"], dims = array<i64: -1>, dtype = 7 : i64, kind = 0 : i64, name = "x"}]} {
  %zero = arith.constant dense<0> : tensor<i64>
  return %zero : tensor<i64>
}

// -----

// expected-error @+1 {{result #0 is not a tensor of numbers, which --shard=batch needs}}
func.func @words(%x: tensor<?x!onnx.string>) -> tensor<?x!onnx.string> attributes {noria.entry, noria.inputs = [
    {dim_names = ["N"], dims = array<i64: -1>, dtype = 8 : i64, kind = 0 : i64, name = "x"}]} {
  return %x : tensor<?x!onnx.string>
}
