/* linalg_to_loops.c - converts structured ops on memrefs to loops.
 *   before  linalg.generic {d0 parallel, d1 reduction}     after  scf.for %i = %c0 to %n step %c1 {
 *             ins(%a) outs(%o) { acc + a }                          %s = memref.load %o[%i]
 *                                                                   %r = scf.for %k .. iter_args(%acc = %s) {
 *                                                                     %x = memref.load %a[%i, %k]
 *                                                                     scf.yield (%acc + %x)
 *                                                                   }
 *                                                                   memref.store %r, %o[%i]
 *                                                                 }
 * Parallel dims are the outer loops and reductions the inner ones, so that accumulators stay in registers.
 * vectorize-contractions, which runs before, has already lowered the reductions that it can vectorize. Where an input
 * is transposed relative to the output, the two dims are tiled by squares, so that all of a cache line is used before
 * it is evicted (512 x 512 f32: 0.31 to 0.08 ms); where squares of vectors fit, they are turned in registers. */
#include "dialect/affine/affine.h"
#include "dialect/arith/arith.h"
#include "dialect/linalg/linalg.h"
#include "dialect/scf/scf.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"
#include "pass/analysis/work.h"
#include "pass/linalg/contraction.h"
#include "pass/linalg/squares.h"
#include "target/cost.h"

enum { MAX_OUTPUTS = 16, TILE = 16 };

typedef struct Nest {
  NrBuilder b;
  const NrTarget *target;
  NrOp *op;
  size_t num_dims, num_inputs, num_outputs;
  NrValue *ivs[NR_MAX_RANK];
  NrValue *bounds[NR_MAX_RANK];
  bool reduction[NR_MAX_RANK];
  NrOp *strips;             /* loop around the nest, or NULL */
  uint32_t innermost;       /* dim of the innermost loop, which with strips runs from begin to end */
  NrValue *begin, *end;
} Nest;

static NrValue *dim(Nest *n, NrValue *memref, uint32_t d) {
  int64_t size = memref->type->dims[d];
  if (size != NR_DYNAMIC) return nr_arith_constant_index(&n->b, size);
  NrValue *operands[] = {memref, nr_arith_constant_index(&n->b, d)};
  return nr_build_value(&n->b, NR_OP_memref_dim, nr_type_index(n->b.ctx), operands, 2);
}

static size_t operand_indices(Nest *n, size_t k, NrValue **out) {
  NrAttr map = nr_linalg_map(n->op, k);
  for (uint32_t r = 0; r < map->num_exprs; r++)
    out[r] = nr_affine_expand_indices(&n->b, map->exprs[r], map->num_dims, n->ivs);
  return map->num_exprs;
}

static NrValue *load(Nest *n, size_t k) {
  NrValue *memref = nr_operand(n->op, k);
  if (!nr_type_is_memref(memref->type)) return memref; /* a scalar input */
  NrValue *operands[NR_MAX_RANK + 1] = {memref};
  size_t rank = operand_indices(n, k, operands + 1);
  return nr_build_value(&n->b, NR_OP_memref_load, memref->type->elem, operands, rank + 1);
}

static void store(Nest *n, size_t k, NrValue *value) {
  NrValue *operands[NR_MAX_RANK + 2] = {value, nr_operand(n->op, k)};
  size_t rank = operand_indices(n, k, operands + 2);
  nr_build_op(&n->b, NR_OP_memref_store, operands, rank + 2, NULL, 0);
}

