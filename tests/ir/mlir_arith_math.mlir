// Every op here reads, prints and reads back in both spellings, and MLIR reads what we print as the same program.
// RUN: noria opt --syntax=mlir %s -o %t.ours
// RUN: mlir-opt %t.ours -o %t.back
// RUN: mlir-opt %s -o %t.theirs
// RUN: diff %t.back %t.theirs
// RUN: noria opt --syntax=2020 %s -o %t.old
// RUN: noria opt --syntax=mlir %t.old -o %t.new
// RUN: diff %t.new %t.ours
// RUN: noria opt --syntax=2020 --generic %s -o %t.old
// RUN: noria opt --syntax=mlir %t.old -o %t.new
// RUN: diff %t.new %t.ours

func.func @ints(%a: i32, %b: i32, %v: vector<4xi32>, %t: tensor<?xi32>) -> i32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %a, %b overflow<nsw, nuw> : i32
  %2 = arith.subi %0, %1 {note = "x"} : i32
  %3 = arith.muli %v, %v : vector<4xi32>
  %4 = arith.divsi %a, %b : i32
  %5 = arith.divui %a, %b exact : i32
  %6 = arith.remsi %a, %b : i32
  %7 = arith.remui %t, %t : tensor<?xi32>
  %8 = arith.ceildivsi %a, %b : i32
  %9 = arith.ceildivui %a, %b : i32
  %10 = arith.floordivsi %a, %b : i32
  %11 = arith.andi %a, %b : i32
  %12 = arith.ori %a, %b : i32
  %13 = arith.xori %a, %b : i32
  %14 = arith.shli %a, %b overflow<nsw> : i32
  %15 = arith.shrsi %a, %b : i32
  %16 = arith.shrui %a, %b : i32
  %17 = arith.maxsi %a, %b : i32
  %18 = arith.maxui %a, %b : i32
  %19 = arith.minsi %a, %b : i32
  %20 = arith.minui %a, %b : i32
  %21:2 = arith.mulsi_extended %a, %b : i32
  %22:2 = arith.mului_extended %a, %b : i32
  %23, %24 = arith.addui_extended %a, %b : i32, i1
  %25 = arith.cmpi ult, %a, %b : i32
  %26 = arith.cmpi eq, %v, %v : vector<4xi32>
  %27 = arith.select %25, %a, %b : i32
  %28 = arith.select %26, %v, %v : vector<4xi1>, vector<4xi32>
  %29 = arith.select %25, %v, %v : vector<4xi32>
  return %2 : i32
}
func.func @floats(%a: f32, %b: f32, %v: vector<4xf32>) {
  %0 = arith.addf %a, %b : f32
  %1 = arith.addf %a, %b fastmath<fast> : f32
  %2 = arith.subf %a, %b fastmath<nnan,ninf> : f32
  %3 = arith.mulf %v, %v : vector<4xf32>
  %4 = arith.divf %a, %b : f32
  %5 = arith.remf %a, %b : f32
  %6 = arith.negf %a : f32
  %7 = arith.maximumf %a, %b : f32
  %8 = arith.minimumf %a, %b : f32
  %9 = arith.maxnumf %a, %b : f32
  %10 = arith.minnumf %a, %b fastmath<contract> : f32
  %11 = arith.cmpf oeq, %a, %b : f32
  %12 = arith.cmpf une, %a, %b fastmath<nnan> : f32
  return
}
func.func @casts(%a: i32, %f: f32, %x: index, %v: vector<4xi8>) {
  %0 = arith.extsi %a : i32 to i64
  %1 = arith.extui %a : i32 to i64
  %2 = arith.trunci %a : i32 to i8
  %3 = arith.sitofp %a : i32 to f32
  %4 = arith.uitofp %a : i32 to f64
  %5 = arith.fptosi %f : f32 to i32
  %6 = arith.fptoui %f : f32 to i32
  %7 = arith.extf %f : f32 to f64
  %8 = arith.truncf %f : f32 to bf16
  %9 = arith.index_cast %x : index to i64
  %10 = arith.index_castui %a : i32 to index
  %11 = arith.bitcast %a : i32 to f32
  %12 = arith.extsi %v : vector<4xi8> to vector<4xi32>
  return
}
func.func @constants() {
  %0 = arith.constant 1 : i32
  %1 = arith.constant 1.5 : f64
  %2 = arith.constant dense<0> : tensor<2xi64>
  %3 = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
  %4 = arith.constant false
  %5 = arith.constant {tag} 7 : index
  %6 = arith.constant -1 : i8
  return
}
func.func @math(%a: f32, %b: f32, %i: i32) {
  %0 = math.exp %a : f32
  %1 = math.exp2 %a : f32
  %2 = math.expm1 %a : f32
  %3 = math.log %a fastmath<fast> : f32
  %4 = math.log2 %a : f32
  %5 = math.log10 %a : f32
  %6 = math.log1p %a : f32
  %7 = math.sqrt %a : f32
  %8 = math.rsqrt %a : f32
  %9 = math.cbrt %a : f32
  %10 = math.sin %a : f32
  %11 = math.cos %a : f32
  %12 = math.tan %a : f32
  %13 = math.sinh %a : f32
  %14 = math.cosh %a : f32
  %15 = math.tanh %a : f32
  %16 = math.asin %a : f32
  %17 = math.acos %a : f32
  %18 = math.atan %a : f32
  %19 = math.asinh %a : f32
  %20 = math.acosh %a : f32
  %21 = math.atanh %a : f32
  %22 = math.erf %a : f32
  %23 = math.absf %a : f32
  %24 = math.absi %i : i32
  %25 = math.ceil %a : f32
  %26 = math.floor %a : f32
  %27 = math.round %a : f32
  %28 = math.roundeven %a : f32
  %29 = math.trunc %a : f32
  %30 = math.copysign %a, %b : f32
  %31 = math.atan2 %a, %b : f32
  %32 = math.powf %a, %b : f32
  %33 = math.fpowi %a, %i : f32, i32
  %34 = math.ipowi %i, %i : i32
  %35 = math.fma %a, %b, %a : f32
  %36 = math.ctlz %i : i32
  %37 = math.cttz %i : i32
  %38 = math.ctpop %i : i32
  %39 = math.isnan %a : f32
  %40 = math.isinf %a : f32
  %41 = math.isfinite %a : f32
  %42 = math.erfc %a : f32
  return
}
