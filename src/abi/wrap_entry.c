/* wrap_entry.c - makes a function of text IR a program's entry, by a wrapper that calls it:
 *
 *   func.func @f(%n: i64, %m: memref<4xf32>) -> f32
 *   ->
 *   func.func @entry(%n: tensor<i64>, %m: memref<4xf32>) -> (tensor<f32>, memref<4xf32>)
 *
 * A program takes and returns tensors; scalars pass as tensors of rank 0. A program never writes its inputs, so the
 * wrapper passes copies of memrefs and returns them after the function's results. */
#include "dialect/func/func.h"
#include "abi/abi_wrapper.h"
#include "dialect/onnx/dtype.h"
#include "pass/core/pass.h"

/* ---- which function --------------------------------------------------------------------------------------------- */

/* A function of any dialect with a body. */
static bool is_candidate(const NrOp *op) { return nr_op_has(op, NR_FUNCTION) && nr_op_only_body(op); }
static bool is_private(const NrOp *func) { return nr_str_is(nr_op_attr_str(func, NR_A_sym_visibility), "private"); }

static NrStatus no_entry(NrModule *module, const char *name) {
  NrBuf names = {0};
  NrNearest nearest = nr_nearest(nr_str(name ? name : ""));
  for (NrOp *op = nr_op_only_body(module->op)->first; op; op = op->next) {
    NrStr symbol = nr_op_attr_str(op, NR_A_sym_name);
    bool is_meant = name && nr_op_has(op, NR_FUNCTION) && nr_str_is(symbol, name);
    if (is_meant) return nr_op_error(op, "has no body, so it cannot be the entry"), NR_ERROR_NOT_FOUND;
    if (!is_candidate(op)) continue;
    nr_buf_printf(&names, "%s@%.*s", names.size ? ", " : "", NR_STR_ARG(symbol));
    nr_nearest_try(&nearest, symbol);
  }
  if (!names.size) nr_error(module->ctx, NULL, "the program has no function with a body");
  else if (nearest.best.size)
    nr_error(module->ctx, NULL, "there is no function '%s'" NR_HINT " The program has %s", name, NR_HINT_ARG(nearest),
             names.data);
  else if (name) nr_error(module->ctx, NULL, "there is no function '%s'; the program has %s", name, names.data);
  else nr_error(module->ctx, NULL, "which function shall be the entry? The program has %s", names.data);
  nr_buf_deinit(&names);
  return NR_ERROR_NOT_FOUND;
}

/* The named function; without a name the one with noria.entry, else @main, else the only public one. */
static NrStatus find_entry(NrModule *module, const char *name, NrOp **out) {
  NrOp *marked = NULL, *main = NULL, *only = NULL;
  size_t num_public = 0;
  *out = NULL;
  for (NrOp *op = nr_op_only_body(module->op)->first; op; op = op->next) {
    if (!is_candidate(op)) continue;
    NrStr symbol = nr_op_attr_str(op, NR_A_sym_name);
    if (name && nr_str_is(symbol, name)) return *out = op, NR_OK;
    if (!name && marked && nr_op_attr(op, NR_A_noria_entry))
      return nr_op_error(op, "has 'noria.entry', as '%.*s' has: a program has one entry",
                         NR_STR_ARG(nr_op_attr_str(marked, NR_A_sym_name)));
    if (nr_op_attr(op, NR_A_noria_entry)) marked = op;
    if (nr_str_is(symbol, "main")) main = op;
    if (!is_private(op)) only = op, num_public++;
  }
  *out = name ? NULL : marked ? marked : main ? main : num_public == 1 ? only : NULL;
  return *out ? NR_OK : no_entry(module, name);
}

/* ---- descriptions of inputs and outputs -------------------------------------------------------------------------- */

static NrNamedAttr named(NrContext *ctx, const char *name, NrAttr value) {
  return (NrNamedAttr){nr_context_intern(ctx, nr_str(name)), value};
}

