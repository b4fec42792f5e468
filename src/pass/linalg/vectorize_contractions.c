/* vectorize_contractions.c - converts reductions of structured ops on memrefs to register-tiled loops over vectors.
 *   before  linalg.generic {m, n parallel, k reduction} c[m, n] += a[m, k] * b[k, n]
 *   after   scf.for n by 3 vectors { scf.for m by 8 { 24 accumulators = c; scf.for k { load, fma }; store } }
 *
 * There are two schemes. A parallel dim is vectorized when every operand is contiguous along it or does not depend on
 * it; accumulators are then vectors of the output. A reduction dim is vectorized (a dot product) when this holds for
 * the inputs and the output does not depend on it; accumulators are then partial results that are combined at the end,
 * so the combining op must be reorderable. Sums of products of bytes that lie by four (contraction.h) are of the first
 * kind, with one rt.dot for four steps of the sum. Where many tiles read the same vectors, these are copied to a panel
 * first, in which they lie side by side. Both unroll other parallel dims, so that a loaded value is used by
 * several accumulators, and mask the end of the range. All other reductions are left to convert-linalg-to-loops.
 *
 * With the attribute `noria.may_be_short`, a parallel dim whose range the run knows gets code for half a vector of
 * elements and fewer: those are copied to lie along the sum, which then has the lanes (few_columns.c). Where only the
 * run knows which of two dims of rows is the longer one, there is code for tiles along either (longer_rows.c). */
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

