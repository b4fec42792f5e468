/* signatures.c - see signatures.h. */
#include "pass/expand/signatures.h"

#include "dialect/func/func.h"

static void split_type(NrType type, NrSplitTypeFn split, NrTypeList *out) {
  if (!split(type, out)) nr_vec_push(out, nr_split_signature(type, split));
}

void nr_split_types(const NrType *types, size_t count, NrSplitTypeFn split, NrTypeList *out) {
  for (size_t i = 0; i < count; i++) split_type(types[i], split, out);
}

NrType nr_split_signature(NrType type, NrSplitTypeFn split) {
  if (type->kind != NR_TYPE_FUNCTION) return type;
  NrTypeList types = {0};
  nr_split_types(type->inputs, type->num_inputs, split, &types);
  size_t inputs = types.size;
  nr_split_types(type->results, type->num_results, split, &types);
  NrType out = nr_type_function(type->ctx, types.data, inputs, types.data + inputs, types.size - inputs);
  nr_vec_deinit(&types);
  return out;
}

void nr_split_attrs(NrOp *op, const NrAttrName *name, const NrType *types, size_t count, NrSplitTypeFn split,
                        bool repeat) {
  NrAttr attrs = nr_op_attr(op, name);
  if (!attrs || attrs->kind != NR_ATTR_ARRAY || attrs->size != count) return;
  NR_VEC(NrAttr) out = {0};
  NrTypeList parts = {0};
  NrAttr none = nr_attr_dict(attrs->ctx, NULL, 0);
  for (size_t i = 0; i < count; i++) {
    parts.size = 0;
    split_type(types[i], split, &parts);
    for (size_t k = 0; k < parts.size; k++) nr_vec_push(&out, k && !repeat ? none : attrs->items[i]);
  }
  nr_op_set_attr(op, name, nr_attr_array(attrs->ctx, out.data, out.size));
  nr_vec_deinit(&out);
  nr_vec_deinit(&parts);
}

void nr_split_function(NrOp *func, NrSplitTypeFn split, bool repeat_attrs) {
  NrType old = nr_func_type(func), type = old ? nr_split_signature(old, split) : NULL;
  if (type == old) return;
  nr_split_attrs(func, NR_A_arg_attrs, old->inputs, old->num_inputs, split, repeat_attrs);
  nr_split_attrs(func, NR_A_res_attrs, old->results, old->num_results, split, repeat_attrs);
  nr_op_set_attr(func, NR_A_function_type, nr_attr_type(type));
}
