/* channel_cases.h - the conformance suite of channels: what each rank runs, on every backend.
 *
 * Every rank makes the inputs of all ranks from a seed and calculates what it must receive, element by element, with
 * arithmetic of this file's own. */
#ifndef NORIA_TESTS_UNIT_RUNTIME_CHANNEL_CASES_H
#define NORIA_TESTS_UNIT_RUNTIME_CHANNEL_CASES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "runtime/channel.h"

enum { MOST_RANKS = 8 };

/* The thread sanitizer makes this many times slower and looks at threads, not at arithmetic: a third of the types do,
 * and where messages are files (FEW_TYPES). */
#if defined(__SANITIZE_THREAD__) || defined(FEW_TYPES)
enum { TYPE_STEP = 3, SUITE_CASES = 936 };
#else
enum { TYPE_STEP = 1, SUITE_CASES = 12 * 13 * 18 };
#endif

static const NoriaDType case_types[] = {NORIA_I8,  NORIA_U8,  NORIA_I16, NORIA_U16, NORIA_I32, NORIA_U32,
                                        NORIA_I64, NORIA_U64, NORIA_F16, NORIA_F32, NORIA_F64, NORIA_BF16};

static inline bool is_float_type(NoriaDType t) {
  return t == NORIA_F16 || t == NORIA_F32 || t == NORIA_F64 || t == NORIA_BF16;
}
static inline bool is_signed_type(NoriaDType t) {
  return t == NORIA_I8 || t == NORIA_I16 || t == NORIA_I32 || t == NORIA_I64;
}

/* ---- elements as numbers ---- */

static inline float bf16_value(uint16_t h) {
  uint32_t bits = (uint32_t)h << 16;
  float f;
  memcpy(&f, &bits, 4);
  return f;
}

/* The nearest bfloat16, found by comparing distances; ties to even. */
static inline uint16_t nearest_bf16(float f) {
  uint32_t bits;
  memcpy(&bits, &f, 4);
  uint16_t low = (uint16_t)(bits >> 16), high = (uint16_t)(low + 1);
  if (isnan(f)) return 0x7fc0;
  if (isinf(f) || (bits & 0xffff) == 0) return low;
  double below = fabs((double)f - bf16_value(low));
  /* What follows the largest finite number is 2^128 for rounding. */
  double above = fabs((isinf(bf16_value(high)) ? copysign(0x1p128, f) : (double)bf16_value(high)) - f);
  if (below != above) return below < above ? low : high;
  return low & 1 ? high : low;
}

static inline double float_at(NoriaDType t, const void *data, size_t i) {
  switch (t) {
    case NORIA_F16: return (double)((const _Float16 *)data)[i];
    case NORIA_BF16: return bf16_value(((const uint16_t *)data)[i]);
    case NORIA_F32: return ((const float *)data)[i];
    default: return ((const double *)data)[i];
  }
}

static inline void put_float(NoriaDType t, void *data, size_t i, double v) {
  switch (t) {
    case NORIA_F16: ((_Float16 *)data)[i] = (_Float16)(float)v; break;
    case NORIA_BF16: ((uint16_t *)data)[i] = nearest_bf16((float)v); break;
    case NORIA_F32: ((float *)data)[i] = (float)v; break;
    default: ((double *)data)[i] = v; break;
  }
}

/* Integers as 128-bit numbers, so that sign and range are exact. */
static inline __int128 int_at(NoriaDType t, const void *data, size_t i) {
  size_t size = noria_dtype_size(t);
  uint64_t bits = 0;
  memcpy(&bits, (const char *)data + i * size, size);
  if (!is_signed_type(t)) return bits;
  unsigned unused = (unsigned)(64 - 8 * size);
  return (int64_t)(bits << unused) >> unused;
}

static inline void put_int(NoriaDType t, void *data, size_t i, __int128 v) {
  uint64_t bits = (uint64_t)v;
  size_t size = noria_dtype_size(t);
  memcpy((char *)data + i * size, &bits, size);
}

/* ---- the reference ---- */

static inline double combine_floats(NoriaDType t, NrReduction r, double a, double b) {
  bool wide = t == NORIA_F64;
  switch (r) {
    case NR_REDUCTION_PRODUCT: return wide ? a * b : (double)((float)a * (float)b);
    case NR_REDUCTION_MINIMUM:
    case NR_REDUCTION_MAXIMUM:
      if (isnan(a) || isnan(b)) return NAN;
      if (a == 0 && b == 0) return (r == NR_REDUCTION_MINIMUM) == (signbit(a) != 0) ? a : b;
      return (r == NR_REDUCTION_MINIMUM) == (a < b) ? a : b;
    default: return wide ? a + b : (double)((float)a + (float)b);
  }
}

