/* limits.c - errors for what is too large for machine code. LLVM has no limits of its own for these: it runs out of
 * time or memory, and then ends the process. */
#include "pass/expand/limits.h"

#include "ir/text.h"
#include "noria/exec_abi.h"
#include "pass/expand/descriptor.h"

static NrStatus check_lanes(NrOp *op, NrType type) {
  int64_t lanes;
  NrType vector = nr_type_is_ranked(type) && type->kind != NR_TYPE_VECTOR ? type->elem : type;
  if (vector->kind != NR_TYPE_VECTOR) return NR_OK;
  if (nr_type_num_elements(vector, &lanes) && lanes <= NR_MAX_LANES) return NR_OK;
  return nr_op_error(op, "has a value of type '%s': vectors of more than %d elements are not compiled",
                     nr_type_text(type->ctx, type), NR_MAX_LANES);
}

static NrStatus check_count(NrOp *op, uint32_t count, const char *what) {
  if (count <= NR_MAX_ARGUMENTS) return NR_OK;
  return nr_op_error(op, "has %u %s: functions of more than %d are not compiled", count, what, NR_MAX_ARGUMENTS);
}

static NrStatus check_function(NrOp *op) {
  NrAttr attr = nr_op_attr(op, NR_A_function_type);
  NrType type = attr && attr->kind == NR_ATTR_TYPE && attr->type->kind == NR_TYPE_FUNCTION ? attr->type : NULL;
  NrStatus status = type ? check_count(op, type->num_inputs, "arguments") : NR_OK;
  if (type && !status) status = check_count(op, type->num_results, "results");
  for (uint32_t i = 0; type && !status && i < type->num_inputs; i++) status = check_lanes(op, type->inputs[i]);
  for (uint32_t i = 0; type && !status && i < type->num_results; i++) status = check_lanes(op, type->results[i]);
  return status;
}

static bool check_op(NrOp *op, void *user) {
  NrStatus *status = user;
  if (nr_op_has(op, NR_FUNCTION)) *status = check_function(op);
  for (uint32_t i = 0; i < op->num_results && !*status; i++) *status = check_lanes(op, nr_result(op, i)->type);
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next)
      for (uint32_t i = 0; i < block->num_args && !*status; i++) *status = check_lanes(op, block->args[i]->type);
  return *status == NR_OK;
}

NrStatus nr_check_limits(NrOp *root) {
  NrStatus status = NR_OK;
  nr_walk_pre(root, check_op, &status);
  return status;
}

bool nr_passes_to_runtime(NrType type) {
  switch (type->kind) {
  case NR_TYPE_MEMREF:
    return type->rank <= NORIA_MAX_RANK && type->elem->kind != NR_TYPE_VECTOR && nr_descriptor_is_row_major(type);
  case NR_TYPE_UNRANKED_MEMREF: return type->elem->kind != NR_TYPE_VECTOR;
  case NR_TYPE_INTEGER:
  case NR_TYPE_FLOAT: return type->width <= 64;
  case NR_TYPE_INDEX:
  case NR_TYPE_flow_channel:
  case NR_TYPE_onnx_string: return true;
  default: return nr_type_is_handle(type);
  }
}