/* Attribute `type` is the function's own type, by which the tools read and print. */
static NrAttr value_info(NrContext *ctx, NrStr name, NrType t, NrType inner, NoriaDType dtype) {
  int64_t dims[NORIA_MAX_RANK];
  bool is_handle = nr_type_is_handle(t), has_rank = !is_handle && nr_type_is_ranked(t);
  for (uint32_t i = 0; has_rank && i < t->rank; i++) dims[i] = t->dims[i] == NR_DYNAMIC ? -1 : t->dims[i];
  NrNamedAttr items[7] = {named(ctx, "type", nr_attr_type(nr_abi_shown_type(inner))),
                          named(ctx, "name", nr_attr_string(ctx, name)),
                          named(ctx, "dtype", nr_attr_i64(ctx, dtype))};
  size_t count = 3 + nr_type_kind_attrs(t, items + 3);
  if (has_rank) items[count++] = named(ctx, "dims", nr_attr_i64_array(ctx, dims, t->rank));
  return nr_attr_dict(ctx, items, count);
}

/* ---- the wrapper ------------------------------------------------------------------------------------------------ */

typedef struct Wrapper {
  NrContext *ctx;
  NrOp *func;
  NrType type; /* of func */
  NR_VEC(NrType) inputs, results;
  NR_VEC(NrAbiType) input_abi, result_abi;
  NR_VEC(NrAttr) input_infos, result_infos;
} Wrapper;

/* Why values of a type cannot leave a program. */
static const char *why_not(NrType t) {
  NrType elem = nr_type_elem(t);
  if (t->kind == NR_TYPE_TUPLE) return "no op makes or takes apart";
  if (t->kind == NR_TYPE_NONE) return "has no values";
  if (t->kind == NR_TYPE_FUNCTION) return "has values inside a program only";
  if (t->kind == NR_TYPE_VECTOR && t->scalable) return "has a size that only the processor knows";
  NrAbiType c;
  if (t->kind == NR_TYPE_MEMREF && nr_abi_type_of(elem, &c)) return "has elements where no memory can be given";
  if (elem->kind == NR_TYPE_COMPLEX) return "has no arithmetic";
  if (elem->kind == NR_TYPE_INTEGER) return "is wider than the largest integer literal";
  if (nr_type_is_float(elem)) return "is read and printed, but not computed with";
  return "does not pass between programs";
}

static NrStatus cannot_pass(const Wrapper *w, const char *what, size_t i, NrType t) {
  return nr_op_error(w->func, "cannot be a program: its %s %zu is of type %s, which %s", what, i,
                     nr_type_text(w->ctx, t), why_not(t));
}

/* Returned memrefs have the names of arguments, which results must not take. */
static NrStr result_name(const Wrapper *w, size_t i) {
  const char *name = nr_arena_printf(nr_context_arena(w->ctx), "result%zu", i);
  for (size_t k = 0; k < w->input_infos.size; k++)
    if (nr_str_is(nr_dict_get(w->input_infos.data[k], "name")->s, name))
      return nr_str(nr_arena_printf(nr_context_arena(w->ctx), "%s_", name));
  return nr_str(name);
}

static NrStr input_name(const Wrapper *w, size_t i) {
  const char *name = nr_block_arg(nr_op_only_body(w->func), i)->name;
  return name ? nr_str(name) : nr_str(nr_arena_printf(nr_context_arena(w->ctx), "arg%zu", i));
}

