// Texts of 2020 give no dims: they become those of the operands. Loads and stores are of whole dispatch tensors.
// RUN: noria opt --syntax=mlir %s -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: noria opt --syntax=mlir %t.once | diff - %t.once
// RUN: noria run %s --entry=tensors '[[1.0, 2.0], [3.0, 4.0]]' 1 --check-stages | FileCheck %s --check-prefix=TENSORS
// RUN: noria run --interpret %s --entry=tensors '[[1.0, 2.0], [3.0, 4.0]]' 1 | FileCheck %s --check-prefix=TENSORS
// RUN: noria run %s --entry=whole '[1.0, 2.0, 3.0]' --check-stages | FileCheck %s --check-prefix=WHOLE
// RUN: noria run --interpret %s --entry=whole '[1.0, 2.0, 3.0]' | FileCheck %s --check-prefix=WHOLE
// RUN: noria run %s --entry=traces '[1.0, 2.0]' 2>&1 | FileCheck %s --check-prefix=TRACE

// CHECK-LABEL: func.func @tensors
// TENSORS: dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
// TENSORS: 3.000000e+00 : f32
// TENSORS: dense<{{\[\[}}3.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
// TENSORS: dense<{{\[\[}}3.000000e+00, 4.000000e+00]]> : tensor<1x2xf32>
// TENSORS: dense<{{\[\[}}3.000000e+00, 2.000000e+00], [3.000000e+00, 2.000000e+00]]> : tensor<2x2xf32>
func @tensors(%a: tensor<?x2xf32>, %i: index) -> (tensor<?xf32>, f32, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %c2 = constant 2 : index
  // CHECK: %[[D:.*]] = tensor.dim %arg0, %{{.*}} : tensor<?x2xf32>
  // CHECK: flow.tensor.clone %arg0 : tensor<?x2xf32>{%[[D]]}
  %c = flow.tensor.clone %a : tensor<?x2xf32>
  // CHECK: flow.tensor.reshape %{{.*}} : tensor<?x2xf32>{%{{.*}}} -> tensor<?xf32>{%{{.*}}}
  %r = flow.tensor.reshape %c : tensor<?x2xf32> -> tensor<?xf32>
  // CHECK: flow.tensor.load %{{.*}}[%arg1, %{{.*}}] : tensor<?x2xf32>{%{{.*}}}
  %e = flow.tensor.load %c[%i, %c0] : tensor<?x2xf32>
  // CHECK: flow.tensor.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor<?x2xf32>{%{{.*}}}
  %s = flow.tensor.store %e, %c[%c0, %c0] : tensor<?x2xf32>
  // CHECK: flow.tensor.slice %{{.*}}[%arg1, %{{.*}} for %[[N:.*]], %{{.*}}] : tensor<?x2xf32>{%{{.*}}} -> tensor<?x2xf32>{%[[N]]}
  %t = flow.tensor.slice %s[%i, %c0 for %c1, %c2] : tensor<?x2xf32> -> tensor<?x2xf32>
  %f = flow.tensor.slice %s[%c0, %c0 for %c1, %c2] : tensor<?x2xf32> -> tensor<?x2xf32>
  // CHECK: flow.tensor.update %{{.*}}, %{{.*}}[%arg1, %{{.*}}] : tensor<?x2xf32>{%{{.*}}} -> %{{.*}} as tensor<?x2xf32>{%{{.*}}}
  %u = flow.tensor.update %f, %s[%i, %c0] : tensor<?x2xf32> -> tensor<?x2xf32>
  return %r, %e, %s, %t, %u : tensor<?xf32>, f32, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>
}

// CHECK-LABEL: func.func @whole
// WHOLE: dense<[2.000000e+00, 4.000000e+00, 6.000000e+00]> : tensor<3xf32>
// WHOLE: dense<2> : tensor<2xi32>
func @whole(%a: tensor<?xf32>) -> (tensor<3xf32>, tensor<2xi32>) {
  %c1 = constant 1 : index
  // CHECK: flow.dispatch.workgroups[%{{.*}}, %{{.*}}](%arg0) : (tensor<?xf32>{%{{.*}}}) -> (tensor<3xf32>, tensor<2xi32>) =
  %r, %s = flow.dispatch.workgroups[%c1, %c1](%a) : (tensor<?xf32>) -> (tensor<3xf32>, tensor<2xi32>) = (%i : !flow.dispatch.input<?xf32>, %o : !flow.dispatch.output<3xf32>, %p : !flow.dispatch.output<2xi32>) {
    // CHECK: flow.dispatch.input.load %{{.*}} : !flow.dispatch.tensor<readonly:tensor<?xf32>> -> tensor<?xf32>
    %v = flow.dispatch.input.load %i : !flow.dispatch.input<?xf32> -> tensor<?xf32>
    %w = addf %v, %v : tensor<?xf32>
    %x = tensor_cast %w : tensor<?xf32> to tensor<3xf32>
    // CHECK: flow.dispatch.output.store %{{.*}}, %{{.*}} : tensor<3xf32> -> !flow.dispatch.tensor<writeonly:tensor<3xf32>>
    flow.dispatch.output.store %x, %o : tensor<3xf32> -> !flow.dispatch.output<3xf32>
    // CHECK: flow.dispatch.workgroup.rank : index
    %n = flow.dispatch.workgroup.rank : index
    %k = index_cast %n : index to i32
    %y = splat %k : tensor<2xi32>
    flow.dispatch.output.store %y, %p : tensor<2xi32> -> !flow.dispatch.output<2xi32>
    flow.return
  }
  return %r, %s : tensor<3xf32>, tensor<2xi32>
}

// TRACE: ===  ===
// TRACE: dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
func @traces(%a: tensor<?xf32>) {
  // CHECK: flow.tensor.trace "" = [%arg0 : tensor<?xf32>{%{{.*}}}, %arg0 : tensor<?xf32>{%{{.*}}}]
  flow.tensor.trace %a, %a : tensor<?xf32>, tensor<?xf32>
  return
}
