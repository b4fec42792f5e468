/* linear_attention.c - LinearAttention: a state of sums of products of keys and values, updated and read at each
 * position. All is computed as f32. */
#include "onnx/lower/ops/attention.h"

#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/data.h"

typedef struct Linear {
  NrValue *q, *k, *v;         /* [B, heads, T, size] */
  NrValue *decay, *beta;      /* [B, T, ..], or NULL */
  NrDim width;                /* decays of a head: one, or one for each element of a key */
  NrDim heads, of_q, size, of_v;
  NrValue *scale;
  NrValue *now;               /* T's index */
} Linear;

/* e^decay of head b, h and element d of the key. */
static NrValue *decay_body(NrLower *l, NrValue *const *at, void *user) {
  const Linear *s = user;
  NrValue *one = nr_lower_cmpi(l, NR_CMPI_EQ, nr_dim_value(l, s->width), nr_lower_index(l, 1));
  NrValue *d = nr_lower_select(l, one, nr_lower_index(l, 0), at[2]);
  NrValue *place = add(l, mul(l, at[1], nr_dim_value(l, s->width)), d);
  return same1(l, NR_OP_math_exp, nr_lower_extract(l, s->decay, (NrValue *[]){at[0], s->now, place}, 3));
}

static NrValue *product_body(NrLower *l, NrValue *const *a, void *user) { return mul(l, a[0], a[1]); }

/* args: value, what the state gives for the key, beta */
static NrValue *correct_body(NrLower *l, NrValue *const *a, void *user) {
  return mul(l, a[2], sub(l, a[0], a[1]));
}

/* args: state, key, value, e^decay if there is one */
static NrValue *update_body(NrLower *l, NrValue *const *a, void *user) {
  const Linear *s = user;
  return add(l, s->decay ? mul(l, a[0], a[3]) : a[0], mul(l, a[1], a[2]));
}

static NrValue *map(NrLower *l, NrValue *const *in, size_t count, NrBodyFn body, Linear *s) {
  return nr_lower_map(l, in, count, NULL, body, s);
}

/* Position `now` of x, whose dim `axis` the positions are, in another shape. */
static NrValue *at_now(NrLower *l, const Linear *s, NrValue *x, size_t axis, const NrShape *shape) {
  NrValue *one = nr_lower_slice_axis(l, x, axis, nr_dim_of_index(s->now), nr_dim(1), nr_dim(1));
  return nr_lower_reshape(l, one, shape);
}

/* carried: state [B, heads, size, of_v], output [B, T, heads of q, of_v] */
static NrStatus position_body(NrLower *l, NrValue *iv, NrValue *const *carried, NrValue **next, void *user) {
  Linear *s = user;
  s->now = iv;
  NrType f32 = nr_type_f32(l->ctx);
  NrDim batch = nr_lower_dim(l, s->q, 0), share = nr_dim_div(l, s->of_q, s->heads);
  NrShape key = {4, {batch, s->heads, s->size, nr_dim(1)}}, value = {4, {batch, s->heads, nr_dim(1), s->of_v}};
  NrShape query = {4, {batch, s->heads, share, s->size}}, sums = {3, {batch, s->heads, s->of_v}}, read = query;
  NrValue *k = at_now(l, s, s->k, 2, &key), *v = at_now(l, s, s->v, 2, &value), *state = carried[0];
  NrValue *decay = s->decay ? nr_lower_generate(l, &key, f32, decay_body, s) : NULL;
  if (s->beta) {
    NrValue *decayed = decay ? map(l, (NrValue *[]){k, decay}, 2, product_body, s) : k;
    NrValue *known = nr_lower_sum_products(l, decayed, "bhd.", state, "bhdm", "bhm", nr_lower_zeros(l, &sums, f32));
    NrShape rate = {4, {batch, nr_lower_dim(l, s->beta, 2), nr_dim(1), nr_dim(1)}};
    NrValue *terms[3] = {v, nr_lower_reshape(l, known, &value), at_now(l, s, s->beta, 1, &rate)};
    v = map(l, terms, 3, correct_body, s);
  }
  if (!v) return NR_ERROR_INVALID;
  next[0] = map(l, (NrValue *[]){state, k, v, decay}, decay ? 4 : 3, update_body, s);
  if (!next[0]) return NR_ERROR_INVALID;
  read.dims[3] = s->of_v;
  NrValue *y = nr_lower_sum_products(l, at_now(l, s, s->q, 2, &query), "bhgd", next[0], "bhdm", "bhgm",
                                     nr_lower_zeros(l, &read, f32));
  NrShape row = {4, {batch, nr_dim(1), s->of_q, s->of_v}};
  NrDim place[4] = {nr_dim(0), nr_dim_of_index(iv), nr_dim(0), nr_dim(0)};
  next[1] = nr_lower_insert_slice(l, nr_lower_reshape(l, y, &row), carried[1], place);
  return NR_OK;
}

/* Input i as f32, NULL when it is left out. */
static NrValue *as_f32(NrLower *l, size_t i) {
  NrValue *x = nr_lower_in(l, i);
  return x ? nr_lower_cast_tensor(l, x, nr_lower_dtype(l, i), NORIA_F32) : NULL;
}

