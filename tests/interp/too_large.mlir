// What no memory has room for is an error of the run, not the end of the process.
// RUN: not noria run %s --entry=vector --interpret 3 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: not noria run %s --entry=constant --interpret 3 2>&1 | FileCheck %s --check-prefix=ROOM
// RUN: not noria run %s --entry=global --interpret 3 2>&1 | FileCheck %s --check-prefix=ROOM
// RUN: not noria run %s --entry=global 3 2>&1 | FileCheck %s --check-prefix=REPEATED

// VECTOR: 'vector.broadcast' op gives a vector of more than 1073741824 bytes
func.func @vector(%a: i8) -> i8 {
  %v = vector.broadcast %a : i8 to vector<9999999999999xi8>
  %r = vector.extract %v[5] : i8 from vector<9999999999999xi8>
  return %r : i8
}

// ROOM: the system has no memory for 9999999999999 bytes
func.func @constant(%i: index) -> i8 {
  %t = arith.constant dense<5> : tensor<9999999999999xi8>
  %r = tensor.extract %t[%i] : tensor<9999999999999xi8>
  return %r : i8
}

// REPEATED: names a global of 9999999999999 bytes that begin with one value; at most 4294967296 can be compiled
memref.global "private" @g : memref<9999999999999xi8> = dense<5>
func.func @global(%i: index) -> i8 {
  %m = memref.get_global @g : memref<9999999999999xi8>
  %r = memref.load %m[%i] : memref<9999999999999xi8>
  return %r : i8
}
