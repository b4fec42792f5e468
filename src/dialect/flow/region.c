/* region.c - hooks of dispatch.region and dispatch.workgroups, and of loads and stores in them. */
#include "dialect/flow/flow.h"
#include "dialect/tensor/tensor.h"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }

/* `[`%a, %b`]` or nothing. */
static NrStatus workload_parse(NrParser *p, NrOperandRef **refs, size_t *count) {
  *count = 0;
  return nr_p_peek(p, "[") ? nr_p_indices(p, refs, count) : NR_OK;
}

/* ---- dispatch.region -------------------------------------------------------------------------------------------- */

NrStatus nr_flow_region_parse(NrParser *p, NrOpState *state) {
  NrOperandRef *workload = NULL;
  size_t num_workload;
  NrRefs dims = {0};
  NR_TRY(workload_parse(p, &workload, &num_workload));
  if (nr_p_try(p, "->")) {
    NR_TRY(nr_p_expect(p, "("));
    if (!nr_p_try(p, ")")) {
      do {
        NrType type;
        NR_TRY(nr_p_type(p, &type));
        NR_TRY(nr_flow_p_dims(p, type, &dims));
        nr_p_add_result(p, state, type);
      } while (nr_p_try(p, ","));
      NR_TRY(nr_p_expect(p, ")"));
    }
  }
  NR_TRY(nr_p_add_indices(p, state, dims.data, dims.size));
  NR_TRY(nr_p_add_indices(p, state, workload, num_workload));
  nr_p_set_segments(p, state, (uint32_t[]){(uint32_t)dims.size, (uint32_t)num_workload}, 2);
  NR_TRY(nr_p_region(p, state, NULL, 0));
  NR_TRY(nr_flow_p_count(p, state, "count"));
  return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
}

void nr_flow_region_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"operandSegmentSizes", NULL};
  size_t begin, count, next = 0;
  nr_op_operand_group(op, NR_FLOW_DISPATCH_REGION_WORKLOAD_GROUP, &begin, &count);
  if (count) nr_w_indices(w, op, begin, count);
  nr_w_puts(w, " -> (");
  for (uint32_t i = 0; i < op->num_results; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_flow_w_type(w, op, nr_result(op, i)->type, &next);
  }
  nr_w_puts(w, ") ");
  nr_w_region(w, nr_flow_dispatch_region_region(op), false, true);
  nr_flow_w_count(w, nr_flow_dispatch_region_workgroup_count_region(op), "count");
  nr_w_attr_dict(w, op, elided);
}

NrStatus nr_flow_region_verify(NrOp *op) {
  NrBlock *body = nr_flow_dispatch_region_body(op);
  if (!body || body->num_args) return nr_op_error(op, "(C1) expected a body without block arguments");
  for (NrBlock *block = body; block; block = block->next) {
    NrOp *yield = nr_block_terminator(block);
    if (!nr_op_is(yield, NR_OP_flow_return)) continue;
    if (yield->num_operands != op->num_results)
      return nr_op_error(op, "(C2) number of results (%u) does not match number of returned values (%u)",
                         op->num_results, yield->num_operands);
    for (uint32_t i = 0; i < op->num_results; i++)
      if (nr_operand(yield, i)->type != nr_result(op, i)->type)
        return nr_op_error(op, "(C2) operand #%u of flow.return is %s but the result is %s", i,
                           text_of(op, nr_operand(yield, i)->type), text_of(op, nr_result(op, i)->type));
  }
  if (!nr_op_is(nr_block_terminator(nr_flow_dispatch_region_region(op)->last), NR_OP_flow_return) &&
      body == nr_flow_dispatch_region_region(op)->last)
    return nr_op_error(op, "(C1) expected the body to end with flow.return");
  for (uint32_t i = 0; i < op->num_results; i++)
    if (nr_result(op, i)->type->kind != NR_TYPE_TENSOR)
      return nr_op_error(op, "(C3) only ranked tensor results are allowed");
  NR_TRY(nr_flow_group_dims_verify(op, "C4", SIZE_MAX, 0));
  return nr_flow_count_verify(op, "C5", 1, 1);
}

