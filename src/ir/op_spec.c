/* op_spec.c - parses the strings of an op definition: operands, results, attributes, regions and their constraints. */
#include "ir/context.h"
#include "ir/op_info.h"
#include "ir/region_flow.h"

#include <ctype.h>

/* ---- constraints ------------------------------------------------------------------------------------------------ */

static bool is_any(NrType t) { return t != NULL; }
static bool is_signless(NrType t) { return t->kind == NR_TYPE_INTEGER && t->signedness == NR_SIGNLESS; }
static bool is_intlike_scalar(NrType t) { return is_signless(t) || t->kind == NR_TYPE_INDEX; }
static bool is_bool(NrType t) { return is_signless(t) && t->width == 1; }
static bool is_numlike_scalar(NrType t) { return is_intlike_scalar(t) || t->kind == NR_TYPE_FLOAT; }
static bool is_complex(NrType t) { return t->kind == NR_TYPE_COMPLEX; }
static bool is_ranked_tensor(NrType t) { return t->kind == NR_TYPE_TENSOR; }
static bool is_ranked_memref(NrType t) { return t->kind == NR_TYPE_MEMREF; }
static bool is_tensor_of_dims(NrType t) { return nr_type_is_tensor(t) && (!nr_type_is_ranked(t) || t->rank); }
static bool is_memref_of_dims(NrType t) { return nr_type_is_memref(t) && (!nr_type_is_ranked(t) || t->rank); }
static bool is_vector(NrType t) { return t->kind == NR_TYPE_VECTOR; }
static bool is_function(NrType t) { return t->kind == NR_TYPE_FUNCTION; }
static bool is_none(NrType t) { return t->kind == NR_TYPE_NONE; }
static bool is_tuple(NrType t) { return t->kind == NR_TYPE_TUPLE; }

/* `like` classes also accept vectors and tensors of an accepted scalar. */
static const struct Class {
  const char *name;
  bool (*holds)(NrType t);
  bool like;
  const char *words;
} classes[] = {
    {"any", is_any, false, "any type"},
    {"index", nr_type_is_index, false, "index"},
    {"int", nr_type_is_int, false, "integer"},
    {"float", nr_type_is_float, false, "floating-point"},
    {"int_or_index", nr_type_is_int_or_index, false, "integer or index"},
    {"complex", is_complex, false, "complex type"},
    {"scalar", nr_type_is_scalar, false, "scalar"},
    {"tensor", nr_type_is_tensor, false, "tensor of any type values"},
    {"ranked_tensor", is_ranked_tensor, false, "ranked tensor of any type values"},
    {"memref", nr_type_is_memref, false, "ranked or unranked memref of any type values"},
    {"ranked_memref", is_ranked_memref, false, "memref of any type values"},
    {"tensor_of_dims", is_tensor_of_dims, false, "non-0-ranked or unranked tensor"},
    {"memref_of_dims", is_memref_of_dims, false, "non-0-ranked or unranked memref"},
    {"vector", is_vector, false, "vector of any type values"},
    {"function", is_function, false, "function type"},
    {"shaped", nr_type_is_shaped, false, "shaped of any type values"},
    {"none", is_none, false, "none type"},
    {"tuple", is_tuple, false, "tuple"},
    {"intlike", is_intlike_scalar, true, "signless-integer-like"},
    {"floatlike", nr_type_is_float, true, "floating-point-like"},
    {"boollike", is_bool, true, "bool-like"},
    {"indexlike", nr_type_is_index, true, "index-like"},
    {"numlike", is_numlike_scalar, true, "signless-integer-like or floating-point-like"},
};

static const struct Class *find_class(NrStr name) {
  for (size_t i = 0; i < NR_COUNTOF(classes); i++)
    if (nr_str_is(name, classes[i].name)) return &classes[i];
  return NULL;
}

