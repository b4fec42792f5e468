/* tensor.c - the op definitions of dialect tensor, and hooks of its ops. Slices, folds and canonicalizations are in
 * files of their own. */
#include "dialect/tensor/tensor.h"
#include "dialect/operands.h"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }
static NrType operand_type(const NrOp *op, size_t i) { return nr_operand(op, i)->type; }
static NrType result_of(const NrOp *op) { return nr_op_result(op)->type; }

static NrStatus elem_infer(NrContext *ctx, const NrOpState *state, NrType *out_types) {
  (void)ctx;
  out_types[0] = nr_type_elem(state->operands[0]->type);
  return NR_OK;
}

/* ---- construction ------------------------------------------------------------------------------------------------ */

static NrStatus sizes_verify(NrOp *op, size_t count) {
  size_t need = nr_type_num_dynamic(result_of(op));
  if (count != need)
    return nr_op_error(op, "(C1) incorrect number of dynamic sizes, has %zu, expected %zu", count, need);
  return NR_OK;
}

static NrStatus elem_verify(NrOp *op, NrType type, NrType tensor) {
  if (type != tensor->elem)
    return nr_op_error(op, "(C2) expected the element type %s, got %s", text_of(op, tensor->elem), text_of(op, type));
  return NR_OK;
}

static NrStatus empty_verify(NrOp *op) { return sizes_verify(op, op->num_operands); }

static NrStatus splat_verify(NrOp *op) {
  NR_TRY(sizes_verify(op, op->num_operands - 1));
  return elem_verify(op, nr_tensor_splat_input(op)->type, result_of(op));
}

static NrStatus splat_parse(NrParser *p, NrOpState *state) {
  NrOperandRef input, *sizes = NULL;
  size_t count = 0;
  NrType type;
  NR_TRY(nr_p_operand(p, &input));
  if (nr_p_peek(p, "[")) NR_TRY(nr_p_indices(p, &sizes, &count));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, &type));
  /* In 2020 splat made vectors too. */
  if (nr_p_is_legacy(p) && type->kind == NR_TYPE_VECTOR) state->info = nr_op_infos[NR_OP_vector_broadcast];
  else if (type->kind != NR_TYPE_TENSOR) return nr_p_error(p, loc, "expected a ranked tensor type");
  nr_p_add_result(p, state, type);
  NR_TRY(nr_p_add_operand(p, state, input, type->elem));
  return nr_p_add_indices(p, state, sizes, count);
}

static NrStatus from_elements_verify(NrOp *op) {
  int64_t count;
  NrType type = result_of(op);
  if (!nr_type_num_elements(type, &count)) return nr_op_error(op, "(C1) the result must have a static shape");
  if (count != op->num_operands)
    return nr_op_error(op, "(C1) expected %lld elements, got %u", (long long)count, op->num_operands);
  for (uint32_t i = 0; i < op->num_operands; i++) NR_TRY(elem_verify(op, operand_type(op, i), type));
  return NR_OK;
}

static NrStatus generate_parse(NrParser *p, NrOpState *state) {
  NrOperandRef *sizes;
  size_t count;
  NrType type;
  NR_TRY(nr_p_operands(p, &sizes, &count));
  NR_TRY(nr_p_add_indices(p, state, sizes, count));
  NR_TRY(nr_p_region(p, state, NULL, 0));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  nr_p_add_result(p, state, type);
  return NR_OK;
}

static void generate_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_values(w, op, 0, op->num_operands);
  if (op->num_operands) nr_w_puts(w, " ");
  nr_w_region(w, nr_tensor_generate_region(op), true, true);
  nr_w_attr_dict(w, op, NULL);
  nr_w_puts(w, " : ");
  nr_w_result_types(w, op);
}

/* Verifies that the body has an index argument per dim and yields a value of type elem. */
static NrStatus element_body_verify(NrOp *op, const char *id, uint32_t rank, NrType elem) {
  NrBlock *body = nr_op_only_body(op);
  if (!body || body->num_args != rank) return nr_op_error(op, "(%s) expected the body to have %u arguments", id, rank);
  for (uint32_t i = 0; i < rank; i++)
    if (!nr_type_is_index(nr_block_arg(body, i)->type)) return nr_op_error(op, "(%s) body arguments must be index", id);
  NrOp *yield = nr_block_terminator(body);
  if (!nr_op_is(yield, NR_OP_tensor_yield))
    return nr_op_error(op, "(%s) expected the body to end with tensor.yield", id);
  if (yield->num_operands != 1 || nr_tensor_yield_value(yield)->type != elem)
    return nr_op_error(op, "(%s) expected the body to yield %s", id, text_of(op, elem));
  return NR_OK;
}

