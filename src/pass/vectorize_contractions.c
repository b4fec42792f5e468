/* vectorize_contractions.c - reductions of structured ops on memrefs become register-tiled loops over vectors.
 *   before  linalg.generic {m, n parallel, k reduction} c[m, n] += a[m, k] * b[k, n]
 *   after   scf.for n by 3 vectors { scf.for m by 8 { 24 accumulators = c; scf.for k { load, fma }; store } }
 *
 * Two shapes. Lanes over a parallel dim, where every operand is contiguous along it or does not depend on it:
 * accumulators are vectors of the output. Lanes over a reduction dim, where the inputs are (dot products): accumulators
 * are partial results, combined at the end, which needs an operation that may be reordered. In both, other parallel
 * dims are unrolled so that what is loaded serves several accumulators. Ends of ranges are masked, so any size works.
 * What fits neither shape is left to convert-linalg-to-loops. */
#include "dialect/arith/arith.h"
#include "dialect/linalg/linalg.h"
#include "dialect/scf/scf.h"
#include "pass/pass.h"

enum { MAX_LOOPS = 16, MAX_INPUTS = 8, MAX_TILE = 32 };

typedef struct Contraction {
  NrOp *op;
  NrBuilder b;
  const NrTarget *target;
  size_t num_loops, num_inputs;
  bool reduction[MAX_LOOPS];
  NrIndex ranges[MAX_LOOPS];
  NrValue *bounds[MAX_LOOPS];
  NrValue *ivs[MAX_LOOPS];
  NrType elem;         /* of the output */
  NrOp *combine;       /* the op of the body that joins the accumulator with the new term */
  uint32_t acc_operand; /* which operand of combine is the accumulator */
  /* the choice */
  uint32_t lanes;
  int v;               /* loop dim of the lanes */
  bool dot;            /* v is a reduction */
  int u, w;            /* parallel dims that are unrolled, -1 = none; w only for dot */
  uint32_t tile_u, tile_v; /* tile_v: vectors along v, or elements along w for dot */
} Contraction;

/* ---- reading the op ---- */

static bool is_reorderable(NrOp *op) {
  switch (op->info->id) {
  case NR_OP_arith_addf:
  case NR_OP_arith_mulf: return nr_arith_fastmath_has(op, "reassoc");
  case NR_OP_arith_maximumf:
  case NR_OP_arith_minimumf:
  case NR_OP_arith_maxnumf:
  case NR_OP_arith_minnumf:
  case NR_OP_arith_addi:
  case NR_OP_arith_muli:
  case NR_OP_arith_maxsi:
  case NR_OP_arith_minsi:
  case NR_OP_arith_maxui:
  case NR_OP_arith_minui:
  case NR_OP_arith_andi:
  case NR_OP_arith_ori:
  case NR_OP_arith_xori: return true;
  default: return false;
  }
}

/* The body must be element-wise ops that end in yield combine(acc, term), with the accumulator used there only. */
static bool read_body(Contraction *c) {
  NrBlock *body = nr_op_body(c->op, 0);
  NrValue *acc = nr_block_arg(body, c->num_inputs);
  for (NrOp *op = body->first; op != body->last; op = op->next) {
    bool plain = nr_op_has(op, NR_ELEMENTWISE) && op->num_results == 1 && op->num_regions == 0;
    if (!plain && !nr_op_has(op, NR_CONSTANT_LIKE)) return false;
  }
  NrOp *last = nr_operand(body->last, 0)->op;
  if (!last || last->block != body || last->num_operands != 2 || !nr_value_has_one_use(acc)) return false;
  c->combine = last;
  c->acc_operand = nr_operand(last, 0) == acc ? 0 : 1;
  return nr_operand(last, c->acc_operand) == acc && nr_value_has_one_use(nr_result(last, 0));
}

