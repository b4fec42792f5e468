/* conv_by_channels.c - convolutions whose sums lie side by side along the channels of the result.
 *   sum[n, j, i.., o] = sum of x[n, c, i*s + k*d] * w[j, c, k.., o], for element o of block j, which is channel
 *   j * BLOCK + o of the result
 * A vector has the sums of some channels for one window. An element of the window is read where it lies in x, once for
 * all of them. So no windows are gathered, rows of any length fill the vectors, and the kernel is read in order. The
 * sums are transposed in the end, and the bias is added. The kernel has to be a constant, which the compiler lays out
 * in blocks, and the result to have channels enough to fill these.
 *
 * 256 channels to 256 under a kernel of 3x3, one thread of a Zen 5, in ms, gathered and by channels: a map of 32x40
 * 7.05 and 6.0; 16x20 1.73 and 1.54; 4x5 0.18 and 0.11. */
#include "ir/ir.h"
#include "onnx/lower/core/body.h"
#include "onnx/lower/ops/contract.h"

enum {
  BLOCK = 32,
  WASTE = 8,         /* at most one in so many channels of the blocks is none of the result's */
  LEAST_DEPTH = 256, /* elements of a sum, which takes longer than to transpose it */
};

static bool is_constant(const NrValue *k) {
  NrAttr value = nr_value_constant(k);
  return value && nr_attr_is_elements(value) && !value->splat;
}

/* Whether a tile has some positions along the last dim, or along the one before where that has one. A signal of unknown
 * length may have one position or two, as where it is a short piece of a stream; there is code for few positions
 * (few_columns.c) where windows are gathered. */
static bool has_rows(const NrWindow *w) {
  enum { LEAST_ROW = 4, LEAST_POSITIONS = 8 };
  NrDim last = w->out[w->spatial - 1];
  int64_t positions = 1;
  for (size_t i = 0; i < w->spatial; i++) {
    if (!nr_dim_known(w->out[i]))
      return w->spatial > 1 && (!nr_dim_known(last) || last.size == 1 || last.size >= LEAST_ROW);
    if (!nr_mul_i64(positions, w->out[i].size, &positions)) return false;
  }
  return positions >= LEAST_POSITIONS && (last.size == 1 || last.size >= LEAST_ROW);
}

bool nr_lower_conv_takes_channels(const NrValue *x, const NrValue *k, int64_t groups, const NrWindow *w) {
  NrType type = k->type;
  bool is_float = nr_type_is_float_kind(type->elem, NR_F32) || nr_type_is_float_kind(type->elem, NR_F64);
  if (!is_float || x->type->elem != type->elem || groups != 1 || !nr_type_has_static_shape(type) || !is_constant(k))
    return false;
  int64_t channels = type->dims[0], behind = (BLOCK - channels % BLOCK) % BLOCK, depth = type->dims[1];
  bool is_pointwise = true;
  if (channels < BLOCK || behind * WASTE > channels || 2 * w->spatial + 4 > NORIA_MAX_RANK) return false;
  for (size_t i = 0; i < w->spatial; i++) {
    if (!nr_dim_known(w->begin[i]) || !nr_dim_known(w->end[i]) || w->begin[i].size < 0 || w->end[i].size < 0)
      return false;
    is_pointwise &= nr_dim_is(w->size[i], 1);
    if (!nr_mul_i64(depth, type->dims[2 + i], &depth)) return false;
  }
  return !is_pointwise && depth >= LEAST_DEPTH && has_rows(w);
}

/* The channel of the result that element `in` of a block is; *out_inside: whether it is one, NULL where all are. */
static NrValue *channel_of(NrLower *l, NrValue *block, NrValue *in, NrDim channels, NrValue **out_inside) {
  NrValue *channel = same2(l, NR_OP_arith_addi, same2(l, NR_OP_arith_muli, block, nr_lower_index(l, BLOCK)), in);
  *out_inside = NULL;
  if (channels.size % BLOCK == 0) return channel;
  *out_inside = nr_lower_cmpi(l, NR_CMPI_ULT, channel, nr_dim_value(l, channels));
  return nr_lower_select(l, *out_inside, channel, nr_lower_index(l, 0));
}

typedef struct Blocks {
  NrValue *from; /* with a dim of channels, the first one */
  NrDim channels;
} Blocks;

/* Element (block, others.., channel of the block). */
static NrValue *blocks_body(NrLower *l, NrValue *const *at, void *user) {
  const Blocks *b = user;
  size_t rank = nr_rank(b->from);
  NrValue *indices[NORIA_MAX_RANK], *inside;
  memcpy(indices + 1, at + 1, (rank - 1) * sizeof *at);
  indices[0] = channel_of(l, at[0], at[rank], b->channels, &inside);
  NrValue *element = nr_lower_extract(l, b->from, indices, rank);
  return inside ? nr_lower_select(l, inside, element, nr_lower_constant(l, element->type, 0)) : element;
}

