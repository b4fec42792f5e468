/* prover_values.c - how values and dims of a program become sums, and what ops say about them; see prover.h. */
#include "pass/analysis/prover_state.h"

#include "dialect/arith/arith.h"
#include "dialect/linalg/linalg.h"
#include "dialect/scf/scf.h"
#include "dialect/tensor/tensor.h"
#include "pass/core/checks.h"
#include "pass/analysis/dependence.h"
#include "pass/analysis/ranges.h"

enum { MAX_ATOM_FACTS = 16, MAX_CONTENT = 1 << 16, MAX_CHAIN = 64 };

bool nr_prover_constant_bool(const NrValue *value, bool *out) {
  int64_t number;
  if (!nr_value_constant_int(value, &number)) return false;
  *out = number != 0;
  return true;
}

/* ---- atoms ----------------------------------------------------------------------------------------------------- */

/* Atoms of one value are found by a list of their numbers. */
typedef struct NumberList {
  uint32_t number;
  struct NumberList *next;
} NumberList;

static uint32_t atom_of(NrProver *p, NrValue *value, int64_t dim, bool *out_new) {
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

static void add_atom_fact(NrProver *p, uint32_t number, NrSum fact) {
  NrAtom *a = &p->atoms.data[number];
  if (!fact.known || a->num_facts == MAX_ATOM_FACTS) return;
  if (!a->facts) a->facts = NR_NEW_ARRAY(&p->arena, NrSum, MAX_ATOM_FACTS);
  a->facts[a->num_facts++] = fact;
}

static void type_range(NrType type, int64_t *min, int64_t *max) {
  uint32_t bits = nr_type_bits(type);
  *min = bits >= 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1));
  *max = bits >= 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
}

static int64_t least_of(NrProver *p, const NrSum *x) {
  if (nr_prover_fits(p, x, 0, INT64_MAX)) return 0;
  return INT64_MIN;
}

static NrSum plain_atom(NrProver *p, NrValue *value) {
  bool fresh;
  uint32_t number = atom_of(p, value, NR_ATOM_VALUE, &fresh);
  if (fresh) {
    NrRange range = nr_range_of(value);
    p->atoms.data[number].min = range.min;
    p->atoms.data[number].max = range.max;
  }
  return nr_sum_atom(number);
}

/* ---- elements of tensors ------------------------------------------------------------------------------------------
 */

/* The tensor that holds the elements of this one, in another shape or some of them. */
static NrValue *holder_of(NrValue *tensor) {
  for (;;) {
    switch (tensor->op ? tensor->op->info->id : 0) {
    case NR_OP_tensor_cast:
    case NR_OP_tensor_expand_shape:
    case NR_OP_tensor_collapse_shape:
    case NR_OP_tensor_extract_slice: tensor = nr_operand(tensor->op, 0); break;
    default: return tensor;
    }
  }
}

/* Between which numbers the elements of a constant lie. */
static bool content_of_constant(NrAttr elements, int64_t *min, int64_t *max) {
  int64_t count, value;
  if (!nr_attr_is_elements(elements) || !nr_type_num_elements(elements->type, &count)) return false;
  if (count > MAX_CONTENT || count == 0 || !nr_type_is_int_or_index(elements->type->elem)) return false;
  *min = INT64_MAX;
  *max = INT64_MIN;
  for (int64_t i = 0; i < count; i++) {
    if (!nr_attr_is_int(nr_attr_element(elements, i), &value)) return false;
    *min = NR_MIN(*min, value);
    *max = NR_MAX(*max, value);
  }
  return true;
}

/* Bounds that the elements of a tensor keep, as sums in which an atom stands for any element. */
typedef struct Content {
  uint32_t element;
  uint32_t count;
  NrSum bounds[MAX_ATOM_FACTS];
} Content;

/* What is known of the first element of a list and holds for all others holds for any of them. */
static void content_of_list(NrProver *p, uint32_t number, NrOp *list) {
  enum { MAX_LISTED = 64 };
  if (list->num_operands == 0 || list->num_operands > MAX_LISTED) return;
  NrSum first = nr_prover_value(p, nr_operand(list, 0)), atom = nr_sum_atom(number);
  if (first.num_terms != 1 || first.terms[0].degree != 1 || first.terms[0].factor != 1 || first.constant) return;
  uint32_t element = first.terms[0].atoms[0];
  for (size_t i = p->facts.size; i-- > 0;) {
    NrSum fact = p->facts.data[i].sum;
    bool holds = nr_sum_has(&fact, element);
    for (uint32_t k = 1; k < list->num_operands && holds; k++) {
      NrSum other = nr_prover_value(p, nr_operand(list, k));
      holds = nr_prove_not_negative(p, nr_sum_replace(&fact, element, &other));
    }
    if (holds) add_atom_fact(p, number, nr_sum_replace(&fact, element, &atom));
  }
}

