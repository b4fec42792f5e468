/* library.c - the plain function of a program, its header, and what stands for the runtime there. */
#include <ctype.h>

#include "codegen/c/c.h"

/* Parts, because a string literal of more than 4,095 characters need not compile. */
const char *const nr_c_alone[] = {
    "/* A run without Noria's runtime. Its blocks are in a hash table, so that one that is freed twice is noticed. */\n"
    "typedef struct NoriaBlock {\n  void *data; /* NULL: free place */\n  i64 size;   /* -1: freed */\n} NoriaBlock;\n"
    "typedef struct NoriaRun {\n"
    "  NoriaExec exec;\n  NoriaBlock *blocks;\n  size_t used, capacity;\n  const char *stack; /* where it began */\n"
    "  char place[200], text[400];\n} NoriaRun;\n"
    "#ifndef NORIA_STACK_BYTES\n"
    "#define NORIA_STACK_BYTES (1 << 20) /* that recursive functions may take */\n#endif\n\n"
    "static NoriaBlock *noria_find(NoriaRun *run, const void *data) {\n"
    "  size_t i = (size_t)((uintptr_t)data / 64 * 0x9e3779b1u);\n"
    "  while (run->blocks[i &= run->capacity - 1].data && run->blocks[i].data != data) i++;\n"
    "  return &run->blocks[i];\n}\n\n"
    "/* Room for one more; the places of freed blocks are given up. */\n"
    "static bool noria_reserve(NoriaRun *run) {\n"
    "  NoriaBlock *old = run->blocks;\n  size_t i, live = 0, before = run->capacity;\n"
    "  if (run->used * 2 < before) return true;\n"
    "  for (i = 0; i < before; i++) live += old[i].data && old[i].size >= 0;\n"
    "  run->capacity = 64;\n"
    "  while (run->capacity < live * 4 + 4) run->capacity *= 2;\n"
    "  run->blocks = calloc(run->capacity, sizeof *run->blocks);\n"
    "  if (!run->blocks) {\n    run->blocks = old;\n    run->capacity = before;\n    return false;\n  }\n"
    "  for (i = 0; i < before; i++)\n"
    "    if (old[i].data && old[i].size >= 0) *noria_find(run, old[i].data) = old[i];\n"
    "  run->used = live;\n  free(old);\n  return true;\n}\n\n",

    "static void *noria_alone_alloc_aligned(NoriaExec *exec, int64_t size, int64_t alignment) {\n"
    "  NoriaRun *run = (NoriaRun *)exec;\n  NoriaBlock *block;\n  void *data = NULL;\n"
    "  size_t align = alignment > 64 ? (size_t)alignment : 64;\n"
    "  if (size >= 0 && (u64)size < SIZE_MAX / 2 - align && noria_reserve(run))\n"
    "    data = aligned_alloc(align, ((size_t)size + align) / align * align);\n"
    "  if (!data) {\n"
    "    snprintf(run->text, sizeof run->text, \"the system has no memory for %lld bytes\", (long long)size);\n"
    "    return NULL;\n  }\n"
    "  block = noria_find(run, data);\n  run->used += !block->data;\n  block->data = data;\n  block->size = size;\n"
    "  return data;\n}\n"
    "static void *noria_alone_alloc(NoriaExec *exec, int64_t size) { return noria_alone_alloc_aligned(exec, size, 64); "
    "}\n"
    "static int32_t noria_alone_free(NoriaExec *exec, void *data) {\n"
    "  NoriaRun *run = (NoriaRun *)exec;\n"
    "  NoriaBlock *block = data && run->capacity ? noria_find(run, data) : NULL;\n"
    "  if (!data) return 0;\n  if (!block || !block->data || block->size < 0) return 1;\n"
    "  block->size = -1;\n  free(data);\n  return 0;\n}\n"
    "static void *noria_alone_realloc(NoriaExec *exec, void *data, int64_t new_size) {\n"
    "  NoriaRun *run = (NoriaRun *)exec;\n"
    "  i64 old = data && run->capacity ? noria_find(run, data)->size : 0;\n"
    "  void *moved = noria_alone_alloc(exec, new_size);\n"
    "  if (!moved) return NULL;\n"
    "  noria_copy(moved, data, old < new_size ? old : new_size);\n  noria_alone_free(exec, data);\n  return moved;\n}\n"
    "static int32_t noria_alone_dispatch(NoriaExec *exec, NoriaWorkgroupFn fn, const void *args, int64_t x, int64_t "
    "y,\n"
    "                                    int64_t z) {\n"
    "  for (i64 k = 0; k < z; k++)\n    for (i64 j = 0; j < y; j++)\n      for (i64 i = 0; i < x; i++)\n"
    "        if (fn(exec, args, i, j, k)) return 1;\n  return 0;\n}\n"
    "static int32_t noria_alone_poll(NoriaExec *exec, int64_t iterations) {\n"
    "  (void)iterations;\n  return exec->stop;\n}\n"
    "static int32_t noria_alone_error(NoriaExec *exec, const char *text) {\n"
    "  NoriaRun *run = (NoriaRun *)exec;\n"
    "  if (!run->text[0]) snprintf(run->text, sizeof run->text, \"%s\", text);\n  return 1;\n}\n",

    "static int32_t noria_alone_fail(NoriaExec *exec, int32_t site, int64_t a, int64_t b, int64_t c, int64_t d) {\n"
    "  NoriaRun *run = (NoriaRun *)exec;\n"
    "  const NoriaSite *at = site >= 0 && site < noria_module.num_sites ? &noria_module.sites[site] : NULL;\n"
    "  const long long values[4] = {a, b, c, d};\n  size_t n = 0;\n"
    "  if (at && !run->place[0]) snprintf(run->place, sizeof run->place, \"%s\", at->place);\n"
    "  if (!at || run->text[0]) return 1;\n"
    "  for (const char *p = at->text; *p && n + 32 < sizeof run->text; p++) {\n"
    "    bool number = p[0] == '%' && p[1] >= '0' && p[1] <= '3';\n"
    "    if (number) n += (size_t)snprintf(run->text + n, 32, \"%lld\", values[*++p - '0']);\n"
    "    else run->text[n++] = *p;\n"
    "    if (!number && p[0] == '%' && p[1] == '%') p++;\n  }\n"
    "  return 1;\n}\n"
    "static int32_t noria_alone_enter(NoriaExec *exec, int32_t site) {\n"
    "  const NoriaRun *run = (const NoriaRun *)exec;\n  char here;\n"
    "  ptrdiff_t size = (intptr_t)run->stack - (intptr_t)&here;\n"
    "  if (size < NORIA_STACK_BYTES && -size < NORIA_STACK_BYTES) return exec->stop;\n"
    "  return noria_alone_fail(exec, site, 0, 0, 0, 0);\n}\n"
    "static int32_t noria_alone_charge(NoriaExec *exec, int64_t bytes) {\n  (void)exec, (void)bytes;\n  return 0;\n}\n"
    "/* Whether there can be an array of these dims; *out_count: how many elements it has. */\n"
    "NORIA_UNUSED static bool noria_is_shape(const int64_t *dims, i64 rank, i64 *out_count) {\n"
    "  i64 all = 1;\n  bool empty = false;\n"
    "  for (i64 i = 0; i < rank; i++) {\n"
    "    if (dims[i] < 0 || (dims[i] && all > NORIA_MAX_ELEMENTS / dims[i])) return false;\n"
    "    if (dims[i]) all *= dims[i];\n    else empty = true;\n  }\n"
    "  *out_count = empty ? 0 : all;\n  return true;\n}\n"
    "NORIA_UNUSED static int noria_refuse(char *error, size_t size, const char *name, const char *why) {\n"
    "  if (size) snprintf(error, size, \"argument '%s' %s\", name, why);\n  return 1;\n}\n"
    "/* Checks and describes an input. */\n"
    "NORIA_UNUSED static int noria_input(NoriaDesc *desc, const char *name, const void *data, i64 rank, const int64_t "
    "*dims,\n"
    "                       char *error, size_t size) {\n"
    "  i64 count = 0;\n"
    "  if (rank < 0 || rank > NORIA_MAX_RANK) return noria_refuse(error, size, name, \"has a rank that no array "
    "has\");\n"
    "  if (!noria_is_shape(dims, rank, &count)) return noria_refuse(error, size, name, \"has dims that no array "
    "has\");\n"
    "  if (count && !data) return noria_refuse(error, size, name, \"is NULL\");\n"
    "  desc->data = (void *)(intptr_t)data;\n  desc->rank = rank;\n"
    "  for (i64 i = 0; i < rank; i++) desc->dims[i] = dims[i];\n  return 0;\n}\n",

    "static int noria_alone_run(NoriaRun *run, const NoriaDesc *inputs, NoriaDesc *outputs, char *error, size_t size) "
    "{\n"
    "  static const NoriaRuntimeApi api = {\n"
    "      noria_alone_alloc, noria_alone_free, noria_alone_dispatch, noria_alone_poll, noria_alone_fail,\n"
    "      noria_alone_realloc, noria_alone_enter, noria_alone_charge, noria_alone_alloc_aligned, noria_alone_error};\n"
    "  char here;\n  run->stack = &here;\n  run->exec.api = &api;\n  run->exec.threads = 1;\n  run->exec.place = -1;\n"
    "  if (noria_module.num_parameters)\n"
    "    noria_alone_error(&run->exec, \"the program has parameters in files, which Noria's runtime reads\");\n"
    "  else if (!noria_module.entry(&run->exec, inputs, outputs)) return 0;\n"
    "  if (size) snprintf(error, size, \"%s%s%s\", run->place, run->place[0] ? \": \" : \"\", run->text);\n  return "
    "1;\n}\n"
    "/* The block of an output becomes the caller's. */\n"
    "NORIA_UNUSED static void *noria_give(NoriaRun *run, void *data) {\n"
    "  if (data) noria_find(run, data)->size = -1;\n  return data;\n}\n"
    "static void noria_alone_end(NoriaRun *run) {\n"
    "  for (size_t i = 0; i < run->capacity; i++)\n"
    "    if (run->blocks[i].data && run->blocks[i].size >= 0) free(run->blocks[i].data);\n"
    "  free(run->blocks);\n}\n",
    NULL,
};

