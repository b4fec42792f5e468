// Remainders of numbers at the end of their type are exact: no product on the way wraps.
// RUN: noria opt %s | FileCheck %s

// By Python: -9223372036854775807 % 3 = 2, % 10 = 3; 9223372036854775807 % 10 = 7.
// CHECK: affine_map<(d0) -> (d0 + 2)>
// CHECK: affine_map<(d0) -> (d0 + 3)>
// CHECK: affine_map<(d0) -> (d0 + 7)>
func.func @least(%a: index) -> (index, index, index) {
  %0 = affine.apply affine_map<(d0) -> (d0 + -9223372036854775807 mod 3)>(%a)
  %1 = affine.apply affine_map<(d0) -> (d0 + -9223372036854775807 mod 10)>(%a)
  %2 = affine.apply affine_map<(d0) -> (d0 + 9223372036854775807 mod 10)>(%a)
  return %0, %1, %2 : index, index, index
}
