/* npy.c - reads .npy files: a magic string, a version, the text of a Python dict, and the elements.
 * The format is described in numpy/lib/format.py. */
#include "runtime/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const NrNpyType types[] = {
    {NORIA_BOOL, 'b', 1, 1}, {NORIA_I8, 'i', 1, 1},  {NORIA_I16, 'i', 2, 2}, {NORIA_I32, 'i', 4, 4},
    {NORIA_I64, 'i', 8, 8},  {NORIA_U8, 'u', 1, 1},  {NORIA_U16, 'u', 2, 2}, {NORIA_U32, 'u', 4, 4},
    {NORIA_U64, 'u', 8, 8},  {NORIA_F16, 'f', 2, 2}, {NORIA_F32, 'f', 4, 4}, {NORIA_F64, 'f', 8, 8},
    {NORIA_C64, 'c', 8, 4},  {NORIA_C128, 'c', 16, 8},
};

const NrNpyType *nr_npy_type_of(NoriaDType dtype) {
  for (size_t i = 0; i < NR_COUNTOF(types); i++)
    if (types[i].dtype == dtype) return &types[i];
  return NULL;
}

const NrNpyType *nr_npy_type_named(char kind, int64_t size) {
  for (size_t i = 0; i < NR_COUNTOF(types); i++)
    if (types[i].kind == kind && types[i].size == size) return &types[i];
  return NULL;
}

/* ---- the header -------------------------------------------------------------------------------------------------- */

typedef struct Header {
  NoriaDType dtype;
  const NrNpyType *type; /* NULL: strings */
  char string_kind;      /* 'U' or 'S' */
  int64_t string_size;   /* characters of 4 bytes, or bytes */
  bool swapped, fortran;
  int64_t rank, dims[NORIA_MAX_RANK], count;
  size_t item_size, data_size; /* in the file */
} Header;

typedef struct Cursor {
  const char *at, *end;
  NoriaError *error;
} Cursor;

static NoriaStatus malformed(Cursor *c, const char *what) {
  return nr_error_set(c->error, NORIA_ERROR_INVALID, "the .npy header is malformed: %s", what);
}

static void skip_space(Cursor *c) {
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t')) c->at++;
}

static bool take(Cursor *c, char wanted) {
  skip_space(c);
  if (c->at == c->end || *c->at != wanted) return false;
  c->at++;
  return true;
}

static bool take_quoted(Cursor *c, NrStr *out) {
  skip_space(c);
  if (c->at == c->end || (*c->at != '\'' && *c->at != '"')) return false;
  char quote = *c->at++;
  const char *begin = c->at;
  while (c->at < c->end && *c->at != quote) c->at++;
  if (c->at == c->end) return false;
  *out = (NrStr){begin, (size_t)(c->at++ - begin)};
  return true;
}

static bool take_word(Cursor *c, const char *word) {
  skip_space(c);
  size_t size = strlen(word);
  if ((size_t)(c->end - c->at) < size || memcmp(c->at, word, size) != 0) return false;
  c->at += size;
  return true;
}

/* Digits as a number that fits; NULL when there are none or it does not. */
static const char *parse_digits(const char *p, const char *end, int64_t *out) {
  const char *begin = p;
  *out = 0;
  for (; p < end && *p >= '0' && *p <= '9'; p++)
    if (!nr_mul_i64(*out, 10, out) || !nr_add_i64(*out, *p - '0', out)) return NULL;
  return p == begin ? NULL : p;
}

