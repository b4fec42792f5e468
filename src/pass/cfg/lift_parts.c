/* lift_parts.c - edges, blocks and multiplexers for lift-cf-to-scf; see lift.h. */
#include "pass/cfg/lift.h"

#include "dialect/arith/arith.h"
#include "dialect/cf/cf.h"
#include "dialect/arith/fold.h"
#include "ir/text.h"

/* ---- building ---------------------------------------------------------------------------------------------------- */

NrValue *nr_lift_constant(NrLifter *l, NrAttr value) {
  NrValue *known = nr_map_get(&l->constants, value);
  if (known) return known;
  NrBlock *entry = nr_lift_region(l->root)->first;
  NrBuilder b = nr_builder_at_start(entry->module, entry, l->root->loc);
  known = nr_arith_constant(&b, value);
  nr_map_set(&l->constants, value, known);
  return known;
}

NrValue *nr_lift_zero(NrLifter *l, NrType type) {
  bool cheap = nr_type_is_int_or_index(nr_type_elem(type)) || nr_type_is_float(nr_type_elem(type));
  NrAttr zero = cheap && type->kind != NR_TYPE_TENSOR ? nr_zero_attr(type) : NULL;
  if (zero) return nr_lift_constant(l, zero);
  NrValue *known = nr_map_get(&l->constants, type);
  if (known) return known;
  NrBlock *entry = nr_lift_region(l->root)->first;
  NrBuilder b = nr_builder_at_start(entry->module, entry, l->root->loc);
  known = nr_build_value(&b, NR_OP_ub_poison, type, NULL, 0);
  nr_map_set(&l->constants, type, known);
  return known;
}

NrBlock *nr_lift_new_block(NrRegion *region) {
  NrBlock *block = nr_block_create(region->op->module);
  nr_block_append(region, block);
  return block;
}

NrBuilder nr_lift_at_end(NrBlock *block) {
  return nr_builder_at_end(block->module, block, block->region->op->loc);
}

size_t nr_lift_successor_number(const NrSuccessor *s) { return (size_t)(s - s->owner->successors); }

void nr_lift_successor_operands(const NrSuccessor *s, NrValueList *out) {
  for (uint32_t i = 0; i < s->num_operands; i++)
    nr_vec_push(out, nr_successor_operand(s->owner, nr_lift_successor_number(s), i));
}

void nr_lift_redirect(NrSuccessor *s, NrBlock *to, NrValue *const *operands, size_t count) {
  NrOp *op = s->owner;
  size_t n = nr_lift_successor_number(s);
  while (s->num_operands) nr_successor_erase_operand(op, n, s->num_operands - 1);
  nr_op_set_successor(op, n, to);
  for (size_t i = 0; i < count; i++) nr_successor_append_operand(op, n, operands[i]);
}

/* The edge of a cf.br can be replaced by another terminator in its block; any other edge gets a new block. */
NrBlock *nr_lift_block_of_edge(NrSuccessor *s) {
  if (nr_op_is(s->owner, NR_OP_cf_br)) {
    NrBlock *block = s->owner->block;
    nr_op_erase(s->owner);
    return block;
  }
  NrBlock *block = nr_block_create(s->owner->module);
  nr_block_insert_after(block, s->owner->block);
  nr_lift_redirect(s, block, NULL, 0);
  return block;
}

/* ---- multiplexers ------------------------------------------------------------------------------------------------ */

void nr_lift_add_target(NrMultiplexer *m, NrBlock *target) {
  for (size_t i = 0; i < m->targets.size; i++)
    if (m->targets.data[i] == target) return;
  nr_vec_push(&m->targets, target);
  nr_vec_push(&m->first, m->num_values);
  m->num_values += target->num_args;
}

static size_t target_number(const NrMultiplexer *m, const NrBlock *target) {
  size_t i = 0;
  while (m->targets.data[i] != target) i++;
  return i;
}

static NrType number_type(const NrMultiplexer *m, NrContext *ctx) {
  return m->targets.size == 2 ? nr_type_i1(ctx) : nr_type_i32(ctx);
}

