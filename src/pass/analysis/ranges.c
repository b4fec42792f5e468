/* ranges.c - ranges of integer values; see ranges.h.
 *
 * Interval arithmetic from operands to results; in addition, upper - iv is above 0 and iv - lower is not negative, even
 * where the bounds are not known. */
#include "pass/analysis/ranges.h"

#include "dialect/affine/affine.h"
#include "dialect/arith/arith.h"
#include "dialect/linalg/linalg.h"
#include "dialect/operands.h"
#include "dialect/util/util.h"
#include "pass/analysis/dependence.h"

enum { MAX_VISITS = 400 }; /* limit of a query, since a value with two uses is visited twice */

static const NrRange everything = {INT64_MIN, INT64_MAX};

typedef struct Query {
  int visits;
  bool no_loops; /* nothing is known of induction variables */
} Query;

static NrRange range_of(Query *q, NrValue *value);

static NrRange all_of(NrType type) {
  uint32_t bits = nr_type_is_int_or_index(type) ? nr_type_bits(type) : 64;
  if (bits >= 64) return everything;
  return (NrRange){-(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1};
}

/* The range if it fits the type, else the type's full range, because the value may have wrapped. */
static NrRange within(bool exact, NrRange r, NrType type) {
  NrRange all = all_of(type);
  return exact && r.min >= all.min && r.max <= all.max ? r : all;
}

/* ---- arithmetic on ranges; false when an end does not fit -------------------------------------------------------- */

static bool add(NrRange x, NrRange y, NrRange *out) {
  return nr_add_i64(x.min, y.min, &out->min) && nr_add_i64(x.max, y.max, &out->max);
}
static bool subtract(NrRange x, NrRange y, NrRange *out) {
  return nr_sub_i64(x.min, y.max, &out->min) && nr_sub_i64(x.max, y.min, &out->max);
}
static bool multiply(NrRange x, NrRange y, NrRange *out) {
  int64_t p[4];
  if (!nr_mul_i64(x.min, y.min, &p[0]) || !nr_mul_i64(x.min, y.max, &p[1]) || !nr_mul_i64(x.max, y.min, &p[2]) ||
      !nr_mul_i64(x.max, y.max, &p[3]))
    return false;
  *out = (NrRange){p[0], p[0]};
  for (int i = 1; i < 4; i++) *out = (NrRange){NR_MIN(out->min, p[i]), NR_MAX(out->max, p[i])};
  return true;
}
static NrRange join(NrRange x, NrRange y) { return (NrRange){NR_MIN(x.min, y.min), NR_MAX(x.max, y.max)}; }
static NrRange meet(NrRange x, NrRange y) { return (NrRange){NR_MAX(x.min, y.min), NR_MIN(x.max, y.max)}; }

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); } /* for b > 0 */
static int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b > 0); }

/* ---- induction variables ----------------------------------------------------------------------------------------- */

static NrRange range_of_index(Query *q, NrIndex index) {
  return index.value ? range_of(q, index.value) : (NrRange){index.constant, index.constant};
}

/* The range of an induction variable, as numbers of the sign that its loop compares. That of an unsigned 64-bit loop is
 * known only where the bounds are not negative as signed numbers. */
static NrRange iv_range(Query *q, const NrValue *iv, const NrLoopRange *loop) {
  uint32_t bits = nr_type_bits(iv->type);
  NrRange lower = range_of_index(q, loop->lower), upper = range_of_index(q, loop->upper);
  bool negative = lower.min < 0 || upper.min < 0;
  if (bits > 64 || (loop->is_unsigned && negative && bits == 64)) return everything;
  if (loop->is_unsigned && negative) return (NrRange){0, (int64_t)((UINT64_C(1) << bits) - 1)};
  int64_t step, last;
  uint64_t trips;
  if (upper.max == INT64_MIN || lower.min >= upper.max)
    return (NrRange){lower.min, lower.min}; /* the loop never runs */
  NrRange out = {lower.min, upper.max - 1};
  if (nr_loop_range_trips(loop, &trips) && trips > 0 && nr_index_constant(loop->step, &step) && step > 0 &&
      trips <= INT64_MAX && nr_mul_i64((int64_t)(trips - 1), step, &last) && nr_add_i64(lower.min, last, &last))
    out.max = NR_MIN(out.max, last);
  return out;
}

