// RUN: noria opt --pass-pipeline=finalize-memref --split-input-file --verify-diagnostics %s

func.func @unknown() {
  // expected-error@+1 {{makes a buffer of type memref<2xf32, strided<[?]>>, of which offset or strides are not known}}
  %m = memref.alloc() : memref<2xf32, strided<[?]>>
  memref.dealloc %m : memref<2xf32, strided<[?]>>
  return
}
