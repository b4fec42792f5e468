/* reductions.c - see reductions.h. */
#include "reductions.h"

#include "dialect/arith/arith.h"
#include "dialect/func/func.h"
#include "dialect/scf/scf.h"
#include "ir/op_info.h"
#include "pass/pass.h"
#include "pass/rewrite.h"

static bool chosen(size_t i, size_t begin, size_t end) { return i >= begin && i < end; }

/* Places are counted as they are met; those of a range are chosen. */
typedef struct Choice {
  size_t begin, end, count;
} Choice;

static bool choose(Choice *c) { return chosen(c->count++, c->begin, c->end); }

/* The reductions whose places are in ops: visit asks for each, and makes what is chosen. It may erase ops that are
 * still to come, which it then gets too. */
static size_t each_op(NrModule *module, size_t begin, size_t end, void (*visit)(NrOp *op, Choice *c)) {
  Choice c = {begin, end, 0};
  NrOpList ops = {0};
  nr_collect_ops(module->op, &ops);
  for (size_t i = 0; i < ops.size; i++) visit(ops.data[i], &c);
  nr_vec_deinit(&ops);
  return c.count;
}

/* ---- values in place of others ---------------------------------------------------------------------------------- */

/* 0, or a tensor or vector of zeros; NULL for what has no constants. */
static NrValue *zero_of(NrBuilder *b, NrType type) {
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

/* A value of that type which is there before op: an operand, then what stands above, then arguments. */
static NrValue *value_before(NrOp *op, NrType type) {
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

/* Gives all users another value; false when there is none. */
static bool give_up_results(NrOp *op, bool constants) {
  NrBuilder b = nr_builder_before(op);
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrValue *value = nr_result(op, i), *other = NULL;
    if (!nr_value_has_uses(value)) continue;
    if (!constants) other = value_before(op, value->type);
    if (!other && constants) other = zero_of(&b, value->type);
    if (!other) return false;
    nr_value_replace_uses(value, other);
  }
  return true;
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
    if (!chosen(count++, begin, end) || nr_is_erased(op)) continue;
    if (!give_up_results(op, constants)) continue;
    nr_op_erase(op);
  }
  nr_vec_deinit(&ops);
  return count;
}

static size_t erase_for_values(NrModule *m, size_t begin, size_t end) { return erase_ops(m, begin, end, false); }
static size_t erase_for_constants(NrModule *m, size_t begin, size_t end) { return erase_ops(m, begin, end, true); }

/* ---- regions ---------------------------------------------------------------------------------------------------- */

/* What the arguments of the region's block are when it runs for the first time; false when that is not known. */
static bool first_arguments(NrOp *op, uint32_t region, NrValue **args) {
  NrBlock *block = nr_op_body(op, region);
  size_t first = 0, count;
  if (nr_op_is(op, NR_OP_scf_for)) {
    args[0] = nr_operand(op, 0);
    for (uint32_t i = 1; i < block->num_args; i++) args[i] = nr_operand(op, 2 + i);
    return true;
  }
  if (nr_op_is(op, NR_OP_scf_while) && region == 1) return false;
  if (nr_op_is(op, NR_OP_scf_parallel)) nr_op_operand_group(op, 0, &first, &count);
  if (block->num_args + first > op->num_operands) return false;
  for (uint32_t i = 0; i < block->num_args; i++)
    if ((args[i] = nr_operand(op, first + i))->type != block->args[i]->type) return false;
  return true;
}

/* Runs one region once, in place of the op. */
static bool inline_region(NrOp *op, uint32_t region) {
  NrBlock *block = nr_op_body(op, region);
  NrValue *args[64], *results[64];
  if (!block || block->next || block->num_args > 64 || op->num_results > 64 || !first_arguments(op, region, args))
    return false;
  NrOp *last = nr_block_terminator(block);
  if (!last || last->num_successors || last->num_operands > 64) return false;
  uint32_t given = nr_op_is(last, NR_OP_scf_condition) ? 1 : 0;
  bool parallel = nr_op_is(op, NR_OP_scf_parallel);
  for (uint32_t i = 0; i < op->num_results; i++) {
    if (given + i >= last->num_operands) return false;
    results[i] = nr_operand(last, given + i);
    if (results[i]->type != nr_result(op, i)->type) return false;
    for (uint32_t k = 0; k < block->num_args && !parallel; k++)
      if (results[i] == block->args[k]) results[i] = args[k];
  }
  for (uint32_t i = 0; i < block->num_args; i++) {
    for (uint32_t k = 0; k < op->num_results; k++)
      if (results[k] == block->args[i]) results[k] = args[i];
    nr_value_replace_uses(block->args[i], args[i]);
  }
  for (NrOp *inner = block->first, *next; inner != last; inner = next) {
    next = inner->next;
    nr_op_unlink(inner);
    nr_op_insert_before(inner, op);
  }
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), results[i]);
  nr_op_erase(op);
  return true;
}

