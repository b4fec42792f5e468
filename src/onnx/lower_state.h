/* lower_state.h - what the lowering of one function keeps; for src/onnx/lower*.c only. */
#ifndef NORIA_ONNX_LOWER_STATE_H
#define NORIA_ONNX_LOWER_STATE_H

#include "onnx/lower.h"

typedef struct NrLowerState {
  NrArena arena;
  NrMap values;  /* onnx value -> NrLowered* */
  NrMap dims;    /* lowered tensor -> NrDim[rank], .value NULL and size NR_DYNAMIC where not asked for yet */
  NrMap carried; /* onnx loop op -> the carried types that it was generalised to (lower_loop.c) */
} NrLowerState;

/* Sets what a dim of a lowered tensor is, so that nr_lower_dim finds it. */
void nr_lower_set_dim(NrLower *l, NrValue *tensor, size_t i, NrDim d);
/* Folds op with the constants among its operands; its result if not. Erases op when it folds. */
NrValue *nr_lower_fold(NrLower *l, NrOp *op);

#endif
