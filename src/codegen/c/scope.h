/* scope.h - where the variables of a function are declared. */
#ifndef NORIA_CODEGEN_C_SCOPE_H
#define NORIA_CODEGEN_C_SCOPE_H

#include "codegen/c/structure.h"

/* Fills NrCNode.declared of the nodes: block arguments, and results that are used outside of the braces in which their
 * op stands, or before it in the text; hoisted gets the latter. skip has values that need no variable; those that are
 * not in live have none. */
void nr_c_scope(NrCList *tree, const NrMap *skip, const NrMap *live, NrMap *hoisted);

#endif
