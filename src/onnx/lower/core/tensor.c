/* tensor.c - whole tensors while lowering: making, reshaping, slicing, joining. */
#include "dialect/arith/ops.h"
#include "dialect/linalg/linalg.h"
#include "ir/text.h"
#include "onnx/lower/core/state.h"
#include "pass/core/rewrite.h"

enum { SMALL = 32 }; /* longer lists are data, not shapes */

/* ---- making ---- */

/* The dynamic dims of a shape as operands; returns their number. */
static size_t dynamic_operands(NrLower *l, const NrShape *shape, NrValue **out) {
  size_t n = 0;
  for (size_t i = 0; i < shape->rank; i++)
    if (!nr_dim_known(shape->dims[i])) out[n++] = nr_dim_value(l, shape->dims[i]);
  return n;
}

NrValue *nr_lower_empty(NrLower *l, const NrShape *shape, NrType elem) {
  NrValue *dynamic[NORIA_MAX_RANK];
  size_t n = dynamic_operands(l, shape, dynamic);
  return nr_build_value(&l->b, NR_OP_tensor_empty, nr_shape_type(l, shape, elem), dynamic, n);
}

NrValue *nr_lower_fill(NrLower *l, const NrShape *shape, NrValue *scalar) {
  if (shape->rank == 0) return nr_lower_from_scalar(l, scalar);
  NrAttr known = nr_value_constant(scalar);
  NrType type = nr_shape_type(l, shape, scalar->type);
  if (known && nr_type_has_static_shape(type) && nr_type_byte_size(scalar->type) <= 8) {
    uint64_t bits = known->kind == NR_ATTR_FLOAT ? known->bits : (uint64_t)known->i;
    return nr_lower_dense(l, nr_attr_dense(type, &bits, nr_type_byte_size(scalar->type)));
  }
  return nr_build_fill(&l->b, scalar, nr_lower_empty(l, shape, scalar->type));
}

NrValue *nr_lower_dense(NrLower *l, NrAttr elements) {
  NrOp *op = nr_build_op(&l->b, NR_OP_arith_constant, NULL, 0, &elements->type, 1);
  nr_op_set_attr(op, NR_A_value, elements);
  return nr_op_result(op);
}

/* ---- elements ---- */

/* The element of a small list at constant indices, or NULL. */
static NrValue *known_element(NrLower *l, NrValue *tensor, NrValue *const *indices, size_t count) {
  NrValue *elements[SMALL];
  size_t n;
  int64_t at = 0, index;
  for (size_t i = 0; i < count; i++) {
    int64_t dim = tensor->type->dims[i];
    if (dim == NR_DYNAMIC || !nr_value_constant_int(indices[i], &index) || index < 0 || index >= dim) return NULL;
    at = at * dim + index;
  }
  return nr_lower_elements(l, tensor, elements, SMALL, &n, false) ? elements[at] : NULL;
}

NrValue *nr_lower_extract(NrLower *l, NrValue *tensor, NrValue *const *indices, size_t count) {
  NrValue *known = known_element(l, tensor, indices, count);
  if (known) return known;
  NrValue *operands[NORIA_MAX_RANK + 1] = {tensor};
  for (size_t i = 0; i < count; i++) operands[i + 1] = indices[i];
  return nr_build_value(&l->b, NR_OP_tensor_extract, nr_type_elem(tensor->type), operands, count + 1);
}

static NrValue *constant_element(NrLower *l, NrAttr elements, int64_t i) {
  return nr_op_result(nr_build_constant(&l->b, nr_attr_element(elements, i), elements->type->elem));
}

/* Element i, row-major, of a tensor of static shape. */
static NrValue *element_at(NrLower *l, NrValue *tensor, int64_t i) {
  NrValue *indices[NORIA_MAX_RANK];
  for (size_t d = nr_rank(tensor); d-- > 0;) {
    indices[d] = nr_lower_index(l, i % tensor->type->dims[d]);
    i /= tensor->type->dims[d];
  }
  return nr_lower_extract(l, tensor, indices, nr_rank(tensor));
}

