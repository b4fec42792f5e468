/* arith.c - arithmetic on floats, choices, casts between kinds of numbers, and elements of memory. */
#include "codegen/c/c.h"
#include "dialect/arith/arith.h"
#include "dialect/arith/compare.h"
#include "dialect/complex/ops.h"
#include "dialect/operands.h"

static bool is_f32(NrType type) { return nr_type_is_float_kind(type, NR_F32); }
static bool is_real(NrType type) { return is_f32(type) || nr_type_is_float_kind(type, NR_F64); }
static NrType result_elem(NrOp *op) { return nr_type_elem(nr_op_result(op)->type); }
static NrType operand_elem(NrOp *op) { return nr_type_elem(nr_op_operand_type(op)); }

/* ---- constants, select ------------------------------------------------------------------------------------------ */

/* Scalars are written where they are used. */
static NrStatus emit_constant(NrC *g, NrOp *op, const NrCRow *row) {
  NrValue *out = nr_op_result(op);
  NrAttr attr = nr_op_attr(op, NR_A_value);
  if (attr->kind == NR_ATTR_SPARSE) attr = nr_attr_sparse_to_dense(attr);
  if (out->type->kind != NR_TYPE_VECTOR) {
    if (attr && nr_c_constant(g, attr, out->type)) return NR_OK;
    return nr_op_error(op, "has a value that C does not have");
  }
  if (!attr || !nr_attr_is_elements(attr) || out->type->rank != 1)
    return nr_op_error(op, "has a value that C does not have");
  NrBuf text = {0};
  bool is_gnu = nr_c_is_gnu(out->type), good = true;
  nr_buf_printf(&text, "(%s)", nr_c_type(g, out->type));
  if (is_gnu) nr_buf_printf(&text, "LANES%u(", nr_c_gnu_bytes(out->type));
  else nr_buf_puts(&text, "{{");
  for (int64_t i = 0; i < out->type->dims[0] && good; i++) {
    const char *item = nr_c_constant(g, nr_attr_element(attr, i), out->type->elem);
    if (item) nr_buf_printf(&text, i ? ", %s" : "%s", item);
    else good = false;
  }
  nr_buf_puts(&text, is_gnu ? ")" : "}}");
  if (good) nr_c_set(g, out, text.data);
  nr_buf_deinit(&text);
  return good ? NR_OK : nr_op_error(op, "has a value that C does not have");
}

static const char *lane_select(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  return nr_c_text(g, "%s ? %s : %s", args[0], args[1], args[2]);
}

/* ---- arithmetic ------------------------------------------------------------------------------------------------- */

/* The product that is operand i, of a sum that may be fused with it; NULL: there is none. */
static NrOp *fused_product(NrC *g, NrOp *op, uint32_t i) {
  NrOp *product = nr_operand(op, i)->op;
  bool may = g->has_fma && nr_arith_fastmath_has(op, "contract") && op->results[0].type->kind != NR_TYPE_VECTOR;
  return may && product && nr_op_is(product, NR_OP_arith_mulf) && nr_arith_fastmath_has(product, "contract") &&
                 nr_map_has(&g->inlined, nr_operand(op, i))
             ? product : NULL;
}

/* A sum whose ops allow it is a fused multiply-add where the machine has one, as LLVM makes of it. text: + or -. */
static const char *lane_sum(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  NrType type = result_elem(op);
  if (!is_real(type)) return NULL;
  uint32_t left = (uint32_t)nr_op_lhs_index(op), i = fused_product(g, op, left) ? left : (uint32_t)nr_op_rhs_index(op);
  NrOp *product = fused_product(g, op, i);
  if (!product) return nr_c_text(g, "%s %s %s", args[0], row->text, args[1]);
  const char *minus = row->text[0] == '-' ? "-" : "", *a = nr_c_value(g, nr_op_lhs(product));
  return nr_c_text(g, "%s(%s%s, %s, %s%s)", is_f32(type) ? "fmaf" : "fma", i != left ? minus : "", a,
                   nr_c_plain(g, nr_op_rhs(product)), i == left ? minus : "", args[1 - i]);
}

