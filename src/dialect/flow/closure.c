/* closure.c - the dispatch region and the stream fragment of 2020: pure scopes with explicit arguments.
 *
 *   flow.dispatch.region[%w : index](%i = %a : tensor<4xf32>) -> (tensor<4xf32>) { .. flow.return %r : tensor<4xf32> }
 *   flow.ex.stream.fragment(%i = %a : tensor<4xf32>) -> tensor<4xf32> { .. } */
#include "dialect/flow/flow.h"

static NrStatus results_parse(NrParser *p, NrOpState *state) {
  NrType *types;
  size_t count;
  NR_TRY(nr_p_arrow_type_list(p, &types, &count));
  nr_p_add_results(p, state, types, count);
  return NR_OK;
}

/* `%i = %a : t, ..)`, behind the parenthesis */
typedef struct Captures {
  NR_VEC(NrArgRef) args;
  NR_VEC(NrOperandRef) values;
} Captures;

static NrStatus captures_parse(NrParser *p, Captures *c) {
  if (nr_p_try(p, ")")) return NR_OK;
  do {
    NrArgRef arg;
    NrOperandRef value;
    NR_TRY(nr_p_arg(p, &arg));
    NR_TRY(nr_p_expect(p, "="));
    NR_TRY(nr_p_operand(p, &value));
    NR_TRY(nr_p_colon_type(p, &arg.type));
    nr_vec_push(&c->args, arg);
    nr_vec_push(&c->values, value);
  } while (nr_p_try(p, ","));
  return nr_p_expect(p, ")");
}

NrStatus nr_flow_p_workload(NrParser *p, NrOperandRef **out, size_t *count, bool *out_typed) {
  NrType *types;
  size_t num_types;
  *out = NULL;
  *count = 0;
  *out_typed = false;
  if (!nr_p_try(p, "[")) return NR_OK;
  NR_TRY(nr_p_operands(p, out, count));
  if ((*out_typed = nr_p_try(p, ":"))) NR_TRY(nr_p_type_list(p, &types, &num_types));
  return nr_p_expect(p, "]");
}

NrStatus nr_flow_closure_parse(NrParser *p, NrOpState *state) {
  NrOperandRef *workload;
  size_t num_workload;
  bool typed;
  NR_TRY(nr_flow_p_workload(p, &workload, &num_workload, &typed));
  return nr_flow_p_closure(p, state, workload, num_workload);
}

NrStatus nr_flow_p_closure(NrParser *p, NrOpState *state, NrOperandRef *workload, size_t num_workload) {
  Captures c = {0};
  NR_TRY(nr_p_expect(p, "("));
  NrStatus status = captures_parse(p, &c);
  if (!status) status = results_parse(p, state);
  if (!status) status = nr_p_add_indices(p, state, workload, num_workload);
  for (size_t i = 0; i < c.args.size && !status; i++)
    status = nr_p_add_operand(p, state, c.values.data[i], c.args.data[i].type);
  if (!status) status = nr_p_region(p, state, c.args.data, c.args.size);
  if (!status && !nr_p_try_attr_dict(p, state)) status = NR_ERROR_INVALID;
  if (!status) nr_p_set_segments(p, state, (uint32_t[]){(uint32_t)num_workload, (uint32_t)c.args.size}, 2);
  nr_vec_deinit(&c.args);
  nr_vec_deinit(&c.values);
  return status;
}

static NrGroup captures_of(const NrOp *op) { return nr_op_group(op, NR_FLOW_EX_STREAM_FRAGMENT_ARGUMENTS_GROUP); }

void nr_flow_closure_print(NrPrinter *w, NrOp *op) {
  NrGroup workload = nr_op_group(op, NR_FLOW_EX_STREAM_FRAGMENT_WORKLOAD_GROUP), captures = captures_of(op);
  NrBlock *body = nr_op_only_body(op);
  if (workload.count) {
    nr_w_puts(w, "[");
    nr_w_values(w, op, workload.begin, workload.count);
    nr_w_puts(w, " : ");
    nr_w_operand_types(w, op, workload.begin, workload.count);
    nr_w_puts(w, "]");
  }
  nr_w_puts(w, "(");
  for (size_t i = 0; body && i < captures.count && i < body->num_args; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_value(w, nr_block_arg(body, (uint32_t)i));
    nr_w_puts(w, " = ");
    nr_w_value(w, nr_operand(op, captures.begin + i));
    nr_w_puts(w, " : ");
    nr_w_type(w, nr_operand(op, captures.begin + i)->type);
  }
  nr_w_puts(w, ")");
  nr_w_arrow_results(w, op);
  nr_w_puts(w, " ");
  nr_w_region(w, nr_op_only_region(op), false, true);
  nr_w_attr_dict(w, op, (const char *const[]){"operandSegmentSizes", NULL});
}

NrStatus nr_flow_closure_verify(NrOp *op) {
  NrGroup captures = captures_of(op);
  NrBlock *body = nr_op_only_body(op);
  NrOp *end = body ? nr_block_terminator(body) : NULL;
  bool ok = body && body->num_args == captures.count;
  for (size_t i = 0; ok && i < captures.count; i++)
    ok = nr_block_arg(body, (uint32_t)i)->type == nr_operand(op, captures.begin + i)->type;
  if (!ok) return nr_op_error(op, "(C1) block arguments must be the captured values");
  ok = nr_op_is(end, NR_OP_flow_return) && end->num_operands == op->num_results;
  for (uint32_t i = 0; ok && i < op->num_results; i++) ok = nr_operand(end, i)->type == nr_result(op, i)->type;
  return ok ? NR_OK : nr_op_error(op, "(C2) flow.return must return the types of the results");
}

/* The body in place of the op. */
NrStatus nr_flow_closure_expand(NrOp *op, NrBuilder *b, NrValue **out) {
  NrGroup captures = captures_of(op);
  NrBlock *body = nr_op_only_body(op);
  NrOp *end = nr_block_terminator(body);
  NrMap map = {0};
  (void)b;
  for (size_t i = 0; i < captures.count; i++)
    nr_map_set(&map, nr_block_arg(body, (uint32_t)i), nr_operand(op, captures.begin + i));
  for (NrOp *inner = body->first; inner != end; inner = inner->next)
    nr_op_insert_before(nr_op_clone(op->module, inner, &map), op);
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrValue *copy = nr_map_get(&map, nr_operand(end, i));
    out[i] = copy ? copy : nr_operand(end, i);
  }
  nr_map_deinit(&map);
  return NR_OK;
}

/* Drops captures that the body does not use or has twice. */
bool nr_flow_closure_canonicalize(NrOp *op, NrBuilder *b) {
  NrGroup captures = captures_of(op), workload = nr_op_group(op, NR_FLOW_EX_STREAM_FRAGMENT_WORKLOAD_GROUP);
  NrBlock *body = nr_op_only_body(op);
  (void)b;
  for (size_t i = captures.count; i-- > 0;) {
    NrValue *arg = nr_block_arg(body, (uint32_t)i);
    for (size_t k = 0; k < i && arg->first_use; k++)
      if (nr_operand(op, captures.begin + k) == nr_operand(op, captures.begin + i))
        nr_value_replace_uses(arg, nr_block_arg(body, (uint32_t)k));
    if (arg->first_use) continue;
    nr_block_erase_arg(body, (uint32_t)i);
    nr_op_erase_operand(op, captures.begin + i);
    nr_op_set_segments(op, (uint32_t[]){(uint32_t)workload.count, (uint32_t)captures.count - 1}, 2);
    return true;
  }
  return false;
}
