/* cf.c - the rows of dialect cf and their hooks. */
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

/* ---- syntax ------------------------------------------------------------------------------------------------------ */

/* cond_br %c weights([90, 10]), ^bb1(%x : t), ^bb2 */
static NrStatus cond_br_parse(NrParser *p, NrOpState *state) {
  NrContext *ctx = nr_p_context(p);
  NrOperandRef condition;
  NrStatus status = nr_p_operand(p, &condition);
  if (status || (status = nr_p_add_operand(p, state, condition, nr_type_i1(ctx)))) return status;
  if (nr_p_try(p, "weights")) {
    int64_t first, second;
    if ((status = nr_p_expect(p, "(")) || (status = nr_p_expect(p, "[")) || (status = nr_p_int(p, &first)) ||
        (status = nr_p_expect(p, ",")) || (status = nr_p_int(p, &second)) || (status = nr_p_expect(p, "]")) ||
        (status = nr_p_expect(p, ")")))
      return status;
    int32_t weights[2] = {(int32_t)first, (int32_t)second};
    nr_p_add_attr(p, state, "branch_weights", nr_attr_dense_array(nr_type_i32(ctx), weights, sizeof weights));
  }
  if ((status = nr_p_expect(p, ",")) || (status = nr_p_successor(p, state)) || (status = nr_p_expect(p, ",")) ||
      (status = nr_p_successor(p, state)))
    return status;
  return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
}

static void cond_br_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_operand(op, 0));
  NrAttr weights = nr_op_attr(op, "branch_weights");
  if (weights && weights->kind == NR_ATTR_DENSE_ARRAY && weights->data_size == 8) {
    int32_t w32[2];
    memcpy(w32, weights->data, sizeof w32);
    nr_w_printf(w, " weights([%d, %d])", w32[0], w32[1]);
  }
  nr_w_puts(w, ", ");
  nr_w_successor(w, op, 0);
  nr_w_puts(w, ", ");
  nr_w_successor(w, op, 1);
  nr_w_attr_dict(w, op, (const char *const[]){"branch_weights", "operandSegmentSizes", NULL});
}

/* switch %flag : i32, [default: ^bb1, 42: ^bb2(%x : t)], a line for each */
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
    value = nr_attr_int(type, value)->i;
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
  NrAttr values = nr_op_attr(op, "case_values");
  nr_w_puts(w, " ");
  nr_w_value(w, nr_operand(op, 0));
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_operand(op, 0)->type);
  nr_w_puts(w, ", [");
  nr_w_newline(w);
  nr_w_puts(w, "  default: ");
  nr_w_successor(w, op, 0);
  for (uint32_t i = 1; i < op->num_successors; i++) {
    nr_w_puts(w, ",");
    nr_w_newline(w);
    nr_w_puts(w, "  ");
    if (values) nr_w_attr_no_type(w, nr_attr_element(values, (int64_t)i - 1));
    nr_w_puts(w, ": ");
    nr_w_successor(w, op, i);
  }
  nr_w_newline(w);
  nr_w_puts(w, "]");
  nr_w_attr_dict(w, op, (const char *const[]){"case_values", "case_operand_segments", "operandSegmentSizes", NULL});
}

/* ---- verification ------------------------------------------------------------------------------------------------ */

static NrStatus switch_verify(NrOp *op) {
  NrAttr values = nr_op_attr(op, "case_values");
  int64_t count = 0;
  if (values && (values->kind != NR_ATTR_DENSE || !nr_type_num_elements(values->type, &count)))
    return nr_op_error(op, "requires attribute 'case_values' to be dense integers");
  if (values && nr_type_elem(values->type) != nr_operand(op, 0)->type)
    return nr_op_error(op, "'flag' type ('%s') should match case value type ('%s')",
                       nr_type_text(values->ctx, nr_operand(op, 0)->type),
                       nr_type_text(values->ctx, nr_type_elem(values->type)));
  if (count + 1 != (int64_t)op->num_successors)
    return nr_op_error(op, "number of case values (%lld) should match number of case destinations (%lld)",
                       (long long)count, (long long)op->num_successors - 1);
  return NR_OK;
}

