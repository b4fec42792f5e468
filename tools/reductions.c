/* reductions.c - see reductions.h. */
#include "dialect/arith/arith.h"
#include "dialect/func/func.h"
#include "pass/core/pass.h"
#include "reductions_parts.h"

bool reduction_is_chosen(size_t i, size_t begin, size_t end) { return i >= begin && i < end; }

bool reduction_choose(ReductionChoice *c) { return reduction_is_chosen(c->count++, c->begin, c->end); }

size_t reduction_each_op(NrModule *module, size_t begin, size_t end, void (*visit)(NrOp *op, ReductionChoice *c)) {
  ReductionChoice c = {begin, end, 0};
  NrOpList ops = {0};
  nr_collect_ops(module->op, &ops);
  for (size_t i = 0; i < ops.size; i++) visit(ops.data[i], &c);
  nr_vec_deinit(&ops);
  return c.count;
}

/* ---- values in place of others ---------------------------------------------------------------------------------- */

NrValue *reduction_zero(NrBuilder *b, NrType type) {
  NrType elem = nr_type_elem(type);
  bool is_float = nr_type_is_float(elem);
  if (!is_float && !nr_type_is_int_or_index(elem)) return NULL;
  NrAttr zero = is_float ? nr_attr_float(elem, 0) : nr_attr_int(elem, 0);
  if (elem == type) return nr_arith_constant(b, zero);
  if (type->kind == NR_TYPE_MEMREF || !nr_type_is_ranked(type) || !nr_type_has_static_shape(type)) return NULL;
  size_t size = nr_type_byte_size(elem);
  void *bytes = nr_calloc(1, size);
  NrAttr zeros = nr_attr_dense(type, bytes, size);
  nr_free(bytes);
  return nr_arith_constant(b, zeros);
}

NrValue *reduction_value_before(NrOp *op, NrType type) {
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_operand(op, i)->type == type) return nr_operand(op, i);
  for (NrOp *at = op; at && at->block; at = nr_op_parent(at)) {
    if (nr_op_has(at, NR_SYMBOL)) return NULL;
    for (NrOp *above = at->prev; above; above = above->prev)
      for (uint32_t i = 0; i < above->num_results; i++)
        if (nr_result(above, i)->type == type) return nr_result(above, i);
    for (uint32_t i = 0; i < at->block->num_args; i++)
      if (at->block->args[i]->type == type) return at->block->args[i];
  }
  return NULL;
}

/* Replaces all uses of the results by another value; false when there is none. */
static bool give_up_results(NrOp *op, bool constants) {
  NrBuilder b = nr_builder_before(op);
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrValue *value = nr_result(op, i), *other = NULL;
    if (!nr_value_has_uses(value)) continue;
    if (!constants) other = reduction_value_before(op, value->type);
    if (!other && constants) other = reduction_zero(&b, value->type);
    if (!other) return false;
    nr_value_replace_uses(value, other);
  }
  return true;
}

NrOp *reduction_without_result(NrOp *op, uint32_t result) {
  NR_VEC(NrValue *) operands = {0};
  NR_VEC(NrType) types = {0};
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&operands, nr_operand(op, i));
  for (uint32_t i = 0; i < op->num_results; i++)
    if (i != result) nr_vec_push(&types, nr_result(op, i)->type);
  NrOp *copy = nr_op_rebuild(op, operands.data, operands.size, types.data, types.size);
  for (uint32_t i = 0, k = 0; i < op->num_results; i++)
    if (i != result) nr_value_replace_uses(nr_result(op, i), nr_result(copy, k++));
  nr_op_erase(op);
  nr_vec_deinit(&operands);
  nr_vec_deinit(&types);
  return copy;
}

bool reduction_free_result(NrOp *op, uint32_t i) {
  NrBuilder b = nr_builder_before(op);
  NrValue *value = nr_result(op, i), *other = NULL;
  if (!nr_value_has_uses(value)) return true;
  if (!(other = reduction_zero(&b, value->type))) other = reduction_value_before(op, value->type);
  if (other) nr_value_replace_uses(value, other);
  return other != NULL;
}

/* ---- ops -------------------------------------------------------------------------------------------------------- */

static size_t erase_ops(NrModule *module, size_t begin, size_t end, bool constants) {
  NrOpList ops = {0};
  size_t count = 0;
  nr_collect_ops(module->op, &ops);
  for (size_t i = ops.size; i-- > 0;) { /* users first */
    NrOp *op = ops.data[i];
    if (nr_op_has(op, NR_TERMINATOR) || nr_op_has(op, NR_SYMBOL)) continue;
    if (constants && nr_op_is(op, NR_OP_arith_constant)) continue;
    if (!reduction_is_chosen(count++, begin, end) || nr_is_erased(op)) continue;
    if (!give_up_results(op, constants)) continue;
    nr_op_erase(op);
  }
  nr_vec_deinit(&ops);
  return count;
}

