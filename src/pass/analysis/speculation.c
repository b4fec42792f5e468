/* speculation.c - decides whether an op may run where the program would not have run it; see rewrite.h.
 *
 *   scf.for %i = %c0 to %n step %c1 {
 *     %s = tensor.extract_slice %t[%o] [2] [1]      stays: the loop may have no iterations, and %o
 *     ..                                            may be out of bounds
 *
 * An op that fails for some operands is speculatable only if its operands are known to be valid. That shapes of tensors
 * agree is proven: the check that is in front of an op where they may not (check_claims.c) can be in the loop too. */
#include "dialect/arith/arith.h"
#include "dialect/math/ops.h"
#include "dialect/operands.h"
#include "dialect/scf/scf.h"
#include "dialect/arith/fold.h"
#include "dialect/shared/shaped.h"
#include "dialect/tensor/ops.h"
#include "dialect/vector/ops.h"
#include "ir/region_flow.h"
#include "pass/analysis/ranges.h"
#include "pass/core/rewrite.h"
#include "pass/guard/claims.h"

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static bool is_integer(NrAttr scalar) { return scalar && scalar->kind == NR_ATTR_INTEGER; }

/* Whether the divisor is a constant other than 0 and -1, by which a division always has a result. */
static bool divides_safely(const NrOp *op) {
  NrAttr divisor = nr_splat_scalar(nr_value_constant(nr_op_rhs(op)));
  return is_integer(divisor) && !nr_const_is_int(divisor, 0) && !nr_const_is_int(divisor, -1);
}

static bool shifts_safely(const NrOp *op) {
  NrValue *by = nr_op_rhs(op);
  NrAttr number = nr_splat_scalar(nr_value_constant(by));
  uint32_t bits = nr_type_bits(nr_type_elem(by->type));
  if (number) return is_integer(number) && !number->num_words && number->i >= 0 && number->i < (int64_t)bits;
  NrRange range = nr_range_of(by);
  return bits <= 64 && range.min >= 0 && range.max < (int64_t)bits;
}

/* Whether the exponent is a non-negative constant: 0 to a negative power has no result. */
static bool raises_safely(const NrOp *op) {
  NrAttr exponent = nr_splat_scalar(nr_value_constant(nr_math_ipowi_rhs(op)));
  return is_integer(exponent) && !exponent->num_words && exponent->i >= 0;
}

static bool divides_by_constants(NrAffineExpr e) {
  if (!e->lhs) return true;
  bool divides = e->kind != NR_AFFINE_ADD && e->kind != NR_AFFINE_MUL;
  if (divides && (e->rhs->kind != NR_AFFINE_CONSTANT || e->rhs->value <= 0)) return false;
  return divides_by_constants(e->lhs) && divides_by_constants(e->rhs);
}

bool nr_map_never_fails(NrAttr map) {
  if (!map || map->kind != NR_ATTR_AFFINE_MAP) return false;
  for (uint32_t i = 0; i < map->num_exprs; i++)
    if (!divides_by_constants(map->exprs[i])) return false;
  return true;
}

/* ---- indices ----------------------------------------------------------------------------------------------------- */

static bool lies_in(NrIndex index, int64_t size) {
  if (!index.value) return index.constant >= 0 && index.constant < size;
  NrRange range = nr_range_of(index.value);
  return range.min >= 0 && range.max < size;
}

/* Indices below static dims. A 0-d tensor always has its one element. */
static bool indexes_safely(const NrOp *op, NrType type, uint32_t first) {
  for (uint32_t d = 0; d < type->rank; d++)
    if (type->dims[d] == NR_DYNAMIC || !lies_in(nr_index_of(nr_operand(op, first + d)), type->dims[d])) return false;
  return true;
}

static bool positions_are_there(const NrOp *op, NrValue *vector, size_t group) {
  NrIndex list[NR_MAX_RANK];
  size_t count = nr_index_list_all(op, (NrIndexListSlot){group, "static_position"}, list);
  for (size_t d = 0; d < count; d++)
    if (list[d].value && !lies_in(list[d], vector->type->dims[d])) return false;
  return true;
}

