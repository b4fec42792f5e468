/* ops_tensor.c - tensor ops: an op that changes a tensor copies it, unless this is the tensor's last use. */
#include "dialect/linalg/linalg.h"
#include "dialect/memref/ops.h"
#include "dialect/operands.h"
#include "dialect/tensor/tensor.h"
#include "interp/ops.h"

/* view: NULL after a failure. */
static bool give(NrInterp *in, NrOp *op, NrIView *view) {
  if (!view) return false;
  nr_set(in, nr_op_result(op), (NrIValue){.view = view});
  return true;
}

/* The result's dims; the operands `given` are the dynamic ones. */
static void result_dims(NrInterp *in, NrOp *op, NrGroup given, int64_t *out) {
  NrType t = nr_op_result(op)->type;
  size_t next = given.begin;
  for (uint32_t i = 0; i < t->rank; i++)
    out[i] = t->dims[i] == NR_DYNAMIC ? nr_get_index(in, nr_operand(op, next++)) : t->dims[i];
}

static bool get_indices(NrInterp *in, NrOp *op, const NrIView *view, int64_t *out) {
  NrGroup given = nr_op_indices(op);
  for (size_t i = 0; i < view->rank; i++) {
    out[i] = nr_get_index(in, nr_operand(op, given.begin + i));
    if (out[i] < 0 || out[i] >= view->dims[i])
      return nr_interp_fail(in, op, "index %lld of dim %zu is out of bounds: the dim is %lld", (long long)out[i], i,
                            (long long)view->dims[i]);
  }
  return true;
}

bool nr_run_tensor_empty(NrInterp *in, NrOp *op) {
  int64_t dims[NR_MAX_RANK];
  result_dims(in, op, nr_tensor_empty_sizes(op), dims);
  NrType t = nr_op_result(op)->type;
  NrIView *view = nr_iview_open(in, t->elem, dims, t->rank);
  return view && give(in, op, view);
}

bool nr_run_tensor_splat(NrInterp *in, NrOp *op) {
  int64_t dims[NR_MAX_RANK];
  result_dims(in, op, nr_tensor_splat_sizes(op), dims);
  NrType t = nr_op_result(op)->type;
  NrIView *view = nr_iview_new(in, t->elem, dims, t->rank);
  if (!view) return false;
  nr_iview_fill(in, view, nr_get(in, nr_tensor_splat_input(op)));
  return give(in, op, view);
}

bool nr_run_tensor_from_elements(NrInterp *in, NrOp *op) {
  NrType t = nr_op_result(op)->type;
  NrIView *view = nr_iview_new(in, t->elem, t->dims, t->rank);
  if (!view) return false;
  for (uint32_t i = 0; i < op->num_operands; i++)
    nr_ivalue_store(t->elem, view->buffer->data + i * view->elem_size, nr_get(in, nr_operand(op, i)));
  return give(in, op, view);
}

/* Fills view by running the region for each index. */
static bool generate(NrInterp *in, NrRegion *region, NrIView *view) {
  int64_t indices[NR_MAX_RANK] = {0};
  if (!nr_iview_count(view)) return true;
  do {
    NrIValue args[NR_MAX_RANK], element = {0};
    for (size_t i = 0; i < view->rank; i++) args[i] = (NrIValue){.bits = (uint64_t)indices[i]};
    if (!nr_run_region(in, region, args, view->rank, &element, 1)) return false;
    nr_ivalue_store(view->elem, nr_iview_at(view, indices), element);
    nr_iview_release(element.view);
  } while (nr_interp_next(in, view->dims, view->rank, indices));
  return true;
}

bool nr_run_tensor_generate(NrInterp *in, NrOp *op) {
  int64_t dims[NR_MAX_RANK];
  result_dims(in, op, nr_tensor_generate_sizes(op), dims);
  NrType t = nr_op_result(op)->type;
  NrIView *view = nr_iview_new(in, t->elem, dims, t->rank);
  if (!view) return false;
  if (!generate(in, nr_tensor_generate_region(op), view)) return nr_iview_release(view), false;
  return give(in, op, view);
}

bool nr_run_tensor_extract(NrInterp *in, NrOp *op) {
  NrIView *view = nr_get(in, nr_tensor_extract_tensor(op)).view;
  int64_t indices[NR_MAX_RANK];
  if (!get_indices(in, op, view, indices)) return false;
  NrIValue v;
  if (!nr_ivalue_load_any(in, view->elem, nr_iview_at(view, indices), &v)) return false;
  nr_set(in, nr_op_result(op), v);
  return true;
}

