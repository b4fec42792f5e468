/* vector.c - 1-D vectors, as LLVM's vector type. Vectors of more dims exist only as elements of memrefs, as LLVM arrays
 * of rows, of which whole rows are extracted and inserted (lower-vectors). */
#include "codegen/llvm/ll.h"
#include "dialect/operands.h"
#include "dialect/rt/rt.h"
#include "dialect/vector/vector.h"

/* ---- construction and rearrangement ------------------------------------------------------------------------------ */

static LLVMValueRef broadcast(NrLl *g, LLVMValueRef scalar, unsigned lanes) {
  LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), lanes);
  LLVMValueRef one = LLVMBuildInsertElement(g->b, LLVMGetPoison(type), scalar, nr_ll_int(g, 0), "");
  LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(g->i32, lanes));
  return LLVMBuildShuffleVector(g->b, one, LLVMGetPoison(type), zeros, "");
}

static NrStatus emit_broadcast(NrLl *g, NrOp *op, const NrLlRow *row) {
  unsigned lanes = LLVMGetVectorSize(nr_ll_type(g, nr_op_result(op)->type));
  nr_ll_set(g, nr_op_result(op), broadcast(g, nr_ll_value(g, nr_vector_broadcast_source(op)), lanes));
  return NR_OK;
}

static NrStatus emit_step(NrLl *g, NrOp *op, const NrLlRow *row) {
  unsigned lanes = (unsigned)nr_op_result(op)->type->dims[0];
  LLVMValueRef *items = nr_malloc(lanes * sizeof *items);
  for (unsigned i = 0; i < lanes; i++) items[i] = nr_ll_int(g, i);
  nr_ll_set(g, nr_op_result(op), LLVMConstVector(items, lanes));
  nr_free(items);
  return NR_OK;
}

/* For 1-D vectors of equal length. */
static NrStatus emit_shuffle(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrAttr mask = nr_op_attr(op, NR_A_mask);
  const int64_t *order = mask->data;
  size_t count = mask->data_size / sizeof *order;
  LLVMValueRef *items = nr_malloc(count * sizeof *items);
  for (size_t i = 0; i < count; i++) items[i] = order[i] < 0 ? LLVMGetPoison(g->i32) : nr_ll_int32(g, order[i]);
  nr_ll_set(g, nr_op_result(op), LLVMBuildShuffleVector(g->b, nr_ll_value(g, nr_vector_shuffle_v1(op)),
                                                        nr_ll_value(g, nr_vector_shuffle_v2(op)),
                                                        LLVMConstVector(items, (unsigned)count), ""));
  nr_free(items);
  return NR_OK;
}

static NrStatus emit_bitcast(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMTypeRef to = nr_ll_type(g, nr_op_result(op)->type);
  nr_ll_set(g, nr_op_result(op), LLVMBuildBitCast(g->b, nr_ll_value(g, nr_vector_bitcast_source(op)), to, ""));
  return NR_OK;
}

/* ---- elements, and rows of arrays of rows ----------------------------------------------------------------------- */

typedef struct Position {
  size_t count;
  const int64_t *at;
  LLVMValueRef lane; /* lane of a 1-D vector; NULL when the position is that of a row */
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
  LLVMValueRef value = nr_ll_value(g, nr_vector_extract_source(op));
  Position p = read_position(g, op, nr_vector_extract_source(op)->type, NR_VECTOR_EXTRACT_POSITION);
  if (p.lane) value = LLVMBuildExtractElement(g->b, value, p.lane, "");
  for (size_t i = 0; !p.lane && i < p.count; i++) value = LLVMBuildExtractValue(g->b, value, (unsigned)p.at[i], "");
  nr_ll_set(g, nr_op_result(op), value);
  return NR_OK;
}

static LLVMValueRef insert_row(NrLl *g, LLVMValueRef into, LLVMValueRef item, const Position *p, size_t i) {
  if (i == p->count) return item;
  unsigned at = (unsigned)p->at[i];
  LLVMValueRef inner = insert_row(g, LLVMBuildExtractValue(g->b, into, at, ""), item, p, i + 1);
  return LLVMBuildInsertValue(g->b, into, inner, at, "");
}

