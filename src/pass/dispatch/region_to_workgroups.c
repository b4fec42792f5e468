/* region_to_workgroups.c - makes a dispatch region, which uses values from outside, one that is isolated.
 *   before  %r = flow.dispatch.region -> (tensor<?xf32>{%n}) {
 *             %1 = linalg.generic ins(%a) ..
 *             flow.return %1 }
 *   after   %r = flow.dispatch.workgroups(%a, %n) : (tensor<?xf32>{%d}, index) -> tensor<?xf32>{%n} = (%x, %m, %out) {
 *             %0 = flow.dispatch.tensor.load %x ..
 *             %1 = linalg.generic ins(%0) ..
 *             flow.dispatch.tensor.store %1, %out ..
 *             flow.return }
 *
 * Values from outside become arguments; constants and empty tensors are copied instead. The body computes whole
 * results, so one workgroup runs it: the workload and the count region, which are meant for a body that is tiled, are
 * dropped. A region in a workgroup or in a parallel loop, or that may dispatch itself, is replaced by its
 * ops. */
#include "dialect/arith/arith.h"
#include "dialect/flow/flow.h"
#include "dialect/tensor/tensor.h"
#include "pass/core/rewrite.h"
#include "pass/dispatch/region_to_workgroups.h"

/* The new op while it is built. */
typedef struct Conversion {
  NrOp *region;
  NrBuilder host;
  NR_VEC(NrValue *) captured;  /* values from outside that are passed */
  NR_VEC(NrValue *) arguments; /* as they are passed: tensors of index as tensors of i64 */
  NR_VEC(NrValue *) argument_dims;
  NR_VEC(NrType) types; /* of the results as they are passed */
  NR_VEC(int64_t) tied; /* for each result: an argument, or -1 */
  NrOpList remade;      /* ops from outside that are copied, operands first */
  NrMap seen;           /* values from outside */
  NrMap inside;         /* values from outside -> values of the body */
  NrStatus status;
} Conversion;

static void deinit(Conversion *c) {
  nr_vec_deinit(&c->captured);
  nr_vec_deinit(&c->arguments);
  nr_vec_deinit(&c->argument_dims);
  nr_vec_deinit(&c->types);
  nr_vec_deinit(&c->tied);
  nr_vec_deinit(&c->remade);
  nr_map_deinit(&c->seen);
  nr_map_deinit(&c->inside);
}

/* The type that a value is passed as: no tensor or vector of index crosses the boundary. */
static NrType passed_type(NrType type) {
  bool is_vector = type->kind == NR_TYPE_VECTOR;
  if (!(is_vector || nr_type_is_tensor(type)) || !nr_type_is_index(type->elem)) return type;
  NrType i64 = nr_type_i64(type->ctx);
  return is_vector ? nr_type_vector_scalable(type->dims, type->rank, i64, type->scalable)
                   : nr_type_tensor(type->dims, type->rank, i64);
}

static NrValue *cast_elements(NrBuilder *b, NrValue *value, NrType type) {
  return value->type == type ? value : nr_build_value(b, NR_OP_arith_index_cast, type, &value, 1);
}

/* ---- values from outside ----------------------------------------------------------------------------------------- */

/* Whether a copy of op costs less than an argument. Larger constants stay in the host program. */
static bool is_remade(const NrOp *op) {
  enum { MAX_BYTES = 256 };
  if (!op) return false;
  if (nr_op_is(op, NR_OP_tensor_empty) || nr_op_is(op, NR_OP_flow_tensor_empty)) return true;
  if (!nr_op_has(op, NR_CONSTANT_LIKE)) return false;
  if (!nr_type_is_tensor(nr_op_result(op)->type)) return true;
  NrAttr value = nr_value_constant(nr_op_result(op));
  return value && nr_attr_is_elements(value) && (value->splat || value->data_size <= MAX_BYTES);
}

