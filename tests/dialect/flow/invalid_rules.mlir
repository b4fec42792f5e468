// A wrong program for each rule that invalid.mlir does not break.
// RUN: noria opt --split-input-file --verify-diagnostics %s

// expected-error@+1 {{a dispatch tensor is of a ranked tensor, an integer or a float, not of memref<4xf32>}}
func.func private @memref(!flow.dispatch.tensor<readonly:memref<4xf32>>)

// -----

// expected-error@+1 {{a dispatch tensor is of a ranked tensor, an integer or a float, not of tensor<*xf32>}}
func.func private @unranked(!flow.dispatch.tensor<readonly:tensor<*xf32>>)

// -----

// expected-error@+1 {{a dispatch tensor is of a ranked tensor, an integer or a float, not of index}}
func.func private @index(!flow.dispatch.tensor<readwrite:index>)

// -----

func.func private @numbers(!flow.dispatch.tensor<readonly:i32>, !flow.dispatch.tensor<writeonly:f16>)

// -----

func.func @regions(%i: index) {
  // expected-error@+1 {{'flow.dispatch.region' op expects region #0 ('body') to have 0 arguments, but found 1}}
  "flow.dispatch.region"() <{operandSegmentSizes = array<i32: 0, 0>}> ({
  ^bb0(%a: index):
    flow.return
  }, {
  }) : () -> ()
  // expected-error@+1 {{'flow.dispatch.region' op region #0 ('body') must have a block}}
  "flow.dispatch.region"() <{operandSegmentSizes = array<i32: 0, 0>}> ({
  }, {
  }) : () -> ()
  // expected-error@+1 {{'flow.dispatch.region' op (C5) workgroup count region must have one block}}
  flow.dispatch.region[%i] -> () {
    flow.return
  } count(%x: index) -> (index, index, index) {
    cf.br ^end
  ^end:
    flow.return %x, %x, %x : index, index, index
  }
  flow.dispatch.region[%i] -> () {
    flow.return
  } count(%x: index) -> (index, index, index) {
    // expected-error@+1 {{'flow.return' op (C5) workgroup count region must return the XYZ dimension counts}}
    flow.return %x, %x : index, index
  }
  return
}

// -----

func.func @workload(%i: index) {
  // expected-error@+1 {{'flow.dispatch.region' op expects argument #0 ('workload') of region #1 to be index, but got 'i32'}}
  flow.dispatch.region[%i] -> () {
    flow.return
  } count(%x: i32) -> (index, index, index) {
    %c = arith.constant 1 : index
    flow.return %c, %c, %c : index, index, index
  }
  return
}

// -----

func.func @workgroups(%t: tensor<4xf32>, %d: tensor<?xf32>, %i: index) {
  // expected-error@+1 {{'flow.dispatch.workgroups' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  "flow.dispatch.workgroups"(%d) <{operandSegmentSizes = array<i32: 0, 1, 0, 0>}> ({
  ^bb0(%a: !flow.dispatch.tensor<readonly:tensor<?xf32>>):
    flow.return
  }, {
  }) : (tensor<?xf32>) -> ()
  // expected-error@+1 {{'flow.dispatch.workgroups' op (C3) must have 1 tied operand entries, one per result, got 2}}
  %0 = "flow.dispatch.workgroups"(%t) <{operandSegmentSizes = array<i32: 0, 1, 0, 0>, tied_operands = [0 : index, -1 : index]}> ({
  ^bb0(%a: !flow.dispatch.tensor<readwrite:tensor<4xf32>>):
    flow.return
  }, {
  }) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{'flow.dispatch.workgroups' op (C3) result #0 is tied to an argument that is no tensor}}
  %1 = flow.dispatch.workgroups(%i) : (index) -> %i as tensor<4xf32> =
      (%a: index) {
    flow.return
  }
  // expected-error@+1 {{'flow.dispatch.workgroups' op (C4) block argument #0 must be index, got i32}}
  flow.dispatch.workgroups(%i) : (index) -> () =
      (%a: i32) {
    flow.return
  }
  // expected-error@+1 {{'flow.dispatch.workgroups' op (C4) block argument #1 must be writeonly, got readwrite}}
  %2 = flow.dispatch.workgroups(%t) : (tensor<4xf32>) -> tensor<4xf32> =
      (%a: !flow.dispatch.tensor<readonly:tensor<4xf32>>, %b: !flow.dispatch.tensor<readwrite:tensor<4xf32>>) {
    flow.return
  }
  // expected-error@+1 {{'flow.dispatch.workgroups' op (C5) workload operands (1) and workgroup count arguments (0) mismatch}}
  flow.dispatch.workgroups[%i]() : () -> () =
      () {
    flow.return
  } count() -> (index, index, index) {
    %c = arith.constant 1 : index
    flow.return %c, %c, %c : index, index, index
  }
  flow.dispatch.workgroups[%i, %i](%i, %i) : (index, index) -> () =
      (%a: index, %b: index) {
    %x = flow.dispatch.workload.ordinal %a, 1 : index
    // expected-error@+1 {{'flow.dispatch.workload.ordinal' op (C7) ordinal 1 is that of another value too}}
    %y = flow.dispatch.workload.ordinal %b, 1 : index
    flow.return
  }
  return
}

