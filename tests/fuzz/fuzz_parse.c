/* fuzz_parse.c - any bytes as a module, a type and an attribute: read, or refused with a message. What is read and
 * valid prints as text that reads back and prints the same. */
#include "fuzz_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void round_trip(NrModule *module, NrSyntax syntax) {
  NrPrintOptions options = {.syntax = syntax};
  NrBuf first = {0}, second = {0};
  nr_print_module(&first, module, &options);
  NrContext *ctx = fuzz_context(); /* of its own, because distinct attributes are numbered in their context */
  NrModule *again = fuzz_parse(ctx, (NrStr){first.data, first.size}, &syntax);
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
  NrContext *ctx = fuzz_context();
  NrStr text = {(const char *)data, size};
  NrSyntax syntax;
  NrModule *module = fuzz_parse(ctx, text, &syntax);
  if (module && nr_verify(module->op) == NR_OK) round_trip(module, syntax);
  nr_module_destroy(module);
  nr_parse_type(ctx, text);
  nr_parse_attr(ctx, text);
  nr_context_destroy(ctx);
  return 0;
}
