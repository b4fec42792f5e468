/* lower_util.c - functions and globals of dialect util become those of func and memref.
 *
 *   util.func @f(%a: tensor<4xf32>) -> %a           ->  func.func @f(%a: tensor<4xf32>) -> tensor<4xf32>
 *                                                         attributes {tied_operands = [0 : index]}
 *   util.global mutable @g = dense<0> : tensor<4xi32>  ->  memref.global @g : memref<4xi32> = dense<0>
 *   %v = util.global.load @g : tensor<4xi32>        ->  %m = memref.get_global @g
 *                                                       %v = bufferization.to_tensor %m
 *   util.global.store %v, @g : tensor<4xi32>        ->  bufferization.materialize_in_destination %v in .. %m
 *
 * A global that nothing stores to and that is not mutable is its value: its loads become constants. One whose sizes are
 * known in a run only is kept by the runtime, under a number:
 *
 *   util.global.store %v, @g : tensor<?xi32>        ->  rt.call "global_store"(%number, %v)
 *   %v = util.global.load @g : tensor<?xi32>        ->  %v = rt.call "global_load"(%site, %number)
 *
 * Pointers are lowered by lower_util_pointers.c.
 *
 * Initializers run when the program is first called:
 *
 *   util.initializer { .. }                         ->  func.func private @initializer_0() { .. }
 *   func.func @entry(..) {                          ->  func.func @entry(..) {
 *                                                         %first = rt.call "initialize_begin"() : () -> i1
 *                                                         scf.if %first { call @initializer_0() .. } */
#include "dialect/arith/arith.h"
#include "dialect/bufferization/ops.h"
#include "dialect/cf/ops.h"
#include "dialect/func/func.h"
#include "dialect/memref/memref.h"
#include "dialect/rt/ops.h"
#include "dialect/scf/scf.h"
#include "dialect/tensor/tensor.h"
#include "dialect/util/util.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"
#include "pass/expand/lower_util.h"

/* ---- functions --------------------------------------------------------------------------------------------------- */

static void lower_func(NrOp *op) {
  NrAttr policy = nr_op_attr(op, NR_A_inlining_policy);
  if (policy) {
    bool never = policy->kind == NR_ATTR_OPAQUE && nr_str_is(policy->s, "util.inline.never");
    nr_op_remove_attr(op, NR_A_inlining_policy);
    if (never) nr_op_set_attr(op, NR_A_no_inline, nr_attr_unit(nr_op_context(op)));
  }
  op->info = nr_op_infos[NR_OP_func_func];
}

static void lower_functions(const NrOpList *ops) {
  for (size_t i = 0; i < ops->size; i++) {
    NrOp *op = ops->data[i];
    /* Functions come before what is in them. */
    bool returns = nr_op_is(op, NR_OP_util_return) && nr_op_is(nr_op_parent(op), NR_OP_func_func);
    if (nr_op_is(op, NR_OP_util_func)) lower_func(op);
    else if (nr_op_is(op, NR_OP_util_call)) op->info = nr_op_infos[NR_OP_func_call];
    else if (returns) op->info = nr_op_infos[NR_OP_func_return];
  }
}

/* ---- globals ----------------------------------------------------------------------------------------------------- */

typedef struct Globals {
  NrMap stored; /* util.global -> an op that stores to it */
  NrMap lowered; /* util.global -> memref.global */
  NrMap accessed; /* load or store -> util.global; by name it would be found twice while the globals are replaced */
  NrMap numbers;  /* util.global -> the number of one that the runtime keeps, plus 1 */
} Globals;

static NrType global_type(const NrOp *global) { return nr_op_attr(global, NR_A_type)->type; }

/* Numbers that memory can hold. */
static bool is_stored_elem(NrType t) { return nr_type_is_int_or_index(t) || nr_type_is_float(t); }

