// Loops that LLVM vectorises use the CPU's widest vectors, where they are inlined too: the entry is, into its wrapper.
// REQUIRES: x86_64
// RUN: noria compile %s --entry=f --cpu=sapphirerapids -o %t.ll && FileCheck %s --implicit-check-not="<8 x float>" < %t.ll
// CHECK: define {{.*}} @noria.call.entry({{.*}}) {{.*}}#[[WIDTH:[0-9]+]]
// CHECK: fadd <16 x float>
// CHECK: store <16 x float>
// CHECK: attributes #[[WIDTH]] = {{.*}}"prefer-vector-width"="512"
#id = affine_map<(d0) -> (d0)>
func.func @f(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = arith.addf %a, %a : f32
    linalg.yield %y : f32
  } -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
