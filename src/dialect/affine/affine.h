/* affine.h - rules of dims and symbols, maps with their operands, and the hooks of the ops. */
#ifndef NORIA_DIALECT_AFFINE_AFFINE_H
#define NORIA_DIALECT_AFFINE_AFFINE_H

#include "dialect/affine/ops.h"
#include "dialect/memref/memref.h"

/* ---- dims and symbols (valid.c) ---------------------------------------------------------------------------------- */

bool nr_affine_is_dim(NrValue *value);
bool nr_affine_is_symbol(NrValue *value);
bool nr_affine_is_iv(const NrValue *value); /* of affine.for or affine.parallel */
/* Verifies the operands from `first` on as dims and symbols; reports the first invalid one. */
NrStatus nr_affine_verify_operands(NrOp *op, size_t first, size_t num_dims, size_t num_symbols);

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static inline size_t nr_affine_num_inputs(NrAttr map) { return (size_t)map->num_dims + map->num_symbols; }
/* Where the operands of the map begin, in ops with one map. */
size_t nr_affine_map_operands(const NrOp *op);
static inline NrAttr nr_affine_bound_map(const NrOp *op, bool upper) {
  return nr_op_attr(op, upper ? NR_A_upperBoundMap : NR_A_lowerBoundMap);
}
/* Where a bound's operands begin in affine.for; those of inits with upper = 2. */
size_t nr_affine_for_begin(const NrOp *op, int group);
static inline uint32_t nr_affine_for_num_inits(const NrOp *op) { return op->num_results; }
/* Results of a bounds map that belong to induction variable i of affine.parallel. */
void nr_affine_parallel_group(const NrOp *op, bool upper, uint32_t i, uint32_t *out_begin, uint32_t *out_count);
int64_t nr_affine_parallel_step(const NrOp *op, uint32_t i);
NrAttr nr_affine_groups(NrContext *ctx, const int32_t *sizes, size_t count); /* as affine.parallel keeps them */
/* A bound of an induction variable of affine.for or affine.parallel: of these results of a map over the loop's operands
 * from `first` on the greatest (lower) or least (upper). */
typedef struct NrAffineBound {
  NrAttr map;
  uint32_t begin, count;
  size_t first;
} NrAffineBound;
NrAffineBound nr_affine_iv_bound(const NrValue *iv, bool upper);
bool nr_affine_iv_constant_bound(const NrValue *iv, bool upper, int64_t *out); /* false: it is not one constant */
int64_t nr_affine_iv_step(const NrValue *iv);
/* Result i of delinearize_index or linearize_index over its operands, of which *out_dims are dims. */
NrAffineExpr nr_affine_index_expr(const NrOp *op, uint32_t i, uint32_t *out_dims);
/* The maps of affine.dma_start, in the order of its places; dma_wait has the last of them only. A NULL ends them. */
enum { NR_AFFINE_DMA_PLACES = 3 };
extern const char *const nr_affine_dma_maps[];
/* Where the parts of an affine.dma_start begin, as in memref.dma_start but for n, which stands behind the tag. False
 * when the operands are not those that the maps call for. */
bool nr_affine_dma_parts(const NrOp *op, NrDmaParts *out);

/* The least (or greatest) of a map's results that are constants; false when none is. */
bool nr_affine_constant_extreme(NrAttr map, bool greatest, int64_t *out);

/* ---- building (compose.c, expand.c) ------------------------------------------------------------------------------ */

/* A map or set with its operands, dims first. */
typedef struct NrAffineApplied {
  NrAttr map;
  NR_VEC(NrValue *) operands;
} NrAffineApplied;
/* Composes the map with the affine.apply ops that compute its operands, makes symbols of dims that are valid symbols,
 * drops duplicate, constant and unused operands, and simplifies. `first`: index of the first operand in op. Deinit the
 * operands. */
NrAffineApplied nr_affine_compose(NrOp *op, NrAttr map, size_t first);
NrAttr nr_affine_with_exprs(NrAttr map, const NrAffineExpr *exprs, const bool *is_equality, size_t count);

