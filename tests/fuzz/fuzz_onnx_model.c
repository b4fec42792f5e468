/* fuzz_onnx_model.c - any bytes give a checked model or an error, and inlining a model's functions likewise. */
#include "onnx/read/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  NrOnnxModel *model = NULL;
  NrBuf errors = {0};
  NrStatus status = nr_onnx_read_memory(data, size, NULL, &model, &errors);
  assert((status == NR_OK) == (model != NULL) && (status == NR_OK) == (errors.size == 0));
  if (model) status = nr_onnx_inline_functions(model, &errors);
  assert((status == NR_OK) == (errors.size == 0));
  nr_onnx_model_destroy(model);
  nr_buf_deinit(&errors);
  return 0;
}
