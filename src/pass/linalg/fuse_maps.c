/* fuse_maps.c - an element-wise op goes into its only user.
 *   before  %1 = linalg.generic (exp)(%0)      after  %2 = linalg.generic (exp; neg)(%0)
 *           %2 = linalg.generic (neg)(%1)
 * The producer is all-parallel with one result, indexed by a permutation, in the user's block, and has no other user.
 * It is computed once per iteration of the user, so the user must read each of its elements once; only a producer that
 * costs nothing (a copy: transposes, broadcasts) may be read more often. Fills and splat constants become scalars in
 * the body. */
#include "dialect/affine/affine.h"
#include "dialect/linalg/linalg.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

enum { MAX_OPERANDS = 32 };

/* ---- maps ---- */

/* For each result of a permutation map, the other way round: out[d] = position of dim d. False if it is none. */
static bool invert_permutation(NrAttr map, uint32_t *out) {
  if (map->num_exprs != map->num_dims || map->num_symbols) return false;
  uint64_t seen = 0;
  for (uint32_t r = 0; r < map->num_exprs; r++) {
    NrAffineExpr e = map->exprs[r];
    if (e->kind != NR_AFFINE_DIM || (seen >> e->value & 1)) return false;
    seen |= 1ull << e->value;
    out[e->value] = r;
  }
  return true;
}

/* Each point of the loops reads another element: all loop dims stand alone in the map. */
static bool reads_once(NrAttr map) {
  uint64_t seen = 0;
  for (uint32_t r = 0; r < map->num_exprs; r++)
    if (map->exprs[r]->kind == NR_AFFINE_DIM) seen |= 1ull << map->exprs[r]->value;
  return seen == (map->num_dims >= 64 ? UINT64_MAX : (1ull << map->num_dims) - 1);
}

/* ---- what may fuse ---- */

/* A body that only passes on what it reads. */
static bool is_copy(NrOp *generic) {
  NrBlock *body = nr_op_body(generic, 0);
  return body->first == body->last;
}

/* A loop dim needs an operand that gives its range: whether one but operand `at` does for dim d. */
static bool range_survives(NrOp *op, size_t at, uint32_t d) {
  for (size_t k = 0; k < op->num_operands; k++) {
    NrAttr map = nr_linalg_map(op, k);
    for (uint32_t r = 0; k != at && r < map->num_exprs; r++)
      if (map->exprs[r]->kind == NR_AFFINE_DIM && map->exprs[r]->value == d) return true;
  }
  return false;
}

static bool ranges_survive(NrOp *op, size_t at) {
  for (uint32_t d = 0; d < nr_linalg_num_loops(op); d++)
    if (!range_survives(op, at, d)) return false;
  return true;
}

/* Loop dims whose range only operand `at` gives must get one from the producer's inputs. */
static bool ranges_follow(NrOp *producer, NrOp *consumer, size_t at, const uint32_t *inverse) {
  NrAttr read = nr_linalg_map(consumer, at);
  for (uint32_t d = 0; d < nr_linalg_num_loops(consumer); d++) {
    bool found = range_survives(consumer, at, d);
    for (size_t k = 0; k < nr_linalg_num_inputs(producer) && !found; k++) {
      NrAttr map = nr_linalg_map(producer, k);
      for (uint32_t r = 0; r < map->num_exprs && !found; r++) {
        NrAffineExpr e = map->exprs[r]->kind == NR_AFFINE_DIM ? read->exprs[inverse[map->exprs[r]->value]] : NULL;
        found = e && e->kind == NR_AFFINE_DIM && e->value == d;
      }
    }
    if (!found) return false;
  }
  return true;
}

/* A place that the producer computes of its loop dims, as d0 * 2 + d1, must not become a bare dim of the consumer's:
 * that would say that the loop goes over all of the operand. */
static bool places_stay(NrOp *producer, NrOp *consumer, size_t at, const uint32_t *inverse) {
  NrAttr read = nr_linalg_map(consumer, at);
  NrAffineExpr dims[NR_MAX_RANK];
  for (uint32_t d = 0; d < nr_linalg_num_loops(producer); d++) dims[d] = read->exprs[inverse[d]];
  for (size_t k = 0; k < nr_linalg_num_inputs(producer); k++) {
    NrAttr map = nr_linalg_map(producer, k);
    for (uint32_t r = 0; r < map->num_exprs; r++)
      if (map->exprs[r]->kind != NR_AFFINE_DIM &&
          nr_affine_replace(map->exprs[r], dims, NULL)->kind == NR_AFFINE_DIM)
        return false;
  }
  return true;
}

