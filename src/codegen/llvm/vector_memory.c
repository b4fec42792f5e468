/* vector_memory.c - vector ops that read and write memrefs. All of them come down to one access of one row: at an
 * address with lanes side by side, or with an address per lane; with or without a mask. */
#include "codegen/llvm/vector.h"

/* One access. mask NULL: all lanes. */
typedef struct Access {
  NrType memref;
  NrLlMem *mem;
  NrType vector;
  bool is_store;
  bool spread;   /* lanes lie stride apart, not side by side */
} Access;

static LLVMTypeRef row_memory_type(NrLl *g, const Access *a) {
  return LLVMVectorType(nr_ll_mem_type(g, a->vector->elem), nr_ll_lanes(a->vector));
}

/* Rows of elements whose width in memory differs (i1, i4) are cut and widened like scalars. */
static LLVMValueRef to_memory(NrLl *g, const Access *a, LLVMValueRef row) {
  LLVMTypeRef want = row_memory_type(g, a);
  return LLVMTypeOf(row) == want ? row : nr_ll_widen(g, a->vector->elem, row, want);
}

static LLVMValueRef from_memory(NrLl *g, const Access *a, LLVMValueRef row) {
  LLVMTypeRef want = LLVMVectorType(nr_ll_type(g, a->vector->elem), nr_ll_lanes(a->vector));
  return LLVMTypeOf(row) == want ? row : LLVMBuildTrunc(g->b, row, want, "");
}

static unsigned align_of(const Access *a) {
  size_t size = nr_type_byte_size(a->vector->elem);
  return size && (size & (size - 1)) == 0 && size <= 16 ? (unsigned)size : 1;
}

static LLVMValueRef all_lanes(NrLl *g, const Access *a) {
  return LLVMConstAllOnes(LLVMVectorType(g->i1, nr_ll_lanes(a->vector)));
}

/* address: ptr, or a vector of ptr. value: the row to store, or what masked-off lanes get (memory form). */
static LLVMValueRef access_row(NrLl *g, const Access *a, LLVMValueRef address, LLVMValueRef mask, LLVMValueRef value) {
  LLVMTypeRef type = row_memory_type(g, a);
  bool lanes = LLVMGetTypeKind(LLVMTypeOf(address)) == LLVMVectorTypeKind;
  if (!lanes && !mask) {
    LLVMValueRef inst = a->is_store ? LLVMBuildStore(g->b, value, address) : LLVMBuildLoad2(g->b, type, address, "");
    LLVMSetAlignment(inst, align_of(a));
    return inst;
  }
  if (!mask) mask = all_lanes(g, a);
  LLVMTypeRef overloads[] = {type, LLVMTypeOf(address)};
  LLVMValueRef call;
  if (a->is_store) {
    LLVMValueRef args[] = {value, address, mask};
    call = nr_ll_intrinsic(g, lanes ? "llvm.masked.scatter" : "llvm.masked.store", overloads, 2, args, 3);
    nr_ll_call_attr(g, call, 2, "align", align_of(a));
  } else {
    LLVMValueRef args[] = {address, mask, value ? value : LLVMGetPoison(type)};
    call = nr_ll_intrinsic(g, lanes ? "llvm.masked.gather" : "llvm.masked.load", overloads, 2, args, 3);
    nr_ll_call_attr(g, call, 1, "align", align_of(a));
  }
  return call;
}

/* The address of a row whose first lane is at indices; an address per lane when lanes lie apart. */
static LLVMValueRef row_address(NrLl *g, const Access *a, LLVMValueRef *indices) {
  LLVMValueRef first = nr_ll_mem_address(g, a->memref, a->mem, indices, a->memref->rank);
  if (!a->spread) return first;
  unsigned lanes = nr_ll_lanes(a->vector);
  LLVMValueRef stride = nr_ll_broadcast(g, a->mem->strides[a->memref->rank - 1], lanes);
  LLVMValueRef offsets = LLVMBuildNSWMul(g->b, nr_ll_iota(g, g->i64, lanes), stride, "");
  return LLVMBuildInBoundsGEP2(g->b, nr_ll_mem_type(g, a->vector->elem), first, &offsets, 1, "");
}