static bool is_structured(const NrOp *op) {
  return op->num_regions && !nr_op_has(op, NR_SYMBOL) && !nr_op_has(op, NR_TERMINATOR) &&
         nr_str_is(nr_str(op->info->dialect), "scf");
}

static void inline_regions_of(NrOp *op, Choice *c) {
  uint32_t regions = is_structured(op) ? op->num_regions : 0;
  for (uint32_t r = 0; r < regions; r++)
    if (choose(c) && !nr_is_erased(op)) inline_region(op, r);
}

static size_t inline_regions(NrModule *m, size_t begin, size_t end) {
  return each_op(m, begin, end, inline_regions_of);
}

/* ---- carried values and results --------------------------------------------------------------------------------- */

/* The op again without result `result` (UINT32_MAX: none). Regions move over, operands are as they are now. */
static NrOp *without_result(NrOp *op, uint32_t result) {
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

/* The results' users get another value first. */
static bool free_result(NrOp *op, uint32_t i) {
  NrBuilder b = nr_builder_before(op);
  NrValue *value = nr_result(op, i), *other = NULL;
  if (!nr_value_has_uses(value)) return true;
  if (!(other = zero_of(&b, value->type))) other = value_before(op, value->type);
  if (other) nr_value_replace_uses(value, other);
  return other != NULL;
}

static void drop_argument(NrBlock *block, uint32_t i, NrValue *other) {
  nr_value_replace_uses(block->args[i], other);
  nr_block_erase_arg(block, i);
}

static bool drop_of_while(NrOp *op, uint32_t i) {
  NrBlock *before = nr_op_body(op, 0), *after = nr_op_body(op, 1);
  if (i < op->num_operands) { /* carried */
    drop_argument(before, i, nr_operand(op, i));
    nr_op_erase_operand(nr_block_terminator(after), i);
    nr_op_erase_operand(op, i);
    return true;
  }
  i -= op->num_operands; /* handed on */
  NrBuilder b = nr_builder_before(op);
  NrValue *other = zero_of(&b, nr_result(op, i)->type);
  if (!other) other = value_before(op, nr_result(op, i)->type);
  if (!other || !free_result(op, i)) return false;
  drop_argument(after, i, other);
  nr_op_erase_operand(nr_block_terminator(before), 1 + i);
  without_result(op, i);
  return true;
}

static bool drop_of_for(NrOp *op, uint32_t i) {
  if (!free_result(op, i)) return false;
  drop_argument(nr_op_body(op, 0), 1 + i, nr_operand(op, 3 + i));
  nr_op_erase_operand(nr_block_terminator(nr_op_body(op, 0)), i);
  nr_op_erase_operand(op, 3 + i);
  without_result(op, i);
  return true;
}

static bool drop_of_parallel(NrOp *op, uint32_t i) {
  NrContext *ctx = nr_op_context(op);
  size_t begin, sizes[4];
  int32_t segments[4];
  for (size_t group = 0; group < 4; group++) {
    nr_op_operand_group(op, group, &begin, &sizes[group]);
    segments[group] = (int32_t)sizes[group];
  }
  NrOp *reduce = nr_block_terminator(nr_op_body(op, 0));
  if (!free_result(op, i) || !reduce || reduce->num_operands != op->num_results) return false;
  segments[3]--;
  nr_op_erase_operand(op, begin + i);
  nr_op_set_attr(op, "operandSegmentSizes", nr_attr_dense_array(nr_type_i32(ctx), segments, sizeof segments));
  without_result(op, i);
  NrBuilder b = nr_builder_before(reduce);
  NR_VEC(NrValue *) left = {0};
  for (uint32_t k = 0; k < reduce->num_operands; k++)
    if (k != i) nr_vec_push(&left, nr_operand(reduce, k));
  NrOp *copy = nr_scf_reduce(&b, left.data, left.size);
  for (uint32_t k = 0, to = 0; k < reduce->num_regions; k++)
    if (k != i) nr_region_take(nr_op_region(copy, to++), nr_op_region(reduce, k));
  nr_op_erase(reduce);
  nr_vec_deinit(&left);
  return true;
}

/* Regions that each yield all results. */
static bool drop_of_branches(NrOp *op, uint32_t i) {
  if (!free_result(op, i)) return false;
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = nr_op_region(op, r)->first; block; block = block->next)
      if (block->last && nr_op_is(block->last, NR_OP_scf_yield)) nr_op_erase_operand(block->last, i);
  without_result(op, i);
  return true;
}

