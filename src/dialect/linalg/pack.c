/* pack.c - linalg.pack and linalg.unpack, which change a tensor's layout to tiles and back.
 *
 * Dim i of the unpacked tensor with tile size t corresponds to two dims of the packed tensor: dim p, which counts
 * tiles, where outer_dims_perm[p] = i, and an inner dim of size t. Both ops expand to one linalg.generic: pack reads
 * source[.. p * t + inner ..] for each element of the packed tensor, unpack reads packed[.. i / t .., i mod t] for each
 * element of the unpacked tensor. */
#include "dialect/arith/arith.h"
#include "dialect/linalg/linalg.h"
#include "dialect/operands.h"
#include "dialect/tensor/tensor.h"

static bool is_pack(const NrOp *op) { return nr_op_is(op, NR_OP_linalg_pack); }
static NrIndexListSlot tiles_slot(bool pack) {
  return (NrIndexListSlot){pack ? NR_LINALG_PACK_INNER_TILES_GROUP : NR_LINALG_UNPACK_INNER_TILES_GROUP,
                           "static_inner_tiles"};
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static NrStatus parse_integers(NrParser *p, NrOpState *state, const char *word) {
  NR_TRY(nr_p_expect(p, word));
  NR_TRY(nr_p_expect(p, "="));
  return nr_p_integers(p, state, word);
}

NrStatus nr_linalg_pack_parse(NrParser *p, NrOpState *state) {
  bool pack = state->info->id == NR_OP_linalg_pack, padded;
  NrOperandRef source, dest, padding;
  NrIndexListText tiles;
  NrType padding_type = NULL, types[2];
  NR_TRY(nr_p_operand(p, &source));
  padded = pack && nr_p_try(p, "padding_value");
  if (padded) {
    NR_TRY(nr_p_expect(p, "("));
    NR_TRY(nr_p_operand(p, &padding));
    NR_TRY(nr_p_expect(p, ":"));
    NR_TRY(nr_p_type(p, &padding_type));
    NR_TRY(nr_p_expect(p, ")"));
  }
  if (nr_p_peek(p, "outer_dims_perm")) NR_TRY(parse_integers(p, state, "outer_dims_perm"));
  NR_TRY(parse_integers(p, state, "inner_dims_pos"));
  NR_TRY(nr_p_expect(p, "inner_tiles"));
  NR_TRY(nr_p_expect(p, "="));
  NR_TRY(nr_p_index_list(p, &tiles));
  NR_TRY(nr_p_expect(p, "into"));
  NR_TRY(nr_p_operand(p, &dest));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &types[0]));
  NR_TRY(nr_p_expect(p, "->"));
  NR_TRY(nr_p_type(p, &types[1]));
  NR_TRY(nr_p_add_operand(p, state, source, types[0]));
  NR_TRY(nr_p_add_operand(p, state, dest, types[1]));
  if (padded) NR_TRY(nr_p_add_operand(p, state, padding, padding_type));
  NR_TRY(nr_p_add_index_list(p, state, &tiles, "static_inner_tiles"));
  if (pack) nr_p_set_segments(p, state, (uint32_t[]){1, 1, padded, (uint32_t)tiles.num_refs}, 4);
  nr_p_add_result(p, state, types[1]);
  return NR_OK;
}

void nr_linalg_pack_print(NrPrinter *w, NrOp *op) {
  static const char *const own[] = {"outer_dims_perm", "inner_dims_pos", "static_inner_tiles", "operandSegmentSizes",
                                    NULL};
  NrValue *padding = is_pack(op) ? nr_op_group_operand(op, NR_LINALG_PACK_PADDING_VALUE_GROUP) : NULL;
  nr_w_puts(w, " ");
  nr_w_value(w, nr_op_source(op));
  if (padding) {
    nr_w_puts(w, " padding_value(");
    nr_w_value(w, padding);
    nr_w_puts(w, " : ");
    nr_w_type(w, padding->type);
    nr_w_puts(w, ")");
  }
  if (nr_op_attr(op, NR_A_outer_dims_perm) && nr_index_list_size(op, "outer_dims_perm")) {
    nr_w_puts(w, " outer_dims_perm = ");
    nr_w_integers(w, op, "outer_dims_perm");
  }
  nr_w_puts(w, " inner_dims_pos = ");
  nr_w_integers(w, op, "inner_dims_pos");
  nr_w_puts(w, " inner_tiles = ");
  nr_w_index_list(w, op, tiles_slot(is_pack(op)));
  nr_w_puts(w, " into ");
  nr_w_value(w, nr_op_dest(op));
  nr_w_attr_dict(w, op, own);
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_op_source(op)->type);
  nr_w_puts(w, " -> ");
  nr_w_type(w, nr_op_dest(op)->type);
}

