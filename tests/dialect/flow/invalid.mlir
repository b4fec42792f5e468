// What the verifier and the parser say of wrong flow ops.
// RUN: noria opt --split-input-file --verify-diagnostics %s

func.func @region(%t: tensor<?xf32>, %i: index) {
  // expected-error@+1 {{'flow.dispatch.region' op (C2) number of results (1) does not match number of returned values (0)}}
  %0 = flow.dispatch.region -> (tensor<?xf32>{%i}) {
    flow.return
  }
  // expected-error@+1 {{'flow.dispatch.region' op (C2) operand #0 of flow.return is tensor<?xf32> but the result is tensor<4xf32>}}
  %1 = flow.dispatch.region -> (tensor<4xf32>) {
    flow.return %t : tensor<?xf32>
  }
  // expected-error@+1 {{'flow.dispatch.region' op (C3) only ranked tensor results are allowed}}
  %2 = flow.dispatch.region -> (index) {
    flow.return %i : index
  }
  // expected-error@+1 {{'flow.dispatch.region' op (C4) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %3 = "flow.dispatch.region"() <{operandSegmentSizes = array<i32: 0, 0>}> ({
    flow.return %t : tensor<?xf32>
  }, {
  }) : () -> tensor<?xf32>
  // expected-error@+1 {{'flow.dispatch.region' op (C5) workload operands (1) and workgroup count arguments (0) mismatch}}
  flow.dispatch.region[%i] -> () {
    flow.return
  } count() -> (index, index, index) {
    %c = arith.constant 1 : index
    flow.return %c, %c, %c : index, index, index
  }
  return
}

// -----

func.func @dims(%v: f32, %i: index) {
  // expected-error@+1 {{tensor<?x?xf32> has 2 dynamic dimensions but 1 dimension values follow}}
  %0 = flow.tensor.splat %v : tensor<?x?xf32>{%i}
  return
}

// -----

func.func @count(%i: index) {
  flow.dispatch.region[%i] -> () {
    flow.return
  // expected-error@+1 {{workgroup count region must return the XYZ dimension counts}}
  } count(%x: index) -> (index, index) {
    flow.return %x, %x : index, index
  }
  return
}

// -----

func.func @tied(%t: tensor<4xf32>, %u: tensor<4xf32>) {
  // expected-error@+1 {{tied operand not found for result reference}}
  %0 = flow.dispatch.workgroups(%t) : (tensor<4xf32>) -> %u =
      (%a: !flow.dispatch.tensor<readwrite:tensor<4xf32>>) {
    flow.return
  }
  return
}

// -----

