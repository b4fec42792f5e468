/* form_wavefronts.c - runs loops that follow each other side by side, each as a stage of a wavefront.
 *
 *   before  scf.for %t = 0 to %n { .. write row %t of %a }
 *           scf.for %t = 0 to %n { .. read row %t of %a, write row %t of %b }
 *   after   rt.dispatch @executable::@stages[1, 1, 2] (..)
 *           func.func @stages(.., %z) {                   in the executable
 *             scf.index_switch %z
 *             case 0 { scf.for %t = 0 to %n { ..; post(0, %t + 1) }; post(0, all) }
 *             default { scf.for %t = 0 to %n { wait(0, %t + 1); .. ; post(1, %t + 1) }; post(1, all) }
 *           }
 *
 * So iteration t of a stage runs beside iteration t - 1 of the next one: layers of recurrent networks, each of which
 * reads the rows that the one before writes (decoupled software pipelining, Ottoni et al., "Automatic Thread Extraction
 * with Decoupled Software Pipelining", MICRO 2005). Threads begin workgroups in the order of z and a stage waits
 * only for earlier ones, so any number of threads finishes; one thread runs the loops one after the other.
 *
 * The loops have the same bounds. An iteration of a later loop depends on iterations of an earlier one up to the same
 * number only, which the dependence test proves. What stands between the loops is moved before or behind them. Where
 * two stages fail, either may be the one that is reported. */
#include "dialect/arith/arith.h"
#include "dialect/func/ops.h"
#include "dialect/memref/memref.h"
#include "dialect/operands.h"
#include "dialect/rt/ops.h"
#include "dialect/scf/scf.h"
#include "pass/analysis/dependence.h"
#include "pass/core/outline.h"
#include "pass/loop/parallel.h"
#include "target/cost.h"

enum { MAX_STAGES = 64, MAX_ROOTS = 8, GRID_DIMS = 3 };
enum { COUNTER_WORDS = 8 }; /* each counter has a cache line of its own */

typedef NR_VEC(NrValue *) Roots;

typedef struct Stage {
  NrOp *loop;
  NrMemAccesses accesses;
  uint64_t waits_for; /* bit i: for stage i of the group */
} Stage;

typedef struct Group {
  NrPassContext *pass;
  NrExecutables *executables;
  NR_VEC(Stage) stages;
  NrOpList before, behind; /* ops between the loops */
} Group;

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static bool add_roots(NrValue *memref, Roots *out);

static bool add_carried_roots(NrOp *loop, uint32_t i, Roots *out) {
  NrOp *yield = nr_block_terminator(nr_scf_for_body(loop));
  return add_roots(nr_scf_for_init(loop, i), out) && add_roots(nr_operand(yield, i), out);
}

/* Adds the buffers that the memref can be in; looks through what loops carry. False when there are too many. */
static bool add_roots(NrValue *memref, Roots *out) {
  NrValue *root = nr_memref_root(memref);
  for (size_t i = 0; i < out->size; i++)
    if (out->data[i] == root) return true;
  if (out->size == MAX_ROOTS) return false;
  nr_vec_push(out, root);
  NrOp *loop = root->block ? nr_block_parent_op(root->block) : root->op;
  if (!nr_op_is(loop, NR_OP_scf_for)) return true;
  if (root->op) return add_carried_roots(loop, root->index, out);
  return root->index == 0 || add_carried_roots(loop, root->index - 1, out);
}

static bool is_carried(const NrValue *root) {
  return nr_op_is(root->block ? nr_block_parent_op(root->block) : root->op, NR_OP_scf_for);
}

/* Whether the accesses may be of one buffer. */
static bool may_share(NrValue *x, NrValue *y) {
  Roots a = {0}, b = {0};
  bool share = !add_roots(x, &a) || !add_roots(y, &b);
  for (size_t i = 0; i < a.size && !share; i++)
    for (size_t k = 0; k < b.size && !share; k++)
      share = !is_carried(a.data[i]) && !is_carried(b.data[k]) && nr_may_alias(a.data[i], b.data[k]);
  nr_vec_deinit(&a);
  nr_vec_deinit(&b);
  return share;
}

