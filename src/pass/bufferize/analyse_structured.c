/* analyse_structured.c - decides where the outputs of structured ops are written.
 *
 * An output's memory is, in order of preference: the output operand's own buffer; the buffer of an input whose last use
 * is this op and that is read at the same indices as the output is written; the slice of a larger tensor that the
 * result is inserted into; a new buffer. */
#include "pass/bufferize/analysis.h"

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

bool nr_analysis_in_step(const NrOp *op, size_t in, size_t out) {
  if (!nr_linalg_is_structured(op)) return false;
  NrAttr map = nr_linalg_map(op, out);
  return nr_linalg_map(op, in) == map && is_permutation(map) && nr_linalg_num_reductions(op) == 0;
}

/* Whether the other operands allow output operand `out` to be written to binding. */
static bool operands_allow(NrAnalysis *a, NrOp *op, size_t out, const NrBufferBinding *binding) {
  size_t num_inputs = nr_linalg_is_structured(op) ? nr_linalg_num_inputs(op) : 0;
  for (size_t i = 0; i < op->num_operands; i++) {
    NrBufferBinding *other = i == out ? NULL : nr_analysis_binding(a, nr_operand(op, i));
    if (!other || other->buffer != binding->buffer || !other->buffer) continue;
    if (i >= num_inputs || other->memory != binding->memory || !nr_analysis_in_step(op, i, out)) return false;
  }
  return true;
}

/* The first input whose buffer the result can reuse: this is its last use, it has the result's shape and is read at the
 * same indices. SIZE_MAX: there is none. */
static size_t reusable_input(NrAnalysis *a, NrOp *op, size_t out, NrType type) {
  if (!nr_linalg_is_structured(op)) return SIZE_MAX;
  for (size_t i = 0; i < nr_linalg_num_inputs(op); i++) {
    NrBufferBinding *binding = nr_analysis_binding(a, nr_operand(op, i));
    if (!binding || !binding->memory || binding->memory->type != nr_analysis_type(a, type) ||
        !nr_analysis_in_step(op, i, out))
      continue;
    if (nr_analysis_may_write(a, op, binding->buffer) && operands_allow(a, op, out, binding)) return i;
  }
  return SIZE_MAX;
}

/* Writes the result where operand i is: the output itself, or an input that it reuses. */
static void overwrite(NrAnalysis *a, NrOp *op, size_t i, NrValue *result) {
  NrBufferBinding *binding = nr_analysis_binding(a, nr_operand(op, i));
  binding->buffer->claimed_by = nr_analysis_number(a, op);
  nr_analysis_join(a, result, binding->buffer, binding->memory);
}

static void output(NrAnalysis *a, NrOp *op, size_t out, NrValue *result, bool keep) {
  NrBufferBinding *binding = nr_analysis_binding(a, nr_operand(op, out));
  NrConflict why = {NR_NO_CONFLICT, NULL, binding->buffer};
  NrMemory *bound = nr_analysis_bound_dest(a, op, result, binding);
  if (bound) {
    nr_analysis_decide(a, op, out, NR_IN_PLACE, why, bound);
    return;
  }
  why = nr_analysis_conflict(a, op, binding->buffer);
  if (why.kind == NR_NO_CONFLICT && !operands_allow(a, op, out, binding)) why.kind = NR_OTHER_OPERAND;
  if (why.kind == NR_NO_CONFLICT) {
    overwrite(a, op, out, result);
    nr_analysis_decide(a, op, out, NR_IN_PLACE, why, binding->memory);
    return;
  }
  NrMemory *part = keep ? NULL : nr_analysis_eliminate_empty(a, op, result);
  size_t input = keep || part ? SIZE_MAX : reusable_input(a, op, out, result->type);
  if (part) nr_analysis_decide(a, op, out, NR_FINAL_PLACE, why, part);
  else if (input == SIZE_MAX) nr_analysis_write_copy(a, op, out, result, keep, why);
  else {
    overwrite(a, op, input, result);
    nr_analysis_decide(a, op, out, NR_REUSED, why, nr_analysis_binding(a, result)->memory);
  }
}

/* Whether the result may depend on the output's old elements: the body reads them, or does not write each element, for
 * example in a reduction over an empty range. */
static bool reads_output(const NrOp *op, size_t operand) {
  if (!nr_linalg_is_structured(op)) return false;
  return nr_value_has_uses(nr_block_arg(nr_op_only_body(op), operand)) || !is_permutation(nr_linalg_map(op, operand));
}

NrStatus nr_analyse_structured(NrAnalysis *a, NrOp *op) {
  size_t outs, num_outs, result = 0;
  if (!nr_op_destinations(op, &outs, &num_outs)) return nr_op_error(op, "has no group of outputs");
  nr_analysis_mark_captured(a, op);
  nr_analysis_add_plan(a, op);
  /* Outputs first, so that an input in an output's buffer gets the output's memref. */
  for (size_t i = outs; i < outs + num_outs; i++)
    if (nr_analysis_binding(a, nr_operand(op, i))) output(a, op, i, nr_result(op, result++), reads_output(op, i));
  for (size_t i = 0; i < outs; i++)
    if (nr_analysis_binding(a, nr_operand(op, i))) nr_analysis_read(a, op, i, NULL);
  for (size_t r = 0; r < op->num_regions; r++)
    for (NrBlock *body = op->regions[r].first; body; body = body->next) NR_TRY(nr_analyse_block(a, body));
  return NR_OK;
}
