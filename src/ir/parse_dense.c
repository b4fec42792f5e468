/* parse_dense.c - elements: dense<...>, sparse<...>, dense_resource<...>, array<...>.
 *
 * The type follows the elements, so the parser skips them, reads the type and then reads the elements. Memory grows
 * with the text, not with the type: a large type with few elements costs nothing. */
#include "base/guard.h"
#include "ir/parse.h"
#include "ir/type_info.h"

#include <ctype.h>

typedef struct Elements {
  NrParser *p;
  NrType elem;
  NrBuf bytes;
  NR_VEC(NrStr) strings; /* of a tensor of strings */
  size_t elem_size, count;
  int64_t dims[NR_MAX_RANK]; /* of the nested lists */
  uint32_t rank;
  bool rank_known;
} Elements;

/* ---- one element ------------------------------------------------------------------------------------------------- */

static bool has_bytes(NrType elem) {
  if (elem->kind == NR_TYPE_COMPLEX) elem = elem->elem;
  if (nr_type_is_int(elem)) return elem->width <= NR_MAX_INT_BITS;
  return nr_type_is_index(elem) || nr_type_is_float(elem);
}

/* Strings, and string elements of types of unknown dialects. */
static bool has_strings(NrType elem) {
  return elem->kind == NR_TYPE_OPAQUE || (elem->info && elem->info->traits & NR_TYPE_IS_STRING);
}

static void put_number(Elements *e, NrAttr value) {
  size_t size = nr_type_byte_size(value->type), known = 8;
  const void *data = &value->bits;
  if (value->kind == NR_ATTR_INTEGER) data = value->num_words ? (const void *)value->words : &value->i;
  if (value->kind == NR_ATTR_INTEGER && value->num_words) known = value->num_words * 8;
  nr_buf_append(&e->bytes, data, NR_MIN(size, known));
  static const char zeros[8];
  if (size > known) nr_buf_append(&e->bytes, zeros, size - known); /* f80, f128: held as f64 */
}

/* Fast path for numbers of common types, without creating an attribute; false for all others. */
static bool put_plain(Elements *e, NrType type) {
  NrParser *p = e->p;
  NrParseMark here = nr_parse_mark(p);
  bool negative = nr_parse_take(p, '-'), done = false;
  uint64_t value;
  double number;
  uint32_t width = nr_type_is_index(type) ? 64 : type->width;
  if (nr_parse_at(p, NR_TOK_FLOAT) && nr_type_is_float(type) && (width == 32 || width == 64)) {
    nr_parse_float_value(p->tok, &number);
    if (negative) number = -number;
    nr_buf_append(&e->bytes, width == 32 ? (const void *)&(float){(float)number} : &number, width / 8);
    done = true;
  } else if (nr_parse_at(p, NR_TOK_INT) && nr_type_is_int_or_index(type) && type->signedness != NR_UNSIGNED &&
             width > 1 && width <= 64 && nr_token_u64(p->tok, &value) && value < 1ull << (width - 1)) {
    if (negative) value = 0 - value;
    nr_buf_append(&e->bytes, &value, nr_type_byte_size(type));
    done = true;
  }
  if (done) nr_parse_advance(p);
  else nr_parse_return_to(p, here);
  return done;
}

static bool parse_number_element(Elements *e, NrType type) {
  NrParser *p = e->p;
  if (put_plain(e, type)) return true;
  if (nr_parse_at_word(p, "true") || nr_parse_at_word(p, "false")) {
    if (!nr_type_is_int_width(type, 1)) return nr_parse_fail(p, "expected i1 type for 'true' or 'false' values");
    nr_buf_putc(&e->bytes, (char)nr_parse_at_word(p, "true"));
    nr_parse_advance(p);
    return true;
  }
  NrAttr value = nr_parse_number(p, type);
  if (!value) return false;
  put_number(e, value);
  return true;
}

