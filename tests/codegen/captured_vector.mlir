// What a parallel loop uses goes to its workgroups in memory: a vector as its type is aligned.
func.func @captured(%v: vector<16xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %w = arith.addf %v, %v : vector<16xf32>
  %sum = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> f32 {
    %k = arith.remui %i, %c16 : index
    %x = vector.extract %w[%k] : f32 from vector<16xf32>
    scf.reduce(%x : f32) {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      scf.reduce.return %s : f32
    }
  }
  return %sum : f32
}
// RUN: noria run %s '[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]' 160000 | FileCheck %s
// CHECK: 2.720000e+06 : f32
// RUN: noria compile %s -o %t.ll
// RUN: FileCheck %s --check-prefix=PACK --input-file=%t.ll
// PACK: alloca { <16 x float>, {{.*}} }, align 64
