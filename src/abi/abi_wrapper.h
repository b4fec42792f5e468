/* abi_wrapper.h - the ABI wrapper: the types in which a function's values pass between programs, and the
 * conversions. */
#ifndef NORIA_ABI_ABI_WRAPPER_H
#define NORIA_ABI_ABI_WRAPPER_H

#include "abi/abi_type.h"

/* The outer type of a value, or NULL when it cannot pass: scalars become tensors of rank 0, vectors buffers, memrefs
 * lose their layout; *out_abi_type is the type of the elements. */
NrType nr_abi_outer_type(NrType type, NrAbiType *out_abi_type);
/* The type in which users write and read a value: for a memref of vectors, a memref of their elements. */
NrType nr_abi_shown_type(NrType type);
/* Builds the conversion from the outer value to type, and back. Memrefs are copied. */
NrValue *nr_abi_in(NrBuilder *b, const NrAbiType *c, NrValue *outer, NrType type);
NrValue *nr_abi_out(NrBuilder *b, const NrAbiType *c, NrValue *value, NrType outer);

/* Makes a function the program's entry: the one named; with NULL the one that is marked noria.entry, else @main, else
 * the only public one. Scalars pass as tensors of rank 0; memref arguments are copied and returned after its results
 * under the arguments' names. Functions that the entry does not need are dropped. A function with noria.entry, as
 * models have, stays. check_input: kernels on sparse tensors check that coordinates are in order. Reports its errors.
 * The pass `wrap-entry` does this without a name and without that check. */
NR_WARN_UNUSED NrStatus nr_abi_wrap_entry(NrModule *module, const char *name, bool check_input);

#endif
