/* scalars.c - arithmetic on offsets and sizes, and choices. */
#include "dialect/arith/arith.h"
#include "dialect/arith/compare.h"
#include "dialect/operands.h"
#include "dialect/util/util.h"

static const char *text_of(NrType type) { return nr_type_text(type->ctx, type); }

static NrValue *binary(NrBuilder *b, unsigned id, NrValue *lhs, NrValue *rhs) {
  return nr_build_value(b, id, lhs->type, (NrValue *[]){lhs, rhs}, 2);
}

/* The bits of a constant that an integer type of at most 64 bits holds. */
static bool constant_bits(NrAttr constant, uint64_t *out) {
  if (!constant || constant->kind != NR_ATTR_INTEGER || constant->num_words) return false;
  unsigned width = nr_type_is_index(constant->type) ? 64 : constant->type->width;
  *out = (uint64_t)constant->i & (width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1);
  return true;
}

/* ---- util.align -------------------------------------------------------------------------------------------------- */

static bool is_power_of_two(uint64_t n) { return n && !(n & (n - 1)); }

enum { MAX_DEPTH = 16 }; /* of the computations that are looked at */

/* An alignment: a value or, where that is NULL, a constant. Both are powers of two. */
typedef struct Alignment {
  NrValue *value;
  uint64_t constant;
} Alignment;

static bool is_multiple(NrValue *v, Alignment of, int depth);

static bool is_multiple_expr(NrAffineExpr e, const NrOp *apply, uint32_t num_dims, Alignment of, int depth) {
  switch (e->kind) {
  case NR_AFFINE_CONSTANT: return !e->value || (!of.value && (uint64_t)e->value % of.constant == 0);
  case NR_AFFINE_DIM: return is_multiple(nr_operand(apply, (size_t)e->value), of, depth);
  case NR_AFFINE_SYMBOL: return is_multiple(nr_operand(apply, num_dims + (size_t)e->value), of, depth);
  case NR_AFFINE_ADD:
    return is_multiple_expr(e->lhs, apply, num_dims, of, depth) && is_multiple_expr(e->rhs, apply, num_dims, of, depth);
  case NR_AFFINE_MUL:
    return is_multiple_expr(e->lhs, apply, num_dims, of, depth) || is_multiple_expr(e->rhs, apply, num_dims, of, depth);
  default: return false;
  }
}

/* Whether a value is known to be a multiple. What wraps stays one, since the alignment is a power of two. */
static bool is_multiple(NrValue *v, Alignment of, int depth) {
  int64_t constant;
  NrOp *op = v->op;
  if (v == of.value || (!of.value && of.constant == 1)) return true;
  if (nr_value_constant_int(v, &constant)) return !constant || (!of.value && (uint64_t)constant % of.constant == 0);
  if (!op || depth == MAX_DEPTH) return false;
  bool divides = !of.value && (uint64_t)nr_util_assumed_divisor(v) % of.constant == 0;
  size_t i = 0;
  switch (op->info->id) {
  case NR_OP_util_align: return is_multiple(nr_util_align_alignment(op), of, depth + 1);
  case NR_OP_util_assume_int:
    while (nr_result(op, i) != v) i++;
    return divides || is_multiple(nr_operand(op, i), of, depth + 1);
  case NR_OP_arith_addi:
  case NR_OP_arith_subi:
  case NR_OP_arith_minui:
  case NR_OP_arith_maxui:
  case NR_OP_arith_minsi:
  case NR_OP_arith_maxsi:
    return is_multiple(nr_op_lhs(op), of, depth + 1) && is_multiple(nr_op_rhs(op), of, depth + 1);
  case NR_OP_arith_muli:
  case NR_OP_arith_andi:
    return is_multiple(nr_op_lhs(op), of, depth + 1) || is_multiple(nr_op_rhs(op), of, depth + 1);
  case NR_OP_arith_shli: return is_multiple(nr_op_lhs(op), of, depth + 1);
  case NR_OP_arith_select:
    return is_multiple(nr_arith_select_true_value(op), of, depth + 1) &&
           is_multiple(nr_arith_select_false_value(op), of, depth + 1);
  case NR_OP_affine_apply: {
    NrAttr map = nr_op_attr(op, NR_A_map);
    return is_multiple_expr(map->exprs[0], op, map->num_dims, of, depth + 1);
  }
  default: return false;
  }
}

