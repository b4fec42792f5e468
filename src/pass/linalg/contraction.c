/* contraction.c - chooses what vectorize-contractions vectorizes: the reduction, the vector dim and the tiles. */
#include "pass/linalg/contraction.h"

#include "dialect/operands.h"
#include "pass/loop/parallel.h"
#include "target/cost.h"

/* ---- reading the op ---- */

/* The body must be element-wise ops that end in yield combine(acc, term), with the accumulator used there only. */
static bool read_body(NrContraction *c) {
  NrBlock *body = nr_op_only_body(c->op);
  NrValue *acc = nr_block_arg(body, c->num_inputs);
  for (NrOp *op = body->first; op != body->last; op = op->next) {
    bool plain = nr_op_has(op, NR_ELEMENTWISE) && op->num_results == 1 && op->num_regions == 0;
    if (!plain && !nr_op_has(op, NR_CONSTANT_LIKE)) return false;
  }
  NrOp *last = nr_op_only_operand(body->last)->op;
  if (!last || last->block != body || last->num_operands != 2 || !nr_value_has_one_use(acc)) return false;
  c->combine = last;
  return acc->first_use->owner == last && nr_value_has_one_use(nr_op_result(last));
}

/* Halves are loaded and extended; they are not what sums are made in. */
static bool takes_float(NrType elem, bool input) {
  if (nr_type_is_float_kind(elem, NR_F32) || nr_type_is_float_kind(elem, NR_F64)) return true;
  return input && (nr_type_is_float_kind(elem, NR_F16) || nr_type_is_float_kind(elem, NR_BF16));
}

bool nr_contraction_read(NrContraction *c) {
  NrOp *op = c->op;
  c->num_loops = nr_linalg_num_loops(op);
  c->num_inputs = nr_linalg_num_inputs(op);
  if (c->num_loops > NR_CONTRACTION_LOOPS || c->num_inputs > NR_CONTRACTION_INPUTS || c->num_inputs == 0) return false;
  if (nr_linalg_num_outputs(op) != 1 || !nr_linalg_num_reductions(op)) return false;
  for (size_t k = 0; k < op->num_operands; k++) {
    NrType t = nr_operand(op, k)->type;
    if (t->kind != NR_TYPE_MEMREF || !(nr_type_is_float(t->elem) || nr_type_is_int(t->elem))) return false;
    if (nr_type_bits(t->elem) < 8 || nr_type_bits(t->elem) > 64 ||
        (nr_type_bits(t->elem) & (nr_type_bits(t->elem) - 1)))
      return false;
    if (nr_type_is_float(t->elem) && !takes_float(t->elem, k < c->num_inputs)) return false;
    int64_t coeff[NR_CONTRACTION_LOOPS], constant;
    NrAttr map = nr_linalg_map(op, k);
    for (uint32_t r = 0; r < map->num_exprs; r++)
      if (!nr_affine_linear(map->exprs[r], (uint32_t)c->num_loops, coeff, &constant)) return false;
  }
  size_t operand, dim;
  for (size_t d = 0; d < c->num_loops; d++) {
    c->reduction[d] = nr_linalg_is_reduction(op, d);
    if (!nr_linalg_loop_source(op, d, &operand, &dim)) return false;
  }
  c->elem = nr_operand(op, c->num_inputs)->type->elem;
  return read_body(c);
}

/* ---- choosing ---- */

NrAlong nr_contraction_along(const NrContraction *c, size_t k, uint32_t d) {
  NrAttr map = nr_linalg_map(c->op, k);
  NrType t = nr_operand(c->op, k)->type;
  NrAlong result = NR_ALONG_INVARIANT;
  for (uint32_t r = 0; r < map->num_exprs; r++) {
    int64_t coeff[NR_CONTRACTION_LOOPS], constant, strides[NR_MAX_RANK], offset;
    nr_affine_linear(map->exprs[r], (uint32_t)c->num_loops, coeff, &constant);
    if (coeff[d] == 0) continue;
    bool last = r + 1 == map->num_exprs;
    if (!last || coeff[d] != 1 || !nr_memref_strides(t, strides, &offset) || strides[r] != 1) return NR_ALONG_SCATTERED;
    result = NR_ALONG_CONTIGUOUS;
  }
  return result;
}

