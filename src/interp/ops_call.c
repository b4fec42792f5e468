/* ops_call.c - calls of the user's functions (NoriaImportFn, include/noria/exec_abi.h): flow.call, and the rt.call that
 * bufferization makes of it; and traces. */
#include "dialect/flow/flow.h"
#include "dialect/rt/rt.h"
#include "interp/ops.h"

static void describe(NrIValue v, NoriaDesc *out) {
  *out = (NoriaDesc){.rank = -1, .bits = v.bits};
  if (!v.view) return;
  out->data = v.view->buffer->data;
  if (nr_iview_count(v.view)) out->data = nr_iview_at(v.view, (const int64_t[NR_MAX_RANK]){0});
  out->rank = (int64_t)v.view->rank;
  out->bits = nr_rt_elements(v.view->elem);
  memcpy(out->dims, v.view->dims, v.view->rank * sizeof *out->dims);
}

/* Calls the function that op imports. Views are dense; the scalars among the results are set. */
static bool call(NrInterp *in, NrOp *op, NrStr name, const NrIValue *args, size_t num_args, NrIValue *results,
                 size_t num_results) {
  uintptr_t index = (uintptr_t)nr_map_get(&in->imports, op);
  if (!in->exec || !index) return nr_interp_fail(in, op, "calls a function of the user");
  NoriaDesc *descs = nr_calloc(num_args + num_results, sizeof *descs), *out = descs + num_args;
  for (size_t i = 0; i < num_args; i++) describe(args[i], &descs[i]);
  for (size_t i = 0; i < num_results; i++) describe(results[i], &out[i]);
  int32_t status = in->exec->imports[index - 1](in->exec, descs, out);
  for (size_t i = 0; i < num_results; i++)
    if (!results[i].view) results[i].bits = out[i].bits;
  nr_free(descs);
  if (!status) return true;
  uintptr_t site = (uintptr_t)nr_map_get(&in->sites, op);
  if (!site) return nr_interp_fail(in, op, NR_RT_STATUS_TEXT("%d"), NR_STR_ARG(name), (int)status);
  in->exec->api->fail(in->exec, (int32_t)site - 1, status, 0, 0, 0);
  in->failed = true; /* the runtime has the message */
  return false;
}

/* The value of a scalar result: the bits above its type are not the function's. */
static NrIValue scalar_of(NrType t, uint64_t bits) {
  return t->kind == NR_TYPE_INTEGER || t->kind == NR_TYPE_INDEX ? nr_ivalue_from_int(t, (int64_t)bits)
                                                                : (NrIValue){.bits = bits};
}

bool nr_run_user_call(NrInterp *in, NrOp *op) {
  NrStr name = nr_op_attr_str(op, NR_A_name);
  size_t num_args = nr_rt_num_arguments(op), num_results = nr_rt_num_function_results(op), memory = num_args;
  NrIValue *args = nr_calloc(num_args, sizeof *args), *results = nr_calloc(num_results, sizeof *results);
  NrIView **copies = nr_calloc(num_args, sizeof *copies);
  bool ok = true;
  for (size_t i = 0; i < num_args && ok; i++) {
    args[i] = nr_get(in, nr_operand(op, i));
    if (!args[i].view) continue;
    ok = nr_interp_alive(in, op, args[i].view);
    if (!ok || nr_iview_is_dense(args[i].view)) continue;
    args[i].view = copies[i] = nr_iview_dense_copy(in, args[i].view);
    ok = copies[i] != NULL;
  }
  for (size_t i = 0; i < num_results && ok; i++) {
    if (!nr_rt_is_given(op, i)) continue;
    results[i] = nr_get(in, nr_operand(op, memory++));
    ok = nr_interp_alive(in, op, results[i].view) && nr_interp_writable(in, op, results[i].view);
    if (ok && !nr_iview_is_dense(results[i].view)) ok = nr_interp_fail(in, op, "writes to a memref with gaps");
  }
  name = (NrStr){name.data + 1, name.size - 1};
  ok = ok && call(in, op, name, args, num_args, results, num_results);
  for (size_t i = 0, next = 0; i < num_results && ok; i++)
    if (!nr_rt_is_given(op, i)) {
      NrValue *result = nr_result(op, next++);
      nr_set(in, result, scalar_of(result->type, results[i].bits));
    }
  for (size_t i = 0; i < num_args; i++) nr_iview_release(copies[i]);
  nr_free(copies);
  nr_free(args);
  nr_free(results);
  return ok;
}

