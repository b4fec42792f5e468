/* scatter.c - writing elements at dynamic indices: Scatter, ScatterElements, ScatterND, TensorScatter.
 *
 * The loops run in order, because several updates may write one element; they carry a copy of the data. */
#include "onnx/lower/core/body.h"
#include "onnx/lower/ops/data.h"

/* ---- combining an update with the old element ------------ */

typedef enum Reduction { NONE, ADD, MUL, MIN, MAX } Reduction;

static bool read_reduction(NrLower *l, Reduction *out) {
  static const char *const names[] = {"none", "add", "mul", "min", "max"};
  NrStr name = nr_lower_takes_attr(l, "reduction") ? nr_lower_attr_str(l, "reduction") : NR_STR("none");
  size_t i = 0;
  while (i < NR_COUNTOF(names) && !nr_str_is(name, names[i])) i++;
  *out = (Reduction)i;
  if (i == NR_COUNTOF(names)) return nr_lower_error(l, "reduction '%.*s' is not known", NR_STR_ARG(name)), false;
  if (*out != NONE && nr_lower_dtype(l, 0) == NORIA_STRING)
    return nr_lower_error(l, "reduction '%s' takes numbers, not strings", names[i]), false;
  return true;
}

static NrValue *reduce_ints(NrLower *l, Reduction r, bool is_unsigned, NrValue *old, NrValue *update) {
  switch (r) {
  case ADD: return same2(l, old->type->width == 1 ? NR_OP_arith_ori : NR_OP_arith_addi, old, update);
  case MUL: return mul(l, old, update);
  case MIN: return same2(l, is_unsigned ? NR_OP_arith_minui : NR_OP_arith_minsi, old, update);
  case MAX: return same2(l, is_unsigned ? NR_OP_arith_maxui : NR_OP_arith_maxsi, old, update);
  case NONE: break;
  }
  return update;
}

static NrValue *reduce(NrLower *l, Reduction r, bool is_unsigned, NrValue *old, NrValue *update) {
  if (r == NONE) return update;
  NrType type = old->type;
  if (!nr_type_is_float(type)) return reduce_ints(l, r, is_unsigned, old, update);
  NrValue *a = nr_lower_widen(l, old), *b = nr_lower_widen(l, update);
  NrValue *result = r == ADD ? add(l, a, b) : r == MUL ? mul(l, a, b) : r == MIN ? smaller(l, a, b) : larger(l, a, b);
  return nr_lower_narrow(l, result, type);
}

typedef struct Scatter {
  NrValue *positions, *updates;
  NrShape data;
  Reduction reduction;
  bool is_unsigned; /* or boolean */
  size_t axis;      /* ScatterElements */
  size_t outer;     /* ScatterND: dims of the loops that come from positions */
  size_t depth;     /* ScatterND: indices of a tuple */
} Scatter;

static NrValue *write(NrLower *l, const Scatter *s, NrValue *acc, NrValue *const *at, NrValue *update) {
  size_t rank = s->data.rank;
  if (s->reduction != NONE)
    update = reduce(l, s->reduction, s->is_unsigned, nr_lower_extract(l, acc, at, rank), update);
  NrValue *operands[NORIA_MAX_RANK + 2] = {update, acc};
  for (size_t i = 0; i < rank; i++) operands[i + 2] = at[i];
  return nr_build_value(&l->b, NR_OP_tensor_insert, acc->type, operands, rank + 2);
}

/* Inputs 0 data, 1 positions, 2 updates. */
static bool begin(NrLower *l, Scatter *s) {
  s->positions = nr_lower_in(l, 1);
  s->updates = nr_lower_in(l, 2);
  s->data = nr_lower_shape(l, nr_lower_in(l, 0));
  NoriaDType dtype = nr_lower_dtype(l, 0);
  s->is_unsigned = nr_dtype_is_unsigned(dtype) || dtype == NORIA_BOOL;
  if (!nr_dtype_is_int(nr_lower_dtype(l, 1))) return nr_lower_error(l, "indices must be integers"), false;
  if (nr_lower_dtype(l, 2) != dtype)
    return nr_lower_error(l, "the updates are %s, the data %s", nr_dtype_name(nr_lower_dtype(l, 2)),
                          nr_dtype_name(dtype)),
           false;
  return read_reduction(l, &s->reduction);
}

/* ---- ScatterElements ---- */

