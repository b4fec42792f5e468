// RUN: not noria run %s 1 2>&1 | FileCheck %s
// RUN: not noria run %s 1 --interpret 2>&1 | FileCheck %s
// CHECK: the program imports 'seq_lenght', which this runtime does not have; did you mean 'seq_length'?
func.func @main(%s: i64) -> i64 {
  %n = rt.call "seq_lenght"(%s) : (i64) -> i64
  return %n : i64
}
