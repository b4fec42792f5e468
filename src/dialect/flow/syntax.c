/* syntax.c - text and verification shared by flow ops: types with dims, signatures with tied results, workgroup
 * counts. */
#include "dialect/flow/flow.h"

/* ---- types ------------------------------------------------------------------------------------------------------- */

NrType nr_type_dispatch_tensor(NrAccess access, NrType bound) {
  NrAttr params[] = {nr_attr_i64(bound->ctx, access), nr_attr_type(bound)};
  return nr_type_of_dialect(bound->ctx, NR_TYPE_flow_dispatch_tensor, params);
}

NrType nr_type_channel(NrContext *ctx) { return nr_type_of_dialect(ctx, NR_TYPE_flow_channel, NULL); }

/* readonly:tensor<4xf32>, or in older texts readonly:4xf32; of 2020's input and output, 4xf32. */
NrStatus nr_flow_dispatch_tensor_parse(NrParser *p, NrAttr *out_params) {
  int64_t access;
  NrType bound;
  NrStr name = nr_p_type_name(p);
  if (nr_str_is(name, "flow.dispatch.input")) {
    access = NR_READONLY;
  } else if (nr_str_is(name, "flow.dispatch.output")) {
    access = NR_WRITEONLY;
  } else {
    NR_TRY(nr_p_choice(p, NR_STR("readonly|writeonly|readwrite"), &access));
    NR_TRY(nr_p_expect(p, ":"));
  }
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_type_or_dims(p, &bound));
  if (bound->kind != NR_TYPE_TENSOR && !nr_type_is_int(bound) && !nr_type_is_float(bound))
    return nr_p_error(p, loc, "a dispatch tensor is of a ranked tensor, an integer or a float, not of %s",
                      nr_type_text(nr_p_context(p), bound));
  out_params[0] = nr_attr_i64(nr_p_context(p), access);
  out_params[1] = nr_attr_type(bound);
  return NR_OK;
}

/* ---- text of ops ------------------------------------------------------------------------------------------------- */

/* ---- types with dims -------------------------------------------------------------------------------------------- */

size_t nr_flow_num_dims(NrType type) {
  if (type->kind == NR_TYPE_flow_dispatch_tensor) type = type->elem;
  return type->kind == NR_TYPE_TENSOR ? nr_type_num_dynamic(type) : 0;
}

void nr_flow_push_ref(NrParser *p, NrRefs *refs, NrOperandRef ref) {
  if (refs->size == refs->capacity) {
    size_t capacity = NR_MAX(8, 2 * refs->capacity);
    NrOperandRef *data = NR_NEW_ARRAY(&nr_p_module(p)->arena, NrOperandRef, capacity);
    if (refs->size) memcpy(data, refs->data, refs->size * sizeof *data);
    *refs = (NrRefs){data, refs->size, capacity};
  }
  refs->data[refs->size++] = ref;
}

NrStatus nr_flow_p_dims(NrParser *p, NrType type, NrRefs *dims) {
  size_t need = nr_flow_num_dims(type), count = 0;
  NrOperandRef ref;
  if (!need || (nr_p_text_is_legacy(p) && !nr_p_peek(p, "{"))) return NR_OK; /* nr_flow_dims_post_parse */
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_expect(p, "{"));
  do {
    NR_TRY(nr_p_operand(p, &ref));
    nr_flow_push_ref(p, dims, ref);
    count++;
  } while (nr_p_try(p, ","));
  NR_TRY(nr_p_expect(p, "}"));
  if (count != need)
    return nr_p_error(p, loc, "%s has %zu dynamic dimensions but %zu dimension values follow",
                      nr_type_text(nr_p_context(p), type), need, count);
  return NR_OK;
}

void nr_flow_w_type(NrPrinter *w, NrOp *op, NrType type, size_t *next) {
  size_t count = nr_flow_num_dims(type);
  nr_w_type(w, type);
  if (!count) return;
  nr_w_puts(w, "{");
  nr_w_values(w, op, *next, count);
  nr_w_puts(w, "}");
  *next += count;
}

