/* rnn.c - RNN, GRU and LSTM of all versions.
 *
 * The input's products are one matmul for the whole sequence, before the loop; the loop over the steps carries the
 * states and adds the recurrent product. Steps past an entry's length keep its states and give zeros, so a reversed
 * sequence skips its padding first. */
#include "onnx/lower/core/state.h"
#include "onnx/lower/ops/activation.h"
#include "onnx/lower/ops/qmatmul.h"

typedef enum Cell { CELL_RNN, CELL_GRU, CELL_LSTM } Cell;
enum { MAX_GATES = 4, MAX_ACTIVATIONS = 6 };

typedef struct Activation {
  NrStr name;
  double alpha, beta;
} Activation;

/* Scale and zero point of quantised weights: for each direction one, or one for each row of gates. */
typedef struct QuantWeights {
  NrValue *scale, *zero; /* scale NULL: the weights are floats */
  NoriaDType dtype;
} QuantWeights;

typedef struct Rnn {
  Cell cell;
  size_t gates, num_activations; /* per direction */
  Activation activations[MAX_ACTIVATIONS];
  double clip;
  bool input_forget, linear_before_reset, batch_first, quantized;
  size_t directions;
  bool reverse_first;
  NrDim steps, batch, inputs, hidden;
  NrType elem;
  NrValue *x, *w, *r, *b, *lengths, *h0, *c0, *peepholes;
  QuantWeights w_quant, r_quant;
} Rnn;

/* One direction while its loop is built. */
typedef struct Direction {
  const Rnn *rnn;
  const Activation *act;
  bool reverse;
  NrValue *input;    /* [steps, batch, gates * hidden]: the input's part of the gates, biases included */
  NrValue *r;        /* [hidden, gates * hidden]; quantised: [gates * hidden, hidden] */
  QuantWeights r_quant;
  NrValue *rb_h;     /* GRU: [hidden], the recurrent bias of the hidden gate */
  NrValue *p;        /* LSTM: [3, hidden] peepholes or NULL */
} Direction;

/* ---- activations ---- */

static NrValue *c(NrLower *l, NrType t, double v) { return nr_lower_constant(l, t, v); }
static NrValue *f1(NrLower *l, unsigned op, NrValue *x) { return nr_lower_op1(l, op, x->type, x); }
static NrValue *f2(NrLower *l, unsigned op, NrValue *x, NrValue *y) { return nr_lower_op2(l, op, x->type, x, y); }
static NrValue *fast_mul(NrLower *l, NrValue *x, NrValue *y) { return nr_lower_fast(mul(l, x, y)); }
static NrValue *fast_add(NrLower *l, NrValue *x, NrValue *y) { return nr_lower_fast(add(l, x, y)); }
static NrValue *fast_sub(NrLower *l, NrValue *x, NrValue *y) { return nr_lower_fast(sub(l, x, y)); }

static NrValue *activate(NrLower *l, const Activation *a, NrValue *x) {
  NrType t = x->type;
  NrValue *alpha = c(l, t, a->alpha), *beta = c(l, t, a->beta);
  if (nr_str_is(a->name, "Sigmoid")) return nr_activation_sigmoid(l, x);
  if (nr_str_is(a->name, "Tanh")) return f1(l, NR_OP_math_tanh, x);
  if (nr_str_is(a->name, "Relu")) return nr_activation_relu(l, x);
  if (nr_str_is(a->name, "Affine")) return fast_add(l, fast_mul(l, x, alpha), beta);
  if (nr_str_is(a->name, "LeakyRelu")) return nr_activation_leaky_relu(l, x, alpha);
  if (nr_str_is(a->name, "ThresholdedRelu")) /* x >= alpha stays; of the op with that name only x > alpha */
    return nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OGE, x, alpha), x, c(l, t, 0));
  if (nr_str_is(a->name, "ScaledTanh"))
    return fast_mul(l, alpha, f1(l, NR_OP_math_tanh, fast_mul(l, beta, x)));
  if (nr_str_is(a->name, "HardSigmoid")) return nr_activation_hard_sigmoid(l, x, alpha, beta);
  if (nr_str_is(a->name, "Elu")) return nr_activation_elu(l, x, alpha);
  if (nr_str_is(a->name, "Softsign")) return nr_activation_softsign(l, x);
  return nr_activation_softplus(l, x);
}

