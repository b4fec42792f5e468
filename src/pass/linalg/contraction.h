/* contraction.h - what the files of vectorize-contractions share. Internal to them. */
#ifndef NORIA_PASS_LINALG_CONTRACTION_H
#define NORIA_PASS_LINALG_CONTRACTION_H

#include "dialect/linalg/linalg.h"
#include "pass/core/pass.h"

enum { NR_CONTRACTION_LOOPS = 16, NR_CONTRACTION_INPUTS = 8 }; /* at most */

/* A reduction that becomes loops over vectors. */
typedef struct NrContraction {
  NrOp *op;
  NrBuilder b;
  const NrTarget *target;
  size_t num_loops, num_inputs;
  bool reduction[NR_CONTRACTION_LOOPS];
  NrIndex ranges[NR_CONTRACTION_LOOPS];
  NrValue *bounds[NR_CONTRACTION_LOOPS];
  NrValue *ivs[NR_CONTRACTION_LOOPS];
  NrType elem;         /* of the output */
  NrOp *combine;       /* the op of the body that joins the accumulator with the new term */
  uint32_t acc_operand; /* which operand of combine is the accumulator */
  /* the choice */
  uint32_t lanes;
  int v;               /* loop dim of the lanes */
  bool dot;            /* v is a reduction */
  int u, w;            /* parallel dims that are unrolled, -1 = none; w only for dot */
  uint32_t tile_u, tile_v; /* tile_v: vectors along v, or elements along w for dot */
} NrContraction;

/* Whether c->op is one that can be vectorized; says what it consists of. */
bool nr_contraction_read(NrContraction *c);
/* Chooses lanes and tiles for the ranges; false when no dim is worth lanes. */
bool nr_contraction_choose(NrContraction *c);

/* How operand k moves when loop dim d advances by one. */
typedef enum NrAlong { NR_ALONG_INVARIANT, NR_ALONG_CONTIGUOUS, NR_ALONG_SCATTERED } NrAlong;
NrAlong nr_contraction_along(const NrContraction *c, size_t k, uint32_t d);
/* Of loop dim d, 1 when there is none (-1). Short ranges waste lanes; an unknown one is taken to be long. */
int64_t nr_contraction_range(const NrContraction *c, int d);

#endif
