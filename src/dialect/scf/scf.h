/* scf.h - structured control flow: builders, queries, and the hooks of the ops. */
#ifndef NORIA_DIALECT_SCF_SCF_H
#define NORIA_DIALECT_SCF_SCF_H

#include "dialect/scf/ops.h"
#include "dialect/shared/shaped.h"
#include "ir/op_info.h"
#include "ir/text.h"

/* ---- building ---------------------------------------------------------------------------------------------------- */

/* Each builder makes the op with its regions' blocks and their arguments; the caller fills the blocks and ends them
 * with nr_scf_yield (nr_scf_condition for the first block of while). Results have the types of the carried values. */
NrOp *nr_scf_for(NrBuilder *b, NrValue *lower, NrValue *upper, NrValue *step, NrValue *const *inits, size_t num_inits);
/* Only with_else gives the second region a block. */
NrOp *nr_scf_if(NrBuilder *b, NrValue *condition, const NrType *results, size_t num_results, bool with_else);
NrOp *nr_scf_while(NrBuilder *b, NrValue *const *inits, size_t num_inits, const NrType *results, size_t num_results);
/* The caller appends the terminator scf.reduce, which has no operands when there are no inits. */
NrOp *nr_scf_parallel(NrBuilder *b, NrValue *const *lower, NrValue *const *upper, NrValue *const *step, size_t rank,
                      NrValue *const *inits, size_t num_inits);
NrOp *nr_scf_yield(NrBuilder *b, NrValue *const *values, size_t count);
/* yields all their results at the end of block */
NrOp *nr_scf_yield_results_of(NrBlock *block, NrOp *const *ops, size_t count);
NrOp *nr_scf_condition(NrBuilder *b, NrValue *condition, NrValue *const *values, size_t count);
NrOp *nr_scf_reduce(NrBuilder *b, NrValue *const *values, size_t count); /* one empty region per value */
/* A builder that adds ops at the end of a body, at the location of the op around it. */
NrBuilder nr_scf_body_builder(NrBlock *body);
/* A loop under construction. open_for builds an scf.for over [from, to) by step and moves b into its body; carried
 * becomes the body's arguments, *out_iv the induction variable. close_for yields carried, moves b behind the loop and
 * sets carried to its results. */
NrOp *nr_scf_open_for(NrBuilder *b, NrValue *from, NrValue *to, NrValue *step, NrValue **carried, size_t count,
                      NrValue **out_iv);
void nr_scf_close_for(NrBuilder *b, NrOp *loop, NrValue **carried, size_t count);

/* ---- accessors of scf.for ---------------------------------------------------------------------------------------- */

static inline NrValue *nr_scf_for_iv(const NrOp *op) { return nr_block_arg(nr_scf_for_body(op), 0); }
static inline uint32_t nr_scf_for_num_inits(const NrOp *op) { return op->num_operands - NR_SCF_FOR_INIT_ARGS; }
static inline NrValue *nr_scf_for_init(const NrOp *op, uint32_t i) { return nr_operand(op, NR_SCF_FOR_INIT_ARGS + i); }
static inline NrValue *nr_scf_for_arg(const NrOp *op, uint32_t i) { return nr_block_arg(nr_scf_for_body(op), 1 + i); }
extern const NrIndexListSlot nr_scf_forall_slots[3]; /* lower bounds, upper bounds and steps of scf.forall */
/* Whether a loop has noria.loop = {vectorize = false}. */
bool nr_scf_stays_scalar(const NrOp *loop);
/* Gives an scf.parallel what the scf.forall that it is made of says of its loop: mapping, noria.loop and
 * noria.point_ns. */
void nr_scf_keep_forall_attrs(const NrOp *forall, NrOp *parallel);
/* The number of iterations; false when bounds or step are not constant, or the number does not fit. */
bool nr_scf_for_trip_count(const NrOp *op, uint64_t *out);
/* The number of iterations from lower up to upper by a positive step; false for an invalid step. */
bool nr_scf_trip_count(int64_t lower, int64_t upper, int64_t step, bool is_unsigned, uint64_t *out);

