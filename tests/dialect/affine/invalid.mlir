// RUN: noria opt %s --split-input-file --verify-diagnostics

// An induction variable of scf.for is no dim.
func.func @dim_of_for(%x: index) {
  scf.for %i = %x to %x step %x {
    // expected-error@+1 {{'affine.for' op operand cannot be used as a dimension id}}
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
    }
  }
  return
}

// -----

func.func @symbol_of_for() {
  affine.for %i = 0 to 4 {
    // expected-error@+1 {{'affine.for' op operand cannot be used as a symbol}}
    affine.for %j = 0 to %i {
    }
  }
  return
}

// -----

func.func @symbol_of_apply() {
  affine.for %i = 0 to 4 {
    // expected-error@+1 {{dimensional operand cannot be used as a symbol}}
    %0 = affine.apply affine_map<()[s0] -> (s0)>()[%i]
  }
  return
}

// -----

func.func @subscript(%x: index, %m: memref<10xf32>) {
  scf.for %i = %x to %x step %x {
    %y = arith.addi %x, %x : index
    %z = arith.addi %i, %x : index
    %v = affine.load %m[%y] : memref<10xf32>
    // expected-error@+1 {{'affine.load' op operand cannot be used as a dimension id}}
    %w = affine.load %m[%z] : memref<10xf32>
  }
  return
}

// -----

func.func @symbol_subscript(%m: memref<10xf32>) {
  affine.for %i = 0 to 4 {
    // expected-error@+1 {{'affine.load' op operand cannot be used as a symbol}}
    %v = affine.load %m[symbol(%i)] : memref<10xf32>
  }
  return
}

// -----

// The size of a buffer whose size is no symbol is none either.
func.func @size(%x: index) {
  %c0 = arith.constant 0 : index
  scf.for %k = %x to %x step %x {
    %a = memref.alloc(%k) : memref<?xf32>
    %e = memref.dim %a, %c0 : memref<?xf32>
    // expected-error@+1 {{'affine.for' op operand cannot be used as a symbol}}
    affine.for %i = 0 to %e {
    }
  }
  return
}

// -----

func.func @rank(%m: memref<10xf32>) {
  affine.for %i = 0 to 4 {
    // expected-error@+1 {{(C1) affine map num results must equal memref rank}}
    %v = affine.load %m[%i, %i] : memref<10xf32>
  }
  return
}

// -----

func.func @subscripts(%m: memref<10xf32>) {
  // expected-error@+1 {{(C2) expects as many subscripts as affine map inputs}}
  %v = "affine.load"(%m) <{map = affine_map<(d0) -> (d0)>}> : (memref<10xf32>) -> f32
  return
}

// -----

func.func @element(%m: memref<10xf32>, %i: index) {
  // expected-error@+1 {{(C3) result type must match element type of memref}}
  %v = "affine.load"(%m, %i) <{map = affine_map<(d0) -> (d0)>}> : (memref<10xf32>, index) -> f64
  return
}

// -----

func.func @vector(%m: memref<10xf32>, %i: index) {
  // expected-error@+1 {{(C3) requires memref and vector types of the same elemental type}}
  %v = affine.vector_load %m[%i] : memref<10xf32>, vector<2xi32>
  return
}

// -----

func.func @expression(%m: memref<10xf32>, %i: index) {
  // expected-error@+1 {{non-affine expression: at least one of the factors must be constant or symbolic}}
  %v = affine.load %m[%i * %i] : memref<10xf32>
  return
}

// -----

func.func @condition(%x: index) {
  scf.for %i = %x to %x step %x {
    // expected-error@+1 {{'affine.if' op operand cannot be used as a dimension id}}
    affine.if affine_set<(d0) : (d0 >= 0)>(%i) {
    }
  }
  return
}

// -----

func.func @condition_symbols(%x: index) {
  // expected-error@+1 {{custom op 'affine.if' symbol operand count and integer set symbol count must match}}
  affine.if affine_set<(d0) : (d0 >= 0)>(%x)[%x] {
  }
  return
}

// -----

func.func @condition_count(%x: index) {
  // expected-error@+1 {{(C1) operand count and condition integer set dimension and symbol count must match}}
  "affine.if"(%x) <{condition = affine_set<() : (0 == 0)>}> ({
    "affine.yield"() : () -> ()
  }, {
  }) : (index) -> ()
  return
}

// -----

