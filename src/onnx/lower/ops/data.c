/* data.c - see data.h: integer operands, positions, parts along an axis. */
#include "dialect/arith/ops.h"
#include "dialect/operands.h"
#include "onnx/lower/ops/data.h"

#include "dialect/scf/scf.h"
#include "onnx/lower/core/state.h"

/* ---- lists of integers ---- */

static NrValue *to_i64(NrLower *l, NrValue *const *args, void *user) {
  return nr_lower_cast(l, args[0], *(const NoriaDType *)user, NORIA_I64, true);
}

/* A list of `length` elements, or any number. NULL after an error. */
static NrValue *of_length(NrLower *l, const char *name, NrValue *list, size_t length) {
  if (length == NR_ANY_LENGTH || nr_rank(list) != 1 || nr_dim_known(nr_lower_dim(l, list, 0))) return list;
  int64_t size = (int64_t)length;
  if (!nr_lower_expect_shape(l, name, list, &(NrShape){1, {nr_dim(size)}})) return NULL;
  return nr_lower_tensor_cast(l, list, nr_type_tensor(&size, 1, list->type->elem));
}

bool nr_lower_ints(NrLower *l, bool from_input, size_t input, const char *name, NrInts *out) {
  return nr_lower_ints_of(l, from_input, input, name, NR_ANY_LENGTH, out);
}

bool nr_lower_ints_of(NrLower *l, bool from_input, size_t input, const char *name, size_t length, NrInts *out) {
  *out = (NrInts){0};
  const int64_t *values;
  size_t count;
  if (!from_input && nr_lower_attr_ints(l, name, &values, &count)) {
    if (count > NORIA_MAX_RANK)
      return nr_lower_error(l, "attribute %s has more than %d elements", name, NORIA_MAX_RANK), false;
    out->given = true;
    out->count = count;
    for (size_t i = 0; i < count; i++) out->at[i] = nr_dim(values[i]);
  }
  if (from_input && nr_lower_in(l, input)) {
    NrValue *list = nr_lower_in(l, input);
    NoriaDType dtype = nr_lower_dtype(l, input);
    if (nr_dtype_is_float(dtype) && l->version < 6) /* Split-1 and Tile-1 have such lists in the type of the data */
      list = nr_lower_map(l, &list, 1, nr_type_i64(l->ctx), to_i64, &dtype);
    else if (!nr_dtype_is_int(dtype))
      return nr_lower_error(l, "%s must be integers", name), false;
    NrShape shape;
    if (!list || !(list = of_length(l, name, list, length)) || !nr_lower_dims_operand(l, list, name, &shape))
      return false;
    out->given = true;
    out->count = shape.rank;
    memcpy(out->at, shape.dims, shape.rank * sizeof *shape.dims);
  }
  /* The least integer stands for "not known" in a dim; as a position it means the same as the next one. */
  for (size_t i = 0; i < out->count; i++) {
    NrDim *d = &out->at[i];
    int64_t known;
    if (nr_dim_known(*d) || (d->value && !(nr_value_constant_int(d->value, &known) && known == INT64_MIN))) continue;
    *d = nr_dim(INT64_MIN + 1);
  }
  return true;
}

bool nr_ints_known(const NrInts *ints) {
  for (size_t i = 0; i < ints->count; i++)
    if (!nr_dim_known(ints->at[i])) return false;
  return true;
}

bool nr_lower_known_axes(NrLower *l, const NrInts *axes, size_t rank, size_t *out) {
  for (size_t i = 0; i < axes->count; i++) {
    if (!nr_dim_known(axes->at[i])) return nr_lower_error(l, "the axes must be known before the run"), false;
    if (!nr_lower_axis(l, axes->at[i].size, rank, &out[i])) return false;
    for (size_t k = 0; k < i; k++)
      if (out[k] == out[i]) return nr_lower_error(l, "axis %lld is named twice", (long long)axes->at[i].size), false;
  }
  return true;
}

