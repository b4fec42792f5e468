/* ops_control.c - structured control flow, calls and constants. */
#include "dialect/cf/ops.h"
#include "dialect/func/ops.h"
#include "dialect/arith/fold.h"
#include "dialect/scf/scf.h"
#include "dialect/shared/shaped.h"
#include "dialect/tensor/ops.h"
#include "dialect/util/ops.h"
#include "interp/ops.h"

/* Reads a list of operands, each with its own reference. */
static void get_all(NrInterp *in, NrOp *op, size_t begin, size_t count, NrIValue *out) {
  for (size_t i = 0; i < count; i++) {
    out[i] = nr_get(in, nr_operand(op, begin + i));
    if (out[i].view) out[i].view->refs++;
  }
}

static void set_results(NrInterp *in, NrOp *op, const NrIValue *values) {
  for (uint32_t i = 0; i < op->num_results; i++) nr_set(in, nr_result(op, i), values[i]);
}

static void release(NrIValue *values, size_t count) {
  for (size_t i = 0; i < count; i++) nr_iview_release(values[i].view);
}

/* Keeps the bits and changes the types. */
bool nr_run_unrealized_cast(NrInterp *in, NrOp *op) {
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrType to = nr_result(op, i)->type;
    if (op->num_operands != op->num_results || !nr_types_alike(nr_operand(op, i)->type, to))
      return nr_interp_fail(in, op, "is defined only between types that differ in the signedness of integers");
    NrIValue v = nr_get(in, nr_operand(op, i));
    if (v.view) v.view = nr_iview_alias(v.view);
    if (v.view) v.view->elem = to->elem;
    if (v.attr) v = nr_ivalue_of_attr(in, nr_attr_int_wide(to, v.attr->words, v.attr->num_words));
    nr_set(in, nr_result(op, i), v);
  }
  return true;
}

bool nr_run_constant(NrInterp *in, NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  if (value->kind == NR_ATTR_SYMBOL) {
    nr_set(in, nr_op_result(op), (NrIValue){.func = nr_symbol_resolve(op, value)});
    return true;
  }
  if (value->kind == NR_ATTR_RESOURCE && !value->data)
    return nr_interp_fail(in, op, "the constant's data was elided from the text");
  NrIValue v = nr_ivalue_of_attr(in, value);
  if (nr_attr_is_elements(value) && !v.view)
    return nr_interp_fail_size(in, op, value->type->elem, value->type->dims, value->type->rank);
  if (nr_type_is_shaped(nr_op_result(op)->type) && !v.view)
    return nr_interp_fail(in, op, "has a constant that the interpreter does not support");
  nr_set(in, nr_op_result(op), v);
  return true;
}

/* A poison buffer is a freed one, so that its use fails. */
bool nr_run_poison(NrInterp *in, NrOp *op) {
  NrType type = nr_op_result(op)->type, elem = nr_type_elem(type);
  NrIValue v = {0};
  int64_t dims[NR_MAX_RANK] = {0};
  if (nr_type_is_shaped(type)) {
    for (uint32_t i = 0; i < type->rank; i++) dims[i] = type->dims[i] == NR_DYNAMIC ? 0 : type->dims[i];
    if (!(v.view = nr_iview_open(in, elem, dims, type->rank))) return false;
    v.view->buffer->freed = nr_type_is_memref(type);
  } else {
    NrAttr zero = nr_zero_attr(type);
    if (zero) v = nr_ivalue_of_attr(in, zero);
  }
  nr_set(in, nr_op_result(op), v);
  return true;
}

/* Bounds as unsigned 128-bit numbers; signed ones are biased by half the range, so that all compare as unsigned. */
typedef unsigned __int128 Bound;
enum { BOUND_BITS = 128 };
static const Bound half_range = (Bound)1 << (BOUND_BITS - 1);

static Bound bound(NrInterp *in, NrValue *value, bool is_unsigned) {
  NrIValue v = nr_get(in, value);
  uint32_t width = nr_type_bits(value->type);
  Bound bits = v.bits;
  if (v.attr) bits = v.attr->words[0] | (Bound)v.attr->words[1] << 64;
  bits <<= BOUND_BITS - width;
  return is_unsigned ? bits >> (BOUND_BITS - width) : (Bound)((__int128)bits >> (BOUND_BITS - width)) + half_range;
}

static NrIValue bound_value(NrInterp *in, NrType type, Bound bits) {
  if (nr_type_bits(type) <= 64) return nr_ivalue_from_int(type, (int64_t)bits);
  return nr_ivalue_of_attr(in, nr_attr_int_wide(type, (uint64_t[]){(uint64_t)bits, (uint64_t)(bits >> 64)}, 2));
}