/* Clones the body into the innermost loop: acc holds the current outputs and receives the yielded values. */
static void emit_body(Nest *n, NrValue **acc) {
  NrBlock *body = nr_op_only_body(n->op);
  NrMap map = {0};
  for (size_t k = 0; k < n->num_inputs; k++)
    if (nr_value_has_uses(body->args[k])) nr_map_set(&map, body->args[k], load(n, k));
  for (size_t i = 0; i < n->num_outputs; i++) nr_map_set(&map, body->args[n->num_inputs + i], acc[i]);
  for (NrOp *op = body->first; op && op != body->last; op = op->next) {
    if (nr_op_is(op, NR_OP_linalg_index)) {
      nr_map_set(&map, nr_op_result(op), n->ivs[nr_op_attr_int(op, NR_A_dim, 0)]);
      continue;
    }
    nr_builder_insert(&n->b, nr_op_clone(n->b.module, op, &map));
  }
  for (size_t i = 0; i < n->num_outputs; i++) {
    NrValue *y = nr_operand(body->last, i), *mapped = nr_map_get(&map, y);
    acc[i] = mapped ? mapped : y;
  }
  nr_map_deinit(&map);
}

/* Opens an scf.for from begin to end with `count` carried values and moves the builder into its body. */
static NrOp *open_range(Nest *n, NrValue *begin, NrValue *end, int64_t step, NrValue **iv, NrValue **carried,
                        size_t count) {
  return nr_scf_open_for(&n->b, begin, end, nr_arith_constant_index(&n->b, step), carried, count, iv);
}

/* Opens a loop over dim d: its full range or, for the innermost dim with strips, the current strip. */
static NrOp *open_loop(Nest *n, uint32_t d, NrValue **carried, size_t count) {
  if (n->strips && d == n->innermost) return open_range(n, n->begin, n->end, 1, &n->ivs[d], carried, count);
  return open_range(n, nr_arith_constant_index(&n->b, 0), n->bounds[d], 1, &n->ivs[d], carried, count);
}

static void close_loop(Nest *n, NrOp *loop, NrValue **carried, size_t count) {
  nr_scf_close_for(&n->b, loop, carried, count);
}

/* ---- strips ---- */

/* Puts a nest whose innermost range is dynamic into a loop over strips of that dim; insert-safepoints puts its
 * safepoint into the strip loop. Around the nest the strip loop costs nothing, whereas inside it would run for each of
 * many short rows. A reduction stores its accumulator after each strip and loads it for the next, which keeps the
 * order; with several reductions strips would change the order, so there are none. */
static void open_strips(Nest *n, int64_t range, int64_t work) {
  size_t reductions = 0;
  for (size_t d = 0; d < n->num_dims; d++) reductions += n->reduction[d];
  if (n->num_dims < 2 || range != NR_DYNAMIC || reductions > 1) return;
  int64_t length = nr_strip_length(2 * work); /* the address computations to come about double it */
  NrValue *size = nr_arith_constant_index(&n->b, length), *bound = n->bounds[n->innermost];
  n->strips = open_range(n, nr_arith_constant_index(&n->b, 0), bound, length, &n->begin, NULL, 0);
  NrValue *left = nr_arith_binary(&n->b, NR_OP_arith_subi, bound, n->begin);
  n->end = nr_arith_binary(&n->b, NR_OP_arith_addi, n->begin, nr_arith_binary(&n->b, NR_OP_arith_minui, left, size));
}

static void close_strips(Nest *n) {
  if (n->strips) close_loop(n, n->strips, NULL, 0);
}

static void open_strips_of_body(Nest *n) {
  int64_t work = 0;
  bool reduces = false;
  for (uint32_t d = 0; d < n->num_dims; d++) {
    if (n->reduction[d] || !reduces) n->innermost = d;
    reduces |= n->reduction[d];
  }
  for (NrOp *op = nr_op_only_body(n->op)->first; op; op = op->next) work += nr_work_of(op);
  if (n->num_dims) open_strips(n, nr_linalg_static_range(n->op, n->innermost), work + 2 * n->op->num_operands);
}

/* ---- transposes ---- */

/* The loop dim that indexes the operand's last dim; false when its index there is not a bare loop dim. */
static bool last_dim(const Nest *n, size_t operand, uint32_t *out) {
  NrAttr map = nr_linalg_map(n->op, operand);
  NrType type = nr_operand(n->op, operand)->type;
  if (!nr_type_is_memref(type) || map->num_exprs == 0) return false;
  NrAffineExpr e = map->exprs[map->num_exprs - 1];
  if (e->kind != NR_AFFINE_DIM) return false;
  *out = (uint32_t)e->value;
  return true;
}

