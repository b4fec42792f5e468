/* memref.c - the rows of dialect memref and their hooks. */
#include "dialect/rows.h"
#include "dialect/memref/memref.def"
