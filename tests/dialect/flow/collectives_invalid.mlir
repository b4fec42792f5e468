// What the verifier and the parser say of wrong channels and collectives; a rule that invalid.mlir has is not here.
// RUN: noria opt --split-input-file --verify-diagnostics %s

func.func @dims(%t: tensor<?xf32>, %n: index, %c: !flow.channel) {
  // expected-error@+1 {{'flow.collective.all_reduce' op (C1) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %0 = "flow.collective.all_reduce"(%t, %t, %c) <{element_type = 9 : i32, reduction_op = 1 : i32}> : (tensor<?xf32>, tensor<?xf32>, !flow.channel) -> tensor<?xf32>
  // expected-error@+1 {{'flow.collective.all_gather' op (C1) value set has 1 dynamic dimensions but 2 dimension values are attached}}
  %1 = "flow.collective.all_gather"(%t, %n, %n, %t, %c) <{element_type = 9 : i32}> : (tensor<?xf32>, index, index, tensor<?xf32>, !flow.channel) -> tensor<?xf32>
  return
}

// -----

func.func @element(%i: tensor<8xi32>, %u: tensor<8xui32>, %s: tensor<8xsi32>, %b: tensor<8xi1>, %f: tensor<8xf16>, %x: tensor<8xindex>, %c: !flow.channel) {
  // expected-error@+1 {{'flow.collective.all_gather' op (C2) element_type does not fit tensors of tensor<8xui32> and tensor<8xui32>}}
  %0 = flow.collective.all_gather si32, %u, %u, %c : (tensor<8xui32>, tensor<8xui32>, !flow.channel) -> %u as tensor<8xui32>
  // expected-error@+1 {{'flow.collective.all_to_all' op (C2) element_type does not fit}}
  %1 = flow.collective.all_to_all ui32, %s, %s, %c : (tensor<8xsi32>, tensor<8xsi32>, !flow.channel) -> %s as tensor<8xsi32>
  // expected-error@+1 {{'flow.collective.all_reduce' op (C2) element_type does not fit}}
  %2 = flow.collective.all_reduce sum, si64, %i, %i, %c : (tensor<8xi32>, tensor<8xi32>, !flow.channel) -> %i as tensor<8xi32>
  // expected-error@+1 {{'flow.collective.reduce_scatter' op (C2) element_type does not fit}}
  %3 = flow.collective.reduce_scatter sum, bf16, %f, %f, %c : (tensor<8xf16>, tensor<8xf16>, !flow.channel) -> %f as tensor<8xf16>
  // expected-error@+1 {{'flow.collective.all_reduce' op (C2) element_type does not fit}}
  %4 = flow.collective.all_reduce maximum, ui8, %b, %b, %c : (tensor<8xi1>, tensor<8xi1>, !flow.channel) -> %b as tensor<8xi1>
  // expected-error@+1 {{'flow.collective.all_gather' op (C2) element_type does not fit}}
  %5 = flow.collective.all_gather si64, %x, %x, %c : (tensor<8xindex>, tensor<8xindex>, !flow.channel) -> %x as tensor<8xindex>
  // expected-error@+1 {{'flow.collective.all_gather' op (C2) element_type does not fit}}
  %6 = "flow.collective.all_gather"(%i, %i, %c) <{element_type = 12 : i32}> : (tensor<8xi32>, tensor<8xi32>, !flow.channel) -> tensor<8xi32>
  return
}

// -----

func.func @rows(%t: tensor<8xf32>, %s: tensor<6xf32>, %z: tensor<f32>, %none: tensor<0xf32>, %a: tensor<8x2xf32>, %b: tensor<8x3xf32>, %c: !flow.channel) {
  // expected-error@+1 {{'flow.collective.all_to_all' op (C3) dim 0 of source is 6 but that of target 8}}
  %0 = flow.collective.all_to_all f32, %t, %s, %c : (tensor<8xf32>, tensor<6xf32>, !flow.channel) -> %t as tensor<8xf32>
  // expected-error@+1 {{'flow.collective.all_to_all' op (C3) dims of source and target differ beyond the first}}
  %1 = flow.collective.all_to_all f32, %a, %b, %c : (tensor<8x2xf32>, tensor<8x3xf32>, !flow.channel) -> %a as tensor<8x2xf32>
  // expected-error@+1 {{'flow.collective.all_gather' op (C3) expected tensors with a first dim}}
  %2 = flow.collective.all_gather f32, %t, %z, %c : (tensor<8xf32>, tensor<f32>, !flow.channel) -> %t as tensor<8xf32>
  // expected-error@+1 {{'flow.collective.reduce_scatter' op (C3) dims of source and target differ beyond the first}}
  %3 = flow.collective.reduce_scatter sum, f32, %a, %t, %c : (tensor<8x2xf32>, tensor<8xf32>, !flow.channel) -> %a as tensor<8x2xf32>
  // expected-error@+1 {{'flow.collective.reduce_scatter' op (C4) dim 0 of the whole (8) is not a multiple of that of a part (6)}}
  %4 = flow.collective.reduce_scatter sum, f32, %s, %t, %c : (tensor<6xf32>, tensor<8xf32>, !flow.channel) -> %s as tensor<6xf32>
  // expected-error@+1 {{'flow.collective.all_gather' op (C4) dim 0 of the whole (8) is not a multiple of that of a part (0)}}
  %5 = flow.collective.all_gather f32, %t, %none, %c : (tensor<8xf32>, tensor<0xf32>, !flow.channel) -> %t as tensor<8xf32>
  return
}

// -----

