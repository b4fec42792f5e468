/* ops_buffers.c - memref.realloc, memref.view and rt.dispatch. */
#include "dialect/flow/flow.h"
#include "dialect/memref/ops.h"
#include "dialect/rt/ops.h"
#include "interp/ops.h"

/* Allocates a buffer of another size with the old contents and frees the old one. */
bool nr_run_realloc(NrInterp *in, NrOp *op) {
  NrIView *old = nr_get(in, nr_memref_realloc_source(op)).view;
  NrType t = nr_op_result(op)->type;
  NrValue *given = nr_memref_realloc_size(op);
  int64_t size = given ? nr_get_index(in, given) : t->dims[0];
  if (old->buffer->freed) return nr_interp_fail(in, op, "uses memory that was freed");
  nr_ibuffer_discharge(old->buffer);
  NrIView *view = nr_iview_open(in, t->elem, &size, 1);
  if (!view) return false;
  int64_t kept = NR_MIN(size, old->dims[0]), zero = 0;
  if (kept > 0) memcpy(nr_iview_at(view, &zero), nr_iview_at(old, &zero), (size_t)kept * view->elem_size);
  old->buffer->freed = true;
  nr_set(in, nr_op_result(op), (NrIValue){.view = view});
  return true;
}

/* memref.view: elements of another type over a byte buffer. */
bool nr_run_view(NrInterp *in, NrOp *op) {
  NrIView *bytes = nr_get(in, nr_memref_view_source(op)).view;
  NrType t = nr_op_result(op)->type;
  int64_t shift = nr_get_index(in, nr_memref_view_byte_shift(op)), count = 1;
  int64_t elem = (int64_t)nr_iview_elem_size(t->elem);
  NrIView *view = nr_iview_alias(bytes);
  view->elem = t->elem;
  view->elem_size = (size_t)elem;
  view->rank = t->rank;
  for (uint32_t i = 0, k = NR_MEMREF_VIEW_SIZES; i < t->rank; i++)
    view->dims[i] = t->dims[i] == NR_DYNAMIC ? nr_get_index(in, nr_operand(op, k++)) : t->dims[i];
  int64_t begin = 0;
  bool fits = shift >= 0 && shift <= bytes->dims[0] && nr_add_i64(bytes->offset, shift, &begin) && begin % elem == 0;
  for (uint32_t i = t->rank; i-- > 0;) {
    view->strides[i] = count;
    fits = fits && view->dims[i] >= 0;
    if (!nr_mul_i64(count, view->dims[i], &count)) count = INT64_MAX;
  }
  fits = fits && count <= (bytes->dims[0] - shift) / elem;
  if (fits) view->offset = view->origin = begin / elem;
  if (!fits) {
    nr_iview_release(view);
    return nr_interp_fail(in, op, "does not lie in its source, or not on a multiple of its elements' size");
  }
  nr_set(in, nr_op_result(op), (NrIValue){.view = view});
  return true;
}

/* Runs the workgroups of the grid one after another. */
bool nr_run_dispatch(NrInterp *in, NrOp *op) {
  NrOp *func = nr_flow_function(nr_symbol_resolve(op, nr_op_attr(op, NR_A_entry)));
  NrGroup sizes = nr_rt_dispatch_grid(op), given = nr_rt_dispatch_args(op);
  int64_t grid[3] = {1, 1, 1};
  if (!func || !nr_op_only_body(func)) return nr_interp_fail(in, op, "names no function");
  for (size_t i = 0; i < sizes.count && i < 3; i++) grid[i] = nr_get_index(in, nr_operand(op, sizes.begin + i));
  NrIValue *args = nr_calloc(given.count + 3, sizeof *args);
  bool ok = true;
  for (int64_t z = 0; z < grid[2] && ok; z++)
    for (int64_t y = 0; y < grid[1] && ok; y++)
      for (int64_t x = 0; x < grid[0] && ok; x++) {
        for (size_t i = 0; i < given.count; i++) {
          args[i] = nr_get(in, nr_operand(op, given.begin + i));
          if (args[i].view) args[i].view->refs++; /* the function's own reference */
        }
        int64_t at[3] = {x, y, z};
        for (size_t i = 0; i < 3; i++) args[given.count + i] = (NrIValue){.bits = (uint64_t)at[i]};
        ok = nr_run_func(in, func, args, given.count + 3, NULL, 0);
      }
  nr_free(args);
  return ok;
}
