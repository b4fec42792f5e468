/* format.c - compiles the format string of an op to a program. */
#include "ir/format.h"
#include "ir/context.h"

#include <ctype.h>

typedef struct Build {
  NR_VEC(NrFmtStep) steps;
  const NrOpSpec *spec;
  const char *p;
  size_t group;   /* step of the open group, or SIZE_MAX */
  size_t other;   /* its GROUP_ELSE, or SIZE_MAX */
  NrFormat format;
} Build;

static NrStr take_word(Build *b) {
  const char *start = b->p;
  while (isalnum((unsigned char)*b->p) || *b->p == '_' || *b->p == '-' || *b->p == '.') b->p++;
  return (NrStr){start, (size_t)(b->p - start)};
}

static bool find_item(const NrSpecItem *items, size_t count, NrStr name, uint32_t *out) {
  for (size_t i = 0; i < count; i++)
    if (nr_str_eq(items[i].name, name)) return *out = (uint32_t)i, true;
  return false;
}

static NrFmtStep name_step(Build *b, NrStr name) {
  NrFmtStep step = {0};
  const NrOpSpec *s = b->spec;
  if (find_item(s->operands, s->num_operands, name, &step.index)) step.kind = NR_FMT_OPERAND;
  else if (find_item(s->attrs, s->num_attrs, name, &step.index)) step.kind = NR_FMT_ATTR;
  else if (find_item(s->regions, s->num_regions, name, &step.index)) step.kind = NR_FMT_REGION;
  else if (find_item(s->successors, s->num_successors, name, &step.index)) step.kind = NR_FMT_SUCCESSOR;
  else if (find_item(s->results, s->num_results, name, &step.index)) step.kind = NR_FMT_RESULT_TYPE; /* as an anchor */
  assert(step.kind != NR_FMT_END && "malformed format: $name is not declared");
  if (step.kind == NR_FMT_ATTR) b->format.attrs_named |= 1ull << step.index;
  return step;
}

static NrFmtStep type_step(Build *b, NrStr name) {
  NrFmtStep step = {0};
  if (find_item(b->spec->operands, b->spec->num_operands, name, &step.index)) {
    step.kind = NR_FMT_OPERAND_TYPE;
    b->format.operands_typed |= 1ull << step.index;
    return step;
  }
  bool found = find_item(b->spec->results, b->spec->num_results, name, &step.index);
  assert(found && "malformed format: type() of what is no operand or result");
  (void)found;
  step.kind = NR_FMT_RESULT_TYPE;
  b->format.results_typed |= 1ull << step.index;
  return step;
}

static void expect(Build *b, char ch) {
  assert(*b->p == ch && "malformed format");
  b->p += *b->p == ch;
}

static NrFmtStep word_step(Build *b) {
  NrStr word = take_word(b);
  if (nr_str_is(word, "type")) {
    expect(b, '(');
    expect(b, '$');
    NrFmtStep step = type_step(b, take_word(b));
    expect(b, ')');
    return step;
  }
  if (nr_str_is(word, "functional-type")) {
    b->format.functional_type = true;
    return (NrFmtStep){.kind = NR_FMT_FUNCTIONAL_TYPE};
  }
  bool keyword = nr_str_is(word, "attr-dict-with-keyword");
  assert((keyword || nr_str_is(word, "attr-dict")) && "malformed format: unknown word");
  b->format.has_attr_dict = true;
  return (NrFmtStep){.kind = keyword ? NR_FMT_ATTR_DICT_KEYWORD : NR_FMT_ATTR_DICT};
}

/* `^` after an element makes it the anchor of the open group. */
static void take_anchor(Build *b, NrFmtStep step) {
  if (*b->p != '^') return;
  b->p++;
  assert(b->group != SIZE_MAX && "malformed format: `^` outside of a group");
  NrFmtStep *group = &b->steps.data[b->group];
  group->anchor_kind = step.kind == NR_FMT_OPERAND_TYPE ? NR_FMT_OPERAND : step.kind;
  group->index = step.index;
}

