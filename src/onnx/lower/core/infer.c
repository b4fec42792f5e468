/* infer.c - records types, dim names, constants and branches that the lowering finds (NrInferred). */
#include "dialect/onnx/dtype.h"
#include "onnx/lower/ops/control.h"

void nr_inferred_deinit(NrInferred *inferred) {
  nr_map_deinit(&inferred->types);
  nr_map_deinit(&inferred->symbols);
  nr_map_deinit(&inferred->constants);
  nr_map_deinit(&inferred->branches);
  nr_vec_deinit(&inferred->former);
}

void nr_inferred_clear(NrInferred *inferred) {
  nr_map_clear(&inferred->types);
  nr_map_clear(&inferred->symbols);
  nr_map_clear(&inferred->constants);
  nr_map_clear(&inferred->branches);
  inferred->former.size = 0;
}

static void set_type(NrInferred *inferred, NrValue *value, NrType type) {
  nr_vec_push(&inferred->former, ((NrFormerType){value, nr_map_get(&inferred->types, value)}));
  if (type) nr_map_set(&inferred->types, value, (void *)type);
  else nr_map_remove(&inferred->types, value);
}

void nr_inferred_restore_types(NrInferred *inferred, size_t count) {
  while (inferred->former.size > count) {
    NrFormerType last = inferred->former.data[--inferred->former.size];
    if (last.type) nr_map_set(&inferred->types, last.value, (void *)last.type);
    else nr_map_remove(&inferred->types, last.value);
  }
}

/* The type that holds in all versions of a value, by those of two of them; NULL: none. */
static NrType of_versions(NrType a, NrType b) {
  NrType joined = nr_join_types(a, b);
  bool ranks_differ = !joined && nr_type_is_tensor(a) && nr_type_is_tensor(b) && a->elem == b->elem;
  return ranks_differ ? nr_type_tensor_unranked(a->elem) : joined;
}

void nr_lower_record_value(NrLower *l, NrValue *onnx_value, const NrLowered *v) {
  NrInferred *inferred = l->state->inferred;
  NrType t = v->value->type, raised = nr_type_raised(t, v->dtype), before = nr_map_get(&inferred->types, onnx_value);
  nr_map_remove(&inferred->symbols, onnx_value);
  if (l->versions > 1) {
    set_type(inferred, onnx_value, before ? of_versions(before, raised) : raised);
    return;
  }
  set_type(inferred, onnx_value, raised);
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
