/* expand.c - see expand.h. */
#include "pass/expand/expand.h"

#include <stdio.h>

#include "dialect/vector/vector.h"
#include "pass/core/rewrite.h"

void nr_expand_at(NrExpand *x, NrOp *op) {
  NrRegion *owner = nr_isolated_region(op);
  x->b = nr_builder_before(op);
  if (owner == x->owner) return;
  x->owner = owner;
  nr_map_clear(&x->constants);
}

void nr_expand_deinit(NrExpand *x) { nr_map_deinit(&x->constants); }

NrStatus nr_expand_matching(NrPassContext *pass, NrOp *root, NrExpandFn fn) {
  NrExpand x = {.target = pass->target};
  NrOpList ops = {0};
  NrStatus status = NR_OK;
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size && !status; i++)
    if (!nr_is_erased(ops.data[i])) status = fn(&x, ops.data[i]);
  nr_vec_deinit(&ops);
  nr_expand_deinit(&x);
  return status;
}

/* ---- ops -------------------------------------------------------------------------------------------------------- */

NrType nr_expand_like(NrType elem, const NrValue *shape) {
  return shape->type->kind == NR_TYPE_VECTOR ? nr_type_with_elem(shape->type, elem) : elem;
}

NrValue *nr_expand_constant(NrExpand *x, NrType type, NrAttr scalar) {
  NrAttr attr = scalar;
  if (type->kind == NR_TYPE_VECTOR) {
    uint64_t bits = scalar->kind == NR_ATTR_FLOAT ? scalar->bits : (uint64_t)scalar->i;
    attr = nr_attr_dense(type, scalar->num_words ? scalar->words : &bits, nr_type_byte_size(type->elem));
  }
  NrValue *value = nr_map_get(&x->constants, attr);
  if (value) return value;
  NrBuilder b = nr_builder_at_start(x->b.module, x->owner->first, x->b.loc);
  value = nr_arith_constant(&b, attr);
  nr_map_set(&x->constants, attr, value);
  return value;
}

NrValue *nr_expand_float(NrExpand *x, const NrValue *like, double value) {
  return nr_expand_constant(x, like->type, nr_attr_float(nr_type_elem(like->type), value));
}

NrValue *nr_expand_int(NrExpand *x, const NrValue *like, uint64_t value) {
  return nr_expand_constant(x, like->type, nr_attr_int(nr_type_elem(like->type), (int64_t)value));
}

NrValue *nr_expand_one(NrExpand *x, unsigned op_id, NrValue *a) { return nr_build_value(&x->b, op_id, a->type, &a, 1); }

NrValue *nr_expand_two(NrExpand *x, unsigned op_id, NrValue *a, NrValue *b) {
  return nr_build_value(&x->b, op_id, a->type, (NrValue *[]){a, b}, 2);
}

NrValue *nr_expand_cast(NrExpand *x, unsigned op_id, NrValue *a, NrType elem) {
  NrType type = nr_expand_like(elem, a);
  return type == a->type ? a : nr_build_value(&x->b, op_id, type, &a, 1);
}

NrValue *nr_expand_bits(NrExpand *x, NrValue *a) {
  return nr_expand_cast(x, NR_OP_arith_bitcast, a, nr_type_int(x->b.ctx, nr_type_elem(a->type)->width));
}

NrValue *nr_expand_from_bits(NrExpand *x, NrValue *a, NrType elem) {
  return nr_expand_cast(x, NR_OP_arith_bitcast, a, elem);
}

NrValue *nr_expand_compare(NrExpand *x, NrCmpF predicate, NrValue *a, double value) {
  return nr_arith_cmpf(&x->b, predicate, a, nr_expand_float(x, a, value));
}

NrValue *nr_expand_compare_int(NrExpand *x, NrCmpI predicate, NrValue *a, uint64_t value) {
  return nr_arith_cmpi(&x->b, predicate, a, nr_expand_int(x, a, value));
}

NrValue *nr_expand_pick(NrExpand *x, NrValue *cond, NrValue *yes, NrValue *no) {
  return nr_arith_select(&x->b, cond, yes, no);
}

NrValue *nr_expand_fused(NrExpand *x, NrValue *a, NrValue *b, NrValue *c) {
  if (x->target->units & NR_UNIT_FMA) return nr_build_value(&x->b, NR_OP_math_fma, a->type, (NrValue *[]){a, b, c}, 3);
  return nr_expand_two(x, NR_OP_arith_addf, nr_expand_two(x, NR_OP_arith_mulf, a, b), c);
}

NrValue *nr_expand_polynomial(NrExpand *x, NrValue *at, const double *coefficients, size_t count) {
  NrValue *sum = nr_expand_float(x, at, coefficients[count - 1]);
  for (size_t i = count - 1; i-- > 0;) sum = nr_expand_fused(x, sum, at, nr_expand_float(x, at, coefficients[i]));
  return sum;
}

/* ---- element by element ----------------------------------------------------------------------------------------- */

