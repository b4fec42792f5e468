/* bufferization.c - the op definitions of dialect bufferization, and the hooks of its ops. */
#include "dialect/shared/shaped.h"
#include "dialect/bufferization/ops.h"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }

static NrType tensor_of(NrType memref) {
  if (!nr_type_is_ranked(memref)) return nr_type_tensor_unranked(memref->elem);
  return nr_type_tensor(memref->dims, memref->rank, memref->elem);
}

static NrStatus same_contents(NrOp *op, NrType a, NrType b) {
  bool equal = nr_type_is_ranked(a) == nr_type_is_ranked(b) && a->elem == b->elem && a->rank == b->rank &&
               !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims);
  return equal ? NR_OK : nr_op_error(op, "(C1) expected %s and %s to have one shape and element type", text_of(op, a),
                                     text_of(op, b));
}

static void parse_unit(NrParser *p, NrOpState *state, const char *word) {
  if (nr_p_try(p, word)) nr_p_add_attr(p, state, word, nr_attr_unit(nr_p_context(p)));
}

static void print_unit(NrPrinter *w, NrOp *op, const char *word) {
  if (nr_op_attr_named(op, word)) nr_w_printf(w, " %s", word);
}

/* Parses attributes and `: type to type`; adds source and the result. */
static NrStatus parse_to(NrParser *p, NrOpState *state, NrOperandRef source) {
  NrType from, to;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &from));
  NR_TRY(nr_p_expect(p, "to"));
  NR_TRY(nr_p_type(p, &to));
  nr_p_add_result(p, state, to);
  return nr_p_add_operand(p, state, source, from);
}

static void print_to(NrPrinter *w, NrOp *op, const char *const *elided) {
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_operand_types(w, op, 0, 1);
  nr_w_puts(w, " to ");
  nr_w_result_types(w, op);
}

static const char *const flags[] = {"restrict", "writable", NULL};

/* tensor_load %m : memref<..>      bufferization.to_tensor %m restrict writable : memref<..> to tensor<..> */
static NrStatus to_tensor_parse(NrParser *p, NrOpState *state) {
  NrOperandRef source;
  NrType type;
  NR_TRY(nr_p_operand(p, &source));
  if (!nr_p_is_legacy(p)) {
    parse_unit(p, state, "restrict");
    parse_unit(p, state, "writable");
    return parse_to(p, state, source);
  }
  nr_p_add_attr(p, state, "restrict", nr_attr_unit(nr_p_context(p)));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, &type));
  if (!nr_type_is_memref(type)) return nr_p_error(p, loc, "expected the type of a memref");
  nr_p_add_result(p, state, tensor_of(type));
  return nr_p_add_operand(p, state, source, type);
}

static void to_tensor_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_bufferization_to_tensor_buffer(op));
  if (nr_w_is_legacy(w)) { /* restrict is implied */
    nr_w_attr_dict(w, op, (const char *const[]){"restrict", NULL});
    nr_w_puts(w, " : ");
    nr_w_operand_types(w, op, 0, 1);
    return;
  }
  print_unit(w, op, "restrict");
  print_unit(w, op, "writable");
  print_to(w, op, flags);
}

static NrStatus to_tensor_verify(NrOp *op) {
  return same_contents(op, nr_bufferization_to_tensor_buffer(op)->type, nr_op_result(op)->type);
}

/* Folds the to_tensor of a to_buffer to its tensor, if nothing is in between. */
static bool to_tensor_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrOp *made = nr_bufferization_to_tensor_buffer(op)->op;
  (void)constants;
  if (!nr_op_is(made, NR_OP_bufferization_to_buffer) || op->prev != made) return false;
  if (nr_bufferization_to_buffer_tensor(made)->type != nr_op_result(op)->type) return false;
  out->value = nr_bufferization_to_buffer_tensor(made);
  return true;
}

