/* ml_tree_ops.c - TreeEnsembleClassifier, TreeEnsembleRegressor, TreeEnsemble. */
#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/ml_trees.h"

/* The scores plus attribute base_values: one number for each of `count` targets. NULL after an error. */
static NrValue *plus_base(NrLower *l, NrValue *scores, size_t count) {
  NrMlNumbers base;
  if (!scores || !nr_ml_numbers(l, "base_values", &base)) return NULL;
  if (!base.count) return scores;
  if (!nr_ml_same_length(l, base.name, base.count, "the scores of a row", count)) return NULL;
  NrType elem = scores->type->elem;
  NrValue **elements = NR_NEW_ARRAY(&l->state->arena, NrValue *, count);
  for (size_t i = 0; i < count; i++) elements[i] = nr_lower_float(l, elem, nr_ml_number(&base, i));
  NrType type = nr_type_tensor(&(int64_t){(int64_t)count}, 1, elem);
  return nr_lower_sum(l, scores, nr_lower_from_elements(l, type, elements, count));
}

/* ---- regression ---- */

NrStatus nr_lower_ml_tree_ensemble_regressor(NrLower *l) {
  static const char *const names[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  NrStr aggregate = nr_lower_attr_str(l, "aggregate_function");
  int64_t targets = nr_lower_attr_int_or(l, "n_targets", 1);
  size_t how = 0;
  NrMlTrees trees;
  NrMlPost post;
  while (how < NR_COUNTOF(names) && !nr_str_is(aggregate, names[how])) how++;
  if (how == NR_COUNTOF(names))
    return nr_lower_error(l, "aggregate_function is '%.*s', not AVERAGE, SUM, MIN or MAX", NR_STR_ARG(aggregate));
  if (targets < 1 || targets > INT32_MAX) return nr_lower_error(l, "n_targets is %lld", (long long)targets);
  NrValue *x = nr_ml_matrix(l);
  if (!x || !nr_ml_post_transform(l, &post) || !nr_ml_read_trees(l, "target", (size_t)targets, &trees))
    return NR_ERROR_INVALID;
  NoriaDType dtype;
  NrValue *y = nr_ml_run_trees(l, &trees, x, nr_ml_real(nr_lower_dtype(l, 0)), (size_t)targets, (NrMlAggregate)how,
                               &dtype);
  y = nr_ml_transform(l, plus_base(l, y, (size_t)targets), post);
  return nr_lower_out(l, 0, nr_ml_convert(l, y, dtype, NORIA_F32), NORIA_F32);
}

NrStatus nr_lower_ml_tree_ensemble(NrLower *l) {
  int64_t how = nr_lower_attr_int(l, "aggregate_function"), post = nr_lower_attr_int(l, "post_transform");
  NrMlTrees trees;
  size_t targets;
  if (how < NR_ML_AVERAGE || how > NR_ML_MAX) return nr_lower_error(l, "aggregate_function is %lld", (long long)how);
  if (post < NR_ML_NONE || post > NR_ML_PROBIT) return nr_lower_error(l, "post_transform is %lld", (long long)post);
  NrValue *x = nr_ml_matrix(l);
  if (!x || !nr_ml_read_ensemble(l, &targets, &trees)) return NR_ERROR_INVALID;
  NoriaDType dtype, own = nr_lower_dtype(l, 0);
  NrValue *y = nr_ml_run_trees(l, &trees, x, nr_ml_real(own), targets, (NrMlAggregate)how, &dtype);
  return nr_lower_out(l, 0, nr_ml_convert(l, nr_ml_transform(l, y, (NrMlPost)post), dtype, own), own);
}

/* ---- classification ---- */

/* What is known of a classifier's votes. */
typedef struct Votes {
  bool single;   /* of two classes, all votes are for the first one: their sum is the score of the second one */
  bool positive; /* no weight is below 0 */
} Votes;

static Votes votes_of(const NrMlTrees *trees, size_t classes) {
  Votes v = {.single = classes == 2, .positive = true};
  for (size_t i = 0; i < trees->num_votes; i++) {
    v.single &= trees->votes[i].target == 0;
    v.positive &= trees->votes[i].weight >= 0;
  }
  return v;
}

static NrValue *above_body(NrLower *l, NrValue *const *a, void *user) {
  const Votes *v = user;
  NrValue *above = nr_lower_cmpf(l, NR_CMPF_OGT, a[0], num(l, a[0], v->positive ? 0.5 : 0));
  return nr_lower_op1(l, NR_OP_arith_extui, nr_type_i64(l->ctx), above);
}

/* The sum of all votes as the score of the second class: base_values may have a number for it alone. */
static NrValue *second_score(NrLower *l, NrValue *sums) {
  NrMlNumbers base;
  if (!nr_ml_numbers(l, "base_values", &base)) return NULL;
  NrShape one = {2, {nr_lower_dim(l, sums, 0), nr_dim(1)}};
  if (base.count == 2) sums = plus_base(l, sums, 2);
  NrDim start[2] = {nr_dim(0), nr_dim(0)};
  NrValue *score = sums ? nr_lower_slice(l, sums, start, one.dims, NULL) : NULL;
  return base.count == 2 ? score : plus_base(l, score, 1);
}

NrStatus nr_lower_ml_tree_ensemble_classifier(NrLower *l) {
  NrMlTrees trees;
  NrMlPost post;
  NrMlValues labels;
  NrValue *x = nr_ml_matrix(l), *classes;
  if (!x || !nr_ml_post_transform(l, &post) || !nr_ml_labels(l, "classlabels_int64s", "classlabels_strings", &labels))
    return NR_ERROR_INVALID;
  if (!labels.count) return nr_lower_error(l, "has neither classlabels_int64s nor classlabels_strings");
  if (!nr_ml_read_trees(l, "class", labels.count, &trees)) return NR_ERROR_INVALID;
  Votes votes = votes_of(&trees, labels.count);
  NoriaDType dtype;
  NrValue *scores = nr_ml_run_trees(l, &trees, x, nr_ml_real(nr_lower_dtype(l, 0)), labels.count, NR_ML_SUM, &dtype);
  if (scores) scores = votes.single ? second_score(l, scores) : plus_base(l, scores, labels.count);
  if (!scores) return NR_ERROR_INVALID;
  if (votes.single) {
    NrShape rows = {1, {nr_lower_dim(l, scores, 0)}};
    NrValue *flat = nr_lower_reshape(l, scores, &rows);
    classes = nr_lower_map(l, &flat, 1, nr_type_i64(l->ctx), above_body, &votes);
    scores = nr_ml_second_class(l, scores, post, votes.positive);
  } else {
    classes = nr_ml_best(l, scores);
    scores = nr_ml_transform(l, scores, post);
  }
  NR_TRY(nr_lower_out(l, 0, nr_ml_choose(l, classes, &labels), labels.dtype));
  return nr_lower_out(l, 1, nr_ml_convert(l, scores, dtype, NORIA_F32), NORIA_F32);
}
