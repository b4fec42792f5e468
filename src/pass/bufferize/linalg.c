/* linalg.c - bufferizes structured ops.
 *
 * An output's memory is, in order of preference: the output operand's own buffer; the buffer of an input whose last use
 * is this op and that is read at the same indices as the output is written; the slice of a larger tensor that the
 * result is inserted into; a new buffer. */
#include "pass/bufferize/bufferize.h"

/* Whether the map is a permutation of all loop dims, so that each point has its own element. */
static bool is_permutation(NrAttr map) {
  uint64_t seen = 0;
  if (map->num_exprs != map->num_dims || map->num_symbols) return false;
  for (uint32_t i = 0; i < map->num_exprs; i++) {
    NrAffineExpr e = map->exprs[i];
    if (e->kind != NR_AFFINE_DIM || e->value >= 64 || seen >> e->value & 1) return false;
    seen |= 1ull << e->value;
  }
  return true;
}

bool nr_bufferize_in_step(NrOp *op, size_t in, size_t out) {
  if (!nr_linalg_is_structured(op)) return false;
  NrAttr map = nr_linalg_map(op, out);
  return nr_linalg_map(op, in) == map && is_permutation(map) && nr_linalg_num_reductions(op) == 0;
}

/* Whether the other operands allow output operand `out` to be written to binding. */
static bool operands_allow(NrBufferize *s, NrOp *op, size_t out, const NrBufferBinding *binding) {
  size_t num_inputs = nr_linalg_is_structured(op) ? nr_linalg_num_inputs(op) : 0;
  for (size_t i = 0; i < op->num_operands; i++) {
    NrBufferBinding *other = i == out ? NULL : nr_bufferize_binding(s, nr_operand(op, i));
    if (!other || other->buffer != binding->buffer || !other->buffer) continue;
    if (i >= num_inputs || other->memref != binding->memref || !nr_bufferize_in_step(op, i, out)) return false;
  }
  return true;
}

/* An input whose buffer the result can reuse: this is its last use, it has the result's shape and is read at the same
 * indices. */
static NrBufferBinding *reusable_input(NrBufferize *s, NrOp *op, size_t out, NrType type) {
  if (!nr_linalg_is_structured(op)) return NULL;
  for (size_t i = 0; i < nr_linalg_num_inputs(op); i++) {
    NrBufferBinding *binding = nr_bufferize_binding(s, nr_operand(op, i));
    if (!binding || !binding->memref || binding->memref->type != nr_bufferized_type(type) ||
        !nr_bufferize_in_step(op, i, out))
      continue;
    if (nr_bufferize_may_write(s, op, binding->buffer) && operands_allow(s, op, out, binding)) return binding;
  }
  return NULL;
}

static NrValue *output_memory(NrBufferize *s, NrOp *op, size_t out, NrValue *result, bool keep) {
  NrValue *value = nr_operand(op, out);
  NrBufferBinding *binding = nr_bufferize_binding(s, value);
  NrValue *bound = nr_bufferize_bound_dest(s, op, result, binding);
  if (bound) return bound;
  if (!nr_bufferize_may_write(s, op, binding->buffer) || !operands_allow(s, op, out, binding)) {
    NrValue *part = keep ? NULL : nr_bufferize_eliminate_empty(s, op, result);
    if (part) return part;
    binding = keep ? NULL : reusable_input(s, op, out, result->type);
    if (!binding) return nr_bufferize_copy(s, op, result, value, keep);
  }
  binding->buffer->claimed_by = nr_bufferize_number(s, op);
  nr_bufferize_join(s, result, binding->buffer, binding->memref);
  return binding->memref;
}

/* Whether the result may depend on the output's old elements: the body reads them, or does not write each element, for
 * example in a reduction over an empty range. */
static bool reads_output(NrOp *op, size_t operand) {
  if (!nr_linalg_is_structured(op)) return false;
  return nr_value_has_uses(nr_block_arg(nr_op_body(op, 0), operand)) || !is_permutation(nr_linalg_map(op, operand));
}

NrStatus nr_bufferize_linalg_op(NrBufferize *s, NrOp *op) {
  size_t outs, num_outs;
  if (!nr_op_destinations(op, &outs, &num_outs)) return nr_op_error(op, "has no group of outputs");
  nr_bufferize_mark_captured(s, op);
  NrValue **operands = NR_NEW_ARRAY(s->arena, NrValue *, op->num_operands);
  size_t result = 0;
  /* Outputs first, so that an input in an output's buffer is the same memref. */
  for (size_t i = outs; i < outs + num_outs; i++) {
    operands[i] = nr_operand(op, i);
    if (nr_bufferize_binding(s, operands[i]))
      operands[i] = output_memory(s, op, i, nr_result(op, result++), reads_output(op, i));
  }
  for (size_t i = 0; i < outs; i++) {
    operands[i] = nr_operand(op, i);
    if (nr_bufferize_binding(s, operands[i])) operands[i] = nr_bufferize_read(s, operands[i], op, NULL);
  }
  for (size_t r = 0; r < op->num_regions; r++) {
    NrBlock *body = nr_op_body(op, r);
    NrStatus status = body ? nr_bufferize_block(s, body) : NR_OK;
    if (status) return status;
  }
  nr_op_rebuild(op, operands, op->num_operands, NULL, 0);
  nr_vec_push(&s->dead, op);
  return NR_OK;
}
