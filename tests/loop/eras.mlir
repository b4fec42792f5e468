// The loop dialect's text of each year, one function for each form that it had. All are read, all become today's text
// (which mlir-opt takes) and that of 2020, and either becomes the other without a change.
// RUN: noria opt --syntax=mlir %s -o %t.new && FileCheck %s --input-file=%t.new
// RUN: noria opt --syntax=2020 %s -o %t.old && FileCheck %s --input-file=%t.old --check-prefix=OLD
// RUN: mlir-opt %t.new -o %t.oracle
// RUN: noria opt --syntax=2020 %t.new | diff - %t.old
// RUN: noria opt --syntax=mlir %t.old | diff - %t.new
// RUN: mlir-opt --mlir-print-op-generic %t.new | noria opt --syntax=mlir - | diff - %t.new
// RUN: noria opt --syntax=2020 --generic %s | noria opt --syntax=2020 - | diff - %t.old

// ---- December 2019: no values; affine maps stand alone; the terminator has only a generic form ----

#id = (d0, d1) -> (d0, d1)
#swap = (d0, d1) -> (d1, d0)

// CHECK: #[[SWAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// RUN: noria run %s --entry=y2019 '[[1, 2], [3, 4]]' --check-stages | FileCheck %s --check-prefix=Y2019
// Y2019: {{^}}9 : i32{{$}}
// CHECK-LABEL: func.func @y2019(%arg0: memref<2x2xi32>) -> i32
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK: scf.if %{{.*}} {
// CHECK-NOT: else
// CHECK-NOT: terminator
// CHECK: return
// OLD-LABEL: func @y2019(%arg0: memref<2x2xi32>) -> i32
// OLD: loop.for
// OLD-NEXT: loop.for
// OLD: loop.if %{{.*}} {
func @y2019(%m: memref<2x2xi32, #id>) -> i32 {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %c2 = constant 2 : index
  %zero = constant 0 : i32
  %one = constant 1 : i32
  %sum = alloc() : memref<1xi32>
  store %zero, %sum[%c0] : memref<1xi32>
  loop.for %i = %c0 to %c2 step %c1 {
    loop.for %j = %c0 to %c2 step %c1 {
      %x = load %m[%i, %j] : memref<2x2xi32, (d0, d1) -> (d0, d1)>
      %more = cmpi "sgt", %x, %one : i32
      loop.if %more {
        %s = load %sum[%c0] : memref<1xi32>
        %t = addi %s, %x : i32
        store %t, %sum[%c0] : memref<1xi32>
        "loop.terminator"() : () -> ()
      }
    }
    "loop.terminator"() : () -> ()
  }
  %r = load %sum[%c0] : memref<1xi32>
  dealloc %sum : memref<1xi32>
  return %r : i32
}

// CHECK-LABEL: func.func @layout
// CHECK-SAME: (%arg0: memref<2x4xi8, #[[SWAP]]>, %arg1: memref<2x4xi8, #[[SWAP]], 1>)
func @layout(%m: memref<2x4xi8, #swap>, %n: memref<2x4xi8, (i, j) -> (j, i), 1>) {
  return
}

// The generic form of that time: a branch's values behind its block, regions in one list.
// RUN: noria run %s --entry=generic_2019 4 --check-stages | FileCheck %s --check-prefix=TEN
// TEN: {{^}}10 : index{{$}}
// CHECK-LABEL: func.func @generic_2019
// CHECK: scf.for
func @generic_2019(%n: index) -> index {
  %c0 = "std.constant"() {value = 0 : index} : () -> index
  %c1 = "std.constant"() {value = 1 : index} : () -> index
  %m = "std.alloc"() : () -> memref<1xindex>
  "std.store"(%c0, %m, %c0) : (index, memref<1xindex>, index) -> ()
  "loop.for"(%c0, %n, %c1) ( {
  ^bb0(%i: index):
    %s = "std.load"(%m, %c0) : (memref<1xindex>, index) -> index
    %k = "std.addi"(%i, %c1) : (index, index) -> index
    %t = "std.addi"(%s, %k) : (index, index) -> index
    "std.store"(%t, %m, %c0) : (index, memref<1xindex>, index) -> ()
    "loop.terminator"() : () -> ()
  }) : (index, index, index) -> ()
  %r = "std.load"(%m, %c0) : (memref<1xindex>, index) -> index
  "std.br"()[^bb1(%r : index)] : () -> ()
^bb1(%x: index):
  "std.return"(%x) : (index) -> ()
}

// ---- February 2020: parallel loops, their terminator printed; types behind attributes behind the body ----

// Two reductions, of 0 + 1 + .. + 5 and 1 * 2 * 3 * .. in a box of 2 by 3 points.
// RUN: noria run %s --entry=february 2 3 --check-stages | FileCheck %s --check-prefix=FEBRUARY
// FEBRUARY: {{^}}9 : i32{{$}}
// FEBRUARY-NEXT: {{^}}36 : i32{{$}}
// CHECK-LABEL: func.func @february
// CHECK: scf.parallel (%{{.*}}) = (%{{.*}}) to (%arg0) step (%{{.*}}) {
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: }
// CHECK: %[[R:.*]]:2 = scf.parallel (%{{.*}}, %{{.*}}) = ({{.*}}) to (%arg0, %arg1) step ({{.*}}) init (%{{.*}}, %{{.*}}) -> (i32, i32) {
// CHECK: scf.reduce(%{{.*}}, %{{.*}} : i32, i32) {
// CHECK: }, {
// CHECK: } {tag = 1 : i64}
// OLD-LABEL: func @february
// OLD: loop.parallel (%{{.*}}) = (%{{.*}}) to (%arg0) step (%{{.*}}) {
// OLD: loop.reduce(%{{.*}}) {
// OLD: } : i32
// OLD-NEXT: loop.reduce(%{{.*}}) {
// OLD: } : i32
// OLD-NEXT: loop.yield
// OLD-NEXT: } {tag = 1 : i64} : i32, i32
func @february(%n: index, %m: index) -> (i32, i32) {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %one = constant 1 : i32
  loop.parallel (%i) = (%c0) to (%n) step (%c1) {
    "loop.terminator"() : () -> ()
  }
  %r:2 = loop.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    %k = addi %i, %j : index
    %x = index_cast %k : index to i32
    loop.reduce(%x) {
    ^bb0(%a : i32, %b : i32):
      %s = addi %a, %b : i32
      loop.reduce.return %s : i32
    } : i32
    %j32 = index_cast %j : index to i32
    %y = addi %j32, %one : i32
    loop.reduce(%y) {
    ^bb0(%a : i32, %b : i32):
      %p = muli %a, %b : i32
      loop.reduce.return %p : i32
    } : i32
    "loop.terminator"() : () -> ()
  } {tag = 1} : i32, i32
  return %r#0, %r#1 : i32, i32
}