bool nr_run_for(NrInterp *in, NrOp *op) {
  NrType type = nr_scf_for_lower_bound(op)->type;
  bool is_unsigned = nr_op_attr(op, NR_A_unsignedCmp) != NULL;
  if (nr_type_bits(type) > BOUND_BITS)
    return nr_interp_fail(in, op, "has bounds of more than %d bits, which the interpreter does not count", BOUND_BITS);
  Bound moved = is_unsigned ? 0 : half_range, ub = bound(in, nr_scf_for_upper_bound(op), is_unsigned);
  Bound step = bound(in, nr_scf_for_step(op), is_unsigned);
  if (step <= moved) return nr_interp_fail(in, op, "the step is %lld; it must be positive", (long long)(step - moved));
  step -= moved;
  size_t count = op->num_results;
  NrIValue *values = nr_calloc(count + 1, sizeof *values);
  get_all(in, op, NR_SCF_FOR_INIT_ARGS, count, values + 1);
  bool ok = true;
  for (Bound i = bound(in, nr_scf_for_lower_bound(op), is_unsigned); ok && i < ub; i += step) {
    values[0] = bound_value(in, type, i - moved);
    ok = nr_run_region(in, nr_scf_for_region(op), values, count + 1, values + 1, count);
    if (ub - i <= step) break; /* the next value may overflow */
  }
  if (ok) set_results(in, op, values + 1);
  nr_free(values);
  return ok;
}

bool nr_run_if(NrInterp *in, NrOp *op) {
  bool cond = nr_get(in, nr_scf_if_condition(op)).bits != 0;
  NrRegion *region = cond ? nr_scf_if_then_region(op) : nr_scf_if_else_region(op);
  if (!region || !region->first) return true;
  NrIValue *values = nr_calloc(op->num_results, sizeof *values);
  bool ok = nr_run_region(in, region, NULL, 0, values, op->num_results);
  if (ok) set_results(in, op, values);
  nr_free(values);
  return ok;
}

bool nr_run_while(NrInterp *in, NrOp *op) {
  NrBlock *after = nr_scf_while_after_body(op);
  size_t inits = op->num_operands, passed = after->num_args;
  NrIValue *values = nr_calloc(inits, sizeof *values), *forwarded = nr_calloc(passed + 1, sizeof *forwarded);
  get_all(in, op, NR_SCF_WHILE_INITS, inits, values);
  NrRegion *before = nr_scf_while_before_region(op);
  bool ok = true;
  while ((ok = nr_run_region(in, before, values, inits, forwarded, passed + 1)) && forwarded[0].bits)
    if (!(ok = nr_run_region(in, after->region, forwarded + 1, passed, values, inits))) break;
  if (ok) set_results(in, op, forwarded + 1);
  nr_free(values);
  nr_free(forwarded);
  return ok;
}

/* A break or continue makes nr_run_region fail up to its loop; in->exit and in->exit_values hold it in the meantime. */
bool nr_run_loop(NrInterp *in, NrOp *op) {
  size_t inits = op->num_operands;
  NrIValue *values = nr_calloc(inits + 1, sizeof *values); /* the first is the token, which has no value */
  get_all(in, op, NR_SCF_LOOP_INITS, inits, values + 1);
  bool breaks = false;
  while (!breaks) {
    nr_run_region(in, nr_scf_loop_region(op), values, inits + 1, NULL, 0);
    NrOp *exit = in->exit;
    if (!exit || nr_scf_exit_loop(exit) != op) break;
    breaks = nr_op_is(exit, NR_OP_scf_break);
    if (breaks) set_results(in, op, in->exit_values + 1);
    else memcpy(values, in->exit_values, (inits + 1) * sizeof *values);
    nr_free(in->exit_values);
    in->exit_values = NULL;
    in->exit = NULL;
  }
  nr_free(values);
  return breaks;
}

/* For a positive step. The distance of the bounds may exceed the signed range. */
static int64_t trips(int64_t lb, int64_t ub, int64_t step) {
  uint64_t last = ub > lb ? ((uint64_t)ub - (uint64_t)lb - 1) / (uint64_t)step : 0;
  return ub > lb ? (int64_t)NR_MIN(last, (uint64_t)INT64_MAX - 1) + 1 : 0;
}

