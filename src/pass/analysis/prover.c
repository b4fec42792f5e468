/* prover.c - facts about sizes and indices, and the search that proves goals from them; see prover.h. prover_values.c
 * builds the sums. */
#include "pass/analysis/prover_state.h"

#include "dialect/arith/arith.h"
#include "dialect/operands.h"
#include "pass/core/checks.h"

/* Bounds of a search: one that fails would otherwise try all combinations of facts. */
enum { MAX_STEPS = 240, MAX_DEPTH = 7, FEW_STEPS = 40, FEW_DEPTH = 3, MAX_ATTEMPTS = 800 };

NrProver *nr_prover_create(void) {
  NrProver *p = nr_calloc(1, sizeof *p);
  nr_arena_init(&p->arena);
  return p;
}

void nr_prover_destroy(NrProver *p) {
  nr_map_deinit(&p->sums);
  nr_map_deinit(&p->dims);
  nr_map_deinit(&p->contents);
  nr_map_deinit(&p->atoms_of);
  nr_vec_deinit(&p->atoms);
  nr_vec_deinit(&p->dependences);
  nr_vec_deinit(&p->facts);
  nr_vec_deinit(&p->uses);
  nr_vec_deinit(&p->conditions);
  nr_arena_deinit(&p->arena);
  nr_free(p);
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

NrProverMark nr_prover_mark(const NrProver *p) { return (NrProverMark){p->facts.size, p->conditions.size}; }

void nr_prover_reset(NrProver *p, NrProverMark mark) {
  p->facts.size = mark.facts;
  p->conditions.size = mark.conditions;
  while (p->uses.size && nr_vec_last(&p->uses).fact >= mark.facts) {
    NrFactUse use = nr_vec_pop(&p->uses);
    p->atoms.data[use.atom].uses[use.negative] = use.older;
  }
  if (p->most_depended <= mark.facts) return;
  p->most_depended = mark.facts;
  size_t kept = 0;
  for (size_t i = 0; i < p->dependences.size; i++) {
    NrDependence d = p->dependences.data[i];
    if (d.num_facts <= mark.facts) p->dependences.data[kept++] = d;
    else nr_prover_forget(p, d.atom);
  }
  p->dependences.size = kept;
}

static const NrFactUse *use_of(const NrProver *p, uint32_t number) { return &p->uses.data[number - 1]; }

static bool is_fact(const NrProver *p, const NrSum *x) {
  const NrTerm *t = &x->terms[0];
  for (uint32_t use = p->atoms.data[t->atoms[0]].uses[t->factor < 0]; use; use = use_of(p, use)->older)
    if (nr_sum_equal(&p->facts.data[use_of(p, use)->fact].sum, x)) return true;
  return false;
}

static void add_uses(NrProver *p, const NrTerm *t, uint32_t fact) {
  bool negative = t->factor < 0;
  for (uint32_t i = 0; i < t->degree; i++) {
    uint32_t *newest = &p->atoms.data[t->atoms[i]].uses[negative];
    if (*newest && use_of(p, *newest)->fact == fact) continue;
    nr_vec_push(&p->uses, ((NrFactUse){fact, t->atoms[i], *newest, negative}));
    *newest = (uint32_t)p->uses.size;
  }
}

void nr_prover_assume(NrProver *p, NrSum not_negative) {
  if (!not_negative.known || not_negative.num_terms == 0) return;
  if (is_fact(p, &not_negative)) return;
  nr_vec_push(&p->facts, ((NrFact){not_negative, ++p->num_facts}));
  for (uint32_t i = 0; i < not_negative.num_terms; i++)
    add_uses(p, &not_negative.terms[i], (uint32_t)p->facts.size - 1);
}

void nr_prover_assume_equal(NrProver *p, NrSum x, NrSum y) {
  nr_prover_assume(p, nr_sum_add(&x, -1, &y));
  nr_prover_assume(p, nr_sum_add(&y, -1, &x));
}

/* Adds the fact x <= y - gap. */
static void assume_ordered(NrProver *p, const NrSum *x, const NrSum *y, int64_t gap) {
  NrSum difference = nr_sum_add(y, -1, x);
  nr_prover_assume(p, nr_sum_add_constant(&difference, -gap));
}

typedef struct Comparison {
  NrCmpI predicate;
  NrSum x, y;
} Comparison;

/* The op whose 64-bit product cmp tests not to have wrapped: its upper half equals the sign of the lower half. NULL:
 * cmp is no such test. */
static const NrOp *checked_product(const NrOp *cmp) {
  if (!nr_op_is(cmp, NR_OP_arith_cmpi) || nr_cmpi_of(cmp) != NR_CMPI_EQ) return NULL;
  const NrValue *high = nr_arith_cmpi_lhs(cmp);
  bool is_product = nr_op_is(high->op, NR_OP_arith_mulsi_extended) && high == nr_arith_mulsi_extended_high(high->op);
  return is_product ? high->op : NULL;
}

bool nr_prover_product_fits(const NrProver *p, const NrOp *mul) {
  for (size_t i = p->conditions.size; i-- > 0;) {
    NrCondition c = p->conditions.data[i];
    if (c.holds && checked_product(c.value->op) == mul) return true;
  }
  return false;
}

/* Whether cmp states x != y, which cannot be a fact (a non-negative sum); the condition itself is kept. */
static bool is_inequation(const NrOp *cmp, bool holds) {
  return nr_cmpi_of(cmp) == (holds ? NR_CMPI_NE : NR_CMPI_EQ);
}

/* Normalizes to <, <=, == or !=. An unsigned x < y stays unsigned, because it also implies 0 <= x where y is not
 * negative. False when op is no comparison of integers. */
static bool comparison_of(NrProver *p, const NrOp *op, bool holds, Comparison *out) {
  if (!nr_op_is(op, NR_OP_arith_cmpi) || !nr_type_is_int_or_index(nr_arith_cmpi_lhs(op)->type)) return false;
  NrCmpI predicate = holds ? nr_cmpi_of(op) : nr_cmpi_negated(nr_cmpi_of(op));
  bool turned = predicate > NR_CMPI_NE && nr_cmpi_allows(predicate, NR_GREATER);
  NrValue *lhs = nr_arith_cmpi_lhs(op), *rhs = nr_arith_cmpi_rhs(op);
  out->predicate = turned ? nr_cmpi_swapped(predicate) : predicate;
  out->x = nr_prover_value(p, turned ? rhs : lhs);
  out->y = nr_prover_value(p, turned ? lhs : rhs);
  return out->x.known && out->y.known;
}

/* Given x = y where x is a select: excludes a case that cannot equal y. */
static void assume_choice(NrProver *p, const NrSum *x, const NrSum *y) {
  if (x->num_terms != 1 || x->terms[0].degree != 1 || x->terms[0].factor != 1 || x->constant) return;
  const NrAtom atom = p->atoms.data[x->terms[0].atoms[0]];
  for (size_t i = 0; i < 2 && atom.kind == NR_ATOM_SELECT; i++) {
    NrSum gap = nr_sum_add(&atom.cases[i], -1, y), back = nr_sum_add(y, -1, &atom.cases[i]);
    if (!nr_prover_fits_by_facts(p, &gap, 1, INT64_MAX) && !nr_prover_fits_by_facts(p, &back, 1, INT64_MAX)) continue;
    nr_prover_assume_equal(p, atom.cases[!i], *y);
    assume_choice(p, &atom.cases[!i], y);
    return;
  }
}

static void assume_comparison(NrProver *p, const NrOp *op, bool holds) {
  Comparison c;
  if (!comparison_of(p, op, holds, &c)) return;
  bool is_unsigned = c.predicate == NR_CMPI_ULT || c.predicate == NR_CMPI_ULE;
  if (is_unsigned) { /* x is not negative either */
    if (!nr_prove_not_negative(p, c.y)) return;
    nr_prover_assume(p, c.x);
  }
  switch (c.predicate) {
  case NR_CMPI_EQ:
    nr_prover_assume_equal(p, c.x, c.y);
    assume_choice(p, &c.x, &c.y);
    assume_choice(p, &c.y, &c.x);
    return;
  case NR_CMPI_SLT:
  case NR_CMPI_ULT: assume_ordered(p, &c.x, &c.y, 1); return;
  case NR_CMPI_SLE:
  case NR_CMPI_ULE: assume_ordered(p, &c.x, &c.y, 0); return;
  case NR_CMPI_NE: /* a non-negative number other than 0 is at least 1 */
    if (nr_sum_is_constant(&c.y, 0) && nr_prove_not_negative(p, c.x))
      nr_prover_assume(p, nr_sum_add_constant(&c.x, -1));
    return;
  default: return;
  }
}

static void open_condition(NrProver *p, NrCondition c);

/* A select or an `or` implies no fact until one side is known. So the condition is kept, and tried now and, with the
 * facts of each case, in searches. */
static void keep_condition(NrProver *p, NrCondition c) {
  nr_vec_push(&p->conditions, c);
  if (p->opening || p->searches > 0) return;
  p->opening = true;
  open_condition(p, c);
  p->opening = false;
}

void nr_prover_assume_condition(NrProver *p, NrValue *condition, bool holds) {
  const NrOp *op = condition->op;
  bool known;
  switch (op ? op->info->id : 0) {
  case NR_OP_arith_andi:
  case NR_OP_arith_ori:
    if (nr_op_is(op, NR_OP_arith_andi) == holds) {
      nr_prover_assume_condition(p, nr_op_lhs(op), holds);
      nr_prover_assume_condition(p, nr_op_rhs(op), holds);
      return;
    }
    break;
  case NR_OP_arith_xori:
    if (nr_prover_constant_bool(nr_arith_xori_rhs(op), &known))
      nr_prover_assume_condition(p, nr_arith_xori_lhs(op), holds != known);
    return;
  case NR_OP_arith_cmpi:
    assume_comparison(p, op, holds);
    if (!checked_product(op) && !is_inequation(op, holds)) return;
    break;
  case NR_OP_arith_select: break;
  default: return;
  }
  keep_condition(p, (NrCondition){condition, holds});
}

/* Adds the facts that follow from a kept condition and later facts: for `a or b` where a is now false, b. */
static void open_condition(NrProver *p, NrCondition c) {
  const NrOp *op = c.value->op;
  bool known;
  if (nr_op_is(op, NR_OP_arith_select)) {
    NrValue *condition = nr_arith_select_condition(op);
    NrValue *const cases[] = {nr_arith_select_true_value(op), nr_arith_select_false_value(op)};
    for (uint32_t i = 0; i < 2; i++) {
      bool chosen = nr_prove_condition(p, condition, i == 0);
      bool excluded = nr_prover_constant_bool(cases[!i], &known) && known != c.holds;
      if (chosen || excluded) nr_prover_assume_condition(p, cases[i], c.holds);
      if (excluded) nr_prover_assume_condition(p, condition, i == 0);
    }
    return;
  }
  if (nr_op_is(op, NR_OP_arith_cmpi)) return;
  for (uint32_t i = 0; i < 2; i++)
    if (nr_prove_condition(p, nr_operand(op, i), !c.holds)) {
      nr_prover_assume_condition(p, nr_operand(op, !i), c.holds);
      return;
    }
}

static bool is_remembered(const NrProver *p, const NrValue *condition, bool holds) {
  for (size_t i = p->conditions.size; i-- > 0;)
    if (p->conditions.data[i].value == condition && p->conditions.data[i].holds == holds) return true;
  return false;
}

static bool is_exhausted(const NrProver *p) { return p->steps > MAX_STEPS || p->attempts > MAX_ATTEMPTS; }

/* In a search that is exhausted, which proves nothing any more, no condition is looked at. */
static void open_conditions(NrProver *p, size_t count) {
  if (p->opening) return;
  p->opening = true;
  for (size_t i = count; i-- > 0 && !is_exhausted(p);) open_condition(p, p->conditions.data[i]);
  p->opening = false;
}

/* ---- intervals --------------------------------------------------------------------------------------------------- */

typedef struct Interval {
  __int128 min, max;
} Interval;

static const __int128 far = (__int128)1 << 100;
static __int128 clamp(__int128 x) { return x < -far ? -far : x > far ? far : x; }

static bool has_64_bits(Interval x) { return x.min >= INT64_MIN && x.max <= INT64_MAX; }

static Interval multiply(Interval x, Interval y) {
  bool not_negative = x.min >= 0 && y.min >= 0;
  if (!has_64_bits(x) || !has_64_bits(y)) return (Interval){not_negative ? 0 : -far, far};
  __int128 p[] = {x.min * y.min, x.min * y.max, x.max * y.min, x.max * y.max};
  Interval out = {p[0], p[0]};
  for (int i = 1; i < 4; i++) {
    out.min = NR_MIN(out.min, p[i]);
    out.max = NR_MAX(out.max, p[i]);
  }
  return (Interval){clamp(out.min), clamp(out.max)};
}

/* Whether the factors are different dims of one tensor, so that their product is at most NR_MAX_DIM. */
static bool is_part_of_a_shape(const NrProver *p, const NrTerm *t) {
  for (uint32_t i = 0; i < t->degree; i++) {
    const NrAtom *a = &p->atoms.data[t->atoms[i]];
    if (a->dim < 0 || a->value != p->atoms.data[t->atoms[0]].value || (i && t->atoms[i] == t->atoms[i - 1]))
      return false;
  }
  return true;
}

static __int128 scaled(__int128 x, int64_t factor) {
  __int128 max = factor ? far / (factor < 0 ? -(__int128)factor : factor) : far;
  if (x > max || x < -max) return (x < 0) == (factor < 0) ? far : -far;
  return x * factor;
}

static Interval of_term(const NrProver *p, const NrTerm *t) {
  Interval product = {1, 1};
  for (uint32_t i = 0; i < t->degree; i++) {
    const NrAtom *a = &p->atoms.data[t->atoms[i]];
    product = multiply(product, (Interval){a->min, a->max});
  }
  if (is_part_of_a_shape(p, t)) product.max = NR_MIN(product.max, (__int128)NR_MAX_DIM);
  Interval out = {scaled(product.min, t->factor), scaled(product.max, t->factor)};
  return t->factor >= 0 ? out : (Interval){out.max, out.min};
}

static Interval interval_of(const NrProver *p, const NrSum *x) {
  Interval out = {x->constant, x->constant};
  for (uint32_t i = 0; i < x->num_terms; i++) {
    Interval t = of_term(p, &x->terms[i]);
    out = (Interval){clamp(out.min + t.min), clamp(out.max + t.max)};
    if (t.min <= -far) out.min = -far;
    if (t.max >= far) out.max = far;
  }
  return out;
}

bool nr_prover_fits(const NrProver *p, const NrSum *x, int64_t min, int64_t max) {
  Interval i = interval_of(p, x);
  return x->known && i.min >= min && i.max <= max;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static bool prove(NrProver *p, const NrSum *goal, int depth);

static bool is_not_negative(NrProver *p, const NrTerm *t) {
  if (of_term(p, t).min >= 0) return true;
  NrSum sum = nr_sum_of_term(t);
  return t->degree == 1 && prove(p, &sum, 1);
}

/* Tries m * goal - k * rest * fact, with positive m and k and a rest that cancels term t of the goal. */
static bool try_fact(NrProver *p, const NrSum *goal, const NrTerm *t, const NrSum *fact, int depth) {
  if (++p->attempts > MAX_ATTEMPTS) return false;
  for (uint32_t i = 0; i < fact->num_terms; i++) {
    const NrTerm *f = &fact->terms[i];
    NrTerm rest;
    if ((f->factor < 0) != (t->factor < 0) || !nr_term_divides(f, t, &rest)) continue;
    if (rest.degree && !is_not_negative(p, &rest)) continue;
    uint64_t of_goal = nr_magnitude(t->factor), of_fact = nr_magnitude(f->factor), common = nr_gcd(of_goal, of_fact);
    if (of_goal / common > INT64_MAX || of_fact / common > INT64_MAX) continue;
    NrSum scale = nr_sum_of_term(&rest), subtracted = nr_sum_mul(fact, &scale), zero = nr_sum_constant(0);
    NrSum left = nr_sum_add(&zero, (int64_t)(of_fact / common), goal);
    left = nr_sum_add(&left, -(int64_t)(of_goal / common), &subtracted);
    if (left.known && left.num_terms <= goal->num_terms + 2 && prove(p, &left, depth - 1)) return true;
  }
  return false;
}

/* The newest fact of the uses, which are of one atom each; moves behind it. False: there is none left. */
static bool next_fact(const NrProver *p, uint32_t *uses, uint32_t count, uint32_t *out) {
  bool any = false;
  for (uint32_t i = 0; i < count; i++) {
    if (!uses[i]) continue;
    uint32_t fact = use_of(p, uses[i])->fact;
    *out = any ? NR_MAX(*out, fact) : fact;
    any = true;
  }
  for (uint32_t i = 0; i < count; i++)
    if (uses[i] && use_of(p, uses[i])->fact == *out) uses[i] = use_of(p, uses[i])->older;
  return any;
}

static bool try_facts(NrProver *p, const NrSum *goal, int depth) {
  for (uint32_t i = 0; i < goal->num_terms && p->attempts <= MAX_ATTEMPTS; i++) {
    const NrTerm *t = &goal->terms[i];
    uint32_t uses[NR_SUM_DEGREE], newest = 0;
    for (uint32_t a = 0; a < t->degree; a++) uses[a] = p->atoms.data[t->atoms[a]].uses[t->factor < 0];
    while (next_fact(p, uses, t->degree, &newest)) {
      NrSum fact = p->facts.data[newest].sum; /* a copy, because a case may add facts, which reallocates the list */
      if (try_fact(p, goal, t, &fact, depth)) return true;
    }
    for (uint32_t a = 0; a < t->degree; a++) {
      const NrSum *facts = p->atoms.data[t->atoms[a]].facts; /* adding atoms reallocates the atoms, not their facts */
      for (uint32_t k = 0, n = p->atoms.data[t->atoms[a]].num_facts; k < n; k++)
        if (try_fact(p, goal, t, &facts[k], depth)) return true;
    }
  }
  return false;
}

/* Proves the goal by substituting the operands of an atom. Both cases must be proven, unless one is enough: the goal
 * falls with a minimum, which is at most each operand, or rises with a maximum, which is at least each. */
static bool try_cases(NrProver *p, const NrSum *goal, uint32_t number, int depth) {
  NrAtom atom = p->atoms.data[number];
  bool linear = true, falls = true, rises = true;
  for (uint32_t i = 0; i < goal->num_terms; i++) {
    uint32_t times = 0;
    NrTerm rest, single = {.factor = 1, .degree = 1, .atoms = {number}};
    for (uint32_t k = 0; k < goal->terms[i].degree; k++) times += goal->terms[i].atoms[k] == number;
    if (times == 0) continue;
    linear &= times == 1 && nr_term_divides(&single, &goal->terms[i], &rest) && is_not_negative(p, &rest);
    falls &= goal->terms[i].factor < 0;
    rises &= goal->terms[i].factor > 0;
  }
  bool one_is_enough = linear && ((atom.kind == NR_ATOM_MIN && falls) || (atom.kind == NR_ATOM_MAX && rises));
  for (uint32_t i = 0; i < 2; i++) {
    NrProverMark mark = nr_prover_mark(p);
    if (atom.kind == NR_ATOM_SELECT && !one_is_enough) {
      if (is_remembered(p, atom.condition, i != 0)) continue; /* this case is excluded */
      nr_prover_assume_condition(p, atom.condition, i == 0);
      open_conditions(p, mark.conditions);
    }
    NrSum with = nr_sum_replace(goal, number, &atom.cases[i]);
    bool proven = with.known && prove(p, &with, depth - 1);
    nr_prover_reset(p, mark);
    if (proven == one_is_enough) return proven;
  }
  return !one_is_enough;
}

static bool prove(NrProver *p, const NrSum *goal, int depth) {
  if (!goal->known || ++p->steps > MAX_STEPS || p->attempts > MAX_ATTEMPTS) return false;
  if (interval_of(p, goal).min >= 0) return true;
  if (depth <= 0 || goal->num_terms == 0) return false;
  if (try_facts(p, goal, depth)) return true;
  for (uint32_t i = 0; i < goal->num_terms; i++)
    for (uint32_t k = 0; k < goal->terms[i].degree; k++)
      if (p->atoms.data[goal->terms[i].atoms[k]].kind != NR_ATOM_PLAIN)
        return try_cases(p, goal, goal->terms[i].atoms[k], depth);
  return false;
}

static bool search(NrProver *p, const NrSum *goal) {
  bool outermost = p->searches++ == 0;
  int before = p->steps;
  if (outermost) p->attempts = 0;
  if (outermost) p->steps = p->opening ? MAX_STEPS - FEW_STEPS : 0;
  int max_depth = p->opening ? FEW_DEPTH : MAX_DEPTH;
  bool proven = false;
  for (int depth = 1; depth <= max_depth && !proven && p->steps <= MAX_STEPS; depth += 2)
    proven = prove(p, goal, depth);
  p->searches--;
  if (outermost) p->steps = before;
  return proven;
}

bool nr_prover_fits_by_facts(NrProver *p, const NrSum *x, int64_t min, int64_t max) {
  if (nr_prover_fits(p, x, min, max)) return true;
  if (!x->known || p->facts.size == 0 || p->fitting) return false;
  min = NR_MAX(min, -INT64_MAX);
  NrSum low = nr_sum_add_constant(x, -min), zero = nr_sum_constant(0), negated = nr_sum_add(&zero, -1, x);
  NrSum high = nr_sum_add_constant(&negated, max);
  Interval i = interval_of(p, x);
  int before = p->steps;
  bool fits = true;
  p->fitting = true; /* the search builds sums of values, which must not start another search */
  if (p->searches++ == 0) p->attempts = 0;
  if (i.min < min) fits = low.known && (p->steps = MAX_STEPS - FEW_STEPS, prove(p, &low, FEW_DEPTH));
  if (fits && i.max > max) fits = high.known && (p->steps = MAX_STEPS - FEW_STEPS, prove(p, &high, FEW_DEPTH));
  p->searches--;
  p->fitting = false;
  p->steps = before;
  return fits;
}

/* ---- goals ------------------------------------------------------------------------------------------------------- */

bool nr_prove_not_negative(NrProver *p, NrSum x) {
  if (!x.known) return false;
  return interval_of(p, &x).min >= 0 || search(p, &x);
}

bool nr_prove_less(NrProver *p, NrSum x, NrSum y) {
  NrSum gap = nr_sum_add(&y, -1, &x);
  return nr_prove_not_negative(p, nr_sum_add_constant(&gap, -1));
}

bool nr_prove_equal(NrProver *p, NrSum x, NrSum y) {
  NrSum difference = nr_sum_add(&x, -1, &y), negated = nr_sum_add(&y, -1, &x);
  if (!difference.known) return false;
  if (difference.num_terms == 0) return difference.constant == 0;
  return nr_prove_not_negative(p, difference) && nr_prove_not_negative(p, negated);
}

static bool prove_comparison(NrProver *p, const NrOp *op, bool holds) {
  Comparison c;
  if (!comparison_of(p, op, holds, &c)) return false;
  switch (c.predicate) {
  case NR_CMPI_EQ: return nr_prove_equal(p, c.x, c.y);
  case NR_CMPI_NE: return nr_prove_less(p, c.x, c.y) || nr_prove_less(p, c.y, c.x);
  case NR_CMPI_SLT: return nr_prove_less(p, c.x, c.y);
  case NR_CMPI_SLE: return nr_prove_not_negative(p, nr_sum_add(&c.y, -1, &c.x));
  case NR_CMPI_ULT: return nr_prove_not_negative(p, c.x) && nr_prove_less(p, c.x, c.y);
  case NR_CMPI_ULE:
    return nr_prove_not_negative(p, c.x) && nr_prove_not_negative(p, nr_sum_add(&c.y, -1, &c.x));
  default: return false;
  }
}

bool nr_prove_condition(NrProver *p, NrValue *condition, bool holds) {
  const NrOp *op = condition->op;
  bool known;
  if (nr_prover_constant_bool(condition, &known)) return known == holds;
  if (is_remembered(p, condition, holds)) return true;
  switch (op ? op->info->id : 0) {
  case NR_OP_arith_andi:
  case NR_OP_arith_ori: {
    bool both = nr_op_is(op, NR_OP_arith_andi) == holds;
    bool first = nr_prove_condition(p, nr_op_lhs(op), holds);
    return first != both ? first : nr_prove_condition(p, nr_op_rhs(op), holds);
  }
  case NR_OP_arith_xori:
    return nr_prover_constant_bool(nr_arith_xori_rhs(op), &known) &&
           nr_prove_condition(p, nr_arith_xori_lhs(op), holds != known);
  case NR_OP_arith_cmpi: return prove_comparison(p, op, holds);
  default: return false;
  }
}
