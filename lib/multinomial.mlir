// multinomial.mlir - draws classes by their likelihoods, of which the logarithms are given, unnormalised: a row of
// draws for each row. numbers: a random number in [0, 1) for each draw.
//
// A draw is the first class at which the sum of the likelihoods exceeds its number times their total.

func.func @multinomial(%x: tensor<?x?xf64>, %numbers: tensor<?xf64>, %samples: index) -> tensor<?x?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %low = arith.constant 0xfff0000000000000 : f64
  %rows = tensor.dim %x, %c0 : tensor<?x?xf64>
  %classes = tensor.dim %x, %c1 : tensor<?x?xf64>
  %draws = tensor.dim %numbers, %c0 : tensor<?xf64>
  %no_draws = arith.cmpi eq, %draws, %c0 : index
  %some = arith.cmpi ne, %classes, %c0 : index
  %fine = arith.ori %no_draws, %some : i1
  rt.check %fine, "there are no classes to draw from"
  %empty = tensor.empty(%rows, %samples) : tensor<?x?xi64>
  %none = tensor.empty(%classes) : tensor<?xf64>
  %any = arith.cmpi ne, %draws, %c0 : index
  %drawn_rows = arith.select %any, %rows, %c0 : index
  %result = scf.for %row = %c0 to %drawn_rows step %c1 iter_args(%out = %empty) -> (tensor<?x?xi64>) {
    %highest = scf.for %c = %c0 to %classes step %c1 iter_args(%best = %low) -> (f64) {
      %value = tensor.extract %x[%row, %c] : tensor<?x?xf64>
      %next = arith.maximumf %best, %value : f64
      scf.yield %next : f64
    }
    %sums:2 = scf.for %c = %c0 to %classes step %c1 iter_args(%list = %none, %sum = %zero) -> (tensor<?xf64>, f64) {
      %value = tensor.extract %x[%row, %c] : tensor<?x?xf64>
      %less = arith.subf %value, %highest : f64
      %likelihood = math.exp %less : f64
      %more = arith.addf %sum, %likelihood : f64
      %next = tensor.insert %more into %list[%c] : tensor<?xf64>
      scf.yield %next, %more : tensor<?xf64>, f64
    }
    %is_finite = arith.cmpf ord, %sums#1, %sums#1 : f64
    rt.check %is_finite, "row %0 has no likelihoods"(%row : index)
    %begin = arith.muli %row, %samples : index
    %filled = scf.for %s = %c0 to %samples step %c1 iter_args(%line = %out) -> (tensor<?x?xi64>) {
      %at = arith.addi %begin, %s : index
      %number = tensor.extract %numbers[%at] : tensor<?xf64>
      %goal = arith.mulf %number, %sums#1 : f64
      %class = scf.for %c = %c0 to %classes step %c1 iter_args(%below = %c0) -> (index) {
        %sum = tensor.extract %sums#0[%c] : tensor<?xf64>
        %is_below = arith.cmpf ole, %sum, %goal : f64
        %more = arith.addi %below, %c1 : index
        %next = arith.select %is_below, %more, %below : index
        scf.yield %next : index
      }
      %class64 = arith.index_cast %class : index to i64
      %next = tensor.insert %class64 into %line[%row, %s] : tensor<?x?xi64>
      scf.yield %next : tensor<?x?xi64>
    }
    scf.yield %filled : tensor<?x?xi64>
  }
  return %result : tensor<?x?xi64>
}
