/* tensor.c - the rows of dialect tensor and their hooks. */
#include "dialect/rows.h"
#include "dialect/tensor/tensor.def"
