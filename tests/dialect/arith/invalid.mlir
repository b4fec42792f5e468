// RUN: noria opt %s --split-input-file --verify-diagnostics

func.func @two_types(%a: i32, %b: i64) {
  // expected-error@+1 {{same type}}
  %0 = "arith.addi"(%a, %b) : (i32, i64) -> i32
  return
}

// -----

func.func @float_operand(%a: f32) {
  // expected-error@+1 {{must be signless-integer-like, but got 'f32'}}
  %0 = arith.addi %a, %a : f32
  return
}

// -----

func.func @signed_operand(%a: si32) {
  // expected-error@+1 {{must be signless-integer-like, but got 'si32'}}
  %0 = arith.addi %a, %a : si32
  return
}

// -----

func.func @not_wider(%a: i32) {
  // expected-error@+1 {{result type 'i16' must be wider than operand type 'i32'}}
  %0 = arith.extsi %a : i32 to i16
  return
}

// -----

func.func @not_shorter(%a: f32) {
  // expected-error@+1 {{result type 'f32' must be shorter than operand type 'f32'}}
  %0 = arith.truncf %a : f32 to f32
  return
}

// -----

func.func @shapes(%a: vector<4xi8>) {
  // expected-error@+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = arith.extsi %a : vector<4xi8> to vector<8xi16>
  return
}

// -----

func.func @cast_without_index(%a: i32) {
  // expected-error@+1 {{operand type 'i32' and result type 'i64' are cast incompatible}}
  %0 = arith.index_cast %a : i32 to i64
  return
}

// -----

func.func @cast_of_other_width(%a: i32) {
  // expected-error@+1 {{operand type 'i32' and result type 'f64' are cast incompatible}}
  %0 = arith.bitcast %a : i32 to f64
  return
}

// -----

func.func @predicate(%a: i32) {
  // expected-error@+1 {{attribute 'predicate' failed to satisfy constraint}}
  %0 = "arith.cmpi"(%a, %a) {predicate = 10 : i64} : (i32, i32) -> i1
  return
}

// -----

func.func @predicate_name(%a: i32) {
  // expected-error@+1 {{unknown comparison predicate "lt"}}
  %0 = arith.cmpi lt, %a, %a : i32
  return
}

// -----

func.func @flag(%a: f32) {
  // expected-error@+1 {{'quick' is none of the flags of 'fastmath'}}
  %0 = arith.addf %a, %a fastmath<quick> : f32
  return
}

// -----

func.func @condition_shape(%c: vector<2xi1>, %a: vector<4xf32>) {
  // expected-error@+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = arith.select %c, %a, %a : vector<2xi1>, vector<4xf32>
  return
}

// -----

func.func @constant_type() {
  // expected-error@+1 {{have same type}}
  %0 = "arith.constant"() {value = 1 : i32} : () -> i64
  return
}

// -----

func.func @signed_constant() {
  // expected-error@+1 {{integer return type must be signless}}
  %0 = arith.constant 1 : si32
  return
}

// -----

func.func @scaling_to_wider(%a: f32, %scale: f8E8M0FNU) {
  // expected-error@+1 {{result type 'f64' must be shorter than operand type 'f32'}}
  %0 = arith.scaling_truncf %a, %scale : f32, f8E8M0FNU to f64
  return
}

// -----

func.func @scaling_of_other_shape(%a: vector<4xf16>, %scale: vector<2xf8E8M0FNU>) {
  // expected-error@+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = arith.scaling_extf %a, %scale : vector<4xf16>, vector<2xf8E8M0FNU> to vector<4xf32>
  return
}