bool nr_lower_elements(NrLower *l, NrValue *tensor, NrValue **out, size_t max, size_t *count, bool force) {
  int64_t n;
  if (!nr_type_num_elements(tensor->type, &n) || (uint64_t)n > max) return false;
  if (nr_type_byte_size(tensor->type->elem) == 0) return false;
  NrAttr known = nr_value_constant(tensor);
  NrOp *op = tensor->op;
  bool listed = op && nr_op_is(op, NR_OP_tensor_from_elements);
  if (!listed && !nr_attr_is_elements(known) && !force) return false;
  for (int64_t i = 0; i < n; i++) {
    if (listed)
      out[i] = nr_operand(op, (size_t)i);
    else if (nr_attr_is_elements(known))
      out[i] = constant_element(l, known, i);
    else
      out[i] = element_at(l, tensor, i);
  }
  *count = (size_t)n;
  return true;
}

NrValue *nr_lower_scalar(NrLower *l, NrValue *tensor) {
  NrValue *element;
  size_t count;
  if (nr_lower_elements(l, tensor, &element, 1, &count, true) && count == 1) return element;
  NrShape shape = nr_lower_shape(l, tensor);
  NrDim total = nr_shape_elements(l, &shape, 0, shape.rank);
  NrValue *have = nr_dim_value(l, total), *single = nr_lower_cmpi(l, NR_CMPI_EQ, have, nr_lower_index(l, 1));
  nr_lower_check(l, single, "a tensor of %0 elements where one is expected", &have, 1);
  NrType elem = tensor->type->elem;
  if (nr_dim_known(total) && total.size == 0 && elem->kind != NR_TYPE_onnx_string) return nr_lower_constant(l, elem, 0);
  NrValue *zeros[NORIA_MAX_RANK];
  for (size_t i = 0; i < nr_rank(tensor); i++) zeros[i] = nr_lower_index(l, 0);
  return nr_lower_extract(l, tensor, zeros, nr_rank(tensor));
}

NrValue *nr_lower_from_scalar(NrLower *l, NrValue *scalar) {
  return nr_lower_from_elements(l, nr_type_tensor(NULL, 0, scalar->type), &scalar, 1);
}

NrValue *nr_lower_from_elements(NrLower *l, NrType type, NrValue *const *elements, size_t count) {
  return nr_build_value(&l->b, NR_OP_tensor_from_elements, type, elements, count);
}

NrValue *nr_lower_as_index(NrLower *l, NrValue *v) {
  NrType index = nr_type_index(l->ctx);
  if (v->type == index) return v;
  if (v->op && nr_op_is(v->op, NR_OP_arith_index_cast) && nr_arith_index_cast_in(v->op)->type == index)
    return nr_arith_index_cast_in(v->op);
  return nr_lower_op1(l, NR_OP_arith_index_cast, index, v);
}

bool nr_lower_dims_operand(NrLower *l, NrValue *tensor, const char *what, NrShape *out) {
  NrValue *elements[NORIA_MAX_RANK];
  size_t count;
  if (nr_rank(tensor) > 1) return nr_lower_error(l, "%s must have rank 0 or 1, not %u", what, nr_rank(tensor)), false;
  if (!nr_lower_elements(l, tensor, elements, NORIA_MAX_RANK, &count, true)) {
    if (nr_lower_want_length(l, tensor)) return false;
    nr_lower_error(l, "the length of %s is not known before the run, or above %d: the rank of the result depends on it",
                   what, NORIA_MAX_RANK);
    return false;
  }
  out->rank = count;
  for (size_t i = 0; i < count; i++) out->dims[i] = nr_dim_of_index(nr_lower_as_index(l, elements[i]));
  return true;
}

bool nr_lower_const_ints(NrLower *l, NrValue *tensor, int64_t *out, size_t max, size_t *count) {
  (void)l;
  int64_t n;
  if (!nr_type_num_elements(tensor->type, &n) || (uint64_t)n > max) return false;
  NrAttr known = nr_value_constant(tensor);
  NrOp *op = tensor->op;
  if (!nr_attr_is_elements(known) && !(op && nr_op_is(op, NR_OP_tensor_from_elements))) return false;
  for (int64_t i = 0; i < n; i++) {
    bool ok = known ? nr_attr_is_int(nr_attr_element(known, i), &out[i])
                    : nr_value_constant_int(nr_operand(op, (size_t)i), &out[i]);
    if (!ok) return false;
  }
  *count = (size_t)n;
  return true;
}

/* ---- the same elements in another shape ---- */

