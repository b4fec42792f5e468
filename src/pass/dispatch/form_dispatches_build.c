/* form_dispatches_build.c - the dispatch that takes an op's place; see form_dispatches.c.
 *
 * Its operands are the workload, the captures, then the sizes of all tensors: as scalars for the loads and stores
 * inside, which name them, and once more for the types. */
#include "dialect/flow/flow.h"
#include "pass/dispatch/form_dispatches.h"

typedef NR_VEC(NrValue *) Values;

/* The body of the dispatch. */
typedef struct Inside {
  NrBuilder b;
  NrValue *args[NR_DISPATCH_CAPTURES];              /* of the captures */
  NrValue *dims[NR_DISPATCH_CAPTURES][NR_MAX_RANK]; /* of the tensors, where `?` */
  NrValue *results[NR_DISPATCH_RESULTS], *result_dims[NR_DISPATCH_RESULTS][NR_MAX_RANK];
  NrValue *offset, *size; /* of the workgroup's slab, NULL without split */
  NrMap map;              /* values of the host -> what they are here */
} Inside;

/* ---- parts of tensors ---- */

/* Sizes and offsets of the part of a tensor that operand k of the op needs. */
static void part(const Inside *in, NrType type, NrValue *const *dims, int cut, NrIndex *offsets, NrIndex *sizes,
                 NrIndex *strides) {
  for (uint32_t r = 0; r < type->rank; r++) {
    bool slab = in->offset && (int)r == cut;
    offsets[r] = slab ? (NrIndex){in->offset, 0} : nr_index_const(0);
    sizes[r] = slab ? (NrIndex){in->size, 0} : dims[r] ? (NrIndex){dims[r], 0} : nr_index_const(type->dims[r]);
    strides[r] = nr_index_const(1);
  }
}

static NrType part_type(NrType type, const NrIndex *sizes) {
  int64_t dims[NR_MAX_RANK];
  for (uint32_t r = 0; r < type->rank; r++) dims[r] = sizes[r].value ? NR_DYNAMIC : sizes[r].constant;
  return nr_type_tensor(dims, type->rank, type->elem);
}

/* dispatch.tensor.load (value NULL) or .store of the part of binding. */
static NrValue *access(Inside *in, NrValue *binding, NrValue *const *dims, int cut, NrValue *value) {
  NrType type = binding->type->elem;
  NrIndex list[3][NR_MAX_RANK];
  NrValue *operands[4 * NR_MAX_RANK + 2];
  size_t n = 0, counts[4] = {0};
  part(in, type, dims, cut, list[0], list[1], list[2]);
  if (value) operands[n++] = value;
  operands[n++] = binding;
  for (uint32_t r = 0; r < type->rank; r++)
    if (dims[r]) operands[n++] = dims[r], counts[0]++;
  static const char *const names[3] = {"static_offsets", "static_sizes", "static_strides"};
  NrAttr statics[3];
  for (size_t i = 0; i < 3; i++) {
    size_t before = n;
    statics[i] = nr_index_list_split(&in->b, list[i], type->rank, operands, &n);
    counts[1 + i] = n - before;
  }
  NrType result = part_type(type, list[1]);
  NrOp *op = nr_build_op(&in->b, value ? NR_OP_flow_dispatch_tensor_store : NR_OP_flow_dispatch_tensor_load, operands,
                         n, &result, value ? 0 : 1);
  for (size_t i = 0; i < 3; i++) nr_op_set_attr_named(op, names[i], statics[i]);
  uint32_t segments[6] = {1, 1};
  size_t lead = value ? 2 : 1;
  for (size_t i = 0; i < 4; i++) segments[lead + i] = (uint32_t)counts[i];
  nr_op_set_segments(op, segments, lead + 4);
  return value ? NULL : nr_result(op, 0);
}

/* ---- the body ---- */

static int cut_of(const NrFormedDispatch *w, size_t operand) {
  return w->split < 0 ? -1 : nr_dispatch_cut_dim(w->op, operand, (uint32_t)w->split);
}

