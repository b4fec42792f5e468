/* reductions.h - the ways in which `noria reduce` makes a program smaller. */
#ifndef NORIA_TOOLS_REDUCTIONS_H
#define NORIA_TOOLS_REDUCTIONS_H

#include "ir/ir.h"

/* Changes places number begin to end - 1, as far as they are still there, and returns how many places the module had.
 * With begin = end it only counts. Whether the result is still a right program is for the verifier to say. */
typedef size_t (*Reduction)(NrModule *module, size_t begin, size_t end);

/* In the order in which they pay, NULL at the end. */
extern const Reduction reductions[];

/* A reduction counts when this becomes less. Ops weigh most, constants little, and less the smaller they are. */
size_t reduction_cost(NrModule *module);

#endif
