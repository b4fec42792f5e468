/* linalg.h - what structured ops say, for passes; their builders; what the files of this folder share. */
#ifndef NORIA_DIALECT_LINALG_LINALG_H
#define NORIA_DIALECT_LINALG_LINALG_H

#include "dialect/linalg/ops.h"
#include "dialect/shared/shaped.h"

/* ---- access: structured.c ---------------------------------------------------------------------------------------- */

/* Of a structured op: linalg.generic, or a named op whose row has .indexing or .maps. Operands are the inputs, then the
 * outputs; region 0 computes one element of each output. */
bool nr_linalg_is_structured(const NrOp *op); /* false for NULL */
size_t nr_linalg_num_loops(const NrOp *op);
size_t nr_linalg_num_inputs(const NrOp *op);
size_t nr_linalg_num_outputs(const NrOp *op);
NrAttr nr_linalg_maps(const NrOp *op); /* an array of affine maps, one per operand */
NrAttr nr_linalg_map(const NrOp *op, size_t operand);
bool nr_linalg_is_reduction(const NrOp *op, size_t loop);
size_t nr_linalg_num_reductions(const NrOp *op);
/* One letter per loop, 'p' parallel or 'r' reduction, and a 0. */
void nr_linalg_iterators(const NrOp *op, char out[NR_MAX_RANK + 1]);
/* An operand's dim whose map result is the bare loop dim: that dim's size is the loop's range. False when none is. */
bool nr_linalg_loop_source(const NrOp *op, size_t loop, size_t *out_operand, size_t *out_dim);
/* The range of a loop; builds a dim op when the operand's size is not known. */
NrIndex nr_linalg_loop_range(NrBuilder *b, NrOp *op, size_t loop);
/* The constant range, or NR_DYNAMIC. */
int64_t nr_linalg_static_range(const NrOp *op, size_t loop);
/* Whether no static dim of an operand contradicts another one's. */
bool nr_linalg_ranges_agree(const NrOp *op);

/* ---- builders: linalg.c ------------------------------------------------------------------------------------------ */

/* Builds a generic with an empty body block that has its arguments; fill it and end it with linalg.yield. iterators:
 * one letter per loop, 'p' parallel or 'r' reduction. maps: one affine map per operand, inputs first. Tensor outputs
 * give results. */
NrOp *nr_build_generic(NrBuilder *b, NrValue *const *inputs, size_t num_inputs, NrValue *const *outputs,
                       size_t num_outputs, const NrAttr *maps, const char *iterators);
NrAttr nr_iterator_attr(NrContext *ctx, const char *iterators);
NrStr nr_iterator_name(NrAttr iterator); /* "parallel"; empty when it is no iterator */
/* linalg.fill of a tensor or buffer; the result, or output itself when that is a buffer. */
NrValue *nr_build_fill(NrBuilder *b, NrValue *scalar, NrValue *output);

/* ---- hooks of rows ----------------------------------------------------------------------------------------------- */

/* structured.c: .maps hooks. Identity maps over the dims of the first output; operands of rank 0 have no dims. */
NrAttr nr_linalg_identity_maps(const NrOp *op);
/* The list attribute has numbers of dims, each less than rank and there once. *out_wrong: the place of one that is not.
 */
bool nr_linalg_are_dims(const NrOp *op, const char *attr, uint32_t rank, size_t *out_wrong);
NrAttr nr_linalg_default_maps(const NrOp *op); /* those of .indexing, or identity maps */
NrAttr nr_linalg_given_maps(const NrOp *op);   /* the attribute indexing_maps, or the default ones */
NrAttr nr_linalg_required_maps(const NrOp *op); /* the attribute, which the row demands */
/* Number i of `strides` or `dilations`; 1 where there is no such attribute. */
int64_t nr_linalg_window_number(const NrOp *op, const char *attr, size_t i);
/* (C1) .. (C6) of linalg.generic, which hold for all structured ops. */
NrStatus nr_linalg_verify_structure(NrOp *op);
NrStatus nr_linalg_verify_results(NrOp *op, const char *id); /* results are the outputs that are tensors */

/* scalars.c: fills the empty region 0 of a named op with what its row's .scalar, or its attribute `kind`, computes. */
NrStatus nr_linalg_build_body(NrOp *op);

/* syntax.c */
NrStatus nr_linalg_generic_parse(NrParser *p, NrOpState *state);
NrStatus nr_linalg_generic_post_parse(NrParser *p, NrOp *op);
void nr_linalg_generic_print(NrPrinter *w, NrOp *op);
NrStatus nr_linalg_fill_parse(NrParser *p, NrOpState *state);
void nr_linalg_fill_print(NrPrinter *w, NrOp *op);
NrStatus nr_linalg_named_parse(NrParser *p, NrOpState *state);
NrStatus nr_linalg_named_post_parse(NrParser *p, NrOp *op);
void nr_linalg_named_print(NrPrinter *w, NrOp *op);
/* `ins(..) outs(..)`, and `-> types`. */
NrStatus nr_linalg_parse_operands(NrParser *p, NrOpState *state, size_t *out_inputs, size_t *out_outputs);
void nr_linalg_print_operands(NrPrinter *w, NrOp *op);
NrStatus nr_linalg_parse_results(NrParser *p, NrOpState *state);

/* syntax_payload.c: ops that say what they compute by an op in braces or a region, or by lists of dims. */
NrStatus nr_linalg_dims_parse(NrParser *p, NrOpState *state);
void nr_linalg_dims_print(NrPrinter *w, NrOp *op);
NrStatus nr_linalg_payload_parse(NrParser *p, NrOpState *state);
void nr_linalg_payload_print(NrPrinter *w, NrOp *op);

/* pack.c */
NrStatus nr_linalg_pack_parse(NrParser *p, NrOpState *state);
void nr_linalg_pack_print(NrPrinter *w, NrOp *op);
NrStatus nr_linalg_pack_verify(NrOp *op);
NrStatus nr_linalg_pack_expand(NrOp *op, NrBuilder *b, NrValue **out_values);
NrStatus nr_linalg_unpack_expand(NrOp *op, NrBuilder *b, NrValue **out_values);

/* expand.c */
NrStatus nr_linalg_generalize(NrOp *op, NrBuilder *b, NrValue **out_values);
NrStatus nr_linalg_softmax_expand(NrOp *op, NrBuilder *b, NrValue **out_values);

/* canonicalize.c */
bool nr_linalg_generic_canonicalize(NrOp *op, NrBuilder *b);
/* The one input and the one output of linalg.fill. */
static inline NrValue *nr_linalg_fill_value(const NrOp *op) { return nr_operand(op, NR_LINALG_FILL_INPUTS); }
static inline size_t nr_linalg_fill_output_index(const NrOp *op) { return nr_linalg_fill_outputs(op).begin; }
static inline NrValue *nr_linalg_fill_output(const NrOp *op) { return nr_operand(op, nr_linalg_fill_output_index(op)); }
bool nr_linalg_fill_canonicalize(NrOp *op, NrBuilder *b);

#endif
