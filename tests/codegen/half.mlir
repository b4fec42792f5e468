// f16 on CPUs that convert it and on those that do not: in registers, vectors, and through calls.
// RUN: noria run --cpu=x86-64 --check-stages %s 1.7 2>&1 | FileCheck %s
// RUN: noria run --check-stages %s 1.7 2>&1 | FileCheck %s
// CHECK: all {{.*}} outcomes are that of 'import'
// CHECK-NEXT: 1.997500e+02 : f32
// CHECK-NEXT: 1.70019531 : f32
// REQUIRES: x86_64
func.func private @f(%a: vector<3xf16>, %s: f16) -> (vector<3xf16>, f16) attributes {no_inline} {
  %b = vector.broadcast %s : f16 to vector<3xf16>
  %c = arith.divf %a, %b : vector<3xf16>
  %d = math.sqrt %c : vector<3xf16>
  %e = vector.extract %d[1] : f16 from vector<3xf16>
  %g = arith.maximumf %e, %s : f16
  return %d, %g : vector<3xf16>, f16
}
func.func @main(%x: f64) -> (f32, f32) {
  %h = arith.truncf %x : f64 to f16
  %k = arith.constant dense<[1.0, 2.0, 65504.0]> : vector<3xf16>
  %v, %w = func.call @f(%k, %h) : (vector<3xf16>, f16) -> (vector<3xf16>, f16)
  %r = vector.reduction <add>, %v, %w : vector<3xf16> into f16
  %y = arith.extf %r : f16 to f32
  %z = arith.extf %w : f16 to f32
  return %y, %z : f32, f32
}