static bool activation_defaults(Activation *a) {
  static const struct {
    const char *name;
    double alpha, beta;
  } known[] = {{"Relu", 0, 0}, {"Tanh", 0, 0}, {"Sigmoid", 0, 0}, {"Affine", 1, 0}, {"LeakyRelu", 0.01, 0},
               {"ThresholdedRelu", 1, 0}, {"ScaledTanh", 1, 1}, {"HardSigmoid", 0.2, 0.5}, {"Elu", 1, 0},
               {"Softsign", 0, 0}, {"Softplus", 0, 0}};
  for (size_t i = 0; i < NR_COUNTOF(known); i++)
    if (nr_str_is(a->name, known[i].name)) {
      a->alpha = known[i].alpha;
      a->beta = known[i].beta;
      return true;
    }
  return false;
}

static NrStatus read_activations(NrLower *l, Rnn *rnn) {
  /* Of GRU and LSTM; the schema of RNN has its own. */
  static const char *const defaults[2][3] = {{"Sigmoid", "Tanh"}, {"Sigmoid", "Tanh", "Tanh"}};
  NrAttr names = nr_lower_attr(l, "activations");
  const float *alphas = NULL, *betas = NULL;
  size_t num_alphas = 0, num_betas = 0, alpha = 0, beta = 0;
  nr_lower_attr_floats(l, "activation_alpha", &alphas, &num_alphas);
  nr_lower_attr_floats(l, "activation_beta", &betas, &num_betas);
  rnn->num_activations = (size_t)rnn->cell + 1;
  size_t total = rnn->num_activations * rnn->directions;
  if (names && names->size != total)
    return nr_lower_error(l, "%zu activations are named; the node has %zu", names->size, total);
  for (size_t i = 0; i < total; i++) {
    Activation *a = &rnn->activations[i];
    a->name = names                   ? names->items[i]->s
              : rnn->cell == CELL_RNN ? nr_lower_default_str(l, "activations", i)
                                      : nr_str(defaults[rnn->cell - 1][i % rnn->num_activations]);
    if (!activation_defaults(a)) return nr_lower_error(l, "the activation '%.*s' is not known", NR_STR_ARG(a->name));
    /* The lists only have entries for activations with a parameter. */
    if ((a->alpha != 0) && alpha < num_alphas) a->alpha = alphas[alpha++];
    if ((a->beta != 0 || nr_str_is(a->name, "Affine")) && beta < num_betas) a->beta = betas[beta++];
  }
  return NR_OK;
}

static NrValue *clipped(NrLower *l, const Rnn *rnn, NrValue *x) {
  if (rnn->clip <= 0) return x;
  NrValue *high = c(l, x->type, rnn->clip), *low = c(l, x->type, -rnn->clip);
  return f2(l, NR_OP_arith_minimumf, f2(l, NR_OP_arith_maximumf, x, low), high);
}

/* ---- slices ---- */

/* Entry i of the first dim, or rows [i*n, (i+count)*n) of it when count is not 0. */
static NrValue *entry(NrLower *l, NrValue *x, NrDim at) {
  NrShape s = nr_lower_shape(l, x), rest = {.rank = s.rank - 1};
  NrDim offsets[NORIA_MAX_RANK] = {at};
  for (size_t i = 1; i < s.rank; i++) {
    offsets[i] = nr_dim(0);
    rest.dims[i - 1] = s.dims[i];
  }
  s.dims[0] = nr_dim(1);
  return nr_lower_reshape(l, nr_lower_slice(l, x, offsets, s.dims, NULL), &rest);
}

static NrValue *part(NrLower *l, NrValue *x, size_t axis, NrDim begin, NrDim size) {
  NrShape s = nr_lower_shape(l, x);
  NrDim offsets[NORIA_MAX_RANK];
  for (size_t i = 0; i < s.rank; i++) offsets[i] = nr_dim(0);
  offsets[axis] = begin;
  s.dims[axis] = size;
  return nr_lower_slice(l, x, offsets, s.dims, NULL);
}