static bool may_fuse(NrOp *producer, NrOp *consumer, size_t operand) {
  uint32_t inverse[NR_MAX_RANK];
  if (!nr_op_is(producer, NR_OP_linalg_generic) || producer->block != consumer->block || producer->num_results != 1)
    return false;
  if (!nr_value_has_one_use(nr_result(producer, 0)) || nr_linalg_num_reductions(producer)) return false;
  size_t inputs = nr_linalg_num_inputs(producer);
  if (nr_value_has_uses(nr_block_arg(nr_op_body(producer, 0), inputs)))
    return false; /* reads its output's old contents */
  if (!invert_permutation(nr_linalg_map(producer, inputs), inverse)) return false;
  if (consumer->num_operands + producer->num_operands > MAX_OPERANDS) return false;
  if (!ranges_follow(producer, consumer, operand, inverse) || !places_stay(producer, consumer, operand, inverse))
    return false;
  return is_copy(producer) || reads_once(nr_linalg_map(consumer, operand));
}

/* ---- fusing ---- */

/* The value of an affine expression over so many loop indices, inside a body. */
static NrValue *emit_expr(NrBuilder *b, NrAffineExpr e, uint32_t loops) {
  NrType index = nr_type_index(b->ctx);
  NrValue *ivs[NR_MAX_RANK] = {NULL};
  for (uint32_t d = 0; d < loops; d++) {
    if (!nr_affine_uses_dim(e, d)) continue;
    ivs[d] = nr_build_value(b, NR_OP_linalg_index, index, NULL, 0);
    nr_op_set_attr(ivs[d]->op, NR_A_dim, nr_attr_i64(b->ctx, d));
  }
  return nr_affine_expand_indices(b, e, loops, ivs);
}

/* Copies body's ops to b with its arguments mapped; loop dim d reads as exprs[d]. Returns what it yields first. */
static NrValue *inline_body(NrBuilder *b, NrBlock *body, NrMap *map, const NrAffineExpr *exprs, uint32_t loops) {
  for (NrOp *op = body->first; op != body->last; op = op->next) {
    if (nr_op_is(op, NR_OP_linalg_index)) {
      nr_map_set(map, nr_result(op, 0), emit_expr(b, exprs[nr_op_attr_int(op, NR_A_dim, 0)], loops));
      continue;
    }
    nr_builder_insert(b, nr_op_clone(b->module, op, map));
  }
  NrValue *result = nr_operand(body->last, 0), *mapped = nr_map_get(map, result);
  return mapped ? mapped : result;
}

static NrOp *fuse(NrOp *producer, NrOp *consumer, size_t at) {
  NrBuilder b = nr_builder_before(consumer);
  NrContext *ctx = b.ctx;
  size_t p_inputs = nr_linalg_num_inputs(producer), c_inputs = nr_linalg_num_inputs(consumer);
  size_t c_outputs = nr_linalg_num_outputs(consumer), loops = nr_linalg_num_loops(consumer);
  NrAttr read = nr_linalg_map(consumer, at);
  uint32_t inverse[NR_MAX_RANK];
  invert_permutation(nr_linalg_map(producer, p_inputs), inverse);
  /* Producer's loop dims as expressions over the consumer's. */
  NrAffineExpr dims[NR_MAX_RANK];
  for (uint32_t d = 0; d < nr_linalg_num_loops(producer); d++) dims[d] = read->exprs[inverse[d]];

  NrValue *inputs[MAX_OPERANDS], *outputs[MAX_OPERANDS];
  NrAttr maps[MAX_OPERANDS];
  size_t n = 0;
  for (size_t k = 0; k < c_inputs; k++) {
    if (k == at) continue;
    inputs[n] = nr_operand(consumer, k);
    maps[n++] = nr_linalg_map(consumer, k);
  }
  for (size_t k = 0; k < p_inputs; k++) {
    NrAttr map = nr_linalg_map(producer, k);
    NrAffineExpr exprs[NR_MAX_RANK];
    for (uint32_t r = 0; r < map->num_exprs; r++) exprs[r] = nr_affine_replace(map->exprs[r], dims, NULL);
    inputs[n] = nr_operand(producer, k);
    maps[n++] = nr_attr_affine_map(ctx, (uint32_t)loops, 0, exprs, map->num_exprs);
  }
  for (size_t i = 0; i < c_outputs; i++) {
    outputs[i] = nr_operand(consumer, c_inputs + i);
    maps[n + i] = nr_linalg_map(consumer, c_inputs + i);
  }
  char iterators[NR_MAX_RANK + 1] = {0};
  for (size_t d = 0; d < loops; d++) iterators[d] = nr_linalg_is_reduction(consumer, d) ? 'r' : 'p';
  NrOp *fused = nr_build_generic(&b, inputs, n, outputs, c_outputs, maps, iterators);

  NrBlock *from_p = nr_op_body(producer, 0), *from_c = nr_op_body(consumer, 0), *body = nr_op_body(fused, 0);
  NrBuilder inner = nr_builder_at_end(b.module, body, b.loc);
  NrMap map = {0};
  for (size_t k = 0; k < p_inputs; k++) nr_map_set(&map, from_p->args[k], body->args[c_inputs - 1 + k]);
  NrValue *element = inline_body(&inner, from_p, &map, dims, (uint32_t)loops);
  for (size_t k = 0, i = 0; k < c_inputs; k++) nr_map_set(&map, from_c->args[k], k == at ? element : body->args[i++]);
  for (size_t i = 0; i < c_outputs; i++) nr_map_set(&map, from_c->args[c_inputs + i], body->args[n + i]);
  for (NrOp *op = from_c->first; op; op = op->next) nr_op_append(body, nr_op_clone(b.module, op, &map));
  nr_map_deinit(&map);
  for (uint32_t i = 0; i < consumer->num_results; i++)
    nr_value_replace_uses(nr_result(consumer, i), nr_result(fused, i));
  nr_op_erase(consumer);
  if (!nr_value_has_uses(nr_result(producer, 0))) nr_op_erase(producer);
  return fused;
}