/* ---- dispatch.workgroups ---------------------------------------------------------------------------------------- */

NrStatus nr_flow_workgroups_parse(NrParser *p, NrOpState *state) {
  NrOperandRef *workload = NULL, *arguments;
  size_t num_workload, num_arguments, num_args = 0;
  NrFlowSignature s;
  NR_TRY(workload_parse(p, &workload, &num_workload));
  NR_TRY(nr_p_expect(p, "("));
  NR_TRY(nr_p_operands(p, &arguments, &num_arguments));
  NR_TRY(nr_p_expect(p, ")"));
  NR_TRY(nr_p_expect(p, ":"));
  NR_TRY(nr_flow_p_signature(p, arguments, num_arguments, &s));
  if (!nr_p_try_attr_dict_keyword(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_add_indices(p, state, workload, num_workload));
  NR_TRY(nr_flow_add_signature(p, state, arguments, &s));
  nr_p_set_segments(p, state, (uint32_t[]){(uint32_t)num_workload, (uint32_t)num_arguments, (uint32_t)s.arg_dims.size,
                                           (uint32_t)s.result_dims.size}, 4);
  NR_TRY(nr_p_expect(p, "="));
  /* One block argument per argument and per result that is not tied. */
  size_t most = num_arguments + s.num_results;
  NrArgRef *args = NR_NEW_ARRAY(&nr_p_module(p)->arena, NrArgRef, most + 1);
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_expect(p, "("));
  if (!nr_p_try(p, ")")) {
    do {
      if (num_args == most) return nr_p_error(p, loc, "more block arguments than the %zu arguments and results", most);
      NR_TRY(nr_p_typed_arg(p, &args[num_args++]));
    } while (nr_p_try(p, ","));
    NR_TRY(nr_p_expect(p, ")"));
  }
  NR_TRY(nr_p_region(p, state, args, num_args));
  return nr_flow_p_count(p, state, "count");
}

void nr_flow_workgroups_print(NrPrinter *w, NrOp *op) {
  const char *const elided[] = {"operandSegmentSizes", nr_flow_named_ties(op, NR_FLOW_ARGUMENTS), NULL};
  nr_flow_w_arguments(w, op);
  nr_w_puts(w, " : ");
  nr_flow_w_signature(w, op, (NrFlowSignatureGroups){NR_FLOW_ARGUMENTS, NR_FLOW_ARGUMENT_DIMS, NR_FLOW_RESULT_DIMS});
  nr_w_attr_dict_keyword(w, op, elided);
  nr_w_puts(w, " =\n    (");
  NrBlock *body = nr_flow_dispatch_workgroups_workgroup_body(op);
  for (uint32_t i = 0; body && i < body->num_args; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_value(w, nr_block_arg(body, i));
    nr_w_puts(w, ": ");
    nr_w_type(w, nr_block_arg(body, i)->type);
  }
  nr_w_puts(w, ") ");
  nr_w_region(w, nr_flow_dispatch_workgroups_workgroup_region(op), false, true);
  nr_flow_w_count(w, nr_flow_dispatch_workgroups_workgroup_count_region(op), "count");
}

