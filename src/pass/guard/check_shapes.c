/* check_shapes.c - checks the shapes that ops require: casts, copies and structured ops here, reshapes in
 * check_reshapes.c, views and transfers in check_views.c. Where an assumption is wrong, an access whose indices were
 * checked would still leave its buffer. */
#include "dialect/affine/affine.h"
#include "dialect/arith/arith.h"
#include "dialect/bufferization/ops.h"
#include "dialect/linalg/linalg.h"
#include "dialect/memref/memref.h"
#include "dialect/operands.h"
#include "dialect/tensor/tensor.h"
#include "pass/guard/check_shapes.h"
#include "pass/loop/loops.h"

#include <stdio.h>

/* ---- casts ---------------------------------------------------------------------------------------------------- */

void nr_check_static_dim(NrBuilder *b, NrOp *op, uint32_t d, NrValue *size) {
  char text[96];
  int64_t want = nr_op_result(op)->type->dims[d], have;
  if (want == NR_DYNAMIC || (nr_value_constant_int(size, &have) && have == want)) return;
  snprintf(text, sizeof text, "dim %u is %%0, where %lld is expected", d, (long long)want);
  nr_check_unless(b, op, nr_fold_cmpi(b, NR_CMPI_EQ, size, nr_check_number(b, want)), text, &size, 1);
}

/* The condition that static strides and offset of the result's type equal the source's dynamic ones; NULL: none to
 * check. */
static NrValue *same_layout(NrBuilder *b, NrValue *source, NrType to) {
  int64_t have[NR_MAX_RANK], want[NR_MAX_RANK], have_offset, want_offset;
  uint32_t rank = to->rank;
  if (!nr_memref_strides(source->type, have, &have_offset) || !nr_memref_strides(to, want, &want_offset)) return NULL;
  bool open = have_offset == NR_DYNAMIC && want_offset != NR_DYNAMIC;
  for (uint32_t d = 0; d < rank; d++) open |= have[d] == NR_DYNAMIC && want[d] != NR_DYNAMIC;
  if (!open) return NULL;
  NrType types[2 + 2 * NR_MAX_RANK], index = nr_type_index(b->ctx);
  types[0] = nr_type_memref_layout(NULL, 0, source->type->elem, NULL, source->type->space);
  for (uint32_t i = 1; i < 2 + 2 * rank; i++) types[i] = index;
  NrOp *parts = nr_build_op(b, NR_OP_memref_extract_strided_metadata, &source, 1, types, 2 + 2 * rank);
  NrValue *same = NULL;
  if (have_offset == NR_DYNAMIC && want_offset != NR_DYNAMIC)
    same = nr_check_both(b, same, nr_arith_cmpi(b, NR_CMPI_EQ, nr_memref_extract_strided_metadata_offset(parts),
                                                nr_check_number(b, want_offset)));
  const uint32_t sizes = NR_MEMREF_EXTRACT_STRIDED_METADATA_SIZES_AND_STRIDES, strides = sizes + rank;
  for (uint32_t d = 0; d < rank; d++) {
    if (have[d] != NR_DYNAMIC || want[d] == NR_DYNAMIC || to->dims[d] == 1) continue;
    NrValue *fits = nr_arith_cmpi(b, NR_CMPI_EQ, nr_result(parts, strides + d), nr_check_number(b, want[d]));
    if (to->dims[d] == NR_DYNAMIC) { /* the stride of a single element has no effect */
      NrValue *single = nr_arith_cmpi(b, NR_CMPI_ULE, nr_result(parts, sizes + d), nr_check_number(b, 1));
      fits = nr_build_value(b, NR_OP_arith_ori, fits->type, (NrValue *[]){fits, single}, 2);
    }
    same = nr_check_both(b, same, fits);
  }
  return same;
}

/* Casts an unranked memref to rank `to->rank` with dynamic sizes, strides and offset. */
static NrValue *with_open_layout(NrBuilder *b, NrValue *source, NrType to) {
  int64_t open[NR_MAX_RANK];
  for (uint32_t d = 0; d < to->rank; d++) open[d] = NR_DYNAMIC;
  NrAttr layout = nr_attr_strided(b->ctx, open, to->rank, NR_DYNAMIC);
  NrType type = nr_type_memref_layout(open, to->rank, to->elem, layout, to->space);
  return nr_build_value(b, NR_OP_memref_cast, type, &source, 1);
}

