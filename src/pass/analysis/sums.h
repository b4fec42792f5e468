/* sums.h - sums of products of unknown integers: what the prover (prover.h) calculates with.
 *
 * An unknown ("atom") is a number; prover.c knows which value or size of the program it stands for. The arithmetic is
 * that of whole numbers: a sum never wraps. A sum that would have too many terms, or whose factors do not fit 64 bits,
 * is not known, and neither is what is made of it. */
#ifndef NORIA_PASS_ANALYSIS_SUMS_H
#define NORIA_PASS_ANALYSIS_SUMS_H

#include "base/base.h"

enum { NR_SUM_TERMS = 12, NR_SUM_DEGREE = 6 };

/* factor * the product of its atoms, which are sorted; one atom may stand in it several times. */
typedef struct NrTerm {
  int64_t factor;
  uint32_t degree;
  uint32_t atoms[NR_SUM_DEGREE];
} NrTerm;

typedef struct NrSum {
  bool known;
  uint32_t num_terms; /* sorted by their atoms; no factor is 0 */
  int64_t constant;
  NrTerm terms[NR_SUM_TERMS];
} NrSum;

NrSum nr_sum_constant(int64_t c);
NrSum nr_sum_atom(uint32_t atom);
/* x + factor * y */
NrSum nr_sum_add(const NrSum *x, int64_t factor, const NrSum *y);
NrSum nr_sum_add_constant(const NrSum *x, int64_t c);
NrSum nr_sum_mul(const NrSum *x, const NrSum *y);
/* The sum with another in the place of an atom. */
NrSum nr_sum_replace(const NrSum *x, uint32_t atom, const NrSum *by);
bool nr_sum_has(const NrSum *x, uint32_t atom);
static inline bool nr_sum_is_constant(const NrSum *x, int64_t c) {
  return x->known && x->num_terms == 0 && x->constant == c;
}
/* Whether t's atoms are among those of whole; the others become *out_rest, a term of factor 1. */
bool nr_term_divides(const NrTerm *t, const NrTerm *whole, NrTerm *out_rest);
NrSum nr_sum_of_term(const NrTerm *t);

#endif