bool nr_run_tensor_insert(NrInterp *in, NrOp *op) {
  int64_t indices[NR_MAX_RANK];
  if (!get_indices(in, op, nr_get(in, nr_tensor_insert_dest(op)).view, indices)) return false;
  NrIView *view = nr_take_view(in, op, NR_TENSOR_INSERT_DEST);
  if (!view) return give(in, op, NULL);
  nr_ivalue_store(view->elem, nr_iview_at(view, indices), nr_get(in, nr_tensor_insert_scalar(op)));
  return give(in, op, view);
}

bool nr_run_dim(NrInterp *in, NrOp *op) {
  NrIView *view = nr_get(in, nr_op_source(op)).view;
  int64_t i = nr_get_index(in, nr_op_index(op));
  if (i < 0 || i >= (int64_t)view->rank)
    return nr_interp_fail(in, op, "dim %lld of a value of rank %zu", (long long)i, view->rank);
  nr_set(in, nr_op_result(op), (NrIValue){.bits = (uint64_t)view->dims[i]});
  return true;
}

bool nr_run_rank(NrInterp *in, NrOp *op) {
  nr_set(in, nr_op_result(op), (NrIValue){.bits = nr_get(in, nr_op_source(op)).view->rank});
  return true;
}

/* Whether the view has the static strides and offset of the type. Along a dim of one element the stride has no effect:
 * the verifiers take any, and which of two such dims a subview leaves out is open. */
static bool has_layout(const NrIView *view, NrType t) {
  int64_t strides[NR_MAX_RANK], offset;
  if (!nr_memref_strides(t, strides, &offset)) return true;
  bool fits = offset == NR_DYNAMIC || offset == view->offset - view->origin;
  for (uint32_t i = 0; i < t->rank && fits; i++)
    fits = strides[i] == NR_DYNAMIC || strides[i] == view->strides[i] || view->dims[i] <= 1;
  return fits;
}

bool nr_run_cast(NrInterp *in, NrOp *op) {
  NrIView *view = nr_get(in, nr_op_source(op)).view;
  NrType t = nr_op_result(op)->type;
  if (nr_type_is_ranked(t)) {
    if (t->rank != view->rank)
      return nr_interp_fail(in, op, "the value has rank %zu, where %u is expected", view->rank, t->rank);
    for (uint32_t i = 0; i < t->rank; i++)
      if (t->dims[i] != NR_DYNAMIC && t->dims[i] != view->dims[i])
        return nr_interp_fail(in, op, "dim %u is %lld, where %lld is expected", i, (long long)view->dims[i],
                              (long long)t->dims[i]);
    if (nr_type_is_memref(t) && !has_layout(view, t))
      return nr_interp_fail(in, op, "the value does not have the strides and offset that are expected");
  }
  view->refs++;
  return give(in, op, view);
}

/* A slice of view as another view of the same buffer; checks the bounds. */
static NrIView *slice(NrInterp *in, NrOp *op, NrIView *view) {
  const NrIndexListSlot *slots = nr_slice_slots(op);
  NrIView *part = nr_iview_alias(view);
  for (size_t i = 0; i < view->rank; i++) {
    int64_t v[3];
    for (size_t k = 0; k < 3; k++) {
      NrIndex entry = nr_index_list_get(op, slots[k], i);
      v[k] = entry.value ? nr_get_index(in, entry.value) : entry.constant;
    }
    int64_t last;
    bool fits = v[1] >= 0 && v[0] >= 0 && nr_mul_i64(v[1] - 1, v[2], &last) && nr_add_i64(v[0], last, &last);
    if (!fits || (v[1] > 0 && (v[0] >= view->dims[i] || last < 0 || last >= view->dims[i]))) {
      nr_interp_fail(in, op, "the slice [%lld, +%lld, step %lld] leaves dim %zu of %lld", (long long)v[0],
                     (long long)v[1], (long long)v[2], i, (long long)view->dims[i]);
      nr_iview_release(part);
      return NULL;
    }
    /* An empty slice too has the offset that its type says, though it may lie outside of the buffer. */
    part->offset = (int64_t)((uint64_t)part->offset + (uint64_t)v[0] * (uint64_t)view->strides[i]);
    part->dims[i] = v[1];
    part->strides[i] =
        (int64_t)((uint64_t)v[2] * (uint64_t)view->strides[i]); /* the stride of a single element does not matter */
  }
  return part;
}

