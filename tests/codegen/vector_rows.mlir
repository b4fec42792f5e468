// Rows that the run chooses, of elements that are no whole bytes; two results of vectors of rows.
// RUN: noria run %s --check-stages 1 | FileCheck %s
// CHECK: {{^}}6 : i32{{$}}
// CHECK-NEXT: {{^}}77 : i32{{$}}
// CHECK-NEXT: {{^}}4 : i32{{$}}
// CHECK-NEXT: true{{$}}
// CHECK-NEXT: {{^}}-1 : i32{{$}}
// CHECK-NEXT: true{{$}}
func.func @main(%i: index) -> (i32, i32, i32, i1, i32, i1) {
  %v = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : vector<2x3xi7>
  %bits = arith.constant dense<[[false, false, false], [false, false, true]]> : vector<2x3xi1>
  %c2 = arith.constant 2 : index
  %x = arith.constant -51 : i7
  %a = vector.extract %v[%i, %c2] : i7 from vector<2x3xi7>
  %w = vector.insert %x, %v[%i, %i] : i7 into vector<2x3xi7>
  %b = vector.extract %w[1, 1] : i7 from vector<2x3xi7>
  %c = vector.extract %w[1, 0] : i7 from vector<2x3xi7>
  %d = vector.extract %bits[%i, %c2] : i1 from vector<2x3xi1>
  %a32 = arith.extui %a : i7 to i32
  %b32 = arith.extui %b : i7 to i32
  %c32 = arith.extui %c : i7 to i32
  %m = arith.constant dense<[[1, -2], [2147483647, 4]]> : vector<2x2xi32>
  %sum, %carry = arith.addui_extended %m, %m : vector<2x2xi32>, vector<2x2xi1>
  %minus = arith.constant dense<-1> : vector<2x2xi32>
  %low2, %high2 = arith.mulsi_extended %m, %minus : vector<2x2xi32>
  %e = vector.extract %high2[1, 0] : i32 from vector<2x2xi32>
  %f = vector.extract %carry[0, 1] : i1 from vector<2x2xi1>
  return %a32, %b32, %c32, %d, %e, %f : i32, i32, i32, i1, i32, i1
}