static const char *lane_binary(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  return is_real(result_elem(op)) ? nr_c_text(g, "%s %s %s", args[0], row->text, args[1]) : NULL;
}

static const char *lane_negf(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  return is_real(result_elem(op)) ? nr_c_text(g, "-%s", args[0]) : NULL;
}

/* NaN wins, or where `number` is set the other one; -0 is less than 0. */
static const char *extreme(NrC *g, NrType type, char less, bool number, const char *a, const char *b) {
  const char *name = nr_c_type(g, type), *nan = number ? "a != a ? b : b != b ? a : " : "a != a || b != b ? a + b : ";
  const char *behind = nr_c_text(g, "(%s a, %s b) { return %sa %c b ? a : b %c a ? b : signbit(a) ? %c : %c; }", name,
                                 name, nan, less, less, less == '<' ? 'a' : 'b', less == '<' ? 'b' : 'a');
  const char *base = nr_c_text(g, "%s%s_%s", less == '<' ? "min" : "max", number ? "num" : "imum", name);
  return nr_c_text(g, "%s(%s, %s)", nr_c_helper(g, base, nr_c_text(g, "%s ", name), behind), a, b);
}

/* code: '<' or '>'; text: whether numbers win over NaN. */
static const char *lane_extreme(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  NrType type = result_elem(op);
  return is_real(type) ? extreme(g, type, (char)row->code, row->text != NULL, args[0], args[1]) : NULL;
}

const char *nr_c_combine(NrC *g, NrStr kind, NrType type, const char *a, const char *b) {
  static const struct {
    const char *kind, *function; /* of integers */
  } integers[] = {{"add", "add"},    {"addi", "add"},   {"mul", "mul"},     {"muli", "mul"},   {"mins", "min"},
                  {"maxs", "max"},   {"minu", "minu"},  {"maxu", "maxu"},   {"minsi", "min"},  {"maxsi", "max"},
                  {"minui", "minu"}, {"maxui", "maxu"}};
  bool real = is_real(type);
  if (nr_str_is(kind, "assign")) return b;
  if (real && (nr_str_is(kind, "add") || nr_str_is(kind, "addf"))) return nr_c_text(g, "%s + %s", a, b);
  if (real && (nr_str_is(kind, "mul") || nr_str_is(kind, "mulf"))) return nr_c_text(g, "%s * %s", a, b);
  if (real && nr_str_is(kind, "minimumf")) return extreme(g, type, '<', false, a, b);
  if (real && nr_str_is(kind, "maximumf")) return extreme(g, type, '>', false, a, b);
  if (real && nr_str_is(kind, "minnumf")) return extreme(g, type, '<', true, a, b);
  if (real && nr_str_is(kind, "maxnumf")) return extreme(g, type, '>', true, a, b);
  if (!nr_type_is_int_or_index(type)) return NULL;
  bool is_bool = nr_type_is_int_width(type, 1);
  if (nr_str_is(kind, "and") || nr_str_is(kind, "andi")) return nr_c_text(g, is_bool ? "%s && %s" : "%s & %s", a, b);
  if (nr_str_is(kind, "or") || nr_str_is(kind, "ori")) return nr_c_text(g, is_bool ? "%s || %s" : "%s | %s", a, b);
  if (nr_str_is(kind, "xor") || nr_str_is(kind, "xori")) return nr_c_text(g, is_bool ? "%s != %s" : "%s ^ %s", a, b);
  for (size_t i = 0; i < NR_COUNTOF(integers); i++)
    if (nr_str_is(kind, integers[i].kind)) return nr_c_integer(g, integers[i].function, type, a, b);
  return NULL;
}

/* ---- comparison ------------------------------------------------------------------------------------------------- */

