/* attention_grouped.c - GroupQueryAttention of com.microsoft: attention with a cache that new keys and values are
 * written into, each sample behind its own past.
 *
 * Sample b has seqlens_k[b] + 1 keys. In the first step, where the queries are as many as total_sequence_length, none
 * of them is past; later those are that are not new. The new keys stand behind the past ones in present_key, which is
 * as long as the cache or, where that is too short, as total_sequence_length. */
#include <math.h>

#include "onnx/lower/ops/attention.h"
#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/resample.h"
#include "onnx/lower/ops/rotary.h"

enum { /* inputs */
  QUERY, KEY, VALUE, PAST_KEY, PAST_VALUE, LENGTHS, TOTAL, COS, SIN, POSITIONS, BIAS, SINK, FIRST_REFUSED, INPUTS = 16
};

typedef struct Grouped {
  NrValue *q, *k, *v;   /* [batch, heads, queries, size]: the new ones */
  NrValue *past[2];     /* NULL: none */
  NrValue *begins;      /* [batch] i64: the position of the first query */
  NrDim queries, total; /* total: the most keys of a sample */
  NrDim capacity, room; /* of the cache before and after */
  int64_t window;       /* below 1: none */
  bool causal;
} Grouped;

/* ---- what cannot be compiled ---- */

static bool is_refused(NrLower *l) {
  static const char *const attrs[] = {"sliding_window_cache", "qk_output", "kv_cache_bit_width"};
  for (size_t i = 0; i < NR_COUNTOF(attrs); i++)
    if (nr_lower_attr_int_or(l, attrs[i], 0)) return nr_lower_error(l, "%s cannot be compiled", attrs[i]), true;
  for (size_t i = FIRST_REFUSED; i < INPUTS; i++)
    if (nr_lower_in(l, i))
      return nr_lower_error(l, "k_scale, v_scale, q_norm_weight and k_norm_weight cannot be compiled"), true;
  return false;
}

/* ---- queries, keys, values ---- */

static bool heads_of(NrLower *l, const char *name, NrDim *out) {
  int64_t heads = nr_lower_attr_int_or(l, name, 0);
  *out = nr_dim(heads);
  if (heads < 1 || heads > INT32_MAX) return nr_lower_error(l, "%s is %lld", name, (long long)heads), false;
  return true;
}

/* A row of query may have keys and values behind the queries. */
static bool split(NrLower *l, Grouped *g) {
  NrDim heads, of_keys;
  NrValue *q = nr_lower_in(l, QUERY), *k = nr_lower_in(l, KEY), *v = nr_lower_in(l, VALUE);
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

/* ---- positions ---- */

static NrValue *begin_body(NrLower *l, NrValue *const *at, void *user) {
  const Grouped *g = user;
  NrValue *last = nr_lower_as_index(l, nr_lower_extract(l, nr_lower_in(l, LENGTHS), at, 1));
  NrValue *queries = nr_dim_value(l, g->queries), *total = nr_dim_value(l, g->total), *zero = nr_lower_index(l, 0);
  NrValue *length = add(l, last, nr_lower_index(l, 1)), *is_first = nr_lower_cmpi(l, NR_CMPI_EQ, queries, total);
  NrValue *begin = nr_lower_select(l, is_first, zero, sub(l, length, queries));
  NrValue *inside = both(l, nr_lower_cmpi(l, NR_CMPI_SGE, last, zero), nr_lower_cmpi(l, NR_CMPI_SLE, length, total));
  nr_lower_check(l, inside, "seqlens_k is %0, but total_sequence_length %1", (NrValue *[]){last, total}, 2);
  NrValue *capacity = nr_dim_value(l, g->capacity);
  NrValue *fits = both(l, nr_lower_cmpi(l, NR_CMPI_SGE, begin, zero), nr_lower_cmpi(l, NR_CMPI_SLE, begin, capacity));
  nr_lower_check(l, fits, "%0 keys are past, of a cache of %1", (NrValue *[]){begin, capacity}, 2);
  return nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), begin);
}

static NrValue *begin_of(NrLower *l, const Grouped *g, NrValue *batch) {
  return nr_lower_as_index(l, nr_lower_extract(l, g->begins, &batch, 1));
}

static NrValue *position_body(NrLower *l, NrValue *const *at, void *user) {
  return nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), add(l, begin_of(l, user, at[0]), at[1]));
}

