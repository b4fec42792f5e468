/* finalize_memref.c - views of memory become pointers and index arithmetic.
 *   before  %v = memref.subview %m[%i, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: ?>>
 *           %y = memref.load %v[%j] : memref<8xf32, strided<[1], offset: ?>>
 *   after   %p = rt.pointer %m : memref<4x8xf32> -> memref<?xf32>
 *           %0 = arith.muli %i, %c8 overflow<nsw> : index
 *           %1 = arith.addi %0, %j overflow<nsw> : index
 *           %y = memref.load %p[%1] : memref<?xf32>
 * Elements and rows are then accessed by their number from a pointer (descriptor.h). Functions, blocks and calls take
 * and give pointers and, as values of their own, what the types do not fix: offsets, sizes, strides (memref_blocks.c).
 * Whole memrefs pass between the program and the runtime only: at rt.call and in wrappers (c_wrappers.c). There
 * memref.dim and rt.pointer take them apart, and memref.reinterpret_cast or memref.reshape makes them of a pointer.
 *
 * The other files of this pass: descriptor.c (memrefs as parts), memref_alloc.c, memref_views.c, memref_copy.c,
 * memref_unranked.c. */
#include "dialect/arith/arith.h"
#include "dialect/bufferization/ops.h"
#include "dialect/func/func.h"
#include "dialect/memref/memref.h"
#include "dialect/operands.h"
#include "dialect/rt/ops.h"
#include "dialect/vector/vector.h"
#include "base/guard.h"
#include "ir/text.h"
#include "noria/exec_abi.h"
#include "pass/core/rewrite.h"
#include "pass/expand/descriptor.h"
#include "pass/expand/limits.h"

typedef NrDescriptors X;
typedef NrDescriptor D;

/* ---- accesses --------------------------------------------------------------------------------------------------- */

/* The type that an access reads or writes. */
static NrType accessed_type(const NrOp *op) {
  if (op->num_results) return nr_op_result(op)->type;
  return nr_op_is(op, NR_OP_vector_store) ? nr_vector_store_value(op)->type
                                          : nr_operand(op, op->num_operands - 1)->type;
}

/* Whether an access reaches contiguous elements, or only one. */
static bool is_contiguous(const NrOp *op, NrType memref, const D *d) {
  if (strcmp(op->info->dialect, "vector") != 0) return true;
  NrType vector = accessed_type(op);
  if (memref->elem == vector) return true;
  if (vector->kind != NR_TYPE_VECTOR || vector->rank != 1 || memref->elem->kind == NR_TYPE_VECTOR) return true;
  return !memref->rank || vector->dims[0] == 1 || nr_index_is(d->strides[memref->rank - 1], 1);
}

/* The index vector of a gather or scatter, which counts steps along the last dim, as element numbers: times the
 * stride. */
static NrValue *in_elements(X *x, NrValue *numbers, NrIndex stride) {
  if (nr_index_is(stride, 1)) return numbers;
  NrType type = nr_type_with_elem(numbers->type, nr_type_index(x->b.ctx));
  NrValue *step = nr_index_value(&x->b, stride);
  step = nr_build_value(&x->b, NR_OP_vector_broadcast, type, &step, 1);
  if (numbers->type != type) numbers = nr_build_value(&x->b, NR_OP_arith_index_cast, type, &numbers, 1);
  return (nr_descriptor_mul(x, (NrIndex){numbers, 0}, (NrIndex){step, 0})).value;
}

static NrStatus refuse_access(NrOp *op) {
  return nr_op_error(op, "on rows whose elements lie apart has no machine code: lower-vectors comes first");
}

/* Ops that access elements or rows of a memref; the indices follow the memref operand. */
static const bool is_access[NR_OP_COUNT] = {
    [NR_OP_memref_load] = true,        [NR_OP_memref_store] = true,           [NR_OP_memref_prefetch] = true,
    [NR_OP_memref_atomic_rmw] = true,  [NR_OP_memref_generic_atomic_rmw] = true,
    [NR_OP_vector_load] = true,        [NR_OP_vector_store] = true,           [NR_OP_vector_maskedload] = true,
    [NR_OP_vector_maskedstore] = true, [NR_OP_vector_gather] = true,          [NR_OP_vector_scatter] = true,
    [NR_OP_vector_expandload] = true,  [NR_OP_vector_compressstore] = true,
};