/* ---- tied operands ---------------------------------------------------------------------------------------------- */

const char *nr_flow_named_ties(const NrOp *op, size_t arguments_group) {
  size_t begin, count;
  nr_op_operand_group(op, arguments_group, &begin, &count);
  for (uint32_t r = 0; r < op->num_results; r++) {
    int64_t tied = nr_tied_operand(op, r);
    for (int64_t i = 0; i < tied; i++)
      if (nr_operand(op, begin + (size_t)i) == nr_operand(op, begin + (size_t)tied)) return NULL;
  }
  return "tied_operands";
}

static bool same_name(NrOperandRef a, NrOperandRef b) { return nr_str_eq(a.name, b.name) && a.number == b.number; }

/* ---- signatures ------------------------------------------------------------------------------------------------- */

/* Parses one result: `type{%d}`, `%arg{%d}` or `%arg as type{%d}`. */
static NrStatus result_parse(NrParser *p, const NrOperandRef *args, NrFlowSignature *s, size_t *capacity) {
  NrArena *arena = &nr_p_module(p)->arena;
  NrOperandRef ref;
  NrType type = NULL;
  int64_t tied = -1;
  NrLoc loc = nr_p_loc(p);
  if (nr_p_try_operand(p, &ref)) {
    for (size_t i = 0; i < s->num_args && tied < 0; i++)
      if (same_name(args[i], ref)) tied = (int64_t)i;
    if (tied < 0) return nr_p_error(p, loc, "tied operand not found for result reference");
    type = s->arg_types[tied];
  }
  if (tied < 0 || nr_p_try(p, "as")) NR_TRY(nr_p_type(p, &type));
  NR_TRY(nr_flow_p_dims(p, type, &s->result_dims));
  if (s->num_results == *capacity) {
    *capacity = NR_MAX(8, 2 * *capacity);
    NrType *types = NR_NEW_ARRAY(arena, NrType, *capacity);
    int64_t *all_tied = NR_NEW_ARRAY(arena, int64_t, *capacity);
    if (s->num_results) {
      memcpy(types, s->result_types, s->num_results * sizeof *types);
      memcpy(all_tied, s->tied, s->num_results * sizeof *all_tied);
    }
    s->result_types = types;
    s->tied = all_tied;
  }
  s->result_types[s->num_results] = type;
  s->tied[s->num_results++] = tied;
  return NR_OK;
}

NrStatus nr_flow_p_signature(NrParser *p, const NrOperandRef *args, size_t num_args, NrFlowSignature *out) {
  size_t capacity = 0;
  *out = (NrFlowSignature){.arg_types = NR_NEW_ARRAY(&nr_p_module(p)->arena, NrType, num_args + 1)};
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_expect(p, "("));
  if (!nr_p_try(p, ")")) {
    do {
      if (out->num_args == num_args) return nr_p_error(p, loc, "more types than the %zu arguments", num_args);
      NR_TRY(nr_p_type(p, &out->arg_types[out->num_args]));
      NR_TRY(nr_flow_p_dims(p, out->arg_types[out->num_args++], &out->arg_dims));
    } while (nr_p_try(p, ","));
    NR_TRY(nr_p_expect(p, ")"));
  }
  if (out->num_args != num_args) return nr_p_error(p, loc, "%zu arguments but %zu types", num_args, out->num_args);
  NR_TRY(nr_p_expect(p, "->"));
  if (!nr_p_try(p, "(")) return result_parse(p, args, out, &capacity);
  if (nr_p_try(p, ")")) return NR_OK;
  do NR_TRY(result_parse(p, args, out, &capacity));
  while (nr_p_try(p, ","));
  return nr_p_expect(p, ")");
}

