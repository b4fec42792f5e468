/* parse_format.c - parses ops by their declarative syntax; print_format.c prints them. */
#include "ir/parse.h"

#include <ctype.h>

typedef struct Group {
  NrOperandRef *refs;
  size_t count;
  NrType *types; /* NULL until they were parsed */
  size_t num_types;
} Group;

typedef struct Reader {
  NrParser *p;
  NrOpState *state;
  const NrFormat *format;
  const NrOpSpec *spec;
  Group *operands, *results; /* results have only types */
  NrType variables[26];
  NrType functional;
} Reader;

/* ---- literals ---------------------------------------------------------------------------------------------------- */

/* The literal's next token if the text continues with it, else 0. */
static size_t literal_prefix(const NrParser *p, NrStr literal) {
  NrStr t = nr_token_str(p->tok);
  bool same = t.size && t.size <= literal.size && memcmp(t.data, literal.data, t.size) == 0;
  return same ? t.size : 0;
}

static NrStr without_blanks(NrStr s) {
  while (s.size && s.data[0] == ' ') s = (NrStr){s.data + 1, s.size - 1};
  return s;
}

static bool read_literal(NrParser *p, NrStr literal) {
  for (NrStr rest = without_blanks(literal); rest.size; rest = without_blanks(rest)) {
    size_t size = literal_prefix(p, rest);
    if (!size) return nr_parse_fail(p, "expected '%.*s'", NR_STR_ARG(rest));
    rest = (NrStr){rest.data + size, rest.size - size};
    nr_parse_advance(p);
  }
  return true;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

NrType nr_parse_only_type(NrContext *ctx, NrStr c) {
  static const struct {
    const char *name;
    NrFloatKind kind;
  } floats[] = {{"f16", NR_F16}, {"bf16", NR_BF16}, {"f32", NR_F32}, {"f64", NR_F64}};
  if (nr_str_is(c, "index")) return nr_type_index(ctx);
  if (nr_str_is(c, "none")) return nr_type_none(ctx);
  const NrTypeInfo *info = memchr(c.data, '.', c.size) ? nr_type_info_find(c) : NULL;
  if (info) return info->params ? NULL : nr_type_of_dialect(ctx, (NrTypeKind)info->kind, NULL);
  for (size_t i = 0; i < NR_COUNTOF(floats); i++)
    if (nr_str_is(c, floats[i].name)) return nr_type_float(ctx, floats[i].kind);
  if (c.size < 2 || c.size > 4 || c.data[0] != 'i') return NULL;
  uint32_t width = 0;
  for (size_t i = 1; i < c.size; i++) {
    if (!isdigit((unsigned char)c.data[i])) return NULL;
    width = width * 10 + (uint32_t)(c.data[i] - '0');
  }
  return nr_type_int(ctx, width);
}

/* The first proposals of 2020 wrote `: (f32, f32) -> f32` for `: f32`. */
static NrType plain_type(Reader *r, NrType type, const NrSpecItem *item, bool result) {
  if (!r->p->frame->legacy || type->kind != NR_TYPE_FUNCTION || nr_type_fits(item, type))
    return type;
  if (result && type->num_results == 1) return type->results[0];
  return !result && type->num_inputs ? type->inputs[0] : type;
}

/* type($group): one type, or one for each of its members. */
static bool read_types(Reader *r, Group *group, const NrSpecItem *item, bool result) {
  NrParser *p = r->p;
  size_t begin = p->types.size, count = 0;
  bool none = !result && group->refs && group->count == 0;
  if (item->arity == 0) {
    const char *end = p->last_end;
    NrType type = nr_parse_type_here(p);
    if (!type) return false;
    NrType plain = plain_type(r, type, item, result);
    if (plain != type) nr_p_proposal(p, end, " %s", nr_type_text(p->ctx, plain));
    nr_vec_push(&p->types, plain);
    count = 1;
  } else if (!none && !nr_parse_types(p, &count)) {
    return false;
  }
  group->types = nr_parse_scratch(p, count, sizeof(NrType));
  group->num_types = count;
  if (count) memcpy(group->types, p->types.data + begin, count * sizeof(NrType));
  p->types.size = begin;
  if (count && item->variable && !r->variables[item->variable - 'A'])
    r->variables[item->variable - 'A'] = group->types[0];
  return true;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static bool read_i64s(NrParser *p, NrAttr *out) {
  NR_VEC(int64_t) values = {0};
  bool ok = nr_parse_need(p, '[');
  while (ok && !nr_parse_at(p, ']')) {
    int64_t value;
    ok = nr_parse_int64(p, &value);
    if (ok) nr_vec_push(&values, value);
    if (!nr_parse_take(p, ',')) break;
  }
  ok = ok && nr_parse_need(p, ']');
  if (ok) *out = nr_attr_i64_array(p->ctx, values.data, values.size);
  nr_vec_deinit(&values);
  return ok;
}

/* Kinds of attributes that are never followed by a type. */
static bool is_untyped_kind(NrStr kind) {
  static const char *const kinds[] = {"string", "symbol", "array", "dict", "type", "map", "bool"};
  for (size_t i = 0; i < NR_COUNTOF(kinds); i++)
    if (nr_str_is(kind, kinds[i])) return true;
  return false;
}

static bool read_attr(Reader *r, const NrFmtStep *step) {
  NrParser *p = r->p;
  const NrSpecItem *item = &r->spec->attrs[step->index];
  NrAttr value = NULL;
  int64_t number;
  switch (nr_format_attr_style(item->constraint)) {
  case NR_FMT_ATTR_UNIT: value = nr_attr_unit(p->ctx); break;
  case NR_FMT_ATTR_I64S:
    if (!read_i64s(p, &value)) return false;
    break;
  case NR_FMT_ATTR_INT:
    if (!nr_parse_int64(p, &number)) return false;
    value = nr_attr_int(nr_parse_only_type(p->ctx, item->constraint), number);
    break;
  case NR_FMT_ATTR_FULL: {
    bool colon = step[1].kind == NR_FMT_LITERAL && step[1].text.size && step[1].text.data[0] == ':';
    value = colon || is_untyped_kind(item->constraint) ? nr_parse_attr_untyped(p) : nr_parse_attr_here(p, NULL);
    if (!value) return false;
    break;
  }
  }
  NrNamedAttr named = {item->name, value};
  nr_vec_push(&p->attrs, named);
  nr_parse_sync(p);
  return true;
}

static bool at_attr(const NrParser *p, NrStr kind) {
  int t = p->tok.kind;
  switch (nr_format_attr_style(kind)) {
  case NR_FMT_ATTR_UNIT: return false;
  case NR_FMT_ATTR_I64S: return t == '[';
  case NR_FMT_ATTR_INT: return t == NR_TOK_INT || t == '-';
  case NR_FMT_ATTR_FULL: break;
  }
  if (nr_str_is(kind, "string")) return t == NR_TOK_STRING;
  if (nr_str_is(kind, "symbol")) return t == NR_TOK_SYMBOL;
  if (nr_str_is(kind, "array")) return t == '[';
  if (nr_str_is(kind, "dict")) return t == '{';
  return t == NR_TOK_INT || t == NR_TOK_FLOAT || t == '-' || t == NR_TOK_STRING || t == NR_TOK_SYMBOL ||
         t == NR_TOK_HASH || t == '[' || t == NR_TOK_BARE || t == NR_TOK_BANG;
}

/* ---- regions and successors -------------------------------------------------------------------------------------- */

static void fill_regions(Reader *r, size_t count) {
  while (r->state->num_regions < count) nr_parse_add_empty_region(r->p);
}

static bool read_region(Reader *r, uint32_t index) {
  fill_regions(r, index);
  return nr_parse_region(r->p, NULL, 0, true);
}

static bool read_successors(Reader *r, uint32_t index) {
  do {
    if (!nr_parse_successor(r->p, r->state)) return false;
  } while (r->spec->successors[index].arity == '*' && nr_parse_take(r->p, ','));
  return true;
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static bool read_operands(Reader *r, uint32_t index) {
  Group *group = &r->operands[index];
  char arity = r->spec->operands[index].arity;
  if (arity == '*') return nr_parse_operands(r->p, &group->refs, &group->count);
  group->refs = nr_parse_scratch(r->p, 1, sizeof *group->refs);
  group->count = 1;
  if (arity == 0 || nr_parse_at(r->p, NR_TOK_VALUE)) return nr_parse_operand(r->p, group->refs);
  group->count = 0;
  return true;
}

static bool read_functional(Reader *r) {
  if (!nr_parse_at(r->p, '(')) return nr_parse_fail(r->p, "expected a function type");
  return (r->functional = nr_parse_function_type(r->p)) != NULL;
}

static bool read_step(Reader *r, const NrFmtStep *step) {
  NrParser *p = r->p;
  switch (step->kind) {
  case NR_FMT_LITERAL: return read_literal(p, step->text);
  case NR_FMT_OPERAND: return read_operands(r, step->index);
  case NR_FMT_OPERAND_TYPE: return read_types(r, &r->operands[step->index], &r->spec->operands[step->index], false);
  case NR_FMT_RESULT_TYPE: return read_types(r, &r->results[step->index], &r->spec->results[step->index], true);
  case NR_FMT_ATTR: return read_attr(r, step);
  case NR_FMT_REGION: return read_region(r, step->index);
  case NR_FMT_SUCCESSOR: return read_successors(r, step->index);
  case NR_FMT_FUNCTIONAL_TYPE: return read_functional(r);
  case NR_FMT_ATTR_DICT: return nr_parse_attr_dict(p, r->state);
  case NR_FMT_ATTR_DICT_KEYWORD: return !nr_parse_take_word(p, "attributes") || nr_parse_attr_dict(p, r->state);
  default: return true;
  }
}

/* Whether the text continues with the group whose first step this is. */
static bool begins(Reader *r, const NrFmtStep *step) {
  const NrParser *p = r->p;
  switch (step->kind) {
  case NR_FMT_LITERAL: return literal_prefix(p, without_blanks(step->text)) > 0;
  case NR_FMT_OPERAND: return nr_parse_at(p, NR_TOK_VALUE);
  case NR_FMT_ATTR: return at_attr(p, r->spec->attrs[step->index].constraint);
  case NR_FMT_REGION: return nr_parse_at(p, '{');
  case NR_FMT_SUCCESSOR: return nr_parse_at(p, NR_TOK_BLOCK);
  case NR_FMT_OPERAND_TYPE:
  case NR_FMT_RESULT_TYPE:
  case NR_FMT_FUNCTIONAL_TYPE: return nr_parse_at(p, '(') || nr_parse_at(p, NR_TOK_BANG) || nr_parse_at(p, NR_TOK_BARE);
  default: return false;
  }
}

static bool run(Reader *r) {
  for (size_t i = 0; i < r->format->num_steps;) {
    const NrFmtStep *step = &r->format->steps[i];
    if (step->kind == NR_FMT_GROUP && !begins(r, step + 1)) i += step->skip;
    else if (step->kind == NR_FMT_GROUP_ELSE) i += step->skip;
    else if (read_step(r, step)) i++;
    else return false;
  }
  return true;
}

/* ---- operands and results ---------------------------------------------------------------------------------------- */

/* Type i of a group: as written, of its type variable, or the only type that its constraint allows; NULL: the type of
 * the value. */
static NrType type_of(Reader *r, const Group *group, const NrSpecItem *item, size_t i) {
  if (group->types && group->num_types) return group->types[group->num_types == 1 ? 0 : i];
  if (item->variable && r->variables[item->variable - 'A']) return r->variables[item->variable - 'A'];
  return nr_parse_only_type(r->p->ctx, item->constraint);
}

static bool count_mismatch(Reader *r, size_t operands, size_t types) {
  return nr_parse_fail(r->p, "custom op '%.*s' %zu operands present, but %zu types", NR_STR_ARG(r->p->frame->name),
                       operands, types);
}

static bool add_operands(Reader *r) {
  size_t total = 0, next = 0, num_groups = r->spec->num_operands;
  for (size_t g = 0; g < num_groups; g++) total += r->operands[g].count;
  if (r->functional && r->functional->num_inputs != total) return count_mismatch(r, total, r->functional->num_inputs);
  uint32_t *sizes = nr_parse_scratch(r->p, num_groups, sizeof *sizes);
  for (size_t g = 0; g < num_groups; g++) {
    Group *group = &r->operands[g];
    const NrSpecItem *item = &r->spec->operands[g];
    bool one_for_all = group->num_types == 1 && item->variable;
    if (group->types && group->num_types != group->count && !one_for_all)
      return count_mismatch(r, group->count, group->num_types);
    for (size_t i = 0; i < group->count; i++) {
      NrType type = r->functional ? r->functional->inputs[next++] : type_of(r, group, item, i);
      size_t before = r->state->num_operands;
      if (!nr_parse_add_operand(r->p, group->refs[i], type)) return false;
      /* A type variable that is not in the text has the type of its first value. */
      if (item->variable && !r->variables[item->variable - 'A'])
        r->variables[item->variable - 'A'] = r->state->operands[before]->type;
    }
    sizes[g] = (uint32_t)group->count;
  }
  if (r->state->info->traits & NR_SEGMENTS) nr_parse_add_segments(r->p, r->state, sizes, num_groups);
  return true;
}

static void add_result(Reader *r, NrType type) {
  nr_vec_push(&r->p->result_types, type);
  nr_parse_sync(r->p);
}

/* Result types from the text; if one is missing, all are inferred later. */
static void add_results(Reader *r) {
  const NrOpSpec *spec = r->spec;
  if (r->functional) {
    for (uint32_t i = 0; i < r->functional->num_results; i++) add_result(r, r->functional->results[i]);
    return;
  }
  for (size_t g = 0; g < spec->num_results; g++)
    if (spec->results[g].arity == 0 && !type_of(r, &r->results[g], &spec->results[g], 0)) return;
  for (size_t g = 0; g < spec->num_results; g++) {
    const Group *group = &r->results[g];
    if (spec->results[g].arity == 0) add_result(r, type_of(r, group, &spec->results[g], 0));
    else for (size_t i = 0; i < group->num_types; i++) add_result(r, group->types[i]);
  }
}

NrStatus nr_parse_by_format(NrParser *p, NrOpState *state, const NrFormat *format) {
  Reader r = {.p = p, .state = state, .format = format, .spec = nr_op_spec(p->ctx, state->info)};
  size_t groups = r.spec->num_operands + r.spec->num_results;
  r.operands = nr_parse_scratch(p, groups, sizeof *r.operands);
  memset(r.operands, 0, groups * sizeof *r.operands);
  r.results = r.operands + r.spec->num_operands;
  if (!run(&r) || !add_operands(&r)) return NR_ERROR_INVALID;
  add_results(&r);
  size_t regions = 0;
  while (regions < r.spec->num_regions && r.spec->regions[regions].arity != '*') regions++;
  fill_regions(&r, regions);
  return NR_OK;
}
