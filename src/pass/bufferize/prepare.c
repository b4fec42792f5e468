/* prepare.c - rewrites a function to the tensor ops that bufferize handles: arithmetic on whole tensors, splat,
 * generate, pad, concat, bitcast and select become structured ops, slices and branches. */
#include "dialect/arith/arith.h"
#include "dialect/bufferization/ops.h"
#include "dialect/scf/scf.h"
#include "pass/bufferize/bufferize.h"
#include "pass/core/rewrite.h"

static NrIndex index_value(NrValue *v) { return (NrIndex){v, 0}; }

/* Builds all dims of a tensor value. */
static void dims_of(NrBuilder *b, NrValue *tensor, NrIndex *out) {
  for (uint32_t i = 0; i < tensor->type->rank; i++) out[i] = nr_dim_build(b, tensor, i);
}

/* The dims of result type t; the operands `sizes` give the dynamic ones. */
static void dims_from_operands(NrOp *op, NrGroup sizes, NrType t, NrIndex *out) {
  size_t next = sizes.begin;
  for (uint32_t i = 0; i < t->rank; i++)
    out[i] = t->dims[i] == NR_DYNAMIC ? index_value(nr_operand(op, next++)) : nr_index_const(t->dims[i]);
}

static NrStatus replace(NrOp *op, NrValue *value) {
  nr_op_replace(op, value);
  return NR_OK;
}

static void yield(NrBuilder *b, NrValue *value) { nr_build_op(b, NR_OP_linalg_yield, &value, 1, NULL, 0); }

/* Builds a linalg.generic with identity maps and an empty body, for which *body is a builder. All outputs have one
 * shape. */
static NrOp *identity_generic(NrBuilder *b, NrValue *const *inputs, size_t count, NrValue *const *outputs,
                              size_t num_outputs, NrBuilder *body) {
  NrArena arena;
  nr_arena_init(&arena);
  uint32_t rank = outputs[0]->type->rank;
  NrAttr *maps = NR_NEW_ARRAY(&arena, NrAttr, count + num_outputs);
  for (size_t i = 0; i < count + num_outputs; i++) maps[i] = nr_attr_affine_identity(b->ctx, rank);
  char iterators[NR_MAX_RANK + 1] = {0};
  memset(iterators, 'p', rank);
  NrOp *generic = nr_build_generic(b, inputs, count, outputs, num_outputs, maps, iterators);
  nr_arena_deinit(&arena);
  *body = nr_builder_at_end(b->module, nr_op_only_body(generic), b->loc);
  return generic;
}

/* ---- arithmetic on whole tensors --------------------------------------------------------------------------------- */

enum { MAX_RESULTS = 2 }; /* of an element-wise op */

NrOp *nr_elementwise_to_generic(NrOp *op) {
  NrBuilder b = nr_builder_before(op), body;
  NrValue *like = NULL, *outputs[MAX_RESULTS];
  NrType elems[MAX_RESULTS];
  NR_VEC(NrValue *) inputs = {0};
  NR_VEC(NrValue *) scalars = {0};
  assert(op->num_results <= MAX_RESULTS);
  for (size_t i = 0; i < op->num_operands; i++) {
    if (nr_operand(op, i)->type->kind != NR_TYPE_TENSOR) continue;
    like = nr_operand(op, i);
    nr_vec_push(&inputs, like);
  }
  NrIndex dims[NR_MAX_RANK];
  dims_of(&b, like, dims);
  for (size_t i = 0; i < op->num_results; i++) {
    elems[i] = nr_result(op, i)->type->elem;
    outputs[i] = nr_build_empty(&b, elems[i], dims, like->type->rank);
  }
  NrOp *generic = identity_generic(&b, inputs.data, inputs.size, outputs, op->num_results, &body);
  size_t next = 0;
  for (size_t i = 0; i < op->num_operands; i++) {
    bool tensor = nr_operand(op, i)->type->kind == NR_TYPE_TENSOR;
    nr_vec_push(&scalars, tensor ? nr_block_arg(body.block, next++) : nr_operand(op, i));
  }
  NrOp *scalar = nr_build(&body, &(NrOpState){.info = op->info,
                                              .operands = scalars.data,
                                              .num_operands = scalars.size,
                                              .result_types = elems,
                                              .num_results = op->num_results,
                                              .attrs = op->attrs,
                                              .num_attrs = op->num_attrs});
  NrValue *values[MAX_RESULTS];
  for (size_t i = 0; i < op->num_results; i++) {
    values[i] = nr_result(scalar, i);
    NrValue *whole = nr_build_tensor_cast(&b, nr_result(generic, i), nr_result(op, i)->type);
    nr_value_replace_uses(nr_result(op, i), whole);
  }
  nr_build_op(&body, NR_OP_linalg_yield, values, op->num_results, NULL, 0);
  nr_op_erase(op);
  nr_vec_deinit(&inputs);
  nr_vec_deinit(&scalars);
  return scalar;
}