/* Reports text with the sizes in the places of %0 and %1, as a check of the run does. Returns false. */
static bool does_not_fit(NrLower *l, NrDim part, NrDim whole, const char *text) {
  NrBuf message = {0};
  for (const char *at = text; *at; at++) {
    bool is_part = at[0] == '%' && at[1] == '0', is_whole = at[0] == '%' && at[1] == '1';
    if (is_part || is_whole) {
      nr_buf_printf(&message, "%lld", (long long)(is_part ? part.size : whole.size));
      at++;
    } else nr_buf_append(&message, at, 1);
  }
  nr_lower_error(l, "%s", message.data);
  nr_buf_deinit(&message);
  return false;
}

static bool at_least(NrLower *l, NrDim *d, int64_t least, const char *text) {
  int64_t known = d->size;
  bool is_known = nr_dim_known(*d) || nr_value_constant_int(d->value, &known);
  if (is_known && known < least) return does_not_fit(l, nr_dim(known), nr_dim(least), text);
  if (is_known || (least == 0 && nr_dim_is_size(*d))) return true;
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_SGE, d->value, nr_lower_index(l, least)), text, &d->value, 1);
  *d = nr_dim_max(l, *d, nr_dim(least));
  return true;
}

bool nr_lower_size(NrLower *l, NrDim *d) { return at_least(l, d, 0, "size %0 is negative"); }

bool nr_lower_sizes(NrLower *l, NrInts *sizes) {
  for (size_t i = 0; i < sizes->count; i++)
    if (!nr_lower_size(l, &sizes->at[i])) return false;
  return true;
}

/* ---- positions ---- */

static bool is_size(NrValue *v, unsigned depth) {
  int64_t known;
  if (nr_value_constant_int(v, &known)) return known >= 0;
  NrOp *op = v->op;
  if (!op || depth > 8) return false;
  switch (op->info->id) {
  case NR_OP_tensor_dim: return true;
  case NR_OP_arith_index_cast: return is_size(nr_op_in(op), depth + 1);
  case NR_OP_arith_maxsi: return is_size(nr_op_lhs(op), depth + 1) || is_size(nr_op_rhs(op), depth + 1);
  case NR_OP_arith_addi:
  case NR_OP_arith_muli:
  case NR_OP_arith_minsi:
  case NR_OP_arith_floordivsi:
  case NR_OP_arith_ceildivsi: return is_size(nr_op_lhs(op), depth + 1) && is_size(nr_op_rhs(op), depth + 1);
  case NR_OP_arith_select:
    return is_size(nr_arith_select_true_value(op), depth + 1) && is_size(nr_arith_select_false_value(op), depth + 1);
  default: return false;
  }
}

bool nr_dim_is_size(NrDim d) { return nr_dim_known(d) ? d.size >= 0 : is_size(d.value, 0); }

NrDim nr_dim_wrap(NrLower *l, NrDim position, NrDim size) {
  if (nr_dim_is_size(position)) return position;
  if (nr_dim_known(position)) return nr_dim_add(l, position, size);
  NrValue *negative = nr_lower_cmpi(l, NR_CMPI_SLT, position.value, nr_lower_index(l, 0));
  return nr_dim_select(l, negative, nr_dim_add(l, position, size), position);
}

NrDim nr_dim_clamp(NrLower *l, NrDim d, NrDim low, NrDim high) { return nr_dim_min(l, nr_dim_max(l, d, low), high); }

NrValue *nr_lower_position(NrLower *l, NrValue *integer, NrDim size) {
  NrDim given = nr_dim_of_index(nr_lower_as_index(l, integer)), at = nr_dim_wrap(l, given, size);
  if (nr_dim_known(at) && nr_dim_known(size)) {
    if (at.size >= 0 && at.size < size.size) return nr_dim_value(l, at);
    nr_lower_error(l, "index %lld is out of range for %lld elements", (long long)given.size, (long long)size.size);
    return nr_lower_index(l, 0);
  }
  NrValue *position = nr_dim_value(l, at), *end = nr_dim_value(l, size);
  NrValue *values[2] = {nr_dim_value(l, given), end};
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_ULT, position, end), "index %0 is out of range for %1 elements", values,
                 2);
  return position;
}

