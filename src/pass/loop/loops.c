/* loops.c - shared by the passes that rewrite scf.for; see loops.h. */
#include "pass/loop/loops.h"

#include "dialect/affine/affine.h"
#include "dialect/arith/arith.h"

/* ---- queries ----------------------------------------------------------------------------------------------------- */

void nr_collect_fors(NrOp *root, NrOpList *out) {
  NrOpList all = {0};
  nr_collect_ops(root, &all);
  for (size_t i = 0; i < all.size; i++)
    if (nr_op_is(all.data[i], NR_OP_scf_for) && nr_type_bits(nr_for_iv(all.data[i])->type) <= 64)
      nr_vec_push(out, all.data[i]);
  nr_vec_deinit(&all);
}

/* The next loop of a perfect nest in loop's body, or NULL. */
static NrOp *next_in_nest(NrOp *loop, NrOp *outermost) {
  NrBlock *body = nr_for_body(loop);
  NrOp *yield = body->last, *inner = yield->prev;
  if (!inner || inner->info != loop->info || inner->num_results != loop->num_results) return NULL;
  for (uint32_t i = 0; i < inner->num_operands - inner->num_results; i++)
    if (!nr_value_is_outside(nr_operand(inner, i), outermost) && !nr_value_constant(nr_operand(inner, i))) return NULL;
  for (NrOp *op = body->first; op != inner; op = op->next)
    if (!nr_op_has(op, NR_CONSTANT_LIKE)) return NULL;
  for (uint32_t i = 0; i < loop->num_results; i++) {
    NrValue *arg = nr_for_arg(loop, i);
    if (nr_for_init(inner, i) != arg || !nr_value_has_one_use(arg)) return NULL;
    if (nr_operand(yield, i) != nr_result(inner, i)) return NULL;
  }
  return inner;
}

size_t nr_perfect_nest(NrOp *loop, NrOp **out, size_t max) {
  size_t count = 0;
  for (NrOp *at = loop, *inner; at && count < max; at = inner) {
    out[count++] = at;
    inner = count < max ? next_in_nest(at, loop) : NULL;
    if (inner && nr_type_bits(nr_for_iv(inner)->type) > 64) break;
    NrBlock *body = nr_for_body(at);
    while (inner && body->first != inner) {
      NrOp *constant = body->first;
      nr_op_unlink(constant);
      nr_op_insert_before(constant, loop);
    }
  }
  return count;
}

typedef struct Count {
  size_t ops, limit;
} Count;

static bool count_op(NrOp *op, void *user) {
  Count *count = user;
  (void)op;
  return ++count->ops <= count->limit;
}

size_t nr_count_ops(NrOp *op, size_t limit) {
  Count count = {0, limit};
  nr_walk_pre(op, count_op, &count);
  return count.ops;
}

size_t nr_copies_left(NrOp *root) {
  enum { FULL = 1 << 17, MORE = 1 << 15 };
  size_t ops = nr_count_ops(root, FULL);
  return ops < FULL - MORE ? FULL - ops : MORE;
}

bool nr_take_copies(size_t *left, NrOp *loop, uint64_t copies) {
  size_t ops = nr_count_ops(loop, *left);
  if (copies && ops > *left / copies) return false;
  *left -= ops * (size_t)copies;
  return true;
}