/* A placeholder of the type after an error, which makes the op's lowering fail at its end. */
static NrValue *instead(NrLower *l, NrType type) {
  NrShape shape = {.rank = type->rank};
  for (uint32_t i = 0; i < type->rank; i++)
    shape.dims[i] = type->dims[i] == NR_DYNAMIC ? (NrDim){NR_DYNAMIC, nr_lower_index(l, 0)} : nr_dim(type->dims[i]);
  return nr_lower_empty(l, &shape, type->elem);
}

static bool same_or_open(NrType a, NrType b) {
  if (!nr_type_is_ranked(a) || !nr_type_is_ranked(b)) return true;
  bool same = a->rank == b->rank;
  for (uint32_t i = 0; i < a->rank && same; i++)
    same = a->dims[i] == b->dims[i] || a->dims[i] == NR_DYNAMIC || b->dims[i] == NR_DYNAMIC;
  return same;
}

NrValue *nr_lower_tensor_cast(NrLower *l, NrValue *tensor, NrType type) {
  if (tensor->type == type) return tensor;
  if (!same_or_open(tensor->type, type)) {
    NrBuf text = {0};
    nr_print_type(&text, tensor->type);
    nr_buf_puts(&text, " is needed as ");
    nr_print_type(&text, type);
    nr_lower_error(l, "a tensor does not have the shape that it should: %s", text.data);
    nr_buf_deinit(&text);
    return instead(l, type);
  }
  return nr_build_value(&l->b, NR_OP_tensor_cast, type, &tensor, 1);
}

/* An array of arrays of dims: [[0, 1], [2]]. */
static NrAttr reassociation(NrLower *l, size_t rank, bool one_group) {
  NrAttr groups[NORIA_MAX_RANK], dims[NORIA_MAX_RANK];
  for (size_t i = 0; i < rank; i++) dims[i] = nr_attr_i64(l->ctx, (int64_t)i);
  if (rank == 0) return nr_attr_array(l->ctx, NULL, 0);
  if (one_group) {
    groups[0] = nr_attr_array(l->ctx, dims, rank);
    return nr_attr_array(l->ctx, groups, 1);
  }
  for (size_t i = 0; i < rank; i++) groups[i] = nr_attr_array(l->ctx, &dims[i], 1);
  return nr_attr_array(l->ctx, groups, rank);
}

static NrValue *flatten(NrLower *l, NrValue *tensor) {
  if (nr_rank(tensor) == 1) return tensor;
  NrShape from = nr_lower_shape(l, tensor);
  NrShape flat = {1, {nr_shape_elements(l, &from, 0, from.rank)}};
  NrType type = nr_shape_type(l, &flat, tensor->type->elem);
  NrValue *result;
  if (from.rank == 0) {
    NrOp *op = nr_build_op(&l->b, NR_OP_tensor_expand_shape, &tensor, 1, &type, 1);
    nr_op_set_attr(op, NR_A_reassociation, nr_attr_array(l->ctx, NULL, 0));
    nr_op_set_attr(op, NR_A_static_output_shape, nr_attr_i64_array(l->ctx, (int64_t[]){1}, 1));
    result = nr_op_result(op);
  } else {
    /* A dim of the result must be static exactly when the dims that it joins are; more of these may be known than the
   * operand's type shows. */
    tensor = nr_lower_tensor_cast(l, tensor, nr_shape_type(l, &from, tensor->type->elem));
    if (!nr_type_has_static_shape(tensor->type)) type = nr_type_tensor((int64_t[]){NR_DYNAMIC}, 1, tensor->type->elem);
    NrOp *op = nr_build_op(&l->b, NR_OP_tensor_collapse_shape, &tensor, 1, &type, 1);
    nr_op_set_attr(op, NR_A_reassociation, reassociation(l, from.rank, true));
    result = nr_op_result(op);
  }
  nr_lower_set_dim(l, result, 0, flat.dims[0]);
  return result;
}

