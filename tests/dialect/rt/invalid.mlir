// What the verifier says of calls of the runtime that do not fit its functions.
// RUN: noria opt --split-input-file --verify-diagnostics %s

func.func @class(%i: index) -> i64 {
  // expected-error@+1 {{(C2) operand #0 of "seq_length" must be a sequence, got index}}
  %n = "rt.call"(%i) {name = "seq_length"} : (index) -> i64
  return %n : i64
}

// -----

func.func @optional(%o: !onnx.optional<tensor<4xf32>>) -> i64 {
  // expected-error@+1 {{(C2) operand #0 of "seq_length" must be a sequence, got !onnx.optional<tensor<4xf32>>}}
  %n = rt.call "seq_length"(%o) : (!onnx.optional<tensor<4xf32>>) -> i64
  return %n : i64
}

// -----

func.func @width(%s: !onnx.seq<tensor<4xf32>>) -> i32 {
  // expected-error@+1 {{(C2) result #0 of "seq_length" must be i64, got i32}}
  %n = rt.call "seq_length"(%s) : (!onnx.seq<tensor<4xf32>>) -> i32
  return %n : i32
}

// -----

func.func @count(%s: !onnx.seq<tensor<4xf32>>) {
  // expected-error@+1 {{(C1) "seq_append" takes (seq, tensor) and gives (seq); got 1 operands and 0 results}}
  rt.call "seq_append"(%s) : (!onnx.seq<tensor<4xf32>>) -> ()
  return
}

// -----

func.func @elements(%s: !onnx.seq<tensor<4xf32>>, %m: memref<4xf64>) {
  // expected-error@+1 {{(C2) operand #1 of "seq_append" must have elements of type f32, got f64}}
  %t = rt.call "seq_append"(%s, %m) : (!onnx.seq<tensor<4xf32>>, memref<4xf64>) -> !onnx.seq<tensor<4xf32>>
  return
}

// -----

func.func @strings(%site: i32, %a: tensor<4xf32>) {
  // expected-error@+1 {{(C2) operand #1 of "string_concat" must be a tensor of strings, got tensor<4xf32>}}
  %t = rt.call "string_concat"(%site, %a, %a) : (i32, tensor<4xf32>, tensor<4xf32>) -> tensor<4x!onnx.string>
  return
}

// -----

func.func @sizes(%site: i32, %dtype: i32, %a: tensor<4xf32>, %axis: i64, %sizes: tensor<1x1xi64>) {
  // expected-error@+1 {{(C2) operand #4 of "seq_split_sizes" must be a tensor of i64 of rank 1, got tensor<1x1xi64>}}
  %t = rt.call "seq_split_sizes"(%site, %dtype, %a, %axis, %sizes) : (i32, i32, tensor<4xf32>, i64, tensor<1x1xi64>) -> !onnx.seq<tensor<?xf32>>
  return
}

// -----

func.func @kinds(%s: !onnx.seq<tensor<4xf32>>) {
  // expected-error@+1 {{(C2) result #0 of "value_retain" must be a handle of the operand's kind, got !onnx.optional<tensor<4xf32>>}}
  %t = rt.call "value_retain"(%s) : (!onnx.seq<tensor<4xf32>>) -> !onnx.optional<tensor<4xf32>>
  return
}

// -----

func.func @nothing() {
  // expected-error@+1 {{(C3) names a node, but "of_the_host" has no check site as first operand}}
  rt.call "of_the_host"() {node = "n"} : () -> ()
  return
}

// -----

func.func @site(%s: !onnx.seq<tensor<4xf32>>) {
  // expected-error@+1 {{(C3) names a node, but "seq_length" has no check site as first operand}}
  %n = rt.call "seq_length"(%s) {node = "n"} : (!onnx.seq<tensor<4xf32>>) -> i64
  return
}

// -----

