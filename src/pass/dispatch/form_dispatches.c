/* form_dispatches.c - heavy structured ops of the host program become dispatches over a grid of workgroups.
 *   before  %1 = linalg.generic ins(%0 : tensor<512x512xf32>) ...
 *   after   %1 = flow.dispatch.workgroups[%n](%0, ..) : .. {
 *             part = load %0[id * 32 ..]; linalg.generic; store } count { n / 32 }
 *
 * A workgroup computes a slab along the outermost parallel dim that all operands allow to cut. The cost model says what
 * is worth a dispatch (nr_cost_dispatch_ns) and how large a slab is (nr_cost_workgroup_ns). An op of unknown size
 * becomes one too; inside loops only one that is known to be heavy, so that small loop bodies stay native code of one
 * function. */
#include "pass/dispatch/form_dispatches.h"
#include "target/cost.h"

enum { TILE_MULTIPLE = 16, MAX_TILE = 1 << 24 };

/* ---- what is worth it ---- */

static bool in_loop(NrOp *op) {
  for (NrOp *p = nr_op_parent(op); p; p = nr_op_parent(p))
    if (nr_op_has(p, NR_LOOP) || nr_op_is(p, NR_OP_scf_while)) return true;
  return false;
}

static bool is_worth_dispatching(const NrTarget *target, NrOp *op) {
  bool known;
  double ns = nr_cost_structured_ns(target, op, &known);
  return known ? ns >= (double)nr_cost_dispatch_ns(target) : !in_loop(op);
}

int nr_dispatch_cut_dim(NrOp *op, size_t k, uint32_t d) {
  NrAttr map = nr_linalg_map(op, k);
  int found = -1;
  for (uint32_t r = 0; r < map->num_exprs; r++) {
    if (!nr_affine_uses_dim(map->exprs[r], d)) continue;
    if (map->exprs[r]->kind != NR_AFFINE_DIM || found >= 0) return -2;
    found = (int)r;
  }
  return found;
}

/* A tile of at most `tile` that cuts the range in as few parts, all of about one size: no workgroup is left a scrap. */
static int64_t even_tile(int64_t range, int64_t tile) {
  int64_t parts = range / tile + (range % tile > 0), even = range / parts + (range % parts > 0);
  return NR_MIN((even + TILE_MULTIPLE - 1) / TILE_MULTIPLE * TILE_MULTIPLE, tile);
}

static void choose_split(const NrTarget *target, NrFormedDispatch *w) {
  NrOp *op = w->op;
  bool known;
  double ns = nr_cost_structured_ns(target, op, &known), least = (double)nr_cost_workgroup_ns(target);
  w->split = -1;
  for (uint32_t d = 0; d < nr_linalg_num_loops(op) && w->split < 0; d++) {
    int64_t range = nr_linalg_static_range(op, d);
    if (nr_linalg_is_reduction(op, d) || (range != NR_DYNAMIC && range < 2 * TILE_MULTIPLE)) continue;
    bool fits = true;
    for (size_t k = 0; k < op->num_operands && fits; k++) {
      int cut = nr_dispatch_cut_dim(op, k, d);
      fits = cut != -2 && (k < w->num_inputs || cut >= 0);
    }
    if (!fits) continue;
    w->split = (int)d;
    double each = range == NR_DYNAMIC ? ns : ns / (double)range;
    int64_t tile = (int64_t)NR_MIN(least / NR_MAX(each, 1e-3), (double)MAX_TILE);
    w->tile = (tile + TILE_MULTIPLE) / TILE_MULTIPLE * TILE_MULTIPLE;
    if (range != NR_DYNAMIC && w->tile >= range) w->split = -1;
    else if (range != NR_DYNAMIC) w->tile = even_tile(range, w->tile);
  }
}

/* ---- captures ---- */

static bool is_cheap(NrValue *value) {
  return value->op && (nr_op_has(value->op, NR_CONSTANT_LIKE) || nr_op_is(value->op, NR_OP_tensor_empty) ||
                       nr_op_is(value->op, NR_OP_linalg_fill));
}

size_t nr_dispatch_find(const NrFormedDispatch *w, const NrValue *value) {
  for (size_t i = 0; i < w->num_tensors + w->num_scalars; i++)
    if (w->captured[i] == value) return i;
  return SIZE_MAX;
}

static bool capture(NrFormedDispatch *w, NrValue *value, bool tensors) {
  if (nr_type_is_tensor(value->type) != tensors || nr_dispatch_find(w, value) != SIZE_MAX) return true;
  if (w->num_tensors + w->num_scalars == NR_DISPATCH_CAPTURES) return false;
  w->captured[w->num_tensors + w->num_scalars] = value;
  if (tensors) w->num_tensors++;
  else w->num_scalars++;
  return true;
}

NrValue *nr_dispatch_init_scalar(const NrValue *init) {
  return init->op && nr_op_is(init->op, NR_OP_linalg_fill) ? nr_operand(init->op, 0) : NULL;
}

