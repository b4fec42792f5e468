/* scf.c - the rows of dialect scf and their hooks. */
#include "dialect/rows.h"
#include "dialect/scf/scf.def"
