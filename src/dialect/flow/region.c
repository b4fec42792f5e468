/* region.c - hooks of dispatch.region and dispatch.workgroups, and of loads and stores in them. */
#include "dialect/flow/flow.h"
#include "dialect/tensor/tensor.h"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }

/* Parses the optional `[%a, %b]`. */
static NrStatus workload_parse(NrParser *p, NrOperandRef **refs, size_t *count) {
  *count = 0;
  return nr_p_peek(p, "[") ? nr_p_indices(p, refs, count) : NR_OK;
}

/* ---- dispatch.region -------------------------------------------------------------------------------------------- */

NrStatus nr_flow_region_parse(NrParser *p, NrOpState *state) {
  NrOperandRef *workload = NULL;
  size_t num_workload;
  NrRefs dims = {0};
  bool typed;
  NR_TRY(nr_flow_p_workload(p, &workload, &num_workload, &typed));
  if (typed || nr_p_peek(p, "(")) { /* 2020 */
    state->info = nr_op_infos[NR_OP_flow_ex_dispatch_region];
    return nr_flow_p_closure(p, state, workload, num_workload);
  }
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
  if (!nr_p_try_attr_dict_keyword(p, state)) return NR_ERROR_INVALID;
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
  NR_TRY(nr_flow_group_dims_verify(op, "C4", SIZE_MAX, NR_FLOW_DISPATCH_REGION_RESULT_DIMS_GROUP));
  return nr_flow_count_verify(op, "C5", NR_FLOW_DISPATCH_REGION_WORKGROUP_COUNT_REGION,
                              NR_FLOW_DISPATCH_REGION_WORKLOAD_GROUP);
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
  /* One block argument per argument and per untied result. */
  size_t max_args = num_arguments + s.num_results;
  NrArgRef *args = NR_NEW_ARRAY(&nr_p_module(p)->arena, NrArgRef, max_args + 1);
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_expect(p, "("));
  if (!nr_p_try(p, ")")) {
    do {
      if (num_args == max_args)
        return nr_p_error(p, loc, "more block arguments than the %zu arguments and results", max_args);
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

/* Verifies (C4) for a block argument: a tensor is passed as a dispatch tensor with this access, any other value as it
 * is. */
static NrStatus block_arg_verify(NrOp *op, NrBlock *body, size_t i, NrType outside, NrAccess access) {
  static const char *const words[] = {"readonly", "writeonly", "readwrite"};
  NrType type = nr_block_arg(body, i)->type;
  if (!nr_type_is_tensor(outside)) {
    if (type == outside) return NR_OK;
    return nr_op_error(op, "(C4) block argument #%zu must be %s, got %s", i, text_of(op, outside), text_of(op, type));
  }
  if (type->kind != NR_TYPE_flow_dispatch_tensor)
    return nr_op_error(op, "(C4) block argument #%zu must be !flow.dispatch.tensor of %s, got %s", i,
                       text_of(op, outside), text_of(op, type));
  if (type->elem != outside)
    return nr_op_error(op, "(C4) block argument #%zu must hold %s, got %s", i, text_of(op, outside), text_of(op, type));
  /* A readwrite binding may be narrowed: a tied operand may be only written. */
  if (nr_flow_access(type) != access && access != NR_READWRITE)
    return nr_op_error(op, "(C4) block argument #%zu must be %s, got %s", i, words[access],
                       words[nr_flow_access(type)]);
  return NR_OK;
}

/* Verifies that no two values of the body are stated to be one workload value. */
static NrStatus ordinals_verify(NrOp *op, NrBlock *body) {
  size_t begin, workload;
  nr_op_operand_group(op, NR_FLOW_WORKLOAD, &begin, &workload);
  NrValue **known = nr_calloc(workload + 1, sizeof *known);
  NrStatus status = NR_OK;
  for (NrOp *o = body->first; o && !status; o = o->next) {
    if (!nr_op_is(o, NR_OP_flow_dispatch_workload_ordinal) || o->num_operands != 1) continue;
    int64_t ordinal = nr_op_attr_int(o, NR_A_ordinal, -1);
    if (ordinal < 0 || ordinal >= (int64_t)workload) continue; /* its own verifier reports it */
    NrValue *value = nr_op_only_operand(o);
    if (nr_op_is(value->op, NR_OP_flow_dispatch_workload_ordinal)) continue; /* of a value that has its own */
    if (known[ordinal] && known[ordinal] != value)
      status = nr_op_error(o, "(C7) ordinal %lld is that of another value too", (long long)ordinal);
    known[ordinal] = value;
  }
  nr_free(known);
  return status;
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
    if (nr_type_is_shaped(type) && !nr_type_is_memref(type) && nr_type_is_index(nr_type_elem(type)))
      return nr_op_error(op, "(C2) index types must not cross the dispatch boundary");
    if (i >= count && type->kind != NR_TYPE_TENSOR)
      return nr_op_error(op, "(C4) result #%zu must be a ranked tensor, got %s", i - count, text_of(op, type));
  }
  NR_TRY(nr_flow_tied_types_verify(op, "C3"));
  for (uint32_t i = 0; i < op->num_results; i++) untied += nr_tied_operand(op, i) < 0;
  if (!body || body->num_args != count + untied)
    return nr_op_error(op, "(C4) expected %zu block arguments, for %zu arguments and %zu results that are not tied",
                       count + untied, count, untied);
  for (size_t i = 0; i < count; i++) {
    bool tied = false;
    for (uint32_t r = 0; r < op->num_results; r++) tied |= nr_tied_operand(op, r) == (int64_t)i;
    NR_TRY(block_arg_verify(op, body, i, nr_operand(op, arguments + i)->type, tied ? NR_READWRITE : NR_READONLY));
  }
  for (uint32_t r = 0, next = 0; r < op->num_results; r++)
    if (nr_tied_operand(op, r) < 0)
      NR_TRY(block_arg_verify(op, body, count + next++, nr_result(op, r)->type, NR_WRITEONLY));
  for (NrBlock *block = body; block; block = block->next) {
    NrOp *end = nr_block_terminator(block);
    if (nr_op_is(end, NR_OP_flow_return) && end->num_operands)
      return nr_op_error(op, "(C6) expected the body to return no values");
  }
  NR_TRY(ordinals_verify(op, body));
  return nr_flow_count_verify(op, "C5", NR_FLOW_DISPATCH_WORKGROUPS_WORKGROUP_COUNT_REGION, NR_FLOW_WORKLOAD);
}

/* ---- dispatch.tensor.load and store ----------------------------------------------------------------------------- */

const NrIndexListSlot nr_flow_load_slots[3] = {{NR_FLOW_DISPATCH_TENSOR_LOAD_OFFSETS_GROUP, "static_offsets"},
                                               {NR_FLOW_DISPATCH_TENSOR_LOAD_SIZES_GROUP, "static_sizes"},
                                               {NR_FLOW_DISPATCH_TENSOR_LOAD_STRIDES_GROUP, "static_strides"}};
const NrIndexListSlot nr_flow_store_slots[3] = {{NR_FLOW_DISPATCH_TENSOR_STORE_OFFSETS_GROUP, "static_offsets"},
                                                {NR_FLOW_DISPATCH_TENSOR_STORE_SIZES_GROUP, "static_sizes"},
                                                {NR_FLOW_DISPATCH_TENSOR_STORE_STRIDES_GROUP, "static_strides"}};

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

/* ---- building loads and stores ----------------------------------------------------------------------------------- */

NrOp *nr_flow_build_access(NrBuilder *b, NrValue *binding, NrValue *const *dims, const NrIndex lists[3][NR_MAX_RANK],
                           NrValue *value) {
  NrType whole = binding->type->elem;
  NrValue *operands[4 * NR_MAX_RANK + 2];
  NrAttr statics[3];
  uint32_t segments[6] = {1, 1};
  size_t count = 0, lead = value ? 2 : 1, num_dims = nr_flow_num_dims(whole);
  if (value) operands[count++] = value;
  operands[count++] = binding;
  for (size_t i = 0; i < num_dims; i++) operands[count++] = dims[i];
  segments[lead] = (uint32_t)num_dims;
  for (size_t i = 0; i < 3; i++) {
    size_t before = count;
    statics[i] = nr_index_list_split(b, lists[i], whole->rank, operands, &count);
    segments[lead + 1 + i] = (uint32_t)(count - before);
  }
  NrType part = nr_tensor_slice_type(whole, lists[1]);
  NrOp *op = nr_build_op(b, value ? NR_OP_flow_dispatch_tensor_store : NR_OP_flow_dispatch_tensor_load, operands, count,
                         &part, value ? 0 : 1);
  const NrIndexListSlot *slots = value ? nr_flow_store_slots : nr_flow_load_slots;
  for (size_t i = 0; i < 3; i++) nr_op_set_attr_named(op, slots[i].attr, statics[i]);
  nr_op_set_segments(op, segments, lead + 4);
  return op;
}

NrOp *nr_flow_build_whole(NrBuilder *b, NrValue *binding, NrValue *const *dims, NrValue *value) {
  NrType whole = binding->type->elem;
  NrIndex lists[3][NR_MAX_RANK];
  for (uint32_t i = 0, next = 0; i < whole->rank; i++) {
    lists[0][i] = nr_index_const(0);
    lists[1][i] = whole->dims[i] == NR_DYNAMIC ? (NrIndex){dims[next++], 0} : nr_index_const(whole->dims[i]);
    lists[2][i] = nr_index_const(1);
  }
  return nr_flow_build_access(b, binding, dims, lists, value);
}

void nr_flow_build_grid(NrBuilder *b, NrBlock *count, NrOp *dispatch, NrValue **out_grid) {
  NrMap map = {0};
  size_t begin, num_workload;
  nr_op_operand_group(dispatch, NR_FLOW_WORKLOAD, &begin, &num_workload);
  for (size_t i = 0; i < 3; i++) out_grid[i] = NULL;
  for (size_t i = 0; count && i < count->num_args && i < num_workload; i++)
    nr_map_set(&map, nr_block_arg(count, i), nr_operand(dispatch, begin + i));
  for (NrOp *op = count ? count->first : NULL; op; op = op->next) {
    if (nr_op_is(op, NR_OP_flow_return)) {
      for (size_t i = 0; i < 3 && i < op->num_operands; i++) {
        NrValue *mapped = nr_map_get(&map, nr_operand(op, i));
        out_grid[i] = mapped ? mapped : nr_operand(op, i);
      }
    } else if (nr_op_is(op, NR_OP_flow_dispatch_workgroup_count_from_dag_root) ||
               nr_op_is(op, NR_OP_flow_dispatch_workgroup_count_from_slice)) {
      /* The backend may choose the count: one workgroup does all work. */
      for (size_t i = 0; i < 3; i++) nr_map_set(&map, nr_result(op, i), nr_index_value(b, nr_index_const(1)));
    } else {
      nr_builder_insert(b, nr_op_clone(b->module, op, &map));
    }
  }
  for (size_t i = 0; i < 3; i++)
    if (!out_grid[i]) out_grid[i] = nr_index_value(b, nr_index_const(1));
  nr_map_deinit(&map);
}

/* ---- verification of loads and stores ---------------------------------------------------------------------------- */

/* whole: the tensor in the buffer binding; part: the slice that is loaded or stored. */
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
  NR_TRY(nr_flow_dims_verify(op, "C1", nr_flow_num_dims(source), NR_FLOW_DISPATCH_TENSOR_LOAD_SOURCE_DIMS_GROUP));
  if (nr_flow_access(source) == NR_WRITEONLY) return nr_op_error(op, "(C2) source is writeonly");
  return slice_verify(op, nr_flow_load_slots, source->elem, nr_op_result(op)->type);
}

NrStatus nr_flow_store_verify(NrOp *op) {
  NrType target = nr_flow_dispatch_tensor_store_target(op)->type;
  NR_TRY(nr_flow_dims_verify(op, "C1", nr_flow_num_dims(target), NR_FLOW_DISPATCH_TENSOR_STORE_TARGET_DIMS_GROUP));
  if (nr_flow_access(target) == NR_READONLY) return nr_op_error(op, "(C2) target is readonly");
  return slice_verify(op, nr_flow_store_slots, target->elem, nr_flow_dispatch_tensor_store_value(op)->type);
}
