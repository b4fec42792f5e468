// RUN: noria opt --pass-pipeline=bufferize %s | FileCheck %s

// A buffer that the block owns is updated in place.
// CHECK-LABEL: func.func @insert_chain(
// CHECK: %[[A:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[A]] : memref<?xf32>)
// CHECK-NEXT: memref.store %{{.*}}, %[[A]][%c0]
// CHECK-NEXT: memref.store %{{.*}}, %[[A]][%c1]
// CHECK-NEXT: return %[[A]]
func.func @insert_chain(%x: f32, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %a = tensor.insert %x into %f[%c0] : tensor<?xf32>
  %b = tensor.insert %x into %a[%c1] : tensor<?xf32>
  return %b : tensor<?xf32>
}

// The old value is used later: the update goes to a copy.
// CHECK-LABEL: func.func @insert_needs_old(
// CHECK: %[[A:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[B:.*]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: memref.copy %[[A]], %[[B]]
// CHECK-NEXT: memref.store %{{.*}}, %[[B]]
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @insert_needs_old(%x: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %a = tensor.insert %x into %f[%c0] : tensor<8xf32>
  return %f, %a : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @argument_is_borrowed(
// CHECK: %[[B:.*]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: memref.copy %arg0, %[[B]]
// CHECK-NEXT: memref.store %arg1, %[[B]]
// CHECK-NEXT: return %[[B]]
func.func @argument_is_borrowed(%t: tensor<8xf32>, %x: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %a = tensor.insert %x into %t[%c0] : tensor<8xf32>
  return %a : tensor<8xf32>
}

// CHECK-LABEL: func.func @return_argument(
// CHECK: %[[D:.*]] = memref.dim %arg0, %c0
// CHECK-NEXT: %[[B:.*]] = memref.alloc(%[[D]]) : memref<?x4xf32>
// CHECK-NEXT: memref.copy %arg0, %[[B]]
// CHECK-NEXT: return %[[B]]
func.func @return_argument(%t: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %t : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @return_twice(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: %[[B:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[A]], %[[B]]
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @return_twice(%x: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %f, %f : tensor<4xf32>, tensor<4xf32>
}

// A swap moves both buffers and copies none.
// CHECK-LABEL: func.func @swap(
// CHECK: scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}) -> (memref<4xf32>, memref<4xf32>) {
// CHECK-NEXT: scf.yield %[[Y]], %[[X]]
// CHECK-NEXT: }
func.func @swap(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %y, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// The first moves, the second is copied; the argument that nobody yields is freed.
// CHECK-LABEL: func.func @yield_twice(
// CHECK: scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}})
// CHECK-NEXT: memref.dealloc %[[Y]]
// CHECK-NEXT: %[[C:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[X]], %[[C]]
// CHECK-NEXT: scf.yield %[[X]], %[[C]]
func.func @yield_twice(%a: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %a) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %x, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// A constant with one element for all is written, not copied.
// CHECK-LABEL: func.func @carried_in_place(
// CHECK-NOT: memref.get_global
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: linalg.fill {{.*}} outs(%[[A]] : memref<16xf32>)
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[T:.*]] = %[[A]])
// CHECK-NEXT: memref.store %{{.*}}, %[[T]][
// CHECK-NEXT: scf.yield %[[T]]
// CHECK: return %[[R]]
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

// An element-wise op writes over the input that ends with it.
// CHECK-LABEL: func.func @carried_by_map(
// CHECK: scf.for {{.*}} iter_args(%[[T:.*]] = %{{.*}})
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[T]] : memref<16xf32>) outs(%[[T]] : memref<16xf32>)
// CHECK: scf.yield %[[T]]
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

// Reading transposed what is written: two buffers.
// CHECK-LABEL: func.func @reversed_needs_two(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: linalg.generic {{.*}} ins(%arg0 {{.*}} outs(%[[A]]
// CHECK: %[[B:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[A]], %[[B]]
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[A]] {{.*}} outs(%[[B]]
// CHECK: memref.dealloc %[[A]]
// CHECK-NEXT: return %[[B]]
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

// The row is copied before the carried value changes in place.
// CHECK-LABEL: func.func @scan_of_carried(
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[T:.*]] = %{{.*}}, %[[ROWS:.*]] = %{{.*}})
// CHECK-NEXT: %[[PART:.*]] = memref.subview %[[ROWS]][%[[I]], 0] [1, 4] [1, 1]
// CHECK-NEXT: memref.copy %[[T]], %[[PART]]
// CHECK-NEXT: memref.store %{{.*}}, %[[T]]
// CHECK-NEXT: scf.yield %[[T]], %[[ROWS]]
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