static NrStatus add_signature(Wrapper *w) {
  NrAbiType c;
  for (size_t i = 0; i < w->type->num_inputs; i++) {
    NrType outer = nr_abi_outer_type(w->type->inputs[i], &c);
    if (!outer) return cannot_pass(w, "argument", i, w->type->inputs[i]);
    nr_vec_push(&w->inputs, outer);
    nr_vec_push(&w->input_abi, c);
    nr_vec_push(&w->input_infos, value_info(w->ctx, input_name(w, i), outer, w->type->inputs[i], c.dtype));
  }
  for (size_t i = 0; i < w->type->num_results; i++) {
    NrType outer = nr_abi_outer_type(w->type->results[i], &c);
    if (!outer) return cannot_pass(w, "result", i, w->type->results[i]);
    NrStr name = result_name(w, i);
    nr_vec_push(&w->results, outer);
    nr_vec_push(&w->result_abi, c);
    nr_vec_push(&w->result_infos, value_info(w->ctx, name, outer, w->type->results[i], c.dtype));
  }
  for (size_t i = 0; i < w->type->num_inputs; i++) {
    if (!nr_type_is_memref(w->type->inputs[i])) continue;
    nr_vec_push(&w->results, w->inputs.data[i]);
    nr_vec_push(&w->result_infos, w->input_infos.data[i]);
  }
  return NR_OK;
}

static void build_body(Wrapper *w, NrModule *module, NrBlock *block) {
  NrBuilder b = nr_builder_at_end(module, block, w->func->loc);
  NR_VEC(NrValue *) args = {0};
  NR_VEC(NrValue *) results = {0};
  for (size_t i = 0; i < w->type->num_inputs; i++) {
    NrValue *outer = nr_block_add_arg(block, w->inputs.data[i], w->func->loc);
    nr_vec_push(&args, nr_abi_in(&b, &w->input_abi.data[i], outer, w->type->inputs[i]));
  }
  NrOp *call = nr_build_op(&b, NR_OP_func_call, args.data, args.size, w->type->results, w->type->num_results);
  nr_op_set_attr(call, NR_A_callee, nr_attr_symbol(w->ctx, nr_op_attr_str(w->func, NR_A_sym_name)));
  for (size_t i = 0; i < w->type->num_results; i++)
    nr_vec_push(&results, nr_abi_out(&b, &w->result_abi.data[i], nr_result(call, i), w->results.data[i]));
  for (size_t i = 0; i < w->type->num_inputs; i++)
    if (nr_type_is_memref(w->type->inputs[i]))
      nr_vec_push(&results, nr_abi_out(&b, &w->input_abi.data[i], args.data[i], w->inputs.data[i]));
  nr_build_op(&b, NR_OP_func_return, results.data, results.size, NULL, 0);
  nr_vec_deinit(&args);
  nr_vec_deinit(&results);
}

static NrStatus build_wrapper(NrModule *module, NrOp *func) {
  Wrapper w = {.ctx = module->ctx, .func = func, .type = nr_func_type(func)};
  NrStatus status = add_signature(&w);
  if (!status) {
    NrBuilder b = nr_builder_at_end(module, nr_op_only_body(module->op), func->loc);
    NrType type = nr_type_function(w.ctx, w.inputs.data, w.inputs.size, w.results.data, w.results.size);
    NrSymbolNames names = {0};
    NrOp *entry = nr_func_create(&b, nr_symbol_free_name(&names, module->op, NR_STR("entry")), type, false);
    NrBlock *block = nr_block_create(module);
    nr_block_append(nr_func_func_region(entry), block);
    build_body(&w, module, block);
    nr_op_set_attr(entry, NR_A_noria_entry, nr_attr_unit(w.ctx));
    nr_op_set_attr(entry, NR_A_noria_inputs, nr_attr_array(w.ctx, w.input_infos.data, w.input_infos.size));
    nr_symbol_names_deinit(&names);
    nr_op_set_attr(entry, NR_A_noria_outputs, nr_attr_array(w.ctx, w.result_infos.data, w.result_infos.size));
  }
  nr_vec_deinit(&w.inputs);
  nr_vec_deinit(&w.results);
  nr_vec_deinit(&w.input_abi);
  nr_vec_deinit(&w.result_abi);
  nr_vec_deinit(&w.input_infos);
  nr_vec_deinit(&w.result_infos);
  return status;
}

/* Functions that the entry does not reach need not be compilable. */
static NrStatus drop_others(NrModule *module) {
  NrAttr hidden = nr_attr_string(module->ctx, NR_STR("private"));
  for (NrOp *op = nr_op_only_body(module->op)->first; op; op = op->next)
    if (nr_op_has(op, NR_SYMBOL) && !nr_op_attr(op, NR_A_noria_entry)) nr_op_set_attr(op, NR_A_sym_visibility, hidden);
  return nr_run_passes(module, NR_STR("symbol-dce"), &(NrPassOptions){0});
}

