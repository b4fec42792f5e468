/* dtype.h - conversion between ONNX element types and IR types. Integers are signed or unsigned in the onnx dialect
 * (ui8) and signless in lower dialects.
 */
#ifndef NORIA_DIALECT_ONNX_DTYPE_H
#define NORIA_DIALECT_ONNX_DTYPE_H

#include "ir/ir.h"
#include "noria/exec_abi.h"

NrType nr_type_seq(NrType elem);
NrType nr_type_optional(NrType elem);
NrType nr_type_map(NrType key, NrType elem); /* key: i64 or a string */
/* Of the keys of a map, or of maps in a sequence or optional; UNDEFINED where there are no maps. */
NoriaDType nr_type_map_key(NrType type);
NrType nr_type_string(NrContext *ctx);

NrType nr_dtype_type(NrContext *ctx, NoriaDType dtype); /* ui8 for U8; NULL for UNDEFINED */
NoriaDType nr_dtype_of(NrType type); /* of a scalar type, or of the elements of a tensor or handle */
/* Of the elements of a parameter: index is I64, and signed integers are as signless ones. */
NoriaDType nr_dtype_of_parameter(NrType elem);
NrType nr_type_lowered(NrType type); /* with signless integers: ui8 becomes i8, also inside tensors and sequences */
/* The inverse: the type with elements of this dtype. Also gives an element type to a sequence without one. */
NrType nr_type_raised(NrType lowered, NoriaDType dtype);
/* Elements (nr_attr_is_elements) with a type that differs only in the signedness of integers. */
NrAttr nr_attr_retyped(NrAttr elements, NrType type);

/* Whether sizes and strides of a tensor in bytes do not overflow: no dim is negative, and the product of the static
 * dims and the element size fits. */
bool nr_dims_fit(const int64_t *dims, size_t rank, size_t elem_size);

/* How a value of the type is passed to and from a program. */
NoriaKind nr_type_kind(NrType type);
/* Writes the kind, for an optional of anything but tensors item_kind, and for maps key_dtype, as attributes; out has
 * room for 3. Returns their number. */
size_t nr_type_kind_attrs(NrType type, NrNamedAttr *out);

#endif