static bool conflicts(const NrMemAccess *a, const NrMemAccess *b) {
  return (a->writes || b->writes) && may_share(a->memref, b->memref);
}

static bool any_conflict(const NrMemAccesses *a, const NrMemAccesses *b) {
  for (size_t i = 0; i < a->size; i++)
    for (size_t k = 0; k < b->size; k++)
      if (conflicts(&a->data[i], &b->data[k])) return true;
  return false;
}

/* Whether later can run while earlier runs, if each of its iterations waits for the same one of earlier.
 * *out_waits: whether it has to. */
static bool can_follow(const Stage *earlier, const Stage *later, bool *out_waits) {
  NrDistance before = {.iv_a = nr_scf_for_iv(earlier->loop), .iv_b = nr_scf_for_iv(later->loop),
                       .min = -NR_FAR, .max = -1};
  if (earlier->accesses.size * later->accesses.size > NR_MAX_COMPARED) return false;
  for (size_t i = 0; i < earlier->accesses.size; i++)
    for (size_t k = 0; k < later->accesses.size; k++) {
      const NrMemAccess *a = &earlier->accesses.data[i], *b = &later->accesses.data[k];
      if (!conflicts(a, b)) continue;
      if (nr_memref_root(a->memref) != nr_memref_root(b->memref) || nr_may_conflict(a, b, &before, 1)) return false;
      *out_waits = true;
    }
  return true;
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

/* A result that the host can know: a scalar, which the stage stores, or a buffer of a loop that swaps two, which
 * depends on whether the trip count is odd. */
static bool swaps(NrOp *loop, uint32_t i, uint32_t *out_with) {
  NrOp *yield = nr_block_terminator(nr_scf_for_body(loop));
  NrValue *next = nr_operand(yield, i);
  if (!next->block || next->block != nr_scf_for_body(loop) || next->index == 0) return false;
  *out_with = next->index - 1;
  return nr_operand(yield, *out_with) == nr_scf_for_arg(loop, i);
}

static bool can_give_results(NrOp *loop) {
  uint32_t with;
  for (uint32_t i = 0; i < loop->num_results; i++) {
    NrType type = nr_result(loop, i)->type;
    bool stored = nr_type_byte_size(type) || nr_type_is_index(type);
    if (!stored && !(nr_type_is_memref(type) && swaps(loop, i, &with))) return false;
  }
  return true;
}

static bool runs_anywhere(NrOp *op, void *user) {
  (void)user;
  return !nr_op_is(op, NR_OP_rt_call) && !nr_op_is(op, NR_OP_rt_dispatch) && !nr_op_has(op, NR_CALL) &&
         !(op->info->traits & NR_ALLOCATES) && !nr_op_is(op, NR_OP_memref_dealloc) &&
         !nr_op_is(op, NR_OP_memref_get_global);
}

static bool is_heavy(const Group *g, NrOp *loop) {
  int64_t min = nr_pass_int(g->pass, "min-iteration-ns");
  if (min < 0) min = nr_cost_stage_ns(g->pass->target);
  NrCost cost = nr_cost_of_block(g->pass->target, nr_scf_for_body(loop), false);
  return nr_cost_ns(g->pass->target, cost, (double)g->pass->target->cache_bytes[1]) >= (double)min;
}

static bool is_same_bound(const NrValue *a, const NrValue *b) {
  int64_t x, y;
  return a == b || (nr_value_constant_int(a, &x) && nr_value_constant_int(b, &y) && x == y);
}

static bool has_same_bounds(const NrOp *a, const NrOp *b) {
  return is_same_bound(nr_scf_for_lower_bound(a), nr_scf_for_lower_bound(b)) &&
         is_same_bound(nr_scf_for_upper_bound(a), nr_scf_for_upper_bound(b)) &&
         is_same_bound(nr_scf_for_step(a), nr_scf_for_step(b));
}

static NrCapture capture(const NrValue *value) {
  if (nr_value_constant(value)) return NR_CAPTURE_REMAKE;
  bool passes = nr_type_is_index(value->type) || nr_type_byte_size(value->type) || nr_type_is_memref(value->type);
  return passes ? NR_CAPTURE_PASS : NR_CAPTURE_REFUSE;
}

/* Whether the workgroup function can have what the op uses: no symbols of the host, values that can be passed. */
static bool can_move(NrOp *op, void *user) {
  const NrOp *loop = user;
  for (uint32_t i = 0; i < op->num_attrs; i++)
    if (op->attrs[i].value->kind == NR_ATTR_SYMBOL) return false;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    const NrValue *value = nr_operand(op, i);
    const NrOp *owner = nr_block_parent_op(nr_value_block(value));
    if (owner != loop && !nr_op_is_ancestor(loop, owner) && capture(value) == NR_CAPTURE_REFUSE) return false;
  }
  return true;
}

