/* tiling.h - which loops of several ops can be cut together, so that a workgroup computes a tile of each of them.
 *
 *   %m = linalg.generic (max over d1)(%x)       loop d0 of the root is loop d0 of the others too: a workgroup that has
 *   %e = linalg.generic (exp(x - m))(%x, %m)    rows [a, b) of %m needs no other rows of %e and %s. Loop d1 of %e is
 *   %s = linalg.generic (sum over d1)(%e)       whole in every workgroup.
 *
 * A shared loop is a parallel loop of the root which, through the maps of the ops, is one loop of each other op, which
 * indexes all that the ops compute, and along which all that they read can be cut or is whole. What tiles read from
 * outside may overlap, as windows do. */
#ifndef NORIA_PASS_DISPATCH_TILING_H
#define NORIA_PASS_DISPATCH_TILING_H

#include "dialect/linalg/linalg.h"
#include "target/cost.h"

enum { NR_TILING_OPS = 64 }; /* most ops of a region that is cut */
enum { NR_GRID_DIMS = 3 };

typedef struct NrTiling {
  NrOp *ops[NR_TILING_OPS];
  size_t num_ops, root;
  uint32_t num_loops;                      /* of the root */
  uint64_t shared;                         /* bit d: loop d of the root is shared */
  int8_t loop[NR_TILING_OPS][NR_MAX_RANK]; /* the loop of each op that is a loop of the root; -1: none */
} NrTiling;

/* Whether the op can be a member: a structured op on tensors, a fill of a tensor, or a change of shape. */
bool nr_tiling_takes(const NrOp *op);
/* Whether the op decides how a region is cut: a structured op, but not a fill. */
bool nr_tiling_is_work(const NrOp *op);
/* Whether the op changes the shape of a tensor, and nothing else; that tensor. */
bool nr_tiling_is_reshape(const NrOp *op);
NrValue *nr_tiling_reshape_source(const NrOp *op);
/* 0: a contraction, 1: another reduction, 2: an element-wise op, 3: a change of shape. A region is cut along the loops
 * of the first of its ops of the lowest kind, its root. */
int nr_tiling_kind(const NrOp *op);
/* Finds root, shared and loop for t->ops; the results of the ops may have other users. */
void nr_tiling_analyse(NrTiling *t);
/* The number of the op; SIZE_MAX: it is not a member. */
size_t nr_tiling_find(const NrTiling *t, const NrOp *op);

/* The dim of operand k, or of result number j, that loop d of the op indexes; -1: none; -2: several, or not by itself.
 */
int nr_tiling_operand_dim(const NrOp *op, size_t k, uint32_t d);
int nr_tiling_result_dim(const NrOp *op, size_t j, uint32_t d);
/* The dim of operand k that loop d indexes as the position of a window, in which loops of sums run, as in y * 2 + k.
 * Positions i to i + n - 1 read *out_step * (n - 1) + *out_reach elements of it, from *out_step * i on. -1: none. */
int nr_tiling_window_dim(const NrOp *op, size_t k, uint32_t d, int64_t *out_step, int64_t *out_reach);
/* Whether loop d indexes operand k, in one of these ways. */
bool nr_tiling_indexes(const NrOp *op, size_t k, uint32_t d);
/* The range of a loop of the root, or NR_DYNAMIC. */
int64_t nr_tiling_range(const NrTiling *t, uint32_t d);

/* The discardable attribute of a dispatch that says what it computes, "matmul_64x128x32_f32": its executable is named
 * by it. */
#define NR_TILING_LABEL "noria.label"
/* What reports say of a member: "contraction of 64x128x32"; the range of a loop is ? where it is not known. */
void nr_tiling_put_op(const NrOp *op, NrBuf *out);
/* The label: the kind of the root, the ranges of its loops, D where unknown, and its element type. */
void nr_tiling_put_label(const NrTiling *t, NrBuf *out);

/* A loop of the root that is distributed over the grid, in tiles that are multiples of `multiple` where the range is
 * longer. cuts[0] is the grid's x, which varies fastest from one workgroup to the next, cuts[1] is y, cuts[2] is z. */
typedef struct NrCut {
  uint32_t loop;
  int64_t range, tile, multiple; /* range NR_DYNAMIC: unknown */
} NrCut;

typedef struct NrGrid {
  uint32_t num_cuts;
  NrCut cuts[NR_GRID_DIMS];
  int64_t points; /* 0: the tiles are known. Else the run chooses them by the ranges: a workgroup has about so many
                     iterations of the distributed loops and of those in open, and as many tiles as that takes */
  uint64_t open;  /* bit d: loop d of the root has an unknown range and is not distributed */
} NrGrid;

/* Chooses shared loops to distribute over the grid, and their tiles (grid.c). */
NrGrid nr_tiling_choose_grid(const NrTarget *target, const NrTiling *t);
/* The cut behind cuts[c] in the order of the loops; -1: it is the last one. Starts with c = -1. */
int nr_grid_next(const NrGrid *grid, int c);
/* The nanoseconds of all ops in all workgroups, one after another, when they are cut so. Loops of unknown range count
 * as 1,024 iterations. */
double nr_tiling_ns(const NrTarget *target, const NrTiling *t);

#endif