static NoriaStatus parse_descr(Cursor *c, Header *h) {
  NrStr s;
  skip_space(c);
  if (c->at < c->end && *c->at == '[')
    return nr_error_set(c->error, NORIA_ERROR_UNSUPPORTED, "structured elements in a .npy file");
  if (!take_quoted(c, &s) || s.size < 2) return malformed(c, "descr");
  const char *p = s.data, *end = s.data + s.size;
  if (strchr("<>|=", *p)) h->swapped = *p++ == '>';
  char kind = p < end ? *p++ : 0;
  int64_t size = 0;
  if (kind != 'O' && parse_digits(p, end, &size) != end) return malformed(c, "descr");
  if (kind == 'U' || kind == 'S') {
    size_t bytes;
    if (!nr_mul_size((size_t)size, kind == 'U' ? 4 : 1, &bytes)) return malformed(c, "descr");
    h->dtype = NORIA_STRING;
    h->string_kind = kind;
    h->string_size = size;
    h->item_size = bytes;
    return NORIA_OK;
  }
  h->type = nr_npy_type_named(kind, size);
  if (kind == 'V')
    return nr_error_set(c->error, NORIA_ERROR_UNSUPPORTED,
                        "void elements ('%.*s') in a .npy file: types that NumPy does not have, such as bfloat16, lose "
                        "their name there",
                        NR_STR_ARG(s));
  if (!h->type)
    return nr_error_set(c->error, NORIA_ERROR_UNSUPPORTED, "elements of type '%.*s' in a .npy file", NR_STR_ARG(s));
  h->dtype = h->type->dtype;
  h->item_size = h->type->size;
  return NORIA_OK;
}

static NoriaStatus parse_shape(Cursor *c, Header *h) {
  if (!take(c, '(')) return malformed(c, "shape");
  while (!take(c, ')')) {
    const char *p;
    skip_space(c);
    if (h->rank == NORIA_MAX_RANK)
      return nr_error_set(c->error, NORIA_ERROR_UNSUPPORTED, "a .npy file of more than %d dims", NORIA_MAX_RANK);
    if (!(p = parse_digits(c->at, c->end, &h->dims[h->rank++]))) return malformed(c, "shape");
    c->at = p;
    (void)take_word(c, "L"); /* Python 2 */
    if (take(c, ',')) continue;
    if (!take(c, ')')) return malformed(c, "shape");
    break;
  }
  return NORIA_OK;
}

static NoriaStatus parse_dict(Cursor *c, Header *h) {
  enum { DESCR = 1, ORDER = 2, SHAPE = 4, ALL = 7 };
  int seen = 0;
  if (!take(c, '{')) return malformed(c, "no dict");
  while (!take(c, '}')) {
    NrStr key;
    NoriaStatus status = NORIA_OK;
    if (!take_quoted(c, &key) || !take(c, ':')) return malformed(c, "key");
    int bit = nr_str_is(key, "descr")           ? DESCR
              : nr_str_is(key, "fortran_order") ? ORDER
              : nr_str_is(key, "shape")         ? SHAPE
                                                : 0;
    if (!bit || (seen & bit)) return malformed(c, "an unknown or repeated key");
    seen |= bit;
    if (bit == DESCR) status = parse_descr(c, h);
    if (bit == SHAPE) status = parse_shape(c, h);
    if (bit == ORDER && !(h->fortran = take_word(c, "True")) && !take_word(c, "False"))
      return malformed(c, "fortran_order");
    if (status) return status;
    if (take(c, ',')) continue;
    if (!take(c, '}')) return malformed(c, "no end");
    break;
  }
  skip_space(c);
  if (seen != ALL || c->at != c->end) return malformed(c, "a key is missing, or text follows the dict");
  return NORIA_OK;
}

