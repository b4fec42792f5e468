// A dispatch in a workgroup runs in it, as loops over its grid: one that stands in the body, one in a function that the
// body calls, and one in an executable written by hand.
// RUN: noria opt --pass-pipeline=lift-cf-to-scf,convert-dispatch-region-to-workgroups,outline-dispatches %s | FileCheck %s
// RUN: noria run %s --entry=rows '[[1, 2], [3, 4], [5, 6], [7, 8]]' --check-stages | FileCheck %s --check-prefix=ROWS
// RUN: noria run %s --entry=levels '[1, 2, 3, 4, 5, 6]' --check-stages | FileCheck %s --check-prefix=LEVELS
// RUN: noria run %s --entry=loop '[[1, 2, 3], [3, 4, 5]]' --check-stages | FileCheck %s --check-prefix=LOOP

// Each element gets its column added.
// CHECK: flow.executable private @rows_dispatch_0
// CHECK-NOT: flow.dispatch.workgroups
// CHECK: memref.alloc
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.subview
// CHECK: bufferization.to_tensor
// CHECK: memref.dealloc
// CHECK: func.func @rows
// CHECK: flow.dispatch @rows_dispatch_0
// ROWS: dense<{{\[\[}}1.000000e+00, 3.000000e+00], [3.000000e+00, 5.000000e+00], [5.000000e+00, 7.000000e+00], [7.000000e+00, 9.000000e+00]]>
func.func @rows(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %r = flow.dispatch.workgroups(%x, %n) : (tensor<4x?xf32>{%n}, index) -> tensor<4x?xf32>{%n} =
      (%a: !flow.dispatch.tensor<readonly:tensor<4x?xf32>>, %m: index, %o: !flow.dispatch.tensor<writeonly:tensor<4x?xf32>>) {
    %c4 = arith.constant 4 : index
    %i = flow.dispatch.workgroup.id[0] : index
    %row = flow.dispatch.tensor.load %a, offsets = [%i, 0], sizes = [1, %m], strides = [1, 1] : !flow.dispatch.tensor<readonly:tensor<4x?xf32>>{%m} -> tensor<?xf32>
    %q = flow.dispatch.workgroups[%m](%row, %m) : (tensor<?xf32>{%m}, index) -> tensor<?xf32>{%m} =
        (%b: !flow.dispatch.tensor<readonly:tensor<?xf32>>, %k: index, %p: !flow.dispatch.tensor<writeonly:tensor<?xf32>>) {
      %j = flow.dispatch.workgroup.id[0] : index
      %jj = flow.dispatch.workgroup.id[1] : index
      %e = flow.dispatch.tensor.load %b, offsets = [%j], sizes = [1], strides = [1] : !flow.dispatch.tensor<readonly:tensor<?xf32>>{%k} -> tensor<1xf32>
      %js = arith.index_cast %j : index to i32
      %jf = arith.sitofp %js : i32 to f32
      %s = tensor.splat %jf : tensor<1xf32>
      %t = arith.addf %e, %s : tensor<1xf32>
      flow.dispatch.tensor.store %t, %p, offsets = [%j], sizes = [1], strides = [1] : tensor<1xf32> -> !flow.dispatch.tensor<writeonly:tensor<?xf32>>{%k}
      flow.return
    } count(%w: index) -> (index, index, index) {
      %c1_0 = arith.constant 1 : index
      flow.return %w, %c1_0, %c1_0 : index, index, index
    }
    flow.dispatch.tensor.store %q, %o, offsets = [%i, 0], sizes = [1, %m], strides = [1, 1] : tensor<?xf32> -> !flow.dispatch.tensor<writeonly:tensor<4x?xf32>>{%m}
    flow.return
  } count() -> (index, index, index) {
    %c1_0 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    flow.return %c4, %c1_0, %c1_0 : index, index, index
  }
  return %r : tensor<4x?xf32>
}

