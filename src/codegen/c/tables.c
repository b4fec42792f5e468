/* tables.c - the description of a program: noria_module with its inputs, outputs, constants, imports and sites. */
#include <math.h>

#include "codegen/c/c.h"
#include "codegen/value_info.h"
#include "dialect/onnx/dtype.h"
#include "dialect/shared/shaped.h"

/* ---- collected while functions are printed ----------------------------------------------------------------------- */

unsigned nr_c_site(NrC *g, NrStr place, NrStr text) {
  NrBuf key = {0};
  nr_buf_str(&key, place);
  nr_buf_putc(&key, 0);
  nr_buf_str(&key, text);
  NrStr view = {key.data, key.size};
  uintptr_t index = (uintptr_t)nr_strmap_get(&g->site_index, view);
  if (!index) {
    nr_vec_push(&g->sites, ((NrCSite){place, text}));
    index = g->sites.size;
    nr_strmap_set(&g->site_index, nr_str_copy(&g->arena, view), (void *)index);
  }
  nr_buf_deinit(&key);
  return (unsigned)index - 1;
}

unsigned nr_c_import(NrC *g, NrStr name) {
  uintptr_t index = (uintptr_t)nr_strmap_get(&g->import_index, name);
  if (!index) {
    nr_vec_push(&g->imports, name);
    index = g->imports.size;
    nr_strmap_set(&g->import_index, name, (void *)index);
  }
  return (unsigned)index - 1;
}

static void put_constant(NrC *g, NrAttr value, const char *name) {
  int64_t count = 0;
  nr_type_num_elements(value->type, &count);
  nr_c_put_bytes(g, &g->data, value, value->type->elem, (size_t)count,
                 nr_c_text(g, "static NORIA_ALIGNED(64) const %%s %s", name));
}

const char *nr_c_constant_data(NrC *g, NrAttr value, NrStr wanted) {
  uintptr_t index = (uintptr_t)nr_map_get(&g->constant_index, value);
  bool here = !nr_attr_is_parameter(value);
  if (!index) {
    NrCConstant constant = {value, here ? nr_c_global_name(g, wanted) : NULL};
    nr_vec_push(&g->constants, constant);
    index = g->constants.size;
    nr_map_set(&g->constant_index, value, (void *)index);
    if (here) put_constant(g, value, constant.name);
  }
  return here ? g->constants.data[index - 1].name : nr_c_text(g, "exec->constants[%zu]", (size_t)index - 1);
}

/* ---- data ------------------------------------------------------------------------------------------------------- */

/* How the numbers of an array are written. */
typedef struct Numbers {
  const char *type;
  size_t size; /* bytes of one */
  char how;    /* 'f', 'd': floats; 'x': bits; 'i': signed integers; 'w': integers of two words */
} Numbers;

static bool has_special(const char *data, size_t size, size_t step) {
  for (size_t i = 0; i + step <= size; i += step) {
    double d;
    float f;
    memcpy(&f, data + i, sizeof f);
    if (step == 8) memcpy(&d, data + i, sizeof d);
    if (step == 8 ? !isfinite(d) : !isfinite(f)) return true;
  }
  return false;
}

static Numbers numbers_of(NrC *g, NrAttr value, NrType elem) {
  NrType part = elem->kind == NR_TYPE_COMPLEX ? elem->elem : elem;
  size_t size = nr_type_byte_size(part);
  bool is_float = nr_type_is_float_kind(part, NR_F32) || nr_type_is_float_kind(part, NR_F64);
  if (is_float && value && !has_special(value->data, value->data_size, size))
    return size == 8 ? (Numbers){"f64", 8, 'd'} : (Numbers){"f32", 4, 'f'};
  bool sign = nr_type_is_int_or_index(part);
  if (size == 1) return sign ? (Numbers){"i8", 1, 'i'} : (Numbers){"u8", 1, 'x'};
  if (size == 2) return sign ? (Numbers){"i16", 2, 'i'} : (Numbers){"u16", 2, 'x'};
  if (size == 4) return sign ? (Numbers){"i32", 4, 'i'} : (Numbers){"u32", 4, 'x'};
  if (size == 8) return sign ? (Numbers){"i64", 8, 'i'} : (Numbers){"u64", 8, 'x'};
  if (size == 16) {
    g->has_i128 = true;
    return (Numbers){"i128", 16, 'w'};
  }
  return (Numbers){"u8", 1, 'x'};
}

