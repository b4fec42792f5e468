/* imports_cast.c - numbers to strings and back, as ONNX Cast wants it. Signatures: base/imports.def.
 *
 * Floats print with the fewest digits that give the same value of their type again, in plain notation from 1e-4 up to
 * 1e17 ("314.15927", "1000000", integers in full), else as "1e-07"; the special ones as "NaN", "INF", "-INF"; bools as
 * "0" and "1". */
#include "runtime/imports.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/dtype.h"
#include "base/float_format.h"

static const NrFloatFormat format_f32 = {.exponent_bits = 8, .mantissa_bits = 23, .bias = 127, .nan = NR_NAN_IEEE};

/* NULL: f64, or no float. */
static const NrFloatFormat *small_format(NoriaDType dtype) {
  switch (dtype) {
  case NORIA_F32: return &format_f32;
  case NORIA_F16: return &nr_format_f16;
  case NORIA_BF16: return &nr_format_bf16;
  case NORIA_F8E4M3FN: return &nr_format_f8e4m3fn;
  case NORIA_F8E4M3FNUZ: return &nr_format_f8e4m3fnuz;
  case NORIA_F8E5M2: return &nr_format_f8e5m2;
  case NORIA_F8E5M2FNUZ: return &nr_format_f8e5m2fnuz;
  case NORIA_F4E2M1FN: return &nr_format_f4e2m1fn;
  case NORIA_F6E2M3FN: return &nr_format_f6e2m3fn;
  case NORIA_F6E3M2FN: return &nr_format_f6e3m2fn;
  case NORIA_F8E8M0FNU: return &nr_format_f8e8m0fnu;
  default: return NULL;
  }
}

typedef enum NumberClass { NUMBER_NONE, NUMBER_SIGNED, NUMBER_UNSIGNED, NUMBER_FLOAT } NumberClass;

static NumberClass number_class(NoriaDType dtype) {
  switch (dtype) {
  case NORIA_I8: case NORIA_I16: case NORIA_I32: case NORIA_I64: case NORIA_I4: case NORIA_I2: return NUMBER_SIGNED;
  case NORIA_U8: case NORIA_U16: case NORIA_U32: case NORIA_U64: case NORIA_U4: case NORIA_U2: case NORIA_BOOL:
    return NUMBER_UNSIGNED;
  case NORIA_F64: return NUMBER_FLOAT;
  default: return small_format(dtype) ? NUMBER_FLOAT : NUMBER_NONE;
  }
}

/* ---- to strings -------------------------------------------------------------------------------------------------- */

/* The bits of element number `at`: as many as the type has. */
static uint64_t load_bits(const void *data, NoriaDType dtype, int64_t at) {
  uint64_t bits = 0;
  size_t size = noria_dtype_size(dtype);
  memcpy(&bits, (const char *)data + (size_t)at * size, size); /* little-endian, as all that we run on */
  return bits & UINT64_MAX >> (64 - nr_dtype_info(dtype)->bits);
}

static double bits_to_double(NoriaDType dtype, uint64_t bits) {
  const NrFloatFormat *format = small_format(dtype);
  if (format) return nr_float_decode(format, bits);
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

enum { LONGEST_NUMBER = 48 };

static bool same_in(const NrFloatFormat *format, double a, double b) {
  return format ? nr_float_encode(format, a, false) == nr_float_encode(format, b, false) : a == b;
}

/* text has LONGEST_NUMBER bytes; the thread's locale is "C". */
static void print_float(char *text, double value, const NrFloatFormat *format) {
  if (isnan(value) || isinf(value)) {
    snprintf(text, LONGEST_NUMBER, "%s", isnan(value) ? "NaN" : value < 0 ? "-INF" : "INF");
    return;
  }
  int digits = 1;
  do {
    snprintf(text, LONGEST_NUMBER, "%.*e", digits - 1, value);
  } while (!same_in(format, strtod(text, NULL), value) && digits++ < 17);
  int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
  if (exponent < -4 || exponent >= 17) return;
  snprintf(text, LONGEST_NUMBER, "%.*f", NR_MAX(digits - 1 - exponent, 0), value);
}

static void print_number(char *text, NoriaDType dtype, uint64_t bits) {
  unsigned width = nr_dtype_info(dtype)->bits;
  switch (number_class(dtype)) {
  case NUMBER_SIGNED:
    snprintf(text, LONGEST_NUMBER, "%lld", (long long)(bits << (64 - width)) >> (64 - width));
    break;
  case NUMBER_UNSIGNED:
    snprintf(text, LONGEST_NUMBER, "%llu", (unsigned long long)bits);
    break;
  default:
    print_float(text, bits_to_double(dtype, bits), small_format(dtype));
  }
}

/* The thread's locale becomes "C" until leave_locale: printf and strtod depend on it. */
static bool enter_locale(NrExec *e, locale_t *out_c, locale_t *out_old) {
  *out_c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (*out_c == (locale_t)0) {
    nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "the system has no memory for a locale");
    return false;
  }
  *out_old = uselocale(*out_c);
  return true;
}

