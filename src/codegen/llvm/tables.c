/* tables.c - the description of a program: noria_module with its inputs, outputs, constants, imports and sites. */
#include "codegen/llvm/ll.h"
#include "codegen/value_info.h"
#include "dialect/shared/shaped.h"
#include "dialect/onnx/dtype.h"

/* ---- collected while functions are emitted ----------------------------------------------------------------------- */

unsigned nr_ll_site(NrLl *g, NrStr place, NrStr text) {
  NrBuf key = {0};
  nr_buf_str(&key, place);
  nr_buf_putc(&key, 0);
  nr_buf_str(&key, text);
  NrStr view = {key.data, key.size};
  NrLlTables *tables = g->tables;
  uintptr_t index = (uintptr_t)nr_strmap_get(&tables->site_index, view);
  if (!index) {
    nr_vec_push(&tables->sites, ((NrLlSite){place, text}));
    index = tables->sites.size;
    nr_strmap_set(&tables->site_index, nr_str_copy(&tables->arena, view), (void *)index);
  }
  nr_buf_deinit(&key);
  return (unsigned)index - 1;
}

unsigned nr_ll_import(NrLl *g, NrStr name) {
  NrLlTables *tables = g->tables;
  uintptr_t index = (uintptr_t)nr_strmap_get(&tables->import_index, name);
  if (!index) {
    nr_vec_push(&tables->imports, name);
    index = tables->imports.size;
    nr_strmap_set(&tables->import_index, name, (void *)index);
  }
  return (unsigned)index - 1;
}

LLVMValueRef nr_ll_constant_data(NrLl *g, NrAttr value) {
  NrLlTables *tables = g->tables;
  uintptr_t index = (uintptr_t)nr_map_get(&tables->constant_index, value);
  if (!index) {
    nr_vec_push(&tables->constants, value);
    index = tables->constants.size;
    nr_map_set(&tables->constant_index, value, (void *)index);
  }
  LLVMValueRef table = nr_ll_exec_field(g, &g->constant_table, offsetof(NoriaExec, constants));
  LLVMValueRef at = nr_ll_int(g, (int64_t)index - 1);
  LLVMValueRef data = LLVMBuildLoad2(g->b, g->ptr, LLVMBuildInBoundsGEP2(g->b, g->ptr, table, &at, 1, ""), "");
  nr_ll_invariant(g, data);
  size_t align = nr_type_byte_size(value->type->elem);
  nr_ll_metadata_int(g, data, "align", nr_attr_is_parameter(value) ? (int64_t)(align & -align) : 64);
  return data;
}

size_t nr_ll_constant_size(NrAttr value) {
  int64_t bytes = 0;
  nr_type_num_bytes(value->type, &bytes);
  return (size_t)bytes;
}