// ---- the proposal: the yield stands before the terminator ----

// RUN: noria run %s --entry=yield_and_terminator true 7 2 --check-stages | FileCheck %s --check-prefix=FIVE
// RUN: noria run %s --entry=yield_and_terminator false 7 12 --check-stages | FileCheck %s --check-prefix=FIVE
// FIVE: {{^}}5 : i32{{$}}
// CHECK-LABEL: func.func @yield_and_terminator
// CHECK: scf.yield %{{.*}} : i32
// CHECK-NEXT: } else {
func @yield_and_terminator(%c: i1, %x: i32, %y: i32) -> i32 {
  %r = loop.if %c -> (i32) {
    %d = subi %x, %y : i32
    loop.yield %d : i32
    "loop.terminator"() : () -> ()
  } else {
    %d = subi %y, %x : i32
    loop.yield %d : i32
    "loop.terminator"() : () -> ()
  }
  return %r : i32
}

// ---- March 2020: values; one state of the tree gave types in iter_args ----

// RUN: noria run %s --entry=march 5 --check-stages | FileCheck %s --check-prefix=MARCH
// MARCH: {{^}}32 : i64{{$}}
// MARCH-NEXT: {{^}}15 : index{{$}}
// CHECK-LABEL: func.func @march
// CHECK: %[[R:.*]]:2 = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (i64, index) {
// OLD-LABEL: func @march
// OLD: %[[R:.*]]:2 = loop.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (i64, index) {
func @march(%n: index) -> (i64, index) {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %one = constant 1 : i64
  %r:2 = loop.for %i = %c0 to %n step %c1 iter_args(%a = %one : i64, %b = %n : index) -> (i64, index) {
    %d = addi %a, %a : i64
    %e = addi %b, %i : index
    loop.yield %d, %e : i64, index
  }
  %two = constant 2 : i64
  return %r#0, %r#1 : i64, index
}

