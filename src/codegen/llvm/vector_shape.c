/* vector_shape.c - vector ops that take vectors apart, put them together and rearrange them. */
#include "codegen/llvm/vector.h"

/* ---- helpers ---------------------------------------------------------------------------------------------------- */

static LLVMValueRef shuffle(NrLl *g, LLVMValueRef a, LLVMValueRef b, const int *mask, unsigned count) {
  LLVMValueRef *items = nr_malloc((count + 1) * sizeof *items);
  for (unsigned i = 0; i < count; i++)
    items[i] = mask[i] < 0 ? LLVMGetPoison(g->i32) : nr_ll_int32(g, mask[i]);
  LLVMValueRef out = LLVMBuildShuffleVector(g->b, a, b, LLVMConstVector(items, count), "");
  nr_free(items);
  return out;
}

static LLVMValueRef slice(NrLl *g, LLVMValueRef row, unsigned begin, unsigned count, unsigned step) {
  int *mask = nr_malloc((count + 1) * sizeof *mask);
  for (unsigned i = 0; i < count; i++) mask[i] = (int)(begin + i * step);
  LLVMValueRef out = shuffle(g, row, LLVMGetPoison(LLVMTypeOf(row)), mask, count);
  nr_free(mask);
  return out;
}

/* All rows of a vector, in order, and back. */
void nr_ll_flatten(NrLl *g, LLVMValueRef value, LLVMValueRef *rows, size_t *next) {
  LLVMTypeRef type = LLVMTypeOf(value);
  if (LLVMGetTypeKind(type) != LLVMArrayTypeKind) {
    rows[(*next)++] = value;
    return;
  }
  for (unsigned i = 0; i < LLVMGetArrayLength2(type); i++)
    nr_ll_flatten(g, LLVMBuildExtractValue(g->b, value, i, ""), rows, next);
}

LLVMValueRef nr_ll_nest(NrLl *g, LLVMTypeRef type, LLVMValueRef *rows, size_t *next) {
  if (LLVMGetTypeKind(type) != LLVMArrayTypeKind) return rows[(*next)++];
  LLVMValueRef out = LLVMGetPoison(type);
  for (unsigned i = 0; i < LLVMGetArrayLength2(type); i++)
    out = LLVMBuildInsertValue(g->b, out, nr_ll_nest(g, LLVMGetElementType(type), rows, next), i, "");
  return out;
}

size_t nr_ll_num_rows(NrType type) {
  size_t n = 1;
  for (uint32_t i = 0; i + 1 < type->rank; i++) n *= (size_t)type->dims[i];
  return n;
}

const int64_t *nr_ll_int_array(NrOp *op, const char *name, size_t *count) {
  NrAttr a = nr_op_attr_named(op, name);
  *count = a && a->kind == NR_ATTR_DENSE_ARRAY ? a->data_size / sizeof(int64_t) : 0;
  return a ? a->data : NULL;
}

/* Entry i of an attribute that is array<i64: ...> or [... : i64]. */
static int64_t array_item(NrAttr a, size_t i) {
  return a->kind == NR_ATTR_DENSE_ARRAY ? ((const int64_t *)a->data)[i] : a->items[i]->i;
}

/* ---- taking apart ----------------------------------------------------------------------------------------------- */

/* A position: constants, and operands from `next` on where they are dynamic. */
typedef struct Position {
  size_t count;
  LLVMValueRef at[NR_MAX_RANK];
  bool fixed; /* all but the lane are constants */
} Position;

static Position read_position(NrLl *g, NrOp *op, size_t next, uint32_t vector_rank) {
  Position p = {.fixed = true};
  const int64_t *fixed = nr_ll_int_array(op, "static_position", &p.count);
  for (size_t i = 0; i < p.count; i++) {
    bool dynamic = fixed[i] == NR_DYNAMIC;
    p.at[i] = dynamic ? nr_ll_value(g, nr_operand(op, next++)) : nr_ll_int(g, fixed[i]);
    if (dynamic && i + 1 < vector_rank && !LLVMIsAConstantInt(p.at[i])) p.fixed = false;
  }
  return p;
}

/* A whole vector in memory, for positions of rows that are known at run time only. What is found there is at least a
 * row: elements of odd widths have no addresses. */