/* The type of the buffer of a global; NULL if it has none. */
static NrType buffer_type(NrType t) {
  if (is_stored_elem(t)) return nr_type_memref(NULL, 0, t);
  bool fits = t->kind == NR_TYPE_TENSOR && nr_type_has_static_shape(t) && is_stored_elem(t->elem);
  return fits ? nr_type_memref(t->dims, t->rank, t->elem) : NULL;
}

/* Whether the runtime keeps a global of the type. */
static bool is_kept(NrType t) {
  return t->kind == NR_TYPE_TENSOR && !nr_type_has_static_shape(t) && is_stored_elem(t->elem);
}

/* A dense constant with this scalar as its only element, or everywhere. */
static NrAttr dense_of(NrType buffer, NrAttr scalar) {
  unsigned char bytes[8] = {0};
  uint64_t bits = !scalar ? 0 : scalar->kind == NR_ATTR_FLOAT ? scalar->bits : (uint64_t)scalar->i;
  memcpy(bytes, &bits, sizeof bytes); /* little-endian, as constants are */
  NrType type = nr_type_tensor(buffer->dims, buffer->rank, buffer->elem);
  return nr_attr_dense(type, bytes, nr_type_byte_size(buffer->elem));
}

/* The value with which a global begins, which zeros are the default of. NULL after an error. */
static NrAttr initial_value(NrOp *global, NrType buffer) {
  NrAttr value = nr_op_attr(global, NR_A_initial_value);
  NrType type = global_type(global);
  bool wide = nr_type_byte_size(buffer->elem) > 8;
  if (!value && !wide) return dense_of(buffer, NULL);
  bool scalar = value && (value->kind == NR_ATTR_INTEGER || value->kind == NR_ATTR_FLOAT);
  if (scalar && value->type == type && !wide) return dense_of(buffer, value);
  if (value && nr_attr_is_elements(value) && nr_type_is_tensor(type) && value->type->elem == type->elem) return value;
  nr_op_error(global, "cannot be compiled: its initial value is not one of its type");
  return NULL;
}

/* The memref.global of a util.global, for op, which accesses it. NULL after an error. */
static NrOp *lower_global(Globals *g, NrOp *op, NrOp *global) {
  NrOp *made = nr_map_get(&g->lowered, global);
  if (made) return made;
  NrContext *ctx = nr_op_context(op);
  NrType buffer = buffer_type(global_type(global));
  NrAttr value = initial_value(global, buffer);
  if (!value) return NULL;
  NrBuilder b = nr_builder_before(global);
  made = nr_build_op(&b, NR_OP_memref_global, NULL, 0, NULL, 0);
  nr_op_set_attr(made, NR_A_sym_name, nr_op_attr(global, NR_A_sym_name));
  nr_op_set_attr(made, NR_A_sym_visibility, nr_attr_string(ctx, NR_STR("private")));
  nr_op_set_attr(made, NR_A_type, nr_attr_type(buffer));
  nr_op_set_attr(made, NR_A_initial_value, value);
  nr_map_set(&g->lowered, global, made);
  return made;
}

static NrValue *build_buffer(NrBuilder *b, NrOp *global) {
  NrValue *memref = nr_build_value(b, NR_OP_memref_get_global, nr_op_attr(global, NR_A_type)->type, NULL, 0);
  NrStr name = nr_op_attr_str(global, NR_A_sym_name);
  nr_op_set_attr(memref->op, NR_A_name, nr_attr_symbol(b->ctx, name));
  return memref;
}

/* The value of a global that never changes; NULL where it may. */
static NrAttr constant_value(const Globals *g, NrOp *global) {
  NrAttr value = nr_op_attr(global, NR_A_initial_value);
  if (!value || nr_op_attr(global, NR_A_is_mutable) || nr_map_has(&g->stored, global)) return NULL;
  NrType type = global_type(global);
  bool elements = nr_attr_is_elements(value) && type->kind == NR_TYPE_TENSOR && value->type->elem == type->elem;
  bool scalar = (value->kind == NR_ATTR_INTEGER || value->kind == NR_ATTR_FLOAT) && value->type == type;
  return elements || scalar ? value : NULL;
}

