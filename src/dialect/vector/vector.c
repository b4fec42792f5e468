/* vector.c - the op definitions of dialect vector, and hooks of broadcast, extract, insert, element lists and masks. */
#include "dialect/vector/vector.h"
#include "dialect/arith/arith.h"
#include "dialect/memref/memref.h"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }
static NrType operand_type(const NrOp *op, size_t i) { return nr_operand(op, i)->type; }
static NrType result_of(const NrOp *op) { return nr_op_result(op)->type; }

static NrStatus broadcast_verify(NrOp *op) {
  NrType from = nr_vector_broadcast_source(op)->type, to = result_of(op);
  if (nr_type_elem(from) != to->elem)
    return nr_op_error(op, "(C1) source and result differ in element type");
  if (from->kind != NR_TYPE_VECTOR) return NR_OK;
  if (from->rank > to->rank) return nr_op_error(op, "(C2) source rank higher than destination rank");
  for (uint32_t i = 0; i < from->rank; i++) {
    int64_t dim = to->dims[to->rank - from->rank + i];
    if (from->dims[i] != 1 && from->dims[i] != dim)
      return nr_op_error(op, "(C2) dimension mismatch (%lld vs. %lld)", (long long)from->dims[i], (long long)dim);
  }
  return NR_OK;
}

const NrIndexListSlot nr_vector_extract_slot = {NR_VECTOR_EXTRACT_POSITION_GROUP, "static_position"};

static NrStatus extract_parse(NrParser *p, NrOpState *state) {
  NrOperandRef source;
  NrIndexListText list;
  NrType type, result;
  NR_TRY(nr_p_operand(p, &source));
  NR_TRY(nr_p_index_list(p, &list));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &result));
  NR_TRY(nr_p_expect(p, "from"));
  NR_TRY(nr_p_type(p, &type));
  NR_TRY(nr_p_add_operand(p, state, source, type));
  nr_p_add_result(p, state, result);
  return nr_p_add_index_list(p, state, &list, nr_vector_extract_slot.attr);
}

static void extract_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"static_position", NULL};
  nr_w_puts(w, " ");
  nr_w_value(w, nr_vector_extract_source(op));
  nr_w_index_list(w, op, nr_vector_extract_slot);
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_type(w, result_of(op));
  nr_w_puts(w, " from ");
  nr_w_type(w, nr_vector_extract_source(op)->type);
}

/* Verifies that whole[position] has type part. */
static NrStatus position_verify(NrOp *op, NrIndexListSlot slot, NrType whole, NrType part) {
  size_t count = nr_index_list_size(op, slot.attr);
  NrIndex list[NR_MAX_RANK];
  if (count > whole->rank) return nr_op_error(op, "(C1) expected at most %u positions, got %zu", whole->rank, count);
  NR_TRY(nr_index_list_verify(op, slot, "position", count));
  nr_index_list_all(op, slot, list);
  for (size_t i = 0; i < count; i++)
    if (!list[i].value && (list[i].constant < 0 || list[i].constant >= whole->dims[i]))
      return nr_op_error(op, "(C3) expected position #%zu to be a non-negative integer smaller than the dim size %lld",
                         i + 1, (long long)whole->dims[i]);
  size_t rest = whole->rank - count;
  bool scalar = rest == 0 && part == whole->elem;
  bool vector = part->kind == NR_TYPE_VECTOR && part->elem == whole->elem && part->rank == rest &&
                !memcmp(part->dims, whole->dims + count, rest * sizeof *part->dims);
  if (!scalar && !vector)
    return nr_op_error(op, "(C2) %s is not what %zu positions leave of %s", text_of(op, part), count,
                       text_of(op, whole));
  return NR_OK;
}

static NrStatus extract_verify(NrOp *op) {
  return position_verify(op, nr_vector_extract_slot, nr_vector_extract_source(op)->type, result_of(op));
}

const NrIndexListSlot nr_vector_insert_slot = {NR_VECTOR_INSERT_POSITION_GROUP, "static_position"};

static NrStatus insert_parse(NrParser *p, NrOpState *state) {
  NrOperandRef value, dest;
  NrIndexListText list;
  NrType type, dest_type;
  NR_TRY(nr_p_operand(p, &value));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_operand(p, &dest));
  NR_TRY(nr_p_index_list(p, &list));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  NR_TRY(nr_p_expect(p, "into"));
  NR_TRY(nr_p_type(p, &dest_type));
  NR_TRY(nr_p_add_operand(p, state, value, type));
  NR_TRY(nr_p_add_operand(p, state, dest, dest_type));
  nr_p_add_result(p, state, dest_type);
  return nr_p_add_index_list(p, state, &list, nr_vector_insert_slot.attr);
}

