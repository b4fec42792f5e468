/* tile_dispatches.c - cuts the bodies of dispatches without a count region into tiles of a grid.
 *   before  %r = flow.dispatch.workgroups(%a) : .. {              after  flow.dispatch.workgroups[%n](%a) : .. {
 *             %0 = load %a [0, 0] [512, 64]                                %i = workgroup.id[0] * 32
 *             %1 = linalg.generic (sum over d1) ins(%0)                    load %a [%i, 0] [32, 64]
 *             %2 = linalg.generic (exp(x - s)) ins(%0, %1)                 linalg.generic .. outs(32)
 *             store %2 [0, 0] [512, 64] }                                  linalg.generic .. outs(32x64)
 *                                                                          store [%i, 0] [32, 64] }
 *                                                                        count(%n) { %n / 32 }
 *
 * All ops of the body that compute tensors are cut along the same loops, those that tiling.h finds; grid.c chooses
 * among them. A body where that is not possible is left to one workgroup. */
#include "dialect/arith/arith.h"
#include "dialect/flow/flow.h"
#include "dialect/tensor/tensor.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"
#include "pass/dispatch/tiling.h"

/* The dispatch while it is cut. */
typedef struct Tile {
  NrOp *dispatch;
  NrBlock *body;
  NrTiling tiling;
  NrOpList stores;
  NrGrid grid;
  NrValue *tile[NR_GRID_DIMS]; /* in the body, where the run chooses it */
  NrIndex range[NR_GRID_DIMS], offset[NR_GRID_DIMS], size[NR_GRID_DIMS]; /* in the body */
} Tile;

/* ---- what is in the body ----------------------------------------------------------------------------------------- */

/* Whether the load or store has no offsets and unit strides. */
static bool is_whole(const NrOp *op) {
  const NrIndexListSlot *slots =
      nr_op_is(op, NR_OP_flow_dispatch_tensor_load) ? nr_flow_load_slots : nr_flow_store_slots;
  size_t rank = nr_index_list_size(op, slots[0].attr);
  for (size_t i = 0; i < rank; i++)
    if (!nr_index_is(nr_index_list_get(op, slots[0], i), 0) || !nr_index_is(nr_index_list_get(op, slots[2], i), 1))
      return false;
  bool loads = nr_op_is(op, NR_OP_flow_dispatch_tensor_load);
  NrType part = loads ? op->results[0].type : nr_flow_dispatch_tensor_store_value(op)->type;
  return part->rank == rank;
}

/* Whether all users of the member's results are members, in the body itself, or stores of them. */
static bool is_used_as_tiles(const Tile *t, const NrOp *member) {
  for (uint32_t j = 0; j < member->num_results; j++)
    for (NrUse *use = nr_result(member, j)->first_use; use; use = use->next) {
      bool stored = nr_op_is(use->owner, NR_OP_flow_dispatch_tensor_store) && use->owner->block == t->body;
      if (!stored && nr_tiling_find(&t->tiling, use->owner) == SIZE_MAX) return false;
    }
  return true;
}

/* Collects the members and stores of the body. False when it has ops that cannot be cut. */
static bool read_body(Tile *t) {
  for (NrOp *op = t->body->first; op; op = op->next) {
    if (nr_tiling_takes(op)) {
      if (t->tiling.num_ops == NR_TILING_OPS) return false;
      t->tiling.ops[t->tiling.num_ops++] = op;
    } else if (nr_op_is(op, NR_OP_flow_dispatch_tensor_store)) {
      if (!is_whole(op)) return false;
      nr_vec_push(&t->stores, op);
    } else if (nr_op_is(op, NR_OP_flow_dispatch_tensor_load)) {
      if (!is_whole(op)) return false;
    } else if (op->num_regions || !(nr_op_is_pure(op) || nr_op_has(op, NR_TERMINATOR))) {
      return false;
    } else if (nr_op_is(op, NR_OP_flow_dispatch_workgroup_id) || nr_op_is(op, NR_OP_flow_dispatch_workgroup_count)) {
      return false;
    }
  }
  for (size_t i = 0; i < t->tiling.num_ops; i++)
    if (!is_used_as_tiles(t, t->tiling.ops[i])) return false;
  for (size_t i = 0; i < t->stores.size; i++) {
    const NrValue *value = nr_flow_dispatch_tensor_store_value(t->stores.data[i]);
    if (nr_tiling_find(&t->tiling, value->op) == SIZE_MAX) return false;
  }
  return t->stores.size > 0;
}

