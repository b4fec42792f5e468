/* complex.c - the op definitions of dialect complex, and the hooks of its ops. A constant is an array of two
 * numbers. */
#include "dialect/arith/arith.h"
#include "dialect/complex/ops.h"
#include "dialect/operands.h"
#include "dialect/shared/shaped.h"

#include <math.h>

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }

/* ---- verifiers and syntax --------------------------------------------------------------------------------------- */

static NrStatus parts_verify(NrOp *op) {
  NrType type = nr_op_operand_type(op);
  return nr_type_is_float(type->elem) ? NR_OK
                                      : nr_op_error(op, "(C1) expected parts of float type, got %s", text_of(op, type));
}

static NrStatus part_verify(NrOp *op) {
  NrType want = nr_op_complex(op)->type->elem, got = nr_op_result(op)->type;
  if (want != got)
    return nr_op_error(op, "(C1) expected a result of type %s, got %s", text_of(op, want), text_of(op, got));
  return NR_OK;
}

static NrStatus create_verify(NrOp *op) {
  NrType part = nr_complex_create_real(op)->type, type = nr_op_result(op)->type;
  return type->elem == part ? NR_OK
                            : nr_op_error(op, "(C1) expected parts of type %s, got %s", text_of(op, type->elem),
                                          text_of(op, part));
}

static NrStatus constant_verify(NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  NrType part = nr_op_result(op)->type->elem;
  bool fits = value->size == 2;
  for (size_t i = 0; i < 2 && fits; i++) {
    NrAttr item = value->items[i];
    fits = (item->kind == NR_ATTR_FLOAT || item->kind == NR_ATTR_INTEGER) && item->type == part;
  }
  return fits ? NR_OK : nr_op_error(op, "(C1) expected two attributes of type %s", text_of(op, part));
}

static NrStatus part_infer(NrContext *ctx, const NrOpState *state, NrType *out) {
  (void)ctx;
  if (state->num_operands != 1 || state->operands[0]->type->kind != NR_TYPE_COMPLEX) return NR_ERROR_INVALID;
  out[0] = state->operands[0]->type->elem;
  return NR_OK;
}

/* Parses the complex type at the end of an op's text. */
static NrStatus complex_type(NrParser *p, NrType *out) {
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, out));
  return (*out)->kind == NR_TYPE_COMPLEX && nr_type_is_float((*out)->elem)
             ? NR_OK : nr_p_error(p, loc, "expected a complex type of float parts");
}

static NrStatus part_parse(NrParser *p, NrOpState *state) {
  NrOperandRef ref;
  NrType type;
  NR_TRY(nr_p_operand(p, &ref));
  NR_TRY(nr_arith_parse_flags(p, state));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(complex_type(p, &type));
  nr_p_add_result(p, state, type->elem);
  return nr_p_add_operand(p, state, ref, type);
}

static void part_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_op_complex(op));
  nr_arith_print_flags(w, op);
  nr_w_attr_dict(w, op, nr_arith_flag_attrs);
  nr_w_puts(w, " : ");
  nr_w_operand_types(w, op, 0, 1);
}

static NrStatus create_parse(NrParser *p, NrOpState *state) {
  NrOperandRef refs[2];
  NrType type;
  NR_TRY(nr_p_operand(p, &refs[0]));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_operand(p, &refs[1]));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(complex_type(p, &type));
  nr_p_add_result(p, state, type);
  return nr_p_add_operands(p, state, refs, 2, (NrType[]){type->elem, type->elem}, 2);
}

static void create_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_values(w, op, 0, 2);
  nr_w_attr_dict(w, op, NULL);
  nr_w_puts(w, " : ");
  nr_w_result_types(w, op);
}

/* ---- folds ------------------------------------------------------------------------------------------------------ */

/* A number during folding. double represents every part type that folds exactly; each step is rounded to the part
 * type. */
typedef struct Number {
  NrType part;
  double re, im;
} Number;

static bool number_of(NrAttr constant, Number *out) {
  if (!constant || constant->kind != NR_ATTR_ARRAY || constant->size != 2) return false;
  if (!nr_float_foldable(constant->items[0]) || !nr_float_foldable(constant->items[1])) return false;
  *out = (Number){constant->items[0]->type, constant->items[0]->f, constant->items[1]->f};
  return true;
}

static bool numbers_of(const NrAttr *constants, Number *a, Number *b) {
  return number_of(constants[0], a) && number_of(constants[1], b);
}

static double rounded(NrType part, double x) { return nr_attr_float(part, x)->f; }

static bool give(NrFold *out, NrType part, double re, double im) {
  NrAttr parts[] = {nr_attr_float(part, re), nr_attr_float(part, im)};
  out[0].attr = nr_attr_array(part->ctx, parts, 2);
  return true;
}

/* x * y + sign * z * w, with each step rounded. */
static double dot(NrType part, double x, double y, double sign, double z, double w) {
  return rounded(part, rounded(part, x * y) + sign * rounded(part, z * w));
}