static bool asks_for_a_dim(const NrOp *op) {
  NrType type = nr_op_source(op)->type;
  return nr_type_is_ranked(type) && lies_in(nr_index_of(nr_op_index(op)), type->rank);
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

/* Whether index is known to be the size of dim d of shaped. */
static bool is_dim_of(NrIndex index, NrValue *shaped, size_t d) {
  NrIndex size;
  int64_t number;
  if (nr_dim_of(shaped, d, &size) && nr_index_eq(size, index)) return true;
  const NrOp *op = index.value ? index.value->op : NULL;
  bool asks = nr_op_is(op, NR_OP_tensor_dim) || nr_op_is(op, NR_OP_memref_dim);
  return asks && nr_op_source(op) == shaped && nr_value_constant_int(nr_op_index(op), &number) && number == (int64_t)d;
}

/* Whether each dim is sliced whole, or is static and sliced within its bounds for all possible offsets. */
static bool slices_safely(const NrOp *op, NrValue *whole, const NrIndexListSlot *slots) {
  for (uint32_t d = 0; d < whole->type->rank; d++) {
    NrIndex offset = nr_index_list_get(op, slots[0], d), size = nr_index_list_get(op, slots[1], d);
    NrIndex stride = nr_index_list_get(op, slots[2], d);
    if (nr_index_is(offset, 0) && nr_index_is(stride, 1) && is_dim_of(size, whole, d)) continue;
    if (whole->type->dims[d] == NR_DYNAMIC || size.value || stride.value) return false;
    NrRange begin = {offset.constant, offset.constant};
    if (offset.value) begin = nr_range_of(offset.value);
    if (begin.min < 0 || begin.max > whole->type->dims[d]) return false;
    if (!nr_slice_is_inside(nr_index_const(begin.min), size, stride, whole->type->dims[d], NULL) ||
        !nr_slice_is_inside(nr_index_const(begin.max), size, stride, whole->type->dims[d], NULL))
      return false;
  }
  return true;
}

/* Whether the result's type claims nothing beyond the operand's type. */
static bool casts_safely(const NrOp *op) {
  NrType from = nr_op_source(op)->type, to = nr_op_result(op)->type;
  int64_t have[NR_MAX_RANK], want[NR_MAX_RANK], offset, wanted;
  if (!nr_type_is_ranked(to)) return true;
  if (!nr_type_is_ranked(from) || !nr_type_refines(from, to)) return false;
  if (!nr_type_is_memref(to) || from->layout == to->layout) return true;
  if (!nr_memref_strides(from, have, &offset) || !nr_memref_strides(to, want, &wanted)) return false;
  bool known = wanted == NR_DYNAMIC || wanted == offset;
  for (uint32_t d = 0; d < to->rank; d++) known &= want[d] == NR_DYNAMIC || want[d] == have[d];
  return known;
}

/* Whether each group has at most one dim other than 1, which is the source's dim. */
static bool expands_safely(const NrOp *op) {
  NrValue *source = nr_op_source(op);
  NrGroups groups;
  if (nr_type_has_static_shape(source->type) && nr_type_has_static_shape(nr_op_result(op)->type)) return true;
  if (!nr_groups_of(op, &groups)) return false;
  for (uint32_t g = 0; g < groups.count; g++) {
    NrIndex other = nr_index_const(1);
    for (uint32_t k = 0; k < groups.size[g]; k++) {
      NrIndex size = nr_index_list_get(op, nr_output_shape_slot, groups.begin[g] + k);
      if (nr_index_is(size, 1)) continue;
      if (!nr_index_is(other, 1)) return false;
      other = size;
    }
    if (!is_dim_of(other, source, g)) return false;
  }
  return true;
}

/* Whether the operands from `first` on, which are the result's dynamic dims, are not negative. */
static bool has_valid_sizes(const NrOp *op, uint32_t first) {
  NrType type = nr_op_result(op)->type;
  for (size_t i = 0; i < nr_type_num_dynamic(type); i++)
    if (nr_range_of(nr_operand(op, first + i)).min < 0) return false;
  return true;
}

static bool pads_safely(const NrOp *op) {
  for (uint32_t i = NR_TENSOR_PAD_LOW; i < op->num_operands; i++)
    if (nr_range_of(nr_operand(op, i)).min < 0) return false;
  return true;
}

static bool has_dynamic_tensor(const NrOp *op) {
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrType type = nr_operand(op, i)->type;
    if (type->kind == NR_TYPE_TENSOR && !nr_type_has_static_shape(type)) return true;
  }
  return false;
}

