// Errors show the place, the line and a caret; notes follow; all errors of the file come in one run.
// RUN: not noria opt %s 2>&1 | FileCheck %s --strict-whitespace --match-full-lines

//      CHECK:{{.*}}diagnostics.mlir:13:8: error: unknown op 'arith.adf'; did you mean 'arith.addf'?
// CHECK-NEXT:  %0 = arith.adf %a, %a : f32
// CHECK-NEXT:       ^~~~~~~~~
//      CHECK:{{.*}}diagnostics.mlir:15:19: error: use of value '%a' expects different type {{.*}}'i32' vs 'f32'
// CHECK-NEXT:  %1 = arith.addi %a, %a : i32
// CHECK-NEXT:                  ^~
//      CHECK:{{.*}}diagnostics.mlir:12:14: note: prior use here
//      CHECK:{{.*}}diagnostics.mlir:17:9: error: reference to an undefined block '^nowhere'
func.func @f(%a: f32) -> f32 {
  %0 = arith.adf %a, %a : f32

  %1 = arith.addi %a, %a : i32

  cf.br ^nowhere
}
