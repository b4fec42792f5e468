/* check_reshapes.c - builds the checks of reshapes and of the dims of results; see check_shapes.c. */
#include "dialect/arith/arith.h"
#include "dialect/linalg/linalg.h"
#include "dialect/memref/memref.h"
#include "dialect/operands.h"
#include "dialect/scf/scf.h"
#include "dialect/tensor/tensor.h"
#include "pass/analysis/prover.h"
#include "pass/guard/check_shapes.h"
#include "pass/loop/loops.h"

#include <stdio.h>

static void check_counts(NrBuilder *b, NrOp *op, NrValue *have, NrValue *want) {
  nr_check_unless(b, op, nr_fold_cmpi(b, NR_CMPI_EQ, have, want), "the shapes have %0 and %1 elements",
                  (NrValue *[]){have, want}, 2);
}

/* Checks that a computed size is from 0 to NR_MAX_DIM. */
static void check_size(NrBuilder *b, NrOp *op, uint32_t d, NrValue *size) {
  char text[96];
  int64_t known;
  if (nr_value_constant_int(size, &known) && known >= 0 && known <= NR_MAX_DIM) return;
  snprintf(text, sizeof text, "dim %u of the result would be %%0", d);
  nr_check_unless(b, op, nr_arith_cmpi(b, NR_CMPI_ULE, size, nr_check_number(b, NR_MAX_DIM)), text, &size, 1);
}

/* The product of the dims that are not 0 must be at most NR_MAX_DIM, also for an empty tensor (prover.h). */
static void check_measure(NrBuilder *b, NrOp *op, NrValue *const *sizes, uint32_t rank) {
  NrValue *n = nr_check_number(b, 1);
  uint32_t open = 0;
  int64_t known;
  for (uint32_t d = 0; d < rank; d++) {
    open += !nr_value_constant_int(sizes[d], &known);
    n = nr_check_product(b, n, nr_fold_binary(b, NR_OP_arith_maxui, sizes[d], nr_check_number(b, 1)));
  }
  if (open > 1)
    nr_check_unless(b, op, nr_arith_cmpi(b, NR_CMPI_ULE, n, nr_check_number(b, NR_MAX_DIM)),
                    "gives a tensor that is too large", NULL, 0);
}

void nr_check_expand_shape(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *source = nr_op_source(op), *sizes[NR_MAX_RANK];
  uint32_t rank = nr_op_result(op)->type->rank;
  NrGroups groups;
  if (nr_index_list_size(op, nr_output_shape_slot.attr) != rank || !nr_groups_of(op, &groups)) return;
  for (uint32_t d = 0; d < rank; d++) {
    sizes[d] = nr_index_value(&b, nr_index_list_get(op, nr_output_shape_slot, d));
    check_size(&b, op, d, sizes[d]);
  }
  for (uint32_t g = 0; g < groups.count; g++) {
    NrValue *n = nr_check_number(&b, 1);
    for (uint32_t i = 0; i < groups.size[g]; i++) n = nr_check_product(&b, n, sizes[groups.begin[g] + i]);
    check_counts(&b, op, nr_check_size_of(&b, source, g), n);
  }
  check_measure(&b, op, sizes, rank);
}

enum { MAX_UNRANKED = 16 }; /* dims of a value of unknown rank in machine code */

/* Builds the number of elements of an unranked value by a loop over its dims. */
static NrValue *count_unranked(NrBuilder *b, NrValue *shaped) {
  bool memref = nr_type_is_memref(shaped->type);
  NrType type = nr_type_index(b->ctx);
  NrValue *index, *n = nr_check_number(b, 1);
  NrValue *rank = nr_build_value(b, memref ? NR_OP_memref_rank : NR_OP_tensor_rank, type, &shaped, 1);
  NrOp *loop = nr_scf_open_for(b, nr_check_number(b, 0), rank, nr_check_number(b, 1), &n, 1, &index);
  n = nr_check_product(b, n, nr_build_value(b, memref ? NR_OP_memref_dim : NR_OP_tensor_dim, type,
                                   (NrValue *[]){shaped, index}, 2));
  nr_scf_close_for(b, loop, &n, 1);
  return n;
}