/* Gate g of [batch, gates * hidden]. */
static NrValue *gate(NrLower *l, const Rnn *rnn, NrValue *all, size_t g) {
  return part(l, all, 1, nr_dim_mul(l, nr_dim((int64_t)g), rnn->hidden), rnn->hidden);
}

/* ---- cells: element by element ---- */

static NrValue *rnn_body(NrLower *l, NrValue *const *a, void *user) {
  const Direction *d = user;
  return activate(l, &d->act[0], clipped(l, d->rnn, a[0]));
}

/* c' from gates i, o, f, g (a[0..3]), c (a[4]) and peepholes of i and f (a[5], a[6]). */
static NrValue *lstm_c_body(NrLower *l, NrValue *const *a, void *user) {
  const Direction *d = user;
  NrValue *i = a[0], *f = a[1], *g = a[2], *old = a[3];
  if (d->p) i = fast_add(l, i, fast_mul(l, a[4], old)), f = fast_add(l, f, fast_mul(l, a[5], old));
  i = activate(l, &d->act[0], clipped(l, d->rnn, i));
  if (d->rnn->input_forget) f = fast_sub(l, c(l, i->type, 1), i);
  else f = activate(l, &d->act[0], clipped(l, d->rnn, f));
  g = activate(l, &d->act[1], clipped(l, d->rnn, g));
  return fast_add(l, fast_mul(l, f, old), fast_mul(l, i, g));
}

static NrValue *lstm_h_body(NrLower *l, NrValue *const *a, void *user) {
  const Direction *d = user;
  NrValue *o = d->p ? fast_add(l, a[0], fast_mul(l, a[2], a[1])) : a[0];
  return fast_mul(l, activate(l, &d->act[0], clipped(l, d->rnn, o)), activate(l, &d->act[2], a[1]));
}

static NrValue *gru_gate_body(NrLower *l, NrValue *const *a, void *user) {
  const Direction *d = user;
  return activate(l, &d->act[0], clipped(l, d->rnn, a[0]));
}

static NrValue *product_body(NrLower *l, NrValue *const *a, void *user) {
  (void)user;
  return fast_mul(l, a[0], a[1]);
}

/* h' from z, the hidden gate and h. */
static NrValue *gru_h_body(NrLower *l, NrValue *const *a, void *user) {
  const Direction *d = user;
  NrValue *candidate = activate(l, &d->act[1], clipped(l, d->rnn, a[1]));
  return fast_add(l, fast_mul(l, fast_sub(l, c(l, candidate->type, 1), a[0]), candidate), fast_mul(l, a[0], a[2]));
}

/* ---- quantised weights ---- */

static NrValue *scaled_sum_body(NrLower *l, NrValue *const *a, void *user) {
  return add(l, a[0], mul(l, nr_lower_op1(l, NR_OP_arith_sitofp, a[2]->type, a[1]), a[2]));
}

/* init + x * w, where x is quantised for the occasion: [m, k] and [n, k]. */
static NrValue *quantized_product(NrLower *l, NrValue *x, NrValue *w, const QuantWeights *q, NrValue *init) {
  NrValue *scale, *zero;
  if (!nr_lower_dynamic_scale(l, x, 3, &scale, &zero)) return NULL;
  scale = nr_lower_reshape(l, scale, &(NrShape){0});
  zero = nr_lower_reshape(l, zero, &(NrShape){0});
  NrMatMul m = {.a = nr_lower_quantize_u8(l, x, scale, zero), .b = w, .k = nr_lower_dim(l, x, 1),
                .a_dims = "mk", .b_dims = "nk", .out_dims = "mn"};
  m.out = m.result = (NrShape){2, {nr_lower_dim(l, x, 0), nr_lower_dim(l, w, 0)}};
  NrQuantMatrix a = {NORIA_U8, zero}, b = {q->dtype, q->zero};
  NrValue *sum = nr_lower_quantized_matmul(l, &m, &a, &b), *factor = nr_lower_factor(l, scale, q->scale, NULL);
  return nr_lower_map(l, (NrValue *[]){init, sum, factor}, 3, NULL, scaled_sum_body, NULL);
}

/* ---- steps ---- */

static NrValue *recurrent(NrLower *l, NrValue *h, NrValue *r, NrValue *init) {
  return nr_lower_sum_products(l, h, "bh", r, "hg", "bg", init);
}