// -----

func.func @isolated(%t: tensor<4xf32>) {
  %0 = flow.dispatch.workgroups() : () -> tensor<4xf32> =
      (%b: !flow.dispatch.tensor<writeonly:tensor<4xf32>>) {
    // expected-error@+1 {{use of undeclared SSA value name '%t'}}
    flow.dispatch.tensor.store %t, %b, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !flow.dispatch.tensor<writeonly:tensor<4xf32>>
    flow.return
  }
  return
}

// -----

func.func @grid() {
  // expected-error@+1 {{'flow.dispatch.workgroup.count' op (C1) dimension -1 out of bounds of dispatch dimensions; expected [0, 3)}}
  %0 = flow.dispatch.workgroup.count[-1] : index
  // expected-error@+1 {{'flow.dispatch.workgroup.size' op (C1) dimension 4 out of bounds of dispatch dimensions; expected [0, 3)}}
  %1 = flow.dispatch.workgroup.size[4] : index
  // expected-error@+1 {{'flow.dispatch.workgroup_count_from_dag_root' op (C1) expected to be in a workgroup count region}}
  %2:3 = flow.dispatch.workgroup_count_from_dag_root %0
  // expected-error@+1 {{'flow.return' op expects parent op to be one of}}
  flow.return
}

// -----

func.func @bindings(%a: !flow.dispatch.tensor<readwrite:tensor<?x4xf32>>, %b: !flow.dispatch.tensor<readwrite:tensor<4x4xf32>>, %t: tensor<4x4xf32>, %s: !flow.dispatch.tensor<readwrite:f32>) {
  // expected-error@+1 {{'flow.dispatch.tensor.load' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %0 = "flow.dispatch.tensor.load"(%a) <{operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 4, 4>, static_strides = array<i64: 1, 1>}> : (!flow.dispatch.tensor<readwrite:tensor<?x4xf32>>) -> tensor<4x4xf32>
  // expected-error@+1 {{'flow.dispatch.tensor.load' op expected 2 size values, got 1}}
  %1 = flow.dispatch.tensor.load %b, offsets = [0, 0], sizes = [4], strides = [1, 1] : !flow.dispatch.tensor<readwrite:tensor<4x4xf32>> -> tensor<4x4xf32>
  // expected-error@+1 {{'flow.dispatch.tensor.load' op expected a dispatch tensor of a ranked tensor}}
  %2 = flow.dispatch.tensor.load %s, offsets = [], sizes = [], strides = [] : !flow.dispatch.tensor<readwrite:f32> -> tensor<f32>
  // expected-error@+1 {{'flow.dispatch.tensor.load' op (C4) expected type to be tensor<4x4xf32> or a rank-reduced version. (size mismatch)}}
  %3 = flow.dispatch.tensor.load %b, offsets = [0, 0], sizes = [4, 4], strides = [1, 1] : !flow.dispatch.tensor<readwrite:tensor<4x4xf32>> -> tensor<4x4xi32>
  // expected-error@+1 {{'flow.dispatch.tensor.store' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  "flow.dispatch.tensor.store"(%t, %a) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 4, 4>, static_strides = array<i64: 1, 1>}> : (tensor<4x4xf32>, !flow.dispatch.tensor<readwrite:tensor<?x4xf32>>) -> ()
  // expected-error@+1 {{'flow.dispatch.tensor.store' op expected 2 stride values, got 3}}
  flow.dispatch.tensor.store %t, %b, offsets = [0, 0], sizes = [4, 4], strides = [1, 1, 1] : tensor<4x4xf32> -> !flow.dispatch.tensor<readwrite:tensor<4x4xf32>>
  // expected-error@+1 {{'flow.dispatch.tensor.store' op (C5) slice along dimension 0 runs out-of-bounds: 6 >= 4}}
  flow.dispatch.tensor.store %t, %b, offsets = [0, 0], sizes = [4, 4], strides = [2, 1] : tensor<4x4xf32> -> !flow.dispatch.tensor<readwrite:tensor<4x4xf32>>
  return
}

