/* ops_control.c - structured control flow, calls and constants. */
#include "interp/ops.h"

/* Values of a list of operands, each with its own reference. */
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

bool nr_run_constant(NrInterp *in, NrOp *op) {
  NrAttr value = nr_op_attr(op, "value");
  if (value->kind == NR_ATTR_SYMBOL) {
    nr_set(in, nr_result(op, 0), (NrIValue){.func = nr_symbol_resolve(op, value)});
    return true;
  }
  if (value->kind == NR_ATTR_DENSE_STRINGS) return nr_interp_fail(in, op, "string constants are the runtime's");
  if (value->kind == NR_ATTR_RESOURCE && !value->data)
    return nr_interp_fail(in, op, "the constant's data was left out of the text");
  nr_set(in, nr_result(op, 0), nr_ivalue_of_attr(in, value));
  return true;
}

/* Bounds as 128-bit numbers, in which no step passes the end. */
static __int128 bound(NrInterp *in, NrOp *op, size_t operand, bool is_unsigned) {
  NrValue *value = nr_operand(op, operand);
  return is_unsigned ? (__int128)nr_get(in, value).bits : (__int128)nr_get_index(in, value);
}

bool nr_run_for(NrInterp *in, NrOp *op) {
  NrType type = nr_operand(op, 0)->type;
  bool is_unsigned = nr_op_attr(op, "unsignedCmp") != NULL;
  __int128 lb = bound(in, op, 0, is_unsigned), ub = bound(in, op, 1, is_unsigned);
  __int128 step = bound(in, op, 2, is_unsigned);
  if (step <= 0) return nr_interp_fail(in, op, "the step is %lld; it must be positive", (long long)step);
  size_t count = op->num_results;
  NrIValue *values = nr_calloc(count + 1, sizeof *values);
  get_all(in, op, 3, count, values + 1);
  bool ok = true;
  for (__int128 i = lb; ok && i < ub; i += step) {
    values[0] = nr_ivalue_from_int(type, (int64_t)i);
    ok = nr_run_region(in, nr_op_region(op, 0), values, count + 1, values + 1, count);
  }
  if (ok) set_results(in, op, values + 1);
  nr_free(values);
  return ok;
}

bool nr_run_if(NrInterp *in, NrOp *op) {
  bool cond = nr_get(in, nr_operand(op, 0)).bits != 0;
  NrRegion *region = nr_op_region(op, cond ? 0 : 1);
  if (!region || !region->first) return true;
  NrIValue *values = nr_calloc(op->num_results, sizeof *values);
  bool ok = nr_run_region(in, region, NULL, 0, values, op->num_results);
  if (ok) set_results(in, op, values);
  nr_free(values);
  return ok;
}

bool nr_run_while(NrInterp *in, NrOp *op) {
  NrBlock *after = nr_op_body(op, 1);
  size_t inits = op->num_operands, passed = after->num_args;
  NrIValue *values = nr_calloc(inits, sizeof *values), *forwarded = nr_calloc(passed + 1, sizeof *forwarded);
  get_all(in, op, 0, inits, values);
  bool ok = true;
  while ((ok = nr_run_region(in, nr_op_region(op, 0), values, inits, forwarded, passed + 1)) && forwarded[0].bits)
    if (!(ok = nr_run_region(in, nr_op_region(op, 1), forwarded + 1, passed, values, inits))) break;
  if (ok) set_results(in, op, forwarded + 1);
  nr_free(values);
  nr_free(forwarded);
  return ok;
}

bool nr_run_execute_region(NrInterp *in, NrOp *op) {
  NrIValue *values = nr_calloc(op->num_results, sizeof *values);
  bool ok = nr_run_region(in, nr_op_region(op, 0), NULL, 0, values, op->num_results);
  if (ok) set_results(in, op, values);
  nr_free(values);
  return ok;
}

