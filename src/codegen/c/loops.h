/* loops.h - loops that a person would write as `for` and `while`. */
#ifndef NORIA_CODEGEN_C_LOOPS_H
#define NORIA_CODEGEN_C_LOOPS_H

#include "codegen/c/structure.h"

/* Marks the loops that count, and moves what a test's exit assigns behind its loop. Removes from live what a `for` says
 * itself. */
void nr_c_find_fors(NrCList *tree, NrMap *live);

#endif
