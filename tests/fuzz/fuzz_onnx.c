/* fuzz_onnx.c - any bytes as an ONNX file: read or refused with a message, functions inlined or refused, all freed. */
#include "base/base.h"
#include "onnx/read/model.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reading what was promised to be readable is part of the test. */
static uint64_t touch_graph(const NrOnnxGraph *graph) {
  uint64_t h = 0;
  for (size_t i = 0; i < graph->num_initializers; i++)
    if (graph->initializers[i].data) h ^= nr_hash_bytes(graph->initializers[i].data, graph->initializers[i].size);
  for (size_t i = 0; i < graph->num_nodes; i++) {
    const NrOnnxNode *node = &graph->nodes[i];
    NrBuf label = {0};
    nr_onnx_node_label(&label, node);
    h ^= nr_hash_bytes(label.data, label.size);
    nr_buf_deinit(&label);
    for (size_t a = 0; a < node->num_attrs; a++) {
      const NrOnnxAttr *attr = &node->attrs[a];
      if (attr->type == NR_ONNX_ATTR_TENSOR && attr->t->data) h ^= nr_hash_bytes(attr->t->data, attr->t->size);
      if (attr->type == NR_ONNX_ATTR_GRAPH) h ^= touch_graph(attr->g);
      for (size_t k = 0; attr->type == NR_ONNX_ATTR_STRINGS && k < attr->count; k++)
        h ^= nr_hash_bytes(attr->strings[k].data, attr->strings[k].size);
    }
  }
  return h;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  NrOnnxModel *model = NULL;
  NrBuf errors = {0};
  NrStatus status = nr_onnx_read_memory(data, size, NULL, &model, &errors);
  /* A refusal says why and leaves no model; a model comes without complaints. */
  if ((status == NR_OK) != (model != NULL) || (status == NR_OK) != (errors.size == 0)) abort();
  volatile uint64_t seen = 0;
  if (model) {
    seen = touch_graph(model->graph);
    status = nr_onnx_inline_functions(model, &errors);
    if ((status == NR_OK) != (errors.size == 0)) abort();
    if (status == NR_OK) seen = touch_graph(model->graph);
  }
  (void)seen;
  nr_onnx_model_destroy(model);
  nr_buf_deinit(&errors);
  return 0;
}