static bool parse_element(Elements *e) {
  NrParser *p = e->p;
  e->count++;
  if (has_strings(e->elem)) {
    NrStr text;
    if (!nr_parse_at(p, NR_TOK_STRING))
      return nr_parse_fail(p, "elements of type '%s' are strings", nr_type_text(p->ctx, e->elem));
    if (!nr_parse_string(p, &text)) return false;
    nr_vec_push(&e->strings, text);
    return true;
  }
  if (e->elem->kind != NR_TYPE_COMPLEX) return parse_number_element(e, e->elem);
  return nr_parse_need(p, '(') && parse_number_element(e, e->elem->elem) && nr_parse_need(p, ',') &&
         parse_number_element(e, e->elem->elem) && nr_parse_need(p, ')');
}

/* ---- nested lists ------------------------------------------------------------------------------------------------ */

static bool parse_list(Elements *e, uint32_t depth);

static bool parse_item(Elements *e, uint32_t depth) {
  NrParser *p = e->p;
  nr_poll();
  if (nr_parse_at(p, '[')) return parse_list(e, depth);
  if (e->rank_known && depth != e->rank)
    return nr_parse_fail(p, "tensor literal is invalid; ranks are not consistent between elements");
  e->rank = depth;
  e->rank_known = true;
  return parse_element(e);
}

/* All lists of a depth must be as long as the first. */
static bool parse_list(Elements *e, uint32_t depth) {
  NrParser *p = e->p;
  const char *at = p->tok.begin;
  if (depth == NR_MAX_RANK) return nr_parse_fail(p, "more than %d dimensions", NR_MAX_RANK);
  if (e->rank_known && depth >= e->rank)
    return nr_parse_fail(p, "tensor literal is invalid; ranks are not consistent between elements");
  nr_parse_advance(p);
  int64_t size = 0;
  while (!nr_parse_at(p, ']')) {
    if (!parse_item(e, depth + 1)) return false;
    size++;
    if (!nr_parse_take(p, ',')) break;
  }
  if (!nr_parse_need(p, ']')) return false;
  if (!e->rank_known) {
    e->rank = depth + 1; /* an empty list */
    e->rank_known = true;
  }
  if (e->dims[depth] < 0) e->dims[depth] = size;
  if (e->dims[depth] == size) return true;
  return nr_parse_fail_at(p, at, "tensor literal is invalid; expected %lld elements in this list, but found %lld",
                          (long long)e->dims[depth], (long long)size);
}

static void elements_init(Elements *e, NrParser *p, NrType elem) {
  *e = (Elements){.p = p, .elem = elem, .elem_size = nr_type_byte_size(elem)};
  for (size_t i = 0; i < NR_MAX_RANK; i++) e->dims[i] = -1;
}

static void elements_deinit(Elements *e) {
  nr_buf_deinit(&e->bytes);
  nr_vec_deinit(&e->strings);
}

static void put_dims(NrBuf *out, const int64_t *dims, uint32_t rank) {
  nr_buf_putc(out, '[');
  for (uint32_t i = 0; i < rank; i++) nr_buf_printf(out, i ? ", %lld" : "%lld", (long long)dims[i]);
  nr_buf_putc(out, ']');
}

/* Whether the lists have the shape of the type. A single element without a list is a splat. */
static bool check_shape(Elements *e, const char *at, NrType type) {
  if (e->rank == 0 && e->count == 1) return true;
  bool same = e->rank == type->rank && (e->count || type->rank); /* `dense<>` lacks the one element of a rank-0 type */
  for (uint32_t i = 0; same && i < e->rank; i++) same = NR_MAX(e->dims[i], 0) == type->dims[i];
  int64_t total;
  /* An empty list does not determine the inner dims. */
  if (!same && e->count == 0 && nr_type_num_elements(type, &total) && total == 0) same = true;
  if (same) return true;
  NrBuf text = {0};
  put_dims(&text, e->dims, e->rank);
  nr_buf_puts(&text, ") does not match type (");
  put_dims(&text, type->dims, type->rank);
  nr_parse_fail_at(e->p, at, "inferred shape of elements literal (%s)", text.data);
  nr_buf_deinit(&text);
  return false;
}

