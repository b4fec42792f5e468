/* pack_constants.c - lays large constant factors of products out in blocks of columns.
 *   before  c[m, n] += a[m, k] * W[n, k]       after  c[m, j, i] += a[m, k] * P[j, k, i]
 *                                                     P[j, k, i] = W[j * 32 + i, k]
 * Vectors go along the columns, and a tile of a product reads some columns of each row of the factor. In P they lie one
 * behind the other, so a sum reads memory in order, whichever of W's dims is the inner one and however many rows `a`
 * has; in W each would be on a page of its own. What computes P stands in the program, and is for the folding of
 * constants: without it, each run would make P anew, so the pipeline runs this only where constants are folded
 * (driver/fold_constants.c).
 *
 * Element-wise ops around the product take its blocks too, so that they stay in its dispatch.
 *
 * A small constant W[n, k] becomes W[k, n], of which nothing is left to the run: sums over few elements, side by side
 * in a vector, need no sum of a vector. 200 rows of 10 elements with 400 x 10 f32 take 11 us instead of 74, of 128
 * elements with 128 x 128 28 instead of 47, and one row the same.
 *
 * Products of rows of 12544 elements with a constant of 1024 x 12544 f32 on one thread of a Zen 5, in ms, with W[n, k],
 * W[k, n] and P: 1 row 1.4, 4.2, 1.3; 10 rows 4.4, 7.5, 2.5; 150 rows 38, 46, 19; 1000 rows 235, 228, 112. */
#include "pass/linalg/pack_constants.h"

#include "dialect/arith/arith.h"
#include "dialect/linalg/linalg.h"
#include "dialect/tensor/tensor.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"
#include "pass/linalg/contraction.h"

enum {
  BLOCK_BYTES = 128,     /* two cache lines of each row */
  LEAST_BYTES = 1 << 18, /* of a constant: a smaller one stays in the caches of a core */
  MOST_LEAST = 1 << 30,
  MOST_OPERANDS = 16,
};

typedef struct Pack {
  NrOp *op;
  size_t factor;      /* the constant among its inputs */
  uint32_t n, k;      /* the loops along which the constant has its columns and what is summed */
  int64_t block;      /* columns of a block */
} Pack;

static bool is_structured(const NrOp *op) { return op && nr_op_is(op, NR_OP_linalg_generic); }

static bool is_dim(NrAffineExpr e, uint32_t d) { return e->kind == NR_AFFINE_DIM && e->value == (int64_t)d; }

/* The dim of operand k that loop d alone indexes; -1: none. */
static int dim_of_loop(const NrOp *op, size_t k, uint32_t d) {
  NrAttr map = nr_linalg_map(op, k);
  for (uint32_t r = 0; r < map->num_exprs; r++)
    if (is_dim(map->exprs[r], d)) return (int)r;
  return -1;
}

static size_t uses_of_loop(const NrOp *op, size_t k, uint32_t d) {
  NrAttr map = nr_linalg_map(op, k);
  size_t count = 0;
  for (uint32_t r = 0; r < map->num_exprs; r++) count += nr_affine_uses_dim(map->exprs[r], d);
  return count;
}

/* ---- loops in blocks -------------------------------------------------------------------------------------------- */

static bool has_index(NrOp *op, void *found) {
  *(bool *)found |= nr_op_is(op, NR_OP_linalg_index);
  return !*(bool *)found;
}

/* Whether loop d of the op can be two: over blocks, and over the columns of one. */
static bool can_split(NrOp *op, uint32_t d, int64_t block) {
  bool indices = false;
  if (!nr_op_is(op, NR_OP_linalg_generic) || op->num_results != 1 || op->num_operands > MOST_OPERANDS ||
      nr_linalg_num_loops(op) == NR_MAX_RANK || nr_linalg_static_range(op, d) % block)
    return false;
  for (size_t k = 0; k < op->num_operands; k++) {
    NrType type = nr_operand(op, k)->type;
    int r = dim_of_loop(op, k, d);
    if (uses_of_loop(op, k, d) != (r >= 0)) return false;
    if (r >= 0 && (type->rank == NR_MAX_RANK || type->dims[r] == NR_DYNAMIC)) return false;
  }
  nr_walk_pre(op, has_index, &indices);
  return !indices;
}