static void capture(Conversion *c, NrValue *value) {
  if (nr_map_has(&c->seen, value)) return;
  nr_map_set(&c->seen, value, value);
  if (is_remade(value->op)) {
    for (uint32_t i = 0; i < value->op->num_operands; i++) capture(c, nr_operand(value->op, i));
    nr_vec_push(&c->remade, value->op);
    return;
  }
  if (value->type->kind == NR_TYPE_UNRANKED_TENSOR)
    c->status = nr_op_error(c->region, "uses a tensor of unknown rank; run flatten-unranked first");
  nr_vec_push(&c->captured, value);
}

static bool capture_operands(NrOp *op, void *user) {
  Conversion *c = user;
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_value_is_outside(nr_operand(op, i), c->region)) capture(c, nr_operand(op, i));
  return true;
}

static void capture_all(Conversion *c) {
  NrGroup dims = nr_flow_dispatch_region_result_dims(c->region);
  for (NrBlock *block = nr_flow_dispatch_region_body(c->region); block; block = block->next)
    for (NrOp *op = block->first; op; op = op->next) nr_walk_pre(op, capture_operands, c);
  for (size_t i = 0; i < dims.count; i++) capture(c, nr_operand(c->region, dims.begin + i));
}

/* Builds the arguments in the host program. The dims of tensors are arguments too: the body loads whole tensors. */
static void build_arguments(Conversion *c) {
  for (size_t i = 0; i < c->captured.size; i++) { /* grows by the dims */
    NrValue *value = c->captured.data[i];
    nr_vec_push(&c->arguments, cast_elements(&c->host, value, passed_type(value->type)));
    for (uint32_t d = 0; value->type->kind == NR_TYPE_TENSOR && d < value->type->rank; d++) {
      if (value->type->dims[d] != NR_DYNAMIC) continue;
      NrValue *dim = nr_index_value(&c->host, nr_dim_build(&c->host, value, d));
      nr_vec_push(&c->argument_dims, dim);
      capture(c, dim);
    }
  }
}

/* ---- ties -------------------------------------------------------------------------------------------------------- */

static size_t uses_inside(const Conversion *c, const NrValue *value) {
  size_t count = 0;
  for (const NrUse *use = value->first_use; use; use = use->next)
    count += use->owner != c->region && nr_op_is_ancestor(c->region, use->owner);
  return count;
}

/* The argument whose buffer a returned value may reuse: the captured tensor that it starts as, by destination operands,
 * which nothing else in the body uses. -1: there is none. */
static int64_t tie_of(const Conversion *c, NrValue *value) {
  while (value->op && !nr_value_is_outside(value, c->region)) {
    uint32_t number = 0;
    while (nr_result(value->op, number) != value) number++;
    NrValue *destination = nr_op_destination(value->op, number);
    if (!destination || destination->type != value->type) return -1;
    value = destination;
  }
  if (!nr_value_is_outside(value, c->region) || nr_value_constant(value) || uses_inside(c, value) != 1) return -1;
  for (size_t i = 0; i < c->captured.size; i++)
    if (c->captured.data[i] == value && c->arguments.data[i] == value) return (int64_t)i;
  return -1;
}

static void choose_ties(Conversion *c) {
  NrBlock *body = nr_flow_dispatch_region_body(c->region);
  NrOp *yield = nr_block_terminator(body);
  for (uint32_t r = 0; r < c->region->num_results; r++) {
    int64_t tie = body->next ? -1 : tie_of(c, nr_operand(yield, r));
    for (uint32_t k = 0; k < r; k++)
      if (c->tied.data[k] == tie) tie = -1;
    nr_vec_push(&c->tied, tie);
    nr_vec_push(&c->types, passed_type(nr_result(c->region, r)->type));
  }
}

/* ---- the body ---------------------------------------------------------------------------------------------------- */

/* The value in the body for one from outside. */
static NrValue *inside(const Conversion *c, NrValue *value) {
  NrValue *mapped = nr_map_get(&c->inside, value);
  assert(mapped);
  return mapped;
}