// With these, the types of the results need not be said again.
// RUN: noria run %s --entry=types_in_iter_args 5 --check-stages | FileCheck %s --check-prefix=MARCH
// CHECK-LABEL: func.func @types_in_iter_args
// CHECK: iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (i64, index) {
func @types_in_iter_args(%n: index) -> (i64, index) {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %one = constant 1 : i64
  %r:2 = loop.for %i = %c0 to %n step %c1 iter_args(%a = %one : i64, %b = %n : index) {
    %d = addi %a, %a : i64
    %e = addi %b, %i : index
    loop.yield %d, %e : i64, index
  }
  return %r#0, %r#1 : i64, index
}

// A parallel loop that ends in a yield without operands; its types are behind it.
// RUN: noria run %s --entry=page 3 --check-stages | FileCheck %s --check-prefix=THREE
// THREE: {{^}}3.000000e+00 : f32{{$}}
// CHECK-LABEL: func.func @page
// CHECK: %[[ID:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: init (%[[ID]]) -> f32 {
func @page(%n: index) -> f32 {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %r = loop.parallel (%i) = (%c0) to (%n) step (%c1) {
    %one = constant 1.0 : f32
    loop.reduce(%one) {
      ^bb0(%lhs : f32, %rhs: f32):
        %res = addf %lhs, %rhs : f32
        loop.reduce.return %res : f32
    } : f32
    loop.yield
  } : f32
  return %r : f32
}

// ---- April 2020: init; types before the bodies; one type needs no parentheses ----

// RUN: noria run %s --entry=april 3 --check-stages | FileCheck %s --check-prefix=APRIL
// APRIL: {{^}}2.500000e+00 : f32{{$}}
// APRIL-NEXT: {{^}}6 : i64{{$}}
// APRIL-NEXT: {{^}}true{{$}}
// CHECK-LABEL: func.func @april
// CHECK: scf.if %{{.*}} -> (i1) {
// CHECK: scf.for {{.*}} -> (f32) {
// CHECK: scf.parallel {{.*}} init (%{{.*}}, %{{.*}}) -> (f32, i64) {
// CHECK: scf.parallel {{.*}} init (%{{.*}}) -> f32 {
func @april(%n: index) -> (f32, i64, i1) {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %z = constant -0.5 : f32
  %three = constant 3 : i64
  %true = constant true
  %b = loop.if %true -> i1 {
    loop.yield %true : i1
  } else {
    %false = constant false
    loop.yield %false : i1
  }
  %f = loop.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> f32 {
    loop.yield %a : f32
  }
  %r:2 = loop.parallel (%i) = (%c0) to (%n) step (%c1) init(%f, %three) -> (f32, i64) {
    %one = constant 1.0 : f32
    loop.reduce(%one) : f32 {
    ^bb0(%l : f32, %o : f32):
      %s = addf %l, %o : f32
      loop.reduce.return %s : f32
    }
    %k = index_cast %i : index to i64
    loop.reduce(%k) : i64 {
    ^bb0(%l : i64, %o : i64):
      %s = addi %l, %o : i64
      loop.reduce.return %s : i64
    }
    loop.yield
  }
  %q = loop.parallel (%i) = (%c0) to (%c0) step (%c1) init (%r#0) -> f32 {
    loop.reduce(%z) : f32 {
    ^bb0(%l : f32, %o : f32):
      loop.reduce.return %l : f32
    }
  }
  return %q, %r#1, %b : f32, i64, i1
}

// ---- May 2020 to December 2023: the dialect is called scf ----

// RUN: noria run %s --entry=may 3 --check-stages | FileCheck %s --check-prefix=MAY
// MAY: {{^}}4.000000e+00 : f32{{$}}
// MAY-NEXT: {{^}}3 : i64{{$}}
// CHECK-LABEL: func.func @may
// CHECK: scf.parallel {{.*}} init (%{{.*}}, %{{.*}}) -> (f32, i64) {
// CHECK: scf.reduce(%{{.*}}, %{{.*}} : f32, i64) {
func @may(%n: index) -> (f32, i64) {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %z = constant 1.0 : f32
  %k0 = constant 0 : i64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.yield
  }
  %r:2 = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%z, %k0) -> (f32, i64) {
    scf.reduce(%z) : f32 {
    ^bb0(%l : f32, %o : f32):
      %s = addf %l, %o : f32
      scf.reduce.return %s : f32
    }
    %k = index_cast %i : index to i64
    scf.reduce(%k) : i64 {
    ^bb0(%l : i64, %o : i64):
      %s = addi %l, %o : i64
      scf.reduce.return %s : i64
    }
    scf.yield
  }
  return %r#0, %r#1 : f32, i64
}

