/* verify.c - checks of scf ops that their definitions cannot express. The messages are those of MLIR's loop dialect of
 * 2020, which users and tools know. */
#include "dialect/scf/scf.h"
#include "ir/region_flow.h"

static const char *text_of(NrType type) { return nr_type_text(type->ctx, type); }

static NrStatus verify_step(NrOp *op, NrValue *step) {
  int64_t value;
  bool is_unsigned = nr_op_attr(op, NR_A_unsignedCmp) != NULL;
  if (!nr_value_constant_int(step, &value) || value > 0 || (is_unsigned && value != 0)) return NR_OK;
  return nr_verify_constant_error(op, "constant step operand must be positive");
}

NrStatus nr_scf_for_verify(NrOp *op) {
  for (uint32_t i = 0; i < 3; i++) {
    NrType type = nr_operand(op, i)->type;
    if (!nr_type_is_index(type) && !(nr_type_is_int(type) && type->signedness == NR_SIGNLESS))
      return nr_op_error(op, "operand #%u must be index, but got '%s'", i, text_of(type));
    if (type != nr_scf_for_lower_bound(op)->type)
      return nr_op_error(op, "(C1) failed to verify that all of {lowerBound, upperBound, step} have same type");
  }
  NR_TRY(verify_step(op, nr_scf_for_step(op)));
  NrBlock *body = nr_scf_for_body(op);
  NrType bound = nr_scf_for_lower_bound(op)->type;
  if (body->num_args == 0 || body->args[0]->type != bound) {
    if (nr_type_is_index(bound))
      return nr_op_error(op, "expected body first argument to be an index argument for the induction variable");
    return nr_op_error(op, "expected induction variable to be same type as bounds and step");
  }
  uint32_t count = nr_scf_for_num_inits(op);
  if (op->num_results != count) return nr_op_error(op, "mismatch in number of loop-carried values and defined values");
  if (body->num_args - 1 != count) return nr_op_error(op, "mismatch in number of basic block args and defined values");
  for (uint32_t i = 0; i < count; i++) {
    NrType type = nr_result(op, i)->type;
    if (nr_scf_for_init(op, i)->type != type)
      return nr_op_error(op, "types mismatch between %uth iter operand and defined value", i);
    if (nr_scf_for_arg(op, i)->type != type)
      return nr_op_error(op, "types mismatch between %uth iter region arg and defined value", i);
  }
  return NR_OK;
}

NrStatus nr_scf_if_verify(NrOp *op) {
  NrType type = nr_scf_if_condition(op)->type;
  if (!nr_type_is_int_width(type, 1))
    return nr_op_error(op, "operand #0 must be 1-bit integer, but got '%s'", text_of(type));
  for (uint32_t i = 0; i < 2; i++)
    if (nr_op_body(op, i) && nr_op_body(op, i)->num_args)
      return nr_op_error(op, "requires that child entry blocks have no arguments");
  if (op->num_results && !nr_scf_if_else_body(op)) return nr_op_error(op, "must have an else block if defining values");
  return NR_OK;
}

/* Verifies that the values which a terminator passes on, operands of `from` from `first` on, match the arguments that
 * receive them. */
static NrStatus verify_passed_on(NrOp *op, const char *what, NrOp *from, uint32_t first, const char *to,
                                 NrValue *const *args, uint32_t count) {
  if (from->num_operands - first != count)
    return nr_op_error(op, "%s: %u values are passed on, but %s has %u", what, from->num_operands - first, to, count);
  for (uint32_t i = 0; i < count; i++)
    if (nr_operand(from, first + i)->type != args[i]->type)
      return nr_op_error(op, "%s: value #%u has type '%s', but %s has '%s'", what, i,
                         text_of(nr_operand(from, first + i)->type), to, text_of(args[i]->type));
  return NR_OK;
}

