/* prover_values.c - integer values of the program as sums of atoms; see prover.h. */
#include "dialect/arith/arith.h"
#include "dialect/linalg/linalg.h"
#include "dialect/operands.h"
#include "dialect/tensor/tensor.h"
#include "pass/analysis/prover_state.h"
#include "pass/analysis/ranges.h"
#include "pass/core/checks.h"

bool nr_prover_constant_bool(const NrValue *value, bool *out) {
  int64_t number;
  if (!nr_value_constant_int(value, &number)) return false;
  *out = number != 0;
  return true;
}
/* ---- atoms ----------------------------------------------------------------------------------------------------- */

/* A list of the numbers of a value's atoms. */
typedef struct NumberList {
  uint32_t number;
  struct NumberList *next;
} NumberList;

uint32_t nr_prover_atom(NrProver *p, NrValue *value, int64_t dim, bool *out_new) {
  NumberList *first = nr_map_get(&p->atoms_of, value);
  *out_new = false;
  for (NumberList *n = first; n; n = n->next)
    if (p->atoms.data[n->number].dim == dim) return n->number;
  NumberList *n = NR_NEW(&p->arena, NumberList);
  *n = (NumberList){(uint32_t)p->atoms.size, first};
  nr_map_set(&p->atoms_of, value, n);
  nr_vec_push(&p->atoms, ((NrAtom){.value = value, .dim = dim, .min = INT64_MIN, .max = INT64_MAX}));
  *out_new = true;
  return n->number;
}

void nr_prover_add_atom_fact(NrProver *p, uint32_t number, NrSum fact) {
  NrAtom *a = &p->atoms.data[number];
  if (!fact.known || a->num_facts == NR_MAX_ATOM_FACTS) return;
  if (!a->facts) a->facts = NR_NEW_ARRAY(&p->arena, NrSum, NR_MAX_ATOM_FACTS);
  a->facts[a->num_facts++] = fact;
}

void nr_prover_type_range(NrType type, int64_t *min, int64_t *max) {
  uint32_t bits = nr_type_bits(type);
  *min = bits >= 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1));
  *max = bits >= 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
}

/* A lower bound of x: 0 when x is known not to be negative, else INT64_MIN. */
static int64_t min_of(NrProver *p, const NrSum *x) {
  if (nr_prover_fits(p, x, 0, INT64_MAX)) return 0;
  return INT64_MIN;
}

NrSum nr_prover_plain_atom(NrProver *p, NrValue *value) {
  bool fresh;
  uint32_t number = nr_prover_atom(p, value, NR_ATOM_VALUE, &fresh);
  if (fresh) {
    NrRange range = nr_range_of(value);
    p->atoms.data[number].min = range.min;
    p->atoms.data[number].max = range.max;
  }
  return nr_sum_atom(number);
}

void nr_prover_depend(NrProver *p, uint32_t number) {
  if (!p->used_facts || !p->num_used) return;
  p->most_depended = NR_MAX(p->most_depended, p->num_used);
  for (size_t i = p->dependences.size; i-- > 0;)
    if (p->dependences.data[i].atom == number) {
      p->dependences.data[i].num_facts = NR_MAX(p->dependences.data[i].num_facts, p->num_used);
      return;
    }
  nr_vec_push(&p->dependences, ((NrDependence){number, p->num_used}));
}

void nr_prover_forget(NrProver *p, uint32_t number) {
  NrAtom *atom = &p->atoms.data[number];
  NrRange range = nr_range_of(atom->value);
  atom->min = range.min;
  atom->max = range.max;
  atom->kind = NR_ATOM_PLAIN;
  atom->num_facts = 0;
}

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

