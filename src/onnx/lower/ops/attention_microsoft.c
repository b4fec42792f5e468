/* attention_microsoft.c - Attention, QAttention, MultiHeadAttention and RotaryEmbedding of com.microsoft. */
#include <float.h>

#include "onnx/lower/ops/attention.h"
#include "onnx/lower/ops/attention_past.h"
#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/qmatmul.h"
#include "onnx/lower/ops/rotary.h"

/* ---- masks ---- */

typedef struct Mask {
  NrValue *mask, *given;
  NrDim batch;
  NrType elem;
  double low;
} Mask;

static NrValue *mask_body(NrLower *l, NrValue *const *a, void *user) {
  const Mask *m = user;
  NrValue *seen = nr_lower_cmpi(l, NR_CMPI_SGT, a[0], num(l, a[0], 0));
  return nr_lower_select(l, seen, nr_lower_float(l, m->elem, 0), nr_lower_float(l, m->elem, m->low));
}

/* A list of ends of the samples' keys, behind which their starts may stand, or places in packed tensors, which say
 * nothing here. */
static NrValue *ends_body(NrLower *l, NrValue *const *at, void *user) {
  const Mask *m = user;
  NrValue *batch = nr_dim_value(l, m->batch), *zero = nr_lower_index(l, 0), *second = add(l, batch, at[0]);
  NrValue *two = nr_dim_value(l, nr_dim_mul(l, m->batch, nr_dim(2)));
  NrValue *has_starts = nr_lower_cmpi(l, NR_CMPI_EQ, nr_dim_value(l, nr_lower_dim(l, m->mask, 0)), two);
  NrValue *place = nr_lower_select(l, has_starts, second, at[0]);
  NrValue *end = nr_lower_as_index(l, nr_lower_extract(l, m->mask, at, 1));
  NrValue *start = nr_lower_as_index(l, nr_lower_extract(l, m->mask, &place, 1));
  start = nr_lower_select(l, has_starts, start, zero);
  NrValue *seen = both(l, nr_lower_cmpi(l, NR_CMPI_SLT, at[3], end), nr_lower_cmpi(l, NR_CMPI_SGE, at[3], start));
  return nr_lower_select(l, seen, nr_lower_float(l, m->elem, 0), nr_lower_float(l, m->elem, m->low));
}

/* What a mask adds to scores of this shape. NULL after an error. */
static NrValue *mask_bias(NrLower *l, const char *name, NrValue *mask, const NrShape *scores, NrType elem) {
  Mask m = {.mask = mask, .batch = scores->dims[0], .elem = elem};
  m.low = nr_lower_attr_float_or(l, "mask_filter_value", -10000);
  NrShape s = nr_lower_shape(l, mask), whole = {4, {scores->dims[0], nr_dim(1), nr_dim(1), scores->dims[3]}};
  if (s.rank < 1 || s.rank > 3) return nr_lower_error(l, "%s has rank %zu; it must be from 1 to 3", name, s.rank), NULL;
  if (s.rank == 1) {
    NrValue *have = nr_dim_value(l, s.dims[0]), *one = nr_dim_value(l, m.batch);
    NrValue *two = nr_dim_value(l, nr_dim_mul(l, m.batch, nr_dim(2)));
    NrValue *three = nr_dim_value(l, nr_dim_add(l, nr_dim_mul(l, m.batch, nr_dim(3)), nr_dim(2)));
    NrValue *fits = either(l, nr_lower_cmpi(l, NR_CMPI_EQ, have, one), nr_lower_cmpi(l, NR_CMPI_EQ, have, two));
    fits = either(l, fits, nr_lower_cmpi(l, NR_CMPI_EQ, have, three));
    nr_lower_check(l, fits, "the mask has %0 entries, neither %1 nor %2 nor %3",
                   (NrValue *[]){have, one, two, three}, 4);
    return nr_lower_generate(l, &whole, elem, ends_body, &m);
  }
  NrShape want = {s.rank, {whole.dims[0], s.rank == 3 ? scores->dims[2] : whole.dims[3], whole.dims[3]}};
  if (!nr_lower_expect_shape(l, name, mask, &want)) return NULL;
  if (s.rank == 3) whole.dims[2] = scores->dims[2];
  NrValue *bias = nr_lower_map(l, &mask, 1, elem, mask_body, &m);
  return bias ? nr_lower_reshape(l, bias, &whole) : NULL;
}

/* ---- attention by heads ---- */

