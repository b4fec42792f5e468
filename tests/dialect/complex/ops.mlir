// RUN: noria opt %s | FileCheck %s
// RUN: noria opt %s --syntax=2020 | FileCheck %s --check-prefix=OLD
// RUN: noria run %s --entry=all 1.5 2.5 -0.5 3.0 --check-stages | FileCheck %s --check-prefixes=VALUES
// RUN: noria run %s --entry=brains 1.5 2.5 -0.5 3.0 --check-stages | FileCheck %s --check-prefixes=BRAINS
// RUN: noria run %s --entry=old 1.5 2.5 --check-stages | FileCheck %s --check-prefixes=VALUES-OLD

// By NumPy: z = 1.5+2.5j, y = -0.5+3j, k = 1-2j.
// VALUES: {{^}}dense<[-8.250000e+00, 3.250000e+00]> : vector<2xf64>{{$}}
// VALUES-NEXT: {{^}}dense<[0.72972972972972971, -0.62162162162162{{[0-9]+}}]> : vector<2xf64>{{$}}
// VALUES-NEXT: {{^}}dense<[-1.500000e+00, -2.500000e+00]> : vector<2xf64>{{$}}
// VALUES-NEXT: {{^}}dense<[1.500000e+00, -2.500000e+00]> : vector<2xf64>{{$}}
// VALUES-NEXT: {{^}}2.9154759474226504 : f64{{$}}
// VALUES-NEXT: {{^}}true{{$}}
// VALUES-NEXT: {{^}}true{{$}}
// VALUES-NEXT: {{^}}dense<[2.500000e+00, 5.000000e-01]> : vector<2xf64>{{$}}
// VALUES-NEXT: {{^}}dense<0x7FF0000000000000> : vector<2xf64>{{$}}
// CHECK-LABEL: func.func @all
func.func @all(%a: f64, %b: f64, %c: f64, %d: f64)
    -> (vector<2xf64>, vector<2xf64>, vector<2xf64>, vector<2xf64>, f64, i1, i1, vector<2xf64>, vector<2xf64>) {
  %i = arith.constant 0 : index
  // CHECK: %[[X:.*]] = complex.create %{{.*}}, %{{.*}} : complex<f64>
  %x = complex.create %a, %b : complex<f64>
  %y = complex.create %c, %d : complex<f64>
  // CHECK: complex.constant [1.000000e+00, -2.000000e+00] : complex<f64>
  %k = complex.constant [1.0, -2.0] : complex<f64>
  %m = memref.alloc() : memref<2xcomplex<f64>>
  memref.store %x, %m[%i] : memref<2xcomplex<f64>>
  %z = memref.load %m[%i] : memref<2xcomplex<f64>>
  memref.dealloc %m : memref<2xcomplex<f64>>
  // CHECK: complex.mul %{{.*}}, %{{.*}} : complex<f64>
  %mul = complex.mul %z, %y : complex<f64>
  // CHECK: complex.div %{{.*}}, %{{.*}} : complex<f64>
  %div = complex.div %x, %y : complex<f64>
  // CHECK: complex.neg %{{.*}} : complex<f64>
  %neg = complex.neg %x : complex<f64>
  // CHECK: complex.conj %{{.*}} : complex<f64>
  %conj = complex.conj %x : complex<f64>
  // CHECK: complex.abs %{{.*}} : complex<f64>
  %abs = complex.abs %x : complex<f64>
  // CHECK: complex.eq %{{.*}}, %{{.*}} : complex<f64>
  %eq = complex.eq %x, %z : complex<f64>
  // CHECK: complex.neq %{{.*}}, %{{.*}} : complex<f64>
  %neq = complex.neq %x, %y : complex<f64>
  %s = arith.select %eq, %x, %k : complex<f64>
  // CHECK: complex.add %{{.*}}, %{{.*}} fastmath<contract> : complex<f64>
  %sum = complex.add %s, %k fastmath<contract> : complex<f64>
  %zero = complex.constant [0.0, 0.0] : complex<f64>
  %by_zero = complex.div %x, %zero : complex<f64>
  %0 = call @parts(%mul) : (complex<f64>) -> vector<2xf64>
  %1 = call @parts(%div) : (complex<f64>) -> vector<2xf64>
  %2 = call @parts(%neg) : (complex<f64>) -> vector<2xf64>
  %3 = call @parts(%conj) : (complex<f64>) -> vector<2xf64>
  %4 = call @parts(%sum) : (complex<f64>) -> vector<2xf64>
  %5 = call @parts(%by_zero) : (complex<f64>) -> vector<2xf64>
  return %0, %1, %2, %3, %abs, %eq, %neq, %4, %5
      : vector<2xf64>, vector<2xf64>, vector<2xf64>, vector<2xf64>, f64, i1, i1, vector<2xf64>, vector<2xf64>
}

func.func private @parts(%z: complex<f64>) -> vector<2xf64> {
  %re = complex.re %z : complex<f64>
  %im = complex.im %z : complex<f64>
  %v = vector.from_elements %re, %im : vector<2xf64>
  return %v : vector<2xf64>
}

// Parts that the CPU does not compute with, each step rounded.
// BRAINS: {{^}}-8.250000e+00 : bf16{{$}}
// BRAINS-NEXT: {{^}}7.304690e-01 : bf16{{$}}
// BRAINS-NEXT: {{^}}2.921880e+00 : bf16{{$}}
func.func @brains(%a: bf16, %b: bf16, %c: bf16, %d: bf16) -> (bf16, bf16, bf16) {
  %x = complex.create %a, %b : complex<bf16>
  %y = complex.create %c, %d : complex<bf16>
  %mul = complex.mul %x, %y : complex<bf16>
  %div = complex.div %x, %y : complex<bf16>
  %0 = complex.re %mul : complex<bf16>
  %1 = complex.re %div : complex<bf16>
  %2 = complex.abs %x : complex<bf16>
  return %0, %1, %2 : bf16, bf16, bf16
}

// VALUES-OLD: {{^}}1.500000e+00 : f32{{$}}
// VALUES-OLD-NEXT: {{^}}2.500000e+00 : f32{{$}}
// VALUES-OLD-NEXT: {{^}}5.000000e+00 : f32{{$}}
// OLD-LABEL: func @old
func @old(%a: f32, %b: f32) -> (f32, f32, f32) {
  // OLD: create_complex %{{.*}}, %{{.*}} : complex<f32>
  %0 = create_complex %a, %b : complex<f32>
  // OLD: re %{{.*}} : complex<f32>
  %1 = re %0 : complex<f32>
  // OLD: im %{{.*}} : complex<f32>
  %2 = im %0 : complex<f32>
  // OLD: addcf %{{.*}}, %{{.*}} : complex<f32>
  // CHECK: complex.add %{{.*}}, %{{.*}} : complex<f32>
  %3 = addcf %0, %0 : complex<f32>
  %4 = addcf %3, %0 : complex<f32>
  // OLD: subcf %{{.*}}, %{{.*}} : complex<f32>
  %5 = subcf %4, %0 : complex<f32>
  %6 = im %5 : complex<f32>
  return %1, %2, %6 : f32, f32, f32
}
