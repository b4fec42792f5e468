/* scalarize_ops.c - replaces structured and tensor ops on small tensors by scalar ops; see scalarize.c. */
#include "dialect/linalg/linalg.h"
#include "dialect/operands.h"
#include "dialect/tensor/tensor.h"
#include "pass/core/rewrite.h"
#include "pass/scalar/scalarize.h"

enum { MOST_POINTS = 8, MAX_ELEMENTS = 8 };

/* Replaces op's one result, a small tensor, by the tensor of these elements. */
static bool replace(NrBuilder *b, NrOp *op, NrValue *const *elements) {
  return nr_op_replace(op, nr_scalar_pack(b, nr_op_result(op)->type, elements));
}

/* ---- linalg.generic ---------------------------------------------------------------------------------------------- */

typedef struct Unroll {
  NrBuilder b;
  NrOp *op;
  size_t num_inputs, num_loops;
  int64_t ranges[NR_MAX_RANK], point[NR_MAX_RANK];
  NrValue *elements[MAX_ELEMENTS][MAX_ELEMENTS]; /* per output, row-major; NULL = still the init's */
} Unroll;

/* Whether the op has few iterations, outputs that become scalars, and a body that can be copied. */
static bool may_unroll(Unroll *u) {
  NrOp *op = u->op;
  int64_t points = 1;
  size_t outputs = op->num_operands - u->num_inputs;
  bool integers = true;
  if (op->num_results != outputs || outputs > MAX_ELEMENTS || u->num_loops > NR_MAX_RANK) return false;
  for (uint32_t r = 0; r < op->num_results; r++) {
    if (!nr_scalar_count(nr_result(op, r)->type)) return false;
    integers &= nr_type_is_int_or_index(nr_result(op, r)->type->elem);
  }
  for (size_t i = 0; i < u->num_loops; i++) {
    u->ranges[i] = nr_linalg_static_range(op, i);
    if (u->ranges[i] == NR_DYNAMIC || !nr_mul_i64(points, u->ranges[i], &points)) return false;
  }
  if (points > (integers ? MOST_POINTS : 1)) return false;
  NrBlock *body = nr_op_only_body(op);
  return body->first != NULL && nr_block_terminator(body) != NULL;
}

/* The indices of an operand at the current point; false when its map cannot be evaluated. */
static bool operand_indices(const Unroll *u, uint32_t operand, int64_t *out) {
  NrAttr map = nr_linalg_map(u->op, operand);
  for (uint32_t i = 0; i < map->num_exprs; i++)
    if (!nr_affine_eval(map->exprs[i], u->point, NULL, &out[i])) return false;
  return true;
}

static NrValue *read_at(NrBuilder *b, NrValue *tensor, const int64_t *indices) {
  NrValue *values[NR_MAX_RANK];
  if (!nr_type_is_shaped(tensor->type)) return tensor;
  if (nr_op_is(tensor->op, NR_OP_tensor_from_elements)) {
    size_t at = 0;
    for (uint32_t i = 0; i < tensor->type->rank; i++) at = at * (size_t)tensor->type->dims[i] + (size_t)indices[i];
    return nr_operand(tensor->op, at);
  }
  for (uint32_t i = 0; i < tensor->type->rank; i++) values[i] = nr_index_value(b, nr_index_const(indices[i]));
  return nr_build_extract(b, tensor, values, tensor->type->rank);
}

static size_t linear(NrType type, const int64_t *indices) {
  size_t at = 0;
  for (uint32_t i = 0; i < type->rank; i++) at = at * (size_t)type->dims[i] + (size_t)indices[i];
  return at;
}

