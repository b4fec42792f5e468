/* rotary.c - RotaryEmbedding: pairs of elements are rotated by an angle that depends on their position. */
#include "onnx/lower/ops/rotary.h"

#include "onnx/lower/ops/data.h"

typedef struct Rotate {
  NrValue *x;
  const NrRotary *r;
} Rotate;

/* The element of a cache for the row at `at` and an angle. */
static NrValue *cached(NrLower *l, const NrRotary *r, NrValue *cache, NrValue *const *at, NrValue *angle) {
  NrValue *row[3] = {at[0], at[r->sequence], angle};
  if (!r->positions) return nr_lower_widen(l, nr_lower_extract(l, cache, row, 3));
  bool each = nr_rank(r->positions) == 2;
  NrValue *zero = nr_lower_index(l, 0);
  NrValue *position = nr_lower_as_index(l, nr_lower_extract(l, r->positions, each ? row : &zero, each ? 2 : 1));
  if (!each) position = add(l, position, at[r->sequence]);
  NrValue *end = nr_dim_value(l, nr_lower_dim(l, cache, 0));
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_ULT, position, end), "position %0 is out of range for caches of %1",
                 (NrValue *[]){position, end}, 2);
  return nr_lower_widen(l, nr_lower_extract(l, cache, (NrValue *[]){position, angle}, 2));
}

/* Element d of a row: of the first or the second of its pair, with the other one `partner`. */
static NrValue *rotate_body(NrLower *l, NrValue *const *at, void *user) {
  const Rotate *w = user;
  const NrRotary *r = w->r;
  NrType index = nr_type_index(l->ctx);
  NrValue *d = at[3], *zero = nr_lower_index(l, 0), *one = nr_lower_index(l, 1), *two = nr_lower_index(l, 2);
  NrValue *half = nr_dim_value(l, nr_dim_div(l, r->rotated, nr_dim(2))), *first, *partner, *angle;
  NrValue *step = r->interleaved ? one : half;
  if (r->interleaved) {
    first = nr_lower_cmpi(l, NR_CMPI_EQ, nr_lower_op2(l, NR_OP_arith_remui, index, d, two), zero);
    angle = nr_lower_op2(l, NR_OP_arith_divui, index, d, two);
  } else {
    first = nr_lower_cmpi(l, NR_CMPI_ULT, d, half);
    angle = nr_lower_select(l, first, d, sub(l, d, half));
  }
  partner = nr_lower_select(l, first, add(l, d, step), sub(l, d, step));
  NrValue *turns = nr_lower_cmpi(l, NR_CMPI_ULT, d, nr_dim_value(l, r->rotated));
  NrValue *from[4] = {at[0], at[1], at[2], nr_lower_select(l, turns, partner, d)};
  angle = nr_lower_select(l, turns, angle, zero);
  NrValue *x = nr_lower_extract(l, w->x, at, 4), *y = nr_lower_widen(l, nr_lower_extract(l, w->x, from, 4));
  NrValue *cos = cached(l, r, r->cos, at, angle), *sin = mul(l, cached(l, r, r->sin, at, angle), y);
  NrValue *turned = add(l, mul(l, cos, nr_lower_widen(l, x)), nr_lower_select(l, first, negf(l, sin), sin));
  return nr_lower_select(l, turns, nr_lower_narrow(l, turned, x->type), x);
}

static bool cache_fits(NrLower *l, const char *name, NrValue *cache, const NrRotary *r, const NrShape *x) {
  NrDim half = nr_dim_div(l, r->rotated, nr_dim(2));
  if (r->positions) {
    NrShape rows = {2, {nr_lower_dim(l, r->cos, 0), half}};
    return nr_lower_expect_rank(l, name, cache, 2) && nr_lower_expect_shape(l, name, cache, &rows);
  }
  return nr_lower_expect_shape(l, name, cache, &(NrShape){3, {x->dims[0], x->dims[r->sequence], half}});
}

NrValue *nr_lower_rotate(NrLower *l, NrValue *x, const NrRotary *r) {
  NrShape shape = nr_lower_shape(l, x), each = {2, {shape.dims[0], shape.dims[r->sequence]}};
  NrDim whole = nr_dim_mul(l, nr_dim_div(l, r->rotated, nr_dim(2)), nr_dim(2));
  if (!nr_lower_dims_agree(l, r->rotated, whole, "elements that are rotated, and a multiple of 2") ||
      !nr_lower_fits(l, r->rotated, shape.dims[3], "%0 elements of a row of %1 are to be rotated"))
    return NULL;
  if (r->positions) {
    bool one = nr_rank(r->positions) == 1;
    if (!nr_lower_expect_shape(l, "position_ids", r->positions, one ? &(NrShape){1, {nr_dim(1)}} : &each)) return NULL;
  }
  if (!cache_fits(l, "cos_cache", r->cos, r, &shape) || !cache_fits(l, "sin_cache", r->sin, r, &shape)) return NULL;
  Rotate w = {x, r};
  return nr_lower_generate(l, &shape, x->type->elem, rotate_body, &w);
}

/* x as [batch, sequence, heads, size] when it has rank 3. NULL after an error. */
static NrValue *by_heads(NrLower *l, NrValue *x, NrDim heads) {
  NrShape s = nr_lower_shape(l, x);
  if (s.rank == 4) return x;
  NrShape split = {4, {s.dims[0], s.dims[1], heads, nr_dim_div(l, s.dims[2], heads)}};
  if (!nr_lower_expect_dim(l, "X", x, 2, nr_dim_mul(l, heads, split.dims[3]))) return NULL;
  return nr_lower_reshape(l, x, &split);
}

NrStatus nr_lower_rotary_of(NrLower *l, NrDim heads, int64_t rotated, NrRotary r) {
  size_t rank = nr_rank(nr_lower_in(l, 0));
  if (rank != 3 && rank != 4) return nr_lower_error(l, "X has rank %zu; it must be 3 or 4", rank);
  NrValue *in = nr_lower_in(l, 0), *x = by_heads(l, in, heads);
  if (!x) return NR_ERROR_INVALID;
  NrShape shape = nr_lower_shape(l, in);
  if (rotated < 0) return nr_lower_error(l, "rotary_embedding_dim %lld is negative", (long long)rotated);
  r.sequence = shape.rank == 4 ? 2 : 1;
  r.rotated = rotated ? nr_dim(rotated) : nr_lower_dim(l, x, 3);
  NrValue *y = nr_lower_rotate(l, x, &r);
  return nr_lower_out(l, 0, y ? nr_lower_reshape(l, y, &shape) : NULL, nr_lower_dtype(l, 0));
}

NrStatus nr_lower_rotary_embedding(NrLower *l) {
  NrRotary r = {.cos = nr_lower_in(l, 1), .sin = nr_lower_in(l, 2), .positions = nr_lower_in(l, 3),
                .interleaved = nr_lower_attr_int(l, "interleaved") != 0};
  int64_t heads = nr_lower_attr_int_or(l, "num_heads", 0);
  if (nr_rank(nr_lower_in(l, 0)) == 3 && heads < 1)
    return nr_lower_error(l, "X has rank 3 and needs a positive num_heads");
  if (r.positions && !nr_lower_expect_rank(l, "position_ids", r.positions, 2)) return NR_ERROR_INVALID;
  return nr_lower_rotary_of(l, nr_dim(heads), nr_lower_attr_int(l, "rotary_embedding_dim"), r);
}