NrStatus nr_flow_add_signature(NrParser *p, NrOpState *state, const NrOperandRef *args, const NrFlowSignature *s) {
  NrAttr tied = nr_tied_attr(nr_p_context(p), s->tied, s->num_results);
  for (size_t i = 0; i < state->num_attrs; i++)
    if (nr_str_is(state->attrs[i].name, "tied_operands")) tied = NULL;
  if (tied) nr_p_add_attr(p, state, "tied_operands", tied);
  nr_p_add_results(p, state, s->result_types, s->num_results);
  NR_TRY(nr_p_add_operands(p, state, args, s->num_args, s->arg_types, s->num_args));
  NR_TRY(nr_p_add_indices(p, state, s->arg_dims.data, s->arg_dims.size));
  return nr_p_add_indices(p, state, s->result_dims.data, s->result_dims.size);
}

void nr_flow_w_arguments(NrPrinter *w, NrOp *op) {
  size_t begin, count;
  nr_op_operand_group(op, NR_FLOW_WORKLOAD, &begin, &count);
  if (count) nr_w_indices(w, op, begin, count);
  nr_op_operand_group(op, NR_FLOW_ARGUMENTS, &begin, &count);
  nr_w_puts(w, "(");
  nr_w_values(w, op, begin, count);
  nr_w_puts(w, ")");
}

void nr_flow_w_signature(NrPrinter *w, NrOp *op, NrFlowSignatureGroups groups) {
  size_t arguments, count, next, ignored;
  nr_op_operand_group(op, groups.arguments, &arguments, &count);
  nr_op_operand_group(op, groups.argument_dims, &next, &ignored);
  nr_w_puts(w, "(");
  for (size_t i = 0; i < count; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_flow_w_type(w, op, nr_operand(op, arguments + i)->type, &next);
  }
  nr_w_puts(w, op->num_results == 1 ? ") -> " : ") -> (");
  nr_op_operand_group(op, groups.result_dims, &next, &ignored);
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrType type = nr_result(op, i)->type;
    int64_t tied = nr_tied_operand(op, i);
    if (i) nr_w_puts(w, ", ");
    if (tied >= 0) {
      NrValue *argument = nr_operand(op, arguments + (size_t)tied);
      nr_w_value(w, argument);
      if (argument->type == type) {
        size_t dims = nr_flow_num_dims(type);
        if (!dims) continue;
        nr_w_puts(w, "{");
        nr_w_values(w, op, next, dims);
        nr_w_puts(w, "}");
        next += dims;
        continue;
      }
      nr_w_puts(w, " as ");
    }
    nr_flow_w_type(w, op, type, &next);
  }
  if (op->num_results != 1) nr_w_puts(w, ")");
}

NrStatus nr_flow_p_tied_result(NrParser *p, NrOperandRef target, NrType *out, NrRefs *dims) {
  NrOperandRef ref;
  NrLoc loc = nr_p_loc(p);
  if (nr_p_try_operand(p, &ref)) {
    if (!same_name(ref, target))
      return nr_p_error(p, loc, "the result is tied to the target %%%.*s, not to %%%.*s", NR_STR_ARG(target.name),
                        NR_STR_ARG(ref.name));
    NR_TRY(nr_p_expect(p, "as"));
  }
  NR_TRY(nr_p_type(p, out));
  return nr_flow_p_dims(p, *out, dims);
}

/* ---- workgroup counts ------------------------------------------------------------------------------------------- */

