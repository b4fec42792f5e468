/* vectorize_contractions.c - converts reductions of structured ops on memrefs to register-tiled loops over vectors.
 *   before  linalg.generic {m, n parallel, k reduction} c[m, n] += a[m, k] * b[k, n]
 *   after   scf.for n by 3 vectors { scf.for m by 8 { 24 accumulators = c; scf.for k { load, fma }; store } }
 *
 * There are two schemes. A parallel dim is vectorized when every operand is contiguous along it or does not depend on
 * it; accumulators are then vectors of the output. A reduction dim is vectorized (a dot product) when this holds for
 * the inputs and the output does not depend on it; accumulators are then partial results that are combined at the end,
 * so the combining op must be reorderable. Sums of products of bytes that lie by four (contraction.h) are of the first
 * kind, with one rt.dot for four steps of the sum. Both unroll other parallel dims, so that a loaded value is used by
 * several accumulators, and mask the end of the range. All other reductions are left to convert-linalg-to-loops.
 *
 * With the attribute `noria.may_be_short`, a parallel dim whose range the run knows gets code for half a vector of
 * elements and fewer: those are copied to lie along the sum, which then has the lanes (few_columns.c). */
#include "dialect/affine/affine.h"
#include "dialect/arith/arith.h"
#include "dialect/memref/memref.h"
#include "dialect/rt/rt.h"
#include "dialect/scf/scf.h"
#include "dialect/vector/vector.h"
#include "pass/core/rewrite.h"
#include "pass/linalg/contraction.h"

enum { MAX_TILE = 32 };

/* ---- emission ---- */

static NrValue *constant_index(NrContraction *c, int64_t n) { return nr_arith_constant_index(&c->b, n); }

static NrValue *add_const(NrContraction *c, NrValue *x, int64_t n) {
  return n ? nr_arith_binary(&c->b, NR_OP_arith_addi, x, constant_index(c, n)) : x;
}

static NrType vector_of(const NrContraction *c, NrType elem) { return nr_type_vector((int64_t[]){c->lanes}, 1, elem); }

/* Writes the operands of a load or store of operand k at ivs to operands[first..]; returns the new count. */
static size_t access(NrContraction *c, size_t k, NrValue *const *ivs, NrValue **operands, size_t first) {
  NrAttr map = nr_linalg_map(c->op, k);
  operands[first++] = nr_operand(c->op, k);
  for (uint32_t r = 0; r < map->num_exprs; r++)
    operands[first++] = nr_affine_expand_indices(&c->b, map->exprs[r], map->num_dims, ivs);
  return first;
}

static NrValue *zero(NrContraction *c, NrType type) {
  NrType elem = nr_type_elem(type);
  NrAttr scalar = nr_type_is_float(elem) ? nr_attr_float(elem, 0) : nr_attr_int(elem, 0);
  uint64_t bits = 0;
  NrAttr value = type == elem ? scalar : nr_attr_dense(type, &bits, nr_type_byte_size(elem));
  NrOp *op = nr_build_op(&c->b, NR_OP_arith_constant, NULL, 0, &type, 1);
  nr_op_set_attr(op, NR_A_value, value);
  return nr_op_result(op);
}

static NrValue *load(NrContraction *c, size_t k, NrValue *const *ivs, NrValue *mask) {
  NrValue *operands[NR_MAX_RANK + 3];
  NrType elem = nr_operand(c->op, k)->type->elem;
  size_t n = access(c, k, ivs, operands, 0);
  if (nr_contraction_along(c, k, (uint32_t)c->v) == NR_ALONG_INVARIANT)
    return nr_build_value(&c->b, NR_OP_memref_load, elem, operands, n);
  NrType type = vector_of(c, elem);
  if (!mask) return nr_build_value(&c->b, NR_OP_vector_load, type, operands, n);
  operands[n] = mask;
  operands[n + 1] = zero(c, type);
  return nr_build_value(&c->b, NR_OP_vector_maskedload, type, operands, n + 2);
}