typedef struct Inputs {
  NrValue *q, *k, *v;   /* [batch, heads, positions, size] */
  NrDim past;           /* of the keys, so many are from before */
  size_t mask, bias;    /* inputs */
  const char *mask_name;
  NoriaDType dtype;
} Inputs;

/* out_scores (may be NULL): what the weights are the softmax of. */
static NrValue *attend(NrLower *l, const Inputs *in, NrValue **out_scores) {
  if (!nr_attention_fits(l, in->q, in->k, in->v)) return NULL;
  NrType elem = in->q->type->elem;
  NrValue *x = nr_attention_scores(l, nr_attention_scaled(l, in->q, nr_attention_scale(l, "scale", in->q)), in->k);
  NrShape shape = nr_lower_shape(l, x);
  NrVisible v = {.queries = shape.dims[2], .keys = shape.dims[3], .offset = in->past, .left = -1, .right = -1,
                 .causal = nr_lower_attr_int(l, "unidirectional") != 0};
  NrValue *seen = nr_attention_visible(l, &v, elem, -FLT_MAX), *bias = nr_lower_in(l, in->bias);
  if (nr_lower_in(l, in->mask)) {
    NrValue *mask = mask_bias(l, in->mask_name, nr_lower_in(l, in->mask), &shape, elem);
    if (!mask || !(x = nr_attention_add(l, x, mask))) return NULL;
  }
  if (seen) x = nr_attention_add(l, x, seen);
  if (bias && (!nr_lower_expect_broadcast(l, "attention_bias", bias, &shape) || !(x = nr_attention_add(l, x, bias))))
    return NULL;
  if (out_scores) *out_scores = x;
  return nr_attention_join(l, nr_attention_mix(l, nr_attention_softmax(l, x, true), in->v));
}

/* Part i of the heads of x, [batch, positions, heads, parts, size], as [batch, heads, positions, size]. */
static NrValue *part_of(NrLower *l, NrValue *x, int64_t i) {
  NrShape s = nr_lower_shape(l, x), one = {4, {s.dims[0], s.dims[1], s.dims[2], s.dims[4]}};
  NrValue *part = nr_lower_slice_axis(l, x, 3, nr_dim(i), nr_dim(1), nr_dim(1));
  return nr_lower_transpose(l, nr_lower_reshape(l, part, &one), (size_t[]){0, 2, 1, 3});
}

/* x plus the part of a bias vector from `from` on; moves from behind it. */
static NrValue *biased(NrLower *l, NrValue *x, NrValue *bias, NrDim *from) {
  NrDim heads = nr_lower_dim(l, x, 1), size = nr_lower_dim(l, x, 3), count = nr_dim_mul(l, heads, size);
  NrValue *part = nr_lower_slice_axis(l, bias, 0, *from, count, nr_dim(1));
  *from = nr_dim_add(l, *from, count);
  return nr_attention_add(l, x, nr_lower_reshape(l, part, &(NrShape){3, {heads, nr_dim(1), size}}));
}

/* The bias has parts for all three, of which `count` are added. */
static bool add_biases(NrLower *l, NrValue *bias, size_t count, Inputs *in) {
  NrDim total = nr_dim(0), from = nr_dim(0);
  NrValue **parts[3] = {&in->q, &in->k, &in->v};
  for (size_t i = 0; i < 3; i++)
    total = nr_dim_add(l, total, nr_dim_mul(l, nr_lower_dim(l, *parts[i], 1), nr_lower_dim(l, *parts[i], 3)));
  if (!nr_lower_expect_shape(l, "bias", bias, &(NrShape){1, {total}})) return false;
  for (size_t i = 0; i < count; i++)
    if (!(*parts[i] = biased(l, *parts[i], bias, &from))) return false;
  return true;
}

static bool heads_attr(NrLower *l, NrDim *out) {
  int64_t heads = nr_lower_attr_int_or(l, "num_heads", 0);
  *out = nr_dim(heads);
  if (heads < 1) nr_lower_error(l, "num_heads is %lld; it must be positive", (long long)heads);
  return heads >= 1;
}

/* ---- MultiHeadAttention ---- */

