/* pack_constants.h - the layout of constant factors (pack_constants.c). */
#ifndef NORIA_PASS_LINALG_PACK_CONSTANTS_H
#define NORIA_PASS_LINALG_PACK_CONSTANTS_H

#include "ir/ir.h"

/* Packs constant factors of products in op, as long as they have at most max_bytes together. */
void nr_pack_constants(NrOp *op, int64_t max_bytes);

#endif