func.func @condition_map(%x: index) {
  // expected-error@+1 {{expected an integer set}}
  affine.if affine_map<() -> (0)>() {
  }
  return
}

// -----

func.func @no_else(%x: index, %f: f32) {
  // expected-error@+1 {{(C2) must have an else block if defining values}}
  %0 = affine.if affine_set<(d0) : (d0 >= 0)>(%x) -> f32 {
    affine.yield %f : f32
  }
  return
}

// -----

func.func @several_bounds(%x: index) {
  // expected-error@+1 {{lower loop bound affine map with multiple results requires 'max' prefix}}
  affine.for %i = affine_map<(d0) -> (d0, d0)>(%x) to 10 {
  }
  // expected-error@+1 {{upper loop bound affine map with multiple results requires 'min' prefix}}
  affine.for %i = 0 to affine_map<(d0) -> (d0, d0)>(%x) {
  }
  // expected-error@+1 {{custom op 'affine.for' symbol operand count and affine map symbol count must match}}
  affine.for %i = affine_map<(d0) -> (d0)>(%x)[%x] to 10 {
  }
  // expected-error@+1 {{custom op 'affine.for' expected only one loop bound operand}}
  affine.for %i = %x, %x to 10 {
  }
  // expected-error@+1 {{custom op 'affine.for' expected valid affine map representation for loop bounds}}
  affine.for %i = 0 to affine_set<() : (0 == 0)>() {
  }
  // expected-error@+1 {{expected step to be representable as a positive signed integer}}
  affine.for %i = 0 to 10 step -1 {
  }
  return
}

// -----

func.func @bound_count() {
  // expected-error@+1 {{(C1) upper bound operand count and affine map dimension and symbol count must match}}
  "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0)>}> ({
  ^bb0(%i: index):
    "affine.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @no_bound() {
  // expected-error@+1 {{(C1) expected upper bound map to have at least one result}}
  "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> ()>}> ({
  ^bb0(%i: index):
    "affine.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @iv() {
  // expected-error@+1 {{expected body to have a single index argument for the induction variable}}
  "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> (0)>}> ({
  ^bb0(%i: i32):
    "affine.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @carried(%f: f32) {
  // expected-error@+1 {{(C2) types mismatch between 0th iter region arg and defined value}}
  %0 = "affine.for"(%f) <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 1>, step = 1 : index, upperBoundMap = affine_map<() -> (0)>}> ({
  ^bb0(%i: index, %a: i32):
    "affine.yield"(%f) : (f32) -> ()
  }) : (f32) -> (f32)
  return
}

// -----

func.func @yield(%f: f32) {
  %0 = affine.for %i = 0 to 10 iter_args(%a = %f) -> f32 {
    // expected-error@+1 {{(C1) types mismatch between yield op and its parent}}
    affine.yield %i : index
  }
  %1 = affine.for %i = 0 to 10 iter_args(%a = %f) -> f32 {
    // expected-error@+1 {{(C1) parent of yield must have same number of results as the yield operands}}
    affine.yield
  }
  return
}

// -----

func.func @yield_in_function(%f: f32) {
  // expected-error@+1 {{'affine.yield' op only terminates affine.if/for/parallel regions}}
  affine.yield %f : f32
}

// -----

func.func @apply(%x: index) {
  // expected-error@+1 {{custom op 'affine.apply' dimension or symbol index mismatch}}
  %0 = affine.apply affine_map<(d0) -> (d0)>(%x, %x)
  return
}

// -----

func.func @values(%x: index) {
  // expected-error@+1 {{(C1) mapping must produce one value}}
  %1 = affine.apply affine_map<(d0) -> (d0, d0)>(%x)
  // expected-error@+1 {{'affine.min' op (C1) operand count and affine map dimension and symbol count must match}}
  %2 = affine.min affine_map<(d0) -> (d0)>(%x, %x)
  // expected-error@+1 {{'affine.max' op (C1) affine map expect at least one result}}
  %3 = affine.max affine_map<(d0) -> ()>(%x)
  return
}

// -----

func.func @parallel(%x: index, %f: f32) {
  // expected-error@+1 {{invalid reduction value: "foo"}}
  %0 = affine.parallel (%i) = (0) to (10) reduce ("foo") -> f32 {
    affine.yield %f : f32
  }
  return
}

// -----

