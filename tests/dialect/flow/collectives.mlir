// The text of channels and collectives: every element type and reduction, dynamic shapes, attributes, the generic form.
// RUN: noria opt %s | FileCheck %s
// RUN: noria opt %s | noria opt | FileCheck %s
// RUN: noria opt --mlir-print-op-generic %s | noria opt | FileCheck %s

// CHECK-LABEL: func.func @channels
func.func @channels(%color: index, %key: index) -> (index, index) {
  // CHECK: %[[C:.*]] = flow.channel.default : !flow.channel
  %c = flow.channel.default : !flow.channel
  // CHECK: flow.channel.default "a \22group\22" : !flow.channel attributes {note}
  %g = flow.channel.default "a \22group\22" : !flow.channel attributes {note}
  // CHECK: %[[S:.*]] = flow.channel.split %[[C]], %arg0, %arg1 : !flow.channel -> !flow.channel
  %s = flow.channel.split %c, %color, %key : !flow.channel -> !flow.channel
  // CHECK: flow.channel.rank %[[S]] : index
  %r = flow.channel.rank %s : index
  // CHECK: flow.channel.count %[[S]] : index
  %n = flow.channel.count %s : index
  return %r, %n : index, index
}

// A channel is a value like others: it is passed, returned, carried and chosen.
// CHECK-LABEL: func.func private @passed(%{{.*}}: !flow.channel, %{{.*}}: i1) -> !flow.channel
func.func private @passed(%c: !flow.channel, %b: i1) -> !flow.channel {
  %d = flow.channel.default : !flow.channel
  // CHECK: scf.if %{{.*}} -> (!flow.channel)
  %r = scf.if %b -> (!flow.channel) {
    scf.yield %c : !flow.channel
  } else {
    scf.yield %d : !flow.channel
  }
  return %r : !flow.channel
}

// CHECK-LABEL: func.func @element_types
func.func @element_types(%a: tensor<4xi8>, %b: tensor<4xui8>, %c: tensor<4xsi16>, %d: tensor<4xi16>, %e: tensor<4xi32>,
    %f: tensor<4xui32>, %g: tensor<4xsi64>, %h: tensor<4xi64>, %i: tensor<4xf16>, %j: tensor<4xf32>, %k: tensor<4xf64>,
    %l: tensor<4xbf16>, %ch: !flow.channel) {
  // CHECK: flow.collective.all_reduce minimum, si8, %arg0, %arg0, %arg12 : (tensor<4xi8>, tensor<4xi8>, !flow.channel) -> %arg0 as tensor<4xi8>
  %0 = flow.collective.all_reduce minimum, si8, %a, %a, %ch : (tensor<4xi8>, tensor<4xi8>, !flow.channel) -> %a as tensor<4xi8>
  // CHECK: flow.collective.all_reduce maximum, ui8, %arg1
  %1 = flow.collective.all_reduce maximum, ui8, %b, %b, %ch : (tensor<4xui8>, tensor<4xui8>, !flow.channel) -> %b as tensor<4xui8>
  // CHECK: flow.collective.all_reduce sum, si16, %arg2
  %2 = flow.collective.all_reduce sum, si16, %c, %c, %ch : (tensor<4xsi16>, tensor<4xsi16>, !flow.channel) -> %c as tensor<4xsi16>
  // CHECK: flow.collective.all_reduce product, ui16, %arg3
  %3 = flow.collective.all_reduce product, ui16, %d, %d, %ch : (tensor<4xi16>, tensor<4xi16>, !flow.channel) -> %d as tensor<4xi16>
  // CHECK: flow.collective.reduce_scatter sum, si32, %arg4
  %4 = flow.collective.reduce_scatter sum, si32, %e, %e, %ch : (tensor<4xi32>, tensor<4xi32>, !flow.channel) -> %e as tensor<4xi32>
  // CHECK: flow.collective.all_gather ui32, %arg5
  %5 = flow.collective.all_gather ui32, %f, %f, %ch : (tensor<4xui32>, tensor<4xui32>, !flow.channel) -> %f as tensor<4xui32>
  // CHECK: flow.collective.all_to_all si64, %arg6
  %6 = flow.collective.all_to_all si64, %g, %g, %ch : (tensor<4xsi64>, tensor<4xsi64>, !flow.channel) -> %g as tensor<4xsi64>
  // CHECK: flow.collective.all_to_all ui64, %arg7
  %7 = flow.collective.all_to_all ui64, %h, %h, %ch : (tensor<4xi64>, tensor<4xi64>, !flow.channel) -> %h as tensor<4xi64>
  // CHECK: flow.collective.all_reduce average, f16, %arg8
  %8 = flow.collective.all_reduce average, f16, %i, %i, %ch : (tensor<4xf16>, tensor<4xf16>, !flow.channel) -> %i as tensor<4xf16>
  // CHECK: flow.collective.all_reduce average, f32, %arg9
  %9 = flow.collective.all_reduce average, f32, %j, %j, %ch : (tensor<4xf32>, tensor<4xf32>, !flow.channel) -> %j as tensor<4xf32>
  // CHECK: flow.collective.all_reduce average, f64, %arg10
  %10 = flow.collective.all_reduce average, f64, %k, %k, %ch : (tensor<4xf64>, tensor<4xf64>, !flow.channel) -> %k as tensor<4xf64>
  // CHECK: flow.collective.reduce_scatter average, bf16, %arg11
  %11 = flow.collective.reduce_scatter average, bf16, %l, %l, %ch : (tensor<4xbf16>, tensor<4xbf16>, !flow.channel) -> %l as tensor<4xbf16> attributes {note}
  return
}