static void check_cast(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *source = nr_op_source(op);
  NrType from = source->type, to = nr_op_result(op)->type, index = nr_type_index(b.ctx);
  bool memref = nr_type_is_memref(from);
  if (!nr_type_is_ranked(to)) return;
  if (!nr_type_is_ranked(from)) {
    NrValue *rank = nr_build_value(&b, memref ? NR_OP_memref_rank : NR_OP_tensor_rank, index, &source, 1);
    char text[96];
    snprintf(text, sizeof text, "the value has rank %%0, where %u is expected", to->rank);
    nr_check_unless(&b, op, nr_arith_cmpi(&b, NR_CMPI_EQ, rank, nr_check_number(&b, to->rank)), text, &rank, 1);
  }
  for (uint32_t d = 0; d < to->rank; d++) {
    if (to->dims[d] == NR_DYNAMIC || (nr_type_is_ranked(from) && from->dims[d] != NR_DYNAMIC)) continue;
    NrValue *operands[] = {source, nr_check_number(&b, d)};
    nr_check_static_dim(&b, op, d,
                        nr_build_value(&b, memref ? NR_OP_memref_dim : NR_OP_tensor_dim, index, operands, 2));
  }
  if (memref && !nr_type_is_ranked(from)) source = with_open_layout(&b, source, to);
  NrValue *layout = memref ? same_layout(&b, source, to) : NULL;
  if (layout)
    nr_check_unless(&b, op, layout, "the value does not have the strides and offset that are expected", NULL, 0);
}

/* ---- equal shapes --------------------------------------------------------------------------------------------- */

static void check_same_shape(NrBuilder *b, NrOp *op, NrValue *x, NrValue *y, const char *text) {
  NrValue *same = NULL;
  if (!nr_type_is_ranked(x->type) || !nr_type_is_ranked(y->type) || x->type->rank != y->type->rank) return;
  for (uint32_t d = 0; d < x->type->rank; d++)
    if (x->type->dims[d] == NR_DYNAMIC || y->type->dims[d] == NR_DYNAMIC)
      same = nr_check_both(b, same, nr_arith_cmpi(b, NR_CMPI_EQ, nr_check_size_of(b, x, d), nr_check_size_of(b, y, d)));
  if (same) nr_check_unless(b, op, same, text, NULL, 0);
}

static void check_elementwise(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *first = NULL;
  if (nr_op_selects_whole(op)) return;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *v = nr_operand(op, i);
    if (v->type->kind != NR_TYPE_TENSOR) continue;
    if (first) check_same_shape(&b, op, first, v, "its operands have different shapes");
    first = first ? first : v;
  }
}

/* ---- structured ops ------------------------------------------------------------------------------------------- */

/* Builds an upper or lower bound of an expression whose dims range from 0 to last. Sums and products are evaluated at
 * the ends of the ranges; a remainder is bounded by its divisor. */
static NrValue *bound_of(NrBuilder *b, NrAffineExpr e, NrValue *const *last, bool upper) {
  static const unsigned quotients[] = {NR_OP_arith_floordivsi, NR_OP_arith_ceildivsi};
  if (e->kind == NR_AFFINE_CONSTANT) return nr_check_number(b, e->value);
  if (e->kind == NR_AFFINE_DIM) return upper ? last[e->value] : nr_check_number(b, 0);
  if (e->kind == NR_AFFINE_ADD)
    return nr_fold_binary(b, NR_OP_arith_addi, bound_of(b, e->lhs, last, upper), bound_of(b, e->rhs, last, upper));
  if (e->kind == NR_AFFINE_MOD) {
    NrValue *max = nr_fold_binary(b, NR_OP_arith_subi, bound_of(b, e->rhs, last, true), nr_check_number(b, 1));
    return upper ? max : nr_check_number(b, 0);
  }
  bool falls = e->rhs->kind == NR_AFFINE_CONSTANT && e->rhs->value < 0;
  NrValue *x = bound_of(b, e->lhs, last, upper != falls), *y = bound_of(b, e->rhs, last, upper);
  if (e->kind == NR_AFFINE_MUL) return nr_fold_binary(b, NR_OP_arith_muli, x, y);
  return nr_fold_binary(b, quotients[e->kind == NR_AFFINE_CEILDIV], x, y);
}

static void check_generic(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrAttr maps = nr_op_attr(op, NR_A_indexing_maps);
  uint32_t loops = maps->size ? maps->items[0]->num_dims : 0;
  NrValue *ranges[NR_MAX_RANK] = {NULL}, *last[NR_MAX_RANK], *runs = NULL;
  if (loops > NR_MAX_RANK || maps->size != op->num_operands) return;
  for (uint32_t d = 0; d < loops; d++)
    for (uint32_t k = 0; k < op->num_operands; k++)
      for (uint32_t r = 0; nr_type_is_shaped(nr_operand(op, k)->type) && r < maps->items[k]->num_exprs; r++) {
        NrAffineExpr e = maps->items[k]->exprs[r];
        if (e->kind != NR_AFFINE_DIM || (uint32_t)e->value != d) continue;
        NrValue *size = nr_check_size_of(&b, nr_operand(op, k), r), *first = ranges[d];
        char text[96];
        snprintf(text, sizeof text, "operands disagree on the range of loop %u: %%0 and %%1", d);
        if (first)
          nr_check_unless(&b, op, nr_fold_cmpi(&b, NR_CMPI_EQ, first, size), text, (NrValue *[]){first, size}, 2);
        ranges[d] = size;
      }
  for (uint32_t d = 0; d < loops; d++) {
    if (!ranges[d]) return;
    last[d] = nr_fold_binary(&b, NR_OP_arith_subi, ranges[d], nr_check_number(&b, 1));
    runs = nr_check_both(&b, runs, nr_fold_cmpi(&b, NR_CMPI_SGT, ranges[d], nr_check_number(&b, 0)));
  }
  for (uint32_t k = 0; k < op->num_operands; k++)
    for (uint32_t r = 0; nr_type_is_shaped(nr_operand(op, k)->type) && r < maps->items[k]->num_exprs; r++) {
      NrAffineExpr e = maps->items[k]->exprs[r];
      if (e->kind == NR_AFFINE_DIM) continue;
      NrValue *size = nr_check_size_of(&b, nr_operand(op, k), r);
      NrValue *inside = nr_fold_cmpi(&b, NR_CMPI_SGE, bound_of(&b, e, last, false), nr_check_number(&b, 0));
      inside = nr_check_both(&b, inside, nr_arith_cmpi(&b, NR_CMPI_SLT, bound_of(&b, e, last, true), size));
      if (runs) inside = nr_arith_select(&b, runs, inside, nr_arith_constant(&b, nr_attr_bool(b.ctx, true)));
      nr_check_unless(&b, op, inside, "an indexing map leaves an operand's bounds", NULL, 0);
    }
}

