/* prover_dims.c - dims of tensors and memrefs as sums of atoms; see prover.h. */
#include "dialect/linalg/linalg.h"
#include "dialect/scf/scf.h"
#include "dialect/tensor/tensor.h"
#include "pass/analysis/prover_state.h"

/* For an argument or result of an scf.for: its initial value, its argument, and the value that the loop yields for
 * it. */
static bool carried(NrValue *value, NrValue **out_init, NrValue **out_arg, NrValue **out_next) {
  NrOp *loop = value->op ? value->op : nr_block_parent_op(value->block);
  if (!nr_op_is(loop, NR_OP_scf_for) || (!value->op && value->index == 0)) return false;
  uint32_t i = value->op ? value->index : value->index - 1;
  NrOp *yield = nr_block_terminator(nr_scf_for_body(loop));
  if (!yield || i >= yield->num_operands) return false;
  *out_init = nr_scf_for_init(loop, i);
  *out_arg = nr_scf_for_arg(loop, i);
  *out_next = nr_operand(yield, i);
  return true;
}

/* An operand whose shape the op's result has by definition; NULL: none. */
static NrValue *same_shape_as(NrValue *tensor) {
  NrOp *op = tensor->op;
  NrValue *destination = op ? nr_op_destination(op, tensor->index) : NULL;
  if (destination) return destination;
  switch (op ? op->info->id : 0) {
  case NR_OP_tensor_cast: return nr_type_is_ranked(nr_tensor_cast_source(op)->type) ? nr_tensor_cast_source(op) : NULL;
  default:
    if (!op || !nr_op_has(op, NR_ELEMENTWISE) || nr_op_selects_whole(op)) return NULL;
    for (uint32_t i = 0; i < op->num_operands; i++)
      if (nr_operand(op, i)->type->kind == NR_TYPE_TENSOR) return nr_operand(op, i);
    return NULL;
  }
}

/* Whether every iteration yields a tensor of the argument's shape. */
static bool keeps_shape(NrValue *arg, NrValue *next) {
  for (int steps = 0; next != arg; steps++) {
    NrValue *init, *inner, *after, *same = same_shape_as(next);
    if (steps == NR_PROVER_MAX_NESTING) return false;
    if (!same && next->op && carried(next, &init, &inner, &after) && keeps_shape(inner, after)) same = init;
    if (!same) return false;
    next = same;
  }
  return true;
}

static NrSum group_product(NrProver *p, NrValue *source, const NrGroups *groups, uint32_t g) {
  NrSum product = nr_sum_constant(1);
  for (uint32_t i = 0; i < groups->size[g]; i++) {
    NrSum dim = nr_prover_dim(p, source, groups->begin[g] + i);
    product = nr_sum_mul(&product, &dim);
  }
  return product;
}

static NrSum of_pad(NrProver *p, NrOp *op, uint32_t d) {
  NrSum sum = nr_prover_dim(p, nr_tensor_pad_source(op), d);
  for (size_t k = 0; k < 2; k++) {
    NrSum pad = nr_prover_index(p, nr_index_list_get(op, nr_pad_slots[k], d));
    sum = nr_sum_add(&sum, 1, &pad);
  }
  return sum;
}

static NrSum of_concat(NrProver *p, NrOp *op, uint32_t d) {
  const uint32_t first = NR_TENSOR_CONCAT_INPUTS;
  NrSum sum = nr_prover_dim(p, nr_operand(op, first), d);
  for (uint32_t i = first + 1; i < op->num_operands && d == (uint32_t)nr_op_attr_int(op, NR_A_dim, 0); i++) {
    NrSum next = nr_prover_dim(p, nr_operand(op, i), d);
    sum = nr_sum_add(&sum, 1, &next);
  }
  return sum;
}

/* The dim of an scf.if's result, if both branches agree. */
static NrSum of_branches(NrProver *p, NrOp *op, NrValue *result, uint32_t d) {
  NrOp *yields[2];
  for (uint32_t i = 0; i < 2; i++) {
    const NrBlock *body = nr_op_body(op, i);
    yields[i] = body ? nr_block_terminator(body) : NULL;
    if (!yields[i] || result->index >= yields[i]->num_operands) return (NrSum){0};
  }
  NrSum x = nr_prover_dim(p, nr_operand(yields[0], result->index), d);
  NrSum y = nr_prover_dim(p, nr_operand(yields[1], result->index), d), gap = nr_sum_add(&x, -1, &y);
  return nr_sum_is_constant(&gap, 0) && !nr_prover_is_inside(p, &x, UINT32_MAX, op) ? x : (NrSum){0};
}

static NrSum dim_of_op(NrProver *p, NrValue *tensor, uint32_t d) {
  NrOp *op = tensor->op;
  NrValue *init, *arg, *next, *same = same_shape_as(tensor);
  NrIndex index;
  NrGroups groups;
  if (same) return nr_prover_dim(p, same, d);
  if (carried(tensor, &init, &arg, &next)) return keeps_shape(arg, next) ? nr_prover_dim(p, init, d) : (NrSum){0};
  switch (op ? op->info->id : 0) {
  case 0: return (NrSum){0};
  case NR_OP_tensor_collapse_shape:
    return nr_groups_of(op, &groups) && d < groups.count
               ? group_product(p, nr_tensor_collapse_shape_source(op), &groups, d)
               : (NrSum){0};
  case NR_OP_tensor_pad: return of_pad(p, op, d);
  case NR_OP_tensor_concat: return of_concat(p, op, d);
  case NR_OP_scf_if: return of_branches(p, op, tensor, d);
  default: return nr_dim_of(tensor, d, &index) ? nr_prover_index(p, index) : (NrSum){0};
  }
}

/* The greatest size of a dim that the type leaves open. Where it is the only one and no other is 0, the tensor has that
 * many elements times the static dims; an empty tensor may have any dim beside one of 0. */
static int64_t max_of_dim(NrType type) {
  int64_t rest = 1;
  uint32_t open = 0;
  for (uint32_t d = 0; d < type->rank; d++) {
    if (type->dims[d] == 0) return NR_MAX_DIM;
    if (type->dims[d] == NR_DYNAMIC) open++;
    else rest = nr_mul_i64_saturated(rest, type->dims[d]);
  }
  return open == 1 ? NR_MAX_DIM / rest : NR_MAX_DIM;
}

NrSum nr_prover_dim(NrProver *p, NrValue *shaped, uint32_t dim) {
  NrType type = shaped->type;
  bool fresh;
  if (type->dims[dim] != NR_DYNAMIC) return nr_sum_constant(type->dims[dim]);
  NrSum **cached = nr_map_get(&p->dims, shaped);
  if (!cached) {
    cached = NR_NEW_ARRAY(&p->arena, NrSum *, type->rank);
    nr_map_set(&p->dims, shaped, cached);
  }
  if (cached[dim]) return *cached[dim];
  bool deep = p->nesting >= NR_PROVER_MAX_NESTING, used_facts = p->used_facts;
  p->used_facts = false;
  p->nesting++;
  NrSum sum = deep ? (NrSum){0} : dim_of_op(p, shaped, dim);
  p->nesting--;
  deep |= p->used_facts; /* not cached: the facts may be dropped */
  p->used_facts |= used_facts;
  if (!sum.known) {
    uint32_t number = nr_prover_atom(p, shaped, dim, &fresh);
    p->atoms.data[number].min = 0;
    p->atoms.data[number].max = max_of_dim(type);
    sum = nr_sum_atom(number);
  }
  if (!deep) cached[dim] = nr_arena_copy(&p->arena, &sum, sizeof sum);
  return sum;
}
