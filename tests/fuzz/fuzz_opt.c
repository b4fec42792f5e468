/* fuzz_opt.c - any bytes as a program: one that is valid is still valid after canonicalize and cse. */
#include "fuzz_text.h"
#include "pass/core/pass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  NrContext *ctx = fuzz_context();
  NrSyntax syntax;
  NrModule *module = fuzz_parse(ctx, (NrStr){(const char *)data, size}, &syntax);
  if (module && nr_verify(module->op) == NR_OK) {
    NrPassOptions options = {.verify = true};
    NrStatus status = nr_run_passes(module, NR_STR("canonicalize,cse,canonicalize"), &options);
    if (status == NR_ERROR_INTERNAL) fuzz_fail("a valid program became", module);
  }
  nr_module_destroy(module);
  nr_context_destroy(ctx);
  return 0;
}
