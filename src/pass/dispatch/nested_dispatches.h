/* nested_dispatches.h - dispatches in a workgroup, as loops. */
#ifndef NORIA_PASS_DISPATCH_NESTED_DISPATCHES_H
#define NORIA_PASS_DISPATCH_NESTED_DISPATCHES_H

#include "ir/op_info.h"

/* Replaces every flow.dispatch.workgroups in root, whose functions run in workgroups, by loops over its grid. */
NrStatus nr_nested_dispatches_to_loops(NrOp *root);

#endif
