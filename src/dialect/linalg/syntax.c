/* syntax.c - the text of linalg.generic, linalg.fill and the named ops with similar text:
 *
 *   linalg.matmul indexing_maps = [..] {cast = ..} ins(%a, %b : ..) outs(%c : ..) -> tensor<4x16xf32>
 *
 * The text of a named op has no body: the post_parse hook builds it, and it is not printed. */
#include "dialect/linalg/linalg.h"

/* Parses `word(operands : types)` and adds the operands. */
static NrStatus group_parse(NrParser *p, NrOpState *state, const char *word, size_t *out_count) {
  NrOperandRef *refs;
  NrType *types;
  size_t num_types;
  *out_count = 0;
  if (!nr_p_try(p, word)) return NR_OK;
  NR_TRY(nr_p_expect(p, "("));
  if (nr_p_try(p, ")")) return NR_OK;
  NR_TRY(nr_p_operands(p, &refs, out_count));
  NR_TRY(nr_p_expect(p, ":"));
  NR_TRY(nr_p_type_list(p, &types, &num_types));
  NR_TRY(nr_p_expect(p, ")"));
  return nr_p_add_operands(p, state, refs, *out_count, types, num_types);
}

NrStatus nr_linalg_parse_operands(NrParser *p, NrOpState *state, size_t *out_inputs, size_t *out_outputs) {
  NR_TRY(group_parse(p, state, "ins", out_inputs));
  return group_parse(p, state, "outs", out_outputs);
}

static NrStatus operands_parse(NrParser *p, NrOpState *state) {
  size_t inputs, outputs;
  NR_TRY(nr_linalg_parse_operands(p, state, &inputs, &outputs));
  nr_p_set_segments(p, state, (uint32_t[]){(uint32_t)inputs, (uint32_t)outputs}, 2);
  return NR_OK;
}

NrStatus nr_linalg_parse_results(NrParser *p, NrOpState *state) {
  NrType *types;
  size_t count;
  NR_TRY(nr_p_arrow_type_list(p, &types, &count));
  nr_p_add_results(p, state, types, count);
  return NR_OK;
}

/* Parses the attributes before the operands: `{..}`, or an alias of a dictionary, `#trait`. */
static NrStatus trait_parse(NrParser *p, NrOpState *state) {
  if (nr_p_peek(p, "{")) return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NrAttr trait;
  NR_TRY(nr_p_attr(p, &trait));
  if (trait->kind != NR_ATTR_DICT) return nr_p_error(p, loc, "expected a dictionary of the op's attributes");
  for (size_t i = 0; i < trait->num_named; i++)
    nr_p_add_attr(p, state, trait->named[i].name.data, trait->named[i].value);
  return NR_OK;
}

NrStatus nr_linalg_generic_parse(NrParser *p, NrOpState *state) {
  NR_TRY(trait_parse(p, state));
  NR_TRY(operands_parse(p, state));
  if (nr_p_try(p, "attrs")) {
    NR_TRY(nr_p_expect(p, "="));
    if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  }
  NR_TRY(nr_p_region(p, state, NULL, 0));
  return nr_linalg_parse_results(p, state);
}

/* Converts iterator types that are strings to MLIR's attributes. */
NrStatus nr_linalg_generic_post_parse(NrParser *p, NrOp *op) {
  NrAttr types = nr_op_attr(op, NR_A_iterator_types);
  char letters[NR_MAX_RANK + 1] = {0};
  (void)p;
  if (!types || types->kind != NR_ATTR_ARRAY || types->size > NR_MAX_RANK) return NR_OK;
  for (size_t i = 0; i < types->size; i++) {
    NrAttr item = types->items[i];
    if (item->kind != NR_ATTR_STRING || (!nr_str_is(item->s, "parallel") && !nr_str_is(item->s, "reduction")))
      return NR_OK;
    letters[i] = item->s.data[0];
  }
  nr_op_set_attr(op, NR_A_iterator_types, nr_iterator_attr(nr_op_context(op), letters));
  return NR_OK;
}

static void group_print(NrPrinter *w, NrOp *op, const char *word, size_t begin, size_t count) {
  if (!count) return;
  nr_w_printf(w, " %s(", word);
  nr_w_values(w, op, begin, count);
  nr_w_puts(w, " : ");
  nr_w_operand_types(w, op, begin, count);
  nr_w_puts(w, ")");
}

void nr_linalg_print_operands(NrPrinter *w, NrOp *op) {
  size_t inputs = nr_linalg_num_inputs(op);
  group_print(w, op, "ins", 0, inputs);
  group_print(w, op, "outs", inputs, op->num_operands - inputs);
}