static NrValue *gru_step(NrLower *l, Direction *d, NrValue *input, NrValue *h) {
  const Rnn *rnn = d->rnn;
  NrDim two = nr_dim_mul(l, nr_dim(2), rnn->hidden);
  NrValue *zr = recurrent(l, h, part(l, d->r, 1, nr_dim(0), two), part(l, input, 1, nr_dim(0), two));
  zr = nr_lower_map(l, &zr, 1, NULL, gru_gate_body, d);
  NrValue *z = gate(l, rnn, zr, 0), *reset = gate(l, rnn, zr, 1), *x_h = gate(l, rnn, input, 2);
  NrValue *r_h = part(l, d->r, 1, two, rnn->hidden), *hidden;
  NrShape shape = {2, {rnn->batch, rnn->hidden}};
  if (rnn->linear_before_reset) {
    NrValue *init = d->rb_h ? nr_lower_broadcast_to(l, d->rb_h, &shape) : nr_lower_zeros(l, &shape, rnn->elem);
    NrValue *inner = recurrent(l, h, r_h, init);
    hidden = nr_lower_sum(l, x_h, nr_lower_map(l, (NrValue *[]){reset, inner}, 2, NULL, product_body, NULL));
  } else {
    NrValue *kept = nr_lower_map(l, (NrValue *[]){reset, h}, 2, NULL, product_body, NULL);
    hidden = recurrent(l, kept, r_h, x_h);
    if (d->rb_h) hidden = nr_lower_sum(l, hidden, d->rb_h);
  }
  return nr_lower_map(l, (NrValue *[]){z, hidden, h}, 3, NULL, gru_h_body, d);
}

static void lstm_step(NrLower *l, Direction *d, NrValue *input, NrValue *h, NrValue *old_c, NrValue **out_h,
                      NrValue **out_c) {
  const Rnn *rnn = d->rnn;
  NrValue *gates = d->r_quant.scale ? quantized_product(l, h, d->r, &d->r_quant, input) : recurrent(l, h, d->r, input);
  NrValue *p[3] = {0};
  for (size_t i = 0; d->p && i < 3; i++) p[i] = entry(l, d->p, nr_dim((int64_t)i)); /* i, o, f */
  NrValue *i = gate(l, rnn, gates, 0), *o = gate(l, rnn, gates, 1), *f = gate(l, rnn, gates, 2),
          *g = gate(l, rnn, gates, 3);
  *out_c = nr_lower_map(l, (NrValue *[]){i, f, g, old_c, p[0], p[2]}, d->p ? 6 : 4, NULL, lstm_c_body, d);
  *out_h = nr_lower_map(l, (NrValue *[]){o, *out_c, p[1]}, d->p ? 3 : 2, NULL, lstm_h_body, d);
}

typedef struct Masked {
  NrValue *step; /* index */
} Masked;

/* a[0] while the step is within the entry's length (a[2]), else a[1]. */
static NrValue *mask_body(NrLower *l, NrValue *const *a, void *user) {
  const Masked *m = user;
  NrValue *length = nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_index(l->ctx), a[2]);
  return nr_lower_select(l, nr_lower_cmpi(l, NR_CMPI_SLT, m->step, length), a[0], a[1]);
}

static NrValue *masked(NrLower *l, const Rnn *rnn, NrValue *step, NrValue *fresh, NrValue *old) {
  if (!rnn->lengths) return fresh;
  Masked m = {step};
  NrValue *column = nr_lower_reshape(l, rnn->lengths, &(NrShape){2, {rnn->batch, nr_dim(1)}});
  return nr_lower_map(l, (NrValue *[]){fresh, old, column}, 3, NULL, mask_body, &m);
}

/* Says that the states have the batch's dims: their types do not where those are open, and each use would broadcast. */
static void set_state_dims(NrLower *l, const Rnn *rnn, NrValue *const *states) {
  for (size_t i = 0; i < (rnn->cell == CELL_LSTM ? 2 : 1); i++) {
    nr_lower_set_dim(l, states[i], 0, rnn->batch);
    nr_lower_set_dim(l, states[i], 1, rnn->hidden);
  }
}

