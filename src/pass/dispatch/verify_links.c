/* verify_links.c - reports dispatches whose executable or function is missing: a text may name executables of other
 * files, but a program that is compiled has all of its own. */
#include "dialect/flow/flow.h"
#include "pass/core/pass.h"

static bool verify(NrOp *op, void *user) {
  NrStatus *status = user;
  if (nr_op_is(op, NR_OP_flow_dispatch) && nr_flow_dispatch_link(op)) *status = NR_ERROR_INVALID;
  return true;
}

static NrStatus verify_links_run(NrPassContext *pass, NrOp *root) {
  NrStatus status = NR_OK;
  (void)pass;
  nr_walk_pre(root, verify, &status);
  return status;
}

NR_PASS(verify_links, .name = "verify-links", .on_while = NR_WHILE_BARRIER, .run = verify_links_run,
        .doc = "rejects dispatches of executables or functions that are not in the program")
