// RUN: noria opt --cpu=x86-64-v3 --vectorize-parallel-loops %s | FileCheck %s
// RUN: noria opt --cpu=x86-64-v2 --vectorize-parallel-loops %s | FileCheck %s --check-prefix=V2

// f16 is computed as f32: rows of lanes are as long as vectors of that, where the CPU converts between both.
// CHECK: vector<4x8xf16>
// V2: vector<4x8xf16>
// V2-SAME: {{$}}
func.func @shrink(%a: memref<?xf16>, %o: memref<?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f16
  %less = arith.constant 0.75 : f16
  %n = memref.dim %a, %c0 : memref<?xf16>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %a[%i] : memref<?xf16>
    %r = scf.while (%y = %x) : (f16) -> f16 {
      %c = arith.cmpf ogt, %y, %one : f16
      scf.condition(%c) %y : f16
    } do {
    ^bb0(%y: f16):
      %m = arith.mulf %y, %less : f16
      scf.yield %m : f16
    }
    memref.store %r, %o[%i] : memref<?xf16>
    scf.reduce
  }
  return
}
