/* safetensors.c - see safetensors.h. The JSON of a header is an object of objects with three known members, so the
 * parser has no general values and does not recurse. A library would be the only dependency of the runtime, and JSON
 * libraries take duplicate keys and read numbers as doubles, which do not have all offsets above 2^53. */
#include "runtime/safetensors.h"

#include <stdlib.h>

#include "runtime/internal.h"

enum { LENGTH_SIZE = 8, MOST_HEADER = 100000000 }; /* the limit of the reference implementation */

typedef struct Reader {
  const char *name, *begin, *at, *end; /* the file, and its header */
  NrSafetensors *out;
  NoriaError *error;
} Reader;

static NoriaStatus malformed(Reader *r, const char *what) {
  return nr_error_set(r->error, NORIA_ERROR_INVALID, "'%s': byte %zu of the header: %s", r->name,
                      (size_t)(r->at - r->begin), what);
}

#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    NoriaStatus try_status = (call);                                                                                   \
    if (try_status) return try_status;                                                                                 \
  } while (0)

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void skip_spaces(Reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) r->at++;
}

static bool try_char(Reader *r, char c) {
  skip_spaces(r);
  if (r->at == r->end || *r->at != c) return false;
  r->at++;
  return true;
}

static NoriaStatus expect(Reader *r, char c) {
  char what[] = "expected ' '";
  what[10] = c;
  return try_char(r, c) ? NORIA_OK : malformed(r, what);
}

/* Four hexadecimal digits; false where they are not. */
static bool take_hex(Reader *r, uint32_t *out) {
  *out = 0;
  if (r->end - r->at < 4) return false;
  for (int i = 0; i < 4; i++) {
    char c = *r->at++;
    if (c >= '0' && c <= '9') *out = *out << 4 | (uint32_t)(c - '0');
    else if (c >= 'a' && c <= 'f') *out = *out << 4 | (uint32_t)(c - 'a' + 10);
    else if (c >= 'A' && c <= 'F') *out = *out << 4 | (uint32_t)(c - 'A' + 10);
    else return false;
  }
  return true;
}

static void put_utf8(NrBuf *out, uint32_t c) {
  if (c < 0x80) {
    nr_buf_putc(out, (char)c);
  } else if (c < 0x800) {
    nr_buf_putc(out, (char)(0xc0 | c >> 6));
    nr_buf_putc(out, (char)(0x80 | (c & 0x3f)));
  } else {
    if (c < 0x10000) {
      nr_buf_putc(out, (char)(0xe0 | c >> 12));
    } else {
      nr_buf_putc(out, (char)(0xf0 | c >> 18));
      nr_buf_putc(out, (char)(0x80 | (c >> 12 & 0x3f)));
    }
    nr_buf_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
    nr_buf_putc(out, (char)(0x80 | (c & 0x3f)));
  }
}

/* Behind a backslash. */
static bool take_escape(Reader *r, NrBuf *out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  if (r->at == r->end) return false;
  char c = *r->at++;
  const char *known = c ? strchr(from, c) : NULL;
  if (known) return nr_buf_putc(out, to[known - from]), true;
  uint32_t high, low;
  if (c != 'u' || !take_hex(r, &high)) return false;
  if (high >= 0xd800 && high < 0xdc00) { /* the first of two surrogates */
    if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u') return false;
    r->at += 2;
    if (!take_hex(r, &low) || low < 0xdc00 || low >= 0xe000) return false;
    high = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
  } else if (high >= 0xdc00 && high < 0xe000) {
    return false;
  }
  put_utf8(out, high);
  return true;
}

static NoriaStatus take_string(Reader *r, NrStr *out) {
  TRY(expect(r, '"'));
  NrBuf text = {0};
  bool ok = true;
  while (ok && r->at < r->end && *r->at != '"') {
    char c = *r->at++;
    if (c == '\\') ok = take_escape(r, &text);
    else if ((unsigned char)c < 0x20) ok = false;
    else nr_buf_putc(&text, c);
  }
  ok = ok && r->at < r->end && nr_str_is_utf8((NrStr){text.data, text.size});
  if (ok) *out = nr_str_copy(&r->out->arena, (NrStr){text.data, text.size});
  nr_buf_deinit(&text);
  if (!ok) return malformed(r, "this is no string of JSON");
  r->at++;
  return NORIA_OK;
}

