/* integer_constraints.h - systems of linear equalities over bounded integers, and whether they may have a solution. */
#ifndef NORIA_PASS_ANALYSIS_INTEGER_CONSTRAINTS_H
#define NORIA_PASS_ANALYSIS_INTEGER_CONSTRAINTS_H

#include "ir/ir.h"

enum { NR_MAX_UNKNOWNS = 64, NR_MAX_EQUALITIES = 48 };

/* There are two kinds. Counting unknowns (iterations, distances, sizes, remainders) are integers in a range; an
 * equality in which they could overflow 64 bits is ignored. The others are arbitrary 64-bit values, whose multiples
 * wrap. */
typedef struct NrUnknown {
  const void *key; /* identifies the unknown, with number and side */
  int number, side;
  bool counts;
  bool of_any_step; /* counts in units of 1 because the loop's step is not known */
  bool kept;        /* never eliminated */
  int64_t min, max; /* -NR_FAR and NR_FAR: unbounded */
} NrUnknown;
#define NR_FAR INT64_MAX

typedef struct NrEquality {
  int64_t factors[NR_MAX_UNKNOWNS], constant; /* the sum is 0 in wrapping 64-bit arithmetic */
  bool exact;                                 /* and without wrapping */
} NrEquality;

typedef struct NrConstraints {
  uint32_t num_unknowns, num_equalities;
  NrUnknown unknowns[NR_MAX_UNKNOWNS];
  NrEquality equalities[2 * NR_MAX_EQUALITIES]; /* the given ones, then those after elimination */
} NrConstraints;

/* The index of the unknown; adds it, unbounded, when it is new (*out_new). -1: too many unknowns. */
int nr_constraints_unknown(NrConstraints *s, const void *key, int number, int side, bool *out_new);
/* Adds a copy. A full system drops it, which only makes the answer less precise. */
void nr_constraints_add(NrConstraints *s, const NrEquality *eq);
/* eq += factor * unknown, constant or other; false on overflow. */
bool nr_equality_add(NrEquality *eq, uint32_t unknown, int64_t factor);
bool nr_equality_add_constant(NrEquality *eq, int64_t factor, int64_t constant);
bool nr_equality_add_scaled(NrEquality *eq, const NrEquality *other, int64_t factor);

/* False: proven to have no solution. Narrows the ranges and adds equalities. */
bool nr_constraints_may_hold(NrConstraints *s);

#endif
