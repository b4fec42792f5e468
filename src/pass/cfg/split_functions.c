/* split_functions.c - splits functions of very many loops or ops into several functions.
 *
 *   before  func.func @f(..) {        after  func.func @f(..) {
 *             scf.for .. {..}                  call @f_part_0(..)
 *             scf.for .. {..}                  call @f_part_1(..)
 *             .. hundreds of them            }
 *           }                                func.func private @f_part_0(..) attributes {no_inline} {
 *                                              scf.for .. {..}
 *                                              .. `max-loops` of them
 *                                            }
 *
 * LLVM takes more than linear time in the loops of a function, because it walks the chain of all conditions that a loop
 * depends on. The pass splits blocks, innermost first: consecutive ops move to a function whose arguments are the
 * values that they use from outside and whose results are those used behind them. Constants and views are rebuilt in
 * the new function instead of passed. Ops stay where too many values would be passed, and where they depend on the
 * stack frame or parent region. */
#include "dialect/func/ops.h"
#include "pass/analysis/dependence.h"
#include "pass/core/outline.h"

enum {
  CALL_OPS = 100,   /* size of a call of a part, in ops */
  MAX_VALUES = 256, /* arguments and results of a part */
};

typedef struct Size {
  size_t loops, ops;
} Size;

typedef struct Item {
  NrOp *op;
  Size size;
} Item;
typedef NR_VEC(Item) Items;

typedef struct Splitter {
  NrPassContext *pass;
  Size max, call; /* limit of a function; size of a call of a part */
  NrSymbolNames names;
  NrMap made;     /* the calls of parts */
  NrOp *func;     /* the function being split */
  NrOp *last;     /* parts are inserted behind it */
} Splitter;

typedef NR_VEC(NrValue *) Values;

/* Ops that move to a new function. */
typedef struct Part {
  NrOutline ops;
  Values results; /* values of the ops that others use */
} Part;

static Size sum(Size a, Size b) { return (Size){a.loops + b.loops, a.ops + b.ops}; }
static bool exceeds(Size size, Size max) { return size.loops > max.loops || size.ops > max.ops; }

/* ---- kinds of ops ------------------------------------------------------------------------------------------------ */

/* A view that reads no memory (memref.reshape does). */
static bool is_view(const NrOp *op) {
  return op->num_results == 1 && nr_op_has(op, NR_PURE) && nr_op_has(op, NR_VIEW);
}

/* Whether op is a constant or a memref.get_global: pure and without operands. */
static bool is_constant_op(const NrOp *op) {
  return op && nr_op_has(op, NR_PURE) && !op->num_operands && !op->num_regions && op->num_results == 1 &&
         strcmp(op->info->dialect, "flow") != 0;
}

/* Whether the function gets a copy of the op instead of an argument: of constants, and of views with constant offsets,
 * sizes and strides, which cost nothing. */
static bool is_remade(const NrValue *value) {
  const NrOp *op = value->op;
  if (is_constant_op(op)) return true;
  if (!op || !is_view(op)) return false;
  for (uint32_t i = 1; i < op->num_operands; i++)
    if (!is_constant_op(nr_operand(op, i)->op)) return false;
  return true;
}

/* Whether op is of flow (dispatches) or of onnx (nodes of a model that is not lowered). */
static bool is_of_model(const NrOp *op) {
  return strcmp(op->info->dialect, "flow") == 0 || strcmp(op->info->dialect, "onnx") == 0;
}

/* Whether op must stay, because it depends on the stack frame or on its parent region. */
static bool is_bound(const NrOp *op) {
  return nr_op_has(op, NR_TERMINATOR) || op->num_successors || op->info == &nr_unregistered_op_info ||
         nr_op_is(op, NR_OP_memref_alloca) || nr_op_is(op, NR_OP_rt_enter) || nr_op_has(op, NR_SYMBOL) ||
         is_of_model(op);
}

typedef struct Movable {
  bool has_alloca, has_buffers_of_buffers;
} Movable;

static bool holds_buffers(NrType type) { return nr_type_is_memref(type) && nr_type_is_memref(type->elem); }

