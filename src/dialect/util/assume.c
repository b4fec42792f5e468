/* assume.c - util.assume.int: what is known of numbers. */
#include "dialect/arith/arith.h"
#include "dialect/cf/ops.h"
#include "dialect/util/util.h"

#include <stdio.h>

/* ---- util.assume.int --------------------------------------------------------------------------------------------- */

typedef enum Fact { UMIN, UMAX, UDIV, NUM_FACTS } Fact;
static const char *const fact_names[NUM_FACTS] = {"umin", "umax", "udiv"};

/* umin = 1, umax = 2, udiv = 16 */
NrStatus nr_util_assumption_parse(NrParser *p, NrAttr *out_params) {
  for (size_t i = 0; i < NUM_FACTS; i++) out_params[i] = nr_attr_i64(nr_p_context(p), -1);
  if (nr_p_peek(p, ">")) return NR_OK;
  do {
    int64_t fact, value;
    NR_TRY(nr_p_choice(p, NR_STR("umin|umax|udiv"), &fact));
    NR_TRY(nr_p_expect(p, "="));
    NrLoc loc = nr_p_loc(p);
    NR_TRY(nr_p_int(p, &value));
    if (value < (fact == UDIV)) return nr_p_error(p, loc, "%s cannot be %lld", fact_names[fact], (long long)value);
    out_params[fact] = nr_attr_i64(nr_p_context(p), value);
  } while (nr_p_try(p, ","));
  return NR_OK;
}

void nr_util_assumption_print(NrPrinter *w, const NrAttr *params) {
  bool any = false;
  for (size_t i = 0; i < NUM_FACTS; i++) {
    if (params[i]->i < 0) continue;
    nr_w_printf(w, any ? ", %s = %lld" : "%s = %lld", fact_names[i], (long long)params[i]->i);
    any = true;
  }
}

static NrStatus parse_assumption(NrParser *p, NrAttr *out) {
  NrAttr params[NUM_FACTS];
  if (nr_p_peek(p, "#")) return nr_p_attr(p, out);
  NR_TRY(nr_p_expect(p, "<"));
  NR_TRY(nr_util_assumption_parse(p, params));
  NR_TRY(nr_p_expect(p, ">"));
  *out = nr_attr_of_dialect(nr_p_context(p), NR_ATTR_util_int_assumption, params, NULL);
  return NR_OK;
}

/* `<..>`, `[<..>, <..>]` or `[]` */
static NrStatus parse_row(NrParser *p, NrAttr *out) {
  NR_VEC(NrAttr) row = {0};
  NrAttr one;
  NrStatus status = NR_OK;
  bool many = nr_p_try(p, "[");
  if (!(many && nr_p_peek(p, "]"))) {
    do {
      if (!(status = parse_assumption(p, &one))) nr_vec_push(&row, one);
    } while (!status && many && nr_p_try(p, ","));
  }
  if (!status && many) status = nr_p_expect(p, "]");
  if (!status) *out = nr_attr_array(nr_p_context(p), row.data, row.size);
  nr_vec_deinit(&row);
  return status;
}

/* `%a[<umin = 0>, <udiv = 5>], %b<umax = 10> : index, i64` */
NrStatus nr_util_assume_parse(NrParser *p, NrOpState *state) {
  NR_VEC(NrOperandRef) refs = {0};
  NR_VEC(NrAttr) rows = {0};
  NrOperandRef ref;
  NrAttr row;
  NrType *types;
  size_t count;
  NrStatus status;
  do {
    if ((status = nr_p_operand(p, &ref)) || (status = parse_row(p, &row))) break;
    nr_vec_push(&refs, ref);
    nr_vec_push(&rows, row);
  } while (nr_p_try(p, ","));
  if (!status && !nr_p_try_attr_dict(p, state)) status = NR_ERROR_INVALID;
  if (!status && !(status = nr_p_expect(p, ":")) && !(status = nr_p_type_list(p, &types, &count))) {
    nr_p_add_attr(p, state, "assumptions", nr_attr_array(nr_p_context(p), rows.data, rows.size));
    status = nr_p_add_operands(p, state, refs.data, refs.size, types, count);
    if (!status) nr_p_add_results(p, state, types, count);
  }
  nr_vec_deinit(&refs);
  nr_vec_deinit(&rows);
  return status;
}

