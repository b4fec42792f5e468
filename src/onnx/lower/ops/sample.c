/* sample.c - see sample.h: the neighbours of a coordinate along each dim, with their weights, and the sum over all
 * combinations of them. */
#include "onnx/lower/ops/sample.h"

#include "onnx/lower/core/body.h"

enum { MAX_TAPS = 4 };

/* The neighbours of a coordinate along one dim. */
typedef struct Taps {
  size_t count;
  NrValue *at[MAX_TAPS];     /* inside of the dim */
  NrValue *inside[MAX_TAPS]; /* whether the element counts; NULL: always */
  NrValue *weight[MAX_TAPS];
} Taps;

/* Reflects x at the edges low and high until it is between them. */
static NrValue *reflect(NrLower *l, NrValue *x, NrValue *low, NrValue *high) {
  NrValue *below = nr_lower_cmpf(l, NR_CMPF_OLT, x, low), *above = nr_lower_cmpf(l, NR_CMPF_OGT, x, high);
  NrValue *range = sub(l, high, low), *distance = nr_lower_select(l, below, sub(l, low, x), sub(l, x, high));
  NrValue *times = same1(l, NR_OP_math_floor, divf(l, distance, range));
  NrValue *rest = sub(l, distance, mul(l, times, range)), *half = mul(l, times, num(l, x, .5));
  NrValue *odd = nr_lower_cmpf(l, NR_CMPF_ONE, same1(l, NR_OP_math_floor, half), half);
  NrValue *from_low = same2(l, NR_OP_arith_xori, below, odd);
  NrValue *inner = nr_lower_select(l, from_low, add(l, low, rest), sub(l, high, rest));
  inner = nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OGT, range, num(l, x, 0)), inner, low);
  return nr_lower_select(l, either(l, below, above), inner, x);
}

typedef struct Edges {
  NrDim size;
  NrValue *low, *high, *last; /* floats; where reflections are, and size - 1 */
} Edges;

static Edges edges_of(NrLower *l, const NrSample *s, size_t dim, NrType type) {
  Edges e = {.size = nr_lower_dim(l, s->x, dim)};
  NrValue *size = nr_lower_index_to_float(l, nr_dim_value(l, e.size), type);
  e.last = sub(l, size, num(l, size, 1));
  e.low = num(l, size, s->align_corners ? 0 : -.5);
  e.high = s->align_corners ? e.last : sub(l, size, num(l, size, .5));
  return e;
}

/* A coordinate outside of the edges as the padding has it. */
static NrValue *padded(NrLower *l, const NrSample *s, const Edges *e, NrValue *x) {
  if (s->padding == NR_ZEROS || s->by_taps) return x;
  if (s->padding == NR_REFLECTION) return reflect(l, x, e->low, e->high);
  NrValue *outside = either(l, nr_lower_cmpf(l, NR_CMPF_OLT, x, e->low), nr_lower_cmpf(l, NR_CMPF_OGT, x, e->high));
  return nr_lower_select(l, outside, nr_lower_clamp_float(l, x, num(l, x, 0), e->last), x);
}

/* Neighbour `position`, a float without a fraction. */
static void take_tap(NrLower *l, const NrSample *s, const Edges *e, NrValue *position, Taps *t) {
  if (s->padding == NR_REFLECTION) position = same1(l, NR_OP_math_trunc, reflect(l, position, e->low, e->high));
  NrValue *low = num(l, position, -1), *high = add(l, e->last, num(l, position, 1));
  NrValue *at = nr_lower_float_to_index(l, nr_lower_clamp_float(l, position, low, high));
  t->inside[t->count] =
      s->padding == NR_ZEROS ? nr_lower_cmpi(l, NR_CMPI_ULT, at, nr_dim_value(l, e->size)) : NULL;
  t->at[t->count++] = nr_lower_clamp_index(l, at, e->size);
}

static Taps taps_of(NrLower *l, const NrSample *s, size_t dim, NrValue *x) {
  Edges e = edges_of(l, s, dim, x->type);
  Taps t = {0};
  if (s->filter == NR_NEAREST) x = same1(l, NR_OP_math_roundeven, x);
  x = padded(l, s, &e, x);
  if (s->filter == NR_NEAREST) {
    take_tap(l, s, &e, same1(l, NR_OP_math_roundeven, x), &t);
    return t;
  }
  NrValue *floor = same1(l, NR_OP_math_floor, x), *fraction = sub(l, x, floor);
  int count = s->filter == NR_CUBIC ? 4 : 2;
  for (int k = 0; k < count; k++) take_tap(l, s, &e, add(l, floor, num(l, floor, k - count / 2 + 1)), &t);
  if (s->filter == NR_CUBIC) nr_lower_cubic_weights(l, fraction, -.75, t.weight);
  t.weight[0] = s->filter == NR_CUBIC ? t.weight[0] : sub(l, num(l, fraction, 1), fraction);
  t.weight[1] = s->filter == NR_CUBIC ? t.weight[1] : fraction;
  return t;
}

typedef struct Combination {
  const NrSample *s;
  size_t rank;
  const Taps *taps; /* of dim first + i */
  NrValue *at[NORIA_MAX_RANK];
} Combination;

static NrValue *read(NrLower *l, const Combination *c, NrValue *inside) {
  NrValue *x = nr_lower_extract(l, c->s->x, c->at, c->rank);
  if (inside) x = nr_lower_select(l, inside, x, nr_lower_constant(l, x->type, 0));
  return c->s->filter == NR_NEAREST ? x
                                    : nr_lower_cast(l, x, c->s->dtype, nr_resample_dtype(l, c->s->dtype), true);
}

/* A weight in the type of sums; coordinates may be in the other of f32 and f64. */
static NrValue *weight_of(NrLower *l, const Combination *c, NrValue *weight) {
  NoriaDType from = nr_type_bits(weight->type) == 64 ? NORIA_F64 : NORIA_F32;
  return nr_lower_cast(l, weight, from, nr_resample_dtype(l, c->s->dtype), true);
}

/* The sum over the neighbours along the dims from `dim` on. */
static NrValue *combine(NrLower *l, Combination *c, size_t dim, NrValue *inside) {
  if (dim == c->rank) return read(l, c, inside);
  const Taps *t = &c->taps[dim - c->s->first];
  NrValue *sum = NULL;
  for (size_t k = 0; k < t->count; k++) {
    NrValue *counts = !t->inside[k] ? inside : inside ? both(l, inside, t->inside[k]) : t->inside[k];
    c->at[dim] = t->at[k];
    NrValue *x = combine(l, c, dim + 1, counts);
    if (c->s->filter != NR_NEAREST) x = mul(l, x, weight_of(l, c, t->weight[k]));
    sum = sum ? nr_lower_contract(add(l, sum, x)) : x;
  }
  return sum;
}

NrValue *nr_lower_sample(NrLower *l, const NrSample *s, NrValue *const *indices, NrValue *const *coordinates) {
  Taps taps[NORIA_MAX_RANK];
  Combination c = {.s = s, .rank = nr_rank(s->x), .taps = taps};
  for (size_t i = 0; i < s->first; i++) c.at[i] = indices[i];
  for (size_t i = s->first; i < c.rank; i++) taps[i - s->first] = taps_of(l, s, i, coordinates[i - s->first]);
  return combine(l, &c, s->first, NULL);
}
