/* abi_wrapper.c - see abi_wrapper.h. */
#include "abi/abi_wrapper.h"

#include "dialect/arith/arith.h"
#include "dialect/linalg/linalg.h"
#include "dialect/memref/memref.h"
#include "dialect/tensor/tensor.h"

/* ---- types ------------------------------------------------------------------------------------------------------ */

static bool holds_vectors(NrType t) { return t->kind == NR_TYPE_MEMREF && t->elem->kind == NR_TYPE_VECTOR; }

NrType nr_abi_shown_type(NrType t) {
  int64_t dims[NR_MAX_RANK];
  if (!holds_vectors(t) || t->rank + t->elem->rank > NR_MAX_RANK) return t;
  for (uint32_t i = 0; i < t->rank; i++) dims[i] = t->dims[i];
  for (uint32_t i = 0; i < t->elem->rank; i++) dims[t->rank + i] = t->elem->dims[i];
  return nr_type_memref(dims, t->rank + t->elem->rank, t->elem->elem);
}

/* The ABI type of t; wide integers add a last dim of words. */
static NrType carried_type(NrType t, const NrAbiType *c) {
  int64_t dims[NORIA_MAX_RANK];
  size_t rank = nr_type_is_scalar(t) ? 0 : t->rank;
  if (rank + (c->words ? 1 : 0) > NORIA_MAX_RANK) return NULL;
  for (size_t i = 0; i < rank; i++) dims[i] = t->dims[i];
  if (c->words) dims[rank++] = c->words;
  bool is_tensor = nr_type_is_scalar(t) || t->kind == NR_TYPE_TENSOR;
  return is_tensor ? nr_type_tensor(dims, rank, c->elem) : nr_type_memref(dims, rank, c->elem);
}

/* A negative stride or offset has no representation in the ABI. */
static bool goes_backwards(NrType t) {
  int64_t strides[NR_MAX_RANK], offset;
  bool backwards = false;
  if (t->kind != NR_TYPE_MEMREF || !nr_memref_strides(t, strides, &offset)) return false;
  for (uint32_t i = 0; i < t->rank; i++) backwards |= strides[i] < 0 && strides[i] != NR_DYNAMIC;
  return backwards || (offset < 0 && offset != NR_DYNAMIC);
}

/* Sequences, optionals and maps pass unchanged, with the ABI type of their elements. */
NrType nr_abi_outer_type(NrType t, NrAbiType *c) {
  if (nr_type_is_handle(t)) {
    NrType elem = t;
    while (nr_type_is_handle(elem) || nr_type_is_shaped(elem)) elem = elem->elem;
    return nr_abi_type_of(elem, c) && c->elem == c->type ? t : NULL;
  }
  if (goes_backwards(t)) return NULL;
  if (holds_vectors(t)) {
    if (t->elem->scalable || t->rank + t->elem->rank > NORIA_MAX_RANK) return NULL;
    t = nr_abi_shown_type(t);
  }
  if (!nr_abi_type_of(nr_type_elem(t), c)) return NULL;
  if (t->kind == NR_TYPE_UNRANKED_TENSOR) return nr_type_tensor_unranked(c->elem);
  if (t->kind == NR_TYPE_UNRANKED_MEMREF) return nr_type_memref_unranked(c->elem, NULL);
  if (!nr_type_is_scalar(t) && !nr_type_is_ranked(t)) return NULL;
  if (t->kind == NR_TYPE_VECTOR && t->scalable) return NULL;
  return carried_type(t, c);
}

/* ---- memrefs with layouts --------------------------------------------------------------------------------------- */

/* Whether row-major data fits the layout: each stride and the offset is dynamic or equal. */
static bool is_row_major(NrType memref) {
  int64_t strides[NR_MAX_RANK], offset, want = 1;
  if (!nr_memref_strides(memref, strides, &offset) || (offset && offset != NR_DYNAMIC)) return false;
  for (uint32_t i = memref->rank; i-- > 0;) {
    if (strides[i] != NR_DYNAMIC && strides[i] != want) return false;
    if (want == NR_DYNAMIC || memref->dims[i] == NR_DYNAMIC || !nr_mul_i64(want, memref->dims[i], &want))
      want = NR_DYNAMIC;
  }
  return true;
}

