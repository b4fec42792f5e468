/* control.c - calls, returns and branches. */
#include <llvm-c/DebugInfo.h>

#include "codegen/llvm/ll.h"
#include "dialect/cf/ops.h"
#include "dialect/func/func.h"

/* ---- calls and returns ------------------------------------------------------------------------------------------ */

/* Calls func, of LLVM type `type`, with the operands of op from number `first` on, and binds the results. Returns from
 * the function where the call fails. */
static void call_op(NrLl *g, NrOp *op, LLVMTypeRef type, LLVMValueRef func, size_t first) {
  NR_VEC(LLVMValueRef) args = {0};
  nr_vec_push(&args, g->exec);
  for (size_t i = first; i < op->num_operands; i++) nr_vec_push(&args, nr_ll_passed(g, nr_operand(op, i)));
  LLVMValueRef call = LLVMBuildCall2(g->b, type, func, args.data, (unsigned)args.size, "");
  nr_vec_deinit(&args);
  if (nr_op_attr(op, NR_A_no_inline)) nr_ll_call_attr(g, call, LLVMAttributeFunctionIndex, "noinline", 0);
  LLVMValueRef status = op->num_results ? LLVMBuildExtractValue(g->b, call, 0, "") : call;
  nr_ll_fail_unless(g, LLVMBuildICmp(g->b, LLVMIntEQ, status, nr_ll_int32(g, 0), ""));
  for (uint32_t i = 0; i < op->num_results; i++)
    nr_ll_receive(g, nr_result(op, i), LLVMBuildExtractValue(g->b, call, i + 1, ""));
}

static NrStatus emit_call(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrLlFunc *func = nr_ll_find_func(g, op, nr_op_attr(op, NR_A_callee));
  if (!func) return NR_ERROR_INVALID;
  call_op(g, op, func->ll_type, func->value, NR_FUNC_CALL_OPERANDS);
  return NR_OK;
}

static NrStatus emit_call_indirect(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrValue *callee = nr_func_call_indirect_callee(op);
  NrType type = callee->type;
  for (uint32_t i = 0; i < type->num_results; i++)
    if (!nr_ll_type(g, type->results[i]))
      return nr_op_error(op, "calls a function of type %s, which machine code does not have",
                         nr_type_text(g->ctx, type));
  call_op(g, op, nr_ll_function_type(g, type), nr_ll_value(g, callee), NR_FUNC_CALL_INDIRECT_CALLEE_OPERANDS);
  return NR_OK;
}

static NrStatus emit_function_constant(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrLlFunc *func = nr_ll_find_func(g, op, nr_op_attr(op, NR_A_value));
  if (!func) return NR_ERROR_INVALID;
  nr_ll_set(g, nr_op_result(op), func->value);
  return NR_OK;
}

/* The entry function records a location for the message about a run that exceeded its limit without reaching another
 * safepoint: that of the last safepoint before the return, or else that of the return. */
static void leave_place(NrLl *g, NrOp *op) {
  NrOp *asks = op->prev;
  while (asks && !nr_op_is(asks, NR_OP_rt_safepoint)) asks = asks->prev;
  NrStr place = nr_ll_place(g, asks ? asks : op);
  if (!place.size) return;
  LLVMValueRef offset = nr_ll_int(g, offsetof(NoriaExec, place));
  LLVMBuildStore(g->b, nr_ll_int32(g, (int32_t)nr_ll_site(g, place, (NrStr){0})),
                 LLVMBuildInBoundsGEP2(g->b, g->i8, g->exec, &offset, 1, ""));
}

static LLVMValueRef returned(NrLl *g, NrOp *op) {
  LLVMValueRef zero = nr_ll_int32(g, 0);
  if (!op->num_operands) return zero;
  LLVMValueRef out = LLVMBuildInsertValue(g->b, LLVMGetPoison(LLVMGetReturnType(g->func->ll_type)), zero, 0, "");
  for (uint32_t i = 0; i < op->num_operands; i++)
    out = LLVMBuildInsertValue(g->b, out, nr_ll_passed(g, nr_operand(op, i)), i + 1, "");
  return out;
}