/* ---- the signature ---------------------------------------------------------------------------------------------- */

/* An input or output: what the header and the function say of it. */
typedef struct Value {
  const char *name, *type; /* in C */
  int64_t dtype;
  bool any_rank, is_fixed;
  size_t rank;
  const int64_t *dims;
  const char *dim_names[NORIA_MAX_RANK]; /* of those that are not fixed: C names */
} Value;

static const char *element_type(int64_t dtype) {
  switch (dtype) {
  case NORIA_F32:
  case NORIA_C64: return "float";
  case NORIA_F64:
  case NORIA_C128: return "double";
  case NORIA_I8:
  case NORIA_I4:
  case NORIA_I2: return "int8_t";
  case NORIA_I16: return "int16_t";
  case NORIA_I32: return "int32_t";
  case NORIA_I64: return "int64_t";
  case NORIA_U16:
  case NORIA_F16:
  case NORIA_BF16: return "uint16_t";
  case NORIA_U32: return "uint32_t";
  case NORIA_U64: return "uint64_t";
  case NORIA_STRING:
  case NORIA_UNDEFINED: return NULL;
  default: return "uint8_t";
  }
}

static const char *element_note(int64_t dtype) {
  switch (dtype) {
  case NORIA_C64:
  case NORIA_C128: return ", pairs of real and imaginary part";
  case NORIA_F16: return ", the bits of IEEE half";
  case NORIA_BF16: return ", the bits of bfloat16";
  case NORIA_BOOL: return ", 0 or 1";
  default: return "";
  }
}

