/* insert_ub_checks.c - inserts checks in front of ops whose behaviour is undefined for some operands: division by zero,
 * a quotient that overflows, a step that is not positive, a negative size, a slice out of bounds (flow.tensor.*,
 * check_flow.c).
 *
 *   before  %q = arith.divui %a, %b : i32
 *   after   %some = arith.cmpi ne, %b, %c0 : i32
 *           rt.check %some, "'arith.divui' op division by zero"
 *           %q = arith.divui %a, %b : i32
 *
 * No check is inserted where constants, sizes and loop bounds prove the condition. A check stays even if the result of
 * its op is unused. Arithmetic on whole tensors that needs a check becomes a linalg.generic with the check in its body.
 * The pass is for programs in text; the lowering of a model inserts its own checks. */
#include "dialect/affine/affine.h"
#include "dialect/arith/arith.h"
#include "dialect/bufferization/ops.h"
#include "dialect/operands.h"
#include "dialect/rt/ops.h"
#include "dialect/arith/fold.h"
#include "dialect/shared/shaped.h"
#include "dialect/tensor/tensor.h"
#include "dialect/vector/ops.h"
#include "ir/region_flow.h"
#include "pass/bufferize/bufferize.h"
#include "pass/core/checks.h"
#include "pass/core/pass.h"
#include "pass/analysis/ranges.h"
#include "pass/core/rewrite.h"

#include <stdio.h>

/* ---- known values ----------------------------------------------------------------------------------------------- */

/* The scalar that a splat or broadcast repeats, or the value itself. */
static NrValue *scalar_of(NrValue *value) {
  NrOp *op = value->op;
  if (nr_op_is(op, NR_OP_tensor_splat)) return nr_tensor_splat_input(op);
  if (!nr_op_is(op, NR_OP_vector_broadcast)) return value;
  return nr_type_is_shaped(nr_vector_broadcast_source(op)->type) ? value : nr_vector_broadcast_source(op);
}

static bool elements_exclude(NrAttr elements, int64_t number) {
  enum { MAX_COMPARED = 1024 }; /* elements */
  int64_t count;
  if (!nr_attr_is_elements(elements) || !nr_type_num_elements(elements->type, &count) || count > MAX_COMPARED)
    return false;
  for (int64_t i = 0; i < count; i++) {
    NrAttr element = nr_attr_element(elements, i);
    if (!element || nr_const_is_int(element, number)) return false;
  }
  return true;
}

/* Whether the value, or each of its elements, is known to differ from number. */
static bool excludes(NrValue *value, int64_t number) {
  value = scalar_of(value);
  NrAttr constant = nr_value_constant(value);
  if (nr_type_is_shaped(value->type)) return constant && elements_exclude(constant, number);
  if (constant) return constant->kind == NR_ATTR_INTEGER && !nr_const_is_int(constant, number);
  NrRange range = nr_range_of(value);
  return nr_type_bits(value->type) <= 64 && (range.min > number || range.max < number);
}

/* ---- division --------------------------------------------------------------------------------------------------- */

/* A constant of value's type with this number in each element. */
static NrValue *number_like(NrBuilder *b, NrValue *value, int64_t number) {
  NrValue *scalar = nr_arith_constant_int(b, nr_type_elem(value->type), number);
  return nr_type_is_shaped(value->type) ? nr_build_value(b, NR_OP_vector_broadcast, value->type, &scalar, 1) : scalar;
}

/* The smallest signed number of value's type. */
static NrValue *min_like(NrBuilder *b, NrValue *value) {
  uint32_t bits = nr_type_bits(nr_type_elem(value->type));
  if (bits <= 64) return number_like(b, value, bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1)));
  return nr_arith_binary(b, NR_OP_arith_shli, number_like(b, value, 1), number_like(b, value, bits - 1));
}

static bool may_overflow(const NrOp *op) {
  bool rounds = nr_op_is(op, NR_OP_arith_divsi) || nr_op_is(op, NR_OP_arith_ceildivsi) ||
                nr_op_is(op, NR_OP_arith_floordivsi);
  NrValue *dividend = nr_op_lhs(op);
  uint32_t bits = nr_type_bits(nr_type_elem(dividend->type));
  if (!rounds || excludes(nr_op_rhs(op), -1)) return false;
  return bits > 64 || !excludes(dividend, bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1)));
}

static void check_division(NrOp *op) {
  NrValue *dividend = nr_op_lhs(op), *divisor = nr_op_rhs(op);
  bool may_be_zero = !excludes(divisor, 0), overflows = may_overflow(op);
  if ((!may_be_zero && !overflows) || divisor->type->scalable) return; /* scalable vectors are not compiled */
  if (nr_type_is_tensor(divisor->type)) {
    if (divisor->type->kind == NR_TYPE_TENSOR) check_division(nr_elementwise_to_generic(op));
    return;
  }
  NrBuilder b = nr_builder_before(op);
  if (may_be_zero) {
    NrValue *some = nr_arith_cmpi(&b, NR_CMPI_NE, divisor, number_like(&b, divisor, 0));
    nr_check_unless(&b, op, some, "division by zero", NULL, 0);
  }
  if (overflows) {
    NrValue *not_minus = nr_arith_cmpi(&b, NR_CMPI_NE, divisor, number_like(&b, divisor, -1));
    NrValue *not_min = nr_arith_cmpi(&b, NR_CMPI_NE, dividend, min_like(&b, dividend));
    nr_check_unless(&b, op, nr_arith_binary(&b, NR_OP_arith_ori, not_minus, not_min), "the quotient overflows", NULL,
                    0);
  }
}