// The same in the generic form, with the sizes of the groups as they were written then.
// RUN: noria run %s --entry=generic_2020 3 --check-stages | FileCheck %s --check-prefix=SIX
// SIX: {{^}}6 : i64{{$}}
// CHECK-LABEL: func.func @generic_2020
// CHECK: scf.parallel {{.*}} init (%{{.*}}) -> i64 {
func @generic_2020(%n: index) -> i64 {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %three = constant 3 : i64
  %r = "scf.parallel"(%c0, %n, %c1, %three) ( {
  ^bb0(%i: index):
    %k = index_cast %i : index to i64
    "scf.reduce"(%k) ( {
    ^bb0(%a: i64, %b: i64):
      %s = addi %a, %b : i64
      "scf.reduce.return"(%s) : (i64) -> ()
    }) : (i64) -> ()
    "scf.yield"() : () -> ()
  }) {operand_segment_sizes = dense<1> : vector<4xi32>} : (index, index, index, i64) -> i64
  return %r : i64
}

// ---- since December 2023: the reductions are the terminator ----

// RUN: noria run %s --entry=today 4 --check-stages | FileCheck %s --check-prefix=TODAY
// TODAY: {{^}}6 : i64{{$}}
// TODAY-NEXT: {{^}}24 : i64{{$}}
// CHECK-LABEL: func.func @today
// CHECK: scf.parallel {{.*}} init (%{{.*}}, %{{.*}}) -> (i64, i64) {
// CHECK: scf.reduce(%{{.*}}, %{{.*}} : i64, i64) {
// CHECK: }, {
func.func @today(%n: index) -> (i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.reduce
  }
  %r:2 = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero, %one) -> (i64, i64) {
    %k = arith.index_cast %i : index to i64
    %k1 = arith.addi %k, %one : i64
    scf.reduce(%k, %k1 : i64, i64) {
    ^bb0(%a: i64, %b: i64):
      %s = arith.addi %a, %b : i64
      scf.reduce.return %s : i64
    }, {
    ^bb0(%a: i64, %b: i64):
      %s = arith.muli %a, %b : i64
      scf.reduce.return %s : i64
    }
  }
  return %r#0, %r#1 : i64, i64
}

// RUN: noria run %s --entry=generic_today 4 --check-stages | FileCheck %s --check-prefix=SIX
// CHECK-LABEL: func.func @generic_today
// CHECK: scf.parallel {{.*}} init (%{{.*}}) -> i64 {
func.func @generic_today(%n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %r = "scf.parallel"(%c0, %n, %c1, %zero) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> ({
  ^bb0(%i: index):
    %k = arith.index_cast %i : index to i64
    "scf.reduce"(%k) ({
    ^bb0(%a: i64, %b: i64):
      %s = arith.addi %a, %b : i64
      "scf.reduce.return"(%s) : (i64) -> ()
    }) : (i64) -> ()
  }) : (index, index, index, i64) -> i64
  return %r : i64
}

// ---- the generic form before there were initial values: three groups of one size ----

// RUN: noria run %s --entry=generic_groups 4 --check-stages | FileCheck %s --check-prefix=SIX
// CHECK-LABEL: func.func @generic_groups
// CHECK: scf.parallel (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) init (%{{.*}}) -> i64 {
func @generic_groups(%n: index) -> i64 {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %r = "loop.parallel"(%c0, %n, %c1) ( {
  ^bb0(%i: index):
    %k = index_cast %i : index to i64
    "loop.reduce"(%k) ( {
    ^bb0(%a: i64, %b: i64):
      %s = addi %a, %b : i64
      "loop.reduce.return"(%s) : (i64) -> ()
    }) : (i64) -> ()
    "loop.yield"() : () -> ()
  }) : (index, index, index) -> i64
  return %r : i64
}

// ---- 2021: functions of dialect builtin, with arith and scf ----

// RUN: noria run %s --entry=builtin_func 4 --check-stages | FileCheck %s --check-prefix=SIX
// CHECK-LABEL: func.func @builtin_func
builtin.func @builtin_func(%n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> i64 {
    %k = arith.index_cast %i : index to i64
    scf.reduce(%k) : i64 {
    ^bb0(%a: i64, %b: i64):
      %s = arith.addi %a, %b : i64
      scf.reduce.return %s : i64
    }
    scf.yield
  }
  return %r : i64
}
