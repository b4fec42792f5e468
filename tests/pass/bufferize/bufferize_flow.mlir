// RUN: noria opt --pass-pipeline=bufferize %s | FileCheck %s

// Executables stay, with their exports; the grid is computed where the dispatch is.
// CHECK-LABEL: flow.executable private @ex {
// CHECK-NEXT: flow.executable.export public @add{{$}}
// CHECK-NEXT: flow.executable.export public @acc{{$}}
// CHECK-NEXT: flow.executable.export public @tile{{$}}
// CHECK-NEXT: builtin.module {

// Executables: loads and stores of all of a binding are the binding; the result is computed in place.
// CHECK-LABEL: func.func @add(
// CHECK-SAME: %[[A:.*]]: memref<?xf32> {noria.readonly}, %{{.*}}: index, %[[R:.*]]: memref<?xf32> {noria.noalias}, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index) attributes {noria.dispatch}
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[A]] : memref<?xf32>) outs(%[[R]] : memref<?xf32>)
// CHECK-NOT: memref.copy

// A tied result is updated in place.
// CHECK-LABEL: func.func @acc(
// CHECK-SAME: %[[A:.*]]: memref<8xf32> {noria.readonly}, %[[R:.*]]: memref<8xf32>,
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[A]] : memref<8xf32>) outs(%[[R]] : memref<8xf32>)
// CHECK-NOT: memref.copy

// Parts are views; the workgroup's place and the size of the grid are arguments.
// CHECK-LABEL: func.func @tile(
// CHECK-SAME: %[[A:.*]]: memref<64xf32> {noria.readonly}, %[[R:.*]]: memref<64xf32> {noria.noalias}, %[[COUNT:.*]]: index, %{{.*}}: index, %{{.*}}: index, %[[ID:.*]]: index, %{{.*}}: index, %{{.*}}: index)
// CHECK: %[[SIZE:.*]] = arith.divui %{{.*}}, %[[COUNT]]
// CHECK: %[[AT:.*]] = arith.muli %[[ID]], %[[SIZE]]
// CHECK-NEXT: %[[FROM:.*]] = memref.subview %[[A]][%[[AT]]] [%[[SIZE]]] [1]
// CHECK-NEXT: %[[TO:.*]] = memref.subview %[[R]][%[[AT]]] [%[[SIZE]]] [1]
// CHECK-NEXT: memref.copy %[[FROM]], %[[TO]]

