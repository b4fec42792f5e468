/* memref_views.c - views of memory as descriptors. A view touches no memory: it is arithmetic on the parts of its
 * source. What the type of a view fixes is a constant; only the rest is computed. */
#include "dialect/arith/arith.h"
#include "dialect/memref/memref.h"
#include "pass/expand/descriptor.h"

typedef NrDescriptors X;
typedef NrDescriptor D;

static NrType result_type(const NrOp *op) { return nr_result(op, 0)->type; }

/* A descriptor for op's result over the memory of its source. */
static D *view_of(X *x, NrOp *op, D **out_source) {
  *out_source = nr_descriptor_of(x, nr_operand(op, 0));
  return nr_descriptor_new(x, result_type(op), (*out_source)->data);
}

static bool is_one(NrIndex i) { return nr_index_is(i, 1); }

static NrIndex constant_of(NrIndex i) { return i.value ? nr_index_of(i.value) : i; }

/* Sizes from the operands from `first` on, row-major. */
static void set_sized(X *x, NrOp *op, size_t first, D *d) {
  NrType type = result_type(op);
  for (uint32_t i = 0; i < type->rank; i++)
    if (!nr_descriptor_is_known(d->sizes[i])) d->sizes[i] = nr_index_of(nr_operand(op, first++));
  nr_descriptor_set_row_major(x, type, d);
}

/* ---- casts and slices ------------------------------------------------------------------------------------------- */

static D *cast(X *x, NrOp *op) {
  D *source, *d = view_of(x, op, &source);
  nr_descriptor_set(&d->offset, source->offset);
  for (uint32_t i = 0; i < result_type(op)->rank; i++) {
    nr_descriptor_set(&d->sizes[i], source->sizes[i]);
    nr_descriptor_set(&d->strides[i], source->strides[i]);
  }
  return d;
}

static D *memory_space_cast(X *x, NrOp *op) {
  D *d = cast(x, op);
  NrType type = result_type(op);
  d->data = nr_descriptor_pointer(x, d->data, nr_index_const(0), type->elem, type->space);
  return d;
}

/* Dims of the result are those of the source, without some of size 1. */
static D *subview(X *x, NrOp *op) {
  D *source, *d = view_of(x, op, &source);
  NrType type = result_type(op);
  NrIndex lists[3][NR_MAX_RANK], offset = source->offset;
  bool keep[NR_MAX_RANK];
  size_t rank = 0, to = 0;
  for (size_t i = 0; i < 3; i++) rank = nr_index_list_all(op, nr_extract_slice_slots[i], lists[i]);
  if (!nr_slice_keeps(op, type, keep)) memset(keep, true, sizeof keep);
  for (size_t i = 0; i < rank; i++) {
    NrIndex at = constant_of(lists[0][i]), size = constant_of(lists[1][i]), step = constant_of(lists[2][i]);
    offset = nr_descriptor_add(x, offset, nr_descriptor_mul(x, at, source->strides[i]));
    if (!keep[i]) continue;
    nr_descriptor_set(&d->sizes[to], size);
    if (!nr_descriptor_is_known(d->strides[to])) d->strides[to] = nr_descriptor_mul(x, step, source->strides[i]);
    to++;
  }
  nr_descriptor_set(&d->offset, offset);
  return d;
}

/* Of source, which may have no rank, the memory alone counts. */
static D *reinterpret_cast(X *x, NrOp *op) {
  NrValue *source = nr_operand(op, 0);
  NrType type = result_type(op);
  NrIndex lists[3][NR_MAX_RANK], none = nr_index_const(0);
  NrValue *data = nr_type_is_ranked(source->type) ? nr_descriptor_of(x, source)->data
                                                  : nr_descriptor_pointer(x, source, none, type->elem, type->space);
  D *d = nr_descriptor_new(x, type, data);
  for (size_t i = 0; i < 3; i++) nr_index_list_all(op, nr_extract_slice_slots[i], lists[i]);
  nr_descriptor_set(&d->offset, constant_of(lists[0][0]));
  for (uint32_t i = 0; i < type->rank; i++) {
    nr_descriptor_set(&d->sizes[i], constant_of(lists[1][i]));
    nr_descriptor_set(&d->strides[i], constant_of(lists[2][i]));
  }
  return d;
}

