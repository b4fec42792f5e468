/* integer.c - arithmetic on integers. Values are sign-extended to the next wider type of C; arithmetic that may wrap is
 * on unsigned numbers, and a shift takes its amount modulo the width, so that nothing is undefined in C. */
#include "codegen/c/c.h"
#include "dialect/arith/arith.h"
#include "dialect/arith/compare.h"
#include "dialect/arith/ops.h"
#include "dialect/operands.h"

/* ---- views of a value ------------------------------------------------------------------------------------------- */

static bool is_bool(NrType type) { return type->kind == NR_TYPE_INTEGER && type->width == 1; }
static uint32_t work_bits(NrType type) { return NR_MAX(nr_c_bits(type), 32u); }
static bool fills(NrType type) { return !is_bool(type) && nr_type_bits(type) == nr_c_bits(type); }

const char *nr_c_signed(NrC *g, NrType type, const char *x) {
  return is_bool(type) ? nr_c_text(g, "(-(i32)%s)", x) : x;
}

const char *nr_c_unsigned(NrC *g, NrType type, const char *x) {
  uint32_t bits = nr_type_bits(type), work = work_bits(type), spare = work - bits;
  if (!spare || is_bool(type)) return nr_c_text(g, "(u%u)%s", work, x);
  if (fills(type)) return nr_c_text(g, "(u%u)(u%u)%s", work, bits, x);
  return nr_c_text(g, "((u%u)%s << %u >> %u)", work, x, spare, spare);
}

const char *nr_c_wrapped(NrC *g, NrType type, const char *x) {
  uint32_t work = work_bits(type), spare = work - nr_type_bits(type);
  if (is_bool(type)) return nr_c_text(g, "(%s & 1) != 0", nr_c_group(g, x));
  if (fills(type)) return nr_c_text(g, "(i%u)%s", nr_c_bits(type), nr_c_group(g, x));
  return nr_c_text(g, "(i%u)((i%u)((u%u)%s << %u) >> %u)", nr_c_bits(type), work, work, nr_c_group(g, x), spare, spare);
}

/* ---- helper functions ------------------------------------------------------------------------------------------- */

/* How a function computes: %s %s are its operands, as unsigned or signed numbers. */
typedef struct Formula {
  const char *name;
  char view;    /* 'u' or 's' */
  bool is_done; /* the result needs no wrapping: it is one of the operands */
  const char *text;
} Formula;

#define MASKED "(%2$s & %3$u)"
static const Formula formulas[] = {
    {"add", 'u', false, "%1$s + %2$s"},
    {"sub", 'u', false, "%1$s - %2$s"},
    {"mul", 'u', false, "%1$s * %2$s"},
    {"div", 's', false, "%1$s / %2$s"},
    {"divu", 'u', false, "%1$s / %2$s"},
    {"rem", 's', false, "%2$s == -1 ? 0 : %1$s %% %2$s"}, /* the minimum divided by -1 overflows */
    {"remu", 'u', false, "%1$s %% %2$s"},
    {"shl", 'u', false, "%1$s << " MASKED},
    {"shru", 'u', false, "%1$s >> " MASKED},
    {"shr", 's', false, "%1$s >> " MASKED},
    {"min", 's', true, "%1$s < %2$s ? a : b"},
    {"max", 's', true, "%1$s > %2$s ? a : b"},
    {"minu", 'u', true, "%1$s < %2$s ? a : b"},
    {"maxu", 'u', true, "%1$s > %2$s ? a : b"},
    {"ceildivu", 'u', false, "%1$s / %2$s + (%1$s %% %2$s != 0)"},
    {"ceildiv", 's', false, "%1$s / %2$s + (%1$s %% %2$s != 0 && (%1$s %% %2$s ^ %2$s) >= 0)"},
    {"floordiv", 's', false, "%1$s / %2$s - (%1$s %% %2$s != 0 && (%1$s %% %2$s ^ %2$s) < 0)"},
};

static const char *suffix(NrC *g, NrType type) {
  return fills(type) ? nr_c_type(g, type) : nr_c_text(g, "i%u", nr_type_bits(type));
}