// The row is computed where it goes.
// CHECK-LABEL: func.func @scan_row_in_place(
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[ROWS:.*]] = %{{.*}})
// CHECK-NEXT: %[[PART:.*]] = memref.subview %[[ROWS]][%[[I]], 0] [1, 4] [1, 1]
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[PART]] : memref<4xf32, strided<[1], offset: ?>>)
// CHECK-NOT: memref.copy
// CHECK: scf.yield %[[ROWS]]
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

// CHECK-LABEL: func.func @branches_differ(
// CHECK: %[[R:.*]] = scf.if %arg0 -> (memref<?xf32>) {
// CHECK-NEXT: %[[A:.*]] = memref.alloc(%arg2)
// CHECK: scf.yield %[[A]]
// CHECK: } else {
// CHECK-NEXT: %[[T:.*]] = memref.cast %arg3 : memref<3xf32> to memref<?xf32>
// CHECK: %[[B:.*]] = memref.alloc(%{{.*}})
// CHECK-NEXT: memref.copy %[[T]], %[[B]]
// CHECK-NEXT: scf.yield %[[B]]
// CHECK: return %[[R]]
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

// A buffer that ends in a branch moves into it.
// CHECK-LABEL: func.func @moves_into_branches(
// CHECK: %[[A:.*]] = memref.alloc(%arg2)
// CHECK: scf.if
// CHECK-NEXT: memref.store %arg1, %[[A]]
// CHECK-NEXT: scf.yield %[[A]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[A]]
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

// Growing moves the rows; the branch that does not grow hands them on. What is too much in the end is given back.
// CHECK-LABEL: func.func @grow(
// CHECK: scf.for {{.*}} iter_args(%[[ROWS:.*]] = %{{.*}}, %[[ROOM:.*]] = %c1)
// CHECK: scf.if
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[ROWS]] {{\[\[}}0, 1]]
// CHECK-NEXT: %[[MORE:.*]] = memref.realloc %[[FLAT]](%{{.*}}) : memref<?xf32> to memref<?xf32>
// CHECK-NEXT: %[[G:.*]] = memref.expand_shape %[[MORE]] {{\[\[}}0, 1]] output_shape [%{{.*}}, 4]
// CHECK-NEXT: scf.yield %[[G]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[ROWS]], %[[ROOM]]
// CHECK: %[[ALL:.*]] = memref.collapse_shape %{{.*}}#0
// CHECK-NEXT: %[[USED:.*]] = memref.realloc %[[ALL]](%{{.*}})
// CHECK-NEXT: %[[R:.*]] = memref.expand_shape %[[USED]] {{\[\[}}0, 1]] output_shape [%arg1, 4]
// CHECK-NEXT: return %[[R]]
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

// CHECK-LABEL: func.func @while(
// CHECK: scf.while (%[[A:.*]] = %{{.*}}) : (memref<4xf32>) -> memref<4xf32> {
// CHECK-NEXT: memref.load %[[A]]
// CHECK: scf.condition(%{{.*}}) %[[A]]
// CHECK: ^bb0(%[[B:.*]]: memref<4xf32>):
// CHECK: memref.store %{{.*}}, %[[B]]
// CHECK-NEXT: scf.yield %[[B]]
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

