/* expand.h - what passes that expand ops to simpler ones build with. Values are scalars or vectors of any rank; a
 * constant has the shape of the value that it is used with. */
#ifndef NORIA_PASS_EXPAND_EXPAND_H
#define NORIA_PASS_EXPAND_EXPAND_H

#include "base/float_format.h"
#include "dialect/arith/arith.h"
#include "pass/core/pass.h"

/* One run of such a pass. Each constant is built once, at the beginning of the function. */
typedef struct NrExpand {
  NrBuilder b;
  const NrTarget *target;
  NrRegion *owner; /* where the constants are: a function, or a body of a dispatch */
  NrMap constants; /* NrAttr -> NrValue * */
} NrExpand;

void nr_expand_at(NrExpand *x, NrOp *op); /* new ops go before op, and have its location */
void nr_expand_deinit(NrExpand *x);

/* Runs fn on each op that is nested in root when it begins, not on new ones; fn may replace its op. */
typedef NrStatus (*NrExpandFn)(NrExpand *x, NrOp *op);
NrStatus nr_expand_matching(NrPassContext *pass, NrOp *root, NrExpandFn fn);

/* ---- ops ---- */

NrType nr_expand_like(NrType elem, const NrValue *shape); /* elem, or a vector of it in the shape of shape */
/* A constant of the type: scalar itself, or a splat of it where the type is a vector. */
NrValue *nr_expand_constant(NrExpand *x, NrType type, NrAttr scalar);
NrValue *nr_expand_float(NrExpand *x, const NrValue *like, double value);
NrValue *nr_expand_int(NrExpand *x, const NrValue *like, uint64_t value);
NrValue *nr_expand_one(NrExpand *x, unsigned op_id, NrValue *a); /* of a's type */
NrValue *nr_expand_two(NrExpand *x, unsigned op_id, NrValue *a, NrValue *b);
NrValue *nr_expand_cast(NrExpand *x, unsigned op_id, NrValue *a, NrType elem);
NrValue *nr_expand_bits(NrExpand *x, NrValue *a);                /* the bits of a, as integers of the same width */
NrValue *nr_expand_from_bits(NrExpand *x, NrValue *a, NrType elem);
NrValue *nr_expand_compare(NrExpand *x, NrCmpF predicate, NrValue *a, double value);
NrValue *nr_expand_compare_int(NrExpand *x, NrCmpI predicate, NrValue *a, uint64_t value);
NrValue *nr_expand_pick(NrExpand *x, NrValue *cond, NrValue *yes, NrValue *no);
/* a * b + c, rounded once where the CPU has an instruction for it, else twice. */
NrValue *nr_expand_fused(NrExpand *x, NrValue *a, NrValue *b, NrValue *c);
/* Coefficients are in ascending order, the constant one first. */
NrValue *nr_expand_polynomial(NrExpand *x, NrValue *at, const double *coefficients, size_t count);
/* A function of the C library on f32 or f64, element by element; name is without the f of float. */
NrValue *nr_expand_libm(NrExpand *x, const char *name, NrValue *const *args, size_t count);
/* The same in a block that hardly ever runs. */
NrValue *nr_expand_rare_libm(NrExpand *x, const char *name, NrValue *const *args, size_t count);

/* ---- element by element ---- */

/* Whether all operands of op are scalars or vectors of fixed size, of types that machine code has. */
bool nr_expand_can(const NrOp *op);

/* Builds the results of op on args, which replace its operands, and stores them to out. */
typedef void (*NrExpandLaneFn)(NrExpand *x, NrOp *op, NrValue *const *args, NrValue **out);
/* Builds the results of op by fn: row by row where its vectors have more than one dim, so that the live values fit
 * in registers; element by element where scalars is set. */
void nr_expand_lanes(NrExpand *x, NrOp *op, bool scalars, NrExpandLaneFn fn, NrValue **out);
enum { NR_EXPAND_OPERANDS = 4, NR_EXPAND_RESULTS = 2 }; /* the maxima for such ops */

/* ---- branches ---- */

/* Whether op stands in the blocks of a function, so that branches may be put in its place. */
bool nr_expand_has_blocks(const NrOp *op);

/* ---- functions of f32 (math_f32.c, math_pow.c, math_trig.c) ---- */

NrValue *nr_expand_exp(NrExpand *x, NrValue *a);
NrValue *nr_expand_exp2(NrExpand *x, NrValue *a);
NrValue *nr_expand_expm1(NrExpand *x, NrValue *a);
NrValue *nr_expand_tanh(NrExpand *x, NrValue *a);
NrValue *nr_expand_log(NrExpand *x, NrValue *a);
NrValue *nr_expand_log2(NrExpand *x, NrValue *a);
NrValue *nr_expand_log10(NrExpand *x, NrValue *a);
NrValue *nr_expand_log1p(NrExpand *x, NrValue *a);
NrValue *nr_expand_erf(NrExpand *x, NrValue *a);
/* base to the power of y. exponent: the operand that y is, or is a row of; of a constant there may be less code. */
NrValue *nr_expand_pow(NrExpand *x, NrValue *base, NrValue *y, const NrValue *exponent);
typedef enum NrTrig { NR_SIN, NR_COS, NR_TAN } NrTrig;
/* The functions `which` of one angle; builds blocks in front of op. */
void nr_expand_trig(NrExpand *x, NrOp *op, const NrTrig *which, size_t count, NrValue *angle, NrValue **out);

#endif