/* (C4) for one block argument: a tensor comes as a dispatch tensor of it, with this access; anything else as it is. */
static NrStatus block_arg_verify(NrOp *op, NrBlock *body, size_t i, NrType outside, NrAccess access) {
  static const char *const words[] = {"readonly", "writeonly", "readwrite"};
  NrType type = nr_block_arg(body, i)->type;
  if (!nr_type_is_tensor(outside)) {
    if (type == outside) return NR_OK;
    return nr_op_error(op, "(C4) block argument #%zu must be %s, got %s", i, text_of(op, outside), text_of(op, type));
  }
  if (type->kind != NR_TYPE_DISPATCH_TENSOR)
    return nr_op_error(op, "(C4) block argument #%zu must be !flow.dispatch.tensor of %s, got %s", i,
                       text_of(op, outside), text_of(op, type));
  if (type->elem != outside)
    return nr_op_error(op, "(C4) block argument #%zu must hold %s, got %s", i, text_of(op, outside), text_of(op, type));
  /* Access may be narrower than what is allowed: a tied operand that is only written, say. */
  if (type->access != access && access != NR_READWRITE)
    return nr_op_error(op, "(C4) block argument #%zu must be %s, got %s", i, words[access], words[type->access]);
  return NR_OK;
}

NrStatus nr_flow_workgroups_verify(NrOp *op) {
  NrBlock *body = nr_flow_dispatch_workgroups_workgroup_body(op);
  size_t arguments, count, untied = 0;
  nr_op_operand_group(op, NR_FLOW_ARGUMENTS, &arguments, &count);
  NR_TRY(nr_flow_group_dims_verify(op, "C1", NR_FLOW_ARGUMENTS, NR_FLOW_ARGUMENT_DIMS));
  NR_TRY(nr_flow_group_dims_verify(op, "C1", SIZE_MAX, NR_FLOW_RESULT_DIMS));
  NR_TRY(nr_flow_tied_verify(op, "C3", op->num_results, count));
  for (size_t i = 0; i < count + op->num_results; i++) {
    NrType type = i < count ? nr_operand(op, arguments + i)->type : nr_result(op, i - count)->type;
    if (nr_type_is_shaped(type) && nr_type_is_index(nr_type_elem(type)))
      return nr_op_error(op, "(C2) index types must not cross the dispatch boundary");
    if (i >= count && type->kind != NR_TYPE_TENSOR)
      return nr_op_error(op, "(C4) result #%zu must be a ranked tensor, got %s", i - count, text_of(op, type));
  }
  NR_TRY(nr_flow_tied_types_verify(op, "C3"));
  for (uint32_t i = 0; i < op->num_results; i++) untied += nr_flow_tied_operand(op, i) < 0;
  if (!body || body->num_args != count + untied)
    return nr_op_error(op, "(C4) expected %zu block arguments, for %zu arguments and %zu results that are not tied",
                       count + untied, count, untied);
  for (size_t i = 0; i < count; i++) {
    bool tied = false;
    for (uint32_t r = 0; r < op->num_results; r++) tied |= nr_flow_tied_operand(op, r) == (int64_t)i;
    NR_TRY(block_arg_verify(op, body, i, nr_operand(op, arguments + i)->type, tied ? NR_READWRITE : NR_READONLY));
  }
  for (uint32_t r = 0, next = 0; r < op->num_results; r++)
    if (nr_flow_tied_operand(op, r) < 0)
      NR_TRY(block_arg_verify(op, body, count + next++, nr_result(op, r)->type, NR_WRITEONLY));
  for (NrBlock *block = body; block; block = block->next) {
    NrOp *end = nr_block_terminator(block);
    if (nr_op_is(end, NR_OP_flow_return) && end->num_operands)
      return nr_op_error(op, "(C6) expected the body to return no values");
  }
  return nr_flow_count_verify(op, "C5", 1, NR_FLOW_WORKLOAD);
}

/* ---- dispatch.tensor.load and store ----------------------------------------------------------------------------- */

const NrIndexListSlot nr_flow_load_slots[3] = {{2, "static_offsets"}, {3, "static_sizes"}, {4, "static_strides"}};
const NrIndexListSlot nr_flow_store_slots[3] = {{3, "static_offsets"}, {4, "static_sizes"}, {5, "static_strides"}};

