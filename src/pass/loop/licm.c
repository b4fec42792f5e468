/* licm.c - loop-invariant code motion.
 *   before  scf.for %i = %lb to %ub step %st {          after  %0 = arith.mulf %a, %b : f32
 *             %0 = arith.mulf %a, %b : f32                     scf.for %i = %lb to %ub step %st {
 *             memref.store %0, %m[%i] : memref<?xf32>            memref.store %0, %m[%i] : memref<?xf32>
 *           }                                                  }
 * Moves only ops that are speculatable, because the loop may have no iterations: no division by a possible 0, no slice
 * that may be out of bounds (speculation.c). Moves loads out of loops that are known to run (scf.for with constant
 * bounds and the first region of scf.while), when no op in the loop may write there. Moves an rt.check of invariant
 * values in front of the loop; there it also passes where the loop has no iterations. So an op that relies on a check
 * moves only where the check says as much in front of the loop. Handles inner loops first, so that an op leaves as many
 * loops as possible. */
#include "dialect/arith/arith.h"
#include "dialect/rt/ops.h"
#include "dialect/scf/scf.h"
#include "ir/region_flow.h"
#include "pass/analysis/dependence.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

/* For the check that op and its nested ops only use values from outside the loop or from op itself. */
typedef struct Invariance {
  const NrOp *loop, *op;
} Invariance;

static bool uses_outside_only(NrOp *inner, void *user) {
  const Invariance *v = user;
  for (uint32_t i = 0; i < inner->num_operands; i++) {
    const NrValue *value = nr_operand(inner, i);
    bool from_op = inner != v->op && !nr_value_is_outside(value, v->op);
    if (!from_op && !nr_value_is_outside(value, v->loop)) return false;
  }
  return true;
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

enum { MAX_ACCESSES = 256 };

/* The memory accesses of a loop, collected for the first load. */
typedef struct Memory {
  NrOp *loop;
  bool asked, known;
  NrMemAccesses accesses;
} Memory;

/* Whether the ops of this block run at least once whenever the loop is reached. */
static bool runs_at_once(NrOp *loop, const NrBlock *block) {
  uint64_t trips;
  if (nr_op_is(loop, NR_OP_scf_for)) return nr_scf_for_trip_count(loop, &trips) && trips > 0;
  return block == block->region->first && nr_region_is_entered_first(block->region);
}

static bool is_written(Memory *m, NrValue *memref) {
  if (!m->asked) m->known = nr_collect_accesses(m->loop, &m->accesses) && m->accesses.size <= MAX_ACCESSES;
  m->asked = true;
  for (size_t i = 0; m->known && i < m->accesses.size; i++)
    if (m->accesses.data[i].writes && nr_may_alias(memref, m->accesses.data[i].memref)) return true;
  return !m->known;
}

static bool loads_the_same(Memory *m, NrOp *op) {
  NrMemAccesses own = {0};
  bool plain = op->num_regions == 0 && nr_op_only_reads(op) && runs_at_once(m->loop, op->block);
  bool same = plain && nr_collect_accesses(op, &own) && own.size > 0;
  for (size_t i = 0; same && i < own.size; i++) same = !own.data[i].writes && !is_written(m, own.data[i].memref);
  nr_vec_deinit(&own);
  return same;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Whether the check runs in the first iteration and no op with effects precedes it, so that it may run, and fail,
 * before the loop. */
static bool is_asked_first(const NrOp *loop, const NrOp *check) {
  if (check->block != check->block->region->first) return false;
  if (!nr_op_is(loop, NR_OP_scf_for) && !nr_region_is_entered_first(check->block->region)) return false;
  for (NrOp *before = check->prev; before; before = before->prev)
    if (!nr_op_is_pure(before) && !nr_op_is(before, NR_OP_rt_check)) return false;
  return true;
}

static void hoist_check(NrOp *loop, NrOp *check) {
  if (!runs_at_once(loop, check->block)) {
    NrBuilder b = nr_builder_before(loop);
    bool is_unsigned = nr_op_attr(loop, NR_A_unsignedCmp) != NULL;
    NrValue *ends = nr_arith_cmpi(&b, is_unsigned ? NR_CMPI_UGE : NR_CMPI_SGE, nr_scf_for_lower_bound(loop),
                                  nr_scf_for_upper_bound(loop));
    nr_op_set_operand(check, NR_RT_CHECK_COND, nr_arith_binary(&b, NR_OP_arith_ori, ends, nr_rt_check_cond(check)));
  }
  nr_op_unlink(check);
  nr_op_insert_before(check, loop);
}

/* ---- ops that cannot fail in front of the loop ------------------------------------------------------------------- */

/* A loop, and what is known in front of it; known is made for the first op that needs it. */
typedef struct Hoisting {
  NrOp *loop;
  NrProver *known;
  Memory memory;
} Hoisting;

/* Assumes what the ops before `to`, in its block and in those around it, check. */
static void assume_before(NrProver *p, NrOp *to) {
  if (!to->block || nr_op_has(to, NR_ISOLATED)) return;
  assume_before(p, nr_op_parent(to));
  for (NrOp *op = to->block->first; op != to; op = op->next)
    if (nr_op_is(op, NR_OP_rt_check)) nr_prover_visit(p, op);
}

static bool gives_a_tensor(const NrOp *op) {
  bool any = false;
  for (uint32_t i = 0; i < op->num_results; i++) any |= nr_result(op, i)->type->kind == NR_TYPE_TENSOR;
  return any;
}

static bool cannot_fail(Hoisting *h, NrOp *op) {
  if (nr_op_is_speculatable(op)) return true;
  if (!gives_a_tensor(op) || !nr_op_is_pure(op)) return false;
  if (!h->known) {
    h->known = nr_prover_create();
    assume_before(h->known, h->loop);
  }
  return nr_op_is_speculatable_where(op, h->known);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static void hoist_from_block(Hoisting *h, NrBlock *block) {
  bool check_stays = false; /* and may be the reason that a load behind it is inside of its memory */
  for (NrOp *op = block->first, *next; op; op = next) {
    next = op->next;
    if (nr_op_has(op, NR_TERMINATOR) || !nr_walk_pre(op, uses_outside_only, &(Invariance){h->loop, op})) continue;
    if (nr_op_is(op, NR_OP_rt_check) && is_asked_first(h->loop, op)) {
      hoist_check(h->loop, op);
      if (h->known) nr_prover_visit(h->known, op);
      continue;
    }
    check_stays |= nr_op_is(op, NR_OP_rt_check);
    if (!cannot_fail(h, op) && (check_stays || !loads_the_same(&h->memory, op))) continue;
    nr_op_unlink(op);
    nr_op_insert_before(op, h->loop);
  }
}

static void hoist_from(NrOp *loop) {
  Hoisting h = {.loop = loop, .memory = {.loop = loop}};
  for (uint32_t r = 0; r < loop->num_regions; r++)
    for (NrBlock *block = loop->regions[r].first; block; block = block->next) hoist_from_block(&h, block);
  if (h.known) nr_prover_destroy(h.known);
  nr_vec_deinit(&h.memory.accesses);
}

static bool visit(NrOp *op, void *user) {
  if (nr_op_has(op, NR_LOOP) && !nr_op_has(op, NR_ISOLATED) && op->block) hoist_from(op);
  return true;
}

static NrStatus licm_run(NrPassContext *pass, NrOp *op) {
  nr_walk_post(op, visit, NULL);
  return NR_OK;
}

NR_PASS(licm, .name = "licm", .on_while = NR_WHILE_HANDLES, .run = licm_run,
        .doc = "moves loop-invariant ops in front of loops")