/* The init of output i inside: loaded, or made again. */
static NrValue *inner_init(const NrFormedDispatch *w, Inside *in, size_t i) {
  NrValue *init = nr_operand(w->op, w->num_inputs + i);
  size_t at = nr_dispatch_find(w, init);
  int cut = cut_of(w, w->num_inputs + i);
  if (at != SIZE_MAX) return access(in, in->args[at], in->dims[at], cut, NULL);
  NrIndex offsets[NR_MAX_RANK], sizes[NR_MAX_RANK], strides[NR_MAX_RANK];
  NrValue *dynamic[NR_MAX_RANK];
  size_t n = 0;
  part(in, init->type, in->result_dims[i], cut, offsets, sizes, strides);
  for (uint32_t r = 0; r < init->type->rank; r++)
    if (sizes[r].value) dynamic[n++] = sizes[r].value;
  NrValue *empty = nr_build_value(&in->b, NR_OP_tensor_empty, part_type(init->type, sizes), dynamic, n);
  NrValue *scalar = nr_dispatch_init_scalar(init);
  NrAttr splat = nr_value_constant(init);
  if (splat) {
    NrType elem = init->type->elem;
    NrOp *op = nr_build_op(&in->b, NR_OP_arith_constant, NULL, 0, &elem, 1);
    nr_op_set_attr(op, NR_A_value, nr_attr_element(splat, 0));
    return nr_build_fill(&in->b, nr_result(op, 0), empty);
  }
  if (!scalar) return empty;
  NrValue *mapped = nr_map_get(&in->map, scalar);
  if (!mapped) {
    NrOp *copy = nr_op_clone(in->b.module, scalar->op, &in->map);
    nr_op_append(in->b.block, copy);
    mapped = nr_result(copy, 0);
  }
  return nr_build_fill(&in->b, mapped, empty);
}

static void shift_indices(NrBlock *body, int split, NrValue *offset) {
  for (NrOp *op = body->first, *next; op; op = next) {
    next = op->next;
    if (!nr_op_is(op, NR_OP_linalg_index) || nr_op_attr_int(op, NR_A_dim, -1) != split) continue;
    NrBuilder b = nr_builder_after(op);
    NrValue *local = nr_result(op, 0);
    NrValue *global = nr_build_value(&b, NR_OP_arith_addi, local->type, (NrValue *[]){local, offset}, 2);
    nr_value_replace_uses_except(local, global, global->op);
  }
}

/* Where the workgroup's slab begins, and how long it is. */
static void find_slab(const NrFormedDispatch *w, Inside *in) {
  NrType index = nr_type_index(in->b.ctx);
  NrOp *id = nr_build_op(&in->b, NR_OP_flow_dispatch_workgroup_id, NULL, 0, &index, 1);
  nr_op_set_attr(id, NR_A_dimension, nr_attr_index(in->b.ctx, 0));
  NrValue *tile = nr_index_value(&in->b, nr_index_const(w->tile));
  in->offset = nr_build_value(&in->b, NR_OP_arith_muli, index, (NrValue *[]){nr_result(id, 0), tile}, 2);
  int64_t known = nr_linalg_static_range(w->op, (size_t)w->split);
  NrValue *range = known != NR_DYNAMIC ? nr_index_value(&in->b, nr_index_const(known))
                                       : in->result_dims[0][cut_of(w, w->num_inputs)];
  NrValue *left = nr_build_value(&in->b, NR_OP_arith_subi, index, (NrValue *[]){range, in->offset}, 2);
  in->size = nr_build_value(&in->b, NR_OP_arith_minsi, index, (NrValue *[]){left, tile}, 2);
}

/* Tensors that the op's body reads by itself come whole. */
static void load_what_the_body_reads(const NrFormedDispatch *w, Inside *in) {
  for (size_t i = 0; i < w->num_tensors; i++) {
    bool read = false;
    for (NrUse *use = w->captured[i]->first_use; use && !read; use = use->next)
      read = use->owner != w->op && nr_op_is_ancestor(w->op, use->owner);
    if (read) nr_map_set(&in->map, w->captured[i], access(in, in->args[i], in->dims[i], -1, NULL));
  }
}

/* Constants of the host that the op's body uses are made again in front of the op that it becomes. */
typedef struct Constants {
  const NrOp *op;
  NrOp *inner;
  NrMap *map;
} Constants;

