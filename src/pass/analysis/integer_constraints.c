/* integer_constraints.c - decides whether a system of linear equalities over integers may have a solution; see
 * integer_constraints.h.
 *
 * Every equality narrows the ranges of its unknowns, to a fixed point (at most MAX_ROUNDS). An empty range, or a
 * constant that the GCD of the factors does not divide, proves that there is no solution. Otherwise unknowns are
 * eliminated, those with the widest ranges first, and the resulting equalities are tested likewise:
 *
 *   i = 4q + r, j = 4q + r    gives    i - j = 0 */
#include "pass/analysis/integer_constraints.h"

enum { MAX_ROUNDS = 6 };
/* Limits under which a sum is assumed not to wrap. */
#define HUGE_NUMBER (INT64_C(1) << 61)
#define LARGEST_FACTOR (INT64_C(1) << 20)

/* ---- building ---------------------------------------------------------------------------------------------------- */

int nr_constraints_unknown(NrConstraints *s, const void *key, int number, int side, bool *out_new) {
  *out_new = false;
  for (uint32_t i = 0; i < s->num_unknowns; i++) {
    const NrUnknown *x = &s->unknowns[i];
    if (x->key == key && x->number == number && x->side == side) return (int)i;
  }
  if (s->num_unknowns == NR_MAX_UNKNOWNS) return -1;
  *out_new = true;
  s->unknowns[s->num_unknowns] =
      (NrUnknown){.key = key, .number = number, .side = side, .min = -NR_FAR, .max = NR_FAR};
  return (int)s->num_unknowns++;
}

void nr_constraints_add(NrConstraints *s, const NrEquality *eq) {
  if (s->num_equalities < NR_MAX_EQUALITIES) s->equalities[s->num_equalities++] = *eq;
}

bool nr_equality_add(NrEquality *eq, uint32_t unknown, int64_t factor) {
  return nr_add_i64(eq->factors[unknown], factor, &eq->factors[unknown]);
}

bool nr_equality_add_constant(NrEquality *eq, int64_t factor, int64_t constant) {
  int64_t product;
  return nr_mul_i64(factor, constant, &product) && nr_add_i64(eq->constant, product, &eq->constant);
}

bool nr_equality_add_scaled(NrEquality *eq, const NrEquality *other, int64_t factor) {
  int64_t product;
  for (uint32_t i = 0; i < NR_MAX_UNKNOWNS; i++)
    if (other->factors[i] &&
        (!nr_mul_i64(other->factors[i], factor, &product) || !nr_equality_add(eq, i, product)))
      return false;
  return nr_equality_add_constant(eq, factor, other->constant);
}

/* ---- wrapping ---------------------------------------------------------------------------------------------------- */

/* Whether eq only compares one variable with itself. With an unknown step, a few iterations may wrap around 64 bits;
 * such an equality is still valid. */
static bool compares_alone(const NrConstraints *s, const NrEquality *eq, uint32_t unknown) {
  if (eq->constant || (eq->factors[unknown] != 1 && eq->factors[unknown] != -1)) return false;
  for (uint32_t i = 0; i < s->num_unknowns; i++) {
    const NrUnknown *x = &s->unknowns[i];
    if (i != unknown && eq->factors[i] && (x->min != 0 || x->max != 0)) return false;
  }
  return true;
}

/* Whether the terms are so small that their sum cannot wrap, so that the equality holds for integers. */
static bool cannot_wrap(const NrConstraints *s, const NrEquality *eq) {
  int64_t sum = eq->constant < 0 ? -(eq->constant + 1) : eq->constant;
  for (uint32_t i = 0; i < s->num_unknowns; i++) {
    const NrUnknown *x = &s->unknowns[i];
    int64_t factor = eq->factors[i], reach;
    if (!factor || !x->counts || (x->min == 0 && x->max == 0)) continue;
    if (x->of_any_step) {
      if (!compares_alone(s, eq, i)) return false;
    } else if (x->min != -NR_FAR && x->max != NR_FAR) {
      if (factor == INT64_MIN || !nr_mul_i64(factor < 0 ? -factor : factor, NR_MAX(x->max, -x->min), &reach))
        return false;
      if (reach > 0 && !nr_add_i64(sum, reach, &sum)) return false;
    } else if (factor > LARGEST_FACTOR || factor < -LARGEST_FACTOR) {
      return false;
    }
  }
  return sum <= HUGE_NUMBER;
}

