// Element-wise ops on tensors of unknown rank: in machine code as in the interpreter, and after every pass between.
// RUN: noria opt --flatten-unranked %s | FileCheck %s

// A chain has one shape, and one row for what comes in.
// CHECK-LABEL: func.func @chain(
// CHECK-COUNT-1: scf.for
// CHECK:         %[[ROW:.*]] = tensor.reshape %arg0(%{{.*}}) : (tensor<*xf32>, tensor<1xindex>) -> tensor<?xf32>
// CHECK:         %[[SUM:.*]] = arith.addf %[[ROW]], %[[ROW]] {{.*}}: tensor<?xf32>
// CHECK:         %[[EXP:.*]] = math.exp %[[SUM]] : tensor<?xf32>
// CHECK:         %[[CUT:.*]] = arith.truncf %[[EXP]] : tensor<?xf32> to tensor<?xf16>
// CHECK:         %[[OUT:.*]] = tensor.reshape %[[CUT]](%{{.*}}) : (tensor<?xf16>, tensor<?xindex>) -> tensor<*xf16>
// CHECK:         return %[[OUT]]
// RUN: noria run %s --entry=chain '[[1, 2], [0, -1]]' --check-passes | FileCheck %s --check-prefix=CHAIN
// CHAIN: dense<{{\[}}[7.390620e+00, 5.459380e+01], [1.000000e+00, 1.353760e-01]]> : tensor<2x2xf16>
// RUN: noria run %s --entry=chain 0 --check-passes | FileCheck %s --check-prefix=SCALAR
// SCALAR: dense<1.000000e+00> : tensor<f16>
// RUN: noria run %s --entry=chain '[[], []]' --check-passes | FileCheck %s --check-prefix=NONE
// NONE: dense<> : tensor<2x0xf16>
func.func @chain(%x: tensor<*xf32>) -> tensor<*xf16> {
  %a = arith.addf %x, %x : tensor<*xf32>
  %b = math.exp %a : tensor<*xf32>
  %c = arith.truncf %b : tensor<*xf32> to tensor<*xf16>
  return %c : tensor<*xf16>
}

// RUN: noria run %s --entry=clamp '[[1, 5, 9]]' '[[2, 2, 2]]' --check-passes | FileCheck %s --check-prefix=CLAMP
// CLAMP: dense<{{\[}}[2, 5, 9]]> : tensor<1x3xi32>
// RUN: not noria run %s --entry=clamp '[[1, 5, 9]]' '[1, 5, 9]' 2>&1 | FileCheck %s --check-prefix=RANKS
// RUN: not noria run %s --entry=clamp --interpret '[[1, 5, 9]]' '[1, 5, 9]' 2>&1 | FileCheck %s --check-prefix=RANKS
// RANKS: flatten_unranked.mlir:[[#@LINE+6]]:8: 'arith.cmpi' op its operands have different shapes
// RUN: not noria run %s --entry=clamp '[[1, 5, 9]]' '[[1], [5], [9]]' 2>&1 | FileCheck %s --check-prefix=DIMS
// RUN: not noria run %s --entry=clamp --interpret '[[1, 5, 9]]' '[[1], [5], [9]]' 2>&1 | FileCheck %s --check-prefix=DIMS
// DIMS: flatten_unranked.mlir:[[#@LINE+3]]:8: 'arith.cmpi' op its operands have different shapes
func.func @clamp(%x: tensor<*xi32>, %y: tensor<*xi32>) -> tensor<*xi32> {

  %c = arith.cmpi slt, %x, %y : tensor<*xi32>
  %r = arith.select %c, %y, %x : tensor<*xi1>, tensor<*xi32>
  return %r : tensor<*xi32>
}

