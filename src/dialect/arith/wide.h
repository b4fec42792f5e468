/* wide.h - two's complement integers of any width up to NR_WIDE_MAX bits, for exact constant folding. */
#ifndef NORIA_DIALECT_ARITH_WIDE_H
#define NORIA_DIALECT_ARITH_WIDE_H

#include "ir/ir.h"

enum { NR_WIDE_WORDS = 64, NR_WIDE_MAX = NR_WIDE_WORDS * 64 };

/* Least significant word first; bits from width upwards are zero. */
typedef struct NrWide {
  uint32_t width;
  uint64_t w[NR_WIDE_WORDS];
} NrWide;

/* Reads an integer attribute (index has 64 bits). False for other attributes and for types wider than NR_WIDE_MAX,
 * which are not folded. */
bool nr_wide_from_attr(NrAttr attr, NrWide *out);
NrAttr nr_wide_to_attr(NrType type, const NrWide *a); /* type has a's width */
NrWide nr_wide_from_u64(uint32_t width, uint64_t value);

bool nr_wide_is_zero(const NrWide *a);
bool nr_wide_is_ones(const NrWide *a); /* all bits set: -1 */
bool nr_wide_is_one(const NrWide *a);
bool nr_wide_is_negative(const NrWide *a);
bool nr_wide_is_min_signed(const NrWide *a);
int nr_wide_cmp_unsigned(const NrWide *a, const NrWide *b);
int nr_wide_cmp_signed(const NrWide *a, const NrWide *b);
uint32_t nr_wide_leading_zeros(const NrWide *a);
uint32_t nr_wide_trailing_zeros(const NrWide *a);
uint32_t nr_wide_ones(const NrWide *a);

/* The operands have equal widths; results wrap. */
NrWide nr_wide_add(const NrWide *a, const NrWide *b);
NrWide nr_wide_sub(const NrWide *a, const NrWide *b);
NrWide nr_wide_mul(const NrWide *a, const NrWide *b);
NrWide nr_wide_neg(const NrWide *a);
NrWide nr_wide_and(const NrWide *a, const NrWide *b);
NrWide nr_wide_or(const NrWide *a, const NrWide *b);
NrWide nr_wide_xor(const NrWide *a, const NrWide *b);
NrWide nr_wide_shl(const NrWide *a, uint32_t count); /* count < width */
NrWide nr_wide_shr(const NrWide *a, uint32_t count, bool arithmetic);
/* b is not zero. Signed division rounds toward zero; the minimum divided by -1 wraps. */
void nr_wide_divrem_unsigned(const NrWide *a, const NrWide *b, NrWide *quotient, NrWide *remainder);
void nr_wide_divrem_signed(const NrWide *a, const NrWide *b, NrWide *quotient, NrWide *remainder);
NrWide nr_wide_resize(const NrWide *a, uint32_t width, bool sign); /* extends or truncates */

#endif