func.func @parallel_parts(%x: index, %f: f32) {
  // expected-error@+1 {{(C2) result type cannot match reduction attribute}}
  %1 = affine.parallel (%i) = (0) to (10) reduce ("addi") -> f32 {
    affine.yield %f : f32
  }
  // expected-error@+1 {{(C1) the number of region arguments (2) and the number of map groups for lower (1) and upper bound (1), and the number of steps (2) must all match}}
  affine.parallel (%i, %j) = (0) to (10) {
  }
  // expected-error@+1 {{(C4) steps must be positive integers}}
  affine.parallel (%i) = (0) to (10) step (0) {
  }
  scf.for %k = %x to %x step %x {
    // expected-error@+1 {{'affine.parallel' op operand cannot be used as a dimension id}}
    affine.parallel (%i) = (0) to (%k) {
    }
  }
  return
}

// -----

func.func @parallel_groups() {
  // expected-error@+1 {{(C1) expected upper bounds map to have 4 results}}
  "affine.parallel"() <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = affine_map<() -> (0, 0)>, reductions = [], steps = [1, 1], upperBoundsGroups = dense<2> : tensor<2xi32>, upperBoundsMap = affine_map<() -> (5, 6)>}> ({
  ^bb0(%i: index, %j: index):
    "affine.yield"() : () -> ()
  }) : () -> ()
  // expected-error@+1 {{(C2) a reduction must be specified for each output}}
  "affine.parallel"() <{lowerBoundsGroups = dense<1> : tensor<1xi32>, lowerBoundsMap = affine_map<() -> (0)>, reductions = [1], steps = [1], upperBoundsGroups = dense<1> : tensor<1xi32>, upperBoundsMap = affine_map<() -> (5)>}> ({
  ^bb0(%i: index):
    "affine.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @indices(%x: index) {
  // expected-error@+1 {{(C1) should be passed a basis element for each index except possibly the first}}
  %0 = affine.linearize_index [%x, %x] by (2, 3, 4) : index
  // expected-error@+1 {{(C1) should return an index for each basis element and up to one extra index}}
  %1:2 = affine.delinearize_index %x into (2, 3, 4) : index, index
  // expected-error@+1 {{(C2) no basis element may be statically non-positive}}
  %2:2 = affine.delinearize_index %x into (2, -3) : index, index
  return
}

// -----

func.func @transfers(%m: memref<8xf32>, %d: memref<8xi32>, %t: memref<1xi32>, %n: index) {
  // expected-error@+1 {{'affine.dma_start' op (C1) expected source, target, tag and the inputs of their maps, and a number of elements}}
  "affine.dma_start"(%m, %n, %m, %t) {src_map = affine_map<(d0) -> (d0)>, dst_map = affine_map<() -> (0)>, tag_map = affine_map<() -> (0)>} : (memref<8xf32>, index, memref<8xf32>, memref<1xi32>) -> ()
  // expected-error@+1 {{'affine.dma_start' op (C2) dst map num results must equal memref rank}}
  affine.dma_start %m[%n], %m[%n, 0], %t[0], %n : memref<8xf32>, memref<8xf32>, memref<1xi32>
  // expected-error@+1 {{'affine.dma_start' op (C3) source and target have different element types}}
  affine.dma_start %m[%n], %d[0], %t[0], %n : memref<8xf32>, memref<8xi32>, memref<1xi32>
  scf.for %i = %n to %n step %n {
    // expected-error@+1 {{'affine.dma_start' op operand cannot be used as a dimension id}}
    affine.dma_start %m[%n], %m[0], %t[%i], %n : memref<8xf32>, memref<8xf32>, memref<1xi32>
    // expected-error@+1 {{'affine.dma_wait' op operand cannot be used as a dimension id}}
    affine.dma_wait %t[%i], %n : memref<1xi32>
  }
  // expected-error@+1 {{'affine.dma_wait' op (C1) expects as many subscripts as affine map inputs}}
  "affine.dma_wait"(%t, %n, %n) {tag_map = affine_map<() -> (0)>} : (memref<1xi32>, index, index) -> ()
  // expected-error@+1 {{'affine.dma_wait' op (C2) tag map num results must equal memref rank}}
  affine.dma_wait %t[0, 0], %n : memref<1xi32>
  return
}

// -----

func.func @stride(%m: memref<8xf32>, %t: memref<1xi32>, %n: index) {
  // expected-error@+1 {{expected two stride related operands}}
  affine.dma_start %m[%n], %m[0], %t[0], %n, %n : memref<8xf32>, memref<8xf32>, memref<1xi32>
  return
}
