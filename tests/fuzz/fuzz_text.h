/* fuzz_text.h - what the fuzz targets that read text share. */
#ifndef NORIA_TESTS_FUZZ_TEXT_H
#define NORIA_TESTS_FUZZ_TEXT_H

#include "ir/text.h"

#include <stdio.h>
#include <stdlib.h>

static void fuzz_render(void *ctx, const NrDiag *diag) {
  NrBuf text = {0};
  nr_diag_render(ctx, diag, false, &text);
  nr_buf_deinit(&text);
}

static inline NrContext *fuzz_context(void) {
  NrContext *ctx = nr_context_create();
  nr_context_set_diag_handler(ctx, fuzz_render, ctx);
  return ctx;
}

/* NULL exactly when there was an error. */
static inline NrModule *fuzz_parse(NrContext *ctx, NrStr text, NrSyntax *syntax) {
  NrParseOptions options = {.allow_unregistered = true};
  size_t errors = nr_context_num_errors(ctx);
  NrModule *module = nr_parse_module(ctx, text, NR_STR("fuzz.mlir"), &options, syntax);
  if ((module == NULL) == (nr_context_num_errors(ctx) == errors)) abort();
  return module;
}

static inline void fuzz_fail(const char *what, NrModule *module) {
  NrPrintOptions options = {.generic = true};
  NrBuf text = {0};
  nr_print_module(&text, module, &options);
  fprintf(stderr, "%s:\n%s\n", what, text.data);
  abort();
}

#endif
