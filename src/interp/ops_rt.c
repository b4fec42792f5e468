/* ops_rt.c - calls of the runtime. They fail without a message where there is none (while folding constants). */
#include "dialect/rt/rt.h"
#include "interp/ops.h"

#include <math.h>

bool nr_run_check(NrInterp *in, NrOp *op) {
  if (nr_get(in, nr_rt_check_cond(op)).bits) return true;
  int64_t values[4] = {0};
  for (uint32_t i = 1; i < op->num_operands && i <= 4; i++) {
    NrType t = nr_operand(op, i)->type;
    NrIValue v = nr_get(in, nr_operand(op, i));
    values[i - 1] = nr_type_is_float(t) ? (int64_t)nr_ivalue_float(t, v) : nr_ivalue_int(t, v);
  }
  uintptr_t site = (uintptr_t)nr_map_get(&in->sites, op);
  if (in->exec && site) {
    in->exec->api->fail(in->exec, (int32_t)site - 1, values[0], values[1], values[2], values[3]);
    in->failed = true; /* the runtime has the message */
    return false;
  }
  NrStr text = nr_op_attr_str(op, NR_A_text);
  return nr_interp_fail(in, op, "%.*s", NR_STR_ARG(text));
}

bool nr_run_poll(NrInterp *in, NrOp *op) {
  if (!in->exec || !in->exec->api->poll(in->exec, nr_get_index(in, nr_rt_poll_iterations(op)))) return true;
  uintptr_t site = (uintptr_t)nr_map_get(&in->sites, op);
  if (site) in->exec->api->fail(in->exec, (int32_t)site - 1, 0, 0, 0, 0);
  in->failed = true;
  return false;
}

bool nr_run_threads(NrInterp *in, NrOp *op) {
  nr_set(in, nr_op_result(op), (NrIValue){.bits = 1});
  return true;
}

/* ---- the C library ---- */

typedef double (*Libm1)(double a);
typedef double (*Libm2)(double a, double b);
typedef float (*Libm1f)(float a);
typedef float (*Libm2f)(float a, float b);

static const struct LibmFunction {
  const char *name;
  void (*f64)(void), (*f32)(void); /* of the type that the number of operands says */
} libm[] = {
#define LIBM(name, count) {#name, (void (*)(void))name, (void (*)(void))name##f},
#include "dialect/rt/libm.def"
#undef LIBM
};

/* The same functions as machine code calls: those of float for f32. */
bool nr_run_libm(NrInterp *in, NrOp *op) {
  NrType type = nr_op_result(op)->type;
  NrStr name = nr_op_attr_str(op, NR_A_name);
  bool is_f32 = nr_type_is_float_kind(type, NR_F32), two = op->num_operands == 2;
  if (is_f32) name.size--;
  double given[2] = {0}, out = 0;
  for (uint32_t i = 0; i < op->num_operands && i < 2; i++)
    given[i] = nr_ivalue_float(type, nr_get(in, nr_operand(op, i)));
  double a = given[0], b = given[1];
  for (size_t i = 0; i < NR_COUNTOF(libm); i++) {
    if (!nr_str_is(name, libm[i].name)) continue;
    if (is_f32) out = two ? ((Libm2f)libm[i].f32)((float)a, (float)b) : ((Libm1f)libm[i].f32)((float)a);
    else out = two ? ((Libm2)libm[i].f64)(a, b) : ((Libm1)libm[i].f64)(a);
  }
  nr_set(in, nr_op_result(op), nr_ivalue_from_float(type, out));
  return true;
}

/* ---- imports ---- */

static void to_desc(NrInterp *in, NrValue *value, NoriaDesc *out) {
  NrIValue v = nr_get(in, value);
  *out = (NoriaDesc){.rank = -1, .bits = v.bits};
  if (v.view) {
    out->data = v.view->buffer->data;
    if (nr_iview_count(v.view)) out->data = nr_iview_at(v.view, (const int64_t[NR_MAX_RANK]){0});
    out->rank = (int64_t)v.view->rank;
    out->bits = nr_rt_elements(v.view->elem);
    memcpy(out->dims, v.view->dims, v.view->rank * sizeof *out->dims);
  } else if (!nr_type_is_scalar(value->type) || value->type->kind == NR_TYPE_onnx_string) {
    out->data = v.handle;
    out->rank = 0;
  }
}

