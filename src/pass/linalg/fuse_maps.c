/* fuse_maps.c - fuses element-wise ops into their users.
 *   before  %1 = linalg.generic (exp)(%0)      after  %2 = linalg.generic (exp; neg)(%0)
 *           %2 = linalg.generic (neg)(%1)
 * The producer has only parallel loops and one result, indexed by a permutation, and is in the user's block. The fused
 * op computes it once per iteration of the user, so the user must read each element once; only a producer that computes
 * nothing (a copy: transposes, broadcasts) may be read more often. A producer with several users is fused into all of
 * them when each can be fused and the cost model says that recomputing takes less time than storing the result and
 * reading it again. Long chains of ops are not fused where two loops are faster than one (nr_cost_is_one_loop).
 * Inputs that are fills or splat constants become scalars in the body; inputs that are reshapes which only add or drop
 * dims of size 1 are read through them. */
#include "dialect/affine/affine.h"
#include "dialect/linalg/linalg.h"
#include "dialect/tensor/tensor.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"
#include "pass/dispatch/tiling.h"
#include "target/cost.h"

#include <stdarg.h>

enum { MAX_OPERANDS = 32 }; /* of a fused op: limits its code size and the arrays that it streams through the caches */
enum { MAX_USES = 8 };      /* of a producer that is recomputed in each user: limits the code size */

/* ---- maps ---- */

/* Inverts a permutation map: out[d] = the result that is dim d. False when the map is not a permutation. */
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

/* Whether every iteration reads a different element: each loop dim is by itself a result of the map. */
static bool reads_once(NrAttr map) {
  uint64_t seen = 0;
  for (uint32_t r = 0; r < map->num_exprs; r++)
    if (map->exprs[r]->kind == NR_AFFINE_DIM) seen |= 1ull << map->exprs[r]->value;
  return seen == (map->num_dims >= 64 ? UINT64_MAX : (1ull << map->num_dims) - 1);
}

/* ---- what may fuse ---- */

/* Whether the body only yields its arguments. */
static bool is_copy(NrOp *op) {
  NrBlock *body = nr_op_only_body(op);
  return body->first == body->last;
}

/* The range of a loop dim is the size of an operand that is indexed by the bare dim. Whether an operand other than `at`
 * gives the range of dim d, so that `at` can be dropped. */
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

/* Whether every loop dim of the consumer has a range after fusion: from an operand other than `at`, or from an input of
 * the producer. */
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

/* Whether no compound index expression of the producer, such as d0 * 2 + d1, folds to a bare dim of the consumer: the
 * size of that operand would then be taken for the range of the loop. */
