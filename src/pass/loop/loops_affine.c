/* loops_affine.c - one interface to scf.for and affine.for for passes that split and copy loops. Affine loops stay
 * affine: a computed bound is a symbol where its operands are symbols; else it is an affine expression, if that is
 * known not to overflow. See loops.h. */
#include "dialect/affine/affine.h"
#include "dialect/affine/range.h"
#include "dialect/arith/arith.h"
#include "pass/loop/loops.h"

static bool is_affine(const NrOp *loop) { return nr_op_is(loop, NR_OP_affine_for); }

/* ---- accessors --------------------------------------------------------------------------------------------------- */

bool nr_is_for(const NrOp *op) {
  return is_affine(op) || (nr_op_is(op, NR_OP_scf_for) && nr_type_bits(nr_for_iv(op)->type) <= 64);
}

void nr_collect_loops(NrOp *root, NrOpList *out) {
  NrOpList all = {0};
  nr_collect_ops(root, &all);
  for (size_t i = 0; i < all.size; i++)
    if (nr_is_for(all.data[i])) nr_vec_push(out, all.data[i]);
  nr_vec_deinit(&all);
}

static size_t inits_begin(const NrOp *loop) {
  return is_affine(loop) ? nr_affine_for_inits(loop).begin : NR_SCF_FOR_INIT_ARGS;
}
NrValue *nr_for_init(const NrOp *loop, uint32_t i) { return nr_operand(loop, inits_begin(loop) + i); }

bool nr_for_trip_count(const NrOp *loop, uint64_t *out) {
  int64_t lower, upper;
  if (!is_affine(loop)) return nr_scf_for_trip_count(loop, out);
  NrValue *iv = nr_for_iv(loop);
  if (!nr_affine_iv_constant_bound(iv, false, &lower) || !nr_affine_iv_constant_bound(iv, true, &upper)) return false;
  return nr_scf_trip_count(lower, upper, nr_affine_iv_step(iv), false, out);
}

bool nr_for_constant_step(const NrOp *loop, int64_t *out) {
  if (is_affine(loop)) *out = nr_affine_iv_step(nr_for_iv(loop));
  return is_affine(loop) || nr_value_constant_int(nr_scf_for_step(loop), out);
}

/* A bound as a value: a constant, an operand, or the result of an affine.apply, min or max. */
static NrValue *bound_value(NrBuilder *b, const NrOp *loop, bool upper) {
  NrAttr map = nr_affine_bound_map(loop, upper);
  NrAffineExpr e = map->exprs[0];
  NR_VEC(NrValue *) operands = {0};
  for (size_t i = 0; i < nr_affine_num_inputs(map); i++)
    nr_vec_push(&operands, nr_operand(loop, nr_affine_for_begin(loop, upper) + i));
  NrValue *value = NULL;
  bool one = map->num_exprs == 1;
  if (one && e->kind == NR_AFFINE_CONSTANT) value = nr_arith_constant_index(b, e->value);
  else if (one && e->kind == NR_AFFINE_DIM) value = operands.data[e->value];
  else if (one && e->kind == NR_AFFINE_SYMBOL) value = operands.data[map->num_dims + e->value];
  else value = nr_affine_build(b, one ? NR_OP_affine_apply : upper ? NR_OP_affine_min : NR_OP_affine_max, map,
                               operands.data);
  nr_vec_deinit(&operands);
  return value;
}

NrForBounds nr_for_bounds(NrBuilder *b, NrOp *loop) {
  if (!is_affine(loop))
    return (NrForBounds){nr_scf_for_lower_bound(loop), nr_scf_for_upper_bound(loop), nr_scf_for_step(loop)};
  return (NrForBounds){bound_value(b, loop, false), bound_value(b, loop, true),
                       nr_arith_constant_index(b, nr_affine_iv_step(nr_for_iv(loop)))};
}

/* Whether a bound has only constants and operands as results, so that evaluating it cannot fail where the loop does not
 * run. */
static bool is_plain(NrAttr map) {
  for (uint32_t i = 0; i < map->num_exprs; i++)
    if (map->exprs[i]->kind != NR_AFFINE_CONSTANT && map->exprs[i]->kind != NR_AFFINE_DIM &&
        map->exprs[i]->kind != NR_AFFINE_SYMBOL)
      return false;
  return true;
}

