/* attention_cache.c - see attention_grouped.h. */
#include "onnx/lower/ops/attention_grouped.h"

#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/quantize.h"
#include "onnx/lower/ops/resample.h"

static const char *const past_names[] = {"past_key", "past_value"}, *const scale_names[] = {"k_scale", "v_scale"};

/* ---- inputs ---- */

/* Whether keys (i = 0) or values are quantised. False after an error. */
static bool read_kind(NrLower *l, size_t i, bool *out) {
  static const char *const attrs[] = {"k_quant_type", "v_quant_type"};
  NrAttr kind = nr_lower_attr(l, attrs[i]);
  NrStr name = kind ? kind->s : NR_STR("NONE");
  *out = !nr_str_is(name, "NONE");
  if (!*out || nr_str_is(name, "PER_TENSOR") || nr_str_is(name, "PER_CHANNEL")) return true;
  return nr_lower_error(l, "%s is '%.*s'", attrs[i], NR_STR_ARG(name)), false;
}

/* Values of 8 bits are floats where the past says so, else integers. */
static NoriaDType stored_type(NrLower *l, int64_t bits) {
  if (bits == 4) return NORIA_U8;
  if (bits != 8) return nr_lower_dtype(l, NR_GQA_QUERY);
  NrValue *past = nr_lower_in(l, NR_GQA_PAST_KEY);
  return past && nr_lower_dtype(l, NR_GQA_PAST_KEY) == NORIA_F8E4M3FN ? NORIA_F8E4M3FN : NORIA_I8;
}

static bool read_quantisation(NrLower *l, NrGrouped *g) {
  bool keys, values;
  g->bits = nr_lower_attr_int_or(l, "kv_cache_bit_width", 0);
  if (!read_kind(l, 0, &keys) || !read_kind(l, 1, &values)) return false;
  if (keys != values) return nr_lower_error(l, "keys and values must both be quantised, or neither"), false;
  if (keys ? g->bits != 4 && g->bits != 8 : g->bits != 0) {
    nr_lower_error(l, "kv_cache_bit_width is %lld; it must be %s", (long long)g->bits,
                   keys ? "4 or 8" : "0 where nothing is quantised");
    return false;
  }
  g->stored = stored_type(l, g->bits);
  for (size_t i = 0; i < 2; i++) {
    NoriaDType have = nr_lower_dtype(l, NR_GQA_PAST_KEY + i);
    if (nr_lower_in(l, NR_GQA_PAST_KEY + i) && have != g->stored) {
      nr_lower_error(l, "%s is %s, not %s", past_names[i], nr_dtype_name(have), nr_dtype_name(g->stored));
      return false;
    }
    NrValue *scale = nr_lower_in(l, NR_GQA_KEY_SCALE + i);
    NrShape shape = nr_lower_shape(l, g->k);
    shape.dims[2] = nr_dim(1);
    if (!g->bits) continue;
    if (!scale) return nr_lower_error(l, "%s is missing", scale_names[i]), false;
    if (nr_lower_dtype(l, NR_GQA_KEY_SCALE + i) != NORIA_F32)
      return nr_lower_error(l, "%s is not float32", scale_names[i]), false;
    if (!nr_lower_expect_broadcast(l, scale_names[i], scale, &shape)) return false;
  }
  return true;
}

/* The rows of the cache, where a sliding one must hold a whole window. */
static bool read_sliding(NrLower *l, NrGrouped *g) {
  if (!g->slides) return true;
  if (!g->past[0]) return nr_lower_error(l, "sliding_window_cache needs past_key and past_value"), false;
  if (g->window < 1) return nr_lower_error(l, "sliding_window_cache needs local_window_size"), false;
  return nr_lower_fits(l, nr_dim(g->window), g->capacity,
                       "local_window_size is %0, more than the %1 rows of the cache");
}