/* The sum if the op that computes it cannot have wrapped, else an atom for the op's result. */
static NrSum where_exact(NrProver *p, NrValue *value, NrSum sum) {
  int64_t min, max;
  nr_prover_type_range(value->type, &min, &max);
  if (!sum.known) return nr_prover_plain_atom(p, value);
  if (nr_prover_fits(p, &sum, min, max)) return sum;
  p->used_facts = true;
  if (nr_prover_fits_by_facts(p, &sum, min, max)) {
    p->num_used = p->facts.size;
    return sum;
  }
  p->gave_up = true;
  return nr_prover_plain_atom(p, value);
}

static NrSum choice(NrProver *p, NrValue *value, NrAtomKind kind, NrSum x, NrSum y, NrValue *condition) {
  NrSum difference = nr_sum_add(&x, -1, &y);
  if (nr_sum_is_constant(&difference, 0)) return x;
  NrSum negated = nr_sum_add(&y, -1, &x);
  bool x_is_more = nr_prover_fits(p, &difference, 0, INT64_MAX), y_is_more = nr_prover_fits(p, &negated, 0, INT64_MAX);
  if (kind != NR_ATOM_SELECT && (x_is_more || y_is_more)) return (kind == NR_ATOM_MAX) == x_is_more ? x : y;
  bool fresh;
  uint32_t number = nr_prover_atom(p, value, NR_ATOM_VALUE, &fresh);
  NrSum sum = nr_sum_atom(number);
  if (!fresh && p->atoms.data[number].kind != NR_ATOM_PLAIN) return sum;
  nr_prover_forget(p, number);
  nr_prover_depend(p, number);
  NrRange range = nr_range_of(value);
  int64_t low_x = min_of(p, &x), low_y = min_of(p, &y);
  int64_t low = kind == NR_ATOM_MAX ? NR_MAX(low_x, low_y) : NR_MIN(low_x, low_y);
  NrAtom *atom = &p->atoms.data[number];
  atom->min = NR_MAX(range.min, low);
  atom->max = range.max;
  if (!x.known || !y.known) return sum;
  bool small_x = nr_prover_fits(p, &x, INT64_MIN, NR_MAX_DIM), small_y = nr_prover_fits(p, &y, INT64_MIN, NR_MAX_DIM);
  if (kind == NR_ATOM_MIN ? small_x || small_y : small_x && small_y) atom->max = NR_MIN(atom->max, NR_MAX_DIM);
  atom->kind = kind;
  atom->condition = condition;
  atom->cases[0] = x;
  atom->cases[1] = y;
  for (size_t i = 0; i < 2 && kind != NR_ATOM_SELECT; i++) {
    const NrSum *other = i ? &y : &x;
    nr_prover_add_atom_fact(p, number, kind == NR_ATOM_MIN ? nr_sum_add(other, -1, &sum) : nr_sum_add(&sum, -1, other));
  }
  return sum;
}

/* The quotient q = x / y of a positive y: an atom with the facts y * q <= x < y * q + y or, when rounded up,
 * x <= y * q < x + y. */
static NrSum quotient(NrProver *p, NrOp *op, NrSum x, NrSum y) {
  bool up = nr_op_is(op, NR_OP_arith_ceildivsi) || nr_op_is(op, NR_OP_arith_ceildivui);
  bool floors = up || nr_op_is(op, NR_OP_arith_floordivsi);
  bool no_sign = nr_op_is(op, NR_OP_arith_divui) || nr_op_is(op, NR_OP_arith_ceildivui);
  NrSum sum = nr_prover_plain_atom(p, nr_op_result(op));
  uint32_t number = sum.terms[0].atoms[0];
  bool not_negative = nr_prover_fits(p, &x, 0, INT64_MAX);
  nr_prover_depend(p, number);
  if (!nr_prover_fits(p, &y, 1, INT64_MAX) || (!not_negative && (!floors || no_sign))) return sum;
  if (not_negative) p->atoms.data[number].min = NR_MAX(p->atoms.data[number].min, 0);
  if (nr_prover_fits(p, &x, INT64_MIN, NR_MAX_DIM))
    p->atoms.data[number].max = NR_MIN(p->atoms.data[number].max, NR_MAX_DIM);
  NrSum whole = nr_sum_mul(&y, &sum), rest = up ? nr_sum_add(&whole, -1, &x) : nr_sum_add(&x, -1, &whole);
  nr_prover_add_atom_fact(p, number, rest);
  NrSum gap = nr_sum_add(&y, -1, &rest);
  nr_prover_add_atom_fact(p, number, nr_sum_add_constant(&gap, -1));
  return sum;
}