static bool compound_indices_remain(NrOp *producer, NrOp *consumer, size_t at, const uint32_t *inverse) {
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

/* Writes why an op is not fused, unless why is NULL. Returns false. */
NR_PRINTF(2, 3) static bool refuse(NrBuf *why, const char *format, ...) {
  if (!why) return false;
  va_list args;
  va_start(args, format);
  why->size = 0;
  nr_buf_vprintf(why, format, args);
  va_end(args);
  return false;
}

static bool is_one_loop(const NrTarget *target, NrOp *producer, NrOp *consumer, NrBuf *why) {
  NrBlock *first = nr_op_only_body(producer), *second = nr_op_only_body(consumer);
  NrType type = nr_op_result(producer)->type;
  double between = nr_type_has_static_shape(type) ? nr_cost_operand_bytes(nr_op_result(producer)) : 0;
  if (nr_cost_is_one_loop(target, first, second, between)) return true;
  int64_t all;
  return refuse(why, "a core is faster with two loops than with one whose body is a chain of %lld and %lld operations",
                (long long)nr_cost_chain(first, &all), (long long)nr_cost_chain(second, &all));
}

/* Whether the producer can be fused into this consumer; its other users are not considered. */
static bool can_fuse_into(const NrTarget *target, NrOp *producer, NrOp *consumer, size_t operand, NrBuf *why) {
  uint32_t inverse[NR_MAX_RANK];
  size_t inputs = nr_linalg_num_inputs(producer);
  if (producer->block != consumer->block) return refuse(why, "they are in different blocks");
  if (producer->num_results != 1) return refuse(why, "it has %u results", producer->num_results);
  if (nr_linalg_num_reductions(producer)) return refuse(why, "it reduces");
  if (nr_value_has_uses(nr_block_arg(nr_op_only_body(producer), inputs)))
    return refuse(why, "it reads the old contents of its output");
  if (!invert_permutation(nr_linalg_map(producer, inputs), inverse))
    return refuse(why, "its result is not indexed by each of its loops once");
  if (consumer->num_operands + producer->num_operands > MAX_OPERANDS)
    return refuse(why, "the fused op would have more than %d operands", MAX_OPERANDS);
  if (!is_copy(producer) && !is_one_loop(target, producer, consumer, why)) return false;
  if (!ranges_follow(producer, consumer, operand, inverse) ||
      !compound_indices_remain(producer, consumer, operand, inverse))
    return refuse(why, "no operand would give the range of a loop");
  if (is_copy(producer) || reads_once(nr_linalg_map(consumer, operand))) return true;
  return refuse(why, "elements are read several times, and would be computed each time");
}

/* ---- several users ---- */

static double whole_bytes(NrOp *op, const NrValue *except) {
  double bytes = 0;
  for (uint32_t k = 0; k < op->num_operands; k++)
    if (nr_operand(op, k) != except) bytes += nr_cost_operand_bytes(nr_operand(op, k));
  return bytes;
}

/* Whether no operand is transposed: users that recompute the producer then read it in memory order. */
static bool keeps_order(NrOp *producer) {
  for (size_t k = 0; k < producer->num_operands; k++) {
    NrAttr map = nr_linalg_map(producer, k);
    for (uint32_t r = 0; r < map->num_exprs; r++) {
      bool in_order = r == 0 || map->exprs[r]->value > map->exprs[r - 1]->value;
      if (map->exprs[r]->kind != NR_AFFINE_DIM || !in_order) return false;
    }
  }
  return true;
}

/* The number of operands of the use's op that are the value; 0 for all but the first use by that op. */
static size_t reads_of_user(const NrUse *use) {
  size_t reads = 0;
  for (const NrUse *u = use->value->first_use; u != use; u = u->next)
    if (u->owner == use->owner) return 0;
  for (const NrUse *u = use; u; u = u->next) reads += u->owner == use->owner;
  return reads;
}

/* Whether recomputing the producer in each user takes clearly less time than storing its result and reading it in each.
 * Estimates are inexact, so a small gain is ignored. A user that reads the result twice is charged for one copy,
 * because CSE merges equal copies. */
static bool is_cheaper_in_users(const NrTarget *target, NrOp *producer, NrBuf *why) {
  static const double CLEARLY = 0.8;
  NrValue *result = nr_op_result(producer);
  bool known;
  NrCost own = nr_cost_of_structured(target, producer, &known);
  double stored = nr_cost_operand_bytes(result), own_bytes = whole_bytes(producer, NULL);
  double apart = nr_cost_ns(target, own, own_bytes), fused = 0;
  for (NrUse *use = result->first_use; use && known; use = use->next) {
    size_t reads = reads_of_user(use);
    if (!reads) continue;
    NrCost cost = nr_cost_of_structured(target, use->owner, &known);
    double rest = whole_bytes(use->owner, result);
    apart += nr_cost_ns(target, cost, rest + stored);
    NrCost both = {cost.cycles + own.cycles, cost.bytes + own.bytes - (double)(reads + 1) * stored};
    fused += nr_cost_ns(target, both, rest + own_bytes - stored);
  }
  if (!known) return refuse(why, "it has several users, and how long it takes is not known");
  return fused < CLEARLY * apart ||
         refuse(why, "its users take %.2f us when they compute it, and %.2f us when it is stored", fused / 1e3,
                apart / 1e3);
}

static bool may_fuse(const NrTarget *target, NrOp *producer, NrOp *consumer, size_t operand, NrBuf *why) {
  if (!can_fuse_into(target, producer, consumer, operand, why)) return false;
  NrValue *result = nr_op_result(producer);
  if (nr_value_has_one_use(result)) return true;
  size_t uses = 0;
  for (NrUse *use = result->first_use; use; use = use->next) {
    NrOp *user = use->owner;
    bool input = nr_linalg_is_structured(user) && nr_use_index(use) < nr_linalg_num_inputs(user);
    if (!input) return refuse(why, "another op needs all of it");
    if (++uses > MAX_USES) return refuse(why, "it has more than %d users", MAX_USES);
    if (!can_fuse_into(target, producer, user, nr_use_index(use), NULL))
      return refuse(why, "it cannot be fused into another of its users");
  }
  if (!keeps_order(producer)) return refuse(why, "it does not read its operands in the order of its loops");
  return is_cheaper_in_users(target, producer, why);
}

/* ---- reporting ---- */

static void explain(NrPassContext *pass, NrOp *producer, NrOp *consumer, const char *how, const char *why) {
  NrBuf text = {0};
  nr_buf_puts(&text, "fusion: ");
  nr_tiling_put_op(producer, &text);
  nr_buf_printf(&text, " %s the ", how);
  nr_tiling_put_op(consumer, &text);
  nr_buf_printf(&text, " that uses it: %s", why);
  nr_remark(pass->ctx, producer->loc, "%.*s", (int)text.size, text.data);
  nr_buf_deinit(&text);
}

/* Reports the producers that op is left with, and why. */
static void explain_rest(NrPassContext *pass, NrOp *op) {
  NrBuf why = {0};
  for (size_t k = 0; k < nr_linalg_num_inputs(op); k++) {
    NrOp *producer = nr_operand(op, k)->op;
    if (!producer || !nr_linalg_is_structured(producer)) continue;
    if (may_fuse(pass->target, producer, op, k, &why)) continue;
    explain(pass, producer, op, "is not fused into", why.data);
  }
  nr_buf_deinit(&why);
}

/* ---- fusing ---- */

/* Builds the value of an affine expression over the first `loops` loop indices, inside a body. */
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

/* Clones body's ops at b with its arguments mapped; linalg.index d becomes exprs[d]. Returns the value it yields. */
static NrValue *inline_body(NrBuilder *b, NrBlock *body, NrMap *map, const NrAffineExpr *exprs, uint32_t loops) {
  for (NrOp *op = body->first; op != body->last; op = op->next) {
    if (nr_op_is(op, NR_OP_linalg_index)) {
      nr_map_set(map, nr_op_result(op), emit_expr(b, exprs[nr_op_attr_int(op, NR_A_dim, 0)], loops));
      continue;
    }
    nr_builder_insert(b, nr_op_clone(b->module, op, map));
  }
  NrValue *result = nr_op_only_operand(body->last), *mapped = nr_map_get(map, result);
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
  /* The producer's loop dims as expressions over the consumer's loop dims. */
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
  char iterators[NR_MAX_RANK + 1];
  nr_linalg_iterators(consumer, iterators);
  NrOp *fused = nr_build_generic(&b, inputs, n, outputs, c_outputs, maps, iterators);

  NrBlock *from_p = nr_op_only_body(producer), *from_c = nr_op_only_body(consumer),
          *body = nr_linalg_generic_body(fused);
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
  if (!nr_value_has_uses(nr_op_result(producer))) nr_op_erase(producer);
  return fused;
}

/* ---- inputs whose elements are all equal ---- */

/* The scalar that all elements of value equal, built at b; NULL when they are not known to be equal. */
static NrValue *uniform_scalar(NrBuilder *b, NrValue *value) {
  if (value->op && nr_op_is(value->op, NR_OP_linalg_fill)) return nr_linalg_fill_value(value->op);
  NrAttr known = nr_value_constant(value);
  int64_t count;
  if (!known || known->kind != NR_ATTR_DENSE || !nr_type_num_elements(known->type, &count)) return NULL;
  if (count == 0 || !(known->splat || count == 1)) return NULL;
  return nr_op_result(nr_build_constant(b, nr_attr_element(known, 0), known->type->elem));
}

/* Rebuilds op without input `at`; scalar replaces its body argument. */
static NrOp *drop_input(NrOp *op, size_t at, NrValue *scalar) {
  NrBuilder b = nr_builder_before(op);
  size_t num_inputs = nr_linalg_num_inputs(op), num_outputs = nr_linalg_num_outputs(op), n = 0;
  NrValue *inputs[MAX_OPERANDS], *outputs[MAX_OPERANDS];
  NrAttr maps[MAX_OPERANDS];
  for (size_t k = 0; k < num_inputs; k++)
    if (k != at) inputs[n] = nr_operand(op, k), maps[n++] = nr_linalg_map(op, k);
  for (size_t i = 0; i < num_outputs; i++)
    outputs[i] = nr_operand(op, num_inputs + i), maps[n + i] = nr_linalg_map(op, num_inputs + i);
  char iterators[NR_MAX_RANK + 1];
  nr_linalg_iterators(op, iterators);
  NrOp *fresh = nr_build_generic(&b, inputs, n, outputs, num_outputs, maps, iterators);
  NrBlock *from = nr_op_only_body(op), *to = nr_linalg_generic_body(fresh);
  nr_value_replace_uses(from->args[at], scalar);
  for (size_t k = 0, i = 0; k < from->num_args; k++)
    if (k != at) nr_value_replace_uses(from->args[k], to->args[i++]);
  nr_block_splice(from, to, NULL);
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_result(fresh, i));
  nr_op_erase(op);
  return fresh;
}

