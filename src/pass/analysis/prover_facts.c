/* prover_facts.c - facts that hold inside a region or after an op; see prover.h. */
#include "dialect/arith/ops.h"
#include "dialect/cf/ops.h"
#include "dialect/linalg/linalg.h"
#include "dialect/rt/ops.h"
#include "dialect/scf/scf.h"
#include "dialect/tensor/tensor.h"
#include "pass/analysis/dependence.h"
#include "pass/analysis/prover_state.h"

/* Adds lower <= iv < upper, which holds in the body of a loop. */
static void assume_between(NrProver *p, NrSum lower, NrSum iv, NrSum upper) {
  nr_prover_assume(p, nr_sum_add(&iv, -1, &lower));
  NrSum gap = nr_sum_add(&upper, -1, &iv);
  nr_prover_assume(p, nr_sum_add_constant(&gap, -1));
}

static void enter_loop(NrProver *p, const NrOp *op) {
  NrLoopRange range;
  for (uint32_t i = 0; nr_op_loop_range(op, i, &range) && range.has_bounds; i++) {
    NrSum lower = nr_prover_index(p, range.lower), upper = nr_prover_index(p, range.upper);
    if (range.is_unsigned && !(nr_prove_not_negative(p, lower) && nr_prove_not_negative(p, upper))) continue;
    assume_between(p, lower, nr_prover_value(p, range.iv), upper);
  }
}

/* Adds that a carried number which the loop only increases is never below its initial value. */
static void enter_counters(NrProver *p, const NrRegion *region) {
  for (uint32_t i = 0; i < region->first->num_args; i++) {
    NrValue *arg = nr_block_arg(region->first, i), *init, *next;
    int64_t step;
    if (!nr_region_carried(region, i, &init, &next)) continue;
    if (!nr_type_is_int_or_index(arg->type) || nr_type_bits(arg->type) != 64 || !nr_op_is(next->op, NR_OP_arith_addi))
      continue;
    if (nr_arith_addi_lhs(next->op) != arg || !nr_value_constant_int(nr_arith_addi_rhs(next->op), &step)) continue;
    if (step < 0 || step > 1 << 20) continue; /* it would wrap after 2^43 iterations, which no run reaches */
    NrSum now = nr_prover_value(p, arg), begin = nr_prover_value(p, init);
    nr_prover_assume(p, nr_sum_add(&now, -1, &begin));
  }
}

/* Adds the condition of an scf.while, and that the arguments of its second region equal the operands of scf.condition.
 */
static void enter_after(NrProver *p, NrOp *loop, NrBlock *after) {
  NrOp *condition = nr_block_terminator(nr_scf_while_before_body(loop));
  if (!nr_op_is(condition, NR_OP_scf_condition)) return;
  nr_prover_assume_condition(p, nr_scf_condition_condition(condition), true);
  NrGroup handed = nr_scf_condition_args(condition);
  for (uint32_t i = 0; i < after->num_args && i < handed.count; i++) {
    NrValue *arg = nr_block_arg(after, i), *given = nr_operand(condition, handed.begin + i);
    if (nr_type_is_int_or_index(arg->type))
      nr_prover_assume_equal(p, nr_prover_value(p, arg), nr_prover_value(p, given));
    for (uint32_t d = 0; arg->type->kind == NR_TYPE_TENSOR && d < arg->type->rank; d++)
      nr_prover_assume_equal(p, nr_prover_dim(p, arg, d), nr_prover_dim(p, given, d));
  }
}

/* Adds that every loop has a range of at least 1, since the body runs. */
static void enter_generic(NrProver *p, NrOp *op) {
  for (size_t i = 0; i < nr_linalg_num_loops(op); i++) {
    size_t operand, dim;
    if (!nr_linalg_loop_source(op, i, &operand, &dim)) continue;
    NrSum range = nr_prover_dim(p, nr_operand(op, operand), (uint32_t)dim);
    nr_prover_assume(p, nr_sum_add_constant(&range, -1));
  }
}

static void enter_generate(NrProver *p, NrOp *op, NrBlock *body) {
  for (uint32_t i = 0; i < body->num_args; i++)
    assume_between(p, nr_sum_constant(0), nr_prover_value(p, nr_block_arg(body, i)),
                   nr_prover_dim(p, nr_op_result(op), i));
}

