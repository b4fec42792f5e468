/* transfer.c - hooks of transfer_read and transfer_write, and builders of vector ops. */
#include "dialect/vector/vector.h"
#include "dialect/operands.h"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }
static bool is_read(const NrOp *op) { return nr_op_is(op, NR_OP_vector_transfer_read); }

/* ---- accessors --------------------------------------------------------------------------------------------------- */

NrValue *nr_transfer_base(const NrOp *op) { return nr_op_base(op); }
NrValue *nr_transfer_mask(const NrOp *op) { return nr_op_group_operand(op, NR_VECTOR_TRANSFER_READ_MASK_GROUP); }

NrType nr_transfer_vector_type(const NrOp *op) {
  return is_read(op) ? nr_op_result(op)->type : nr_vector_transfer_write_value(op)->type;
}

bool nr_transfer_in_bounds(const NrOp *op, size_t vector_dim) {
  NrAttr bounds = nr_op_attr(op, NR_A_in_bounds);
  return bounds && vector_dim < bounds->size && bounds->items[vector_dim]->i != 0;
}

NrAttr nr_transfer_minor_identity(NrContext *ctx, uint32_t rank, uint32_t vector_rank) {
  NrAffineExpr exprs[NR_MAX_RANK];
  for (uint32_t i = 0; i < vector_rank; i++)
    exprs[i] = rank + i >= vector_rank ? nr_affine_dim(ctx, rank + i - vector_rank) : nr_affine_constant(ctx, 0);
  return nr_attr_affine_map(ctx, rank, 0, exprs, vector_rank);
}

NrType nr_transfer_mask_type(NrType vector, NrAttr map) {
  int64_t dims[NR_MAX_RANK];
  uint64_t scalable = 0;
  size_t count = 0;
  for (uint32_t d = 0; d < map->num_dims; d++)
    for (uint32_t r = 0; r < map->num_exprs && r < vector->rank; r++) {
      if (map->exprs[r]->kind != NR_AFFINE_DIM || map->exprs[r]->value != d) continue;
      scalable |= (vector->scalable >> r & 1) << count;
      dims[count++] = vector->dims[r];
    }
  return nr_type_vector_scalable(dims, count, nr_type_i1(vector->ctx), scalable);
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static bool state_has(const NrOpState *state, const char *name) {
  for (size_t i = 0; i < state->num_attrs; i++)
    if (nr_str_is(state->attrs[i].name, name)) return true;
  return false;
}

static NrAttr state_attr(const NrOpState *state, const char *name) {
  for (size_t i = 0; i < state->num_attrs; i++)
    if (nr_str_is(state->attrs[i].name, name)) return state->attrs[i].value;
  return NULL;
}

/* Adds attributes that the text omits: the minor identity map, and in_bounds that are all false. */
static NrStatus defaults_add(NrParser *p, NrOpState *state, NrLoc loc, NrType base, NrType vector, NrAttr *out_map) {
  NrContext *ctx = nr_p_context(p);
  if (vector->kind != NR_TYPE_VECTOR || !nr_type_is_ranked(base) || base->kind == NR_TYPE_VECTOR)
    return nr_p_error(p, loc, "expected a ranked buffer or tensor and a vector");
  if (!state_has(state, "permutation_map"))
    nr_p_add_attr(p, state, "permutation_map", nr_transfer_minor_identity(ctx, base->rank, vector->rank));
  *out_map = state_attr(state, "permutation_map");
  if ((*out_map)->kind != NR_ATTR_AFFINE_MAP) return nr_p_error(p, loc, "permutation_map must be an affine map");
  if (state_has(state, "in_bounds")) return NR_OK;
  NrAttr bounds[NR_MAX_RANK];
  for (uint32_t i = 0; i < vector->rank; i++) bounds[i] = nr_attr_bool(ctx, false);
  nr_p_add_attr(p, state, "in_bounds", nr_attr_array(ctx, bounds, vector->rank));
  return NR_OK;
}

NrStatus nr_vector_transfer_read_parse(NrParser *p, NrOpState *state) {
  NrOperandRef base, *indices, padding, mask;
  size_t count;
  NrType type, vector;
  NrAttr map;
  NR_TRY(nr_p_operand(p, &base));
  NR_TRY(nr_p_indices(p, &indices, &count));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_operand(p, &padding));
  bool masked = nr_p_try(p, ",");
  if (masked) NR_TRY(nr_p_operand(p, &mask));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, &type));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_type(p, &vector));
  NR_TRY(defaults_add(p, state, loc, type, vector, &map));
  NR_TRY(nr_p_add_operand(p, state, base, type));
  NR_TRY(nr_p_add_indices(p, state, indices, count));
  NR_TRY(nr_p_add_operand(p, state, padding, nr_type_elem(type)));
  if (masked) NR_TRY(nr_p_add_operand(p, state, mask, nr_transfer_mask_type(vector, map)));
  nr_p_set_segments(p, state, (uint32_t[]){1, (uint32_t)count, 1, masked}, 4);
  nr_p_add_result(p, state, vector);
  return NR_OK;
}

