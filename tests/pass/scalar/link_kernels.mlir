// RUN: noria opt --link-kernels --canonicalize %s | FileCheck %s

// Each declaration becomes a function of its own, in the order and of the type that its name says.
// CHECK-LABEL: func.func private @noria.searchsorted.i32(%{{.*}}: tensor<?xi32>, %{{.*}}: tensor<?xi32>, %{{.*}}: i1) -> tensor<?xi64> {
// CHECK-NOT: func.call
// CHECK: arith.constant -2147483648 : i32
func.func private @noria.searchsorted.i32(tensor<?xi32>, tensor<?xi32>, i1) -> tensor<?xi64>
// CHECK-LABEL: func.func private @noria.searchsorted.ui32(
// CHECK-NOT: arith.constant -2147483648 : i32
func.func private @noria.searchsorted.ui32(tensor<?xi32>, tensor<?xi32>, i1) -> tensor<?xi64>
// CHECK-LABEL: func.func private @noria.searchsorted.f64.descending(
// CHECK: arith.constant 9218868437227405312 : i64
func.func private @noria.searchsorted.f64.descending(tensor<?xf64>, tensor<?xf64>, i1) -> tensor<?xi64>
// CHECK-LABEL: func.func private @noria.topk.f16(
// CHECK: arith.extf %{{.*}} : f16 to f32
func.func private @noria.topk.f16(tensor<?x?x?xf16>, index) -> (tensor<?x?x?xf16>, tensor<?x?x?xi64>)
// Other functions stay as they are.
// CHECK: func.func private @external(f32)
func.func private @external(f32)
// CHECK: func.func @noria.mine() {
func.func @noria.mine() {
  return
}
