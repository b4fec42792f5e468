/* infer.c - records types, dim names, constants and branches that the lowering finds (NrInferred). */
#include "dialect/onnx/dtype.h"
#include "onnx/lower/core/state.h"

void nr_inferred_deinit(NrInferred *inferred) {
  nr_map_deinit(&inferred->types);
  nr_map_deinit(&inferred->symbols);
  nr_map_deinit(&inferred->constants);
  nr_map_deinit(&inferred->branches);
}

void nr_inferred_clear(NrInferred *inferred) {
  nr_map_clear(&inferred->types);
  nr_map_clear(&inferred->symbols);
  nr_map_clear(&inferred->constants);
  nr_map_clear(&inferred->branches);
}

void nr_lower_record_value(NrLower *l, NrValue *onnx_value, const NrLowered *v) {
  NrInferred *inferred = l->state->inferred;
  NrType t = v->value->type;
  if (l->versions > 1) { /* the type in one version is not the value's */
    nr_map_remove(&inferred->types, onnx_value);
    nr_map_remove(&inferred->symbols, onnx_value);
    return;
  }
  nr_map_set(&inferred->types, onnx_value, (void *)nr_type_raised(t, v->dtype));
  nr_map_remove(&inferred->symbols, onnx_value);
  if (!l->state->symbols.size || t->kind != NR_TYPE_TENSOR) return;
  NrAttr names[NORIA_MAX_RANK];
  bool named = false;
  for (uint32_t i = 0; i < t->rank; i++) {
    NrStr name = t->dims[i] == NR_DYNAMIC ? nr_lower_symbol_name(l, nr_lower_dim(l, v->value, i)) : NR_STR("");
    named |= name.size != 0;
    names[i] = nr_attr_string(l->ctx, name);
  }
  if (named) nr_map_set(&inferred->symbols, onnx_value, (void *)nr_attr_array(l->ctx, names, t->rank));
}

/* The elements of a lowered tensor as an attribute of an onnx.Constant when all are known; else NULL. */
static NrAttr known_elements(NrLower *l, const NrLowered *v) {
  NrAttr known = nr_value_constant(v->value);
  NrOp *op = v->value->op;
  if (!known && op && nr_op_is(op, NR_OP_tensor_from_elements)) {
    NrFold folded = {0};
    NrAttr *elements = nr_calloc(op->num_operands, sizeof *elements);
    for (uint32_t i = 0; i < op->num_operands; i++) elements[i] = nr_value_constant(nr_operand(op, i));
    if (op->info->fold(op, elements, &folded)) known = folded.attr;
    nr_free(elements);
  }
  return nr_attr_is_elements(known) ? nr_attr_retyped(known, nr_type_raised(known->type, v->dtype)) : NULL;
}

void nr_lower_record_constants(NrLower *l, const NrOp *before) {
  /* An op that was lowered to checks as well must stay: only pure ones become constants. */
  bool only_values = !l->b.before && !l->op->num_regions && l->versions == 1;
  for (NrOp *made = before ? before->next : l->b.block->first; made && only_values; made = made->next)
    only_values = nr_op_is_pure(made);
  for (uint32_t i = 0; i < l->op->num_results; i++) {
    NrValue *result = nr_result(l->op, i);
    const NrLowered *v = only_values ? nr_map_get(&l->state->values, result) : NULL;
    NrAttr known = v ? known_elements(l, v) : NULL;
    if (known) nr_map_set(&l->state->inferred->constants, result, (void *)known);
    else nr_map_remove(&l->state->inferred->constants, result);
  }
}