/* Rebuilds the op without the carried values i with drop[i], whose arguments and results have no uses. Erases the old
 * op and returns the new one. */
NrOp *nr_scf_for_drop_carried(NrOp *op, const bool *drop);

/* fewer, built from op, has op's results without those with drop[i], which have no uses. Replaces the uses of the
 * others and erases op. */
void nr_scf_replace_kept(NrOp *op, NrOp *fewer, const bool *drop);

/* Rebuilds the op with additional operands and results behind its own: moves the regions, whose arguments and
 * terminators the caller extends. Erases the old op and returns the new one. For ops whose last operands (if any are
 * added) and results are the carried values. */
NrOp *nr_scf_extend(NrOp *op, NrValue *const *operands, size_t num_operands, const NrType *results,
                    size_t num_results);

/* Moves ops to the end of a block of outer, which then yields their results; outer has a result for each and takes over
 * their uses. */
void nr_scf_take_in(NrOp *outer, NrBlock *block, NrOp *const *ops, size_t count);

/* Moves the ops of a block of op before op, with args replacing its arguments. The terminator stays in the block. */
void nr_scf_inline_before(NrOp *op, NrBlock *block, NrValue *const *args);

/* ---- reductions of scf.parallel ---------------------------------------------------------------------------------- */

/* The op that combines the two arguments of a reduction, if it is the only one and commutative; otherwise NULL. */
NrOp *nr_scf_combining_op(const NrBlock *reduction);

/* The run-time message for a parallel loop with noInit that has no points. */
extern const char nr_scf_no_value[];

/* ---- loop exits -------------------------------------------------------------------------------------------------- */

bool nr_scf_is_exit(const NrOp *op);            /* scf.break or scf.continue: operand 0 is the token */
/* Index of the first value operand of scf.break and scf.continue, after the token. */
enum { NR_SCF_EXIT_VALUES = NR_SCF_BREAK_RESULTS };
_Static_assert(NR_SCF_CONTINUE_INITS == NR_SCF_BREAK_RESULTS, "they have one shape");
NrOp *nr_scf_exit_loop(const NrOp *exit);       /* the scf.loop that the token identifies, or NULL */
bool nr_scf_has_exits(NrOp *op);                /* whether op is an exit or contains one */

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
void nr_scf_if_build_branch(const NrOp *op, NrBuilder *b, const NrBranchTarget *targets, size_t count);
void nr_scf_condition_build_branch(const NrOp *op, NrBuilder *b, const NrBranchTarget *targets, size_t count);
void nr_scf_index_switch_build_branch(const NrOp *op, NrBuilder *b, const NrBranchTarget *targets, size_t count);
bool nr_scf_for_loop_range(const NrOp *op, uint32_t i, NrLoopRange *out);
bool nr_scf_parallel_loop_range(const NrOp *op, uint32_t i, NrLoopRange *out);
bool nr_scf_forall_loop_range(const NrOp *op, uint32_t i, NrLoopRange *out);
bool nr_scf_for_canonicalize(NrOp *op, NrBuilder *b);
bool nr_scf_if_canonicalize(NrOp *op, NrBuilder *b);
bool nr_scf_while_canonicalize(NrOp *op, NrBuilder *b);
bool nr_scf_parallel_canonicalize(NrOp *op, NrBuilder *b);
bool nr_scf_execute_region_canonicalize(NrOp *op, NrBuilder *b);
bool nr_scf_index_switch_canonicalize(NrOp *op, NrBuilder *b);
bool nr_scf_loop_canonicalize(NrOp *op, NrBuilder *b);
bool nr_scf_forall_canonicalize(NrOp *op, NrBuilder *b);

#endif