static bool lanes_apart(const Access *a) {
  if (!a->memref->rank || a->memref->elem->kind == NR_TYPE_VECTOR) return false;
  LLVMValueRef stride = a->mem->strides[a->memref->rank - 1];
  return !(LLVMIsAConstantInt(stride) && LLVMConstIntGetSExtValue(stride) == 1) && nr_ll_lanes(a->vector) > 1;
}

/* Walks the rows of a vector: dim d of the vector moves along dim d + shift of the memref. mask, value: in the vector's
 * shape or NULL. Returns what was loaded. */
static LLVMValueRef access_rows(NrLl *g, const Access *a, LLVMValueRef *indices, LLVMValueRef mask, LLVMValueRef value,
                                uint32_t dim) {
  if (dim == nr_ll_rows_rank(a->vector)) {
    if (value) value = to_memory(g, a, value);
    LLVMValueRef out = access_row(g, a, row_address(g, a, indices), mask, value);
    return a->is_store ? out : from_memory(g, a, out);
  }
  uint32_t moved = a->memref->rank - a->vector->rank + dim;
  LLVMValueRef start = indices[moved], out = NULL;
  unsigned count = (unsigned)a->vector->dims[dim];
  for (unsigned i = 0; i < count; i++) {
    indices[moved] = LLVMBuildNSWAdd(g->b, start, nr_ll_int(g, i), "");
    LLVMValueRef item = access_rows(g, a, indices, mask ? LLVMBuildExtractValue(g->b, mask, i, "") : NULL,
                                    value ? LLVMBuildExtractValue(g->b, value, i, "") : NULL, dim + 1);
    if (a->is_store) continue;
    if (!out) out = LLVMGetPoison(LLVMArrayType2(LLVMTypeOf(item), count));
    out = LLVMBuildInsertValue(g->b, out, item, i, "");
  }
  indices[moved] = start;
  return out;
}

static void read_values(NrLl *g, NrOp *op, size_t begin, size_t count, LLVMValueRef *out) {
  for (size_t i = 0; i < count; i++) out[i] = nr_ll_value(g, nr_operand(op, begin + i));
}

static Access make_access(NrLl *g, NrValue *memref, NrType vector, bool is_store) {
  Access a = {.memref = memref->type, .mem = nr_ll_mem(g, memref), .vector = vector, .is_store = is_store};
  a.spread = lanes_apart(&a);
  return a;
}

/* A memref of vectors is read and written like any memref. */
static bool is_whole_element(NrType memref, NrType vector) { return memref->elem == vector; }

static NrStatus check_shape(NrOp *op, NrType memref, NrType vector) {
  if (vector->rank <= memref->rank || (vector->rank == 1 && vector->dims[0] == 1)) return NR_OK;
  return nr_op_error(op, "has a vector of higher rank than its memref");
}

static NrStatus emit_load(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef indices[NR_MAX_RANK];
  NrValue *base = nr_operand(op, 0);
  NrType vector = nr_result(op, 0)->type;
  read_values(g, op, 1, base->type->rank, indices);
  if (is_whole_element(base->type, vector)) {
    LLVMValueRef address = nr_ll_mem_address(g, base->type, nr_ll_mem(g, base), indices, base->type->rank);
    nr_ll_set(g, nr_result(op, 0), nr_ll_load(g, vector, address));
    return NR_OK;
  }
  NrStatus status = check_shape(op, base->type, vector);
  if (status) return status;
  Access a = make_access(g, base, vector, false);
  nr_ll_set(g, nr_result(op, 0), access_rows(g, &a, indices, NULL, NULL, 0));
  return NR_OK;
}