/* Groups for a tensor of the rank whose dim `at` is two. */
static NrGroups split_dim(uint32_t rank, uint32_t at) {
  NrGroups groups = {.count = rank};
  for (uint32_t g = 0; g < rank; g++) groups.begin[g] = g + (g > at), groups.size[g] = 1 + (g == at);
  return groups;
}

/* Whether the value has the elements of a tensor whose dim `at` is blocks, which split_loop made. */
static bool is_of_blocks(const NrValue *value, uint32_t at, int64_t block) {
  NrGroups groups;
  if (!value->op || !nr_op_is(value->op, NR_OP_tensor_collapse_shape) || !nr_groups_of(value->op, &groups))
    return false;
  if (groups.count != value->type->rank || at >= groups.count) return false;
  for (uint32_t g = 0; g < groups.count; g++)
    if (groups.size[g] != 1u + (g == at)) return false;
  return nr_tensor_collapse_shape_source(value->op)->type->dims[at + 1] == block;
}

/* The tensor with dim `at` as blocks and the columns of one. */
static NrValue *in_blocks(NrBuilder *b, NrValue *tensor, uint32_t at, int64_t block) {
  uint32_t rank = tensor->type->rank;
  NrGroups groups = split_dim(rank, at);
  NrIndex dims[NR_MAX_RANK];
  if (is_of_blocks(tensor, at, block)) return nr_tensor_collapse_shape_source(tensor->op);
  for (uint32_t r = 0; r < rank; r++)
    if (r != at) dims[groups.begin[r]] = nr_dim_build(b, tensor, r);
  dims[at] = nr_index_const(tensor->type->dims[at] / block);
  dims[at + 1] = nr_index_const(block);
  if (tensor->op && nr_op_is(tensor->op, NR_OP_tensor_empty))
    return nr_build_empty(b, tensor->type->elem, dims, rank + 1);
  if (tensor->op && nr_op_is(tensor->op, NR_OP_linalg_fill))
    return nr_build_fill(b, nr_linalg_fill_value(tensor->op),
                         in_blocks(b, nr_linalg_fill_output(tensor->op), at, block));
  return nr_build_expand_shape(b, tensor, &groups, dims, rank + 1);
}

/* The map of operand k with loop d as two, of which the second one comes right behind the first. */
static NrAttr map_in_blocks(const NrOp *op, size_t k, uint32_t d) {
  NrAttr map = nr_linalg_map(op, k);
  NrContext *ctx = nr_op_context(op);
  NrAffineExpr dims[NR_MAX_RANK], exprs[NR_MAX_RANK + 1];
  uint32_t count = 0;
  for (uint32_t i = 0; i < map->num_dims; i++) dims[i] = nr_affine_dim(ctx, i + (i > d));
  for (uint32_t r = 0; r < map->num_exprs; r++) {
    exprs[count++] = nr_affine_replace(map->exprs[r], dims, NULL);
    if (is_dim(map->exprs[r], d)) exprs[count++] = nr_affine_dim(ctx, d + 1);
  }
  return nr_attr_affine_map(ctx, map->num_dims + 1, 0, exprs, count);
}

/* Replaces the op by one with the operands and maps given, which has loop d as two. */
static void replace_split(NrBuilder *b, NrOp *op, uint32_t d, NrValue *const *operands, const NrAttr *maps) {
  size_t num_inputs = nr_linalg_num_inputs(op);
  int at = dim_of_loop(op, num_inputs, d);
  char iterators[NR_MAX_RANK + 2];
  nr_linalg_iterators(op, iterators);
  memmove(iterators + d + 1, iterators + d, strlen(iterators + d) + 1);
  NrOp *inner = nr_build_generic(b, operands, num_inputs, operands + num_inputs, 1, maps, iterators);
  nr_linalg_take_body(op, inner);
  NrGroups groups = split_dim(op->results[0].type->rank, (uint32_t)at);
  NrValue *result = nr_build_collapse_shape(b, nr_op_result(inner), &groups);
  nr_value_replace_uses(nr_op_result(op), nr_build_tensor_cast(b, result, op->results[0].type));
  nr_op_erase(op);
}

