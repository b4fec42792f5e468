/* interp.c - frames, blocks and functions of the interpreter. */
#include "dialect/cf/ops.h"
#include "dialect/linalg/linalg.h"
#include "dialect/scf/scf.h"
#include "interp/ops.h"

#include <stdio.h>

bool nr_interp_fail(NrInterp *in, NrOp *op, const char *format, ...) {
  if (in->failed) return false;
  NrStr name = nr_op_run_name(op);
  int begin = snprintf(in->message, sizeof in->message, "'%.*s' op ", NR_STR_ARG(name));
  va_list args;
  va_start(args, format);
  vsnprintf(in->message + begin, sizeof in->message - (size_t)begin, format, args);
  va_end(args);
  in->failed = true;
  in->failed_at = op;
  return false;
}

bool nr_interp_fail_reported(NrInterp *in, NrOp *op) {
  if (in->failed) return false;
  in->failed = true;
  in->failed_at = op;
  return false;
}

bool nr_interp_fail_size(NrInterp *in, NrOp *op, NrType elem, const int64_t *dims, size_t rank) {
  for (size_t i = 0; i < rank; i++)
    if (dims[i] < 0)
      return nr_interp_fail(in, op, "the size of dim %zu is %lld; it must not be negative", i, (long long)dims[i]);
  if (in->failed) return false;
  snprintf(in->message, sizeof in->message, "the system has no memory for %lld bytes",
           (long long)nr_iview_bytes(elem, dims, rank));
  in->failed = true;
  in->failed_at = op;
  return false;
}

/* ---- cells ---- */

static NrIValue *cell(NrInterp *in, NrValue *value) {
  NrIValue *c = nr_map_get(&in->cells, value);
  if (c) return c;
  c = NR_NEW(&in->arena, NrIValue);
  nr_map_set(&in->cells, value, c);
  return c;
}

NrIValue nr_get(NrInterp *in, NrValue *value) { return *cell(in, value); }

int64_t nr_get_index(NrInterp *in, NrValue *value) { return nr_ivalue_int(value->type, nr_get(in, value)); }

void nr_set(NrInterp *in, NrValue *value, NrIValue v) {
  NrIValue *c = cell(in, value);
  NrIView *old = c->view;
  *c = v;
  nr_iview_release(old);
}

NrIView *nr_take_view(NrInterp *in, NrOp *user, size_t operand) {
  NrValue *value = nr_operand(user, operand);
  NrIValue *c = cell(in, value);
  bool last = nr_value_has_one_use(value) && nr_value_block(value) == user->block;
  bool alone = c->view->refs == 1 && c->view->buffer->refs == 1 && !c->view->buffer->borrowed;
  if (last && alone && nr_iview_is_dense(c->view)) {
    NrIView *v = c->view;
    c->view = NULL;
    return v;
  }
  return nr_iview_dense_copy(in, c->view);
}

static NrIValue shared(NrIValue v) {
  if (v.view) v.view->refs++;
  return v;
}

/* ---- blocks ---- */

/* An op that runs its region several times. */
static bool is_nest(const NrOp *op) {
  return nr_op_has(op, NR_LOOP) || nr_linalg_is_structured(op) || nr_op_is(op, NR_OP_tensor_generate);
}

/* The innermost loop around op, where compiled code stops; for messages. */
static NrOp *loop_around(NrOp *op) {
  NrOp *up = op;
  while (up && !is_nest(up)) up = nr_op_parent(up);
  return up ? up : op;
}

static bool is_stopped(NrInterp *in, NrOp *op) {
  if (!nr_interp_is_stopped(in) || !in->exec->api->poll(in->exec, 0)) return false;
  nr_interp_fail_reported(in, loop_around(op));
  return true;
}

/* Called for terminators too: a loop's body may have no other op. */
static bool may_go_on(NrInterp *in, NrOp *op) {
  if (is_stopped(in, op)) return false;
  if (in->max_steps && ++in->steps > in->max_steps)
    return nr_interp_fail(in, op, "the limit of %lld ops is reached", (long long)in->max_steps);
  return true;
}

bool nr_interp_has_room(NrInterp *in, NrOp *op) {
  enum { MOST = 1 << 30 };
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrType t = nr_result(op, i)->type;
    if (t->kind == NR_TYPE_VECTOR && nr_iview_bytes(t->elem, t->dims, t->rank) > MOST)
      return nr_interp_fail(in, op, "gives a vector of more than %d bytes", MOST);
  }
  return true;
}