// What asks about elements asks about these too.
// RUN: noria run %s --entry=divided '[[8], [9]]' '[[2], [3]]' --check-passes | FileCheck %s --check-prefix=DIVIDED
// DIVIDED: dense<{{\[}}[4], [3]]> : tensor<2x1xi32>
// RUN: not noria run %s --entry=divided '[[8], [9]]' '[[2], [0]]' 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not noria run %s --entry=divided --interpret '[[8], [9]]' '[[2], [0]]' 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: 'arith.divsi' op division by zero
func.func @divided(%x: tensor<*xi32>, %y: tensor<*xi32>) -> tensor<*xi32> {
  %r = arith.divsi %x, %y : tensor<*xi32>
  return %r : tensor<*xi32>
}

// In a loop, of shapes that change: each trip adds a dim.
// RUN: noria run %s --entry=loop '[1, 2]' 3 --check-passes | FileCheck %s --check-prefix=LOOP
// LOOP: dense<{{\[\[\[\[}}8, 16]]]]> : tensor<1x1x1x2xi32>
func.func @loop(%x: tensor<*xi32>, %n: index) -> tensor<*xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<*xi32> {
    %twice = arith.addi %a, %a : tensor<*xi32>
    %rank = tensor.rank %twice : tensor<*xi32>
    %more = arith.addi %rank, %c1 : index
    %shape = tensor.generate %more {
    ^bb0(%d: index):
      %first = arith.cmpi eq, %d, %c0 : index
      %size = scf.if %first -> index {
        scf.yield %c1 : index
      } else {
        %before = arith.subi %d, %c1 : index
        %same = tensor.dim %twice, %before : tensor<*xi32>
        scf.yield %same : index
      }
      tensor.yield %size : index
    } : tensor<?xindex>
    %b = tensor.reshape %twice(%shape) : (tensor<*xi32>, tensor<?xindex>) -> tensor<*xi32>
    scf.yield %b : tensor<*xi32>
  }
  return %r : tensor<*xi32>
}

// Values of different rank come together in a block.
// RUN: noria run %s --entry=blocks '[[1, 2]]' 3 1 --check-passes | FileCheck %s --check-prefix=FIRST
// RUN: noria run %s --entry=blocks '[[1, 2]]' 3 0 --check-passes | FileCheck %s --check-prefix=SECOND
// FIRST: dense<{{\[}}[-1.000000e+00, -2.000000e+00]]> : tensor<1x2xf64>
// SECOND: dense<-3.000000e+00> : tensor<f64>
func.func @blocks(%x: tensor<1x2xf64>, %y: tensor<f64>, %c: i1) -> tensor<*xf64> {
  %u = tensor.cast %x : tensor<1x2xf64> to tensor<*xf64>
  %v = tensor.cast %y : tensor<f64> to tensor<*xf64>
  cf.cond_br %c, ^end(%u : tensor<*xf64>), ^end(%v : tensor<*xf64>)
^end(%t: tensor<*xf64>):
  %r = arith.negf %t : tensor<*xf64>
  return %r : tensor<*xf64>
}

// RUN: noria run %s --entry=bits '[[1.0, -2.0]]' --check-passes | FileCheck %s --check-prefix=BITS
// BITS: dense<{{\[}}[1065353216, -1073741824]]> : tensor<1x2xi32>
func.func @bits(%x: tensor<*xf32>) -> tensor<*xi32> {
  %r = tensor.bitcast %x : tensor<*xf32> to tensor<*xi32>
  return %r : tensor<*xi32>
}

// RUN: noria run %s --entry=wide '[[1, 2]]' --check-passes | FileCheck %s --check-prefix=WIDE
// WIDE: dense<{{\[}}[1, 4]]> : tensor<1x2xi64>
// WIDE: dense<0> : tensor<1x2xi64>
func.func @wide(%x: tensor<*xi64>) -> (tensor<*xi64>, tensor<*xi64>) {
  %low, %high = arith.mulsi_extended %x, %x : tensor<*xi64>
  return %low, %high : tensor<*xi64>, tensor<*xi64>
}
