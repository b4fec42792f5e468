/* kernel_preludes.c - what kernels leave open, as text: see kernels.h. */
#include "ir/text.h"
#include "pass/scalar/kernels.h"

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* The bits of infinity; what is above without the sign is NaN. */
static uint64_t infinity_of(NoriaDType dtype) {
  switch (dtype) {
  case NORIA_F16: return 0x7C00;
  case NORIA_BF16: return 0x7F80;
  case NORIA_F32: return 0x7F800000;
  case NORIA_F64: return 0x7FF0000000000000;
  default: assert(false); return 0;
  }
}

/* Appends @code, or @key, whose zeros are equal, of floats of `width` bits. Negative ones are complemented, others get
 * the sign bit; NaN is the greatest code. In descending order, all codes are complemented. */
static void float_code(NrBuf *out, const char *name, unsigned width, NoriaDType dtype, bool equal_zeros,
                       bool descending) {
  uint64_t sign = UINT64_C(1) << (width - 1);
  nr_buf_printf(out, "func.func private @%s(%%a: !T) -> !K {\n  %%raw = arith.bitcast %%a : !T to !K\n", name);
  nr_buf_printf(out, "  %%low = arith.constant %#llx : !K\n  %%infinity = arith.constant %#llx : !K\n",
                (unsigned long long)(sign - 1), (unsigned long long)infinity_of(dtype));
  nr_buf_printf(out, "  %%sign = arith.constant %#llx : !K\n  %%none = arith.constant 0 : !K\n",
                (unsigned long long)sign);
  nr_buf_printf(out, "  %%ones = arith.constant -1 : !K\n  %%last = arith.constant %u : !K\n", width - 1);
  nr_buf_printf(out, "  %%magnitude = arith.andi %%raw, %%low : !K\n");
  nr_buf_printf(out, "  %%is_nan = arith.cmpi ugt, %%magnitude, %%infinity : !K\n");
  if (equal_zeros)
    nr_buf_printf(out, "  %%is_zero = arith.cmpi eq, %%magnitude, %%none : !K\n"
                       "  %%bits = arith.select %%is_zero, %%none, %%raw : !K\n");
  nr_buf_printf(out, "  %%smeared = arith.shrsi %%%s, %%last : !K\n", equal_zeros ? "bits" : "raw");
  nr_buf_printf(out, "  %%flip = arith.ori %%smeared, %%sign : !K\n");
  nr_buf_printf(out, "  %%ordered = arith.xori %%%s, %%flip : !K\n", equal_zeros ? "bits" : "raw");
  nr_buf_printf(out, "  %%up = arith.select %%is_nan, %%ones, %%ordered : !K\n");
  nr_buf_printf(out, "  %%code = arith.xori %%up, %%%s : !K\n  return %%code : !K\n}\n", descending ? "ones" : "none");
}

static void float_codes(NrBuf *out, unsigned width, NoriaDType dtype, bool descending) {
  unsigned long long sign = 1ULL << (width - 1);
  float_code(out, "code", width, dtype, false, descending);
  float_code(out, "key", width, dtype, true, descending);
  nr_buf_printf(out,
                "func.func private @element(%%code: !K) -> !T {\n  %%turn = arith.constant %d : !K\n"
                "  %%sign = arith.constant %#llx : !K\n  %%ones = arith.constant -1 : !K\n"
                "  %%last = arith.constant %u : !K\n  %%up = arith.xori %%code, %%turn : !K\n"
                "  %%smeared = arith.shrsi %%up, %%last : !K\n  %%not = arith.xori %%smeared, %%ones : !K\n"
                "  %%flip = arith.ori %%not, %%sign : !K\n  %%raw = arith.xori %%up, %%flip : !K\n"
                "  %%a = arith.bitcast %%raw : !K to !T\n  return %%a : !T\n}\n",
                descending ? -1 : 0, sign, width - 1);
  nr_buf_printf(
      out,
      "func.func private @is_nan(%%a: !T) -> i1 {\n  %%raw = arith.bitcast %%a : !T to !K\n"
      "  %%low = arith.constant %#llx : !K\n  %%infinity = arith.constant %#llx : !K\n"
      "  %%magnitude = arith.andi %%raw, %%low : !K\n  %%is = arith.cmpi ugt, %%magnitude, %%infinity : !K\n"
      "  return %%is : i1\n}\n",
      sign - 1, (unsigned long long)infinity_of(dtype));
  unsigned long long plus = descending ? sign - 1 : sign, minus = descending ? sign : sign - 1;
  nr_buf_printf(out, "func.func private @zero() -> !K {\n  %%c = arith.constant %#llx : !K\n  return %%c : !K\n}\n",
                plus);
  nr_buf_printf(
      out, "func.func private @minus_zero() -> !K {\n  %%c = arith.constant %#llx : !K\n  return %%c : !K\n}\n", minus);
}

