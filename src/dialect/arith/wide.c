/* wide.c - arithmetic on integers of any width; see wide.h. Uses schoolbook methods, since constants are rarely wider
 * than a word. */
#include "dialect/arith/wide.h"

static size_t num_words(const NrWide *a) { return (a->width + 63) / 64; }

/* Clears the bits above the width. */
static void trim(NrWide *a) {
  if (a->width % 64) a->w[num_words(a) - 1] &= (UINT64_C(1) << (a->width % 64)) - 1;
}

NrWide nr_wide_from_u64(uint32_t width, uint64_t value) {
  NrWide r = {.width = width};
  if (width) r.w[0] = value;
  trim(&r);
  return r;
}

bool nr_wide_from_attr(NrAttr attr, NrWide *out) {
  if (!attr || attr->kind != NR_ATTR_INTEGER) return false;
  uint32_t width = nr_type_bits(attr->type);
  if (width == 0 || width > NR_WIDE_MAX) return false;
  *out = (NrWide){.width = width};
  if (width <= 64) {
    out->w[0] = (uint64_t)attr->i;
  } else {
    uint64_t fill = attr->num_words && attr->words[attr->num_words - 1] >> 63 ? ~UINT64_C(0) : 0;
    for (size_t i = 0; i < num_words(out); i++) out->w[i] = i < attr->num_words ? attr->words[i] : fill;
  }
  trim(out);
  return true;
}

NrAttr nr_wide_to_attr(NrType type, const NrWide *a) {
  if (a->width <= 64) return nr_attr_int(type, (int64_t)a->w[0]);
  NrWide full = *a; /* sign-extended to whole words */
  if (a->width % 64 && nr_wide_is_negative(a)) full.w[num_words(a) - 1] |= ~UINT64_C(0) << (a->width % 64);
  return nr_attr_int_wide(type, full.w, num_words(a));
}

bool nr_wide_is_zero(const NrWide *a) {
  for (size_t i = 0; i < num_words(a); i++)
    if (a->w[i]) return false;
  return true;
}

bool nr_wide_is_one(const NrWide *a) {
  NrWide one = nr_wide_from_u64(a->width, 1);
  return nr_wide_cmp_unsigned(a, &one) == 0;
}

bool nr_wide_is_ones(const NrWide *a) { return nr_wide_ones(a) == a->width; }

bool nr_wide_is_negative(const NrWide *a) {
  return a->width && (a->w[(a->width - 1) / 64] >> ((a->width - 1) % 64) & 1);
}

bool nr_wide_is_min_signed(const NrWide *a) { return nr_wide_is_negative(a) && nr_wide_ones(a) == 1; }

int nr_wide_cmp_unsigned(const NrWide *a, const NrWide *b) {
  for (size_t i = num_words(a); i-- > 0;)
    if (a->w[i] != b->w[i]) return a->w[i] < b->w[i] ? -1 : 1;
  return 0;
}

int nr_wide_cmp_signed(const NrWide *a, const NrWide *b) {
  bool a_negative = nr_wide_is_negative(a), b_negative = nr_wide_is_negative(b);
  if (a_negative != b_negative) return a_negative ? -1 : 1;
  return nr_wide_cmp_unsigned(a, b);
}

uint32_t nr_wide_leading_zeros(const NrWide *a) {
  for (size_t i = num_words(a); i-- > 0;)
    if (a->w[i]) return a->width - (uint32_t)(64 * i + 64 - (size_t)__builtin_clzll(a->w[i]));
  return a->width;
}

uint32_t nr_wide_trailing_zeros(const NrWide *a) {
  for (size_t i = 0; i < num_words(a); i++)
    if (a->w[i]) return (uint32_t)(64 * i) + (uint32_t)__builtin_ctzll(a->w[i]);
  return a->width;
}

uint32_t nr_wide_ones(const NrWide *a) {
  uint32_t count = 0;
  for (size_t i = 0; i < num_words(a); i++) count += (uint32_t)__builtin_popcountll(a->w[i]);
  return count;
}

NrWide nr_wide_add(const NrWide *a, const NrWide *b) {
  NrWide r = {.width = a->width};
  unsigned __int128 carry = 0;
  for (size_t i = 0; i < num_words(a); i++) {
    carry += (unsigned __int128)a->w[i] + b->w[i];
    r.w[i] = (uint64_t)carry;
    carry >>= 64;
  }
  trim(&r);
  return r;
}

NrWide nr_wide_neg(const NrWide *a) {
  NrWide r = {.width = a->width}, one = nr_wide_from_u64(a->width, 1);
  for (size_t i = 0; i < num_words(a); i++) r.w[i] = ~a->w[i];
  trim(&r);
  return nr_wide_add(&r, &one);
}

