/* lanes_control.c - branches and counted loops of lanes; see lanes.h.
 *
 *   scf.if %c { x } else { y }     %c uniform: the branch stays
 *                                  %c varies: scf.if any lane of (%mask and %c) { x under it }, then the same for
 *                                             (%mask and not %c) and y; cheap sides without a branch
 *   scf.index_switch               a chain of scf.if
 *   scf.for %i = %a to %b { x }    the number of iterations varies: scf.for %n = 0 to the most of any lane {
 *                                    x under the mask of lanes that have more than %n iterations }
 * Lanes meet again behind each branch and loop. */
#include "dialect/arith/arith.h"
#include "dialect/scf/canonicalize.h"
#include "dialect/scf/scf.h"
#include "dialect/vector/vector.h"
#include "pass/core/rewrite.h"
#include "pass/loop/lanes.h"
#include "pass/loop/loops.h"
#include "pass/loop/parallel.h"

typedef NR_VEC(NrValue *) Values;
typedef NR_VEC(NrType) Types;

/* ---- branches ---------------------------------------------------------------------------------------------------- */

/* Whether arg, an index, has this value. Compares the integer that arg is a cast of, whose vectors are shorter. */
static NrValue *is_case(NrBuilder *b, NrValue *arg, int64_t value) {
  NrValue *from = nr_op_is(arg->op, NR_OP_arith_index_cast) ? nr_op_only_operand(arg->op) : NULL;
  if (from && nr_type_bits(from->type) <= 64) {
    uint32_t unused = 64 - nr_type_bits(from->type);
    if ((int64_t)((uint64_t)value << unused) >> unused == value) arg = from;
  }
  return nr_arith_cmpi(b, NR_CMPI_EQ, arg, nr_arith_constant_int(b, arg->type, value));
}

static void replace_body(NrRegion *region, NrRegion *by) {
  nr_block_erase(region->first);
  nr_region_take(region, by);
}

/*   scf.index_switch %a                     scf.if %a == 3 { x } else {
 *   case 3 { x } case 5 { y }        is       scf.if %a == 5 { y } else { z } }
 *   default { z } */
static void expand_switch(NrOp *op) {
  const int64_t *cases = nr_op_attr(op, NR_A_cases)->data;
  NrBuilder b = nr_builder_before(op);
  Types types = {0};
  Values yielded = {0};
  NrOp *outer = NULL;
  if (op->num_regions == 1) {
    nr_scf_replace_by_taken(op, nr_scf_index_switch_default_body(op));
    return;
  }
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&types, nr_result(op, i)->type);
  for (uint32_t r = 1; r < op->num_regions; r++) {
    NrValue *cond = is_case(&b, nr_scf_index_switch_arg(op), cases[r - 1]);
    NrOp *branch = nr_scf_if(&b, cond, types.data, types.size, true);
    replace_body(nr_scf_if_then_region(branch), nr_op_region(op, r));
    for (uint32_t i = 0; outer && i < op->num_results; i++) nr_vec_push(&yielded, nr_result(branch, i));
    if (outer) nr_scf_yield(&b, yielded.data, yielded.size);
    else outer = branch;
    yielded.size = 0;
    if (r + 1 == op->num_regions)
      replace_body(nr_scf_if_else_region(branch), nr_scf_index_switch_default_region(op));
    else b = nr_scf_body_builder(nr_scf_if_else_body(branch));
  }
  nr_replace_loop(op, outer);
  nr_vec_deinit(&types);
  nr_vec_deinit(&yielded);
}

void nr_lanes_expand_switches(NrOp *loop) {
  NrOpList ops = {0};
  nr_collect_ops(loop, &ops);
  for (size_t i = 0; i < ops.size; i++)
    if (nr_op_is(ops.data[i], NR_OP_scf_index_switch)) expand_switch(ops.data[i]);
  nr_vec_deinit(&ops);
}

/* A branch that all active lanes take alike. */
static void emit_uniform_if(NrLanes *l, NrOp *op, NrValue *mask) {
  Types types = {0};
  Values yielded = {0};
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&types, nr_lanes_form_type(l, nr_result(op, i)));
  bool has_else = nr_scf_if_else_body(op) != NULL;
  NrOp *made = nr_scf_if(&l->b, nr_lanes_value(l, nr_scf_if_condition(op)), types.data, types.size, has_else);
  NrBuilder outer = l->b;
  for (uint32_t r = 0; r < (has_else ? 2u : 1u); r++) {
    NrBlock *from = nr_op_body(op, r);
    l->b = nr_scf_body_builder(nr_op_body(made, r));
    nr_lanes_emit_block(l, from, mask);
    yielded.size = 0;
    for (uint32_t i = 0; i < op->num_results; i++)
      nr_vec_push(&yielded, nr_lanes_form(l, nr_operand(from->last, i), nr_result(op, i)));
    nr_scf_yield(&l->b, yielded.data, yielded.size);
  }
  l->b = outer;
  for (uint32_t i = 0; i < op->num_results; i++) nr_lanes_set(l, nr_result(op, i), nr_result(made, i));
  nr_vec_deinit(&types);
  nr_vec_deinit(&yielded);
}