static LLVMValueRef spill(NrLl *g, LLVMValueRef value, const Position *p, uint32_t rank, LLVMValueRef *out_item,
                          LLVMTypeRef *out_type) {
  LLVMTypeRef type = LLVMTypeOf(value);
  LLVMValueRef slot = nr_ll_alloca(g, type, 64), index[NR_MAX_RANK + 1] = {nr_ll_int(g, 0)};
  LLVMBuildStore(g->b, value, slot);
  LLVMTypeRef item = type;
  unsigned count = 0;
  for (; count < p->count && count + 1 < rank; count++) {
    index[count + 1] = p->at[count];
    item = LLVMGetElementType(item);
  }
  *out_item = LLVMBuildInBoundsGEP2(g->b, type, slot, index, count + 1, "");
  *out_type = item;
  return slot;
}

static unsigned constant_index(LLVMValueRef v) { return (unsigned)LLVMConstIntGetZExtValue(v); }

static NrStatus emit_extract(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType type = nr_operand(op, 0)->type;
  LLVMValueRef value = nr_ll_value(g, nr_operand(op, 0));
  Position p = read_position(g, op, 1, type->rank);
  if (!p.fixed) {
    LLVMValueRef item;
    LLVMTypeRef item_type;
    spill(g, value, &p, type->rank, &item, &item_type);
    value = LLVMBuildLoad2(g->b, item_type, item, "");
    if (p.count == type->rank) value = LLVMBuildExtractElement(g->b, value, p.at[p.count - 1], "");
  } else {
    for (size_t i = 0; i < p.count; i++)
      value = i + 1 == type->rank ? LLVMBuildExtractElement(g->b, value, p.at[i], "")
                                  : LLVMBuildExtractValue(g->b, value, constant_index(p.at[i]), "");
  }
  if (type->rank == 0 && nr_result(op, 0)->type->kind != NR_TYPE_VECTOR)
    value = LLVMBuildExtractElement(g->b, value, nr_ll_int(g, 0), "");
  nr_ll_set(g, nr_result(op, 0), value);
  return NR_OK;
}

static LLVMValueRef insert_at(NrLl *g, LLVMValueRef into, LLVMValueRef item, Position *p, size_t i, uint32_t rank) {
  if (i == p->count) return item;
  if (i + 1 == rank) return LLVMBuildInsertElement(g->b, into, item, p->at[i], "");
  unsigned at = constant_index(p->at[i]);
  LLVMValueRef inner = insert_at(g, LLVMBuildExtractValue(g->b, into, at, ""), item, p, i + 1, rank);
  return LLVMBuildInsertValue(g->b, into, inner, at, "");
}

static NrStatus emit_insert(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType type = nr_operand(op, 1)->type;
  LLVMValueRef item = nr_ll_value(g, nr_operand(op, 0)), value = nr_ll_value(g, nr_operand(op, 1));
  Position p = read_position(g, op, 2, type->rank);
  if (type->rank == 0 && nr_operand(op, 0)->type->kind != NR_TYPE_VECTOR) {
    value = LLVMBuildInsertElement(g->b, value, item, nr_ll_int(g, 0), "");
  } else if (p.fixed) {
    value = insert_at(g, value, item, &p, 0, type->rank);
  } else {
    LLVMValueRef at;
    LLVMTypeRef item_type;
    LLVMValueRef slot = spill(g, value, &p, type->rank, &at, &item_type);
    if (p.count == type->rank)
      item = LLVMBuildInsertElement(g->b, LLVMBuildLoad2(g->b, item_type, at, ""), item, p.at[p.count - 1], "");
    LLVMBuildStore(g->b, item, at);
    value = LLVMBuildLoad2(g->b, LLVMTypeOf(value), slot, "");
  }
  nr_ll_set(g, nr_result(op, 0), value);
  return NR_OK;
}

static LLVMValueRef take_slice(NrLl *g, NrOp *op, LLVMValueRef value, NrType type, uint32_t dim) {
  NrAttr offsets = nr_op_attr(op, NR_A_offsets), sizes = nr_op_attr(op, NR_A_sizes),
         strides = nr_op_attr(op, NR_A_strides);
  size_t given = offsets->kind == NR_ATTR_DENSE_ARRAY ? offsets->data_size / sizeof(int64_t) : offsets->size;
  if (dim >= given) return value;
  unsigned begin = (unsigned)array_item(offsets, dim), count = (unsigned)array_item(sizes, dim);
  unsigned step = (unsigned)array_item(strides, dim);
  if (dim + 1 == type->rank) return slice(g, value, begin, count, step);
  LLVMValueRef out = NULL;
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef item = LLVMBuildExtractValue(g->b, value, begin + i * step, "");
    item = take_slice(g, op, item, type, dim + 1);
    if (!out) out = LLVMGetPoison(LLVMArrayType2(LLVMTypeOf(item), count));
    out = LLVMBuildInsertValue(g->b, out, item, i, "");
  }
  return out;
}