static bool fold_create(NrOp *op, const NrAttr *constants, NrFold *out) {
  if (!constants[0] || !constants[1]) {
    NrOp *re = nr_complex_create_real(op)->op,
         *im = nr_complex_create_imaginary(op)->op; /* create(re %z, im %z) is %z */
    if (!nr_op_is(re, NR_OP_complex_re) || !nr_op_is(im, NR_OP_complex_im)) return false;
    if (nr_complex_re_complex(re) != nr_complex_im_complex(im)) return false;
    out[0].value = nr_complex_re_complex(re);
    return true;
  }
  if (constants[0]->kind != NR_ATTR_FLOAT || constants[1]->kind != NR_ATTR_FLOAT) return false;
  out[0].attr = nr_attr_array(nr_op_context(op), constants, 2);
  return true;
}

/* Folds to part i of a constant, or of a number that complex.create built. */
static bool fold_part(NrOp *op, NrAttr constant, size_t i, NrFold *out) {
  NrOp *made = nr_op_complex(op)->op;
  if (constant && constant->kind == NR_ATTR_ARRAY && constant->size == 2) out[0].attr = constant->items[i];
  else if (nr_op_is(made, NR_OP_complex_create)) out[0].value = nr_operand(made, (uint32_t)i);
  else return false;
  return true;
}

static bool fold_re(NrOp *op, const NrAttr *constants, NrFold *out) { return fold_part(op, constants[0], 0, out); }
static bool fold_im(NrOp *op, const NrAttr *constants, NrFold *out) { return fold_part(op, constants[0], 1, out); }

static bool fold_abs(NrOp *op, const NrAttr *constants, NrFold *out) {
  Number a;
  (void)op;
  if (!number_of(constants[0], &a)) return false;
  bool wide = nr_type_is_float_kind(a.part, NR_F64);
  out[0].attr = nr_attr_float(a.part, wide ? hypot(a.re, a.im) : (double)hypotf((float)a.re, (float)a.im));
  return true;
}

static bool fold_add(NrOp *op, const NrAttr *constants, NrFold *out) {
  Number a, b;
  (void)op;
  return numbers_of(constants, &a, &b) && give(out, a.part, a.re + b.re, a.im + b.im);
}

/* Folds op(op(x)) to x, for neg and conj. */
static bool undoes(const NrOp *op, NrFold *out) {
  const NrOp *first = nr_op_complex(op)->op;
  if (!nr_op_is(first, op->info->id)) return false;
  out[0].value = nr_op_complex(first);
  return true;
}

static bool fold_sub(NrOp *op, const NrAttr *constants, NrFold *out) {
  Number a, b;
  if (number_of(constants[1], &b) && b.re == 0 && b.im == 0 && !signbit(b.re) && !signbit(b.im)) {
    out[0].value = nr_complex_sub_lhs(op); /* x - 0 is x, also for x = -0 */
    return true;
  }
  return numbers_of(constants, &a, &b) && give(out, a.part, a.re - b.re, a.im - b.im);
}

static bool fold_mul(NrOp *op, const NrAttr *constants, NrFold *out) {
  Number a, b;
  (void)op;
  if (!numbers_of(constants, &a, &b)) return false;
  return give(out, a.part, dot(a.part, a.re, b.re, -1, a.im, b.im), dot(a.part, a.re, b.im, 1, a.im, b.re));
}

static bool fold_div(NrOp *op, const NrAttr *constants, NrFold *out) {
  Number a, b;
  (void)op;
  if (!numbers_of(constants, &a, &b)) return false;
  NrType t = a.part;
  if (b.re == 0 && b.im == 0) return give(out, t, a.re / fabs(b.re), a.im / fabs(b.re));
  bool wide = fabs(b.re) >= fabs(b.im); /* scale by the larger part to avoid overflow */
  double large = wide ? b.re : b.im, small = wide ? b.im : b.re;
  double ratio = rounded(t, small / large), below = dot(t, small, ratio, 1, large, 1);
  double re = wide ? dot(t, a.im, ratio, 1, a.re, 1) : dot(t, a.re, ratio, 1, a.im, 1);
  double im = wide ? rounded(t, a.im - rounded(t, a.re * ratio)) : rounded(t, rounded(t, a.im * ratio) - a.re);
  return give(out, t, re / below, im / below);
}

static bool fold_neg(NrOp *op, const NrAttr *constants, NrFold *out) {
  Number a;
  if (undoes(op, out)) return true;
  return number_of(constants[0], &a) && give(out, a.part, -a.re, -a.im);
}

static bool fold_conj(NrOp *op, const NrAttr *constants, NrFold *out) {
  Number a;
  if (undoes(op, out)) return true;
  return number_of(constants[0], &a) && give(out, a.part, a.re, -a.im);
}

static bool fold_eq(NrOp *op, const NrAttr *constants, NrFold *out) {
  Number a, b;
  if (!numbers_of(constants, &a, &b)) return false;
  out[0].attr = nr_attr_bool(nr_op_context(op), a.re == b.re && a.im == b.im);
  return true;
}

static bool fold_neq(NrOp *op, const NrAttr *constants, NrFold *out) {
  Number a, b;
  if (!numbers_of(constants, &a, &b)) return false;
  out[0].attr = nr_attr_bool(nr_op_context(op), !(a.re == b.re && a.im == b.im));
  return true;
}

#include "ir/rows.h"

#include "dialect/complex/ops.def"
