/* affine.c - the op definitions of dialect affine, and accessors that the definitions cannot express. Hooks are in
 * valid.c, verify.c, syntax*.c and canonicalize*.c. */
#include "dialect/affine/affine.h"

size_t nr_affine_map_operands(const NrOp *op) {
  switch (op->info->id) {
  case NR_OP_affine_load:
  case NR_OP_affine_prefetch:
  case NR_OP_affine_vector_load:
  case NR_OP_affine_dma_wait: return 1;
  case NR_OP_affine_store:
  case NR_OP_affine_vector_store: return 2;
  default: return 0;
  }
}

const char *const nr_affine_dma_maps[] = {"src_map", "dst_map", "tag_map", NULL};

bool nr_affine_dma_parts(const NrOp *op, NrDmaParts *out) {
  size_t begins[NR_AFFINE_DMA_PLACES + 1] = {0};
  for (size_t i = 0; i < NR_AFFINE_DMA_PLACES; i++) {
    if (begins[i] >= op->num_operands || nr_operand(op, begins[i])->type->kind != NR_TYPE_MEMREF) return false;
    begins[i + 1] = begins[i] + 1 + nr_affine_num_inputs(nr_op_attr_named(op, nr_affine_dma_maps[i]));
  }
  *out = (NrDmaParts){.source = begins[0],
                      .target = begins[1],
                      .tag = begins[2],
                      .n = begins[3],
                      .stride = begins[3] + 1,
                      .run = begins[3] + 2};
  return op->num_operands == out->stride || op->num_operands == out->stride + 2;
}

size_t nr_affine_for_begin(const NrOp *op, int group) {
  size_t begin = 0, count;
  nr_op_operand_group(op, (size_t)group, &begin, &count);
  return begin;
}

void nr_affine_parallel_group(const NrOp *op, bool upper, uint32_t i, uint32_t *out_begin, uint32_t *out_count) {
  NrAttr groups = nr_op_attr(op, upper ? NR_A_upperBoundsGroups : NR_A_lowerBoundsGroups);
  *out_begin = 0;
  for (uint32_t k = 0; k < i; k++) *out_begin += (uint32_t)nr_attr_element(groups, k)->i;
  *out_count = (uint32_t)nr_attr_element(groups, i)->i;
}

int64_t nr_affine_parallel_step(const NrOp *op, uint32_t i) { return nr_op_attr(op, NR_A_steps)->items[i]->i; }

NrAttr nr_affine_groups(NrContext *ctx, const int32_t *sizes, size_t count) {
  int64_t dim = (int64_t)count;
  return nr_attr_dense(nr_type_tensor(&dim, 1, nr_type_i32(ctx)), sizes, count * sizeof *sizes);
}

NrOp *nr_affine_parallel_like(NrBuilder *b, const NrOp *loop, const int64_t *kinds) {
  NR_VEC(NrValue *) operands = {0};
  NR_VEC(NrType) types = {0};
  NR_VEC(NrAttr) numbers = {0};
  for (size_t i = 0; i < nr_affine_for_begin(loop, 2); i++) nr_vec_push(&operands, nr_operand(loop, i));
  for (uint32_t i = 0; i < loop->num_results; i++) {
    nr_vec_push(&types, nr_result(loop, i)->type);
    nr_vec_push(&numbers, nr_attr_i64(b->ctx, kinds[i]));
  }
  NrAttr step = nr_attr_i64(b->ctx, nr_op_attr_int(loop, NR_A_step, 1));
  NrOp *op = nr_build(b, &(NrOpState){.info = nr_op_infos[NR_OP_affine_parallel],
                                      .loc = loop->loc,
                                      .operands = operands.data,
                                      .num_operands = operands.size,
                                      .result_types = types.data,
                                      .num_results = types.size,
                                      .num_regions = 1});
  for (int upper = 0; upper < 2; upper++) {
    NrAttr map = nr_affine_bound_map(loop, upper);
    int32_t count = (int32_t)map->num_exprs;
    nr_op_set_attr(op, upper ? NR_A_upperBoundsMap : NR_A_lowerBoundsMap, map);
    nr_op_set_attr(op, upper ? NR_A_upperBoundsGroups : NR_A_lowerBoundsGroups, nr_affine_groups(b->ctx, &count, 1));
  }
  nr_op_set_attr(op, NR_A_steps, nr_attr_array(b->ctx, &step, 1));
  nr_op_set_attr(op, NR_A_reductions, nr_attr_array(b->ctx, numbers.data, numbers.size));
  NrBlock *body = nr_block_create(op->module);
  nr_block_append(nr_affine_parallel_region(op), body);
  nr_block_add_arg(body, nr_type_index(b->ctx), op->loc);
  nr_vec_deinit(&operands);
  nr_vec_deinit(&types);
  nr_vec_deinit(&numbers);
  return op;
}

NrAffineBound nr_affine_iv_bound(const NrValue *iv, bool upper) {
  const NrOp *loop = nr_block_parent_op(iv->block);
  NrAffineBound out = {0};
  if (nr_op_is(loop, NR_OP_affine_for)) {
    out.map = nr_affine_bound_map(loop, upper);
    out.count = out.map->num_exprs;
    out.first = nr_affine_for_begin(loop, upper);
    return out;
  }
  NrAttr lower = nr_op_attr(loop, NR_A_lowerBoundsMap);
  out.map = upper ? nr_op_attr(loop, NR_A_upperBoundsMap) : lower;
  out.first = upper ? nr_affine_num_inputs(lower) : 0;
  nr_affine_parallel_group(loop, upper, iv->index, &out.begin, &out.count);
  return out;
}