static NrStatus emit_extract_slice(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef value = nr_ll_value(g, nr_operand(op, 0));
  nr_ll_set(g, nr_result(op, 0), take_slice(g, op, value, nr_operand(op, 0)->type, 0));
  return NR_OK;
}

/* item's dims are into's last ones. */
static LLVMValueRef put_slice(NrLl *g, NrOp *op, LLVMValueRef item, NrType from, LLVMValueRef into, NrType to,
                              uint32_t dim) {
  NrAttr offsets = nr_op_attr(op, NR_A_offsets), strides = nr_op_attr(op, NR_A_strides);
  uint32_t extra = to->rank - from->rank;
  unsigned at = (unsigned)array_item(offsets, dim);
  if (dim < extra) {
    LLVMValueRef inner = LLVMBuildExtractValue(g->b, into, at, "");
    return LLVMBuildInsertValue(g->b, into, put_slice(g, op, item, from, inner, to, dim + 1), at, "");
  }
  unsigned step = (unsigned)array_item(strides, dim - extra), count = (unsigned)from->dims[dim - extra];
  if (dim + 1 < to->rank) {
    for (unsigned i = 0; i < count; i++) {
      LLVMValueRef inner = LLVMBuildExtractValue(g->b, into, at + i * step, "");
      inner = put_slice(g, op, LLVMBuildExtractValue(g->b, item, i, ""), from, inner, to, dim + 1);
      into = LLVMBuildInsertValue(g->b, into, inner, at + i * step, "");
    }
    return into;
  }
  unsigned lanes = nr_ll_lanes(to);
  int *order = nr_malloc(lanes * sizeof *order), *grow = nr_malloc(lanes * sizeof *grow);
  for (unsigned i = 0; i < lanes; i++) order[i] = (int)i, grow[i] = i < count ? (int)i : -1;
  for (unsigned i = 0; i < count; i++) order[at + i * step] = (int)(lanes + i);
  LLVMValueRef wide = shuffle(g, item, LLVMGetPoison(LLVMTypeOf(item)), grow, lanes);
  LLVMValueRef out = shuffle(g, into, wide, order, lanes);
  nr_free(order);
  nr_free(grow);
  return out;
}

static NrStatus emit_insert_slice(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType from = nr_operand(op, 0)->type, to = nr_operand(op, 1)->type;
  LLVMValueRef item = nr_ll_value(g, nr_operand(op, 0)), into = nr_ll_value(g, nr_operand(op, 1));
  nr_ll_set(g, nr_result(op, 0), put_slice(g, op, item, from, into, to, 0));
  return NR_OK;
}

/* ---- rearranging ------------------------------------------------------------------------------------------------ */

static NrStatus emit_shuffle(NrLl *g, NrOp *op, const NrLlRow *row) {
  size_t count;
  const int64_t *order = nr_ll_int_array(op, "mask", &count);
  LLVMValueRef a = nr_ll_value(g, nr_operand(op, 0)), b = nr_ll_value(g, nr_operand(op, 1));
  LLVMTypeRef ta = LLVMTypeOf(a), tb = LLVMTypeOf(b);
  if (nr_operand(op, 0)->type->rank > 1) { /* whole rows */
    unsigned split = (unsigned)LLVMGetArrayLength2(ta);
    LLVMValueRef out = LLVMGetPoison(LLVMArrayType2(LLVMGetElementType(ta), count));
    for (unsigned i = 0; i < count; i++) {
      if (order[i] < 0) continue;
      unsigned at = (unsigned)order[i];
      LLVMValueRef item = LLVMBuildExtractValue(g->b, at < split ? a : b, at < split ? at : at - split, "");
      out = LLVMBuildInsertValue(g->b, out, item, i, "");
    }
    nr_ll_set(g, nr_result(op, 0), out);
    return NR_OK;
  }
  unsigned na = LLVMGetVectorSize(ta), nb = LLVMGetVectorSize(tb), n = NR_MAX(na, nb);
  if (na < n) a = nr_ll_resize(g, a, n);
  if (nb < n) b = nr_ll_resize(g, b, n);
  int *lanes = nr_malloc((count + 1) * sizeof *lanes);
  for (size_t i = 0; i < count; i++) lanes[i] = (int)(order[i] < (int64_t)na ? order[i] : order[i] - na + n);
  nr_ll_set(g, nr_result(op, 0), shuffle(g, a, b, lanes, (unsigned)count));
  nr_free(lanes);
  return NR_OK;
}

