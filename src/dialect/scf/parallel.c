/* parallel.c - the text of scf.parallel and scf.reduce.
 *
 * Today the terminator of the loop holds all reductions. In 2020 each was an op in the body, which ended in a yield:
 *
 *   2020   %r = loop.parallel (%i) = .. init (%z) {     today   %r = scf.parallel (%i) = .. init (%z) -> f32 {
 *            loop.reduce(%x) {                                    scf.reduce(%x : f32) {
 *            ^bb0(%a: f32, %b: f32): ..                           ^bb0(%a: f32, %b: f32): ..
 *            } : f32                                              }
 *            loop.yield                                         }
 *          } : f32
 *
 * In memory only today's form exists. The earliest texts have no init: then the initial value is the neutral element of
 * the reduction, so that a loop without points has a result. Where no neutral element is known the loop is marked
 * noInit, and a run fails when it has no points. */
#include "dialect/arith/arith.h"
#include "dialect/arith/combine.h"
#include "dialect/operands.h"
#include "dialect/shared/bindings.h"
#include "dialect/arith/fold.h"
#include "dialect/scf/scf.h"
#include "dialect/shared/shaped.h"

enum { LOWER, UPPER, STEP, INITS, NUM_GROUPS };

/* ---- parallel ---------------------------------------------------------------------------------------------------- */

/* Parses `(%a, %b)`. */
static NrStatus parse_operand_tuple(NrParser *p, NrOpState *state, size_t expected, NrType type) {
  NrOperandRef *refs;
  size_t count;
  NrStatus status;
  if ((status = nr_p_expect(p, "(")) || (status = nr_p_operands(p, &refs, &count)) || (status = nr_p_expect(p, ")")))
    return status;
  if (count != expected) return nr_p_op_error(p, "expected %zu operands", expected);
  for (size_t i = 0; i < count && !status; i++) status = nr_p_add_operand(p, state, refs[i], type);
  return status;
}

static NrStatus parse_after_bounds(NrParser *p, NrOpState *state, const NrArgRef *ivs, size_t rank) {
  NrOperandRef *inits = NULL;
  NrType *types = NULL;
  size_t num_inits = 0, num_types = 0;
  NrStatus status;
  bool has_init = nr_p_try(p, "init");
  if (has_init && ((status = nr_p_expect(p, "(")) || (status = nr_p_operands(p, &inits, &num_inits)) ||
                   (status = nr_p_expect(p, ")"))))
    return status;
  if ((status = nr_p_arrow_type_list(p, &types, &num_types)) || (status = nr_p_region(p, state, ivs, rank)))
    return status;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  if (nr_p_is_legacy(p) && num_types == 0 && nr_p_try(p, ":") && (status = nr_p_type_list(p, &types, &num_types)))
    return status;
  if (has_init || !nr_p_is_legacy(p)) {
    if (num_inits != num_types)
      return nr_p_op_error(p, "number of results (%zu) and of initial values (%zu) differ", num_types, num_inits);
    if ((status = nr_p_add_operands(p, state, inits, num_inits, types, num_types))) return status;
  }
  nr_p_add_results(p, state, types, num_types);
  nr_p_set_segments(p, state, (uint32_t[]){(uint32_t)rank, (uint32_t)rank, (uint32_t)rank, (uint32_t)num_inits},
                    NUM_GROUPS);
  return NR_OK;
}

NrStatus nr_scf_parallel_parse(NrParser *p, NrOpState *state) {
  static const char *const words[] = {"=", "to", "step"};
  NrBindings ivs = {0};
  NrStatus status = nr_p_ivs(p, &ivs);
  for (size_t g = 0; g < 3 && !status; g++) {
    status = nr_p_expect(p, words[g]);
    if (!status) status = parse_operand_tuple(p, state, ivs.args.size, nr_type_index(nr_p_context(p)));
  }
  if (!status) status = parse_after_bounds(p, state, ivs.args.data, ivs.args.size);
  nr_bindings_deinit(&ivs);
  return status;
}