static int64_t dict_int(NrAttr dict, const char *name, int64_t otherwise) {
  int64_t value;
  NrAttr attr = nr_dict_get(dict, name);
  return attr && nr_attr_is_int(attr, &value) ? value : otherwise;
}

/* False: such a value is no array of numbers. */
static bool read_value(NrC *g, NrAttr dict, Value *out) {
  NrAttr name = nr_dict_get(dict, "name"), dims = nr_dict_get(dict, "dims"), names = nr_dict_get(dict, "dim_names");
  *out = (Value){.dtype = dict_int(dict, "dtype", 0), .any_rank = !dims, .is_fixed = true};
  out->type = element_type(out->dtype);
  if (!out->type || dict_int(dict, "kind", NORIA_KIND_TENSOR) != NORIA_KIND_TENSOR) return false;
  if (dims && dims->kind == NR_ATTR_DENSE_ARRAY) out->rank = dims->data_size / sizeof(int64_t), out->dims = dims->data;
  out->name = nr_c_local_name(g, name && name->s.size ? name->s : NR_STR("value"));
  if (!dims) out->is_fixed = false;
  for (size_t i = 0; i < out->rank && i < NORIA_MAX_RANK; i++) {
    if (out->dims[i] >= 0) continue;
    NrAttr symbol = names && names->kind == NR_ATTR_ARRAY && i < names->size ? names->items[i] : NULL;
    const char *part =
        symbol && symbol->s.size ? nr_c_text(g, "%.*s", NR_STR_ARG(symbol->s)) : nr_c_text(g, "dim%zu", i);
    out->dim_names[i] = nr_c_local_name(g, nr_str(nr_c_text(g, "%s_%s", out->name, part)));
    out->is_fixed = false;
  }
  return true;
}

