/* shaped.c - index lists that mix constants and operands, and shapes, for the dialects of shaped types. Their text is
 * in shaped_text.c, reassociations are in reassociation.c. */
#include "dialect/shared/shaped.h"

#include "dialect/arith/arith.h"
#include "dialect/arith/fold.h"
#include "dialect/flow/ops.h"
#include "dialect/tensor/ops.h"

const NrIndexListSlot nr_extract_slice_slots[3] = {{NR_TENSOR_EXTRACT_SLICE_OFFSETS_GROUP, "static_offsets"},
                                                   {NR_TENSOR_EXTRACT_SLICE_SIZES_GROUP, "static_sizes"},
                                                   {NR_TENSOR_EXTRACT_SLICE_STRIDES_GROUP, "static_strides"}};
const NrIndexListSlot nr_insert_slice_slots[3] = {{NR_TENSOR_INSERT_SLICE_OFFSETS_GROUP, "static_offsets"},
                                                  {NR_TENSOR_INSERT_SLICE_SIZES_GROUP, "static_sizes"},
                                                  {NR_TENSOR_INSERT_SLICE_STRIDES_GROUP, "static_strides"}};

const NrIndexListSlot *nr_slice_slots(const NrOp *slice) {
  static const NrIndexListSlot behind_dims[3] = {{NR_FLOW_DISPATCH_TENSOR_STORE_OFFSETS_GROUP, "static_offsets"},
                                                 {NR_FLOW_DISPATCH_TENSOR_STORE_SIZES_GROUP, "static_sizes"},
                                                 {NR_FLOW_DISPATCH_TENSOR_STORE_STRIDES_GROUP, "static_strides"}};
  const NrOpSpec *spec = nr_op_spec(nr_op_context(slice), slice->info);
  size_t offsets = 0;
  while (offsets < spec->num_operands && !nr_str_is(spec->operands[offsets].name, "offsets")) offsets++;
  assert(offsets >= 1 && offsets <= 3);
  return offsets == 1 ? nr_extract_slice_slots : offsets == 2 ? nr_insert_slice_slots : behind_dims;
}

/* A constant that equals NR_DYNAMIC stays a value: as a number it would read as a size that is not known. */
NrIndex nr_index_of(NrValue *value) {
  int64_t c;
  if (nr_value_constant_int(value, &c) && c != NR_DYNAMIC) return nr_index_const(c);
  return (NrIndex){value, 0};
}

bool nr_index_is(NrIndex i, int64_t constant) { return !i.value && i.constant == constant; }

bool nr_index_eq(NrIndex a, NrIndex b) {
  if (a.value) a = nr_index_of(a.value);
  if (b.value) b = nr_index_of(b.value);
  return a.value == b.value && (a.value || a.constant == b.constant);
}

NrValue *nr_index_value(NrBuilder *b, NrIndex i) {
  if (i.value) return i.value;
  return nr_arith_constant_index(b, i.constant);
}

static NrIndex index_op(NrBuilder *b, unsigned op_id, NrIndex x, NrIndex y) {
  return nr_index_of(nr_fold_binary(b, op_id, nr_index_value(b, x), nr_index_value(b, y)));
}

static bool are_constants(NrIndex x, NrIndex y) { return !x.value && !y.value; }

typedef bool (*CheckedFn)(int64_t a, int64_t b, int64_t *out);

/* Whether both are constants whose result is one too. */
static bool fold(CheckedFn fn, NrIndex x, NrIndex y, NrIndex *out) {
  int64_t result;
  if (!are_constants(x, y) || !fn(x.constant, y.constant, &result) || result == NR_DYNAMIC) return false;
  return *out = nr_index_const(result), true;
}

NrIndex nr_index_add(NrBuilder *b, NrIndex x, NrIndex y) {
  NrIndex sum;
  if (fold(nr_add_i64, x, y, &sum)) return sum;
  if (nr_index_is(x, 0)) return y;
  if (nr_index_is(y, 0)) return x;
  return index_op(b, NR_OP_arith_addi, x, y);
}

NrIndex nr_index_sub(NrBuilder *b, NrIndex x, NrIndex y) {
  NrIndex difference;
  if (fold(nr_sub_i64, x, y, &difference)) return difference;
  if (nr_index_is(y, 0)) return x;
  if (x.value && x.value == y.value) return nr_index_const(0);
  return index_op(b, NR_OP_arith_subi, x, y);
}