static void put_number(NrBuf *out, const Numbers *n, const void *at) {
  int64_t value = 0;
  uint64_t words[2];
  float f;
  double d;
  switch (n->how) {
  case 'f':
    memcpy(&f, at, sizeof f);
    if (f == 0) nr_buf_puts(out, signbit(f) ? "-0.0f" : "0");
    else if (fabsf(f) < 1e6f && truncf(f) == f) nr_buf_printf(out, "%.0f", (double)f);
    else nr_buf_printf(out, "%af", (double)f);
    return;
  case 'd':
    memcpy(&d, at, sizeof d);
    if (d == 0) nr_buf_puts(out, signbit(d) ? "-0.0" : "0");
    else if (fabs(d) < 1e6 && trunc(d) == d) nr_buf_printf(out, "%.0f", d);
    else nr_buf_printf(out, "%a", d);
    return;
  case 'w': /* little-endian */
    memcpy(words, at, sizeof words);
    nr_buf_printf(out, "NORIA_I128(0x%llx, 0x%llx)", (unsigned long long)words[1], (unsigned long long)words[0]);
    return;
  default: memcpy(&value, at, n->size); break; /* little-endian */
  }
  unsigned spare = 64 - 8 * (unsigned)n->size;
  if (n->how == 'x') nr_buf_printf(out, n->size == 8 ? "UINT64_C(0x%llx)" : "0x%llx", (unsigned long long)value);
  else if (n->size == 8 && value == INT64_MIN) nr_buf_puts(out, "INT64_MIN");
  else if (n->size == 4 && (int32_t)value == INT32_MIN) nr_buf_puts(out, "INT32_MIN");
  else {
    value = (int64_t)((uint64_t)value << spare) >> spare;
    bool large = value > INT32_MAX || value < -INT32_MAX;
    nr_buf_printf(out, large && value < 0 ? "-INT64_C(%llu)" : large ? "INT64_C(%llu)" : value < 0 ? "-%llu" : "%llu",
                  (unsigned long long)(value < 0 ? -(uint64_t)value : (uint64_t)value));
  }
}

/* declaration: a format for the type of the elements. value NULL: zeros. */
void nr_c_put_bytes(NrC *g, NrBuf *out, NrAttr value, NrType elem, size_t count, const char *declaration) {
  Numbers n = numbers_of(g, value, elem);
  size_t total = count * nr_type_byte_size(elem) / n.size, have = value ? value->data_size / n.size : 0, column = 0;
  const char *mark = strstr(declaration, "%s"), *data = value ? value->data : NULL;
  nr_buf_printf(out, "%.*s%s%s[%zu] = {", (int)(mark - declaration), declaration, n.type, mark + 2,
                NR_MAX(total, (size_t)1));
  if (!have || !total) nr_buf_putc(out, '0');
  for (size_t i = 0; i < total && have; i++) {
    size_t before = out->size;
    if (i) nr_buf_puts(out, column > 90 ? ",\n  " : ", ");
    if (column > 90) column = 0;
    put_number(out, &n, data + i % have * n.size);
    column += out->size - before;
  }
  nr_buf_puts(out, "};\n");
}