static void take_content(NrProver *p, uint32_t number, NrValue *tensor) {
  NrValue *holder = holder_of(tensor);
  if (nr_op_is(holder->op, NR_OP_tensor_from_elements)) content_of_list(p, number, holder->op);
  NrAttr constant = nr_value_constant(holder);
  int64_t min, max;
  if (constant && content_of_constant(constant, &min, &max)) {
    p->atoms.data[number].min = min;
    p->atoms.data[number].max = max;
  }
  const Content *content = nr_map_get(&p->contents, holder);
  NrSum atom = nr_sum_atom(number);
  for (uint32_t i = 0; content && i < content->count; i++)
    add_atom_fact(p, number, nr_sum_replace(&content->bounds[i], content->element, &atom));
}

static bool is_inside(const NrProver *p, const NrSum *x, uint32_t but, const NrOp *op) {
  for (uint32_t i = 0; i < x->num_terms; i++)
    for (uint32_t k = 0; k < x->terms[i].degree; k++) {
      uint32_t number = x->terms[i].atoms[k];
      const NrOp *owner = nr_block_parent_op(nr_value_block(p->atoms.data[number].value));
      if (number != but && nr_op_is_ancestor(op, owner)) return true;
    }
  return false;
}

/* The bounds of what a body yields hold for all elements of the result, where they are made of what is known outside of
 * the body. */
void nr_prover_leave_body(NrProver *p, NrOp *op) {
  const NrBlock *body = nr_op_body(op, 0);
  NrOp *yield = body ? nr_block_terminator(body) : NULL;
  for (uint32_t r = 0; yield && r < op->num_results && r < yield->num_operands; r++) {
    NrValue *value = nr_operand(yield, r);
    if (!nr_type_is_int_or_index(value->type)) continue;
    NrSum sum = nr_prover_value(p, value);
    if (!sum.known || sum.num_terms != 1 || sum.terms[0].degree != 1 || sum.terms[0].factor != 1 || sum.constant)
      continue;
    uint32_t element = sum.terms[0].atoms[0];
    Content *content = NR_NEW(&p->arena, Content);
    content->element = element;
    for (size_t i = p->facts.size; i-- > 0 && content->count < MAX_ATOM_FACTS;)
      if (nr_sum_has(&p->facts.data[i].sum, element) && !is_inside(p, &p->facts.data[i].sum, element, op))
        content->bounds[content->count++] = p->facts.data[i].sum;
    if (content->count) nr_map_set(&p->contents, nr_result(op, r), content);
  }
}

NrSum nr_prover_rank(NrProver *p, NrValue *tensor) {
  bool fresh;
  if (nr_type_is_ranked(tensor->type)) return nr_sum_constant(tensor->type->rank);
  uint32_t number = atom_of(p, tensor, NR_ATOM_RANK, &fresh);
  p->atoms.data[number].min = 0;
  p->atoms.data[number].max = NR_MAX_RANK;
  return nr_sum_atom(number);
}

/* An element whose place is constant is the same number wherever it is read. */
NrSum nr_prover_element(NrProver *p, NrValue *tensor, int64_t i) {
  bool fresh;
  int64_t known;
  NrAttr constant = nr_value_constant(tensor);
  if (nr_attr_is_elements(constant) && nr_attr_is_int(nr_attr_element(constant, i), &known))
    return nr_sum_constant(known);
  if (nr_op_is(tensor->op, NR_OP_tensor_from_elements) && i < tensor->op->num_operands)
    return nr_prover_value(p, nr_operand(tensor->op, (size_t)i));
  uint32_t number = atom_of(p, tensor, NR_ATOM_ELEMENT - i, &fresh);
  if (fresh) {
    type_range(tensor->type->elem, &p->atoms.data[number].min, &p->atoms.data[number].max);
    take_content(p, number, tensor);
  }
  return nr_sum_atom(number);
}