static void int_codes(NrBuf *out, unsigned width, bool is_signed, bool descending) {
  /* flips the sign bit, so that unsigned comparison orders; in descending order, the others */
  uint64_t all = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
  uint64_t flip = (is_signed ? UINT64_C(1) << (width - 1) : 0) ^ (descending ? all : 0);
  static const char *const names[][3] = {{"code", "T", "K"}, {"key", "T", "K"}, {"element", "K", "T"}};
  for (size_t i = 0; i < NR_COUNTOF(names); i++)
    nr_buf_printf(out,
                  "func.func private @%s(%%a: !%s) -> !%s {\n  %%flip = arith.constant %#llx : !K\n"
                  "  %%b = arith.xori %%a, %%flip : !K\n  return %%b : !%s\n}\n",
                  names[i][0], names[i][1], names[i][2], (unsigned long long)flip, names[i][2]);
  nr_buf_printf(
      out, "func.func private @is_nan(%%a: !T) -> i1 {\n  %%no = arith.constant false\n  return %%no : i1\n}\n");
  for (int i = 0; i < 2; i++)
    nr_buf_printf(out, "func.func private @%s() -> !K {\n  %%c = arith.constant 0 : !K\n  return %%c : !K\n}\n",
                  i ? "minus_zero" : "zero");
}

/* Appends !K, an integer of the width of T, and functions from elements to it in which unsigned comparison orders. */
static void append_codes(NrBuf *out, NrType elem, NoriaDType dtype, bool is_signed, bool descending) {
  unsigned width = (unsigned)NR_MAX(nr_type_bits(elem), 8);
  nr_buf_printf(out,
                "!K = i%u\nfunc.func private @key_bits() -> index {\n  %%c = arith.constant %u : index\n"
                "  return %%c : index\n}\n",
                width, width);
  if (nr_type_is_int(elem))
    int_codes(out, width, is_signed, descending);
  else
    float_codes(out, width, dtype, descending);
  nr_buf_printf(out, "func.func private @half(%%key: !K, %%high: i1) -> i64 {\n");
  if (width == 64)
    nr_buf_printf(out, "  %%shift = arith.constant 32 : i64\n  %%low_bits = arith.constant 0xffffffff : i64\n"
                       "  %%above = arith.shrui %%key, %%shift : i64\n  %%below = arith.andi %%key, %%low_bits : i64\n"
                       "  %%half = arith.select %%high, %%above, %%below : i64\n");
  else
    nr_buf_printf(out, "  %%half = arith.extui %%key : !K to i64\n");
  nr_buf_printf(out, "  return %%half : i64\n}\n");
}

/* Boxes are [y1, x1, y2, x2] of any two opposite corners, or [x, y, width, height] with x and y of the centre. */
static const char corners_of_corners[] = //
    "  %left_first = arith.cmpf olt, %b1, %b3 : f32\n"
    "  %top_first = arith.cmpf olt, %b0, %b2 : f32\n"
    "  %x1 = arith.select %left_first, %b1, %b3 : f32\n"
    "  %x2 = arith.select %left_first, %b3, %b1 : f32\n"
    "  %y1 = arith.select %top_first, %b0, %b2 : f32\n"
    "  %y2 = arith.select %top_first, %b2, %b0 : f32\n"
    "  %width = arith.subf %x2, %x1 : f32\n"
    "  %height = arith.subf %y2, %y1 : f32\n"
    "  %area = arith.mulf %width, %height : f32\n";
