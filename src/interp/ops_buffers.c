/* ops_buffers.c - memref.realloc, memref.view and rt.dispatch. */
#include "dialect/flow/flow.h"
#include "interp/ops.h"

/* Allocates a buffer of another size with the old contents and frees the old one. */
bool nr_run_realloc(NrInterp *in, NrOp *op) {
  NrIView *old = nr_get(in, nr_operand(op, 0)).view;
  NrType t = nr_result(op, 0)->type;
  int64_t size = op->num_operands > 1 ? nr_get_index(in, nr_operand(op, 1)) : t->dims[0];
  if (old->buffer->freed) return nr_interp_fail(in, op, "uses memory that was freed");
  nr_ibuffer_discharge(old->buffer);
  NrIView *view = nr_iview_open(in, t->elem, &size, 1);
  if (!view) return false;
  int64_t kept = NR_MIN(size, old->dims[0]), zero = 0;
  if (kept > 0) memcpy(nr_iview_at(view, &zero), nr_iview_at(old, &zero), (size_t)kept * view->elem_size);
  old->buffer->freed = true;
  nr_set(in, nr_result(op, 0), (NrIValue){.view = view});
  return true;
}

/* memref.view: elements of another type over a byte buffer. */
bool nr_run_view(NrInterp *in, NrOp *op) {
  NrIView *bytes = nr_get(in, nr_operand(op, 0)).view;
  NrType t = nr_result(op, 0)->type;
  int64_t shift = nr_get_index(in, nr_operand(op, 1)), count = 1;
  int64_t elem = (int64_t)nr_iview_elem_size(t->elem);
  NrIView *view = nr_iview_alias(bytes);
  view->elem = t->elem;
  view->elem_size = (size_t)elem;
  view->rank = t->rank;
  for (uint32_t i = 0, k = 2; i < t->rank; i++)
    view->dims[i] = t->dims[i] == NR_DYNAMIC ? nr_get_index(in, nr_operand(op, k++)) : t->dims[i];
  bool fits = shift >= 0 && shift <= bytes->dims[0] && (bytes->offset + shift) % elem == 0;
  for (uint32_t i = t->rank; i-- > 0;) {
    view->strides[i] = count;
    fits = fits && view->dims[i] >= 0;
    if (!nr_mul_i64(count, view->dims[i], &count)) count = INT64_MAX;
  }
  fits = fits && count <= (bytes->dims[0] - shift) / elem;
  if (fits) view->offset = view->origin = (bytes->offset + shift) / elem;
  if (!fits) {
    nr_iview_release(view);
    return nr_interp_fail(in, op, "does not lie in its source, or not on a multiple of its elements' size");
  }
  nr_set(in, nr_result(op, 0), (NrIValue){.view = view});
  return true;
}

/* Runs the workgroups of the grid one after another. */
bool nr_run_dispatch(NrInterp *in, NrOp *op) {
  NrOp *func = nr_flow_function(nr_symbol_resolve(op, nr_op_attr(op, NR_A_entry)));
  size_t grid_at, num_grid, first, num_args;
  int64_t grid[3] = {1, 1, 1};
  if (!func || !nr_op_body(func, 0)) return nr_interp_fail(in, op, "names no function");
  nr_op_operand_group(op, 0, &grid_at, &num_grid);
  nr_op_operand_group(op, 1, &first, &num_args);
  for (size_t i = 0; i < num_grid && i < 3; i++) grid[i] = nr_get_index(in, nr_operand(op, grid_at + i));
  NrIValue *args = nr_calloc(num_args + 3, sizeof *args);
  bool ok = true;
  for (int64_t z = 0; z < grid[2] && ok; z++)
    for (int64_t y = 0; y < grid[1] && ok; y++)
      for (int64_t x = 0; x < grid[0] && ok; x++) {
        for (size_t i = 0; i < num_args; i++) {
          args[i] = nr_get(in, nr_operand(op, first + i));
          if (args[i].view) args[i].view->refs++; /* the function's own reference */
        }
        int64_t at[3] = {x, y, z};
        for (size_t i = 0; i < 3; i++) args[num_args + i] = (NrIValue){.bits = (uint64_t)at[i]};
        ok = nr_run_func(in, func, args, num_args + 3, NULL, 0);
      }
  nr_free(args);
  return ok;
}
