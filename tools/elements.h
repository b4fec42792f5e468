/* elements.h - elements of values, as the command line writes them and as they pass to a program. */
#ifndef NORIA_TOOLS_ELEMENTS_H
#define NORIA_TOOLS_ELEMENTS_H

#include "abi/abi_type.h"
#include "ir/text.h"
#include "noria/runtime.h"

/* What the elements of a place are. */
typedef struct ElementKind {
  NrType type;
  NrType declared; /* what the program's text says, NULL where only the carrying type is known */
  NrAbiType carrier;
  bool is_signless; /* integers may be written with a sign or as bit patterns: 255 : i8 */
} ElementKind;

/* Of the type that text IR gives the place, or with NULL of dtype. False for what has no elements of its own. */
bool element_kind(NrContext *ctx, const char *type, NoriaDType dtype, ElementKind *out);
const char *element_type_name(const ElementKind *kind); /* as text IR or, for models, as Python has it */
/* The same elements, whose type the text of a value gives: signs of integers do not tell them apart. */
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
/* A number, true, false, or (re,im). False when the word is none of the type. */
bool elements_put_word(Elements *e, const char *word);
/* A tensor of dims, with the words of wide integers as one more. */
bool elements_tensor(const Elements *e, int64_t rank, const int64_t *dims, NoriaValue **out, NoriaError *error);

/* Between the layout of kind->type and that of its carrier, which appends to *out. */
void elements_pack(const ElementKind *kind, const void *own, int64_t count, NrBuf *out);
void elements_unpack(const ElementKind *kind, const void *carried, int64_t count, NrBuf *out);

/* What a .npy file gave, as the place has it: a file has none of some types. Replaces *io_value; false after setting
 * *error, when an element does not fit. */
bool elements_adopt(const ElementKind *kind, NoriaValue **io_value, NoriaError *error);

#endif