/* Queries, keys and values from the forms in which they may be packed. */
static bool unpack(NrLower *l, NrDim heads, Inputs *in) {
  NrValue *x[3] = {nr_lower_in(l, 0), nr_lower_in(l, 1), nr_lower_in(l, 2)};
  size_t packed = nr_rank(x[0]) == 5 ? 0 : x[1] && nr_rank(x[1]) == 5 ? 1 : 3;
  NrValue **parts[3] = {&in->q, &in->k, &in->v};
  static const char *const names[3] = {"query", "key", "value"};
  for (size_t i = packed + 1; i < 3; i++)
    if (x[i]) return nr_lower_error(l, "%s excludes %s: it is packed", names[packed], names[i]), false;
  if (packed < 3 && (!nr_lower_expect_dim(l, names[packed], x[packed], 2, heads) ||
                     !nr_lower_expect_dim(l, names[packed], x[packed], 3, nr_dim(3 - (int64_t)packed))))
    return false;
  for (size_t i = 0; i < 3; i++) {
    if (i >= packed) *parts[i] = part_of(l, x[packed], (int64_t)(i - packed));
    else if (!x[i]) return nr_lower_error(l, "%s is missing", names[i]), false;
    else if (i > 0 && nr_rank(x[i]) == 4) *parts[i] = x[i];
    else if (!(*parts[i] = nr_attention_split(l, names[i], x[i], heads))) return false;
  }
  return true;
}

/* Puts the past before keys and values. present: what the caches hold after that. */
static bool add_past(NrLower *l, Inputs *in, NrValue *present[2]) {
  static const char *const names[2] = {"past_key", "past_value"};
  NrValue *past[2] = {nr_lower_in(l, 6), nr_lower_in(l, 7)}, *shared = nr_lower_in(l, 8), *beams = nr_lower_in(l, 9);
  NrValue **x[2] = {&in->k, &in->v};
  if (!past[0] != !past[1]) return nr_lower_error(l, "past_key and past_value belong together"), false;
  if (shared && !past[0]) return nr_lower_error(l, "past_sequence_length needs past_key and past_value"), false;
  if (beams && !shared) return nr_lower_error(l, "cache_indirection needs past_sequence_length"), false;
  if (shared && !nr_attention_past_length(l, 8, &in->past)) return false;
  for (size_t i = 0; i < 2 && past[0]; i++) {
    if (shared ? !nr_attention_write_behind(l, names[i], past[i], in->past, x[i], &present[i])
               : !(present[i] = *x[i] = nr_attention_behind(l, names[i], past[i], *x[i])))
      return false;
    NrDim room = nr_lower_dim(l, past[i], 2);
    if (beams && !(*x[i] = nr_attention_redirect(l, *x[i], beams, in->past, room))) return false;
  }
  if (past[0] && !shared) in->past = nr_lower_dim(l, past[0], 2);
  if (!past[0]) present[0] = in->k, present[1] = in->v;
  return true;
}

NrStatus nr_lower_multi_head_attention(NrLower *l) {
  Inputs in = {.past = nr_dim(0), .mask = 4, .bias = 5, .mask_name = "key_padding_mask", .dtype = nr_lower_dtype(l, 0)};
  NrDim heads;
  NrValue *bias = nr_lower_in(l, 3), *present[2], *scores = NULL;
  if (!heads_attr(l, &heads) || !unpack(l, heads, &in)) return NR_ERROR_INVALID;
  /* Keys that come by heads have their bias already. */
  bool by_heads = nr_lower_in(l, 1) && nr_rank(nr_lower_in(l, 1)) == 4;
  if (bias && !add_biases(l, bias, by_heads ? 1 : 3, &in)) return NR_ERROR_INVALID;
  if (!add_past(l, &in, present)) return NR_ERROR_INVALID;
  NR_TRY(nr_lower_out(l, 0, attend(l, &in, &scores), in.dtype));
  for (size_t i = 0; i < 2; i++) NR_TRY(nr_lower_out(l, 1 + i, present[i], in.dtype));
  return nr_lower_out(l, 3, scores, in.dtype);
}

/* ---- Attention ---- */

/* The sizes of queries, keys and values, of `total` together. */
static bool hidden_sizes(NrLower *l, NrDim total, NrDim out[3]) {
  const int64_t *sizes;
  size_t count;
  NrDim sum = nr_dim(0);
  bool given = nr_lower_takes_attr(l, "qkv_hidden_sizes") && nr_lower_attr_ints(l, "qkv_hidden_sizes", &sizes, &count);
  if (given && count != 3) return nr_lower_error(l, "qkv_hidden_sizes has %zu entries, not 3", count), false;
  for (size_t i = 0; i < 3; i++) {
    if (given && (sizes[i] < 0 || sizes[i] > INT32_MAX))
      return nr_lower_error(l, "qkv_hidden_sizes has the entry %lld", (long long)sizes[i]), false;
    out[i] = given ? nr_dim(sizes[i]) : nr_dim_div(l, total, nr_dim(3));
    sum = nr_dim_add(l, sum, out[i]);
  }
  return nr_lower_dims_agree(l, total, sum, "columns of weights, and the sizes of queries, keys and values");
}