/* For a shape operand that is a memref or tensor of static or dynamic length. */
void nr_check_reshape(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *source = nr_op_source(op), *shape = nr_op_shape(op), *index, *n = nr_check_number(&b, 1);
  if (!nr_type_is_ranked(shape->type)) return;
  bool memref = nr_type_is_memref(shape->type);
  NrValue *rank = nr_check_size_of(&b, shape, 0);
  NrValue *fits = nr_arith_cmpi(&b, NR_CMPI_ULE, rank, nr_check_number(&b, MAX_UNRANKED));
  nr_check_unless(&b, op, fits, "gives a value of %0 dims", &rank, 1);
  NrOp *loop = nr_scf_open_for(&b, nr_check_number(&b, 0), rank, nr_check_number(&b, 1), &n, 1, &index);
  NrValue *dim = nr_build_value(&b, memref ? NR_OP_memref_load : NR_OP_tensor_extract, shape->type->elem,
                                (NrValue *[]){shape, index}, 2);
  if (!nr_type_is_index(dim->type)) dim = nr_build_value(&b, NR_OP_arith_index_cast, nr_type_index(b.ctx), &dim, 1);
  nr_check_unless(&b, op, nr_arith_cmpi(&b, NR_CMPI_SGE, dim, nr_check_number(&b, 0)), "dim %0 of the shape is %1",
                  (NrValue *[]){index, dim}, 2);
  n = nr_check_product(&b, n, dim);
  nr_scf_close_for(&b, loop, &n, 1);
  bool ranked = nr_type_is_ranked(source->type);
  check_counts(&b, op, ranked ? nr_check_count_of(&b, source, 0, source->type->rank) : count_unranked(&b, source), n);
}

/* ---- dims of results --------------------------------------------------------------------------------------------- */

void nr_check_dynamic_sizes(NrOp *op, size_t first) {
  NrBuilder b = nr_builder_before(op);
  NrType type = nr_op_result(op)->type;
  for (uint32_t d = 0; d < type->rank; d++)
    if (type->dims[d] == NR_DYNAMIC) check_size(&b, op, d, nr_operand(op, first++));
}

void nr_check_collapse_shape(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrGroups groups;
  if (!nr_groups_of(op, &groups)) return;
  for (uint32_t g = 0; g < groups.count; g++)
    nr_check_static_dim(&b, op, g,
                        nr_check_count_of(&b, nr_op_source(op), groups.begin[g], groups.begin[g] + groups.size[g]));
}

/* insert-ub-checks checks for negative padding. */
void nr_check_pad(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  for (uint32_t d = 0; d < nr_op_result(op)->type->rank; d++) {
    NrValue *size = nr_check_size_of(&b, nr_tensor_pad_source(op), d), *fits = NULL, *pads[2];
    for (size_t k = 0; k < 2; k++) {
      pads[k] = nr_index_value(&b, nr_index_list_get(op, nr_pad_slots[k], d));
      fits = nr_check_both(&b, fits, nr_fold_cmpi(&b, NR_CMPI_ULE, pads[k], nr_check_number(&b, NR_MAX_DIM)));
    }
    char text[96];
    snprintf(text, sizeof text, "the padding of dim %u is %%0 and %%1", d);
    nr_check_unless(&b, op, fits, text, pads, 2);
    for (size_t k = 0; k < 2; k++) size = nr_fold_binary(&b, NR_OP_arith_addi, size, pads[k]);
    nr_check_static_dim(&b, op, d, size);
  }
}

void nr_check_concat(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  uint32_t axis = (uint32_t)nr_op_attr_int(op, NR_A_dim, 0);
  for (uint32_t d = 0; d < nr_op_result(op)->type->rank; d++) {
    NrValue *first = nr_check_size_of(&b, nr_operand(op, NR_TENSOR_CONCAT_INPUTS), d), *total = first;
    for (uint32_t i = NR_TENSOR_CONCAT_INPUTS + 1; i < op->num_operands; i++) {
      NrValue *size = nr_check_size_of(&b, nr_operand(op, i), d);
      if (d == axis) total = nr_fold_binary(&b, NR_OP_arith_addi, total, size);
      else nr_check_unless(&b, op, nr_fold_cmpi(&b, NR_CMPI_EQ, first, size), "joins tensors with dims of %0 and %1",
                           (NrValue *[]){first, size}, 2);
    }
    nr_check_static_dim(&b, op, d, total);
  }
}

/* For a shape operand that is a tensor of static length. */
void nr_check_tensor_reshape(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *source = nr_tensor_reshape_source(op), *shape = nr_tensor_reshape_shape(op), *n = nr_check_number(&b, 1);
  NrType index = nr_type_index(b.ctx);
  NrValue *sizes[NR_MAX_RANK];
  int64_t rank = shape->type->dims[0];
  for (int64_t i = 0; i < rank; i++) {
    NrValue *dim =
        nr_build_value(&b, NR_OP_tensor_extract, shape->type->elem, (NrValue *[]){shape, nr_check_number(&b, i)}, 2);
    if (dim->type != index) dim = nr_build_value(&b, NR_OP_arith_index_cast, index, &dim, 1);
    check_size(&b, op, (uint32_t)i, dim);
    sizes[i] = dim;
    if (nr_type_is_ranked(nr_op_result(op)->type)) nr_check_static_dim(&b, op, (uint32_t)i, dim);
    n = nr_check_product(&b, n, dim);
  }
  check_counts(&b, op, nr_check_count_of(&b, source, 0, source->type->rank), n);
  check_measure(&b, op, sizes, (uint32_t)rank);
}
