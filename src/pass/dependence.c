/* dependence.c - whether two accesses may meet at given distances; see dependence.h.
 *
 * "Both indices are equal" is one equation a dim over unknowns: for each listed loop the iteration T of a and the
 * distance D to that of b, E = T + D, which has a range of its own; the positions in other loops and values that change
 * stand for themselves, once for a and once for b. Values that are the same for both cancel. The range of each unknown
 * is narrowed by every equation until nothing changes; an empty range, or a constant that is no multiple of the
 * factors' common divisor, says that the two never meet. */
#include "pass/dependence.h"

enum { MAX_UNKNOWNS = 48, MAX_LISTED = 8, MAX_ROUNDS = 6, MAX_NEST = 16, MAX_ACCESSES = 512 };
/* Bounds of what is believed not to wrap: see the head of dependence.h. */
#define HUGE_NUMBER (INT64_C(1) << 61)
#define LARGEST_FACTOR (INT64_C(1) << 20)

typedef struct Unknown {
  const NrValue *value; /* NULL for those of the listed loops */
  int side;             /* 0: as a sees it, 1: as b does, 2: the same for both */
  bool counts;          /* iterations of a loop, one after another */
  bool of_any_step;     /* in units of 1 of a step that is not known */
  int64_t min, max;     /* -NR_FAR and NR_FAR: no limit */
} Unknown;

typedef struct Equation {
  int64_t factors[MAX_UNKNOWNS], constant; /* the sum is 0 */
} Equation;

typedef struct Problem {
  const NrMemAccess *a, *b;
  const NrDistance *listed;
  size_t num_listed;
  Unknown unknowns[MAX_UNKNOWNS]; /* of listed loop i: 3i is T, 3i + 1 is D, 3i + 2 is E */
  uint32_t num_unknowns;
} Problem;

static NrOp *loop_of(const NrValue *iv) { return nr_block_parent_op(iv->block); }

/* ---- what is the same for both ----------------------------------------------------------------------------------- */

/* Whether an op may run its regions, or parts of them, more than once. */
static bool repeats(const NrOp *op) {
  if (nr_op_has(op, NR_LOOP) || !nr_op_has(op, NR_RECURSIVE_EFFECTS)) return true;
  for (uint32_t r = 0; r < op->num_regions; r++)
    if (op->regions[r].first != op->regions[r].last) return true;
  return false;
}

/* op, which may repeat, is in one and the same run of its regions for a and b. */
static bool runs_once(const Problem *p, const NrOp *op) {
  bool listed = false, around_all = p->num_listed > 0;
  for (size_t i = 0; i < p->num_listed; i++) {
    const NrDistance *d = &p->listed[i];
    bool here = loop_of(d->iv_a) == op || loop_of(d->iv_b) == op;
    if (here && (d->iv_a != d->iv_b || d->min != 0 || d->max != 0)) return false;
    listed |= here;
    around_all &= !here && nr_op_is_ancestor(op, loop_of(d->iv_a)) && nr_op_is_ancestor(op, loop_of(d->iv_b));
  }
  if (listed) {
    /* All dims of a parallel loop must be listed to fix its point. */
    size_t dims = 0;
    for (size_t i = 0; i < p->num_listed; i++) dims += loop_of(p->listed[i].iv_a) == op;
    return !nr_op_is(op, NR_OP_scf_parallel) || dims == nr_op_body(op, 0)->num_args;
  }
  return around_all || (p->num_listed == 0 && nr_op_is_ancestor(op, p->a->op) && nr_op_is_ancestor(op, p->b->op));
}

static bool is_same_for_both(const Problem *p, const NrValue *value) {
  for (NrOp *up = nr_block_parent_op(nr_value_block(value)); up && !nr_op_has(up, NR_ISOLATED); up = nr_op_parent(up))
    if (repeats(up) && !runs_once(p, up)) return false;
  return true;
}

