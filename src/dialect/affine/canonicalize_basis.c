/* canonicalize_basis.c - rewrites of delinearize_index and linearize_index.
 *
 *   before  %n = affine.linearize_index disjoint [%i, %j] by (5, 7)     after  %i, %j
 *           %0:2 = affine.delinearize_index %n into (5, 7)
 */
#include "dialect/affine/affine.h"
#include "dialect/affine/range.h"
#include "dialect/arith/arith.h"
#include "dialect/shared/shaped.h"

/* Result i of op when it simplifies to a constant or to an operand, otherwise NULL. */
static NrValue *known_index(NrOp *op, uint32_t i, NrBuilder *b) {
  uint32_t num_dims;
  NR_VEC(NrValue *) operands = {0};
  for (uint32_t k = 0; k < op->num_operands; k++) nr_vec_push(&operands, nr_operand(op, k));
  NrAffineExpr e = nr_affine_index_expr(op, i, &num_dims);
  e = nr_affine_simplify(e, num_dims, op->num_operands - num_dims);
  e = nr_affine_simplify_in_range(e, num_dims, operands.data);
  e = nr_affine_simplify(e, num_dims, op->num_operands - num_dims);
  NrValue *known = NULL;
  if (e->kind == NR_AFFINE_CONSTANT) known = nr_arith_constant_index(b, e->value);
  if (e->kind == NR_AFFINE_DIM) known = operands.data[e->value];
  nr_vec_deinit(&operands);
  return known;
}

/* Moves constant sizes from the operands into the static basis. */
static bool constant_basis(NrOp *op) {
  NrIndexListSlot slot = {NR_AFFINE_LINEARIZE_INDEX_DYNAMIC_BASIS_GROUP, "static_basis"};
  size_t begin, count;
  nr_op_operand_group(op, NR_AFFINE_LINEARIZE_INDEX_DYNAMIC_BASIS_GROUP, &begin, &count);
  for (size_t i = 0; i < count; i++) {
    int64_t size; /* dead code may have invalid constants */
    if (nr_value_constant_int(nr_operand(op, begin + i), &size) && size <= 0) return false;
  }
  return nr_index_lists_fold_constants(op, &slot, 1);
}

/* Drops a leading index that is 0, since it adds nothing. */
static bool drop_leading_zero(NrOp *op) {
  size_t begin, count, size = nr_index_list_size(op, "static_basis");
  const int64_t *basis = nr_index_list_statics(op, "static_basis");
  nr_op_operand_group(op, NR_AFFINE_LINEARIZE_INDEX_MULTI_INDEX_GROUP, &begin, &count);
  if (count < 2 || !nr_index_is(nr_index_of(nr_operand(op, NR_AFFINE_LINEARIZE_INDEX_MULTI_INDEX)), 0)) return false;
  if (size == count && basis[0] == NR_DYNAMIC) return false;
  /* The size of the first index is optional and unused, so the size that becomes the first may stay. */
  if (size == count) nr_op_set_attr(op, NR_A_static_basis, nr_attr_i64_array(nr_op_context(op), basis + 1, size - 1));
  nr_op_erase_operand(op, NR_AFFINE_LINEARIZE_INDEX_MULTI_INDEX);
  nr_op_set_segments(op, (uint32_t[]){(uint32_t)count - 1, op->num_operands - (uint32_t)(count - 1)}, 2);
  return true;
}

/* Whether both ops have the same basis and all its sizes are constant. */
static bool same_basis(const NrOp *linearize, const NrOp *delinearize) {
  size_t begin, dynamic, count;
  nr_op_operand_group(linearize, NR_AFFINE_LINEARIZE_INDEX_MULTI_INDEX_GROUP, &begin, &count);
  nr_op_operand_group(linearize, NR_AFFINE_LINEARIZE_INDEX_DYNAMIC_BASIS_GROUP, &begin, &dynamic);
  return dynamic == 0 && delinearize->num_operands == 1 && delinearize->num_results == count &&
         nr_op_attr(linearize, NR_A_static_basis) == nr_op_attr(delinearize, NR_A_static_basis);
}

/* Forwards the indices of a linearize_index over the same basis, and results that simplify to a constant or an
 * operand. */
bool nr_affine_delinearize_canonicalize(NrOp *op, NrBuilder *b) {
  NrOp *source = nr_affine_delinearize_index_linear_index(op)->op;
  bool undoes = nr_op_is(source, NR_OP_affine_linearize_index) && nr_op_attr(source, NR_A_disjoint) &&
                same_basis(source, op), changed = constant_basis(op);
  for (uint32_t i = 0; i < op->num_results; i++) {
    if (!nr_result(op, i)->first_use) continue;
    NrValue *known = undoes ? nr_operand(source, i) : known_index(op, i, b);
    if (known) nr_value_replace_uses(nr_result(op, i), known);
    changed |= known != NULL;
  }
  return changed;
}

/* Replaces the linearize_index of all results of a delinearize_index over the same basis by the linear index. */
bool nr_affine_linearize_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  size_t begin, count;
  if (constant_basis(op) || drop_leading_zero(op)) return true;
  nr_op_operand_group(op, NR_AFFINE_LINEARIZE_INDEX_MULTI_INDEX_GROUP, &begin, &count);
  NrOp *source = count ? nr_operand(op, NR_AFFINE_LINEARIZE_INDEX_MULTI_INDEX)->op : NULL;
  if (!nr_op_is(source, NR_OP_affine_delinearize_index) || !same_basis(op, source)) return false;
  for (uint32_t i = 0; i < count; i++)
    if (nr_operand(op, i) != nr_result(source, i)) return false;
  return nr_op_replace(op, nr_affine_delinearize_index_linear_index(source));
}
