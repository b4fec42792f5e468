/* linalg.h - what linalg.generic says, for passes; its builder. */
#ifndef NORIA_DIALECT_LINALG_LINALG_H
#define NORIA_DIALECT_LINALG_LINALG_H

#include "dialect/shared/shaped.h"

/* Of a linalg.generic. Operands are the inputs, then the outputs. */
size_t nr_generic_num_loops(const NrOp *op);
size_t nr_generic_num_inputs(const NrOp *op);
size_t nr_generic_num_outputs(const NrOp *op);
NrAttr nr_generic_map(const NrOp *op, size_t operand);
bool nr_generic_is_reduction(const NrOp *op, size_t loop);
size_t nr_generic_num_reductions(const NrOp *op);
/* An operand's dim whose map result is the bare loop dim: that dim's size is the loop's range. False when none is. */
bool nr_generic_loop_source(const NrOp *op, size_t loop, size_t *out_operand, size_t *out_dim);
/* The range of a loop; builds a dim op when the operand's size is not known. */
NrIndex nr_generic_loop_range(NrBuilder *b, NrOp *op, size_t loop);
/* The constant range, or NR_DYNAMIC. */
int64_t nr_generic_static_range(const NrOp *op, size_t loop);
/* Whether no static dim of an operand contradicts another one's. */
bool nr_generic_ranges_agree(const NrOp *op);

/* Builds a generic with an empty body block that has its arguments; fill it and end it with linalg.yield. iterators:
 * one letter per loop, 'p' parallel or 'r' reduction. maps: one affine map per operand, inputs first. Tensor outputs
 * give results. */
NrOp *nr_build_generic(NrBuilder *b, NrValue *const *inputs, size_t num_inputs, NrValue *const *outputs,
                       size_t num_outputs, const NrAttr *maps, const char *iterators);
NrAttr nr_iterator_attr(NrContext *ctx, const char *iterators);
/* linalg.fill of a tensor or buffer; the result, or output itself when that is a buffer. */
NrValue *nr_build_fill(NrBuilder *b, NrValue *scalar, NrValue *output);

/* canonicalize.c */
bool nr_linalg_generic_canonicalize(NrOp *op, NrBuilder *b);
bool nr_linalg_fill_canonicalize(NrOp *op, NrBuilder *b);

#endif
