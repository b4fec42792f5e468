// The attributes of linalg.generic may be an alias, as files of MLIR's own tests have it.
// RUN: noria opt %s | FileCheck %s
// RUN: mlir-opt %s | FileCheck %s
// RUN: sed 's/^#trait = .*/#trait = [1]/' %s > %t.bad.mlir
// RUN: not noria opt %t.bad.mlir 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: noria run --interpret %s '[1, 2, 3, 4]' | FileCheck %s --check-prefix=VALUES
// RUN: noria run %s '[1, 2, 3, 4]' | FileCheck %s --check-prefix=VALUES

#id = affine_map<(d0) -> (d0)>
#trait = {indexing_maps = [#id, #id], iterator_types = ["parallel"], doc = "twice"}

// CHECK-LABEL: func.func @twice
// CHECK: linalg.generic {doc = "twice", indexing_maps = [#[[M:.*]], #[[M]]], iterator_types = ["parallel"]} ins(%{{.*}} : tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>)
// BAD: {{.*}}.mlir:[[#]]:[[#]]: error: expected a dictionary of the op's attributes
// VALUES: [2.000000e+00, 4.000000e+00, 6.000000e+00, 8.000000e+00]
func.func @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic #trait ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
