/* cf.c - the rows of dialect cf and their hooks. */
#include "dialect/rows.h"
#include "dialect/cf/cf.def"