/* Loads a captured tensor as a whole, dims being its dynamic dims in the host program. */
static NrValue *load_whole(const Conversion *c, NrBuilder *b, NrValue *binding, NrValue *const *dims) {
  NrValue *mapped[NR_MAX_RANK];
  for (size_t i = 0; i < nr_flow_num_dims(binding->type); i++) mapped[i] = inside(c, dims[i]);
  return nr_op_result(nr_flow_build_whole(b, binding, mapped, NULL));
}

/* Adds the block arguments, then the loads and copies that the body uses in place of values from outside. */
static void open_body(Conversion *c, NrBlock *body) {
  NrLoc loc = c->region->loc;
  for (size_t i = 0; i < c->arguments.size; i++) {
    NrType type = c->arguments.data[i]->type;
    bool tied = false;
    for (size_t r = 0; r < c->tied.size; r++) tied |= c->tied.data[r] == (int64_t)i;
    if (nr_type_is_tensor(type)) type = nr_type_dispatch_tensor(tied ? NR_READWRITE : NR_READONLY, type);
    nr_block_add_arg(body, type, loc);
  }
  NrBuilder b = nr_builder_at_start(c->region->module, body, loc);
  for (size_t i = 0; i < c->arguments.size; i++) {
    NrValue *outer = c->captured.data[i];
    if (!nr_type_is_tensor(outer->type))
      nr_map_set(&c->inside, outer, cast_elements(&b, nr_block_arg(body, i), outer->type));
  }
  for (size_t i = 0; i < c->remade.size; i++)
    nr_builder_insert(&b, nr_op_clone(b.module, c->remade.data[i], &c->inside));
  for (size_t i = 0, next = 0; i < c->arguments.size; i++) {
    NrValue *outer = c->captured.data[i], *arg = nr_block_arg(body, i);
    if (!nr_type_is_tensor(outer->type)) continue;
    NrValue *whole = load_whole(c, &b, arg, c->argument_dims.data + next);
    next += nr_flow_num_dims(arg->type);
    nr_map_set(&c->inside, outer, cast_elements(&b, whole, outer->type));
  }
}

static bool remap(NrOp *op, void *user) {
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *mapped = nr_map_get(user, nr_operand(op, i));
    if (mapped) nr_op_set_operand(op, i, mapped);
  }
  return true;
}

/* Stores the returned values to the tied arguments and to those behind the arguments. */
static void close_block(const Conversion *c, NrBlock *body, NrOp *yield) {
  NrBuilder b = nr_builder_before(yield);
  size_t next = c->arguments.size, dim = nr_flow_dispatch_region_result_dims(c->region).begin;
  for (uint32_t r = 0; r < c->types.size; r++) {
    NrValue *binding = nr_block_arg(body, c->tied.data[r] >= 0 ? (size_t)c->tied.data[r] : next++);
    NrValue *dims[NR_MAX_RANK];
    for (size_t i = 0; i < nr_flow_num_dims(c->types.data[r]); i++) dims[i] = inside(c, nr_operand(c->region, dim++));
    nr_flow_build_whole(&b, binding, dims, cast_elements(&b, nr_operand(yield, r), c->types.data[r]));
  }
  for (uint32_t r = yield->num_operands; r-- > 0;) nr_op_erase_operand(yield, r);
}

static void build_body(Conversion *c, NrOp *workgroups) {
  NrRegion *region = nr_flow_dispatch_workgroups_workgroup_region(workgroups);
  nr_region_take(region, nr_flow_dispatch_region_region(c->region));
  NrBlock *body = region->first;
  NrOp *first = body->first;
  open_body(c, body);
  for (NrBlock *block = body; block; block = block->next)
    for (NrOp *op = block == body ? first : block->first; op; op = op->next) nr_walk_pre(op, remap, &c->inside);
  for (uint32_t r = 0; r < c->types.size; r++)
    if (c->tied.data[r] < 0)
      nr_block_add_arg(body, nr_type_dispatch_tensor(NR_WRITEONLY, c->types.data[r]), c->region->loc);
  for (NrBlock *block = body; block; block = block->next)
    if (nr_op_is(nr_block_terminator(block), NR_OP_flow_return)) close_block(c, body, nr_block_terminator(block));
}

