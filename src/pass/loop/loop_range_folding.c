/* loop_range_folding.c - folds arithmetic on the induction variable into the bounds and the step.
 *   before  scf.for %i = %c0 to %c64 step %c1 {        after  scf.for %j = %c8 to %c264 step %c4 {
 *             %0 = arith.muli %i, %c4 : index                    memref.store %x, %m[%j] : memref<?xf32>
 *             %1 = arith.addi %0, %c8 : index                  }
 *             memref.store %x, %m[%1] : memref<?xf32>
 *           }
 * Applies to sums and products with a value from outside the loop that are the only use of the variable, in signed
 * loops. The new bounds must be known not to overflow and the factor to be positive; else the number of iterations
 * would change. The ranges of constants, memref sizes and arithmetic on them usually suffice, those of function
 * arguments do not. */
#include "dialect/arith/arith.h"
#include "dialect/operands.h"
#include "pass/loop/loops.h"
#include "pass/core/pass.h"
#include "pass/analysis/ranges.h"

/* The only user of the induction variable, if it is a sum or product with a value from outside; *out_other is that
 * value. Otherwise NULL. */
static NrOp *only_user(NrOp *loop, NrValue **out_other) {
  NrValue *iv = nr_scf_for_iv(loop);
  if (!nr_value_has_one_use(iv)) return NULL;
  NrOp *user = iv->first_use->owner;
  bool sum = nr_op_is(user, NR_OP_arith_addi) || nr_op_is(user, NR_OP_arith_muli) ||
             (nr_op_is(user, NR_OP_arith_subi) && nr_arith_subi_lhs(user) == iv);
  if (!sum) return NULL;
  *out_other = nr_op_lhs(user) == iv ? nr_op_rhs(user) : nr_op_lhs(user);
  return nr_value_is_outside(*out_other, loop) ? user : NULL;
}

static bool corners_fit(unsigned op_id, NrRange x, NrRange y, NrRange type) {
  const int64_t xs[2] = {x.min, x.max}, ys[2] = {y.min, y.max};
  for (int i = 0; i < 4; i++) {
    int64_t a = xs[i / 2], b = ys[i % 2], out;
    bool exact = op_id == NR_OP_arith_muli   ? nr_mul_i64(a, b, &out)
                 : op_id == NR_OP_arith_subi ? nr_sub_i64(a, b, &out)
                                             : nr_add_i64(a, b, &out);
    if (!exact || out < type.min || out > type.max) return false;
  }
  return true;
}

/* Whether no new bound overflows and an empty loop stays empty. */
static bool may_fold(const NrOp *loop, const NrOp *user, NrValue *other) {
  int64_t largest = (int64_t)nr_for_largest(loop);
  NrRange type = {-largest - 1, largest}, by = nr_range_of(other);
  unsigned id = user->info->id;
  if (nr_is_unsigned_for(loop)) return false;
  if (id == NR_OP_arith_muli && (by.min <= 0 || !corners_fit(id, nr_range_of(nr_scf_for_step(loop)), by, type)))
    return false;
  return corners_fit(id, nr_range_of(nr_scf_for_lower_bound(loop)), by, type) &&
         corners_fit(id, nr_range_of(nr_scf_for_upper_bound(loop)), by, type);
}

static bool fold_into_range(NrOp *loop) {
  NrValue *other;
  NrOp *user = only_user(loop, &other);
  if (!user || !may_fold(loop, user, other)) return false;
  NrBuilder b = nr_builder_before(loop);
  unsigned id = user->info->id;
  uint32_t last = id == NR_OP_arith_muli ? NR_SCF_FOR_STEP : NR_SCF_FOR_UPPER_BOUND;
  for (uint32_t i = NR_SCF_FOR_LOWER_BOUND; i <= last; i++)
    nr_op_set_operand(loop, i, nr_fold_binary(&b, id, nr_operand(loop, i), other));
  NrValue *iv = nr_scf_for_iv(loop);
  return nr_op_replace(user, iv);
}

static NrStatus range_folding_run(NrPassContext *pass, NrOp *func) {
  (void)pass;
  NrOpList loops = {0};
  nr_collect_fors(func, &loops);
  for (size_t i = 0; i < loops.size; i++)
    while (fold_into_range(loops.data[i])) {
    }
  nr_vec_deinit(&loops);
  return NR_OK;
}

NR_PASS(loop_range_folding, .name = "scf-for-loop-range-folding", .on_while = NR_WHILE_BARRIER, .on = "func.func",
        .run = range_folding_run,
        .doc = "folds sums and products of an induction variable into the loop's bounds and step")