static size_t erase_for_values(NrModule *m, size_t begin, size_t end) { return erase_ops(m, begin, end, false); }
static size_t erase_for_constants(NrModule *m, size_t begin, size_t end) { return erase_ops(m, begin, end, true); }

/* ---- functions -------------------------------------------------------------------------------------------------- */

static bool calls(const NrOp *op, NrStr name) {
  return nr_op_is(op, NR_OP_func_call) && nr_str_eq(nr_op_attr_str(op, NR_A_callee), name);
}

/* Erases functions; results of their calls become constants. */
static size_t erase_functions(NrModule *module, size_t begin, size_t end) {
  NrOpList ops = {0};
  size_t count = 0;
  nr_collect_ops(module->op, &ops);
  for (NrOp *func = nr_op_body(module->op, 0)->first, *next; func; func = next) {
    next = func->next;
    if (!nr_op_is(func, NR_OP_func_func) || !reduction_is_chosen(count++, begin, end)) continue;
    NrStr name = nr_op_attr_str(func, NR_A_sym_name);
    bool can = true;
    for (size_t i = 0; i < ops.size && can; i++)
      if (!nr_is_erased(ops.data[i]) && calls(ops.data[i], name)) can = give_up_results(ops.data[i], true);
    for (size_t i = 0; i < ops.size && can; i++)
      if (!nr_is_erased(ops.data[i]) && calls(ops.data[i], name)) nr_op_erase(ops.data[i]);
    if (can) nr_op_erase(func);
  }
  nr_vec_deinit(&ops);
  return count;
}

static void set_type(NrOp *func, NrType type, uint32_t without_input, uint32_t without_output) {
  NR_VEC(NrType) inputs = {0};
  NR_VEC(NrType) results = {0};
  for (uint32_t i = 0; i < type->num_inputs; i++)
    if (i != without_input) nr_vec_push(&inputs, type->inputs[i]);
  for (uint32_t i = 0; i < type->num_results; i++)
    if (i != without_output) nr_vec_push(&results, type->results[i]);
  NrContext *ctx = nr_op_context(func);
  nr_op_set_attr(func, NR_A_function_type,
                 nr_attr_type(nr_type_function(ctx, inputs.data, inputs.size, results.data, results.size)));
  nr_op_remove_attr(func, NR_A_arg_attrs);
  nr_op_remove_attr(func, NR_A_res_attrs);
  nr_vec_deinit(&inputs);
  nr_vec_deinit(&results);
}

static bool drop_input(NrOp *func, const NrOpList *ops, uint32_t input) {
  NrBlock *block = nr_op_body(func, 0);
  NrType type = nr_func_type(func);
  if (!block || !block->first) return false;
  if (nr_value_has_uses(block->args[input])) {
    NrBuilder b = nr_builder_before(block->first);
    NrValue *zero = reduction_zero(&b, block->args[input]->type);
    for (uint32_t i = 0; i < block->num_args && !zero; i++)
      if (i != input && block->args[i]->type == block->args[input]->type) zero = block->args[i];
    if (!zero) return false;
    nr_value_replace_uses(block->args[input], zero);
  }
  nr_block_erase_arg(block, input);
  set_type(func, type, input, UINT32_MAX);
  for (size_t i = 0; i < ops->size; i++)
    if (!nr_is_erased(ops->data[i]) && calls(ops->data[i], nr_op_attr_str(func, NR_A_sym_name)))
      nr_op_erase_operand(ops->data[i], input);
  return true;
}

static bool drop_output(NrOp *func, const NrOpList *ops, uint32_t output) {
  NrType type = nr_func_type(func);
  NrStr name = nr_op_attr_str(func, NR_A_sym_name);
  for (size_t i = 0; i < ops->size; i++)
    if (!nr_is_erased(ops->data[i]) && calls(ops->data[i], name) && !reduction_free_result(ops->data[i], output))
      return false;
  for (size_t i = 0; i < ops->size; i++) {
    NrOp *op = ops->data[i];
    if (nr_is_erased(op)) continue;
    if (calls(op, name)) reduction_without_result(op, output);
    else if (nr_op_is(op, NR_OP_func_return) && nr_op_parent(op) == func) nr_op_erase_operand(op, output);
  }
  set_type(func, type, UINT32_MAX, output);
  return true;
}