static NrSum element_of(NrProver *p, NrValue *value, NrOp *extract) {
  NrValue *tensor = nr_operand(extract, 0);
  int64_t at = 0, index, count;
  for (uint32_t d = 0; d < tensor->type->rank && at >= 0; d++) {
    int64_t dim = tensor->type->dims[d];
    bool known = nr_value_constant_int(nr_operand(extract, d + 1), &index) && index >= 0 &&
                 (d == 0 || dim != NR_DYNAMIC) && nr_mul_i64(at, d ? dim : 1, &at) && nr_add_i64(at, index, &at);
    if (!known) at = -1;
  }
  bool inside = !nr_type_num_elements(tensor->type, &count) || at < count;
  if (at >= 0 && at <= INT32_MAX && inside && nr_type_bits(value->type) > 1) return nr_prover_element(p, tensor, at);
  bool was_there = nr_map_has(&p->atoms_of, value);
  NrSum sum = plain_atom(p, value);
  if (!was_there) take_content(p, sum.terms[0].atoms[0], tensor);
  return sum;
}

/* ---- arithmetic ---------------------------------------------------------------------------------------------------
 */

/* The sum where the op that makes it cannot have wrapped, else the op's result as an unknown. */
static NrSum where_exact(NrProver *p, NrValue *value, NrSum sum) {
  int64_t min, max;
  type_range(value->type, &min, &max);
  if (!sum.known) return plain_atom(p, value);
  if (nr_prover_fits(p, &sum, min, max)) return sum;
  p->used_facts = true;
  if (nr_prover_fits_by_facts(p, &sum, min, max)) return sum;
  p->gave_up = true;
  return plain_atom(p, value);
}

static NrSum choice(NrProver *p, NrValue *value, NrAtomKind kind, NrSum x, NrSum y, NrValue *condition) {
  NrSum difference = nr_sum_add(&x, -1, &y);
  if (nr_sum_is_constant(&difference, 0)) return x;
  NrSum negated = nr_sum_add(&y, -1, &x);
  bool x_is_more = nr_prover_fits(p, &difference, 0, INT64_MAX), y_is_more = nr_prover_fits(p, &negated, 0, INT64_MAX);
  if (kind != NR_ATOM_SELECT && (x_is_more || y_is_more)) return (kind == NR_ATOM_MAX) == x_is_more ? x : y;
  bool fresh;
  uint32_t number = atom_of(p, value, NR_ATOM_VALUE, &fresh);
  NrSum sum = nr_sum_atom(number);
  if (!fresh) return sum;
  NrRange range = nr_range_of(value);
  int64_t low_x = least_of(p, &x), low_y = least_of(p, &y);
  int64_t least = kind == NR_ATOM_MAX ? NR_MAX(low_x, low_y) : NR_MIN(low_x, low_y);
  NrAtom *atom = &p->atoms.data[number];
  atom->min = NR_MAX(range.min, least);
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
    add_atom_fact(p, number, kind == NR_ATOM_MIN ? nr_sum_add(other, -1, &sum) : nr_sum_add(&sum, -1, other));
  }
  return sum;
}

/* q = x / y for a positive y: y * q <= x < y * q + y, or x <= y * q < x + y rounded up. */
static NrSum quotient(NrProver *p, NrOp *op, NrSum x, NrSum y) {
  bool up = nr_op_is(op, NR_OP_arith_ceildivsi) || nr_op_is(op, NR_OP_arith_ceildivui);
  bool floors = up || nr_op_is(op, NR_OP_arith_floordivsi);
  bool no_sign = nr_op_is(op, NR_OP_arith_divui) || nr_op_is(op, NR_OP_arith_ceildivui);
  NrSum sum = plain_atom(p, nr_result(op, 0));
  uint32_t number = sum.terms[0].atoms[0];
  bool not_negative = nr_prover_fits(p, &x, 0, INT64_MAX);
  if (!nr_prover_fits(p, &y, 1, INT64_MAX) || (!not_negative && (!floors || no_sign))) return sum;
  if (not_negative) p->atoms.data[number].min = NR_MAX(p->atoms.data[number].min, 0);
  if (nr_prover_fits(p, &x, INT64_MIN, NR_MAX_DIM))
    p->atoms.data[number].max = NR_MIN(p->atoms.data[number].max, NR_MAX_DIM);
  NrSum whole = nr_sum_mul(&y, &sum), rest = up ? nr_sum_add(&whole, -1, &x) : nr_sum_add(&x, -1, &whole);
  add_atom_fact(p, number, rest);
  NrSum gap = nr_sum_add(&y, -1, &rest);
  add_atom_fact(p, number, nr_sum_add_constant(&gap, -1));
  return sum;
}

static NrSum rest_of(NrProver *p, NrOp *op, NrSum x, NrSum y) {
  NrSum sum = plain_atom(p, nr_result(op, 0));
  uint32_t number = sum.terms[0].atoms[0];
  if (!nr_prover_fits(p, &y, 1, INT64_MAX) || !nr_prover_fits(p, &x, 0, INT64_MAX)) return sum;
  p->atoms.data[number].min = 0;
  if (nr_prover_fits(p, &y, 1, NR_MAX_DIM)) p->atoms.data[number].max = NR_MIN(p->atoms.data[number].max, NR_MAX_DIM);
  NrSum gap = nr_sum_add(&y, -1, &sum);
  add_atom_fact(p, number, nr_sum_add_constant(&gap, -1));
  add_atom_fact(p, number, nr_sum_add(&x, -1, &sum));
  return sum;
}

