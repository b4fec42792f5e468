/* parse_attr.c - attributes, in the spellings of all years. Elements of dense ones are read by parse_dense.c. */
#include "ir/parse.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Digits and exponent of a float of the lexer's form; false when there are too many of either. */
static bool short_float(NrToken t, uint64_t *out_digits, int *out_exponent) {
  uint64_t digits = 0;
  int exponent = 0, count = 0;
  const char *c = t.begin;
  bool fraction = false;
  for (; c < t.end && *c != 'e' && *c != 'E'; c++) {
    if (*c == '.') {
      fraction = true;
      continue;
    }
    digits = digits * 10 + (uint64_t)(*c - '0');
    exponent -= fraction;
    if (digits && ++count > 15) return false;
  }
  if (c < t.end) {
    bool negative = *++c == '-';
    if (*c == '-' || *c == '+') c++;
    if (t.end - c > 4) return false;
    int value = 0;
    for (; c < t.end; c++) value = value * 10 + (*c - '0');
    exponent += negative ? -value : value;
  }
  *out_digits = digits;
  *out_exponent = exponent;
  return true;
}

/* Up to 15 digits and a power of ten up to 22 are exact in a double, so that one operation rounds correctly (Clinger
 * 1990). The rest is left to the C library, in the "C" locale whatever the process uses. */
bool nr_parse_float_value(NrToken t, double *out) {
  uint64_t digits;
  int exponent;
  if (short_float(t, &digits, &exponent) && exponent >= -22 && exponent <= 22) {
    *out = exponent < 0 ? (double)digits / powers_of_ten[-exponent] : (double)digits * powers_of_ten[exponent];
    return true;
  }
  size_t size = (size_t)(t.end - t.begin);
  char *text = nr_malloc(size + 1);
  memcpy(text, t.begin, size);
  text[size] = 0;
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  *out = c_locale ? strtod_l(text, NULL, c_locale) : strtod(text, NULL);
  if (c_locale) freelocale(c_locale);
  nr_free(text);
  return true;
}

bool nr_parse_wide_int(NrParser *p, NrToken t, size_t max_bits, uint64_t **out_words, size_t *out_count) {
  size_t count = (max_bits + 63) / 64 + 1;
  uint64_t *words = nr_parse_scratch(p, count, sizeof *words);
  memset(words, 0, count * sizeof *words);
  const char *c = t.begin;
  bool hex = t.end - c > 2 && c[1] == 'x';
  for (c += hex ? 2 : 0; c < t.end; c++) {
    uint64_t carry = (uint64_t)(*c <= '9' ? *c - '0' : (*c | 32) - 'a' + 10);
    for (size_t i = 0; i < count; i++) {
      unsigned __int128 next = (unsigned __int128)words[i] * (hex ? 16 : 10) + carry;
      words[i] = (uint64_t)next;
      carry = (uint64_t)(next >> 64);
    }
    /* The last word is spare: once it is used, the number is too large. */
    if (carry || words[count - 1]) return nr_parse_fail_at(p, t.begin, "integer constant out of range");
  }
  *out_words = words;
  *out_count = count;
  return true;
}

static size_t bit_length(const uint64_t *words, size_t count) {
  while (count && !words[count - 1]) count--;
  return count ? count * 64 - (size_t)__builtin_clzll(words[count - 1]) : 0;
}

static void negate(uint64_t *words, size_t count) {
  bool carry = true;
  for (size_t i = 0; i < count; i++) {
    words[i] = ~words[i] + carry;
    carry = carry && words[i] == 0;
  }
}

static bool is_power_of_two(const uint64_t *words, size_t count) {
  int bits = 0;
  for (size_t i = 0; i < count; i++) bits += __builtin_popcountll(words[i]);
  return bits == 1;
}

bool nr_parse_int_words(NrParser *p, NrToken t, bool negative, NrType type, uint64_t **out_words, size_t *out_count) {
  size_t width = nr_type_is_index(type) ? 64 : type->width;
  if (width > NR_MAX_INT_BITS)
    return nr_parse_fail_at(p, t.begin, "integer constants are limited to %d bits", NR_MAX_INT_BITS);
  uint64_t *words, small;
  size_t count;
  if (width <= 64 && nr_token_u64(t, &small)) {
    words = nr_parse_scratch(p, 2, sizeof *words);
    words[0] = small;
    words[1] = 0;
    count = 2;
  } else if (!nr_parse_wide_int(p, t, width, &words, &count)) {
    return false;
  }
  /* Signless values may be written with or without sign; hex digits are bits. */
  size_t bits = bit_length(words, count);
  bool hex = t.end - t.begin > 2 && t.begin[1] == 'x';
  bool fits = bits <= width;
  if (negative)
    fits =
        type->signedness != NR_UNSIGNED ? bits < width || (bits == width && is_power_of_two(words, count)) : bits == 0;
  else if (type->signedness == NR_SIGNED && !hex) fits = bits < width || bits == 0;
  if (!fits)
    return nr_parse_fail_at(p, t.begin, "integer constant out of range for type '%s'", nr_type_text(p->ctx, type));
  if (negative) negate(words, count);
  *out_words = words;
  *out_count = count;
  return true;
}

