/* lanes_control.c - branches and loops of lanes; see lanes.h.
 *
 *   %r = scf.while (%x = %a) {             %r:2 = scf.while (%x = %a, %on = %mask, %s = 0) {
 *     %c = cond(%x)                          %c = cond(%x)
 *     scf.condition(%c) %x           is      %go = arith.select %on, %c, false
 *   } do {                                   %t = arith.select %on, %x, %s           the results of lanes that leave
 *   ^bb0(%x):                                %any = vector.reduction <or>, %go
 *     %y = body(%x)                          scf.condition(%any) %x, %go, %t
 *     scf.yield %y                         } do {
 *   }                                      ^bb0(%x, %go, %t):
 *                                            %y = body(%x) under %go
 *                                            scf.yield %y, %go, %t
 *                                          }
 * A loop whose condition is uniform stays as it is. An scf.for whose number of iterations varies runs as often as the
 * lane with the most, under a mask that says which lanes are not through. Lanes meet again behind each branch and loop.
 */
#include "dialect/arith/arith.h"
#include "dialect/scf/scf.h"
#include "dialect/vector/vector.h"
#include "pass/loop/lanes.h"
#include "pass/loop/loops.h"

typedef NR_VEC(NrValue *) Values;
typedef NR_VEC(NrType) Types;

/* The copy of a value, as a vector where `as` varies. */
static NrValue *form(NrLanes *l, const NrValue *value, const NrValue *as) {
  return nr_lanes_varies(l, as) ? nr_lanes_vector(l, value) : nr_lanes_value(l, value);
}

static NrType form_type(const NrLanes *l, const NrValue *value) {
  return nr_lanes_varies(l, value) ? nr_lanes_type(l, value->type) : value->type;
}

static void set(NrLanes *l, const NrValue *value, NrValue *copy) {
  copy->name = value->name;
  nr_map_set(&l->values, value, copy);
}

/* ---- branches ---------------------------------------------------------------------------------------------------- */

/* A branch that all active lanes take alike. */
static void emit_uniform_if(NrLanes *l, NrOp *op, NrValue *mask) {
  Types types = {0};
  Values yielded = {0};
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&types, form_type(l, nr_result(op, i)));
  bool has_else = nr_scf_if_else_body(op) != NULL;
  NrOp *made = nr_scf_if(&l->b, nr_lanes_value(l, nr_scf_if_condition(op)), types.data, types.size, has_else);
  NrBuilder outer = l->b;
  for (uint32_t r = 0; r < (has_else ? 2u : 1u); r++) {
    NrBlock *from = nr_op_body(op, r);
    l->b = nr_scf_body_builder(nr_op_body(made, r));
    nr_lanes_emit_block(l, from, mask);
    yielded.size = 0;
    for (uint32_t i = 0; i < op->num_results; i++)
      nr_vec_push(&yielded, form(l, nr_operand(from->last, i), nr_result(op, i)));
    nr_scf_yield(&l->b, yielded.data, yielded.size);
  }
  l->b = outer;
  for (uint32_t i = 0; i < op->num_results; i++) set(l, nr_result(op, i), nr_result(made, i));
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
    set(l, nr_result(op, i), nr_arith_select(&l->b, cond, sides[0].data[i], sides[1].data[i]));
  nr_vec_deinit(&sides[0]);
  nr_vec_deinit(&sides[1]);
}

void nr_lanes_emit_if(NrLanes *l, NrOp *op, NrValue *mask) {
  if (nr_lanes_varies(l, nr_scf_if_condition(op))) emit_varying_if(l, op, mask);
  else emit_uniform_if(l, op, mask);
}

/* ---- while ------------------------------------------------------------------------------------------------------- */

/* A loop under construction: the values at its entry and at the ends of its regions, the types of its results. */
typedef struct While {
  NrOp *op, *made;
  NrBlock *before, *after;
  Values inits, passed, yielded, rest; /* rest: the results of lanes that have left */
  Types types;
  bool diverges;
} While;

static bool has_rest(const While *w, uint32_t i) { return w->diverges && nr_value_has_uses(nr_result(w->op, i)); }