/* ---- narrowing --------------------------------------------------------------------------------------------------- */

/* The multiples mod 2^64 of factor times an arbitrary 64-bit value are those of the largest power of 2 in factor. */
static int64_t power_of_two_in(int64_t factor) {
  uint64_t f = (uint64_t)factor;
  return (int64_t)(f & -f) > 0 ? (int64_t)(f & -f) : 1;
}

static bool divisor_allows(const NrConstraints *s, const NrEquality *eq) {
  int64_t divisor = 0, constant = eq->constant, product;
  for (uint32_t i = 0; i < s->num_unknowns; i++) {
    const NrUnknown *x = &s->unknowns[i];
    int64_t factor = eq->factors[i];
    if (!factor) continue;
    if (x->min == x->max) {
      if (!nr_mul_i64(factor, x->min, &product) || !nr_add_i64(constant, product, &constant)) return true;
      continue;
    }
    bool free = !x->counts;
    divisor = (int64_t)nr_gcd((uint64_t)divisor, nr_magnitude(free ? power_of_two_in(factor) : factor));
  }
  return divisor == 0 ? constant == 0 : constant % divisor == 0;
}

/* An interval of sums whose ends may be infinite. */
typedef struct Span {
  int64_t min, max;
  uint32_t min_infinite, max_infinite; /* terms unbounded on that side */
  bool overflow;
} Span;

static void span_add(Span *s, int64_t factor, const NrUnknown *x, int sign) {
  bool min_limited = x->min != -NR_FAR, max_limited = x->max != NR_FAR;
  bool low_limited = factor > 0 ? min_limited : max_limited, high_limited = factor > 0 ? max_limited : min_limited;
  int64_t low = 0, high = 0;
  if (low_limited) s->overflow |= !nr_mul_i64(factor, factor > 0 ? x->min : x->max, &low);
  if (high_limited) s->overflow |= !nr_mul_i64(factor, factor > 0 ? x->max : x->min, &high);
  s->overflow |= !nr_mul_i64(low, sign, &low) || !nr_mul_i64(high, sign, &high);
  s->overflow |= !nr_add_i64(s->min, low, &s->min) || !nr_add_i64(s->max, high, &s->max);
  if (!low_limited) s->min_infinite += (uint32_t)sign;
  if (!high_limited) s->max_infinite += (uint32_t)sign;
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
static int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0 && (a < 0) == (b < 0)); }

/* Narrows x by factor * x = -rest for a rest in the span; false when the range becomes empty. */
static bool narrow(NrUnknown *x, int64_t factor, const Span *rest, bool *changed) {
  int64_t min = x->min, max = x->max;
  bool rest_above = !rest->max_infinite, rest_below = !rest->min_infinite;
  if (rest->overflow || rest->min == INT64_MIN || rest->max == INT64_MIN) return true;
  /* factor * x is at least -rest.max and at most -rest.min */
  if (factor > 0) {
    if (rest_above) min = NR_MAX(min, ceil_div(-rest->max, factor));
    if (rest_below) max = NR_MIN(max, floor_div(-rest->min, factor));
  } else {
    if (rest_above) max = NR_MIN(max, floor_div(-rest->max, factor));
    if (rest_below) min = NR_MAX(min, ceil_div(-rest->min, factor));
  }
  if (min > max) return false;
  *changed |= min != x->min || max != x->max;
  x->min = min;
  x->max = max;
  return true;
}

