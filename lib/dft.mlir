// dft.mlir - discrete Fourier transforms of rows of numbers: y[k] = sum over t of x[t] * exp(sign * 2 pi i k t / n).
// Nothing is divided by n.
//
// Stockham's mixed-radix FFT, which needs no bit reversal, for a length whose prime factors are small: each step does
// transforms of one factor r of the length. A length with a large prime factor is computed by Bluestein's algorithm as
// a convolution: with w[t] = exp(sign * pi i t * t / n),
//   y[k] = w[k] * sum over t of (x[t] * w[t]) * conj(w[k - t]),
// where the convolution is that of transforms of a larger length.
//
// Up to 8 rows are transformed at a time, side by side: element t of row l is at t * 8 + l. A single row of many
// elements fills vectors by its own elements.
//
//   x          rows of real numbers (last dim 1) or complex ones (2)
//   twiddles   exp(sign * 2 pi i j / length) for j < length, the length of the transforms that are computed
//   chirp      w[t] for t < n; empty where the length is n
//   filter     [1, length, 2], the transform of conj(w), with w[length - t] = w[t]; read where there is a chirp
//   bins       how many elements of a result are given, at most n
//
// Memory is read and written without checks. A place in a work array is in one of two halves of `length` * lanes
// elements, each with room for one vector behind it: (t * done + s) * lanes + l, where t is below `left` and s below
// `done`, whose product is the length. A vector that is cut off by the end of a row's part writes over elements
// that are written later.

!V = vector<8xf64>
!M = memref<?xf64>
!W = memref<?x2xf64>

func.func private @times_scalar(%a: f64, %b: f64, %c: f64, %d: f64) -> (f64, f64) {
  %ac = arith.mulf %a, %c : f64
  %ad = arith.mulf %a, %d : f64
  %minus_b = arith.negf %b : f64
  %re = math.fma %minus_b, %d, %ac : f64
  %im = math.fma %b, %c, %ad : f64
  return %re, %im : f64, f64
}

// Rows %row, .. of x as lanes, times the chirp where there is one; 0 behind their end.
func.func private @read_rows(%x: memref<?x?x?xf64>, %chirp: !W, %has_chirp: i1, %row: index, %lanes: index,
    %length: index, %re: !M, %im: !M) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %rows = memref.dim %x, %c0 : memref<?x?x?xf64>
  %n = memref.dim %x, %c1 : memref<?x?x?xf64>
  %parts = memref.dim %x, %c2 : memref<?x?x?xf64>
  %last_row = arith.subi %rows, %c1 : index
  %last_part = arith.subi %parts, %c1 : index
  %is_real = arith.cmpi eq, %parts, %c1 : index
  scf.for %t = %c0 to %n step %c1 {
    %place = arith.muli %t, %lanes : index
    scf.for %l = %c0 to %lanes step %c1 {
      %lane_row = arith.addi %row, %l : index
      %r = arith.minui %lane_row, %last_row : index
      %a = memref.load %x[%r, %t, %c0] : memref<?x?x?xf64>
      %second = memref.load %x[%r, %t, %last_part] : memref<?x?x?xf64>
      %b = arith.select %is_real, %zero, %second : f64
      %y:2 = scf.if %has_chirp -> (f64, f64) {
        %c = memref.load %chirp[%t, %c0] : !W
        %s = memref.load %chirp[%t, %c1] : !W
        %p:2 = func.call @times_scalar(%a, %b, %c, %s) : (f64, f64, f64, f64) -> (f64, f64)
        scf.yield %p#0, %p#1 : f64, f64
      } else {
        scf.yield %a, %b : f64, f64
      }
      %i = arith.addi %place, %l : index
      memref.store %y#0, %re[%i] : !M
      memref.store %y#1, %im[%i] : !M
    }
  }
  %begin = arith.muli %n, %lanes : index
  %end = arith.muli %length, %lanes : index
  scf.for %i = %begin to %end step %c1 {
    memref.store %zero, %re[%i] : !M
    memref.store %zero, %im[%i] : !M
  }
  return
}

// The transform at %at times that of the filter, conjugate: its transform is the conjugate of the convolution.
func.func private @apply_filter(%filter: memref<?x?x2xf64>, %length: index, %lanes: index, %at: index, %re: !M,
    %im: !M) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %length step %c1 {
    %c = memref.load %filter[%c0, %k, %c0] : memref<?x?x2xf64>
    %s = memref.load %filter[%c0, %k, %c1] : memref<?x?x2xf64>
    %lane = arith.muli %k, %lanes : index
    %place = arith.addi %at, %lane : index
    scf.for %l = %c0 to %lanes step %c1 {
      %i = arith.addi %place, %l : index
      %a = memref.load %re[%i] : !M
      %b = memref.load %im[%i] : !M
      %p:2 = func.call @times_scalar(%a, %b, %c, %s) : (f64, f64, f64, f64) -> (f64, f64)
      %minus = arith.negf %p#1 : f64
      memref.store %p#0, %re[%i] : !M
      memref.store %minus, %im[%i] : !M
    }
  }
  return
}

