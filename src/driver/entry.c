/* entry.c - makes a function of text IR a program's entry, by a function that calls it:
 *
 *   func.func @f(%n: i64, %m: memref<4xf32>) -> f32
 *   ->
 *   func.func @entry(%n: tensor<i64>, %m: memref<4xf32>) -> (tensor<f32>, memref<4xf32>)
 *
 * A program takes and gives tensors: scalars pass as tensors of rank 0. Its inputs are never written, so the function
 * gets copies of its memrefs, and what it left in them is given back behind its own results. */
#include "dialect/arith/arith.h"
#include "dialect/func/func.h"
#include "dialect/memref/memref.h"
#include "dialect/tensor/tensor.h"
#include "driver/driver.h"
#include "onnx/dtype.h"

/* ---- which function --------------------------------------------------------------------------------------------- */

static bool is_candidate(const NrOp *op) { return nr_op_is(op, NR_OP_func_func) && nr_op_body(op, 0); }
static bool is_private(const NrOp *func) { return nr_str_is(nr_op_attr_str(func, "sym_visibility"), "private"); }

static NrStatus no_entry(NrModule *module, const char *name) {
  NrBuf names = {0};
  for (NrOp *op = nr_op_body(module->op, 0)->first; op; op = op->next)
    if (is_candidate(op))
      nr_buf_printf(&names, "%s@%.*s", names.size ? ", " : "", NR_STR_ARG(nr_op_attr_str(op, "sym_name")));
  if (!names.size) nr_error(module->ctx, NULL, "the program has no function with a body");
  else if (name) nr_error(module->ctx, NULL, "there is no function '%s'; the program has %s", name, names.data);
  else nr_error(module->ctx, NULL, "which function shall be the entry? The program has %s", names.data);
  nr_buf_deinit(&names);
  return NR_ERROR_NOT_FOUND;
}

/* The one named; without a name the one that is marked, else @main, else the only public one. */
static NrStatus find_entry(NrModule *module, const char *name, NrOp **out) {
  NrOp *main = NULL, *only = NULL;
  size_t num_public = 0;
  *out = NULL;
  for (NrOp *op = nr_op_body(module->op, 0)->first; op; op = op->next) {
    if (!is_candidate(op)) continue;
    NrStr symbol = nr_op_attr_str(op, "sym_name");
    if (name ? nr_str_is(symbol, name) : nr_op_attr(op, "noria.entry") != NULL) return *out = op, NR_OK;
    if (nr_str_is(symbol, "main")) main = op;
    if (!is_private(op)) only = op, num_public++;
  }
  *out = name ? NULL : main ? main : num_public == 1 ? only : NULL;
  return *out ? NR_OK : no_entry(module, name);
}

/* ---- types at the boundary -------------------------------------------------------------------------------------- */

/* Elements are counted as ONNX's types; an index is an i64 in memory. */
static NoriaDType dtype_of(NrType type) {
  NrType elem = nr_type_elem(type);
  if (nr_type_is_index(elem)) return NORIA_I64;
  if (elem->kind == NR_TYPE_INTEGER && elem->signedness == NR_SIGNED) elem = nr_type_int(elem->ctx, elem->width);
  return nr_dtype_of(elem);
}

static bool is_handle(NrType t) { return t->kind == NR_TYPE_SEQ || t->kind == NR_TYPE_OPTIONAL; }

/* What a value of type passes as, or NULL: scalars as tensors of rank 0, vectors as buffers, memrefs without layout. */
static NrType outer_type(NrType t) {
  if (dtype_of(t) == NORIA_UNDEFINED) return NULL;
  if (nr_type_is_scalar(t)) return nr_type_tensor(NULL, 0, t);
  if (is_handle(t)) return t;
  if (!nr_type_is_ranked(t) || t->rank > NORIA_MAX_RANK) return NULL;
  if (t->kind == NR_TYPE_TENSOR) return nr_type_tensor(t->dims, t->rank, t->elem);
  if (t->kind == NR_TYPE_VECTOR && (t->scalable || t->rank == 0)) return NULL;
  return nr_type_memref(t->dims, t->rank, t->elem);
}

static NrNamedAttr named(NrContext *ctx, const char *name, NrAttr value) {
  return (NrNamedAttr){nr_context_intern(ctx, nr_str(name)), value};
}