static NrStatus elements_body(NrLower *l, NrValue *const *indices, NrValue *const *carried, NrValue **next,
                              void *user) {
  const Scatter *s = user;
  NrValue *at[NORIA_MAX_RANK];
  size_t rank = s->data.rank;
  for (size_t i = 0; i < rank; i++) at[i] = indices[i];
  at[s->axis] = nr_lower_position(l, nr_lower_extract(l, s->positions, indices, rank), s->data.dims[s->axis]);
  if (!at[s->axis]) return NR_ERROR_INVALID;
  next[0] = write(l, s, carried[0], at, nr_lower_extract(l, s->updates, indices, rank));
  return NR_OK;
}

NrStatus nr_lower_scatter_elements(NrLower *l) {
  Scatter s = {0};
  NrValue *result = nr_lower_in(l, 0);
  if (!begin(l, &s)) return NR_ERROR_INVALID;
  if (nr_rank(s.positions) != s.data.rank || nr_rank(s.updates) != s.data.rank)
    return nr_lower_error(l, "data, indices and updates must have one rank");
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "axis"), s.data.rank, &s.axis)) return NR_ERROR_INVALID;
  NrShape shape = nr_lower_shape(l, s.positions);
  for (size_t i = 0; i < shape.rank; i++) {
    if (!nr_lower_dims_agree(l, shape.dims[i], nr_lower_dim(l, s.updates, i), "dims of indices and updates"))
      return NR_ERROR_INVALID;
    if (i != s.axis && !nr_lower_fits(l, shape.dims[i], s.data.dims[i], "indices have %0 elements in a dim of %1"))
      return NR_ERROR_INVALID;
  }
  NrStatus status = nr_lower_nest(l, &shape, &result, 1, &result, elements_body, &s);
  return status ? status : nr_lower_out(l, 0, result, nr_lower_dtype(l, 0));
}

/* ---- ScatterND ---- */

/* The data's indices in tuple number indices[0..outer). */
static bool read_tuple(NrLower *l, const Scatter *s, NrValue *const *indices, size_t depth, NrValue **at) {
  NrValue *where[NORIA_MAX_RANK];
  for (size_t i = 0; i < s->outer; i++) where[i] = indices[i];
  for (size_t i = 0; i < depth; i++) {
    where[s->outer] = nr_lower_index(l, (int64_t)i);
    at[i] = nr_lower_position(l, nr_lower_extract(l, s->positions, where, s->outer + 1), s->data.dims[i]);
    if (!at[i]) return false;
  }
  return true;
}

typedef struct Row {
  const Scatter *s;
  NrValue **indices, **at;
  size_t depth;
} Row;

static NrStatus nd_element(NrLower *l, NrValue *const *indices, NrValue *const *carried, NrValue **next, void *user) {
  const Row *r = user;
  const Scatter *s = r->s;
  size_t inner = s->data.rank - r->depth;
  for (size_t i = 0; i < inner; i++) r->at[r->depth + i] = r->indices[s->outer + i] = indices[i];
  next[0] = write(l, s, carried[0], r->at, nr_lower_extract(l, s->updates, r->indices, s->outer + inner));
  return NR_OK;
}

static NrStatus nd_body(NrLower *l, NrValue *const *indices, NrValue *const *carried, NrValue **next, void *user) {
  const Scatter *s = user;
  NrValue *at[NORIA_MAX_RANK], *all[NORIA_MAX_RANK];
  size_t depth = s->depth;
  for (size_t i = 0; i < s->outer; i++) all[i] = indices[i];
  if (!read_tuple(l, s, indices, depth, at)) return NR_ERROR_INVALID;
  NrShape inner = {.rank = s->data.rank - depth};
  for (size_t i = 0; i < inner.rank; i++) inner.dims[i] = s->data.dims[depth + i];
  Row row = {s, all, at, depth};
  return nr_lower_nest(l, &inner, carried, 1, next, nd_element, &row);
}

NrStatus nr_lower_scatter_nd(NrLower *l) {
  Scatter s = {0};
  NrValue *result = nr_lower_in(l, 0);
  if (!begin(l, &s)) return NR_ERROR_INVALID;
  NrShape outer = nr_lower_shape(l, s.positions);
  if (outer.rank == 0 || s.data.rank == 0) return nr_lower_error(l, "data and indices must have dims");
  s.outer = --outer.rank;
  /* The ranks give the length of the tuples, even if the last dim of the indices is dynamic. */
  size_t whole = s.outer + s.data.rank, updates = nr_rank(s.updates);
  if (updates > whole || updates < s.outer)
    return nr_lower_error(l, "the updates have rank %zu, not %zu to %zu", updates, s.outer, whole);
  s.depth = whole - updates;
  if (!nr_lower_dims_agree(l, outer.dims[s.outer], nr_dim((int64_t)s.depth), "index tuples, and the updates' rank"))
    return NR_ERROR_INVALID;
  size_t inner = s.data.rank - s.depth;
  for (size_t i = 0; i < s.outer + inner; i++) {
    NrDim want = i < s.outer ? outer.dims[i] : s.data.dims[s.depth + i - s.outer];
    if (!nr_lower_dims_agree(l, nr_lower_dim(l, s.updates, i), want, "dims of the updates, and what the indices say"))
      return NR_ERROR_INVALID;
  }
  NrStatus status = nr_lower_nest(l, &outer, &result, 1, &result, nd_body, &s);
  return status ? status : nr_lower_out(l, 0, result, nr_lower_dtype(l, 0));
}

