/* signatures.h - function types and argument attributes for passes that pass one value as several others. */
#ifndef NORIA_PASS_EXPAND_SIGNATURES_H
#define NORIA_PASS_EXPAND_SIGNATURES_H

#include "ir/ir.h"

typedef NR_VEC(NrType) NrTypeList;

/* Appends the types of the values that a value of this type is passed as. Returns false, and appends nothing, for a
 * type that is passed as it is. */
typedef bool (*NrSplitTypeFn)(NrType type, NrTypeList *out);

/* The type with the parts of each input and result in place of it, also in nested function types; a type that is no
 * function type is returned unchanged. */
NrType nr_split_signature(NrType type, NrSplitTypeFn split);
/* Appends what values of these types are passed as. */
void nr_split_types(const NrType *types, size_t count, NrSplitTypeFn split, NrTypeList *out);
/* Gives the array attribute `name` of op, with an entry for each of these types, an entry for each part. repeat: all
 * parts get the entry of the whole value; else the first part gets it and the others get an empty one. */
void nr_split_attrs(NrOp *op, const NrAttrName *name, const NrType *types, size_t count, NrSplitTypeFn split,
                    bool repeat);
/* Converts the type of a func.func and the attributes of its arguments and results. */
void nr_split_function(NrOp *func, NrSplitTypeFn split, bool repeat_attrs);

#endif
