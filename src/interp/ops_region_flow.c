/* ops_region_flow.c - runs an op as its .region_flow says: control goes from the op to one of its regions, from there
 * to another or behind the op, and takes values along. An op that also counts, or runs a region for each point, has a
 * function of its own in ops.def. */
#include "interp/ops.h"
#include "ir/region_flow.h"

/* The values that control takes along: operands of `at`, which is the op or the terminator that ended the region. */
typedef struct Values {
  NrIValue *data;
  size_t count;
} Values;

static void release(Values *values, size_t begin, size_t end) {
  for (size_t i = begin; i < end && i < values->count; i++) nr_iview_release(values->data[i].view);
}

/* The number of the edge that control takes from `at`, by .choose_edge if it has one. SIZE_MAX: not known. */
static size_t choose(NrInterp *in, NrOp *at, const Values *values) {
  if (!at->info->choose_edge) return 0;
  NrAttr *constants = nr_calloc(at->num_operands + 1, sizeof *constants);
  for (uint32_t i = 0; i < at->num_operands && i < values->count; i++) {
    NrType type = nr_operand(at, i)->type;
    if (nr_type_is_int_or_index(type)) constants[i] = nr_ivalue_to_attr(in, type, values->data[i]);
  }
  size_t chosen = at->info->choose_edge(at, constants);
  nr_free(constants);
  return chosen;
}

/* The edge with that number from region `from`, or from the op where it is NULL. Without .choose_edge there must be one
 * edge only. */
static bool find_edge(NrInterp *in, NrOp *op, NrRegion *from, NrOp *at, size_t chosen, NrRegionEdge *out) {
  NrRegionFlow flow = nr_region_flow(op, from);
  NrRegionEdge edge;
  bool found = false, several = false;
  for (size_t i = 0; nr_region_flow_next(&flow, &edge); i++) {
    several |= i > 0;
    if (i != chosen) continue;
    *out = edge;
    found = true;
  }
  if (!found || (several && !at->info->choose_edge) || out->first_target)
    return nr_interp_fail(in, at, "does not say where control goes");
  return true;
}

/* How many operands of region's terminators go along, those that are skipped included. */
static size_t num_given(const NrOp *op, const NrRegion *region) {
  NrRegionFlow flow = nr_region_flow(op, region);
  NrRegionEdge edge;
  size_t count = 0;
  while (nr_region_flow_next(&flow, &edge)) {
    size_t targets = edge.to ? edge.to->first->num_args : op->num_results;
    count = NR_MAX(count, edge.first_operand + targets);
  }
  return count;
}

bool nr_run_region_flow(NrInterp *in, NrOp *op) {
  Values values = {nr_calloc(op->num_operands + 1, sizeof *values.data), op->num_operands};
  for (uint32_t i = 0; i < op->num_operands; i++) {
    values.data[i] = nr_get(in, nr_operand(op, i));
    if (values.data[i].view) values.data[i].view->refs++;
  }
  NrOp *at = op;
  NrRegionEdge edge = {0};
  bool ok = true;
  for (NrRegion *from = NULL; ok; from = edge.to) {
    ok = find_edge(in, op, from, at, choose(in, at, &values), &edge);
    size_t targets = edge.to ? edge.to->first->num_args : op->num_results;
    size_t begin = edge.first_operand, end = begin + targets;
    if (ok && end > values.count) ok = nr_interp_fail(in, at, "gives too few values");
    if (!ok) break;
    release(&values, 0, begin);
    release(&values, end, values.count);
    if (!edge.to) {
      for (uint32_t i = 0; i < op->num_results; i++) nr_set(in, nr_result(op, i), values.data[begin + i]);
      break;
    }
    Values next = {.count = num_given(op, edge.to)};
    next.data = nr_calloc(next.count + 1, sizeof *next.data);
    ok = nr_run_region(in, edge.to, values.data + begin, targets, next.data, next.count);
    nr_free(values.data);
    values = next;
    if (!ok) break;
    at = in->ended_by;
  }
  if (!ok) release(&values, 0, values.count);
  nr_free(values.data);
  return ok;
}
