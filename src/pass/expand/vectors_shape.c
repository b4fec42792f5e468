/* vectors_shape.c - ops that take vectors apart and put them together, in lower-vectors. */
#include "dialect/memref/memref.h"
#include "pass/expand/lower_vectors.h"
#include "pass/core/rewrite.h"

typedef NrRows R;
typedef NrValue *V;

/* ---- making and taking apart ------------------------------------------------------------------------------------ */

/* The row of `from` that a broadcast repeats as row `row` of `to`. The dims of from are the last ones of to, or 1. */
static size_t repeated_row(NrType from, NrType to, size_t row) {
  int64_t at[NR_MAX_RANK], source[NR_MAX_RANK];
  uint32_t more = nr_rows_dims(to) - nr_rows_dims(from);
  nr_rows_place(to, row, at);
  for (uint32_t d = 0; d < nr_rows_dims(from); d++) source[d] = from->dims[d] == 1 ? 0 : at[d + more];
  return nr_rows_number(from, source);
}

NrStatus nr_rows_broadcast(R *r, NrOp *op) {
  V source = nr_vector_broadcast_source(op);
  NrType from = source->type, to = nr_op_result(op)->type, type = nr_rows_type(to);
  bool is_vector = from->kind == NR_TYPE_VECTOR;
  r->keep = !is_vector && !nr_rows_has(to);
  if (r->keep) return NR_OK;
  size_t count = nr_rows_count(to);
  V *rows = nr_rows_new(r, count), *in = nr_rows_of(r, source);
  bool grows = !is_vector || nr_rows_lanes(from) != nr_rows_lanes(to);
  V *wide = nr_rows_new(r, is_vector ? nr_rows_count(from) : 1);
  memset(wide, 0, (is_vector ? nr_rows_count(from) : 1) * sizeof *wide);
  for (size_t i = 0; i < count; i++) {
    size_t at = is_vector ? repeated_row(from, to, i) : 0;
    if (!wide[at]) wide[at] = grows ? nr_rows_splat(r, is_vector ? nr_rows_lane(r, in[at], 0) : in[0], type) : in[at];
    rows[i] = wide[at];
  }
  nr_rows_set(r, nr_op_result(op), rows);
  return NR_OK;
}

NrStatus nr_rows_from_elements(R *r, NrOp *op) {
  NrGroup elements = nr_vector_from_elements_elements(op);
  NrType type = nr_op_result(op)->type;
  size_t count = nr_rows_count(type), lanes = (size_t)nr_rows_lanes(type);
  V *rows = nr_rows_new(r, count);
  for (size_t i = 0; i < count; i++) {
    rows[i] = nr_rows_poison(r, nr_rows_type(type));
    for (size_t k = 0; k < lanes; k++)
      rows[i] = nr_rows_with_lane(r, rows[i], nr_operand(op, elements.begin + i * lanes + k), (int64_t)k);
  }
  nr_rows_set(r, nr_op_result(op), rows);
  return NR_OK;
}

NrStatus nr_rows_to_elements(R *r, NrOp *op) {
  V source = nr_vector_to_elements_source(op), *rows = nr_rows_of(r, source);
  size_t lanes = (size_t)nr_rows_lanes(source->type);
  for (uint32_t i = 0; i < op->num_results; i++) {
    V item = nr_rows_lane(r, rows[i / lanes], (int64_t)(i % lanes));
    nr_rows_set(r, nr_result(op, i), &item);
  }
  return NR_OK;
}

/* ---- positions -------------------------------------------------------------------------------------------------- */

/* A position in a vector: that of one row, of several consecutive rows, or of a lane of a row. */
typedef struct Position {
  NrType type;
  NrIndex at[NR_MAX_RANK];
  size_t count;
  size_t first, rows; /* when fixed: the rows that it covers */
  bool fixed;         /* all entries but that of the lane are constants within bounds */
  bool has_lane;
} Position;

static Position read_position(NrOp *op, NrIndexListSlot slot, NrType type) {
  Position p = {.type = type, .fixed = true, .rows = 1};
  p.count = nr_index_list_all(op, slot, p.at);
  p.has_lane = type->rank && p.count == type->rank;
  for (uint32_t d = 0; d < nr_rows_dims(type); d++) {
    NrIndex at = nr_index_const(0);
    if (d < p.count) at = p.at[d] = p.at[d].value ? nr_index_of(p.at[d].value) : p.at[d];
    p.fixed &= !at.value && at.constant >= 0 && at.constant < type->dims[d];
    p.first = p.first * (size_t)type->dims[d] + (size_t)at.constant;
    if (d >= p.count) p.rows *= (size_t)type->dims[d];
  }
  return p;
}