static NrStatus emit_store(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef indices[NR_MAX_RANK], value = nr_ll_value(g, nr_operand(op, 0));
  NrValue *base = nr_operand(op, 1);
  NrType vector = nr_operand(op, 0)->type;
  read_values(g, op, 2, base->type->rank, indices);
  if (is_whole_element(base->type, vector)) {
    LLVMValueRef address = nr_ll_mem_address(g, base->type, nr_ll_mem(g, base), indices, base->type->rank);
    nr_ll_store(g, vector, value, address);
    return NR_OK;
  }
  NrStatus status = check_shape(op, base->type, vector);
  if (status) return status;
  Access a = make_access(g, base, vector, true);
  access_rows(g, &a, indices, NULL, value, 0);
  return NR_OK;
}

/* base, indices..., mask, pass_thru */
static NrStatus emit_masked_load(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef indices[NR_MAX_RANK];
  NrValue *base = nr_operand(op, 0);
  size_t rank = base->type->rank;
  NrType vector = nr_result(op, 0)->type;
  NrStatus status = check_shape(op, base->type, vector);
  if (status) return status;
  read_values(g, op, 1, rank, indices);
  Access a = make_access(g, base, vector, false);
  LLVMValueRef mask = nr_ll_value(g, nr_operand(op, 1 + rank)), pass = nr_ll_value(g, nr_operand(op, 2 + rank));
  nr_ll_set(g, nr_result(op, 0), access_rows(g, &a, indices, mask, pass, 0));
  return NR_OK;
}

/* base, indices..., mask, value */
static NrStatus emit_masked_store(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef indices[NR_MAX_RANK];
  NrValue *base = nr_operand(op, 0);
  size_t rank = base->type->rank;
  NrValue *value = nr_operand(op, 2 + rank);
  NrStatus status = check_shape(op, base->type, value->type);
  if (status) return status;
  read_values(g, op, 1, rank, indices);
  Access a = make_access(g, base, value->type, true);
  access_rows(g, &a, indices, nr_ll_value(g, nr_operand(op, 1 + rank)), nr_ll_value(g, value), 0);
  return NR_OK;
}

static LLVMValueRef row_of(NrLl *g, LLVMValueRef rows, unsigned i) { return LLVMBuildExtractValue(g->b, rows, i, ""); }

/* The set lanes of row behind row, from *io_address on, which moves behind them. */
static LLVMValueRef packed_rows(NrLl *g, const Access *a, LLVMValueRef *io_address, LLVMValueRef mask,
                                LLVMValueRef value, uint32_t dim) {
  LLVMValueRef out = NULL;
  if (dim < nr_ll_rows_rank(a->vector)) {
    unsigned count = (unsigned)a->vector->dims[dim];
    for (unsigned i = 0; i < count; i++) {
      LLVMValueRef item = packed_rows(g, a, io_address, row_of(g, mask, i), row_of(g, value, i), dim + 1);
      if (a->is_store) continue;
      if (!out) out = LLVMGetPoison(LLVMArrayType2(LLVMTypeOf(item), count));
      out = LLVMBuildInsertValue(g->b, out, item, i, "");
    }
    return out;
  }
  value = to_memory(g, a, value);
  LLVMTypeRef type = LLVMTypeOf(value), wide = LLVMVectorType(g->i64, nr_ll_lanes(a->vector));
  LLVMValueRef store[] = {value, *io_address, mask}, load[] = {*io_address, mask, value};
  if (a->is_store) nr_ll_intrinsic(g, "llvm.masked.compressstore", &type, 1, store, 3);
  else out = from_memory(g, a, nr_ll_intrinsic(g, "llvm.masked.expandload", &type, 1, load, 3));
  if (a->vector->rank > 1) {
    LLVMValueRef ones = LLVMBuildZExt(g->b, mask, wide, "");
    LLVMValueRef count = nr_ll_intrinsic(g, "llvm.vector.reduce.add", &wide, 1, &ones, 1);
    *io_address = LLVMBuildInBoundsGEP2(g->b, nr_ll_mem_type(g, a->vector->elem), *io_address, &count, 1, "");
  }
  return out;
}