/* Makes loop d of an element-wise op two. */
static void split_loop(NrOp *op, uint32_t d, int64_t block) {
  NrBuilder b = nr_builder_before(op);
  NrValue *operands[MOST_OPERANDS];
  NrAttr maps[MOST_OPERANDS];
  for (size_t k = 0; k < op->num_operands; k++) {
    int r = dim_of_loop(op, k, d);
    operands[k] = r < 0 ? nr_operand(op, k) : in_blocks(&b, nr_operand(op, k), (uint32_t)r, block);
    maps[k] = map_in_blocks(op, k, d);
  }
  replace_split(&b, op, d, operands, maps);
}

/* ---- finding ---------------------------------------------------------------------------------------------------- */

/* What pack_all takes. */
typedef struct Choice {
  int64_t least, most; /* bytes of a constant, and of all that are still to be found */
  NrPackStaysFn stays;
  void *user;
} Choice;

/* Whether input `factor` is a constant matrix that only this op reads. */
static bool is_constant(const NrOp *op, size_t factor, const Choice *choice, int64_t *out_bytes) {
  NrValue *value = nr_operand(op, factor);
  NrType type = value->type;
  NrAttr constant = type->kind == NR_TYPE_TENSOR && type->rank == 2 ? nr_value_constant(value) : NULL;
  return constant && nr_attr_is_elements(constant) && !constant->splat && nr_type_is_float(type->elem) &&
         nr_type_num_bytes(type, out_bytes) && *out_bytes <= choice->most &&
         nr_value_has_one_use(value) && !(choice->stays && choice->stays(op, constant->data, choice->user));
}

/* Whether the constant has the last dim of the output, which no other input has, and what is summed. */
static bool read_loops(Pack *p) {
  size_t out = nr_linalg_num_inputs(p->op);
  NrAttr result = nr_linalg_map(p->op, out), map = nr_linalg_map(p->op, p->factor);
  NrAffineExpr last = result->num_exprs ? result->exprs[result->num_exprs - 1] : NULL;
  if (!last || last->kind != NR_AFFINE_DIM) return false;
  p->n = (uint32_t)last->value;
  int columns = dim_of_loop(p->op, p->factor, p->n);
  if (columns < 0 || map->exprs[1 - columns]->kind != NR_AFFINE_DIM) return false;
  p->k = (uint32_t)map->exprs[1 - columns]->value;
  for (size_t i = 0; i < out; i++)
    if (i != p->factor && uses_of_loop(p->op, i, p->n)) return false;
  return p->k != p->n && nr_linalg_is_reduction(p->op, p->k);
}

/* Whether the op is a product with a constant factor. */
static bool find(Pack *p, const Choice *choice, int64_t *out_bytes) {
  NrOp *op = p->op;
  if (op->num_results != 1 || nr_linalg_num_outputs(op) != 1 || nr_linalg_num_reductions(op) != 1) return false;
  for (p->factor = 0; p->factor < nr_linalg_num_inputs(op); p->factor++) {
    if (!is_constant(op, p->factor, choice, out_bytes) || !read_loops(p)) continue;
    p->block = BLOCK_BYTES / (int64_t)nr_type_byte_size(nr_operand(op, p->factor)->type->elem);
    return true;
  }
  return false;
}

static bool can_pack(const Pack *p) {
  return nr_linalg_static_range(p->op, p->n) > p->block && can_split(p->op, p->n, p->block);
}

/* ---- small constants --------------------------------------------------------------------------------------------- */

