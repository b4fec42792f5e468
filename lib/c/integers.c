NORIA_UNUSED static inline i64 noria_ones(u64 x) {
#ifdef __GNUC__
  return __builtin_popcountll(x);
#else
  i64 n = 0;
  for (; x; x &= x - 1) n++;
  return n;
#endif
}

NORIA_UNUSED static inline i64 noria_leading_zeros(u64 x, i64 bits) {
#ifdef __GNUC__
  return x ? __builtin_clzll(x) - (64 - bits) : bits;
#else
  i64 n = bits;
  for (; x; x >>= 1) n--;
  return n;
#endif
}

NORIA_UNUSED static inline i64 noria_trailing_zeros(u64 x, i64 bits) {
#ifdef __GNUC__
  return x ? __builtin_ctzll(x) : bits;
#else
  i64 n = 0;
  if (!x) return bits;
  for (; !(x & 1); x >>= 1) n++;
  return n;
#endif
}

/* The upper half of a product of 64-bit numbers. */
NORIA_UNUSED static inline u64 noria_high_u(u64 a, u64 b) {
  u64 low = (u32)a * (u64)(u32)b, middle = (a >> 32) * (u32)b + (low >> 32);
  u64 other = (u32)a * (b >> 32) + (u32)middle;
  return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
}

NORIA_UNUSED static inline u64 noria_high_s(i64 a, i64 b) {
  return noria_high_u((u64)a, (u64)b) - (a < 0 ? (u64)b : 0) - (b < 0 ? (u64)a : 0);
}
