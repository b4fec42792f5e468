/* licm.c - loop-invariant code motion: what is the same in every iteration is computed once, before the loop.
 *   before  scf.for %i = %lb to %ub step %st {          after  %0 = arith.mulf %a, %b : f32
 *             %0 = arith.mulf %a, %b : f32                     scf.for %i = %lb to %ub step %st {
 *             memref.store %0, %m[%i] : memref<?xf32>            memref.store %0, %m[%i] : memref<?xf32>
 *           }                                                  }
 * Only ops that may run although the loop runs no iteration are moved: not a division by what may be 0, nor a slice
 * that may not be there (speculation.c). Loads are moved out of loops that are known to run, scf.for with constant
 * bounds and the first region of scf.while, when nothing in the loop may write there. An rt.check of what does not
 * change is asked once, in front of the loop; where that may run no iteration, only if it runs one. Inner loops first,
 * so that an op leaves as many loops as it can. */
#include "dialect/arith/arith.h"
#include "dialect/scf/scf.h"
#include "pass/analysis/dependence.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

/* Every value that op and the ops in it use is from outside of the loop, or from op itself. */
typedef struct Invariance {
  const NrOp *loop, *op;
} Invariance;

static bool uses_outside_only(NrOp *inner, void *user) {
  const Invariance *v = user;
  for (uint32_t i = 0; i < inner->num_operands; i++) {
    const NrOp *owner = nr_block_parent_op(nr_value_block(nr_operand(inner, i)));
    bool from_op = inner != v->op && nr_op_is_ancestor(v->op, owner);
    if (!from_op && nr_op_is_ancestor(v->loop, owner)) return false;
  }
  return true;
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

enum { MAX_ACCESSES = 256 };

/* What a loop does to memory, found when the first load asks. */
typedef struct Memory {
  NrOp *loop;
  bool asked, known;
  NrMemAccesses accesses;
} Memory;

/* The ops of this block run at least once when the loop is reached. */
static bool runs_at_once(NrOp *loop, const NrBlock *block) {
  uint64_t trips;
  if (nr_op_is(loop, NR_OP_scf_for)) return nr_scf_for_trip_count(loop, &trips) && trips > 0;
  return nr_op_is(loop, NR_OP_scf_while) && block == nr_op_body(loop, 0);
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

/* The op is reached in the first iteration, and nothing that can be seen is done before it: what fails there may fail
 * in front of the loop. */
static bool is_asked_first(const NrOp *loop, const NrOp *check) {
  if (!nr_op_is(loop, NR_OP_scf_for) && !nr_op_is(loop, NR_OP_scf_while)) return false;
  if (check->block != nr_op_body(loop, 0)) return false;
  for (NrOp *before = check->prev; before; before = before->prev)
    if (!nr_op_is_pure(before) && !nr_op_is(before, NR_OP_rt_check)) return false;
  return true;
}

static void hoist_check(NrOp *loop, NrOp *check) {
  if (!runs_at_once(loop, check->block)) {
    NrBuilder b = nr_builder_before(loop);
    bool is_unsigned = nr_op_attr(loop, "unsignedCmp") != NULL;
    NrValue *ends = nr_arith_cmpi(&b, is_unsigned ? NR_CMPI_UGE : NR_CMPI_SGE, nr_scf_for_lower(loop),
                                  nr_scf_for_upper(loop));
    nr_op_set_operand(check, 0, nr_arith_binary(&b, NR_OP_arith_ori, ends, nr_operand(check, 0)));
  }
  nr_op_unlink(check);
  nr_op_insert_before(check, loop);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static void hoist_from(NrOp *loop) {
  Memory memory = {.loop = loop};
  for (uint32_t r = 0; r < loop->num_regions; r++)
    for (NrBlock *block = loop->regions[r].first; block; block = block->next)
      for (NrOp *op = block->first, *next; op; op = next) {
        next = op->next;
        if (nr_op_has(op, NR_TERMINATOR) || !nr_walk_pre(op, uses_outside_only, &(Invariance){loop, op})) continue;
        if (nr_op_is(op, NR_OP_rt_check) && is_asked_first(loop, op)) {
          hoist_check(loop, op);
          continue;
        }
        if (!nr_op_is_speculatable(op) && !loads_the_same(&memory, op)) continue;
        nr_op_unlink(op);
        nr_op_insert_before(op, loop);
      }
  nr_vec_deinit(&memory.accesses);
}

static bool visit(NrOp *op, void *user) {
  if (nr_op_has(op, NR_LOOP) && !nr_op_has(op, NR_ISOLATED) && op->block) hoist_from(op);
  return true;
}

static NrStatus licm_run(NrPassContext *pass, NrOp *op) {
  nr_walk_post(op, visit, NULL);
  return NR_OK;
}

NR_PASS(licm, .name = "licm", .run = licm_run, .doc = "moves what does not change in a loop in front of it")