/* memref.view %bytes[%shift][%sizes...] */
static D *view(X *x, NrOp *op) {
  D *source, *d = view_of(x, op, &source);
  NrType type = result_type(op);
  NrIndex shift = nr_descriptor_add(x, source->offset, nr_index_of(nr_operand(op, 1)));
  d->data = nr_descriptor_pointer(x, source->data, shift, type->elem, type->space);
  set_sized(x, op, 2, d);
  return d;
}

/* ---- reshapes --------------------------------------------------------------------------------------------------- */

/* Older texts give no output shape: the one size of a group that the type leaves open is what the others leave over,
 * and anything where one of them is 0. */
static void infer_size(X *x, D *d, uint32_t begin, uint32_t end, NrIndex whole) {
  NrIndex others = nr_index_const(1), *open = NULL;
  for (uint32_t i = begin; i < end; i++) {
    if (nr_descriptor_is_known(d->sizes[i])) others = nr_descriptor_mul(x, others, d->sizes[i]);
    else open = &d->sizes[i];
  }
  if (!open) return;
  if (is_one(others)) {
    *open = whole;
    return;
  }
  NrValue *one = nr_arith_constant_index(&x->b, 1), *by = nr_index_value(&x->b, others);
  by = nr_arith_binary(&x->b, NR_OP_arith_maxui, by, one);
  *open = (NrIndex){nr_arith_binary(&x->b, NR_OP_arith_divui, nr_index_value(&x->b, whole), by), 0};
}

static D *expand_shape(X *x, NrOp *op) {
  D *source, *d = view_of(x, op, &source);
  NrType type = result_type(op);
  NrGroups groups;
  nr_groups_of(op, &groups);
  if (nr_index_list_size(op, nr_output_shape_slot.attr) == type->rank) {
    NrIndex shape[NR_MAX_RANK];
    nr_index_list_all(op, nr_output_shape_slot, shape);
    for (uint32_t i = 0; i < type->rank; i++) nr_descriptor_set(&d->sizes[i], constant_of(shape[i]));
  }
  for (size_t g = 0; g < groups.count; g++) {
    uint32_t begin = groups.begin[g], end = begin + groups.size[g];
    infer_size(x, d, begin, end, source->sizes[g]);
    NrIndex stride = source->strides[g];
    for (uint32_t i = end; i-- > begin;) {
      nr_descriptor_set(&d->strides[i], stride);
      stride = nr_descriptor_mul(x, d->strides[i], d->sizes[i]);
    }
  }
  for (uint32_t i = 0; i < type->rank; i++) nr_descriptor_set(&d->strides[i], nr_index_const(1));
  nr_descriptor_set(&d->offset, source->offset);
  return d;
}

static D *collapse_shape(X *x, NrOp *op) {
  D *source, *d = view_of(x, op, &source);
  NrGroups groups;
  nr_groups_of(op, &groups);
  for (uint32_t g = 0; g < result_type(op)->rank; g++) {
    NrIndex size = nr_index_const(1), stride = nr_index_const(1);
    bool found = false; /* the innermost dim that is not of size 1 has the stride */
    for (uint32_t i = groups.begin[g] + groups.size[g]; i-- > groups.begin[g];) {
      size = nr_descriptor_mul(x, size, source->sizes[i]);
      if (found) continue;
      stride = source->strides[i];
      found = !is_one(source->sizes[i]);
    }
    nr_descriptor_set(&d->sizes[g], size);
    nr_descriptor_set(&d->strides[g], stride);
  }
  nr_descriptor_set(&d->offset, source->offset);
  return d;
}

