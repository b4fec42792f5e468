/* pack_constants.h - the layout of constant factors (pack_constants.c). */
#ifndef NORIA_PASS_LINALG_PACK_CONSTANTS_H
#define NORIA_PASS_LINALG_PACK_CONSTANTS_H

#include "ir/ir.h"

/* Whether a constant with these elements, a factor of the product, stays as it is. */
typedef bool (*NrPackStaysFn)(const NrOp *product, const void *data, void *user);

/* Packs constant factors of products in op, as long as they have at most max_bytes together. */
void nr_pack_constants(NrOp *op, int64_t max_bytes, NrPackStaysFn stays, void *user);

#endif
