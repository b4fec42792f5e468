// Accesses of machine code to memory that is not the program's: each ends the run where it stands, and says what it missed.

// RUN: noria run --sanitize=address %s --entry=load ones:4xf32 3
// RUN: noria run --sanitize=address %s --entry=store 4 3
// RUN: noria run --sanitize=address %s --entry=stack 3
// RUN: noria run --sanitize=address %s --entry=vector ones:8xf32 0
// RUN: noria run --sanitize=address %s --entry=masked ones:4xf32 4
// RUN: noria run --sanitize=address %s --entry=gathered ones:3xf32 2
// RUN: noria run --sanitize=address %s --entry=loop ones:1000xf32 1000
// RUN: noria run --sanitize=address %s --entry=parallel 100000 100000
// RUN: noria run --sanitize=address %s --entry=variables 3
// RUN: noria run --sanitize=address %s --entry=constants 39
// RUN: noria run --sanitize=address %s --entry=copy ones:8xf32 8
// RUN: noria run --sanitize=address %s --entry=atomic ones:4xf32 3
// RUN: noria run --sanitize=address %s --entry=aligned 3
// RUN: not noria run --sanitize=address %s --entry=load ones:4xf32 4 2>&1 | FileCheck --check-prefix=LOAD0 %s
// RUN: not noria run --sanitize=address %s --entry=load ones:4xf32 -2 2>&1 | FileCheck --check-prefix=LOAD1 %s
// RUN: not noria run --sanitize=address %s --entry=load ones:4xf32 1000000000000 2>&1 | FileCheck --check-prefix=LOAD2 %s
// RUN: not noria run --sanitize=address %s --entry=store 4 4 2>&1 | FileCheck --check-prefix=STORE3 %s
// RUN: not noria run --sanitize=address %s --entry=store 4 -1 2>&1 | FileCheck --check-prefix=STORE4 %s
// RUN: not noria run --sanitize=address %s --entry=freed 0 2>&1 | FileCheck --check-prefix=FREED5 %s
// RUN: not noria run --sanitize=address %s --entry=stack 4 2>&1 | FileCheck --check-prefix=STACK6 %s
// RUN: not noria run --sanitize=address %s --entry=stack -1 2>&1 | FileCheck --check-prefix=STACK7 %s
// RUN: not noria run --sanitize=address %s --entry=vector ones:8xf32 1 2>&1 | FileCheck --check-prefix=VECTOR8 %s
// RUN: not noria run --sanitize=address %s --entry=masked ones:4xf32 5 2>&1 | FileCheck --check-prefix=MASKED9 %s
// RUN: not noria run --sanitize=address %s --entry=gathered ones:3xf32 3 2>&1 | FileCheck --check-prefix=GATHERED10 %s
// RUN: not noria run --sanitize=address %s --entry=loop ones:1000xf32 1001 2>&1 | FileCheck --check-prefix=LOOP11 %s
// RUN: not noria run --sanitize=address %s --entry=parallel 100000 100100 2>&1 | FileCheck --check-prefix=PARALLEL12 %s
// RUN: not noria run --sanitize=address %s --entry=variables 4 2>&1 | FileCheck --check-prefix=VARIABLES13 %s
// RUN: not noria run --sanitize=address %s --entry=constants 40 2>&1 | FileCheck --check-prefix=CONSTANTS14 %s
// RUN: not noria run --sanitize=address %s --entry=constants -1 2>&1 | FileCheck --check-prefix=CONSTANTS15 %s
// RUN: not noria run --sanitize=address %s --entry=copy ones:8xf32 7 2>&1 | FileCheck --check-prefix=COPY16 %s
// RUN: not noria run --sanitize=address %s --entry=realloc 4 8 2>&1 | FileCheck --check-prefix=REALLOC17 %s
// RUN: not noria run --sanitize=address %s --entry=atomic ones:4xf32 4 2>&1 | FileCheck --check-prefix=ATOMIC18 %s
// RUN: not noria run --sanitize=address %s --entry=aligned 4 2>&1 | FileCheck --check-prefix=ALIGNED19 %s
// RUN: not noria run --sanitize=address %s --entry=aligned -1 2>&1 | FileCheck --check-prefix=ALIGNED20 %s
// RUN: not noria run --sanitize=memory %s --entry=store 4 3 2>&1 | FileCheck --check-prefix=WHAT %s
// RUN: not noria compile --sanitize=address --entry=store %s -o %t.so 2>&1 | FileCheck --check-prefix=COMPILE %s
// WHAT: noria run: --sanitize cannot be 'memory'
// COMPILE: code under the address sanitizer is made in memory only

