/* elements.c - see elements.h. */
#include "elements.h"

#include <errno.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "dialect/shared/shaped.h"
#include "dialect/onnx/dtype.h"
#include "values.h"

/* ---- kinds ------------------------------------------------------------------------------------------------------ */

bool element_kind(NrContext *ctx, const char *text, NoriaDType dtype, ElementKind *out) {
  NrType declared = text ? nr_parse_type(ctx, nr_str(text)) : NULL;
  NrType type = declared ? nr_type_elem(declared) : nr_dtype_type(ctx, dtype);
  *out = (ElementKind){.type = type, .declared = declared};
  if (!type || !nr_type_is_scalar(type) || !nr_abi_type_of(type, &out->carrier)) return false;
  out->is_signless = declared ? type->signedness == NR_SIGNLESS : nr_type_is_int_width(type, 1);
  return true;
}

const char *element_type_name(const ElementKind *kind) {
  return kind->declared ? nr_type_text(kind->type->ctx, kind->type) : noria_dtype_name(kind->carrier.dtype);
}

bool element_kind_takes(const ElementKind *kind, NrType elem) {
  NrType type = kind->declared ? nr_type_elem(kind->declared) : kind->type;
  return nr_types_alike(type, elem);
}

/* ---- collecting ------------------------------------------------------------------------------------------------- */

void elements_deinit(Elements *e) {
  nr_buf_deinit(&e->bytes);
  nr_vec_deinit(&e->strings);
  nr_vec_deinit(&e->string_sizes);
}

void elements_put_string(Elements *e, NrStr text) {
  nr_vec_push(&e->strings, text.data);
  nr_vec_push(&e->string_sizes, text.size);
}

static bool put_attr(Elements *e, NrAttr attr) {
  uint8_t bytes[8];
  if (!attr) return false;
  if (attr->num_words) return nr_buf_append(&e->bytes, attr->words, attr->num_words * sizeof *attr->words), true;
  if (!nr_attr_scalar_bytes(attr, bytes)) return false;
  nr_buf_append(&e->bytes, bytes, nr_type_byte_size(attr->type));
  return true;
}

bool elements_put_float(Elements *e, double x) { return put_attr(e, nr_attr_float(e->kind->type, x)); }

bool elements_put_complex(Elements *e, double re, double im) {
  NrType part = e->kind->type->elem;
  return put_attr(e, nr_attr_float(part, re)) && put_attr(e, nr_attr_float(part, im));
}

bool elements_put_int(Elements *e, int64_t x) { return put_attr(e, nr_attr_int(e->kind->type, x)); }

/* Whether the number can be written for an integer of width bits, at most 64. */
static bool int_fits(const ElementKind *kind, bool negative, uint64_t magnitude) {
  uint32_t width = nr_type_bits(kind->type);
  uint64_t most = width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
  bool is_unsigned = kind->type->signedness == NR_UNSIGNED;
  if (negative) return width > 1 && !is_unsigned && magnitude <= most / 2 + 1;
  return magnitude <= (is_unsigned || kind->is_signless ? most : most / 2);
}

static bool put_int(Elements *e, const char *word) {
  const ElementKind *kind = e->kind;
  bool negative = *word == '-';
  char *end;
  if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) return elements_put_int(e, *word == 't');
  const char *digits = word + (*word == '-' || *word == '+');
  if (*digits < '0' || *digits > '9') return false;
  if (kind->carrier.words) {
    NrBuf text = {0};
    nr_buf_printf(&text, "%s : ", *word == '+' ? digits : word);
    nr_print_type(&text, kind->type);
    NrAttr attr = nr_parse_attr(kind->type->ctx, (NrStr){text.data, text.size});
    nr_buf_deinit(&text);
    return attr && attr->kind == NR_ATTR_INTEGER && put_attr(e, attr);
  }
  errno = 0;
  uint64_t magnitude = strtoull(digits, &end, 0);
  if (*end || errno || !int_fits(kind, negative, magnitude)) return false;
  return elements_put_int(e, (int64_t)(negative ? 0 - magnitude : magnitude));
}

/* "(1.5,-2)", without blanks. */
static bool put_pair(Elements *e, const char *word) {
  char *comma, *end;
  double re = strtod(word + 1, &comma), im = *comma == ',' ? strtod(comma + 1, &end) : 0;
  if (comma == word + 1 || *comma != ',' || end == comma + 1 || strcmp(end, ")") != 0) return false;
  return elements_put_complex(e, re, im);
}