/* ---- affine expressions ----------------------------------------------------------------------------------------- */

typedef struct Applied {
  NrBuilder b;
  NrOp *op;
  uint32_t num_dims;
  NR_VEC(NrValue *) operands; /* dims first */
} Applied;

/* Checks that divisors are positive, from inner to outer, left to right. */
static void check_divisors(Applied *a, NrAffineExpr e) {
  if (!e->lhs) return;
  check_divisors(a, e->lhs);
  check_divisors(a, e->rhs);
  bool divides = e->kind != NR_AFFINE_ADD && e->kind != NR_AFFINE_MUL;
  NrValue **operands = a->operands.data;
  if (!divides || nr_range_of_affine(e->rhs, a->num_dims, operands).min > 0) return;
  NrValue *divisor = nr_affine_expand(&a->b, e->rhs, a->num_dims, operands);
  NrValue *positive = nr_arith_cmpi(&a->b, NR_CMPI_SGT, divisor, nr_arith_constant_index(&a->b, 0));
  nr_check_unless(&a->b, a->op, positive, "the divisor is %0; it must be positive", &divisor, 1);
}

static void check_map(NrOp *op, NrAttr map, size_t first) {
  bool is_map = map && (map->kind == NR_ATTR_AFFINE_MAP || map->kind == NR_ATTR_AFFINE_SET);
  Applied a = {nr_builder_before(op), op, is_map ? map->num_dims : 0, {0}};
  for (size_t i = 0; is_map && i < nr_affine_num_inputs(map); i++) nr_vec_push(&a.operands, nr_operand(op, first + i));
  for (uint32_t i = 0; is_map && i < map->num_exprs; i++) check_divisors(&a, map->exprs[i]);
  nr_vec_deinit(&a.operands);
}

/* delinearize_index and linearize_index. */
static void check_index_exprs(NrOp *op) {
  Applied a = {nr_builder_before(op), op, 0, {0}};
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&a.operands, nr_operand(op, i));
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrAffineExpr e = nr_affine_index_expr(op, i, &a.num_dims);
    check_divisors(&a, e);
  }
  nr_vec_deinit(&a.operands);
}

/* Checks the index maps of affine.dma_start and dma_wait. */
static void check_transfer(NrOp *op) {
  size_t first = NR_AFFINE_DMA_WAIT_INDICES; /* behind the memref, as in dma_start; likewise for the next maps */
  for (size_t i = 0; i < NR_AFFINE_DMA_PLACES; i++) {
    NrAttr map = nr_op_attr_named(op, nr_affine_dma_maps[i]);
    if (!map) continue;
    check_map(op, map, first);
    first += nr_affine_num_inputs(map) + 1;
  }
}

static void check_affine(NrOp *op) {
  switch (op->info->id) {
  case NR_OP_affine_dma_start:
  case NR_OP_affine_dma_wait: check_transfer(op); return;
  case NR_OP_affine_for:
    check_map(op, nr_affine_bound_map(op, false), nr_affine_for_lower_bound_operands(op).begin);
    check_map(op, nr_affine_bound_map(op, true), nr_affine_for_upper_bound_operands(op).begin);
    return;
  case NR_OP_affine_parallel:
    check_map(op, nr_op_attr(op, NR_A_lowerBoundsMap), NR_AFFINE_PARALLEL_MAP_OPERANDS);
    check_map(op, nr_op_attr(op, NR_A_upperBoundsMap),
              NR_AFFINE_PARALLEL_MAP_OPERANDS + nr_affine_num_inputs(nr_op_attr(op, NR_A_lowerBoundsMap)));
    return;
  case NR_OP_affine_if: check_map(op, nr_op_attr(op, NR_A_condition), NR_AFFINE_IF_OPERANDS); return;
  case NR_OP_affine_delinearize_index:
  case NR_OP_affine_linearize_index: check_index_exprs(op); return;
  default:
    if (nr_op_attr(op, NR_A_map)) check_map(op, nr_op_attr(op, NR_A_map), nr_affine_map_operands(op));
  }
}

/* ---- steps and sizes -------------------------------------------------------------------------------------------- */

static void check_step(NrOp *op, NrValue *step, bool is_unsigned) {
  bool narrow = nr_type_bits(step->type) <= 64;
  NrRange range = nr_range_of(step);
  if (narrow && (range.min > 0 || (is_unsigned && range.max < 0))) return;
  NrBuilder b = nr_builder_before(op);
  NrValue *zero = nr_arith_constant_int(&b, step->type, 0);
  NrValue *positive = nr_arith_cmpi(&b, is_unsigned ? NR_CMPI_NE : NR_CMPI_SGT, step, zero);
  nr_check_unless(&b, op, positive, "the step is %0; it must be positive", &step, 1);
}

