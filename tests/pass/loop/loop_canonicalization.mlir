// RUN: noria opt --scf-for-loop-canonicalization %s | FileCheck %s
// RUN: noria opt --scf-for-loop-canonicalization --syntax=mlir %s | mlir-opt
// RUN: noria opt --scf-for-loop-canonicalization %s | noria run - --entry=tiles 3 --check-stages | FileCheck %s --check-prefix=VALUE
// RUN: noria run %s --entry=tiles 3 | FileCheck %s --check-prefix=VALUE
// VALUE: 64 : index

func.func private @use(index)
func.func private @use1(i1)

// CHECK-LABEL: func.func @tiles
// CHECK: scf.for
// CHECK-NOT: arith.minsi
// CHECK: arith.addi %{{.*}}, %c16 : index
// CHECK: scf.for
// CHECK: arith.minsi
// CHECK: return
func.func @tiles(%x: index) -> index {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c63 = arith.constant 63 : index
  %r = scf.for %i = %c0 to %c64 step %c16 iter_args(%a = %c0) -> (index) {
    %left = arith.subi %c64, %i : index
    %n = arith.minsi %left, %c16 : index
    %b = arith.addi %a, %n : index
    scf.yield %b : index
  }
  %s = scf.for %i = %c0 to %c63 step %c16 iter_args(%a = %c0) -> (index) {
    %left = arith.subi %c63, %i : index
    %n = arith.minsi %left, %c16 : index
    %b = arith.addi %a, %n : index
    scf.yield %b : index
  }
  %d = arith.subi %r, %s : index
  %c = arith.constant 63 : index
  %e = arith.muli %d, %c : index
  %f = arith.addi %e, %d : index
  return %f : index
}

// Between bounds that are not known, too: upper - iv is at least 1, the variable is below the upper bound, and not
// negative where the lower bound is not.
// CHECK-LABEL: func.func @unknown
// CHECK: scf.for %[[I:.*]] =
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi
// CHECK-NEXT: call @use(%[[LEFT]])
// CHECK-NEXT: call @use(%[[I]])
// CHECK-NEXT: %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT: call @use1(%[[TRUE]])
// CHECK: arith.maxsi
func.func @unknown(%m: memref<?xf32>, %lb: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %left = arith.subi %n, %i : index
    %a = arith.maxsi %left, %c1 : index
    func.call @use(%a) : (index) -> ()
    %b = arith.maxui %i, %c0 : index
    func.call @use(%b) : (index) -> ()
    %c = arith.cmpi sge, %i, %c0 : index
    func.call @use1(%c) : (i1) -> ()
  }
  scf.for %i = %lb to %n step %c1 {
    %left = arith.subi %n, %i : index
    %a = arith.maxsi %left, %c1 : index
    func.call @use(%a) : (index) -> ()
  }
  return
}

// An unsigned variable of 4 bits reaches 15: as a signed one it is below 0.
// CHECK-LABEL: func.func @unsigned
// CHECK: arith.maxsi
// CHECK: arith.maxsi
// CHECK-NOT: arith.minui
// CHECK: return
func.func private @use4(i4)
func.func @unsigned(%n: i4, %lb: i4) {
  %c0 = arith.constant 0 : i4
  %c1 = arith.constant 1 : i4
  %cm8 = arith.constant -8 : i4
  scf.for unsigned %i = %c0 to %n step %c1 : i4 {
    %a = arith.maxsi %i, %c0 : i4
    func.call @use4(%a) : (i4) -> ()
  }
  scf.for %i = %lb to %n step %c1 : i4 {
    %a = arith.maxsi %i, %c0 : i4
    func.call @use4(%a) : (i4) -> ()
  }
  scf.for %i = %c0 to %n step %c1 : i4 {
    %r = arith.remsi %i, %cm8 : i4
    %c5 = arith.constant 5 : i4
    %s = arith.constant 2 : i4
    %t = arith.remsi %i, %s : i4
    %a = arith.minui %t, %c5 : i4
    func.call @use4(%a) : (i4) -> ()
  }
  return
}

// Results of affine.min that always lose go.
// CHECK-LABEL: func.func @affine
// CHECK: affine.apply
// CHECK-NOT: affine.min
// CHECK: return
func.func @affine() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c4 {
    %n = affine.min affine_map<(d0)[s0] -> (4, s0 - d0)>(%i)[%c64]
    func.call @use(%n) : (index) -> ()
  }
  return
}

// The body hands on a tensor of the size that it got.
// CHECK-LABEL: func.func @carried
// CHECK-SAME: %[[T:.*]]: tensor<?xf32>
// CHECK: scf.for
// CHECK: tensor.dim %[[T]]
// CHECK: scf.for
// CHECK: scf.yield
// CHECK: tensor.dim %[[T]]
func.func @carried(%t: tensor<?xf32>, %x: f32, %n: index) -> (tensor<?xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<?xf32>) {
    %d = tensor.dim %a, %c0 : tensor<?xf32>
    %b = scf.for %j = %c0 to %d step %c1 iter_args(%c = %a) -> (tensor<?xf32>) {
      %e = tensor.insert %x into %c[%j] : tensor<?xf32>
      scf.yield %e : tensor<?xf32>
    }
    scf.yield %b : tensor<?xf32>
  }
  %d = tensor.dim %r, %c0 : tensor<?xf32>
  return %r, %d : tensor<?xf32>, index
}

// Of one bit, true is -1: the maximum is false.
// RUN: noria opt --scf-for-loop-canonicalization %s | noria run - --entry=bits | FileCheck %s --check-prefix=BITS
// BITS: false
func.func @bits() -> i1 {
  %false = arith.constant false
  %true = arith.constant true
  %0 = arith.maxsi %false, %true : i1
  return %0 : i1
}

// The range of a variable of scf.forall, with constant bounds and with others.
// CHECK-LABEL: func.func @points
// CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) in (8, %{{.*}})
// CHECK-NOT: arith.minsi
// CHECK: call @use(%[[I]])
// CHECK: %[[MORE:.*]] = arith.minsi %[[J]]
// CHECK: call @use(%[[MORE]])
func.func @points(%n: index) {
  %c7 = arith.constant 7 : index
  scf.forall (%i, %j) in (8, %n) {
    %x = arith.minsi %i, %c7 : index
    func.call @use(%x) : (index) -> ()
    %y = arith.minsi %j, %c7 : index
    func.call @use(%y) : (index) -> ()
  }
  return
}
