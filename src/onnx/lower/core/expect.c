/* expect.c - checks the shapes and values of an op's inputs against its schema: at compile time where they are known,
 * else by ops that check them in the run before anything is read. */
#include "onnx/lower/core/body.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/core/state.h"

static const char *text_of(NrLower *l, const char *format, const char *name, size_t i) {
  return nr_arena_printf(&l->state->arena, format, i, name);
}

bool nr_lower_expect_rank(NrLower *l, const char *name, NrValue *x, size_t rank) {
  if (nr_rank(x) == rank) return true;
  nr_lower_error(l, "%s has rank %u, not %zu", name, nr_rank(x), rank);
  return false;
}

bool nr_lower_expect_dim(NrLower *l, const char *name, NrValue *x, size_t i, NrDim want) {
  NrDim have = nr_lower_dim(l, x, i);
  if (nr_lower_dims_equal(l, have, want)) return true;
  if (nr_dim_known(have) && nr_dim_known(want)) {
    nr_lower_error(l, "dim %zu of %s is %lld, not %lld", i, name, (long long)have.size, (long long)want.size);
    return false;
  }
  NrValue *values[2] = {nr_dim_value(l, have), nr_dim_value(l, want)};
  const char *text = text_of(l, "dim %zu of %s is %%0, not %%1", name, i);
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_EQ, values[0], values[1]), text, values, 2);
  return true;
}

bool nr_lower_expect_shape(NrLower *l, const char *name, NrValue *x, const NrShape *want) {
  if (!nr_lower_expect_rank(l, name, x, want->rank)) return false;
  for (size_t i = 0; i < want->rank; i++)
    if (!nr_lower_expect_dim(l, name, x, i, want->dims[i])) return false;
  return true;
}

bool nr_lower_expect_broadcast(NrLower *l, const char *name, NrValue *x, const NrShape *to) {
  size_t rank = nr_rank(x);
  if (rank > to->rank) {
    nr_lower_error(l, "%s has rank %zu; what it is broadcast to has rank %zu", name, rank, to->rank);
    return false;
  }
  for (size_t i = 0; i < rank; i++) {
    NrDim have = nr_lower_dim(l, x, i), want = to->dims[to->rank - rank + i];
    if (nr_dim_is(have, 1) || nr_lower_dims_equal(l, have, want)) continue;
    if (nr_dim_known(have) && nr_dim_known(want)) {
      nr_lower_error(l, "dim %zu of %s is %lld, neither 1 nor %lld", i, name, (long long)have.size,
                     (long long)want.size);
      return false;
    }
    NrValue *values[2] = {nr_dim_value(l, have), nr_dim_value(l, want)};
    NrValue *one = nr_lower_cmpi(l, NR_CMPI_EQ, values[0], nr_lower_index(l, 1));
    nr_lower_check(l, either(l, one, nr_lower_cmpi(l, NR_CMPI_EQ, values[0], values[1])),
                   text_of(l, "dim %zu of %s is %%0, neither 1 nor %%1", name, i), values, 2);
  }
  return true;
}

void nr_lower_expect_elements(NrLower *l, const char *name, NrValue *x, size_t i, const NrShape *result) {
  NrDim have = nr_lower_dim(l, x, i);
  if (nr_dim_known(have) && have.size > 0) return;
  NrValue *zero = nr_lower_index(l, 0), *some = nr_lower_cmpi(l, NR_CMPI_NE, nr_dim_value(l, have), zero);
  for (size_t d = 0; d < result->rank; d++)
    some = either(l, some, nr_lower_cmpi(l, NR_CMPI_EQ, nr_dim_value(l, result->dims[d]), zero));
  nr_lower_check(l, some, text_of(l, "dim %zu of %s is empty, so there is nothing to read", name, i), NULL, 0);
}

static NrValue *least_body(NrLower *l, NrValue *const *a, void *user) {
  (void)user;
  return nr_lower_op2(l, NR_OP_arith_minsi, a[0]->type, a[0], a[1]);
}

static NrValue *max_body(NrLower *l, NrValue *const *a, void *user) {
  (void)user;
  return nr_lower_op2(l, NR_OP_arith_maxsi, a[0]->type, a[0], a[1]);
}

bool nr_lower_expect_values(NrLower *l, const char *name, NrValue *x, NrDim max) {
  uint64_t all = (UINT64_C(1) << nr_rank(x)) - 1;
  NrValue *zero = nr_lower_int(l, x->type->elem, 0), *limit = nr_dim_value(l, max), *none = nr_lower_index(l, 0);
  NrValue *ends[2] = {nr_lower_reduce(l, x, all, false, zero, NULL, least_body, NULL),
                      nr_lower_reduce(l, x, all, false, zero, NULL, max_body, NULL)};
  for (size_t i = 0; i < 2; i++) ends[i] = nr_lower_as_index(l, nr_lower_scalar(l, ends[i]));
  const char *text = nr_arena_printf(&l->state->arena, "a value of %s is %%0; it must be from 0 to %%1", name);
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_SGE, ends[0], none), text, (NrValue *[]){ends[0], limit}, 2);
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_SLE, ends[1], limit), text, (NrValue *[]){ends[1], limit}, 2);
  return true;
}