static NrStatus lists_parse(NrParser *p, NrIndexListText *lists) {
  static const char *const words[] = {"offsets", "sizes", "strides"};
  for (size_t i = 0; i < 3; i++) {
    NR_TRY(nr_p_expect(p, ","));
    NR_TRY(nr_p_expect(p, words[i]));
    NR_TRY(nr_p_expect(p, "="));
    NR_TRY(nr_p_index_list(p, &lists[i]));
  }
  return NR_OK;
}

static void lists_print(NrPrinter *w, NrOp *op, const NrIndexListSlot *slots) {
  static const char *const words[] = {", offsets = ", ", sizes = ", ", strides = "};
  for (size_t i = 0; i < 3; i++) {
    nr_w_puts(w, words[i]);
    nr_w_index_list(w, op, slots[i]);
  }
  nr_w_attr_dict(w, op, nr_slice_attrs);
  nr_w_puts(w, " : ");
}

NrStatus nr_flow_load_parse(NrParser *p, NrOpState *state) {
  NrOperandRef source;
  NrIndexListText lists[3];
  NrRefs dims = {0};
  NrType type, result;
  NR_TRY(nr_p_operand(p, &source));
  NR_TRY(lists_parse(p, lists));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  NR_TRY(nr_flow_p_dims(p, type, &dims));
  NR_TRY(nr_p_expect(p, "->"));
  NR_TRY(nr_p_type(p, &result));
  NR_TRY(nr_p_add_operand(p, state, source, type));
  NR_TRY(nr_p_add_indices(p, state, dims.data, dims.size));
  nr_p_add_result(p, state, result);
  return nr_p_add_slice_lists(p, state, lists, (uint32_t[]){1, (uint32_t)dims.size}, 2);
}

void nr_flow_load_print(NrPrinter *w, NrOp *op) {
  size_t next = 1;
  nr_w_puts(w, " ");
  nr_w_value(w, nr_flow_dispatch_tensor_load_source(op));
  lists_print(w, op, nr_flow_load_slots);
  nr_flow_w_type(w, op, nr_flow_dispatch_tensor_load_source(op)->type, &next);
  nr_w_puts(w, " -> ");
  nr_w_result_types(w, op);
}

NrStatus nr_flow_store_parse(NrParser *p, NrOpState *state) {
  NrOperandRef value, target;
  NrIndexListText lists[3];
  NrRefs dims = {0};
  NrType type, target_type;
  NR_TRY(nr_p_operand(p, &value));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_operand(p, &target));
  NR_TRY(lists_parse(p, lists));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  NR_TRY(nr_p_expect(p, "->"));
  NR_TRY(nr_p_type(p, &target_type));
  NR_TRY(nr_flow_p_dims(p, target_type, &dims));
  NR_TRY(nr_p_add_operand(p, state, value, type));
  NR_TRY(nr_p_add_operand(p, state, target, target_type));
  NR_TRY(nr_p_add_indices(p, state, dims.data, dims.size));
  return nr_p_add_slice_lists(p, state, lists, (uint32_t[]){1, 1, (uint32_t)dims.size}, 3);
}

void nr_flow_store_print(NrPrinter *w, NrOp *op) {
  size_t next = 2;
  nr_w_puts(w, " ");
  nr_w_values(w, op, 0, 2);
  lists_print(w, op, nr_flow_store_slots);
  nr_w_type(w, nr_flow_dispatch_tensor_store_value(op)->type);
  nr_w_puts(w, " -> ");
  nr_flow_w_type(w, op, nr_flow_dispatch_tensor_store_target(op)->type, &next);
}

