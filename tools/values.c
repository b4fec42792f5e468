/* values.c - see values.h: text to tensors and back. */
#include "values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "dialect/shaped.h"
#include "onnx/dtype.h"

bool value_error(NoriaError *error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  noria_error_clear(error);
  error->code = NORIA_ERROR_INVALID;
  if (vasprintf(&error->message, format, args) < 0) error->message = NULL;
  va_end(args);
  return false;
}

/* ---- elements --------------------------------------------------------------------------------------------------- */

typedef struct Elements {
  NrType type;
  bool is_signed; /* integers of type; else signless ones, which may be written as bit patterns: 255 : i8 */
  NrBuf bytes;
} Elements;

static bool put_attr(Elements *e, NrAttr attr) {
  uint8_t bytes[8];
  if (!nr_attr_scalar_bytes(attr, bytes)) return false;
  nr_buf_append(&e->bytes, bytes, nr_type_byte_size(attr->type));
  return true;
}

static bool put_float(Elements *e, double x) { return put_attr(e, nr_attr_float(e->type, x)); }

static bool put_complex(Elements *e, double re, double im) {
  return put_attr(e, nr_attr_float(e->type->elem, re)) && put_attr(e, nr_attr_float(e->type->elem, im));
}

static bool put_int(Elements *e, int64_t x) { return put_attr(e, nr_attr_int(e->type, x)); }

static bool int_fits(const Elements *e, bool negative, uint64_t magnitude) {
  uint32_t width = nr_type_bits(e->type);
  uint64_t most = width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
  if (negative) return width > 1 && e->type->signedness != NR_UNSIGNED && magnitude <= most / 2 + 1;
  return magnitude <= (e->is_signed ? most / 2 : most);
}

static bool parse_int(Elements *e, const char *word) {
  bool negative = *word == '-';
  char *end;
  if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) return put_int(e, *word == 't');
  errno = 0;
  const char *digits = word + (*word == '-' || *word == '+');
  if (*digits < '0' || *digits > '9') return false;
  uint64_t magnitude = strtoull(digits, &end, 0);
  if (*end || errno || !int_fits(e, negative, magnitude)) return false;
  return put_int(e, (int64_t)(negative ? 0 - magnitude : magnitude));
}

static bool parse_number(Elements *e, const char *word) {
  char *end;
  if (nr_type_is_int_or_index(e->type)) return parse_int(e, word);
  double x = strtod(word, &end);
  if (end == word || *end) return false;
  return e->type->kind == NR_TYPE_COMPLEX ? put_complex(e, x, 0) : put_float(e, x);
}

/* ---- nested lists ----------------------------------------------------------------------------------------------- */

typedef struct List {
  const char *p;
  Elements *elements;
  int64_t dims[NORIA_MAX_RANK];
  int64_t rank; /* -1 until the first element tells */
} List;

static void skip_blanks(List *l) {
  while (*l->p == ' ' || *l->p == '\n' || *l->p == '\t') l->p++;
}

static bool parse_word(List *l, int64_t depth) {
  char word[64];
  size_t n = strcspn(l->p, ",] \n\t");
  if (l->rank < 0) l->rank = depth;
  if (l->rank != depth || n == 0 || n >= sizeof word) return false;
  memcpy(word, l->p, n);
  word[n] = 0;
  l->p += n;
  return parse_number(l->elements, word);
}

/* dims[depth] is set by the first list of that depth; -1 before. */
static bool parse_list(List *l, int64_t depth) {
  skip_blanks(l);
  if (*l->p != '[') return parse_word(l, depth);
  if (depth == NORIA_MAX_RANK) return false;
  int64_t count = 0;
  l->p++;
  skip_blanks(l);
  if (*l->p == ']' && l->rank < 0) l->rank = depth + 1;
  while (*l->p != ']') {
    if (count && *l->p++ != ',') return false;
    if (!parse_list(l, depth + 1)) return false;
    count++;
    skip_blanks(l);
  }
  l->p++;
  if (l->dims[depth] < 0) l->dims[depth] = count;
  return l->dims[depth] == count;
}

static bool parse_elements(const char *text, const Place *place, NrType elem, NoriaValue **out, NoriaError *error) {
  bool is_signless = place->type || nr_type_is_int_width(elem, 1) || elem->signedness == NR_UNSIGNED;
  Elements elements = {.type = elem, .is_signed = nr_type_is_int(elem) && !is_signless};
  List list = {.p = text, .elements = &elements, .rank = -1};
  for (size_t i = 0; i < NORIA_MAX_RANK; i++) list.dims[i] = -1;
  bool ok = parse_list(&list, 0);
  skip_blanks(&list);
  NoriaDType dtype = (NoriaDType)place->info->dtype;
  if (!ok || *list.p)
    value_error(error, "'%s' is not a value of type %s; a file is written @FILE.npy", text, noria_dtype_name(dtype));
  else if (noria_tensor_create(dtype, list.rank, list.dims, elements.bytes.data, out, error)) ok = false;
  nr_buf_deinit(&elements.bytes);
  return ok && *out;
}

