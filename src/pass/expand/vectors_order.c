/* vectors_order.c - ops that rearrange the elements of vectors, and that combine them, in lower-vectors. */
#include "dialect/arith/combine.h"
#include "pass/expand/lower_vectors.h"

typedef NrRows R;
typedef NrValue *V;

/* ---- shuffles --------------------------------------------------------------------------------------------------- */

/* row extended to `lanes` lanes; the new ones may have any value. */
static V grown(R *r, V row, int64_t lanes) {
  int64_t have = row->type->dims[0], *order = NR_NEW_ARRAY(r->arena, int64_t, (size_t)lanes);
  if (have == lanes) return row;
  for (int64_t i = 0; i < lanes; i++) order[i] = i < have ? i : -1;
  return nr_rows_shuffle(r, row, NULL, order, (size_t)lanes);
}

static V shuffled_lanes(R *r, V a, V b, const int64_t *order, size_t count) {
  int64_t have = a->type->dims[0], lanes = NR_MAX(have, b->type->dims[0]);
  int64_t *moved = NR_NEW_ARRAY(r->arena, int64_t, count);
  for (size_t i = 0; i < count; i++) moved[i] = order[i] < have ? order[i] : order[i] - have + lanes;
  return nr_rows_shuffle(r, grown(r, a, lanes), grown(r, b, lanes), moved, count);
}

/* A shuffle of 1-D vectors of equal length stays. Other 1-D vectors are shuffled by lanes, vectors of more dims by
 * whole rows. */
NrStatus nr_rows_shuffled(R *r, NrOp *op) {
  V a = nr_vector_shuffle_v1(op), b = nr_vector_shuffle_v2(op), result = nr_op_result(op);
  size_t count = nr_index_list_size(op, NR_A_mask->text);
  const int64_t *order = nr_index_list_statics(op, NR_A_mask->text);
  r->keep = a->type == b->type && a->type->rank == 1;
  if (r->keep) return NR_OK;
  V *left = nr_rows_of(r, a), *right = nr_rows_of(r, b);
  if (a->type->rank < 2) {
    V out = shuffled_lanes(r, left[0], right[0], order, count);
    nr_rows_set(r, result, &out);
    return NR_OK;
  }
  size_t each = nr_rows_count(result->type) / count, split = (size_t)a->type->dims[0];
  V *out = nr_rows_new(r, count * each), none = NULL;
  for (size_t i = 0; i < count; i++) {
    size_t at = order[i] < 0 ? 0 : (size_t)order[i];
    if (order[i] < 0 && !none) none = nr_rows_poison(r, nr_rows_type(result->type));
    for (size_t k = 0; k < each; k++)
      out[i * each + k] = order[i] < 0 ? none : at < split ? left[at * each + k] : right[(at - split) * each + k];
  }
  nr_rows_set(r, result, out);
  return NR_OK;
}

NrStatus nr_rows_interleave(R *r, NrOp *op) {
  V lhs = nr_vector_interleave_lhs(op), rhs = nr_vector_interleave_rhs(op);
  NrType type = lhs->type;
  int64_t lanes = nr_rows_lanes(type), *order = NR_NEW_ARRAY(r->arena, int64_t, 2 * (size_t)lanes);
  size_t count = nr_rows_count(type);
  V *a = nr_rows_of(r, lhs), *b = nr_rows_of(r, rhs), *out = nr_rows_new(r, count);
  for (int64_t i = 0; i < 2 * lanes; i++) order[i] = i / 2 + (i % 2 ? lanes : 0);
  for (size_t i = 0; i < count; i++) out[i] = nr_rows_shuffle(r, a[i], b[i], order, 2 * (size_t)lanes);
  nr_rows_set(r, nr_op_result(op), out);
  return NR_OK;
}

NrStatus nr_rows_deinterleave(R *r, NrOp *op) {
  V results[] = {nr_vector_deinterleave_even(op), nr_vector_deinterleave_odd(op)};
  NrType to = results[0]->type;
  size_t count = nr_rows_count(to);
  V *in = nr_rows_of(r, nr_vector_deinterleave_source(op));
  for (uint32_t half = 0; half < 2; half++) {
    V *out = nr_rows_new(r, count);
    for (size_t i = 0; i < count; i++) out[i] = nr_rows_slice(r, in[i], half, nr_rows_lanes(to), 2);
    nr_rows_set(r, results[half], out);
  }
  return NR_OK;
}