static bool can_be_stage(const Group *g, NrOp *op, NrMemAccesses *out) {
  return nr_op_is(op, NR_OP_scf_for) && nr_type_is_index(nr_scf_for_iv(op)->type) &&
         !nr_op_attr(op, NR_A_unsignedCmp) && can_give_results(op) && nr_walk_pre(op, runs_anywhere, NULL) &&
         nr_walk_pre(op, can_move, op) && is_heavy(g, op) && nr_collect_accesses_of_run(op, out);
}

/* ---- the ops between loops --------------------------------------------------------------------------------------- */

static bool is_listed(const NrOpList *list, const NrOp *op) {
  for (size_t i = 0; i < list->size; i++)
    if (list->data[i] == op) return true;
  return false;
}

typedef struct Uses {
  const Group *group;
  NrOp *of;
  bool of_stages, of_behind;
} Uses;

static bool look_at_operands(NrOp *op, void *user) {
  Uses *uses = user;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrOp *from = nr_operand(op, i)->op;
    for (size_t s = 0; s < uses->group->stages.size; s++) uses->of_stages |= from == uses->group->stages.data[s].loop;
    uses->of_behind |= from && is_listed(&uses->group->behind, from);
  }
  return true;
}

static Uses uses_of(const Group *g, NrOp *op) {
  Uses uses = {.group = g, .of = op};
  nr_walk_pre(op, look_at_operands, &uses);
  return uses;
}

static bool conflicts_with_stages(const Group *g, const NrMemAccesses *list) {
  for (size_t i = 0; i < g->stages.size; i++)
    if (any_conflict(&g->stages.data[i].accesses, list)) return true;
  return false;
}

/* Whether what comes later, with these accesses, may run before the ops that go behind the loops. */
static bool passes_behind(const Group *g, const NrMemAccesses *list) {
  for (size_t i = 0; i < g->behind.size; i++) {
    NrMemAccesses own = {0};
    bool apart = nr_collect_accesses(g->behind.data[i], &own) && !any_conflict(&own, list);
    nr_vec_deinit(&own);
    if (!apart) return false;
  }
  return true;
}

/* Puts an op between loops before or behind them. False when it must stay where it is. */
static bool place(Group *g, NrOp *op) {
  NrMemAccesses list = {0};
  Uses uses = uses_of(g, op);
  bool known = !op->num_regions && nr_collect_accesses(op, &list);
  bool before = known && !uses.of_stages && !uses.of_behind && !conflicts_with_stages(g, &list) &&
                passes_behind(g, &list);
  nr_vec_deinit(&list);
  if (known) nr_vec_push(before ? &g->before : &g->behind, op);
  return known;
}

/* ---- the workgroup function -------------------------------------------------------------------------------------- */

static NrValue *number(NrBuilder *b, int64_t n) { return nr_arith_constant_index(b, n); }

