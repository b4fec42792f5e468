/* function.c - the bodies of functions: their blocks, with phis for arguments, and the ops in them. */
#include "codegen/llvm/ll.h"
#include "dialect/func/func.h"
#include "pass/core/rewrite.h"

/* Block arguments become phis. */
static NrStatus make_phis(NrLl *g, NrBlock *block) {
  LLVMPositionBuilderAtEnd(g->b, nr_map_get(&g->blocks, block));
  for (uint32_t i = 0; i < block->num_args; i++) {
    NrType type = nr_block_arg(block, i)->type;
    if (!nr_ll_type(g, type))
      return nr_op_error(nr_block_parent_op(block), "has a block argument of type %s, which machine code does not have",
                         nr_type_text(g->ctx, type));
    LLVMBuildPhi(g->b, nr_ll_passed_type(g, type), "");
  }
  LLVMValueRef phi = block->num_args ? LLVMGetFirstInstruction(nr_map_get(&g->blocks, block)) : NULL;
  for (uint32_t i = 0; i < block->num_args; i++) {
    LLVMValueRef next = LLVMGetNextInstruction(phi);
    nr_ll_receive(g, nr_block_arg(block, i), phi);
    phi = next;
  }
  return NR_OK;
}

static void bind_params(NrLl *g, NrBlock *entry) {
  LLVMPositionBuilderAtEnd(g->b, nr_map_get(&g->blocks, entry));
  for (uint32_t i = 0; i < entry->num_args; i++) {
    NrValue *arg = nr_block_arg(entry, i);
    if (g->func->is_wrapper) nr_ll_desc_read(g, arg, nr_ll_desc_at(g, LLVMGetParam(g->func->value, 1), i));
    else nr_ll_receive(g, arg, LLVMGetParam(g->func->value, i + 1));
  }
}

static NrStatus define_function(NrLl *g, NrLlFunc *func) {
  nr_ll_begin_function(g, func);
  if (!func->is_wrapper) nr_ll_sanitize_function(g, func);
  NrBlock *entry = nr_func_func_body(func->op);
  NrBlockList blocks = {0};
  NrStatus status = NR_OK;
  nr_collect_blocks(nr_func_func_region(func->op), &blocks);
  for (size_t i = 0; i < blocks.size; i++)
    nr_map_set(&g->blocks, blocks.data[i], LLVMAppendBasicBlockInContext(g->llvm, func->value, ""));
  bind_params(g, entry);
  for (size_t i = 0; i < blocks.size && !status; i++)
    if (blocks.data[i] != entry) status = make_phis(g, blocks.data[i]);
  for (size_t i = 0; i < blocks.size && !status; i++) {
    LLVMPositionBuilderAtEnd(g->b, nr_map_get(&g->blocks, blocks.data[i]));
    for (NrOp *op = blocks.data[i]->first; op && !status; op = op->next) status = nr_ll_emit_op(g, op);
  }
  LLVMPositionBuilderAtEnd(g->b, g->allocas);
  LLVMBuildBr(g->b, nr_map_get(&g->blocks, entry));
  if (!status) nr_ll_end_frame(g);
  nr_ll_sanitize_end(g);
  nr_vec_deinit(&blocks);
  return status;
}

NrStatus nr_ll_define_functions(NrLl *g) {
  for (size_t i = 0; i < g->all.size; i++) {
    NrStatus status = g->all.data[i]->here ? define_function(g, g->all.data[i]) : NR_OK;
    if (status) return status;
  }
  return NR_OK;
}
