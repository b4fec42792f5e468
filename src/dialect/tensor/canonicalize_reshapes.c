/* canonicalize_reshapes.c - rewrites of expand_shape, collapse_shape and reshape that build new ops. */
#include "dialect/tensor/tensor.h"
#include "dialect/operands.h"

/* The sizes of an expand_shape's result, or of the result of a collapse_shape of an expand_shape. */
static void sizes_of(NrOp *op, NrBuilder *b, NrIndex *shape) {
  NrGroups groups;
  NrIndex inner[NR_MAX_RANK];
  NrType type = nr_op_result(op)->type;
  if (nr_op_is(op, NR_OP_tensor_expand_shape)) {
    nr_index_list_all(op, nr_output_shape_slot, shape);
    return;
  }
  nr_index_list_all(nr_tensor_collapse_shape_source(op)->op, nr_output_shape_slot, inner);
  for (size_t g = 0; nr_groups_of(op, &groups) && g < groups.count; g++) {
    shape[g] = nr_index_const(type->dims[g] == NR_DYNAMIC ? 1 : type->dims[g]);
    for (uint32_t k = 0; k < groups.size[g] && type->dims[g] == NR_DYNAMIC; k++)
      shape[g] = nr_index_mul(b, shape[g], inner[groups.begin[g] + k]);
  }
}

/* Merges two consecutive reshapes into one, or into none. */
static bool merge(NrOp *op, NrBuilder *b, NrOp *first) {
  NrGroups groups;
  NrIndex shape[NR_MAX_RANK];
  NrValue *root = nr_op_source(first);
  NrType type = nr_op_result(op)->type;
  switch (nr_reshape_merge(first, nr_op_is(first, NR_OP_tensor_expand_shape), op,
                           nr_op_is(op, NR_OP_tensor_expand_shape), &groups)) {
  case NR_RESHAPE_NONE: return nr_op_replace(op, root);
  case NR_RESHAPE_COLLAPSE: return nr_op_replace(op, nr_build_collapse_shape(b, root, &groups));
  case NR_RESHAPE_EXPAND:
    sizes_of(op, b, shape);
    return nr_op_replace(op, nr_build_expand_shape(b, root, &groups, shape, type->rank));
  case NR_RESHAPE_TWO: break;
  }
  return false;
}

/* Replaces the collapse_shape of a slice that only drops dims of size 1 by a rank-reducing slice. */
static bool collapse_of_slice(NrOp *op, NrBuilder *b, NrOp *slice, const NrGroups *groups) {
  NrIndex lists[3][NR_MAX_RANK];
  NrType type = nr_op_result(op)->type;
  if (!nr_groups_join_ones(groups, nr_op_result(slice)->type)) return false;
  for (size_t s = 0; s < 3; s++) nr_index_list_all(slice, nr_extract_slice_slots[s], lists[s]);
  if (!nr_slice_keeps(slice, type, NULL)) return false;
  return nr_op_replace(
      op, nr_build_extract_slice(b, nr_tensor_extract_slice_source(slice), lists[0], lists[1], lists[2], type));
}

bool nr_tensor_reshape_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_op_source(op);
  NrType type = nr_op_result(op)->type;
  NrOp *def = source->op;
  bool expand = nr_op_is(op, NR_OP_tensor_expand_shape);
  NrGroups outer;
  NrIndex shape[NR_MAX_RANK];
  if (source->type == type && nr_type_num_dynamic(type) <= 1) return nr_op_replace(op, source);
  if (!def || !nr_groups_of(op, &outer)) return false;
  if (expand) nr_index_list_all(op, nr_output_shape_slot, shape);
  switch (def->info->id) {
  case NR_OP_tensor_extract_slice: return !expand && collapse_of_slice(op, b, def, &outer);
  case NR_OP_tensor_from_elements: {
    NrValue **elements = nr_calloc(def->num_operands + 1, sizeof *elements);
    for (uint32_t i = 0; i < def->num_operands; i++) elements[i] = nr_operand(def, i);
    NrValue *fresh = nr_build_from_elements(b, type, elements, def->num_operands);
    nr_free(elements);
    return nr_op_replace(op, fresh);
  }
  case NR_OP_tensor_empty:
  case NR_OP_tensor_splat: {
    NrValue *fresh;
    for (uint32_t i = 0; i < type->rank && !expand; i++)
      if (!nr_tensor_dim_of_op(b, op, i, &shape[i])) return false;
    /* Dims that are static in the type must not be operands. */
    for (uint32_t i = 0; i < type->rank; i++)
      if (type->dims[i] != NR_DYNAMIC) shape[i] = nr_index_const(type->dims[i]);
      else shape[i] = (NrIndex){nr_index_value(b, shape[i]), 0};
    if (nr_op_is(def, NR_OP_tensor_empty)) fresh = nr_build_empty(b, type->elem, shape, type->rank);
    else fresh = nr_build_splat(b, nr_tensor_splat_input(def), shape, type->rank);
    return nr_op_replace(op, fresh);
  }
  case NR_OP_tensor_collapse_shape:
  case NR_OP_tensor_expand_shape: return merge(op, b, def);
  default: return false;
  }
}

