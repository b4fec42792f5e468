/* attention_grouped.c - GroupQueryAttention of com.microsoft: attention with a cache that new keys and values are
 * written into, each sample behind its own past.
 *
 * Sample b has seqlens_k[b] + 1 keys. In the first step, where the queries are as many as total_sequence_length, none
 * of them is past; later those are that are not new. The new keys stand behind the past ones in present_key, which is
 * as long as the cache or, where that is too short and does not slide, as total_sequence_length. */
#include <math.h>

#include "onnx/lower/ops/attention.h"
#include "onnx/lower/ops/attention_grouped.h"
#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/norm.h"
#include "onnx/lower/ops/resample.h"
#include "onnx/lower/ops/rotary.h"

/* ---- queries, keys, values ---- */

static bool heads_of(NrLower *l, const char *name, NrDim *out) {
  int64_t heads = nr_lower_attr_int_or(l, name, 0);
  *out = nr_dim(heads);
  if (heads < 1 || heads > INT32_MAX) return nr_lower_error(l, "%s is %lld", name, (long long)heads), false;
  return true;
}

/* A row of query may have keys and values behind the queries. */
static bool split(NrLower *l, NrGrouped *g) {
  NrDim heads, of_keys;
  NrValue *q = nr_lower_in(l, NR_GQA_QUERY), *k = nr_lower_in(l, NR_GQA_KEY), *v = nr_lower_in(l, NR_GQA_VALUE);
  if (!heads_of(l, "num_heads", &heads) || !heads_of(l, "kv_num_heads", &of_keys)) return false;
  if (heads.size % of_keys.size) {
    nr_lower_error(l, "num_heads is %lld, which is not a multiple of kv_num_heads, %lld", (long long)heads.size,
                   (long long)of_keys.size);
    return false;
  }
  if (!k != !v) return nr_lower_error(l, "key and value belong together"), false;
  if (!nr_lower_expect_rank(l, "query", q, 3)) return false;
  if (!k) {
    NrDim all = nr_dim_add(l, heads, nr_dim_mul(l, of_keys, nr_dim(2))), width = nr_lower_dim(l, q, 2);
    NrDim size = nr_dim_div(l, width, all), from = nr_dim_mul(l, heads, size), part = nr_dim_mul(l, of_keys, size);
    if (!nr_lower_dims_agree(l, width, nr_dim_mul(l, all, size), "elements of a row of query, and heads of one size"))
      return false;
    NrValue *packed = q;
    q = nr_lower_slice_axis(l, packed, 2, nr_dim(0), from, nr_dim(1));
    k = nr_lower_slice_axis(l, packed, 2, from, part, nr_dim(1));
    v = nr_lower_slice_axis(l, packed, 2, nr_dim_add(l, from, part), part, nr_dim(1));
  }
  g->q = nr_attention_split(l, "query", q, heads);
  g->k = g->q ? nr_attention_split(l, "key", k, of_keys) : NULL;
  g->v = g->k ? nr_attention_split(l, "value", v, of_keys) : NULL;
  if (!g->v || !nr_attention_fits(l, g->q, g->k, g->v)) return false;
  g->queries = nr_lower_dim(l, g->q, 2);
  return nr_lower_expect_dim(l, "key", g->k, 2, g->queries);
}

/* ---- norms ---- */

static NrValue *product_body(NrLower *l, NrValue *const *a, void *user) { return (void)user, mul(l, a[0], a[1]); }

/* Rows of *x divided by their root mean square, times a weight for each element. */
static bool normalise(NrLower *l, const char *name, NrValue *weight, NrValue **x) {
  double epsilon = nr_lower_attr_float_or(l, "qk_norm_epsilon", 1e-6);
  if (!nr_lower_expect_shape(l, name, weight, &(NrShape){1, {nr_lower_dim(l, *x, 3)}})) return false;
  NrType elem = (*x)->type->elem;
  NrValue *y = nr_lower_normalise(l, nr_lower_widen_tensor(l, *x), 8, epsilon, false, NULL, NULL);
  y = nr_lower_map(l, (NrValue *[]){y, nr_lower_widen_tensor(l, weight)}, 2, NULL, product_body, NULL);
  return y && (*x = nr_lower_narrow_tensor(l, y, elem));
}

static bool normalise_both(NrLower *l, NrGrouped *g) {
  NrValue *of_q = nr_lower_in(l, NR_GQA_QUERY_NORM), *of_k = nr_lower_in(l, NR_GQA_KEY_NORM);
  if (!of_q != !of_k) return nr_lower_error(l, "q_norm_weight and k_norm_weight belong together"), false;
  return !of_q || (normalise(l, "q_norm_weight", of_q, &g->q) && normalise(l, "k_norm_weight", of_k, &g->k));
}