void nr_linalg_generic_print(NrPrinter *w, NrOp *op) {
  static const char *const own[] = {"doc",          "indexing_maps",       "iterator_types",
                                    "library_call", "operandSegmentSizes", NULL};
  NrAttr types = nr_op_attr(op, NR_A_iterator_types), doc = nr_op_attr(op, NR_A_doc),
         call = nr_op_attr(op, NR_A_library_call);
  nr_w_puts(w, " {");
  if (doc) {
    nr_w_puts(w, "doc = ");
    nr_w_attr(w, doc);
    nr_w_puts(w, ", ");
  }
  nr_w_puts(w, "indexing_maps = ");
  nr_w_attr(w, nr_op_attr(op, NR_A_indexing_maps));
  nr_w_puts(w, ", iterator_types = [");
  for (size_t i = 0; i < types->size; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_string(w, nr_iterator_name(types->items[i]));
  }
  nr_w_puts(w, "]");
  if (call) {
    nr_w_puts(w, ", library_call = ");
    nr_w_attr(w, call);
  }
  nr_w_puts(w, "}");
  nr_linalg_print_operands(w, op);
  size_t others = op->num_attrs;
  for (size_t i = 0; own[i]; i++) others -= nr_op_attr_named(op, own[i]) != NULL;
  if (others) {
    nr_w_puts(w, " attrs =");
    nr_w_attr_dict(w, op, own);
  }
  nr_w_puts(w, " ");
  nr_w_region(w, nr_linalg_generic_region(op), true, true);
  nr_w_arrow_results(w, op);
}

NrStatus nr_linalg_fill_parse(NrParser *p, NrOpState *state) {
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(operands_parse(p, state));
  return nr_linalg_parse_results(p, state);
}

void nr_linalg_fill_print(NrPrinter *w, NrOp *op) {
  static const char *const own[] = {"operandSegmentSizes", NULL};
  nr_w_attr_dict(w, op, own);
  nr_linalg_print_operands(w, op);
  nr_w_arrow_results(w, op);
}

/* ---- named ops --------------------------------------------------------------------------------------------------- */

static bool has_attr(const NrOpInfo *info, const char *name) { return info->attrs && strstr(info->attrs, name); }

NrStatus nr_linalg_named_parse(NrParser *p, NrOpState *state) {
  static const char *const in_front[] = {"kind", "indexing_maps", NULL};
  for (size_t i = 0; in_front[i]; i++) {
    NrAttr value;
    if (!has_attr(state->info, in_front[i]) || !nr_p_try(p, in_front[i])) continue;
    NR_TRY(nr_p_expect(p, "="));
    NR_TRY(nr_p_attr(p, &value));
    nr_p_add_attr(p, state, in_front[i], value);
  }
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(operands_parse(p, state));
  nr_p_empty_region(p, state);
  return nr_linalg_parse_results(p, state);
}

/* Builds the body, and adds the definition's default maps, which MLIR's generic form has too. */
NrStatus nr_linalg_named_post_parse(NrParser *p, NrOp *op) {
  (void)p;
  size_t begin, count;
  /* MLIR's cache of the maps; the op definitions give them */
  nr_op_remove_attr(op, NR_A_linalg_memoized_indexing_maps);
  if (op->num_regions != 1 || !nr_op_destinations(op, &begin, &count)) return NR_OK; /* the verifier reports it */
  if (!nr_op_only_body(op)) NR_TRY(nr_linalg_build_body(op));
  if (has_attr(op->info, "indexing_maps") && !nr_op_attr(op, NR_A_indexing_maps))
    nr_op_set_attr(op, NR_A_indexing_maps, nr_linalg_default_maps(op));
  return NR_OK;
}

void nr_linalg_named_print(NrPrinter *w, NrOp *op) {
  static const char *const own[] = {"indexing_maps", "kind", "operandSegmentSizes", NULL};
  static const char *const others[] = {"operandSegmentSizes", NULL};
  bool has_maps = has_attr(op->info, "indexing_maps");
  NrAttr maps = has_maps ? nr_op_attr(op, NR_A_indexing_maps) : NULL;
  if (has_attr(op->info, "kind")) {
    nr_w_puts(w, " kind=");
    nr_w_attr(w, nr_op_attr(op, NR_A_kind));
  }
  if (maps && (op->info->maps == nr_linalg_required_maps || maps != nr_linalg_default_maps(op))) {
    nr_w_puts(w, " indexing_maps = ");
    nr_w_attr(w, maps);
  }
  nr_w_attr_dict(w, op, has_maps ? own : others);
  nr_linalg_print_operands(w, op);
  nr_w_arrow_results(w, op);
}