/* ---- ranges ------------------------------------------------------------------------------------------------------ */

/* The loop of member i that is distributed along dim c of the grid. */
static uint32_t loop_of_cut(const Tile *t, size_t i, uint32_t c) {
  return (uint32_t)t->tiling.loop[i][t->grid.cuts[c].loop];
}

/* The cut along which dim r of result j of member i is tiled; -1: none. */
static int cut_of_result(const Tile *t, size_t i, size_t j, uint32_t r) {
  for (uint32_t c = 0; c < t->grid.num_cuts; c++)
    if (nr_tiling_result_dim(t->tiling.ops[i], j, loop_of_cut(t, i, c)) == (int)r) return (int)c;
  return -1;
}

static int cut_of_operand(const Tile *t, size_t i, size_t k, uint32_t r) {
  for (uint32_t c = 0; c < t->grid.num_cuts; c++)
    if (nr_tiling_operand_dim(t->tiling.ops[i], k, loop_of_cut(t, i, c)) == (int)r) return (int)c;
  return -1;
}

/* The cut along which windows in dim r of operand k of member i are tiled; -1: none. */
static int cut_of_windows(const Tile *t, size_t i, size_t k, uint32_t r, int64_t *out_step, int64_t *out_reach) {
  for (uint32_t c = 0; c < t->grid.num_cuts; c++)
    if (nr_tiling_window_dim(t->tiling.ops[i], k, loop_of_cut(t, i, c), out_step, out_reach) == (int)r) return (int)c;
  return -1;
}

/* The range of cut c as a value that the host program has too: a constant, or a block argument. */
static bool find_range(Tile *t, uint32_t c) {
  if (t->grid.cuts[c].range != NR_DYNAMIC) {
    t->range[c] = nr_index_const(t->grid.cuts[c].range);
    return true;
  }
  const NrOp *store = t->stores.data[0];
  const NrValue *value = nr_flow_dispatch_tensor_store_value(store);
  size_t member = nr_tiling_find(&t->tiling, value->op);
  for (uint32_t r = 0; r < value->type->rank; r++) {
    if (cut_of_result(t, member, value->index, r) != (int)c) continue;
    t->range[c] = nr_index_list_get(store, nr_flow_store_slots[1], r);
    return !t->range[c].value || t->range[c].value->block == t->body;
  }
  return false;
}

/* The value in the host program for one that is the same in all workgroups: a constant, or an argument of the body. */
static NrValue *outside(const Tile *t, NrBuilder *b, NrIndex index) {
  NrGroup arguments = nr_flow_dispatch_workgroups_arguments(t->dispatch);
  if (!index.value) return nr_arith_constant_index(b, index.constant);
  return nr_operand(t->dispatch, arguments.begin + index.value->index);
}

/* The range in the host program. */
static NrValue *range_outside(const Tile *t, NrBuilder *b, uint32_t c) { return outside(t, b, t->range[c]); }

/* The range of loop d of the root in the host program, from the size of a load or of a store; NULL: none shows it. */
static NrValue *open_range_outside(const Tile *t, NrBuilder *b, uint32_t d) {
  const NrOp *root = t->tiling.ops[t->tiling.root];
  for (size_t k = 0; k < nr_linalg_num_inputs(root); k++) {
    const NrOp *load = nr_operand(root, k)->op;
    int r = nr_tiling_operand_dim(root, k, d);
    if (r < 0 || !load || !nr_op_is(load, NR_OP_flow_dispatch_tensor_load)) continue;
    NrIndex size = nr_index_list_get(load, nr_flow_load_slots[1], (size_t)r);
    if (!size.value || size.value->block == t->body) return outside(t, b, size);
  }
  for (size_t i = 0; i < t->stores.size; i++) {
    const NrValue *value = nr_flow_dispatch_tensor_store_value(t->stores.data[i]);
    size_t member = nr_tiling_find(&t->tiling, value->op);
    int loop = t->tiling.loop[member][d];
    if (loop < 0 || !(t->tiling.shared >> d & 1)) continue;
    int r = nr_tiling_result_dim(value->op, value->index, (uint32_t)loop);
    if (r < 0) continue;
    NrIndex size = nr_index_list_get(t->stores.data[i], nr_flow_store_slots[1], (size_t)r);
    if (!size.value || size.value->block == t->body) return outside(t, b, size);
  }
  return NULL;
}

