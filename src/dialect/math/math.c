/* math.c - the rows of dialect math and their hooks. */
#include "dialect/rows.h"
#include "dialect/math/math.def"