/* ---- rewrites ---------------------------------------------------------------------------------------------------- */

static bool assert_canonicalize(NrOp *op, NrBuilder *b) {
  int64_t value;
  if (!nr_value_constant_int(nr_operand(op, 0), &value) || !value) return false;
  nr_op_erase(op);
  return true;
}

/* Replaces a branch by one that always takes successor s. */
static bool take_successor(NrOp *op, NrBuilder *b, uint32_t s) {
  NR_VEC(NrValue *) operands = {0};
  for (uint32_t i = 0; i < op->successors[s].num_operands; i++) nr_vec_push(&operands, nr_successor_operand(op, s, i));
  nr_cf_br(b, op->successors[s].block, operands.data, operands.size);
  nr_vec_deinit(&operands);
  nr_op_erase(op);
  return true;
}

/* A block with nothing but `br ^next` and no arguments need not be visited. */
static NrBlock *passed_through(NrBlock *block) {
  NrOp *only = block->first;
  if (block->num_args || !nr_op_is(only, NR_OP_cf_br) || only->num_operands || only->successors[0].block == block)
    return NULL;
  return only->successors[0].block;
}

/* The end of a chain of such blocks; NULL where there is none, or where it goes round for ever. */
static NrBlock *chain_end(NrBlock *block) {
  NrBlock *end = passed_through(block);
  for (size_t steps = 0; end; steps++) {
    NrBlock *next = passed_through(end);
    if (!next) return end;
    if (steps == 100) return NULL;
    end = next;
  }
  return NULL;
}

static bool skip_empty_blocks(NrOp *op) {
  bool changed = false;
  for (uint32_t s = 0; s < op->num_successors; s++) {
    NrBlock *next = chain_end(op->successors[s].block);
    if (!next) continue;
    nr_op_set_successor(op, s, next);
    changed = true;
  }
  return changed;
}

/* The block that only this branch goes to continues the block that the branch ends. */
static bool br_canonicalize(NrOp *op, NrBuilder *b) {
  NrBlock *from = op->block, *to = op->successors[0].block;
  bool only = to->first_pred && !to->first_pred->next && to != from && to != to->region->first;
  if (!only) return skip_empty_blocks(op);
  for (uint32_t i = 0; i < to->num_args; i++) {
    if (nr_successor_operand(op, 0, i) == to->args[i]) return false; /* a loop that nothing enters */
  }
  for (uint32_t i = 0; i < to->num_args; i++) nr_value_replace_uses(to->args[i], nr_successor_operand(op, 0, i));
  nr_op_erase(op);
  nr_block_splice(to, from, NULL);
  nr_block_erase(to);
  return true;
}

static bool cond_br_canonicalize(NrOp *op, NrBuilder *b) {
  int64_t value;
  if (nr_value_constant_int(nr_operand(op, 0), &value)) return take_successor(op, b, value ? 0 : 1);
  if (skip_empty_blocks(op)) return true;
  bool same = op->successors[0].block == op->successors[1].block;
  for (uint32_t i = 0; same && i < op->successors[0].num_operands; i++)
    same = nr_successor_operand(op, 0, i) == nr_successor_operand(op, 1, i);
  return same && take_successor(op, b, 0);
}

static bool switch_canonicalize(NrOp *op, NrBuilder *b) {
  NrAttr flag = nr_value_constant(nr_operand(op, 0)), values = nr_op_attr(op, "case_values");
  if (op->num_successors == 1) return take_successor(op, b, 0);
  if (!flag || !values) return skip_empty_blocks(op);
  uint32_t taken = 0;
  for (uint32_t i = 1; i < op->num_successors && !taken; i++)
    if (nr_attr_element(values, (int64_t)i - 1) == flag) taken = i;
  return take_successor(op, b, taken);
}

#include "dialect/rows.h"
#include "dialect/cf/cf.def"