/* Runs a side of a branch in the lanes of mask, if there is one. out: what it yields, as vectors. */
static void emit_side(NrLanes *l, NrOp *op, NrBlock *side, NrValue *mask, NrValue **out) {
  Types types = {0};
  Values yielded = {0};
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&types, nr_lanes_type(l, nr_result(op, i)->type));
  NrOp *made = nr_scf_if(&l->b, nr_lanes_any(l, mask), types.data, types.size, types.size > 0);
  NrBuilder outer = l->b;
  l->b = nr_scf_body_builder(nr_scf_if_then_body(made));
  nr_lanes_emit_block(l, side, mask);
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&yielded, nr_lanes_vector(l, nr_operand(side->last, i)));
  nr_scf_yield(&l->b, yielded.data, yielded.size);
  if (types.size) {
    l->b = nr_scf_body_builder(nr_scf_if_else_body(made));
    for (uint32_t i = 0; i < op->num_results; i++) yielded.data[i] = nr_lanes_zeros(l, nr_result(op, i)->type);
    nr_scf_yield(&l->b, yielded.data, yielded.size);
  }
  l->b = outer;
  for (uint32_t i = 0; i < op->num_results; i++) out[i] = nr_result(made, i);
  nr_vec_deinit(&types);
  nr_vec_deinit(&yielded);
}

static void emit_varying_if(NrLanes *l, NrOp *op, NrValue *mask) {
  NrValue *cond = nr_lanes_vector(l, nr_scf_if_condition(op));
  bool predicated = nr_lanes_is_predicated(op);
  Values sides[2] = {{0}, {0}};
  for (uint32_t r = 0; r < op->num_regions; r++) {
    NrBlock *side = nr_op_body(op, r);
    if (!side) continue;
    for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&sides[r], NULL);
    if (side->first == side->last || predicated) {
      nr_lanes_emit_block(l, side, mask);
      for (uint32_t i = 0; i < op->num_results; i++)
        sides[r].data[i] = nr_lanes_vector(l, nr_operand(side->last, i));
      continue;
    }
    NrValue *active = r ? nr_lanes_where_not(l, mask, cond) : nr_lanes_where(l, mask, cond);
    emit_side(l, op, side, active, sides[r].data);
  }
  for (uint32_t i = 0; i < op->num_results; i++)
    nr_lanes_set(l, nr_result(op, i), nr_arith_select(&l->b, cond, sides[0].data[i], sides[1].data[i]));
  nr_vec_deinit(&sides[0]);
  nr_vec_deinit(&sides[1]);
}

void nr_lanes_emit_if(NrLanes *l, NrOp *op, NrValue *mask) {
  if (nr_lanes_varies(l, nr_scf_if_condition(op))) emit_varying_if(l, op, mask);
  else emit_uniform_if(l, op, mask);
}

/* ---- for --------------------------------------------------------------------------------------------------------- */

static void emit_uniform_for(NrLanes *l, NrOp *op, NrValue *mask) {
  NrBlock *body = nr_scf_for_body(op);
  Values values = {0};
  for (uint32_t i = 0; i < op->num_results; i++)
    nr_vec_push(&values, nr_lanes_form(l, nr_scf_for_init(op, i), nr_scf_for_arg(op, i)));
  NrOp *made = nr_scf_for(&l->b, nr_lanes_value(l, nr_scf_for_lower_bound(op)),
                          nr_lanes_value(l, nr_scf_for_upper_bound(op)), nr_lanes_value(l, nr_scf_for_step(op)),
                          values.data, values.size);
  for (uint32_t i = 0; i < op->num_attrs; i++)
    nr_op_set_attr_named(made, op->attrs[i].name.data, op->attrs[i].value);
  NrBuilder outer = l->b;
  l->b = nr_scf_body_builder(nr_scf_for_body(made));
  for (uint32_t i = 0; i < body->num_args; i++) nr_lanes_set(l, body->args[i], nr_scf_for_body(made)->args[i]);
  nr_lanes_emit_block(l, body, mask);
  values.size = 0;
  for (uint32_t i = 0; i < op->num_results; i++)
    nr_vec_push(&values, nr_lanes_form(l, nr_operand(body->last, i), nr_scf_for_arg(op, i)));
  nr_scf_yield(&l->b, values.data, values.size);
  l->b = outer;
  for (uint32_t i = 0; i < op->num_results; i++) nr_lanes_set(l, nr_result(op, i), nr_result(made, i));
  nr_vec_deinit(&values);
}