static NrStatus emit_insert(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef item = nr_ll_value(g, nr_vector_insert_value(op)), into = nr_ll_value(g, nr_vector_insert_dest(op));
  Position p = read_position(g, op, nr_vector_insert_dest(op)->type, NR_VECTOR_INSERT_POSITION);
  nr_ll_set(g, nr_op_result(op), p.lane ? LLVMBuildInsertElement(g->b, into, item, p.lane, "")
                                        : insert_row(g, into, item, &p, 0));
  return NR_OK;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* The vector type in memory. Elements with another width in memory (i1, i4) are extended and truncated like scalars. */
static LLVMTypeRef memory_type(NrLl *g, NrType type) {
  return LLVMVectorType(nr_ll_mem_type(g, type->elem), (unsigned)type->dims[0]);
}

static LLVMValueRef address_of(NrLl *g, NrOp *op) {
  return nr_ll_element_at(g, nr_op_base(op), nr_operand(op, nr_op_indices(op).begin));
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
  NrType type = nr_op_result(op)->type;
  LLVMValueRef load = LLVMBuildLoad2(g->b, memory_type(g, type), address_of(g, op), "");
  LLVMSetAlignment(load, nr_ll_elem_align(type));
  set_from_memory(g, nr_op_result(op), load);
  return NR_OK;
}

static NrStatus emit_store(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef store = LLVMBuildStore(g->b, to_memory(g, nr_vector_store_value(op)), address_of(g, op));
  LLVMSetAlignment(store, nr_ll_elem_align(nr_vector_store_value(op)->type));
  return NR_OK;
}

/* An address for each lane: an operand has the numbers of their elements from the first on. */
static LLVMValueRef lane_addresses(NrLl *g, NrOp *op, LLVMValueRef first) {
  bool gathers = nr_op_is(op, NR_OP_vector_gather);
  NrValue *numbers = gathers ? nr_vector_gather_index_vec(op) : nr_vector_scatter_index_vec(op);
  LLVMTypeRef wide = LLVMVectorType(g->i64, (unsigned)numbers->type->dims[0]);
  LLVMValueRef offsets = nr_ll_value(g, numbers);
  if (LLVMTypeOf(offsets) != wide) offsets = LLVMBuildSExt(g->b, offsets, wide, "");
  return LLVMBuildInBoundsGEP2(g->b, nr_ll_mem_type(g, nr_op_base(op)->type->elem), first, &offsets, 1, "");
}

/* Of element 0 of a row under a mask: it may be outside of the buffer if its lane is off, so not `inbounds`. */
static LLVMValueRef masked_address_of(NrLl *g, NrOp *op) {
  NrValue *base = nr_op_base(op);
  LLVMValueRef number = nr_ll_value(g, nr_operand(op, nr_op_indices(op).begin));
  return LLVMBuildGEP2(g->b, nr_ll_mem_type(g, base->type->elem), nr_ll_value(g, base), &number, 1, "");
}

/* Operands: base, indices..., [index_vec,] mask, then the values of masked lanes, or the values to store. text: the
 * intrinsic; code: whether each lane has an address. */
static NrStatus emit_masked(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrValue *last = nr_operand(op, op->num_operands - 1);
  if (last->type->rank != 1) return nr_op_error(op, "has a vector of higher rank than its memref");
  LLVMValueRef address = row->code ? address_of(g, op) : masked_address_of(g, op);
  LLVMValueRef value = to_memory(g, last);
  LLVMValueRef mask = nr_ll_value(g, nr_operand(op, op->num_operands - 2));
  if (row->code) address = lane_addresses(g, op, address);
  LLVMTypeRef overloads[] = {LLVMTypeOf(value), LLVMTypeOf(address)};
  LLVMValueRef store[] = {value, address, mask}, load[] = {address, mask, value};
  bool loads = op->num_results > 0,
       packed = nr_op_is(op, NR_OP_vector_expandload) || nr_op_is(op, NR_OP_vector_compressstore);
  LLVMValueRef call = nr_ll_intrinsic(g, row->text, overloads, packed ? 1 : 2, loads ? load : store, 3);
  if (!packed) nr_ll_call_attr(g, call, loads ? 1 : 2, "align", nr_ll_elem_align(last->type));
  if (loads) set_from_memory(g, nr_op_result(op), call);
  return NR_OK;
}

/* The set lanes of a mask, as a number of type i64. */
static LLVMValueRef count_set(NrLl *g, LLVMValueRef mask) {
  LLVMTypeRef bits = LLVMIntTypeInContext(g->llvm, LLVMGetVectorSize(LLVMTypeOf(mask)));
  LLVMValueRef word = LLVMBuildBitCast(g->b, mask, bits, "");
  return LLVMBuildZExt(g->b, nr_ll_intrinsic(g, "llvm.ctpop", &bits, 1, &word, 1), g->i64, "");
}

static LLVMValueRef part_of(NrLl *g, LLVMValueRef vector, unsigned first, unsigned lanes) {
  if (LLVMGetVectorSize(LLVMTypeOf(vector)) == lanes) return vector;
  LLVMValueRef order[64];
  for (unsigned i = 0; i < lanes; i++) order[i] = nr_ll_int32(g, first + i);
  return LLVMBuildShuffleVector(g->b, vector, LLVMGetPoison(LLVMTypeOf(vector)), LLVMConstVector(order, lanes), "");
}

static LLVMValueRef joined(NrLl *g, LLVMValueRef a, LLVMValueRef b) {
  LLVMValueRef order[64];
  unsigned lanes = 2 * LLVMGetVectorSize(LLVMTypeOf(a));
  for (unsigned i = 0; i < lanes; i++) order[i] = nr_ll_int32(g, i);
  return LLVMBuildShuffleVector(g->b, a, b, LLVMConstVector(order, lanes), "");
}

/* An instruction expands or compresses so many lanes of a vector of the type: all, or a half, a quarter, .. of them.
 * 0: none does. */
static unsigned lanes_to_expand(const NrLl *g, NrType type) {
  uint32_t bits = nr_type_bits(type->elem);
  bool fits = (bits == 8 || bits == 16 || bits == 32 || bits == 64) && type->rank == 1;
  const NrTarget *target = g->options->target ? g->options->target : nr_target_host();
  if (!fits || !(target->units & NR_UNIT_EXPAND)) return 0;
  int64_t all = type->dims[0];
  return all <= 64 && (all & (all - 1)) == 0 ? (unsigned)NR_MIN(all, 512 / bits) : 0;
}

/* A vector with so many more lanes that it fills a register; they are zero. */
static LLVMValueRef filled(NrLl *g, LLVMValueRef vector, unsigned lanes) {
  unsigned count = LLVMGetVectorSize(LLVMTypeOf(vector));
  LLVMValueRef order[64];
  if (lanes <= count) return vector;
  for (unsigned i = 0; i < lanes; i++) order[i] = nr_ll_int32(g, NR_MIN(i, count));
  return LLVMBuildShuffleVector(g->b, vector, LLVMConstNull(LLVMTypeOf(vector)), LLVMConstVector(order, lanes), "");
}

/* The value in a register: LLVM does not know that it is what memory has, and makes no operand in memory of it. */
static LLVMValueRef in_register(NrLl *g, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value), func = LLVMFunctionType(type, &type, 1, false);
  LLVMValueRef same = LLVMGetInlineAsm(func, "", 0, "=v,0", 4, false, false, LLVMInlineAsmDialectATT, false);
  return LLVMBuildCall2(g->b, func, same, &value, 1, "");
}

