/* finalize_memref.c - views of memory become pointers and index arithmetic.
 *   before  %v = memref.subview %m[%i, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: ?>>
 *           %y = memref.load %v[%j] : memref<8xf32, strided<[1], offset: ?>>
 *   after   %p = rt.pointer %m : memref<4x8xf32> -> memref<?xf32>
 *           %0 = arith.muli %i, %c8 overflow<nsw> : index
 *           %1 = arith.addi %0, %j overflow<nsw> : index
 *           %y = memref.load %p[%1] : memref<?xf32>
 * Elements and rows are then accessed by their number from a pointer (descriptor.h). Ops that take whole memrefs, as
 * calls, branches and copies do, get one that memref.reinterpret_cast makes of the parts. */
#include "dialect/arith/arith.h"
#include "pass/core/rewrite.h"
#include "pass/expand/descriptor.h"

typedef NrDescriptors X;
typedef NrDescriptor D;

/* ---- accesses --------------------------------------------------------------------------------------------------- */

/* Ops on elements or rows of a memref, with its indices behind it: the memref operand, plus 1. */
static const unsigned char accesses[NR_OP_COUNT] = {
    [NR_OP_memref_load] = 1,         [NR_OP_memref_store] = 2,         [NR_OP_memref_prefetch] = 1,
    [NR_OP_memref_atomic_rmw] = 2,   [NR_OP_memref_generic_atomic_rmw] = 1,
    [NR_OP_vector_load] = 1,         [NR_OP_vector_store] = 2,         [NR_OP_vector_maskedload] = 1,
    [NR_OP_vector_maskedstore] = 1,  [NR_OP_vector_gather] = 1,        [NR_OP_vector_scatter] = 1,
    [NR_OP_vector_expandload] = 1,   [NR_OP_vector_compressstore] = 1,
};

/* What is read or written. */
static NrType accessed_type(const NrOp *op) {
  if (op->num_results) return nr_result(op, 0)->type;
  return nr_operand(op, nr_op_is(op, NR_OP_vector_store) ? 0 : op->num_operands - 1)->type;
}

/* Whether an access reaches elements that lie side by side, or one. */
static bool is_contiguous(const NrOp *op, NrType memref, const D *d) {
  if (strcmp(op->info->dialect, "vector") != 0) return true;
  NrType vector = accessed_type(op);
  if (memref->elem == vector) return true;
  if (vector->kind != NR_TYPE_VECTOR || vector->rank != 1 || memref->elem->kind == NR_TYPE_VECTOR) return false;
  bool counts = nr_op_is(op, NR_OP_vector_gather) || nr_op_is(op, NR_OP_vector_scatter); /* in strides, one lane too */
  return !memref->rank || (vector->dims[0] == 1 && !counts) || nr_index_is(d->strides[memref->rank - 1], 1);
}

static void rewrite_access(X *x, NrOp *op, size_t memref) {
  NrValue *operands[8 + NR_MAX_RANK], *whole = nr_operand(op, memref);
  NrType types[1];
  if (whole->type->kind != NR_TYPE_MEMREF) return;
  uint32_t rank = whole->type->rank, count = 0;
  D *d = nr_descriptor_of(x, whole);
  if (!is_contiguous(op, whole->type, d)) return;
  NrValue *indices[NR_MAX_RANK + 1];
  for (uint32_t i = 0; i < rank; i++) indices[i] = nr_operand(op, memref + 1 + i);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    if (i > memref && i <= memref + rank) continue;
    operands[count++] = i == memref ? d->data : nr_operand(op, i);
    if (i == memref) operands[count++] = nr_index_value(&x->b, nr_descriptor_element(x, d, indices, rank));
  }
  if (op->num_results) types[0] = nr_result(op, 0)->type;
  NrOp *flat = nr_op_rebuild(op, operands, count, types, op->num_results);
  if (op->num_results) nr_value_replace_uses(nr_result(op, 0), nr_result(flat, 0));
  nr_op_erase(op);
}