/* Drops the unit dims that a slice of that type does not have, by the op's static sizes and not by those of this
 * run. */
static void drop_units(NrOp *op, NrIView *view, NrType type) {
  bool keep[NR_MAX_RANK];
  size_t k = 0;
  if (!nr_slice_keeps(op, type, keep)) return;
  for (size_t i = 0; i < view->rank; i++) {
    if (!keep[i]) continue;
    view->dims[k] = view->dims[i];
    view->strides[k++] = view->strides[i];
  }
  view->rank = k;
}

bool nr_run_extract_slice(NrInterp *in, NrOp *op) {
  NrIView *part = slice(in, op, nr_get(in, nr_op_source(op)).view);
  if (!part) return false;
  drop_units(op, part, nr_op_result(op)->type);
  NrIView *copy = nr_iview_dense_copy(in, part);
  nr_iview_release(part);
  return give(in, op, copy);
}

bool nr_run_subview(NrInterp *in, NrOp *op) {
  NrIView *part = slice(in, op, nr_get(in, nr_memref_subview_source(op)).view);
  if (!part) return false;
  drop_units(op, part, nr_op_result(op)->type);
  return give(in, op, part);
}

bool nr_insert_part(NrInterp *in, NrOp *op, NrValue *value, NrIView *into) {
  NrIView *source = nr_get(in, value).view, *part = slice(in, op, into);
  if (!part) return false;
  drop_units(op, part, value->type);
  bool fits = part->rank == source->rank;
  for (size_t i = 0; i < part->rank && fits; i++) fits = part->dims[i] == source->dims[i];
  int64_t indices[NR_MAX_RANK] = {0};
  if (fits && nr_iview_count(part)) do
      memcpy(nr_iview_at(part, indices), nr_iview_at(source, indices), part->elem_size);
    while (nr_interp_next(in, part->dims, part->rank, indices));
  nr_iview_release(part);
  return fits || nr_interp_fail(in, op, "the source does not have the shape of the slice");
}

bool nr_run_insert_slice(NrInterp *in, NrOp *op) {
  NrIView *into = nr_take_view(in, op, NR_TENSOR_INSERT_SLICE_DEST);
  if (!into) return give(in, op, NULL);
  if (!nr_insert_part(in, op, nr_tensor_insert_slice_source(op), into)) return nr_iview_release(into), false;
  return give(in, op, into);
}

bool nr_run_tensor_pad(NrInterp *in, NrOp *op) {
  NrIndexListSlot low = nr_pad_slots[0], high = nr_pad_slots[1];
  NrIView *source = nr_get(in, nr_tensor_pad_source(op)).view;
  int64_t dims[NR_MAX_RANK], begin[NR_MAX_RANK], indices[NR_MAX_RANK] = {0};
  for (size_t i = 0; i < source->rank; i++) {
    NrIndex l = nr_index_list_get(op, low, i), h = nr_index_list_get(op, high, i);
    begin[i] = l.value ? nr_get_index(in, l.value) : l.constant;
    int64_t end = h.value ? nr_get_index(in, h.value) : h.constant, wrong = begin[i] < 0 ? begin[i] : end;
    if (wrong < 0)
      return nr_interp_fail(in, op, "the padding of dim %zu is %lld; it must not be negative", i, (long long)wrong);
    if (!nr_add_i64(source->dims[i], begin[i], &dims[i]) || !nr_add_i64(dims[i], end, &dims[i])) dims[i] = INT64_MAX;
  }
  NrIView *view = nr_iview_new(in, source->elem, dims, source->rank);
  if (!view) return false;
  if (!generate(in, nr_tensor_pad_region(op), view)) return nr_iview_release(view), false;
  if (nr_iview_count(source)) do {
      int64_t at[NR_MAX_RANK];
      for (size_t i = 0; i < source->rank; i++) at[i] = indices[i] + begin[i];
      if (nr_iview_inside(view, at)) memcpy(nr_iview_at(view, at), nr_iview_at(source, indices), view->elem_size);
    } while (nr_interp_next(in, source->dims, source->rank, indices));
  return give(in, op, view);
}

