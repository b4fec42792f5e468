/* canonicalize_parallel.c - rewrites of scf.parallel: removes loops over no points or one, dims with one point, and
 * unused results, and merges nested loops.
 *
 *   before  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c1) step (%c1, %c1) { f(%i, %j) }
 *   after   scf.parallel (%i) = (%c0) to (%n) step (%c1) { f(%i, %c0) }
 */
#include "dialect/scf/canonicalize.h"

static NrValue *bound(const NrOp *op, size_t group, uint32_t dim) {
  return nr_operand(op, group * nr_scf_parallel_body(op)->num_args + dim);
}

static NrValue *init(const NrOp *op, uint32_t i) { return nr_operand(op, 3 * nr_scf_parallel_body(op)->num_args + i); }

/* The number of points along a dim; false if it is not constant. */
static bool points(const NrOp *op, uint32_t dim, uint64_t *out) {
  int64_t lower, upper, step;
  *out = 0;
  if (bound(op, 0, dim) == bound(op, 1, dim)) return true;
  if (!nr_value_constant_int(bound(op, 0, dim), &lower) || !nr_value_constant_int(bound(op, 1, dim), &upper))
    return false;
  if (lower >= upper) return true;
  return nr_value_constant_int(bound(op, 2, dim), &step) && nr_scf_trip_count(lower, upper, step, false, out);
}

static bool replace_by_inits(NrOp *op) {
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), init(op, i));
  nr_op_erase(op);
  return true;
}

/* Replaces a loop over one point by its body, followed by the reductions of its values with the initial values. */
static bool inline_only_point(NrOp *op) {
  NrBlock *body = nr_scf_parallel_body(op);
  NrOp *reduce = body->last;
  NR_VEC(NrValue *) inits = {0};
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&inits, init(op, i));
  NR_VEC(NrValue *) ivs = {0};
  for (uint32_t d = 0; d < body->num_args; d++) nr_vec_push(&ivs, bound(op, 0, d));
  nr_scf_inline_before(op, body, ivs.data);
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrBlock *block = nr_op_body(reduce, i);
    nr_scf_inline_before(op, block, (NrValue *[]){inits.data[i], nr_operand(reduce, i)});
    nr_value_replace_uses(nr_result(op, i), nr_scf_reduce_return_result(block->last));
  }
  nr_op_erase(op);
  nr_vec_deinit(&inits);
  nr_vec_deinit(&ivs);
  return true;
}

/* Rebuilds the scf.reduce without the reductions i with drop[i]. */
static void drop_reductions(NrOp *reduce, const bool *drop) {
  NR_VEC(NrValue *) values = {0};
  for (uint32_t i = 0; i < reduce->num_operands; i++)
    if (!drop[i]) nr_vec_push(&values, nr_operand(reduce, i));
  NrBuilder b = nr_builder_before(reduce);
  NrOp *fewer = nr_scf_reduce(&b, values.data, values.size);
  for (uint32_t i = 0, k = 0; i < reduce->num_regions; i++)
    if (!drop[i]) nr_region_take(nr_op_region(fewer, k++), nr_op_region(reduce, i));
  nr_op_erase(reduce);
  nr_vec_deinit(&values);
}

/* Rebuilds the loop without some dims and results. The dropped dims' induction variables and the dropped results have
 * no uses. */
static void rebuild(NrOp *op, const bool *keep_dim, const bool *drop_result, NrBuilder *b) {
  NrBlock *body = nr_scf_parallel_body(op);
  NR_VEC(NrValue *) bounds[3] = {{0}};
  NR_VEC(NrValue *) inits = {0};
  for (size_t group = 0; group < 3; group++)
    for (uint32_t d = 0; d < body->num_args; d++)
      if (keep_dim[d]) nr_vec_push(&bounds[group], bound(op, group, d));
  for (uint32_t i = 0; i < op->num_results; i++)
    if (!drop_result[i]) nr_vec_push(&inits, init(op, i));
  NrOp *loop = nr_scf_parallel(b, bounds[0].data, bounds[1].data, bounds[2].data, bounds[0].size, inits.data,
                               inits.size);
  for (uint32_t i = 0; i < op->num_attrs; i++)
    if (!nr_str_is(op->attrs[i].name, "operandSegmentSizes"))
      nr_op_set_attr_named(loop, op->attrs[i].name.data, op->attrs[i].value);
  nr_block_erase(nr_scf_parallel_body(loop));
  drop_reductions(body->last, drop_result);
  for (uint32_t d = body->num_args; d-- > 0;)
    if (!keep_dim[d]) nr_block_erase_arg(body, d);
  nr_region_take(nr_scf_parallel_region(loop), nr_scf_parallel_region(op));
  nr_scf_replace_kept(op, loop, drop_result);
  for (size_t group = 0; group < 3; group++) nr_vec_deinit(&bounds[group]);
  nr_vec_deinit(&inits);
}

