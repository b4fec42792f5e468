/* canonicalize_pads.c - rewrites of tensor.pad with one padding value.
 *
 *   before  %0 = tensor.pad %x low[1] high[0] { yield %v }       after  %1 = tensor.pad %x low[3] high[1] { yield %v }
 *           %1 = tensor.pad %0 low[2] high[1] { yield %v }
 *
 * Padding is never negative, so nested paddings add up. */
#include "dialect/tensor/tensor.h"

/* The padding value, if it is one value defined outside the body; otherwise NULL. */
static NrValue *padding_value(const NrOp *pad) {
  const NrBlock *body = nr_tensor_pad_body(pad);
  NrOp *yield = nr_block_terminator(body);
  if (body->first != yield || nr_value_block(nr_tensor_yield_value(yield)) == body) return NULL;
  return nr_tensor_yield_value(yield);
}

static bool same_value(const NrValue *a, const NrValue *b) {
  return a == b || (nr_value_constant(a) && nr_value_constant(a) == nr_value_constant(b));
}

/* Builds a pad like op with another source, padding and type; moves op's body into it. */
static NrValue *rebuild(NrOp *op, NrBuilder *b, NrValue *source, NrIndex lists[2][NR_MAX_RANK], NrType type) {
  NrValue *operands[1 + 2 * NR_MAX_RANK] = {source};
  uint32_t segments[3] = {1};
  size_t count = 1;
  NrAttr statics[2];
  for (size_t s = 0; s < 2; s++) {
    size_t before = count;
    statics[s] = nr_index_list_split(b, lists[s], type->rank, operands, &count);
    segments[1 + s] = (uint32_t)(count - before);
  }
  NrOp *fresh = nr_build(b, &(NrOpState){.info = op->info,
                                         .loc = op->loc,
                                         .operands = operands,
                                         .num_operands = count,
                                         .result_types = &type,
                                         .num_results = 1,
                                         .attrs = op->attrs,
                                         .num_attrs = op->num_attrs,
                                         .num_regions = 1});
  for (size_t s = 0; s < 2; s++) nr_op_set_attr_named(fresh, nr_pad_slots[s].attr, statics[s]);
  nr_op_set_segments(fresh, segments, 3);
  nr_region_take(nr_tensor_pad_region(fresh), nr_tensor_pad_region(op));
  return nr_op_result(fresh);
}

/* Computes dims from the source's dims plus the padding where both are constant, from type elsewhere. False when they
 * contradict type or overflow. */
static bool padded_dims(NrType from, NrIndex lists[2][NR_MAX_RANK], NrType type, int64_t *dims) {
  for (uint32_t i = 0; i < type->rank; i++) {
    int64_t sum = from->dims[i];
    dims[i] = type->dims[i];
    if (sum == NR_DYNAMIC || lists[0][i].value || lists[1][i].value) continue;
    if (!nr_add_i64(sum, lists[0][i].constant, &sum) || !nr_add_i64(sum, lists[1][i].constant, &sum)) return false;
    if (dims[i] != NR_DYNAMIC && dims[i] != sum) return false;
    dims[i] = sum;
  }
  return true;
}

/* Merges pad(pad(x)) with the same padding value into one pad. */
static bool merge_pads(NrOp *op, NrBuilder *b, NrOp *inner, const NrValue *value) {
  const NrValue *first = padding_value(inner);
  NrIndex lists[2][NR_MAX_RANK], more[2][NR_MAX_RANK];
  NrType type = nr_op_result(op)->type;
  int64_t sum, dims[NR_MAX_RANK];
  if (nr_op_attr(inner, NR_A_nofold) || !first || !same_value(first, value)) return false;
  NrIndex sums[2][NR_MAX_RANK];
  for (size_t s = 0; s < 2; s++) {
    nr_index_list_all(op, nr_pad_slots[s], lists[s]);
    nr_index_list_all(inner, nr_pad_slots[s], more[s]);
    for (uint32_t i = 0; i < type->rank; i++) {
      bool open = lists[s][i].value || more[s][i].value;
      if (!open && !nr_add_i64(lists[s][i].constant, more[s][i].constant, &sum)) return false;
      sums[s][i] = open ? lists[s][i].value ? lists[s][i] : more[s][i] : nr_index_const(sum);
    }
  }
  if (!padded_dims(nr_tensor_pad_source(inner)->type, sums, type, dims)) return false;
  for (size_t s = 0; s < 2; s++)
    for (uint32_t i = 0; i < type->rank; i++) lists[s][i] = nr_index_add(b, lists[s][i], more[s][i]);
  return nr_op_replace(op, rebuild(op, b, nr_tensor_pad_source(inner), lists, type));
}

/* A copy of an op of destination style that writes to another destination. */
static NrValue *same_into(NrBuilder *b, NrOp *op, NrValue *destination) {
  NrMap map = {0};
  NrOp *copy = nr_op_clone(b->module, op, &map);
  nr_map_deinit(&map);
  copy->loc = b->loc;
  nr_builder_insert(b, copy);
  nr_op_set_operand(copy, nr_op_destination_index(copy, 0), destination);
  nr_op_result(copy)->type = destination->type;
  return nr_op_result(copy);
}

