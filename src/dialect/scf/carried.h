/* carried.h - what scf.for and scf.while hand on. Internal to this folder. */
#ifndef NORIA_DIALECT_SCF_CARRIED_H
#define NORIA_DIALECT_SCF_CARRIED_H

#include "dialect/scf/scf.h"

/* The places through which values go: those that an scf.for carries; those that an scf.while carries, then those that
 * its condition hands on. */
uint32_t nr_scf_num_places(const NrOp *loop);

/* Which places, and which ops of the loop's own blocks, are needed for what the loop does and for the results that are
 * used. */
typedef struct NrScfNeeded {
  NrOp *loop;
  bool *places;
  NrMap ops; /* NrOp* */
  NR_VEC(NrOp *) work;
} NrScfNeeded;
void nr_scf_needed_init(NrScfNeeded *n, NrOp *loop);
void nr_scf_needed_deinit(NrScfNeeded *n);

/* Which carried values are what they were at first, in every iteration; those that change places with equal ones too.
 * out has nr_scf_num_places elements. */
void nr_scf_find_invariant(NrOp *loop, bool *out);

#endif
