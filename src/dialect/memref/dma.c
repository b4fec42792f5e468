/* dma.c - hooks of dma_start and dma_wait, which transfer elements between memory spaces. */
#include "dialect/memref/memref.h"

static NrType memref_of(const NrOp *op, size_t operand) { return nr_operand(op, operand)->type; }

bool nr_memref_dma_parts(const NrOp *op, NrDmaParts *out) {
  size_t at = 0, count = op->num_operands;
  size_t *const begins[] = {&out->target, &out->n};
  out->source = at;
  for (size_t i = 0; i < 2; i++) {
    if (at >= count || memref_of(op, at)->kind != NR_TYPE_MEMREF) return false;
    at += 1 + memref_of(op, at)->rank;
    *begins[i] = at;
  }
  out->tag = at + 1;
  if (out->tag >= count || memref_of(op, out->tag)->kind != NR_TYPE_MEMREF) return false;
  out->stride = out->tag + 1 + memref_of(op, out->tag)->rank;
  out->run = out->stride + 1;
  return count == out->stride || count == out->stride + 2;
}

static int64_t space_of(NrType memref) {
  int64_t space = 0;
  nr_attr_is_int(memref->space, &space);
  return space;
}

bool nr_memref_dma_strides_target(const NrOp *op, NrDmaParts parts) {
  return space_of(memref_of(op, parts.target)) < space_of(memref_of(op, parts.source));
}

NrStatus nr_memref_dma_start_verify(NrOp *op) {
  NrDmaParts parts;
  if (!nr_memref_dma_parts(op, &parts))
    return nr_op_error(op, "(C1) expected source, target, number of elements, tag and indices of each");
  for (size_t i = 0; i < op->num_operands; i++) {
    bool is_memref = i == 0 || i == parts.target || i == parts.tag;
    if (!is_memref && !nr_type_is_index(memref_of(op, i))) return nr_op_error(op, "(C1) operand #%zu must be index", i);
  }
  if (memref_of(op, parts.source)->elem != memref_of(op, parts.target)->elem)
    return nr_op_error(op, "(C2) source and target have different element types");
  return NR_OK;
}

NrStatus nr_memref_dma_start_parse(NrParser *p, NrOpState *state) {
  NrOperandRef memrefs[3], n, strides[2];
  struct {
    NrOperandRef *refs;
    size_t count;
  } indices[3];
  NrType types[3];
  bool strided = false;
  NR_TRY(nr_p_operand(p, &memrefs[0]));
  NR_TRY(nr_p_indices(p, &indices[0].refs, &indices[0].count));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_operand(p, &memrefs[1]));
  NR_TRY(nr_p_indices(p, &indices[1].refs, &indices[1].count));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_operand(p, &n));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_operand(p, &memrefs[2]));
  NR_TRY(nr_p_indices(p, &indices[2].refs, &indices[2].count));
  if (nr_p_try(p, ",")) {
    strided = true;
    NR_TRY(nr_p_operand(p, &strides[0]));
    NR_TRY(nr_p_expect(p, ","));
    NR_TRY(nr_p_operand(p, &strides[1]));
  }
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &types[0]));
  for (size_t i = 1; i < 3; i++) {
    NR_TRY(nr_p_expect(p, ","));
    NR_TRY(nr_p_type(p, &types[i]));
  }
  for (size_t i = 0; i < 3; i++) {
    if (i == 2) NR_TRY(nr_p_add_indices(p, state, &n, 1));
    NR_TRY(nr_p_add_operand(p, state, memrefs[i], types[i]));
    NR_TRY(nr_p_add_indices(p, state, indices[i].refs, indices[i].count));
  }
  return strided ? nr_p_add_indices(p, state, strides, 2) : NR_OK;
}

void nr_memref_dma_start_print(NrPrinter *w, NrOp *op) {
  NrDmaParts parts = {0};
  if (!nr_memref_dma_parts(op, &parts)) return;
  const size_t begins[] = {0, parts.target, parts.tag}, ends[] = {parts.target, parts.n, parts.stride};
  for (size_t i = 0; i < 3; i++) {
    nr_w_puts(w, i ? ", " : " ");
    if (i == 2) {
      nr_w_value(w, nr_operand(op, parts.n));
      nr_w_puts(w, ", ");
    }
    nr_w_value(w, nr_operand(op, begins[i]));
    nr_w_indices(w, op, begins[i] + 1, ends[i] - begins[i] - 1);
  }
  if (op->num_operands > parts.stride) {
    nr_w_puts(w, ", ");
    nr_w_values(w, op, parts.stride, 2);
  }
  nr_w_attr_dict(w, op, NULL);
  nr_w_puts(w, " : ");
  for (size_t i = 0; i < 3; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_type(w, memref_of(op, begins[i]));
  }
}

NrStatus nr_memref_dma_wait_verify(NrOp *op) {
  return nr_memref_indices_verify(op, NR_MEMREF_DMA_WAIT_TAG, op->num_operands - 2, "dma_wait");
}
