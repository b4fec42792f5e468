/* form_dispatches.c - heavy structured ops of the host program become dispatches over a grid of workgroups.
 *   before  %1 = linalg.generic ins(%0 : tensor<512x512xf32>) ...
 *   after   %1 = flow.dispatch.workgroups[%n](%0, ..) : .. {
 *             part = load %0[id * 32 ..]; linalg.generic; store } count { n / 32 }
 *
 * A workgroup computes a slab along the outermost parallel dim that all operands allow to cut. An op is worth a
 * dispatch from about 32,000 scalar ops on (some ten microseconds: above what waking a worker costs), or when its size
 * is not known; inside loops only when it is known to be heavy, so that small loop bodies stay native code of one
 * function. */
#include "dialect/flow/flow.h"
#include "dialect/linalg/linalg.h"
#include "pass/pass.h"

enum { WORTH = 32768, MAX_CAPTURES = 64, TILE_MULTIPLE = 16 };

typedef struct Dispatch {
  NrOp *op;
  NrBuilder host;
  size_t num_inputs, num_outputs;
  int split;              /* loop dim that is cut, -1 = one workgroup */
  int64_t tile;
  NrValue *captured[MAX_CAPTURES]; /* tensors, then scalars */
  size_t num_tensors, num_scalars;
  bool tied[MAX_CAPTURES];  /* a tensor that a result is computed in */
  int64_t result_tie[8];
} Dispatch;

/* ---- what is worth it ---- */

static int64_t body_cost(NrOp *op) {
  int64_t n = 0;
  for (NrOp *inner = nr_op_body(op, 0)->first; inner; inner = inner->next) n++;
  return n;
}

static bool in_loop(NrOp *op) {
  for (NrOp *p = nr_op_parent(op); p; p = nr_op_parent(p))
    if (nr_op_has(p, NR_LOOP) || nr_op_is(p, NR_OP_scf_while)) return true;
  return false;
}

/* Scalar ops of all iterations with unknown ranges counted once; *out_known: no range was unknown. */
static int64_t known_work(NrOp *op, bool *out_known) {
  int64_t work = body_cost(op);
  *out_known = true;
  for (size_t d = 0; d < nr_generic_num_loops(op); d++) {
    int64_t range = nr_generic_static_range(op, d);
    if (range == NR_DYNAMIC) *out_known = false;
    else if (!nr_mul_i64(work, range, &work)) work = INT64_MAX / 2;
  }
  return work;
}

static bool is_worth(NrOp *op) {
  bool known;
  int64_t work = known_work(op, &known);
  return known ? work >= WORTH : !in_loop(op);
}

/* Dim of operand k that loop d cuts; -1: none; -2: it cannot be cut. */
static int cut_dim(NrOp *op, size_t k, uint32_t d) {
  NrAttr map = nr_generic_map(op, k);
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
  int64_t parts = (range + tile - 1) / tile, even = (range + parts - 1) / parts;
  return NR_MIN((even + TILE_MULTIPLE - 1) / TILE_MULTIPLE * TILE_MULTIPLE, tile);
}

static void choose_split(Dispatch *w) {
  NrOp *op = w->op;
  bool known;
  int64_t work = known_work(op, &known);
  w->split = -1;
  for (uint32_t d = 0; d < nr_generic_num_loops(op) && w->split < 0; d++) {
    int64_t range = nr_generic_static_range(op, d);
    if (nr_generic_is_reduction(op, d) || (range != NR_DYNAMIC && range < 2 * TILE_MULTIPLE)) continue;
    bool fits = true;
    for (size_t k = 0; k < op->num_operands && fits; k++) {
      int cut = cut_dim(op, k, d);
      fits = cut != -2 && (k < w->num_inputs || cut >= 0);
    }
    if (!fits) continue;
    w->split = (int)d;
    int64_t each = range == NR_DYNAMIC ? work : work / range;
    w->tile = (WORTH / NR_MAX(each, (int64_t)1) + TILE_MULTIPLE) / TILE_MULTIPLE * TILE_MULTIPLE;
    if (range != NR_DYNAMIC && w->tile >= range) w->split = -1;
    else if (range != NR_DYNAMIC) w->tile = even_tile(range, w->tile);
  }
}

/* ---- captures ---- */

static bool is_cheap(NrValue *value) {
  return value->op && (nr_op_has(value->op, NR_CONSTANT_LIKE) || nr_op_is(value->op, NR_OP_tensor_empty) ||
                       nr_op_is(value->op, NR_OP_linalg_fill));
}