static void put_parameters(NrBuf *out, const Value *v, bool is_input) {
  nr_buf_printf(out, is_input ? "const %s *%s, " : v->is_fixed ? "%s *%s, " : "%s **%s, ", v->type, v->name);
  if (v->any_rank)
    nr_buf_printf(out, is_input ? "int64_t %s_rank, const int64_t *%s_dims, " : "int64_t *%s_rank, int64_t *%s_dims, ",
                  v->name, v->name);
  for (size_t i = 0; i < v->rank; i++)
    if (v->dim_names[i]) nr_buf_printf(out, is_input ? "int64_t %s, " : "int64_t *%s, ", v->dim_names[i]);
}

static void put_shape(NrBuf *out, const Value *v) {
  nr_buf_printf(out, " *   %-16s %s", v->name, v->type);
  for (size_t i = 0; i < v->rank; i++) {
    if (v->dim_names[i]) nr_buf_printf(out, "[%s]", v->dim_names[i]);
    else nr_buf_printf(out, "[%lld]", (long long)v->dims[i]);
  }
  nr_buf_printf(out, "%s%s\n", v->any_rank ? "[...], of any rank up to 16" : "", element_note(v->dtype));
}

/* ---- the function ----------------------------------------------------------------------------------------------- */

static void put_imports(NrC *g, NrBuf *out) {
  for (size_t i = 0; i < g->imports.size; i++) {
    nr_buf_printf(out,
                  "static int32_t noria_alone_import%zu(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {\n"
                  "  (void)args, (void)results;\n  return exec->api->error(exec, ", i);
    nr_c_string(
        out, nr_str(nr_c_text(g, "'%.*s' is a function of Noria's runtime: run the program as a library that it loads",
                              NR_STR_ARG(g->imports.data[i]))));
    nr_buf_puts(out, ");\n}\n");
  }
  if (!g->imports.size) return;
  nr_buf_puts(out, "static const NoriaImportFn noria_alone_imports[] = {");
  for (size_t i = 0; i < g->imports.size; i++)
    nr_buf_printf(out, i ? ", noria_alone_import%zu" : "noria_alone_import%zu", i);
  nr_buf_puts(out, "};\n");
}