/* Element i of a list of sizes in memory. */
static NrIndex listed_size(X *x, const D *list, int64_t i) {
  NrIndex at = nr_descriptor_add(x, list->offset, nr_descriptor_mul(x, nr_index_const(i), list->strides[0]));
  NrValue *index = nr_index_value(&x->b, at), *size = nr_build_load(&x->b, list->data, &index, 1);
  NrType type = nr_type_index(x->b.ctx);
  return (NrIndex){size->type == type ? size : nr_build_value(&x->b, NR_OP_arith_index_cast, type, &size, 1), 0};
}

/* The shape stands in memory; source and result are row-major. */
static D *reshape(X *x, NrOp *op) {
  D *source, *d = view_of(x, op, &source), *list = nr_descriptor_of(x, nr_operand(op, 1));
  NrType type = result_type(op);
  d->data = nr_descriptor_pointer(x, source->data, source->offset, type->elem, type->space);
  for (uint32_t i = 0; i < type->rank; i++)
    if (!nr_descriptor_is_known(d->sizes[i])) d->sizes[i] = listed_size(x, list, i);
  nr_descriptor_set_row_major(x, type, d);
  return d;
}

static D *transpose(X *x, NrOp *op) {
  D *source, *d = view_of(x, op, &source);
  NrAttr map = nr_op_attr(op, NR_A_permutation);
  for (uint32_t i = 0; i < result_type(op)->rank; i++) {
    nr_descriptor_set(&d->sizes[i], source->sizes[map->exprs[i]->value]);
    nr_descriptor_set(&d->strides[i], source->strides[map->exprs[i]->value]);
  }
  nr_descriptor_set(&d->offset, source->offset);
  return d;
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

static D *base_buffer(X *x, NrOp *op) {
  D *source, *d = view_of(x, op, &source);
  return d;
}

/* The fact is about element 0, by an op of its own; the source's descriptor counts on from where it did. */
static D *assume_alignment(X *x, NrOp *op) {
  D *source = nr_descriptor_of(x, nr_operand(op, 0));
  NrType type = result_type(op);
  NrValue *first = nr_descriptor_pointer(x, source->data, source->offset, type->elem, type->space);
  NrValue *known = nr_build_value(&x->b, NR_OP_memref_assume_alignment, first->type, &first, 1);
  nr_op_set_attr(known->op, NR_A_alignment, nr_op_attr(op, NR_A_alignment));
  if (!nr_index_is(source->offset, 0)) return source;
  D *d = NR_NEW(x->arena, D);
  *d = *source;
  d->data = known;
  return d;
}

/* ---- the ops ---------------------------------------------------------------------------------------------------- */

static D *(*const views[NR_OP_COUNT])(X *x, NrOp *op) = {
    [NR_OP_memref_cast] = cast,
    [NR_OP_memref_memory_space_cast] = memory_space_cast,
    [NR_OP_memref_subview] = subview,
    [NR_OP_memref_reinterpret_cast] = reinterpret_cast,
    [NR_OP_memref_view] = view,
    [NR_OP_memref_expand_shape] = expand_shape,
    [NR_OP_memref_collapse_shape] = collapse_shape,
    [NR_OP_memref_reshape] = reshape,
    [NR_OP_memref_transpose] = transpose,
    [NR_OP_memref_extract_strided_metadata] = base_buffer,
    [NR_OP_memref_assume_alignment] = assume_alignment,
};

bool nr_descriptor_is_view(const NrOp *op) {
  if (!views[op->info->id] || !op->num_results || !nr_type_is_ranked(result_type(op))) return false;
  if (nr_op_is(op, NR_OP_memref_reshape) && !nr_descriptor_is_row_major(result_type(op))) return false;
  return nr_op_is(op, NR_OP_memref_reinterpret_cast) || nr_type_is_ranked(nr_operand(op, 0)->type);
}

NrDescriptor *nr_descriptor_of_view(NrDescriptors *x, NrOp *op) { return views[op->info->id](x, op); }