/* ---- equations --------------------------------------------------------------------------------------------------- */

static bool add_factor(Equation *eq, uint32_t unknown, int64_t factor) {
  return nr_add_i64(eq->factors[unknown], factor, &eq->factors[unknown]);
}

static int find_unknown(Problem *p, const NrValue *value, int side) {
  for (uint32_t i = 0; i < p->num_unknowns; i++)
    if (p->unknowns[i].value == value && p->unknowns[i].side == side) return (int)i;
  if (p->num_unknowns == MAX_UNKNOWNS) return -1;
  p->unknowns[p->num_unknowns] = (Unknown){.value = value, .side = side, .min = -NR_FAR, .max = NR_FAR};
  return (int)p->num_unknowns++;
}

static int listed_number(const Problem *p, const NrValue *iv, int side) {
  for (size_t i = 0; i < p->num_listed; i++)
    if (iv == (side == 0 ? p->listed[i].iv_a : p->listed[i].iv_b)) return (int)i;
  return -1;
}

static bool known_step(const NrLoopRange *range, int64_t *out) {
  return nr_value_constant_int(range->step, out) && *out > 0;
}

static bool add_sum(Problem *p, Equation *eq, NrValue *value, int side, int64_t factor, int depth);

/* The lower bound as the loop compares: an induction variable narrower than index is extended like this. */
static bool add_lower(Problem *p, Equation *eq, const NrLoopRange *range, int side, int64_t factor, int depth) {
  int64_t constant, product;
  uint32_t bits = nr_type_bits(range->lower->type);
  if (!range->is_unsigned || bits >= 64 || !nr_value_constant_int(range->lower, &constant))
    return add_sum(p, eq, range->lower, side, factor, depth + 1);
  constant &= (int64_t)((UINT64_C(1) << bits) - 1);
  return nr_mul_i64(constant, factor, &product) && nr_add_i64(eq->constant, product, &eq->constant);
}

/* Number n of a listed loop: lower + step * T for a, lower + step * (T + D) for b. */
static bool add_listed(Problem *p, Equation *eq, int n, int side, int64_t factor, int depth) {
  NrLoopRange range;
  int64_t step, scaled;
  if (!nr_loop_range(p->listed[n].iv_a, &range)) return false;
  if (!known_step(&range, &step)) step = 1;
  return nr_mul_i64(factor, step, &scaled) && add_factor(eq, (uint32_t)(3 * n), scaled) &&
         (side == 0 || add_factor(eq, (uint32_t)(3 * n + 1), scaled)) && add_lower(p, eq, &range, side, factor, depth);
}

static bool add_term(Problem *p, Equation *eq, NrValue *value, int side, int64_t factor, int depth) {
  NrLoopRange range;
  uint64_t trips;
  int64_t step, scaled;
  int n = listed_number(p, value, side);
  if (depth > MAX_NEST) return false;
  if (n >= 0) return add_listed(p, eq, n, side, factor, depth);
  bool same = is_same_for_both(p, value);
  int unknown = find_unknown(p, value, same ? 2 : side);
  if (unknown < 0) return false;
  if (same || !nr_loop_range(value, &range) || !known_step(&range, &step) || !nr_mul_i64(factor, step, &scaled))
    return add_factor(eq, (uint32_t)unknown, factor);
  bool known = nr_loop_range_trips(&range, &trips) && trips <= (uint64_t)HUGE_NUMBER;
  if (known && trips == 0) known = false; /* its body never runs: any answer is right */
  p->unknowns[unknown].counts = true;
  p->unknowns[unknown].min = 0;
  p->unknowns[unknown].max = known ? (int64_t)trips - 1 : NR_FAR;
  return add_factor(eq, (uint32_t)unknown, scaled) && add_lower(p, eq, &range, side, factor, depth);
}