bool nr_dispatch_is_outside(const NrOp *op, const NrValue *value) {
  NrBlock *block = nr_value_block(value);
  return !block || !nr_block_parent_op(block) || !nr_op_is_ancestor(op, nr_block_parent_op(block));
}

typedef struct Collect {
  NrFormedDispatch *w;
  bool tensors, ok;
} Collect;

static bool collect_captures(NrOp *inner, void *user) {
  Collect *c = user;
  for (uint32_t i = 0; i < inner->num_operands && inner != c->w->op; i++) {
    NrValue *v = nr_operand(inner, i);
    bool made_again = v->op && nr_op_has(v->op, NR_CONSTANT_LIKE) && !nr_type_is_tensor(v->type);
    if (nr_dispatch_is_outside(c->w->op, v) && !made_again)
      c->ok = c->ok && capture(c->w, v, c->tensors);
  }
  return c->ok;
}

static bool collect_all(NrFormedDispatch *w) {
  NrOp *op = w->op;
  for (int pass = 0; pass < 2; pass++) {
    bool tensors = pass == 0;
    for (size_t k = 0; k < op->num_operands; k++) {
      NrValue *v = nr_operand(op, k);
      bool init = k >= w->num_inputs;
      if (init && is_cheap(v)) {
        NrValue *scalar = nr_dispatch_init_scalar(v);
        if (scalar && !nr_op_has(scalar->op ? scalar->op : op, NR_CONSTANT_LIKE) && !capture(w, scalar, tensors))
          return false;
        if (nr_value_constant(v) && !nr_value_constant(v)->splat && !capture(w, v, tensors)) return false;
      } else if (!capture(w, v, tensors)) return false;
    }
    Collect c = {w, tensors, true};
    nr_walk_pre(op, collect_captures, &c);
    if (!c.ok) return false;
  }
  return true;
}

/* A result may be computed in its init's place when that is a tensor of the host, used for nothing else here. */
static void choose_ties(NrFormedDispatch *w) {
  for (size_t i = 0; i < w->num_outputs; i++) {
    size_t at = nr_dispatch_find(w, nr_operand(w->op, w->num_inputs + i));
    size_t uses = 0;
    for (size_t k = 0; at != SIZE_MAX && k < w->op->num_operands; k++) uses += nr_operand(w->op, k) == w->captured[at];
    bool tie = at != SIZE_MAX && uses == 1 && !nr_value_constant(w->captured[at]);
    w->result_tie[i] = tie ? (int64_t)at : -1;
    if (tie) w->tied[at] = true;
  }
}

/* ---- the pass ---- */

typedef struct Found {
  const NrTarget *target;
  NR_VEC(NrOp *) ops;
} Found;

static bool has_index_elements(NrOp *op) {
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_type_is_index(nr_type_elem(nr_operand(op, i)->type)) && nr_type_is_tensor(nr_operand(op, i)->type))
      return true;
  return false;
}

/* Checks inside a body leave by the host's cold path and name its nodes: such an op stays where it is. */
static bool is_plain(NrOp *op, void *user) {
  return op == user || nr_op_is(op, NR_OP_tensor_extract) || nr_op_is_pure(op) || nr_op_has(op, NR_TERMINATOR);
}

static bool collect(NrOp *op, void *user) {
  if (nr_op_is(op, NR_OP_flow_executable) || nr_op_is(op, NR_OP_flow_dispatch_workgroups)) return true;
  if (!nr_op_is(op, NR_OP_linalg_generic) || !op->num_results || op->num_results > NR_DISPATCH_RESULTS) return true;
  if (op->num_operands > NR_DISPATCH_CAPTURES) return true;
  for (NrOp *p = nr_op_parent(op); p; p = nr_op_parent(p))
    if (nr_op_is(p, NR_OP_linalg_generic) || nr_op_is(p, NR_OP_flow_dispatch_workgroups) ||
        nr_op_is(p, NR_OP_flow_executable) || nr_op_is(p, NR_OP_scf_parallel))
      return true;
  Found *found = user;
  if (is_worth_dispatching(found->target, op) && !has_index_elements(op) && nr_walk_pre(op, is_plain, op))
    nr_vec_push(&found->ops, op);
  return true;
}

static NrStatus form_dispatches_run(NrPassContext *pass, NrOp *root) {
  Found found = {.target = pass->target};
  nr_walk_pre(root, collect, &found);
  for (size_t i = 0; i < found.ops.size; i++) {
    NrOp *op = found.ops.data[i];
    NrFormedDispatch w = {.op = op,
                  .host = nr_builder_before(op),
                  .num_inputs = nr_linalg_num_inputs(op),
                  .num_outputs = nr_linalg_num_outputs(op)};
    choose_split(pass->target, &w);
    if (!collect_all(&w)) continue;
    choose_ties(&w);
    nr_dispatch_build(&w);
  }
  nr_vec_deinit(&found.ops);
  return NR_OK;
}

NR_PASS(form_dispatches, .name = "form-dispatches", .run = form_dispatches_run,
        .doc = "heavy structured ops become dispatches over a grid of workgroups")
