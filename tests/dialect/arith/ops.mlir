// Every op of arith, with all that its text may say.
// RUN: noria opt %s | FileCheck %s
// RUN: noria opt --syntax=mlir %s | mlir-opt

// CHECK-LABEL: func.func @integers
func.func @integers(%a: i32, %b: i32, %v: vector<4xi8>, %t: tensor<2x?xindex>) {
  // CHECK: arith.addi %{{.*}}, %{{.*}} : i32
  %0 = arith.addi %a, %b : i32
  // CHECK: arith.addi %{{.*}}, %{{.*}} overflow<nsw, nuw> : vector<4xi8>
  %1 = arith.addi %v, %v overflow<nuw, nsw> : vector<4xi8>
  // CHECK: arith.subi %{{.*}}, %{{.*}} overflow<nsw> {tag} : tensor<2x?xindex>
  %2 = arith.subi %t, %t overflow<nsw> {tag} : tensor<2x?xindex>
  // CHECK: arith.muli %{{.*}}, %{{.*}} : i32
  %3 = arith.muli %a, %b overflow<none> : i32
  // CHECK: arith.addui_extended %{{.*}}, %{{.*}} : i32, i1
  %4:2 = arith.addui_extended %a, %b : i32, i1
  // CHECK: arith.mulsi_extended %{{.*}}, %{{.*}} : i32
  %5:2 = arith.mulsi_extended %a, %b : i32
  // CHECK: arith.mului_extended %{{.*}}, %{{.*}} : vector<4xi8>
  %6:2 = arith.mului_extended %v, %v : vector<4xi8>
  // CHECK: arith.divui %{{.*}}, %{{.*}} exact : i32
  %7 = arith.divui %a, %b exact : i32
  // CHECK: arith.divsi %{{.*}}, %{{.*}} : i32
  %8 = arith.divsi %a, %b : i32
  // CHECK: arith.ceildivui
  %9 = arith.ceildivui %a, %b : i32
  // CHECK: arith.ceildivsi
  %10 = arith.ceildivsi %a, %b : i32
  // CHECK: arith.floordivsi
  %11 = arith.floordivsi %a, %b : i32
  // CHECK: arith.remui
  %12 = arith.remui %a, %b : i32
  // CHECK: arith.remsi
  %13 = arith.remsi %a, %b : i32
  // CHECK: arith.andi
  %14 = arith.andi %a, %b : i32
  // CHECK: arith.ori
  %15 = arith.ori %a, %b : i32
  // CHECK: arith.xori
  %16 = arith.xori %a, %b : i32
  // CHECK: arith.shli %{{.*}}, %{{.*}} overflow<nuw> : i32
  %17 = arith.shli %a, %b overflow<nuw> : i32
  // CHECK: arith.shrui %{{.*}}, %{{.*}} exact : i32
  %18 = arith.shrui %a, %b exact : i32
  // CHECK: arith.shrsi
  %19 = arith.shrsi %a, %b : i32
  // CHECK: arith.maxsi
  %20 = arith.maxsi %a, %b : i32
  // CHECK: arith.maxui
  %21 = arith.maxui %a, %b : i32
  // CHECK: arith.minsi
  %22 = arith.minsi %a, %b : i32
  // CHECK: arith.minui
  %23 = arith.minui %a, %b : i32
  return
}

// CHECK-LABEL: func.func @floats
func.func @floats(%a: f32, %b: f32, %v: vector<4xbf16>) {
  // CHECK: arith.negf %{{.*}} : f32
  %0 = arith.negf %a : f32
  // CHECK: arith.negf %{{.*}} fastmath<nsz> : vector<4xbf16>
  %1 = arith.negf %v fastmath<nsz> : vector<4xbf16>
  // CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<nnan,ninf> : f32
  %2 = arith.addf %a, %b fastmath<nnan, ninf> : f32
  // CHECK: arith.subf %{{.*}}, %{{.*}} fastmath<fast> : f32
  %3 = arith.subf %a, %b fastmath<fast> : f32
  // CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<fast> : f32
  %4 = arith.mulf %a, %b fastmath<reassoc,nnan,ninf,nsz,arcp,contract,afn> : f32
  // CHECK: arith.divf %{{.*}}, %{{.*}} : f32
  %5 = arith.divf %a, %b fastmath<none> : f32
  // CHECK: arith.remf
  %6 = arith.remf %a, %b : f32
  // CHECK: arith.maximumf
  %7 = arith.maximumf %a, %b : f32
  // CHECK: arith.maxnumf
  %8 = arith.maxnumf %a, %b : f32
  // CHECK: arith.minimumf
  %9 = arith.minimumf %a, %b : f32
  // CHECK: arith.minnumf
  %10 = arith.minnumf %a, %b : f32
  return
}

