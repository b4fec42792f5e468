/* ops_affine.c - affine ops: maps for bounds, conditions and subscripts. */
#include "dialect/affine/affine.h"
#include "dialect/operands.h"
#include "interp/ops.h"

/* The values of a map's operands, dims first; freed by the caller. */
static int64_t *inputs(NrInterp *in, NrOp *op, size_t first, size_t count) {
  int64_t *values = nr_calloc(count + 1, sizeof *values);
  for (size_t i = 0; i < count; i++) values[i] = nr_get_index(in, nr_operand(op, first + i));
  return values;
}

/* Finds the first divisor that is not positive, from inner to outer, left to right. */
static bool find_divisor(NrAffineExpr e, const int64_t *dims, const int64_t *symbols, int64_t *out) {
  if (!e->lhs) return false;
  if (find_divisor(e->lhs, dims, symbols, out) || find_divisor(e->rhs, dims, symbols, out)) return true;
  bool divides = e->kind != NR_AFFINE_ADD && e->kind != NR_AFFINE_MUL;
  return divides && nr_affine_eval(e->rhs, dims, symbols, out) && *out <= 0;
}

static bool eval(NrInterp *in, NrOp *op, NrAffineExpr e, const int64_t *values, uint32_t num_dims, int64_t *out) {
  int64_t divisor;
  if (nr_affine_eval(e, values, values + num_dims, out)) return true;
  if (find_divisor(e, values, values + num_dims, &divisor))
    return nr_interp_fail(in, op, "the divisor is %lld; it must be positive", (long long)divisor);
  return nr_interp_fail(in, op, "an affine expression has no value: it overflows");
}

/* The smallest or greatest of `count` results of a map. */
static bool extreme(NrInterp *in, NrOp *op, NrAttr map, const int64_t *values, uint32_t begin, uint32_t count,
                    bool greatest, int64_t *out) {
  for (uint32_t i = 0; i < count; i++) {
    int64_t value;
    if (!eval(in, op, map->exprs[begin + i], values, map->num_dims, &value)) return false;
    if (i == 0 || (greatest ? value > *out : value < *out)) *out = value;
  }
  return true;
}

bool nr_interp_mapped_indices(NrInterp *in, NrOp *op, size_t first, NrAttr map, size_t rank, int64_t *out) {
  if (!map) {
    for (size_t i = 0; i < rank; i++) out[i] = nr_get_index(in, nr_operand(op, first + i));
    return true;
  }
  int64_t *values = inputs(in, op, first, nr_affine_num_inputs(map));
  bool ok = true;
  for (size_t i = 0; i < rank && ok; i++) ok = eval(in, op, map->exprs[i], values, map->num_dims, &out[i]);
  nr_free(values);
  return ok;
}

bool nr_interp_indices(NrInterp *in, NrOp *op, size_t rank, int64_t *out) {
  bool mapped = nr_affine_map_operands(op) > 0;
  return nr_interp_mapped_indices(in, op, nr_op_indices(op).begin, mapped ? nr_op_attr(op, NR_A_map) : NULL, rank, out);
}

static void set_index(NrInterp *in, NrValue *result, int64_t value) {
  nr_set(in, result, nr_ivalue_from_int(result->type, value));
}

bool nr_run_affine_extreme(NrInterp *in, NrOp *op) {
  NrAttr map = nr_op_attr(op, NR_A_map);
  int64_t *values = inputs(in, op, 0, op->num_operands), value = 0;
  bool ok = extreme(in, op, map, values, 0, map->num_exprs, nr_op_is(op, NR_OP_affine_max), &value);
  if (ok) set_index(in, nr_op_result(op), value);
  nr_free(values);
  return ok;
}

bool nr_run_affine_apply(NrInterp *in, NrOp *op) { return nr_run_affine_extreme(in, op); }

bool nr_run_affine_indices(NrInterp *in, NrOp *op) {
  int64_t *values = inputs(in, op, 0, op->num_operands), value;
  bool ok = true;
  for (uint32_t i = 0; i < op->num_results && ok; i++) {
    uint32_t num_dims;
    NrAffineExpr e = nr_affine_index_expr(op, i, &num_dims);
    ok = eval(in, op, e, values, num_dims, &value);
    if (ok) set_index(in, nr_result(op, i), value);
  }
  nr_free(values);
  return ok;
}

/* ---- control ----------------------------------------------------------------------------------------------------- */

static bool bound(NrInterp *in, NrOp *op, bool upper, int64_t *out) {
  NrAttr map = nr_affine_bound_map(op, upper);
  int64_t *values = inputs(in, op, nr_affine_for_begin(op, upper), nr_affine_num_inputs(map));
  bool ok = extreme(in, op, map, values, 0, map->num_exprs, !upper, out);
  nr_free(values);
  return ok;
}

static NrIValue owned(NrInterp *in, NrValue *value) {
  NrIValue v = nr_get(in, value);
  if (v.view) v.view->refs++;
  return v;
}

static void set_results(NrInterp *in, NrOp *op, const NrIValue *values) {
  for (uint32_t i = 0; i < op->num_results; i++) nr_set(in, nr_result(op, i), values[i]);
}