/* ---- the op's attributes ----------------------------------------------------------------------------------------- */

typedef struct Packing {
  NrValue *unpacked, *packed;
  uint32_t rank;              /* of the unpacked tensor */
  uint32_t outer[NR_MAX_RANK]; /* dim of the packed tensor that counts the tiles of dim i */
  int64_t inner[NR_MAX_RANK];  /* dim of the packed tensor within the tiles of dim i, or -1 */
  NrIndex tile[NR_MAX_RANK];   /* tile size of dim i, where inner[i] >= 0 */
} Packing;

static void read_packing(const NrOp *op, Packing *out) {
  bool pack = is_pack(op), permuted = nr_op_attr(op, NR_A_outer_dims_perm) != NULL;
  *out = (Packing){.unpacked = pack ? nr_op_source(op) : nr_op_dest(op),
                   .packed = pack ? nr_op_dest(op) : nr_op_source(op)};
  out->rank = out->unpacked->type->rank;
  permuted = permuted && nr_index_list_size(op, "outer_dims_perm");
  for (uint32_t p = 0; p < out->rank; p++) {
    out->outer[permuted ? nr_index_list_statics(op, "outer_dims_perm")[p] : p] = p;
    out->inner[p] = -1;
  }
  for (size_t j = 0; j < nr_index_list_size(op, "inner_dims_pos"); j++) {
    int64_t i = nr_index_list_statics(op, "inner_dims_pos")[j];
    out->inner[i] = (int64_t)(out->rank + j);
    out->tile[i] = nr_index_list_get(op, tiles_slot(pack), j);
  }
}

/* ---- verifier --------------------------------------------------------------------------------------------------- */

static NrStatus lists_verify(NrOp *op, uint32_t rank) {
  bool permuted = nr_op_attr(op, NR_A_outer_dims_perm) && nr_index_list_size(op, "outer_dims_perm");
  size_t tiles = nr_index_list_size(op, "inner_dims_pos"), wrong;
  NrIndexListSlot slot = tiles_slot(is_pack(op));
  if (!nr_linalg_are_dims(op, "inner_dims_pos", rank, &wrong))
    return nr_op_error(op, "(C1) invalid inner_dims_pos vector");
  if (permuted &&
      (nr_index_list_size(op, "outer_dims_perm") != rank || !nr_linalg_are_dims(op, "outer_dims_perm", rank, &wrong)))
    return nr_op_error(op, "(C1) invalid outer_dims_perm vector");
  NR_TRY(nr_index_list_verify(op, slot, "inner tiles", tiles));
  for (size_t j = 0; j < tiles; j++) {
    NrIndex tile = nr_index_list_get(op, slot, j);
    if (!tile.value && tile.constant <= 0) return nr_op_error(op, "(C2) invalid zero or negative tile factor");
  }
  return NR_OK;
}

static NrStatus sizes_verify(NrOp *op) {
  Packing k;
  read_packing(op, &k);
  bool whole = is_pack(op) && !nr_op_group_operand(op, NR_LINALG_PACK_PADDING_VALUE_GROUP);
  for (uint32_t i = 0; i < k.rank; i++) {
    int64_t size = k.unpacked->type->dims[i], outer = k.packed->type->dims[k.outer[i]];
    bool tiled = k.inner[i] >= 0;
    int64_t inner = tiled ? k.packed->type->dims[k.inner[i]] : 1;
    int64_t tile = !tiled ? 1 : k.tile[i].value ? NR_DYNAMIC : k.tile[i].constant;
    if (inner != tile)
      return nr_op_error(op, "(C2) mismatch in inner tile sizes specified and shaped of tiled dimension in the packed "
                             "type");
    if (size == NR_DYNAMIC || outer == NR_DYNAMIC || tile == NR_DYNAMIC) continue;
    if (whole && size % tile)
      return nr_op_error(op, "(C4) invalid tile factor or output size provided. Only full tiles are supported when "
                             "padding_value is not set");
    if (outer != size / tile + (size % tile != 0))
      return nr_op_error(op, "(C3) expected dim %u of the packed type to be %lld, as dim %u is %lld in tiles of %lld, "
                             "got %lld",
                         k.outer[i], (long long)(size / tile + (size % tile != 0)), i, (long long)size,
                         (long long)tile, (long long)outer);
  }
  return NR_OK;
}

