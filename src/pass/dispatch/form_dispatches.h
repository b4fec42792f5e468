/* form_dispatches.h - what the files of form-dispatches share. Internal to them. */
#ifndef NORIA_PASS_DISPATCH_FORM_DISPATCHES_H
#define NORIA_PASS_DISPATCH_FORM_DISPATCHES_H

#include "dialect/linalg/linalg.h"
#include "pass/core/pass.h"

enum { NR_DISPATCH_CAPTURES = 64, NR_DISPATCH_RESULTS = 8 }; /* at most; no op has more operands than captures */

/* A structured op that becomes a dispatch. */
typedef struct NrFormedDispatch {
  NrOp *op;
  NrBuilder host;
  size_t num_inputs, num_outputs;
  int split; /* loop dim that is cut, -1 = one workgroup */
  int64_t tile;
  NrValue *captured[NR_DISPATCH_CAPTURES]; /* tensors, then scalars */
  size_t num_tensors, num_scalars;
  bool tied[NR_DISPATCH_CAPTURES]; /* a tensor that a result is computed in */
  int64_t result_tie[NR_DISPATCH_RESULTS];
} NrFormedDispatch;

/* Which capture the value is; SIZE_MAX: none. */
size_t nr_dispatch_find(const NrFormedDispatch *w, const NrValue *value);
/* Dim of operand k that loop d cuts; -1: none; -2: it cannot be cut. */
int nr_dispatch_cut_dim(NrOp *op, size_t k, uint32_t d);
/* The value of a fill, by which an init is made again inside; NULL when it is none. */
NrValue *nr_dispatch_init_scalar(const NrValue *init);
/* Defined neither by op nor in it. */
bool nr_dispatch_is_outside(const NrOp *op, const NrValue *value);

/* Replaces the op (form_dispatches_build.c). */
void nr_dispatch_build(NrFormedDispatch *w);

#endif
