/* ops_vector.c - vector ops on values: building, extracting, reductions. Elementwise ops are in scalar.c. */
#include "dialect/rt/rt.h"
#include "dialect/vector/vector.h"
#include "interp/ops.h"

/* A vector of the result's type, zeroed; NULL after failing. */
static NrIView *new_result(NrInterp *in, NrOp *op) {
  NrType t = nr_op_result(op)->type;
  return nr_iview_new(in, t->elem, t->dims, t->rank);
}

static bool give(NrInterp *in, NrOp *op, NrIView *view) {
  nr_set(in, nr_op_result(op), (NrIValue){.view = view});
  return true;
}

static NrIView *view_of(NrInterp *in, NrValue *value) { return nr_get(in, value).view; }

static void copy_element(NrIView *to, const int64_t *at, const NrIView *from, const int64_t *index) {
  memcpy(nr_iview_at(to, at), nr_iview_at(from, index), to->elem_size);
}

/* Element k of a vector in row-major order. */
static unsigned char *nth(const NrIView *view, int64_t k) {
  int64_t index[NR_MAX_RANK];
  for (size_t i = view->rank; i-- > 0; k /= view->dims[i]) index[i] = k % view->dims[i];
  return nr_iview_at(view, index);
}

static int64_t int_item(const NrOp *op, const char *attr, size_t i) { return nr_op_attr_named(op, attr)->items[i]->i; }
static const int64_t *int_list(const NrOp *op, const char *attr) { return nr_op_attr_named(op, attr)->data; }

/* ---- whole vectors ---------------------------------------------------------------------------------------------- */

bool nr_run_broadcast(NrInterp *in, NrOp *op) {
  NrIView *to = new_result(in, op), *from = view_of(in, nr_vector_broadcast_source(op));
  if (!to) return false;
  int64_t at[NR_MAX_RANK] = {0}, index[NR_MAX_RANK] = {0};
  do {
    for (size_t i = 0; from && i < from->rank; i++)
      index[i] = from->dims[i] == 1 ? 0 : at[i + to->rank - from->rank];
    if (from) copy_element(to, at, from, index);
    else nr_ivalue_store(to->elem, nr_iview_at(to, at), nr_get(in, nr_vector_broadcast_source(op)));
  } while (nr_interp_next(in, to->dims, to->rank, at));
  return give(in, op, to);
}

bool nr_run_vector_from_elements(NrInterp *in, NrOp *op) {
  NrIView *to = new_result(in, op);
  if (!to) return false;
  for (uint32_t i = 0; i < op->num_operands; i++)
    nr_ivalue_store(to->elem, nth(to, i), nr_get(in, nr_operand(op, i)));
  return give(in, op, to);
}

bool nr_run_vector_to_elements(NrInterp *in, NrOp *op) {
  NrIView *from = view_of(in, nr_vector_to_elements_source(op));
  for (uint32_t i = 0; i < op->num_results; i++)
    nr_set(in, nr_result(op, i), nr_ivalue_load(from->elem, nth(from, i)));
  return true;
}

bool nr_run_vector_step(NrInterp *in, NrOp *op) {
  NrIView *to = new_result(in, op);
  if (!to) return false;
  for (int64_t i = 0; i < to->dims[0]; i++) nr_ivalue_store(to->elem, nth(to, i), (NrIValue){.bits = (uint64_t)i});
  return give(in, op, to);
}

bool nr_run_shape_cast(NrInterp *in, NrOp *op) {
  NrIView *to = new_result(in, op), *from = view_of(in, nr_vector_shape_cast_source(op));
  if (!to) return false;
  for (int64_t i = 0, n = nr_iview_count(to); i < n; i++) memcpy(nth(to, i), nth(from, i), to->elem_size);
  return give(in, op, to);
}

