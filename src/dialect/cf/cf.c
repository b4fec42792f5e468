/* cf.c - the op definitions of dialect cf, and the hooks of its ops. */
#include "dialect/cf/cf.h"

#include "ir/text.h"

/* ---- building ---------------------------------------------------------------------------------------------------- */

NrOp *nr_cf_br(NrBuilder *b, NrBlock *dest, NrValue *const *operands, size_t count) {
  return nr_build(b, &(NrOpState){.info = nr_op_infos[NR_OP_cf_br],
                                  .operands = operands,
                                  .num_operands = count,
                                  .successors = &dest,
                                  .num_successors = 1,
                                  .successor_operands = (uint32_t[]){(uint32_t)count}});
}

NrOp *nr_cf_cond_br(NrBuilder *b, NrValue *condition, NrBlock *if_true, NrValue *const *true_operands, size_t num_true,
                    NrBlock *if_false, NrValue *const *false_operands, size_t num_false) {
  NR_VEC(NrValue *) operands = {0};
  nr_vec_push(&operands, condition);
  for (size_t i = 0; i < num_true; i++) nr_vec_push(&operands, true_operands[i]);
  for (size_t i = 0; i < num_false; i++) nr_vec_push(&operands, false_operands[i]);
  NrOp *op = nr_build(b, &(NrOpState){.info = nr_op_infos[NR_OP_cf_cond_br],
                                      .operands = operands.data,
                                      .num_operands = operands.size,
                                      .successors = (NrBlock *[]){if_true, if_false},
                                      .num_successors = 2,
                                      .successor_operands = (uint32_t[]){(uint32_t)num_true, (uint32_t)num_false}});
  nr_vec_deinit(&operands);
  return op;
}

void nr_cf_set_odds(NrOp *branch, int32_t first, int32_t second) {
  NrContext *ctx = nr_op_context(branch);
  int32_t weights[] = {first, second};
  nr_op_set_attr(branch, NR_A_branch_weights, nr_attr_dense_array(nr_type_i32(ctx), weights, sizeof weights));
}

void nr_cf_set_odds_of(NrOp *branch, const NrOp *other) {
  NrAttr weights = nr_op_attr(other, NR_A_branch_weights);
  if (!weights || weights->kind != NR_ATTR_DENSE_ARRAY || !nr_type_is_int_width(weights->type, 32)) return;
  const int32_t *w = weights->data;
  if (weights->data_size == 2 * sizeof *w && (w[0] || w[1])) nr_op_set_attr(branch, NR_A_branch_weights, weights);
}

/* ---- syntax ------------------------------------------------------------------------------------------------------ */

/* Parses `([90, 10])`. */
static NrStatus weights_parse(NrParser *p, NrOpState *state) {
  NR_VEC(int32_t) weights = {0};
  NrStatus status = nr_p_expect(p, "(");
  if (!status) status = nr_p_expect(p, "[");
  while (!status && !nr_p_peek(p, "]")) {
    int64_t weight;
    if (weights.size && (status = nr_p_expect(p, ","))) break;
    NrLoc loc = nr_p_loc(p);
    if ((status = nr_p_int(p, &weight))) break;
    if (weight != (int32_t)weight) status = nr_p_error(p, loc, "integer value too large");
    nr_vec_push(&weights, (int32_t)weight);
  }
  if (!status) status = nr_p_expect(p, "]");
  if (!status) status = nr_p_expect(p, ")");
  if (!status) {
    NrType i32 = nr_type_i32(nr_p_context(p));
    nr_p_add_attr(p, state, "branch_weights", nr_attr_dense_array(i32, weights.data, weights.size * sizeof(int32_t)));
  }
  nr_vec_deinit(&weights);
  return status;
}

static void weights_print(NrPrinter *w, NrAttr weights) {
  nr_w_puts(w, " weights([");
  for (size_t i = 0; i < weights->data_size / sizeof(int32_t); i++)
    nr_w_printf(w, "%s%d", i ? ", " : "", ((const int32_t *)weights->data)[i]);
  nr_w_puts(w, "])");
}

/* Parses `%c weights([90, 10]), ^bb1(%x : t), ^bb2`. */
static NrStatus cond_br_parse(NrParser *p, NrOpState *state) {
  NrContext *ctx = nr_p_context(p);
  NrOperandRef condition;
  NrStatus status = nr_p_operand(p, &condition);
  if (status || (status = nr_p_add_operand(p, state, condition, nr_type_i1(ctx)))) return status;
  if (nr_p_try(p, "weights") && (status = weights_parse(p, state))) return status;
  if ((status = nr_p_expect(p, ",")) || (status = nr_p_successor(p, state)) || (status = nr_p_expect(p, ",")) ||
      (status = nr_p_successor(p, state)))
    return status;
  return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
}

static void cond_br_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_cf_cond_br_condition(op));
  NrAttr weights = nr_op_attr(op, NR_A_branch_weights);
  if (weights) weights_print(w, weights);
  nr_w_puts(w, ", ");
  nr_w_successor(w, op, 0);
  nr_w_puts(w, ", ");
  nr_w_successor(w, op, 1);
  nr_w_attr_dict(w, op, (const char *const[]){"branch_weights", "operandSegmentSizes", NULL});
}