static void call_runtime(NrBuilder *b, const char *name, NrValue *counters, size_t stage, NrValue *count) {
  NrType i64 = nr_type_i64(b->ctx);
  NrValue *args[] = {counters, nr_arith_constant_int(b, i64, (int64_t)stage), count};
  NrOp *call = nr_build_op(b, NR_OP_rt_call, args, 3, NULL, 0);
  nr_op_set_attr(call, NR_A_name, nr_attr_string(b->ctx, nr_str(name)));
}

/* The number of the iteration, from 1 on, as an i64. */
static NrValue *iteration_of(NrBuilder *b, NrOp *loop) {
  NrValue *first = nr_arith_binary(b, NR_OP_arith_subi, nr_scf_for_iv(loop), nr_scf_for_lower_bound(loop));
  NrValue *done = nr_arith_binary(b, NR_OP_arith_addi,
                                  nr_arith_binary(b, NR_OP_arith_divui, first, nr_scf_for_step(loop)), number(b, 1));
  NrType i64 = nr_type_i64(b->ctx);
  return nr_build_value(b, NR_OP_arith_index_cast, i64, &done, 1);
}

static void synchronise(Stage *stage, size_t number_of_stage, NrValue *counters) {
  NrBlock *body = nr_scf_for_body(stage->loop);
  NrBuilder start = nr_builder_before(body->first), end = nr_builder_before(nr_block_terminator(body));
  NrValue *iteration = iteration_of(&start, stage->loop);
  for (size_t i = 0; i < number_of_stage; i++)
    if (stage->waits_for >> i & 1) call_runtime(&start, "stage_wait", counters, i, iteration);
  call_runtime(&end, "stage_post", counters, number_of_stage, iteration);
}

/* Moves the stages into the cases of a switch, in the place of the first one. results[s][i]: where result i goes. */
static NrOp *build_switch(Group *g, NrBuilder *b, NrValue *counters, NrValue ***results) {
  size_t count = g->stages.size;
  int64_t cases[MAX_STAGES];
  for (size_t s = 0; s + 1 < count; s++) cases[s] = (int64_t)s;
  NrValue *chosen = number(b, 0);
  NrOp *op = nr_build(b, &(NrOpState){.info = nr_op_infos[NR_OP_scf_index_switch], .loc = g->stages.data[0].loop->loc,
                                      .operands = &chosen, .num_operands = 1, .num_regions = (uint32_t)count});
  nr_op_set_attr(op, NR_A_cases, nr_attr_dense_array(nr_type_i64(b->ctx), cases, (count - 1) * sizeof *cases));
  for (size_t s = 0; s < count; s++) {
    Stage *stage = &g->stages.data[s];
    NrBlock *block = nr_block_create(op->module);
    nr_block_append(&op->regions[s + 1 == count ? 0 : s + 1], block); /* the default region comes first */
    nr_op_unlink(stage->loop);
    nr_op_append(block, stage->loop);
    synchronise(stage, s, counters);
    NrBuilder in = nr_scf_body_builder(block);
    NrValue *zero = number(&in, 0);
    for (uint32_t i = 0; i < stage->loop->num_results; i++)
      if (results[s][i]) nr_build_store(&in, nr_result(stage->loop, i), results[s][i], &zero, 1);
    call_runtime(&in, "stage_post", counters, s, nr_arith_constant_int(&in, nr_type_i64(b->ctx), INT64_MAX));
    nr_scf_yield(&in, NULL, 0);
  }
  return op;
}

