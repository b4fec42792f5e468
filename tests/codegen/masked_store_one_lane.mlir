// A masked store of one lane writes one element, also where the value was truncated (a fault of LLVM 22 for AVX-512).
// RUN: noria run %s --check-stages 2>&1 | FileCheck %s
// CHECK: all {{.*}} outcomes are that of 'import'
// CHECK-NEXT: 7 : i32
// CHECK-NEXT: 9 : i32
// CHECK-NEXT: 8 : i16
// CHECK-NEXT: 9 : i16
// RUN: noria compile %s --cpu=znver4 -o %t.ll
// RUN: FileCheck %s --check-prefix=IR < %t.ll
// IR-NOT: call {{.*}}@llvm.masked.store
func.func @main() -> (i32, i32, i16, i16) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %0 = memref.alloc() : memref<9xi32>
  %1 = memref.alloc() : memref<9xi64>
  %2 = memref.alloc() : memref<9xi16>
  scf.for %i = %c0 to %c8 step %c1 {
    %i64 = arith.index_cast %i : index to i64
    %c7 = arith.constant 7 : i64
    %v = arith.addi %i64, %c7 : i64
    memref.store %v, %1[%i] : memref<9xi64>
    %nine = arith.constant 9 : i32
    memref.store %nine, %0[%i] : memref<9xi32>
    %nine16 = arith.constant 9 : i16
    memref.store %nine16, %2[%i] : memref<9xi16>
  }
  %first = vector.create_mask %c1 : vector<8xi1>
  %second = arith.constant dense<[false, true, false, false, false, false, false, false]> : vector<8xi1>
  %v = vector.load %1[%c0] : memref<9xi64>, vector<8xi64>
  %v32 = arith.trunci %v : vector<8xi64> to vector<8xi32>
  vector.maskedstore %0[%c0], %first, %v32 : memref<9xi32>, vector<8xi1>, vector<8xi32>
  %v16 = arith.trunci %v : vector<8xi64> to vector<8xi16>
  vector.maskedstore %2[%c0], %second, %v16 : memref<9xi16>, vector<8xi1>, vector<8xi16>
  %a = memref.load %0[%c0] : memref<9xi32>
  %b = memref.load %0[%c1] : memref<9xi32>
  %c = memref.load %2[%c1] : memref<9xi16>
  %d = memref.load %2[%c2] : memref<9xi16>
  memref.dealloc %0 : memref<9xi32>
  memref.dealloc %1 : memref<9xi64>
  memref.dealloc %2 : memref<9xi16>
  return %a, %b, %c, %d : i32, i32, i16, i16
}
