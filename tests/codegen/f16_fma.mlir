// math.fma on f16 rounds once. The exact result lies between 1 and 1 + 2^-10, closer to the second by 61 * 2^-30; as an f32 it would
// be in the middle. Without arithmetic on f16 it is computed in f64, with no function of a compiler's own library.
// RUN: noria compile %s --cpu=x86-64-v3 -o %t.s
// RUN: not grep -n "__truncdfhf2\|__extendhf" %t.s
// RUN: noria compile %s --cpu=sapphirerapids -o %t.native.s
// RUN: FileCheck --check-prefix=NATIVE --input-file=%t.native.s %s
// RUN: noria run %s 1.01953125 4.789829254150390625e-4 1 | FileCheck %s
// RUN: noria run %s --interpret 1.01953125 4.789829254150390625e-4 1 | FileCheck %s
// NATIVE: vfmadd{{[0-9]+}}sh
// CHECK: 1.000980e+00 : f16

func.func @main(%a: f16, %b: f16, %c: f16) -> f16 {
  %sum = math.fma %a, %b, %c : f16
  return %sum : f16
}