static NrSum rest_of(NrProver *p, NrOp *op, NrSum x, NrSum y) {
  NrSum sum = nr_prover_plain_atom(p, nr_op_result(op));
  uint32_t number = sum.terms[0].atoms[0];
  if (!nr_prover_fits(p, &y, 1, INT64_MAX) || !nr_prover_fits(p, &x, 0, INT64_MAX)) return sum;
  nr_prover_depend(p, number);
  p->atoms.data[number].min = 0;
  if (nr_prover_fits(p, &y, 1, NR_MAX_DIM)) p->atoms.data[number].max = NR_MIN(p->atoms.data[number].max, NR_MAX_DIM);
  NrSum gap = nr_sum_add(&y, -1, &sum);
  nr_prover_add_atom_fact(p, number, nr_sum_add_constant(&gap, -1));
  nr_prover_add_atom_fact(p, number, nr_sum_add(&x, -1, &sum));
  return sum;
}

static NrSum of_binary(NrProver *p, NrValue *value, NrOp *op) {
  NrSum x = nr_prover_value(p, nr_op_lhs(op)), y = nr_prover_value(p, nr_op_rhs(op));
  bool no_signs = nr_prover_fits(p, &x, 0, INT64_MAX) && nr_prover_fits(p, &y, 0, INT64_MAX);
  switch (op->info->id) {
  case NR_OP_arith_addi: return where_exact(p, value, nr_sum_add(&x, 1, &y));
  case NR_OP_arith_subi: return where_exact(p, value, nr_sum_add(&x, -1, &y));
  case NR_OP_arith_muli: return where_exact(p, value, nr_sum_mul(&x, &y));
  case NR_OP_arith_minsi: return choice(p, value, NR_ATOM_MIN, x, y, NULL);
  case NR_OP_arith_maxsi: return choice(p, value, NR_ATOM_MAX, x, y, NULL);
  case NR_OP_arith_minui: return no_signs ? choice(p, value, NR_ATOM_MIN, x, y, NULL) : nr_prover_plain_atom(p, value);
  case NR_OP_arith_maxui: return no_signs ? choice(p, value, NR_ATOM_MAX, x, y, NULL) : nr_prover_plain_atom(p, value);
  case NR_OP_arith_remsi:
  case NR_OP_arith_remui: return rest_of(p, op, x, y);
  default: return quotient(p, op, x, y);
  }
}

static NrSum of_low_product(NrProver *p, NrValue *value, NrOp *op) {
  NrSum x = nr_prover_value(p, nr_op_lhs(op)), y = nr_prover_value(p, nr_op_rhs(op));
  bool no_signs = nr_prover_fits(p, &x, 0, INT64_MAX) && nr_prover_fits(p, &y, 0, INT64_MAX);
  bool is_signed = nr_op_is(op, NR_OP_arith_mulsi_extended);
  NrSum product = nr_sum_mul(&x, &y);
  if (is_signed && product.known && nr_prover_product_fits(p, op)) {
    p->used_facts = true;
    p->num_used = p->facts.size;
    return product;
  }
  return is_signed || no_signs ? where_exact(p, value, product) : nr_prover_plain_atom(p, value);
}

/* The value of a saturating product (nr_check_product) where it does not saturate. In a product of products, one part
 * may saturate while another is 0: then the whole is 0, which is correct. */
static NrSum checked_product(NrProver *p, NrValue *value) {
  NrValue *left, *right;
  if (!nr_check_is_product(value, &left, &right)) return nr_prover_value(p, value);
  NrSum x = checked_product(p, left), y = checked_product(p, right);
  return nr_sum_mul(&x, &y);
}

