/* kernels.c - see kernels.h. */
#include "pass/scalar/kernels.h"

#include "dialect/func/ops.h"
#include "ir/text.h"
#include "pass/core/pass.h"

/* The kernels, and the files with functions that they share. A file without a row is such a part, or a
 * kernel that lowerings use and that needs nothing. */
typedef struct Row {
  const char *kernel;
  NrKernelKind kind;
  const char *parts[10];
} Row;
#define SORT_PARTS "sort_rows", "sort_counts", "merge_sort", "sort_quick", "sort_block", "sort_network", "merge_path"
static const Row rows[] = {
    {"argsort", NR_KERNEL_ORDERED, {SORT_PARTS}},
    {"histogram", NR_KERNEL_ORDERED, {"search_table", "search", "order"}},
    {"merge", NR_KERNEL_ORDERED, {"merge_path", "order"}},
    {"ragged_searchsorted", NR_KERNEL_ORDERED, {"search", "order"}},
    {"searchsorted", NR_KERNEL_ORDERED, {"search_table", "search", "order"}},
    {"sort", NR_KERNEL_ORDERED, {SORT_PARTS}},
    {"topk", NR_KERNEL_ORDERED, {NULL}},
    {"unique", NR_KERNEL_ORDERED, {"runs", "sort", SORT_PARTS}},
    {"unique_places", NR_KERNEL_ORDERED, {"runs", "argsort", SORT_PARTS}},
    {"unique_rows", NR_KERNEL_ORDERED, {"unique_row_places", "runs", "argsort", SORT_PARTS}},
    {"unique_row_places", NR_KERNEL_PART, {"runs", "argsort", SORT_PARTS}},
    {"nms", NR_KERNEL_BOXES, {NULL}},
    {"dft", NR_KERNEL_PART, {"dft_steps"}},
    {"random_normal", NR_KERNEL_PART, {"mt19937"}},
    {"random_uniform", NR_KERNEL_PART, {"mt19937"}},
    {"csr_add", NR_KERNEL_SPARSE, {"csr", "csr_merge", "csr_expand", "csr_zeros"}},
    {"csr_multiply", NR_KERNEL_SPARSE, {"csr", "csr_merge", "csr_rows"}},
    {"csr_sddmm", NR_KERNEL_SPARSE, {"csr"}},
    {"csr_spgemm", NR_KERNEL_SPARSE, {"csr", "csr_zeros"}},
    {"csr_spmm", NR_KERNEL_SPARSE, {"csr"}},
    {"csr_spmv", NR_KERNEL_SPARSE, {"csr", "row_sums"}},
    {"csf_mttkrp", NR_KERNEL_SPARSE, {"csr"}},
};

static const Row *row_of(const NrKernelText *kernel) {
  for (size_t i = 0; i < NR_COUNTOF(rows); i++)
    if (!strcmp(rows[i].kernel, kernel->name)) return &rows[i];
  return NULL;
}

NrKernelKind nr_kernel_kind(const NrKernelText *kernel) {
  const Row *row = row_of(kernel);
  return row ? row->kind : NR_KERNEL_PART;
}

typedef struct File {
  const char *path;
  uint32_t first_line; /* in the text, from 1 */
} File;

/* Text put together from files, and what it takes to find the file of a place in it. */
typedef struct Source {
  NrContext *ctx;
  NrBuf text;
  uint32_t lines; /* of the text so far */
  NR_VEC(File) files;
} Source;

static void append_text(Source *s, NrStr text) {
  nr_buf_str(&s->text, text);
  for (size_t i = 0; i < text.size; i++) s->lines += text.data[i] == '\n';
}

static void append_file(Source *s, const NrKernelText *file) {
  const char *path = nr_arena_printf(nr_context_arena(s->ctx), "lib/%s.mlir", file->name);
  nr_vec_push(&s->files, ((File){path, s->lines + 1}));
  append_text(s, (NrStr){file->text, file->size});
}

static void append_part(Source *s, const char *name) {
  for (const NrKernelText *k = nr_kernel_texts; k->name; k++)
    if (!strcmp(k->name, name)) append_file(s, k);
}

/* Gives an op its place in its file; what the prelude has is in none. */
static bool put_in_file(NrOp *op, void *user) {
  Source *s = user;
  NrLoc loc = nr_loc_in_file(op->loc);
  size_t i = s->files.size;
  while (loc && i && s->files.data[i - 1].first_line > loc->line) i--;
  const File *file = loc && i ? &s->files.data[i - 1] : NULL;
  op->loc = file ? nr_loc_file(s->ctx, nr_str(file->path), loc->line - file->first_line + 1, loc->column)
                 : nr_loc_unknown(s->ctx);
  return true;
}

NrModule *nr_kernel_module(NrContext *ctx, const NrKernelText *kernel, NrStr prelude, NrOp **out_func) {
  Source source = {.ctx = ctx};
  append_text(&source, prelude);
  append_file(&source, kernel);
  const Row *row = row_of(kernel);
  for (size_t k = 0; row && k < NR_COUNTOF(row->parts); k++)
    if (row->parts[k]) append_part(&source, row->parts[k]);
  NrStr text = {source.text.data, source.text.size};
  NrModule *module = nr_parse_module(ctx, text, nr_str(source.files.data[0].path), NULL, NULL);
  if (module) nr_walk_pre(module->op, put_in_file, &source);
  nr_buf_deinit(&source.text);
  nr_vec_deinit(&source.files);
  NrPassOptions options = {0};
  if (module && nr_run_passes(module, NR_STR("inline"), &options)) {
    nr_module_destroy(module);
    module = NULL;
  }
  *out_func = module ? nr_symbol_lookup(module->op, nr_str(kernel->name)) : NULL;
  assert(!module || nr_op_is(*out_func, NR_OP_func_func));
  return module;
}

