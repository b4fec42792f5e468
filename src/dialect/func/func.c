/* func.c - the rows of dialect func and their hooks. */
#include "dialect/rows.h"
#include "dialect/func/func.def"