bool nr_util_align_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  uint64_t value, alignment = 0;
  NrValue *operand = nr_util_align_value(op);
  bool known = constant_bits(constants[NR_UTIL_ALIGN_ALIGNMENT], &alignment) && is_power_of_two(alignment);
  if (known && constant_bits(constants[NR_UTIL_ALIGN_VALUE], &value))
    return out->attr = nr_attr_int(nr_op_result(op)->type, (int64_t)((value + alignment - 1) & ~(alignment - 1))), true;
  if (constants[NR_UTIL_ALIGN_ALIGNMENT] && !known) return false; /* no power of two */
  NrValue *by = known ? NULL : nr_util_align_alignment(op);
  return is_multiple(operand, (Alignment){by, alignment}, 0) ? (out->value = operand, true) : false;
}

/* (value + alignment - 1) & ~(alignment - 1) */
NrStatus nr_util_align_expand(NrOp *op, NrBuilder *b, NrValue **out) {
  NrType type = nr_op_result(op)->type;
  NrValue *one = nr_arith_constant_int(b, type, 1), *ones = nr_arith_constant_int(b, type, -1);
  NrValue *rest = binary(b, NR_OP_arith_subi, nr_util_align_alignment(op), one);
  NrValue *sum = binary(b, NR_OP_arith_addi, nr_util_align_value(op), rest);
  *out = binary(b, NR_OP_arith_andi, sum, binary(b, NR_OP_arith_xori, rest, ones));
  return NR_OK;
}

/* ---- util.sizeof ------------------------------------------------------------------------------------------------- */

static NrType sized_type(const NrOp *op) { return nr_op_attr(op, NR_A_sizedType)->type; }

static int64_t size_of(NrType t) { return nr_type_is_index(t) ? 8 : (int64_t)(nr_type_bits(t) + 7) / 8; }

NrStatus nr_util_sizeof_verify(NrOp *op) {
  NrType type = sized_type(op);
  if (nr_type_is_int_or_index(type) || nr_type_is_float(type)) return NR_OK;
  return nr_op_error(op, "(C1) %s has no size", text_of(type));
}

/* The size of index depends on the target. */
bool nr_util_sizeof_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  (void)constants;
  if (nr_type_is_index(sized_type(op))) return false;
  out->attr = nr_attr_index(nr_op_context(op), size_of(sized_type(op)));
  return true;
}

NrStatus nr_util_sizeof_expand(NrOp *op, NrBuilder *b, NrValue **out) {
  *out = nr_arith_constant_index(b, size_of(sized_type(op)));
  return NR_OK;
}

/* ---- util.switch ------------------------------------------------------------------------------------------------- */

/* `i32 from [%a, %b] at %i else %d : i32` */
NrStatus nr_util_switch_parse(NrParser *p, NrOpState *state) {
  NrType type, again;
  NrOperandRef *values, index, other;
  size_t count;
  NR_TRY(nr_p_type(p, &type));
  NR_TRY(nr_p_expect(p, "from"));
  NR_TRY(nr_p_expect(p, "["));
  NR_TRY(nr_p_operands(p, &values, &count));
  NR_TRY(nr_p_expect(p, "]"));
  NR_TRY(nr_p_expect(p, "at"));
  NR_TRY(nr_p_operand(p, &index));
  NR_TRY(nr_p_expect(p, "else"));
  NR_TRY(nr_p_operand(p, &other));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, &again));
  if (type != again) return nr_p_error(p, loc, "expected %s, the type of the values", text_of(type));
  NR_TRY(nr_p_add_operand(p, state, index, nr_type_index(nr_p_context(p))));
  NR_TRY(nr_p_add_operand(p, state, other, type));
  for (size_t i = 0; i < count; i++) NR_TRY(nr_p_add_operand(p, state, values[i], type));
  nr_p_add_result(p, state, type);
  return NR_OK;
}