static NrAttr int_attr(NrParser *p, NrToken t, bool negative, NrType type) {
  NrScratchMark mark = nr_parse_scratch_mark(p);
  uint64_t *words;
  size_t count;
  NrAttr attr = NULL;
  if (nr_parse_int_words(p, t, negative, type, &words, &count)) attr = nr_attr_int_wide(type, words, count);
  nr_parse_scratch_release(p, mark);
  return attr;
}

/* An integer that stands for a float: its bits, in hex. */
static NrAttr float_bits_attr(NrParser *p, NrToken t, bool negative, NrType type) {
  uint64_t bits;
  bool hex = t.end - t.begin > 2 && t.begin[1] == 'x';
  if (!hex || negative) {
    nr_parse_fail_at(p, t.begin,
                     "unexpected decimal integer for a floating-point value; add a trailing dot to make it a float");
    return NULL;
  }
  uint32_t width = type->width > 64 ? 64 : type->width;
  if (!nr_token_u64(t, &bits) || (width < 64 && bits >> width) || type->width > 64) {
    nr_parse_fail_at(p, t.begin, "hexadecimal float constant out of range for type '%s'", nr_type_text(p->ctx, type));
    return NULL;
  }
  return nr_attr_float_bits(type, bits);
}

/* Sign and digits, with the type behind them unless it is known. */
NrAttr nr_parse_number(NrParser *p, NrType type) {
  bool negative = nr_parse_take(p, '-');
  NrToken t = p->tok;
  if (t.kind != NR_TOK_INT && t.kind != NR_TOK_FLOAT) return nr_parse_fail(p, "expected a number"), NULL;
  nr_parse_advance(p);
  if (!type) {
    type = t.kind == NR_TOK_INT ? nr_type_i64(p->ctx) : nr_type_f64(p->ctx);
    if (nr_parse_take(p, ':') && !(type = nr_parse_type_here(p))) return NULL;
  }
  if (t.kind == NR_TOK_INT && nr_type_is_int_or_index(type)) return int_attr(p, t, negative, type);
  if (t.kind == NR_TOK_INT && nr_type_is_float(type)) return float_bits_attr(p, t, negative, type);
  if (t.kind == NR_TOK_FLOAT && nr_type_is_float(type)) {
    double value;
    nr_parse_float_value(t, &value);
    return nr_attr_float(type, negative ? -value : value);
  }
  nr_parse_fail_at(p, t.begin, "%s value does not fit type '%s'", t.kind == NR_TOK_INT ? "integer" : "floating-point",
                   nr_type_text(p->ctx, type));
  return NULL;
}

/* ---- arrays, dictionaries, symbols ------------------------------------------------------------------------------- */

static NrAttr parse_array(NrParser *p) {
  NR_VEC(NrAttr) items = {0};
  bool ok = true;
  nr_parse_advance(p);
  if (!nr_parse_at(p, ']')) {
    do {
      NrAttr item = nr_parse_attr_here(p, NULL);
      ok = item != NULL;
      if (ok) nr_vec_push(&items, item);
    } while (ok && nr_parse_take(p, ','));
  }
  NrAttr attr = ok && nr_parse_need(p, ']') ? nr_attr_array(p->ctx, items.data, items.size) : NULL;
  nr_vec_deinit(&items);
  return attr;
}

static bool parse_dict_entry(NrParser *p, NrNamedAttr *out) {
  if (nr_parse_at(p, NR_TOK_STRING)) {
    if (!nr_parse_string(p, &out->name)) return false;
    if (!out->name.size) return nr_parse_fail(p, "expected the name of an attribute");
  } else if (nr_parse_at(p, NR_TOK_BARE)) {
    out->name = nr_token_str(p->tok);
    nr_parse_advance(p);
  } else {
    return nr_parse_fail(p, "expected the name of an attribute");
  }
  out->name = nr_context_intern(p->ctx, out->name);
  out->value = nr_parse_take(p, '=') ? nr_parse_attr_here(p, NULL) : nr_attr_unit(p->ctx);
  return out->value != NULL;
}