/* A sparse tensor passes as its arrays. */
static NrStatus split_sparse(NrModule *module, bool check_input) {
  NrStr passes = check_input ? NR_STR("sparsify{check-order}") : NR_STR("sparsify");
  return nr_run_passes(module, passes, &(NrPassOptions){0});
}

/* ---- descriptions that the program brings ------------------------------------------------------------------------ */

static bool has_kind_of(NrAttr info, NrType type) {
  static const char *const names[] = {"kind", "item_kind", "key_dtype"};
  NrNamedAttr wanted[3];
  size_t count = nr_type_kind_attrs(type, wanted);
  for (size_t i = 0; i < NR_COUNTOF(names); i++) {
    NrAttr value = NULL, here = nr_dict_get(info, names[i]);
    for (size_t k = 0; k < count; k++)
      if (nr_str_is(wanted[k].name, names[i])) value = wanted[k].value;
    bool is_default = !here && !i && nr_type_kind(type) == NORIA_KIND_TENSOR;
    if (here != value && !is_default) return false;
  }
  return true;
}

static bool has_elements_of(NrAttr info, NrType type) {
  NrAttr attr = nr_dict_get(info, "dtype");
  int64_t dtype;
  if (!attr || !nr_attr_is_int(attr, &dtype) || dtype < 0 || dtype > INT32_MAX) return false;
  while (nr_type_is_shaped(type) || nr_type_is_handle(type)) type = type->elem;
  if (type->kind == NR_TYPE_NONE) return dtype == NORIA_UNDEFINED; /* lower-onnx refuses such a model */
  NrType told = nr_dtype_type(type->ctx, (NoriaDType)dtype);
  if (nr_type_is_index(type)) return dtype == NORIA_I64;
  return told && nr_type_lowered(told) == nr_type_lowered(type);
}

static bool has_dims_of(NrAttr info, NrType type) {
  NrAttr dims = nr_dict_get(info, "dims");
  if (!nr_type_is_shaped(type) || !nr_type_is_ranked(type)) return true;
  if (!dims || dims->kind != NR_ATTR_DENSE_ARRAY || !nr_type_is_int_width(dims->type, 64)) return false;
  const int64_t *sizes = dims->data;
  if (dims->data_size != type->rank * sizeof *sizes) return false;
  for (uint32_t d = 0; d < type->rank; d++)
    if (type->dims[d] != NR_DYNAMIC && sizes[d] != type->dims[d]) return false;
  return true;
}

/* The type that the tools read and print values by; any other than that of the values may have larger ones. */
static bool has_type_of(NrAttr info, NrType type) {
  NrAttr told = nr_dict_get(info, "type");
  if (!told) return true;
  NrAbiType c;
  NrType outer = nr_abi_outer_type(told->type, &c);
  if (!outer || nr_type_is_handle(outer) || nr_type_is_handle(type))
    return outer && nr_type_lowered(outer) == nr_type_lowered(type);
  bool fits = nr_type_is_shaped(type) && nr_type_lowered(outer->elem) == nr_type_lowered(type->elem);
  if (!fits || !nr_type_is_ranked(outer) || !nr_type_is_ranked(type))
    return fits && nr_type_is_ranked(outer) == nr_type_is_ranked(type);
  if (outer->rank != type->rank) return false;
  for (uint32_t d = 0; d < type->rank; d++)
    if (outer->dims[d] != NR_DYNAMIC && outer->dims[d] != type->dims[d]) return false;
  return true;
}

/* The runtime checks a program's inputs against these descriptions only, so they must be those of the types: a program
 * in text may say anything. types NULL: the types are not known yet. */
