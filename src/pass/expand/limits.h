/* limits.h - what is too large for machine code. */
#ifndef NORIA_PASS_EXPAND_LIMITS_H
#define NORIA_PASS_EXPAND_LIMITS_H

#include "ir/op_info.h"

enum {
  NR_MAX_LANES = 4096,     /* elements of a vector */
  NR_MAX_ARGUMENTS = 4096, /* of a function; the same limit holds for results */
};
/* An error at the first op in root that exceeds a limit. It is called before vectors are lowered to rows, and again
 * before any LLVM IR is built. */
NrStatus nr_check_limits(NrOp *root);
/* Whether values of this type pass between compiled code and the runtime (NoriaDesc): scalars of up to 64 bits,
 * handles, and memrefs without gaps of up to NORIA_MAX_RANK dims. */
bool nr_passes_to_runtime(NrType type);

#endif