/* ---- what a memref is ------------------------------------------------------------------------------------------- */

static void replace_dim(X *x, NrOp *op) {
  NrType type = nr_operand(op, 0)->type;
  NrIndex at = nr_index_of(nr_operand(op, 1));
  if (type->kind != NR_TYPE_MEMREF) return;
  D *d = nr_descriptor_of(x, nr_operand(op, 0));
  NrValue *size = NULL;
  if (!at.value && at.constant >= 0 && at.constant < type->rank) size = nr_index_value(&x->b, d->sizes[at.constant]);
  for (uint32_t i = 0; i < type->rank && at.value; i++) {
    NrValue *here = nr_index_value(&x->b, d->sizes[i]), *number = nr_arith_constant_index(&x->b, i);
    NrValue *is_here = size ? nr_arith_cmpi(&x->b, NR_CMPI_EQ, at.value, number) : NULL;
    size = size ? nr_arith_select(&x->b, is_here, here, size) : here;
  }
  if (!size) size = nr_build_value(&x->b, NR_OP_ub_poison, nr_type_index(x->b.ctx), NULL, 0);
  nr_op_replace(op, size);
}

static void replace_metadata(X *x, NrOp *op) {
  D *d = nr_descriptor_of(x, nr_operand(op, 0));
  uint32_t rank = nr_operand(op, 0)->type->rank;
  for (uint32_t i = 1; i < op->num_results; i++) {
    NrIndex part = i == 1 ? d->offset : i < 2 + rank ? d->sizes[i - 2] : d->strides[i - 2 - rank];
    if (nr_value_has_uses(nr_result(op, i)))
      nr_value_replace_uses(nr_result(op, i), nr_index_value(&x->b, part));
  }
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

static bool both_have_rank(const NrValue *a, const NrValue *b) {
  return a->type->kind == NR_TYPE_MEMREF && b->type->kind == NR_TYPE_MEMREF;
}

static void replace_copy(X *x, NrOp *op) {
  if (!both_have_rank(nr_operand(op, 0), nr_operand(op, 1))) return;
  nr_descriptor_copy(x, op, nr_operand(op, 1), nr_operand(op, 0));
  nr_op_erase(op);
}

static void replace_clone(X *x, NrOp *op) {
  NrValue *source = nr_operand(op, 0), *out = nr_result(op, 0);
  if (!both_have_rank(source, out)) return;
  NrValue *copy = nr_descriptor_clone(x, op, source);
  nr_op_replace(op, copy->type == out->type ? copy : nr_descriptor_whole(x, nr_descriptor_of(x, copy), out->type));
}

static void replace_transfer(X *x, NrOp *op) {
  nr_descriptor_transfer(x, op);
  nr_op_erase(op);
}

/* The runtime takes memrefs without gaps: it gets a copy of others. */
static void copy_arguments(X *x, NrOp *call) {
  for (uint32_t i = 0; i < call->num_operands; i++) {
    NrValue *whole = nr_operand(call, i);
    if (whole->type->kind != NR_TYPE_MEMREF || nr_descriptor_is_row_major(whole->type)) continue;
    NrValue *copy = nr_descriptor_clone(x, call, whole);
    nr_op_set_operand(call, i, copy);
    NrBuilder after = nr_builder_after(call);
    nr_build_op(&after, NR_OP_memref_dealloc, &copy, 1, NULL, 0);
  }
}

static NrStatus make_buffer(X *x, NrOp *op) {
  NrType type = nr_result(op, 0)->type;
  if (nr_descriptor_of(x, nr_result(op, 0))) return NR_OK;
  return nr_op_error(op, "makes a buffer of type %s, of which offset or strides are not known",
                     nr_type_text(type->ctx, type));
}

static void replace_rank(X *x, NrOp *op) {
  if (nr_operand(op, 0)->type->kind == NR_TYPE_MEMREF)
    nr_op_replace(op, nr_arith_constant_index(&x->b, nr_operand(op, 0)->type->rank));
}

/* The allocation of a memref and its address are those of its pointer. */
static void take_pointer(X *x, NrOp *op) {
  if (nr_operand(op, 0)->type->kind == NR_TYPE_MEMREF)
    nr_op_set_operand(op, 0, nr_descriptor_of(x, nr_operand(op, 0))->data);
}

static NrStatus finalize(X *x, NrOp *op) {
  x->b = nr_builder_before(op);
  size_t memref = accesses[op->info->id];
  if (memref) rewrite_access(x, op, memref - 1);
  if (memref) return NR_OK;
  if (nr_descriptor_is_new_buffer(op)) return make_buffer(x, op);
  switch (op->info->id) {
  case NR_OP_memref_dim: replace_dim(x, op); return NR_OK;
  case NR_OP_memref_rank: replace_rank(x, op); return NR_OK;
  case NR_OP_memref_dealloc:
  case NR_OP_memref_extract_aligned_pointer_as_index: take_pointer(x, op); return NR_OK;
  case NR_OP_memref_copy: replace_copy(x, op); return NR_OK;
  case NR_OP_bufferization_clone: replace_clone(x, op); return NR_OK;
  case NR_OP_memref_dma_start: replace_transfer(x, op); return NR_OK;
  case NR_OP_memref_dma_wait: nr_op_erase(op); return NR_OK;
  case NR_OP_rt_call: copy_arguments(x, op); return NR_OK;
  case NR_OP_memref_extract_strided_metadata: replace_metadata(x, op); break;
  default: break;
  }
  if (nr_descriptor_is_view(op)) nr_descriptor_of(x, nr_result(op, 0));
  return NR_OK;
}

/* A view or buffer is gone with its last use, and becomes a cast of a pointer while it has others. */
static void retire(X *x, NrOp *op) {
  D *d = nr_map_get(&x->of, nr_result(op, 0));
  x->b = nr_builder_before(op);
  if (nr_value_has_uses(nr_result(op, 0))) {
    NrValue *whole = nr_descriptor_whole(x, d, nr_result(op, 0)->type);
    nr_value_replace_uses(nr_result(op, 0), whole);
  }
  nr_op_erase(op);
}

static bool is_taken_apart(const NrOp *op) { return nr_descriptor_is_view(op) || nr_descriptor_is_new_buffer(op); }

static NrStatus finalize_memref_run(NrPassContext *pass, NrOp *func) {
  if (!nr_op_body(func, 0)) return NR_OK;
  X x = {.arena = pass->scratch, .nsw = nr_attr_opaque(pass->ctx, NR_STR("arith.overflow<nsw>"), NULL)};
  NrOpList ops = {0};
  NrBlockList blocks = {0};
  nr_erase_unreachable_blocks(nr_op_region(func, 0));
  nr_collect_blocks(nr_op_region(func, 0), &blocks);
  for (size_t i = 0; i < blocks.size; i++)
    for (NrOp *op = blocks.data[i]->first; op; op = op->next) {
      nr_vec_push(&ops, op);
      if (op->num_regions) nr_collect_ops(op, &ops);
    }
  NrStatus status = NR_OK;
  for (size_t i = 0; i < ops.size && !status; i++) status = finalize(&x, ops.data[i]);
  for (size_t i = ops.size; i-- > 0 && !status;)
    if (!nr_is_erased(ops.data[i]) && is_taken_apart(ops.data[i])) retire(&x, ops.data[i]);
  nr_vec_deinit(&ops);
  nr_vec_deinit(&blocks);
  nr_map_deinit(&x.of);
  return status;
}

NR_PASS(finalize_memref, .name = "finalize-memref", .on = "func.func", .run = finalize_memref_run,
        .doc = "views of memory become pointers and index arithmetic")
