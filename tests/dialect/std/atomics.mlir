// Ops that read, change and write as one step, and transfers; interpreted after each stage and compiled.

// Every kind, on the old value 6 and the new one 3 (floats 6.5 and 2.0). -1 tells signed from unsigned.
// RUN: noria run %s --entry=ints 6 3 --check-stages | FileCheck %s --check-prefix=INTS
// INTS: {{^}}dense<[9, 3, 6, 6, 3, 3, 18, 7, 2, 5]> : tensor<10xi32>{{$}}
// RUN: noria run %s --entry=ints -1 3 --check-stages | FileCheck %s --check-prefix=MINUS
// MINUS: {{^}}dense<[2, 3, 3, -1, -1, 3, -3, -1, 3, -4]> : tensor<10xi32>{{$}}
func @ints(%old: i32, %x: i32) -> memref<10xi32> {
  %m = alloc() : memref<10xi32>
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %c2 = constant 2 : index
  %c3 = constant 3 : index
  %c4 = constant 4 : index
  %c5 = constant 5 : index
  %c6 = constant 6 : index
  %c7 = constant 7 : index
  %c8 = constant 8 : index
  %c9 = constant 9 : index
  %c10 = constant 10 : index
  loop.for %i = %c0 to %c10 step %c1 {
    store %old, %m[%i] : memref<10xi32>
  }
  %0 = atomic_rmw "addi" %x, %m[%c0] : (i32, memref<10xi32>) -> i32
  %1 = atomic_rmw "assign" %x, %m[%c1] : (i32, memref<10xi32>) -> i32
  %2 = atomic_rmw "maxs" %x, %m[%c2] : (i32, memref<10xi32>) -> i32
  %3 = atomic_rmw "maxu" %x, %m[%c3] : (i32, memref<10xi32>) -> i32
  %4 = atomic_rmw "mins" %x, %m[%c4] : (i32, memref<10xi32>) -> i32
  %5 = atomic_rmw "minu" %x, %m[%c5] : (i32, memref<10xi32>) -> i32
  %6 = atomic_rmw "muli" %x, %m[%c6] : (i32, memref<10xi32>) -> i32
  %7 = atomic_rmw "ori" %x, %m[%c7] : (i32, memref<10xi32>) -> i32
  %8 = atomic_rmw "andi" %x, %m[%c8] : (i32, memref<10xi32>) -> i32
  %9 = atomic_rmw "xori" %x, %m[%c9] : (i32, memref<10xi32>) -> i32
  return %m : memref<10xi32>
}

// RUN: noria run %s --entry=floats 6.5 2 --check-stages | FileCheck %s --check-prefix=FLOATS
// RUN: noria run %s --entry=brains 6.5 2 --check-stages | FileCheck %s --check-prefix=FLOATS
// FLOATS: {{^}}dense<[8.500000e+00, 2.000000e+00, 6.500000e+00, 2.000000e+00, 1.300000e+01, 6.500000e+00, 2.000000e+00]>
// RUN: noria run %s --entry=floats nan 2 --check-stages | FileCheck %s --check-prefix=NANS
// NANS: {{^}}dense<[0x7FC00000, 2.000000e+00, 0x7FC00000, 0x7FC00000, 0x7FC00000, 2.000000e+00, 2.000000e+00]>
func @floats(%old: f32, %x: f32) -> memref<7xf32> {
  %m = alloc() : memref<7xf32>
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %c2 = constant 2 : index
  %c3 = constant 3 : index
  %c4 = constant 4 : index
  %c5 = constant 5 : index
  %c6 = constant 6 : index
  %c7 = constant 7 : index
  loop.for %i = %c0 to %c7 step %c1 {
    store %old, %m[%i] : memref<7xf32>
  }
  %0 = atomic_rmw "addf" %x, %m[%c0] : (f32, memref<7xf32>) -> f32
  %1 = atomic_rmw "assign" %x, %m[%c1] : (f32, memref<7xf32>) -> f32
  %2 = atomic_rmw "maxf" %x, %m[%c2] : (f32, memref<7xf32>) -> f32
  %3 = atomic_rmw "minf" %x, %m[%c3] : (f32, memref<7xf32>) -> f32
  %4 = atomic_rmw "mulf" %x, %m[%c4] : (f32, memref<7xf32>) -> f32
  %5 = atomic_rmw "maxnumf" %x, %m[%c5] : (f32, memref<7xf32>) -> f32
  %6 = atomic_rmw "minnumf" %x, %m[%c6] : (f32, memref<7xf32>) -> f32
  return %m : memref<7xf32>
}

// A type that the CPU does not compute with: a loop around compare-and-exchange.
func @brains(%old: bf16, %x: bf16) -> memref<7xbf16> {
  %m = alloc() : memref<7xbf16>
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %c2 = constant 2 : index
  %c3 = constant 3 : index
  %c4 = constant 4 : index
  %c5 = constant 5 : index
  %c6 = constant 6 : index
  %c7 = constant 7 : index
  loop.for %i = %c0 to %c7 step %c1 {
    store %old, %m[%i] : memref<7xbf16>
  }
  %0 = atomic_rmw "addf" %x, %m[%c0] : (bf16, memref<7xbf16>) -> bf16
  %1 = atomic_rmw "assign" %x, %m[%c1] : (bf16, memref<7xbf16>) -> bf16
  %2 = atomic_rmw "maxf" %x, %m[%c2] : (bf16, memref<7xbf16>) -> bf16
  %3 = atomic_rmw "minf" %x, %m[%c3] : (bf16, memref<7xbf16>) -> bf16
  %4 = atomic_rmw "mulf" %x, %m[%c4] : (bf16, memref<7xbf16>) -> bf16
  %5 = atomic_rmw "maxnumf" %x, %m[%c5] : (bf16, memref<7xbf16>) -> bf16
  %6 = atomic_rmw "minnumf" %x, %m[%c6] : (bf16, memref<7xbf16>) -> bf16
  return %m : memref<7xbf16>
}