static NrStatus elementwise(NrOp *op) {
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_operand(op, i)->type->kind == NR_TYPE_UNRANKED_TENSOR)
      return nr_op_error(op, "can be bufferized for ranked tensors only; run flatten-unranked first");
  nr_elementwise_to_generic(op);
  return NR_OK;
}

/* ---- tensor.* ---------------------------------------------------------------------------------------------------- */

static NrStatus bitcast(NrOp *op) {
  NrBuilder b = nr_builder_before(op), body;
  NrType t = nr_op_result(op)->type;
  NrValue *source = nr_tensor_bitcast_source(op);
  if (t->kind != NR_TYPE_TENSOR || source->type->kind != NR_TYPE_TENSOR)
    return nr_op_error(op, "has an unranked type, which cannot be bufferized");
  NrIndex dims[NR_MAX_RANK];
  dims_of(&b, source, dims);
  NrValue *empty = nr_build_empty(&b, t->elem, dims, t->rank);
  NrOp *generic = identity_generic(&b, &source, 1, &empty, 1, &body);
  yield(&body, nr_build_value(&body, NR_OP_arith_bitcast, t->elem, &body.block->args[0], 1));
  return replace(op, nr_build_tensor_cast(&b, nr_op_result(generic), t));
}

static NrStatus splat(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrType t = nr_op_result(op)->type;
  NrIndex dims[NR_MAX_RANK];
  dims_from_operands(op, nr_tensor_splat_sizes(op), t, dims);
  return replace(op, nr_build_fill(&b, nr_tensor_splat_input(op), nr_build_empty(&b, t->elem, dims, t->rank)));
}

/* Inlines the body of tensor.generate or pad at b, with linalg.index ops as indices; returns the element. */
static NrValue *inline_element(NrOp *op, NrBuilder *b) {
  NrBlock *from = nr_op_only_body(op);
  for (size_t i = 0; i < from->num_args; i++) {
    NrValue *index = nr_build_value(b, NR_OP_linalg_index, nr_type_index(b->ctx), NULL, 0);
    nr_op_set_attr(index->op, NR_A_dim, nr_attr_i64(b->ctx, (int64_t)i));
    nr_value_replace_uses(nr_block_arg(from, i), index);
  }
  NrOp *last = nr_block_terminator(from);
  NrValue *element = nr_tensor_yield_value(last);
  nr_op_erase(last);
  nr_block_splice(from, b->block, NULL);
  return element;
}

static NrValue *generate_over(NrOp *op, NrBuilder *b, NrType elem, const NrIndex *dims, size_t rank) {
  NrBuilder body;
  NrValue *empty = nr_build_empty(b, elem, dims, rank);
  NrOp *generic = identity_generic(b, NULL, 0, &empty, 1, &body);
  NrValue *element = inline_element(op, &body);
  yield(&body, element);
  return nr_op_result(generic);
}

