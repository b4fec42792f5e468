/* abi_wrapper.h - what the values of a function pass as between programs, and the ops that make the one of the other.
 */
#ifndef NORIA_ABI_ABI_WRAPPER_H
#define NORIA_ABI_ABI_WRAPPER_H

#include "abi/abi_type.h"

bool nr_abi_is_handle(NrType type); /* sequences, optionals */
/* What a value of type passes as, or NULL when it does not: scalars as tensors of rank 0, vectors as buffers, memrefs
 * without layout; all with elements that *out_abi_type tells. */
NrType nr_abi_outer_type(NrType type, NrAbiType *out_abi_type);
/* What people write and read for a value of type: of a memref of vectors, one of their elements. */
NrType nr_abi_shown_type(NrType type);
/* Builds the value of type from what passes, and back. Memrefs are copied. */
NrValue *nr_abi_in(NrBuilder *b, const NrAbiType *c, NrValue *outer, NrType type);
NrValue *nr_abi_out(NrBuilder *b, const NrAbiType *c, NrValue *value, NrType outer);

/* Makes a function the program's entry: the one named; with NULL the one that is marked noria.entry, else @main, else
 * the only public one. Its scalars pass as tensors of rank 0; memrefs that it takes are copied, and given back behind
 * its results under the names of its arguments. What the entry does not need is dropped. A function with noria.entry,
 * as models have, stays as it is. Reports its errors. The pass `wrap-entry` does this without a name. */
NR_WARN_UNUSED NrStatus nr_abi_wrap_entry(NrModule *module, const char *name);

#endif
