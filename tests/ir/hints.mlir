// What is misspelt gets the word that may be meant: one letter more, less or other, or two that changed places.
// RUN: noria opt --verify-diagnostics --split-input-file %s

func.func @predicates(%x: i32, %f: f32) {
  // expected-error@+1 {{unknown comparison predicate "sgtt"; did you mean 'sgt'?}}
  %0 = arith.cmpi sgtt, %x, %x : i32
  // expected-error@+1 {{unknown comparison predicate "oegt"; did you mean 'ogt'?}}
  %1 = arith.cmpf oegt, %f, %f : f32
  // expected-error@+1 {{unknown comparison predicate "nothing"}}
  %2 = arith.cmpf nothing, %f, %f : f32
  return
}

// -----

func.func @flags(%x: i32, %f: f32, %m: memref<4xi32>, %i: index) {
  // expected-error@+1 {{'fasst' is none of the flags of 'fastmath'; did you mean 'fast'?}}
  %0 = arith.addf %f, %f fastmath<fasst> : f32
  // expected-error@+1 {{'nws' is none of the flags of 'overflow'; did you mean 'nsw'?}}
  %1 = arith.addi %x, %x overflow<nws> : i32
  // expected-error@+1 {{unknown kind of atomic_rmw 'adi'; did you mean 'addi'?}}
  %2 = memref.atomic_rmw adi %x, %m[%i] : (i32, memref<4xi32>) -> i32
  // expected-error@+1 {{invalid reduction value: "adf"; did you mean 'addf'?}}
  affine.parallel (%k) = (0) to (4) reduce ("adf") -> f32 { affine.yield %f : f32 }
  return
}

// -----

func.func @words() {
  // expected-error@+1 {{unknown type 'f23'; did you mean 'f32'?}}
  %0 = memref.alloc() : memref<4xf23>
  // expected-error@+1 {{unknown type 'memrf'; did you mean 'memref'?}}
  %1 = memref.alloc() : memrf<4xf32>
  // expected-error@+1 {{expected an attribute value, not 'strded'; did you mean 'strided'?}}
  %2 = memref.alloc() : memref<4xf32, strded<[1]>>
  // expected-error@+1 {{expected an attribute value, not 'dnse'; did you mean 'dense'?}}
  %3 = arith.constant dnse<1> : tensor<2xi32>
  // expected-error@+1 {{expected an attribute value, not 'flase'; did you mean 'false'?}}
  %4 = arith.constant flase
  return
}

// -----

func.func @kinds(%v: vector<4xf32>, %t: tensor<4xf32>, %x: i32) {
  // expected-error@+1 {{(C3) unsupported reduction kind 'mull' for element type f32; did you mean 'mul'?}}
  %0 = vector.reduction <mull>, %v : vector<4xf32> into f32
  // expected-error@+1 {{unexpected iterator_type (paralel); did you mean 'parallel'?}}
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["paralel"]}
      outs(%t : tensor<4xf32>) {
  ^bb0(%o: f32):
    linalg.yield %o : f32
  } -> tensor<4xf32>
  // expected-error@+1 {{requires attribute 'predicate', and has one 'predicat'}}
  %2 = "arith.cmpi"(%x, %x) {predicat = 2 : i64} : (i32, i32) -> i1
  return
}