bool nr_expand_can(const NrOp *op) {
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrType type = nr_operand(op, i)->type, elem = nr_type_elem(type);
    if (nr_type_is_shaped(type) && (type->kind != NR_TYPE_VECTOR || type->scalable)) return false;
    if (nr_type_is_float_kind(elem, NR_F80) || nr_type_is_float_kind(elem, NR_F128)) return false;
  }
  return true;
}

typedef struct Lanes {
  NrExpand *x;
  NrOp *op;
  NrExpandLaneFn fn;
  size_t num_args, num_results;
  uint32_t stop; /* the rank of the vectors that fn takes */
} Lanes;

static uint32_t rank_of(const NrValue *value) { return value->type->kind == NR_TYPE_VECTOR ? value->type->rank : 0; }

/* outs: the types of the results, in the shape of args. */
static void by_rows(const Lanes *l, NrValue *const *args, const NrType *outs, NrValue **out) {
  NrValue *items[NR_EXPAND_OPERANDS], *results[NR_EXPAND_RESULTS];
  NrType inner[NR_EXPAND_RESULTS];
  uint32_t rank = rank_of(args[0]);
  bool is_vector = args[0]->type->kind == NR_TYPE_VECTOR; /* also of rank 0 */
  if (rank <= l->stop && (l->stop || !is_vector)) {
    l->fn(l->x, l->op, args, out);
    return;
  }
  int64_t count = rank ? args[0]->type->dims[0] : 1;
  for (size_t r = 0; r < l->num_results; r++) {
    out[r] = nr_build_value(&l->x->b, NR_OP_ub_poison, outs[r], NULL, 0);
    inner[r] = rank > 1 ? nr_type_vector(outs[r]->dims + 1, rank - 1, outs[r]->elem) : outs[r]->elem;
  }
  for (int64_t i = 0; i < count; i++) {
    NrIndex at = nr_index_const(i);
    for (size_t a = 0; a < l->num_args; a++)
      items[a] = nr_build_vector_extract(&l->x->b, args[a], &at, rank ? 1 : 0);
    by_rows(l, items, inner, results);
    for (size_t r = 0; r < l->num_results; r++)
      out[r] = nr_build_vector_insert(&l->x->b, results[r], out[r], &at, rank ? 1 : 0);
  }
}

void nr_expand_lanes(NrExpand *x, NrOp *op, bool scalars, NrExpandLaneFn fn, NrValue **out) {
  NrValue *args[NR_EXPAND_OPERANDS];
  NrType outs[NR_EXPAND_RESULTS];
  Lanes lanes = {x, op, fn, op->num_operands, op->num_results, scalars ? 0 : 1};
  assert(op->num_operands <= NR_EXPAND_OPERANDS && op->num_results <= NR_EXPAND_RESULTS);
  for (size_t i = 0; i < lanes.num_args; i++) args[i] = nr_operand(op, i);
  for (size_t i = 0; i < lanes.num_results; i++) outs[i] = nr_result(op, i)->type;
  by_rows(&lanes, args, outs, out);
}

/* ---- the C library ---------------------------------------------------------------------------------------------- */

static NrValue *call(NrExpand *x, const char *name, NrValue *const *args, size_t count, bool rare) {
  char symbol[32];
  bool is_f32 = nr_type_is_float_kind(args[0]->type, NR_F32);
  snprintf(symbol, sizeof symbol, "%s%s", name, is_f32 ? "f" : "");
  NrOp *op = nr_build_op(&x->b, NR_OP_rt_libm, args, count, &args[0]->type, 1);
  nr_op_set_attr(op, NR_A_name, nr_attr_string(x->b.ctx, nr_str(symbol)));
  if (rare) nr_op_set_attr(op, NR_A_rare, nr_attr_unit(x->b.ctx));
  return nr_op_result(op);
}

static NrValue *by_libm(NrExpand *x, const char *name, NrValue *const *args, size_t count, bool rare) {
  NrType type = args[0]->type;
  if (type->kind != NR_TYPE_VECTOR) return call(x, name, args, count, rare);
  NrValue *out = nr_build_value(&x->b, NR_OP_ub_poison, type, NULL, 0), *items[NR_EXPAND_OPERANDS];
  assert(type->rank <= 1 && count <= NR_EXPAND_OPERANDS);
  for (int64_t i = 0; i < (type->rank ? type->dims[0] : 1); i++) {
    NrIndex at = nr_index_const(i);
    for (size_t a = 0; a < count; a++) items[a] = nr_build_vector_extract(&x->b, args[a], &at, type->rank);
    out = nr_build_vector_insert(&x->b, call(x, name, items, count, rare), out, &at, type->rank);
  }
  return out;
}

NrValue *nr_expand_libm(NrExpand *x, const char *name, NrValue *const *args, size_t count) {
  return by_libm(x, name, args, count, false);
}

NrValue *nr_expand_rare_libm(NrExpand *x, const char *name, NrValue *const *args, size_t count) {
  return by_libm(x, name, args, count, true);
}

bool nr_expand_has_blocks(const NrOp *op) {
  NrOp *parent = nr_op_parent(op);
  return parent && nr_op_has(parent, NR_FUNCTION);
}