/* Whether the factor is W[n, k] with at least half a block of columns, and its elements are at hand. */
static bool can_turn(const Pack *p, int64_t bytes) {
  NrAttr constant = nr_value_constant(nr_operand(p->op, p->factor));
  return constant->data && (int64_t)constant->data_size == bytes && dim_of_loop(p->op, p->factor, p->n) == 0 &&
         nr_linalg_static_range(p->op, p->n) >= p->block / 2 && nr_linalg_static_range(p->op, p->k) > 0;
}

/* Makes the constant W[k, n]. */
static void turn(const Pack *p) {
  NrOp *op = p->op;
  NrValue *value = nr_operand(op, p->factor);
  NrAttr constant = nr_value_constant(value), maps = nr_op_attr(op, NR_A_indexing_maps), items[MOST_OPERANDS];
  NrType from = value->type;
  int64_t rows = from->dims[0], columns = from->dims[1], dims[] = {columns, rows};
  size_t each = (size_t)nr_type_byte_size(from->elem), size = (size_t)(rows * columns) * each;
  const char *data = constant->data;
  char *turned = nr_calloc(size, 1);
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < columns; c++)
      memcpy(turned + (size_t)(c * rows + r) * each, data + (size_t)(r * columns + c) * each, each);
  NrBuilder b = nr_builder_before(op);
  NrAttr elements = nr_attr_dense(nr_type_tensor(dims, 2, from->elem), turned, size);
  nr_op_set_operand(op, p->factor, nr_arith_constant(&b, elements));
  nr_free(turned);
  NrAttr map = maps->items[p->factor];
  memcpy(items, maps->items, op->num_operands * sizeof *items);
  items[p->factor] = nr_attr_affine_map(b.ctx, map->num_dims, 0, (NrAffineExpr[]){map->exprs[1], map->exprs[0]}, 2);
  nr_op_set_attr(op, NR_A_indexing_maps, nr_attr_array(b.ctx, items, op->num_operands));
}

/* ---- packing ---------------------------------------------------------------------------------------------------- */

/* The constant as [blocks, k, columns of a block]. */
static NrValue *packed(const Pack *p, NrBuilder *b) {
  NrValue *value = nr_operand(p->op, p->factor);
  NrContext *ctx = b->ctx;
  bool columns_first = dim_of_loop(p->op, p->factor, p->n) == 0;
  NrValue *from = in_blocks(b, value, columns_first ? 0 : 1, p->block);
  NrAffineExpr j = nr_affine_dim(ctx, 0), k = nr_affine_dim(ctx, 1), i = nr_affine_dim(ctx, 2);
  NrAffineExpr exprs[3] = {columns_first ? j : k, columns_first ? i : j, columns_first ? k : i};
  NrAttr maps[2] = {nr_attr_affine_map(ctx, 3, 0, exprs, 3), nr_attr_affine_identity(ctx, 3)};
  const int64_t *dims = from->type->dims;
  NrIndex sizes[3] = {nr_index_const(dims[columns_first ? 0 : 1]), nr_index_const(dims[columns_first ? 2 : 0]),
                      nr_index_const(p->block)};
  NrValue *to = nr_build_empty(b, value->type->elem, sizes, 3);
  NrOp *copy = nr_build_generic(b, &from, 1, &to, 1, maps, "ppp");
  NrBlock *body = nr_op_only_body(copy);
  NrBuilder inner = nr_builder_at_end(b->module, body, p->op->loc);
  NrValue *element = nr_block_arg(body, 0);
  nr_build_op(&inner, NR_OP_linalg_yield, &element, 1, NULL, 0);
  return nr_op_result(copy);
}

/* Whether op is element-wise, and its loop d, which runs along dim d of the result, can be two. */
static bool can_split_map(NrOp *op, uint32_t d, int64_t block) {
  if (!is_structured(op) || op->num_results != 1 || nr_linalg_num_reductions(op)) return false;
  NrAttr map = nr_linalg_map(op, nr_linalg_num_inputs(op));
  return map == nr_attr_affine_identity(nr_op_context(op), map->num_dims) && can_split(op, d, block);
}

