/* weight_nodes.c - products with weights that are stored in 8 bits or fewer become MatMulNBits.
 *
 *   before  %w = DequantizeLinear(%q, %s, %z)          after  %y = MatMulNBits(%x, %packed, %scales, %zeros)
 *           %y = MatMul(%x, %w)
 *
 * The other factor is a float. MatMulNBits unpacks such weights in the loop of the product, so the program holds and
 * reads them as they are stored, and a float for each is neither computed nor kept. That takes no longer than a product
 * of floats, and with few rows, where reading the weights is most of the time, less (docs/codegen.md). Weights, scales
 * and zero points are constants, of which packed ones are made here: a row for each column of the product, in blocks
 * along it. Weights with one scale, or one for each column, get blocks of a size that divides the rows where one does.
 * A Gemm is such a product too, and a Transpose of the weights is taken along. */
#include <string.h>

#include "dialect/onnx/attrs.h"
#include "dialect/onnx/dtype.h"
#include "dialect/onnx/ops.h"
#include "onnx/lower/core/nodes.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

enum {
  LEAST_BLOCK = 16, /* that MatMulNBits has */
  BLOCK = 128,      /* where a scale belongs to a whole column: scales are an eighth of the weights, or less */
};

/* A constant as a table over (k, n). */
typedef struct Table {
  const char *data;
  size_t elem;              /* bytes */
  int64_t stride_k, stride_n; /* in elements; 0: the same for all */
} Table;

typedef struct Weights {
  Table q, scale, zero;    /* scale and zero: over (block, n); zero.data may be NULL */
  NrType scale_type, byte; /* byte: ui8 */
  int64_t k, n, block;     /* block: of scale and zero */
  unsigned bits;
  bool is_signed;
} Weights;