func.func @load(%x: memref<?xf32>, %i: index) -> f32 {
  // LOAD0: sanitize.mlir:[[#@LINE+3]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}reads 4 bytes 0 bytes after a buffer of 16 bytes
  // LOAD1: sanitize.mlir:[[#@LINE+2]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}reads 4 bytes 8 bytes before a buffer of 16 bytes
  // LOAD2: sanitize.mlir:[[#@LINE+1]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}reads 4 bytes where no buffer is
  %v = memref.load %x[%i] : memref<?xf32>
  return %v : f32
}
func.func @store(%n: index, %i: index) -> f32 {
  %c = arith.constant 1.0 : f32
  %b = memref.alloc(%n) : memref<?xf32>
  // STORE3: sanitize.mlir:[[#@LINE+2]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}writes 4 bytes 0 bytes after a buffer of 16 bytes made at
  // STORE4: sanitize.mlir:[[#@LINE+1]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}writes 4 bytes 4 bytes before a buffer of 16 bytes made at
  memref.store %c, %b[%i] : memref<?xf32>
  %v = memref.load %b[%i] : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  return %v : f32
}
func.func @freed(%i: index) -> f32 {
  %c = arith.constant 1.0 : f32
  %b = memref.alloc() : memref<4xf32>
  memref.store %c, %b[%i] : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  // FREED5: sanitize.mlir:[[#@LINE+1]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}reads 4 bytes at byte 0 of a buffer of 16 bytes made at {{.*}}, which was freed
  %v = memref.load %b[%i] : memref<4xf32>
  return %v : f32
}
func.func @stack(%i: index) -> i32 {
  %c = arith.constant 1 : i32
  %a = memref.alloca() : memref<4xi32>
  %b = memref.alloca() : memref<4xi32>
  // STACK6: sanitize.mlir:[[#@LINE+2]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}writes 4 bytes 0 bytes after a buffer of 16 bytes made at
  // STACK7: sanitize.mlir:[[#@LINE+1]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}writes 4 bytes 4 bytes before a buffer of 16 bytes made at
  memref.store %c, %a[%i] : memref<4xi32>
  memref.store %c, %b[%i] : memref<4xi32>
  %v = memref.load %a[%i] : memref<4xi32>
  return %v : i32
}
func.func @vector(%x: memref<?xf32>, %i: index) -> f32 {
  // VECTOR8: sanitize.mlir:[[#@LINE+1]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}reads 32 bytes at byte 4 of a buffer of 32 bytes
  %v = vector.load %x[%i] : memref<?xf32>, vector<8xf32>
  %s = vector.reduction <add>, %v : vector<8xf32> into f32
  return %s : f32
}
func.func @masked(%x: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %m = vector.create_mask %n : vector<8xi1>
  // MASKED9: sanitize.mlir:[[#@LINE+1]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}reads 4 bytes 0 bytes after a buffer of 16 bytes
  %v = vector.maskedload %x[%c0], %m, %zero : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %s = vector.reduction <add>, %v : vector<8xf32> into f32
  return %s : f32
}
func.func @gathered(%x: memref<?xf32>, %at: i32) -> f32 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %on = arith.constant dense<true> : vector<4xi1>
  %first = arith.constant dense<[0, 1, 2, 0]> : vector<4xi32>
  %i = vector.insert %at, %first[3] : i32 into vector<4xi32>
  // GATHERED10: sanitize.mlir:[[#@LINE+1]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}reads 4 bytes 0 bytes after a buffer of 12 bytes
  %v = vector.gather %x[%c0][%i], %on, %zero : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %s = vector.reduction <add>, %v : vector<4xf32> into f32
  return %s : f32
}
func.func @loop(%x: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
  // LOOP11: sanitize.mlir:[[#@LINE+1]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}bytes after a buffer of 4000 bytes
    %v = memref.load %x[%i] : memref<?xf32>
    %t = arith.addf %s, %v fastmath<reassoc> : f32
    scf.yield %t : f32
  }
  return %r : f32
}
func.func @parallel(%n: index, %m: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = arith.constant 1.0 : f32
  %b = memref.alloc(%n) : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
  // PARALLEL12: sanitize.mlir:[[#@LINE+1]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}bytes after a buffer of 400000 bytes made at
    memref.store %c, %b[%i] : memref<?xf32>
  }
  %v = memref.load %b[%c0] : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  return %v : f32
}
memref.global "private" @variable : memref<4xi32> = dense<[1, 2, 3, 4]>
memref.global "private" @other : memref<4xi32> = dense<[5, 6, 7, 8]>
func.func @variables(%i: index) -> i32 {
  %a = memref.get_global @variable : memref<4xi32>
  %b = memref.get_global @other : memref<4xi32>
  %c = arith.constant 9 : i32
  %c0 = arith.constant 0 : index
  memref.store %c, %b[%c0] : memref<4xi32>
  // VARIABLES13: sanitize.mlir:[[#@LINE+1]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}writes 4 bytes 0 bytes after a constant or global of 16 bytes
  memref.store %c, %a[%i] : memref<4xi32>
  %v = memref.load %b[%c0] : memref<4xi32>
  return %v : i32
}
memref.global "private" constant @table : memref<40xi32> = dense<7>
func.func @constants(%i: index) -> i32 {
  %a = memref.get_global @table : memref<40xi32>
  // CONSTANTS14: sanitize.mlir:[[#@LINE+2]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}reads 4 bytes 0 bytes after a constant or global of 160 bytes
  // CONSTANTS15: sanitize.mlir:[[#@LINE+1]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}reads 4 bytes 4 bytes before a constant or global of 160 bytes
  %v = memref.load %a[%i] : memref<40xi32>
  return %v : i32
}
func.func @copy(%x: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %b = memref.alloc(%n) : memref<?xf32>
  // COPY16: sanitize.mlir:[[#@LINE+1]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}writes 32 bytes at byte 0 of a buffer of 28 bytes made at
  memref.copy %x, %b : memref<?xf32> to memref<?xf32>
  %v = memref.load %b[%c0] : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  return %v : f32
}
func.func @realloc(%n: index, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c = arith.constant 1.0 : f32
  %b = memref.alloc(%n) : memref<?xf32>
  memref.store %c, %b[%c0] : memref<?xf32>
  %m = memref.realloc %b(%i) : memref<?xf32> to memref<?xf32>
  // REALLOC17: sanitize.mlir:[[#@LINE+1]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}a buffer of 16 bytes made at {{.*}}, which was freed
  %v = memref.load %b[%c0] : memref<?xf32>
  memref.dealloc %m : memref<?xf32>
  return %v : f32
}
func.func @atomic(%x: memref<?xf32>, %i: index) -> f32 {
  %c = arith.constant 1.0 : f32
  // ATOMIC18: sanitize.mlir:[[#@LINE+1]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}writes 4 bytes 0 bytes after a buffer of 16 bytes
  %v = memref.atomic_rmw addf %c, %x[%i] : (f32, memref<?xf32>) -> f32
  return %v : f32
}
func.func @aligned(%i: index) -> f32 {
  %c = arith.constant 1.0 : f32
  %b = memref.alloc() {alignment = 1024} : memref<4xf32>
  // ALIGNED19: sanitize.mlir:[[#@LINE+2]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}writes 4 bytes 0 bytes after a buffer of 16 bytes made at
  // ALIGNED20: sanitize.mlir:[[#@LINE+1]]:{{[0-9]+}}: out of bounds access: machine code {{.*}}writes 4 bytes 4 bytes before a buffer of 16 bytes made at
  memref.store %c, %b[%i] : memref<4xf32>
  %v = memref.load %b[%i] : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  return %v : f32
}