static const char *lane_cmpf(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  static const char *const texts[16] = {
      "0",          "%s == %s",   "%s > %s",     "%s >= %s",    "%s < %s",     "%s <= %s", "islessgreater(%s, %s)",
      NULL,         "isunordered(%s, %s)", "!islessgreater(%s, %s)", "!(%s <= %s)", "!(%s < %s)", "!(%s >= %s)",
      "!(%s > %s)", "%s != %s",   "1"};
  unsigned relations = nr_cmpf_predicates[nr_cmpf_of(op)].relations;
  const char *a = args[0], *b = args[1];
  if (!is_real(operand_elem(op))) return NULL;
  switch (relations) {
  case 0: return "false";
  case 15: return "true";
  case NR_EQUAL | NR_GREATER | NR_LESS: return nr_c_text(g, "!isunordered(%s, %s)", a, b);
  default: break;
  }
  const char *format = texts[relations], *mark = strstr(format, "%s");
  return nr_c_text(g, "%.*s%s%.*s%s%s", (int)(mark - format), format, a, (int)(strrchr(format, '%') - mark - 2),
                   mark + 2, b, strrchr(format, '%') + 2);
}

/* ---- casts ------------------------------------------------------------------------------------------------------ */

static const char *lane_cast(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  NrType from = operand_elem(op), to = result_elem(op);
  return is_real(from) && is_real(to) ? nr_c_text(g, "(%s)%s", nr_c_type(g, to), args[0]) : NULL;
}

/* code: whether the integer has a sign. */
static const char *lane_to_float(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  NrType from = operand_elem(op), to = result_elem(op);
  if (!is_real(to)) return NULL;
  const char *x = row->code ? nr_c_signed(g, from, args[0]) : nr_c_unsigned(g, from, args[0]);
  return nr_c_text(g, "(%s)%s", nr_c_type(g, to), nr_c_group(g, x));
}

/* What the type does not hold gives its minimum, or 0 where it has no sign: C leaves that undefined. */
static const char *lane_to_int(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  NrType from = operand_elem(op), to = result_elem(op);
  uint32_t bits = nr_type_bits(to), digits = is_f32(from) ? 24 : 53;
  const char *name = nr_c_type(g, to), *real = nr_c_type(g, from), *low;
  if (!is_real(from) || !name) return NULL;
  uint32_t whole = row->code ? bits - 1 : bits; /* 2 to this power is too large */
  bool exact = whole >= digits;                  /* the next lower number is a whole one */
  if (!row->code) low = "x > -1";
  else low = nr_c_text(g, exact ? "x >= -0x1p%u" : "x > -0x1p%u - 1", whole);
  const char *work = bits > 64 ? (row->code ? "i128" : "u128") : bits == 64 && !row->code ? "u64" : "i64";
  const char *inside = nr_c_wrapped(g, to, nr_c_text(g, "(%s)x", work));
  const char *outside =
      row->code ? nr_c_wrapped(g, to, nr_c_text(g, "((u%u)1 << %u)", NR_MAX(nr_c_bits(to), 32u), bits - 1)) : "0";
  const char *behind = nr_c_text(g, "(%s x) { return %s && x < 0x1p%u ? %s : %s; }", real, low, whole, inside, outside);
  const char *base = nr_c_text(g, "%s_to_%c%u", real, row->code ? 'i' : 'u', bits);
  return nr_c_text(g, "%s(%s)", nr_c_helper(g, base, nr_c_text(g, "%s ", name), behind), args[0]);
}

const char *nr_c_bitcast(NrC *g, NrType from, NrType to, const char *x) {
  if (from == to) return x;
  if (is_real(from))
    x = nr_c_text(g, is_f32(from) ? "noria_bits32(%s)" : "noria_bits64(%s)", x);
  else if (nr_type_is_int_or_index(from)) x = nr_c_group(g, nr_c_unsigned(g, from, x));
  if (is_real(to)) return nr_c_text(g, is_f32(to) ? "noria_f32((u32)%s)" : "noria_f64((u64)%s)", x);
  if (nr_type_is_int_or_index(to)) return nr_c_wrapped(g, to, x);
  return nr_c_text(g, "(%s)%s", nr_c_type(g, to), x);
}