static const char corners_of_centre[] = //
    "  %half = arith.constant 0.5 : f32\n"
    "  %half_width = arith.mulf %b2, %half : f32\n"
    "  %half_height = arith.mulf %b3, %half : f32\n"
    "  %x1 = arith.subf %b0, %half_width : f32\n"
    "  %x2 = arith.addf %b0, %half_width : f32\n"
    "  %y1 = arith.subf %b1, %half_height : f32\n"
    "  %y2 = arith.addf %b1, %half_height : f32\n"
    "  %width = arith.subf %x2, %x1 : f32\n"
    "  %height = arith.subf %y2, %y1 : f32\n"
    "  %area = arith.mulf %width, %height : f32\n";

void nr_kernel_nms_prelude(NrBuf *out, bool centre) {
  nr_buf_printf(out, "func.func private @corners(%%boxes: tensor<?x?x4xf32>, %%batch: index, %%i: index)"
                     " -> (f32, f32, f32, f32, f32) {\n");
  for (int i = 0; i < 4; i++)
    nr_buf_printf(out,
                  "  %%c%d = arith.constant %d : index\n"
                  "  %%b%d = tensor.extract %%boxes[%%batch, %%i, %%c%d] : tensor<?x?x4xf32>\n",
                  i, i, i, i);
  nr_buf_printf(out, "%s  return %%x1, %%y1, %%x2, %%y2, %%area : f32, f32, f32, f32, f32\n}\n",
                centre ? corners_of_centre : corners_of_corners);
}

void nr_kernel_prelude(NrContext *ctx, NrBuf *out, NoriaDType dtype, bool descending) {
  nr_kernel_prelude_checked(ctx, out, dtype, descending, false, NULL);
}

static void expands_prelude(NrBuf *out, const NrTarget *target) {
  nr_buf_printf(out, "func.func private @expands() -> i1 {\n  %%c = arith.constant %s\n  return %%c : i1\n}\n",
                target && target->units & NR_UNIT_EXPAND ? "true" : "false");
}

void nr_kernel_prelude_checked(NrContext *ctx, NrBuf *out, NoriaDType dtype, bool descending, bool checked,
                               const NrTarget *target) {
  NrType type = nr_dtype_type(ctx, dtype), elem = nr_type_lowered(type);
  bool is_int = nr_type_is_int(elem);
  bool is_unsigned = is_int && (type->signedness == NR_UNSIGNED || dtype == NORIA_BOOL);
  bool small = !is_int && nr_type_bits(elem) < 32;
  const char *e = nr_type_text(ctx, elem), *w = small ? "f32" : e;
  nr_buf_printf(out, "!T = %s\nfunc.func private @before(%%a: !T, %%b: !T) -> i1 {\n", e);
  if (is_int) {
    const char *predicate = is_unsigned ? descending ? "ugt" : "ult" : descending ? "sgt" : "slt";
    nr_buf_printf(out, "  %%before = arith.cmpi %s, %%a, %%b : !T\n", predicate);
  } else {
    const char *x = "%a", *y = "%b";
    if (small) {
      nr_buf_printf(out, "  %%x = arith.extf %%a : %s to %s\n  %%y = arith.extf %%b : %s to %s\n", e, w, e, w);
      x = "%x", y = "%y";
    }
    const char *lesser = descending ? y : x;
    nr_buf_printf(out, "  %%less = arith.cmpf %s, %s, %s : %s\n", descending ? "ugt" : "ult", x, y, w);
    nr_buf_printf(out, "  %%number = arith.cmpf ord, %s, %s : %s\n", lesser, lesser, w);
    nr_buf_printf(out, "  %%before = arith.andi %%less, %%number : i1\n");
  }
  nr_buf_printf(out, "  return %%before : i1\n}\n");
  append_codes(out, elem, dtype, !is_unsigned, descending);
  nr_buf_printf(out, "func.func private @checked() -> i1 {\n  %%c = arith.constant %s\n  return %%c : i1\n}\n",
                checked ? "true" : "false");
  expands_prelude(out, target);
}