/* ---- positions ---- */

static NrValue *position_body(NrLower *l, NrValue *const *at, void *user) {
  NrValue *position = add(l, nr_grouped_begin(l, user, at[0]), at[1]);
  return nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), position);
}

static bool rotate(NrLower *l, NrGrouped *g) {
  NrRotary r = {.cos = nr_lower_in(l, NR_GQA_COS),
                .sin = nr_lower_in(l, NR_GQA_SIN),
                .positions = nr_lower_in(l, NR_GQA_POSITIONS),
                .sequence = 2,
                .interleaved = nr_lower_attr_int_or(l, "rotary_interleaved", 0) != 0};
  if (!nr_lower_attr_int_or(l, "do_rotary", 0)) return true;
  if (!r.cos || !r.sin) return nr_lower_error(l, "do_rotary needs cos_cache and sin_cache"), false;
  if (!nr_lower_expect_rank(l, "cos_cache", r.cos, 2)) return false;
  r.rotated = nr_dim_mul(l, nr_lower_dim(l, r.cos, 1), nr_dim(2));
  NrShape each = {2, {nr_lower_dim(l, g->q, 0), g->queries}};
  if (!r.positions)
    r.positions = nr_lower_generate(l, &each, nr_type_i64(l->ctx), position_body, g);
  else if (!nr_lower_expect_rank(l, "position_ids", r.positions, 2))
    return false;
  g->q = nr_lower_rotate(l, g->q, &r);
  return g->q && (g->k = nr_lower_rotate(l, g->k, &r));
}

/* ---- scores ---- */

/* 0 where a query of a sample may look, else -inf. at: batch, 0, query, row of a key. */
static NrValue *seen_body(NrLower *l, NrValue *const *at, void *user) {
  const NrGrouped *g = user;
  NrValue *ok, *key = nr_grouped_position(l, g, at[0], at[3], &ok);
  NrValue *distance = sub(l, add(l, nr_grouped_begin(l, g, at[0]), at[2]), key);
  if (g->causal) ok = both(l, ok, nr_lower_cmpi(l, NR_CMPI_SGE, distance, nr_lower_index(l, 0)));
  if (g->window > 0) ok = both(l, ok, nr_lower_cmpi(l, NR_CMPI_SLT, distance, nr_lower_index(l, g->window)));
  NrType elem = g->q->type->elem;
  return nr_lower_select(l, ok, nr_lower_float(l, elem, 0), nr_lower_float(l, elem, -HUGE_VAL));
}

/* The bias of a key, which stands in the column of its position; 0 in rows without one. */
static NrValue *bias_body(NrLower *l, NrValue *const *at, void *user) {
  const NrGrouped *g = user;
  NrValue *bias = nr_lower_in(l, NR_GQA_BIAS), *is_key, *key = nr_grouped_position(l, g, at[0], at[3], &is_key);
  NrValue *row[4] = {nr_lower_clamp_index(l, at[0], nr_lower_dim(l, bias, 0)), at[1], at[2],
                     nr_lower_clamp_index(l, key, g->total)};
  NrValue *x = nr_lower_extract(l, bias, row, 4);
  return nr_lower_select(l, is_key, x, num(l, x, 0));
}

static NrValue *biased(NrLower *l, NrGrouped *g, NrValue *x) {
  NrValue *bias = nr_lower_in(l, NR_GQA_BIAS);
  NrShape shape = nr_lower_shape(l, x);
  shape.dims[3] = g->total;
  if (!nr_lower_expect_rank(l, "attention_bias", bias, 4) ||
      !nr_lower_expect_dim(l, "attention_bias", bias, 2, g->queries) ||
      !nr_lower_expect_dim(l, "attention_bias", bias, 3, g->total) ||
      !nr_lower_expect_broadcast(l, "attention_bias", bias, &shape))
    return NULL;
  NrShape wide = nr_lower_shape(l, bias);
  wide.dims[0] = shape.dims[0];
  wide.dims[3] = g->rows;
  return nr_attention_add(l, x, nr_lower_generate(l, &wide, bias->type->elem, bias_body, g));
}

/* Weights of which each row has one more element, a score of its head that no value has, or 0. */
static NrValue *softmax_with_sink(NrLower *l, const NrGrouped *g, NrValue *x) {
  NrValue *sink = nr_lower_in(l, NR_GQA_SINK);
  NrShape column = nr_lower_shape(l, x), heads = {1, {column.dims[1]}};
  column.dims[3] = nr_dim(1);
  NrShape by_heads = {4, {nr_dim(1), column.dims[1], nr_dim(1), nr_dim(1)}};
  if (sink && !nr_lower_expect_shape(l, "head_sink", sink, &heads)) return NULL;
  NrValue *last = sink ? nr_lower_broadcast_to(l, nr_lower_reshape(l, sink, &by_heads), &column)
                       : nr_lower_zeros(l, &column, x->type->elem);
  NrValue *y = nr_attention_softmax(l, nr_lower_concat(l, (NrValue *[]){x, last}, 2, 3), true);
  return y ? nr_lower_slice_axis(l, y, 3, nr_dim(0), g->rows, nr_dim(1)) : NULL;
}

