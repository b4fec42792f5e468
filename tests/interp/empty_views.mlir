// A dim of 0 does not hide what is wrong with the others.
// RUN: not noria run %s --entry=view --interpret -5 0 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: not noria run %s --entry=view --interpret 3 9223372036854775807 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: noria run %s --entry=view --interpret 3 64 | FileCheck %s --check-prefix=THREE
// RUN: not noria run %s --entry=cast --interpret -5 0 2>&1 | FileCheck %s --check-prefix=CAST
// RUN: noria run %s --entry=cast --interpret 3 64 | FileCheck %s --check-prefix=THREE
// RUN: noria run %s --entry=slice --interpret | FileCheck %s --check-prefix=OFFSET
// RUN: noria run %s --entry=slice | FileCheck %s --check-prefix=OFFSET

// VIEW: 'memref.view' op does not lie in its source
// CAST: 'memref.reinterpret_cast' op has elements outside of the buffer
// THREE: 3 : index
// OFFSET: 2 : index

func.func @view(%n: index, %shift: index) -> index {
  %c1 = arith.constant 1 : index
  %bytes = memref.alloc() : memref<64xi8>
  %v = memref.view %bytes[%shift][%n] : memref<64xi8> to memref<0x?xf32>
  %dim = memref.dim %v, %c1 : memref<0x?xf32>
  memref.dealloc %bytes : memref<64xi8>
  return %dim : index
}

func.func @cast(%n: index, %offset: index) -> index {
  %c1 = arith.constant 1 : index
  %bytes = memref.alloc() : memref<64xi8>
  %v = memref.reinterpret_cast %bytes to offset: [%offset], sizes: [0, %n], strides: [1, 1]
      : memref<64xi8> to memref<0x?xi8, strided<[1, 1], offset: ?>>
  %dim = memref.dim %v, %c1 : memref<0x?xi8, strided<[1, 1], offset: ?>>
  memref.dealloc %bytes : memref<64xi8>
  return %dim : index
}

// An empty slice keeps the offset that its type says.
func.func @slice() -> index {
  %m = memref.alloc() : memref<3x2x2xi1>
  %s = memref.subview %m[0, 1, 0] [0, 0, 0] [1, 1, 1]
      : memref<3x2x2xi1> to memref<0x0x0xi1, strided<[4, 2, 1], offset: 2>>
  %c = memref.cast %s : memref<0x0x0xi1, strided<[4, 2, 1], offset: 2>>
      to memref<?x?x?xi1, strided<[4, 2, 1], offset: 2>>
  %base, %offset, %sizes:3, %strides:3 = memref.extract_strided_metadata %c
      : memref<?x?x?xi1, strided<[4, 2, 1], offset: 2>>
      -> memref<i1>, index, index, index, index, index, index, index
  memref.dealloc %m : memref<3x2x2xi1>
  return %offset : index
}