/* ---- tiles that the run chooses ---------------------------------------------------------------------------------- */

enum { MOST_POINTS = 1 << 30 }; /* products of ranges end here, so that none overflows */

static NrValue *at_least_one(NrBuilder *b, NrValue *x) {
  return nr_arith_binary(b, NR_OP_arith_maxui, x, nr_arith_constant_index(b, 1));
}

static NrValue *times(NrBuilder *b, NrValue *points, NrValue *range) {
  NrValue *most = nr_arith_constant_index(b, MOST_POINTS);
  range = at_least_one(b, nr_arith_binary(b, NR_OP_arith_minui, range, most));
  return nr_arith_binary(b, NR_OP_arith_minui, nr_arith_binary(b, NR_OP_arith_muli, points, range), most);
}

/* Adds an argument for the value, behind the others. */
static NrValue *add_argument(Tile *t, NrValue *value) {
  NrOp *op = t->dispatch;
  NrGroup arguments = nr_flow_dispatch_workgroups_arguments(op);
  uint32_t sizes[4] = {(uint32_t)nr_flow_dispatch_workgroups_workload(op).count, (uint32_t)arguments.count + 1,
                       (uint32_t)nr_flow_dispatch_workgroups_argument_dims(op).count,
                       (uint32_t)nr_flow_dispatch_workgroups_result_dims(op).count};
  nr_op_insert_operand(op, arguments.begin + arguments.count, value);
  nr_op_set_segments(op, sizes, 4);
  return nr_block_insert_arg(t->body, arguments.count, value->type, op->loc);
}

/* Chooses the tiles in the host program, which passes them to the body. From the outermost loop on, a tile is as long
 * as it takes for the points of a workgroup with all of the inner loops, or two thirds of that, so that a range of one
 * and a half has two; tiles of a loop are about equal. */
static void choose_tiles(Tile *t) {
  const NrGrid *g = &t->grid;
  NrBuilder b = nr_builder_before(t->dispatch);
  NrValue *left = nr_arith_constant_index(&b, g->points), *tiles[NR_GRID_DIMS];
  NrValue *open = nr_arith_constant_index(&b, 1);
  for (uint32_t d = 0; d < t->tiling.num_loops; d++) {
    NrValue *range = g->open >> d & 1 ? open_range_outside(t, &b, d) : NULL;
    if (range) open = times(&b, open, range);
  }
  for (int c = nr_grid_next(g, -1); c >= 0; c = nr_grid_next(g, c)) {
    NrValue *inner = open, *range = range_outside(t, &b, (uint32_t)c);
    for (int i = nr_grid_next(g, c); i >= 0; i = nr_grid_next(g, i))
      inner = times(&b, inner, range_outside(t, &b, (uint32_t)i));
    NrValue *wanted = at_least_one(&b, nr_arith_binary(&b, NR_OP_arith_divui, left, inner));
    NrValue *half = nr_arith_binary(&b, NR_OP_arith_divui, wanted, nr_arith_constant_index(&b, 2));
    NrValue *nearest = nr_arith_binary(&b, NR_OP_arith_addi, range, half);
    NrValue *parts = at_least_one(&b, nr_arith_binary(&b, NR_OP_arith_divui, nearest, wanted));
    NrValue *multiple = nr_arith_constant_index(&b, g->cuts[c].multiple);
    NrValue *tile = nr_arith_binary(&b, NR_OP_arith_ceildivui, range, parts);
    tile = nr_arith_binary(&b, NR_OP_arith_ceildivui, at_least_one(&b, tile), multiple);
    tiles[c] = nr_arith_binary(&b, NR_OP_arith_muli, tile, multiple);
    left = at_least_one(&b, nr_arith_binary(&b, NR_OP_arith_divui, left, tiles[c]));
  }
  for (uint32_t c = 0; c < g->num_cuts; c++) t->tile[c] = add_argument(t, tiles[c]);
}

