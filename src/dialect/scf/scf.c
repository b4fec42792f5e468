/* scf.c - the op definitions of dialect scf, and its builders. Hooks are in verify.c, syntax.c, fold.c, exit.c,
 * parallel.c, forall.c and canonicalize*.c. */
#include "dialect/scf/scf.h"

const char nr_scf_no_value[] = "the parallel loop reduces no values, and has no initial value";

static NrBlock *add_block(NrRegion *region) {
  NrBlock *block = nr_block_create(region->op->module);
  nr_block_append(region, block);
  return block;
}

static void add_args(NrBlock *block, NrValue *const *like, size_t count, NrLoc loc) {
  for (size_t i = 0; i < count; i++) nr_block_add_arg(block, like[i]->type, loc);
}

NrOp *nr_scf_for(NrBuilder *b, NrValue *lower, NrValue *upper, NrValue *step, NrValue *const *inits, size_t num_inits) {
  NR_VEC(NrValue *) operands = {0};
  NR_VEC(NrType) types = {0};
  nr_vec_push(&operands, lower);
  nr_vec_push(&operands, upper);
  nr_vec_push(&operands, step);
  for (size_t i = 0; i < num_inits; i++) {
    nr_vec_push(&operands, inits[i]);
    nr_vec_push(&types, inits[i]->type);
  }
  NrOp *op = nr_build(b, &(NrOpState){.info = nr_op_infos[NR_OP_scf_for],
                                      .operands = operands.data,
                                      .num_operands = operands.size,
                                      .result_types = types.data,
                                      .num_results = types.size,
                                      .num_regions = 1});
  NrBlock *body = add_block(nr_scf_for_region(op));
  nr_block_add_arg(body, lower->type, op->loc);
  add_args(body, inits, num_inits, op->loc);
  nr_vec_deinit(&operands);
  nr_vec_deinit(&types);
  return op;
}

NrOp *nr_scf_if(NrBuilder *b, NrValue *condition, const NrType *results, size_t num_results, bool with_else) {
  NrOp *op = nr_build(b, &(NrOpState){.info = nr_op_infos[NR_OP_scf_if],
                                      .operands = &condition,
                                      .num_operands = 1,
                                      .result_types = results,
                                      .num_results = num_results,
                                      .num_regions = 2});
  add_block(nr_scf_if_then_region(op));
  if (with_else) add_block(nr_scf_if_else_region(op));
  return op;
}

NrOp *nr_scf_while(NrBuilder *b, NrValue *const *inits, size_t num_inits, const NrType *results, size_t num_results) {
  NrOp *op = nr_build(b, &(NrOpState){.info = nr_op_infos[NR_OP_scf_while],
                                      .operands = inits,
                                      .num_operands = num_inits,
                                      .result_types = results,
                                      .num_results = num_results,
                                      .num_regions = 2});
  add_args(add_block(nr_scf_while_before_region(op)), inits, num_inits, op->loc);
  NrBlock *after = add_block(nr_scf_while_after_region(op));
  for (size_t i = 0; i < num_results; i++) nr_block_add_arg(after, results[i], op->loc);
  return op;
}

NrOp *nr_scf_parallel(NrBuilder *b, NrValue *const *lower, NrValue *const *upper, NrValue *const *step, size_t rank,
                      NrValue *const *inits, size_t num_inits) {
  NR_VEC(NrValue *) operands = {0};
  NR_VEC(NrType) types = {0};
  NrValue *const *groups[] = {lower, upper, step, inits};
  int32_t sizes[] = {(int32_t)rank, (int32_t)rank, (int32_t)rank, (int32_t)num_inits};
  for (size_t g = 0; g < 4; g++)
    for (int32_t i = 0; i < sizes[g]; i++) nr_vec_push(&operands, groups[g][i]);
  for (size_t i = 0; i < num_inits; i++) nr_vec_push(&types, inits[i]->type);
  NrOp *op = nr_build(b, &(NrOpState){.info = nr_op_infos[NR_OP_scf_parallel],
                                      .operands = operands.data,
                                      .num_operands = operands.size,
                                      .result_types = types.data,
                                      .num_results = types.size,
                                      .num_regions = 1});
  nr_op_set_attr(op, NR_A_operandSegmentSizes, nr_attr_dense_array(nr_type_i32(b->ctx), sizes, sizeof sizes));
  add_args(add_block(nr_scf_parallel_region(op)), lower, rank, op->loc);
  nr_vec_deinit(&operands);
  nr_vec_deinit(&types);
  return op;
}

