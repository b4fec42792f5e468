/* ops_util.c - globals of dialect util, and the initializers that run before the first call of a program. */
#include "dialect/operands.h"
#include "dialect/util/util.h"
#include "interp/ops.h"

/* A value that outlives the run: a copy that is not counted against the run's memory. */
static bool keep(NrInterp *in, NrIValue v, NrIValue *out) {
  *out = v;
  if (!v.view) return true;
  out->view = nr_iview_dense_copy(in, v.view);
  if (!out->view) return false;
  if (nr_interp_is_stopped(in)) { /* it may be partly filled */
    nr_iview_release(out->view);
    return false;
  }
  nr_ibuffer_discharge(out->view->buffer);
  return true;
}

static bool has_unknown_dims(NrType t) { return nr_type_is_shaped(t) && !nr_type_has_static_shape(t); }

static bool initial_value(NrInterp *in, NrOp *op, NrOp *global, NrIValue *out) {
  NrAttr value = nr_op_attr(global, NR_A_initial_value);
  NrType type = nr_op_attr(global, NR_A_type)->type;
  NrStr name = nr_op_attr_str(global, NR_A_sym_name);
  if (value) {
    bool known = nr_attr_is_elements(value) || value->kind == NR_ATTR_INTEGER || value->kind == NR_ATTR_FLOAT;
    NrType has = known ? value->type : NULL;
    bool same = known && (nr_type_is_shaped(type) ? nr_type_elem(has) == nr_type_elem(type) : has == type);
    if (!same) return nr_interp_fail(in, op, "the initial value of @%.*s is not one of its type", NR_STR_ARG(name));
    NrIValue v = nr_ivalue_of_attr(in, value);
    bool ok = (v.view || !nr_attr_is_elements(value)) && keep(in, v, out);
    nr_iview_release(v.view);
    return ok;
  }
  if (has_unknown_dims(type))
    return nr_interp_fail(in, op, "the sizes of @%.*s are not known before it is stored to", NR_STR_ARG(name));
  *out = (NrIValue){0};
  if (!nr_type_is_shaped(type)) return true;
  out->view = nr_iview_new(in, type->elem, type->dims, type->rank);
  if (out->view) nr_ibuffer_discharge(out->view->buffer);
  return out->view != NULL;
}

/* The place of a global's value; NULL after failing. A store needs no initial value. */
static NrIValue *place_of(NrInterp *in, NrOp *op, NrOp *global, bool stores) {
  NrIValue *place = nr_map_get(&in->values, global), value = {0};
  if (place) return place;
  if (!stores && !initial_value(in, op, global, &value)) return NULL;
  place = nr_calloc(1, sizeof *place);
  *place = value;
  nr_map_set(&in->values, global, place);
  nr_vec_push(&in->global_values, place);
  return place;
}

static NrOp *accessed(NrInterp *in, NrOp *op) {
  NrValue *pointer = nr_op_is(op, NR_OP_util_global_load_indirect)    ? nr_util_global_load_indirect_global(op)
                     : nr_op_is(op, NR_OP_util_global_store_indirect) ? nr_util_global_store_indirect_global(op)
                                                                      : NULL;
  NrOp *global = pointer ? nr_get(in, pointer).func : nr_util_global_of(op);
  if (!global) nr_interp_fail(in, op, "names no global");
  return global;
}

bool nr_run_global_address(NrInterp *in, NrOp *op) {
  NrOp *global = accessed(in, op);
  nr_set(in, nr_op_result(op), (NrIValue){.func = global});
  return global != NULL;
}

bool nr_run_global_load(NrInterp *in, NrOp *op) {
  NrOp *global = accessed(in, op);
  NrIValue *place = global ? place_of(in, op, global, false) : NULL;
  if (!place) return nr_interp_is_stopped(in);
  NrType type = nr_op_result(op)->type;
  for (size_t i = 0; place->view && i < place->view->rank; i++)
    if (type->dims[i] != NR_DYNAMIC && type->dims[i] != place->view->dims[i])
      return nr_interp_fail(in, op, "dim %zu of the global is %lld, but %lld here", i, (long long)place->view->dims[i],
                            (long long)type->dims[i]);
  if (place->view) place->view->refs++;
  nr_set(in, nr_op_result(op), *place);
  return true;
}

bool nr_run_global_store(NrInterp *in, NrOp *op) {
  NrOp *global = accessed(in, op);
  NrIValue *place = global ? place_of(in, op, global, true) : NULL, value;
  if (!place || !keep(in, nr_get(in, nr_op_value(op)), &value)) return nr_interp_is_stopped(in);
  nr_iview_release(place->view);
  *place = value;
  return true;
}

bool nr_run_util_null(NrInterp *in, NrOp *op) {
  nr_set(in, nr_op_result(op), (NrIValue){0});
  return true;
}

/* Of numbers, or of references. */
bool nr_run_util_cmp(NrInterp *in, NrOp *op) {
  NrIValue a = nr_get(in, nr_op_lhs(op)), b = nr_get(in, nr_op_rhs(op));
  if (a.view || b.view || nr_type_is_float(nr_op_lhs(op)->type))
    return nr_interp_fail(in, op, "cannot be run: values of type %s are not compared",
                          nr_type_text(op->module->ctx, nr_op_lhs(op)->type));
  bool same = a.bits == b.bits && a.func == b.func && a.handle == b.handle;
  nr_set(in, nr_op_result(op), (NrIValue){.bits = same == nr_op_is(op, NR_OP_util_cmp_eq)});
  return true;
}

void nr_interp_drop_globals(NrInterp *in) {
  for (size_t i = 0; i < in->global_values.size; i++) {
    nr_iview_release(in->global_values.data[i]->view);
    nr_free(in->global_values.data[i]);
  }
  nr_vec_deinit(&in->global_values);
  nr_map_deinit(&in->values);
  in->values = (NrMap){0};
}

/* A global of before 2021, whose initial value a function returns. */
static bool run_initializer_of(NrInterp *in, NrOp *global) {
  NrOp *func = nr_symbol_resolve(global, nr_op_attr(global, NR_A_initializer));
  NrIValue result = {0};
  if (!func) return nr_interp_fail(in, global, "is initialized by a function that does not exist");
  bool ok = nr_run_func(in, func, NULL, 0, &result, 1);
  NrIValue *place = ok ? place_of(in, global, global, true) : NULL;
  ok = place && keep(in, result, place);
  nr_iview_release(result.view);
  return ok;
}

bool nr_interp_initialize(NrInterp *in) {
  if (in->initialized) return true;
  for (NrOp *op = nr_op_only_body(in->module->op)->first; op; op = op->next) {
    bool ok = true;
    if (nr_op_is(op, NR_OP_util_initializer)) ok = nr_run_func(in, op, NULL, 0, NULL, 0);
    else if (nr_op_is(op, NR_OP_util_global) && nr_op_attr(op, NR_A_initializer)) ok = run_initializer_of(in, op);
    if (ok) continue;
    nr_interp_drop_globals(in); /* the next run begins anew */
    return false;
  }
  return in->initialized = true;
}