/* *out_data is where the elements begin. */
static NoriaStatus parse_header(const unsigned char *data, size_t size, Header *h, const unsigned char **out_data,
                                NoriaError *error) {
  *h = (Header){0};
  if (size < 10 || memcmp(data, "\x93NUMPY", 6) != 0)
    return nr_error_set(error, NORIA_ERROR_INVALID, "this is not a .npy file");
  int version = data[6];
  if (version < 1 || version > 3)
    return nr_error_set(error, NORIA_ERROR_UNSUPPORTED, "a .npy file of version %d", version);
  size_t start = version == 1 ? 10 : 12, length = (size_t)data[8] | (size_t)data[9] << 8;
  if (version > 1 && size >= 12) length |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
  if (size < start || size - start < length)
    return nr_error_set(error, NORIA_ERROR_INVALID, "the .npy header is cut off");
  Cursor c = {(const char *)data + start, (const char *)data + start + length, error};
  NoriaStatus status = parse_dict(&c, h);
  size_t unused, have = size - start - length;
  if (!status) status = nr_shape_size(h->dtype, h->rank, h->dims, &h->count, &unused, error);
  if (status) return status;
  if (h->item_size == 0 && h->count > 0)
    return nr_error_set(error, NORIA_ERROR_INVALID, "the .npy file has strings of size 0");
  if (!nr_mul_size((size_t)h->count, h->item_size, &h->data_size) || have < h->data_size)
    return nr_error_set(error, NORIA_ERROR_INVALID, "the .npy file has %zu bytes of data, its shape needs %lld x %zu",
                        have, (long long)h->count, h->item_size);
  *out_data = data + start + length;
  return NORIA_OK;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* Walks a Fortran-order array in row-major order: gives the file's element for each of ours. */
typedef struct Order {
  const Header *h;
  int64_t index[NORIA_MAX_RANK], stride[NORIA_MAX_RANK], at;
} Order;

static void order_init(Order *o, const Header *h) {
  *o = (Order){.h = h};
  int64_t step = 1;
  for (int64_t i = 0; i < h->rank && h->count > 0; i++) {
    int64_t d = h->fortran ? i : h->rank - 1 - i;
    o->stride[d] = step;
    step *= h->dims[d];
  }
}

static int64_t order_next(Order *o) {
  int64_t at = o->at;
  for (int64_t d = o->h->rank - 1; d >= 0; d--) {
    o->at += o->stride[d];
    if (++o->index[d] < o->h->dims[d]) break;
    o->at -= o->stride[d] * o->h->dims[d];
    o->index[d] = 0;
  }
  return at;
}

static void swap_bytes(unsigned char *p, size_t unit, size_t size) {
  for (size_t from = 0; from < size; from += unit)
    for (size_t i = 0; i < unit / 2; i++) {
      unsigned char byte = p[from + i];
      p[from + i] = p[from + unit - 1 - i];
      p[from + unit - 1 - i] = byte;
    }
}

static void decode_numbers(const Header *h, const unsigned char *data, unsigned char *to) {
  size_t size = h->item_size;
  if (!h->fortran) {
    memcpy(to, data, h->data_size);
  } else {
    Order order;
    order_init(&order, h);
    for (int64_t i = 0; i < h->count; i++)
      memcpy(to + (size_t)i * size, data + (size_t)order_next(&order) * size, size);
  }
  if (h->swapped) swap_bytes(to, h->type->unit, h->data_size);
  if (h->dtype == NORIA_BOOL)
    for (size_t i = 0; i < h->data_size; i++) to[i] = to[i] != 0;
}

/* Appends the character as UTF-8; false when there is no such character. */
static bool put_utf8(NrBuf *buf, uint32_t c) {
  if (c >= 0x110000 || (c >= 0xd800 && c < 0xe000)) return false;
  if (c < 0x80) {
    nr_buf_putc(buf, (char)c);
  } else {
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    nr_buf_putc(buf, (char)(lead[more] | c >> 6 * more));
    while (more-- > 0) nr_buf_putc(buf, (char)(0x80 | (c >> 6 * more & 0x3f)));
  }
  return true;
}

/* One fixed-width string, without the NULs that fill it. */
static bool decode_string(const Header *h, const unsigned char *p, NrBuf *buf) {
  buf->size = 0;
  if (h->string_kind == 'S') {
    int64_t size = h->string_size;
    while (size > 0 && p[size - 1] == 0) size--;
    if (size > 0) nr_buf_append(buf, p, (size_t)size);
    return true;
  }
  int64_t length = h->string_size;
  while (length > 0 && memcmp(p + 4 * (length - 1), "\0\0\0\0", 4) == 0) length--;
  for (int64_t i = 0; i < length; i++, p += 4) {
    uint32_t c = h->swapped ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
                            : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
    if (!put_utf8(buf, c)) return false;
  }
  return true;
}

static NoriaStatus decode_strings(const Header *h, const unsigned char *data, NoriaString **to, NoriaError *error) {
  NrBuf buf = {0};
  Order order;
  NoriaStatus status = NORIA_OK;
  order_init(&order, h);
  for (int64_t i = 0; i < h->count && !status; i++) {
    if (!decode_string(h, data + (size_t)order_next(&order) * h->item_size, &buf))
      status = nr_error_set(error, NORIA_ERROR_INVALID, "string %lld of the .npy file is not Unicode", (long long)i);
    else if (!(to[i] = nr_string_new(buf.data, buf.size)))
      status = nr_error_set_memory(error, buf.size);
  }
  nr_buf_deinit(&buf);
  return status;
}

static NoriaStatus decode(const Header *h, const unsigned char *data, NoriaValue **out_value, NoriaError *error) {
  size_t size = (size_t)h->count * noria_dtype_size(h->dtype);
  NoriaStatus status = NORIA_OK;
  NoriaValue *value = nr_tensor_alloc(h->dtype, h->rank, h->dims, h->count, size);
  if (!value) return nr_error_set_memory(error, size);
  if (h->dtype == NORIA_STRING)
    status = decode_strings(h, data, value->as.tensor.data, error);
  else
    decode_numbers(h, data, value->as.tensor.data);
  if (status)
    noria_value_release(value);
  else
    *out_value = value;
  return status;
}

NoriaStatus noria_npy_decode(const void *data, size_t size, NoriaValue **out_value, NoriaError *error) {
  Header h;
  const unsigned char *elements = NULL;
  *out_value = NULL;
  NoriaStatus status = parse_header(data, size, &h, &elements, error);
  return status ? status : decode(&h, elements, out_value, error);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* The whole file, in memory for free(). */
static NoriaStatus read_file(const char *path, unsigned char **out_data, size_t *out_size, NoriaError *error) {
  unsigned char *data = NULL, *grown;
  size_t size = 0, capacity;
  struct stat info;
  NoriaStatus status = NORIA_OK;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &info) < 0) {
    status = nr_error_set(error, errno == ENOENT ? NORIA_ERROR_NOT_FOUND : NORIA_ERROR_IO, "%s: %s", path,
                          strerror(errno));
    if (fd >= 0) close(fd);
    return status;
  }
  /* One more byte than the file has, so that its end shows without growing. */
  capacity = info.st_size > 0 ? (size_t)info.st_size + 1 : 1 << 16;
  for (;;) {
    if (!data || size == capacity) {
      if (data && !nr_mul_size(capacity, 2, &capacity)) break;
      if (!(grown = realloc(data, capacity))) break;
      data = grown;
    }
    ssize_t n = read(fd, data + size, capacity - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) status = nr_error_set(error, NORIA_ERROR_IO, "%s: %s", path, strerror(errno));
    if (n <= 0) {
      close(fd);
      if (status) {
        free(data);
        return status;
      }
      *out_data = data;
      *out_size = size;
      return NORIA_OK;
    }
    size += (size_t)n;
  }
  close(fd);
  free(data);
  return nr_error_set_memory(error, capacity);
}