NrOp *nr_scf_yield(NrBuilder *b, NrValue *const *values, size_t count) {
  return nr_build_op(b, NR_OP_scf_yield, values, count, NULL, 0);
}

NrOp *nr_scf_yield_results_of(NrBlock *block, NrOp *const *ops, size_t count) {
  NR_VEC(NrValue *) results = {0};
  for (size_t n = 0; n < count; n++)
    for (uint32_t i = 0; i < ops[n]->num_results; i++) nr_vec_push(&results, nr_result(ops[n], i));
  NrBuilder b = nr_builder_at_end(ops[0]->module, block, ops[0]->loc);
  NrOp *yield = nr_scf_yield(&b, results.data, results.size);
  nr_vec_deinit(&results);
  return yield;
}

NrOp *nr_scf_condition(NrBuilder *b, NrValue *condition, NrValue *const *values, size_t count) {
  NR_VEC(NrValue *) operands = {0};
  nr_vec_push(&operands, condition);
  for (size_t i = 0; i < count; i++) nr_vec_push(&operands, values[i]);
  NrOp *op = nr_build_op(b, NR_OP_scf_condition, operands.data, operands.size, NULL, 0);
  nr_vec_deinit(&operands);
  return op;
}

NrOp *nr_scf_reduce(NrBuilder *b, NrValue *const *values, size_t count) {
  return nr_build(b, &(NrOpState){.info = nr_op_infos[NR_OP_scf_reduce],
                                  .operands = values,
                                  .num_operands = count,
                                  .num_regions = count});
}

NrBuilder nr_scf_body_builder(NrBlock *body) {
  return nr_builder_at_end(body->module, body, nr_block_parent_op(body)->loc);
}

/* ---- queries and rebuilding -------------------------------------------------------------------------------------- */

bool nr_scf_trip_count(int64_t lower, int64_t upper, int64_t step, bool is_unsigned, uint64_t *out) {
  if (step == 0 || (!is_unsigned && step < 0)) return false;
  bool empty = is_unsigned ? (uint64_t)lower >= (uint64_t)upper : lower >= upper;
  uint64_t distance = (uint64_t)upper - (uint64_t)lower; /* no overflow: upper > lower */
  *out = empty ? 0 : (distance - 1) / (uint64_t)step + 1;
  return true;
}

bool nr_scf_stays_scalar(const NrOp *loop) {
  NrAttr hints = nr_op_attr(loop, NR_A_noria_loop), hint = hints ? nr_dict_get(hints, "vectorize") : NULL;
  int64_t value;
  return hint && nr_attr_is_int(hint, &value) && !value;
}

void nr_scf_keep_forall_attrs(const NrOp *forall, NrOp *parallel) {
  const NrAttrName *const kept[] = {NR_A_mapping, NR_A_noria_loop, NR_A_noria_point_ns};
  for (size_t i = 0; i < NR_COUNTOF(kept); i++)
    if (nr_op_attr(forall, kept[i])) nr_op_set_attr(parallel, kept[i], nr_op_attr(forall, kept[i]));
}

bool nr_scf_for_trip_count(const NrOp *op, uint64_t *out) {
  int64_t lower, upper, step;
  bool is_unsigned = nr_op_attr(op, NR_A_unsignedCmp) != NULL;
  if (nr_scf_for_lower_bound(op) == nr_scf_for_upper_bound(op)) {
    *out = 0;
    return true;
  }
  if (!nr_value_constant_int(nr_scf_for_lower_bound(op), &lower) ||
      !nr_value_constant_int(nr_scf_for_upper_bound(op), &upper))
    return false;
  uint32_t width = nr_type_bits(nr_scf_for_lower_bound(op)->type);
  if (width > 64) return false;
  if (is_unsigned && width < 64) {
    uint64_t mask = (UINT64_C(1) << width) - 1;
    lower = (int64_t)((uint64_t)lower & mask);
    upper = (int64_t)((uint64_t)upper & mask);
  }
  bool empty = is_unsigned ? (uint64_t)lower >= (uint64_t)upper : lower >= upper;
  if (empty) {
    *out = 0;
    return true;
  }
  if (!nr_value_constant_int(nr_scf_for_step(op), &step)) return false;
  if (is_unsigned && width < 64) step = (int64_t)((uint64_t)step & ((UINT64_C(1) << width) - 1));
  return nr_scf_trip_count(lower, upper, step, is_unsigned, out);
}

void nr_scf_replace_kept(NrOp *op, NrOp *fewer, const bool *drop) {
  for (uint32_t i = 0, kept = 0; i < op->num_results; i++) {
    if (drop[i]) continue;
    nr_result(fewer, kept)->name = nr_result(op, i)->name;
    nr_value_replace_uses(nr_result(op, i), nr_result(fewer, kept++));
  }
  nr_op_erase(op);
}

