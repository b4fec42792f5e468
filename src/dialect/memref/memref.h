/* memref.h - types and builders of memref ops, and the hooks that are defined outside memref.c. */
#ifndef NORIA_DIALECT_MEMREF_MEMREF_H
#define NORIA_DIALECT_MEMREF_MEMREF_H

#include "dialect/memref/ops.h"
#include "dialect/shared/shaped.h"

/* The type of a subview that keeps all dims. Sizes, strides and offset are static where they are constant. NULL when
 * the source's layout is not strided. */
NrType nr_memref_subview_type(NrType source, const NrIndex *offsets, const NrIndex *sizes, const NrIndex *strides);
/* The type without the dims i for which keep[i] is false, which have size 1, and without their strides. */
NrType nr_memref_drop_dims(NrType type, const bool *keep);
/* Builds a subview; lists have source's rank entries. type NULL means nr_memref_subview_type. */
NrValue *nr_build_subview(NrBuilder *b, NrValue *source, const NrIndex *offsets, const NrIndex *sizes,
                          const NrIndex *strides, NrType type);
/* The type of an expand_shape to dims, or of a collapse_shape, with its layout. NULL when the source's layout is not
 * strided.
 */
NrType nr_memref_expanded_type(NrType source, const NrGroups *groups, const int64_t *dims, size_t rank);
NrType nr_memref_collapsed_type(NrType source, const NrGroups *groups);
/* Builds an alloc or alloca (op_id) of an identity-layout buffer; dims has rank entries. */
NrValue *nr_build_alloc(NrBuilder *b, unsigned op_id, NrType elem, const NrIndex *dims, size_t rank);
NrValue *nr_build_load(NrBuilder *b, NrValue *memref, NrValue *const *indices, size_t count);
NrOp *nr_build_store(NrBuilder *b, NrValue *value, NrValue *memref, NrValue *const *indices, size_t count);
/* The name of a kind of atomic_rmw; NULL for an unknown number. */
const char *nr_atomic_kind_name(int64_t kind);
bool nr_atomic_kind_find(NrStr name, int64_t *out); /* knows the names of 2020 too */
NrNearest nr_atomic_kind_nearest(NrStr name);

/* Parses and prints `, read, locality<3>, data` of a prefetch. */
NrStatus nr_p_prefetch_hints(NrParser *p, NrOpState *state);
void nr_w_prefetch_hints(NrPrinter *w, NrOp *op);

/* Operand indices of the parts of a memref.dma_start. The source is operand 0; stride and elements per stride are
 * present when stride < num_operands. False when the operands do not have this order. */
typedef struct NrDmaParts {
  size_t source, target, n, tag, stride, run;
} NrDmaParts;
bool nr_memref_dma_parts(const NrOp *op, NrDmaParts *out);
/* Whether the stride of a transfer applies to the target. It applies to the memory with the smaller memory space
 * number, which is the slower one. */
bool nr_memref_dma_strides_target(const NrOp *op, NrDmaParts parts);

/* Checks for ops that access elements: `count` indices match the rank of operand `memref`, and type is its element
 * type. */
NrStatus nr_memref_indices_verify(NrOp *op, size_t memref, size_t count, const char *what);
/* Of ops with operands `memref` and `indices`; type is that of one element. */
NrStatus nr_memref_access_verify(NrOp *op, const char *what);
NrStatus nr_memref_elem_verify(NrOp *op, NrType type);

/* Hooks of atomic ops (atomic.c) and transfers (dma.c). */
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

/* Hooks of views (views.c). */
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

/* Folds and canonicalizations (fold.c). */
bool nr_memref_alloc_canonicalize(NrOp *op, NrBuilder *b);
bool nr_memref_absorb_cast(NrOp *op, NrBuilder *b);
/* The same for an op that does not take every type: fits tells whether it may have an operand of a type. */
typedef bool (*NrMemrefFitsFn)(const NrOp *op, uint32_t operand, NrType type);
bool nr_memref_absorb_cast_if(NrOp *op, NrMemrefFitsFn fits);
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