static bool drop_value(NrOp *op, uint32_t i) {
  switch (op->info->id) {
  case NR_OP_scf_for: return drop_of_for(op, i);
  case NR_OP_scf_while: return drop_of_while(op, i);
  case NR_OP_scf_parallel: return drop_of_parallel(op, i);
  case NR_OP_scf_if:
  case NR_OP_scf_index_switch:
  case NR_OP_scf_execute_region: return drop_of_branches(op, i);
  default: return false;
  }
}

/* One value of an op at a time: dropping makes a new op. */
static void drop_values_of(NrOp *op, Choice *c) {
  bool dropped = false;
  uint32_t values = !is_structured(op) ? 0 : op->num_results + (nr_op_is(op, NR_OP_scf_while) ? op->num_operands : 0);
  for (uint32_t k = 0; k < values; k++)
    if (choose(c) && !dropped && !nr_is_erased(op)) dropped = drop_value(op, k);
}

static size_t drop_values(NrModule *m, size_t begin, size_t end) { return each_op(m, begin, end, drop_values_of); }

/* ---- functions -------------------------------------------------------------------------------------------------- */

static bool calls(const NrOp *op, NrStr name) {
  return nr_op_is(op, NR_OP_func_call) && nr_str_eq(nr_op_attr_str(op, "callee"), name);
}

