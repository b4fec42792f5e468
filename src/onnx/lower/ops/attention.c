/* attention.c - Attention, FlexAttention. */
#include "onnx/lower/ops/attention.h"

#include <math.h>

#include "dialect/onnx/ops.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/reduce.h"

enum { FROM_PRODUCT, FROM_CAP, FROM_BIAS, FROM_SOFTMAX }; /* what output 3 of Attention is */

/* ---- the bias ---- */

static NrValue *mask_body(NrLower *l, NrValue *const *a, void *user) {
  NrType elem = *(NrType *)user;
  return nr_lower_select(l, a[0], nr_lower_float(l, elem, 0), nr_lower_float(l, elem, -HUGE_VAL));
}

/* attn_mask as what is added to scores of this shape, with the same rank. NULL after an error. */
static NrValue *mask_bias(NrLower *l, NrValue *mask, const NrShape *scores, NrType elem) {
  NoriaDType to = nr_lower_dtype(l, 0), from = nr_lower_dtype(l, 3);
  NrValue *bias = from == NORIA_BOOL ? nr_lower_map(l, &mask, 1, elem, mask_body, &elem)
                                     : nr_lower_cast_tensor(l, mask, from, to);
  NrShape s = nr_lower_shape(l, bias), whole = {.rank = scores->rank};
  NrDim total = scores->dims[3];
  if (l->version >= 24 && s.rank > 0 && !nr_dim_same(s.dims[s.rank - 1], total)) {
    if (!nr_lower_fits(l, s.dims[s.rank - 1], total, "attn_mask has %0 entries for %1 keys")) return NULL;
    NrDim offsets[NORIA_MAX_RANK];
    for (size_t i = 0; i < s.rank; i++) offsets[i] = nr_dim(0);
    s.dims[s.rank - 1] = total;
    bias = nr_lower_insert_slice(l, bias, nr_lower_fill(l, &s, nr_lower_float(l, elem, -HUGE_VAL)), offsets);
  }
  if (!nr_lower_expect_broadcast(l, "attn_mask", bias, scores)) return NULL;
  for (size_t i = 0; i < whole.rank; i++)
    whole.dims[i] = i + s.rank < whole.rank ? nr_dim(1) : s.dims[i + s.rank - whole.rank];
  return nr_lower_reshape(l, bias, &whole);
}

static bool window(NrLower *l, const char *name, int64_t *out) {
  *out = l->version >= 25 ? nr_lower_attr_int(l, name) : -1;
  if (*out >= -1) return true;
  nr_lower_error(l, "%s is %lld; it must be -1 or more", name, (long long)*out);
  return false;
}

/* What is added to the scores; *out is NULL when nothing is. past: the number of cached keys. */
static bool bias_of(NrLower *l, const NrShape *scores, NrDim past, NrType elem, NrValue **out) {
  NrVisible v = {.queries = scores->dims[2],
                 .keys = scores->dims[3],
                 .offset = past,
                 .lengths = nr_lower_in(l, 6),
                 .causal = nr_lower_attr_int(l, "is_causal") != 0};
  if (!window(l, "left_window_size", &v.left) || !window(l, "right_window_size", &v.right)) return false;
  if (v.lengths && nr_lower_in(l, 4)) return nr_lower_error(l, "nonpad_kv_seqlen excludes past_key"), false;
  if (v.lengths && (!nr_lower_expect_rank(l, "nonpad_kv_seqlen", v.lengths, 1) ||
                    !nr_lower_expect_dim(l, "nonpad_kv_seqlen", v.lengths, 0, scores->dims[0])))
    return false;
  *out = nr_attention_visible(l, &v, elem, -HUGE_VAL);
  if (!nr_lower_in(l, 3)) return true;
  NrValue *mask = mask_bias(l, nr_lower_in(l, 3), scores, elem);
  *out = mask && *out ? nr_attention_add(l, mask, *out) : mask;
  return *out != NULL;
}

/* args: weight, the greatest bias of its row */
static NrValue *guard_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *none = nr_lower_cmpf(l, NR_CMPF_OEQ, a[1], num(l, a[1], -HUGE_VAL));
  return nr_lower_select(l, none, num(l, a[0], 0), a[0]);
}