/* Sets what the lengths tell, and checks them. */
static bool read_lengths(NrLower *l, Grouped *g) {
  NrDim batch = nr_lower_dim(l, g->q, 0);
  for (size_t i = 0; i < 2; i++) {
    static const char *const names[] = {"past_key", "past_value"};
    g->past[i] = nr_lower_in(l, PAST_KEY + i);
    if (!g->past[i]) continue;
    NrShape want = nr_lower_shape(l, g->k);
    if (!nr_lower_expect_rank(l, names[i], g->past[i], 4)) return false;
    want.dims[2] = nr_lower_dim(l, g->past[0] ? g->past[0] : g->past[i], 2);
    if (!nr_lower_expect_shape(l, names[i], g->past[i], &want)) return false;
  }
  if (!g->past[0] != !g->past[1]) return nr_lower_error(l, "past_key and past_value belong together"), false;
  NrValue *total = nr_lower_in(l, TOTAL), *zero = nr_lower_index(l, 0);
  if (!nr_lower_expect_shape(l, "seqlens_k", nr_lower_in(l, LENGTHS), &(NrShape){1, {batch}}) ||
      (nr_rank(total) && !nr_lower_expect_shape(l, "total_sequence_length", total, &(NrShape){1, {nr_dim(1)}})))
    return false;
  g->total = nr_dim_of_index(nr_lower_as_index(l, nr_lower_extract(l, total, &zero, nr_rank(total))));
  if (!nr_lower_fits(l, g->queries, g->total, "%0 queries are more than total_sequence_length, %1")) return false;
  g->capacity = g->past[0] ? nr_lower_dim(l, g->past[0], 2) : nr_dim(0);
  g->room = nr_dim_max(l, g->capacity, g->total);
  g->begins = nr_lower_generate(l, &(NrShape){1, {batch}}, nr_type_i64(l->ctx), begin_body, g);
  return g->begins != NULL;
}