// CHECK-LABEL: func.func @outer_value_yielded(
// CHECK: %[[F:.*]] = memref.alloc()
// CHECK: scf.for {{.*}} iter_args(%[[T:.*]] = %{{.*}})
// CHECK-NEXT: memref.dealloc %[[T]]
// CHECK-NEXT: %[[C:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[F]], %[[C]]
// CHECK-NEXT: scf.yield %[[C]]
// CHECK: return %{{.*}}, %[[F]]
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

// The inner loop reads what it was started with: it gets a copy.
// CHECK-LABEL: func.func @nested(
// CHECK: scf.for {{.*}} iter_args(%[[T:.*]] = %{{.*}})
// CHECK-NEXT: %[[C:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[T]], %[[C]]
// CHECK-NEXT: %[[S:.*]] = scf.for {{.*}} iter_args(%[[U:.*]] = %[[C]])
// CHECK-NEXT: memref.load %[[T]]
// CHECK-NEXT: memref.store %{{.*}}, %[[U]]
// CHECK-NEXT: scf.yield %[[U]]
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc %[[T]]
// CHECK-NEXT: scf.yield %[[S]]
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

// A body that reads all of its output tensor gets a copy to write to.
// CHECK-LABEL: func.func @captured_by_body(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: %[[B:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[A]], %[[B]]
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[B]]
// CHECK: memref.load %[[A]]
// CHECK: memref.dealloc %[[A]]
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

// Joining dims that do not lie behind each other needs a dense copy.
// CHECK-LABEL: func.func @views(
// CHECK: %[[S:.*]] = memref.subview %arg0[0, 0] [4, 2] [1, 2]
// CHECK-NEXT: %[[D:.*]] = memref.alloc() : memref<4x2xf32>
// CHECK-NEXT: memref.copy %[[S]], %[[D]]
// CHECK-NEXT: %[[F:.*]] = memref.collapse_shape %[[D]]
// CHECK-NEXT: %[[R:.*]] = memref.alloc() : memref<16xf32>
// CHECK-NEXT: %[[P:.*]] = memref.subview %[[R]][0] [8] [2]
// CHECK-NEXT: memref.copy %[[F]], %[[P]]
// CHECK-NEXT: %[[Q:.*]] = memref.subview %[[R]][1] [8] [2]
// CHECK-NEXT: memref.copy %[[F]], %[[Q]]
// CHECK-NEXT: memref.dealloc %[[D]]
// CHECK-NEXT: return %[[R]]
func.func @views(%t: tensor<4x6xf32>) -> tensor<16xf32> {
  %a = tensor.extract_slice %t[0, 0] [4, 2] [1, 2] : tensor<4x6xf32> to tensor<4x2xf32>
  %b = tensor.collapse_shape %a [[0, 1]] : tensor<4x2xf32> into tensor<8xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = tensor.insert_slice %b into %e[0] [8] [2] : tensor<8xf32> into tensor<16xf32>
  %d = tensor.insert_slice %b into %c[1] [8] [2] : tensor<8xf32> into tensor<16xf32>
  return %d : tensor<16xf32>
}

// The only reference is given to the edit, which then works in place.
// CHECK-LABEL: func.func @sequence(
// CHECK: %[[S:.*]] = rt.call "seq_empty"
// CHECK: scf.for {{.*}} iter_args(%[[Q:.*]] = %[[S]])
// CHECK-NEXT: %[[U:.*]] = rt.call "seq_append_owned"(%[[Q]], %arg0)
// CHECK-NEXT: scf.yield %[[U]]
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