static bool copy_constants(NrOp *user, void *data) {
  Constants *c = data;
  for (uint32_t i = 0; i < user->num_operands && user != c->op; i++) {
    NrValue *v = nr_operand(user, i);
    if (nr_map_has(c->map, v) || !nr_dispatch_is_outside(c->op, v)) continue;
    if (v->op && nr_op_has(v->op, NR_CONSTANT_LIKE))
      nr_op_insert_before(nr_op_clone(c->inner->module, v->op, c->map), c->inner);
  }
  return true;
}

/* The op on the parts of its operands. */
static NrOp *build_inner(const NrFormedDispatch *w, Inside *in) {
  NrOp *op = w->op;
  NrValue *inputs[NR_DISPATCH_CAPTURES], *inits[NR_DISPATCH_RESULTS];
  NrAttr maps[NR_DISPATCH_CAPTURES];
  char iterators[NR_MAX_RANK + 1] = {0};
  for (size_t k = 0; k < w->num_inputs; k++) {
    NrValue *v = nr_operand(op, k);
    size_t at = nr_dispatch_find(w, v);
    bool tensor = nr_type_is_tensor(v->type);
    inputs[k] = tensor ? access(in, in->args[at], in->dims[at], cut_of(w, k), NULL) : in->args[at];
  }
  load_what_the_body_reads(w, in);
  for (size_t i = 0; i < w->num_outputs; i++) inits[i] = inner_init(w, in, i);
  for (size_t k = 0; k < op->num_operands; k++) maps[k] = nr_linalg_map(op, k);
  for (size_t d = 0; d < nr_linalg_num_loops(op); d++) iterators[d] = nr_linalg_is_reduction(op, d) ? 'r' : 'p';
  NrOp *inner = nr_build_generic(&in->b, inputs, w->num_inputs, inits, w->num_outputs, maps, iterators);
  NrBlock *from = nr_op_body(op, 0), *to = nr_op_body(inner, 0);
  for (uint32_t i = 0; i < from->num_args; i++) nr_map_set(&in->map, from->args[i], to->args[i]);
  nr_walk_pre(op, copy_constants, &(Constants){op, inner, &in->map});
  for (NrOp *o = from->first; o; o = o->next) nr_op_append(to, nr_op_clone(in->b.module, o, &in->map));
  if (in->offset) shift_indices(to, w->split, in->offset);
  return inner;
}

static void fill_body(const NrFormedDispatch *w, Inside *in) {
  for (size_t i = w->num_tensors; i < w->num_tensors + w->num_scalars; i++)
    nr_map_set(&in->map, w->captured[i], in->args[i]);
  if (w->split >= 0) find_slab(w, in);
  NrOp *inner = build_inner(w, in);
  for (size_t i = 0; i < w->num_outputs; i++)
    access(in, in->results[i], in->result_dims[i], cut_of(w, w->num_inputs + i), nr_result(inner, i));
  nr_build_op(&in->b, NR_OP_flow_return, NULL, 0, NULL, 0);
  nr_map_deinit(&in->map);
}

/* ---- the dispatch ---- */

static void fill_count(const NrFormedDispatch *w, NrModule *module, NrRegion *region, NrLoc loc) {
  NrBlock *block = nr_block_create(module);
  nr_block_append(region, block);
  NrBuilder b = nr_builder_at_end(module, block, loc);
  NrValue *one = nr_index_value(&b, nr_index_const(1)), *x = one;
  if (w->split >= 0) {
    NrValue *range = nr_block_add_arg(block, nr_type_index(b.ctx), loc);
    x = nr_build_value(&b, NR_OP_arith_ceildivui, range->type,
                       (NrValue *[]){range, nr_index_value(&b, nr_index_const(w->tile))}, 2);
  }
  nr_build_op(&b, NR_OP_flow_return, (NrValue *[]){x, one, one}, 3, NULL, 0);
}

/* The sizes of a tensor of the host that its type leaves open. */
static void push_sizes(NrBuilder *b, NrValue *tensor, Values *out) {
  for (uint32_t d = 0; d < tensor->type->rank; d++) {
    if (tensor->type->dims[d] != NR_DYNAMIC) continue;
    NrValue *operands[] = {tensor, nr_index_value(b, nr_index_const(d))};
    nr_vec_push(out, nr_build_value(b, NR_OP_tensor_dim, nr_type_index(b->ctx), operands, 2));
  }
}