/* Stores all rows of a vector to a buffer on the stack, for positions that are known at run time only. Returns the
 * buffer. */
static V spill(R *r, NrOp *op, V vector) {
  NrType type = vector->type;
  size_t count = nr_rows_count(type);
  NrIndex dims[] = {nr_index_const((int64_t)count), nr_index_const(nr_rows_lanes(type))};
  NrBuilder b = nr_builder_at_start(op->module, nr_isolated_region(op)->first, op->loc);
  V slot = nr_build_alloc(&b, NR_OP_memref_alloca, type->elem, dims, 2);
  nr_op_set_attr(slot->op, NR_A_alignment, nr_attr_i64(b.ctx, 64));
  V *rows = nr_rows_of(r, vector);
  for (size_t i = 0; i < count; i++)
    nr_build_vector_store(&r->x.b, rows[i], slot, (V[]){nr_rows_index(r, (int64_t)i), nr_rows_index(r, 0)}, 2);
  return slot;
}

/* The number of the first row at a position. */
static V row_number(R *r, const Position *p) {
  NrIndex number = nr_index_const(0);
  for (uint32_t d = 0; d < nr_rows_dims(p->type); d++) {
    NrIndex at = d < p->count ? p->at[d] : nr_index_const(0);
    number = nr_index_add(&r->x.b, nr_index_mul(&r->x.b, number, nr_index_const(p->type->dims[d])), at);
  }
  return nr_index_value(&r->x.b, number);
}

static V load_row(R *r, NrType type, V slot, V number) {
  return nr_build_vector_load(&r->x.b, type, slot, (V[]){number, nr_rows_index(r, 0)}, 2);
}

/* Loads count rows from memory, beginning with row `first`. */
static void load_rows(R *r, NrType type, V slot, V first, size_t count, V *out) {
  for (size_t i = 0; i < count; i++) out[i] = load_row(r, type, slot, nr_rows_add(r, first, (int64_t)i));
}

static V lane_at(const Position *p, R *r, V row) {
  NrIndex lane = p->type->rank ? p->at[p->count - 1] : nr_index_const(0);
  return nr_build_vector_extract(&r->x.b, row, &lane, 1);
}

static V with_lane_at(const Position *p, R *r, V row, V item) {
  NrIndex lane = p->type->rank ? p->at[p->count - 1] : nr_index_const(0);
  return nr_build_vector_insert(&r->x.b, item, row, &lane, 1);
}

NrStatus nr_rows_extract(R *r, NrOp *op) {
  V source = nr_vector_extract_source(op), result = nr_op_result(op), *rows;
  NrType type = source->type;
  r->keep = !nr_rows_has(type) && result->type->kind != NR_TYPE_VECTOR;
  if (r->keep) return NR_OK;
  Position p = read_position(op, nr_vector_extract_slot, type);
  if (p.fixed) {
    rows = nr_rows_of(r, source) + p.first;
  } else {
    V slot = spill(r, op, source);
    rows = nr_rows_new(r, p.rows);
    load_rows(r, nr_rows_type(type), slot, row_number(r, &p), p.rows, rows);
  }
  V item = result->type->kind == NR_TYPE_VECTOR ? NULL : lane_at(&p, r, rows[0]);
  nr_rows_set(r, result, item ? &item : rows);
  return NR_OK;
}

/* The rows of dest with value inserted at the position: dest is stored to a buffer, value over it, and all is read
 * back. */
static V *stored_over(R *r, NrOp *op, const Position *p) {
  V value = nr_vector_insert_value(op), dest = nr_vector_insert_dest(op);
  V slot = spill(r, op, dest), first = row_number(r, p);
  NrType row = nr_rows_type(p->type);
  size_t count = nr_rows_count(p->type);
  V with_lane = p->has_lane ? with_lane_at(p, r, load_row(r, row, slot, first), value) : NULL;
  V *items = with_lane ? &with_lane : nr_rows_of(r, value), *out = nr_rows_new(r, count);
  for (size_t i = 0; i < p->rows; i++)
    nr_build_vector_store(&r->x.b, items[i], slot, (V[]){nr_rows_add(r, first, (int64_t)i), nr_rows_index(r, 0)}, 2);
  load_rows(r, row, slot, nr_rows_index(r, 0), count, out);
  return out;
}

