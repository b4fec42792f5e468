/* ops_memref.c - memref ops, with checks for bounds, use after free and writes to constants. */
#include "dialect/bufferization/ops.h"
#include "dialect/memref/ops.h"
#include "dialect/operands.h"
#include "dialect/rt/ops.h"
#include "dialect/shared/shaped.h"
#include "interp/ops.h"

bool nr_interp_alive(NrInterp *in, NrOp *op, const NrIView *view) {
  return !view->buffer->freed || nr_interp_fail(in, op, "uses memory that was freed");
}

bool nr_interp_writable(NrInterp *in, NrOp *op, const NrIView *view) {
  return !view->buffer->borrowed || nr_interp_fail(in, op, "writes to a constant or an input");
}

/* Gives a new dense view, with checked dims, the strides and offset of its type, in larger memory. False when out of
 * memory. */
static bool lay_out(NrInterp *in, NrType t, NrIView **view) {
  int64_t strides[NR_MAX_RANK], offset, last = 0;
  if (!nr_type_is_memref(t) || !nr_memref_strides(t, strides, &offset)) return true;
  if (offset == NR_DYNAMIC) offset = 0;
  bool same = offset == 0;
  for (uint32_t i = 0; i < t->rank; i++) {
    int64_t span;
    if (strides[i] == NR_DYNAMIC) strides[i] = (*view)->strides[i];
    same &= strides[i] == (*view)->strides[i];
    if ((*view)->dims[i] == 0) continue;
    if (strides[i] < 0 || !nr_mul_i64((*view)->dims[i] - 1, strides[i], &span) || !nr_add_i64(last, span, &last))
      last = INT64_MAX;
  }
  if (same) return true;
  if (!nr_add_i64(offset, last, &last) || !nr_add_i64(last, 1, &last)) last = INT64_MAX;
  NrIView *laid = offset < 0 ? NULL : nr_iview_open(in, t->elem, &last, 1);
  if (!laid) return false;
  laid->rank = (*view)->rank;
  laid->offset = offset;
  memcpy(laid->dims, (*view)->dims, sizeof laid->dims);
  memcpy(laid->strides, strides, laid->rank * sizeof *strides);
  nr_iview_release(*view);
  *view = laid;
  return true;
}

bool nr_run_alloc(NrInterp *in, NrOp *op) {
  NrType t = nr_op_result(op)->type;
  int64_t dims[NR_MAX_RANK];
  for (uint32_t i = 0, k = 0; i < t->rank; i++)
    dims[i] = t->dims[i] == NR_DYNAMIC ? nr_get_index(in, nr_operand(op, k++)) : t->dims[i];
  NrIView *view = nr_iview_open(in, t->elem, dims, t->rank);
  if (!view || !lay_out(in, t, &view)) {
    nr_iview_release(view);
    return nr_interp_fail_size(in, op, t->elem, dims, t->rank);
  }
  nr_set(in, nr_op_result(op), (NrIValue){.view = view});
  return true;
}

bool nr_run_dealloc(NrInterp *in, NrOp *op) {
  NrIView *view = nr_get(in, nr_memref_dealloc_memref(op)).view;
  if (!nr_interp_alive(in, op, view)) return false;
  view->buffer->freed = true;
  nr_ibuffer_discharge(view->buffer);
  return true;
}

bool nr_interp_in_bounds(NrInterp *in, NrOp *op, const NrIView *view, const int64_t *indices) {
  for (size_t i = 0; i < view->rank; i++) {
    if (indices[i] < 0 || indices[i] >= view->dims[i])
      return nr_interp_fail(in, op, "index %lld of dim %zu is out of bounds: the dim is %lld", (long long)indices[i], i,
                            (long long)view->dims[i]);
  }
  return true;
}

NrValue *nr_interp_accessed(const NrOp *op) { return nr_op_has_memref(op) ? nr_op_memref(op) : nr_op_base(op); }

bool nr_interp_element(NrInterp *in, NrOp *op, unsigned char **out, NrIView **out_view) {
  NrIView *view = nr_get(in, nr_interp_accessed(op)).view;
  int64_t indices[NR_MAX_RANK];
  if (!nr_interp_alive(in, op, view) || !nr_interp_indices(in, op, view->rank, indices) ||
      !nr_interp_in_bounds(in, op, view, indices))
    return false;
  *out = nr_iview_at(view, indices);
  *out_view = view;
  return true;
}

bool nr_run_load(NrInterp *in, NrOp *op) {
  unsigned char *p;
  NrIView *view;
  if (!nr_interp_element(in, op, &p, &view)) return false;
  NrIValue v;
  if (!nr_ivalue_load_any(in, view->elem, p, &v)) return false;
  nr_set(in, nr_op_result(op), v);
  return true;
}

bool nr_run_store(NrInterp *in, NrOp *op) {
  unsigned char *p;
  NrIView *view;
  if (!nr_interp_element(in, op, &p, &view) || !nr_interp_writable(in, op, view)) return false;
  nr_ivalue_store(view->elem, p, nr_get(in, nr_op_value(op)));
  return true;
}

