/* training.c - Adagrad, Adam and Momentum of ai.onnx.preview.training: one step of an optimiser for any number of
 * tensors.
 *
 * Inputs are the rate R, the count T of steps, and then lists of equal length: all tensors X, all gradients G, and the
 * optimiser's own tensors. Outputs are the lists of the new X and of its own tensors. */
#include "onnx/lower/core/body.h"

typedef struct Step {
  NrValue *rate, *beta; /* f64, for this step */
  double norm, norm_post, alpha, beta_attr, epsilon;
  bool nesterov;
  size_t output; /* 0: the new X; 1, 2: the optimiser's own tensors */
} Step;

typedef NrValue *(*StepFn)(NrLower *l, const Step *s, NrValue *const *in);

/* The state of one tensor is computed as f32 or f64. */
static NrValue *number(NrLower *l, NrValue *like, NrValue *f64) {
  return nr_lower_cast(l, f64, NORIA_F64, like->type == nr_type_f64(l->ctx) ? NORIA_F64 : NORIA_F32, true);
}

static NrValue *scale(NrLower *l, double factor, NrValue *x) { return mul(l, num(l, x, factor), x); }

/* in: X, G. The gradient with that of the penalty on the norm of X. */
static NrValue *gradient(NrLower *l, const Step *s, NrValue *const *in) {
  return add(l, scale(l, s->norm, in[0]), in[1]);
}

/* in: X, G, H */
static NrValue *adagrad(NrLower *l, const Step *s, NrValue *const *in) {
  NrValue *g = gradient(l, s, in), *h = add(l, in[2], mul(l, g, g));
  if (s->output) return h;
  NrValue *root = add(l, same1(l, NR_OP_math_sqrt, h), num(l, h, s->epsilon));
  return sub(l, in[0], divf(l, mul(l, number(l, g, s->rate), g), root));
}

/* in: X, G, V, H */
static NrValue *adam(NrLower *l, const Step *s, NrValue *const *in) {
  NrValue *g = gradient(l, s, in);
  NrValue *v = add(l, scale(l, s->alpha, in[2]), scale(l, 1 - s->alpha, g));
  NrValue *h = add(l, scale(l, s->beta_attr, in[3]), scale(l, 1 - s->beta_attr, mul(l, g, g)));
  if (s->output) return s->output == 1 ? v : h;
  NrValue *root = add(l, same1(l, NR_OP_math_sqrt, h), num(l, h, s->epsilon));
  NrValue *x = sub(l, in[0], divf(l, mul(l, number(l, g, s->rate), v), root));
  return scale(l, 1 - s->norm_post, x);
}

/* in: X, G, V */
static NrValue *momentum(NrLower *l, const Step *s, NrValue *const *in) {
  NrValue *g = gradient(l, s, in);
  NrValue *v = add(l, scale(l, s->alpha, in[2]), mul(l, number(l, g, s->beta), g));
  if (s->output) return v;
  NrValue *way = s->nesterov ? add(l, g, scale(l, s->alpha, v)) : v;
  return sub(l, in[0], mul(l, number(l, g, s->rate), way));
}

typedef struct Call {
  StepFn step;
  const Step *s;
} Call;

static NrValue *body(NrLower *l, NrValue *const *a, void *user) {
  const Call *c = user;
  return c->step(l, c->s, a);
}

