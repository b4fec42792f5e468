/* gather.c - reading elements at dynamic indices: Gather, GatherElements, GatherND, ReverseSequence. */
#include "onnx/lower/ops/data.h"
#include "onnx/lower/core/state.h"

/* ---- Gather ---- */

typedef struct Take {
  NrValue *data, *positions;
  size_t axis, depth; /* depth: rank of positions */
  const NrDim *check; /* the size of the axis, for positions that must be checked; else NULL */
} Take;

static NrValue *take_body(NrLower *l, NrValue *const *indices, void *user) {
  const Take *t = user;
  NrValue *at[NORIA_MAX_RANK];
  size_t rank = nr_rank(t->data);
  NrValue *position = nr_lower_extract(l, t->positions, indices + t->axis, t->depth);
  for (size_t i = 0; i < rank; i++)
    if (i != t->axis) at[i] = indices[i < t->axis ? i : i + t->depth - 1];
  at[t->axis] = t->check ? nr_lower_position(l, position, *t->check) : nr_lower_as_index(l, position);
  return at[t->axis] ? nr_lower_extract(l, t->data, at, rank) : NULL;
}

static NrValue *take(NrLower *l, NrValue *data, NrValue *positions, size_t axis, const NrDim *check) {
  NrShape from = nr_lower_shape(l, data), q = nr_lower_shape(l, positions), shape = {0};
  if (from.rank + q.rank > NORIA_MAX_RANK + 1)
    return nr_lower_error(l, "the result has more than %d dims", NORIA_MAX_RANK), NULL;
  for (size_t i = 0; i < axis; i++) shape.dims[shape.rank++] = from.dims[i];
  for (size_t i = 0; i < q.rank; i++) shape.dims[shape.rank++] = q.dims[i];
  for (size_t i = axis + 1; i < from.rank; i++) shape.dims[shape.rank++] = from.dims[i];
  Take t = {data, positions, axis, q.rank, check};
  return nr_lower_generate(l, &shape, data->type->elem, take_body, &t);
}

NrValue *nr_lower_take(NrLower *l, NrValue *tensor, NrValue *positions, size_t axis) {
  return take(l, tensor, positions, axis, NULL);
}

/* For one position: a slice of the tensor, without the axis or, for positions of rank > 0, with dims of 1 for it. */
static NrValue *take_one(NrLower *l, NrValue *data, NrValue *positions, size_t axis) {
  NrShape from = nr_lower_shape(l, data), shape = {0};
  NrValue *position = nr_lower_position(l, nr_lower_scalar(l, positions), from.dims[axis]);
  if (!position) return NULL;
  for (size_t i = 0; i < axis; i++) shape.dims[shape.rank++] = from.dims[i];
  for (size_t i = 0; i < nr_rank(positions); i++) shape.dims[shape.rank++] = nr_dim(1);
  for (size_t i = axis + 1; i < from.rank; i++) shape.dims[shape.rank++] = from.dims[i];
  NrDim offset = nr_dim_of_index(position);
  NrValue *elements[NR_SMALL_LIST];
  size_t count;
  bool listed = nr_dim_known(offset) && nr_lower_elements(l, data, elements, NR_SMALL_LIST, &count, false);
  if (from.rank == 1) {
    NrValue *x = listed ? elements[offset.size] : nr_lower_extract(l, data, &position, 1);
    return nr_lower_from_elements(l, nr_shape_type(l, &shape, data->type->elem), &x, 1);
  }
  return nr_lower_reshape(l, nr_lower_slice_axis(l, data, axis, offset, nr_dim(1), nr_dim(1)), &shape);
}

/* Constant positions in a short list of scalars give a list of scalars. */
static NrValue *take_list(NrLower *l, NrValue *data, NrValue *positions) {
  NrValue *elements[NR_SMALL_LIST], *taken[NR_SMALL_LIST];
  int64_t at[NR_SMALL_LIST];
  size_t count, n;
  if (nr_rank(data) != 1 || !nr_lower_const_ints(l, positions, at, NR_SMALL_LIST, &n) ||
      !nr_lower_elements(l, data, elements, NR_SMALL_LIST, &count, false))
    return NULL;
  for (size_t i = 0; i < n; i++) {
    int64_t k = at[i] < 0 ? at[i] + (int64_t)count : at[i];
    if (k < 0 || k >= (int64_t)count) return NULL;
    taken[i] = elements[k];
  }
  NrShape shape = nr_lower_shape(l, positions);
  return nr_lower_from_elements(l, nr_shape_type(l, &shape, data->type->elem), taken, n);
}

