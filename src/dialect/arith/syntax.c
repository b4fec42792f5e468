/* syntax.c - the syntax of arith ops that a format string cannot express: flags, predicates, constants, 2020 forms. */
#include "dialect/arith/syntax.h"
#include "dialect/arith/arith.h"
#include "dialect/operands.h"

#include <string.h>

/* ---- flags: fastmath<nnan,ninf>  overflow<nsw, nuw>  exact  toward_zero ------------------------------------------ */

const char *const nr_arith_flag_attrs[] = {"fastmath", "overflowFlags", "isExact", "roundingmode", NULL};

/* A set of flags: bit i is names[i]. `all`, if any, stands for the whole set. */
typedef struct FlagSet {
  const char *keyword, *attr, *mnemonic, *separator, *all;
  const char *names[8];
} FlagSet;

static const FlagSet flag_sets[] = {
    {"fastmath",
     "fastmath",
     "arith.fastmath",
     ",",
     "fast",
     {"reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn"}},
    {"overflow", "overflowFlags", "arith.overflow", ", ", NULL, {"nsw", "nuw"}},
};

static const char *const rounding_modes[] = {"to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away"};

static bool row_has_attr(NrContext *ctx, const NrOpInfo *info, const char *name) {
  const NrOpSpec *spec = nr_op_spec(ctx, info);
  for (size_t i = 0; i < spec->num_attrs; i++)
    if (nr_str_is(spec->attrs[i].name, name)) return true;
  return false;
}

static unsigned flag_bit(const FlagSet *set, NrStr name) {
  if (set->all && nr_str_is(name, set->all)) {
    unsigned all = 0;
    for (unsigned i = 0; set->names[i]; i++) all |= 1u << i;
    return all;
  }
  for (unsigned i = 0; set->names[i]; i++)
    if (nr_str_is(name, set->names[i])) return 1u << i;
  return 0;
}

/* The attribute of a set of flags: #arith.fastmath<nnan,ninf>. */
static NrAttr flags_attr(NrContext *ctx, const FlagSet *set, unsigned bits) {
  NrBuf text = {0};
  nr_buf_printf(&text, "%s<", set->mnemonic);
  if (set->all && bits == flag_bit(set, nr_str(set->all))) {
    nr_buf_puts(&text, set->all);
  } else {
    const char *separator = "";
    for (unsigned i = 0; set->names[i]; i++) {
      if (!(bits >> i & 1)) continue;
      nr_buf_printf(&text, "%s%s", separator, set->names[i]);
      separator = set->separator;
    }
    if (!bits) nr_buf_puts(&text, "none");
  }
  nr_buf_putc(&text, '>');
  NrAttr attr = nr_attr_opaque(ctx, (NrStr){text.data, text.size}, NULL);
  nr_buf_deinit(&text);
  return attr;
}

/* "<nnan, ninf>" between the angle brackets, if they hold anything but none. */
static NrStr flags_text(NrAttr attr) {
  if (!attr || attr->kind != NR_ATTR_OPAQUE) return (NrStr){0};
  const char *open = memchr(attr->s.data, '<', attr->s.size);
  if (!open) return (NrStr){0};
  NrStr text = {open, attr->s.size - (size_t)(open - attr->s.data)};
  return nr_str_is(text, "<none>") || nr_str_is(text, "<>") ? (NrStr){0} : text;
}

static bool has_flag(NrStr text, const char *flag) {
  for (size_t begin = 1; begin < text.size;) {
    size_t end = begin;
    while (end < text.size && text.data[end] != ',' && text.data[end] != '>') end++;
    NrStr word = {text.data + begin, end - begin};
    if (nr_str_is(word, flag) || nr_str_is(word, "fast")) return true;
    begin = end + 1;
  }
  return false;
}

bool nr_arith_fastmath_has(const NrOp *op, const char *flag) {
  return has_flag(flags_text(nr_op_attr(op, NR_A_fastmath)), flag);
}

bool nr_arith_overflow_has(const NrOp *op, const char *flag) {
  return has_flag(flags_text(nr_op_attr(op, NR_A_overflowFlags)), flag);
}

static NrStatus unknown_flag(NrParser *p, NrLoc loc, const FlagSet *set, NrStr name) {
  NrNearest nearest = nr_nearest(name);
  for (size_t i = 0; set->names[i]; i++) nr_nearest_try(&nearest, nr_str(set->names[i]));
  if (set->all) nr_nearest_try(&nearest, nr_str(set->all));
  return nr_p_error(p, loc, "'%.*s' is none of the flags of '%s'" NR_HINT, NR_STR_ARG(name), set->keyword,
                    NR_HINT_ARG(nearest));
}