/* Copies the body for the current point. */
static void copy_body(Unroll *u) {
  NrBlock *body = nr_op_only_body(u->op);
  NrOp *yield = nr_block_terminator(body);
  int64_t indices[NR_MAX_RANK];
  NrMap map = {0};
  for (uint32_t k = 0; k < u->op->num_operands; k++) {
    NrValue *arg = nr_block_arg(body, k), *operand = nr_operand(u->op, k);
    if (!nr_value_has_uses(arg)) continue;
    operand_indices(u, k, indices);
    NrValue *value = k < u->num_inputs ? NULL : u->elements[k - u->num_inputs][linear(operand->type, indices)];
    nr_map_set(&map, arg, value ? value : read_at(&u->b, operand, indices));
  }
  for (NrOp *op = body->first; op != yield; op = op->next) {
    if (nr_op_is(op, NR_OP_linalg_index)) {
      int64_t at = u->point[nr_op_attr_int(op, NR_A_dim, 0)];
      nr_map_set(&map, nr_op_result(op), nr_index_value(&u->b, nr_index_const(at)));
    } else {
      nr_op_insert_before(nr_op_clone(u->b.module, op, &map), u->op);
    }
  }
  for (uint32_t i = 0; i < yield->num_operands; i++) {
    NrType type = nr_operand(u->op, (size_t)u->num_inputs + i)->type;
    NrValue *value = nr_map_get(&map, nr_operand(yield, i));
    operand_indices(u, (uint32_t)u->num_inputs + i, indices);
    u->elements[i][linear(type, indices)] = value ? value : nr_operand(yield, i);
  }
  nr_map_deinit(&map);
}

/* Whether all operands can be read at the current point: their maps evaluate, and stay inside static dims. */
static bool point_is_good(const Unroll *u) {
  int64_t indices[NR_MAX_RANK];
  for (uint32_t k = 0; k < u->op->num_operands; k++) {
    NrType type = nr_operand(u->op, k)->type;
    if (!operand_indices(u, k, indices)) return false;
    for (uint32_t i = 0; nr_type_is_shaped(type) && i < type->rank; i++)
      if (indices[i] < 0 || (type->dims[i] != NR_DYNAMIC && indices[i] >= type->dims[i])) return false;
  }
  return true;
}

/* The next point in row-major order; false after the last. */
static bool advance(Unroll *u) {
  for (size_t i = u->num_loops; i-- > 0;) {
    if (++u->point[i] < u->ranges[i]) return true;
    u->point[i] = 0;
  }
  return false;
}

static bool unroll_generic(NrOp *op) {
  Unroll u = {.b = nr_builder_before(op), .op = op, .num_inputs = nr_linalg_num_inputs(op)};
  u.num_loops = nr_linalg_num_loops(op);
  if (!may_unroll(&u)) return false;
  for (size_t i = 0; i < u.num_loops; i++)
    if (u.ranges[i] == 0) return false;
  do
    if (!point_is_good(&u)) return false;
  while (advance(&u));
  do copy_body(&u);
  while (advance(&u));
  for (uint32_t r = 0; r < op->num_results; r++) {
    NrValue *init = nr_operand(op, u.num_inputs + r);
    for (size_t i = 0; i < nr_scalar_count(init->type); i++)
      if (!u.elements[r][i]) u.elements[r][i] = nr_scalar_element(&u.b, init, i);
    nr_value_replace_uses(nr_result(op, r), nr_scalar_pack(&u.b, init->type, u.elements[r]));
  }
  nr_op_erase(op);
  return true;
}

/* ---- tensor ops -------------------------------------------------------------------------------------------------- */

static bool scalarize_fill(NrOp *op) {
  NrValue *elements[MAX_ELEMENTS];
  NrBuilder b = nr_builder_before(op);
  if (op->num_results != 1) return false;
  size_t count = nr_scalar_count(nr_op_result(op)->type);
  for (size_t i = 0; i < count; i++) elements[i] = nr_operand(op, NR_LINALG_FILL_INPUTS);
  return count && replace(&b, op, elements);
}

/* Replaces an insert at a constant index, or into a tensor of one element. */
static bool scalarize_insert(NrOp *op) {
  NrValue *elements[MAX_ELEMENTS], *dest = nr_tensor_insert_dest(op);
  size_t count = nr_scalar_count(dest->type), at = 0;
  if (!count) return false;
  for (uint32_t i = 0; i < dest->type->rank && count > 1; i++) {
    int64_t index;
    if (!nr_value_constant_int(nr_operand(op, NR_TENSOR_INSERT_INDICES + i), &index) || index < 0 ||
        index >= dest->type->dims[i])
      return false;
    at = at * (size_t)dest->type->dims[i] + (size_t)index;
  }
  NrBuilder b = nr_builder_before(op);
  for (size_t i = 0; i < count; i++)
    elements[i] = i == at ? nr_tensor_insert_scalar(op) : nr_scalar_element(&b, dest, i);
  return replace(&b, op, elements);
}

