/* canonicalize_slices.c - rewrites of extract_slice and insert_slice that build new ops. */
#include "dialect/tensor/tensor.h"

/* Whether the slice may be inside the tensor. Slices with invalid constants, which dead code may have, are not
 * rewritten. */
static bool is_inside(NrIndex lists[3][NR_MAX_RANK], NrType whole) {
  for (uint32_t i = 0; i < whole->rank; i++)
    if (!nr_slice_is_inside(lists[0][i], lists[1][i], lists[2][i], whole->dims[i], NULL)) return false;
  return true;
}

/* The type of a slice after some sizes became constants; it drops the same dims. NULL when it cannot be determined. */
static NrType refined_part_type(NrOp *op, const NrIndex *now, NrType old) {
  size_t rank = nr_index_list_size(op, "static_sizes"), count = 0;
  bool keep[NR_MAX_RANK];
  int64_t dims[NR_MAX_RANK];
  if (!nr_slice_keeps(op, old, keep)) return NULL;
  for (size_t i = 0; i < rank; i++)
    if (keep[i]) dims[count++] = now[i].value ? NR_DYNAMIC : now[i].constant;
  NrType type = nr_type_tensor(dims, count, old->elem);
  return type->oversized ? NULL : type;
}

/* Merges slice(slice(x)) with unit strides into one slice. The inner slice must keep all dims. */
static bool merge_slices(NrOp *op, NrBuilder *b, NrOp *inner) {
  NrIndex outer_lists[3][NR_MAX_RANK], lists[3][NR_MAX_RANK];
  NrValue *source = nr_tensor_extract_slice_source(inner);
  if (nr_op_result(inner)->type->rank != source->type->rank) return false;
  for (size_t s = 0; s < 3; s++) {
    nr_index_list_all(op, nr_extract_slice_slots[s], outer_lists[s]);
    nr_index_list_all(inner, nr_extract_slice_slots[s], lists[s]);
  }
  for (uint32_t i = 0; i < source->type->rank; i++)
    if (!nr_index_is(outer_lists[2][i], 1) || !nr_index_is(lists[2][i], 1)) return false;
  for (uint32_t i = 0; i < source->type->rank; i++) {
    NrIndex inner_offset = lists[0][i], offset = outer_lists[0][i];
    if (offset.value || inner_offset.value) continue;
    if (!nr_add_i64(offset.constant, inner_offset.constant, &offset.constant)) return false;
    if (!nr_slice_is_inside(offset, outer_lists[1][i], lists[2][i], source->type->dims[i], NULL)) return false;
  }
  for (uint32_t i = 0; i < source->type->rank; i++) lists[0][i] = nr_index_add(b, lists[0][i], outer_lists[0][i]);
  NrType type = nr_op_result(op)->type;
  return nr_op_replace(op, nr_build_extract_slice(b, source, lists[0], outer_lists[1], lists[2], type));
}

bool nr_tensor_extract_slice_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_tensor_extract_slice_source(op), *cast = nr_tensor_uncast(source);
  NrIndex lists[3][NR_MAX_RANK];
  if (nr_op_is(source->op, NR_OP_tensor_extract_slice) && merge_slices(op, b, source->op)) return true;
  if (!cast && !nr_index_lists_have_constants(op, nr_extract_slice_slots, 3)) return false;
  if (cast) source = cast;
  for (size_t s = 0; s < 3; s++) {
    size_t n = nr_index_list_all(op, nr_extract_slice_slots[s], lists[s]);
    for (size_t i = 0; i < n; i++)
      if (lists[s][i].value) lists[s][i] = nr_index_of(lists[s][i].value);
  }
  NrType old = nr_op_result(op)->type, type = refined_part_type(op, lists[1], old);
  if (!type || !is_inside(lists, source->type)) return false;
  NrValue *slice = nr_build_extract_slice(b, source, lists[0], lists[1], lists[2], type);
  return nr_op_replace(op, nr_build_tensor_cast(b, slice, old));
}

/* Whether `before` is an insertion into the same slice, which op then overwrites. */
static bool is_overwritten(const NrOp *op, const NrOp *before) {
  if (!nr_op_is(before, NR_OP_tensor_insert_slice)) return false;
  for (size_t s = 0; s < 3; s++)
    for (uint32_t i = 0; i < nr_tensor_insert_slice_dest(op)->type->rank; i++)
      if (!nr_index_eq(nr_index_list_get(op, nr_insert_slice_slots[s], i),
                       nr_index_list_get(before, nr_insert_slice_slots[s], i)))
        return false;
  return true;
}

/* Inserts the source of a cast that hides static sizes, and uses those sizes. */
static bool insert_cast_source(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_tensor_uncast(nr_tensor_insert_slice_source(op)), *dest = nr_tensor_insert_slice_dest(op);
  NrIndex lists[3][NR_MAX_RANK];
  if (!source || source->type->rank != dest->type->rank) return false;
  for (size_t s = 0; s < 3; s++) nr_index_list_all(op, nr_insert_slice_slots[s], lists[s]);
  for (uint32_t i = 0; i < dest->type->rank; i++) {
    if (source->type->dims[i] == NR_DYNAMIC) continue;
    if (!lists[1][i].value && lists[1][i].constant != source->type->dims[i]) return false;
    lists[1][i] = nr_index_const(source->type->dims[i]);
  }
  if (!is_inside(lists, dest->type)) return false;
  return nr_op_replace(op, nr_build_insert_slice(b, source, dest, lists[0], lists[1], lists[2]));
}

bool nr_tensor_insert_slice_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_tensor_insert_slice_source(op), *dest = nr_tensor_insert_slice_dest(op),
          *cast = nr_tensor_uncast(dest);
  if (is_overwritten(op, dest->op)) {
    nr_op_set_operand(op, NR_TENSOR_INSERT_SLICE_DEST, nr_tensor_insert_slice_dest(dest->op));
    return true;
  }
  NrIndex lists[3][NR_MAX_RANK];
  NrGroups groups;
  /* Skip an expand_shape that only adds dims of size 1: the insertion can be rank-reducing instead. */
  if (nr_op_is(source->op, NR_OP_tensor_expand_shape) && nr_groups_of(source->op, &groups) &&
      nr_groups_join_ones(&groups, source->type)) {
    if (nr_slice_keeps(op, nr_tensor_expand_shape_source(source->op)->type, NULL)) {
      nr_op_set_operand(op, NR_TENSOR_INSERT_SLICE_SOURCE, nr_tensor_expand_shape_source(source->op));
      return true;
    }
  }
  if (insert_cast_source(op, b)) return true;
  bool constant = nr_index_lists_have_constants(op, nr_insert_slice_slots, 3);
  if (!constant && !cast) return false;
  for (size_t s = 0; s < 3; s++) {
    size_t n = nr_index_list_all(op, nr_insert_slice_slots[s], lists[s]);
    for (size_t i = 0; i < n; i++)
      if (lists[s][i].value) lists[s][i] = nr_index_of(lists[s][i].value);
  }
  NrType type = refined_part_type(op, lists[1], source->type);
  if (!type || !is_inside(lists, cast ? cast->type : dest->type)) return false;
  source = nr_build_tensor_cast(b, source, type);
  NrValue *result = nr_build_insert_slice(b, source, cast ? cast : dest, lists[0], lists[1], lists[2]);
  return nr_op_replace(op, nr_build_tensor_cast(b, result, nr_op_result(op)->type));
}
