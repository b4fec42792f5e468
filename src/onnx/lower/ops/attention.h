/* attention.h - scaled dot-product attention in parts, for the ops that have it in them.
 *
 * Tensors are [batch, heads, positions, size]. Keys and values may have fewer heads than queries: a head of theirs then
 * serves as many consecutive heads of the queries. Each part rounds its result to the type of its input. */
#ifndef NORIA_ONNX_LOWER_OPS_ATTENTION_H
#define NORIA_ONNX_LOWER_OPS_ATTENTION_H

#include "onnx/lower/core/body.h"

/* [batch, positions, heads * size] -> [batch, heads, positions, size]. NULL after an error. */
NrValue *nr_attention_split(NrLower *l, const char *name, NrValue *x, NrDim heads);
NrValue *nr_attention_join(NrLower *l, NrValue *x); /* back */

/* Whether q, k and v fit each other; errors name them so. */
bool nr_attention_fits(NrLower *l, NrValue *q, NrValue *k, NrValue *v);
/* Attribute attr, or 1 / sqrt(size) when it is absent (or NULL), as f64. */
NrValue *nr_attention_scale(NrLower *l, const char *attr, NrValue *q);
/* x * factor, an f64 that is rounded to x's type before. */
NrValue *nr_attention_scaled(NrLower *l, NrValue *x, NrValue *factor);
/* The products of queries and keys: [batch, heads of q, positions of q, positions of k]. */
NrValue *nr_attention_scores(NrLower *l, NrValue *q, NrValue *k);
/* cap * tanh(x / cap), or x when cap is 0. */
NrValue *nr_attention_capped(NrLower *l, NrValue *x, double cap);
/* Softmax over the last dim. zeros: a row of -inf only gives zeros, not NaN. */
NrValue *nr_attention_softmax(NrLower *l, NrValue *scores, bool zeros);
/* Sums of the values, weighted; of the weights' type. */
NrValue *nr_attention_mix(NrLower *l, NrValue *weights, NrValue *v);

/* Where a query may look, by its position and that of the key. */
typedef struct NrVisible {
  NrDim queries, keys;
  NrDim offset;       /* position of the first query */
  NrValue *lengths;   /* [batch] integers: keys from there on are padding; queries end there too. NULL: none */
  bool causal;        /* no key behind the query */
  int64_t left, right; /* so many keys before and behind the query; below 0: any number */
} NrVisible;
/* 0 where a query may look, else low: [batch or 1, 1, queries, keys]. NULL when it may look everywhere. */
NrValue *nr_attention_visible(NrLower *l, const NrVisible *v, NrType elem, double low);

/* a + b; a has the larger shape. */
NrValue *nr_attention_add(NrLower *l, NrValue *a, NrValue *b);

#endif