static inline __int128 combine_ints(NrReduction r, __int128 a, __int128 b) {
  switch (r) {
    case NR_REDUCTION_PRODUCT: return (__int128)((unsigned __int128)a * (unsigned __int128)b); /* wraps further up */
    case NR_REDUCTION_MINIMUM: return a < b ? a : b;
    case NR_REDUCTION_MAXIMUM: return a > b ? a : b;
    default: return a + b;
  }
}

/* Element i of out: the reduction of element i + first of the sources, in rank order. */
static inline void expect_reduced(NoriaDType t, NrReduction r, void *const *sources, int count, size_t first,
                                  size_t elements, void *out) {
  for (size_t i = 0; i < elements; i++) {
    if (is_float_type(t)) {
      double v = float_at(t, sources[0], first + i);
      for (int q = 1; q < count; q++) v = combine_floats(t, r, v, float_at(t, sources[q], first + i));
      if (r == NR_REDUCTION_AVERAGE) v = t == NORIA_F64 ? v / count : (double)((float)v / (float)count);
      put_float(t, out, i, v);
    } else {
      __int128 v = int_at(t, sources[0], first + i);
      for (int q = 1; q < count; q++) v = combine_ints(r, v, int_at(t, sources[q], first + i));
      put_int(t, out, i, r == NR_REDUCTION_AVERAGE ? v / count : v);
    }
  }
}

/* ---- inputs ---- */

/* Small numbers, and now and then a special one. */
static inline void fill(NoriaDType t, void *data, size_t elements, uint64_t seed) {
  static const double specials[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1e-7, -6e-8, 1e30, 65504, 1.0009765625};
  uint64_t state = seed * 2 + 1;
  for (size_t i = 0; i < elements; i++) {
    uint64_t x = test_random(&state);
    if (is_float_type(t)) {
      double v = (double)(int64_t)(x >> 40) / 65536.0 - 128.0;
      if (x % 13 == 0) v = specials[(x >> 8) % (sizeof specials / sizeof specials[0])];
      put_float(t, data, i, v);
    } else {
      put_int(t, data, i, x % 5 == 0 ? (__int128)x : (__int128)(int64_t)(x >> 58) - 20);
    }
  }
}

static inline bool same_elements(NoriaDType t, const void *a, const void *b, size_t elements) {
  size_t size = noria_dtype_size(t);
  for (size_t i = 0; i < elements; i++) {
    if (!memcmp((const char *)a + i * size, (const char *)b + i * size, size)) continue;
    if (!is_float_type(t) || !isnan(float_at(t, a, i)) || !isnan(float_at(t, b, i))) return false;
  }
  return true;
}

/* ---- cases ---- */

typedef struct Case {
  NrCollectiveKind kind;
  NoriaDType dtype;
  NrReduction reduction;
  bool in_place, varied; /* rows differ from rank to rank */
  int64_t rows, row;
  int shift; /* send_recv: to the rank so far on; what falls off the end is not sent */
} Case;

typedef struct Outcome {
  int cases;
  char failure[600]; /* of the first that failed */
} Outcome;

static inline int64_t rows_of(const Case *c, int q) { return c->varied ? (q * 3 + 1) % 4 * c->rows : c->rows; }

/* Rows that rank q sends and receives. */
static inline void shape_of(const Case *c, int count, int q, int64_t *out_send, int64_t *out_recv) {
  int64_t total = 0;
  for (int p = 0; p < count; p++) total += rows_of(c, p);
  int from = q - c->shift;
  switch (c->kind) {
    case NR_ALL_GATHER: *out_send = rows_of(c, q), *out_recv = total; break;
    case NR_ALL_REDUCE: *out_send = *out_recv = c->rows; break;
    case NR_ALL_TO_ALL: *out_send = rows_of(c, q) * count, *out_recv = total; break;
    case NR_REDUCE_SCATTER: *out_send = total, *out_recv = rows_of(c, q); break;
    default:
      *out_send = rows_of(c, q);
      *out_recv = from >= 0 && from < count ? rows_of(c, from) : rows_of(c, q);
      break;
  }
}

