/* for_to_parallel.c - makes loops parallel whose iterations are independent.
 *   before  %r = scf.for %i = %lb to %ub step %st         after  %r = scf.parallel (%i) = (%lb) to (%ub) step (%st)
 *                iter_args(%a = %z) -> (i32) {                         init (%z) -> i32 {
 *             %x = memref.load %m[%i]                               %x = memref.load %m[%i]
 *             memref.store %x, %o[%i]                               memref.store %x, %o[%i]
 *             %s = arith.addi %a, %x : i32                          scf.reduce(%x : i32) {
 *             scf.yield %s : i32                                    ^bb0(%l: i32, %r: i32):
 *           }                                                         %s = arith.addi %l, %r : i32
 *                                                                     scf.reduce.return %s : i32
 *                                                                 } }
 * No iteration may touch what another one writes (dependence.h). A carried value must be a reduction by one associative
 * and commutative op: of integers, or of floats that may be reassociated. An element of memory that every iteration
 * loads, combines and stores is such a reduction too; it becomes a carried value, loaded and stored only where the loop
 * runs:
 *
 *   scf.for {                                  %runs = lb < ub
 *     %s = memref.load %m[%k]                  scf.if %runs {
 *     %t = arith.addi %s, %x         is          %s = memref.load %m[%k]
 *     memref.store %t, %m[%k]                    %t = scf.for iter_args(%c = %s) { yield arith.addi %c, %x }
 *   }                                            memref.store %t, %m[%k]
 *                                              }
 * Where several iterations fail a check, any of them may be the one that is reported.
 * A perfect nest of such loops becomes one loop of several dims, where the inner steps are known to be positive. */
#include "dialect/arith/arith.h"
#include "dialect/operands.h"
#include "pass/analysis/dependence.h"
#include "pass/loop/loops.h"
#include "pass/loop/parallel.h"
#include "pass/core/outline.h"
#include "pass/core/pass.h"
#include "pass/analysis/ranges.h"
#include "pass/analysis/reductions.h"
#include "target/cost.h"

/* ---- independent iterations -------------------------------------------------------------------------------------- */

/* Whether all values of the induction variable's type are valid as index. */
static bool counts_indices(NrOp *loop) {
  NrType type = nr_scf_for_iv(loop)->type;
  uint32_t bits = nr_type_bits(type);
  return bits < 64 || (bits == 64 && !nr_is_unsigned_for(loop));
}

/* Whether the loop can be analysed; collects its accesses. */
static bool is_understood(NrOp *loop, NrMemAccesses *out) {
  return counts_indices(loop) && nr_only_reduces(loop) && nr_collect_accesses_of_run(loop, out);
}

/* ---- elements of memory ------------------------------------------------------------------------------------------ */

typedef struct Cell {
  NrOp *load, *store;
} Cell;

static bool is_cell(NrOp *loop, const Cell *cell) {
  NrReduction r;
  bool affine = nr_op_is(cell->load, NR_OP_affine_load);
  bool same = cell->load->num_operands + 1 == cell->store->num_operands && nr_op_is_before(cell->load, cell->store) &&
              nr_op_is(cell->store, affine ? NR_OP_affine_store : NR_OP_memref_store) &&
              nr_op_attr(cell->load, NR_A_map) == nr_op_attr(cell->store, NR_A_map);
  size_t first = nr_op_memref_index(cell->store); /* memref and indices, as those of the load */
  for (uint32_t i = 0; same && i < cell->load->num_operands; i++) {
    NrValue *value = nr_operand(cell->load, i);
    same = value == nr_operand(cell->store, first + i) && nr_value_is_outside(value, loop);
  }
  if (!same) return false;
  bool reduces =
      nr_reduction_between(nr_op_result(cell->load), cell->store, (uint32_t)nr_op_value_index(cell->store), &r);
  nr_vec_deinit(&r.steps);
  return reduces;
}