/* base, indices..., mask, pass_thru or value: the lanes of the mask, packed. code: 1 = store. */
static NrStatus emit_packed(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef indices[NR_MAX_RANK];
  NrValue *base = nr_operand(op, 0);
  size_t rank = base->type->rank;
  NrType vector = nr_operand(op, 2 + rank)->type;
  read_values(g, op, 1, rank, indices);
  Access a = make_access(g, base, vector, row->code);
  if (a.spread) return nr_op_error(op, "is compiled for elements side by side only");
  LLVMValueRef address = row_address(g, &a, indices), mask = nr_ll_value(g, nr_operand(op, 1 + rank));
  LLVMValueRef out = packed_rows(g, &a, &address, mask, nr_ll_value(g, nr_operand(op, 2 + rank)), 0);
  if (!row->code) nr_ll_set(g, nr_result(op, 0), out);
  return NR_OK;
}

/* Lanes at an address and their offsets from it, row by row. */
static LLVMValueRef gathered_rows(NrLl *g, const Access *a, LLVMValueRef first, LLVMValueRef offsets,
                                  LLVMValueRef mask, LLVMValueRef value, uint32_t dim) {
  if (dim < nr_ll_rows_rank(a->vector)) {
    unsigned count = (unsigned)a->vector->dims[dim];
    LLVMValueRef out = NULL;
    for (unsigned i = 0; i < count; i++) {
      LLVMValueRef item = gathered_rows(g, a, first, row_of(g, offsets, i), row_of(g, mask, i), row_of(g, value, i),
                                        dim + 1);
      if (a->is_store) continue;
      if (!out) out = LLVMGetPoison(LLVMArrayType2(LLVMTypeOf(item), count));
      out = LLVMBuildInsertValue(g->b, out, item, i, "");
    }
    return out;
  }
  unsigned lanes = nr_ll_lanes(a->vector);
  LLVMTypeRef wide = LLVMVectorType(g->i64, lanes);
  if (LLVMTypeOf(offsets) != wide) offsets = LLVMBuildSExt(g->b, offsets, wide, "");
  if (a->memref->rank && lanes_apart(a))
    offsets = LLVMBuildNSWMul(g->b, offsets, nr_ll_broadcast(g, a->mem->strides[a->memref->rank - 1], lanes), "");
  LLVMValueRef address = LLVMBuildInBoundsGEP2(g->b, nr_ll_mem_type(g, a->vector->elem), first, &offsets, 1, "");
  LLVMValueRef out = access_row(g, a, address, mask, to_memory(g, a, value));
  return a->is_store ? out : from_memory(g, a, out);
}

/* base, indices..., index_vec, mask, pass_thru or value; the index vector moves along the last dim. code: 1 = scatter.
 */
static NrStatus emit_gather(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef indices[NR_MAX_RANK];
  NrValue *base = nr_operand(op, 0);
  size_t rank = base->type->rank;
  if (base->type->kind != NR_TYPE_MEMREF) return nr_op_error(op, "is compiled for memrefs only");
  NrType vector = nr_operand(op, 3 + rank)->type;
  read_values(g, op, 1, rank, indices);
  Access a = {.memref = base->type, .mem = nr_ll_mem(g, base), .vector = vector, .is_store = row->code};
  LLVMValueRef first = nr_ll_mem_address(g, a.memref, a.mem, indices, rank);
  LLVMValueRef offsets = nr_ll_value(g, nr_operand(op, 1 + rank)), mask = nr_ll_value(g, nr_operand(op, 2 + rank));
  LLVMValueRef out = gathered_rows(g, &a, first, offsets, mask, nr_ll_value(g, nr_operand(op, 3 + rank)), 0);
  if (!row->code) nr_ll_set(g, nr_result(op, 0), out);
  return NR_OK;
}

