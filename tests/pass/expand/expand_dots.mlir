// RUN: noria opt --cpu=icelake-server --pass-pipeline=expand-dots %s | FileCheck %s --check-prefixes=CHECK,VNNI
// RUN: noria opt --cpu=haswell --pass-pipeline=expand-dots %s | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: noria run --interpret --entry=main %s | FileCheck %s --check-prefix=VALUE
// RUN: noria run --entry=main %s | FileCheck %s --check-prefix=VALUE
// RUN: noria opt --cpu=haswell --pass-pipeline=expand-dots %s | noria run - --entry=main | FileCheck %s --check-prefix=VALUE

// CHECK-LABEL: func.func @wide
// VNNI: rt.dot
// PLAIN-NOT: rt.dot
// PLAIN: vector.bitcast %{{.*}} : vector<32xi8> to vector<16xi16>
// PLAIN: arith.muli {{.*}} : vector<16xi32>
// PLAIN: vector.shuffle
func.func @wide(%acc: vector<8xi32>, %a: vector<32xi8>, %b: vector<32xi8>) -> vector<8xi32> {
  %r = rt.dot %acc, %a, %b : vector<8xi32>, vector<32xi8>
  return %r : vector<8xi32>
}

// No instruction has three lanes.
// CHECK-LABEL: func.func @three
// CHECK-NOT: rt.dot
// CHECK: return
func.func @three(%acc: vector<3xi32>, %a: vector<12xi8>, %b: vector<12xi8>) -> vector<3xi32> {
  %r = rt.dot %acc, %a, %b : vector<3xi32>, vector<12xi8>
  return %r : vector<3xi32>
}

// The largest sums: 4 * 255 * 127 = 129540, 4 * 255 * -128 = -130560; the last one wraps.
// VALUE: 129541 : i32
// VALUE: -130558 : i32
// VALUE: -378 : i32
// VALUE: -2147354109 : i32
func.func @main() -> (i32, i32, i32, i32) {
  %acc = arith.constant dense<[1, 2, 3, 2147483647]> : vector<4xi32>
  %a = arith.constant dense<[-1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 1, 0, -1, -1, -1, -1]> : vector<16xi8>
  %b = arith.constant dense<[127, 127, 127, 127, -128, -128, -128, -128, -1, 5, -126, 0, 127, 127, 127, 127]> : vector<16xi8>
  %r = rt.dot %acc, %a, %b : vector<4xi32>, vector<16xi8>
  %0 = vector.extract %r[0] : i32 from vector<4xi32>
  %1 = vector.extract %r[1] : i32 from vector<4xi32>
  %2 = vector.extract %r[2] : i32 from vector<4xi32>
  %3 = vector.extract %r[3] : i32 from vector<4xi32>
  return %0, %1, %2, %3 : i32, i32, i32, i32
}
