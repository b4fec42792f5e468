/* memref_blocks.c - functions, blocks and calls in finalize-memref: a memref is passed as its parts. */
#include "dialect/arith/arith.h"
#include "dialect/func/func.h"
#include "dialect/rt/ops.h"
#include "pass/expand/descriptor.h"
#include "pass/expand/signatures.h"

typedef NrDescriptors X;
typedef NrTypeList Types;
typedef NR_VEC(NrValue *) Values;

/* ---- parts ------------------------------------------------------------------------------------------------------ */

/* Which parts a memref type leaves dynamic. */
typedef struct Open {
  bool offset, sizes[NR_MAX_RANK], strides[NR_MAX_RANK];
} Open;

static Open open_parts(NrType memref) {
  Open open = {0};
  int64_t strides[NR_MAX_RANK], offset;
  bool strided = !nr_descriptor_is_row_major(memref) && nr_memref_strides(memref, strides, &offset);
  open.offset = strided && offset == NR_DYNAMIC;
  for (uint32_t i = 0; i < memref->rank; i++) {
    open.sizes[i] = memref->dims[i] == NR_DYNAMIC;
    open.strides[i] = strided && strides[i] == NR_DYNAMIC;
  }
  return open;
}

static bool split_memref(NrType type, NrTypeList *out) {
  if (!nr_type_is_memref(type)) return false;
  NrType parts[NR_MAX_PARTS];
  for (size_t i = 0, count = nr_part_types(type, parts); i < count; i++) nr_vec_push(out, parts[i]);
  return true;
}

static NrType converted(NrType type) { return nr_split_signature(type, split_memref); }

size_t nr_part_types(NrType type, NrType *out) {
  NrType index = nr_type_index(type->ctx);
  size_t n = 0;
  if (!nr_type_is_memref(type)) {
    out[n++] = converted(type);
    return n;
  }
  out[n++] = nr_type_memref_layout((int64_t[]){NR_DYNAMIC}, 1, type->elem, NULL, type->space);
  if (type->kind == NR_TYPE_UNRANKED_MEMREF) {
    out[n++] = index;
    out[n++] = index;
    out[n++] = nr_sizes_type(type->ctx);
    out[n++] = nr_sizes_type(type->ctx);
    return n;
  }
  Open open = open_parts(type);
  if (open.offset) out[n++] = index;
  for (uint32_t i = 0; i < type->rank; i++)
    if (open.sizes[i]) out[n++] = index;
  for (uint32_t i = 0; i < type->rank; i++)
    if (open.strides[i]) out[n++] = index;
  return n;
}

size_t nr_parts_of(X *x, NrValue *value, NrValue **out) {
  size_t n = 0;
  if (!nr_type_is_memref(value->type)) {
    out[n++] = value;
    return n;
  }
  const NrDescriptor *d = nr_descriptor_of(x, value);
  out[n++] = d->data;
  if (!nr_descriptor_has_rank(value)) {
    out[n++] = nr_index_value(&x->b, d->offset);
    out[n++] = d->rank;
    out[n++] = d->all_sizes;
    out[n++] = d->all_strides;
    return n;
  }
  Open open = open_parts(value->type);
  if (open.offset) out[n++] = nr_index_value(&x->b, d->offset);
  for (uint32_t i = 0; i < value->type->rank; i++)
    if (open.sizes[i]) out[n++] = nr_index_value(&x->b, d->sizes[i]);
  for (uint32_t i = 0; i < value->type->rank; i++)
    if (open.strides[i]) out[n++] = nr_index_value(&x->b, d->strides[i]);
  return n;
}

