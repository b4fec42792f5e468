/* kernels.c - see kernels.h. */
#include "pass/scalar/kernels.h"

#include "dialect/func/ops.h"
#include "ir/text.h"
#include "pass/core/pass.h"

/* The kernels, and the files with functions that they share. A file without a row is such a part. */
typedef struct Row {
  const char *kernel;
  NrKernelKind kind;
  const char *parts[5];
} Row;
static const Row rows[] = {
    {"argsort", NR_KERNEL_ORDERED, {"sort_rows", "merge_sort", "merge_path"}},
    {"histogram", NR_KERNEL_ORDERED, {"searchsorted", "search", "order"}},
    {"merge", NR_KERNEL_ORDERED, {"merge_path", "order"}},
    {"ragged_searchsorted", NR_KERNEL_ORDERED, {"search", "order"}},
    {"searchsorted", NR_KERNEL_ORDERED, {"search", "order"}},
    {"sort", NR_KERNEL_ORDERED, {"sort_rows", "merge_sort", "merge_path"}},
    {"topk", NR_KERNEL_ORDERED, {NULL}},
    {"unique", NR_KERNEL_ORDERED, {"runs", "sort", "sort_rows", "merge_sort", "merge_path"}},
    {"unique_places", NR_KERNEL_ORDERED, {"runs", "argsort", "sort_rows", "merge_sort", "merge_path"}},
    {"nms", NR_KERNEL_BOXES, {NULL}},
    {"csr_add", NR_KERNEL_SPARSE, {"csr", "csr_count", "csr_rows", "csr_merge"}},
    {"csr_multiply", NR_KERNEL_SPARSE, {"csr", "csr_count", "csr_rows", "csr_merge"}},
    {"csr_sddmm", NR_KERNEL_SPARSE, {"csr"}},
    {"csr_spgemm", NR_KERNEL_SPARSE, {"csr"}},
    {"csr_spmm", NR_KERNEL_SPARSE, {"csr"}},
    {"csr_spmv", NR_KERNEL_SPARSE, {"csr"}},
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

static void append_file(NrBuf *text, const char *name) {
  for (const NrKernelText *k = nr_kernel_texts; k->name; k++)
    if (!strcmp(k->name, name)) nr_buf_str(text, (NrStr){k->text, k->size});
}

NrModule *nr_kernel_module(NrContext *ctx, const NrKernelText *kernel, NrStr prelude, NrOp **out_func) {
  NrBuf text = {0}, file = {0};
  nr_buf_str(&text, prelude);
  nr_buf_str(&text, (NrStr){kernel->text, kernel->size});
  const Row *row = row_of(kernel);
  for (size_t k = 0; row && k < NR_COUNTOF(row->parts); k++)
    if (row->parts[k]) append_file(&text, row->parts[k]);
  nr_buf_printf(&file, "lib/%s.mlir", kernel->name);
  NrModule *module = nr_parse_module(ctx, (NrStr){text.data, text.size}, (NrStr){file.data, file.size}, NULL, NULL);
  nr_buf_deinit(&text);
  nr_buf_deinit(&file);
  NrPassOptions options = {0};
  if (module && nr_run_passes(module, NR_STR("inline"), &options)) {
    nr_module_destroy(module);
    module = NULL;
  }
  *out_func = module ? nr_symbol_lookup(module->op, nr_str(kernel->name)) : NULL;
  assert(!module || nr_op_is(*out_func, NR_OP_func_func));
  return module;
}