/* Replaces the padding of a fill or splat of the padding value by a larger fill or splat. */
static bool pad_of_one_value(NrOp *op, NrBuilder *b, NrOp *source, const NrValue *value) {
  NrIndex dims[NR_MAX_RANK];
  NrType type = nr_op_result(op)->type;
  NrValue *scalar = nr_op_splat_value(source);
  if (!scalar || scalar->type != type->elem || !same_value(scalar, value)) return false;
  for (uint32_t i = 0; i < type->rank; i++) {
    dims[i] = nr_index_const(type->dims[i]);
    if (type->dims[i] != NR_DYNAMIC) continue;
    if (!nr_tensor_dim_of_op(b, op, i, &dims[i])) return false;
    dims[i] = (NrIndex){nr_index_value(b, dims[i]), 0};
  }
  if (nr_op_is(source, NR_OP_tensor_splat)) return nr_op_replace(op, nr_build_splat(b, scalar, dims, type->rank));
  return nr_op_replace(op, same_into(b, source, nr_build_empty(b, type->elem, dims, type->rank)));
}

static bool is_padded(NrIndex lists[2][NR_MAX_RANK], uint32_t d) {
  return !nr_index_is(lists[0][d], 0) || !nr_index_is(lists[1][d], 0);
}

/* Merges pad(slice(pad(slice(x)))) into one slice and one pad, if no dim is padded twice. In a dim that the inner pad
 * pads, the outer slice must take the whole dim. */
static bool merge_slices_and_pads(NrOp *op, NrBuilder *b, NrOp *slice, const NrValue *value) {
  NrOp *pad = nr_tensor_extract_slice_source(slice)->op;
  NrOp *from = nr_op_is(pad, NR_OP_tensor_pad) ? nr_tensor_pad_source(pad)->op : NULL;
  if (!nr_op_is(from, NR_OP_tensor_extract_slice) || nr_op_attr(pad, NR_A_nofold)) return false;
  const NrValue *around = padding_value(pad);
  NrType type = nr_op_result(op)->type, padded = nr_op_result(pad)->type;
  if (!around || !same_value(around, value)) return false;
  if (nr_tensor_pad_source(op)->type->rank != padded->rank ||
      nr_tensor_extract_slice_source(from)->type->rank != padded->rank)
    return false;
  NrIndex first[3][NR_MAX_RANK], second[3][NR_MAX_RANK], first_pad[2][NR_MAX_RANK], pads[2][NR_MAX_RANK];
  for (size_t s = 0; s < 3; s++) {
    nr_index_list_all(from, nr_extract_slice_slots[s], first[s]);
    nr_index_list_all(slice, nr_extract_slice_slots[s], second[s]);
  }
  for (size_t s = 0; s < 2; s++) {
    nr_index_list_all(pad, nr_pad_slots[s], first_pad[s]);
    nr_index_list_all(op, nr_pad_slots[s], pads[s]);
  }
  for (uint32_t d = 0; d < type->rank; d++) {
    bool by_first = is_padded(first_pad, d);
    bool simple = nr_index_is(first[2][d], 1) && nr_index_is(second[2][d], 1) && nr_index_is(first_pad[0][d], 0) &&
                  nr_index_is(pads[0][d], 0) && !(by_first && is_padded(pads, d));
    if (!simple || (!nr_index_is(first[0][d], 0) && !nr_index_is(second[0][d], 0))) return false;
    if (by_first && (padded->dims[d] == NR_DYNAMIC || !nr_index_is(second[1][d], padded->dims[d]))) return false;
    if (nr_index_is(first[0][d], 0)) first[0][d] = second[0][d];
    if (by_first) pads[1][d] = first_pad[1][d];
    else first[1][d] = second[1][d];
  }
  NrValue *part = nr_build_extract_slice(b, nr_tensor_extract_slice_source(from), first[0], first[1], first[2], NULL);
  return nr_op_replace(op, rebuild(op, b, part, pads, type));
}

/* Moves constant padding from operands into the op, and from there into the type. */
static bool constant_padding(NrOp *op, NrBuilder *b) {
  NrIndex lists[2][NR_MAX_RANK];
  NrType type = nr_op_result(op)->type;
  int64_t dims[NR_MAX_RANK];
  bool more = false;
  for (size_t s = 0; s < 2; s++) {
    nr_index_list_all(op, nr_pad_slots[s], lists[s]);
    for (uint32_t i = 0; i < type->rank; i++) {
      if (!lists[s][i].value) continue;
      NrIndex known = nr_index_of(lists[s][i].value);
      if (known.value || known.constant < 0) continue; /* dead code may have invalid constants */
      lists[s][i] = known;
      more = true;
    }
  }
  if (!more || !padded_dims(nr_tensor_pad_source(op)->type, lists, type, dims)) return false;
  NrType exact = nr_type_with_dims(type, dims, type->rank);
  if (exact->oversized) return false;
  NrValue *pad = rebuild(op, b, nr_tensor_pad_source(op), lists, exact);
  return nr_op_replace(op, nr_build_tensor_cast(b, pad, type));
}

bool nr_tensor_pad_canonicalize(NrOp *op, NrBuilder *b) {
  NrOp *source = nr_tensor_pad_source(op)->op;
  const NrValue *value = padding_value(op);
  if (constant_padding(op, b)) return true;
  if (value && nr_op_is(source, NR_OP_tensor_extract_slice)) return merge_slices_and_pads(op, b, source, value);
  if (!value || !source || nr_op_attr(op, NR_A_nofold)) return false;
  if (nr_op_is(source, NR_OP_tensor_pad)) return merge_pads(op, b, source, value);
  return pad_of_one_value(op, b, source, value);
}
