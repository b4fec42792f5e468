/* tfidf.c - TfIdfVectorizer by the kernel lib/tfidf.mlir, and com.microsoft NGramRepeatBlock. */
#include "onnx/lower/core/kernel.h"
#include "onnx/lower/core/state.h"
#include "onnx/lower/ops/sequence.h"
#include "onnx/lower/ops/string.h"

#include <stdlib.h>

/* ---- the n-grams of the attributes ------------------------------------------------------------------------------- */

typedef struct Gram {
  const int64_t *items;
  size_t length;
  int64_t number;
} Gram;

typedef struct Pool {
  int64_t *items; /* of strings: their places in the list of all that differ */
  size_t size;
  NrValue *words; /* that list, in order; NULL for integers */
  Gram *grams;    /* those of a wanted length */
  size_t num_grams, total;
} Pool;

static int compare_words(const void *a, const void *b) {
  const NrStr *s = a, *t = b;
  int order = memcmp(s->data, t->data, NR_MIN(s->size, t->size));
  return order ? order : (s->size > t->size) - (s->size < t->size);
}

static void take_strings(NrLower *l, NrAttr list, Pool *out) {
  NrStr *words = NR_NEW_ARRAY(&l->state->arena, NrStr, list->size + 1);
  size_t count = 0;
  for (size_t i = 0; i < list->size; i++) words[i] = list->items[i]->s;
  qsort(words, list->size, sizeof *words, compare_words);
  for (size_t i = 0; i < list->size; i++)
    if (!count || compare_words(&words[count - 1], &words[i])) words[count++] = words[i];
  out->size = list->size;
  out->items = NR_NEW_ARRAY(&l->state->arena, int64_t, list->size + 1);
  for (size_t i = 0; i < list->size; i++)
    out->items[i] = (NrStr *)bsearch(&list->items[i]->s, words, count, sizeof *words, compare_words) - words;
  out->words = nr_lower_strings(l, words, count);
}

static NrStatus take_items(NrLower *l, Pool *out) {
  NrAttr strings = nr_lower_attr(l, "pool_strings");
  const int64_t *ints = NULL;
  bool has_ints = nr_lower_attr_ints(l, "pool_int64s", &ints, &out->size);
  bool is_text = nr_lower_dtype(l, 0) == NORIA_STRING;
  if (has_ints == (strings != NULL))
    return nr_lower_error(l, "one of the attributes pool_int64s and pool_strings must be there");
  if (is_text != (strings != NULL))
    return nr_lower_error(l, "input X is %s, but attribute %s is there", nr_dtype_name(nr_lower_dtype(l, 0)),
                          strings ? "pool_strings" : "pool_int64s");
  if (strings) {
    take_strings(l, strings, out);
    return NR_OK;
  }
  out->items = NR_NEW_ARRAY(&l->state->arena, int64_t, out->size + 1);
  if (out->size) memcpy(out->items, ints, out->size * sizeof *ints);
  return NR_OK;
}

/* Cuts the pool into n-grams. */
static NrStatus take_grams(NrLower *l, int64_t min, int64_t max, Pool *p) {
  const int64_t *counts = NULL;
  size_t num_counts = 0;
  nr_lower_attr_ints(l, "ngram_counts", &counts, &num_counts);
  if (!num_counts) return nr_lower_error(l, "attribute ngram_counts is empty");
  p->grams = NR_NEW_ARRAY(&l->state->arena, Gram, p->size + 1);
  for (size_t i = 0; i < num_counts; i++) {
    int64_t begin = counts[i], end = i + 1 < num_counts ? counts[i + 1] : (int64_t)p->size, length = (int64_t)i + 1;
    if (begin < 0 || begin > end || end > (int64_t)p->size)
      return nr_lower_error(l, "ngram_counts[%zu] is %lld; they must ascend from 0 to the size of the pool, %zu", i,
                            (long long)begin, p->size);
    if ((end - begin) % length)
      return nr_lower_error(l, "the pool has %lld items for %lld-grams", (long long)(end - begin), (long long)length);
    for (; begin < end; begin += length, p->total++)
      if (length >= min && length <= max)
        p->grams[p->num_grams++] = (Gram){p->items + begin, (size_t)length, (int64_t)p->total};
  }
  return NR_OK;
}

/* ---- the tree (see lib/tfidf.mlir) ------------------------------------------------------------------------------- */