/* ---- the op ------------------------------------------------------------------------------------------------------ */

static NrOp *build_workgroups(Conversion *c) {
  NrGroup result_dims = nr_flow_dispatch_region_result_dims(c->region);
  NR_VEC(NrValue *) operands = {0};
  for (size_t i = 0; i < c->arguments.size; i++) nr_vec_push(&operands, c->arguments.data[i]);
  for (size_t i = 0; i < c->argument_dims.size; i++) nr_vec_push(&operands, c->argument_dims.data[i]);
  for (size_t i = 0; i < result_dims.count; i++)
    nr_vec_push(&operands, nr_operand(c->region, result_dims.begin + i));
  NrOp *op = nr_build(&c->host, &(NrOpState){.info = nr_op_infos[NR_OP_flow_dispatch_workgroups],
                                             .operands = operands.data,
                                             .num_operands = operands.size,
                                             .result_types = c->types.data,
                                             .num_results = c->types.size,
                                             .num_regions = 2});
  nr_op_set_segments(op,
                     (uint32_t[]){0, (uint32_t)c->arguments.size, (uint32_t)c->argument_dims.size,
                                  (uint32_t)result_dims.count},
                     4);
  NrAttr tied = nr_tied_attr(c->host.ctx, c->tied.data, c->tied.size);
  if (tied) nr_op_set_attr(op, NR_A_tied_operands, tied);
  nr_vec_deinit(&operands);
  return op;
}