func.func @workgroups(%t: tensor<4xf32>, %x: tensor<4xindex>) {
  // expected-error@+1 {{'flow.dispatch.workgroups' op (C2) index types must not cross the dispatch boundary}}
  %0 = flow.dispatch.workgroups(%x) : (tensor<4xindex>) -> tensor<4xf32> =
      (%a: !flow.dispatch.tensor<readonly:tensor<4xindex>>, %b: !flow.dispatch.tensor<writeonly:tensor<4xf32>>) {
    flow.return
  }
  // expected-error@+1 {{'flow.dispatch.workgroups' op (C3) result #0 is tied to an argument that does not exist}}
  %1 = "flow.dispatch.workgroups"(%t) <{operandSegmentSizes = array<i32: 0, 1, 0, 0>, tied_operands = [1 : index]}> ({
  ^bb0(%a: !flow.dispatch.tensor<readwrite:tensor<4xf32>>):
    flow.return
  }, {
  }) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{'flow.dispatch.workgroups' op (C3) result #0 of type tensor<3xi32> cannot be the bytes of its argument of type tensor<4xf32>}}
  %t3 = flow.dispatch.workgroups(%t) : (tensor<4xf32>) -> %t as tensor<3xi32> =
      (%a: !flow.dispatch.tensor<readwrite:tensor<4xf32>>) {
    flow.return
  }
  // expected-error@+1 {{'flow.dispatch.workgroups' op (C3) result #0 of type tensor<128xi1> cannot be the bytes of its argument of type tensor<4xf32>}}
  %t4 = flow.dispatch.workgroups(%t) : (tensor<4xf32>) -> %t as tensor<128xi1> =
      (%a: !flow.dispatch.tensor<readwrite:tensor<4xf32>>) {
    flow.return
  }
  // expected-error@+1 {{'flow.dispatch.workgroups' op (C3) result #0 of type tensor<2x3xf32> cannot be the bytes of its argument of type tensor<4xf32>}}
  %t5 = flow.dispatch.workgroups(%t) : (tensor<4xf32>) -> %t as tensor<2x3xf32> =
      (%a: !flow.dispatch.tensor<readwrite:tensor<4xf32>>) {
    flow.return
  }
  // expected-error@+1 {{'flow.dispatch.workgroups' op (C3) results #0 and #1 are tied to the same argument}}
  %t6:2 = flow.dispatch.workgroups(%t) : (tensor<4xf32>) -> (%t, %t) =
      (%a: !flow.dispatch.tensor<readwrite:tensor<4xf32>>) {
    flow.return
  }
  // expected-error@+1 {{'flow.dispatch.workgroups' op (C4) expected 2 block arguments, for 1 arguments and 1 results that are not tied}}
  %2 = flow.dispatch.workgroups(%t) : (tensor<4xf32>) -> tensor<4xf32> =
      (%a: !flow.dispatch.tensor<readonly:tensor<4xf32>>) {
    flow.return
  }
  // expected-error@+1 {{'flow.dispatch.workgroups' op (C4) block argument #0 must be readonly, got writeonly}}
  %3 = flow.dispatch.workgroups(%t) : (tensor<4xf32>) -> tensor<4xf32> =
      (%a: !flow.dispatch.tensor<writeonly:tensor<4xf32>>, %b: !flow.dispatch.tensor<writeonly:tensor<4xf32>>) {
    flow.return
  }
  // expected-error@+1 {{'flow.dispatch.workgroups' op (C4) block argument #1 must hold tensor<4xf32>, got !flow.dispatch.tensor<writeonly:tensor<5xf32>>}}
  %4 = flow.dispatch.workgroups(%t) : (tensor<4xf32>) -> tensor<4xf32> =
      (%a: !flow.dispatch.tensor<readonly:tensor<4xf32>>, %b: !flow.dispatch.tensor<writeonly:tensor<5xf32>>) {
    flow.return
  }
  // expected-error@+1 {{'flow.dispatch.workgroups' op (C4) block argument #0 must be !flow.dispatch.tensor of tensor<4xf32>, got tensor<4xf32>}}
  %5 = flow.dispatch.workgroups(%t) : (tensor<4xf32>) -> tensor<4xf32> =
      (%a: tensor<4xf32>, %b: !flow.dispatch.tensor<writeonly:tensor<4xf32>>) {
    flow.return
  }
  // expected-error@+1 {{'flow.dispatch.workgroups' op (C6) expected the body to return no values}}
  flow.dispatch.workgroups() : () -> () =
      () {
    %c = arith.constant 1 : index
    flow.return %c : index
  }
  return
}

// -----

func.func @in_a_body() {
  flow.dispatch.region -> () {
    // expected-error@+1 {{'flow.dispatch.workgroup.id' op (C1) dimension 3 out of bounds of dispatch dimensions; expected [0, 3)}}
    %0 = flow.dispatch.workgroup.id[3] : index
    // expected-error@+1 {{'flow.dispatch.workgroup_count_from_slice' op (C1) expected to be in a workgroup count region}}
    %1:3 = flow.dispatch.workgroup_count_from_slice %0
    // expected-error@+1 {{'flow.dispatch.workload.ordinal' op (C1) ordinal must not be negative}}
    %2 = flow.dispatch.workload.ordinal %0, -1 : index
    flow.return
  }
  return
}

// -----

func.func @ordinal(%i: index) {
  flow.dispatch.workgroups[%i](%i) : (index) -> () =
      (%a: index) {
    // expected-error@+1 {{'flow.dispatch.workload.ordinal' op (C1) ordinal 1 is not less than the number of workload values, 1}}
    %0 = flow.dispatch.workload.ordinal %a, 1 : index
    flow.return
  }
  return
}

// -----

func.func @load_store(%a: !flow.dispatch.tensor<readonly:tensor<4x4xf32>>, %b: !flow.dispatch.tensor<writeonly:tensor<4x4xf32>>, %d: !flow.dispatch.tensor<readwrite:tensor<?xf32>>, %t: tensor<2x2xf32>, %i: index) {
  // expected-error@+1 {{'flow.dispatch.tie_shape' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %0 = "flow.dispatch.tie_shape"(%d) : (!flow.dispatch.tensor<readwrite:tensor<?xf32>>) -> !flow.dispatch.tensor<readwrite:tensor<?xf32>>
  // expected-error@+1 {{'flow.dispatch.tensor.load' op (C2) source is writeonly}}
  %1 = flow.dispatch.tensor.load %b, offsets = [0, 0], sizes = [4, 4], strides = [1, 1] : !flow.dispatch.tensor<writeonly:tensor<4x4xf32>> -> tensor<4x4xf32>
  // expected-error@+1 {{'flow.dispatch.tensor.load' op expected 2 offset values, got 1}}
  %2 = flow.dispatch.tensor.load %a, offsets = [0], sizes = [4, 4], strides = [1, 1] : !flow.dispatch.tensor<readonly:tensor<4x4xf32>> -> tensor<4x4xf32>
  // expected-error@+1 {{'flow.dispatch.tensor.load' op (C4) expected type to be tensor<4x4xf32> or a rank-reduced version. (size mismatch)}}
  %3 = flow.dispatch.tensor.load %a, offsets = [0, 0], sizes = [4, 4], strides = [1, 1] : !flow.dispatch.tensor<readonly:tensor<4x4xf32>> -> tensor<4x3xf32>
  // expected-error@+1 {{'flow.dispatch.tensor.load' op (C5) slice along dimension 1 runs out-of-bounds: 4 >= 4}}
  %4 = flow.dispatch.tensor.load %a, offsets = [0, 1], sizes = [4, 4], strides = [1, 1] : !flow.dispatch.tensor<readonly:tensor<4x4xf32>> -> tensor<4x4xf32>
  // expected-error@+1 {{'flow.dispatch.tensor.store' op (C2) target is readonly}}
  flow.dispatch.tensor.store %t, %a, offsets = [0, 0], sizes = [2, 2], strides = [1, 1] : tensor<2x2xf32> -> !flow.dispatch.tensor<readonly:tensor<4x4xf32>>
  // expected-error@+1 {{'flow.dispatch.tensor.store' op (C4) expected type to be tensor<2x4xf32> or a rank-reduced version. (size mismatch)}}
  flow.dispatch.tensor.store %t, %b, offsets = [0, 0], sizes = [2, 4], strides = [1, 1] : tensor<2x2xf32> -> !flow.dispatch.tensor<writeonly:tensor<4x4xf32>>
  return
}

// -----

// expected-error@+1 {{expected 'readonly', 'writeonly' or 'readwrite'}}
func.func @access(%a: !flow.dispatch.tensor<sometimes:tensor<4xf32>>) {
  return
}

// -----

// expected-error@+1 {{'flow.executable' op (C1) must have at most one inner module}}
flow.executable @two {
  builtin.module {
  }
  builtin.module {
  }
}
flow.executable @wrong {
  // expected-error@+1 {{'flow.executable.export' op (C2) function_ref must be a symbol}}
  "flow.executable.export"() <{sym_name = "f", function_ref = 1 : i32}> ({}) : () -> ()
}

// -----

flow.executable @ex {
  flow.executable.export @f workgroups(%w: index) -> (index, index, index) {
    flow.return %w, %w, %w : index, index, index
  }
  builtin.module {
    func.func @f(%a: !flow.dispatch.tensor<readonly:tensor<4xf32>>, %b: !flow.dispatch.tensor<writeonly:tensor<4xf32>>) {
      return
    }
  }
}
func.func @dispatch(%t: tensor<4xf32>, %u: tensor<5xf32>, %i: index) {
  // expected-error@+1 {{'flow.dispatch' op (C1) at least one entry point must be specified}}
  "flow.dispatch"() <{entry_points = [], operandSegmentSizes = array<i32: 0, 0, 0, 0>}> : () -> ()
  // expected-error@+1 {{'flow.dispatch' op (C4) workload mismatch; entry point expects 1 arguments but dispatch provides 0}}
  %1 = flow.dispatch @ex::@f(%t) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

flow.func private @host(%a: tensor<4xf32>) -> tensor<4xf32>
func.func private @other(tensor<4xf32>)
func.func @call(%t: tensor<4xf32>) {
  // expected-error@+1 {{'flow.call' op (C3) callee must be a flow.func}}
  flow.call @other(%t) : (tensor<4xf32>) -> ()
  // expected-error@+1 {{'flow.call' op (C3) function type mismatch; callee is (tensor<4xf32>) -> tensor<4xf32>}}
  flow.call @host(%t) : (tensor<4xf32>) -> ()
  // expected-error@+1 {{'flow.call' op (C2) must have 1 tied operand entries, one per result, got 2}}
  %0 = flow.call @host(%t) {tied_operands = [-1 : index, -1 : index]} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{'flow.call' op (C2) result #0 is tied to an argument that does not exist}}
  %1 = flow.call @host(%t) {tied_operands = [1 : index]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

flow.func private @scalar(%a: i32) -> i32
flow.func private @two(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
flow.func private @smaller(%a: tensor<4xf32>) -> tensor<2xf32>
flow.func private @open(%a: tensor<?xf32>) -> tensor<?xf32>
func.func @ties(%t: tensor<4xf32>, %u: tensor<?xf32>, %i: i32, %n: index) {
  // expected-error@+1 {{'flow.call' op (C2) result #0 is tied to an argument that is no tensor}}
  %0 = flow.call @scalar(%i) : (i32) -> %i
  // expected-error@+1 {{'flow.call' op (C2) results #0 and #1 are tied to the same argument}}
  %1:2 = flow.call @two(%t) : (tensor<4xf32>) -> (%t, %t)
  // expected-error@+1 {{'flow.call' op (C2) result #0 of type tensor<2xf32> cannot be the bytes of its argument of type tensor<4xf32>}}
  %2 = flow.call @smaller(%t) : (tensor<4xf32>) -> %t as tensor<2xf32>
  // expected-error@+1 {{'flow.call' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %3 = "flow.call"(%u, %n) {callee = @open, operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<?xf32>, index) -> tensor<?xf32>
  // expected-error@+1 {{'flow.call' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %4 = "flow.call"(%u, %n) {callee = @open, operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<?xf32>, index) -> tensor<?xf32>
  return
}

// -----

func.func @undefined(%i: i32) {
  // expected-error@+1 {{'flow.call' op 'nowhere' does not reference a valid function}}
  flow.call @nowhere(%i) : (i32) -> ()
  return
}

// -----

// expected-error@+1 {{(C2) result #0 is tied to an argument that does not exist}}
"flow.func"() ({}) {sym_name = "f", function_type = (i32) -> i32, tied_operands = [1 : index]} : () -> ()

// -----

// expected-error@+1 {{tied operand not found for result reference}}
flow.func private @g(%a: i32) -> %b

// -----

// expected-error@+1 {{(C1) only external functions are allowed}}
flow.func @body() {
}

// -----

func.func @tensors(%t: tensor<4xf32>, %u: tensor<4x4xf32>, %i: index, %v: i32) {
  %c5 = arith.constant 5 : index
  %c2 = arith.constant 2 : index
  // expected-error@+1 {{'flow.tensor.bitcast' op (C2) source and result differ in size: 128 and 64 bits}}
  %0 = flow.tensor.bitcast %t : tensor<4xf32> -> tensor<4xf16>
  // expected-error@+1 {{'flow.tensor.reshape' op (C2) element types of source and result must be equal}}
  %1 = flow.tensor.reshape %t : tensor<4xf32> -> tensor<4xi32>
  // expected-error@+1 {{'flow.tensor.reshape' op (C3) source has 4 elements but the result 6}}
  %2 = flow.tensor.reshape %t : tensor<4xf32> -> tensor<2x3xf32>
  // expected-error@+1 {{'flow.tensor.constant' op (C2) malformed parameter}}
  %3 = flow.tensor.constant #flow.parameter.named<""> : tensor<2xf32>
  // expected-error@+1 {{'flow.tensor.dynamic_constant' op (C1) the value does not fit tensor<?x4xf32>}}
  %4 = flow.tensor.dynamic_constant dense<1.0> : tensor<2x3xf32> -> tensor<?x4xf32>
  // expected-error@+1 {{'flow.tensor.load' op (C2) expected 2 indices, got 1}}
  %5 = flow.tensor.load %u[%i] : tensor<4x4xf32>
  // expected-error@+1 {{'flow.tensor.slice' op (C3) expected 2 lengths, got 1}}
  %6 = flow.tensor.slice %u[%i, %i for %i] : tensor<4x4xf32> -> tensor<2x2xf32>
  // expected-error@+1 {{'flow.tensor.slice' op (C4) the part runs out of dim 0, of size 4}}
  %7 = flow.tensor.slice %t[%i for %c5] : tensor<4xf32> -> tensor<5xf32>
  // expected-error@+1 {{'flow.tensor.slice' op (C5) dim 0 of the result is 3 but the length 2}}
  %8 = flow.tensor.slice %t[%i for %c2] : tensor<4xf32> -> tensor<3xf32>
  // expected-error@+1 {{'flow.tensor.splat' op (C2) expected the element type f32, got i32}}
  %9 = "flow.tensor.splat"(%v) : (i32) -> tensor<4xf32>
  // expected-error@+1 {{'flow.tensor.store' op (C3) expected the element type f32, got i32}}
  %10 = "flow.tensor.store"(%v, %t, %i) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (i32, tensor<4xf32>, index) -> tensor<4xf32>
  // expected-error@+1 {{'flow.tensor.update' op (C2) target and update must be of equal rank and element type}}
  %11 = flow.tensor.update %u, %t[%i] : tensor<4x4xf32> -> %t as tensor<4xf32>
  // expected-error@+1 {{'flow.tensor.update' op (C4) the part runs out of dim 0, of size 4}}
  %12 = flow.tensor.update %t, %t[%c2] : tensor<4xf32> -> %t as tensor<4xf32>
  return
}

// -----

func.func @collectives(%t: tensor<8xf32>, %s: tensor<3xf32>, %u: tensor<4x4xf32>, %i: tensor<8xi32>, %c: !flow.channel) {
  %m2 = arith.constant -2 : index
  // expected-error@+1 {{'flow.collective.all_gather' op (C2) element_type does not fit tensors of tensor<8xf32> and tensor<8xf32>}}
  %0 = flow.collective.all_gather f16, %t, %t, %c : (tensor<8xf32>, tensor<8xf32>, !flow.channel) -> %t as tensor<8xf32>
  // expected-error@+1 {{'flow.collective.all_gather' op (C3) dims of source and target differ beyond the first}}
  %1 = flow.collective.all_gather f32, %t, %u, %c : (tensor<8xf32>, tensor<4x4xf32>, !flow.channel) -> %t as tensor<8xf32>
  // expected-error@+1 {{'flow.collective.all_gather' op (C4) dim 0 of the whole (8) is not a multiple of that of a part (3)}}
  %2 = flow.collective.all_gather f32, %t, %s, %c : (tensor<8xf32>, tensor<3xf32>, !flow.channel) -> %t as tensor<8xf32>
  // expected-error@+1 {{'flow.collective.all_reduce' op (C5) expected a reduction_op that combines}}
  %3 = flow.collective.all_reduce none, f32, %t, %t, %c : (tensor<8xf32>, tensor<8xf32>, !flow.channel) -> %t as tensor<8xf32>
  // expected-error@+1 {{'flow.collective.all_reduce' op (C5) average is for floating-point elements only}}
  %4 = flow.collective.all_reduce average, si32, %i, %i, %c : (tensor<8xi32>, tensor<8xi32>, !flow.channel) -> %i as tensor<8xi32>
  // expected-error@+1 {{'flow.collective.send_recv' op (C6) send must be a rank or -1, got -2}}
  %5 = flow.collective.send_recv f32, %t, %t, %c, %m2, %m2 : (tensor<8xf32>, tensor<8xf32>, !flow.channel, index, index) -> %t as tensor<8xf32>
  return
}

// -----

func.func @target(%t: tensor<8xf32>, %u: tensor<8xf32>, %c: !flow.channel) {
  // expected-error@+1 {{the result is tied to the target %t, not to %u}}
  %0 = flow.collective.all_gather f32, %t, %u, %c : (tensor<8xf32>, tensor<8xf32>, !flow.channel) -> %u as tensor<8xf32>
  return
}

// -----

func.func @bound_dim(%t: !flow.dispatch.tensor<readonly:tensor<?xf32>>) {
  // expected-error@+1 {{(C1) dimension 1 is not one of tensor<?xf32>}}
  %d = flow.dispatch.tensor.dim %t[1] : !flow.dispatch.tensor<readonly:tensor<?xf32>>
  return
}

// -----

// The dispatch of an export that is in no executable has nothing to say beside that.
// expected-error@+1 {{'flow.executable.export' op expects parent op 'flow.executable'}}
flow.executable.export public @f
func.func @main() {
  flow.dispatch @f() : () -> ()
  return
}