static NrSum of_cast(NrProver *p, NrValue *value, NrOp *op) {
  NrValue *from = nr_op_in(op);
  if (!nr_type_is_int_or_index(from->type) || nr_type_bits(from->type) > 64 || nr_type_bits(from->type) == 1)
    return nr_prover_plain_atom(p, value);
  bool extends_zeros = nr_op_is(op, NR_OP_arith_extui) || nr_op_is(op, NR_OP_arith_index_castui);
  NrSum x = nr_prover_value(p, from);
  if (extends_zeros && nr_type_bits(from->type) < 64 && !nr_prover_fits(p, &x, 0, INT64_MAX))
    return nr_prover_plain_atom(p, value);
  return where_exact(p, value, x);
}

static NrSum of_op(NrProver *p, NrValue *value, NrOp *op) {
  int64_t dim;
  switch (op->info->id) {
  case NR_OP_arith_addi:
  case NR_OP_arith_subi:
  case NR_OP_arith_muli:
  case NR_OP_arith_minsi:
  case NR_OP_arith_maxsi:
  case NR_OP_arith_minui:
  case NR_OP_arith_maxui:
  case NR_OP_arith_remsi:
  case NR_OP_arith_remui:
  case NR_OP_arith_divsi:
  case NR_OP_arith_divui:
  case NR_OP_arith_ceildivsi:
  case NR_OP_arith_ceildivui:
  case NR_OP_arith_floordivsi: return of_binary(p, value, op);
  case NR_OP_arith_mului_extended:
  case NR_OP_arith_mulsi_extended:
    return value->index == 0 ? of_low_product(p, value, op) : nr_prover_plain_atom(p, value);
  case NR_OP_arith_select: {
    NrValue *left, *right, *condition = nr_arith_select_condition(op);
    if (nr_check_is_product(value, &left, &right)) /* or INT64_MAX; the condition is ignored */
      return choice(p, value, NR_ATOM_SELECT, checked_product(p, value), nr_sum_constant(INT64_MAX), condition);
    NrSum x = nr_prover_value(p, nr_arith_select_true_value(op));
    NrSum y = nr_prover_value(p, nr_arith_select_false_value(op));
    return choice(p, value, NR_ATOM_SELECT, x, y, condition);
  }
  case NR_OP_arith_index_cast:
  case NR_OP_arith_index_castui:
  case NR_OP_arith_extsi:
  case NR_OP_arith_extui:
  case NR_OP_arith_trunci: return of_cast(p, value, op);
  case NR_OP_tensor_dim:
  case NR_OP_memref_dim: {
    NrValue *shaped = nr_op_source(op);
    bool known = nr_type_is_ranked(shaped->type) && nr_value_constant_int(nr_op_index(op), &dim) && dim >= 0 &&
                 dim < (int64_t)shaped->type->rank;
    return known ? nr_prover_dim(p, shaped, (uint32_t)dim) : nr_prover_plain_atom(p, value);
  }
  case NR_OP_linalg_index: {
    NrSum sum = nr_prover_plain_atom(p, value);
    NrAtom *atom = &p->atoms.data[sum.terms[0].atoms[0]];
    atom->min = 0;
    atom->max = NR_MAX_DIM;
    return sum;
  }
  case NR_OP_tensor_rank: return nr_prover_rank(p, nr_tensor_rank_source(op));
  case NR_OP_tensor_extract: return nr_prover_extracted(p, value, op);
  default: return nr_prover_plain_atom(p, value);
  }
}

