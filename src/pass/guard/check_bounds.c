/* check_bounds.c - checks the indices of accesses in front of them; a run with an index out of bounds fails.
 *
 *   before  %x = memref.load %m[%i] : memref<?xf32>
 *   after   %in = arith.cmpi ult, %i, %size : index
 *           rt.check %in, "'memref.load' op index %0 of dim 0 is out of bounds: the dim is %1"(%i, %size)
 *           %x = memref.load %m[%i] : memref<?xf32>
 *
 * Also checks shifts by the width or more and float-to-integer conversions out of range, whose results are poison in
 * LLVM, and drops overflow and fast-math flags. check_shapes.c checks shapes, check_lanes.c vectors in memory,
 * check_life.c uses of memory that was freed or never written. The messages equal those of the interpreter, which
 * always checks. The pass is for programs in text; the lowering of a model inserts its own checks. */
#include "dialect/arith/arith.h"
#include "dialect/memref/memref.h"
#include "dialect/operands.h"
#include "dialect/tensor/ops.h"
#include "dialect/vector/vector.h"
#include "pass/bufferize/bufferize.h"
#include "pass/core/checks.h"
#include "pass/core/rewrite.h"

#include <math.h>
#include <stdio.h>

/* Checks dynamic positions in a vector. */
static void check_position(NrOp *op, NrValue *vector, size_t group) {
  NrBuilder b = nr_builder_before(op);
  NrIndex list[NR_MAX_RANK];
  size_t count = nr_index_list_all(op, (NrIndexListSlot){group, "static_position"}, list);
  for (size_t d = 0; d < count; d++) {
    if (!list[d].value) continue;
    NrValue *values[] = {list[d].value, nr_arith_constant_index(&b, vector->type->dims[d])};
    char text[96];
    snprintf(text, sizeof text, "position %%0 of dim %zu is out of bounds: the dim is %%1", d);
    nr_check_unless(&b, op, nr_arith_cmpi(&b, NR_CMPI_ULT, values[0], values[1]), text, values, 2);
  }
}

/* ---- poison values ---------------------------------------------------------------------------------------------- */

static NrValue *of_type(NrBuilder *b, NrValue *like, NrValue *scalar) {
  return nr_type_is_shaped(like->type) ? nr_build_broadcast(b, scalar, like->type) : scalar;
}

static void check_shift(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *by = nr_op_rhs(op);
  NrType elem = nr_type_elem(by->type);
  int64_t known;
  if (nr_value_constant_int(by, &known) && known >= 0 && known < nr_type_bits(elem)) return;
  NrValue *width = of_type(&b, by, nr_arith_constant_int(&b, elem, nr_type_bits(elem)));
  nr_check_unless(&b, op, nr_arith_cmpi(&b, NR_CMPI_ULT, by, width), "shift by the width or more", NULL, 0);
}

/* Checks that the truncated float is in the integer's range. It compares as f64, which is exact for limits of up to 53
 * bits. */
static void check_float_to_int(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *x = nr_op_in(op);
  NrType f64 = nr_type_f64(b.ctx), to = nr_type_elem(nr_op_result(op)->type);
  uint32_t bits = nr_type_bits(to), from = nr_type_bits(nr_type_elem(x->type));
  bool is_unsigned = nr_op_is(op, NR_OP_arith_fptoui);
  if (bits > 64 || from > 64) return;
  NrType wide = nr_type_is_shaped(x->type) ? nr_type_with_elem(x->type, f64) : f64;
  if (from < 64) x = nr_build_value(&b, NR_OP_arith_extf, wide, &x, 1);
  double end = ldexp(1, (int)(is_unsigned ? bits : bits - 1)), begin = is_unsigned ? 0 : -end;
  bool exact = is_unsigned || bits <= 53;
  NrValue *min = of_type(&b, x, nr_arith_constant(&b, nr_attr_float(f64, exact ? begin - 1 : begin)));
  NrValue *limit = of_type(&b, x, nr_arith_constant(&b, nr_attr_float(f64, end)));
  NrValue *above = nr_arith_cmpf(&b, exact ? NR_CMPF_OGT : NR_CMPF_OGE, x, min);
  NrValue *fits = nr_arith_binary(&b, NR_OP_arith_andi, above, nr_arith_cmpf(&b, NR_CMPF_OLT, x, limit));
  nr_check_unless(&b, op, fits, "the number does not fit the integer", NULL, 0);
}

static void check_value(NrOp *op) {
  NrType type = nr_op_result(op)->type;
  if (type->scalable || nr_type_is_memref(type)) return;
  if (nr_type_is_tensor(type)) {
    if (type->kind == NR_TYPE_TENSOR) check_value(nr_elementwise_to_generic(op));
    return;
  }
  bool casts = nr_op_is(op, NR_OP_arith_fptosi) || nr_op_is(op, NR_OP_arith_fptoui);
  if (casts) check_float_to_int(op);
  else check_shift(op);
}

static void forget_promises(NrOp *op) {
  static const char *const promises[] = {"overflowFlags", "isExact", "fastmath", "nonNeg"};
  if (strcmp(op->info->dialect, "arith") != 0 && strcmp(op->info->dialect, "math") != 0) return;
  for (size_t i = 0; i < NR_COUNTOF(promises); i++) nr_op_remove_attr_named(op, promises[i]);
}