static bool gives_tensors(const NrOp *op) {
  bool any = false;
  for (uint32_t i = 0; i < op->num_results; i++) any |= nr_result(op, i)->type->kind == NR_TYPE_TENSOR;
  return any;
}

/* Whether op is a reshape of known rank to a shape of known length. */
static bool is_ranked_reshape(const NrOp *op) {
  NrType shape = nr_tensor_reshape_shape(op)->type;
  return nr_type_is_ranked(shape) && shape->dims[0] != NR_DYNAMIC && shape->dims[0] <= NR_MAX_RANK &&
         nr_type_is_ranked(nr_tensor_reshape_source(op)->type);
}

/* ---- by op ------------------------------------------------------------------------------------------------------- */

void nr_check_claims(NrOp *op) {
  switch (op->info->id) {
  case NR_OP_tensor_extract:
    nr_check_indices(op, nr_tensor_extract_tensor(op), NR_TENSOR_EXTRACT_INDICES, NULL);
    return;
  case NR_OP_tensor_insert: nr_check_indices(op, nr_tensor_insert_dest(op), NR_TENSOR_INSERT_INDICES, NULL); return;
  case NR_OP_tensor_empty: nr_check_dynamic_sizes(op, NR_TENSOR_EMPTY_SIZES); return;
  case NR_OP_tensor_generate: nr_check_dynamic_sizes(op, NR_TENSOR_GENERATE_SIZES); return;
  case NR_OP_bufferization_alloc_tensor: nr_check_dynamic_sizes(op, NR_BUFFERIZATION_ALLOC_TENSOR_SIZES); return;
  case NR_OP_tensor_splat: nr_check_dynamic_sizes(op, NR_TENSOR_SPLAT_SIZES); return;
  case NR_OP_tensor_extract_slice: nr_check_slice(op, nr_op_source(op), nr_extract_slice_slots); return;
  case NR_OP_tensor_insert_slice:
  case NR_OP_tensor_parallel_insert_slice:
    nr_check_slice(op, nr_op_dest(op), nr_insert_slice_slots);
    nr_check_inserted(op);
    return;
  case NR_OP_tensor_collapse_shape: nr_check_collapse_shape(op); return;
  case NR_OP_tensor_pad: nr_check_pad(op); return;
  case NR_OP_tensor_concat: nr_check_concat(op); return;
  case NR_OP_tensor_reshape:
    if (is_ranked_reshape(op)) nr_check_tensor_reshape(op);
    else nr_check_reshape(op);
    return;
  case NR_OP_vector_transfer_read:
  case NR_OP_vector_transfer_write: nr_check_transfer(op); return;
  default:
    if (nr_linalg_is_structured(op)) check_generic(op);
    else nr_check_shapes(op);
  }
}

void nr_check_shapes(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  switch (op->info->id) {
  case NR_OP_memref_cast:
  case NR_OP_tensor_cast: check_cast(op); return;
  case NR_OP_memref_copy:
    check_same_shape(&b, op, nr_memref_copy_source(op), nr_memref_copy_target(op), "copies between different shapes");
    return;
  case NR_OP_memref_expand_shape:
  case NR_OP_tensor_expand_shape: nr_check_expand_shape(op); return;
  case NR_OP_memref_reshape:
  case NR_OP_tensor_reshape: nr_check_reshape(op); return;
  case NR_OP_memref_view: nr_check_view(op); return;
  case NR_OP_memref_reinterpret_cast: nr_check_reinterpret_cast(op); return;
  case NR_OP_memref_dim:
  case NR_OP_tensor_dim: nr_check_dim(op); return;
  case NR_OP_memref_dma_start: nr_check_dma_start(op); return;
  default:
    if (nr_op_has(op, NR_ELEMENTWISE) && gives_tensors(op)) check_elementwise(op);
  }
}
