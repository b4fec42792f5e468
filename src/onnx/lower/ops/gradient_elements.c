/* gradient_elements.c - derivatives of element-wise ops. */
#include <math.h>

#include "dialect/onnx/dtype.h"
#include "onnx/lower/ops/activation.h"
#include "onnx/lower/ops/gradient.h"

/* Where an op is differentiated: scalars, and the input that the derivative is taken by. */
typedef struct Point {
  NrValue *g, *y;
  NrValue *const *x;
  size_t input, count;
} Point;

typedef NrValue *(*PointFn)(NrLower *l, const Point *p);

static NrValue *one(NrLower *l, const Point *p) { return num(l, p->g, 1); }
static NrValue *math_of(NrLower *l, unsigned id, NrValue *x) { return same1(l, id, x); }
static NrValue *square(NrLower *l, NrValue *x) { return mul(l, x, x); }
static NrValue *is_above_0(NrLower *l, NrValue *x) { return nr_lower_cmpf(l, NR_CMPF_OGT, x, num(l, x, 0)); }

static NrValue *d_same(NrLower *l, const Point *p) {
  (void)l;
  return p->g;
}
static NrValue *d_sub(NrLower *l, const Point *p) { return p->input ? negf(l, p->g) : p->g; }
static NrValue *d_mul(NrLower *l, const Point *p) { return mul(l, p->g, p->x[1 - p->input]); }
static NrValue *d_div(NrLower *l, const Point *p) {
  NrValue *by = divf(l, p->g, p->x[1]);
  return p->input ? negf(l, mul(l, by, p->y)) : by;
}
/* The exponent may have another type. */
static NrValue *exponent(NrLower *l, NrValue *n, NrType type) {
  bool is_float = nr_type_is_float(n->type); /* one of at least 32 bits here */
  NoriaDType from = is_float ? nr_dtype_of(n->type) : nr_lower_dtype(l, 1);
  return n->type == type ? n : nr_lower_cast(l, n, from, nr_dtype_of(type), true);
}

static NrValue *d_pow(NrLower *l, const Point *p) {
  NrValue *x = p->x[0], *n = exponent(l, p->x[1], x->type), *zero = num(l, x, 0);
  if (p->input == 0) {
    NrValue *power = same2(l, NR_OP_math_powf, x, sub(l, n, num(l, n, 1)));
    NrValue *constant = nr_lower_cmpf(l, NR_CMPF_OEQ, n, zero);
    return nr_lower_select(l, constant, zero, mul(l, p->g, mul(l, n, power)));
  }
  NrValue *none = nr_lower_cmpf(l, NR_CMPF_OEQ, x, zero);
  return nr_lower_select(l, none, zero, mul(l, p->g, mul(l, p->y, math_of(l, NR_OP_math_log, x))));
}
static NrValue *d_mean(NrLower *l, const Point *p) { return divf(l, p->g, num(l, p->g, (double)p->count)); }
static NrValue *d_neg(NrLower *l, const Point *p) { return negf(l, p->g); }
static NrValue *d_abs(NrLower *l, const Point *p) {
  NrValue *x = p->x[0], *zero = num(l, x, 0);
  NrValue *below = nr_lower_cmpf(l, NR_CMPF_OLT, x, zero);
  return nr_lower_select(l, is_above_0(l, x), p->g, nr_lower_select(l, below, negf(l, p->g), zero));
}
static NrValue *d_exp(NrLower *l, const Point *p) { return mul(l, p->g, p->y); }
static NrValue *d_log(NrLower *l, const Point *p) { return divf(l, p->g, p->x[0]); }
static NrValue *d_sqrt(NrLower *l, const Point *p) { return divf(l, p->g, add(l, p->y, p->y)); }
static NrValue *d_reciprocal(NrLower *l, const Point *p) { return negf(l, mul(l, p->g, square(l, p->y))); }
static NrValue *d_sin(NrLower *l, const Point *p) { return mul(l, p->g, math_of(l, NR_OP_math_cos, p->x[0])); }
static NrValue *d_cos(NrLower *l, const Point *p) {
  return negf(l, mul(l, p->g, math_of(l, NR_OP_math_sin, p->x[0])));
}
static NrValue *d_tan(NrLower *l, const Point *p) { return mul(l, p->g, add(l, one(l, p), square(l, p->y))); }
static NrValue *d_sinh(NrLower *l, const Point *p) { return mul(l, p->g, math_of(l, NR_OP_math_cosh, p->x[0])); }
static NrValue *d_cosh(NrLower *l, const Point *p) { return mul(l, p->g, math_of(l, NR_OP_math_sinh, p->x[0])); }
static NrValue *d_tanh(NrLower *l, const Point *p) { return mul(l, p->g, sub(l, one(l, p), square(l, p->y))); }
static NrValue *d_asin(NrLower *l, const Point *p) {
  return divf(l, p->g, math_of(l, NR_OP_math_sqrt, sub(l, one(l, p), square(l, p->x[0]))));
}
static NrValue *d_acos(NrLower *l, const Point *p) { return negf(l, d_asin(l, p)); }
static NrValue *d_atan(NrLower *l, const Point *p) {
  return divf(l, p->g, add(l, one(l, p), square(l, p->x[0])));
}
static NrValue *d_asinh(NrLower *l, const Point *p) {
  return divf(l, p->g, math_of(l, NR_OP_math_sqrt, add(l, square(l, p->x[0]), one(l, p))));
}
static NrValue *d_acosh(NrLower *l, const Point *p) {
  return divf(l, p->g, math_of(l, NR_OP_math_sqrt, sub(l, square(l, p->x[0]), one(l, p))));
}
static NrValue *d_atanh(NrLower *l, const Point *p) {
  return divf(l, p->g, sub(l, one(l, p), square(l, p->x[0])));
}
static NrValue *d_erf(NrLower *l, const Point *p) {
  NrValue *bell = math_of(l, NR_OP_math_exp, negf(l, square(l, p->x[0])));
  return mul(l, p->g, mul(l, num(l, bell, 0x1.20dd750429b6dp+0), bell)); /* 2 / sqrt(pi) */
}
static NrValue *d_relu(NrLower *l, const Point *p) {
  return nr_lower_select(l, is_above_0(l, p->x[0]), p->g, num(l, p->g, 0));
}
static NrValue *d_leaky_relu(NrLower *l, const Point *p) {
  NrValue *less = mul(l, p->g, num(l, p->g, nr_lower_attr_float(l, "alpha")));
  return nr_lower_select(l, is_above_0(l, p->x[0]), p->g, less);
}
static NrValue *d_elu(NrLower *l, const Point *p) {
  NrValue *less = mul(l, p->g, add(l, p->y, num(l, p->g, nr_lower_attr_float(l, "alpha"))));
  return nr_lower_select(l, is_above_0(l, p->x[0]), p->g, less);
}
static NrValue *d_sigmoid(NrLower *l, const Point *p) {
  return mul(l, p->g, mul(l, p->y, sub(l, one(l, p), p->y)));
}
static NrValue *d_softplus(NrLower *l, const Point *p) { return mul(l, p->g, nr_activation_sigmoid(l, p->x[0])); }
static NrValue *d_softsign(NrLower *l, const Point *p) {
  return divf(l, p->g, square(l, add(l, one(l, p), math_of(l, NR_OP_math_absf, p->x[0]))));
}

