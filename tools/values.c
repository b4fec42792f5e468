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
  NR_VEC(const char *) strings; /* instead of bytes, where type is that of strings */
  NR_VEC(size_t) string_sizes;
} Elements;

static void elements_deinit(Elements *e) {
  nr_buf_deinit(&e->bytes);
  nr_vec_deinit(&e->strings);
  nr_vec_deinit(&e->string_sizes);
}

static void put_string(Elements *e, NrStr text) {
  nr_vec_push(&e->strings, text.data);
  nr_vec_push(&e->string_sizes, text.size);
}

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

static const char *skip_blanks(const char *p) { return p + strspn(p, " \n\t"); }

/* Behind the string that begins at p with a quote, or at the 0 byte when it does not end. */
static const char *skip_string(const char *p) {
  for (p++; *p && *p != '"'; p++)
    if (*p == '\\' && p[1]) p++;
  return *p ? p + 1 : p;
}

/* "text", with the escapes of text IR. */
static bool parse_string(List *l) {
  const char *end = skip_string(l->p);
  NrAttr attr = *l->p == '"' ? nr_parse_attr(l->elements->type->ctx, (NrStr){l->p, (size_t)(end - l->p)}) : NULL;
  if (!attr || attr->kind != NR_ATTR_STRING) return false;
  put_string(l->elements, attr->s);
  l->p = end;
  return true;
}

static bool parse_word(List *l, int64_t depth) {
  char word[64];
  size_t n = strcspn(l->p, ",] \n\t");
  if (l->rank < 0) l->rank = depth;
  if (l->rank != depth) return false;
  if (l->elements->type->kind == NR_TYPE_STRING) return parse_string(l);
  if (n == 0 || n >= sizeof word) return false;
  memcpy(word, l->p, n);
  word[n] = 0;
  l->p += n;
  return parse_number(l->elements, word);
}

/* dims[depth] is set by the first list of that depth; -1 before. */
static bool parse_list(List *l, int64_t depth) {
  l->p = skip_blanks(l->p);
  if (*l->p != '[') return parse_word(l, depth);
  if (depth == NORIA_MAX_RANK) return false;
  int64_t count = 0;
  l->p = skip_blanks(l->p + 1);
  if (*l->p == ']' && l->rank < 0) l->rank = depth + 1;
  while (*l->p != ']') {
    if (count && *l->p++ != ',') return false;
    if (!parse_list(l, depth + 1)) return false;
    count++;
    l->p = skip_blanks(l->p);
  }
  l->p++;
  if (l->dims[depth] < 0) l->dims[depth] = count;
  return l->dims[depth] == count;
}

static bool make_tensor(NoriaDType dtype, const List *l, NoriaValue **out, NoriaError *error) {
  const Elements *e = l->elements;
  if (dtype == NORIA_STRING)
    return !noria_tensor_create_strings(l->rank, l->dims, e->strings.data, e->string_sizes.data, out, error);
  return !noria_tensor_create(dtype, l->rank, l->dims, e->bytes.data, out, error);
}

static bool parse_elements(const char *text, const Place *place, NrType elem, NoriaValue **out, NoriaError *error) {
  bool is_signless = place->type || nr_type_is_int_width(elem, 1) || elem->signedness == NR_UNSIGNED;
  Elements elements = {.type = elem, .is_signed = nr_type_is_int(elem) && !is_signless};
  List list = {.p = text, .elements = &elements, .rank = -1};
  for (size_t i = 0; i < NORIA_MAX_RANK; i++) list.dims[i] = -1;
  bool ok = parse_list(&list, 0) && !*skip_blanks(list.p);
  NoriaDType dtype = (NoriaDType)place->info->dtype;
  if (ok) ok = make_tensor(dtype, &list, out, error);
  else
    value_error(error, "'%s' is not a value of type %s; %s", text, noria_dtype_name(dtype),
                dtype == NORIA_STRING ? "strings in lists stand in quotes" : "a file is written @FILE.npy");
  elements_deinit(&elements);
  return ok;
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
  if (s->dtype == NORIA_STRING) return value_error(error, "strings cannot be made up");
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
  elements_deinit(&e);
  return ok || value_error(error, "elements of type %s cannot be made up", noria_dtype_name(s->dtype));
}

/* ---- dense<1.0> : tensor<4xf32> --------------------------------------------------------------------------------- */

static bool from_strings(NrAttr attr, NoriaValue **out, NoriaError *error) {
  Elements e = {.type = attr->type->elem};
  int64_t count = 0;
  nr_type_num_elements(attr->type, &count);
  for (int64_t i = 0; i < count; i++) put_string(&e, attr->strings[attr->size == 1 ? 0 : i]);
  NoriaStatus status = noria_tensor_create_strings(attr->type->rank, attr->type->dims, e.strings.data,
                                                   e.string_sizes.data, out, error);
  elements_deinit(&e);
  return status == NORIA_OK;
}