/* The same as arguments of the body. */
static void take_sizes(NrBlock *body, NrType type, NrLoc loc, NrValue **dims) {
  for (uint32_t d = 0; d < type->rank; d++)
    if (type->dims[d] == NR_DYNAMIC) dims[d] = nr_block_add_arg(body, nr_type_index(type->ctx), loc);
}

static void take_arguments(const NrFormedDispatch *w, Inside *in) {
  NrBlock *body = in->b.block;
  NrLoc loc = w->op->loc;
  for (size_t i = 0; i < w->num_tensors + w->num_scalars; i++) {
    NrType t = w->captured[i]->type;
    if (i < w->num_tensors) t = nr_type_dispatch_tensor(w->tied[i] ? NR_READWRITE : NR_READONLY, t);
    in->args[i] = nr_block_add_arg(body, t, loc);
  }
  for (size_t i = 0; i < w->num_tensors; i++) take_sizes(body, w->captured[i]->type, loc, in->dims[i]);
  for (size_t i = 0; i < w->num_outputs; i++)
    take_sizes(body, nr_operand(w->op, w->num_inputs + i)->type, loc, in->result_dims[i]);
  for (size_t i = 0; i < w->num_outputs; i++) {
    NrType t = nr_operand(w->op, w->num_inputs + i)->type;
    in->results[i] = w->result_tie[i] >= 0 ? in->args[w->result_tie[i]]
                                           : nr_block_add_arg(body, nr_type_dispatch_tensor(NR_WRITEONLY, t), loc);
  }
}

/* Without the body and the count. */
static NrOp *build_host_op(NrFormedDispatch *w) {
  NrBuilder *b = &w->host;
  NrType types[NR_DISPATCH_RESULTS];
  Values operands = {0}, sizes = {0};
  for (size_t i = 0; i < w->num_tensors; i++) push_sizes(b, w->captured[i], &sizes);
  size_t num_arg_sizes = sizes.size, captures = w->num_tensors + w->num_scalars;
  for (size_t i = 0; i < w->num_outputs; i++) {
    NrValue *init = nr_operand(w->op, w->num_inputs + i);
    types[i] = init->type;
    push_sizes(b, init, &sizes);
  }
  if (w->split >= 0)
    nr_vec_push(&operands, nr_index_value(b, nr_linalg_loop_range(b, w->op, (size_t)w->split)));
  size_t num_workload = operands.size;
  for (size_t i = 0; i < captures; i++) nr_vec_push(&operands, w->captured[i]);
  for (int twice = 0; twice < 2; twice++)
    for (size_t i = 0; i < sizes.size; i++) nr_vec_push(&operands, sizes.data[i]);
  NrOp *dispatch = nr_build(b, &(NrOpState){.info = nr_op_infos[NR_OP_flow_dispatch_workgroups],
                                            .operands = operands.data,
                                            .num_operands = operands.size,
                                            .result_types = types,
                                            .num_results = w->num_outputs,
                                            .num_regions = 2});
  nr_op_set_segments(dispatch,
                     (uint32_t[]){(uint32_t)num_workload, (uint32_t)(captures + sizes.size), (uint32_t)num_arg_sizes,
                                  (uint32_t)(sizes.size - num_arg_sizes)},
                     4);
  nr_vec_deinit(&operands);
  nr_vec_deinit(&sizes);
  return dispatch;
}

void nr_dispatch_build(NrFormedDispatch *w) {
  NrOp *op = w->op, *dispatch = build_host_op(w);
  NrModule *module = w->host.module;
  NrAttr tied = nr_flow_tied_attr(w->host.ctx, w->result_tie, w->num_outputs);
  if (tied) nr_op_set_attr(dispatch, NR_A_tied_operands, tied);
  NrBlock *body = nr_block_create(module);
  nr_block_append(nr_op_region(dispatch, 0), body);
  Inside in = {.b = nr_builder_at_end(module, body, op->loc)};
  take_arguments(w, &in);
  fill_body(w, &in);
  fill_count(w, module, nr_op_region(dispatch, 1), op->loc);
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_result(dispatch, i));
  nr_op_erase(op);
}