static inline void expect(const Case *c, int count, int me, void *const *sources, void *out) {
  size_t size = noria_dtype_size(c->dtype), row = (size_t)c->row * size, at = 0;
  int64_t send, recv;
  shape_of(c, count, me, &send, &recv);
  if (c->kind == NR_ALL_REDUCE)
    expect_reduced(c->dtype, c->reduction, sources, count, 0, (size_t)(recv * c->row), out);
  if (c->kind == NR_REDUCE_SCATTER) {
    int64_t first = 0;
    for (int q = 0; q < me; q++) first += rows_of(c, q);
    expect_reduced(c->dtype, c->reduction, sources, count, (size_t)(first * c->row), (size_t)(recv * c->row), out);
  }
  for (int q = 0; q < count && (c->kind == NR_ALL_GATHER || c->kind == NR_ALL_TO_ALL); q++) {
    size_t bytes = (size_t)rows_of(c, q) * row;
    if (bytes)
      memcpy((char *)out + at, (char *)sources[q] + (c->kind == NR_ALL_TO_ALL ? (size_t)me * bytes : 0), bytes);
    at += bytes;
  }
  if (c->kind == NR_SEND_RECV) {
    int from = me - c->shift;
    if (from >= 0 && from < count)
      memcpy(out, sources[from], (size_t)recv * row);
    else
      memset(out, 0, (size_t)recv * row);
  }
}

static inline bool run_case(NrChannel *channel, const Case *c, uint64_t seed, Outcome *outcome) {
  int count = (int)nr_channel_count(channel), me = (int)nr_channel_rank(channel);
  size_t size = noria_dtype_size(c->dtype), row = (size_t)c->row * size;
  void *sources[MOST_RANKS];
  int64_t send = 0, recv = 0;
  for (int q = 0; q < count; q++) {
    shape_of(c, count, q, &send, &recv);
    sources[q] = malloc((size_t)send * row + 1);
    fill(c->dtype, sources[q], (size_t)(send * c->row), seed * 64 + (uint64_t)q);
  }
  shape_of(c, count, me, &send, &recv);
  size_t recv_size = (size_t)recv * row, send_size = (size_t)send * row;
  void *expected = malloc(recv_size + 1), *memory = malloc(NR_MAX(recv_size, send_size) + 1),
       *target = malloc(recv_size + 1);
  memset(target, 0xa5, recv_size + 1);
  memcpy(memory, sources[me], send_size);
  expect(c, count, me, sources, expected);
  NrCollective call = {.kind = c->kind, .dtype = c->dtype, .reduction = c->reduction, .same_rows = !c->varied,
                       .send_rows = send, .recv_rows = recv, .row = c->row, .send_to = -1, .recv_from = -1,
                       .send = memory, .recv = c->in_place ? memory : target, .place = "suite"};
  if (me + c->shift >= 0 && me + c->shift < count) call.send_to = me + c->shift;
  if (me - c->shift >= 0 && me - c->shift < count) call.recv_from = me - c->shift;
  NoriaError error = NORIA_ERROR_INIT;
  bool ok = nr_channel_run(channel, &call, &error) == NORIA_OK;
  const char *wrong = ok ? "" : error.message;
  if (ok && !same_elements(c->dtype, call.recv, expected, (size_t)(recv * c->row)))
    wrong = "other values than expected";
  if (ok && !c->in_place && memcmp(memory, sources[me], send_size)) wrong = "the source was written";
  if (ok && !c->in_place && ((unsigned char *)target)[recv_size] != 0xa5) wrong = "wrote behind the target";
  if (*wrong && !*outcome->failure)
    snprintf(outcome->failure, sizeof outcome->failure,
             "rank %d of %d, %s of %s, reduction %d, in place %d, varied %d, %lld x %lld, shift %d: %s", me, count,
             nr_collective_name(c->kind), noria_dtype_name(c->dtype), (int)c->reduction, c->in_place, c->varied,
             (long long)c->rows, (long long)c->row, c->shift, wrong);
  outcome->cases++;
  noria_error_clear(&error);
  for (int q = 0; q < count; q++) free(sources[q]);
  free(expected);
  free(memory);
  free(target);
  return ok;
}

