/* distance.c - CDist of com.microsoft: how far each row of one matrix is from each row of another. */
#include "onnx/lower/ops/contract.h"

/* acc + (a - b)^2. The difference is exact where the rows are near each other; |a|^2 + |b|^2 - 2ab is not. */
static void add_square_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  (void)user;
  NrValue *apart = sub(l, args[0], args[1]);
  results[0] = nr_lower_fast(add(l, args[2], nr_lower_fast(mul(l, apart, apart))));
}

static NrValue *root_body(NrLower *l, NrValue *const *a, void *user) {
  (void)user;
  return same1(l, NR_OP_math_sqrt, a[0]);
}

NrStatus nr_lower_cdist(NrLower *l) {
  NrValue *in[2] = {nr_lower_in(l, 0), nr_lower_in(l, 1)};
  NrStr metric = nr_lower_attr_str(l, "metric");
  bool root = nr_str_is(metric, "euclidean");
  if (!root && !nr_str_is(metric, "sqeuclidean"))
    return nr_lower_error(l, "metric is '%.*s'; it must be euclidean or sqeuclidean", NR_STR_ARG(metric));
  if (!nr_lower_expect_rank(l, "A", in[0], 2) || !nr_lower_expect_rank(l, "B", in[1], 2)) return NR_ERROR_INVALID;
  if (!nr_lower_expect_dim(l, "B", in[1], 1, nr_lower_dim(l, in[0], 1))) return NR_ERROR_INVALID;
  NrShape shape = {2, {nr_lower_dim(l, in[0], 0), nr_lower_dim(l, in[1], 0)}};
  NrValue *sums = nr_lower_zeros(l, &shape, in[0]->type->elem);
  NrAffineExpr m = nr_affine_dim(l->ctx, 0), n = nr_affine_dim(l->ctx, 1), k = nr_affine_dim(l->ctx, 2);
  NrAttr maps[3] = {nr_attr_affine_map(l->ctx, 3, 0, (NrAffineExpr[]){m, k}, 2),
                    nr_attr_affine_map(l->ctx, 3, 0, (NrAffineExpr[]){n, k}, 2),
                    nr_attr_affine_map(l->ctx, 3, 0, (NrAffineExpr[]){m, n}, 2)};
  sums = nr_op_result(nr_lower_generic(l, in, 2, &sums, 1, maps, "ppr", add_square_body, NULL));
  if (root) sums = nr_lower_map(l, &sums, 1, NULL, root_body, NULL);
  return nr_lower_out(l, 0, sums, nr_lower_dtype(l, 0));
}
