/* dependence_test.h - a dependence test as a system of integer equalities; shared by the files that build it.
 *
 * Side 0 is access a, side 1 access b; a value that is the same for both has side 2. */
#ifndef NORIA_PASS_ANALYSIS_DEPENDENCE_TEST_H
#define NORIA_PASS_ANALYSIS_DEPENDENCE_TEST_H

#include "pass/analysis/dependence.h"

enum { NR_MAX_LISTED = 8, NR_MAX_QUOTIENTS = 8 };

/* sum = divisor * quotient + remainder, where 0 <= remainder < divisor */
typedef struct NrQuotient {
  NrEquality sum;
  int64_t divisor;
  uint32_t unknown;
} NrQuotient;

typedef struct NrDependenceTest {
  const NrMemAccess *a, *b;
  const NrDistance *listed;
  size_t num_listed;
  NrQuotient quotients[NR_MAX_QUOTIENTS];
  size_t num_quotients;
  NrConstraints
      constraints; /* unknowns of listed loop i: 3i is the iteration of a, 3i + 1 the distance, 3i + 2 that of b */
} NrDependenceTest;

static inline NrOp *nr_loop_of_iv(const NrValue *iv) { return nr_block_parent_op(iv->block); }

/* Adds the listed loops. *out_possible: whether they have iterations at these distances. False: unknown kind of
 * loop. */
bool nr_dependence_add_loops(NrDependenceTest *t, bool *out_possible);
/* Whether a value is the same when a runs and when b does. */
bool nr_dependence_is_same(const NrDependenceTest *t, const NrValue *value);
/* eq += factor * value on that side. False: too many unknowns, or overflow. */
bool nr_dependence_add_value(NrDependenceTest *t, NrEquality *eq, NrValue *value, int side, int64_t factor);
/* eq += factor * result i of a map over op's operands from number `first` on. */
bool nr_dependence_add_result(NrDependenceTest *t, NrEquality *eq, NrAttr map, uint32_t i, const NrOp *op, size_t first,
                              int side, int64_t factor);
/* The unknown for key, number and side, in the range 0 to size - 1 (NR_DYNAMIC: no upper limit). -1: too many
 * unknowns. */
int nr_dependence_unknown(NrDependenceTest *t, const void *key, int number, int side, int64_t size);
/* Adds the equalities of indices that hold if a and b touch the same element (access_origins.c). */
void nr_dependence_add_locations(NrDependenceTest *t);
/* Adds equalities for two equal indices of the form row * length + rest with a dynamic length (delinearize.c). */
void nr_dependence_delinearize(NrDependenceTest *t, NrValue *a, NrValue *b);

#endif
