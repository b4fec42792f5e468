/* few_columns.c - what vectorize-contractions does for a vector dim whose range only the run knows and may be short.
 *
 *   before  c[m, n] += a[m, k] * b[k, n], with vectors along n
 *   after   if n <= half a vector {
 *             for k by BLOCK { t[n, k] = b[k, n] of the block; c[m, n] += a[m, k] * t[n, k], with vectors along k }
 *           } else { as before }
 *
 * A vector along n would have a few lanes in use, and each step of the sum takes as long with them as with all. This is
 * more code, and so it is made where the op has the attribute `noria.may_be_short`. */
#include "dialect/arith/arith.h"
#include "dialect/memref/memref.h"
#include "dialect/scf/scf.h"
#include "pass/linalg/contraction.h"
#include "pass/loop/parallel.h"

enum {
  BLOCK = 256, /* elements of the sum: 8 columns of f32 are 8 KiB on the stack */
  NO_LOOP = NR_CONTRACTION_LOOPS,
};

typedef struct Few {
  NrContraction *c;
  NrBuilder b;
  uint32_t v, r;                        /* the vector dim and the dim of the sum */
  size_t wide;                          /* the input that has lanes along v */
  uint32_t dims[NR_CONTRACTION_INPUTS + 1][NR_MAX_RANK]; /* of each operand: the loop that indexes it, or NO_LOOP */
  /* The part of each loop that a block has; behind them that of NO_LOOP. */
  NrIndex from[NR_CONTRACTION_LOOPS + 1], size[NR_CONTRACTION_LOOPS + 1];
} Few;

/* Whether each dim of operand k is indexed by a loop alone, or by 0. */
static bool read_dims(Few *f, size_t k) {
  NrAttr map = nr_linalg_map(f->c->op, k);
  for (uint32_t i = 0; i < map->num_exprs; i++) {
    NrAffineExpr e = map->exprs[i];
    if (e->kind != NR_AFFINE_DIM && !(e->kind == NR_AFFINE_CONSTANT && e->value == 0)) return false;
    f->dims[k][i] = e->kind == NR_AFFINE_DIM ? (uint32_t)e->value : NO_LOOP;
  }
  return true;
}

static bool find(Few *f) {
  NrContraction *c = f->c;
  if (!nr_op_attr(c->op, NR_A_noria_may_be_short) || c->dot || c->four >= 0) return false;
  if (nr_contraction_range(c, c->v) != INT64_MAX || !nr_reduction_op_is_exact(c->combine) ||
      nr_linalg_num_reductions(c->op) != 1 || c->num_inputs != 2)
    return false;
  f->v = (uint32_t)c->v;
  while (!c->reduction[f->r]) f->r++;
  if (nr_contraction_range(c, (int)f->r) < c->lanes) return false;
  for (size_t k = 0; k <= c->num_inputs; k++)
    if (!read_dims(f, k)) return false;
  for (f->wide = 0; f->wide < 2; f->wide++)
    if (nr_contraction_along(c, f->wide, f->v) == NR_ALONG_CONTIGUOUS &&
        nr_contraction_along(c, f->wide, f->r) == NR_ALONG_SCATTERED &&
        nr_contraction_along(c, 1 - f->wide, f->v) == NR_ALONG_INVARIANT &&
        nr_contraction_along(c, 1 - f->wide, f->r) == NR_ALONG_CONTIGUOUS)
      return true;
  return false;
}

/* The part of operand k that a block has. */
static NrValue *part(Few *f, size_t k) {
  NrValue *memref = nr_operand(f->c->op, k);
  NrIndex from[NR_MAX_RANK], size[NR_MAX_RANK], stride[NR_MAX_RANK];
  for (uint32_t i = 0; i < memref->type->rank; i++) {
    from[i] = f->from[f->dims[k][i]];
    size[i] = f->size[f->dims[k][i]];
    stride[i] = nr_index_const(1);
  }
  return nr_build_subview(&f->b, memref, from, size, stride, NULL);
}

/* Copies the block of the wide input to the first columns and elements of `scratch`: [columns, BLOCK]. */
static NrValue *transposed(Few *f, NrValue *scratch) {
  NrBuilder *b = &f->b;
  NrIndex zeros[2] = {nr_index_const(0), nr_index_const(0)}, ones[2] = {nr_index_const(1), nr_index_const(1)};
  NrIndex sizes[2] = {f->size[f->v], f->size[f->r]};
  NrValue *to = nr_build_subview(b, scratch, zeros, sizes, ones, NULL);
  NrValue *zero = nr_arith_constant_index(b, 0), *one = nr_arith_constant_index(b, 1), *column, *k;
  NrOp *columns = nr_scf_open_for(b, zero, nr_index_value(b, sizes[0]), one, NULL, 0, &column);
  NrOp *elements = nr_scf_open_for(b, zero, nr_index_value(b, sizes[1]), one, NULL, 0, &k);
  NrValue *at[NR_MAX_RANK], *wide = nr_operand(f->c->op, f->wide);
  for (uint32_t i = 0; i < wide->type->rank; i++) {
    uint32_t d = f->dims[f->wide][i];
    NrValue *from = nr_index_value(b, f->from[d]);
    at[i] = d == f->v ? column : d == f->r ? nr_arith_binary(b, NR_OP_arith_addi, from, k) : from;
  }
  nr_build_store(b, nr_build_load(b, wide, at, wide->type->rank), to, (NrValue *[]){column, k}, 2);
  nr_scf_close_for(b, elements, NULL, 0);
  nr_scf_close_for(b, columns, NULL, 0);
  return to;
}