static void open_while(NrLanes *l, While *w, NrValue *mask) {
  for (uint32_t i = 0; i < w->before->num_args; i++)
    nr_vec_push(&w->inits, form(l, nr_operand(w->op, i), w->before->args[i]));
  for (uint32_t i = 0; i < w->after->num_args; i++) nr_vec_push(&w->types, form_type(l, w->after->args[i]));
  if (w->diverges) {
    nr_vec_push(&w->inits, nr_lanes_pack(l, mask ? mask : nr_lanes_all(l)));
    nr_vec_push(&w->types, nr_lanes_type(l, nr_type_i1(l->b.ctx)));
  }
  for (uint32_t i = 0; i < w->op->num_results; i++) {
    if (!has_rest(w, i)) continue;
    nr_vec_push(&w->inits, nr_lanes_zeros(l, nr_result(w->op, i)->type));
    nr_vec_push(&w->types, nr_lanes_type(l, nr_result(w->op, i)->type));
  }
  w->made = nr_scf_while(&l->b, w->inits.data, w->inits.size, w->types.data, w->types.size);
}

static void fill_before(NrLanes *l, While *w, NrValue *mask) {
  NrBlock *block = nr_scf_while_before_body(w->made);
  uint32_t count = w->before->num_args, at = count + 1;
  for (uint32_t i = 0; i < count; i++) set(l, w->before->args[i], block->args[i]);
  l->b = nr_scf_body_builder(block);
  NrValue *active = w->diverges ? nr_lanes_unpack(l, block->args[count]) : mask;
  nr_lanes_emit_block(l, w->before, active);
  NrOp *end = w->before->last;
  for (uint32_t i = 0; i < w->after->num_args; i++)
    nr_vec_push(&w->passed, form(l, nr_operand(end, i + 1), w->after->args[i]));
  NrValue *cond = nr_lanes_value(l, nr_scf_condition_condition(end));
  if (w->diverges) {
    cond = nr_lanes_where(l, active, cond);
    nr_vec_push(&w->passed, cond);
    for (uint32_t i = 0; i < w->op->num_results; i++)
      if (has_rest(w, i))
        nr_vec_push(&w->passed,
                    nr_lanes_blend(l, active, nr_lanes_vector(l, nr_operand(end, i + 1)), block->args[at++]));
    cond = nr_lanes_any(l, cond);
  }
  nr_scf_condition(&l->b, cond, w->passed.data, w->passed.size);
}

static void fill_after(NrLanes *l, While *w, NrValue *mask) {
  NrBlock *block = nr_scf_while_after_body(w->made);
  uint32_t count = w->after->num_args;
  for (uint32_t i = 0; i < count; i++) set(l, w->after->args[i], block->args[i]);
  l->b = nr_scf_body_builder(block);
  nr_lanes_emit_block(l, w->after, w->diverges ? block->args[count] : mask);
  for (uint32_t i = 0; i < w->before->num_args; i++)
    nr_vec_push(&w->yielded, form(l, nr_operand(w->after->last, i), w->before->args[i]));
  if (w->diverges) nr_vec_push(&w->yielded, nr_lanes_pack(l, block->args[count]));
  for (uint32_t i = count + 1; i < block->num_args; i++) nr_vec_push(&w->yielded, block->args[i]);
  nr_scf_yield(&l->b, w->yielded.data, w->yielded.size);
}

void nr_lanes_emit_while(NrLanes *l, NrOp *op, NrValue *mask) {
  While w = {.op = op, .before = nr_scf_while_before_body(op), .after = nr_scf_while_after_body(op),
             .diverges = nr_lanes_diverges(l, op)};
  open_while(l, &w, mask);
  NrBuilder outer = l->b;
  fill_before(l, &w, mask);
  fill_after(l, &w, mask);
  l->b = outer;
  uint32_t at = w.after->num_args + 1;
  for (uint32_t i = 0; i < op->num_results; i++) {
    if (has_rest(&w, i)) set(l, nr_result(op, i), nr_result(w.made, at++));
    else if (!w.diverges) set(l, nr_result(op, i), nr_result(w.made, i));
  }
  nr_vec_deinit(&w.inits);
  nr_vec_deinit(&w.passed);
  nr_vec_deinit(&w.yielded);
  nr_vec_deinit(&w.types);
}

