// Masks go into functions and out of them, also on CPUs that have registers for masks; rows of one bool as bools.
// RUN: noria run --check-stages %s '[1]' '[2, 5, 9]' 2>&1 | FileCheck %s
// RUN: noria compile %s --cpu=x86-64-v4 -o %t.o && noria compile %s --cpu=x86-64 -o %t.o
// CHECK: all {{.*}} outcomes are that of 'import'
// CHECK-NEXT: dense<false> : vector<1xi1>
// CHECK-NEXT: {{dense<\[\[true\], \[false\], \[true\]\]>}} : vector<3x1xi1>
// CHECK-NEXT: dense<true> : vector<i1>
// CHECK-NEXT: {{dense<\[true, false, true\]>}} : vector<3xi1>

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