/* ---- dense<"0x..."> ---------------------------------------------------------------------------------------------- */

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 32;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The bytes of "0x..." in quotes. */
static bool parse_hex(NrParser *p, NrToken t, NrBuf *out) {
  const char *c = t.begin + 1, *end = t.end - 1;
  if (end - c < 2 || c[0] != '0' || c[1] != 'x' || (end - c) % 2)
    return nr_parse_fail_at(p, t.begin, "expected a string of hex digits that begins with 0x");
  for (c += 2; c < end; c += 2) {
    int high = hex_digit(c[0]), low = hex_digit(c[1]);
    if (high < 0 || low < 0) return nr_parse_fail_at(p, c, "expected hex digits");
    nr_buf_putc(out, (char)(high * 16 + low));
  }
  return true;
}

/* Bytes of one element in MLIR's hexadecimal form: its bits, rounded up to whole bytes. */
static size_t stored_size(NrType elem) {
  if (elem->kind == NR_TYPE_COMPLEX) return 2 * stored_size(elem->elem);
  return nr_type_is_index(elem) ? 8 : ((size_t)elem->width + 7) / 8;
}

/* Converts stored elements to elements in memory. Integers are sign-extended, except i1. */
static void widen(Elements *e, const char *from, size_t count, NrType part, size_t stored) {
  size_t size = nr_type_byte_size(part);
  bool has_sign = nr_type_is_int(part) && part->signedness != NR_UNSIGNED && part->width > 1;
  for (size_t i = 0; i < count; i++, from += stored) {
    if (nr_type_is_int_width(part, 1)) {
      nr_buf_putc(&e->bytes, *from & 1);
      continue;
    }
    nr_buf_append(&e->bytes, from, stored);
    bool negative = has_sign && stored && from[stored - 1] < 0;
    for (size_t k = stored; k < size; k++) nr_buf_putc(&e->bytes, negative ? (char)-1 : 0);
  }
}

static bool stored_elements(Elements *e, const char *at, const NrBuf *raw, NrType type) {
  NrParser *p = e->p;
  int64_t total = 0;
  nr_type_num_elements(type, &total);
  NrType elem = e->elem, part = elem->kind == NR_TYPE_COMPLEX ? elem->elem : elem;
  size_t parts = elem->kind == NR_TYPE_COMPLEX ? 2 : 1, stored = stored_size(part), all;
  if (nr_type_is_float(part) && part->width > 64)
    return nr_parse_fail_at(p, at, "hex data of this element type is not supported");
  /* Before 2025 each i1 took one bit, and a splat was a byte of equal bits. */
  bool bits = nr_type_is_int_width(elem, 1) && raw->size != (size_t)total && raw->size == ((size_t)total + 7) / 8;
  if (bits || (nr_type_is_int_width(elem, 1) && raw->size == 1)) {
    bool splat = !bits || raw->data[0] == (char)-1 || raw->data[0] == 0;
    e->count = raw->size == 1 && splat ? 1 : (size_t)total;
    splat = e->count == 1 && total != 1;
    for (size_t i = 0; i < e->count; i++) nr_buf_putc(&e->bytes, raw->data[i / 8] >> (i % 8) & 1);
    e->rank = splat ? 0 : type->rank;
    return true;
  }
  if (raw->size == stored * parts) e->count = 1;
  else if (nr_mul_size(stored * parts, (size_t)total, &all) && raw->size == all) e->count = (size_t)total;
  else
    return nr_parse_fail_at(p, at, "hex data is %zu bytes, which does not match type '%s'", raw->size,
                            nr_type_text(p->ctx, type));
  widen(e, raw->data, e->count * parts, part, stored);
  return true;
}

/* ---- dense ------------------------------------------------------------------------------------------------------- */