NrOp *nr_for_symbols_before(NrOp *loop) {
  NrOp *top = loop, *around = nr_op_parent(loop);
  while (around && !nr_op_has(around, NR_ISOLATED)) {
    top = around;
    around = nr_op_parent(top);
  }
  for (size_t i = 0; i < inits_begin(loop); i++)
    if (nr_block_parent_op(nr_value_block(nr_operand(loop, i))) != around) return NULL;
  bool plain = is_plain(nr_affine_bound_map(loop, false)) && is_plain(nr_affine_bound_map(loop, true));
  return around && (plain || top == loop) ? top : NULL;
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

typedef struct Bound {
  NrAttr map;
  NR_VEC(NrValue *) operands;
} Bound;

static void bound_deinit(Bound *bound) { nr_vec_deinit(&bound->operands); }

static Bound bound_of(const NrOp *loop, bool upper) {
  Bound bound = {.map = nr_affine_bound_map(loop, upper)};
  for (size_t i = 0; i < nr_affine_num_inputs(bound.map); i++)
    nr_vec_push(&bound.operands, nr_operand(loop, nr_affine_for_begin(loop, upper) + i));
  return bound;
}

static Bound bound_at(NrContext *ctx, NrValue *value) {
  Bound bound = {0};
  int64_t number;
  bool known = nr_value_constant_int(value, &number);
  NrAffineExpr e = known ? nr_affine_constant(ctx, number) : nr_affine_symbol(ctx, 0);
  bound.map = nr_attr_affine_map(ctx, 0, !known, &e, 1);
  if (!known) nr_vec_push(&bound.operands, value);
  return bound;
}

/* Merges the operands of both bounds for one map: dims of the lower bound, dims of the upper bound, then symbols
 * likewise. */
static Bound joint(const NrOp *loop, NrAffineExpr out[2]) {
  NrContext *ctx = nr_op_context(loop);
  Bound both = {0}, one[2] = {bound_of(loop, false), bound_of(loop, true)};
  uint32_t dims = one[0].map->num_dims, symbols = one[0].map->num_symbols;
  NrAffineExpr later_dims[NR_MAX_RANK], later_symbols[NR_MAX_RANK];
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < 2; k++) {
      size_t begin = pass ? one[k].map->num_dims : 0, end = pass ? one[k].operands.size : one[k].map->num_dims;
      for (size_t i = begin; i < end; i++) nr_vec_push(&both.operands, one[k].operands.data[i]);
    }
  for (uint32_t i = 0; i < one[1].map->num_dims; i++) later_dims[i] = nr_affine_dim(ctx, dims + i);
  for (uint32_t i = 0; i < one[1].map->num_symbols; i++) later_symbols[i] = nr_affine_symbol(ctx, symbols + i);
  out[0] = one[0].map->exprs[0];
  out[1] = nr_affine_replace(one[1].map->exprs[0], later_dims, later_symbols);
  both.map = nr_attr_affine_map(ctx, dims + one[1].map->num_dims, symbols + one[1].map->num_symbols, out, 2);
  for (int k = 0; k < 2; k++) bound_deinit(&one[k]);
  return both;
}

static Bound with_exprs(const Bound *of, const NrAffineExpr *exprs, size_t count) {
  Bound bound = {.map = nr_affine_with_exprs(of->map, exprs, NULL, count)};
  for (size_t i = 0; i < of->operands.size; i++) nr_vec_push(&bound.operands, of->operands.data[i]);
  return bound;
}