/* The range of x - y in signed loops when it is upper - iv (at least 1) or iv - lower (at least 0). */
static bool difference_in_loop(Query *q, NrValue *x, NrValue *y, NrRange *out) {
  NrLoopRange loop;
  if (nr_loop_range(y, &loop) && !loop.is_unsigned && loop.upper.value == x) {
    NrRange lower = range_of_index(q, loop.lower), upper = range_of(q, x);
    return subtract(upper, lower, out) && (out->min = 1, true);
  }
  if (nr_loop_range(x, &loop) && !loop.is_unsigned && loop.lower.value == y) {
    NrRange lower = range_of(q, y), upper = range_of_index(q, loop.upper);
    return subtract(upper, lower, out) && nr_sub_i64(out->max, 1, &out->max) && (out->min = 0, true);
  }
  return false;
}

/* ---- ops --------------------------------------------------------------------------------------------------------- */

/* Of a result of util.assume.int, by what it says of unsigned numbers. */
static NrRange range_of_assumed(Query *q, NrValue *value) {
  uint32_t i = 0;
  while (nr_result(value->op, i) != value) i++;
  NrRange known = range_of(q, nr_operand(value->op, i)), all = all_of(value->type), said;
  if (!nr_util_assumed_bounds(value, &said.min, &said.max)) return known;
  if (said.max < 0 && known.min < 0) return known;
  if (said.max < 0) said.max = INT64_MAX;
  if (said.max > all.max && known.min < 0) return known; /* it may be negative as a signed number */
  NrRange out = meet(known, said);
  return out.min <= out.max ? out : known;
}

/* Of util.align and util.range, for numbers that are not negative. */
static NrRange range_of_util(Query *q, NrOp *op) {
  NrType type = nr_op_result(op)->type;
  bool aligns = nr_op_is(op, NR_OP_util_align);
  NrRange out = range_of(q, aligns ? nr_util_align_value(op) : nr_operand(op, NR_UTIL_RANGE_MIN_OPERANDS));
  if (out.min < 0) return all_of(type);
  if (aligns) {
    NrRange by = range_of(q, nr_util_align_alignment(op)), up = {0};
    bool ok = by.min > 0 && add(out, (NrRange){0, by.max - 1}, &up);
    return within(ok, up, type);
  }
  bool least = nr_op_is(op, NR_OP_util_range_min);
  for (uint32_t i = 1; i < op->num_operands; i++) {
    NrRange r = range_of(q, nr_operand(op, i));
    if (r.min < 0) return all_of(type);
    out = least ? (NrRange){NR_MIN(out.min, r.min), NR_MIN(out.max, r.max)}
                : (NrRange){NR_MAX(out.min, r.min), NR_MAX(out.max, r.max)};
  }
  return out;
}

/* Of linalg.index. */
static NrRange range_of_loop(const NrOp *op) {
  const NrOp *around = nr_op_parent(op);
  while (around && !nr_linalg_is_structured(around)) around = nr_op_parent(around);
  int64_t size = around ? nr_linalg_static_range(around, (size_t)nr_op_attr_int(op, NR_A_dim, 0)) : NR_DYNAMIC;
  return (NrRange){0, size == NR_DYNAMIC ? INT64_MAX : NR_MAX(size - 1, 0)};
}

static NrRange range_of_difference(Query *q, NrValue *x, NrValue *y) {
  NrRange a = range_of(q, x), b = range_of(q, y), plain = everything, in_loop = everything;
  bool exact = subtract(a, b, &plain), known = !q->no_loops && difference_in_loop(q, x, y, &in_loop);
  NrRange out = exact && known ? meet(plain, in_loop) : exact ? plain : known ? in_loop : everything;
  return out.min > out.max ? everything : within(exact || known, out, x->type);
}