LLVMValueRef nr_ll_resize(NrLl *g, LLVMValueRef row, unsigned lanes) {
  unsigned have = LLVMGetVectorSize(LLVMTypeOf(row));
  int *order = nr_malloc((lanes + 1) * sizeof *order);
  for (unsigned i = 0; i < lanes; i++) order[i] = i < have ? (int)i : -1;
  LLVMValueRef out = shuffle(g, row, LLVMGetPoison(LLVMTypeOf(row)), order, lanes);
  nr_free(order);
  return out;
}

/* Two rows of n lanes become one of 2n. */
static LLVMValueRef join(NrLl *g, LLVMValueRef a, LLVMValueRef b) {
  unsigned n = LLVMGetVectorSize(LLVMTypeOf(a));
  int *order = nr_malloc(2 * n * sizeof *order);
  for (unsigned i = 0; i < 2 * n; i++) order[i] = (int)i;
  LLVMValueRef out = shuffle(g, a, b, order, 2 * n);
  nr_free(order);
  return out;
}

/* Cuts rows of `from` lanes into rows of `to` lanes, where one divides the other by a power of two; else lane by lane.
 */
static void recut(NrLl *g, LLVMValueRef *rows, size_t count, unsigned from, LLVMValueRef *out, size_t out_count,
                  unsigned to) {
  if (from % to == 0) {
    for (size_t i = 0; i < out_count; i++) out[i] = slice(g, rows[i * to / from], (unsigned)(i * to % from), to, 1);
    return;
  }
  unsigned per = to % from == 0 ? to / from : 0;
  if (per && (per & (per - 1)) == 0) {
    for (unsigned width = 1; width < per; width *= 2)
      for (size_t i = 0; i < count; i += 2 * width) rows[i] = join(g, rows[i], rows[i + width]);
    for (size_t i = 0; i < out_count; i++) out[i] = rows[i * per];
    return;
  }
  LLVMTypeRef type = LLVMVectorType(LLVMGetElementType(LLVMTypeOf(rows[0])), to);
  for (size_t i = 0; i < out_count; i++) {
    out[i] = LLVMGetPoison(type);
    for (unsigned lane = 0; lane < to; lane++) {
      size_t at = i * to + lane;
      LLVMValueRef item = LLVMBuildExtractElement(g->b, rows[at / from], nr_ll_int(g, (int64_t)(at % from)), "");
      out[i] = LLVMBuildInsertElement(g->b, out[i], item, nr_ll_int(g, lane), "");
    }
  }
}

static NrStatus emit_shape_cast(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType from = nr_operand(op, 0)->type, to = nr_result(op, 0)->type;
  size_t num_from = nr_ll_num_rows(from), num_to = nr_ll_num_rows(to), next = 0;
  LLVMValueRef *rows = nr_malloc(num_from * sizeof *rows), *out = nr_malloc(num_to * sizeof *out);
  nr_ll_flatten(g, nr_ll_value(g, nr_operand(op, 0)), rows, &next);
  recut(g, rows, num_from, nr_ll_lanes(from), out, num_to, nr_ll_lanes(to));
  next = 0;
  nr_ll_set(g, nr_result(op, 0), nr_ll_nest(g, nr_ll_type(g, to), out, &next));
  nr_free(rows);
  nr_free(out);
  return NR_OK;
}

static NrStatus emit_bitcast(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType from = nr_operand(op, 0)->type, to = nr_result(op, 0)->type;
  size_t count = nr_ll_num_rows(from), next = 0;
  LLVMValueRef *rows = nr_malloc(count * sizeof *rows);
  nr_ll_flatten(g, nr_ll_value(g, nr_operand(op, 0)), rows, &next);
  for (size_t i = 0; i < count; i++) rows[i] = LLVMBuildBitCast(g->b, rows[i], nr_ll_row_type(g, to), "");
  next = 0;
  nr_ll_set(g, nr_result(op, 0), nr_ll_nest(g, nr_ll_type(g, to), rows, &next));
  nr_free(rows);
  return NR_OK;
}