static NrStatus rewrite_access(X *x, NrOp *op) {
  NrValue *operands[8 + NR_MAX_RANK], *indices[NR_MAX_RANK + 1];
  size_t memref = nr_op_has_memref(op) ? nr_op_memref_index(op) : nr_op_base_index(op), count = 0;
  NrValue *whole = nr_operand(op, memref);
  uint32_t rank = whole->type->rank;
  D *d = nr_descriptor_of(x, whole);
  bool counts = nr_op_is(op, NR_OP_vector_gather) || nr_op_is(op, NR_OP_vector_scatter);
  if (!counts && !is_contiguous(op, whole->type, d)) return refuse_access(op);
  for (uint32_t i = 0; i < rank; i++) indices[i] = nr_operand(op, memref + 1 + i);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    if (i > memref && i <= memref + rank) continue;
    operands[count++] = i == memref ? d->data : nr_operand(op, i);
    if (i == memref) operands[count++] = nr_index_value(&x->b, nr_descriptor_element(x, d, indices, rank));
    if (counts && rank && i == memref + rank + 1)
      operands[count - 1] = in_elements(x, operands[count - 1], d->strides[rank - 1]);
  }
  NrType types[1];
  if (op->num_results) types[0] = nr_op_result(op)->type;
  NrOp *flat = nr_op_rebuild(op, operands, count, types, op->num_results);
  if (op->num_results) nr_value_replace_uses(nr_op_result(op), nr_op_result(flat));
  nr_op_erase(op);
  return NR_OK;
}

/* ---- what a memref is ------------------------------------------------------------------------------------------- */

static NrValue *dim_of(X *x, const D *d, uint32_t rank, NrIndex at) {
  NrValue *size = NULL;
  if (!at.value && at.constant >= 0 && at.constant < rank) size = nr_index_value(&x->b, d->sizes[at.constant]);
  for (uint32_t i = 0; i < rank && at.value; i++) {
    NrValue *here = nr_index_value(&x->b, d->sizes[i]), *number = nr_arith_constant_index(&x->b, i);
    NrValue *is_here = size ? nr_arith_cmpi(&x->b, NR_CMPI_EQ, at.value, number) : NULL;
    size = size ? nr_arith_select(&x->b, is_here, here, size) : here;
  }
  return size ? size : nr_build_value(&x->b, NR_OP_ub_poison, nr_type_index(x->b.ctx), NULL, 0);
}

static void replace_dim(X *x, NrOp *op) {
  NrValue *memref = nr_memref_dim_source(op);
  NrIndex at = nr_index_of(nr_memref_dim_index(op));
  const D *d = nr_descriptor_of(x, memref);
  nr_op_replace(op, nr_descriptor_has_rank(memref) ? dim_of(x, d, memref->type->rank, at)
                                                   : nr_build_vector_extract(&x->b, d->all_sizes, &at, 1));
}

static void replace_rank(X *x, NrOp *op) {
  NrValue *memref = nr_memref_rank_source(op);
  nr_op_replace(op, nr_descriptor_has_rank(memref) ? nr_arith_constant_index(&x->b, memref->type->rank)
                                                   : nr_descriptor_of(x, memref)->rank);
}

