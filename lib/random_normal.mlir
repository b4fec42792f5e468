// random_normal.mlir - random numbers of the standard normal distribution: those of NumPy's
// RandomState(seed).randn(count).
//
// G. Marsaglia's polar method: a point in the unit circle gives two numbers, of which the second comes first.

func.func @random_normal(%seed: i64, %count: index) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c624 = arith.constant 624 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %minus_two = arith.constant -2.0 : f64
  %state = memref.alloc() : memref<624xi32>
  func.call @mt_seed(%state, %seed) : (memref<624xi32>, i64) -> ()
  %numbers = memref.alloc(%count) : memref<?xf64>
  %end:2 = scf.while (%made = %c0, %word = %c624) : (index, index) -> (index, index) {
    %more = arith.cmpi ult, %made, %count : index
    scf.condition(%more) %made, %word : index, index
  } do {
  ^bb0(%made: index, %word: index):
    %is_used = arith.cmpi eq, %word, %c624 : index
    scf.if %is_used {
      func.call @mt_renew(%state) : (memref<624xi32>) -> ()
    }
    %at = arith.select %is_used, %c0, %word : index
    %behind = arith.addi %at, %c2 : index
    %u = func.call @mt_number(%state, %at) : (memref<624xi32>, index) -> f64
    %v = func.call @mt_number(%state, %behind) : (memref<624xi32>, index) -> f64
    %u2 = arith.mulf %u, %two : f64
    %v2 = arith.mulf %v, %two : f64
    %x = arith.subf %u2, %one : f64
    %y = arith.subf %v2, %one : f64
    %xx = arith.mulf %x, %x : f64
    %yy = arith.mulf %y, %y : f64
    %r = arith.addf %xx, %yy : f64
    %is_inside = arith.cmpf olt, %r, %one : f64
    %is_apart = arith.cmpf one, %r, %zero : f64
    %is_good = arith.andi %is_inside, %is_apart : i1
    %now = scf.if %is_good -> (index) {
      %log = math.log %r : f64
      %scaled = arith.mulf %log, %minus_two : f64
      %ratio = arith.divf %scaled, %r : f64
      %f = math.sqrt %ratio : f64
      %first = arith.mulf %f, %y : f64
      %second = arith.mulf %f, %x : f64
      memref.store %first, %numbers[%made] : memref<?xf64>
      %next = arith.addi %made, %c1 : index
      %has_next = arith.cmpi ult, %next, %count : index
      scf.if %has_next {
        memref.store %second, %numbers[%next] : memref<?xf64>
      }
      %both = arith.addi %made, %c2 : index
      scf.yield %both : index
    } else {
      scf.yield %made : index
    }
    %rest = arith.addi %at, %c4 : index
    scf.yield %now, %rest : index, index
  }
  memref.dealloc %state : memref<624xi32>
  %result = bufferization.to_tensor %numbers restrict : memref<?xf64> to tensor<?xf64>
  return %result : tensor<?xf64>
}
