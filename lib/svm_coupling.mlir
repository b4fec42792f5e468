// svm_coupling.mlir - probabilities of classes from those of pairs of classes.
//
// The second method of Wu, Lin and Weng, "Probability estimates for multi-class classification by pairwise coupling",
// 2004, as libsvm has it: at most 100 rounds, until the error is below 0.005 / classes.
//
// The prelude defines !T.

// The matrix Q of the method for a row of pairs, (0, 1), (0, 2), .., (1, 2), ..: -r_ji r_ij, and on the diagonal the
// sum of r_ji^2 over the other classes j, where r_ji = 1 - r_ij.
func.func private @fill(%pairs: memref<?x?x!T>, %row: index, %n: index, %q: memref<?x?x!T>, %p: memref<?x!T>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : !T
  %one = arith.constant 1.0 : !T
  %wide = arith.index_cast %n : index to i64
  %count = arith.sitofp %wide : i64 to !T
  %start = arith.divf %one, %count : !T
  scf.for %i = %c0 to %n step %c1 {
    memref.store %start, %p[%i] : memref<?x!T>
    memref.store %zero, %q[%i, %i] : memref<?x?x!T>
  }
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%at_i = %c0) -> (index) {
    %j0 = arith.addi %i, %c1 : index
    %next_i = scf.for %j = %j0 to %n step %c1 iter_args(%at = %at_i) -> (index) {
      %r = memref.load %pairs[%row, %at] : memref<?x?x!T>
      %other = arith.subf %one, %r : !T
      %both = arith.mulf %r, %other : !T
      %off = arith.negf %both : !T
      memref.store %off, %q[%i, %j] : memref<?x?x!T>
      memref.store %off, %q[%j, %i] : memref<?x?x!T>
      %qi = memref.load %q[%i, %i] : memref<?x?x!T>
      %other2 = arith.mulf %other, %other : !T
      %qi_next = arith.addf %qi, %other2 : !T
      memref.store %qi_next, %q[%i, %i] : memref<?x?x!T>
      %qj = memref.load %q[%j, %j] : memref<?x?x!T>
      %r2 = arith.mulf %r, %r : !T
      %qj_next = arith.addf %qj, %r2 : !T
      memref.store %qj_next, %q[%j, %j] : memref<?x?x!T>
      %next = arith.addi %at, %c1 : index
      scf.yield %next : index
    }
    scf.yield %next_i : index
  }
  return
}

// Q p goes to %qp. Gives p Q p, and the largest difference between it and an element of Q p.
func.func private @error(%n: index, %q: memref<?x?x!T>, %p: memref<?x!T>, %qp: memref<?x!T>) -> (!T, !T) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : !T
  %pqp = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (!T) {
    %qp_i = scf.for %j = %c0 to %n step %c1 iter_args(%s = %zero) -> (!T) {
      %a = memref.load %q[%i, %j] : memref<?x?x!T>
      %b = memref.load %p[%j] : memref<?x!T>
      %ab = arith.mulf %a, %b : !T
      %t = arith.addf %s, %ab : !T
      scf.yield %t : !T
    }
    memref.store %qp_i, %qp[%i] : memref<?x!T>
    %p_i = memref.load %p[%i] : memref<?x!T>
    %product = arith.mulf %p_i, %qp_i : !T
    %next = arith.addf %sum, %product : !T
    scf.yield %next : !T
  }
  %worst = scf.for %i = %c0 to %n step %c1 iter_args(%most = %zero) -> (!T) {
    %qp_i = memref.load %qp[%i] : memref<?x!T>
    %apart = arith.subf %qp_i, %pqp : !T
    %size = math.absf %apart : !T
    %next = arith.maximumf %most, %size : !T
    scf.yield %next : !T
  }
  return %pqp, %worst : !T, !T
}

