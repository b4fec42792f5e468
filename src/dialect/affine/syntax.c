/* syntax.c - the text of maps with operands, affine.for and affine.if. Subscripts and affine.parallel are in
 * syntax_access.c and syntax_parallel.c. */
#include "dialect/affine/affine.h"
#include "dialect/shared/bindings.h"
#include "dialect/shared/shaped.h"

/* Parsed operands of a map: `(%a, %b)[%c]`. */
typedef struct Inputs {
  NrOperandRef *dims, *symbols;
  size_t num_dims, num_symbols;
} Inputs;

static NrStatus parse_inputs(NrParser *p, Inputs *out) {
  *out = (Inputs){0};
  NR_TRY(nr_p_expect(p, "("));
  NR_TRY(nr_p_operands(p, &out->dims, &out->num_dims));
  NR_TRY(nr_p_expect(p, ")"));
  if (!nr_p_try(p, "[")) return NR_OK;
  NR_TRY(nr_p_operands(p, &out->symbols, &out->num_symbols));
  return nr_p_expect(p, "]");
}

static NrStatus add_inputs(NrParser *p, NrOpState *state, const Inputs *in) {
  NR_TRY(nr_p_add_indices(p, state, in->dims, in->num_dims));
  return nr_p_add_indices(p, state, in->symbols, in->num_symbols);
}

static NrStatus check_inputs(NrParser *p, NrAttr map, const Inputs *in, const char *what) {
  if (map->num_dims != in->num_dims)
    return nr_p_op_error(p, "dim operand count and %s dim count must match", what);
  if (map->num_symbols != in->num_symbols)
    return nr_p_op_error(p, "symbol operand count and %s symbol count must match", what);
  return NR_OK;
}

static void print_inputs(NrPrinter *w, NrOp *op, NrAttr map, size_t first) {
  nr_w_puts(w, "(");
  nr_w_values(w, op, first, map->num_dims);
  nr_w_puts(w, ")");
  if (map->num_symbols == 0) return;
  nr_w_puts(w, "[");
  nr_w_values(w, op, first + map->num_dims, map->num_symbols);
  nr_w_puts(w, "]");
}

/* ---- apply, min, max: #map(%a)[%b] {attrs} ----------------------------------------------------------------------- */

static NrStatus parse_map_op(NrParser *p, NrOpState *state, const char *mismatch) {
  NrAttr map;
  Inputs in;
  NR_TRY(nr_p_affine_map_of(p, &map));
  NR_TRY(parse_inputs(p, &in));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  if (mismatch && (map->num_dims != in.num_dims || map->num_symbols != in.num_symbols))
    return nr_p_op_error(p, "%s", mismatch);
  nr_p_add_attr(p, state, "map", map);
  nr_p_add_result(p, state, nr_type_index(nr_p_context(p)));
  return add_inputs(p, state, &in);
}

NrStatus nr_affine_apply_parse(NrParser *p, NrOpState *state) {
  return parse_map_op(p, state, "dimension or symbol index mismatch");
}

NrStatus nr_affine_min_max_parse(NrParser *p, NrOpState *state) { return parse_map_op(p, state, NULL); }

void nr_affine_map_op_print(NrPrinter *w, NrOp *op) {
  NrAttr map = nr_op_attr(op, NR_A_map);
  nr_w_puts(w, " ");
  nr_w_attr(w, map);
  print_inputs(w, op, map, 0);
  nr_w_attr_dict(w, op, (const char *const[]){"map", NULL});
}

/* ---- for %i = max #map(%a) to min #map(%b)[%c] step 2 iter_args(%x = %y) -> (t) { .. } {attrs} ------------------- */

static NrAttr identity_symbol(NrContext *ctx) {
  NrAffineExpr e = nr_affine_symbol(ctx, 0);
  return nr_attr_affine_map(ctx, 0, 1, &e, 1);
}

static NrAttr constant_map(NrContext *ctx, int64_t value) {
  NrAffineExpr e = nr_affine_constant(ctx, value);
  return nr_attr_affine_map(ctx, 0, 0, &e, 1);
}