static NrStatus generate_verify(NrOp *op) {
  NR_TRY(sizes_verify(op, op->num_operands));
  return element_body_verify(op, "C2", result_of(op)->rank, result_of(op)->elem);
}

/* ---- elements --------------------------------------------------------------------------------------------------- */

static NrStatus indices_verify(NrOp *op, NrType tensor) {
  size_t count = nr_op_indices(op).count;
  uint32_t rank = tensor->rank;
  if (count != rank) return nr_op_error(op, "(C1) incorrect number of indices, expected %u but got %zu", rank, count);
  return NR_OK;
}

static NrStatus extract_verify(NrOp *op) {
  NR_TRY(indices_verify(op, nr_tensor_extract_tensor(op)->type));
  return elem_verify(op, result_of(op), nr_tensor_extract_tensor(op)->type);
}

static NrStatus extract_parse(NrParser *p, NrOpState *state) {
  NrOperandRef tensor, *indices;
  size_t count;
  NrType type;
  NR_TRY(nr_p_operand(p, &tensor));
  NR_TRY(nr_p_indices(p, &indices, &count));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, &type));
  bool vector = nr_p_is_legacy(p) && type->kind == NR_TYPE_VECTOR;
  if (type->kind != NR_TYPE_TENSOR && !vector) return nr_p_error(p, loc, "expected a ranked tensor type");
  NR_TRY(nr_p_add_operand(p, state, tensor, type));
  NR_TRY(nr_p_add_indices(p, state, indices, count));
  nr_p_add_result(p, state, type->elem);
  if (!vector) return NR_OK;
  /* In 2020 the op extracted from vectors too. */
  int64_t positions[NR_MAX_RANK];
  if (count > NR_MAX_RANK) return nr_p_error(p, loc, "too many indices");
  for (size_t i = 0; i < count; i++) positions[i] = NR_DYNAMIC;
  state->info = nr_op_infos[NR_OP_vector_extract];
  nr_p_add_attr(p, state, "static_position", nr_attr_i64_array(nr_p_context(p), positions, count));
  return NR_OK;
}

static NrStatus insert_parse(NrParser *p, NrOpState *state) {
  NrOperandRef scalar, dest, *indices;
  size_t count;
  NrType type;
  NR_TRY(nr_p_operand(p, &scalar));
  NR_TRY(nr_p_expect(p, "into"));
  NR_TRY(nr_p_operand(p, &dest));
  NR_TRY(nr_p_indices(p, &indices, &count));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, &type));
  if (type->kind != NR_TYPE_TENSOR) return nr_p_error(p, loc, "expected a ranked tensor type");
  nr_p_add_result(p, state, type);
  NR_TRY(nr_p_add_operand(p, state, scalar, type->elem));
  NR_TRY(nr_p_add_operand(p, state, dest, type));
  return nr_p_add_indices(p, state, indices, count);
}

static void insert_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_tensor_insert_scalar(op));
  nr_w_puts(w, " into ");
  nr_w_value(w, nr_op_dest(op));
  nr_w_indices(w, op, 2, op->num_operands - 2);
  nr_w_attr_dict(w, op, NULL);
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_tensor_insert_dest(op)->type);
}

static NrStatus insert_verify(NrOp *op) {
  NR_TRY(indices_verify(op, nr_tensor_insert_dest(op)->type));
  return elem_verify(op, nr_tensor_insert_scalar(op)->type, nr_tensor_insert_dest(op)->type);
}

/* ---- shape and type --------------------------------------------------------------------------------------------- */

static NrStatus dim_verify(NrOp *op) {
  int64_t index;
  NrType type = nr_tensor_dim_source(op)->type;
  if (type->kind != NR_TYPE_TENSOR) return NR_OK;
  if (nr_value_constant_int(nr_tensor_dim_index(op), &index) && (index < 0 || index >= type->rank))
    return nr_verify_constant_error(op, "(C1) index %lld is out of range for a tensor of rank %u", (long long)index,
                                    type->rank);
  return NR_OK;
}

static NrStatus cast_verify(NrOp *op) {
  if (!nr_types_cast_compatible(nr_tensor_cast_source(op)->type, result_of(op)))
    return nr_op_error(op, "(C1) operand type %s and result type %s are cast incompatible",
                       text_of(op, nr_tensor_cast_source(op)->type), text_of(op, result_of(op)));
  return NR_OK;
}