static void insert_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"static_position", NULL};
  nr_w_puts(w, " ");
  nr_w_values(w, op, 0, 2);
  nr_w_puts(w, " ");
  nr_w_index_list(w, op, nr_vector_insert_slot);
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_vector_insert_value(op)->type);
  nr_w_puts(w, " into ");
  nr_w_type(w, nr_vector_insert_dest(op)->type);
}

static NrStatus insert_verify(NrOp *op) {
  return position_verify(op, nr_vector_insert_slot, nr_vector_insert_dest(op)->type, nr_vector_insert_value(op)->type);
}

/* ---- lists of elements ------------------------------------------------------------------------------------------ */

static NrStatus elements_verify(NrOp *op, NrType vector, size_t count) {
  int64_t need;
  if (!nr_type_num_elements(vector, &need) || need != (int64_t)count)
    return nr_op_error(op, "(C1) expected as many elements as %s has, got %zu", text_of(op, vector), count);
  return NR_OK;
}

static NrStatus from_elements_verify(NrOp *op) {
  NR_TRY(elements_verify(op, result_of(op), op->num_operands));
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (operand_type(op, i) != result_of(op)->elem)
      return nr_op_error(op, "(C1) operand #%u is not of the element type", i);
  return NR_OK;
}

static NrStatus to_elements_parse(NrParser *p, NrOpState *state) {
  NrOperandRef source;
  NrType type;
  int64_t count;
  NR_TRY(nr_p_operand(p, &source));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, &type));
  if (type->kind != NR_TYPE_VECTOR || !nr_type_num_elements(type, &count) || count > 1 << 16)
    return nr_p_error(p, loc, "expected a vector type of at most %d elements", 1 << 16);
  NR_TRY(nr_p_add_operand(p, state, source, type));
  for (int64_t i = 0; i < count; i++) nr_p_add_result(p, state, type->elem);
  return NR_OK;
}

static void to_elements_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_vector_to_elements_source(op));
  nr_w_attr_dict(w, op, NULL);
  nr_w_puts(w, " : ");
  nr_w_operand_types(w, op, 0, 1);
}

static NrStatus to_elements_verify(NrOp *op) {
  NR_TRY(elements_verify(op, nr_vector_to_elements_source(op)->type, op->num_results));
  for (uint32_t i = 0; i < op->num_results; i++)
    if (nr_result(op, i)->type != nr_vector_to_elements_source(op)->type->elem)
      return nr_op_error(op, "(C1) result #%u is not of the element type", i);
  return NR_OK;
}

static NrStatus step_verify(NrOp *op) {
  if (result_of(op)->rank != 1 || !nr_type_is_index(result_of(op)->elem))
    return nr_op_error(op, "(C1) expected a 1-D vector of index, got %s", text_of(op, result_of(op)));
  return NR_OK;
}

/* ---- masks ------------------------------------------------------------------------------------------------------ */

static NrStatus create_mask_verify(NrOp *op) {
  NrType type = result_of(op);
  if (!nr_type_is_int_width(type->elem, 1)) return nr_op_error(op, "(C2) expected elements of type i1");
  if (op->num_operands != NR_MAX(type->rank, 1))
    return nr_op_error(op, "(C1) must specify an operand for each result vector dimension");
  return NR_OK;
}

static NrStatus constant_mask_parse(NrParser *p, NrOpState *state) {
  NrType type;
  NR_TRY(nr_p_integers(p, state, "mask_dim_sizes"));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  nr_p_add_result(p, state, type);
  return NR_OK;
}

static void constant_mask_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"mask_dim_sizes", NULL};
  nr_w_puts(w, " ");
  nr_w_integers(w, op, "mask_dim_sizes");
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_result_types(w, op);
}

static NrStatus constant_mask_verify(NrOp *op) {
  NrType type = result_of(op);
  if (!nr_type_is_int_width(type->elem, 1)) return nr_op_error(op, "(C2) expected elements of type i1");
  if (nr_index_list_size(op, "mask_dim_sizes") != NR_MAX(type->rank, 1))
    return nr_op_error(op, "(C1) must specify array attr of size equal vector result rank");
  for (uint32_t i = 0; i < NR_MAX(type->rank, 1); i++) {
    int64_t size = nr_index_list_statics(op, "mask_dim_sizes")[i];
    if (size < 0 || size > (type->rank ? type->dims[i] : 1))
      return nr_op_error(op, "(C1) array attr of size out of bounds of vector result dimension size");
  }
  return NR_OK;
}

#include "ir/rows.h"
#include "dialect/vector/attrs.def"
#include "dialect/vector/ops.def"
