/* rt.c - the rows of dialect rt and their hooks. */
#include "dialect/rows.h"
#include "dialect/rt/rt.def"