static void pack(const Pack *p) {
  NrOp *op = p->op;
  size_t out = nr_linalg_num_inputs(op);
  uint32_t last = op->results[0].type->rank - 1;
  NrValue *init = nr_operand(op, out), *operands[MOST_OPERANDS];
  NrAttr maps[MOST_OPERANDS];
  NrContext *ctx = nr_op_context(op);
  if (nr_value_has_one_use(init) && can_split_map(init->op, last, p->block)) split_loop(init->op, last, p->block);
  NrBuilder b = nr_builder_before(op);
  for (size_t k = 0; k < op->num_operands; k++) {
    operands[k] = nr_operand(op, k);
    maps[k] = map_in_blocks(op, k, p->n);
  }
  operands[p->factor] = packed(p, &b);
  operands[out] = in_blocks(&b, operands[out], last, p->block);
  NrAffineExpr exprs[3] = {nr_affine_dim(ctx, p->n), nr_affine_dim(ctx, p->k + (p->k > p->n)),
                           nr_affine_dim(ctx, p->n + 1)};
  maps[p->factor] = nr_attr_affine_map(ctx, maps[p->factor]->num_dims, 0, exprs, 3);
  replace_split(&b, op, p->n, operands, maps);
}

/* Looks for a dim of the tensor that was collapsed from two, blocks and the columns of a block. Returns that dim and
 * sets *out_block to the number of columns; -1 when there is none. */
static int dim_of_blocks(const NrValue *value, int64_t *out_block) {
  if (value->type->kind != NR_TYPE_TENSOR || !value->op || !nr_op_is(value->op, NR_OP_tensor_collapse_shape)) return -1;
  const NrValue *source = nr_tensor_collapse_shape_source(value->op);
  for (uint32_t at = 0; is_structured(source->op) && at < value->type->rank; at++) {
    *out_block = at + 1 < source->type->rank ? source->type->dims[at + 1] : NR_DYNAMIC;
    if (*out_block > 1 && source->type->dims[at] > 1 && is_of_blocks(value, at, *out_block)) return (int)at;
  }
  return -1;
}

/* Element-wise ops that use the products take them in blocks, as do those that use these: with a reshape in between,
 * workgroups could not share the loops over columns. */
static void follow(NrOp *op) {
  for (size_t k = 0; k < nr_linalg_num_inputs(op); k++) {
    int64_t block;
    int at = dim_of_blocks(nr_operand(op, k), &block);
    for (uint32_t d = 0; at >= 0 && d < nr_linalg_num_loops(op); d++) {
      if (dim_of_loop(op, k, d) != at || !can_split_map(op, d, block)) continue;
      split_loop(op, d, block);
      return;
    }
  }
}

static void pack_all(NrOp *root, Choice choice) {
  NrOpList found = {0};
  nr_collect_post(root, is_structured, &found);
  for (size_t i = 0; i < found.size; i++) {
    Pack p = {.op = found.data[i]};
    int64_t bytes = 0;
    if (!find(&p, &choice, &bytes)) continue;
    bool large = bytes >= choice.least;
    if (large ? !can_pack(&p) : !can_turn(&p, bytes)) continue;
    choice.most -= bytes;
    if (large) pack(&p);
    else turn(&p);
  }
  found.size = 0;
  nr_collect_post(root, is_structured, &found);
  for (size_t i = 0; i < found.size; i++) follow(found.data[i]);
  nr_vec_deinit(&found);
}

void nr_pack_constants(NrOp *op, int64_t max_bytes, NrPackStaysFn stays, void *user) {
  pack_all(op, (Choice){LEAST_BYTES, max_bytes, stays, user});
}

static NrStatus pack_constants_run(NrPassContext *pass, NrOp *root) {
  pack_all(root, (Choice){.least = nr_pass_int(pass, "min-bytes"), .most = INT64_MAX});
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_INT("min-bytes", LEAST_BYTES, 0, MOST_LEAST, "constants below this are transposed at most"),
    {0},
};
NR_PASS(pack_constants, .name = "pack-constants", .on_while = NR_WHILE_BARRIER, .run = pack_constants_run,
        .options = options, .doc = "lays constant factors of products out by columns, large ones in blocks")