/* Copies the bits of the last dim, lowest first, because elements may be narrower than a byte. */
bool nr_run_vector_bitcast(NrInterp *in, NrOp *op) {
  NrIView *to = new_result(in, op), *from = view_of(in, nr_vector_bitcast_source(op));
  if (!to) return false;
  uint32_t to_bits = nr_type_bits(to->elem), from_bits = nr_type_bits(from->elem);
  if (to_bits > 64 || from_bits > 64)
    return nr_iview_release(to), nr_interp_fail(in, op, "has elements of more than 64 bits");
  for (int64_t i = 0, n = nr_iview_count(to); i < n; i++) {
    uint64_t bits = 0;
    for (uint32_t k = 0; k < to_bits; k++) {
      uint64_t at = (uint64_t)i * to_bits + k;
      uint64_t part = nr_ivalue_load(from->elem, nth(from, (int64_t)(at / from_bits))).bits;
      bits |= (part >> at % from_bits & 1) << k;
    }
    nr_ivalue_store(to->elem, nth(to, i), (NrIValue){.bits = bits});
  }
  return give(in, op, to);
}

bool nr_run_rt_dot(NrInterp *in, NrOp *op) {
  NrIView *to = new_result(in, op), *acc = view_of(in, nr_rt_dot_acc(op)), *a = view_of(in, nr_rt_dot_a(op)),
          *b = view_of(in, nr_rt_dot_b(op));
  if (!to) return false;
  for (int64_t i = 0; i < to->dims[0]; i++) {
    uint32_t sum = (uint32_t)nr_ivalue_load(acc->elem, nth(acc, i)).bits;
    for (int64_t k = 4 * i; k < 4 * i + 4; k++) {
      uint8_t x = (uint8_t)nr_ivalue_load(a->elem, nth(a, k)).bits;
      int8_t y = (int8_t)nr_ivalue_load(b->elem, nth(b, k)).bits;
      sum += (uint32_t)(x * y);
    }
    nr_ivalue_store(to->elem, nth(to, i), (NrIValue){.bits = sum});
  }
  return give(in, op, to);
}

bool nr_run_vector_transpose(NrInterp *in, NrOp *op) {
  NrIView *to = new_result(in, op), *from = view_of(in, nr_vector_transpose_vector(op));
  if (!to) return false;
  const int64_t *permutation = int_list(op, "permutation");
  int64_t at[NR_MAX_RANK] = {0}, index[NR_MAX_RANK] = {0};
  do {
    for (size_t i = 0; i < to->rank; i++) index[permutation[i]] = at[i];
    copy_element(to, at, from, index);
  } while (nr_interp_next(in, to->dims, to->rank, at));
  return give(in, op, to);
}

bool nr_run_shuffle(NrInterp *in, NrOp *op) {
  NrIView *to = new_result(in, op), *a = view_of(in, nr_vector_shuffle_v1(op)),
          *b = view_of(in, nr_vector_shuffle_v2(op));
  if (!to) return false;
  const int64_t *mask = int_list(op, "mask");
  int64_t at[NR_MAX_RANK] = {0}, split = a->rank ? a->dims[0] : 1;
  do {
    int64_t row = mask[at[0]], index[NR_MAX_RANK];
    if (row < 0) continue;
    const NrIView *from = row < split ? a : b;
    memcpy(index, at, sizeof index);
    index[0] = row < split ? row : row - split;
    copy_element(to, at, from, index);
  } while (nr_interp_next(in, to->dims, to->rank, at));
  return give(in, op, to);
}

bool nr_run_interleave(NrInterp *in, NrOp *op) {
  NrIView *lhs = view_of(in, nr_vector_interleave_lhs(op)), *rhs = view_of(in, nr_vector_interleave_rhs(op));
  NrIView *to = new_result(in, op);
  if (!to) return false;
  int64_t at[NR_MAX_RANK] = {0};
  do {
    int64_t index[NR_MAX_RANK], last = (int64_t)to->rank - 1;
    memcpy(index, at, sizeof index);
    index[last] /= 2;
    copy_element(to, at, at[last] % 2 ? rhs : lhs, index);
  } while (nr_interp_next(in, to->dims, to->rank, at));
  return give(in, op, to);
}