static void replace_metadata(X *x, NrOp *op) {
  NrValue *memref = nr_memref_extract_strided_metadata_source(op);
  D *d = nr_descriptor_of(x, memref);
  uint32_t rank = memref->type->rank, first = NR_MEMREF_EXTRACT_STRIDED_METADATA_SIZES_AND_STRIDES;
  for (uint32_t i = NR_MEMREF_EXTRACT_STRIDED_METADATA_OFFSET; i < op->num_results; i++) {
    NrIndex part = i < first ? d->offset : i < first + rank ? d->sizes[i - first] : d->strides[i - first - rank];
    if (nr_value_has_uses(nr_result(op, i)))
      nr_value_replace_uses(nr_result(op, i), nr_index_value(&x->b, part));
  }
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

static void replace_copy(X *x, NrOp *op) {
  nr_descriptor_copy(x, op, nr_memref_copy_target(op), nr_memref_copy_source(op));
  nr_op_erase(op);
}

/* Only a program that was lowered before has an rt.copy here; its memrefs become pointers, and its indices element
 * numbers. */
static void replace_rt_copy(X *x, NrOp *op) {
  static const struct {
    unsigned char pointer, index;
  } ends[] = {{NR_RT_COPY_SOURCE, NR_RT_COPY_FROM}, {NR_RT_COPY_TARGET, NR_RT_COPY_TO}};
  for (size_t i = 0; i < NR_COUNTOF(ends); i++) {
    const D *d = nr_descriptor_of(x, nr_operand(op, ends[i].pointer));
    NrValue *at = nr_operand(op, ends[i].index);
    nr_op_set_operand(op, ends[i].pointer, d->data);
    nr_op_set_operand(op, ends[i].index, nr_index_value(&x->b, nr_descriptor_element(x, d, &at, 1)));
  }
}

static void replace_clone(X *x, NrOp *op) {
  NrValue *source = nr_bufferization_clone_input(op), *out = nr_op_result(op);
  if (nr_descriptor_has_rank(source) && nr_descriptor_has_rank(out)) {
    nr_map_set(&x->of, out, nr_descriptor_clone(x, op, source));
  } else {
    D *from = nr_descriptor_forget_rank(x, op, source);
    D *d = from ? nr_descriptor_clone_unranked(x, op, source->type->elem, from) : NULL;
    if (d && nr_descriptor_has_rank(out)) d = nr_descriptor_with_rank(x, out->type, d);
    nr_map_set(&x->of, out, d);
  }
  nr_vec_push(&x->done, op);
}

static void replace_transfer(X *x, NrOp *op) {
  nr_descriptor_transfer(x, op);
  nr_op_erase(op);
}

/* The row-major type of the same shape. */
static NrType dense_type(NrType type) {
  return nr_type_is_ranked(type) ? nr_type_memref_layout(type->dims, type->rank, type->elem, NULL, type->space) : type;
}

/* A memref without gaps, as the runtime needs it: memref itself, or a copy. *out_copy is the buffer of the copy, or
 * NULL. */
static NrValue *whole_without_gaps(X *x, NrOp *at, NrValue *memref, NrValue **out_copy) {
  bool has_rank = nr_descriptor_has_rank(memref), has_gaps = !has_rank || !nr_descriptor_is_row_major(memref->type);
  *out_copy = NULL;
  if (!has_gaps) return nr_descriptor_whole(x, nr_descriptor_of(x, memref), memref->type);
  D *d = has_rank ? nr_descriptor_clone(x, at, memref)
                  : nr_descriptor_clone_unranked(x, at, memref->type->elem, nr_descriptor_of(x, memref));
  if (!d) return memref;
  *out_copy = d->data;
  return nr_descriptor_whole(x, d, dense_type(memref->type));
}

static NrStatus check_passes(NrOp *op, NrType type) {
  if (nr_passes_to_runtime(type)) return NR_OK;
  return nr_op_error(
      op, "passes a value of type %s; only scalars, handles and dense memrefs of rank up to %d go to the runtime",
      nr_type_text(type->ctx, type), NORIA_MAX_RANK);
}

static NrStatus pass_to_runtime(X *x, NrOp *call) {
  for (uint32_t i = 0; i < call->num_results; i++) NR_TRY(check_passes(call, nr_result(call, i)->type));
  for (uint32_t i = 0; i < call->num_operands; i++) {
    NrValue *memref = nr_operand(call, i), *copy;
    bool is_memref = nr_type_is_memref(memref->type);
    NR_TRY(check_passes(call, is_memref ? dense_type(memref->type) : memref->type));
    if (!is_memref) continue;
    nr_op_set_operand(call, i, whole_without_gaps(x, call, memref, &copy));
    if (!copy) continue;
    NrBuilder after = nr_builder_after(call);
    nr_build_op(&after, NR_OP_memref_dealloc, &copy, 1, NULL, 0);
  }
  return NR_OK;
}

/* The caller of a wrapper owns the memrefs that it returns, so copies are not freed here. */
static void give_to_runtime(X *x, NrOp *op) {
  NrValue *copy;
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_type_is_memref(nr_operand(op, i)->type))
      nr_op_set_operand(op, i, whole_without_gaps(x, op, nr_operand(op, i), &copy));
}

static void replace_return(X *x, NrOp *op) {
  if (nr_op_attr(nr_op_parent(op), NR_A_noria_c_wrapper)) give_to_runtime(x, op);
  else nr_parts_replace_call(x, op);
}

static NrStatus make_buffer(X *x, NrOp *op) {
  NrType type = nr_op_result(op)->type;
  nr_vec_push(&x->done, op);
  if (nr_descriptor_of(x, nr_op_result(op))) return NR_OK;
  return nr_op_error(op, "makes a buffer of type %s, of which offset or strides are not known",
                     nr_type_text(type->ctx, type));
}

/* Replaces operand `memref` of an op that frees or reallocates by the pointer that was allocated. */
static void take_allocation(X *x, NrOp *op, size_t memref) {
  const D *d = nr_descriptor_of(x, nr_operand(op, memref));
  nr_op_set_operand(op, memref, d->allocation ? d->allocation : d->data);
}

static void take_pointer(X *x, NrOp *op) {
  NrValue *source = nr_memref_extract_aligned_pointer_as_index_source(op);
  nr_op_set_operand(op, NR_MEMREF_EXTRACT_ALIGNED_POINTER_AS_INDEX_SOURCE, nr_descriptor_of(x, source)->data);
}