static bool add_sum(Problem *p, Equation *eq, NrValue *value, int side, int64_t factor, int depth) {
  NrLinear sum;
  int64_t product;
  nr_linear_of(value, &sum);
  if (!nr_mul_i64(sum.constant, factor, &product) || !nr_add_i64(eq->constant, product, &eq->constant)) return false;
  for (uint32_t i = 0; i < sum.num_terms; i++)
    if (!nr_mul_i64(sum.terms[i].factor, factor, &product) ||
        !add_term(p, eq, sum.terms[i].value, side, product, depth))
      return false;
  return true;
}

/* With a step that is not known, a few iterations can go once around. One variable alone still does not meet itself. */
static bool compares_alone(const Problem *p, const Equation *eq, uint32_t unknown) {
  if (eq->constant || (eq->factors[unknown] != 1 && eq->factors[unknown] != -1)) return false;
  for (uint32_t i = 0; i < p->num_unknowns; i++) {
    const Unknown *x = &p->unknowns[i];
    if (i != unknown && eq->factors[i] && (x->min != 0 || x->max != 0)) return false;
  }
  return true;
}

/* No sum of terms that are so small comes around the 64 bits, so that equal means equal as whole numbers. */
static bool cannot_wrap(const Problem *p, const Equation *eq) {
  if (eq->constant > HUGE_NUMBER || eq->constant < -HUGE_NUMBER) return false;
  for (uint32_t i = 0; i < p->num_unknowns; i++) {
    const Unknown *x = &p->unknowns[i];
    int64_t factor = eq->factors[i], reach;
    if (!factor || !x->counts || (x->min == 0 && x->max == 0)) continue;
    if (x->of_any_step) {
      if (!compares_alone(p, eq, i)) return false;
    } else if (x->min != -NR_FAR && x->max != NR_FAR) {
      if (!nr_mul_i64(factor, NR_MAX(x->max, -x->min), &reach) || reach > HUGE_NUMBER || reach < -HUGE_NUMBER)
        return false;
    } else if (factor > LARGEST_FACTOR || factor < -LARGEST_FACTOR) {
      return false;
    }
  }
  return true;
}

/* ---- narrowing --------------------------------------------------------------------------------------------------- */

static int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

/* A value of 64 bits that is not limited: factor times it reaches all multiples of the power of 2 in factor. */
static int64_t power_of_two_in(int64_t factor) {
  uint64_t f = (uint64_t)factor;
  return (int64_t)(f & -f) > 0 ? (int64_t)(f & -f) : 1;
}

static bool divisor_allows(const Problem *p, const Equation *eq) {
  int64_t divisor = 0, constant = eq->constant, product;
  for (uint32_t i = 0; i < p->num_unknowns; i++) {
    const Unknown *x = &p->unknowns[i];
    int64_t factor = eq->factors[i];
    if (!factor) continue;
    if (x->min == x->max) {
      if (!nr_mul_i64(factor, x->min, &product) || !nr_add_i64(constant, product, &constant)) return true;
      continue;
    }
    bool free = x->value && !x->counts;
    divisor = gcd(divisor, free ? power_of_two_in(factor) : factor);
  }
  return divisor == 0 ? constant == 0 : constant % divisor == 0;
}

/* An interval of sums whose ends may be infinite. */
typedef struct Span {
  int64_t min, max;
  uint32_t min_infinite, max_infinite; /* terms without a limit on that side */
  bool overflow;
} Span;

