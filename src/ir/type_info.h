/* type_info.h - definitions of the types and attributes of dialects.
 *
 * The builtin types (integers, floats, index, tensor, memref, vector, ..) are src/ir's own. A type of a dialect is
 * defined by one entry of src/dialect/<d>/types.def, as ops are by ops.def:
 *
 *   TYPE(onnx, seq, .params = "elem: type", .traits = NR_TYPE_IS_ELEMENT, .words = "sequence", .doc = "..")
 *
 * It is written !<d>.<name>; .name overrides <name> where that is not a C identifier ("dispatch.tensor"). The enum
 * NR_TYPE_<d>_<name>, parser, printer, the constraint `<d>.<name>` of operands and docs/dialects come from the entry. A
 * `!d.name` that no entry defines is an opaque type: kept as text.
 *
 * An attribute of a dialect is defined by an entry of src/dialect/<d>/attrs.def in the same way: ATTR(ub, poison, ..)
 * is #ub.poison and has the kind NR_ATTR_ub_poison; a type may follow it, as in `#ub.poison : f32`.
 *
 * Parameters in .params: "access: readonly|writeonly, bound: type", of the kinds
 *   type scalar string int attr   a type; one of scalars; a string; an integer of 64 bits; any attribute
 *   word                     any word; its value is a string attribute
 *   a|b|c                    one of these words; its value is its number, from 0
 * They stand in angle brackets behind the name, or nothing does where there are none. .format is the syntax between
 * the brackets, words separated by blanks: `lit` and $name; without it, the parameters are separated by commas. */
#ifndef NORIA_IR_TYPE_INFO_H
#define NORIA_IR_TYPE_INFO_H

#include "ir/ir.h"

typedef struct NrParser NrParser;   /* parse.h */
typedef struct NrPrinter NrPrinter; /* print.h */

enum NrTypeTrait {
  NR_TYPE_IS_ELEMENT = 1 << 0, /* may be the element of tensors and memrefs */
  NR_TYPE_IS_SCALAR = 1 << 1,  /* has a size in memory, .bytes; implies that it may be an element */
  NR_TYPE_IS_STRING = 1 << 2,  /* its values are written as strings in dense constants */
  NR_TYPE_IS_HANDLE = 1 << 3,  /* its values are references to objects of the runtime, which it counts (NoriaValue) */
};

enum { NR_MAX_PARAMS = 8 };

struct NrTypeInfo {
  unsigned kind;        /* NR_TYPE_<d>_<name>; of an attribute NR_ATTR_<d>_<name> */
  const char *dialect;
  const char *name;     /* without dialect; set by the TYPE macro, which a definition may override */
  const char *renamed, *also; /* full names of other versions of the dialect, as those of ops (op_info.h) */
  const char *params, *format;
  uint32_t traits;      /* NrTypeTrait; these three are for types only */
  size_t bytes;         /* of a scalar in memory */
  const char *words;    /* what messages call it */
  const char *doc;
  /* Optional hooks for a syntax that .format cannot express. Both stand for the text between the brackets; out_params
   * has a place for each parameter. parse reports errors by the parser's functions. */
  NrStatus (*parse)(NrParser *p, NrAttr *out_params);
  void (*print)(NrPrinter *w, const NrAttr *params);
  /* Of an attribute that may be a tensor's encoding: why it cannot be that of this tensor, or NULL. */
  const char *(*misfit)(NrAttr encoding, NrType tensor);
};
typedef struct NrTypeInfo NrAttrInfo;

/* The definition of a kind of a dialect; NULL for the builtin kinds and for opaque types. */
const NrTypeInfo *nr_type_info(NrTypeKind kind);
const NrTypeInfo *nr_type_info_find(NrStr name); /* by "onnx.seq"; NULL if there is none */
NrStr nr_type_info_name(const NrTypeInfo *info); /* "onnx.seq", NUL-terminated, static */
/* .renamed if the program uses such names. */
NrStr nr_type_info_printed_name(const NrContext *ctx, const NrTypeInfo *info);
size_t nr_type_info_num_params(const NrTypeInfo *info);
/* All definitions, in the order of the enum; NULL behind the last. */
const NrTypeInfo *nr_type_info_at(size_t i);

/* The same for attributes. */
const NrAttrInfo *nr_attr_info(NrAttrKind kind);
const NrAttrInfo *nr_attr_info_find(NrStr name);
NrStr nr_attr_info_name(const NrAttrInfo *info);
const NrAttrInfo *nr_attr_info_at(size_t i);

#endif