static NoriaStatus take_number(Reader *r, uint64_t *out) {
  skip_spaces(r);
  const char *first = r->at;
  uint64_t value = 0;
  for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, (uint64_t)(*r->at - '0'), &value))
      return malformed(r, "this number is too large");
  bool follows = r->at < r->end && (*r->at == '.' || *r->at == 'e' || *r->at == 'E');
  if (r->at == first || (r->at - first > 1 && *first == '0') || follows)
    return malformed(r, "expected an integer that is not negative");
  *out = value;
  return NORIA_OK;
}

/* ---- entries ---------------------------------------------------------------------------------------------------- */

static NoriaStatus take_shape(Reader *r, NrSafetensor *t) {
  TRY(expect(r, '['));
  if (try_char(r, ']')) return NORIA_OK;
  do {
    uint64_t dim;
    if (t->rank == NORIA_MAX_RANK) return malformed(r, "a tensor has too many dims");
    TRY(take_number(r, &dim));
    if (dim > INT64_MAX) return malformed(r, "this dim is too large");
    t->dims[t->rank++] = (int64_t)dim;
  } while (try_char(r, ','));
  return expect(r, ']');
}

static NoriaStatus take_offsets(Reader *r, NrSafetensor *t) {
  TRY(expect(r, '['));
  TRY(take_number(r, &t->begin));
  TRY(expect(r, ','));
  TRY(take_number(r, &t->end));
  return expect(r, ']');
}

