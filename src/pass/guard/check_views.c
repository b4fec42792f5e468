/* check_views.c - checks that views and transfers stay in their buffer; see check_shapes.c. */
#include "dialect/arith/arith.h"
#include "dialect/memref/memref.h"
#include "dialect/operands.h"
#include "dialect/scf/scf.h"
#include "pass/analysis/dependence.h"
#include "pass/guard/check_shapes.h"
#include "pass/loop/loops.h"

void nr_check_view(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrType type = nr_op_result(op)->type;
  NrValue *bytes = nr_check_size_of(&b, nr_memref_view_source(op), 0), *shift = nr_memref_view_byte_shift(op);
  NrValue *need = nr_check_number(&b, (int64_t)nr_type_byte_size(type->elem)), *elem = need;
  for (uint32_t d = 0, k = NR_MEMREF_VIEW_SIZES; d < type->rank; d++)
    need = nr_check_product(&b, need,
                            type->dims[d] == NR_DYNAMIC ? nr_operand(op, k++) : nr_check_number(&b, type->dims[d]));
  NrValue *rest = nr_arith_binary(&b, NR_OP_arith_remui, shift, elem);
  NrValue *fits = nr_check_both(&b, nr_arith_cmpi(&b, NR_CMPI_ULE, shift, bytes),
                       nr_arith_cmpi(&b, NR_CMPI_EQ, rest, nr_check_number(&b, 0)));
  NrValue *left = nr_arith_binary(&b, NR_OP_arith_subi, bytes, shift);
  nr_check_unless(&b, op, nr_check_both(&b, fits, nr_arith_cmpi(&b, NR_CMPI_ULE, need, left)),
                  "does not lie in its source, or not on a multiple of its elements' size", NULL, 0);
}

/* The memref at the root of a chain of views that count offsets from one address. memref.view starts a new one. */
static NrValue *root_of(NrValue *v) {
  for (NrValue *next; !nr_op_is(v->op, NR_OP_memref_view) && (next = nr_memref_source(v)); v = next)
    if (next->type->kind != NR_TYPE_MEMREF) return v;
  return v;
}

/* The lowest and the highest element must be inside the root; a negative stride moves the lowest one down. Each dim's
 * extent must be below the root's number of elements, so that the sums do not overflow. */
void nr_check_reinterpret_cast(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *root = root_of(nr_memref_reinterpret_cast_source(op)), *zero = nr_check_number(&b, 0), *empty = NULL,
          *inside;
  int64_t strides[NR_MAX_RANK], offset;
  if (root->type->kind != NR_TYPE_MEMREF) return;
  if (!nr_memref_strides(root->type, strides, &offset) || offset != 0) return;
  NrValue *room = nr_check_count_of(&b, root, 0, root->type->rank);
  NrValue *low = nr_index_value(&b, nr_index_list_get(op, nr_extract_slice_slots[0], 0)), *high = low;
  inside = nr_arith_cmpi(&b, NR_CMPI_ULT, low, room);
  for (uint32_t d = 0; d < nr_op_result(op)->type->rank; d++) {
    NrValue *size = nr_index_value(&b, nr_index_list_get(op, nr_extract_slice_slots[1], d));
    NrValue *stride = nr_index_value(&b, nr_index_list_get(op, nr_extract_slice_slots[2], d));
    NrValue *none = nr_fold_cmpi(&b, NR_CMPI_EQ, size, zero);
    empty = empty ? nr_fold_binary(&b, NR_OP_arith_ori, empty, none) : none;
    NrValue *down = nr_fold_cmpi(&b, NR_CMPI_SLT, stride, zero);
    NrValue *distance = nr_arith_select(&b, down, nr_fold_binary(&b, NR_OP_arith_subi, zero, stride), stride);
    NrValue *steps = nr_check_product(&b, nr_fold_binary(&b, NR_OP_arith_subi, size, nr_check_number(&b, 1)), distance);
    low = nr_arith_select(&b, down, nr_fold_binary(&b, NR_OP_arith_subi, low, steps), low);
    high = nr_arith_select(&b, down, high, nr_fold_binary(&b, NR_OP_arith_addi, high, steps));
    inside = nr_check_both(&b, inside, nr_arith_cmpi(&b, NR_CMPI_ULT, steps, room));
    inside = nr_check_both(&b, inside, nr_arith_cmpi(&b, NR_CMPI_SGE, size, zero));
  }
  inside = nr_check_both(&b, inside, nr_arith_cmpi(&b, NR_CMPI_SGE, low, zero));
  inside = nr_check_both(&b, inside, nr_arith_cmpi(&b, NR_CMPI_SLT, high, room));
  if (empty) inside = nr_arith_select(&b, empty, nr_arith_constant(&b, nr_attr_bool(b.ctx, true)), inside);
  nr_check_unless(&b, op, inside, "has elements outside of the buffer", NULL, 0);
}

