/* carried.h - analysis of the values that scf.for and scf.while carry. Internal to this folder. */
#ifndef NORIA_DIALECT_SCF_CARRIED_H
#define NORIA_DIALECT_SCF_CARRIED_H

#include "dialect/scf/scf.h"

/* A slot is a value that a loop passes to a block argument or result. scf.for has one per carried value; scf.while has
 * one per carried value, then one per value that its condition passes on. */
uint32_t nr_scf_num_slots(const NrOp *loop);

/* The slots, and the ops of the loop's own blocks, that the loop's effects and its used results depend on. */
typedef struct NrScfNeeded {
  NrOp *loop;
  bool *slots;
  NrMap ops; /* NrOp* */
  NR_VEC(NrOp *) work;
} NrScfNeeded;
void nr_scf_needed_init(NrScfNeeded *n, NrOp *loop);
void nr_scf_needed_deinit(NrScfNeeded *n);

/* Sets out[i] for the carried values that equal their initial value in every iteration, also when values with equal
 * initial values are exchanged. out has nr_scf_num_slots elements. */
void nr_scf_find_invariant(NrOp *loop, bool *out);

#endif
