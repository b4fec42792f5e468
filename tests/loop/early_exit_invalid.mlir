// RUN: noria opt %s --split-input-file --verify-diagnostics

func.func @types(%x: i32) {
  %r = scf.loop token(%l) iter_args(%a = %x) : i32 -> f32 {
    // expected-error@+1 {{(C3) value #0 has type 'i32', but the loop's results have 'f32'}}
    scf.break [%l] %a : i32
  }
  return
}

// -----

func.func @count(%x: i32, %c: i1) {
  scf.loop token(%l) iter_args(%a = %x) : i32 {
    scf.if %c {
      scf.break [%l]
    }
    // expected-error@+1 {{(C3) has 0 values, but the loop has 1 carried values}}
    scf.continue [%l]
  }
  return
}

// -----

func.func @leaves(%c: i1, %n: index) {
  scf.loop token(%l) {
    scf.parallel (%i) = (%n) to (%n) step (%n) {
      scf.if %c {
        // expected-error@+1 {{(C2) cannot leave 'scf.parallel'}}
        scf.break [%l]
      }
    }
    scf.break [%l]
  }
  return
}

// -----

func.func @body(%n: index) {
  scf.loop token(%l) {
    scf.for %i = %n to %n step %n {
      // expected-error@+1 {{(C2) cannot end the body of 'scf.for'; it may stand in an 'scf.if' there}}
      scf.break [%l]
    }
    scf.break [%l]
  }
  return
}

// -----

func.func @end(%n: index) {
  // expected-error@+1 {{(C3) expects the body to terminate with 'scf.continue' or 'scf.break'}}
  scf.loop token(%l) {
    // expected-error@+1 {{yield only terminates If, For or Parallel regions}}
    "scf.yield"() : () -> ()
  }
  return
}

// -----

func.func @other_token(%n: index) {
  // expected-error@+1 {{(C1) expects the body to have a token and 1 carried values as arguments}}
  "scf.loop"(%n) ({
  ^bb0(%l: index, %a: index):
    "scf.break"(%l) : (index) -> ()
  }) : (index) -> ()
  return
}

// -----

func.func @after(%c: i1) {
  scf.loop token(%l) {
    scf.break [%l]
  }
  // expected-error@+1 {{use of undeclared SSA value name '%l'}}
  scf.break [%l]
}

// -----

func.func @named(%x: i32) {
  // expected-error@+1 {{custom op 'scf.loop' carries 1 values, but names 2 types for them}}
  scf.loop token(%l) iter_args(%a = %x) : (i32, i32) {
    scf.break [%l]
  }
  return
}