// CHECK-LABEL: func.func @sequence_kept(
// CHECK: %[[U:.*]] = rt.call "seq_append"(%arg0, %arg1)
// CHECK-NEXT: %[[V:.*]] = rt.call "seq_append"(%[[U]], %arg1)
// CHECK-NEXT: rt.call "seq_length"(%[[U]])
// CHECK-NEXT: rt.call "value_release"(%[[U]])
// CHECK-NEXT: %[[S:.*]] = rt.call "value_retain"(%arg0)
// CHECK-NEXT: return %[[S]], %[[V]]
func.func @sequence_kept(%s: !onnx.seq<tensor<4xf32>>, %t: tensor<4xf32>) -> (!onnx.seq<tensor<4xf32>>, !onnx.seq<tensor<4xf32>>, i64) {
  %u = rt.call "seq_append"(%s, %t) : (!onnx.seq<tensor<4xf32>>, tensor<4xf32>) -> !onnx.seq<tensor<4xf32>>
  %v = rt.call "seq_append"(%u, %t) : (!onnx.seq<tensor<4xf32>>, tensor<4xf32>) -> !onnx.seq<tensor<4xf32>>
  %n = rt.call "seq_length"(%u) : (!onnx.seq<tensor<4xf32>>) -> i64
  return %s, %v, %n : !onnx.seq<tensor<4xf32>>, !onnx.seq<tensor<4xf32>>, i64
}

// CHECK-LABEL: func.func @select(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: scf.if
// CHECK-NEXT: scf.yield %[[A]]
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: %[[B:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %arg2, %[[B]]
// CHECK-NEXT: scf.yield %[[B]]
func.func @select(%c: i1, %x: f32, %t: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = arith.select %c, %f, %t : tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func private @callee(%t: tensor<4xf32>) -> tensor<4xf32>

// Arguments of calls are lent, results are owned.
// CHECK-LABEL: func.func @call(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: %[[R:.*]] = call @callee(%[[A]]) : (memref<4xf32>) -> memref<4xf32>
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[R]], %[[A]] {{.*}} outs(%[[R]]
// CHECK: memref.dealloc %[[A]]
// CHECK-NEXT: return %[[R]]
func.func @call(%x: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = func.call @callee(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %s = arith.addf %r, %f : tensor<4xf32>
  return %s : tensor<4xf32>
}

// CHECK-LABEL: func.func @pad_and_concat(
// CHECK: %[[C:.*]] = memref.alloc(%{{.*}}) : memref<?x2xf32>
// CHECK-NEXT: %[[P:.*]] = memref.subview %[[C]][0, 0]
// CHECK-NEXT: memref.copy %arg0, %[[P]]
// CHECK-NEXT: %[[Q:.*]] = memref.subview %[[C]][%{{.*}}, 0] [3, 2]
// CHECK-NEXT: memref.copy %arg1, %[[Q]]
// CHECK: %[[R:.*]] = memref.alloc(%{{.*}}) : memref<?x4xf32>
// CHECK-NEXT: linalg.fill ins(%arg2 : f32) outs(%[[R]]
// CHECK-NEXT: %[[M:.*]] = memref.subview %[[R]][0, 1]
// CHECK-NEXT: memref.copy %[[C]], %[[M]]
// CHECK-NEXT: memref.dealloc %[[C]]
// CHECK-NEXT: return %[[R]]
func.func @pad_and_concat(%a: tensor<?x2xf32>, %b: tensor<3x2xf32>, %x: f32) -> tensor<?x4xf32> {
  %c = tensor.concat dim(0) %a, %b : (tensor<?x2xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  %p = tensor.pad %c low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %x : f32
  } : tensor<?x2xf32> to tensor<?x4xf32>
  return %p : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @elements(
// CHECK: %[[T:.*]] = memref.alloc() : memref<2x2xf32>
// CHECK-COUNT-4: memref.store %arg{{[01]}}, %[[T]]
// CHECK: %[[G:.*]] = memref.alloc() : memref<2x2xf32>
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[G]]
// CHECK: memref.load %[[T]][
// CHECK: memref.dealloc %[[T]]
func.func @elements(%x: f32, %y: f32) -> tensor<2x2xf32> {
  %t = tensor.from_elements %x, %y, %y, %x : tensor<2x2xf32>
  %g = tensor.generate {
  ^bb0(%i: index, %j: index):
    %v = tensor.extract %t[%j, %i] : tensor<2x2xf32>
    tensor.yield %v : f32
  } : tensor<2x2xf32>
  return %g : tensor<2x2xf32>
}

// The output operand is an argument, which is lent.
// CHECK-LABEL: func.func @into_argument(
// CHECK: %[[C:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %arg0, %[[C]]
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[C]] : memref<4xf32>)
func.func @into_argument(%t: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : tensor<4xf32>) {
  ^bb0(%o: f32):
    %s = arith.addf %o, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A row that is reshaped on its way into the gathered rows is computed there, too.
// CHECK-LABEL: func.func @reshaped_row(
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[ROWS:.*]] = %{{.*}})
// CHECK-NEXT: %[[PART:.*]] = memref.subview %[[ROWS]][%[[I]], 0, 0] [1, 3, 4] [1, 1, 1] : {{.*}} to memref<3x4xf32, strided<[4, 1], offset: ?>>
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[PART]]
// CHECK-NEXT: scf.yield %[[ROWS]]
func.func @reshaped_row(%x: f32, %n: index) -> tensor<?x3x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%n) : tensor<?x3x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%rows = %e) -> (tensor<?x3x4xf32>) {
    %o = tensor.empty() : tensor<3x4xf32>
    %row = linalg.fill ins(%x : f32) outs(%o : tensor<3x4xf32>) -> tensor<3x4xf32>
    %f = tensor.collapse_shape %row [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
    %slab = tensor.expand_shape %f [[0, 1, 2]] output_shape [1, 3, 4] : tensor<12xf32> into tensor<1x3x4xf32>
    %next = tensor.insert_slice %slab into %rows[%i, 0, 0] [1, 3, 4] [1, 1, 1] : tensor<1x3x4xf32> into tensor<?x3x4xf32>
    scf.yield %next : tensor<?x3x4xf32>
  }
  return %r : tensor<?x3x4xf32>
}

