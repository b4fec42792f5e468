/* claims.h - proving what ops on tensors claim about shapes and indices.
 *
 * Code generation trusts what an op claims: a tensor.cast, that the dims are those of its type; a slice, that it is
 * inside its source; a linalg.generic, that its operands agree on the range of each loop. A wrong claim leads to an
 * access outside a buffer. So each claim is proven or follows an rt.check (check_claims.c). Claims of ops on memrefs
 * are only checked by check-bounds. */
#ifndef NORIA_PASS_GUARD_CLAIMS_H
#define NORIA_PASS_GUARD_CLAIMS_H

#include "pass/analysis/prover.h"

/* Whether all of op's claims are proven at the prover's current position. True for ops without claims. */
bool nr_claims_hold(NrProver *p, NrOp *op);

#endif
