/* dtype.h - ONNX element types and IR types. In the onnx dialect integers carry their sign (ui8); below it they do not.
 */
#ifndef NORIA_DIALECT_ONNX_DTYPE_H
#define NORIA_DIALECT_ONNX_DTYPE_H

#include "ir/ir.h"
#include "noria/exec_abi.h"

NrType nr_dtype_type(NrContext *ctx, NoriaDType dtype); /* ui8 for U8; NULL for UNDEFINED */
NoriaDType nr_dtype_of(NrType type); /* of a scalar type, or of the elements of a tensor, seq or optional */
NrType nr_type_lowered(NrType type); /* the same without signs: ui8 to i8, also inside tensors and sequences */
/* Back, to the type whose elements are of this dtype; so are the items of a sequence that never got one. */
NrType nr_type_raised(NrType lowered, NoriaDType dtype);
/* Elements (nr_attr_is_elements) as those of a type that differs in the sign of integers only. */
NrAttr nr_attr_retyped(NrAttr elements, NrType type);

/* Whether the bytes of a tensor, and the strides between its elements, can be counted: no dim is negative, and the
 * product of those that are known and of the element's size fits. */
bool nr_dims_fit(const int64_t *dims, size_t rank, size_t elem_size);

/* What a value of the type is at a program's boundary. */
NoriaKind nr_type_kind(NrType type);
/* Its kind and, for an optional that is not of tensors, item_kind as attributes; out has room for 2. Gives how many. */
size_t nr_type_kind_attrs(NrType type, NrNamedAttr *out);

#endif
