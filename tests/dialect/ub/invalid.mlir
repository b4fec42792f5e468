// RUN: noria opt %s --split-input-file --verify-diagnostics

func.func @value() {
  // expected-error@+1 {{(C1) has a value other than #ub.poison}}
  %0 = ub.poison <4 : i32> : i32
  return
}