static void put_input(NrBuf *out, const Value *v, size_t at) {
  if (v->any_rank) {
    nr_buf_printf(out, "  if (noria_input(&in[%zu], \"%s\", %s, %s_rank, %s_dims, error, error_size)) return 1;\n", at,
                  v->name, v->name, v->name, v->name);
    return;
  }
  nr_buf_printf(out, "  if (noria_input(&in[%zu], \"%s\", %s, %zu, (const int64_t[]){", at, v->name, v->name, v->rank);
  for (size_t i = 0; i < v->rank; i++) {
    if (i) nr_buf_puts(out, ", ");
    if (v->dim_names[i]) nr_buf_puts(out, v->dim_names[i]);
    else nr_buf_printf(out, "%lld", (long long)v->dims[i]);
  }
  nr_buf_printf(out, "%s}, error, error_size)) return 1;\n", v->rank ? "" : "0");
}

static void put_output(NrBuf *out, const Value *v, size_t at) {
  bool pairs = v->dtype == NORIA_C64 || v->dtype == NORIA_C128;
  int64_t count = pairs ? 2 : 1;
  for (size_t i = 0; v->is_fixed && i < v->rank; i++) count *= v->dims[i];
  if (v->is_fixed) {
    nr_buf_printf(out, "    noria_copy(%s, out[%zu].data, %lld * (i64)sizeof *%s);\n", v->name, at, (long long)count,
                  v->name);
    return;
  }
  nr_buf_printf(out, "    *%s = noria_give(&run, out[%zu].data);\n", v->name, at);
  if (v->any_rank)
    nr_buf_printf(out, "    *%s_rank = out[%zu].rank;\n    memcpy(%s_dims, out[%zu].dims, sizeof out[%zu].dims);\n",
                  v->name, at, v->name, at, at);
  for (size_t i = 0; i < v->rank; i++)
    if (v->dim_names[i]) nr_buf_printf(out, "    *%s = out[%zu].dims[%zu];\n", v->dim_names[i], at, i);
}

static void put_function(NrC *g, NrBuf *out, const char *signature, const Value *values, size_t inputs,
                         size_t outputs) {
  for (const char *const *part = nr_c_alone; *part; part++) nr_buf_puts(out, *part);
  put_imports(g, out);
  nr_buf_printf(out, "\nvoid %.*s_free(void *data);\nvoid %.*s_free(void *data) { free(data); }\n\n%s;\n%s {\n",
                NR_STR_ARG(g->prefix), NR_STR_ARG(g->prefix), signature, signature);
  nr_buf_printf(out, "  NoriaDesc in[%zu] = {{0}}, out[%zu] = {{0}};\n  NoriaRun run = {0};\n",
                NR_MAX(inputs, (size_t)1), NR_MAX(outputs, (size_t)1));
  for (size_t i = 0; i < outputs; i++)
    if (!values[inputs + i].is_fixed) nr_buf_printf(out, "  *%s = NULL;\n", values[inputs + i].name);
  for (size_t i = 0; i < inputs; i++) put_input(out, &values[i], i);
  if (g->imports.size) nr_buf_puts(out, "  run.exec.imports = noria_alone_imports;\n");
  nr_buf_puts(out, "  int status = noria_alone_run(&run, in, out, error, error_size);\n");
  if (outputs) nr_buf_puts(out, "  if (!status) {\n");
  for (size_t i = 0; i < outputs; i++) put_output(out, &values[inputs + i], i);
  if (outputs) nr_buf_puts(out, "  }\n");
  nr_buf_puts(out, "  noria_alone_end(&run);\n  return status;\n}\n");
}