static bool read_op(Contraction *c) {
  NrOp *op = c->op;
  c->num_loops = nr_generic_num_loops(op);
  c->num_inputs = nr_generic_num_inputs(op);
  if (c->num_loops > MAX_LOOPS || c->num_inputs > MAX_INPUTS || c->num_inputs == 0) return false;
  if (nr_generic_num_outputs(op) != 1 || !nr_generic_num_reductions(op)) return false;
  for (size_t k = 0; k < op->num_operands; k++) {
    NrType t = nr_operand(op, k)->type;
    if (t->kind != NR_TYPE_MEMREF || !(nr_type_is_float(t->elem) || nr_type_is_int(t->elem))) return false;
    if (nr_type_bits(t->elem) < 8 || nr_type_bits(t->elem) > 64 ||
        (nr_type_bits(t->elem) & (nr_type_bits(t->elem) - 1)))
      return false;
    if (nr_type_is_float(t->elem) && !nr_type_is_float_kind(t->elem, NR_F32) && !nr_type_is_float_kind(t->elem, NR_F64))
      return false;
    int64_t coeff[MAX_LOOPS], constant;
    NrAttr map = nr_generic_map(op, k);
    for (uint32_t r = 0; r < map->num_exprs; r++)
      if (!nr_affine_linear(map->exprs[r], (uint32_t)c->num_loops, coeff, &constant)) return false;
  }
  size_t operand, dim;
  for (size_t d = 0; d < c->num_loops; d++) {
    c->reduction[d] = nr_generic_is_reduction(op, d);
    if (!nr_generic_loop_source(op, d, &operand, &dim)) return false;
  }
  c->elem = nr_operand(op, c->num_inputs)->type->elem;
  return read_body(c);
}

/* ---- choosing ---- */

typedef enum Along { INVARIANT, CONTIGUOUS, SCATTERED } Along;

/* How operand k moves when loop dim d advances by one. */
static Along along(const Contraction *c, size_t k, uint32_t d) {
  NrAttr map = nr_generic_map(c->op, k);
  NrType t = nr_operand(c->op, k)->type;
  Along result = INVARIANT;
  for (uint32_t r = 0; r < map->num_exprs; r++) {
    int64_t coeff[MAX_LOOPS], constant, strides[NR_MAX_RANK], offset;
    nr_affine_linear(map->exprs[r], (uint32_t)c->num_loops, coeff, &constant);
    if (coeff[d] == 0) continue;
    bool last = r + 1 == map->num_exprs;
    if (!last || coeff[d] != 1 || !nr_memref_strides(t, strides, &offset) || strides[r] != 1) return SCATTERED;
    result = CONTIGUOUS;
  }
  return result;
}

static bool lanes_fit(const Contraction *c, uint32_t d, bool dot) {
  for (size_t k = 0; k <= c->num_inputs; k++) {
    Along a = along(c, k, d);
    if (a == SCATTERED) return false;
    if (k == c->num_inputs && a != (dot ? INVARIANT : CONTIGUOUS)) return false;
  }
  return true;
}

/* How many inputs stay the same along d: what unrolling d saves. */
static size_t reuse(const Contraction *c, uint32_t d) {
  size_t n = 0;
  for (size_t k = 0; k < c->num_inputs; k++) n += along(c, k, d) == INVARIANT;
  return n;
}

/* A parallel dim worth unrolling, other than those given. */
static int unroll_dim(const Contraction *c, int not_this, int nor_this) {
  int best = -1;
  for (int d = 0; d < (int)c->num_loops; d++) {
    if (c->reduction[d] || d == not_this || d == nor_this) continue;
    if (c->ranges[d].value == NULL && c->ranges[d].constant == 1) continue;
    if (reuse(c, (uint32_t)d) && (best < 0 || reuse(c, (uint32_t)d) >= reuse(c, (uint32_t)best))) best = d;
  }
  return best;
}

/* Short ranges waste lanes; an unknown one is taken to be long. */
static int64_t known_range(const Contraction *c, int d) {
  return d < 0 ? 1 : c->ranges[d].value ? INT64_MAX : c->ranges[d].constant;
}

static uint32_t at_most(int64_t range, uint32_t tile) { return (uint32_t)NR_MIN(range < 1 ? 1 : range, (int64_t)tile); }