void nr_util_switch_print(NrPrinter *w, NrOp *op) {
  NrGroup values = nr_util_switch_values(op);
  nr_w_puts(w, " ");
  nr_w_type(w, nr_op_result(op)->type);
  nr_w_puts(w, " from [");
  nr_w_values(w, op, values.begin, values.count);
  nr_w_puts(w, "] at ");
  nr_w_value(w, nr_util_switch_index(op));
  nr_w_puts(w, " else ");
  nr_w_value(w, nr_util_switch_default_value(op));
  nr_w_attr_dict(w, op, NULL);
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_op_result(op)->type);
}

bool nr_util_switch_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrGroup values = nr_util_switch_values(op);
  NrValue *other = nr_util_switch_default_value(op);
  uint64_t index;
  bool all = true;
  if (constant_bits(constants[NR_UTIL_SWITCH_INDEX], &index))
    return out->value = index < values.count ? nr_operand(op, values.begin + (size_t)index) : other, true;
  for (size_t i = 0; i < values.count; i++) all &= nr_operand(op, values.begin + i) == other;
  return all ? (out->value = other, true) : false;
}

NrStatus nr_util_switch_expand(NrOp *op, NrBuilder *b, NrValue **out) {
  NrGroup values = nr_util_switch_values(op);
  *out = nr_util_switch_default_value(op);
  for (size_t i = 0; i < values.count; i++) {
    NrValue *is_it = nr_arith_cmpi(b, NR_CMPI_EQ, nr_util_switch_index(op), nr_arith_constant_index(b, (int64_t)i));
    NrValue *operands[] = {is_it, nr_operand(op, values.begin + i), *out};
    *out = nr_build_value(b, NR_OP_arith_select, (*out)->type, operands, 3);
  }
  return NR_OK;
}

/* ---- util.cmp.eq, ne --------------------------------------------------------------------------------------------- */

bool nr_util_cmp_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *lhs = nr_op_lhs(op), *rhs = nr_op_rhs(op);
  bool null = nr_op_is(lhs->op, NR_OP_util_null) && nr_op_is(rhs->op, NR_OP_util_null);
  bool equal = nr_op_is(op, NR_OP_util_cmp_eq);
  (void)constants;
  if ((lhs != rhs || nr_type_is_float(lhs->type)) && !null) return false; /* NaN is not equal to itself */
  out->attr = nr_attr_int(nr_op_result(op)->type, equal ? 1 : 0);
  return true;
}

NrStatus nr_util_cmp_expand(NrOp *op, NrBuilder *b, NrValue **out) {
  NrValue *lhs = nr_op_lhs(op), *rhs = nr_op_rhs(op);
  bool equal = nr_op_is(op, NR_OP_util_cmp_eq);
  if (nr_type_is_int_or_index(lhs->type)) {
    *out = nr_arith_cmpi(b, equal ? NR_CMPI_EQ : NR_CMPI_NE, lhs, rhs);
    return NR_OK;
  }
  return nr_op_error(op, "cannot be run: values of type %s are not compared", text_of(lhs->type));
}

/* ---- util.cast --------------------------------------------------------------------------------------------------- */

static bool is_object(NrType t) { return t->kind == NR_TYPE_OPAQUE && nr_str_is(t->text, "util.object"); }

NrStatus nr_util_cast_verify(NrOp *op) {
  NrType from = nr_util_cast_operand(op)->type, to = nr_op_result(op)->type;
  if (from == to || is_object(from) || is_object(to)) return NR_OK;
  return nr_op_error(op, "(C1) operand type %s is not object cast compatible with result type %s", text_of(from),
                     text_of(to));
}

bool nr_util_cast_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *operand = nr_util_cast_operand(op);
  NrType to = nr_op_result(op)->type;
  (void)constants;
  if (operand->type == to) return out->value = operand, true;
  if (!nr_op_is(operand->op, NR_OP_util_cast)) return false;
  NrValue *first = nr_util_cast_operand(operand->op);
  return first->type == to ? (out->value = first, true) : false;
}

