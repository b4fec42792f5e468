/* loop_unroll_jam.c - unroll and jam: copies of an outer loop's iterations share one inner loop.
 *
 *   before  scf.for %i = .. {                       after  scf.for %i = .. step 2 * %s {
 *             %x = before(%i)                                %x = before(%i)
 *             %r = scf.for %j = .. (%a = %x) {               %y = before(%i + %s)
 *               yield f(%i, %j, %a)                          %r:2 = scf.for %j = .. (%a = %x, %b = %y) {
 *             }                                                yield f(%i, %j, %a), f(%i + %s, %j, %b)
 *             after(%i, %r)                                  }
 *           }                                                after(%i, %r#0)
 *                                                            after(%i + %s, %r#1)
 *                                                          }
 *                                                          scf.for %i = ..      remaining iterations
 *
 * One load of the inner loop then serves several outer iterations (in a matrix product: several rows of A use one row
 * of B). Requires that the inner bounds do not depend on the outer loop, that the outer loop carries no values, that no
 * two dependent accesses change their order, and that the function stays below 2^17 ops. */
#include "dialect/arith/arith.h"
#include "pass/analysis/dependence.h"
#include "pass/loop/loops.h"
#include "pass/core/pass.h"

enum { MAX_OPS = 65536, MAX_ACCESSES = 128, MAX_FACTOR = 64 };

/* The position of an access relative to the inner loop. */
typedef enum Part { BEFORE, INSIDE, AFTER } Part;

typedef struct Pair {
  NrOp *outer, *inner;
  NrMemAccesses accesses;
} Pair;

static Part part_of(const Pair *p, const NrOp *op) {
  if (nr_op_is_ancestor(p->inner, op)) return INSIDE;
  NrOp *at = (NrOp *)op;
  while (at->block != p->inner->block) at = nr_op_parent(at);
  return nr_op_is_before(at, p->inner) ? BEFORE : AFTER;
}

static bool is_legal(const Pair *p, int64_t factor) {
  NrValue *i = nr_for_iv(p->outer), *j = nr_for_iv(p->inner);
  NrDistance both[2] = {{i, i, 1, factor - 1}, {j, j, -NR_FAR, -1}};
  for (size_t a = 0; a < p->accesses.size; a++)
    for (size_t b = 0; b < p->accesses.size; b++) {
      const NrMemAccess *first = &p->accesses.data[a], *second = &p->accesses.data[b];
      Part x = part_of(p, first->op), y = part_of(p, second->op);
      if (x > y && nr_may_conflict(first, second, both, 1)) return false;
      if (x == INSIDE && y == INSIDE && nr_may_conflict(first, second, both, 2)) return false;
    }
  return true;
}

static bool is_loop_beside(NrOp *op, void *user) { return op == user || !nr_op_has(op, NR_LOOP); }

/* The only inner loop of the outer body; it must be innermost and have bounds from outside of both loops. */
static NrOp *only_inner(NrOp *outer) {
  NrOp *inner = NULL;
  if (outer->num_results) return NULL;
  for (NrOp *op = nr_for_body(outer)->first; op; op = op->next) {
    if (!nr_is_for(op)) continue;
    if (inner) return NULL;
    inner = op;
  }
  if (inner && !nr_walk_pre(inner, is_loop_beside, inner)) return NULL;
  for (uint32_t i = 0; inner && i < inner->num_operands - inner->num_results; i++) {
    NrValue *bound = nr_operand(inner, i);
    if (nr_value_is_outside(bound, outer)) continue;
    if (!nr_value_constant(bound) || bound->op->block != inner->block) return NULL;
    nr_op_unlink(bound->op);
    nr_op_insert_before(bound->op, outer);
  }
  return inner;
}

/* Clones the ops of the outer body from `from` up to `to` (not included). */
static void clone_range(NrBuilder *b, NrOp *from, NrOp *to, NrMap *map) {
  for (NrOp *op = from; op != to; op = op->next) nr_builder_insert(b, nr_op_clone(b->module, op, map));
}

static NrValue *mapped(NrMap *map, NrValue *value) {
  NrValue *copy = nr_map_get(map, value);
  return copy ? copy : value;
}