/* ---- output 3: scores or weights ---- */

enum { NO_SCORES, BEFORE_SOFTMAX, AFTER_SOFTMAX };

static bool read_scores_kind(NrLower *l, const NrGrouped *g, int64_t *out) {
  *out = nr_lower_attr_int_or(l, "qk_output", NO_SCORES);
  if (*out < NO_SCORES || *out > AFTER_SOFTMAX)
    return nr_lower_error(l, "qk_output is %lld; it must be 0, 1 or 2", (long long)*out), false;
  if (*out && g->slides) return nr_lower_error(l, "qk_output with sliding_window_cache cannot be compiled"), false;
  if (*out == NO_SCORES && nr_lower_wants(l, 3)) return nr_lower_error(l, "output 3 needs qk_output"), false;
  return true;
}

static NrValue *shown_body(NrLower *l, NrValue *const *a, void *user) {
  return (void)user, nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OEQ, a[1], num(l, a[1], 0)), a[0], num(l, a[0], 0));
}

/* x as an output: 0 where a query does not look, and without the rows behind the keys of all samples. */
static NrStatus out_scores(NrLower *l, const NrGrouped *g, NrValue *x, NrValue *seen) {
  NrValue *shown = nr_lower_map(l, (NrValue *[]){x, seen}, 2, NULL, shown_body, NULL);
  if (!shown) return NR_ERROR_INVALID;
  return nr_lower_out(l, 3, nr_lower_slice_axis(l, shown, 3, nr_dim(0), g->total, nr_dim(1)), nr_lower_dtype(l, 0));
}

NrStatus nr_lower_group_query_attention(NrLower *l) {
  NrGrouped g = {.window = nr_lower_attr_int_or(l, "local_window_size", -1),
                 .causal = nr_lower_attr_int_or(l, "causal", 1) != 0,
                 .slides = nr_lower_attr_int_or(l, "sliding_window_cache", 0) != 0};
  int64_t kind;
  double cap = nr_lower_attr_float_or(l, "softcap", 0);
  if (!read_scores_kind(l, &g, &kind) || !split(l, &g) || !normalise_both(l, &g) || !nr_grouped_read_cache(l, &g) ||
      !rotate(l, &g))
    return NR_ERROR_INVALID;
  NrShape shape = nr_lower_shape(l, g.k);
  nr_lower_expect_elements(l, "query", g.q, 2, &shape);
  if (!g.causal && g.window > 0) return nr_lower_error(l, "local_window_size needs causal");
  NrValue *rows[2], *present[2];
  for (size_t i = 0; i < 2; i++)
    if (!nr_grouped_cache(l, &g, i, &rows[i], &present[i])) return NR_ERROR_INVALID;
  NrValue *x = nr_attention_scores(l, g.q, rows[0]);
  x = nr_attention_capped(l, nr_attention_scaled(l, x, nr_attention_scale(l, "scale", g.q)), cap);
  if (nr_lower_in(l, NR_GQA_BIAS) && !(x = biased(l, &g, x))) return NR_ERROR_INVALID;
  NrShape looks = {4, {nr_lower_dim(l, g.q, 0), nr_dim(1), g.queries, g.rows}};
  NrValue *seen = nr_lower_generate(l, &looks, x->type->elem, seen_body, &g);
  if (kind == BEFORE_SOFTMAX) NR_TRY(out_scores(l, &g, x, seen));
  x = nr_attention_add(l, x, seen);
  bool sinks = nr_lower_in(l, NR_GQA_SINK) || nr_lower_attr_int_or(l, "smooth_softmax", 0) > 0;
  x = sinks ? softmax_with_sink(l, &g, x) : nr_attention_softmax(l, x, true);
  if (!x) return NR_ERROR_INVALID;
  if (kind == AFTER_SOFTMAX) NR_TRY(out_scores(l, &g, x, seen));
  NR_TRY(nr_lower_out(l, 0, nr_attention_join(l, nr_attention_mix(l, x, rows[1])), nr_lower_dtype(l, 0)));
  for (size_t i = 0; i < 2; i++)
    NR_TRY(nr_lower_out(l, 1 + i, present[i], g.stored));
  return NR_OK;
}
