// What the interpreter holds counts against the memory limit as what machine code allocates does: the same message, with
// the place of the op that asked for more.
// RUN: not noria run --interpret --memory-limit=1M --entry=tensors %s 2>&1 | FileCheck %s --check-prefix=TENSORS
// RUN: not noria run --interpret --memory-limit=1M --entry=buffers %s 600000 2>&1 | FileCheck %s --check-prefix=BUFFERS
// RUN: not noria run --memory-limit=1M --entry=buffers %s 600000 2>&1 | FileCheck %s --check-prefix=BUFFERS
// RUN: not noria run --interpret --memory-limit=1M --entry=vectors %s 3 2>&1 | FileCheck %s --check-prefix=VECTORS
// RUN: not noria run --memory-limit=1M --entry=huge %s 3 2>&1 | FileCheck %s --check-prefix=HUGE-CODE
// RUN: not noria run --interpret --memory-limit=1M --entry=huge %s 3 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: noria run --interpret --memory-limit=2M --entry=tensors %s | FileCheck %s --check-prefix=FITS
// RUN: noria run --interpret --memory-limit=1M --entry=freed %s | FileCheck %s --check-prefix=FITS
// RUN: noria run --memory-limit=1M --entry=freed %s | FileCheck %s --check-prefix=FITS
// RUN: noria run --interpret --memory-limit=1M --entry=resized %s | FileCheck %s --check-prefix=FITS

// FITS: 7

// The first tensor fits and the second no more.
// TENSORS: memory_limit.mlir:[[#@LINE+4]]:8: the memory limit of 1048576 bytes is reached: the run holds 600000 bytes and asks for 600000
func.func @tensors() -> i8 {
  %c7 = arith.constant 7 : i8
  %a = tensor.splat %c7 : tensor<600000xi8>
  %b = arith.addi %a, %a : tensor<600000xi8>
  %c3 = arith.constant 3 : index
  %x = tensor.extract %a[%c3] : tensor<600000xi8>
  %y = tensor.extract %b[%c3] : tensor<600000xi8>
  %r = arith.subi %y, %x : i8
  return %r : i8
}

// BUFFERS: memory_limit.mlir:[[#@LINE+4]]:8: the memory limit of 1048576 bytes is reached: the run holds 600000 bytes and asks for 600000
func.func @buffers(%n: index) -> i8 {
  %c3 = arith.constant 3 : index
  %a = memref.alloc(%n) : memref<?xi8>
  %b = memref.alloc(%n) : memref<?xi8>
  %x = memref.load %a[%c3] : memref<?xi8>
  %y = memref.load %b[%c3] : memref<?xi8>
  %r = arith.subi %y, %x : i8
  return %r : i8
}

// VECTORS: memory_limit.mlir:[[#@LINE+2]]:8: the memory limit of 1048576 bytes is reached: the run holds 0 bytes and asks for 2000000
func.func @vectors(%x: i8) -> i8 {
  %v = vector.broadcast %x : i8 to vector<2000000xi8>
  %r = vector.extract %v[5] : i8 from vector<2000000xi8>
  return %r : i8
}

// HUGE: memory_limit.mlir:[[#@LINE+4]]:8: the memory limit of 1048576 bytes is reached: the run holds 0 bytes and asks for 20000000000
// HUGE-CODE: the memory limit of 1048576 bytes is reached: the run holds 0 bytes and asks for 20000000000
func.func @huge(%x: i8) -> i8 {
  %c3 = arith.constant 3 : index
  %a = tensor.empty() : tensor<20000000000xi8>
  %r = tensor.extract %a[%c3] : tensor<20000000000xi8>
  return %r : i8
}

// What is freed counts no more.
func.func @freed() -> i8 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %n = arith.constant 600000 : index
  %c7 = arith.constant 7 : i8
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%acc = %c7) -> i8 {
    %a = memref.alloc(%n) : memref<?xi8>
    memref.store %acc, %a[%i] : memref<?xi8>
    %x = memref.load %a[%i] : memref<?xi8>
    memref.dealloc %a : memref<?xi8>
    scf.yield %x : i8
  }
  return %r : i8
}

func.func @resized() -> i8 {
  %c0 = arith.constant 0 : index
  %n = arith.constant 600000 : index
  %m = arith.constant 900000 : index
  %c7 = arith.constant 7 : i8
  %a = memref.alloc(%n) : memref<?xi8>
  memref.store %c7, %a[%c0] : memref<?xi8>
  %b = memref.realloc %a(%m) : memref<?xi8> to memref<?xi8>
  %x = memref.load %b[%c0] : memref<?xi8>
  memref.dealloc %b : memref<?xi8>
  return %x : i8
}
