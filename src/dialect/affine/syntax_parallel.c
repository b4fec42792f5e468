/* syntax_parallel.c - the text of affine.parallel:
 *
 *   affine.parallel (%i, %j) = (0, max(%a, %b)) to (10, %n + 1) step (1, 2) reduce ("addf") -> (f32) { .. } {attrs} */
#include "dialect/affine/affine.h"
#include "dialect/shared/bindings.h"
#include "dialect/memref/memref.h"
#include "dialect/shared/shaped.h"

typedef struct Bounds {
  NrAffineOfValues exprs;
  NR_VEC(int32_t) groups;
} Bounds;

static void bounds_deinit(Bounds *b) {
  nr_p_affine_deinit(&b->exprs);
  nr_vec_deinit(&b->groups);
}

/* Parses one expression, or max(..) of several for lower bounds and min(..) for upper bounds. */
static NrStatus parse_group(NrParser *p, bool upper, Bounds *out) {
  size_t before = out->exprs.exprs.size;
  if (nr_p_try(p, upper ? "min" : "max")) {
    NR_TRY(nr_p_expect(p, "("));
    NR_TRY(nr_p_affine_exprs(p, &out->exprs));
    NR_TRY(nr_p_expect(p, ")"));
  } else {
    NR_TRY(nr_p_affine_expr(p, &out->exprs));
  }
  nr_vec_push(&out->groups, (int32_t)(out->exprs.exprs.size - before));
  return NR_OK;
}

static NrStatus parse_groups(NrParser *p, bool upper, Bounds *out) {
  NR_TRY(nr_p_expect(p, "("));
  if (nr_p_try(p, ")")) return NR_OK;
  do NR_TRY(parse_group(p, upper, out));
  while (nr_p_try(p, ","));
  return nr_p_expect(p, ")");
}

static NrStatus add_bounds(NrParser *p, NrOpState *state, bool upper, const Bounds *b) {
  NrContext *ctx = nr_p_context(p);
  const NrAffineOfValues *e = &b->exprs;
  NrAttr map = nr_attr_affine_map(ctx, (uint32_t)e->dims.size, (uint32_t)e->symbols.size, e->exprs.data,
                                  e->exprs.size);
  nr_p_add_attr(p, state, upper ? "upperBoundsMap" : "lowerBoundsMap", map);
  nr_p_add_attr(p, state, upper ? "upperBoundsGroups" : "lowerBoundsGroups",
                nr_affine_groups(ctx, b->groups.data, b->groups.size));
  NR_TRY(nr_p_add_indices(p, state, e->dims.data, e->dims.size));
  return nr_p_add_indices(p, state, e->symbols.data, e->symbols.size);
}

static NrStatus parse_bounds(NrParser *p, NrOpState *state, bool upper) {
  Bounds b = {0};
  NrStatus status = parse_groups(p, upper, &b);
  if (!status) status = add_bounds(p, state, upper, &b);
  bounds_deinit(&b);
  return status;
}

typedef NR_VEC(NrAttr) Attrs;

static NrStatus parse_steps(NrParser *p, size_t rank, Attrs *out) {
  NrContext *ctx = nr_p_context(p);
  int64_t step;
  if (!nr_p_try(p, "step")) {
    for (size_t i = 0; i < rank; i++) nr_vec_push(out, nr_attr_i64(ctx, 1));
    return NR_OK;
  }
  NR_TRY(nr_p_expect(p, "("));
  if (nr_p_try(p, ")")) return NR_OK;
  do {
    NR_TRY(nr_p_int(p, &step));
    nr_vec_push(out, nr_attr_i64(ctx, step));
  } while (nr_p_try(p, ","));
  return nr_p_expect(p, ")");
}

static NrStatus parse_reductions(NrParser *p, Attrs *out) {
  NrStr name;
  if (!nr_p_try(p, "reduce")) return NR_OK;
  NR_TRY(nr_p_expect(p, "("));
  if (nr_p_try(p, ")")) return NR_OK;
  do {
    NrLoc loc = nr_p_loc(p);
    int64_t kind;
    if (!nr_p_try_string(p, &name)) return nr_p_error(p, loc, "expected the name of a reduction in quotes");
    if (!nr_atomic_kind_find(name, &kind)) {
      NrNearest nearest = nr_atomic_kind_nearest(name);
      return nr_p_error(p, loc, "invalid reduction value: \"%.*s\"" NR_HINT, NR_STR_ARG(name), NR_HINT_ARG(nearest));
    }
    nr_vec_push(out, nr_attr_i64(nr_p_context(p), kind));
  } while (nr_p_try(p, ","));
  return nr_p_expect(p, ")");
}