static NrValue *unflatten(NrLower *l, NrValue *flat, const NrShape *shape) {
  if (shape->rank == 1) {
    NrType type = nr_shape_type(l, shape, flat->type->elem);
    NrValue *result = nr_lower_tensor_cast(l, flat, type);
    if (result != flat) nr_lower_set_dim(l, result, 0, shape->dims[0]); /* flat may be of an outer block */
    return result;
  }
  NrType type = nr_shape_type(l, shape, flat->type->elem);
  if (shape->rank == 0) {
    flat = nr_lower_tensor_cast(l, flat, nr_type_tensor((int64_t[]){1}, 1, flat->type->elem));
    NrOp *op = nr_build_op(&l->b, NR_OP_tensor_collapse_shape, &flat, 1, &type, 1);
    nr_op_set_attr(op, NR_A_reassociation, nr_attr_array(l->ctx, NULL, 0));
    return nr_op_result(op);
  }
  /* The operand's dim must be static exactly when all dims of the result are. */
  int64_t total;
  if (nr_type_num_elements(type, &total))
    flat = nr_lower_tensor_cast(l, flat, nr_type_tensor(&total, 1, flat->type->elem));
  else
    flat = nr_lower_tensor_cast(l, flat, nr_type_tensor((int64_t[]){NR_DYNAMIC}, 1, flat->type->elem));
  NrValue *operands[NORIA_MAX_RANK + 1] = {flat};
  size_t n = dynamic_operands(l, shape, operands + 1);
  NrOp *op = nr_build_op(&l->b, NR_OP_tensor_expand_shape, operands, n + 1, &type, 1);
  nr_op_set_attr(op, NR_A_reassociation, reassociation(l, shape->rank, true));
  nr_op_set_attr(op, NR_A_static_output_shape, nr_attr_i64_array(l->ctx, type->dims, shape->rank));
  for (size_t i = 0; i < shape->rank; i++) nr_lower_set_dim(l, nr_op_result(op), i, shape->dims[i]);
  return nr_op_result(op);
}

static bool same_shape(const NrShape *a, const NrShape *b) {
  if (a->rank != b->rank) return false;
  for (size_t i = 0; i < a->rank; i++)
    if (!nr_dim_same(a->dims[i], b->dims[i])) return false;
  return true;
}

/* Consecutive dims of two shapes that have the same number of elements: group g is the dims from_begin[g] up to
 * from_begin[g + 1] of one shape, and to_begin[g] up to to_begin[g + 1] of the other. */
typedef struct Regroup {
  size_t count;
  size_t from_begin[NORIA_MAX_RANK + 1], to_begin[NORIA_MAX_RANK + 1];
} Regroup;

/* Takes the next dim into a group's size, which is 1, or of which both are static. */
static bool take_dim(const NrShape *shape, size_t *at, NrDim *size) {
  if (*at == shape->rank) return false;
  NrDim next = shape->dims[(*at)++];
  if (nr_dim_is(*size, 1)) *size = next;
  else if (!nr_dim_known(*size) || !nr_dim_known(next) || !nr_mul_i64(size->size, next.size, &size->size)) return false;
  return true;
}

static bool only_ones(const NrShape *shape, size_t begin) {
  for (size_t i = begin; i < shape->rank; i++)
    if (!nr_dim_is(shape->dims[i], 1)) return false;
  return true;
}

/* Finds groups that are as small as the dims show. False when they do not show more than that all elements are. */
static bool find_groups(const NrShape *from, const NrShape *to, Regroup *r) {
  size_t i = 0, j = 0;
  r->count = 0;
  while (i < from->rank && j < to->rank) {
    r->from_begin[r->count] = i;
    r->to_begin[r->count++] = j;
    NrDim a = from->dims[i++], b = to->dims[j++];
    while (!nr_dim_same(a, b)) {
      bool both = nr_dim_known(a) && nr_dim_known(b);
      bool more_of_a = nr_dim_is(a, 1) || (both && !nr_dim_is(b, 1) && a.size < b.size);
      if (!more_of_a && !both && !nr_dim_is(b, 1)) return false;
      if (!(more_of_a ? take_dim(from, &i, &a) : take_dim(to, &j, &b))) return false;
    }
  }
  if (r->count < 2 || !only_ones(from, i) || !only_ones(to, j)) return false;
  r->from_begin[r->count] = from->rank;
  r->to_begin[r->count] = to->rank;
  return true;
}