static bool copy_into(NrInterp *in, NrOp *op, NrValue *source, NrValue *target) {
  NrIView *from = nr_get(in, source).view, *to = nr_get(in, target).view;
  if (!nr_interp_alive(in, op, from) || !nr_interp_alive(in, op, to) || !nr_interp_writable(in, op, to)) return false;
  bool fits = from->rank == to->rank;
  for (size_t i = 0; i < from->rank && fits; i++) fits = from->dims[i] == to->dims[i];
  if (!fits) return nr_interp_fail(in, op, "copies between different shapes");
  NrIView *dense = nr_iview_dense_copy(in, from); /* they may overlap */
  if (!dense) return false;
  int64_t indices[NR_MAX_RANK] = {0};
  if (nr_iview_count(to)) do memcpy(nr_iview_at(to, indices), nr_iview_at(dense, indices), to->elem_size);
    while (nr_interp_next(in, to->dims, to->rank, indices));
  nr_iview_release(dense);
  return true;
}

bool nr_run_copy(NrInterp *in, NrOp *op) {
  return copy_into(in, op, nr_memref_copy_source(op), nr_memref_copy_target(op));
}

bool nr_run_rt_copy(NrInterp *in, NrOp *op) {
  NrIView *from = nr_get(in, nr_rt_copy_source(op)).view, *to = nr_get(in, nr_rt_copy_target(op)).view;
  int64_t from_at = nr_get_index(in, nr_rt_copy_from(op)), to_at = nr_get_index(in, nr_rt_copy_to(op));
  int64_t count = nr_get_index(in, nr_rt_copy_count(op));
  if (!nr_interp_alive(in, op, from) || !nr_interp_alive(in, op, to)) return false;
  if (count && !nr_interp_writable(in, op, to)) return false;
  bool fits = count >= 0 && from_at >= 0 && to_at >= 0 && count <= from->dims[0] && from_at <= from->dims[0] - count &&
              count <= to->dims[0] && to_at <= to->dims[0] - count;
  if (!fits && count) return nr_interp_fail(in, op, "copies elements outside of the buffer");
  if (count) memmove(nr_iview_at(to, &to_at), nr_iview_at(from, &from_at), (size_t)count * to->elem_size);
  return true;
}

/* ---- tensors and memrefs ----------------------------------------------------------------------------------------- */

static bool give_copy(NrInterp *in, NrOp *op, NrValue *of) {
  NrIView *view = nr_get(in, of).view;
  if (!nr_interp_alive(in, op, view)) return false;
  NrIView *copy = nr_iview_dense_copy(in, view);
  if (!copy) return false;
  nr_set(in, nr_op_result(op), (NrIValue){.view = copy});
  return true;
}

bool nr_run_copied(NrInterp *in, NrOp *op) { return give_copy(in, op, nr_op_only_operand(op)); }

bool nr_run_materialize(NrInterp *in, NrOp *op) {
  NrValue *source = nr_bufferization_materialize_in_destination_source(op);
  if (op->num_results) return give_copy(in, op, source);
  return copy_into(in, op, source, nr_bufferization_materialize_in_destination_dest(op));
}

bool nr_run_alloc_tensor(NrInterp *in, NrOp *op) {
  NrValue *copy = nr_bufferization_alloc_tensor_copy(op);
  if (!copy) return nr_run_alloc(in, op);
  NrIView *view = nr_get(in, copy).view;
  view->refs++;
  nr_set(in, nr_op_result(op), (NrIValue){.view = view});
  return true;
}

bool nr_run_dealloc_tensor(NrInterp *in, NrOp *op) {
  (void)in;
  (void)op;
  return true;
}

/* ---- globals ---------------------------------------------------------------------------------------------------- */

/* A new buffer with the global's initial value. Only a constant global may borrow the attribute's data. */
static NrIView *open_global(NrInterp *in, NrOp *global, NrType t) {
  NrAttr value = nr_op_attr(global, NR_A_initial_value);
  if (nr_attr_is_parameter(value)) return nr_interp_parameter(in, global, value);
  if (!nr_attr_is_elements(value)) return nr_iview_open(in, t->elem, t->dims, t->rank);
  NrIView *view = nr_ivalue_of_attr(in, value).view;
  if (!view || nr_op_attr(global, NR_A_constant) || !view->buffer->borrowed) return view;
  NrIView *copy = nr_iview_dense_copy(in, view);
  nr_iview_release(view);
  return copy;
}

bool nr_run_get_global(NrInterp *in, NrOp *op) {
  NrOp *global = nr_symbol_resolve(op, nr_op_attr(op, NR_A_name));
  if (!global) return nr_interp_fail(in, op, "names no global");
  NrIView *view = nr_map_get(&in->globals, global);
  NrAttr value = nr_op_attr(global, NR_A_initial_value);
  NrType t = nr_op_result(op)->type;
  if (value && value->kind == NR_ATTR_DENSE_STRINGS) { /* they last as long as the run, not as long as globals */
    view = nr_ivalue_of_attr(in, value).view;
    if (!view) return in->failed ? false : nr_interp_fail_size(in, op, t->elem, t->dims, t->rank);
    nr_set(in, nr_op_result(op), (NrIValue){.view = view});
    return true;
  }
  if (!view) {
    view = open_global(in, global, t);
    if (!view) return in->failed ? false : nr_interp_fail_size(in, op, t->elem, t->dims, t->rank);
    if (nr_interp_is_stopped(in)) { /* it may be partly filled, and globals outlive the run */
      nr_set(in, nr_op_result(op), (NrIValue){.view = view});
      return true;
    }
    nr_ibuffer_discharge(view->buffer); /* it belongs to the program and not to the run, as in machine code */
    nr_map_set(&in->globals, global, view);
    nr_vec_push(&in->global_views, view);
  }
  view->refs++;
  nr_set(in, nr_op_result(op), (NrIValue){.view = view});
  return true;
}
