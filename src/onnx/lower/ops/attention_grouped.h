/* attention_grouped.h - the cache of GroupQueryAttention; for src/onnx/lower/ops only.
 *
 * A sample has T = seqlens_k + 1 keys, of which the new ones are the last. A cache that does not slide holds the key of
 * position p in row p. A sliding one, of C rows for a window of W keys, drops keys G = C - W + 1 at a time when it is
 * full: after T keys, row i holds that of position dropped(T) + i, dropped(T) = G * ceil((T - C) / G), at least 0. */
#ifndef NORIA_ONNX_LOWER_OPS_ATTENTION_GROUPED_H
#define NORIA_ONNX_LOWER_OPS_ATTENTION_GROUPED_H

#include "onnx/lower/core/body.h"

enum { /* inputs */
  NR_GQA_QUERY, NR_GQA_KEY, NR_GQA_VALUE, NR_GQA_PAST_KEY, NR_GQA_PAST_VALUE, NR_GQA_LENGTHS, NR_GQA_TOTAL, NR_GQA_COS,
  NR_GQA_SIN, NR_GQA_POSITIONS, NR_GQA_BIAS, NR_GQA_SINK, NR_GQA_KEY_SCALE, NR_GQA_VALUE_SCALE, NR_GQA_QUERY_NORM,
  NR_GQA_KEY_NORM
};

typedef struct NrGrouped {
  NrValue *q, *k, *v;   /* [batch, heads, queries, size]: the new ones */
  NrValue *past[2];     /* NULL: none */
  NrValue *begins;      /* [batch] i64: the position of the first query */
  NrDim queries, total; /* total: the most keys of a sample */
  NrDim capacity, room; /* rows of the cache before and after */
  NrDim rows;           /* rows of keys that the queries look at */
  int64_t window;       /* below 1: none */
  int64_t bits;         /* of a quantised value of the cache; 0: it is not quantised */
  NoriaDType stored;    /* the cache's type */
  bool causal, slides;
} NrGrouped;

/* Reads the inputs and attributes of the cache, and checks them. g has q, k, v, queries, window. */
bool nr_grouped_read_cache(NrLower *l, NrGrouped *g);
/* The position of a sample's first query, as an index. */
NrValue *nr_grouped_begin(NrLower *l, const NrGrouped *g, NrValue *batch);
/* The last position of a sample. */
NrValue *nr_grouped_last(NrLower *l, NrValue *batch);
/* The position of the key in a row, and whether there is one. */
NrValue *nr_grouped_position(NrLower *l, const NrGrouped *g, NrValue *batch, NrValue *row, NrValue **out_is_key);
/* Of keys (i = 0) or values (1): all rows that the queries look at, and the cache afterwards with its type. False after
 * an error. */
bool nr_grouped_cache(NrLower *l, const NrGrouped *g, size_t i, NrValue **out_rows, NrValue **out_present);

#endif