/* ---- inputs whose shape has other dims of size 1 ---- */

/* The map by which `map`, of the result of a reshape that only adds or drops dims of size 1, reads the reshape's
 * source. NULL: it is another op. */
static NrAttr map_of_source(const NrOp *reshape, NrAttr map) {
  bool expands = nr_op_is(reshape, NR_OP_tensor_expand_shape);
  NrGroups groups;
  if (!(expands || nr_op_is(reshape, NR_OP_tensor_collapse_shape)) || !nr_groups_of(reshape, &groups)) return NULL;
  NrType wide = expands ? nr_op_result(reshape)->type : nr_tensor_collapse_shape_source(reshape)->type;
  NrAffineExpr exprs[NR_MAX_RANK], zero = nr_affine_constant(wide->ctx, 0);
  size_t count = 0;
  if (!nr_groups_join_ones(&groups, wide)) return NULL;
  for (size_t g = 0; g < groups.count; g++) {
    uint32_t begin = groups.begin[g], end = begin + groups.size[g], at = begin;
    for (uint32_t i = begin; i < end; i++)
      if (wide->dims[i] != 1) at = i;
    if (expands) exprs[count++] = map->exprs[at];
    else
      for (uint32_t i = begin; i < end; i++) exprs[count++] = i == at ? map->exprs[g] : zero;
  }
  return nr_attr_affine_map(wide->ctx, map->num_dims, 0, exprs, count);
}