/* Builds an affine.for with loop's attributes and an empty body. */
static NrOp *affine_for(NrBuilder *b, const NrOp *loop, const Bound *lower, const Bound *upper, int64_t step,
                        NrValue *const *inits, size_t count) {
  NR_VEC(NrValue *) operands = {0};
  NR_VEC(NrType) types = {0};
  for (size_t i = 0; i < lower->operands.size; i++) nr_vec_push(&operands, lower->operands.data[i]);
  for (size_t i = 0; i < upper->operands.size; i++) nr_vec_push(&operands, upper->operands.data[i]);
  for (size_t i = 0; i < count; i++) {
    nr_vec_push(&operands, inits[i]);
    nr_vec_push(&types, inits[i]->type);
  }
  NrOp *op = nr_build(b, &(NrOpState){.info = loop->info,
                                      .loc = loop->loc,
                                      .operands = operands.data,
                                      .num_operands = operands.size,
                                      .result_types = types.data,
                                      .num_results = count,
                                      .attrs = loop->attrs,
                                      .num_attrs = loop->num_attrs,
                                      .num_regions = 1});
  nr_op_set_attr(op, NR_A_lowerBoundMap, lower->map);
  nr_op_set_attr(op, NR_A_upperBoundMap, upper->map);
  nr_op_set_attr(op, NR_A_step, nr_attr_index(b->ctx, step));
  nr_op_set_segments(op, (uint32_t[]){(uint32_t)lower->operands.size, (uint32_t)upper->operands.size, (uint32_t)count},
                     3);
  NrBlock *body = nr_block_create(b->module);
  nr_block_append(nr_affine_for_region(op), body);
  nr_block_add_arg(body, nr_type_index(b->ctx), loop->loc)->name = nr_for_iv(loop)->name;
  for (size_t i = 0; i < count; i++) nr_block_add_arg(body, types.data[i], loop->loc);
  nr_vec_deinit(&operands);
  nr_vec_deinit(&types);
  return op;
}

NrOp *nr_for_with_inits(NrBuilder *b, NrOp *loop, NrValue *const *inits, size_t count) {
  NrOp *made;
  if (is_affine(loop)) {
    Bound lower = bound_of(loop, false), upper = bound_of(loop, true);
    made = affine_for(b, loop, &lower, &upper, nr_affine_iv_step(nr_for_iv(loop)), inits, count);
    bound_deinit(&lower);
    bound_deinit(&upper);
    return made;
  }
  made = nr_scf_for(b, nr_scf_for_lower_bound(loop), nr_scf_for_upper_bound(loop), nr_scf_for_step(loop), inits, count);
  made->loc = loop->loc;
  for (uint32_t i = 0; i < loop->num_attrs; i++)
    nr_op_set_attr_named(made, loop->attrs[i].name.data, loop->attrs[i].value);
  nr_for_iv(made)->name = nr_for_iv(loop)->name;
  return made;
}

NrOp *nr_for_upto(NrBuilder *b, NrOp *loop, NrValue *upper, NrValue *const *inits, size_t count) {
  NrValue *zero = nr_arith_constant_index(b, 0);
  if (!is_affine(loop)) return nr_scf_for(b, zero, upper, nr_arith_constant_index(b, 1), inits, count);
  Bound from = bound_at(b->ctx, zero), to = bound_at(b->ctx, upper);
  NrOp *made = affine_for(b, loop, &from, &to, 1, inits, count);
  bound_deinit(&from);
  bound_deinit(&to);
  return made;
}

void nr_for_yield(NrBuilder *b, const NrOp *loop, NrValue *const *values, size_t count) {
  nr_build_op(b, is_affine(loop) ? NR_OP_affine_yield : NR_OP_scf_yield, values, count, NULL, 0);
}

NrValue *nr_for_build_later(NrBuilder *b, NrOp *loop, NrValue *iv, int64_t n) {
  if (!n) return iv;
  if (is_affine(loop)) {
    int64_t step = nr_affine_iv_step(nr_for_iv(loop)), from;
    if (nr_value_constant_int(iv, &from)) /* the product alone may overflow */
      return nr_arith_constant_index(b, (int64_t)((uint64_t)from + (uint64_t)n * (uint64_t)step));
    NrAffineExpr offset = nr_affine_constant(b->ctx, n * step);
    NrAffineExpr e = nr_affine_binary(NR_AFFINE_ADD, nr_affine_dim(b->ctx, 0), offset);
    return nr_affine_build(b, NR_OP_affine_apply, nr_attr_affine_map(b->ctx, 1, 0, &e, 1), &iv);
  }
  NrValue *times = nr_arith_constant_int(b, iv->type, n);
  return nr_fold_binary(b, NR_OP_arith_addi, iv, nr_fold_binary(b, NR_OP_arith_muli, nr_scf_for_step(loop), times));
}

