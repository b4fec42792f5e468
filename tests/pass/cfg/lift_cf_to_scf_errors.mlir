// RUN: noria opt --lift-cf-to-scf --allow-unregistered-dialect %s --split-input-file --verify-diagnostics

func.func @other_branch(%c: i1) {
  // expected-error@+1 {{cannot be lifted}}
  "test.branch"()[^a, ^b] : () -> ()
^a:
  return
^b:
  return
}

// -----

func.func @other_end(%c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  return
^b:
  // expected-error@+1 {{and 'func.return' end one region: it cannot be lifted}}
  "test.leave"() : () -> ()
}
