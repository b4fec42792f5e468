/* check_shapes.h - shared by the checks of shapes: check_shapes.c, check_sizes.c, check_reshapes.c, check_views.c. */
#ifndef NORIA_PASS_GUARD_CHECK_SHAPES_H
#define NORIA_PASS_GUARD_CHECK_SHAPES_H

#include "dialect/arith/arith.h"
#include "dialect/shared/shaped.h"
#include "pass/core/checks.h"

static inline NrValue *nr_check_number(NrBuilder *b, int64_t n) { return nr_arith_constant_index(b, n); }
/* Builds x and y; y when x is NULL. */
NrValue *nr_check_both(NrBuilder *b, NrValue *x, NrValue *y);
/* Builds the product of dims begin to end - 1, saturated as in nr_check_product. */
NrValue *nr_check_count_of(NrBuilder *b, NrValue *shaped, uint32_t begin, uint32_t end);
/* Checks that size is the static dim d of op's result, where that is static. */
void nr_check_static_dim(NrBuilder *b, NrOp *op, uint32_t d, NrValue *size);

/* check_reshapes.c */
void nr_check_expand_shape(NrOp *op);
void nr_check_collapse_shape(NrOp *op);
void nr_check_reshape(NrOp *op);
void nr_check_tensor_reshape(NrOp *op); /* the shape is a tensor of static length */
void nr_check_dynamic_sizes(NrOp *op, size_t first); /* the operands from `first` on: sizes that a tensor can have */
void nr_check_pad(NrOp *op);
void nr_check_concat(NrOp *op);

/* check_views.c */
void nr_check_view(NrOp *op);
void nr_check_reinterpret_cast(NrOp *op);
void nr_check_dim(NrOp *op);
void nr_check_dma_start(NrOp *op);

#endif