static NrStatus check_infos(NrOp *func, const NrAttrName *attr, NrType const *types, size_t count) {
  NrAttr list = nr_op_attr(func, attr);
  if (list ? list->kind != NR_ATTR_ARRAY || list->size != count : count > 0)
    return nr_op_error(func, "is a program's entry, so that '%s' needs a dictionary for each of %zu values", attr->text,
                       count);
  for (size_t i = 0; types && i < count; i++) {
    NrAttr info = list->items[i];
    bool fits = has_kind_of(info, types[i]) && has_elements_of(info, types[i]) &&
                has_dims_of(info, types[i]) && has_type_of(info, types[i]);
    if (!fits)
      return nr_op_error(func, "is a program's entry, but entry %zu of '%s' does not describe type %s", i, attr->text,
                         nr_type_text(types[i]->ctx, types[i]));
  }
  return NR_OK;
}

static bool refers_to(NrOp *op, NrAttr attr, NrOp *func) {
  bool found = false;
  if (attr->kind == NR_ATTR_SYMBOL)
    found = nr_str_eq(attr->s, nr_op_attr_str(func, NR_A_sym_name)) && nr_symbol_resolve(op, attr) == func;
  for (size_t i = 0; attr->kind == NR_ATTR_ARRAY && i < attr->size; i++) found |= refers_to(op, attr->items[i], func);
  for (size_t i = 0; attr->kind == NR_ATTR_DICT && i < attr->num_named; i++)
    found |= refers_to(op, attr->named[i].value, func);
  return found;
}

/* The runtime checks what it passes to an entry, and the entry's code relies on that. A call inside of the program is
 * not checked. */
static bool leaves_alone(NrOp *op, void *func) {
  for (uint32_t i = 0; op != func && i < op->num_attrs; i++)
    if (refers_to(op, op->attrs[i].value, func)) {
      (void)nr_op_error(op, "refers to the program's entry, which only the runtime may call");
      return false;
    }
  return true;
}

static NrStatus check_entry(NrModule *module, NrOp *func) {
  if (!nr_walk_pre(module->op, leaves_alone, func)) return NR_ERROR_INVALID;
  NrType type = nr_func_type(func);
  NR_TRY(check_infos(func, NR_A_noria_inputs, type->inputs, type->num_inputs));
  /* A model may leave its outputs' types open or declare them loosely: lower-onnx sets types and descriptions. */
  NrBlock *body = nr_func_func_body(func);
  bool is_model = body && body->last && nr_op_is(body->last, NR_OP_onnx_Yield);
  return check_infos(func, NR_A_noria_outputs, is_model ? NULL : type->results, type->num_results);
}

NrStatus nr_abi_wrap_entry(NrModule *module, const char *name, bool check_input) {
  NrOp *func;
  if (name && *name == '@') name++;
  NrStatus status = split_sparse(module, check_input);
  if (!status) status = find_entry(module, name, &func);
  for (NrOp *op = status ? NULL : nr_op_only_body(module->op)->first; op; op = op->next)
    if (op != func) nr_op_remove_attr(op, NR_A_noria_entry);
  if (!status && !nr_op_attr(func, NR_A_noria_entry)) {
    status = build_wrapper(module, func);
    if (!status) status = drop_others(module);
  } else if (!status) {
    if (name) {
      nr_op_remove_attr(func, NR_A_sym_visibility); /* symbol-dce keeps it */
      status = drop_others(module);
    }
    if (!status) status = check_entry(module, func);
  }
  return status;
}

static NrStatus wrap_entry_run(NrPassContext *pass, NrOp *op) {
  /* Only the outermost module is a program. */
  return op == pass->module->op ? nr_abi_wrap_entry(pass->module, NULL, false) : NR_OK;
}

NR_PASS(wrap_entry, .name = "wrap-entry", .on_while = NR_WHILE_BARRIER, .on = "builtin.module", .run = wrap_entry_run,
        .doc = "makes a program's entry: a function on tensors that calls @main or the only public function")

static const NrPass *const abi_passes[] = {&nr_pass_wrap_entry, NULL};
NR_PASS_TABLE(abi)