static NrStatus bitcast_verify(NrOp *op) {
  NrType from = nr_tensor_bitcast_source(op)->type, to = result_of(op);
  bool simple = (nr_type_is_int(from->elem) || nr_type_is_float(from->elem)) &&
                (nr_type_is_int(to->elem) || nr_type_is_float(to->elem));
  if (!simple || nr_type_bits(from->elem) != nr_type_bits(to->elem))
    return nr_op_error(op, "(C1) cannot bitcast %s to %s", text_of(op, from), text_of(op, to));
  bool ranked = from->kind == NR_TYPE_TENSOR && to->kind == NR_TYPE_TENSOR;
  if (ranked && !nr_types_cast_compatible(from, nr_type_with_elem(to, from->elem)))
    return nr_op_error(op, "(C2) shapes of %s and %s differ", text_of(op, from), text_of(op, to));
  return NR_OK;
}

static NrStatus concat_verify(NrOp *op) {
  NrType to = result_of(op);
  int64_t dim = nr_op_attr_int(op, NR_A_dim, -1), sum = 0;
  if (!op->num_operands) return nr_op_error(op, "(C1) requires at least one input");
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrType from = operand_type(op, i);
    if (from->rank != to->rank || from->elem != to->elem)
      return nr_op_error(op, "(C1) rank and element type of input #%u differ from the result's", i);
    if (dim < 0 || dim >= from->rank) return nr_op_error(op, "(C1) concatenation dim must be less than the rank");
    for (uint32_t d = 0; d < to->rank; d++)
      if (d != dim && from->dims[d] != to->dims[d] && from->dims[d] != NR_DYNAMIC && to->dims[d] != NR_DYNAMIC)
        return nr_op_error(op, "(C2) dim %u of input #%u is %lld but the result's is %lld", d, i,
                           (long long)from->dims[d], (long long)to->dims[d]);
    if (sum != NR_DYNAMIC && (from->dims[dim] == NR_DYNAMIC || !nr_add_i64(sum, from->dims[dim], &sum)))
      sum = NR_DYNAMIC;
  }
  if (sum != NR_DYNAMIC && to->dims[dim] != NR_DYNAMIC && to->dims[dim] != sum)
    return nr_op_error(op, "(C3) dim %lld of the result is %lld but the inputs' sum is %lld", (long long)dim,
                       (long long)to->dims[dim], (long long)sum);
  return NR_OK;
}

static NrStatus expand_shape_verify(NrOp *op) {
  NR_TRY(nr_groups_verify(op, result_of(op), nr_tensor_expand_shape_source(op)->type));
  if (nr_tensor_expand_shape_source(op)->type->elem != result_of(op)->elem)
    return nr_op_error(op, "source and result differ in element type");
  return nr_output_shape_verify(op);
}

static NrStatus collapse_shape_verify(NrOp *op) {
  if (nr_tensor_collapse_shape_source(op)->type->elem != result_of(op)->elem)
    return nr_op_error(op, "source and result differ in element type");
  return nr_groups_verify(op, nr_tensor_collapse_shape_source(op)->type, result_of(op));
}

static NrStatus reshape_verify(NrOp *op) {
  NrType from = nr_tensor_reshape_source(op)->type, shape = nr_tensor_reshape_shape(op)->type, to = result_of(op);
  int64_t a, b;
  if (from->elem != to->elem)
    return nr_op_error(op, "(C1) element types of source and destination tensor types should be the same");
  if (shape->rank != 1 || !nr_type_is_int_or_index(shape->elem))
    return nr_op_error(op, "(C2) the shape must be a 1-D tensor of integers, got %s", text_of(op, shape));
  if (to->kind != NR_TYPE_TENSOR) return NR_OK;
  if (shape->dims[0] != to->rank)
    return nr_op_error(op, "(C2) length of shape operand differs from the result's tensor rank");
  if (from->kind == NR_TYPE_TENSOR && nr_type_num_elements(from, &a) && nr_type_num_elements(to, &b) && a != b)
    return nr_op_error(op, "(C3) source and destination tensor should have the same number of elements");
  return NR_OK;
}

/* ---- gather and scatter ----------------------------------------------------------------------------------------- */

static NrStatus dims_parse(NrParser *p, NrOpState *state, const char *name) {
  NR_TRY(nr_p_expect(p, name));
  NR_TRY(nr_p_expect(p, "("));
  NR_TRY(nr_p_integers(p, state, name));
  NR_TRY(nr_p_expect(p, ")"));
  if (nr_p_try(p, "unique")) nr_p_add_attr(p, state, "unique", nr_attr_unit(nr_p_context(p)));
  return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
}

static NrStatus types_parse(NrParser *p, NrOpState *state, const NrOperandRef *refs, size_t count) {
  NrType *types;
  size_t num_types;
  NR_TRY(nr_p_expect(p, ":"));
  NR_TRY(nr_p_paren_type_list(p, &types, &num_types));
  NR_TRY(nr_p_add_operands(p, state, refs, count, types, num_types));
  NR_TRY(nr_p_arrow_type_list(p, &types, &num_types));
  nr_p_add_results(p, state, types, num_types);
  return NR_OK;
}

