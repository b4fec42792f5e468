/* syntax.c - the syntax of arith ops that a format string cannot express: flags, predicates, constants, 2020 forms. */
#include "dialect/arith/syntax.h"
#include "dialect/arith/arith.h"
#include "dialect/operands.h"

#include <string.h>

/* ---- flags: fastmath<nnan,ninf>  overflow<nsw, nuw>  exact  toward_zero ------------------------------------------ */

const char *const nr_arith_flag_attrs[] = {"fastmath", "overflowFlags", "isExact", "roundingmode", NULL};

/* A set of flags: bit i is names[i]. `all`, if any, stands for the whole set. */
typedef struct FlagSet {
  const char *keyword, *attr, *separator, *all;
  NrAttrKind kind;
  const char *names[8];
} FlagSet;

enum { FASTMATH, OVERFLOW };
static const FlagSet flag_sets[] = {
    [FASTMATH] = {"fastmath",
                  "fastmath",
                  ",",
                  "fast",
                  NR_ATTR_arith_fastmath,
                  {"reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn"}},
    [OVERFLOW] = {"overflow", "overflowFlags", ", ", NULL, NR_ATTR_arith_overflow, {"nsw", "nuw"}},
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

static NrAttr flags_attr(NrContext *ctx, const FlagSet *set, unsigned bits) {
  NrAttr params[] = {nr_attr_i64(ctx, bits)};
  return nr_attr_of_dialect(ctx, set->kind, params, NULL);
}

/* MLIR's generic form may have the bits as an integer. */
static unsigned flags_of(const FlagSet *set, NrAttr attr) {
  int64_t bits = 0;
  if (attr && attr->kind == set->kind) bits = attr->items[0]->i;
  else nr_attr_is_int(attr, &bits);
  return (unsigned)bits;
}

NrAttr nr_arith_fastmath_attr(NrContext *ctx, unsigned flags) { return flags_attr(ctx, &flag_sets[FASTMATH], flags); }
NrAttr nr_arith_overflow_attr(NrContext *ctx, unsigned flags) { return flags_attr(ctx, &flag_sets[OVERFLOW], flags); }
unsigned nr_arith_fastmath(const NrOp *op) { return flags_of(&flag_sets[FASTMATH], nr_op_attr(op, NR_A_fastmath)); }
unsigned nr_arith_overflow(const NrOp *op) {
  return flags_of(&flag_sets[OVERFLOW], nr_op_attr(op, NR_A_overflowFlags));
}

bool nr_arith_fastmath_has(const NrOp *op, const char *flag) {
  return nr_arith_fastmath(op) & flag_bit(&flag_sets[FASTMATH], nr_str(flag));
}

bool nr_arith_overflow_has(const NrOp *op, const char *flag) {
  return nr_arith_overflow(op) & flag_bit(&flag_sets[OVERFLOW], nr_str(flag));
}

static NrStatus unknown_flag(NrParser *p, NrLoc loc, const FlagSet *set, NrStr name) {
  NrNearest nearest = nr_nearest(name);
  for (size_t i = 0; set->names[i]; i++) nr_nearest_try(&nearest, nr_str(set->names[i]));
  if (set->all) nr_nearest_try(&nearest, nr_str(set->all));
  return nr_p_error(p, loc, "'%.*s' is none of the flags of '%s'" NR_HINT, NR_STR_ARG(name), set->keyword,
                    NR_HINT_ARG(nearest));
}

/* Flags up to the closing bracket. */
static NrStatus parse_flag_list(NrParser *p, const FlagSet *set, unsigned *out) {
  *out = 0;
  do {
    NrStr name;
    NrLoc loc = nr_p_loc(p);
    NR_TRY(nr_p_keyword(p, &name));
    unsigned bit = flag_bit(set, name);
    if (!bit && !nr_str_is(name, "none")) return unknown_flag(p, loc, set, name);
    *out |= bit;
  } while (nr_p_try(p, ","));
  return NR_OK;
}

static void print_flag_list(NrPrinter *w, const FlagSet *set, unsigned bits) {
  const char *separator = "";
  if (!bits || (set->all && bits == flag_bit(set, nr_str(set->all)))) {
    nr_w_puts(w, bits ? set->all : "none");
    return;
  }
  for (unsigned i = 0; set->names[i]; i++) {
    if (!(bits >> i & 1)) continue;
    nr_w_puts(w, separator);
    nr_w_puts(w, set->names[i]);
    separator = set->separator;
  }
}

static NrStatus parse_flag_set(NrParser *p, NrOpState *state, const FlagSet *set) {
  unsigned bits;
  NR_TRY(nr_p_expect(p, "<"));
  NR_TRY(parse_flag_list(p, set, &bits));
  if (bits) nr_p_add_attr(p, state, set->attr, flags_attr(nr_p_context(p), set, bits));
  return nr_p_expect(p, ">");
}

/* The attribute by itself: #arith.fastmath<nnan,ninf>. */
static NrStatus parse_flags_attr(NrParser *p, const FlagSet *set, NrAttr *out_params) {
  unsigned bits = 0;
  if (!nr_p_peek(p, ">")) NR_TRY(parse_flag_list(p, set, &bits));
  out_params[0] = nr_attr_i64(nr_p_context(p), bits);
  return NR_OK;
}

NrStatus nr_arith_fastmath_parse(NrParser *p, NrAttr *out_params) {
  return parse_flags_attr(p, &flag_sets[FASTMATH], out_params);
}
NrStatus nr_arith_overflow_parse(NrParser *p, NrAttr *out_params) {
  return parse_flags_attr(p, &flag_sets[OVERFLOW], out_params);
}
void nr_arith_fastmath_print(NrPrinter *w, const NrAttr *params) {
  print_flag_list(w, &flag_sets[FASTMATH], (unsigned)params[0]->i);
}
void nr_arith_overflow_print(NrPrinter *w, const NrAttr *params) {
  print_flag_list(w, &flag_sets[OVERFLOW], (unsigned)params[0]->i);
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
    unsigned bits = flags_of(&flag_sets[i], nr_op_attr_named(op, flag_sets[i].attr));
    if (!bits) continue;
    nr_w_printf(w, " %s<", flag_sets[i].keyword);
    print_flag_list(w, &flag_sets[i], bits);
    nr_w_puts(w, ">");
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

/* The first proposal of 2020 wrote `: (f32, f32) -> f32` for `: f32`, and in some places nothing. *out_written is such
 * a function type, or NULL; *out is the type that today's syntax has there. */
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
  if (nr_p_known_type(p, first) == *out) return NR_OK; /* the operands are functions, so it is the type itself */
  *out_written = *out;
  *out = (*out)->num_inputs ? (*out)->inputs[0] : (*out)->results[0];
  return NR_OK;
}

/* Warns about the function type of the first proposal of 2020 and suggests today's form. result: NULL except for
 * casts. */
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

/* A cast prints the operand's and the result's type, other ops the one type of all operands and results. */
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

/* In 2020 `constant` made constants of all kinds, also functions: the value decides whether the op is arith.constant or
 * func.constant. */
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

/* Likewise for the generic form, "constant"() {value = 1 : i32}. */
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
    condition = nr_arith_bool_like(type); /* 2019: the type of a condition per element was not written */
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
