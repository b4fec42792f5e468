/* reductions.h - the ways in which `noria reduce` makes a program smaller. */
#ifndef NORIA_TOOLS_REDUCTIONS_H
#define NORIA_TOOLS_REDUCTIONS_H

#include "ir/ir.h"

/* Changes places number begin to end - 1, if they still exist, and returns how many places the module had. With begin =
 * end it only counts. The caller verifies the result. */
typedef size_t (*Reduction)(NrModule *module, size_t begin, size_t end);

/* The most effective first; NULL-terminated. */
extern const Reduction reductions[];

/* The measure that a reduction must decrease. Ops weigh most, constants little, small ones less. */
size_t reduction_cost(NrModule *module);

#endif