/* The tensor [channels, others..] as [blocks, others.., BLOCK], with zeros behind the last channel. */
static NrValue *in_blocks(NrLower *l, NrValue *from) {
  NrShape shape = nr_lower_shape(l, from);
  Blocks b = {from, shape.dims[0]};
  shape.dims[0] = nr_dim((shape.dims[0].size + BLOCK - 1) / BLOCK);
  shape.dims[shape.rank++] = nr_dim(BLOCK);
  return nr_lower_generate(l, &shape, from->type->elem, blocks_body, &b);
}

void nr_lower_conv_by_channels(NrLower *l, NrValue *k, NrConv *c) {
  c->by_channels = true;
  c->kernel = in_blocks(l, k);
  c->out = (NrShape){c->spatial + 3, {c->result.dims[0], nr_lower_dim(l, c->kernel, 0)}};
  for (size_t i = 0; i < c->spatial; i++) c->out.dims[2 + i] = c->result.dims[2 + i];
  c->out.dims[2 + c->spatial] = nr_dim(BLOCK);
}

/* Loops: n, block, positions.., channel of the block, then what is summed: channel of x, kernel.. */
NrValue *nr_lower_conv_channels_sum(NrLower *l, const NrConv *c, NrValue *init) {
  size_t spatial = c->spatial, of_result = spatial + 3, count = of_result + 1 + spatial;
  NrAffineExpr dims[2 * NORIA_MAX_RANK], x[NORIA_MAX_RANK], kernel[NORIA_MAX_RANK];
  char iterators[2 * NORIA_MAX_RANK + 1] = {0};
  for (size_t i = 0; i < count; i++) {
    dims[i] = nr_affine_dim(l->ctx, (uint32_t)i);
    iterators[i] = i < of_result ? 'p' : 'r';
  }
  x[0] = dims[0];
  x[1] = dims[of_result];
  kernel[0] = dims[1];
  kernel[1] = dims[of_result];
  for (size_t i = 0; i < spatial; i++) {
    NrAffineExpr at = dims[2 + i], tap = dims[of_result + 1 + i];
    kernel[2 + i] = tap;
    at = nr_affine_binary(NR_AFFINE_MUL, at, nr_affine_constant(l->ctx, c->window.stride[i]));
    tap = nr_affine_binary(NR_AFFINE_MUL, tap, nr_affine_constant(l->ctx, c->window.dilation[i]));
    x[2 + i] = nr_affine_binary(NR_AFFINE_ADD, at, tap);
  }
  kernel[2 + spatial] = dims[2 + spatial];
  NrAttr maps[3] = {nr_attr_affine_map(l->ctx, (uint32_t)count, 0, x, 2 + spatial),
                    nr_attr_affine_map(l->ctx, (uint32_t)count, 0, kernel, 3 + spatial),
                    nr_attr_affine_map(l->ctx, (uint32_t)count, 0, dims, of_result)};
  return nr_op_result(
      nr_lower_generic(l, (NrValue *[]){c->x, c->kernel}, 2, &init, 1, maps, iterators, nr_multiply_add_body, NULL));
}

NrValue *nr_lower_conv_channels_result(NrLower *l, const NrConv *c, NrValue *sum, NrValue *bias) {
  size_t perm[NORIA_MAX_RANK] = {0, 1, 2 + c->spatial};
  for (size_t i = 0; i < c->spatial; i++) perm[3 + i] = 2 + i;
  NrShape all = c->result;
  all.dims[1] = nr_dim_mul(l, c->out.dims[1], nr_dim(BLOCK));
  NrValue *y = nr_lower_transpose(l, sum, perm);
  if (bias) {
    NrShape column = {y->type->rank, {nr_dim(1), c->out.dims[1], nr_dim(BLOCK)}};
    for (size_t i = 0; i < c->spatial; i++) column.dims[3 + i] = nr_dim(1);
    NrValue *blocks = c->result.dims[1].size % BLOCK ? in_blocks(l, bias) : bias;
    y = nr_lower_sum(l, y, nr_lower_reshape(l, blocks, &column));
  }
  y = nr_lower_reshape(l, y, &all);
  if (nr_dim_same(all.dims[1], c->result.dims[1])) return y;
  NrDim offsets[NORIA_MAX_RANK];
  for (size_t i = 0; i < all.rank; i++) offsets[i] = nr_dim(0);
  return nr_lower_slice(l, y, offsets, c->result.dims, NULL);
}
