/* state.h - what the lowering of one function keeps; for src/onnx/lower/core only. */
#ifndef NORIA_ONNX_LOWER_CORE_STATE_H
#define NORIA_ONNX_LOWER_CORE_STATE_H

#include "onnx/lower/core/lower.h"

/* An If whose branches give values of different rank: one branch is compiled, the other fails the run (if.c). */
typedef struct NrChoice {
  NrOp *op;
  unsigned branch; /* 0 then, 1 else */
} NrChoice;

/* A named dim of the function's inputs. */
typedef struct NrSymbol {
  NrStr name;
  NrDim dim;
} NrSymbol;

typedef struct NrLowerState {
  NrArena arena;
  NrMap values;  /* onnx value -> NrLowered* */
  NrMap dims;    /* lowered tensor -> NrDim[rank], .value NULL and size NR_DYNAMIC where no tensor.dim was made yet */
  NrMap carried; /* onnx loop op -> the carried types that it was generalised to (loop.c) */
  NR_VEC(NrChoice) choices; /* in the order in which they were met */
  unsigned tries;           /* how often a choice was changed */
  NR_VEC(NrSymbol) symbols;
  NrInferred *inferred;     /* NULL: nothing is recorded */
  NrStatus refused;         /* of the op being lowered: an error was reported where none could be returned */
} NrLowerState;

/* The branch chosen for op, the first one when it is met for the first time. */
unsigned nr_lower_choice(NrLower *l, NrOp *op);
/* After a failure: turns the last choice since `first` that has an alternative. False when there is none. */
bool nr_lower_next_choice(NrLower *l, size_t first);

/* Sets what a dim of a lowered tensor is, so that nr_lower_dim finds it. */
void nr_lower_set_dim(NrLower *l, NrValue *tensor, size_t i, NrDim d);
/* Keeps what a value was lowered to, and which results of l->op, whose lowering began behind op `before` of the block,
 * are known elements (infer.c). Only with state->inferred. */
void nr_lower_record_value(NrLower *l, NrValue *onnx_value, const NrLowered *v);
void nr_lower_record_constants(NrLower *l, const NrOp *before);
/* Folds op with the constants among its operands; its result if not. Erases op when it folds. */
NrValue *nr_lower_fold(NrLower *l, NrOp *op);

#endif
