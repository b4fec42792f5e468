/* carried.h - analysis of the values that scf.for and scf.while carry. Internal to this folder. */
#ifndef NORIA_DIALECT_SCF_CARRIED_H
#define NORIA_DIALECT_SCF_CARRIED_H

#include "dialect/scf/scf.h"

/* The places through which values go: those that an scf.for carries; those that an scf.while carries, then those that
 * its condition hands on. */
uint32_t nr_scf_num_places(const NrOp *loop);

/* The places, and the ops of the loop's own blocks, that its effects and its used results need. */
typedef struct NrScfNeeded {
  NrOp *loop;
  bool *places;
  NrMap ops; /* NrOp* */
  NR_VEC(NrOp *) work;
} NrScfNeeded;
void nr_scf_needed_init(NrScfNeeded *n, NrOp *loop);
void nr_scf_needed_deinit(NrScfNeeded *n);

/* The carried values that have their initial value in every iteration, also if equal values are exchanged. out has
 * nr_scf_num_places elements. */
void nr_scf_find_invariant(NrOp *loop, bool *out);

#endif
