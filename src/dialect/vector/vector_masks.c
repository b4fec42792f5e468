/* vector_masks.c - rewrites of accesses whose mask lets everything through, or nothing.
 *
 *   before  %m = vector.constant_mask [4] : vector<4xi1>                   after  %0 = vector.load %b[%i] : ..
 *           %0 = vector.maskedload %b[%i], %m, %v : memref<?xf32>, ..
 */
#include "dialect/fold.h"
#include "dialect/memref/memref.h"
#include "dialect/vector/vector.h"

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

/* maskedload, expandload, maskedstore and compressstore: base, indices, mask, and what to give or to write. */
bool nr_vector_masked_canonicalize(NrOp *op, NrBuilder *b) {
  size_t num_indices, one, indices = group_begin(op, 1, &num_indices);
  NrValue *at[NR_MAX_RANK], *vector = nr_operand(op, group_begin(op, 3, &one));
  Lets lets = what_lets(nr_operand(op, group_begin(op, 2, &one)));
  for (size_t i = 0; i < num_indices; i++) at[i] = nr_operand(op, indices + i);
  if (lets == NONE && op->num_results) return nr_op_replace(op, vector);
  if (lets == ALL && op->num_results)
    return nr_op_replace(op, nr_build_vector_load(b, nr_result(op, 0)->type, nr_operand(op, 0), at, num_indices));
  if (lets == SOME) return nr_memref_absorb_cast(op, b);
  if (lets == ALL) nr_build_vector_store(b, vector, nr_operand(op, 0), at, num_indices);
  nr_op_erase(op);
  return true;
}

/* gather and scatter, to which no mask at all is nothing simpler. */
bool nr_vector_indexed_canonicalize(NrOp *op, NrBuilder *b) {
  size_t one;
  if (what_lets(nr_operand(op, group_begin(op, 3, &one))) != NONE) return nr_memref_absorb_cast(op, b);
  if (op->num_results) return nr_op_replace(op, nr_operand(op, group_begin(op, 4, &one)));
  nr_op_erase(op);
  return true;
}