static NrOp *outline_switch(Group *g, NrOutline *o, NrOp *op) {
  NrOp *executable = nr_executable_create(op);
  NrBuilder b = nr_executable_builder(executable);
  NrOp *func = nr_outline_function(o, &b, GRID_DIMS, NULL, 0), *host = o->from;
  nr_op_set_attr(func, NR_A_noria_dispatch, nr_attr_unit(b.ctx));
  nr_outline_move(o, func);
  NrBlock *body = nr_op_only_body(func);
  nr_op_set_operand(op, NR_SCF_INDEX_SWITCH_ARG, body->args[o->inputs.size + GRID_DIMS - 1]);
  NrBuilder end = nr_builder_at_end(func->module, body, op->loc);
  nr_build_op(&end, NR_OP_func_return, NULL, 0, NULL, 0);
  return nr_executable_share(g->executables, executable, host, "wavefront", (NrStr){0});
}

/* ---- the host's part --------------------------------------------------------------------------------------------- */

static NrValue *alloc(NrBuilder *b, NrType elem, int64_t count) {
  NrIndex size = nr_index_const(count);
  return nr_build_alloc(b, NR_OP_memref_alloc, elem, &size, 1);
}

/* What result i of a loop is behind the dispatch, which anchor follows; *out_buffer: where the stage stores it, or
 * NULL. */
static NrValue *give_result(NrBuilder *b, NrOp *anchor, NrOp *loop, uint32_t i, NrValue *is_odd,
                            NrValue **out_buffer) {
  NrValue *result = nr_result(loop, i), *zero = number(b, 0);
  uint32_t with;
  if (nr_type_is_memref(result->type)) {
    swaps(loop, i, &with);
    NrValue *even = nr_scf_for_init(loop, i), *odd = nr_scf_for_init(loop, with);
    return even == odd ? even : nr_arith_select(b, is_odd, odd, even);
  }
  NrBuilder before = nr_builder_before(anchor);
  *out_buffer = alloc(&before, result->type, 1);
  return nr_build_load(b, *out_buffer, &zero, 1);
}

static NrValue *has_odd_trips(NrBuilder *b, NrOp *loop) {
  NrValue *trips =
      nr_trip_count_value(b, nr_scf_for_lower_bound(loop), nr_scf_for_upper_bound(loop), nr_scf_for_step(loop));
  NrValue *rest = nr_arith_binary(b, NR_OP_arith_andi, trips, number(b, 1));
  return nr_arith_cmpi(b, NR_CMPI_NE, rest, number(b, 0));
}