NrStatus nr_vector_transfer_write_parse(NrParser *p, NrOpState *state) {
  NrOperandRef value, base, *indices, mask;
  size_t count;
  NrType vector, type;
  NrAttr map;
  NR_TRY(nr_p_operand(p, &value));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_operand(p, &base));
  NR_TRY(nr_p_indices(p, &indices, &count));
  bool masked = nr_p_try(p, ",");
  if (masked) NR_TRY(nr_p_operand(p, &mask));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, &vector));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_type(p, &type));
  NR_TRY(defaults_add(p, state, loc, type, vector, &map));
  NR_TRY(nr_p_add_operand(p, state, value, vector));
  NR_TRY(nr_p_add_operand(p, state, base, type));
  NR_TRY(nr_p_add_indices(p, state, indices, count));
  if (masked) NR_TRY(nr_p_add_operand(p, state, mask, nr_transfer_mask_type(vector, map)));
  nr_p_set_segments(p, state, (uint32_t[]){1, 1, (uint32_t)count, masked}, 4);
  if (nr_type_is_tensor(type)) nr_p_add_result(p, state, type);
  return NR_OK;
}

/* Prints the attributes that differ from their defaults. */
static void attrs_print(NrPrinter *w, NrOp *op) {
  const char *elided[4] = {"operandSegmentSizes", NULL};
  size_t count = 1;
  NrAttr bounds = nr_op_attr(op, NR_A_in_bounds);
  uint32_t rank = nr_transfer_base(op)->type->rank, vector_rank = nr_transfer_vector_type(op)->rank;
  if (nr_op_attr(op, NR_A_permutation_map) == nr_transfer_minor_identity(nr_op_context(op), rank, vector_rank))
    elided[count++] = "permutation_map";
  bool any = false;
  for (size_t i = 0; i < bounds->size; i++) any |= bounds->items[i]->i != 0;
  if (!any) elided[count++] = "in_bounds";
  elided[count] = NULL;
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
}

static void mask_print(NrPrinter *w, NrOp *op) {
  if (!nr_transfer_mask(op)) return;
  nr_w_puts(w, ", ");
  nr_w_value(w, nr_transfer_mask(op));
}

void nr_vector_transfer_read_print(NrPrinter *w, NrOp *op) {
  uint32_t rank = nr_transfer_base(op)->type->rank;
  nr_w_puts(w, " ");
  nr_w_value(w, nr_vector_transfer_read_base(op));
  nr_w_indices(w, op, 1, rank);
  nr_w_puts(w, ", ");
  nr_w_value(w, nr_operand(op, NR_VECTOR_TRANSFER_READ_INDICES + rank));
  mask_print(w, op);
  attrs_print(w, op);
  nr_w_type(w, nr_vector_transfer_read_base(op)->type);
  nr_w_puts(w, ", ");
  nr_w_type(w, nr_op_result(op)->type);
}

void nr_vector_transfer_write_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_values(w, op, 0, 2);
  nr_w_indices(w, op, 2, nr_transfer_base(op)->type->rank);
  mask_print(w, op);
  attrs_print(w, op);
  nr_w_operand_types(w, op, 0, 2);
}

/* ---- verifier --------------------------------------------------------------------------------------------------- */

NrStatus nr_vector_transfer_verify(NrOp *op) {
  NrType base = nr_transfer_base(op)->type, vector = nr_transfer_vector_type(op);
  NrAttr map = nr_op_attr(op, NR_A_permutation_map), bounds = nr_op_attr(op, NR_A_in_bounds);
  size_t begin, count;
  uint64_t seen = 0;
  if (!nr_type_is_ranked(base) || base->kind == NR_TYPE_VECTOR)
    return nr_op_error(op, "requires a ranked buffer or tensor, got %s", text_of(op, base));
  nr_op_operand_group(op, is_read(op) ? NR_VECTOR_TRANSFER_READ_INDICES_GROUP : NR_VECTOR_TRANSFER_WRITE_INDICES_GROUP,
                      &begin, &count);
  if (count != base->rank) return nr_op_error(op, "(C1) requires %u indices, got %zu", base->rank, count);
  if (map->num_dims != base->rank || map->num_exprs != vector->rank || map->num_symbols)
    return nr_op_error(op, "(C2) requires a permutation_map from %u dims to %u", base->rank, vector->rank);
  for (uint32_t i = 0; i < map->num_exprs; i++) {
    NrAffineExpr e = map->exprs[i];
    bool constant = is_read(op) && e->kind == NR_AFFINE_CONSTANT && e->value == 0;
    if (!constant && (e->kind != NR_AFFINE_DIM || (seen >> e->value & 1)))
      return nr_op_error(
          op, "(C2) requires a projected permutation_map (at most one dim or the zero constant can appear in each "
              "result)");
    if (!constant) seen |= UINT64_C(1) << e->value;
  }
  if (bounds->size != vector->rank)
    return nr_op_error(op, "(C3) expects the in_bounds attr of same rank as permutation_map results");
  if (nr_type_elem(base) != vector->elem && nr_type_elem(base) != vector)
    return nr_op_error(op, "(C4) requires base and vector to have the same element type");
  if (is_read(op) && nr_vector_transfer_read_padding(op)->type != nr_type_elem(base))
    return nr_op_error(op, "(C4) requires padding of the element type %s", text_of(op, nr_type_elem(base)));
  NrValue *mask = nr_transfer_mask(op);
  if (mask && mask->type != nr_transfer_mask_type(vector, map))
    return nr_op_error(op, "(C5) inferred mask type (%s) and mask operand type (%s) don't match",
                       text_of(op, nr_transfer_mask_type(vector, map)), text_of(op, mask->type));
  if (!is_read(op) &&
      (nr_type_is_tensor(base) ? op->num_results != 1 || nr_op_result(op)->type != base : op->num_results != 0))
    return nr_op_error(op, "(C6) expected a result of the base's type for a tensor and none for a buffer");
  return NR_OK;
}