/* carried: h, (c,) y. */
static NrStatus step_body(NrLower *l, NrValue *iv, NrValue *const *carried, NrValue **next, void *user) {
  Direction *d = user;
  const Rnn *rnn = d->rnn;
  set_state_dims(l, rnn, carried);
  NrType index = nr_type_index(l->ctx);
  NrValue *at = iv;
  if (d->reverse)
    at = nr_lower_op2(l, NR_OP_arith_subi, index, nr_dim_value(l, nr_dim_sub(l, rnn->steps, nr_dim(1))), iv);
  NrValue *input = entry(l, d->input, nr_dim_of_index(at)), *h = carried[0], *fresh_h, *fresh_c = NULL;
  if (rnn->cell == CELL_LSTM) lstm_step(l, d, input, h, carried[1], &fresh_h, &fresh_c);
  else if (rnn->cell == CELL_GRU) fresh_h = gru_step(l, d, input, h);
  else {
    NrValue *sum = recurrent(l, h, d->r, input);
    fresh_h = nr_lower_map(l, &sum, 1, NULL, rnn_body, d);
  }
  if (!fresh_h) return NR_ERROR_INVALID;
  NrShape shape = {2, {rnn->batch, rnn->hidden}}, slab = {3, {nr_dim(1), rnn->batch, rnn->hidden}};
  size_t n = 0;
  next[n++] = masked(l, rnn, at, fresh_h, h);
  if (fresh_c) next[n++] = masked(l, rnn, at, fresh_c, carried[1]);
  NrValue *row = rnn->lengths ? masked(l, rnn, at, fresh_h, nr_lower_zeros(l, &shape, rnn->elem)) : fresh_h;
  NrDim offsets[3] = {nr_dim_of_index(at), nr_dim(0), nr_dim(0)};
  next[n] = nr_lower_insert_slice(l, nr_lower_reshape(l, row, &slab), carried[n], offsets);
  return NR_OK;
}

/* ---- one direction ---- */

/* The bias that is added before the loop: Wb, and Rb where that is allowed. */
static NrValue *input_bias(NrLower *l, Direction *d, NrValue *bias) {
  const Rnn *rnn = d->rnn;
  NrDim all = nr_dim_mul(l, nr_dim((int64_t)rnn->gates), rnn->hidden);
  NrValue *wb = part(l, bias, 0, nr_dim(0), all), *rb = part(l, bias, 0, all, all);
  if (rnn->cell != CELL_GRU) return nr_lower_sum(l, wb, rb);
  /* The hidden gate's recurrent bias is added to the recurrent product. */
  NrDim two = nr_dim_mul(l, nr_dim(2), rnn->hidden);
  d->rb_h = part(l, rb, 0, two, rnn->hidden);
  NrValue *zr = nr_lower_sum(l, part(l, wb, 0, nr_dim(0), two), part(l, rb, 0, nr_dim(0), two));
  return nr_lower_concat(l, (NrValue *[]){zr, part(l, wb, 0, two, rnn->hidden)}, 2, 0);
}

/* The parameters of one direction. */
static QuantWeights quant_entry(NrLower *l, const QuantWeights *all, NrDim at) {
  if (!all->scale) return *all;
  return (QuantWeights){entry(l, all->scale, at), entry(l, all->zero, at), all->dtype};
}

/* The weights of one direction with the gates last, along which vectors go then: of floats. The transposition is of a
 * constant in most models. */
static NrValue *matrix(NrLower *l, NrValue *weights, NrDim at, const QuantWeights *quant) {
  NrValue *gates_first = entry(l, weights, at);
  return quant->scale ? gates_first : nr_lower_transpose(l, gates_first, (const size_t[]){1, 0});
}

