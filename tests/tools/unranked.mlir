// Memrefs and tensors of unknown rank: arguments, results, copies, and through branches, loops, blocks and calls. Machine
// code, the interpreter and every pass between agree.

// RUN: noria run %s --entry=argument '[[1, 2, 3]]' --check-passes | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: {{^}}2 : index
// ARGUMENT-NEXT: dense<{{\[}}[1.000000e+00, 2.000000e+00, 3.000000e+00]]> : tensor<1x3xf32>
// RUN: noria run %s --entry=argument 5 --check-passes | FileCheck %s --check-prefix=SCALAR
// SCALAR: {{^}}0 : index
// SCALAR-NEXT: dense<5.000000e+00> : tensor<f32>
// RUN: noria run %s --entry=argument '[[], []]' --check-passes | FileCheck %s --check-prefix=NONE
// NONE: {{^}}2 : index
// NONE-NEXT: dense<> : tensor<2x0xf32>
func.func @argument(%x: memref<*xf32>) -> (index, memref<*xf32>) {
  %rank = memref.rank %x : memref<*xf32>
  return %rank, %x : index, memref<*xf32>
}

// What is left in the memory is an output under the argument's name.
// RUN: noria run %s --entry=written '[[1, 2], [3, 4]]' --output x=@%t.npy --check-passes | FileCheck %s --check-prefix=OLD
// OLD: {{^}}4.000000e+00 : f32
// RUN: noria run %s --entry=argument @%t.npy | FileCheck %s --check-prefix=NEW
// NEW: dense<{{\[}}[1.000000e+00, 2.000000e+00], [3.000000e+00, 9.000000e+00]]> : tensor<2x2xf32>
func.func @written(%x: memref<*xf32>) -> f32 {
  %y = memref.cast %x : memref<*xf32> to memref<?x?xf32>
  %c1 = arith.constant 1 : index
  %nine = arith.constant 9.0 : f32
  %old = memref.load %y[%c1, %c1] : memref<?x?xf32>
  memref.store %nine, %y[%c1, %c1] : memref<?x?xf32>
  return %old : f32
}

// A copy from memory with strides, and from memory without.
// RUN: noria run %s --entry=copies '[[1, 2, 3], [4, 5, 6]]' zeros 1 --check-passes | FileCheck %s --check-prefix=COPIES
// COPIES: dense<{{\[}}[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi17>
// COPIES-NEXT: dense<{{\[}}[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi17>
// RUN: noria run %s --entry=copies '[[1, 2, 3], [4, 5, 6]]' '[[1, 2], [3, 4], [5, 6]]' 0 --check-passes \
// RUN:   | FileCheck %s --check-prefix=ITSELF
// ITSELF: dense<{{\[}}[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi17>
func.func @copies(%x: memref<2x3xi17>, %y: memref<3x2xi17>, %c: i1) {
  %t = memref.transpose %x (i, j) -> (j, i) : memref<2x3xi17> to memref<3x2xi17, strided<[1, 3]>>
  %z = memref.alloc() : memref<3x2xi17>
  memref.copy %y, %z : memref<3x2xi17> to memref<3x2xi17>
  %u = memref.cast %t : memref<3x2xi17, strided<[1, 3]>> to memref<*xi17>
  %v = memref.cast %z : memref<3x2xi17> to memref<*xi17>
  %e = memref.cast %y : memref<3x2xi17> to memref<*xi17>
  %from = scf.if %c -> memref<*xi17> { scf.yield %u : memref<*xi17> } else { scf.yield %v : memref<*xi17> }
  memref.copy %from, %e : memref<*xi17> to memref<*xi17>
  memref.dealloc %z : memref<3x2xi17>
  return
}

// RUN: noria run %s --entry=transposed '[[1, 2, 3], [4, 5, 6]]' --check-passes | FileCheck %s --check-prefix=TRANSPOSED
// TRANSPOSED: dense<{{\[}}[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
func.func @transposed(%x: memref<2x3xi32>) -> memref<*xi32> {
  %t = memref.transpose %x (i, j) -> (j, i) : memref<2x3xi32> to memref<3x2xi32, strided<[1, 3]>>
  %u = memref.cast %t : memref<3x2xi32, strided<[1, 3]>> to memref<*xi32>
  return %u : memref<*xi32>
}

