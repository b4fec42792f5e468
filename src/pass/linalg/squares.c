/* squares.c - transposes in registers.
 *   o[j, i] = f(a[i, j], b[j, i])      before  loops over i and j, which load a or store o an element at a time
 *                                      after   16 vectors of a are loaded along j and turned; then, for each of 16 j,
 *                                              f of a vector of them and of one of b, along i, is stored
 * Vectors are turned by swaps: the lanes of blocks of 1, then of 2, 4 and so on, off the diagonal. At the end of a line
 * vectors are stored under a mask, and the last rows of `a` are loaded again for those behind. */
#include "pass/linalg/squares.h"

#include "dialect/affine/affine.h"
#include "dialect/arith/arith.h"
#include "dialect/memref/memref.h"
#include "dialect/vector/vector.h"
#include "pass/core/rewrite.h"
#include "target/target.h"

enum { MAX_LANES = 16, MAX_INPUTS = 8, MOST_OPS = 12 /* of a body, which is repeated for each line */ };

/* What an input has along the two loops. */
typedef enum Lie {
  LIE_SCALAR, /* one element for all of a line */
  LIE_ALONG,  /* elements side by side along the line */
  LIE_TURNED, /* elements side by side across it */
  LIE_OTHER,
} Lie;

static bool is_dim(NrAffineExpr e, uint32_t d) { return e->kind == NR_AFFINE_DIM && e->value == (int64_t)d; }

static bool uses(NrAttr map, uint32_t d, uint32_t end) {
  for (uint32_t r = 0; r < end; r++)
    if (nr_affine_uses_dim(map->exprs[r], d)) return true;
  return false;
}

/* Whether the elements of the last dim lie side by side. */
static bool has_unit_stride(NrType type) {
  int64_t strides[NR_MAX_RANK], offset;
  return type->rank && nr_memref_strides(type, strides, &offset) && strides[type->rank - 1] == 1;
}