NrStatus nr_lower_gather(NrLower *l) {
  NrValue *data = nr_lower_in(l, 0), *positions = nr_lower_in(l, 1), *result;
  NoriaDType dtype = nr_lower_dtype(l, 0);
  size_t axis;
  int64_t one;
  if (!nr_dtype_is_int(nr_lower_dtype(l, 1))) return nr_lower_error(l, "indices must be integers");
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "axis"), nr_rank(data), &axis)) return NR_ERROR_INVALID;
  if ((result = take_list(l, data, positions))) return nr_lower_out(l, 0, result, dtype);
  /* Uses a slice only if it is contiguous: one along an inner axis would be copied anyway. */
  bool together = true;
  for (size_t i = 0; i < axis; i++) together &= nr_dim_is(nr_lower_dim(l, data, i), 1);
  if (together && nr_type_num_elements(positions->type, &one) && one == 1)
    return nr_lower_out(l, 0, take_one(l, data, positions, axis), dtype);
  NrDim size = nr_lower_dim(l, data, axis);
  /* For whole rows, checks the positions before; for single elements, with each element. */
  if (nr_rank(data) == 1) return nr_lower_out(l, 0, take(l, data, positions, axis, &size), dtype);
  positions = nr_lower_positions(l, positions, size);
  return nr_lower_out(l, 0, positions ? nr_lower_take(l, data, positions, axis) : NULL, dtype);
}

/* ---- GatherElements ---- */

static NrValue *elements_body(NrLower *l, NrValue *const *indices, void *user) {
  const Take *t = user;
  NrValue *at[NORIA_MAX_RANK];
  size_t rank = nr_rank(t->data);
  for (size_t i = 0; i < rank; i++) at[i] = indices[i];
  at[t->axis] = nr_lower_position(l, nr_lower_extract(l, t->positions, indices, rank), *t->check);
  return at[t->axis] ? nr_lower_extract(l, t->data, at, rank) : NULL;
}

NrStatus nr_lower_gather_elements(NrLower *l) {
  NrValue *data = nr_lower_in(l, 0), *positions = nr_lower_in(l, 1);
  size_t axis, rank = nr_rank(data);
  if (!nr_dtype_is_int(nr_lower_dtype(l, 1))) return nr_lower_error(l, "indices must be integers");
  if (nr_rank(positions) != rank)
    return nr_lower_error(l, "indices have rank %u, the data %zu", nr_rank(positions), rank);
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "axis"), rank, &axis)) return NR_ERROR_INVALID;
  NrShape shape = nr_lower_shape(l, positions);
  for (size_t i = 0; i < rank; i++)
    if (i != axis &&
        !nr_lower_fits(l, shape.dims[i], nr_lower_dim(l, data, i), "indices have %0 elements in a dim of %1"))
      return NR_ERROR_INVALID;
  NrDim size = nr_lower_dim(l, data, axis);
  Take t = {data, positions, axis, rank, &size};
  return nr_lower_out(l, 0, nr_lower_generate(l, &shape, data->type->elem, elements_body, &t), nr_lower_dtype(l, 0));
}

/* ---- GatherND ---- */

typedef struct Nd {
  NrValue *data, *positions;
  NrShape from;
  size_t batch, depth, outer; /* outer: dims of the result that come from positions */
} Nd;

static NrValue *nd_body(NrLower *l, NrValue *const *indices, void *user) {
  const Nd *n = user;
  NrValue *at[NORIA_MAX_RANK], *where[NORIA_MAX_RANK];
  for (size_t i = 0; i < n->outer; i++) where[i] = indices[i];
  for (size_t i = 0; i < n->from.rank; i++) {
    if (i < n->batch)
      at[i] = indices[i];
    else if (i >= n->batch + n->depth)
      at[i] = indices[n->outer + i - n->batch - n->depth];
    else {
      where[n->outer] = nr_lower_index(l, (int64_t)(i - n->batch));
      at[i] = nr_lower_position(l, nr_lower_extract(l, n->positions, where, n->outer + 1), n->from.dims[i]);
      if (!at[i]) return NULL;
    }
  }
  return nr_lower_extract(l, n->data, at, n->from.rank);
}

/* Asks for versions by the number of indices in a tuple, which the rank of the result depends on. */
static bool want_depth(NrLower *l, NrValue *positions, int64_t most) {
  NrType declared = l->op->num_results == 1 ? nr_op_result(l->op)->type : NULL;
  bool known = declared && nr_type_is_tensor(declared) && nr_type_is_ranked(declared);
  int64_t outer = nr_rank(positions) - 1, depth = known ? outer + most - declared->rank : 1;
  return depth >= 0 && nr_lower_want_dim(l, positions, (size_t)outer, depth, known ? NR_MIN(depth, most) : most);
}

