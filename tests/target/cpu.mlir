// Passes and code are made for the CPU that is asked for, not for this one.
// REQUIRES: x86_64
// RUN: noria opt --cpu=nehalem --vectorize-contractions %s | FileCheck %s --check-prefix=V16 --implicit-check-not="vector<8" --implicit-check-not="vector<16"
// RUN: noria opt --cpu=x86-64-v3 --vectorize-contractions %s | FileCheck %s --check-prefix=V32 --implicit-check-not="vector<4x" --implicit-check-not="vector<16"
// RUN: noria opt --cpu=x86-64-v4 --vectorize-contractions %s | FileCheck %s --check-prefix=V64 --implicit-check-not="vector<4x" --implicit-check-not="vector<8"
// RUN: noria opt --cpu=x86-64-v4 --features=-avx512vl --vectorize-contractions %s | FileCheck %s --check-prefix=V32
// RUN: noria opt --cpu=x86-64 --features=+avx2 --vectorize-contractions %s | FileCheck %s --check-prefix=V32
// V16: vector<4xf32>
// V32: vector<8xf32>
// V64: vector<16xf32>

// RUN: noria compile %s --cpu=nehalem -o %t.ll && FileCheck %s --check-prefix=LL16 --implicit-check-not="<16 x float>" --implicit-check-not="<8 x float>" < %t.ll
// LL16: <4 x float>
// RUN: noria compile %s --cpu=x86-64-v4 -o %t.ll && FileCheck %s --check-prefix=LL64 < %t.ll
// LL64: <16 x float>

// Every x86-64 CPU can run code for the first of them.
// RUN: noria run %s --cpu=x86-64 --check-stages 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: all {{.*}} outcomes are that of 'import'

// RUN: not noria opt --cpu=nehalam --cse %s 2>&1 | FileCheck %s --check-prefix=CPU --implicit-check-not=processor
// RUN: not noria opt --features=+avx21 --cse %s 2>&1 | FileCheck %s --check-prefix=FEATURE
// CPU: unknown CPU 'nehalam'; did you mean 'nehalem'?
// FEATURE: unknown CPU feature 'avx21'; did you mean 'avx2'?
func.func @main() -> f32 {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %a = memref.alloc() : memref<8x16xf32>
  %b = memref.alloc() : memref<16x64xf32>
  %c = memref.alloc() : memref<8x64xf32>
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} outs(%a : memref<8x16xf32>) {
  ^bb0(%o: f32):
    linalg.yield %one : f32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} outs(%b : memref<16x64xf32>) {
  ^bb0(%o: f32):
    linalg.yield %two : f32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} outs(%c : memref<8x64xf32>) {
  ^bb0(%o: f32):
    linalg.yield %one : f32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<8x16xf32>, memref<16x64xf32>) outs(%c : memref<8x64xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  %i = arith.constant 7 : index
  %r = memref.load %c[%i, %i] : memref<8x64xf32>
  memref.dealloc %a : memref<8x16xf32>
  memref.dealloc %b : memref<16x64xf32>
  memref.dealloc %c : memref<8x64xf32>
  return %r : f32
}