/* The number of iterations of each active lane, unsigned. */
static NrValue *trips_of(NrLanes *l, NrOp *op, NrValue *mask) {
  NrValue *lower = nr_lanes_vector(l, nr_scf_for_lower_bound(op));
  NrValue *upper = nr_lanes_vector(l, nr_scf_for_upper_bound(op));
  NrType type = lower->type->elem;
  NrValue *runs = nr_arith_cmpi(&l->b, nr_is_unsigned_for(op) ? NR_CMPI_ULT : NR_CMPI_SLT, lower, upper);
  NrValue *trips = nr_arith_binary(&l->b, NR_OP_arith_subi, upper, lower);
  int64_t step;
  if (!nr_value_constant_int(nr_scf_for_step(op), &step) || step != 1) {
    NrValue *one = nr_lanes_ones(l, type);
    NrValue *by = nr_lanes_blend(l, mask, nr_lanes_vector(l, nr_scf_for_step(op)), one);
    NrValue *last = nr_arith_binary(&l->b, NR_OP_arith_subi, trips, one);
    last = nr_arith_binary(&l->b, NR_OP_arith_divui, last, by);
    trips = nr_arith_binary(&l->b, NR_OP_arith_addi, last, one);
  }
  return nr_arith_select(&l->b, nr_lanes_where(l, mask, runs), trips, nr_lanes_zeros(l, type));
}

/* The induction variable in iteration n. */
static NrValue *iv_of(NrLanes *l, NrOp *op, NrValue *n) {
  bool vector = nr_lanes_varies(l, nr_scf_for_iv(op));
  NrValue *lower = nr_scf_for_lower_bound(op), *step = nr_scf_for_step(op);
  int64_t by;
  NrValue *far = vector ? nr_lanes_splat(l, n) : n;
  if (!nr_value_constant_int(step, &by) || by != 1)
    far = nr_arith_binary(&l->b, NR_OP_arith_muli, far, vector ? nr_lanes_vector(l, step) : nr_lanes_value(l, step));
  return nr_arith_binary(&l->b, NR_OP_arith_addi, far, vector ? nr_lanes_vector(l, lower) : nr_lanes_value(l, lower));
}

/* A lane that has ended keeps its last value of what the loop carries. A carried value that is the same in all active
 * lanes stays a scalar; a vector with each lane's last value of it is carried too, behind the others. */
static void emit_divergent_for(NrLanes *l, NrOp *op, NrValue *mask) {
  NrBlock *body = nr_scf_for_body(op);
  NrType type = nr_scf_for_iv(op)->type;
  NrValue *trips = trips_of(l, op, mask);
  NrValue *most = nr_lanes_reduce(l, "maxui", trips, NULL);
  NrAttr largest = nr_attr_int(type, (int64_t)(UINT64_MAX >> (65 - nr_type_bits(type))));
  most = nr_arith_binary(&l->b, NR_OP_arith_minui, most, nr_arith_constant(&l->b, largest));
  Values values = {0};
  for (uint32_t i = 0; i < op->num_results; i++)
    nr_vec_push(&values, nr_lanes_form(l, nr_scf_for_init(op, i), nr_scf_for_arg(op, i)));
  for (uint32_t i = 0; i < op->num_results; i++)
    if (!nr_lanes_varies(l, nr_scf_for_arg(op, i))) nr_vec_push(&values, nr_lanes_vector(l, nr_scf_for_init(op, i)));
  NrOp *made = nr_scf_for(&l->b, nr_arith_constant_int(&l->b, type, 0), most, nr_arith_constant_int(&l->b, type, 1),
                          values.data, values.size);
  NrBuilder outer = l->b;
  NrBlock *to = nr_scf_for_body(made);
  l->b = nr_scf_body_builder(to);
  NrValue *active = nr_arith_cmpi(&l->b, NR_CMPI_UGT, trips, nr_lanes_splat(l, to->args[0]));
  nr_lanes_set(l, body->args[0], iv_of(l, op, to->args[0]));
  for (uint32_t i = 1; i < body->num_args; i++) nr_lanes_set(l, body->args[i], to->args[i]);
  nr_lanes_emit_block(l, body, active);
  uint32_t at = body->num_args;
  values.size = 0;
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrValue *arg = nr_scf_for_arg(op, i), *next = nr_operand(body->last, i);
    bool varies = nr_lanes_varies(l, arg);
    nr_vec_push(&values, varies ? nr_lanes_blend(l, active, nr_lanes_vector(l, next), nr_lanes_value(l, arg))
                                : nr_lanes_value(l, next));
  }
  for (uint32_t i = 0; i < op->num_results; i++)
    if (!nr_lanes_varies(l, nr_scf_for_arg(op, i)))
      nr_vec_push(&values, nr_lanes_blend(l, active, nr_lanes_vector(l, nr_operand(body->last, i)), to->args[at++]));
  nr_scf_yield(&l->b, values.data, values.size);
  l->b = outer;
  at = op->num_results;
  for (uint32_t i = 0; i < op->num_results; i++)
    nr_lanes_set(l, nr_result(op, i), nr_result(made, nr_lanes_varies(l, nr_scf_for_arg(op, i)) ? i : at++));
  nr_vec_deinit(&values);
}

void nr_lanes_emit_for(NrLanes *l, NrOp *op, NrValue *mask) {
  if (nr_lanes_diverges(l, op)) emit_divergent_for(l, op, mask);
  else emit_uniform_for(l, op, mask);
}
