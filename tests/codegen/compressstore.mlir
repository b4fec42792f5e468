// A compressstore compresses in the register and stores under a mask, where the CPU has an instruction for that; it has
// none for vectors of 16 and 32 bytes without AVX-512VL.
// RUN: noria compile %s --cpu=znver4 -o %t.ll
// RUN: FileCheck %s --check-prefix=COMPRESSES < %t.ll
// RUN: noria compile %s --cpu=icelake-server --features=-avx512vl -o %t2.ll
// RUN: FileCheck %s --check-prefix=PLAIN < %t2.ll
// RUN: noria compile %s --cpu=icelake-server --features=-avx512vl -o %t.o

// COMPRESSES: call <4 x i32> @llvm.x86.avx512.mask.compress.v4i32(
// COMPRESSES: call void @llvm.masked.store.v4i32
// COMPRESSES-NOT: call {{.*}}@llvm.masked.compressstore
// PLAIN-NOT: call {{.*}}@llvm.x86.avx512.mask.compress
// PLAIN: call void @llvm.masked.compressstore
func.func @main(%m: memref<?xi8>, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %zeros = arith.constant dense<0> : vector<4xi8>
  %bytes = vector.load %m[%c0] : memref<?xi8>, vector<4xi8>
  %mask = arith.cmpi ne, %bytes, %zeros : vector<4xi8>
  %values = vector.load %x[%c0] : memref<?xf32>, vector<4xf32>
  vector.compressstore %y[%c0], %mask, %values : memref<?xf32>, vector<4xi1>, vector<4xf32>
  return
}
