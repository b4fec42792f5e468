/* vector.c - the rows of dialect vector and their hooks. */
#include "dialect/rows.h"
#include "dialect/vector/vector.def"