/* Clones the body for one accumulator. With a mask (dot only), lanes past the end keep their old accumulator. */
static NrValue *emit_body(NrContraction *c, NrValue *const *inputs, NrValue *acc, NrValue *mask) {
  NrBlock *body = nr_op_only_body(c->op);
  NrMap map = {0};
  for (size_t k = 0; k < c->num_inputs; k++) nr_map_set(&map, body->args[k], inputs[k]);
  nr_map_set(&map, body->args[c->num_inputs], acc);
  for (NrOp *op = body->first; op != body->last; op = op->next)
    nr_map_set(&map, nr_op_result(op), nr_clone_on_lanes(&c->b, op, &map, c->lanes));
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
  NrValue *masks[MAX_TILE];       /* of each vector along v; NULL: it is whole */
  NrValue *bytes_masks[MAX_TILE]; /* the same for vectors of bytes */
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
    wide[j] = load_wide(c, ivs, t->bytes_masks[j]);
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

/* ---- panels ---- */

/* Where vector `column` of the panel's row is. */
static NrValue *place_in_panel(NrContraction *c, const Tile *t, uint32_t column) {
  NrValue *row = constant_index(c, (int64_t)t->nv * c->lanes);
  return add_const(c, nr_arith_binary(&c->b, NR_OP_arith_muli, c->in_panel, row), (int64_t)column * c->lanes);
}

static NrValue *load_packed(NrContraction *c, const Tile *t, uint32_t column) {
  NrValue *operands[] = {c->panel, place_in_panel(c, t, column)};
  return nr_build_value(&c->b, NR_OP_vector_load, vector_of(c, c->elem), operands, 2);
}

/* Copies what the tiles read in `count` iterations of k from `begin` on. */
static void fill_panel(NrContraction *c, const Tile *t, NrValue *begin, NrValue *count) {
  NrValue *ivs[NR_CONTRACTION_LOOPS];
  NrOp *loop = open_loop(c, constant_index(c, 0), count, 1, NULL, 0, &c->in_panel);
  c->ivs[c->k] = nr_arith_binary(&c->b, NR_OP_arith_addi, begin, c->in_panel);
  if (c->u >= 0) c->ivs[c->u] = constant_index(c, 0);
  for (uint32_t j = 0; j < t->nv; j++) {
    tile_ivs(c, t, 0, j, ivs);
    NrValue *operands[] = {load(c, (size_t)c->packed, ivs, t->masks[j]), c->panel, place_in_panel(c, t, j)};
    nr_build_op(&c->b, NR_OP_vector_store, operands, 3, NULL, 0);
  }
  close_loop(c, loop, NULL, 0);
}

/* ---- steps, loops and tiles ---- */

/* Updates all accumulators for one step of the innermost reduction; each distinct element of an input is loaded once.
 * mask: of a dot. */
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
          *slot = (int)k == c->packed ? load_packed(c, t, column) : load(c, k, ivs, c->dot ? mask : t->masks[column]);
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
    bool packed = c->packed >= 0;
    NrValue **iv = packed ? &c->in_panel : &c->ivs[at], *begin = c->begin;
    NrOp *loop = open_loop(c, constant_index(c, 0), packed ? c->count : c->bounds[at], 1, acc, count, iv);
    if (packed) c->ivs[at] = nr_arith_binary(&c->b, NR_OP_arith_addi, begin, c->in_panel);
    emit_reductions(c, t, acc, at + 1);
    close_loop(c, loop, acc, count);
    return;
  }
  if (!c->dot) {
    if (c->four >= 0) emit_dots(c, t, acc);
    else emit_step(c, t, acc, NULL);
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
      old[at] = load(c, c->num_inputs, ivs, t->masks[j]);
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
      store(c, value, ivs, t->masks[j]);
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

/* Tiles of so many rows from begin to end. */
static void rows_along_u(NrContraction *c, Tile *t, NrValue *begin, NrValue *end, uint32_t rows) {
  NrOp *loop = open_loop(c, begin, end, rows, NULL, 0, &c->ivs[c->u]);
  t->nu = rows;
  innermost(c, t);
  close_loop(c, loop, NULL, 0);
}

/* Even tiles of a known range: as few as there can be, whose rows differ by one at most. A row by itself would wait for
 * each step before the next one, and load as much as a tile does. */
static void over_known_u(NrContraction *c, Tile *t, int64_t range) {
  int64_t tiles = NR_MAX((range + c->tile_u - 1) / c->tile_u, 1), rows = range / tiles, more = range % tiles;
  NrValue *begin = constant_index(c, 0), *end = constant_index(c, more * (rows + 1));
  if (more) rows_along_u(c, t, begin, end, (uint32_t)rows + 1);
  if (more < tiles) rows_along_u(c, t, more ? end : begin, c->bounds[c->u], (uint32_t)NR_MAX(rows, 1));
}

/* The same of a range that the run knows, with code for each number of rows from half of a tile on. Fewer rows are
 * those of a shorter range, and taken one by one. */
static void over_open_u(NrContraction *c, Tile *t) {
  uint32_t few = NR_MAX(c->tile_u / 2, 2) - 1;
  NrValue *bound = c->bounds[c->u], *begin = constant_index(c, 0);
  NrValue *tiles = nr_arith_binary(&c->b, NR_OP_arith_ceildivui, bound, constant_index(c, c->tile_u));
  NrValue *one = constant_index(c, 1), *some = nr_arith_binary(&c->b, NR_OP_arith_maxui, tiles, one);
  NrValue *rows = nr_arith_binary(&c->b, NR_OP_arith_divui, bound, some);
  NrValue *more = nr_arith_binary(&c->b, NR_OP_arith_remui, bound, some);
  NrValue *behind = nr_arith_binary(&c->b, NR_OP_arith_muli, more, add_const(c, rows, 1));
  for (uint32_t size = c->tile_u; size > few; size--) {
    NrValue *n = constant_index(c, size);
    NrValue *fewer = nr_arith_cmpi(&c->b, NR_CMPI_EQ, rows, constant_index(c, size - 1));
    NrValue *same = nr_arith_cmpi(&c->b, NR_CMPI_EQ, rows, n);
    NrValue *end = nr_build_value(&c->b, NR_OP_arith_select, n->type, (NrValue *[]){fewer, behind, begin}, 3);
    end = nr_build_value(&c->b, NR_OP_arith_select, n->type, (NrValue *[]){same, bound, end}, 3);
    rows_along_u(c, t, begin, end, size);
    begin = end;
  }
  rows_along_u(c, t, begin, bound, 1);
}

/* Code for each number of rows is worth its size where the vectors along v need one size only. */
static void over_u(NrContraction *c, Tile *t) {
  int64_t range = nr_contraction_range(c, c->u), along = nr_contraction_range(c, c->v);
  bool whole = !c->dot && along != INT64_MAX && along % ((int64_t)c->tile_v * c->lanes) == 0;
  if (c->u >= 0 && range != INT64_MAX && !c->dot) over_known_u(c, t, range);
  else if (c->u >= 0 && whole) over_open_u(c, t);
  else over_dim(c, t, c->u, c->tile_u, &t->nu, innermost);
}

/* The tiles along u, of which each reads what is copied for all of them. */
static void over_copied(NrContraction *c, Tile *t) {
  if (c->packed >= 0) fill_panel(c, t, c->begin, c->count);
  over_u(c, t);
}

static void over_w(NrContraction *c, Tile *t) { over_dim(c, t, c->w, c->tile_v, &t->nv, over_u); }

/* Masks the vectors of the tile from number `first` on, of which `left` elements are inside. */
static void mask_from(NrContraction *c, Tile *t, uint32_t first, NrValue *left) {
  for (uint32_t j = first; j < t->nv; j++) {
    NrValue *here = add_const(c, left, -(int64_t)j * c->lanes);
    t->masks[j] = nr_build_value(&c->b, NR_OP_vector_create_mask, vector_of(c, nr_type_i1(c->b.ctx)), &here, 1);
    if (c->four < 0) continue;
    NrType type = nr_type_vector((int64_t[]){4 * (int64_t)c->lanes}, 1, nr_type_i1(c->b.ctx));
    NrValue *bytes = nr_arith_binary(&c->b, NR_OP_arith_muli, here, constant_index(c, 4));
    t->bytes_masks[j] = nr_build_value(&c->b, NR_OP_vector_create_mask, type, &bytes, 1);
  }
}

/* Tiles of so many vectors from begin to end, those from number `masked` on under masks. */
static void tiles_along_v(NrContraction *c, Tile *t, NrValue *begin, NrValue *end, uint32_t vectors, uint32_t masked) {
  NrOp *loop = open_loop(c, begin, end, (int64_t)vectors * c->lanes, NULL, 0, &c->ivs[c->v]);
  t->nv = vectors;
  memset(t->masks, 0, sizeof t->masks);
  memset(t->bytes_masks, 0, sizeof t->bytes_masks);
  if (masked < vectors)
    mask_from(c, t, masked, nr_arith_binary(&c->b, NR_OP_arith_subi, c->bounds[c->v], c->ivs[c->v]));
  over_copied(c, t);
  close_loop(c, loop, NULL, 0);
}

/* A known range: whole tiles, and what remains. With a single accumulator for a row, each step would wait for the one
 * before it and load as much as it multiplies, so that a tile and one vector become two tiles of about equal size.
 * The last vector is masked where lanes of it are left. */
static void over_known_v(NrContraction *c, Tile *t, int64_t range) {
  int64_t vectors = (range + c->lanes - 1) / c->lanes, begin = 0, tiles[3];
  uint32_t rest = (uint32_t)(vectors % c->tile_v), part = range % c->lanes ? 1 : 0;
  int64_t whole = vectors / c->tile_v;
  tiles[0] = c->tile_v;
  tiles[1] = 0;
  tiles[2] = rest;
  if (rest == 1 && whole && c->tile_v > 2) {
    whole--;
    tiles[1] = (c->tile_v + 2) / 2;
    tiles[2] = c->tile_v + 1 - tiles[1];
  } else if (rest == 0 && part) { /* the last whole tile has the mask */
    whole--;
    tiles[2] = c->tile_v;
  }
  for (size_t i = 0; i < 3; i++) {
    int64_t count = i == 0 ? whole : tiles[i] > 0, end = begin + count * tiles[i] * c->lanes;
    uint32_t size = (uint32_t)tiles[i];
    if (!count) continue;
    tiles_along_v(c, t, constant_index(c, begin), constant_index(c, NR_MIN(end, range)), size,
                  end > range ? size - 1 : size);
    begin = end;
  }
}

/* An unknown range, of which panels are packed: as over_known_v, but in loops for tiles of each size. Only what is
 * packed and what is stored needs the mask of the last vector, so that whole tiles have one too. */
static void over_packed_v(NrContraction *c, Tile *t) {
  NrValue *zero = constant_index(c, 0), *one = constant_index(c, 1), *bound = c->bounds[c->v], *begin = zero;
  NrValue *vectors = nr_arith_binary(&c->b, NR_OP_arith_ceildivui, bound, constant_index(c, c->lanes));
  for (uint32_t size = c->tile_v; size; size--) {
    NrValue *step = constant_index(c, (int64_t)size * c->lanes), *count = vectors;
    if (size > 1) {
      NrValue *tile = constant_index(c, size), *rest = nr_arith_binary(&c->b, NR_OP_arith_remui, vectors, tile);
      count = nr_arith_binary(&c->b, NR_OP_arith_divui, vectors, tile);
      if (size > 2) { /* no tile of one vector is left where there is another one */
        NrValue *single = nr_arith_cmpi(&c->b, NR_CMPI_EQ, rest, one);
        NrValue *any = nr_arith_cmpi(&c->b, NR_CMPI_NE, count, zero);
        NrValue *both = nr_arith_binary(&c->b, NR_OP_arith_andi, single, any);
        NrValue *less = nr_arith_binary(&c->b, NR_OP_arith_subi, count, one);
        count = nr_build_value(&c->b, NR_OP_arith_select, count->type, (NrValue *[]){both, less, count}, 3);
      }
      NrValue *taken = nr_arith_binary(&c->b, NR_OP_arith_muli, count, tile);
      vectors = nr_arith_binary(&c->b, NR_OP_arith_subi, vectors, taken);
    }
    NrValue *length = nr_arith_binary(&c->b, NR_OP_arith_muli, count, step);
    NrValue *end = nr_arith_binary(&c->b, NR_OP_arith_addi, begin, length);
    tiles_along_v(c, t, begin, end, size, size - 1);
    begin = end;
  }
}

/* Emits the loops over the vectorized parallel dim. Of an unknown range: tiles of tile_v vectors; then one of two
 * vectors where more than a vector is left, or, of very wide tiles, some of half as many vectors, and so on; then a
 * masked vector. Three masked vectors would take as long as two and one, and longer than two. */
static void over_v(NrContraction *c, Tile *t) {
  enum { WIDE = 4 };
  int64_t range = nr_contraction_range(c, c->v);
  if (range != INT64_MAX) {
    over_known_v(c, t, range);
    return;
  }
  if (c->packed >= 0) {
    over_packed_v(c, t);
    return;
  }
  NrValue *begin = constant_index(c, 0), *bound = c->bounds[c->v];
  for (uint32_t vectors = c->tile_v; vectors; vectors = c->tile_v > WIDE ? vectors / 2 : 0) {
    NrValue *length = nr_arith_binary(&c->b, NR_OP_arith_subi, bound, begin);
    NrValue *step = constant_index(c, (int64_t)vectors * c->lanes);
    NrValue *rest = nr_arith_binary(&c->b, NR_OP_arith_remui, length, step);
    NrValue *end = nr_arith_binary(&c->b, NR_OP_arith_subi, bound, rest);
    tiles_along_v(c, t, begin, end, vectors, vectors);
    begin = end;
  }
  if (c->tile_v > 1 && c->tile_v <= WIDE) {
    NrValue *left = nr_arith_binary(&c->b, NR_OP_arith_subi, bound, begin);
    NrValue *more = nr_arith_cmpi(&c->b, NR_CMPI_UGT, left, constant_index(c, c->lanes));
    NrValue *behind = add_const(c, begin, 2 * (int64_t)c->lanes);
    NrValue *end = nr_build_value(&c->b, NR_OP_arith_select, begin->type, (NrValue *[]){more, behind, begin}, 3);
    tiles_along_v(c, t, begin, end, 2, 1);
    begin = end;
  }
  tiles_along_v(c, t, begin, bound, 1, 0);
}

/* The tiles along v, for one part of the sum after the other: what a part multiplies with of the other factor's rows is
 * then still in the second cache for the next tile. */
static void over_parts(NrContraction *c, Tile *t) {
  if (c->packed < 0) {
    over_v(c, t);
    return;
  }
  int64_t range = nr_contraction_range(c, c->k);
  NrValue *depth = constant_index(c, c->depth), *bound = c->bounds[c->k];
  NrOp *loop = open_loop(c, constant_index(c, 0), bound, c->depth, NULL, 0, &c->begin);
  c->count = depth;
  if (range == INT64_MAX || range % c->depth) {
    NrValue *left = nr_arith_binary(&c->b, NR_OP_arith_subi, bound, c->begin);
    c->count = nr_arith_binary(&c->b, NR_OP_arith_minui, left, depth);
  }
  over_v(c, t);
  close_loop(c, loop, NULL, 0);
}

static void over_rest(NrContraction *c, Tile *t, size_t at) {
  while (at < c->num_loops && (c->reduction[at] || (int)at == c->v || (int)at == c->u || (int)at == c->w)) at++;
  if (at == c->num_loops) {
    if (c->dot) over_w(c, t);
    else over_parts(c, t);
    return;
  }
  NrOp *loop = open_loop(c, constant_index(c, 0), c->bounds[at], 1, NULL, 0, &c->ivs[at]);
  over_rest(c, t, at + 1);
  close_loop(c, loop, NULL, 0);
}

/* The panel of the function, on its stack; NULL: iterations of a loop around the op run side by side. */
static NrValue *find_panel(NrContraction *c) {
  NrBlock *block = c->op->block;
  for (NrOp *outer = nr_block_parent_op(block); !nr_op_has(outer, NR_FUNCTION); outer = nr_block_parent_op(block)) {
    if (nr_op_is(outer, NR_OP_scf_parallel) || nr_op_is(outer, NR_OP_scf_forall) || !outer->block) return NULL;
    block = outer->block;
  }
  NrIndex elements = nr_index_const(NR_PANEL_BYTES / (int64_t)nr_type_byte_size(c->elem));
  NrOp *first = block->first;
  if (nr_op_attr(first, NR_A_noria_panel) && nr_op_result(first)->type->elem == c->elem) return nr_op_result(first);
  NrBuilder b = nr_builder_at_start(c->op->module, block, c->op->loc);
  NrValue *panel = nr_build_alloc(&b, NR_OP_memref_alloca, c->elem, &elements, 1);
  nr_op_set_attr(panel->op, NR_A_alignment, nr_attr_i64(b.ctx, 64));
  nr_op_set_attr(panel->op, NR_A_noria_panel, nr_attr_unit(b.ctx)); /* made here: no buffer of the program's */
  return panel;
}

static void vectorize(NrContraction *c) {
  Tile t = {.nu = 1, .nv = 1};
  if (c->packed >= 0 && !(c->panel = find_panel(c))) c->packed = -1;
  if (c->four >= 0) c->bytes = joined(c, nr_operand(c->op, c->wide));
  for (size_t d = 0; d < c->num_loops; d++) c->bounds[d] = nr_index_value(&c->b, c->ranges[d]);
  over_rest(c, &t, 0);
  nr_op_erase(c->op);
}

static bool is_structured_on_buffers(const NrOp *op) { return nr_linalg_is_structured(op) && !op->num_results; }

/* Reads the op, or what its loops were merged to. rows: see NrContraction. */
static bool read_contraction(NrContraction *c, NrPassContext *pass, NrOp *op, int rows) {
  *c = (NrContraction){.op = op, .rows = rows, .four = -1, .target = pass->target, .b = nr_builder_before(op)};
  return nr_contraction_read(c);
}

static NrStatus vectorize_contractions_run(NrPassContext *pass, NrOp *root) {
  NrOpList found = {0};
  NrMap rows = {0}; /* NrOp* -> the dim that its tiles are along + 1 */
  nr_collect_post(root, is_structured_on_buffers, &found);
  for (size_t i = 0; i < found.size; i++) {
    NrContraction c;
    int dim = (int)(intptr_t)nr_map_get(&rows, found.data[i]) - 1;
    if (!read_contraction(&c, pass, found.data[i], dim)) continue;
    NrOp *merged = dim < 0 ? nr_linalg_merge_loops(c.op) : c.op;
    if (merged != c.op) {
      bool again = read_contraction(&c, pass, merged, -1);
      assert(again);
      (void)again;
    }
    for (size_t d = 0; d < c.num_loops; d++) c.ranges[d] = nr_linalg_loop_range(&c.b, c.op, d);
    if (!nr_contraction_choose(&c)) continue;
    NrOp *of_rows = nr_contraction_split_rows(&c, &dim);
    if (of_rows) {
      nr_map_set(&rows, of_rows, (void *)(intptr_t)(dim + 1));
      nr_vec_push(&found, of_rows);
    }
    NrOp *of_few = nr_contraction_split_few(&c);
    if (of_few) nr_vec_push(&found, of_few);
    vectorize(&c);
  }
  nr_map_deinit(&rows);
  nr_vec_deinit(&found);
  return NR_OK;
}

NR_PASS(vectorize_contractions, .name = "vectorize-contractions", .on_while = NR_WHILE_BARRIER,
        .run = vectorize_contractions_run,
        .doc = "converts reductions of structured ops to register-tiled loops over vectors")