static bool is_at_least(const Nest *n, uint32_t d, int64_t points) {
  int64_t range = nr_linalg_static_range(n->op, d);
  return range == NR_DYNAMIC || range >= points;
}

static bool uses_loop(const Nest *n, size_t operand, uint32_t d) {
  NrAttr map = nr_linalg_map(n->op, operand);
  for (uint32_t r = 0; r < map->num_exprs; r++)
    if (nr_affine_uses_dim(map->exprs[r], d)) return true;
  return false;
}

/* Finds the two loop dims to tile: those of the last dim of the output and of an input that both index. (An input that
 * the output's does not index is one element all along it.) The output's must be longer than a tile; the input's may be
 * shorter, so that 16 rows of the output are tiled by 16 x 16 too. */
static bool find_transpose(const Nest *n, uint32_t *out_line, uint32_t *out_across) {
  for (size_t d = 0; d < n->num_dims; d++)
    if (n->reduction[d]) return false;
  if (!last_dim(n, n->num_inputs, out_line) || !is_at_least(n, *out_line, TILE / 4)) return false;
  for (size_t k = 0; k < n->num_inputs; k++)
    if (last_dim(n, k, out_across) && *out_across != *out_line && uses_loop(n, k, *out_line) &&
        is_at_least(n, *out_across, TILE / 4))
      return true;
  return false;
}

/* Sets one property of how LLVM compiles the loop. */
static void set_hint(Nest *n, NrOp *loop, const char *name, NrAttr value) {
  NrNamedAttr hint = {nr_context_intern(n->b.ctx, nr_str(name)), value};
  nr_op_set_attr(loop, NR_A_noria_loop, nr_attr_dict(n->b.ctx, &hint, 1));
}

/* Opens the loop over one tile. LLVM must not vectorize it: the scatters that it would emit take ten times as long as
 * scalar stores (2048 x 1024 f32: 15 ms instead of 1.5). */
static NrOp *open_tile(Nest *n, uint32_t d, NrValue *begin) {
  NrValue *end = nr_arith_binary(&n->b, NR_OP_arith_addi, begin, nr_arith_constant_index(&n->b, TILE));
  end = nr_arith_binary(&n->b, NR_OP_arith_minsi, end, n->bounds[d]);
  NrOp *loop = open_range(n, begin, end, 1, &n->ivs[d], NULL, 0);
  set_hint(n, loop, "vectorize", nr_attr_bool(n->b.ctx, false));
  return loop;
}

/* The same, turned in registers. */
static void emit_squares(Nest *n, const NrSquare *s) {
  NrOp *loops[NR_MAX_RANK];
  size_t depth = 0;
  int64_t range = nr_linalg_static_range(n->op, s->line);
  NrValue *zero = nr_arith_constant_index(&n->b, 0), *left = NULL;
  for (uint32_t d = 0; d < n->num_dims; d++)
    if (d != s->line && d != s->across) loops[depth++] = open_loop(n, d, NULL, 0);
  loops[depth++] = open_range(n, zero, n->bounds[s->across], s->lanes, &n->ivs[s->across], NULL, 0);
  loops[depth++] = open_range(n, zero, n->bounds[s->line], s->lanes, &n->ivs[s->line], NULL, 0);
  if (range == NR_DYNAMIC || range % s->lanes)
    left = nr_arith_binary(&n->b, NR_OP_arith_subi, n->bounds[s->line], n->ivs[s->line]);
  nr_square_emit(s, &n->b, n->ivs, left);
  while (depth-- > 0) close_loop(n, loops[depth], NULL, 0);
}