/* The simpler ops of an op, in the region of an op that stands nowhere. Its arguments stand for the operands, so that
 * the program's values get no uses. NULL after failing. */
static NrOp *expansion_of(NrInterp *in, NrOp *op) {
  NrOp *outer = nr_map_get(&in->expansions, op);
  if (outer) return outer;
  outer = nr_op_create(in->module, &(NrOpState){.info = nr_op_infos[NR_OP_scf_execute_region],
                                                .loc = op->loc,
                                                .num_regions = 1});
  NrBlock *block = nr_block_create(in->module);
  nr_block_append(nr_scf_execute_region_region(outer), block);
  NrMap map = {0};
  for (uint32_t i = 0; i < op->num_operands; i++)
    nr_map_set(&map, nr_operand(op, i), nr_block_add_arg(block, nr_operand(op, i)->type, op->loc));
  NrOp *clone = nr_op_clone(in->module, op, &map);
  nr_map_deinit(&map);
  nr_op_append(block, clone);
  nr_scf_yield_results_of(block, &clone, 1);
  if (nr_op_expand(clone)) return nr_interp_fail(in, op, "cannot be expanded"), NULL;
  nr_map_set(&in->expansions, op, outer);
  return outer;
}

static bool forget_results(NrOp *op, void *user) {
  for (uint32_t i = 0; i < op->num_results; i++) nr_set(user, nr_result(op, i), (NrIValue){0});
  return true;
}

/* An op that the interpreter does not know: the ops that it expands to. */
static bool run_expansion(NrInterp *in, NrOp *op) {
  NrOp *outer = expansion_of(in, op);
  if (!outer) return false;
  NrIValue *args = nr_calloc(op->num_operands + 1, sizeof *args);
  NrIValue *results = nr_calloc(op->num_results + 1, sizeof *results);
  NrBlock *block = nr_scf_execute_region_body(outer);
  for (uint32_t i = 0; i < op->num_operands; i++) args[i] = shared(nr_get(in, nr_operand(op, i)));
  bool ok = nr_run_region(in, nr_scf_execute_region_region(outer), args, op->num_operands, results, op->num_results);
  for (uint32_t i = 0; i < op->num_results && ok; i++) nr_set(in, nr_result(op, i), results[i]);
  nr_walk_post(outer, forget_results, in);
  for (uint32_t i = 0; i < block->num_args; i++) nr_set(in, nr_block_arg(block, i), (NrIValue){0});
  nr_free(args);
  nr_free(results);
  return ok;
}

static bool run_op(NrInterp *in, NrOp *op) {
  NrInterpFn fn = nr_interp_find(op->info->id);
  if (!nr_interp_has_room(in, op)) return false;
  if (fn) return fn(in, op);
  if (nr_linalg_is_structured(op)) return nr_run_generic(in, op);
  if (op->info->expand) return run_expansion(in, op);
  if (op->info->region_flow) return nr_run_region_flow(in, op);
  if (nr_op_has(op, NR_ELEMENTWISE) || op->info->fold) return nr_interp_scalar(in, op);
  NrStr name = nr_op_name(op);
  return nr_interp_fail(in, op, "the interpreter does not know '%.*s'", NR_STR_ARG(name));
}

static bool step(NrInterp *in, NrOp *op) {
  NrOp *outer = in->running;
  in->running = op;
  bool ok = run_op(in, op);
  in->running = outer;
  return ok && !in->failed && !is_stopped(in, op); /* it may have left work undone, which the message is to name */
}

static void bind_args(NrInterp *in, NrBlock *block, const NrIValue *args, size_t count) {
  for (size_t i = 0; i < count && i < block->num_args; i++) nr_set(in, block->args[i], args[i]);
}

/* Reads all values that a branch passes before setting any, because they may be arguments of the same block. */
static NrBlock *take_branch(NrInterp *in, NrOp *op, size_t successor) {
  NrSuccessor *s = &op->successors[successor];
  NrIValue *values = nr_malloc(s->num_operands * sizeof *values);
  for (uint32_t i = 0; i < s->num_operands; i++) values[i] = shared(nr_get(in, nr_successor_operand(op, successor, i)));
  bind_args(in, s->block, values, s->num_operands);
  nr_free(values);
  return s->block;
}