/* Decays and rates are given exactly when the rule has them, for all positions. */
static bool gates(NrLower *l, Linear *s, NrStr rule) {
  bool gated = nr_str_starts(rule, "gated"), delta = nr_str_is(rule, "delta") || nr_str_is(rule, "gated_delta");
  if (!gated && !delta && !nr_str_is(rule, "linear"))
    return nr_lower_error(l, "update_rule '%.*s' is not linear, gated, delta or gated_delta", NR_STR_ARG(rule)), false;
  if (gated != (s->decay != NULL) || delta != (s->beta != NULL))
    return nr_lower_error(l, "update_rule '%.*s' %s input %s", NR_STR_ARG(rule),
                          (gated && !s->decay) || (delta && !s->beta) ? "needs" : "excludes",
                          gated != (s->decay != NULL) ? "decay" : "beta"), false;
  NrValue *both_of[2] = {s->decay, s->beta};
  for (size_t i = 0; i < 2; i++) {
    const char *name = i ? "beta" : "decay";
    if (both_of[i] && (!nr_lower_expect_rank(l, name, both_of[i], 3) ||
                       !nr_lower_expect_dim(l, name, both_of[i], 0, nr_lower_dim(l, s->q, 0)) ||
                       !nr_lower_expect_dim(l, name, both_of[i], 1, nr_lower_dim(l, s->q, 2))))
      return false;
  }
  if (s->decay) {
    s->width = nr_dim_div(l, nr_lower_dim(l, s->decay, 2), s->heads);
    if (!nr_lower_expect_dim(l, "decay", s->decay, 2, nr_dim_mul(l, s->heads, s->width))) return false;
    NrValue *one = nr_lower_cmpi(l, NR_CMPI_EQ, nr_dim_value(l, s->width), nr_lower_index(l, 1));
    NrDim wide = nr_dim_select(l, one, s->size, s->width);
    if (!nr_lower_dims_agree(l, wide, s->size, "decays of a head, and its keys' size")) return false;
  }
  NrShape rates = {3, {nr_lower_dim(l, s->q, 0), nr_lower_dim(l, s->q, 2), s->heads}};
  return !s->beta || nr_lower_expect_broadcast(l, "beta", s->beta, &rates);
}

static bool sizes(NrLower *l, Linear *s) {
  int64_t of_q = nr_lower_attr_int_or(l, "q_num_heads", 0), heads = nr_lower_attr_int_or(l, "kv_num_heads", 0);
  if (heads < 1 || of_q < 1 || of_q % heads != 0)
    return nr_lower_error(l, "q_num_heads %lld is no positive multiple of kv_num_heads %lld", (long long)of_q,
                          (long long)heads), false;
  s->of_q = nr_dim(of_q);
  s->heads = nr_dim(heads);
  if (!(s->q = nr_attention_split(l, "query", as_f32(l, 0), s->of_q)) ||
      !(s->k = nr_attention_split(l, "key", as_f32(l, 1), s->heads)) ||
      !(s->v = nr_attention_split(l, "value", as_f32(l, 2), s->heads)))
    return false;
  s->size = nr_lower_dim(l, s->q, 3);
  s->of_v = nr_lower_dim(l, s->v, 3);
  NrShape keys = {3, {nr_lower_dim(l, s->q, 0), nr_lower_dim(l, s->q, 2), nr_dim_mul(l, s->heads, s->size)}};
  NrShape values = {3, {keys.dims[0], keys.dims[1], nr_dim_mul(l, s->heads, s->of_v)}};
  return nr_lower_expect_shape(l, "key", nr_lower_in(l, 1), &keys) &&
         nr_lower_expect_shape(l, "value", nr_lower_in(l, 2), &values);
}

NrStatus nr_lower_linear_attention(NrLower *l) {
  Linear s = {.decay = as_f32(l, 4), .beta = as_f32(l, 5)};
  if (!sizes(l, &s) || !gates(l, &s, nr_lower_attr_str(l, "update_rule"))) return NR_ERROR_INVALID;
  NrDim batch = nr_lower_dim(l, s.q, 0), positions = nr_lower_dim(l, s.q, 2);
  NrShape state = {4, {batch, s.heads, s.size, s.of_v}}, read = {4, {batch, positions, s.of_q, s.of_v}};
  NrValue *past = as_f32(l, 3);
  if (past && !nr_lower_expect_shape(l, "past_state", past, &state)) return NR_ERROR_INVALID;
  NrType f32 = nr_type_f32(l->ctx);
  NrValue *carried[2] = {past ? nr_lower_tensor_cast(l, past, nr_shape_type(l, &state, f32))
                              : nr_lower_zeros(l, &state, f32),
                         nr_lower_zeros(l, &read, f32)};
  NR_TRY(nr_lower_for(l, positions, carried, 2, carried, position_body, &s));
  double scale = nr_lower_attr_float(l, "scale");
  NrValue *factor = scale != 0 ? nr_lower_float(l, nr_type_f64(l->ctx), scale) : nr_attention_scale(l, NULL, s.q);
  NrShape joined = {3, {batch, positions, nr_dim_mul(l, s.of_q, s.of_v)}};
  NrValue *y = nr_lower_reshape(l, nr_attention_scaled(l, carried[1], factor), &joined);
  NoriaDType dtype = nr_lower_dtype(l, 0), of_state = past ? nr_lower_dtype(l, 3) : dtype;
  NR_TRY(nr_lower_out(l, 0, nr_lower_cast_tensor(l, y, NORIA_F32, dtype), dtype));
  return nr_lower_out(l, 1, nr_lower_cast_tensor(l, carried[0], NORIA_F32, of_state), of_state);
}