static void emit_tiles(Nest *n, uint32_t line, uint32_t across) {
  NrOp *loops[NR_MAX_RANK + 2];
  NrValue *acc[MAX_OUTPUTS] = {0}, *across_begin, *line_begin;
  size_t depth = 0;
  for (uint32_t d = 0; d < n->num_dims; d++)
    if (d != line && d != across) loops[depth++] = open_loop(n, d, NULL, 0);
  loops[depth++] = open_range(n, nr_arith_constant_index(&n->b, 0), n->bounds[across], TILE, &across_begin, NULL, 0);
  loops[depth++] = open_range(n, nr_arith_constant_index(&n->b, 0), n->bounds[line], TILE, &line_begin, NULL, 0);
  loops[depth++] = open_tile(n, across, across_begin);
  loops[depth++] = open_tile(n, line, line_begin);
  for (size_t i = 0; i < n->num_outputs; i++)
    if (nr_value_has_uses(nr_op_only_body(n->op)->args[n->num_inputs + i])) acc[i] = load(n, n->num_inputs + i);
  emit_body(n, acc);
  for (size_t i = 0; i < n->num_outputs; i++) store(n, n->num_inputs + i, acc[i]);
  while (depth-- > 0) close_loop(n, loops[depth], NULL, 0);
}

/* Has the innermost loop work on several vectors at once, where each element takes a long chain of ops. */
static void interleave(Nest *n, NrOp *innermost) {
  uint32_t d = (uint32_t)n->num_dims - 1;
  int64_t count = nr_cost_interleave(n->target, nr_op_only_body(n->op), nr_linalg_static_range(n->op, d));
  if (count > 1) set_hint(n, innermost, "interleave", nr_attr_i64(n->b.ctx, count));
}

static void emit_loops(Nest *n) {
  NrSquare square = {.op = n->op};
  if (find_transpose(n, &square.line, &square.across)) {
    bool fits = nr_square_fits(&square, n->target);
    if (fits) emit_squares(n, &square);
    if (!fits && is_at_least(n, square.line, TILE + 1)) emit_tiles(n, square.line, square.across);
    if (fits || is_at_least(n, square.line, TILE + 1)) return;
  }
  NrOp *loops[NR_MAX_RANK];
  NrValue *acc[MAX_OUTPUTS];
  NrBlock *body = nr_op_only_body(n->op);
  open_strips_of_body(n);
  for (uint32_t d = 0; d < n->num_dims; d++)
    if (!n->reduction[d]) loops[d] = open_loop(n, d, NULL, 0);
  bool reduces = false;
  for (uint32_t d = 0; d < n->num_dims; d++) reduces |= n->reduction[d];
  for (size_t i = 0; i < n->num_outputs; i++)
    if (reduces || nr_value_has_uses(body->args[n->num_inputs + i])) acc[i] = load(n, n->num_inputs + i);
  for (uint32_t d = 0; d < n->num_dims; d++)
    if (n->reduction[d]) loops[d] = open_loop(n, d, acc, n->num_outputs);
  emit_body(n, acc);
  if (n->num_dims && !reduces) interleave(n, loops[n->num_dims - 1]);
  for (uint32_t d = (uint32_t)n->num_dims; d-- > 0;)
    if (n->reduction[d]) close_loop(n, loops[d], acc, n->num_outputs);
  for (size_t i = 0; i < n->num_outputs; i++) store(n, n->num_inputs + i, acc[i]);
  for (uint32_t d = (uint32_t)n->num_dims; d-- > 0;)
    if (!n->reduction[d]) close_loop(n, loops[d], NULL, 0);
  close_strips(n);
}

