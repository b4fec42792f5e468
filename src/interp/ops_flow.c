/* ops_flow.c - dispatches: runs a region or an executable's function for each workgroup of the grid in order, on views
 * of the arguments and results. */
#include "dialect/flow/flow.h"
#include "dialect/operands.h"
#include "interp/ops.h"

/* The function of a dispatch's entry point, and its export. */
static NrOp *entry_point(NrOp *op, NrOp **out_export) {
  NrAttr points = nr_op_attr(op, NR_A_entry_points);
  NrAttr first = points && points->kind == NR_ATTR_ARRAY && points->size ? points->items[0] : NULL;
  *out_export = first ? nr_symbol_resolve(op, first) : NULL;
  return nr_flow_function(*out_export);
}

/* The code of a workgroup (func or body) and the region that computes the grid (count; NULL: one workgroup). */
typedef struct Workgroups {
  NrOp *func;
  NrRegion *body, *count;
} Workgroups;

/* Computes the grid by the count region for the dispatch's workload. */
static bool run_count(NrInterp *in, NrOp *op, NrRegion *region, int64_t *grid) {
  size_t begin, count;
  NrIValue args[16], out[3];
  for (size_t i = 0; i < 3; i++) grid[i] = 1;
  nr_op_operand_group(op, NR_FLOW_WORKLOAD, &begin, &count);
  if (!region || !region->first) return true;
  if (count > NR_COUNTOF(args)) return nr_interp_fail(in, op, "has too long a workload");
  for (size_t i = 0; i < count; i++) args[i] = nr_get(in, nr_operand(op, begin + i));
  if (!nr_run_region(in, region, args, count, out, 3)) return false;
  for (size_t i = 0; i < 3; i++) grid[i] = (int64_t)out[i].bits;
  return true;
}

void nr_interp_result_dims(NrInterp *in, NrOp *op, size_t result, size_t *next_dim, int64_t *out) {
  NrType t = nr_result(op, result)->type;
  for (uint32_t i = 0; i < t->rank; i++)
    out[i] = t->dims[i] == NR_DYNAMIC ? nr_get_index(in, nr_operand(op, (*next_dim)++)) : t->dims[i];
}

bool nr_interp_retype(NrIView *view, NrType t, const int64_t *dims) {
  if (nr_iview_bytes(view->elem, view->dims, view->rank) != nr_iview_bytes(t->elem, dims, t->rank)) return false;
  view->elem = t->elem;
  view->elem_size = nr_iview_elem_size(t->elem);
  view->rank = t->rank;
  int64_t stride = 1;
  for (size_t i = t->rank; i-- > 0; stride *= dims[i]) {
    view->dims[i] = dims[i];
    view->strides[i] = stride;
  }
  return true;
}

static bool run_grid(NrInterp *in, const Workgroups *w, const int64_t *grid, const NrIValue *args, size_t count) {
  int64_t outer_id[3], outer_count[3], at[3] = {0};
  memcpy(outer_id, in->workgroup, sizeof outer_id);
  memcpy(outer_count, in->grid, sizeof outer_count);
  memcpy(in->grid, grid, sizeof in->grid);
  bool ok = true;
  if (grid[0] > 0 && grid[1] > 0 && grid[2] > 0) do {
      memcpy(in->workgroup, at, sizeof at);
      NrIValue *own = nr_calloc(count, sizeof *own);
      for (size_t i = 0; i < count; i++) {
        own[i] = args[i];
        if (own[i].view) own[i].view->refs++;
      }
      ok = w->func ? nr_run_func(in, w->func, own, count, NULL, 0)
                   : nr_run_region(in, w->body, own, count, NULL, 0);
      nr_free(own);
    } while (ok && nr_next_index(grid, 3, at));
  memcpy(in->workgroup, outer_id, sizeof outer_id);
  memcpy(in->grid, outer_count, sizeof outer_count);
  return ok;
}