const char *nr_c_static_string(NrC *g, NrStr s) {
  NrStr key = nr_str_copy(&g->arena, nr_str(nr_c_text(g, "string %.*s", NR_STR_ARG(s))));
  const char *name = nr_strmap_get(&g->types_known, key);
  if (name) return name;
  const char *own = nr_c_global_name(g, NR_STR("string"));
  nr_buf_printf(&g->data, "static const struct {\n  i64 refs, size;\n  char data[%zu];\n} %s = {0, %zu, ", s.size + 1,
                own, s.size);
  nr_c_string(&g->data, s);
  nr_buf_puts(&g->data, "};\n");
  name = nr_c_text(g, "(void *)(intptr_t)&%s", own);
  nr_strmap_set(&g->types_known, key, (void *)name);
  return name;
}

/* ---- noria_module ----------------------------------------------------------------------------------------------- */

static void put_dims(NrBuf *out, const int64_t *dims, size_t rank) {
  for (size_t i = 0; i < rank; i++) nr_buf_printf(out, i ? ", %lld" : "%lld", (long long)dims[i]);
}

/* The arrays that a NoriaValueInfo points to, in `before`, and itself. */
static void put_value_info(NrBuf *before, NrBuf *out, NrAttr dict, const char *what, uint32_t index) {
  NrValueInfo info = nr_value_info(dict);
  if (info.rank) {
    nr_buf_printf(before, "static const int64_t noria_%s%u_dims[] = {", what, index);
    put_dims(before, info.dims, info.rank);
    nr_buf_printf(before, "};\nstatic const char *const noria_%s%u_names[] = {", what, index);
    for (size_t i = 0; i < info.rank; i++) {
      NrStr symbol = nr_value_info_dim_name(&info, i);
      if (i) nr_buf_puts(before, ", ");
      if (symbol.size) nr_c_string(before, symbol);
      else nr_buf_puts(before, "NULL");
    }
    nr_buf_puts(before, "};\n");
  }
  nr_buf_puts(out, "  {");
  nr_c_string(out, info.name);
  nr_buf_printf(out, ", %lld, %lld, %lld, %lld, ", (long long)info.kind, (long long)info.dtype,
                info.any_rank ? -1 : (long long)info.rank, (long long)info.item_kind);
  if (info.rank) nr_buf_printf(out, "noria_%s%u_dims, noria_%s%u_names", what, index, what, index);
  else nr_buf_puts(out, "NULL, NULL");
  nr_buf_printf(out, ", %lld},\n", (long long)info.key_dtype);
}

static NrStatus put_value_infos(NrC *g, NrBuf *out, const char *attr_name, const char *what, uint32_t want) {
  if (!want) return NR_OK;
  NrAttr list = nr_op_attr_named(g->entry->op, attr_name);
  if (!list || list->kind != NR_ATTR_ARRAY || list->size != want)
    return nr_op_error(g->entry->op, "needs %u entries in '%s'", want, attr_name);
  NrBuf items = {0};
  for (uint32_t i = 0; i < want; i++) put_value_info(out, &items, list->items[i], what, i);
  nr_buf_printf(out, "static const NoriaValueInfo noria_%ss[] = {\n%s};\n", what, items.data);
  nr_buf_deinit(&items);
  return NR_OK;
}

static bool put_constants(NrC *g, NrBuf *out) {
  if (g->constants.size) nr_buf_puts(out, "static const NoriaConstant noria_constants[] = {\n");
  for (size_t i = 0; i < g->constants.size; i++) {
    const NrCConstant *c = &g->constants.data[i];
    int64_t bytes = 0;
    nr_type_num_bytes(c->value->type, &bytes);
    nr_buf_printf(out, "  {%s, %lld},\n", c->name ? c->name : "NULL", (long long)bytes);
  }
  if (g->constants.size) nr_buf_puts(out, "};\n");
  return g->constants.size > 0;
}

