// RUN: noria opt --canonicalize %s | FileCheck %s
// RUN: noria opt --canonicalize --syntax=mlir %s | mlir-opt
// RUN: noria opt --canonicalize %s -o %t.mlir

// RUN: noria run %s --interpret --entry=widths -3 | FileCheck %s --check-prefix=WIDTHS
// RUN: noria run %t.mlir --check-stages --entry=widths -3 | FileCheck %s --check-prefix=WIDTHS
// WIDTHS: {{^}}-3 : i32
// WIDTHS-NEXT: 253 : i32
// WIDTHS-NEXT: -3 : i16
// WIDTHS-NEXT: 5 : i8
// CHECK-LABEL: func.func @widths
// CHECK-SAME: %[[A:.*]]: i8)
// CHECK-DAG: %[[S:.*]] = arith.extsi %[[A]] : i8 to i32
// CHECK-DAG: %[[U:.*]] = arith.extui %[[A]] : i8 to i32
// CHECK-DAG: %[[T:.*]] = arith.extsi %[[A]] : i8 to i16
// CHECK-DAG: %[[N:.*]] = arith.trunci %[[A]] : i8 to i3
// CHECK-DAG: %[[B:.*]] = arith.extui %[[N]] : i3 to i8
// CHECK: return %[[S]], %[[U]], %[[T]], %[[B]]
func.func @widths(%a: i8) -> (i32, i32, i16, i8) {
  %0 = arith.extsi %a : i8 to i16
  %1 = arith.extsi %0 : i16 to i32
  %2 = arith.extui %a : i8 to i16
  %3 = arith.extsi %2 : i16 to i32
  %4 = arith.trunci %1 : i32 to i16
  %5 = arith.trunci %3 : i32 to i3
  %6 = arith.extui %5 : i3 to i8
  return %1, %3, %4, %6 : i32, i32, i16, i8
}

// CHECK-LABEL: func.func @ends
// CHECK-SAME: %[[A:.*]]: i8)
// CHECK-DAG: %[[MAX:.*]] = arith.constant 127 : i8
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK: return %[[MAX]], %[[A]], %[[A]], %[[ZERO]], %[[A]]
func.func @ends(%a: i8) -> (i8, i8, i8, i8, i8) {
  %max = arith.constant 127 : i8
  %min = arith.constant -128 : i8
  %zero = arith.constant 0 : i8
  %all = arith.constant 255 : i8
  %0 = arith.maxsi %a, %max : i8
  %1 = arith.maxsi %a, %min : i8
  %2 = arith.minsi %a, %max : i8
  %3 = arith.minui %a, %zero : i8
  %4 = arith.minui %a, %all : i8
  return %0, %1, %2, %3, %4 : i8, i8, i8, i8, i8
}

// CHECK-LABEL: func.func @choices
// CHECK-SAME: %[[C:.*]]: i1, %[[A:.*]]: i32, %[[B:.*]]: i32)
// CHECK-DAG: %[[SWAP:.*]] = arith.select %[[C]], %[[B]], %[[A]] : i32
// CHECK-DAG: %[[NOT:.*]] = arith.xori %[[C]], %true : i1
// CHECK-DAG: %[[ONCE:.*]] = arith.select %[[C]], %[[A]], %[[B]] : i32
// CHECK-DAG: %[[ONE:.*]] = arith.extui %[[C]] : i1 to i32
// CHECK-DAG: %[[MINUS:.*]] = arith.extsi %[[C]] : i1 to i32
// CHECK: return %[[SWAP]], %[[NOT]], %[[ONCE]], %[[ONE]], %[[MINUS]]
func.func @choices(%c: i1, %a: i32, %b: i32) -> (i32, i1, i32, i32, i32) {
  %t = arith.constant true
  %f = arith.constant false
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %minus = arith.constant -1 : i32
  %n = arith.xori %c, %t : i1
  %1 = arith.select %n, %a, %b : i32
  %2 = arith.select %c, %f, %t : i1
  %3 = arith.select %c, %a, %b : i32
  %4 = arith.select %c, %3, %b : i32
  %5 = arith.select %c, %one, %zero : i32
  %6 = arith.select %c, %minus, %zero : i32
  return %1, %2, %4, %5, %6 : i32, i1, i32, i32, i32
}