static int compare_names(const void *a, const void *b) {
  const NrNamedAttr *x = a, *y = b;
  return x->name.data < y->name.data ? -1 : x->name.data > y->name.data;
}

/* The first name that occurs twice, or NULL. Few entries are compared with each other, many are sorted. */
static const NrNamedAttr *duplicate(const NrNamedAttr *items, size_t count) {
  if (count < 16) {
    for (size_t i = 1; i < count; i++)
      for (size_t k = 0; k < i; k++)
        if (items[i].name.data == items[k].name.data) return &items[i];
    return NULL;
  }
  NrNamedAttr *sorted = nr_malloc(count * sizeof *sorted);
  memcpy(sorted, items, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_names);
  const NrNamedAttr *found = NULL;
  for (size_t i = 1; i < count && !found; i++)
    if (sorted[i].name.data == sorted[i - 1].name.data)
      for (size_t k = 0; k < count && !found; k++)
        if (items[k].name.data == sorted[i].name.data) found = &items[k];
  nr_free(sorted);
  return found;
}

bool nr_parse_dict_entries(NrParser *p, size_t begin, int close) {
  const char *at = p->tok.begin;
  if (!nr_parse_at(p, close)) {
    do {
      NrNamedAttr entry;
      if (!parse_dict_entry(p, &entry)) return false;
      nr_vec_push(&p->attrs, entry);
    } while (nr_parse_take(p, ','));
  }
  if (!nr_parse_need(p, close)) return false;
  const NrNamedAttr *twice = p->attrs.size ? duplicate(p->attrs.data + begin, p->attrs.size - begin) : NULL;
  return !twice || nr_parse_fail_at(p, at, "attribute '%.*s' occurs more than once", NR_STR_ARG(twice->name));
}

static NrAttr parse_dict(NrParser *p) {
  size_t begin = p->attrs.size;
  nr_parse_advance(p);
  bool ok = nr_parse_dict_entries(p, begin, '}');
  NrAttr attr = ok ? nr_attr_dict(p->ctx, p->attrs.data ? p->attrs.data + begin : NULL, p->attrs.size - begin) : NULL;
  p->attrs.size = begin;
  return attr;
}

NrAttr nr_parse_symbol(NrParser *p) {
  NrStr root, part;
  if (!nr_parse_symbol_name(p, &root)) return NULL;
  if (!nr_parse_at(p, NR_TOK_COLONS)) return nr_attr_symbol(p->ctx, root);
  NR_VEC(NrStr) nested = {0};
  bool ok = true;
  while (ok && nr_parse_take(p, NR_TOK_COLONS)) {
    ok = nr_parse_symbol_name(p, &part);
    if (ok) nr_vec_push(&nested, part);
  }
  NrAttr attr = ok ? nr_attr_symbol_nested(p->ctx, root, nested.data, nested.size) : NULL;
  nr_vec_deinit(&nested);
  return attr;
}

/* ---- what begins with a keyword ---------------------------------------------------------------------------------- */

/* affine_map<...> or affine_set<...>. */
static NrAttr parse_affine_keyword(NrParser *p, NrAttrKind kind) {
  nr_parse_advance(p);
  const char *at = p->tok.begin;
  if (!nr_parse_need(p, '<')) return NULL;
  NrAttr attr = nr_parse_affine(p);
  if (!attr || !nr_parse_need(p, '>')) return NULL;
  if (attr->kind == kind) return attr;
  nr_parse_fail_at(p, at, kind == NR_ATTR_AFFINE_MAP ? "expected '->' in affine map" : "expected ':' in integer set");
  return NULL;
}

static bool stride(NrParser *p, int64_t *out) {
  return nr_parse_take(p, '?') ? (*out = NR_DYNAMIC, true) : nr_parse_int64(p, out);
}

/* strided<[4, ?], offset: 2> */
static NrAttr parse_strided(NrParser *p) {
  int64_t strides[NR_MAX_RANK], offset = 0;
  size_t count = 0;
  nr_parse_advance(p);
  if (!nr_parse_need(p, '<') || !nr_parse_need(p, '[')) return NULL;
  while (!nr_parse_at(p, ']')) {
    if (count == NR_MAX_RANK) return nr_parse_fail(p, "more than %d strides", NR_MAX_RANK), NULL;
    if (!stride(p, &strides[count++])) return NULL;
    if (!nr_parse_take(p, ',')) break;
  }
  if (!nr_parse_need(p, ']')) return NULL;
  if (nr_parse_take(p, ',')) {
    if (!nr_parse_take_word(p, "offset")) return nr_parse_fail(p, "expected 'offset'"), NULL;
    if (!nr_parse_need(p, ':') || !stride(p, &offset)) return NULL;
  }
  return nr_parse_need(p, '>') ? nr_attr_strided(p->ctx, strides, count, offset) : NULL;
}