NrStatus nr_scf_while_verify(NrOp *op) {
  NrBlock *before = nr_scf_while_before_body(op), *after = nr_scf_while_after_body(op);
  NrOp *condition = nr_block_terminator(before), *yield = nr_block_terminator(after);
  if (!nr_op_is(condition, NR_OP_scf_condition))
    return nr_op_error(op, "expects the 'before' region to terminate with 'scf.condition'");
  if (!nr_op_is(yield, NR_OP_scf_yield))
    return nr_op_error(op, "expects the 'after' region to terminate with 'scf.yield'");
  NrStatus status = verify_passed_on(op, "(C1) inits", op, 0, "region 'before'", before->args, before->num_args);
  if (!status)
    status = verify_passed_on(op, "(C1) scf.yield", yield, 0, "region 'before'", before->args, before->num_args);
  if (!status)
    status = verify_passed_on(op, "(C2) scf.condition", condition, 1, "region 'after'", after->args, after->num_args);
  if (status) return status;
  NR_VEC(NrValue *) results = {0};
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&results, nr_result(op, i));
  status = verify_passed_on(op, "(C2) scf.condition", condition, 1, "the op's list of results", results.data,
                            op->num_results);
  nr_vec_deinit(&results);
  return status;
}

static bool leads_to_results(const NrRegion *region) {
  NrRegionFlow flow = nr_region_flow(region->op, region);
  NrRegionEdge edge;
  while (nr_region_flow_next(&flow, &edge))
    if (!edge.to) return true;
  return false;
}

NrStatus nr_scf_yield_verify(NrOp *op) {
  NrOp *parent = nr_op_parent(op);
  if (nr_op_is(parent, NR_OP_scf_parallel)) {
    if (op->num_operands)
      return nr_op_error(op, "yield inside %.*s is not allowed to have operands", NR_STR_ARG(nr_op_shown_name(parent)));
    return NR_OK;
  }
  if (!parent || !parent->info->region_flow || strcmp(parent->info->dialect, "scf") != 0)
    return nr_op_error(op, "yield only terminates If, For or Parallel regions");
  if (!leads_to_results(op->block->region)) return NR_OK; /* the parent's verifier checks it */
  if (parent->num_results != op->num_operands)
    return nr_op_error(op, "parent of yield must have same number of results as the yield operands");
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_operand(op, i)->type != nr_result(parent, i)->type)
      return nr_op_error(op, "types mismatch between yield op and its parent");
  return NR_OK;
}

NrStatus nr_scf_parallel_verify(NrOp *op) {
  size_t begin[4], count[4];
  for (size_t g = 0; g < 4; g++)
    if (!nr_op_operand_group(op, g, &begin[g], &count[g])) return NR_OK; /* nr_verify_row reports it */
  if (count[0] == 0) return nr_op_error(op, "needs at least one tuple element for lowerBound, upperBound and step");
  if (count[1] != count[0] || count[2] != count[0])
    return nr_op_error(op, "(C1) expects as many upper bounds (%zu) and steps (%zu) as lower bounds (%zu)", count[1],
                       count[2], count[0]);
  NrStatus status;
  for (size_t i = 0; i < count[2]; i++)
    if ((status = verify_step(op, nr_operand(op, begin[2] + i)))) return status;
  NrBlock *body = nr_scf_parallel_body(op);
  if (body->num_args != count[0])
    return nr_op_error(op, "expects the same number of induction variables: %u as bound and step values: %zu",
                       body->num_args, count[0]);
  for (uint32_t i = 0; i < body->num_args; i++)
    if (!nr_type_is_index(body->args[i]->type))
      return nr_op_error(op, "expects arguments for the induction variable to be of index type");
  NrOp *reduce = nr_block_terminator(body);
  if (!nr_op_is(reduce, NR_OP_scf_reduce)) return nr_op_error(op, "expects body to terminate with 'scf.reduce'");
  if (op->num_results != reduce->num_regions)
    return nr_op_error(op, "expects number of results: %u to be the same as number of reductions: %u", op->num_results,
                       reduce->num_regions);
  bool no_init = nr_op_attr(op, NR_A_noInit) != NULL;
  if (no_init && (count[3] || !op->num_results))
    return nr_op_error(op, "is marked as noInit and has %zu initial values for %u results", count[3], op->num_results);
  if (op->num_results != count[3] && !no_init)
    return nr_op_error(op, "expects number of results: %u to be the same as number of initial values: %zu",
                       op->num_results, count[3]);
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrType type = nr_result(op, i)->type;
    if (i < reduce->num_operands && nr_operand(reduce, i)->type != type)
      return nr_op_error(reduce, "expects type of reduce: '%s' to be the same as result type: '%s'",
                         text_of(nr_operand(reduce, i)->type), text_of(type));
    if (!no_init && nr_operand(op, begin[3] + i)->type != type)
      return nr_op_error(op, "expects type of initial value #%u: '%s' to be the same as result type: '%s'", i,
                         text_of(nr_operand(op, begin[3] + i)->type), text_of(type));
  }
  return NR_OK;
}

