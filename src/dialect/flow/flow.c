/* flow.c - the rows of dialect flow and their hooks. */
#include "dialect/rows.h"
#include "dialect/flow/flow.def"
