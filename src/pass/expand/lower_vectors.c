/* lower_vectors.c - vectors of more than one dim become 1-D vectors, and what rearranges them becomes shuffles.
 *   before  %c = arith.addf %a, %b : vector<2x8xf32>     after  %c0 = arith.addf %a0, %b0 : vector<8xf32>
 *                                                               %c1 = arith.addf %a1, %b1 : vector<8xf32>
 *           %m = vector.create_mask %n : vector<8xi1>           arith.minsi, vector.broadcast, arith.cmpi
 *           %v = vector.transfer_read %x[%i], %p, %m            vector.maskedload, or vector.gather where lanes lie
 *                                                               apart
 * Blocks, functions and calls take and give the rows one by one. Buffers keep elements that are vectors: such an
 * element is loaded and stored whole, and taken apart by vector.extract with constant positions.
 *
 * The other files of this pass: vectors_rows.c (the rows of a value), vectors_blocks.c (functions, blocks and calls),
 * vectors_shape.c and vectors_order.c (ops that move elements), vectors_memory.c and vectors_transfer.c (memory),
 * vectors_schedule.c (the order of ops on rows). */
#include "pass/expand/lower_vectors.h"

#include "pass/core/rewrite.h"
#include "pass/expand/limits.h"
#include "pass/expand/vectors_blocks.h"

typedef NrRows R;
typedef NrValue *V;

/* ---- element by element ----------------------------------------------------------------------------------------- */

/* Builds the op on row i of each vector operand. Scalar operands, such as the condition of a select, are the same
 * for all rows. */
static NrOp *on_row(R *r, NrOp *op, size_t i, unsigned id) {
  V args[NR_EXPAND_OPERANDS];
  NrType types[NR_EXPAND_RESULTS];
  assert(op->num_operands <= NR_EXPAND_OPERANDS && op->num_results <= NR_EXPAND_RESULTS);
  for (uint32_t a = 0; a < op->num_operands; a++) {
    V value = nr_operand(op, a);
    args[a] = value->type->kind == NR_TYPE_VECTOR ? nr_rows_of(r, value)[i] : value;
  }
  for (uint32_t k = 0; k < op->num_results; k++) types[k] = nr_rows_type(nr_result(op, k)->type);
  NrOp *row = nr_build_op(&r->x.b, id, args, op->num_operands, types, op->num_results);
  for (uint32_t k = 0; k < op->num_attrs; k++)
    nr_op_set_attr_named(row, op->attrs[k].name.data, op->attrs[k].value);
  return row;
}

static NrStatus by_rows(R *r, NrOp *op, unsigned id) {
  V *out[NR_EXPAND_RESULTS];
  size_t count = 0;
  for (uint32_t k = 0; k < op->num_results; k++) {
    count = nr_rows_count(nr_result(op, k)->type); /* the same for all results */
    out[k] = nr_rows_new(r, count);
  }
  for (size_t i = 0; i < count; i++) {
    NrOp *row = on_row(r, op, i, id);
    for (uint32_t k = 0; k < op->num_results; k++) out[k][i] = nr_result(row, k);
    nr_map_set(&r->row_of, row, (void *)(uintptr_t)i);
  }
  bool is_mask = count > 1 && nr_type_is_int_width(out[0][0]->type->elem, 1);
  bool is_known = r->masked.size && r->masked.data[r->masked.size - 1] == op->block;
  if (is_mask && !is_known) nr_vec_push(&r->masked, op->block);
  for (uint32_t k = 0; k < op->num_results; k++) nr_rows_set(r, nr_result(op, k), out[k]);
  return NR_OK;
}

static NrStatus elementwise(R *r, NrOp *op) { return by_rows(r, op, op->info->id); }

static NrStatus fused(R *r, NrOp *op) { return by_rows(r, op, NR_OP_math_fma); }

/* ---- constants -------------------------------------------------------------------------------------------------- */

static NrStatus constant(R *r, NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  NrType type = nr_op_result(op)->type, row = nr_rows_type(type);
  if (value && value->kind == NR_ATTR_SPARSE) value = nr_attr_sparse_to_dense(value);
  r->keep = !value || !nr_attr_is_elements(value) || !nr_rows_has(type);
  if (r->keep) return NR_OK;
  size_t count = nr_rows_count(type), size = nr_type_byte_size(type->elem);
  size_t lanes = value->splat ? 1 : (size_t)nr_rows_lanes(type);
  V *rows = nr_rows_new(r, count);
  for (size_t i = 0; i < count; i++) {
    const void *data = nr_attr_element_ptr(value, (int64_t)(i * lanes));
    rows[i] = i && value->splat ? rows[0] : nr_arith_constant(&r->x.b, nr_attr_dense(row, data, lanes * size));
  }
  nr_rows_set(r, nr_op_result(op), rows);
  return NR_OK;
}

static NrStatus poison(R *r, NrOp *op) {
  NrType type = nr_op_result(op)->type;
  r->keep = !nr_rows_has(type);
  if (r->keep) return NR_OK;
  size_t count = nr_rows_count(type);
  V *rows = nr_rows_new(r, count);
  for (size_t i = 0; i < count; i++) rows[i] = i ? rows[0] : nr_rows_poison(r, nr_rows_type(type));
  nr_rows_set(r, nr_op_result(op), rows);
  return NR_OK;
}