static NrStatus lower_structured(const NrTarget *target, NrOp *op) {
  op = nr_linalg_merge_loops(op);
  Nest n = {.b = nr_builder_before(op),
            .target = target,
            .op = op,
            .num_dims = nr_linalg_num_loops(op),
            .num_inputs = nr_linalg_num_inputs(op),
            .num_outputs = nr_linalg_num_outputs(op)};
  size_t operand, dim;
  if (n.num_outputs > MAX_OUTPUTS) return nr_op_error(op, "has more than %d outputs", MAX_OUTPUTS);
  for (size_t d = 0; d < n.num_dims; d++) {
    if (!nr_linalg_loop_source(op, d, &operand, &dim))
      return nr_op_error(op, "has a loop whose range no operand gives");
    n.reduction[d] = nr_linalg_is_reduction(op, d);
    n.bounds[d] = nr_index_value(&n.b, nr_linalg_loop_range(&n.b, op, d));
  }
  emit_loops(&n);
  nr_op_erase(op);
  return NR_OK;
}

/* Whether the elements lie side by side: the rows of each dim behind those of the one before. */
static bool has_no_gaps(NrType type) {
  int64_t strides[NR_MAX_RANK], offset, size = 1;
  if (!type->layout) return true;
  if (!nr_memref_strides(type, strides, &offset)) return false;
  for (uint32_t d = type->rank; d-- > 0;) {
    if (type->dims[d] == 1) continue;
    if (size == NR_DYNAMIC || strides[d] != size) return false;
    size = type->dims[d] == NR_DYNAMIC ? NR_DYNAMIC : size * type->dims[d];
  }
  return true;
}

/* Lowers linalg.fill to a store in loops over all dims, or in one over all elements. */
static NrStatus lower_fill(NrOp *op) {
  NrValue *target = nr_linalg_fill_output(op);
  Nest n = {.b = nr_builder_before(op), .op = op};
  if (target->type->rank > 1 && has_no_gaps(target->type)) {
    NrGroups groups = {.count = 1, .begin = {0}, .size = {target->type->rank}};
    NrType type = nr_memref_collapsed_type(target->type, &groups);
    target = nr_build_value(&n.b, NR_OP_memref_collapse_shape, type, &target, 1);
    nr_op_set_attr(target->op, NR_A_reassociation, nr_groups_attr(n.b.ctx, &groups));
  }
  NrValue *operands[NR_MAX_RANK + 2] = {nr_linalg_fill_value(op), target};
  n.num_dims = target->type->rank;
  NrOp *loops[NR_MAX_RANK];
  for (uint32_t d = 0; d < n.num_dims; d++) n.bounds[d] = dim(&n, target, d);
  if (n.num_dims) open_strips(&n, target->type->dims[n.innermost = (uint32_t)n.num_dims - 1], 1);
  for (uint32_t d = 0; d < n.num_dims; d++) loops[d] = open_loop(&n, d, NULL, 0);
  memcpy(operands + 2, n.ivs, n.num_dims * sizeof *operands);
  nr_build_op(&n.b, NR_OP_memref_store, operands, n.num_dims + 2, NULL, 0);
  for (uint32_t d = (uint32_t)n.num_dims; d-- > 0;) close_loop(&n, loops[d], NULL, 0);
  close_strips(&n);
  nr_op_erase(op);
  return NR_OK;
}

static bool becomes_loops(const NrOp *op) {
  return nr_linalg_is_structured(op) || nr_op_is(op, NR_OP_linalg_fill);
}

static NrStatus linalg_to_loops_run(NrPassContext *pass, NrOp *root) {
  NrOpList found = {0};
  NrStatus status = NR_OK;
  NR_TRY(nr_expand_ops(root, NULL));
  nr_collect_post(root, becomes_loops, &found);
  for (size_t i = 0; i < found.size && !status; i++) {
    NrOp *op = found.data[i];
    if (op->num_results)
      status = nr_op_error(op, "works on tensors; bufferize comes first");
    else
      status = nr_op_is(op, NR_OP_linalg_fill) ? lower_fill(op) : lower_structured(pass->target, op);
  }
  nr_vec_deinit(&found);
  return status;
}

NR_PASS(linalg_to_loops, .name = "convert-linalg-to-loops", .on_while = NR_WHILE_BARRIER, .run = linalg_to_loops_run,
        .doc = "converts structured ops on memrefs to scf loops with loads and stores")