static bool find_cell(NrOp *loop, Cell *out) {
  NrBlock *body = nr_scf_for_body(loop);
  for (NrOp *store = body->first; store; store = store->next) {
    bool stores = nr_op_is(store, NR_OP_memref_store) || nr_op_is(store, NR_OP_affine_store);
    for (NrOp *load = body->first; stores && load != store; load = load->next) {
      *out = (Cell){load, store};
      bool loads = nr_op_is(load, NR_OP_memref_load) || nr_op_is(load, NR_OP_affine_load);
      if (loads && is_cell(loop, out)) return true;
    }
  }
  return false;
}

/* Whether no other access in the loop touches the cell, in any iteration. */
static bool is_alone(const NrMemAccesses *list, NrOp *loop, const Cell *cell) {
  NrValue *iv = nr_scf_for_iv(loop);
  NrDistance any = {iv, iv, -NR_FAR, NR_FAR};
  for (size_t i = 0; i < list->size; i++)
    for (size_t k = 0; k < list->size; k++) {
      const NrMemAccess *mine = &list->data[i], *other = &list->data[k];
      bool is_mine = mine->op == cell->load || mine->op == cell->store;
      bool is_other = other->op != cell->load && other->op != cell->store;
      if (is_mine && is_other && nr_may_conflict(mine, other, &any, 1)) return false;
    }
  return true;
}

/* Whether the iterations are independent apart from the cell. */
static bool cell_is_all(const NrMemAccesses *list, NrOp *loop, const Cell *cell) {
  NrMemAccesses others = {0};
  for (size_t i = 0; i < list->size; i++)
    if (list->data[i].op != cell->load && list->data[i].op != cell->store) nr_vec_push(&others, list->data[i]);
  bool holds = nr_iterations_independent(&others, nr_scf_for_iv(loop)) && is_alone(list, loop, cell);
  nr_vec_deinit(&others);
  return holds;
}

static NrOp *copy_at(NrBuilder *b, NrOp *op) {
  NrMap map = {0};
  NrOp *copy = nr_op_clone(b->module, op, &map);
  nr_map_deinit(&map);
  nr_builder_insert(b, copy);
  return copy;
}

/* Makes the cell a carried value. Returns the new loop, in an scf.if that tests whether it has iterations. */
static NrOp *carry_cell(NrOp *loop, const Cell *cell) {
  NrBuilder b = nr_builder_before(loop);
  NrValue *runs = nr_for_build_goes_on(&b, loop, nr_scf_for_lower_bound(loop));
  NrOp *branch = nr_scf_if(&b, runs, NULL, 0, false);
  NrOp *load = cell->load, *store = cell->store, *yield = nr_scf_for_body(loop)->last;
  NrValue *carried = nr_op_result(load), *next = nr_op_value(store);
  b = nr_scf_body_builder(nr_scf_if_then_body(branch));
  NrOp *first = copy_at(&b, load);
  NrOp *made = nr_scf_for(&b, nr_scf_for_lower_bound(loop), nr_scf_for_upper_bound(loop), nr_scf_for_step(loop),
                          &(NrValue *){nr_op_result(first)}, 1);
  nr_op_set_operand(copy_at(&b, store), nr_op_value_index(store), nr_op_result(made));
  nr_scf_yield(&b, NULL, 0);
  for (uint32_t i = 0; i < loop->num_attrs; i++)
    nr_op_set_attr_named(made, loop->attrs[i].name.data, loop->attrs[i].value);
  made->loc = loop->loc;
  nr_scf_for_iv(made)->name = nr_scf_for_iv(loop)->name;
  nr_value_replace_uses(nr_scf_for_iv(loop), nr_scf_for_iv(made));
  nr_value_replace_uses(carried, nr_scf_for_arg(made, 0));
  nr_op_erase(load);
  nr_op_erase(store);
  nr_op_erase(yield);
  nr_block_splice(nr_scf_for_body(loop), nr_scf_for_body(made), NULL);
  b = nr_scf_body_builder(nr_op_only_body(made));
  nr_scf_yield(&b, &next, 1);
  nr_op_erase(loop);
  return made;
}

/* ---- one loop ---------------------------------------------------------------------------------------------------- */

