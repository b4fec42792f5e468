// Rows, columns, all, the middle of three dims; bf16 is rounded after each step: 256 + 1 + 1 stays 256.
// RUN: noria run %s --check-stages | FileCheck %s
// CHECK: {{^}}6 : i32{{$}}
// CHECK-NEXT: {{^}}15 : i32{{$}}
// CHECK-NEXT: {{^}}-3 : i32{{$}}
// CHECK-NEXT: {{^}}12 : i32{{$}}
// CHECK-NEXT: {{^}}1021 : i32{{$}}
// CHECK-NEXT: {{^}}24 : i32{{$}}
// CHECK-NEXT: {{^}}24 : i32{{$}}
// CHECK-NEXT: {{^}}2.560000e+02 : f32{{$}}
// CHECK-NEXT: {{^}}2.560000e+02 : f32{{$}}
func.func @main() -> (i32, i32, i32, i32, i32, i32, i32, f32, f32) {
  %m = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : vector<2x3xi32>
  %zeros = arith.constant dense<0> : vector<2xi32>
  %tops = arith.constant dense<[-3, 12, -1]> : vector<3xi32>
  %thousand = arith.constant 1000 : i32
  %cube = arith.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : vector<2x2x2xi32>
  %ones = arith.constant dense<1> : vector<2x2xi32>
  %rows = vector.multi_reduction <add>, %m, %zeros [1] : vector<2x3xi32> to vector<2xi32>
  %columns = vector.multi_reduction <minsi>, %m, %tops [0] : vector<2x3xi32> to vector<3xi32>
  %columns2 = vector.multi_reduction <maxsi>, %m, %tops [0] : vector<2x3xi32> to vector<3xi32>
  %all = vector.multi_reduction <add>, %m, %thousand [0, 1] : vector<2x3xi32> to i32
  %middle = vector.multi_reduction <mul>, %cube, %ones [1] : vector<2x2x2xi32> to vector<2x2xi32>
  %row0 = vector.extract %rows[0] : i32 from vector<2xi32>
  %row1 = vector.extract %rows[1] : i32 from vector<2xi32>
  %column0 = vector.extract %columns[0] : i32 from vector<3xi32>
  %column1 = vector.extract %columns2[1] : i32 from vector<3xi32>
  %e01 = vector.extract %middle[0, 1] : i32 from vector<2x2xi32>
  %e10 = vector.extract %middle[1, 0] : i32 from vector<2x2xi32>
  %c3 = arith.constant 3 : i32
  %three = arith.muli %e01, %c3 : i32
  %c11 = arith.constant 11 : i32
  %less = arith.subi %e10, %c11 : i32
  %wide = arith.constant dense<[[256.0, 1.0, 1.0]]> : vector<1x3xbf16>
  %start = arith.constant dense<0.0> : vector<1xbf16>
  %b = vector.multi_reduction <add>, %wide, %start [1] : vector<1x3xbf16> to vector<1xbf16>
  %b0 = vector.extract %b[0] : bf16 from vector<1xbf16>
  %f0 = arith.extf %b0 : bf16 to f32
  %line = vector.shape_cast %wide : vector<1x3xbf16> to vector<3xbf16>
  %b1 = vector.reduction <add>, %line : vector<3xbf16> into bf16
  %f1 = arith.extf %b1 : bf16 to f32
  return %row0, %row1, %column0, %column1, %all, %three, %less, %f0, %f1 : i32, i32, i32, i32, i32, i32, i32, f32, f32
}