/* Sets ivs to point number k in row-major order. */
static void parallel_point(NrInterp *in, NrOp *op, const int64_t *counts, size_t dims, int64_t k, NrIValue *ivs) {
  NrGroup lower = nr_scf_parallel_lower_bound(op), steps = nr_scf_parallel_step(op);
  for (size_t d = dims; d-- > 0; k /= counts[d]) {
    int64_t lb = nr_get_index(in, nr_operand(op, lower.begin + d));
    int64_t step = nr_get_index(in, nr_operand(op, steps.begin + d));
    ivs[d] = nr_ivalue_from_int(nr_scf_parallel_body(op)->args[d]->type, lb + k % counts[d] * step);
  }
}

/* Combines a point's terms with the running values by the terminator's regions. With noInit, the first point's terms
 * become the running values. */
static bool reduce_into(NrInterp *in, NrOp *op, const NrIValue *terms, size_t count, bool first, NrIValue *acc) {
  bool ok = true;
  if (first && nr_op_attr(op, NR_A_noInit)) {
    memcpy(acc, terms, count * sizeof *acc);
    return true;
  }
  for (size_t i = 0; i < count && ok; i++) {
    NrIValue pair[2] = {acc[i], terms[i]};
    ok = nr_run_region(in, nr_op_region(nr_scf_parallel_body(op)->last, i), pair, 2, &acc[i], 1);
  }
  return ok;
}

/* Runs the iterations in order and reduces each one's terms at once. A hostile run executes the bodies from the last
 * one, then reduces the terms in order: only the order of the bodies is unspecified. */
static bool run_points(NrInterp *in, NrOp *op, const int64_t *counts, size_t dims, NrIValue *acc, size_t inits) {
  int64_t total = 1, num_terms;
  bool ok = true;
  for (size_t d = 0; d < dims; d++)
    if (!nr_mul_i64(total, counts[d], &total)) return nr_interp_fail(in, op, "has too many iterations");
  if (!nr_mul_i64(in->hostile ? total : 1, (int64_t)inits, &num_terms))
    return nr_interp_fail(in, op, "has too many iterations");
  NrIValue *terms = nr_try_calloc((size_t)num_terms + 1, sizeof *terms);
  if (!terms) return nr_interp_fail(in, op, "there is no memory for the terms of %lld iterations", (long long)total);
  NrIValue *ivs = nr_calloc(dims + 1, sizeof *ivs);
  for (int64_t n = 0; n < total && ok; n++) {
    int64_t k = in->hostile ? total - 1 - n : n;
    NrIValue *out = in->hostile ? terms + (size_t)k * inits : terms;
    parallel_point(in, op, counts, dims, k, ivs);
    ok = nr_run_region(in, nr_scf_parallel_region(op), ivs, dims, out, inits);
    if (!in->hostile) ok = ok && reduce_into(in, op, out, inits, n == 0, acc);
  }
  for (int64_t k = 0; in->hostile && k < total && ok; k++)
    ok = reduce_into(in, op, terms + (size_t)k * inits, inits, k == 0, acc);
  nr_free(ivs);
  nr_free(terms);
  if (ok && total == 0 && nr_op_attr(op, NR_A_noInit)) return nr_interp_fail(in, op, "%s", nr_scf_no_value);
  return ok;
}

bool nr_run_parallel(NrInterp *in, NrOp *op) {
  NrGroup lower = nr_scf_parallel_lower_bound(op), upper = nr_scf_parallel_upper_bound(op);
  NrGroup steps = nr_scf_parallel_step(op), inits = nr_scf_parallel_init_vals(op);
  size_t dims = lower.count;
  int64_t counts[NR_MAX_RANK];
  if (dims > NR_MAX_RANK) return nr_interp_fail(in, op, "too many dims");
  for (size_t d = 0; d < dims; d++) {
    int64_t lb = nr_get_index(in, nr_operand(op, lower.begin + d));
    int64_t ub = nr_get_index(in, nr_operand(op, upper.begin + d));
    int64_t step = nr_get_index(in, nr_operand(op, steps.begin + d));
    if (step <= 0) return nr_interp_fail(in, op, "the step is %lld; it must be positive", (long long)step);
    counts[d] = trips(lb, ub, step);
  }
  size_t count = op->num_results;
  NrIValue *acc = nr_calloc(count, sizeof *acc);
  get_all(in, op, inits.begin, inits.count, acc);
  bool ok = run_points(in, op, counts, dims, acc, count);
  if (ok) set_results(in, op, acc);
  else release(acc, count);
  nr_free(acc);
  return ok;
}

