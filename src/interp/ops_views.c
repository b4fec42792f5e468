/* ops_views.c - views with explicit offsets and strides, and memref descriptors. */
#include "dialect/memref/ops.h"
#include "dialect/operands.h"
#include "dialect/rt/ops.h"
#include "dialect/shared/shaped.h"
#include "interp/ops.h"

static bool give(NrInterp *in, NrValue *result, NrIView *view) {
  nr_set(in, result, (NrIValue){.view = view});
  return true;
}

static int64_t index_of(NrInterp *in, NrIndex index) {
  return index.value ? nr_get_index(in, index.value) : index.constant;
}

/* Whether all elements are inside the buffer. */
static bool inside(const NrIView *view) {
  int64_t low = view->offset, high = view->offset;
  bool empty = false;
  for (size_t i = 0; i < view->rank; i++) {
    if (view->dims[i] < 0) return false;
    empty |= view->dims[i] == 0;
  }
  for (size_t i = 0; i < view->rank && !empty; i++) {
    int64_t span;
    if (!nr_mul_i64(view->dims[i] - 1, view->strides[i], &span)) return false;
    if (__builtin_add_overflow(span < 0 ? low : high, span, span < 0 ? &low : &high)) return false;
  }
  return empty || (low >= 0 && high < (int64_t)(view->buffer->size / view->elem_size));
}

bool nr_run_reinterpret_cast(NrInterp *in, NrOp *op) {
  NrIView *view = nr_iview_alias(nr_get(in, nr_memref_reinterpret_cast_source(op)).view);
  NrIndex lists[3][NR_MAX_RANK];
  for (size_t i = 0; i < 3; i++) nr_index_list_all(op, nr_extract_slice_slots[i], lists[i]);
  view->rank = nr_op_result(op)->type->rank;
  bool good = nr_add_i64(view->origin, index_of(in, lists[0][0]), &view->offset);
  for (size_t i = 0; i < view->rank; i++) {
    view->dims[i] = index_of(in, lists[1][i]);
    view->strides[i] = index_of(in, lists[2][i]);
  }
  if (good && inside(view)) return give(in, nr_op_result(op), view);
  nr_iview_release(view);
  return nr_interp_fail(in, op, "has elements outside of the buffer");
}

bool nr_run_memref_transpose(NrInterp *in, NrOp *op) {
  NrIView *from = nr_get(in, nr_memref_transpose_source(op)).view, *view = nr_iview_alias(from);
  NrAttr map = nr_op_attr(op, NR_A_permutation);
  for (size_t i = 0; i < view->rank; i++) {
    view->dims[i] = from->dims[map->exprs[i]->value];
    view->strides[i] = from->strides[map->exprs[i]->value];
  }
  return give(in, nr_op_result(op), view);
}

bool nr_run_metadata(NrInterp *in, NrOp *op) {
  NrIView *view = nr_get(in, nr_memref_extract_strided_metadata_source(op)).view, *base = nr_iview_alias(view);
  size_t rank = view->rank, sizes = NR_MEMREF_EXTRACT_STRIDED_METADATA_SIZES_AND_STRIDES;
  base->rank = 0;
  base->offset = base->origin;
  nr_set(in, nr_memref_extract_strided_metadata_offset(op),
         (NrIValue){.bits = (uint64_t)(view->offset - view->origin)});
  for (size_t i = 0; i < rank; i++) {
    nr_set(in, nr_result(op, sizes + i), (NrIValue){.bits = (uint64_t)view->dims[i]});
    nr_set(in, nr_result(op, sizes + rank + i), (NrIValue){.bits = (uint64_t)view->strides[i]});
  }
  return give(in, nr_memref_extract_strided_metadata_base(op), base);
}

/* From there to the end of the allocation. */
bool nr_run_rt_pointer(NrInterp *in, NrOp *op) {
  NrIView *from = nr_get(in, nr_rt_pointer_source(op)).view, *view;
  NrType elem = nr_op_result(op)->type->elem;
  NrValue *given = nr_rt_pointer_shift(op);
  int64_t shift = given ? nr_get_index(in, given) : 0;
  int64_t size = (int64_t)nr_iview_elem_size(elem), end = (int64_t)from->buffer->size, begin;
  bool fits = nr_add_i64(from->origin, shift, &begin) && nr_mul_i64(begin, (int64_t)from->elem_size, &begin);
  if (!fits || begin < 0 || begin > end) return nr_interp_fail(in, op, "points outside of the buffer");
  if (begin % size) return nr_interp_fail(in, op, "does not point to a multiple of its elements' size");
  view = nr_iview_alias(from);
  view->elem = elem;
  view->elem_size = (size_t)size;
  view->rank = 1;
  view->origin = view->offset = begin / size;
  view->dims[0] = (end - begin) / size;
  view->strides[0] = 1;
  return give(in, nr_op_result(op), view);
}

bool nr_run_pointer(NrInterp *in, NrOp *op) {
  NrIView *view = nr_get(in, nr_memref_extract_aligned_pointer_as_index_source(op)).view;
  uintptr_t address = (uintptr_t)(view->buffer->data + (size_t)view->origin * view->elem_size);
  nr_set(in, nr_op_result(op), (NrIValue){.bits = address});
  return true;
}

/* The interpreter has no addresses, so memory spaces and alignments have no effect. */
bool nr_run_same_buffer(NrInterp *in, NrOp *op) {
  NrIView *view = nr_get(in, nr_op_source(op)).view;
  view->refs++;
  return give(in, nr_op_result(op), view);
}
