/* shard_batch.c - shares the batch of a model out over the ranks of a channel.
 *
 *   before  func.func @main(%x: tensor<?x64xf32>) -> tensor<?x64xf32> { body }     dim 0 of %x is named N
 *   after   func.func @main(%x) {
 *             %part = tensor.extract_slice %x, the rows of this rank
 *             %y = call @main_shard(%part)
 *             return flow.collective.all_gather of %y
 *           }
 *           func.func private @main_shard(..) { body }
 *
 * The batch is dim 0 of the first input that gives it a name; inputs with dim 0 of this name are cut. The rows of
 * results stand in the order of the ranks. That a row of a result depends on its row of the inputs only is up to the
 * user: a sum over the batch is one over a rank's part. */
#include "dialect/func/func.h"
#include "dialect/func/ops.h"
#include "dialect/tensor/tensor.h"
#include "pass/core/rewrite.h"
#include "pass/dispatch/shard.h"

/* The names of the dims of a value of NR_A_noria_inputs or NR_A_noria_outputs; NULL: it has none. */
static NrAttr dim_names(const NrOp *func, const NrAttrName *values, uint32_t i) {
  NrAttr list = nr_op_attr(func, values), value = list && i < list->size ? list->items[i] : NULL;
  NrAttr names = value && value->kind == NR_ATTR_DICT ? nr_dict_get(value, "dim_names") : NULL;
  return names && names->kind == NR_ATTR_ARRAY ? names : NULL;
}

/* The name of a dim; empty: none. */
static NrStr dim_name(NrAttr names, size_t dim) {
  bool named = names && dim < names->size && names->items[dim]->kind == NR_ATTR_STRING;
  return named ? names->items[dim]->s : (NrStr){0};
}

static NrStr batch_name(const NrOp *func, uint32_t i) { return dim_name(dim_names(func, NR_A_noria_inputs, i), 0); }

/* The batch is dim 0 only. */
static NrStatus check_dims(NrOp *func, const NrAttrName *values, uint32_t i, const char *what, NrStr batch) {
  NrAttr names = dim_names(func, values, i);
  for (size_t dim = 1; names && dim < names->size; dim++)
    if (nr_str_eq(dim_name(names, dim), batch))
      return nr_op_error(func, "%s #%u has the batch %.*s as dim %zu; --shard=batch needs it as dim 0", what, i,
                         NR_STR_ARG(batch), dim);
  return NR_OK;
}

static NrStatus check_input(NrOp *func, NrType type, uint32_t i, NrStr batch) {
  NR_TRY(check_dims(func, NR_A_noria_inputs, i, "input", batch));
  if (!nr_str_eq(batch_name(func, i), batch)) return NR_OK;
  if (!nr_type_is_ranked(type) || !type->rank || type->dims[0] != NR_DYNAMIC)
    return nr_op_error(func, "the batch of input #%u is fixed; --shard=batch needs an open one", i);
  return NR_OK;
}

static NrStatus check_result(NrOp *func, NrType type, uint32_t i, NrStr batch) {
  if (!nr_shard_can_send(type))
    return nr_op_error(func, "result #%u is not a tensor of numbers, which --shard=batch needs", i);
  NR_TRY(check_dims(func, NR_A_noria_outputs, i, "result", batch));
  NrStr name = dim_name(dim_names(func, NR_A_noria_outputs, i), 0);
  if (name.size && !nr_str_eq(name, batch))
    return nr_op_error(func, "dim 0 of result #%u is %.*s, not the batch %.*s, which --shard=batch needs", i,
                       NR_STR_ARG(name), NR_STR_ARG(batch));
  if (type->rank == 0 || type->dims[0] != NR_DYNAMIC)
    return nr_op_error(func, "result #%u has no batch as dim 0, which --shard=batch needs", i);
  return NR_OK;
}