/* cast(null) */
bool nr_util_cast_canonicalize(NrOp *op, NrBuilder *b) {
  if (!nr_op_is(nr_util_cast_operand(op)->op, NR_OP_util_null)) return false;
  nr_value_replace_uses(nr_op_result(op), nr_build_value(b, NR_OP_util_null, nr_op_result(op)->type, NULL, 0));
  nr_op_erase(op);
  return true;
}

/* ---- util.range -------------------------------------------------------------------------------------------------- */

NrStatus nr_util_range_verify(NrOp *op) {
  return op->num_operands ? NR_OK : nr_op_error(op, "(C1) expected at least one operand");
}

static unsigned extreme(const NrOp *op) {
  return nr_op_is(op, NR_OP_util_range_min) ? NR_OP_arith_minui : NR_OP_arith_maxui;
}

bool nr_util_range_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  bool least = nr_op_is(op, NR_OP_util_range_min);
  uint64_t best = 0, value;
  if (op->num_operands == 1) return out->value = nr_operand(op, op->num_operands - 1), true;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    if (!constant_bits(constants[i], &value)) return false;
    if (!i || (least ? value < best : value > best)) best = value;
  }
  out->attr = nr_attr_int(nr_op_result(op)->type, (int64_t)best);
  return true;
}

/* Makes one operand of two constants. */
static bool merge_constants(NrOp *op, NrBuilder *b) {
  bool least = nr_op_is(op, NR_OP_util_range_min);
  uint32_t first = op->num_operands;
  uint64_t value, best = 0;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    if (!constant_bits(nr_value_constant(nr_operand(op, i)), &value)) continue;
    if (first < i) {
      best = least ? NR_MIN(best, value) : NR_MAX(best, value);
      nr_op_set_operand(op, first, nr_arith_constant_int(b, nr_op_result(op)->type, (int64_t)best));
      return nr_op_erase_operand(op, i), true;
    }
    first = i;
    best = value;
  }
  return false;
}

/* Drops duplicates, and constants but one; of two operands it is an op of arith. */
bool nr_util_range_canonicalize(NrOp *op, NrBuilder *b) {
  if (op->num_operands > 2 && merge_constants(op, b)) return true;
  for (uint32_t i = 1; i < op->num_operands; i++)
    for (uint32_t k = 0; k < i; k++)
      if (nr_operand(op, i) == nr_operand(op, k)) return nr_op_erase_operand(op, i), true;
  if (op->num_operands != 2) return false;
  NrValue *made = nr_build_value(b, extreme(op), nr_op_result(op)->type,
                                 (NrValue *[]){nr_operand(op, NR_UTIL_RANGE_MIN_OPERANDS),
                                               nr_operand(op, op->num_operands - 1)}, 2);
  nr_value_replace_uses(nr_op_result(op), made);
  nr_op_erase(op);
  return true;
}

NrStatus nr_util_range_expand(NrOp *op, NrBuilder *b, NrValue **out) {
  *out = NULL;
  for (uint32_t i = 0; i < op->num_operands; i++)
    *out = *out ? binary(b, extreme(op), *out, nr_operand(op, i)) : nr_operand(op, i);
  return NR_OK;
}

/* `[%a for %n], [%b for %m] : index` */
NrStatus nr_util_extents_parse(NrParser *p, NrOpState *state) {
  NR_VEC(NrOperandRef) offsets = {0};
  NR_VEC(NrOperandRef) lengths = {0};
  NrOperandRef offset, length;
  NrType type;
  NrStatus status;
  do {
    bool ok = !(status = nr_p_expect(p, "[")) && !(status = nr_p_operand(p, &offset)) &&
              !(status = nr_p_expect(p, "for")) && !(status = nr_p_operand(p, &length)) &&
              !(status = nr_p_expect(p, "]"));
    if (!ok) break;
    nr_vec_push(&offsets, offset);
    nr_vec_push(&lengths, length);
  } while (nr_p_try(p, ","));
  if (!status && !nr_p_try_attr_dict(p, state)) status = NR_ERROR_INVALID;
  if (!status) status = nr_p_colon_type(p, &type);
  for (size_t i = 0; !status && i < offsets.size; i++) status = nr_p_add_operand(p, state, offsets.data[i], type);
  for (size_t i = 0; !status && i < lengths.size; i++) status = nr_p_add_operand(p, state, lengths.data[i], type);
  if (!status) nr_p_add_results(p, state, (NrType[]){type, type}, 2);
  nr_vec_deinit(&offsets);
  nr_vec_deinit(&lengths);
  return status;
}

