// RUN: noria opt --sparsify %s --split-input-file --verify-diagnostics

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
func.func @op(%A: tensor<3x4xf64, #CSR>) -> tensor<3x4xf64, #CSR> {
  // expected-error@+1 {{'arith.addf' op has a sparse tensor, for which it is not lowered; sparse_tensor.convert makes it dense}}
  %0 = arith.addf %A, %A : tensor<3x4xf64, #CSR>
  return %0 : tensor<3x4xf64, #CSR>
}
// -----
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
func.func @body(%A: tensor<4x4xf64, #CSR>, %y: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error@+1 {{its body has 'math.exp'; expected additions, subtractions and multiplications}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<4x4xf64, #CSR>) outs(%y : tensor<4xf64>) {
  ^bb0(%a: f64, %out: f64):
    %e = math.exp %a : f64
    %s = arith.addf %out, %e : f64
    linalg.yield %s : f64
  } -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// -----
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
func.func @window(%A: tensor<4x4xf64, #CSR>, %x: tensor<7xf64>, %y: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error@+1 {{cannot be lowered with sparse operands: dim 0 of operand #1 is no loop}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<4x4xf64, #CSR>, tensor<7xf64>) outs(%y : tensor<4xf64>) {
  ^bb0(%a: f64, %b: f64, %out: f64):
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %out, %p : f64
    linalg.yield %s : f64
  } -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// -----
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
#CSC = #sparse_tensor.encoding<{ map = (i, j) -> (j : dense, i : compressed), posWidth = 32, crdWidth = 32 }>
func.func @order(%A: tensor<4x4xf64, #CSR>) -> tensor<4x4xf64, #CSC> {
  // expected-error@+1 {{cannot be lowered, as 'operand0(d0,d1) = A(d0,d1)': }}
  %0 = sparse_tensor.convert %A : tensor<4x4xf64, #CSR> to tensor<4x4xf64, #CSC>
  return %0 : tensor<4x4xf64, #CSC>
}
// -----
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
func.func @start(%A: tensor<4x4xf64, #CSR>, %B: tensor<4x4xf64, #CSR>) -> tensor<4x4xf64, #CSR> {
  // expected-error@+1 {{cannot be lowered: a sparse result must start as tensor.empty}}
  %0 = linalg.matmul ins(%A, %A : tensor<4x4xf64, #CSR>, tensor<4x4xf64, #CSR>) outs(%B : tensor<4x4xf64, #CSR>) -> tensor<4x4xf64, #CSR>
  return %0 : tensor<4x4xf64, #CSR>
}
// -----
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
func.func @made(%d: tensor<4x4xf64>) -> tensor<4x4xf64, #CSR> {
  // expected-error@+1 {{of a dense tensor is not lowered: which elements are entries is known at run time only}}
  %0 = sparse_tensor.convert %d : tensor<4x4xf64> to tensor<4x4xf64, #CSR>
  return %0 : tensor<4x4xf64, #CSR>
}
// -----
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
func.func @blocks(%A: tensor<3x3xf64, #CSR>, %B: tensor<3x3xf64, #CSR>, %c: i1) -> tensor<3x3xf64> {
  // expected-error@+1 {{'cf.cond_br' op has a sparse tensor, for which it is not lowered; scf.if and scf.while pass one on}}
  cf.cond_br %c, ^bb1(%A : tensor<3x3xf64, #CSR>), ^bb1(%B : tensor<3x3xf64, #CSR>)
^bb1(%s: tensor<3x3xf64, #CSR>):
  %d = sparse_tensor.convert %s : tensor<3x3xf64, #CSR> to tensor<3x3xf64>
  return %d : tensor<3x3xf64>
}
// -----
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
func.func @select(%A: tensor<3x3xf64, #CSR>, %B: tensor<3x3xf64, #CSR>, %c: i1) -> tensor<3x3xf64, #CSR> {
  // expected-error@+1 {{'arith.select' op has a sparse tensor, for which it is not lowered; sparse_tensor.convert makes it dense}}
  %s = arith.select %c, %A, %B : tensor<3x3xf64, #CSR>
  return %s : tensor<3x3xf64, #CSR>
}
// -----
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
func.func @size(%A: tensor<?x3xf64, #CSR>, %d: index) -> index {
  // expected-error@+1 {{'tensor.dim' op of a sparse tensor needs a constant index of one of its dims}}
  %n = tensor.dim %A, %d : tensor<?x3xf64, #CSR>
  return %n : index
}
// -----
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
func.func @f8(%A: tensor<4x4xf8E4M3FN, #CSR>, %B: tensor<4x4xf8E4M3FN>) -> tensor<4x4xf8E4M3FN> {
  // expected-error@+1 {{cannot be lowered with sparse operands: elements are i1, i8, i16, i32, i64, f16, bf16, f32, f64, complex<f32> or complex<f64>, not 'f8E4M3FN'}}
  %0 = linalg.mul ins(%A, %B : tensor<4x4xf8E4M3FN, #CSR>, tensor<4x4xf8E4M3FN>) outs(%B : tensor<4x4xf8E4M3FN>) -> tensor<4x4xf8E4M3FN>
  return %0 : tensor<4x4xf8E4M3FN>
}
// -----
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
func.func @xor(%A: tensor<4x4xi1, #CSR>, %y: tensor<4xi1>) -> tensor<4xi1> {
  // expected-error@+1 {{cannot be lowered with sparse operands: its body must add to the output's element}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<4x4xi1, #CSR>) outs(%y : tensor<4xi1>) {
  ^bb0(%a: i1, %out: i1):
    %s = arith.addi %out, %a : i1
    linalg.yield %s : i1
  } -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
// -----
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
func.func @xor_of_two(%A: tensor<4x4xi1, #CSR>, %y: tensor<4x4xi1>) -> tensor<4x4xi1> {
  // expected-error@+1 {{cannot be lowered with sparse operands: its body has 'arith.addi'; expected arith.ori and arith.andi, the sums and products of i1}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : tensor<4x4xi1, #CSR>) outs(%y : tensor<4x4xi1>) {
  ^bb0(%a: i1, %out: i1):
    %s = arith.addi %a, %a : i1
    linalg.yield %s : i1
  } -> tensor<4x4xi1>
  return %0 : tensor<4x4xi1>
}
// -----
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
func.func @kept(%A: tensor<4xf64>, %y: tensor<4x4xf64>, %B: tensor<4x4xf64, #CSR>) -> tensor<4x4xf64> {
  // expected-error@+1 {{cannot be lowered with sparse operands: its result has loop d0 in two dims, so its body must add to the output's element}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>, affine_map<(i) -> (i, i)>], iterator_types = ["parallel"]}
      ins(%A, %B : tensor<4xf64>, tensor<4x4xf64, #CSR>) outs(%y : tensor<4x4xf64>) {
  ^bb0(%a: f64, %b: f64, %out: f64):
    %s = arith.addf %a, %b : f64
    linalg.yield %s : f64
  } -> tensor<4x4xf64>
  return %0 : tensor<4x4xf64>
}