/* Parses a scalar type: "i32", "si8", "ui8", "f32", "bf16". */
static const char *const float_names[] = {
    [NR_F16] = "f16",
    [NR_BF16] = "bf16",
    [NR_F32] = "f32",
    [NR_F64] = "f64",
};

static bool parse_int_name(NrStr name, NrSignedness *out_signedness, uint32_t *out_width) {
  size_t i = 0;
  *out_signedness = NR_SIGNLESS;
  if (i < name.size && (name.data[i] == 's' || name.data[i] == 'u'))
    *out_signedness = name.data[i++] == 's' ? NR_SIGNED : NR_UNSIGNED;
  if (i >= name.size || name.data[i++] != 'i' || i == name.size) return false;
  uint32_t width = 0;
  for (; i < name.size; i++) {
    if (!isdigit((unsigned char)name.data[i]) || width > 1000000) return false;
    width = width * 10 + (uint32_t)(name.data[i] - '0');
  }
  *out_width = width;
  return true;
}

/* One alternative of a constraint: a class, a type of a dialect, or one scalar type. */
struct NrTypeTest {
  const struct Class *cls;
  const NrTypeInfo *info; /* if this is NULL too: the scalar */
  bool is_int;
  NrSignedness signedness;
  uint32_t width;
  NrFloatKind float_kind;
};

static struct NrTypeTest read_test(NrStr name) {
  struct NrTypeTest test = {.cls = find_class(name)};
  if (!test.cls) test.info = nr_type_info_find(name);
  if (test.cls || test.info) return test;
  test.is_int = parse_int_name(name, &test.signedness, &test.width);
  if (test.is_int) return test;
  for (size_t i = 0; i < NR_COUNTOF(float_names); i++)
    if (float_names[i] && nr_str_is(name, float_names[i])) return test.float_kind = (NrFloatKind)i, test;
  assert(!"malformed op row: unknown constraint");
  return test;
}

static bool test_holds(const struct NrTypeTest *test, NrType t) {
  const struct Class *cls = test->cls;
  if (cls) return cls->holds(t) || (cls->like && (is_vector(t) || nr_type_is_tensor(t)) && cls->holds(nr_type_elem(t)));
  if (test->info) return t->info == test->info;
  if (!test->is_int) return nr_type_is_float_kind(t, test->float_kind);
  return t->kind == NR_TYPE_INTEGER && t->width == test->width && t->signedness == test->signedness;
}

/* Splits "a|b|c" at the first bar. */
static NrStr take_alternative(NrStr *rest) {
  const char *bar = memchr(rest->data, '|', rest->size);
  NrStr first = {rest->data, bar ? (size_t)(bar - rest->data) : rest->size};
  size_t used = bar ? first.size + 1 : first.size;
  *rest = (NrStr){rest->data + used, rest->size - used};
  return first;
}

static void read_tests(NrContext *ctx, NrSpecItem *item) {
  NR_VEC(struct NrTypeTest) tests = {0};
  for (NrStr rest = item->constraint; rest.size;) nr_vec_push(&tests, read_test(take_alternative(&rest)));
  item->num_tests = tests.size;
  item->last_fit = NR_NEW(nr_context_arena(ctx), NrType);
  item->tests = nr_arena_copy(nr_context_arena(ctx), tests.data, tests.size * sizeof *tests.data);
  nr_vec_deinit(&tests);
}

bool nr_type_test(const NrSpecItem *item, NrType type) {
  for (size_t i = 0; i < item->num_tests; i++)
    if (test_holds(&item->tests[i], type)) return *item->last_fit = type, true;
  return false;
}

static void append_words(NrBuf *out, NrStr name) {
  const struct Class *cls = find_class(name);
  const NrTypeInfo *info = cls ? NULL : nr_type_info_find(name);
  NrSignedness signedness;
  uint32_t width;
  if (cls || info) {
    nr_buf_puts(out, cls ? cls->words : info->words);
  } else if (parse_int_name(name, &signedness, &width)) {
    static const char *const words[] = {"signless", "signed", "unsigned"};
    nr_buf_printf(out, "%u-bit %s integer", width, words[signedness]);
  } else {
    nr_buf_str(out, name);
  }
}

