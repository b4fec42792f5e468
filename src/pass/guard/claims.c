/* claims.c - proves the claims of ops on tensors; see claims.h. */
#include "pass/guard/claims.h"

#include "dialect/affine/range.h"
#include "dialect/bufferization/ops.h"
#include "dialect/linalg/linalg.h"
#include "dialect/operands.h"
#include "dialect/scf/scf.h"
#include "dialect/tensor/tensor.h"
#include "dialect/vector/vector.h"

static bool is_tensor(const NrValue *v) { return v->type->kind == NR_TYPE_TENSOR; }

static bool in_dim(NrProver *p, NrSum index, NrSum dim) {
  return nr_prove_not_negative(p, index) && nr_prove_less(p, index, dim);
}

static bool same_dim(NrProver *p, NrValue *x, uint32_t d, NrValue *y, uint32_t e) {
  return nr_prove_equal(p, nr_prover_dim(p, x, d), nr_prover_dim(p, y, e));
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* Whether the operands from `first` on are indices within the tensor. */
static bool indices_hold(NrProver *p, NrOp *op, NrValue *tensor, size_t first) {
  for (uint32_t d = 0; d < tensor->type->rank; d++)
    if (!in_dim(p, nr_prover_value(p, nr_operand(op, first + d)), nr_prover_dim(p, tensor, d))) return false;
  return true;
}

static bool transfer_holds(const NrOp *op) {
  NrType vector = nr_transfer_vector_type(op);
  if (!is_tensor(nr_transfer_base(op)) || vector->scalable) return true; /* scalable vectors are not compiled */
  for (uint32_t r = 0; r < vector->rank; r++)
    if (nr_transfer_in_bounds(op, r)) return false;
  return nr_transfer_base(op)->type->rank == vector->rank;
}

/* ---- casts and dims ---------------------------------------------------------------------------------------------- */

/* Whether static dims of the result's type equal the dims that the op computes or that its operand has. Of a tensor
 * without a rank only the rank can be known. */
static bool cast_holds(NrProver *p, NrOp *op) {
  NrValue *source = nr_tensor_cast_source(op);
  NrType to = nr_op_result(op)->type;
  if (!nr_type_is_ranked(to)) return true;
  bool ranked = nr_type_is_ranked(source->type);
  if (!ranked && !nr_prove_equal(p, nr_prover_rank(p, source), nr_sum_constant(to->rank))) return false;
  for (uint32_t d = 0; d < to->rank; d++)
    if (to->dims[d] != NR_DYNAMIC &&
        (!ranked || !nr_prove_equal(p, nr_prover_dim(p, source, d), nr_sum_constant(to->dims[d]))))
      return false;
  return true;
}

static bool dim_holds(NrProver *p, NrOp *op) {
  return in_dim(p, nr_prover_value(p, nr_tensor_dim_index(op)), nr_prover_rank(p, nr_tensor_dim_source(op)));
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

/* Whether the slice is empty, or its first and last elements are inside the dim. */
static bool slice_dim_holds(NrProver *p, NrSum offset, NrSum size, NrSum stride, NrSum dim) {
  if (!nr_prove_not_negative(p, size) || !nr_prove_not_negative(p, offset)) return false;
  if (nr_sum_is_constant(&size, 0)) return true;
  NrSum steps = nr_sum_add_constant(&size, -1), distance = nr_sum_mul(&steps, &stride),
        last = nr_sum_add(&offset, 1, &distance);
  NrProverMark mark = nr_prover_mark(p);
  nr_prover_assume(p, steps); /* an empty slice claims nothing */
  bool forward = nr_prove_not_negative(p, stride);
  bool holds = nr_prove_less(p, last, dim) &&
               (forward || (nr_prove_not_negative(p, last) && nr_prove_less(p, offset, dim)));
  nr_prover_reset(p, mark);
  return holds;
}

static bool slice_holds(NrProver *p, NrOp *op, NrValue *whole, const NrIndexListSlot *slots) {
  for (uint32_t d = 0; d < whole->type->rank; d++) {
    NrSum v[3];
    for (size_t k = 0; k < 3; k++) v[k] = nr_prover_index(p, nr_index_list_get(op, slots[k], d));
    if (!slice_dim_holds(p, v[0], v[1], v[2], nr_prover_dim(p, whole, d))) return false;
  }
  return true;
}

/* Whether the source has the shape of the slice, up to dropped unit dims. */
static bool inserted_holds(NrProver *p, NrOp *op) {
  NrValue *source = nr_op_source(op);
  uint32_t rank = nr_op_dest(op)->type->rank, from = 0;
  for (uint32_t d = 0; d < rank && from < source->type->rank; d++) {
    NrIndex size = nr_index_list_get(op, nr_insert_slice_slots[1], d);
    if (source->type->rank < rank && nr_index_is(size, 1) && source->type->dims[from] != 1) continue;
    if (!nr_prove_equal(p, nr_prover_dim(p, source, from++), nr_prover_index(p, size))) return false;
  }
  return true;
}

/* ---- structured ops ---------------------------------------------------------------------------------------------- */

/* The range of an expression whose dims have constant ranges; false: not known. */
static bool expr_range(NrAffineExpr e, const NrSum *ranges, NrRange *out) {
  NrRange x, y;
  switch (e->kind) {
  case NR_AFFINE_CONSTANT: *out = (NrRange){e->value, e->value}; return true;
  case NR_AFFINE_SYMBOL: return false;
  case NR_AFFINE_DIM:
    *out = (NrRange){0, ranges[e->value].constant - 1};
    return ranges[e->value].known && ranges[e->value].num_terms == 0;
  default: break;
  }
  if (!expr_range(e->lhs, ranges, &x) || !expr_range(e->rhs, ranges, &y)) return false;
  if (e->kind == NR_AFFINE_ADD) return nr_add_i64(x.min, y.min, &out->min) && nr_add_i64(x.max, y.max, &out->max);
  if (y.min != y.max || y.min <= 0 || x.min < 0) return false; /* only non-negative values by a positive constant */
  if (e->kind == NR_AFFINE_MUL) return nr_mul_i64(x.min, y.min, &out->min) && nr_mul_i64(x.max, y.min, &out->max);
  if (e->kind == NR_AFFINE_MOD) *out = (NrRange){0, NR_MIN(x.max, y.min - 1)};
  else *out = (NrRange){x.min / y.min, x.max / y.min + (e->kind == NR_AFFINE_CEILDIV)};
  return true;
}

/* Whether the expression is a valid index of dim. A linear expression has its minimum and maximum at ends of the
 * ranges. */
static bool expr_holds(NrProver *p, NrAffineExpr e, uint32_t loops, const NrSum *ranges, NrSum dim) {
  int64_t factors[NR_MAX_RANK], constant;
  NrRange range;
  if (!nr_affine_linear(e, loops, factors, &constant))
    return expr_range(e, ranges, &range) && range.min >= 0 && nr_prove_less(p, nr_sum_constant(range.max), dim);
  NrSum min = nr_sum_constant(constant), max = min;
  for (uint32_t d = 0; d < loops; d++) {
    NrSum last = nr_sum_add_constant(&ranges[d], -1);
    NrSum *end = factors[d] < 0 ? &min : &max;
    if (factors[d]) *end = nr_sum_add(end, factors[d], &last);
  }
  return nr_prove_not_negative(p, min) && nr_prove_less(p, max, dim);
}

static bool ranges_agree(NrProver *p, NrOp *op, uint32_t loops, NrSum *ranges) {
  bool known[NR_MAX_RANK] = {false};
  for (uint32_t k = 0; k < op->num_operands; k++) {
    NrAttr map = nr_linalg_map(op, k);
    for (uint32_t r = 0; is_tensor(nr_operand(op, k)) && r < map->num_exprs; r++) {
      NrAffineExpr e = map->exprs[r];
      if (e->kind != NR_AFFINE_DIM) continue;
      NrSum size = nr_prover_dim(p, nr_operand(op, k), r);
      if (known[e->value] && !nr_prove_equal(p, ranges[e->value], size)) return false;
      ranges[e->value] = size;
      known[e->value] = true;
    }
  }
  for (uint32_t d = 0; d < loops; d++)
    if (!known[d]) return false;
  return true;
}

static bool generic_holds(NrProver *p, NrOp *op) {
  NrSum ranges[NR_MAX_RANK];
  uint32_t loops = (uint32_t)nr_linalg_num_loops(op);
  bool on_tensors = false;
  for (uint32_t k = 0; k < op->num_operands; k++) {
    on_tensors |= is_tensor(nr_operand(op, k));
    if (nr_type_is_memref(nr_operand(op, k)->type)) return true; /* not checked: see claims.h */
  }
  if (!on_tensors) return true;
  if (loops > NR_MAX_RANK || !ranges_agree(p, op, loops, ranges)) return false;
  NrProverMark mark = nr_prover_mark(p);
  bool holds = true;
  for (uint32_t d = 0; d < loops; d++)
    nr_prover_assume(p, nr_sum_add_constant(&ranges[d], -1)); /* an empty loop claims nothing */
  for (uint32_t k = 0; k < op->num_operands && holds; k++) {
    NrAttr map = nr_linalg_map(op, k);
    for (uint32_t r = 0; is_tensor(nr_operand(op, k)) && r < map->num_exprs && holds; r++)
      holds = map->exprs[r]->kind == NR_AFFINE_DIM ||
              expr_holds(p, map->exprs[r], loops, ranges, nr_prover_dim(p, nr_operand(op, k), r));
  }
  nr_prover_reset(p, mark);
  return holds;
}

static bool elementwise_holds(NrProver *p, NrOp *op) {
  NrValue *first = NULL;
  if (nr_op_selects_whole(op)) return true;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *v = nr_operand(op, i);
    if (!is_tensor(v)) continue;
    for (uint32_t d = 0; first && d < v->type->rank; d++)
      if (!same_dim(p, first, d, v, d)) return false;
    first = first ? first : v;
  }
  for (uint32_t i = 0; first && i < op->num_results; i++) {
    NrType type = nr_result(op, i)->type;
    for (uint32_t d = 0; type->kind == NR_TYPE_TENSOR && d < first->type->rank; d++)
      if (type->dims[d] != NR_DYNAMIC &&
          !nr_prove_equal(p, nr_prover_dim(p, first, d), nr_sum_constant(type->dims[d])))
        return false;
  }
  return true;
}

/* ---- other shapes of the same elements --------------------------------------------------------------------------- */

static bool expand_holds(NrProver *p, NrOp *op) {
  NrGroups groups;
  if (!nr_groups_of(op, &groups)) return false;
  for (uint32_t g = 0; g < groups.count; g++) {
    NrSum product = nr_sum_constant(1);
    for (uint32_t i = 0; i < groups.size[g]; i++) {
      NrSum dim = nr_prover_index(p, nr_index_list_get(op, nr_output_shape_slot, groups.begin[g] + i));
      if (!nr_prove_not_negative(p, dim)) return false;
      product = nr_sum_mul(&product, &dim);
    }
    if (!nr_prove_equal(p, product, nr_prover_dim(p, nr_op_source(op), g))) return false;
  }
  return true;
}

static bool collapse_holds(NrProver *p, NrOp *op) {
  NrType to = nr_op_result(op)->type, from = nr_op_source(op)->type;
  NrGroups groups;
  if (!nr_groups_of(op, &groups)) return false;
  for (uint32_t g = 0; g < groups.count; g++) {
    NrSum product = nr_sum_constant(1);
    if (to->dims[g] == NR_DYNAMIC || from->rank == 0) continue;
    for (uint32_t i = 0; i < groups.size[g]; i++) {
      NrSum dim = nr_prover_dim(p, nr_op_source(op), groups.begin[g] + i);
      product = nr_sum_mul(&product, &dim);
    }
    if (!nr_prove_equal(p, product, nr_sum_constant(to->dims[g]))) return false;
  }
  return true;
}

/* The shape is a tensor of static length: each dim is a valid size and equals the type's, and the number of elements is
 * the source's. */
static bool reshape_holds(NrProver *p, NrOp *op) {
  NrValue *source = nr_tensor_reshape_source(op), *shape = nr_tensor_reshape_shape(op);
  NrType to = nr_op_result(op)->type;
  if (!nr_type_is_ranked(source->type) || !nr_type_is_ranked(shape->type) || shape->type->dims[0] == NR_DYNAMIC)
    return false;
  NrSum have = nr_sum_constant(1), want = have;
  for (int64_t i = 0; i < shape->type->dims[0]; i++) {
    NrSum dim = nr_prover_element(p, shape, i);
    if (!nr_prove_not_negative(p, dim)) return false;
    if (nr_type_is_ranked(to) && to->dims[i] != NR_DYNAMIC && !nr_prove_equal(p, dim, nr_sum_constant(to->dims[i])))
      return false;
    want = nr_sum_mul(&want, &dim);
  }
  for (uint32_t d = 0; d < source->type->rank; d++) {
    NrSum dim = nr_prover_dim(p, source, d);
    have = nr_sum_mul(&have, &dim);
  }
  return nr_prove_equal(p, have, want);
}

/* Whether the operands from `first` on are valid sizes, so that arithmetic on them does not overflow. */
static bool sizes_hold(NrProver *p, NrOp *op, size_t first) {
  for (size_t i = 0; i < nr_type_num_dynamic(nr_op_result(op)->type); i++) {
    NrSum size = nr_prover_value(p, nr_operand(op, first + i)), max = nr_sum_constant(NR_MAX_DIM);
    if (!nr_prove_not_negative(p, size) || !nr_prove_not_negative(p, nr_sum_add(&max, -1, &size))) return false;
  }
  return true;
}

/* Whether static dims of the result's type equal the padded dims, and no padding is negative. */
static bool pad_holds(NrProver *p, NrOp *op) {
  NrType to = nr_op_result(op)->type;
  for (uint32_t d = 0; d < to->rank; d++) {
    NrSum sum = nr_prover_dim(p, nr_tensor_pad_source(op), d);
    for (size_t k = 0; k < 2; k++) {
      NrSum pad = nr_prover_index(p, nr_index_list_get(op, nr_pad_slots[k], d));
      if (!nr_prove_not_negative(p, pad)) return false;
      sum = nr_sum_add(&sum, 1, &pad);
    }
    if (to->dims[d] != NR_DYNAMIC && !nr_prove_equal(p, sum, nr_sum_constant(to->dims[d]))) return false;
  }
  return true;
}

static bool concat_holds(NrProver *p, NrOp *op) {
  uint32_t axis = (uint32_t)nr_op_attr_int(op, NR_A_dim, 0);
  NrType to = nr_op_result(op)->type;
  NrSum total = nr_sum_constant(0);
  NrValue *first = nr_operand(op, NR_TENSOR_CONCAT_INPUTS);
  for (uint32_t d = 0; d < to->rank; d++)
    for (uint32_t i = 0; i < op->num_operands; i++) {
      NrSum dim = nr_prover_dim(p, nr_operand(op, i), d);
      if (d == axis) total = nr_sum_add(&total, 1, &dim);
      else if (i && !same_dim(p, first, d, nr_operand(op, i), d)) return false;
      else if (to->dims[d] != NR_DYNAMIC && !nr_prove_equal(p, dim, nr_sum_constant(to->dims[d]))) return false;
    }
  return to->dims[axis] == NR_DYNAMIC || nr_prove_equal(p, total, nr_sum_constant(to->dims[axis]));
}

/* ---- by op ------------------------------------------------------------------------------------------------------- */

bool nr_claims_hold(NrProver *p, NrOp *op) {
  switch (op->info->id) {
  case NR_OP_tensor_extract: return indices_hold(p, op, nr_tensor_extract_tensor(op), NR_TENSOR_EXTRACT_INDICES);
  case NR_OP_tensor_insert: return indices_hold(p, op, nr_tensor_insert_dest(op), NR_TENSOR_INSERT_INDICES);
  case NR_OP_tensor_dim: return dim_holds(p, op);
  case NR_OP_tensor_cast: return cast_holds(p, op);
  case NR_OP_tensor_empty: return sizes_hold(p, op, NR_TENSOR_EMPTY_SIZES);
  case NR_OP_tensor_generate: return sizes_hold(p, op, NR_TENSOR_GENERATE_SIZES);
  case NR_OP_tensor_splat: return sizes_hold(p, op, NR_TENSOR_SPLAT_SIZES);
  case NR_OP_bufferization_alloc_tensor:
    return nr_bufferization_alloc_tensor_copy(op) || sizes_hold(p, op, NR_BUFFERIZATION_ALLOC_TENSOR_SIZES);
  case NR_OP_tensor_extract_slice: return slice_holds(p, op, nr_op_source(op), nr_extract_slice_slots);
  case NR_OP_tensor_insert_slice:
  case NR_OP_tensor_parallel_insert_slice:
    return slice_holds(p, op, nr_op_dest(op), nr_insert_slice_slots) && inserted_holds(p, op);
  case NR_OP_tensor_expand_shape: return expand_holds(p, op);
  case NR_OP_tensor_collapse_shape: return collapse_holds(p, op);
  case NR_OP_tensor_pad: return pad_holds(p, op);
  case NR_OP_tensor_concat: return concat_holds(p, op);
  case NR_OP_tensor_reshape: return reshape_holds(p, op);
  case NR_OP_vector_transfer_read:
  case NR_OP_vector_transfer_write: return transfer_holds(op);
  default:
    if (nr_linalg_is_structured(op)) return generic_holds(p, op);
    return !nr_op_has(op, NR_ELEMENTWISE) || elementwise_holds(p, op);
  }
}
