/* ops_flow_tensor.c - flow.tensor.* ops. Each checks that the dims that it declares for its operands are theirs,
 * because passes rely on them; for machine code, src/pass/guard/check_flow.c inserts the same checks. */
#include "dialect/flow/flow.h"
#include "dialect/operands.h"
#include "interp/ops.h"

static bool give(NrInterp *in, NrOp *op, NrIView *view) {
  nr_set(in, nr_op_result(op), (NrIValue){.view = view});
  return true;
}

typedef struct Claims {
  NrInterp *in;
  NrOp *op;
} Claims;

static bool check_claim(void *user, const NrFlowClaim *claim) {
  Claims *c = user;
  int64_t have = nr_get(c->in, nr_operand(c->op, claim->operand)).view->dims[claim->dim];
  int64_t want = nr_get_index(c->in, claim->size);
  return have == want || nr_interp_fail(c->in, c->op, NR_FLOW_CLAIM_TEXT("%lld", "%lld"), claim->dim, claim->operand,
                                        (long long)have, (long long)want);
}

bool nr_interp_flow_dims(NrInterp *in, NrOp *op) { return nr_flow_each_claim(op, check_claim, &(Claims){in, op}); }

/* The dims of the result; the operands `given` are the dynamic ones. */
static bool result_dims(NrInterp *in, NrOp *op, NrGroup given, int64_t *out) {
  NrType t = nr_op_result(op)->type;
  size_t next = given.begin;
  for (uint32_t i = 0; i < t->rank; i++) {
    out[i] = t->dims[i] == NR_DYNAMIC ? nr_get_index(in, nr_operand(op, next++)) : t->dims[i];
    if (out[i] < 0) return nr_interp_fail_size(in, op, t->elem, out, i + 1);
  }
  return true;
}

static void get_indices(NrInterp *in, NrOp *op, NrGroup given, int64_t *out) {
  for (size_t i = 0; i < given.count; i++) out[i] = nr_get_index(in, nr_operand(op, given.begin + i));
}

/* ---- new tensors ------------------------------------------------------------------------------------------------- */

static NrIView *new_result(NrInterp *in, NrOp *op, NrGroup given) {
  NrType t = nr_op_result(op)->type;
  int64_t dims[NR_MAX_RANK];
  if (!result_dims(in, op, given, dims)) return NULL;
  return nr_iview_open(in, t->elem, dims, t->rank);
}

bool nr_run_flow_empty(NrInterp *in, NrOp *op) {
  NrIView *view = new_result(in, op, nr_op_result_dims(op));
  return view && give(in, op, view);
}

bool nr_run_flow_splat(NrInterp *in, NrOp *op) {
  NrIView *view = new_result(in, op, nr_flow_tensor_splat_result_dims(op));
  if (!view) return false;
  nr_iview_fill(in, view, nr_get(in, nr_flow_tensor_splat_value(op)));
  return give(in, op, view);
}

NrIView *nr_interp_parameter(NrInterp *in, NrOp *op, NrAttr parameter) {
  uintptr_t index = (uintptr_t)nr_map_get(&in->parameters, parameter);
  NrType t = parameter->type;
  if (in->exec && index) return nr_iview_borrow(t->elem, t->dims, t->rank, in->exec->constants[index]);
  nr_interp_fail(in, op, "is a parameter, which is known in a run only");
  return NULL;
}

bool nr_run_flow_constant(NrInterp *in, NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  if (nr_attr_is_parameter(value)) {
    NrIView *parameter = nr_interp_parameter(in, op, value);
    return parameter && give(in, op, parameter);
  }
  if (!nr_attr_is_elements(value)) return nr_interp_fail(in, op, "has a constant that is not in the program");
  NrType t = value->type;
  NrIView *view = nr_ivalue_of_attr(in, value).view;
  return view ? give(in, op, view) : nr_interp_fail_size(in, op, t->elem, t->dims, t->rank);
}