NrStatus nr_lower_gather_nd(NrLower *l) {
  NrValue *data = nr_lower_in(l, 0), *positions = nr_lower_in(l, 1);
  NrShape from = nr_lower_shape(l, data), q = nr_lower_shape(l, positions), shape = {0};
  int64_t batch = nr_lower_attr_int(l, "batch_dims");
  if (!nr_dtype_is_int(nr_lower_dtype(l, 1))) return nr_lower_error(l, "indices must be integers");
  if (q.rank == 0 || from.rank == 0) return nr_lower_error(l, "data and indices must have dims");
  NrDim depth = q.dims[q.rank - 1];
  if (!nr_dim_known(depth) && want_depth(l, positions, (int64_t)from.rank - batch)) return NR_ERROR_INVALID;
  if (!nr_dim_known(depth))
    return nr_lower_error(
        l, "the last dim of the indices is not known before the run: the rank of the result depends on it");
  if (batch < 0 || (size_t)batch >= q.rank || (size_t)(batch + depth.size) > from.rank)
    return nr_lower_error(l, "%lld batch dims and tuples of %lld indices do not fit rank %zu", (long long)batch,
                          (long long)depth.size, from.rank);
  for (size_t i = 0; i < (size_t)batch; i++) nr_lower_check_dims_equal(l, q.dims[i], from.dims[i], "batch dims");
  for (size_t i = 0; i + 1 < q.rank; i++) shape.dims[shape.rank++] = q.dims[i];
  for (size_t i = (size_t)(batch + depth.size); i < from.rank; i++) {
    if (shape.rank == NORIA_MAX_RANK) return nr_lower_error(l, "the result has more than %d dims", NORIA_MAX_RANK);
    shape.dims[shape.rank++] = from.dims[i];
  }
  Nd n = {data, positions, from, (size_t)batch, (size_t)depth.size, q.rank - 1};
  return nr_lower_out(l, 0, nr_lower_generate(l, &shape, data->type->elem, nd_body, &n), nr_lower_dtype(l, 0));
}

/* ---- ReverseSequence ---- */

typedef struct Reverse {
  NrValue *data, *lengths;
  size_t time, batch;
} Reverse;

static NrValue *reverse_body(NrLower *l, NrValue *const *indices, void *user) {
  const Reverse *r = user;
  NrValue *at[NORIA_MAX_RANK], *t = indices[r->time];
  for (size_t i = 0; i < nr_rank(r->data); i++) at[i] = indices[i];
  NrValue *length = nr_lower_as_index(l, nr_lower_extract(l, r->lengths, &indices[r->batch], 1));
  NrValue *last = nr_lower_sub(l, length, nr_lower_index(l, 1));
  at[r->time] = nr_lower_select(l, nr_lower_cmpi(l, NR_CMPI_SLT, t, length), nr_lower_sub(l, last, t), t);
  return nr_lower_extract(l, r->data, at, nr_rank(r->data));
}

static NrValue *length_body(NrLower *l, NrValue *const *args, void *user) {
  const NrDim *size = user;
  NrValue *length = nr_lower_as_index(l, args[0]), *end = nr_dim_value(l, *size);
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_ULE, length, end), "a sequence of length %0 in a dim of %1",
                 (NrValue *[]){length, end}, 2);
  return args[0];
}

NrStatus nr_lower_reverse_sequence(NrLower *l) {
  NrValue *data = nr_lower_in(l, 0), *lengths = nr_lower_in(l, 1);
  Reverse r = {.data = data};
  if (nr_rank(lengths) != 1) return nr_lower_error(l, "the lengths must have rank 1, not %u", nr_rank(lengths));
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "time_axis"), nr_rank(data), &r.time) ||
      !nr_lower_axis(l, nr_lower_attr_int(l, "batch_axis"), nr_rank(data), &r.batch))
    return NR_ERROR_INVALID;
  NrShape shape = nr_lower_shape(l, data);
  nr_lower_check_dims_equal(l, nr_lower_dim(l, lengths, 0), shape.dims[r.batch], "lengths, and the batch");
  r.lengths = nr_lower_map(l, &lengths, 1, NULL, length_body, &shape.dims[r.time]);
  if (!r.lengths) return NR_ERROR_INVALID;
  return nr_lower_out(l, 0, nr_lower_generate(l, &shape, data->type->elem, reverse_body, &r), nr_lower_dtype(l, 0));
}
