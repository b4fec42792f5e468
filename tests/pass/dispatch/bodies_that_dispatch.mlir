// RUN: not noria opt --pass-pipeline=outline-dispatches %s --split-input-file 2>&1 | FileCheck %s

// CHECK: error: 'flow.dispatch.workgroups' op calls 'grid', which dispatches an executable: a workgroup cannot
func.func @main() {
  flow.dispatch.workgroups() : () -> () =
      () {
    func.call @grid() : () -> ()
    flow.return
  }
  return
}
func.func private @grid() {
  flow.dispatch @ex::@f() : () -> ()
  return
}
flow.executable private @ex {
  flow.executable.export public @f
  builtin.module {
    func.func @f() {
      return
    }
  }
}

// -----

// CHECK: error: 'flow.dispatch.workgroups' op in a workgroup must have one block; run lift-cf-to-scf first
func.func @main() {
  flow.dispatch.workgroups() : () -> () =
      () {
    flow.dispatch.workgroups() : () -> () =
        () {
      cf.br ^bb1
    ^bb1:
      flow.return
    }
    flow.return
  }
  return
}
