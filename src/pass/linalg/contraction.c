/* contraction.c - chooses what vectorize-contractions vectorizes: the reduction, the vector dim and the tiles. */
#include "pass/linalg/contraction.h"

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
    if (nr_type_is_float(t->elem) && !nr_type_is_float_kind(t->elem, NR_F32) && !nr_type_is_float_kind(t->elem, NR_F64))
      return false;
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

/* The number of inputs that do not depend on d: each is loaded once for all unrolled iterations of d. */
static size_t reuse(const NrContraction *c, uint32_t d) {
  size_t n = 0;
  for (size_t k = 0; k < c->num_inputs; k++) n += nr_contraction_along(c, k, d) == NR_ALONG_INVARIANT;
  return n;
}

/* The parallel dim, other than the two given, along which the most inputs are reused; -1 when none reuses any. */
static int unroll_dim(const NrContraction *c, int not_this, int nor_this) {
  int best = -1;
  for (int d = 0; d < (int)c->num_loops; d++) {
    if (c->reduction[d] || d == not_this || d == nor_this) continue;
    if (c->ranges[d].value == NULL && c->ranges[d].constant == 1) continue;
    if (reuse(c, (uint32_t)d) && (best < 0 || reuse(c, (uint32_t)d) >= reuse(c, (uint32_t)best))) best = d;
  }
  return best;
}

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

bool nr_contraction_choose(NrContraction *c) {
  c->lanes = c->target->vector_bytes / (uint32_t)nr_type_byte_size(c->elem);
  if (c->lanes < 2) return false;
  c->v = -1;
  bool may_dot = nr_reduction_op_is_exact(c->combine);
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
  c->u = unroll_dim(c, c->v, -1);
  c->w = c->dot ? unroll_dim(c, c->v, c->u) : -1;
  if (c->dot) {
    c->tile_u = at_most(nr_contraction_range(c, c->u), c->w < 0 ? 8 : 4);
    c->tile_v = at_most(nr_contraction_range(c, c->w), 4);
  } else {
    c->tile_u = at_most(nr_contraction_range(c, c->u), (uint32_t)nr_cost_rows(c->target));
    int64_t vectors = nr_contraction_range(c, c->v) / c->lanes;
    c->tile_v = even(vectors, c->tile_u > 1 ? (many ? 3 : 2) : 8);
  }
  return true;
}