/* ---- inputs that are one scalar everywhere ---- */

/* The scalar that every element of value is, built at b; NULL when there is none. */
static NrValue *uniform_scalar(NrBuilder *b, NrValue *value) {
  if (value->op && nr_op_is(value->op, NR_OP_linalg_fill)) return nr_operand(value->op, 0);
  NrAttr known = nr_value_constant(value);
  int64_t count;
  if (!known || known->kind != NR_ATTR_DENSE || !nr_type_num_elements(known->type, &count)) return NULL;
  if (count == 0 || !(known->splat || count == 1) || known->type->elem->kind == NR_TYPE_COMPLEX) return NULL;
  NrOp *op = nr_build_op(b, NR_OP_arith_constant, NULL, 0, &known->type->elem, 1);
  nr_op_set_attr(op, NR_A_value, nr_attr_element(known, 0));
  return nr_result(op, 0);
}

/* Drops input `at`, whose body argument reads as scalar. */
static NrOp *drop_input(NrOp *op, size_t at, NrValue *scalar) {
  NrBuilder b = nr_builder_before(op);
  size_t num_inputs = nr_linalg_num_inputs(op), num_outputs = nr_linalg_num_outputs(op), n = 0;
  NrValue *inputs[MAX_OPERANDS], *outputs[MAX_OPERANDS];
  NrAttr maps[MAX_OPERANDS];
  for (size_t k = 0; k < num_inputs; k++)
    if (k != at) inputs[n] = nr_operand(op, k), maps[n++] = nr_linalg_map(op, k);
  for (size_t i = 0; i < num_outputs; i++)
    outputs[i] = nr_operand(op, num_inputs + i), maps[n + i] = nr_linalg_map(op, num_inputs + i);
  char iterators[NR_MAX_RANK + 1] = {0};
  for (size_t d = 0; d < nr_linalg_num_loops(op); d++) iterators[d] = nr_linalg_is_reduction(op, d) ? 'r' : 'p';
  NrOp *fresh = nr_build_generic(&b, inputs, n, outputs, num_outputs, maps, iterators);
  NrBlock *from = nr_op_body(op, 0), *to = nr_op_body(fresh, 0);
  nr_value_replace_uses(from->args[at], scalar);
  for (size_t k = 0, i = 0; k < from->num_args; k++)
    if (k != at) nr_value_replace_uses(from->args[k], to->args[i++]);
  nr_block_splice(from, to, NULL);
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_result(fresh, i));
  nr_op_erase(op);
  return fresh;
}

/* ---- the pass ---- */

/* Fuses once into op; the op that took its place, or NULL when nothing fits. */
static NrOp *step(NrOp *op) {
  size_t inputs = nr_linalg_num_inputs(op);
  if (op->num_operands > MAX_OPERANDS) return NULL;
  for (size_t k = 0; k < inputs; k++) {
    NrValue *value = nr_operand(op, k);
    if (!nr_type_is_tensor(value->type)) continue;
    if (ranges_survive(op, k)) {
      NrBuilder b = nr_builder_before(op);
      NrValue *scalar = uniform_scalar(&b, value);
      if (scalar) return drop_input(op, k, scalar);
    }
    if (value->op && may_fuse(value->op, op, k)) return fuse(value->op, op, k);
  }
  return NULL;
}

static bool is_map_of_tensors(const NrOp *op) {
  return nr_op_is(op, NR_OP_linalg_generic) && op->num_results;
}

static NrStatus fuse_maps_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  NrOpList found = {0};
  nr_collect_post(root, is_map_of_tensors, &found);
  /* Users after producers: by the time that an op is looked at, what it reads is already fused as far as it goes. A
   * fused producer is gone, so ops that were erased are met no more: they precede their users in the list and were
   * done. */
  for (size_t i = 0; i < found.size; i++)
    for (NrOp *op = found.data[i]; op;) op = step(op);
  nr_vec_deinit(&found);
  return NR_OK;
}

NR_PASS(fuse_maps, .name = "fuse-maps", .run = fuse_maps_run,
        .doc = "element-wise ops go into their only user; inputs that are one scalar everywhere become that scalar")