NrWide nr_wide_sub(const NrWide *a, const NrWide *b) {
  NrWide minus_b = nr_wide_neg(b);
  return nr_wide_add(a, &minus_b);
}

NrWide nr_wide_mul(const NrWide *a, const NrWide *b) {
  NrWide r = {.width = a->width};
  size_t n = num_words(a);
  for (size_t i = 0; i < n; i++) {
    uint64_t carry = 0;
    for (size_t j = 0; i + j < n; j++) {
      unsigned __int128 t = (unsigned __int128)a->w[i] * b->w[j] + r.w[i + j] + carry;
      r.w[i + j] = (uint64_t)t;
      carry = (uint64_t)(t >> 64);
    }
  }
  trim(&r);
  return r;
}

NrWide nr_wide_and(const NrWide *a, const NrWide *b) {
  NrWide r = {.width = a->width};
  for (size_t i = 0; i < num_words(a); i++) r.w[i] = a->w[i] & b->w[i];
  return r;
}

NrWide nr_wide_or(const NrWide *a, const NrWide *b) {
  NrWide r = {.width = a->width};
  for (size_t i = 0; i < num_words(a); i++) r.w[i] = a->w[i] | b->w[i];
  return r;
}

NrWide nr_wide_xor(const NrWide *a, const NrWide *b) {
  NrWide r = {.width = a->width};
  for (size_t i = 0; i < num_words(a); i++) r.w[i] = a->w[i] ^ b->w[i];
  return r;
}

NrWide nr_wide_shl(const NrWide *a, uint32_t count) {
  NrWide r = {.width = a->width};
  size_t words = count / 64, bits = count % 64;
  for (size_t i = num_words(a); i-- > words;) {
    r.w[i] = a->w[i - words] << bits;
    if (bits && i > words) r.w[i] |= a->w[i - words - 1] >> (64 - bits);
  }
  trim(&r);
  return r;
}

NrWide nr_wide_shr(const NrWide *a, uint32_t count, bool arithmetic) {
  NrWide r = {.width = a->width};
  size_t words = count / 64, bits = count % 64, n = num_words(a);
  for (size_t i = 0; i + words < n; i++) {
    r.w[i] = a->w[i + words] >> bits;
    if (bits && i + words + 1 < n) r.w[i] |= a->w[i + words + 1] << (64 - bits);
  }
  if (arithmetic && nr_wide_is_negative(a))
    for (uint32_t i = a->width - count; i < a->width; i++) r.w[i / 64] |= UINT64_C(1) << (i % 64);
  return r;
}

void nr_wide_divrem_unsigned(const NrWide *a, const NrWide *b, NrWide *quotient, NrWide *remainder) {
  assert(!nr_wide_is_zero(b));
  NrWide q = {.width = a->width}, r = {.width = a->width};
  if (a->width <= 64) {
    q.w[0] = a->w[0] / b->w[0];
    r.w[0] = a->w[0] % b->w[0];
  } else {
    for (uint32_t i = a->width; i-- > 0;) {
      bool carry = nr_wide_is_negative(&r); /* the bit that the shift drops; if it is set, r >= b */
      r = nr_wide_shl(&r, 1);
      r.w[0] |= a->w[i / 64] >> (i % 64) & 1;
      if (!carry && nr_wide_cmp_unsigned(&r, b) < 0) continue;
      r = nr_wide_sub(&r, b);
      q.w[i / 64] |= UINT64_C(1) << (i % 64);
    }
  }
  *quotient = q;
  *remainder = r;
}

void nr_wide_divrem_signed(const NrWide *a, const NrWide *b, NrWide *quotient, NrWide *remainder) {
  bool a_negative = nr_wide_is_negative(a), b_negative = nr_wide_is_negative(b);
  NrWide x = a_negative ? nr_wide_neg(a) : *a, y = b_negative ? nr_wide_neg(b) : *b;
  nr_wide_divrem_unsigned(&x, &y, quotient, remainder);
  if (a_negative != b_negative) *quotient = nr_wide_neg(quotient);
  if (a_negative) *remainder = nr_wide_neg(remainder);
}

NrWide nr_wide_resize(const NrWide *a, uint32_t width, bool sign) {
  NrWide r = {.width = width};
  bool fill = sign && nr_wide_is_negative(a);
  for (size_t i = 0; i < num_words(&r); i++) {
    uint64_t word = i < num_words(a) ? a->w[i] : 0;
    if (fill && 64 * (i + 1) > a->width) word |= 64 * i >= a->width ? ~UINT64_C(0) : ~UINT64_C(0) << (a->width % 64);
    r.w[i] = word;
  }
  trim(&r);
  return r;
}
