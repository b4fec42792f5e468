/* data.h - shared by the ops that move data; for src/onnx/lower/ops only. */
#ifndef NORIA_ONNX_LOWER_OPS_DATA_H
#define NORIA_ONNX_LOWER_OPS_DATA_H

#include "onnx/lower/core/lower.h"

enum { NR_SMALL_LIST = 32 }; /* longer lists are data, not shapes */
#define NR_ANY_LENGTH SIZE_MAX

/* A list of integers of a node: constants, or values of the run. */
typedef struct NrInts {
  bool given; /* false: attribute or input is left out */
  size_t count;
  NrDim at[NORIA_MAX_RANK];
} NrInts;

/* From input `input` when from_input, else from attribute `name`. What is lowered is lowered for each length that the
 * input can have, where only the run knows it. False after an error. */
bool nr_lower_ints(NrLower *l, bool from_input, size_t input, const char *name, NrInts *out);
/* The same where other parts of the node say how long the list is: a length that only the run knows is checked. */
bool nr_lower_ints_of(NrLower *l, bool from_input, size_t input, const char *name, size_t length, NrInts *out);
/* The dims of a constant list of axes; negative axes count from the end, none may occur twice. */
bool nr_lower_known_axes(NrLower *l, const NrInts *axes, size_t rank, size_t *out);
bool nr_ints_known(const NrInts *ints);
/* An error now (false) or in the run when the size is negative. It is at least 0 from then on: what comes behind the
 * check is compiled for the sizes that it refuses too, once these turn out to be constant. */
bool nr_lower_size(NrLower *l, NrDim *d);
/* The same for each of the integers. */
bool nr_lower_sizes(NrLower *l, NrInts *sizes);

/* Whether d is known not to be negative: a size, or computed from sizes. */
bool nr_dim_is_size(NrDim d);
/* Adds size to a negative position. */
NrDim nr_dim_wrap(NrLower *l, NrDim position, NrDim size);
/* min(max(d, low), high) */
NrDim nr_dim_clamp(NrLower *l, NrDim d, NrDim low, NrDim high);
/* The index of an integer scalar: counted from the end when negative, with a check of the bounds. */
NrValue *nr_lower_position(NrLower *l, NrValue *integer, NrDim size);
/* The same for each element of a tensor of integers. */
NrValue *nr_lower_positions(NrLower *l, NrValue *integers, NrDim size);

/* Input i, an integer scalar, as a size; an error now (false) or in the run when it is below `least`. */
bool nr_lower_size_input(NrLower *l, size_t i, const char *name, int64_t least, NrDim *out);

/* An error now (false) or in the run unless 0 <= part <= whole. text may contain them as %0 and %1. */
bool nr_lower_fits(NrLower *l, NrDim part, NrDim whole, const char *text);

/* An error now (false) or in the run unless both dims are equal. */
bool nr_lower_dims_agree(NrLower *l, NrDim a, NrDim b, const char *what);
/* An error now (false) or in the run unless input i is a vector of `count` elements. */
bool nr_lower_is_vector(NrLower *l, size_t i, NrDim count);

/* The elements at offset, offset + step, .. along one axis; keeps short lists of scalars. step may be negative. */
NrValue *nr_lower_slice_axis(NrLower *l, NrValue *tensor, size_t axis, NrDim offset, NrDim size, NrDim step);
/* Gather without its checks: the elements of `tensor` along axis at the positions in a tensor. */
NrValue *nr_lower_take(NrLower *l, NrValue *tensor, NrValue *positions, size_t axis);

/* scf.if that passes values through when cond is false. body fills next (as many) from them. */
typedef NrStatus (*NrWhenFn)(NrLower *l, NrValue *const *values, NrValue **next, void *user);
NrStatus nr_lower_when(NrLower *l, NrValue *cond, NrValue *const *values, size_t count, NrValue **out, NrWhenFn body,
                       void *user);

/* Loops over all index tuples of a shape, in row-major order, carrying values. body fills next (as many). */
typedef NrStatus (*NrNestFn)(NrLower *l, NrValue *const *indices, NrValue *const *carried, NrValue **next, void *user);
NrStatus nr_lower_nest(NrLower *l, const NrShape *shape, NrValue *const *init, size_t count, NrValue **out,
                       NrNestFn body, void *user);

#endif