static bool choose(Contraction *c) {
  c->lanes = c->target->vector_bytes / (uint32_t)nr_type_byte_size(c->elem);
  if (c->lanes < 2) return false;
  c->v = -1;
  bool may_dot = is_reorderable(c->combine);
  int64_t best = 0;
  for (uint32_t d = 0; d < c->num_loops; d++) {
    bool dot = c->reduction[d];
    if ((dot && !may_dot) || !lanes_fit(c, d, dot)) continue;
    int64_t range = NR_MIN(known_range(c, (int)d), (int64_t)(4 * c->lanes));
    /* Lanes over a parallel dim need no joining at the end: at equal length they are better. */
    int64_t score = 2 * range + (dot ? 0 : 1);
    if (score > best) {
      best = score;
      c->v = (int)d;
      c->dot = dot;
    }
  }
  if (c->v < 0 || known_range(c, c->v) < c->lanes / 2) return false;
  bool many = c->target->registers >= 32;
  c->u = unroll_dim(c, c->v, -1);
  c->w = c->dot ? unroll_dim(c, c->v, c->u) : -1;
  if (c->dot) {
    c->tile_u = at_most(known_range(c, c->u), c->w < 0 ? 8 : 4);
    c->tile_v = at_most(known_range(c, c->w), 4);
  } else {
    c->tile_u = at_most(known_range(c, c->u), many ? 8 : 4);
    int64_t vectors = known_range(c, c->v) / c->lanes;
    c->tile_v = at_most(vectors, c->tile_u > 1 ? (many ? 3 : 2) : 8);
  }
  return true;
}

/* ---- emission ---- */

static NrValue *constant_index(Contraction *c, int64_t value) { return nr_index_value(&c->b, nr_index_const(value)); }

static NrValue *index_op(Contraction *c, unsigned id, NrValue *x, NrValue *y) {
  return nr_build_value(&c->b, id, nr_type_index(c->b.ctx), (NrValue *[]){x, y}, 2);
}

static NrValue *add_const(Contraction *c, NrValue *x, int64_t n) {
  return n ? index_op(c, NR_OP_arith_addi, x, constant_index(c, n)) : x;
}

static NrValue *emit_linear(Contraction *c, NrAffineExpr e, NrValue *const *ivs) {
  if (e->kind == NR_AFFINE_DIM) return ivs[e->value];
  if (e->kind == NR_AFFINE_CONSTANT) return constant_index(c, e->value);
  NrValue *x = emit_linear(c, e->lhs, ivs), *y = emit_linear(c, e->rhs, ivs);
  return index_op(c, e->kind == NR_AFFINE_ADD ? NR_OP_arith_addi : NR_OP_arith_muli, x, y);
}

static NrType vector_of(const Contraction *c, NrType elem) { return nr_type_vector((int64_t[]){c->lanes}, 1, elem); }

/* Operands of an access to operand k at ivs, behind `first` already filled ones. */
static size_t access(Contraction *c, size_t k, NrValue *const *ivs, NrValue **operands, size_t first) {
  NrAttr map = nr_generic_map(c->op, k);
  operands[first++] = nr_operand(c->op, k);
  for (uint32_t r = 0; r < map->num_exprs; r++) operands[first++] = emit_linear(c, map->exprs[r], ivs);
  return first;
}

static NrValue *zero(Contraction *c, NrType type) {
  NrType elem = nr_type_elem(type);
  NrAttr scalar = nr_type_is_float(elem) ? nr_attr_float(elem, 0) : nr_attr_int(elem, 0);
  uint64_t bits = 0;
  NrAttr value = type == elem ? scalar : nr_attr_dense(type, &bits, nr_type_byte_size(elem));
  NrOp *op = nr_build_op(&c->b, NR_OP_arith_constant, NULL, 0, &type, 1);
  nr_op_set_attr(op, "value", value);
  return nr_result(op, 0);
}

static NrValue *load(Contraction *c, size_t k, NrValue *const *ivs, NrValue *mask) {
  NrValue *operands[NR_MAX_RANK + 3];
  NrType elem = nr_operand(c->op, k)->type->elem;
  size_t n = access(c, k, ivs, operands, 0);
  if (along(c, k, (uint32_t)c->v) == INVARIANT) return nr_build_value(&c->b, NR_OP_memref_load, elem, operands, n);
  NrType type = vector_of(c, elem);
  if (!mask) return nr_build_value(&c->b, NR_OP_vector_load, type, operands, n);
  operands[n] = mask;
  operands[n + 1] = zero(c, type);
  return nr_build_value(&c->b, NR_OP_vector_maskedload, type, operands, n + 2);
}

