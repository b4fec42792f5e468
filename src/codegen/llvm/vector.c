/* vector.c - vectors: 1-D, of LLVM's own type. Those of more dims are elements of memrefs only, as LLVM arrays of rows,
 * of which whole rows are taken (lower-vectors). */
#include "codegen/llvm/ll.h"

/* ---- making and rearranging ------------------------------------------------------------------------------------- */

static LLVMValueRef broadcast(NrLl *g, LLVMValueRef scalar, unsigned lanes) {
  LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), lanes);
  LLVMValueRef one = LLVMBuildInsertElement(g->b, LLVMGetPoison(type), scalar, nr_ll_int(g, 0), "");
  LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(g->i32, lanes));
  return LLVMBuildShuffleVector(g->b, one, LLVMGetPoison(type), zeros, "");
}

static NrStatus emit_broadcast(NrLl *g, NrOp *op, const NrLlRow *row) {
  unsigned lanes = LLVMGetVectorSize(nr_ll_type(g, nr_result(op, 0)->type));
  nr_ll_set(g, nr_result(op, 0), broadcast(g, nr_ll_value(g, nr_operand(op, 0)), lanes));
  return NR_OK;
}

static NrStatus emit_step(NrLl *g, NrOp *op, const NrLlRow *row) {
  unsigned lanes = (unsigned)nr_result(op, 0)->type->dims[0];
  LLVMValueRef *items = nr_malloc(lanes * sizeof *items);
  for (unsigned i = 0; i < lanes; i++) items[i] = nr_ll_int(g, i);
  nr_ll_set(g, nr_result(op, 0), LLVMConstVector(items, lanes));
  nr_free(items);
  return NR_OK;
}

/* Of 1-D vectors of equal length. */
static NrStatus emit_shuffle(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrAttr mask = nr_op_attr(op, NR_A_mask);
  const int64_t *order = mask->data;
  size_t count = mask->data_size / sizeof *order;
  LLVMValueRef *items = nr_malloc(count * sizeof *items);
  for (size_t i = 0; i < count; i++) items[i] = order[i] < 0 ? LLVMGetPoison(g->i32) : nr_ll_int32(g, order[i]);
  nr_ll_set(g, nr_result(op, 0), LLVMBuildShuffleVector(g->b, nr_ll_value(g, nr_operand(op, 0)),
                                                        nr_ll_value(g, nr_operand(op, 1)),
                                                        LLVMConstVector(items, (unsigned)count), ""));
  nr_free(items);
  return NR_OK;
}

static NrStatus emit_bitcast(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMTypeRef to = nr_ll_type(g, nr_result(op, 0)->type);
  nr_ll_set(g, nr_result(op, 0), LLVMBuildBitCast(g->b, nr_ll_value(g, nr_operand(op, 0)), to, ""));
  return NR_OK;
}

/* ---- elements, and rows of arrays of rows ----------------------------------------------------------------------- */

typedef struct Position {
  size_t count;
  const int64_t *at;
  LLVMValueRef lane; /* of a 1-D vector; NULL: the position is that of a row */
} Position;

static Position read_position(NrLl *g, NrOp *op, NrType vector, uint32_t dynamic) {
  NrAttr statics = nr_op_attr(op, NR_A_static_position);
  Position p = {.count = statics->data_size / sizeof(int64_t), .at = statics->data};
  if (vector->rank > 1) return p;
  bool is_dynamic = p.count && p.at[0] == NR_DYNAMIC;
  p.lane = is_dynamic ? nr_ll_value(g, nr_operand(op, dynamic)) : nr_ll_int(g, p.count ? p.at[0] : 0);
  return p;
}

static NrStatus emit_extract(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef value = nr_ll_value(g, nr_operand(op, 0));
  Position p = read_position(g, op, nr_operand(op, 0)->type, 1);
  if (p.lane) value = LLVMBuildExtractElement(g->b, value, p.lane, "");
  for (size_t i = 0; !p.lane && i < p.count; i++) value = LLVMBuildExtractValue(g->b, value, (unsigned)p.at[i], "");
  nr_ll_set(g, nr_result(op, 0), value);
  return NR_OK;
}

static LLVMValueRef insert_row(NrLl *g, LLVMValueRef into, LLVMValueRef item, const Position *p, size_t i) {
  if (i == p->count) return item;
  unsigned at = (unsigned)p->at[i];
  LLVMValueRef inner = insert_row(g, LLVMBuildExtractValue(g->b, into, at, ""), item, p, i + 1);
  return LLVMBuildInsertValue(g->b, into, inner, at, "");
}