static bool from_attr(NrAttr attr, const char *text, const Place *place, NoriaValue **out, NoriaError *error) {
  int64_t count;
  if (attr && attr->kind == NR_ATTR_DENSE_STRINGS) return from_strings(attr, out, error);
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

/* ---- sequences and optionals ------------------------------------------------------------------------------------ */

/* The place of what a sequence or an optional holds, of which the program says no dims. */
static Place item_place(NrContext *ctx, const Place *place, NoriaValueInfo *out_info) {
  NrType type = place->type ? nr_parse_type(ctx, nr_str(place->type)) : NULL;
  NrBuf text = {0};
  *out_info = (NoriaValueInfo){.name = place->info->name, .dtype = place->info->dtype, .rank = -1};
  if (place->info->kind == NORIA_KIND_OPTIONAL) out_info->kind = place->info->item_kind;
  if (type && type->elem) nr_print_type(&text, type->elem);
  Place item = {out_info, text.size ? nr_context_intern(ctx, (NrStr){text.data, text.size}).data : NULL, place->seed};
  nr_buf_deinit(&text);
  return item;
}

/* Where the value at p ends: at a comma or a closing bracket that is not its own. */
static const char *item_end(const char *p) {
  for (int64_t depth = 0; *p; p++) {
    while (*p == '"') p = skip_string(p);
    if (!*p || (depth == 0 && (*p == ',' || *p == ']'))) break;
    depth += strchr("[<(", *p) ? 1 : strchr("]>)", *p) ? -1 : 0;
  }
  return p;
}

typedef struct Items {
  NR_VEC(NoriaValue *) values;
} Items;

static bool parse_items(NrContext *ctx, const char *text, const Place *place, Items *out, NoriaError *error) {
  NoriaValueInfo info;
  Place item = item_place(ctx, place, &info);
  if (*text != '[') return value_error(error, "'%s' is no list of tensors: [VALUE, VALUE, ...]", text);
  const char *p = skip_blanks(text + 1);
  for (bool more = *p != ']'; more;) {
    const char *end = item_end(p), *last = end;
    while (last > p && strchr(" \n\t", last[-1])) last--;
    if (!*end || last == p) return value_error(error, "'%s' is no list: a %s is missing", text, *end ? "value" : "]");
    NrStr word = nr_context_intern(ctx, (NrStr){p, (size_t)(last - p)});
    NoriaValue *value;
    if (!value_parse(ctx, word.data, &item, &value, error)) return false;
    nr_vec_push(&out->values, value);
    item.seed++;
    more = *end == ',';
    p = more ? skip_blanks(end + 1) : end;
  }
  return !*skip_blanks(p + 1) || value_error(error, "'%s' goes on behind the list", text);
}

static bool parse_sequence(NrContext *ctx, const char *text, const Place *place, NoriaValue **out, NoriaError *error) {
  Items items = {0};
  bool ok = parse_items(ctx, text, place, &items, error) &&
            !noria_sequence_create((NoriaDType)place->info->dtype, (const NoriaValue *const *)items.values.data,
                                   (int64_t)items.values.size, out, error);
  for (size_t i = 0; i < items.values.size; i++) noria_value_release(items.values.data[i]);
  nr_vec_deinit(&items.values);
  return ok;
}

static bool parse_optional(NrContext *ctx, const char *text, const Place *place, NoriaValue **out, NoriaError *error) {
  NoriaValueInfo info;
  Place place_of_item = item_place(ctx, place, &info);
  NoriaValue *item = NULL;
  if (strcmp(text, "none") != 0 && !value_parse(ctx, text, &place_of_item, &item, error)) return false;
  NoriaStatus status = noria_optional_create(item, (NoriaKind)info.kind, (NoriaDType)info.dtype, out, error);
  noria_value_release(item);
  return status == NORIA_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

bool value_parse(NrContext *ctx, const char *text, const Place *place, NoriaValue **out, NoriaError *error) {
  static const char *const fills[] = {"zeros", "ones", "random"};
  *out = NULL;
  if (place->info->kind == NORIA_KIND_SEQUENCE) return parse_sequence(ctx, text, place, out, error);
  if (place->info->kind == NORIA_KIND_OPTIONAL) return parse_optional(ctx, text, place, out, error);
  if (*text == '@') return noria_npy_read(text + 1, out, error) == NORIA_OK;
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
  if (elem && (elem->kind != NR_TYPE_STRING || *text == '[' || *text == '"'))
    return parse_elements(text, place, elem, out, error);
  return noria_tensor_create_strings(0, NULL, &text, NULL, out, error) == NORIA_OK;
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
  NoriaValueInfo info;
  Place item;
  switch (noria_value_kind(v)) {
  case NORIA_KIND_TENSOR: print_tensor(ctx, v, place, out); return;
  case NORIA_KIND_OPTIONAL:
    item = item_place(ctx, place, &info);
    if (noria_optional_item(v)) value_print(ctx, noria_optional_item(v), &item, out);
    else nr_buf_puts(out, "none");
    return;
  case NORIA_KIND_SEQUENCE:
    item = item_place(ctx, place, &info);
    nr_buf_putc(out, '[');
    for (int64_t i = 0; i < noria_sequence_length(v); i++) {
      if (i) nr_buf_puts(out, ", ");
      value_print(ctx, noria_sequence_at(v, i), &item, out);
    }
    nr_buf_putc(out, ']');
    return;
  }
}