/* Computes offset and size of the workgroup's tile in grid dim c. The size is static when tiles divide the range. */
static void find_tile(Tile *t, NrBuilder *b, uint32_t c) {
  const NrCut *cut = &t->grid.cuts[c];
  NrType index = nr_type_index(b->ctx);
  NrOp *id = nr_build_op(b, NR_OP_flow_dispatch_workgroup_id, NULL, 0, &index, 1);
  nr_op_set_attr(id, NR_A_dimension, nr_attr_index(b->ctx, c));
  NrValue *tile = t->tile[c] ? t->tile[c] : nr_arith_constant_index(b, cut->tile);
  NrValue *offset = nr_arith_binary(b, NR_OP_arith_muli, nr_op_result(id), tile);
  t->offset[c] = (NrIndex){offset, 0};
  t->size[c] = nr_index_const(cut->tile);
  if (!t->tile[c] && cut->range != NR_DYNAMIC && cut->range % cut->tile == 0) return;
  NrValue *left = nr_arith_binary(b, NR_OP_arith_subi, nr_index_value(b, t->range[c]), offset);
  t->size[c] = (NrIndex){nr_arith_binary(b, NR_OP_arith_minsi, left, tile), 0};
}

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

/* factor * index + addend */
static NrIndex scaled(NrBuilder *b, NrIndex index, int64_t factor, int64_t addend) {
  if (!index.value) return nr_index_const(factor * index.constant + addend);
  NrValue *value = index.value;
  if (factor != 1) value = nr_arith_binary(b, NR_OP_arith_muli, value, nr_arith_constant_index(b, factor));
  if (addend) value = nr_arith_binary(b, NR_OP_arith_addi, value, nr_arith_constant_index(b, addend));
  return (NrIndex){value, 0};
}

/* The part of a load, an empty tensor or another value from outside of the members that operand k of member i uses. */
static NrValue *part_of(Tile *t, NrBuilder *b, size_t i, size_t k) {
  NrValue *value = nr_operand(t->tiling.ops[i], k);
  NrType type = value->type;
  NrIndex lists[3][NR_MAX_RANK];
  bool cut = false;
  if (type->kind != NR_TYPE_TENSOR) return value;
  bool loads = nr_op_is(value->op, NR_OP_flow_dispatch_tensor_load);
  for (uint32_t r = 0; r < type->rank; r++) {
    int64_t step = 1, reach = 1;
    int c = cut_of_operand(t, i, k, r);
    if (c < 0) c = cut_of_windows(t, i, k, r, &step, &reach);
    cut |= c >= 0;
    lists[0][r] = c >= 0 ? scaled(b, t->offset[c], step, 0) : nr_index_const(0);
    lists[1][r] = c >= 0 ? scaled(b, t->size[c], step, reach - step) : nr_index_const(type->dims[r]);
    if (c < 0 && type->dims[r] == NR_DYNAMIC)
      lists[1][r] = loads ? nr_index_list_get(value->op, nr_flow_load_slots[1], r) : nr_dim_build(b, value, r);
    lists[2][r] = nr_index_const(1);
  }
  if (!cut) return value;
  if (nr_op_is(value->op, NR_OP_tensor_empty)) return nr_build_empty(b, type->elem, lists[1], type->rank);
  if (!loads) return nr_build_extract_slice(b, value, lists[0], lists[1], lists[2], NULL);
  NrGroup dims = nr_flow_dispatch_tensor_load_source_dims(value->op);
  NrValue *sizes[NR_MAX_RANK];
  for (size_t d = 0; d < dims.count; d++) sizes[d] = nr_operand(value->op, dims.begin + d);
  return nr_op_result(nr_flow_build_access(b, nr_flow_dispatch_tensor_load_source(value->op), sizes, lists, NULL));
}

typedef struct Shift {
  uint32_t loop;
  NrValue *offset;
} Shift;

/* Adds the offset of the tile to each linalg.index of the loop, which counts from the beginning of the tile. */
static bool shift_indices(NrOp *op, void *user) {
  const Shift *shift = user;
  if (!nr_op_is(op, NR_OP_linalg_index) || nr_op_attr_int(op, NR_A_dim, -1) != (int64_t)shift->loop) return true;
  NrBuilder b = nr_builder_after(op);
  NrValue *local = nr_op_result(op), *global = nr_arith_binary(&b, NR_OP_arith_addi, local, shift->offset);
  nr_value_replace_uses_except(local, global, global->op);
  return true;
}