bool nr_run_index_switch(NrInterp *in, NrOp *op) {
  int64_t flag = nr_get_index(in, nr_operand(op, 0));
  NrAttr cases = nr_op_attr(op, "cases");
  const int64_t *values = cases->data;
  size_t region = 0;
  for (size_t i = 0; i < cases->data_size / sizeof *values; i++)
    if (values[i] == flag) {
      region = i + 1;
      break;
    }
  NrIValue *results = nr_calloc(op->num_results, sizeof *results);
  bool ok = nr_run_region(in, nr_op_region(op, region), NULL, 0, results, op->num_results);
  if (ok) set_results(in, op, results);
  nr_free(results);
  return ok;
}

/* The iterations one after another; the reductions of the terminator run in its regions on the running values. */
bool nr_run_parallel(NrInterp *in, NrOp *op) {
  size_t begin[4], dims, unused, inits;
  nr_op_operand_group(op, 0, &begin[0], &dims);
  nr_op_operand_group(op, 1, &begin[1], &unused);
  nr_op_operand_group(op, 2, &begin[2], &unused);
  nr_op_operand_group(op, 3, &begin[3], &inits);
  NrBlock *body = nr_op_body(op, 0);
  NrIValue *acc = nr_calloc(inits, sizeof *acc), *ivs = nr_calloc(dims, sizeof *ivs);
  int64_t counts[NR_MAX_RANK], at[NR_MAX_RANK] = {0};
  bool ok = dims <= NR_MAX_RANK || nr_interp_fail(in, op, "too many dims"), any = true;
  get_all(in, op, begin[3], inits, acc);
  for (size_t d = 0; d < dims && ok; d++) {
    int64_t lb = nr_get_index(in, nr_operand(op, begin[0] + d)), ub = nr_get_index(in, nr_operand(op, begin[1] + d));
    int64_t step = nr_get_index(in, nr_operand(op, begin[2] + d));
    if (step <= 0) ok = nr_interp_fail(in, op, "the step is %lld; it must be positive", (long long)step);
    else counts[d] = ub > lb ? (ub - lb + step - 1) / step : 0;
    any &= ok && counts[d] > 0;
  }
  if (ok && any) do {
      for (size_t d = 0; d < dims; d++)
        ivs[d] = nr_ivalue_from_int(body->args[d]->type, nr_get_index(in, nr_operand(op, begin[0] + d)) +
                                                             at[d] * nr_get_index(in, nr_operand(op, begin[2] + d)));
      NrIValue *terms = nr_calloc(inits, sizeof *terms);
      ok = nr_run_region(in, nr_op_region(op, 0), ivs, dims, terms, inits);
      for (size_t i = 0; i < inits && ok; i++) {
        NrIValue pair[2] = {acc[i], terms[i]};
        ok = nr_run_region(in, nr_op_region(body->last, i), pair, 2, &acc[i], 1);
      }
      nr_free(terms);
    } while (ok && nr_next_index(counts, dims, at));
  if (ok) set_results(in, op, acc);
  else release(acc, inits);
  nr_free(acc);
  nr_free(ivs);
  return ok;
}

static bool call(NrInterp *in, NrOp *op, NrOp *func, size_t first) {
  size_t n = op->num_operands - first;
  NrIValue *args = nr_calloc(n, sizeof *args), *results = nr_calloc(op->num_results, sizeof *results);
  get_all(in, op, first, n, args);
  bool ok = func ? nr_run_func(in, func, args, n, results, op->num_results)
                 : nr_interp_fail(in, op, "calls a function that does not exist");
  if (ok) set_results(in, op, results);
  nr_free(args);
  nr_free(results);
  return ok;
}

bool nr_run_call(NrInterp *in, NrOp *op) { return call(in, op, nr_symbol_resolve(op, nr_op_attr(op, "callee")), 0); }
bool nr_run_call_indirect(NrInterp *in, NrOp *op) { return call(in, op, nr_get(in, nr_operand(op, 0)).func, 1); }

bool nr_run_assert(NrInterp *in, NrOp *op) {
  if (nr_get(in, nr_operand(op, 0)).bits) return true;
  NrStr text = nr_op_attr_str(op, "msg");
  return nr_interp_fail(in, op, "%.*s", NR_STR_ARG(text));
}
