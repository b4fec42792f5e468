/* verify_row.c - checks an op against its definition: numbers of operands, results, regions and successors, types and
 * attributes. */
#include "ir/verify.h"

typedef struct Row {
  NrOp *op;
  NrContext *ctx;
  const NrOpSpec *spec;
  bool good;
} Row;

static const char *words(Row *r, NrStr constraint) { return nr_constraint_words(r->ctx, constraint); }

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* One `?` group and no `*` group: at most one more than the minimum. */
static bool count_fits(NrSpecRange range, size_t found) {
  return found >= range.singles && (range.many || found <= range.singles + range.optional);
}

static const char *or_more(NrSpecRange range) { return range.many || range.optional ? " or more" : ""; }

static void report_count(Row *r, NrSpecRange range, size_t found, const char *what) {
  nr_op_error(r->op, "expected %zu%s %s%s, but found %zu", range.singles, or_more(range), what,
              range.singles == 1 ? "" : "s", found);
  r->good = false;
}

/* operandSegmentSizes: one size for each group, not negative, 1 for single groups, 0 or 1 for optional ones; their sum
 * is the number of operands. */
static void check_segments(Row *r) {
  const NrOpSpec *spec = r->spec;
  NrAttr sizes = nr_op_attr(r->op, NR_A_operandSegmentSizes);
  if (!sizes) {
    nr_op_error(r->op, "requires attribute 'operandSegmentSizes'");
    r->good = false;
    return;
  }
  size_t sum = 0, size;
  bool fits = sizes->kind == NR_ATTR_DENSE_ARRAY && sizes->data_size == 4 * spec->num_operands;
  for (size_t i = 0; fits && i < spec->num_operands; i++) {
    char arity = spec->operands[i].arity;
    fits = nr_segment_size(sizes, i, &size) && nr_add_size(sum, size, &sum) && (arity == '*' || size <= 1) &&
           (arity != 0 || size == 1);
  }
  if (fits && sum == nr_op_num_plain_operands(r->op)) return;
  nr_op_error(r->op, "has %zu operands, which attribute 'operandSegmentSizes' does not share out to its %zu groups",
              nr_op_num_plain_operands(r->op), spec->num_operands);
  r->good = false;
}

static inline void check_count(Row *r, NrSpecRange range, size_t found, const char *what) {
  if (!count_fits(range, found)) report_count(r, range, found, what);
}