/* Skips `<...>`. */
static bool pass_angles(NrParser *p) {
  const char *begin = p->tok.begin;
  for (nr_parse_advance(p); !nr_parse_at(p, '>'); nr_parse_advance(p)) {
    nr_poll();
    if (nr_parse_at(p, NR_TOK_EOF) || nr_parse_at(p, NR_TOK_ERROR) || nr_parse_at(p, '<') || nr_parse_at(p, '{') ||
        nr_parse_at(p, '}'))
      return nr_parse_at(p, NR_TOK_ERROR) ? nr_parse_fail(p, "expected '>'")
                                          : nr_parse_fail_at(p, begin, "expected '>' for this '<'");
  }
  nr_parse_advance(p);
  return true;
}

/* Reads the type after `<...>`, unless it is known, and returns to the elements. *out_end is the end of the type. */
static NrType type_behind(NrParser *p, NrType type, NrParseMark *out_end) {
  if (!nr_parse_at(p, '<')) return nr_parse_need(p, '<'), NULL;
  NrParseMark here = nr_parse_mark(p);
  if (!pass_angles(p)) return NULL;
  const char *at = p->tok.begin;
  if (!type && (!nr_parse_need(p, ':') || !(type = nr_parse_type_here(p)))) return NULL;
  bool shaped = type->kind == NR_TYPE_TENSOR || type->kind == NR_TYPE_VECTOR || type->kind == NR_TYPE_MEMREF;
  int64_t total;
  if (!shaped || !nr_type_has_static_shape(type)) {
    nr_parse_fail_at(p, at, "elements literal must be a ranked tensor or vector type with static shape");
    return NULL;
  }
  if (!nr_type_num_elements(type, &total)) return nr_parse_fail_at(p, at, "the type has too many elements"), NULL;
  if (!has_bytes(type->elem) && !has_strings(type->elem)) {
    nr_parse_fail_at(p, at, "elements of type '%s' have no literals", nr_type_text(p->ctx, type->elem));
    return NULL;
  }
  *out_end = nr_parse_mark(p);
  nr_parse_return_to(p, here);
  nr_parse_advance(p);
  return type;
}

/* The text between the angle brackets, for a known type. */
static NrAttr parse_elements(Elements *e, NrType type) {
  NrParser *p = e->p;
  const char *at = p->tok.begin;
  bool strings = has_strings(e->elem), ok = true;
  if (nr_parse_at(p, NR_TOK_STRING) && !strings) {
    NrBuf raw = {0};
    ok = parse_hex(p, p->tok, &raw) && stored_elements(e, at, &raw, type);
    nr_buf_deinit(&raw);
    nr_parse_advance(p);
  } else if (!nr_parse_at(p, '>')) {
    ok = parse_item(e, 0) && check_shape(e, at, type);
  } else {
    ok = check_shape(e, at, type);
  }
  if (!ok || !nr_parse_need(p, '>')) return NULL;
  int64_t total;
  nr_type_num_elements(type, &total);
  if (!strings) return nr_attr_dense(type, e->bytes.data, total == 0 ? 0 : e->bytes.size);
  /* A splat of strings is expanded, up to a limit. Elements of unknown types, which are only kept, stay a splat. */
  bool splat = e->count == 1 && e->rank == 0 && total;
  if (splat && type->elem->kind == NR_TYPE_OPAQUE) return nr_attr_dense_strings(type, e->strings.data, 1);
  if (splat && total <= 1 << 20)
    while (e->strings.size && (int64_t)e->strings.size < total) nr_vec_push(&e->strings, e->strings.data[0]);
  if ((int64_t)e->strings.size != total)
    return nr_parse_fail_at(p, at, "expected %lld strings", (long long)total), NULL;
  return nr_attr_dense_strings(type, e->strings.data, e->strings.size);
}

NrAttr nr_parse_dense(NrParser *p, NrType type) {
  NrParseMark end;
  nr_parse_advance(p);
  if (!(type = type_behind(p, type, &end))) return NULL;
  NrScratchMark mark = nr_parse_scratch_mark(p);
  Elements e;
  elements_init(&e, p, type->elem);
  NrAttr attr = parse_elements(&e, type);
  elements_deinit(&e);
  nr_parse_scratch_release(p, mark);
  if (attr) nr_parse_return_to(p, end);
  return attr;
}