NrStatus nr_flow_p_count(NrParser *p, NrOpState *state, const char *word) {
  if (!nr_p_try(p, word)) {
    nr_p_empty_region(p, state);
    return NR_OK;
  }
  size_t count = 0, capacity = 8, num_types;
  NrArgRef *args = NR_NEW_ARRAY(&nr_p_module(p)->arena, NrArgRef, capacity);
  NrType *types;
  NR_TRY(nr_p_expect(p, "("));
  if (!nr_p_try(p, ")")) {
    do {
      if (count == capacity) {
        NrArgRef *more = NR_NEW_ARRAY(&nr_p_module(p)->arena, NrArgRef, 2 * capacity);
        memcpy(more, args, count * sizeof *args);
        args = more;
        capacity *= 2;
      }
      NR_TRY(nr_p_typed_arg(p, &args[count++]));
    } while (nr_p_try(p, ","));
    NR_TRY(nr_p_expect(p, ")"));
  }
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_arrow_type_list(p, &types, &num_types));
  bool ok = num_types == 3;
  for (size_t i = 0; i < num_types; i++) ok &= nr_type_is_index(types[i]);
  if (!ok) return nr_p_error(p, loc, "workgroup count region must return the XYZ dimension counts");
  return nr_p_region(p, state, args, count);
}

void nr_flow_w_count(NrPrinter *w, NrRegion *region, const char *word) {
  if (!region->first) return;
  NrBlock *block = region->first;
  nr_w_printf(w, " %s(", word);
  for (uint32_t i = 0; i < block->num_args; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_value(w, nr_block_arg(block, i));
    nr_w_puts(w, ": ");
    nr_w_type(w, nr_block_arg(block, i)->type);
  }
  nr_w_puts(w, ") -> (index, index, index) ");
  nr_w_region(w, region, false, true);
}

/* `%a, %b`; since 2025, when the ops moved to iree_tensor_ext, `(%a, %b)`. */
NrStatus nr_flow_count_from_parse(NrParser *p, NrOpState *state) {
  NrOperandRef *operands;
  size_t count;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  bool in_parentheses = nr_p_try(p, "(");
  NrType index = nr_type_index(nr_p_context(p));
  NR_TRY(nr_p_operands(p, &operands, &count));
  if (in_parentheses) NR_TRY(nr_p_expect(p, ")"));
  nr_p_add_results(p, state, (NrType[]){index, index, index}, 3);
  return nr_p_add_indices(p, state, operands, count);
}

void nr_flow_count_from_print(NrPrinter *w, NrOp *op) {
  bool renamed = nr_w_is_renamed(w);
  nr_w_attr_dict(w, op, NULL);
  if (renamed) nr_w_puts(w, "(");
  else if (op->num_operands) nr_w_puts(w, " ");
  nr_w_values(w, op, 0, op->num_operands);
  if (renamed) nr_w_puts(w, ")");
}

NrStatus nr_flow_count_verify(NrOp *op, const char *id, size_t region, size_t workload_group) {
  NrRegion *count = nr_op_region(op, region);
  NrBlock *block = count->first;
  size_t begin, workload;
  if (!block) return NR_OK;
  if (block != count->last) return nr_op_error(op, "(%s) workgroup count region must have one block", id);
  if (workload_group != SIZE_MAX) {
    nr_op_operand_group(op, workload_group, &begin, &workload);
    if (workload != block->num_args)
      return nr_op_error(op, "(%s) workload operands (%zu) and workgroup count arguments (%u) mismatch", id, workload,
                         block->num_args);
  }
  for (uint32_t i = 0; i < block->num_args; i++) {
    NrType type = nr_block_arg(block, i)->type;
    bool ok = workload_group == SIZE_MAX ? nr_type_is_index(type) : type == nr_operand(op, begin + i)->type;
    if (!ok) return nr_op_error(op, "(%s) workgroup count argument #%u is not of the workload's type", id, i);
  }
  NrOp *yield = nr_block_terminator(block);
  if (!nr_op_is(yield, NR_OP_flow_return))
    return nr_op_error(op, "(%s) workgroup count region must end with flow.return", id);
  bool ok = yield->num_operands == 3;
  for (uint32_t i = 0; i < yield->num_operands; i++) ok &= nr_type_is_index(nr_operand(yield, i)->type);
  if (!ok) return nr_op_error(yield, "(%s) workgroup count region must return the XYZ dimension counts", id);
  return NR_OK;
}

/* ---- checks ----------------------------------------------------------------------------------------------------- */

