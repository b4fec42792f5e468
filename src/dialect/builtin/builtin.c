/* builtin.c - the rows of dialect builtin and their hooks. */
#include "dialect/rows.h"
#include "dialect/builtin/builtin.def"
