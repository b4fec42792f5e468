// RUN: not noria opt --pass-pipeline=outline-dispatches %s 2>&1 | FileCheck %s

// CHECK: error: 'flow.dispatch.workgroups' op calls 'grid', which dispatches: a workgroup cannot
func.func @main() {
  flow.dispatch.workgroups() : () -> () =
      () {
    func.call @grid() : () -> ()
    flow.return
  }
  return
}
func.func private @grid() {
  flow.dispatch.workgroups() : () -> () =
      () {
    flow.return
  }
  return
}
