/* memref_views.c - views of memory as descriptors. A view touches no memory: it is arithmetic on the parts of its
 * source. What the type of a view fixes is a constant; only the rest is computed. */
#include "dialect/arith/arith.h"
#include "dialect/memref/memref.h"
#include "dialect/operands.h"
#include "dialect/rt/ops.h"
#include "pass/expand/descriptor.h"

typedef NrDescriptors X;
typedef NrDescriptor D;

static NrValue *view_result(const NrOp *op) {
  return nr_op_is(op, NR_OP_memref_extract_strided_metadata) ? nr_memref_extract_strided_metadata_base(op)
                                                             : nr_op_result(op);
}

static NrType result_type(const NrOp *op) { return view_result(op)->type; }

static NrIndex none(void) { return nr_index_const(0); }

/* A new descriptor for op's result, with the data of its source. */
static D *view_of(X *x, NrOp *op, D **out_source) {
  *out_source = nr_descriptor_of(x, nr_op_source(op));
  D *d = nr_descriptor_new(x, result_type(op), (*out_source)->data);
  d->allocation = (*out_source)->allocation;
  return d;
}

/* Moves the data of d ahead by `shift` elements, as a pointer to elements of op's result. */
static void move_data(X *x, NrOp *op, D *d, NrIndex shift) {
  NrType type = result_type(op);
  NrValue *data = nr_descriptor_pointer(x, d->data, shift, type->elem, type->space);
  if (!nr_index_is(shift, 0) && !d->allocation) d->allocation = d->data;
  d->data = data;
}

static bool is_one(NrIndex i) { return nr_index_is(i, 1); }

static NrIndex constant_of(NrIndex i) { return i.value ? nr_index_of(i.value) : i; }

/* Sets the dynamic sizes from the operands from `first` on, and row-major strides. */
static void set_sized(X *x, NrOp *op, size_t first, D *d) {
  NrType type = result_type(op);
  for (uint32_t i = 0; i < type->rank; i++)
    if (!nr_descriptor_is_known(d->sizes[i])) d->sizes[i] = nr_index_of(nr_operand(op, first++));
  nr_descriptor_set_row_major(x, type, d);
}

/* ---- casts and slices ------------------------------------------------------------------------------------------- */

static D *cast(X *x, NrOp *op) {
  NrValue *from = nr_op_source(op);
  if (!nr_type_is_ranked(result_type(op))) return nr_descriptor_forget_rank(x, op, from);
  if (!nr_descriptor_has_rank(from)) return nr_descriptor_with_rank(x, result_type(op), nr_descriptor_of(x, from));
  D *source, *d = view_of(x, op, &source);
  nr_descriptor_set(&d->offset, source->offset);
  for (uint32_t i = 0; i < result_type(op)->rank; i++) {
    nr_descriptor_set(&d->sizes[i], source->sizes[i]);
    nr_descriptor_set(&d->strides[i], source->strides[i]);
  }
  return d;
}

/* The same memory through another memory space, or as integers of other signs. */
static D *retyped(X *x, NrOp *op, NrValue *source) {
  D *d = NR_NEW(x->arena, D);
  *d = *nr_descriptor_of(x, source);
  move_data(x, op, d, none());
  return d;
}

static D *memory_space_cast(X *x, NrOp *op) { return retyped(x, op, nr_memref_memory_space_cast_source(op)); }

static D *unrealized_cast(X *x, NrOp *op) { return retyped(x, op, nr_op_only_operand(op)); }

static NrIndex selected(X *x, NrValue *condition, NrIndex yes, NrIndex no) {
  if (nr_index_eq(yes, no)) return yes;
  return (NrIndex){nr_arith_select(&x->b, condition, nr_index_value(&x->b, yes), nr_index_value(&x->b, no)), 0};
}

/* Selects each part of one of two memrefs; equal parts need no select. */
static D *select(X *x, NrOp *op) {
  NrValue *condition = nr_arith_select_condition(op);
  const D *yes = nr_descriptor_of(x, nr_arith_select_true_value(op));
  const D *no = nr_descriptor_of(x, nr_arith_select_false_value(op));
  NrType type = result_type(op);
  NrValue *data = nr_arith_select(&x->b, condition, yes->data, no->data);
  NrIndex offset = selected(x, condition, yes->offset, no->offset);
  if (!nr_type_is_ranked(type)) {
    D *d = NR_NEW(x->arena, D);
    *d = (D){.data = data, .offset = offset, .rank = nr_arith_select(&x->b, condition, yes->rank, no->rank),
             .all_sizes = nr_arith_select(&x->b, condition, yes->all_sizes, no->all_sizes),
             .all_strides = nr_arith_select(&x->b, condition, yes->all_strides, no->all_strides)};
    return d;
  }
  D *d = nr_descriptor_new(x, type, data);
  nr_descriptor_set(&d->offset, offset);
  for (uint32_t i = 0; i < type->rank; i++) {
    nr_descriptor_set(&d->sizes[i], selected(x, condition, yes->sizes[i], no->sizes[i]));
    nr_descriptor_set(&d->strides[i], selected(x, condition, yes->strides[i], no->strides[i]));
  }
  return d;
}