static NrRange range_of_rest(NrRange x, NrRange y, bool is_unsigned, NrType type) {
  if (y.min <= 0) return all_of(type);
  if (x.min >= 0) return (NrRange){0, NR_MIN(x.max, y.max - 1)};
  return (NrRange){is_unsigned ? 0 : -(y.max - 1), y.max - 1};
}

static NrRange range_of_quotient(unsigned id, NrRange x, NrRange y, NrType type) {
  bool is_unsigned = id == NR_OP_arith_divui || id == NR_OP_arith_ceildivui;
  if (y.min <= 0 || (is_unsigned && x.min < 0)) return all_of(type);
  bool up = id == NR_OP_arith_ceildivui || id == NR_OP_arith_ceildivsi, down = id == NR_OP_arith_floordivsi;
  /* For a negative x, a small divisor gives the smallest quotient; otherwise a large one does. */
  int64_t low = x.min < 0 ? y.min : y.max, high = x.max < 0 ? y.max : y.min;
  if (up) return (NrRange){ceil_div(x.min, low), ceil_div(x.max, high)};
  if (down) return (NrRange){floor_div(x.min, low), floor_div(x.max, high)};
  return (NrRange){x.min / low, x.max / high};
}

static NrRange range_of_binary(Query *q, NrOp *op) {
  NrValue *lhs = nr_op_lhs(op), *rhs = nr_op_rhs(op);
  NrType type = nr_op_result(op)->type;
  if (nr_op_is(op, NR_OP_arith_subi)) return range_of_difference(q, lhs, rhs);
  NrRange x = range_of(q, lhs), y = range_of(q, rhs), out = everything;
  bool not_negative = x.min >= 0 && y.min >= 0;
  switch (op->info->id) {
  case NR_OP_arith_addi: return within(add(x, y, &out), out, type);
  case NR_OP_arith_muli: return within(multiply(x, y, &out), out, type);
  case NR_OP_arith_minui: /* at most each non-negative operand; a negative one is larger as an unsigned number */
    if (!not_negative && (x.min >= 0 || y.min >= 0)) return (NrRange){0, x.min >= 0 ? x.max : y.max};
    if (!not_negative) return all_of(type);
    return (NrRange){NR_MIN(x.min, y.min), NR_MIN(x.max, y.max)};
  case NR_OP_arith_minsi: return (NrRange){NR_MIN(x.min, y.min), NR_MIN(x.max, y.max)};
  case NR_OP_arith_maxui:
    if (!not_negative) return all_of(type);
    return (NrRange){NR_MAX(x.min, y.min), NR_MAX(x.max, y.max)};
  case NR_OP_arith_maxsi: return (NrRange){NR_MAX(x.min, y.min), NR_MAX(x.max, y.max)};
  case NR_OP_arith_remui:
  case NR_OP_arith_remsi: return range_of_rest(x, y, nr_op_is(op, NR_OP_arith_remui), type);
  case NR_OP_arith_andi: /* at most each non-negative operand */
    if (x.min < 0 && y.min < 0) return all_of(type);
    return (NrRange){0, NR_MIN(x.min < 0 ? INT64_MAX : x.max, y.min < 0 ? INT64_MAX : y.max)};
  default: return range_of_quotient(op->info->id, x, y, type);
  }
}

static NrRange range_of_cast(Query *q, NrOp *op) {
  NrValue *from = nr_op_in(op);
  NrType type = nr_op_result(op)->type;
  bool is_unsigned = nr_op_is(op, NR_OP_arith_extui) || nr_op_is(op, NR_OP_arith_index_castui);
  uint32_t bits = nr_type_bits(from->type);
  NrLoopRange loop;
  if (is_unsigned && !q->no_loops && nr_loop_range(from, &loop) && loop.is_unsigned && bits < 64)
    return within(true, iv_range(q, from, &loop), type);
  NrRange x = range_of(q, from);
  if (is_unsigned && x.min < 0 && bits < 63 && nr_type_bits(type) > bits) return (NrRange){0, (INT64_C(1) << bits) - 1};
  return within(!is_unsigned || x.min >= 0, x, type);
}

