/* linalg.h - queries of structured ops, their builders, and what the files of this folder share. */
#ifndef NORIA_DIALECT_LINALG_LINALG_H
#define NORIA_DIALECT_LINALG_LINALG_H

#include "dialect/linalg/ops.h"
#include "dialect/shared/shaped.h"

/* ---- queries (structured.c) -------------------------------------------------------------------------------------- */

/* Of structured ops: linalg.generic, and named ops whose definition has .indexing or .maps. Operands are the inputs,
 * then the outputs; region 0 computes one element of each output. */
bool nr_linalg_is_structured(const NrOp *op); /* false for NULL */
size_t nr_linalg_num_loops(const NrOp *op);
size_t nr_linalg_num_inputs(const NrOp *op);
size_t nr_linalg_num_outputs(const NrOp *op);
NrAttr nr_linalg_maps(const NrOp *op); /* an array of affine maps, one per operand */
NrAttr nr_linalg_map(const NrOp *op, size_t operand);
bool nr_linalg_is_reduction(const NrOp *op, size_t loop);
size_t nr_linalg_num_reductions(const NrOp *op);
/* One letter per loop, 'p' for parallel or 'r' for reduction, NUL-terminated. */
void nr_linalg_iterators(const NrOp *op, char out[NR_MAX_RANK + 1]);
/* Finds an operand dim whose map result is just the loop: the size of that dim is the loop's range. False when there is
 * none. */
bool nr_linalg_loop_source(const NrOp *op, size_t loop, size_t *out_operand, size_t *out_dim);
/* The range of a loop; builds a dim op when the size of the operand is not known. */
NrIndex nr_linalg_loop_range(NrBuilder *b, NrOp *op, size_t loop);
/* The constant range of a loop, or NR_DYNAMIC. */
int64_t nr_linalg_static_range(const NrOp *op, size_t loop);
/* Whether the static dims of all operands agree on the ranges of the loops. */
bool nr_linalg_ranges_agree(const NrOp *op);

/* ---- builders (linalg.c) ----------------------------------------------------------------------------------------- */

/* Builds a generic whose body is empty but has its arguments; fill it and end it with linalg.yield. iterators: one
 * letter per loop, 'p' for parallel or 'r' for reduction. maps: one affine map per operand, inputs first. There is a
 * result for each tensor among the outputs. */
NrOp *nr_build_generic(NrBuilder *b, NrValue *const *inputs, size_t num_inputs, NrValue *const *outputs,
                       size_t num_outputs, const NrAttr *maps, const char *iterators);
NrAttr nr_iterator_attr(NrContext *ctx, const char *iterators);
NrStr nr_iterator_name(NrAttr iterator); /* "parallel" or "reduction"; empty for other attributes */
/* Builds linalg.fill of a tensor or buffer. Returns the result, or output if that is a buffer. */
NrValue *nr_build_fill(NrBuilder *b, NrValue *scalar, NrValue *output);

/* ---- hooks of op definitions ------------------------------------------------------------------------------------- */

/* structured.c: .maps hooks. Identity maps over the dims of the first output; operands of rank 0 get maps without
 * results. */
NrAttr nr_linalg_identity_maps(const NrOp *op);
/* Whether the list attribute has distinct dims less than rank. If not, *out_wrong is the index of the first wrong
 * entry.
 */
bool nr_linalg_are_dims(const NrOp *op, const char *attr, uint32_t rank, size_t *out_wrong);
NrAttr nr_linalg_default_maps(const NrOp *op); /* the maps of .indexing, or identity maps */
NrAttr nr_linalg_given_maps(const NrOp *op);   /* the attribute indexing_maps, or the default maps */
NrAttr nr_linalg_required_maps(const NrOp *op); /* the attribute, which the definition requires */
/* Entry i of `strides` or `dilations`; 1 without the attribute. */
int64_t nr_linalg_window_number(const NrOp *op, const char *attr, size_t i);
/* Constraints (C1) to (C6) of linalg.generic, which apply to all structured ops. */
NrStatus nr_linalg_verify_structure(NrOp *op);
NrStatus nr_linalg_verify_results(NrOp *op, const char *id); /* the results are the outputs that are tensors */

/* scalars.c: fills the empty region 0 of a named op with the computation that its definition's .scalar, or its
 * attribute `kind`, names. */
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
/* `ins(..) outs(..)` and `-> types`. */
NrStatus nr_linalg_parse_operands(NrParser *p, NrOpState *state, size_t *out_inputs, size_t *out_outputs);
void nr_linalg_print_operands(NrPrinter *w, NrOp *op);
NrStatus nr_linalg_parse_results(NrParser *p, NrOpState *state);

/* syntax_payload.c: ops with an op in braces, a region, or lists of dims in their text. */
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
/* The only input and the only output of linalg.fill. */
static inline NrValue *nr_linalg_fill_value(const NrOp *op) { return nr_operand(op, NR_LINALG_FILL_INPUTS); }
static inline size_t nr_linalg_fill_output_index(const NrOp *op) { return nr_linalg_fill_outputs(op).begin; }
static inline NrValue *nr_linalg_fill_output(const NrOp *op) { return nr_operand(op, nr_linalg_fill_output_index(op)); }
bool nr_linalg_fill_canonicalize(NrOp *op, NrBuilder *b);

#endif
