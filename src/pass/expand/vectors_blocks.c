/* vectors_blocks.c - functions, blocks and calls in lower-vectors: a vector of several rows is passed as its rows. */
#include "pass/expand/vectors_blocks.h"

#include "dialect/func/func.h"
#include "dialect/rt/ops.h"
#include "pass/expand/signatures.h"

typedef NrRows R;
typedef NrValue *V;
typedef NrTypeList Types;
typedef NR_VEC(V) Values;

/* ---- types ------------------------------------------------------------------------------------------------------ */

static bool split_vector(NrType type, NrTypeList *out) {
  if (!nr_rows_has(type)) return false;
  for (size_t n = nr_rows_count(type); n-- > 0;) nr_vec_push(out, nr_rows_type(type));
  return true;
}

static NrType converted(NrType type) { return nr_split_signature(type, split_vector); }

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

/* Adds block arguments for the rows of argument i: right after it in a function, which keeps the order of the
 * signature, and at the end in other blocks. */
static void add_rows(R *r, NrBlock *block, uint32_t i, bool of_function) {
  V arg = nr_block_arg(block, i);
  NrType type = nr_rows_type(arg->type);
  size_t count = nr_rows_count(arg->type);
  V *rows = nr_rows_new(r, count);
  for (size_t k = 0; k < count; k++)
    rows[k] = nr_block_insert_arg(block, of_function ? i + 1 + k : block->num_args, type, nr_arg_loc(arg));
  nr_rows_set(r, arg, rows);
}

static void open_block(R *r, NrBlock *block, bool of_function, NrRowBlocks *out) {
  bool any = false;
  for (uint32_t i = 0, n = block->num_args; i < (of_function ? block->num_args : n); i++) {
    V arg = nr_block_arg(block, i);
    if (nr_rows_has(arg->type)) add_rows(r, block, i, of_function), any = true;
    else arg->type = converted(arg->type);
  }
  if (any) nr_vec_push(out, block);
}

void nr_rows_open_blocks(R *r, NrOp *const *ops, size_t count, NrRowBlocks *out) {
  for (size_t i = 0; i < count; i++) {
    NrOp *op = ops[i];
    bool is_function = nr_op_is(op, NR_OP_func_func);
    if (is_function) nr_split_function(op, split_vector, true);
    for (uint32_t k = 0; k < op->num_results; k++) nr_result(op, k)->type = converted(nr_result(op, k)->type);
    for (uint32_t k = 0; k < op->num_regions; k++) {
      NrBlock *first = op->regions[k].first;
      for (NrBlock *block = first; block; block = block->next)
        if (block != first || is_function) open_block(r, block, block == first, out);
    }
  }
}

static void pass_rows(R *r, NrBlock *block) {
  for (uint32_t i = 0; i < block->num_args; i++) {
    if (!nr_rows_has(nr_block_arg(block, i)->type)) continue;
    for (NrSuccessor *s = block->first_pred; s; s = s->next) {
      size_t successor = (size_t)(s - s->owner->successors);
      V value = nr_successor_operand(s->owner, successor, i), *rows = nr_rows_of(r, value);
      for (size_t k = 0; k < nr_rows_count(value->type); k++) nr_successor_append_operand(s->owner, successor, rows[k]);
    }
  }
}

/* A user that still takes the whole vector, such as a store to a memref of vectors, gets it joined from its rows. */
static void join_for_users(R *r, V value) {
  while (value->first_use) {
    NrUse *use = value->first_use;
    uint32_t at = nr_use_index(use);
    nr_op_set_operand(use->owner, at, nr_rows_join(r, value, use->owner));
  }
}

static void drop_args(R *r, NrBlock *block) {
  for (uint32_t i = block->num_args; i-- > 0;) {
    V arg = nr_block_arg(block, i);
    if (!nr_rows_has(arg->type)) continue;
    for (NrSuccessor *s = block->first_pred; s; s = s->next)
      nr_successor_erase_operand(s->owner, (size_t)(s - s->owner->successors), i);
    join_for_users(r, arg);
    nr_block_erase_arg(block, i);
  }
}

void nr_rows_close_blocks(R *r, const NrRowBlocks *blocks) {
  for (size_t i = 0; i < blocks->size; i++) pass_rows(r, blocks->data[i]);
  for (size_t i = 0; i < r->done.size; i++) nr_op_drop_uses(r->done.data[i]);
  for (size_t i = 0; i < blocks->size; i++) drop_args(r, blocks->data[i]);
  for (size_t i = 0; i < r->done.size; i++) {
    NrOp *op = r->done.data[i];
    for (uint32_t k = 0; k < op->num_results; k++) join_for_users(r, nr_result(op, k));
  }
  for (size_t i = 0; i < r->done.size; i++) nr_op_erase(r->done.data[i]);
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

bool nr_rows_are_in(const NrOp *op) {
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_rows_has(nr_operand(op, i)->type)) return true;
  for (uint32_t i = 0; i < op->num_results; i++)
    if (nr_rows_has(nr_result(op, i)->type)) return true;
  return false;
}

/* Takes results of the new op, from *next on, as the rows of one result of the old op. */
static void take_result(R *r, V result, NrOp *fresh, uint32_t *next) {
  size_t count = nr_rows_count(result->type);
  if (result->type->kind != NR_TYPE_VECTOR) count = 1;
  V *rows = nr_rows_new(r, count);
  for (size_t i = 0; i < count; i++) rows[i] = nr_result(fresh, (*next)++);
  nr_rows_set(r, result, rows);
}

NrStatus nr_rows_call(R *r, NrOp *op) {
  Types before = {0}, types = {0};
  Values operands = {0};
  r->keep = !nr_rows_are_in(op);
  if (r->keep) return NR_OK;
  /* Argument attributes have no entry for the callee. */
  size_t first = nr_op_is(op, NR_OP_func_call_indirect) ? NR_FUNC_CALL_INDIRECT_CALLEE_OPERANDS : 0;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    V value = nr_operand(op, i), *rows = nr_rows_of(r, value);
    if (i >= first) nr_vec_push(&before, value->type);
    for (size_t k = 0, n = nr_rows_has(value->type) ? nr_rows_count(value->type) : 1; k < n; k++)
      nr_vec_push(&operands, rows[k]);
  }
  size_t num_args = before.size;
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&before, nr_result(op, i)->type);
  nr_split_types(before.data + num_args, op->num_results, split_vector, &types);
  NrOp *fresh = nr_op_rebuild(op, operands.data, operands.size, types.data, types.size);
  nr_split_attrs(fresh, NR_A_arg_attrs, before.data, num_args, split_vector, true);
  nr_split_attrs(fresh, NR_A_res_attrs, before.data + num_args, op->num_results, split_vector, true);
  if (nr_op_is(op, NR_OP_rt_dispatch)) {
    size_t grid = nr_rt_dispatch_grid(op).count;
    nr_op_set_segments(fresh, (uint32_t[]){(uint32_t)grid, (uint32_t)(operands.size - grid)}, 2);
  }
  uint32_t next = 0;
  for (uint32_t i = 0; i < op->num_results; i++) take_result(r, nr_result(op, i), fresh, &next);
  nr_vec_deinit(&before);
  nr_vec_deinit(&types);
  nr_vec_deinit(&operands);
  return NR_OK;
}
