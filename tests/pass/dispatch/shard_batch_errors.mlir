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

// -----

// expected-error @+1 {{dim 0 of result #0 is M, not the batch N, which --shard=batch needs}}
func.func @other(%m: tensor<i64>, %x: tensor<?xi64>) -> tensor<?xi64> attributes {noria.entry, noria.inputs = [
    {dim_names = [], dims = array<i64>, dtype = 7 : i64, kind = 0 : i64, name = "m"},
    {dim_names = ["N"], dims = array<i64: -1>, dtype = 7 : i64, kind = 0 : i64, name = "x"}], noria.outputs = [
    {dim_names = ["M"], dims = array<i64: -1>, dtype = 7 : i64, kind = 0 : i64, name = "y"}]} {
  return %x : tensor<?xi64>
}

// -----

// expected-error @+1 {{result #0 has the batch N as dim 1; --shard=batch needs it as dim 0}}
func.func @scan(%x: tensor<?xi64>) -> tensor<?x?xi64> attributes {noria.entry, noria.inputs = [
    {dim_names = ["N"], dims = array<i64: -1>, dtype = 7 : i64, kind = 0 : i64, name = "x"}], noria.outputs = [
    {dim_names = ["", "N"], dims = array<i64: -1, -1>, dtype = 7 : i64, kind = 0 : i64, name = "y"}]} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %y = tensor.empty(%n, %n) : tensor<?x?xi64>
  return %y : tensor<?x?xi64>
}

// -----

// expected-error @+1 {{input #1 has the batch N as dim 1; --shard=batch needs it as dim 0}}
func.func @state(%x: tensor<?xi64>, %h: tensor<1x?xi64>) -> tensor<?xi64> attributes {noria.entry, noria.inputs = [
    {dim_names = ["N"], dims = array<i64: -1>, dtype = 7 : i64, kind = 0 : i64, name = "x"},
    {dim_names = ["", "N"], dims = array<i64: 1, -1>, dtype = 7 : i64, kind = 0 : i64, name = "h"}]} {
  return %x : tensor<?xi64>
}