static void drop_alignment(NrOp *op) {
  if (op->num_results) nr_value_replace_uses(nr_op_result(op), nr_memref_assume_alignment_source(op));
  nr_op_erase(op);
}

/* ---- the pass --------------------------------------------------------------------------------------------------- */

static void check_tag(NrOp *op) {
  NrDmaParts parts;
  nr_memref_dma_parts(op, &parts);
  nr_check_indices(op, nr_operand(op, parts.tag), parts.tag + 1, NULL);
}

static void check_op(NrOp *op) {
  forget_promises(op);
  nr_check_shapes(op);
  switch (op->info->id) {
  case NR_OP_memref_load:
  case NR_OP_memref_store:
  case NR_OP_memref_atomic_rmw:
  case NR_OP_memref_generic_atomic_rmw:
    nr_check_indices(op, nr_op_memref(op), nr_op_indices(op).begin, NULL);
    return;
  case NR_OP_tensor_extract:
    nr_check_indices(op, nr_tensor_extract_tensor(op), NR_TENSOR_EXTRACT_INDICES, NULL);
    return;
  case NR_OP_tensor_insert: nr_check_indices(op, nr_tensor_insert_dest(op), NR_TENSOR_INSERT_INDICES, NULL); return;
  case NR_OP_memref_dma_wait:
    nr_check_indices(op, nr_memref_dma_wait_tag(op), NR_MEMREF_DMA_WAIT_INDICES, NULL);
    return;
  case NR_OP_memref_dma_start: check_tag(op); return;
  case NR_OP_vector_load:
    nr_check_indices(op, nr_vector_load_base(op), NR_VECTOR_LOAD_INDICES, nr_op_result(op)->type);
    return;
  case NR_OP_vector_store:
    nr_check_indices(op, nr_vector_store_base(op), NR_VECTOR_STORE_INDICES, nr_vector_store_value(op)->type);
    return;
  case NR_OP_vector_maskedload:
  case NR_OP_vector_maskedstore: nr_check_masked(op, NR_MASKED_ROWS); return;
  case NR_OP_vector_expandload:
    if (nr_op_attr(op, NR_A_noria_readable)) {
      nr_check_indices(op, nr_op_base(op), nr_op_indices(op).begin, nr_op_result(op)->type);
      return;
    }
    nr_check_masked(op, NR_MASKED_PACKED);
    return;
  case NR_OP_vector_compressstore: nr_check_masked(op, NR_MASKED_PACKED); return;
  case NR_OP_vector_gather:
  case NR_OP_vector_scatter: nr_check_masked(op, NR_MASKED_INDEXED); return;
  case NR_OP_vector_transfer_read:
  case NR_OP_vector_transfer_write: nr_check_transfer(op); return;
  case NR_OP_vector_extract:
    check_position(op, nr_vector_extract_source(op), NR_VECTOR_EXTRACT_POSITION_GROUP);
    return;
  case NR_OP_vector_insert: check_position(op, nr_vector_insert_dest(op), NR_VECTOR_INSERT_POSITION_GROUP); return;
  case NR_OP_memref_subview:
  case NR_OP_tensor_extract_slice: nr_check_slice(op, nr_op_source(op), nr_extract_slice_slots); return;
  case NR_OP_tensor_insert_slice:
  case NR_OP_tensor_parallel_insert_slice:
    nr_check_slice(op, nr_op_dest(op), nr_insert_slice_slots);
    nr_check_inserted(op);
    return;
  case NR_OP_memref_alloc:
  case NR_OP_memref_alloca:
  case NR_OP_memref_realloc:
  case NR_OP_tensor_empty: nr_check_written(op); return;
  case NR_OP_memref_assume_alignment: drop_alignment(op); return;
  case NR_OP_arith_shli:
  case NR_OP_arith_shrsi:
  case NR_OP_arith_shrui:
  case NR_OP_arith_fptosi:
  case NR_OP_arith_fptoui: check_value(op); return;
  default: return;
  }
}

/* A program that finalize-memref has lowered has pointers, whose sizes machine code does not know. */
static NrStatus refuse_pointers(NrOp *root, const NrOpList *ops) {
  NrOp *wrapper = nr_op_attr(root, NR_A_noria_c_wrapper) ? root : NULL;
  for (size_t i = 0; i < ops->size && !wrapper; i++)
    if (nr_op_attr(ops->data[i], NR_A_noria_c_wrapper)) wrapper = ops->data[i];
  return wrapper ? nr_op_error(wrapper, "was lowered by finalize-memref; bounds are checked before that") : NR_OK;
}

static NrStatus check_bounds_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  NrOpList ops = {0};
  nr_collect_ops(root, &ops);
  NrStatus status = refuse_pointers(root, &ops);
  if (status) {
    nr_vec_deinit(&ops);
    return status;
  }
  nr_check_life(root);
  for (size_t i = 0; i < ops.size; i++) check_op(ops.data[i]);
  nr_vec_deinit(&ops);
  return NR_OK;
}

NR_PASS(check_bounds, .name = "check-bounds", .on_while = NR_WHILE_HANDLES, .run = check_bounds_run,
        .doc = "checks that indices are in bounds; a run where one is not fails with a message")
