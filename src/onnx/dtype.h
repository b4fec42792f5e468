/* dtype.h - ONNX element types and IR types. In the onnx dialect integers carry their sign (ui8); below it they do not.
 */
#ifndef NORIA_ONNX_DTYPE_H
#define NORIA_ONNX_DTYPE_H

#include "ir/ir.h"
#include "noria/exec_abi.h"

NrType nr_dtype_type(NrContext *ctx, NoriaDType dtype); /* ui8 for U8; NULL for UNDEFINED */
NoriaDType nr_dtype_of(NrType type); /* of a scalar type, or of the elements of a tensor, seq or optional */
NrType nr_type_lowered(NrType type); /* the same without signs: ui8 to i8, also inside tensors and sequences */

#endif
