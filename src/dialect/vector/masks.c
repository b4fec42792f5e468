/* masks.c - rewrites of masks, and of accesses whose mask lets everything through, or nothing.
 *
 *   before  %m = vector.constant_mask [4] : vector<4xi1>                   after  %0 = vector.load %b[%i] : ..
 *           %0 = vector.maskedload %b[%i], %m, %v : memref<?xf32>, ..
 */
#include "dialect/shared/fold.h"
#include "dialect/memref/memref.h"
#include "dialect/operands.h"
#include "dialect/vector/vector.h"

/* ---- masks ------------------------------------------------------------------------------------------------------- */

NrValue *nr_vector_constant_mask(NrBuilder *b, NrType type, const int64_t *sizes) {
  int64_t fixed[NR_MAX_RANK] = {0};
  bool none = !sizes;
  for (uint32_t i = 0; i < type->rank && sizes; i++) none |= sizes[i] == 0;
  for (uint32_t i = 0; i < type->rank && !none; i++) fixed[i] = sizes[i]; /* of nothing along one dim is nothing */
  NrValue *mask = nr_build_value(b, NR_OP_vector_constant_mask, type, NULL, 0);
  nr_op_set_attr(mask->op, NR_A_mask_dim_sizes, nr_attr_i64_array(b->ctx, fixed, type->rank));
  return mask;
}

/* Of constants. */
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

typedef enum Lets { SOME, ALL, NONE } Lets;

static Lets what_lets(const NrValue *mask) {
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

static size_t group_begin(const NrOp *op, size_t group, size_t *out_count) {
  size_t begin = 0;
  nr_op_operand_group(op, group, &begin, out_count);
  return begin;
}

/* maskedload, expandload, maskedstore and compressstore: base, indices, mask, and pass_thru or the value to write. */
bool nr_vector_masked_canonicalize(NrOp *op, NrBuilder *b) {
  size_t num_indices, one, indices = group_begin(op, 1, &num_indices);
  NrValue *at[NR_MAX_RANK], *vector = nr_operand(op, group_begin(op, 3, &one));
  Lets lets = what_lets(nr_operand(op, group_begin(op, 2, &one)));
  for (size_t i = 0; i < num_indices; i++) at[i] = nr_operand(op, indices + i);
  if (lets == NONE && op->num_results) return nr_op_replace(op, vector);
  if (lets == ALL && !nr_vector_is_in_rows(nr_op_base(op)->type, vector->type)) lets = SOME;
  if (lets == ALL && op->num_results)
    return nr_op_replace(op, nr_build_vector_load(b, nr_op_result(op)->type, nr_op_base(op), at, num_indices));
  if (lets == SOME) return nr_memref_absorb_cast(op, b);
  if (lets == ALL) nr_build_vector_store(b, vector, nr_op_base(op), at, num_indices);
  nr_op_erase(op);
  return true;
}

/* Whether places are 0, 1, 2, ... */
static bool is_consecutive(const NrValue *places) {
  NrAttr constant = nr_value_constant(places);
  if (nr_op_is(places->op, NR_OP_vector_step)) return true;
  if (!constant || !nr_attr_is_elements(constant)) return false;
  for (int64_t i = 0; i < places->type->dims[0]; i++)
    if (!nr_const_is_int(nr_attr_element(constant, i), i)) return false;
  return true;
}

/* gather and scatter of consecutive elements. */
static bool access_in_row(NrOp *op, NrBuilder *b) {
  NrValue *operands[4] = {nr_op_base(op)};
  size_t one;
  NrType base = operands[0]->type;
  if (base->kind != NR_TYPE_MEMREF || base->rank != 1 || base->layout) return false;
  NrValue *places = nr_operand(op, group_begin(op, 2, &one));
  if (places->type->rank != 1 || places->type->scalable || !is_consecutive(places)) return false;
  for (size_t g = 1; g < 4; g++) operands[g] = nr_operand(op, group_begin(op, g == 1 ? 1 : g + 1, &one));
  if (op->num_results)
    return nr_op_replace(op, nr_build_value(b, NR_OP_vector_maskedload, nr_op_result(op)->type, operands, 4));
  nr_build_op(b, NR_OP_vector_maskedstore, operands, 4, NULL, 0);
  nr_op_erase(op);
  return true;
}

/* gather and scatter, to which no mask at all is nothing simpler. */
bool nr_vector_indexed_canonicalize(NrOp *op, NrBuilder *b) {
  size_t one;
  if (what_lets(nr_operand(op, group_begin(op, 3, &one))) != NONE)
    return nr_memref_absorb_cast(op, b) || access_in_row(op, b);
  if (op->num_results) return nr_op_replace(op, nr_operand(op, group_begin(op, 4, &one)));
  nr_op_erase(op);
  return true;
}

/* Without a mask that lets everything through. */
bool nr_vector_drop_full_mask(NrOp *op) {
  NrValue *mask = nr_transfer_mask(op);
  uint32_t segments[4];
  if (!mask || what_lets(mask) != ALL) return false;
  for (size_t g = 0; g < 4; g++) {
    size_t count;
    group_begin(op, g, &count);
    segments[g] = (uint32_t)count;
  }
  nr_op_erase_operand(op, op->num_operands - 1);
  segments[3] = 0;
  nr_op_set_segments(op, segments, 4);
  return true;
}