/* The bits of a float in hex, 0x7FC00000: the form in which NaN and infinity are printed. */
static bool put_pattern(Elements *e, const char *word) {
  NrType type = e->kind->type;
  char *end;
  if (!nr_type_is_float(type) || word[0] != '0' || (word[1] | 32) != 'x' || strpbrk(word, ".pP")) return false;
  errno = 0;
  uint64_t bits = strtoull(word, &end, 16);
  if (*end || errno || (type->width < 64 && bits >> type->width)) return false;
  return put_attr(e, nr_attr_float_bits(type, bits));
}

bool elements_put_word(Elements *e, const char *word) {
  NrType type = e->kind->type;
  char *end;
  if (nr_type_is_int_or_index(type)) return put_int(e, word);
  if (type->kind == NR_TYPE_COMPLEX && *word == '(') return put_pair(e, word);
  if (e->kind->declared && put_pattern(e, word)) return true;
  double x = strtod(word, &end);
  if (end == word || *end) return false;
  return type->kind == NR_TYPE_COMPLEX ? elements_put_complex(e, x, 0) : elements_put_float(e, x);
}

bool elements_tensor(const Elements *e, int64_t rank, const int64_t *dims, NoriaValue **out, NoriaError *error) {
  const ElementKind *kind = e->kind;
  int64_t all[NORIA_MAX_RANK];
  if (kind->type->kind == NR_TYPE_onnx_string)
    return !noria_tensor_create_strings(rank, dims, e->strings.data, e->string_sizes.data, out, error);
  memcpy(all, dims, (size_t)rank * sizeof *all);
  if (kind->carrier.words && rank == NORIA_MAX_RANK) return value_error(error, "the value has too many dims");
  if (kind->carrier.words) all[rank++] = kind->carrier.words;
  NrBuf packed = {0};
  elements_pack(kind, e->bytes.data, (int64_t)(e->bytes.size / nr_type_byte_size(kind->type)), &packed);
  bool ok = !noria_tensor_create(kind->carrier.dtype, rank, all, packed.data, out, error);
  nr_buf_deinit(&packed);
  return ok;
}

/* ---- carrying --------------------------------------------------------------------------------------------------- */

/* A float of a type that has at most 64 bits. */
static double float_at(NrType type, const uint8_t *p) {
  uint64_t bits = 0;
  memcpy(&bits, p, nr_type_byte_size(type));
  return nr_attr_float_bits(type, bits)->f;
}

static void put_converted(NrType from, NrType to, const uint8_t *p, NrBuf *out) {
  uint8_t bytes[8];
  nr_attr_scalar_bytes(nr_attr_float(to, float_at(from, p)), bytes);
  nr_buf_append(out, bytes, nr_type_byte_size(to));
}

/* The bits that an integer in memory has above its width repeat its sign, or are zeros. */
static void put_extended(NrType type, const uint8_t *p, NrBuf *out) {
  size_t size = nr_type_byte_size(type), word = size > 8 ? 8 : size;
  uint32_t width = type->width % 64 ? type->width % 64 : 64;
  uint64_t top = 0, sign = type->signedness == NR_UNSIGNED || type->width == 1 ? 0 : (uint64_t)1 << (width - 1);
  memcpy(&top, p + size - word, word);
  if (width < 64) top &= ((uint64_t)1 << width) - 1;
  top = (top ^ sign) - sign;
  nr_buf_append(out, p, size - word);
  nr_buf_append(out, &top, word);
}

static void carry(const ElementKind *kind, NrType from, NrType to, const uint8_t *p, int64_t count, NrBuf *out) {
  bool is_complex = from->kind == NR_TYPE_COMPLEX, is_int = kind->type->kind == NR_TYPE_INTEGER;
  size_t size = nr_type_byte_size(kind->carrier.words ? kind->type : from);
  if (from == to) return nr_buf_append(out, p, (size_t)count * size);
  if (is_complex) count *= 2, size /= 2, from = from->elem, to = to->elem;
  for (int64_t i = 0; i < count; i++, p += size)
    if (is_int) put_extended(kind->type, p, out);
    else put_converted(from, to, p, out);
}