/* Asks what is known where the op is to be; without a prover, what holds everywhere. */
static bool shapes_agree(NrOp *op, NrProver *known) {
  if (!has_dynamic_tensor(op)) return true; /* the verifier has compared static ones */
  NrProver *p = known ? known : nr_prover_create();
  bool agree = nr_claims_hold(p, op);
  if (!known) nr_prover_destroy(p);
  return agree;
}

/* ---- ops --------------------------------------------------------------------------------------------------------- */

/* Whether op is no loop, or a counting loop with positive steps, which terminates and does not fail. */
static bool loops_safely(const NrOp *op) {
  NrLoopRange range;
  if (!nr_op_has(op, NR_LOOP)) return true;
  for (uint32_t i = 0; nr_op_loop_range(op, i, &range); i++)
    if ((range.step.value ? nr_range_of(range.step.value).min : range.step.constant) <= 0) return false;
  if (nr_op_is(op, NR_OP_scf_parallel) && nr_op_attr(op, NR_A_noInit)) return false; /* fails if it has no points */
  return op->info->loop_range != NULL;
}

/* Whether op cannot fail, for any operands or for those that it has. */
static bool never_fails(NrOp *op, NrProver *known) {
  switch (op->info->id) {
  case NR_OP_arith_shli:
  case NR_OP_arith_shrsi:
  case NR_OP_arith_shrui: return shifts_safely(op) && shapes_agree(op, known);
  case NR_OP_arith_fptosi:
  case NR_OP_arith_fptoui: return false;
  case NR_OP_math_ipowi: return raises_safely(op) && shapes_agree(op, known);
  case NR_OP_tensor_extract: return indexes_safely(op, nr_tensor_extract_tensor(op)->type, NR_TENSOR_EXTRACT_INDICES);
  case NR_OP_tensor_insert: return indexes_safely(op, nr_tensor_insert_dest(op)->type, NR_TENSOR_INSERT_INDICES);
  case NR_OP_vector_extract:
    return positions_are_there(op, nr_vector_extract_source(op), NR_VECTOR_EXTRACT_POSITION_GROUP);
  case NR_OP_vector_insert:
    return positions_are_there(op, nr_vector_insert_dest(op), NR_VECTOR_INSERT_POSITION_GROUP);
  case NR_OP_tensor_dim:
  case NR_OP_memref_dim: return asks_for_a_dim(op);
  case NR_OP_tensor_extract_slice:
  case NR_OP_memref_subview: return slices_safely(op, nr_op_source(op), nr_extract_slice_slots);
  case NR_OP_tensor_insert_slice:
    return slices_safely(op, nr_op_dest(op), nr_insert_slice_slots) && shapes_agree(op, known);
  case NR_OP_tensor_cast:
  case NR_OP_memref_cast: return casts_safely(op);
  case NR_OP_tensor_expand_shape:
  case NR_OP_memref_expand_shape: return expands_safely(op);
  case NR_OP_tensor_reshape:
  case NR_OP_memref_view:
  case NR_OP_memref_reinterpret_cast:
  case NR_OP_tensor_gather:
  case NR_OP_tensor_scatter: return false;
  case NR_OP_tensor_empty: return has_valid_sizes(op, NR_TENSOR_EMPTY_SIZES);
  case NR_OP_tensor_generate: return has_valid_sizes(op, NR_TENSOR_GENERATE_SIZES);
  case NR_OP_tensor_splat: return has_valid_sizes(op, NR_TENSOR_SPLAT_SIZES);
  case NR_OP_tensor_pad: return pads_safely(op) && shapes_agree(op, known);
  default: break;
  }
  if (nr_op_has(op, NR_DIVIDES) && !divides_safely(op)) return false;
  if (nr_op_has(op, NR_DIVIDES)) return shapes_agree(op, known);
  if (nr_op_has(op, NR_SPECULATABLE_NO) && !nr_map_never_fails(nr_op_attr(op, NR_A_map))) return false;
  return shapes_agree(op, known);
}

static bool may_speculate(NrOp *op, void *known) {
  if (!loops_safely(op) || !never_fails(op, known)) return false;
  for (uint32_t r = 0; r < op->num_regions; r++)
    if (op->regions[r].first != op->regions[r].last) return false; /* blocks may form loops */
  return true;
}

bool nr_op_is_speculatable_where(NrOp *op, NrProver *known) {
  return nr_op_is_pure(op) && nr_walk_pre(op, may_speculate, known);
}

bool nr_op_is_speculatable(NrOp *op) { return nr_op_is_speculatable_where(op, NULL); }
