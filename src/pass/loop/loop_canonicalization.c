/* loop_canonicalization.c - simplifies ops by the ranges of enclosing loops.
 *   before  scf.for %i = %c0 to %c64 step %c16 {           after  scf.for %i = %c0 to %c64 step %c16 {
 *             %left = arith.subi %c64, %i : index                   use(%c16)
 *             %n = arith.minsi %left, %c16 : index                }
 *             use(%n)
 *           }
 * Folds minima, maxima and comparisons whose outcome is known, remainders of values below the divisor, and results of
 * affine.min and affine.max that never matter. Replaces sizes of carried tensors and of loop results by those of the
 * initial tensor, where the body keeps the shape. */
#include "dialect/affine/affine.h"
#include "dialect/arith/arith.h"
#include "dialect/operands.h"
#include "dialect/tensor/ops.h"
#include "pass/loop/loops.h"
#include "pass/core/pass.h"
#include "pass/analysis/ranges.h"

static bool is_scalar(const NrOp *op) {
  return nr_type_is_int_or_index(nr_op_lhs(op)->type) && nr_type_bits(nr_op_lhs(op)->type) <= 64;
}

/* ---- known outcomes ---------------------------------------------------------------------------------------------- */

/* 1 if x <= y always holds, -1 if x >= y always holds, otherwise 0. */
static int order_of(NrValue *x, NrValue *y, bool is_unsigned) {
  NrRange a = nr_range_of(x), b = nr_range_of(y);
  if (is_unsigned && (a.min < 0 || b.min < 0)) return 0;
  return a.max <= b.min ? 1 : b.max <= a.min ? -1 : 0;
}

static bool simplify_extreme(NrOp *op) {
  bool is_unsigned = nr_op_is(op, NR_OP_arith_minui) || nr_op_is(op, NR_OP_arith_maxui);
  bool greatest = nr_op_is(op, NR_OP_arith_maxsi) || nr_op_is(op, NR_OP_arith_maxui);
  int order = order_of(nr_op_lhs(op), nr_op_rhs(op), is_unsigned);
  if (!order) return false;
  return nr_op_replace(op, (order > 0) == greatest ? nr_op_rhs(op) : nr_op_lhs(op));
}

static bool simplify_remainder(NrOp *op) {
  NrRange x = nr_range_of(nr_op_lhs(op)), y = nr_range_of(nr_op_rhs(op));
  return x.min >= 0 && x.max < y.min && nr_op_replace(op, nr_op_lhs(op));
}

/* The result of a comparison for all values in the ranges; -1 when it is not known. */
static int outcome(NrCmpI predicate, NrRange x, NrRange y) {
  if (nr_cmpi_is_unsigned(predicate) && (x.min < 0 || y.min < 0)) return -1;
  bool below = x.max<y.min, not_above = x.max <= y.min, above = x.min> y.max, not_below = x.min >= y.max;
  switch (predicate) {
  case NR_CMPI_EQ: return below || above ? 0 : -1;
  case NR_CMPI_NE: return below || above ? 1 : -1;
  case NR_CMPI_SLT:
  case NR_CMPI_ULT: return below ? 1 : not_below ? 0 : -1;
  case NR_CMPI_SLE:
  case NR_CMPI_ULE: return not_above ? 1 : above ? 0 : -1;
  case NR_CMPI_SGT:
  case NR_CMPI_UGT: return above ? 1 : not_above ? 0 : -1;
  default: return not_below ? 1 : below ? 0 : -1;
  }
}

static bool simplify_comparison(NrOp *op) {
  int known = outcome(nr_cmpi_of(op), nr_range_of(nr_arith_cmpi_lhs(op)), nr_range_of(nr_arith_cmpi_rhs(op)));
  if (known < 0) return false;
  NrBuilder b = nr_builder_before(op);
  return nr_op_replace(op, nr_arith_constant(&b, nr_attr_bool(b.ctx, known)));
}

/* ---- affine.min and affine.max ----------------------------------------------------------------------------------- */

/* Drops results that another result bounds: they never decide a min or max. If one is left, the op becomes an
 * affine.apply. */