static void dims_print(NrPrinter *w, NrOp *op, const char *name) {
  const char *const elided[] = {name, "unique", NULL};
  nr_w_printf(w, " %s(", name);
  nr_w_integers(w, op, name);
  nr_w_puts(w, nr_op_attr(op, NR_A_unique) ? ") unique" : ")");
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_functional_type(w, op);
}

static NrStatus gather_parse(NrParser *p, NrOpState *state) {
  NrOperandRef refs[2];
  NR_TRY(nr_p_operand(p, &refs[0]));
  NR_TRY(nr_p_expect(p, "["));
  NR_TRY(nr_p_operand(p, &refs[1]));
  NR_TRY(nr_p_expect(p, "]"));
  NR_TRY(dims_parse(p, state, "gather_dims"));
  return types_parse(p, state, refs, 2);
}

static void gather_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_tensor_gather_source(op));
  nr_w_indices(w, op, 1, 1);
  dims_print(w, op, "gather_dims");
}

static NrStatus scatter_parse(NrParser *p, NrOpState *state) {
  NrOperandRef refs[3];
  NR_TRY(nr_p_operand(p, &refs[0]));
  NR_TRY(nr_p_expect(p, "into"));
  NR_TRY(nr_p_operand(p, &refs[1]));
  NR_TRY(nr_p_expect(p, "["));
  NR_TRY(nr_p_operand(p, &refs[2]));
  NR_TRY(nr_p_expect(p, "]"));
  NR_TRY(dims_parse(p, state, "scatter_dims"));
  return types_parse(p, state, refs, 3);
}

static void scatter_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_tensor_scatter_source(op));
  nr_w_puts(w, " into ");
  nr_w_value(w, nr_tensor_scatter_dest(op));
  nr_w_indices(w, op, 2, 1);
  dims_print(w, op, "scatter_dims");
}

/* whole: the tensor that coordinates index into; slices: the type of the gathered or scattered slices. */
static NrStatus coordinates_verify(NrOp *op, const char *name, NrType whole, NrType indices, NrType slices) {
  size_t count = nr_index_list_size(op, name);
  const int64_t *dims = nr_index_list_statics(op, name);
  int64_t expected[3 * NR_MAX_RANK], reduced[3 * NR_MAX_RANK];
  bool coordinate[NR_MAX_RANK] = {0};
  for (size_t i = 0; i < count; i++) {
    if (dims[i] < 0 || dims[i] >= whole->rank || (i && dims[i] <= dims[i - 1]))
      return nr_op_error(op, "(C1) %s values must ascend and be less than the rank", name);
    coordinate[dims[i]] = true;
  }
  if (count == 0) return nr_op_error(op, "(C1) %s must be non-empty", name);
  if (!indices->rank || indices->dims[indices->rank - 1] != (int64_t)count || !nr_type_is_int_or_index(indices->elem))
    return nr_op_error(op, "(C1) %s length must match the size of last dimension of indices", name);
  size_t full = indices->rank - 1, less = full;
  memcpy(expected, indices->dims, full * sizeof *expected);
  memcpy(reduced, indices->dims, full * sizeof *reduced);
  for (uint32_t i = 0; i < whole->rank; i++) {
    expected[full++] = coordinate[i] ? 1 : whole->dims[i];
    if (!coordinate[i]) reduced[less++] = whole->dims[i];
  }
  bool ok = slices->elem == whole->elem &&
            ((slices->rank == full && !memcmp(slices->dims, expected, full * sizeof *expected)) ||
             (slices->rank == less && !memcmp(slices->dims, reduced, less * sizeof *reduced)));
  if (!ok) return nr_op_error(op, "(C2) shape of the slices does not follow from the tensor and the indices");
  return NR_OK;
}

static NrStatus gather_verify(NrOp *op) {
  return coordinates_verify(op, "gather_dims", nr_tensor_gather_source(op)->type, nr_tensor_gather_indices(op)->type,
                            result_of(op));
}

static NrStatus scatter_verify(NrOp *op) {
  if (!nr_op_attr(op, NR_A_unique)) return nr_op_error(op, "(C1) requires 'unique' attribute to be set");
  return coordinates_verify(op, "scatter_dims", nr_tensor_scatter_dest(op)->type, nr_tensor_scatter_indices(op)->type,
                            nr_tensor_scatter_source(op)->type);
}

#include "ir/rows.h"
#include "dialect/tensor/ops.def"
