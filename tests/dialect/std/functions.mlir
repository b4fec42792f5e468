// Functions as values: chosen in the run, passed on, called; with tensors in their types too.

// RUN: noria run %s --entry=call_indirect true 3 --check-stages | FileCheck %s --check-prefix=CALL-INDIRECT
// CALL-INDIRECT: {{^}}4 : i32{{$}}
// CALL-INDIRECT-NEXT: {{^}}2 : i32{{$}}
func @call_indirect(%c: i1, %x: i32) -> (i32, i32) {
  %f = constant @call_indirect_inc : (i32) -> i32
  %g = constant @call_indirect_dec : (i32) -> i32
  %h = select %c, %f, %g : (i32) -> i32
  %0 = call_indirect %h(%x) : (i32) -> i32
  %1 = call @call_indirect_apply(%g, %x) : ((i32) -> i32, i32) -> i32
  return %0, %1 : i32, i32
}
func @call_indirect_apply(%f: (i32) -> i32, %x: i32) -> i32 {
  %0 = call_indirect %f(%x) : (i32) -> i32
  return %0 : i32
}
func @call_indirect_inc(%x: i32) -> i32 {
  %c = constant 1 : i32
  %0 = addi %x, %c : i32
  return %0 : i32
}
func @call_indirect_dec(%x: i32) -> i32 {
  %c = constant 1 : i32
  %0 = subi %x, %c : i32
  return %0 : i32
}

// RUN: noria run %s --entry=call_indirect_tensor true '[1,2,3]' --check-stages \
// RUN:   | FileCheck %s --check-prefix=CALL-INDIRECT-TENSOR
// CALL-INDIRECT-TENSOR: {{^}}dense<[2.000000e+00, 4.000000e+00, 6.000000e+00]> : tensor<3xf32>{{$}}
// CALL-INDIRECT-TENSOR-NEXT: {{^}}dense<[4.000000e+00, 8.000000e+00, 1.200000e+01]> : tensor<3xf32>{{$}}
// CALL-INDIRECT-TENSOR-NEXT: {{^}}dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>{{$}}
func @call_indirect_tensor(%c: i1, %x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %f = constant @call_indirect_tensor_dbl : (tensor<?xf32>) -> tensor<?xf32>
  %g = constant @call_indirect_tensor_same : (tensor<?xf32>) -> tensor<?xf32>
  %h = loop.if %c -> ((tensor<?xf32>) -> tensor<?xf32>) {
    loop.yield %f : (tensor<?xf32>) -> tensor<?xf32>
  } else {
    loop.yield %g : (tensor<?xf32>) -> tensor<?xf32>
  }
  %0 = call_indirect %h(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = call @call_indirect_tensor_apply(%h, %x) : ((tensor<?xf32>) -> tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %i = constant @call_indirect_tensor_apply : ((tensor<?xf32>) -> tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = call_indirect %i(%g, %x) : ((tensor<?xf32>) -> tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
func @call_indirect_tensor_apply(%f: (tensor<?xf32>) -> tensor<?xf32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call_indirect %f(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = call_indirect %f(%0) : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
func @call_indirect_tensor_dbl(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = addf %x, %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func @call_indirect_tensor_same(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