static NrStatus emit_insert(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef item = nr_ll_value(g, nr_operand(op, 0)), into = nr_ll_value(g, nr_operand(op, 1));
  Position p = read_position(g, op, nr_operand(op, 1)->type, 2);
  nr_ll_set(g, nr_result(op, 0), p.lane ? LLVMBuildInsertElement(g->b, into, item, p.lane, "")
                                        : insert_row(g, into, item, &p, 0));
  return NR_OK;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* Elements whose width in memory differs (i1, i4) are widened and cut like scalars; type is the vector's. */
static LLVMTypeRef memory_type(NrLl *g, NrType type) {
  return LLVMVectorType(nr_ll_mem_type(g, type->elem), (unsigned)type->dims[0]);
}

static LLVMValueRef address_of(NrLl *g, NrOp *op, size_t base) {
  LLVMValueRef indices[NR_MAX_RANK];
  NrValue *memref = nr_operand(op, base);
  for (uint32_t i = 0; i < memref->type->rank; i++) indices[i] = nr_ll_value(g, nr_operand(op, base + 1 + i));
  return nr_ll_mem_address(g, memref->type, nr_ll_mem(g, memref), indices, memref->type->rank);
}

static LLVMValueRef to_memory(NrLl *g, NrValue *value) {
  LLVMTypeRef want = memory_type(g, value->type);
  LLVMValueRef row = nr_ll_value(g, value);
  return LLVMTypeOf(row) == want ? row : nr_ll_widen(g, value->type->elem, row, want);
}

static void set_from_memory(NrLl *g, NrValue *result, LLVMValueRef row) {
  LLVMTypeRef want = nr_ll_type(g, result->type);
  nr_ll_set(g, result, LLVMTypeOf(row) == want ? row : LLVMBuildTrunc(g->b, row, want, ""));
}

static NrStatus emit_load(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType type = nr_result(op, 0)->type;
  LLVMValueRef load = LLVMBuildLoad2(g->b, memory_type(g, type), address_of(g, op, 0), "");
  LLVMSetAlignment(load, nr_ll_elem_align(type));
  set_from_memory(g, nr_result(op, 0), load);
  return NR_OK;
}

static NrStatus emit_store(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef store = LLVMBuildStore(g->b, to_memory(g, nr_operand(op, 0)), address_of(g, op, 1));
  LLVMSetAlignment(store, nr_ll_elem_align(nr_operand(op, 0)->type));
  return NR_OK;
}

/* An address for each lane: index_vec moves along the last dim. */
static LLVMValueRef lane_addresses(NrLl *g, NrOp *op, LLVMValueRef first) {
  NrValue *memref = nr_operand(op, 0), *numbers = nr_operand(op, 1 + memref->type->rank);
  unsigned lanes = (unsigned)numbers->type->dims[0];
  LLVMTypeRef wide = LLVMVectorType(g->i64, lanes);
  LLVMValueRef offsets = nr_ll_value(g, numbers);
  if (LLVMTypeOf(offsets) != wide) offsets = LLVMBuildSExt(g->b, offsets, wide, "");
  int64_t one = 1;
  LLVMValueRef stride = memref->type->rank ? nr_ll_mem(g, memref)->strides[memref->type->rank - 1] : nr_ll_int(g, 1);
  if (!nr_ll_is_int(stride, &one) || one != 1)
    offsets = LLVMBuildNSWMul(g->b, offsets, broadcast(g, stride, lanes), "");
  return LLVMBuildInBoundsGEP2(g->b, nr_ll_mem_type(g, memref->type->elem), first, &offsets, 1, "");
}

/* base, indices..., [index_vec,] mask, then what masked lanes get, or what is stored. text: the intrinsic; code:
 * whether there is an address for each lane. */
static NrStatus emit_masked(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrValue *last = nr_operand(op, op->num_operands - 1);
  if (last->type->rank != 1) return nr_op_error(op, "has a vector of higher rank than its memref");
  LLVMValueRef address = address_of(g, op, 0), value = to_memory(g, last);
  LLVMValueRef mask = nr_ll_value(g, nr_operand(op, op->num_operands - 2));
  if (row->code) address = lane_addresses(g, op, address);
  LLVMTypeRef overloads[] = {LLVMTypeOf(value), LLVMTypeOf(address)};
  LLVMValueRef store[] = {value, address, mask}, load[] = {address, mask, value};
  bool loads = op->num_results > 0,
       packed = nr_op_is(op, NR_OP_vector_expandload) || nr_op_is(op, NR_OP_vector_compressstore);
  LLVMValueRef call = nr_ll_intrinsic(g, row->text, overloads, packed ? 1 : 2, loads ? load : store, 3);
  if (!packed) nr_ll_call_attr(g, call, loads ? 1 : 2, "align", nr_ll_elem_align(last->type));
  if (loads) set_from_memory(g, nr_result(op, 0), call);
  return NR_OK;
}

const NrLlRow nr_ll_vector_rows[] = {
    {"vector.broadcast", emit_broadcast},
    {"vector.step", emit_step},
    {"vector.shuffle", emit_shuffle},
    {"vector.bitcast", emit_bitcast},
    {"vector.extract", emit_extract},
    {"vector.insert", emit_insert},
    {"vector.load", emit_load},
    {"vector.store", emit_store},
    {"vector.maskedload", emit_masked, .text = "llvm.masked.load"},
    {"vector.maskedstore", emit_masked, .text = "llvm.masked.store"},
    {"vector.gather", emit_masked, .text = "llvm.masked.gather", .code = 1},
    {"vector.scatter", emit_masked, .text = "llvm.masked.scatter", .code = 1},
    {"vector.expandload", emit_masked, .text = "llvm.masked.expandload"},
    {"vector.compressstore", emit_masked, .text = "llvm.masked.compressstore"},
    {0},
};