// -----

// expected-error@+1 {{'flow.executable' op (C1) must hold exports and a module only}}
flow.executable @holds {
  func.func @f() {
    return
  }
}

// -----

flow.executable @names {
  // expected-note@+1 {{see existing symbol definition here}}
  flow.executable.export @f as("same")
  // expected-error@+1 {{redefinition of symbol named 'same'}}
  flow.executable.export @g as("same")
  builtin.module {
    func.func @f() {
      return
    }
    func.func @g() {
      return
    }
  }
}

// -----

flow.executable @wrong {
  // expected-error@+1 {{'flow.executable.export' op expects argument #0 ('workload') of region #0 to be index, but got 'i32'}}
  flow.executable.export @f workgroups(%w: i32) -> (index, index, index) {
    %c = arith.constant 1 : index
    flow.return %c, %c, %c : index, index, index
  }
  builtin.module {
    func.func @f() {
      return
    }
  }
}

// -----

flow.executable @ex {
  flow.executable.export @f
  builtin.module {
    func.func @f(%a: !flow.dispatch.tensor<readonly:tensor<?xf32>>) {
      return
    }
  }
}
func.func @dispatches(%t: tensor<?xf32>, %u: tensor<4xf32>, %i: index) {
  // expected-error@+1 {{'flow.dispatch' op (C2) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  "flow.dispatch"(%t) <{entry_points = [@ex::@f], operandSegmentSizes = array<i32: 0, 1, 0, 0>}> : (tensor<?xf32>) -> ()
  // expected-error@+1 {{'flow.dispatch' op (C3) result #0 is tied to an argument that does not exist}}
  %0 = "flow.dispatch"(%u) <{entry_points = [@ex::@f], operandSegmentSizes = array<i32: 0, 1, 0, 0>, tied_operands = [7 : index]}> : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{'flow.dispatch' op (C3) result #0 of type tensor<5xf32> cannot be the bytes of its argument of type tensor<4xf32>}}
  %1 = flow.dispatch @ex::@f(%u) : (tensor<4xf32>) -> %u as tensor<5xf32>
  return
}

// -----

flow.func private @host(%a: tensor<?xf32>) -> tensor<4xf32>
// expected-error@+1 {{'flow.func' op (C2) result #0 is tied to an argument that does not exist}}
"flow.func"() <{function_type = (i32) -> i32, sym_name = "tied", tied_operands = [1 : index]}> ({
}) : () -> ()
func.func @calls(%t: tensor<?xf32>) {
  // expected-error@+1 {{'flow.call' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %0 = "flow.call"(%t) <{callee = @host, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<?xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @dims(%t: tensor<?x4xf32>, %v: f32, %i: index) {
  // expected-error@+1 {{'flow.tensor.alloca' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %0 = "flow.tensor.alloca"() : () -> tensor<?x4xf32>
  // expected-error@+1 {{'flow.tensor.empty' op (C1) value set has 1 dynamic dimensions but 2 dimension values are attached}}
  %1 = "flow.tensor.empty"(%i, %i) : (index, index) -> tensor<?x4xf32>
  // expected-error@+1 {{'flow.tensor.splat' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %2 = "flow.tensor.splat"(%v) : (f32) -> tensor<?x4xf32>
  // expected-error@+1 {{'flow.tensor.clone' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %3 = "flow.tensor.clone"(%t) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'flow.tensor.tie_shape' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %4 = "flow.tensor.tie_shape"(%t) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'flow.tensor.transfer' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %5 = "flow.tensor.transfer"(%t) <{target = "x"}> : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-error@+1 {{'flow.tensor.bitcast' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %6 = "flow.tensor.bitcast"(%t, %i) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<?x4xf32>, index) -> tensor<?x4xi32>
  // expected-error@+1 {{'flow.tensor.reshape' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %7 = "flow.tensor.reshape"(%t, %i) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<?x4xf32>, index) -> tensor<4x?xf32>
  // expected-error@+1 {{'flow.tensor.load' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %8 = "flow.tensor.load"(%t, %i, %i) <{operandSegmentSizes = array<i32: 1, 0, 2>}> : (tensor<?x4xf32>, index, index) -> f32
  // expected-error@+1 {{'flow.tensor.store' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %9 = "flow.tensor.store"(%v, %t, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 0, 2>}> : (f32, tensor<?x4xf32>, index, index) -> tensor<?x4xf32>
  // expected-error@+1 {{'flow.tensor.slice' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %10 = "flow.tensor.slice"(%t, %i, %i, %i, %i) <{operandSegmentSizes = array<i32: 1, 0, 2, 2, 0>}> : (tensor<?x4xf32>, index, index, index, index) -> tensor<2x2xf32>
  // expected-error@+1 {{'flow.tensor.update' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %11 = "flow.tensor.update"(%t, %i, %i, %t, %i) <{operandSegmentSizes = array<i32: 1, 0, 2, 1, 1>}> : (tensor<?x4xf32>, index, index, tensor<?x4xf32>, index) -> tensor<?x4xf32>
  // expected-error@+1 {{'flow.tensor.trace' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  "flow.tensor.trace"(%t) <{key = "k", operandSegmentSizes = array<i32: 1, 0>}> : (tensor<?x4xf32>) -> ()
  return
}

// -----

func.func @tensors(%t: tensor<4x4xf32>, %u: tensor<2x2xf32>, %v: f32, %i: index) {
  %m1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'flow.tensor.constant' op (C1) value is i32 but the result tensor<4xf32>}}
  %0 = "flow.tensor.constant"() <{value = 3 : i32}> : () -> tensor<4xf32>
  // expected-error@+1 {{'flow.tensor.load' op (C3) expected the element type f32, got i32}}
  %1 = "flow.tensor.load"(%t, %i, %i) <{operandSegmentSizes = array<i32: 1, 0, 2>}> : (tensor<4x4xf32>, index, index) -> i32
  // expected-error@+1 {{'flow.tensor.store' op (C2) expected 2 indices, got 1}}
  %2 = flow.tensor.store %v, %t[%i] : tensor<4x4xf32>
  // expected-error@+1 {{'flow.tensor.slice' op (C2) source and result must be of equal rank and element type}}
  %3 = flow.tensor.slice %t[%i, %i for %i, %i] : tensor<4x4xf32> -> tensor<2x2xi32>
  // expected-error@+1 {{'flow.tensor.slice' op (C4) start 1 must not be negative}}
  %4 = flow.tensor.slice %t[%c0, %m1 for %i, %i] : tensor<4x4xf32> -> tensor<2x2xf32>
  // expected-error@+1 {{'flow.tensor.slice' op (C4) length 0 must not be negative}}
  %5 = flow.tensor.slice %t[%c0, %c0 for %m1, %i] : tensor<4x4xf32> -> tensor<2x2xf32>
  // expected-error@+1 {{'flow.tensor.update' op (C3) expected 2 start indices, got 1}}
  %6 = flow.tensor.update %u, %t[%i] : tensor<2x2xf32> -> %t as tensor<4x4xf32>
  // expected-error@+1 {{'flow.tensor.update' op (C4) start 0 must not be negative}}
  %7 = flow.tensor.update %u, %t[%m1, %i] : tensor<2x2xf32> -> %t as tensor<4x4xf32>
  // expected-error@+1 {{'flow.tensor.dynamic_constant' op (C1) the value does not fit tensor<?xf32>}}
  %8 = flow.tensor.dynamic_constant dense<1> : tensor<4xi32> -> tensor<?xf32>
  // expected-error@+1 {{'flow.tensor.load' op has 1 operands, which attribute 'operandSegmentSizes' does not share out to its 3 groups}}
  %9 = "flow.tensor.load"(%t) <{operandSegmentSizes = array<i32: 1, -1, 1>}> : (tensor<4x4xf32>) -> f32
  return
}

// -----

func.func @name(%t: tensor<4x4xf32>, %u: tensor<2x2xf32>, %i: index) {
  // expected-error@+1 {{the result is tied to the target %t, not to %u}}
  %0 = flow.tensor.update %u, %t[%i, %i] : tensor<2x2xf32> -> %u as tensor<4x4xf32>
  return
}
