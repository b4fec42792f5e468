// Constraints of rt.dispatch.
// RUN: noria opt --split-input-file --verify-diagnostics %s

module @buffers {
  memref.global "private" @buffer : memref<4xf32>
}
func.func @entry_of_dispatch(%n: index) {
  // expected-error@+1 {{(C1) entry is neither an entry point of an executable nor a function}}
  rt.dispatch @buffers::@buffer[%n] ()
  return
}

// -----

flow.executable private @ex {
  flow.executable.export public @f
  builtin.module {
    func.func @f(%a: memref<4xf32>, %x: index, %y: index, %z: index) {
      return
    }
  }
}
func.func @arguments_of_dispatch(%n: index, %a: memref<4xf32>, %b: memref<?xf32>) {
  rt.dispatch @ex::@f[%n] (%a) : memref<4xf32>
  // expected-error@+1 {{(C2) names a function that does not take its arguments and three indices}}
  rt.dispatch @ex::@f[%n] (%b) : memref<?xf32>
  return
}

// -----

// expected-error@+2 {{does not reference a valid symbol}}
func.func @no_entry(%n: index) {
  rt.dispatch @nowhere::@f[%n] ()
  return
}