bool nr_minimum_constant(const NrValue *value, int64_t *out) {
  const NrOp *op = value->op;
  if (nr_op_is(op, NR_OP_affine_min)) return nr_affine_constant_extreme(nr_op_attr(op, NR_A_map), false, out);
  if (!nr_op_is(op, NR_OP_arith_minsi) && !nr_op_is(op, NR_OP_arith_minui)) return false;
  for (uint32_t i = 0; i < 2; i++)
    if (nr_value_constant_int(nr_operand(op, i), out)) return true;
  return false;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static NrForBounds bounds_of(const NrOp *loop) {
  return (NrForBounds){nr_scf_for_lower_bound(loop), nr_scf_for_upper_bound(loop), nr_scf_for_step(loop)};
}

NrValue *nr_for_bounds_distance(NrBuilder *b, NrForBounds bounds, bool is_unsigned) {
  NrValue *lower = bounds.lower, *upper = bounds.upper;
  NrValue *runs = nr_fold_cmpi(b, is_unsigned ? NR_CMPI_ULT : NR_CMPI_SLT, lower, upper);
  NrValue *distance = nr_fold_binary(b, NR_OP_arith_subi, upper, lower); /* exact as an unsigned number */
  return nr_fold_select(b, runs, distance, nr_arith_constant_int(b, lower->type, 0));
}

NrValue *nr_for_bounds_trips(NrBuilder *b, NrForBounds bounds, bool is_unsigned) {
  NrValue *distance = nr_for_bounds_distance(b, bounds, is_unsigned);
  int64_t constant;
  if (nr_value_constant_int(bounds.step, &constant) && constant == 1) return distance;
  return nr_fold_binary(b, NR_OP_arith_ceildivui, distance, bounds.step);
}

static NrValue *iv_of(NrBuilder *b, NrForBounds bounds, NrValue *n) {
  return nr_fold_binary(b, NR_OP_arith_addi, bounds.lower, nr_fold_binary(b, NR_OP_arith_muli, n, bounds.step));
}

NrValue *nr_for_build_distance(NrBuilder *b, NrOp *loop) {
  return nr_for_bounds_distance(b, bounds_of(loop), nr_is_unsigned_for(loop));
}
NrValue *nr_for_build_trips(NrBuilder *b, NrOp *loop) {
  return nr_for_bounds_trips(b, bounds_of(loop), nr_is_unsigned_for(loop));
}
NrValue *nr_for_build_iv(NrBuilder *b, NrOp *loop, NrValue *n) { return iv_of(b, bounds_of(loop), n); }

uint64_t nr_for_largest(const NrOp *loop) {
  uint32_t bits = nr_type_bits(nr_for_iv(loop)->type);
  uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
  return nr_is_unsigned_for(loop) ? mask : mask >> 1;
}

NrForCut nr_for_bounds_cut(NrBuilder *b, NrOp *loop, NrForBounds bounds, int64_t factor) {
  NrValue *lower = bounds.lower, *upper = bounds.upper, *step = bounds.step;
  NrType type = lower->type;
  NrValue *times = nr_arith_constant_int(b, type, factor);
  NrValue *trips = nr_for_bounds_trips(b, bounds, nr_is_unsigned_for(loop));
  NrValue *rest = nr_fold_binary(b, NR_OP_arith_remui, trips, times);
  NrValue *limit = nr_arith_constant_int(b, type, (int64_t)(nr_for_largest(loop) / (uint64_t)factor));
  NrValue *fits = nr_fold_cmpi(b, NR_CMPI_ULE, step, limit);
  NrValue *whole = nr_fold_binary(b, NR_OP_arith_subi, trips, rest);
  NrValue *none_left = nr_fold_cmpi(b, NR_CMPI_EQ, rest, nr_arith_constant_int(b, type, 0));
  /* lower + whole * step may overflow when no iterations are left. */
  NrValue *end = nr_fold_select(b, none_left, upper, iv_of(b, bounds, whole));
  int64_t left, fit, count;
  bool known_fit = nr_value_constant_int(fits, &fit);
  NrForCut cut = {.split = nr_fold_select(b, fits, end, lower),
                  .step = nr_fold_select(b, fits, nr_fold_binary(b, NR_OP_arith_muli, step, times),
                                         nr_arith_constant_int(b, type, 1))};
  if (!nr_value_constant_int(cut.step, &cut.wide)) cut.wide = 0;
  cut.all = known_fit && fit && nr_value_constant_int(rest, &left) && left == 0;
  cut.none = (known_fit && !fit) || (nr_value_constant_int(whole, &count) && count == 0);
  return cut;
}

static NrValue *cast(NrBuilder *b, unsigned op_id, NrValue *value, NrType type) {
  return nr_build_folded(b, nr_build_value(b, op_id, type, &value, 1)->op);
}

NrValue *nr_to_count(NrBuilder *b, NrValue *value) {
  if (nr_type_is_index(value->type)) return value;
  return cast(b, NR_OP_arith_index_castui, value, nr_type_index(b->ctx));
}

NrValue *nr_from_count(NrBuilder *b, NrValue *count, NrType type) {
  return nr_type_is_index(type) ? count : cast(b, NR_OP_arith_index_castui, count, type);
}

/* ---- versions ---------------------------------------------------------------------------------------------------- */

NrOp *nr_build_versions(NrBuilder *b, NrValue *condition, NrOp *const *ops, size_t count) {
  NR_VEC(NrType) types = {0};
  for (size_t n = 0; n < count; n++)
    for (uint32_t i = 0; i < ops[n]->num_results; i++) nr_vec_push(&types, nr_result(ops[n], i)->type);
  NrOp *branch = nr_scf_if(b, condition, types.data, types.size, true);
  nr_scf_take_in(branch, nr_scf_if_else_body(branch), ops, count);
  nr_vec_deinit(&types);
  return branch;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

NrOp *nr_for_clone(NrBuilder *b, NrOp *loop) {
  NrMap map = {0};
  NrOp *copy = nr_op_clone(b->module, loop, &map);
  nr_builder_insert(b, copy);
  nr_map_deinit(&map);
  return copy;
}

void nr_for_clone_body(NrBuilder *b, NrOp *loop, NrValue *iv, NrValue **carried) {
  NrBlock *body = nr_for_body(loop);
  NrOp *yield = body->last;
  NrMap map = {0};
  nr_map_set(&map, nr_for_iv(loop), iv);
  for (uint32_t i = 0; i < loop->num_results; i++) nr_map_set(&map, nr_for_arg(loop, i), carried[i]);
  for (NrOp *op = body->first; op != yield; op = op->next) nr_builder_insert(b, nr_op_clone(b->module, op, &map));
  for (uint32_t i = 0; i < loop->num_results; i++) {
    NrValue *copy = nr_map_get(&map, nr_operand(yield, i));
    carried[i] = copy ? copy : nr_operand(yield, i);
  }
  nr_map_deinit(&map);
}

void nr_for_replace(NrOp *loop, NrValue *const *values) {
  for (uint32_t i = 0; i < loop->num_results; i++) {
    if (values[i]->op && !values[i]->name) values[i]->name = nr_result(loop, i)->name;
    nr_value_replace_uses(nr_result(loop, i), values[i]);
  }
  nr_op_erase(loop);
}