// The function adds its index to each element, in the host program and in a workgroup. The rest has three levels, and a
// result tied to an argument of another type: 1.821690e-44 is i32 13.
// LEVELS: dense<[1, 3, 5, 7, 9, 11]> : tensor<6xi32>
// LEVELS: dense<[1, 4, 7, 10, 13, 16]> : tensor<6xi32>
// LEVELS: dense<[1.261170e-44, 5.605190e-45, 9.809090e-45, 2.942730e-44, 1.821690e-44, 2.242080e-44]> : tensor<6xf32>
func.func private @grid(%x: tensor<6xi32>) -> tensor<6xi32> {
  %r = flow.dispatch.workgroups(%x) : (tensor<6xi32>) -> %x =
      (%a: !flow.dispatch.tensor<readwrite:tensor<6xi32>>) {
    %i = flow.dispatch.workgroup.id[0] : index
    %j = flow.dispatch.workgroup.id[1] : index
    %n = flow.dispatch.workgroup.count[1] : index
    %w = arith.muli %i, %n : index
    %at = arith.addi %w, %j : index
    %e = flow.dispatch.tensor.load %a, offsets = [%at], sizes = [1], strides = [1] : !flow.dispatch.tensor<readwrite:tensor<6xi32>> -> tensor<1xi32>
    %v = arith.index_cast %at : index to i32
    %s = tensor.splat %v : tensor<1xi32>
    %t = arith.addi %e, %s : tensor<1xi32>
    flow.dispatch.tensor.store %t, %a, offsets = [%at], sizes = [1], strides = [1] : tensor<1xi32> -> !flow.dispatch.tensor<readwrite:tensor<6xi32>>
    flow.return
  } count() -> (index, index, index) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    flow.return %c2, %c3, %c1 : index, index, index
  }
  return %r : tensor<6xi32>
}
func.func @levels(%x: tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi32>, tensor<6xf32>) {
  %h = func.call @grid(%x) : (tensor<6xi32>) -> tensor<6xi32>
  %r, %f = flow.dispatch.workgroups(%h) : (tensor<6xi32>) -> (tensor<6xi32>, tensor<6xf32>) =
      (%a: !flow.dispatch.tensor<readonly:tensor<6xi32>>, %o: !flow.dispatch.tensor<writeonly:tensor<6xi32>>, %of: !flow.dispatch.tensor<writeonly:tensor<6xf32>>) {
    %e = flow.dispatch.tensor.load %a, offsets = [0], sizes = [6], strides = [1] : !flow.dispatch.tensor<readonly:tensor<6xi32>> -> tensor<6xi32>
    %g = func.call @grid(%e) : (tensor<6xi32>) -> tensor<6xi32>
    %q = flow.dispatch.workgroups(%g, %e) : (tensor<6xi32>, tensor<6xi32>) -> %g as tensor<6xf32> =
       (%b: !flow.dispatch.tensor<readwrite:tensor<6xi32>>, %b2: !flow.dispatch.tensor<readonly:tensor<6xi32>>) {
      %k = flow.dispatch.tensor.load %b, offsets = [1], sizes = [2], strides = [2] : !flow.dispatch.tensor<readwrite:tensor<6xi32>> -> tensor<2xi32>
      %y = flow.dispatch.region -> (tensor<2xi32>) {
        %yy = arith.addi %k, %k : tensor<2xi32>
        flow.return %yy : tensor<2xi32>
      }
      %z = flow.dispatch.workgroups(%y) : (tensor<2xi32>) -> tensor<2xi32> =
        (%c: !flow.dispatch.tensor<readonly:tensor<2xi32>>, %d: !flow.dispatch.tensor<writeonly:tensor<2xi32>>) {
        %m = flow.dispatch.tensor.load %c, offsets = [0], sizes = [2], strides = [1] : !flow.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %one = arith.constant dense<1> : tensor<2xi32>
        %p = arith.addi %m, %one : tensor<2xi32>
        flow.dispatch.tensor.store %p, %d, offsets = [0], sizes = [2], strides = [1] : tensor<2xi32> -> !flow.dispatch.tensor<writeonly:tensor<2xi32>>
        flow.return
      }
      flow.dispatch.tensor.store %z, %b, offsets = [0], sizes = [2], strides = [3] : tensor<2xi32> -> !flow.dispatch.tensor<readwrite:tensor<6xi32>>
      flow.return
    }
    flow.dispatch.tensor.store %g, %o, offsets = [0], sizes = [6], strides = [1] : tensor<6xi32> -> !flow.dispatch.tensor<writeonly:tensor<6xi32>>
    flow.dispatch.tensor.store %q, %of, offsets = [0], sizes = [6], strides = [1] : tensor<6xf32> -> !flow.dispatch.tensor<writeonly:tensor<6xf32>>
    flow.return
  }
  return %h, %r, %f : tensor<6xi32>, tensor<6xi32>, tensor<6xf32>
}

// Three times, all elements but one are doubled.
// LOOP: dense<{{\[\[}}4.000000e+00, 8.000000e+00, 1.200000e+01], [1.200000e+01, 1.600000e+01, 2.000000e+01]]>
flow.executable private @ex {
  flow.executable.export public @f workgroups() -> (index, index, index) {
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    flow.return %c2, %c1, %c1 : index, index, index
  }
  builtin.module {
    func.func @f(%x: !flow.dispatch.tensor<readonly:tensor<2x3xf32>>, %o: !flow.dispatch.tensor<writeonly:tensor<2x3xf32>>) {
      %i = flow.dispatch.workgroup.id[0] : index
      %e = flow.dispatch.tensor.load %x, offsets = [%i, 0], sizes = [1, 3], strides = [1, 1] : !flow.dispatch.tensor<readonly:tensor<2x3xf32>> -> tensor<1x3xf32>
      %c3 = arith.constant 3 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r = scf.for %k = %c0 to %c3 step %c1 iter_args(%acc = %e) -> (tensor<1x3xf32>) {
        %q = flow.dispatch.workgroups(%acc, %k) : (tensor<1x3xf32>, index) -> %acc =
            (%b: !flow.dispatch.tensor<readwrite:tensor<1x3xf32>>, %kk: index) {
          %c3_0 = arith.constant 3 : index
          %j = flow.dispatch.workgroup.id[2] : index
          %is = arith.cmpi ne, %j, %kk : index
          cf.cond_br %is, ^bb1, ^bb2
        ^bb1:
          %l = flow.dispatch.tensor.load %b, offsets = [0, %j], sizes = [1, 1], strides = [1, 1] : !flow.dispatch.tensor<readwrite:tensor<1x3xf32>> -> tensor<1x1xf32>
          %m = arith.addf %l, %l : tensor<1x1xf32>
          flow.dispatch.tensor.store %m, %b, offsets = [0, %j], sizes = [1, 1], strides = [1, 1] : tensor<1x1xf32> -> !flow.dispatch.tensor<readwrite:tensor<1x3xf32>>
          flow.return
        ^bb2:
          flow.return
        } count() -> (index, index, index) {
          %c3_1 = arith.constant 3 : index
          %c1_1 = arith.constant 1 : index
          flow.return %c1_1, %c1_1, %c3_1 : index, index, index
        }
        scf.yield %q : tensor<1x3xf32>
      }
      flow.dispatch.tensor.store %r, %o, offsets = [%i, 0], sizes = [1, 3], strides = [1, 1] : tensor<1x3xf32> -> !flow.dispatch.tensor<writeonly:tensor<2x3xf32>>
      return
    }
  }
}
func.func @loop(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = flow.dispatch @ex::@f(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
