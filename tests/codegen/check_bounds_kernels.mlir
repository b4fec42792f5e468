// Kernels of the library take memory of one type as another: how much of it there is is not known, and not checked.
// RUN: noria run --check-bounds %s '[[3,1,2]]' | FileCheck %s

func.func private @noria.sort.f32(tensor<?x?xf32>) -> tensor<?x?xf32>

// CHECK: {{\[\[}}1.{{0*e?[+0]*}}, 2.{{0*e?[+0]*}}, 3.{{0*e?[+0]*}}]]
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = func.call @noria.sort.f32(%x) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