static LLVMValueRef written_back(NrLl *g, NrOp *op) {
  LLVMValueRef descs = LLVMGetParam(g->func->value, 2);
  for (uint32_t i = 0; i < op->num_operands; i++) nr_ll_desc_write(g, nr_operand(op, i), nr_ll_desc_at(g, descs, i));
  return nr_ll_int32(g, 0);
}

static NrStatus emit_return(NrLl *g, NrOp *op, const NrLlRow *row) {
  if (nr_op_attr(op, NR_A_noria_leaves_place)) leave_place(g, op);
  LLVMBuildRet(g->b, g->func->is_wrapper ? written_back(g, op) : returned(g, op));
  return NR_OK;
}

/* ---- branches --------------------------------------------------------------------------------------------------- */

/* Adds the values for an edge out of `from` to the phis of the successor. The builder is at the end of `from`; taking
 * values apart may emit instructions, so the branch must be built afterwards. */
static void add_incoming(NrLl *g, NrOp *op, uint32_t successor, LLVMBasicBlockRef from) {
  LLVMValueRef phi = LLVMGetFirstInstruction(nr_map_get(&g->blocks, op->successors[successor].block));
  for (uint32_t i = 0; i < op->successors[successor].num_operands; i++, phi = LLVMGetNextInstruction(phi)) {
    LLVMValueRef value = nr_ll_passed(g, nr_successor_operand(op, successor, i));
    LLVMAddIncoming(phi, &value, &from, 1);
  }
}

/* The LLVM block for a successor. LLVM requires equal phi values on all edges between the same two blocks, so a second
 * edge to a block with arguments gets a block of its own. */
static LLVMBasicBlockRef edge(NrLl *g, NrOp *op, uint32_t successor) {
  NrBlock *to = op->successors[successor].block;
  LLVMBasicBlockRef target = nr_map_get(&g->blocks, to), here = LLVMGetInsertBlock(g->b);
  bool again = false;
  for (uint32_t i = 0; i < successor; i++) again |= op->successors[i].block == to;
  if (!again || !to->num_args) {
    add_incoming(g, op, successor, here);
    return target;
  }
  LLVMBasicBlockRef middle = nr_ll_new_block(g, "");
  LLVMPositionBuilderAtEnd(g->b, middle);
  add_incoming(g, op, successor, middle);
  LLVMBuildBr(g->b, target);
  LLVMPositionBuilderAtEnd(g->b, here);
  return middle;
}

static LLVMMetadataRef loop_property(NrLl *g, const char *name, LLVMTypeRef type, int64_t value) {
  LLVMMetadataRef parts[] = {LLVMMDStringInContext2(g->llvm, name, strlen(name)), NULL};
  if (type) parts[1] = LLVMValueAsMetadata(LLVMConstInt(type, (uint64_t)value, true));
  return LLVMMDNodeInContext2(g->llvm, parts, type ? 2 : 1);
}