void nr_util_extents_print(NrPrinter *w, NrOp *op) {
  NrGroup offsets = nr_util_range_extents_offsets(op), lengths = nr_util_range_extents_lengths(op);
  for (size_t i = 0; i < offsets.count && i < lengths.count; i++) {
    nr_w_puts(w, i ? ", [" : " [");
    nr_w_value(w, nr_operand(op, offsets.begin + i));
    nr_w_puts(w, " for ");
    nr_w_value(w, nr_operand(op, lengths.begin + i));
    nr_w_puts(w, "]");
  }
  nr_w_attr_dict(w, op, NULL);
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_util_range_extents_min(op)->type);
}

NrStatus nr_util_extents_expand(NrOp *op, NrBuilder *b, NrValue **out) {
  NrGroup offsets = nr_util_range_extents_offsets(op), lengths = nr_util_range_extents_lengths(op);
  NrValue *one = nr_arith_constant_int(b, nr_util_range_extents_min(op)->type, 1), *min = NULL, *max = NULL;
  for (size_t i = 0; i < offsets.count; i++) {
    NrValue *first = nr_operand(op, offsets.begin + i);
    NrValue *end = binary(b, NR_OP_arith_addi, first, nr_operand(op, lengths.begin + i));
    NrValue *last = binary(b, NR_OP_arith_subi, end, one);
    min = min ? binary(b, NR_OP_arith_minui, min, first) : first;
    max = max ? binary(b, NR_OP_arith_maxui, max, last) : last;
  }
  NrValue *const extents[] = {min, max};
  memcpy(out, extents, sizeof extents);
  return NR_OK;
}

/* Drops equal ranges; of one or two, and of constants, it is ops of arith. */
bool nr_util_extents_canonicalize(NrOp *op, NrBuilder *b) {
  NrGroup offsets = nr_util_range_extents_offsets(op), lengths = nr_util_range_extents_lengths(op);
  bool constant = true;
  for (size_t i = 0; i < op->num_operands; i++) constant &= nr_value_constant(nr_operand(op, i)) != NULL;
  if (constant || offsets.count <= 2) {
    NrValue *extents[2];
    if (nr_util_extents_expand(op, b, extents)) return false;
    nr_value_replace_uses(nr_util_range_extents_min(op), extents[0]);
    nr_value_replace_uses(nr_util_range_extents_max(op), extents[1]);
    return nr_op_erase(op), true;
  }
  for (size_t i = 1; i < offsets.count; i++)
    for (size_t k = 0; k < i; k++) {
      bool same = nr_operand(op, offsets.begin + i) == nr_operand(op, offsets.begin + k) &&
                  nr_operand(op, lengths.begin + i) == nr_operand(op, lengths.begin + k);
      if (!same) continue;
      nr_op_erase_operand(op, (uint32_t)(lengths.begin + i));
      nr_op_erase_operand(op, (uint32_t)(offsets.begin + i));
      return true;
    }
  return false;
}

/* ---- util.scf.unreachable ---------------------------------------------------------------------------------------- */

NrStatus nr_util_scf_unreachable_expand(NrOp *op, NrBuilder *b, NrValue **out) {
  NrStr message = nr_op_attr_str(op, NR_A_message);
  NrValue *no = nr_arith_constant_int(b, nr_type_i1(b->ctx), 0);
  NrOp *assert_op = nr_build_op(b, NR_OP_cf_assert, &no, 1, NULL, 0);
  (void)out;
  nr_op_set_attr(assert_op, NR_A_msg, nr_attr_string(b->ctx, message.size ? message : NR_STR("unreachable")));
  return NR_OK;
}