static bool lanes_fit(const NrContraction *c, uint32_t d, bool dot) {
  for (size_t k = 0; k <= c->num_inputs; k++) {
    NrAlong a = nr_contraction_along(c, k, d);
    if (a == NR_ALONG_SCATTERED) return false;
    if (k == c->num_inputs && a != (dot ? NR_ALONG_INVARIANT : NR_ALONG_CONTIGUOUS)) return false;
  }
  return true;
}

/* An input that does not depend on d is loaded once for all iterations. One that has lanes along v is loaded for each
 * vector, others once for all vectors. */
size_t nr_contraction_saved_loads(const NrContraction *c, uint32_t d) {
  size_t n = 0;
  for (size_t k = 0; k < c->num_inputs; k++)
    if (nr_contraction_along(c, k, d) == NR_ALONG_INVARIANT)
      n += !c->dot && nr_contraction_along(c, k, (uint32_t)c->v) == NR_ALONG_CONTIGUOUS ? 2 : 1;
  return n;
}

/* Of parallel dim d: how many loads tiles along it save, then how long they are. A range that only the run knows counts
 * for GUESSED. */
static int64_t worth(const NrContraction *c, int d) {
  enum { GUESSED = 4 };
  int64_t range = nr_contraction_range(c, d), most = nr_cost_rows(c->target);
  size_t saved = nr_contraction_saved_loads(c, (uint32_t)d);
  return saved ? (int64_t)saved * (most + 1) + (range == INT64_MAX ? GUESSED : NR_MIN(range, most)) : 0;
}

/* The parallel dim, other than the two given, along which tiles are worth most; -1 when none saves a load. With
 * bytes, the wide input has to be one. */
static int unroll_dim(const NrContraction *c, int not_this, int nor_this) {
  int best = -1;
  for (int d = 0; d < (int)c->num_loops; d++) {
    if (c->reduction[d] || d == not_this || d == nor_this) continue;
    if (c->ranges[d].value == NULL && c->ranges[d].constant == 1) continue;
    if (c->four >= 0 && nr_contraction_along(c, c->wide, (uint32_t)d) != NR_ALONG_INVARIANT) continue;
    if (worth(c, d) && (best < 0 || worth(c, d) >= worth(c, best))) best = d;
  }
  return best;
}

static int rows_dim(const NrContraction *c) { return c->rows >= 0 ? c->rows : unroll_dim(c, c->v, -1); }

int64_t nr_contraction_range(const NrContraction *c, int d) {
  return d < 0 ? 1 : c->ranges[d].value ? INT64_MAX : c->ranges[d].constant;
}

static uint32_t at_most(int64_t range, uint32_t tile) { return (uint32_t)NR_MIN(range < 1 ? 1 : range, (int64_t)tile); }

/* As at_most, but balances the tiles that cover a short range: 4 vectors are split 2 + 2, not 3 + 1. */
static uint32_t even(int64_t range, uint32_t tile) {
  if (range <= tile || range > 4 * (int64_t)tile) return at_most(range, tile);
  int64_t parts = (range + tile - 1) / tile;
  return (uint32_t)((range + parts - 1) / parts);
}

/* ---- bytes ---- */

/* Whether `value` is input k, of bytes, extended to i32. */
static bool is_extended(NrContraction *c, const NrValue *value, size_t k) {
  const NrOp *op = value->op;
  if (!op || !(nr_op_is(op, NR_OP_arith_extsi) || nr_op_is(op, NR_OP_arith_extui))) return false;
  c->is_unsigned[k] = nr_op_is(op, NR_OP_arith_extui);
  return nr_op_only_operand(op) == nr_block_arg(nr_op_only_body(c->op), k);
}