static NrValue *position_body(NrLower *l, NrValue *const *args, void *user) {
  const NrDim *size = user;
  NrValue *position = nr_lower_position(l, args[0], *size);
  return position ? nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), position) : NULL;
}

/* The least and greatest of constant integers; false when they are not constant, or there are none. */
static bool constant_range(NrValue *integers, int64_t *least, int64_t *greatest) {
  NrAttr known = nr_value_constant(integers);
  int64_t count, v;
  if (!nr_attr_is_elements(known) || !nr_type_num_elements(integers->type, &count) || count == 0) return false;
  for (int64_t i = 0; i < count; i++) {
    if (!nr_attr_is_int(nr_attr_element(known, i), &v)) return false;
    *least = i && *least < v ? *least : v;
    *greatest = i && *greatest > v ? *greatest : v;
  }
  return true;
}

NrValue *nr_lower_positions(NrLower *l, NrValue *integers, NrDim size) {
  int64_t least = 0, greatest = 0;
  if (constant_range(integers, &least, &greatest) && least >= 0) {
    NrValue *last = nr_lower_index(l, greatest);
    return nr_lower_position(l, last, size) ? integers : NULL;
  }
  return nr_lower_map(l, &integers, 1, nr_type_i64(l->ctx), position_body, &size);
}

bool nr_lower_fits(NrLower *l, NrDim part, NrDim whole, const char *text) {
  if (nr_dim_same(part, whole)) return true;
  if (nr_dim_known(part) && nr_dim_known(whole))
    return (part.size >= 0 && part.size <= whole.size) || does_not_fit(l, part, whole, text);
  NrValue *values[2] = {nr_dim_value(l, part), nr_dim_value(l, whole)};
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_ULE, values[0], values[1]), text, values, 2);
  return true;
}

bool nr_lower_size_input(NrLower *l, size_t i, const char *name, int64_t least, NrDim *out) {
  *out = nr_dim_of_index(nr_lower_as_index(l, nr_lower_scalar(l, nr_lower_in(l, i))));
  return at_least(l, out, least,
                  nr_arena_printf(&l->state->arena, "%s is %%0; it must be at least %lld", name, (long long)least));
}

bool nr_lower_dims_agree(NrLower *l, NrDim a, NrDim b, const char *what) {
  if (nr_dim_known(a) && nr_dim_known(b) && a.size != b.size)
    return nr_lower_error(l, "%s: %lld and %lld differ", what, (long long)a.size, (long long)b.size), false;
  nr_lower_check_dims_equal(l, a, b, what);
  return true;
}

bool nr_lower_is_vector(NrLower *l, size_t i, NrDim count) {
  NrValue *vector = nr_lower_in(l, i);
  if (nr_rank(vector) != 1) return nr_lower_error(l, "input %zu has rank %u, not 1", i, nr_rank(vector)), false;
  NrDim size = nr_lower_dim(l, vector, 0);
  if (!nr_dim_known(count) || !nr_dim_known(size) || count.size == size.size)
    return nr_lower_dims_agree(l, size, count, "elements of a vector, and what they are for");
  nr_lower_error(l, "input %zu has %lld elements, not %lld", i, (long long)size.size, (long long)count.size);
  return false;
}

/* ---- parts along an axis ---- */

typedef struct Strided {
  NrValue *tensor, *offset, *step;
  size_t axis;
} Strided;

static NrValue *strided_body(NrLower *l, NrValue *const *indices, void *user) {
  const Strided *s = user;
  NrValue *at[NORIA_MAX_RANK];
  size_t rank = nr_rank(s->tensor);
  for (size_t i = 0; i < rank; i++) at[i] = indices[i];
  at[s->axis] = nr_lower_add(l, s->offset, nr_lower_mul(l, indices[s->axis], s->step));
  return nr_lower_extract(l, s->tensor, at, rank);
}

