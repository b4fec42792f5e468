/* linalg.c - the rows of dialect linalg and their hooks. */
#include "dialect/rows.h"
#include "dialect/linalg/linalg.def"