/* ---- splitting --------------------------------------------------------------------------------------------------- */

/* lower + (upper - lower) ceildiv step floordiv factor * (factor * step), if no part of it overflows; otherwise
 * NULL. */
static NrAffineExpr split_expr(const Bound *both, const NrAffineExpr *bounds, int64_t step, int64_t factor,
                               bool *out_in_order) {
  NrContext *ctx = bounds[0]->ctx;
  NrAffineExpr minus = nr_affine_binary(NR_AFFINE_MUL, bounds[0], nr_affine_constant(ctx, -1));
  NrAffineExpr distance = nr_affine_binary(NR_AFFINE_ADD, bounds[1], minus);
  distance = nr_affine_simplify(distance, both->map->num_dims, both->map->num_symbols);
  NrRange range = nr_affine_range(distance, both->map->num_dims, both->operands.data, NULL, NULL);
  NrRange from = nr_affine_range(bounds[0], both->map->num_dims, both->operands.data, NULL, NULL);
  int64_t end;
  if (range.min < INT64_MIN / 2 || from.min < INT64_MIN / 2) return NULL;
  bool limited = range.max < INT64_MAX / 2 && from.max < INT64_MAX / 2 && nr_mul_i64(step, factor, &end) &&
                 end < INT64_MAX / 2 && nr_add_i64(end, range.max, &end) && nr_add_i64(end, from.max, &end);
  if (!limited && (step != 1 || from.min < 0)) return NULL; /* with step 1 it never passes upper */
  *out_in_order = range.min >= 0;
  NrAffineExpr trips = nr_affine_binary(NR_AFFINE_CEILDIV, distance, nr_affine_constant(ctx, step));
  NrAffineExpr whole = nr_affine_binary(NR_AFFINE_FLOORDIV, trips, nr_affine_constant(ctx, factor));
  whole = nr_affine_binary(NR_AFFINE_MUL, whole, nr_affine_constant(ctx, factor * step));
  return nr_affine_binary(NR_AFFINE_ADD, bounds[0], whole);
}

NrForCut nr_for_build_cut(NrBuilder *b, NrOp *loop, int64_t factor) {
  NrForCut none = {.none = true};
  uint64_t trips;
  int64_t wide;
  if (!is_affine(loop)) return nr_for_bounds_cut(b, loop, nr_for_bounds(b, loop), factor);
  int64_t step = nr_affine_iv_step(nr_for_iv(loop));
  if (!nr_mul_i64(step, factor, &wide)) return none;
  NrOp *before = nr_for_trip_count(loop, &trips) ? loop : nr_for_symbols_before(loop);
  if (before) {
    NrBuilder at = nr_builder_before(before);
    return nr_for_bounds_cut(&at, loop, nr_for_bounds(&at, loop), factor);
  }
  if (nr_affine_bound_map(loop, false)->num_exprs != 1 || nr_affine_bound_map(loop, true)->num_exprs != 1) return none;
  NrAffineExpr bounds[2];
  Bound both = joint(loop, bounds);
  bool in_order = false;
  NrForCut cut = {.expr = split_expr(&both, bounds, step, factor, &in_order), .wide = wide};
  cut.none = !cut.expr;
  cut.keep_lower = cut.expr && !in_order;
  bound_deinit(&both);
  return cut;
}

/* The split as the upper bound of the first loop or the lower bound of the second. */
static Bound cut_bound(const NrOp *loop, const NrForCut *cut, bool of_rest) {
  if (!cut->expr) return bound_at(nr_op_context(loop), cut->split);
  NrAffineExpr bounds[2], exprs[2] = {cut->expr};
  Bound both = joint(loop, bounds);
  /* The second loop starts no lower than the loop's lower bound, and the first ends no higher than the upper bound. */
  exprs[1] = bounds[of_rest ? 0 : 1];
  Bound bound = with_exprs(&both, exprs, (of_rest ? cut->keep_lower : cut->keep_upper) ? 2 : 1);
  bound_deinit(&both);
  return bound;
}

