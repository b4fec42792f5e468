/* contraction.h - internal to the files of vectorize-contractions. */
#ifndef NORIA_PASS_LINALG_CONTRACTION_H
#define NORIA_PASS_LINALG_CONTRACTION_H

#include "dialect/linalg/linalg.h"
#include "pass/core/pass.h"

enum { NR_CONTRACTION_LOOPS = 16, NR_CONTRACTION_INPUTS = 8 }; /* maxima */

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
  NrOp *combine;       /* the op of the body that combines the accumulator with the new term */
  int rows;            /* the dim that u is to be, -1 = the one that saves the most loads */
  /* set by nr_contraction_choose */
  uint32_t lanes;
  int v;               /* loop dim that is vectorized */
  bool dot;            /* v is a reduction */
  int u, w;            /* parallel dims that are unrolled, -1 = none; w only for dot */
  uint32_t tile_u, tile_v; /* tile_v: vectors along v, or elements along w for dot */
  /* What is loaded along v is copied first, PANEL_BYTES of it at a time, where many tiles along u read it again. */
  int packed;          /* the input, -1 = none */
  int k;               /* the reduction dim, of which a panel holds `depth` iterations */
  int64_t depth;
  NrValue *panel;      /* [depth * vectors * lanes], on the stack */
  NrValue *begin, *count; /* its first iteration, and how many it has */
  NrValue *in_panel;   /* an iteration of k, counted from the first */
  /* Sums of products of bytes, which rt.dot adds by four. Both inputs have four bytes of the sum side by side; in one,
   * the `wide` one, those of the next element along v follow. */
  int four;            /* the reduction dim of these bytes, -1 = none */
  size_t wide;
  bool is_unsigned[2]; /* the inputs */
  NrValue *bytes;      /* the wide input with v and four as one dim */
} NrContraction;

/* Merges loops of a structured op on memrefs where they run over the elements of all operands in order; it is replaced
 * then (merge_loops.c). */
NrOp *nr_linalg_merge_loops(NrOp *op);
/* Moves the body of a structured op to another one with as many operands and other loops, and gives it the attributes
 * that it has not. */
void nr_linalg_take_body(NrOp *from, NrOp *to);
/* Fills the fields of c that describe c->op; false when it cannot be vectorized. */
bool nr_contraction_read(NrContraction *c);
/* Chooses the vector dim and the tiles for the ranges; false when no dim can be vectorized or all are too short. */
bool nr_contraction_choose(NrContraction *c);
/* Where the chosen vector dim has a range that only the run knows and that may be short: puts c->op in one branch of an
 * scf.if and gives the reduction that the other one has instead, which is to be read and chosen for; else NULL
 * (few_columns.c). */
NrOp *nr_contraction_split_few(NrContraction *c);

/* Where only the run knows which of two dims is the longer one that u should be: puts c->op in one branch of an scf.if
 * and gives the reduction that the other one has, whose `rows` is to be *out_rows; else NULL (longer_rows.c). */
NrOp *nr_contraction_split_rows(NrContraction *c, int *out_rows);

enum { NR_PANEL_BYTES = 36 << 10 }; /* with a panel's rows of the other factor, it fits into caches of 48 KB */

/* How the address of operand k changes when loop dim d advances by one. */
typedef enum NrAlong { NR_ALONG_INVARIANT, NR_ALONG_CONTIGUOUS, NR_ALONG_SCATTERED } NrAlong;
NrAlong nr_contraction_along(const NrContraction *c, size_t k, uint32_t d);
/* How many loads a tile with several iterations of d saves in each step of the sum. */
size_t nr_contraction_saved_loads(const NrContraction *c, uint32_t d);
/* The range of loop dim d; INT64_MAX when it is dynamic, 1 when d is -1 (no dim). */
int64_t nr_contraction_range(const NrContraction *c, int d);

#endif