/* rt.call "global_load" (value NULL) or "global_store" of a global that the runtime keeps. */
static NrOp *build_kept(Globals *g, NrBuilder *b, NrOp *global, NrValue *value) {
  uintptr_t number = (uintptr_t)nr_map_get(&g->numbers, global);
  NrType type = global_type(global);
  NrStr name = nr_op_attr_str(global, NR_A_sym_name);
  if (!number) nr_map_set(&g->numbers, global, (void *)(number = g->numbers.size + 1));
  NrValue *at = nr_arith_constant_int(b, nr_type_int(b->ctx, 64), (int64_t)number - 1);
  NrValue *site = value ? NULL : nr_arith_constant_int(b, nr_type_int(b->ctx, 32), -1);
  NrValue *operands[] = {value ? at : site, value ? value : at};
  NrOp *call = nr_build_op(b, NR_OP_rt_call, operands, 2, &type, value ? 0 : 1);
  nr_op_set_attr(call, NR_A_name, nr_attr_string(b->ctx, nr_str(value ? "global_store" : "global_load")));
  if (!value) nr_op_set_attr(call, NR_A_text, nr_attr_string(b->ctx, name));
  return call;
}

static NrStatus lower_load(Globals *g, NrOp *op) {
  NrOp *global = nr_map_get(&g->accessed, op);
  NrBuilder b = nr_builder_before(op);
  NrType type = nr_op_result(op)->type;
  NrAttr constant = constant_value(g, global);
  NrValue *value;
  if (constant) {
    value = nr_arith_constant(&b, constant);
  } else if (is_kept(global_type(global))) {
    value = nr_op_result(build_kept(g, &b, global, NULL));
  } else {
    NrOp *memref = lower_global(g, op, global);
    if (!memref) return NR_ERROR_INVALID;
    NrValue *buffer = build_buffer(&b, memref);
    NrType whole = global_type(global);
    value = whole->kind == NR_TYPE_TENSOR ? nr_build_value(&b, NR_OP_bufferization_to_tensor, whole, &buffer, 1)
                                          : nr_build_load(&b, buffer, NULL, 0);
  }
  if (value->type != type && (!nr_type_is_tensor(type) || value->type->elem != type->elem))
    return nr_op_error(op, "cannot be compiled: it has another element type than the global");
  if (value->type != type) value = nr_build_tensor_cast(&b, value, type);
  nr_value_replace_uses(nr_op_result(op), value);
  nr_op_erase(op);
  return NR_OK;
}

static NrStatus build_store(Globals *g, NrBuilder *b, NrOp *op, NrOp *global, NrValue *value) {
  if (is_kept(global_type(global))) return build_kept(g, b, global, value), NR_OK;
  NrOp *memref = lower_global(g, op, global);
  if (!memref) return NR_ERROR_INVALID;
  NrValue *buffer = build_buffer(b, memref);
  if (value->type->kind != NR_TYPE_TENSOR) {
    nr_build_store(b, value, buffer, NULL, 0);
    return NR_OK;
  }
  NrValue *operands[] = {value, buffer};
  NrOp *store = nr_build_op(b, NR_OP_bufferization_materialize_in_destination, operands, 2, NULL, 0);
  nr_op_set_attr(store, NR_A_writable, nr_attr_unit(b->ctx));
  return NR_OK;
}

static NrStatus lower_store(Globals *g, NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NR_TRY(build_store(g, &b, op, nr_map_get(&g->accessed, op), nr_util_global_store_value(op)));
  nr_op_erase(op);
  return NR_OK;
}

/* Accesses by pointers whose global is known become direct. */
static void lower_pointers(const NrOpList *ops) {
  for (size_t i = 0; i < ops->size; i++) {
    NrOp *op = ops->data[i];
    NrBuilder b = nr_builder_before(op);
    if (nr_op_is(op, NR_OP_util_global_load_indirect)) nr_util_load_indirect_canonicalize(op, &b);
    else if (nr_op_is(op, NR_OP_util_global_store_indirect)) nr_util_store_indirect_canonicalize(op, &b);
  }
}