static NrStatus parse_parallel(NrParser *p, NrOpState *state, NrBindings *ivs, Attrs *steps, Attrs *kinds) {
  NrType *types = NULL;
  size_t num_types = 0;
  NR_TRY(nr_p_ivs(p, ivs));
  NR_TRY(nr_p_expect(p, "="));
  NR_TRY(parse_bounds(p, state, false));
  NR_TRY(nr_p_expect(p, "to"));
  NR_TRY(parse_bounds(p, state, true));
  NR_TRY(parse_steps(p, ivs->args.size, steps));
  NR_TRY(parse_reductions(p, kinds));
  NR_TRY(nr_p_arrow_type_list(p, &types, &num_types));
  nr_p_add_attr(p, state, "steps", nr_attr_array(nr_p_context(p), steps->data, steps->size));
  nr_p_add_attr(p, state, "reductions", nr_attr_array(nr_p_context(p), kinds->data, kinds->size));
  nr_p_add_results(p, state, types, num_types);
  NR_TRY(nr_p_region(p, state, ivs->args.data, ivs->args.size));
  return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
}

NrStatus nr_affine_parallel_parse(NrParser *p, NrOpState *state) {
  NrBindings ivs = {0};
  Attrs steps = {0}, kinds = {0};
  NrStatus status = parse_parallel(p, state, &ivs, &steps, &kinds);
  nr_bindings_deinit(&ivs);
  nr_vec_deinit(&steps);
  nr_vec_deinit(&kinds);
  return status;
}

/* Adds attributes that older texts lack: before groups existed each bound had one result, and loops had no
 * reductions. */
NrStatus nr_affine_parallel_post_parse(NrParser *p, NrOp *op) {
  NrContext *ctx = nr_op_context(op);
  if (!nr_op_attr(op, NR_A_reductions) && op->num_results == 0)
    nr_op_set_attr(op, NR_A_reductions, nr_attr_array(ctx, NULL, 0));
  for (int upper = 0; upper < 2; upper++) {
    NrAttr map = nr_op_attr(op, upper ? NR_A_upperBoundsMap : NR_A_lowerBoundsMap);
    const char *name = upper ? "upperBoundsGroups" : "lowerBoundsGroups";
    if (!map || map->kind != NR_ATTR_AFFINE_MAP || nr_op_attr_named(op, name)) continue;
    int32_t *ones = nr_calloc(map->num_exprs + 1, sizeof *ones);
    for (uint32_t i = 0; i < map->num_exprs; i++) ones[i] = 1;
    nr_op_set_attr_named(op, name, nr_affine_groups(ctx, ones, map->num_exprs));
    nr_free(ones);
  }
  return NR_OK;
}

static void print_bounds(NrPrinter *w, NrOp *op, bool upper) {
  NrAttr lower = nr_op_attr(op, NR_A_lowerBoundsMap), map = upper ? nr_op_attr(op, NR_A_upperBoundsMap) : lower;
  size_t first = upper ? nr_affine_num_inputs(lower) : 0;
  nr_w_puts(w, "(");
  for (uint32_t i = 0; i < nr_affine_parallel_body(op)->num_args; i++) {
    uint32_t begin, count;
    nr_affine_parallel_group(op, upper, i, &begin, &count);
    if (i) nr_w_puts(w, ", ");
    if (count > 1) nr_w_puts(w, upper ? "min(" : "max(");
    for (uint32_t k = 0; k < count; k++) {
      if (k) nr_w_puts(w, ", ");
      nr_w_affine_expr(w, map->exprs[begin + k], op, first, map->num_dims);
    }
    if (count > 1) nr_w_puts(w, ")");
  }
  nr_w_puts(w, ")");
}

static void print_steps(NrPrinter *w, NrOp *op) {
  uint32_t rank = nr_affine_parallel_body(op)->num_args;
  bool ones = true;
  for (uint32_t i = 0; i < rank; i++) ones &= nr_affine_parallel_step(op, i) == 1;
  if (ones) return;
  nr_w_puts(w, " step (");
  for (uint32_t i = 0; i < rank; i++)
    nr_w_printf(w, i ? ", %lld" : "%lld", (long long)nr_affine_parallel_step(op, i));
  nr_w_puts(w, ")");
}

void nr_affine_parallel_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"lowerBoundsMap", "lowerBoundsGroups", "upperBoundsMap", "upperBoundsGroups",
                                       "steps",          "reductions",        NULL};
  NrBlock *body = nr_affine_parallel_body(op);
  nr_w_puts(w, " ");
  nr_w_ivs(w, body, body->num_args);
  nr_w_puts(w, " = ");
  print_bounds(w, op, false);
  nr_w_puts(w, " to ");
  print_bounds(w, op, true);
  print_steps(w, op);
  if (op->num_results) {
    NrAttr kinds = nr_op_attr(op, NR_A_reductions);
    nr_w_puts(w, " reduce (");
    for (uint32_t i = 0; i < op->num_results; i++)
      nr_w_printf(w, i ? ", \"%s\"" : "\"%s\"", nr_atomic_kind_name(kinds->items[i]->i));
    nr_w_puts(w, ") -> (");
    nr_w_result_types(w, op);
    nr_w_puts(w, ")");
  }
  nr_w_puts(w, " ");
  nr_w_region(w, nr_affine_parallel_region(op), false, op->num_results > 0);
  nr_w_attr_dict(w, op, elided);
}