NrIndex nr_index_mul(NrBuilder *b, NrIndex x, NrIndex y) {
  NrIndex product;
  if (fold(nr_mul_i64, x, y, &product)) return product;
  if (nr_index_is(x, 1)) return y;
  if (nr_index_is(y, 1)) return x;
  if (nr_index_is(x, 0) || nr_index_is(y, 0)) return nr_index_const(0);
  return index_op(b, NR_OP_arith_muli, x, y);
}

NrIndex nr_index_floordiv(NrBuilder *b, NrIndex x, NrIndex y) {
  if (nr_index_is(y, 1)) return x;
  if (are_constants(x, y) && y.constant > 0)
    return nr_index_const(x.constant / y.constant - (x.constant % y.constant < 0));
  return index_op(b, NR_OP_arith_floordivsi, x, y);
}

NrIndex nr_index_ceildiv(NrBuilder *b, NrIndex x, NrIndex y) {
  if (nr_index_is(y, 1)) return x;
  if (are_constants(x, y) && y.constant > 0)
    return nr_index_const(x.constant / y.constant + (x.constant % y.constant > 0));
  return index_op(b, NR_OP_arith_ceildivsi, x, y);
}

static bool are_same(NrIndex x, NrIndex y) {
  return x.value == y.value && (x.value || x.constant == y.constant);
}

NrIndex nr_index_min(NrBuilder *b, NrIndex x, NrIndex y) {
  if (are_same(x, y)) return x;
  if (are_constants(x, y)) return nr_index_const(NR_MIN(x.constant, y.constant));
  return index_op(b, NR_OP_arith_minsi, x, y);
}

NrIndex nr_index_max(NrBuilder *b, NrIndex x, NrIndex y) {
  if (are_same(x, y)) return x;
  if (are_constants(x, y)) return nr_index_const(NR_MAX(x.constant, y.constant));
  return index_op(b, NR_OP_arith_maxsi, x, y);
}

NrIndex nr_index_select(NrBuilder *b, NrValue *condition, NrIndex x, NrIndex y) {
  if (are_same(x, y)) return x;
  return nr_index_of(nr_fold_select(b, condition, nr_index_value(b, x), nr_index_value(b, y)));
}

/* ---- lists ------------------------------------------------------------------------------------------------------ */

size_t nr_index_list_size(const NrOp *op, const char *attr) {
  NrAttr a = nr_op_attr_named(op, attr);
  return a && a->kind == NR_ATTR_DENSE_ARRAY ? a->data_size / sizeof(int64_t) : 0;
}

const int64_t *nr_index_list_statics(const NrOp *op, const char *attr) {
  NrAttr a = nr_op_attr_named(op, attr);
  return a && a->kind == NR_ATTR_DENSE_ARRAY ? a->data : NULL;
}

size_t nr_index_list_all(const NrOp *op, NrIndexListSlot slot, NrIndex *out) {
  size_t n = nr_index_list_size(op, slot.attr), begin, count, used = 0;
  const int64_t *statics = nr_index_list_statics(op, slot.attr);
  if (!nr_op_operand_group(op, slot.group, &begin, &count)) return 0;
  for (size_t i = 0; i < n && i < NR_MAX_RANK; i++) {
    if (statics[i] != NR_DYNAMIC) {
      out[i] = nr_index_const(statics[i]);
    } else {
      assert(used < count);
      out[i] = (NrIndex){nr_operand(op, begin + used++), 0};
    }
  }
  return NR_MIN(n, (size_t)NR_MAX_RANK);
}

NrIndex nr_index_list_get(const NrOp *op, NrIndexListSlot slot, size_t i) {
  const int64_t *statics = nr_index_list_statics(op, slot.attr);
  if (statics[i] != NR_DYNAMIC) return nr_index_const(statics[i]);
  size_t begin, count, before = 0;
  bool ok = nr_op_operand_group(op, slot.group, &begin, &count);
  assert(ok);
  (void)ok;
  for (size_t k = 0; k < i; k++) before += statics[k] == NR_DYNAMIC;
  return (NrIndex){nr_operand(op, begin + before), 0};
}

NrAttr nr_index_list_split(NrBuilder *b, const NrIndex *list, size_t count, NrValue **operands,
                           size_t *num_operands) {
  int64_t statics[NR_MAX_RANK];
  assert(count <= NR_MAX_RANK);
  for (size_t i = 0; i < count; i++) {
    /* NR_DYNAMIC, the smallest integer, marks a dynamic entry. A constant with this value, which is invalid anyway,
     * becomes an operand. */
    bool is_static = !list[i].value && list[i].constant != NR_DYNAMIC;
    statics[i] = is_static ? list[i].constant : NR_DYNAMIC;
    if (!is_static) operands[(*num_operands)++] = nr_index_value(b, list[i]);
  }
  return nr_attr_i64_array(b->ctx, statics, count);
}