/* Reshapes between static shapes keep the elements in row-major order. */
static bool scalarize_reshape(NrOp *op) {
  NrValue *elements[MAX_ELEMENTS], *source = nr_op_source(op);
  size_t count = nr_scalar_count(nr_op_result(op)->type);
  if (!count || nr_scalar_count(source->type) != count) return false;
  NrBuilder b = nr_builder_before(op);
  for (size_t i = 0; i < count; i++) elements[i] = nr_scalar_element(&b, source, i);
  return replace(&b, op, elements);
}

static bool scalarize_concat(NrOp *op) {
  NrValue *elements[MAX_ELEMENTS];
  NrType type = nr_op_result(op)->type;
  size_t dim = (size_t)nr_op_attr_int(op, NR_A_dim, 0), at = 0;
  if (!nr_scalar_count(type)) return false;
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (!nr_type_has_static_shape(nr_operand(op, i)->type)) return false;
  NrBuilder b = nr_builder_before(op);
  size_t outer = (size_t)nr_dims_product(type->dims, dim);
  for (size_t o = 0; o < outer; o++) {
    for (uint32_t i = 0; i < op->num_operands; i++) {
      NrType from = nr_operand(op, i)->type;
      size_t run = (size_t)nr_dims_product(from->dims + dim, from->rank - dim);
      for (size_t k = 0; k < run; k++) elements[at++] = nr_scalar_element(&b, nr_operand(op, i), o * run + k);
    }
  }
  return replace(&b, op, elements);
}

/* Reads offsets, sizes and strides of a slice op; false when a stride is not constant. */
static bool slice_lists(NrOp *op, const NrIndexListSlot *slots, NrIndex lists[3][NR_MAX_RANK]) {
  for (size_t s = 0; s < 3; s++) {
    size_t n = nr_index_list_all(op, slots[s], lists[s]);
    for (size_t i = 0; i < n; i++) {
      if (lists[s][i].value) lists[s][i] = nr_index_of(lists[s][i].value);
      if (s && lists[s][i].value) return false;
    }
  }
  return true;
}

static NrValue *plus(NrBuilder *b, NrIndex base, int64_t offset) {
  return nr_index_value(b, nr_index_add(b, base, nr_index_const(offset)));
}

/* Extracts the elements of a slice one by one; its offsets may be dynamic. */
static bool scalarize_extract_slice(NrOp *op) {
  NrValue *elements[MAX_ELEMENTS], *indices[NR_MAX_RANK], *source = nr_tensor_extract_slice_source(op);
  NrIndex lists[3][NR_MAX_RANK];
  size_t count = nr_scalar_count(nr_op_result(op)->type);
  /* Extracting several elements of a large tensor gains nothing over copying the slice. */
  if (!count || (count > 1 && !nr_scalar_count(source->type))) return false;
  if (!slice_lists(op, nr_extract_slice_slots, lists)) return false;
  NrBuilder b = nr_builder_before(op);
  for (size_t e = 0; e < count; e++) {
    size_t rest = e;
    for (uint32_t i = source->type->rank; i-- > 0;) {
      int64_t size = lists[1][i].constant;
      indices[i] = plus(&b, lists[0][i], (int64_t)rest % size * lists[2][i].constant);
      rest /= (size_t)size;
    }
    elements[e] = nr_build_extract(&b, source, indices, source->type->rank);
  }
  return replace(&b, op, elements);
}

/* A slice of one element becomes a tensor.insert; a small slice of a small tensor, at constant offsets, a new
 * tensor. */
