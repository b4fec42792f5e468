// Ops that .region_flow describes whole are run by that: values go into regions and out of them, through blocks inside
// of a region too.
// RUN: noria run %s --interpret 1 '[1, 2, 3]' | FileCheck %s --check-prefix=ONE
// RUN: noria run %s 1 '[1, 2, 3]' | FileCheck %s --check-prefix=ONE
// RUN: noria run %s --interpret 2 '[1, 2, 3]' | FileCheck %s --check-prefix=TWO
// RUN: noria run %s 2 '[1, 2, 3]' | FileCheck %s --check-prefix=TWO
// RUN: noria run %s --interpret 7 '[1, 2, 3]' | FileCheck %s --check-prefix=OTHER
// RUN: noria run %s 7 '[1, 2, 3]' | FileCheck %s --check-prefix=OTHER
// ONE: dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]>
// ONE-NEXT: 10 : index
// TWO: dense<[2.000000e+00, 4.000000e+00, 6.000000e+00]>
// TWO-NEXT: 20 : index
// OTHER: dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]>
// OTHER-NEXT: 0 : index
func.func @main(%n: index, %t: tensor<3xf32>) -> (tensor<3xf32>, index) {
  %c0 = arith.constant 0 : index
  %c10 = arith.constant 10 : index
  %c20 = arith.constant 20 : index
  %r:2 = scf.index_switch %n -> tensor<3xf32>, index
  case 2 {
    scf.yield %t, %c20 : tensor<3xf32>, index
  }
  case 1 {
    scf.yield %t, %c10 : tensor<3xf32>, index
  }
  default {
    scf.yield %t, %c0 : tensor<3xf32>, index
  }
  %x = scf.execute_region -> tensor<3xf32> {
    %c = arith.cmpi eq, %r#1, %c20 : index
    cf.cond_br %c, ^twice, ^once(%r#0 : tensor<3xf32>)
  ^twice:
    %e = arith.addf %r#0, %r#0 : tensor<3xf32>
    cf.br ^once(%e : tensor<3xf32>)
  ^once(%v: tensor<3xf32>):
    scf.yield %v : tensor<3xf32>
  }
  return %x, %r#1 : tensor<3xf32>, index
}
