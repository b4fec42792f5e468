// eliminate.mlir - Gauss-Jordan elimination with row pivots, of each of a batch of matrices with `n` rows, n of whose
// columns are the matrix; what stands to their right is multiplied by its inverse. Gives that, and the determinants.
//
// Of a singular matrix the determinant is 0, and the rest has infinities or NaN.
//
// Memory is read and written without checks: rows are below n, and columns below the width, which is at least n.

func.func @eliminate(%x: tensor<?x?x?xf64>) -> (tensor<?x?x?xf64>, tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f64
  %minus_one = arith.constant -1.0 : f64
  %least = arith.constant -1.0 : f64
  %batch = tensor.dim %x, %c0 : tensor<?x?x?xf64>
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf64>
  %width = tensor.dim %x, %c2 : tensor<?x?x?xf64>
  %in = bufferization.to_buffer %x read_only : tensor<?x?x?xf64> to memref<?x?x?xf64>
  %a = memref.alloc(%batch, %n, %width) : memref<?x?x?xf64>
  %dets = memref.alloc(%batch) : memref<?xf64>
  scf.for %b = %c0 to %batch step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %width step %c1 {
        %v = memref.load %in[%b, %i, %j] : memref<?x?x?xf64>
        memref.store %v, %a[%b, %i, %j] : memref<?x?x?xf64>
      }
    }
    %det = scf.for %k = %c0 to %n step %c1 iter_args(%product = %one) -> (f64) {
      %best:2 = scf.for %i = %k to %n step %c1 iter_args(%at = %k, %size = %least) -> (index, f64) {
        %v = memref.load %a[%b, %i, %k] : memref<?x?x?xf64>
        %abs = math.absf %v : f64
        %is_larger = arith.cmpf ogt, %abs, %size : f64
        %next_at = arith.select %is_larger, %i, %at : index
        %next_size = arith.select %is_larger, %abs, %size : f64
        scf.yield %next_at, %next_size : index, f64
      }
      %swaps = arith.cmpi ne, %best#0, %k : index
      scf.if %swaps {
        scf.for %j = %c0 to %width step %c1 {
          %p = memref.load %a[%b, %k, %j] : memref<?x?x?xf64>
          %q = memref.load %a[%b, %best#0, %j] : memref<?x?x?xf64>
          memref.store %q, %a[%b, %k, %j] : memref<?x?x?xf64>
          memref.store %p, %a[%b, %best#0, %j] : memref<?x?x?xf64>
        }
      }
      %pivot = memref.load %a[%b, %k, %k] : memref<?x?x?xf64>
      scf.for %j = %c0 to %width step %c1 {
        %v = memref.load %a[%b, %k, %j] : memref<?x?x?xf64>
        %scaled = arith.divf %v, %pivot : f64
        memref.store %scaled, %a[%b, %k, %j] : memref<?x?x?xf64>
      }
      scf.for %i = %c0 to %n step %c1 {
        %other = arith.cmpi ne, %i, %k : index
        scf.if %other {
          %f = memref.load %a[%b, %i, %k] : memref<?x?x?xf64>
          scf.for %j = %c0 to %width step %c1 {
            %v = memref.load %a[%b, %i, %j] : memref<?x?x?xf64>
            %w = memref.load %a[%b, %k, %j] : memref<?x?x?xf64>
            %fw = arith.mulf %f, %w : f64
            %d = arith.subf %v, %fw : f64
            memref.store %d, %a[%b, %i, %j] : memref<?x?x?xf64>
          }
        }
      }
      %factor = arith.select %swaps, %minus_one, %one : f64
      %signed = arith.mulf %pivot, %factor : f64
      // once a pivot is 0, what follows it is NaN
      %none = arith.constant 0.0 : f64
      %singular = arith.cmpf oeq, %product, %none : f64
      %more = arith.mulf %product, %signed : f64
      %next = arith.select %singular, %product, %more : f64
      scf.yield %next : f64
    }
    memref.store %det, %dets[%b] : memref<?xf64>
  }
  %rest = bufferization.to_tensor %a restrict : memref<?x?x?xf64> to tensor<?x?x?xf64>
  %values = bufferization.to_tensor %dets restrict : memref<?xf64> to tensor<?xf64>
  return %rest, %values : tensor<?x?x?xf64>, tensor<?xf64>
}
