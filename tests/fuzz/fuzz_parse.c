/* fuzz_parse.c - any bytes as a module, a type and an attribute: read, or refused with a message. What is read and
 * valid prints as text that reads back and prints the same. */
#include "ir/text.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void render(void *ctx, const NrDiag *diag) {
  NrBuf text = {0};
  nr_diag_render(ctx, diag, false, &text);
  nr_buf_deinit(&text);
}

static NrModule *parse(NrContext *ctx, NrStr text, NrSyntax *syntax) {
  NrParseOptions options = {.allow_unregistered = true};
  size_t errors = nr_context_num_errors(ctx);
  NrModule *module = nr_parse_module(ctx, text, NR_STR("fuzz.mlir"), &options, syntax);
  if ((module == NULL) == (nr_context_num_errors(ctx) == errors)) abort();
  return module;
}

static NrContext *create_context(void) {
  NrContext *ctx = nr_context_create();
  nr_context_set_diag_handler(ctx, render, ctx);
  return ctx;
}

static void round_trip(NrModule *module, NrSyntax syntax) {
  NrPrintOptions options = {.syntax = syntax};
  NrBuf first = {0}, second = {0};
  nr_print_module(&first, module, &options);
  NrContext *ctx = create_context(); /* of its own, because distinct attributes are numbered in their context */
  NrModule *again = parse(ctx, (NrStr){first.data, first.size}, &syntax);
  if (!again) {
    fprintf(stderr, "what was printed does not read back:\n%s\n", first.data);
    abort();
  }
  nr_print_module(&second, again, &options);
  if (!nr_str_eq((NrStr){first.data, first.size}, (NrStr){second.data, second.size})) {
    fprintf(stderr, "printed differently the second time:\n%s\n----\n%s\n", first.data, second.data);
    abort();
  }
  nr_module_destroy(again);
  nr_context_destroy(ctx);
  nr_buf_deinit(&first);
  nr_buf_deinit(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  NrContext *ctx = create_context();
  NrStr text = {(const char *)data, size};
  NrSyntax syntax;
  NrModule *module = parse(ctx, text, &syntax);
  if (module && nr_verify(module->op) == NR_OK) round_trip(module, syntax);
  nr_module_destroy(module);
  nr_parse_type(ctx, text);
  nr_parse_attr(ctx, text);
  nr_context_destroy(ctx);
  return 0;
}