/* The groups of the dims of one of the shapes: [[0], [1, 2]]. */
static NrAttr groups_attr(NrLower *l, const size_t *begin, size_t count) {
  NrAttr groups[NORIA_MAX_RANK], dims[NORIA_MAX_RANK];
  for (size_t g = 0; g < count; g++) {
    size_t size = begin[g + 1] - begin[g];
    for (size_t k = 0; k < size; k++) dims[k] = nr_attr_i64(l->ctx, (int64_t)(begin[g] + k));
    groups[g] = nr_attr_array(l->ctx, dims, size);
  }
  return nr_attr_array(l->ctx, groups, count);
}

/* The shape with a dim for each group. */
static NrShape joined_shape(NrLower *l, const NrShape *from, const NrShape *to, const Regroup *r) {
  NrShape joined = {.rank = r->count};
  for (size_t g = 0; g < r->count; g++) {
    bool one = r->to_begin[g + 1] - r->to_begin[g] == 1;
    joined.dims[g] = one ? to->dims[r->to_begin[g]]
                         : nr_shape_elements(l, from, r->from_begin[g], r->from_begin[g + 1]);
  }
  return joined;
}

/* Joins the dims of each group, and takes them apart again. */
static NrValue *regroup(NrLower *l, NrValue *tensor, const NrShape *from, const NrShape *to, const Regroup *r) {
  NrShape joined = joined_shape(l, from, to, r);
  NrType elem = tensor->type->elem, type = nr_shape_type(l, &joined, elem);
  NrValue *value = nr_lower_tensor_cast(l, tensor, nr_shape_type(l, from, elem));
  if (from->rank > r->count) {
    NrOp *op = nr_build_op(&l->b, NR_OP_tensor_collapse_shape, &value, 1, &type, 1);
    nr_op_set_attr(op, NR_A_reassociation, groups_attr(l, r->from_begin, r->count));
    value = nr_op_result(op);
    for (size_t i = 0; i < r->count; i++) nr_lower_set_dim(l, value, i, joined.dims[i]);
  }
  if (to->rank > r->count) {
    NrValue *operands[NORIA_MAX_RANK + 1] = {value};
    size_t n = dynamic_operands(l, to, operands + 1);
    type = nr_shape_type(l, to, elem);
    NrOp *op = nr_build_op(&l->b, NR_OP_tensor_expand_shape, operands, n + 1, &type, 1);
    nr_op_set_attr(op, NR_A_reassociation, groups_attr(l, r->to_begin, r->count));
    nr_op_set_attr(op, NR_A_static_output_shape, nr_attr_i64_array(l->ctx, type->dims, to->rank));
    value = nr_op_result(op);
    for (size_t i = 0; i < to->rank; i++) nr_lower_set_dim(l, value, i, to->dims[i]);
  }
  return value;
}

NrValue *nr_lower_reshape(NrLower *l, NrValue *tensor, const NrShape *shape) {
  if (!tensor) return NULL; /* an error came before */
  NrShape from = nr_lower_shape(l, tensor);
  if (same_shape(&from, shape)) return tensor;
  NrType type = nr_shape_type(l, shape, tensor->type->elem);
  int64_t have, want;
  if (nr_type_num_elements(tensor->type, &have) && nr_type_num_elements(type, &want) && have != want) {
    nr_lower_error(l, "%lld elements do not make a shape of %lld", (long long)have, (long long)want);
    return nr_lower_empty(l, shape, tensor->type->elem);
  }
  NrAttr known = nr_value_constant(tensor);
  if (nr_type_has_static_shape(type) && known && known->kind == NR_ATTR_RESOURCE)
    return nr_lower_dense(l, nr_attr_resource(type, known->s, known->data, known->data_size));
  if (nr_type_has_static_shape(type) && known && known->kind == NR_ATTR_DENSE)
    return nr_lower_dense(l, nr_attr_dense(type, known->data, known->data_size));
  NrValue *elements[SMALL];
  size_t count;
  if (nr_type_has_static_shape(type) && nr_lower_elements(l, tensor, elements, SMALL, &count, false))
    return nr_lower_from_elements(l, type, elements, count);
  Regroup r;
  if (find_groups(&from, shape, &r)) return regroup(l, tensor, &from, shape, &r);
  return unflatten(l, flatten(l, tensor), shape);
}

/* ---- slices ---- */