/* Whether the loops that index only by the dims of size 1 of operand `at` have another operand that gives their range.
 */
static bool ranges_remain(NrOp *op, size_t at, NrAttr map) {
  for (uint32_t d = 0; d < nr_linalg_num_loops(op); d++) {
    bool found = range_survives(op, at, d);
    for (uint32_t r = 0; r < map->num_exprs && !found; r++)
      found = map->exprs[r]->kind == NR_AFFINE_DIM && map->exprs[r]->value == d;
    if (!found) return false;
  }
  return true;
}

/* Makes a linalg.generic read the source of a reshape that adds or drops dims of size 1. */
static bool read_through_reshape(NrOp *op, size_t at) {
  NrOp *reshape = nr_operand(op, at)->op;
  NrAttr map = reshape && nr_op_is(op, NR_OP_linalg_generic) ? map_of_source(reshape, nr_linalg_map(op, at)) : NULL;
  if (!map || !ranges_remain(op, at, map)) return false;
  NrAttr maps = nr_op_attr(op, NR_A_indexing_maps), *items = nr_calloc(maps->size, sizeof *items);
  for (size_t k = 0; k < maps->size; k++) items[k] = k == at ? map : maps->items[k];
  nr_op_set_attr(op, NR_A_indexing_maps, nr_attr_array(nr_op_context(op), items, maps->size));
  bool expands = nr_op_is(reshape, NR_OP_tensor_expand_shape);
  nr_op_set_operand(op, at,
                    expands ? nr_tensor_expand_shape_source(reshape) : nr_tensor_collapse_shape_source(reshape));
  nr_free(items);
  return true;
}

/* ---- the pass ---- */

/* Fuses one producer into op, or drops one uniform input; returns the op that replaces op, or NULL when neither
 * applies. */
static NrOp *step(NrPassContext *pass, NrOp *op) {
  size_t inputs = nr_linalg_num_inputs(op);
  for (size_t k = 0; k < inputs && op->num_operands <= MAX_OPERANDS; k++) {
    NrValue *value = nr_operand(op, k);
    NrOp *producer = value->op;
    if (!nr_type_is_tensor(value->type)) continue;
    if (ranges_survive(op, k)) {
      NrBuilder b = nr_builder_before(op);
      NrValue *scalar = uniform_scalar(&b, value);
      if (scalar) return drop_input(op, k, scalar);
    }
    if (read_through_reshape(op, k)) return op;
    if (!producer || !nr_linalg_is_structured(producer) || !may_fuse(pass->target, producer, op, k, NULL)) continue;
    bool only = nr_value_has_one_use(value);
    if (pass->explain)
      explain(pass, producer, op, "is fused into",
              only ? "its result is not stored" : "this is faster than storing it");
    return fuse(producer, op, k);
  }
  if (pass->explain) explain_rest(pass, op);
  return NULL;
}

static bool is_map_of_tensors(const NrOp *op) {
  return nr_linalg_is_structured(op) && op->num_results;
}

static NrStatus fuse_maps_run(NrPassContext *pass, NrOp *root) {
  NrOpList found = {0};
  nr_collect_post(root, is_map_of_tensors, &found);
  /* In program order, so that the producers of an op are fully fused before the op is visited. A fused producer is
   * erased, but it precedes its users in the list, so no erased op is visited. */
  for (size_t i = 0; i < found.size; i++)
    for (NrOp *op = found.data[i]; op;) op = step(pass, op);
  nr_vec_deinit(&found);
  nr_diag_flush(pass->ctx);
  return NR_OK;
}

NR_PASS(fuse_maps, .name = "fuse-maps", .on_while = NR_WHILE_BARRIER, .explains = "fusion", .run = fuse_maps_run,
        .doc = "fuses element-wise ops into their users; inputs whose elements are all equal become a scalar")
