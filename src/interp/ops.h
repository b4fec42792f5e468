/* ops.h - the functions of the interpreter's op table (table.c). */
#ifndef NORIA_INTERP_OPS_H
#define NORIA_INTERP_OPS_H

#include "interp/internal.h"

#define RUN(id, function) bool nr_run_##function(NrInterp *in, NrOp *op);
#include "interp/ops.def"
#undef RUN

#endif
