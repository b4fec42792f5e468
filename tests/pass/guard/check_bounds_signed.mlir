// New memory of integers with a sign is filled by a value that is cast to their type, for arith.constant has none of it.
// RUN: noria opt --check-bounds %s > %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlir-opt %t.mlir -o /dev/null

// CHECK-LABEL: func.func @unsigned
// CHECK: %[[M:.*]] = memref.alloc() : memref<4xui8>
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK: %[[FILL:.*]] = builtin.unrealized_conversion_cast %[[ZERO]] : i8 to ui8
// CHECK: linalg.fill ins(%[[FILL]] : ui8) outs(%[[M]] : memref<4xui8>)
func.func @unsigned() -> memref<4xui8> {
  %0 = memref.alloc() : memref<4xui8>
  return %0 : memref<4xui8>
}

// CHECK-LABEL: func.func @signed
// CHECK: builtin.unrealized_conversion_cast %{{.*}} : i32 to si32
// CHECK: linalg.fill
func.func @signed(%n: index) -> memref<?xsi32> {
  %0 = memref.alloc(%n) : memref<?xsi32>
  return %0 : memref<?xsi32>
}
