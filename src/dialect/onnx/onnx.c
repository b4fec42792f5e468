/* onnx.c - the ops of dialect onnx and their hooks. */
#include "dialect/onnx/attrs.h"

#include <float.h>

#include "dialect/shared/rows.h"
#include "dialect/onnx/ops.def"