/* Adds that an entry's input dims with the same name are equal: the runtime refuses other inputs. */
static void enter_program(NrProver *p, NrOp *func, NrBlock *body) {
  NrAttr inputs = nr_op_attr(func, NR_A_noria_entry) ? nr_op_attr(func, NR_A_noria_inputs) : NULL;
  NrStrMap named = {0};
  for (uint32_t i = 0; inputs && inputs->kind == NR_ATTR_ARRAY && i < inputs->size && i < body->num_args; i++) {
    NrValue *arg = nr_block_arg(body, i);
    NrAttr names = inputs->items[i]->kind == NR_ATTR_DICT ? nr_dict_get(inputs->items[i], "dim_names") : NULL;
    if (!names || names->kind != NR_ATTR_ARRAY || arg->type->kind != NR_TYPE_TENSOR) continue;
    for (uint32_t d = 0; d < arg->type->rank && d < names->size; d++) {
      if (names->items[d]->kind != NR_ATTR_STRING || names->items[d]->s.size == 0) continue;
      NrSum size = nr_prover_dim(p, arg, d);
      NrSum *first = nr_strmap_get(&named, names->items[d]->s);
      if (!first) nr_strmap_set(&named, names->items[d]->s, nr_arena_copy(&p->arena, &size, sizeof size));
      else if (arg->type->dims[d] == NR_DYNAMIC) ((NrSum **)nr_map_get(&p->dims, arg))[d] = first;
    }
  }
  nr_strmap_deinit(&named);
}

void nr_prover_enter_region(NrProver *p, NrRegion *region) {
  NrOp *op = region->op;
  NrBlock *body = region->first;
  if (!body) return;
  enter_loop(p, op);
  enter_counters(p, region);
  switch (op->info->id) {
  case NR_OP_func_func: enter_program(p, op, body); return;
  case NR_OP_scf_if:
    nr_prover_assume_condition(p, nr_scf_if_condition(op), region == nr_scf_if_then_region(op));
    return;
  case NR_OP_scf_while:
    if (region == nr_scf_while_after_region(op)) enter_after(p, op, body);
    return;
  case NR_OP_tensor_generate: enter_generate(p, op, body); return;
  default:
    if (nr_linalg_is_structured(op)) enter_generic(p, op);
    return;
  }
}

/* Adds that the sizes of a tensor are valid, which also bounds the values that they are computed from. */
static void assume_sizes(NrProver *p, NrValue *tensor) {
  for (uint32_t d = 0; tensor->type->kind == NR_TYPE_TENSOR && d < tensor->type->rank; d++) {
    NrSum size = nr_prover_dim(p, tensor, d);
    if (!nr_prover_fits(p, &size, 0, INT64_MAX)) nr_prover_assume(p, size);
    if (nr_prover_fits(p, &size, INT64_MIN, NR_MAX_DIM)) continue;
    NrSum max = nr_sum_constant(NR_MAX_DIM);
    nr_prover_assume(p, nr_sum_add(&max, -1, &size));
  }
}

void nr_prover_visit(NrProver *p, NrOp *op) {
  for (uint32_t r = 0; r < op->num_results; r++) assume_sizes(p, nr_result(op, r));
  switch (op->info->id) {
  case NR_OP_rt_check: nr_prover_assume_condition(p, nr_rt_check_cond(op), true); return;
  case NR_OP_cf_assert: nr_prover_assume_condition(p, nr_cf_assert_arg(op), true); return;
  case NR_OP_linalg_index: {
    NrOp *generic = nr_op_parent(op);
    size_t operand, dim;
    while (generic && !nr_linalg_is_structured(generic)) generic = nr_op_parent(generic);
    if (!generic || !nr_linalg_loop_source(generic, (size_t)nr_op_attr_int(op, NR_A_dim, 0), &operand, &dim)) return;
    NrSum upper = nr_prover_dim(p, nr_operand(generic, operand), (uint32_t)dim);
    assume_between(p, nr_sum_constant(0), nr_prover_value(p, nr_op_result(op)), upper);
    return;
  }
  default: return;
  }
}