void nr_util_assume_print(NrPrinter *w, NrOp *op) {
  NrAttr rows = nr_op_attr(op, NR_A_assumptions);
  bool lines = op->num_operands > 1;
  if (lines) nr_w_indent(w, 4);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrAttr row = i < rows->size && rows->items[i]->kind == NR_ATTR_ARRAY ? rows->items[i] : NULL;
    if (i) nr_w_puts(w, ",");
    if (lines) nr_w_newline(w);
    else nr_w_puts(w, " ");
    nr_w_value(w, nr_operand(op, i));
    if (!row || row->size != 1) nr_w_puts(w, "[");
    for (size_t k = 0; row && k < row->size; k++) {
      if (k) nr_w_puts(w, ", ");
      nr_w_puts(w, "<");
      if (row->items[k]->kind == NR_ATTR_util_int_assumption) nr_util_assumption_print(w, row->items[k]->items);
      nr_w_puts(w, ">");
    }
    if (!row || row->size != 1) nr_w_puts(w, "]");
  }
  if (lines) nr_w_newline(w);
  nr_w_attr_dict(w, op, (const char *const[]){"assumptions", NULL});
  nr_w_puts(w, lines ? ": " : " : ");
  nr_w_operand_types(w, op, 0, op->num_operands);
  if (lines) nr_w_indent(w, -4);
}

NrStatus nr_util_assume_verify(NrOp *op) {
  NrAttr rows = nr_op_attr(op, NR_A_assumptions);
  size_t longest = 1;
  if (rows->size != op->num_operands)
    return nr_op_error(op, "(C1) expected %u assumption rows to match number of operands", op->num_operands);
  for (size_t i = 0; i < rows->size; i++) {
    NrAttr row = rows->items[i];
    bool valid = row->kind == NR_ATTR_ARRAY;
    for (size_t k = 0; valid && k < row->size; k++) valid = row->items[k]->kind == NR_ATTR_util_int_assumption;
    if (!valid) return nr_op_error(op, "(C1) row %zu is no list of #util.int.assumption", i);
    if (row->size <= 1) continue;
    if (longest > 1 && row->size != longest)
      return nr_op_error(op, "(C2) expected operand #%zu to have %zu assumptions but it has %zu", i, longest,
                         row->size);
    longest = row->size;
  }
  return nr_util_same_types_verify(op, "C3");
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

/* Of one call site; -1: not known. */
typedef struct Facts {
  int64_t of[NUM_FACTS];
} Facts;

static NrAttr row_of(const NrOp *op, size_t i) { return nr_op_attr(op, NR_A_assumptions)->items[i]; }

static Facts facts_at(NrAttr row, size_t k) {
  Facts facts = {{-1, -1, -1}};
  if (!row->size) return facts;
  for (size_t f = 0; f < NUM_FACTS; f++) facts.of[f] = row->items[row->size == 1 ? 0 : k]->items[f]->i;
  return facts;
}

static NrAttr facts_attr(NrContext *ctx, const Facts *facts) {
  NrAttr params[NUM_FACTS];
  for (size_t f = 0; f < NUM_FACTS; f++) params[f] = nr_attr_i64(ctx, facts->of[f]);
  return nr_attr_of_dialect(ctx, NR_ATTR_util_int_assumption, params, NULL);
}

static bool is_nothing(const Facts *facts) {
  return facts->of[UMIN] <= 0 && facts->of[UMAX] < 0 && facts->of[UDIV] <= 1;
}

static int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Of one value: both hold. False where the common multiple is too large. */
static bool both(Facts *a, const Facts *b) {
  int64_t x = NR_MAX(a->of[UDIV], 1), y = NR_MAX(b->of[UDIV], 1), common;
  if (!nr_mul_i64(x / gcd(x, y), y, &common)) return false;
  a->of[UMIN] = NR_MAX(a->of[UMIN], b->of[UMIN]);
  if (b->of[UMAX] >= 0) a->of[UMAX] = a->of[UMAX] < 0 ? b->of[UMAX] : NR_MIN(a->of[UMAX], b->of[UMAX]);
  if (a->of[UDIV] > 0 || b->of[UDIV] > 0) a->of[UDIV] = common;
  return true;
}

/* The row of facts about a value, which may be a result of an assume.int. NULL: it is none. */
static NrAttr row_about(const NrValue *value) {
  if (!nr_op_is(value->op, NR_OP_util_assume_int)) return NULL;
  for (uint32_t i = 0; i < value->op->num_results; i++)
    if (nr_result(value->op, i) == value) return row_of(value->op, i);
  return NULL;
}

bool nr_util_assumed_bounds(const NrValue *value, int64_t *out_min, int64_t *out_max) {
  NrAttr row = row_about(value);
  if (!row || !row->size) return false;
  bool open = false;
  *out_min = INT64_MAX;
  *out_max = 0;
  for (size_t k = 0; k < row->size; k++) {
    Facts facts = facts_at(row, k);
    *out_min = NR_MIN(*out_min, NR_MAX(facts.of[UMIN], 0));
    *out_max = NR_MAX(*out_max, facts.of[UMAX]);
    open |= facts.of[UMAX] < 0;
  }
  if (open) *out_max = -1;
  return true;
}

int64_t nr_util_assumed_divisor(const NrValue *value) {
  NrAttr row = row_about(value);
  int64_t divisor = 0;
  for (size_t k = 0; row && k < row->size; k++) {
    Facts facts = facts_at(row, k);
    bool constant = facts.of[UMIN] > 0 && facts.of[UMIN] == facts.of[UMAX];
    divisor = gcd(divisor, constant ? facts.of[UMIN] : NR_MAX(facts.of[UDIV], 1));
  }
  return NR_MAX(divisor, 1);
}

/* ---- rewrites ---------------------------------------------------------------------------------------------------- */

/* A constant is itself, and a number between equal bounds is known. */
static bool fold_result(NrOp *op, size_t i, NrAttr constant, NrFold *out) {
  NrAttr row = row_of(op, i);
  bool nothing = true, one = row->size > 0;
  for (size_t k = 0; k < row->size; k++) {
    Facts facts = facts_at(row, k);
    nothing &= is_nothing(&facts);
    one &= facts.of[UMIN] >= 0 && facts.of[UMIN] == facts.of[UMAX] && facts.of[UMIN] == facts_at(row, 0).of[UMIN];
  }
  if (constant) out->attr = constant;
  else if (one) out->attr = nr_attr_int(nr_result(op, i)->type, facts_at(row, 0).of[UMIN]);
  else if (nothing) out->value = nr_operand(op, i);
  return out->attr || out->value;
}

bool nr_util_assume_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  bool all = op->num_results > 0;
  for (uint32_t i = 0; i < op->num_results && all; i++) all = fold_result(op, i, constants[i], &out[i]);
  return all;
}