/* ---- sparse matrices --------------------------------------------------------------------------------------------- */

/* @choose: the first value where the condition holds, else the second. By integers, because CPUs have a conditional
 * move for these and the code generator makes a branch of the choice between two floats. */
static void choose_prelude(NrContext *ctx, NrBuf *out, NrType elem) {
  const char *e = nr_type_text(ctx, elem);
  uint32_t bits = nr_type_bits(elem);
  nr_buf_printf(out, "func.func private @choose(%%c: i1, %%a: !T, %%b: !T) -> !T {\n");
  if (nr_type_is_int(elem)) {
    nr_buf_printf(out, "  %%chosen = arith.select %%c, %%a, %%b : !T\n  return %%chosen : !T\n}\n");
    return;
  }
  nr_buf_printf(out, "  %%x = arith.bitcast %%a : %s to i%u\n", e, bits);
  nr_buf_printf(out, "  %%y = arith.bitcast %%b : %s to i%u\n", e, bits);
  nr_buf_printf(out, "  %%z = arith.select %%c, %%x, %%y : i%u\n", bits);
  nr_buf_printf(out, "  %%chosen = arith.bitcast %%z : i%u to %s\n  return %%chosen : !T\n}\n", bits, e);
}

void nr_kernel_sparse_prelude(NrContext *ctx, NrBuf *out, NoriaDType dtype, NoriaDType indices,
                              const NrTarget *target) {
  NrType elem = nr_type_lowered(nr_dtype_type(ctx, dtype));
  bool is_int = nr_type_is_int(elem);
  const char *zero = is_int ? "0" : "0.0", *kind = is_int ? "i" : "f", *differs = is_int ? "ne" : "une";
  nr_buf_printf(out, "!T = %s\n!I = %s\n", nr_type_text(ctx, elem), nr_type_text(ctx, nr_dtype_type(ctx, indices)));
  nr_buf_printf(out, "func.func private @zero() -> !T {\n  %%zero = arith.constant %s : !T\n", zero);
  nr_buf_printf(out, "  return %%zero : !T\n}\n");
  static const char *const suffixes[] = {"", "_8", "_16"}, *const types[] = {"!T", "vector<8x!T>", "vector<16x!T>"};
  for (int i = 0; i < 6; i++) { /* of elements, and of vectors */
    const char *name = i % 2 ? "times" : "plus", *op = i % 2 ? "mul" : "add";
    const char *suffix = suffixes[i / 2], *type = types[i / 2];
    nr_buf_printf(out, "func.func private @%s%s(%%a: %s, %%b: %s) -> %s {\n", name, suffix, type, type, type);
    nr_buf_printf(out, "  %%result = arith.%s%s %%a, %%b : %s\n  return %%result : %s\n}\n", op, kind, type, type);
  }
  nr_buf_printf(out, "func.func private @not_zero(%%a: !T) -> i1 {\n  %%zero = arith.constant %s : !T\n", zero);
  nr_buf_printf(out, "  %%result = arith.cmp%s %s, %%a, %%zero : !T\n  return %%result : i1\n}\n", kind, differs);
  nr_buf_printf(out, "func.func private @not_zero_16(%%a: vector<16x!T>) -> vector<16xi1> {\n");
  nr_buf_printf(out, "  %%zero = arith.constant dense<%s> : vector<16x!T>\n", zero);
  nr_buf_printf(out, "  %%result = arith.cmp%s %s, %%a, %%zero : vector<16x!T>\n", kind, differs);
  nr_buf_printf(out, "  return %%result : vector<16xi1>\n}\n");
  expands_prelude(out, target);
  choose_prelude(ctx, out, elem);
}