static NrSum of_binary(NrProver *p, NrValue *value, NrOp *op) {
  NrSum x = nr_prover_value(p, nr_operand(op, 0)), y = nr_prover_value(p, nr_operand(op, 1));
  bool no_signs = nr_prover_fits(p, &x, 0, INT64_MAX) && nr_prover_fits(p, &y, 0, INT64_MAX);
  switch (op->info->id) {
  case NR_OP_arith_addi: return where_exact(p, value, nr_sum_add(&x, 1, &y));
  case NR_OP_arith_subi: return where_exact(p, value, nr_sum_add(&x, -1, &y));
  case NR_OP_arith_muli: return where_exact(p, value, nr_sum_mul(&x, &y));
  case NR_OP_arith_minsi: return choice(p, value, NR_ATOM_MIN, x, y, NULL);
  case NR_OP_arith_maxsi: return choice(p, value, NR_ATOM_MAX, x, y, NULL);
  case NR_OP_arith_minui: return no_signs ? choice(p, value, NR_ATOM_MIN, x, y, NULL) : plain_atom(p, value);
  case NR_OP_arith_maxui: return no_signs ? choice(p, value, NR_ATOM_MAX, x, y, NULL) : plain_atom(p, value);
  case NR_OP_arith_remsi:
  case NR_OP_arith_remui: return rest_of(p, op, x, y);
  default: return quotient(p, op, x, y);
  }
}

static NrSum of_low_product(NrProver *p, NrValue *value, NrOp *op) {
  NrSum x = nr_prover_value(p, nr_operand(op, 0)), y = nr_prover_value(p, nr_operand(op, 1));
  bool no_signs = nr_prover_fits(p, &x, 0, INT64_MAX) && nr_prover_fits(p, &y, 0, INT64_MAX);
  bool is_signed = nr_op_is(op, NR_OP_arith_mulsi_extended);
  NrSum product = nr_sum_mul(&x, &y);
  if (is_signed && product.known && nr_prover_product_fits(p, op)) return p->used_facts = true, product;
  return is_signed || no_signs ? where_exact(p, value, product) : plain_atom(p, value);
}

/* What a checked product is where it fits. Of products of products a part may be too large and another one 0: then the
 * whole is 0, as it should be. */
static NrSum checked_product(NrProver *p, NrValue *value) {
  NrValue *left, *right;
  if (!nr_check_is_product(value, &left, &right)) return nr_prover_value(p, value);
  NrSum x = checked_product(p, left), y = checked_product(p, right);
  return nr_sum_mul(&x, &y);
}

static NrSum of_cast(NrProver *p, NrValue *value, NrOp *op) {
  NrValue *from = nr_operand(op, 0);
  if (!nr_type_is_int_or_index(from->type) || nr_type_bits(from->type) > 64 || nr_type_bits(from->type) == 1)
    return plain_atom(p, value);
  bool extends_zeros = nr_op_is(op, NR_OP_arith_extui) || nr_op_is(op, NR_OP_arith_index_castui);
  NrSum x = nr_prover_value(p, from);
  if (extends_zeros && nr_type_bits(from->type) < 64 && !nr_prover_fits(p, &x, 0, INT64_MAX))
    return plain_atom(p, value);
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
  case NR_OP_arith_mulsi_extended: return value->index == 0 ? of_low_product(p, value, op) : plain_atom(p, value);
  case NR_OP_arith_select: {
    NrValue *left, *right;
    if (nr_check_is_product(value, &left, &right)) /* or INT64_MAX; the condition is not looked at */
      return choice(p, value, NR_ATOM_SELECT, checked_product(p, value), nr_sum_constant(INT64_MAX), nr_operand(op, 0));
    NrSum x = nr_prover_value(p, nr_operand(op, 1)), y = nr_prover_value(p, nr_operand(op, 2));
    return choice(p, value, NR_ATOM_SELECT, x, y, nr_operand(op, 0));
  }
  case NR_OP_arith_index_cast:
  case NR_OP_arith_index_castui:
  case NR_OP_arith_extsi:
  case NR_OP_arith_extui:
  case NR_OP_arith_trunci: return of_cast(p, value, op);
  case NR_OP_tensor_dim:
  case NR_OP_memref_dim: {
    NrValue *shaped = nr_operand(op, 0);
    bool known = nr_type_is_ranked(shaped->type) && nr_value_constant_int(nr_operand(op, 1), &dim) && dim >= 0 &&
                 dim < (int64_t)shaped->type->rank;
    return known ? nr_prover_dim(p, shaped, (uint32_t)dim) : plain_atom(p, value);
  }
  case NR_OP_linalg_index: {
    NrSum sum = plain_atom(p, value);
    NrAtom *atom = &p->atoms.data[sum.terms[0].atoms[0]];
    atom->min = 0;
    atom->max = NR_MAX_DIM;
    return sum;
  }
  case NR_OP_tensor_rank: return nr_prover_rank(p, nr_operand(op, 0));
  case NR_OP_tensor_extract: return element_of(p, value, op);
  default: return plain_atom(p, value);
  }
}

