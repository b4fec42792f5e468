/* scf.h - structured control flow: builders, queries, and the hooks of the ops. */
#ifndef NORIA_DIALECT_SCF_SCF_H
#define NORIA_DIALECT_SCF_SCF_H

#include "dialect/scf/ops.h"
#include "ir/op_info.h"
#include "ir/text.h"

/* ---- building ---------------------------------------------------------------------------------------------------- */

/* Each makes the op with its regions' blocks and their arguments; the caller fills the blocks and ends them with
 * nr_scf_yield (nr_scf_condition for the first block of while). Results have the types of what the loop carries. */
NrOp *nr_scf_for(NrBuilder *b, NrValue *lower, NrValue *upper, NrValue *step, NrValue *const *inits, size_t num_inits);
/* The second region has a block only with_else. */
NrOp *nr_scf_if(NrBuilder *b, NrValue *condition, const NrType *results, size_t num_results, bool with_else);
NrOp *nr_scf_while(NrBuilder *b, NrValue *const *inits, size_t num_inits, const NrType *results, size_t num_results);
/* Ends in scf.reduce, which the caller appends: without operands when there are no inits. */
NrOp *nr_scf_parallel(NrBuilder *b, NrValue *const *lower, NrValue *const *upper, NrValue *const *step, size_t rank,
                      NrValue *const *inits, size_t num_inits);
NrOp *nr_scf_yield(NrBuilder *b, NrValue *const *values, size_t count);
NrOp *nr_scf_yield_results_of(NrBlock *block, NrOp *const *ops, size_t count); /* all of theirs, at the end of block */
NrOp *nr_scf_condition(NrBuilder *b, NrValue *condition, NrValue *const *values, size_t count);
NrOp *nr_scf_reduce(NrBuilder *b, NrValue *const *values, size_t count); /* regions are empty: one per value */
/* Builders that add ops at the end of the first block of region i of op. */
NrBuilder nr_scf_body_builder(NrOp *op, size_t i);
/* A loop being filled: opens scf.for over [from, to) by step at b, which then stands in the body; carried becomes the
 * body's arguments, *out_iv its induction variable. close yields carried, moves b behind the loop and makes carried its
 * results. */
NrOp *nr_scf_open_for(NrBuilder *b, NrValue *from, NrValue *to, NrValue *step, NrValue **carried, size_t count,
                      NrValue **out_iv);
void nr_scf_close_for(NrBuilder *b, NrOp *loop, NrValue **carried, size_t count);

/* ---- parts of scf.for -------------------------------------------------------------------------------------------- */

static inline NrValue *nr_scf_for_iv(const NrOp *op) { return nr_block_arg(nr_scf_for_body(op), 0); }
static inline uint32_t nr_scf_for_num_inits(const NrOp *op) { return op->num_operands - NR_SCF_FOR_INIT_ARGS; }
static inline NrValue *nr_scf_for_init(const NrOp *op, uint32_t i) { return nr_operand(op, NR_SCF_FOR_INIT_ARGS + i); }
static inline NrValue *nr_scf_for_arg(const NrOp *op, uint32_t i) { return nr_block_arg(nr_scf_for_body(op), 1 + i); }
/* The number of iterations when bounds and step are constant; false when they are not or the number does not fit. */
bool nr_scf_for_trip_count(const NrOp *op, uint64_t *out);
/* The number of points from lower up to upper in steps of step (positive), of integers of the given width. */
bool nr_scf_trip_count(int64_t lower, int64_t upper, int64_t step, bool is_unsigned, uint64_t *out);

/* The op with other carried values: drop[i] takes out number i. Its argument must have no uses left, nor its result.
 * The old op is erased; returns the new one. */
NrOp *nr_scf_for_drop_carried(NrOp *op, const bool *drop);

/* fewer, made of op, has op's results without those with drop[i], which have no uses. Replaces the uses of the others
 * and erases op. */
void nr_scf_replace_kept(NrOp *op, NrOp *fewer, const bool *drop);

/* The op with more operands and results behind those that it has: the regions move, and the caller adds to the blocks'
 * arguments and terminators. The old op is erased; returns the new one. For ops whose last operands, if any more are
 * given, and results are the carried ones. */
NrOp *nr_scf_extend(NrOp *op, NrValue *const *operands, size_t num_operands, const NrType *results,
                    size_t num_results);

/* ops move to the end of a block of outer, which yields their results; outer has as many and takes over their uses. */
void nr_scf_take_in(NrOp *outer, NrBlock *block, NrOp *const *ops, size_t count);

/* Moves the ops of a block before op, with values for its arguments, leaving the terminator behind; the block must be
 * op's. */
void nr_scf_inline_before(NrOp *op, NrBlock *block, NrValue *const *args);

/* ---- reductions of scf.parallel ---------------------------------------------------------------------------------- */

/* The op that combines the two arguments of a reduction and is all that there is in it, or NULL: it is commutative. */
NrOp *nr_scf_combining_op(const NrBlock *reduction);

