/* ops_vector.c - the vector ops that the pipeline makes: whole, masked, one dim. */
#include "interp/ops.h"

static NrIView *new_vector(NrOp *op) {
  NrType t = nr_result(op, 0)->type;
  return nr_iview_new(t->elem, t->dims, t->rank);
}

static bool give(NrInterp *in, NrOp *op, NrIView *view) {
  nr_set(in, nr_result(op, 0), (NrIValue){.view = view});
  return true;
}

bool nr_run_vector_broadcast(NrInterp *in, NrOp *op) {
  NrIView *view = new_vector(op);
  NrIValue source = nr_get(in, nr_operand(op, 0));
  int64_t at[NR_MAX_RANK] = {0};
  if (nr_iview_count(view)) do {
      NrIValue element = source;
      if (source.view) {
        int64_t from[NR_MAX_RANK];
        size_t missing = view->rank - source.view->rank;
        for (size_t i = 0; i < source.view->rank; i++) from[i] = source.view->dims[i] == 1 ? 0 : at[i + missing];
        element = nr_ivalue_load(in, view->elem, nr_iview_at(source.view, from));
      }
      nr_ivalue_store(view->elem, nr_iview_at(view, at), element);
    } while (nr_next_index(view->dims, view->rank, at));
  return give(in, op, view);
}

/* Place of lane i of an access to the memref at operand `memref`; checks the bounds and that it may be touched. */
static unsigned char *lane(NrInterp *in, NrOp *op, size_t memref, int64_t i) {
  NrIView *view = nr_get(in, nr_operand(op, memref)).view;
  int64_t indices[NR_MAX_RANK];
  for (size_t d = 0; d < view->rank; d++) indices[d] = nr_get_index(in, nr_operand(op, memref + 1 + d));
  if (view->rank) indices[view->rank - 1] += i;
  if (view->buffer->freed) return nr_interp_fail(in, op, "uses memory that was freed"), NULL;
  if (!nr_iview_inside(view, indices)) return nr_interp_fail(in, op, "lane %lld is out of bounds", (long long)i), NULL;
  return nr_iview_at(view, indices);
}

static bool is_on(NrInterp *in, NrIView *mask, int64_t i) {
  return !mask || nr_ivalue_load(in, mask->elem, nr_iview_at(mask, &i)).bits;
}

/* load, or with mask and pass-through behind the indices maskedload */
bool nr_run_vector_load(NrInterp *in, NrOp *op) {
  bool masked = nr_op_is(op, NR_OP_vector_maskedload);
  NrIView *view = new_vector(op), *mask = masked ? nr_get(in, nr_operand(op, op->num_operands - 2)).view : NULL;
  NrIView *pass = masked ? nr_get(in, nr_operand(op, op->num_operands - 1)).view : NULL;
  for (int64_t i = 0; i < view->dims[0]; i++) {
    unsigned char *from = is_on(in, mask, i) ? lane(in, op, 0, i) : nr_iview_at(pass, &i);
    if (!from) return nr_iview_release(view), false;
    memcpy(nr_iview_at(view, &i), from, view->elem_size);
  }
  return give(in, op, view);
}

bool nr_run_vector_store(NrInterp *in, NrOp *op) {
  bool masked = nr_op_is(op, NR_OP_vector_maskedstore);
  NrIView *value = nr_get(in, nr_operand(op, masked ? op->num_operands - 1 : 0)).view;
  NrIView *mask = masked ? nr_get(in, nr_operand(op, op->num_operands - 2)).view : NULL;
  for (int64_t i = 0; i < value->dims[0]; i++) {
    if (!is_on(in, mask, i)) continue;
    unsigned char *to = lane(in, op, masked ? 0 : 1, i);
    if (!to) return false;
    memcpy(to, nr_iview_at(value, &i), value->elem_size);
  }
  return true;
}

bool nr_run_vector_create_mask(NrInterp *in, NrOp *op) {
  NrIView *view = new_vector(op);
  int64_t at[NR_MAX_RANK] = {0};
  do {
    bool on = true;
    for (size_t i = 0; i < view->rank; i++) on &= at[i] < nr_get_index(in, nr_operand(op, i));
    nr_ivalue_store(view->elem, nr_iview_at(view, at), (NrIValue){.bits = on});
  } while (nr_next_index(view->dims, view->rank, at));
  return give(in, op, view);
}

bool nr_run_vector_extract_strided_slice(NrInterp *in, NrOp *op) {
  NrIView *view = nr_iview_alias(nr_get(in, nr_operand(op, 0)).view);
  NrAttr offsets = nr_op_attr(op, "offsets"), sizes = nr_op_attr(op, "sizes");
  for (size_t i = 0; i < offsets->size; i++) {
    view->offset += offsets->items[i]->i * view->strides[i];
    view->dims[i] = sizes->items[i]->i;
  }
  NrIView *copy = nr_iview_dense_copy(view);
  nr_iview_release(view);
  return give(in, op, copy);
}

bool nr_run_vector_extract(NrInterp *in, NrOp *op) {
  NrIView *view = nr_iview_alias(nr_get(in, nr_operand(op, 0)).view);
  NrAttr position = nr_op_attr(op, "static_position");
  const int64_t *statics = position->data;
  size_t count = position->data_size / sizeof *statics, next = 1;
  for (size_t i = 0; i < count; i++) {
    int64_t at = statics[i] == NR_DYNAMIC ? nr_get_index(in, nr_operand(op, next++)) : statics[i];
    if (at < 0 || at >= view->dims[i]) return nr_iview_release(view), nr_interp_fail(in, op, "position %lld is out of bounds", (long long)at);
    view->offset += at * view->strides[i];
  }
  memmove(view->dims, view->dims + count, (view->rank - count) * sizeof *view->dims);
  memmove(view->strides, view->strides + count, (view->rank - count) * sizeof *view->strides);
  view->rank -= count;
  if (nr_type_is_shaped(nr_result(op, 0)->type)) {
    NrIView *copy = nr_iview_dense_copy(view);
    nr_iview_release(view);
    return give(in, op, copy);
  }
  NrIValue element = nr_ivalue_load(in, view->elem, nr_iview_at(view, NULL));
  nr_iview_release(view);
  nr_set(in, nr_result(op, 0), element);
  return true;
}
