// RUN: noria opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect
// Weights of branches.

func.func @f(%a: i1) {
  // expected-error@+1 {{'cf.cond_br' op (C1) branch weights cannot all be zero}}
  cf.cond_br %a weights([0, 0]), ^x, ^y
^x:
  return
^y:
  return
}

// -----

func.func @f(%a: i1) {
  cf.cond_br %a weights([-1, 1]), ^x, ^y
^x:
  return
^y:
  return
}

// -----

func.func @f(%a: i1) {
  // expected-error@+1 {{'cf.cond_br' op (C1) expects number of branch weights to match number of successors: 1 vs 2}}
  cf.cond_br %a weights([1]), ^x, ^y
^x:
  return
^y:
  return
}

// -----

func.func @f(%a: i1) {
  // expected-error@+1 {{'cf.cond_br' op (C1) expects number of branch weights to match number of successors: 3 vs 2}}
  cf.cond_br %a weights([1, 2, 3]), ^x, ^y
^x:
  return
^y:
  return
}

// -----

func.func @f(%a: i1) {
  // expected-error@+1 {{'cf.cond_br' op (C1) branch weights cannot all be zero}}
  "cf.cond_br"(%a)[^x, ^y] {branch_weights = array<i32: 0, 0>, operandSegmentSizes = array<i32: 1, 0, 0>} : (i1) -> ()
^x:
  return
^y:
  return
}

// -----

func.func @f(%a: i1) {
  // expected-error@+1 {{'cf.cond_br' op attribute 'branch_weights' failed to satisfy constraint: i32 dense array attribute}}
  "cf.cond_br"(%a)[^x, ^y] {branch_weights = array<i64: 1, 0>, operandSegmentSizes = array<i32: 1, 0, 0>} : (i1) -> ()
^x:
  return
^y:
  return
}

// -----

func.func @f(%a: i1) {
  // expected-error@+1 {{'cf.cond_br' op (C1) expects number of branch weights to match number of successors: 1 vs 2}}
  "cf.cond_br"(%a)[^x, ^y] {branch_weights = array<i32: 1>, operandSegmentSizes = array<i32: 1, 0, 0>} : (i1) -> ()
^x:
  return
^y:
  return
}

// -----

func.func @f(%a: i1) {
  "cf.cond_br"(%a)[^x, ^y] {branch_weights = array<i32>, operandSegmentSizes = array<i32: 1, 0, 0>} : (i1) -> ()
^x:
  return
^y:
  return
}

// -----

func.func @f(%a: i1) {
  // expected-error@+1 {{'cf.cond_br' op attribute 'branch_weights' failed to satisfy constraint: i32 dense array attribute}}
  "cf.cond_br"(%a)[^x, ^y] {branch_weights = 1 : i32, operandSegmentSizes = array<i32: 1, 0, 0>} : (i1) -> ()
^x:
  return
^y:
  return
}

// -----

func.func @f(%a: i1) {
  // expected-error@+1 {{integer value too large}}
  cf.cond_br %a weights([4294967296, 1]), ^x, ^y
^x:
  return
^y:
  return
}

// -----

func.func @f(%a: i1) {
  cf.cond_br %a weights([-3, 1]), ^x, ^y
^x:
  return
^y:
  return
}

// -----

func.func @f(%a: i1) {
  cf.cond_br %a weights([0, 1]), ^x, ^y
^x:
  return
^y:
  return
}