static void store(Contraction *c, NrValue *value, NrValue *const *ivs, NrValue *mask) {
  NrValue *operands[NR_MAX_RANK + 3] = {value};
  if (value->type->kind != NR_TYPE_VECTOR) {
    size_t n = access(c, c->num_inputs, ivs, operands, 1);
    nr_build_op(&c->b, NR_OP_memref_store, operands, n, NULL, 0);
  } else if (!mask) {
    size_t n = access(c, c->num_inputs, ivs, operands, 1);
    nr_build_op(&c->b, NR_OP_vector_store, operands, n, NULL, 0);
  } else {
    size_t n = access(c, c->num_inputs, ivs, operands, 0);
    operands[n] = mask;
    operands[n + 1] = value;
    nr_build_op(&c->b, NR_OP_vector_maskedstore, operands, n + 2, NULL, 0);
  }
}

static NrValue *as_vector(Contraction *c, NrValue *value) {
  if (value->type->kind == NR_TYPE_VECTOR) return value;
  return nr_build_value(&c->b, NR_OP_vector_broadcast, vector_of(c, value->type), &value, 1);
}

/* A copy of a body op over vectors where one of its operands is one, over scalars otherwise. */
static NrValue *copy_op(Contraction *c, NrOp *op, NrMap *map) {
  NrValue *operands[8];
  bool vector = false;
  assert(op->num_operands <= NR_COUNTOF(operands));
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *mapped = nr_map_get(map, nr_operand(op, i));
    operands[i] = mapped ? mapped : nr_operand(op, i);
    vector |= operands[i]->type->kind == NR_TYPE_VECTOR;
  }
  NrType type = nr_result(op, 0)->type;
  for (uint32_t i = 0; vector && i < op->num_operands; i++) operands[i] = as_vector(c, operands[i]);
  NrOpState state = {.info = op->info,
                     .operands = operands,
                     .num_operands = op->num_operands,
                     .result_types = (NrType[]){vector ? vector_of(c, type) : type},
                     .num_results = 1,
                     .attrs = op->attrs,
                     .num_attrs = op->num_attrs};
  return nr_result(nr_build(&c->b, &state), 0);
}

/* The body for one accumulator. mask (dot only): lanes past the end keep the accumulator as it was. */
static NrValue *emit_body(Contraction *c, NrValue *const *inputs, NrValue *acc, NrValue *mask) {
  NrBlock *body = nr_op_body(c->op, 0);
  NrMap map = {0};
  for (size_t k = 0; k < c->num_inputs; k++) nr_map_set(&map, body->args[k], inputs[k]);
  nr_map_set(&map, body->args[c->num_inputs], acc);
  for (NrOp *op = body->first; op != body->last; op = op->next)
    nr_map_set(&map, nr_result(op, 0), copy_op(c, op, &map));
  NrValue *result = as_vector(c, nr_map_get(&map, nr_result(c->combine, 0)));
  nr_map_deinit(&map);
  if (mask) result = nr_build_value(&c->b, NR_OP_arith_select, result->type, (NrValue *[]){mask, result, acc}, 3);
  return result;
}

static NrOp *open_loop(Contraction *c, NrValue *from, NrValue *to, int64_t step, NrValue **carried, size_t count,
                       NrValue **out_iv) {
  return nr_scf_open_for(&c->b, from, to, constant_index(c, step), carried, count, out_iv);
}

static void close_loop(Contraction *c, NrOp *loop, NrValue **carried, size_t count) {
  nr_scf_close_for(&c->b, loop, carried, count);
}

/* One tile: nu by nv accumulators. nv counts vectors along v, or elements along w for dot. */
typedef struct Tile {
  uint32_t nu, nv;
  NrValue *mask; /* of the last vector, or NULL */
} Tile;

/* ivs of accumulator (i, j). */
static void tile_ivs(Contraction *c, const Tile *t, uint32_t i, uint32_t j, NrValue **out) {
  (void)t;
  memcpy(out, c->ivs, c->num_loops * sizeof *out);
  if (c->u >= 0) out[c->u] = add_const(c, c->ivs[c->u], i);
  if (!c->dot) out[c->v] = add_const(c, c->ivs[c->v], (int64_t)j * c->lanes);
  else if (c->w >= 0) out[c->w] = add_const(c, c->ivs[c->w], j);
}