/* The successor that a branch takes, or -1 after a failure. */
static int choose(NrInterp *in, NrOp *op) {
  switch (op->info->id) {
  case NR_OP_cf_br: return 0;
  case NR_OP_cf_cond_br: return nr_get(in, nr_cf_cond_br_condition(op)).bits ? 0 : 1;
  case NR_OP_cf_switch: {
    uint64_t flag = nr_get(in, nr_cf_switch_flag(op)).bits;
    NrAttr cases = nr_op_attr(op, NR_A_case_values);
    for (uint32_t i = 1; cases && i < op->num_successors; i++)
      if (nr_ivalue_of_attr(in, nr_attr_element(cases, i - 1)).bits == flag) return (int)i;
    return 0;
  }
  default: nr_interp_fail(in, op, "unknown branch"); return -1;
  }
}

/* Runs from block to a terminator without successors, and returns it. */
static NrOp *run_blocks(NrInterp *in, NrBlock *block) {
  while (block) {
    for (NrOp *op = block->first; op; op = op->next) {
      if (!may_go_on(in, op)) return NULL;
      if (!nr_op_has(op, NR_TERMINATOR)) {
        if (!step(in, op)) return NULL;
        continue;
      }
      if (op->num_successors == 0) return op;
      int taken = choose(in, op);
      if (taken < 0) return NULL;
      block = take_branch(in, op, (size_t)taken);
      goto next_block;
    }
    return nr_interp_fail(in, block->last, "the block has no terminator"), NULL;
  next_block:;
  }
  return NULL;
}

/* The nesting of ops is limited, so only recursion exhausts the stack. */
static bool fail_stack(NrInterp *in, NrOp *op) {
  while (!nr_op_has(op, NR_FUNCTION) && nr_op_parent(op)) op = nr_op_parent(op);
  NrStr name = nr_op_attr_str(op, NR_A_sym_name);
  return nr_interp_fail(in, op, "@%.*s calls itself too deep: the stack is full", NR_STR_ARG(name));
}

bool nr_run_region(NrInterp *in, NrRegion *region, const NrIValue *args, size_t num_args, NrIValue *out,
                   size_t num_out) {
  if (nr_stack_is_low()) return fail_stack(in, region->op);
  bind_args(in, region->first, args, num_args);
  NrOp *last = run_blocks(in, region->first);
  if (!last) return false;
  in->ended_by = last;
  if (nr_op_is(last, NR_OP_util_unreachable)) {
    NrStr message = nr_op_attr_str(last, NR_A_message);
    return nr_interp_fail(in, last, "is reached%s%.*s", message.size ? ": " : "", NR_STR_ARG(message));
  }
  if (nr_scf_is_exit(last)) {
    in->exit = last;
    in->exit_values = nr_calloc(last->num_operands, sizeof *in->exit_values);
    for (uint32_t i = 1; i < last->num_operands; i++) in->exit_values[i] = shared(nr_get(in, nr_operand(last, i)));
    return false;
  }
  if (last->num_operands < num_out)
    return nr_interp_fail(in, last, "gives %u values where %zu are wanted", last->num_operands, num_out);
  /* scf.condition: the condition comes first, as the caller expects. */
  for (size_t i = 0; i < num_out; i++) out[i] = shared(nr_get(in, nr_operand(last, i)));
  return true;
}

static bool drop_op(NrOp *op, void *user) {
  NrMap *cells = user;
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrIValue *c = nr_map_get(cells, nr_result(op, i));
    if (c) nr_iview_release(c->view);
  }
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *b = op->regions[r].first; b; b = b->next)
      for (uint32_t i = 0; i < b->num_args; i++) {
        NrIValue *c = nr_map_get(cells, b->args[i]);
        if (c) nr_iview_release(c->view);
      }
  return true;
}

static void drop_cells(NrMap *cells, NrOp *func) {
  nr_walk_post(func, drop_op, cells);
  nr_map_deinit(cells);
}

bool nr_run_func(NrInterp *in, NrOp *func, const NrIValue *args, size_t num_args, NrIValue *out, size_t num_out) {
  NrBlock *entry = nr_op_only_body(func);
  NrStr name = nr_op_attr_str(func, NR_A_sym_name);
  if (!entry) return nr_interp_fail(in, func, "'%.*s' has no body", NR_STR_ARG(name));
  NrMap outer = in->cells;
  in->cells = (NrMap){0};
  bool ok = entry->num_args == num_args ? nr_run_region(in, nr_op_only_region(func), args, num_args, out, num_out)
                                        : nr_interp_fail(in, func, "called with %zu arguments", num_args);
  drop_cells(&in->cells, func);
  in->cells = outer;
  return ok;
}