// RUN: noria run %s --entry=branches '[[1, 2]]' '[[0, 0, 0], [0, 3, 4]]' 0 --check-passes | FileCheck %s --check-prefix=ELSE
// ELSE: dense<{{\[}}[1.000000e+00, 2.000000e+00]]> : tensor<1x2xf32>
// ELSE-NEXT: {{^}}2 : index
// RUN: noria run %s --entry=branches '[[1, 2]]' '[[0, 0, 0], [0, 3, 4]]' 1 --check-passes | FileCheck %s --check-prefix=THEN
// THEN: dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf32>
// THEN-NEXT: {{^}}1 : index
func.func @branches(%x: tensor<*xf32>, %y: tensor<2x3xf32>, %c: i1) -> (tensor<*xf32>, index) {
  %part = tensor.extract_slice %y[1, 1] [1, 2] [1, 1] : tensor<2x3xf32> to tensor<2xf32>
  %u = tensor.cast %part : tensor<2xf32> to tensor<*xf32>
  %r = scf.if %c -> tensor<*xf32> { scf.yield %u : tensor<*xf32> } else { scf.yield %x : tensor<*xf32> }
  %rank = tensor.rank %r : tensor<*xf32>
  return %r, %rank : tensor<*xf32>, index
}

// Each trip appends a dim of size 1.
// RUN: noria run %s --entry=grows '[[1, 2], [3, 4]]' 3 --check-passes | FileCheck %s --check-prefix=GROWS
// GROWS: dense<{{\[\[\[\[}}[1]]], {{\[\[\[}}2]]]], {{\[\[\[\[}}3]]], {{\[\[\[}}4]]]]]> : tensor<2x2x1x1x1xi32>
// RUN: noria run %s --entry=grows '[[1, 2], [3, 4]]' 0 --check-passes | FileCheck %s --check-prefix=SAME
// SAME: dense<{{\[}}[1, 2], [3, 4]]> : tensor<2x2xi32>
func.func private @reshape(%x: tensor<*xi32>, %shape: tensor<?xindex>) -> tensor<*xi32> {
  %r = tensor.reshape %x(%shape) : (tensor<*xi32>, tensor<?xindex>) -> tensor<*xi32>
  return %r : tensor<*xi32>
}
func.func @grows(%x: tensor<2x2xi32>, %n: index) -> tensor<*xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %u = tensor.cast %x : tensor<2x2xi32> to tensor<*xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %u) -> tensor<*xi32> {
    %rank = tensor.rank %a : tensor<*xi32>
    %next = arith.addi %rank, %c1 : index
    %shape = tensor.generate %next {
    ^bb0(%d: index):
      %last = arith.cmpi eq, %d, %rank : index
      %size = scf.if %last -> index {
        scf.yield %c1 : index
      } else {
        %same = tensor.dim %a, %d : tensor<*xi32>
        scf.yield %same : index
      }
      tensor.yield %size : index
    } : tensor<?xindex>
    %b = func.call @reshape(%a, %shape) : (tensor<*xi32>, tensor<?xindex>) -> tensor<*xi32>
    scf.yield %b : tensor<*xi32>
  }
  return %r : tensor<*xi32>
}

// RUN: noria run %s --entry=blocks '[1, 2, 3]' ones 1 --check-passes | FileCheck %s --check-prefix=THREE
// THREE: {{^}}3 : index
// RUN: noria run %s --entry=blocks '[1, 2, 3]' ones 0 --check-passes | FileCheck %s --check-prefix=ONE
// ONE: {{^}}1 : index
func.func @blocks(%x: tensor<3xf32>, %y: tensor<1x2xf32>, %c: i1) -> index {
  %u = tensor.cast %x : tensor<3xf32> to tensor<*xf32>
  %v = tensor.cast %y : tensor<1x2xf32> to tensor<*xf32>
  cf.cond_br %c, ^end(%u : tensor<*xf32>), ^end(%v : tensor<*xf32>)
^end(%t: tensor<*xf32>):
  %c0 = arith.constant 0 : index
  %d = tensor.dim %t, %c0 : tensor<*xf32>
  return %d : index
}

// RUN: noria run %s --entry=chosen '[1, 2, 3]' ones 1 --check-passes | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
func.func @chosen(%x: tensor<3xf32>, %y: tensor<2xf32>, %c: i1) -> tensor<*xf32> {
  %u = tensor.cast %x : tensor<3xf32> to tensor<*xf32>
  %v = tensor.cast %y : tensor<2xf32> to tensor<*xf32>
  %r = arith.select %c, %u, %v : tensor<*xf32>
  return %r : tensor<*xf32>
}

