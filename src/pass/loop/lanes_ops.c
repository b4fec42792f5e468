/* lanes_ops.c - the vector forms of ops without regions; see lanes.h. */
#include "dialect/arith/arith.h"
#include "dialect/operands.h"
#include "dialect/rt/ops.h"
#include "dialect/scf/scf.h"
#include "dialect/vector/vector.h"
#include "pass/core/rewrite.h"
#include "pass/loop/lanes.h"

static bool varies(const NrLanes *l, const NrOp *op) {
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_lanes_varies(l, nr_operand(op, i))) return true;
  return false;
}

/* Inactive lanes may compute what the program does not: flags that promise no overflow hold for active lanes only. */
static bool is_promise(NrStr name) {
  return nr_str_is(name, "overflowFlags") || nr_str_is(name, "isExact") || nr_str_is(name, "nonNeg");
}

static void emit_elementwise(NrLanes *l, NrOp *op, NrValue *mask) {
  NR_VEC(NrValue *) operands = {0};
  NR_VEC(NrType) types = {0};
  NR_VEC(NrNamedAttr) attrs = {0};
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&operands, nr_lanes_vector(l, nr_operand(op, i)));
  if (mask && !nr_op_is_speculatable(op)) { /* a division by 0, a shift by too much: by 1 in lanes that are off */
    NrValue **last = &operands.data[operands.size - 1];
    *last = nr_lanes_blend(l, mask, *last, nr_lanes_ones(l, (*last)->type->elem));
  }
  if (nr_op_has(op, NR_DIVIDES) && nr_lanes_division(op) == NR_LANES_BY_FLOATS) {
    nr_lanes_set(l, nr_op_result(op), nr_lanes_divide(l, op, operands.data[0], operands.data[1]));
    nr_vec_deinit(&operands);
    return;
  }
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&types, nr_lanes_type(l, nr_result(op, i)->type));
  for (uint32_t i = 0; i < op->num_attrs; i++)
    if (!mask || !is_promise(op->attrs[i].name)) nr_vec_push(&attrs, op->attrs[i]);
  NrOpState state = {.info = op->info, .loc = op->loc, .num_operands = operands.size, .operands = operands.data,
                     .num_results = types.size, .result_types = types.data, .num_attrs = attrs.size,
                     .attrs = attrs.data};
  NrOp *made = nr_build(&l->b, &state);
  for (uint32_t i = 0; i < op->num_results; i++) {
    nr_result(made, i)->name = nr_result(op, i)->name;
    nr_map_set(&l->values, nr_result(op, i), nr_result(made, i));
  }
  nr_vec_deinit(&operands);
  nr_vec_deinit(&types);
  nr_vec_deinit(&attrs);
}

/* A check passes when it does in all active lanes. If not, the first lane that fails is reported, with its values. */
static void emit_check(NrLanes *l, NrOp *op, NrValue *mask) {
  NrValue *cond = nr_lanes_vector(l, nr_rt_check_cond(op));
  NrValue *failing = nr_lanes_where_not(l, mask, cond);
  NrOp *branch = nr_scf_if(&l->b, nr_lanes_any(l, failing), NULL, 0, false);
  branch->loc = op->loc;
  NrBuilder outer = l->b;
  l->b = nr_scf_body_builder(nr_scf_if_then_body(branch));
  NR_VEC(NrValue *) operands = {0};
  nr_vec_push(&operands, nr_arith_constant(&l->b, nr_attr_bool(l->b.ctx, false)));
  NrValue *none = nr_lanes_splat(l, nr_arith_constant_index(&l->b, l->count - 1));
  NrValue *lane = nr_lanes_reduce(l, "minui", nr_lanes_blend(l, failing, nr_lanes_numbers(l), none), NULL);
  for (uint32_t i = 1; i < op->num_operands; i++) {
    NrValue *value = nr_lanes_value(l, nr_operand(op, i));
    bool vector = value->type->kind == NR_TYPE_VECTOR;
    if (vector) value = nr_build_vector_extract(&l->b, nr_lanes_flat(l, value), &(NrIndex){lane, 0}, 1);
    nr_vec_push(&operands, value);
  }
  NrOpState state = {.info = op->info, .loc = op->loc, .num_operands = operands.size, .operands = operands.data,
                     .num_attrs = op->num_attrs, .attrs = op->attrs};
  nr_build(&l->b, &state);
  nr_scf_yield(&l->b, NULL, 0);
  nr_vec_deinit(&operands);
  l->b = outer;
}

/* Copies a uniform op as it is. */
static void emit_scalar(NrLanes *l, NrOp *op) { nr_builder_insert(&l->b, nr_op_clone(l->module, op, &l->values)); }

void nr_lanes_emit_op(NrLanes *l, NrOp *op, NrValue *mask) {
  l->b.loc = op->loc;
  switch (op->info->id) {
  case NR_OP_scf_if: nr_lanes_emit_if(l, op, mask); break;
  case NR_OP_scf_while: nr_lanes_emit_while(l, op, mask); break;
  case NR_OP_scf_for: nr_lanes_emit_for(l, op, mask); break;
  default:
    if (!varies(l, op)) emit_scalar(l, op);
    else if (nr_op_is(op, NR_OP_rt_check)) emit_check(l, op, mask);
    else if (nr_op_has(op, NR_ELEMENTWISE)) emit_elementwise(l, op, mask);
    else nr_lanes_emit_access(l, op, mask);
  }
}

void nr_lanes_emit_block(NrLanes *l, NrBlock *block, NrValue *mask) {
  for (NrOp *op = block->first; op != block->last; op = op->next) nr_lanes_emit_op(l, op, mask);
}
