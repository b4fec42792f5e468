/* by_four.c - bytes whose products are summed, laid out as CPUs multiply them: four elements of the sum side by side.
 *
 *   x[k, n]  ->  [k / 4, n, 4]
 *
 * vectorize-contractions makes one instruction of four steps of a sum whose factors lie so (pass/linalg/contraction.h).
 * Of a constant, this is computed once, while compiling. */
#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/data.h"

enum { FOUR = 4 };

bool nr_lower_is_of_bytes(const NrValue *a, const NrValue *b) {
  return nr_type_is_int_width(a->type->elem, 8) && nr_type_is_int_width(b->type->elem, 8);
}

typedef struct ByFour {
  NrValue *x;
  size_t rank, from[NORIA_MAX_RANK]; /* the dim of the result that is a dim of x */
  size_t sum;                        /* dim of x */
  NrDim size;                        /* of it */
} ByFour;

NrDim nr_lower_fours(NrLower *l, NrDim size) { return nr_dim_ceildiv(l, size, nr_dim(FOUR)); }

NrValue *nr_lower_place_in_fours(NrLower *l, NrValue *four, NrValue *in, NrDim size, NrValue **out_inside) {
  NrValue *at = add(l, mul(l, four, nr_lower_index(l, FOUR)), in);
  *out_inside = NULL;
  if (nr_dim_known(size) && size.size % FOUR == 0) return at;
  *out_inside = nr_lower_cmpi(l, NR_CMPI_ULT, at, nr_dim_value(l, size));
  if (nr_dim_known(size) && size.size > 0)
    return same2(l, NR_OP_arith_minsi, at, nr_lower_index(l, size.size - 1));
  return nr_lower_select(l, *out_inside, at, nr_lower_index(l, 0));
}

static NrValue *by_four_body(NrLower *l, NrValue *const *at, void *user) {
  const ByFour *f = user;
  NrValue *indices[NORIA_MAX_RANK], *inside;
  for (size_t i = 0; i < f->rank; i++) indices[i] = at[f->from[i]];
  indices[f->sum] = nr_lower_place_in_fours(l, indices[f->sum], at[f->rank], f->size, &inside);
  NrValue *element = nr_lower_extract(l, f->x, indices, f->rank);
  return inside ? nr_lower_select(l, inside, element, nr_lower_constant(l, element->type, 0)) : element;
}

NrValue *nr_lower_by_four(NrLower *l, NrValue *x, const char *dims, char sum, const char *order) {
  NrShape s = nr_lower_shape(l, x), to = {.rank = s.rank + 1};
  ByFour f = {.x = x, .rank = s.rank};
  bool stays = true;
  for (size_t i = 0; i < s.rank; i++) {
    f.from[i] = dims[i] == '.' ? i : (size_t)(strchr(order, dims[i]) - order);
    stays &= f.from[i] == i;
    to.dims[f.from[i]] = s.dims[i];
    if (dims[i] == sum) f.sum = i;
  }
  f.size = s.dims[f.sum];
  to.dims[f.from[f.sum]] = nr_lower_fours(l, f.size);
  to.dims[s.rank] = nr_dim(FOUR);
  bool whole = nr_dim_known(f.size) && f.size.size % FOUR == 0;
  if (stays && whole && f.sum + 1 == s.rank) return nr_lower_reshape(l, x, &to);
  /* Behind the end, another element is read: this holds, and tells the prover that there is one. */
  if (!whole) nr_lower_expect_elements(l, "a factor", x, f.sum, &to);
  return nr_lower_generate(l, &to, x->type->elem, by_four_body, &f);
}