/* One format string has no use for all arguments of another, which numbered conversions cannot leave out in the
 * middle: so the text is put together here. */
static const char *fill_in(NrC *g, const char *format, const char *a, const char *b, uint32_t mask) {
  NrBuf out = {0};
  for (const char *at = format; *at; at++) {
    if (*at != '%') nr_buf_putc(&out, *at);
    else if (at[1] == '%') nr_buf_putc(&out, *++at);
    else if (at[1] == '1') nr_buf_puts(&out, a), at += 3;
    else if (at[1] == '2') nr_buf_puts(&out, b), at += 3;
    else nr_buf_printf(&out, "%u", mask), at += 3;
  }
  const char *text = nr_c_text(g, "%s", out.data ? out.data : "");
  nr_buf_deinit(&out);
  return text;
}

const char *nr_c_integer(NrC *g, const char *name, NrType type, const char *a, const char *b) {
  const Formula *f = formulas;
  while (strcmp(f->name, name)) f++;
  bool is_unsigned = f->view == 'u';
  const char *container = nr_c_type(g, type);
  if (!container) return NULL;
  const char *x = is_unsigned ? nr_c_unsigned(g, type, "a") : nr_c_signed(g, type, "a");
  const char *y = is_unsigned || f->name[0] == 's' ? nr_c_unsigned(g, type, "b") : nr_c_signed(g, type, "b");
  const char *text = fill_in(g, f->text, x, y, work_bits(type) - 1);
  if (!f->is_done) text = nr_c_wrapped(g, type, nr_c_text(g, "(%s)", text));
  const char *behind = nr_c_text(g, "(%s a, %s b) { return %s; }", container, container, text);
  const char *helper = nr_c_helper(g, nr_c_text(g, "%s_%s", name, suffix(g, type)), nr_c_text(g, "%s ", container),
                                   behind);
  return nr_c_text(g, "%s(%s, %s)", helper, a, b);
}

/* ---- the ops ---------------------------------------------------------------------------------------------------- */

static bool is_number(const char *text) { return text[0] >= '0' && text[0] <= '9'; }

/* text: the function; code: the operator, where no wrapping is needed. */
static const char *lane_binary(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  NrType type = nr_type_elem(nr_op_result(op)->type);
  bool wide = fills(type) && nr_type_bits(type) >= 32 && !(is_number(args[0]) && is_number(args[1]));
  bool safe = strcmp(row->text, "div") == 0 || (nr_arith_overflow(op) & NR_OVERFLOW_NSW);
  if (wide && row->code && safe) return nr_c_text(g, "%s %c %s", args[0], row->code, args[1]);
  return nr_c_integer(g, row->text, type, args[0], args[1]);
}

/* text: the operator; code: whether an i1 has another, which is behind it. */
static const char *lane_bits(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  NrType type = nr_type_elem(nr_op_result(op)->type);
  if (!is_bool(type)) return nr_c_text(g, "%s %.1s %s", args[0], row->text, args[1]);
  if (row->text[0] == '^' && strcmp(args[1], "true") == 0) return nr_c_text(g, "!%s", args[0]);
  return nr_c_text(g, "%s %s %s", args[0], row->text + 1, args[1]);
}