void nr_check_dim(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *source = nr_op_source(op), *index = nr_op_index(op);
  unsigned id = nr_type_is_memref(source->type) ? NR_OP_memref_rank : NR_OP_tensor_rank;
  NrValue *rank = nr_type_is_ranked(source->type) ? nr_check_number(&b, source->type->rank)
                                                  : nr_build_value(&b, id, nr_type_index(b.ctx), &source, 1);
  nr_check_unless(&b, op, nr_fold_cmpi(&b, NR_CMPI_ULT, index, rank), "dim %0 of a value of rank %1",
                  (NrValue *[]){index, rank}, 2);
}

/* ---- transfers --------------------------------------------------------------------------------------------------- */

static NrValue *start_of(NrBuilder *b, NrOp *op, size_t memref) {
  NrValue *at = nr_check_number(b, 0), *m = nr_operand(op, memref);
  for (uint32_t d = 0; d < m->type->rank; d++) {
    at = nr_fold_binary(b, NR_OP_arith_muli, at, nr_check_size_of(b, m, d));
    at = nr_fold_binary(b, NR_OP_arith_addi, at, nr_operand(op, memref + 1 + d));
  }
  return at;
}

static void check_element(NrBuilder *b, NrOp *op, NrValue *memref, NrValue *start, NrValue *k) {
  NrValue *count = nr_check_count_of(b, memref, 0, memref->type->rank);
  NrValue *inside = nr_arith_cmpi(b, NR_CMPI_ULT, nr_arith_binary(b, NR_OP_arith_addi, start, k), count);
  nr_check_unless(b, op, inside, "the transfer leaves a buffer of %0 elements", &count, 1);
}

/* Checks element by element, in a loop, which handles any stride. */
void nr_check_dma_start(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrDmaParts parts;
  const size_t source_at = NR_MEMREF_DMA_START_OPERANDS;
  nr_memref_dma_parts(op, &parts);
  NrValue *source = start_of(&b, op, source_at), *target = start_of(&b, op, parts.target), *k, *run = NULL;
  if (parts.stride < op->num_operands) {
    size_t per_stride = parts.stride + 1; /* the operand after the stride is the number of elements */
    run = nr_operand(op, per_stride);
    nr_check_unless(&b, op, nr_arith_cmpi(&b, NR_CMPI_SGT, run, nr_check_number(&b, 0)), "has %0 elements per stride",
                    &run, 1);
  }
  NrOp *loop =
      nr_scf_open_for(&b, nr_check_number(&b, 0), nr_operand(op, parts.n), nr_check_number(&b, 1), NULL, 0, &k);
  NrValue *far = k;
  if (run) {
    NrValue *steps = nr_arith_binary(&b, NR_OP_arith_divui, k, run);
    NrValue *rest = nr_arith_binary(&b, NR_OP_arith_remui, k, run);
    far = nr_arith_binary(&b, NR_OP_arith_muli, steps, nr_operand(op, parts.stride));
    far = nr_arith_binary(&b, NR_OP_arith_addi, far, rest);
  }
  bool strides_target = nr_memref_dma_strides_target(op, parts);
  check_element(&b, op, nr_operand(op, source_at), source, strides_target ? k : far);
  check_element(&b, op, nr_operand(op, parts.target), target, strides_target ? far : k);
  nr_scf_close_for(&b, loop, NULL, 0);
}
