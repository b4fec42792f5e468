// RUN: noria opt --pass-pipeline=bufferize %s | FileCheck %s

func.func @insert_chain(%x: f32, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %a = tensor.insert %x into %f[%c0] : tensor<?xf32>
  %b = tensor.insert %x into %a[%c1] : tensor<?xf32>
  return %b : tensor<?xf32>
}

func.func @insert_needs_old(%x: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %a = tensor.insert %x into %f[%c0] : tensor<8xf32>
  return %f, %a : tensor<8xf32>, tensor<8xf32>
}

func.func @argument_is_borrowed(%t: tensor<8xf32>, %x: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %a = tensor.insert %x into %t[%c0] : tensor<8xf32>
  return %a : tensor<8xf32>
}

func.func @return_argument(%t: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %t : tensor<?x4xf32>
}

func.func @return_twice(%x: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %f, %f : tensor<4xf32>, tensor<4xf32>
}

func.func @swap(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %y, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

func.func @yield_twice(%a: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %a) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %x, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

func.func @carried_in_place(%n: index, %x: f32) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : tensor<16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %z) -> (tensor<16xf32>) {
    %u = tensor.insert %x into %t[%i] : tensor<16xf32>
    scf.yield %u : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

func.func @carried_by_map(%z: tensor<16xf32>, %n: index, %x: f32) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %z) -> (tensor<16xf32>) {
    %e = tensor.empty() : tensor<16xf32>
    %u = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                         iterator_types = ["parallel"]} ins(%t : tensor<16xf32>) outs(%e : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %s = arith.addf %in, %x : f32
      linalg.yield %s : f32
    } -> tensor<16xf32>
    scf.yield %u : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

func.func @reversed_needs_two(%z: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]} ins(%z : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.negf %in : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]} ins(%f : tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %g : tensor<4x4xf32>
}