/* clone, tie_shape, transfer: no copy is needed, because ops that change a tensor copy it. */
bool nr_run_flow_tensor_same(NrInterp *in, NrOp *op) {
  return nr_interp_flow_dims(in, op) && nr_run_flow_same(in, op);
}

/* ---- elements and parts ------------------------------------------------------------------------------------------ */

bool nr_run_flow_tensor_load(NrInterp *in, NrOp *op) {
  NrIView *view = nr_get(in, nr_flow_tensor_load_source(op)).view;
  int64_t at[NR_MAX_RANK];
  if (!nr_interp_flow_dims(in, op)) return false;
  get_indices(in, op, nr_flow_tensor_load_indices(op), at);
  if (!nr_interp_in_bounds(in, op, view, at)) return false;
  NrIValue v;
  if (!nr_ivalue_load_any(in, view->elem, nr_iview_at(view, at), &v)) return false;
  nr_set(in, nr_op_result(op), v);
  return true;
}

bool nr_run_flow_tensor_store(NrInterp *in, NrOp *op) {
  int64_t at[NR_MAX_RANK];
  if (!nr_interp_flow_dims(in, op)) return false;
  get_indices(in, op, nr_flow_tensor_store_indices(op), at);
  if (!nr_interp_in_bounds(in, op, nr_get(in, nr_flow_tensor_store_target(op)).view, at)) return false;
  NrIView *view = nr_take_view(in, op, NR_FLOW_TENSOR_STORE_TARGET);
  if (!view) return false;
  nr_ivalue_store(view->elem, nr_iview_at(view, at), nr_get(in, nr_flow_tensor_store_value(op)));
  return give(in, op, view);
}

/* The slice of `lengths` from `starts` on, as a view of the same buffer. */
static NrIView *box(NrInterp *in, NrOp *op, NrIView *of, const int64_t *starts, const int64_t *lengths) {
  for (size_t i = 0; i < of->rank; i++) {
    int64_t size = of->dims[i];
    if (starts[i] >= 0 && starts[i] <= size && lengths[i] >= 0 && lengths[i] <= size - starts[i]) continue;
    nr_interp_fail(in, op, NR_FLOW_BOX_TEXT("%lld", "%lld", "%lld"), (long long)starts[i], (long long)lengths[i],
                   (unsigned)i, (long long)size);
    return NULL;
  }
  NrIView *part = nr_iview_alias(of);
  for (size_t i = 0; i < of->rank; i++) {
    part->offset += starts[i] * of->strides[i];
    part->dims[i] = lengths[i];
  }
  return part;
}

bool nr_run_flow_slice(NrInterp *in, NrOp *op) {
  NrIView *source = nr_get(in, nr_flow_tensor_slice_source(op)).view;
  int64_t starts[NR_MAX_RANK], lengths[NR_MAX_RANK], dims[NR_MAX_RANK];
  if (!nr_interp_flow_dims(in, op) || !result_dims(in, op, nr_flow_tensor_slice_result_dims(op), dims)) return false;
  get_indices(in, op, nr_flow_tensor_slice_start_indices(op), starts);
  get_indices(in, op, nr_flow_tensor_slice_lengths(op), lengths);
  for (size_t i = 0; i < source->rank; i++)
    if (lengths[i] != dims[i])
      return nr_interp_fail(in, op, NR_FLOW_LENGTH_TEXT("%lld", "%lld"), (unsigned)i, (long long)lengths[i],
                            (long long)dims[i]);
  NrIView *part = box(in, op, source, starts, lengths);
  if (!part) return false;
  NrIView *copy = nr_iview_dense_copy(in, part);
  nr_iview_release(part);
  return copy && give(in, op, copy);
}

