// RUN: noria opt --canonicalize %s | FileCheck %s

// A check that holds in each run goes; one that fails stays, and so does one that only the run decides.
// CHECK-LABEL: func.func @checks
// CHECK-SAME: (%[[C:.*]]: i1)
// CHECK: rt.check %{{.*}}, "fails"
// CHECK-NEXT: rt.check %[[C]], "may fail"
// CHECK-NEXT: return
func.func @checks(%c: i1) {
  %true = arith.constant true
  %false = arith.constant false
  %one = arith.constant 1 : index
  rt.check %true, "holds: %0"(%one : index)
  rt.check %false, "fails"
  rt.check %c, "may fail"
  return
}