/* Merges a loop with the loop that is the only op of its body. */
static bool join_nested(NrOp *op, NrBuilder *b) {
  NrBlock *body = nr_scf_parallel_body(op);
  NrOp *inner = body->first;
  if (!nr_op_is(inner, NR_OP_scf_parallel) || inner->next != body->last || op->num_results || inner->num_results)
    return false;
  if (nr_op_attr(op, NR_A_mapping) || nr_op_attr(inner, NR_A_mapping)) return false;
  NrAttr hints = nr_op_attr(op, NR_A_noria_loop);
  if (hints != nr_op_attr(inner, NR_A_noria_loop)) return false;
  for (uint32_t i = 0; i < inner->num_operands; i++)
    if (nr_scf_defined_in(nr_operand(inner, i), nr_scf_parallel_region(op))) return false;
  NrBlock *inside = nr_scf_parallel_body(inner);
  uint32_t outer_rank = body->num_args, rank = outer_rank + inside->num_args;
  if (rank > NR_MAX_RANK) return false;
  NrValue *bounds[3][NR_MAX_RANK];
  for (size_t group = 0; group < 3; group++)
    for (uint32_t d = 0; d < rank; d++)
      bounds[group][d] = d < outer_rank ? bound(op, group, d) : bound(inner, group, d - outer_rank);
  NrOp *both = nr_scf_parallel(b, bounds[0], bounds[1], bounds[2], rank, NULL, 0);
  if (hints) nr_op_set_attr(both, NR_A_noria_loop, hints);
  NrBlock *to = nr_scf_parallel_body(both);
  for (uint32_t d = 0; d < rank; d++) {
    NrValue *old = d < outer_rank ? body->args[d] : inside->args[d - outer_rank];
    to->args[d]->name = old->name;
    nr_value_replace_uses(old, to->args[d]);
  }
  nr_block_splice(inside, to, NULL);
  nr_op_erase(op);
  return true;
}

bool nr_scf_parallel_canonicalize(NrOp *op, NrBuilder *b) {
  if (nr_op_attr(op, NR_A_noInit)) return false; /* it fails in a run without points, so it must stay */
  if (join_nested(op, b)) return true;
  NrBlock *body = nr_scf_parallel_body(op);
  uint32_t rank = body->num_args, single = 0, unused = 0;
  bool plain = !nr_op_attr(op, NR_A_mapping); /* the mapping has an entry per dim */
  bool *keep_dim = nr_calloc(rank + 1, sizeof *keep_dim), *drop_result = nr_calloc(op->num_results + 1, sizeof(bool));
  bool no_points = false, changed = false;
  for (uint32_t d = 0; d < rank; d++) {
    uint64_t count;
    bool known = points(op, d, &count);
    no_points |= known && count == 0;
    keep_dim[d] = !known || count != 1 || !plain;
    single += !keep_dim[d];
  }
  for (uint32_t i = 0; i < op->num_results; i++) {
    drop_result[i] = !nr_value_has_uses(nr_result(op, i));
    unused += drop_result[i];
  }
  if (no_points) {
    changed = replace_by_inits(op);
  } else if (single == rank) {
    changed = inline_only_point(op);
  } else if (single || unused) {
    for (uint32_t d = 0; d < rank; d++)
      if (!keep_dim[d]) nr_value_replace_uses(body->args[d], bound(op, 0, d));
    rebuild(op, keep_dim, drop_result, b);
    changed = true;
  }
  nr_free(keep_dim);
  nr_free(drop_result);
  return changed;
}
