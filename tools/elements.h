/* elements.h - elements of values: their text on the command line, and their ABI type. */
#ifndef NORIA_TOOLS_ELEMENTS_H
#define NORIA_TOOLS_ELEMENTS_H

#include "abi/abi_type.h"
#include "ir/text.h"
#include "noria/runtime.h"

/* The element type of an input or output. */
typedef struct ElementKind {
  NrType type;
  NrType declared; /* the type in the program's text; NULL if only the ABI type is known */
  NrAbiType carrier;
  bool is_signless; /* integers may be written with a sign or as bit patterns: 255 : i8 */
} ElementKind;

/* Of the type that text IR gives the place, or with NULL of dtype. False for what has no elements of its own. */
bool element_kind(NrContext *ctx, const char *type, NoriaDType dtype, ElementKind *out);
const char *element_type_name(const ElementKind *kind); /* as text IR or, for models, as Python has it */
/* Whether a value of element type elem is accepted, ignoring the signedness of integers. */
bool element_kind_takes(const ElementKind *kind, NrType elem);

typedef struct Elements {
  const ElementKind *kind;
  NrBuf bytes; /* in the layout of kind->type */
  NR_VEC(const char *) strings; /* instead of bytes, where that is the type of strings */
  NR_VEC(size_t) string_sizes;
} Elements;
void elements_deinit(Elements *e);
void elements_put_string(Elements *e, NrStr text);
bool elements_put_float(Elements *e, double x);
bool elements_put_complex(Elements *e, double re, double im);
bool elements_put_int(Elements *e, int64_t x);
/* A number, true, false, or (re,im). False when the word is not a value of the type. */
bool elements_put_word(Elements *e, const char *word);
/* A tensor of dims, with the words of wide integers as one more. */
bool elements_tensor(const Elements *e, int64_t rank, const int64_t *dims, NoriaValue **out, NoriaError *error);

/* Converts between the layout of kind->type and that of its ABI type; appends to *out. */
void elements_pack(const ElementKind *kind, const void *own, int64_t count, NrBuf *out);
void elements_unpack(const ElementKind *kind, const void *carried, int64_t count, NrBuf *out);

/* Converts the value of a .npy file to the element type, if files do not have that type. Replaces *io_value; sets
 * *error and returns false when an element does not fit. */
bool elements_adopt(const ElementKind *kind, NoriaValue **io_value, NoriaError *error);

#endif
