// RUN: noria opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect
// Casts: shapes and encodings.

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'arith.extf' op operand type 'tensor<4xf32>' and result type 'tensor<4xf64, 1 : i64>' are cast incompatible}}
  %s = "arith.extf"(%a) : (tensor<4xf32>) -> tensor<4xf64, 1>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'arith.extf' op operand type 'tensor<4xf32>' and result type 'tensor<?xf64>' are cast incompatible}}
  %s = "arith.extf"(%a) : (tensor<4xf32>) -> tensor<?xf64>
  return
}

// -----

func.func @f(%a: tensor<4xf32, 1>) {
  // expected-error@+1 {{'arith.extf' op operand type 'tensor<4xf32, 1 : i64>' and result type 'tensor<4xf64, 2 : i64>' are cast incompatible}}
  %s = "arith.extf"(%a) : (tensor<4xf32, 1>) -> tensor<4xf64, 2>
  return
}

// -----

func.func @f(%a: tensor<4xf32, 1>) {
  // expected-error@+1 {{'arith.extf' op operand type 'tensor<4xf32, 1 : i64>' and result type 'tensor<4xf64>' are cast incompatible}}
  %s = "arith.extf"(%a) : (tensor<4xf32, 1>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%a: tensor<4xf64, 1>) {
  // expected-error@+1 {{'arith.truncf' op operand type 'tensor<4xf64, 1 : i64>' and result type 'tensor<4xf32>' are cast incompatible}}
  %s = "arith.truncf"(%a) : (tensor<4xf64, 1>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xi32, 1>) {
  // expected-error@+1 {{'arith.extsi' op operand type 'tensor<4xi32, 1 : i64>' and result type 'tensor<4xi64>' are cast incompatible}}
  %s = "arith.extsi"(%a) : (tensor<4xi32, 1>) -> tensor<4xi64>
  return
}

// -----

func.func @f(%a: tensor<4xi32, 1>) {
  // expected-error@+1 {{'arith.extui' op operand type 'tensor<4xi32, 1 : i64>' and result type 'tensor<4xi64>' are cast incompatible}}
  %s = "arith.extui"(%a) : (tensor<4xi32, 1>) -> tensor<4xi64>
  return
}

// -----

func.func @f(%a: tensor<4xi32, 1>) {
  // expected-error@+1 {{'arith.trunci' op operand type 'tensor<4xi32, 1 : i64>' and result type 'tensor<4xi16>' are cast incompatible}}
  %s = "arith.trunci"(%a) : (tensor<4xi32, 1>) -> tensor<4xi16>
  return
}

// -----

func.func @f(%a: tensor<4xi32, 1>) {
  // expected-error@+1 {{'arith.sitofp' op operand type 'tensor<4xi32, 1 : i64>' and result type 'tensor<4xf32>' are cast incompatible}}
  %s = "arith.sitofp"(%a) : (tensor<4xi32, 1>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xi32, 1>) {
  // expected-error@+1 {{'arith.bitcast' op operand type 'tensor<4xi32, 1 : i64>' and result type 'tensor<4xf32>' are cast incompatible}}
  %s = "arith.bitcast"(%a) : (tensor<4xi32, 1>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xi32, 1>) {
  // expected-error@+1 {{'arith.index_cast' op operand type 'tensor<4xi32, 1 : i64>' and result type 'tensor<4xindex>' are cast incompatible}}
  %s = "arith.index_cast"(%a) : (tensor<4xi32, 1>) -> tensor<4xindex>
  return
}

// -----

func.func @f(%a: tensor<4xi32, 1>) {
  // expected-error@+1 {{'arith.index_castui' op operand type 'tensor<4xi32, 1 : i64>' and result type 'tensor<4xindex>' are cast incompatible}}
  %s = "arith.index_castui"(%a) : (tensor<4xi32, 1>) -> tensor<4xindex>
  return
}

// -----

func.func @f(%a: memref<4xi32, 1>) {
  %s = "arith.index_cast"(%a) : (memref<4xi32, 1>) -> memref<4xindex>
  return
}

// -----

func.func @f(%a: memref<4xi32, strided<[2]>>) {
  %s = "arith.index_cast"(%a) : (memref<4xi32, strided<[2]>>) -> memref<4xindex>
  return
}

// -----

func.func @f(%a: memref<4xi32>) {
  %s = "arith.bitcast"(%a) : (memref<4xi32>) -> memref<4xf32>
  return
}

// -----

func.func @f(%a: memref<4xi32>) {
  %s = "arith.bitcast"(%a) : (memref<4xi32>) -> memref<4xf32, 1>
  return
}

// -----

func.func @f(%a: tensor<*xi32>) {
  // expected-error@+1 {{'arith.bitcast' op all non-scalar operands/results must have the same shape and base type}}
  %s = "arith.bitcast"(%a) : (tensor<*xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: vector<4xi32>) {
  // expected-error@+1 {{'arith.extsi' op all non-scalar operands/results must have the same shape and base type}}
  %s = "arith.extsi"(%a) : (vector<4xi32>) -> tensor<4xi64>
  return
}

// -----

func.func @f(%a: vector<4xi32>) {
  // expected-error@+1 {{'arith.extsi' op all non-scalar operands/results must have the same shape and base type}}
  %s = "arith.extsi"(%a) : (vector<4xi32>) -> vector<[4]xi64>
  return
}

// -----

func.func @f(%a: vector<4xi32>) {
  // expected-error@+1 {{'arith.fptosi' op operand #0 must be floating-point-like, but got 'vector<4xi32>'}}
  %s = "arith.fptosi"(%a) : (vector<4xi32>) -> vector<4xi64>
  return
}

// -----

func.func @f(%a: tensor<4xf32, 1>) {
  // expected-error@+1 {{'arith.fptosi' op operand type 'tensor<4xf32, 1 : i64>' and result type 'tensor<4xi64>' are cast incompatible}}
  %s = "arith.fptosi"(%a) : (tensor<4xf32, 1>) -> tensor<4xi64>
  return
}

// -----

func.func @f(%a: tensor<4xf32, 1>) {
  // expected-error@+1 {{'arith.fptoui' op operand type 'tensor<4xf32, 1 : i64>' and result type 'tensor<4xi64>' are cast incompatible}}
  %s = "arith.fptoui"(%a) : (tensor<4xf32, 1>) -> tensor<4xi64>
  return
}

// -----

func.func @f(%a: tensor<4xi8, 1>) {
  // expected-error@+1 {{'arith.uitofp' op operand type 'tensor<4xi8, 1 : i64>' and result type 'tensor<4xf32>' are cast incompatible}}
  %s = "arith.uitofp"(%a) : (tensor<4xi8, 1>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32, 1>, %b: tensor<4xf8E8M0FNU>) {
  // expected-error@+1 {{'arith.scaling_extf' op operand type 'tensor<4xf32, 1 : i64>' and result type 'tensor<4xf64>' are cast incompatible}}
  %s = "arith.scaling_extf"(%a, %b) : (tensor<4xf32, 1>, tensor<4xf8E8M0FNU>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%a: vector<4xf32>) {
  // expected-error@+1 {{'arith.constant' op failed to verify that all of {value, result} have same type: 'tensor<4xf32>' vs 'vector<4xf32>'}}
  %r = "arith.constant"() {value = dense<1.0> : tensor<4xf32>} : () -> vector<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32, 1>) {
  // expected-error@+2 {{'math.ctlz' op operand #0 must be signless-integer-like, but got 'tensor<4xf32, 1 : i64>'}}
  // expected-error@+1 {{'math.ctlz' op requires the same type for all operands and results, but has 'tensor<4xf32, 1 : i64>' and 'tensor<4xf32>'}}
  %r = "math.ctlz"(%a) : (tensor<4xf32,1>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xcomplex<f32>, 1>) {
  // expected-error@+2 {{'complex.abs' op operand #0 must be complex type, but got 'tensor<4xcomplex<f32>, 1 : i64>'}}
  // expected-error@+1 {{'complex.abs' op result #0 must be floating-point, but got 'tensor<4xf32>'}}
  %r = "complex.abs"(%a) : (tensor<4xcomplex<f32>,1>) -> tensor<4xf32>
  return
}
