/* syntax_payload.c - the text of named ops with lists of dims, and of those whose computation is given by one op or a
 * region:
 *
 *   linalg.transpose ins(%x : ..) outs(%o : ..) permutation = [1, 0]
 *   linalg.reduce { arith.addf } ins(%x : ..) outs(%o : ..) dimensions = [1]
 *   linalg.map ins(%x : ..) outs(%o : ..)
 *     (%in: f32, %init: f32) { .. }
 *
 * Results have the types of the outputs, so the text does not contain them. */
#include "dialect/arith/arith.h"
#include "dialect/linalg/linalg.h"

static const char *dims_attr(const NrOpInfo *info) {
  return info->id == NR_OP_linalg_transpose ? "permutation" : info->id == NR_OP_linalg_map ? NULL : "dimensions";
}

/* ---- parser ------------------------------------------------------------------------------------------------------ */

/* Parses ins, outs, the list of dims and the attributes. */
static NrStatus parse_head(NrParser *p, NrOpState *state, size_t *out_inputs) {
  size_t outputs;
  const char *dims = dims_attr(state->info);
  NR_TRY(nr_linalg_parse_operands(p, state, out_inputs, &outputs));
  for (size_t i = *out_inputs; i < *out_inputs + outputs; i++)
    if (nr_type_is_tensor(state->operands[i]->type)) nr_p_add_result(p, state, state->operands[i]->type);
  if (dims) {
    NR_TRY(nr_p_expect(p, dims));
    NR_TRY(nr_p_expect(p, "="));
    NR_TRY(nr_p_integers(p, state, dims));
  }
  return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
}

NrStatus nr_linalg_dims_parse(NrParser *p, NrOpState *state) {
  size_t inputs;
  NR_TRY(parse_head(p, state, &inputs));
  nr_p_empty_region(p, state);
  return NR_OK;
}

/* The op in braces. */
typedef struct Payload {
  const NrOpInfo *info; /* NULL: a region follows */
  NrAttr attrs;         /* a dictionary, or NULL */
  NrLoc loc;
} Payload;

static NrStatus parse_payload(NrParser *p, Payload *out) {
  NrStr name;
  *out = (Payload){.loc = nr_p_loc(p)};
  if (!nr_p_try(p, "{")) return NR_OK;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_keyword(p, &name));
  out->info = nr_op_info_find(name, NULL);
  if (!out->info) return nr_p_error(p, loc, "there is no op '%.*s'", NR_STR_ARG(name));
  if (nr_p_peek(p, "{")) NR_TRY(nr_p_attr(p, &out->attrs));
  return nr_p_expect(p, "}");
}

/* Builds the body with the payload op. In a reduction its operands are the current value of the output, then the input;
 * in a map only the inputs. */
static void build_payload(NrParser *p, NrOpState *state, const Payload *payload, size_t inputs) {
  NrModule *module = nr_p_module(p);
  NrRegion *region = nr_p_new_region(p, state);
  NrBlock *block = nr_block_create(module);
  size_t count = state->num_operands;
  NrValue **operands = nr_calloc(count + 1, sizeof *operands);
  nr_block_append(region, block);
  for (size_t i = 0; i < count; i++) nr_block_add_arg(block, nr_type_elem(state->operands[i]->type), payload->loc);
  bool reduces = state->info->id == NR_OP_linalg_reduce;
  size_t outputs = count - inputs, taken = reduces ? count : inputs;
  for (size_t i = 0; i < taken; i++)
    operands[i] = nr_block_arg(block, !reduces ? i : i < outputs ? inputs + i : i - outputs);
  NrBuilder b = nr_builder_at_end(module, block, payload->loc);
  NrType type = count ? nr_block_arg(block, count - 1)->type : nr_type_none(b.ctx);
  NrOp *op = nr_build(&b, &(NrOpState){.info = payload->info,
                                       .operands = operands,
                                       .num_operands = taken,
                                       .result_types = &type,
                                       .num_results = 1,
                                       .attrs = payload->attrs ? payload->attrs->named : NULL,
                                       .num_attrs = payload->attrs ? payload->attrs->num_named : 0});
  NrValue *result = nr_op_result(op);
  nr_build_op(&b, NR_OP_linalg_yield, &result, 1, NULL, 0);
  nr_free(operands);
}

