/* descriptor.c - see descriptor.h. */
#include "pass/expand/descriptor.h"

#include "dialect/arith/arith.h"
#include "dialect/memref/memref.h"

typedef NrDescriptors X;

/* ---- index arithmetic ------------------------------------------------------------------------------------------- */

static NrOp *last_built(const X *x) { return x->b.before ? x->b.before->prev : x->b.block->last; }

/* Sets nsw on the op that computes out, if one was built since `before`: none was where the value folded. */
static NrIndex without_wrap(X *x, NrIndex out, const NrOp *before) {
  NrOp *op = last_built(x);
  if (op != before && out.value && out.value->op == op && !nr_op_is(op, NR_OP_arith_constant))
    nr_op_set_attr(op, NR_A_overflowFlags, x->nsw);
  return out;
}

NrIndex nr_descriptor_add(NrDescriptors *x, NrIndex a, NrIndex b) {
  NrOp *before = last_built(x);
  return without_wrap(x, nr_index_add(&x->b, a, b), before);
}

NrIndex nr_descriptor_mul(NrDescriptors *x, NrIndex a, NrIndex b) {
  NrOp *before = last_built(x);
  if (nr_index_is(a, 0) || nr_index_is(b, 0)) return nr_index_const(0);
  return without_wrap(x, nr_index_mul(&x->b, a, b), before);
}