/* Lane i of the last dim of both, in turn. */
static LLVMValueRef lane_interleave(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  unsigned n = LLVMGetVectorSize(LLVMTypeOf(args[0]));
  int *order = nr_malloc(2 * n * sizeof *order);
  for (unsigned i = 0; i < 2 * n; i++) order[i] = (int)(i / 2 + (i % 2 ? n : 0));
  LLVMValueRef out = shuffle(g, args[0], args[1], order, 2 * n);
  nr_free(order);
  return out;
}

static NrStatus emit_deinterleave(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType from = nr_operand(op, 0)->type, to = nr_result(op, 0)->type;
  size_t count = nr_ll_num_rows(from);
  LLVMValueRef *rows = nr_malloc(count * sizeof *rows), *out = nr_malloc(count * sizeof *out);
  nr_ll_flatten(g, nr_ll_value(g, nr_operand(op, 0)), rows, &(size_t){0});
  for (unsigned half = 0; half < 2; half++) {
    for (size_t i = 0; i < count; i++) out[i] = slice(g, rows[i], half, nr_ll_lanes(to), 2);
    nr_ll_set(g, nr_result(op, half), nr_ll_nest(g, nr_ll_type(g, to), out, &(size_t){0}));
  }
  nr_free(rows);
  nr_free(out);
  return NR_OK;
}

/* Rank 2 only: by stages of interleaving pairs of rows when both sizes are the same power of two, else lane by lane. */
static NrStatus emit_transpose(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType from = nr_operand(op, 0)->type, to = nr_result(op, 0)->type;
  size_t count;
  const int64_t *order = nr_ll_int_array(op, "permutation", &count);
  LLVMValueRef value = nr_ll_value(g, nr_operand(op, 0));
  bool same = true;
  for (size_t i = 0; i < count; i++) same &= order[i] == (int64_t)i;
  if (same) {
    nr_ll_set(g, nr_result(op, 0), value);
    return NR_OK;
  }
  if (from->rank != 2) return nr_op_error(op, "is compiled for vectors of rank 2 only");
  unsigned n = (unsigned)from->dims[0], m = (unsigned)from->dims[1];
  size_t next = 0;
  LLVMValueRef *rows = nr_malloc(NR_MAX(n, m) * sizeof *rows), *out = nr_malloc(NR_MAX(n, m) * sizeof *out);
  nr_ll_flatten(g, value, rows, &next);
  if (n == m && (n & (n - 1)) == 0) {
    int *low = nr_malloc(n * sizeof *low), *high = nr_malloc(n * sizeof *high);
    for (unsigned i = 0; i < n; i++) {
      low[i] = (int)(i / 2 + (i % 2 ? n : 0));
      high[i] = low[i] + (int)(n / 2);
    }
    for (unsigned stage = 1; stage < n; stage *= 2) { /* log2(n) perfect shuffles of the whole transpose it */
      for (unsigned i = 0; i < n / 2; i++) {
        out[2 * i] = shuffle(g, rows[i], rows[i + n / 2], low, n);
        out[2 * i + 1] = shuffle(g, rows[i], rows[i + n / 2], high, n);
      }
      memcpy(rows, out, n * sizeof *rows);
    }
    memcpy(out, rows, n * sizeof *rows);
    nr_free(low);
    nr_free(high);
  } else {
    for (unsigned i = 0; i < m; i++) {
      out[i] = LLVMGetPoison(nr_ll_row_type(g, to));
      for (unsigned k = 0; k < n; k++) {
        LLVMValueRef item = LLVMBuildExtractElement(g->b, rows[k], nr_ll_int(g, i), "");
        out[i] = LLVMBuildInsertElement(g->b, out[i], item, nr_ll_int(g, k), "");
      }
    }
  }
  next = 0;
  nr_ll_set(g, nr_result(op, 0), nr_ll_nest(g, nr_ll_type(g, to), out, &next));
  nr_free(rows);
  nr_free(out);
  return NR_OK;
}

const NrLlRow nr_ll_vector_shape_rows[] = {
    {"vector.extract", emit_extract},
    {"vector.insert", emit_insert},
    {"vector.extract_strided_slice", emit_extract_slice},
    {"vector.insert_strided_slice", emit_insert_slice},
    {"vector.shuffle", emit_shuffle},
    {"vector.shape_cast", emit_shape_cast},
    {"vector.bitcast", emit_bitcast},
    {"vector.transpose", emit_transpose},
    {"vector.interleave", .lane = lane_interleave},
    {"vector.deinterleave", emit_deinterleave},
    {0},
};