// A round: p and Q p after a step for each class.
func.func private @improve(%n: index, %q: memref<?x?x!T>, %p: memref<?x!T>, %qp: memref<?x!T>, %pqp0: !T) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : !T
  %two = arith.constant 2.0 : !T
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%pqp = %pqp0) -> (!T) {
    %qp_i = memref.load %qp[%i] : memref<?x!T>
    %q_ii = memref.load %q[%i, %i] : memref<?x?x!T>
    %gap = arith.subf %pqp, %qp_i : !T
    %step = arith.divf %gap, %q_ii : !T
    %whole = arith.addf %one, %step : !T
    %p_i = memref.load %p[%i] : memref<?x!T>
    %p_next = arith.addf %p_i, %step : !T
    memref.store %p_next, %p[%i] : memref<?x!T>
    %a = arith.mulf %step, %q_ii : !T
    %b = arith.mulf %two, %qp_i : !T
    %ab = arith.addf %a, %b : !T
    %change = arith.mulf %step, %ab : !T
    %raised = arith.addf %pqp, %change : !T
    %once = arith.divf %raised, %whole : !T
    %pqp_next = arith.divf %once, %whole : !T
    scf.for %j = %c0 to %n step %c1 {
      %qp_j = memref.load %qp[%j] : memref<?x!T>
      %q_ij = memref.load %q[%i, %j] : memref<?x?x!T>
      %more = arith.mulf %step, %q_ij : !T
      %sum = arith.addf %qp_j, %more : !T
      %qp_new = arith.divf %sum, %whole : !T
      memref.store %qp_new, %qp[%j] : memref<?x!T>
      %p_j = memref.load %p[%j] : memref<?x!T>
      %p_new = arith.divf %p_j, %whole : !T
      memref.store %p_new, %p[%j] : memref<?x!T>
    }
    scf.yield %pqp_next : !T
  }
  return
}

// For rows of pairs of %n classes, each the probability of the first of the two, strictly between 0 and 1, those of the
// classes.
func.func @svm_coupling(%pairs_: tensor<?x?x!T>, %n: index) -> tensor<?x?x!T> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rounds = arith.constant 100 : index
  %part = arith.constant 0.005 : !T
  %wide = arith.index_cast %n : index to i64
  %count = arith.sitofp %wide : i64 to !T
  %small = arith.divf %part, %count : !T
  %pairs = bufferization.to_buffer %pairs_ read_only : tensor<?x?x!T> to memref<?x?x!T>
  %rows = memref.dim %pairs, %c0 : memref<?x?x!T>
  %classes = memref.alloc(%rows, %n) : memref<?x?x!T>
  %q = memref.alloc(%n, %n) : memref<?x?x!T>
  %p = memref.alloc(%n) : memref<?x!T>
  %qp = memref.alloc(%n) : memref<?x!T>
  scf.for %row = %c0 to %rows step %c1 {
    func.call @fill(%pairs, %row, %n, %q, %p) : (memref<?x?x!T>, index, index, memref<?x?x!T>, memref<?x!T>) -> ()
    %last = scf.while (%round = %c0) : (index) -> index {
      %pqp, %worst = func.call @error(%n, %q, %p, %qp)
          : (index, memref<?x?x!T>, memref<?x!T>, memref<?x!T>) -> (!T, !T)
      %far = arith.cmpf uge, %worst, %small : !T
      %some = arith.cmpi ult, %round, %rounds : index
      %more = arith.andi %far, %some : i1
      scf.if %more {
        func.call @improve(%n, %q, %p, %qp, %pqp)
            : (index, memref<?x?x!T>, memref<?x!T>, memref<?x!T>, !T) -> ()
      }
      scf.condition(%more) %round : index
    } do {
    ^bb0(%round: index):
      %next = arith.addi %round, %c1 : index
      scf.yield %next : index
    }
    scf.for %i = %c0 to %n step %c1 {
      %value = memref.load %p[%i] : memref<?x!T>
      memref.store %value, %classes[%row, %i] : memref<?x?x!T>
    }
  }
  memref.dealloc %q : memref<?x?x!T>
  memref.dealloc %p : memref<?x!T>
  memref.dealloc %qp : memref<?x!T>
  %result = bufferization.to_tensor %classes : memref<?x?x!T> to tensor<?x?x!T>
  return %result : tensor<?x?x!T>
}