/* ---- TensorScatter ---- */

typedef struct Cache {
  Scatter s;
  bool circular;
} Cache;

static NrStatus cache_body(NrLower *l, NrValue *const *indices, NrValue *const *carried, NrValue **next, void *user) {
  const Cache *c = user;
  const Scatter *s = &c->s;
  NrValue *at[NORIA_MAX_RANK];
  for (size_t i = 0; i < s->data.rank; i++) at[i] = indices[i];
  if (s->positions) {
    NrValue *first = nr_lower_as_index(l, nr_lower_extract(l, s->positions, &indices[0], 1));
    at[s->axis] = add(l, at[s->axis], first);
  }
  if (c->circular) at[s->axis] = same2(l, NR_OP_arith_remui, at[s->axis], nr_dim_value(l, s->data.dims[s->axis]));
  next[0] = write(l, s, carried[0], at, nr_lower_extract(l, s->updates, indices, s->data.rank));
  return NR_OK;
}

/* Checks a write position: the written range ends in bounds or, for a circular cache, begins in bounds. */
static NrValue *start_body(NrLower *l, NrValue *const *args, void *user) {
  const NrDim *last = user;
  NrValue *start = nr_lower_as_index(l, args[0]), *end = nr_dim_value(l, *last);
  NrValue *fits =
      nr_lower_cmpi(l, NR_CMPI_ULE, start, nr_lower_op2(l, NR_OP_arith_maxsi, end->type, end, nr_lower_index(l, 0)));
  nr_lower_check(l, fits, "write index %0 is out of range: the last one is %1", (NrValue *[]){start, end}, 2);
  return args[0];
}

NrStatus nr_lower_tensor_scatter(NrLower *l) {
  NrValue *result = nr_lower_in(l, 0), *positions = nr_lower_in(l, 2);
  NrStr mode = nr_lower_attr_str(l, "mode");
  Cache c = {.s = {.updates = nr_lower_in(l, 1), .data = nr_lower_shape(l, result)},
             .circular = nr_str_is(mode, "circular")};
  Scatter *s = &c.s;
  if (!c.circular && !nr_str_is(mode, "linear")) return nr_lower_error(l, "mode '%.*s' is not known", NR_STR_ARG(mode));
  if (nr_lower_dtype(l, 1) != nr_lower_dtype(l, 0)) return nr_lower_error(l, "cache and update must be of one type");
  if (nr_rank(s->updates) != s->data.rank) return nr_lower_error(l, "cache and update must have one rank");
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "axis"), s->data.rank, &s->axis)) return NR_ERROR_INVALID;
  if (s->axis == 0) return nr_lower_error(l, "the axis must not be the batch's");
  NrShape shape = nr_lower_shape(l, s->updates);
  for (size_t i = 0; i < shape.rank; i++)
    if (i != s->axis && !nr_lower_dims_agree(l, shape.dims[i], s->data.dims[i], "dims of cache and update"))
      return NR_ERROR_INVALID;
  if (!nr_lower_fits(l, shape.dims[s->axis], s->data.dims[s->axis], "%0 updates do not fit a cache of %1"))
    return NR_ERROR_INVALID;
  if (positions) {
    if (nr_rank(positions) != 1)
      return nr_lower_error(l, "the write indices must have rank 1, not %u", nr_rank(positions));
    if (!nr_lower_dims_agree(l, nr_lower_dim(l, positions, 0), shape.dims[0], "write indices, and the batch"))
      return NR_ERROR_INVALID;
    NrDim last = nr_dim_sub(l, s->data.dims[s->axis], c.circular ? nr_dim(1) : shape.dims[s->axis]);
    s->positions = nr_lower_map(l, &positions, 1, NULL, start_body, &last);
    if (!s->positions) return NR_ERROR_INVALID;
  }
  NrStatus status = nr_lower_nest(l, &shape, &result, 1, &result, cache_body, &c);
  return status ? status : nr_lower_out(l, 0, result, nr_lower_dtype(l, 0));
}
