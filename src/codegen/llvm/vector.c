/* vector.c - making vectors, masks, and arithmetic. A vector of rank above 1 is an LLVM array of rows; ops recurse down
 * to the rows. */
#include "codegen/llvm/vector.h"

/* ---- helpers ---------------------------------------------------------------------------------------------------- */

uint32_t nr_ll_rows_rank(NrType type) { return type->rank ? type->rank - 1 : 0; }
unsigned nr_ll_lanes(NrType type) { return type->rank ? (unsigned)type->dims[type->rank - 1] : 1; }

LLVMTypeRef nr_ll_row_type(NrLl *g, NrType type) {
  return LLVMVectorType(nr_ll_type(g, type->elem), nr_ll_lanes(type));
}

LLVMValueRef nr_ll_broadcast(NrLl *g, LLVMValueRef scalar, unsigned lanes) {
  LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), lanes);
  LLVMValueRef one = LLVMBuildInsertElement(g->b, LLVMGetPoison(type), scalar, nr_ll_int(g, 0), "");
  LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(g->i32, lanes));
  return LLVMBuildShuffleVector(g->b, one, LLVMGetPoison(type), zeros, "");
}

LLVMValueRef nr_ll_iota(NrLl *g, LLVMTypeRef elem, unsigned lanes) {
  LLVMValueRef *items = nr_malloc(lanes * sizeof *items);
  for (unsigned i = 0; i < lanes; i++) items[i] = LLVMConstInt(elem, i, false);
  LLVMValueRef out = LLVMConstVector(items, lanes);
  nr_free(items);
  return out;
}

/* Lanes below `count` (i64, any value). Compared as i32, which vectors hold twice as many of. */
LLVMValueRef nr_ll_mask_below(NrLl *g, LLVMValueRef count, unsigned lanes) {
  LLVMValueRef low[] = {count, nr_ll_int(g, 0)};
  LLVMValueRef high[] = {nr_ll_intrinsic(g, "llvm.smax", &g->i64, 1, low, 2), nr_ll_int(g, lanes)};
  LLVMValueRef clamped = nr_ll_intrinsic(g, "llvm.smin", &g->i64, 1, high, 2);
  LLVMValueRef limit = nr_ll_broadcast(g, LLVMBuildTrunc(g->b, clamped, g->i32, ""), lanes);
  return LLVMBuildICmp(g->b, LLVMIntULT, nr_ll_iota(g, g->i32, lanes), limit, "");
}

/* ---- making vectors --------------------------------------------------------------------------------------------- */

static LLVMValueRef repeat(NrLl *g, LLVMValueRef item, NrType type, uint32_t dim) {
  if (dim == nr_ll_rows_rank(type)) return item;
  LLVMValueRef below = repeat(g, item, type, dim + 1);
  LLVMValueRef out = LLVMGetPoison(LLVMArrayType2(LLVMTypeOf(below), (uint64_t)type->dims[dim]));
  for (unsigned i = 0; i < (unsigned)type->dims[dim]; i++) out = LLVMBuildInsertValue(g->b, out, below, i, "");
  return out;
}

/* from's dims are to's last ones, or 1 where to's is larger. */
static LLVMValueRef stretch(NrLl *g, LLVMValueRef value, NrType from, uint32_t from_dim, NrType to, uint32_t to_dim) {
  uint32_t left_from = from->rank - from_dim, left_to = to->rank - to_dim;
  if (left_from == 0) { /* vector<f32> */
    LLVMValueRef scalar = LLVMBuildExtractElement(g->b, value, nr_ll_int(g, 0), "");
    return repeat(g, nr_ll_broadcast(g, scalar, nr_ll_lanes(to)), to, to_dim);
  }
  if (left_to == 1) {
    if (from->dims[from_dim] == to->dims[to_dim]) return value;
    return nr_ll_broadcast(g, LLVMBuildExtractElement(g->b, value, nr_ll_int(g, 0), ""), nr_ll_lanes(to));
  }
  LLVMValueRef out = NULL;
  for (unsigned i = 0; i < (unsigned)to->dims[to_dim]; i++) {
    LLVMValueRef item = value;
    uint32_t next = from_dim;
    if (left_from == left_to) {
      item = LLVMBuildExtractValue(g->b, value, from->dims[from_dim] == 1 ? 0 : i, "");
      next++;
    }
    item = stretch(g, item, from, next, to, to_dim + 1);
    if (!out) out = LLVMGetPoison(LLVMArrayType2(LLVMTypeOf(item), (uint64_t)to->dims[to_dim]));
    out = LLVMBuildInsertValue(g->b, out, item, i, "");
  }
  return out;
}

static NrStatus emit_broadcast(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType from = nr_operand(op, 0)->type, to = nr_result(op, 0)->type;
  LLVMValueRef value = nr_ll_value(g, nr_operand(op, 0)), out;
  if (from->kind != NR_TYPE_VECTOR) out = repeat(g, nr_ll_broadcast(g, value, nr_ll_lanes(to)), to, 0);
  else out = stretch(g, value, from, 0, to, 0);
  nr_ll_set(g, nr_result(op, 0), out);
  return NR_OK;
}

