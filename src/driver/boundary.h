/* boundary.h - what the values of a function pass as between programs, and the ops that make the one of the other. */
#ifndef NORIA_DRIVER_BOUNDARY_H
#define NORIA_DRIVER_BOUNDARY_H

#include "driver/carrier.h"

bool nr_boundary_is_handle(NrType type); /* sequences, optionals */
/* What a value of type passes as, or NULL when it does not: scalars as tensors of rank 0, vectors as buffers, memrefs
 * without layout; all with elements that *out_carrier tells. */
NrType nr_boundary_type(NrType type, NrCarrier *out_carrier);
/* What people write and read for a value of type: of a memref of vectors, one of their elements. */
NrType nr_boundary_shown_type(NrType type);
/* Builds the value of type from what passes, and back. Memrefs are copied. */
NrValue *nr_boundary_in(NrBuilder *b, const NrCarrier *c, NrValue *outer, NrType type);
NrValue *nr_boundary_out(NrBuilder *b, const NrCarrier *c, NrValue *value, NrType outer);

#endif