static Lie lie_of(const NrSquare *s, size_t k) {
  NrAttr map = nr_linalg_map(s->op, k);
  NrType type = nr_operand(s->op, k)->type;
  if (!nr_type_is_memref(type) || !uses(map, s->line, map->num_exprs)) return LIE_SCALAR;
  uint32_t last = map->num_exprs - 1;
  if (!has_unit_stride(type) || uses(map, s->line, last) == is_dim(map->exprs[last], s->line)) return LIE_OTHER;
  if (is_dim(map->exprs[last], s->line)) return LIE_ALONG;
  return is_dim(map->exprs[last], s->across) && !uses(map, s->across, last) ? LIE_TURNED : LIE_OTHER;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

static bool takes_type(NrType type, size_t bytes) {
  return (nr_type_is_float(type) || nr_type_is_int(type)) && type->kind != NR_TYPE_VECTOR &&
         (nr_type_is_int_width(type, 1) || nr_type_byte_size(type) == bytes);
}

static bool takes_body(const NrOp *op, size_t bytes) {
  size_t count = 0;
  const NrBlock *body = nr_op_only_body(op);
  for (NrOp *inner = body->first; inner != body->last; inner = inner->next) {
    bool plain = nr_op_has(inner, NR_ELEMENTWISE) && inner->num_results == 1 && !inner->num_regions;
    if ((!plain && !nr_op_has(inner, NR_CONSTANT_LIKE)) || !takes_type(nr_op_result(inner)->type, bytes)) return false;
    if (nr_op_has(inner, NR_DIVIDES)) return false; /* lanes behind the end have any elements */
    for (uint32_t i = 0; i < inner->num_operands; i++)
      if (!takes_type(nr_operand(inner, i)->type, bytes)) return false;
    if (++count > MOST_OPS) return false;
  }
  return true;
}

bool nr_square_fits(NrSquare *s, const NrTarget *target) {
  size_t num_inputs = nr_linalg_num_inputs(s->op);
  NrType out = nr_operand(s->op, num_inputs)->type;
  size_t bytes = nr_type_is_memref(out) ? nr_type_byte_size(out->elem) : 0;
  if (bytes != 4 && bytes != 8) return false;
  s->lanes = target->vector_bytes / (uint32_t)bytes;
  int64_t across = nr_linalg_static_range(s->op, s->across);
  int64_t line = nr_linalg_static_range(s->op, s->line);
  if (s->lanes < 4 || s->lanes > MAX_LANES || (line != NR_DYNAMIC && line < s->lanes / 2)) return false;
  if (across < 1 || across % s->lanes || num_inputs > MAX_INPUTS || nr_linalg_num_outputs(s->op) != 1) return false;
  if (!takes_body(s->op, bytes) || lie_of(s, num_inputs) != LIE_ALONG) return false;
  bool turned = false;
  for (size_t k = 0; k < num_inputs; k++) {
    NrType elem = nr_type_elem(nr_operand(s->op, k)->type);
    Lie lie = lie_of(s, k);
    if (lie == LIE_OTHER || !takes_type(elem, bytes) || nr_type_is_int_width(elem, 1)) return false;
    turned |= lie == LIE_TURNED;
  }
  return turned;
}

/* ---- emitting ---------------------------------------------------------------------------------------------------- */

static NrValue *constant_index(NrBuilder *b, int64_t value) { return nr_arith_constant_index(b, value); }

static NrType vector_of(const NrSquare *s, NrType elem) {
  return nr_type_vector((int64_t[]){s->lanes}, 1, elem);
}

/* Writes operand k and its indices to operands; returns their number. */
static size_t access(const NrSquare *s, NrBuilder *b, size_t k, NrValue *const *ivs, NrValue **operands) {
  NrAttr map = nr_linalg_map(s->op, k);
  size_t n = 0;
  operands[n++] = nr_operand(s->op, k);
  for (uint32_t r = 0; r < map->num_exprs; r++)
    operands[n++] = nr_affine_expand_indices(b, map->exprs[r], map->num_dims, ivs);
  return n;
}

static NrValue *load(const NrSquare *s, NrBuilder *b, size_t k, NrValue *const *ivs, NrValue *mask) {
  NrValue *operands[NR_MAX_RANK + 3];
  size_t n = access(s, b, k, ivs, operands);
  NrType type = vector_of(s, operands[0]->type->elem);
  if (!mask) return nr_build_value(b, NR_OP_vector_load, type, operands, n);
  uint64_t zero = 0;
  NrOp *constant = nr_build_op(b, NR_OP_arith_constant, NULL, 0, &type, 1);
  nr_op_set_attr(constant, NR_A_value, nr_attr_dense(type, &zero, nr_type_byte_size(type->elem)));
  operands[n] = mask;
  operands[n + 1] = nr_op_result(constant);
  return nr_build_value(b, NR_OP_vector_maskedload, type, operands, n + 2);
}

static NrValue *scalar(const NrSquare *s, NrBuilder *b, size_t k, NrValue *const *ivs) {
  NrValue *operands[NR_MAX_RANK + 1], *value = nr_operand(s->op, k);
  if (!nr_type_is_memref(value->type)) return value;
  return nr_build_value(b, NR_OP_memref_load, value->type->elem, operands, access(s, b, k, ivs, operands));
}

static void store(const NrSquare *s, NrBuilder *b, NrValue *value, NrValue *const *ivs, NrValue *mask) {
  NrValue *operands[NR_MAX_RANK + 3] = {value};
  size_t out = nr_linalg_num_inputs(s->op);
  if (!mask) {
    nr_build_op(b, NR_OP_vector_store, operands, 1 + access(s, b, out, ivs, operands + 1), NULL, 0);
    return;
  }
  size_t n = access(s, b, out, ivs, operands);
  operands[n] = mask;
  operands[n + 1] = value;
  nr_build_op(b, NR_OP_vector_maskedstore, operands, n + 2, NULL, 0);
}

/* The lanes of x and y of which bit `width` of the number is 0, or 1, side by side: lane i is lane from[i] of both. */
static NrValue *swapped(const NrSquare *s, NrBuilder *b, NrValue *x, NrValue *y, uint32_t width, bool second) {
  int64_t lanes[MAX_LANES];
  for (uint32_t i = 0; i < s->lanes; i++) {
    uint32_t from = second ? i | width : i & ~width;
    lanes[i] = i & width ? s->lanes + from : from;
  }
  NrValue *out = nr_build_value(b, NR_OP_vector_shuffle, x->type, (NrValue *[]){x, y}, 2);
  nr_op_set_attr(out->op, NR_A_mask, nr_attr_i64_array(b->ctx, lanes, s->lanes));
  return out;
}

static void turn(const NrSquare *s, NrBuilder *b, NrValue **rows) {
  for (uint32_t width = 1; width < s->lanes; width *= 2)
    for (uint32_t i = 0; i < s->lanes; i++) {
      if (i & width) continue;
      NrValue *x = rows[i], *y = rows[i + width];
      rows[i] = swapped(s, b, x, y, width, false);
      rows[i + width] = swapped(s, b, x, y, width, true);
    }
}

/* Loads the rows of a turned input; behind the end of the line, the last one again. */
static void load_rows(const NrSquare *s, NrBuilder *b, size_t k, NrValue **ivs, NrValue *left, NrValue **rows) {
  NrValue *begin = ivs[s->line], *last = NULL;
  if (left) last = nr_arith_binary(b, NR_OP_arith_subi, left, constant_index(b, 1));
  for (uint32_t i = 0; i < s->lanes; i++) {
    NrValue *at = constant_index(b, i);
    if (last) at = nr_arith_binary(b, NR_OP_arith_minui, at, last);
    ivs[s->line] = nr_arith_binary(b, NR_OP_arith_addi, begin, at);
    rows[i] = load(s, b, k, ivs, NULL);
  }
  ivs[s->line] = begin;
  turn(s, b, rows);
}

/* What the body has of operand k on a line: a turned row, or what is loaded. */
static NrValue *element(const NrSquare *s, NrBuilder *b, size_t k, NrValue *const *ivs, NrValue *row, NrValue *mask) {
  Lie lie = lie_of(s, k);
  if (lie == LIE_TURNED) return row;
  if (lie == LIE_ALONG) return load(s, b, k, ivs, mask);
  NrValue *value = scalar(s, b, k, ivs);
  return nr_build_broadcast(b, value, vector_of(s, value->type));
}

void nr_square_emit(const NrSquare *s, NrBuilder *b, NrValue *const *begin, NrValue *left) {
  NrValue *rows[MAX_INPUTS + 1][MAX_LANES] = {{0}}, *ivs[NR_MAX_RANK], *mask = NULL;
  const NrBlock *body = nr_op_only_body(s->op);
  size_t num_inputs = nr_linalg_num_inputs(s->op);
  memcpy(ivs, begin, nr_linalg_num_loops(s->op) * sizeof *ivs);
  if (left) mask = nr_build_value(b, NR_OP_vector_create_mask, vector_of(s, nr_type_i1(b->ctx)), &left, 1);
  for (size_t k = 0; k < num_inputs; k++)
    if (lie_of(s, k) == LIE_TURNED) load_rows(s, b, k, ivs, left, rows[k]);
  for (uint32_t j = 0; j < s->lanes; j++) {
    NrMap map = {0};
    ivs[s->across] = nr_arith_binary(b, NR_OP_arith_addi, begin[s->across], constant_index(b, j));
    for (size_t k = 0; k <= num_inputs; k++)
      if (nr_value_has_uses(body->args[k])) nr_map_set(&map, body->args[k], element(s, b, k, ivs, rows[k][j], mask));
    for (NrOp *op = body->first; op != body->last; op = op->next)
      nr_map_set(&map, nr_op_result(op), nr_clone_on_lanes(b, op, &map, s->lanes));
    NrValue *yielded = nr_op_only_operand(body->last), *result = nr_map_get(&map, yielded);
    if (!result) result = yielded;
    if (result->type->kind != NR_TYPE_VECTOR) result = nr_build_broadcast(b, result, vector_of(s, result->type));
    store(s, b, result, ivs, mask);
    nr_map_deinit(&map);
  }
}
