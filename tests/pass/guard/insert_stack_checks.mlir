// RUN: noria opt %s --guard-recursion | FileCheck %s

// CHECK-LABEL: func.func @down
// CHECK-NEXT: rt.enter "'func.func' op @down calls itself too deep: the stack is full"
func.func @down(%n: i64) -> i64 {
  %0 = call @down(%n) : (i64) -> i64
  return %0 : i64
}

// Of a circle one asks.
// CHECK-LABEL: func.func @even
// CHECK-NEXT: rt.enter
func.func @even(%n: i64) -> i64 {
  %0 = call @odd(%n) : (i64) -> i64
  return %0 : i64
}
// CHECK-LABEL: func.func @odd
// CHECK-NOT: rt.enter
func.func @odd(%n: i64) -> i64 {
  %0 = call @even(%n) : (i64) -> i64
  return %0 : i64
}

// A diamond is no circle, and who calls one is not in it.
// CHECK-LABEL: func.func @top
// CHECK-NOT: rt.enter
func.func @top(%n: i64) -> i64 {
  %0 = call @left(%n) : (i64) -> i64
  %1 = call @right(%0) : (i64) -> i64
  return %1 : i64
}
func.func @left(%n: i64) -> i64 {
  %0 = call @bottom(%n) : (i64) -> i64
  return %0 : i64
}
func.func @right(%n: i64) -> i64 {
  %0 = call @bottom(%n) : (i64) -> i64
  %1 = call @down(%0) : (i64) -> i64
  return %1 : i64
}
func.func @bottom(%n: i64) -> i64 {
  return %n : i64
}

// What is called may be any function that is a value.
// CHECK-LABEL: func.func @applies
// CHECK: rt.enter "'func.func' op @applies
func.func @applies(%f: (i64) -> i64, %n: i64) -> i64 {
  %0 = call_indirect %f(%n) : (i64) -> i64
  return %0 : i64
}
// CHECK-LABEL: func.func @value
// CHECK-NOT: rt.enter
func.func @value(%n: i64) -> i64 {
  %f = constant @value : (i64) -> i64
  %0 = call @applies(%f, %n) : ((i64) -> i64, i64) -> i64
  return %0 : i64
}