func.func @scan_of_carried(%z: tensor<4xf32>, %n: index, %x: f32) -> (tensor<4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %z, %rows = %e) -> (tensor<4xf32>, tensor<?x4xf32>) {
    %next = tensor.insert_slice %t into %rows[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    %u = tensor.insert %x into %t[%c0] : tensor<4xf32>
    scf.yield %u, %next : tensor<4xf32>, tensor<?x4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<?x4xf32>
}

func.func @scan_row_in_place(%z: tensor<4xf32>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%rows = %e) -> (tensor<?x4xf32>) {
    %o = tensor.empty() : tensor<4xf32>
    %row = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                           iterator_types = ["parallel"]} ins(%z : tensor<4xf32>) outs(%o : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %s = math.exp %in : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    %next = tensor.insert_slice %row into %rows[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %next : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

func.func @branches_differ(%c: i1, %x: f32, %n: index, %t: tensor<3xf32>) -> tensor<?xf32> {
  %r = scf.if %c -> (tensor<?xf32>) {
    %e = tensor.empty(%n) : tensor<?xf32>
    %f = linalg.fill ins(%x : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %f : tensor<?xf32>
  } else {
    %d = tensor.cast %t : tensor<3xf32> to tensor<?xf32>
    scf.yield %d : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

func.func @moves_into_branches(%c: i1, %x: f32, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = scf.if %c -> (tensor<?xf32>) {
    %g = tensor.insert %x into %f[%c0] : tensor<?xf32>
    scf.yield %g : tensor<?xf32>
  } else {
    scf.yield %f : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

func.func @grow(%c: i1, %n: index, %t: tensor<2x4xf32>, %cap: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%c1) : tensor<?x4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%rows = %e, %room = %c1) -> (tensor<?x4xf32>, index) {
    %full = arith.cmpi eq, %i, %room : index
    %b:2 = scf.if %full -> (tensor<?x4xf32>, index) {
      %twice = arith.addi %room, %room : index
      %g = rt.call "tensor_grow"(%rows, %twice) : (tensor<?x4xf32>, index) -> tensor<?x4xf32>
      scf.yield %g, %twice : tensor<?x4xf32>, index
    } else {
      scf.yield %rows, %room : tensor<?x4xf32>, index
    }
    %row = tensor.extract_slice %t[%c0, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<1x4xf32>
    %next = tensor.insert_slice %row into %b#0[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
    scf.yield %next, %b#1 : tensor<?x4xf32>, index
  }
  %s = tensor.extract_slice %r#0[0, 0] [%n, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

func.func @while(%t: tensor<4xf32>, %limit: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %r = scf.while (%a = %t) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = tensor.extract %a[%c0] : tensor<4xf32>
    %go = arith.cmpf olt, %v, %limit : f32
    scf.condition(%go) %a : tensor<4xf32>
  } do {
  ^bb0(%b: tensor<4xf32>):
    %v = tensor.extract %b[%c0] : tensor<4xf32>
    %w = arith.addf %v, %v : f32
    %u = tensor.insert %w into %b[%c0] : tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

func.func @outer_value_yielded(%n: index, %x: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %g = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %g) -> (tensor<4xf32>) {
    scf.yield %f : tensor<4xf32>
  }
  return %r, %f : tensor<4xf32>, tensor<4xf32>
}

func.func @nested(%n: index, %x: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %f) -> (tensor<8xf32>) {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%u = %t) -> (tensor<8xf32>) {
      %v = tensor.extract %t[%j] : tensor<8xf32>
      %w = tensor.insert %v into %u[%i] : tensor<8xf32>
      scf.yield %w : tensor<8xf32>
    }
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

func.func @captured_by_body(%t: tensor<8xf32>, %x: f32) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %c7 = arith.constant 7 : index
  %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%f : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %k = arith.subi %c7, %i : index
    %v = tensor.extract %f[%k] : tensor<8xf32>
    %s = arith.addf %v, %out : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %g : tensor<8xf32>
}

func.func @views(%t: tensor<4x6xf32>) -> tensor<24xf32> {
  %a = tensor.extract_slice %t[0, 0] [4, 3] [1, 2] : tensor<4x6xf32> to tensor<4x3xf32>
  %b = tensor.collapse_shape %a [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
  %e = tensor.empty() : tensor<24xf32>
  %c = tensor.insert_slice %b into %e[0] [12] [2] : tensor<12xf32> into tensor<24xf32>
  %d = tensor.insert_slice %b into %c[1] [12] [2] : tensor<12xf32> into tensor<24xf32>
  return %d : tensor<24xf32>
}

func.func @sequence(%t: tensor<4xf32>, %n: index) -> !onnx.seq<tensor<4xf32>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f32 = arith.constant 1 : i32
  %s = rt.call "seq_empty"(%f32) : (i32) -> !onnx.seq<tensor<4xf32>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%q = %s) -> (!onnx.seq<tensor<4xf32>>) {
    %u = rt.call "seq_append"(%q, %t) : (!onnx.seq<tensor<4xf32>>, tensor<4xf32>) -> !onnx.seq<tensor<4xf32>>
    scf.yield %u : !onnx.seq<tensor<4xf32>>
  }
  return %r : !onnx.seq<tensor<4xf32>>
}

func.func @sequence_kept(%s: !onnx.seq<tensor<4xf32>>, %t: tensor<4xf32>) -> (!onnx.seq<tensor<4xf32>>, !onnx.seq<tensor<4xf32>>, i64) {
  %u = rt.call "seq_append"(%s, %t) : (!onnx.seq<tensor<4xf32>>, tensor<4xf32>) -> !onnx.seq<tensor<4xf32>>
  %v = rt.call "seq_append"(%u, %t) : (!onnx.seq<tensor<4xf32>>, tensor<4xf32>) -> !onnx.seq<tensor<4xf32>>
  %n = rt.call "seq_length"(%u) : (!onnx.seq<tensor<4xf32>>) -> i64
  return %s, %v, %n : !onnx.seq<tensor<4xf32>>, !onnx.seq<tensor<4xf32>>, i64
}

func.func @select(%c: i1, %x: f32, %t: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = arith.select %c, %f, %t : tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func private @callee(%t: tensor<4xf32>) -> tensor<4xf32>

func.func @call(%x: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = func.call @callee(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %s = arith.addf %r, %f : tensor<4xf32>
  return %s : tensor<4xf32>
}

func.func @pad_and_concat(%a: tensor<?x2xf32>, %b: tensor<3x2xf32>, %x: f32) -> tensor<?x4xf32> {
  %c = tensor.concat dim(0) %a, %b : (tensor<?x2xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  %p = tensor.pad %c low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %x : f32
  } : tensor<?x2xf32> to tensor<?x4xf32>
  return %p : tensor<?x4xf32>
}

func.func @elements(%x: f32, %y: f32) -> tensor<2x2xf32> {
  %t = tensor.from_elements %x, %y, %y, %x : tensor<2x2xf32>
  %g = tensor.generate {
  ^bb0(%i: index, %j: index):
    %v = tensor.extract %t[%j, %i] : tensor<2x2xf32>
    tensor.yield %v : f32
  } : tensor<2x2xf32>
  return %g : tensor<2x2xf32>
}