static const char *lane_cmpi(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  static const char *const operators[NR_NUM_CMPI] = {"==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">="};
  NrCmpI p = nr_cmpi_of(op);
  NrType type = nr_type_elem(nr_op_operand_type(op));
  /* Compilers warn of a value compared with itself, as finalize-memref makes some of sizes that are one value. */
  if (nr_op_lhs(op) == nr_op_rhs(op) && nr_op_result(op)->type->kind != NR_TYPE_VECTOR)
    return nr_cmpi_allows(p, NR_EQUAL) ? "true" : "false";
  if (nr_cmpi_is_unsigned(p))
    return nr_c_text(g, "%s %s %s", nr_c_unsigned(g, type, args[0]), operators[p], nr_c_unsigned(g, type, args[1]));
  if (p <= NR_CMPI_NE) return nr_c_text(g, "%s %s %s", args[0], operators[p], args[1]);
  return nr_c_text(g, "%s %s %s", nr_c_signed(g, type, args[0]), operators[p], nr_c_signed(g, type, args[1]));
}

/* ---- casts ------------------------------------------------------------------------------------------------------ */

static const char *extended(NrC *g, NrType from, NrType to, bool sign, const char *x) {
  const char *name = nr_c_type(g, to);
  if (!name) return NULL;
  if (sign) return nr_c_text(g, "(%s)%s", name, nr_c_signed(g, from, x));
  return nr_c_text(g, "(%s)%s", name, nr_c_group(g, nr_c_unsigned(g, from, x)));
}

/* code: whether the sign is extended. */
static const char *lane_ext(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  NrType from = nr_type_elem(nr_op_operand_type(op)), to = nr_type_elem(nr_op_result(op)->type);
  return extended(g, from, to, row->code, args[0]);
}

static const char *lane_trunci(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  return nr_c_wrapped(g, nr_type_elem(nr_op_result(op)->type), args[0]);
}

static const char *lane_index_cast(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  NrType from = nr_type_elem(nr_op_operand_type(op)), to = nr_type_elem(nr_op_result(op)->type);
  uint32_t a = nr_type_bits(from), b = nr_type_bits(to);
  return a == b ? args[0] : a > b ? nr_c_wrapped(g, to, args[0]) : extended(g, from, to, row->code, args[0]);
}

/* ---- counting bits ---------------------------------------------------------------------------------------------- */

static const char *lane_absi(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  NrType type = nr_type_elem(nr_op_result(op)->type);
  if (is_bool(type)) return args[0];
  const char *c = nr_c_type(g, type),
             *negative = nr_c_wrapped(g, type, nr_c_text(g, "(0 - %s)", nr_c_unsigned(g, type, "a")));
  const char *behind = nr_c_text(g, "(%s a) { return a < 0 ? %s : a; }", c, negative);
  return nr_c_text(g, "%s(%s)",
                   nr_c_helper(g, nr_c_text(g, "abs_%s", suffix(g, type)), nr_c_text(g, "%s ", c), behind), args[0]);
}

/* text: a function of the prelude that counts in 64 bits; code: what it counts: 'p' ones, 'l' leading or 't' trailing
 * zeros. */
static const char *lane_count(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  NrType type = nr_type_elem(nr_op_result(op)->type);
  uint32_t bits = nr_type_bits(type);
  if (bits > 64) return NULL;
  const char *x = nr_c_text(g, "(u64)%s", nr_c_group(g, nr_c_unsigned(g, type, args[0]))), *count;
  if (row->code == 'p') count = nr_c_text(g, "noria_ones(%s)", x);
  else count = nr_c_text(g, "noria_%s_zeros(%s, %u)", row->code == 'l' ? "leading" : "trailing", x, bits);
  return nr_c_wrapped(g, type, count);
}

/* ---- two results ------------------------------------------------------------------------------------------------ */

/* Sets a result that is `one` of the operands, or of each lane of them. */
static void set_each(NrC *g, NrOp *op, uint32_t result, const char *base, const char *one) {
  NrValue *out = nr_result(op, result);
  if (out->type->kind == NR_TYPE_VECTOR) nr_c_set_lanes(g, op, out, base, one, NULL);
  else nr_c_set(g, out, one);
}

static const char *argument(NrC *g, NrOp *op, size_t i) {
  NrValue *value = nr_operand(op, i);
  return value->type->kind == NR_TYPE_VECTOR ? nr_c_lane_of(g, op, (uint32_t)i) : nr_c_value(g, value);
}

static NrStatus emit_addui_extended(NrC *g, NrOp *op, const NrCRow *row) {
  NrType type = nr_type_elem(nr_op_operand_type(op));
  const char *a = argument(g, op, nr_op_lhs_index(op)),
             *sum = nr_c_integer(g, "add", type, a, argument(g, op, nr_op_rhs_index(op)));
  set_each(g, op, NR_ARITH_ADDUI_EXTENDED_SUM, "add", sum);
  set_each(g, op, NR_ARITH_ADDUI_EXTENDED_OVERFLOW, "carry",
           nr_c_text(g, "%s < %s", nr_c_unsigned(g, type, sum), nr_c_unsigned(g, type, a)));
  return NR_OK;
}

/* code: 's' or 'u'. */
static NrStatus emit_mul_extended(NrC *g, NrOp *op, const NrCRow *row) {
  NrType type = nr_type_elem(nr_op_operand_type(op));
  uint32_t bits = nr_type_bits(type), wide = bits > 32 ? 128 : 64;
  if (bits > 64) return nr_op_error(op, "has no C for products of %u bits", 2 * bits);
  const char *a = argument(g, op, nr_op_lhs_index(op)), *b = argument(g, op, nr_op_rhs_index(op)), *high;
  bool sign = row->code == 's';
  if (bits > 32 && bits < 64) g->has_i128 = true;
  const char *x = sign ? nr_c_signed(g, type, a) : nr_c_unsigned(g, type, a);
  const char *y = sign ? nr_c_signed(g, type, b) : nr_c_unsigned(g, type, b);
  if (bits == 64) high = nr_c_text(g, "noria_high_%c(%s, %s)", row->code, a, b);
  else
    high = nr_c_text(g, "((%c%u)%s * (%c%u)%s >> %u)", sign ? 'i' : 'u', wide, nr_c_group(g, x), sign ? 'i' : 'u', wide,
                     nr_c_group(g, y), bits);
  set_each(g, op, NR_ARITH_MULSI_EXTENDED_LOW, "mul", nr_c_integer(g, "mul", type, a, b));
  set_each(g, op, NR_ARITH_MULSI_EXTENDED_HIGH, sign ? "high" : "highu", nr_c_wrapped(g, type, high));
  return NR_OK;
}

const NrCRow nr_c_integer_rows[] = {
    {"arith.addi", .lane = lane_binary, .text = "add", .code = '+'},
    {"arith.subi", .lane = lane_binary, .text = "sub", .code = '-'},
    {"arith.muli", .lane = lane_binary, .text = "mul", .code = '*'},
    {"arith.divsi", .lane = lane_binary, .text = "div", .code = '/'},
    {"arith.divui", .lane = lane_binary, .text = "divu"},
    {"arith.remsi", .lane = lane_binary, .text = "rem"},
    {"arith.remui", .lane = lane_binary, .text = "remu"},
    {"arith.shli", .lane = lane_binary, .text = "shl"},
    {"arith.shrsi", .lane = lane_binary, .text = "shr"},
    {"arith.shrui", .lane = lane_binary, .text = "shru"},
    {"arith.minsi", .lane = lane_binary, .text = "min"},
    {"arith.maxsi", .lane = lane_binary, .text = "max"},
    {"arith.minui", .lane = lane_binary, .text = "minu"},
    {"arith.maxui", .lane = lane_binary, .text = "maxu"},
    {"arith.ceildivui", .lane = lane_binary, .text = "ceildivu"},
    {"arith.ceildivsi", .lane = lane_binary, .text = "ceildiv"},
    {"arith.floordivsi", .lane = lane_binary, .text = "floordiv"},
    {"arith.andi", .lane = lane_bits, .text = "&&&"},
    {"arith.ori", .lane = lane_bits, .text = "|||"},
    {"arith.xori", .lane = lane_bits, .text = "^!="},
    {"arith.cmpi", .lane = lane_cmpi},
    {"arith.extsi", .lane = lane_ext, .code = 1},
    {"arith.extui", .lane = lane_ext, .code = 0},
    {"arith.trunci", .lane = lane_trunci},
    {"arith.index_cast", .lane = lane_index_cast, .code = 1},
    {"arith.index_castui", .lane = lane_index_cast, .code = 0},
    {"arith.addui_extended", .emit = emit_addui_extended},
    {"arith.mulsi_extended", .emit = emit_mul_extended, .code = 's'},
    {"arith.mului_extended", .emit = emit_mul_extended, .code = 'u'},
    {"math.absi", .lane = lane_absi},
    {"math.ctlz", .lane = lane_count, .code = 'l'},
    {"math.cttz", .lane = lane_count, .code = 't'},
    {"math.ctpop", .lane = lane_count, .code = 'p'},
    {0},
};