/* Whether the body is acc + a * b, of two inputs of bytes and an i32. */
static bool multiplies_bytes(NrContraction *c) {
  if (c->num_inputs != 2 || !nr_type_is_int_width(c->elem, 32) || !nr_op_is(c->combine, NR_OP_arith_addi)) return false;
  for (size_t k = 0; k < 2; k++)
    if (!nr_type_is_int_width(nr_operand(c->op, k)->type->elem, 8)) return false;
  NrValue *acc = nr_block_arg(nr_op_only_body(c->op), 2);
  NrValue *term = nr_op_lhs(c->combine) == acc ? nr_op_rhs(c->combine) : nr_op_lhs(c->combine);
  if (!term->op || !nr_op_is(term->op, NR_OP_arith_muli)) return false;
  return is_extended(c, nr_op_lhs(term->op), 0) && is_extended(c, nr_op_rhs(term->op), 1);
}

static bool is_dim(NrAffineExpr e, int d) { return e->kind == NR_AFFINE_DIM && e->value == (int64_t)d; }

/* Whether loop dim d alone is the last dim of both inputs, which lies side by side. */
static bool is_last_of_both(const NrContraction *c, int d) {
  for (size_t k = 0; k < c->num_inputs; k++) {
    NrAttr map = nr_linalg_map(c->op, k);
    if (!map->num_exprs || !is_dim(map->exprs[map->num_exprs - 1], d) ||
        nr_contraction_along(c, k, (uint32_t)d) != NR_ALONG_CONTIGUOUS)
      return false;
  }
  return true;
}

static int find_four(const NrContraction *c) {
  for (int d = 0; d < (int)c->num_loops; d++)
    if (c->reduction[d] && nr_contraction_range(c, d) == 4 && is_last_of_both(c, d)) return d;
  return -1;
}

/* Whether lanes can go along parallel dim v while input `wide` is the one that has them. */
static bool bytes_fit(const NrContraction *c, size_t wide, int v) {
  NrType t = nr_operand(c->op, wide)->type;
  NrAttr map = nr_linalg_map(c->op, wide);
  int64_t strides[NR_MAX_RANK], offset;
  uint32_t last = map->num_exprs - 1;
  if (c->reduction[v] || nr_contraction_along(c, c->num_inputs, (uint32_t)v) != NR_ALONG_CONTIGUOUS ||
      nr_contraction_along(c, 1 - wide, (uint32_t)v) != NR_ALONG_INVARIANT || last == 0 ||
      !is_dim(map->exprs[last - 1], v))
    return false;
  for (uint32_t r = 0; r + 1 < last; r++)
    if (nr_affine_uses_dim(map->exprs[r], (uint32_t)v)) return false;
  return t->dims[last] == 4 && nr_memref_strides(t, strides, &offset) && strides[last - 1] == 4;
}

/* Factors of equal sign need a correction for each vector of the wide input, in a register of its own. */
static bool choose_bytes(NrContraction *c) {
  c->four = multiplies_bytes(c) ? find_four(c) : -1;
  c->v = -1;
  for (int v = 0; v < (int)c->num_loops && c->four >= 0; v++)
    for (size_t wide = 0; wide < 2; wide++)
      if (bytes_fit(c, wide, v) && (c->v < 0 || nr_contraction_range(c, v) > nr_contraction_range(c, c->v))) {
        c->v = v;
        c->wide = wide;
      }
  if (c->v < 0 || nr_contraction_range(c, c->v) < c->lanes / 2) return c->four = -1, false;
  bool corrects = c->is_unsigned[0] == c->is_unsigned[1], many = c->target->registers >= 32;
  c->dot = false;
  c->w = -1;
  c->u = rows_dim(c);
  c->tile_u = at_most(nr_contraction_range(c, c->u), (uint32_t)nr_cost_rows(c->target));
  c->tile_v = even(nr_contraction_range(c, c->v) / c->lanes, c->tile_u == 1 ? 8 : many && !corrects ? 3 : 2);
  return true;
}

