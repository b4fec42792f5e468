// tfidf.mlir - counts of n-grams in the rows of x, as ONNX TfIdfVectorizer defines them.
//
// The n-grams are a tree: edge e leads from a node to node e + 1, by the item keys[e]. Node n's edges are those from
// first[n] to first[n + 1], in the order of their keys; grams[n] is the n-gram that ends there, or -1. N-gram g counts
// in column columns[g], times weights[g]; truncate: at most once for a row.
//
// Who calls it makes the tree, so its numbers are within the lists.

func.func @tfidf(%x: tensor<?x?xi64>, %first_list: tensor<?xi64>, %key_list: tensor<?xi64>, %gram_list: tensor<?xi64>,
                 %columns: tensor<?xi64>, %weights: tensor<?xf32>, %min: index, %max: index, %skips: index,
                     %width: index,
                 %truncate: i1) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %yes = arith.constant true
  %no = arith.constant false
  %nothing = arith.constant 0.0 : f32
  %first = bufferization.to_buffer %first_list read_only : tensor<?xi64> to memref<?xi64>
  %keys = bufferization.to_buffer %key_list read_only : tensor<?xi64> to memref<?xi64>
  %grams = bufferization.to_buffer %gram_list read_only : tensor<?xi64> to memref<?xi64>
  %rows = tensor.dim %x, %c0 : tensor<?x?xi64>
  %items = tensor.dim %x, %c1 : tensor<?x?xi64>
  %num_grams = tensor.dim %columns, %c0 : tensor<?xi64>
  %counts = memref.alloc(%num_grams) : memref<?xi64>
  %is_one = arith.cmpi eq, %min, %c1 : index
  // items that are further apart than there are any make no n-gram
  %far = arith.minui %skips, %items : index
  %last_distance = arith.addi %far, %c2 : index
  %open = tensor.empty(%rows, %width) : tensor<?x?xf32>
  %blank = linalg.fill ins(%nothing : f32) outs(%open : tensor<?x?xf32>) -> tensor<?x?xf32>
  %result = scf.for %row = %c0 to %rows step %c1 iter_args(%out = %blank) -> (tensor<?x?xf32>) {
    scf.for %g = %c0 to %num_grams step %c1 {
      memref.store %zero, %counts[%g] : memref<?xi64>
    }
    scf.for %distance = %c1 to %last_distance step %c1 {
      // n-grams of one item are not counted again
      %is_more = arith.cmpi ugt, %distance, %c1 : index
      %skips_one = arith.andi %is_more, %is_one : i1
      %least = arith.select %skips_one, %c2, %min : index
      scf.for %start = %c0 to %items step %c1 {
        %end:4 = scf.while (%node = %c0, %at = %start, %depth = %c0, %go = %yes)
            : (index, index, index, i1) -> (index, index, index, i1) {
          %is_inside = arith.cmpi ult, %at, %items : index
          %is_short = arith.cmpi ult, %depth, %max : index
          %may = arith.andi %is_inside, %is_short : i1
          %goes = arith.andi %may, %go : i1
          scf.condition(%goes) %node, %at, %depth, %go : index, index, index, i1
        } do {
        ^bb0(%node: index, %at: index, %depth: index, %go: i1):
          %item = tensor.extract %x[%row, %at] : tensor<?x?xi64>
          %behind_node = arith.addi %node, %c1 : index
          %low64 = memref.load %first[%node] : memref<?xi64>
          %high64 = memref.load %first[%behind_node] : memref<?xi64>
          %low = arith.index_cast %low64 : i64 to index
          %high = arith.index_cast %high64 : i64 to index
          // the first edge whose key is not below the item
          %edge:2 = scf.while (%a = %low, %b = %high) : (index, index) -> (index, index) {
            %more = arith.cmpi ult, %a, %b : index
            scf.condition(%more) %a, %b : index, index
          } do {
          ^bb1(%a: index, %b: index):
            %sum = arith.addi %a, %b : index
            %middle = arith.divui %sum, %c2 : index
            %key = memref.load %keys[%middle] : memref<?xi64>
            %is_below = arith.cmpi slt, %key, %item : i64
            %behind = arith.addi %middle, %c1 : index
            %next_a = arith.select %is_below, %behind, %a : index
            %next_b = arith.select %is_below, %b, %middle : index
            scf.yield %next_a, %next_b : index, index
          }
          %has_edge = arith.cmpi ult, %edge#0, %high : index
          %found = scf.if %has_edge -> (i1) {
            %key = memref.load %keys[%edge#0] : memref<?xi64>
            %is_item = arith.cmpi eq, %key, %item : i64
            scf.yield %is_item : i1
          } else {
            scf.yield %no : i1
          }
          %child = arith.addi %edge#0, %c1 : index
          %length = arith.addi %depth, %c1 : index
          %is_long = arith.cmpi uge, %length, %least : index
          %asked = arith.andi %found, %is_long : i1
          scf.if %asked {
            %gram64 = memref.load %grams[%child] : memref<?xi64>
            %is_gram = arith.cmpi sge, %gram64, %zero : i64
            scf.if %is_gram {
              %gram = arith.index_cast %gram64 : i64 to index
              %count = memref.load %counts[%gram] : memref<?xi64>
              %more = arith.addi %count, %one : i64
              memref.store %more, %counts[%gram] : memref<?xi64>
            }
          }
          %far_at = arith.addi %at, %distance : index
          %next_node = arith.select %found, %child, %node : index
          scf.yield %next_node, %far_at, %length, %found : index, index, index, i1
        }
      }
    }
    %filled = scf.for %g = %c0 to %num_grams step %c1 iter_args(%line = %out) -> (tensor<?x?xf32>) {
      %count = memref.load %counts[%g] : memref<?xi64>
      %once = arith.minsi %count, %one : i64
      %times = arith.select %truncate, %once, %count : i64
      %column64 = tensor.extract %columns[%g] : tensor<?xi64>
      %column = arith.index_cast %column64 : i64 to index
      %weight = tensor.extract %weights[%g] : tensor<?xf32>
      %times_f = arith.sitofp %times : i64 to f32
      %value = arith.mulf %times_f, %weight : f32
      %before = tensor.extract %line[%row, %column] : tensor<?x?xf32>
      %sum = arith.addf %before, %value : f32
      %next = tensor.insert %sum into %line[%row, %column] : tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    scf.yield %filled : tensor<?x?xf32>
  }
  memref.dealloc %counts : memref<?xi64>
  return %result : tensor<?x?xf32>
}
