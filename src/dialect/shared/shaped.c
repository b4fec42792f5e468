/* shaped.c - mixed constant and operand index lists and shapes, shared by the shaped dialects. Text is in
 * shaped_text.c, reassociations in reassociation.c. */
#include "dialect/shared/shaped.h"
#include "dialect/bufferization/ops.h"

#include "dialect/arith/arith.h"
#include "dialect/shared/fold.h"
#include "dialect/flow/flow.h"

const NrIndexListSlot nr_extract_slice_slots[3] = {{1, "static_offsets"}, {2, "static_sizes"}, {3, "static_strides"}};
const NrIndexListSlot nr_insert_slice_slots[3] = {{2, "static_offsets"}, {3, "static_sizes"}, {4, "static_strides"}};

const NrIndexListSlot *nr_slice_slots(const NrOp *slice) {
  switch (slice->info->id) {
  case NR_OP_tensor_insert_slice:
  case NR_OP_tensor_parallel_insert_slice: return nr_insert_slice_slots;
  case NR_OP_flow_dispatch_tensor_load: return nr_flow_load_slots;
  case NR_OP_flow_dispatch_tensor_store: return nr_flow_store_slots;
  default: return nr_extract_slice_slots;
  }
}

NrIndex nr_index_of(NrValue *value) {
  int64_t c;
  if (nr_value_constant_int(value, &c)) return nr_index_const(c);
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

NrIndex nr_index_add(NrBuilder *b, NrIndex x, NrIndex y) {
  int64_t sum;
  if (!x.value && !y.value && nr_add_i64(x.constant, y.constant, &sum)) return nr_index_const(sum);
  if (nr_index_is(x, 0)) return y;
  if (nr_index_is(y, 0)) return x;
  return nr_index_of(nr_fold_binary(b, NR_OP_arith_addi, nr_index_value(b, x), nr_index_value(b, y)));
}

NrIndex nr_index_mul(NrBuilder *b, NrIndex x, NrIndex y) {
  int64_t product;
  if (!x.value && !y.value && nr_mul_i64(x.constant, y.constant, &product)) return nr_index_const(product);
  if (nr_index_is(x, 1)) return y;
  if (nr_index_is(y, 1)) return x;
  return nr_index_of(nr_fold_binary(b, NR_OP_arith_muli, nr_index_value(b, x), nr_index_value(b, y)));
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
    /* The least integer stands for a dynamic one in the list, so as a size, which is wrong, it is an operand. */
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

/* Takes operand `operand` of group `group` out. An op with one such group keeps no sizes of groups. */
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

/* Entry of a list of sizes that a rank-reducing op gives for dim i of its result. */
static bool slice_dim(NrOp *op, NrIndexListSlot sizes, NrType result, size_t i, NrIndex *out) {
  NrIndex list[NR_MAX_RANK];
  bool keep[NR_MAX_RANK];
  size_t n = nr_index_list_all(op, sizes, list), at = 0;
  if (!nr_slice_keeps(op, result, keep)) return false;
  for (size_t k = 0; k < n; k++)
    if (keep[k] && at++ == i) return *out = list[k], true;
  return false;
}

/* The operand that an op with one operand per `?` of its type takes dim i from. */
static NrValue *dynamic_size(NrOp *op, size_t group, NrType type, size_t i) {
  size_t begin, count, before = 0;
  for (size_t k = 0; k < i; k++) before += type->dims[k] == NR_DYNAMIC;
  if (!nr_op_operand_group(op, group, &begin, &count) || before >= count) return NULL;
  return nr_operand(op, begin + before);
}

bool nr_op_selects_whole(const NrOp *op) {
  return nr_op_is(op, NR_OP_arith_select) && !nr_type_is_shaped(nr_arith_select_condition(op)->type);
}

bool nr_dim_of(NrValue *shaped, size_t i, NrIndex *out) {
  for (;;) {
    NrType type = shaped->type;
    if (type->kind != NR_TYPE_TENSOR && type->kind != NR_TYPE_MEMREF) return false;
    if (i >= type->rank) return false;
    if (type->dims[i] != NR_DYNAMIC) return *out = nr_index_const(type->dims[i]), true;
    NrOp *op = shaped->op;
    if (!op) return false;
    NrValue *size = NULL;
    switch (op->info->id) {
    case NR_OP_memref_alloc:
    case NR_OP_memref_alloca:
    case NR_OP_tensor_empty:
    case NR_OP_tensor_generate: size = dynamic_size(op, 0, type, i); break;
    case NR_OP_tensor_splat: size = dynamic_size(op, 1, type, i); break;
    case NR_OP_memref_view: size = dynamic_size(op, 2, type, i); break;
    case NR_OP_memref_subview:
    case NR_OP_tensor_extract_slice: return slice_dim(op, nr_extract_slice_slots[1], type, i, out);
    case NR_OP_memref_reinterpret_cast: *out = nr_index_list_get(op, nr_extract_slice_slots[1], i); return true;
    case NR_OP_tensor_expand_shape:
    case NR_OP_memref_expand_shape:
      *out = nr_index_list_get(op, nr_output_shape_slot, i);
      return true;
    case NR_OP_bufferization_alloc_tensor: {
      size_t begin, count;
      nr_op_operand_group(op, NR_BUFFERIZATION_ALLOC_TENSOR_COPY_GROUP, &begin, &count);
      if (count) { /* copied: sizes are those of that */
        shaped = nr_operand(op, begin);
        continue;
      }
      size = dynamic_size(op, 0, type, i);
      break;
    }
    case NR_OP_tensor_cast:
    case NR_OP_memref_cast:
    case NR_OP_bufferization_to_tensor:
    case NR_OP_bufferization_clone:
      if (!nr_type_is_ranked(nr_op_only_operand(op)->type)) return false;
      shaped = nr_op_only_operand(op);
      continue;
    default:
      if (nr_flow_dim_of(shaped, i, out)) return true;
      shaped = nr_op_destination(op, shaped->index);
      if (!shaped) return false;
      continue;
    }
    if (!size) return false;
    *out = nr_index_of(size);
    return true;
  }
}

NrIndex nr_dim_build(NrBuilder *b, NrValue *shaped, size_t i) {
  NrIndex dim;
  if (nr_dim_of(shaped, i, &dim)) return dim;
  unsigned id = nr_type_is_memref(shaped->type) ? NR_OP_memref_dim : NR_OP_tensor_dim;
  NrValue *operands[] = {shaped, nr_index_value(b, nr_index_const((int64_t)i))};
  return (NrIndex){nr_build_value(b, id, nr_type_index(b->ctx), operands, 2), 0};
}
