// ngram_repeat.mlir - com.microsoft NGramRepeatBlock: the scores of tokens that would complete an n-gram which a row of
// ids already has become minus infinity.

func.func @ngram_repeat(%ids: tensor<?x?xi64>, %scores: tensor<?x?xf32>, %size: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %yes = arith.constant true
  %low = arith.constant 0xff800000 : f32
  %rows = tensor.dim %ids, %c0 : tensor<?x?xi64>
  %length = tensor.dim %ids, %c1 : tensor<?x?xi64>
  %tokens = tensor.dim %scores, %c1 : tensor<?x?xf32>
  %head = arith.subi %size, %c1 : index
  %fits = arith.cmpi ule, %size, %length : index
  %last = arith.subi %length, %head : index
  %places = arith.select %fits, %last, %c0 : index
  %begin = arith.select %fits, %last, %c0 : index
  %result = scf.for %row = %c0 to %rows step %c1 iter_args(%out = %scores) -> (tensor<?x?xf32>) {
    %line = scf.for %i = %c0 to %places step %c1 iter_args(%before = %out) -> (tensor<?x?xf32>) {
      %is_head = scf.for %j = %c0 to %head step %c1 iter_args(%same = %yes) -> (i1) {
        %here = arith.addi %i, %j : index
        %there = arith.addi %begin, %j : index
        %a = tensor.extract %ids[%row, %here] : tensor<?x?xi64>
        %b = tensor.extract %ids[%row, %there] : tensor<?x?xi64>
        %equal = arith.cmpi eq, %a, %b : i64
        %next = arith.andi %same, %equal : i1
        scf.yield %next : i1
      }
      %next = scf.if %is_head -> (tensor<?x?xf32>) {
        %end = arith.addi %i, %head : index
        %token64 = tensor.extract %ids[%row, %end] : tensor<?x?xi64>
        %token = arith.index_cast %token64 : i64 to index
        %is_known = arith.cmpi ult, %token, %tokens : index
        rt.check %is_known, "token %0 has no score; there are %1"(%token, %tokens : index, index)
        %banned = tensor.insert %low into %before[%row, %token] : tensor<?x?xf32>
        scf.yield %banned : tensor<?x?xf32>
      } else {
        scf.yield %before : tensor<?x?xf32>
      }
      scf.yield %next : tensor<?x?xf32>
    }
    scf.yield %line : tensor<?x?xf32>
  }
  return %result : tensor<?x?xf32>
}
