/* views.c - the memref types of views and slices of tensors. */
#include "pass/bufferize/analysis.h"

/* Whether the dims of each group are contiguous, so that collapsing them needs no copy. */
static bool can_collapse(NrType type, const NrGroups *groups) {
  int64_t strides[NR_MAX_RANK], offset, expected;
  if (!type->layout) return true;
  if (!nr_memref_strides(type, strides, &offset)) return false;
  for (size_t g = 0; g < groups->count; g++) {
    expected = NR_DYNAMIC; /* required stride of the next outer dim; not known before the innermost dim other than 1 */
    bool first = true;
    for (uint32_t k = groups->size[g]; k-- > 0;) {
      uint32_t i = groups->begin[g] + k;
      if (type->dims[i] == 1) continue;
      if (!first && (expected == NR_DYNAMIC || strides[i] != expected)) return false;
      if (strides[i] == NR_DYNAMIC || type->dims[i] == NR_DYNAMIC || !nr_mul_i64(strides[i], type->dims[i], &expected))
        expected = NR_DYNAMIC;
      first = false;
    }
  }
  return true;
}

NrType nr_view_type(const NrOp *op, NrType source) {
  NrType result = nr_op_result(op)->type;
  NrGroups groups;
  /* An unranked memref is dense, because its type has no layout. */
  if (result->kind == NR_TYPE_UNRANKED_TENSOR) return source->layout ? NULL : nr_bufferized_type(result);
  if (nr_op_is(op, NR_OP_tensor_cast))
    return nr_type_memref_layout(result->dims, result->rank, result->elem, source->layout, NULL);
  if (!source->layout) return nr_bufferized_type(result);
  if (nr_op_is(op, NR_OP_tensor_reshape) || !nr_groups_of(op, &groups)) return NULL;
  if (nr_op_is(op, NR_OP_tensor_expand_shape))
    return nr_memref_expanded_type(source, &groups, result->dims, result->rank);
  return can_collapse(source, &groups) ? nr_memref_collapsed_type(source, &groups) : NULL;
}

/* Whether a dispatch.tensor.load or store covers the whole dispatch tensor, whose dynamic dims are operands `dims`. */
static bool is_whole(const NrOp *slice, NrType memref, NrGroup dims) {
  const NrIndexListSlot *slots = nr_slice_slots(slice);
  size_t next = 0;
  for (uint32_t i = 0; i < memref->rank; i++) {
    bool dynamic = memref->dims[i] == NR_DYNAMIC;
    NrIndex all = dynamic && next < dims.count ? nr_index_of(nr_operand(slice, dims.begin + next))
                                               : nr_index_const(memref->dims[i]);
    next += dynamic;
    if (!nr_index_is(nr_index_list_get(slice, slots[0], i), 0) ||
        !nr_index_is(nr_index_list_get(slice, slots[2], i), 1) ||
        !nr_index_eq(nr_index_list_get(slice, slots[1], i), all))
      return false;
  }
  return true;
}

void nr_slice_lists(const NrOp *slice, NrType memref, NrIndex lists[3][NR_MAX_RANK], bool *materialize) {
  for (size_t k = 0; k < 3; k++) nr_index_list_all(slice, nr_slice_slots(slice)[k], lists[k]);
  for (uint32_t i = 0; i < memref->rank; i++)
    materialize[i] = !nr_slice_is_inside(lists[0][i], lists[1][i], lists[2][i], memref->dims[i], NULL);
}

NrType nr_slice_type(const NrOp *slice, NrType memref, NrType shape) {
  NrIndex lists[3][NR_MAX_RANK], unknown = {slice->operands->value, 0};
  bool keep[NR_MAX_RANK], materialize[NR_MAX_RANK], load = nr_op_is(slice, NR_OP_flow_dispatch_tensor_load),
                          store = nr_op_is(slice, NR_OP_flow_dispatch_tensor_store);
  if ((load || store) && nr_bufferized_type(shape) == memref &&
      is_whole(slice, memref, load ? nr_flow_dispatch_tensor_load_source_dims(slice)
                                   : nr_flow_dispatch_tensor_store_target_dims(slice)))
    return NULL;
  nr_slice_lists(slice, memref, lists, materialize);
  for (uint32_t i = 0; i < memref->rank; i++)
    if (materialize[i]) lists[0][i] = unknown;
  NrType type = nr_memref_subview_type(memref, lists[0], lists[1], lists[2]);
  assert(type);
  if (shape->rank != type->rank && nr_dims_rank_reduced(type->dims, type->rank, shape->dims, shape->rank, keep))
    type = nr_memref_drop_dims(type, keep);
  return type;
}
