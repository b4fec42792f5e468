/* gen.h - small ONNX models out of any bytes: each byte is a choice, and what follows the last one is random.
 *
 * Ops and the element types of their inputs come from the rows of lower.def, attributes with their kinds, versions and
 * defaults from the rows of dialect onnx. Which numbers of outputs, ranks, sizes and values of attributes go together
 * no table says: a node is drawn, its lowering tried, and kept when that takes it. So a new op needs nothing here. */
#ifndef NORIA_TESTS_FUZZ_GRAPH_GEN_H
#define NORIA_TESTS_FUZZ_GRAPH_GEN_H

#include "base/base.h"

typedef struct GraphMade {
  NrBuf model;        /* a ModelProto; empty when no node was taken */
  uint64_t random;    /* to draw what it runs on from */
  int64_t usual_size; /* of its open dims */
} GraphMade;

void graph_make(const uint8_t *data, size_t size, GraphMade *out);

#endif
