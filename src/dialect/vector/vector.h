/* vector.h - queries of vector ops, builders, and the hooks that are defined outside vector.c. */
#ifndef NORIA_DIALECT_VECTOR_VECTOR_H
#define NORIA_DIALECT_VECTOR_VECTOR_H

#include "dialect/shared/shaped.h"
#include "dialect/vector/ops.h"

/* The kind of a reduction or multi_reduction: add mul minui minsi minnumf minimumf maxui maxsi maxnumf maximumf and or
 * xor.
 */
NrStr nr_vector_kind(const NrOp *op);
NrAttr nr_vector_kind_attr(NrContext *ctx, const char *kind);

extern const NrIndexListSlot nr_vector_extract_slot, nr_vector_insert_slot; /* `position` */
/* Accessors of transfer_read and transfer_write. */
NrValue *nr_transfer_base(const NrOp *op);
NrValue *nr_transfer_mask(const NrOp *op); /* NULL when absent */
NrType nr_transfer_vector_type(const NrOp *op);
bool nr_transfer_in_bounds(const NrOp *op, size_t vector_dim);
NrAttr nr_transfer_minor_identity(NrContext *ctx, uint32_t rank, uint32_t vector_rank);
/* The type of a mask for a transfer with this map; NULL when it would have no dims. */
NrType nr_transfer_mask_type(NrType vector, NrAttr map);

/* Builders. */
NrValue *nr_build_broadcast(NrBuilder *b, NrValue *source, NrType type); /* source itself when it has the type */
NrValue *nr_build_shape_cast(NrBuilder *b, NrValue *source, NrType type); /* likewise */
NrValue *nr_build_vector_extract(NrBuilder *b, NrValue *source, const NrIndex *position, size_t count);
NrValue *nr_build_vector_insert(NrBuilder *b, NrValue *value, NrValue *dest, const NrIndex *position, size_t count);
NrValue *nr_build_vector_load(NrBuilder *b, NrType type, NrValue *base, NrValue *const *indices, size_t count);
NrOp *nr_build_vector_store(NrBuilder *b, NrValue *value, NrValue *base, NrValue *const *indices, size_t count);
/* Clones an element-wise op of one result on vectors of so many lanes where a mapped operand is one, with its scalars
 * broadcast; a constant, and what has scalars only, stays on scalars. */
NrValue *nr_clone_on_lanes(NrBuilder *b, NrOp *op, NrMap *map, uint32_t lanes);
NrValue *nr_build_reduction(NrBuilder *b, const char *kind, NrValue *vector, NrValue *acc, NrAttr fastmath);

/* shape.c */
NrStatus nr_vector_extract_strided_slice_verify(NrOp *op);
NrStatus nr_vector_insert_strided_slice_verify(NrOp *op);
NrStatus nr_vector_shape_cast_verify(NrOp *op);
NrStatus nr_vector_bitcast_verify(NrOp *op);
NrStatus nr_vector_interleave_verify(NrOp *op);
NrStatus nr_vector_deinterleave_verify(NrOp *op);
NrStatus nr_vector_transpose_parse(NrParser *p, NrOpState *state);
void nr_vector_transpose_print(NrPrinter *w, NrOp *op);
NrStatus nr_vector_transpose_verify(NrOp *op);
NrStatus nr_vector_shuffle_parse(NrParser *p, NrOpState *state);
void nr_vector_shuffle_print(NrPrinter *w, NrOp *op);
NrStatus nr_vector_shuffle_verify(NrOp *op);

/* memory.c */
/* Whether vector.load and vector.store may access such a vector in the memref: it has at most the memref's rank, and
 * its innermost dim has unit stride unless it has one element. */
bool nr_vector_is_in_rows(NrType memref, NrType vector);
NrStatus nr_vector_access_verify(NrOp *op); /* load */
NrStatus nr_vector_store_verify(NrOp *op);
NrStatus nr_vector_masked_verify(NrOp *op);
NrStatus nr_vector_gather_verify(NrOp *op); /* scatter too */