/* ---- the same elements in other rows ---------------------------------------------------------------------------- */

static V joined(R *r, V a, V b) {
  size_t lanes = (size_t)a->type->dims[0];
  int64_t *order = NR_NEW_ARRAY(r->arena, int64_t, 2 * lanes);
  for (size_t i = 0; i < 2 * lanes; i++) order[i] = (int64_t)i;
  return nr_rows_shuffle(r, a, b, order, 2 * lanes);
}

/* Returns which element of a list of rows goes to lane `lane` of row `row`. */
typedef size_t (*LaneFn)(const void *user, size_t row, size_t lane);

static void lane_by_lane(R *r, V *in, int64_t from, NrType type, V *out, size_t count, LaneFn item, const void *user) {
  for (size_t i = 0; i < count; i++) {
    out[i] = nr_rows_poison(r, type);
    for (int64_t k = 0; k < type->dims[0]; k++) {
      size_t at = item(user, i, (size_t)k);
      V lane = nr_rows_lane(r, in[at / (size_t)from], (int64_t)(at % (size_t)from));
      out[i] = nr_rows_with_lane(r, out[i], lane, k);
    }
  }
}

static size_t in_order(const void *user, size_t row, size_t lane) { return row * *(const size_t *)user + lane; }

/* Rows are sliced if their length is a multiple of the new length, joined by shuffles if the new length is a power
 * of two times theirs, and else built lane by lane. */
NrStatus nr_rows_shape_cast(R *r, NrOp *op) {
  V source = nr_vector_shape_cast_source(op), result = nr_op_result(op);
  NrType type = nr_rows_type(result->type);
  size_t have = nr_rows_count(source->type), count = nr_rows_count(result->type);
  size_t from = (size_t)nr_rows_lanes(source->type), to = (size_t)nr_rows_lanes(result->type);
  size_t each = to % from == 0 ? to / from : 0;
  V *in = nr_rows_new(r, have), *out = nr_rows_new(r, count);
  memcpy(in, nr_rows_of(r, source), have * sizeof *in);
  if (from % to == 0) {
    for (size_t i = 0; i < count; i++)
      out[i] = nr_rows_slice(r, in[i * to / from], (int64_t)(i * to % from), (int64_t)to, 1);
  } else if (each && (each & (each - 1)) == 0) {
    for (size_t width = 1; width < each; width *= 2)
      for (size_t i = 0; i < have; i += 2 * width) in[i] = joined(r, in[i], in[i + width]);
    for (size_t i = 0; i < count; i++) out[i] = in[i * each];
  } else {
    lane_by_lane(r, in, (int64_t)from, type, out, count, in_order, &to);
  }
  nr_rows_set(r, result, out);
  return NR_OK;
}

/* ---- transposing ------------------------------------------------------------------------------------------------ */

typedef struct Transposed {
  NrType from, to;
  const int64_t *order; /* dim d of to is dim order[d] of from */
} Transposed;

/* The number of the element of `from` that goes to lane `lane` of row `row` of `to`. */
static size_t source_of(const void *user, size_t row, size_t lane) {
  const Transposed *t = user;
  int64_t place[NR_MAX_RANK], at[NR_MAX_RANK];
  size_t number = 0;
  nr_rows_place(t->to, row, place);
  place[t->to->rank - 1] = (int64_t)lane;
  for (uint32_t d = 0; d < t->to->rank; d++) at[t->order[d]] = place[d];
  for (uint32_t d = 0; d < t->from->rank; d++) number = number * (size_t)t->from->dims[d] + (size_t)at[d];
  return number;
}

/* Transposes n rows of n lanes, n a power of two, by log2(n) stages of interleaving shuffles. */
static void square(R *r, V *rows, size_t n, V *out) {
  int64_t *low = NR_NEW_ARRAY(r->arena, int64_t, n), *high = NR_NEW_ARRAY(r->arena, int64_t, n);
  V *now = nr_rows_new(r, n);
  memcpy(now, rows, n * sizeof *now);
  for (size_t i = 0; i < n; i++) {
    low[i] = (int64_t)(i / 2 + (i % 2 ? n : 0));
    high[i] = low[i] + (int64_t)(n / 2);
  }
  for (size_t stage = 1; stage < n; stage *= 2) {
    for (size_t i = 0; i < n / 2; i++) {
      out[2 * i] = nr_rows_shuffle(r, now[i], now[i + n / 2], low, n);
      out[2 * i + 1] = nr_rows_shuffle(r, now[i], now[i + n / 2], high, n);
    }
    memcpy(now, out, n * sizeof *now);
  }
  memcpy(out, now, n * sizeof *out);
}