static void add_combination(NrOp *reduce, uint32_t i, const NrReduction *r) {
  NrBlock *block = nr_block_create(reduce->module);
  nr_block_append(nr_op_region(reduce, i), block);
  NrType type = nr_operand(reduce, i)->type;
  NrValue *args[2];
  for (size_t k = 0; k < 2; k++) args[k] = nr_block_add_arg(block, type, reduce->loc);
  NrBuilder b = nr_builder_at_end(reduce->module, block, r->steps.data[0].op->loc);
  NrValue *combined = nr_reduction_combine(&b, r, args[0], args[1]);
  nr_build_op(&b, NR_OP_scf_reduce_return, &combined, 1, NULL, 0);
}

/* Converts a bound to index. */
static NrValue *to_index(NrBuilder *b, const NrOp *loop, NrValue *value) {
  if (nr_type_is_index(value->type)) return value;
  unsigned id = nr_is_unsigned_for(loop) ? NR_OP_arith_index_castui : NR_OP_arith_index_cast;
  return nr_build_value(b, id, nr_type_index(b->ctx), &value, 1);
}

static NrOp *to_parallel(NrOp *loop) {
  uint32_t count = loop->num_results;
  NrBlock *from = nr_scf_for_body(loop);
  NrBuilder b = nr_builder_before(loop);
  NR_VEC(NrValue *) values = {0};
  NR_VEC(NrReduction) reductions = {0};
  for (uint32_t i = 0; i < count; i++) nr_vec_push(&values, nr_scf_for_init(loop, i));
  NrOp *parallel = nr_scf_parallel(&b, &(NrValue *){to_index(&b, loop, nr_scf_for_lower_bound(loop))},
                                   &(NrValue *){to_index(&b, loop, nr_scf_for_upper_bound(loop))},
                                   &(NrValue *){to_index(&b, loop, nr_scf_for_step(loop))}, 1, values.data, count);
  NrBlock *body = nr_scf_parallel_body(parallel);
  NrValue *iv = body->args[0], *old = nr_scf_for_iv(loop);
  for (uint32_t i = 0; i < count; i++) {
    NrReduction r;
    nr_reduction_of(loop, i, &r);
    nr_vec_push(&reductions, r);
    values.data[i] = nr_reduction_build_term(&r);
  }
  iv->name = old->name;
  b = nr_scf_body_builder(nr_op_only_body(parallel));
  if (!nr_type_is_index(old->type)) iv = nr_build_value(&b, NR_OP_arith_index_cast, old->type, &iv, 1);
  nr_value_replace_uses(old, iv);
  for (uint32_t i = 0; i < count; i++) /* a term may be the induction variable itself */
    if (values.data[i] == old) values.data[i] = iv;
  nr_op_erase(from->last);
  nr_block_splice(from, body, NULL);
  b = nr_scf_body_builder(nr_op_only_body(parallel));
  NrOp *reduce = nr_scf_reduce(&b, values.data, count);
  for (uint32_t i = 0; i < count; i++) {
    add_combination(reduce, i, &reductions.data[i]);
    nr_reduction_erase(&reductions.data[i]);
    nr_vec_deinit(&reductions.data[i].steps);
  }
  for (uint32_t i = 0; i < loop->num_attrs; i++)
    if (!nr_str_is(loop->attrs[i].name, "unsignedCmp"))
      nr_op_set_attr_named(parallel, loop->attrs[i].name.data, loop->attrs[i].value);
  nr_replace_loop(loop, parallel);
  nr_vec_deinit(&values);
  nr_vec_deinit(&reductions);
  return parallel;
}

/* ---- nests ------------------------------------------------------------------------------------------------------- */

/* A parallel loop evaluates the steps of all dims before it begins, so a step that is not positive would fail there
 * even where the outer loop does not run. */
static bool has_positive_steps(const NrOp *loop) {
  for (uint32_t d = 0; d < nr_parallel_rank(loop); d++)
    if (nr_range_of(nr_parallel_step(loop, d)).min <= 0) return false;
  return true;
}