static bool is_i64_array(NrAttr a) {
  return a && a->kind == NR_ATTR_DENSE_ARRAY && nr_type_is_int_width(a->type, 64);
}

NrStatus nr_index_list_verify(NrOp *op, NrIndexListSlot slot, const char *what, size_t rank) {
  NrAttr a = nr_op_attr_named(op, slot.attr);
  if (!is_i64_array(a)) return nr_op_error(op, "requires attribute '%s' to be an i64 dense array", slot.attr);
  size_t n = a->data_size / sizeof(int64_t), begin, count, dynamic = 0;
  if (n != rank) return nr_op_error(op, "expected %zu %s values, got %zu", rank, what, n);
  const int64_t *statics = a->data;
  for (size_t i = 0; i < n; i++) dynamic += statics[i] == NR_DYNAMIC;
  if (!nr_op_operand_group(op, slot.group, &begin, &count) || count != dynamic)
    return nr_op_error(op, "expected %zu dynamic %s values", dynamic, what);
  return NR_OK;
}

bool nr_attr_scalar_bytes(NrAttr scalar, uint8_t *out) {
  size_t size;
  uint64_t bits;
  if (scalar->kind != NR_ATTR_INTEGER && scalar->kind != NR_ATTR_FLOAT) return false;
  size = nr_type_byte_size(scalar->type);
  if (size == 0 || size > 8) return false;
  bits = scalar->kind == NR_ATTR_FLOAT ? scalar->bits : (uint64_t)scalar->i;
  if (nr_type_is_int_width(scalar->type, 1)) bits &= 1;
  for (size_t i = 0; i < size; i++) out[i] = (uint8_t)(bits >> 8 * i);
  return true;
}

NrAttr nr_attr_segments(NrContext *ctx, const uint32_t *sizes, size_t count) {
  return nr_attr_dense_array(nr_type_i32(ctx), sizes, count * sizeof *sizes);
}

void nr_op_set_segments(NrOp *op, const uint32_t *sizes, size_t count) {
  nr_op_set_attr(op, NR_A_operandSegmentSizes, nr_attr_segments(nr_op_context(op), sizes, count));
}

/* Erases an operand and updates the group sizes. An op without operandSegmentSizes has only one variadic group. */
static void erase_group_operand(NrOp *op, size_t group, size_t operand) {
  NrAttr segments = nr_op_attr(op, NR_A_operandSegmentSizes);
  if (!segments) {
    nr_op_erase_operand(op, operand);
    return;
  }
  uint32_t sizes[16];
  size_t count = segments->data_size / sizeof(uint32_t);
  assert(count <= NR_COUNTOF(sizes) && group < count);
  memcpy(sizes, segments->data, count * sizeof *sizes);
  sizes[group]--;
  nr_op_erase_operand(op, operand);
  nr_op_set_segments(op, sizes, count);
}

bool nr_slice_is_inside(NrIndex offset, NrIndex size, NrIndex stride, int64_t dim, int64_t *out_last) {
  if ((!size.value && size.constant < 0) || (!offset.value && offset.constant < 0)) return false;
  if (offset.value || size.value || stride.value || dim == NR_DYNAMIC || size.constant == 0) return true;
  int64_t last = 0;
  bool known = nr_mul_i64(size.constant - 1, stride.constant, &last) && nr_add_i64(last, offset.constant, &last);
  if (out_last) *out_last = last;
  return known && last >= 0 && last < dim;
}

bool nr_index_lists_have_constants(const NrOp *op, const NrIndexListSlot *slots, size_t num_slots) {
  for (size_t s = 0; s < num_slots; s++) {
    size_t begin, count;
    int64_t c;
    nr_op_operand_group(op, slots[s].group, &begin, &count);
    for (size_t i = 0; i < count; i++)
      if (nr_value_constant_int(nr_operand(op, begin + i), &c)) return true;
  }
  return false;
}