/* Every kind, type and reduction, in place and not, with equal and varied rows, empty to several blocks long. */
static inline bool run_all(NrChannel *channel, uint64_t seed, Outcome *outcome) {
  static const struct {
    int64_t rows, row;
  } shapes[] = {{0, 3}, {1, 1}, {2, 3}, {37, 5}, {5, 501}};
  bool ok = true;
  for (size_t t = 0; t < sizeof case_types / sizeof case_types[0]; t += TYPE_STEP)
    for (int kind = 0; kind < NR_NUM_COLLECTIVES; kind++)
      for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int way = 0; way < 4; way += shapes[s].row > 500 ? 3 : 1) {
          bool reduces = kind == NR_ALL_REDUCE || kind == NR_REDUCE_SCATTER;
          for (int r = reduces ? NR_REDUCTION_SUM : 0; r < (reduces ? NR_NUM_REDUCTIONS : 1); r++) {
            Case c = {.kind = (NrCollectiveKind)kind, .dtype = case_types[t], .reduction = (NrReduction)r,
                      .in_place = way & 1, .varied = way >> 1, .rows = shapes[s].rows, .row = shapes[s].row,
                      .shift = (int)s % 3 - 1};
            if (ok) ok = run_case(channel, &c, ++seed, outcome);
          }
        }
  return ok;
}

/* ---- splits ---- */

static inline void say(Outcome *outcome, const char *what) {
  if (!*outcome->failure) snprintf(outcome->failure, sizeof outcome->failure, "%s", what);
}

/* Even and odd ranks, each in reverse order; all but rank 0; and a part of that. */
static inline bool run_splits(NrChannel *channel, Outcome *outcome) {
  int64_t me = nr_channel_rank(channel), count = nr_channel_count(channel);
  NrChannel *parity = NULL, *others = NULL, *part = NULL;
  NoriaError error = NORIA_ERROR_INIT;
  Case c = {.kind = NR_ALL_REDUCE, .dtype = NORIA_F32, .reduction = NR_REDUCTION_SUM, .rows = 3, .row = 50};
  bool ok = !nr_channel_split(channel, &(NrSplit){.color = me % 2, .key = -me}, &parity, &error);
  if (ok) {
    int64_t size = (count + 1 - me % 2) / 2;
    if (nr_channel_count(parity) != size || nr_channel_rank(parity) != size - 1 - me / 2)
      say(outcome, "wrong rank in split");
    ok = run_case(parity, &c, 1, outcome);
  }
  /* Ties keep the order. */
  ok = ok && !nr_channel_split(channel, &(NrSplit){.color = me == 0 ? -1 : 7, .key = 5}, &others, &error);
  if (ok && nr_channel_rank(others) != me - 1) say(outcome, "wrong rank where keys are equal");
  if (ok && nr_channel_count(others) != (me == 0 ? 0 : count - 1))
    say(outcome, "wrong count where a rank takes no part");
  if (ok && me == 0) {
    int32_t kept = 42, sent = 1;
    NrCollective call = {.kind = NR_ALL_REDUCE, .dtype = NORIA_I32, .reduction = NR_REDUCTION_SUM, .send_rows = 1,
                         .recv_rows = 1, .row = 1, .send = &sent, .recv = &kept};
    ok = !nr_channel_run(others, &call, &error);
    if (kept != 42) say(outcome, "a collective without this rank wrote its target");
  }
  if (ok && me > 0) ok = run_case(others, &c, 2, outcome);
  ok = ok && !nr_channel_split(others, &(NrSplit){.color = me <= 2 ? 0 : -1, .key = me}, &part, &error);
  if (ok && nr_channel_rank(part) != (me == 1 ? 0 : me == 2 ? 1 : -1)) say(outcome, "wrong rank in a split of a split");
  if (ok && (me == 1 || me == 2)) ok = run_case(part, &c, 3, outcome);
  if (!ok && error.message) say(outcome, error.message);
  noria_error_clear(&error);
  nr_channel_release(part);
  nr_channel_release(others);
  nr_channel_release(parity);
  return ok;
}

/* What a rank does. The outcome's failure is empty when all went well. */
static inline Outcome run_suite(NrWorld *world) {
  Outcome outcome = {0};
  NrChannel *channel = NULL;
  NoriaError error = NORIA_ERROR_INIT;
  if (nr_channel_default(world, "suite", &channel, &error)) {
    say(&outcome, error.message);
  } else if (nr_channel_rank(channel) != nr_world_rank(world) || nr_channel_count(channel) != nr_world_count(world)) {
    say(&outcome, "wrong rank or count");
  } else if (run_all(channel, 1, &outcome)) {
    run_splits(channel, &outcome);
  }
  noria_error_clear(&error);
  nr_channel_release(channel);
  return outcome;
}

#endif
