// What is proven by the condition of a branch does not hold behind it, where the sum may wrap.
// RUN: noria opt --check-claims --verify-claims %s | FileCheck %s
// RUN: noria run %s --entry=wraps 2 3 4 | FileCheck %s --check-prefix=FITS
// RUN: not noria run %s --entry=wraps 4611686018427387904 4611686018427387904 4 2>&1 | FileCheck %s --check-prefix=WRAPS
// FITS: tensor<2xf32>
// WRAPS: 'tensor.extract_slice' op the slice [0, +4611686018427387904, step 1] leaves dim 0 of 4

// CHECK-LABEL: func.func @wraps
// CHECK: scf.if
// CHECK: scf.if
// CHECK-NOT: the slice
// CHECK: tensor.extract_slice
// CHECK: rt.check {{.*}}'tensor.extract_slice' op the slice
// CHECK: tensor.extract_slice
func.func @wraps(%a: index, %b: index, %c: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  %a0 = arith.maxsi %a, %c0 : index
  %b0 = arith.maxsi %b, %c0 : index
  %s = arith.addi %a0, %b0 : index
  %m = arith.maxsi %s, %c : index
  %small_a = arith.cmpi slt, %a0, %c100 : index
  %r = scf.if %small_a -> tensor<?xf32> {
    %small_b = arith.cmpi slt, %b0, %c100 : index
    %q = scf.if %small_b -> tensor<?xf32> {
      %t = tensor.empty(%m) : tensor<?xf32>
      %u = tensor.extract_slice %t[0] [%a0] [1] : tensor<?xf32> to tensor<?xf32>
      scf.yield %u : tensor<?xf32>
    } else {
      %e = tensor.empty(%c0) : tensor<?xf32>
      scf.yield %e : tensor<?xf32>
    }
    scf.yield %q : tensor<?xf32>
  } else {
    %e = tensor.empty(%c0) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  %t = tensor.empty(%m) : tensor<?xf32>
  %v = tensor.extract_slice %t[0] [%a0] [1] : tensor<?xf32> to tensor<?xf32>
  return %r, %v : tensor<?xf32>, tensor<?xf32>
}
