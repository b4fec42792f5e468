/* move.c - Transpose, DepthToSpace, SpaceToDepth. */
#include "onnx/lower/ops/data.h"

NrStatus nr_lower_transpose_op(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  size_t rank = nr_rank(x), perm[NORIA_MAX_RANK], count = rank;
  const int64_t *given = NULL;
  uint64_t seen = 0;
  nr_lower_attr_ints(l, "perm", &given, &count);
  if (count != rank) return nr_lower_error(l, "a permutation of %zu dims for rank %zu", count, rank);
  for (size_t i = 0; i < rank; i++) {
    perm[i] = rank - 1 - i;
    if (given && !nr_lower_axis(l, given[i], rank, &perm[i])) return NR_ERROR_INVALID;
    if (seen >> perm[i] & 1) return nr_lower_error(l, "the permutation names dim %zu twice", perm[i]);
    seen |= UINT64_C(1) << perm[i];
  }
  return nr_lower_out(l, 0, nr_lower_transpose(l, x, perm), nr_lower_dtype(l, 0));
}

/* ---- depth and space ---- */

static bool image_blocks(NrLower *l, NrValue *x, int64_t *out_block) {
  *out_block = nr_lower_attr_int(l, "blocksize");
  if (nr_rank(x) != 4) return nr_lower_error(l, "the input has rank %u, not 4", nr_rank(x)), false;
  if (*out_block < 1 || *out_block > INT32_MAX)
    return nr_lower_error(l, "blocksize %lld is not positive", (long long)*out_block), false;
  return true;
}

/* dim / by, which must be exact. */
static bool divide_dim(NrLower *l, NrDim dim, NrDim by, NrDim *out) {
  *out = nr_dim_div(l, dim, by);
  NrDim back = nr_dim_mul(l, *out, by);
  if (nr_dim_known(dim) && nr_dim_known(by) && back.size != dim.size) {
    nr_lower_error(l, "a dim of %lld does not divide by %lld", (long long)dim.size, (long long)by.size);
    return false;
  }
  nr_lower_check_dims_equal(l, dim, back, "a dim is no multiple of the block");
  return true;
}

NrStatus nr_lower_depth_to_space(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  int64_t block;
  if (!image_blocks(l, x, &block)) return NR_ERROR_INVALID;
  NrStr mode = nr_lower_attr_str(l, "mode");
  bool crd = nr_str_is(mode, "CRD");
  if (!crd && !nr_str_is(mode, "DCR")) return nr_lower_error(l, "mode '%.*s' is not known", NR_STR_ARG(mode));
  NrShape from = nr_lower_shape(l, x);
  NrDim n = from.dims[0], h = from.dims[2], w = from.dims[3], b = nr_dim(block), depth;
  if (!divide_dim(l, from.dims[1], nr_dim_mul(l, b, b), &depth)) return NR_ERROR_INVALID;
  NrShape apart = {6, {n, crd ? depth : b, b, crd ? b : depth, h, w}};
  NrShape to = {4, {n, depth, nr_dim_mul(l, h, b), nr_dim_mul(l, w, b)}};
  const size_t dcr_perm[6] = {0, 3, 4, 1, 5, 2}, crd_perm[6] = {0, 1, 4, 2, 5, 3};
  NrValue *moved = nr_lower_transpose(l, nr_lower_reshape(l, x, &apart), crd ? crd_perm : dcr_perm);
  return nr_lower_out(l, 0, nr_lower_reshape(l, moved, &to), nr_lower_dtype(l, 0));
}

NrStatus nr_lower_space_to_depth(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  int64_t block;
  if (!image_blocks(l, x, &block)) return NR_ERROR_INVALID;
  NrShape from = nr_lower_shape(l, x);
  NrDim n = from.dims[0], c = from.dims[1], b = nr_dim(block), h, w;
  if (!divide_dim(l, from.dims[2], b, &h) || !divide_dim(l, from.dims[3], b, &w)) return NR_ERROR_INVALID;
  NrShape apart = {6, {n, c, h, b, w, b}}, to = {4, {n, nr_dim_mul(l, c, nr_dim_mul(l, b, b)), h, w}};
  NrStr mode = nr_lower_attr_str(l, "mode");
  bool crd = nr_str_is(mode, "CRD");
  if (!crd && !nr_str_is(mode, "DCR")) return nr_lower_error(l, "mode '%.*s' is not known", NR_STR_ARG(mode));
  const size_t dcr_perm[6] = {0, 3, 5, 1, 2, 4}, crd_perm[6] = {0, 1, 3, 5, 2, 4};
  NrValue *moved = nr_lower_transpose(l, nr_lower_reshape(l, x, &apart), crd ? crd_perm : dcr_perm);
  return nr_lower_out(l, 0, nr_lower_reshape(l, moved, &to), nr_lower_dtype(l, 0));
}
