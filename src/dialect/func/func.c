/* func.c - the op definitions of dialect func, their verification and rewrites. The text of functions and calls is in
 * syntax.c. */
#include "dialect/arith/arith.h"
#include "dialect/func/func.h"
#include "noria/exec_abi.h"

/* ---- building ---------------------------------------------------------------------------------------------------- */

NrOp *nr_func_create(NrBuilder *b, NrStr name, NrType type, bool is_private) {
  NrOp *op = nr_build(b, &(NrOpState){.info = nr_op_infos[NR_OP_func_func], .num_regions = 1});
  nr_op_set_attr(op, NR_A_sym_name, nr_attr_string(b->ctx, name));
  nr_op_set_attr(op, NR_A_function_type, nr_attr_type(type));
  if (is_private) nr_op_set_attr(op, NR_A_sym_visibility, nr_attr_string(b->ctx, NR_STR("private")));
  return op;
}

NrType nr_func_type(const NrOp *op) {
  NrAttr type = nr_op_attr(op, NR_A_function_type);
  return type && type->kind == NR_ATTR_TYPE && type->type->kind == NR_TYPE_FUNCTION ? type->type : NULL;
}

NrAttr nr_func_arg_attr(const NrOp *op, size_t i, const char *name) {
  NrAttr all = nr_op_attr(op, NR_A_arg_attrs);
  return all && all->kind == NR_ATTR_ARRAY && i < all->size ? nr_dict_get(all->items[i], name) : NULL;
}

NrAttr nr_func_result_attr(const NrOp *op, size_t i, const char *name) {
  NrAttr all = nr_op_attr(op, NR_A_res_attrs);
  return all && all->kind == NR_ATTR_ARRAY && i < all->size ? nr_dict_get(all->items[i], name) : NULL;
}

/* ---- verification ------------------------------------------------------------------------------------------------ */

static const char *text_of(NrType type) { return nr_type_text(type->ctx, type); }

static NrStatus verify_dicts(NrOp *op, const char *name, const char *what, size_t count) {
  NrAttr dicts = nr_op_attr_named(op, name);
  if (!dicts || dicts->kind != NR_ATTR_ARRAY) return NR_OK;
  if (dicts->size != count)
    return nr_op_error(
        op,
        "expects %s attribute array to have the same number of elements as the number of function %ss, got "
        "%zu, but expected %zu",
        what, what, dicts->size, count);
  for (size_t i = 0; i < dicts->size; i++) {
    NrAttr dict = dicts->items[i];
    if (dict->kind != NR_ATTR_DICT) return nr_op_error(op, "expects %s attribute %zu to be a dictionary", what, i);
    for (size_t k = 0; k < dict->num_named; k++)
      if (!memchr(dict->named[k].name.data, '.', dict->named[k].name.size))
        return nr_op_error(op, "%ss may only have dialect attributes, such as 'dialect.%.*s'", what,
                           NR_STR_ARG(dict->named[k].name));
  }
  return NR_OK;
}

static bool is_string_array(NrAttr attr) {
  if (attr->kind != NR_ATTR_ARRAY) return false;
  for (size_t i = 0; i < attr->size; i++)
    if (attr->items[i]->kind != NR_ATTR_STRING) return false;
  return true;
}

/* An entry of noria.inputs or noria.outputs. Fields may be missing; those that are there have their kinds. */
static bool is_value_info(NrAttr info) {
  NrAttr name = nr_dict_get(info, "name"), type = nr_dict_get(info, "type");
  NrAttr dims = nr_dict_get(info, "dims"), names = nr_dict_get(info, "dim_names");
  bool sized = dims && dims->kind == NR_ATTR_DENSE_ARRAY && nr_type_is_int_width(dims->type, 64);
  size_t rank = sized ? dims->data_size / sizeof(int64_t) : 0;
  return info->kind == NR_ATTR_DICT && (!name || name->kind == NR_ATTR_STRING) &&
         (!type || type->kind == NR_ATTR_TYPE) && (!dims || sized) && rank <= NORIA_MAX_RANK &&
         (!names || (is_string_array(names) && names->size == rank));
}

static NrStatus verify_value_infos(NrOp *op, const NrAttrName *name) {
  NrAttr list = nr_op_attr(op, name);
  if (!list) return NR_OK;
  if (list->kind != NR_ATTR_ARRAY) return nr_op_error(op, "requires '%s' to be an array of dictionaries", name->text);
  for (size_t i = 0; i < list->size; i++)
    if (!is_value_info(list->items[i]))
      return nr_op_error(
          op, "requires entry %zu of '%s' to be a dictionary of a name, a type, dims and as many dim_names", i,
          name->text);
  return NR_OK;
}

