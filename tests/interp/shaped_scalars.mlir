// Ops on the elements of vectors and of tensors whose sizes the run knows, by the folds of the scalar ops: of integers,
// with two results, and questions about narrow floats. f8E4M3FN has subnormal numbers below 2^-6.
// RUN: noria run %s --interpret 12 | FileCheck %s
// RUN: noria run %s --check-stages 12 | FileCheck %s
// CHECK: {{^}}2 : i32{{$}}
// CHECK-NEXT: {{^}}28 : i32{{$}}
// CHECK-NEXT: {{^}}2 : i32{{$}}
// CHECK-NEXT: {{^}}1728 : i32{{$}}
// CHECK-NEXT: {{^}}12 : i32{{$}}
// CHECK-NEXT: {{^}}-1 : i32{{$}}
// CHECK-NEXT: {{^}}2 : i32{{$}}
// CHECK-NEXT: false{{$}}
// CHECK-NEXT: true{{$}}
// CHECK-NEXT: false{{$}}
func.func @main(%x: i32) -> (i32, i32, i32, i32, i32, i32, i32, i1, i1, i1) {
  %c0 = arith.constant 0 : i32
  %minus = arith.subi %c0, %x : i32
  %v = vector.broadcast %x : i32 to vector<3xi32>
  %m = vector.broadcast %minus : i32 to vector<3xi32>
  %three = arith.constant dense<3> : vector<3xi32>
  %a = math.cttz %v : vector<3xi32>
  %b = math.ctlz %v : vector<3xi32>
  %c = math.ctpop %v : vector<3xi32>
  %d = math.ipowi %v, %three : vector<3xi32>
  %e = math.absi %m : vector<3xi32>
  %low, %high = arith.mulsi_extended %v, %m : vector<3xi32>
  %a1 = vector.extract %a[1] : i32 from vector<3xi32>
  %b1 = vector.extract %b[1] : i32 from vector<3xi32>
  %c1 = vector.extract %c[1] : i32 from vector<3xi32>
  %d1 = vector.extract %d[1] : i32 from vector<3xi32>
  %e1 = vector.extract %e[1] : i32 from vector<3xi32>
  %f1 = vector.extract %high[1] : i32 from vector<3xi32>
  %n = arith.index_castui %x : i32 to index
  %t = tensor.splat %x[%n] : tensor<?xi32>
  %u = math.cttz %t : tensor<?xi32>
  %k = arith.constant 3 : index
  %t1 = tensor.extract %u[%k] : tensor<?xi32>
  %small = arith.constant dense<[0.01, 0.02]> : vector<2xf8E4M3FN>
  %normal = math.isnormal %small : vector<2xf8E4M3FN>
  %n0 = vector.extract %normal[0] : i1 from vector<2xi1>
  %n1 = vector.extract %normal[1] : i1 from vector<2xi1>
  %tiny = arith.sitofp %x : i32 to f32
  %scale = arith.constant 1.0e-6 : f32
  %less = arith.mulf %tiny, %scale : f32
  %half = arith.truncf %less : f32 to f16
  %h = math.isnormal %half : f16
  return %a1, %b1, %c1, %d1, %e1, %f1, %t1, %n0, %n1, %h : i32, i32, i32, i32, i32, i32, i32, i1, i1, i1
}
