/* merge_loops.c - makes one loop of two that run over the elements of all operands in order.
 *   before  c[o, y, x] += a[o, q] * b[q, y, x]      after  c[o, p] += a[o, q] * b[q, p]
 * Vectors then go across the ends of rows: a row of 14 elements would leave lanes of 16 unused, and 14 rows fill twelve
 * vectors. Ops whose bodies ask for an index are left as they are. */
#include "dialect/memref/memref.h"
#include "pass/core/rewrite.h"
#include "pass/linalg/contraction.h"

enum { MAX_OPERANDS = 16 };

static bool is_dim(NrAffineExpr e, uint32_t d) { return e->kind == NR_AFFINE_DIM && e->value == (int64_t)d; }

/* The dim of operand k that loop d indexes, where loop d + 1 indexes the next one and both lie as one dim of all their
 * elements would; -1: it uses neither loop. False where it uses them in another way. */
static bool find_pair(const NrOp *op, size_t k, uint32_t d, int *out_dim) {
  NrAttr map = nr_linalg_map(op, k);
  NrType type = nr_operand(op, k)->type;
  int64_t strides[NR_MAX_RANK], offset;
  *out_dim = -1;
  for (uint32_t r = 0; r < map->num_exprs; r++) {
    NrAffineExpr e = map->exprs[r];
    if (e->kind == NR_AFFINE_CONSTANT) continue;
    if (e->kind != NR_AFFINE_DIM) return false;
    if (is_dim(e, d + 1) && *out_dim != (int)r - 1) return false;
    if (!is_dim(e, d)) continue;
    if (*out_dim >= 0 || r + 1 == map->num_exprs || !is_dim(map->exprs[r + 1], d + 1)) return false;
    *out_dim = (int)r;
  }
  if (*out_dim < 0) {
    for (uint32_t r = 0; r < map->num_exprs; r++)
      if (is_dim(map->exprs[r], d + 1)) return false;
    return true;
  }
  if (!nr_type_is_memref(type)) return false;
  if (!type->layout) return true;
  uint32_t r = (uint32_t)*out_dim;
  int64_t both;
  return nr_memref_strides(type, strides, &offset) && strides[r] != NR_DYNAMIC && strides[r + 1] != NR_DYNAMIC &&
         type->dims[r + 1] != NR_DYNAMIC && nr_mul_i64(type->dims[r + 1], strides[r + 1], &both) && both == strides[r];
}

static bool can_merge(const NrOp *op, uint32_t d) {
  bool found = false;
  int dim;
  if (nr_linalg_is_reduction(op, d) != nr_linalg_is_reduction(op, d + 1)) return false;
  for (size_t k = 0; k < op->num_operands; k++) {
    if (!find_pair(op, k, d, &dim)) return false;
    found |= dim >= 0;
  }
  return found;
}

static NrValue *collapse(NrBuilder *b, NrValue *memref, uint32_t at) {
  NrGroups groups = {.count = memref->type->rank - 1};
  for (uint32_t g = 0; g < groups.count; g++) groups.begin[g] = g + (g > at), groups.size[g] = 1 + (g == at);
  NrType type = nr_memref_collapsed_type(memref->type, &groups);
  NrValue *joined = nr_build_value(b, NR_OP_memref_collapse_shape, type, &memref, 1);
  nr_op_set_attr(joined->op, NR_A_reassociation, nr_groups_attr(b->ctx, &groups));
  return joined;
}

/* The map of operand k with loops d and d + 1, which index dim `pair` and the next one, as one. */
static NrAttr merged_map(const NrOp *op, size_t k, uint32_t d, int pair) {
  NrAttr map = nr_linalg_map(op, k);
  NrContext *ctx = nr_op_context(op);
  NrAffineExpr exprs[NR_MAX_RANK];
  uint32_t count = 0;
  for (uint32_t r = 0; r < map->num_exprs; r++) {
    NrAffineExpr e = map->exprs[r];
    if (pair >= 0 && (int)r == pair + 1) continue;
    bool moves = e->kind == NR_AFFINE_DIM && e->value > (int64_t)d;
    exprs[count++] = moves ? nr_affine_dim(ctx, (uint32_t)e->value - 1) : e;
  }
  return nr_attr_affine_map(ctx, map->num_dims - 1, 0, exprs, count);
}

void nr_linalg_take_body(NrOp *from, NrOp *to) {
  for (uint32_t i = 0; i < from->num_attrs; i++) {
    NrStr name = from->attrs[i].name;
    if (!nr_op_attr_named(to, name.data)) nr_op_set_attr_named(to, name.data, from->attrs[i].value);
  }
  NrBlock *old = nr_op_only_body(from), *body = nr_op_only_body(to);
  for (size_t i = 0; i < old->num_args; i++) nr_value_replace_uses(old->args[i], body->args[i]);
  nr_block_splice(old, body, NULL);
}

static NrOp *merge(NrOp *op, uint32_t d) {
  NrBuilder b = nr_builder_before(op);
  size_t num_inputs = nr_linalg_num_inputs(op);
  NrValue *operands[MAX_OPERANDS];
  NrAttr maps[MAX_OPERANDS];
  char iterators[NR_MAX_RANK + 1];
  for (size_t k = 0; k < op->num_operands; k++) {
    int pair;
    bool found = find_pair(op, k, d, &pair);
    assert(found);
    (void)found;
    operands[k] = pair < 0 ? nr_operand(op, k) : collapse(&b, nr_operand(op, k), (uint32_t)pair);
    maps[k] = merged_map(op, k, d, pair);
  }
  nr_linalg_iterators(op, iterators);
  memmove(iterators + d, iterators + d + 1, strlen(iterators + d));
  size_t num_outputs = nr_linalg_num_outputs(op);
  NrOp *merged = nr_build_generic(&b, operands, num_inputs, operands + num_inputs, num_outputs, maps, iterators);
  nr_linalg_take_body(op, merged);
  nr_op_erase(op);
  return merged;
}

static bool is_no_index(NrOp *op, void *user) {
  (void)user;
  return !nr_op_is(op, NR_OP_linalg_index);
}

NrOp *nr_linalg_merge_loops(NrOp *op) {
  if (op->num_operands > MAX_OPERANDS || nr_linalg_num_loops(op) < 2) return op;
  for (NrOp *inner = nr_op_only_body(op)->first; inner; inner = inner->next)
    if (!nr_walk_pre(inner, is_no_index, NULL)) return op;
  for (uint32_t d = (uint32_t)nr_linalg_num_loops(op); d-- > 1;)
    if (can_merge(op, d - 1)) op = merge(op, d - 1);
  return op;
}
