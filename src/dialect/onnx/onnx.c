/* onnx.c - the rows of dialect onnx and their hooks. */
#include "dialect/rows.h"
#include "dialect/onnx/onnx.def"