/* Adds llvm.loop metadata: a node that refers to itself, then its properties. */
static void mark_loop(NrLl *g, NrOp *op, LLVMValueRef branch) {
  NrAttr dict = nr_op_attr(op, NR_A_noria_loop);
  if (!dict || dict->kind != NR_ATTR_DICT) return;
  LLVMMetadataRef items[6];
  size_t n = 1;
  int64_t value;
  NrAttr attr;
  items[0] = LLVMTemporaryMDNode(g->llvm, NULL, 0);
  if ((attr = nr_dict_get(dict, "vectorize")) && nr_attr_is_int(attr, &value))
    items[n++] = loop_property(g, "llvm.loop.vectorize.enable", g->i1, value != 0);
  if ((attr = nr_dict_get(dict, "width")) && nr_attr_is_int(attr, &value))
    items[n++] = loop_property(g, "llvm.loop.vectorize.width", g->i32, value);
  if ((attr = nr_dict_get(dict, "interleave")) && nr_attr_is_int(attr, &value))
    items[n++] = loop_property(g, "llvm.loop.interleave.count", g->i32, value);
  if ((attr = nr_dict_get(dict, "unroll")) && nr_attr_is_int(attr, &value))
    items[n++] = value <= 1 ? loop_property(g, "llvm.loop.unroll.disable", NULL, 0)
                            : loop_property(g, "llvm.loop.unroll.count", g->i32, value);
  items[n++] = loop_property(g, "llvm.loop.mustprogress", NULL, 0);
  LLVMMetadataRef node = LLVMMDNodeInContext2(g->llvm, items, n);
  LLVMMetadataReplaceAllUsesWith(items[0], node);
  nr_ll_metadata(g, branch, "llvm.loop", node);
}

static NrStatus emit_br(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMBasicBlockRef to = edge(g, op, 0);
  mark_loop(g, op, LLVMBuildBr(g->b, to));
  return NR_OK;
}

static NrStatus emit_cond_br(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMBasicBlockRef yes = edge(g, op, 0), no = edge(g, op, 1);
  LLVMValueRef branch = LLVMBuildCondBr(g->b, nr_ll_value(g, nr_cf_cond_br_condition(op)), yes, no);
  NrAttr weights = nr_op_attr(op, NR_A_branch_weights);
  if (weights) {
    const int32_t *w = weights->data;
    nr_ll_weights(g, branch, (uint32_t)w[0], (uint32_t)w[1]);
  }
  mark_loop(g, op, branch);
  return NR_OK;
}

/* The first successor is the default; case_values has the values of the others. Of equal values the first counts. */
static NrStatus emit_switch(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrAttr cases = nr_op_attr(op, NR_A_case_values);
  LLVMValueRef flag = nr_ll_value(g, nr_cf_switch_flag(op));
  NR_VEC(LLVMBasicBlockRef) targets = {0}; /* the default's, then the cases' */
  NR_VEC(LLVMValueRef) values = {0};
  NrMap seen = {0};
  nr_vec_push(&targets, edge(g, op, 0));
  for (uint32_t i = 1; i < op->num_successors; i++) {
    NrAttr attr = nr_attr_element(cases, i - 1);
    int64_t value = 0;
    if (nr_map_has(&seen, attr)) continue;
    nr_map_set(&seen, attr, op);
    nr_attr_is_int(attr, &value);
    nr_vec_push(&values, LLVMConstInt(LLVMTypeOf(flag), (uint64_t)value, true));
    nr_vec_push(&targets, edge(g, op, i));
  }
  LLVMValueRef inst = LLVMBuildSwitch(g->b, flag, targets.data[0], (unsigned)values.size);
  for (size_t i = 0; i < values.size; i++) LLVMAddCase(inst, values.data[i], targets.data[1 + i]);
  nr_vec_deinit(&targets);
  nr_vec_deinit(&values);
  nr_map_deinit(&seen);
  return NR_OK;
}

/* Zero: no less defined than what else it could be. */
static NrStatus emit_poison(NrLl *g, NrOp *op, const NrLlRow *row) {
  nr_ll_set(g, nr_op_result(op), LLVMConstNull(nr_ll_type(g, nr_op_result(op)->type)));
  return NR_OK;
}

const NrLlRow nr_ll_control_rows[] = {
    {"ub.poison", emit_poison},
    {"func.call", emit_call},     {"func.return", emit_return}, {"cf.br", emit_br},
    {"func.call_indirect", emit_call_indirect}, {"func.constant", emit_function_constant},
    {"cf.cond_br", emit_cond_br}, {"cf.switch", emit_switch},   {0},
};
