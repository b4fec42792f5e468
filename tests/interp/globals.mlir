// RUN: noria run --interpret %s --entry=changes | FileCheck %s --check-prefix=CHANGES
// RUN: noria run %s --entry=changes | FileCheck %s --check-prefix=CHANGES
// RUN: not noria run --interpret %s --entry=fills 2>&1 | FileCheck %s --check-prefix=FILLS
// RUN: not noria run --interpret %s --entry=computes 2>&1 | FileCheck %s --check-prefix=COMPUTES
// RUN: not noria run --interpret %s --entry=freed 2>&1 | FileCheck %s --check-prefix=FREED
memref.global "private" @table : memref<3xi32> = dense<[1, 2, 3]>
memref.global "private" constant @fixed : memref<3xi32> = dense<[4, 5, 6]>

// A global that is not constant begins with its value, and changes.
func.func @changes() -> (i32, i32) {
  %i = arith.constant 1 : index
  %x = arith.constant 40 : i32
  %t = memref.get_global @table : memref<3xi32>
  %old = memref.atomic_rmw addi %x, %t[%i] : (i32, memref<3xi32>) -> i32
  %again = memref.get_global @table : memref<3xi32>
  %new = memref.load %again[%i] : memref<3xi32>
  return %old, %new : i32, i32
}
// CHANGES: 2 : i32
// CHANGES-NEXT: 42 : i32

// Structured ops do not write to constants either, nor use memory that was freed.
func.func @fills() {
  %x = arith.constant 40 : i32
  %t = memref.get_global @fixed : memref<3xi32>
  // FILLS: 'linalg.fill' op writes to a constant
  linalg.fill ins(%x : i32) outs(%t : memref<3xi32>)
  return
}
func.func @computes() {
  %t = memref.get_global @fixed : memref<3xi32>
  // COMPUTES: 'linalg.generic' op writes to a constant
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : memref<3xi32>) {
  ^bb0(%o: i32):
    linalg.yield %o : i32
  }
  return
}
func.func @freed() {
  %x = arith.constant 40 : i32
  %t = memref.alloc() : memref<3xi32>
  memref.dealloc %t : memref<3xi32>
  // FREED: 'linalg.fill' op uses memory that was freed
  linalg.fill ins(%x : i32) outs(%t : memref<3xi32>)
  return
}