static const char *lane_bitcast(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  NrType from = operand_elem(op), to = result_elem(op);
  if (!nr_type_is_float(from) && !nr_type_is_int_or_index(from)) return NULL;
  return nr_c_bitcast(g, from, to, args[0]);
}

/* ---- elements of memory ----------------------------------------------------------------------------------------- */

static bool is_odd(NrType elem) { return elem->kind == NR_TYPE_INTEGER && elem->width != nr_c_bits(elem); }

const char *nr_c_from_memory(NrC *g, NrType elem, const char *x) { return is_odd(elem) ? nr_c_wrapped(g, elem, x) : x; }

const char *nr_c_to_memory(NrC *g, NrType elem, const char *x) {
  bool zeros = is_odd(elem) && elem->signedness == NR_UNSIGNED && elem->width != 1;
  return zeros ? nr_c_text(g, "(%s)%s", nr_c_type(g, elem), nr_c_group(g, nr_c_unsigned(g, elem, x))) : x;
}

/* ---- complex numbers -------------------------------------------------------------------------------------------- */

static NrStatus emit_complex(NrC *g, NrOp *op, const char *re, const char *im) {
  NrValue *out = nr_op_result(op);
  nr_c_set(g, out, nr_c_text(g, "(%s){%s, %s}", nr_c_type(g, out->type), re, im));
  return NR_OK;
}

static NrStatus emit_complex_constant(NrC *g, NrOp *op, const NrCRow *row) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  NrType part = nr_op_result(op)->type->elem;
  const char *re = nr_c_constant(g, value->items[0], part), *im = nr_c_constant(g, value->items[1], part);
  return re && im ? emit_complex(g, op, re, im) : nr_op_error(op, "has a value that C does not have");
}

static NrStatus emit_create(NrC *g, NrOp *op, const NrCRow *row) {
  return emit_complex(g, op, nr_c_plain(g, nr_complex_create_real(op)), nr_c_plain(g, nr_complex_create_imaginary(op)));
}

static NrStatus emit_part(NrC *g, NrOp *op, const NrCRow *row) {
  nr_c_set(g, nr_op_result(op), nr_c_text(g, "%s.%s", nr_c_value(g, nr_op_only_operand(op)), row->text));
  return NR_OK;
}

const NrCRow nr_c_arith_rows[] = {
    {"arith.constant", .emit = emit_constant},
    {"arith.select", .lane = lane_select, .gnu = "?:"},
    {"arith.addf", .lane = lane_sum, .text = "+", .gnu = "+"},
    {"arith.subf", .lane = lane_sum, .text = "-", .gnu = "-"},
    {"arith.mulf", .lane = lane_binary, .text = "*", .gnu = "*"},
    {"arith.divf", .lane = lane_binary, .text = "/", .gnu = "/"},
    {"arith.negf", .lane = lane_negf, .gnu = "-"},
    {"arith.maximumf", .lane = lane_extreme, .code = '>'},
    {"arith.minimumf", .lane = lane_extreme, .code = '<'},
    {"arith.maxnumf", .lane = lane_extreme, .code = '>', .text = "number"},
    {"arith.minnumf", .lane = lane_extreme, .code = '<', .text = "number"},
    {"arith.cmpf", .lane = lane_cmpf},
    {"arith.extf", .lane = lane_cast},
    {"arith.truncf", .lane = lane_cast},
    {"arith.sitofp", .lane = lane_to_float, .code = 1},
    {"arith.uitofp", .lane = lane_to_float, .code = 0},
    {"arith.fptosi", .lane = lane_to_int, .code = 1},
    {"arith.fptoui", .lane = lane_to_int, .code = 0},
    {"arith.bitcast", .lane = lane_bitcast},
    {"complex.constant", .emit = emit_complex_constant},
    {"complex.create", .emit = emit_create},
    {"complex.re", .emit = emit_part, .text = "re"},
    {"complex.im", .emit = emit_part, .text = "im"},
    {0},
};