static bool look_inside(NrOp *op, void *user) {
  Movable *m = user;
  m->has_alloca |= nr_op_is(op, NR_OP_memref_alloca);
  for (uint32_t i = 0; i < op->num_operands; i++)
    m->has_buffers_of_buffers |= holds_buffers(nr_operand(op, i)->type);
  for (uint32_t i = 0; i < op->num_successors; i++) {
    const NrOp *region_of = op->successors[i].block->region->op;
    if (region_of != nr_op_parent(op)) return false;
  }
  return op->info != &nr_unregistered_op_info && !is_of_model(op);
}

/* Whether op can move with its nested ops. Stack buffers that it allocates will live as long as the part's call, so
 * they must not be used outside op. */
static bool can_move(NrOp *op) {
  Movable m = {0};
  if (is_bound(op) || !nr_walk_pre(op, look_inside, &m)) return false;
  if (!m.has_alloca) return true;
  for (uint32_t i = 0; i < op->num_results; i++)
    if (nr_type_is_memref(nr_result(op, i)->type)) return false;
  return !m.has_buffers_of_buffers;
}

static bool can_be_handed_over(NrType type) {
  switch (type->kind) {
  case NR_TYPE_NONE:
  case NR_TYPE_TUPLE:
  case NR_TYPE_flow_dispatch_tensor:
  case NR_TYPE_scf_token:
  case NR_TYPE_OPAQUE: return false;
  default: return true;
  }
}

/* ---- arguments and results --------------------------------------------------------------------------------------- */

static NrCapture capture(const NrValue *value) {
  if (is_remade(value)) return NR_CAPTURE_REMAKE;
  return can_be_handed_over(value->type) ? NR_CAPTURE_PASS : NR_CAPTURE_REFUSE;
}

/* Adds the results of op that are used outside the part. False when a user does not allow the result of a call, as
 * affine ops do not, which require valid dims and symbols. */
static bool note_results(Part *part, NrOp *op) {
  for (uint32_t i = 0; i < op->num_results; i++) {
    bool leaves = false;
    for (NrUse *use = nr_result(op, i)->first_use; use; use = use->next) {
      if (nr_map_has(&part->ops.inside, use->owner)) continue;
      if (strcmp(use->owner->info->dialect, "affine") == 0) return false;
      leaves = true;
    }
    if (leaves && !can_be_handed_over(nr_result(op, i)->type)) return false;
    if (leaves) nr_vec_push(&part->results, nr_result(op, i));
  }
  return true;
}

static bool look_at(Part *part) {
  if (!nr_outline_needs_ops(&part->ops)) return false;
  for (NrOp *op = part->ops.first; op != part->ops.last->next; op = op->next)
    if (!note_results(part, op)) return false;
  return part->ops.inputs.size + part->results.size <= MAX_VALUES;
}

/* ---- the new function -------------------------------------------------------------------------------------------- */

static NrOp *new_function(Splitter *s, Part *part) {
  NrType *types = NR_NEW_ARRAY(s->pass->scratch, NrType, part->results.size + 1);
  for (size_t i = 0; i < part->results.size; i++) types[i] = part->results.data[i]->type;
  NrBuilder b = nr_builder_after(s->last);
  NrStr name = nr_outline_name(&s->names, nr_op_parent(s->func), s->func, "part");
  NrOp *func = nr_outline_function(&part->ops, &b, 0, types, part->results.size);
  nr_op_set_attr(func, NR_A_sym_name, nr_attr_string(s->pass->ctx, name));
  nr_op_set_attr(func, NR_A_sym_visibility, nr_attr_string(s->pass->ctx, NR_STR("private")));
  nr_op_set_attr(func, NR_A_no_inline, nr_attr_unit(s->pass->ctx));
  s->last = func;
  return func;
}

static void use_instead(const Part *part, NrValue *value, NrValue *by) {
  for (NrUse *use = value->first_use, *next; use; use = next) {
    next = use->next;
    if (!nr_map_has(&part->ops.inside, use->owner)) nr_op_set_operand(use->owner, nr_use_index(use), by);
  }
  by->name = value->name;
}

