/* infer_shapes.c - sets the types of a model's values on its ops, and folds what is known at compile time.
 *
 *   before  %1 = "onnx.MatMul"(%x, %w) : (tensor<?x8xf32>, none) -> none
 *   after   %1 = "onnx.MatMul"(%x, %w) {noria.dim_names = [["N", ""]]}
 *               : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
 *
 * There are no shape rules here: the pass runs the lowering, takes the types that it finds and drops its ops
 * (lower.h). An op whose results turn out to be known becomes constants, an If whose condition is known the branch that
 * is run. What cannot run, and results that nothing uses, keep the type that the model declares or `none`. Opsets stay:
 * the lowering of an op knows all of its versions. */
#include "onnx/lower/core/lower.h"
#include "pass/core/pass.h"

static void take_type(const NrInferred *inferred, NrValue *value) {
  NrType type = nr_map_get(&inferred->types, value);
  if (type) value->type = type;
}

/* One array for each result; empty where no dim has a name. */
static void name_dims(const NrInferred *inferred, NrOp *op) {
  NrContext *ctx = nr_op_context(op);
  NR_VEC(NrAttr) items = {0};
  bool named = false;
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrAttr names = nr_map_get(&inferred->symbols, nr_result(op, i));
    named |= names != NULL;
    nr_vec_push(&items, names ? names : nr_attr_array(ctx, NULL, 0));
  }
  if (named) nr_op_set_attr(op, NR_A_noria_dim_names, nr_attr_array(ctx, items.data, items.size));
  else nr_op_remove_attr(op, NR_A_noria_dim_names);
  nr_vec_deinit(&items);
}

static void inline_branch(NrOp *op, NrRegion *region) {
  NrBlock *block = region->first;
  NrOp *yield = nr_block_terminator(block);
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_operand(yield, i));
  nr_op_erase(yield);
  nr_block_splice(block, op->block, op);
  nr_op_erase(op);
}

/* Replaces op by constants when all results that have uses are known. */
static bool make_constants(const NrInferred *inferred, NrOp *op) {
  bool used = false;
  if (nr_op_is(op, NR_OP_onnx_Constant)) return false;
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrValue *result = nr_result(op, i);
    used |= nr_value_has_uses(result);
    if (nr_value_has_uses(result) && !nr_map_has(&inferred->constants, result)) return false;
  }
  for (uint32_t i = 0; used && i < op->num_results; i++) {
    NrValue *result = nr_result(op, i);
    NrAttr value = nr_map_get(&inferred->constants, result);
    if (!value || !nr_value_has_uses(result)) continue;
    NrBuilder b = nr_builder_before(op);
    NrOp *constant = nr_build_op(&b, NR_OP_onnx_Constant, NULL, 0, &value->type, 1);
    nr_op_set_attr(constant, NR_A_value, value);
    nr_op_result(constant)->name = result->name;
    nr_value_replace_uses(result, nr_op_result(constant));
  }
  if (used) nr_op_erase(op);
  return used;
}

/* A file may give a Constant more than one output. */
static bool drop_unused_constant(NrOp *op, void *user) {
  (void)user;
  bool used = false;
  for (uint32_t i = 0; i < op->num_results; i++) used |= nr_value_has_uses(nr_result(op, i));
  if (nr_op_is(op, NR_OP_onnx_Constant) && !used) nr_op_erase(op);
  return true;
}

static bool rewrite(NrOp *op, void *user) {
  const NrInferred *inferred = user;
  for (uint32_t i = 0; i < op->num_results; i++) take_type(inferred, nr_result(op, i));
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = nr_op_region(op, r)->first; block; block = block->next)
      for (uint32_t i = 0; i < block->num_args; i++) take_type(inferred, block->args[i]);
  NrRegion *taken = nr_map_get(&inferred->branches, op);
  if (taken) inline_branch(op, taken);
  else if (!make_constants(inferred, op) && op->num_results) name_dims(inferred, op);
  return true;
}

static NrStatus infer_shapes_run(NrPassContext *pass, NrOp *op) {
  (void)pass;
  NrStatus status = NR_OK;
  for (NrOp *func = nr_op_only_body(op)->first; func && !status; func = func->next) {
    if (!nr_func_has_onnx_ops(func)) continue;
    NrInferred inferred = {0};
    status = nr_lower_infer(func, &inferred);
    if (!status) nr_walk_post(func, rewrite, &inferred);
    if (!status) nr_walk_post(func, drop_unused_constant, NULL);
    nr_inferred_deinit(&inferred);
  }
  return status;
}

NR_PASS(infer_shapes, .name = "infer-shapes", .on_while = NR_WHILE_BARRIER, .of_table = true, .run = infer_shapes_run,
        .doc = "writes on a model's ops the types that their lowering finds; what is known becomes constants")