// A widened value equals only what it could be.
// CHECK-LABEL: func.func @compared
// CHECK-SAME: %[[C:.*]]: i1, %[[A:.*]]: i8)
// CHECK: %[[FAR:.*]] = arith.extsi %[[A]]
// CHECK: arith.cmpi eq, %[[FAR]]
// CHECK: arith.cmpi ne, %[[A]], %{{.*}} : i8
// RUN: noria run %s --interpret --entry=compared 1 -56 | FileCheck %s --check-prefix=COMPARED
// RUN: noria run %t.mlir --check-stages --entry=compared 1 -56 | FileCheck %s --check-prefix=COMPARED
// COMPARED: {{^}}true{{$}}
// COMPARED-NEXT: false{{$}}
// COMPARED-NEXT: false{{$}}
func.func @compared(%c: i1, %a: i8) -> (i1, i1, i1) {
  %zero = arith.constant 0 : i32
  %far = arith.constant 200 : i32
  %0 = arith.extui %c : i1 to i32
  %1 = arith.cmpi ne, %0, %zero : i32
  %2 = arith.extsi %a : i8 to i32
  %3 = arith.cmpi eq, %2, %far : i32
  %4 = arith.extui %a : i8 to i32
  %5 = arith.cmpi ne, %4, %far : i32
  return %1, %3, %5 : i1, i1, i1
}

// CHECK-LABEL: func.func @again
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i32)
// CHECK-DAG: %[[AND:.*]] = arith.andi %[[A]], %[[B]] : i32
// CHECK-DAG: %[[NEG:.*]] = arith.subi %{{.*}}, %[[B]] : i32
// CHECK: return %[[AND]], %[[NEG]]
func.func @again(%a: i32, %b: i32) -> (i32, i32) {
  %0 = arith.andi %a, %b : i32
  %1 = arith.andi %b, %0 : i32
  %2 = arith.subi %a, %b : i32
  %3 = arith.subi %2, %a : i32
  return %1, %3 : i32, i32
}

// Widened in one way from one type: compared, and their bits put together, before that.
// CHECK-LABEL: func.func @widened
// CHECK-SAME: %[[A:.*]]: i8, %[[B:.*]]: i8)
// CHECK-DAG: %[[BELOW:.*]] = arith.cmpi ult, %[[A]], %[[B]] : i8
// CHECK-DAG: %[[ABOVE:.*]] = arith.cmpi ugt, %[[A]], %[[B]] : i8
// CHECK-DAG: %[[LESS:.*]] = arith.cmpi slt, %[[A]], %[[B]] : i8
// CHECK-DAG: %[[XOR:.*]] = arith.xori %[[A]], %[[B]] : i8
// CHECK-DAG: %[[WIDE:.*]] = arith.extsi %[[XOR]] : i8 to i32
// CHECK-DAG: %[[INDEX:.*]] = arith.index_castui %[[A]] : i8 to index
// CHECK: return %[[BELOW]], %[[ABOVE]], %[[LESS]], %[[WIDE]], %[[INDEX]]
// RUN: noria run %s --interpret --entry=widened -3 100 | FileCheck %s --check-prefix=WIDENED
// RUN: noria run %t.mlir --check-stages --entry=widened -3 100 | FileCheck %s --check-prefix=WIDENED
// WIDENED: {{^}}false{{$}}
// WIDENED-NEXT: true{{$}}
// WIDENED-NEXT: true{{$}}
// WIDENED-NEXT: -103 : i32
// WIDENED-NEXT: 253 : index
func.func @widened(%a: i8, %b: i8) -> (i1, i1, i1, i32, index) {
  %0 = arith.extui %a : i8 to i32
  %1 = arith.extui %b : i8 to i32
  %2 = arith.extsi %a : i8 to i32
  %3 = arith.extsi %b : i8 to i32
  %4 = arith.cmpi slt, %0, %1 : i32
  %5 = arith.cmpi ugt, %2, %3 : i32
  %6 = arith.cmpi slt, %2, %3 : i32
  %7 = arith.xori %2, %3 : i32
  %8 = arith.index_castui %0 : i32 to index
  return %4, %5, %6, %7, %8 : i1, i1, i1, i32, index
}