/* The elements from an address on, as many as the mask has lanes; pass: those of other lanes. */
static LLVMValueRef load_expanded(NrLl *g, LLVMValueRef address, unsigned align, LLVMValueRef pass, LLVMValueRef mask) {
  LLVMTypeRef type = LLVMTypeOf(pass);
  unsigned lanes = LLVMGetVectorSize(type), least = 128 / LLVMGetIntTypeWidth(LLVMGetElementType(type));
  LLVMValueRef load = LLVMBuildLoad2(g->b, type, address, "");
  LLVMSetAlignment(load, align);
  LLVMValueRef args[] = {in_register(g, filled(g, load, least)), filled(g, pass, least), filled(g, mask, least)};
  LLVMTypeRef whole = LLVMTypeOf(args[0]);
  return part_of(g, nr_ll_intrinsic(g, "llvm.x86.avx512.mask.expand", &whole, 1, args, 3), 0, lanes);
}

/* An expandload where as many elements may be read as there are lanes (noria.readable): these are loaded, and expanded
 * in the register. The instruction that expands from memory is for set lanes only: on a Zen 5 it takes as long as ten
 * of those in registers. */
static NrStatus emit_expandload(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrValue *result = nr_op_result(op);
  unsigned lanes = lanes_to_expand(g, result->type), count = (unsigned)result->type->dims[0];
  if (!lanes || !nr_op_attr(op, NR_A_noria_readable)) return emit_masked(g, op, row);
  LLVMTypeRef type = nr_ll_type(g, result->type);
  LLVMTypeRef elem = LLVMIntTypeInContext(g->llvm, nr_type_bits(result->type->elem));
  LLVMValueRef pass = nr_ll_value(g, nr_vector_expandload_pass_thru(op)), mask = nr_ll_value(g, nr_op_mask(op));
  LLVMValueRef address = masked_address_of(g, op), parts[64];
  pass = LLVMBuildBitCast(g->b, pass, LLVMVectorType(elem, count), "");
  for (unsigned i = 0; i * lanes < count; i++) {
    LLVMValueRef set = part_of(g, mask, i * lanes, lanes), others = part_of(g, pass, i * lanes, lanes);
    parts[i] = load_expanded(g, address, nr_ll_elem_align(result->type), others, set);
    LLVMValueRef behind = count_set(g, set);
    address = LLVMBuildGEP2(g->b, elem, address, &behind, 1, "");
  }
  for (unsigned left = count / lanes; left > 1; left /= 2)
    for (unsigned i = 0; i < left; i += 2) parts[i / 2] = joined(g, parts[i], parts[i + 1]);
  nr_ll_set(g, result, LLVMBuildBitCast(g->b, parts[0], type, ""));
  return NR_OK;
}