static const char *at(const Table *t, int64_t k, int64_t n) {
  return t->data + (size_t)(k * t->stride_k + n * t->stride_n) * t->elem;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Whether op swaps the two dims of a matrix. */
static bool swaps(const NrOp *op) {
  NrAttr perm = nr_op_attr_named(op, "perm");
  if (!nr_op_is(op, NR_OP_onnx_Transpose)) return false;
  if (!perm) return true;
  const int64_t *p = perm->kind == NR_ATTR_DENSE_ARRAY && perm->data_size == 2 * sizeof *p ? perm->data : NULL;
  return p && p[0] == 1 && p[1] == 0;
}

static const NrValue *behind_transposes(const NrValue *value, bool *swapped) {
  for (; value && value->op && swaps(value->op); value = nr_node_input(value->op, 0)) *swapped = !*swapped;
  return value;
}

/* Table over a matrix whose dim 0 is k, or n where it is swapped. */
static Table matrix(NrAttr elements, bool swapped) {
  Table t = {elements->data, nr_type_byte_size(elements->type->elem), 0, 0};
  if (elements->splat) return t;
  int64_t row = elements->type->dims[1];
  t.stride_k = swapped ? 1 : row;
  t.stride_n = swapped ? row : 1;
  return t;
}

/* Table of a scale or zero point: one for all, one for each n, or a matrix of blocks. axis: that of k in it. */
static bool read_parameter(NrAttr p, const Weights *w, const NrOp *op, int64_t axis, Table *out) {
  NrType type = p->type;
  int64_t count, own = nr_node_attr_int(op, "axis", 1);
  own += own < 0 ? 2 : 0;
  if (!nr_type_num_elements(type, &count)) return false;
  *out = (Table){p->data, nr_type_byte_size(type->elem), 0, 0};
  if (type->rank < 2 && count == 1) return true;
  if (type->rank == 1 && own == 1 - axis && count == w->n && w->block == 0)
    return out->stride_n = p->splat ? 0 : 1, true;
  if (type->rank != 2 || own != axis || !w->block) return false;
  *out = matrix(p, axis == 1);
  return type->dims[axis] == (w->k - 1) / w->block + 1 && type->dims[1 - axis] == w->n;
}

static bool is_weight_type(NoriaDType t, Weights *w) {
  switch (t) {
  case NORIA_I8: case NORIA_U8: w->bits = 8; break;
  case NORIA_I4: case NORIA_U4: w->bits = 4; break;
  case NORIA_I2: case NORIA_U2: w->bits = 2; break;
  default: return false;
  }
  w->is_signed = t == NORIA_I8 || t == NORIA_I4 || t == NORIA_I2;
  return true;
}

/* Reads a right factor [k, n], or [n, k] where it is swapped. */
static bool read_weights(const NrValue *value, bool swapped, Weights *w) {
  value = behind_transposes(value, &swapped);
  NrOp *op = value ? nr_node_made_by(value, NR_OP_onnx_DequantizeLinear) : NULL;
  if (!op || op->num_operands < 2 || nr_node_attr_int(op, "output_dtype", 0)) return false;
  bool stored = swapped;
  NrAttr q = nr_node_constant(behind_transposes(nr_node_input(op, 0), &stored));
  NrAttr scale = nr_node_constant(nr_node_input(op, 1)), zero = nr_node_constant(nr_node_input(op, 2));
  if (!q || !scale || (nr_node_input(op, 2) && !zero) || q->type->rank != 2) return false;
  NoriaDType real = nr_dtype_of(scale->type);
  if ((real != NORIA_F32 && real != NORIA_F16 && real != NORIA_BF16) || !is_weight_type(nr_dtype_of(q->type), w) ||
      (zero && nr_dtype_of(zero->type) != nr_dtype_of(q->type)))
    return false;
  int64_t axis = swapped ? 1 : 0;
  w->k = q->type->dims[stored ? 1 : 0], w->n = q->type->dims[stored ? 0 : 1];
  w->scale_type = scale->type->elem, w->byte = nr_dtype_type(q->ctx, NORIA_U8);
  w->block = nr_node_attr_int(op, "block_size", 0);
  if (w->k < 1 || w->n < 1 || w->k > INT32_MAX || w->n > INT32_MAX || w->block < 0 || w->block > INT32_MAX ||
      (w->block && nr_onnx_version(op) < 21))
    return false;
  w->q = matrix(q, stored);
  w->zero.data = NULL;
  return read_parameter(scale, w, op, axis, &w->scale) && (!zero || read_parameter(zero, w, op, axis, &w->zero));
}

/* The greatest block of MatMulNBits that is in one block of the weights; 0: there is none. */
static int64_t own_block(const Weights *w) {
  int64_t block = w->block ? w->block & -w->block : BLOCK;
  while (block > LEAST_BLOCK && (block / 2 >= w->k || (!w->block && w->k % block))) block /= 2;
  return block >= LEAST_BLOCK ? block : 0;
}

/* ---- packing ----------------------------------------------------------------------------------------------------- */

/* The code that MatMulNBits has for a stored value: without a sign, 0 being the least. */
static unsigned code_of(const Weights *w, const char *stored) {
  unsigned mask = (1u << w->bits) - 1, value = *(const unsigned char *)stored;
  return (w->is_signed ? value + (1u << (w->bits - 1)) : value) & mask;
}

/* [n, blocks, block * bits / 8]; values behind k are 0. */
static NrValue *pack_values(NrBuilder *b, const Weights *w, int64_t block, int64_t blocks) {
  enum { TILE = 64 }; /* columns: their lines stay in the cache */
  int64_t per_byte = 8 / (int64_t)w->bits, row = blocks * (block / per_byte);
  NrType type = nr_type_tensor((int64_t[]){w->n, blocks, block / per_byte}, 3, w->byte);
  size_t size = (size_t)w->n * (size_t)row;
  uint8_t *bytes = nr_calloc(size, 1);
  for (int64_t from = 0; from < w->n; from += TILE)
    for (int64_t k = 0; k < w->k; k++)
      for (int64_t n = from; n < NR_MIN(from + TILE, w->n); n++)
        bytes[n * row + k / per_byte] |= (uint8_t)(code_of(w, at(&w->q, k, n)) << (unsigned)(k % per_byte) * w->bits);
  NrValue *value = nr_node_new_constant(b, type, bytes, size);
  nr_free(bytes);
  return value;
}

/* Where block i of MatMulNBits is in the table of the weights' own blocks. */
static int64_t table_row(const Weights *w, int64_t i, int64_t block) { return w->block ? i * block / w->block : 0; }

static NrValue *pack_scales(NrBuilder *b, const Weights *w, int64_t block, int64_t blocks) {
  size_t elem = w->scale.elem, size = (size_t)w->n * (size_t)blocks * elem;
  char *data = nr_malloc(size), *out = data;
  for (int64_t n = 0; n < w->n; n++)
    for (int64_t i = 0; i < blocks; i++, out += elem) memcpy(out, at(&w->scale, table_row(w, i, block), n), elem);
  NrValue *value = nr_node_new_constant(b, nr_type_tensor((int64_t[]){w->n, blocks}, 2, w->scale_type), data, size);
  nr_free(data);
  return value;
}

/* [n, bytes for a value of each block]. */
static NrValue *pack_zeros(NrBuilder *b, const Weights *w, int64_t block, int64_t blocks) {
  if (!w->zero.data && w->is_signed) return nr_node_new_none(b); /* the middle, which is the default */
  int64_t per_byte = 8 / (int64_t)w->bits, row = (blocks - 1) / per_byte + 1;
  size_t size = (size_t)w->n * (size_t)row;
  uint8_t *bytes = nr_calloc(size, 1);
  for (int64_t n = 0; w->zero.data && n < w->n; n++)
    for (int64_t i = 0; i < blocks; i++) {
      unsigned code = code_of(w, at(&w->zero, table_row(w, i, block), n));
      bytes[n * row + i / per_byte] |= (uint8_t)(code << (unsigned)(i % per_byte) * w->bits);
    }
  NrValue *value = nr_node_new_constant(b, nr_type_tensor((int64_t[]){w->n, row}, 2, w->byte), bytes, size);
  nr_free(bytes);
  return value;
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* Whether Gemm adds nothing, or a vector of n, which is *out. */
static bool read_bias(const NrOp *op, const Weights *w, NrValue **out) {
  NrAttr alpha = nr_op_attr_named(op, "alpha"), beta = nr_op_attr_named(op, "beta");
  NrValue *c = nr_node_input(op, 2);
  *out = c;
  if (nr_onnx_version(op) < 7 || nr_node_attr_int(op, "transA", 0) || (alpha && alpha->f != 1)) return false;
  return !c || ((!beta || beta->f == 1) && nr_type_is_tensor(c->type) && nr_type_is_ranked(c->type) &&
                c->type->rank == 1 && c->type->dims[0] == w->n);
}

static bool replace_product(NrOp *op) {
  Weights w;
  NrValue *bias = NULL;
  bool gemm = nr_op_is(op, NR_OP_onnx_Gemm);
  if (op->num_results != 1 || !nr_node_input(op, 0) || !nr_node_input(op, 1) ||
      !read_weights(nr_node_input(op, 1), gemm && nr_node_attr_int(op, "transB", 0), &w) ||
      (gemm && !read_bias(op, &w, &bias)))
    return false;
  int64_t block = own_block(&w), blocks = block ? (w.k - 1) / block + 1 : 0;
  if (!block) return false;
  NrBuilder b = nr_builder_before(op);
  NrValue *inputs[] = {nr_node_input(op, 0), pack_values(&b, &w, block, blocks), pack_scales(&b, &w, block, blocks),
                       pack_zeros(&b, &w, block, blocks), nr_node_new_none(&b), bias};
  NrValue *y = nr_node_new(&b, NR_OP_onnx_microsoft_MatMulNBits, inputs, bias ? 6 : 4, NULL, 1, nr_op_result(op));
  const struct { const char *name; int64_t value; } attrs[] = {{"K", w.k}, {"N", w.n}, {"bits", w.bits},
                                                               {"block_size", block}};
  for (size_t i = 0; i < NR_COUNTOF(attrs); i++)
    nr_op_set_attr_named(y->op, attrs[i].name, nr_attr_i64(b.ctx, attrs[i].value));
  return nr_op_replace(op, y);
}

static NrStatus weight_nodes_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  NrOpList ops = {0};
  nr_collect_ops(root, &ops);
  bool changed = false;
  for (size_t i = 0; i < ops.size; i++)
    if (nr_op_is(ops.data[i], NR_OP_onnx_MatMul) || nr_op_is(ops.data[i], NR_OP_onnx_Gemm))
      changed |= replace_product(ops.data[i]);
  ops.size = 0;
  if (changed) nr_collect_ops(root, &ops);
  for (size_t i = ops.size; i-- > 0;) { /* users first */
    NrOp *op = ops.data[i];
    bool mine = nr_op_is(op, NR_OP_onnx_DequantizeLinear) || nr_op_is(op, NR_OP_onnx_Transpose);
    if (mine && op->num_results == 1 && !nr_value_has_uses(nr_op_result(op))) nr_op_erase(op);
  }
  nr_vec_deinit(&ops);
  return NR_OK;
}

NR_PASS(weight_nodes, .name = "weight-nodes", .on_while = NR_WHILE_BARRIER, .of_table = true, .run = weight_nodes_run,
        .doc = "products with dequantised weights become MatMulNBits, which unpacks them in its loop")