NrStatus nr_slice_bounds_verify(NrOp *op, const char *id, NrIndex lists[3][NR_MAX_RANK], NrType whole) {
  for (uint32_t i = 0; i < whole->rank; i++) {
    NrIndex offset = lists[0][i], size = lists[1][i];
    int64_t dim = whole->dims[i], last = 0;
    if (nr_slice_is_inside(offset, size, lists[2][i], dim, &last)) continue;
    if (!size.value && size.constant < 0)
      return nr_op_error(op, "(%s) expected sizes to be non-negative, but got %lld", id, (long long)size.constant);
    if (offset.constant < 0)
      return nr_op_error(op, "(%s) expected offsets to be non-negative, but got %lld", id, (long long)offset.constant);
    if (offset.constant >= dim)
      return nr_op_error(op, "(%s) offset %u is out-of-bounds: %lld >= %lld", id, i, (long long)offset.constant,
                         (long long)dim);
    if (last < 0)
      return nr_op_error(op, "(%s) slice along dimension %u runs out-of-bounds: %lld < 0", id, i, (long long)last);
    return nr_op_error(op, "(%s) slice along dimension %u runs out-of-bounds: %lld >= %lld", id, i, (long long)last,
                       (long long)dim);
  }
  return NR_OK;
}

bool nr_index_lists_fold_constants(NrOp *op, const NrIndexListSlot *slots, size_t num_slots) {
  bool changed = false;
  for (size_t s = 0; s < num_slots; s++) {
    size_t n = nr_index_list_size(op, slots[s].attr), begin, count;
    int64_t statics[NR_MAX_RANK];
    if (n > NR_MAX_RANK || !nr_op_operand_group(op, slots[s].group, &begin, &count)) continue;
    if (n) memcpy(statics, nr_index_list_statics(op, slots[s].attr), n * sizeof *statics);
    bool here = false;
    size_t operand = begin;
    for (size_t i = 0; i < n; i++) {
      int64_t c;
      if (statics[i] != NR_DYNAMIC) continue;
      if (!nr_value_constant_int(nr_operand(op, operand), &c) || c == NR_DYNAMIC) {
        operand++;
        continue;
      }
      erase_group_operand(op, slots[s].group, operand);
      statics[i] = c;
      here = true;
    }
    if (here) nr_op_set_attr_named(op, slots[s].attr, nr_attr_i64_array(nr_op_context(op), statics, n));
    changed |= here;
  }
  return changed;
}

NrValue *nr_build_slice(NrBuilder *b, unsigned id, NrType type, NrValue **operands, size_t fixed, size_t rank,
                        const NrIndex *const *lists) {
  NrAttr attrs[3];
  uint32_t segments[5] = {1, 1};
  size_t count = fixed;
  for (size_t i = 0; i < 3; i++) {
    size_t before = count;
    attrs[i] = nr_index_list_split(b, lists[i], rank, operands, &count);
    segments[fixed + i] = (uint32_t)(count - before);
  }
  NrOp *op = nr_build_op(b, id, operands, count, &type, 1);
  for (size_t i = 0; i < 3; i++) nr_op_set_attr_named(op, nr_slice_attrs[i], attrs[i]);
  nr_op_set_segments(op, segments, fixed + 3);
  return nr_op_result(op);
}

bool nr_slice_fold_constants(NrOp *op, const NrIndexListSlot slots[3], NrType whole) {
  for (uint32_t i = 0; i < whole->rank; i++) {
    NrIndex at[3];
    for (size_t k = 0; k < 3; k++) {
      at[k] = nr_index_list_get(op, slots[k], i);
      if (at[k].value) at[k] = nr_index_of(at[k].value);
    }
    if (!nr_slice_is_inside(at[0], at[1], at[2], whole->dims[i], NULL)) return false;
  }
  return nr_index_lists_fold_constants(op, slots, 3);
}

/* ---- shapes ----------------------------------------------------------------------------------------------------- */

bool nr_dims_rank_reduced(const int64_t *big, size_t big_rank, const int64_t *small, size_t small_rank, bool *keep) {
  size_t s = 0;
  for (size_t i = 0; i < big_rank; i++) {
    bool stays = s < small_rank && small[s] == big[i];
    if (!stays && big[i] != 1) return false;
    if (keep) keep[i] = stays;
    s += stays;
  }
  return s == small_rank;
}

bool nr_slice_keeps(const NrOp *slice, NrType part, bool *keep) {
  const char *sizes = nr_extract_slice_slots[1].attr;
  return nr_dims_rank_reduced(nr_index_list_statics(slice, sizes), nr_index_list_size(slice, sizes), part->dims,
                              part->rank, keep);
}

bool nr_types_cast_compatible(NrType a, NrType b) {
  if (a->elem != b->elem || !nr_type_is_ranked(a) || !nr_type_is_ranked(b)) return a->elem == b->elem;
  if (a->rank != b->rank) return false;
  for (uint32_t i = 0; i < a->rank; i++)
    if (a->dims[i] != b->dims[i] && a->dims[i] != NR_DYNAMIC && b->dims[i] != NR_DYNAMIC) return false;
  return true;
}