/* Each part of a poison memref is poison. */
static D *poison(X *x, NrOp *op) {
  NrType types[NR_MAX_PARTS];
  NrValue *parts[NR_MAX_PARTS];
  size_t count = nr_part_types(result_type(op), types);
  for (size_t i = 0; i < count; i++) parts[i] = nr_build_value(&x->b, NR_OP_ub_poison, types[i], NULL, 0);
  return nr_descriptor_from_parts(x, result_type(op), parts);
}

/* The dims of the result are those of the source, without the dims of size 1 that the type drops. */
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

/* Only the memory of source is used; offset, sizes and strides are the op's own. */
static D *reinterpret_cast(X *x, NrOp *op) {
  D *source, *d = view_of(x, op, &source);
  NrType type = result_type(op);
  NrIndex lists[3][NR_MAX_RANK];
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
  move_data(x, op, d, nr_descriptor_add(x, source->offset, nr_index_of(nr_memref_view_byte_shift(op))));
  set_sized(x, op, NR_MEMREF_VIEW_SIZES, d);
  return d;
}

/* ---- reshapes --------------------------------------------------------------------------------------------------- */

/* Older programs have no output shape. The one dynamic size of a group is then the source size divided by the
 * product of the others; it may be any value where one of them is 0. */
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
    bool found = false; /* the stride is that of the innermost dim whose size is not 1 */
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

/* Loads element i of a list of sizes in memory, as an index. */
static NrIndex listed_size(X *x, const D *list, int64_t i) {
  NrIndex at = nr_descriptor_add(x, list->offset, nr_descriptor_mul(x, nr_index_const(i), list->strides[0]));
  NrValue *index = nr_index_value(&x->b, at), *size = nr_build_load(&x->b, list->data, &index, 1);
  NrType type = nr_type_index(x->b.ctx);
  return (NrIndex){size->type == type ? size : nr_build_value(&x->b, NR_OP_arith_index_cast, type, &size, 1), 0};
}

/* The sizes are loaded from the shape operand; source and result are row-major. */
static D *reshape(X *x, NrOp *op) {
  if (!nr_type_is_ranked(result_type(op))) return nr_descriptor_reshape_unranked(x, op);
  D *source, *d = view_of(x, op, &source), *list = nr_descriptor_of(x, nr_memref_reshape_shape(op));
  NrType type = result_type(op);
  move_data(x, op, d, source->offset);
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

/* The assumption holds for element 0, so it is an op on the pointer to that. Where the offset is not 0, the result
 * has the descriptor of the source. */
static D *assume_alignment(X *x, NrOp *op) {
  D *source = nr_descriptor_of(x, nr_memref_assume_alignment_source(op));
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

/* Only a program that was lowered before has an rt.pointer here, and kernels of the library. The size of its allocation
 * is not known: it is the largest one, so that no index is checked (check-bounds). */
static D *pointer(X *x, NrOp *op) {
  NrValue *shift = nr_rt_pointer_shift(op);
  const D *source = nr_descriptor_of(x, nr_rt_pointer_source(op));
  D *d = nr_descriptor_new(x, result_type(op), source->data);
  d->allocation = source->allocation;
  move_data(x, op, d, shift ? nr_index_of(shift) : none());
  d->sizes[0] = nr_index_const(INT64_MAX);
  return d;
}

/* ---- the ops ---------------------------------------------------------------------------------------------------- */

static D *(*const views[NR_OP_COUNT])(X *x, NrOp *op) = {
    [NR_OP_memref_cast] = cast,
    [NR_OP_builtin_unrealized_conversion_cast] = unrealized_cast,
    [NR_OP_arith_select] = select,
    [NR_OP_ub_poison] = poison,
    [NR_OP_rt_pointer] = pointer,
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

static bool is_view(const NrOp *op) {
  bool is_cast = nr_op_is(op, NR_OP_builtin_unrealized_conversion_cast);
  if (!views[op->info->id] || (is_cast && (op->num_operands != 1 || op->num_results != 1))) return false;
  NrType type = result_type(op);
  if (!nr_type_is_memref(type)) return false;
  if (is_cast) return nr_types_alike(nr_op_only_operand(op)->type, type);
  return !nr_op_is(op, NR_OP_memref_reshape) || !nr_type_is_ranked(type) || nr_descriptor_is_row_major(type);
}

NrValue *nr_descriptor_view(const NrOp *op) { return is_view(op) ? view_result(op) : NULL; }

NrDescriptor *nr_descriptor_of_view(NrDescriptors *x, NrOp *op) { return views[op->info->id](x, op); }