const char *nr_constraint_words(NrContext *ctx, NrStr constraint) {
  NrBuf text = {0};
  while (constraint.size) {
    append_words(&text, take_alternative(&constraint));
    if (constraint.size) nr_buf_puts(&text, " or ");
  }
  const char *words = nr_str_copy(nr_context_arena(ctx), (NrStr){text.data, text.size}).data;
  nr_buf_deinit(&text);
  return words;
}

/* ---- parsing ---------------------------------------------------------------------------------------------------- */

typedef struct Cursor {
  const char *p;
  NrContext *ctx;
  bool attrs; /* constraints are kinds of attributes, else of types */
} Cursor;

static void skip_blanks(Cursor *c) {
  while (*c->p == ' ' || *c->p == '\n') c->p++;
}

static bool take(Cursor *c, char ch) {
  skip_blanks(c);
  if (*c->p != ch) return false;
  c->p++;
  return true;
}

static NrStr take_word(Cursor *c) {
  skip_blanks(c);
  const char *start = c->p;
  while (isalnum((unsigned char)*c->p) || *c->p == '_' || *c->p == '|' || *c->p == '.') c->p++;
  assert((c->p > start || *c->p == '*') && "malformed op row: a name or constraint is missing");
  return (NrStr){start, (size_t)(c->p - start)};
}

static char take_arity(Cursor *c) {
  return *c->p == '*' || *c->p == '?' ? *c->p++ : 0;
}

/* "T=floatlike*": variable, constraint and arity. A bare `*` is any*. */
static void parse_constraint(Cursor *c, NrSpecItem *item) {
  item->constraint = take_word(c);
  if (item->constraint.size == 1 && isupper((unsigned char)item->constraint.data[0])) {
    item->variable = item->constraint.data[0];
    item->constraint = take(c, '=') ? take_word(c) : NR_STR("any");
  }
  if (item->constraint.size == 0) item->constraint = NR_STR("any");
  item->arity = take_arity(c);
}

/* "name: constraint", "name?: constraint", "name" or "name*". */
static NrSpecItem parse_item(Cursor *c) {
  NrSpecItem item = {.constraint = NR_STR("any")};
  item.name = nr_context_intern(c->ctx, take_word(c));
  char arity = take_arity(c);
  if (take(c, ':')) parse_constraint(c, &item);
  if (arity) item.arity = arity;
  if (c->attrs) item.attr_test = nr_attr_test(item.constraint);
  else read_tests(c->ctx, &item);
  return item;
}

typedef NR_VEC(NrSpecItem) ItemVec;

static const NrSpecItem *keep_items(NrArena *arena, ItemVec *items, size_t *out_count) {
  *out_count = items->size;
  for (size_t i = 1; i < items->size; i++) {
    const NrSpecItem *before = &items->data[i - 1];
    items->data[i].singles_before = (uint16_t)(before->singles_before + (before->arity == 0));
    items->data[i].varying_before = (uint16_t)(before->varying_before + (before->arity != 0));
  }
  const NrSpecItem *copy = items->size ? nr_arena_copy(arena, items->data, items->size * sizeof(NrSpecItem)) : NULL;
  items->size = 0;
  return copy;
}

static const NrSpecItem *parse_list(NrContext *ctx, const char *text, bool attrs, size_t *out_count) {
  ItemVec items = {0};
  Cursor c = {text ? text : "", ctx, attrs};
  skip_blanks(&c);
  while (*c.p) {
    nr_vec_push(&items, parse_item(&c));
    bool more = take(&c, ',');
    assert((more || *c.p == 0) && "malformed op row: expected `,`");
    if (!more) break;
    skip_blanks(&c);
  }
  const NrSpecItem *list = keep_items(nr_context_arena(ctx), &items, out_count);
  nr_vec_deinit(&items);
  return list;
}