static NrValue *begin_body(NrLower *l, NrValue *const *at, void *user) {
  const NrGrouped *g = user;
  NrValue *last = nr_grouped_last(l, at[0]);
  NrValue *queries = nr_dim_value(l, g->queries), *total = nr_dim_value(l, g->total), *zero = nr_lower_index(l, 0);
  NrValue *length = add(l, last, nr_lower_index(l, 1)), *is_first = nr_lower_cmpi(l, NR_CMPI_EQ, queries, total);
  NrValue *begin = nr_lower_select(l, is_first, zero, sub(l, length, queries));
  NrValue *inside = both(l, nr_lower_cmpi(l, NR_CMPI_SGE, last, zero), nr_lower_cmpi(l, NR_CMPI_SLE, length, total));
  nr_lower_check(l, inside, "seqlens_k is %0, but total_sequence_length %1", (NrValue *[]){last, total}, 2);
  NrValue *capacity = nr_dim_value(l, g->capacity), *fits = nr_lower_cmpi(l, NR_CMPI_SGE, begin, zero);
  if (!g->slides) fits = both(l, fits, nr_lower_cmpi(l, NR_CMPI_SLE, begin, capacity));
  nr_lower_check(l, fits, "%0 keys are past, of a cache of %1", (NrValue *[]){begin, capacity}, 2);
  return nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), begin);
}

bool nr_grouped_read_cache(NrLower *l, NrGrouped *g) {
  NrDim batch = nr_lower_dim(l, g->q, 0), size = nr_lower_dim(l, g->k, 3);
  if (!read_quantisation(l, g)) return false;
  if (g->bits == 4 && !nr_lower_dims_agree(l, size, nr_dim_mul(l, nr_dim(2), nr_dim_div(l, size, nr_dim(2))),
                                           "elements of a key, and an even number"))
    return false;
  for (size_t i = 0; i < 2; i++) {
    g->past[i] = nr_lower_in(l, NR_GQA_PAST_KEY + i);
    if (!g->past[i]) continue;
    NrShape want = nr_lower_shape(l, g->k);
    if (!nr_lower_expect_rank(l, past_names[i], g->past[i], 4)) return false;
    want.dims[2] = nr_lower_dim(l, g->past[0] ? g->past[0] : g->past[i], 2);
    if (g->bits == 4) want.dims[3] = nr_dim_div(l, size, nr_dim(2));
    if (!nr_lower_expect_shape(l, past_names[i], g->past[i], &want)) return false;
  }
  if (!g->past[0] != !g->past[1]) return nr_lower_error(l, "past_key and past_value belong together"), false;
  NrValue *total = nr_lower_in(l, NR_GQA_TOTAL), *zero = nr_lower_index(l, 0);
  if (!nr_lower_expect_shape(l, "seqlens_k", nr_lower_in(l, NR_GQA_LENGTHS), &(NrShape){1, {batch}}) ||
      (nr_rank(total) && !nr_lower_expect_shape(l, "total_sequence_length", total, &(NrShape){1, {nr_dim(1)}})))
    return false;
  g->total = nr_dim_of_index(nr_lower_as_index(l, nr_lower_extract(l, total, &zero, nr_rank(total))));
  if (!nr_lower_fits(l, g->queries, g->total, "%0 queries are more than total_sequence_length, %1")) return false;
  g->capacity = g->past[0] ? nr_lower_dim(l, g->past[0], 2) : nr_dim(0);
  if (!read_sliding(l, g)) return false;
  g->room = g->slides ? g->capacity : nr_dim_max(l, g->capacity, g->total);
  g->rows = g->slides ? nr_dim_add(l, g->capacity, g->queries) : g->room;
  g->begins = nr_lower_generate(l, &(NrShape){1, {batch}}, nr_type_i64(l->ctx), begin_body, g);
  return g->begins != NULL;
}

/* ---- positions ---- */

NrValue *nr_grouped_begin(NrLower *l, const NrGrouped *g, NrValue *batch) {
  return nr_lower_as_index(l, nr_lower_extract(l, g->begins, &batch, 1));
}

