/* checks.c - see checks.h. */
#include "pass/core/checks.h"

#include "dialect/vector/vector.h"

/* Reduces a vector of i1 to one i1: the conjunction of its elements. */
static NrValue *all_of(NrBuilder *b, NrValue *mask) {
  int64_t count;
  if (mask->type->kind != NR_TYPE_VECTOR || !nr_type_num_elements(mask->type, &count)) return mask;
  NrType flat = nr_type_vector(&count, 1, nr_type_i1(b->ctx));
  if (mask->type != flat) mask = nr_build_value(b, NR_OP_vector_shape_cast, flat, &mask, 1);
  return nr_build_reduction(b, "and", mask, NULL, NULL);
}

void nr_check_unless(NrBuilder *b, const NrOp *op, NrValue *cond, const char *text, NrValue *const *values,
                     size_t count) {
  NrValue *operands[5] = {all_of(b, cond)};
  NrStr name = nr_op_run_name(op);
  NrBuf full = {0};
  assert(count < NR_COUNTOF(operands));
  for (size_t i = 0; i < count; i++) operands[1 + i] = values[i];
  nr_buf_printf(&full, "'%.*s' op %s", NR_STR_ARG(name), text);
  NrOp *check = nr_build_op(b, NR_OP_rt_check, operands, count + 1, NULL, 0);
  nr_op_set_attr(check, NR_A_text, nr_attr_string(b->ctx, (NrStr){full.data, full.size}));
  nr_buf_deinit(&full);
}