/* "body(iv: index, acc: *), else?": the names as items, the arguments per region. */
static void parse_regions(NrContext *ctx, const char *text, NrOpSpec *spec) {
  NrArena *arena = nr_context_arena(ctx);
  ItemVec regions = {0}, args = {0};
  NR_VEC(const NrSpecItem *) lists = {0};
  NR_VEC(size_t) counts = {0};
  Cursor c = {text ? text : "", ctx, false};
  skip_blanks(&c);
  while (*c.p) {
    NrSpecItem region = {.name = nr_context_intern(ctx, take_word(&c)), .constraint = NR_STR("any")};
    size_t count = 0;
    const NrSpecItem *list = NULL;
    if (take(&c, '(')) {
      while (!take(&c, ')')) {
        nr_vec_push(&args, parse_item(&c));
        take(&c, ',');
      }
      list = keep_items(arena, &args, &count);
      if (!list) list = nr_arena_alloc(arena, sizeof(NrSpecItem)); /* "body()": no arguments, not any */
    }
    region.arity = take_arity(&c);
    nr_vec_push(&regions, region);
    nr_vec_push(&lists, list);
    nr_vec_push(&counts, count);
    if (!take(&c, ',')) break;
    skip_blanks(&c);
  }
  spec->regions = keep_items(arena, &regions, &spec->num_regions);
  if (lists.size) {
    spec->region_args = nr_arena_copy(arena, lists.data, lists.size * sizeof(*lists.data));
    spec->num_region_args = nr_arena_copy(arena, counts.data, counts.size * sizeof(*counts.data));
  }
  nr_vec_deinit(&regions);
  nr_vec_deinit(&args);
  nr_vec_deinit(&lists);
  nr_vec_deinit(&counts);
}

/* "func.func|scf.for" */
static void parse_parents(NrContext *ctx, const char *text, NrOpSpec *spec) {
  NR_VEC(const NrOpInfo *) parents = {0};
  for (NrStr rest = nr_str(text); rest.size;) {
    const NrOpInfo *parent = nr_op_info_find(take_alternative(&rest), NULL);
    assert(parent && "malformed op row: unknown parent op");
    nr_vec_push(&parents, parent);
  }
  spec->num_parents = parents.size;
  spec->parents = nr_arena_copy(nr_context_arena(ctx), parents.data, parents.size * sizeof *parents.data);
  nr_vec_deinit(&parents);
}

static bool all_have(const NrSpecItem *items, size_t count, char variable) {
  for (size_t i = 0; i < count; i++)
    if (items[i].variable != variable) return false;
  return true;
}

static size_t find_group(const NrOpSpec *spec, NrStr name) {
  for (size_t i = 0; i < spec->num_operands; i++)
    if (nr_str_eq(spec->operands[i].name, name)) return i;
  assert(!"malformed op row: .destination or .sizes names no operand group");
  return SIZE_MAX;
}

/* The name of the attribute static_<group>, or NULL if the row has none. */
static const char *static_list(const NrOpSpec *spec, NrStr group) {
  static const char prefix[] = "static_";
  for (size_t i = 0; i < spec->num_attrs; i++) {
    NrStr name = spec->attrs[i].name;
    if (!nr_str_starts(name, prefix)) continue;
    NrStr rest = {name.data + sizeof prefix - 1, name.size - (sizeof prefix - 1)};
    if (nr_str_eq(rest, group)) return name.data;
  }
  return NULL;
}

/* "copy|sizes" */
static void parse_sizes(const char *text, NrOpSpec *spec) {
  for (NrStr rest = nr_str(text); rest.size;) {
    NrStr group = take_alternative(&rest);
    assert(spec->num_sizes < NR_COUNTOF(spec->sizes));
    spec->sizes[spec->num_sizes].group = find_group(spec, group);
    spec->sizes[spec->num_sizes++].statics = static_list(spec, group);
  }
}

