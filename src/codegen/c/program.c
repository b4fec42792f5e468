/* program.c - the C file of a module. */
#include <errno.h>

#include "codegen/c/c.h"
#include "codegen/c/emit.h"
#include "pass/core/pass.h"

static void add_rows(NrC *g, const NrCRow *rows) {
  for (; rows->op; rows++) {
    const NrOpInfo *info = nr_op_info_find(nr_str(rows->op), NULL);
    assert(info && "a row of the C backend names an op that does not exist");
    g->rows[info->id] = rows;
  }
}

/* "x" of "folder/x.c". */
static NrStr prefix_of(NrC *g, const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
  NrStr name = nr_str(nr_c_global_name(g, (NrStr){base, dot && dot > base ? (size_t)(dot - base) : strlen(base)}));
  nr_strmap_remove(&g->names, name); /* only the functions' names are taken */
  return name;
}

static void init(NrC *g, NrModule *module, const NrCodegenOptions *options, const char *path) {
  static const NrCRow *const tables[] = {nr_c_arith_rows,    nr_c_integer_rows,  nr_c_math_rows,    nr_c_memory_rows,
                                         nr_c_atomic_rows,   nr_c_boundary_rows, nr_c_runtime_rows, nr_c_vector_rows};
  NrStr name = nr_op_attr_str(module->op, NR_A_sym_name);
  *g = (NrC){.module = module, .ctx = module->ctx};
  nr_arena_init(&g->arena);
  g->has_fma = options->target && (options->target->units & NR_UNIT_FMA);
  g->name = options->name ? options->name : nr_c_text(g, "%.*s", NR_STR_ARG(name));
  for (size_t i = 0; i < NR_COUNTOF(tables); i++) add_rows(g, tables[i]);
  g->prefix = prefix_of(g, path);
  nr_strmap_set(&g->names, nr_str(nr_c_text(g, "%.*s_run", NR_STR_ARG(g->prefix))), g);
  nr_strmap_set(&g->names, nr_str(nr_c_text(g, "%.*s_free", NR_STR_ARG(g->prefix))), g);
}

static void deinit(NrC *g) {
  NrBuf *texts[] = {&g->types, &g->helpers, &g->data, &g->declarations, &g->bodies, &g->locals};
  NrMap *maps[] = {&g->funcs,      &g->live, &g->global_data, &g->constant_index, &g->value_names, &g->inlined,
                   &g->may_inline, &g->hoisted,     &g->shapes,         &g->heap_allocas};
  NrStrMap *names[] = {&g->types_known,  &g->helpers_known, &g->names,
                       &g->import_index, &g->site_index,    &g->local_names};
  for (size_t i = 0; i < NR_COUNTOF(texts); i++) nr_buf_deinit(texts[i]);
  for (size_t i = 0; i < NR_COUNTOF(maps); i++) nr_map_deinit(maps[i]);
  for (size_t i = 0; i < NR_COUNTOF(names); i++) nr_strmap_deinit(names[i]);
  nr_vec_deinit(&g->all);
  nr_vec_deinit(&g->constants);
  nr_vec_deinit(&g->imports);
  nr_vec_deinit(&g->sites);
  nr_symbol_tables_deinit(&g->symbols);
  nr_arena_deinit(&g->arena);
}

static void put_section(NrBuf *out, const char *title, const NrBuf *text) {
  if (!text->size) return;
  nr_buf_printf(
      out, "\n/* ---- %s %.*s */\n\n", title, (int)NR_MAX(1, 108 - (int)strlen(title)),
      "------------------------------------------------------------------------------------------------------------");
  nr_buf_append(out, text->data, text->size);
}

static void put_begin(NrC *g, NrBuf *out) {
  nr_buf_printf(
      out,
      "/* %s: a program as Noria has compiled it to C17. It needs the C library and libm only.\n *\n"
      " *   cc -O2 -shared -fPIC %s.c -o %s.so -lm     noria run and noria_program_load open the library */\n",
      "Made by `noria compile`", "FILE", "FILE");
  static const char *const files[] = {"begin", "exec_abi", "support", "integers", "atomic"};
  for (size_t i = 0; i < NR_COUNTOF(files); i++) {
    nr_c_put_file(out, files[i]);
    nr_buf_putc(out, '\n');
  }
  if (g->has_i128) nr_c_put_file(out, "i128");
}

/* The steps of the sizes that are used. */
static void put_atomics(NrC *g, NrBuf *out) {
  static const char *const sizes[] = {"8", "16", "32", "64"};
  for (size_t i = 0; i < NR_COUNTOF(sizes); i++)
    if (g->bodies.data && strstr(g->bodies.data, nr_c_text(g, "noria_exchange%s(", sizes[i])))
      nr_buf_printf(out, "NORIA_ATOMIC(%s)\n", sizes[i]);
}

static NrStatus put_file(NrC *g, NrBuf *out, NrBuf *header) {
  NrBuf tables = {0}, library = {0};
  NR_TRY(nr_run_passes(g->module, NR_STR("dce"), &(NrPassOptions){0})); /* compilers warn of values that are not used */
  NR_TRY(nr_c_declare_functions(g));
  NR_TRY(nr_c_define_functions(g));
  NrStatus status = nr_c_put_tables(g, &tables);
  put_begin(g, out);
  put_atomics(g, out);
  put_section(out, "types", &g->types);
  put_section(out, "operations", &g->helpers);
  put_section(out, "data", &g->data);
  put_section(out, "functions", &g->declarations);
  if (g->bodies.size) nr_buf_append(out, g->bodies.data, g->bodies.size);
  put_section(out, "the program as Noria's runtime loads it", &tables);
  if (!status) status = nr_c_put_library(g, &library, header);
  put_section(out, "the program as a plain function", &library);
  nr_buf_deinit(&library);
  nr_buf_deinit(&tables);
  return status;
}

static NrStatus write_text(NrModule *module, const char *path, const NrBuf *text) {
  NrStatus status = nr_file_write(path, text->data, text->size);
  if (status) nr_error(module->ctx, nr_loc_unknown(module->ctx), "cannot write '%s': %s", path, strerror(errno));
  return status;
}

NrStatus nr_c_emit_file(NrModule *module, const NrCodegenOptions *options, const char *path) {
  NrC *g = nr_calloc(1, sizeof *g);
  NrBuf text = {0}, header = {0};
  init(g, module, options, path);
  NrStatus status = put_file(g, &text, &header);
  if (!status) status = write_text(module, path, &text);
  if (!status && options->header) status = write_text(module, options->header, &header);
  nr_buf_deinit(&text);
  nr_buf_deinit(&header);
  deinit(g);
  nr_free(g);
  return status;
}
