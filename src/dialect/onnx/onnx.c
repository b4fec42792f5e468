/* onnx.c - the rows of dialect onnx and their hooks. */
#include "dialect/shared/rows.h"
#include "dialect/onnx/ops.def"