/* One row for two of the same operand: all that either says. NULL where they do not fit. */
static NrAttr merged(NrContext *ctx, NrAttr a, NrAttr b) {
  size_t count = !a->size || !b->size ? 0 : NR_MAX(a->size, b->size);
  if (!count) return a->size ? a : b;
  NR_VEC(NrAttr) row = {0};
  bool ok = true;
  for (size_t k = 0; k < count && ok; k++) {
    Facts facts = facts_at(a, k), more = facts_at(b, k);
    ok = both(&facts, &more);
    nr_vec_push(&row, facts_attr(ctx, &facts));
  }
  NrAttr made = ok ? nr_attr_array(ctx, row.data, row.size) : NULL;
  nr_vec_deinit(&row);
  return made;
}

/* Equal facts for all call sites are one. */
static NrAttr shortened(NrContext *ctx, NrAttr row) {
  for (size_t k = 1; k < row->size; k++)
    if (row->items[k] != row->items[0]) return row;
  return row->size > 1 ? nr_attr_array(ctx, row->items, 1) : row;
}

/* Folds some of the results, merges those of one operand, and shortens rows. */
bool nr_util_assume_canonicalize(NrOp *op, NrBuilder *b) {
  NR_VEC(NrValue *) operands = {0};
  NR_VEC(NrType) types = {0};
  NR_VEC(NrAttr) rows = {0};
  NR_VEC(NrFold) folds = {0};
  NR_VEC(size_t) places = {0};
  bool changed = false;
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrFold fold = {0};
    NrValue *operand = nr_operand(op, i);
    size_t place = 0;
    NrAttr row = shortened(b->ctx, row_of(op, i)), with = NULL;
    bool folds_away = fold_result(op, i, nr_value_constant(operand), &fold);
    while (place < operands.size && operands.data[place] != operand) place++;
    if (!folds_away && place < operands.size && !(with = merged(b->ctx, rows.data[place], row))) place = operands.size;
    changed |= folds_away || with || row != row_of(op, i);
    nr_vec_push(&folds, fold);
    nr_vec_push(&places, place);
    if (with) rows.data[place] = with;
    if (folds_away || place < operands.size) continue;
    nr_vec_push(&operands, operand);
    nr_vec_push(&types, nr_result(op, i)->type);
    nr_vec_push(&rows, row);
  }
  if (changed) {
    NrOp *made = operands.size ? nr_build_op(b, NR_OP_util_assume_int, operands.data, operands.size, types.data,
                                             operands.size)
                               : NULL;
    if (made) nr_op_set_attr(made, NR_A_assumptions, nr_attr_array(b->ctx, rows.data, rows.size));
    for (uint32_t i = 0; i < op->num_results; i++) {
      NrFold *fold = &folds.data[i];
      NrValue *value = fold->attr    ? nr_arith_constant(b, fold->attr)
                       : fold->value ? fold->value
                                     : nr_result(made, (uint32_t)places.data[i]);
      nr_value_replace_uses(nr_result(op, i), value);
    }
    nr_op_erase(op);
  }
  nr_vec_deinit(&operands);
  nr_vec_deinit(&types);
  nr_vec_deinit(&rows);
  nr_vec_deinit(&folds);
  nr_vec_deinit(&places);
  return changed;
}