/* init + the input's products, for all steps at once. */
static NrValue *input_product(NrLower *l, const Rnn *rnn, NrDim at, NrValue *init) {
  NrValue *w = matrix(l, rnn->w, at, &rnn->w_quant), *sum;
  NrShape all = nr_lower_shape(l, init);
  NrDim rows = nr_dim_mul(l, rnn->steps, rnn->batch);
  NrValue *flat = nr_lower_reshape(l, init, &(NrShape){2, {rows, all.dims[2]}});
  NrValue *x = nr_lower_reshape(l, rnn->x, &(NrShape){2, {rows, rnn->inputs}});
  if (rnn->w_quant.scale) {
    QuantWeights q = quant_entry(l, &rnn->w_quant, at);
    sum = quantized_product(l, x, w, &q, flat);
  } else sum = nr_lower_sum_products(l, x, "ri", w, "ig", "rg", flat);
  return sum ? nr_lower_reshape(l, sum, &all) : NULL;
}

/* results: y [steps, batch, hidden], h, c. */
static NrStatus run_direction(NrLower *l, const Rnn *rnn, size_t which, NrValue **out_y, NrValue **out_h,
                              NrValue **out_c) {
  NrDim at = nr_dim((int64_t)which);
  Direction d = {.rnn = rnn,
                 .act = &rnn->activations[which * rnn->num_activations],
                 .reverse = which == 1 || rnn->reverse_first,
                 .r = matrix(l, rnn->r, at, &rnn->r_quant),
                 .r_quant = quant_entry(l, &rnn->r_quant, at)};
  NrShape gates = {3, {rnn->steps, rnn->batch, nr_dim_mul(l, nr_dim((int64_t)rnn->gates), rnn->hidden)}};
  NrShape state = {2, {rnn->batch, rnn->hidden}}, all = {3, {rnn->steps, rnn->batch, rnn->hidden}};
  NrValue *init = nr_lower_zeros(l, &gates, rnn->elem);
  if (rnn->b) init = nr_lower_broadcast_to(l, input_bias(l, &d, entry(l, rnn->b, at)), &gates);
  if (!(d.input = input_product(l, rnn, at, init))) return NR_ERROR_INVALID;
  if (rnn->peepholes) {
    NrShape three = {2, {nr_dim(3), rnn->hidden}};
    d.p = nr_lower_reshape(l, entry(l, rnn->peepholes, at), &three);
  }
  NrValue *carried[3], *out[3];
  size_t n = 0;
  carried[n++] = rnn->h0 ? entry(l, rnn->h0, at) : nr_lower_zeros(l, &state, rnn->elem);
  if (rnn->cell == CELL_LSTM) carried[n++] = rnn->c0 ? entry(l, rnn->c0, at) : nr_lower_zeros(l, &state, rnn->elem);
  carried[n++] = nr_lower_empty(l, &all, rnn->elem);
  NrType state_type = nr_shape_type(l, &state, rnn->elem);
  for (size_t i = 0; i + 1 < n; i++) carried[i] = nr_lower_tensor_cast(l, carried[i], state_type);
  NrStatus status = nr_lower_for(l, rnn->steps, carried, n, out, step_body, &d);
  if (!status) set_state_dims(l, rnn, out);
  *out_h = out[0];
  *out_c = out[1];
  *out_y = out[n - 1];
  return status;
}

/* ---- the node ---- */