/* Merges a parallel loop with the only op in its body, a parallel loop with invariant bounds. */
static void merge_nest(NrOp *outer) {
  NrBlock *body = nr_scf_parallel_body(outer);
  NrOp *inner = body->first;
  if (outer->num_results || !nr_op_is(inner, NR_OP_scf_parallel) || inner->num_results || inner->next != body->last)
    return;
  if (!has_positive_steps(inner)) return;
  uint32_t ranks[] = {nr_parallel_rank(outer), nr_parallel_rank(inner)}, rank = ranks[0] + ranks[1];
  for (uint32_t i = 0; i < inner->num_operands; i++)
    if (nr_value_block(nr_operand(inner, i)) == body) return;
  NR_VEC(NrValue *) bounds = {0};
  NrOp *loops[] = {outer, inner};
  for (uint32_t g = 0; g < 3; g++)
    for (size_t n = 0; n < 2; n++)
      for (uint32_t d = 0; d < ranks[n]; d++) nr_vec_push(&bounds, nr_operand(loops[n], g * ranks[n] + d));
  NrBuilder b = nr_builder_before(outer);
  NrOp *merged = nr_scf_parallel(&b, bounds.data, bounds.data + rank, bounds.data + 2 * rank, rank, NULL, 0);
  nr_vec_deinit(&bounds);
  NrBlock *to = nr_scf_parallel_body(merged);
  for (size_t n = 0, at = 0; n < 2; n++)
    for (uint32_t d = 0; d < ranks[n]; d++, at++) {
      NrValue *old = nr_scf_parallel_body(loops[n])->args[d];
      to->args[at]->name = old->name;
      nr_value_replace_uses(old, to->args[at]);
    }
  nr_block_splice(nr_scf_parallel_body(inner), to, NULL);
  nr_op_erase(outer);
}

/* The loop, or its rewritten form, if it may become parallel; otherwise NULL. */
static NrOp *independent_form(NrOp *loop) {
  NrMemAccesses list = {0};
  NrOp *form = NULL;
  Cell cell;
  if (is_understood(loop, &list) && list.size <= NR_MAX_COMPARED) {
    if (nr_iterations_independent(&list, nr_scf_for_iv(loop))) form = loop;
    else if (!loop->num_results && find_cell(loop, &cell) && cell_is_all(&list, loop, &cell))
      form = carry_cell(loop, &cell);
  }
  nr_vec_deinit(&list);
  return form;
}

bool nr_for_is_independent(NrOp *loop) {
  NrMemAccesses list = {0};
  bool independent = is_understood(loop, &list) && list.size <= NR_MAX_COMPARED &&
                     nr_iterations_independent(&list, nr_scf_for_iv(loop));
  nr_vec_deinit(&list);
  return independent;
}

NrOp *nr_for_to_parallel(NrOp *loop) {
  NrOp *form = independent_form(loop);
  return form ? to_parallel(form) : NULL;
}

/* Whether an iteration is worth a workgroup of its own, in a loop that a dispatch may run. */
static bool is_heavy(const NrTarget *target, NrOp *loop) {
  NrCost cost = nr_cost_of_block(target, nr_scf_for_body(loop), false);
  double ns = nr_cost_ns(target, cost, (double)target->cache_bytes[1]);
  return ns >= (double)nr_cost_workgroup_ns(target) && nr_host_function(loop);
}

static NrStatus for_to_parallel_run(NrPassContext *pass, NrOp *root) {
  bool heavy = nr_pass_flag(pass, "heavy");
  NrOpList ops = {0};
  NR_VEC(NrOp *) made = {0};
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++) {
    NrOp *loop = ops.data[i];
    if (nr_is_erased(loop) || !nr_op_is(loop, NR_OP_scf_for) || (heavy && !is_heavy(pass->target, loop))) continue;
    if ((loop = nr_for_to_parallel(loop))) nr_vec_push(&made, loop);
  }
  for (size_t i = made.size; i-- > 0;) merge_nest(made.data[i]);
  nr_vec_deinit(&made);
  nr_vec_deinit(&ops);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_FLAG("heavy", 0, "only loops of which an iteration takes as long as a workgroup should"),
    {0},
};
NR_PASS(for_to_parallel, .name = "scf-for-to-parallel", .on_while = NR_WHILE_BARRIER, .run = for_to_parallel_run,
        .options = options, .doc = "makes loops parallel whose iterations are independent")