/* ---- panels ---- */

/* A tile reads a vector or more of each row of the wide input. Where rows are far apart, each is on a page of its
 * own, and they share few places of the caches, so that the next tile along u finds them no more. What costs about as
 * much as another tile pays from sixteen tiles on. */
static void choose_panel(NrContraction *c) {
  enum { LEAST_TILES = 16, LEAST_DEPTH = 32 };
  c->packed = c->k = -1;
  for (int d = 0; d < (int)c->num_loops; d++) {
    if (!c->reduction[d]) continue;
    if (c->k >= 0) return;
    c->k = d;
  }
  int64_t rows = nr_contraction_range(c, c->u), depth = nr_contraction_range(c, c->k);
  if (c->dot || c->u < 0 || rows == INT64_MAX || rows < (int64_t)c->tile_u * LEAST_TILES || depth < LEAST_DEPTH) return;
  for (size_t k = 0; k < c->num_inputs; k++) {
    if (nr_contraction_along(c, k, (uint32_t)c->v) != NR_ALONG_CONTIGUOUS) continue;
    if (c->packed >= 0 || nr_contraction_along(c, k, (uint32_t)c->u) != NR_ALONG_INVARIANT ||
        nr_contraction_along(c, k, (uint32_t)c->k) == NR_ALONG_INVARIANT ||
        nr_operand(c->op, k)->type->elem != c->elem) {
      c->packed = -1;
      return;
    }
    c->packed = (int)k;
  }
  int64_t most = NR_PANEL_BYTES / ((int64_t)c->tile_v * c->target->vector_bytes);
  int64_t panels = depth == INT64_MAX ? 1 : (depth + most - 1) / most;
  c->depth = depth == INT64_MAX ? most : (depth + panels - 1) / panels;
}

bool nr_contraction_choose(NrContraction *c) {
  c->packed = -1;
  c->lanes = c->target->vector_bytes / (uint32_t)nr_type_byte_size(c->elem);
  if (c->lanes < 2) return false;
  if (choose_bytes(c)) return true;
  c->v = -1;
  /* LLVM makes vectors of the plain loop over a row's maximum: Softmax of rows of 4,096 takes 0.8 of the time. */
  bool is_extreme = nr_op_is(c->combine, NR_OP_arith_maximumf) || nr_op_is(c->combine, NR_OP_arith_minimumf);
  bool may_dot = nr_reduction_op_is_exact(c->combine) && !is_extreme;
  int64_t best = 0;
  for (uint32_t d = 0; d < c->num_loops; d++) {
    bool dot = c->reduction[d];
    if ((dot && !may_dot) || !lanes_fit(c, d, dot)) continue;
    int64_t range = NR_MIN(nr_contraction_range(c, (int)d), (int64_t)(4 * c->lanes));
    /* At equal length a parallel dim is preferred, because a reduction dim needs a horizontal reduction at the end. */
    int64_t score = 2 * range + (dot ? 0 : 1);
    if (score > best) {
      best = score;
      c->v = (int)d;
      c->dot = dot;
    }
  }
  if (c->v < 0 || nr_contraction_range(c, c->v) < c->lanes / 2) return false;
  bool many = c->target->registers >= 32;
  c->u = rows_dim(c);
  c->w = c->dot ? unroll_dim(c, c->v, c->u) : -1;
  if (c->dot) {
    c->tile_u = at_most(nr_contraction_range(c, c->u), c->w < 0 ? 8 : 4);
    c->tile_v = at_most(nr_contraction_range(c, c->w), 4);
  } else {
    c->tile_u = at_most(nr_contraction_range(c, c->u), (uint32_t)nr_cost_rows(c->target));
    int64_t vectors = nr_contraction_range(c, c->v) / c->lanes;
    c->tile_v = even(vectors, c->tile_u > 1 ? (many ? 3 : 2) : 8);
  }
  choose_panel(c);
  return true;
}