/* ---- zeros:4x4xf32 ---------------------------------------------------------------------------------------------- */

typedef struct Shape {
  NoriaDType dtype;
  int64_t rank, count, dims[NORIA_MAX_RANK];
} Shape;

static bool count_elements(Shape *s) {
  s->count = 1;
  for (int64_t i = 0; i < s->rank; i++)
    if (!nr_mul_i64(s->count, s->dims[i], &s->count)) return false;
  return true;
}

/* "4x4xf32", "4x4", "f32", or "": the place's own. */
static bool parse_shape(NrContext *ctx, const char *text, const Place *place, Shape *out) {
  const NoriaValueInfo *info = place->info;
  *out = (Shape){.dtype = (NoriaDType)info->dtype};
  while (*text >= '0' && *text <= '9') {
    char *end;
    errno = 0;
    int64_t dim = strtoll(text, &end, 10);
    if (errno || (*end && *end != 'x') || out->rank == NORIA_MAX_RANK) return false;
    out->dims[out->rank++] = dim;
    text = *end ? end + 1 : end;
  }
  if (out->rank == 0) {
    out->rank = NR_MAX(info->rank, 0);
    for (int32_t i = 0; i < info->rank; i++) out->dims[i] = info->dims[i] < 0 ? 1 : info->dims[i];
  }
  if (*text) {
    NrType elem = nr_parse_type(ctx, nr_str(text));
    if (!elem || !nr_type_is_scalar(elem)) return false;
    /* i8 may fill a place of ui8: the types of text IR have no sign. */
    NrType want = nr_dtype_type(ctx, out->dtype);
    bool same = want && nr_type_lowered(want) == nr_type_lowered(elem);
    if (!same) out->dtype = nr_type_is_index(elem) ? NORIA_I64 : nr_dtype_of(elem);
  }
  return out->dtype != NORIA_UNDEFINED && count_elements(out);
}

/* Steele, Lea and Flood's SplitMix64: good numbers from any seed. */
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static double in_unit(uint64_t *state) { return (double)(next_random(state) >> 11) * 0x1p-52 - 1; }

/* Floats from [-1, 1), integers from 0 to 9, both bools. */
static bool put_random(Elements *e, uint64_t *state) {
  NrType t = e->type;
  if (t->kind == NR_TYPE_COMPLEX) return put_complex(e, in_unit(state), in_unit(state));
  if (nr_type_is_float(t)) return put_float(e, in_unit(state));
  uint64_t below = nr_type_bits(t) < 4 ? 1u << nr_type_bits(t) : 10;
  return put_int(e, (int64_t)(next_random(state) % below));
}

/* The text forms of few values are computed once; elements choose among them. */
static bool fill(NrContext *ctx, char kind, const Shape *s, uint64_t seed, NoriaValue **out, NoriaError *error) {
  if (s->dtype == NORIA_STRING) return value_error(error, "strings come from files: @FILE.npy");
  if (noria_tensor_create(s->dtype, s->rank, s->dims, NULL, out, error)) return false;
  if (kind == 'z') return true;
  uint64_t state = seed, choices = kind == 'r' ? 4096 : 1;
  uint8_t *data = noria_tensor_mutable_data(*out);
  size_t size = noria_dtype_size(s->dtype);
  Elements e = {.type = nr_dtype_type(ctx, s->dtype)};
  bool ok = true;
  for (uint64_t i = 0; i < choices && ok; i++) ok = kind == 'r' ? put_random(&e, &state) : parse_number(&e, "1");
  for (int64_t i = 0; i < s->count && ok; i++)
    memcpy(data + (size_t)i * size, e.bytes.data + next_random(&state) % choices * size, size);
  nr_buf_deinit(&e.bytes);
  return ok || value_error(error, "elements of type %s cannot be made up", noria_dtype_name(s->dtype));
}

/* ---- dense<1.0> : tensor<4xf32> --------------------------------------------------------------------------------- */