/* The run-time message of a parallel loop with noInit that has no points. */
extern const char nr_scf_no_value[];

/* ---- loops that are left from inside ----------------------------------------------------------------------------- */

bool nr_scf_is_exit(const NrOp *op);            /* scf.break, scf.continue: operand 0 is the token */
/* Where the values of scf.break and scf.continue begin, behind the token. */
enum { NR_SCF_EXIT_VALUES = NR_SCF_BREAK_RESULTS };
_Static_assert(NR_SCF_CONTINUE_INITS == NR_SCF_BREAK_RESULTS, "they have one shape");
NrOp *nr_scf_exit_loop(const NrOp *exit);       /* the scf.loop that is meant, or NULL */
bool nr_scf_has_exits(NrOp *op);                /* op is one, or has one inside */

/* ---- hooks ------------------------------------------------------------------------------------------------------- */

NrStatus nr_scf_for_verify(NrOp *op);
NrStatus nr_scf_if_verify(NrOp *op);
NrStatus nr_scf_while_verify(NrOp *op);
NrStatus nr_scf_yield_verify(NrOp *op);
NrStatus nr_scf_parallel_verify(NrOp *op);
NrStatus nr_scf_reduce_verify(NrOp *op);
NrStatus nr_scf_reduce_return_verify(NrOp *op);
NrStatus nr_scf_execute_region_verify(NrOp *op);
NrStatus nr_scf_index_switch_verify(NrOp *op);
NrStatus nr_scf_forall_verify(NrOp *op);

const char *nr_scf_parallel_refuse_text(const NrOp *op, bool legacy);
const char *nr_scf_for_refuse_text(const NrOp *op, bool legacy);

NrStatus nr_scf_loop_verify(NrOp *op);
NrStatus nr_scf_exit_verify(NrOp *op);

NrStatus nr_scf_loop_parse(NrParser *p, NrOpState *state);
NrStatus nr_scf_exit_parse(NrParser *p, NrOpState *state);
NrStatus nr_scf_for_parse(NrParser *p, NrOpState *state);
NrStatus nr_scf_if_parse(NrParser *p, NrOpState *state);
NrStatus nr_scf_while_parse(NrParser *p, NrOpState *state);
NrStatus nr_scf_execute_region_parse(NrParser *p, NrOpState *state);
NrStatus nr_scf_index_switch_parse(NrParser *p, NrOpState *state);
NrStatus nr_scf_parallel_parse(NrParser *p, NrOpState *state);
NrStatus nr_scf_reduce_parse(NrParser *p, NrOpState *state);
NrStatus nr_scf_forall_parse(NrParser *p, NrOpState *state);
NrStatus nr_scf_in_parallel_parse(NrParser *p, NrOpState *state);
NrStatus nr_scf_in_parallel_verify(NrOp *op);
NrStatus nr_scf_yield_post_parse(NrParser *p, NrOp *op);
NrStatus nr_scf_parallel_post_parse(NrParser *p, NrOp *op);
NrStatus nr_scf_index_switch_post_parse(NrParser *p, NrOp *op);

void nr_scf_loop_print(NrPrinter *w, NrOp *op);
void nr_scf_exit_print(NrPrinter *w, NrOp *op);
void nr_scf_for_print(NrPrinter *w, NrOp *op);
void nr_scf_if_print(NrPrinter *w, NrOp *op);
void nr_scf_while_print(NrPrinter *w, NrOp *op);
void nr_scf_execute_region_print(NrPrinter *w, NrOp *op);
void nr_scf_index_switch_print(NrPrinter *w, NrOp *op);
void nr_scf_parallel_print(NrPrinter *w, NrOp *op);
void nr_scf_reduce_print(NrPrinter *w, NrOp *op);
void nr_scf_forall_print(NrPrinter *w, NrOp *op);
void nr_scf_in_parallel_print(NrPrinter *w, NrOp *op);

size_t nr_scf_if_choose_edge(const NrOp *op, const NrAttr *operand_constants);
size_t nr_scf_condition_choose_edge(const NrOp *op, const NrAttr *operand_constants);
size_t nr_scf_index_switch_choose_edge(const NrOp *op, const NrAttr *operand_constants);
bool nr_scf_for_canonicalize(NrOp *op, NrBuilder *b);
bool nr_scf_if_canonicalize(NrOp *op, NrBuilder *b);
bool nr_scf_while_canonicalize(NrOp *op, NrBuilder *b);
bool nr_scf_parallel_canonicalize(NrOp *op, NrBuilder *b);
bool nr_scf_execute_region_canonicalize(NrOp *op, NrBuilder *b);
bool nr_scf_index_switch_canonicalize(NrOp *op, NrBuilder *b);
bool nr_scf_loop_canonicalize(NrOp *op, NrBuilder *b);
bool nr_scf_forall_canonicalize(NrOp *op, NrBuilder *b);

#endif