/* Parses `%flag : i32, [default: ^bb1, 42: ^bb2(%x : t)]`; printed with a line per case. */
static NrStatus switch_parse(NrParser *p, NrOpState *state) {
  NrOperandRef flag;
  NrType type;
  NrStatus status;
  if ((status = nr_p_operand(p, &flag)) || (status = nr_p_expect(p, ":")) || (status = nr_p_type(p, &type)) ||
      (status = nr_p_add_operand(p, state, flag, type)) || (status = nr_p_expect(p, ",")) ||
      (status = nr_p_expect(p, "[")) || (status = nr_p_expect(p, "default")) || (status = nr_p_expect(p, ":")) ||
      (status = nr_p_successor(p, state)))
    return status;
  size_t size = nr_type_is_int(type) ? nr_type_byte_size(type) : 0;
  if (size == 0 || size > 8) return nr_p_op_error(p, "expects an integer flag of at most 64 bits");
  NR_VEC(uint8_t) values = {0};
  int64_t count = 0;
  while (!status && nr_p_try(p, ",")) {
    int64_t value;
    if ((status = nr_p_int(p, &value)) || (status = nr_p_expect(p, ":")) || (status = nr_p_successor(p, state))) break;
    int64_t given = value;
    value = nr_attr_int(type, value)->i;
    if (value != given && ((uint64_t)given >> nr_type_bits(type) || given < 0)) {
      status = nr_p_op_error(p, "case value %lld does not fit type '%s'", (long long)given,
                             nr_type_text(nr_p_context(p), type));
      break;
    }
    for (size_t i = 0; i < size; i++) nr_vec_push(&values, (uint8_t)((uint64_t)value >> (8 * i)));
    count++;
  }
  if (!status && count)
    nr_p_add_attr(p, state, "case_values", nr_attr_dense(nr_type_vector(&count, 1, type), values.data, values.size));
  nr_vec_deinit(&values);
  if (status || (status = nr_p_expect(p, "]"))) return status;
  return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
}

static void switch_print(NrPrinter *w, NrOp *op) {
  NrAttr values = nr_op_attr(op, NR_A_case_values);
  nr_w_puts(w, " ");
  nr_w_value(w, nr_cf_switch_flag(op));
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_cf_switch_flag(op)->type);
  nr_w_puts(w, ", [");
  nr_w_newline(w);
  nr_w_puts(w, "  default: ");
  nr_w_successor(w, op, 0);
  for (uint32_t i = 1; i < op->num_successors; i++) {
    nr_w_puts(w, ",");
    nr_w_newline(w);
    nr_w_puts(w, "  ");
    /* As a number also for i1, not as true or false. */
    if (values) nr_w_printf(w, "%lld", (long long)nr_attr_element(values, (int64_t)i - 1)->i);
    nr_w_puts(w, ": ");
    nr_w_successor(w, op, i);
  }
  nr_w_newline(w);
  nr_w_puts(w, "]");
  nr_w_attr_dict(w, op, (const char *const[]){"case_values", "case_operand_segments", "operandSegmentSizes", NULL});
}

/* ---- verification ------------------------------------------------------------------------------------------------ */

/* An empty list of weights counts as no weights, as in MLIR. */
static NrStatus cond_br_verify(NrOp *op) {
  NrAttr weights = nr_op_attr(op, NR_A_branch_weights);
  size_t count = weights ? weights->data_size / sizeof(int32_t) : 0;
  if (count == 0) return NR_OK;
  if (count != op->num_successors)
    return nr_op_error(op, "(C1) expects number of branch weights to match number of successors: %zu vs %u", count,
                       op->num_successors);
  for (size_t i = 0; i < count; i++)
    if (((const int32_t *)weights->data)[i]) return NR_OK;
  return nr_op_error(op, "(C1) branch weights cannot all be zero");
}

static NrStatus switch_verify(NrOp *op) {
  NrAttr values = nr_op_attr(op, NR_A_case_values);
  int64_t count = 0;
  if (values && (values->kind != NR_ATTR_DENSE || !nr_type_num_elements(values->type, &count)))
    return nr_op_error(op, "requires attribute 'case_values' to be dense integers");
  if (values && nr_type_elem(values->type) != nr_cf_switch_flag(op)->type)
    return nr_op_error(op, "'flag' type ('%s') should match case value type ('%s')",
                       nr_type_text(values->ctx, nr_cf_switch_flag(op)->type),
                       nr_type_text(values->ctx, nr_type_elem(values->type)));
  if (count + 1 != (int64_t)op->num_successors)
    return nr_op_error(op, "number of case values (%lld) should match number of case destinations (%lld)",
                       (long long)count, (long long)op->num_successors - 1);
  return NR_OK;
}

#include "ir/rows.h"
#include "dialect/cf/ops.def"