bool nr_run_affine_for(NrInterp *in, NrOp *op) {
  int64_t lower, upper, step = nr_op_attr_int(op, NR_A_step, 1);
  if (!bound(in, op, false, &lower) || !bound(in, op, true, &upper)) return false;
  size_t count = op->num_results, inits = nr_affine_for_begin(op, 2);
  NrIValue *values = nr_calloc(count + 1, sizeof *values);
  bool ok = true;
  for (size_t i = 0; i < count; i++) values[1 + i] = owned(in, nr_operand(op, inits + i));
  for (int64_t i = lower; ok && i < upper;) {
    values[0] = nr_ivalue_from_int(nr_block_arg(nr_affine_for_body(op), 0)->type, i);
    ok = nr_run_region(in, nr_affine_for_region(op), values, count + 1, values + 1, count);
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  if (ok) set_results(in, op, values + 1);
  nr_free(values);
  return ok;
}

bool nr_run_affine_if(NrInterp *in, NrOp *op) {
  NrAttr set = nr_op_attr(op, NR_A_condition);
  int64_t *values = inputs(in, op, 0, op->num_operands), value;
  bool ok = true, holds = true;
  for (uint32_t i = 0; i < set->num_exprs && ok; i++) {
    ok = eval(in, op, set->exprs[i], values, set->num_dims, &value);
    holds = holds && ok && (set->is_equality[i] ? value == 0 : value >= 0);
  }
  nr_free(values);
  NrRegion *region = holds ? nr_affine_if_then_region(op) : nr_affine_if_else_region(op);
  if (!ok || !region->first) return ok;
  NrIValue *results = nr_calloc(op->num_results, sizeof *results);
  ok = nr_run_region(in, region, NULL, 0, results, op->num_results);
  if (ok) set_results(in, op, results);
  nr_free(results);
  return ok;
}

/* ---- parallel ---------------------------------------------------------------------------------------------------- */

/* The first point and the number of points of each dim. */
static bool parallel_box(NrInterp *in, NrOp *op, int64_t *first, int64_t *counts) {
  NrAttr maps[] = {nr_op_attr(op, NR_A_lowerBoundsMap), nr_op_attr(op, NR_A_upperBoundsMap)};
  uint32_t rank = nr_affine_parallel_body(op)->num_args;
  if (rank > NR_MAX_RANK) return nr_interp_fail(in, op, "too many dims");
  int64_t *values[] = {inputs(in, op, 0, nr_affine_num_inputs(maps[0])),
                       inputs(in, op, nr_affine_num_inputs(maps[0]), nr_affine_num_inputs(maps[1]))};
  bool ok = true;
  for (uint32_t d = 0; d < rank && ok; d++) {
    int64_t limits[2] = {0, 0};
    uint64_t step = (uint64_t)nr_affine_parallel_step(op, d);
    for (int upper = 0; upper < 2 && ok; upper++) {
      uint32_t begin, count;
      nr_affine_parallel_group(op, upper, d, &begin, &count);
      ok = extreme(in, op, maps[upper], values[upper], begin, count, !upper, &limits[upper]);
    }
    first[d] = limits[0];
    uint64_t distance = (uint64_t)limits[1] - (uint64_t)limits[0];
    counts[d] = limits[1] > limits[0] ? (int64_t)((distance - 1) / step + 1) : 0;
  }
  nr_free(values[0]);
  nr_free(values[1]);
  return ok;
}

static int64_t reduction_kind(const NrOp *op, uint32_t i) { return nr_op_attr(op, NR_A_reductions)->items[i]->i; }

/* Combines running value i with a point's value. */
static bool combine(NrInterp *in, NrOp *op, uint32_t i, NrIValue *acc, NrIValue value) {
  return nr_interp_combine(reduction_kind(op, i), nr_result(op, i)->type, *acc, value, acc) ||
         nr_interp_fail(in, op, "the interpreter cannot compute it");
}

/* The point is below the upper bound, but its distance from the lower one may not fit. */
static int64_t point(int64_t first, int64_t at, int64_t step) {
  return (int64_t)((uint64_t)first + (uint64_t)at * (uint64_t)step);
}

bool nr_run_affine_parallel(NrInterp *in, NrOp *op) {
  NrBlock *body = nr_affine_parallel_body(op);
  uint32_t rank = body->num_args, count = op->num_results;
  int64_t first[NR_MAX_RANK], counts[NR_MAX_RANK], at[NR_MAX_RANK] = {0};
  if (!parallel_box(in, op, first, counts)) return false;
  NrIValue *acc = nr_calloc(count, sizeof *acc), *values = nr_calloc(count, sizeof *values), ivs[NR_MAX_RANK];
  bool ok = true, any = true;
  for (uint32_t i = 0; i < count; i++)
    acc[i] = nr_ivalue_of_attr(in, nr_combine_neutral(nr_combine_of_atomic(reduction_kind(op, i)),
                                                      nr_result(op, i)->type));
  for (uint32_t d = 0; d < rank; d++) any &= counts[d] > 0;
  if (any) do {
      for (uint32_t d = 0; d < rank; d++)
        ivs[d] = nr_ivalue_from_int(body->args[d]->type, point(first[d], at[d], nr_affine_parallel_step(op, d)));
      ok = nr_run_region(in, nr_affine_parallel_region(op), ivs, rank, values, count);
      for (uint32_t i = 0; i < count && ok; i++) ok = combine(in, op, i, &acc[i], values[i]);
    } while (ok && nr_next_index(counts, rank, at));
  if (ok) set_results(in, op, acc);
  nr_free(acc);
  nr_free(values);
  return ok;
}