/* Functions whose calls give nothing, or constants. */
static size_t erase_functions(NrModule *module, size_t begin, size_t end) {
  NrOpList ops = {0};
  size_t count = 0;
  nr_collect_ops(module->op, &ops);
  for (NrOp *func = nr_op_body(module->op, 0)->first, *next; func; func = next) {
    next = func->next;
    if (!nr_op_is(func, NR_OP_func_func) || !chosen(count++, begin, end)) continue;
    NrStr name = nr_op_attr_str(func, "sym_name");
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
  nr_op_set_attr(func, "function_type",
                 nr_attr_type(nr_type_function(ctx, inputs.data, inputs.size, results.data, results.size)));
  nr_op_remove_attr(func, "arg_attrs");
  nr_op_remove_attr(func, "res_attrs");
  nr_vec_deinit(&inputs);
  nr_vec_deinit(&results);
}

static bool drop_input(NrOp *func, const NrOpList *ops, uint32_t input) {
  NrBlock *block = nr_op_body(func, 0);
  NrType type = nr_func_type(func);
  if (!block || !block->first) return false;
  if (nr_value_has_uses(block->args[input])) {
    NrBuilder b = nr_builder_before(block->first);
    NrValue *zero = zero_of(&b, block->args[input]->type);
    for (uint32_t i = 0; i < block->num_args && !zero; i++)
      if (i != input && block->args[i]->type == block->args[input]->type) zero = block->args[i];
    if (!zero) return false;
    nr_value_replace_uses(block->args[input], zero);
  }
  nr_block_erase_arg(block, input);
  set_type(func, type, input, UINT32_MAX);
  for (size_t i = 0; i < ops->size; i++)
    if (!nr_is_erased(ops->data[i]) && calls(ops->data[i], nr_op_attr_str(func, "sym_name")))
      nr_op_erase_operand(ops->data[i], input);
  return true;
}

static bool drop_output(NrOp *func, const NrOpList *ops, uint32_t output) {
  NrType type = nr_func_type(func);
  NrStr name = nr_op_attr_str(func, "sym_name");
  for (size_t i = 0; i < ops->size; i++)
    if (!nr_is_erased(ops->data[i]) && calls(ops->data[i], name) && !free_result(ops->data[i], output)) return false;
  for (size_t i = 0; i < ops->size; i++) {
    NrOp *op = ops->data[i];
    if (nr_is_erased(op)) continue;
    if (calls(op, name)) without_result(op, output);
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
      if (chosen(count++, begin, end) && !dropped) dropped = drop_input(func, &ops, i);
    for (uint32_t i = 0; i < type->num_results; i++)
      if (chosen(count++, begin, end) && !dropped) dropped = drop_output(func, &ops, i);
  }
  nr_vec_deinit(&ops);
  return count;
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

static void branch_always(NrOp *op, uint32_t successor) {
  NR_VEC(NrValue *) operands = {0};
  for (uint32_t k = 0; k < op->successors[successor].num_operands; k++)
    nr_vec_push(&operands, nr_successor_operand(op, successor, k));
  NrBuilder b = nr_builder_before(op);
  uint32_t passed = (uint32_t)operands.size;
  nr_build(&b, &(NrOpState){.info = nr_op_infos[NR_OP_cf_br],
                            .operands = operands.data,
                            .num_operands = operands.size,
                            .successors = &op->successors[successor].block,
                            .num_successors = 1,
                            .successor_operands = &passed});
  NrRegion *region = op->block->region;
  nr_op_erase(op);
  nr_erase_unreachable_blocks(region);
  nr_vec_deinit(&operands);
}

/* A branch with several ways takes always the same. */
static void straighten_branch(NrOp *op, Choice *c) {
  uint32_t ways = op->num_successors > 1 ? op->num_successors : 0;
  for (uint32_t s = 0; s < ways; s++)
    if (choose(c) && !nr_is_erased(op)) branch_always(op, s);
}

static size_t straighten(NrModule *m, size_t begin, size_t end) { return each_op(m, begin, end, straighten_branch); }

/* A block with one predecessor that goes nowhere else becomes its end. */
static void join_block(NrOp *op, Choice *c) {
  if (nr_is_erased(op) || !nr_op_is(op, NR_OP_cf_br)) return;
  NrBlock *to = op->successors[0].block, *from = op->block;
  if (to == from || to == to->region->first || to->first_pred->next || !choose(c)) return;
  for (uint32_t k = 0; k < to->num_args; k++) nr_value_replace_uses(to->args[k], nr_successor_operand(op, 0, k));
  nr_op_erase(op);
  nr_block_splice(to, from, NULL);
  while (to->num_args) nr_block_erase_arg(to, to->num_args - 1);
  nr_block_erase(to);
}

static size_t join_blocks(NrModule *m, size_t begin, size_t end) { return each_op(m, begin, end, join_block); }

/* ---- numbers and attributes ------------------------------------------------------------------------------------- */

static void shrink(NrOp *op, Choice *c, bool to_zero) {
  NrAttr value = nr_op_is(op, NR_OP_arith_constant) ? nr_op_attr(op, "value") : NULL, smaller = NULL;
  if (value && value->kind == NR_ATTR_INTEGER && value->num_words == 0 && value->i != 0 && value->type->width != 1)
    smaller = to_zero || value->i == 1 || value->i == -1 ? nr_attr_int(value->type, to_zero ? 0 : 1)
                                                         : nr_attr_int(value->type, value->i / 2);
  if (value && value->kind == NR_ATTR_FLOAT && value->f != 0 && to_zero) smaller = nr_attr_float(value->type, 0);
  if (smaller && smaller != value && choose(c)) nr_op_set_attr(op, "value", smaller);
}

static void zero(NrOp *op, Choice *c) { shrink(op, c, true); }
static void halve(NrOp *op, Choice *c) { shrink(op, c, false); }

static size_t numbers_to_zero(NrModule *m, size_t begin, size_t end) { return each_op(m, begin, end, zero); }
static size_t numbers_by_half(NrModule *m, size_t begin, size_t end) { return each_op(m, begin, end, halve); }

/* Those without which the op is not right are put back by the verifier's refusal. */
static void drop_attributes_of(NrOp *op, Choice *c) {
  for (uint32_t k = op->num_attrs; k-- > 0;)
    if (choose(c)) nr_op_remove_attr(op, op->attrs[k].name.data);
}

static size_t drop_attributes(NrModule *m, size_t begin, size_t end) {
  return each_op(m, begin, end, drop_attributes_of);
}

/* ---- passes ----------------------------------------------------------------------------------------------------- */

/* What is simplified may still show the fault. */
static size_t simplify(NrModule *module, size_t begin, size_t end) {
  static const char *const passes[] = {"dce", "symbol-dce", "canonicalize", "inline", "cse"};
  for (size_t i = 0; i < NR_COUNTOF(passes); i++)
    if (chosen(i, begin, end) && nr_run_passes(module, nr_str(passes[i]), &(NrPassOptions){0})) break;
  return NR_COUNTOF(passes);
}

const Reduction reductions[] = {simplify,        erase_functions, inline_regions, erase_for_values, erase_for_constants,
                                drop_values,     straighten,      join_blocks,    drop_signature,   numbers_to_zero,
                                numbers_by_half, drop_attributes, NULL};

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
    cost += constant ? 2 + bits_of(nr_op_attr(op, "value")) / 2 : 100 + op->num_attrs;
    cost += 4 * (op->num_operands + op->num_results + op->num_regions);
    for (uint32_t r = 0; r < op->num_regions; r++)
      for (NrBlock *block = nr_op_region(op, r)->first; block; block = block->next) cost += 4 + 4 * block->num_args;
  }
  nr_vec_deinit(&ops);
  return cost;
}