static NrStatus emit_from_elements(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType type = nr_result(op, 0)->type;
  unsigned lanes = nr_ll_lanes(type);
  size_t rows = nr_ll_num_rows(type), next = 0;
  LLVMValueRef *items = nr_malloc(rows * sizeof *items);
  for (size_t r = 0; r < rows; r++) {
    items[r] = LLVMGetPoison(nr_ll_row_type(g, type));
    for (unsigned i = 0; i < lanes; i++)
      items[r] =
          LLVMBuildInsertElement(g->b, items[r], nr_ll_value(g, nr_operand(op, r * lanes + i)), nr_ll_int(g, i), "");
  }
  nr_ll_set(g, nr_result(op, 0), nr_ll_nest(g, nr_ll_type(g, type), items, &next));
  nr_free(items);
  return NR_OK;
}

static NrStatus emit_to_elements(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType type = nr_operand(op, 0)->type;
  unsigned lanes = nr_ll_lanes(type);
  LLVMValueRef *rows = nr_malloc(nr_ll_num_rows(type) * sizeof *rows);
  nr_ll_flatten(g, nr_ll_value(g, nr_operand(op, 0)), rows, &(size_t){0});
  for (uint32_t i = 0; i < op->num_results; i++)
    nr_ll_set(g, nr_result(op, i), LLVMBuildExtractElement(g->b, rows[i / lanes], nr_ll_int(g, i % lanes), ""));
  nr_free(rows);
  return NR_OK;
}

static NrStatus emit_step(NrLl *g, NrOp *op, const NrLlRow *row) {
  nr_ll_set(g, nr_result(op, 0), nr_ll_iota(g, g->i64, nr_ll_lanes(nr_result(op, 0)->type)));
  return NR_OK;
}

/* limits: one i64 per dim. */
static LLVMValueRef mask(NrLl *g, NrType type, LLVMValueRef *limits, uint32_t dim) {
  if (dim == nr_ll_rows_rank(type))
    return type->rank ? nr_ll_mask_below(g, limits[dim], nr_ll_lanes(type))
                      : nr_ll_broadcast(g, LLVMBuildICmp(g->b, LLVMIntSGT, limits[0], nr_ll_int(g, 0), ""), 1);
  LLVMValueRef below = mask(g, type, limits, dim + 1), none = LLVMConstNull(LLVMTypeOf(below));
  LLVMValueRef out = LLVMGetPoison(LLVMArrayType2(LLVMTypeOf(below), (uint64_t)type->dims[dim]));
  for (unsigned i = 0; i < (unsigned)type->dims[dim]; i++) {
    LLVMValueRef on = LLVMBuildICmp(g->b, LLVMIntSLT, nr_ll_int(g, i), limits[dim], "");
    out = LLVMBuildInsertValue(g->b, out, LLVMBuildSelect(g->b, on, below, none, ""), i, "");
  }
  return out;
}

static NrStatus emit_create_mask(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef limits[NR_MAX_RANK];
  for (uint32_t i = 0; i < op->num_operands && i < NR_MAX_RANK; i++) limits[i] = nr_ll_value(g, nr_operand(op, i));
  nr_ll_set(g, nr_result(op, 0), mask(g, nr_result(op, 0)->type, limits, 0));
  return NR_OK;
}

static NrStatus emit_constant_mask(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef limits[NR_MAX_RANK];
  size_t count;
  const int64_t *sizes = nr_ll_int_array(op, "mask_dim_sizes", &count);
  for (size_t i = 0; i < count && i < NR_MAX_RANK; i++) limits[i] = nr_ll_int(g, sizes[i]);
  nr_ll_set(g, nr_result(op, 0), mask(g, nr_result(op, 0)->type, limits, 0));
  return NR_OK;
}

/* ---- arithmetic ------------------------------------------------------------------------------------------------- */

static LLVMValueRef lane_fma(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  return nr_ll_intrinsic(g, "llvm.fma", &type, 1, args, 3);
}

NrStatus nr_ll_emit_two(NrLl *g, NrOp *op, const NrLlRow *row, NrLlTwoFn fn) {
  enum { OPERANDS = 2, RESULTS = 2 };
  size_t count = nr_ll_num_rows(nr_operand(op, 0)->type);
  LLVMValueRef *rows = nr_malloc((OPERANDS + RESULTS) * count * sizeof *rows), *results = rows + OPERANDS * count;
  for (size_t i = 0; i < op->num_operands; i++)
    nr_ll_flatten(g, nr_ll_value(g, nr_operand(op, i)), rows + i * count, &(size_t){0});
  for (size_t r = 0; r < count; r++) {
    LLVMValueRef args[OPERANDS], out[RESULTS];
    for (size_t i = 0; i < op->num_operands; i++) args[i] = rows[i * count + r];
    fn(g, op, row, args, out);
    for (size_t i = 0; i < RESULTS; i++) results[i * count + r] = out[i];
  }
  for (size_t i = 0; i < RESULTS; i++)
    nr_ll_set(g, nr_result(op, i),
              nr_ll_nest(g, nr_ll_type(g, nr_result(op, i)->type), results + i * count, &(size_t){0}));
  nr_free(rows);
  return NR_OK;
}

const NrLlRow nr_ll_vector_rows[] = {
    {"vector.broadcast", emit_broadcast},
    {"vector.from_elements", emit_from_elements},
    {"vector.to_elements", emit_to_elements},
    {"vector.step", emit_step},
    {"vector.create_mask", emit_create_mask},
    {"vector.constant_mask", emit_constant_mask},
    {"vector.fma", .lane = lane_fma, .is_float = true},
    {0},
};