/* Reports why an access has no lowering, where report is set. */
static bool can_lower_access(const Globals *g, NrOp *op, bool report) {
  NrOp *global = nr_map_get(&g->accessed, op);
  NrType type = global ? global_type(global) : NULL;
  if (nr_op_is(op, NR_OP_util_global_load_indirect) || nr_op_is(op, NR_OP_util_global_store_indirect)) {
    /* nr_lower_util_pointers has reported why */
    return false;
  }
  if (!global || buffer_type(type) || is_kept(type)) return true;
  if (nr_op_is(op, NR_OP_util_global_load) && constant_value(g, global)) return true;
  if (report) nr_op_error(op, "cannot be compiled: a global of type %s has no storage", nr_type_text(type->ctx, type));
  return false;
}

/* An initializer with one block, behind op, and a builder in it. */
static NrBuilder open_initializer(NrOp *op) {
  NrBuilder after = nr_builder_after(op);
  NrOp *made = nr_build(&after, &(NrOpState){.info = nr_op_infos[NR_OP_util_initializer], .num_regions = 1});
  NrBlock *block = nr_block_create(op->module);
  nr_block_append(nr_op_only_region(made), block);
  return nr_builder_at_end(op->module, block, op->loc);
}

/* A global that the runtime keeps begins with what an initializer stores. */
static NrStatus store_initial_value(Globals *g, NrOp *global) {
  NrAttr value = nr_op_attr(global, NR_A_initial_value);
  NrType type = global_type(global);
  if (!value || !is_kept(type) || constant_value(g, global)) return NR_OK;
  if (!nr_attr_is_elements(value) || value->type->elem != type->elem)
    return nr_op_error(global, "cannot be compiled: its initial value is not one of its type");
  NrBuilder b = open_initializer(global);
  build_kept(g, &b, global, nr_build_tensor_cast(&b, nr_arith_constant(&b, value), type));
  nr_build_op(&b, NR_OP_util_return, NULL, 0, NULL, 0);
  return NR_OK;
}

static NrStatus lower_accesses(Globals *g, const NrOpList *ops) {
  NrStatus status = NR_OK;
  for (size_t i = 0; i < ops->size && !status; i++)
    if (nr_op_is(ops->data[i], NR_OP_util_global)) status = store_initial_value(g, ops->data[i]);
  for (size_t i = 0; i < ops->size && !status; i++) {
    if (nr_op_is(ops->data[i], NR_OP_util_global_load)) status = lower_load(g, ops->data[i]);
    else if (nr_op_is(ops->data[i], NR_OP_util_global_store)) status = lower_store(g, ops->data[i]);
  }
  for (size_t i = ops->size; i-- > 0 && !status;) {
    NrOp *op = ops->data[i];
    bool address = !nr_is_erased(op) && nr_op_is(op, NR_OP_util_global_address);
    if (address && nr_op_result(op)->first_use)
      status = nr_op_error(op, "cannot be compiled: the pointer is used for more than loads and stores");
    else if (address) nr_op_erase(op);
  }
  for (size_t i = 0; i < ops->size && !status; i++)
    if (!nr_is_erased(ops->data[i]) && nr_op_is(ops->data[i], NR_OP_util_global)) nr_op_erase(ops->data[i]);
  return status;
}

/* Lowers all globals of root or, where only the interpreter can run one of the accesses, none. *out_all says which. An
 * error where `all` is wanted. */
