// A size that is the least number of 64 bits, which also stands for one that is not known, is refused as any other below 0.
// RUN: not noria run %s 1.0 2>&1 | FileCheck %s
// RUN: not noria run %s 1.0 --interpret 2>&1 | FileCheck %s
// CHECK: size -9223372036854775808 is negative

#id = affine_map<(d0) -> (d0)>
func.func @main(%x: f32) -> tensor<?xf32> {
  %size = arith.constant -9223372036854775808 : index
  %c0 = arith.constant 0 : index
  %fits = arith.cmpi sge, %size, %c0 : index
  rt.check %fits, "size %0 is negative"(%size : index)
  %e = tensor.empty(%size) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, #id], iterator_types = ["parallel"]} ins(%x : f32) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = math.exp %a : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