/* Zeros for queries that look nowhere, whatever their scores are. */
static NrValue *guarded(NrLower *l, NrValue *weights, NrValue *bias) {
  NrValue *top = nr_lower_max_over(l, nr_lower_widen_tensor(l, bias), 8);
  return nr_lower_map_wide(l, (NrValue *[]){weights, top}, 2, NULL, guard_body, NULL);
}

/* ---- Attention ---- */

/* Input i as [batch, heads, positions, size]. */
static NrValue *heads_of(NrLower *l, size_t i, const char *name, const char *count) {
  NrValue *x = nr_lower_in(l, i);
  size_t rank = nr_rank(nr_lower_in(l, 0));
  if (rank != 3 && rank != 4) return nr_lower_error(l, "Q has rank %zu; it must be 3 or 4", rank), NULL;
  if (!nr_lower_expect_rank(l, name, x, rank)) return NULL;
  bool given = nr_lower_attr(l, count) != NULL;
  int64_t heads = nr_lower_attr_int_or(l, count, 0);
  if (rank == 4 && given && l->version >= 25)
    return nr_lower_error(l, "%s is for tensors of rank 3, and %s has rank 4", count, name), NULL;
  if (rank == 4) return x;
  if (heads < 1) return nr_lower_error(l, "%s is %s; %s has rank 3 and needs the number of heads", count,
                                       given ? "not positive" : "missing", name), NULL;
  return nr_attention_split(l, name, x, nr_dim(heads));
}

/* The cached keys or values, input i, and the new ones behind them. */
static NrValue *with_past(NrLower *l, size_t i, const char *name, NrValue *x) {
  NrValue *past = nr_lower_in(l, i);
  if (!past) return x;
  NrShape want = nr_lower_shape(l, x);
  if (!nr_lower_expect_rank(l, name, past, 4)) return NULL;
  want.dims[2] = nr_lower_dim(l, past, 2);
  if (!nr_lower_expect_shape(l, name, past, &want)) return NULL;
  return nr_lower_concat(l, (NrValue *[]){past, x}, 2, 2);
}

/* The type in which softmax is computed. */
static bool softmax_type(NrLower *l, NoriaDType absent, NoriaDType *out) {
  *out = (NoriaDType)nr_lower_attr_int_or(l, "softmax_precision", absent);
  if (*out == NORIA_F16 || *out == NORIA_BF16 || *out == NORIA_F32 || *out == NORIA_F64) return true;
  nr_lower_error(l, "softmax_precision %d is no type of softmax", (int)*out);
  return false;
}

static NrValue *square_root(NrLower *l, NrValue *x) { return same1(l, NR_OP_math_sqrt, x); }

/* Values may be of another type than the weights; the sums are then computed in the wider one. */
static NrValue *mixed(NrLower *l, NrValue *weights, NoriaDType of_weights, NrValue *v, NoriaDType of_v) {
  bool f64 = of_weights == NORIA_F64 || of_v == NORIA_F64;
  NoriaDType work = of_weights == of_v ? of_v : f64 ? NORIA_F64 : NORIA_F32;
  NrValue *y =
      nr_attention_mix(l, nr_lower_cast_tensor(l, weights, of_weights, work), nr_lower_cast_tensor(l, v, of_v, work));
  return nr_lower_cast_tensor(l, y, work, of_weights);
}