static void check_steps(NrOp *op) {
  NrLoopRange range;
  for (uint32_t i = 0; nr_op_loop_range(op, i, &range); i++) {
    NrBuilder b = nr_builder_before(op);
    if (range.step.value || range.step.constant <= 0)
      check_step(op, nr_index_value(&b, range.step), range.is_unsigned);
  }
}

void nr_check_sizes(NrOp *op, NrType type, size_t first) {
  if (!nr_type_is_ranked(type)) return;
  for (uint32_t d = 0; d < type->rank; d++) {
    if (type->dims[d] != NR_DYNAMIC) continue;
    NrValue *size = nr_operand(op, first++);
    if (nr_range_of(size).min >= 0) continue;
    NrBuilder b = nr_builder_before(op);
    NrValue *fits = nr_arith_cmpi(&b, NR_CMPI_SGE, size, nr_arith_constant_index(&b, 0));
    char text[96];
    snprintf(text, sizeof text, "the size of dim %u is %%0; it must not be negative", d);
    nr_check_unless(&b, op, fits, text, &size, 1);
  }
}

/* Negative padding would cut the source. */
static void check_pad(NrOp *op) {
  for (uint32_t d = 0; d < nr_tensor_pad_source(op)->type->rank; d++)
    for (size_t k = 0; k < 2; k++) {
      NrBuilder b = nr_builder_before(op);
      NrIndex pad = nr_index_list_get(op, nr_pad_slots[k], d);
      if (pad.value ? nr_range_of(pad.value).min >= 0 : pad.constant >= 0) continue;
      NrValue *size = nr_index_value(&b, pad);
      NrValue *fits = nr_arith_cmpi(&b, NR_CMPI_SGE, size, nr_arith_constant_index(&b, 0));
      char text[96];
      snprintf(text, sizeof text, "the padding of dim %u is %%0; it must not be negative", d);
      nr_check_unless(&b, op, fits, text, &size, 1);
    }
}

/* rt.call "tensor_grow"(tensor, size). */
static void check_grow(NrOp *op) {
  NrType elem = nr_operand(op, NR_RT_CALL_ARGS)->type->elem;
  nr_check_sizes(op, nr_type_tensor((int64_t[]){NR_DYNAMIC}, 1, elem), NR_RT_CALL_ARGS + 1);
}

/* ---- the pass --------------------------------------------------------------------------------------------------- */

static void check_op(NrOp *op) {
  if (strcmp(op->info->dialect, "affine") == 0) {
    check_affine(op);
    return;
  }
  if (strcmp(op->info->dialect, "flow") == 0) {
    nr_check_flow(op);
    return;
  }
  if (nr_op_has(op, NR_DIVIDES)) {
    check_division(op);
    return;
  }
  check_steps(op);
  switch (op->info->id) {
  case NR_OP_memref_alloc: nr_check_sizes(op, nr_op_result(op)->type, NR_MEMREF_ALLOC_SIZES); return;
  case NR_OP_memref_alloca: nr_check_sizes(op, nr_op_result(op)->type, NR_MEMREF_ALLOCA_SIZES); return;
  case NR_OP_tensor_empty: nr_check_sizes(op, nr_op_result(op)->type, NR_TENSOR_EMPTY_SIZES); return;
  case NR_OP_tensor_generate: nr_check_sizes(op, nr_op_result(op)->type, NR_TENSOR_GENERATE_SIZES); return;
  case NR_OP_bufferization_alloc_tensor: /* a copied tensor determines the shape */
    if (!nr_bufferization_alloc_tensor_copy(op))
      nr_check_sizes(op, nr_op_result(op)->type, NR_BUFFERIZATION_ALLOC_TENSOR_SIZES);
    return;
  case NR_OP_tensor_pad: check_pad(op); return;
  case NR_OP_tensor_splat: nr_check_sizes(op, nr_op_result(op)->type, NR_TENSOR_SPLAT_SIZES); return;
  case NR_OP_rt_call:
    if (nr_str_is(nr_op_attr_str(op, NR_A_name), "tensor_grow")) check_grow(op);
    return;
  case NR_OP_memref_realloc:
    if (nr_memref_realloc_size(op)) nr_check_sizes(op, nr_op_result(op)->type, NR_MEMREF_REALLOC_SIZE);
    return;
  default: return;
  }
}

static NrStatus insert_ub_checks_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  NrOpList ops = {0};
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++) check_op(ops.data[i]);
  nr_vec_deinit(&ops);
  return NR_OK;
}

NR_PASS(insert_ub_checks, .name = "insert-ub-checks", .on_while = NR_WHILE_HANDLES, .run = insert_ub_checks_run,
        .doc = "checks for divisions by zero, steps that are not positive and negative sizes")