/* Checks the inputs' shapes and hidden_size, sets the node's dims, and transposes to steps before batches. */
static bool check_shapes(NrLower *l, Rnn *rnn) {
  static const size_t swap[3] = {1, 0, 2};
  NrDim directions = nr_dim((int64_t)rnn->directions);
  NrDim hidden = nr_dim(nr_lower_attr_int_or(l, "hidden_size", NR_DYNAMIC));
  if (nr_dim_known(hidden) && (hidden.size < 1 || hidden.size > INT32_MAX))
    return nr_lower_error(l, "hidden_size is %lld", (long long)hidden.size), false;
  if (!nr_lower_expect_rank(l, "X", rnn->x, 3) || !nr_lower_expect_rank(l, "R", rnn->r, 3)) return false;
  if (rnn->batch_first) rnn->x = nr_lower_transpose(l, rnn->x, swap);
  rnn->steps = nr_lower_dim(l, rnn->x, 0);
  rnn->batch = nr_lower_dim(l, rnn->x, 1);
  rnn->inputs = nr_lower_dim(l, rnn->x, 2);
  rnn->hidden = nr_dim_known(hidden) ? hidden : nr_lower_dim(l, rnn->r, 2);
  rnn->elem = rnn->x->type->elem;
  NrDim all = nr_dim_mul(l, nr_dim((int64_t)rnn->gates), rnn->hidden), both = nr_dim_mul(l, nr_dim(2), all);
  NrShape state = rnn->batch_first ? (NrShape){3, {rnn->batch, directions, rnn->hidden}}
                                   : (NrShape){3, {directions, rnn->batch, rnn->hidden}};
  const struct {
    const char *name;
    NrValue *value;
    NrShape want;
  } inputs[] = {{"R", rnn->r, {3, {directions, all, rnn->hidden}}},
                {"W", rnn->w, {3, {directions, all, rnn->inputs}}},
                {"B", rnn->b, {2, {directions, both}}},
                {"sequence_lens", rnn->lengths, {1, {rnn->batch}}},
                {"initial_h", rnn->h0, state},
                {"initial_c", rnn->c0, state},
                {"P", rnn->peepholes, {2, {directions, nr_dim_mul(l, nr_dim(3), rnn->hidden)}}}};
  for (size_t i = 0; i < NR_COUNTOF(inputs); i++)
    if (inputs[i].value && !nr_lower_expect_shape(l, inputs[i].name, inputs[i].value, &inputs[i].want)) return false;
  if (rnn->lengths && !nr_lower_expect_values(l, "sequence_lens", rnn->lengths, rnn->steps)) return false;
  if (rnn->batch_first && rnn->h0) rnn->h0 = nr_lower_transpose(l, rnn->h0, swap);
  if (rnn->batch_first && rnn->c0) rnn->c0 = nr_lower_transpose(l, rnn->c0, swap);
  return true;
}

/* The weights of DynamicQuantizeLSTM, which are stored with the gates last. */
static bool read_quantized(NrLower *l, Rnn *rnn) {
  static const size_t gates_first[3] = {0, 2, 1};
  NrValue **weights[2] = {&rnn->w, &rnn->r};
  QuantWeights *quants[2] = {&rnn->w_quant, &rnn->r_quant};
  for (size_t i = 0; i < 2; i++) {
    NoriaDType t = nr_lower_dtype(l, 1 + i);
    size_t scale = 8 + 2 * i, zero = scale + 1;
    if ((t != NORIA_I8 && t != NORIA_U8) || nr_lower_dtype(l, zero) != t)
      return nr_lower_error(l, "input %zu is %s and its zero point %s; both must be int8, or uint8", 1 + i,
                            nr_dtype_name(t), nr_dtype_name(nr_lower_dtype(l, zero))), false;
    if (!nr_lower_expect_rank(l, i ? "R" : "W", *weights[i], 3)) return false;
    *weights[i] = nr_lower_transpose(l, *weights[i], gates_first);
    *quants[i] = (QuantWeights){nr_lower_in(l, scale), nr_lower_in(l, zero), t};
  }
  return true;
}

static bool check_parameters(NrLower *l, const Rnn *rnn) {
  static const char *const names[] = {"W_scale", "W_zero_point", "R_scale", "R_zero_point"};
  NrValue *const values[] = {rnn->w_quant.scale, rnn->w_quant.zero, rnn->r_quant.scale, rnn->r_quant.zero};
  NrDim all = nr_dim_mul(l, nr_dim((int64_t)rnn->gates), rnn->hidden);
  for (size_t i = 0; i < 4; i++) {
    if (!values[i]) continue;
    NrShape want = {nr_rank(values[i]) == 1 ? 1 : 2, {nr_dim((int64_t)rnn->directions), all}};
    if (!nr_lower_expect_shape(l, names[i], values[i], &want)) return false;
  }
  return true;
}

