/* masks.c - rewrites of masks, and of accesses whose mask is all true or all false.
 *
 *   before  %m = vector.constant_mask [4] : vector<4xi1>                   after  %0 = vector.load %b[%i] : ..
 *           %0 = vector.maskedload %b[%i], %m, %v : memref<?xf32>, ..
 */
#include "dialect/arith/fold.h"
#include "dialect/memref/memref.h"
#include "dialect/operands.h"
#include "dialect/vector/vector.h"

/* ---- masks ------------------------------------------------------------------------------------------------------- */

NrValue *nr_vector_constant_mask(NrBuilder *b, NrType type, const int64_t *sizes) {
  int64_t fixed[NR_MAX_RANK] = {0};
  bool none = !sizes;
  for (uint32_t i = 0; i < type->rank && sizes; i++) none |= sizes[i] == 0;
  for (uint32_t i = 0; i < type->rank && !none; i++) fixed[i] = sizes[i]; /* one size of 0 makes the mask empty */
  NrValue *mask = nr_build_value(b, NR_OP_vector_constant_mask, type, NULL, 0);
  nr_op_set_attr(mask->op, NR_A_mask_dim_sizes, nr_attr_i64_array(b->ctx, fixed, type->rank));
  return mask;
}

/* Replaces a create_mask with constant sizes by a constant_mask. */
bool nr_vector_create_mask_canonicalize(NrOp *op, NrBuilder *b) {
  NrType type = nr_op_result(op)->type;
  int64_t sizes[NR_MAX_RANK];
  if (type->scalable || type->rank == 0) return false;
  for (uint32_t i = 0; i < type->rank; i++) {
    if (!nr_value_constant_int(nr_operand(op, i), &sizes[i])) return false;
    sizes[i] = NR_MAX(0, NR_MIN(sizes[i], type->dims[i]));
  }
  return nr_op_replace(op, nr_vector_constant_mask(b, type, sizes));
}

bool nr_vector_constant_mask_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrType type = nr_op_result(op)->type;
  const int64_t *sizes = nr_index_list_statics(op, "mask_dim_sizes");
  bool all = true, none = false;
  (void)constants;
  if (type->scalable || type->rank == 0) return false;
  for (uint32_t i = 0; i < type->rank; i++) {
    all &= sizes[i] == type->dims[i];
    none |= sizes[i] == 0;
  }
  return (all || none) && nr_fold_to_attr(out, nr_splat_int(type, none ? 0 : 1));
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

typedef enum MaskKind { SOME, ALL, NONE } MaskKind;

static MaskKind mask_kind(const NrValue *mask) {
  const NrOp *op = mask->op;
  NrAttr constant = nr_value_constant((NrValue *)mask);
  if (nr_const_is_int(constant, 0)) return NONE;
  if (nr_const_is_int(constant, 1)) return ALL;
  bool fixed = nr_op_is(op, NR_OP_vector_constant_mask);
  if (mask->type->scalable || (!fixed && !nr_op_is(op, NR_OP_vector_create_mask))) return SOME;
  bool all = true, none = false, known = true;
  for (uint32_t i = 0; i < mask->type->rank; i++) {
    int64_t size;
    if (fixed) size = nr_index_list_statics(op, "mask_dim_sizes")[i];
    else if (!nr_value_constant_int(nr_operand(op, i), &size)) {
      known = false;
      continue;
    }
    all &= size >= mask->type->dims[i];
    none |= size <= 0;
  }
  return none ? NONE : all && known ? ALL : SOME;
}

/* What a masked write writes, or what a masked read gives where the mask is false. */
static NrValue *moved_vector(const NrOp *op) { return nr_op_has_value(op) ? nr_op_value(op) : nr_op_pass_thru(op); }

static bool is_in_rows(const NrOp *op, uint32_t operand, NrType type) {
  (void)operand;
  return nr_vector_is_in_rows(type, (op->num_results ? nr_op_result(op) : nr_vector_store_value(op))->type);
}