NrStatus nr_linalg_pack_verify(NrOp *op) {
  bool pack = is_pack(op);
  NrType unpacked = (pack ? nr_op_source(op) : nr_op_dest(op))->type,
         packed = (pack ? nr_op_dest(op) : nr_op_source(op))->type;
  size_t tiles = nr_index_list_size(op, "inner_dims_pos");
  NR_TRY(lists_verify(op, unpacked->rank));
  if (packed->rank != unpacked->rank + tiles)
    return nr_op_error(op, "(C2) expected the packed rank %u to be the unpacked rank %u plus %zu inner tiles",
                       packed->rank, unpacked->rank, tiles);
  NrValue *padding = pack ? nr_op_group_operand(op, NR_LINALG_PACK_PADDING_VALUE_GROUP) : NULL;
  if (packed->elem != unpacked->elem || (padding && padding->type != packed->elem))
    return nr_op_error(op, "(C4) expected source, dest and padding_value to have one element type");
  return sizes_verify(op);
}

/* ---- expansion --------------------------------------------------------------------------------------------------- */

static NrIndex index_sub(NrBuilder *b, NrIndex x, NrIndex y) {
  if (!x.value && !y.value) return nr_index_const(x.constant - y.constant);
  return (NrIndex){nr_arith_binary(b, NR_OP_arith_subi, nr_index_value(b, x), nr_index_value(b, y)), 0};
}

static NrValue *build_pad(NrBuilder *b, NrValue *source, const NrIndex *high, NrValue *padding) {
  NrType type = source->type;
  NrIndex low[NR_MAX_RANK];
  NrValue *operands[2 * NR_MAX_RANK + 1] = {source};
  int64_t dims[NR_MAX_RANK];
  size_t count = 1;
  for (uint32_t i = 0; i < type->rank; i++) {
    low[i] = nr_index_const(0);
    bool known = !high[i].value && type->dims[i] != NR_DYNAMIC;
    dims[i] = known ? type->dims[i] + high[i].constant : NR_DYNAMIC;
  }
  NrAttr lows = nr_index_list_split(b, low, type->rank, operands, &count);
  NrAttr highs = nr_index_list_split(b, high, type->rank, operands, &count);
  NrType padded = nr_type_tensor(dims, type->rank, type->elem);
  NrOp *op = nr_build(b, &(NrOpState){.info = nr_op_infos[NR_OP_tensor_pad],
                                      .operands = operands,
                                      .num_operands = count,
                                      .result_types = &padded,
                                      .num_results = 1,
                                      .num_regions = 1});
  nr_op_set_attr(op, NR_A_static_low, lows);
  nr_op_set_attr(op, NR_A_static_high, highs);
  nr_op_set_segments(op, (uint32_t[]){1, 0, (uint32_t)count - 1}, 3);
  NrBlock *body = nr_block_create(b->module);
  nr_block_append(nr_tensor_pad_region(op), body);
  for (uint32_t i = 0; i < type->rank; i++) nr_block_add_arg(body, nr_type_index(b->ctx), op->loc);
  NrBuilder inside = nr_builder_at_end(b->module, body, op->loc);
  nr_build_op(&inside, NR_OP_tensor_yield, &padding, 1, NULL, 0);
  return nr_op_result(op);
}

/* The source padded to whole tiles; the source itself when nothing is missing. */
static NrValue *padded_source(NrBuilder *b, const Packing *k, NrValue *padding) {
  NrIndex high[NR_MAX_RANK];
  bool any = false;
  for (uint32_t i = 0; i < k->rank; i++) {
    high[i] = nr_index_const(0);
    if (k->inner[i] < 0) continue;
    NrIndex tiles = nr_dim_build(b, k->packed, k->outer[i]);
    high[i] = index_sub(b, nr_index_mul(b, tiles, k->tile[i]), nr_dim_build(b, k->unpacked, i));
    any |= !nr_index_is(high[i], 0);
  }
  return any ? build_pad(b, k->unpacked, high, padding) : k->unpacked;
}

static bool has_static_tiles(const Packing *k) {
  for (uint32_t i = 0; i < k->rank; i++)
    if (k->inner[i] >= 0 && k->tile[i].value) return false;
  return true;
}