static NrStatus finalize(X *x, NrOp *op) {
  x->b = nr_builder_before(op);
  if (is_access[op->info->id]) return rewrite_access(x, op);
  if (nr_descriptor_is_new_buffer(op)) return make_buffer(x, op);
  switch (op->info->id) {
  case NR_OP_memref_dim: replace_dim(x, op); break;
  case NR_OP_memref_rank: replace_rank(x, op); break;
  case NR_OP_memref_dealloc: take_allocation(x, op, NR_MEMREF_DEALLOC_MEMREF); break;
  case NR_OP_memref_realloc: take_allocation(x, op, NR_MEMREF_REALLOC_SOURCE); break;
  case NR_OP_memref_extract_aligned_pointer_as_index: take_pointer(x, op); break;
  case NR_OP_memref_copy: replace_copy(x, op); break;
  case NR_OP_bufferization_clone: replace_clone(x, op); break;
  case NR_OP_rt_copy: replace_rt_copy(x, op); break;
  case NR_OP_memref_dma_start: replace_transfer(x, op); break;
  case NR_OP_memref_dma_wait: nr_op_erase(op); break;
  case NR_OP_rt_call: return pass_to_runtime(x, op);
  case NR_OP_func_return: replace_return(x, op); break;
  case NR_OP_func_call:
  case NR_OP_func_call_indirect:
  case NR_OP_rt_dispatch: nr_parts_replace_call(x, op); break;
  default:
    if (nr_op_is(op, NR_OP_memref_extract_strided_metadata)) replace_metadata(x, op);
    if (!nr_descriptor_view(op)) break;
    nr_descriptor_of(x, nr_descriptor_view(op));
    nr_vec_push(&x->done, op);
  }
  return x->status;
}

/* Erases an op whose results have become parts. A user that takes a whole memref gets one that is built from the
 * parts. */
static void retire(X *x, NrOp *op) {
  x->b = nr_builder_before(op);
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrValue *result = nr_result(op, i);
    if (nr_value_has_uses(result))
      nr_value_replace_uses(result, nr_descriptor_whole(x, nr_descriptor_of(x, result), result->type));
  }
  nr_op_erase(op);
}

static NrStatus finalize_function(X *x, NrOp *func) {
  NrOpList ops = {0};
  NrBlockList blocks = {0};
  NrStatus status = NR_OK;
  nr_guard_at(func->loc);
  nr_erase_unreachable_blocks(nr_func_func_region(func));
  nr_parts_open_blocks(x, func);
  nr_collect_blocks(nr_func_func_region(func), &blocks);
  for (size_t i = 0; i < blocks.size; i++)
    for (NrOp *op = blocks.data[i]->first; op; op = op->next) {
      nr_vec_push(&ops, op);
      if (op->num_regions) nr_collect_ops(op, &ops);
    }
  for (size_t i = 0; i < ops.size && !status; i++) status = finalize(x, ops.data[i]);
  if (!status) {
    nr_parts_pass(x, func);
    for (size_t i = x->done.size; i-- > 0;) retire(x, x->done.data[i]);
    nr_parts_drop_args(x, func);
  }
  nr_map_clear(&x->of);
  nr_map_clear(&x->parts);
  x->done.size = 0;
  nr_vec_deinit(&ops);
  nr_vec_deinit(&blocks);
  return status;
}

static bool is_function(const NrOp *op) { return nr_op_is(op, NR_OP_func_func) && nr_func_func_body(op); }

static NrStatus finalize_memref_run(NrPassContext *pass, NrOp *root) {
  X x = {.arena = pass->scratch, .nsw = nr_arith_overflow_attr(pass->ctx, NR_OVERFLOW_NSW)};
  NrOpList functions = {0};
  NrStatus status = NR_OK;
  if (root == pass->module->op) nr_add_c_wrappers(root); /* functions of inner modules are not called from outside */
  nr_collect_pre(root, is_function, &functions);
  nr_parts_convert_types(root);
  for (size_t i = 0; i < functions.size && !status; i++) status = finalize_function(&x, functions.data[i]);
  nr_vec_deinit(&functions);
  nr_vec_deinit(&x.done);
  nr_map_deinit(&x.of);
  nr_map_deinit(&x.parts);
  return status;
}

NR_PASS(finalize_memref, .name = "finalize-memref", .on_while = NR_WHILE_BARRIER, .of_table = true,
        .run = finalize_memref_run, .doc = "memrefs become pointers, and views of them index arithmetic")