static void print_group(NrPrinter *w, NrOp *op, size_t group, const char *before) {
  size_t begin = 0, count = 0;
  nr_op_operand_group(op, group, &begin, &count);
  nr_w_puts(w, before);
  nr_w_puts(w, "(");
  nr_w_values(w, op, begin, count);
  nr_w_puts(w, ")");
}

const char *nr_scf_parallel_refuse_text(const NrOp *op, bool legacy) {
  bool no_init = nr_op_attr((NrOp *)op, NR_A_noInit) != NULL;
  return no_init && !legacy ? "the reduction has no initial value; give the loop one with init(..)" : NULL;
}

void nr_scf_parallel_print(NrPrinter *w, NrOp *op) {
  NrBlock *body = nr_scf_parallel_body(op);
  nr_w_puts(w, " ");
  nr_w_ivs(w, body, body->num_args);
  print_group(w, op, LOWER, " = ");
  print_group(w, op, UPPER, " to ");
  print_group(w, op, STEP, " step ");
  if (op->num_results && !nr_op_attr(op, NR_A_noInit)) print_group(w, op, INITS, " init ");
  if (!nr_w_is_legacy(w)) nr_w_arrow_results(w, op);
  nr_w_puts(w, " ");
  nr_w_region(w, nr_scf_parallel_region(op), false, op->num_results > 0 || !nr_w_is_legacy(w));
  nr_w_attr_dict(w, op, (const char *const[]){"noInit", NULL});
  if (!nr_w_is_legacy(w) || op->num_results == 0) return;
  nr_w_puts(w, " : ");
  nr_w_result_types(w, op);
}

/* ---- reduce ------------------------------------------------------------------------------------------------------ */

/* Parses one reduction of the 2020 form after its operand: `(%x) { .. } : t`, later `(%x) : t { .. }`. */
static NrStatus parse_single_reduce(NrParser *p, NrOpState *state, const NrOperandRef *refs, size_t count) {
  NrType type = NULL;
  NrStatus status;
  if (count != 1) return nr_p_op_error(p, "reduces one value at a time in this form, not %zu", count);
  if (nr_p_try(p, ":") && (status = nr_p_type(p, &type))) return status;
  if ((status = nr_p_region(p, state, NULL, 0))) return status;
  if (!type && ((status = nr_p_expect(p, ":")) || (status = nr_p_type(p, &type)))) return status;
  return nr_p_add_operand(p, state, refs[0], type);
}

NrStatus nr_scf_reduce_parse(NrParser *p, NrOpState *state) {
  NrOperandRef *refs;
  NrType *types;
  size_t count, num_types;
  NrStatus status;
  if (nr_p_try(p, "(")) {
    if ((status = nr_p_operands(p, &refs, &count))) return status;
    if (nr_p_try(p, ")")) return parse_single_reduce(p, state, refs, count);
    if ((status = nr_p_expect(p, ":")) || (status = nr_p_type_list(p, &types, &num_types)) ||
        (status = nr_p_expect(p, ")")) || (status = nr_p_add_operands(p, state, refs, count, types, num_types)))
      return status;
  }
  if (nr_p_peek(p, "{")) {
    do {
      if ((status = nr_p_region(p, state, NULL, 0))) return status;
    } while (nr_p_try(p, ","));
  }
  return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
}

static void print_legacy_reduce(NrPrinter *w, NrOp *op) {
  for (uint32_t i = 0; i < op->num_regions; i++) {
    if (i) {
      nr_w_newline(w);
      nr_w_puts(w, "loop.reduce");
    }
    nr_w_puts(w, "(");
    nr_w_value(w, nr_operand(op, i));
    nr_w_puts(w, ") ");
    nr_w_region(w, nr_op_region(op, i), true, true);
    nr_w_puts(w, " : ");
    nr_w_type(w, nr_operand(op, i)->type);
    nr_w_trailing_loc(w, op->loc); /* the parser reads the location of the first reduction, not of the yield */
  }
  nr_w_newline(w);
  nr_w_puts(w, "loop.yield");
}