void nr_ll_constant_copy(NrAttr value, void *out) {
  size_t size = nr_ll_constant_size(value);
  if (!value->splat) {
    memcpy(out, value->data, size);
    return;
  }
  for (size_t at = 0; at < size; at += value->data_size) memcpy((char *)out + at, value->data, value->data_size);
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

/* Defines a private constant array; NULL when it is empty. */
static LLVMValueRef array(NrLl *g, LLVMTypeRef elem, LLVMValueRef *items, size_t count) {
  if (!count) return LLVMConstNull(g->ptr);
  LLVMValueRef init = LLVMConstArray2(elem, items, count);
  LLVMValueRef global = LLVMAddGlobal(g->mod, LLVMTypeOf(init), "");
  LLVMSetInitializer(global, init);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  LLVMSetGlobalConstant(global, true);
  return global;
}

static LLVMValueRef record(NrLl *g, LLVMValueRef *fields, unsigned count) {
  return LLVMConstStructInContext(g->llvm, fields, count, false);
}

static LLVMValueRef array_of_records(NrLl *g, LLVMValueRef *items, size_t count) {
  return array(g, count ? LLVMTypeOf(items[0]) : g->ptr, items, count);
}

/* Builds a NoriaValueInfo. */
static LLVMValueRef value_info(NrLl *g, NrAttr dict) {
  NrValueInfo info = nr_value_info(dict);
  size_t rank = info.rank;
  LLVMValueRef *sizes = nr_malloc((rank + 1) * sizeof *sizes), *symbols = nr_malloc((rank + 1) * sizeof *symbols);
  for (size_t i = 0; i < rank; i++) {
    NrStr symbol = nr_value_info_dim_name(&info, i);
    sizes[i] = nr_ll_int(g, info.dims[i]);
    symbols[i] = symbol.size ? nr_ll_string(g, symbol) : LLVMConstNull(g->ptr);
  }
  LLVMValueRef fields[] = {
      nr_ll_string(g, info.name),
      nr_ll_int32(g, info.kind),
      nr_ll_int32(g, info.dtype),
      nr_ll_int32(g, info.any_rank ? -1 : (int64_t)rank),
      nr_ll_int32(g, info.item_kind),
      array(g, g->i64, sizes, rank),
      array(g, g->ptr, symbols, rank),
      nr_ll_int32(g, info.key_dtype),
  };
  nr_free(sizes);
  nr_free(symbols);
  return record(g, fields, NR_COUNTOF(fields));
}

static NrStatus value_infos(NrLl *g, const char *attr_name, uint32_t want, LLVMValueRef *out, uint32_t *out_count) {
  *out = LLVMConstNull(g->ptr);
  *out_count = 0;
  if (!g->entry) return NR_OK;
  NrAttr list = nr_op_attr_named(g->entry->op, attr_name);
  if (!list || list->kind != NR_ATTR_ARRAY || list->size != want)
    return nr_op_error(g->entry->op, "needs %u entries in '%s'", want, attr_name);
  LLVMValueRef *items = nr_malloc((want + 1) * sizeof *items);
  NrStatus status = NR_OK;
  for (uint32_t i = 0; i < want && !status; i++) {
    if (list->items[i]->kind != NR_ATTR_DICT)
      status = nr_op_error(g->entry->op, "entry %u of '%s' is not a dictionary", i, attr_name);
    else
      items[i] = value_info(g, list->items[i]);
  }
  if (!status) *out = array_of_records(g, items, want);
  *out_count = want;
  nr_free(items);
  return status;
}

static LLVMValueRef constants_table(NrLl *g, const LLVMValueRef *data) {
  size_t n = g->tables->constants.size;
  LLVMValueRef *items = nr_malloc((n + 1) * sizeof *items);
  for (size_t i = 0; i < n; i++)
    items[i] = record(
        g, (LLVMValueRef[]){data[i], nr_ll_int(g, (int64_t)nr_ll_constant_size(g->tables->constants.data[i]))}, 2);
  LLVMValueRef table = array_of_records(g, items, n);
  nr_free(items);
  return table;
}

/* Builds a NoriaParameterInfo. */
static LLVMValueRef parameter(NrLl *g, size_t constant) {
  NrAttr value = g->tables->constants.data[constant];
  NrType type = value->type;
  LLVMValueRef *sizes = nr_malloc((type->rank + 1) * sizeof *sizes);
  for (uint32_t i = 0; i < type->rank; i++) sizes[i] = nr_ll_int(g, type->dims[i]);
  LLVMValueRef fields[] = {
      nr_ll_string(g, value->items[0]->s),
      nr_ll_string(g, value->items[1]->s),
      array(g, g->i64, sizes, type->rank),
      nr_ll_int32(g, nr_dtype_of_parameter(type->elem)),
      nr_ll_int32(g, type->rank),
      nr_ll_int32(g, (int64_t)constant),
      nr_ll_int32(g, 0),
  };
  nr_free(sizes);
  return record(g, fields, NR_COUNTOF(fields));
}

static LLVMValueRef parameters_table(NrLl *g, size_t *out_count) {
  size_t n = g->tables->constants.size, count = 0;
  LLVMValueRef *items = nr_malloc((n + 1) * sizeof *items);
  for (size_t i = 0; i < n; i++)
    if (nr_attr_is_parameter(g->tables->constants.data[i])) items[count++] = parameter(g, i);
  LLVMValueRef table = array_of_records(g, items, count);
  nr_free(items);
  *out_count = count;
  return table;
}

static LLVMValueRef imports_table(NrLl *g) {
  size_t n = g->tables->imports.size;
  LLVMValueRef *items = nr_malloc((n + 1) * sizeof *items);
  for (size_t i = 0; i < n; i++) items[i] = nr_ll_string(g, g->tables->imports.data[i]);
  LLVMValueRef table = array(g, g->ptr, items, n);
  nr_free(items);
  return table;
}

static LLVMValueRef sites_table(NrLl *g) {
  const NrLlSite *sites = g->tables->sites.data;
  size_t n = g->tables->sites.size;
  LLVMValueRef *items = nr_malloc((n + 1) * sizeof *items);
  for (size_t i = 0; i < n; i++)
    items[i] = record(g, (LLVMValueRef[]){nr_ll_string(g, sites[i].place), nr_ll_string(g, sites[i].text)}, 2);
  LLVMValueRef table = array_of_records(g, items, n);
  nr_free(items);
  return table;
}

static NrStr module_name(NrLl *g) {
  if (g->options->name) return nr_str(g->options->name);
  return nr_op_attr_str(g->module->op, NR_A_sym_name);
}

NrStatus nr_ll_define_tables(NrLl *g, const LLVMValueRef *data, NrStr cpu, LLVMValueRef fallback) {
  LLVMValueRef inputs, outputs;
  uint32_t num_inputs, num_outputs;
  NrType type = g->entry ? g->entry->type : NULL;
  NrStatus status = value_infos(g, "noria.inputs", type ? type->num_inputs : 0, &inputs, &num_inputs);
  if (!status) status = value_infos(g, "noria.outputs", type ? type->num_results : 0, &outputs, &num_outputs);
  if (status) return status;
  size_t num_parameters;
  LLVMValueRef parameters = parameters_table(g, &num_parameters);
  LLVMValueRef fields[] = {
      nr_ll_int32(g, NORIA_ABI_VERSION),
      nr_ll_int32(g, num_inputs),
      nr_ll_int32(g, num_outputs),
      nr_ll_int32(g, (int64_t)g->tables->constants.size),
      nr_ll_int32(g, (int64_t)g->tables->imports.size),
      nr_ll_int32(g, (int64_t)g->tables->sites.size),
      nr_ll_string(g, module_name(g)),
      inputs,
      outputs,
      constants_table(g, data),
      imports_table(g),
      sites_table(g),
      g->entry ? g->entry->value : LLVMConstNull(g->ptr),
      nr_ll_string(g, cpu),
      fallback ? fallback : LLVMConstNull(g->ptr),
      parameters,
      nr_ll_int(g, (int64_t)num_parameters),
  };
  LLVMValueRef init = record(g, fields, NR_COUNTOF(fields));
  LLVMValueRef module = LLVMAddGlobal(g->mod, LLVMTypeOf(init), "noria_module");
  LLVMSetInitializer(module, init);
  LLVMSetGlobalConstant(module, true);
  return NR_OK;
}
