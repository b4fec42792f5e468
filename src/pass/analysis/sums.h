/* sums.h - sums of products of unknown integers, for the prover (prover.h).
 *
 * An unknown ("atom") is a number, which the prover maps to a value or size of the program. Sums are mathematical
 * integers and never wrap. A sum with too many terms, or with a factor that does not fit 64 bits, is unknown, and so is
 * all arithmetic on it. */
#ifndef NORIA_PASS_ANALYSIS_SUMS_H
#define NORIA_PASS_ANALYSIS_SUMS_H

#include "base/base.h"

enum { NR_SUM_TERMS = 12, NR_SUM_DEGREE = 6 };

/* factor * the product of its atoms, which are sorted; an atom may occur several times. */
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
/* Substitutes a sum for an atom. */
NrSum nr_sum_replace(const NrSum *x, uint32_t atom, const NrSum *by);
bool nr_sum_has(const NrSum *x, uint32_t atom);
/* Whether two known sums are the same. */
bool nr_sum_equal(const NrSum *x, const NrSum *y);
static inline bool nr_sum_is_constant(const NrSum *x, int64_t c) {
  return x->known && x->num_terms == 0 && x->constant == c;
}
/* Whether t's atoms are among whole's; *out_rest gets the others, with factor 1. */
bool nr_term_divides(const NrTerm *t, const NrTerm *whole, NrTerm *out_rest);
NrSum nr_sum_of_term(const NrTerm *t);

#endif
