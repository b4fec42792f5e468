// Errors show the place, the line and a caret; notes follow; all errors of the file come in one run.
// RUN: not noria opt %s 2>&1 | FileCheck %s --strict-whitespace --match-full-lines

//      CHECK:{{.*}}diagnostics.mlir:21:8: error: unknown op 'arith.adf'; did you mean 'arith.addf'?
// CHECK-NEXT:  %0 = arith.adf %a, %a : f32
// CHECK-NEXT:       ^~~~~~~~~
//      CHECK:{{.*}}diagnostics.mlir:23:19: error: use of value '%a' expects different type {{.*}}'i32' vs 'f32'
// CHECK-NEXT:  %1 = arith.addi %a, %a : i32
// CHECK-NEXT:                  ^~
//      CHECK:{{.*}}diagnostics.mlir:20:14: note: prior use here
//      CHECK:{{.*}}diagnostics.mlir:25:9: error: reference to an undefined block '^nowhere'
// CHECK-NEXT:  cf.br ^nowhere
// CHECK-NEXT:        ^~~~~~~~
//      CHECK:{{.*}}diagnostics.mlir:35:3: error: unknown op 'some op' {{.*}}
// CHECK-NEXT:  "some op"() : () -> ()
// CHECK-NEXT:  ^~~~~~~~~
//      CHECK:{{.*}}diagnostics.mlir:32:9: error: reference to an undefined block '^loop_ned'; did you mean '^loop_end'?
//      CHECK:{{.*}}diagnostics.mlir:30:19: error: use of undeclared SSA value name '%vector'; did you mean '%vectors'?
//      CHECK:{{.*}}diagnostics.mlir:31:23: error: use of undeclared SSA value name '%y'
func.func @f(%a: f32) -> f32 {
  %0 = arith.adf %a, %a : f32

  %1 = arith.addi %a, %a : i32

  cf.br ^nowhere
}

// What may be meant is named: ops, values, blocks.
func.func @g(%vectors: f32, %x: f32) {
  %0 = arith.addf %vector, %x : f32
  %1 = arith.addf %0, %y : f32
  cf.br ^loop_ned
^loop_end:
  return
  "some op"() : () -> ()
}