static NrStatus parse_flag_set(NrParser *p, NrOpState *state, const FlagSet *set) {
  NrStatus status = nr_p_expect(p, "<");
  unsigned bits = 0;
  do {
    NrStr name;
    NrLoc loc = nr_p_loc(p);
    if (status || (status = nr_p_keyword(p, &name))) return status;
    unsigned bit = flag_bit(set, name);
    if (!bit && !nr_str_is(name, "none")) return unknown_flag(p, loc, set, name);
    bits |= bit;
  } while (nr_p_try(p, ","));
  if (bits) nr_p_add_attr(p, state, set->attr, flags_attr(nr_p_context(p), set, bits));
  return nr_p_expect(p, ">");
}

NrStatus nr_arith_parse_flags(NrParser *p, NrOpState *state) {
  NrContext *ctx = nr_p_context(p);
  NrStatus status;
  if (row_has_attr(ctx, state->info, "roundingmode"))
    for (size_t i = 0; i < NR_COUNTOF(rounding_modes); i++)
      if (nr_p_try(p, rounding_modes[i]))
        nr_p_add_attr(p, state, "roundingmode", nr_attr_int(nr_type_i32(ctx), (int64_t)i));
  if (row_has_attr(ctx, state->info, "isExact") && nr_p_try(p, "exact"))
    nr_p_add_attr(p, state, "isExact", nr_attr_unit(ctx));
  for (size_t i = 0; i < NR_COUNTOF(flag_sets); i++) {
    if (!nr_p_peek(p, flag_sets[i].keyword) || !row_has_attr(ctx, state->info, flag_sets[i].attr)) continue;
    if ((status = nr_p_expect(p, flag_sets[i].keyword))) return status;
    if ((status = parse_flag_set(p, state, &flag_sets[i]))) return status;
  }
  return NR_OK;
}

void nr_arith_print_flags(NrPrinter *w, NrOp *op) {
  int64_t rounding = nr_op_attr_int(op, NR_A_roundingmode, -1);
  if (rounding >= 0 && rounding < (int64_t)NR_COUNTOF(rounding_modes)) nr_w_printf(w, " %s", rounding_modes[rounding]);
  if (nr_op_attr(op, NR_A_isExact)) nr_w_puts(w, " exact");
  for (size_t i = 0; i < NR_COUNTOF(flag_sets); i++) {
    NrStr text = flags_text(nr_op_attr_named(op, flag_sets[i].attr));
    if (text.size) nr_w_printf(w, " %s%.*s", flag_sets[i].keyword, NR_STR_ARG(text));
  }
}

/* ---- operands, flags, type --------------------------------------------------------------------------------------- */

enum { MAX_OPERANDS = 3 };

static NrStatus parse_operand_list(NrParser *p, size_t count, NrOperandRef *refs) {
  for (size_t i = 0; i < count; i++) {
    NrStatus status = i ? nr_p_expect(p, ",") : NR_OK;
    if (status || (status = nr_p_operand(p, &refs[i]))) return status;
  }
  return NR_OK;
}

/* The first proposal of 2020 wrote `: (f32, f32) -> f32`, which says no more than `: f32`, and in places nothing.
 * *out_written is set to such a function type; else it is NULL and *out the type behind the colon. */
static NrStatus parse_type(NrParser *p, NrOperandRef first, NrType *out, NrType *out_written) {
  const char *end = nr_p_end(p);
  bool legacy = nr_p_is_legacy(p);
  NrStatus status;
  *out_written = NULL;
  if (legacy && !nr_p_peek(p, ":") && (*out = nr_p_known_type(p, first))) {
    nr_p_proposal(p, end, " : %s", nr_type_text(nr_p_context(p), *out));
    return NR_OK;
  }
  if ((status = nr_p_expect(p, ":")) || (status = nr_p_type(p, out))) return status;
  if (!legacy || (*out)->kind != NR_TYPE_FUNCTION || (*out)->num_results != 1) return NR_OK;
  if (nr_p_known_type(p, first) == *out) return NR_OK; /* the values are functions */
  *out_written = *out;
  *out = (*out)->num_inputs ? (*out)->inputs[0] : (*out)->results[0];
  return NR_OK;
}

/* A cast has both types in its text. */
static void warn_of_function_type(NrParser *p, const char *end, NrType written, NrType operand, NrType result) {
  NrContext *ctx = nr_p_context(p);
  if (!written) return;
  if (result) nr_p_proposal(p, end, " : %s to %s", nr_type_text(ctx, operand), nr_type_text(ctx, result));
  else nr_p_proposal(p, end, " : %s", nr_type_text(ctx, operand));
}

