/* abi_type.h - ABI types: how values with element types that array libraries lack pass between programs, as elements of
 * a wider type.
 *
 *   i1 .. i64      the next of int8, int16, int32, int64, extended by sign; uiN: uint8 .. uint64, extended by zeros
 *   i65 .. i4096   words of uint64, the least significant first, in one more dim, the last
 *   floats         float32; complex numbers complex64
 *
 * Types that NoriaDType has pass unchanged, and an index as int64. Inputs are converted by dropping the high bits of
 * integers and rounding floats. */
#ifndef NORIA_ABI_ABI_TYPE_H
#define NORIA_ABI_ABI_TYPE_H

#include "ir/ir.h"
#include "noria/exec_abi.h"

typedef struct NrAbiType {
  NrType type, elem; /* the program's type and the ABI's; equal when no conversion is needed */
  NoriaDType dtype;  /* of elem */
  int64_t words;     /* the last dim of wide integers, else 0 */
} NrAbiType;

/* The ABI type of a scalar type; false for types whose values cannot leave a program. */
bool nr_abi_type_of(NrType scalar, NrAbiType *out);

/* Builds the conversion of a dense tensor or memref with elements of c->type to the ABI type, and back. For a memref,
 * into a new one. */
NrValue *nr_abi_type_build_out(NrBuilder *b, const NrAbiType *c, NrValue *shaped);
NrValue *nr_abi_type_build_in(NrBuilder *b, const NrAbiType *c, NrValue *shaped);
/* The same for unranked tensors. */
NrValue *nr_abi_type_build_out_unranked(NrBuilder *b, const NrAbiType *c, NrValue *tensor);
NrValue *nr_abi_type_build_in_unranked(NrBuilder *b, const NrAbiType *c, NrValue *tensor);

#endif
