/* abi_type.h - how values whose element type no array library has pass between programs: as elements of a type that
 * they fit into.
 *
 *   i1 .. i64      the next of int8, int16, int32, int64, extended by sign; uiN: uint8 .. uint64, extended by zeros
 *   i65 .. i4096   words of uint64, the least significant first, in one more dim, the last
 *   floats         float32; complex numbers complex64
 *
 * Types that NoriaDType has carry themselves, and an index an int64. Inwards, bits that an integer lacks are dropped
 * and floats are rounded. */
#ifndef NORIA_ABI_ABI_TYPE_H
#define NORIA_ABI_ABI_TYPE_H

#include "ir/ir.h"
#include "noria/exec_abi.h"

typedef struct NrAbiType {
  NrType type, elem; /* carried, and carrying; equal when there is nothing to convert */
  NoriaDType dtype;  /* of elem */
  int64_t words;     /* the last dim of wide integers, else 0 */
} NrAbiType;

/* Of a scalar type; false for types whose values do not leave a program. */
bool nr_abi_type_of(NrType scalar, NrAbiType *out);

/* Builds the carrying tensor or memref of shaped (a dense one), whose elements are of c->type, and the way back. A
 * memref gives a new one. */
NrValue *nr_abi_type_build_out(NrBuilder *b, const NrAbiType *c, NrValue *shaped);
NrValue *nr_abi_type_build_in(NrBuilder *b, const NrAbiType *c, NrValue *shaped);
/* The same of tensors of unknown rank. */
NrValue *nr_abi_type_build_out_unranked(NrBuilder *b, const NrAbiType *c, NrValue *tensor);
NrValue *nr_abi_type_build_in_unranked(NrBuilder *b, const NrAbiType *c, NrValue *tensor);

#endif