/* Splits dims into the static array attribute and the dynamic operands appended to operands. */
static void set_dim_list(NrLower *l, NrOp *op, const char *name, const NrDim *dims, size_t rank) {
  int64_t values[NORIA_MAX_RANK] = {0};
  for (size_t i = 0; i < rank; i++) values[i] = dims[i].size;
  nr_op_set_attr_named(op, name, nr_attr_i64_array(l->ctx, values, rank));
}

static size_t append_dynamic(NrLower *l, const NrDim *dims, size_t rank, NrValue **operands, size_t n) {
  for (size_t i = 0; i < rank; i++)
    if (!nr_dim_known(dims[i])) operands[n++] = nr_dim_value(l, dims[i]);
  return n;
}

static void set_slice_attrs(NrLower *l, NrOp *op, const NrDim *offsets, const NrDim *sizes, const NrDim *steps,
                            size_t rank, size_t leading) {
  set_dim_list(l, op, "static_offsets", offsets, rank);
  set_dim_list(l, op, "static_sizes", sizes, rank);
  set_dim_list(l, op, "static_strides", steps, rank);
  int32_t counts[5] = {1, 1};
  for (size_t i = 0; i < rank; i++) {
    counts[leading] += !nr_dim_known(offsets[i]);
    counts[leading + 1] += !nr_dim_known(sizes[i]);
    counts[leading + 2] += !nr_dim_known(steps[i]);
  }
  if (leading == 1) counts[1] -= 1; /* the slot held the default for the second leading operand */
  nr_op_set_attr(op, NR_A_operandSegmentSizes,
                 nr_attr_dense_array(nr_type_i32(l->ctx), counts, (leading + 3) * sizeof *counts));
}

/* A slice of a small list with constant bounds is a list; NULL otherwise. */
static NrValue *slice_list(NrLower *l, NrValue *tensor, const NrDim *offsets, const NrShape *result,
                           const NrDim *steps) {
  NrValue *from[SMALL], *to[SMALL];
  size_t count;
  int64_t total, at[NORIA_MAX_RANK] = {0};
  NrType type = nr_shape_type(l, result, tensor->type->elem);
  if (!nr_type_num_elements(type, &total) || total > SMALL) return NULL;
  for (size_t i = 0; i < result->rank; i++)
    if (!nr_dim_known(offsets[i]) || !nr_dim_known(steps[i])) return NULL;
  if (!nr_lower_elements(l, tensor, from, SMALL, &count, false)) return NULL;
  for (int64_t n = 0; n < total; n++) {
    int64_t index = 0;
    for (size_t i = 0; i < result->rank; i++)
      index = index * tensor->type->dims[i] + offsets[i].size + at[i] * steps[i].size;
    to[n] = from[index];
    for (size_t i = result->rank; i-- > 0 && ++at[i] == result->dims[i].size;) at[i] = 0;
  }
  return nr_lower_from_elements(l, type, to, (size_t)total);
}

/* Reports a slice that is known to leave dim i. */
static bool is_outside(NrLower *l, size_t i, int64_t dim, NrDim offset, NrDim size, NrDim step) {
  int64_t last;
  if (dim == NR_DYNAMIC || !nr_dim_known(offset) || !nr_dim_known(size) || !nr_dim_known(step)) return false;
  bool inside = offset.size >= 0 && size.size >= 0 && nr_mul_i64(NR_MAX(size.size - 1, 0), step.size, &last) &&
                nr_add_i64(offset.size, last, &last) && last >= 0 && (size.size == 0 ? offset.size <= dim : last < dim);
  if (!inside)
    nr_lower_error(l, "%lld elements from %lld on are needed of dim %zu, which has %lld", (long long)size.size,
                   (long long)offset.size, i, (long long)dim);
  return !inside;
}