/* All accumulators advance by one step of the innermost reduction; each input is loaded once per place that differs. */
static void emit_step(Contraction *c, const Tile *t, NrValue **acc, NrValue *mask) {
  NrValue *loaded[MAX_INPUTS][MAX_TILE] = {{0}};
  int second = c->dot ? c->w : c->v;
  for (uint32_t i = 0; i < t->nu; i++)
    for (uint32_t j = 0; j < t->nv; j++) {
      NrValue *inputs[MAX_INPUTS], *ivs[MAX_LOOPS];
      for (size_t k = 0; k < c->num_inputs; k++) {
        uint32_t row = c->u >= 0 && along(c, k, (uint32_t)c->u) != INVARIANT ? i : 0;
        uint32_t column = second >= 0 && along(c, k, (uint32_t)second) != INVARIANT ? j : 0;
        NrValue **slot = &loaded[k][row * t->nv + column];
        if (!*slot) {
          tile_ivs(c, t, row, column, ivs);
          *slot = load(c, k, ivs, mask);
        }
        inputs[k] = *slot;
      }
      acc[i * t->nv + j] = emit_body(c, inputs, acc[i * t->nv + j], c->dot ? mask : NULL);
    }
}

/* The identity of combine, as a vector: what partial results start with. Max, min and the like start with themselves.
 */
static NrValue *identity(Contraction *c, NrValue *old) {
  NrType type = vector_of(c, c->elem);
  switch (c->combine->info->id) {
  case NR_OP_arith_addf:
  case NR_OP_arith_addi:
  case NR_OP_arith_ori:
  case NR_OP_arith_xori: return zero(c, type);
  case NR_OP_arith_mulf:
  case NR_OP_arith_muli: {
    NrOp *op = nr_build_op(&c->b, NR_OP_arith_constant, NULL, 0, &c->elem, 1);
    nr_op_set_attr(op, "value", nr_type_is_float(c->elem) ? nr_attr_float(c->elem, 1) : nr_attr_int(c->elem, 1));
    return as_vector(c, nr_result(op, 0));
  }
  default: return as_vector(c, old); /* idempotent */
  }
}

static bool is_idempotent(const Contraction *c) {
  switch (c->combine->info->id) {
  case NR_OP_arith_addf:
  case NR_OP_arith_addi:
  case NR_OP_arith_xori:
  case NR_OP_arith_mulf:
  case NR_OP_arith_muli: return false;
  default: return true;
  }
}

/* The lanes of a partial result joined into one scalar, by halves. */
static NrValue *join_lanes(Contraction *c, NrValue *vector) {
  for (uint32_t n = c->lanes; n > 1; n /= 2) {
    NrType half = nr_type_vector((int64_t[]){n / 2}, 1, c->elem);
    NrValue *parts[2];
    for (uint32_t i = 0; i < 2; i++) {
      NrOp *op = nr_build_op(&c->b, NR_OP_vector_extract_strided_slice, &vector, 1, &half, 1);
      NrContext *ctx = c->b.ctx;
      nr_op_set_attr(op, "offsets", nr_attr_array(ctx, (NrAttr[]){nr_attr_i64(ctx, i * n / 2)}, 1));
      nr_op_set_attr(op, "sizes", nr_attr_array(ctx, (NrAttr[]){nr_attr_i64(ctx, n / 2)}, 1));
      nr_op_set_attr(op, "strides", nr_attr_array(ctx, (NrAttr[]){nr_attr_i64(ctx, 1)}, 1));
      parts[i] = nr_result(op, 0);
    }
    NrOpState state = {.info = c->combine->info,
                       .operands = parts,
                       .num_operands = 2,
                       .result_types = &half,
                       .num_results = 1,
                       .attrs = c->combine->attrs,
                       .num_attrs = c->combine->num_attrs};
    vector = nr_result(nr_build(&c->b, &state), 0);
  }
  NrOp *op = nr_build_op(&c->b, NR_OP_vector_extract, &vector, 1, &c->elem, 1);
  nr_op_set_attr(op, "static_position", nr_attr_i64_array(c->b.ctx, (int64_t[]){0}, 1));
  return nr_result(op, 0);
}