/* An argument of a structured op's body is an element of the operand. */
static NrSum of_argument(NrProver *p, NrValue *arg) {
  const NrOp *owner = nr_block_parent_op(arg->block);
  bool was_there = nr_map_has(&p->atoms_of, arg);
  NrSum sum = plain_atom(p, arg);
  bool element = nr_op_is(owner, NR_OP_linalg_generic) && nr_type_is_tensor(nr_operand(owner, arg->index)->type);
  if (!was_there && element && arg->index < nr_generic_num_inputs(owner))
    take_content(p, sum.terms[0].atoms[0], nr_operand(owner, arg->index));
  return sum;
}

/* The sum of a value. What facts had to show holds as long as these facts do; where they did not show enough, more of
 * them may. */
typedef struct Cached {
  NrSum sum;
  bool used_facts, gave_up;
  size_t num_facts;
  uint64_t last_fact;
} Cached;

static uint64_t last_fact(const NrProver *p, size_t count) { return count ? p->facts.data[count - 1].number : 0; }

static bool is_valid(const NrProver *p, const Cached *c) {
  if (!c->used_facts) return true;
  if (p->facts.size < c->num_facts || last_fact(p, c->num_facts) != c->last_fact) return false;
  return !c->gave_up || p->facts.size == c->num_facts;
}