NrValue *nr_lower_slice(NrLower *l, NrValue *tensor, const NrDim *offsets, const NrDim *sizes, const NrDim *steps) {
  size_t rank = nr_rank(tensor);
  NrDim ones[NORIA_MAX_RANK];
  for (size_t i = 0; i < rank; i++) ones[i] = nr_dim(1);
  if (!steps) steps = ones;
  bool whole = true;
  NrShape result = {.rank = rank};
  for (size_t i = 0; i < rank; i++) {
    result.dims[i] = sizes[i];
    whole &= nr_dim_is(offsets[i], 0) && nr_dim_is(steps[i], 1) && nr_dim_same(sizes[i], nr_lower_dim(l, tensor, i));
  }
  if (whole) return tensor;
  bool nothing = false;
  for (size_t i = 0; i < rank; i++)
    nothing |= is_outside(l, i, tensor->type->dims[i], offsets[i], sizes[i], steps[i]) || nr_dim_is(sizes[i], 0);
  if (nothing) return nr_lower_empty(l, &result, tensor->type->elem);
  NrValue *listed = slice_list(l, tensor, offsets, &result, steps);
  if (listed) return listed;
  NrValue *operands[3 * NORIA_MAX_RANK + 1] = {tensor};
  size_t n = append_dynamic(l, offsets, rank, operands, 1);
  n = append_dynamic(l, sizes, rank, operands, n);
  n = append_dynamic(l, steps, rank, operands, n);
  NrType type = nr_shape_type(l, &result, tensor->type->elem);
  NrOp *op = nr_build_op(&l->b, NR_OP_tensor_extract_slice, operands, n, &type, 1);
  set_slice_attrs(l, op, offsets, sizes, steps, rank, 1);
  for (size_t i = 0; i < rank; i++) nr_lower_set_dim(l, nr_op_result(op), i, sizes[i]);
  return nr_op_result(op);
}

NrValue *nr_lower_insert_slice(NrLower *l, NrValue *source, NrValue *into, const NrDim *offsets) {
  size_t rank = nr_rank(into);
  NrShape sizes = nr_lower_shape(l, source);
  NrDim steps[NORIA_MAX_RANK];
  for (size_t i = 0; i < rank; i++) {
    steps[i] = nr_dim(1);
    bool outside = is_outside(l, i, into->type->dims[i], offsets[i], sizes.dims[i], steps[i]);
    if (outside || nr_dim_is(sizes.dims[i], 0)) return into;
  }
  NrValue *operands[3 * NORIA_MAX_RANK + 2] = {source, into};
  size_t n = append_dynamic(l, offsets, rank, operands, 2);
  n = append_dynamic(l, sizes.dims, rank, operands, n);
  NrOp *op = nr_build_op(&l->b, NR_OP_tensor_insert_slice, operands, n, &into->type, 1);
  set_slice_attrs(l, op, offsets, sizes.dims, steps, rank, 2);
  return nr_op_result(op);
}

NrValue *nr_lower_concat(NrLower *l, NrValue *const *tensors, size_t count, size_t axis) {
  NrShape shape = nr_lower_shape(l, tensors[0]);
  for (size_t k = 1; k < count; k++) {
    for (size_t i = 0; i < shape.rank; i++) {
      NrDim d = nr_lower_dim(l, tensors[k], i);
      if (i == axis)
        shape.dims[i] = nr_dim_add(l, shape.dims[i], d);
      else {
        nr_lower_check_dims_equal(l, shape.dims[i], d, "dims of the joined tensors");
        if (nr_dim_known(d)) shape.dims[i] = d;
      }
    }
  }
  /* Lists of known scalars stay lists. */
  NrValue *elements[SMALL];
  size_t total = 0, n;
  bool listed = shape.rank == 1;
  for (size_t k = 0; k < count && listed; k++) {
    listed = nr_lower_elements(l, tensors[k], elements + total, SMALL - total, &n, false);
    if (listed) total += n;
  }
  NrType elem = tensors[0]->type->elem;
  if (listed) return nr_lower_from_elements(l, nr_shape_type(l, &shape, elem), elements, total);
  NrValue *result = nr_lower_empty(l, &shape, elem);
  NrDim offsets[NORIA_MAX_RANK];
  for (size_t i = 0; i < shape.rank; i++) offsets[i] = nr_dim(0);
  for (size_t k = 0; k < count; k++) {
    result = nr_lower_insert_slice(l, tensors[k], result, offsets);
    offsets[axis] = nr_dim_add(l, offsets[axis], nr_lower_dim(l, tensors[k], axis));
  }
  return result;
}

/* ---- calls ---- */

NrOp *nr_lower_rt_call(NrLower *l, const char *name, NrValue *const *args, size_t num_args, const NrType *results,
                       size_t num_results) {
  NrOp *call = nr_build_op(&l->b, NR_OP_rt_call, args, num_args, results, num_results);
  nr_op_set_attr(call, NR_A_name, nr_attr_string(l->ctx, nr_str(name)));
  return call;
}