static void store(NrContraction *c, NrValue *value, NrValue *const *ivs, NrValue *mask) {
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

static NrValue *as_vector(NrContraction *c, NrValue *value) {
  if (value->type->kind == NR_TYPE_VECTOR) return value;
  return nr_build_value(&c->b, NR_OP_vector_broadcast, vector_of(c, value->type), &value, 1);
}

/* Clones a body op. When an operand is a vector, the clone is a vector op and scalar operands are broadcast. */
static NrValue *copy_op(NrContraction *c, NrOp *op, NrMap *map) {
  NrValue *operands[8];
  bool vector = false;
  assert(op->num_operands <= NR_COUNTOF(operands));
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *mapped = nr_map_get(map, nr_operand(op, i));
    operands[i] = mapped ? mapped : nr_operand(op, i);
    vector |= operands[i]->type->kind == NR_TYPE_VECTOR;
  }
  NrType type = nr_op_result(op)->type;
  for (uint32_t i = 0; vector && i < op->num_operands; i++) operands[i] = as_vector(c, operands[i]);
  NrOpState state = {.info = op->info,
                     .operands = operands,
                     .num_operands = op->num_operands,
                     .result_types = (NrType[]){vector ? vector_of(c, type) : type},
                     .num_results = 1,
                     .attrs = op->attrs,
                     .num_attrs = op->num_attrs};
  return nr_op_result(nr_build(&c->b, &state));
}

/* Clones the body for one accumulator. With a mask (dot only), lanes past the end keep their old accumulator. */
static NrValue *emit_body(NrContraction *c, NrValue *const *inputs, NrValue *acc, NrValue *mask) {
  NrBlock *body = nr_op_only_body(c->op);
  NrMap map = {0};
  for (size_t k = 0; k < c->num_inputs; k++) nr_map_set(&map, body->args[k], inputs[k]);
  nr_map_set(&map, body->args[c->num_inputs], acc);
  for (NrOp *op = body->first; op != body->last; op = op->next)
    nr_map_set(&map, nr_op_result(op), copy_op(c, op, &map));
  NrValue *result = as_vector(c, nr_map_get(&map, nr_op_result(c->combine)));
  nr_map_deinit(&map);
  if (mask) result = nr_build_value(&c->b, NR_OP_arith_select, result->type, (NrValue *[]){mask, result, acc}, 3);
  return result;
}

static NrOp *open_loop(NrContraction *c, NrValue *from, NrValue *to, int64_t step, NrValue **carried, size_t count,
                       NrValue **out_iv) {
  return nr_scf_open_for(&c->b, from, to, constant_index(c, step), carried, count, out_iv);
}

static void close_loop(NrContraction *c, NrOp *loop, NrValue **carried, size_t count) {
  nr_scf_close_for(&c->b, loop, carried, count);
}

/* A tile of nu x nv accumulators. nv counts vectors along v, or elements along w for dot. */
typedef struct Tile {
  uint32_t nu, nv;
  NrValue *mask;       /* of the last vector, or NULL */
  NrValue *bytes_mask; /* the same for vectors of bytes */
} Tile;

/* Factors of equal sign: one has its sign bits flipped, and what that adds is taken off behind. */
static bool corrects(const NrContraction *c) { return c->four >= 0 && c->is_unsigned[0] == c->is_unsigned[1]; }

/* The values that the loops of the sum carry: a tile, and the corrections of its vectors. */
static size_t num_carried(const NrContraction *c, const Tile *t) {
  return (size_t)t->nu * t->nv + (corrects(c) ? t->nv : 0);
}

/* Computes the loop indices of accumulator (i, j). */
static void tile_ivs(NrContraction *c, const Tile *t, uint32_t i, uint32_t j, NrValue **out) {
  (void)t;
  memcpy(out, c->ivs, c->num_loops * sizeof *out);
  if (c->u >= 0) out[c->u] = add_const(c, c->ivs[c->u], i);
  if (!c->dot) out[c->v] = add_const(c, c->ivs[c->v], (int64_t)j * c->lanes);
  else if (c->w >= 0) out[c->w] = add_const(c, c->ivs[c->w], j);
}

/* ---- bytes ---- */

static NrType bytes_of(const NrContraction *c, int64_t count) {
  return nr_type_vector(&count, 1, nr_type_int(c->b.ctx, 8));
}

static NrValue *cast_bits(NrContraction *c, NrValue *vector, NrType type) {
  return nr_build_value(&c->b, NR_OP_vector_bitcast, type, &vector, 1);
}

