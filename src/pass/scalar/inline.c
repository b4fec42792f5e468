/* inline.c - replaces calls by the bodies of the functions called.
 *   before  %0 = call @twice(%x) : (f32) -> f32          after  %0 = arith.addf %x, %x : f32
 * Handles callees before callers, so that an inlined body has its own calls inlined already. Does not inline recursive
 * functions, declarations, functions marked no_inline or #util.inline.never, those of more than `max-ops` ops, and
 * those with affine ops where the call is nested in another op. A body of several blocks becomes an scf.execute_region
 * where the call's region may have only one block. Functions stay; symbol-dce removes private ones without uses.
 * `default-pipeline` runs on each function after the inlining into it, before it is inlined itself. */
#include "dialect/cf/cf.h"
#include "dialect/func/ops.h"
#include "dialect/scf/scf.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

typedef struct Function {
  NrOp *op;
  NR_VEC(NrOp *) calls;
  size_t size;       /* ops in it */
  bool visited, active, recursive;
} Function;

typedef struct Inliner {
  NrPassContext *pass;
  NrStrMap functions; /* name -> Function* in the scratch arena */
  NR_VEC(Function *) all;
  size_t max_ops;
  NrStr passes; /* pipeline text of the passes to run on every function */
  NrStatus status;
} Inliner;

static Function *callee_of(const Inliner *in, const NrOp *call) {
  NrAttr symbol = nr_op_attr(call, NR_A_callee);
  return symbol && symbol->kind == NR_ATTR_SYMBOL && symbol->size == 0 ? nr_strmap_get(&in->functions, symbol->s)
                                                                       : NULL;
}

static bool collect(NrOp *op, void *user) {
  Function *f = user;
  f->size++;
  if (nr_op_is(op, NR_OP_func_call) || nr_op_is(op, NR_OP_util_call)) nr_vec_push(&f->calls, op);
  return true;
}

/* ---- one call ---------------------------------------------------------------------------------------------------- */

static bool is_not_affine(NrOp *op, void *user) {
  (void)user;
  return strcmp(op->info->dialect, "affine") != 0;
}

/* Whether affine dims and symbols stay valid: a callee's arguments and top-level values are no valid ones once they are
 * nested in another op. */
static bool keeps_dims(const NrOp *call, const Function *f) {
  const NrOp *around = nr_op_parent(call);
  return (around && nr_op_has(around, NR_ISOLATED)) || nr_walk_pre(f->op, is_not_affine, NULL);
}

/* inlining_policy = #util.inline.never */
static bool is_never_inlined(const NrOp *func) {
  NrAttr policy = nr_op_attr(func, NR_A_inlining_policy);
  return policy && policy->kind == NR_ATTR_OPAQUE && nr_str_is(policy->s, "util.inline.never");
}

static bool is_inlinable(const Inliner *in, const NrOp *call, const Function *f) {
  return f && !f->recursive && nr_op_only_body(f->op) && f->size <= in->max_ops &&
         !nr_op_attr(f->op, NR_A_no_inline) && !is_never_inlined(f->op) && !nr_op_attr(call, NR_A_no_inline) &&
         keeps_dims(call, f);
}

static bool returns(const NrOp *op) { return nr_op_is(op, NR_OP_func_return) || nr_op_is(op, NR_OP_util_return); }

static void map_arguments(NrMap *map, NrBlock *entry, const NrOp *call) {
  for (uint32_t i = 0; i < entry->num_args; i++) nr_map_set(map, entry->args[i], nr_operand(call, i));
}

static void replace_call(NrOp *call, NrValue *const *values) {
  for (uint32_t i = 0; i < call->num_results; i++) nr_value_replace_uses(nr_result(call, i), values[i]);
  nr_op_erase(call);
}

/* Replaces the call by the ops of a callee of one block. */
static void inline_block(NrOp *call, NrBlock *entry) {
  NrMap map = {0};
  map_arguments(&map, entry, call);
  NrOp *ret = nr_block_terminator(entry);
  for (NrOp *op = entry->first; op != ret; op = op->next)
    nr_op_insert_before(nr_op_clone(call->module, op, &map), call);
  NR_VEC(NrValue *) values = {0};
  for (uint32_t i = 0; i < ret->num_operands; i++) {
    NrValue *copy = nr_map_get(&map, nr_operand(ret, i));
    nr_vec_push(&values, copy ? copy : nr_operand(ret, i));
  }
  replace_call(call, values.data);
  nr_vec_deinit(&values);
  nr_map_deinit(&map);
}

/* Replaces the call by an scf.execute_region with the blocks of the callee, whose returns become yields. */
static NrOp *wrap_blocks(NrOp *call, NrRegion *body) {
  NR_VEC(NrType) types = {0};
  for (uint32_t i = 0; i < call->num_results; i++) nr_vec_push(&types, nr_result(call, i)->type);
  NrBuilder b = nr_builder_before(call);
  NrOp *wrapper = nr_build(&b, &(NrOpState){.info = nr_op_infos[NR_OP_scf_execute_region],
                                            .result_types = types.data,
                                            .num_results = types.size,
                                            .num_regions = 1});
  NrMap map = {0};
  NrRegion *region = nr_scf_execute_region_region(wrapper);
  nr_region_clone(call->module, body, region, &map);
  for (uint32_t i = 0; i < region->first->num_args; i++)
    nr_value_replace_uses(region->first->args[i], nr_operand(call, i));
  while (region->first->num_args) nr_block_erase_arg(region->first, region->first->num_args - 1);
  for (NrBlock *block = region->first; block; block = block->next) {
    NrOp *ret = block->last;
    if (!returns(ret)) continue;
    NR_VEC(NrValue *) values = {0};
    for (uint32_t i = 0; i < ret->num_operands; i++) nr_vec_push(&values, nr_operand(ret, i));
    b = nr_builder_before(ret);
    nr_scf_yield(&b, values.data, values.size);
    nr_op_erase(ret);
    nr_vec_deinit(&values);
  }
  for (uint32_t i = 0; i < call->num_results; i++) nr_value_replace_uses(nr_result(call, i), nr_result(wrapper, i));
  nr_op_erase(call);
  nr_map_deinit(&map);
  nr_vec_deinit(&types);
  return wrapper;
}