NrStatus nr_flow_dims_verify(NrOp *op, const char *id, size_t expected, size_t group) {
  size_t begin, count;
  if (!nr_op_operand_group(op, group, &begin, &count)) count = 0;
  if (count != expected)
    return nr_op_error(op, "(%s) value set has %zu dynamic dimensions but %s%zu dimension values are attached", id,
                       expected, count < expected ? "only " : "", count);
  return NR_OK;
}

NrStatus nr_flow_group_dims_verify(NrOp *op, const char *id, size_t values, size_t group) {
  size_t begin = 0, count = op->num_results, expected = 0;
  if (values != SIZE_MAX) nr_op_operand_group(op, values, &begin, &count);
  for (size_t i = 0; i < count; i++)
    expected += nr_flow_num_dims(values == SIZE_MAX ? nr_result(op, i)->type : nr_operand(op, begin + i)->type);
  return nr_flow_dims_verify(op, id, expected, group);
}

NrStatus nr_flow_tied_verify(NrOp *op, const char *id, size_t num_results, size_t num_arguments) {
  NrAttr tied = nr_op_attr(op, NR_A_tied_operands);
  if (!tied || !tied->size) return NR_OK;
  if (tied->size != num_results)
    return nr_op_error(op, "(%s) must have %zu tied operand entries, one per result, got %zu", id, num_results,
                       tied->size);
  for (size_t i = 0; i < tied->size; i++) {
    int64_t argument;
    if (!nr_attr_is_int(tied->items[i], &argument) || argument < -1 || argument >= (int64_t)num_arguments)
      return nr_op_error(op, "(%s) result #%zu is tied to an argument that does not exist", id, i);
    for (size_t k = 0; k < i && argument >= 0; k++)
      if (nr_tied_operand(op, k) == argument)
        return nr_op_error(op, "(%s) results #%zu and #%zu are tied to the same argument", id, k, i);
  }
  return NR_OK;
}

/* Whether every bit of the type's bytes belongs to the number, so that any bytes are valid elements. */
static bool fills_bytes(NrType t) {
  bool number = (nr_type_is_int(t) && t->width > 0) || nr_type_is_float(t);
  return number && t->width == 8 * nr_type_byte_size(t);
}

/* The size of a tensor in bytes; NR_DYNAMIC when it is not static or overflows. */
static int64_t byte_size(NrType t) {
  int64_t size = (int64_t)nr_type_byte_size(t->elem);
  for (uint32_t i = 0; i < t->rank; i++)
    if (t->dims[i] == NR_DYNAMIC || !nr_mul_i64(size, t->dims[i], &size)) return NR_DYNAMIC;
  return size;
}

NrStatus nr_flow_tied_types_verify(NrOp *op, const char *id) {
  size_t arguments = nr_flow_call_groups(op).arguments.begin;
  for (uint32_t i = 0; i < op->num_results; i++) {
    int64_t tied = nr_tied_operand(op, i);
    if (tied < 0) continue;
    NrType from = nr_operand(op, arguments + (size_t)tied)->type, to = nr_result(op, i)->type;
    if (from->kind != NR_TYPE_TENSOR)
      return nr_op_error(op, "(%s) result #%u is tied to an argument that is no tensor", id, i);
    if (to->kind != NR_TYPE_TENSOR) return nr_op_error(op, "(%s) result #%u is tied, but is no tensor", id, i);
    int64_t from_size = byte_size(from), to_size = byte_size(to);
    bool same_size = from_size == NR_DYNAMIC || to_size == NR_DYNAMIC || from_size == to_size;
    if (same_size && (from->elem == to->elem || (fills_bytes(from->elem) && fills_bytes(to->elem)))) continue;
    return nr_op_error(op, "(%s) result #%u of type %s cannot be the bytes of its argument of type %s", id, i,
                       nr_type_text(to->ctx, to), nr_type_text(from->ctx, from));
  }
  return NR_OK;
}