NrValue *nr_grouped_last(NrLower *l, NrValue *batch) {
  return nr_lower_as_index(l, nr_lower_extract(l, nr_lower_in(l, NR_GQA_LENGTHS), &batch, 1));
}

/* How many keys have left the cache after `keys`. */
static NrValue *dropped(NrLower *l, const NrGrouped *g, NrValue *keys) {
  if (!g->slides) return nr_lower_index(l, 0);
  NrDim step = nr_dim_max(l, nr_dim_sub(l, g->capacity, nr_dim(g->window - 1)), nr_dim(1));
  NrValue *by = nr_dim_value(l, step), *over = sub(l, add(l, keys, by), nr_dim_value(l, g->capacity));
  over = same2(l, NR_OP_arith_maxsi, sub(l, over, nr_lower_index(l, 1)), nr_lower_index(l, 0));
  return mul(l, same2(l, NR_OP_arith_divui, over, by), by);
}

/* Rows of a sliding cache come before those of the new keys: what leaves the cache is still looked at. */
NrValue *nr_grouped_position(NrLower *l, const NrGrouped *g, NrValue *batch, NrValue *row, NrValue **out_is_key) {
  NrValue *last = nr_grouped_last(l, batch);
  if (!g->slides) return *out_is_key = nr_lower_cmpi(l, NR_CMPI_SLE, row, last), row;
  NrValue *begin = nr_grouped_begin(l, g, batch), *capacity = nr_dim_value(l, g->capacity);
  NrValue *is_past = nr_lower_cmpi(l, NR_CMPI_SLT, row, capacity);
  NrValue *past = add(l, row, dropped(l, g, begin)), *added = add(l, begin, sub(l, row, capacity));
  *out_is_key = nr_lower_select(l, is_past, nr_lower_cmpi(l, NR_CMPI_SLT, past, begin),
                                nr_lower_cmpi(l, NR_CMPI_SLE, added, last));
  return nr_lower_select(l, is_past, past, added);
}

/* ---- quantised values ---- */

static NrValue *quantise_body(NrLower *l, NrValue *const *a, void *user) {
  const NrGrouped *g = user;
  NrType i8 = nr_type_int(l->ctx, 8), u4 = nr_lower_elem_type(l->ctx, NORIA_U4);
  NrValue *scaled = divf(l, nr_lower_widen(l, a[0]), a[1]);
  if (g->bits == 8) return nr_quantized(l, scaled, NULL, g->stored, true);
  return nr_lower_op1(l, NR_OP_arith_extui, i8, nr_quantized(l, scaled, nr_lower_int(l, u4, 8), NORIA_U4, true));
}

/* Byte (.., i) of values 2 * i, in the low bits, and 2 * i + 1. */
static NrValue *pack_body(NrLower *l, NrValue *const *at, void *user) {
  NrValue *x = user, *two = nr_lower_index(l, 2), *low = mul(l, at[3], two);
  NrValue *first = nr_lower_extract(l, x, (NrValue *[]){at[0], at[1], at[2], low}, 4);
  NrValue *second = nr_lower_extract(l, x, (NrValue *[]){at[0], at[1], at[2], add(l, low, nr_lower_index(l, 1))}, 4);
  return either(l, first, same2(l, NR_OP_arith_shli, second, num(l, second, 4)));
}

static NrValue *unpack_body(NrLower *l, NrValue *const *at, void *user) {
  NrValue *x = nr_lower_packed_value(l, user, at, at[3], 4);
  return nr_lower_op1(l, NR_OP_arith_trunci, nr_type_int(l->ctx, 8), sub(l, x, num(l, x, 8)));
}

static NrValue *quantise(NrLower *l, const NrGrouped *g, NrValue *x, NrValue *scale) {
  NrType elem = nr_lower_elem_type(l->ctx, g->stored);
  x = nr_lower_map(l, (NrValue *[]){x, scale}, 2, elem, quantise_body, (void *)g);
  if (g->bits == 8 || !x) return x;
  NrShape shape = nr_lower_shape(l, x);
  shape.dims[3] = nr_dim_div(l, shape.dims[3], nr_dim(2));
  return nr_lower_generate(l, &shape, elem, pack_body, x);
}