static void span_add(Span *s, int64_t factor, const Unknown *x, int sign) {
  bool low_limited = (factor > 0 ? x->min : -x->max) != -NR_FAR;
  bool high_limited = (factor > 0 ? x->max : -x->min) != NR_FAR;
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

/* factor * x = -rest for a rest in the span: what x may be. False when there is nothing. */
static bool narrow(Unknown *x, int64_t factor, const Span *rest, bool *changed) {
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

static bool narrow_all(Problem *p, const Equation *eq, bool *changed) {
  Span whole = {0};
  for (uint32_t i = 0; i < p->num_unknowns; i++)
    if (eq->factors[i]) span_add(&whole, eq->factors[i], &p->unknowns[i], 1);
  bool any = !nr_add_i64(whole.min, eq->constant, &whole.min) || !nr_add_i64(whole.max, eq->constant, &whole.max);
  if (any || whole.overflow) return true;
  if ((!whole.min_infinite && whole.min > 0) || (!whole.max_infinite && whole.max < 0)) return false;
  for (uint32_t i = 0; i < p->num_unknowns; i++) {
    Unknown before = p->unknowns[i];
    if (!eq->factors[i]) continue;
    /* Values that are not counted may wrap: they say nothing. */
    if (before.value && !before.counts) continue;
    Span rest = whole;
    span_add(&rest, eq->factors[i], &before, -1);
    if (!narrow(&p->unknowns[i], eq->factors[i], &rest, changed)) return false;
    span_add(&rest, eq->factors[i], &p->unknowns[i], 1);
    whole = rest;
  }
  return true;
}

static bool may_be_solved(Problem *p, const Equation *eqs, size_t count) {
  bool changed = true;
  for (int round = 0; round < MAX_ROUNDS && changed; round++) {
    changed = false;
    for (size_t i = 0; i < count; i++)
      if (!narrow_all(p, &eqs[i], &changed) || !divisor_allows(p, &eqs[i])) return false;
  }
  return true;
}

/* ---- the question ------------------------------------------------------------------------------------------------ */

/* Different indices are different places: row-major, or strides that do not let rows overlap. */
static bool has_places_of_its_own(NrValue *memref) {
  NrType type = memref->type;
  int64_t strides[NR_MAX_RANK], offset;
  uint64_t done = 0;
  int64_t reach = 1; /* what the dims done span: the next stride is no smaller */
  if (type->rank == 0 || nr_memref_is_identity(type)) return true;
  if (nr_op_is(memref->op, NR_OP_memref_cast)) return has_places_of_its_own(nr_operand(memref->op, 0));
  if (nr_op_is(memref->op, NR_OP_memref_subview)) { /* every place of the source at most once, unless a stride is 0 */
    NrAttr steps = nr_op_attr(memref->op, "static_strides");
    bool known = steps && steps->kind == NR_ATTR_DENSE_ARRAY;
    for (size_t i = 0; known && i < steps->data_size / sizeof(int64_t); i++) {
      int64_t step = ((const int64_t *)steps->data)[i];
      known = step != NR_DYNAMIC && step != 0;
    }
    if (known && has_places_of_its_own(nr_operand(memref->op, 0))) return true;
  }
  if (!nr_memref_strides(type, strides, &offset)) return false;
  for (uint32_t n = 0; n < type->rank; n++) {
    int best = -1;
    for (uint32_t d = 0; d < type->rank; d++)
      if (!(done >> d & 1) && strides[d] != NR_DYNAMIC && (best < 0 || strides[d] < strides[best])) best = (int)d;
    if (best < 0 || strides[best] < reach) return false;
    done |= UINT64_C(1) << best;
    if (n + 1 < type->rank && (type->dims[best] == NR_DYNAMIC || !nr_mul_i64(strides[best], type->dims[best], &reach)))
      return false;
    reach = NR_MAX(reach, 1);
  }
  return true;
}

/* Made anew in every iteration of a listed loop in which a and b are not the same. */
static bool is_of_one_iteration(const Problem *p, NrValue *root) {
  if (!nr_op_is(root->op, NR_OP_memref_alloc) && !nr_op_is(root->op, NR_OP_memref_alloca)) return false;
  for (size_t i = 0; i < p->num_listed; i++) {
    const NrDistance *d = &p->listed[i];
    if (d->iv_a == d->iv_b && (d->min > 0 || d->max < 0) && nr_op_is_ancestor(loop_of(d->iv_a), root->op)) return true;
  }
  return false;
}

/* Ranges of T, D and E of the listed loops, and the equations E = T + D. */
static bool list_loops(Problem *p, Equation *eqs, bool *possible) {
  for (size_t i = 0; i < p->num_listed; i++) {
    const NrDistance *d = &p->listed[i];
    NrLoopRange range;
    uint64_t trips;
    int64_t step, min = d->min, max = d->max, last = NR_FAR;
    if (!nr_loop_range(d->iv_a, &range)) return false;
    bool any_step = !known_step(&range, &step);
    if (nr_loop_range_trips(&range, &trips) && trips > 0 && trips <= (uint64_t)HUGE_NUMBER) last = (int64_t)trips - 1;
    if (any_step && max > 0) max = NR_FAR; /* counted in units of 1, of which a step has some */
    if (any_step && min < 0) min = -NR_FAR;
    if (last != NR_FAR) max = NR_MIN(max, last);
    if (last != NR_FAR) min = NR_MAX(min, -last);
    *possible &= min <= max;
    p->unknowns[3 * i] = (Unknown){NULL, 0, true, any_step, 0, last};
    p->unknowns[3 * i + 1] = (Unknown){NULL, 0, true, any_step, min, max};
    p->unknowns[3 * i + 2] = (Unknown){NULL, 1, true, any_step, 0, last};
    eqs[i] = (Equation){0};
    eqs[i].factors[3 * i] = eqs[i].factors[3 * i + 1] = 1;
    eqs[i].factors[3 * i + 2] = -1;
  }
  p->num_unknowns = (uint32_t)(3 * p->num_listed);
  return true;
}

bool nr_may_conflict(const NrMemAccess *a, const NrMemAccess *b, const NrDistance *distances, size_t count) {
  if ((!a->writes && !b->writes) || !nr_may_alias(a->memref, b->memref)) return false;
  for (size_t i = 0; i < count; i++)
    if (distances[i].min > distances[i].max) return false;
  if (count > MAX_LISTED) return true;
  Problem p = {.a = a, .b = b, .listed = distances, .num_listed = count};
  NrValue *root = nr_memref_root(a->memref);
  if (root == nr_memref_root(b->memref) && is_of_one_iteration(&p, root)) return false;
  Equation eqs[MAX_LISTED + MAX_NEST];
  bool possible = true;
  if (!list_loops(&p, eqs, &possible)) return true;
  if (!possible) return false;
  size_t num_eqs = count;
  bool comparable = a->memref == b->memref && is_same_for_both(&p, a->memref) && has_places_of_its_own(a->memref);
  uint32_t rank = comparable && a->num_indices == b->num_indices ? a->num_indices : 0;
  for (uint32_t i = 0; i < rank && num_eqs < NR_COUNTOF(eqs); i++) {
    Equation eq = {0};
    if (!add_sum(&p, &eq, nr_operand(a->op, a->first_index + i), 0, 1, 0)) continue;
    for (uint32_t k = 0; k < p.num_unknowns; k++) eq.factors[k] = -eq.factors[k]; /* b's index - a's index */
    eq.constant = -eq.constant;
    if (!add_sum(&p, &eq, nr_operand(b->op, b->first_index + i), 1, 1, 0) || !cannot_wrap(&p, &eq)) continue;
    eqs[num_eqs++] = eq;
  }
  return may_be_solved(&p, eqs, num_eqs);
}

bool nr_iterations_independent(const NrMemAccesses *list, NrValue *iv) {
  NrDistance later = {iv, iv, 1, NR_FAR};
  if (list->size > MAX_ACCESSES) return false;
  for (size_t i = 0; i < list->size; i++)
    for (size_t j = 0; j < list->size; j++)
      if (nr_may_conflict(&list->data[i], &list->data[j], &later, 1)) return false;
  return true;
}