static NrRange leaf_of(void *query, NrValue *value) { return range_of(query, value); }

static NrRange range_of_result(Query *q, NrAffineExpr e, uint32_t num_dims, NrValue *const *operands) {
  return nr_affine_range(e, num_dims, operands, leaf_of, q);
}

static NrRange range_of_map(Query *q, NrOp *op) {
  NrAttr map = nr_op_attr(op, NR_A_map);
  NrRange out = everything;
  NR_VEC(NrValue *) operands = {0};
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&operands, nr_operand(op, i));
  for (uint32_t i = 0; i < map->num_exprs; i++) {
    NrRange r = range_of_result(q, map->exprs[i], map->num_dims, operands.data);
    if (i == 0)
      out = r;
    else if (nr_op_is(op, NR_OP_affine_min))
      out = (NrRange){NR_MIN(out.min, r.min), NR_MIN(out.max, r.max)};
    else
      out = (NrRange){NR_MAX(out.min, r.min), NR_MAX(out.max, r.max)};
  }
  nr_vec_deinit(&operands);
  return out;
}

static NrRange range_of(Query *q, NrValue *value) {
  NrRange all = all_of(value->type);
  NrOp *op = value->op;
  NrLoopRange loop;
  int64_t constant;
  if (!nr_type_is_int_or_index(value->type) || nr_type_bits(value->type) > 64) return everything;
  if (nr_value_constant_int(value, &constant)) {
    if (nr_type_bits(value->type) == 1) constant = -(constant & 1); /* the only bit is the sign */
    return (NrRange){constant, constant};
  }
  if (++q->visits > MAX_VISITS) return all;
  if (!op && q->no_loops) return all;
  if (nr_affine_is_iv(value)) return nr_affine_iv_range(value, leaf_of, q);
  if (!op) return nr_loop_range(value, &loop) ? within(true, iv_range(q, value, &loop), value->type) : all;
  switch (op->info->id) {
  case NR_OP_memref_dim:
  case NR_OP_tensor_dim:
  case NR_OP_memref_rank:
  case NR_OP_tensor_rank: return (NrRange){0, INT64_MAX};
  case NR_OP_arith_addi:
  case NR_OP_arith_subi:
  case NR_OP_arith_muli:
  case NR_OP_arith_minsi:
  case NR_OP_arith_minui:
  case NR_OP_arith_maxsi:
  case NR_OP_arith_maxui:
  case NR_OP_arith_remsi:
  case NR_OP_arith_remui:
  case NR_OP_arith_divsi:
  case NR_OP_arith_divui:
  case NR_OP_arith_ceildivsi:
  case NR_OP_arith_ceildivui:
  case NR_OP_arith_floordivsi:
  case NR_OP_arith_andi: return range_of_binary(q, op);
  case NR_OP_arith_select:
    return join(range_of(q, nr_arith_select_true_value(op)), range_of(q, nr_arith_select_false_value(op)));
  case NR_OP_arith_index_cast:
  case NR_OP_arith_index_castui:
  case NR_OP_arith_extsi:
  case NR_OP_arith_extui:
  case NR_OP_arith_trunci: return range_of_cast(q, op);
  case NR_OP_affine_apply:
  case NR_OP_affine_min:
  case NR_OP_affine_max: return q->no_loops ? all : range_of_map(q, op);
  case NR_OP_util_assume_int: return range_of_assumed(q, value);
  case NR_OP_linalg_index: return range_of_loop(op);
  case NR_OP_util_align:
  case NR_OP_util_range_min:
  case NR_OP_util_range_max: return range_of_util(q, op);
  default: return all;
  }
}

NrRange nr_range_of(NrValue *value) { return range_of(&(Query){0}, value); }

NrRange nr_range_without_loops(NrValue *value) { return range_of(&(Query){.no_loops = true}, value); }

NrRange nr_range_of_affine(NrAffineExpr e, uint32_t num_dims, NrValue *const *operands) {
  return range_of_result(&(Query){0}, e, num_dims, operands);
}