/* ---- builders --------------------------------------------------------------------------------------------------- */

NrValue *nr_build_broadcast(NrBuilder *b, NrValue *source, NrType type) {
  return source->type == type ? source : nr_build_value(b, NR_OP_vector_broadcast, type, &source, 1);
}

NrValue *nr_build_shape_cast(NrBuilder *b, NrValue *source, NrType type) {
  return source->type == type ? source : nr_build_value(b, NR_OP_vector_shape_cast, type, &source, 1);
}

NrValue *nr_clone_on_lanes(NrBuilder *b, NrOp *op, NrMap *map, uint32_t lanes) {
  enum { MOST_OPERANDS = 8 };
  NrValue *operands[MOST_OPERANDS];
  bool vector = false;
  int64_t count = lanes;
  assert(op->num_operands <= MOST_OPERANDS);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *mapped = nr_map_get(map, nr_operand(op, i));
    operands[i] = mapped ? mapped : nr_operand(op, i);
    vector |= operands[i]->type->kind == NR_TYPE_VECTOR;
  }
  NrType type = nr_op_result(op)->type;
  for (uint32_t i = 0; vector && i < op->num_operands; i++)
    if (operands[i]->type->kind != NR_TYPE_VECTOR)
      operands[i] = nr_build_broadcast(b, operands[i], nr_type_vector(&count, 1, operands[i]->type));
  NrOpState state = {.info = op->info,
                     .operands = operands,
                     .num_operands = op->num_operands,
                     .result_types = (NrType[]){vector ? nr_type_vector(&count, 1, type) : type},
                     .num_results = 1,
                     .attrs = op->attrs,
                     .num_attrs = op->num_attrs};
  return nr_op_result(nr_build(b, &state));
}

static NrType at_position(NrType vector, size_t count) {
  return count == vector->rank ? vector->elem
                               : nr_type_vector_scalable(vector->dims + count, vector->rank - count, vector->elem,
                                                         vector->scalable >> count);
}

NrValue *nr_build_vector_extract(NrBuilder *b, NrValue *source, const NrIndex *position, size_t count) {
  NrValue *operands[1 + NR_MAX_RANK] = {source};
  size_t num = 1;
  NrAttr statics = nr_index_list_split(b, position, count, operands, &num);
  NrValue *value = nr_build_value(b, NR_OP_vector_extract, at_position(source->type, count), operands, num);
  nr_op_set_attr(value->op, NR_A_static_position, statics);
  return value;
}

NrValue *nr_build_vector_insert(NrBuilder *b, NrValue *value, NrValue *dest, const NrIndex *position, size_t count) {
  NrValue *operands[2 + NR_MAX_RANK] = {value, dest};
  size_t num = 2;
  NrAttr statics = nr_index_list_split(b, position, count, operands, &num);
  NrValue *result = nr_build_value(b, NR_OP_vector_insert, dest->type, operands, num);
  nr_op_set_attr(result->op, NR_A_static_position, statics);
  return result;
}

NrValue *nr_build_vector_load(NrBuilder *b, NrType type, NrValue *base, NrValue *const *indices, size_t count) {
  NrValue *operands[1 + NR_MAX_RANK] = {base};
  if (count) memcpy(operands + 1, indices, count * sizeof *indices);
  return nr_build_value(b, NR_OP_vector_load, type, operands, 1 + count);
}

NrOp *nr_build_vector_store(NrBuilder *b, NrValue *value, NrValue *base, NrValue *const *indices, size_t count) {
  NrValue *operands[2 + NR_MAX_RANK] = {value, base};
  if (count) memcpy(operands + 2, indices, count * sizeof *indices);
  return nr_build_op(b, NR_OP_vector_store, operands, 2 + count, NULL, 0);
}

NrValue *nr_build_reduction(NrBuilder *b, const char *kind, NrValue *vector, NrValue *acc, NrAttr fastmath) {
  NrValue *operands[2] = {vector, acc};
  NrValue *value = nr_build_value(b, NR_OP_vector_reduction, vector->type->elem, operands, acc ? 2 : 1);
  nr_op_set_attr(value->op, NR_A_kind, nr_vector_kind_attr(b->ctx, kind));
  if (fastmath) nr_op_set_attr(value->op, NR_A_fastmath, fastmath);
  return value;
}