/* ---- the check --------------------------------------------------------------------------------------------------- */

static NrValue *and_also(NrBuilder *b, NrValue *all, NrValue *cond) {
  return all ? nr_arith_binary(b, NR_OP_arith_andi, all, cond) : cond;
}

/* Whether the value is as one call site assumes; NULL: it always is. */
static NrValue *build_test(NrBuilder *b, NrValue *value, const Facts *facts) {
  NrValue *all = NULL;
  NrType type = value->type;
  uint32_t bits = nr_type_bits(type);
  int64_t greatest = bits < 63 ? (INT64_C(1) << bits) - 1 : INT64_MAX;
  if (facts->of[UMIN] > greatest) return nr_arith_constant_int(b, nr_type_i1(b->ctx), 0);
  if (facts->of[UDIV] > greatest) return nr_arith_cmpi(b, NR_CMPI_EQ, value, nr_arith_constant_int(b, type, 0));
  if (facts->of[UMIN] > 0)
    all = nr_arith_cmpi(b, NR_CMPI_UGE, value, nr_arith_constant_int(b, type, facts->of[UMIN]));
  if (facts->of[UMAX] >= 0 && (facts->of[UMAX] < greatest || bits >= 63))
    all = and_also(b, all, nr_arith_cmpi(b, NR_CMPI_ULE, value, nr_arith_constant_int(b, type, facts->of[UMAX])));
  if (facts->of[UDIV] > 1) {
    NrValue *divisor = nr_arith_constant_int(b, type, facts->of[UDIV]);
    NrValue *rest = nr_arith_binary(b, NR_OP_arith_remui, value, divisor);
    all = and_also(b, all, nr_arith_cmpi(b, NR_CMPI_EQ, rest, nr_arith_constant_int(b, type, 0)));
  }
  return all;
}

/* The operands; a run in which one is not as some call site assumes ends with an error, since passes rely on it. */
NrStatus nr_util_assume_expand(NrOp *op, NrBuilder *b, NrValue **out) {
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrAttr row = row_of(op, i);
    NrValue *any = NULL;
    bool always = !row->size;
    out[i] = nr_operand(op, i);
    for (size_t k = 0; k < row->size && !always; k++) {
      Facts facts = facts_at(row, k);
      NrValue *test = build_test(b, out[i], &facts);
      always = !test;
      if (test) any = any ? nr_arith_binary(b, NR_OP_arith_ori, any, test) : test;
    }
    if (always) continue;
    NrOp *check = nr_build_op(b, NR_OP_cf_assert, &any, 1, NULL, 0);
    char text[80];
    snprintf(text, sizeof text, "'util.assume.int' op operand #%u is not as it assumes", i);
    nr_op_set_attr(check, NR_A_msg, nr_attr_string(b->ctx, nr_str(text)));
  }
  return NR_OK;
}