/* The reduction loops around emit_step, from reduction number `at` on. v comes last when it is a reduction. */
static void emit_reductions(Contraction *c, const Tile *t, NrValue **acc, size_t at) {
  size_t count = (size_t)t->nu * t->nv;
  while (at < c->num_loops && (!c->reduction[at] || (int)at == c->v)) at++;
  if (at < c->num_loops) {
    NrOp *loop = open_loop(c, constant_index(c, 0), c->bounds[at], 1, acc, count, &c->ivs[at]);
    emit_reductions(c, t, acc, at + 1);
    close_loop(c, loop, acc, count);
    return;
  }
  if (!c->dot) {
    emit_step(c, t, acc, t->mask);
    return;
  }
  /* Whole vectors, then the rest under a mask. */
  int64_t range = known_range(c, c->v);
  NrValue *lanes = constant_index(c, c->lanes), *bound = c->bounds[c->v];
  NrValue *rest = index_op(c, NR_OP_arith_remui, bound, lanes), *whole = index_op(c, NR_OP_arith_subi, bound, rest);
  if (range >= c->lanes) {
    NrOp *loop = open_loop(c, constant_index(c, 0), whole, c->lanes, acc, count, &c->ivs[c->v]);
    emit_step(c, t, acc, NULL);
    close_loop(c, loop, acc, count);
  }
  if (range != INT64_MAX && range % c->lanes == 0) return;
  NrOp *loop = open_loop(c, whole, bound, c->lanes, acc, count, &c->ivs[c->v]);
  NrValue *mask = nr_build_value(&c->b, NR_OP_vector_create_mask, vector_of(c, nr_type_i1(c->b.ctx)), &rest, 1);
  emit_step(c, t, acc, mask);
  close_loop(c, loop, acc, count);
}

static NrValue *combine_scalars(Contraction *c, NrValue *x, NrValue *y) {
  NrOpState state = {.info = c->combine->info,
                     .operands = (NrValue *[]){x, y},
                     .num_operands = 2,
                     .result_types = &c->elem,
                     .num_results = 1,
                     .attrs = c->combine->attrs,
                     .num_attrs = c->combine->num_attrs};
  return nr_result(nr_build(&c->b, &state), 0);
}

static void emit_tile(Contraction *c, const Tile *t) {
  NrValue *acc[MAX_TILE], *old[MAX_TILE], *ivs[MAX_LOOPS];
  for (uint32_t i = 0; i < t->nu; i++)
    for (uint32_t j = 0; j < t->nv; j++) {
      tile_ivs(c, t, i, j, ivs);
      uint32_t at = i * t->nv + j;
      old[at] = load(c, c->num_inputs, ivs, t->mask);
      acc[at] = c->dot ? identity(c, old[at]) : old[at];
    }
  emit_reductions(c, t, acc, 0);
  for (uint32_t i = 0; i < t->nu; i++)
    for (uint32_t j = 0; j < t->nv; j++) {
      tile_ivs(c, t, i, j, ivs);
      uint32_t at = i * t->nv + j;
      NrValue *value = acc[at];
      if (c->dot) {
        value = join_lanes(c, value);
        if (!is_idempotent(c)) value = combine_scalars(c, old[at], value);
      }
      store(c, value, ivs, t->mask);
    }
}

/* ---- loops over tiles ---- */

typedef void (*TileFn)(Contraction *c, Tile *t);

/* Loops over dim d by `tile`, then the rest by one; the tile count goes to *slot. */
static void over_dim(Contraction *c, Tile *t, int d, uint32_t tile, uint32_t *slot, TileFn inner) {
  *slot = 1;
  if (d < 0) {
    inner(c, t);
    return;
  }
  int64_t range = known_range(c, d);
  NrValue *begin = constant_index(c, 0), *bound = c->bounds[d];
  if (tile > 1) {
    NrValue *rest = index_op(c, NR_OP_arith_remui, bound, constant_index(c, tile));
    NrValue *whole = index_op(c, NR_OP_arith_subi, bound, rest);
    NrOp *loop = open_loop(c, begin, whole, tile, NULL, 0, &c->ivs[d]);
    *slot = tile;
    inner(c, t);
    close_loop(c, loop, NULL, 0);
    if (range != INT64_MAX && range % tile == 0) return;
    begin = whole;
  }
  NrOp *loop = open_loop(c, begin, bound, 1, NULL, 0, &c->ivs[d]);
  *slot = 1;
  inner(c, t);
  close_loop(c, loop, NULL, 0);
}

