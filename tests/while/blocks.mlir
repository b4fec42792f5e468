// Loops that are left from inside: break, continue and return. test_while.py runs them, and every pass on them.
// RUN: noria run %s --check-stages '[1, 2, 5, 7, -4, 8]' | FileCheck %s
// CHECK: 13 : i64
// CHECK-NEXT: 13 : i64

// The sum of the odd elements (continue) in front of the first negative one (break); -1 (return) where a 0 comes first.
func.func @leaves(%list: memref<?xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %minus = arith.constant -1 : i64
  %n = memref.dim %list, %c0 : memref<?xi64>
  %r:2 = scf.loop token(%l) iter_args(%i = %c0, %sum = %zero) : index, i64 -> (i64, i1) {
    %inside = arith.cmpi ult, %i, %n : index
    %false = arith.constant false
    %true = arith.constant true
    %behind = arith.xori %inside, %true : i1
    scf.if %behind {
      scf.break [%l] %sum, %false : i64, i1
    }
    %e = memref.load %list[%i] : memref<?xi64>
    %is_zero = arith.cmpi eq, %e, %zero : i64
    scf.if %is_zero {
      scf.break [%l] %minus, %true : i64, i1
    }
    %negative = arith.cmpi slt, %e, %zero : i64
    scf.if %negative {
      scf.break [%l] %sum, %false : i64, i1
    }
    %next = arith.addi %i, %c1 : index
    %bit = arith.andi %e, %one : i64
    %even = arith.cmpi eq, %bit, %zero : i64
    scf.if %even {
      scf.continue [%l] %next, %sum : index, i64
    }
    %sum1 = arith.addi %sum, %e : i64
    scf.continue [%l] %next, %sum1 : index, i64
  }
  return %r#0 : i64
}

// The same with blocks and branches, as programs of other compilers have it.
func.func @branches(%list: memref<?xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %minus = arith.constant -1 : i64
  %n = memref.dim %list, %c0 : memref<?xi64>
  cf.br ^head(%c0, %zero : index, i64)
^head(%i: index, %sum: i64):
  %inside = arith.cmpi ult, %i, %n : index
  cf.cond_br %inside, ^body, ^end
^body:
  %e = memref.load %list[%i] : memref<?xi64>
  %next = arith.addi %i, %c1 : index
  %is_zero = arith.cmpi eq, %e, %zero : i64
  cf.cond_br %is_zero, ^failed, ^sign
^sign:
  %negative = arith.cmpi slt, %e, %zero : i64
  cf.cond_br %negative, ^end, ^parity
^parity:
  %bit = arith.andi %e, %one : i64
  %even = arith.cmpi eq, %bit, %zero : i64
  %sum1 = arith.addi %sum, %e : i64
  cf.cond_br %even, ^head(%next, %sum : index, i64), ^head(%next, %sum1 : index, i64)
^failed:
  return %minus : i64
^end:
  return %sum : i64
}

func.func @main(%values: tensor<?xi64>) -> (i64, i64) {
  %list = bufferization.to_buffer %values read_only : tensor<?xi64> to memref<?xi64>
  %a = func.call @leaves(%list) : (memref<?xi64>) -> i64
  %b = func.call @branches(%list) : (memref<?xi64>) -> i64
  return %a, %b : i64, i64
}