/* ---- kernels by name --------------------------------------------------------------------------------------------- */

static const NoriaDType dtypes[] = {NORIA_F32, NORIA_F64, NORIA_F16, NORIA_BF16, NORIA_I8,  NORIA_I16,
                                    NORIA_I32, NORIA_I64, NORIA_U8,  NORIA_U16,  NORIA_U32, NORIA_U64};

/* The name of a kernel as it is taken apart, and where errors in it are. */
typedef struct Name {
  NrContext *ctx;
  NrLoc loc;
  const NrKernelText *kernel;
  NrStr words; /* those that are not taken yet */
} Name;

/* The text up to the next dot, which is taken too. */
static NrStr next_word(Name *name) {
  NrStr *rest = &name->words;
  size_t n = 0;
  while (n < rest->size && rest->data[n] != '.') n++;
  NrStr word = {rest->data, n};
  size_t used = NR_MIN(n + 1, rest->size);
  *rest = (NrStr){rest->data + used, rest->size - used};
  return word;
}

static NrStatus find_kernel(Name *name) {
  NrStr word = next_word(name);
  NrNearest nearest = nr_nearest(word);
  for (const NrKernelText *k = nr_kernel_texts; k->name; k++) {
    if (nr_kernel_kind(k) == NR_KERNEL_PART) continue;
    name->kernel = k;
    if (nr_str_is(word, k->name)) return NR_OK;
    nr_nearest_try(&nearest, nr_str(k->name));
  }
  return nr_error(name->ctx, name->loc, "the library has no kernel '%.*s'" NR_HINT, NR_STR_ARG(word),
                  NR_HINT_ARG(nearest));
}

static const NoriaDType *find_dtype(NrContext *ctx, NrStr name) {
  for (size_t i = 0; i < NR_COUNTOF(dtypes); i++)
    if (nr_str_is(name, nr_type_text(ctx, nr_dtype_type(ctx, dtypes[i])))) return &dtypes[i];
  return NULL;
}

static NrStatus expected(const Name *name, NrStr type, const char *first, const char *second) {
  return nr_error(name->ctx, name->loc, "expected noria.%s.%.*s%s or noria.%s.%.*s%s", name->kernel->name,
                  NR_STR_ARG(type), first, name->kernel->name, NR_STR_ARG(type), second);
}

static NrStatus write_boxes(Name *name, NrBuf *out) {
  NrStr type = next_word(name), form = next_word(name);
  bool centre = nr_str_is(form, "centre");
  if (!nr_str_is(type, "f32") || (form.size && !centre) || name->words.size)
    return expected(name, NR_STR("f32"), "", ".centre");
  nr_kernel_nms_prelude(out, centre);
  return NR_OK;
}

/* The prelude that the words behind the kernel's name ask for. */
static NrStatus write_prelude(Name *name, bool check, const NrTarget *target, NrBuf *out) {
  NrKernelKind kind = nr_kernel_kind(name->kernel);
  if (kind == NR_KERNEL_BOXES) return write_boxes(name, out);
  NrStr type = next_word(name), word = next_word(name);
  const NoriaDType *dtype = find_dtype(name->ctx, type);
  if (!dtype)
    return nr_error(name->ctx, name->loc,
                    "'%.*s' is no type of elements; expected noria.%s.TYPE with f16, bf16, f32, f64, "
                    "i8 to i64 or ui8 to ui64",
                    NR_STR_ARG(type), name->kernel->name);
  if (kind == NR_KERNEL_SPARSE) {
    bool narrow = nr_str_is(word, "i32");
    if ((!narrow && !nr_str_is(word, "i64")) || name->words.size) return expected(name, type, ".i32", ".i64");
    nr_kernel_sparse_prelude(name->ctx, out, *dtype, narrow ? NORIA_I32 : NORIA_I64, target);
    return NR_OK;
  }
  bool descending = nr_str_is(word, "descending");
  if (descending) word = next_word(name);
  bool checked = nr_str_is(word, "checked");
  if ((word.size && !checked) || name->words.size) return expected(name, type, "", ".descending");
  nr_kernel_prelude_checked(name->ctx, out, *dtype, descending, checked || check, target);
  return NR_OK;
}

NrModule *nr_kernel_named(NrContext *ctx, NrLoc loc, NrStr text, bool check, const NrTarget *target, NrOp **out_func) {
  Name name = {.ctx = ctx, .loc = loc, .words = text};
  NrBuf prelude = {0};
  NrModule *module = NULL;
  if (!find_kernel(&name) && !write_prelude(&name, check, target, &prelude))
    module = nr_kernel_module(ctx, name.kernel, (NrStr){prelude.data, prelude.size}, out_func);
  nr_buf_deinit(&prelude);
  return module;
}