NrStatus nr_rows_transpose(R *r, NrOp *op) {
  V source = nr_vector_transpose_vector(op), result = nr_op_result(op);
  Transposed t = {source->type, result->type, nr_index_list_statics(op, NR_A_permutation->text)};
  uint32_t rank = t.to->rank;
  size_t count = nr_rows_count(t.to), lanes = (size_t)nr_rows_lanes(t.from);
  V *in = nr_rows_of(r, source), *out = nr_rows_new(r, count);
  bool is_square = rank == 2 && t.from->dims[0] == t.from->dims[1] && (lanes & (lanes - 1)) == 0;
  if (rank < 2 || t.order[rank - 1] == (int64_t)rank - 1) { /* the last dim stays last: rows move as a whole */
    for (size_t i = 0; i < count; i++) out[i] = in[rank ? source_of(&t, i, 0) / lanes : 0];
  } else if (is_square) {
    square(r, in, lanes, out);
  } else {
    lane_by_lane(r, in, (int64_t)lanes, nr_rows_type(t.to), out, count, source_of, &t);
  }
  nr_rows_set(r, result, out);
  return NR_OK;
}

/* ---- reductions along some dims --------------------------------------------------------------------------------- */

/* The number of the result's row that row `row` is combined with, or of the result's element where the last dim is
 * reduced too. */
static size_t target_of(NrType type, size_t row, const bool *reduced) {
  int64_t at[NR_MAX_RANK];
  size_t number = 0;
  nr_rows_place(type, row, at);
  for (uint32_t d = 0; d < nr_rows_dims(type); d++)
    if (!reduced[d]) number = number * (size_t)type->dims[d] + (size_t)at[d];
  return number;
}

static V reduced_row(R *r, NrOp *op, V row, V acc) {
  V operands[] = {row, acc};
  V out = nr_build_value(&r->x.b, NR_OP_vector_reduction, row->type->elem, operands, 2);
  nr_op_set_attr(out->op, NR_A_kind, nr_op_attr(op, NR_A_kind));
  return out;
}

NrStatus nr_rows_multi_reduction(R *r, NrOp *op) {
  V source = nr_vector_multi_reduction_source(op), acc = nr_vector_multi_reduction_acc(op), result = nr_op_result(op);
  NrType type = source->type, to = result->type;
  unsigned combine = nr_combine_of_vector(nr_vector_kind(op), nr_type_is_float(type->elem))->op_id;
  bool reduced[NR_MAX_RANK] = {0}, is_vector = to->kind == NR_TYPE_VECTOR;
  const int64_t *dims = nr_index_list_statics(op, NR_A_reduction_dims->text);
  for (size_t i = 0; i < nr_index_list_size(op, NR_A_reduction_dims->text); i++) reduced[dims[i]] = true;
  size_t to_rows = is_vector ? nr_rows_count(to) : 1, lanes = is_vector ? (size_t)nr_rows_lanes(to) : 1;
  V *in = nr_rows_of(r, source), *out = nr_rows_new(r, to_rows);
  memcpy(out, nr_rows_of(r, acc), to_rows * sizeof *out);
  for (size_t i = 0, n = nr_rows_count(type); i < n; i++) {
    size_t at = target_of(type, i, reduced);
    if (!type->rank || !reduced[type->rank - 1]) {
      out[at] = nr_expand_two(&r->x, combine, out[at], in[i]);
    } else if (!is_vector) {
      out[0] = reduced_row(r, op, in[i], out[0]);
    } else {
      V *row = &out[at / lanes], item = nr_rows_lane(r, *row, (int64_t)(at % lanes));
      *row = nr_rows_with_lane(r, *row, reduced_row(r, op, in[i], item), (int64_t)(at % lanes));
    }
  }
  nr_rows_set(r, result, out);
  return NR_OK;
}
