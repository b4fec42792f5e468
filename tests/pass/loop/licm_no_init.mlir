// A parallel loop without initial values fails if it has no points, so it is not hoisted from where it may never run.
// RUN: noria opt --licm %s | FileCheck %s
// RUN: noria opt --licm %s | noria run - --interpret 0 0 | FileCheck %s --check-prefix=ZERO
// ZERO: 0 : index
// RUN: noria opt --licm %s | not noria run - 1 0 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: noria run: {{.*}}no value

// CHECK: loop.for
// CHECK-NEXT: loop.parallel
func @main(%n: index, %m: index) -> index {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %r = loop.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (index) {
    %d = loop.parallel (%j) = (%c0) to (%m) step (%c1) {
      loop.reduce(%j) {
      ^bb0(%l: index, %r: index):
        %s = subi %l, %r : index
        loop.reduce.return %s : index
      } : index
    } : index
    %b = addi %a, %d : index
    loop.yield %b : index
  }
  return %r : index
}