static bool from_attr(NrAttr attr, const char *text, const Place *place, NoriaValue **out, NoriaError *error) {
  int64_t count;
  if (!attr || !nr_attr_is_elements(attr) || !nr_type_num_elements(attr->type, &count))
    return value_error(error, "'%s' is not a constant", text);
  NrType want = nr_dtype_type(attr->ctx, (NoriaDType)place->info->dtype), elem = attr->type->elem;
  bool fits = want && nr_type_lowered(want) == nr_type_lowered(elem);
  NoriaDType dtype = fits ? (NoriaDType)place->info->dtype : nr_type_is_index(elem) ? NORIA_I64 : nr_dtype_of(elem);
  if (attr->type->rank > NORIA_MAX_RANK || dtype == NORIA_UNDEFINED)
    return value_error(error, "no program takes a value of type %s", nr_type_text(attr->ctx, attr->type));
  NrBuf bytes = {0};
  for (int64_t i = 0; attr->splat && i < count; i++) nr_buf_append(&bytes, attr->data, attr->data_size);
  const void *data = attr->splat ? bytes.data : attr->data;
  bool ok = !noria_tensor_create(dtype, attr->type->rank, attr->type->dims, data, out, error);
  nr_buf_deinit(&bytes);
  return ok;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

bool value_parse(NrContext *ctx, const char *text, const Place *place, NoriaValue **out, NoriaError *error) {
  static const char *const fills[] = {"zeros", "ones", "random"};
  *out = NULL;
  if (*text == '@') return noria_npy_read(text + 1, out, error) == NORIA_OK;
  if (place->info->kind != NORIA_KIND_TENSOR) return value_error(error, "sequences and optionals cannot be given here");
  for (size_t i = 0; i < NR_COUNTOF(fills); i++) {
    size_t n = strlen(fills[i]);
    if (strncmp(text, fills[i], n) != 0 || (text[n] && text[n] != ':')) continue;
    Shape shape;
    if (!parse_shape(ctx, text + n + (text[n] == ':'), place, &shape))
      return value_error(error, "'%s' is no shape and type, such as %s:4x4xf32", text, fills[i]);
    return fill(ctx, *text, &shape, place->seed, out, error);
  }
  if (nr_str_starts(nr_str(text), "dense<"))
    return from_attr(nr_parse_attr(ctx, nr_str(text)), text, place, out, error);
  NrType elem = nr_dtype_type(ctx, (NoriaDType)place->info->dtype);
  if (elem && elem->kind != NR_TYPE_STRING) return parse_elements(text, place, elem, out, error);
  int64_t none = 0;
  return noria_tensor_create_strings(0, &none, &text, NULL, out, error) == NORIA_OK;
}

/* ---- printing --------------------------------------------------------------------------------------------------- */

static NrAttr strings_attr(NrContext *ctx, const NoriaValue *v, NrType type) {
  int64_t count = noria_tensor_count(v);
  NrStr *strings = nr_calloc((size_t)count, sizeof *strings);
  for (int64_t i = 0; i < count; i++) strings[i].data = noria_tensor_string(v, i, &strings[i].size);
  NrAttr attr = nr_attr_dense_strings(type, strings, (size_t)count);
  nr_free(strings);
  return attr;
}

static void print_tensor(NrContext *ctx, const NoriaValue *v, const Place *place, NrBuf *out) {
  NrType declared = place->type ? nr_parse_type(ctx, nr_str(place->type)) : NULL;
  NrType elem = declared ? nr_type_elem(declared) : nr_dtype_type(ctx, noria_value_dtype(v));
  NrType type = declared && declared->kind == NR_TYPE_VECTOR
                    ? declared
                    : nr_type_tensor(noria_tensor_dims(v), (size_t)noria_tensor_rank(v), elem);
  NrAttr attr = elem->kind == NR_TYPE_STRING ? strings_attr(ctx, v, type)
                                             : nr_attr_dense(type, noria_tensor_data(v), noria_tensor_size(v));
  /* The scalar alone has a type that text IR gave it; a model's is a tensor of rank 0. */
  NrAttr scalar =
      declared && nr_type_is_scalar(declared) && attr->kind == NR_ATTR_DENSE ? nr_attr_element(attr, 0) : NULL;
  nr_print_attr_with(out, scalar ? scalar : attr, &(NrPrintOptions){.list_elements = true});
}

void value_print(NrContext *ctx, const NoriaValue *v, const Place *place, NrBuf *out) {
  switch (noria_value_kind(v)) {
  case NORIA_KIND_TENSOR: print_tensor(ctx, v, place, out); return;
  case NORIA_KIND_OPTIONAL:
    if (noria_optional_item(v)) value_print(ctx, noria_optional_item(v), place, out);
    else nr_buf_puts(out, "none");
    return;
  case NORIA_KIND_SEQUENCE:
    nr_buf_putc(out, '[');
    for (int64_t i = 0; i < noria_sequence_length(v); i++) {
      if (i) nr_buf_puts(out, ", ");
      value_print(ctx, noria_sequence_at(v, i), place, out);
    }
    nr_buf_putc(out, ']');
    return;
  }
}
