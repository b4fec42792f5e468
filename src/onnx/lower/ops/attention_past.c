/* attention_past.c - see attention_past.h. */
#include "onnx/lower/ops/attention_past.h"

#include "onnx/lower/ops/data.h"

/* Whether a cache fits x but for its number of positions. */
static bool expect_cache(NrLower *l, const char *name, NrValue *cache, NrValue *x) {
  NrShape want = nr_lower_shape(l, x);
  if (!nr_lower_expect_rank(l, name, cache, 4)) return false;
  want.dims[2] = nr_lower_dim(l, cache, 2);
  return nr_lower_expect_shape(l, name, cache, &want);
}

NrValue *nr_attention_behind(NrLower *l, const char *name, NrValue *past, NrValue *x) {
  return expect_cache(l, name, past, x) ? nr_lower_concat(l, (NrValue *[]){past, x}, 2, 2) : NULL;
}

bool nr_attention_past_length(NrLower *l, size_t i, NrDim *out) {
  NrValue *length = nr_lower_in(l, i), *zero = nr_lower_index(l, 0);
  if (nr_rank(length) && !nr_lower_expect_shape(l, "past_sequence_length", length, &(NrShape){1, {nr_dim(1)}}))
    return false;
  NrValue *past = nr_lower_as_index(l, nr_lower_extract(l, length, &zero, nr_rank(length)));
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_SGE, past, zero), "past_sequence_length is %0", &past, 1);
  *out = nr_dim_of_index(past);
  return true;
}

bool nr_attention_write_behind(NrLower *l, const char *name, NrValue *cache, NrDim past, NrValue **x,
                               NrValue **present) {
  const NrDim offsets[4] = {nr_dim(0), nr_dim(0), past, nr_dim(0)};
  NrDim total = nr_dim_add(l, past, nr_lower_dim(l, *x, 2));
  if (!expect_cache(l, name, cache, *x) ||
      !nr_lower_fits(l, total, nr_lower_dim(l, cache, 2), "%0 keys do not fit a cache of %1"))
    return false;
  *present = nr_lower_insert_slice(l, *x, cache, offsets);
  *x = nr_lower_slice_axis(l, *present, 2, nr_dim(0), total, nr_dim(1));
  return true;
}

typedef struct Beams {
  NrValue *x, *indirection;
  NrDim past;
} Beams;

/* at: row, head, position, element. */
static NrValue *redirect_body(NrLower *l, NrValue *const *at, void *user) {
  const Beams *b = user;
  NrType index = nr_type_index(l->ctx);
  NrValue *beams = nr_dim_value(l, nr_lower_dim(l, b->indirection, 1));
  NrValue *sample = nr_lower_op2(l, NR_OP_arith_divui, index, at[0], beams), *first = mul(l, sample, beams);
  NrValue *own = sub(l, at[0], first);
  NrValue *from = nr_lower_as_index(l, nr_lower_extract(l, b->indirection, (NrValue *[]){sample, own, at[2]}, 3));
  from = nr_lower_select(l, nr_lower_cmpi(l, NR_CMPI_SLT, at[2], nr_dim_value(l, b->past)), from, own);
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_ULT, from, beams), "cache_indirection has beam %0 of %1",
                 (NrValue *[]){from, beams}, 2);
  return nr_lower_extract(l, b->x, (NrValue *[]){add(l, first, from), at[1], at[2], at[3]}, 4);
}

NrValue *nr_attention_redirect(NrLower *l, NrValue *x, NrValue *indirection, NrDim past, NrDim room) {
  NrShape shape = nr_lower_shape(l, x);
  if (!nr_lower_expect_rank(l, "cache_indirection", indirection, 3) ||
      !nr_lower_expect_dim(l, "cache_indirection", indirection, 2, room))
    return NULL;
  NrDim rows = nr_dim_mul(l, nr_lower_dim(l, indirection, 0), nr_lower_dim(l, indirection, 1));
  if (!nr_lower_dims_agree(l, rows, shape.dims[0], "beams of cache_indirection, and samples")) return NULL;
  Beams b = {x, indirection, past};
  return nr_lower_generate(l, &shape, x->type->elem, redirect_body, &b);
}
