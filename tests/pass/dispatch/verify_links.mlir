// What a dispatch names may be missing in a text, and must be there when the program is compiled or run.
// RUN: noria opt %s | FileCheck %s --check-prefix=READ
// RUN: noria opt --verify-links --verify-diagnostics %s
// RUN: not noria run %s --entry=undefined "dense<1.0> : tensor<4xf32>" 2>&1 | FileCheck %s --check-prefix=LINK
// RUN: not noria run --interpret %s --entry=undefined "dense<1.0> : tensor<4xf32>" 2>&1 | FileCheck %s --check-prefix=LINK
// RUN: noria run %s --entry=there "dense<1.0> : tensor<4xf32>" | FileCheck %s --check-prefix=THERE
// READ: flow.executable private @external {
// READ-NEXT: flow.executable.export public @f{{$}}
// READ-NEXT: }
flow.executable private @external {
  // expected-error@+1 {{'flow.executable.export' op (C2) its executable has no module with the function 'f'}}
  flow.executable.export public @f
}
flow.executable private @ex {
  // expected-error@+1 {{'flow.executable.export' op (C2) refers to the undefined function 'nowhere'}}
  flow.executable.export @nowhere
  // expected-error@+1 {{'flow.executable.export' op (C2) refers to 'declared', which is no function with a body}}
  flow.executable.export @declared
  // expected-error@+1 {{'flow.executable.export' op (C3) the function of a dispatch must return nothing}}
  flow.executable.export @returns
  // expected-error@+1 {{'flow.executable.export' op (C3) argument #0 of the function of a dispatch is a tensor; expected !flow.dispatch.tensor}}
  flow.executable.export @takes
  flow.executable.export @f
  // expected-error@+1 {{'flow.executable.export' op (C2) refers to 'buffer', which is no function with a body}}
  flow.executable.export @buffer
  flow.executable.export @reads
  // No dispatch names this one, so nothing is wrong.
  flow.executable.export @unused
  builtin.module {
    memref.global @buffer : memref<4xf32>
    func.func @reads(%a: !flow.dispatch.tensor<readonly:tensor<4xf32>>) {
      return
    }
    func.func private @declared(!flow.dispatch.tensor<readonly:tensor<4xf32>>)
    util.func @returns() -> i32 {
      %0 = arith.constant 1 : i32
      util.return %0 : i32
    }
    func.func @takes(%a: tensor<4xf32>) {
      return
    }
    util.func @f(%a: !flow.dispatch.tensor<readonly:tensor<4xf32>>, %b: !flow.dispatch.tensor<writeonly:tensor<4xf32>>) {
      %v = flow.dispatch.tensor.load %a, offsets = [0], sizes = [4], strides = [1] : !flow.dispatch.tensor<readonly:tensor<4xf32>> -> tensor<4xf32>
      flow.dispatch.tensor.store %v, %b, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !flow.dispatch.tensor<writeonly:tensor<4xf32>>
      util.return
    }
  }
}
util.func @undefined(%t: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{'flow.dispatch' op (C4) refers to an undefined entry point @ex::@g}}
  // LINK: verify_links.mlir:[[#@LINE+1]]:8: {{.*}}'flow.dispatch' op (C4) refers to an undefined entry point @ex::@g
  %0 = flow.dispatch @ex::@g(%t) : (tensor<4xf32>) -> tensor<4xf32>
  util.return %0 : tensor<4xf32>
}
util.func @there(%t: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.dispatch @ex::@f(%t) : (tensor<4xf32>) -> tensor<4xf32>
  util.return %0 : tensor<4xf32>
}
// THERE: dense<1.000000e+00> : tensor<4xf32>
func.func @dispatch(%t: tensor<4xf32>, %u: tensor<5xf32>) {
  // expected-error@+1 {{'flow.dispatch' op (C4) refers to an undefined entry point @nothing::@g}}
  %0 = flow.dispatch @nothing::@g(%t) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = flow.dispatch @external::@f(%t) : (tensor<4xf32>) -> tensor<4xf32>
  flow.dispatch @ex::@nowhere() : () -> ()
  flow.dispatch @ex::@declared(%t) : (tensor<4xf32>) -> ()
  flow.dispatch @ex::@returns() : () -> ()
  flow.dispatch @ex::@takes(%t) : (tensor<4xf32>) -> ()
  // expected-error@+1 {{'flow.dispatch' op (C5) argument #0 is tensor<5xf32> but the entry point takes !flow.dispatch.tensor<readonly:tensor<4xf32>>}}
  %2 = flow.dispatch @ex::@f(%u) : (tensor<5xf32>) -> tensor<4xf32>
  // expected-error@+1 {{'flow.dispatch' op (C5) the entry point takes 2 arguments but the dispatch has 1 arguments and untied results}}
  %3 = flow.dispatch @ex::@f(%t) : (tensor<4xf32>) -> %t
  flow.dispatch @ex::@buffer() : () -> ()
  // expected-error@+1 {{'flow.dispatch' op (C5) argument #0 is tensor<4xf32> but the entry point takes !flow.dispatch.tensor<readonly:tensor<4xf32>>}}
  %4 = flow.dispatch @ex::@reads(%t) : (tensor<4xf32>) -> %t
  return
}