/* ---- sparse<[[0, 0], [1, 2]], [1.0, 2.0]> ------------------------------------------------------------------------ */

/* A literal whose shape must be that of its type. */
static NrAttr parse_free_literal(NrParser *p, NrType elem) {
  Elements e;
  elements_init(&e, p, elem);
  NrAttr attr = NULL;
  if (parse_item(&e, 0)) {
    for (uint32_t i = 0; i < e.rank; i++) e.dims[i] = NR_MAX(e.dims[i], 0);
    attr = nr_attr_dense(nr_type_tensor(e.dims, e.rank, elem), e.bytes.data, e.bytes.size);
  }
  elements_deinit(&e);
  return attr;
}

/* As in MLIR: n x rank indices, n values. A single index may omit the list, and may be one number if it is the same in
 * all dims. A single value without a list is that of all indices. */
static bool check_sparse(NrParser *p, const char *at, NrType type, NrAttr *indices, NrAttr *values) {
  NrType it = (*indices)->type, vt = (*values)->type;
  bool none = it->rank == 1 && it->dims[0] == 0;
  bool each = it->rank == 1 && type->rank == 1 && it->dims[0] != 1; /* [0, 2]: of one dim, they need no lists */
  int64_t count = it->rank == 2 || each ? it->dims[0] : 1, n = vt->rank ? vt->dims[0] : count;
  bool fits = vt->rank <= 1;
  if (none) fits &= n == 0;
  else if (it->rank == 2 || each) fits &= count == n && (each || it->dims[1] == (int64_t)type->rank);
  else fits &= n == 1 && type->rank && (it->rank == 0 || it->dims[0] == (int64_t)type->rank);
  if (!fits) return nr_parse_fail_at(p, at, "sparse indices and values do not match each other and the type");
  NrType shape = nr_type_tensor((int64_t[]){n, type->rank}, 2, it->elem);
  *indices = nr_attr_dense(shape, (*indices)->data, (*indices)->data_size);
  *values = nr_attr_dense(nr_type_tensor(&n, 1, vt->elem), (*values)->data, (*values)->data_size);
  int64_t total = 0;
  nr_type_num_elements(shape, &total);
  for (int64_t i = 0; i < total; i++) {
    int64_t index;
    memcpy(&index, nr_attr_element_ptr(*indices, i), sizeof index);
    if (index < 0 || index >= type->dims[i % type->rank])
      return nr_parse_fail_at(p, at, "sparse index %lld is outside of the type", (long long)index);
  }
  return true;
}

NrAttr nr_parse_sparse(NrParser *p, NrType type) {
  NrParseMark end;
  nr_parse_advance(p);
  if (!(type = type_behind(p, type, &end))) return NULL;
  const char *at = p->tok.begin;
  if (!has_bytes(type->elem)) return nr_parse_fail_at(p, at, "sparse elements must be numbers"), NULL;
  NrType i64 = nr_type_i64(p->ctx);
  NrAttr indices, values;
  if (nr_parse_at(p, '>')) {
    indices = nr_attr_dense(nr_type_tensor((int64_t[]){0, type->rank}, 2, i64), NULL, 0);
    values = nr_attr_dense(nr_type_tensor((int64_t[]){0}, 1, type->elem), NULL, 0);
  } else {
    if (!(indices = parse_free_literal(p, i64)) || !nr_parse_need(p, ',')) return NULL;
    if (!(values = parse_free_literal(p, type->elem)) || !check_sparse(p, at, type, &indices, &values)) return NULL;
  }
  if (!nr_parse_need(p, '>')) return NULL;
  nr_parse_return_to(p, end);
  return nr_attr_sparse(type, indices, values);
}

/* ---- dense_resource<key> ----------------------------------------------------------------------------------------- */