/* Where one is the beginning of the other, the shorter is first; of equal ones, that with the lower number. */
static int compare_grams(const void *a, const void *b) {
  const Gram *s = a, *t = b;
  for (size_t i = 0; i < s->length && i < t->length; i++)
    if (s->items[i] != t->items[i]) return s->items[i] < t->items[i] ? -1 : 1;
  if (s->length != t->length) return s->length < t->length ? -1 : 1;
  return (s->number > t->number) - (s->number < t->number);
}

/* A node: the n-grams [begin, end) in order, which have their first `depth` items in common. */
typedef struct Node {
  size_t begin, end, depth;
} Node;

typedef struct Tree {
  int64_t *first, *keys, *grams;
  size_t num_nodes;
} Tree;

static Tree make_tree(NrLower *l, const Pool *p) {
  NrArena *arena = &l->state->arena;
  Tree t = {NR_NEW_ARRAY(arena, int64_t, p->size + 2), NR_NEW_ARRAY(arena, int64_t, p->size + 1),
            NR_NEW_ARRAY(arena, int64_t, p->size + 1), 1};
  Node *nodes = NR_NEW_ARRAY(arena, Node, p->size + 1);
  qsort(p->grams, p->num_grams, sizeof *p->grams, compare_grams);
  nodes[0] = (Node){0, p->num_grams, 0};
  for (size_t n = 0; n < t.num_nodes; n++) {
    Node node = nodes[n];
    t.grams[n] = -1;
    t.first[n] = (int64_t)t.num_nodes - 1;
    while (node.begin < node.end && p->grams[node.begin].length == node.depth)
      t.grams[n] = p->grams[node.begin++].number;
    while (node.begin < node.end) {
      int64_t key = p->grams[node.begin].items[node.depth];
      size_t end = node.begin;
      while (end < node.end && p->grams[end].items[node.depth] == key) end++;
      t.keys[t.num_nodes - 1] = key;
      nodes[t.num_nodes++] = (Node){node.begin, end, node.depth + 1};
      node.begin = end;
    }
  }
  t.first[t.num_nodes] = (int64_t)t.num_nodes - 1;
  return t;
}

/* ---- the op ------------------------------------------------------------------------------------------------------ */

static NrValue *i64_list(NrLower *l, const int64_t *items, size_t count) {
  int64_t n = (int64_t)count;
  return nr_lower_dense(l, nr_attr_dense(nr_type_tensor(&n, 1, nr_type_i64(l->ctx)), items, count * sizeof *items));
}

/* The weights of the n-grams; ones where mode does not use them. */
static NrStatus take_weights(NrLower *l, size_t count, bool used, NrValue **out) {
  const float *given = NULL;
  size_t num_given = 0;
  bool has = nr_lower_attr_floats(l, "weights", &given, &num_given) && used && num_given;
  if (has && num_given != count)
    return nr_lower_error(l, "attribute weights has %zu numbers for %zu n-grams", num_given, count);
  float *weights = NR_NEW_ARRAY(&l->state->arena, float, count + 1);
  for (size_t i = 0; i < count; i++) weights[i] = has ? given[i] : 1;
  int64_t n = (int64_t)count;
  *out = nr_lower_dense(l, nr_attr_dense(nr_type_tensor(&n, 1, nr_type_f32(l->ctx)), weights, count * sizeof *weights));
  return NR_OK;
}

/* The columns of the n-grams, and how many columns there are. */
static NrStatus take_columns(NrLower *l, size_t count, const int64_t **out, int64_t *out_width) {
  size_t num_columns = 0;
  nr_lower_attr_ints(l, "ngram_indexes", out, &num_columns);
  if (num_columns != count)
    return nr_lower_error(l, "attribute ngram_indexes has %zu numbers for %zu n-grams", num_columns, count);
  for (size_t i = 0; i < count; i++) {
    if ((*out)[i] < 0 || (*out)[i] > INT32_MAX)
      return nr_lower_error(l, "ngram_indexes[%zu] is %lld", i, (long long)(*out)[i]);
    *out_width = NR_MAX(*out_width, (*out)[i] + 1);
  }
  return NR_OK;
}

static NrValue *to_i64(NrLower *l, NrValue *const *a, void *user) {
  return nr_lower_cast(l, a[0], nr_lower_dtype(l, 0), NORIA_I64, true);
}