static NrStatus to_buffer_parse(NrParser *p, NrOpState *state) {
  NrOperandRef source;
  NR_TRY(nr_p_operand(p, &source));
  parse_unit(p, state, "read_only");
  return parse_to(p, state, source);
}

static void to_buffer_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"read_only", NULL};
  nr_w_puts(w, " ");
  nr_w_value(w, nr_bufferization_to_buffer_tensor(op));
  print_unit(w, op, "read_only");
  print_to(w, op, elided);
}

static NrStatus to_buffer_verify(NrOp *op) {
  return same_contents(op, nr_bufferization_to_buffer_tensor(op)->type, nr_op_result(op)->type);
}

static bool to_buffer_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  if (nr_value_has_uses(nr_op_result(op))) return false;
  nr_op_erase(op);
  return true;
}

static NrStatus clone_verify(NrOp *op) {
  NR_TRY(same_contents(op, nr_bufferization_clone_input(op)->type, nr_op_result(op)->type));
  if (nr_op_result(op)->type->kind == NR_TYPE_MEMREF && !nr_memref_is_identity(nr_op_result(op)->type))
    return nr_op_error(op, "(C2) expected a result without layout");
  return NR_OK;
}

/* tensor_store %t, %m : memref<..>
 * bufferization.materialize_in_destination %t in restrict writable %m : (tensor<..>, memref<..>) -> () */
static NrStatus materialize_parse(NrParser *p, NrOpState *state) {
  NrOperandRef source, dest;
  NrType *types, *results, type;
  size_t num_types, num_results;
  NR_TRY(nr_p_operand(p, &source));
  if (nr_p_is_legacy(p)) {
    NR_TRY(nr_p_expect(p, ","));
    NR_TRY(nr_p_operand(p, &dest));
    if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
    NrLoc loc = nr_p_loc(p);
    NR_TRY(nr_p_colon_type(p, &type));
    if (!nr_type_is_shaped(type)) return nr_p_error(p, loc, "expected the type of a memref or tensor");
    if (nr_type_is_memref(type)) nr_p_add_attr(p, state, "writable", nr_attr_unit(nr_p_context(p)));
    else nr_p_add_result(p, state, type);
    NR_TRY(nr_p_add_operand(p, state, source, tensor_of(type)));
    return nr_p_add_operand(p, state, dest, type);
  }
  NR_TRY(nr_p_expect(p, "in"));
  parse_unit(p, state, "restrict");
  parse_unit(p, state, "writable");
  NR_TRY(nr_p_operand(p, &dest));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_expect(p, ":"));
  NR_TRY(nr_p_paren_type_list(p, &types, &num_types));
  NR_TRY(nr_p_arrow_type_list(p, &results, &num_results));
  nr_p_add_results(p, state, results, num_results);
  return nr_p_add_operands(p, state, (NrOperandRef[]){source, dest}, 2, types, num_types);
}

static void materialize_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_bufferization_materialize_in_destination_source(op));
  nr_w_puts(w, nr_w_is_legacy(w) ? "," : " in");
  if (!nr_w_is_legacy(w)) {
    print_unit(w, op, "restrict");
    print_unit(w, op, "writable");
  }
  nr_w_puts(w, " ");
  nr_w_value(w, nr_bufferization_materialize_in_destination_dest(op));
  /* restrict is explicit, writable implied, in the 2020 syntax */
  nr_w_attr_dict(w, op, nr_w_is_legacy(w) ? flags + 1 : flags);
  nr_w_puts(w, " : ");
  if (nr_w_is_legacy(w)) nr_w_operand_types(w, op, 1, 1);
  else nr_w_functional_type(w, op);
}

