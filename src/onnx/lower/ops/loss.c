/* loss.c - NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss: for each sample the (weighted) element of its class. */
#include "onnx/lower/ops/reduce.h"

#include "onnx/lower/ops/data.h"

typedef struct Loss {
  NrValue *x, *target, *weight; /* [N, C, ..], widened; [N, ..]; [C], widened, or NULL */
  bool ignores;
  int64_t ignored;
} Loss;

/* The class of the sample at `at`, checked; 0 for one that is ignored. */
static NrValue *class_at(NrLower *l, const Loss *s, NrValue *const *at, NrValue **ignored) {
  NrValue *class = nr_lower_as_index(l, nr_lower_extract(l, s->target, at, nr_rank(s->target)));
  NrValue *count = nr_dim_value(l, nr_lower_dim(l, s->x, 1)), *valid = nr_lower_cmpi(l, NR_CMPI_ULT, class, count);
  *ignored = s->ignores ? nr_lower_cmpi(l, NR_CMPI_EQ, class, nr_lower_index(l, s->ignored)) : NULL;
  nr_lower_check(l, *ignored ? either(l, *ignored, valid) : valid, "the target is class %0 of %1",
                 (NrValue *[]){class, count}, 2);
  return *ignored ? nr_lower_select(l, *ignored, nr_lower_index(l, 0), class) : class;
}

static NrValue *unless(NrLower *l, NrValue *ignored, NrValue *x) {
  return ignored ? nr_lower_select(l, ignored, num(l, x, 0), x) : x;
}

static NrValue *loss_body(NrLower *l, NrValue *const *at, void *user) {
  const Loss *s = user;
  size_t rank = nr_rank(s->x);
  NrValue *from[NORIA_MAX_RANK] = {at[0]}, *ignored;
  from[1] = class_at(l, s, at, &ignored);
  for (size_t i = 2; i < rank; i++) from[i] = at[i - 1];
  NrValue *loss = negf(l, nr_lower_extract(l, s->x, from, rank));
  if (s->weight) loss = mul(l, loss, nr_lower_extract(l, s->weight, &from[1], 1));
  return unless(l, ignored, loss);
}

static NrValue *weight_body(NrLower *l, NrValue *const *at, void *user) {
  const Loss *s = user;
  NrValue *ignored, *class = class_at(l, s, at, &ignored);
  NrValue *weight = s->weight ? nr_lower_extract(l, s->weight, &class, 1) : nr_lower_float(l, s->x->type->elem, 1);
  return unless(l, ignored, weight);
}

static NrValue *sum_of(NrLower *l, NrValue *x) {
  NrValue *sum = nr_lower_sum_over(l, x, (UINT64_C(1) << nr_rank(x)) - 1);
  return nr_lower_reshape(l, sum, &(NrShape){0});
}

static NrValue *quotient_body(NrLower *l, NrValue *const *a, void *user) { return divf(l, a[0], a[1]); }

/* The mean is by the samples' weights, and so without those that are ignored. */
static NrValue *reduced(NrLower *l, Loss *s, NrValue *loss, NrStr how) {
  if (nr_str_is(how, "none")) return loss;
  if (nr_str_is(how, "sum")) return sum_of(l, loss);
  if (!nr_str_is(how, "mean"))
    return nr_lower_error(l, "reduction is '%.*s'; it must be none, sum or mean", NR_STR_ARG(how)), NULL;
  NrShape shape = nr_lower_shape(l, s->target);
  uint64_t all = (UINT64_C(1) << shape.rank) - 1;
  if (!s->weight && !s->ignores) return nr_lower_reshape(l, nr_lower_mean_over(l, loss, all), &(NrShape){0});
  NrValue *weights = nr_lower_generate(l, &shape, s->x->type->elem, weight_body, s);
  return nr_lower_map(l, (NrValue *[]){sum_of(l, loss), sum_of(l, weights)}, 2, NULL, quotient_body, NULL);
}

/* x: input 0, or its logarithm of softmax, widened. */
static NrStatus loss_of(NrLower *l, NrValue *x) {
  Loss s = {.x = x,
            .target = nr_lower_in(l, 1),
            .weight = nr_lower_widen_tensor(l, nr_lower_in(l, 2)),
            .ignores = nr_lower_attr(l, "ignore_index") != NULL,
            .ignored = nr_lower_attr_int_or(l, "ignore_index", 0)};
  NrShape from = nr_lower_shape(l, x), shape = {from.rank - 1, {from.dims[0]}};
  for (size_t i = 2; i < from.rank; i++) shape.dims[i - 1] = from.dims[i];
  if (!nr_lower_expect_shape(l, "the target", s.target, &shape) ||
      (s.weight && !nr_lower_is_vector(l, 2, from.dims[1])))
    return NR_ERROR_INVALID;
  nr_lower_expect_elements(l, "the input", x, 1, &shape);
  NrValue *loss = nr_lower_generate(l, &shape, x->type->elem, loss_body, &s);
  NrType elem = nr_lower_in(l, 0)->type->elem;
  NrValue *y = reduced(l, &s, loss, nr_lower_attr_str(l, "reduction"));
  return nr_lower_out(l, 0, y ? nr_lower_narrow_tensor(l, y, elem) : NULL, nr_lower_dtype(l, 0));
}

static bool has_classes(NrLower *l) {
  if (nr_rank(nr_lower_in(l, 0)) >= 2) return true;
  nr_lower_error(l, "the input has rank %u; it must be [N, C, ..]", nr_rank(nr_lower_in(l, 0)));
  return false;
}

NrStatus nr_lower_nll_loss(NrLower *l) {
  return has_classes(l) ? loss_of(l, nr_lower_widen_tensor(l, nr_lower_in(l, 0))) : NR_ERROR_INVALID;
}

static NrValue *exp_body(NrLower *l, NrValue *const *a, void *user) {
  return same1(l, NR_OP_math_exp, sub(l, a[0], a[1]));
}
/* args: element, maximum, sum of the exponentials */
static NrValue *log_share_body(NrLower *l, NrValue *const *a, void *user) {
  return sub(l, sub(l, a[0], a[1]), same1(l, NR_OP_math_log, a[2]));
}

NrStatus nr_lower_softmax_cross_entropy_loss(NrLower *l) {
  if (!has_classes(l)) return NR_ERROR_INVALID;
  NrValue *in = nr_lower_in(l, 0), *x = nr_lower_widen_tensor(l, in), *top = nr_lower_max_over(l, x, 2);
  NrValue *e = nr_lower_map(l, (NrValue *[]){x, top}, 2, NULL, exp_body, NULL);
  NrValue *sum = e ? nr_lower_sum_over(l, e, 2) : NULL;
  NrValue *logs = nr_lower_map(l, (NrValue *[]){x, top, sum}, 3, NULL, log_share_body, NULL);
  if (!logs) return NR_ERROR_INVALID;
  NR_TRY(loss_of(l, logs));
  return nr_lower_out(l, 1, nr_lower_narrow_tensor(l, logs, in->type->elem), nr_lower_dtype(l, 0));
}
