/* util.h - functions with tied results, globals, and the hooks that are defined outside util.c. */
#ifndef NORIA_DIALECT_UTIL_UTIL_H
#define NORIA_DIALECT_UTIL_UTIL_H

#include "dialect/shared/tied.h"
#include "dialect/shared/shaped.h"
#include "dialect/shared/visibility.h"
#include "dialect/util/ops.h"

/* ---- signatures with tied results, of util.func and flow.func --------------------------------------------------- */

typedef struct NrTiedArgs {
  NR_VEC(NrArgRef) refs; /* empty for a declaration without names */
} NrTiedArgs;
/* Parses `[visibility] @name(%a: t {..}, ..) -> (t {..}, %a, %a as t) attributes {..}` and adds the attributes of the
 * function. A list of results may stand without parentheses, then without attributes. Deinit out_args always. */
NrStatus nr_util_p_signature(NrParser *p, NrOpState *state, NrTiedArgs *out_args);
void nr_util_w_signature(NrPrinter *w, NrOp *op);
/* Verifies that each entry of tied_operands is -1 or an argument. */
NrStatus nr_util_tied_verify(NrOp *op, size_t num_results, size_t num_arguments);

/* ---- globals ----------------------------------------------------------------------------------------------------- */

/* The util.global that an op of globals names, or NULL. */
NrOp *nr_util_global_of(NrOp *op);
/* The global that a pointer is known to refer to, or NULL. */
NrOp *nr_util_pointee(NrValue *pointer);

/* ---- hooks ------------------------------------------------------------------------------------------------------- */

NrStatus nr_util_func_parse(NrParser *p, NrOpState *state);
void nr_util_func_print(NrPrinter *w, NrOp *op);
NrStatus nr_util_func_verify(NrOp *op);
NrStatus nr_util_return_verify(NrOp *op);
NrStatus nr_util_call_parse(NrParser *p, NrOpState *state);
void nr_util_call_print(NrPrinter *w, NrOp *op);
NrStatus nr_util_call_verify(NrOp *op);
NrStatus nr_util_call_verify_symbol(NrOp *op, NrOp *callee);
NrStatus nr_util_initializer_parse(NrParser *p, NrOpState *state);
void nr_util_initializer_print(NrPrinter *w, NrOp *op);
bool nr_util_initializer_canonicalize(NrOp *op, NrBuilder *b);
NrStatus nr_util_global_parse(NrParser *p, NrOpState *state);
void nr_util_global_print(NrPrinter *w, NrOp *op);
NrStatus nr_util_global_verify(NrOp *op);
NrStatus nr_util_global_use_parse(NrParser *p, NrOpState *state);
void nr_util_global_use_print(NrPrinter *w, NrOp *op);
NrStatus nr_util_global_use_verify_symbol(NrOp *op, NrOp *global);
NrStatus nr_util_store_verify_symbol(NrOp *op, NrOp *global);
NrStatus nr_util_indirect_verify(NrOp *op);
bool nr_util_store_canonicalize(NrOp *op, NrBuilder *b);
bool nr_util_load_indirect_canonicalize(NrOp *op, NrBuilder *b);
bool nr_util_store_indirect_canonicalize(NrOp *op, NrBuilder *b);

/* What util.assume.int says of a value, if it is a result of one: the least and the greatest number that it can be, as
 * unsigned numbers (*out_max -1: any), and what it is a multiple of (1: nothing known). */
bool nr_util_assumed_bounds(const NrValue *value, int64_t *out_min, int64_t *out_max);
int64_t nr_util_assumed_divisor(const NrValue *value);

/* hints.c, assume.c and scalars.c */
NrStatus nr_util_same_types_verify(NrOp *op, const char *id);
#define NR_UTIL_TEXT(of)                                                                                               \
  NrStatus nr_util_##of##_parse(NrParser *p, NrOpState *state);                                                        \
  void nr_util_##of##_print(NrPrinter *w, NrOp *op);                                                                   \
  NrStatus nr_util_##of##_verify(NrOp *op);
NR_UTIL_TEXT(barrier)
NR_UTIL_TEXT(unfoldable)
NR_UTIL_TEXT(assume)
NR_UTIL_TEXT(narrow)
NR_UTIL_TEXT(switch)
NR_UTIL_TEXT(extents)
#undef NR_UTIL_TEXT
#define NR_UTIL_EXPAND(of) NrStatus nr_util_##of##_expand(NrOp *op, NrBuilder *b, NrValue **out);
NR_UTIL_EXPAND(barrier)
NR_UTIL_EXPAND(unfoldable)
NR_UTIL_EXPAND(assume)
NR_UTIL_EXPAND(align)
NR_UTIL_EXPAND(sizeof)
NR_UTIL_EXPAND(switch)
NR_UTIL_EXPAND(cmp)
NR_UTIL_EXPAND(range)
NR_UTIL_EXPAND(extents)
NR_UTIL_EXPAND(scf_unreachable)
#undef NR_UTIL_EXPAND
#define NR_UTIL_FOLD(of) bool nr_util_##of##_fold(NrOp *op, const NrAttr *constants, NrFold *out);
NR_UTIL_FOLD(assume)
NR_UTIL_FOLD(align)
NR_UTIL_FOLD(sizeof)
NR_UTIL_FOLD(switch)
NR_UTIL_FOLD(cmp)
NR_UTIL_FOLD(cast)
NR_UTIL_FOLD(range)
#undef NR_UTIL_FOLD
bool nr_util_unfoldable_canonicalize(NrOp *op, NrBuilder *b);
bool nr_util_cast_canonicalize(NrOp *op, NrBuilder *b);
bool nr_util_range_canonicalize(NrOp *op, NrBuilder *b);
bool nr_util_extents_canonicalize(NrOp *op, NrBuilder *b);
bool nr_util_assume_canonicalize(NrOp *op, NrBuilder *b);
NrStatus nr_util_assumption_parse(NrParser *p, NrAttr *out_params);
void nr_util_assumption_print(NrPrinter *w, const NrAttr *params);
NrStatus nr_util_sizeof_verify(NrOp *op);
NrStatus nr_util_cast_verify(NrOp *op);
NrStatus nr_util_range_verify(NrOp *op);

#endif