NrValue *nr_lower_slice_axis(NrLower *l, NrValue *tensor, size_t axis, NrDim offset, NrDim size, NrDim step) {
  NrShape shape = nr_lower_shape(l, tensor);
  NrValue *elements[NR_SMALL_LIST], *kept[NR_SMALL_LIST];
  size_t count;
  bool known = nr_dim_known(offset) && nr_dim_known(size) && nr_dim_known(step);
  if (known && shape.rank == 1 && size.size <= NR_SMALL_LIST &&
      nr_lower_elements(l, tensor, elements, NR_SMALL_LIST, &count, false)) {
    for (int64_t i = 0; i < size.size; i++) kept[i] = elements[offset.size + i * step.size];
    shape.dims[0] = size;
    return nr_lower_from_elements(l, nr_shape_type(l, &shape, tensor->type->elem), kept, (size_t)size.size);
  }
  if (nr_dim_known(step) && step.size > 0) {
    NrDim offsets[NORIA_MAX_RANK], steps[NORIA_MAX_RANK];
    for (size_t i = 0; i < shape.rank; i++) {
      offsets[i] = i == axis ? offset : nr_dim(0);
      steps[i] = i == axis ? step : nr_dim(1);
    }
    shape.dims[axis] = size;
    return nr_lower_slice(l, tensor, offsets, shape.dims, steps);
  }
  shape.dims[axis] = size;
  Strided s = {tensor, nr_dim_value(l, offset), nr_dim_value(l, step), axis};
  return nr_lower_generate(l, &shape, tensor->type->elem, strided_body, &s);
}

/* ---- values that change under a condition ---- */

NrStatus nr_lower_when(NrLower *l, NrValue *cond, NrValue *const *values, size_t count, NrValue **out, NrWhenFn body,
                       void *user) {
  NrType *types = NR_NEW_ARRAY(&l->state->arena, NrType, count);
  NrValue **next = NR_NEW_ARRAY(&l->state->arena, NrValue *, count);
  for (size_t i = 0; i < count; i++) types[i] = values[i]->type;
  NrOp *op = nr_scf_if(&l->b, cond, types, count, true);
  NrBuilder outer = l->b;
  NrStatus status = NR_OK;
  for (size_t r = 0; r < 2; r++) {
    l->b = nr_scf_body_builder(nr_op_body(op, r));
    for (size_t i = 0; i < count; i++) next[i] = values[i];
    if (r == 0 && !status) status = body(l, values, next, user);
    for (size_t i = 0; i < count && !status; i++)
      if (nr_type_is_tensor(types[i])) next[i] = nr_lower_tensor_cast(l, next[i], types[i]);
    if (!status) nr_scf_yield(&l->b, next, count);
  }
  l->b = outer;
  for (size_t i = 0; i < count; i++) out[i] = nr_result(op, i);
  return status;
}

/* ---- loops over index tuples ---- */

typedef struct Nest {
  const NrShape *shape;
  size_t count, depth;
  NrNestFn body;
  void *user;
  NrValue *indices[NORIA_MAX_RANK];
} Nest;

static NrStatus nest_level(NrLower *l, NrValue *const *values, NrValue **out, Nest *n);

static NrStatus nest_body(NrLower *l, NrValue *iv, NrValue *const *carried, NrValue **next, void *user) {
  Nest *n = user;
  n->indices[n->depth++] = iv;
  NrStatus status = nest_level(l, carried, next, n);
  n->depth--;
  return status;
}

static NrStatus nest_level(NrLower *l, NrValue *const *values, NrValue **out, Nest *n) {
  if (n->depth == n->shape->rank) return n->body(l, n->indices, values, out, n->user);
  return nr_lower_for(l, n->shape->dims[n->depth], values, n->count, out, nest_body, n);
}

NrStatus nr_lower_nest(NrLower *l, const NrShape *shape, NrValue *const *init, size_t count, NrValue **out,
                       NrNestFn body, void *user) {
  Nest n = {.shape = shape, .count = count, .body = body, .user = user};
  return nest_level(l, init, out, &n);
}