static const NrOpSpec *read_row(NrContext *ctx, const NrOpInfo *info) {
  NrOpSpec *spec = NR_NEW(nr_context_arena(ctx), NrOpSpec);
  spec->operands = parse_list(ctx, info->operands, false, &spec->num_operands);
  spec->results = parse_list(ctx, info->results, false, &spec->num_results);
  spec->attrs = parse_list(ctx, info->attrs, true, &spec->num_attrs);
  spec->successors = parse_list(ctx, info->successors, false, &spec->num_successors);
  parse_regions(ctx, info->regions, spec);
  parse_parents(ctx, info->parent, spec);
  spec->operand_range = nr_spec_range(spec->operands, spec->num_operands);
  spec->result_range = nr_spec_range(spec->results, spec->num_results);
  spec->successor_range = nr_spec_range(spec->successors, spec->num_successors);
  spec->is_fixed = spec->operand_range.singles == spec->num_operands &&
                   spec->result_range.singles == spec->num_results && spec->num_successors == 0;
  char variable = spec->num_operands ? spec->operands[0].variable : 0;
  spec->has_one_type = variable && all_have(spec->operands, spec->num_operands, variable) &&
                       all_have(spec->results, spec->num_results, variable);
  spec->flow = nr_region_flow_parse(nr_context_arena(ctx), info->region_flow, spec, &spec->num_flow);
  spec->destination = info->destination ? find_group(spec, nr_str(info->destination)) : SIZE_MAX;
  parse_sizes(info->sizes, spec);
  for (size_t i = 0; i < spec->num_attrs; i++) spec->has_symbols |= nr_str_is(spec->attrs[i].constraint, "symbol");
  return ctx->specs[info->id] = spec;
}

const NrOpSpec *nr_op_spec(NrContext *ctx, const NrOpInfo *info) {
  const NrOpSpec *spec = ctx->specs[info->id];
  return spec ? spec : read_row(ctx, info);
}

NrSpecRange nr_spec_range(const NrSpecItem *items, size_t count) {
  NrSpecRange range = {0};
  for (size_t i = 0; i < count; i++) {
    range.singles += items[i].arity == 0;
    range.optional += items[i].arity == '?';
    range.many |= items[i].arity == '*';
  }
  return range;
}

/* ---- rows that share a spelling --------------------------------------------------------------------------------- */

static bool operands_fit(const NrOpSpec *spec, const NrOpState *state) {
  for (size_t i = 0; i < spec->num_operands && !spec->operands[i].arity; i++)
    if (i >= state->num_operands || !nr_type_fits(&spec->operands[i], state->operands[i]->type))
      return false;
  return true;
}

static bool attrs_fit(const NrOpSpec *spec, const NrOpState *state) {
  for (size_t i = 0; i < spec->num_attrs; i++)
    for (size_t k = 0; k < state->num_attrs; k++)
      if (nr_str_eq(state->attrs[k].name, spec->attrs[i].name) &&
          !nr_attr_fits(&spec->attrs[i], state->attrs[k].value))
        return false;
  return true;
}

const NrOpInfo *nr_op_info_fitting(NrContext *ctx, const NrOpInfo *info, const NrOpState *state) {
  NrStr spelling = nr_op_info_legacy_name(info);
  for (unsigned id = 1; id < NR_OP_COUNT; id++) {
    const NrOpInfo *other = nr_op_infos[id];
    if (!other->legacy || !nr_str_eq(nr_op_info_legacy_name(other), spelling)) continue;
    const NrOpSpec *spec = nr_op_spec(ctx, other);
    if (operands_fit(spec, state) && attrs_fit(spec, state)) return other;
  }
  return info;
}

/* ---- groups ----------------------------------------------------------------------------------------------------- */