NrOp *nr_scf_extend(NrOp *op, NrValue *const *operands, size_t num_operands, const NrType *results,
                    size_t num_results) {
  NR_VEC(NrValue *) all = {0};
  NR_VEC(NrType) types = {0};
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&all, nr_operand(op, i));
  for (size_t i = 0; i < num_operands; i++) nr_vec_push(&all, operands[i]);
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&types, nr_result(op, i)->type);
  for (size_t i = 0; i < num_results; i++) nr_vec_push(&types, results[i]);
  NrOp *more = nr_op_rebuild(op, all.data, all.size, types.data, types.size);
  for (uint32_t i = 0; i < op->num_results; i++) {
    nr_result(more, i)->name = nr_result(op, i)->name;
    nr_value_replace_uses(nr_result(op, i), nr_result(more, i));
  }
  nr_op_erase(op);
  nr_vec_deinit(&all);
  nr_vec_deinit(&types);
  return more;
}

void nr_scf_take_in(NrOp *outer, NrBlock *block, NrOp *const *ops, size_t count) {
  uint32_t at = 0;
  for (size_t n = 0; n < count; n++)
    for (uint32_t i = 0; i < ops[n]->num_results; i++, at++) {
      nr_result(outer, at)->name = nr_result(ops[n], i)->name;
      nr_value_replace_uses(nr_result(ops[n], i), nr_result(outer, at));
    }
  for (size_t n = 0; n < count; n++) {
    nr_op_unlink(ops[n]);
    nr_op_append(block, ops[n]);
  }
  nr_scf_yield_results_of(block, ops, count);
}

void nr_scf_inline_before(NrOp *op, NrBlock *block, NrValue *const *args) {
  for (uint32_t i = 0; i < block->num_args; i++) nr_value_replace_uses(block->args[i], args[i]);
  NrOp *terminator = nr_block_terminator(block), *next;
  for (NrOp *inner = block->first; inner && inner != terminator; inner = next) {
    next = inner->next;
    nr_op_unlink(inner);
    nr_op_insert_before(inner, op);
  }
}

NrOp *nr_scf_for_drop_carried(NrOp *op, const bool *drop) {
  NR_VEC(NrValue *) inits = {0};
  uint32_t count = nr_scf_for_num_inits(op);
  for (uint32_t i = 0; i < count; i++)
    if (!drop[i]) nr_vec_push(&inits, nr_scf_for_init(op, i));
  NrBuilder b = nr_builder_before(op);
  NrOp *loop = nr_scf_for(&b, nr_scf_for_lower_bound(op), nr_scf_for_upper_bound(op), nr_scf_for_step(op), inits.data,
                          inits.size);
  nr_vec_deinit(&inits);
  for (uint32_t i = 0; i < op->num_attrs; i++) nr_op_set_attr_named(loop, op->attrs[i].name.data, op->attrs[i].value);
  nr_block_erase(nr_scf_for_body(loop));
  NrBlock *body = nr_scf_for_body(op);
  NrOp *yield = nr_block_terminator(body);
  for (uint32_t i = count; i-- > 0;) {
    if (!drop[i]) continue;
    nr_op_erase_operand(yield, i);
    nr_block_erase_arg(body, 1 + i);
  }
  nr_region_take(nr_scf_for_region(loop), nr_scf_for_region(op));
  nr_scf_replace_kept(op, loop, drop);
  return loop;
}

/* ---- loops under construction ------------------------------------------------------------------------------------ */

NrOp *nr_scf_open_for(NrBuilder *b, NrValue *from, NrValue *to, NrValue *step, NrValue **carried, size_t count,
                      NrValue **out_iv) {
  NrOp *loop = nr_scf_for(b, from, to, step, carried, count);
  NrBlock *body = nr_scf_for_body(loop);
  *out_iv = nr_block_arg(body, 0);
  for (size_t i = 0; i < count; i++) carried[i] = nr_block_arg(body, i + 1);
  *b = nr_builder_at_end(b->module, body, b->loc);
  return loop;
}

void nr_scf_close_for(NrBuilder *b, NrOp *loop, NrValue **carried, size_t count) {
  nr_build_op(b, NR_OP_scf_yield, carried, count, NULL, 0);
  *b = nr_builder_after(loop);
  for (size_t i = 0; i < count; i++) carried[i] = nr_result(loop, i);
}

#include "ir/rows.h"
#include "dialect/scf/types.def"
#include "dialect/scf/ops.def"