static size_t find(Dispatch *w, NrValue *value) {
  for (size_t i = 0; i < w->num_tensors + w->num_scalars; i++)
    if (w->captured[i] == value) return i;
  return SIZE_MAX;
}

static bool capture(Dispatch *w, NrValue *value, bool tensors) {
  if (nr_type_is_tensor(value->type) != tensors || find(w, value) != SIZE_MAX) return true;
  if (w->num_tensors + w->num_scalars == MAX_CAPTURES) return false;
  w->captured[w->num_tensors + w->num_scalars] = value;
  if (tensors) w->num_tensors++;
  else w->num_scalars++;
  return true;
}

/* Scalars that make an init which is rebuilt inside: the value of a fill. */
static NrValue *init_scalar(NrValue *init) {
  return init->op && nr_op_is(init->op, NR_OP_linalg_fill) ? nr_operand(init->op, 0) : NULL;
}

static bool is_outside(const NrOp *op, const NrValue *value) {
  NrBlock *block = nr_value_block(value);
  return !block || !nr_block_parent_op(block) || !nr_op_is_ancestor(op, nr_block_parent_op(block));
}

typedef struct Collect {
  Dispatch *w;
  bool tensors, ok;
} Collect;

static bool collect_captures(NrOp *inner, void *user) {
  Collect *c = user;
  for (uint32_t i = 0; i < inner->num_operands && inner != c->w->op; i++) {
    NrValue *v = nr_operand(inner, i);
    if (is_outside(c->w->op, v) && !(v->op && nr_op_has(v->op, NR_CONSTANT_LIKE) && !nr_type_is_tensor(v->type)))
      c->ok = c->ok && capture(c->w, v, c->tensors);
  }
  return c->ok;
}

