// RUN: noria opt --lift-cf-to-scf %s --split-input-file --verify-diagnostics

// A buffer that only one of two ways has.
// expected-error@+1 {{has blocks that are reached with and without a value of type 'memref<?xf32>', for which there is no zero}}
func.func @buffer(%a: i1, %b: i1, %m: memref<?xf32>) {
  cf.cond_br %a, ^b, ^y
^b:
  cf.cond_br %b, ^x(%m : memref<?xf32>), ^y
^x(%n: memref<?xf32>):
  cf.br ^z(%n : memref<?xf32>)
^y:
  cf.cond_br %b, ^z(%m : memref<?xf32>), ^e
^z(%o: memref<?xf32>):
  memref.dealloc %o : memref<?xf32>
  cf.br ^e
^e:
  return
}

// -----

func.func @twice(%flag: i32) {
  // expected-error@+1 {{with a case twice cannot be lifted}}
  cf.switch %flag : i32, [default: ^a, 7: ^b, 7: ^a]
^a:
  return
^b:
  return
}