/* Without stored sizes at most one group is variadic or optional, or all such groups have equal sizes: they have the
 * operands that the single ones leave, `rest` each. */
static bool implied_group(const NrSpecItem *items, size_t num_items, size_t rest, size_t total, size_t group,
                          size_t *out_begin, size_t *out_count) {
  if (group >= num_items || rest > total) return false;
  const NrSpecItem *item = &items[group];
  *out_begin = item->singles_before + item->varying_before * rest;
  *out_count = item->arity ? rest : 1;
  return *out_begin + *out_count <= total;
}

bool nr_segment_size(NrAttr sizes, size_t i, size_t *out_size) {
  if (!sizes || sizes->kind != NR_ATTR_DENSE_ARRAY || sizes->data_size / 4 <= i) return false;
  if (!nr_type_is_int_width(sizes->type, 32)) return false;
  int32_t size;
  memcpy(&size, (const char *)sizes->data + 4 * i, 4);
  *out_size = (size_t)size;
  return size >= 0;
}

/* What each operand group that varies has; wraps around where the operands are too few for the single ones. */
static size_t rest_of_group(const NrOp *op, const NrOpSpec *spec, size_t total) {
  size_t rest = total - spec->operand_range.singles;
  if (!nr_op_has(op, NR_EQUAL_GROUPS)) return rest;
  size_t varying = spec->num_operands - spec->operand_range.singles;
  return varying && rest <= total ? rest / varying : rest;
}

bool nr_op_operand_group(const NrOp *op, size_t group, size_t *out_begin, size_t *out_count) {
  const NrOpSpec *spec = nr_op_spec(nr_op_context(op), op->info);
  size_t total = nr_op_num_plain_operands(op);
  if (!nr_op_has(op, NR_SEGMENTS))
    return implied_group(spec->operands, spec->num_operands, rest_of_group(op, spec, total), total, group, out_begin,
                         out_count);
  NrAttr sizes = nr_op_attr(op, NR_A_operandSegmentSizes);
  size_t begin = 0, size = 0;
  for (size_t i = 0; i <= group; i++) {
    begin += size;
    if (!nr_segment_size(sizes, i, &size) || size > total - begin) return false;
  }
  *out_begin = begin;
  *out_count = size;
  return group < spec->num_operands;
}

NrGroup nr_op_group(const NrOp *op, size_t group) {
  NrGroup range;
  bool found = nr_op_operand_group(op, group, &range.begin, &range.count);
  assert(found);
  return range;
}

NrValue *nr_op_group_operand(const NrOp *op, size_t group) {
  size_t begin, count;
  return nr_op_operand_group(op, group, &begin, &count) && count > 0 ? nr_operand(op, begin) : NULL;
}

bool nr_op_result_group(const NrOp *op, size_t group, size_t *out_begin, size_t *out_count) {
  const NrOpSpec *spec = nr_op_spec(nr_op_context(op), op->info);
  return implied_group(spec->results, spec->num_results, op->num_results - spec->result_range.singles, op->num_results,
                       group, out_begin, out_count);
}

bool nr_op_destinations(const NrOp *op, size_t *out_begin, size_t *out_count) {
  if (!op->info->destination) return false;
  size_t group = nr_op_spec(nr_op_context(op), op->info)->destination;
  return nr_op_operand_group(op, group, out_begin, out_count);
}

size_t nr_op_destination_index(const NrOp *op, size_t result) {
  size_t begin, count;
  if (!nr_op_destinations(op, &begin, &count)) return SIZE_MAX;
  /* Buffers among the outputs have no results. */
  for (size_t i = begin; i < begin + count; i++)
    if (nr_type_is_tensor(nr_operand(op, i)->type) && result-- == 0) return i;
  return SIZE_MAX;
}

NrValue *nr_op_destination(const NrOp *op, size_t result) {
  size_t i = nr_op_destination_index(op, result);
  return i == SIZE_MAX ? NULL : nr_operand(op, i);
}