/* The layout's strides; a dynamic one is the smallest that the inner dims allow. */
static void choose_strides(NrBuilder *b, NrType type, const NrIndex *dims, NrIndex *out_strides, NrIndex *out_offset) {
  int64_t strides[NR_MAX_RANK], offset;
  nr_memref_strides(type, strides, &offset);
  *out_offset = nr_index_const(offset == NR_DYNAMIC ? 0 : offset);
  for (uint32_t i = type->rank; i-- > 0;) {
    if (strides[i] != NR_DYNAMIC) out_strides[i] = nr_index_const(strides[i]);
    else if (i + 1 == type->rank) out_strides[i] = nr_index_const(1);
    else out_strides[i] = nr_index_mul(b, out_strides[i + 1], dims[i + 1]);
  }
}

/* Allocates memory for the type: up to the last element, and one more step of each dim, which is simpler to compute. */
static NrValue *alloc_extent(NrBuilder *b, NrType type, const NrIndex *dims, const NrIndex *strides, NrIndex offset) {
  NrIndex extent[1] = {nr_index_add(b, offset, nr_index_const(1))};
  for (uint32_t i = 0; i < type->rank; i++)
    extent[0] = nr_index_add(b, extent[0], nr_index_mul(b, dims[i], strides[i]));
  NrValue *memory = nr_build_alloc(b, NR_OP_memref_alloc, type->elem, extent, 1);
  if (!type->space) return memory;
  NrType there = nr_type_memref_layout(memory->type->dims, 1, type->elem, NULL, type->space);
  return nr_build_value(b, NR_OP_memref_memory_space_cast, there, &memory, 1);
}

/* Allocates memory and returns a view of the strided type. */
static NrValue *alloc_strided(NrBuilder *b, NrValue *like, NrType type) {
  static const char *const names[] = {"static_offsets", "static_sizes", "static_strides"};
  NrIndex lists[3][NR_MAX_RANK], *offset = lists[0], *dims = lists[1], *strides = lists[2];
  for (uint32_t i = 0; i < type->rank; i++) dims[i] = nr_dim_build(b, like, i);
  choose_strides(b, type, dims, strides, offset);
  NrValue *operands[2 + 2 * NR_MAX_RANK] = {alloc_extent(b, type, dims, strides, *offset)};
  uint32_t segments[4] = {1};
  NrAttr attrs[3];
  size_t count = 1;
  for (size_t i = 0; i < 3; i++) {
    size_t before = count;
    attrs[i] = nr_index_list_split(b, lists[i], i ? type->rank : 1, operands, &count);
    segments[1 + i] = (uint32_t)(count - before);
  }
  NrOp *view = nr_build_op(b, NR_OP_memref_reinterpret_cast, operands, count, &type, 1);
  for (size_t i = 0; i < 3; i++) nr_op_set_attr_named(view, names[i], attrs[i]);
  nr_op_set_segments(view, segments, 4);
  return nr_op_result(view);
}

/* ---- conversion of values --------------------------------------------------------------------------------------- */

/* Allocates a memref of the type, with the dims of like. */
static NrValue *alloc_like(NrBuilder *b, NrValue *like, NrType type) {
  NrValue *dims[NORIA_MAX_RANK];
  size_t count = 0;
  for (uint32_t i = 0; i < type->rank; i++)
    if (type->dims[i] == NR_DYNAMIC) dims[count++] = nr_index_value(b, nr_dim_build(b, like, i));
  NrOp *alloc = nr_build_op(b, NR_OP_memref_alloc, dims, count, &type, 1);
  nr_op_set_segments(alloc, (uint32_t[]){(uint32_t)count, 0}, 2);
  return nr_op_result(alloc);
}

static NrValue *copy_of(NrBuilder *b, NrValue *memref, NrType type) {
  NrValue *copy = alloc_like(b, memref, type);
  nr_build_op(b, NR_OP_memref_copy, (NrValue *[]){memref, copy}, 2, NULL, 0);
  return copy;
}