static NrType tile_type(const Tile *t, size_t i, size_t j, NrIndex *sizes) {
  NrType type = nr_result(t->tiling.ops[i], j)->type;
  int64_t dims[NR_MAX_RANK];
  for (uint32_t r = 0; r < type->rank; r++) {
    int c = cut_of_result(t, i, j, r);
    sizes[r] = c >= 0 ? t->size[c] : nr_index_const(type->dims[r]);
    dims[r] = sizes[r].value ? NR_DYNAMIC : sizes[r].constant;
  }
  return nr_type_with_dims(type, dims, type->rank);
}

/* Replaces member i by the op on its tiles. Members before it are replaced. */
static void cut_member(Tile *t, size_t i) {
  NrOp *op = t->tiling.ops[i], *inner;
  NrBuilder b = nr_builder_before(op);
  NR_VEC(NrValue *) operands = {0};
  NR_VEC(NrType) types = {0};
  NrIndex sizes[NR_MAX_RANK];
  for (uint32_t k = 0; k < op->num_operands; k++) {
    bool member = nr_tiling_find(&t->tiling, nr_operand(op, k)->op) != SIZE_MAX;
    nr_vec_push(&operands, member ? nr_operand(op, k) : part_of(t, &b, i, k));
  }
  for (uint32_t j = 0; j < op->num_results; j++) {
    size_t destination = nr_op_destination_index(op, j);
    NrType type = tile_type(t, i, j, sizes);
    nr_vec_push(&types, destination == SIZE_MAX ? type : operands.data[destination]->type);
  }
  if (nr_op_is(op, NR_OP_tensor_expand_shape)) {
    NrGroups groups;
    nr_groups_of(op, &groups);
    NrGroup shape = nr_tensor_expand_shape_output_shape(op);
    size_t next = shape.begin;
    for (uint32_t r = 0; r < op->results[0].type->rank; r++) {
      if (op->results[0].type->dims[r] != NR_DYNAMIC) continue;
      if (!sizes[r].value && sizes[r].constant == NR_DYNAMIC) sizes[r] = (NrIndex){nr_operand(op, next), 0};
      next++;
    }
    inner = nr_build_expand_shape(&b, operands.data[0], &groups, sizes, op->results[0].type->rank)->op;
  } else {
    inner = nr_op_rebuild(op, operands.data, operands.size, types.data, types.size);
  }
  t->tiling.ops[i] = inner;
  for (uint32_t c = 0; c < t->grid.num_cuts && nr_tiling_is_work(inner); c++) {
    Shift shift = {loop_of_cut(t, i, c), t->offset[c].value};
    nr_walk_pre(inner, shift_indices, &shift);
  }
  for (uint32_t j = 0; j < op->num_results; j++) nr_value_replace_uses(nr_result(op, j), nr_result(inner, j));
  nr_op_erase(op);
  nr_vec_deinit(&operands);
  nr_vec_deinit(&types);
}

static void cut_store(const Tile *t, NrOp *store) {
  NrBuilder b = nr_builder_before(store);
  NrValue *value = nr_flow_dispatch_tensor_store_value(store), *sizes[NR_MAX_RANK];
  size_t member = nr_tiling_find(&t->tiling, value->op);
  NrIndex lists[3][NR_MAX_RANK];
  for (uint32_t r = 0; r < value->type->rank; r++) {
    int c = cut_of_result(t, member, value->index, r);
    lists[0][r] = c >= 0 ? t->offset[c] : nr_index_const(0);
    lists[1][r] = c >= 0 ? t->size[c] : nr_index_list_get(store, nr_flow_store_slots[1], r);
    lists[2][r] = nr_index_const(1);
  }
  NrGroup dims = nr_flow_dispatch_tensor_store_target_dims(store);
  for (size_t d = 0; d < dims.count; d++) sizes[d] = nr_operand(store, dims.begin + d);
  nr_flow_build_access(&b, nr_flow_dispatch_tensor_store_target(store), sizes, lists, value);
  nr_op_erase(store);
}

/* ---- results in place of inputs ---------------------------------------------------------------------------------- */

