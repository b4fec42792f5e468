/* test_region_flow.c - edges between ops and their regions, against what MLIR's RegionBranchOpInterface says of them. */
#include "ir/region_flow.h"

#include "../test.h"
#include "ir/text.h"

static const char text[] =
    "func.func @f(%n: index, %p: i1, %x: f32) {\n"
    "  %c = arith.constant 1 : index\n"
    "  %0 = scf.for %i = %c to %n step %c iter_args(%a = %x) -> (f32) { scf.yield %a : f32 }\n"
    "  %1 = scf.if %p -> f32 { scf.yield %x : f32 } else { scf.yield %0 : f32 }\n"
    "  scf.if %p { scf.yield }\n"
    "  %2:2 = scf.while (%a = %x) : (f32) -> (f32, index) { scf.condition(%p) %a, %n : f32, index }\n"
    "      do { ^bb0(%b: f32, %k: index): scf.yield %b : f32 }\n"
    "  %3 = scf.execute_region -> f32 { scf.yield %x : f32 }\n"
    "  %4 = scf.index_switch %n -> f32 case 1 { scf.yield %x : f32 } case 2 { scf.yield %0 : f32 }\n"
    "      default { scf.yield %x : f32 }\n"
    "  %5 = affine.for %i = %c to %n iter_args(%a = %x) -> (f32) { affine.yield %a : f32 }\n"
    "  scf.parallel (%i) = (%c) to (%n) step (%c) { scf.reduce }\n"
    "  scf.forall (%i, %j) = (%c, 2) to (%n, 9) step (1, 3) { }\n"
    "  return\n}\n";

/* An edge: where from, its first operand and how many, where to, its first argument. Last: whether the op runs one of its regions once. */
static const struct {
  const char *op, *edges;
} want[] = {
    {"scf.for", "op 3+1 -> 0 at 1, op 3+1 -> results, 0 0+all -> 0 at 1, 0 0+all -> results, loops"},
    {"scf.if", "op 0+0 -> 0 at 0, op 0+0 -> 1 at 0, 0 0+all -> results, 1 0+all -> results, once"},
    {"scf.if", "op 0+0 -> 0 at 0, op 0+0 -> results, 0 0+all -> results, 1 0+all -> results, once"},
    {"scf.while", "op 0+1 -> 0 at 0, 0 1+all -> 1 at 0, 0 1+all -> results, 1 0+all -> 0 at 0, loops"},
    {"scf.execute_region", "op 0+0 -> 0 at 0, 0 0+all -> results, once"},
    {"scf.index_switch", "op 0+0 -> 0 at 0, op 0+0 -> 1 at 0, op 0+0 -> 2 at 0, 0 0+all -> results, 1 0+all -> results, "
                         "2 0+all -> results, once"},
    {"affine.for", "op 2+1 -> 0 at 1, op 2+1 -> results, 0 0+all -> 0 at 1, 0 0+all -> results, loops"},
    {"scf.parallel", "loops"},
    {"scf.forall", "loops"},
};

/* What MLIR's LoopLikeOpInterface says: ranges of induction variables, "?" where the bounds are maps, the region that
 * ends an iteration, and what each argument that is carried starts as and gets next. */
static const char *const want_loops[] = {
    "c..n by c, latch 0, 0.1 = x then a", /* scf.for */
    "",
    "",
    "latch 1, 0.0 = x then b", /* scf.while */
    "",
    "",
    "? by 1, latch 0, 0.1 = x then a", /* affine.for */
    "c..n by c",                       /* scf.parallel */
    "c..n by 1, 2..9 by 3",            /* scf.forall */
};

static void put_edges(NrBuf *out, const NrOp *op, uint32_t from) {
  NrRegionFlow flow = nr_region_flow(op, from < op->num_regions ? nr_op_region(op, from) : NULL);
  NrRegionEdge edge;
  while (nr_region_flow_next(&flow, &edge)) {
    if (from < op->num_regions) nr_buf_printf(out, "%u ", from);
    else nr_buf_puts(out, "op ");
    if (edge.num_operands == UINT32_MAX) nr_buf_printf(out, "%u+all -> ", edge.first_operand);
    else nr_buf_printf(out, "%u+%u -> ", edge.first_operand, edge.num_operands);
    if (edge.to) nr_buf_printf(out, "%u at %u, ", (unsigned)(edge.to - op->regions), edge.first_target);
    else nr_buf_puts(out, "results, ");
  }
}

