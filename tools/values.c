/* values.c - see values.h: text to values. */
#include "values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "elements.h"

bool value_error(NoriaError *error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  noria_error_clear(error);
  error->code = NORIA_ERROR_INVALID;
  if (vasprintf(&error->message, format, args) < 0) error->message = NULL;
  va_end(args);
  return false;
}

/* ---- nested lists ----------------------------------------------------------------------------------------------- */

typedef struct List {
  const char *p;
  Elements *elements;
  int64_t dims[NORIA_MAX_RANK];
  int64_t rank; /* -1 until the first element tells */
} List;

static const char *skip_blanks(const char *p) { return p + strspn(p, " \n\t"); }

/* The end of the string that begins with a quote at p, or the 0 byte when it does not end. */
static const char *skip_string(const char *p) {
  for (p++; *p && *p != '"'; p++)
    if (*p == '\\' && p[1]) p++;
  return *p ? p + 1 : p;
}

/* "text", with the escapes of text IR. */
static bool parse_string(List *l) {
  const char *end = skip_string(l->p);
  NrType type = l->elements->kind->type;
  NrAttr attr = *l->p == '"' ? nr_parse_attr(type->ctx, (NrStr){l->p, (size_t)(end - l->p)}) : NULL;
  if (!attr || attr->kind != NR_ATTR_STRING) return false;
  elements_put_string(l->elements, attr->s);
  l->p = end;
  return true;
}

/* Up to a blank, a comma or a closing bracket; a pair in parentheses whole, but for its blanks. */
static bool take_word(List *l, NrBuf *out) {
  bool is_pair = *l->p == '(';
  for (; *l->p && !strchr(is_pair ? ")" : ",] \n\t", *l->p); l->p++)
    if (!strchr(" \n\t", *l->p)) nr_buf_putc(out, *l->p);
  if (is_pair && *l->p) nr_buf_putc(out, *l->p++);
  return out->size > 0;
}

