/* limits.h - what is too large for machine code. */
#ifndef NORIA_CODEGEN_LIMITS_H
#define NORIA_CODEGEN_LIMITS_H

#include "ir/op_info.h"

enum {
  NR_MAX_LANES = 4096,     /* elements of a vector */
  NR_MAX_ARGUMENTS = 4096, /* of a function; results too */
};
/* An error at the place of the first op that is beyond a limit. Comes before any LLVM IR is made. */
NrStatus nr_codegen_check_limits(NrModule *module);

#endif