/* ---- transfers -------------------------------------------------------------------------------------------------- */

/* The lanes of a transfer that lie inside the memref, in the vector's shape; NULL when all do by in_bounds. `inside` is
 * an i1 that holds for the dims above, or NULL. */
static LLVMValueRef bounds_mask(NrLl *g, NrOp *op, const Access *a, LLVMValueRef *indices, LLVMValueRef inside,
                                uint32_t dim) {
  NrAttr in_bounds = nr_op_attr(op, NR_A_in_bounds);
  uint32_t moved = a->memref->rank - a->vector->rank + dim;
  bool known = in_bounds && dim < in_bounds->size && in_bounds->items[dim]->i;
  unsigned lanes = nr_ll_lanes(a->vector), count = (unsigned)a->vector->dims[dim];
  LLVMValueRef left = known ? NULL : LLVMBuildNSWSub(g->b, a->mem->sizes[moved], indices[moved], "");
  if (dim + 1 == a->vector->rank) {
    LLVMValueRef row = known ? (inside ? all_lanes(g, a) : NULL) : nr_ll_mask_below(g, left, lanes);
    return inside ? LLVMBuildSelect(g->b, inside, row, LLVMConstNull(LLVMTypeOf(row)), "") : row;
  }
  LLVMValueRef out = NULL;
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef here = known ? inside : LLVMBuildICmp(g->b, LLVMIntSLT, nr_ll_int(g, i), left, "");
    if (!known && inside) here = LLVMBuildAnd(g->b, here, inside, "");
    LLVMValueRef item = bounds_mask(g, op, a, indices, here, dim + 1);
    if (!item) return NULL;
    if (!out) out = LLVMGetPoison(LLVMArrayType2(LLVMTypeOf(item), count));
    out = LLVMBuildInsertValue(g->b, out, item, i, "");
  }
  return out;
}

static LLVMValueRef and_masks(NrLl *g, LLVMValueRef a, LLVMValueRef b) {
  if (!a || !b) return a ? a : b;
  LLVMTypeRef type = LLVMTypeOf(a);
  if (LLVMGetTypeKind(type) != LLVMArrayTypeKind) return LLVMBuildAnd(g->b, a, b, "");
  LLVMValueRef out = LLVMGetPoison(type);
  for (unsigned i = 0; i < LLVMGetArrayLength2(type); i++)
    out = LLVMBuildInsertValue(
        g->b, out, and_masks(g, LLVMBuildExtractValue(g->b, a, i, ""), LLVMBuildExtractValue(g->b, b, i, "")), i, "");
  return out;
}

/* Every lane of a vector of any rank the same. */
static LLVMValueRef fill(NrLl *g, NrType vector, LLVMValueRef scalar, uint32_t dim) {
  if (dim == nr_ll_rows_rank(vector)) return nr_ll_broadcast(g, scalar, nr_ll_lanes(vector));
  LLVMValueRef below = fill(g, vector, scalar, dim + 1);
  LLVMValueRef out = LLVMGetPoison(LLVMArrayType2(LLVMTypeOf(below), (uint64_t)vector->dims[dim]));
  for (unsigned i = 0; i < (unsigned)vector->dims[dim]; i++) out = LLVMBuildInsertValue(g->b, out, below, i, "");
  return out;
}

typedef enum MapKind { MAP_LAST_DIMS, MAP_ONE_ELEMENT, MAP_OTHER } MapKind;

