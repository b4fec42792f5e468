// What bufferize decides at each op, and why.
// RUN: noria opt --bufferize --explain-bufferize --verify-diagnostics --split-input-file %s
// The remarks are not errors, and are not among the diagnostics that --error-limit counts.
// RUN: noria opt --bufferize --explain-bufferize --error-limit=1 --split-input-file %s 2>&1 | FileCheck --check-prefix=ALL %s
// ALL-COUNT-30: remark:
// ALL-NOT: not shown

// The only use of the old contents: the element is written in place.
func.func @insert_in_place(%x: f32, %i: index) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-remark@+1 {{'linalg.fill' op operand #1 (outputs) gets a new buffer, because it has no contents}}
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@+1 {{'tensor.insert' op operand #1 (dest) is written in place; result #0 is in its memory}}
  %u = tensor.insert %x into %f[%i] : tensor<4xf32>
  // expected-remark@+1 {{'func.return' op operand #0 (operands) is handed on in its buffer, without a copy}}
  return %u : tensor<4xf32>
}

// -----

// A read behind the write needs the old contents.
func.func @read_later(%x: f32, %i: index) -> (tensor<4xf32>, f32) {
  %e = tensor.empty() : tensor<4xf32>
  // expected-remark@+1 {{operand #1 (outputs) gets a new buffer}}
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@+1 {{'tensor.insert' op operand #1 (dest) is copied, because its buffer is used later}}
  %u = tensor.insert %x into %f[%i] : tensor<4xf32>
  // expected-note@+2 {{'tensor.extract' op uses it here}}
  // expected-remark@+1 {{'tensor.extract' op operand #0 (tensor) is read in place}}
  %v = tensor.extract %f[%i] : tensor<4xf32>
  // expected-remark@+1 {{operand #0 (operands) is handed on}}
  return %u, %v : tensor<4xf32>, f32
}

// -----

// The read stands in a loop behind the write.
func.func @read_in_loop(%x: f32, %n: index) -> (tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  // expected-remark@+1 {{operand #1 (outputs) gets a new buffer}}
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@+1 {{operand #1 (dest) is copied, because its buffer is used later}}
  %u = tensor.insert %x into %f[%c0] : tensor<4xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) {
    // expected-note@+2 {{'tensor.extract' op uses it here}}
    // expected-remark@+1 {{operand #0 (tensor) is read in place}}
    %v = tensor.extract %f[%i] : tensor<4xf32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  // expected-remark@+1 {{operand #0 (operands) is handed on}}
  return %u, %s : tensor<4xf32>, f32
}

// -----

// The caller owns an argument, and a constant must not change: each is copied once, and what a loop carries then
// changes in place.
func.func @argument_and_constant(%t: tensor<4xf32>, %x: f32, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark@+1 {{'arith.constant' op result #0 is constant memory}}
  %z = arith.constant dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  // expected-remark@+1 {{'tensor.insert' op operand #1 (dest) is copied, because the caller owns its buffer}}
  %u = tensor.insert %x into %t[%c0] : tensor<4xf32>
  // expected-remark@+1 {{'scf.for' op operand #3 (initArgs) is copied, because a constant must not change}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (tensor<4xf32>) {
    // expected-remark@+1 {{'tensor.insert' op operand #1 (dest) is written in place; result #0 is in its memory}}
    %w = tensor.insert %x into %a[%i] : tensor<4xf32>
    // expected-remark@+1 {{'scf.yield' op operand #0 (results) is handed on in its buffer, without a copy}}
    scf.yield %w : tensor<4xf32>
  }
  // expected-remark@+2 {{operand #0 (operands) is handed on}}
  // expected-remark@+1 {{operand #1 (operands) is handed on}}
  return %u, %r : tensor<4xf32>, tensor<4xf32>
}

// -----

// A loop that writes what is defined around it needs the old contents again in the next trip.
func.func @outer_value(%x: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  // expected-remark@+1 {{operand #1 (outputs) gets a new buffer}}
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) {
    // expected-remark@+1 {{operand #1 (dest) is copied, because its buffer belongs to the block around}}
    %w = tensor.insert %a into %f[%i] : tensor<4xf32>
    // expected-remark@+1 {{operand #0 (tensor) is read in place}}
    %v = tensor.extract %w[%c0] : tensor<4xf32>
    scf.yield %v : f32
  }
  return %s : f32
}

// -----

// The branches of scf.if own what ends in them: one writes in place, the other hands the buffer on.
func.func @branches(%c: i1, %x: f32, %i: index) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-remark@+1 {{operand #1 (outputs) gets a new buffer}}
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = scf.if %c -> (tensor<4xf32>) {
    // expected-remark@+1 {{operand #1 (dest) is written in place}}
    %w = tensor.insert %x into %f[%i] : tensor<4xf32>
    // expected-remark@+1 {{operand #0 (results) is handed on}}
    scf.yield %w : tensor<4xf32>
  } else {
    // expected-remark@+1 {{operand #0 (results) is handed on}}
    scf.yield %f : tensor<4xf32>
  }
  // expected-remark@+1 {{operand #0 (operands) is handed on}}
  return %r : tensor<4xf32>
}

// -----

// An element-wise op overwrites an input that ends with it; a transposing one must not.
#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
func.func @outputs(%z: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-remark@+2 {{operand #0 (inputs) is read in place}}
  // expected-remark@+1 {{operand #1 (outputs) gets a new buffer}}
  %f = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%z : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.negf %in : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  // expected-remark@+2 {{operand #0 (inputs) is read in place}}
  // expected-remark@+1 {{operand #1 (outputs) is not written, because it has no contents; the result overwrites an input that ends here}}
  %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.mulf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  // expected-remark@+2 {{operand #0 (inputs) is read in place}}
  // expected-remark@+1 {{operand #1 (outputs) is copied, because another operand is in its buffer}}
  %h = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<4x4xf32>) outs(%g : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  // expected-remark@+1 {{operand #0 (operands) is handed on}}
  return %h : tensor<4x4xf32>
}

// -----

// A row is computed where it is inserted; a view is not copied, and what it shows is.
func.func @parts(%rows: tensor<8x4xf32>, %i: index, %x: f32) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  // expected-remark@+1 {{operand #1 (outputs) gets a new buffer}}
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %o = tensor.empty() : tensor<4xf32>
  // expected-remark@+1 {{operand #1 (outputs) is not written, because it has no contents; the result goes to where it is inserted later}}
  %row = linalg.fill ins(%x : f32) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@+2 {{operand #0 (source) is in the part that the op writes; nothing is copied}}
  // expected-remark@+1 {{operand #1 (dest) is written in place; result #0 is in its memory}}
  %a = tensor.insert_slice %row into %f[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<8x4xf32>
  // expected-remark@+1 {{operand #0 (source) stays in place; the result is a view of it}}
  %s = tensor.extract_slice %rows[0, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
  // expected-remark@+2 {{operand #0 (source) is copied to the part that the op writes}}
  // expected-remark@+1 {{operand #1 (dest) is written in place}}
  %b = tensor.insert_slice %s into %a[0, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<8x4xf32>
  // expected-remark@+1 {{operand #0 (operands) is handed on}}
  return %b : tensor<8x4xf32>
}

// -----

// The iterations of scf.forall write one buffer.
func.func @forall(%t: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark@+1 {{'scf.forall' op operand #0 (outputs) is copied, because the caller owns its buffer}}
  %r = scf.forall (%i) in (8) shared_outs(%o = %t) -> (tensor<8xf32>) {
    // expected-remark@+1 {{operand #0 (source) stays in place}}
    %p = tensor.extract_slice %o[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1.0 : f32
    // expected-remark@+1 {{operand #1 (dest) is copied, because the iterations of the loop share its buffer}}
    %q = tensor.insert %c1 into %p[%c0] : tensor<1xf32>
    scf.forall.in_parallel {
      // expected-remark@+2 {{operand #0 (source) is copied to the part that the op writes}}
      // expected-remark@+1 {{operand #1 (dest) is written in place}}
      tensor.parallel_insert_slice %q into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  // expected-remark@+1 {{operand #0 (operands) is handed on}}
  return %r : tensor<8xf32>
}

// -----

// A tied argument of a dispatch is written in place where it ends, and copied where it is used later. Inside of the
// executable a slice of an output is loaded, changed in its place and stored.
flow.executable private @ex {
  flow.executable.export public @f
  builtin.module {
    func.func @f(%a: !flow.dispatch.tensor<readwrite:tensor<4xf32>>) {
      %x = arith.constant 2.0 : f32
      // expected-remark@+1 {{'flow.dispatch.tensor.load' op operand #0 (source) stays in place; the result is a view of it}}
      %t = flow.dispatch.tensor.load %a, offsets = [0], sizes = [4], strides = [1] : !flow.dispatch.tensor<readwrite:tensor<4xf32>> -> tensor<4xf32>
      // expected-remark@+1 {{'linalg.fill' op operand #1 (outputs) is not written, because only stores write an output of the dispatch; the result goes to where it is inserted later}}
      %u = linalg.fill ins(%x : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
      // expected-remark@+2 {{'flow.dispatch.tensor.store' op operand #0 (value) is in the part that the op writes; nothing is copied}}
      // expected-remark@+1 {{'flow.dispatch.tensor.store' op operand #1 (target) is written in place}}
      flow.dispatch.tensor.store %u, %a, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !flow.dispatch.tensor<readwrite:tensor<4xf32>>
      return
    }
  }
}
func.func @tied(%x: f32, %i: index) -> (tensor<4xf32>, f32) {
  %e = tensor.empty() : tensor<4xf32>
  // expected-remark@+1 {{operand #1 (outputs) gets a new buffer}}
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@+1 {{'flow.dispatch' op operand #0 (arguments) is copied, because its buffer is used later}}
  %a = flow.dispatch @ex::@f(%f) : (tensor<4xf32>) -> %f
  // expected-note@+2 {{'tensor.extract' op uses it here}}
  // expected-remark@+1 {{operand #0 (tensor) is read in place}}
  %v = tensor.extract %f[%i] : tensor<4xf32>
  // expected-remark@+1 {{'flow.dispatch' op operand #0 (arguments) is written in place; result #0 is in its memory}}
  %b = flow.dispatch @ex::@f(%a) : (tensor<4xf32>) -> %a
  // expected-remark@+1 {{operand #0 (operands) is handed on}}
  return %b, %v : tensor<4xf32>, f32
}
