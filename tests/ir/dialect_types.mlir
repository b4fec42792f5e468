// Types of dialects are read and printed by their definitions (types.def); others are kept as text.
// RUN: noria opt %s --verify-diagnostics --split-input-file | FileCheck %s

// CHECK: @types(!flow.dispatch.tensor<readonly:tensor<4x?xf32>>, !flow.dispatch.tensor<readwrite:tensor<f32>>, !flow.dispatch.tensor<writeonly:i32>, !flow.channel)
func.func private @types(!flow.dispatch.tensor<readonly:4x?xf32>, !flow.dispatch.tensor< readwrite : tensor<f32> >, !flow.dispatch.tensor<writeonly:i32>, !flow.channel)
// CHECK: @nested(!onnx.seq<!onnx.optional<tensor<2x!onnx.string>>>, memref<2x!onnx.seq<tensor<f32>>>, !scf.token)
func.func private @nested(!onnx.seq<!onnx.optional<tensor<2x!onnx.string>>>, memref<2x!onnx.seq<tensor<f32>>>, !scf.token)
// CHECK: @maps(!onnx.map<i64, f32>, !onnx.seq<!onnx.map<string, !onnx.string>>)
func.func private @maps(!onnx.map<i64, f32>, !onnx.seq<!onnx.map< string , !onnx.string >>)
// CHECK: @unknown(!onnx.sequence<tensor<f32>>, !a.b, tensor<2x!a.b<c, 4>>)
func.func private @unknown(!onnx.sequence<tensor<f32>>, !a.b, tensor<2x!a.b<c, 4>>)

// -----

// expected-error@+1 {{expected 'readonly', 'writeonly' or 'readwrite'; did you mean 'readonly'?}}
func.func private @word(!flow.dispatch.tensor<readony:4xf32>)

// -----

// expected-error@+1 {{expected 'i64' or 'string'}}
func.func private @key(!onnx.map<f32, f32>)

// -----

// expected-error@+1 {{expected the type of a scalar, not tensor<4xf32>}}
func.func private @value(!onnx.map<i64, tensor<4xf32>>)

// -----

// expected-error@+1 {{expected '<'}}
func.func private @no_parameters(!onnx.seq)

// -----

// expected-error@+1 {{expected a type}}
func.func private @empty(!onnx.optional<>)

// -----

// expected-error@+1 {{expected '>'}}
func.func private @too_many(!onnx.seq<f32, f32>)

// -----

// expected-error@+1 {{invalid tensor element type '!flow.channel'}}
func.func private @element(tensor<2x!flow.channel>)

// -----

// expected-error@+1 {{invalid memref element type '!scf.token'}}
func.func private @element(memref<2x!scf.token>)

// -----

func.func @constraint(%i: index) -> index {
  // expected-error@+1 {{operand #0 must be channel, but got 'index'}}
  %r = "flow.channel.rank"(%i) : (index) -> index
  return %r : index
}