/* `type` is what the function itself has there: the tools print by it. */
static NrAttr value_info(NrContext *ctx, NrStr name, NrType t, NrType inner) {
  int64_t dims[NORIA_MAX_RANK];
  for (uint32_t i = 0; !is_handle(t) && i < t->rank; i++) dims[i] = t->dims[i] == NR_DYNAMIC ? -1 : t->dims[i];
  NrNamedAttr items[6] = {named(ctx, "type", nr_attr_type(inner)), named(ctx, "name", nr_attr_string(ctx, name)),
                          named(ctx, "dtype", nr_attr_i64(ctx, dtype_of(t)))};
  size_t count = 3 + nr_type_kind_attrs(t, items + 3);
  if (!is_handle(t)) items[count++] = named(ctx, "dims", nr_attr_i64_array(ctx, dims, t->rank));
  return nr_attr_dict(ctx, items, count);
}

/* ---- values at the boundary ------------------------------------------------------------------------------------- */

static NrValue *copy_of(NrBuilder *b, NrValue *memref, NrType type) {
  NrIndex dims[NORIA_MAX_RANK];
  for (size_t i = 0; i < type->rank; i++) dims[i] = nr_dim_build(b, memref, i);
  NrValue *copy = nr_build_alloc(b, NR_OP_memref_alloc, type->elem, dims, type->rank);
  nr_build_op(b, NR_OP_memref_copy, (NrValue *[]){memref, copy}, 2, NULL, 0);
  return copy;
}

/* A vector in memory: the memref and an index of 0 for each dim. */
static size_t vector_operands(NrBuilder *b, NrValue *memref, NrValue **out) {
  out[0] = memref;
  for (size_t i = 0; i < memref->type->rank; i++) out[1 + i] = nr_arith_constant_index(b, 0);
  return 1 + memref->type->rank;
}

static NrValue *pass_in(NrBuilder *b, NrValue *outer, NrType type) {
  NrValue *operands[1 + NORIA_MAX_RANK];
  if (nr_type_is_scalar(type)) return nr_build_extract(b, outer, NULL, 0);
  if (type->kind == NR_TYPE_TENSOR) return nr_build_tensor_cast(b, outer, type);
  if (type->kind == NR_TYPE_VECTOR)
    return nr_build_value(b, NR_OP_vector_load, type, operands, vector_operands(b, outer, operands));
  if (type->kind != NR_TYPE_MEMREF) return outer;
  NrValue *copy = copy_of(b, outer, outer->type);
  return copy->type == type ? copy : nr_build_value(b, NR_OP_memref_cast, type, &copy, 1);
}

static NrValue *pass_out(NrBuilder *b, NrValue *value, NrType outer) {
  NrValue *operands[2 + NORIA_MAX_RANK];
  NrType type = value->type;
  if (nr_type_is_scalar(type)) return nr_build_from_elements(b, outer, &value, 1);
  if (type->kind == NR_TYPE_TENSOR) return nr_build_tensor_cast(b, value, outer);
  if (type->kind == NR_TYPE_MEMREF) return copy_of(b, value, outer);
  if (type->kind != NR_TYPE_VECTOR) return value;
  NrIndex dims[NORIA_MAX_RANK];
  for (size_t i = 0; i < type->rank; i++) dims[i] = nr_index_const(type->dims[i]);
  NrValue *memref = nr_build_alloc(b, NR_OP_memref_alloc, type->elem, dims, type->rank);
  operands[0] = value;
  nr_build_op(b, NR_OP_vector_store, operands, 1 + vector_operands(b, memref, operands + 1), NULL, 0);
  return memref;
}

/* ---- the function that calls it --------------------------------------------------------------------------------- */

typedef struct Wrapper {
  NrContext *ctx;
  NrOp *func;
  NrType type; /* of func */
  NR_VEC(NrType) inputs, results;
  NR_VEC(NrAttr) input_infos, result_infos;
} Wrapper;

static NrStatus cannot_pass(const Wrapper *w, const char *what, size_t i, NrType t) {
  return nr_op_error(w->func, "cannot be a program: its %s %zu is of type %s, which does not pass between programs",
                     what, i, nr_type_text(w->ctx, t));
}

static NrStr input_name(const Wrapper *w, size_t i) {
  NrStr name = nr_block_arg(nr_op_body(w->func, 0), i)->name;
  return name.size ? name : nr_str(nr_arena_printf(nr_context_arena(w->ctx), "arg%zu", i));
}

