/* integer_nodes.c - nodes between DequantizeLinear and QuantizeLinear become nodes on integers.
 *
 *   before  %f = DequantizeLinear(%q, %s, %z)          after  %r = MaxPool(%q)
 *           %m = MaxPool(%f)                                  %y = QLinearConv(%r, %s, %z, %w, .., %t, %u)
 *           %g = Conv(%m, DequantizeLinear(%w, ..))           %c = Clip(%y, %u)
 *           %y = QuantizeLinear(Relu(%g), %t, %u)
 *
 * A node that only moves elements, such as MaxPool or Transpose, is applied to the bytes before they are dequantised. A
 * DequantizeLinear followed by a QuantizeLinear with the same scale and zero point is removed. A product of dequantised
 * values becomes ONNX's product of integers: with a QuantizeLinear behind it QLinearConv, QLinearMatMul or QGemm, else
 * MatMulIntegerToFloat or QGemm.
 * All of them are the same function without the rounding of floats between. Relu and Clip in front of the
 * QuantizeLinear limit its integers instead, which is exact, since rounding keeps order. All other nodes stay:
 * element-wise ones fuse with the conversions around them. */
#include <math.h>

#include "dialect/onnx/attrs.h"
#include "dialect/onnx/dtype.h"
#include "dialect/onnx/ops.h"
#include "onnx/lower/core/nodes.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* (x - zero) * scale of a node; zero may be NULL. */
typedef struct Quantised {
  NrValue *x, *scale, *zero;
} Quantised;

static int64_t count_of(const NrValue *value) {
  int64_t count;
  return value->type->kind == NR_TYPE_TENSOR && nr_type_num_elements(value->type, &count) ? count : -1;
}

static bool is_single(const NrValue *value) { return count_of(value) == 1 && value->type->rank <= 1; }

static bool has_bytes(const NrValue *value) {
  return nr_type_is_tensor(value->type) && nr_type_is_int_width(value->type->elem, 8);
}

static bool is_plain(const NrOp *op) {
  NrValue *scale = nr_node_input(op, 1);
  return op->num_operands >= 2 && scale && !nr_node_attr_int(op, "block_size", 0) &&
         !nr_node_attr_int(op, "output_dtype", 0) && !nr_node_attr_int(op, "precision", 0) &&
         nr_type_is_tensor(scale->type) && nr_type_is_float_kind(scale->type->elem, NR_F32);
}

static bool read_dequantised(const NrValue *value, Quantised *out) {
  NrOp *op = value ? nr_node_made_by(value, NR_OP_onnx_DequantizeLinear) : NULL;
  if (!op || !is_plain(op)) return false;
  *out = (Quantised){nr_node_input(op, 0), nr_node_input(op, 1), nr_node_input(op, 2)};
  return out->x != NULL;
}

/* The same, of 8-bit integers with one scale. */
static bool read_bytes(const NrValue *value, Quantised *out) {
  return read_dequantised(value, out) && is_single(out->scale) && out->zero && is_single(out->zero) &&
         has_bytes(out->zero);
}

/* The same, of a weight of known shape, which may have a scale for each index of dim `axis`. Sums of as many products
 * as it has elements for each of these fit into 32 bits. */
static bool read_weight(const NrValue *value, int64_t axis, Quantised *out) {
  enum { MOST_PRODUCTS = 1 << 15 };
  if (!read_dequantised(value, out) || !has_bytes(out->x) || !nr_type_is_ranked(out->x->type)) return false;
  int64_t rank = out->x->type->rank, own = nr_node_attr_int(value->op, "axis", 1);
  if (axis >= rank || count_of(out->x) < 1 || (out->zero && !has_bytes(out->zero))) return false;
  if (count_of(out->x) / out->x->type->dims[axis] > MOST_PRODUCTS) return false;
  bool along = out->scale->type->rank == 1 && (own < 0 ? own + rank : own) == axis;
  return (is_single(out->scale) || along) && (!out->zero || is_single(out->zero) || along);
}

static double element(NrAttr elements, int64_t i) {
  NrAttr e = nr_attr_element(elements, elements->splat ? 0 : i);
  return nr_type_is_float(elements->type->elem) ? e->f : (double)e->i;
}

/* Whether both are one value, or equal constants. */
static bool is_same(const NrValue *a, const NrValue *b) {
  return a == b || (a && b && nr_node_constant(a) && nr_node_constant(a) == nr_node_constant(b));
}