static NrValue *dequantise_body(NrLower *l, NrValue *const *a, void *user) {
  const NrGrouped *g = user;
  NrValue *x = nr_dequantized(l, a[0], a[1], NULL, g->bits == 4 ? NORIA_I8 : g->stored);
  return nr_lower_narrow(l, x, g->k->type->elem);
}

static NrValue *dequantise(NrLower *l, const NrGrouped *g, NrValue *x, NrValue *scale) {
  NrShape shape = nr_lower_shape(l, x);
  shape.dims[3] = nr_lower_dim(l, g->k, 3);
  if (g->bits == 4) x = nr_lower_generate(l, &shape, nr_type_int(l->ctx, 8), unpack_body, x);
  return nr_lower_map(l, (NrValue *[]){x, scale}, 2, g->k->type->elem, dequantise_body, (void *)g);
}

/* ---- rows ---- */

typedef struct Cache {
  const NrGrouped *g;
  NrValue *past, *added; /* past: as long as the cache will be; NULL: none */
} Cache;

/* at: batch, head, row, element. What is behind the sample's keys is 0. */
static NrValue *present_body(NrLower *l, NrValue *const *at, void *user) {
  const Cache *c = user;
  const NrGrouped *g = c->g;
  NrValue *begin = nr_grouped_begin(l, g, at[0]);
  NrValue *keys = add(l, nr_grouped_last(l, at[0]), nr_lower_index(l, 1));
  NrValue *position = add(l, at[2], dropped(l, g, keys)), *place = sub(l, position, begin);
  NrValue *is_past = nr_lower_cmpi(l, NR_CMPI_SLT, position, begin);
  NrValue *is_new = both(l, nr_lower_cmpi(l, NR_CMPI_SGE, place, nr_lower_index(l, 0)),
                         nr_lower_cmpi(l, NR_CMPI_SLT, place, nr_dim_value(l, g->queries)));
  NrValue *row[4] = {at[0], at[1], nr_lower_clamp_index(l, place, g->queries), at[3]};
  NrValue *x = nr_lower_extract(l, c->added, row, 4);
  x = nr_lower_select(l, is_new, x, num(l, x, 0));
  if (!c->past) return x;
  row[2] = at[2];
  if (g->slides) row[2] = nr_lower_clamp_index(l, sub(l, position, dropped(l, g, begin)), g->room);
  return nr_lower_select(l, is_past, nr_lower_extract(l, c->past, row, 4), x);
}

static NrValue *present(NrLower *l, const NrGrouped *g, size_t i, NrValue *added) {
  Cache c = {g, NULL, added};
  NrShape shape = nr_lower_shape(l, added);
  const NrDim zeros[4] = {nr_dim(0), nr_dim(0), nr_dim(0), nr_dim(0)};
  shape.dims[2] = g->room;
  nr_lower_expect_elements(l, i ? "value" : "key", added, 2, &shape);
  if (g->past[i]) c.past = nr_lower_insert_slice(l, g->past[i], nr_lower_zeros(l, &shape, added->type->elem), zeros);
  return nr_lower_generate(l, &shape, added->type->elem, present_body, &c);
}

bool nr_grouped_cache(NrLower *l, const NrGrouped *g, size_t i, NrValue **out_rows, NrValue **out_present) {
  NrValue *added = i ? g->v : g->k, *scale = nr_lower_in(l, NR_GQA_KEY_SCALE + i);
  if (g->bits && !(added = quantise(l, g, added, scale))) return false;
  *out_present = present(l, g, i, added);
  *out_rows = g->slides ? nr_lower_concat(l, (NrValue *[]){g->past[i], added}, 2, 2) : *out_present;
  if (g->bits) *out_rows = dequantise(l, g, *out_rows, scale);
  return *out_rows != NULL;
}
