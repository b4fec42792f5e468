/* vectors_rows.c - the rows of a value in lower-vectors, and ops on rows; see lower_vectors.h. */
#include "pass/expand/lower_vectors.h"

typedef NrRows R;
typedef NrValue *V;

/* ---- types ------------------------------------------------------------------------------------------------------ */

bool nr_rows_has(NrType type) { return type->kind == NR_TYPE_VECTOR && !type->scalable && type->rank != 1; }

uint32_t nr_rows_dims(NrType vector) { return vector->rank ? vector->rank - 1 : 0; }

int64_t nr_rows_lanes(NrType vector) { return vector->rank ? vector->dims[vector->rank - 1] : 1; }

size_t nr_rows_count(NrType vector) {
  size_t n = 1;
  for (uint32_t d = 0; d < nr_rows_dims(vector); d++) n *= (size_t)vector->dims[d];
  return n;
}

NrType nr_rows_type(NrType vector) {
  if (vector->kind != NR_TYPE_VECTOR || vector->rank == 1) return vector;
  int64_t lanes = nr_rows_lanes(vector);
  return nr_type_vector(&lanes, 1, vector->elem);
}

void nr_rows_place(NrType vector, size_t row, int64_t *out_at) {
  for (uint32_t d = nr_rows_dims(vector); d-- > 0;) {
    size_t dim = (size_t)vector->dims[d];
    out_at[d] = (int64_t)(row % dim);
    row /= dim;
  }
}

size_t nr_rows_number(NrType vector, const int64_t *at) {
  size_t n = 0;
  for (uint32_t d = 0; d < nr_rows_dims(vector); d++) n = n * (size_t)vector->dims[d] + (size_t)at[d];
  return n;
}

/* ---- ops on rows ------------------------------------------------------------------------------------------------ */

V nr_rows_index(R *r, int64_t value) {
  return nr_expand_constant(&r->x, nr_type_index(r->x.b.ctx), nr_attr_index(r->x.b.ctx, value));
}

V nr_rows_poison(R *r, NrType type) { return nr_build_value(&r->x.b, NR_OP_ub_poison, type, NULL, 0); }

V nr_rows_lane(R *r, V row, int64_t lane) {
  NrIndex at = nr_index_const(lane);
  return nr_build_vector_extract(&r->x.b, row, &at, 1);
}

V nr_rows_with_lane(R *r, V row, V item, int64_t lane) {
  NrIndex at = nr_index_const(lane);
  return nr_build_vector_insert(&r->x.b, item, row, &at, 1);
}

V nr_rows_splat(R *r, V scalar, NrType row) { return nr_build_broadcast(&r->x.b, scalar, row); }

V nr_rows_shuffle(R *r, V a, V b, const int64_t *lanes, size_t count) {
  NrType type = nr_type_vector(&(int64_t){(int64_t)count}, 1, a->type->elem);
  V args[] = {a, b ? b : a};
  V out = nr_build_value(&r->x.b, NR_OP_vector_shuffle, type, args, 2);
  nr_op_set_attr(out->op, NR_A_mask, nr_attr_i64_array(r->x.b.ctx, lanes, count));
  return out;
}

V nr_rows_slice(R *r, V row, int64_t begin, int64_t count, int64_t step) {
  if (begin == 0 && step == 1 && count == row->type->dims[0]) return row;
  int64_t *lanes = NR_NEW_ARRAY(r->arena, int64_t, (size_t)count);
  for (int64_t i = 0; i < count; i++) lanes[i] = begin + i * step;
  return nr_rows_shuffle(r, row, NULL, lanes, (size_t)count);
}

V nr_rows_add(R *r, V index, int64_t constant) {
  if (!constant) return index;
  V args[] = {index, nr_rows_index(r, constant)};
  V sum = nr_build_value(&r->x.b, NR_OP_arith_addi, index->type, args, 2);
  nr_op_set_attr(sum->op, NR_A_overflowFlags, nr_arith_overflow_attr(r->x.b.ctx, NR_OVERFLOW_NSW));
  return sum;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

V *nr_rows_new(R *r, size_t count) { return NR_NEW_ARRAY(r->arena, V, count ? count : 1); }

V nr_rows_now(R *r, V value) {
  for (V next; (next = nr_map_get(&r->now, value));) value = next;
  return value;
}

/* Extracts the rows right after the definition of vector, so that they dominate all its uses. */
static V *read_rows(R *r, V vector) {
  NrBuilder here = r->x.b;
  NrType type = vector->type;
  size_t count = nr_rows_count(type);
  V *rows = nr_rows_new(r, count);
  r->x.b = vector->op ? nr_builder_after(vector->op) : nr_builder_at_start(here.module, vector->block, here.loc);
  for (size_t i = 0; i < count; i++) {
    int64_t at[NR_MAX_RANK];
    NrIndex position[NR_MAX_RANK];
    nr_rows_place(type, i, at);
    for (uint32_t d = 0; d < nr_rows_dims(type); d++) position[d] = nr_index_const(at[d]);
    rows[i] = nr_build_vector_extract(&r->x.b, vector, position, nr_rows_dims(type));
    if (!type->rank) rows[i] = nr_rows_splat(r, rows[i], nr_rows_type(type));
  }
  r->x.b = here;
  return rows;
}

V *nr_rows_of(R *r, V vector) {
  if (!nr_rows_has(vector->type)) {
    V *row = nr_rows_new(r, 1);
    row[0] = nr_rows_now(r, vector);
    return row;
  }
  V *rows = nr_map_get(&r->rows, vector);
  if (!rows) nr_map_set(&r->rows, vector, rows = read_rows(r, vector));
  for (size_t i = 0, count = nr_rows_count(vector->type); i < count; i++) rows[i] = nr_rows_now(r, rows[i]);
  return rows;
}

static void replace(R *r, V from, V to) {
  if (from == to) return;
  nr_value_replace_uses(from, to);
  nr_map_set(&r->now, from, to);
}

void nr_rows_set(R *r, V result, V *rows) {
  if (!nr_rows_has(result->type)) {
    replace(r, result, rows[0]);
    return;
  }
  V *old = nr_map_get(&r->rows, result); /* extracted for a user that was lowered before this op */
  for (size_t i = 0, count = nr_rows_count(result->type); old && i < count; i++) {
    NrOp *reads = old[i]->op;
    replace(r, old[i], rows[i]);
    nr_vec_push(&r->done, reads);
    if (!result->type->rank) nr_vec_push(&r->done, nr_vector_broadcast_source(reads)->op); /* the vector.extract */
  }
  nr_map_set(&r->rows, result, rows);
}

V nr_rows_join(R *r, V vector, NrOp *op) {
  NrType type = vector->type;
  size_t count = nr_rows_count(type);
  V *rows = nr_rows_of(r, vector);
  nr_expand_at(&r->x, op);
  if (!type->rank) return nr_rows_splat(r, nr_rows_lane(r, rows[0], 0), type);
  V out = nr_rows_poison(r, type);
  for (size_t i = 0; i < count; i++) {
    int64_t at[NR_MAX_RANK];
    NrIndex position[NR_MAX_RANK];
    nr_rows_place(type, i, at);
    for (uint32_t d = 0; d < nr_rows_dims(type); d++) position[d] = nr_index_const(at[d]);
    out = nr_build_vector_insert(&r->x.b, rows[i], out, position, nr_rows_dims(type));
  }
  return out;
}