/* distinct[0]<attr>: the same number is the same attribute. */
static NrAttr parse_distinct(NrParser *p) {
  uint64_t number;
  NrAttr referenced = nr_attr_unit(p->ctx);
  const char *at = p->tok.begin;
  nr_parse_advance(p);
  if (!nr_parse_need(p, '[')) return NULL;
  if (!nr_parse_at(p, NR_TOK_INT) || !nr_token_u64(p->tok, &number) || number >= SIZE_MAX)
    return nr_parse_fail(p, "expected the number of a distinct attribute"), NULL;
  nr_parse_advance(p);
  if (!nr_parse_need(p, ']') || !nr_parse_need(p, '<')) return NULL;
  if (!nr_parse_at(p, '>') && !(referenced = nr_parse_attr_here(p, NULL))) return NULL;
  if (!nr_parse_need(p, '>')) return NULL;
  const void *key = (const void *)(uintptr_t)(number + 1);
  NrAttr known = nr_map_get(&p->distinct, key);
  if (known && known->items[0] != referenced) {
    nr_parse_fail_at(p, at, "distinct[%llu] refers to different attributes", (unsigned long long)number);
    return NULL;
  }
  if (known) return known;
  known = nr_attr_distinct(p->ctx, referenced);
  nr_map_set(&p->distinct, key, (void *)known);
  return known;
}

static NrAttr parse_loc_attr(NrParser *p) {
  nr_parse_advance(p);
  if (!nr_parse_need(p, '(')) return NULL;
  NrLoc loc = nr_parse_loc_body(p);
  return loc && nr_parse_need(p, ')') ? nr_attr_loc(p->ctx, loc) : NULL;
}

static NrAttr parse_type_attr(NrParser *p) {
  NrType type = nr_parse_type_here(p);
  return type ? nr_attr_type(type) : NULL;
}

static NrAttr parse_bool(NrParser *p, bool value, NrType type) {
  if (type && !nr_type_is_int(type))
    return nr_parse_fail(p, "a boolean does not fit type '%s'", nr_type_text(p->ctx, type)), NULL;
  nr_parse_advance(p);
  return type ? nr_attr_int(type, value) : nr_attr_bool(p->ctx, value);
}

static NrAttr parse_opaque(NrParser *p, NrType type, bool may_have_type) {
  NrStr text;
  if (!nr_parse_opaque_text(p, &text)) return NULL;
  if (!type && may_have_type && nr_parse_take(p, ':') && !(type = nr_parse_type_here(p))) return NULL;
  return nr_attr_opaque(p->ctx, text, type);
}

static NrAttr parse_word(NrParser *p, NrType type, bool may_have_type) {
  static const char *const words[] = {"true",    "false",          "dense",  "affine_map", "unit",     "array",
                                      "strided", "dense_resource", "sparse", "affine_set", "distinct", "loc"};
  NrStr word = nr_token_str(p->tok);
  if (nr_str_is(word, "true") || nr_str_is(word, "false")) return parse_bool(p, word.size == 4, type);
  if (nr_str_is(word, "dense")) return nr_parse_dense(p, type);
  if (nr_str_is(word, "affine_map")) return parse_affine_keyword(p, NR_ATTR_AFFINE_MAP);
  if (nr_str_is(word, "unit")) return nr_parse_advance(p), nr_attr_unit(p->ctx);
  if (nr_str_is(word, "array")) return nr_parse_array_attr(p);
  if (nr_str_is(word, "strided")) return parse_strided(p);
  if (nr_str_is(word, "dense_resource")) return nr_parse_dense_resource(p, type);
  if (nr_str_is(word, "sparse")) return nr_parse_sparse(p, type);
  if (nr_str_is(word, "affine_set")) return parse_affine_keyword(p, NR_ATTR_AFFINE_SET);
  if (nr_str_is(word, "distinct")) return parse_distinct(p);
  if (nr_str_is(word, "loc")) return parse_loc_attr(p);
  if (nr_str_is(word, "opaque")) return parse_opaque(p, type, may_have_type);
  if (nr_parse_is_type_word(word)) return parse_type_attr(p);
  NrNearest nearest = nr_nearest(word);
  for (size_t i = 0; i < NR_COUNTOF(words); i++) nr_nearest_try(&nearest, nr_str(words[i]));
  return nr_parse_fail(p, "expected an attribute value, not '%.*s'" NR_HINT, NR_STR_ARG(word), NR_HINT_ARG(nearest)),
         NULL;
}