static bool are_factors(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0), *w = nr_lower_in(l, 1);
  return nr_lower_expect_rank(l, "input", x, 3) && nr_lower_expect_rank(l, "weights", w, 2) &&
         nr_lower_expect_dim(l, "weights", w, 0, nr_lower_dim(l, x, 2));
}

/* input * weights */
static NrValue *project(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0), *w = nr_lower_in(l, 1);
  NrShape shape = nr_lower_shape(l, x);
  NrType elem = x->type->elem;
  shape.dims[2] = nr_lower_dim(l, w, 1);
  NrValue *init = nr_lower_zeros(l, &shape, nr_lower_wide_type(elem));
  return nr_lower_narrow_tensor(l, nr_lower_sum_products(l, x, "bsd", w, "dn", "bsn", init), elem);
}

/* Cuts a product into queries, keys and values. */
static bool cut(NrLower *l, NrValue *y, NrDim heads, Inputs *in) {
  NrValue **parts[3] = {&in->q, &in->k, &in->v};
  static const char *const names[3] = {"the queries", "the keys", "the values"};
  NrDim sizes[3], from = nr_dim(0), total = nr_lower_dim(l, y, 2);
  if (!hidden_sizes(l, total, sizes)) return false;
  for (size_t i = 0; i < 3; i++) {
    NrValue *part = nr_lower_slice_axis(l, y, 2, from, sizes[i], nr_dim(1));
    from = nr_dim_add(l, from, sizes[i]);
    if (!(*parts[i] = nr_attention_split(l, names[i], part, heads))) return false;
  }
  return true;
}

/* Half i of a cache of keys and values, [2, batch, heads, positions, size]. */
static NrValue *half_of(NrLower *l, NrValue *past, int64_t i) {
  NrShape s = nr_lower_shape(l, past), one = {4, {s.dims[1], s.dims[2], s.dims[3], s.dims[4]}};
  return nr_lower_reshape(l, nr_lower_slice_axis(l, past, 0, nr_dim(i), nr_dim(1), nr_dim(1)), &one);
}

static NrValue *stacked(NrLower *l, NrValue *k, NrValue *v) {
  NrValue *both_of[2] = {k, v};
  for (size_t i = 0; i < 2; i++) {
    NrShape s = nr_lower_shape(l, both_of[i]), row = {5, {nr_dim(1), s.dims[0], s.dims[1], s.dims[2], s.dims[3]}};
    both_of[i] = nr_lower_reshape(l, both_of[i], &row);
  }
  return nr_lower_concat(l, both_of, 2, 0);
}

/* Neither op has an input for the angles, and their documents do not say which they are. */
static bool is_rotated(NrLower *l) {
  if (!nr_lower_attr_int_or(l, "do_rotary", 0)) return false;
  return nr_lower_error(l, "do_rotary cannot be compiled: the op's document leaves the angles open"), true;
}

/* Puts the past before keys and values. length: the input that says how much of a shared cache is in use. present: what
 * the cache holds after that. */
static bool add_stacked_past(NrLower *l, NrValue *past, size_t length, Inputs *in, NrValue *present[2]) {
  bool shared = nr_lower_attr_int_or(l, "past_present_share_buffer", 0) != 0;
  NrValue **x[2] = {&in->k, &in->v};
  if (shared && length == NR_NO_INPUT)
    return nr_lower_error(l, "past_present_share_buffer cannot be compiled: no input says how much of it is in use"),
           false;
  if (shared && (!past || !nr_lower_in(l, length)))
    return nr_lower_error(l, "past_present_share_buffer needs past and past_sequence_length"), false;
  if (shared && !nr_attention_past_length(l, length, &in->past)) return false;
  if (past && (!nr_lower_expect_rank(l, "past", past, 5) || !nr_lower_expect_dim(l, "past", past, 0, nr_dim(2))))
    return false;
  for (size_t i = 0; i < 2; i++) {
    NrValue *half = past ? half_of(l, past, (int64_t)i) : NULL;
    if (shared ? !nr_attention_write_behind(l, "past", half, in->past, x[i], &present[i])
               : past && !(*x[i] = nr_attention_behind(l, "past", half, *x[i])))
      return false;
    if (!shared) present[i] = *x[i];
  }
  if (past && !shared) in->past = nr_lower_dim(l, past, 3);
  return true;
}

