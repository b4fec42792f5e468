/* sums.c - arithmetic on sums of products; see sums.h. */
#include "pass/analysis/sums.h"

static const NrSum unknown = {0};

NrSum nr_sum_constant(int64_t c) { return (NrSum){.known = true, .constant = c}; }

NrSum nr_sum_atom(uint32_t atom) {
  return (NrSum){.known = true, .num_terms = 1, .terms = {{.factor = 1, .degree = 1, .atoms = {atom}}}};
}

NrSum nr_sum_of_term(const NrTerm *t) {
  if (t->degree == 0) return nr_sum_constant(t->factor);
  return (NrSum){.known = true, .num_terms = 1, .terms = {*t}};
}

static int compare(const NrTerm *x, const NrTerm *y) {
  if (x->degree != y->degree) return x->degree < y->degree ? -1 : 1;
  return memcmp(x->atoms, y->atoms, x->degree * sizeof *x->atoms);
}

NrSum nr_sum_add(const NrSum *x, int64_t factor, const NrSum *y) {
  NrSum out = {.known = true};
  int64_t scaled;
  if (!x->known || !y->known || !nr_mul_i64(factor, y->constant, &scaled) ||
      !nr_add_i64(x->constant, scaled, &out.constant))
    return unknown;
  for (uint32_t i = 0, k = 0; i < x->num_terms || k < y->num_terms;) {
    int order = i == x->num_terms ? 1 : k == y->num_terms ? -1 : compare(&x->terms[i], &y->terms[k]);
    NrTerm t = order <= 0 ? x->terms[i] : y->terms[k];
    if (order > 0) t.factor = 0;
    if (order >= 0 && (!nr_mul_i64(factor, y->terms[k].factor, &scaled) || !nr_add_i64(t.factor, scaled, &t.factor)))
      return unknown;
    i += order <= 0;
    k += order >= 0;
    if (t.factor == 0) continue;
    if (out.num_terms == NR_SUM_TERMS) return unknown;
    out.terms[out.num_terms++] = t;
  }
  return out;
}

NrSum nr_sum_add_constant(const NrSum *x, int64_t c) {
  NrSum y = nr_sum_constant(c);
  return nr_sum_add(x, 1, &y);
}

/* Multiplies two terms; false when the product has too many factors. */
static bool multiply(const NrTerm *x, const NrTerm *y, NrTerm *out) {
  *out = (NrTerm){0};
  if (x->degree + y->degree > NR_SUM_DEGREE || !nr_mul_i64(x->factor, y->factor, &out->factor)) return false;
  for (uint32_t i = 0, k = 0; i < x->degree || k < y->degree;) {
    bool first = k == y->degree || (i < x->degree && x->atoms[i] <= y->atoms[k]);
    out->atoms[out->degree++] = first ? x->atoms[i++] : y->atoms[k++];
  }
  return true;
}

NrSum nr_sum_mul(const NrSum *x, const NrSum *y) {
  if (!x->known || !y->known) return unknown;
  NrSum zero = nr_sum_constant(0), out = nr_sum_add(&zero, x->constant, y);
  for (uint32_t i = 0; i < x->num_terms && out.known; i++) {
    NrSum plain = nr_sum_of_term(&x->terms[i]);
    out = nr_sum_add(&out, y->constant, &plain);
    for (uint32_t k = 0; k < y->num_terms && out.known; k++) {
      NrTerm t;
      if (!multiply(&x->terms[i], &y->terms[k], &t)) return unknown;
      NrSum product = nr_sum_of_term(&t);
      out = nr_sum_add(&out, 1, &product);
    }
  }
  return out;
}

bool nr_sum_has(const NrSum *x, uint32_t atom) {
  for (uint32_t i = 0; i < x->num_terms; i++)
    for (uint32_t k = 0; k < x->terms[i].degree; k++)
      if (x->terms[i].atoms[k] == atom) return true;
  return false;
}

bool nr_sum_equal(const NrSum *x, const NrSum *y) {
  if (x->constant != y->constant || x->num_terms != y->num_terms) return false;
  for (uint32_t i = 0; i < x->num_terms; i++)
    if (x->terms[i].factor != y->terms[i].factor || compare(&x->terms[i], &y->terms[i]) != 0) return false;
  return true;
}

NrSum nr_sum_replace(const NrSum *x, uint32_t atom, const NrSum *by) {
  if (!x->known) return unknown;
  NrSum out = nr_sum_constant(x->constant);
  for (uint32_t i = 0; i < x->num_terms && out.known; i++) {
    NrSum product = nr_sum_constant(x->terms[i].factor);
    for (uint32_t k = 0; k < x->terms[i].degree; k++) {
      NrSum factor = x->terms[i].atoms[k] == atom ? *by : nr_sum_atom(x->terms[i].atoms[k]);
      product = nr_sum_mul(&product, &factor);
    }
    out = nr_sum_add(&out, 1, &product);
  }
  return out;
}

bool nr_term_divides(const NrTerm *t, const NrTerm *whole, NrTerm *out_rest) {
  *out_rest = (NrTerm){.factor = 1};
  uint32_t i = 0;
  for (uint32_t k = 0; k < whole->degree; k++)
    if (i < t->degree && t->atoms[i] == whole->atoms[k]) i++;
    else out_rest->atoms[out_rest->degree++] = whole->atoms[k];
  return i == t->degree;
}
