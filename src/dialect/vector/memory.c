/* memory.c - hooks of loads and stores; transfers are in transfer.c. */
#include "dialect/operands.h"
#include "dialect/vector/vector.h"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }
/* What a masked write writes, or what a masked read gives where the mask is false. */
static NrType moved_type(const NrOp *op) { return (nr_op_has_value(op) ? nr_op_value(op) : nr_op_pass_thru(op))->type; }
static NrType result_of(const NrOp *op) { return nr_op_result(op)->type; }

/* Verifies base[indices], followed by `tail` operands: the indices match the rank, the element types agree. */
static NrStatus base_verify(NrOp *op, NrType vector) {
  NrType type = nr_op_base(op)->type;
  size_t count = nr_op_indices(op).count;
  if (!nr_type_is_ranked(type) || type->kind == NR_TYPE_VECTOR)
    return nr_op_error(op, "expected a ranked buffer or tensor");
  if (count != type->rank) return nr_op_error(op, "(C1) requires %u indices, got %zu", type->rank, count);
  bool agrees = type->elem == vector->elem || type->elem == vector;
  if (!agrees) return nr_op_error(op, "(C2) base and vector types should have the same element type");
  return NR_OK;
}

static bool has_unit_stride(NrType memref, NrType vector) {
  int64_t elements, strides[NR_MAX_RANK], offset;
  bool single = !vector->scalable && nr_type_num_elements(vector, &elements) && elements == 1;
  return single || (nr_memref_strides(memref, strides, &offset) &&
                    (memref->rank == 0 || strides[memref->rank - 1] == 1));
}

bool nr_vector_is_in_rows(NrType memref, NrType vector) {
  return memref->rank >= vector->rank && has_unit_stride(memref, vector);
}

static NrStatus rows_verify(NrOp *op, NrType vector) {
  NR_TRY(base_verify(op, vector));
  NrType memref = nr_op_base(op)->type;
  if (!has_unit_stride(memref, vector)) return nr_op_error(op, "(C3) most minor memref dim must have unit stride");
  if (memref->rank < vector->rank) return nr_op_error(op, "(C4) the memref has lower rank than the vector");
  return NR_OK;
}

NrStatus nr_vector_access_verify(NrOp *op) { return rows_verify(op, result_of(op)); }
NrStatus nr_vector_store_verify(NrOp *op) { return rows_verify(op, nr_vector_store_value(op)->type); }

static NrStatus same_shape(NrOp *op, NrType of, NrType vector, bool mask) {
  if (of->rank != vector->rank || memcmp(of->dims, vector->dims, of->rank * sizeof *of->dims))
    return nr_op_error(op, "(C3) expected %s to have the shape of %s", text_of(op, of), text_of(op, vector));
  if (mask && !nr_type_is_int_width(of->elem, 1)) return nr_op_error(op, "(C3) expected the mask's elements to be i1");
  return NR_OK;
}

NrStatus nr_vector_masked_verify(NrOp *op) {
  NrType vector = moved_type(op);
  NR_TRY(base_verify(op, vector));
  return same_shape(op, nr_op_mask(op)->type, vector, true);
}

NrStatus nr_vector_gather_verify(NrOp *op) {
  NrType vector = moved_type(op);
  NR_TRY(base_verify(op, vector));
  NR_TRY(same_shape(op, nr_op_mask(op)->type, vector, true));
  NrType positions = nr_op_index_vec(op)->type;
  if (!nr_type_is_int_or_index(positions->elem)) return nr_op_error(op, "(C3) expected indices to be integers");
  return same_shape(op, positions, vector, false);
}