// RUN: noria run %s --entry=sum '[1, 2]' --check-passes | FileCheck %s --check-prefix=SUM
// SUM: dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>
func.func @sum(%x: tensor<*xf32>) -> tensor<*xf32> {
  %r = arith.addf %x, %x : tensor<*xf32>
  return %r : tensor<*xf32>
}

// Element types that no array library has are converted, all elements in a row.
// RUN: noria run %s --entry=odd '[[1, 2], [3, 60]]' --check-passes | FileCheck %s --check-prefix=ODD
// ODD: dense<{{\[}}[1, 2], [3, 60]]> : tensor<2x2xi7>
// RUN: noria run %s --entry=odd '[]' --check-passes | FileCheck %s --check-prefix=EMPTY
// EMPTY: dense<> : tensor<0xi7>
// RUN: noria run %s --entry=odd 5 --output x=@%t.npy --check-passes
// RUN: noria run %s --entry=odd @%t.npy | FileCheck %s --check-prefix=FIVE
// FIVE: dense<5> : tensor<i7>
func.func @odd(%x: memref<*xi7>) { return }

// RUN: noria run %s --entry=odd_sum '[[1, 2], [3, 60]]' --check-passes | FileCheck %s --check-prefix=ODDS
// ODDS: dense<{{\[}}[2, 4], [6, -8]]> : tensor<2x2xi7>
func.func @odd_sum(%x: tensor<*xi7>) -> tensor<*xi7> {
  %r = arith.addi %x, %x : tensor<*xi7>
  return %r : tensor<*xi7>
}

// RUN: noria run %s --entry=wide '[1267650600228229401496703205375, -3]' --check-passes | FileCheck %s --check-prefix=WIDE
// WIDE: dense<[-2, -6]> : tensor<2xi100>
// RUN: noria run %s --entry=wide 4611686018427387904 --check-passes | FileCheck %s --check-prefix=POWER
// POWER: dense<9223372036854775808> : tensor<i100>
func.func @wide(%x: tensor<*xi100>) -> tensor<*xi100> {
  %r = arith.addi %x, %x : tensor<*xi100>
  return %r : tensor<*xi100>
}

// RUN: noria run %s --entry=small_floats '[[1.5, 448.0]]' --check-passes | FileCheck %s --check-prefix=SMALL
// SMALL: dense<{{\[}}[1.500000e+00, 4.480000e+02]]> : tensor<1x2xf8E4M3FN>
func.func @small_floats(%x: memref<*xf8E4M3FN, 1>) -> memref<*xf8E4M3FN, 1> {
  return %x : memref<*xf8E4M3FN, 1>
}

// The border between tensors and memory of unknown rank.
// RUN: noria run %s --entry=border '[[1, 2]]' zeros:1x2 --check-passes | FileCheck %s --check-prefix=BORDER
// BORDER: dense<{{\[}}[2, 4]]> : tensor<1x2xi32>
func.func @border(%x: memref<*xi32>, %y: memref<*xi32>) -> memref<*xi32> {
  %t = bufferization.to_tensor %x restrict : memref<*xi32> to tensor<*xi32>
  %u = arith.addi %t, %t : tensor<*xi32>
  %b = bufferization.to_buffer %u : tensor<*xi32> to memref<*xi32>
  return %b : memref<*xi32>
}
// RUN: noria run %s --entry=stored '[[1, 2]]' zeros:1x2 --check-passes | FileCheck %s --check-prefix=STORED
// STORED: dense<{{\[}}[1, 2]]> : tensor<1x2xi32>
// STORED-NEXT: dense<{{\[}}[2, 4]]> : tensor<1x2xi32>
func.func @stored(%x: memref<*xi32>, %y: memref<*xi32>) {
  %t = bufferization.to_tensor %x restrict : memref<*xi32> to tensor<*xi32>
  %u = arith.addi %t, %t : tensor<*xi32>
  bufferization.materialize_in_destination %u in writable %y : (tensor<*xi32>, memref<*xi32>) -> ()
  return
}

// RUN: noria compile %s --entry=written -o %t.so --header %t.h
// RUN: FileCheck %s --check-prefix=HEADER < %t.h
// HEADER: 0  x: float[...]
// RUN: noria show %t.so | FileCheck %s --check-prefix=SHOW
// SHOW: x {{ *}}float32[...]