/* whole: the tensor in the binding; part: what is loaded or stored. */
static NrStatus slice_verify(NrOp *op, const NrIndexListSlot *slots, NrType whole, NrType part) {
  NrIndex lists[3][NR_MAX_RANK];
  if (whole->kind != NR_TYPE_TENSOR) return nr_op_error(op, "expected a dispatch tensor of a ranked tensor");
  NR_TRY(nr_slice_lists_verify(op, slots, whole->rank, lists));
  NrType full = nr_tensor_slice_type(whole, lists[1]);
  if (full->elem != part->elem || !nr_dims_rank_reduced(full->dims, full->rank, part->dims, part->rank, NULL))
    return nr_op_error(op, "(C4) expected type to be %s or a rank-reduced version. (size mismatch)", text_of(op, full));
  return nr_slice_bounds_verify(op, "C5", lists, whole);
}

NrStatus nr_flow_load_verify(NrOp *op) {
  NrType source = nr_flow_dispatch_tensor_load_source(op)->type;
  NR_TRY(nr_flow_dims_verify(op, "C1", nr_flow_num_dims(source), 1));
  if (source->access == NR_WRITEONLY) return nr_op_error(op, "(C2) source is writeonly");
  return slice_verify(op, nr_flow_load_slots, source->elem, nr_op_result(op)->type);
}

NrStatus nr_flow_store_verify(NrOp *op) {
  NrType target = nr_flow_dispatch_tensor_store_target(op)->type;
  NR_TRY(nr_flow_dims_verify(op, "C1", nr_flow_num_dims(target), 2));
  if (target->access == NR_READONLY) return nr_op_error(op, "(C2) target is readonly");
  return slice_verify(op, nr_flow_store_slots, target->elem, nr_flow_dispatch_tensor_store_value(op)->type);
}

/* Constants among the lists become constants of the op. A load's type keeps what it says: it is cast. */
bool nr_flow_slice_canonicalize(NrOp *op, NrBuilder *b) {
  if (nr_op_is(op, NR_OP_flow_dispatch_tensor_load)) {
    NrIndex sizes[NR_MAX_RANK];
    NrType old = nr_op_result(op)->type;
    size_t rank = nr_index_list_all(op, nr_flow_load_slots[1], sizes);
    bool refine = false;
    for (size_t i = 0; i < rank; i++) {
      int64_t c;
      if (sizes[i].value && nr_value_constant_int(sizes[i].value, &c)) refine = true;
    }
    /* With dims left out it is not clear which size belongs to which dim. */
    if (refine && rank != old->rank) return false;
    if (!nr_slice_fold_constants(op, nr_flow_load_slots, nr_flow_dispatch_tensor_load_source(op)->type->elem))
      return false;
    if (!refine) return true;
    nr_index_list_all(op, nr_flow_load_slots[1], sizes);
    NrType type = nr_tensor_slice_type(nr_flow_dispatch_tensor_load_source(op)->type->elem, sizes);
    NrBuilder after = nr_builder_after(op);
    NrValue *result = nr_op_result(op);
    NrValue *cast = nr_build_value(&after, NR_OP_tensor_cast, old, &result, 1);
    nr_value_replace_uses_except(result, cast, cast->op);
    nr_op_retype(op, &type);
    return true;
  }
  NrIndex sizes[NR_MAX_RANK];
  NrType value = nr_flow_dispatch_tensor_store_value(op)->type;
  size_t rank = nr_index_list_all(op, nr_flow_store_slots[1], sizes);
  bool refine = false;
  for (size_t i = 0; i < rank; i++) {
    int64_t c;
    if (sizes[i].value && nr_value_constant_int(sizes[i].value, &c)) refine = true;
  }
  if (refine && rank != value->rank) return false;
  if (!nr_slice_fold_constants(op, nr_flow_store_slots, nr_flow_dispatch_tensor_store_target(op)->type->elem))
    return false;
  if (!refine) return true;
  nr_index_list_all(op, nr_flow_store_slots[1], sizes);
  NrValue *cast = nr_build_tensor_cast(b, nr_flow_dispatch_tensor_store_value(op), nr_tensor_slice_type(value, sizes));
  nr_op_set_operand(op, NR_FLOW_DISPATCH_TENSOR_STORE_VALUE, cast);
  return true;
}