/* Ops of arith that compute an expression over operands, dims first; right for negative values. */
NrValue *nr_affine_expand(NrBuilder *b, NrAffineExpr e, uint32_t num_dims, NrValue *const *operands);
/* The same where no operand is negative, as indices of loops from 0. */
NrValue *nr_affine_expand_indices(NrBuilder *b, NrAffineExpr e, uint32_t num_dims, NrValue *const *operands);
/* The least (or greatest) of count of a map's results, from `begin` on. */
NrValue *nr_affine_expand_extreme(NrBuilder *b, NrAttr map, uint32_t begin, uint32_t count, NrValue *const *operands,
                                  bool greatest);
NrValue *nr_affine_build(NrBuilder *b, unsigned op_id, NrAttr map, NrValue *const *operands); /* apply, min or max */
/* An affine.parallel over the points of an affine.for, with as many results, of these kinds. The body is empty. */
NrOp *nr_affine_parallel_like(NrBuilder *b, const NrOp *loop, const int64_t *kinds);

/* ---- hooks ------------------------------------------------------------------------------------------------------- */

NrStatus nr_affine_apply_verify(NrOp *op);
NrStatus nr_affine_min_max_verify(NrOp *op);
NrStatus nr_affine_delinearize_verify(NrOp *op);
NrStatus nr_affine_linearize_verify(NrOp *op);
NrStatus nr_affine_for_verify(NrOp *op);
NrStatus nr_affine_if_verify(NrOp *op);
NrStatus nr_affine_parallel_verify(NrOp *op);
NrStatus nr_affine_yield_verify(NrOp *op);
NrStatus nr_affine_access_verify(NrOp *op);
NrStatus nr_affine_dma_start_verify(NrOp *op);
NrStatus nr_affine_dma_wait_verify(NrOp *op);

NrStatus nr_affine_apply_parse(NrParser *p, NrOpState *state);
NrStatus nr_affine_min_max_parse(NrParser *p, NrOpState *state);
NrStatus nr_affine_delinearize_parse(NrParser *p, NrOpState *state);
NrStatus nr_affine_linearize_parse(NrParser *p, NrOpState *state);
NrStatus nr_affine_for_parse(NrParser *p, NrOpState *state);
NrStatus nr_affine_if_parse(NrParser *p, NrOpState *state);
NrStatus nr_affine_parallel_parse(NrParser *p, NrOpState *state);
NrStatus nr_affine_access_parse(NrParser *p, NrOpState *state); /* load to dma_wait */
NrStatus nr_affine_for_post_parse(NrParser *p, NrOp *op);
NrStatus nr_affine_parallel_post_parse(NrParser *p, NrOp *op);

void nr_affine_map_op_print(NrPrinter *w, NrOp *op);
void nr_affine_delinearize_print(NrPrinter *w, NrOp *op);
void nr_affine_linearize_print(NrPrinter *w, NrOp *op);
void nr_affine_for_print(NrPrinter *w, NrOp *op);
void nr_affine_if_print(NrPrinter *w, NrOp *op);
void nr_affine_parallel_print(NrPrinter *w, NrOp *op);
void nr_affine_load_print(NrPrinter *w, NrOp *op);
void nr_affine_store_print(NrPrinter *w, NrOp *op);
void nr_affine_prefetch_print(NrPrinter *w, NrOp *op);
void nr_affine_dma_start_print(NrPrinter *w, NrOp *op);
void nr_affine_dma_wait_print(NrPrinter *w, NrOp *op);

bool nr_affine_apply_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_affine_min_max_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_affine_delinearize_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_affine_linearize_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_affine_map_canonicalize(NrOp *op, NrBuilder *b);
bool nr_affine_dma_canonicalize(NrOp *op, NrBuilder *b);
bool nr_affine_min_max_canonicalize(NrOp *op, NrBuilder *b);
bool nr_affine_delinearize_canonicalize(NrOp *op, NrBuilder *b);
bool nr_affine_linearize_canonicalize(NrOp *op, NrBuilder *b);
bool nr_affine_for_canonicalize(NrOp *op, NrBuilder *b);
bool nr_affine_if_canonicalize(NrOp *op, NrBuilder *b);
bool nr_affine_parallel_canonicalize(NrOp *op, NrBuilder *b);

#endif