/* Builds the jammed body of `factor` outer iterations at b. */
static void jam(NrBuilder *b, const Pair *p, NrValue *iv, int64_t factor) {
  NrOp *outer = p->outer, *inner = p->inner, *yield = nr_for_body(outer)->last;
  NrBlock *inner_body = nr_for_body(inner);
  NrMap maps[MAX_FACTOR] = {0};
  NR_VEC(NrValue *) carried = {0};
  for (int64_t k = 0; k < factor; k++) {
    nr_map_set(&maps[k], nr_for_iv(outer), nr_for_build_later(b, outer, iv, k));
    clone_range(b, nr_for_body(outer)->first, inner, &maps[k]);
    for (uint32_t i = 0; i < inner->num_results; i++)
      nr_vec_push(&carried, mapped(&maps[k], nr_for_init(inner, i)));
  }
  NrOp *loop = nr_for_with_inits(b, inner, carried.data, carried.size);
  NrBuilder at = nr_scf_body_builder(nr_op_only_body(loop));
  carried.size = 0;
  for (int64_t k = 0; k < factor; k++) {
    uint32_t base = (uint32_t)k * inner->num_results;
    nr_map_set(&maps[k], nr_for_iv(inner), nr_for_iv(loop));
    for (uint32_t i = 0; i < inner->num_results; i++) {
      nr_map_set(&maps[k], nr_for_arg(inner, i), nr_for_arg(loop, base + i));
      nr_map_set(&maps[k], nr_result(inner, i), nr_result(loop, base + i));
    }
    clone_range(&at, inner_body->first, inner_body->last, &maps[k]);
    for (uint32_t i = 0; i < inner->num_results; i++)
      nr_vec_push(&carried, mapped(&maps[k], nr_operand(inner_body->last, i)));
  }
  nr_for_yield(&at, inner, carried.data, carried.size);
  for (int64_t k = 0; k < factor; k++) {
    clone_range(b, inner->next, yield, &maps[k]);
    nr_map_deinit(&maps[k]);
  }
  nr_for_yield(b, outer, NULL, 0);
  nr_vec_deinit(&carried);
}

static void unroll_and_jam(const Pair *p, int64_t factor) {
  NrOp *outer = p->outer;
  NrBuilder b = nr_builder_before(outer);
  NrForCut cut = nr_for_build_cut(&b, outer, factor);
  if (cut.none) return;
  NrOp *main = nr_for_build_main(&b, outer, &cut, NULL);
  NrBuilder body = nr_scf_body_builder(nr_op_only_body(main));
  jam(&body, p, nr_for_iv(main), factor);
  if (cut.all) nr_op_erase(outer);
  else nr_for_keep_rest(outer, &cut, NULL);
}

static NrStatus unroll_jam_run(NrPassContext *pass, NrOp *func) {
  int64_t factor = nr_pass_int(pass, "unroll-jam-factor");
  NrOpList loops = {0};
  size_t left = nr_copies_left(func);
  nr_collect_loops(func, &loops);
  for (size_t i = loops.size; i-- > 0 && factor > 1;) {
    NrOp *outer = loops.data[i];
    Pair pair = {.outer = outer, .inner = nr_is_erased(outer) ? NULL : only_inner(outer)};
    if (!pair.inner || (uint64_t)factor > nr_for_largest(outer)) continue;
    bool small = nr_count_ops(outer, MAX_OPS) <= MAX_OPS / (size_t)factor;
    bool known = small && nr_collect_accesses(outer, &pair.accesses) && pair.accesses.size <= MAX_ACCESSES;
    known = known && is_legal(&pair, factor) && nr_take_copies(&left, outer, (uint64_t)factor);
    if (known) unroll_and_jam(&pair, factor);
    nr_vec_deinit(&pair.accesses);
  }
  nr_vec_deinit(&loops);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_INT("unroll-jam-factor", 4, 1, MAX_FACTOR, "outer iterations per new iteration"),
    {0},
};
NR_PASS(loop_unroll_jam, .name = "loop-unroll-and-jam", .on_while = NR_WHILE_BARRIER, .on = "func.func",
        .run = unroll_jam_run, .options = options, .doc = "unrolls outer loops and fuses the copies of the inner loop")