flow.executable private @ex {
  flow.executable.export public @add workgroups(%n: index) -> (index, index, index) {
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %p = arith.addi %n, %c63 : index
    %x = arith.divui %p, %c64 : index
    flow.return %x, %c1, %c1 : index, index, index
  }
  flow.executable.export public @acc
  flow.executable.export public @tile
  builtin.module {
    func.func @add(%a: !flow.dispatch.tensor<readonly:tensor<?xf32>>, %n: index, %r: !flow.dispatch.tensor<writeonly:tensor<?xf32>>) {
      %t = flow.dispatch.tensor.load %a, offsets = [0], sizes = [%n], strides = [1] : !flow.dispatch.tensor<readonly:tensor<?xf32>>{%n} -> tensor<?xf32>
      %e = tensor.empty(%n) : tensor<?xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%t : tensor<?xf32>) outs(%e : tensor<?xf32>) {
      ^bb0(%i: f32, %o: f32):
        %y = arith.addf %i, %i : f32
        linalg.yield %y : f32
      } -> tensor<?xf32>
      flow.dispatch.tensor.store %s, %r, offsets = [0], sizes = [%n], strides = [1] : tensor<?xf32> -> !flow.dispatch.tensor<writeonly:tensor<?xf32>>{%n}
      return
    }
    func.func @acc(%a: !flow.dispatch.tensor<readonly:tensor<8xf32>>, %r: !flow.dispatch.tensor<readwrite:tensor<8xf32>>) {
      %t = flow.dispatch.tensor.load %a, offsets = [0], sizes = [8], strides = [1] : !flow.dispatch.tensor<readonly:tensor<8xf32>> -> tensor<8xf32>
      %u = flow.dispatch.tensor.load %r, offsets = [0], sizes = [8], strides = [1] : !flow.dispatch.tensor<readwrite:tensor<8xf32>> -> tensor<8xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%t : tensor<8xf32>) outs(%u : tensor<8xf32>) {
      ^bb0(%i: f32, %o: f32):
        %y = arith.addf %i, %o : f32
        linalg.yield %y : f32
      } -> tensor<8xf32>
      flow.dispatch.tensor.store %s, %r, offsets = [0], sizes = [8], strides = [1] : tensor<8xf32> -> !flow.dispatch.tensor<readwrite:tensor<8xf32>>
      return
    }
    func.func @tile(%a: !flow.dispatch.tensor<readonly:tensor<64xf32>>, %r: !flow.dispatch.tensor<writeonly:tensor<64xf32>>) {
      %id = flow.dispatch.workgroup.id[0] : index
      %count = flow.dispatch.workgroup.count[0] : index
      %c64 = arith.constant 64 : index
      %size = arith.divui %c64, %count : index
      %at = arith.muli %id, %size : index
      %t = flow.dispatch.tensor.load %a, offsets = [%at], sizes = [%size], strides = [1] : !flow.dispatch.tensor<readonly:tensor<64xf32>> -> tensor<?xf32>
      flow.dispatch.tensor.store %t, %r, offsets = [%at], sizes = [%size], strides = [1] : tensor<?xf32> -> !flow.dispatch.tensor<writeonly:tensor<64xf32>>
      return
    }
  }
}

// The grid is computed where the dispatch is.
// CHECK-LABEL: func.func @host(
// CHECK: %[[R:.*]] = memref.alloc(%arg1)
// CHECK: %[[P:.*]] = arith.addi %arg1, %c63
// CHECK-NEXT: %[[X:.*]] = arith.divui %[[P]], %c64
// CHECK-NEXT: rt.dispatch @ex::@add[%[[X]], %c1, %c1] (%arg0, %arg1, %[[R]])
// CHECK-NEXT: return %[[R]]
func.func @host(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %r = flow.dispatch @ex::@add[%n](%a, %n) : (tensor<?xf32>{%n}, index) -> tensor<?xf32>{%n}
  return %r : tensor<?xf32>
}

// The first tied operand ends here and is written to; the second is an argument, of which a copy is.
// CHECK-LABEL: func.func @tied(
// CHECK: %[[F:.*]] = memref.alloc()
// CHECK: rt.dispatch @ex::@acc[{{.*}}] (%arg0, %[[F]])
// CHECK: %[[C:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %arg0, %[[C]]
// CHECK: rt.dispatch @ex::@acc[{{.*}}] (%[[F]], %[[C]])
// CHECK-NEXT: memref.dealloc %[[F]]
// CHECK-NEXT: return %[[C]]
func.func @tied(%a: tensor<8xf32>, %x: f32) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = flow.dispatch @ex::@acc(%a, %f) : (tensor<8xf32>, tensor<8xf32>) -> %f
  %s = flow.dispatch @ex::@acc(%r, %a) : (tensor<8xf32>, tensor<8xf32>) -> %a
  return %s : tensor<8xf32>
}

// CHECK-LABEL: func.func @grid(
// CHECK: rt.dispatch @ex::@tile[%[[X:.*]], %[[Y:.*]], %[[Z:.*]]] (%arg0, %{{.*}}, %[[X]], %[[Y]], %[[Z]])
// CHECK-NOT: flow.dispatch
func.func @grid(%a: tensor<64xf32>) -> tensor<64xf32> {
  %r = flow.dispatch @ex::@tile(%a) : (tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