/* The first lanes of a mask, `count` of them. */
static LLVMValueRef first_lanes(NrLl *g, LLVMValueRef count, unsigned lanes) {
  LLVMTypeRef wide = LLVMIntTypeInContext(g->llvm, lanes < 64 ? 64 : 128);
  LLVMValueRef one = LLVMConstInt(wide, 1, false), size = LLVMBuildZExt(g->b, count, wide, "");
  LLVMValueRef first = LLVMBuildSub(g->b, LLVMBuildShl(g->b, one, size, ""), one, "");
  LLVMValueRef bits = LLVMBuildTrunc(g->b, first, LLVMIntTypeInContext(g->llvm, lanes), "");
  return LLVMBuildBitCast(g->b, bits, LLVMVectorType(LLVMInt1TypeInContext(g->llvm), lanes), "");
}

/* Writes the set lanes, `count` of them, behind each other from an address on. */
static void store_compressed(NrLl *g, LLVMValueRef address, unsigned align, LLVMValueRef value, LLVMValueRef mask,
                             LLVMValueRef count) {
  LLVMTypeRef type = LLVMTypeOf(value);
  unsigned lanes = LLVMGetVectorSize(type), least = 128 / LLVMGetIntTypeWidth(LLVMGetElementType(type));
  LLVMValueRef whole = filled(g, value, least);
  LLVMTypeRef whole_type = LLVMTypeOf(whole), overloads[] = {type, LLVMTypeOf(address)};
  LLVMValueRef args[] = {whole, LLVMConstNull(whole_type), filled(g, mask, least)};
  LLVMValueRef packed = nr_ll_intrinsic(g, "llvm.x86.avx512.mask.compress", &whole_type, 1, args, 3);
  LLVMValueRef store[] = {part_of(g, packed, 0, lanes), address, first_lanes(g, count, lanes)};
  nr_ll_call_attr(g, nr_ll_intrinsic(g, "llvm.masked.store", overloads, 2, store, 3), 2, "align", align);
}

/* A compressstore: lanes are compressed in the register and stored under a mask, if an instruction compresses them. The
 * one that compresses to memory takes hundreds of cycles on a Zen 4. */
static NrStatus emit_compressstore(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType type = nr_vector_compressstore_value(op)->type;
  unsigned lanes = lanes_to_expand(g, type), all = (unsigned)type->dims[0];
  if (!lanes) return emit_masked(g, op, row);
  LLVMTypeRef elem = LLVMIntTypeInContext(g->llvm, nr_type_bits(type->elem));
  LLVMValueRef value = nr_ll_value(g, nr_vector_compressstore_value(op)), mask = nr_ll_value(g, nr_op_mask(op));
  LLVMValueRef address = masked_address_of(g, op);
  value = LLVMBuildBitCast(g->b, value, LLVMVectorType(elem, all), "");
  for (unsigned i = 0; i * lanes < all; i++) {
    LLVMValueRef set = part_of(g, mask, i * lanes, lanes), count = count_set(g, set);
    store_compressed(g, address, nr_ll_elem_align(type), part_of(g, value, i * lanes, lanes), set, count);
    address = LLVMBuildGEP2(g->b, elem, address, &count, 1, "");
  }
  return NR_OK;
}

/* ---- products of bytes ------------------------------------------------------------------------------------------ */

/* expand-dots leaves these ops to CPUs with VNNI, on vectors that have such an instruction. */
static NrStatus emit_dot(NrLl *g, NrOp *op, const NrLlRow *row) {
  nr_ll_allow_dots(g);
  int64_t bits = 32 * nr_op_result(op)->type->dims[0];
  const char *name = bits == 512   ? "llvm.x86.avx512.vpdpbusd.512"
                     : bits == 256 ? "llvm.x86.avx512.vpdpbusd.256" : "llvm.x86.avx512.vpdpbusd.128";
  LLVMValueRef args[] = {nr_ll_value(g, nr_rt_dot_acc(op)), nr_ll_value(g, nr_rt_dot_a(op)),
                         nr_ll_value(g, nr_rt_dot_b(op))};
  nr_ll_set(g, nr_op_result(op), nr_ll_intrinsic(g, name, NULL, 0, args, 3));
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
    {"vector.expandload", emit_expandload, .text = "llvm.masked.expandload"},
    {"vector.compressstore", emit_compressstore, .text = "llvm.masked.compressstore"},
    {"rt.dot", emit_dot},
    {0},
};
