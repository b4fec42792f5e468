// An expandload that may read an element for each lane becomes loads of whole vectors, which are expanded in registers,
// where the CPU has the instruction for it: of all lanes, or of several parts of them.
// RUN: noria run %s --check-stages 2>&1 | FileCheck %s
// CHECK: all {{.*}} outcomes are that of 'import'
// CHECK-NEXT: dense<[100, 0, 102, 1, 2, 105, 106, 3, 108, 4, 5, 111, 6, 113, 7, 8]>
// CHECK-NEXT: dense<[100, 0, 102, 1, 2, 105, 106, 3, 108, 4, 5, 111, 6, 113, 7, 8]>
// CHECK-NEXT: dense<[100, 0, 102, 1, 2, 105, 106, 3, 108, 4, 5, 111, 6, 113, 7, 8]>
// CHECK-NEXT: dense<[2, 101, 102, 3]>
// CHECK-NEXT: dense<[2, 101, 102, 3, 104, 4]>
// CHECK-NEXT: dense<[100, 101, 102, 103]>
// RUN: noria compile %s --cpu=znver4 -o %t.ll
// RUN: FileCheck %s --check-prefixes=IR,EXPANDS < %t.ll
// RUN: noria compile %s --cpu=skylake-avx512 -o %t2.ll
// RUN: FileCheck %s --check-prefixes=IR,PLAIN < %t2.ll
// IR: define
// EXPANDS-DAG: call <8 x i64> @llvm.x86.avx512.mask.expand.v8i64(
// EXPANDS-DAG: call <16 x i32> @llvm.x86.avx512.mask.expand.v16i32(
// EXPANDS-DAG: call <16 x i8> @llvm.x86.avx512.mask.expand.v16i8(
// EXPANDS-DAG: call <6 x i32> @llvm.masked.expandload.v6i32(
// PLAIN-NOT: x86.avx512.mask.expand
func.func @fill(%i64: memref<?xi64>, %i32: memref<?xi32>, %i8: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  scf.for %i = %c0 to %c20 step %c1 {
    %x = arith.index_cast %i : index to i64
    %y = arith.trunci %x : i64 to i32
    %z = arith.trunci %x : i64 to i8
    memref.store %x, %i64[%i] : memref<?xi64>
    memref.store %y, %i32[%i] : memref<?xi32>
    memref.store %z, %i8[%i] : memref<?xi8>
  }
  return
}

func.func @main() -> (vector<16xi64>, vector<16xi32>, vector<16xi8>, vector<4xi32>, vector<6xi32>, vector<4xi32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c20 = arith.constant 20 : index
  %i64 = memref.alloc(%c20) : memref<?xi64>
  %i32 = memref.alloc(%c20) : memref<?xi32>
  %i8 = memref.alloc(%c20) : memref<?xi8>
  func.call @fill(%i64, %i32, %i8) : (memref<?xi64>, memref<?xi32>, memref<?xi8>) -> ()
  %p64 = arith.constant dense<[100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115]> : vector<16xi64>
  %p32 = arith.trunci %p64 : vector<16xi64> to vector<16xi32>
  %p8 = arith.trunci %p64 : vector<16xi64> to vector<16xi8>
  %mask = arith.constant dense<[false, true, false, true, true, false, false, true, false, true, true, false, true, false, true, true]> : vector<16xi1>
  %0 = vector.expandload %i64[%c0], %mask, %p64 {noria.readable} : memref<?xi64>, vector<16xi1>, vector<16xi64> into vector<16xi64>
  %1 = vector.expandload %i32[%c0], %mask, %p32 {noria.readable} : memref<?xi32>, vector<16xi1>, vector<16xi32> into vector<16xi32>
  %2 = vector.expandload %i8[%c0], %mask, %p8 {noria.readable} : memref<?xi8>, vector<16xi1>, vector<16xi8> into vector<16xi8>
  %p4 = vector.shuffle %p32, %p32 [0, 1, 2, 3] : vector<16xi32>, vector<16xi32>
  %p6 = vector.shuffle %p32, %p32 [0, 1, 2, 3, 4, 5] : vector<16xi32>, vector<16xi32>
  %mask4 = arith.constant dense<[true, false, false, true]> : vector<4xi1>
  %mask6 = arith.constant dense<[true, false, false, true, false, true]> : vector<6xi1>
  %none = arith.constant dense<false> : vector<4xi1>
  %3 = vector.expandload %i32[%c2], %mask4, %p4 {noria.readable} : memref<?xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
  %4 = vector.expandload %i32[%c2], %mask6, %p6 {noria.readable} : memref<?xi32>, vector<6xi1>, vector<6xi32> into vector<6xi32>
  %5 = vector.expandload %i32[%c2], %none, %p4 {noria.readable} : memref<?xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
  memref.dealloc %i64 : memref<?xi64>
  memref.dealloc %i32 : memref<?xi32>
  memref.dealloc %i8 : memref<?xi8>
  return %0, %1, %2, %3, %4, %5 : vector<16xi64>, vector<16xi32>, vector<16xi8>, vector<4xi32>, vector<6xi32>, vector<4xi32>
}