/* Copies a tensor from the runtime out of the run's memory. */
static bool from_desc(NrInterp *in, NrOp *op, NrValue *value, NoriaDesc *d) {
  NrType t = value->type;
  if (nr_type_is_shaped(t)) {
    if (nr_rt_is_import(nr_op_attr_str(op, NR_A_name)) && d->bits != nr_rt_elements(t->elem))
      return nr_interp_fail(in, op, NR_RT_ELEMENTS_TEXT);
    if (nr_type_is_ranked(t) && d->rank != (int64_t)t->rank)
      return nr_interp_fail(in, op, "gives a tensor of rank %lld where the model says %u", (long long)d->rank, t->rank);
    for (uint32_t i = 0; nr_type_is_ranked(t) && i < t->rank; i++)
      if (t->dims[i] != NR_DYNAMIC && d->dims[i] != t->dims[i])
        return nr_interp_fail(in, op, NR_RT_DIM_TEXT("%u", "%lld", "%lld"), i, (long long)d->dims[i],
                              (long long)t->dims[i]);
    NrIView *borrowed = nr_iview_borrow(t->elem, d->dims, (size_t)d->rank, d->data),
            *copy = nr_iview_dense_copy(in, borrowed);
    nr_iview_release(borrowed);
    in->exec->api->free(in->exec, d->data);
    if (!copy) return false;
    nr_set(in, value, (NrIValue){.view = copy});
  } else if (d->rank < 0) nr_set(in, value, nr_ivalue_from_int(t, (int64_t)d->bits));
  else nr_set(in, value, (NrIValue){.handle = d->data});
  return true;
}

/* "tensor_grow"(%t, %rows): the same rows in a larger tensor. Compiled code does this inline, not in the runtime. */
static bool grow(NrInterp *in, NrOp *op) {
  NrIView *from = nr_get(in, nr_operand(op, NR_RT_GROW_TENSOR)).view;
  int64_t dims[NR_MAX_RANK];
  memcpy(dims, from->dims, sizeof dims);
  dims[0] = nr_get_index(in, nr_operand(op, NR_RT_GROW_ROWS));
  NrIView *to = nr_iview_new(in, from->elem, dims, from->rank), *rows = to ? nr_iview_alias(from) : NULL;
  if (!to) return false;
  rows->dims[0] = NR_MIN(dims[0], from->dims[0]);
  nr_iview_copy_out(in, rows, to->buffer->data);
  nr_iview_release(rows);
  nr_set(in, nr_op_result(op), (NrIValue){.view = to});
  return true;
}

/* Copies what the function wrote to a copy of the buffer. */
static void copy_back(NrInterp *in, const NrIView *from, NrIView *to) {
  int64_t at[NR_MAX_RANK] = {0};
  if (nr_iview_count(to)) do memcpy(nr_iview_at(to, at), nr_iview_at(from, at), to->elem_size);
    while (nr_interp_next(in, to->dims, to->rank, at));
}

bool nr_run_rt_call(NrInterp *in, NrOp *op) {
  NrStr name = nr_op_attr_str(op, NR_A_name);
  if (nr_str_is(name, "tensor_grow")) return grow(in, op);
  if (nr_rt_is_of_user(op)) return nr_run_user_call(in, op);
  uintptr_t index = (uintptr_t)nr_map_get(&in->imports, op);
  if (!in->exec || !index) return nr_interp_fail(in, op, "calls the runtime");
  NoriaDesc *args = nr_calloc(op->num_operands, sizeof *args), *results = nr_calloc(op->num_results, sizeof *results);
  NrIView **dense = nr_calloc(op->num_operands, sizeof *dense);
  int64_t target = nr_rt_target_operand(op);
  NrIView *written = target >= 0 ? nr_get(in, nr_operand(op, (size_t)target)).view : NULL;
  bool ok = !written || (nr_interp_alive(in, op, written) && nr_interp_writable(in, op, written));
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrIView *view = nr_get(in, nr_operand(op, i)).view;
    to_desc(in, nr_operand(op, i), &args[i]);
    if (!view || (nr_type_is_memref(nr_operand(op, i)->type) && nr_iview_is_dense(view))) continue;
    dense[i] = ok ? nr_iview_dense_copy(in, view) : NULL;
    if (dense[i]) args[i].data = dense[i]->buffer->data;
    else ok = false;
  }
  int64_t count = nr_rt_count_operand(op);
  if (count >= 0) args[count].bits = (uint64_t)(op->num_operands - 1 - count);
  uintptr_t site = (uintptr_t)nr_map_get(&in->sites, op);
  if (site) args[0] = (NoriaDesc){.rank = -1, .bits = (uint32_t)(site - 1)};
  if (ok && !nr_interp_import(in, index - 1, args, results)) ok = nr_interp_fail_reported(in, op);
  if (written && dense[target] && ok) copy_back(in, dense[target], written);
  for (uint32_t i = 0; i < op->num_operands; i++) nr_iview_release(dense[i]);
  for (uint32_t i = 0; i < op->num_results && ok; i++) ok = from_desc(in, op, nr_result(op, i), &results[i]);
  nr_free(args);
  nr_free(results);
  nr_free(dense);
  return ok;
}