/* One argument or result of a function at a time. */
static size_t drop_signature(NrModule *module, size_t begin, size_t end) {
  NrOpList ops = {0};
  size_t count = 0;
  nr_collect_ops(module->op, &ops);
  for (NrOp *func = nr_op_body(module->op, 0)->first; func; func = func->next) {
    if (!nr_op_is(func, NR_OP_func_func) || !nr_op_body(func, 0)) continue;
    NrType type = nr_func_type(func);
    bool dropped = false;
    for (uint32_t i = 0; i < type->num_inputs; i++)
      if (reduction_is_chosen(count++, begin, end) && !dropped) dropped = drop_input(func, &ops, i);
    for (uint32_t i = 0; i < type->num_results; i++)
      if (reduction_is_chosen(count++, begin, end) && !dropped) dropped = drop_output(func, &ops, i);
  }
  nr_vec_deinit(&ops);
  return count;
}

/* ---- numbers and attributes ------------------------------------------------------------------------------------- */

static void shrink(NrOp *op, ReductionChoice *c, bool to_zero) {
  NrAttr value = nr_op_is(op, NR_OP_arith_constant) ? nr_op_attr(op, NR_A_value) : NULL, smaller = NULL;
  if (value && value->kind == NR_ATTR_INTEGER && value->num_words == 0 && value->i != 0 && value->type->width != 1)
    smaller = to_zero || value->i == 1 || value->i == -1 ? nr_attr_int(value->type, to_zero ? 0 : 1)
                                                         : nr_attr_int(value->type, value->i / 2);
  if (value && value->kind == NR_ATTR_FLOAT && value->f != 0 && to_zero) smaller = nr_attr_float(value->type, 0);
  if (smaller && smaller != value && reduction_choose(c)) nr_op_set_attr(op, NR_A_value, smaller);
}

static void zero(NrOp *op, ReductionChoice *c) { shrink(op, c, true); }
static void halve(NrOp *op, ReductionChoice *c) { shrink(op, c, false); }

static size_t numbers_to_zero(NrModule *m, size_t begin, size_t end) { return reduction_each_op(m, begin, end, zero); }
static size_t numbers_by_half(NrModule *m, size_t begin, size_t end) { return reduction_each_op(m, begin, end, halve); }

/* Drops any attribute; the verifier rejects the result if the op requires it. */
static void drop_attributes_of(NrOp *op, ReductionChoice *c) {
  for (uint32_t k = op->num_attrs; k-- > 0;)
    if (reduction_choose(c)) nr_op_remove_attr_named(op, op->attrs[k].name.data);
}

static size_t drop_attributes(NrModule *m, size_t begin, size_t end) {
  return reduction_each_op(m, begin, end, drop_attributes_of);
}

/* ---- passes ----------------------------------------------------------------------------------------------------- */

/* Runs simplifying passes; the simpler program may still fail. */
static size_t simplify(NrModule *module, size_t begin, size_t end) {
  static const char *const passes[] = {"dce", "symbol-dce", "canonicalize", "inline", "cse"};
  for (size_t i = 0; i < NR_COUNTOF(passes); i++)
    if (reduction_is_chosen(i, begin, end) && nr_run_passes(module, nr_str(passes[i]), &(NrPassOptions){0})) break;
  return NR_COUNTOF(passes);
}

const Reduction reductions[] = {
    simplify,
    erase_functions,
    reduction_inline_regions,
    erase_for_values,
    erase_for_constants,
    reduction_drop_values,
    reduction_straighten,
    reduction_join_blocks,
    drop_signature,
    numbers_to_zero,
    numbers_by_half,
    drop_attributes,
    NULL,
};

/* ---- size ------------------------------------------------------------------------------------------------------- */

static size_t bits_of(NrAttr value) {
  if (value->kind == NR_ATTR_FLOAT) return value->f != 0;
  uint64_t size = value->kind != NR_ATTR_INTEGER ? 0 : value->i < 0 ? -(uint64_t)value->i : (uint64_t)value->i;
  return size ? 64 - (size_t)__builtin_clzll(size) : 0;
}

size_t reduction_cost(NrModule *module) {
  NrOpList ops = {0};
  size_t cost = 0;
  nr_collect_ops(module->op, &ops);
  for (size_t i = 0; i < ops.size; i++) {
    NrOp *op = ops.data[i];
    bool constant = nr_op_is(op, NR_OP_arith_constant);
    cost += constant ? 2 + bits_of(nr_op_attr(op, NR_A_value)) / 2 : 100 + op->num_attrs;
    cost += 4 * (op->num_operands + op->num_results + op->num_regions);
    for (uint32_t r = 0; r < op->num_regions; r++)
      for (NrBlock *block = nr_op_region(op, r)->first; block; block = block->next) cost += 4 + 4 * block->num_args;
  }
  nr_vec_deinit(&ops);
  return cost;
}