/* A block argument as an atom. For an input of a structured op, it has the bounds of the tensor's elements. */
static NrSum of_argument(NrProver *p, NrValue *arg) {
  const NrOp *owner = nr_block_parent_op(arg->block);
  bool was_there = nr_map_has(&p->atoms_of, arg);
  NrSum sum = nr_prover_plain_atom(p, arg);
  bool element = nr_linalg_is_structured(owner) && nr_type_is_tensor(nr_operand(owner, arg->index)->type);
  if (!was_there && element && arg->index < nr_linalg_num_inputs(owner))
    nr_prover_take_content(p, sum.terms[0].atoms[0], nr_operand(owner, arg->index));
  return sum;
}

/* The cached sum of a value. A sum that used facts is valid as long as these hold; one for which facts did not suffice
 * is recomputed when there are more. A search that shows that a sum does not wrap builds others without looking for
 * facts: these are valid in such searches only. */
typedef struct Cached {
  NrSum sum;
  bool used_facts, gave_up, for_fitting;
  size_t num_facts; /* that have to hold */
  uint64_t last_fact;
} Cached;

static uint64_t last_fact(const NrProver *p, size_t count) { return count ? p->facts.data[count - 1].number : 0; }

static bool is_valid(const NrProver *p, const Cached *c) {
  if (!c->used_facts) return true;
  if (p->facts.size < c->num_facts || last_fact(p, c->num_facts) != c->last_fact) return false;
  if (c->for_fitting) return p->fitting;
  return !c->gave_up || p->searches > 0 || p->opening || p->facts.size == c->num_facts;
}

NrSum nr_prover_value(NrProver *p, NrValue *value) {
  int64_t constant;
  if (!nr_type_is_int_or_index(value->type) || nr_type_bits(value->type) > 64) return (NrSum){0};
  if (nr_value_constant_int(value, &constant)) return nr_sum_constant(constant);
  Cached *cached = nr_map_get(&p->sums, value);
  bool used_facts = p->used_facts, gave_up = p->gave_up;
  size_t num_used = p->num_used;
  if (!cached || !is_valid(p, cached)) {
    if (p->nesting >= NR_PROVER_MAX_NESTING)
      return nr_prover_plain_atom(p, value); /* bounds the recursion */
    p->used_facts = p->gave_up = false;
    p->num_used = 0;
    p->nesting++;
    NrSum sum = value->op ? of_op(p, value, value->op) : of_argument(p, value);
    p->nesting--;
    if (!sum.known) sum = nr_prover_plain_atom(p, value);
    if (!cached) cached = NR_NEW(&p->arena, Cached);
    *cached = (Cached){.sum = sum,
                       .used_facts = p->used_facts,
                       .gave_up = p->gave_up,
                       .for_fitting = p->gave_up && p->fitting};
    cached->num_facts = cached->for_fitting ? p->num_used : p->facts.size;
    cached->last_fact = last_fact(p, cached->num_facts);
    nr_map_set(&p->sums, value, cached);
  }
  p->used_facts = used_facts || cached->used_facts;
  p->gave_up = gave_up || cached->gave_up;
  p->num_used = cached->used_facts ? NR_MAX(num_used, cached->num_facts) : num_used;
  return cached->sum;
}

NrSum nr_prover_index(NrProver *p, NrIndex index) {
  return index.value ? nr_prover_value(p, index.value) : nr_sum_constant(index.constant);
}

NrSum nr_prover_affine(NrProver *p, NrAffineExpr e, const NrSum *dims, const NrSum *symbols) {
  if (e->kind == NR_AFFINE_CONSTANT) return nr_sum_constant(e->value);
  if (e->kind == NR_AFFINE_DIM) return dims[e->value];
  if (e->kind == NR_AFFINE_SYMBOL) return symbols ? symbols[e->value] : (NrSum){0};
  if (e->kind != NR_AFFINE_ADD && e->kind != NR_AFFINE_MUL) return (NrSum){0};
  NrSum x = nr_prover_affine(p, e->lhs, dims, symbols), y = nr_prover_affine(p, e->rhs, dims, symbols);
  return e->kind == NR_AFFINE_ADD ? nr_sum_add(&x, 1, &y) : nr_sum_mul(&x, &y);
}