NoriaStatus noria_npy_read(const char *path, NoriaValue **out_value, NoriaError *error) {
  unsigned char *data = NULL;
  const unsigned char *elements = NULL;
  size_t size = 0;
  Header h;
  NoriaError inner = NORIA_ERROR_INIT;
  *out_value = NULL;
  if (!path) return nr_error_set(error, NORIA_ERROR_INVALID, "there is no path");
  NoriaStatus status = read_file(path, &data, &size, error);
  if (status) return status;
  status = parse_header(data, size, &h, &elements, &inner);
  /* The elements stay where they were read, unless they are not what compiled code wants. */
  bool as_is = !status && h.type && !h.swapped && !h.fortran && h.dtype != NORIA_BOOL &&
               (uintptr_t)elements % nr_dtype_alignment(h.dtype) == 0;
  if (as_is) {
    *out_value = nr_tensor_new(h.dtype, h.rank, h.dims, (void *)(uintptr_t)elements, free, data);
    if (!*out_value) status = nr_error_set_memory(&inner, sizeof(NoriaValue));
  } else if (!status) {
    status = decode(&h, elements, out_value, &inner);
  }
  if (!as_is || status) free(data);
  if (status) status = nr_error_set(error, status, "%s: %s", path, inner.message ? inner.message : "");
  noria_error_clear(&inner);
  return status;
}