/* Sets the bounds; keeps the inits. */
static void set_bounds(NrOp *loop, Bound *lower, Bound *upper) {
  NR_VEC(NrValue *) operands = {0};
  for (size_t i = 0; i < lower->operands.size; i++) nr_vec_push(&operands, lower->operands.data[i]);
  for (size_t i = 0; i < upper->operands.size; i++) nr_vec_push(&operands, upper->operands.data[i]);
  for (uint32_t i = 0; i < loop->num_results; i++) nr_vec_push(&operands, nr_for_init(loop, i));
  nr_op_set_operands(loop, operands.data, operands.size);
  nr_op_set_attr(loop, NR_A_lowerBoundMap, lower->map);
  nr_op_set_attr(loop, NR_A_upperBoundMap, upper->map);
  nr_op_set_segments(loop, (uint32_t[]){(uint32_t)lower->operands.size, (uint32_t)upper->operands.size,
                                        loop->num_results}, 3);
  nr_vec_deinit(&operands);
  bound_deinit(lower);
  bound_deinit(upper);
}

NrOp *nr_for_build_main(NrBuilder *b, NrOp *loop, const NrForCut *cut, NrValue *const *inits) {
  NrOp *main;
  if (is_affine(loop)) {
    Bound lower = bound_of(loop, false), upper = cut_bound(loop, cut, false);
    main = affine_for(b, loop, &lower, &upper, cut->wide, inits, loop->num_results);
    bound_deinit(&lower);
    bound_deinit(&upper);
  } else {
    main = nr_for_with_inits(b, loop, inits, loop->num_results);
    nr_op_set_operand(main, NR_SCF_FOR_UPPER_BOUND, cut->split);
    nr_op_set_operand(main, NR_SCF_FOR_STEP, cut->step);
  }
  for (uint32_t i = 0; i < loop->num_results; i++) nr_for_arg(main, i)->name = nr_for_arg(loop, i)->name;
  return main;
}

void nr_for_keep_rest(NrOp *loop, const NrForCut *cut, NrValue *const *inits) {
  size_t first = inits_begin(loop);
  for (uint32_t i = 0; i < loop->num_results; i++) nr_op_set_operand(loop, first + i, inits[i]);
  if (!is_affine(loop)) {
    nr_op_set_operand(loop, NR_SCF_FOR_LOWER_BOUND, cut->split);
    return;
  }
  Bound lower = cut_bound(loop, cut, true), upper = bound_of(loop, true);
  set_bounds(loop, &lower, &upper);
}

/* ---- peeling ----------------------------------------------------------------------------------------------------- */

static NrValue *split_value(NrBuilder *b, const NrForBounds *bounds, bool is_unsigned, bool front) {
  NrValue *distance = nr_for_bounds_distance(b, *bounds, is_unsigned);
  if (front) {
    NrValue *first = nr_fold_binary(b, NR_OP_arith_minui, distance, bounds->step);
    return nr_fold_binary(b, NR_OP_arith_addi, bounds->lower, first);
  }
  NrValue *rest = nr_fold_binary(b, NR_OP_arith_remui, distance, bounds->step);
  return nr_fold_binary(b, NR_OP_arith_subi, bounds->upper, rest);
}

/* lower + (upper - lower) floordiv step * step, which lies between them, or lower + step; NULL where it may overflow.
 */
static NrAffineExpr peel_expr(const Bound *both, const NrAffineExpr *bounds, int64_t step, bool front) {
  NrContext *ctx = bounds[0]->ctx;
  NrAffineExpr by = nr_affine_constant(ctx, step);
  NrAffineExpr minus = nr_affine_binary(NR_AFFINE_MUL, bounds[0], nr_affine_constant(ctx, -1));
  NrAffineExpr distance = nr_affine_binary(NR_AFFINE_ADD, bounds[1], minus);
  distance = nr_affine_simplify(distance, both->map->num_dims, both->map->num_symbols);
  NrRange range = nr_affine_range(distance, both->map->num_dims, both->operands.data, NULL, NULL);
  NrRange from = nr_affine_range(bounds[0], both->map->num_dims, both->operands.data, NULL, NULL);
  bool limited = from.min > INT64_MIN / 2 && from.max < INT64_MAX / 2 && step < INT64_MAX / 2;
  if (!limited || range.min < INT64_MIN / 2) return NULL;
  if (front) return nr_affine_binary(NR_AFFINE_ADD, bounds[0], by);
  NrAffineExpr whole = nr_affine_binary(NR_AFFINE_FLOORDIV, distance, by);
  return nr_affine_binary(NR_AFFINE_ADD, bounds[0], nr_affine_binary(NR_AFFINE_MUL, whole, by));
}

