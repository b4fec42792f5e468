/* visibility.h - the visibility of a symbol as the texts of flow and util have it: a word before the name. */
#ifndef NORIA_DIALECT_SHARED_VISIBILITY_H
#define NORIA_DIALECT_SHARED_VISIBILITY_H

#include "ir/text.h"

/* Parses `public`, `private` or `nested` to the attribute sym_visibility; nothing is fine. */
NrStatus nr_p_visibility(NrParser *p, NrOpState *state);
void nr_w_visibility(NrPrinter *w, NrOp *op); /* "public" where the attribute is absent */

#endif