NrStatus nr_scf_reduce_verify(NrOp *op) {
  if (op->num_operands != op->num_regions)
    return nr_op_error(op, "expects number of operands: %u to be the same as number of regions: %u", op->num_operands,
                       op->num_regions);
  for (uint32_t i = 0; i < op->num_regions; i++) {
    NrType type = nr_operand(op, i)->type;
    NrBlock *block = nr_op_body(op, i);
    if (!block || !block->first) return nr_op_error(op, "the block inside reduce should not be empty");
    if (block->num_args != 2 || block->args[0]->type != type || block->args[1]->type != type)
      return nr_op_error(op, "expects two arguments to reduce block of type '%s'", text_of(type));
    if (!nr_op_is(nr_block_terminator(block), NR_OP_scf_reduce_return))
      return nr_op_error(op, "the block inside reduce should be terminated with a '%.*s' op",
                         NR_STR_ARG(nr_op_info_shown_name(type->ctx, nr_op_infos[NR_OP_scf_reduce_return])));
  }
  return NR_OK;
}

NrStatus nr_scf_reduce_return_verify(NrOp *op) {
  NrOp *reduce = nr_op_parent(op);
  if (!nr_op_is(reduce, NR_OP_scf_reduce)) return NR_OK; /* nr_verify_row reports it */
  size_t i = (size_t)(op->block->region - reduce->regions);
  if (i >= reduce->num_operands || nr_scf_reduce_return_result(op)->type == nr_operand(reduce, i)->type) return NR_OK;
  return nr_op_error(op, "needs to have type '%s' (the type of the enclosing ReduceOp)",
                     text_of(nr_operand(reduce, i)->type));
}

NrStatus nr_scf_execute_region_verify(NrOp *op) {
  if (nr_scf_execute_region_body(op)->num_args) return nr_op_error(op, "region cannot have any arguments");
  return NR_OK;
}

NrStatus nr_scf_index_switch_verify(NrOp *op) {
  NrAttr cases = nr_op_attr(op, NR_A_cases);
  if (!cases || cases->kind != NR_ATTR_DENSE_ARRAY) return NR_OK; /* nr_verify_row reports it */
  size_t count = cases->data_size / 8;
  const int64_t *values = cases->data;
  if (op->num_regions != count + 1)
    return nr_op_error(op, "has %u case regions but %zu case values", op->num_regions ? op->num_regions - 1 : 0, count);
  for (uint32_t i = 0; i < op->num_regions; i++) {
    if (!nr_op_body(op, i)) return nr_op_error(op, "region #%u must have a block", i);
    if (nr_op_body(op, i)->num_args) return nr_op_error(op, "requires that child entry blocks have no arguments");
    NrOp *last = nr_block_terminator(nr_op_body(op, i));
    if (!nr_op_is(last, NR_OP_scf_yield) && !nr_scf_is_exit(last))
      return nr_op_error(op, "expects region #%u to terminate with 'scf.yield'", i);
  }
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++)
      if (values[i] == values[j]) return nr_op_error(op, "(C1) has duplicate case value: %lld", (long long)values[i]);
  return NR_OK;
}