static void put_header(NrC *g, NrBuf *out, const char *signature, const char *missing, const Value *values,
                       size_t inputs, size_t outputs) {
  NrStr p = g->prefix;
  nr_buf_puts(out, "/* A program as Noria has compiled it to C17.\n *\n");
  if (signature) {
    nr_buf_puts(out, inputs ? " * Inputs, row-major:\n" : " * It has no inputs.\n");
    for (size_t i = 0; i < inputs; i++) put_shape(out, &values[i]);
    nr_buf_puts(out, outputs ? " * Outputs, row-major:\n" : " * It has no outputs.\n");
    for (size_t i = 0; i < outputs; i++) put_shape(out, &values[inputs + i]);
    nr_buf_printf(
        out,
        " *\n * %.*s_run computes the outputs; none may overlap an input. An output of fixed size is written to the\n"
        " * caller's array; another is a new array, which %.*s_free frees, and its dims. Not 0: it failed; then such\n"
        " * arrays are NULL, and error, of error_size bytes, says why; it may be NULL, of 0 bytes. ",
        NR_STR_ARG(p), NR_STR_ARG(p));
    nr_buf_puts(out, g->has_variables ? "The program keeps variables:\n * one call at a time. */\n"
                                      : "Threads may call it at\n * the same time. */\n");
  } else {
    nr_buf_printf(out, " * It has no plain function: %s. A library made of it runs under Noria's runtime. */\n",
                  missing);
  }
  NrBuf guard = {0};
  for (size_t i = 0; i < p.size; i++) nr_buf_putc(&guard, (char)toupper((unsigned char)p.data[i]));
  nr_buf_printf(out,
                "#ifndef %s_H\n#define %s_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern "
                "\"C\" {\n#endif\n",
                guard.data, guard.data);
  if (signature) nr_buf_printf(out, "%s;\nvoid %.*s_free(void *data);\n", signature, NR_STR_ARG(p));
  nr_buf_puts(out, "#ifdef __cplusplus\n}\n#endif\n#endif\n");
  nr_buf_deinit(&guard);
}

NrStatus nr_c_put_library(NrC *g, NrBuf *source, NrBuf *header) {
  NrAttr lists[2] = {g->entry ? nr_op_attr(g->entry->op, NR_A_noria_inputs) : NULL,
                     g->entry ? nr_op_attr(g->entry->op, NR_A_noria_outputs) : NULL};
  size_t counts[2] = {lists[0] ? lists[0]->size : 0, lists[1] ? lists[1]->size : 0}, n = 0;
  const char *missing = g->entry ? NULL : "the program has no entry";
  Value *values = nr_calloc(counts[0] + counts[1] + 1, sizeof *values);
  nr_strmap_clear(&g->local_names);
  for (const char *const *own = (const char *const[]){"error", "error_size", "in", "out", "run", "status", NULL}; *own;
       own++)
    nr_strmap_set(&g->local_names, nr_str(*own), (void *)*own);
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < counts[k] && !missing; i++)
      if (!read_value(g, lists[k]->items[i], &values[n++])) missing = "an input or output is no array of numbers";
  NrBuf text = {0};
  nr_buf_printf(&text, "int %.*s_run(", NR_STR_ARG(g->prefix));
  for (size_t i = 0; i < n && !missing; i++) put_parameters(&text, &values[i], i < counts[0]);
  nr_buf_puts(&text, "char *error, size_t error_size)");
  put_header(g, header, missing ? NULL : text.data, missing, values, counts[0], counts[1]);
  if (!missing) put_function(g, source, text.data, values, counts[0], counts[1]);
  nr_buf_deinit(&text);
  nr_free(values);
  return NR_OK;
}