/* Moves the body of func to a private function. */
static NrOp *split_off(NrOp *func) {
  NrSymbolNames names = {0};
  NrBuf text = {0};
  nr_buf_printf(&text, "%.*s_shard", NR_STR_ARG(nr_op_attr_str(func, NR_A_sym_name)));
  NrStr name = nr_symbol_free_name(&names, nr_op_parent(func), (NrStr){text.data, text.size});
  NrBuilder b = nr_builder_before(func);
  NrOp *shard = nr_func_create(&b, name, nr_func_type(func), true);
  nr_region_take(nr_func_func_region(shard), nr_func_func_region(func));
  nr_symbol_names_deinit(&names);
  nr_buf_deinit(&text);
  return shard;
}

static void build_host(NrOp *func, NrOp *callee, NrStr batch) {
  NrType type = nr_func_type(func);
  NrBlock *body = nr_block_create(func->module);
  nr_block_append(nr_func_func_region(func), body);
  for (size_t i = 0; i < type->num_inputs; i++) nr_block_add_arg(body, type->inputs[i], func->loc);
  NrBuilder b = nr_builder_at_end(func->module, body, func->loc);
  NrShard shard = nr_shard_begin(&b);
  NR_VEC(NrValue *) values = {0};
  for (uint32_t i = 0; i < body->num_args; i++) {
    NrValue *value = body->args[i];
    if (nr_str_eq(batch_name(func, i), batch)) {
      NrIndex offset, length;
      NrValue *operands[] = {value, nr_index_value(&b, nr_index_const(0))};
      NrValue *size = nr_build_value(&b, NR_OP_tensor_dim, nr_type_index(b.ctx), operands, 2);
      nr_shard_part(&b, &shard, nr_index_of(size), &offset, &length);
      value = nr_build_tensor_cast(&b, nr_shard_slice(&b, value, 0, offset, length), value->type);
    }
    nr_vec_push(&values, value);
  }
  NrOp *call = nr_build_op(&b, NR_OP_func_call, values.data, values.size, type->results, type->num_results);
  nr_op_set_attr(call, NR_A_callee, nr_attr_symbol(b.ctx, nr_op_attr_str(callee, NR_A_sym_name)));
  values.size = 0;
  for (uint32_t i = 0; i < call->num_results; i++) {
    NrValue *whole = nr_shard_all_gather(&b, &shard, nr_result(call, i));
    nr_vec_push(&values, nr_build_tensor_cast(&b, whole, type->results[i]));
  }
  nr_build_op(&b, NR_OP_func_return, values.data, values.size, NULL, 0);
  nr_vec_deinit(&values);
}

static NrStatus shard_func(NrOp *func) {
  NrType type = nr_func_type(func);
  NrStr batch = {0};
  for (uint32_t i = 0; i < type->num_inputs && !batch.size; i++) batch = batch_name(func, i);
  if (!batch.size) return nr_op_error(func, "no input has a name for its dim 0, the batch that --shard=batch cuts");
  for (uint32_t i = 0; i < type->num_inputs; i++) NR_TRY(check_input(func, type->inputs[i], i, batch));
  for (uint32_t i = 0; i < type->num_results; i++) NR_TRY(check_result(func, type->results[i], i, batch));
  build_host(func, split_off(func), batch);
  return NR_OK;
}

static bool is_entry(const NrOp *op) {
  return nr_op_is(op, NR_OP_func_func) && nr_op_attr(op, NR_A_noria_entry) && nr_op_only_region(op)->first;
}

static NrStatus shard_batch_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  NrOpList found = {0};
  NrStatus status = NR_OK;
  nr_collect_pre(root, is_entry, &found);
  for (size_t i = 0; i < found.size && !status; i++) status = shard_func(found.data[i]);
  nr_vec_deinit(&found);
  return status;
}

NR_PASS(shard_batch, .name = "shard-batch", .on_while = NR_WHILE_BARRIER, .of_table = true, .run = shard_batch_run,
        .doc = "each rank runs a model on its part of the batch; results are gathered")
