/* loop_coalescing.c - a nest of loops becomes one loop over all of its points.
 *
 *   before  scf.for %i = %c0 to %n step %c1 {          after  scf.for %k = %c0 to %n * %m step %c1 {
 *             scf.for %j = %c0 to %m step %c1 {                 %i = %k / %m
 *               body(%i, %j)                                    %j = %k mod %m
 *             }                                                 body(%i, %j)
 *           }                                                 }
 *
 * Bounds and steps may be anything, of any type and signed or not, if they do not depend on a variable of the nest;
 * what the loops carry is handed through all of them. A number of points beyond 2^63 - 1 counts as that many, which no
 * program lives to see. A step that is not known to be positive is looked at only where the loops around it run. */
#include "dialect/arith/arith.h"
#include "pass/loops.h"
#include "pass/pass.h"
#include "pass/ranges.h"

enum { MAX_DEPTH = 64 };

/* x * y, or the largest unsigned number when that is more. */
static NrValue *saturating_product(NrBuilder *b, NrValue *x, NrValue *y) {
  int64_t p, q, product;
  bool x_known = nr_value_constant_int(x, &p) && p >= 0, y_known = nr_value_constant_int(y, &q) && q >= 0;
  if (x_known && y_known && nr_mul_i64(p, q, &product)) return nr_arith_constant_index(b, product);
  if (x_known && p == 1) return y;
  if (y_known && q == 1) return x;
  NrType index = nr_type_index(b->ctx);
  NrOp *op = nr_build_op(b, NR_OP_arith_mului_extended, (NrValue *[]){x, y}, 2, (NrType[]){index, index}, 2);
  NrValue *fits = nr_arith_cmpi(b, NR_CMPI_EQ, nr_result(op, 1), nr_arith_constant_index(b, 0));
  return nr_arith_select(b, fits, nr_result(op, 0), nr_arith_constant_index(b, -1));
}

static bool is_one(const NrValue *value) {
  int64_t number;
  return nr_value_constant_int(value, &number) && number == 1;
}

/* A loop that never begins may have any step: then 1 stands for it. points: of the loops around. */
static void guard_step(NrBuilder *b, NrOp *loop, NrValue *points) {
  NrValue *step = nr_scf_for_step(loop);
  if (nr_range_of(step).min > 0) return;
  NrValue *runs = nr_fold_cmpi(b, NR_CMPI_NE, points, nr_arith_constant_index(b, 0));
  nr_op_set_operand(loop, 2, nr_fold_select(b, runs, step, nr_arith_constant_int(b, step->type, 1)));
}

static void coalesce(NrOp **nest, size_t depth) {
  NrOp *outer = nest[0], *inner = nest[depth - 1];
  NrBuilder b = nr_builder_before(outer);
  NrValue *trips[MAX_DEPTH], *total = NULL;
  for (size_t d = 0; d < depth; d++) {
    if (total) guard_step(&b, nest[d], total);
    trips[d] = nr_to_count(&b, nr_for_build_trips(&b, nest[d]));
    total = total ? saturating_product(&b, total, trips[d]) : trips[d];
  }
  total = nr_fold_binary(&b, NR_OP_arith_minui, total, nr_arith_constant_index(&b, INT64_MAX));
  NR_VEC(NrValue *) carried = {0};
  for (uint32_t i = 0; i < outer->num_results; i++) nr_vec_push(&carried, nr_scf_for_init(outer, i));
  NrOp *loop =
      nr_scf_for(&b, nr_arith_constant_index(&b, 0), total, nr_arith_constant_index(&b, 1), carried.data, carried.size);
  loop->loc = outer->loc;
  NrBuilder body = nr_scf_body_builder(loop, 0);
  NrValue *position = nr_scf_for_iv(loop);
  for (size_t d = depth; d-- > 0;) {
    NrValue *number = position;
    if (d > 0 && !is_one(trips[d])) {
      number = nr_arith_binary(&body, NR_OP_arith_remui, position, trips[d]);
      position = nr_arith_binary(&body, NR_OP_arith_divui, position, trips[d]);
    } else if (d > 0) {
      number = nr_arith_constant_index(&body, 0);
    }
    NrValue *iv = nr_scf_for_iv(nest[d]);
    NrValue *at = nr_for_build_iv(&body, nest[d], nr_from_count(&body, number, iv->type));
    if (at->op && at->op->block == body.block && !at->name.size) at->name = iv->name;
    nr_value_replace_uses(iv, at);
  }
  NrBlock *from = nr_op_body(inner, 0);
  for (uint32_t i = 0; i < inner->num_results; i++) {
    nr_scf_for_arg(loop, i)->name = nr_scf_for_arg(inner, i)->name;
    nr_value_replace_uses(nr_scf_for_arg(inner, i), nr_scf_for_arg(loop, i));
  }
  nr_block_splice(from, nr_op_body(loop, 0), NULL);
  for (uint32_t i = 0; i < outer->num_results; i++) carried.data[i] = nr_result(loop, i);
  nr_for_replace(outer, carried.data);
  nr_vec_deinit(&carried);
}

static NrStatus coalescing_run(NrPassContext *pass, NrOp *func) {
  (void)pass;
  NrOpList loops = {0};
  nr_collect_fors(func, &loops);
  for (size_t i = 0; i < loops.size; i++) {
    NrOp *nest[MAX_DEPTH];
    if (nr_is_erased(loops.data[i])) continue;
    size_t depth = nr_perfect_nest(loops.data[i], nest, MAX_DEPTH);
    if (depth > 1) coalesce(nest, depth);
  }
  nr_vec_deinit(&loops);
  return NR_OK;
}

NR_PASS(loop_coalescing, .name = "loop-coalescing", .on = "func.func", .run = coalescing_run,
        .doc = "makes one loop of a nest of loops whose bounds do not depend on each other")