static NoriaDType dtype_of(NrStr name) {
#define SAFETENSOR(text, id)                                                                                           \
  if (nr_str_is(name, #text)) return NORIA_##id;
#include "base/safetensors.def"
  return NORIA_UNDEFINED;
}

static NoriaStatus take_tensor(Reader *r, NrStr key) {
  enum { DTYPE = 1, SHAPE = 2, OFFSETS = 4, ALL = 7 };
  NrSafetensor t = {.key = key};
  unsigned seen = 0;
  TRY(expect(r, '{'));
  do {
    NrStr member;
    TRY(take_string(r, &member));
    unsigned which = nr_str_is(member, "dtype")          ? DTYPE
                     : nr_str_is(member, "shape")        ? SHAPE
                     : nr_str_is(member, "data_offsets") ? OFFSETS
                                                         : 0;
    if (!which || (seen & which)) return malformed(r, which ? "this member is there twice" : "this member is unknown");
    seen |= which;
    TRY(expect(r, ':'));
    TRY(which == DTYPE ? take_string(r, &t.type) : which == SHAPE ? take_shape(r, &t) : take_offsets(r, &t));
  } while (try_char(r, ','));
  TRY(expect(r, '}'));
  if (seen != ALL) return malformed(r, "a tensor needs dtype, shape and data_offsets");
  t.dtype = dtype_of(t.type);
  nr_vec_push(&r->out->tensors, t);
  return NORIA_OK;
}

static NoriaStatus take_metadata(Reader *r) {
  NrStr text;
  TRY(expect(r, '{'));
  if (try_char(r, '}')) return NORIA_OK;
  do {
    TRY(take_string(r, &text));
    TRY(expect(r, ':'));
    TRY(take_string(r, &text));
  } while (try_char(r, ','));
  return expect(r, '}');
}

static NoriaStatus take_header(Reader *r) {
  bool has_metadata = false;
  TRY(expect(r, '{'));
  if (try_char(r, '}')) return NORIA_OK;
  do {
    NrStr key;
    TRY(take_string(r, &key));
    TRY(expect(r, ':'));
    bool is_metadata = nr_str_is(key, "__metadata__");
    if (is_metadata && has_metadata) return malformed(r, "__metadata__ is there twice");
    has_metadata |= is_metadata;
    TRY(is_metadata ? take_metadata(r) : take_tensor(r, key));
  } while (try_char(r, ','));
  TRY(expect(r, '}'));
  skip_spaces(r);
  return r->at == r->end ? NORIA_OK : malformed(r, "the object ends, but the header goes on");
}

/* ---- checks ----------------------------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b) {
  return nr_str_cmp(((const NrSafetensor *)a)->key, ((const NrSafetensor *)b)->key);
}

static int by_offset(const void *a, const void *b) {
  const NrSafetensor *x = a, *y = b;
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  return x->end < y->end ? -1 : x->end > y->end;
}

static NoriaStatus wrong(Reader *r, const NrSafetensor *t, const char *what) {
  return nr_error_set(r->error, NORIA_ERROR_INVALID, "'%s': parameter '%.*s' %s", r->name, NR_STR_ARG(t->key), what);
}

/* Compares the bytes of a tensor with its shape and type. */
static NoriaStatus check_size(Reader *r, const NrSafetensor *t) {
  int64_t count;
  size_t size;
  NoriaError why = NORIA_ERROR_INIT;
  if (t->end < t->begin) return wrong(r, t, "ends before it begins");
  if (!t->dtype) return NORIA_OK;
  NoriaStatus status = nr_shape_size(t->dtype, t->rank, t->dims, &count, &size, &why);
  if (status) nr_error_set(r->error, status, "'%s': parameter '%.*s': %s", r->name, NR_STR_ARG(t->key), why.message);
  noria_error_clear(&why);
  if (status || size == t->end - t->begin) return status;
  return nr_error_set(r->error, NORIA_ERROR_INVALID,
                      "'%s': parameter '%.*s' has %llu bytes, but its shape and type take %zu", r->name,
                      NR_STR_ARG(t->key), (unsigned long long)(t->end - t->begin), size);
}

static NoriaStatus check(Reader *r, uint64_t data_size) {
  NrSafetensor *tensors = r->out->tensors.data;
  size_t count = r->out->tensors.size;
  uint64_t next = 0;
  if (count) qsort(tensors, count, sizeof *tensors, by_offset);
  for (size_t i = 0; i < count; i++) {
    TRY(check_size(r, &tensors[i]));
    if (tensors[i].begin < next) return wrong(r, &tensors[i], "overlaps another one");
    if (tensors[i].begin > next) return wrong(r, &tensors[i], "does not follow the one before it");
    if (tensors[i].end > data_size) return wrong(r, &tensors[i], "ends behind the end of the file, which is too short");
    next = tensors[i].end;
  }
  if (next != data_size)
    return nr_error_set(r->error, NORIA_ERROR_INVALID, "'%s': %llu bytes at the end belong to no parameter", r->name,
                        (unsigned long long)(data_size - next));
  if (count) qsort(tensors, count, sizeof *tensors, by_key);
  for (size_t i = 1; i < count; i++)
    if (nr_str_eq(tensors[i - 1].key, tensors[i].key)) return wrong(r, &tensors[i], "is there twice");
  return NORIA_OK;
}

NoriaStatus nr_safetensors_read(const void *data, size_t size, const char *name, NrSafetensors *out,
                                NoriaError *error) {
  const unsigned char *bytes = data;
  uint64_t length = 0;
  *out = (NrSafetensors){0};
  nr_arena_init(&out->arena);
  for (int i = LENGTH_SIZE; size >= LENGTH_SIZE && i-- > 0;) length = length << 8 | bytes[i];
  if (size < LENGTH_SIZE || length > MOST_HEADER || length > size - LENGTH_SIZE)
    return nr_error_set(error, NORIA_ERROR_INVALID, "'%s' is no safetensors file, or is truncated: %zu bytes", name,
                        size);
  const char *header = (const char *)data + LENGTH_SIZE;
  Reader r = {name, header, header, header + length, out, error};
  TRY(take_header(&r));
  TRY(check(&r, size - LENGTH_SIZE - length));
  for (size_t i = 0; i < out->tensors.size; i++) {
    out->tensors.data[i].begin += LENGTH_SIZE + length;
    out->tensors.data[i].end += LENGTH_SIZE + length;
  }
  return NORIA_OK;
}

void nr_safetensors_deinit(NrSafetensors *file) {
  nr_vec_deinit(&file->tensors);
  nr_arena_deinit(&file->arena);
}

const NrSafetensor *nr_safetensors_find(const NrSafetensors *file, NrStr key) {
  NrSafetensor wanted = {.key = key};
  if (!file->tensors.size) return NULL;
  return bsearch(&wanted, file->tensors.data, file->tensors.size, sizeof wanted, by_key);
}
