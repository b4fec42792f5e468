/* print_text.c - the printer's raw output: characters, strings, integers and floats as MLIR spells them. */
#include "base/float_format.h"
#include "ir/print.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* Copies a short piece of text as two words that may overlap, without a call. */
static inline void copy_short(char *to, const char *from, size_t size) {
  if (size >= 8) {
    uint64_t first, last;
    memcpy(&first, from, 8);
    memcpy(&last, from + size - 8, 8);
    memcpy(to, &first, 8);
    memcpy(to + size - 8, &last, 8);
  } else if (size >= 4) {
    uint32_t first, last;
    memcpy(&first, from, 4);
    memcpy(&last, from + size - 4, 4);
    memcpy(to, &first, 4);
    memcpy(to + size - 4, &last, 4);
  } else if (size) {
    to[0] = from[0];
    to[size / 2] = from[size / 2];
    to[size - 1] = from[size - 1];
  }
}

/* The fast path of nearly all output: a copy into reserved room. */
static inline void put(NrPrinter *w, const char *data, size_t size) {
  NrBuf *out = w->out;
  if (out->capacity - out->size > size) {
    if (size <= 16) copy_short(out->data + out->size, data, size);
    else memcpy(out->data + out->size, data, size);
    out->size += size;
    out->data[out->size] = 0;
  } else {
    nr_buf_append(out, data, size);
  }
}

void nr_w_char(NrPrinter *w, char c) { put(w, &c, 1); }
void nr_w_str(NrPrinter *w, NrStr s) { if (s.size) put(w, s.data, s.size); }

void nr_w_printf(NrPrinter *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  nr_buf_vprintf(w->out, format, args);
  va_end(args);
}

/* The digits of n < 100, two each. */
static const char two_digits[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

void nr_w_uint(NrPrinter *w, uint64_t value) {
  if (value < 10) {
    nr_w_char(w, (char)('0' + value));
    return;
  }
  char text[20];
  size_t at = sizeof text;
  for (; value > UINT32_MAX; value /= 10) text[--at] = (char)('0' + value % 10);
  uint32_t rest = (uint32_t)value; /* 32 bits divide faster */
  for (; rest >= 10; rest /= 100) memcpy(&text[at -= 2], &two_digits[2 * (rest % 100)], 2);
  if (rest) text[--at] = (char)('0' + rest);
  put(w, text + at, sizeof text - at);
}

void nr_w_int(NrPrinter *w, int64_t value) {
  if (value < 0) nr_w_char(w, '-');
  nr_w_uint(w, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* Decimal digits of a number of several words, by repeated long division. */
void nr_w_wide_int(NrPrinter *w, const uint64_t *words, size_t count, bool is_signed) {
  uint64_t *n = nr_arena_copy(&w->scratch, words, count * sizeof *words);
  bool negative = is_signed && count && words[count - 1] >> 63;
  if (negative) {
    bool carry = true;
    for (size_t i = 0; i < count; i++) {
      n[i] = ~n[i] + carry;
      carry = carry && n[i] == 0;
    }
    nr_w_char(w, '-');
  }
  size_t at = count * 20 + 1;
  char *text = nr_arena_alloc(&w->scratch, at);
  size_t end = at, top = count;
  do {
    uint64_t rest = 0;
    for (size_t i = top; i-- > 0;) {
      unsigned __int128 part = (unsigned __int128)rest << 64 | n[i];
      n[i] = (uint64_t)(part / 10);
      rest = (uint64_t)(part % 10);
    }
    text[--at] = (char)('0' + rest);
    while (top && n[top - 1] == 0) top--;
  } while (top);
  put(w, text + at, end - at);
}

void nr_w_newline(NrPrinter *w) {
  static const char blanks[65] = "\n                                                               ";
  size_t left = w->indent;
  size_t now = NR_MIN(left, sizeof blanks - 2);
  put(w, blanks, now + 1);
  for (left -= now; left; left -= now) {
    now = NR_MIN(left, sizeof blanks - 2);
    put(w, blanks + 1, now);
  }
}

void nr_w_indent(NrPrinter *w, int blanks) { w->indent = (uint32_t)((int)w->indent + blanks); }

bool nr_is_bare_id(NrStr s) {
  if (s.size == 0 || !(isalpha((unsigned char)s.data[0]) || s.data[0] == '_')) return false;
  for (size_t i = 1; i < s.size; i++) {
    unsigned char c = (unsigned char)s.data[i];
    if (!isalnum(c) && c != '_' && c != '$' && c != '.') return false;
  }
  return true;
}

void nr_w_string(NrPrinter *w, NrStr s) {
  static const char digits[] = "0123456789ABCDEF";
  nr_w_char(w, '"');
  size_t done = 0;
  for (size_t i = 0; i < s.size; i++) {
    unsigned char c = (unsigned char)s.data[i];
    if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') continue;
    put(w, s.data + done, i - done);
    done = i + 1;
    if (c == '\\') put(w, "\\\\", 2);
    else put(w, (char[]){'\\', digits[c >> 4], digits[c & 15]}, 3);
  }
  if (s.size > done) put(w, s.data + done, s.size - done);
  nr_w_char(w, '"');
}

void nr_w_symbol_name(NrPrinter *w, NrStr name) {
  nr_w_char(w, '@');
  if (nr_is_bare_id(name)) nr_w_str(w, name);
  else nr_w_string(w, name);
}

void nr_w_hex(NrPrinter *w, const void *data, size_t size) {
  static const char digits[] = "0123456789ABCDEF";
  const unsigned char *p = data;
  char text[512];
  for (size_t i = 0; i < size;) {
    size_t n = 0;
    for (; i < size && n < sizeof text; i++) {
      text[n++] = digits[p[i] >> 4];
      text[n++] = digits[p[i] & 15];
    }
    put(w, text, n);
  }
}

void nr_w_float(NrPrinter *w, NrType type, uint64_t bits) {
  char text[NR_FLOAT_TEXT];
  put(w, text, nr_float_text(text, nr_float_format(type->float_kind), type->width, bits));
}
