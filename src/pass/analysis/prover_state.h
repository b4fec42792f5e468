/* prover_state.h - what the files of the prover share: prover.c, prover_values.c. */
#ifndef NORIA_PASS_ANALYSIS_PROVER_STATE_H
#define NORIA_PASS_ANALYSIS_PROVER_STATE_H

#include "ir/op_info.h"
#include "pass/analysis/prover.h"

typedef enum NrAtomKind { NR_ATOM_PLAIN, NR_ATOM_MIN, NR_ATOM_MAX, NR_ATOM_SELECT } NrAtomKind;

/* An unknown number: a dim of a tensor, or what else a negative `dim` says; elements are NR_ATOM_ELEMENT - number. */
typedef struct NrAtom {
  NrValue *value;
  int64_t dim;
  int64_t min, max;
  NrAtomKind kind;
  NrValue *condition; /* SELECT: chooses the first case */
  NrSum cases[2];     /* MIN, MAX, SELECT: it is one of these */
  NrSum *facts;       /* true wherever the atom is */
  uint32_t num_facts;
} NrAtom;
enum { NR_ATOM_VALUE = -1, NR_ATOM_RANK = -2, NR_ATOM_ELEMENT = -3 };

/* Facts are numbered in the order in which they come, so that what was found with their help is known to be stale when
 * they are gone. */
typedef struct NrFact {
  NrSum sum;
  uint64_t number;
} NrFact;

typedef struct NrCondition {
  NrValue *value;
  bool holds;
} NrCondition;

struct NrProver {
  NrArena arena;
  NrMap sums;     /* value -> Cached (prover_values.c) */
  NrMap dims;     /* tensor -> an NrSum * for each dim */
  NrMap atoms_of; /* value -> the numbers of its atoms, a list */
  NrMap contents; /* tensor of integers -> what is known of its elements */
  NR_VEC(NrAtom) atoms;
  NR_VEC(NrFact) facts;
  uint64_t num_facts; /* that ever were */
  NR_VEC(NrCondition) conditions; /* that hold, and say something once more is known */
  int steps, searches, nesting;
  bool opening, fitting;
  bool used_facts, gave_up; /* while a sum is made: facts had to show that it does not wrap; they did not */
};

/* The same with the help of facts, in few steps. */
bool nr_prover_fits_by_facts(NrProver *p, const NrSum *x, int64_t min, int64_t max);
/* The sum surely lies between the two. */
bool nr_prover_fits(const NrProver *p, const NrSum *x, int64_t min, int64_t max);
/* A condition that holds says that this arith.mulsi_extended did not wrap. */
bool nr_prover_product_fits(const NrProver *p, const NrOp *mul);
bool nr_prover_constant_bool(const NrValue *value, bool *out);

#endif
