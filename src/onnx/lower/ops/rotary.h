/* rotary.h - rotary embeddings, for the ops that have them in them. */
#ifndef NORIA_ONNX_LOWER_OPS_ROTARY_H
#define NORIA_ONNX_LOWER_OPS_ROTARY_H

#include "onnx/lower/core/body.h"

typedef struct NrRotary {
  NrValue *cos, *sin;  /* [positions, rotated / 2], or [batch, sequence, rotated / 2] without positions */
  NrValue *positions;  /* [batch, sequence] integers, or [1]: that of the first element; NULL: none */
  size_t sequence;     /* which dim of the tensor the sequence is */
  bool interleaved;    /* pairs are neighbours, else one half of a row and the other */
  NrDim rotated;       /* elements of a row that are rotated */
} NrRotary;
/* x: [batch, .., size] of rank 4. Checks all shapes, and positions in the run. NULL after an error. */
NrValue *nr_lower_rotate(NrLower *l, NrValue *x, const NrRotary *r);
/* The same for the node's input 0, which may have its heads side by side; rotated: 0 for whole rows. */
NrStatus nr_lower_rotary_of(NrLower *l, NrDim heads, int64_t rotated, NrRotary r);

#endif