// Lanes as rows of the result; behind a convolution, conjugate, times the chirp and over the length.
func.func private @write_rows(%chirp: !W, %has_chirp: i1, %row: index, %lanes: index, %length: index, %at: index,
    %re: !M, %im: !M, %out: memref<?x?x2xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %out, %c0 : memref<?x?x2xf64>
  %bins = memref.dim %out, %c1 : memref<?x?x2xf64>
  %length_int = arith.index_cast %length : index to i64
  %length_float = arith.sitofp %length_int : i64 to f64
  %rows_left = arith.subi %rows, %row : index
  %count = arith.minui %rows_left, %lanes : index
  scf.for %l = %c0 to %count step %c1 {
    %r = arith.addi %row, %l : index
    %first = arith.addi %at, %l : index
    scf.for %k = %c0 to %bins step %c1 {
      %lane = arith.muli %k, %lanes : index
      %i = arith.addi %first, %lane : index
      %a = memref.load %re[%i] : !M
      %b = memref.load %im[%i] : !M
      %y:2 = scf.if %has_chirp -> (f64, f64) {
        %c = memref.load %chirp[%k, %c0] : !W
        %s = memref.load %chirp[%k, %c1] : !W
        %minus = arith.negf %b : f64
        %p:2 = func.call @times_scalar(%a, %minus, %c, %s) : (f64, f64, f64, f64) -> (f64, f64)
        %re_mean = arith.divf %p#0, %length_float : f64
        %im_mean = arith.divf %p#1, %length_float : f64
        scf.yield %re_mean, %im_mean : f64, f64
      } else {
        scf.yield %a, %b : f64, f64
      }
      memref.store %y#0, %out[%r, %k, %c0] : memref<?x?x2xf64>
      memref.store %y#1, %out[%r, %k, %c1] : memref<?x?x2xf64>
    }
  }
  return
}

func.func @dft(%x_: tensor<?x?x?xf64>, %twiddles_: tensor<?x2xf64>, %chirp_: tensor<?x2xf64>,
    %filter_: tensor<?x?x2xf64>, %sign: f64, %bins: index) -> tensor<?x?x2xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %few = arith.constant 3 : index
  %long = arith.constant 1024 : index // 8 rows of more do not fit the second cache
  %x = bufferization.to_buffer %x_ read_only : tensor<?x?x?xf64> to memref<?x?x?xf64>
  %w = bufferization.to_buffer %twiddles_ read_only : tensor<?x2xf64> to !W
  %chirp = bufferization.to_buffer %chirp_ read_only : tensor<?x2xf64> to !W
  %filter = bufferization.to_buffer %filter_ read_only : tensor<?x?x2xf64> to memref<?x?x2xf64>
  %rows = memref.dim %x, %c0 : memref<?x?x?xf64>
  %length = memref.dim %w, %c0 : !W
  %chirps = memref.dim %chirp, %c0 : !W
  %has_chirp = arith.cmpi ne, %chirps, %c0 : index
  %passes = arith.select %has_chirp, %c2, %c1 : index
  %out = memref.alloc(%rows, %bins) : memref<?x?x2xf64>
  // rows without elements may be more than can be visited
  %is_empty = arith.cmpi eq, %length, %c0 : index
  %some_rows = arith.select %is_empty, %c0, %rows : index
  %is_long = arith.cmpi ugt, %length, %long : index
  %group = arith.select %is_long, %c1, %c8 : index
  %groups = arith.ceildivui %some_rows, %group : index
  scf.parallel (%g) = (%c0) to (%groups) step (%c1) {
    %row0 = arith.muli %g, %group : index
    %left = arith.subi %some_rows, %row0 : index
    %count = arith.minui %left, %group : index
    // a few rows take less time one by one
    %is_few = arith.cmpi ule, %count, %few : index
    %lanes = arith.select %is_few, %c1, %group : index
    %rounds = arith.select %is_few, %count, %c1 : index
    %elements = arith.muli %length, %lanes : index
    %half = arith.addi %elements, %c8 : index
    %both = arith.muli %half, %c2 : index
    %re = memref.alloc(%both) : !M
    %im = memref.alloc(%both) : !M
    scf.for %round = %c0 to %rounds step %c1 {
      %row = arith.addi %row0, %round : index
      func.call @read_rows(%x, %chirp, %has_chirp, %row, %lanes, %length, %re, %im)
          : (memref<?x?x?xf64>, !W, i1, index, index, index, !M, !M) -> ()
      %end = scf.for %pass = %c0 to %passes step %c1 iter_args(%at = %c0) -> (index) {
        %is_second = arith.cmpi eq, %pass, %c1 : index
        scf.if %is_second {
          func.call @apply_filter(%filter, %length, %lanes, %at, %re, %im)
              : (memref<?x?x2xf64>, index, index, index, !M, !M) -> ()
        }
        %next = func.call @transform(%re, %im, %w, %sign, %length, %lanes, %half, %at)
            : (!M, !M, !W, f64, index, index, index, index) -> index
        scf.yield %next : index
      }
      func.call @write_rows(%chirp, %has_chirp, %row, %lanes, %length, %end, %re, %im, %out)
          : (!W, i1, index, index, index, index, !M, !M, memref<?x?x2xf64>) -> ()
    }
    memref.dealloc %re : !M
    memref.dealloc %im : !M
    scf.reduce
  }
  %result = bufferization.to_tensor %out restrict : memref<?x?x2xf64> to tensor<?x?x2xf64>
  return %result : tensor<?x?x2xf64>
}