func.func @same_type(%t: tensor<8xf32>, %s: tensor<?xf32>, %i: index, %c: !flow.channel) {
  // expected-error@+1 {{'flow.collective.all_reduce' op failed to verify that all of {target, source, result} have same type: 'tensor<8xf32>' and 'tensor<?xf32>'}}
  %0 = "flow.collective.all_reduce"(%t, %s, %c) <{element_type = 9 : i32, reduction_op = 1 : i32}> : (tensor<8xf32>, tensor<?xf32>, !flow.channel) -> tensor<8xf32>
  return
}

// -----

func.func @reduction(%t: tensor<8xf32>, %u: tensor<8xui8>, %c: !flow.channel) {
  // expected-error@+1 {{'flow.collective.reduce_scatter' op (C5) expected a reduction_op that combines}}
  %0 = flow.collective.reduce_scatter none, f32, %t, %t, %c : (tensor<8xf32>, tensor<8xf32>, !flow.channel) -> %t as tensor<8xf32>
  // expected-error@+1 {{'flow.collective.reduce_scatter' op (C5) average is for floating-point elements only}}
  %1 = flow.collective.reduce_scatter average, ui8, %u, %u, %c : (tensor<8xui8>, tensor<8xui8>, !flow.channel) -> %u as tensor<8xui8>
  // expected-error@+1 {{'flow.collective.all_reduce' op (C5) expected a reduction_op that combines}}
  %2 = "flow.collective.all_reduce"(%t, %t, %c) <{element_type = 9 : i32, reduction_op = 6 : i32}> : (tensor<8xf32>, tensor<8xf32>, !flow.channel) -> tensor<8xf32>
  return
}

// -----

func.func @partners(%t: tensor<8xf32>, %c: !flow.channel) {
  %zero = arith.constant 0 : index
  %far = arith.constant 4294967296 : index
  // expected-error@+1 {{'flow.collective.send_recv' op (C6) recv must be a rank or -1, got 4294967296}}
  %0 = flow.collective.send_recv f32, %t, %t, %c, %zero, %far : (tensor<8xf32>, tensor<8xf32>, !flow.channel, index, index) -> %t as tensor<8xf32>
  %color = arith.constant -2 : index
  // expected-error@+1 {{'flow.channel.split' op (C2) color must be -1 or more, got -2}}
  %s = flow.channel.split %c, %color, %zero : !flow.channel -> !flow.channel
  return
}

// -----

func.func @parallel(%t: tensor<8xf32>, %c: !flow.channel, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.parallel (%i) = (%zero) to (%n) step (%one) {
    // expected-error@+1 {{'flow.collective.all_reduce' op (C7) is in 'scf.parallel', which runs its body in no fixed order, so that participants may not meet}}
    %0 = flow.collective.all_reduce sum, f32, %t, %t, %c : (tensor<8xf32>, tensor<8xf32>, !flow.channel) -> %t as tensor<8xf32>
    // expected-error@+1 {{'flow.channel.split' op (C1) is in 'scf.parallel', which runs its body in no fixed order}}
    %s = flow.channel.split %c, %zero, %zero : !flow.channel -> !flow.channel
    %r = flow.channel.rank %c : index
    scf.reduce
  }
  scf.forall (%i) in (%n) {
    %true = arith.constant true
    scf.if %true {
      // expected-error@+1 {{'flow.collective.all_gather' op (C7) is in 'scf.forall'}}
      %0 = flow.collective.all_gather f32, %t, %t, %c : (tensor<8xf32>, tensor<8xf32>, !flow.channel) -> %t as tensor<8xf32>
    }
  }
  affine.parallel (%i) = (0) to (4) {
    // expected-error@+1 {{'flow.collective.all_to_all' op (C7) is in 'affine.parallel'}}
    %0 = flow.collective.all_to_all f32, %t, %t, %c : (tensor<8xf32>, tensor<8xf32>, !flow.channel) -> %t as tensor<8xf32>
  }
  %g = flow.dispatch.region -> (tensor<8xf32>) {
    // expected-error@+1 {{'flow.collective.reduce_scatter' op (C7) is in 'flow.dispatch.region'}}
    %0 = flow.collective.reduce_scatter sum, f32, %t, %t, %c : (tensor<8xf32>, tensor<8xf32>, !flow.channel) -> %t as tensor<8xf32>
    flow.return %0 : tensor<8xf32>
  }
  return
}

// -----

func.func @words(%t: tensor<8xf32>, %c: !flow.channel) {
  // expected-error@+1 {{'mean' is not a valid reduction_op}}
  %0 = flow.collective.all_reduce mean, f32, %t, %t, %c : (tensor<8xf32>, tensor<8xf32>, !flow.channel) -> %t as tensor<8xf32>
  return
}

// -----

func.func @words(%t: tensor<8xf32>, %c: !flow.channel) {
  // expected-error@+1 {{'i32' is not a valid element_type}}
  %0 = flow.collective.all_gather i32, %t, %t, %c : (tensor<8xf32>, tensor<8xf32>, !flow.channel) -> %t as tensor<8xf32>
  return
}

// -----

func.func @operands(%t: tensor<8xf32>, %c: !flow.channel) {
  // expected-error@+1 {{expected 3 operands, got 2}}
  %0 = flow.collective.all_gather f32, %t, %c : (tensor<8xf32>, !flow.channel) -> %t as tensor<8xf32>
  return
}

// -----

func.func @channel(%t: tensor<8xf32>, %i: index) {
  // expected-error@+1 {{operand #2 must be channel, but got 'index'}}
  %0 = flow.collective.all_gather f32, %t, %t, %i : (tensor<8xf32>, tensor<8xf32>, index) -> %t as tensor<8xf32>
  return
}