NrDescriptor *nr_descriptor_from_parts(X *x, NrType type, NrValue *const *parts) {
  if (type->kind == NR_TYPE_UNRANKED_MEMREF) {
    NrDescriptor *d = NR_NEW(x->arena, NrDescriptor);
    *d = (NrDescriptor){.data = parts[0], .offset = nr_index_of(parts[1]), .rank = parts[2],
                        .all_sizes = parts[3], .all_strides = parts[4]};
    return d;
  }
  NrDescriptor *d = nr_descriptor_new(x, type, *parts++);
  Open open = open_parts(type);
  if (open.offset) d->offset.value = *parts++;
  for (uint32_t i = 0; i < type->rank; i++)
    if (open.sizes[i]) d->sizes[i].value = *parts++;
  for (uint32_t i = 0; i < type->rank; i++)
    if (open.strides[i]) d->strides[i].value = *parts++;
  if (nr_descriptor_is_row_major(type)) nr_descriptor_set_row_major(x, type, d);
  return d;
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

static bool convert_op(NrOp *op, void *user) {
  (void)user;
  if (nr_op_is(op, NR_OP_func_func) && !nr_op_attr(op, NR_A_noria_c_wrapper))
    nr_split_function(op, split_memref, false);
  for (uint32_t i = 0; i < op->num_results; i++) nr_result(op, i)->type = converted(nr_result(op, i)->type);
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next)
      for (uint32_t i = 0; i < block->num_args; i++)
        nr_block_arg(block, i)->type = converted(nr_block_arg(block, i)->type);
  return true;
}

void nr_parts_convert_types(NrOp *root) { nr_walk_pre(root, convert_op, NULL); }

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

#define FOR_EACH_BLOCK(block, func)                                                                                    \
  for (NrBlock *block = nr_func_func_body(func); block; block = block->next)

/* Whether the block is the entry of a wrapper, which takes whole memrefs from the runtime. */
static bool keeps_args(const NrOp *func, const NrBlock *block) {
  return block == nr_func_func_body(func) && nr_op_attr(func, NR_A_noria_c_wrapper);
}

/* Adds block arguments for the parts of argument i: right after it in a function, which keeps the order of the
 * signature, and at the end in other blocks. */
static void add_parts(X *x, NrBlock *block, uint32_t i, bool of_function) {
  NrValue *arg = nr_block_arg(block, i), **parts = NR_NEW_ARRAY(x->arena, NrValue *, NR_MAX_PARTS);
  NrType types[NR_MAX_PARTS];
  size_t count = nr_part_types(arg->type, types);
  for (size_t k = 0; k < count; k++)
    parts[k] = nr_block_insert_arg(block, of_function ? i + 1 + k : block->num_args, types[k], nr_arg_loc(arg));
  nr_map_set(&x->parts, arg, parts);
}

void nr_parts_open_blocks(X *x, NrOp *func) {
  FOR_EACH_BLOCK(block, func) {
    if (keeps_args(func, block)) continue;
    bool of_function = block == nr_func_func_body(func);
    uint32_t count = block->num_args;
    for (uint32_t i = count; i-- > 0 && of_function;)
      if (nr_type_is_memref(nr_block_arg(block, i)->type)) add_parts(x, block, i, true);
    for (uint32_t i = 0; i < count && !of_function; i++)
      if (nr_type_is_memref(nr_block_arg(block, i)->type)) add_parts(x, block, i, false);
  }
}

static bool is_taken_apart(const X *x, const NrValue *arg) { return nr_map_has(&x->parts, arg); }

static void pass_parts(X *x, NrBlock *block) {
  NrValue *parts[NR_MAX_PARTS];
  for (uint32_t i = 0; i < block->num_args; i++) {
    if (!is_taken_apart(x, nr_block_arg(block, i))) continue;
    for (NrSuccessor *s = block->first_pred; s; s = s->next) {
      size_t successor = (size_t)(s - s->owner->successors);
      x->b = nr_builder_before(s->owner);
      size_t count = nr_parts_of(x, nr_successor_operand(s->owner, successor, i), parts);
      for (size_t k = 0; k < count; k++) nr_successor_append_operand(s->owner, successor, parts[k]);
    }
  }
}