static NrStatus materialize_verify(NrOp *op) {
  NrType source = nr_bufferization_materialize_in_destination_source(op)->type,
         dest = nr_bufferization_materialize_in_destination_dest(op)->type;
  bool memory = nr_type_is_memref(dest);
  if (!memory && dest->kind != NR_TYPE_TENSOR)
    return nr_op_error(op, "(C1) expected a destination that is a memref or a tensor with a rank, got %s",
                       text_of(op, dest));
  NR_TRY(same_contents(op, source, dest));
  if (memory && !nr_op_attr(op, NR_A_writable)) return nr_op_error(op, "(C2) must be 'writable' to write to a buffer");
  if (memory == (op->num_results == 1))
    return nr_op_error(op, memory ? "(C2) has no result when it writes to a buffer"
                                  : "(C2) has one result when the destination is a tensor");
  if (!memory && nr_op_result(op)->type != dest)
    return nr_op_error(op, "(C2) expected a result of type %s", text_of(op, dest));
  return NR_OK;
}

/* bufferization.alloc_tensor(%sizes) copy(%t) size_hint=%n : tensor<..> */
static NrStatus alloc_tensor_parse(NrParser *p, NrOpState *state) {
  NrOperandRef *sizes, copy, hint;
  size_t count;
  NrType type, index = nr_type_index(nr_p_context(p));
  NR_TRY(nr_p_expect(p, "("));
  NR_TRY(nr_p_operands(p, &sizes, &count));
  NR_TRY(nr_p_expect(p, ")"));
  bool copies = nr_p_try(p, "copy");
  if (copies) {
    NR_TRY(nr_p_expect(p, "("));
    NR_TRY(nr_p_operand(p, &copy));
    NR_TRY(nr_p_expect(p, ")"));
  }
  bool hinted = nr_p_try(p, "size_hint");
  if (hinted) {
    NR_TRY(nr_p_expect(p, "="));
    NR_TRY(nr_p_operand(p, &hint));
  }
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  for (size_t i = 0; i < count; i++) NR_TRY(nr_p_add_operand(p, state, sizes[i], index));
  if (copies) NR_TRY(nr_p_add_operand(p, state, copy, type));
  if (hinted) NR_TRY(nr_p_add_operand(p, state, hint, index));
  nr_p_add_result(p, state, type);
  nr_p_set_segments(p, state, (uint32_t[]){(uint32_t)count, copies, hinted}, 3);
  return NR_OK;
}

/* The operand of group 1 (copy) or 2 (size_hint); NULL when absent. */
static void alloc_tensor_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"operandSegmentSizes", NULL};
  size_t begin = 0, count = 0;
  nr_op_operand_group(op, NR_BUFFERIZATION_ALLOC_TENSOR_SIZES_GROUP, &begin, &count);
  nr_w_puts(w, "(");
  nr_w_values(w, op, begin, count);
  nr_w_puts(w, ")");
  if (nr_bufferization_alloc_tensor_copy(op)) {
    nr_w_puts(w, " copy(");
    nr_w_value(w, nr_bufferization_alloc_tensor_copy(op));
    nr_w_puts(w, ")");
  }
  if (nr_bufferization_alloc_tensor_size_hint(op)) {
    nr_w_puts(w, " size_hint=");
    nr_w_value(w, nr_bufferization_alloc_tensor_size_hint(op));
  }
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_result_types(w, op);
}

static NrStatus alloc_tensor_verify(NrOp *op) {
  NrType type = nr_op_result(op)->type;
  size_t begin = 0, count = 0, wanted = nr_type_num_dynamic(type);
  NrValue *copy = nr_bufferization_alloc_tensor_copy(op);
  nr_op_operand_group(op, NR_BUFFERIZATION_ALLOC_TENSOR_SIZES_GROUP, &begin, &count);
  if (copy && count) return nr_op_error(op, "(C1) sizes are not needed when copying a tensor");
  if (!copy && count != wanted)
    return nr_op_error(op, "(C1) expected %zu sizes, one for each dim that is not known, got %zu", wanted, count);
  if (copy && copy->type != type)
    return nr_op_error(op, "(C2) expected copy to have type %s, got %s", text_of(op, type), text_of(op, copy->type));
  return NR_OK;
}

#include "ir/rows.h"

#include "dialect/bufferization/ops.def"