/* Copies the data to the type's layout. */
static NrValue *laid_out(NrBuilder *b, NrValue *dense, NrType type) {
  int64_t strides[NR_MAX_RANK], offset;
  if (!nr_memref_strides(type, strides, &offset)) return copy_of(b, dense, type);
  NrValue *view = alloc_strided(b, dense, type);
  nr_build_op(b, NR_OP_memref_copy, (NrValue *[]){dense, view}, 2, NULL, 0);
  return view;
}

/* Gives dense memory, which is_new unless it is the program's input, the type's layout. */
static NrValue *placed(NrBuilder *b, NrValue *dense, bool is_new, NrType type) {
  NrType plain = nr_type_memref_layout(type->dims, type->rank, type->elem, NULL, type->space);
  if (!is_row_major(type)) return laid_out(b, dense, type);
  if (!is_new || type->space) dense = copy_of(b, dense, plain);
  return plain == type ? dense : nr_build_value(b, NR_OP_memref_cast, type, &dense, 1);
}

/* The operands of a vector access: the memref and an index of 0 for each dim. */
static size_t vector_operands(NrBuilder *b, NrValue *memref, NrValue **out) {
  out[0] = memref;
  for (size_t i = 0; i < memref->type->rank; i++) out[1 + i] = nr_arith_constant_index(b, 0);
  return 1 + memref->type->rank;
}

static NrValue *vector_in(NrBuilder *b, NrValue *memref, NrType type) {
  NrValue *operands[1 + NORIA_MAX_RANK];
  return nr_build_value(b, NR_OP_vector_load, type, operands, vector_operands(b, memref, operands));
}

static NrValue *vector_out(NrBuilder *b, NrValue *value) {
  NrValue *operands[2 + NORIA_MAX_RANK];
  NrType type = value->type;
  NrValue *memref = alloc_like(b, value, nr_type_memref(type->dims, type->rank, type->elem));
  operands[0] = value;
  nr_build_op(b, NR_OP_vector_store, operands, 1 + vector_operands(b, memref, operands + 1), NULL, 0);
  return memref;
}

/* Copies between a memref of vectors and one of their elements, by an op for each vector in the body of a
 * linalg.generic. The linalg.generic yields its output operand unchanged, because it must yield a value. */
static NrValue *move_vectors(NrBuilder *b, NrValue *vectors, NrValue *elements, bool out) {
  NrType type = vectors->type;
  NrAffineExpr exprs[NORIA_MAX_RANK];
  char iterators[NORIA_MAX_RANK + 1] = {0};
  memset(iterators, 'p', type->rank);
  for (uint32_t i = 0; i < type->rank; i++) exprs[i] = nr_affine_dim(b->ctx, i);
  NrAttr map = nr_attr_affine_map(b->ctx, type->rank, 0, exprs, type->rank);
  NrOp *generic = nr_build_generic(b, NULL, 0, &vectors, 1, &map, iterators);
  NrBlock *block = nr_linalg_generic_body(generic);
  NrBuilder body = nr_builder_at_end(b->module, block, generic->loc);
  NrValue *operands[2 + NORIA_MAX_RANK], *value = nr_block_arg(block, 0);
  size_t count = 0;
  if (out) operands[count++] = value;
  operands[count++] = elements;
  for (uint32_t i = 0; i < elements->type->rank; i++) {
    if (i >= type->rank) {
      operands[count++] = nr_arith_constant_index(&body, 0);
      continue;
    }
    NrOp *index = nr_build_op(&body, NR_OP_linalg_index, NULL, 0, (NrType[]){nr_type_index(b->ctx)}, 1);
    nr_op_set_attr(index, NR_A_dim, nr_attr_i64(b->ctx, i));
    operands[count++] = nr_op_result(index);
  }
  if (out) nr_build_op(&body, NR_OP_vector_store, operands, count, NULL, 0);
  else value = nr_build_value(&body, NR_OP_vector_load, type->elem, operands, count);
  nr_build_op(&body, NR_OP_linalg_yield, &value, 1, NULL, 0);
  return out ? elements : vectors;
}

static NrValue *new_elements(NrBuilder *b, NrValue *vectors) {
  NrIndex dims[NORIA_MAX_RANK];
  size_t rank = 0;
  for (uint32_t i = 0; i < vectors->type->rank; i++) dims[rank++] = nr_dim_build(b, vectors, i);
  for (uint32_t i = 0; i < vectors->type->elem->rank; i++) dims[rank++] = nr_index_const(vectors->type->elem->dims[i]);
  return nr_build_alloc(b, NR_OP_memref_alloc, vectors->type->elem->elem, dims, rank);
}

