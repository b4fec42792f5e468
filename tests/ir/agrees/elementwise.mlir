// RUN: noria opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect
// Element-wise ops: shapes and kinds of operands and results.

func.func @f(%a: vector<4xi32>) {
  // expected-error@+1 {{'arith.addui_extended' op all non-scalar operands/results must have the same shape and base type}}
  %s, %o = "arith.addui_extended"(%a, %a) : (vector<4xi32>, vector<4xi32>) -> (vector<4xi32>, vector<8xi1>)
  return
}

// -----

func.func @f(%a: vector<4xi32>) {
  // expected-error@+1 {{'arith.addui_extended' op if an operand is non-scalar, then all results must be non-scalar}}
  %s, %o = "arith.addui_extended"(%a, %a) : (vector<4xi32>, vector<4xi32>) -> (vector<4xi32>, i1)
  return
}

// -----

func.func @f(%a: vector<4xi32>) {
  // expected-error@+1 {{'arith.addui_extended' op result #1 must be bool-like, but got 'vector<4xi8>'}}
  %s, %o = "arith.addui_extended"(%a, %a) : (vector<4xi32>, vector<4xi32>) -> (vector<4xi32>, vector<4xi8>)
  return
}

// -----

func.func @f(%a: tensor<4xi32>) {
  %s, %o = "arith.addui_extended"(%a, %a) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<?xi1>)
  return
}

// -----

func.func @f(%a: tensor<4xi32>) {
  // expected-error@+1 {{'arith.addui_extended' op all non-scalar operands/results must have the same shape and base type}}
  %s, %o = "arith.addui_extended"(%a, %a) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, vector<4xi1>)
  return
}

// -----

func.func @f(%a: tensor<4xi32, 1>) {
  %s, %o = "arith.addui_extended"(%a, %a) : (tensor<4xi32, 1>, tensor<4xi32, 1>) -> (tensor<4xi32, 1>, tensor<4xi1>)
  return
}

// -----

func.func @f(%a: tensor<4xi32>) {
  // expected-error@+1 {{'arith.mului_extended' op requires the same type for all operands and results, but has 'tensor<4xi32>' and 'tensor<8xi32>'}}
  %s, %o = "arith.mului_extended"(%a, %a) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<8xi32>)
  return
}

// -----

func.func @f(%a: tensor<4xi32>) {
  // expected-error@+1 {{'arith.mulsi_extended' op requires the same type for all operands and results, but has 'tensor<4xi32>' and 'tensor<4xi64>'}}
  %s, %o = "arith.mulsi_extended"(%a, %a) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi64>)
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'arith.cmpf' op all non-scalar operands/results must have the same shape and base type}}
  %s = "arith.cmpf"(%a, %a) {predicate=1: i64}: (tensor<4xf32>, tensor<4xf32>) -> (tensor<8xi1>)
  return
}

// -----

func.func @f(%a: tensor<4xf32, 1>) {
  // expected-error@+1 {{'arith.cmpf' op failed to verify that result type has i1 element type and same shape as operands}}
  %s = "arith.cmpf"(%a, %a) {predicate=1: i64}: (tensor<4xf32, 1>, tensor<4xf32, 1>) -> (tensor<4xi1>)
  return
}

// -----

func.func @f(%a: tensor<4xi32, 1>) {
  // expected-error@+1 {{'arith.cmpi' op failed to verify that result type has i1 element type and same shape as operands}}
  %s = "arith.cmpi"(%a, %a) {predicate=1: i64}: (tensor<4xi32, 1>, tensor<4xi32, 1>) -> (tensor<4xi1, 2>)
  return
}

// -----

func.func @f(%a: tensor<4xi32, 1>, %c: tensor<4xi1>) {
  // expected-error@+1 {{'arith.select' op expected condition type to have the same shape as the result type, expected 'tensor<4xi1, 1 : i64>', but got 'tensor<4xi1>'}}
  %s = "arith.select"(%c, %a, %a) : (tensor<4xi1>, tensor<4xi32, 1>, tensor<4xi32, 1>) -> (tensor<4xi32, 1>)
  return
}

// -----

func.func @f(%a: tensor<4xi32>, %c: tensor<?xi1>) {
  // expected-error@+1 {{'arith.select' op expected condition type to have the same shape as the result type, expected 'tensor<4xi1>', but got 'tensor<?xi1>'}}
  %s = "arith.select"(%c, %a, %a) : (tensor<?xi1>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  return
}

// -----

func.func @f(%a: tensor<4xf32, 1>) {
  // expected-error@+1 {{'arith.addf' op requires the same type for all operands and results, but has 'tensor<4xf32, 1 : i64>' and 'tensor<4xf32>'}}
  %s = "arith.addf"(%a, %a) {fastmath=#arith.fastmath<none>}: (tensor<4xf32, 1>, tensor<4xf32, 1>) -> (tensor<4xf32>)
  return
}

// -----

func.func @f(%a: vector<4xf32>) {
  // expected-error@+1 {{operation defines 2 results but was provided 1 to bind}}
  %s = "math.sincos"(%a) {fastmath=#arith.fastmath<none>}: (vector<4xf32>) -> (vector<4xf32>, vector<8xf32>)
  return
}

// -----

func.func @f(%a: vector<4xf32>) {
  // expected-error@+1 {{'math.isnan' op all non-scalar operands/results must have the same shape and base type}}
  %s = "math.isnan"(%a) {fastmath=#arith.fastmath<none>}: (vector<4xf32>) -> (vector<8xi1>)
  return
}

// -----

func.func @f(%a: vector<4xf32>, %b: vector<8xi32>) {
  // expected-error@+1 {{'math.fpowi' op all non-scalar operands/results must have the same shape and base type}}
  %s = "math.fpowi"(%a, %b) {fastmath=#arith.fastmath<none>}: (vector<4xf32>, vector<8xi32>) -> (vector<4xf32>)
  return
}

// -----

func.func @f(%a: tensor<4xf32, 1>) {
  // expected-error@+1 {{'math.isnan' op failed to verify that result type has i1 element type and same shape as operands}}
  %s = "math.isnan"(%a) {fastmath=#arith.fastmath<none>}: (tensor<4xf32, 1>) -> (tensor<4xi1>)
  return
}