/* Dispatches the stages in the place of the first one. */
static void transform(Group *g, size_t num_before) {
  NrArena *arena = g->pass->scratch;
  NrOp *first = g->stages.data[0].loop;
  size_t count = g->stages.size;
  for (size_t i = 0; i < num_before; i++) {
    nr_op_unlink(g->before.data[i]);
    nr_op_insert_before(g->before.data[i], first);
  }
  NrBuilder b = nr_builder_before(first);
  NrType i64 = nr_type_i64(b.ctx);
  NrValue *is_odd = has_odd_trips(&b, first), *counters = alloc(&b, i64, (int64_t)count * COUNTER_WORDS);
  NrValue *zero = nr_arith_constant_int(&b, i64, 0);
  for (size_t s = 0; s < count; s++) {
    NrValue *at = number(&b, (int64_t)s * COUNTER_WORDS);
    nr_build_store(&b, zero, counters, &at, 1);
  }
  NrOp *anchor = nr_build_op(&b, NR_OP_memref_dealloc, &counters, 1, NULL, 0);
  NrValue ***buffers = NR_NEW_ARRAY(arena, NrValue **, count);
  for (size_t s = 0; s < count; s++) {
    NrOp *loop = g->stages.data[s].loop;
    buffers[s] = NR_NEW_ARRAY(arena, NrValue *, loop->num_results + 1);
    for (uint32_t i = 0; i < loop->num_results; i++) {
      buffers[s][i] = NULL;
      if (!nr_value_has_uses(nr_result(loop, i))) continue;
      nr_value_replace_uses(nr_result(loop, i), give_result(&b, anchor, loop, i, is_odd, &buffers[s][i]));
      if (buffers[s][i]) nr_build_op(&b, NR_OP_memref_dealloc, &buffers[s][i], 1, NULL, 0);
    }
  }
  b = nr_builder_before(anchor);
  NrOp *op = build_switch(g, &b, counters, buffers);
  NrOutline o;
  nr_outline_init(&o, g->pass, op, op, capture);
  o.own_table = true;
  bool captured = nr_outline_needs_ops(&o);
  assert(captured); /* can_move */
  (void)captured;
  NrOp *executable = outline_switch(g, &o, op);
  NR_VEC(NrValue *) operands = {0};
  for (int d = 0; d < GRID_DIMS - 1; d++) nr_vec_push(&operands, number(&b, 1));
  nr_vec_push(&operands, number(&b, (int64_t)count));
  for (size_t i = 0; i < o.inputs.size; i++) nr_vec_push(&operands, o.inputs.data[i]);
  NrOp *call = nr_build_op(&b, NR_OP_rt_dispatch, operands.data, operands.size, NULL, 0);
  nr_op_set_segments(call, (uint32_t[]){GRID_DIMS, (uint32_t)o.inputs.size}, 2);
  nr_op_set_attr(call, NR_A_entry, nr_executable_entry(executable));
  nr_vec_deinit(&operands);
  nr_outline_deinit(&o);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static void clear(Group *g) {
  for (size_t i = 0; i < g->stages.size; i++) nr_vec_deinit(&g->stages.data[i].accesses);
  g->stages.size = g->before.size = g->behind.size = 0;
}

static bool can_join(const Group *g, Stage *stage) {
  Uses uses = uses_of(g, stage->loop);
  if (g->stages.size == MAX_STAGES || uses.of_stages || uses.of_behind || !passes_behind(g, &stage->accesses))
    return false;
  if (!has_same_bounds(g->stages.data[0].loop, stage->loop)) return false;
  for (size_t i = 0; i < g->stages.size; i++) {
    bool waits = false;
    if (!can_follow(&g->stages.data[i], stage, &waits)) return false;
    if (waits) stage->waits_for |= UINT64_C(1) << i;
  }
  return true;
}

static void form_in_block(Group *g, NrBlock *block) {
  size_t num_before = 0; /* of the ops between the loops of the group */
  for (NrOp *op = block->first, *next; op; op = next) {
    next = op->next;
    Stage stage = {.loop = op};
    bool is_stage = can_be_stage(g, op, &stage.accesses);
    if (is_stage && g->stages.size && can_join(g, &stage)) {
      num_before = g->before.size;
    } else if (is_stage || (g->stages.size && (!next || !place(g, op)))) {
      if (g->stages.size > 1) transform(g, num_before);
      clear(g);
      num_before = 0;
    }
    if (is_stage) nr_vec_push(&g->stages, stage);
    else nr_vec_deinit(&stage.accesses);
  }
  clear(g);
}

static NrStatus form_wavefronts_run(NrPassContext *pass, NrOp *root) {
  NrOpList ops = {0};
  NrExecutables executables = {0};
  Group g = {.pass = pass, .executables = &executables};
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++) {
    NrOp *op = ops.data[i];
    for (uint32_t r = 0; !nr_is_erased(op) && r < op->num_regions; r++)
      for (NrBlock *block = op->regions[r].first; block; block = block->next)
        if (block->first && nr_host_function(block->first)) form_in_block(&g, block);
  }
  nr_vec_deinit(&g.stages);
  nr_vec_deinit(&g.before);
  nr_vec_deinit(&g.behind);
  nr_vec_deinit(&ops);
  nr_executables_deinit(&executables);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_INT("min-iteration-ns", -1, -1, 1 << 30,
           "minimal estimated time of an iteration of a loop that is a stage; -1: the target's"),
    {0},
};
NR_PASS(form_wavefronts, .name = "form-wavefronts", .on_while = NR_WHILE_BARRIER, .of_table = true,
        .run = form_wavefronts_run, .options = options,
        .doc = "runs loops of which each reads the rows that the one before writes side by side")
