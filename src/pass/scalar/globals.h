/* globals.h - the accesses of a module to its globals, and which of them initializers make. */
#ifndef NORIA_PASS_SCALAR_GLOBALS_H
#define NORIA_PASS_SCALAR_GLOBALS_H

#include "ir/op_info.h"

#define NR_NEVER SIZE_MAX

typedef struct NrGlobalAccess {
  NrOp *op;       /* load, store or address */
  NrOp *global;   /* util.global */
  size_t at;      /* place of the first initializer that runs op, itself or in a function; NR_NEVER: none does */
  bool elsewhere; /* what is no initializer may run it */
} NrGlobalAccess;

typedef struct NrGlobals {
  NR_VEC(NrGlobalAccess) accesses;
  NrMap places;   /* util.global -> its place, plus 1. The places of globals and initializers count from 0, in the
                   * order of the module */
  NrMap reached;  /* function or initializer -> place of the first initializer that runs it, plus 1 */
  NrMap elsewhere; /* functions that other code than initializers may run */
  NrSymbolTables symbols;
} NrGlobals;

void nr_globals_collect(NrOp *module, NrGlobals *out);
void nr_globals_deinit(NrGlobals *g);
size_t nr_global_place(const NrGlobals *g, const NrOp *global);
/* The function that returns the initial value of a global of before 2021, as the attribute says; or NULL. */
NrAttr nr_global_initializer(const NrOp *global);

#endif