bool nr_type_refines(NrType a, NrType b) {
  if (a->kind != b->kind || a->elem != b->elem || a->rank != b->rank || a->layout != b->layout || a->space != b->space)
    return false;
  for (uint32_t i = 0; i < a->rank; i++)
    if (a->dims[i] != b->dims[i] && b->dims[i] != NR_DYNAMIC) return false;
  return true;
}

int64_t nr_dims_product(const int64_t *dims, size_t count) {
  int64_t product = 1;
  for (size_t i = 0; i < count; i++)
    if (dims[i] == NR_DYNAMIC || !nr_mul_i64(product, dims[i], &product)) return NR_DYNAMIC;
  return product;
}

/* The entry for dim i of the result in a list of sizes; the result may leave out dims of size 1. */
static bool listed_dim(const NrOp *op, NrIndexListSlot sizes, NrType result, size_t i, NrIndex *out) {
  NrIndex list[NR_MAX_RANK];
  bool keep[NR_MAX_RANK];
  size_t n = nr_index_list_all(op, sizes, list), at = 0;
  if (n == result->rank) return *out = list[i], true;
  if (!nr_slice_keeps(op, result, keep)) return false;
  for (size_t k = 0; k < n; k++)
    if (keep[k] && at++ == i) return *out = list[k], true;
  return false;
}

/* The size of dim i of a result, where the group has one operand for each `?` of the results. */
static bool dynamic_dim(const NrValue *result, NrGroup group, size_t i, NrIndex *out) {
  size_t before = 0;
  for (uint32_t r = 0; r < result->index; r++) before += nr_type_num_dynamic(nr_result(result->op, r)->type);
  for (size_t k = 0; k < i; k++) before += result->type->dims[k] == NR_DYNAMIC;
  if (before >= group.count) return false;
  *out = nr_index_of(nr_operand(result->op, group.begin + before));
  return true;
}

/* What .sizes of the op's definition says: *out is the size of dim i, or *out_same a value of the same shape. False
 * where it says nothing. */
static bool dim_by_row(const NrValue *result, size_t i, NrIndex *out, NrValue **out_same) {
  const NrOp *op = result->op;
  const NrOpSpec *spec = op->info->sizes ? nr_op_spec(nr_op_context(op), op->info) : NULL;
  *out_same = NULL;
  for (size_t s = 0; spec && s < spec->num_sizes; s++) {
    NrIndexListSlot slot = {spec->sizes[s].group, spec->sizes[s].statics};
    NrGroup group;
    if (!nr_op_operand_group(op, slot.group, &group.begin, &group.count)) return false;
    if (slot.attr) return listed_dim(op, slot, result->type, i, out);
    if (!group.count) continue;
    NrValue *same = nr_operand(op, group.begin + (group.count == op->num_results ? result->index : 0));
    if (!nr_type_is_shaped(same->type)) return dynamic_dim(result, group, i, out);
    *out_same = nr_type_is_ranked(same->type) ? same : NULL;
    return *out_same != NULL;
  }
  return false;
}

NrValue *nr_shape_source(const NrValue *result) {
  NrValue *same = nr_op_destination(result->op, result->index);
  NrIndex dim;
  if (!same && result->op->info->sizes) dim_by_row(result, 0, &dim, &same);
  return same;
}

bool nr_op_selects_whole(const NrOp *op) {
  return nr_op_is(op, NR_OP_arith_select) && !nr_type_is_shaped(nr_arith_select_condition(op)->type);
}

bool nr_dim_of(NrValue *shaped, size_t i, NrIndex *out) {
  while (shaped) {
    NrType type = shaped->type;
    if ((type->kind != NR_TYPE_TENSOR && type->kind != NR_TYPE_MEMREF) || i >= type->rank) return false;
    if (type->dims[i] != NR_DYNAMIC) return *out = nr_index_const(type->dims[i]), true;
    NrValue *same = NULL;
    if (!shaped->op) return false;
    if (dim_by_row(shaped, i, out, &same) && !same) return true;
    shaped = same ? same : nr_op_destination(shaped->op, shaped->index);
  }
  return false;
}

NrIndex nr_dim_build(NrBuilder *b, NrValue *shaped, size_t i) {
  NrIndex dim;
  if (nr_dim_of(shaped, i, &dim)) return dim;
  unsigned id = nr_type_is_memref(shaped->type) ? NR_OP_memref_dim : NR_OP_tensor_dim;
  NrValue *operands[] = {shaped, nr_index_value(b, nr_index_const((int64_t)i))};
  return (NrIndex){nr_build_value(b, id, nr_type_index(b->ctx), operands, 2), 0};
}