/* ---- what dialects define, kept as text -------------------------------------------------------------------------- */

/* The end of <...> with all brackets in it closed, or NULL. p is at the `<`. */
static const char *closing_angle(const char *p, const char *end) {
  char open[NR_MAX_NESTING];
  size_t depth = 0;
  for (; p < end; p++) {
    switch (*p) {
    case '<': case '(': case '[': case '{':
      if (depth == sizeof open) return NULL;
      open[depth++] = *p == '(' ? ')' : (char)(*p + 2);
      break;
    case '-': p += p + 1 < end && p[1] == '>'; break;
    case '>': case ')': case ']': case '}':
      if (open[--depth] != *p) return NULL;
      if (depth == 0) return p + 1;
      break;
    case '"':
      for (p++; p < end && *p != '"' && *p != '\n'; p++) p += *p == '\\' && p + 1 < end;
      if (p >= end || *p != '"') return NULL;
      break;
    case 0: return NULL;
    default: break;
    }
  }
  return NULL;
}

bool nr_parse_opaque_text(NrParser *p, NrStr *out) {
  const char *begin = p->tok.begin + (p->tok.kind != NR_TOK_BARE), *end = p->tok.end;
  if (*end == '<') {
    end = closing_angle(end, p->lexer.end);
    if (!end) return nr_parse_fail(p, "unbalanced brackets in '%.*s<'", NR_STR_ARG(nr_token_str(p->tok)));
  }
  *out = (NrStr){begin, (size_t)(end - begin)};
  nr_parse_jump(p, end);
  return true;
}

/* #alias, or #dialect.name<...>, #dialect<...>. */
static NrAttr parse_hash(NrParser *p, NrType type, bool may_have_type) {
  NrToken t = p->tok;
  NrStr name = nr_token_name(t);
  if (memchr(name.data, '.', name.size) || *t.end == '<') return parse_opaque(p, type, may_have_type);
  NrAlias *alias = nr_parse_find_alias(p, t);
  if (!alias) return NULL;
  nr_parse_advance(p);
  return alias->attr;
}

static NrAttr parse_string_attr(NrParser *p, NrType type, bool may_have_type) {
  NrScratchMark mark = nr_parse_scratch_mark(p);
  NrStr text;
  NrAttr attr = NULL;
  if (nr_parse_string(p, &text)) {
    bool ok = type || !may_have_type || !nr_parse_take(p, ':') || (type = nr_parse_type_here(p));
    if (ok) attr = type ? nr_attr_string_typed(type, text) : nr_attr_string(p->ctx, text);
  }
  nr_parse_scratch_release(p, mark);
  return attr;
}

/* ---- any attribute ----------------------------------------------------------------------------------------------- */

static NrAttr parse_any(NrParser *p, NrType type, bool may_have_type) {
  switch (p->tok.kind) {
  case NR_TOK_BARE: return parse_word(p, type, may_have_type);
  case NR_TOK_INT: case NR_TOK_FLOAT: case '-':
    if (!type && !may_have_type) {
      NrToken digits = p->tok;
      if (digits.kind == '-') nr_lex(&(NrLexer){.end = p->lexer.end, .next = digits.end}, &digits);
      type = digits.kind == NR_TOK_FLOAT ? nr_type_f64(p->ctx) : nr_type_i64(p->ctx);
    }
    return nr_parse_number(p, type);
  case NR_TOK_STRING: return parse_string_attr(p, type, may_have_type);
  case NR_TOK_SYMBOL: return nr_parse_symbol(p);
  case NR_TOK_HASH: return parse_hash(p, type, may_have_type);
  case NR_TOK_BANG: return parse_type_attr(p);
  case '[': return parse_array(p);
  case '{': return parse_dict(p);
  case '(': return nr_parse_looks_affine(p) ? nr_parse_affine(p) : parse_type_attr(p);
  default: return nr_parse_fail(p, "expected an attribute value"), NULL;
  }
}

static NrAttr parse_nested(NrParser *p, NrType type, bool may_have_type) {
  if (!nr_parse_enter(p)) return NULL;
  NrAttr attr = parse_any(p, type, may_have_type);
  nr_parse_leave(p);
  return attr;
}

NrAttr nr_parse_attr_here(NrParser *p, NrType type) { return parse_nested(p, type, true); }
NrAttr nr_parse_attr_untyped(NrParser *p) { return parse_nested(p, NULL, false); }
