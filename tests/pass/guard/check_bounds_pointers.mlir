// Pointers of a lowered program have no sizes that machine code knows, so their accesses cannot be checked.
// RUN: not noria opt --pass-pipeline='finalize-memref,check-bounds' %s 2>&1 | FileCheck %s
// RUN: not noria opt --pass-pipeline='finalize-memref,func.func(check-bounds)' %s 2>&1 | FileCheck %s

// CHECK: check_bounds_pointers.mlir:[[@LINE+1]]:1: error: 'func.func' op was lowered by finalize-memref; bounds are checked before that
func.func @main(%m: memref<index>) -> index {
  %x = memref.load %m[] : memref<index>
  return %x : index
}