static bool narrow_all(NrConstraints *s, const NrEquality *eq, bool *changed) {
  Span whole = {0};
  for (uint32_t i = 0; i < s->num_unknowns; i++)
    if (eq->factors[i]) span_add(&whole, eq->factors[i], &s->unknowns[i], 1);
  bool any = !nr_add_i64(whole.min, eq->constant, &whole.min) || !nr_add_i64(whole.max, eq->constant, &whole.max);
  if (any || whole.overflow) return true;
  if ((!whole.min_infinite && whole.min > 0) || (!whole.max_infinite && whole.max < 0)) return false;
  for (uint32_t i = 0; i < s->num_unknowns; i++) {
    NrUnknown before = s->unknowns[i];
    if (!eq->factors[i]) continue;
    /* Unknowns that are not counting ones may wrap, so they are not narrowed. */
    if (!before.counts) continue;
    Span rest = whole;
    span_add(&rest, eq->factors[i], &before, -1);
    if (!narrow(&s->unknowns[i], eq->factors[i], &rest, changed)) return false;
    span_add(&rest, eq->factors[i], &s->unknowns[i], 1);
    whole = rest;
  }
  return true;
}

/* Narrows by the equalities from `begin` on that cannot wrap. */
static bool narrow_from(NrConstraints *s, uint32_t begin) {
  bool believed[NR_COUNTOF(s->equalities)], changed = true;
  for (uint32_t i = begin; i < s->num_equalities; i++)
    believed[i] = s->equalities[i].exact || cannot_wrap(s, &s->equalities[i]);
  for (int round = 0; round < MAX_ROUNDS && changed; round++) {
    changed = false;
    for (uint32_t i = begin; i < s->num_equalities; i++)
      if (believed[i] && (!narrow_all(s, &s->equalities[i], &changed) || !divisor_allows(s, &s->equalities[i])))
        return false;
  }
  return true;
}

/* ---- elimination ------------------------------------------------------------------------------------------------- */

/* Uncertainty of an unknown; the widest is eliminated first. */
static uint64_t width(const NrUnknown *x) {
  if (!x->counts) return UINT64_MAX;
  if (x->min == -NR_FAR || x->max == NR_FAR) return UINT64_MAX - 1;
  return (uint64_t)x->max - (uint64_t)x->min;
}

typedef struct Pivot {
  uint32_t equality, unknown;
} Pivot;

/* Finds the widest unknown with factor 1 or -1 in an equality that is not done. */
static bool find_pivot(const NrConstraints *s, uint32_t begin, const bool *done, Pivot *out) {
  bool found = false;
  for (uint32_t i = begin; i < s->num_equalities; i++)
    for (uint32_t k = 0; k < s->num_unknowns && !done[i]; k++) {
      int64_t factor = s->equalities[i].factors[k];
      if ((factor != 1 && factor != -1) || s->unknowns[k].kept) continue;
      if (found && width(&s->unknowns[k]) <= width(&s->unknowns[out->unknown])) continue;
      *out = (Pivot){i, k};
      found = true;
    }
  return found;
}

/* Appends copies of all equalities and eliminates unknowns from them as far as possible. On overflow, an equality is
 * restored. */
static void eliminate(NrConstraints *s) {
  bool done[NR_COUNTOF(s->equalities)] = {false};
  uint32_t begin = s->num_equalities;
  Pivot pivot = {0};
  for (uint32_t i = 0; i < begin; i++) s->equalities[s->num_equalities++] = s->equalities[i];
  while (find_pivot(s, begin, done, &pivot)) {
    const NrEquality *by = &s->equalities[pivot.equality];
    done[pivot.equality] = true;
    for (uint32_t i = begin; i < s->num_equalities; i++) {
      NrEquality sum = s->equalities[i];
      int64_t factor = sum.factors[pivot.unknown], times;
      if (i == pivot.equality || !factor) continue;
      sum.exact = sum.exact && by->exact;
      bool fits = nr_mul_i64(factor, -by->factors[pivot.unknown], &times) && nr_equality_add_scaled(&sum, by, times);
      s->equalities[i] = fits ? sum : s->equalities[i - begin];
      done[i] |= !fits;
    }
  }
}

bool nr_constraints_may_hold(NrConstraints *s) {
  uint32_t given = s->num_equalities;
  if (!narrow_from(s, 0)) return false;
  eliminate(s);
  return narrow_from(s, given) && narrow_from(s, 0);
}