// CHECK-LABEL: func.func @cancelled
// CHECK-DAG: %[[P:.*]] = arith.mulf %arg0, %arg1 : f32
// CHECK-DAG: %[[Q:.*]] = arith.divf %arg0, %arg1 : f32
// CHECK-DAG: %[[MINUS:.*]] = arith.constant -3 : i32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: return %[[P]], %[[Q]], %[[MINUS]], %arg2, %[[ZERO]]
func.func @cancelled(%x: f32, %y: f32, %i: i32) -> (f32, f32, i32, i32, i32) {
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %0 = arith.negf %x : f32
  %1 = arith.negf %y : f32
  %2 = arith.mulf %0, %1 : f32
  %3 = arith.divf %0, %1 : f32
  %4 = arith.subi %i, %c3 : i32
  %5 = arith.subi %4, %i : i32
  %low, %high = arith.mului_extended %c1, %i : i32
  return %2, %3, %5, %low, %high : f32, f32, i32, i32, i32
}

// Of x and not x nothing, and all, is left; what is narrowed beyond where it came from is rounded once; a half that
// nobody asks for is not computed.
// CHECK-LABEL: func.func @less
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK-DAG: %[[ALL:.*]] = arith.constant -1 : i8
// CHECK-DAG: %[[T:.*]] = arith.truncf %arg1 : f32 to f16
// CHECK-DAG: %[[S:.*]] = arith.addi %arg0, %arg2 : i8
// CHECK-DAG: %[[P:.*]] = arith.muli %arg0, %arg2 : i8
// CHECK-NOT: extended
// CHECK: return %[[ZERO]], %[[ALL]], %[[T]], %[[S]], %[[P]]
func.func @less(%x: i8, %f: f32, %y: i8) -> (i8, i8, f16, i8, i8) {
  %ones = arith.constant -1 : i8
  %not = arith.xori %x, %ones : i8
  %0 = arith.andi %x, %not : i8
  %1 = arith.ori %not, %x : i8
  %2 = arith.extf %f : f32 to f64
  %3 = arith.truncf %2 : f64 to f16
  %sum, %over = arith.addui_extended %x, %y : i8, i1
  %low, %high = arith.mulsi_extended %x, %y : i8
  return %0, %1, %3, %sum, %low : i8, i8, f16, i8, i8
}

// A value with a bit that is always set is not 0.
// CHECK-LABEL: func.func @set_bit
// CHECK-DAG: %[[FALSE:.+]] = arith.constant false
// CHECK-DAG: %[[TRUE:.+]] = arith.constant true
// CHECK: %[[OPEN:.+]] = arith.cmpi eq
// CHECK: return %[[TRUE]], %[[FALSE]], %[[OPEN]]
func.func @set_bit(%x: i32) -> (i1, i1, i1) {
  %zero = arith.constant 0 : i32
  %six = arith.constant 6 : i32
  %odd = arith.ori %x, %six : i32
  %ne = arith.cmpi ne, %odd, %zero : i32
  %eq = arith.cmpi eq, %zero, %odd : i32
  %open = arith.cmpi eq, %odd, %six : i32
  return %ne, %eq, %open : i1, i1, i1
}