static NrStatus generate(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrType t = nr_op_result(op)->type;
  NrIndex dims[NR_MAX_RANK];
  dims_from_operands(op, nr_tensor_generate_sizes(op), t, dims);
  return replace(op, generate_over(op, &b, t->elem, dims, t->rank));
}

/* Fills the whole result, then inserts the source. */
static NrStatus pad(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrType t = nr_op_result(op)->type;
  NrValue *source = nr_tensor_pad_source(op);
  NrIndex low[NR_MAX_RANK], high[NR_MAX_RANK], sizes[NR_MAX_RANK], dims[NR_MAX_RANK], ones[NR_MAX_RANK];
  nr_index_list_all(op, nr_pad_slots[0], low);
  nr_index_list_all(op, nr_pad_slots[1], high);
  dims_of(&b, source, sizes);
  for (uint32_t i = 0; i < t->rank; i++) {
    if (t->dims[i] != NR_DYNAMIC) dims[i] = nr_index_const(t->dims[i]);
    else dims[i] = nr_index_add(&b, nr_index_add(&b, low[i], sizes[i]), high[i]);
    ones[i] = nr_index_const(1);
  }
  NrValue *element = nr_tensor_yield_value(nr_block_terminator(nr_tensor_pad_body(op)));
  bool constant = nr_value_block(element) != nr_tensor_pad_body(op);
  NrAttr known = nr_value_constant(element);
  NrValue *filled;
  if (constant || known) {
    if (!constant) element = nr_op_result(nr_build_constant(&b, known, t->elem));
    filled = nr_build_fill(&b, element, nr_build_empty(&b, t->elem, dims, t->rank));
  } else filled = generate_over(op, &b, t->elem, dims, t->rank);
  NrValue *padded = nr_build_insert_slice(&b, source, filled, low, sizes, ones);
  return replace(op, nr_build_tensor_cast(&b, padded, t));
}

static NrStatus concat(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrType t = nr_op_result(op)->type;
  int64_t axis = nr_op_attr_int(op, NR_A_dim, 0);
  NrIndex dims[NR_MAX_RANK], offsets[NR_MAX_RANK], sizes[NR_MAX_RANK], ones[NR_MAX_RANK];
  NrGroup inputs = nr_tensor_concat_inputs(op);
  dims_of(&b, nr_operand(op, inputs.begin), dims);
  for (size_t k = 1; k < inputs.count; k++)
    dims[axis] = nr_index_add(&b, dims[axis], nr_dim_build(&b, nr_operand(op, inputs.begin + k), (size_t)axis));
  for (uint32_t i = 0; i < t->rank; i++) {
    if (t->dims[i] != NR_DYNAMIC) dims[i] = nr_index_const(t->dims[i]);
    offsets[i] = nr_index_const(0);
    ones[i] = nr_index_const(1);
  }
  NrValue *result = nr_build_empty(&b, t->elem, dims, t->rank);
  for (size_t k = 0; k < inputs.count; k++) {
    NrValue *input = nr_operand(op, inputs.begin + k);
    dims_of(&b, input, sizes);
    result = nr_build_insert_slice(&b, input, result, offsets, sizes, ones);
    offsets[axis] = nr_index_add(&b, offsets[axis], sizes[axis]);
  }
  return replace(op, nr_build_tensor_cast(&b, result, t));
}

/* A select of tensors or handles becomes an scf.if, so that a value with its last use here moves without a copy. */
static NrStatus select_whole(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrType t = nr_op_result(op)->type;
  NrValue *values[2] = {nr_arith_select_true_value(op), nr_arith_select_false_value(op)};
  NrOp *branch = nr_scf_if(&b, nr_arith_select_condition(op), &t, 1, true);
  for (size_t r = 0; r < 2; r++) {
    NrBuilder inner = nr_scf_body_builder(nr_op_body(branch, r));
    nr_scf_yield(&inner, &values[r], 1);
  }
  return replace(op, nr_op_result(branch));
}