void nr_lift_add_target_args(NrBlock *block, const NrMultiplexer *m) {
  NrLoc loc = block->region->op->loc;
  for (size_t t = 0; t < m->targets.size; t++)
    for (uint32_t i = 0; i < m->targets.data[t]->num_args; i++)
      nr_block_add_arg(block, m->targets.data[t]->args[i]->type, loc);
  if (m->targets.size > 1) nr_block_add_arg(block, number_type(m, nr_op_context(block->region->op)), loc);
}

void nr_lift_push_target(NrLifter *l, const NrMultiplexer *m, const NrBlock *target, const NrValueList *operands,
                        NrValueList *out) {
  for (size_t t = 0; t < m->targets.size; t++)
    for (uint32_t i = 0; i < m->targets.data[t]->num_args; i++)
      nr_vec_push(out, m->targets.data[t] == target ? operands->data[i]
                                                    : nr_lift_zero(l, m->targets.data[t]->args[i]->type));
  if (m->targets.size > 1) {
    size_t number = target ? target_number(m, target) : 0;
    nr_vec_push(out, nr_lift_constant(l, nr_attr_int(number_type(m, nr_op_context(l->root)), (int64_t)number)));
  }
}

void nr_lift_dispatch(const NrMultiplexer *m, NrBlock *block, uint32_t first) {
  NrBuilder b = nr_lift_at_end(block);
  NrValue **args = block->args + first;
  size_t count = m->targets.size;
  NrValue *number = count > 1 ? args[m->num_values] : NULL;
  if (count == 1) {
    nr_cf_br(&b, m->targets.data[0], args, m->num_values);
  } else if (count == 2) {
    NrBlock *zero = m->targets.data[0], *one = m->targets.data[1];
    nr_cf_cond_br(&b, number, one, args + m->first.data[1], one->num_args, zero, args + m->first.data[0],
                  zero->num_args);
  } else {
    NrValueList operands = {0};
    NR_VEC(uint32_t) sizes = {0};
    NR_VEC(int32_t) cases = {0};
    nr_vec_push(&operands, number);
    for (size_t t = 0; t < count; t++) {
      for (uint32_t i = 0; i < m->targets.data[t]->num_args; i++)
        nr_vec_push(&operands, args[m->first.data[t] + i]);
      nr_vec_push(&sizes, m->targets.data[t]->num_args);
      if (t) nr_vec_push(&cases, (int32_t)t);
    }
    NrOp *op = nr_build(&b, &(NrOpState){.info = nr_op_infos[NR_OP_cf_switch],
                                         .operands = operands.data,
                                         .num_operands = operands.size,
                                         .successors = m->targets.data,
                                         .num_successors = count,
                                         .successor_operands = sizes.data});
    int64_t n = (int64_t)cases.size;
    nr_op_set_attr(op, NR_A_case_values,
                   nr_attr_dense(nr_type_vector(&n, 1, number->type), cases.data, cases.size * 4));
    nr_vec_deinit(&operands);
    nr_vec_deinit(&sizes);
    nr_vec_deinit(&cases);
  }
}

void nr_lift_deinit_multiplexer(NrMultiplexer *m) {
  nr_vec_deinit(&m->targets);
  nr_vec_deinit(&m->first);
}

void nr_lift_queue(NrLifter *l, NrRegion *region) {
  size_t depth = 0;
  if (region->first == region->last) return;
  for (const NrOp *op = region->op; op; op = nr_op_parent(op)) depth++;
  for (const NrBlock *block = region->first; block && l->where_possible; block = block->next) l->blocks_left--;
  if (!l->status && l->where_possible && (depth >= NR_MAX_NESTING || l->blocks_left < 0))
    l->status = NR_ERROR_LIMIT;
  else if (!l->status && depth >= NR_MAX_NESTING)
    l->status = nr_op_error(l->root, "would be nested deeper than %d levels when lifted", NR_MAX_NESTING);
  nr_vec_push(&l->work, region);
}