static NrStatus parse_region(NrParser *p, NrOpState *state) {
  NR_VEC(NrArgRef) args = {0};
  NrStatus status = nr_p_expect(p, "(");
  while (!status && !nr_p_peek(p, ")")) {
    NrArgRef arg;
    if (args.size && (status = nr_p_expect(p, ","))) break;
    if (!(status = nr_p_typed_arg(p, &arg))) nr_vec_push(&args, arg);
  }
  if (!status) status = nr_p_expect(p, ")");
  if (!status) status = nr_p_region(p, state, args.data, args.size);
  nr_vec_deinit(&args);
  return status;
}

NrStatus nr_linalg_payload_parse(NrParser *p, NrOpState *state) {
  Payload payload;
  size_t inputs;
  NR_TRY(parse_payload(p, &payload));
  NR_TRY(parse_head(p, state, &inputs));
  if (!payload.info) return parse_region(p, state);
  build_payload(p, state, &payload, inputs);
  return NR_OK;
}

/* ---- printer ----------------------------------------------------------------------------------------------------- */

static void print_head(NrPrinter *w, NrOp *op) {
  const char *dims = dims_attr(op->info);
  const char *const own[] = {dims ? dims : "operandSegmentSizes", NULL};
  nr_linalg_print_operands(w, op);
  if (dims) {
    nr_w_printf(w, " %s = ", dims);
    nr_w_integers(w, op, dims);
    nr_w_puts(w, " "); /* MLIR prints a space here */
  }
  nr_w_attr_dict(w, op, own);
}

void nr_linalg_dims_print(NrPrinter *w, NrOp *op) { print_head(w, op); }

/* The body's only op if its operands are those that build_payload would give it, otherwise NULL. */
static NrOp *short_payload(NrOp *op) {
  NrBlock *block = nr_op_only_body(op);
  NrOp *payload = block->first, *yield = nr_block_terminator(block);
  if (!yield || !payload || payload == yield || payload->next != yield || payload->num_regions) return NULL;
  if (payload->num_results != 1 || yield->num_operands != 1 || nr_operand(yield, NR_LINALG_YIELD_VALUES)->op != payload)
    return NULL;
  bool reduces = nr_op_is(op, NR_OP_linalg_reduce);
  size_t inputs = nr_linalg_num_inputs(op), outputs = op->num_operands - inputs;
  size_t taken = reduces ? op->num_operands : inputs;
  if (!taken || payload->num_operands != taken) return NULL;
  for (size_t i = 0; i < taken; i++)
    if (nr_operand(payload, i) != nr_block_arg(block, !reduces ? i : i < outputs ? inputs + i : i - outputs))
      return NULL;
  return nr_op_result(payload)->type == nr_block_arg(block, op->num_operands - 1)->type ? payload : NULL;
}

/* MLIR prints some flags here also when they are the default. */
static void print_payload(NrPrinter *w, NrOp *payload) {
  NrContext *ctx = nr_op_context(payload);
  NR_VEC(NrNamedAttr) attrs = {0};
  NrAttr none = nr_arith_fastmath_attr(ctx, 0);
  for (uint32_t i = 0; i < payload->num_attrs; i++) {
    if (payload->attrs[i].value != none) nr_vec_push(&attrs, payload->attrs[i]);
  }
  if (payload->info->attrs && strstr(payload->info->attrs, "overflowFlags") &&
      !nr_op_attr(payload, NR_A_overflowFlags)) {
    NrNamedAttr flags = {nr_context_intern(ctx, NR_STR("overflowFlags")),
                         nr_arith_overflow_attr(ctx, 0)};
    nr_vec_push(&attrs, flags);
  }
  nr_w_puts(w, " { ");
  nr_w_str(w, nr_op_name(payload));
  if (attrs.size) {
    nr_w_puts(w, " ");
    nr_w_attr(w, nr_attr_dict(ctx, attrs.data, attrs.size));
  }
  nr_w_puts(w, " }");
  nr_vec_deinit(&attrs);
}

void nr_linalg_payload_print(NrPrinter *w, NrOp *op) {
  NrBlock *block = nr_op_only_body(op);
  NrOp *payload = short_payload(op);
  if (payload) print_payload(w, payload);
  print_head(w, op);
  if (payload) return;
  nr_w_indent(w, 2);
  nr_w_newline(w);
  nr_w_puts(w, "(");
  for (uint32_t i = 0; i < block->num_args; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_value(w, nr_block_arg(block, i));
    nr_w_puts(w, ": ");
    nr_w_type(w, nr_block_arg(block, i)->type);
    nr_w_trailing_loc(w, nr_arg_loc(nr_block_arg(block, i)));
  }
  nr_w_puts(w, ") ");
  nr_w_region(w, nr_op_only_region(op), false, true);
  nr_w_indent(w, -2);
}