/* Views for a flow.call: dense arguments, and memory for the results. */
static bool prepare(NrInterp *in, NrOp *op, NrIValue *args, NrIValue *results) {
  NrFlowCallGroups groups = nr_flow_call_groups(op);
  size_t next_dim = groups.result_dims.begin;
  for (size_t i = 0; i < groups.arguments.count; i++) {
    args[i] = nr_get(in, nr_operand(op, groups.arguments.begin + i));
    if (args[i].view && !(args[i].view = nr_iview_dense_copy(in, args[i].view))) return false;
  }
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrType t = nr_result(op, i)->type;
    int64_t dims[NR_MAX_RANK], tied = nr_tied_operand(op, i);
    if (!nr_type_is_tensor(t)) continue;
    nr_interp_result_dims(in, op, i, &next_dim, dims);
    for (uint32_t d = 0; d < t->rank; d++)
      if (dims[d] < 0) return nr_interp_fail_size(in, op, t->elem, dims, t->rank);
    results[i].view = tied < 0 ? nr_iview_open(in, t->elem, dims, t->rank) : nr_iview_alias(args[tied].view);
    if (!results[i].view) return false;
  }
  return true;
}

/* Gives the tied results their own types. */
static bool retype(NrInterp *in, NrOp *op, NrIValue *results) {
  size_t next_dim = nr_flow_call_groups(op).result_dims.begin;
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrType t = nr_result(op, i)->type;
    int64_t dims[NR_MAX_RANK];
    if (!nr_type_is_tensor(t)) continue;
    nr_interp_result_dims(in, op, i, &next_dim, dims);
    if (!nr_flow_can_bitcast(results[i].view->elem, t->elem))
      return nr_interp_fail(in, op, "result #%u " NR_FLOW_BITCAST_TEXT, i);
    if (nr_tied_operand(op, i) >= 0 && !nr_interp_retype(results[i].view, t, dims))
      return nr_interp_fail(in, op, "result #%u does not have the size of the argument that it is tied to", i);
  }
  return true;
}

bool nr_run_flow_call(NrInterp *in, NrOp *op) {
  size_t num_args = nr_flow_call_groups(op).arguments.count;
  NrIValue *args = nr_calloc(num_args, sizeof *args), *results = nr_calloc(op->num_results, sizeof *results);
  bool ok = nr_flow_call_ties_match(op) || nr_interp_fail(in, op, NR_FLOW_TIES_TEXT);
  ok = ok && nr_interp_flow_dims(in, op) && prepare(in, op, args, results) &&
       call(in, op, nr_op_attr_str(op, NR_A_callee), args, num_args, results, op->num_results) &&
       retype(in, op, results);
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrType t = nr_result(op, i)->type;
    if (!ok) nr_iview_release(results[i].view);
    else nr_set(in, nr_result(op, i), results[i].view ? results[i] : scalar_of(t, results[i].bits));
  }
  for (size_t i = 0; i < num_args; i++) nr_iview_release(args[i].view);
  nr_free(args);
  nr_free(results);
  return ok;
}

/* Calls the runtime's "trace". */
bool nr_run_flow_trace(NrInterp *in, NrOp *op) {
  NrGroup values = nr_flow_tensor_trace_values(op);
  uintptr_t index = (uintptr_t)nr_map_get(&in->imports, op), site = (uintptr_t)nr_map_get(&in->sites, op);
  if (!in->exec || !index || !site) return nr_interp_fail(in, op, "traces in a run only");
  if (!nr_interp_flow_dims(in, op)) return false;
  if (!nr_flow_can_trace(op)) return nr_interp_fail(in, op, NR_FLOW_TRACE_TEXT);
  NoriaDesc *args = nr_calloc(values.count + 2, sizeof *args);
  NrIView **dense = nr_calloc(values.count, sizeof *dense);
  args[0] = (NoriaDesc){.rank = -1, .bits = (uint32_t)(site - 1)};
  args[1] = (NoriaDesc){.rank = -1, .bits = values.count};
  bool ok = true;
  for (size_t i = 0; i < values.count && ok; i++) {
    dense[i] = nr_iview_dense_copy(in, nr_get(in, nr_operand(op, values.begin + i)).view);
    ok = dense[i] != NULL;
    if (ok) describe((NrIValue){.view = dense[i]}, &args[2 + i]);
  }
  if (ok && in->exec->imports[index - 1](in->exec, args, NULL)) ok = nr_interp_fail_reported(in, op);
  for (size_t i = 0; i < values.count; i++) nr_iview_release(dense[i]);
  nr_free(dense);
  nr_free(args);
  return ok;
}