NrStatus nr_region_to_workgroups(NrOp *region, NrOp **out_workgroups) {
  Conversion c = {.region = region, .host = nr_builder_before(region)};
  *out_workgroups = NULL;
  capture_all(&c);
  if (!c.status) {
    build_arguments(&c);
    choose_ties(&c);
    NrOp *op = *out_workgroups = build_workgroups(&c);
    build_body(&c, op);
    for (uint32_t r = 0; r < region->num_results; r++)
      nr_value_replace_uses(nr_result(region, r),
                            cast_elements(&c.host, nr_result(op, r), nr_result(region, r)->type));
    nr_op_erase(region);
  }
  NrStatus status = c.status;
  deinit(&c);
  return status;
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

bool nr_runs_in_workgroup(const NrOp *op) {
  for (NrOp *p = nr_op_parent(op); p; p = nr_op_parent(p))
    if (nr_op_is(p, NR_OP_flow_dispatch_region) || nr_op_is(p, NR_OP_flow_dispatch_workgroups) ||
        nr_op_is(p, NR_OP_flow_executable) || nr_op_is(p, NR_OP_linalg_generic) || nr_op_is(p, NR_OP_scf_parallel) ||
        nr_op_is(p, NR_OP_scf_forall))
      return true;
  return false;
}

/* Whether op can only run in the host program. */
static bool is_of_host(const NrOp *op) {
  switch (op->info->id) {
  case NR_OP_flow_dispatch:
  case NR_OP_flow_dispatch_workgroups:
  case NR_OP_flow_call:
  case NR_OP_flow_tensor_trace:
  case NR_OP_flow_channel_default:
  case NR_OP_flow_channel_split:
  case NR_OP_flow_channel_rank:
  case NR_OP_flow_channel_count:
  case NR_OP_flow_collective_all_gather:
  case NR_OP_flow_collective_all_reduce:
  case NR_OP_flow_collective_all_to_all:
  case NR_OP_flow_collective_reduce_scatter:
  case NR_OP_flow_collective_send_recv: return true;
  default: return false;
  }
}

static bool stop_at_host_op(NrOp *op, void *seen);

/* Whether a function has ops on tensors, which may become dispatches, or calls one that has. */
static bool stop_at_tensor_op(NrOp *op, void *seen) {
  for (uint32_t i = 0; i < op->num_results; i++)
    if (nr_type_is_tensor(nr_result(op, i)->type)) return false;
  return stop_at_host_op(op, seen);
}

/* seen: the functions that are known, or being looked at. */
static bool stop_at_host_op(NrOp *op, void *seen) {
  if (is_of_host(op)) return false;
  if (!nr_op_has(op, NR_CALL)) return true;
  NrAttr callee = nr_op_attr(op, NR_A_callee);
  NrOp *func = callee && callee->kind == NR_ATTR_SYMBOL ? nr_symbol_resolve(op, callee) : NULL;
  if (!func) return false;
  if (nr_map_has(seen, func)) return true;
  nr_map_set(seen, func, func);
  return nr_walk_pre(func, stop_at_tensor_op, seen);
}

static bool may_dispatch(NrOp *region) {
  NrMap seen = {0};
  bool may = !nr_walk_pre(region, stop_at_host_op, &seen);
  nr_map_deinit(&seen);
  return may;
}

static NrOp *enclosing_dispatch(NrOp *op) {
  do op = nr_op_parent(op);
  while (!nr_op_is(op, NR_OP_flow_dispatch_region) && !nr_op_is(op, NR_OP_flow_dispatch_workgroups));
  return op;
}

/* In the host program, a region is the only workgroup of its grid. */
static void replace_grid_ops(NrOp *region) {
  NrOpList ops = {0};
  nr_collect_ops(region, &ops);
  for (size_t i = 0; i < ops.size; i++) {
    NrOp *op = ops.data[i];
    bool is_id = nr_op_is(op, NR_OP_flow_dispatch_workgroup_id);
    bool is_count = nr_op_is(op, NR_OP_flow_dispatch_workgroup_count);
    is_count |= nr_op_is(op, NR_OP_flow_dispatch_workgroup_size);
    if (!(is_id || is_count) || enclosing_dispatch(op) != region) continue;
    NrBuilder b = nr_builder_before(op);
    nr_op_replace(op, nr_arith_constant_index(&b, is_count));
  }
  nr_vec_deinit(&ops);
}

/* Replaces a region by its ops. */
static NrStatus inline_region(NrOp *region) {
  NrBlock *body = nr_flow_dispatch_region_body(region);
  if (body->next) return nr_op_error(region, "in a workgroup must have one block; run lift-cf-to-scf first");
  NrOp *yield = nr_block_terminator(body);
  for (uint32_t r = 0; r < region->num_results; r++)
    nr_value_replace_uses(nr_result(region, r), nr_operand(yield, r));
  nr_op_erase(yield);
  nr_block_splice(body, region->block, region);
  nr_op_erase(region);
  return NR_OK;
}

/* A region that may dispatch cannot be a dispatch; its ops stay in the host program. */
static NrStatus convert(NrOp *region) {
  NrOp *workgroups;
  if (nr_runs_in_workgroup(region)) return inline_region(region);
  if (!may_dispatch(region)) return nr_region_to_workgroups(region, &workgroups);
  replace_grid_ops(region);
  return inline_region(region);
}

static bool is_region(const NrOp *op) { return nr_op_is(op, NR_OP_flow_dispatch_region); }

static NrStatus region_to_workgroups_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  NrOpList found = {0};
  NrStatus status = NR_OK;
  nr_collect_pre(root, is_region, &found);
  for (size_t i = 0; i < found.size && !status; i++) status = convert(found.data[i]);
  nr_vec_deinit(&found);
  return status;
}

NR_PASS(region_to_workgroups, .name = "convert-dispatch-region-to-workgroups", .on_while = NR_WHILE_BARRIER,
        .run = region_to_workgroups_run,
        .doc = "flow.dispatch.region becomes flow.dispatch.workgroups, with what it uses as arguments")
