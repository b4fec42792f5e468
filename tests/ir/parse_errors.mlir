// Every mistake of a file is reported in one run, each once: ops that failed still define their names.
// RUN: noria opt --split-input-file --verify-diagnostics %s

// expected-note@+2 {{prior use here}}
// expected-note@+1 {{previously defined here}}
func.func @values(%a: i32, %b: f32) -> i32 {
  // expected-error@+1 {{unknown op 'arith.adf'; did you mean 'arith.addf'?}}
  %0 = arith.adf %b, %b : f32
  // expected-error@+1 {{use of value '%b' expects different type than prior uses: 'i32' vs 'f32'}}
  %1 = arith.addi %a, %b : i32
  // expected-error@+1 {{use of undeclared SSA value name '%nope'}}
  %2 = arith.addi %a, %nope : i32
  // expected-error@+1 {{redefinition of SSA value '%a'}}
  %a = arith.addi %a, %a : i32
  // %0 and %1 failed: no more is said of them.
  %3 = arith.addi %0, %1 : i32
  // expected-error@+1 {{expected ':'}}
  %4 = arith.addi %a, %a i32
  // expected-error@+1 {{operation defines 1 results but was provided 2 to bind}}
  %5:2 = arith.addi %a, %a : i32
  %6 = arith.addi %3, %3 : i32 loc("known")
  // expected-error@+1 {{reference to invalid result number 1 of '%6'}}
  %7 = arith.addi %6#1, %6 : i32
  // expected-error@+1 {{cannot name an operation with no results}}
  %8 = cf.br ^bb1
^bb1:
  return %a : i32
}

// -----

func.func @blocks() {
  // expected-error@+1 {{reference to an undefined block '^bb7'}}
  cf.br ^bb7
// expected-note@+1 {{previously defined here}}
^bb1:
  cf.br ^bb1
// expected-error@+1 {{redefinition of block '^bb1'}}
^bb1:
  return
}

// -----

// An error inside of a region ends neither the region nor what follows it.
func.func @regions(%c: i1) {
  scf.if %c {
    // expected-error@+1 {{unknown op 'foo.bar'}}
    %x = foo.bar %c {
      this is {passed over}
    } else {
      so is this
    }
    "arith.constant"() {a = 1,
      // expected-error@+1 {{expected an attribute value}}
      b = ?
    } : () -> ()
    scf.yield
  } else {
    // expected-error@+1 {{use of undeclared SSA value name '%inside'}}
    %y = arith.addi %inside, %inside : i32
  }
  // expected-error@+1 {{expected '"' at the end of the string}}
  %s = arith.constant "abc
  return
}

// -----

// expected-error@+1 {{unknown type 'i33x'}}
func.func @type(%x: i33x) {
  return
}

// expected-error@+1 {{use of undeclared identifier 'd1'}}
#m = affine_map<(d0) -> (d1)>
// expected-error@+1 {{non-affine expression}}
#n = affine_map<(d0, d1) -> (d0 * d1)>
// expected-error@+1 {{attribute alias '#circle' refers to itself}}
#circle = [1, #circle]
// expected-error@+1 {{undefined type alias '!unknown'}}
func.func private @alias(!unknown)
// expected-error@+1 {{unexpected '}' at the top level}}
}

// -----

// The values of a function are not seen in another, nor those of a loop behind it.
func.func @scope(%n: index) {
  scf.for %i = %n to %n step %n {
    %inside = arith.addi %i, %i : index
  }
  // expected-error@+1 {{use of undeclared SSA value name '%inside'}}
  %x = arith.addi %inside, %n : index
  func.func @nested() {
    // expected-error@+1 {{use of undeclared SSA value name '%n'}}
    %y = arith.addi %n, %n : index
    return
  }
  return
}

// -----

func.func @literals() {
  // expected-error@+1 {{integer constant out of range for type 'i8'}}
  %0 = arith.constant 300 : i8
  // expected-error@+1 {{inferred shape of elements literal ([2, 2]) does not match type ([2, 3])}}
  %1 = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x3xi32>
  // expected-error@+1 {{expected 2 elements in this list, but found 1}}
  %2 = arith.constant dense<[[1, 2], [3]]> : tensor<2x2xi32>
  // expected-error@+1 {{ranks are not consistent}}
  %3 = arith.constant dense<[[1, 2], 3]> : tensor<2x2xi32>
  // expected-error@+1 {{static shape}}
  %4 = arith.constant dense<1> : tensor<?xi32>
  // expected-error@+1 {{inferred shape of elements literal ([]) does not match type ([])}}
  %11 = arith.constant dense<> : tensor<f32>
  // expected-error@+1 {{expected an attribute value}}
  %13 = arith.constant {a = [1, 2, ]} 1 : i32
  // expected-error@+1 {{expected the name of an attribute}}
  %14 = arith.constant {a = 1, } 1 : i32
  // expected-error@+1 {{hex data is 3 bytes}}
  %5 = arith.constant dense<"0x010203"> : tensor<2xi32>
  // expected-error@+1 {{add a trailing dot}}
  %6 = arith.constant 1 : f32
  // expected-error@+1 {{attribute 'a' occurs more than once}}
  %7 = arith.constant {a, b, a} 1 : i32
  // expected-error@+1 {{memref layout mismatch between rank and affine map: 2 != 1}}
  %8 = memref.alloc() : memref<2x2xf32, affine_map<(d0) -> (d0)>>
  // expected-error@+1 {{vector types must have positive constant sizes}}
  %9 = arith.constant dense<0.0> : vector<0xf32>
  // expected-error@+1 {{unknown escape in string}}
  %10 = arith.constant "\q"
  return
}

// -----

func.func @end() {
  scf.if %c {
// expected-error@-1 {{expected '}' at the end of the region}}
// expected-error@-2 {{use of undeclared SSA value name '%c'}}
// The end of the file is one error however many regions are open.

// -----

// What is missing at the end of a line is missing there.
func.func @missing_at_end(%a: i32) {
  // expected-error@+1 {{expected ':'}}
  "func.return"(%a)
  return
}

// -----

func.func @label_without_colon() {
  cf.br ^bb1
  // expected-error@+1 {{expected ':'}}
^bb1
  return
}

// -----

// expected-error@+3 {{attribute 'a' occurs more than once}}
"builtin.module"() ({}) {
  a = 1, b = 2,
  a = 3
} : () -> ()

// -----

// expected-error@+1 {{hexadecimal digits are all bits of a float: they have no sign}}
module attributes {t.a = -0x1 : f32} {}

// -----

// expected-error@+1 {{expected '==', '>=' or '<='}}
module attributes {t.a = affine_set<(d0) : (d0 > 0)>} {}

// -----

// expected-error@+1 {{elements of an array are floats, i1, or integers of whole bytes}}
module attributes {t.a = array<i7: 1>} {}

// -----

// expected-error@+1 {{expected a number}}
module attributes {t.a = array<i64: >} {}

// -----

func.func private @resource() attributes {t.a = dense_resource<a> : tensor<1xi32>}
// expected-error@+1 {{expected a string of hex digits}}
{-# dialect_resources: { builtin: { a: 5 } } #-}