static bool has_no_rank(NrType t) { return nr_type_is_shaped(t) && !nr_type_is_ranked(t); }

static NrValue *as_space(NrBuilder *b, NrValue *memref, NrType type) {
  if (memref->type == type) return memref;
  return nr_build_value(b, NR_OP_memref_memory_space_cast, type, &memref, 1);
}

/* Unranked memrefs are converted as unranked tensors. */
static NrValue *unranked_in(NrBuilder *b, const NrAbiType *c, NrValue *outer, NrType type) {
  if (type->kind == NR_TYPE_UNRANKED_TENSOR) return nr_abi_type_build_in_unranked(b, c, outer);
  NrType plain = nr_type_memref_unranked(type->elem, NULL), value = nr_type_tensor_unranked(outer->type->elem);
  if (c->elem == c->type) return as_space(b, nr_build_value(b, NR_OP_bufferization_clone, plain, &outer, 1), type);
  NrValue *tensor = nr_build_value(b, NR_OP_bufferization_to_tensor, value, &outer, 1);
  tensor = nr_abi_type_build_in_unranked(b, c, tensor);
  return as_space(b, nr_build_value(b, NR_OP_bufferization_to_buffer, plain, &tensor, 1), type);
}

static NrValue *unranked_out(NrBuilder *b, const NrAbiType *c, NrValue *value, NrType outer) {
  if (outer->kind == NR_TYPE_UNRANKED_TENSOR) return nr_abi_type_build_out_unranked(b, c, value);
  value = as_space(b, value, nr_type_memref_unranked(value->type->elem, NULL));
  if (c->elem == c->type) return value;
  NrType type = nr_type_tensor_unranked(value->type->elem);
  NrValue *tensor = nr_build_value(b, NR_OP_bufferization_to_tensor, type, &value, 1);
  tensor = nr_abi_type_build_out_unranked(b, c, tensor);
  return nr_build_value(b, NR_OP_bufferization_to_buffer, outer, &tensor, 1);
}

NrValue *nr_abi_in(NrBuilder *b, const NrAbiType *c, NrValue *outer, NrType type) {
  if (nr_type_is_handle(type)) return outer;
  if (has_no_rank(type)) return unranked_in(b, c, outer, type);
  if (nr_type_is_scalar(type)) return nr_build_extract(b, nr_abi_type_build_in(b, c, outer), NULL, 0);
  NrValue *inner = nr_abi_type_build_in(b, c, outer);
  if (holds_vectors(type)) {
    NrType plain = nr_type_memref(type->dims, type->rank, type->elem);
    return placed(b, move_vectors(b, alloc_like(b, outer, plain), inner, false), true, type);
  }
  if (type->kind == NR_TYPE_MEMREF) return placed(b, inner, c->elem != c->type, type);
  return type->kind == NR_TYPE_VECTOR ? vector_in(b, inner, type) : nr_build_tensor_cast(b, inner, type);
}

NrValue *nr_abi_out(NrBuilder *b, const NrAbiType *c, NrValue *value, NrType outer) {
  NrType type = value->type;
  bool same = c->elem == c->type;
  if (nr_type_is_handle(type) || type == outer) return value;
  if (has_no_rank(type)) return unranked_out(b, c, value, outer);
  if (nr_type_is_scalar(type))
    return nr_abi_type_build_out(b, c, nr_build_from_elements(b, nr_type_tensor(NULL, 0, type), &value, 1));
  if (holds_vectors(type)) {
    NrType plain = nr_type_memref(type->dims, type->rank, type->elem);
    if (type != plain) value = copy_of(b, value, plain);
    return nr_abi_type_build_out(b, c, move_vectors(b, value, new_elements(b, value), true));
  }
  if (type->kind == NR_TYPE_MEMREF && same) return copy_of(b, value, outer);
  if (type->kind == NR_TYPE_VECTOR) value = vector_out(b, value);
  if (type->kind == NR_TYPE_TENSOR && same) return nr_build_tensor_cast(b, value, outer);
  return nr_abi_type_build_out(b, c, value);
}