static bool scalarize_insert_slice(NrOp *op) {
  NrValue *elements[MAX_ELEMENTS], *source = nr_tensor_insert_slice_source(op), *dest = nr_tensor_insert_slice_dest(op);
  NrIndex lists[3][NR_MAX_RANK];
  size_t count = nr_scalar_count(source->type), total = nr_scalar_count(dest->type);
  if (!count || (count > 1 && !total) || !slice_lists(op, nr_insert_slice_slots, lists)) return false;
  bool constant = true;
  for (uint32_t i = 0; i < dest->type->rank; i++) constant &= !lists[0][i].value;
  NrBuilder b = nr_builder_before(op);
  if (count == 1 && !(total && constant)) {
    NrValue *indices[NR_MAX_RANK];
    for (uint32_t i = 0; i < dest->type->rank; i++) indices[i] = nr_index_value(&b, lists[0][i]);
    NrValue *scalar = nr_scalar_element(&b, source, 0);
    return nr_op_replace(op, nr_build_insert(&b, scalar, dest, indices, dest->type->rank));
  }
  if (!constant || !total) return false;
  for (uint32_t i = 0; i < dest->type->rank; i++) /* a slice out of bounds is an error when it runs */
    if (!nr_slice_is_inside(lists[0][i], lists[1][i], lists[2][i], dest->type->dims[i], NULL)) return false;
  for (size_t i = 0; i < total; i++) elements[i] = nr_scalar_element(&b, dest, i);
  for (size_t e = 0; e < count; e++) {
    size_t rest = e;
    int64_t indices[NR_MAX_RANK];
    for (uint32_t i = dest->type->rank; i-- > 0;) {
      int64_t size = lists[1][i].constant;
      indices[i] = lists[0][i].constant + (int64_t)rest % size * lists[2][i].constant;
      rest /= (size_t)size;
    }
    elements[linear(dest->type, indices)] = nr_scalar_element(&b, source, e);
  }
  return replace(&b, op, elements);
}

/* Elementwise ops, which apply to tensors as they do to scalars. */
static bool scalarize_elementwise(NrOp *op) {
  NrValue *elements[MAX_ELEMENTS];
  if (op->num_results != 1 || op->num_regions) return false;
  NrType type = nr_op_result(op)->type;
  size_t count = nr_scalar_count(type);
  for (uint32_t i = 0; i < op->num_operands && count; i++)
    if (nr_type_is_shaped(nr_operand(op, i)->type) && nr_scalar_count(nr_operand(op, i)->type) != count) count = 0;
  if (!count) return false;
  NrBuilder b = nr_builder_before(op);
  NrValue **operands = nr_calloc(op->num_operands + 1, sizeof *operands);
  for (size_t e = 0; e < count; e++) {
    for (uint32_t i = 0; i < op->num_operands; i++) {
      NrValue *operand = nr_operand(op, i);
      operands[i] = nr_type_is_shaped(operand->type) ? nr_scalar_element(&b, operand, e) : operand;
    }
    NrOpState state = {.info = op->info,
                       .operands = operands,
                       .num_operands = op->num_operands,
                       .result_types = &type->elem,
                       .num_results = 1,
                       .attrs = op->attrs,
                       .num_attrs = op->num_attrs};
    elements[e] = nr_op_result(nr_build(&b, &state));
  }
  nr_free(operands);
  return replace(&b, op, elements);
}

bool nr_scalarize_op(NrOp *op) {
  switch (op->info->id) {
  case NR_OP_linalg_fill: return scalarize_fill(op);
  case NR_OP_tensor_insert: return scalarize_insert(op);
  case NR_OP_tensor_expand_shape:
  case NR_OP_tensor_collapse_shape:
  case NR_OP_tensor_reshape: return scalarize_reshape(op);
  case NR_OP_tensor_concat: return scalarize_concat(op);
  case NR_OP_tensor_extract_slice: return scalarize_extract_slice(op);
  case NR_OP_tensor_insert_slice: return scalarize_insert_slice(op);
  default:
    if (nr_linalg_is_structured(op)) return unroll_generic(op);
    return nr_op_has(op, NR_ELEMENTWISE) && scalarize_elementwise(op);
  }
}
