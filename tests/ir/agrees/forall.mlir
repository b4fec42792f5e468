// RUN: noria opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect
// scf.forall: what its terminator holds and inserts into, and its mapping.

func.func @f(%a: tensor<4xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (2) shared_outs(%o = %d) -> tensor<8xf32> {
    scf.forall.in_parallel {
      // expected-error@+1 {{'tensor.parallel_insert_slice' op (C2) may only insert into an output block argument}}
      tensor.parallel_insert_slice %a into %d[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

func.func @f(%a: tensor<4xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (2) shared_outs(%o = %d) -> tensor<8xf32> {
    %x = arith.addf %o, %o : tensor<8xf32>
    scf.forall.in_parallel {
      // expected-error@+1 {{'tensor.parallel_insert_slice' op (C2) may only insert into an output block argument}}
      tensor.parallel_insert_slice %a into %x[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

func.func @f(%a: tensor<4xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (2) shared_outs(%o = %d) -> tensor<8xf32> {
   %r2 = scf.forall (%j) in (2) shared_outs(%o2 = %d) -> tensor<8xf32> {
    scf.forall.in_parallel {
      // expected-error@+1 {{'tensor.parallel_insert_slice' op (C2) may only insert into an output block argument}}
      tensor.parallel_insert_slice %a into %o[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
   }
   scf.forall.in_parallel {
   }
  }
  return %r : tensor<8xf32>
}

// -----

func.func @f(%a: tensor<4xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (2) shared_outs(%o = %d) -> tensor<8xf32> {
    // expected-error@+1 {{'scf.forall.in_parallel' op (C1) expected only 'tensor.parallel_insert_slice' ops}}
    scf.forall.in_parallel {
      %c = arith.constant 1 : index
      tensor.parallel_insert_slice %a into %o[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

func.func @f(%a: tensor<4xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (2) shared_outs(%o = %d) -> tensor<8xf32> {
    // expected-error@+1 {{'scf.forall.in_parallel' op (C1) expected only 'tensor.parallel_insert_slice' ops}}
    scf.forall.in_parallel {
      "test.x"() : () -> ()
    }
  }
  return %r : tensor<8xf32>
}

// -----

func.func @f(%a: tensor<4xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (2) shared_outs(%o = %d) -> tensor<8xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %o[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
      tensor.parallel_insert_slice %a into %o[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

func.func @f(%a: tensor<4xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'scf.forall' op (C1) mapping attribute size must match op rank}}
  %r = scf.forall (%i) in (2) shared_outs(%o = %d) -> tensor<8xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %o[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  } {mapping = [#gpu.thread<x>, #gpu.thread<y>]}
  return %r : tensor<8xf32>
}

// -----

func.func @f() {
  // expected-error@+1 {{'scf.forall' op (C1) mapping attribute size must match op rank}}
  scf.forall (%i, %j) in (2, 3) {
  } {mapping = [#gpu.thread<x>]}
  return
}

// -----

func.func @f() {
  scf.forall (%i, %j) in (2, 3) {
  } {mapping = [#gpu.thread<x>, #gpu.thread<y>]}
  return
}

// -----

func.func @f() {
  scf.forall (%i, %j) in (2, 3) {
  } {mapping = []}
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'scf.forall' op (C1) attribute 'mapping' failed to satisfy constraint: Device Mapping array attribute}}
  scf.forall (%i, %j) in (2, 3) {
  } {mapping = [1, 2]}
  return
}

// -----

func.func @f(%t: tensor<8xf32>) {
  scf.forall (%i, %j) in (2, 3) {
    // expected-error@+1 {{'tensor.parallel_insert_slice' op expects parent op 'scf.forall.in_parallel'}}
    tensor.parallel_insert_slice %t into %t[%i] [4] [1] : tensor<8xf32> into tensor<8xf32>
  }
  return
}

// -----

func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
  } {mapping = [1, 2]}
  return
}