bool nr_run_deinterleave(NrInterp *in, NrOp *op) {
  NrIView *from = view_of(in, nr_vector_deinterleave_source(op));
  for (int64_t part = 0; part < 2; part++) {
    NrValue *result = part ? nr_vector_deinterleave_odd(op) : nr_vector_deinterleave_even(op);
    NrIView *to = nr_iview_new(in, result->type->elem, result->type->dims, result->type->rank);
    if (!to) return false;
    int64_t at[NR_MAX_RANK] = {0};
    do {
      int64_t index[NR_MAX_RANK];
      memcpy(index, at, sizeof index);
      index[to->rank - 1] = 2 * at[to->rank - 1] + part;
      copy_element(to, at, from, index);
    } while (nr_interp_next(in, to->dims, to->rank, at));
    nr_set(in, result, (NrIValue){.view = to});
  }
  return true;
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

static bool position_of(NrInterp *in, NrOp *op, NrIndexListSlot slot, const NrIView *whole, int64_t *out,
                        size_t *out_count) {
  NrIndex list[NR_MAX_RANK];
  *out_count = nr_index_list_all(op, slot, list);
  for (size_t i = 0; i < *out_count; i++) {
    out[i] = list[i].value ? nr_get_index(in, list[i].value) : list[i].constant;
    if (out[i] < 0 || out[i] >= whole->dims[i])
      return nr_interp_fail(in, op, "position %lld of dim %zu is out of bounds: the dim is %lld", (long long)out[i], i,
                            (long long)whole->dims[i]);
  }
  return true;
}

/* Copies between part and the sub-vector of whole behind the leading position. */
static void copy_part(NrIView *to, const NrIView *from, const NrIView *part, const int64_t *position, size_t count) {
  int64_t inner[NR_MAX_RANK] = {0}, outer[NR_MAX_RANK];
  memcpy(outer, position, count * sizeof *position);
  do {
    memcpy(outer + count, inner, part->rank * sizeof *inner);
    if (to == part) copy_element(to, inner, from, outer);
    else copy_element(to, outer, from, inner);
  } while (nr_next_index(part->dims, part->rank, inner));
}

bool nr_run_vector_extract(NrInterp *in, NrOp *op) {
  NrIView *from = view_of(in, nr_vector_extract_source(op));
  int64_t position[NR_MAX_RANK];
  size_t count;
  if (!position_of(in, op, nr_vector_extract_slot, from, position, &count)) return false;
  if (nr_op_result(op)->type->kind != NR_TYPE_VECTOR) {
    nr_set(in, nr_op_result(op), nr_ivalue_load(from->elem, nr_iview_at(from, position)));
    return true;
  }
  NrIView *to = new_result(in, op);
  if (!to) return false;
  copy_part(to, from, to, position, count);
  return give(in, op, to);
}

bool nr_run_vector_insert(NrInterp *in, NrOp *op) {
  NrIView *part = view_of(in, nr_vector_insert_value(op)), *dest = view_of(in, nr_vector_insert_dest(op));
  int64_t position[NR_MAX_RANK];
  size_t count;
  if (!position_of(in, op, nr_vector_insert_slot, dest, position, &count)) return false;
  NrIView *to = nr_iview_dense_copy(in, dest);
  if (!to) return false;
  if (part) copy_part(to, part, part, position, count);
  else nr_ivalue_store(to->elem, nr_iview_at(to, position), nr_get(in, nr_vector_insert_value(op)));
  return give(in, op, to);
}

bool nr_run_extract_strided_slice(NrInterp *in, NrOp *op) {
  NrIView *to = new_result(in, op), *from = view_of(in, nr_vector_extract_strided_slice_source(op));
  if (!to) return false;
  size_t count = nr_op_attr(op, NR_A_offsets)->size;
  int64_t at[NR_MAX_RANK] = {0}, index[NR_MAX_RANK];
  do {
    for (size_t i = 0; i < to->rank; i++) index[i] = at[i] + (i < count ? int_item(op, "offsets", i) : 0);
    copy_element(to, at, from, index);
  } while (nr_interp_next(in, to->dims, to->rank, at));
  return give(in, op, to);
}

bool nr_run_insert_strided_slice(NrInterp *in, NrOp *op) {
  NrIView *part = view_of(in, nr_vector_insert_strided_slice_value(op));
  NrIView *to = nr_iview_dense_copy(in, view_of(in, nr_vector_insert_strided_slice_dest(op)));
  if (!to) return false;
  size_t lead = to->rank - part->rank;
  int64_t at[NR_MAX_RANK] = {0}, index[NR_MAX_RANK];
  do {
    for (size_t i = 0; i < to->rank; i++) index[i] = int_item(op, "offsets", i) + (i < lead ? 0 : at[i - lead]);
    copy_element(to, index, part, at);
  } while (nr_interp_next(in, part->dims, part->rank, at));
  return give(in, op, to);
}

/* ---- masks ------------------------------------------------------------------------------------------------------ */

static bool make_mask(NrInterp *in, NrOp *op, const int64_t *sizes) {
  NrIView *to = new_result(in, op);
  if (!to) return false;
  int64_t at[NR_MAX_RANK] = {0};
  do {
    bool set = true;
    for (size_t i = 0; i < to->rank; i++) set &= at[i] < sizes[i];
    nr_ivalue_store(to->elem, nr_iview_at(to, at), (NrIValue){.bits = set});
  } while (nr_interp_next(in, to->dims, to->rank, at));
  return give(in, op, to);
}

bool nr_run_create_mask(NrInterp *in, NrOp *op) {
  int64_t sizes[NR_MAX_RANK];
  for (uint32_t i = 0; i < op->num_operands; i++) sizes[i] = nr_get_index(in, nr_operand(op, i));
  return make_mask(in, op, sizes);
}

bool nr_run_constant_mask(NrInterp *in, NrOp *op) { return make_mask(in, op, int_list(op, "mask_dim_sizes")); }

/* ---- reductions ------------------------------------------------------------------------------------------------- */

bool nr_run_reduction(NrInterp *in, NrOp *op) {
  NrIView *from = view_of(in, nr_vector_reduction_vector(op));
  const NrCombine *combine = nr_combine_of_vector(nr_vector_kind(op), nr_type_is_float(from->elem));
  NrValue *start = nr_vector_reduction_acc(op);
  bool has_value = start != NULL;
  NrIValue acc = has_value ? nr_get(in, start) : (NrIValue){0};
  for (int64_t i = 0, n = nr_iview_count(from); i < n; i++) {
    NrIValue next = nr_ivalue_load(from->elem, nth(from, i));
    if (has_value && !nr_scalar_combine(combine, from->elem, acc, next, &acc))
      return nr_interp_fail(in, op, "the interpreter cannot combine these elements");
    if (!has_value) acc = next;
    has_value = true;
  }
  nr_set(in, nr_op_result(op), acc);
  return true;
}

bool nr_run_multi_reduction(NrInterp *in, NrOp *op) {
  NrIView *from = view_of(in, nr_vector_multi_reduction_source(op));
  NrIView *acc = view_of(in, nr_vector_multi_reduction_acc(op));
  NrAttr dims = nr_op_attr(op, NR_A_reduction_dims);
  const int64_t *reduced = dims->data;
  size_t count = dims->data_size / sizeof *reduced;
  NrIView *to = acc ? nr_iview_dense_copy(in, acc) : nr_iview_new(in, from->elem, NULL, 0);
  if (!to) return false;
  if (!acc) nr_ivalue_store(to->elem, to->buffer->data, nr_get(in, nr_vector_multi_reduction_acc(op)));
  const NrCombine *combine = nr_combine_of_vector(nr_vector_kind(op), nr_type_is_float(from->elem));
  int64_t at[NR_MAX_RANK] = {0};
  bool ok = true;
  do {
    int64_t kept[NR_MAX_RANK];
    for (size_t i = 0, r = 0, k = 0; i < from->rank; i++)
      if (r < count && reduced[r] == (int64_t)i) r++;
      else kept[k++] = at[i];
    unsigned char *place = nr_iview_at(to, kept);
    NrIValue value, next = nr_ivalue_load(from->elem, nr_iview_at(from, at));
    ok = nr_scalar_combine(combine, to->elem, nr_ivalue_load(to->elem, place), next, &value);
    if (ok) nr_ivalue_store(to->elem, place, value);
  } while (ok && nr_interp_next(in, from->dims, from->rank, at));
  if (ok && acc) return give(in, op, to);
  if (ok) nr_set(in, nr_op_result(op), nr_ivalue_load(to->elem, to->buffer->data));
  nr_iview_release(to);
  return ok || nr_interp_fail(in, op, "the interpreter cannot combine these elements");
}