/* Inserts the slices of a point's terminator into the shared outputs. */
static bool insert_parts(NrInterp *in, NrBlock *body, size_t rank, const NrIValue *outputs) {
  NrBlock *parts = nr_scf_forall_in_parallel_body(body->last);
  for (NrOp *part = parts ? parts->first : NULL; part; part = part->next) {
    if (!nr_op_is(part, NR_OP_tensor_parallel_insert_slice)) return nr_interp_fail(in, part, "inserts nothing");
    NrValue *into = nr_tensor_parallel_insert_slice_dest(part);
    size_t i = into->index - rank;
    if (into->block != body || into->index < rank) return nr_interp_fail(in, part, "inserts into no shared output");
    if (!nr_insert_part(in, part, nr_tensor_parallel_insert_slice_source(part), outputs[i].view)) return false;
  }
  return true;
}

/* Runs the points in order; each reads the outputs as they were before the loop. */
bool nr_run_forall(NrInterp *in, NrOp *op) {
  NrBlock *body = nr_scf_forall_body(op);
  NrGroup outputs = nr_scf_forall_outputs(op);
  size_t rank = nr_index_list_size(op, nr_scf_forall_slots[0].attr);
  if (rank > NR_MAX_RANK) return nr_interp_fail(in, op, "too many dims");
  int64_t bounds[3][NR_MAX_RANK], counts[NR_MAX_RANK], at[NR_MAX_RANK] = {0};
  bool ok = true, any = true;
  for (size_t d = 0; d < rank && ok; d++) {
    for (size_t k = 0; k < 3; k++) {
      NrIndex bound = nr_index_list_get(op, nr_scf_forall_slots[k], d);
      bounds[k][d] = bound.value ? nr_get_index(in, bound.value) : bound.constant;
    }
    int64_t lb = bounds[0][d], ub = bounds[1][d], step = bounds[2][d];
    if (step <= 0) ok = nr_interp_fail(in, op, "the step is %lld; it must be positive", (long long)step);
    else counts[d] = trips(lb, ub, step);
    any &= ok && counts[d] > 0;
  }
  NrIValue *results = nr_calloc(outputs.count + 1, sizeof *results);
  NrIValue *args = nr_calloc(rank + outputs.count + 1, sizeof *args);
  for (size_t i = 0; i < outputs.count && ok; i++) {
    results[i].view = nr_iview_dense_copy(in, nr_get(in, nr_operand(op, outputs.begin + i)).view);
    ok = results[i].view != NULL;
  }
  if (ok && any) do {
      for (size_t d = 0; d < rank; d++)
        args[d] = nr_ivalue_from_int(body->args[d]->type, bounds[0][d] + at[d] * bounds[2][d]);
      get_all(in, op, outputs.begin, outputs.count, args + rank);
      ok = nr_run_region(in, nr_scf_forall_region(op), args, rank + outputs.count, NULL, 0);
      ok = ok && insert_parts(in, body, rank, results);
    } while (ok && nr_next_index(counts, rank, at));
  if (ok) set_results(in, op, results);
  else release(results, outputs.count);
  nr_free(results);
  nr_free(args);
  return ok;
}

static bool call(NrInterp *in, NrOp *op, NrOp *func, NrGroup given) {
  NrIValue *args = nr_calloc(given.count, sizeof *args), *results = nr_calloc(op->num_results, sizeof *results);
  get_all(in, op, given.begin, given.count, args);
  bool ok = func ? nr_run_func(in, func, args, given.count, results, op->num_results)
                 : nr_interp_fail(in, op, "calls a function that does not exist");
  if (ok) set_results(in, op, results);
  nr_free(args);
  nr_free(results);
  return ok;
}

bool nr_run_call(NrInterp *in, NrOp *op) {
  return call(in, op, nr_symbol_resolve(op, nr_op_attr(op, NR_A_callee)), nr_func_call_operands(op));
}

bool nr_run_util_call(NrInterp *in, NrOp *op) {
  return call(in, op, nr_symbol_resolve(op, nr_op_attr(op, NR_A_callee)), nr_util_call_operands(op));
}

bool nr_run_call_indirect(NrInterp *in, NrOp *op) {
  NrOp *func = nr_get(in, nr_func_call_indirect_callee(op)).func;
  return call(in, op, func, nr_func_call_indirect_callee_operands(op));
}

bool nr_run_assert(NrInterp *in, NrOp *op) {
  if (nr_get(in, nr_cf_assert_arg(op)).bits) return true;
  NrStr text = nr_op_attr_str(op, NR_A_msg);
  return nr_interp_fail(in, op, "%.*s", NR_STR_ARG(text));
}
