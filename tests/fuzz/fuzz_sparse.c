/* fuzz_sparse.c - any text as an expression and its formats, a line each: a kernel that is a valid program, or a
 * message. The size of the text says which type elements have. */
#include "ir/text.h"
#include "sparse/sparse.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static NrStr take_line(NrStr *rest) {
  const char *end = memchr(rest->data, '\n', rest->size);
  NrStr line = {rest->data, end ? (size_t)(end - rest->data) : rest->size};
  size_t used = line.size + (end != NULL);
  *rest = (NrStr){rest->data + used, rest->size - used};
  return line;
}

static void check_text(NrStr text) {
  NrContext *ctx = nr_context_create();
  NrModule *module = nr_parse_module(ctx, text, NR_STR("kernel"), NULL, NULL);
  if (!module || nr_verify(module->op)) abort();
  nr_module_destroy(module);
  nr_context_destroy(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size || size > 400) return 0;
  NrArena arena;
  NrSparseAssignment a;
  NrSparseError error;
  NrSparseKernel kernel;
  NrStr rest = {(const char *)data, size};
  static const char *const types[] = {"f64", "i1", "i8", "bf16", "complex<f32>"};
  NrSparseOptions options = {.type = types[size % NR_COUNTOF(types)], .check = size % 2};
  nr_arena_init(&arena);
  NrStatus status = nr_sparse_parse(&arena, take_line(&rest), &a, &error);
  while (!status && rest.size) status = nr_sparse_set_format(&arena, &a, take_line(&rest), &error);
  if (!status && !(status = nr_sparse_lower(&arena, &a, &options, &kernel, &error))) {
    check_text((NrStr){kernel.text.data, kernel.text.size});
    nr_sparse_kernel_deinit(&kernel);
  }
  if (status && !error.message) abort();
  nr_arena_deinit(&arena);
  return 0;
}