static bool simplify_map(NrPassContext *pass, NrOp *op) {
  NrAttr map = nr_op_attr(op, NR_A_map);
  bool greatest = nr_op_is(op, NR_OP_affine_max);
  uint32_t count = map->num_exprs, kept = 0;
  NrValue **operands = NR_NEW_ARRAY(pass->scratch, NrValue *, op->num_operands + 1);
  NrRange *ranges = NR_NEW_ARRAY(pass->scratch, NrRange, count);
  NrAffineExpr *exprs = NR_NEW_ARRAY(pass->scratch, NrAffineExpr, count);
  for (uint32_t i = 0; i < op->num_operands; i++) operands[i] = nr_operand(op, i);
  for (uint32_t i = 0; i < count; i++) ranges[i] = nr_range_of_affine(map->exprs[i], map->num_dims, operands);
  for (uint32_t i = 0; i < count; i++) {
    bool redundant = false;
    for (uint32_t j = 0; j < count && !redundant; j++) {
      bool bounds = greatest ? ranges[j].min >= ranges[i].max : ranges[j].max <= ranges[i].min;
      bool both = greatest ? ranges[i].min >= ranges[j].max : ranges[i].max <= ranges[j].min;
      redundant = j != i && bounds && (!both || j < i); /* of equal results the first is kept */
    }
    if (!redundant) exprs[kept++] = map->exprs[i];
  }
  if (kept == count || kept == 0) return false;
  NrBuilder b = nr_builder_before(op);
  NrAttr fewer = nr_attr_affine_map(b.ctx, map->num_dims, map->num_symbols, exprs, kept);
  return nr_op_replace(op, nr_affine_build(&b, kept == 1 ? NR_OP_affine_apply : op->info->id, fewer, operands));
}

/* ---- sizes of carried tensors ------------------------------------------------------------------------------------ */

/* Whether the body yields a tensor with the shape of carried value i; nested loops may carry it too. */
static bool keeps_shape(NrOp *loop, uint32_t i, int depth) {
  NrValue *value = nr_operand(nr_scf_for_body(loop)->last, i);
  for (NrValue *next; depth < 16; value = next) {
    next = value;
    NrOp *op = value->op;
    if (nr_op_is(op, NR_OP_tensor_insert) || nr_op_is(op, NR_OP_tensor_insert_slice))
      next = nr_op_dest(op);
    else if (nr_op_is(op, NR_OP_scf_for) && keeps_shape(op, value->index, depth + 1))
      next = nr_scf_for_init(op, value->index);
    if (next == value) break;
  }
  return value == nr_scf_for_arg(loop, i);
}

/* Replaces a tensor.dim of a carried value or loop result by one of the initial value. */
static bool simplify_dim(NrOp *op) {
  NrValue *source = nr_tensor_dim_source(op);
  NrOp *loop = source->op ? source->op : nr_block_parent_op(source->block);
  if (!nr_op_is(loop, NR_OP_scf_for) || (source->block && source->index == 0)) return false;
  uint32_t number = source->op ? source->index : source->index - 1;
  if (!keeps_shape(loop, number, 0)) return false;
  nr_op_set_operand(op, NR_TENSOR_DIM_SOURCE, nr_scf_for_init(loop, number));
  return true;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static bool simplify(NrPassContext *pass, NrOp *op) {
  switch (op->info->id) {
  case NR_OP_arith_minsi:
  case NR_OP_arith_minui:
  case NR_OP_arith_maxsi:
  case NR_OP_arith_maxui: return is_scalar(op) && simplify_extreme(op);
  case NR_OP_arith_remsi:
  case NR_OP_arith_remui: return is_scalar(op) && simplify_remainder(op);
  case NR_OP_arith_cmpi: return is_scalar(op) && simplify_comparison(op);
  case NR_OP_affine_min:
  case NR_OP_affine_max: return simplify_map(pass, op);
  case NR_OP_tensor_dim: return simplify_dim(op);
  default: return false;
  }
}

static NrStatus canonicalization_run(NrPassContext *pass, NrOp *func) {
  NrOpList ops = {0};
  nr_collect_ops(func, &ops);
  for (size_t i = 0; i < ops.size; i++)
    for (int again = 0; again < 16 && !nr_is_erased(ops.data[i]) && simplify(pass, ops.data[i]); again++) {
    }
  nr_vec_deinit(&ops);
  return NR_OK;
}

NR_PASS(loop_canonicalization, .name = "scf-for-loop-canonicalization", .on_while = NR_WHILE_BARRIER, .on = "func.func",
        .run = canonicalization_run,
        .doc = "simplifies minima, maxima, comparisons and sizes by the ranges of enclosing loops")
