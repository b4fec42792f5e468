/* arith.c - the rows of dialect arith and their hooks. */
#include "dialect/rows.h"
#include "dialect/arith/arith.def"
