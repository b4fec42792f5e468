/* parse_number.c - numbers: integers of any width, floats as digits or as bits. */
#include "ir/parse.h"

#include <locale.h>
#include <stdlib.h>

static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Splits a float token into digits and exponent; false when it has too many of either. */
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
 * 1990). Others are converted by the C library, in the "C" locale. */
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
    /* The last word is spare: if it becomes non-zero, the number is too large. */
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

/* A hex integer as the bits of a float. */
static NrAttr float_bits_attr(NrParser *p, NrToken t, bool negative, NrType type) {
  uint64_t bits;
  bool hex = t.end - t.begin > 2 && t.begin[1] == 'x';
  if (!hex || negative) {
    const char *decimal = "decimal integer for a floating-point value; add a trailing dot to make it a float";
    nr_parse_fail_at(p, t.begin, "%s", hex ? "hexadecimal digits are all bits of a float: they have no sign" : decimal);
    return NULL;
  }
  uint32_t width = type->width > 64 ? 64 : type->width;
  if (!nr_token_u64(t, &bits) || (width < 64 && bits >> width) || type->width > 64) {
    nr_parse_fail_at(p, t.begin, "hexadecimal float constant out of range for type '%s'", nr_type_text(p->ctx, type));
    return NULL;
  }
  return nr_attr_float_bits(type, bits);
}

/* Sign and digits, followed by the type unless it is known. */
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
