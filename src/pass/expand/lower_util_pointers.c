/* lower_util_pointers.c - pointers to globals become numbers, and accesses by them choices between globals.
 *
 *   %p = util.global.address @h : !util.ptr<i64>    ->  %p = arith.constant 1 : index
 *   %v = util.global.load.indirect %p               ->  %v = scf.if %p == 0 { load @g } else { load @h }
 *
 * The globals whose address the program takes are numbered; an access chooses among those whose type it fits. */
#include "dialect/arith/arith.h"
#include "dialect/func/func.h"
#include "dialect/scf/scf.h"
#include "dialect/tensor/tensor.h"
#include "dialect/util/util.h"
#include "pass/core/rewrite.h"
#include "pass/expand/lower_util.h"

static NrType global_type(const NrOp *global) { return nr_op_attr(global, NR_A_type)->type; }

/* An object is a pointer too: no other reference can be compiled. */
static bool is_pointer(NrType t) {
  return t->kind == NR_TYPE_util_ptr || (t->kind == NR_TYPE_OPAQUE && nr_str_is(t->text, "util.object"));
}

static bool casts_pointer(const NrOp *op) {
  return nr_op_is(op, NR_OP_util_cast) && is_pointer(nr_util_cast_operand(op)->type) &&
         is_pointer(nr_op_result(op)->type);
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

/* An access by pointer, and the globals that it may be of. */
typedef struct Access {
  NrOp *op;
  NrValue *pointer, *stored; /* stored NULL: a load */
  NR_VEC(size_t) numbers;
  const NrOpList *globals;
} Access;

static NrValue *build_access(const Access *a, NrBuilder *b, NrOp *global) {
  NrValue *value = a->stored;
  NrType type = value ? global_type(global) : nr_op_result(a->op)->type;
  if (value && value->type != type) value = nr_build_tensor_cast(b, value, type);
  NrOp *made = nr_build_op(b, value ? NR_OP_util_global_store : NR_OP_util_global_load, &value, value ? 1 : 0, &type,
                           value ? 0 : 1);
  nr_op_set_attr(made, NR_A_global, nr_attr_symbol(b->ctx, nr_op_attr_str(global, NR_A_sym_name)));
  return value ? NULL : nr_op_result(made);
}

/* The access of the globals from `first` on; the last one needs no test. */
static NrValue *build_choice(const Access *a, NrBuilder *b, size_t first) {
  size_t number = a->numbers.data[first];
  NrOp *global = a->globals->data[number];
  if (first + 1 == a->numbers.size) return build_access(a, b, global);
  NrValue *is_it = nr_arith_cmpi(b, NR_CMPI_EQ, a->pointer, nr_arith_constant_index(b, (int64_t)number));
  size_t count = a->stored ? 0 : 1;
  NrType type = a->stored ? NULL : nr_op_result(a->op)->type;
  NrOp *branch = nr_scf_if(b, is_it, &type, count, true);
  NrBuilder then = nr_scf_body_builder(nr_scf_if_then_body(branch));
  NrValue *value = build_access(a, &then, global);
  nr_scf_yield(&then, &value, count);
  NrBuilder rest = nr_scf_body_builder(nr_scf_if_else_body(branch));
  value = build_choice(a, &rest, first + 1);
  nr_scf_yield(&rest, &value, count);
  return count ? nr_op_result(branch) : NULL;
}

static bool fits(NrType global, NrType access) {
  return global == access || (nr_type_is_tensor(global) && nr_types_cast_compatible(global, access));
}

static bool is_access(const NrOp *op) {
  return nr_op_is(op, NR_OP_util_global_load_indirect) || nr_op_is(op, NR_OP_util_global_store_indirect);
}

static void find_numbers(Access *a) {
  NrType type = a->stored ? a->stored->type : nr_op_result(a->op)->type;
  for (size_t i = 0; i < a->globals->size; i++)
    if (fits(global_type(a->globals->data[i]), type)) nr_vec_push(&a->numbers, i);
}

/* out_access: deinit its numbers always. */
static void open_access(NrOp *op, const NrOpList *globals, Access *out_access) {
  bool loads = nr_op_is(op, NR_OP_util_global_load_indirect);
  *out_access = (Access){.op = op, .globals = globals};
  out_access->pointer = loads ? nr_util_global_load_indirect_global(op) : nr_util_global_store_indirect_global(op);
  out_access->stored = loads ? NULL : nr_util_global_store_indirect_value(op);
  find_numbers(out_access);
}

static void lower_access(NrOp *op, const NrOpList *globals) {
  Access a;
  open_access(op, globals, &a);
  NrBuilder b = nr_builder_before(op);
  NrValue *value = build_choice(&a, &b, 0);
  if (value) nr_value_replace_uses(nr_op_result(op), value);
  nr_op_erase(op);
  nr_vec_deinit(&a.numbers);
}

/* Reports why not, where report is set. */
static bool can_lower(NrOp *op, const NrOpList *globals, bool report) {
  if (nr_op_is(op, NR_OP_util_cast) && !casts_pointer(op)) {
    if (report) nr_op_error(op, "cannot be compiled: an object is used for more than pointers to globals");
    return false;
  }
  if (!is_access(op)) return true;
  Access a;
  open_access(op, globals, &a);
  bool ok = a.numbers.size > 0;
  if (!ok && report) nr_op_error(op, "cannot be compiled: the address of no global of this type is taken");
  nr_vec_deinit(&a.numbers);
  return ok;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void retype(NrValue *value) {
  if (is_pointer(value->type)) value->type = nr_type_index(value->type->ctx);
}

static void retype_function(NrOp *func) {
  NrType type = nr_func_type(func);
  NR_VEC(NrType) types = {0};
  for (uint32_t i = 0; i < type->num_inputs + type->num_results; i++) {
    NrType t = i < type->num_inputs ? type->inputs[i] : type->results[i - type->num_inputs];
    nr_vec_push(&types, is_pointer(t) ? nr_type_index(t->ctx) : t);
  }
  NrType made =
      nr_type_function(type->ctx, types.data, type->num_inputs, types.data + type->num_inputs, type->num_results);
  nr_op_set_attr(func, NR_A_function_type, nr_attr_type(made));
  nr_vec_deinit(&types);
}

static size_t number_of(const NrOpList *globals, const NrOp *global) {
  size_t i = 0;
  while (i < globals->size && globals->data[i] != global) i++;
  return i;
}

static void lower_value(NrOp *op, const NrOpList *globals) {
  bool null = nr_op_is(op, NR_OP_util_null) && is_pointer(nr_op_result(op)->type);
  bool address = nr_op_is(op, NR_OP_util_global_address);
  if (null || address) {
    NrBuilder b = nr_builder_before(op);
    NrOp *global = address ? nr_util_global_of(op) : NULL;
    nr_op_replace(op, nr_arith_constant_index(&b, address ? (int64_t)number_of(globals, global) : -1));
    return;
  }
  if (casts_pointer(op)) {
    nr_op_replace(op, nr_util_cast_operand(op));
    return;
  }
  for (uint32_t i = 0; i < op->num_results; i++) retype(nr_result(op, i));
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next)
      for (uint32_t i = 0; i < block->num_args; i++) retype(nr_block_arg(block, i));
  if (nr_op_has(op, NR_FUNCTION) && nr_func_type(op)) retype_function(op);
}

NrStatus nr_lower_util_pointers(NrOp *root, bool report) {
  NrOpList ops = {0}, globals = {0};
  bool any = false, all = true;
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++) {
    bool address = nr_op_is(ops.data[i], NR_OP_util_global_address);
    any |= is_access(ops.data[i]) || (address && nr_op_result(ops.data[i])->first_use);
    NrOp *global = address ? nr_util_global_of(ops.data[i]) : NULL;
    if (global && number_of(&globals, global) == globals.size) nr_vec_push(&globals, global);
  }
  for (size_t i = 0; i < ops.size && any; i++) all &= can_lower(ops.data[i], &globals, report);
  for (size_t i = 0; i < ops.size && any && all; i++)
    if (!is_access(ops.data[i])) lower_value(ops.data[i], &globals);
  for (size_t i = 0; i < ops.size && any && all; i++)
    if (is_access(ops.data[i])) lower_access(ops.data[i], &globals);
  nr_vec_deinit(&ops);
  nr_vec_deinit(&globals);
  return all || !report ? NR_OK : NR_ERROR_INVALID;
}