/* What goes along an edge is of the types of what takes it, and as much. */
static void check_types(const NrOp *op, const NrRegion *from) {
  const NrOp *giver = from ? from->first->last : op;
  NrRegionFlow flow = nr_region_flow(op, from);
  NrRegionEdge edge;
  while (nr_region_flow_next(&flow, &edge)) {
    uint32_t count = NR_MIN(edge.num_operands, giver->num_operands - edge.first_operand);
    for (uint32_t i = 0; i < count; i++) {
      NrValue *target = nr_region_edge_target(op, &edge, i);
      assert_non_null(target);
      assert_ptr_equal(target->type, nr_operand(giver, edge.first_operand + i)->type);
    }
    assert_null(nr_region_edge_target(op, &edge, count));
  }
}

static void edges_of_ops(void **state) {
  NrContext *ctx = nr_context_create();
  NrModule *module = nr_parse_module(ctx, NR_STR(text), NR_STR("flow.mlir"), NULL, NULL);
  assert_non_null(module);
  size_t next = 0;
  for (NrOp *op = nr_op_body(nr_op_body(module->op, 0)->first, 0)->first; op; op = op->next) {
    if (!op->num_regions) continue;
    NrBuf edges = {0};
    put_edges(&edges, op, UINT32_MAX);
    for (uint32_t r = 0; r < op->num_regions; r++) put_edges(&edges, op, r);
    check_types(op, NULL);
    for (uint32_t r = 0; r < op->num_regions; r++)
      if (nr_op_body(op, r)) check_types(op, nr_op_region(op, r));
    nr_buf_puts(&edges, nr_op_runs_one_region(op) ? "once" : "loops");
    assert_in_range(next, 0, NR_COUNTOF(want) - 1);
    assert_string_equal(nr_op_info_name(op->info).data, want[next].op);
    assert_string_equal(edges.data, want[next].edges);
    nr_buf_deinit(&edges);
    next++;
  }
  assert_int_equal(next, NR_COUNTOF(want));
  nr_module_destroy(module);
  nr_context_destroy(ctx);
}

static void put_index(NrBuf *out, NrIndex index) {
  if (index.value) nr_buf_puts(out, index.value->name);
  else nr_buf_printf(out, "%d", (int)index.constant);
}

static void put_range(NrBuf *out, const NrLoopRange *range) {
  nr_buf_puts(out, out->size ? ", " : "");
  if (range->has_bounds) {
    put_index(out, range->lower);
    nr_buf_puts(out, "..");
    put_index(out, range->upper);
  } else {
    nr_buf_puts(out, "?");
  }
  nr_buf_puts(out, " by ");
  put_index(out, range->step);
}

static void put_loop(NrBuf *out, const NrOp *op) {
  NrLoopRange range, of_iv;
  NrValue *init, *next;
  for (uint32_t i = 0; nr_op_loop_range(op, i, &range); i++) {
    put_range(out, &range);
    assert_int_equal(nr_loop_range(range.iv, &of_iv), range.has_bounds);
  }
  const NrRegion *latch = nr_loop_latch(op);
  if (latch) nr_buf_printf(out, "%slatch %d", out->size ? ", " : "", (int)(latch - op->regions));
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (uint32_t i = 0; op->regions[r].first && i < op->regions[r].first->num_args; i++)
      if (nr_region_carried(&op->regions[r], i, &init, &next))
        nr_buf_printf(out, ", %u.%u = %s then %s", r, i, init->name, next->name);
}

static void loops_of_ops(void **state) {
  NrContext *ctx = nr_context_create();
  NrModule *module = nr_parse_module(ctx, NR_STR(text), NR_STR("flow.mlir"), NULL, NULL);
  assert_non_null(module);
  size_t at = 0;
  for (NrOp *op = nr_op_body(nr_op_body(module->op, 0)->first, 0)->first; op; op = op->next) {
    if (!op->num_regions) continue;
    NrBuf loop = {0};
    put_loop(&loop, op);
    assert_in_range(at, 0, NR_COUNTOF(want_loops) - 1);
    assert_string_equal(loop.size ? loop.data : "", want_loops[at]);
    nr_buf_deinit(&loop);
    at++;
  }
  assert_int_equal(at, NR_COUNTOF(want_loops));
  nr_module_destroy(module);
  nr_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(edges_of_ops), cmocka_unit_test(loops_of_ops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