static void innermost(Contraction *c, Tile *t) { emit_tile(c, t); }
static void over_u(Contraction *c, Tile *t) { over_dim(c, t, c->u, c->tile_u, &t->nu, innermost); }
static void over_w(Contraction *c, Tile *t) { over_dim(c, t, c->w, c->tile_v, &t->nv, over_u); }

/* Lanes over a parallel dim: tiles of several vectors, then of half as many and so on (a single accumulator waits for
 * its own last result in each step), then a masked end. */
static void over_v(Contraction *c, Tile *t) {
  int64_t range = known_range(c, c->v);
  NrValue *begin = constant_index(c, 0), *bound = c->bounds[c->v];
  for (uint32_t vectors = c->tile_v; vectors; vectors /= 2) {
    int64_t step = (int64_t)vectors * c->lanes;
    if (range < step) continue;
    NrValue *length = index_op(c, NR_OP_arith_subi, bound, begin);
    NrValue *rest = index_op(c, NR_OP_arith_remui, length, constant_index(c, step));
    NrValue *end = index_op(c, NR_OP_arith_subi, bound, rest);
    NrOp *loop = open_loop(c, begin, end, step, NULL, 0, &c->ivs[c->v]);
    t->nv = vectors;
    t->mask = NULL;
    over_u(c, t);
    close_loop(c, loop, NULL, 0);
    if (range != INT64_MAX && (range -= range / step * step) == 0) return;
    begin = end;
  }
  NrOp *loop = open_loop(c, begin, bound, c->lanes, NULL, 0, &c->ivs[c->v]);
  NrValue *left = index_op(c, NR_OP_arith_subi, bound, c->ivs[c->v]);
  t->nv = 1;
  t->mask = nr_build_value(&c->b, NR_OP_vector_create_mask, vector_of(c, nr_type_i1(c->b.ctx)), &left, 1);
  over_u(c, t);
  close_loop(c, loop, NULL, 0);
}

static void over_rest(Contraction *c, Tile *t, size_t at) {
  while (at < c->num_loops && (c->reduction[at] || (int)at == c->v || (int)at == c->u || (int)at == c->w)) at++;
  if (at == c->num_loops) {
    if (c->dot) over_w(c, t);
    else over_v(c, t);
    return;
  }
  NrOp *loop = open_loop(c, constant_index(c, 0), c->bounds[at], 1, NULL, 0, &c->ivs[at]);
  over_rest(c, t, at + 1);
  close_loop(c, loop, NULL, 0);
}

static void vectorize(Contraction *c) {
  Tile t = {1, 1, NULL};
  for (size_t d = 0; d < c->num_loops; d++) c->bounds[d] = nr_index_value(&c->b, c->ranges[d]);
  over_rest(c, &t, 0);
  nr_op_erase(c->op);
}

typedef struct Found {
  NR_VEC(NrOp *) ops;
} Found;

static bool collect(NrOp *op, void *user) {
  if (nr_op_is(op, NR_OP_linalg_generic) && !op->num_results) nr_vec_push(&((Found *)user)->ops, op);
  return true;
}

static NrStatus vectorize_contractions_run(NrPassContext *pass, NrOp *root) {
  Found found = {{0}};
  nr_walk_post(root, collect, &found);
  for (size_t i = 0; i < found.ops.size; i++) {
    Contraction c = {.op = found.ops.data[i], .target = pass->target, .b = nr_builder_before(found.ops.data[i])};
    if (!read_op(&c)) continue;
    for (size_t d = 0; d < c.num_loops; d++) c.ranges[d] = nr_generic_loop_range(&c.b, c.op, d);
    if (choose(&c)) vectorize(&c);
  }
  nr_vec_deinit(&found.ops);
  return NR_OK;
}

NR_PASS(vectorize_contractions, .name = "vectorize-contractions", .run = vectorize_contractions_run,
        .doc = "reductions of structured ops become register-tiled loops over vectors")