static NrStatus add_signature(Wrapper *w) {
  for (size_t i = 0; i < w->type->num_inputs; i++) {
    NrType outer = outer_type(w->type->inputs[i]);
    if (!outer) return cannot_pass(w, "argument", i, w->type->inputs[i]);
    nr_vec_push(&w->inputs, outer);
    nr_vec_push(&w->input_infos, value_info(w->ctx, input_name(w, i), outer, w->type->inputs[i]));
  }
  for (size_t i = 0; i < w->type->num_results; i++) {
    NrType outer = outer_type(w->type->results[i]);
    if (!outer) return cannot_pass(w, "result", i, w->type->results[i]);
    NrStr name = nr_str(nr_arena_printf(nr_context_arena(w->ctx), "result%zu", i));
    nr_vec_push(&w->results, outer);
    nr_vec_push(&w->result_infos, value_info(w->ctx, name, outer, w->type->results[i]));
  }
  for (size_t i = 0; i < w->type->num_inputs; i++) {
    if (w->type->inputs[i]->kind != NR_TYPE_MEMREF) continue;
    nr_vec_push(&w->results, w->inputs.data[i]);
    nr_vec_push(&w->result_infos, w->input_infos.data[i]);
  }
  return NR_OK;
}

static void build_body(Wrapper *w, NrModule *module, NrBlock *block) {
  NrBuilder b = nr_builder_at_end(module, block, w->func->loc);
  NR_VEC(NrValue *) args = {0};
  NR_VEC(NrValue *) results = {0};
  for (size_t i = 0; i < w->type->num_inputs; i++)
    nr_vec_push(&args, pass_in(&b, nr_block_add_arg(block, w->inputs.data[i], w->func->loc), w->type->inputs[i]));
  NrOp *call = nr_build_op(&b, NR_OP_func_call, args.data, args.size, w->type->results, w->type->num_results);
  nr_op_set_attr(call, "callee", nr_attr_symbol(w->ctx, nr_op_attr_str(w->func, "sym_name")));
  for (size_t i = 0; i < w->type->num_results; i++)
    nr_vec_push(&results, pass_out(&b, nr_result(call, i), w->results.data[i]));
  for (size_t i = 0; i < w->type->num_inputs; i++)
    if (w->type->inputs[i]->kind == NR_TYPE_MEMREF)
      nr_vec_push(&results, pass_out(&b, args.data[i], w->inputs.data[i]));
  nr_build_op(&b, NR_OP_func_return, results.data, results.size, NULL, 0);
  nr_vec_deinit(&args);
  nr_vec_deinit(&results);
}

static NrStatus build_wrapper(NrModule *module, NrOp *func) {
  Wrapper w = {.ctx = module->ctx, .func = func, .type = nr_func_type(func)};
  NrStatus status = add_signature(&w);
  if (!status) {
    NrBuilder b = nr_builder_at_end(module, nr_op_body(module->op, 0), func->loc);
    NrType type = nr_type_function(w.ctx, w.inputs.data, w.inputs.size, w.results.data, w.results.size);
    NrOp *entry = nr_func_create(&b, nr_symbol_unique(module->op, NR_STR("entry")), type, false);
    NrBlock *block = nr_block_create(module);
    nr_block_append(nr_op_region(entry, 0), block);
    build_body(&w, module, block);
    nr_op_set_attr(entry, "noria.entry", nr_attr_unit(w.ctx));
    nr_op_set_attr(entry, "noria.inputs", nr_attr_array(w.ctx, w.input_infos.data, w.input_infos.size));
    nr_op_set_attr(entry, "noria.outputs", nr_attr_array(w.ctx, w.result_infos.data, w.result_infos.size));
  }
  nr_vec_deinit(&w.inputs);
  nr_vec_deinit(&w.results);
  nr_vec_deinit(&w.input_infos);
  nr_vec_deinit(&w.result_infos);
  return status;
}

/* What the entry does not reach need not be fit to be compiled. */
static NrStatus drop_others(NrModule *module) {
  NrAttr hidden = nr_attr_string(module->ctx, NR_STR("private"));
  for (NrOp *op = nr_op_body(module->op, 0)->first; op; op = op->next)
    if (nr_op_has(op, NR_SYMBOL) && !nr_op_attr(op, "noria.entry")) nr_op_set_attr(op, "sym_visibility", hidden);
  return nr_run_pass(module, nr_pass_find(NR_STR("symbol-dce")), NULL, 0, &(NrPassOptions){0});
}

NrStatus nr_unit_set_entry(NrUnit *unit, const char *name) {
  NrOp *func;
  NrStatus status = find_entry(unit->module, name, &func);
  if (!status && !nr_op_attr(func, "noria.entry")) {
    for (NrOp *op = nr_op_body(unit->module->op, 0)->first; op; op = op->next) nr_op_remove_attr(op, "noria.entry");
    status = build_wrapper(unit->module, func);
    if (!status) status = drop_others(unit->module);
  }
  nr_diag_flush(unit->ctx);
  return status;
}
