/* check_bounds.c - accesses ask first whether their indices are in bounds, and fail the run when not.
 *
 *   before  %x = memref.load %m[%i] : memref<?xf32>
 *   after   %in = arith.cmpi ult, %i, %size : index
 *           rt.check %in, "'memref.load' op index %0 of dim 0 is out of bounds: the dim is %1"(%i, %size)
 *           %x = memref.load %m[%i] : memref<?xf32>
 *
 * The messages are those of the interpreter, which checks always. It is for programs in text: what the compiler makes
 * of a model checks what can be wrong already. The operands of linalg.generic are left out, as are vector.transfer_*,
 * which have bounds of their own. */
#include "dialect/arith/arith.h"
#include "dialect/shaped.h"
#include "pass/checks.h"
#include "pass/pass.h"

#include <stdio.h>

typedef NR_VEC(NrOp *) Ops;

static NrValue *size_of(NrBuilder *b, NrValue *shaped, uint32_t dim) {
  if (shaped->type->dims[dim] != NR_DYNAMIC) return nr_arith_constant_index(b, shaped->type->dims[dim]);
  unsigned id = shaped->type->kind == NR_TYPE_MEMREF ? NR_OP_memref_dim : NR_OP_tensor_dim;
  return nr_build_value(b, id, nr_type_index(b->ctx), (NrValue *[]){shaped, nr_arith_constant_index(b, dim)}, 2);
}

/* The operands from `first` on index `shaped`; the access takes a vector from there on, or one element (NULL). */
static void check_indices(NrOp *op, uint32_t shaped_at, uint32_t first, NrType vector) {
  NrBuilder b = nr_builder_before(op);
  NrValue *shaped = nr_operand(op, shaped_at);
  uint32_t rank = shaped->type->rank, whole = vector && vector->rank <= rank ? rank - vector->rank : rank;
  for (uint32_t d = 0; d < rank; d++) {
    NrValue *index = nr_operand(op, first + d), *size = size_of(&b, shaped, d);
    /* Without a sign: an index below zero is larger than any size. */
    NrValue *inside = nr_arith_cmpi(&b, NR_CMPI_ULT, index, size);
    int64_t extent = d >= whole ? vector->dims[d - whole] : 1;
    if (extent > 1) {
      NrValue *end = nr_arith_binary(&b, NR_OP_arith_subi, size, nr_arith_constant_index(&b, extent - 1));
      inside = nr_arith_binary(&b, NR_OP_arith_andi, inside, nr_arith_cmpi(&b, NR_CMPI_SLT, index, end));
    }
    char text[96];
    snprintf(text, sizeof text, "index %%0 of dim %u is out of bounds: the dim is %%1", d);
    nr_check_unless(&b, op, inside, text, (NrValue *[]){index, size}, 2);
  }
}

/* Offsets, sizes and strides of a view or slice of `shaped`: empty, or its first and last element in bounds. */
static void check_slice(NrOp *op, NrValue *shaped, const NrIndexListSlot *slots) {
  NrBuilder b = nr_builder_before(op);
  NrValue *zero = nr_arith_constant_index(&b, 0), *one = nr_arith_constant_index(&b, 1);
  for (uint32_t d = 0; d < shaped->type->rank; d++) {
    NrValue *v[4];
    for (size_t k = 0; k < 3; k++) v[k] = nr_index_value(&b, nr_index_list_get(op, slots[k], d));
    v[3] = size_of(&b, shaped, d);
    NrValue *steps = nr_arith_binary(&b, NR_OP_arith_subi, v[1], one);
    NrValue *last = nr_arith_binary(&b, NR_OP_arith_addi, v[0], nr_arith_binary(&b, NR_OP_arith_muli, steps, v[2]));
    NrValue *first_in = nr_arith_cmpi(&b, NR_CMPI_ULT, v[0], v[3]);
    NrValue *last_in = nr_arith_cmpi(&b, NR_CMPI_ULT, last, v[3]);
    NrValue *empty = nr_arith_binary(&b, NR_OP_arith_andi, nr_arith_cmpi(&b, NR_CMPI_EQ, v[1], zero),
                                     nr_arith_cmpi(&b, NR_CMPI_SGE, v[0], zero));
    NrValue *inside = nr_arith_binary(&b, NR_OP_arith_andi, first_in, last_in);
    inside = nr_arith_binary(&b, NR_OP_arith_andi, inside, nr_arith_cmpi(&b, NR_CMPI_SGT, v[1], zero));
    char text[96];
    snprintf(text, sizeof text, "the slice [%%0, +%%1, step %%2] leaves dim %u of %%3", d);
    nr_check_unless(&b, op, nr_arith_binary(&b, NR_OP_arith_ori, empty, inside), text, v, 4);
  }
}

static void check_op(NrOp *op) {
  switch (op->info->id) {
  case NR_OP_memref_load:
  case NR_OP_tensor_extract:
  case NR_OP_memref_generic_atomic_rmw: check_indices(op, 0, 1, NULL); return;
  case NR_OP_memref_store:
  case NR_OP_tensor_insert:
  case NR_OP_memref_atomic_rmw: check_indices(op, 1, 2, NULL); return;
  case NR_OP_vector_load: check_indices(op, 0, 1, nr_result(op, 0)->type); return;
  case NR_OP_vector_store: check_indices(op, 1, 2, nr_operand(op, 0)->type); return;
  case NR_OP_memref_subview:
  case NR_OP_tensor_extract_slice: check_slice(op, nr_operand(op, 0), nr_extract_slice_slots); return;
  case NR_OP_tensor_insert_slice: check_slice(op, nr_operand(op, 1), nr_insert_slice_slots); return;
  default: return;
  }
}

static bool collect(NrOp *op, void *user) {
  nr_vec_push((Ops *)user, op);
  return true;
}

static NrStatus check_bounds_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  Ops ops = {0};
  nr_walk_pre(root, collect, &ops);
  for (size_t i = 0; i < ops.size; i++) check_op(ops.data[i]);
  nr_vec_deinit(&ops);
  return NR_OK;
}

NR_PASS(check_bounds, .name = "check-bounds", .run = check_bounds_run,
        .doc = "accesses whose index is out of bounds fail the run with a message")