NrStatus nr_func_verify(NrOp *op) {
  NrType type = nr_func_type(op);
  if (!type) return nr_op_error(op, "requires attribute 'function_type' to be a function type");
  NR_TRY(verify_value_infos(op, NR_A_noria_inputs));
  NR_TRY(verify_value_infos(op, NR_A_noria_outputs));
  NrAttr symbols = nr_op_attr(op, NR_A_noria_warn_symbols);
  if (symbols && !is_string_array(symbols))
    return nr_op_error(op, "requires '%s' to be an array of strings", NR_A_noria_warn_symbols->text);
  NrStatus status = verify_dicts(op, "arg_attrs", "argument", type->num_inputs);
  if (status || (status = verify_dicts(op, "res_attrs", "result", type->num_results))) return status;
  NrBlock *entry = nr_op_only_body(op);
  if (!entry) {
    NrStr visibility = nr_op_attr_str(op, NR_A_sym_visibility);
    if (visibility.size && !nr_str_is(visibility, "public")) return NR_OK;
    return nr_op_error(op, "symbol declaration cannot have public visibility");
  }
  if (entry->num_args != type->num_inputs)
    return nr_op_error(op, "entry block must have %u arguments to match function signature", type->num_inputs);
  for (uint32_t i = 0; i < type->num_inputs; i++)
    if (entry->args[i]->type != type->inputs[i])
      return nr_op_error(op,
                         "type of entry block argument #%u('%s') must match the type of the corresponding argument in "
                         "function signature('%s')",
                         i, text_of(entry->args[i]->type), text_of(type->inputs[i]));
  return NR_OK;
}

static NrStatus return_verify(NrOp *op) {
  NrOp *func = nr_op_parent(op);
  NrType type = nr_func_type(func);
  NrStr name = nr_op_attr_str(func, NR_A_sym_name);
  if (!type) return NR_OK; /* the function's verifier reports it */
  if (op->num_operands != type->num_results)
    return nr_op_error(op, "has %u operands, but enclosing function (@%.*s) returns %u", op->num_operands,
                       NR_STR_ARG(name), type->num_results);
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_operand(op, i)->type != type->results[i])
      return nr_op_error(op,
                         "type of return operand %u ('%s') doesn't match function result type ('%s') in function @%.*s",
                         i, text_of(nr_operand(op, i)->type), text_of(type->results[i]), NR_STR_ARG(name));
  return NR_OK;
}

/* Verifies operands from `first` on, and results, against a function type. */
static NrStatus verify_against(NrOp *op, NrType type, uint32_t first) {
  if (op->num_operands - first != type->num_inputs) return nr_op_error(op, "incorrect number of operands for callee");
  for (uint32_t i = 0; i < type->num_inputs; i++)
    if (nr_operand(op, first + i)->type != type->inputs[i])
      return nr_op_error(op,
                         "operand type mismatch: expected operand type '%s', but provided '%s' for operand number %u",
                         text_of(type->inputs[i]), text_of(nr_operand(op, first + i)->type), i);
  if (op->num_results != type->num_results) return nr_op_error(op, "incorrect number of results for callee");
  for (uint32_t i = 0; i < type->num_results; i++)
    if (nr_result(op, i)->type != type->results[i])
      return nr_op_error(op, "result type mismatch at index %u: expected '%s', but got '%s'", i,
                         text_of(type->results[i]), text_of(nr_result(op, i)->type));
  return NR_OK;
}

static NrStatus call_verify_symbol(NrOp *op, NrOp *target) {
  if (!nr_op_has(target, NR_FUNCTION))
    return nr_op_error(op, "'%.*s' does not reference a valid function", NR_STR_ARG(nr_op_attr(op, NR_A_callee)->s));
  NrType type = nr_func_type(target);
  return type ? verify_against(op, type, 0) : NR_OK; /* the function's verifier reports a missing type */
}

static NrStatus call_indirect_verify(NrOp *op) { return verify_against(op, nr_func_call_indirect_callee(op)->type, 1); }

static NrStatus constant_verify_symbol(NrOp *op, NrOp *target) {
  NrType type = nr_op_has(target, NR_FUNCTION) ? nr_func_type(target) : NULL, has = nr_op_result(op)->type;
  if (!type)
    return nr_op_error(op, "'%.*s' does not reference a valid function", NR_STR_ARG(nr_op_attr(op, NR_A_value)->s));
  if (type == has) return NR_OK;
  return nr_op_error(op, "reference to function with mismatched type: '%s' vs '%s'", text_of(has), text_of(type));
}

/* ---- rewrites ---------------------------------------------------------------------------------------------------- */

/* Replaces an indirect call of a func.constant by a direct call. */
static bool call_indirect_canonicalize(NrOp *op, NrBuilder *b) {
  NrOp *callee = nr_func_call_indirect_callee(op)->op;
  if (!nr_op_is(callee, NR_OP_func_constant)) return false;
  NR_VEC(NrValue *) args = {0};
  NR_VEC(NrType) types = {0};
  for (uint32_t i = 1; i < op->num_operands; i++) nr_vec_push(&args, nr_operand(op, i));
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&types, nr_result(op, i)->type);
  NrOp *call = nr_build_op(b, NR_OP_func_call, args.data, args.size, types.data, types.size);
  nr_op_set_attr(call, NR_A_callee, nr_op_attr(callee, NR_A_value));
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_result(call, i));
  nr_op_erase(op);
  nr_vec_deinit(&args);
  nr_vec_deinit(&types);
  return true;
}

#include "ir/rows.h"
#include "dialect/func/ops.def"