/* Whether all other uses of the value are operands of ops of the same block in front of op. */
static bool ends_at(const NrValue *value, NrOp *op) {
  size_t uses = 0;
  for (NrUse *use = value->first_use; use; use = use->next) {
    uses += use->owner == op;
    if (use->owner != op && (use->owner->block != op->block || !nr_op_is_before(use->owner, op))) return false;
  }
  return uses == 1;
}

/* The input of a member that a member before it computed, that nothing needs later, and that is read at the indices at
 * which output j, without contents before, is written. SIZE_MAX: there is none. */
static size_t input_to_overwrite(const Tile *t, NrOp *op, size_t j) {
  size_t num_inputs = nr_linalg_num_inputs(op), out = num_inputs + j;
  if (!nr_op_is(nr_operand(op, out)->op, NR_OP_tensor_empty)) return SIZE_MAX;
  if (nr_value_has_uses(nr_block_arg(nr_op_only_body(op), out)) || nr_linalg_num_reductions(op)) return SIZE_MAX;
  for (size_t k = 0; k < num_inputs; k++) {
    NrValue *value = nr_operand(op, k);
    if (nr_tiling_find(&t->tiling, value->op) == SIZE_MAX || value->type != nr_operand(op, out)->type) continue;
    if (nr_linalg_map(op, k) == nr_linalg_map(op, out) && ends_at(value, op)) return k;
  }
  return SIZE_MAX;
}

/* Makes output j of a linalg.generic start as input k, which is dropped. */
static NrOp *start_from(NrOp *op, size_t k, size_t j) {
  size_t num_inputs = nr_linalg_num_inputs(op), num_outputs = nr_linalg_num_outputs(op), n = 0;
  NrBuilder b = nr_builder_before(op);
  NrValue **operands = nr_calloc(op->num_operands, sizeof *operands);
  NrAttr *maps = nr_calloc(op->num_operands, sizeof *maps);
  for (size_t i = 0; i < op->num_operands; i++) {
    if (i == k) continue;
    operands[n] = nr_operand(op, i == num_inputs + j ? k : i);
    maps[n++] = nr_linalg_map(op, i);
  }
  char iterators[NR_MAX_RANK + 1];
  nr_linalg_iterators(op, iterators);
  NrOp *inner = nr_build_generic(&b, operands, num_inputs - 1, operands + num_inputs - 1, num_outputs, maps, iterators);
  NrBlock *from = nr_op_only_body(op), *to = nr_op_only_body(inner);
  for (size_t i = 0, next = 0; i < from->num_args; i++)
    nr_value_replace_uses(from->args[i], to->args[i == k ? num_inputs - 1 + j : next++]);
  nr_block_splice(from, to, NULL);
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_result(inner, i));
  nr_op_erase(op);
  nr_free(operands);
  nr_free(maps);
  return inner;
}

/* Lets element-wise members write over inputs that end there: bufferize then computes the whole chain in the part of
 * the output that is stored, instead of in a buffer. */
static void overwrite_inputs(Tile *t) {
  for (size_t i = 0; i < t->tiling.num_ops; i++)
    for (size_t j = 0; nr_op_is(t->tiling.ops[i], NR_OP_linalg_generic) && j < t->tiling.ops[i]->num_results; j++) {
      size_t k = input_to_overwrite(t, t->tiling.ops[i], j);
      if (k != SIZE_MAX) t->tiling.ops[i] = start_from(t->tiling.ops[i], k, j);
    }
}

/* ---- the dispatch ------------------------------------------------------------------------------------------------ */