void nr_parts_pass(X *x, NrOp *func) {
  FOR_EACH_BLOCK(block, func) pass_parts(x, block);
  FOR_EACH_BLOCK(block, func)
    for (uint32_t i = block->num_args; i-- > 0;)
      for (NrSuccessor *s = is_taken_apart(x, nr_block_arg(block, i)) ? block->first_pred : NULL; s; s = s->next)
        nr_successor_erase_operand(s->owner, (size_t)(s - s->owner->successors), i);
}

void nr_parts_drop_args(X *x, NrOp *func) {
  FOR_EACH_BLOCK(block, func)
    for (uint32_t i = block->num_args; i-- > 0;) {
      NrValue *arg = nr_block_arg(block, i);
      if (!is_taken_apart(x, arg)) continue;
      while (arg->first_use) {
        NrUse *use = arg->first_use;
        x->b = nr_builder_before(use->owner);
        NrValue *whole = nr_descriptor_whole(x, nr_descriptor_of(x, arg), arg->type);
        nr_op_set_operand(use->owner, nr_use_index(use), whole);
      }
      nr_block_erase_arg(block, i);
    }
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

static bool has_memrefs(const NrOp *op) {
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_type_is_memref(nr_operand(op, i)->type)) return true;
  for (uint32_t i = 0; i < op->num_results; i++)
    if (nr_type_is_memref(nr_result(op, i)->type)) return true;
  return false;
}

/* Takes results of the new op, from *next on, as the parts of one result of the old op. */
static void take_result(X *x, NrValue *result, NrOp *fresh, uint32_t *next) {
  NrType types[NR_MAX_PARTS];
  NrValue *parts[NR_MAX_PARTS];
  size_t count = nr_part_types(result->type, types);
  for (size_t k = 0; k < count; k++) parts[k] = nr_result(fresh, (*next)++);
  if (!nr_type_is_memref(result->type)) nr_value_replace_uses(result, parts[0]);
  else nr_map_set(&x->of, result, nr_descriptor_from_parts(x, result->type, parts));
}

/* The number of operands in front of the arguments: the callee, or the grid of a dispatch. */
static size_t first_argument(const NrOp *op) {
  if (nr_op_is(op, NR_OP_func_call_indirect)) return NR_FUNC_CALL_INDIRECT_CALLEE_OPERANDS;
  return nr_op_is(op, NR_OP_rt_dispatch) ? nr_rt_dispatch_args(op).begin : 0;
}

void nr_parts_replace_call(X *x, NrOp *op) {
  if (!has_memrefs(op)) return;
  Types before = {0}, types = {0};
  Values operands = {0};
  NrValue *parts[NR_MAX_PARTS];
  size_t first = first_argument(op);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    if (i >= first) nr_vec_push(&before, nr_operand(op, i)->type);
    for (size_t k = 0, n = nr_parts_of(x, nr_operand(op, i), parts); k < n; k++) nr_vec_push(&operands, parts[k]);
  }
  size_t num_args = before.size;
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&before, nr_result(op, i)->type);
  nr_split_types(before.data + num_args, op->num_results, split_memref, &types);
  NrOp *fresh = nr_op_rebuild(op, operands.data, operands.size, types.data, types.size);
  nr_split_attrs(fresh, NR_A_arg_attrs, before.data, num_args, split_memref, false);
  nr_split_attrs(fresh, NR_A_res_attrs, before.data + num_args, op->num_results, split_memref, false);
  if (nr_op_is(op, NR_OP_rt_dispatch))
    nr_op_set_segments(fresh, (uint32_t[]){(uint32_t)first, (uint32_t)(operands.size - first)}, 2);
  uint32_t next = 0;
  for (uint32_t i = 0; i < op->num_results; i++) take_result(x, nr_result(op, i), fresh, &next);
  nr_vec_push(&x->done, op);
  nr_vec_deinit(&before);
  nr_vec_deinit(&types);
  nr_vec_deinit(&operands);
}