static NrStatus parse_map_bound(NrParser *p, NrOpState *state, bool upper, bool prefixed, NrAttr *out_map,
                                Inputs *in) {
  NrLoc loc = nr_p_loc(p);
  if (nr_p_peek(p, "(")) NR_TRY(nr_p_affine_map_of(p, out_map));
  else NR_TRY(nr_p_attr(p, out_map));
  if ((*out_map)->kind != NR_ATTR_AFFINE_MAP)
    return nr_p_op_error(p, "expected valid affine map representation for loop bounds");
  NR_TRY(parse_inputs(p, in));
  NR_TRY(check_inputs(p, *out_map, in, "affine map"));
  if ((*out_map)->num_exprs > 1 && !prefixed)
    return nr_p_error(p, loc, "%s loop bound affine map with multiple results requires '%s' prefix",
                      upper ? "upper" : "lower", upper ? "min" : "max");
  return add_inputs(p, state, in);
}

/* Parses a bound: a number, a value, or a map with operands. */
static NrStatus parse_bound(NrParser *p, NrOpState *state, bool upper, uint32_t *out_count) {
  const char *name = upper ? "upperBoundMap" : "lowerBoundMap";
  NrContext *ctx = nr_p_context(p);
  Inputs in = {0};
  NrAttr map;
  int64_t number;
  bool prefixed = nr_p_try(p, upper ? "min" : "max");
  if (nr_p_peek(p, "%")) {
    NR_TRY(nr_p_operands(p, &in.symbols, &in.num_symbols));
    if (in.num_symbols != 1) return nr_p_op_error(p, "expected only one loop bound operand");
    map = identity_symbol(ctx);
    NR_TRY(add_inputs(p, state, &in));
  } else if (nr_p_try_int(p, &number)) {
    map = constant_map(ctx, number);
  } else {
    NR_TRY(parse_map_bound(p, state, upper, prefixed, &map, &in));
  }
  *out_count = (uint32_t)(in.num_dims + in.num_symbols);
  nr_p_add_attr(p, state, name, map);
  return NR_OK;
}

static NrStatus parse_for_rest(NrParser *p, NrOpState *state, uint32_t *segments, NrBindings *carried) {
  NrType *types = NULL;
  size_t num_types = 0;
  if (nr_p_try(p, "iter_args")) {
    NR_TRY(nr_p_bindings(p, carried));
    NR_TRY(nr_p_arrow_type_list(p, &types, &num_types));
  }
  if (num_types != carried->values.size)
    return nr_p_op_error(p, "mismatch between the number of loop-carried values and results");
  segments[2] = (uint32_t)carried->values.size;
  NR_TRY(nr_p_add_operands(p, state, carried->values.data, carried->values.size, types, num_types));
  nr_p_set_segments(p, state, segments, 3);
  nr_p_add_results(p, state, types, num_types);
  for (size_t i = 0; i < num_types; i++) carried->args.data[1 + i].type = types[i];
  NR_TRY(nr_p_region(p, state, carried->args.data, carried->args.size));
  return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
}

NrStatus nr_affine_for_parse(NrParser *p, NrOpState *state) {
  NrContext *ctx = nr_p_context(p);
  uint32_t segments[3];
  int64_t step = 1;
  NrArgRef iv;
  NR_TRY(nr_p_arg(p, &iv));
  NR_TRY(nr_p_expect(p, "="));
  NR_TRY(parse_bound(p, state, false, &segments[0]));
  NR_TRY(nr_p_expect(p, "to"));
  NR_TRY(parse_bound(p, state, true, &segments[1]));
  if (nr_p_try(p, "step")) {
    NrLoc loc = nr_p_loc(p);
    NR_TRY(nr_p_int(p, &step));
    if (step <= 0) return nr_p_error(p, loc, "expected step to be representable as a positive signed integer");
  }
  nr_p_add_attr(p, state, "step", nr_attr_index(ctx, step));
  NrBindings carried = {0};
  iv.type = nr_type_index(ctx);
  nr_vec_push(&carried.args, iv);
  NrStatus status = parse_for_rest(p, state, segments, &carried);
  nr_bindings_deinit(&carried);
  return status;
}

static void rename_attr(NrOp *op, const char *from, const char *to) {
  NrAttr value = nr_op_attr_named(op, from);
  if (!value || nr_op_attr_named(op, to)) return;
  nr_op_set_attr_named(op, to, value);
  nr_op_remove_attr_named(op, from);
}