/* Four bytes of the input that is not wide, in each lane. */
static NrValue *load_four(NrContraction *c, NrValue *const *ivs) {
  NrValue *operands[NR_MAX_RANK + 1], *at[NR_CONTRACTION_LOOPS];
  memcpy(at, ivs, c->num_loops * sizeof *at);
  at[c->four] = constant_index(c, 0);
  size_t n = access(c, 1 - c->wide, at, operands, 0);
  NrValue *bytes = nr_build_value(&c->b, NR_OP_vector_load, bytes_of(c, 4), operands, n);
  NrIndex first = nr_index_const(0);
  NrValue *words = cast_bits(c, bytes, nr_type_vector((int64_t[]){1}, 1, c->elem));
  NrValue *word = nr_build_vector_extract(&c->b, words, &first, 1);
  return cast_bits(c, as_vector(c, word), bytes_of(c, 4 * (int64_t)c->lanes));
}

/* Four bytes of each lane of the wide input. */
static NrValue *load_wide(NrContraction *c, NrValue *const *ivs, NrValue *mask) {
  NrValue *operands[NR_MAX_RANK + 3] = {c->bytes};
  NrAttr map = nr_linalg_map(c->op, c->wide);
  NrType type = bytes_of(c, 4 * (int64_t)c->lanes);
  size_t n = 1;
  for (uint32_t r = 0; r + 2 < map->num_exprs; r++)
    operands[n++] = nr_affine_expand_indices(&c->b, map->exprs[r], map->num_dims, ivs);
  operands[n++] = nr_arith_binary(&c->b, NR_OP_arith_muli, ivs[c->v], constant_index(c, 4));
  if (!mask) return nr_build_value(&c->b, NR_OP_vector_load, type, operands, n);
  operands[n++] = mask;
  operands[n++] = zero(c, type);
  return nr_build_value(&c->b, NR_OP_vector_maskedload, type, operands, n);
}

static NrValue *dot(NrContraction *c, NrValue *acc, NrValue *wide, NrValue *other) {
  bool first = c->is_unsigned[c->wide];
  NrValue *operands[] = {acc, first ? wide : other, first ? other : wide};
  return nr_build_value(&c->b, NR_OP_rt_dot, acc->type, operands, 3);
}

/* Updates all accumulators for four steps of the sum. With flipped sign bits, x stands for x + 128 where it had a sign,
 * and for x - 128 where it had none: 128, or -128, times the sum of the wide factor is too much. */
static void emit_dots(NrContraction *c, const Tile *t, NrValue **acc) {
  NrValue *wide[MAX_TILE], *ivs[NR_CONTRACTION_LOOPS], *signs = NULL;
  if (corrects(c)) {
    NrOp *op = nr_build_op(&c->b, NR_OP_arith_constant, NULL, 0, (NrType[]){bytes_of(c, 4 * (int64_t)c->lanes)}, 1);
    nr_op_set_attr(op, NR_A_value, nr_attr_dense(nr_op_result(op)->type, &(uint8_t){0x80}, 1));
    signs = nr_op_result(op);
  }
  for (uint32_t j = 0; j < t->nv; j++) {
    tile_ivs(c, t, 0, j, ivs);
    wide[j] = load_wide(c, ivs, t->bytes_mask);
    NrValue **correction = &acc[t->nu * t->nv + j];
    if (signs) *correction = dot(c, *correction, wide[j], signs);
  }
  for (uint32_t i = 0; i < t->nu; i++) {
    tile_ivs(c, t, i, 0, ivs);
    NrValue *four = load_four(c, ivs);
    if (signs) four = nr_arith_binary(&c->b, NR_OP_arith_xori, four, signs);
    for (uint32_t j = 0; j < t->nv; j++) acc[i * t->nv + j] = dot(c, acc[i * t->nv + j], wide[j], four);
  }
}

/* The input with its last two dims, four bytes for each element along v, as one. */
static NrValue *joined(NrContraction *c, NrValue *memref) {
  uint32_t rank = memref->type->rank;
  NrGroups groups = {.count = rank - 1};
  for (uint32_t i = 0; i + 1 < rank; i++) groups.begin[i] = i, groups.size[i] = i + 2 == rank ? 2 : 1;
  NrType type = nr_memref_collapsed_type(memref->type, &groups);
  memref = nr_build_value(&c->b, NR_OP_memref_collapse_shape, type, &memref, 1);
  nr_op_set_attr(memref->op, NR_A_reassociation, nr_groups_attr(c->b.ctx, &groups));
  return memref;
}

