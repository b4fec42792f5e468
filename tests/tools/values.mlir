// Values on the command line beside numbers: strings, sequences, optionals. What is printed can be given again.

// RUN: noria run %s --entry=strings '["a", "b \"c\",]\n"]' word | FileCheck %s --check-prefix=STRINGS
// RUN: noria run %s --entry=strings 'dense<["a", "b \22c\22,]\0A"]> : tensor<2x!onnx.string>' '"word"' --interpret \
// RUN:   | FileCheck %s --check-prefix=STRINGS
// STRINGS: dense<["a", "b \22c\22,]\0A"]> : tensor<2x!onnx.string>
// STRINGS-NEXT: dense<"word"> : tensor<!onnx.string>
func.func @strings(%s: tensor<?x!onnx.string>, %t: tensor<!onnx.string>)
    -> (tensor<?x!onnx.string>, tensor<!onnx.string>) {
  return %s, %t : tensor<?x!onnx.string>, tensor<!onnx.string>
}

// RUN: noria run %s --entry=handles '[[1, 2] , [255], zeros:3]' '[[0.5], ones:2]' | FileCheck %s --check-prefix=HANDLES
// RUN: noria run %s --entry=handles \
// RUN:   '[dense<[1, 2]> : tensor<2xi8>, dense<-1> : tensor<1xi8>, dense<0> : tensor<3xi8>]' \
// RUN:   '[dense<5.0e-01> : tensor<1xf32>,[1,1]]' --check-stages | FileCheck %s --check-prefix=HANDLES
// HANDLES: [dense<[1, 2]> : tensor<2xi8>, dense<-1> : tensor<1xi8>, dense<0> : tensor<3xi8>]
// HANDLES-NEXT: [dense<5.000000e-01> : tensor<1xf32>, dense<1.000000e+00> : tensor<2xf32>]
// RUN: noria run %s --entry=handles '[]' none | FileCheck %s --check-prefix=EMPTY
// EMPTY: {{^\[\]$}}
// EMPTY-NEXT: {{^none$}}
func.func @handles(%s: !onnx.seq<tensor<?xi8>>, %o: !onnx.optional<!onnx.seq<tensor<?xf32>>>)
    -> (!onnx.seq<tensor<?xi8>>, !onnx.optional<!onnx.seq<tensor<?xf32>>>) {
  return %s, %o : !onnx.seq<tensor<?xi8>>, !onnx.optional<!onnx.seq<tensor<?xf32>>>
}

// RUN: not noria run %s --entry=strings '["a", b]' x 2>&1 | FileCheck %s --check-prefix=QUOTES
// RUN: not noria run %s --entry=strings '["a", "b]' x 2>&1 | FileCheck %s --check-prefix=QUOTES
// RUN: not noria run %s --entry=strings '["a", "\q"]' x 2>&1 | FileCheck %s --check-prefix=QUOTES
// QUOTES: noria run: input 's': '["a", {{.*}}' is not a value of type !onnx.string; strings in lists stand in quotes
// RUN: not noria run %s --entry=strings random x 2>&1 | FileCheck %s --check-prefix=RANDOM
// RANDOM: noria run: input 's': strings cannot be made up
// RUN: not noria run %s --entry=handles 3 none 2>&1 | FileCheck %s --check-prefix=LIST
// LIST: noria run: input 's': '3' is no list of tensors: [VALUE, VALUE, ...]
// RUN: not noria run %s --entry=handles '[[1], [2' none 2>&1 | FileCheck %s --check-prefix=END
// END: noria run: input 's': '{{.*}}' is no list: a ] is missing
// RUN: not noria run %s --entry=handles '[[1], ]' none 2>&1 | FileCheck %s --check-prefix=ITEM
// ITEM: noria run: input 's': '{{.*}}' is no list: a value is missing
// RUN: not noria run %s --entry=handles '[[1]] 2' none 2>&1 | FileCheck %s --check-prefix=BEHIND
// BEHIND: noria run: input 's': '{{.*}}' goes on behind the list
// RUN: not noria run %s --entry=handles '[[1], [300]]' none 2>&1 | FileCheck %s --check-prefix=FITS
// FITS: noria run: input 's': '[300]' is not a value of type i8
// RUN: not noria run %s --entry=handles '[]' '[[1], none]' 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: noria run: input 'o': 'none' is not a value of type f32
// RUN: not noria run %s --entry=handles '[]' none --output result1=@%t.npy 2>&1 | FileCheck %s --check-prefix=SAVE
// SAVE: noria run: output 'result1' is an optional, which no .npy file holds; without --output it is printed
