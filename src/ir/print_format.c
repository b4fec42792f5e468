/* print_format.c - prints ops by their declarative syntax. Blanks are placed as by MLIR's format printer, so that
 * MLIR's format gives MLIR's text; format.c determines the blanks around literals. */
#include "ir/format.h"
#include "ir/print.h"

typedef struct State {
  NrPrinter *w;
  NrOp *op;
  const NrFormat *format;
  const NrOpSpec *spec;
  bool space;       /* a blank is due before the next element */
  bool punctuation; /* the last literal was one of ( [ , ... */
} State;

static void put_literal(State *s, const NrFmtStep *step) {
  if (!step->text.size) return;
  if (s->space && (s->punctuation ? step->spacing.blank_before_if_punctuation : step->spacing.blank_before))
    nr_w_char(s->w, ' ');
  nr_w_str(s->w, step->text);
  s->space = step->spacing.blank_after;
  s->punctuation = step->spacing.is_punctuation;
}

static void before_element(State *s) {
  if (s->space || !s->punctuation) nr_w_char(s->w, ' ');
  s->space = true;
  s->punctuation = false;
}

static void put_operand_types(State *s, uint32_t group) {
  size_t begin, count;
  if (nr_op_operand_group(s->op, group, &begin, &count)) nr_w_operand_types(s->w, s->op, begin, count);
}

static void put_result_group_types(State *s, uint32_t group) {
  size_t begin, count;
  if (!nr_op_result_group(s->op, group, &begin, &count)) return;
  for (size_t i = 0; i < count; i++) {
    if (i) nr_w_puts(s->w, ", ");
    nr_w_type(s->w, nr_result(s->op, begin + i)->type);
  }
}

static NrAttr declared_attr(const State *s, uint32_t index) {
  NrStr name = s->spec->attrs[index].name;
  for (uint32_t i = 0; i < s->op->num_attrs; i++)
    if (nr_str_eq(s->op->attrs[i].name, name)) return s->op->attrs[i].value;
  return NULL;
}

static void put_i64s(NrPrinter *w, NrAttr a) {
  nr_w_char(w, '[');
  for (size_t at = 0; at + 8 <= a->data_size; at += 8) {
    int64_t value;
    memcpy(&value, (const char *)a->data + at, 8);
    if (at) nr_w_puts(w, ", ");
    nr_w_int(w, value);
  }
  nr_w_char(w, ']');
}

static void put_attr(State *s, uint32_t index) {
  NrAttr a = declared_attr(s, index);
  NrFmtAttrStyle style = nr_format_attr_style(s->spec->attrs[index].constraint);
  if (!a || style == NR_FMT_ATTR_UNIT) return;
  before_element(s);
  if (style == NR_FMT_ATTR_INT) nr_w_attr_no_type(s->w, a);
  else if (style == NR_FMT_ATTR_I64S && a->kind == NR_ATTR_DENSE_ARRAY) put_i64s(s->w, a);
  else nr_w_attr(s->w, a);
}

static void put_region(State *s, uint32_t index) {
  if (index >= s->op->num_regions) return;
  before_element(s);
  nr_w_region(s->w, &s->op->regions[index], true, !nr_op_has(s->op, NR_IMPLICIT_YIELD));
}

static void put_attr_dict(State *s, bool keyword) {
  s->punctuation = false;
  if (!s->op->num_attrs) return;
  const char *except[65]; /* attrs_named has 64 bits */
  size_t n = 0;
  for (size_t i = 0; i < s->spec->num_attrs && i < 64; i++)
    if (s->format->attrs_named >> i & 1) except[n++] = s->spec->attrs[i].name.data;
  except[n] = NULL;
  if (keyword) nr_w_attr_dict_keyword(s->w, s->op, except);
  else nr_w_attr_dict(s->w, s->op, except);
}

static bool is_present(const State *s, const NrFmtStep *group) {
  size_t begin, count;
  switch (group->anchor_kind) {
  case NR_FMT_OPERAND: return nr_op_operand_group(s->op, group->index, &begin, &count) && count > 0;
  case NR_FMT_RESULT_TYPE: return nr_op_result_group(s->op, group->index, &begin, &count) && count > 0;
  case NR_FMT_ATTR: return declared_attr(s, group->index) != NULL;
  case NR_FMT_REGION: return group->index < s->op->num_regions && s->op->regions[group->index].first;
  case NR_FMT_SUCCESSOR: return group->index < s->op->num_successors;
  default: return false;
  }
}

static void put_successors(State *s, uint32_t index) {
  bool all = s->spec->successors[index].arity == '*';
  size_t end = all ? s->op->num_successors : NR_MIN((size_t)index + 1, s->op->num_successors);
  before_element(s);
  for (size_t i = index; i < end; i++) {
    if (i > index) nr_w_puts(s->w, ", ");
    nr_w_successor(s->w, s->op, i);
  }
}

static void put_step(State *s, const NrFmtStep *step) {
  size_t begin, count;
  switch (step->kind) {
  case NR_FMT_LITERAL: put_literal(s, step); break;
  case NR_FMT_OPERAND:
    if (!nr_op_operand_group(s->op, step->index, &begin, &count)) break;
    before_element(s);
    nr_w_values(s->w, s->op, begin, count);
    break;
  case NR_FMT_OPERAND_TYPE:
    before_element(s);
    put_operand_types(s, step->index);
    break;
  case NR_FMT_RESULT_TYPE:
    before_element(s);
    put_result_group_types(s, step->index);
    break;
  case NR_FMT_ATTR: put_attr(s, step->index); break;
  case NR_FMT_REGION: put_region(s, step->index); break;
  case NR_FMT_SUCCESSOR: put_successors(s, step->index); break;
  case NR_FMT_FUNCTIONAL_TYPE:
    before_element(s);
    nr_w_functional_type(s->w, s->op);
    break;
  case NR_FMT_ATTR_DICT: put_attr_dict(s, false); break;
  case NR_FMT_ATTR_DICT_KEYWORD: put_attr_dict(s, true); break;
  default: break;
  }
}

void nr_w_format(NrPrinter *w, NrOp *op, const NrFormat *format) {
  State s = {.w = w, .op = op, .format = format, .spec = nr_op_spec(w->ctx, op->info), .space = true};
  for (size_t i = 0; i < format->num_steps;) {
    const NrFmtStep *step = &format->steps[i];
    if (step->kind == NR_FMT_GROUP && !is_present(&s, step)) i += step->skip;
    else if (step->kind == NR_FMT_GROUP_ELSE) i += step->skip;
    else put_step(&s, step), i++;
  }
}