NrStatus nr_arith_parse(NrParser *p, NrOpState *state) {
  const NrOpSpec *spec = nr_op_spec(nr_p_context(p), state->info);
  NrOperandRef refs[MAX_OPERANDS];
  NrType types[MAX_OPERANDS], out, written;
  size_t count = spec->num_operands, num_types = 0;
  assert(count <= MAX_OPERANDS);
  NrStatus status = parse_operand_list(p, count, refs);
  if (status || (status = nr_arith_parse_flags(p, state))) return status;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  const char *end = nr_p_end(p);
  bool cast = spec->operands[0].variable == 0;
  if (cast && (status = nr_p_peek(p, ":") ? NR_OK : nr_p_expect(p, ":"))) return status;
  if ((status = parse_type(p, refs[0], &types[num_types++], &written))) return status;
  warn_of_function_type(p, end, written, types[0], cast && written ? written->results[0] : NULL);
  while (num_types < count && cast && nr_p_try(p, ","))
    if ((status = nr_p_type(p, &types[num_types++]))) return status;
  out = cast && written ? written->results[0] : types[0];
  if (nr_p_try(p, "to") && (status = nr_p_type(p, &out))) return status;
  for (size_t i = 0; i < count; i++)
    if ((status = nr_p_add_operand(p, state, refs[i], types[NR_MIN(i, num_types - 1)]))) return status;
  for (size_t i = 0; i < spec->num_results; i++) nr_p_add_result(p, state, out);
  return NR_OK;
}

/* A cast names both types, other ops the one that all operands and results have. */
void nr_arith_print(NrPrinter *w, NrOp *op) {
  const NrOpSpec *spec = nr_op_spec(nr_op_context(op), op->info);
  bool cast = spec->operands[0].variable == 0;
  nr_w_puts(w, " ");
  nr_w_values(w, op, 0, op->num_operands);
  nr_arith_print_flags(w, op);
  nr_w_attr_dict(w, op, nr_arith_flag_attrs);
  nr_w_puts(w, " : ");
  if (!cast) {
    nr_w_type(w, nr_op_operand_type(op));
    return;
  }
  nr_w_operand_types(w, op, 0, op->num_operands);
  nr_w_puts(w, " to ");
  nr_w_type(w, nr_op_result(op)->type);
}

NrStatus nr_arith_addui_parse(NrParser *p, NrOpState *state) {
  NrOperandRef refs[2];
  NrType type, overflow;
  NrStatus status = parse_operand_list(p, 2, refs);
  if (status) return status;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  if ((status = nr_p_expect(p, ":")) || (status = nr_p_type(p, &type))) return status;
  if ((status = nr_p_expect(p, ",")) || (status = nr_p_type(p, &overflow))) return status;
  nr_p_add_result(p, state, type);
  nr_p_add_result(p, state, overflow);
  return nr_p_add_operands(p, state, refs, 2, (NrType[]){type, type}, 2);
}

void nr_arith_addui_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_values(w, op, 0, 2);
  nr_w_attr_dict(w, op, NULL);
  nr_w_puts(w, " : ");
  nr_w_result_types(w, op);
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

/* In 2020 `constant` made constants of all kinds, functions too: the value tells which op it is today. */
NrStatus nr_arith_constant_parse(NrParser *p, NrOpState *state) {
  NrAttr value;
  NrType type;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NrStatus status = nr_p_attr(p, &value);
  if (status) return status;
  bool function = value->kind == NR_ATTR_SYMBOL;
  if (nr_p_is_legacy(p)) state->info = nr_op_infos[function ? NR_OP_func_constant : NR_OP_arith_constant];
  if (function != (state->info->id == NR_OP_func_constant))
    return nr_p_error(p, loc, function ? "expected a constant with a type" : "expected the name of a function");
  if (function) {
    if ((status = nr_p_expect(p, ":")) || (status = nr_p_function_type(p, &type))) return status;
  } else {
    type = value->type;
    if (!type || value->kind == NR_ATTR_TYPE) return nr_p_error(p, loc, "expected a constant with a type");
  }
  nr_p_add_result(p, state, type);
  nr_p_add_attr(p, state, "value", value);
  return NR_OK;
}

/* The same for the generic form, "constant"() {value = 1 : i32}. */
NrStatus nr_arith_constant_post_parse(NrParser *p, NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  if (value && nr_p_is_legacy(p))
    op->info = nr_op_infos[value->kind == NR_ATTR_SYMBOL ? NR_OP_func_constant : NR_OP_arith_constant];
  return NR_OK;
}

void nr_arith_constant_print(NrPrinter *w, NrOp *op) {
  nr_w_attr_dict(w, op, (const char *const[]){"value", NULL});
  nr_w_puts(w, " ");
  nr_w_attr(w, nr_op_attr(op, NR_A_value));
}