func.func @more(%dtype: i32, %a: tensor<4xf32>) {
  %n = arith.constant 2 : i64
  // expected-error@+1 {{(C4) the count of "seq_construct" is 2, but 1 operands follow it}}
  %s = rt.call "seq_construct"(%dtype, %n, %a) : (i32, i64, tensor<4xf32>) -> !onnx.seq<tensor<4xf32>>
  return
}

// -----

func.func @rank_0(%a: tensor<f32>, %n: index) {
  // expected-error@+1 {{(C5) "tensor_grow" changes dim 0 alone, and leaves it open; got tensor<f32> from tensor<f32>}}
  %s = rt.call "tensor_grow"(%a, %n) : (tensor<f32>, index) -> tensor<f32>
  return
}

// -----

func.func @other_rows(%a: tensor<?x4xf32>, %n: index) {
  // expected-error@+1 {{(C5) "tensor_grow" changes dim 0 alone, and leaves it open; got tensor<?x5xf32> from tensor<?x4xf32>}}
  %s = rt.call "tensor_grow"(%a, %n) : (tensor<?x4xf32>, index) -> tensor<?x5xf32>
  return
}

// -----

func.func @no_function(%x: f32) -> f32 {
  // expected-error@+1 {{(C1) calls 'sinus', which is no function of math.h that is known}}
  %y = rt.libm "sinus"(%x) : f32
  return %y : f32
}

// -----

func.func @operands_of_function(%x: f64) -> f64 {
  // expected-error@+1 {{(C2) calls 'atan2', which takes 2 operands, with 1}}
  %y = rt.libm "atan2"(%x) : f64
  return %y : f64
}

// -----

func.func @type_of_function(%x: f64) -> f64 {
  // expected-error@+1 {{(C3) calls 'sinf' for type f64}}
  %y = rt.libm "sinf"(%x) : f64
  return %y : f64
}

// -----

func.func @pointer_of_size(%m: memref<4x4xf32>) {
  // expected-error@+1 {{(C1) gives a memref of one dim, of open size, without layout; got memref<16xf32>}}
  %p = rt.pointer %m : memref<4x4xf32> -> memref<16xf32>
  return
}

// -----

func.func @copy_of_whole(%m: memref<4xf32>, %p: memref<?xf32>, %i: index) {
  // expected-error@+1 {{(C1) copies between pointers to elements of one type; got memref<4xf32> and memref<?xf32>}}
  rt.copy %m[%i], %p[%i], %i : memref<4xf32>, memref<?xf32>
  return
}

// -----

func.func @given(%m: memref<4xf32>, %i: i32) {
  // expected-error@+1 {{(C6) "@f" is given 2 results of 2, with 2 operands and 0 results}}
  rt.call "@f"(%m, %i) {given = array<i64: 1, 1>} : (memref<4xf32>, i32) -> ()
  // expected-error@+1 {{(C6) "@f" is given 1 results of 2, with 1 operands and 0 results}}
  rt.call "@f"(%m) {given = array<i64: 0, 1>} : (memref<4xf32>) -> ()
  // expected-error@+1 {{(C6) "@f" is given 2 results of 2, with 1 operands and 0 results}}
  rt.call "@f"(%m) {given = array<i64: 1, 1>} : (memref<4xf32>) -> ()
  // expected-error@+1 {{(C6) "f" is given 1 results of 1, with 1 operands and 0 results}}
  rt.call "f"(%m) {given = array<i64: 1>} : (memref<4xf32>) -> ()
  return
}

// -----

func.func @dot_of_wide_sums(%acc: vector<4xi64>, %a: vector<16xi8>) {
  // expected-error@+1 {{(C1) adds to a vector of i32 of one dim}}
  %r = rt.dot %acc, %a, %a : vector<4xi64>, vector<16xi8>
  return
}

// -----

func.func @dot_of_few_bytes(%acc: vector<4xi32>, %a: vector<15xi8>) {
  // expected-error@+1 {{(C2) multiplies four i8 for each lane}}
  %r = rt.dot %acc, %a, %a : vector<4xi32>, vector<15xi8>
  return
}