/* Moves the part's ops to a new function; returns the call that replaces them. */
static NrOp *call_function(Splitter *s, Part *part) {
  NrBuilder b = nr_builder_before(part->ops.first);
  NrOp *func = new_function(s, part);
  NrType type = nr_op_attr(func, NR_A_function_type)->type;
  NrOp *call = nr_build_op(&b, NR_OP_func_call, part->ops.inputs.data, part->ops.inputs.size, type->results,
                           part->results.size);
  nr_op_set_attr(call, NR_A_callee, nr_attr_symbol(b.ctx, nr_op_attr_str(func, NR_A_sym_name)));
  nr_map_set(&s->made, call, func);
  nr_outline_move(&part->ops, func);
  for (size_t i = 0; i < part->results.size; i++) use_instead(part, part->results.data[i], nr_result(call, i));
  NrBuilder end = nr_builder_at_end(func->module, nr_func_func_body(func), part->ops.last->loc);
  nr_build_op(&end, NR_OP_func_return, part->results.data, part->results.size, NULL, 0);
  return call;
}

/* Moves the ops from first to last to a new function and returns its call; NULL when they cannot move. */
static NrOp *outline(Splitter *s, NrOp *first, NrOp *last) {
  Part part = {0};
  nr_outline_init(&part.ops, s->pass, first, last, capture);
  NrOp *call = look_at(&part) ? call_function(s, &part) : NULL;
  nr_outline_deinit(&part.ops);
  nr_vec_deinit(&part.results);
  return call;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Consecutive ops collected for a part. When splitting by loops, a part ends with a loop, so that values which only the
 * next loop uses need not be results. */
typedef struct Group {
  Items items, behind; /* behind: since the last loop */
  Size size, behind_size;
} Group;

static void end_group(Splitter *s, Group *g, Items *out) {
  Item *items = g->items.data;
  size_t count = g->items.size;
  bool has_enough = count > 1 || (count == 1 && items[0].op->num_regions);
  NrOp *call = has_enough ? outline(s, items[0].op, items[count - 1].op) : NULL;
  if (call) nr_vec_push(out, ((Item){call, s->call}));
  for (size_t i = 0; i < count && !call; i++) nr_vec_push(out, items[i]);
  for (size_t i = 0; i < g->behind.size; i++) nr_vec_push(out, g->behind.data[i]);
  g->items.size = g->behind.size = 0;
  g->size = g->behind_size = (Size){0};
}

static void add_to_group(Group *g, Item item, bool may_end) {
  nr_vec_push(&g->behind, item);
  g->behind_size = sum(g->behind_size, item.size);
  if (!may_end) return;
  for (size_t i = 0; i < g->behind.size; i++) nr_vec_push(&g->items, g->behind.data[i]);
  g->size = sum(g->size, g->behind_size);
  g->behind.size = 0;
  g->behind_size = (Size){0};
}

/* Moves constants, views of available buffers and stack buffers in front of a group. */
static bool move_before(const Group *g, NrOp *op) {
  bool in_frame = nr_op_is(op, NR_OP_memref_alloca) && !op->num_operands;
  if (!in_frame && !is_constant_op(op) && !is_view(op)) return false;
  NrOp *first = g->items.data[0].op;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *value = nr_operand(op, i);
    if (value->op && value->op->block == op->block && !nr_op_is_before(value->op, first)) return false;
  }
  nr_op_unlink(op);
  nr_op_insert_before(op, first);
  return true;
}

/* Replaces runs of consecutive items by calls of new functions. */
static void cut_once(Splitter *s, Items *items, bool by_loops) {
  Items out = {0};
  Group g = {0};
  for (size_t i = 0; i < items->size; i++) {
    Item item = items->data[i];
    bool heavy = !by_loops || item.size.loops;
    if (g.items.size && move_before(&g, item.op)) {
      nr_vec_push(&out, item);
      continue;
    }
    Size with = sum(sum(g.size, g.behind_size), item.size);
    bool moves = can_move(item.op);
    if (g.items.size && (!moves || exceeds(with, s->max))) end_group(s, &g, &out);
    if (moves && (heavy || g.items.size)) add_to_group(&g, item, heavy);
    else nr_vec_push(&out, item);
  }
  end_group(s, &g, &out);
  nr_vec_deinit(&g.items);
  nr_vec_deinit(&g.behind);
  nr_vec_deinit(items);
  *items = out;
}

static Size total(const Items *items) {
  Size size = {0};
  for (size_t i = 0; i < items->size; i++) size = sum(size, items->data[i].size);
  return size;
}

/* Whether a is smaller than b by at least an eighth. */
static bool is_far_below(size_t a, size_t b) { return a <= b - b / 8 && a < b; }

