/* onnx.c - the op definitions of dialect onnx. */
#include "dialect/onnx/attrs.h"

#include <float.h>

#include "ir/rows.h"
#include "dialect/onnx/types.def"
#include "dialect/onnx/ops.def"