/* (d0, d1) -> (d1): the last dims; (d0, d1) -> (0): one element for all lanes. */
static MapKind map_kind(NrOp *op, NrType memref, NrType vector) {
  NrAttr map = nr_op_attr(op, NR_A_permutation_map);
  if (!map) return MAP_LAST_DIMS;
  bool last = true, zero = true;
  for (uint32_t i = 0; i < map->num_exprs; i++) {
    NrAffineExpr e = map->exprs[i];
    last &= e->kind == NR_AFFINE_DIM && e->value == (int64_t)(memref->rank - vector->rank + i);
    zero &= e->kind == NR_AFFINE_CONSTANT && e->value == 0;
  }
  return last ? MAP_LAST_DIMS : zero ? MAP_ONE_ELEMENT : MAP_OTHER;
}

static NrStatus check_transfer(NrOp *op, NrType memref, NrType vector, MapKind kind) {
  if (memref->kind != NR_TYPE_MEMREF || memref->elem->kind == NR_TYPE_VECTOR || kind == MAP_OTHER ||
      vector->rank > memref->rank)
    return nr_op_error(op, "is compiled for the last dims of a memref of scalars, or one element for all lanes");
  return NR_OK;
}

/* Groups: source, indices, padding, mask. */
static NrStatus emit_transfer_read(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef indices[NR_MAX_RANK];
  NrValue *base = nr_operand(op, 0);
  size_t rank = base->type->rank;
  NrType vector = nr_result(op, 0)->type;
  MapKind kind = map_kind(op, base->type, vector);
  NrStatus status = check_transfer(op, base->type, vector, kind);
  if (status) return status;
  read_values(g, op, 1, rank, indices);
  LLVMValueRef padding = nr_ll_value(g, nr_operand(op, 1 + rank));
  LLVMValueRef mask = op->num_operands > 2 + rank ? nr_ll_value(g, nr_operand(op, 2 + rank)) : NULL;
  if (kind == MAP_ONE_ELEMENT) {
    if (mask) return nr_op_error(op, "is not compiled with a mask over one element");
    LLVMValueRef address = nr_ll_mem_address(g, base->type, nr_ll_mem(g, base), indices, rank);
    nr_ll_set(g, nr_result(op, 0), fill(g, vector, nr_ll_load(g, base->type->elem, address), 0));
    return NR_OK;
  }
  Access a = make_access(g, base, vector, false);
  if (vector->rank) mask = and_masks(g, mask, bounds_mask(g, op, &a, indices, NULL, 0));
  LLVMValueRef pass = mask ? fill(g, vector, padding, 0) : NULL;
  nr_ll_set(g, nr_result(op, 0), access_rows(g, &a, indices, mask, pass, 0));
  return NR_OK;
}

/* Groups: value, destination, indices, mask. */
static NrStatus emit_transfer_write(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef indices[NR_MAX_RANK];
  NrValue *value = nr_operand(op, 0), *base = nr_operand(op, 1);
  size_t rank = base->type->rank;
  NrStatus status = check_transfer(op, base->type, value->type, map_kind(op, base->type, value->type));
  if (status) return status;
  read_values(g, op, 2, rank, indices);
  LLVMValueRef mask = op->num_operands > 2 + rank ? nr_ll_value(g, nr_operand(op, 2 + rank)) : NULL;
  Access a = make_access(g, base, value->type, true);
  if (value->type->rank) mask = and_masks(g, mask, bounds_mask(g, op, &a, indices, NULL, 0));
  access_rows(g, &a, indices, mask, nr_ll_value(g, value), 0);
  return NR_OK;
}

const NrLlRow nr_ll_vector_memory_rows[] = {
    {"vector.load", emit_load},
    {"vector.store", emit_store},
    {"vector.maskedload", emit_masked_load},
    {"vector.maskedstore", emit_masked_store},
    {"vector.gather", emit_gather},
    {"vector.scatter", emit_gather, .code = 1},
    {"vector.expandload", emit_packed},
    {"vector.compressstore", emit_packed, .code = 1},
    {"vector.transfer_read", emit_transfer_read},
    {"vector.transfer_write", emit_transfer_write},
    {0},
};
