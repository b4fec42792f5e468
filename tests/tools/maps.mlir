// Maps on the command line: they are read, printed as they are read, and passed by libraries.
// RUN: noria run %s '{3: 1.5, 1: 2}' '[{"b": 1, "a\n": -2}, {}]' | FileCheck %s
// RUN: noria run --check-stages %s '{3: 1.5, 1: 2}' '[{"b": 1}]' 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: noria compile %s -o %t.so --header %t.h && noria run %t.so '{3: 1.5, 1: 2}' '[{"b": 1, "a\n": -2}, {}]' | FileCheck %s
// RUN: FileCheck %s --check-prefix=HEADER < %t.h
// RUN: noria show %t.so | FileCheck %s --check-prefix=SHOW
// RUN: not noria run %s '{3: 1, 3: 2}' '[]' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not noria run %s '{3 1}' '[]' 2>&1 | FileCheck %s --check-prefix=COLON
// RUN: not noria run %s '{3: 1' '[]' 2>&1 | FileCheck %s --check-prefix=END
// RUN: not noria run %s '{"a": 1}' '[]' 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not noria run %s '{}' '[1]' 2>&1 | FileCheck %s --check-prefix=ITEM

// CHECK: {1: 2.000000e+00, 3: 1.500000e+00}
// CHECK-NEXT: {{\[}}{"a\0A": -2, "b": 1}, {}]
// STAGES: outcomes are that of 'import'
// HEADER: m: map from int64_t to float
// HEADER: s: sequence of map from string to int64_t
// SHOW: m map from int64 to float32
// SHOW: s sequence of map from string to int64
// TWICE: input 'm': the key 3 occurs twice
// COLON: input 'm': '{3 1}' is no map: a ':' is missing
// END: input 'm': '{3: 1' is no map: a } is missing
// WORD: is not a value of type int64
// ITEM: input 's': '1' is no map: {KEY: VALUE, ...}
func.func @main(%m: !onnx.map<i64, f32>, %s: !onnx.seq<!onnx.map<string, i64>>)
    -> (!onnx.map<i64, f32>, !onnx.seq<!onnx.map<string, i64>>) {
  return %m, %s : !onnx.map<i64, f32>, !onnx.seq<!onnx.map<string, i64>>
}
