/* affine.h - which values are valid dims and symbols, maps with their operands, and the hooks of the ops. */
#ifndef NORIA_DIALECT_AFFINE_AFFINE_H
#define NORIA_DIALECT_AFFINE_AFFINE_H

#include "dialect/affine/ops.h"
#include "dialect/memref/memref.h"

/* ---- dims and symbols (valid.c) ---------------------------------------------------------------------------------- */

bool nr_affine_is_dim(NrValue *value);
bool nr_affine_is_symbol(NrValue *value);
bool nr_affine_is_iv(const NrValue *value); /* an induction variable of affine.for or affine.parallel */
/* Verifies the operands from `first` on as dims and symbols; reports the first invalid one. */
NrStatus nr_affine_verify_operands(NrOp *op, size_t first, size_t num_dims, size_t num_symbols);

/* ---- accessors --------------------------------------------------------------------------------------------------- */

static inline size_t nr_affine_num_inputs(NrAttr map) { return (size_t)map->num_dims + map->num_symbols; }
/* Index of the first operand of the map, for ops with one map. */
size_t nr_affine_map_operands(const NrOp *op);
static inline NrAttr nr_affine_bound_map(const NrOp *op, bool upper) {
  return nr_op_attr(op, upper ? NR_A_upperBoundMap : NR_A_lowerBoundMap);
}
/* Index of the first operand of a group of affine.for: 0 the lower bound, 1 the upper bound, 2 the inits. */
size_t nr_affine_for_begin(const NrOp *op, int group);
static inline uint32_t nr_affine_for_num_inits(const NrOp *op) { return op->num_results; }
/* The range of results of a bounds map that belongs to induction variable i of affine.parallel. */
void nr_affine_parallel_group(const NrOp *op, bool upper, uint32_t i, uint32_t *out_begin, uint32_t *out_count);
int64_t nr_affine_parallel_step(const NrOp *op, uint32_t i);
/* the attribute lowerBoundsGroups or upperBoundsGroups */
NrAttr nr_affine_groups(NrContext *ctx, const int32_t *sizes, size_t count);
/* A bound of an induction variable of affine.for or affine.parallel. The lower bound is the maximum, the upper bound
 * the minimum, of `count` results of `map` from `begin` on; the map's operands are the loop's from `first` on. */
typedef struct NrAffineBound {
  NrAttr map;
  uint32_t begin, count;
  size_t first;
} NrAffineBound;
NrAffineBound nr_affine_iv_bound(const NrValue *iv, bool upper);
/* false unless the bound is a single constant */
bool nr_affine_iv_constant_bound(const NrValue *iv, bool upper, int64_t *out);
int64_t nr_affine_iv_step(const NrValue *iv);
/* Result i of delinearize_index or linearize_index as an expression over its operands, of which the first *out_dims are
 * dims. */
NrAffineExpr nr_affine_index_expr(const NrOp *op, uint32_t i, uint32_t *out_dims);
/* The attributes with the maps of affine.dma_start, in the order of its memrefs: source, target, tag; NULL-terminated.
 * affine.dma_wait has only the last. */
enum { NR_AFFINE_DMA_PLACES = 3 };
extern const char *const nr_affine_dma_maps[];
/* Operand indices of the parts of an affine.dma_start; its order differs from memref.dma_start in that n follows the
 * tag. False when the number of operands does not match the maps. */
bool nr_affine_dma_parts(const NrOp *op, NrDmaParts *out);

/* The minimum (or maximum) of those results of a map that are constants; false when none is constant. */
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

/* Builds arith ops that compute an expression over operands, dims first; correct for negative values. */
NrValue *nr_affine_expand(NrBuilder *b, NrAffineExpr e, uint32_t num_dims, NrValue *const *operands);
/* The same where no operand is negative, such as induction variables of loops from 0. */
NrValue *nr_affine_expand_indices(NrBuilder *b, NrAffineExpr e, uint32_t num_dims, NrValue *const *operands);
/* The minimum (or maximum) of `count` results of a map, from result `begin` on. */
NrValue *nr_affine_expand_extreme(NrBuilder *b, NrAttr map, uint32_t begin, uint32_t count, NrValue *const *operands,
                                  bool greatest);
/* op_id: affine.apply, min or max */
NrValue *nr_affine_build(NrBuilder *b, unsigned op_id, NrAttr map, NrValue *const *operands);
/* An affine.parallel with the iteration space of an affine.for and a result per reduction kind. The body is empty. */
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
bool nr_affine_for_loop_range(const NrOp *op, uint32_t i, NrLoopRange *out);
bool nr_affine_parallel_loop_range(const NrOp *op, uint32_t i, NrLoopRange *out);
bool nr_affine_for_canonicalize(NrOp *op, NrBuilder *b);
bool nr_affine_if_canonicalize(NrOp *op, NrBuilder *b);
bool nr_affine_parallel_canonicalize(NrOp *op, NrBuilder *b);

#endif
