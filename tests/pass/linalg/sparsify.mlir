// Sparse tensors become their arrays; the kernels are those of `noria sparse`.
// RUN: noria opt --sparsify %s | FileCheck %s --implicit-check-not='#sparse_tensor'
// RUN: mlir-opt %s -o /dev/null

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
#V = #sparse_tensor.encoding<{ map = (i) -> (i : compressed), posWidth = 32, crdWidth = 32 }>

// A product and a dense op.
// CHECK-LABEL: func.func @mixed
// CHECK:         %[[Y:.*]] = call @sparse_kernel(%{{.*}}, %arg0, %arg1, %arg2, %{{.*}}) : (tensor<?xf64>, tensor<?xi32>, tensor<?xi32>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK:         linalg.exp
// CHECK:         call @sparse_kernel_0(
// RUN: noria run %s --entry=mixed '[0,2,2,3]' '[0,2,1]' '[1,2,3]' '[1,2,3]' --check-stages | FileCheck %s --check-prefix=MIXED
// MIXED: dense<[5175.2243038986453, 1.000000e+00, 9.1548454853771357]> : tensor<3xf64>
func.func @mixed(%p: tensor<?xi32>, %c: tensor<?xi32>, %v: tensor<?xf64>, %x: tensor<3xf64>) -> tensor<3xf64> {
  %A = sparse_tensor.assemble (%p, %c), %v : (tensor<?xi32>, tensor<?xi32>), tensor<?xf64> to tensor<3x3xf64, #CSR>
  %z = arith.constant dense<1.0> : tensor<3xf64>
  %y = linalg.matvec ins(%A, %x : tensor<3x3xf64, #CSR>, tensor<3xf64>) outs(%z : tensor<3xf64>) -> tensor<3xf64>
  %e = linalg.exp ins(%y : tensor<3xf64>) outs(%z : tensor<3xf64>) -> tensor<3xf64>
  %r = linalg.matvec ins(%A, %e : tensor<3x3xf64, #CSR>, tensor<3xf64>) outs(%z : tensor<3xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}

// Equal kernels are one function.
// CHECK-LABEL: func.func @twice
// CHECK:         call @[[K:.*]](%0,
// CHECK:         call @[[K]](%
func.func @twice(%A: tensor<3x3xf64, #CSR>, %x: tensor<3xf64>, %y: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>) {
  %0 = linalg.matvec ins(%A, %x : tensor<3x3xf64, #CSR>, tensor<3xf64>) outs(%y : tensor<3xf64>) -> tensor<3xf64>
  %1 = linalg.matvec ins(%A, %x : tensor<3x3xf64, #CSR>, tensor<3xf64>) outs(%y : tensor<3xf64>) -> tensor<3xf64>
  return %0, %1 : tensor<3xf64>, tensor<3xf64>
}

// A loop that carries a sparse tensor: v <- v + v, twice. The result is taken apart.
// CHECK-LABEL: func.func @carried(
// CHECK:         scf.for %{{.*}} iter_args(%{{.*}}, %{{.*}}, %{{.*}}) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xf64>)
// CHECK:         call @sparse_kernel_{{.*}} -> (tensor<?xi32>, tensor<?xi32>, tensor<?xf64>)
// CHECK:         scf.yield %{{.*}}#0, %{{.*}}#1, %{{.*}}#2 : tensor<?xi32>, tensor<?xi32>, tensor<?xf64>
// RUN: noria run %s --entry=carried '[0,2]' '[1,5]' '[10,7]' --check-stages | FileCheck %s --check-prefix=CARRIED
// CARRIED: dense<[0, 2]> : tensor<2xi32>
// CARRIED-NEXT: dense<[1, 5]> : tensor<2xi32>
// CARRIED-NEXT: dense<[4.000000e+01, 2.800000e+01]> : tensor<2xf64>
// CARRIED-NEXT: {{^}}2 : index
func.func @carried(%p: tensor<2xi32>, %c: tensor<2xi32>, %v: tensor<2xf64>)
    -> (tensor<2xi32>, tensor<2xi32>, tensor<2xf64>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = sparse_tensor.assemble (%p, %c), %v : (tensor<2xi32>, tensor<2xi32>), tensor<2xf64> to tensor<6xf64, #V>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%s = %a) -> (tensor<6xf64, #V>) {
    %empty = tensor.empty() : tensor<6xf64, #V>
    %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%s : tensor<6xf64, #V>) outs(%empty : tensor<6xf64, #V>) {
    ^bb0(%x: f64, %out: f64):
      %d = arith.addf %x, %x : f64
      linalg.yield %d : f64
    } -> tensor<6xf64, #V>
    scf.yield %t : tensor<6xf64, #V>
  }
  %op = tensor.empty() : tensor<2xi32>
  %ov = tensor.empty() : tensor<2xf64>
  %0:6 = sparse_tensor.disassemble %r : tensor<6xf64, #V> out_lvls(%op, %op : tensor<2xi32>, tensor<2xi32>)
      out_vals(%ov : tensor<2xf64>) -> (tensor<2xi32>, tensor<2xi32>), tensor<2xf64>, (index, index), index
  return %0#0, %0#1, %0#2, %0#5 : tensor<2xi32>, tensor<2xi32>, tensor<2xf64>, index
}

// The same by a while, which ends when the sum of the elements is large enough.
// CHECK-LABEL: func.func @grown(
// CHECK:         scf.while (%{{.*}} = %arg0, %{{.*}} = %arg1, %{{.*}} = %arg2)
// CHECK:         scf.condition(%{{.*}}) %{{.*}}, %{{.*}}, %{{.*}} : tensor<?xi32>, tensor<?xi32>, tensor<?xf64>
// RUN: noria run %s --entry=grown '[0,2]' '[1,5]' '[10,7]' --check-stages | FileCheck %s --check-prefix=GROWN
// GROWN: dense<[0.000000e+00, 8.000000e+01, 0.000000e+00, 0.000000e+00, 0.000000e+00, 5.600000e+01]> : tensor<6xf64>
func.func @grown(%a: tensor<6xf64, #V>) -> tensor<6xf64> {
  %limit = arith.constant 100.0 : f64
  %zero = arith.constant dense<0.0> : tensor<f64>
  %r = scf.while (%s = %a) : (tensor<6xf64, #V>) -> tensor<6xf64, #V> {
    %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%s : tensor<6xf64, #V>) outs(%zero : tensor<f64>) {
    ^bb0(%x: f64, %out: f64):
      %d = arith.addf %x, %out : f64
      linalg.yield %d : f64
    } -> tensor<f64>
    %e = tensor.extract %sum[] : tensor<f64>
    %more = arith.cmpf olt, %e, %limit : f64
    scf.condition(%more) %s : tensor<6xf64, #V>
  } do {
  ^bb0(%s: tensor<6xf64, #V>):
    %two = arith.constant 2.0 : f64
    %empty = tensor.empty() : tensor<6xf64, #V>
    %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%s : tensor<6xf64, #V>) outs(%empty : tensor<6xf64, #V>) {
    ^bb0(%x: f64, %out: f64):
      %d = arith.mulf %x, %two : f64
      linalg.yield %d : f64
    } -> tensor<6xf64, #V>
    scf.yield %t : tensor<6xf64, #V>
  }
  %d = sparse_tensor.convert %r : tensor<6xf64, #V> to tensor<6xf64>
  return %d : tensor<6xf64>
}

// Arguments, results and calls: sizes that the type has not, then the arrays.
// CHECK-LABEL: func.func @caller(%arg0: index, %arg1: tensor<?xi32>, %arg2: tensor<?xi32>, %arg3: tensor<?xf64>) -> (index, index, tensor<?x?xf64>)
// CHECK:         call @itself(%arg0, %arg1, %arg2, %arg3)
// RUN: noria run %s --entry=caller 2 '[0,1,2]' '[0,2]' '[5,6]' --check-stages | FileCheck %s --check-prefix=CALLER
// CALLER: {{^}}2 : index
// CALLER-NEXT: {{^}}2 : index
// CALLER-NEXT: dense<{{\[}}[5.000000e+00, 0.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00, 6.000000e+00]]> : tensor<2x3xf64>
func.func @caller(%A: tensor<?x3xf64, #CSR>) -> (index, index, tensor<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %B = call @itself(%A) : (tensor<?x3xf64, #CSR>) -> tensor<?x3xf64, #CSR>
  %rows = tensor.dim %B, %c0 : tensor<?x3xf64, #CSR>
  %n = sparse_tensor.number_of_entries %B : tensor<?x3xf64, #CSR>
  %C = tensor.cast %B : tensor<?x3xf64, #CSR> to tensor<?x?xf64, #CSR>
  %d = sparse_tensor.convert %C : tensor<?x?xf64, #CSR> to tensor<?x?xf64>
  return %rows, %n, %d : index, index, tensor<?x?xf64>
}
// CHECK: func.func private @itself(%arg0: index, %arg1: tensor<?xi32>, %arg2: tensor<?xi32>, %arg3: tensor<?xf64>) -> (index, tensor<?xi32>, tensor<?xi32>, tensor<?xf64>)
func.func private @itself(%A: tensor<?x3xf64, #CSR>) -> tensor<?x3xf64, #CSR> {
  return %A : tensor<?x3xf64, #CSR>
}
// CHECK: func.func private @sparse_kernel(