/* ---- comparisons ------------------------------------------------------------------------------------------------- */

static const NrPredicate *predicates_of(const NrOpInfo *info, size_t *count) {
  bool ints = info->id == NR_OP_arith_cmpi;
  *count = ints ? NR_NUM_CMPI : NR_NUM_CMPF;
  return ints ? nr_cmpi_predicates : nr_cmpf_predicates;
}

static NrStatus parse_predicate(NrParser *p, NrOpState *state) {
  NrStr name;
  NrLoc loc = nr_p_loc(p);
  size_t count;
  const NrPredicate *known = predicates_of(state->info, &count);
  if (!nr_p_try_string(p, &name) && !nr_p_try_keyword(p, &name))
    return nr_p_error(p, loc, "expected a comparison predicate");
  for (size_t i = 0; i < count; i++) {
    if (!nr_str_is(name, known[i].name)) continue;
    nr_p_add_attr(p, state, "predicate", nr_attr_i64(nr_p_context(p), (int64_t)i));
    return NR_OK;
  }
  NrNearest nearest = nr_nearest(name);
  for (size_t i = 0; i < count; i++) nr_nearest_try(&nearest, nr_str(known[i].name));
  return nr_p_error(p, loc, "unknown comparison predicate \"%.*s\"" NR_HINT, NR_STR_ARG(name), NR_HINT_ARG(nearest));
}

NrStatus nr_arith_cmp_parse(NrParser *p, NrOpState *state) {
  NrOperandRef refs[2];
  NrType type, written;
  NrStatus status = parse_predicate(p, state);
  if (status || (status = nr_p_expect(p, ",")) || (status = parse_operand_list(p, 2, refs))) return status;
  if ((status = nr_arith_parse_flags(p, state))) return status;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  const char *end = nr_p_end(p);
  if ((status = parse_type(p, refs[0], &type, &written))) return status;
  warn_of_function_type(p, end, written, type, NULL);
  nr_p_add_result(p, state, nr_arith_bool_like(type));
  return nr_p_add_operands(p, state, refs, 2, (NrType[]){type, type}, 2);
}

void nr_arith_cmp_print(NrPrinter *w, NrOp *op) {
  size_t count;
  const NrPredicate *known = predicates_of(op->info, &count);
  int64_t predicate = nr_op_attr_int(op, NR_A_predicate, -1);
  const char *name = predicate >= 0 && (size_t)predicate < count ? known[predicate].name : "?";
  nr_w_puts(w, nr_w_is_legacy(w) ? " \"" : " ");
  nr_w_puts(w, name);
  nr_w_puts(w, nr_w_is_legacy(w) ? "\", " : ", ");
  nr_w_values(w, op, 0, 2);
  nr_arith_print_flags(w, op);
  nr_w_attr_dict(w, op, (const char *const[]){"predicate", "fastmath", NULL});
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_op_lhs(op)->type);
}

/* ---- select: `: t` with an i1 condition, `: c, t` with a condition for each element ------------------------------ */

NrStatus nr_arith_select_parse(NrParser *p, NrOpState *state) {
  NrOperandRef refs[3];
  NrType condition = nr_type_i1(nr_p_context(p)), type, written;
  NrStatus status = parse_operand_list(p, 3, refs);
  if (status) return status;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  const char *end = nr_p_end(p);
  if ((status = parse_type(p, refs[1], &type, &written))) return status;
  if (written && written->num_inputs == 3) {
    type = written->inputs[1];
    if (written->inputs[0] == nr_arith_bool_like(type)) condition = written->inputs[0];
  }
  warn_of_function_type(p, end, written, type, NULL);
  if (!written && nr_p_try(p, ",")) {
    condition = type;
    if ((status = nr_p_type(p, &type))) return status;
  } else if (nr_p_is_legacy(p) && nr_p_known_type(p, refs[0]) == nr_arith_bool_like(type)) {
    condition = nr_arith_bool_like(type); /* 2019: a condition for each element needed no type of its own */
  }
  nr_p_add_result(p, state, type);
  return nr_p_add_operands(p, state, refs, 3, (NrType[]){condition, type, type}, 3);
}

void nr_arith_select_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_values(w, op, 0, 3);
  nr_w_attr_dict(w, op, NULL);
  nr_w_puts(w, " : ");
  NrType condition = nr_arith_select_condition(op)->type;
  if (nr_type_is_shaped(condition)) {
    nr_w_type(w, condition);
    nr_w_puts(w, ", ");
  }
  nr_w_type(w, nr_op_result(op)->type);
}