NrSum nr_prover_value(NrProver *p, NrValue *value) {
  int64_t constant;
  if (!nr_type_is_int_or_index(value->type) || nr_type_bits(value->type) > 64) return (NrSum){0};
  if (nr_value_constant_int(value, &constant)) return nr_sum_constant(constant);
  Cached *cached = nr_map_get(&p->sums, value);
  bool used_facts = p->used_facts, gave_up = p->gave_up;
  if (!cached || !is_valid(p, cached)) {
    if (p->nesting >= MAX_CHAIN) return plain_atom(p, value); /* programs can be deeper than the stack */
    p->used_facts = p->gave_up = false;
    p->nesting++;
    NrSum sum = value->op ? of_op(p, value, value->op) : of_argument(p, value);
    p->nesting--;
    if (!sum.known) sum = plain_atom(p, value);
    if (p->gave_up && p->fitting) { /* not for long: facts were not asked */
      p->used_facts = p->gave_up = true;
      return sum;
    }
    if (!cached) cached = NR_NEW(&p->arena, Cached);
    *cached = (Cached){sum, p->used_facts, p->gave_up, p->facts.size, last_fact(p, p->facts.size)};
    nr_map_set(&p->sums, value, cached);
  }
  p->used_facts = used_facts || cached->used_facts;
  p->gave_up = gave_up || cached->gave_up;
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

/* ---- dims ---------------------------------------------------------------------------------------------------------
 */

/* The value before a loop that an argument or result of it begins with, and what each trip gives on. */
static bool carried(NrValue *value, NrValue **out_init, NrValue **out_arg, NrValue **out_next) {
  NrOp *loop = value->op ? value->op : nr_block_parent_op(value->block);
  if (!nr_op_is(loop, NR_OP_scf_for) || (!value->op && value->index == 0)) return false;
  uint32_t i = value->op ? value->index : value->index - 1;
  NrOp *yield = nr_block_terminator(nr_op_body(loop, 0));
  if (!yield || i >= yield->num_operands) return false;
  *out_init = nr_scf_for_init(loop, i);
  *out_arg = nr_scf_for_arg(loop, i);
  *out_next = nr_operand(yield, i);
  return true;
}

/* The tensor whose shape this one has by what its op means; NULL: there is none. */
static NrValue *same_shape_as(NrValue *tensor) {
  NrOp *op = tensor->op;
  size_t begin, count;
  switch (op ? op->info->id : 0) {
  case NR_OP_linalg_generic:
  case NR_OP_linalg_fill:
    return nr_op_operand_group(op, 1, &begin, &count) && tensor->index < count ? nr_operand(op, begin + tensor->index)
                                                                               : NULL;
  case NR_OP_tensor_insert:
  case NR_OP_tensor_insert_slice: return nr_operand(op, 1);
  case NR_OP_tensor_cast: return nr_type_is_ranked(nr_operand(op, 0)->type) ? nr_operand(op, 0) : NULL;
  default:
    if (!op || !nr_op_has(op, NR_ELEMENTWISE) || nr_op_selects_whole(op)) return NULL;
    for (uint32_t i = 0; i < op->num_operands; i++)
      if (nr_operand(op, i)->type->kind == NR_TYPE_TENSOR) return nr_operand(op, i);
    return NULL;
  }
}

/* Whether the loop gives on a tensor of the shape that it got, in every trip. */
static bool keeps_shape(NrValue *arg, NrValue *next) {
  for (int steps = 0; next != arg; steps++) {
    NrValue *init, *inner, *after, *same = same_shape_as(next);
    if (steps == MAX_CHAIN) return false;
    if (!same && next->op && carried(next, &init, &inner, &after) && keeps_shape(inner, after)) same = init;
    if (!same) return false;
    next = same;
  }
  return true;
}

static NrSum group_product(NrProver *p, NrValue *source, const NrGroups *groups, uint32_t g) {
  NrSum product = nr_sum_constant(1);
  for (uint32_t i = 0; i < groups->size[g]; i++) {
    NrSum dim = nr_prover_dim(p, source, groups->begin[g] + i);
    product = nr_sum_mul(&product, &dim);
  }
  return product;
}

static NrSum of_pad(NrProver *p, NrOp *op, uint32_t d) {
  NrSum sum = nr_prover_dim(p, nr_operand(op, 0), d);
  for (size_t k = 0; k < 2; k++) {
    NrSum pad = nr_prover_index(p, nr_index_list_get(op, nr_pad_slots[k], d));
    sum = nr_sum_add(&sum, 1, &pad);
  }
  return sum;
}

static NrSum of_concat(NrProver *p, NrOp *op, uint32_t d) {
  NrSum sum = nr_prover_dim(p, nr_operand(op, 0), d);
  for (uint32_t i = 1; i < op->num_operands && d == (uint32_t)nr_op_attr_int(op, "dim", 0); i++) {
    NrSum next = nr_prover_dim(p, nr_operand(op, i), d);
    sum = nr_sum_add(&sum, 1, &next);
  }
  return sum;
}

/* The same in both branches. */
static NrSum of_branches(NrProver *p, NrOp *op, NrValue *result, uint32_t d) {
  NrOp *yields[2];
  for (uint32_t i = 0; i < 2; i++) {
    const NrBlock *body = nr_op_body(op, i);
    yields[i] = body ? nr_block_terminator(body) : NULL;
    if (!yields[i] || result->index >= yields[i]->num_operands) return (NrSum){0};
  }
  NrSum x = nr_prover_dim(p, nr_operand(yields[0], result->index), d);
  NrSum y = nr_prover_dim(p, nr_operand(yields[1], result->index), d), gap = nr_sum_add(&x, -1, &y);
  return nr_sum_is_constant(&gap, 0) && !is_inside(p, &x, UINT32_MAX, op) ? x : (NrSum){0};
}

static NrSum dim_of_op(NrProver *p, NrValue *tensor, uint32_t d) {
  NrOp *op = tensor->op;
  NrValue *init, *arg, *next, *same = same_shape_as(tensor);
  NrIndex index;
  NrGroups groups;
  if (same) return nr_prover_dim(p, same, d);
  if (carried(tensor, &init, &arg, &next)) return keeps_shape(arg, next) ? nr_prover_dim(p, init, d) : (NrSum){0};
  switch (op ? op->info->id : 0) {
  case 0: return (NrSum){0};
  case NR_OP_tensor_collapse_shape:
    return nr_groups_of(op, &groups) && d < groups.count ? group_product(p, nr_operand(op, 0), &groups, d)
                                                         : (NrSum){0};
  case NR_OP_tensor_pad: return of_pad(p, op, d);
  case NR_OP_tensor_concat: return of_concat(p, op, d);
  case NR_OP_scf_if: return of_branches(p, op, tensor, d);
  default: return nr_dim_of(tensor, d, &index) ? nr_prover_index(p, index) : (NrSum){0};
  }
}

NrSum nr_prover_dim(NrProver *p, NrValue *shaped, uint32_t dim) {
  NrType type = shaped->type;
  bool fresh;
  if (type->dims[dim] != NR_DYNAMIC) return nr_sum_constant(type->dims[dim]);
  NrSum **cached = nr_map_get(&p->dims, shaped);
  if (!cached) {
    cached = NR_NEW_ARRAY(&p->arena, NrSum *, type->rank);
    nr_map_set(&p->dims, shaped, cached);
  }
  if (cached[dim]) return *cached[dim];
  bool deep = p->nesting >= MAX_CHAIN, used_facts = p->used_facts;
  p->used_facts = false;
  p->nesting++;
  NrSum sum = deep ? (NrSum){0} : dim_of_op(p, shaped, dim);
  p->nesting--;
  deep |= p->used_facts; /* not kept: facts go */
  p->used_facts |= used_facts;
  if (!sum.known) {
    uint32_t number = atom_of(p, shaped, dim, &fresh);
    p->atoms.data[number].min = 0;
    p->atoms.data[number].max = NR_MAX_DIM;
    sum = nr_sum_atom(number);
  }
  if (!deep) cached[dim] = nr_arena_copy(&p->arena, &sum, sizeof sum);
  return sum;
}

/* ---- what ops say -------------------------------------------------------------------------------------------------
 */

/* lower <= iv < upper in a loop that runs. */
static void assume_between(NrProver *p, NrSum lower, NrSum iv, NrSum upper) {
  nr_prover_assume(p, nr_sum_add(&iv, -1, &lower));
  NrSum gap = nr_sum_add(&upper, -1, &iv);
  nr_prover_assume(p, nr_sum_add_constant(&gap, -1));
}

static void enter_loop(NrProver *p, NrBlock *body) {
  NrLoopRange range;
  for (uint32_t i = 0; i < body->num_args; i++) {
    NrValue *iv = nr_block_arg(body, i);
    if (!nr_loop_range(iv, &range)) continue;
    NrSum lower = nr_prover_value(p, range.lower), upper = nr_prover_value(p, range.upper);
    if (range.is_unsigned && !(nr_prove_not_negative(p, lower) && nr_prove_not_negative(p, upper))) continue;
    assume_between(p, lower, nr_prover_value(p, iv), upper);
  }
}

/* A number that a loop carries and only adds to is never below what it began with. */
static void enter_counters(NrProver *p, NrOp *loop, NrBlock *body, NrOp *yield, uint32_t first_arg,
                           uint32_t first_init) {
  for (uint32_t i = 0; i + first_arg < body->num_args && i < yield->num_operands; i++) {
    NrValue *arg = nr_block_arg(body, i + first_arg), *next = nr_operand(yield, i);
    int64_t step;
    if (!nr_type_is_int_or_index(arg->type) || nr_type_bits(arg->type) != 64 || !nr_op_is(next->op, NR_OP_arith_addi))
      continue;
    if (nr_operand(next->op, 0) != arg || !nr_value_constant_int(nr_operand(next->op, 1), &step)) continue;
    if (step < 0 || step > 1 << 20) continue; /* it would wrap after 2^43 trips, which is centuries */
    NrSum now = nr_prover_value(p, arg), begin = nr_prover_value(p, nr_operand(loop, first_init + i));
    nr_prover_assume(p, nr_sum_add(&now, -1, &begin));
  }
}

/* The second region of scf.while runs where the condition holds, with what the first one passes on. */
static void enter_after(NrProver *p, NrOp *loop, NrBlock *after) {
  NrOp *condition = nr_block_terminator(nr_op_body(loop, 0));
  if (!nr_op_is(condition, NR_OP_scf_condition)) return;
  nr_prover_assume_condition(p, nr_operand(condition, 0), true);
  for (uint32_t i = 0; i < after->num_args && i + 1 < condition->num_operands; i++) {
    NrValue *arg = nr_block_arg(after, i), *given = nr_operand(condition, i + 1);
    if (nr_type_is_int_or_index(arg->type))
      nr_prover_assume_equal(p, nr_prover_value(p, arg), nr_prover_value(p, given));
    for (uint32_t d = 0; arg->type->kind == NR_TYPE_TENSOR && d < arg->type->rank; d++)
      nr_prover_assume_equal(p, nr_prover_dim(p, arg, d), nr_prover_dim(p, given, d));
  }
}

/* The body runs where every loop has a range of at least 1. */
static void enter_generic(NrProver *p, NrOp *op) {
  for (size_t i = 0; i < nr_generic_num_loops(op); i++) {
    size_t operand, dim;
    if (!nr_generic_loop_source(op, i, &operand, &dim)) continue;
    NrSum range = nr_prover_dim(p, nr_operand(op, operand), (uint32_t)dim);
    nr_prover_assume(p, nr_sum_add_constant(&range, -1));
  }
}

static void enter_generate(NrProver *p, NrOp *op, NrBlock *body) {
  for (uint32_t i = 0; i < body->num_args; i++)
    assume_between(p, nr_sum_constant(0), nr_prover_value(p, nr_block_arg(body, i)),
                   nr_prover_dim(p, nr_result(op, 0), i));
}

/* Dims of a program's inputs that have one name are equal: the runtime refuses other inputs. */
static void enter_program(NrProver *p, NrOp *func, NrBlock *body) {
  NrAttr inputs = nr_op_attr(func, "noria.inputs");
  NrStrMap named = {0};
  for (uint32_t i = 0; inputs && inputs->kind == NR_ATTR_ARRAY && i < inputs->size && i < body->num_args; i++) {
    NrValue *arg = nr_block_arg(body, i);
    NrAttr names = inputs->items[i]->kind == NR_ATTR_DICT ? nr_dict_get(inputs->items[i], "dim_names") : NULL;
    if (!names || names->kind != NR_ATTR_ARRAY || arg->type->kind != NR_TYPE_TENSOR) continue;
    for (uint32_t d = 0; d < arg->type->rank && d < names->size; d++) {
      if (names->items[d]->kind != NR_ATTR_STRING || names->items[d]->s.size == 0) continue;
      NrSum size = nr_prover_dim(p, arg, d);
      NrSum *first = nr_strmap_get(&named, names->items[d]->s);
      if (!first) nr_strmap_set(&named, names->items[d]->s, nr_arena_copy(&p->arena, &size, sizeof size));
      else if (arg->type->dims[d] == NR_DYNAMIC) ((NrSum **)nr_map_get(&p->dims, arg))[d] = first;
    }
  }
  nr_strmap_deinit(&named);
}

void nr_prover_enter_region(NrProver *p, NrRegion *region) {
  NrOp *op = region->op;
  NrBlock *body = region->first;
  if (!body) return;
  NrOp *yield = nr_block_terminator(body);
  switch (op->info->id) {
  case NR_OP_scf_for:
    enter_loop(p, body);
    if (yield) enter_counters(p, op, body, yield, 1, 3);
    return;
  case NR_OP_func_func: enter_program(p, op, body); return;
  case NR_OP_scf_parallel: enter_loop(p, body); return;
  case NR_OP_scf_if: nr_prover_assume_condition(p, nr_operand(op, 0), region == op->regions); return;
  case NR_OP_scf_while: {
    NrOp *again = nr_block_terminator(nr_op_body(op, 1));
    if (region != op->regions) enter_after(p, op, body);
    else if (again) enter_counters(p, op, body, again, 0, 0);
    return;
  }
  case NR_OP_linalg_generic: enter_generic(p, op); return;
  case NR_OP_tensor_generate: enter_generate(p, op, body); return;
  default: return;
  }
}

/* A tensor that is there has sizes: what they are computed from is such that they are. */
static void assume_sizes(NrProver *p, NrValue *tensor) {
  for (uint32_t d = 0; tensor->type->kind == NR_TYPE_TENSOR && d < tensor->type->rank; d++) {
    NrSum size = nr_prover_dim(p, tensor, d);
    if (!nr_prover_fits(p, &size, 0, INT64_MAX)) nr_prover_assume(p, size);
    if (nr_prover_fits(p, &size, INT64_MIN, NR_MAX_DIM)) continue;
    NrSum most = nr_sum_constant(NR_MAX_DIM);
    nr_prover_assume(p, nr_sum_add(&most, -1, &size));
  }
}

void nr_prover_visit(NrProver *p, NrOp *op) {
  for (uint32_t r = 0; r < op->num_results; r++) assume_sizes(p, nr_result(op, r));
  switch (op->info->id) {
  case NR_OP_rt_check:
  case NR_OP_cf_assert: nr_prover_assume_condition(p, nr_operand(op, 0), true); return;
  case NR_OP_linalg_index: {
    NrOp *generic = nr_op_parent(op);
    size_t operand, dim;
    while (generic && !nr_op_is(generic, NR_OP_linalg_generic)) generic = nr_op_parent(generic);
    if (!generic || !nr_generic_loop_source(generic, (size_t)nr_op_attr_int(op, "dim", 0), &operand, &dim)) return;
    NrSum upper = nr_prover_dim(p, nr_operand(generic, operand), (uint32_t)dim);
    assume_between(p, nr_sum_constant(0), nr_prover_value(p, nr_result(op, 0)), upper);
    return;
  }
  default: return;
  }
}