// CHECK-LABEL: func.func @dynamic
func.func @dynamic(%t: tensor<?x?xf32>, %s: tensor<?x3xf32>, %w: tensor<6x?xf32>, %z: tensor<f32>, %m: index, %n: index, %ch: !flow.channel) {
  // CHECK: flow.collective.all_gather f32, %arg0, %arg1, %arg6 : (tensor<?x?xf32>, tensor<?x3xf32>, !flow.channel) -> %arg0 as tensor<?x?xf32>{%arg4, %arg5}
  %0 = flow.collective.all_gather f32, %t, %s, %ch : (tensor<?x?xf32>, tensor<?x3xf32>, !flow.channel) -> %t as tensor<?x?xf32>{%m, %n}
  // CHECK: flow.collective.reduce_scatter sum, f32, %arg1, %arg2, %arg6 : (tensor<?x3xf32>, tensor<6x?xf32>, !flow.channel) -> %arg1 as tensor<?x3xf32>{%arg4}
  %1 = flow.collective.reduce_scatter sum, f32, %s, %w, %ch : (tensor<?x3xf32>, tensor<6x?xf32>, !flow.channel) -> %s as tensor<?x3xf32>{%m}
  // CHECK: flow.collective.all_to_all f32, %arg0, %arg2, %arg6 : (tensor<?x?xf32>, tensor<6x?xf32>, !flow.channel) -> %arg0 as tensor<?x?xf32>{%arg4, %arg5}
  %2 = flow.collective.all_to_all f32, %t, %w, %ch : (tensor<?x?xf32>, tensor<6x?xf32>, !flow.channel) -> %t as tensor<?x?xf32>{%m, %n}
  // CHECK: flow.collective.send_recv f32, %arg3, %arg3, %arg6, %arg4, %arg5 : (tensor<f32>, tensor<f32>, !flow.channel, index, index) -> %arg3 as tensor<f32>
  %3 = flow.collective.send_recv f32, %z, %z, %ch, %m, %n : (tensor<f32>, tensor<f32>, !flow.channel, index, index) -> %z as tensor<f32>
  return
}