/* The indices into the source as affine expressions over the dims of the destination. */
static void source_exprs(NrContext *ctx, const Packing *k, bool pack, NrAffineExpr *out) {
  for (uint32_t i = 0; i < k->rank; i++) {
    bool tiled = k->inner[i] >= 0;
    NrAffineExpr tile = nr_affine_constant(ctx, tiled ? k->tile[i].constant : 1);
    NrAffineExpr self = nr_affine_dim(ctx, pack ? k->outer[i] : i);
    if (!pack) {
      out[k->outer[i]] = tiled ? nr_affine_binary(NR_AFFINE_FLOORDIV, self, tile) : self;
      if (tiled) out[k->inner[i]] = nr_affine_binary(NR_AFFINE_MOD, self, tile);
    } else if (tiled) {
      NrAffineExpr begin = nr_affine_binary(NR_AFFINE_MUL, self, tile);
      out[i] = nr_affine_binary(NR_AFFINE_ADD, begin, nr_affine_dim(ctx, (uint32_t)k->inner[i]));
    } else {
      out[i] = self;
    }
  }
}

/* The same indices as arithmetic in the body, for dynamic tile sizes. A tile size of 0 is computed as 1; the resulting
 * access out of bounds is then found like any other. */
static void source_indices(NrBuilder *b, const Packing *k, bool pack, NrValue **out) {
  NrType index = nr_type_index(b->ctx);
  NrValue *loops[NR_MAX_RANK], *one = nr_arith_constant_index(b, 1);
  uint32_t num_loops = pack ? k->packed->type->rank : k->rank;
  for (uint32_t d = 0; d < num_loops; d++) {
    loops[d] = nr_build_value(b, NR_OP_linalg_index, index, NULL, 0);
    nr_op_set_attr(loops[d]->op, NR_A_dim, nr_attr_i64(b->ctx, d));
  }
  for (uint32_t i = 0; i < k->rank; i++) {
    bool tiled = k->inner[i] >= 0;
    NrValue *self = loops[pack ? k->outer[i] : i];
    NrValue *tile = tiled ? nr_arith_binary(b, NR_OP_arith_maxui, nr_index_value(b, k->tile[i]), one) : NULL;
    if (!pack) {
      out[k->outer[i]] = tiled ? nr_arith_binary(b, NR_OP_arith_divui, self, tile) : self;
      if (tiled) out[k->inner[i]] = nr_arith_binary(b, NR_OP_arith_remui, self, tile);
    } else {
      out[i] = !tiled ? self
                      : nr_arith_binary(b, NR_OP_arith_addi, nr_arith_binary(b, NR_OP_arith_muli, self, tile),
                                        loops[k->inner[i]]);
    }
  }
}

/* Copies the elements of source at the indices of source_exprs into dest. */
static NrValue *gather(NrBuilder *b, const Packing *k, bool pack, NrValue *source, NrValue *dest) {
  NrAffineExpr exprs[NR_MAX_RANK];
  NrValue *indices[NR_MAX_RANK];
  char iterators[NR_MAX_RANK + 1] = {0};
  uint32_t loops = dest->type->rank, rank = source->type->rank;
  bool is_static = has_static_tiles(k);
  NrAttr maps[2];
  memset(iterators, 'p', loops);
  if (is_static) source_exprs(b->ctx, k, pack, exprs);
  maps[0] = nr_attr_affine_map(b->ctx, loops, 0, exprs, is_static ? rank : 0);
  for (uint32_t d = 0; d < loops; d++) exprs[d] = nr_affine_dim(b->ctx, d);
  maps[1] = nr_attr_affine_map(b->ctx, loops, 0, exprs, loops);
  NrOp *op = nr_build_generic(b, &source, is_static, &dest, 1, is_static ? maps : maps + 1, iterators);
  NrBlock *body = nr_linalg_generic_body(op);
  NrBuilder inside = nr_builder_at_end(b->module, body, b->loc);
  if (!is_static) source_indices(&inside, k, pack, indices);
  NrValue *element = is_static ? nr_block_arg(body, 0) : nr_build_extract(&inside, source, indices, rank);
  nr_build_op(&inside, NR_OP_linalg_yield, &element, 1, NULL, 0);
  return nr_op_result(op);
}

NrStatus nr_linalg_pack_expand(NrOp *op, NrBuilder *b, NrValue **out_values) {
  Packing k;
  read_packing(op, &k);
  NrValue *padding = nr_op_group_operand(op, NR_LINALG_PACK_PADDING_VALUE_GROUP);
  NrValue *source = padding ? padded_source(b, &k, padding) : k.unpacked;
  out_values[0] = gather(b, &k, true, source, k.packed);
  return NR_OK;
}

NrStatus nr_linalg_unpack_expand(NrOp *op, NrBuilder *b, NrValue **out_values) {
  Packing k;
  read_packing(op, &k);
  out_values[0] = gather(b, &k, false, k.packed, k.unpacked);
  return NR_OK;
}