/* reduce.c */
NrStatus nr_vector_reduction_parse(NrParser *p, NrOpState *state);
void nr_vector_reduction_print(NrPrinter *w, NrOp *op);
NrStatus nr_vector_reduction_verify(NrOp *op);
NrStatus nr_vector_multi_reduction_parse(NrParser *p, NrOpState *state);
void nr_vector_multi_reduction_print(NrPrinter *w, NrOp *op);
NrStatus nr_vector_multi_reduction_verify(NrOp *op);

/* transfer.c */
NrStatus nr_vector_transfer_read_parse(NrParser *p, NrOpState *state);
NrStatus nr_vector_transfer_write_parse(NrParser *p, NrOpState *state);
void nr_vector_transfer_read_print(NrPrinter *w, NrOp *op);
void nr_vector_transfer_write_print(NrPrinter *w, NrOp *op);
NrStatus nr_vector_transfer_verify(NrOp *op);

/* fold.c */
bool nr_vector_broadcast_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_vector_extract_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_vector_shape_cast_fold(NrOp *op, const NrAttr *constants, NrFold *out);

/* Shared by the files of rewrites. */
int64_t nr_vector_entry(NrAttr list, size_t i);             /* entry i of an array of integers */
NrValue *nr_vector_broadcast_scalar(const NrValue *value); /* the scalar that value is a broadcast of, or NULL */
/* Reads the positions, with constant operands that are in bounds as numbers; true when there was one. */
bool nr_vector_read_positions(const NrOp *op, NrIndexListSlot slot, NrType type, NrIndex *position);
/* For ops that only rearrange the elements of vector. */
bool nr_vector_of_poison(NrOp *op, const NrValue *vector, NrBuilder *b);
/* A constant_mask of these sizes, each at most its dim; NULL for an empty mask. */
NrValue *nr_vector_constant_mask(NrBuilder *b, NrType type, const int64_t *sizes);

/* canonicalize*.c, masks.c */
bool nr_vector_shape_cast_canonicalize(NrOp *op, NrBuilder *b); /* bitcast too */
bool nr_vector_to_elements_canonicalize(NrOp *op, NrBuilder *b);
bool nr_vector_create_mask_canonicalize(NrOp *op, NrBuilder *b);
bool nr_vector_constant_mask_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_vector_drop_full_mask(NrOp *op); /* for transfers */
bool nr_vector_transfer_read_canonicalize(NrOp *op, NrBuilder *b);
bool nr_vector_transfer_write_canonicalize(NrOp *op, NrBuilder *b);
bool nr_vector_to_elements_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_vector_transpose_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_vector_shuffle_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_vector_slice_fold(NrOp *op, const NrAttr *constants, NrFold *out); /* extract_ and insert_strided_slice */
bool nr_vector_deinterleave_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_vector_of_one_scalar(NrOp *op, const NrValue *vector, NrBuilder *b);
bool nr_vector_broadcast_canonicalize(NrOp *op, NrBuilder *b);
bool nr_vector_from_elements_canonicalize(NrOp *op, NrBuilder *b);
bool nr_vector_extract_canonicalize(NrOp *op, NrBuilder *b);
bool nr_vector_insert_canonicalize(NrOp *op, NrBuilder *b);
bool nr_vector_transpose_canonicalize(NrOp *op, NrBuilder *b);
bool nr_vector_shuffle_canonicalize(NrOp *op, NrBuilder *b);
bool nr_vector_slice_canonicalize(NrOp *op, NrBuilder *b);
bool nr_vector_reduction_canonicalize(NrOp *op, NrBuilder *b);
bool nr_vector_multi_reduction_canonicalize(NrOp *op, NrBuilder *b);
bool nr_vector_access_canonicalize(NrOp *op, NrBuilder *b);
bool nr_vector_masked_canonicalize(NrOp *op, NrBuilder *b);
bool nr_vector_indexed_canonicalize(NrOp *op, NrBuilder *b);

#endif
