// Collectives are calls of the runtime that write their target.
// RUN: noria opt --pass-pipeline=bufferize %s | FileCheck %s
// RUN: noria opt --pass-pipeline=bufferize --explain-bufferize %s 2>&1 >/dev/null | FileCheck %s --check-prefix=EXPLAIN

// The group's name is a constant of bytes.
// CHECK-DAG: memref.global "private" constant @[[NAME:.*]] : memref<1xi8> = dense<103>

// CHECK-LABEL: func.func @channels(
// CHECK: %[[BYTES:.*]] = memref.get_global @[[NAME]] : memref<1xi8>
// CHECK: %[[C:.*]] = rt.call "channel_default"(%[[BYTES]]) : (memref<1xi8>) -> !flow.channel
// CHECK: %[[S:.*]] = rt.call "channel_split"(%{{.*}}, %[[C]], %arg0, %arg1) {node = ""} : (i32, !flow.channel, index, index) -> !flow.channel
// CHECK: rt.call "channel_rank"(%[[S]]) : (!flow.channel) -> index
// CHECK: rt.call "channel_count"(%[[S]]) : (!flow.channel) -> index
func.func @channels(%color: index, %key: index) -> (index, index) {
  %c = flow.channel.default "g" : !flow.channel
  %s = flow.channel.split %c, %color, %key : !flow.channel -> !flow.channel
  %r = flow.channel.rank %s : index
  %n = flow.channel.count %s : index
  return %r, %n : index, index
}

// The target is the function's own and not needed later: no allocation and no copy, also where it is the source.
// CHECK-LABEL: func.func @in_place(
// CHECK: %[[T:.*]] = memref.alloc(%arg1) : memref<?xf32>
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: rt.call "collective"({{.*}}, %[[T]], %[[T]]) {node = ""} : (i32, i32, i32, i32, i1, !flow.channel, index, index, memref<?xf32>, memref<?xf32>) -> ()
// CHECK: return %[[T]]
// EXPLAIN: in place
func.func @in_place(%v: f32, %n: index) -> tensor<?xf32> {
  %c = flow.channel.default : !flow.channel
  %e = tensor.empty(%n) : tensor<?xf32>
  %t = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = flow.collective.all_reduce sum, f32, %t, %t, %c : (tensor<?xf32>, tensor<?xf32>, !flow.channel) -> %t as tensor<?xf32>{%n}
  return %r : tensor<?xf32>
}

// The old value is used later: the result is in a new buffer, into which nothing is copied, for all of it is written.
// CHECK-LABEL: func.func @used_later(
// CHECK: %[[T:.*]] = memref.alloc() : memref<4xi32>
// CHECK: %[[R:.*]] = memref.alloc() : memref<4xi32>
// CHECK-NOT: memref.copy
// CHECK: rt.call "collective"({{.*}}, %[[R]], %[[T]]) {node = ""}
// CHECK: return %[[R]], %[[T]]
func.func @used_later(%v: i32) -> (tensor<4xi32>, tensor<4xi32>) {
  %c = flow.channel.default : !flow.channel
  %e = tensor.empty() : tensor<4xi32>
  %t = linalg.fill ins(%v : i32) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %r = flow.collective.all_reduce minimum, si32, %t, %t, %c : (tensor<4xi32>, tensor<4xi32>, !flow.channel) -> %t as tensor<4xi32>
  return %r, %t : tensor<4xi32>, tensor<4xi32>
}

// On a part of the ranks the others keep their target, which an argument may not be overwritten for.
// CHECK-LABEL: func.func @of_split(
// CHECK: %[[R:.*]] = memref.alloc() : memref<4xf32>
// CHECK: memref.copy %arg0, %[[R]]
// CHECK: rt.call "collective"({{.*}}, %[[R]], %arg1) {node = ""}
func.func @of_split(%t: tensor<4xf32>, %s: tensor<2xf32>, %i: index) -> tensor<4xf32> {
  %c = flow.channel.default : !flow.channel
  %p = flow.channel.split %c, %i, %i : !flow.channel -> !flow.channel
  %r = flow.collective.all_gather f32, %t, %s, %p : (tensor<4xf32>, tensor<2xf32>, !flow.channel) -> %t as tensor<4xf32>
  return %r : tensor<4xf32>
}

// A target that is a part of a larger tensor with gaps is no memory for the runtime; the result is inserted behind.
// CHECK-LABEL: func.func @column(
// CHECK: %[[R:.*]] = memref.alloc() : memref<4x1xf32>
// CHECK: rt.call "collective"({{.*}}, %[[R]], %{{.*}}) {node = ""} : (i32, i32, i32, i32, i1, !flow.channel, index, index, memref<4x1xf32>, memref<4x1xf32>) -> ()
// CHECK: memref.copy %[[R]], %{{.*}}
func.func @column(%m: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = flow.channel.default : !flow.channel
  %t = tensor.extract_slice %m[0, 3] [4, 1] [1, 1] : tensor<4x8xf32> to tensor<4x1xf32>
  %r = flow.collective.all_to_all f32, %t, %t, %c : (tensor<4x1xf32>, tensor<4x1xf32>, !flow.channel) -> %t as tensor<4x1xf32>
  %o = tensor.insert_slice %r into %m[0, 3] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  return %o : tensor<4x8xf32>
}

// A loop carries the target in one buffer; send and recv are operands.
// CHECK-LABEL: func.func @ring(
// CHECK: scf.for
// CHECK-NOT: memref.copy
// CHECK: rt.call "collective"(%{{.*}}, %arg2, %arg3,
func.func @ring(%v: f64, %n: index, %to: index, %from: index) -> tensor<4xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = flow.channel.default : !flow.channel
  %e = tensor.empty() : tensor<4xf64>
  %t = linalg.fill ins(%v : f64) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  %r = scf.for %i = %zero to %n step %one iter_args(%x = %t) -> (tensor<4xf64>) {
    %y = flow.collective.send_recv f64, %x, %x, %c, %to, %from : (tensor<4xf64>, tensor<4xf64>, !flow.channel, index, index) -> %x as tensor<4xf64>
    scf.yield %y : tensor<4xf64>
  }
  return %r : tensor<4xf64>
}
