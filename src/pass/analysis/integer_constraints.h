/* integer_constraints.h - systems of linear equalities over integers, and whether they can have a solution. */
#ifndef NORIA_PASS_ANALYSIS_INTEGER_CONSTRAINTS_H
#define NORIA_PASS_ANALYSIS_INTEGER_CONSTRAINTS_H

#include "ir/ir.h"

enum { NR_MAX_UNKNOWNS = 64, NR_MAX_EQUALITIES = 48 };

/* One of two kinds. Those that count (iterations, distances, sizes, remainders) are whole numbers in a range, small
 * enough that what equalities make of them does not wrap around 64 bits, or a system that says so is not believed.
 * The others stand for any value of 64 bits, whose multiples wrap. */
typedef struct NrUnknown {
  const void *key; /* what it stands for, with number and side: equal ones are one unknown */
  int number, side;
  bool counts;
  bool of_any_step; /* in units of 1 of a step that is not known */
  bool kept;        /* asked for: not put in terms of others */
  int64_t min, max; /* -NR_FAR and NR_FAR: no limit */
} NrUnknown;
#define NR_FAR INT64_MAX

typedef struct NrEquality {
  int64_t factors[NR_MAX_UNKNOWNS], constant; /* the sum is 0, as numbers of 64 bits that wrap */
  bool exact;                                 /* and as whole numbers */
} NrEquality;

typedef struct NrConstraints {
  uint32_t num_unknowns, num_equalities;
  NrUnknown unknowns[NR_MAX_UNKNOWNS];
  NrEquality equalities[2 * NR_MAX_EQUALITIES]; /* behind those given are those that follow */
} NrConstraints;

/* The number of the unknown, which is added when it is not there (*out_new), with no limits; -1: no room. */
int nr_constraints_unknown(NrConstraints *s, const void *key, int number, int side, bool *out_new);
/* Adds a copy. A system without room for it leaves it out, which only makes answers less sharp. */
void nr_constraints_add(NrConstraints *s, const NrEquality *eq);
/* eq += factor * unknown, or factor * other; false when a number does not fit. */
bool nr_equality_add(NrEquality *eq, uint32_t unknown, int64_t factor);
bool nr_equality_add_constant(NrEquality *eq, int64_t factor, int64_t constant);
bool nr_equality_add_scaled(NrEquality *eq, const NrEquality *other, int64_t factor);

/* False is sure: there is no solution. Narrows the ranges and adds equalities. */
bool nr_constraints_may_hold(NrConstraints *s);

#endif
