/* limits.h - what is too large for machine code. */
#ifndef NORIA_PASS_EXPAND_LIMITS_H
#define NORIA_PASS_EXPAND_LIMITS_H

#include "ir/op_info.h"

enum {
  NR_MAX_LANES = 4096,     /* elements of a vector */
  NR_MAX_ARGUMENTS = 4096, /* of a function; results too */
};
/* An error at the place of the first op in root that is beyond a limit. Asked before vectors are taken apart, and
 * again before any LLVM IR is made. */
NrStatus nr_check_limits(NrOp *root);

#endif
