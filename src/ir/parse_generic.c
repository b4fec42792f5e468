/* parse_generic.c - the generic form of ops, of all MLIR versions: "name"(%a) ({ .. }) {attrs} : (t) -> u. */
#include "ir/parse.h"

static bool parse_generic_successors(NrParser *p, NrOpState *state) {
  if (!nr_parse_take(p, '[')) return true;
  do {
    if (!nr_parse_successor(p, state)) return false;
  } while (nr_parse_take(p, ','));
  return nr_parse_need(p, ']');
}

/* <{properties}>: attributes of the op's definition. Those of an unregistered op are kept as one attribute named
 * NR_PROPERTIES. */
static bool parse_properties(NrParser *p) {
  if (!nr_parse_take(p, '<')) return true;
  size_t begin = p->frame->attrs;
  if (!nr_parse_need(p, '{') || !nr_parse_dict_entries(p, begin, '}')) return false;
  if (p->frame->state.info->id == NR_OP_unregistered) {
    NrAttr dict = nr_attr_dict(p->ctx, p->attrs.data ? p->attrs.data + begin : NULL, p->attrs.size - begin);
    p->attrs.size = begin;
    nr_vec_push(&p->attrs, ((NrNamedAttr){nr_context_intern(p->ctx, NR_STR(NR_PROPERTIES)), dict}));
  }
  return nr_parse_need(p, '>');
}

static bool parse_generic_regions(NrParser *p) {
  if (!nr_parse_take(p, '(')) return true;
  do {
    if (!nr_parse_region(p, NULL, 0, false)) return false;
  } while (nr_parse_take(p, ','));
  return nr_parse_need(p, ')');
}

static bool parse_generic_types(NrParser *p, const NrOperandRef *refs, size_t count) {
  const char *at = p->tok.begin;
  size_t begin = p->types.size, inputs, results;
  if (!nr_parse_need(p, ':')) return false;
  if (!nr_parse_at(p, '(')) return nr_parse_fail(p, "expected the function type of the op");
  if (!nr_parse_paren_types(p, &inputs) || !nr_parse_need(p, NR_TOK_ARROW) || !nr_parse_result_types(p, &results))
    return false;
  if (inputs != count) return nr_parse_fail_at(p, at, "expected %zu operand types but had %zu", count, inputs);
  for (size_t i = 0; i < count; i++)
    if (!nr_parse_add_operand(p, refs[i], p->types.data[begin + i])) return false;
  for (size_t i = 0; i < results; i++) nr_vec_push(&p->result_types, p->types.data[begin + inputs + i]);
  p->types.size = begin;
  nr_parse_sync(p);
  return true;
}

/* Removes the attribute and returns it, or NULL. */
static NrAttr take_attr(NrParser *p, const char *name) {
  for (size_t i = p->frame->attrs; i < p->attrs.size; i++) {
    if (!nr_str_is(p->attrs.data[i].name, name)) continue;
    NrAttr value = p->attrs.data[i].value;
    p->attrs.data[i] = nr_vec_pop(&p->attrs);
    nr_parse_sync(p);
    return value;
  }
  return NULL;
}

/* Before 2022 the sizes of operand groups were a dense vector with another attribute name. */
static void modernise_segments(NrParser *p, NrOpState *state) {
  NrAttr old = take_attr(p, "operand_segment_sizes");
  if (!old) return;
  int64_t count;
  if (old->kind == NR_ATTR_DENSE && nr_type_num_elements(old->type, &count) && count <= 64 &&
      nr_type_is_int(old->type->elem) && old->type->elem->width <= 64) {
    uint32_t sizes[64];
    for (int64_t i = 0; i < count; i++) sizes[i] = (uint32_t)nr_attr_element(old, i)->i;
    nr_parse_add_segments(p, state, sizes, (size_t)count);
  } else if (old->kind == NR_ATTR_DENSE_ARRAY) {
    NrNamedAttr named = {nr_context_intern(p->ctx, NR_STR("operandSegmentSizes")), old};
    nr_vec_push(&p->attrs, named);
    nr_parse_sync(p);
  }
}

/* The generic form lists all operands of a branch together; the last ones belong to its successors. operandSegmentSizes
 * has their numbers; all variadic successors share one entry, which case_operand_segments splits. */
static bool split_branch(NrParser *p, NrOpState *state) {
  const NrOpSpec *spec = nr_op_spec(p->ctx, state->info);
  size_t successors = state->num_successors, plain = spec->num_operands, total = state->num_operands;
  if (!successors || p->branch_operands.size > p->frame->branch_operands) return true;
  NrAttr sizes = take_attr(p, "operandSegmentSizes"), cases = take_attr(p, "case_operand_segments");
  uint32_t *counts = p->successor_sizes.data + p->frame->successors;
  size_t sum = plain, segment;
  for (size_t i = 0; i < successors; i++) {
    bool variadic = cases && i + 1 >= spec->num_successors;
    bool known = variadic ? nr_segment_size(cases, i + 1 - spec->num_successors, &segment)
                          : nr_segment_size(sizes, plain + i, &segment);
    if (!known && successors == 1) segment = total - NR_MIN(plain, total);
    else if (!known) segment = 0;
    if (segment > total) return nr_parse_fail_at(p, p->frame->at, "operandSegmentSizes does not match the operands");
    counts[i] = (uint32_t)segment;
    sum += segment;
  }
  if (sum != total) return nr_parse_fail_at(p, p->frame->at, "operandSegmentSizes does not match the operands");
  return true;
}

/* Whether the single operands and results fit the op's definition. */
static bool fits_row(NrParser *p, const NrOpInfo *info, const NrOpState *state) {
  const NrOpSpec *spec = nr_op_spec(p->ctx, info);
  for (size_t i = 0; i < spec->num_operands && spec->operands[i].arity == 0; i++)
    if (i >= state->num_operands || !nr_type_fits(&spec->operands[i], state->operands[i]->type))
      return false;
  for (size_t i = 0; i < spec->num_results && spec->results[i].arity == 0; i++)
    if (i >= state->num_results || !nr_type_fits(&spec->results[i], state->result_types[i]))
      return false;
  return true;
}

/* A few names of 2020 (constant, dim, rank) are two ops in current MLIR; the types tell which. */
static void choose_row(NrParser *p, NrOpState *state) {
  if (!p->frame->legacy || fits_row(p, state->info, state)) return;
  const char *name = state->info->legacy;
  for (unsigned id = 1; name && id < NR_OP_COUNT; id++) {
    const NrOpInfo *other = nr_op_infos[id];
    if (!other->legacy || strcmp(other->legacy, name) != 0 || !fits_row(p, other, state)) continue;
    state->info = other;
    return;
  }
}

/* "d.op"(%a, %b)[^bb1] <{properties}> ({regions}) {attributes} : (t, t) -> t */
bool nr_parse_generic(NrParser *p, NrOpState *state) {
  NrOperandRef *refs;
  size_t count;
  if (!nr_parse_need(p, '(') || !nr_parse_operands(p, &refs, &count) || !nr_parse_need(p, ')')) return false;
  if (!parse_generic_successors(p, state) || !parse_properties(p) || !parse_generic_regions(p)) return false;
  if (!nr_parse_attr_dict(p, state) || !parse_generic_types(p, refs, count)) return false;
  choose_row(p, state);
  if (state->info->id != NR_OP_unregistered) modernise_segments(p, state);
  if (p->frame->legacy) state->info = nr_op_info_fitting(p->ctx, state->info, state);
  return !(state->info->traits & NR_BRANCH) || split_branch(p, state);
}