/* Calls cut_once until the total size is within the limit or hardly shrinks any more; returns the size. */
static Size cut(Splitter *s, Items *items, bool at_least_once) {
  Size size = total(items);
  while (at_least_once || exceeds(size, s->max)) {
    Size before = size;
    cut_once(s, items, size.loops > s->max.loops || at_least_once);
    size = total(items);
    at_least_once = false;
    if (!is_far_below(size.loops, before.loops) && !is_far_below(size.ops, before.ops)) break;
  }
  return size;
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

typedef struct Measured {
  const Splitter *splitter;
  Size size;
} Measured;

static bool measure_op(NrOp *op, void *user) {
  Measured *m = user;
  bool is_part = nr_op_is(op, NR_OP_func_call) && nr_map_has(&m->splitter->made, op);
  m->size = sum(m->size, is_part ? m->splitter->call : (Size){nr_op_has(op, NR_LOOP), 1});
  return true;
}

static Size measure(const Splitter *s, NrOp *op) {
  Measured m = {.splitter = s};
  nr_walk_pre(op, measure_op, &m);
  return m.size;
}

/* Whether op's blocks may be split: they may contain any ops, and their values can be arguments and results. */
static bool has_free_blocks(const NrOp *op) {
  if (nr_op_is(op, NR_OP_func_func)) return true;
  if (nr_op_is(op, NR_OP_scf_forall)) return !op->num_results; /* parallel_insert_slice must name its arguments */
  return !is_of_model(op) && (op->info->region_flow || nr_op_has(op, NR_LOOP));
}

static Size split_regions(Splitter *s, NrOp *op);

static Size split_block(Splitter *s, NrBlock *block) {
  Items items = {0};
  for (NrOp *op = block->first; op; op = op->next) nr_vec_push(&items, ((Item){op, split_regions(s, op)}));
  Size size = cut(s, &items, false);
  nr_vec_deinit(&items);
  return size;
}

static Size cut_again(Splitter *s, NrBlock *block) {
  Items items = {0};
  for (NrOp *op = block->first; op; op = op->next) nr_vec_push(&items, ((Item){op, measure(s, op)}));
  Size size = cut(s, &items, true);
  nr_vec_deinit(&items);
  return size;
}

#define FOR_EACH_BLOCK(block, op)                                                                                      \
  for (uint32_t r_ = 0; r_ < (op)->num_regions; r_++)                                                                  \
    for (NrBlock *block = (op)->regions[r_].first; block; block = block->next)

/* Splits op's regions and returns op's new size. Many blocks, each small enough, can be too large together. */
static Size split_regions(Splitter *s, NrOp *op) {
  if (!op->num_regions || !has_free_blocks(op)) return measure(s, op);
  const Size own = {nr_op_has(op, NR_LOOP), 1};
  Size size = own;
  size_t blocks = 0;
  FOR_EACH_BLOCK(block, op) {
    size = sum(size, split_block(s, block));
    blocks++;
  }
  if (blocks < 2 || !exceeds(size, s->max)) return size;
  size = own;
  FOR_EACH_BLOCK(block, op) size = sum(size, cut_again(s, block));
  return size;
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

static bool is_defined_function(const NrOp *op) { return nr_op_is(op, NR_OP_func_func) && nr_func_func_body(op); }

static NrStatus split_functions_run(NrPassContext *pass, NrOp *module) {
  Splitter s = {.pass = pass,
                .max = {(size_t)nr_pass_int(pass, "max-loops"), (size_t)nr_pass_int(pass, "max-ops")}};
  s.call.ops = NR_MAX(NR_MIN(CALL_OPS, s.max.ops / 2), 1);
  NrOpList funcs = {0};
  nr_collect_pre(module, is_defined_function, &funcs);
  for (size_t i = 0; i < funcs.size; i++) {
    s.func = s.last = funcs.data[i];
    if (exceeds(measure(&s, s.func), s.max)) split_regions(&s, s.func);
  }
  nr_vec_deinit(&funcs);
  nr_symbol_names_deinit(&s.names);
  nr_map_deinit(&s.made);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_INT("max-loops", 64, 1, INT64_MAX, "most loops of a function"),
    NR_INT("max-ops", 20000, 1, INT64_MAX, "most ops of a function"),
    {0},
};
NR_PASS(split_functions, .name = "split-functions", .on_while = NR_WHILE_BARRIER, .of_table = true,
        .run = split_functions_run, .options = options,
        .doc = "splits functions of very many loops or ops into several functions")
