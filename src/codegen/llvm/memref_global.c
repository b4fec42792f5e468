/* memref_global.c - memref.global: as LLVM variables, or as constants outside LLVM IR. */
#include "codegen/llvm/ll.h"
#include "dialect/shared/shaped.h"
#include "dialect/onnx/dtype.h"

/* The bytes of a dense attribute as an LLVM constant. */
static LLVMValueRef byte_constant(NrLl *g, NrAttr value, size_t size) {
  size_t zone = g->options->sanitize ? NR_LL_RED_ZONE : 0;
  if (!value->splat && !zone) return LLVMConstStringInContext2(g->llvm, value->data, size, true);
  char *bytes = nr_calloc(size + zone + 1, 1);
  for (size_t i = 0; i < size; i += value->data_size)
    memcpy(bytes + i, (char *)value->data + i * !value->splat, value->data_size);
  LLVMValueRef out = LLVMConstStringInContext2(g->llvm, bytes, size + zone, true);
  nr_free(bytes);
  return out;
}

/* Another partition defines it. */
static void note_variable(NrLlTables *tables, NrOp *op) {
  for (size_t i = 0; i < tables->variables.size; i++)
    if (tables->variables.data[i] == op) return;
  nr_vec_push(&tables->variables, op);
}

/* A global that is written, or is small, becomes an LLVM global. */
static LLVMValueRef global_variable(NrLl *g, NrOp *op, NrAttr value, size_t size, bool constant) {
  LLVMValueRef global = nr_map_get(&g->global_data, op);
  if (global) return global;
  LLVMTypeRef type = LLVMArrayType2(g->i8, size + (g->options->sanitize ? NR_LL_RED_ZONE : 0));
  global = LLVMAddGlobal(g->mod, type, constant ? "" : nr_ll_symbol(g, NR_LL_VARIABLE, op));
  if (constant || g->has_variables)
    LLVMSetInitializer(global, value ? byte_constant(g, value, size) : LLVMConstNull(type));
  else note_variable(g->tables, op);
  /* A hidden variable is reached by a relative address, which may not span the distance to another object: of one with
   * default visibility, LLVM loads the address. */
  if (constant) LLVMSetLinkage(global, LLVMInternalLinkage);
  else if (!g->tables->variables_apart) LLVMSetVisibility(global, LLVMHiddenVisibility);
  LLVMSetGlobalConstant(global, constant);
  LLVMSetAlignment(global, 64);
  nr_map_set(&g->global_data, op, global);
  nr_map_set(&g->global_sizes, global, (void *)(uintptr_t)(size + 1));
  return global;
}

/* A tensor of strings: pointers to static NoriaStrings. */
static LLVMValueRef string_table(NrLl *g, NrOp *op, NrAttr value, size_t count) {
  LLVMValueRef global = nr_map_get(&g->global_data, op);
  if (global) return global;
  LLVMValueRef *items = nr_malloc((count + 1) * sizeof *items);
  for (size_t i = 0; i < count; i++)
    items[i] = i && value->size == 1 ? items[0] : nr_ll_noria_string(g, value->strings[i]);
  LLVMValueRef init = LLVMConstArray2(g->ptr, items, count);
  nr_free(items);
  global = LLVMAddGlobal(g->mod, LLVMTypeOf(init), "");
  LLVMSetInitializer(global, init);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  LLVMSetGlobalConstant(global, true);
  LLVMSetAlignment(global, 64);
  nr_map_set(&g->global_data, op, global);
  return global;
}

#define SMALL_CONSTANT 64            /* bytes; larger constants are not in LLVM IR */
#define MOST_REPEATED ((size_t)1 << 32) /* bytes; limit for expanding a splat when code is made */

void nr_ll_define_variable(NrLl *g, NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_initial_value), type = nr_op_attr(op, NR_A_type);
  int64_t count = 0;
  nr_type_num_elements(type->type, &count);
  if (value && !nr_attr_is_elements(value)) value = NULL;
  global_variable(g, op, value, (size_t)count * nr_type_byte_size(type->type->elem), false);
}

static NrStatus emit_get_global(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrOp *global = nr_symbol_find(&g->tables->symbols, op, nr_op_attr(op, NR_A_name));
  NrType type = nr_op_result(op)->type;
  int64_t count;
  size_t size;
  if (!nr_op_is(global, NR_OP_memref_global)) return nr_op_error(op, "names no global of this module");
  if (!nr_type_num_elements(type, &count) || !nr_mul_size((size_t)count, nr_type_byte_size(type->elem), &size))
    return nr_op_error(op, "has a type without a fixed size");
  NrAttr value = nr_op_attr(global, NR_A_initial_value);
  bool strings = value && value->kind == NR_ATTR_DENSE_STRINGS;
  if (nr_attr_is_parameter(value)) {
    if (!nr_dtype_of_parameter(type->elem))
      return nr_op_error(op, "has elements of type %s, which no parameter has",
                         nr_type_text(nr_op_context(op), type->elem));
    nr_ll_set(g, nr_op_result(op), nr_ll_constant_data(g, value));
    return NR_OK;
  }
  if (value && !nr_attr_is_elements(value)) value = strings ? value : NULL;
  if (value && value->splat && size > MOST_REPEATED)
    return nr_op_error(op, "names a global of %zu bytes that begin with one value; at most %zu can be compiled", size,
                       MOST_REPEATED);
  bool constant = nr_op_attr(global, NR_A_constant) && value;
  nr_ll_set(g, nr_op_result(op), strings ? string_table(g, global, value, (size_t)count)
                                 : constant && size > SMALL_CONSTANT
                                     ? nr_ll_constant_data(g, value)
                                     : global_variable(g, global, value, size, constant));
  return NR_OK;
}

static NrStatus emit_global(NrLl *g, NrOp *op, const NrLlRow *row) { return NR_OK; }

const NrLlRow nr_ll_memref_global_rows[] = {
    {"memref.global", emit_global},
    {"memref.get_global", emit_get_global},
    {0},
};
