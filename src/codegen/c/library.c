/* library.c - the plain function of a program, and its header. lib/c/alone.c stands for the runtime there. */
#include <ctype.h>

#include "codegen/c/c.h"
#include "codegen/value_info.h"

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

/* False: such a value is no array of numbers. */
static bool read_value(NrC *g, NrAttr dict, Value *out) {
  NrValueInfo info = nr_value_info(dict);
  *out = (Value){.type = element_type(info.dtype), .dtype = info.dtype, .any_rank = info.any_rank,
                 .is_fixed = !info.any_rank, .rank = info.rank, .dims = info.dims};
  if (!out->type || info.kind != NORIA_KIND_TENSOR) return false;
  out->name = nr_c_local_name(g, info.name.size ? info.name : NR_STR("value"));
  for (size_t i = 0; i < out->rank && i < NORIA_MAX_RANK; i++) {
    if (out->dims[i] >= 0) continue;
    NrStr symbol = nr_value_info_dim_name(&info, i);
    const char *part = symbol.size ? nr_c_text(g, "%.*s", NR_STR_ARG(symbol)) : nr_c_text(g, "dim%zu", i);
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
  nr_c_put_file(out, "alone");
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