bool nr_run_flow_update(NrInterp *in, NrOp *op) {
  int64_t starts[NR_MAX_RANK], at[NR_MAX_RANK] = {0};
  if (!nr_interp_flow_dims(in, op)) return false;
  get_indices(in, op, nr_flow_tensor_update_start_indices(op), starts);
  NrIView *update = nr_get(in, nr_flow_tensor_update_update(op)).view;
  NrIView *inside = box(in, op, nr_get(in, nr_flow_tensor_update_target(op)).view, starts, update->dims);
  if (!inside) return false;
  nr_iview_release(inside);
  update->refs++; /* update and target may be one tensor */
  NrIView *target = nr_take_view(in, op, NR_FLOW_TENSOR_UPDATE_TARGET);
  NrIView *part = target ? box(in, op, target, starts, update->dims) : NULL;
  if (part && nr_iview_count(update)) do
      memcpy(nr_iview_at(part, at), nr_iview_at(update, at), part->elem_size);
    while (nr_interp_next(in, update->dims, update->rank, at));
  nr_iview_release(part);
  nr_iview_release(update);
  return target && give(in, op, target);
}

/* ---- other types ------------------------------------------------------------------------------------------------- */

/* Reinterprets the bytes of source as the result's type. Elements of equal width are converted one by one, because
 * integers narrower than their bytes are stored sign-extended and floats are not. */
static NrIView *retyped(NrInterp *in, NrOp *op, NrIView *source, const int64_t *dims) {
  NrType t = nr_op_result(op)->type;
  NrIView *dense = nr_iview_dense_copy(in, source), *view = nr_iview_new(in, t->elem, dims, t->rank);
  bool ok = dense && view;
  if (!ok) nr_iview_release(view);
  else if (dense->elem == t->elem || !nr_flow_same_width(dense->elem, t->elem) || nr_type_bits(t->elem) > 64 ||
           t->elem->kind == NR_TYPE_COMPLEX || dense->elem->kind == NR_TYPE_COMPLEX)
    memcpy(view->buffer->data, dense->buffer->data, view->buffer->size);
  else
    for (size_t i = 0; i < view->buffer->size; i += view->elem_size)
      nr_ivalue_store(t->elem, view->buffer->data + i, nr_ivalue_load(dense->elem, dense->buffer->data + i));
  nr_iview_release(dense);
  return ok ? view : NULL;
}

static NrGroup retyped_dims(const NrOp *op) {
  return nr_op_is(op, NR_OP_flow_tensor_bitcast) ? nr_flow_tensor_bitcast_result_dims(op)
                                                 : nr_flow_tensor_reshape_result_dims(op);
}

/* reshape and bitcast. */
bool nr_run_flow_reshape(NrInterp *in, NrOp *op) {
  NrIView *source = nr_get(in, nr_op_source(op)).view;
  NrType t = nr_op_result(op)->type;
  int64_t dims[NR_MAX_RANK];
  if (!nr_flow_can_bitcast(source->elem, t->elem)) return nr_interp_fail(in, op, NR_FLOW_BITCAST_TEXT);
  if (!nr_interp_flow_dims(in, op) || !result_dims(in, op, retyped_dims(op), dims)) return false;
  bool same_width = nr_flow_same_width(source->elem, t->elem);
  int64_t have = (int64_t)(same_width ? 1 : nr_type_byte_size(source->elem));
  int64_t want = (int64_t)(same_width ? 1 : nr_type_byte_size(t->elem));
  for (size_t i = 0; i < source->rank; i++) have = nr_mul_i64_saturated(have, source->dims[i]);
  for (uint32_t i = 0; i < t->rank; i++) want = nr_mul_i64_saturated(want, dims[i]);
  if (have != want && same_width)
    return nr_interp_fail(in, op, NR_FLOW_COUNT_TEXT("%lld", "%lld"), (long long)have, (long long)want);
  if (have != want)
    return nr_interp_fail(in, op, NR_FLOW_BYTES_TEXT("%lld", "%lld"), (long long)have, (long long)want);
  NrIView *view = retyped(in, op, source, dims);
  return view && give(in, op, view);
}
