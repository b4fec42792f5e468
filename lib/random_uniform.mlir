// random_uniform.mlir - random numbers in [0, 1): those of NumPy's RandomState(seed).random_sample(count).

func.func @random_uniform(%seed: i64, %count: index) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c312 = arith.constant 312 : index
  %state = memref.alloc() : memref<624xi32>
  func.call @mt_seed(%state, %seed) : (memref<624xi32>, i64) -> ()
  %numbers = memref.alloc(%count) : memref<?xf64>
  scf.for %begin = %c0 to %count step %c312 {
    func.call @mt_renew(%state) : (memref<624xi32>) -> ()
    %left = arith.subi %count, %begin : index
    %n = arith.minui %left, %c312 : index
    scf.for %i = %c0 to %n step %c1 {
      %word = arith.muli %i, %c2 : index
      %number = func.call @mt_number(%state, %word) : (memref<624xi32>, index) -> f64
      %at = arith.addi %begin, %i : index
      memref.store %number, %numbers[%at] : memref<?xf64>
    }
  }
  memref.dealloc %state : memref<624xi32>
  %result = bufferization.to_tensor %numbers restrict : memref<?xf64> to tensor<?xf64>
  return %result : tensor<?xf64>
}
