// A message is said as it stands, whatever is in it, by the interpreter and by machine code.
// RUN: not noria run %s false 2>&1 | FileCheck %s
// RUN: not noria run %s false --interpret 2>&1 | FileCheck %s
// RUN: noria run %s true
// CHECK: 'cf.assert' op %0 of 100% are %%1

func.func @main(%all: i1) {
  cf.assert %all, "%0 of 100% are %%1"
  return
}