NrIndex nr_descriptor_element(NrDescriptors *x, const NrDescriptor *d, NrValue *const *indices, size_t count) {
  NrIndex at = d->offset;
  for (size_t i = 0; i < count; i++)
    at = nr_descriptor_add(x, at, nr_descriptor_mul(x, nr_index_of(indices[i]), d->strides[i]));
  return at;
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

bool nr_descriptor_is_row_major(NrType memref) {
  int64_t strides[NR_MAX_RANK], offset;
  return nr_memref_is_identity(memref) || !nr_memref_strides(memref, strides, &offset);
}

static void layout_of(NrType memref, int64_t *strides, int64_t *offset) {
  if (!nr_memref_strides(memref, strides, offset))
    nr_memref_strides(nr_type_memref(memref->dims, memref->rank, memref->elem), strides, offset);
}

static NrType pointer_type(NrType elem, NrAttr space) {
  return nr_type_memref_layout((int64_t[]){NR_DYNAMIC}, 1, elem, NULL, space);
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

bool nr_descriptor_is_known(NrIndex part) { return !nr_index_is(part, NR_DYNAMIC); }

void nr_descriptor_set(NrIndex *part, NrIndex value) {
  if (!nr_descriptor_is_known(*part)) *part = value;
}

NrDescriptor *nr_descriptor_new(NrDescriptors *x, NrType type, NrValue *data) {
  NrDescriptor *d = NR_NEW(x->arena, NrDescriptor);
  int64_t strides[NR_MAX_RANK], offset;
  layout_of(type, strides, &offset);
  *d = (NrDescriptor){.data = data, .offset = nr_index_const(offset),
                      .sizes = NR_NEW_ARRAY(x->arena, NrIndex, type->rank + 1),
                      .strides = NR_NEW_ARRAY(x->arena, NrIndex, type->rank + 1)};
  for (uint32_t i = 0; i < type->rank; i++) {
    d->sizes[i] = nr_index_const(type->dims[i]);
    d->strides[i] = nr_index_const(strides[i]);
  }
  return d;
}

void nr_descriptor_set_row_major(NrDescriptors *x, NrType type, NrDescriptor *d) {
  for (uint32_t i = type->rank; i-- > 0;)
    if (!nr_descriptor_is_known(d->strides[i]))
      d->strides[i] = nr_descriptor_mul(x, d->strides[i + 1], d->sizes[i + 1]);
}

NrValue *nr_descriptor_pointer(NrDescriptors *x, NrValue *memref, NrIndex shift, NrType elem, NrAttr space) {
  NrType type = pointer_type(elem, space);
  if (memref->type == type && nr_index_is(shift, 0)) return memref;
  NrValue *operands[] = {memref, nr_index_is(shift, 0) ? NULL : nr_index_value(&x->b, shift)};
  return nr_build_value(&x->b, NR_OP_rt_pointer, type, operands, operands[1] ? 2 : 1);
}

/* ---- values that are no views ----------------------------------------------------------------------------------- */

bool nr_descriptor_has_rank(const NrValue *memref) { return memref->type->kind == NR_TYPE_MEMREF; }

/* Reads offset and strides that are not known yet from memref itself. */
static void read_layout(NrDescriptors *x, NrValue *memref, NrDescriptor *d) {
  NrType type = memref->type, types[2 + 2 * NR_MAX_RANK];
  uint32_t rank = type->rank;
  types[0] = nr_type_memref_layout(NULL, 0, type->elem, NULL, type->space);
  for (uint32_t i = 0; i < 1 + 2 * rank; i++) types[1 + i] = nr_type_index(x->b.ctx);
  NrOp *parts = nr_build_op(&x->b, NR_OP_memref_extract_strided_metadata, &memref, 1, types, 2 + 2 * rank);
  size_t sizes = nr_memref_extract_strided_metadata_sizes_and_strides(parts).begin;
  nr_descriptor_set(&d->offset, (NrIndex){nr_memref_extract_strided_metadata_offset(parts), 0});
  for (uint32_t i = 0; i < rank; i++) {
    nr_descriptor_set(&d->sizes[i], (NrIndex){nr_result(parts, sizes + i), 0});
    nr_descriptor_set(&d->strides[i], (NrIndex){nr_result(parts, sizes + rank + i), 0});
  }
}

/* The sizes of a new buffer are operands of its op. */
static void set_sizes(NrValue *memref, NrDescriptor *d) {
  NrOp *op = memref->op;
  bool is_new = nr_op_is(op, NR_OP_memref_alloc) || nr_op_is(op, NR_OP_memref_alloca);
  if (!is_new && !nr_op_is(op, NR_OP_memref_realloc)) return;
  size_t next = is_new ? nr_op_group(op, NR_MEMREF_ALLOC_SIZES_GROUP).begin : NR_MEMREF_REALLOC_SIZE;
  for (uint32_t i = 0; i < memref->type->rank; i++)
    if (!nr_descriptor_is_known(d->sizes[i])) d->sizes[i] = nr_index_of(nr_operand(op, next++));
}

static NrDescriptor *take_apart(NrDescriptors *x, NrValue *memref) {
  NrType type = memref->type;
  NrDescriptor *d = nr_descriptor_new(x, type, NULL);
  bool row_major = nr_descriptor_is_row_major(type), open = !nr_descriptor_is_known(d->offset);
  set_sizes(memref, d);
  for (uint32_t i = 0; i < type->rank; i++) open |= !row_major && !nr_descriptor_is_known(d->strides[i]);
  if (open) read_layout(x, memref, d);
  for (uint32_t i = 0; i < type->rank; i++)
    if (!nr_descriptor_is_known(d->sizes[i])) {
      NrValue *operands[] = {memref, nr_arith_constant_index(&x->b, i)};
      d->sizes[i].value = nr_build_value(&x->b, NR_OP_memref_dim, nr_type_index(x->b.ctx), operands, 2);
    }
  if (row_major) nr_descriptor_set_row_major(x, type, d);
  d->data = nr_descriptor_pointer(x, memref, nr_index_const(0), type->elem, type->space);
  return d;
}

static NrDescriptor *find(NrDescriptors *x, NrValue *memref, NrOp *op) {
  NrValue *const *parts = nr_map_get(&x->parts, memref);
  if (parts) return nr_descriptor_from_parts(x, memref->type, parts);
  if (op && nr_descriptor_is_new_buffer(op)) return nr_descriptor_of_new_buffer(x, op);
  if (op && memref == nr_descriptor_view(op)) return nr_descriptor_of_view(x, op);
  return nr_descriptor_has_rank(memref) ? take_apart(x, memref) : nr_descriptor_read_unranked(x, memref);
}

NrDescriptor *nr_descriptor_of(NrDescriptors *x, NrValue *memref) {
  NrDescriptor *d = nr_map_get(&x->of, memref);
  if (d) return d;
  NrBuilder here = x->b;
  NrOp *op = memref->op;
  bool in_place = op && (nr_descriptor_is_new_buffer(op) || memref == nr_descriptor_view(op));
  x->b = in_place ? nr_builder_before(op)
         : op     ? nr_builder_after(op)
                  : nr_builder_at_start(here.module, memref->block, here.loc);
  d = find(x, memref, op);
  x->b = here;
  if (here.before) x->b.block = here.before->block; /* building the descriptor may have split the block */
  nr_map_set(&x->of, memref, d);
  return d;
}

/* ---- memrefs again ---------------------------------------------------------------------------------------------- */

/* The part as an index: a constant if the type fixes it, because reinterpret_cast must agree with its type. */
static NrIndex agreed(NrIndex part, int64_t in_type) { return in_type == NR_DYNAMIC ? part : nr_index_const(in_type); }

NrValue *nr_descriptor_whole(NrDescriptors *x, const NrDescriptor *d, NrType type) {
  if (type->kind == NR_TYPE_UNRANKED_MEMREF) return nr_descriptor_whole_unranked(x, d, type);
  NrIndex lists[3][NR_MAX_RANK];
  int64_t strides[NR_MAX_RANK], offset;
  if (!nr_memref_strides(type, strides, &offset)) { /* a row-major layout that is not in strided form */
    NrType plain = nr_type_memref_layout(type->dims, type->rank, type->elem, NULL, type->space);
    NrValue *whole = nr_descriptor_whole(x, d, plain);
    return nr_build_value(&x->b, NR_OP_builtin_unrealized_conversion_cast, type, &whole, 1);
  }
  lists[0][0] = agreed(d->offset, offset);
  for (uint32_t i = 0; i < type->rank; i++) {
    lists[1][i] = agreed(d->sizes[i], type->dims[i]);
    lists[2][i] = agreed(d->strides[i], strides[i]);
  }
  NrIndex none = nr_index_const(0);
  NrValue *operands[2 + 2 * NR_MAX_RANK] = {nr_descriptor_pointer(x, d->data, none, type->elem, type->space)};
  uint32_t segments[4] = {1};
  NrAttr attrs[3];
  size_t count = 1;
  for (size_t i = 0; i < 3; i++) {
    size_t before = count;
    attrs[i] = nr_index_list_split(&x->b, lists[i], i ? type->rank : 1, operands, &count);
    segments[1 + i] = (uint32_t)(count - before);
  }
  NrOp *view = nr_build_op(&x->b, NR_OP_memref_reinterpret_cast, operands, count, &type, 1);
  for (size_t i = 0; i < 3; i++) nr_op_set_attr_named(view, nr_extract_slice_slots[i].attr, attrs[i]);
  nr_op_set_segments(view, segments, 4);
  return nr_op_result(view);
}
