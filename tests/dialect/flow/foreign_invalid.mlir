// RUN: noria opt --split-input-file --verify-diagnostics %s
util.func @f(%a: tensor<?xf32>, %b: tensor<4xf32>, %d: index) {
  // expected-error@+1 {{(C1) value and result types must match}}
  %0 = iree_tensor_ext.compute_barrier.start %b : tensor<4xf32> -> tensor<?xf32>
  // expected-error@+1 {{(C2) value set has 1 dynamic dimensions but only 0 dimension values are attached}}
  %1 = iree_tensor_ext.compute_barrier.end %a : tensor<?xf32> -> tensor<?xf32>
  // expected-error@+1 {{(C2) value set has 0 dynamic dimensions but 1 dimension values are attached}}
  %2 = iree_tensor_ext.compute_barrier.end %b : tensor<4xf32>{%d} -> tensor<4xf32>
  util.return
}