/* Moves the wrapper's blocks into its parent region, with branches in and out. */
static void unwrap(NrOp *wrapper) {
  NrBlock *block = wrapper->block, *end = nr_block_create(wrapper->module);
  nr_block_split(block, wrapper->next, end);
  for (uint32_t i = 0; i < wrapper->num_results; i++)
    nr_value_replace_uses(nr_result(wrapper, i), nr_block_add_arg(end, nr_result(wrapper, i)->type, wrapper->loc));
  NrRegion *region = nr_scf_execute_region_region(wrapper);
  NrBuilder b = nr_builder_before(wrapper);
  nr_cf_br(&b, region->first, NULL, 0);
  for (NrBlock *inner = region->first, *after = block, *next; inner; inner = next) {
    next = inner->next;
    NrOp *yield = inner->last;
    if (nr_op_is(yield, NR_OP_scf_yield)) {
      NR_VEC(NrValue *) values = {0};
      for (uint32_t i = 0; i < yield->num_operands; i++) nr_vec_push(&values, nr_operand(yield, i));
      b = nr_builder_before(yield);
      nr_cf_br(&b, end, values.data, values.size);
      nr_op_erase(yield);
      nr_vec_deinit(&values);
    }
    nr_block_unlink(inner);
    nr_block_insert_after(inner, after);
    after = inner;
  }
  nr_op_erase(wrapper);
}

static void inline_call(NrOp *call, Function *callee) {
  NrRegion *body = nr_op_only_region(callee->op);
  if (body->first == body->last && returns(body->last->last)) {
    inline_block(call, body->first);
    return;
  }
  NrOp *wrapper = wrap_blocks(call, body);
  if (!nr_op_has(nr_op_parent(wrapper), NR_SINGLE_BLOCK)) unwrap(wrapper);
}

/* ---- the call graph ---------------------------------------------------------------------------------------------- */

static bool count_op(NrOp *op, void *user) {
  (void)op;
  ++*(size_t *)user;
  return true;
}

static void optimize(Inliner *in, Function *f) {
  if (!in->passes.size || in->status) return;
  in->status = nr_run_passes_on(in->pass->module, f->op, in->passes, &(NrPassOptions){.target = in->pass->target});
  f->size = 0;
  nr_walk_pre(f->op, count_op, &f->size);
}

/* Inlines into f after its callees. A function that is reached again while it is being visited is recursive. */
static void visit(Inliner *in, Function *f, size_t depth) {
  if (f->active || depth > NR_MAX_NESTING) f->recursive = true;
  if (f->visited || f->active || f->recursive) return;
  f->active = true;
  for (size_t i = 0; i < f->calls.size; i++) {
    Function *callee = callee_of(in, f->calls.data[i]);
    if (callee) visit(in, callee, depth + 1);
  }
  for (size_t i = 0; i < f->calls.size; i++) {
    Function *callee = callee_of(in, f->calls.data[i]);
    if (!is_inlinable(in, f->calls.data[i], callee) || callee->active) continue;
    f->size += callee->size;
    inline_call(f->calls.data[i], callee);
  }
  optimize(in, f);
  f->active = false;
  f->visited = true;
}

static NrStatus inline_run(NrPassContext *pass, NrOp *op) {
  Inliner in = {.pass = pass, .max_ops = (size_t)nr_pass_int(pass, "max-ops")};
  in.passes = nr_pass_passes(pass, "default-pipeline");
  NrBlock *body = nr_op_only_body(op);
  for (NrOp *func = body ? body->first : NULL; func; func = func->next) {
    bool calls = nr_op_has(func, NR_FUNCTION) || nr_op_is(func, NR_OP_util_initializer);
    if (!calls) continue;
    Function *f = NR_NEW(pass->scratch, Function);
    f->op = func;
    nr_walk_pre(func, collect, f);
    if (nr_op_has(func, NR_FUNCTION)) nr_strmap_set(&in.functions, nr_op_attr_str(func, NR_A_sym_name), f);
    nr_vec_push(&in.all, f);
  }
  for (size_t i = 0; i < in.all.size; i++) visit(&in, in.all.data[i], 0);
  for (size_t i = 0; i < in.all.size; i++) nr_vec_deinit(&in.all.data[i]->calls);
  nr_vec_deinit(&in.all);
  nr_strmap_deinit(&in.functions);
  return in.status;
}

static const NrPassOption options[] = {
    NR_INT("max-ops", 1 << 20, 0, INT64_MAX, "larger functions are not inlined"),
    NR_PASSES("default-pipeline", "run on each function after inlining into it"),
    {0},
};
NR_PASS(inline, .name = "inline", .on_while = NR_WHILE_HANDLES, .of_table = true, .run = inline_run, .options = options,
        .doc = "replaces calls by the bodies of the functions called")