static bool rotate(NrLower *l, Grouped *g) {
  NrRotary r = {.cos = nr_lower_in(l, COS),
                .sin = nr_lower_in(l, SIN),
                .positions = nr_lower_in(l, POSITIONS),
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

/* ---- the cache ---- */

typedef struct Cache {
  const Grouped *g;
  NrValue *past, *added; /* past: as long as the cache will be; NULL: none */
} Cache;

/* at: batch, head, position, element. What is behind the sample's keys is 0. */
static NrValue *present_body(NrLower *l, NrValue *const *at, void *user) {
  const Cache *c = user;
  NrValue *begin = begin_of(l, c->g, at[0]), *place = sub(l, at[2], begin);
  NrValue *is_past = nr_lower_cmpi(l, NR_CMPI_SLT, at[2], begin);
  NrValue *is_new = both(l, nr_lower_cmpi(l, NR_CMPI_SGE, place, nr_lower_index(l, 0)),
                         nr_lower_cmpi(l, NR_CMPI_SLT, place, nr_dim_value(l, c->g->queries)));
  NrValue *row[4] = {at[0], at[1], nr_lower_clamp_index(l, place, c->g->queries), at[3]};
  NrValue *x = nr_lower_extract(l, c->added, row, 4);
  x = nr_lower_select(l, is_new, x, num(l, x, 0));
  return c->past ? nr_lower_select(l, is_past, nr_lower_extract(l, c->past, at, 4), x) : x;
}

static NrValue *present(NrLower *l, const Grouped *g, size_t i, NrValue *added) {
  Cache c = {g, NULL, added};
  NrShape shape = nr_lower_shape(l, added);
  const NrDim zeros[4] = {nr_dim(0), nr_dim(0), nr_dim(0), nr_dim(0)};
  shape.dims[2] = g->room;
  if (g->past[i]) c.past = nr_lower_insert_slice(l, g->past[i], nr_lower_zeros(l, &shape, added->type->elem), zeros);
  return nr_lower_generate(l, &shape, added->type->elem, present_body, &c);
}

/* ---- scores ---- */

/* 0 where a query of a sample may look, else -inf. at: batch, 0, query, key. */
static NrValue *seen_body(NrLower *l, NrValue *const *at, void *user) {
  const Grouped *g = user;
  NrValue *last = nr_lower_as_index(l, nr_lower_extract(l, nr_lower_in(l, LENGTHS), at, 1));
  NrValue *position = add(l, begin_of(l, g, at[0]), at[2]), *distance = sub(l, position, at[3]);
  NrValue *ok = nr_lower_cmpi(l, NR_CMPI_SLE, at[3], last);
  if (g->causal) ok = both(l, ok, nr_lower_cmpi(l, NR_CMPI_SGE, distance, nr_lower_index(l, 0)));
  if (g->window > 0) ok = both(l, ok, nr_lower_cmpi(l, NR_CMPI_SLT, distance, nr_lower_index(l, g->window)));
  NrType elem = g->q->type->elem;
  return nr_lower_select(l, ok, nr_lower_float(l, elem, 0), nr_lower_float(l, elem, -HUGE_VAL));
}

/* The bias of a key; 0 behind the last, where the cache is longer than all samples. */
static NrValue *bias_body(NrLower *l, NrValue *const *at, void *user) {
  NrDim total = *(const NrDim *)user;
  NrValue *bias = nr_lower_in(l, BIAS), *row[4] = {at[0], at[1], at[2], nr_lower_clamp_index(l, at[3], total)};
  NrValue *x = nr_lower_extract(l, bias, row, 4),
          *inside = nr_lower_cmpi(l, NR_CMPI_ULT, at[3], nr_dim_value(l, total));
  return nr_lower_select(l, inside, x, num(l, x, 0));
}

static NrValue *biased(NrLower *l, const Grouped *g, NrValue *x) {
  NrValue *bias = nr_lower_in(l, BIAS);
  NrShape shape = nr_lower_shape(l, x);
  shape.dims[3] = g->total;
  if (!nr_lower_expect_rank(l, "attention_bias", bias, 4) ||
      !nr_lower_expect_dim(l, "attention_bias", bias, 2, g->queries) ||
      !nr_lower_expect_dim(l, "attention_bias", bias, 3, g->total) ||
      !nr_lower_expect_broadcast(l, "attention_bias", bias, &shape))
    return NULL;
  NrShape wide = nr_lower_shape(l, bias);
  wide.dims[3] = g->room;
  NrDim total = g->total;
  return nr_attention_add(l, x, nr_lower_generate(l, &wide, bias->type->elem, bias_body, &total));
}

/* Weights of which each row has one more element, a score of its head that no value has, or 0. */
static NrValue *softmax_with_sink(NrLower *l, const Grouped *g, NrValue *x) {
  NrValue *sink = nr_lower_in(l, SINK);
  NrShape column = nr_lower_shape(l, x), heads = {1, {column.dims[1]}};
  column.dims[3] = nr_dim(1);
  NrShape by_heads = {4, {nr_dim(1), column.dims[1], nr_dim(1), nr_dim(1)}};
  if (sink && !nr_lower_expect_shape(l, "head_sink", sink, &heads)) return NULL;
  NrValue *last = sink ? nr_lower_broadcast_to(l, nr_lower_reshape(l, sink, &by_heads), &column)
                       : nr_lower_zeros(l, &column, x->type->elem);
  NrValue *y = nr_attention_softmax(l, nr_lower_concat(l, (NrValue *[]){x, last}, 2, 3), true);
  return y ? nr_lower_slice_axis(l, y, 3, nr_dim(0), g->room, nr_dim(1)) : NULL;
}

NrStatus nr_lower_group_query_attention(NrLower *l) {
  Grouped g = {.window = nr_lower_attr_int_or(l, "local_window_size", -1),
               .causal = nr_lower_attr_int_or(l, "causal", 1) != 0};
  double cap = nr_lower_attr_float_or(l, "softcap", 0);
  if (is_refused(l) || !split(l, &g) || !read_lengths(l, &g) || !rotate(l, &g)) return NR_ERROR_INVALID;
  NrShape shape = nr_lower_shape(l, g.k);
  nr_lower_expect_elements(l, "query", g.q, 2, &shape);
  if (!g.causal && g.window > 0) return nr_lower_error(l, "local_window_size needs causal");
  NrValue *k = present(l, &g, 0, g.k), *v = present(l, &g, 1, g.v);
  NrValue *x = nr_attention_scores(l, g.q, k);
  x = nr_attention_capped(l, nr_attention_scaled(l, x, nr_attention_scale(l, "scale", g.q)), cap);
  if (nr_lower_in(l, BIAS) && !(x = biased(l, &g, x))) return NR_ERROR_INVALID;
  NrShape rows = {4, {nr_lower_dim(l, g.q, 0), nr_dim(1), g.queries, g.room}};
  x = nr_attention_add(l, x, nr_lower_generate(l, &rows, x->type->elem, seen_body, &g));
  bool sinks = nr_lower_in(l, SINK) || nr_lower_attr_int_or(l, "smooth_softmax", 0) > 0;
  x = sinks ? softmax_with_sink(l, &g, x) : nr_attention_softmax(l, x, true);
  if (!x) return NR_ERROR_INVALID;
  NR_TRY(nr_lower_out(l, 0, nr_attention_join(l, nr_attention_mix(l, x, v)), nr_lower_dtype(l, 0)));
  NR_TRY(nr_lower_out(l, 1, k, nr_lower_dtype(l, 0)));
  return nr_lower_out(l, 2, v, nr_lower_dtype(l, 0));
}
