// A loop over tensors that is left through a for and, to its next iteration, through another loop: it becomes blocks,
// which are then lifted.
// RUN: noria opt --lower-early-exit --lift-cf-to-scf %s | FileCheck %s
// CHECK-LABEL: func.func @through
// CHECK-NOT: {{^ *cf[.]}}
// RUN: noria run %s --entry=through '[1, 2, 3]' 5 10 --check-stages | FileCheck %s --check-prefix=BIG
// BIG: {{^}}dense<[11, 22, 33]> : tensor<3xi64>{{$}}
// BIG-NEXT: {{^}}0 : index{{$}}
// RUN: noria run %s --entry=through '[1, 2, 3]' 5 1000 --check-stages | FileCheck %s --check-prefix=END
// END: {{^}}dense<[25, 50, 75]> : tensor<3xi64>{{$}}
// END-NEXT: {{^}}5 : index{{$}}
func.func @through(%t: tensor<?xi64>, %n: index, %limit: i64) -> (tensor<?xi64>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.loop token(%l) iter_args(%a = %t, %i = %c0) : (tensor<?xi64>, index) -> (tensor<?xi64>, index) {
    %i1 = arith.addi %i, %c1 : index
    %end = arith.cmpi sge, %i, %n : index
    %u = scf.for %j = %c0 to %c3 step %c1 iter_args(%b = %a) -> (tensor<?xi64>) {
      %x = arith.addi %b, %t : tensor<?xi64>
      %y = tensor.extract %x[%c0] : tensor<?xi64>
      %big = arith.cmpi sgt, %y, %limit : i64
      scf.if %big {
        scf.break [%l] %x, %j : tensor<?xi64>, index
      }
      scf.yield %x : tensor<?xi64>
    }
    scf.if %end {
      scf.break [%l] %u, %i : tensor<?xi64>, index
    }
    %w = scf.loop token(%k) iter_args(%p = %u, %q = %c0) : (tensor<?xi64>, index) -> tensor<?xi64> {
      %q1 = arith.addi %q, %c1 : index
      %fin = arith.cmpi eq, %q, %c3 : index
      %odd = arith.andi %i, %c1 : index
      %isodd = arith.cmpi eq, %odd, %c1 : index
      scf.if %fin {
        scf.if %isodd {
          scf.continue [%l] %p, %i1 : tensor<?xi64>, index
        }
        scf.break [%k] %u : tensor<?xi64>
      }
      %pp = arith.addi %p, %t : tensor<?xi64>
      scf.continue [%k] %pp, %q1 : tensor<?xi64>, index
    }
    scf.continue [%l] %w, %i1 : tensor<?xi64>, index
  }
  return %r#0, %r#1 : tensor<?xi64>, index
}