/* ---- steps, loops and tiles ---- */

/* Updates all accumulators for one step of the innermost reduction; each distinct element of an input is loaded once.
 */
static void emit_step(NrContraction *c, const Tile *t, NrValue **acc, NrValue *mask) {
  NrValue *loaded[NR_CONTRACTION_INPUTS][MAX_TILE] = {{0}};
  int second = c->dot ? c->w : c->v;
  for (uint32_t i = 0; i < t->nu; i++)
    for (uint32_t j = 0; j < t->nv; j++) {
      NrValue *inputs[NR_CONTRACTION_INPUTS], *ivs[NR_CONTRACTION_LOOPS];
      for (size_t k = 0; k < c->num_inputs; k++) {
        uint32_t row = c->u >= 0 && nr_contraction_along(c, k, (uint32_t)c->u) != NR_ALONG_INVARIANT ? i : 0;
        uint32_t column = second >= 0 && nr_contraction_along(c, k, (uint32_t)second) != NR_ALONG_INVARIANT ? j : 0;
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

/* The initial vector of partial results: the neutral element of combine, or the old value when combine is idempotent,
 * as max and min are. */
static NrValue *identity(NrContraction *c, NrValue *old) {
  NrType type = vector_of(c, c->elem);
  switch (c->combine->info->id) {
  case NR_OP_arith_addf:
  case NR_OP_arith_addi:
  case NR_OP_arith_ori:
  case NR_OP_arith_xori: return zero(c, type);
  case NR_OP_arith_mulf:
  case NR_OP_arith_muli: {
    NrOp *op = nr_build_op(&c->b, NR_OP_arith_constant, NULL, 0, &c->elem, 1);
    nr_op_set_attr(op, NR_A_value, nr_type_is_float(c->elem) ? nr_attr_float(c->elem, 1) : nr_attr_int(c->elem, 1));
    return as_vector(c, nr_op_result(op));
  }
  default: return as_vector(c, old); /* idempotent */
  }
}

static bool is_idempotent(const NrContraction *c) {
  switch (c->combine->info->id) {
  case NR_OP_arith_addf:
  case NR_OP_arith_addi:
  case NR_OP_arith_xori:
  case NR_OP_arith_mulf:
  case NR_OP_arith_muli: return false;
  default: return true;
  }
}

/* Reduces the lanes of a partial result to a scalar: sums of integers by one op, since LLVM takes halves of a sum of
 * products of bytes for a dot product that they are not (codegen/llvm/target.c), all else by combining halves. */
static NrValue *join_lanes(NrContraction *c, NrValue *vector) {
  if (nr_op_is(c->combine, NR_OP_arith_addi)) {
    NrOp *op = nr_build_op(&c->b, NR_OP_vector_reduction, &vector, 1, &c->elem, 1);
    nr_op_set_attr(op, NR_A_kind, nr_vector_kind_attr(c->b.ctx, "add"));
    return nr_op_result(op);
  }
  for (uint32_t n = c->lanes; n > 1; n /= 2) {
    NrType half = nr_type_vector((int64_t[]){n / 2}, 1, c->elem);
    NrValue *parts[2];
    for (uint32_t i = 0; i < 2; i++) {
      NrOp *op = nr_build_op(&c->b, NR_OP_vector_extract_strided_slice, &vector, 1, &half, 1);
      NrContext *ctx = c->b.ctx;
      nr_op_set_attr(op, NR_A_offsets, nr_attr_array(ctx, (NrAttr[]){nr_attr_i64(ctx, i * n / 2)}, 1));
      nr_op_set_attr(op, NR_A_sizes, nr_attr_array(ctx, (NrAttr[]){nr_attr_i64(ctx, n / 2)}, 1));
      nr_op_set_attr(op, NR_A_strides, nr_attr_array(ctx, (NrAttr[]){nr_attr_i64(ctx, 1)}, 1));
      parts[i] = nr_op_result(op);
    }
    NrOpState state = {.info = c->combine->info,
                       .operands = parts,
                       .num_operands = 2,
                       .result_types = &half,
                       .num_results = 1,
                       .attrs = c->combine->attrs,
                       .num_attrs = c->combine->num_attrs};
    vector = nr_op_result(nr_build(&c->b, &state));
  }
  NrOp *op = nr_build_op(&c->b, NR_OP_vector_extract, &vector, 1, &c->elem, 1);
  nr_op_set_attr(op, NR_A_static_position, nr_attr_i64_array(c->b.ctx, (int64_t[]){0}, 1));
  return nr_op_result(op);
}

/* Emits the loops of the reduction dims from dim `at` on, and emit_step inside. When v is a reduction, its loop is the
 * innermost. */
static void emit_reductions(NrContraction *c, const Tile *t, NrValue **acc, size_t at) {
  size_t count = num_carried(c, t);
  while (at < c->num_loops && (!c->reduction[at] || (int)at == c->v || (int)at == c->four)) at++;
  if (at < c->num_loops) {
    NrOp *loop = open_loop(c, constant_index(c, 0), c->bounds[at], 1, acc, count, &c->ivs[at]);
    emit_reductions(c, t, acc, at + 1);
    close_loop(c, loop, acc, count);
    return;
  }
  if (!c->dot) {
    if (c->four >= 0) emit_dots(c, t, acc);
    else emit_step(c, t, acc, t->mask);
    return;
  }
  /* Full vectors first, then the remainder under a mask. */
  int64_t range = nr_contraction_range(c, c->v);
  NrValue *lanes = constant_index(c, c->lanes), *bound = c->bounds[c->v];
  NrValue *rest = nr_arith_binary(&c->b, NR_OP_arith_remui, bound, lanes),
          *whole = nr_arith_binary(&c->b, NR_OP_arith_subi, bound, rest);
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

static NrValue *combine_scalars(NrContraction *c, NrValue *x, NrValue *y) {
  NrOpState state = {.info = c->combine->info,
                     .operands = (NrValue *[]){x, y},
                     .num_operands = 2,
                     .result_types = &c->elem,
                     .num_results = 1,
                     .attrs = c->combine->attrs,
                     .num_attrs = c->combine->num_attrs};
  return nr_op_result(nr_build(&c->b, &state));
}

static void emit_tile(NrContraction *c, const Tile *t) {
  NrValue *acc[MAX_TILE], *old[MAX_TILE], *ivs[NR_CONTRACTION_LOOPS];
  for (uint32_t i = 0; i < t->nu; i++)
    for (uint32_t j = 0; j < t->nv; j++) {
      tile_ivs(c, t, i, j, ivs);
      uint32_t at = i * t->nv + j;
      old[at] = load(c, c->num_inputs, ivs, t->mask);
      acc[at] = c->dot ? identity(c, old[at]) : old[at];
    }
  for (size_t i = (size_t)t->nu * t->nv; i < num_carried(c, t); i++) acc[i] = zero(c, vector_of(c, c->elem));
  emit_reductions(c, t, acc, 0);
  for (uint32_t i = 0; i < t->nu; i++)
    for (uint32_t j = 0; j < t->nv; j++) {
      tile_ivs(c, t, i, j, ivs);
      uint32_t at = i * t->nv + j;
      NrValue *value = acc[at];
      if (corrects(c)) value = nr_arith_binary(&c->b, NR_OP_arith_subi, value, acc[t->nu * t->nv + j]);
      if (c->dot) {
        value = join_lanes(c, value);
        if (!is_idempotent(c)) value = combine_scalars(c, old[at], value);
      }
      store(c, value, ivs, t->mask);
    }
}

/* ---- loops over tiles ---- */

typedef void (*TileFn)(NrContraction *c, Tile *t);

/* Emits a loop over dim d with step `tile`, then one with step 1 for the remainder; sets *slot to the step inside. */
static void over_dim(NrContraction *c, Tile *t, int d, uint32_t tile, uint32_t *slot, TileFn inner) {
  *slot = 1;
  if (d < 0) {
    inner(c, t);
    return;
  }
  int64_t range = nr_contraction_range(c, d);
  NrValue *begin = constant_index(c, 0), *bound = c->bounds[d];
  if (tile > 1) {
    NrValue *rest = nr_arith_binary(&c->b, NR_OP_arith_remui, bound, constant_index(c, tile));
    NrValue *whole = nr_arith_binary(&c->b, NR_OP_arith_subi, bound, rest);
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

static void innermost(NrContraction *c, Tile *t) { emit_tile(c, t); }
static void over_u(NrContraction *c, Tile *t) { over_dim(c, t, c->u, c->tile_u, &t->nu, innermost); }
static void over_w(NrContraction *c, Tile *t) { over_dim(c, t, c->w, c->tile_v, &t->nv, over_u); }

static uint32_t fewer_vectors(const NrContraction *c, int64_t range, uint32_t vectors) {
  return range == INT64_MAX ? vectors / 2 : (uint32_t)NR_MIN(range / c->lanes, (int64_t)vectors - 1);
}

/* Emits the loops over the vectorized parallel dim: one with tiles of tile_v vectors, then one for the full vectors
 * that remain (for a dynamic range, tiles of half as many vectors, and so on: with a single accumulator each step would
 * wait for the one before it), then a masked one. */
static void over_v(NrContraction *c, Tile *t) {
  int64_t range = nr_contraction_range(c, c->v);
  NrValue *begin = constant_index(c, 0), *bound = c->bounds[c->v];
  for (uint32_t vectors = c->tile_v; vectors; vectors = fewer_vectors(c, range, vectors)) {
    int64_t step = (int64_t)vectors * c->lanes;
    if (range < step) continue;
    NrValue *length = nr_arith_binary(&c->b, NR_OP_arith_subi, bound, begin);
    NrValue *rest = nr_arith_binary(&c->b, NR_OP_arith_remui, length, constant_index(c, step));
    NrValue *end = nr_arith_binary(&c->b, NR_OP_arith_subi, bound, rest);
    NrOp *loop = open_loop(c, begin, end, step, NULL, 0, &c->ivs[c->v]);
    t->nv = vectors;
    t->mask = t->bytes_mask = NULL;
    over_u(c, t);
    close_loop(c, loop, NULL, 0);
    if (range != INT64_MAX && (range -= range / step * step) == 0) return;
    begin = end;
  }
  NrOp *loop = open_loop(c, begin, bound, c->lanes, NULL, 0, &c->ivs[c->v]);
  NrValue *left = nr_arith_binary(&c->b, NR_OP_arith_subi, bound, c->ivs[c->v]);
  t->nv = 1;
  t->mask = nr_build_value(&c->b, NR_OP_vector_create_mask, vector_of(c, nr_type_i1(c->b.ctx)), &left, 1);
  if (c->four >= 0) {
    NrType type = nr_type_vector((int64_t[]){4 * (int64_t)c->lanes}, 1, nr_type_i1(c->b.ctx));
    NrValue *bytes = nr_arith_binary(&c->b, NR_OP_arith_muli, left, constant_index(c, 4));
    t->bytes_mask = nr_build_value(&c->b, NR_OP_vector_create_mask, type, &bytes, 1);
  }
  over_u(c, t);
  close_loop(c, loop, NULL, 0);
}

static void over_rest(NrContraction *c, Tile *t, size_t at) {
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

static void vectorize(NrContraction *c) {
  Tile t = {1, 1, NULL, NULL};
  if (c->four >= 0) c->bytes = joined(c, nr_operand(c->op, c->wide));
  for (size_t d = 0; d < c->num_loops; d++) c->bounds[d] = nr_index_value(&c->b, c->ranges[d]);
  over_rest(c, &t, 0);
  nr_op_erase(c->op);
}

static bool is_structured_on_buffers(const NrOp *op) { return nr_linalg_is_structured(op) && !op->num_results; }

static NrStatus vectorize_contractions_run(NrPassContext *pass, NrOp *root) {
  NrOpList found = {0};
  nr_collect_post(root, is_structured_on_buffers, &found);
  for (size_t i = 0; i < found.size; i++) {
    NrContraction c = {.op = found.data[i], .four = -1, .target = pass->target, .b = nr_builder_before(found.data[i])};
    if (!nr_contraction_read(&c)) continue;
    for (size_t d = 0; d < c.num_loops; d++) c.ranges[d] = nr_linalg_loop_range(&c.b, c.op, d);
    if (!nr_contraction_choose(&c)) continue;
    NrOp *of_few = nr_contraction_split_few(&c);
    if (of_few) nr_vec_push(&found, of_few);
    vectorize(&c);
  }
  nr_vec_deinit(&found);
  return NR_OK;
}

NR_PASS(vectorize_contractions, .name = "vectorize-contractions", .on_while = NR_WHILE_BARRIER,
        .run = vectorize_contractions_run,
        .doc = "converts reductions of structured ops to register-tiled loops over vectors")