/* Gives the step only: bounds of affine loops are maps, which NrLoopRange cannot hold; nr_affine_iv_bound gives them.
 */
bool nr_affine_for_loop_range(const NrOp *op, uint32_t i, NrLoopRange *out) {
  if (i > 0) return false;
  NrValue *iv = nr_block_arg(nr_affine_for_body(op), 0);
  *out = (NrLoopRange){.iv = iv, .step.constant = nr_affine_iv_step(iv)};
  return true;
}

bool nr_affine_parallel_loop_range(const NrOp *op, uint32_t i, NrLoopRange *out) {
  const NrBlock *body = nr_affine_parallel_body(op);
  if (i >= body->num_args) return false;
  *out = (NrLoopRange){.iv = nr_block_arg(body, i), .step.constant = nr_affine_parallel_step(op, i)};
  return true;
}

bool nr_affine_iv_constant_bound(const NrValue *iv, bool upper, int64_t *out) {
  NrAffineBound bound = nr_affine_iv_bound(iv, upper);
  NrAffineExpr e = bound.map->exprs[bound.begin];
  *out = e->value;
  return bound.count == 1 && e->kind == NR_AFFINE_CONSTANT;
}

int64_t nr_affine_iv_step(const NrValue *iv) {
  const NrOp *loop = nr_block_parent_op(iv->block);
  return nr_op_is(loop, NR_OP_affine_for) ? nr_op_attr_int(loop, NR_A_step, 1)
                                          : nr_affine_parallel_step(loop, iv->index);
}

NrValue *nr_affine_build(NrBuilder *b, unsigned op_id, NrAttr map, NrValue *const *operands) {
  NrType index = nr_type_index(b->ctx);
  NrOp *op = nr_build_op(b, op_id, operands, nr_affine_num_inputs(map), &index, 1);
  nr_op_set_attr(op, NR_A_map, map);
  return nr_op_result(op);
}

bool nr_affine_constant_extreme(NrAttr map, bool greatest, int64_t *out) {
  bool found = false;
  for (uint32_t i = 0; i < map->num_exprs; i++) {
    NrAffineExpr e = map->exprs[i];
    if (e->kind != NR_AFFINE_CONSTANT) continue;
    if (!found || (greatest ? e->value > *out : e->value < *out)) *out = e->value;
    found = true;
  }
  return found;
}

/* ---- indices over a basis ---------------------------------------------------------------------------------------- */

/* Size number `at` of the basis, counted from the innermost: a constant, or a symbol for a dynamic size. */
static NrAffineExpr basis_size(const NrOp *op, size_t at) {
  NrAttr basis = nr_op_attr(op, NR_A_static_basis);
  const int64_t *sizes = basis->data;
  size_t i = basis->data_size / sizeof *sizes - 1 - at;
  uint32_t symbol = 0;
  if (sizes[i] != NR_DYNAMIC) return nr_affine_constant(basis->ctx, sizes[i]);
  for (size_t k = 0; k < i; k++) symbol += sizes[k] == NR_DYNAMIC;
  return nr_affine_symbol(basis->ctx, symbol);
}

static NrAffineExpr linear_expr(const NrOp *op, uint32_t *out_dims) {
  NrContext *ctx = nr_op_context(op);
  size_t begin, count;
  nr_op_operand_group(op, NR_AFFINE_LINEARIZE_INDEX_MULTI_INDEX_GROUP, &begin, &count);
  *out_dims = (uint32_t)count;
  NrAffineExpr e = nr_affine_constant(ctx, 0), stride = nr_affine_constant(ctx, 1);
  for (size_t at = 0; at < count; at++) {
    NrAffineExpr index = nr_affine_dim(ctx, (uint32_t)(count - 1 - at));
    e = nr_affine_binary(NR_AFFINE_ADD, e, nr_affine_binary(NR_AFFINE_MUL, index, stride));
    if (at + 1 < count) stride = nr_affine_binary(NR_AFFINE_MUL, stride, basis_size(op, at));
  }
  return e;
}

NrAffineExpr nr_affine_index_expr(const NrOp *op, uint32_t i, uint32_t *out_dims) {
  if (nr_op_is(op, NR_OP_affine_linearize_index)) return linear_expr(op, out_dims);
  NrContext *ctx = nr_op_context(op);
  NrAffineExpr e = nr_affine_dim(ctx, 0), stride = nr_affine_constant(ctx, 1);
  size_t behind = op->num_results - 1 - i;
  for (size_t at = 0; at < behind; at++) stride = nr_affine_binary(NR_AFFINE_MUL, stride, basis_size(op, at));
  *out_dims = 1;
  if (i > 0)
    e = nr_affine_binary(NR_AFFINE_MOD, e, nr_affine_binary(NR_AFFINE_MUL, stride, basis_size(op, behind)));
  return nr_affine_binary(NR_AFFINE_FLOORDIV, e, stride);
}

#include "ir/rows.h"
#include "dialect/affine/ops.def"