static NrStatus read_node(NrLower *l, Rnn *rnn) {
  NrStr direction = nr_lower_attr_str(l, "direction");
  if (nr_str_is(direction, "foward")) direction = NR_STR("forward"); /* how the schema of the first GRU spells it */
  if (!nr_str_is(direction, "forward") && !nr_str_is(direction, "reverse") && !nr_str_is(direction, "bidirectional"))
    return nr_lower_error(l, "direction is '%.*s', not forward, reverse or bidirectional", NR_STR_ARG(direction));
  rnn->directions = nr_str_is(direction, "bidirectional") ? 2 : 1;
  rnn->reverse_first = nr_str_is(direction, "reverse");
  rnn->clip = nr_lower_attr_float_or(l, "clip", 0);
  rnn->batch_first = nr_lower_takes_attr(l, "layout") && nr_lower_attr_int(l, "layout") != 0;
  rnn->x = nr_lower_widen_tensor(l, nr_lower_in(l, 0));
  rnn->w = nr_lower_widen_tensor(l, nr_lower_in(l, 1));
  rnn->r = nr_lower_widen_tensor(l, nr_lower_in(l, 2));
  rnn->b = nr_lower_widen_tensor(l, nr_lower_in(l, 3));
  rnn->lengths = nr_lower_in(l, 4);
  rnn->h0 = nr_lower_widen_tensor(l, nr_lower_in(l, 5));
  if (rnn->cell == CELL_GRU) rnn->linear_before_reset = nr_lower_attr_int(l, "linear_before_reset") != 0;
  if (rnn->cell == CELL_LSTM) {
    rnn->input_forget = nr_lower_attr_int(l, "input_forget") != 0;
    rnn->c0 = nr_lower_widen_tensor(l, nr_lower_in(l, 6));
    rnn->peepholes = nr_lower_widen_tensor(l, nr_lower_in(l, 7));
  }
  if (rnn->quantized && !read_quantized(l, rnn)) return NR_ERROR_INVALID;
  return check_shapes(l, rnn) && check_parameters(l, rnn) ? read_activations(l, rnn) : NR_ERROR_INVALID;
}

/* Joins the results of the directions along a new axis. */
static NrValue *stack(NrLower *l, NrValue *const *parts, size_t count, size_t axis) {
  NrValue *wide[2];
  for (size_t i = 0; i < count; i++) {
    NrShape s = nr_lower_shape(l, parts[i]), with = {.rank = s.rank + 1};
    for (size_t k = 0, m = 0; k < with.rank; k++) with.dims[k] = k == axis ? nr_dim(1) : s.dims[m++];
    wide[i] = nr_lower_reshape(l, parts[i], &with);
  }
  return count == 1 ? wide[0] : nr_lower_concat(l, wide, count, axis);
}

static NrStatus lower_recurrent(NrLower *l, Cell cell, size_t gates, bool quantized) {
  Rnn rnn = {.cell = cell, .gates = gates, .quantized = quantized};
  NrStatus status = read_node(l, &rnn);
  NrValue *y[2], *h[2], *state[2];
  for (size_t i = 0; i < rnn.directions && !status; i++) status = run_direction(l, &rnn, i, &y[i], &h[i], &state[i]);
  if (status) return status;
  NoriaDType dtype = nr_lower_dtype(l, 0);
  static const size_t y_batch_first[4] = {2, 0, 1, 3}, h_batch_first[3] = {1, 0, 2};
  NrValue *all = stack(l, y, rnn.directions, 1), *last = stack(l, h, rnn.directions, 0);
  if (rnn.batch_first) {
    all = nr_lower_transpose(l, all, y_batch_first);
    last = nr_lower_transpose(l, last, h_batch_first);
  }
  NrType elem = nr_lower_in(l, 0)->type->elem;
  status = nr_lower_out(l, 0, nr_lower_narrow_tensor(l, all, elem), dtype);
  if (!status) status = nr_lower_out(l, 1, nr_lower_narrow_tensor(l, last, elem), dtype);
  if (status || cell != CELL_LSTM) return status;
  NrValue *cells = stack(l, state, rnn.directions, 0);
  if (rnn.batch_first) cells = nr_lower_transpose(l, cells, h_batch_first);
  return nr_lower_out(l, 2, nr_lower_narrow_tensor(l, cells, elem), dtype);
}

NrStatus nr_lower_rnn(NrLower *l) { return lower_recurrent(l, CELL_RNN, 1, false); }
NrStatus nr_lower_gru(NrLower *l) { return lower_recurrent(l, CELL_GRU, 3, false); }
NrStatus nr_lower_lstm(NrLower *l) { return lower_recurrent(l, CELL_LSTM, 4, false); }
NrStatus nr_lower_dynamic_quantize_lstm(NrLower *l) { return lower_recurrent(l, CELL_LSTM, 4, true); }