static const struct {
  const char *op;
  PointFn derivative;
} table[] = {
    {"Add", d_same},         {"Sum", d_same},           {"Identity", d_same},    {"Sub", d_sub},
    {"Mul", d_mul},          {"Div", d_div},            {"Pow", d_pow},          {"Mean", d_mean},
    {"Neg", d_neg},          {"Abs", d_abs},            {"Exp", d_exp},          {"Log", d_log},
    {"Sqrt", d_sqrt},        {"Reciprocal", d_reciprocal}, {"Sin", d_sin},       {"Cos", d_cos},
    {"Tan", d_tan},          {"Sinh", d_sinh},          {"Cosh", d_cosh},        {"Tanh", d_tanh},
    {"Asin", d_asin},        {"Acos", d_acos},          {"Atan", d_atan},        {"Asinh", d_asinh},
    {"Acosh", d_acosh},      {"Atanh", d_atanh},        {"Erf", d_erf},          {"Relu", d_relu},
    {"LeakyRelu", d_leaky_relu}, {"Elu", d_elu},        {"Sigmoid", d_sigmoid},  {"Softplus", d_softplus},
    {"Softsign", d_softsign},
};

static PointFn derivative_of(NrStr op) {
  for (size_t i = 0; i < NR_COUNTOF(table); i++)
    if (nr_str_is(op, table[i].op)) return table[i].derivative;
  return NULL;
}

typedef struct Elements {
  PointFn derivative;
  size_t input, count;
} Elements;

/* args: g, y, the inputs. */
static NrValue *point_body(NrLower *l, NrValue *const *args, void *user) {
  const Elements *e = user;
  Point p = {.g = args[0], .y = args[1], .x = args + 2, .input = e->input, .count = e->count};
  return e->derivative(l, &p);
}

static NrStatus differentiate(NrLower *l, NrValue *g, NrValue *y, NrValue **out) {
  enum { MOST = 6 };
  NrValue *args[MOST + 2] = {g, y}, **x = args + 2;
  Elements e = {derivative_of(nr_str(l->op->info->name)), 0, nr_lower_num_in(l)};
  size_t read = e.count > MOST ? 0 : e.count; /* the derivative of a longer sum reads no inputs */
  for (size_t i = 0; i < read; i++) x[i] = nr_lower_in(l, i);
  if (e.count == 2 && !nr_lower_two_inputs(l, x)) return NR_ERROR_INVALID;
  for (e.input = 0; e.input < e.count; e.input++) {
    out[e.input] = nr_lower_map_wide(l, args, 2 + read, y->type->elem, point_body, &e);
    if (!out[e.input]) return NR_ERROR_INVALID;
    if (!read || x[e.input] == nr_lower_in(l, e.input)) continue;
    /* Attribute axis has aligned the input: what it has the shape of now is what the result was broadcast from. */
    NrShape own = nr_lower_shape(l, nr_lower_in(l, e.input));
    out[e.input] = nr_gradient_in_shape_of(l, out[e.input], x[e.input]);
    if (!out[e.input]) return NR_ERROR_INVALID;
    out[e.input] = nr_lower_reshape(l, out[e.input], &own);
  }
  return NR_OK;
}

NrGradientFn nr_gradient_of_elements(NrStr op) { return derivative_of(op) ? differentiate : NULL; }