/* lists: how many lists of tensors the inputs have; the outputs are all but the gradients. */
static NrStatus steps(NrLower *l, size_t lists, StepFn step, Step *s) {
  size_t tensors = nr_lower_num_in(l) - 2, count = tensors / lists;
  if (tensors % lists || !count)
    return nr_lower_error(l, "has %zu tensors behind R and T; expected a multiple of %zu", tensors, lists);
  for (size_t i = 0; i < count; i++) {
    NrValue *in[4];
    for (size_t k = 0; k < lists; k++) {
      in[k] = nr_lower_in(l, 2 + k * count + i);
      NrShape shape = nr_lower_shape(l, in[0]);
      if (nr_lower_dtype(l, 2 + k * count + i) != nr_lower_dtype(l, 2 + i))
        return nr_lower_error(l, "inputs %zu and %zu are of different types", 2 + i, 2 + k * count + i);
      if (!nr_lower_expect_shape(l, k == 1 ? "gradient" : "state", in[k], &shape)) return NR_ERROR_INVALID;
    }
    for (s->output = 0; s->output < lists - 1; s->output++) {
      size_t result = s->output * count + i;
      Call c = {step, s};
      if (nr_lower_wants(l, result))
        NR_TRY(nr_lower_out(l, result, nr_lower_map(l, in, lists, NULL, body, &c), nr_lower_dtype(l, 2 + i)));
    }
  }
  return NR_OK;
}

/* R and T as f64, and whether T > 0. */
static void read_rate(NrLower *l, NrValue **out_rate, NrValue **out_count, NrValue **out_later) {
  NrValue *t = nr_lower_scalar(l, nr_lower_in(l, 1));
  *out_rate = nr_lower_cast(l, nr_lower_scalar(l, nr_lower_in(l, 0)), nr_lower_dtype(l, 0), NORIA_F64, true);
  *out_count = nr_lower_cast(l, t, nr_lower_dtype(l, 1), NORIA_F64, true);
  *out_later = nr_lower_cmpi(l, NR_CMPI_SGT, t, num(l, t, 0));
}

NrStatus nr_lower_adagrad(NrLower *l) {
  NrValue *rate, *count, *later;
  read_rate(l, &rate, &count, &later);
  NrValue *slower = add(l, num(l, count, 1), scale(l, nr_lower_attr_float(l, "decay_factor"), count));
  Step s = {.rate = divf(l, rate, slower),
            .norm = nr_lower_attr_float(l, "norm_coefficient"),
            .epsilon = nr_lower_attr_float(l, "epsilon")};
  return steps(l, 3, adagrad, &s);
}

NrStatus nr_lower_adam(NrLower *l) {
  NrValue *rate, *count, *later;
  read_rate(l, &rate, &count, &later);
  Step s = {.norm = nr_lower_attr_float(l, "norm_coefficient"),
            .norm_post = nr_lower_attr_float(l, "norm_coefficient_post"),
            .alpha = nr_lower_attr_float(l, "alpha"),
            .beta_attr = nr_lower_attr_float(l, "beta"),
            .epsilon = nr_lower_attr_float(l, "epsilon")};
  NrValue *one = num(l, rate, 1);
  NrValue *alpha = same2(l, NR_OP_math_powf, num(l, rate, s.alpha), count);
  NrValue *beta = same2(l, NR_OP_math_powf, num(l, rate, s.beta_attr), count);
  NrValue *root = same1(l, NR_OP_math_sqrt, sub(l, one, beta));
  s.rate = nr_lower_select(l, later, divf(l, mul(l, rate, root), sub(l, one, alpha)), rate);
  return steps(l, 4, adam, &s);
}

NrStatus nr_lower_momentum(NrLower *l) {
  NrValue *rate, *count, *later;
  read_rate(l, &rate, &count, &later);
  NrStr mode = nr_lower_attr_str(l, "mode");
  Step s = {.rate = rate,
            .norm = nr_lower_attr_float(l, "norm_coefficient"),
            .alpha = nr_lower_attr_float(l, "alpha"),
            .nesterov = nr_str_is(mode, "nesterov")};
  if (!s.nesterov && !nr_str_is(mode, "standard"))
    return nr_lower_error(l, "mode is '%.*s'; it must be standard or nesterov", NR_STR_ARG(mode));
  s.beta = nr_lower_select(l, later, num(l, rate, nr_lower_attr_float(l, "beta")), num(l, rate, 1));
  return steps(l, 3, momentum, &s);
}
