/* arith.h - builders of arith ops, and the hooks of the ops of arith and math. */
#ifndef NORIA_DIALECT_ARITH_ARITH_H
#define NORIA_DIALECT_ARITH_ARITH_H

#include "dialect/arith/compare.h"
#include "dialect/arith/ops.h"
#include "ir/op_info.h"
#include "ir/text.h"

/* ---- building ---------------------------------------------------------------------------------------------------- */

NrValue *nr_arith_constant(NrBuilder *b, NrAttr value); /* the result has the type of value */
/* false for signed and unsigned integers, for which nr_arith_constant adds a cast */
bool nr_arith_is_constant_type(NrType type);
NrValue *nr_arith_constant_index(NrBuilder *b, int64_t value);
NrValue *nr_arith_constant_int(NrBuilder *b, NrType type, int64_t value); /* integer or index type */
NrValue *nr_arith_binary(NrBuilder *b, unsigned op_id, NrValue *lhs, NrValue *rhs); /* the result has lhs's type */
NrValue *nr_arith_cmpi(NrBuilder *b, NrCmpI predicate, NrValue *lhs, NrValue *rhs);
NrValue *nr_arith_cmpf(NrBuilder *b, NrCmpF predicate, NrValue *lhs, NrValue *rhs);
NrValue *nr_arith_select(NrBuilder *b, NrValue *condition, NrValue *if_true, NrValue *if_false);

NrType nr_arith_bool_like(NrType type); /* i1, or a vector or tensor of i1 with type's shape */
/* Whether the fastmath attribute has `flag` ("nnan", "nsz", ..) or is "fast", which has all of them. */
bool nr_arith_fastmath_has(const NrOp *op, const char *flag);
/* The bits of #arith.fastmath, which are LLVM's, and of #arith.overflow. */
enum {
  NR_FASTMATH_REASSOC = 1 << 0, NR_FASTMATH_NNAN = 1 << 1, NR_FASTMATH_NINF = 1 << 2, NR_FASTMATH_NSZ = 1 << 3,
  NR_FASTMATH_ARCP = 1 << 4, NR_FASTMATH_CONTRACT = 1 << 5, NR_FASTMATH_AFN = 1 << 6,
  NR_OVERFLOW_NSW = 1 << 0, NR_OVERFLOW_NUW = 1 << 1,
};
NrAttr nr_arith_fastmath_attr(NrContext *ctx, unsigned flags);
NrAttr nr_arith_overflow_attr(NrContext *ctx, unsigned flags);
unsigned nr_arith_fastmath(const NrOp *op);
unsigned nr_arith_overflow(const NrOp *op);
/* Whether the op has a flag of `overflow<..>`: "nsw", no signed wrap, or "nuw", no unsigned wrap. */
bool nr_arith_overflow_has(const NrOp *op, const char *flag);

/* ---- syntax ------------------------------------------------------------------------------------------------------ */

/* "a, b flags attr-dict : type" and "a flags attr-dict : type to type"; flags are those of the op's attributes:
 * fastmath<..>, overflow<..>, exact, a rounding mode. */
NrStatus nr_arith_parse(NrParser *p, NrOpState *state);
void nr_arith_print(NrPrinter *w, NrOp *op);
NrStatus nr_arith_fastmath_parse(NrParser *p, NrAttr *out_params);
void nr_arith_fastmath_print(NrPrinter *w, const NrAttr *params);
NrStatus nr_arith_overflow_parse(NrParser *p, NrAttr *out_params);
void nr_arith_overflow_print(NrPrinter *w, const NrAttr *params);
NrStatus nr_arith_parse_flags(NrParser *p, NrOpState *state);
void nr_arith_print_flags(NrPrinter *w, NrOp *op);
/* The attributes that nr_arith_print_flags handles; NULL-terminated. */
extern const char *const nr_arith_flag_attrs[];

NrStatus nr_arith_verify_bool(NrOp *op); /* the result is i1 in the shape of operand 0 */
NrStatus nr_arith_infer_bool(NrContext *ctx, const NrOpState *state, NrType *out_types);