/* A vector without dims is replaced by its row, a 1-D vector of one lane. */
static NrStatus reduction(R *r, NrOp *op) {
  V vector = nr_vector_reduction_vector(op);
  if (nr_rows_has(vector->type)) nr_op_set_operand(op, NR_VECTOR_REDUCTION_VECTOR, nr_rows_of(r, vector)[0]);
  r->keep = true;
  return NR_OK;
}

/* ---- the pass --------------------------------------------------------------------------------------------------- */

static const NrRowsFn lowerings[NR_OP_COUNT] = {
    [NR_OP_arith_constant] = constant,
    [NR_OP_ub_poison] = poison,
    [NR_OP_vector_fma] = fused,
    [NR_OP_vector_bitcast] = elementwise,
    [NR_OP_vector_broadcast] = nr_rows_broadcast,
    [NR_OP_vector_from_elements] = nr_rows_from_elements,
    [NR_OP_vector_to_elements] = nr_rows_to_elements,
    [NR_OP_vector_extract] = nr_rows_extract,
    [NR_OP_vector_insert] = nr_rows_insert,
    [NR_OP_vector_extract_strided_slice] = nr_rows_extract_slice,
    [NR_OP_vector_insert_strided_slice] = nr_rows_insert_slice,
    [NR_OP_vector_shuffle] = nr_rows_shuffled,
    [NR_OP_vector_shape_cast] = nr_rows_shape_cast,
    [NR_OP_vector_interleave] = nr_rows_interleave,
    [NR_OP_vector_deinterleave] = nr_rows_deinterleave,
    [NR_OP_vector_transpose] = nr_rows_transpose,
    [NR_OP_vector_reduction] = reduction,
    [NR_OP_vector_multi_reduction] = nr_rows_multi_reduction,
    [NR_OP_vector_create_mask] = nr_rows_create_mask,
    [NR_OP_vector_constant_mask] = nr_rows_constant_mask,
    [NR_OP_vector_transfer_read] = nr_rows_transfer_read,
    [NR_OP_vector_transfer_write] = nr_rows_transfer_write,
    [NR_OP_vector_load] = nr_rows_load,
    [NR_OP_vector_store] = nr_rows_store,
    [NR_OP_vector_maskedload] = nr_rows_masked_load,
    [NR_OP_vector_maskedstore] = nr_rows_masked_store,
    [NR_OP_vector_expandload] = nr_rows_packed,
    [NR_OP_vector_compressstore] = nr_rows_packed,
    [NR_OP_vector_gather] = nr_rows_gathered,
    [NR_OP_vector_scatter] = nr_rows_gathered,
    [NR_OP_func_call] = nr_rows_call,
    [NR_OP_func_call_indirect] = nr_rows_call,
    [NR_OP_func_return] = nr_rows_call,
    [NR_OP_rt_dispatch] = nr_rows_call,
};

static bool has_scalable(const NrOp *op) {
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_operand(op, i)->type->kind == NR_TYPE_VECTOR && nr_operand(op, i)->type->scalable) return true;
  for (uint32_t i = 0; i < op->num_results; i++)
    if (nr_result(op, i)->type->kind == NR_TYPE_VECTOR && nr_result(op, i)->type->scalable) return true;
  return false;
}

static NrStatus lower(R *r, NrOp *op) {
  NrRowsFn fn = lowerings[op->info->id];
  if (!fn && nr_op_has(op, NR_ELEMENTWISE) && nr_rows_are_in(op)) fn = elementwise;
  if (!fn || has_scalable(op)) return NR_OK;
  nr_expand_at(&r->x, op);
  r->keep = false;
  NrStatus status = fn(r, op);
  if (!status && !r->keep) nr_vec_push(&r->done, op);
  return status;
}

static NrStatus lower_vectors_run(NrPassContext *pass, NrOp *root) {
  R r = {.x = {.target = pass->target}, .arena = pass->scratch};
  NrOpList ops = {0};
  NrRowBlocks blocks = {0};
  NrStatus status = nr_check_limits(root); /* a large vector would be thousands of rows */
  if (status) return status;
  nr_collect_ops(root, &ops);
  nr_rows_open_blocks(&r, ops.data, ops.size, &blocks);
  for (size_t i = 0; i < ops.size && !status; i++)
    if (!nr_is_erased(ops.data[i])) status = lower(&r, ops.data[i]);
  if (!status) nr_rows_close_blocks(&r, &blocks);
  if (!status) nr_rows_order(&r);
  nr_vec_deinit(&ops);
  nr_vec_deinit(&blocks);
  nr_vec_deinit(&r.done);
  nr_vec_deinit(&r.masked);
  nr_map_deinit(&r.row_of);
  nr_map_deinit(&r.rows);
  nr_map_deinit(&r.now);
  nr_expand_deinit(&r.x);
  return status;
}

NR_PASS(lower_vectors, .name = "lower-vectors", .on_while = NR_WHILE_BARRIER, .of_table = true,
        .run = lower_vectors_run,
        .doc = "vectors of more than one dim become 1-D vectors, and what rearranges them becomes shuffles")