/* Copies type's dims and makes static those for which the shape operand has a constant; false when there are none. */
static bool shape_constants(NrValue *shape, NrType type, int64_t *dims) {
  NrAttr constant = nr_value_constant(shape);
  bool more = false;
  for (uint32_t i = 0; i < type->rank; i++) {
    int64_t c;
    bool known = false;
    dims[i] = type->dims[i];
    if (dims[i] != NR_DYNAMIC) continue;
    if (constant && nr_attr_is_elements(constant)) {
      NrAttr element = nr_attr_element(constant, i);
      known = element && nr_attr_is_int(element, &c);
    } else if (nr_op_is(shape->op, NR_OP_tensor_from_elements)) {
      known = nr_value_constant_int(nr_operand(shape->op, i), &c);
    }
    if (!known || c < 0) continue;
    dims[i] = c;
    more = true;
  }
  return more;
}

/* Whether both types have a static number of elements and the numbers differ. */
static bool counts_differ(NrType a, NrType b) {
  int64_t n, m;
  return nr_type_is_ranked(a) && nr_type_is_ranked(b) && nr_type_num_elements(a, &n) && nr_type_num_elements(b, &m) &&
         n != m;
}

/* Canonicalizes tensor.reshape: moves constants of the shape operand into the type, skips a preceding reshape or cast,
 * and builds a from_elements with its final shape at once. Contradicting shapes are kept, so that the run reports
 * them. */
bool nr_tensor_reshape_op_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_tensor_reshape_source(op), *operands[2] = {source, nr_tensor_reshape_shape(op)};
  NrType type = nr_op_result(op)->type;
  int64_t dims[NR_MAX_RANK];
  bool known = nr_op_is(source->op, NR_OP_tensor_reshape) || nr_tensor_uncast(source);
  if (known && !counts_differ(nr_op_source(source->op)->type, type)) {
    nr_op_set_operand(op, NR_TENSOR_RESHAPE_SOURCE, nr_op_source(source->op));
    return true;
  }
  if (nr_tensor_uncast(operands[1])) {
    nr_op_set_operand(op, NR_TENSOR_RESHAPE_SHAPE, nr_tensor_cast_source(operands[1]->op));
    return true;
  }
  if (type->kind != NR_TYPE_TENSOR) return false;
  if (nr_op_is(source->op, NR_OP_tensor_from_elements) && nr_type_has_static_shape(type)) {
    NrOp *def = source->op;
    NrValue **elements = nr_calloc(def->num_operands + 1, sizeof *elements);
    for (uint32_t i = 0; i < def->num_operands; i++) elements[i] = nr_operand(def, i);
    NrValue *fresh = nr_build_from_elements(b, type, elements, def->num_operands);
    nr_free(elements);
    return nr_op_replace(op, fresh);
  }
  if (!shape_constants(operands[1], type, dims)) return false;
  NrType exact = nr_type_with_dims(type, dims, type->rank);
  if (counts_differ(source->type, exact) || exact->oversized) return false;
  NrValue *fresh = nr_build_value(b, NR_OP_tensor_reshape, exact, operands, 2);
  return nr_op_replace(op, nr_build_tensor_cast(b, fresh, type));
}