/* Hooks of arith.constant; func.constant has the same 2020 spelling `constant`, so it uses this parser too. */
NrStatus nr_arith_constant_parse(NrParser *p, NrOpState *state);
NrStatus nr_arith_constant_post_parse(NrParser *p, NrOp *op);

/* ---- fold hooks (fold_*.c) and canonicalizations (canonicalize*.c) ----------------------------------------------- */

#define NR_FOLD_HOOK(name) bool nr_arith_fold_##name(NrOp *op, const NrAttr *constants, NrFold *out)
NR_FOLD_HOOK(addi);
NR_FOLD_HOOK(addui);
NR_FOLD_HOOK(subi);
NR_FOLD_HOOK(muli);
NR_FOLD_HOOK(mulsi_extended);
NR_FOLD_HOOK(mului_extended);
NR_FOLD_HOOK(divui);
NR_FOLD_HOOK(divsi);
NR_FOLD_HOOK(ceildivui);
NR_FOLD_HOOK(ceildivsi);
NR_FOLD_HOOK(floordivsi);
NR_FOLD_HOOK(remui);
NR_FOLD_HOOK(remsi);
NR_FOLD_HOOK(andi);
NR_FOLD_HOOK(ori);
NR_FOLD_HOOK(xori);
NR_FOLD_HOOK(shli);
NR_FOLD_HOOK(shrui);
NR_FOLD_HOOK(shrsi);
NR_FOLD_HOOK(maxsi);
NR_FOLD_HOOK(maxui);
NR_FOLD_HOOK(minsi);
NR_FOLD_HOOK(minui);
NR_FOLD_HOOK(cmpi);
NR_FOLD_HOOK(negf);
NR_FOLD_HOOK(addf);
NR_FOLD_HOOK(subf);
NR_FOLD_HOOK(mulf);
NR_FOLD_HOOK(divf);
NR_FOLD_HOOK(remf);
NR_FOLD_HOOK(maximumf);
NR_FOLD_HOOK(maxnumf);
NR_FOLD_HOOK(minimumf);
NR_FOLD_HOOK(minnumf);
NR_FOLD_HOOK(cmpf);
NR_FOLD_HOOK(extui);
NR_FOLD_HOOK(extsi);
NR_FOLD_HOOK(trunci);
NR_FOLD_HOOK(extf);
NR_FOLD_HOOK(truncf);
NR_FOLD_HOOK(uitofp);
NR_FOLD_HOOK(sitofp);
NR_FOLD_HOOK(fptoui);
NR_FOLD_HOOK(fptosi);
NR_FOLD_HOOK(index_cast);
NR_FOLD_HOOK(index_castui);
NR_FOLD_HOOK(bitcast);
NR_FOLD_HOOK(select);
#undef NR_FOLD_HOOK

bool nr_arith_canon_addi(NrOp *op, NrBuilder *b);
bool nr_arith_canon_subi(NrOp *op, NrBuilder *b);
bool nr_arith_canon_muli(NrOp *op, NrBuilder *b);
bool nr_arith_canon_xori(NrOp *op, NrBuilder *b);
bool nr_arith_canon_cmpi(NrOp *op, NrBuilder *b);
bool nr_arith_canon_cmpi_widened(NrOp *op, NrBuilder *b); /* called by nr_arith_canon_cmpi */
bool nr_arith_canon_bits(NrOp *op, NrBuilder *b);
bool nr_arith_canon_negated(NrOp *op, NrBuilder *b);
bool nr_arith_canon_index_cast(NrOp *op, NrBuilder *b);
bool nr_arith_canon_ext(NrOp *op, NrBuilder *b);
bool nr_arith_canon_truncf(NrOp *op, NrBuilder *b);
bool nr_arith_canon_extended(NrOp *op, NrBuilder *b); /* addui_extended, mulsi_extended, mului_extended */
bool nr_arith_canon_trunci(NrOp *op, NrBuilder *b);
bool nr_arith_canon_select(NrOp *op, NrBuilder *b);

/* Whether the attribute is a float of a type that constant folding supports. */
bool nr_float_foldable(NrAttr attr);
/* Evaluates a float op on constants (nr_eval) when its operands and its result have such types. */
bool nr_fold_floats(NrOp *op, const NrAttr *constants, NrFold *out);

#endif
