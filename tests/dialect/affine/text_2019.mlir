// The text of 2019 and early 2020: maps and sets stand bare, affine.terminator ends a body, affine.for has other names for
// its bounds.
// RUN: noria opt %s --syntax=mlir | FileCheck %s
// RUN: noria opt %s --syntax=mlir | mlir-opt | FileCheck %s
// RUN: noria opt %s --syntax=2020 | FileCheck %s --check-prefix=OLD

#map0 = (d0)[s0] -> (d0 + s0, 20)
#set0 = (d0)[s0] : (d0 - 1 >= 0, s0 - d0 >= 0)

// CHECK-DAG: affine_map<(d0)[s0] -> (d0 + s0, 20)>
// CHECK-DAG: affine_set<(d0)[s0] : (d0 - 1 >= 0, -d0 + s0 >= 0)>
// CHECK-LABEL: func.func @bare
// OLD-LABEL: func @bare
func @bare(%a: memref<100xf32>, %n: index) {
  // CHECK: affine.for %[[I:.*]] = 0 to min #[[MAP:.*]](%{{.*}})[%{{.*}}] {
  // OLD: affine.for %{{.*}} = 0 to min #map0(%{{.*}})[%{{.*}}] {
  affine.for %i = 0 to min #map0(%n)[%n] {
    // CHECK: affine.for %{{.*}} = #{{.*}}(%[[I]]) to #{{.*}}(%[[I]])
    affine.for %j = (d0) -> (d0)(%i) to (d0) -> (d0 + 4) (%i) step 2 {
      // CHECK: affine.apply
      %0 = affine.apply (d0, d1) -> (d0 + d1) (%i, %j)
      // CHECK: affine.if
      affine.if (d0, d1) : (d0 - d1 >= 0)(%i, %j) {
        %v = affine.load %a[%0 + 1] : memref<100xf32>
        affine.store %v, %a[%0] : memref<100xf32>
      }
      // CHECK: affine.if #{{.*}}(%[[I]])[%{{.*}}] {
      // CHECK-NEXT: } else {
      affine.if #set0(%i)[%n] {
        "affine.terminator"() : () -> ()
      } else {
        affine.terminator
      }
    }
    "affine.terminator"() : () -> ()
  }
  // CHECK: affine.min #{{.*}}(%{{.*}})[%{{.*}}]
  %m = affine.min (d0)[s0] -> (1000, d0 + 512, s0) (%n)[%n]
  return
}

// CHECK-LABEL: func.func @generic
func @generic(%n: index) {
  // CHECK: affine.for %{{.*}} = 1 to %{{.*}} step 4 {
  // OLD: affine.for %{{.*}} = 1 to %{{.*}} step 4 {
  "affine.for"(%n) ({
  ^bb0(%i: index):
    // CHECK: affine.parallel (%{{.*}}) = (0) to (%{{.*}} + 1) step (3) {
    "affine.parallel"(%i) ({
    ^bb0(%j: index):
      "affine.terminator"() : () -> ()
    }) {lowerBoundsMap = () -> (0), upperBoundsMap = (d0) -> (d0 + 1), steps = [3]} : (index) -> ()
    "affine.terminator"() : () -> ()
  }) {lower_bound = () -> (1), upper_bound = ()[s0] -> (s0), step = 4 : index} : (index) -> ()
  return
}
