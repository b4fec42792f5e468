/* vectors_memory.c - ops that read and write memrefs, in lower-vectors. Each row becomes one access, to contiguous
 * lanes or to lanes that lie apart, with or without a mask. */
#include "dialect/memref/memref.h"
#include "dialect/operands.h"
#include "pass/expand/lower_vectors.h"

typedef NrRows R;
typedef NrValue *V;

enum { TAIL = 3 }; /* the most operands that an access has after the indices */

/* ---- one row ---------------------------------------------------------------------------------------------------- */

/* Whether consecutive lanes of the vector are not contiguous in memory. */
static bool lies_apart(const NrRowAccess *a) {
  int64_t strides[NR_MAX_RANK], offset;
  NrType memref = a->base->type;
  return memref->rank && nr_rows_lanes(a->vector) > 1 && nr_memref_strides(memref, strides, &offset) &&
         strides[memref->rank - 1] != 1;
}

static NrType mask_type(const NrRowAccess *a) {
  return nr_type_with_elem(nr_rows_type(a->vector), nr_type_i1(a->vector->ctx));
}

static V all_lanes(R *r, const NrRowAccess *a) {
  return nr_expand_constant(&r->x, mask_type(a), nr_attr_bool(r->x.b.ctx, true));
}

/* Builds an op on base[indices]; `tail` are the operands after the indices. */
static NrOp *access(R *r, const NrRowAccess *a, unsigned id, V const *tail, size_t count, NrType result) {
  V operands[1 + NR_MAX_RANK + TAIL] = {a->base};
  size_t rank = a->base->type->rank;
  if (rank) memcpy(operands + 1, a->indices, rank * sizeof *operands);
  memcpy(operands + 1 + rank, tail, count * sizeof *operands);
  return nr_build_op(&r->x.b, id, operands, 1 + rank + count, &result, result ? 1 : 0);
}

static V lane_numbers(R *r, const NrRowAccess *a) {
  NrType type = nr_type_with_elem(nr_rows_type(a->vector), nr_type_index(a->vector->ctx));
  return nr_build_value(&r->x.b, NR_OP_vector_step, type, NULL, 0);
}

static V read_row(R *r, const NrRowAccess *a, V mask, V rest) {
  NrType type = nr_rows_type(a->vector);
  size_t rank = a->base->type->rank;
  bool apart = lies_apart(a);
  if (!mask && !rank) return nr_rows_splat(r, nr_build_load(&r->x.b, a->base, NULL, 0), type);
  if (!mask && !apart) return nr_build_vector_load(&r->x.b, type, a->base, a->indices, rank);
  if (!mask) mask = all_lanes(r, a);
  if (!rest) rest = nr_rows_poison(r, type);
  if (apart) return nr_op_result(access(r, a, NR_OP_vector_gather, (V[]){lane_numbers(r, a), mask, rest}, 3, type));
  return nr_op_result(access(r, a, NR_OP_vector_maskedload, (V[]){mask, rest}, 2, type));
}

static void write_row(R *r, const NrRowAccess *a, V mask, V row) {
  size_t rank = a->base->type->rank;
  bool apart = lies_apart(a);
  if (!mask && !rank) nr_build_store(&r->x.b, nr_rows_lane(r, row, 0), a->base, NULL, 0);
  else if (!mask && !apart) nr_build_vector_store(&r->x.b, row, a->base, a->indices, rank);
  else if (!apart) access(r, a, NR_OP_vector_maskedstore, (V[]){mask, row}, 2, NULL);
  else access(r, a, NR_OP_vector_scatter, (V[]){lane_numbers(r, a), mask ? mask : all_lanes(r, a), row}, 3, NULL);
}

/* ---- all rows --------------------------------------------------------------------------------------------------- */

/* The access of row `row`. The vector lies along the last dims of the memref; the dims above the row shift all of
 * their indices but the last. */
static NrRowAccess at_row(R *r, const NrRowAccess *a, size_t row) {
  NrRowAccess out = *a;
  int64_t at[NR_MAX_RANK];
  nr_rows_place(a->vector, row, at);
  for (uint32_t d = 0; d < nr_rows_dims(a->vector); d++) {
    uint32_t moved = a->base->type->rank - a->vector->rank + d;
    out.indices[moved] = nr_rows_add(r, a->indices[moved], at[d]);
  }
  return out;
}

V *nr_rows_read(R *r, NrRowAccess *a, V const *mask, V const *rest) {
  size_t count = nr_rows_count(a->vector);
  V *rows = nr_rows_new(r, count);
  for (size_t i = 0; i < count; i++) {
    NrRowAccess row = at_row(r, a, i);
    rows[i] = read_row(r, &row, mask ? mask[i] : NULL, rest ? rest[i] : NULL);
  }
  return rows;
}

void nr_rows_write(R *r, NrRowAccess *a, V const *mask, V const *rows) {
  for (size_t i = 0, count = nr_rows_count(a->vector); i < count; i++) {
    NrRowAccess row = at_row(r, a, i);
    write_row(r, &row, mask ? mask[i] : NULL, rows[i]);
  }
}

/* ---- the ops ---------------------------------------------------------------------------------------------------- */

NrRowAccess nr_rows_access(const NrOp *op, V base, NrGroup indices, NrType vector) {
  NrRowAccess a = {.base = base, .vector = vector};
  for (size_t i = 0; i < indices.count; i++) a.indices[i] = nr_operand(op, indices.begin + i);
  return a;
}

static NrRowAccess access_of(const NrOp *op, NrType vector) {
  return nr_rows_access(op, nr_op_base(op), nr_op_indices(op), vector);
}

