// RUN: noria compile --entry=f %s -o %t.so
// RUN: noria show %t.so | FileCheck %s --check-prefix=LIBRARY
// RUN: noria run --entry=f %s 5 | FileCheck %s

// Linkers read a version behind an `@` of a name; names of the program may have any characters, and stay different.
// LIBRARY: x {{ *}}int64
// CHECK: 37
memref.global "private" @"a@b" : memref<2xi64> = dense<[3, 4]>
memref.global "private" @"a$40b" : memref<2xi64> = dense<[30, 40]>

func.func private @"f@1"(%x: i64) -> i64 attributes {no_inline} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.get_global @"a@b" : memref<2xi64>
  %n = memref.get_global @"a$40b" : memref<2xi64>
  memref.store %x, %m[%c0] : memref<2xi64>
  memref.store %x, %n[%c1] : memref<2xi64>
  %o = memref.load %m[%c0] : memref<2xi64>
  %p = memref.load %n[%c0] : memref<2xi64>
  %s = arith.addi %o, %p : i64
  return %s : i64
}

func.func @f(%x: i64) -> i64 {
  %c2 = arith.constant 2 : i64
  %r = func.call @"f@1"(%x) : (i64) -> i64
  %s = arith.addi %r, %c2 : i64
  return %s : i64
}