void nr_scf_reduce_print(NrPrinter *w, NrOp *op) {
  if (nr_w_is_legacy(w) && op->num_regions) {
    print_legacy_reduce(w, op);
    return;
  }
  if (op->num_operands) {
    nr_w_puts(w, "(");
    nr_w_values(w, op, 0, op->num_operands);
    nr_w_puts(w, " : ");
    nr_w_operand_types(w, op, 0, op->num_operands);
    nr_w_puts(w, ")");
  }
  for (uint32_t i = 0; i < op->num_regions; i++) {
    nr_w_puts(w, i ? ", " : " ");
    nr_w_region(w, nr_op_region(op, i), true, true);
  }
  nr_w_attr_dict(w, op, NULL);
}

/* ---- conversion from the 2020 form ------------------------------------------------------------------------------- */

/* Merges all loop.reduce ops of the body into one terminator; false when nothing changes. Reductions must not have
 * results; if one has, the verifier reports it. */
static bool merge_reductions(NrOp *op, NrBlock *body) {
  NR_VEC(NrOp *) reductions = {0};
  NR_VEC(NrValue *) values = {0};
  size_t num_regions = 0;
  bool results = body->last->num_results;
  for (NrOp *inner = body->first; inner; inner = inner->next) {
    if (!nr_op_is(inner, NR_OP_scf_reduce)) continue;
    results |= inner->num_results;
    nr_vec_push(&reductions, inner);
    num_regions += inner->num_regions;
    for (uint32_t i = 0; i < inner->num_operands; i++) nr_vec_push(&values, nr_operand(inner, i));
  }
  bool yields = nr_op_is(body->last, NR_OP_scf_yield);
  bool merge = (yields || reductions.size > 1) && !results;
  if (merge) {
    NrLoc loc = reductions.size ? reductions.data[0]->loc : body->last->loc;
    if (yields) nr_op_erase(body->last);
    NrBuilder b = nr_builder_at_end(op->module, body, loc);
    NrOp *all = nr_build(&b, &(NrOpState){.info = nr_op_infos[NR_OP_scf_reduce],
                                          .operands = values.data,
                                          .num_operands = values.size,
                                          .num_regions = num_regions});
    uint32_t at = 0;
    for (size_t i = 0; i < reductions.size; i++) {
      for (uint32_t r = 0; r < reductions.data[i]->num_regions; r++)
        nr_region_take(nr_op_region(all, at++), nr_op_region(reductions.data[i], r));
      nr_op_erase(reductions.data[i]);
    }
  }
  nr_vec_deinit(&reductions);
  nr_vec_deinit(&values);
  return merge;
}

NrOp *nr_scf_combining_op(const NrBlock *block) {
  NrOp *op = block ? block->first : NULL;
  if (!op || !nr_op_has_lhs(op) || !nr_op_has_rhs(op) || op->num_operands != 2 || op->num_results != 1 ||
      block->num_args != 2 || op->next != block->last)
    return NULL;
  const NrOp *end = block->last;
  if (!nr_op_is(end, NR_OP_scf_reduce_return) || end->num_operands != 1 || end->operands[0].value != nr_op_result(op))
    return NULL;
  NrValue *a = nr_op_lhs(op), *b = nr_op_rhs(op);
  bool both = (a == block->args[0] && b == block->args[1]) || (a == block->args[1] && b == block->args[0]);
  return both && nr_op_has(op, NR_COMMUTATIVE) ? op : NULL;
}

/* Marks the loop noInit. The types must be scalars or vectors of numbers, since until the first point the loop carries
 * some value of the type. */
static NrStatus mark_without_inits(NrOp *op, NrOp *reduce) {
  NrContext *ctx = nr_op_context(op);
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrType elem = nr_type_elem(nr_result(op, i)->type);
    if ((nr_type_is_int_or_index(elem) || nr_type_is_float(elem)) && !nr_type_is_tensor(nr_result(op, i)->type) &&
        !nr_type_is_memref(nr_result(op, i)->type))
      continue;
    return nr_error(ctx, reduce->loc, "reduction #%u of '%s' needs an initial value: give the loop one with init(..)",
                    i, nr_type_text(ctx, nr_result(op, i)->type));
  }
  nr_op_set_attr(op, NR_A_noInit, nr_attr_unit(ctx));
  return NR_OK;
}

