// Masks go into functions and out of them, also on CPUs that have registers for masks; rows of one bool as bools.
// RUN: noria run --check-stages %s '[1]' '[2, 5, 9]' 2>&1 | FileCheck %s
// RUN: noria compile %s --cpu=x86-64-v4 -o %t.o && noria compile %s --cpu=x86-64 -o %t.o
// CHECK: all {{.*}} outcomes are that of 'import'
// CHECK-NEXT: dense<false> : vector<1xi1>
// CHECK-NEXT: {{dense<\[\[true\], \[false\], \[true\]\]>}} : vector<3x1xi1>
// CHECK-NEXT: dense<true> : vector<i1>
// CHECK-NEXT: {{dense<\[true, false, true\]>}} : vector<3xi1>
// They go from block to block too, also where several edges join the same two.
// RUN: noria run --check-stages --entry=branches %s true 2>&1 | FileCheck %s --check-prefix=YES
// RUN: noria run --check-stages --entry=branches %s false 2>&1 | FileCheck %s --check-prefix=NO
// YES: {{dense<\[\[true\], \[false\]\]>}} : vector<2x1xi1>
// NO: {{dense<\[\[false\], \[true\]\]>}} : vector<2x1xi1>
// RUN: noria run --check-stages --entry=cases %s 0 2>&1 | FileCheck %s --check-prefix=NO
// RUN: noria run --check-stages --entry=cases %s 1 2>&1 | FileCheck %s --check-prefix=YES
// RUN: noria run --check-stages --entry=cases %s 5 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: {{dense<true>}} : vector<2x1xi1>

func.func private @one(%a: vector<1xi1>, %b: vector<1xi1>) -> vector<1xi1> attributes {no_inline} {
  %c = arith.xori %a, %b : vector<1xi1>
  return %c : vector<1xi1>
}

func.func private @rows(%a: vector<3x1xi1>) -> vector<3x1xi1> attributes {no_inline} {
  %true = arith.constant dense<true> : vector<3x1xi1>
  %c = arith.xori %a, %true : vector<3x1xi1>
  return %c : vector<3x1xi1>
}

func.func private @single(%a: vector<i1>) -> vector<i1> attributes {no_inline} {
  return %a : vector<i1>
}

func.func private @three(%a: vector<3xi1>) -> vector<3xi1> attributes {no_inline} {
  %true = arith.constant dense<true> : vector<3xi1>
  %c = arith.xori %a, %true : vector<3xi1>
  return %c : vector<3xi1>
}

func.func @main(%x: vector<1xi32>, %y: vector<3xi32>) -> (vector<1xi1>, vector<3x1xi1>, vector<i1>, vector<3xi1>) {
  %c1 = arith.constant dense<1> : vector<1xi32>
  %five = arith.constant dense<5> : vector<3xi32>
  %a = arith.cmpi eq, %x, %c1 : vector<1xi32>
  %r = func.call @one(%a, %a) : (vector<1xi1>, vector<1xi1>) -> vector<1xi1>
  %five_times = arith.cmpi eq, %y, %five : vector<3xi32>
  %column = vector.shape_cast %five_times : vector<3xi1> to vector<3x1xi1>
  %s = func.call @rows(%column) : (vector<3x1xi1>) -> vector<3x1xi1>
  %item = vector.shape_cast %a : vector<1xi1> to vector<i1>
  %t = func.call @single(%item) : (vector<i1>) -> vector<i1>
  %u = func.call @three(%five_times) : (vector<3xi1>) -> vector<3xi1>
  return %r, %s, %t, %u : vector<1xi1>, vector<3x1xi1>, vector<i1>, vector<3xi1>
}

func.func @branches(%c: i1) -> vector<2x1xi1> {
  %true = arith.constant true
  %d = arith.xori %c, %true : i1
  %a = vector.from_elements %c, %d : vector<2x1xi1>
  %b = vector.from_elements %d, %c : vector<2x1xi1>
  %e = vector.from_elements %true, %d : vector<2x1xi1>
  cf.cond_br %c, ^end(%a : vector<2x1xi1>), ^end(%e : vector<2x1xi1>)
^end(%r: vector<2x1xi1>):
  %s = arith.andi %r, %a : vector<2x1xi1>
  return %s : vector<2x1xi1>
}

func.func @cases(%n: i32) -> vector<2x1xi1> {
  %zero = arith.constant 0 : i32
  %true = arith.constant true
  %is = arith.cmpi eq, %n, %zero : i32
  %not = arith.xori %is, %true : i1
  %a = vector.from_elements %not, %is : vector<2x1xi1>
  %all = arith.ori %is, %not : i1
  %b = vector.from_elements %all, %is : vector<2x1xi1>
  %c = vector.from_elements %all, %all : vector<2x1xi1>
  cf.switch %n : i32, [
    default: ^end(%c : vector<2x1xi1>),
    0: ^end(%a : vector<2x1xi1>),
    1: ^end(%b : vector<2x1xi1>)
  ]
^end(%r: vector<2x1xi1>):
  return %r : vector<2x1xi1>
}