/* Until 2023 the attributes had other names, and the maps' input counts gave the operand groups. */
NrStatus nr_affine_for_post_parse(NrParser *p, NrOp *op) {
  rename_attr(op, "lower_bound", "lowerBoundMap");
  rename_attr(op, "upper_bound", "upperBoundMap");
  NrAttr lower = nr_affine_bound_map(op, false), upper = nr_affine_bound_map(op, true);
  bool maps = lower && upper && lower->kind == NR_ATTR_AFFINE_MAP && upper->kind == NR_ATTR_AFFINE_MAP;
  if (!maps || nr_op_attr(op, NR_A_operandSegmentSizes)) return NR_OK;
  size_t bounds = nr_affine_num_inputs(lower) + nr_affine_num_inputs(upper);
  if (bounds > op->num_operands) return NR_OK; /* the verifier reports it */
  uint32_t sizes[] = {(uint32_t)nr_affine_num_inputs(lower), (uint32_t)nr_affine_num_inputs(upper),
                      (uint32_t)(op->num_operands - bounds)};
  nr_op_set_segments(op, sizes, 3);
  return NR_OK;
}

static void print_bound(NrPrinter *w, NrOp *op, bool upper) {
  NrAttr map = nr_affine_bound_map(op, upper);
  size_t first = nr_affine_for_begin(op, upper);
  bool one = map->num_exprs == 1;
  if (one && nr_affine_num_inputs(map) == 0 && map->exprs[0]->kind == NR_AFFINE_CONSTANT) {
    nr_w_printf(w, "%lld", (long long)map->exprs[0]->value);
  } else if (one && map->num_dims == 0 && map->num_symbols == 1 && map->exprs[0]->kind == NR_AFFINE_SYMBOL) {
    nr_w_value(w, nr_operand(op, first));
  } else {
    if (!one) nr_w_puts(w, upper ? "min " : "max ");
    nr_w_attr(w, map);
    print_inputs(w, op, map, first);
  }
}

static void print_iter_args(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " iter_args");
  nr_w_bindings(w, op, nr_affine_for_begin(op, 2), nr_affine_for_body(op), 1, op->num_results);
  nr_w_puts(w, " -> (");
  nr_w_result_types(w, op);
  nr_w_puts(w, ")");
}

void nr_affine_for_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"lowerBoundMap", "upperBoundMap", "step", "operandSegmentSizes", NULL};
  int64_t step = nr_op_attr_int(op, NR_A_step, 1);
  nr_w_puts(w, " ");
  nr_w_value(w, nr_block_arg(nr_affine_for_body(op), 0));
  nr_w_trailing_loc(w, nr_arg_loc(nr_block_arg(nr_affine_for_body(op), 0)));
  nr_w_puts(w, " = ");
  print_bound(w, op, false);
  nr_w_puts(w, " to ");
  print_bound(w, op, true);
  if (step != 1) nr_w_printf(w, " step %lld", (long long)step);
  if (op->num_results) print_iter_args(w, op);
  nr_w_puts(w, " ");
  nr_w_region(w, nr_affine_for_region(op), false, op->num_results > 0);
  nr_w_attr_dict(w, op, elided);
}

/* ---- if #set(%a)[%b] -> (t) { .. } else { .. } {attrs} ----------------------------------------------------------- */

NrStatus nr_affine_if_parse(NrParser *p, NrOpState *state) {
  NrAttr set;
  Inputs in;
  NrType *types = NULL;
  size_t num_types = 0;
  NR_TRY(nr_p_affine_set_of(p, &set));
  NR_TRY(parse_inputs(p, &in));
  NR_TRY(check_inputs(p, set, &in, "integer set"));
  NR_TRY(add_inputs(p, state, &in));
  nr_p_add_attr(p, state, "condition", set);
  NR_TRY(nr_p_arrow_type_list(p, &types, &num_types));
  nr_p_add_results(p, state, types, num_types);
  NR_TRY(nr_p_region(p, state, NULL, 0));
  if (!nr_p_try(p, "else")) nr_p_empty_region(p, state);
  else NR_TRY(nr_p_region(p, state, NULL, 0));
  return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
}

void nr_affine_if_print(NrPrinter *w, NrOp *op) {
  NrAttr set = nr_op_attr(op, NR_A_condition);
  nr_w_puts(w, " ");
  nr_w_attr(w, set);
  print_inputs(w, op, set, 0);
  nr_w_arrow_results(w, op);
  nr_w_puts(w, " ");
  nr_w_region(w, nr_affine_if_then_region(op), false, op->num_results > 0);
  if (nr_affine_if_else_body(op)) {
    nr_w_puts(w, " else ");
    nr_w_region(w, nr_affine_if_else_region(op), false, op->num_results > 0);
  }
  nr_w_attr_dict(w, op, (const char *const[]){"condition", NULL});
}