/* Attention of the parts of a product, with a bias for it. length: an input, see add_stacked_past. */
static NrStatus self_attention(NrLower *l, NrValue *product, NrValue *bias, NrValue *past, size_t length, Inputs in) {
  NrDim heads;
  NrValue *present[2];
  if (!product || !heads_attr(l, &heads) || !cut(l, product, heads, &in) || (bias && !add_biases(l, bias, 3, &in)) ||
      !add_stacked_past(l, past, length, &in, present))
    return NR_ERROR_INVALID;
  NR_TRY(nr_lower_out(l, 0, attend(l, &in, NULL), in.dtype));
  if (!nr_lower_wants(l, 1)) return NR_OK;
  if (!nr_lower_dims_agree(l, nr_lower_dim(l, in.k, 3), nr_lower_dim(l, in.v, 3), "sizes of keys and of values"))
    return NR_ERROR_INVALID;
  return nr_lower_out(l, 1, stacked(l, present[0], present[1]), in.dtype);
}

NrStatus nr_lower_microsoft_attention(NrLower *l) {
  Inputs in = {.past = nr_dim(0), .mask = 3, .bias = 5, .mask_name = "mask_index", .dtype = nr_lower_dtype(l, 0)};
  if (is_rotated(l) || !are_factors(l)) return NR_ERROR_INVALID;
  return self_attention(l, project(l), nr_lower_in(l, 2), nr_lower_in(l, 4), 6, in);
}

/* A parameter of a whole tensor. */
static bool is_one(NrLower *l, const char *name, size_t i) {
  NrValue *x = nr_lower_in(l, i);
  return !x || nr_rank(x) == 0 || nr_lower_expect_shape(l, name, x, &(NrShape){1, {nr_dim(1)}});
}

NrStatus nr_lower_qattention(NrLower *l) {
  Inputs in = {.past = nr_dim(0), .mask = 5, .bias = NR_NO_INPUT, .mask_name = "mask_index",
               .dtype = nr_lower_dtype(l, 3)};
  NrScaledMatMul product = {.a = 0, .b = 1, .a_scale = 3, .b_scale = 4, .a_zero = 6, .b_zero = 7, .bias = NR_NO_INPUT};
  if (is_rotated(l) || !are_factors(l) || !is_one(l, "input_scale", 3) || !is_one(l, "input_zero_point", 6))
    return NR_ERROR_INVALID;
  NrValue *projected = nr_lower_scaled_matmul(l, &product);
  return self_attention(l, projected, nr_lower_in(l, 2), nr_lower_in(l, 8), NR_NO_INPUT, in);
}

/* ---- RotaryEmbedding ---- */

/* Attribute is_packed_batching says that rows of several samples follow each other, so that there may be more of them
 * than positions. It changes nothing here: each row has its position. */
NrStatus nr_lower_microsoft_rotary_embedding(NrLower *l) {
  NrRotary r = {.positions = nr_lower_in(l, 1), .cos = nr_lower_in(l, 2), .sin = nr_lower_in(l, 3),
                .interleaved = nr_lower_attr_int_or(l, "interleaved", 0) != 0};
  int64_t heads = nr_lower_attr_int_or(l, "num_heads", 0), rotated = nr_lower_attr_int_or(l, "rotary_embedding_dim", 0);
  if (nr_rank(r.positions) != 1 && nr_rank(r.positions) != 2)
    return nr_lower_error(l, "position_ids has rank %u; it must be 1 or 2", nr_rank(r.positions));
  if (rotated > 0 && heads < 1) return nr_lower_error(l, "rotary_embedding_dim needs num_heads");
  if (!nr_lower_expect_rank(l, "cos_cache", r.cos, 2)) return NR_ERROR_INVALID;
  NrDim count = nr_dim(heads);
  if (heads < 1 && nr_rank(nr_lower_in(l, 0)) == 3) { /* rows are as long as the cache says */
    NrDim size = nr_dim_mul(l, nr_lower_dim(l, r.cos, 1), nr_dim(2));
    if (nr_dim_is(size, 0)) return nr_lower_error(l, "dim 1 of cos_cache is 0");
    nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_NE, nr_dim_value(l, size), nr_lower_index(l, 0)),
                   "dim 1 of cos_cache is 0", NULL, 0);
    count = nr_dim_div(l, nr_lower_dim(l, nr_lower_in(l, 0), 2), size);
    if (nr_dim_is(count, 0)) return nr_lower_error(l, "a row of the input is shorter than one of the caches");
    nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_NE, nr_dim_value(l, count), nr_lower_index(l, 0)),
                   "a row of the input is shorter than one of the caches", NULL, 0);
  }
  return nr_lower_rotary_of(l, count, rotated, r);
}