/* For load and store. */
bool nr_vector_access_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  return nr_memref_absorb_cast_if(op, is_in_rows);
}

/* For maskedload, expandload, maskedstore and compressstore. Operand groups: base, indices, mask, and pass_thru or the
 * value to write. */
bool nr_vector_masked_canonicalize(NrOp *op, NrBuilder *b) {
  NrGroup indices = nr_op_indices(op);
  NrValue *at[NR_MAX_RANK], *vector = moved_vector(op);
  MaskKind kind = mask_kind(nr_op_mask(op));
  for (size_t i = 0; i < indices.count; i++) at[i] = nr_operand(op, indices.begin + i);
  if (kind == NONE && op->num_results) return nr_op_replace(op, vector);
  if (kind == ALL && !nr_vector_is_in_rows(nr_op_base(op)->type, vector->type)) kind = SOME;
  if (kind == ALL && op->num_results)
    return nr_op_replace(op, nr_build_vector_load(b, nr_op_result(op)->type, nr_op_base(op), at, indices.count));
  if (kind == SOME) return nr_memref_absorb_cast(op, b);
  if (kind == ALL) nr_build_vector_store(b, vector, nr_op_base(op), at, indices.count);
  nr_op_erase(op);
  return true;
}

/* Whether the indices are 0, 1, 2, .. */
static bool is_consecutive(const NrValue *indices) {
  NrAttr constant = nr_value_constant(indices);
  if (nr_op_is(indices->op, NR_OP_vector_step)) return true;
  if (!constant || !nr_attr_is_elements(constant)) return false;
  for (int64_t i = 0; i < indices->type->dims[0]; i++)
    if (!nr_const_is_int(nr_attr_element(constant, i), i)) return false;
  return true;
}

/* Replaces gather and scatter of consecutive elements by maskedload and maskedstore. */
static bool access_in_row(NrOp *op, NrBuilder *b) {
  NrType base = nr_op_base(op)->type;
  if (base->kind != NR_TYPE_MEMREF || base->rank != 1 || base->layout) return false;
  bool reads = nr_op_is(op, NR_OP_vector_gather);
  NrValue *indices = reads ? nr_vector_gather_index_vec(op) : nr_vector_scatter_index_vec(op);
  if (indices->type->rank != 1 || indices->type->scalable || !is_consecutive(indices)) return false;
  NrValue *first = nr_operand(op, nr_op_indices(op).begin); /* the base has rank 1 */
  NrValue *operands[] = {nr_op_base(op), first, nr_op_mask(op), moved_vector(op)};
  if (reads)
    return nr_op_replace(op, nr_build_value(b, NR_OP_vector_maskedload, nr_op_result(op)->type, operands, 4));
  nr_build_op(b, NR_OP_vector_maskedstore, operands, 4, NULL, 0);
  nr_op_erase(op);
  return true;
}

/* For gather and scatter; a mask that is all true does not simplify them. */
bool nr_vector_indexed_canonicalize(NrOp *op, NrBuilder *b) {
  if (mask_kind(nr_op_mask(op)) != NONE) return nr_memref_absorb_cast(op, b) || access_in_row(op, b);
  if (op->num_results) return nr_op_replace(op, moved_vector(op));
  nr_op_erase(op);
  return true;
}

/* Drops a mask that is all true. */
bool nr_vector_drop_full_mask(NrOp *op) {
  NrValue *mask = nr_transfer_mask(op);
  uint32_t segments[4];
  if (!mask || mask_kind(mask) != ALL) return false;
  for (size_t g = 0; g < 4; g++) segments[g] = (uint32_t)nr_op_group(op, g).count;
  nr_op_erase_operand(op, op->num_operands - 1);
  segments[3] = 0;
  nr_op_set_segments(op, segments, 4);
  return true;
}