/* The data begins with its alignment, four bytes. The context owns it, aligned to 64 bytes. */
static const void *resource_data(NrParser *p, const NrToken *text, size_t *out_size) {
  enum { ALIGN = 64 };
  NrBuf raw = {0};
  const void *data = NULL;
  if (parse_hex(p, *text, &raw)) {
    if (raw.size < 4) {
      nr_parse_fail_at(p, text->begin, "resource data must begin with its alignment, four bytes");
    } else {
      *out_size = raw.size - 4;
      uintptr_t memory = (uintptr_t)nr_arena_alloc(nr_context_arena(p->ctx), *out_size + ALIGN);
      memory = (memory + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
      memcpy((void *)memory, raw.data + 4, *out_size);
      data = (const void *)memory;
    }
  }
  nr_buf_deinit(&raw);
  return data;
}

static bool check_resource_size(NrParser *p, const char *at, NrType type, size_t size) {
  int64_t total;
  size_t need;
  bool known = nr_type_num_elements(type, &total) && has_bytes(type->elem) &&
               nr_mul_size(nr_type_byte_size(type->elem), (size_t)total, &need);
  if (known && need == size) return true;
  return nr_parse_fail_at(p, at, "resource of %zu bytes does not match type '%s'", size, nr_type_text(p->ctx, type));
}

NrAttr nr_parse_dense_resource(NrParser *p, NrType type) {
  NrStr key;
  nr_parse_advance(p);
  if (!nr_parse_need(p, '<')) return NULL;
  const char *at = p->tok.begin;
  if (nr_parse_at(p, NR_TOK_STRING)) {
    if (!nr_parse_string(p, &key)) return NULL;
  } else {
    key = nr_token_str(p->tok);
    if (!nr_parse_need(p, NR_TOK_BARE)) return NULL;
  }
  key = nr_context_intern(p->ctx, key);
  if (!nr_parse_need(p, '>')) return NULL;
  if (!type && (!nr_parse_need(p, ':') || !(type = nr_parse_type_here(p)))) return NULL;
  if (type->kind != NR_TYPE_TENSOR && type->kind != NR_TYPE_VECTOR && type->kind != NR_TYPE_MEMREF)
    return nr_parse_fail_at(p, at, "dense_resource must have a ranked tensor, vector or memref type"), NULL;
  const NrToken *text = nr_parse_find_resource(p, key);
  /* A key without data, as in text with elided constants, is accepted; the constant has no values. */
  if (!text) return nr_attr_resource(type, key, NULL, 0);
  NrParsedResource *known = nr_strmap_get(&p->resource_data, key);
  if (!known) {
    known = NR_NEW(&p->arena, NrParsedResource);
    if (!(known->data = resource_data(p, text, &known->size))) return NULL;
    nr_strmap_set(&p->resource_data, key, known);
  }
  if (!check_resource_size(p, at, type, known->size)) return NULL;
  return nr_attr_resource(type, key, known->data, known->size);
}

/* ---- array<i64: 1, 2> -------------------------------------------------------------------------------------------- */

NrAttr nr_parse_array_attr(NrParser *p) {
  nr_parse_advance(p);
  if (!nr_parse_need(p, '<')) return NULL;
  const char *at = p->tok.begin;
  NrType elem = nr_parse_type_here(p);
  if (!elem) return NULL;
  bool whole_bytes = nr_type_is_int(elem) && (elem->width == 1 || (elem->width && elem->width % 8 == 0));
  if (!has_bytes(elem) || !(whole_bytes || nr_type_is_float(elem)))
    return nr_parse_fail_at(p, at, "elements of an array are floats, i1, or integers of whole bytes"), NULL;
  Elements e;
  elements_init(&e, p, elem);
  bool ok = true;
  if (nr_parse_take(p, ':')) {
    do ok = parse_number_element(&e, elem);
    while (ok && nr_parse_take(p, ','));
  }
  NrAttr attr = ok && nr_parse_need(p, '>') ? nr_attr_dense_array(elem, e.bytes.data, e.bytes.size) : NULL;
  elements_deinit(&e);
  return attr;
}
