/* memref.h - types and builders of memref ops, and the hooks that are in other files. */
#ifndef NORIA_DIALECT_MEMREF_MEMREF_H
#define NORIA_DIALECT_MEMREF_MEMREF_H

#include "dialect/memref/ops.h"
#include "dialect/shared/shaped.h"

/* The type of a subview with all dims kept: sizes, strides and offset as far as they are constants. NULL when the
 * source's layout is not strided. */
NrType nr_memref_subview_type(NrType source, const NrIndex *offsets, const NrIndex *sizes, const NrIndex *strides);
/* type with the dims for which keep is false left out (they have size 1), with their strides. */
NrType nr_memref_drop_dims(NrType type, const bool *keep);
/* Builds a subview; lists have source's rank entries. type NULL = nr_memref_subview_type. */
NrValue *nr_build_subview(NrBuilder *b, NrValue *source, const NrIndex *offsets, const NrIndex *sizes,
                          const NrIndex *strides, NrType type);
/* The type of an expand_shape to dims or a collapse_shape, layouts included. NULL when source's layout is not strided.
 */
NrType nr_memref_expanded_type(NrType source, const NrGroups *groups, const int64_t *dims, size_t rank);
NrType nr_memref_collapsed_type(NrType source, const NrGroups *groups);
/* Builds an alloc or alloca (op_id) of an identity-layout buffer; dims has rank entries. */
NrValue *nr_build_alloc(NrBuilder *b, unsigned op_id, NrType elem, const NrIndex *dims, size_t rank);
NrValue *nr_build_load(NrBuilder *b, NrValue *memref, NrValue *const *indices, size_t count);
NrOp *nr_build_store(NrBuilder *b, NrValue *value, NrValue *memref, NrValue *const *indices, size_t count);
/* Kinds of atomic_rmw by number, NULL when there is none. */
const char *nr_atomic_kind_name(int64_t kind);
bool nr_atomic_kind_find(NrStr name, int64_t *out); /* the names of 2020 too */
NrNearest nr_atomic_kind_nearest(NrStr name);

/* `, read, locality<3>, data` of prefetch, and its attributes. */
NrStatus nr_p_prefetch_hints(NrParser *p, NrOpState *state);
void nr_w_prefetch_hints(NrPrinter *w, NrOp *op);

/* Where the parts of a memref.dma_start begin among its operands: source is 0, n is one index, and the stride with the
 * elements per stride is there when stride < num_operands. False when they are not in that order. */
typedef struct NrDmaParts {
  size_t target, n, tag, stride;
} NrDmaParts;
bool nr_memref_dma_parts(const NrOp *op, NrDmaParts *out);
/* Whether the stride of a transfer is that of its target: it belongs to the slower memory, the one of the smaller
 * space. */
bool nr_memref_dma_strides_target(const NrOp *op, NrDmaParts parts);

/* Check shared by ops on elements: `count` indices match operand `memref`, and type is its element type. */
NrStatus nr_memref_indices_verify(NrOp *op, size_t memref, size_t count, const char *what);
NrStatus nr_memref_elem_verify(NrOp *op, NrType type, size_t memref);

/* Hooks of atomic ops (atomic.c) and of transfers (dma.c). */
NrStatus nr_memref_atomic_rmw_parse(NrParser *p, NrOpState *state);
void nr_memref_atomic_rmw_print(NrPrinter *w, NrOp *op);
NrStatus nr_memref_atomic_rmw_verify(NrOp *op);
NrStatus nr_memref_generic_atomic_rmw_parse(NrParser *p, NrOpState *state);
void nr_memref_generic_atomic_rmw_print(NrPrinter *w, NrOp *op);
NrStatus nr_memref_generic_atomic_rmw_verify(NrOp *op);
NrStatus nr_memref_atomic_yield_verify(NrOp *op);
NrStatus nr_memref_dma_start_parse(NrParser *p, NrOpState *state);
void nr_memref_dma_start_print(NrPrinter *w, NrOp *op);
NrStatus nr_memref_dma_start_verify(NrOp *op);
NrStatus nr_memref_dma_wait_verify(NrOp *op);

/* Hooks of the views (views.c). */
NrStatus nr_memref_cast_verify(NrOp *op);
NrStatus nr_memref_memory_space_cast_verify(NrOp *op);
NrStatus nr_memref_view_parse(NrParser *p, NrOpState *state);
NrStatus nr_memref_view_post_parse(NrParser *p, NrOp *op);
void nr_memref_view_print(NrPrinter *w, NrOp *op);
NrStatus nr_memref_view_verify(NrOp *op);
NrStatus nr_memref_subview_parse(NrParser *p, NrOpState *state);
void nr_memref_subview_print(NrPrinter *w, NrOp *op);
NrStatus nr_memref_subview_verify(NrOp *op);
NrStatus nr_memref_reinterpret_cast_parse(NrParser *p, NrOpState *state);
void nr_memref_reinterpret_cast_print(NrPrinter *w, NrOp *op);
NrStatus nr_memref_reinterpret_cast_verify(NrOp *op);
NrStatus nr_memref_expand_shape_verify(NrOp *op);
NrStatus nr_memref_collapse_shape_verify(NrOp *op);
NrStatus nr_memref_transpose_parse(NrParser *p, NrOpState *state);
void nr_memref_transpose_print(NrPrinter *w, NrOp *op);
NrStatus nr_memref_transpose_verify(NrOp *op);
NrStatus nr_memref_reshape_verify(NrOp *op);

/* Folds and canonicalisations (fold.c). */
bool nr_memref_alloc_canonicalize(NrOp *op, NrBuilder *b);
bool nr_memref_absorb_cast(NrOp *op, NrBuilder *b);
bool nr_memref_copy_canonicalize(NrOp *op, NrBuilder *b);
bool nr_memref_cast_canonicalize(NrOp *op, NrBuilder *b);
bool nr_memref_view_canonicalize(NrOp *op, NrBuilder *b);
bool nr_memref_subview_canonicalize(NrOp *op, NrBuilder *b);
bool nr_memref_reshape_canonicalize(NrOp *op, NrBuilder *b);
bool nr_memref_transpose_canonicalize(NrOp *op, NrBuilder *b);
bool nr_memref_assume_alignment_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_memref_same_view_fold(NrOp *op, const NrAttr *constants, NrFold *out); /* transpose, reinterpret_cast */
bool nr_memref_reinterpret_cast_canonicalize(NrOp *op, NrBuilder *b);
bool nr_memref_load_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_memref_dim_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_memref_rank_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_memref_metadata_canonicalize(NrOp *op, NrBuilder *b);
bool nr_memref_cast_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_memref_subview_fold(NrOp *op, const NrAttr *constants, NrFold *out);

#endif