/* X as rows of integers. */
static NrValue *rows_of(NrLower *l, const Pool *p) {
  NrValue *x = nr_lower_in(l, 0);
  NrShape shape = nr_lower_shape(l, x), rows = {2, {nr_dim(1), nr_dim(1)}};
  for (size_t i = 0; i < shape.rank; i++) rows.dims[2 - shape.rank + i] = shape.dims[i];
  if (p->words) {
    NrType type = nr_open_tensor_type(1, nr_type_i64(l->ctx));
    x = nr_lower_call(l, "string_find", (NrValue *[]){p->words, x}, 2, type);
  } else {
    x = nr_lower_map(l, &x, 1, nr_type_i64(l->ctx), to_i64, NULL);
  }
  return nr_lower_reshape(l, x, &rows);
}

NrStatus nr_lower_tfidf_vectorizer(NrLower *l) {
  NrStr mode = nr_lower_attr_str(l, "mode");
  bool idf = nr_str_is(mode, "IDF"), both = nr_str_is(mode, "TFIDF");
  int64_t min = nr_lower_attr_int(l, "min_gram_length"), max = nr_lower_attr_int(l, "max_gram_length");
  int64_t skips = nr_lower_attr_int(l, "max_skip_count"), width = 0;
  uint32_t rank = nr_rank(nr_lower_in(l, 0));
  if (!idf && !both && !nr_str_is(mode, "TF"))
    return nr_lower_error(l, "mode is '%.*s'; it must be TF, IDF or TFIDF", NR_STR_ARG(mode));
  if (min < 1 || max < min || max > INT32_MAX)
    return nr_lower_error(l, "n-grams have from %lld to %lld items", (long long)min, (long long)max);
  if (skips < 0 || skips > INT32_MAX) return nr_lower_error(l, "max_skip_count is %lld", (long long)skips);
  if (rank > 2) return nr_lower_error(l, "input X has rank %u; it must be [C] or [N, C]", rank);
  Pool p = {0};
  const int64_t *columns = NULL;
  NrValue *weights = NULL, *counts;
  NR_TRY(take_items(l, &p));
  NR_TRY(take_grams(l, min, max, &p));
  NR_TRY(take_columns(l, p.total, &columns, &width));
  NR_TRY(take_weights(l, p.total, idf || both, &weights));
  Tree t = make_tree(l, &p);
  NrValue *x = rows_of(l, &p);
  NrValue *args[] = {x, i64_list(l, t.first, t.num_nodes + 1), i64_list(l, t.keys, t.num_nodes - 1),
                     i64_list(l, t.grams, t.num_nodes), i64_list(l, columns, p.total), weights,
                     nr_lower_index(l, min), nr_lower_index(l, max), nr_lower_index(l, skips),
                     nr_lower_index(l, width), nr_lower_int(l, nr_type_i1(l->ctx), idf)};
  NR_TRY(nr_lower_kernel(l, "tfidf", NR_STR(""), args, NR_COUNTOF(args), &counts, 1));
  NrShape shape = {2, {nr_lower_dim(l, x, 0), nr_dim(width)}}, flat = {1, {nr_dim(width)}};
  counts = nr_lower_tensor_cast(l, counts, nr_shape_type(l, &shape, counts->type->elem));
  return nr_lower_out(l, 0, rank == 2 ? counts : nr_lower_reshape(l, counts, &flat), NORIA_F32);
}

/* ---- NGramRepeatBlock -------------------------------------------------------------------------------------------- */

NrStatus nr_lower_ngram_repeat_block(NrLower *l) {
  NrValue *ids = nr_lower_in(l, 0), *scores = nr_lower_in(l, 1), *out;
  int64_t size = nr_lower_attr_int(l, "ngram_size");
  if (size < 1 || size > INT32_MAX)
    return nr_lower_error(l, "ngram_size is %lld; it must be positive", (long long)size);
  if (!nr_lower_expect_rank(l, "input_ids", ids, 2) || !nr_lower_expect_rank(l, "scores", scores, 2) ||
      !nr_lower_expect_dim(l, "scores", scores, 0, nr_lower_dim(l, ids, 0)))
    return NR_ERROR_INVALID;
  NrShape shape = nr_lower_shape(l, scores);
  NrValue *args[] = {ids, scores, nr_lower_index(l, size)};
  NR_TRY(nr_lower_kernel(l, "ngram_repeat", NR_STR(""), args, 3, &out, 1));
  return nr_lower_out(l, 0, nr_lower_tensor_cast(l, out, nr_shape_type(l, &shape, out->type->elem)), NORIA_F32);
}