NrStatus nr_lower_attention(NrLower *l) {
  NoriaDType dtype = nr_lower_dtype(l, 0), of_v = nr_lower_dtype(l, 2), work;
  int64_t mode = nr_lower_attr_int(l, "qk_matmul_output_mode");
  double cap = nr_lower_attr_float(l, "softcap");
  if (mode < FROM_PRODUCT || mode > FROM_SOFTMAX)
    return nr_lower_error(l, "qk_matmul_output_mode is %lld; it must be from 0 to 3", (long long)mode);
  if (!nr_lower_in(l, 4) != !nr_lower_in(l, 5)) return nr_lower_error(l, "past_key and past_value belong together");
  if (!softmax_type(l, dtype, &work)) return NR_ERROR_INVALID;
  NrValue *q = heads_of(l, 0, "Q", "q_num_heads"), *k = heads_of(l, 1, "K", "kv_num_heads");
  NrValue *v = heads_of(l, 2, "V", "kv_num_heads"), *bias;
  NrDim past = nr_lower_in(l, 4) && nr_rank(nr_lower_in(l, 4)) == 4 ? nr_lower_dim(l, nr_lower_in(l, 4), 2) : nr_dim(0);
  if (!q || !k || !v || !(k = with_past(l, 4, "past_key", k)) || !(v = with_past(l, 5, "past_value", v)) ||
      !nr_attention_fits(l, q, k, v))
    return NR_ERROR_INVALID;
  NrValue *root = square_root(l, nr_attention_scale(l, "scale", q));
  NrValue *raw = nr_attention_scores(l, nr_attention_scaled(l, q, root), nr_attention_scaled(l, k, root));
  NrShape shape = nr_lower_shape(l, raw);
  if (!bias_of(l, &shape, past, q->type->elem, &bias)) return NR_ERROR_INVALID;
  NrValue *capped = nr_attention_capped(l, raw, cap), *sum = bias ? nr_attention_add(l, capped, bias) : capped;
  if (!sum) return NR_ERROR_INVALID;
  NrValue *weights = nr_attention_softmax(l, nr_lower_cast_tensor(l, sum, dtype, work), true);
  if (bias) weights = guarded(l, weights, bias);
  weights = nr_lower_cast_tensor(l, weights, work, dtype);
  NrValue *y = mixed(l, weights, dtype, v, of_v), *shown[4] = {raw, capped, sum, weights};
  NR_TRY(nr_lower_out(l, 0, nr_rank(nr_lower_in(l, 0)) == 3 ? nr_attention_join(l, y) : y, dtype));
  NR_TRY(nr_lower_out(l, 1, k, nr_lower_dtype(l, 1)));
  NR_TRY(nr_lower_out(l, 2, v, of_v));
  return nr_lower_out(l, 3, shown[mode], dtype);
}

/* ---- FlexAttention ---- */

/* What a graph of the node makes of x; x itself when there is none. NULL after an error. */
static NrValue *modified(NrLower *l, const char *name, NrRegion *graph, NrValue *x, NoriaDType dtype) {
  if (!graph->first) return x;
  NrLowered in = {x, dtype}, out;
  NrShape shape = nr_lower_shape(l, x);
  if (nr_lower_region(l, graph, &in, 1, &out, 1)) return NULL;
  if (!nr_type_is_tensor(out.value->type) || out.dtype != dtype)
    return nr_lower_error(l, "%s gives %s, not %s", name,
                          nr_type_is_tensor(out.value->type) ? nr_dtype_name(out.dtype) : "no tensor",
                          nr_dtype_name(dtype)), NULL;
  if (!nr_lower_expect_shape(l, name, out.value, &shape)) return NULL;
  return nr_lower_tensor_cast(l, out.value, nr_shape_type(l, &shape, out.value->type->elem));
}

NrStatus nr_lower_flex_attention(NrLower *l) {
  NrValue *q = nr_lower_in(l, 0), *k = nr_lower_in(l, 1), *v = nr_lower_in(l, 2);
  NoriaDType dtype = nr_lower_dtype(l, 0), work;
  if (!softmax_type(l, dtype == NORIA_F64 ? NORIA_F64 : NORIA_F32, &work) || !nr_attention_fits(l, q, k, v))
    return NR_ERROR_INVALID;
  NrValue *root = square_root(l, nr_attention_scale(l, "scale", q));
  NrValue *x = nr_attention_scores(l, nr_attention_scaled(l, q, root), nr_attention_scaled(l, k, root));
  x = nr_lower_cast_tensor(l, x, dtype, work);
  if (!(x = modified(l, "score_mod", nr_onnx_preview_flex_attention_score_mod_region(l->op), x, work)))
    return NR_ERROR_INVALID;
  x = nr_attention_softmax(l, x, false);
  if (!x || !(x = modified(l, "prob_mod", nr_onnx_preview_flex_attention_prob_mod_region(l->op), x, work)))
    return NR_ERROR_INVALID;
  NrValue *y = nr_attention_mix(l, x, nr_lower_cast_tensor(l, v, dtype, work));
  return nr_lower_out(l, 0, nr_lower_cast_tensor(l, y, work, dtype), dtype);
}