bool nr_run_tensor_concat(NrInterp *in, NrOp *op) {
  size_t axis = (size_t)nr_op_attr_int(op, NR_A_dim, 0);
  NrIView *first = nr_get(in, nr_operand(op, NR_TENSOR_CONCAT_INPUTS)).view;
  int64_t dims[NR_MAX_RANK], begin = 0;
  memcpy(dims, first->dims, sizeof dims);
  for (uint32_t k = 1; k < op->num_operands; k++)
    if (!nr_add_i64(dims[axis], nr_get(in, nr_operand(op, k)).view->dims[axis], &dims[axis])) dims[axis] = INT64_MAX;
  NrIView *view = nr_iview_new(in, first->elem, dims, first->rank);
  if (!view) return false;
  for (uint32_t k = 0; k < op->num_operands; k++) {
    NrIView *from = nr_get(in, nr_operand(op, k)).view;
    int64_t indices[NR_MAX_RANK] = {0};
    if (nr_iview_count(from)) do {
        int64_t at[NR_MAX_RANK];
        memcpy(at, indices, sizeof at);
        at[axis] += begin;
        if (!nr_iview_inside(view, at))
          return nr_iview_release(view), nr_interp_fail(in, op, "the parts have different dims");
        memcpy(nr_iview_at(view, at), nr_iview_at(from, indices), view->elem_size);
      } while (nr_interp_next(in, from->dims, from->rank, indices));
    if (!nr_add_i64(begin, from->dims[axis], &begin)) begin = INT64_MAX; /* all other parts are empty */
  }
  return give(in, op, view);
}

/* Rank and dims of the result of expand_shape, collapse_shape or reshape. */
static bool reshaped(NrInterp *in, NrOp *op, const NrIView *view, int64_t *dims, size_t *out_rank) {
  NrType t = nr_op_result(op)->type;
  size_t rank = t->rank;
  NrAttr groups = nr_op_attr(op, NR_A_reassociation);
  int64_t total = 1;
  if (nr_op_is(op, NR_OP_tensor_reshape) || nr_op_is(op, NR_OP_memref_reshape)) {
    NrIView *shape = nr_get(in, nr_op_shape(op)).view;
    if (!nr_type_is_ranked(t)) rank = (size_t)shape->dims[0];
    if (rank > NR_MAX_RANK) return nr_interp_fail(in, op, "gives a value of %zu dims", rank);
    for (int64_t i = 0; i < (int64_t)rank; i++) {
      dims[i] = nr_ivalue_int(shape->elem, nr_ivalue_load(shape->elem, nr_iview_at(shape, &i)));
      if (dims[i] < 0) return nr_interp_fail(in, op, "dim %lld of the shape is %lld", (long long)i, (long long)dims[i]);
    }
  } else if (nr_op_is(op, NR_OP_tensor_expand_shape) || nr_op_is(op, NR_OP_memref_expand_shape)) {
    for (size_t i = 0; i < t->rank; i++) {
      NrIndex d = nr_index_list_get(op, nr_output_shape_slot, i);
      dims[i] = d.value ? nr_get_index(in, d.value) : d.constant;
      if (dims[i] < 0) return nr_interp_fail_size(in, op, view->elem, dims, i + 1);
    }
  } else {
    for (size_t g = 0; g < t->rank; g++) {
      dims[g] = 1;
      for (size_t i = 0; i < groups->items[g]->size; i++)
        dims[g] = nr_mul_i64_saturated(dims[g], view->dims[groups->items[g]->items[i]->i]);
    }
  }
  int64_t count = 1; /* INT64_MAX is no valid number of elements */
  for (size_t i = 0; i < rank; i++) total = nr_mul_i64_saturated(total, dims[i]);
  for (size_t i = 0; i < view->rank; i++) count = nr_mul_i64_saturated(count, view->dims[i]);
  *out_rank = rank;
  bool fits = total == count && count != INT64_MAX;
  if (fits) return true;
  return nr_interp_fail(in, op, "the shapes have %lld and %lld elements", (long long)count, (long long)total);
}

static void set_shape(NrIView *view, const int64_t *dims, size_t rank) {
  int64_t stride = 1;
  view->rank = rank;
  for (size_t i = rank; i-- > 0;) {
    view->dims[i] = dims[i];
    view->strides[i] = stride;
    stride = (int64_t)((uint64_t)stride * (uint64_t)dims[i]); /* overflows only if another dim is 0 */
  }
}

bool nr_run_reshape(NrInterp *in, NrOp *op) {
  NrIView *view = nr_get(in, nr_op_source(op)).view;
  int64_t dims[NR_MAX_RANK];
  size_t rank;
  if (!reshaped(in, op, view, dims, &rank)) return false;
  NrIView *copy = nr_iview_dense_copy(in, view);
  if (!copy) return false;
  set_shape(copy, dims, rank);
  return give(in, op, copy);
}