static bool is_zero(const NrValue *value) {
  NrAttr known = value ? nr_node_constant(value) : NULL;
  for (int64_t i = 0; known && i < count_of(value); i++)
    if (element(known, i) != 0) return false;
  return !value || known;
}

/* Whether the bias is left out, or integers with the scale of the sum: *out is these, or NULL. */
static bool read_bias(const NrValue *value, const Quantised *a, const Quantised *b, NrValue **out) {
  Quantised q;
  *out = NULL;
  if (!value) return true;
  NrAttr left = nr_node_constant(a->scale), right = nr_node_constant(b->scale), own;
  if (!read_dequantised(value, &q) || !(own = nr_node_constant(q.scale)) || !left || !right || !is_zero(q.zero))
    return false;
  int64_t owns = count_of(q.scale), rights = count_of(b->scale);
  if (owns < 1 || rights < 1 || (owns > 1 && rights > 1 && owns != rights)) return false;
  if (!nr_type_is_tensor(q.x->type) || !nr_type_is_int_width(q.x->type->elem, 32)) return false;
  for (int64_t i = 0; i < NR_MAX(owns, rights); i++) {
    double want = element(left, 0) * element(right, rights == 1 ? 0 : i);
    if (fabs(element(own, owns == 1 ? 0 : i) - want) > 1e-5 * fabs(want)) return false;
  }
  *out = q.x;
  return true;
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

static NrValue *byte_constant(NrBuilder *b, NrType elem, int64_t value) {
  return nr_node_new_constant(b, nr_type_tensor(NULL, 0, elem), &(uint8_t){(uint8_t)value}, 1);
}

static NrValue *zero_of(NrBuilder *b, const Quantised *q) {
  return q->zero ? q->zero : byte_constant(b, q->x->type->elem, 0);
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* The product of integers for node `op`, quantised as by q, or as floats where q is NULL; NULL where there is none. */
static NrValue *conv(NrBuilder *b, NrOp *op, const Quantised *q, const NrValue *as) {
  Quantised x, w;
  NrValue *bias;
  if (!q || !read_bytes(nr_node_input(op, 0), &x) || !read_weight(nr_node_input(op, 1), 0, &w) ||
      !read_bias(nr_node_input(op, 2), &x, &w, &bias) || (bias && bias->type->rank != 1))
    return NULL;
  NrValue *inputs[] = {x.x, x.scale, x.zero, w.x, w.scale, zero_of(b, &w), q->scale, q->zero, bias};
  return nr_node_new(b, NR_OP_onnx_QLinearConv, inputs, bias ? 9 : 8, op, nr_onnx_version(op), as);
}

static NrValue *matmul(NrBuilder *b, NrOp *op, const Quantised *q, const NrValue *as) {
  Quantised x, y;
  if (!read_bytes(nr_node_input(op, 0), &x)) return NULL;
  if (!read_bytes(nr_node_input(op, 1), &y) && (!read_weight(nr_node_input(op, 1), 1, &y) || y.x->type->rank != 2))
    return NULL;
  if (!q)
    return nr_node_new(b, NR_OP_onnx_microsoft_MatMulIntegerToFloat,
                (NrValue *[]){x.x, y.x, x.scale, y.scale, x.zero, zero_of(b, &y)}, 6, NULL, 1, as);
  NrValue *inputs[] = {x.x, x.scale, x.zero, y.x, y.scale, zero_of(b, &y), q->scale, q->zero};
  return nr_node_new(b, NR_OP_onnx_QLinearMatMul, inputs, 8, NULL, nr_onnx_version(op), as);
}

static NrValue *gemm(NrBuilder *b, NrOp *op, const Quantised *q, const NrValue *as) {
  Quantised x, y;
  NrValue *bias;
  NrAttr alpha = nr_op_attr_named(op, "alpha"), beta = nr_op_attr_named(op, "beta");
  if ((alpha && alpha->f != 1) || (beta && beta->f != 1)) return NULL;
  if (!read_bytes(nr_node_input(op, 0), &x) ||
      !read_weight(nr_node_input(op, 1), !nr_node_attr_int(op, "transB", 0), &y) ||
      !read_bias(nr_node_input(op, 2), &x, &y, &bias))
    return NULL;
  NrValue *inputs[] = {x.x, x.scale, x.zero, y.x, y.scale, zero_of(b, &y), bias ? bias : nr_node_new_none(b),
                       q ? q->scale : NULL, q ? q->zero : NULL};
  NrValue *out = nr_node_new(b, NR_OP_onnx_microsoft_QGemm, inputs, q ? 9 : 7, NULL, 1, as);
  static const char *const kept[] = {"transA", "transB"};
  for (size_t i = 0; i < NR_COUNTOF(kept); i++)
    if (nr_op_attr_named(op, kept[i])) nr_op_set_attr_named(out->op, kept[i], nr_op_attr_named(op, kept[i]));
  return out;
}

static NrValue *product(NrBuilder *b, NrOp *op, const Quantised *q, const NrValue *as) {
  switch (op ? op->info->id : NR_OP_COUNT) {
  case NR_OP_onnx_Conv: return conv(b, op, q, as);
  case NR_OP_onnx_MatMul: return matmul(b, op, q, as);
  case NR_OP_onnx_Gemm: return gemm(b, op, q, as);
  default: return NULL;
  }
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* Whether op is Relu, or Clip with bounds that are constants. */
static bool is_limit(const NrOp *op) {
  if (nr_op_is(op, NR_OP_onnx_Relu)) return true;
  if (!nr_op_is(op, NR_OP_onnx_Clip) || nr_onnx_version(op) < 11) return false;
  for (size_t i = 1; i < 3; i++)
    if (nr_node_input(op, i) && (!is_single(nr_node_input(op, i)) || !nr_node_constant(nr_node_input(op, i))))
      return false;
  return true;
}

/* The constant x as an integer of q's type. */
static NrValue *limit(NrBuilder *b, const Quantised *q, double x) {
  NrType elem = q->zero->type->elem;
  double least = nr_dtype_of(q->zero->type) == NORIA_U8 ? 0 : -128;
  double at =
      nearbyint((float)x / (float)element(nr_node_constant(q->scale), 0)) + element(nr_node_constant(q->zero), 0);
  return byte_constant(b, elem, (int64_t)fmin(fmax(at, least), least + 255));
}

/* Integers y limited as the floats would be by op. */
static NrValue *limited(NrBuilder *b, const NrOp *op, const Quantised *q, NrValue *y) {
  NrValue *inputs[3] = {y};
  size_t count = nr_op_is(op, NR_OP_onnx_Relu) ? 2 : 3;
  if (count == 2) inputs[1] = limit(b, q, 0);
  for (size_t i = 1; count == 3 && i < 3; i++)
    inputs[i] =
        nr_node_input(op, i) ? limit(b, q, element(nr_node_constant(nr_node_input(op, i)), 0)) : nr_node_new_none(b);
  return nr_node_new(b, NR_OP_onnx_Clip, inputs, count, NULL, NR_MAX(nr_onnx_version(op), 12), y);
}

static NrValue *only_used(NrOp *op) {
  NrValue *result = op && op->num_results == 1 ? nr_op_result(op) : NULL;
  return result && nr_value_has_one_use(result) ? result : NULL;
}

/* QuantizeLinear. */
static bool quantise(NrOp *op) {
  enum { MOST = 4 };
  NrValue *value = nr_node_input(op, 0), *as = nr_op_result(op);
  Quantised q = {NULL, nr_node_input(op, 1), nr_node_input(op, 2)}, from;
  NrOp *limits[MOST];
  size_t count = 0;
  if (!value || !is_plain(op) || !q.zero || !is_single(q.scale) || !is_single(q.zero) || !has_bytes(q.zero))
    return false;
  bool known = nr_node_constant(q.scale) && nr_node_constant(q.zero) && element(nr_node_constant(q.scale), 0) > 0;
  while (known && count < MOST && value->op && is_limit(value->op) && only_used(value->op)) {
    limits[count++] = value->op;
    value = nr_node_input(value->op, 0);
  }
  NrBuilder b = nr_builder_before(op);
  NrValue *y = NULL;
  if (read_bytes(value, &from) && is_same(from.scale, q.scale) && is_same(from.zero, q.zero)) y = from.x;
  else if (value->op && only_used(value->op)) y = product(&b, value->op, &q, as);
  if (!y) return false;
  while (count) y = limited(&b, limits[--count], &q, y);
  return nr_op_replace(op, y);
}

/* Whether the node's float is for a QuantizeLinear, which takes the node with it. */
static bool is_quantised(NrOp *op) {
  NrValue *result = only_used(op);
  NrOp *user = result ? result->first_use->owner : NULL;
  while (user && is_limit(user) && only_used(user)) user = nr_op_result(user)->first_use->owner;
  return nr_op_is(user, NR_OP_onnx_QuantizeLinear);
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

/* How many of the node's inputs are data that it only moves; 0: none. */
static size_t moved(const NrOp *op) {
  switch (op->info->id) {
  case NR_OP_onnx_Concat: return op->num_operands;
  case NR_OP_onnx_DepthToSpace:
  case NR_OP_onnx_Expand:
  case NR_OP_onnx_Flatten:
  case NR_OP_onnx_Gather:
  case NR_OP_onnx_Identity:
  case NR_OP_onnx_MaxPool:
  case NR_OP_onnx_Reshape:
  case NR_OP_onnx_Slice:
  case NR_OP_onnx_SpaceToDepth:
  case NR_OP_onnx_Squeeze:
  case NR_OP_onnx_Tile:
  case NR_OP_onnx_Transpose:
  case NR_OP_onnx_Unsqueeze: return 1;
  default: return 0;
  }
}

static bool move(NrOp *op, size_t count) {
  Quantised first, q;
  if (!read_bytes(nr_node_input(op, 0), &first)) return false;
  NrAttr scale = nr_node_constant(first.scale);
  bool orders = nr_op_is(op, NR_OP_onnx_MaxPool);
  if (orders && !(scale && element(scale, 0) > 0)) return false;
  for (size_t i = 1; i < count; i++)
    if (!read_bytes(nr_node_input(op, i), &q) || !is_same(q.scale, first.scale) || !is_same(q.zero, first.zero))
      return false;
  NrOp *from = nr_node_input(op, 0)->op;
  NrBuilder b = nr_builder_before(op);
  NrValue **inputs = nr_malloc(op->num_operands * sizeof *inputs), *result = nr_op_result(op);
  for (size_t i = 0; i < op->num_operands; i++)
    inputs[i] = i < count ? nr_node_input(nr_node_input(op, i)->op, 0) : nr_operand(op, i);
  int64_t opset = orders ? NR_MAX(nr_onnx_version(op), 12) : nr_onnx_version(op);
  NrValue *y = nr_node_new(&b, op->info->id, inputs, op->num_operands, op, opset, result);
  y->type = nr_type_none(b.ctx);
  nr_free(inputs);
  y = nr_node_new(&b, NR_OP_onnx_DequantizeLinear, (NrValue *[]){y, first.scale, first.zero}, 3, from,
                  nr_onnx_version(from), result);
  return nr_op_replace(op, y);
}

/* A product whose result stays a float. */
static bool multiply(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *y = is_quantised(op) ? NULL : product(&b, op, NULL, nr_op_result(op));
  return y && nr_op_replace(op, y);
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

/* Whether a new node may have taken the place of this one. */
static bool is_replaced(const NrOp *op) {
  bool mine = nr_op_is(op, NR_OP_onnx_DequantizeLinear) || is_limit(op) || nr_op_is(op, NR_OP_onnx_Conv) ||
              nr_op_is(op, NR_OP_onnx_MatMul) || nr_op_is(op, NR_OP_onnx_Gemm);
  return mine && op->num_results == 1 && !nr_value_has_uses(nr_op_result(op));
}

static NrStatus integer_nodes_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  NrOpList ops = {0};
  bool changed = false;
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++) {
    NrOp *op = ops.data[i];
    if (op->num_results != 1) continue; /* MaxPool with indices, and nodes that the lowering refuses */
    if (nr_op_is(op, NR_OP_onnx_QuantizeLinear)) changed |= quantise(op);
    else if (nr_op_is(op, NR_OP_onnx_MatMul) || nr_op_is(op, NR_OP_onnx_Gemm)) changed |= multiply(op);
    else if (moved(op)) changed |= move(op, moved(op));
  }
  ops.size = 0;
  if (changed) nr_collect_ops(root, &ops);
  for (size_t i = ops.size; i-- > 0;) /* users first */
    if (is_replaced(ops.data[i])) nr_op_erase(ops.data[i]);
  nr_vec_deinit(&ops);
  return NR_OK;
}

NR_PASS(integer_nodes, .name = "integer-nodes", .on_while = NR_WHILE_BARRIER, .of_table = true,
        .run = integer_nodes_run,
        .doc = "nodes between DequantizeLinear and QuantizeLinear become nodes on integers")