static bool dispatch(NrInterp *in, NrOp *op, const Workgroups *w) {
  size_t begin, count, next_dim, num_dims, n = 0;
  int64_t grid[3], (*dims)[NR_MAX_RANK] = nr_calloc(op->num_results + 1, sizeof *dims);
  nr_op_operand_group(op, NR_FLOW_ARGUMENTS, &begin, &count);
  nr_op_operand_group(op, NR_FLOW_RESULT_DIMS, &next_dim, &num_dims);
  NrIValue *args = nr_calloc(count + op->num_results, sizeof *args);
  NrIView **results = nr_calloc(op->num_results, sizeof *results);
  bool ok = nr_interp_flow_dims(in, op) && run_count(in, op, w->count, grid);
  for (size_t i = 0; i < count; i++) args[n++] = nr_get(in, nr_operand(op, begin + i));
  for (size_t i = 0; i < op->num_results && ok; i++) {
    int64_t tied = nr_tied_operand(op, i);
    NrType t = nr_result(op, i)->type;
    nr_interp_result_dims(in, op, i, &next_dim, dims[i]);
    results[i] = tied >= 0 ? nr_iview_dense_copy(in, args[tied].view) : nr_iview_new(in, t->elem, dims[i], t->rank);
    ok = results[i] != NULL;
    if (tied >= 0) args[tied].view = results[i];
    else args[n++].view = results[i];
  }
  ok = ok && run_grid(in, w, grid, args, n);
  for (size_t i = 0; i < op->num_results && ok; i++) {
    if (!nr_flow_can_bitcast(results[i]->elem, nr_result(op, i)->type->elem))
      ok = nr_interp_fail(in, op, "result #%zu " NR_FLOW_BITCAST_TEXT, i);
    else if (nr_tied_operand(op, i) >= 0 && !nr_interp_retype(results[i], nr_result(op, i)->type, dims[i]))
      ok = nr_interp_fail(in, op, "result #%zu does not have the size of the argument that it is tied to", i);
  }
  for (size_t i = 0; i < op->num_results; i++) {
    if (ok) nr_set(in, nr_result(op, i), (NrIValue){.view = results[i]});
    else nr_iview_release(results[i]);
  }
  nr_free(args);
  nr_free(results);
  nr_free(dims);
  return ok;
}

bool nr_run_flow_dispatch(NrInterp *in, NrOp *op) {
  NrOp *export_op, *func = entry_point(op, &export_op);
  if (!func) return nr_interp_fail(in, op, "names no entry point");
  return dispatch(in, op,
                  &(Workgroups){.func = func, .count = nr_flow_executable_export_workgroup_count_region(export_op)});
}

bool nr_run_flow_workgroups(NrInterp *in, NrOp *op) {
  return dispatch(in, op,
                  &(Workgroups){.body = nr_flow_dispatch_workgroups_workgroup_region(op),
                                .count = nr_flow_dispatch_workgroups_workgroup_count_region(op)});
}

/* Runs the body once: it computes whole results, whatever grid the count region gives a tiled body. */
bool nr_run_flow_region(NrInterp *in, NrOp *op) {
  size_t next = nr_flow_dispatch_region_result_dims(op).begin;
  if (!nr_run_region_flow(in, op)) return false;
  for (uint32_t r = 0; r < op->num_results; r++) {
    NrType t = nr_result(op, r)->type;
    for (uint32_t d = 0; d < t->rank; d++) {
      if (t->dims[d] != NR_DYNAMIC) continue;
      int64_t have = nr_get(in, nr_result(op, r)).view->dims[d], want = nr_get_index(in, nr_operand(op, next++));
      if (have != want)
        return nr_interp_fail(in, op, NR_FLOW_RESULT_TEXT("%lld", "%lld"), d, r, (long long)have, (long long)want);
    }
  }
  return true;
}

bool nr_run_flow_dim(NrInterp *in, NrOp *op) {
  NrIView *view = nr_get(in, nr_flow_dispatch_tensor_dim_source(op)).view;
  nr_set(in, nr_op_result(op), (NrIValue){.bits = (uint64_t)view->dims[nr_op_attr_int(op, NR_A_dimension, 0)]});
  return true;
}

bool nr_run_flow_load(NrInterp *in, NrOp *op) { return nr_interp_flow_dims(in, op) && nr_run_extract_slice(in, op); }

bool nr_run_flow_store(NrInterp *in, NrOp *op) {
  NrIView *target = nr_get(in, nr_flow_dispatch_tensor_store_target(op)).view;
  return nr_interp_flow_dims(in, op) && nr_insert_part(in, op, nr_flow_dispatch_tensor_store_value(op), target);
}

bool nr_run_flow_id(NrInterp *in, NrOp *op) {
  nr_set(in, nr_op_result(op), (NrIValue){.bits = (uint64_t)in->workgroup[nr_op_attr_int(op, NR_A_dimension, 0)]});
  return true;
}

bool nr_run_flow_count(NrInterp *in, NrOp *op) {
  int64_t count = in->grid[nr_op_attr_int(op, NR_A_dimension, 0)];
  /* 0: in a dispatch.region, which is one workgroup; in a grid with a 0 nothing runs. */
  nr_set(in, nr_op_result(op), (NrIValue){.bits = count ? (uint64_t)count : 1});
  return true;
}

/* A backend may choose the count: one workgroup does all work, as in machine code. */
bool nr_run_flow_count_from(NrInterp *in, NrOp *op) {
  for (uint32_t i = 0; i < op->num_results; i++) nr_set(in, nr_result(op, i), (NrIValue){.bits = 1});
  return true;
}

bool nr_run_flow_size(NrInterp *in, NrOp *op) {
  nr_set(in, nr_op_result(op), (NrIValue){.bits = 1});
  return true;
}

bool nr_run_flow_same(NrInterp *in, NrOp *op) {
  NrIValue v = nr_get(in, nr_op_operand(op));
  if (v.view) v.view->refs++;
  nr_set(in, nr_op_result(op), v);
  return true;
}
