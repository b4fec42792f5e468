/* tensor.h - types and builders of tensor ops, and the hooks that are defined outside tensor.c. */
#ifndef NORIA_DIALECT_TENSOR_TENSOR_H
#define NORIA_DIALECT_TENSOR_TENSOR_H

#include "dialect/shared/shaped.h"
#include "dialect/tensor/ops.h"

/* The type of a slice with these sizes: constants become static dims. */
NrType nr_tensor_slice_type(NrType source, const NrIndex *sizes);

/* Builders. Lists have as many entries as the sliced tensor has dims. */
NrValue *nr_build_empty(NrBuilder *b, NrType elem, const NrIndex *dims, size_t rank);
NrValue *nr_build_splat(NrBuilder *b, NrValue *value, const NrIndex *dims, size_t rank);
NrValue *nr_build_from_elements(NrBuilder *b, NrType type, NrValue *const *elements, size_t count);
NrValue *nr_build_extract(NrBuilder *b, NrValue *tensor, NrValue *const *indices, size_t count);
NrValue *nr_build_insert(NrBuilder *b, NrValue *scalar, NrValue *dest, NrValue *const *indices, size_t count);
/* type NULL means nr_tensor_slice_type; a type of lower rank drops dims of size 1. */
NrValue *nr_build_extract_slice(NrBuilder *b, NrValue *source, const NrIndex *offsets, const NrIndex *sizes,
                                const NrIndex *strides, NrType type);
NrValue *nr_build_insert_slice(NrBuilder *b, NrValue *source, NrValue *dest, const NrIndex *offsets,
                               const NrIndex *sizes, const NrIndex *strides);
NrValue *nr_build_collapse_shape(NrBuilder *b, NrValue *source, const NrGroups *groups);
NrValue *nr_build_expand_shape(NrBuilder *b, NrValue *source, const NrGroups *groups, const NrIndex *dims, size_t rank);
/* Returns value, cast to type if it has another type. */
NrValue *nr_build_tensor_cast(NrBuilder *b, NrValue *value, NrType type);

/* Hooks of slices (slices.c). */
NrStatus nr_tensor_extract_slice_parse(NrParser *p, NrOpState *state);
void nr_tensor_extract_slice_print(NrPrinter *w, NrOp *op);
NrStatus nr_tensor_extract_slice_verify(NrOp *op);
NrStatus nr_tensor_insert_slice_parse(NrParser *p, NrOpState *state);
NrStatus nr_tensor_parallel_insert_slice_parse(NrParser *p, NrOpState *state);
void nr_tensor_insert_slice_print(NrPrinter *w, NrOp *op);
NrStatus nr_tensor_insert_slice_verify(NrOp *op);
NrStatus nr_tensor_pad_parse(NrParser *p, NrOpState *state);
void nr_tensor_pad_print(NrPrinter *w, NrOp *op);
NrStatus nr_tensor_pad_verify(NrOp *op);

/* The source of a tensor.cast whose type is at least as static as the result's; NULL for other values. */
NrValue *nr_tensor_uncast(NrValue *value);
extern const NrIndexListSlot nr_pad_slots[2]; /* low and high of pad */
/* Builds the size of dim i of op's result from op's operands; false when it cannot. */
bool nr_tensor_dim_of_op(NrBuilder *b, NrOp *op, size_t i, NrIndex *out);

/* Folds (fold.c) and canonicalizations (canonicalize*.c). */
bool nr_tensor_splat_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_tensor_from_elements_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_tensor_extract_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_tensor_insert_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_tensor_dim_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_tensor_rank_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_tensor_cast_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_tensor_bitcast_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_tensor_extract_slice_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_tensor_insert_slice_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_tensor_pad_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_tensor_concat_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_tensor_reshape_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_tensor_sizes_canonicalize(NrOp *op, NrBuilder *b);
bool nr_tensor_generate_canonicalize(NrOp *op, NrBuilder *b);
bool nr_tensor_extract_canonicalize(NrOp *op, NrBuilder *b);
bool nr_tensor_dim_canonicalize(NrOp *op, NrBuilder *b);
bool nr_tensor_bitcast_canonicalize(NrOp *op, NrBuilder *b);
bool nr_tensor_cast_canonicalize(NrOp *op, NrBuilder *b);
bool nr_tensor_extract_slice_canonicalize(NrOp *op, NrBuilder *b);
bool nr_tensor_insert_slice_canonicalize(NrOp *op, NrBuilder *b);
bool nr_tensor_gather_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_tensor_pad_canonicalize(NrOp *op, NrBuilder *b);
bool nr_tensor_reshape_canonicalize(NrOp *op, NrBuilder *b);
bool nr_tensor_reshape_op_canonicalize(NrOp *op, NrBuilder *b);

#endif