static NrStatus add_neutral_inits(NrOp *op, NrOp *reduce) {
  NrContext *ctx = nr_op_context(op);
  size_t begin, count, rank;
  if (!nr_op_operand_group(op, LOWER, &begin, &rank) || !nr_op_operand_group(op, INITS, &begin, &count)) return NR_OK;
  if (count || op->num_results == 0 || op->num_results != reduce->num_regions) return NR_OK;
  NrBuilder b = nr_builder_before(op);
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrAttr neutral = nr_combine_neutral_of(nr_scf_combining_op(nr_op_body(reduce, i)));
    if (!neutral || neutral->type != nr_result(op, i)->type) return mark_without_inits(op, reduce);
  }
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrAttr neutral = nr_combine_neutral_of(nr_scf_combining_op(nr_op_body(reduce, i)));
    nr_op_insert_operand(op, begin + i, nr_arith_constant(&b, neutral));
  }
  int32_t sizes[] = {(int32_t)rank, (int32_t)rank, (int32_t)rank, (int32_t)op->num_results};
  nr_op_set_attr(op, NR_A_operandSegmentSizes, nr_attr_dense_array(nr_type_i32(ctx), sizes, sizeof sizes));
  return NR_OK;
}

/* The example in the 2020 documentation of the dialect has reductions but no results, which violates the dialect's own
 * rule. It is accepted with a warning: the loop gets results that nothing uses. */
static NrOp *add_results(NrParser *p, NrOp *op, NrOp *reduce) {
  NrContext *ctx = nr_op_context(op);
  NR_VEC(NrType) types = {0};
  NrBuf text = {0};
  for (uint32_t i = 0; i < reduce->num_operands; i++) {
    nr_vec_push(&types, nr_operand(reduce, i)->type);
    nr_buf_printf(&text, "%s%s", i ? ", " : "", nr_type_text(ctx, types.data[i]));
  }
  nr_warning(ctx, op->loc,
             "'loop.parallel' expects number of results: 0 to be the same as number of reductions: %u; the accepted "
             "form is '%s = loop.parallel .. { .. } : %.*s'",
             reduce->num_regions, reduce->num_regions == 1 ? "%r" : "%r, ..", (int)text.size, text.data);
  NrOp *reducing = nr_scf_extend(op, NULL, 0, types.data, types.size);
  nr_vec_deinit(&types);
  nr_buf_deinit(&text);
  return reducing;
}

/* Before loops had initial values, the generic form had three operand groups of equal size. */
static void add_segments(NrParser *p, NrOp *op) {
  uint32_t rank = op->num_operands / 3;
  if (!nr_p_is_legacy(p) || nr_op_attr(op, NR_A_operandSegmentSizes) || op->num_operands % 3) return;
  nr_op_set_segments(op, (uint32_t[]){rank, rank, rank, 0}, NUM_GROUPS);
}

NrStatus nr_scf_parallel_post_parse(NrParser *p, NrOp *op) {
  add_segments(p, op);
  NrBlock *body = op->num_regions ? nr_scf_parallel_body(op) : NULL;
  if (!body || !body->last) return NR_OK;
  if (nr_op_is(body->last, NR_OP_scf_yield) && body->last->num_operands)
    return nr_op_error(body->last, "yield inside %.*s is not allowed to have operands",
                       NR_STR_ARG(nr_op_shown_name(op)));
  bool merged = merge_reductions(op, body);
  if (!nr_op_is(body->last, NR_OP_scf_reduce) || (!merged && !nr_p_is_legacy(p))) return NR_OK;
  NrOp *reduce = body->last;
  bool unnamed = nr_p_is_legacy(p) && !nr_p_is_generic(p) && op->num_results == 0;
  unnamed &= reduce->num_regions == reduce->num_operands;
  if (unnamed && reduce->num_regions) op = add_results(p, op, reduce);
  return add_neutral_inits(op, reduce);
}
