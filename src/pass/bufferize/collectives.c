/* collectives.c - channels and collectives as calls of the runtime.
 *
 *   before  %c = flow.channel.default : !flow.channel
 *           %r = flow.collective.all_reduce sum, f32, %t, %s, %c : (..) -> %t as tensor<4xf32>
 *   after   %c = rt.call "channel_default"(%name) : (memref<0xi8>) -> !flow.channel
 *           rt.call "collective"(%site, %kind, %dtype, %sum, %same_rows, %c, %send, %recv, %t, %s) : (..) -> ()
 *
 * A collective overwrites its whole target. It writes the target's buffer where nothing else needs that, and else a new
 * one, without a copy. On a channel of a split this rank may not take part: then the result is the target, whose
 * contents are needed. */
#include "dialect/arith/arith.h"
#include "dialect/operands.h"
#include "pass/bufferize/bufferize.h"

/* ---- channels, before the analysis ------------------------------------------------------------------------------- */

bool nr_bufferize_is_channel_op(const NrOp *op) { return nr_flow_import(op) && !nr_flow_is_collective(op); }

static NrValue *name_bytes(NrBuilder *b, NrStr name) {
  int64_t size = (int64_t)name.size;
  NrType type = nr_type_tensor(&size, 1, nr_type_int(b->ctx, 8));
  return nr_arith_constant(b, nr_attr_dense(type, name.data, name.size));
}

/* A call whose first operand may be a check site: an attribute `node` requests one, with op's location where the node
 * has no name. */
static NrOp *runtime_call(NrBuilder *b, const NrOp *op, NrValue *const *args, size_t count, const NrType *result) {
  NrOp *call = nr_build_op(b, NR_OP_rt_call, args, count, result, result ? 1 : 0);
  nr_op_set_attr(call, NR_A_name, nr_attr_string(b->ctx, nr_str(nr_flow_import(op))));
  bool has_site = count && nr_type_is_int_width(args[0]->type, 32);
  if (has_site) nr_op_set_attr(call, NR_A_node, nr_attr_string(b->ctx, nr_op_attr_str(op, NR_A_node)));
  return call;
}

static NrValue *site(NrBuilder *b) { return nr_arith_constant_int(b, nr_type_i32(b->ctx), -1); }

NrStatus nr_bufferize_channel_op(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *args[4];
  size_t count = 0;
  if (nr_op_is(op, NR_OP_flow_channel_default)) args[count++] = name_bytes(&b, nr_op_attr_str(op, NR_A_group));
  if (nr_op_is(op, NR_OP_flow_channel_split)) args[count++] = site(&b);
  for (size_t i = 0; i < op->num_operands; i++) args[count++] = nr_operand(op, i);
  nr_op_replace(op, nr_op_result(runtime_call(&b, op, args, count, &nr_op_result(op)->type)));
  return NR_OK;
}

/* ---- collectives ------------------------------------------------------------------------------------------------- */

enum { TARGET = NR_FLOW_COLLECTIVE_ALL_GATHER_TARGET }; /* of all collectives */

static size_t source_index(const NrOp *op) {
  return nr_op_group(op, NR_FLOW_COLLECTIVE_ALL_GATHER_SOURCE_GROUP).begin;
}

/* Whether this rank is known to take part, so that the whole target is written. */
static bool takes_part(const NrOp *op) {
  NrOp *call = nr_flow_collective_channel(op)->op;
  return nr_op_is(call, NR_OP_rt_call) && nr_str_is(nr_op_attr_str(call, NR_A_name), "channel_default");
}

/* What keeps the collective from writing the target's buffer. Another value in it may be the source only, and that only
 * as the same memory. */
static NrConflict conflict(const NrAnalysis *a, const NrOp *op) {
  NrBufferBinding *target = nr_analysis_binding(a, nr_operand(op, TARGET)),
                  *source = nr_analysis_binding(a, nr_operand(op, source_index(op)));
  NrConflict why = nr_analysis_conflict(a, op, target->buffer);
  if (why.kind != NR_NO_CONFLICT) return why;
  if (target->memory->type->layout) why.kind = NR_STRIDED;
  if (source->buffer == target->buffer && source->memory != target->memory) why.kind = NR_OTHER_OPERAND;
  return why;
}

void nr_analyse_collective(NrAnalysis *a, NrOp *op) {
  NrValue *result = nr_op_result(op);
  NrBufferBinding *target = nr_analysis_binding(a, nr_operand(op, TARGET));
  NrConflict why = conflict(a, op);
  if (why.kind == NR_NO_CONFLICT) {
    nr_analysis_join(a, result, target->buffer, target->memory);
    nr_analysis_decide(a, op, TARGET, NR_IN_PLACE, why, target->memory);
  } else {
    bool keeps = target->memory && !takes_part(op);
    NrMemory shape = {.kind = NR_MEMORY_ALLOC, .type = nr_analysis_type(a, result->type), .of = op,
                      .first = TARGET + 1, .shape = result->type};
    NrMemory *memory = nr_analysis_make(a, op, shape);
    nr_analysis_join(a, result, nr_analysis_own(a, memory, op->block, nr_analysis_number(a, op)), memory);
    if (keeps) nr_analysis_copy_contents(a, op, target->memory, memory);
    nr_analysis_decide(a, op, TARGET, keeps ? NR_COPIED : NR_NEW_BUFFER, why, memory);
  }
  nr_analysis_read_dense(a, op, source_index(op), NULL);
}

void nr_rewrite_collective(NrOp *op, const NrOpPlan *plan) {
  NrBuilder b = nr_builder_before(op);
  NrType i32 = nr_type_i32(b.ctx);
  bool has_partners = nr_op_is(op, NR_OP_flow_collective_send_recv);
  NrValue *none = has_partners ? NULL : nr_arith_constant_index(&b, -1);
  NrValue *args[] = {site(&b),
                     nr_arith_constant_int(&b, i32, nr_flow_collective_kind(op)),
                     nr_arith_constant_int(&b, i32, nr_flow_element_dtype(op)),
                     nr_arith_constant_int(&b, i32, nr_op_attr_int(op, NR_A_reduction_op, NR_FLOW_NONE)),
                     nr_arith_constant_int(&b, nr_type_int(b.ctx, 1), nr_flow_has_same_rows(op)),
                     nr_flow_collective_channel(op),
                     none ? none : nr_flow_collective_send_recv_send(op),
                     none ? none : nr_flow_collective_send_recv_recv(op),
                     plan->operands[TARGET].memory->value,
                     plan->operands[source_index(op)].memory->value};
  runtime_call(&b, op, args, NR_COUNTOF(args), NULL);
}