/* ---- for --------------------------------------------------------------------------------------------------------- */

static void emit_uniform_for(NrLanes *l, NrOp *op, NrValue *mask) {
  NrBlock *body = nr_scf_for_body(op);
  Values values = {0};
  for (uint32_t i = 0; i < op->num_results; i++)
    nr_vec_push(&values, form(l, nr_scf_for_init(op, i), nr_scf_for_arg(op, i)));
  NrOp *made = nr_scf_for(&l->b, nr_lanes_value(l, nr_scf_for_lower_bound(op)),
                          nr_lanes_value(l, nr_scf_for_upper_bound(op)), nr_lanes_value(l, nr_scf_for_step(op)),
                          values.data, values.size);
  for (uint32_t i = 0; i < op->num_attrs; i++)
    nr_op_set_attr_named(made, op->attrs[i].name.data, op->attrs[i].value);
  NrBuilder outer = l->b;
  l->b = nr_scf_body_builder(nr_scf_for_body(made));
  for (uint32_t i = 0; i < body->num_args; i++) set(l, body->args[i], nr_scf_for_body(made)->args[i]);
  nr_lanes_emit_block(l, body, mask);
  values.size = 0;
  for (uint32_t i = 0; i < op->num_results; i++)
    nr_vec_push(&values, form(l, nr_operand(body->last, i), nr_scf_for_arg(op, i)));
  nr_scf_yield(&l->b, values.data, values.size);
  l->b = outer;
  for (uint32_t i = 0; i < op->num_results; i++) set(l, nr_result(op, i), nr_result(made, i));
  nr_vec_deinit(&values);
}

/* The number of iterations of each active lane, unsigned. */
static NrValue *trips_of(NrLanes *l, NrOp *op, NrValue *mask) {
  NrValue *lower = nr_lanes_vector(l, nr_scf_for_lower_bound(op)), *upper = nr_lanes_vector(l, nr_scf_for_upper_bound(op));
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

/* A carried value that varies keeps the last one of lanes that are through. One that is uniform among the active lanes
 * has a vector beside it, of what each lane had last; it is carried behind the others. */
static void emit_divergent_for(NrLanes *l, NrOp *op, NrValue *mask) {
  NrBlock *body = nr_scf_for_body(op);
  NrType type = nr_scf_for_iv(op)->type;
  NrValue *trips = trips_of(l, op, mask);
  NrValue *most = nr_build_reduction(&l->b, "maxui", trips, NULL, NULL);
  NrAttr largest = nr_attr_int(type, (int64_t)(UINT64_MAX >> (65 - nr_type_bits(type))));
  most = nr_arith_binary(&l->b, NR_OP_arith_minui, most, nr_arith_constant(&l->b, largest));
  Values values = {0};
  for (uint32_t i = 0; i < op->num_results; i++)
    nr_vec_push(&values, form(l, nr_scf_for_init(op, i), nr_scf_for_arg(op, i)));
  for (uint32_t i = 0; i < op->num_results; i++)
    if (!nr_lanes_varies(l, nr_scf_for_arg(op, i))) nr_vec_push(&values, nr_lanes_vector(l, nr_scf_for_init(op, i)));
  NrOp *made = nr_scf_for(&l->b, nr_arith_constant_int(&l->b, type, 0), most, nr_arith_constant_int(&l->b, type, 1),
                          values.data, values.size);
  NrBuilder outer = l->b;
  NrBlock *to = nr_scf_for_body(made);
  l->b = nr_scf_body_builder(to);
  NrValue *active = nr_arith_cmpi(&l->b, NR_CMPI_UGT, trips, nr_lanes_splat(l, to->args[0]));
  set(l, body->args[0], iv_of(l, op, to->args[0]));
  for (uint32_t i = 1; i < body->num_args; i++) set(l, body->args[i], to->args[i]);
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
    set(l, nr_result(op, i), nr_result(made, nr_lanes_varies(l, nr_scf_for_arg(op, i)) ? i : at++));
  nr_vec_deinit(&values);
}

void nr_lanes_emit_for(NrLanes *l, NrOp *op, NrValue *mask) {
  if (nr_lanes_diverges(l, op)) emit_divergent_for(l, op, mask);
  else emit_uniform_for(l, op, mask);
}