/* The vector that a masked op writes, or the one that it reads where the mask is not set. */
static V masked_vector(const NrOp *op) { return nr_op_has_value(op) ? nr_op_value(op) : nr_op_pass_thru(op); }

/* Whether the vector has no more dims than the memref, so that it lies along the last ones, or one lane only. If not,
 * the op stays, and a backend refuses it. */
static bool lies_inside(const NrRowAccess *a) {
  return a->vector->rank <= a->base->type->rank || (a->vector->rank == 1 && a->vector->dims[0] == 1);
}

/* A memref of vectors is read and written like any memref, by memref.load and memref.store. */
NrStatus nr_rows_load(R *r, NrOp *op) {
  V result = nr_op_result(op);
  NrRowAccess a = access_of(op, result->type);
  if (a.base->type->elem == result->type) {
    V whole = nr_build_load(&r->x.b, a.base, a.indices, a.base->type->rank);
    nr_rows_set(r, result, nr_rows_of(r, whole));
    return NR_OK;
  }
  r->keep = !lies_inside(&a) || (!nr_rows_has(result->type) && a.base->type->rank && !lies_apart(&a));
  if (r->keep) return NR_OK;
  nr_rows_set(r, result, nr_rows_read(r, &a, NULL, NULL));
  return NR_OK;
}

NrStatus nr_rows_store(R *r, NrOp *op) {
  V value = nr_vector_store_value(op);
  NrRowAccess a = access_of(op, value->type);
  if (a.base->type->elem == value->type) {
    nr_build_store(&r->x.b, value, a.base, a.indices, a.base->type->rank);
    return NR_OK;
  }
  r->keep = !lies_inside(&a) || (!nr_rows_has(value->type) && a.base->type->rank && !lies_apart(&a));
  if (r->keep) return NR_OK;
  nr_rows_write(r, &a, NULL, nr_rows_of(r, value));
  return NR_OK;
}

NrStatus nr_rows_masked_load(R *r, NrOp *op) {
  V result = nr_op_result(op);
  NrRowAccess a = access_of(op, result->type);
  r->keep = !lies_inside(&a) || (!nr_rows_has(result->type) && !lies_apart(&a));
  if (r->keep) return NR_OK;
  V *mask = nr_rows_of(r, nr_op_mask(op)), *rest = nr_rows_of(r, nr_op_pass_thru(op));
  nr_rows_set(r, result, nr_rows_read(r, &a, mask, rest));
  return NR_OK;
}

NrStatus nr_rows_masked_store(R *r, NrOp *op) {
  V value = nr_op_value(op);
  NrRowAccess a = access_of(op, value->type);
  r->keep = !lies_inside(&a) || (!nr_rows_has(value->type) && !lies_apart(&a));
  if (r->keep) return NR_OK;
  nr_rows_write(r, &a, nr_rows_of(r, nr_op_mask(op)), nr_rows_of(r, value));
  return NR_OK;
}

/* How many lanes of a mask are set. */
static V set_lanes(R *r, V mask) {
  NrContext *ctx = r->x.b.ctx;
  V ones = nr_expand_cast(&r->x, NR_OP_arith_extui, mask, nr_type_i64(ctx));
  V count = nr_build_reduction(&r->x.b, "add", ones, NULL, NULL);
  return nr_build_value(&r->x.b, NR_OP_arith_index_cast, nr_type_index(ctx), &count, 1);
}

/* expandload, compressstore: the set lanes of a row lie in memory behind those of the row before. */
NrStatus nr_rows_packed(R *r, NrOp *op) {
  V whole = masked_vector(op);
  NrRowAccess a = access_of(op, whole->type);
  size_t rank = a.base->type->rank;
  if (lies_apart(&a)) return nr_op_error(op, "is compiled for elements side by side only");
  r->keep = !nr_rows_has(whole->type) || !rank;
  if (r->keep) return NR_OK;
  size_t count = nr_rows_count(whole->type);
  V *mask = nr_rows_of(r, nr_op_mask(op)), *rows = nr_rows_of(r, whole), *out = nr_rows_new(r, count);
  NrType result = op->num_results ? nr_rows_type(whole->type) : NULL;
  for (size_t i = 0; i < count; i++) {
    NrOp *row = access(r, &a, op->info->id, (V[]){mask[i], rows[i]}, 2, result);
    if (result) out[i] = nr_op_result(row);
    if (i + 1 < count)
      a.indices[rank - 1] = nr_arith_binary(&r->x.b, NR_OP_arith_addi, a.indices[rank - 1], set_lanes(r, mask[i]));
  }
  if (result) nr_rows_set(r, nr_op_result(op), out);
  return NR_OK;
}

/* gather, scatter: the index vector moves along the last dim. */
NrStatus nr_rows_gathered(R *r, NrOp *op) {
  if (nr_op_base(op)->type->kind != NR_TYPE_MEMREF) return nr_op_error(op, "is compiled for memrefs only");
  V whole = masked_vector(op);
  NrRowAccess a = access_of(op, whole->type);
  r->keep = !nr_rows_has(whole->type);
  if (r->keep) return NR_OK;
  size_t count = nr_rows_count(whole->type);
  V *numbers = nr_rows_of(r, nr_op_index_vec(op)), *mask = nr_rows_of(r, nr_op_mask(op));
  V *rows = nr_rows_of(r, whole), *out = nr_rows_new(r, count);
  NrType result = op->num_results ? nr_rows_type(whole->type) : NULL;
  for (size_t i = 0; i < count; i++) {
    NrOp *row = access(r, &a, op->info->id, (V[]){numbers[i], mask[i], rows[i]}, 3, result);
    if (result) out[i] = nr_op_result(row);
  }
  if (result) nr_rows_set(r, nr_op_result(op), out);
  return NR_OK;
}
