/* claims.h - what ops on tensors claim about shapes and places, and whether it is certain.
 *
 * Machine code believes an op: a tensor.cast that the dims are those of its type, a slice that it lies in its source, a
 * linalg.generic that its operands agree on the range of each loop. A wrong claim is an access outside of a buffer. So
 * each claim is proven, or stands behind an rt.check (check_claims.c). Ops on memrefs make claims too; those are the
 * program's own matter, or that of check-bounds. */
#ifndef NORIA_PASS_GUARD_CLAIMS_H
#define NORIA_PASS_GUARD_CLAIMS_H

#include "pass/analysis/prover.h"

/* Whether all that op claims is proven where the prover stands. True for ops that claim nothing. */
bool nr_claims_hold(NrProver *p, NrOp *op);

#endif