static bool collect_all(Dispatch *w) {
  NrOp *op = w->op;
  for (int pass = 0; pass < 2; pass++) {
    bool tensors = pass == 0;
    for (size_t k = 0; k < op->num_operands; k++) {
      NrValue *v = nr_operand(op, k);
      bool init = k >= w->num_inputs;
      if (init && is_cheap(v)) {
        NrValue *scalar = init_scalar(v);
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
static void choose_ties(Dispatch *w) {
  for (size_t i = 0; i < w->num_outputs; i++) {
    size_t at = find(w, nr_operand(w->op, w->num_inputs + i));
    size_t uses = 0;
    for (size_t k = 0; at != SIZE_MAX && k < w->op->num_operands; k++) uses += nr_operand(w->op, k) == w->captured[at];
    bool tie = at != SIZE_MAX && uses == 1 && !nr_value_constant(w->captured[at]);
    w->result_tie[i] = tie ? (int64_t)at : -1;
    if (tie) w->tied[at] = true;
  }
}

/* ---- building ---- */

static NrValue *host_dim(NrBuilder *b, NrValue *tensor, uint32_t d) {
  NrValue *position = nr_index_value(b, nr_index_const(d));
  return nr_build_value(b, NR_OP_tensor_dim, nr_type_index(b->ctx), (NrValue *[]){tensor, position}, 2);
}

typedef struct Inside {
  NrBuilder b;
  NrValue *args[MAX_CAPTURES];               /* of the captures */
  NrValue *dims[MAX_CAPTURES][NR_MAX_RANK];  /* of the tensors, where `?` */
  NrValue *results[8], *result_dims[8][NR_MAX_RANK];
  NrValue *offset, *size; /* of the workgroup's slab, NULL without split */
} Inside;

/* Sizes and offsets of the part of a tensor that operand k of the op needs. */
static void part(Dispatch *w, Inside *in, NrType type, NrValue *const *dims, int cut, NrIndex *offsets, NrIndex *sizes,
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
static NrValue *access(Dispatch *w, Inside *in, NrValue *binding, NrValue *const *dims, int cut, NrValue *value) {
  NrType type = binding->type->elem;
  NrIndex list[3][NR_MAX_RANK];
  NrValue *operands[4 * NR_MAX_RANK + 2];
  size_t n = 0, counts[4] = {0};
  part(w, in, type, dims, cut, list[0], list[1], list[2]);
  if (value) operands[n++] = value;
  operands[n++] = binding;
  for (uint32_t r = 0; r < type->rank; r++)
    if (dims[r]) operands[n++] = dims[r], counts[0]++;
  static const char *const names[3] = {"static_offsets", "static_sizes", "static_strides"};
  NrAttr statics[3];
  for (size_t i = 0; i < 3; i++) {
    size_t before = n;
    statics[i] = nr_index_list_split(in->b.ctx, list[i], type->rank, operands, &n);
    counts[1 + i] = n - before;
  }
  NrType result = part_type(type, list[1]);
  NrOp *op = nr_build_op(&in->b, value ? NR_OP_flow_dispatch_tensor_store : NR_OP_flow_dispatch_tensor_load, operands,
                         n, &result, value ? 0 : 1);
  for (size_t i = 0; i < 3; i++) nr_op_set_attr(op, names[i], statics[i]);
  uint32_t segments[6] = {1, 1};
  size_t lead = value ? 2 : 1;
  for (size_t i = 0; i < 4; i++) segments[lead + i] = (uint32_t)counts[i];
  nr_op_set_segments(op, segments, lead + 4);
  return value ? NULL : nr_result(op, 0);
}

/* The init of output i inside: loaded, or made again. */
static NrValue *inner_init(Dispatch *w, Inside *in, size_t i, NrMap *map) {
  NrValue *init = nr_operand(w->op, w->num_inputs + i);
  size_t at = find(w, init);
  int cut = w->split < 0 ? -1 : cut_dim(w->op, w->num_inputs + i, (uint32_t)w->split);
  if (at != SIZE_MAX) return access(w, in, in->args[at], in->dims[at], cut, NULL);
  NrIndex offsets[NR_MAX_RANK], sizes[NR_MAX_RANK], strides[NR_MAX_RANK];
  NrValue *dynamic[NR_MAX_RANK];
  size_t n = 0;
  part(w, in, init->type, in->result_dims[i], cut, offsets, sizes, strides);
  for (uint32_t r = 0; r < init->type->rank; r++)
    if (sizes[r].value) dynamic[n++] = sizes[r].value;
  NrValue *empty = nr_build_value(&in->b, NR_OP_tensor_empty, part_type(init->type, sizes), dynamic, n);
  NrValue *scalar = init_scalar(init);
  NrAttr splat = nr_value_constant(init);
  if (splat) {
    NrType elem = init->type->elem;
    NrOp *op = nr_build_op(&in->b, NR_OP_arith_constant, NULL, 0, &elem, 1);
    nr_op_set_attr(op, "value", nr_attr_element(splat, 0));
    return nr_build_fill(&in->b, nr_result(op, 0), empty);
  }
  if (!scalar) return empty;
  NrValue *mapped = nr_map_get(map, scalar);
  if (!mapped) {
    NrOp *copy = nr_op_clone(in->b.module, scalar->op, map);
    nr_op_append(in->b.block, copy);
    mapped = nr_result(copy, 0);
  }
  return nr_build_fill(&in->b, mapped, empty);
}

static void shift_indices(NrBlock *body, int split, NrValue *offset) {
  for (NrOp *op = body->first, *next; op; op = next) {
    next = op->next;
    if (!nr_op_is(op, NR_OP_linalg_index) || nr_op_attr_int(op, "dim", -1) != split) continue;
    NrBuilder b = nr_builder_after(op);
    NrValue *local = nr_result(op, 0);
    NrValue *global = nr_build_value(&b, NR_OP_arith_addi, local->type, (NrValue *[]){local, offset}, 2);
    nr_value_replace_uses_except(local, global, global->op);
  }
}

static void fill_body(Dispatch *w, Inside *in) {
  NrOp *op = w->op;
  NrMap map = {0};
  NrValue *inputs[MAX_CAPTURES], *inits[8];
  NrAttr maps[MAX_CAPTURES + 8];
  for (size_t i = w->num_tensors; i < w->num_tensors + w->num_scalars; i++)
    nr_map_set(&map, w->captured[i], in->args[i]);
  if (w->split >= 0) {
    NrType index = nr_type_index(in->b.ctx);
    NrOp *id = nr_build_op(&in->b, NR_OP_flow_dispatch_workgroup_id, NULL, 0, &index, 1);
    nr_op_set_attr(id, "dimension", nr_attr_index(in->b.ctx, 0));
    NrValue *tile = nr_index_value(&in->b, nr_index_const(w->tile));
    in->offset = nr_build_value(&in->b, NR_OP_arith_muli, index, (NrValue *[]){nr_result(id, 0), tile}, 2);
    size_t operand, dim;
    nr_generic_loop_source(op, (size_t)w->split, &operand, &dim);
    int64_t known = nr_generic_static_range(op, (size_t)w->split);
    int out_cut = cut_dim(op, w->num_inputs, (uint32_t)w->split);
    NrValue *range = known != NR_DYNAMIC ? nr_index_value(&in->b, nr_index_const(known)) : in->result_dims[0][out_cut];
    NrValue *left = nr_build_value(&in->b, NR_OP_arith_subi, index, (NrValue *[]){range, in->offset}, 2);
    in->size = nr_build_value(&in->b, NR_OP_arith_minsi, index, (NrValue *[]){left, tile}, 2);
  }
  for (size_t k = 0; k < w->num_inputs; k++) {
    NrValue *v = nr_operand(op, k);
    size_t at = find(w, v);
    int cut = w->split < 0 ? -1 : cut_dim(op, k, (uint32_t)w->split);
    inputs[k] = nr_type_is_tensor(v->type) ? access(w, in, in->args[at], in->dims[at], cut, NULL) : in->args[at];
  }
  /* Tensors that the body reads by itself come whole. */
  for (size_t i = 0; i < w->num_tensors; i++) {
    bool read = false;
    for (NrUse *use = w->captured[i]->first_use; use && !read; use = use->next)
      read = use->owner != op && nr_op_is_ancestor(op, use->owner);
    if (read) nr_map_set(&map, w->captured[i], access(w, in, in->args[i], in->dims[i], -1, NULL));
  }
  for (size_t i = 0; i < w->num_outputs; i++) inits[i] = inner_init(w, in, i, &map);
  for (size_t k = 0; k < op->num_operands; k++) maps[k] = nr_generic_map(op, k);
  char iterators[NR_MAX_RANK + 1] = {0};
  for (size_t d = 0; d < nr_generic_num_loops(op); d++) iterators[d] = nr_generic_is_reduction(op, d) ? 'r' : 'p';
  NrOp *inner = nr_build_generic(&in->b, inputs, w->num_inputs, inits, w->num_outputs, maps, iterators);
  NrBlock *from = nr_op_body(op, 0), *to = nr_op_body(inner, 0);
  for (uint32_t i = 0; i < from->num_args; i++) nr_map_set(&map, from->args[i], to->args[i]);
  for (NrOp *o = from->first; o; o = o->next) {
    /* Constants of the host are made again inside. */
    for (uint32_t i = 0; i < o->num_operands; i++) {
      NrValue *v = nr_operand(o, i);
      if (nr_map_has(&map, v) || !is_outside(op, v) || !v->op || !nr_op_has(v->op, NR_CONSTANT_LIKE)) continue;
      NrOp *copy = nr_op_clone(in->b.module, v->op, &map);
      nr_op_insert_before(copy, inner);
    }
    nr_op_append(to, nr_op_clone(in->b.module, o, &map));
  }
  if (in->offset) shift_indices(to, w->split, in->offset);
  for (size_t i = 0; i < w->num_outputs; i++) {
    int cut = w->split < 0 ? -1 : cut_dim(op, w->num_inputs + i, (uint32_t)w->split);
    access(w, in, in->results[i], in->result_dims[i], cut, nr_result(inner, i));
  }
  nr_build_op(&in->b, NR_OP_flow_return, NULL, 0, NULL, 0);
  nr_map_deinit(&map);
}

static void fill_count(Dispatch *w, NrModule *module, NrRegion *region, NrLoc loc) {
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

static void build(Dispatch *w) {
  NrOp *op = w->op;
  NrBuilder *b = &w->host;
  NrModule *module = b->module;
  NrValue *operands[MAX_CAPTURES * 8];
  NrValue *dims[MAX_CAPTURES][NR_MAX_RANK] = {{0}}, *result_dims[8][NR_MAX_RANK] = {{0}};
  NrType result_types[8];
  size_t n = 0, captures = w->num_tensors + w->num_scalars, num_extra = 0, num_arg_dims = 0, num_result_dims = 0;
  for (size_t i = 0; i < w->num_tensors; i++)
    for (uint32_t r = 0; r < w->captured[i]->type->rank; r++)
      if (w->captured[i]->type->dims[r] == NR_DYNAMIC) dims[i][r] = host_dim(b, w->captured[i], r), num_arg_dims++;
  for (size_t i = 0; i < w->num_outputs; i++) {
    NrValue *init = nr_operand(op, w->num_inputs + i);
    result_types[i] = init->type;
    for (uint32_t r = 0; r < init->type->rank; r++)
      if (init->type->dims[r] == NR_DYNAMIC) result_dims[i][r] = host_dim(b, init, r), num_result_dims++;
  }
  if (w->split >= 0) operands[n++] = nr_index_value(b, nr_generic_loop_range(b, op, (size_t)w->split));
  size_t num_workload = n;
  for (size_t i = 0; i < captures; i++) operands[n++] = w->captured[i];
  /* The dims go in as scalars too: inside, they stand where loads and stores name them. */
  for (size_t i = 0; i < w->num_tensors; i++)
    for (uint32_t r = 0; r < NR_MAX_RANK; r++)
      if (dims[i][r]) operands[n++] = dims[i][r], num_extra++;
  for (size_t i = 0; i < w->num_outputs; i++)
    for (uint32_t r = 0; r < NR_MAX_RANK; r++)
      if (result_dims[i][r]) operands[n++] = result_dims[i][r], num_extra++;
  for (size_t i = 0; i < w->num_tensors; i++)
    for (uint32_t r = 0; r < NR_MAX_RANK; r++)
      if (dims[i][r]) operands[n++] = dims[i][r];
  for (size_t i = 0; i < w->num_outputs; i++)
    for (uint32_t r = 0; r < NR_MAX_RANK; r++)
      if (result_dims[i][r]) operands[n++] = result_dims[i][r];
  NrOpState state = {.info = nr_op_infos[NR_OP_flow_dispatch_workgroups],
                     .operands = operands,
                     .num_operands = n,
                     .result_types = result_types,
                     .num_results = w->num_outputs,
                     .num_regions = 2};
  NrOp *dispatch = nr_build(b, &state);
  nr_op_set_segments(dispatch,
                     (uint32_t[]){(uint32_t)num_workload, (uint32_t)(captures + num_extra), (uint32_t)num_arg_dims,
                                  (uint32_t)num_result_dims},
                     4);
  NrAttr tied = nr_flow_tied_attr(b->ctx, w->result_tie, w->num_outputs);
  if (tied) nr_op_set_attr(dispatch, "tied_operands", tied);
  NrBlock *body = nr_block_create(module);
  nr_block_append(nr_op_region(dispatch, 0), body);
  Inside in = {.b = nr_builder_at_end(module, body, op->loc)};
  for (size_t i = 0; i < captures; i++) {
    NrType t = w->captured[i]->type;
    if (i < w->num_tensors) t = nr_type_dispatch_tensor(w->tied[i] ? NR_READWRITE : NR_READONLY, t);
    in.args[i] = nr_block_add_arg(body, t, op->loc);
  }
  for (size_t i = 0; i < w->num_tensors; i++)
    for (uint32_t r = 0; r < NR_MAX_RANK; r++)
      if (dims[i][r]) in.dims[i][r] = nr_block_add_arg(body, nr_type_index(b->ctx), op->loc);
  for (size_t i = 0; i < w->num_outputs; i++)
    for (uint32_t r = 0; r < NR_MAX_RANK; r++)
      if (result_dims[i][r]) in.result_dims[i][r] = nr_block_add_arg(body, nr_type_index(b->ctx), op->loc);
  for (size_t i = 0; i < w->num_outputs; i++)
    in.results[i] = w->result_tie[i] >= 0
                        ? in.args[w->result_tie[i]]
                        : nr_block_add_arg(body, nr_type_dispatch_tensor(NR_WRITEONLY, result_types[i]), op->loc);
  fill_body(w, &in);
  fill_count(w, module, nr_op_region(dispatch, 1), op->loc);
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_result(dispatch, i));
  nr_op_erase(op);
}

/* ---- the pass ---- */

typedef struct Found {
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
  if (!nr_op_is(op, NR_OP_linalg_generic) || !op->num_results || op->num_results > 8) return true;
  for (NrOp *p = nr_op_parent(op); p; p = nr_op_parent(p))
    if (nr_op_is(p, NR_OP_linalg_generic) || nr_op_is(p, NR_OP_flow_dispatch_workgroups) ||
        nr_op_is(p, NR_OP_flow_executable) || nr_op_is(p, NR_OP_scf_parallel))
      return true;
  if (is_worth(op) && !has_index_elements(op) && nr_walk_pre(op, is_plain, op)) nr_vec_push(&((Found *)user)->ops, op);
  return true;
}

static NrStatus form_dispatches_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  Found found = {{0}};
  nr_walk_pre(root, collect, &found);
  for (size_t i = 0; i < found.ops.size; i++) {
    NrOp *op = found.ops.data[i];
    Dispatch w = {.op = op,
                  .host = nr_builder_before(op),
                  .num_inputs = nr_generic_num_inputs(op),
                  .num_outputs = nr_generic_num_outputs(op)};
    choose_split(&w);
    if (!collect_all(&w)) continue;
    choose_ties(&w);
    build(&w);
  }
  nr_vec_deinit(&found.ops);
  return NR_OK;
}

NR_PASS(form_dispatches, .name = "form-dispatches", .run = form_dispatches_run,
        .doc = "heavy structured ops become dispatches over a grid of workgroups")