static void close_group(Build *b) {
  NrFmtStep *group = &b->steps.data[b->group];
  assert(group->anchor_kind != NR_FMT_END && "malformed format: a group without `^`");
  group->skip = (uint32_t)((b->other == SIZE_MAX ? b->steps.size : b->other) + 1 - b->group);
  if (b->other != SIZE_MAX) b->steps.data[b->other].skip = (uint32_t)(b->steps.size + 1 - b->other);
  b->group = b->other = SIZE_MAX;
  nr_vec_push(&b->steps, (NrFmtStep){.kind = NR_FMT_GROUP_END});
}

/* `)?` closes the group; `):(` opens its alternative. */
static void end_of_part(Build *b) {
  assert(b->group != SIZE_MAX && "malformed format: unbalanced `)`");
  expect(b, ')');
  if (b->other == SIZE_MAX && b->p[0] == ':' && b->p[1] == '(') {
    b->p += 2;
    b->other = b->steps.size;
    nr_vec_push(&b->steps, (NrFmtStep){.kind = NR_FMT_GROUP_ELSE});
    return;
  }
  expect(b, '?');
  close_group(b);
}

/* Blanks as in MLIR's format printer. */
static NrFmtStep literal_step(NrStr text) {
  NrFmtStep step = {.kind = NR_FMT_LITERAL, .text = text};
  if (!text.size) return step;
  char first = text.data[0];
  bool is_sign = text.size == 1 || nr_str_is(text, "->");
  step.spacing.blank_before = !is_sign || !strchr("<>(){}[],", first);
  step.spacing.blank_before_if_punctuation = !is_sign || !strchr(">)}],", first);
  step.spacing.blank_after = text.size != 1 || !strchr("<({[", first);
  step.spacing.is_punctuation = first != '_' && !isalpha((unsigned char)first);
  return step;
}

static void take_step(Build *b) {
  if (*b->p == '`') {
    const char *start = ++b->p;
    const char *end = strchr(start, '`');
    assert(end && "malformed format: unbalanced back quote");
    b->p = end + 1;
    nr_vec_push(&b->steps, literal_step((NrStr){start, (size_t)(end - start)}));
  } else if (*b->p == '(') {
    assert(b->group == SIZE_MAX && "malformed format: groups do not nest");
    b->p++;
    b->group = b->steps.size;
    nr_vec_push(&b->steps, (NrFmtStep){.kind = NR_FMT_GROUP});
  } else if (*b->p == ')') {
    end_of_part(b);
  } else {
    bool named = *b->p == '$';
    if (named) b->p++;
    NrFmtStep step = named ? name_step(b, take_word(b)) : word_step(b);
    take_anchor(b, step);
    nr_vec_push(&b->steps, step);
  }
}

static const NrFormat *read_format(NrContext *ctx, const NrOpInfo *info, const char *text) {
  Build b = {.spec = nr_op_spec(ctx, info), .p = text, .group = SIZE_MAX, .other = SIZE_MAX};
  for (;;) {
    while (*b.p == ' ' || *b.p == '\n') b.p++;
    if (!*b.p) break;
    take_step(&b);
  }
  assert(b.group == SIZE_MAX && "malformed format: open group");
  b.format.num_steps = b.steps.size;
  nr_vec_push(&b.steps, (NrFmtStep){.kind = NR_FMT_END});
  NrFormat *format = nr_arena_copy(nr_context_arena(ctx), &b.format, sizeof b.format);
  format->steps = nr_arena_copy(nr_context_arena(ctx), b.steps.data, b.steps.size * sizeof(NrFmtStep));
  nr_vec_deinit(&b.steps);
  return format;
}

const NrFormat *nr_op_format(NrContext *ctx, const NrOpInfo *info, bool legacy) {
  const char *text = legacy && info->legacy_format ? info->legacy_format : info->format;
  if (!text) return NULL;
  const NrFormat **known = &ctx->formats[info->id][text != info->format];
  return *known ? *known : (*known = read_format(ctx, info, text));
}

NrFmtAttrStyle nr_format_attr_style(NrStr constraint) {
  if (nr_str_is(constraint, "i64") || nr_str_is(constraint, "i32") || nr_str_is(constraint, "index"))
    return NR_FMT_ATTR_INT;
  if (nr_str_is(constraint, "i64s")) return NR_FMT_ATTR_I64S;
  return nr_str_is(constraint, "unit") ? NR_FMT_ATTR_UNIT : NR_FMT_ATTR_FULL;
}