// i17 takes 32 bits in memory, i1 a byte: results wrap at their own width.
// RUN: noria run %s --entry=odd_widths --check-stages | FileCheck %s --check-prefix=ODD
// ODD: {{^}}-65536 : i64{{$}}
// ODD-NEXT: {{^}}65535 : i64{{$}}
// ODD-NEXT: {{^}}true{{$}}
// ODD-NEXT: {{^}}false{{$}}
func @odd_widths() -> (i64, i64, i1, i1) {
  %c0 = constant 0 : index
  %m = alloc() : memref<1xi17>
  %b = alloc() : memref<1xi1>
  %big = constant 65535 : i17
  %one = constant 1 : i17
  %true = constant 1 : i1
  store %big, %m[%c0] : memref<1xi17>
  store %true, %b[%c0] : memref<1xi1>
  %0 = atomic_rmw "addi" %one, %m[%c0] : (i17, memref<1xi17>) -> i17
  %1 = load %m[%c0] : memref<1xi17>
  %2 = atomic_rmw "addi" %true, %b[%c0] : (i1, memref<1xi1>) -> i1
  %3 = load %b[%c0] : memref<1xi1>
  %4 = sexti %1 : i17 to i64
  %5 = sexti %0 : i17 to i64
  return %4, %5, %2, %3 : i64, i64, i1, i1
}

// RUN: noria run %s --entry=generic '[1,2,3,4]' 10 --check-stages | FileCheck %s --check-prefix=GENERIC
// GENERIC: {{^}}2.000000e+00 : f32{{$}}
// GENERIC-NEXT: {{^}}1.200000e+01 : f32{{$}}
// GENERIC-NEXT: {{^}}3.000000e+00 : f32{{$}}
func @generic(%m: memref<4xf32>, %x: f32) -> (f32, f32, f32) {
  %c1 = constant 1 : index
  %c2 = constant 2 : index
  %0 = generic_atomic_rmw %m[%c1] : memref<4xf32> {
  ^bb0(%c: f32):
    %y = addf %c, %x : f32
    %g = cmpf "ogt", %y, %x : f32
    %z = select %g, %y, %c : f32
    atomic_yield %z : f32
  }
  %1 = load %m[%c1] : memref<4xf32>
  %2 = load %m[%c2] : memref<4xf32>
  return %0, %1, %2 : f32, f32, f32
}

// Elements 1..4 to a row; then 4 elements in runs of 2, 4 apart, from the slower memory; then the same back.
// RUN: noria run %s --entry=transfer '[1,2,3,4,5,6,7,8]' --check-stages | FileCheck %s --check-prefix=DMA
// DMA: {{^}}dense<{{\[}}[2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00], [1.000000e+00, 2.000000e+00, 5.000000e+00, 6.000000e+00]]> : tensor<2x4xf32>{{$}}
// DMA-NEXT: {{^}}dense<[2.000000e+00, 3.000000e+00, 3.000000e+00, 4.000000e+00, 4.000000e+00, 5.000000e+00, 7.000000e+00, 8.000000e+00]> : tensor<8xf32>{{$}}
func @transfer(%m: memref<8xf32>) -> (memref<2x4xf32>, memref<8xf32>) {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %c2 = constant 2 : index
  %c4 = constant 4 : index
  %d = alloc() : memref<2x4xf32, 1>
  %out = alloc() : memref<2x4xf32>
  %slow = alloc() : memref<8xf32>
  %tag = alloc() : memref<1xi32>
  dma_start %m[%c1], %d[%c0, %c0], %c4, %tag[%c0] : memref<8xf32>, memref<2x4xf32, 1>, memref<1xi32>
  dma_wait %tag[%c0], %c4 : memref<1xi32>
  dma_start %m[%c0], %d[%c1, %c0], %c4, %tag[%c0], %c4, %c2 : memref<8xf32>, memref<2x4xf32, 1>, memref<1xi32>
  dma_wait %tag[%c0], %c4 : memref<1xi32>
  %c8 = constant 8 : index
  loop.for %i = %c0 to %c8 step %c1 {
    %x = load %m[%i] : memref<8xf32>
    store %x, %slow[%i] : memref<8xf32>
  }
  dma_start %d[%c0, %c0], %slow[%c0], %c4, %tag[%c0], %c4, %c2 : memref<2x4xf32, 1>, memref<8xf32>, memref<1xi32>
  dma_wait %tag[%c0], %c4 : memref<1xi32>
  dma_start %d[%c0, %c1], %slow[%c2], %c2, %tag[%c0] : memref<2x4xf32, 1>, memref<8xf32>, memref<1xi32>
  dma_start %d[%c0, %c0], %out[%c0, %c0], %c8, %tag[%c0] : memref<2x4xf32, 1>, memref<2x4xf32>, memref<1xi32>
  return %out, %slow : memref<2x4xf32>, memref<8xf32>
}

// Iterations of a parallel loop add to one element.
// RUN: noria run %s --entry=in_parallel '[0]' 100 --check-stages | FileCheck %s --check-prefix=PARALLEL
// PARALLEL: {{^}}100 : i32{{$}}
func @in_parallel(%m: memref<1xi32>, %n: index) -> i32 {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %one = constant 1 : i32
  loop.parallel (%i) = (%c0) to (%n) step (%c1) {
    %0 = atomic_rmw "addi" %one, %m[%c0] : (i32, memref<1xi32>) -> i32
    loop.yield
  }
  %1 = load %m[%c0] : memref<1xi32>
  return %1 : i32
}