static NrStatus lower_globals(NrOp *root, bool all, bool *out_all) {
  NrOpList ops = {0};
  Globals g = {0};
  nr_collect_ops(root, &ops);
  lower_pointers(&ops);
  ops.size = 0;
  if (nr_lower_util_pointers(root, all)) {
    nr_vec_deinit(&ops);
    return NR_ERROR_INVALID;
  }
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++) {
    bool stores = nr_op_is(ops.data[i], NR_OP_util_global_store);
    if (!stores && !nr_op_is(ops.data[i], NR_OP_util_global_load)) continue;
    NrOp *global = nr_util_global_of(ops.data[i]);
    nr_map_set(&g.accessed, ops.data[i], global);
    if (stores) nr_map_set(&g.stored, global, ops.data[i]);
  }
  *out_all = true;
  for (size_t i = 0; i < ops.size; i++) *out_all &= can_lower_access(&g, ops.data[i], all);
  NrStatus status = *out_all ? lower_accesses(&g, &ops) : all ? NR_ERROR_INVALID : NR_OK;
  nr_map_deinit(&g.stored);
  nr_map_deinit(&g.lowered);
  nr_map_deinit(&g.accessed);
  nr_map_deinit(&g.numbers);
  nr_vec_deinit(&ops);
  return status;
}

/* ---- initializers ------------------------------------------------------------------------------------------------ */

/* A global of before 2021, whose initial value a function returns:
 *   util.global @g {initializer = @f} : t   ->   util.global @g : t
 *                                                util.initializer { %v = call @f() : () -> t; store %v, @g } */
static void separate_initializer(NrOp *global) {
  NrContext *ctx = nr_op_context(global);
  NrOp *func = nr_symbol_resolve(global, nr_op_attr(global, NR_A_initializer));
  NrBuilder b = open_initializer(global);
  NrType type = global_type(global);
  bool is_util = nr_op_is(func, NR_OP_util_func);
  NrValue *value = nr_build_value(&b, is_util ? NR_OP_util_call : NR_OP_func_call, type, NULL, 0);
  nr_op_set_attr(value->op, NR_A_callee, nr_op_attr(global, NR_A_initializer));
  NrOp *store = nr_build_op(&b, NR_OP_util_global_store, &value, 1, NULL, 0);
  nr_op_set_attr(store, NR_A_global, nr_attr_symbol(ctx, nr_op_attr_str(global, NR_A_sym_name)));
  nr_build_op(&b, NR_OP_util_return, NULL, 0, NULL, 0);
  nr_op_remove_attr(global, NR_A_initializer);
}

static void separate_initializers(NrOp *root) {
  for (NrOp *op = nr_op_only_body(root)->first; op; op = op->next)
    if (nr_op_is(op, NR_OP_util_global) && nr_op_attr(op, NR_A_initializer)) separate_initializer(op);
}

/* An unreachable block becomes a failing check and a return of arbitrary values. */
static void lower_unreachable(NrOp *op) {
  NrOp *func = nr_op_parent(op);
  NrType type = nr_op_has(func, NR_FUNCTION) ? nr_func_type(func) : NULL;
  NrBuilder b = nr_builder_before(op);
  NrStr message = nr_op_attr_str(op, NR_A_message);
  NrValue *no = nr_arith_constant_int(&b, nr_type_i1(b.ctx), 0);
  NrOp *fails = nr_build_op(&b, NR_OP_cf_assert, &no, 1, NULL, 0);
  nr_op_set_attr(fails, NR_A_msg, nr_attr_string(b.ctx, message.size ? message : NR_STR("unreachable")));
  NR_VEC(NrValue *) values = {0};
  for (uint32_t i = 0; type && i < type->num_results; i++)
    nr_vec_push(&values, nr_build_value(&b, NR_OP_ub_poison, type->results[i], NULL, 0));
  unsigned end = nr_op_is(func, NR_OP_func_func) ? NR_OP_func_return : NR_OP_util_return;
  nr_build_op(&b, end, values.data, values.size, NULL, 0);
  nr_op_erase(op);
  nr_vec_deinit(&values);
}