static void leave_locale(locale_t c, locale_t old) {
  uselocale(old);
  freelocale(c);
}

static bool castable(NrExec *e, NoriaDType dtype) {
  if (number_class(dtype) != NUMBER_NONE) return true;
  nr_exec_fail(e, NORIA_ERROR_UNSUPPORTED, -1, "%s does not convert to or from strings", noria_dtype_name(dtype));
  return false;
}

int32_t nr_import_string_from(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  NoriaDType dtype = (NoriaDType)nr_arg_i32(&args[0]);
  const NoriaDesc *t = &args[1];
  locale_t c, old;
  if (!castable(e, dtype) || !nr_desc_is(e, t, dtype)) return 1;
  if (nr_result_tensor(e, &results[0], NORIA_STRING, t->rank, t->dims)) return 1;
  if (!enter_locale(e, &c, &old)) return 1;
  NoriaString **strings = results[0].data;
  bool ok = true;
  for (int64_t i = 0, n = nr_desc_count(t); i < n && ok; i++) {
    char text[LONGEST_NUMBER];
    if (nr_import_stopped(e, i)) {
      ok = false;
      break;
    }
    print_number(text, dtype, load_bits(t->data, dtype, i));
    strings[i] = nr_string_new(text, strlen(text));
    ok = nr_exec_hold_string(e, strings[i]);
  }
  leave_locale(c, old);
  return ok ? 0 : 1;
}

/* ---- from strings ------------------------------------------------------------------------------------------------ */

/* True when p is the end of a number's text, spaces aside. */
static bool at_end(const char *p, const char *end) {
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) p++;
  return p == end;
}

static bool parse_float(const NoriaString *s, NoriaDType dtype, uint64_t *out_bits) {
  char *end;
  const NrFloatFormat *format = small_format(dtype);
  /* float and double have parsers of their own: rounding twice could miss the nearest value. */
  double value = dtype == NORIA_F32 ? (double)strtof(s->data, &end) : strtod(s->data, &end);
  if (end == s->data || !at_end(end, s->data + s->size)) return false;
  if (format && format->nan == NR_NAN_NONE && isnan(value)) value = -0.0; /* as Cast of floats has it */
  /* Cast to the types of one byte saturates by default, to the others it does not. */
  if (format)
    *out_bits = nr_float_encode(format, value, noria_dtype_size(dtype) == 1);
  else
    memcpy(out_bits, &value, sizeof(value));
  return true;
}

static bool parse_integer(const NoriaString *s, NoriaDType dtype, uint64_t *out_bits) {
  char *end;
  errno = 0;
  bool is_signed = number_class(dtype) == NUMBER_SIGNED;
  uint64_t value = is_signed ? (uint64_t)strtoll(s->data, &end, 10) : strtoull(s->data, &end, 10);
  if (end != s->data && at_end(end, s->data + s->size)) {
    if (errno == ERANGE) return false;
    *out_bits = dtype == NORIA_BOOL ? value != 0 : value;
    return true;
  }
  if (dtype == NORIA_BOOL && (strcasecmp(s->data, "true") == 0 || strcasecmp(s->data, "false") == 0)) {
    *out_bits = (s->data[0] | 32) == 't';
    return true;
  }
  /* "100.5" as an integer is 100. */
  double real = strtod(s->data, &end);
  if (end == s->data || !at_end(end, s->data + s->size) || !(fabs(real) < 9.2e18)) return false;
  *out_bits = dtype == NORIA_BOOL ? real != 0 : (uint64_t)(int64_t)real;
  return true;
}

int32_t nr_import_string_to(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  NoriaDType dtype = (NoriaDType)nr_arg_i32(&args[1]);
  const NoriaDesc *t = &args[2];
  locale_t c, old;
  if (!castable(e, dtype) || nr_result_tensor(e, &results[0], dtype, t->rank, t->dims)) return 1;
  if (!enter_locale(e, &c, &old)) return 1;
  NoriaString *const *strings = t->data;
  size_t size = noria_dtype_size(dtype);
  bool ok = true;
  for (int64_t i = 0, n = nr_desc_count(t); i < n && ok; i++) {
    uint64_t bits = 0;
    if (nr_import_stopped(e, i)) {
      ok = false;
      break;
    }
    ok = number_class(dtype) == NUMBER_FLOAT ? parse_float(strings[i], dtype, &bits)
                                             : parse_integer(strings[i], dtype, &bits);
    if (ok)
      memcpy((char *)results[0].data + (size_t)i * size, &bits, size);
    else
      nr_exec_fail(e, NORIA_ERROR_FAILED, nr_arg_i32(&args[0]), "\"%.64s\" is not a value of type %s",
                   strings[i]->data, noria_dtype_name(dtype));
  }
  leave_locale(c, old);
  return ok ? 0 : 1;
}