static void check_counts(Row *r) {
  NrOp *op = r->op;
  const NrOpSpec *s = r->spec;
  if (s->is_fixed && op->num_operands == s->num_operands && op->num_results == s->num_results &&
      op->num_successors == 0 && op->num_regions == s->num_regions)
    return;
  if (nr_op_has(op, NR_SEGMENTS)) check_segments(r);
  else check_count(r, s->operand_range, nr_op_num_plain_operands(op), "operand");
  check_count(r, s->result_range, op->num_results, "result");
  check_count(r, s->successor_range, op->num_successors, "successor");
  bool variadic = s->num_regions && s->regions[s->num_regions - 1].arity == '*';
  if (op->num_regions == s->num_regions || (variadic && op->num_regions + 1 >= s->num_regions)) return;
  nr_op_error(op, "has incorrect number of regions: expected %zu but found %u", s->num_regions, op->num_regions);
  r->good = false;
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

static const char *arity_words(char arity) { return arity == '*' ? "variadic of " : ""; }

static void report_type(Row *r, const NrSpecItem *item, const char *what, size_t number, NrType type) {
  nr_op_error(r->op, "%s #%zu must be %s%s, but got '%s'", what, number, arity_words(item->arity),
              words(r, item->constraint), nr_type_text(r->ctx, type));
  r->good = false;
}

static bool any_with_variable(const NrSpecItem *items, size_t count, char variable, bool all) {
  for (size_t i = 0; i < count; i++)
    if ((items[i].variable == variable) != all) return !all;
  return all;
}

static void append_names(NrBuf *out, const NrSpecItem *items, size_t count, char variable) {
  for (size_t i = 0; i < count; i++) {
    if (items[i].variable != variable) continue;
    if (out->size) nr_buf_puts(out, ", ");
    nr_buf_str(out, items[i].name);
  }
}

static void report_variable(Row *r, char variable, NrType first, NrType other) {
  const NrOpSpec *s = r->spec;
  bool operands = s->num_operands && any_with_variable(s->operands, s->num_operands, variable, true);
  bool results = s->num_results && any_with_variable(s->results, s->num_results, variable, true);
  bool some_results = any_with_variable(s->results, s->num_results, variable, false);
  const char *a = nr_type_text(r->ctx, first), *b = nr_type_text(r->ctx, other);
  r->good = false;
  if (operands && results) {
    nr_op_error(r->op, "requires the same type for all operands and results, but has '%s' and '%s'", a, b);
  } else if (operands && !some_results) {
    nr_op_error(r->op, "requires all operands to have the same type, but has '%s' and '%s'", a, b);
  } else {
    NrBuf names = {0};
    append_names(&names, s->operands, s->num_operands, variable);
    append_names(&names, s->results, s->num_results, variable);
    nr_op_error(r->op, "failed to verify that all of {%s} have same type: '%s' and '%s'", names.data, a, b);
    nr_buf_deinit(&names);
  }
}

/* The type of each type variable; bit i is of letter i. types is not initialised, because most ops have few variables.
 */
typedef struct Variables {
  uint32_t bound, reported;
  NrType types[26];
} Variables;

static void bind_variable(Row *r, Variables *v, char variable, NrType type) {
  int i = variable - 'A';
  uint32_t bit = 1u << i;
  if (!(v->bound & bit)) v->types[i] = type;
  v->bound |= bit;
  if (v->types[i] == type || (v->reported & bit)) return;
  v->reported |= bit;
  report_variable(r, variable, v->types[i], type);
}

static inline void check_type(Row *r, Variables *v, const NrSpecItem *item, const char *what, size_t number,
                              NrType type) {
  if (!nr_type_fits(item, type)) report_type(r, item, what, number, type);
  if (item->variable) bind_variable(r, v, item->variable, type);
}

/* The numbers are valid: the one variadic or optional item has the values that the single items leave. */
static void check_types(Row *r) {
  NrOp *op = r->op;
  const NrOpSpec *s = r->spec;
  Variables variables;
  variables.bound = variables.reported = 0;
  if (s->is_fixed) { /* most ops: group i is operand i */
    for (size_t i = 0; i < s->num_operands; i++)
      check_type(r, &variables, &s->operands[i], "operand", i, nr_operand(op, i)->type);
    for (size_t i = 0; i < s->num_results; i++)
      check_type(r, &variables, &s->results[i], "result", i, nr_result(op, i)->type);
    return;
  }
  bool segments = nr_op_has(op, NR_SEGMENTS) || nr_op_has(op, NR_EQUAL_GROUPS);
  size_t total = nr_op_num_plain_operands(op), rest = total - s->operand_range.singles, begin = 0, count;
  for (size_t g = 0; g < s->num_operands; g++, begin += count) {
    count = NR_MIN(s->operands[g].arity ? rest : 1, total - begin);
    if (segments && !nr_op_operand_group(op, g, &begin, &count)) count = 0;
    for (size_t i = begin; i < begin + count; i++)
      check_type(r, &variables, &s->operands[g], "operand", i, nr_operand(op, i)->type);
  }
  rest = op->num_results - s->result_range.singles;
  begin = 0;
  for (size_t g = 0; g < s->num_results; g++, begin += count) {
    count = NR_MIN(s->results[g].arity ? rest : 1, op->num_results - begin);
    for (size_t i = begin; i < begin + count; i++)
      check_type(r, &variables, &s->results[g], "result", i, nr_result(op, i)->type);
  }
}

static bool is_mapped(NrType t) { return t->kind == NR_TYPE_VECTOR || nr_type_is_tensor(t); }

static bool dims_agree(NrType a, NrType b) {
  if (a->kind != b->kind || !nr_type_is_ranked(a)) return a->kind == b->kind;
  if (a->rank != b->rank || a->scalable != b->scalable) return false;
  for (uint32_t i = 0; i < a->rank; i++)
    if (a->dims[i] != b->dims[i] && a->dims[i] != NR_DYNAMIC && b->dims[i] != NR_DYNAMIC) return false;
  return true;
}

/* The vectors, or tensors, of an element-wise op have the same shape; if an operand is one, all results are. Like
 * MLIR's trait Elementwise. */
static const char *elementwise_fault(const NrOp *op) {
  static const char differ[] = "all non-scalar operands/results must have the same shape and base type";
  NrType shape = NULL, type;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    if (!is_mapped(type = nr_operand(op, i)->type)) continue;
    if (shape && !dims_agree(shape, type)) return differ;
    if (!shape) shape = type;
  }
  for (uint32_t i = 0; i < op->num_results; i++) {
    type = nr_result(op, i)->type;
    if (is_mapped(type) && !shape) return "if a result is non-scalar, then at least one operand must be non-scalar";
    if (!is_mapped(type) && shape) return "if an operand is non-scalar, then all results must be non-scalar";
    if (shape && !dims_agree(shape, type)) return differ;
  }
  return NULL;
}

static void check_elementwise(Row *r) {
  const char *fault = elementwise_fault(r->op);
  if (!fault) return;
  nr_op_error(r->op, "%s", fault);
  r->good = false;
}

/* ---- regions ---------------------------------------------------------------------------------------------------- */