static void add_grid(const Tile *t) {
  NrOp *op = t->dispatch;
  NrModule *module = op->module;
  NrBuilder host = nr_builder_before(op);
  NrBlock *block = nr_block_create(module);
  nr_block_append(nr_flow_dispatch_workgroups_workgroup_count_region(op), block);
  NrBuilder b = nr_builder_at_end(module, block, op->loc);
  NrValue *one = nr_arith_constant_index(&b, 1), *grid[NR_GRID_DIMS] = {one, one, one};
  NrGroup workload = nr_flow_dispatch_workgroups_workload(op), arguments = nr_flow_dispatch_workgroups_arguments(op),
          argument_dims = nr_flow_dispatch_workgroups_argument_dims(op),
          result_dims = nr_flow_dispatch_workgroups_result_dims(op);
  NrValue *ranges[2 * NR_GRID_DIMS];
  uint32_t num_ranges = 0;
  for (uint32_t c = 0; c < t->grid.num_cuts; c++) {
    ranges[num_ranges++] = range_outside(t, &host, c);
    NrValue *range = nr_block_add_arg(block, nr_type_index(b.ctx), op->loc), *tile;
    if (t->tile[c]) {
      ranges[num_ranges++] = outside(t, &host, (NrIndex){t->tile[c], 0});
      tile = nr_block_add_arg(block, nr_type_index(b.ctx), op->loc);
    } else {
      tile = nr_arith_constant_index(&b, t->grid.cuts[c].tile);
    }
    grid[c] = nr_arith_binary(&b, NR_OP_arith_ceildivui, range, tile);
  }
  nr_build_op(&b, NR_OP_flow_return, grid, NR_GRID_DIMS, NULL, 0);
  for (size_t i = workload.count; i-- > 0;) nr_op_erase_operand(op, workload.begin + i);
  for (uint32_t i = 0; i < num_ranges; i++) nr_op_insert_operand(op, i, ranges[i]);
  nr_op_set_segments(op,
                     (uint32_t[]){num_ranges, (uint32_t)arguments.count, (uint32_t)argument_dims.count,
                                  (uint32_t)result_dims.count},
                     4);
}

/* Erases the ops of the body that tiles have replaced. */
static void erase_wholes(NrBlock *body) {
  for (NrOp *op = body->last, *before; op; op = before) {
    before = op->prev;
    if (nr_op_is_dead(op)) nr_op_erase(op);
  }
}

static void cut(Tile *t) {
  if (t->grid.points) choose_tiles(t);
  NrBuilder top = nr_builder_at_start(t->dispatch->module, t->body, t->dispatch->loc);
  for (uint32_t c = 0; c < t->grid.num_cuts; c++) find_tile(t, &top, c);
  for (size_t i = 0; i < t->tiling.num_ops; i++) cut_member(t, i);
  for (size_t i = 0; i < t->stores.size; i++) cut_store(t, t->stores.data[i]);
  erase_wholes(t->body);
}

/* Names the dispatch after what it computes, before that is cut. */
static void put_label(const Tile *t) {
  NrBuf text = {0};
  nr_tiling_put_label(&t->tiling, &text);
  if (text.size)
    nr_op_set_attr_named(t->dispatch, NR_TILING_LABEL,
                         nr_attr_string(nr_op_context(t->dispatch), (NrStr){text.data, text.size}));
  nr_buf_deinit(&text);
}

static void tile_dispatch(const NrTarget *target, NrOp *op) {
  Tile *t = nr_calloc(1, sizeof *t);
  t->dispatch = op;
  t->body = nr_flow_dispatch_workgroups_workgroup_body(op);
  bool can = t->body && !t->body->next && read_body(t);
  if (can) {
    nr_tiling_analyse(&t->tiling);
    put_label(t);
    t->grid = nr_tiling_choose_grid(target, &t->tiling);
    for (uint32_t c = 0; c < t->grid.num_cuts; c++) can &= find_range(t, c);
  }
  if (can && t->grid.num_cuts) cut(t);
  else t->grid.num_cuts = 0;
  add_grid(t);
  if (can) overwrite_inputs(t);
  nr_vec_deinit(&t->stores);
  nr_free(t);
}

static bool has_no_grid(const NrOp *op) {
  return nr_op_is(op, NR_OP_flow_dispatch_workgroups) && !nr_flow_dispatch_workgroups_workgroup_count_body(op);
}

static NrStatus tile_dispatches_run(NrPassContext *pass, NrOp *root) {
  NrOpList found = {0};
  nr_collect_pre(root, has_no_grid, &found);
  for (size_t i = 0; i < found.size; i++) tile_dispatch(pass->target, found.data[i]);
  nr_vec_deinit(&found);
  return NR_OK;
}

NR_PASS(tile_dispatches, .name = "tile-dispatches", .on_while = NR_WHILE_BARRIER, .run = tile_dispatches_run,
        .doc = "cuts dispatches that have no workgroup count into tiles of a grid, all their ops at once")