/* A private function in place of an initializer; its name. */
static NrAttr lower_initializer(NrOp *op, NrSymbolNames *names) {
  NrContext *ctx = nr_op_context(op);
  NrStr name = nr_symbol_numbered_name(names, nr_op_parent(op), NR_STR("initializer"));
  for (NrBlock *block = nr_op_only_body(op); block; block = block->next)
    if (nr_op_is(block->last, NR_OP_util_return)) block->last->info = nr_op_infos[NR_OP_func_return];
  op->info = nr_op_infos[NR_OP_func_func];
  nr_op_set_attr(op, NR_A_sym_name, nr_attr_string(ctx, name));
  nr_op_set_attr(op, NR_A_sym_visibility, nr_attr_string(ctx, NR_STR("private")));
  nr_op_set_attr(op, NR_A_function_type, nr_attr_type(nr_type_function(ctx, NULL, 0, NULL, 0)));
  return nr_attr_symbol(ctx, name);
}

/* %first = rt.call "initialize_begin"() : () -> i1
 * scf.if %first { call @initializer_0() ..; rt.call "initialize_end"() : () -> () } */
static void call_initializers(NrOp *func, const NrAttr *names, size_t count) {
  NrBuilder b = nr_builder_before(nr_op_only_body(func)->first);
  NrType i1 = nr_type_i1(b.ctx);
  NrValue *first = nr_build_value(&b, NR_OP_rt_call, i1, NULL, 0);
  nr_op_set_attr(first->op, NR_A_name, nr_attr_string(b.ctx, NR_STR("initialize_begin")));
  NrOp *branch = nr_scf_if(&b, first, NULL, 0, false);
  NrBuilder in = nr_builder_at_end(func->module, nr_scf_if_then_body(branch), func->loc);
  for (size_t i = 0; i < count; i++) {
    NrOp *call = nr_build_op(&in, NR_OP_func_call, NULL, 0, NULL, 0);
    nr_op_set_attr(call, NR_A_callee, names[i]);
  }
  NrOp *end = nr_build_op(&in, NR_OP_rt_call, NULL, 0, NULL, 0);
  nr_op_set_attr(end, NR_A_name, nr_attr_string(b.ctx, NR_STR("initialize_end")));
  nr_scf_yield(&in, NULL, 0);
}

/* The program's entry runs the initializers; before one is chosen, every public function does. */
static void lower_initializers(NrOp *root) {
  NR_VEC(NrAttr) names = {0};
  NrSymbolNames free_names = {0};
  NrOp *entry = NULL;
  for (NrOp *op = nr_op_only_body(root)->first; op; op = op->next) {
    if (nr_op_is(op, NR_OP_util_initializer)) {
      NrAttr name = lower_initializer(op, &free_names);
      nr_vec_push(&names, name);
    } else if (nr_op_attr(op, NR_A_noria_entry)) {
      entry = op;
    }
  }
  for (NrOp *op = nr_op_only_body(root)->first; op && names.size; op = op->next) {
    bool has_body = nr_op_is(op, NR_OP_func_func) && nr_op_only_body(op);
    bool is_public = !nr_str_is(nr_op_attr_str(op, NR_A_sym_visibility), "private");
    if (has_body && (entry ? op == entry : is_public)) call_initializers(op, names.data, names.size);
  }
  nr_symbol_names_deinit(&free_names);
  nr_vec_deinit(&names);
}

static NrStatus lower_util_run(NrPassContext *pass, NrOp *root) {
  NrOpList ops = {0};
  bool all;
  separate_initializers(root);
  NR_TRY(lower_globals(root, nr_pass_flag(pass, "all"), &all));
  nr_collect_ops(root, &ops);
  lower_functions(&ops);
  for (size_t i = 0; i < ops.size; i++)
    if (nr_op_is(ops.data[i], NR_OP_util_unreachable)) lower_unreachable(ops.data[i]);
  nr_vec_deinit(&ops);
  if (all) lower_initializers(root);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_FLAG("all", false, "globals that only the interpreter can run are an error; without it, they stay"),
    {0},
};
NR_PASS(lower_util, .name = "lower-util", .on_while = NR_WHILE_BARRIER, .of_table = true, .run = lower_util_run,
        .options = options, .doc = "makes functions and globals of dialect util those of func and memref")