static void check_region_args(Row *r, size_t index) {
  const NrSpecItem *items = r->spec->region_args[index], *region = &r->spec->regions[index];
  size_t count = r->spec->num_region_args[index];
  NrBlock *block = nr_op_body(r->op, index);
  if (!items || !block) return;
  NrSpecRange range = nr_spec_range(items, count);
  if (!count_fits(range, block->num_args)) {
    nr_op_error(r->op, "expects region #%zu ('%.*s') to have %zu%s arguments, but found %u", index,
                NR_STR_ARG(region->name), range.singles, or_more(range), block->num_args);
    r->good = false;
    return;
  }
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    size_t n = items[i].arity ? block->num_args - range.singles : 1;
    for (size_t k = 0; k < n; k++, at++) {
      NrType type = nr_block_arg(block, at)->type;
      if (nr_type_fits(&items[i], type)) continue;
      nr_op_error(r->op, "expects argument #%zu ('%.*s') of region #%zu to be %s, but got '%s'", at,
                  NR_STR_ARG(items[i].name), index, words(r, items[i].constraint), nr_type_text(r->ctx, type));
      r->good = false;
    }
  }
}

static void check_regions(Row *r) {
  NrOp *op = r->op;
  for (size_t i = 0; i < op->num_regions && i < r->spec->num_regions; i++) {
    bool may_be_empty = r->spec->regions[i].arity || nr_op_has(op, NR_FUNCTION) || nr_op_has(op, NR_SYMBOL);
    if (!nr_op_body(op, i) && !may_be_empty) {
      nr_op_error(op, "region #%zu ('%.*s') must have a block", i, NR_STR_ARG(r->spec->regions[i].name));
      r->good = false;
    }
    check_region_args(r, i);
  }
}

/* ---- attributes ------------------------------------------------------------------------------------------------- */

/* name is interned, as the names of an op's attributes are. */
static NrAttr find_attr(const NrOp *op, NrStr name) {
  for (uint32_t i = 0; i < op->num_attrs; i++)
    if (op->attrs[i].name.data == name.data) return op->attrs[i].value;
  return NULL;
}

/* Suggests an attribute of the op that may be a misspelling. */
static void missing_attr(NrOp *op, NrStr name) {
  NrNearest nearest = nr_nearest(name);
  for (uint32_t i = 0; i < op->num_attrs; i++) nr_nearest_try(&nearest, op->attrs[i].name);
  if (nearest.best.size)
    nr_op_error(op, "requires attribute '%.*s', and has one '%.*s'", NR_STR_ARG(name), NR_STR_ARG(nearest.best));
  else nr_op_error(op, "requires attribute '%.*s'", NR_STR_ARG(name));
}

static void check_attrs(Row *r) {
  for (size_t i = 0; i < r->spec->num_attrs; i++) {
    const NrSpecItem *item = &r->spec->attrs[i];
    NrAttr value = find_attr(r->op, item->name);
    if (!value && item->arity == 0) {
      missing_attr(r->op, item->name);
      r->good = false;
    }
    if (!value || nr_attr_fits(item, value)) continue;
    nr_op_error(r->op, "attribute '%.*s' failed to satisfy constraint: %s", NR_STR_ARG(item->name),
                nr_attr_kind_words(item));
    r->good = false;
  }
}

/* ---- parent ----------------------------------------------------------------------------------------------------- */

static bool is_allowed_parent(const NrOpSpec *spec, const NrOp *parent) {
  for (size_t i = 0; i < spec->num_parents; i++)
    if (spec->parents[i] == parent->info) return true;
  return false;
}

static void check_parent(Row *r) {
  if (!r->spec->num_parents || !r->op->block) return; /* a detached op has no parent yet */
  NrOp *parent = nr_op_parent(r->op);
  if (parent && is_allowed_parent(r->spec, parent)) return;
  NrBuf list = {0};
  for (size_t i = 0; i < r->spec->num_parents; i++) {
    if (i) nr_buf_puts(&list, ", ");
    nr_buf_str(&list, nr_op_info_shown_name(r->ctx, r->spec->parents[i]));
  }
  bool several = r->spec->num_parents > 1;
  nr_op_error(r->op, several ? "expects parent op to be one of '%s'" : "expects parent op '%s'", list.data);
  nr_buf_deinit(&list);
  r->good = false;
}

bool nr_verify_row(NrContext *ctx, NrOp *op) {
  if (op->info->id == NR_OP_unregistered) return true;
  Row r = {.op = op, .ctx = ctx, .good = true};
  r.spec = nr_op_spec(r.ctx, op->info);
  check_parent(&r);
  check_counts(&r);
  check_attrs(&r);
  if (r.good) check_types(&r);
  if (r.good && nr_op_has(op, NR_ELEMENTWISE) && !r.spec->has_one_type) check_elementwise(&r);
  check_regions(&r);
  return r.good;
}