/* Tensor values are copied where needed, so an alloc_tensor with a copy is the value itself. */
static NrStatus alloc_tensor(NrOp *op) {
  NrValue *copy = nr_bufferization_alloc_tensor_copy(op);
  if (copy) return replace(op, copy);
  NrBuilder b = nr_builder_before(op);
  NrType t = nr_op_result(op)->type;
  NrIndex dims[NR_MAX_RANK];
  dims_from_operands(op, nr_bufferization_alloc_tensor_sizes(op), t, dims);
  return replace(op, nr_build_empty(&b, t->elem, dims, t->rank));
}

/* A poison tensor is an empty one: dynamic dims are 0, and an unranked tensor has rank 0. */
static NrStatus poison(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrType t = nr_op_result(op)->type;
  NrIndex dims[NR_MAX_RANK];
  uint32_t rank = t->kind == NR_TYPE_TENSOR ? t->rank : 0;
  if (!nr_type_is_tensor(t))
    return nr_op_error(op, "is of type %s, which cannot be bufferized", nr_type_text(b.ctx, t));
  for (uint32_t i = 0; i < rank; i++) dims[i] = nr_index_const(t->dims[i] == NR_DYNAMIC ? 0 : t->dims[i]);
  NrValue *empty = nr_build_empty(&b, t->elem, dims, rank);
  return replace(op, empty->type == t ? empty : nr_build_value(&b, NR_OP_tensor_cast, t, &empty, 1));
}

static NrStatus drop(NrOp *op) {
  nr_op_erase(op);
  return NR_OK;
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

typedef NrStatus (*Rewrite)(NrOp *op);

static Rewrite rewrite_for(const NrOp *op) {
  if (op->info->expand && !nr_linalg_is_structured(op)) return nr_op_expand;
  if (nr_bufferize_is_host_op(op)) return nr_bufferize_host_op;
  if (nr_bufferize_is_channel_op(op)) return nr_bufferize_channel_op;
  if (nr_op_is(op, NR_OP_bufferization_dealloc_tensor)) return drop;
  if (op->num_results == 0 || !nr_needs_buffer(op->results[0].type)) return NULL;
  switch (op->info->id) {
  case NR_OP_tensor_splat: return splat;
  case NR_OP_tensor_generate: return generate;
  case NR_OP_tensor_pad: return pad;
  case NR_OP_tensor_concat: return concat;
  case NR_OP_tensor_bitcast: return bitcast;
  case NR_OP_bufferization_alloc_tensor: return alloc_tensor;
  case NR_OP_ub_poison: return poison;
  case NR_OP_arith_select:
    if (nr_arith_select_condition(op)->type->kind != NR_TYPE_TENSOR) return select_whole;
    break;
  default: break;
  }
  return nr_op_has(op, NR_ELEMENTWISE) ? elementwise : NULL;
}

typedef struct Work {
  NR_VEC(NrOp *) ops;
} Work;

static bool collect(NrOp *op, void *user) {
  if (rewrite_for(op)) nr_vec_push(&((Work *)user)->ops, op);
  return true;
}

NrStatus nr_bufferize_prepare(NrOp *func) {
  Work work = {0};
  NrStatus status = NR_OK;
  nr_walk_post(func, collect, &work);
  for (size_t i = 0; i < work.ops.size && !status; i++) {
    /* A host op, or an op that is expanded, may have become another op to rewrite. */
    NrOp *before = work.ops.data[i]->prev, *op = work.ops.data[i];
    bool grows = nr_bufferize_is_host_op(op) || op->info->expand;
    NrBlock *block = op->block;
    NrOp *after = op->next;
    status = rewrite_for(op)(op);
    for (NrOp *made = before ? before->next : block->first; grows && made != after; made = made->next)
      if (rewrite_for(made)) nr_vec_push(&work.ops, made);
  }
  nr_vec_deinit(&work.ops);
  return status;
}