NrStatus nr_rows_insert(R *r, NrOp *op) {
  V value = nr_vector_insert_value(op), dest = nr_vector_insert_dest(op);
  NrType type = dest->type;
  r->keep = !nr_rows_has(type) && value->type->kind != NR_TYPE_VECTOR;
  if (r->keep) return NR_OK;
  Position p = read_position(op, nr_vector_insert_slot, type);
  V *out;
  if (p.fixed) {
    size_t count = nr_rows_count(type);
    out = nr_rows_new(r, count);
    memcpy(out, nr_rows_of(r, dest), count * sizeof *out);
    if (value->type->kind == NR_TYPE_VECTOR) memcpy(out + p.first, nr_rows_of(r, value), p.rows * sizeof *out);
    else out[p.first] = with_lane_at(&p, r, out[p.first], value);
  } else {
    out = stored_over(r, op, &p);
  }
  nr_rows_set(r, nr_op_result(op), out);
  return NR_OK;
}

/* ---- strided slices --------------------------------------------------------------------------------------------- */

NrStatus nr_rows_extract_slice(R *r, NrOp *op) {
  V source = nr_vector_extract_strided_slice_source(op), result = nr_op_result(op);
  NrType from = source->type, to = result->type;
  NrAttr offsets = nr_op_attr(op, NR_A_offsets), sizes = nr_op_attr(op, NR_A_sizes);
  NrAttr strides = nr_op_attr(op, NR_A_strides);
  uint32_t last = from->rank - 1;
  size_t count = nr_rows_count(to);
  V *in = nr_rows_of(r, source), *out = nr_rows_new(r, count);
  for (size_t i = 0; i < count; i++) {
    int64_t at[NR_MAX_RANK];
    nr_rows_place(to, i, at);
    for (uint32_t d = 0; d < last && d < offsets->size; d++)
      at[d] = nr_vector_entry(offsets, d) + at[d] * nr_vector_entry(strides, d);
    out[i] = in[nr_rows_number(from, at)];
    if (last < offsets->size)
      out[i] = nr_rows_slice(r, out[i], nr_vector_entry(offsets, last), nr_vector_entry(sizes, last),
                             nr_vector_entry(strides, last));
  }
  nr_rows_set(r, result, out);
  return NR_OK;
}

/* `into` with the lanes of item in place of its lanes begin, begin + step, .. */
static V overlaid(R *r, V into, V item, int64_t begin, int64_t step) {
  int64_t lanes = into->type->dims[0], count = item->type->dims[0];
  if (lanes == count) return item;
  int64_t *grow = NR_NEW_ARRAY(r->arena, int64_t, (size_t)lanes),
          *order = NR_NEW_ARRAY(r->arena, int64_t, (size_t)lanes);
  for (int64_t i = 0; i < lanes; i++) order[i] = i, grow[i] = i < count ? i : -1;
  for (int64_t i = 0; i < count; i++) order[begin + i * step] = lanes + i;
  return nr_rows_shuffle(r, into, nr_rows_shuffle(r, item, NULL, grow, (size_t)lanes), order, (size_t)lanes);
}

/* The dims of value correspond to the last dims of dest. */
NrStatus nr_rows_insert_slice(R *r, NrOp *op) {
  V value = nr_vector_insert_strided_slice_value(op), dest = nr_vector_insert_strided_slice_dest(op);
  NrType from = value->type, to = dest->type;
  NrAttr offsets = nr_op_attr(op, NR_A_offsets), strides = nr_op_attr(op, NR_A_strides);
  uint32_t more = to->rank - from->rank, last = to->rank - 1;
  size_t count = nr_rows_count(to);
  V *in = nr_rows_of(r, value), *out = nr_rows_new(r, count);
  memcpy(out, nr_rows_of(r, dest), count * sizeof *out);
  for (size_t i = 0, n = nr_rows_count(from); i < n; i++) {
    int64_t place[NR_MAX_RANK], at[NR_MAX_RANK];
    nr_rows_place(from, i, place);
    for (uint32_t d = 0; d < last; d++) {
      at[d] = nr_vector_entry(offsets, d);
      if (d >= more) at[d] += place[d - more] * nr_vector_entry(strides, d - more);
    }
    V *row = &out[nr_rows_number(to, at)];
    *row = overlaid(r, *row, in[i], nr_vector_entry(offsets, last), nr_vector_entry(strides, last - more));
  }
  nr_rows_set(r, nr_op_result(op), out);
  return NR_OK;
}