/* Elements of equal width have the same memory layout. */
bool nr_run_tensor_bitcast(NrInterp *in, NrOp *op) {
  NrIView *view = nr_get(in, nr_tensor_bitcast_source(op)).view, *copy = nr_iview_dense_copy(in, view);
  if (!copy) return false;
  copy->elem = nr_op_result(op)->type->elem;
  return give(in, op, copy);
}

static int64_t wrapped(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

/* The strides of the view in another shape with as many elements; false when there are none. Groups dims from the
 * innermost outwards until the old and new ones have the same product. */
static bool reshaped_strides(const NrIView *view, const int64_t *dims, size_t rank, int64_t *strides) {
  size_t from = view->rank, to = rank;
  while (from > 0 || to > 0) {
    while (from > 0 && view->dims[from - 1] == 1) from--;
    int64_t stride = from ? view->strides[from - 1] : 1, old = from ? view->dims[--from] : 1, given = 1,
            spaced = wrapped(stride, old);
    if (to == 0) return old == 1;
    while (to > 0 && (given < old || dims[to - 1] == 1)) {
      strides[--to] = wrapped(stride, given);
      given *= dims[to];
      while (given > old && from > 0) { /* another old dim, which must be contiguous with the last */
        if (view->dims[--from] == 1) continue;
        if (view->strides[from] != spaced) return false;
        old *= view->dims[from];
        spaced = wrapped(spaced, view->dims[from]);
      }
    }
    if (given != old) return false;
  }
  return true;
}

bool nr_run_memref_reshape(NrInterp *in, NrOp *op) {
  NrIView *view = nr_get(in, nr_op_source(op)).view;
  size_t rank;
  int64_t dims[NR_MAX_RANK], strides[NR_MAX_RANK];
  if (!reshaped(in, op, view, dims, &rank)) return false;
  bool any = nr_iview_count(view) > 0;
  if (any && !reshaped_strides(view, dims, rank, strides))
    return nr_interp_fail(in, op, "collapses dims that are not contiguous");
  NrIView *alias = nr_iview_alias(view);
  set_shape(alias, dims, rank);
  if (any) memcpy(alias->strides, strides, rank * sizeof *strides);
  return give(in, op, alias);
}

/* ---- structured ops ---- */

/* Checks that memref operands are alive and that outputs are writable. */
static bool are_usable(NrInterp *in, NrOp *op, size_t num_inputs) {
  for (uint32_t k = 0; k < op->num_operands; k++) {
    if (!nr_type_is_memref(nr_operand(op, k)->type)) continue;
    NrIView *view = nr_get(in, nr_operand(op, k)).view;
    if (!nr_interp_alive(in, op, view) || (k >= num_inputs && !nr_interp_writable(in, op, view))) return false;
  }
  return true;
}

/* Views of a structured op's operands; tensor outputs are taken for writing and become the results. */
static bool operand_views(NrInterp *in, NrOp *op, size_t num_inputs, NrIView **views) {
  for (uint32_t k = 0; k < op->num_operands; k++) {
    NrIValue v = nr_get(in, nr_operand(op, k));
    bool output = k >= num_inputs && nr_type_is_tensor(nr_operand(op, k)->type);
    views[k] = output ? nr_iview_dense_copy(in, v.view) : v.view;
    if (!output || views[k]) continue;
    for (uint32_t i = (uint32_t)num_inputs; i < k; i++)
      if (nr_type_is_tensor(nr_operand(op, i)->type)) nr_iview_release(views[i]);
    return false;
  }
  return true;
}

static bool map_indices(NrInterp *in, NrOp *op, NrAttr map, const int64_t *ivs, const NrIView *view, int64_t *out) {
  for (uint32_t r = 0; r < map->num_exprs; r++)
    if (!nr_affine_eval(map->exprs[r], ivs, NULL, &out[r]) || out[r] < 0 || out[r] >= view->dims[r])
      return nr_interp_fail(in, op, "an indexing map leaves an operand's bounds");
  return true;
}

/* The ranges of the loops, from operands that are indexed by a single loop dim. */
static bool loop_ranges(NrInterp *in, NrOp *op, NrAttr maps, NrIView *const *views, size_t num_loops, int64_t *ranges) {
  for (size_t d = 0; d < num_loops; d++) {
    ranges[d] = -1;
    for (size_t k = 0; k < maps->size; k++)
      for (uint32_t r = 0; views[k] && r < maps->items[k]->num_exprs; r++) {
        NrAffineExpr e = maps->items[k]->exprs[r];
        if (e->kind != NR_AFFINE_DIM || (size_t)e->value != d) continue;
        if (ranges[d] >= 0 && ranges[d] != views[k]->dims[r])
          return nr_interp_fail(in, op, "operands disagree on the range of loop %zu: %lld and %lld", d,
                                (long long)ranges[d], (long long)views[k]->dims[r]);
        ranges[d] = views[k]->dims[r];
      }
    if (ranges[d] < 0) return nr_interp_fail(in, op, "no operand gives the range of loop %zu", d);
  }
  return true;
}

/* Loads the body's arguments at a point of the loops; none after failing. */
static bool load_elements(NrInterp *in, NrOp *op, NrAttr maps, NrIView *const *views, const int64_t *ivs,
                          NrIValue *out) {
  int64_t at[NR_MAX_RANK];
  for (uint32_t k = 0; k < op->num_operands; k++) {
    if (!views[k]) out[k] = nr_get(in, nr_operand(op, k));
    else if (!map_indices(in, op, maps->items[k], ivs, views[k], at) ||
             !nr_ivalue_load_any(in, views[k]->elem, nr_iview_at(views[k], at), &out[k])) {
      while (k-- > 0) nr_iview_release(out[k].view);
      return false;
    }
  }
  return true;
}

bool nr_run_generic(NrInterp *in, NrOp *op) {
  NrAttr maps = nr_linalg_maps(op);
  size_t num_inputs = nr_linalg_num_inputs(op), num_outputs, num_loops = maps->items[0]->num_dims;
  if (!are_usable(in, op, num_inputs)) return false;
  num_outputs = op->num_operands - num_inputs;
  NrIView **views = nr_calloc(op->num_operands, sizeof *views);
  NrIValue *args = nr_calloc(op->num_operands, sizeof *args), *results = nr_calloc(num_outputs, sizeof *results);
  int64_t ranges[NR_MAX_RANK], ivs[NR_MAX_RANK] = {0}, at[NR_MAX_RANK];
  if (!operand_views(in, op, num_inputs, views)) {
    nr_free(views);
    nr_free(args);
    nr_free(results);
    return false;
  }
  bool ok = loop_ranges(in, op, maps, views, num_loops, ranges), any = ok;
  for (size_t d = 0; d < num_loops && ok; d++) any &= ranges[d] > 0;
  NrRegion *region = nr_op_only_region(op);
  const int64_t *outer = nr_map_get(&in->loop_indices, region);
  nr_map_set(&in->loop_indices, region, ivs);
  if (any) do {
      ok = load_elements(in, op, maps, views, ivs, args);
      ok = ok && nr_run_region(in, region, args, op->num_operands, results, num_outputs);
      for (size_t i = 0; i < num_outputs && ok; i++) {
        map_indices(in, op, maps->items[num_inputs + i], ivs, views[num_inputs + i], at);
        nr_ivalue_store(views[num_inputs + i]->elem, nr_iview_at(views[num_inputs + i], at), results[i]);
        nr_iview_release(results[i].view);
      }
    } while (ok && nr_interp_next(in, ranges, num_loops, ivs));
  nr_map_set(&in->loop_indices, region, (void *)outer);
  for (size_t i = 0; i < op->num_results; i++) {
    if (ok) nr_set(in, nr_result(op, i), (NrIValue){.view = views[num_inputs + i]});
    else nr_iview_release(views[num_inputs + i]);
  }
  nr_free(views);
  nr_free(args);
  nr_free(results);
  return ok;
}

bool nr_run_index(NrInterp *in, NrOp *op) {
  for (NrBlock *b = op->block; b; b = nr_block_parent_op(b) ? nr_block_parent_op(b)->block : NULL) {
    const int64_t *ivs = nr_map_get(&in->loop_indices, b->region);
    if (!ivs) continue;
    nr_set(in, nr_op_result(op), (NrIValue){.bits = (uint64_t)ivs[nr_op_attr_int(op, NR_A_dim, 0)]});
    return true;
  }
  return nr_interp_fail(in, op, "is not inside a structured op");
}

bool nr_run_fill(NrInterp *in, NrOp *op) {
  NrIView *views[2];
  if (!are_usable(in, op, 1)) return false;
  if (!operand_views(in, op, 1, views)) return false;
  nr_iview_fill(in, views[1], nr_get(in, nr_operand(op, NR_LINALG_FILL_INPUTS)));
  return op->num_results ? give(in, op, views[1]) : true;
}
