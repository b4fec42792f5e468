/* lower_vectors.h - inside of lower-vectors. A vector of more than one dim is the list of its rows: the 1-D vectors
 * along its last dim, in row-major order. A vector without dims has one row of one element. */
#ifndef NORIA_PASS_EXPAND_LOWER_VECTORS_H
#define NORIA_PASS_EXPAND_LOWER_VECTORS_H

#include "dialect/vector/vector.h"
#include "pass/expand/expand.h"

/* One run of the pass. */
typedef struct NrRows {
  NrExpand x;      /* builds in front of the op that is being lowered */
  NrArena *arena;  /* for lists of rows: the pass's scratch arena */
  NrMap rows;      /* NrValue * of a vector that is not 1-D -> NrValue ** of its rows */
  NrMap now;       /* NrValue * that was replaced -> the value that took its place */
  NR_VEC(NrOp *) done; /* lowered ops, erased at the end */
  NrMap row_of;    /* NrOp * that works on row i of several -> i */
  NR_VEC(NrBlock *) masked; /* blocks with comparisons of several rows, in which there is a mask for each */
  bool keep;       /* set by a lowering that leaves its op */
} NrRows;

/* ---- types ---- */

bool nr_rows_has(NrType type); /* a vector of fixed size whose rank is not 1 */
size_t nr_rows_count(NrType vector);
int64_t nr_rows_lanes(NrType vector); /* of a row */
NrType nr_rows_type(NrType vector);   /* of a row */
uint32_t nr_rows_dims(NrType vector); /* the number of dims above the rows */
/* The indices of row r in the dims above the rows, and the number of the row with such indices. */
void nr_rows_place(NrType vector, size_t r, int64_t *out_at);
size_t nr_rows_number(NrType vector, const int64_t *at);

/* ---- values ---- */

NrValue **nr_rows_new(NrRows *r, size_t count);
/* The rows of a vector; a 1-D vector is its only row. They are extracted from the value if its op is not lowered. */
NrValue **nr_rows_of(NrRows *r, NrValue *vector);
NrValue *nr_rows_now(NrRows *r, NrValue *value); /* value, or the value that replaced it */
/* Replaces a result of a lowered op by rows; a scalar or 1-D vector is replaced by rows[0]. */
void nr_rows_set(NrRows *r, NrValue *result, NrValue **rows);
/* A vector of any rank as one value, built from its rows in front of op. */
NrValue *nr_rows_join(NrRows *r, NrValue *vector, NrOp *op);

/* ---- ops on rows ---- */

NrValue *nr_rows_index(NrRows *r, int64_t value);
NrValue *nr_rows_poison(NrRows *r, NrType type);
NrValue *nr_rows_lane(NrRows *r, NrValue *row, int64_t lane);
NrValue *nr_rows_with_lane(NrRows *r, NrValue *row, NrValue *item, int64_t lane);
NrValue *nr_rows_splat(NrRows *r, NrValue *scalar, NrType row);
/* Selects from the lanes of a followed by those of b, rows of equal length; -1 is a lane of any value. b may be
 * NULL. */
NrValue *nr_rows_shuffle(NrRows *r, NrValue *a, NrValue *b, const int64_t *lanes, size_t count);
NrValue *nr_rows_slice(NrRows *r, NrValue *row, int64_t begin, int64_t count, int64_t step);
/* index + constant, with nsw. */
NrValue *nr_rows_add(NrRows *r, NrValue *index, int64_t constant);

/* Orders the ops of blocks with masks row by row (vectors_schedule.c). */
void nr_rows_order(NrRows *r);

/* ---- lowerings of single ops ---- */

typedef NrStatus (*NrRowsFn)(NrRows *r, NrOp *op);
NrStatus nr_rows_broadcast(NrRows *r, NrOp *op); /* vectors_shape.c */
NrStatus nr_rows_from_elements(NrRows *r, NrOp *op);
NrStatus nr_rows_to_elements(NrRows *r, NrOp *op);
NrStatus nr_rows_extract(NrRows *r, NrOp *op);
NrStatus nr_rows_insert(NrRows *r, NrOp *op);
NrStatus nr_rows_extract_slice(NrRows *r, NrOp *op);
NrStatus nr_rows_insert_slice(NrRows *r, NrOp *op);
NrStatus nr_rows_shuffled(NrRows *r, NrOp *op); /* vectors_order.c */
NrStatus nr_rows_shape_cast(NrRows *r, NrOp *op);
NrStatus nr_rows_interleave(NrRows *r, NrOp *op);
NrStatus nr_rows_deinterleave(NrRows *r, NrOp *op);
NrStatus nr_rows_transpose(NrRows *r, NrOp *op);
NrStatus nr_rows_multi_reduction(NrRows *r, NrOp *op);
NrStatus nr_rows_create_mask(NrRows *r, NrOp *op); /* vectors_transfer.c */
NrStatus nr_rows_constant_mask(NrRows *r, NrOp *op);
NrStatus nr_rows_transfer_read(NrRows *r, NrOp *op);
NrStatus nr_rows_transfer_write(NrRows *r, NrOp *op);
NrStatus nr_rows_load(NrRows *r, NrOp *op); /* vectors_memory.c */
NrStatus nr_rows_store(NrRows *r, NrOp *op);
NrStatus nr_rows_masked_load(NrRows *r, NrOp *op);
NrStatus nr_rows_masked_store(NrRows *r, NrOp *op);
NrStatus nr_rows_packed(NrRows *r, NrOp *op);   /* expandload, compressstore */
NrStatus nr_rows_gathered(NrRows *r, NrOp *op); /* gather, scatter */

/* ---- access to memory by rows ---- */

/* Where a vector lies in a memref of scalars: along its last dims, beginning at indices. */
typedef struct NrRowAccess {
  NrValue *base;
  NrType vector;
  NrValue *indices[NR_MAX_RANK];
} NrRowAccess;
/* An access to base at the operands `indices` of op. */
NrRowAccess nr_rows_access(const NrOp *op, NrValue *base, NrGroup indices, NrType vector);
/* mask: NULL, or a mask per row, where NULL enables all lanes. rest: NULL, or rows with the values of the lanes that
 * are masked off. */
NrValue **nr_rows_read(NrRows *r, NrRowAccess *a, NrValue *const *mask, NrValue *const *rest);
void nr_rows_write(NrRows *r, NrRowAccess *a, NrValue *const *mask, NrValue *const *rows);

#endif