static bool parse_word(List *l, int64_t depth) {
  NrBuf word = {0};
  if (l->rank < 0) l->rank = depth;
  if (l->rank != depth) return false;
  if (l->elements->kind->type->kind == NR_TYPE_onnx_string) return parse_string(l);
  bool ok = take_word(l, &word) && elements_put_word(l->elements, word.data);
  nr_buf_deinit(&word);
  return ok;
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

static bool wrong_type(const ElementKind *kind, NrType have, NoriaError *error) {
  NrContext *ctx = kind->type->ctx;
  return value_error(error, "it takes %s, not %s", nr_type_text(ctx, kind->declared ? kind->declared : kind->type),
                     nr_type_text(ctx, have));
}

/* Checks ": type" after a value; nothing else may follow it. */
static bool parse_end(const List *l, const ElementKind *kind, bool *out_told, NoriaError *error) {
  const char *p = skip_blanks(l->p);
  if (*p != ':') return !*p;
  NrType type = nr_parse_type(kind->type->ctx, nr_str(p + 1));
  if (!type) return false;
  if (element_kind_takes(kind, nr_type_elem(type))) return true;
  *out_told = true;
  return wrong_type(kind, type, error);
}

static bool parse_elements(const char *text, const ElementKind *kind, NoriaValue **out, NoriaError *error) {
  Elements elements = {.kind = kind};
  List list = {.p = text, .elements = &elements, .rank = -1};
  bool told = false;
  for (size_t i = 0; i < NORIA_MAX_RANK; i++) list.dims[i] = -1;
  bool ok = parse_list(&list, 0) && parse_end(&list, kind, &told, error);
  if (ok) ok = elements_tensor(&elements, list.rank, list.dims, out, error);
  else if (!told)
    value_error(error, "'%s' is not a value of type %s; %s", text, element_type_name(kind),
                kind->type->kind == NR_TYPE_onnx_string ? "strings in lists stand in quotes"
                                                   : "a file is written @FILE.npy");
  elements_deinit(&elements);
  return ok;
}

/* ---- zeros:4x4xf32 ---------------------------------------------------------------------------------------------- */

typedef struct Shape {
  ElementKind kind;
  int64_t rank, count, dims[NORIA_MAX_RANK]; /* of elements, words apart */
} Shape;

static bool count_elements(Shape *s) {
  s->count = 1;
  for (int64_t i = 0; i < s->rank; i++)
    if (!nr_mul_i64(s->count, s->dims[i], &s->count)) return false;
  return true;
}

/* "4x4xf32", "4x4", "f32", or ""; missing parts are taken from the place. */
static bool parse_shape(NrContext *ctx, const char *text, const Place *place, const ElementKind *kind, Shape *out) {
  const NoriaValueInfo *info = place->info;
  *out = (Shape){.kind = *kind};
  while (*text >= '0' && *text <= '9') {
    char *end;
    errno = 0;
    int64_t dim = strtoll(text, &end, 10);
    if (errno || (*end && (*end != 'x' || !end[1])) || out->rank == NORIA_MAX_RANK) return false;
    out->dims[out->rank++] = dim;
    text = *end ? end + 1 : end;
  }
  if (out->rank == 0) {
    out->rank = NR_MAX(info->rank - (kind->carrier.words ? 1 : 0), 0);
    for (int32_t i = 0; i < out->rank; i++) out->dims[i] = info->dims[i] < 0 ? 1 : info->dims[i];
  }
  if (*text) {
    NrType elem = nr_parse_type(ctx, nr_str(text));
    if (!elem) return false;
    /* i8 may fill a place of ui8: the types of text IR have no sign. */
    if (!element_kind_takes(kind, elem) && !element_kind(ctx, text, NORIA_UNDEFINED, &out->kind)) return false;
  }
  return count_elements(out);
}

/* Steele, Lea and Flood's SplitMix64. */
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static double in_unit(uint64_t *state) { return (double)(next_random(state) >> 11) * 0x1p-52 - 1; }

/* Floats from [-1, 1), integers from 0 to 9, both bools. */
static bool put_random(Elements *e, uint64_t *state) {
  NrType t = e->kind->type;
  if (t->kind == NR_TYPE_COMPLEX) return elements_put_complex(e, in_unit(state), in_unit(state));
  if (nr_type_is_float(t)) return elements_put_float(e, in_unit(state));
  uint64_t below = nr_type_bits(t) < 4 ? 1u << nr_type_bits(t) : 10;
  return elements_put_int(e, (int64_t)(next_random(state) % below));
}

/* Fills the value with elements chosen randomly from a list. */
static bool fill_from(const Elements *choices, const Shape *s, uint64_t seed, NoriaValue *out) {
  NrBuf packed = {0};
  size_t size = nr_type_byte_size(s->kind.carrier.words ? s->kind.type : s->kind.carrier.elem);
  uint64_t state = seed, count = choices->bytes.size / nr_type_byte_size(s->kind.type);
  uint8_t *data = noria_tensor_mutable_data(out);
  elements_pack(&s->kind, choices->bytes.data, (int64_t)count, &packed);
  for (int64_t i = 0; i < s->count; i++)
    memcpy(data + (size_t)i * size, packed.data + next_random(&state) % count * size, size);
  nr_buf_deinit(&packed);
  return true;
}

static bool fill(char kind, const Shape *s, uint64_t seed, NoriaValue **out, NoriaError *error) {
  NoriaDType dtype = s->kind.carrier.dtype;
  int64_t rank = s->rank, dims[NORIA_MAX_RANK + 1];
  if (dtype == NORIA_STRING) return value_error(error, "strings cannot be made up");
  memcpy(dims, s->dims, sizeof s->dims);
  if (s->kind.carrier.words) dims[rank++] = s->kind.carrier.words;
  if (noria_tensor_create(dtype, rank, dims, NULL, out, error)) return false;
  if (kind == 'z') return true;
  Elements e = {.kind = &s->kind};
  uint64_t state = seed, choices = kind == 'r' ? 4096 : 1;
  bool ok = true;
  for (uint64_t i = 0; i < choices && ok; i++) ok = kind == 'r' ? put_random(&e, &state) : elements_put_word(&e, "1");
  if (ok) ok = fill_from(&e, s, state, *out);
  elements_deinit(&e);
  if (ok) return true;
  noria_value_release(*out);
  *out = NULL;
  return value_error(error, "elements of type %s cannot be made up", nr_type_text(s->kind.type->ctx, s->kind.type));
}

/* ---- dense<1.0> : tensor<4xf32> --------------------------------------------------------------------------------- */

static bool from_strings(NrAttr attr, NoriaValue **out, NoriaError *error) {
  ElementKind kind = {.type = attr->type->elem};
  Elements e = {.kind = &kind};
  int64_t count = 0;
  nr_type_num_elements(attr->type, &count);
  for (int64_t i = 0; i < count; i++) elements_put_string(&e, attr->strings[attr->size == 1 ? 0 : i]);
  bool ok = elements_tensor(&e, attr->type->rank, attr->type->dims, out, error);
  elements_deinit(&e);
  return ok;
}

static bool from_attr(NrAttr attr, const char *text, const ElementKind *kind, NoriaValue **out, NoriaError *error) {
  int64_t count;
  if (attr && attr->kind == NR_ATTR_DENSE_STRINGS) return from_strings(attr, out, error);
  if (!attr || !nr_attr_is_elements(attr) || !nr_type_num_elements(attr->type, &count))
    return value_error(error, "'%s' is not a constant", text);
  if (kind->declared && !element_kind_takes(kind, attr->type->elem)) return wrong_type(kind, attr->type, error);
  ElementKind own = *kind;
  const char *elem = nr_type_text(attr->ctx, attr->type->elem);
  bool is_carried = element_kind_takes(kind, attr->type->elem) || element_kind(attr->ctx, elem, NORIA_UNDEFINED, &own);
  if (attr->type->rank > NORIA_MAX_RANK || !is_carried || own.type->kind == NR_TYPE_onnx_string)
    return value_error(error, "no program takes a value of type %s", nr_type_text(attr->ctx, attr->type));
  Elements e = {.kind = &own};
  for (int64_t i = 0; attr->splat && i < count; i++) nr_buf_append(&e.bytes, attr->data, attr->data_size);
  if (!attr->splat) nr_buf_append(&e.bytes, attr->data, attr->data_size);
  bool ok = elements_tensor(&e, attr->type->rank, attr->type->dims, out, error);
  elements_deinit(&e);
  return ok;
}

/* ---- sequences and optionals ------------------------------------------------------------------------------------ */

Place value_item_place(NrContext *ctx, const Place *place, NoriaValueInfo *out_info) {
  NrType type = place->type ? nr_parse_type(ctx, nr_str(place->type)) : NULL;
  NrBuf text = {0};
  *out_info = (NoriaValueInfo){.name = place->info->name, .dtype = place->info->dtype, .rank = -1};
  if (place->info->kind == NORIA_KIND_OPTIONAL) out_info->kind = place->info->item_kind;
  if (place->info->kind == NORIA_KIND_SEQUENCE && place->info->key_dtype) out_info->kind = NORIA_KIND_MAP;
  out_info->key_dtype = place->info->key_dtype;
  if (type && type->elem) nr_print_type(&text, type->elem);
  Place item = {out_info, text.size ? nr_context_intern(ctx, (NrStr){text.data, text.size}).data : NULL, place->seed};
  nr_buf_deinit(&text);
  return item;
}

/* The end of the value at p: one of these characters where no bracket is open. */
static const char *item_end(const char *p, const char *ends) {
  for (int64_t depth = 0; *p; p++) {
    while (*p == '"') p = skip_string(p);
    if (!*p || (depth == 0 && strchr(ends, *p))) break;
    depth += strchr("[<({", *p) ? 1 : strchr("]>)}", *p) ? -1 : 0;
  }
  return p;
}

typedef struct Items {
  NR_VEC(NoriaValue *) values;
} Items;

static bool parse_items(NrContext *ctx, const char *text, const Place *place, Items *out, NoriaError *error) {
  NoriaValueInfo info;
  Place item = value_item_place(ctx, place, &info);
  if (*text != '[') return value_error(error, "'%s' is no list of tensors: [VALUE, VALUE, ...]", text);
  const char *p = skip_blanks(text + 1);
  for (bool more = *p != ']'; more;) {
    const char *end = item_end(p, ",]"), *last = end;
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
  Place place_of_item = value_item_place(ctx, place, &info);
  NoriaValue *item = NULL;
  if (strcmp(text, "none") != 0 && !value_parse(ctx, text, &place_of_item, &item, error)) return false;
  NoriaStatus status = noria_optional_create(item, (NoriaKind)info.kind, (NoriaDType)info.dtype, out, error);
  noria_value_release(item);
  return status == NORIA_OK;
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */

/* The keys and the values of `{KEY: VALUE, ..}` as two lists. */
static bool split_map(const char *text, NrBuf *keys, NrBuf *values, NoriaError *error) {
  if (*text != '{') return value_error(error, "'%s' is no map: {KEY: VALUE, ...}", text);
  const char *p = skip_blanks(text + 1);
  for (bool more = *p != '}'; more;) {
    const char *colon = item_end(p, ":,}"), *end = *colon == ':' ? item_end(colon + 1, ",}") : colon;
    if (*colon != ':' || !*end) return value_error(error, "'%s' is no map: a %s is missing", text, *end ? "':'" : "}");
    nr_buf_printf(keys, "%s%.*s", keys->size ? ", " : "[", (int)(colon - p), p);
    nr_buf_printf(values, "%s%.*s", values->size ? ", " : "[", (int)(end - colon - 1), colon + 1);
    more = *end == ',';
    p = more ? skip_blanks(end + 1) : end;
  }
  nr_buf_puts(keys, keys->size ? "]" : "[]");
  nr_buf_puts(values, values->size ? "]" : "[]");
  return !*skip_blanks(p + 1) || value_error(error, "'%s' goes on behind the map", text);
}

static bool parse_map(NrContext *ctx, const char *text, const Place *place, NoriaValue **out, NoriaError *error) {
  NoriaValueInfo key = {.name = place->info->name, .dtype = place->info->key_dtype, .rank = -1}, value = key;
  Place key_place = {.info = &key}, value_place = {.info = &value};
  NrBuf keys = {0}, values = {0};
  NoriaValue *k = NULL, *v = NULL;
  value.dtype = place->info->dtype;
  bool ok = split_map(text, &keys, &values, error) && value_parse(ctx, keys.data, &key_place, &k, error) &&
            value_parse(ctx, values.data, &value_place, &v, error) && !noria_map_create(k, v, out, error);
  noria_value_release(k);
  noria_value_release(v);
  nr_buf_deinit(&keys);
  nr_buf_deinit(&values);
  return ok;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

static bool parse_file(const char *path, const ElementKind *kind, NoriaValue **out, NoriaError *error) {
  if (noria_npy_read(path, out, error)) return false;
  if (!kind || elements_adopt(kind, out, error)) return true;
  NoriaError named = NORIA_ERROR_INIT;
  value_error(&named, "%s: %s", path, error->message);
  noria_error_clear(error);
  *error = named;
  noria_value_release(*out);
  *out = NULL;
  return false;
}

bool value_parse(NrContext *ctx, const char *text, const Place *place, NoriaValue **out, NoriaError *error) {
  static const char *const fills[] = {"zeros", "ones", "random"};
  ElementKind kind;
  *out = NULL;
  if (place->info->kind == NORIA_KIND_SEQUENCE) return parse_sequence(ctx, text, place, out, error);
  if (place->info->kind == NORIA_KIND_OPTIONAL) return parse_optional(ctx, text, place, out, error);
  if (place->info->kind == NORIA_KIND_MAP) return parse_map(ctx, text, place, out, error);
  bool known = element_kind(ctx, place->type, (NoriaDType)place->info->dtype, &kind);
  if (*text == '@') return parse_file(text + 1, known ? &kind : NULL, out, error);
  if (!known) return value_error(error, "its elements are of no type");
  for (size_t i = 0; i < NR_COUNTOF(fills); i++) {
    size_t n = strlen(fills[i]);
    if (strncmp(text, fills[i], n) != 0 || (text[n] && text[n] != ':')) continue;
    Shape shape;
    if (!parse_shape(ctx, text + n + (text[n] == ':'), place, &kind, &shape))
      return value_error(error, "'%s' is no shape and type, such as %s:4x4xf32", text, fills[i]);
    if (kind.declared && !element_kind_takes(&kind, shape.kind.type))
      return wrong_type(&kind, shape.kind.type, error);
    return fill(*text, &shape, place->seed, out, error);
  }
  if (nr_str_starts(nr_str(text), "dense<"))
    return from_attr(nr_parse_attr(ctx, nr_str(text)), text, &kind, out, error);
  if (kind.type->kind != NR_TYPE_onnx_string || *text == '[' || *text == '"')
    return parse_elements(text, &kind, out, error);
  return noria_tensor_create_strings(0, NULL, &text, NULL, out, error) == NORIA_OK;
}