static size_t put_parameters(NrC *g, NrBuf *out) {
  NrBuf table = {0};
  size_t count = 0;
  for (size_t i = 0; i < g->constants.size; i++) {
    NrAttr value = g->constants.data[i].value;
    if (!nr_attr_is_parameter(value)) continue;
    if (value->type->rank) {
      nr_buf_printf(out, "static const int64_t noria_parameter%zu_dims[] = {", i);
      put_dims(out, value->type->dims, value->type->rank);
      nr_buf_puts(out, "};\n");
    }
    nr_buf_puts(&table, "  {");
    nr_c_string(&table, value->items[0]->s);
    nr_buf_puts(&table, ", ");
    nr_c_string(&table, value->items[1]->s);
    if (value->type->rank) nr_buf_printf(&table, ", noria_parameter%zu_dims", i);
    else nr_buf_puts(&table, ", NULL");
    nr_buf_printf(&table, ", %d, %u, %zu, 0},\n", (int)nr_dtype_of_parameter(value->type->elem), value->type->rank, i);
    count++;
  }
  if (count) nr_buf_printf(out, "static const NoriaParameterInfo noria_parameters[] = {\n%s};\n", table.data);
  nr_buf_deinit(&table);
  return count;
}

static void put_names(NrC *g, NrBuf *out) {
  if (g->imports.size) nr_buf_puts(out, "static const char *const noria_imports[] = {\n");
  for (size_t i = 0; i < g->imports.size; i++) {
    nr_buf_puts(out, "  ");
    nr_c_string(out, g->imports.data[i]);
    nr_buf_puts(out, ",\n");
  }
  if (g->imports.size) nr_buf_puts(out, "};\n");
  if (g->sites.size) nr_buf_puts(out, "static const NoriaSite noria_sites[] = {\n");
  for (size_t i = 0; i < g->sites.size; i++) {
    nr_buf_puts(out, "  {");
    nr_c_string(out, g->sites.data[i].place);
    nr_buf_puts(out, ", ");
    nr_c_string(out, g->sites.data[i].text);
    nr_buf_puts(out, "},\n");
  }
  if (g->sites.size) nr_buf_puts(out, "};\n");
}

NrStatus nr_c_put_tables(NrC *g, NrBuf *out) {
  uint32_t num_inputs = g->entry ? g->entry->type->num_inputs : 0;
  uint32_t num_outputs = g->entry ? g->entry->type->num_results : 0;
  NR_TRY(put_value_infos(g, out, "noria.inputs", "input", num_inputs));
  NR_TRY(put_value_infos(g, out, "noria.outputs", "output", num_outputs));
  bool constants = put_constants(g, out);
  size_t parameters = put_parameters(g, out);
  put_names(g, out);
  nr_buf_puts(out,
              "\n#ifdef NORIA_NO_MODULE /* several such files in one program */\n#define NORIA_MODULE static\n#else\n"
              "#define NORIA_MODULE\nNORIA_EXPORT extern const NoriaModule noria_module;\n#endif\n"
              "NORIA_MODULE const NoriaModule noria_module = {\n");
  nr_buf_printf(out, "  .abi_version = %d,\n  .num_inputs = %u,\n  .num_outputs = %u,\n", NORIA_ABI_VERSION, num_inputs,
                num_outputs);
  nr_buf_printf(out,
                "  .num_constants = %zu,\n  .num_imports = %zu,\n  .num_sites = %zu,\n  .name = ", g->constants.size,
                g->imports.size, g->sites.size);
  nr_c_string(out, nr_str(g->name));
  nr_buf_puts(out, ",\n");
  if (num_inputs) nr_buf_puts(out, "  .inputs = noria_inputs,\n");
  if (num_outputs) nr_buf_puts(out, "  .outputs = noria_outputs,\n");
  if (constants) nr_buf_puts(out, "  .constants = noria_constants,\n");
  if (g->imports.size) nr_buf_puts(out, "  .imports = noria_imports,\n");
  if (g->sites.size) nr_buf_puts(out, "  .sites = noria_sites,\n");
  if (g->entry) nr_buf_printf(out, "  .entry = %s,\n", g->entry->name);
  if (parameters) nr_buf_printf(out, "  .parameters = noria_parameters,\n  .num_parameters = %zu,\n", parameters);
  nr_buf_puts(out, "};\n");
  return NR_OK;
}