// Dims of a slice that lie behind each other are joined without a copy.
// CHECK-LABEL: func.func @contiguous_slice(
// CHECK: %[[S:.*]] = memref.subview %arg0[%arg1, 0, 0] [1, 3, 4] [1, 1, 1]
// CHECK-NEXT: %[[F:.*]] = memref.collapse_shape %[[S]] {{.*}} into memref<12xf32, strided<[1], offset: ?>>
// CHECK-NEXT: memref.load %[[F]]
func.func @contiguous_slice(%t: tensor<?x3x4xf32>, %i: index) -> f32 {
  %s = tensor.extract_slice %t[%i, 0, 0] [1, 3, 4] [1, 1, 1] : tensor<?x3x4xf32> to tensor<1x3x4xf32>
  %f = tensor.collapse_shape %s [[0, 1, 2]] : tensor<1x3x4xf32> into tensor<12xf32>
  %x = tensor.extract %f[%i] : tensor<12xf32>
  return %x : f32
}

// A row that is filled and then updated is in its place from the start.
// CHECK-LABEL: func.func @updated_row(
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[ROWS:.*]] = %{{.*}})
// CHECK-NEXT: %[[PART:.*]] = memref.subview %[[ROWS]][%[[I]], 0] [1, 4] [1, 1]
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[PART]]
// CHECK-NEXT: linalg.generic {{.*}} ins(%arg0 {{.*}} outs(%[[PART]]
// CHECK: memref.store %arg1, %[[PART]]
// CHECK-NEXT: scf.yield %[[ROWS]]
func.func @updated_row(%t: tensor<3x4xf32>, %x: f32, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%rows = %e) -> (tensor<?x4xf32>) {
    %o = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%x : f32) outs(%o : tensor<4xf32>) -> tensor<4xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>],
                         iterator_types = ["reduction", "parallel"]} ins(%t : tensor<3x4xf32>) outs(%f : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %a = arith.addf %in, %out : f32
      linalg.yield %a : f32
    } -> tensor<4xf32>
    %row = tensor.insert %x into %s[%c1] : tensor<4xf32>
    %next = tensor.insert_slice %row into %rows[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %next : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}