NrForCut nr_for_build_split(NrBuilder *b, NrOp *loop, bool front) {
  NrForCut cut = {.keep_upper = front, .keep_lower = !front};
  uint64_t trips;
  NrOp *before = loop;
  if (is_affine(loop) && !nr_for_trip_count(loop, &trips)) before = nr_for_symbols_before(loop);
  if (before) {
    NrBuilder at = before == loop ? *b : nr_builder_before(before);
    NrForBounds bounds = nr_for_bounds(&at, loop);
    cut.split = split_value(&at, &bounds, nr_is_unsigned_for(loop), front);
    return cut;
  }
  bool single = nr_affine_bound_map(loop, false)->num_exprs == 1 && nr_affine_bound_map(loop, true)->num_exprs == 1;
  if (single) {
    NrAffineExpr bounds[2];
    Bound both = joint(loop, bounds);
    cut.expr = peel_expr(&both, bounds, nr_affine_iv_step(nr_for_iv(loop)), front);
    bound_deinit(&both);
  }
  cut.none = !cut.expr;
  return cut;
}

void nr_for_chain(NrOp *first, NrOp *second, const NrForCut *cut) {
  if (is_affine(first)) {
    Bound first_lower = bound_of(first, false), first_upper = cut_bound(first, cut, false);
    Bound second_lower = cut_bound(second, cut, true), second_upper = bound_of(second, true);
    set_bounds(first, &first_lower, &first_upper);
    set_bounds(second, &second_lower, &second_upper);
  } else {
    nr_op_set_operand(first, NR_SCF_FOR_UPPER_BOUND, cut->split);
    nr_op_set_operand(second, NR_SCF_FOR_LOWER_BOUND, cut->split);
  }
  for (uint32_t i = 0; i < first->num_results; i++)
    nr_op_set_operand(second, inits_begin(second) + i, nr_result(first, i));
}

/* ---- exchanging ranges ------------------------------------------------------------------------------------------- */

static const char *const range_attrs[] = {"lowerBoundMap", "upperBoundMap", "step", "unsignedCmp"};

NrForRange nr_for_range(const NrOp *loop) {
  NrForRange range = {.type = nr_for_iv(loop)->type};
  for (size_t i = 0; i < inits_begin(loop); i++) nr_vec_push(&range.operands, nr_operand(loop, i));
  for (size_t i = 0; i < NR_COUNTOF(range_attrs); i++) range.attrs[i] = nr_op_attr_named(loop, range_attrs[i]);
  return range;
}

void nr_for_set_range(NrOp *loop, const NrForRange *range) {
  NR_VEC(NrValue *) operands = {0};
  for (size_t i = 0; i < range->operands.size; i++) nr_vec_push(&operands, range->operands.data[i]);
  for (uint32_t i = 0; i < loop->num_results; i++) nr_vec_push(&operands, nr_for_init(loop, i));
  nr_op_set_operands(loop, operands.data, operands.size);
  for (size_t i = 0; i < NR_COUNTOF(range_attrs); i++)
    if (range->attrs[i]) nr_op_set_attr_named(loop, range_attrs[i], range->attrs[i]);
    else nr_op_remove_attr_named(loop, range_attrs[i]);
  if (is_affine(loop)) {
    uint32_t lower = (uint32_t)nr_affine_num_inputs(range->attrs[0]), both = (uint32_t)range->operands.size;
    nr_op_set_segments(loop, (uint32_t[]){lower, both - lower, loop->num_results}, 3);
  }
  nr_for_iv(loop)->type = range->type;
  nr_vec_deinit(&operands);
}

void nr_for_range_deinit(NrForRange *range) { nr_vec_deinit(&range->operands); }