// CHECK-LABEL: func.func @casts
func.func @casts(%i: i32, %f: f32, %d: f64, %v: vector<4xi8>, %x: index, %m: memref<4xi32>) {
  // CHECK: arith.extui %{{.*}} : i32 to i64
  %0 = arith.extui %i : i32 to i64
  // CHECK: arith.extsi %{{.*}} : vector<4xi8> to vector<4xi16>
  %1 = arith.extsi %v : vector<4xi8> to vector<4xi16>
  // CHECK: arith.trunci %{{.*}} overflow<nsw> : i32 to i8
  %2 = arith.trunci %i overflow<nsw> : i32 to i8
  // CHECK: arith.extf %{{.*}} fastmath<contract> : f32 to f64
  %3 = arith.extf %f fastmath<contract> : f32 to f64
  // CHECK: arith.truncf %{{.*}} : f64 to f32
  %4 = arith.truncf %d : f64 to f32
  // CHECK: arith.truncf %{{.*}} toward_zero fastmath<nnan> : f64 to bf16
  %5 = arith.truncf %d toward_zero fastmath<nnan> : f64 to bf16
  // CHECK: arith.uitofp %{{.*}} : i32 to f32
  %6 = arith.uitofp %i : i32 to f32
  // CHECK: arith.sitofp %{{.*}} : i32 to f64
  %7 = arith.sitofp %i : i32 to f64
  // CHECK: arith.fptoui %{{.*}} : f32 to i8
  %8 = arith.fptoui %f : f32 to i8
  // CHECK: arith.fptosi %{{.*}} : f32 to i64
  %9 = arith.fptosi %f : f32 to i64
  // CHECK: arith.index_cast %{{.*}} : index to i32
  %10 = arith.index_cast %x : index to i32
  // CHECK: arith.index_cast %{{.*}} : memref<4xi32> to memref<4xindex>
  %11 = arith.index_cast %m : memref<4xi32> to memref<4xindex>
  // CHECK: arith.index_castui %{{.*}} : i32 to index
  %12 = arith.index_castui %i : i32 to index
  // CHECK: arith.bitcast %{{.*}} : i32 to f32
  %13 = arith.bitcast %i : i32 to f32
  return
}

// CHECK-LABEL: func.func @compare
func.func @compare(%a: i32, %b: i32, %f: f32, %g: f32, %t: tensor<?xf64>) {
  // CHECK: arith.cmpi eq, %{{.*}}, %{{.*}} : i32
  %0 = arith.cmpi eq, %a, %b : i32
  // CHECK: arith.cmpi uge, %{{.*}}, %{{.*}} : i32
  %1 = arith.cmpi "uge", %a, %b : i32
  // CHECK: arith.cmpf une, %{{.*}}, %{{.*}} fastmath<nnan> : f32
  %2 = arith.cmpf une, %f, %g fastmath<nnan> : f32
  // CHECK: %[[C:.*]] = arith.cmpf true, %{{.*}}, %{{.*}} : tensor<?xf64>
  %3 = arith.cmpf true, %t, %t : tensor<?xf64>
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
  %4 = arith.select %0, %f, %g : f32
  // CHECK: arith.select %[[C]], %{{.*}}, %{{.*}} : tensor<?xi1>, tensor<?xf64>
  %5 = arith.select %3, %t, %t : tensor<?xi1>, tensor<?xf64>
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<?xf64>
  %6 = arith.select %0, %t, %t : tensor<?xf64>
  return
}

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK: arith.constant 42 : i32
  %0 = arith.constant 42 : i32
  // CHECK: arith.constant {tag} -1 : index
  %1 = arith.constant {tag} -1 : index
  // CHECK: arith.constant true
  %2 = arith.constant true
  // CHECK: arith.constant 1.500000e+00 : f16
  %3 = arith.constant 1.5 : f16
  // CHECK: arith.constant 0x7FC00000 : f32
  %4 = arith.constant 0x7FC00000 : f32
  // CHECK: arith.constant dense<[1, 2]> : tensor<2xi64>
  %5 = arith.constant dense<[1, 2]> : tensor<2xi64>
  // CHECK: arith.constant dense<0.000000e+00> : vector<4xf32>
  %6 = arith.constant dense<0.0> : vector<4xf32>
  // CHECK: arith.constant 340282366920938463463374607431768211455 : i256
  %7 = arith.constant 340282366920938463463374607431768211455 : i256
  return
}

// CHECK-LABEL: func.func @generic_form
func.func @generic_form(%a: i32, %f: f32) {
  // CHECK: arith.addi %{{.*}}, %{{.*}} overflow<nsw> : i32
  %0 = "arith.addi"(%a, %a) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
  // CHECK: arith.addf %{{.*}}, %{{.*}} : f32
  %1 = "arith.addf"(%f, %f) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
  // CHECK: arith.cmpi sle
  %2 = "arith.cmpi"(%a, %a) <{predicate = 3 : i64}> : (i32, i32) -> i1
  // CHECK: arith.constant 7 : i8
  %3 = "arith.constant"() <{value = 7 : i8}> : () -> i8
  // CHECK: arith.truncf %{{.*}} upward : f32 to f16
  %4 = "arith.truncf"(%f) <{roundingmode = 2 : i32}> : (f32) -> f16
  return
}