/* The op on a block, with the columns from `scratch`. */
static NrOp *build_block(Few *f, NrValue *scratch) {
  NrContraction *c = f->c;
  NrContext *ctx = f->b.ctx;
  NrValue *inputs[2], *output = part(f, c->num_inputs);
  NrAttr maps[3];
  char iterators[NR_MAX_RANK + 1];
  nr_linalg_iterators(c->op, iterators);
  for (size_t k = 0; k < 3; k++) maps[k] = nr_linalg_map(c->op, k);
  inputs[f->wide] = transposed(f, scratch);
  inputs[1 - f->wide] = part(f, 1 - f->wide);
  NrAffineExpr columns[2] = {nr_affine_dim(ctx, f->v), nr_affine_dim(ctx, f->r)};
  maps[f->wide] = nr_attr_affine_map(ctx, (uint32_t)c->num_loops, 0, columns, 2);
  NrOp *op = nr_build_generic(&f->b, inputs, 2, &output, 1, maps, iterators);
  NrBlock *to = nr_op_only_body(op), *body = nr_op_only_body(c->op);
  NrMap map = {0};
  for (uint32_t i = 0; i < 3; i++) nr_map_set(&map, nr_block_arg(body, i), nr_block_arg(to, i));
  for (NrOp *inner = body->first; inner; inner = inner->next)
    nr_op_append(to, nr_op_clone(f->b.module, inner, &map));
  nr_map_deinit(&map);
  return op;
}

/* The loops over the other dims of the wide input, and over blocks of the sum. */
static NrOp *build_blocks(Few *f, NrValue *scratch) {
  NrContraction *c = f->c;
  NrBuilder *b = &f->b;
  NrOp *loops[NR_MAX_RANK + 1];
  size_t num_loops = 0;
  NrValue *zero = nr_arith_constant_index(b, 0), *one = nr_arith_constant_index(b, 1), *iv;
  for (size_t d = 0; d < c->num_loops; d++) f->from[d] = nr_index_const(0), f->size[d] = c->ranges[d];
  f->from[NO_LOOP] = nr_index_const(0);
  f->size[NO_LOOP] = nr_index_const(1);
  for (uint32_t i = 0; i < nr_operand(c->op, f->wide)->type->rank; i++) {
    uint32_t d = f->dims[f->wide][i];
    if (d == f->v || d == f->r || d == NO_LOOP) continue;
    loops[num_loops++] = nr_scf_open_for(b, zero, nr_index_value(b, c->ranges[d]), one, NULL, 0, &iv);
    f->from[d] = nr_index_of(iv);
    f->size[d] = nr_index_const(1);
  }
  NrValue *all = nr_index_value(b, c->ranges[f->r]), *block = nr_arith_constant_index(b, BLOCK);
  loops[num_loops++] = nr_scf_open_for(b, zero, all, block, NULL, 0, &iv);
  NrValue *rest = nr_arith_binary(b, NR_OP_arith_subi, all, iv);
  f->from[f->r] = nr_index_of(iv);
  f->size[f->r] = nr_index_of(nr_arith_binary(b, NR_OP_arith_minui, rest, block));
  NrOp *op = build_block(f, scratch);
  while (num_loops) nr_scf_close_for(b, loops[--num_loops], NULL, 0);
  return op;
}

NrOp *nr_contraction_split_few(NrContraction *c) {
  Few f = {.c = c, .b = nr_builder_before(c->op)};
  if (!find(&f)) return NULL;
  uint32_t few = c->lanes / 2;
  NrIndex dims[2] = {nr_index_const(few), nr_index_const(BLOCK)};
  NrValue *scratch = nr_build_alloc(&f.b, NR_OP_memref_alloca, nr_operand(c->op, f.wide)->type->elem, dims, 2);
  NrValue *columns = nr_index_value(&f.b, c->ranges[f.v]);
  NrValue *is_short = nr_arith_cmpi(&f.b, NR_CMPI_ULE, columns, nr_arith_constant_index(&f.b, few));
  NrOp *branch = nr_scf_if(&f.b, is_short, NULL, 0, true);
  NrBuilder otherwise = nr_scf_body_builder(nr_scf_if_else_body(branch));
  f.b = nr_scf_body_builder(nr_scf_if_then_body(branch));
  NrOp *op = build_blocks(&f, scratch);
  nr_scf_yield(&f.b, NULL, 0);
  nr_op_unlink(c->op);
  nr_builder_insert(&otherwise, c->op);
  nr_scf_yield(&otherwise, NULL, 0);
  c->b = nr_builder_before(c->op);
  return op;
}