void elements_pack(const ElementKind *kind, const void *own, int64_t count, NrBuf *out) {
  carry(kind, kind->type, kind->carrier.elem, own, count, out);
}

void elements_unpack(const ElementKind *kind, const void *carried, int64_t count, NrBuf *out) {
  carry(kind, kind->carrier.elem, kind->type, carried, count, out);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static bool is_float(NoriaDType dtype) { return nr_dtype_info(dtype)->class == NR_DTYPE_FLOAT; }

static bool is_int(NoriaDType dtype) {
  NrDTypeClass class = nr_dtype_info(dtype)->class;
  return class == NR_DTYPE_SIGNED || class == NR_DTYPE_UNSIGNED;
}

/* Whether .npy files can have elements of the type. */
static bool is_in_files(NoriaDType dtype) {
  const NrDTypeInfo *info = nr_dtype_info(dtype);
  return is_float(dtype) ? info->bits > 16 || dtype == NORIA_F16 : info->bits == info->size * 8;
}

static bool replace(NoriaValue **io_value, NoriaDType dtype, const void *data, NoriaError *error) {
  NoriaValue *with;
  if (noria_tensor_create(dtype, noria_tensor_rank(*io_value), noria_tensor_dims(*io_value), data, &with, error))
    return false;
  noria_value_release(*io_value);
  *io_value = with;
  return true;
}

/* Rounds floats to the element type. */
static bool adopt_floats(const ElementKind *kind, NrType from, NoriaValue **io_value, NoriaError *error) {
  NrBuf bytes = {0};
  const uint8_t *p = noria_tensor_data(*io_value);
  for (int64_t i = 0; i < noria_tensor_count(*io_value); i++, p += nr_type_byte_size(from))
    put_converted(from, kind->carrier.elem, p, &bytes);
  bool ok = replace(io_value, kind->carrier.dtype, bytes.data, error);
  nr_buf_deinit(&bytes);
  return ok;
}

static bool outside(NoriaError *error, const ElementKind *kind, int64_t at) {
  return value_error(error, "element %lld does not fit %s", (long long)at, element_type_name(kind));
}

/* Checks integers of the ABI type's size; of either signedness if the element type is signless. */
static bool adopt_ints(const ElementKind *kind, NoriaValue **io_value, NoriaError *error) {
  NrType type = kind->type;
  size_t size = nr_type_byte_size(kind->carrier.words ? type : kind->carrier.elem);
  int64_t count = (int64_t)(noria_tensor_size(*io_value) / size), at = 0;
  bool is_pattern = nr_dtype_info(noria_value_dtype(*io_value))->class == NR_DTYPE_UNSIGNED && kind->is_signless;
  const uint8_t *data = noria_tensor_data(*io_value);
  NrBuf bytes = {0};
  for (; at < count; at++) {
    const uint8_t *p = data + (size_t)at * size;
    put_extended(type, p, &bytes);
    if (memcmp(bytes.data + (size_t)at * size, p, size) == 0) continue;
    NrBuf pattern = {0};
    if (is_pattern) put_extended(nr_type_int_signed(type->ctx, type->width, NR_UNSIGNED), p, &pattern);
    bool fits = pattern.size && memcmp(pattern.data, p, size) == 0;
    nr_buf_deinit(&pattern);
    if (!fits) break;
  }
  bool ok = at < count ? outside(error, kind, at) : replace(io_value, kind->carrier.dtype, bytes.data, error);
  nr_buf_deinit(&bytes);
  return ok;
}

bool elements_adopt(const ElementKind *kind, NoriaValue **io_value, NoriaError *error) {
  NoriaDType have = noria_value_dtype(*io_value), want = kind->carrier.dtype;
  uint32_t width = kind->type->kind == NR_TYPE_INTEGER ? kind->type->width : 0;
  bool whole = !width || width == nr_dtype_info(want)->bits;
  if (have == want && whole && is_in_files(want)) return true;
  if (is_float(want) && is_float(have) && !is_in_files(want))
    return adopt_floats(kind, nr_dtype_type(kind->type->ctx, have), io_value, error);
  bool same_size = noria_dtype_size(have) == noria_dtype_size(want);
  bool either_sign = kind->is_signless || have == want || !is_in_files(want);
  if (width > 1 && is_int(have) && is_int(want) && same_size && either_sign)
    return adopt_ints(kind, io_value, error);
  return true;
}
