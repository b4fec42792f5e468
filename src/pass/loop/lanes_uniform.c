/* lanes_uniform.c - which values of a loop's body differ between lanes, and what has no vector form; see lanes.h.
 *
 *   scf.parallel (%i) = ..  {
 *     %x = memref.load %m[%i]                           varies: %i does
 *     scf.while (%k = %c0, %y = %x) {                   diverges: its condition varies
 *       %c = arith.cmpf olt, %y, %z                     varies
 *       scf.condition(%c) ..
 *     } do { %k1 = arith.addi %k, %c1 ..                uniform: all active lanes are in the same iteration
 *
 * The results of a loop that diverges vary, because lanes leave it in different iterations. Inside of it, values that
 * depend on the number of the iteration only are uniform among the active lanes. */
#include "dialect/arith/arith.h"
#include "dialect/operands.h"
#include "dialect/rt/ops.h"
#include "dialect/scf/scf.h"
#include "dialect/shared/shaped.h"
#include "pass/core/rewrite.h"
#include "pass/loop/lanes.h"
#include "pass/loop/parallel.h"
#include "target/cost.h"

/* ---- varying values ---------------------------------------------------------------------------------------------- */

typedef struct Marker {
  NrLanes *l;
  bool changed, settled; /* settled: all that must vary is marked */
} Marker;

static void mark(Marker *m, NrValue *value) {
  if (nr_lanes_varies(m->l, value)) return;
  nr_map_set(&m->l->varying, value, value);
  m->changed = true;
}

static void mark_if(Marker *m, NrValue *value, const NrValue *from) {
  if (nr_lanes_varies(m->l, from)) mark(m, value);
}

static bool any_operand_varies(const NrLanes *l, const NrOp *op) {
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_lanes_varies(l, nr_operand(op, i))) return true;
  return false;
}

bool nr_lanes_diverges(const NrLanes *l, const NrOp *loop) {
  if (nr_op_is(loop, NR_OP_scf_while))
    return nr_lanes_varies(l, nr_scf_condition_condition(nr_scf_while_before_body(loop)->last));
  for (uint32_t i = 0; i < NR_SCF_FOR_INIT_ARGS; i++)
    if (nr_lanes_varies(l, nr_operand(loop, i))) return true;
  return false;
}

static void visit_block(Marker *m, NrBlock *block);

static void visit_while(Marker *m, NrOp *op) {
  NrBlock *before = nr_scf_while_before_body(op), *after = nr_scf_while_after_body(op);
  for (uint32_t i = 0; i < before->num_args; i++) mark_if(m, before->args[i], nr_operand(op, i));
  visit_block(m, before);
  for (uint32_t i = 0; i < after->num_args; i++)
    mark_if(m, after->args[i], nr_operand(before->last, NR_SCF_CONDITION_ARGS + i));
  visit_block(m, after);
  for (uint32_t i = 0; i < before->num_args; i++) mark_if(m, before->args[i], nr_operand(after->last, i));
  bool diverges = nr_lanes_diverges(m->l, op);
  for (uint32_t i = 0; i < op->num_results; i++) {
    bool varies = nr_lanes_varies(m->l, nr_operand(before->last, NR_SCF_CONDITION_ARGS + i));
    if (diverges || varies) mark(m, nr_result(op, i));
  }
  for (uint32_t i = 0; m->settled && i < before->num_args; i++)
    if (!nr_lanes_varies(m->l, before->args[i]) && nr_lanes_wants_vector(m->l, op, i)) mark(m, before->args[i]);
}

static void visit_for(Marker *m, NrOp *op) {
  NrBlock *body = nr_scf_for_body(op);
  mark_if(m, body->args[0], nr_scf_for_lower_bound(op));
  mark_if(m, body->args[0], nr_scf_for_step(op));
  for (uint32_t i = 0; i < op->num_results; i++) mark_if(m, nr_scf_for_arg(op, i), nr_scf_for_init(op, i));
  visit_block(m, body);
  bool diverges = nr_lanes_diverges(m->l, op);
  for (uint32_t i = 0; i < op->num_results; i++) {
    mark_if(m, nr_scf_for_arg(op, i), nr_operand(body->last, i));
    if (diverges || nr_lanes_varies(m->l, nr_scf_for_arg(op, i))) mark(m, nr_result(op, i));
  }
}

static void visit_branch(Marker *m, NrOp *op) {
  bool varies = nr_lanes_varies(m->l, nr_lanes_choice(op));
  for (uint32_t r = 0; r < op->num_regions; r++)
    if (nr_op_body(op, r)) visit_block(m, nr_op_body(op, r));
  for (uint32_t i = 0; i < op->num_results; i++) {
    for (uint32_t r = 0; r < op->num_regions; r++) mark_if(m, nr_result(op, i), nr_operand(nr_op_body(op, r)->last, i));
    if (varies) mark(m, nr_result(op, i));
  }
}

static void visit_block(Marker *m, NrBlock *block) {
  for (NrOp *op = block->first; op; op = op->next) {
    if (nr_op_is(op, NR_OP_scf_while)) visit_while(m, op);
    else if (nr_op_is(op, NR_OP_scf_for)) visit_for(m, op);
    else if (nr_lanes_choice(op)) visit_branch(m, op);
    else if (any_operand_varies(m->l, op))
      for (uint32_t i = 0; i < op->num_results; i++) mark(m, nr_result(op, i));
  }
}

void nr_lanes_find_varying(NrLanes *l) {
  Marker m = {.l = l};
  mark(&m, l->iv);
  do { /* what a loop carries from its end to its beginning needs another round */
    m.settled = !m.changed;
    m.changed = false;
    visit_block(&m, l->body);
  } while (m.changed || !m.settled);
}

static bool block_diverges(const NrLanes *l, NrBlock *block, bool varying_branch) {
  for (NrOp *op = block->first; op; op = op->next) {
    bool loops = nr_op_is(op, NR_OP_scf_while) || nr_op_is(op, NR_OP_scf_for);
    if (loops && (varying_branch || nr_lanes_diverges(l, op))) return true;
    bool branches = nr_lanes_choice(op) && nr_lanes_varies(l, nr_lanes_choice(op));
    for (uint32_t r = 0; r < op->num_regions; r++)
      if (nr_op_body(op, r) && block_diverges(l, nr_op_body(op, r), varying_branch || branches)) return true;
  }
  return false;
}

bool nr_lanes_have_divergent_loop(const NrLanes *l) { return block_diverges(l, l->body, false); }

bool nr_lanes_loop_diverges(const NrLanes *l, NrOp *loop) {
  if (nr_lanes_diverges(l, loop)) return true;
  for (NrOp *around = nr_op_parent(loop); around != l->loop; around = nr_op_parent(around))
    if (nr_lanes_choice(around) && nr_lanes_varies(l, nr_lanes_choice(around))) return true;
  for (uint32_t r = 0; r < loop->num_regions; r++)
    if (nr_op_body(loop, r) && block_diverges(l, nr_op_body(loop, r), false)) return true;
  return false;
}

static bool block_has_branching_function(const NrLanes *l, NrBlock *block) {
  for (NrOp *op = block->first; op; op = op->next) {
    if (nr_cost_branches(op) && nr_type_is_scalar(nr_op_operand_type(op)) && any_operand_varies(l, op)) return true;
    for (uint32_t r = 0; nr_lanes_choice(op) && r < op->num_regions; r++)
      if (nr_op_body(op, r) && block_has_branching_function(l, nr_op_body(op, r))) return true;
  }
  return false;
}

bool nr_lanes_have_branching_function(const NrLanes *l) { return block_has_branching_function(l, l->body); }

/* ---- rows in memory ---------------------------------------------------------------------------------------------- */

/* Whether the index is the induction variable plus a uniform number, in 64 bits. */
static bool is_adjacent(const NrLanes *l, const NrValue *index) {
  if (index == l->iv) return l->adjacent;
  NrOp *op = index->op;
  if (!op || !nr_lanes_varies(l, index)) return false;
  switch (op->info->id) {
  case NR_OP_arith_addi:
    if (is_adjacent(l, nr_op_rhs(op))) return !nr_lanes_varies(l, nr_op_lhs(op));
    return is_adjacent(l, nr_op_lhs(op)) && !nr_lanes_varies(l, nr_op_rhs(op));
  case NR_OP_arith_subi: return is_adjacent(l, nr_op_lhs(op)) && !nr_lanes_varies(l, nr_op_rhs(op));
  case NR_OP_arith_index_cast:
    return nr_type_bits(nr_op_result(op)->type) == 64 && nr_type_bits(nr_op_operand_type(op)) == 64 &&
           is_adjacent(l, nr_op_only_operand(op));
  default: return false;
  }
}

bool nr_lanes_is_row(const NrLanes *l, const NrOp *access) {
  NrGroup indices = nr_op_indices(access);
  NrType type = nr_op_memref(access)->type;
  int64_t strides[NR_MAX_RANK], offset;
  for (size_t i = 0; i + 1 < indices.count; i++)
    if (nr_lanes_varies(l, nr_operand(access, indices.begin + i))) return false;
  return indices.count && nr_memref_strides(type, strides, &offset) && strides[type->rank - 1] == 1 &&
         is_adjacent(l, nr_operand(access, indices.begin + indices.count - 1));
}

/* ---- what has a vector form -------------------------------------------------------------------------------------- */

static bool is_lane_type(NrType type) {
  if (nr_type_is_int(type)) return type->width <= 64 && type->signedness == NR_SIGNLESS;
  return nr_type_is_index(type) || nr_type_is_float(type);
}

static const char *refuse_access(const NrLanes *l, NrOp *op) {
  NrType type = nr_op_memref(op)->type;
  int64_t strides[NR_MAX_RANK], offset;
  if (nr_lanes_varies(l, nr_op_memref(op))) return "accesses a different buffer in each lane";
  if (!is_lane_type(type->elem)) return "accesses elements of a type that vectors of lanes do not have";
  if (!nr_memref_strides(type, strides, &offset)) return "accesses a buffer without strides";
  return NULL;
}

static const char *refuse_op(NrLanes *l, NrOp *op) {
  switch (op->info->id) {
  case NR_OP_memref_load:
  case NR_OP_memref_store: return refuse_access(l, op);
  case NR_OP_scf_if:
  case NR_OP_scf_index_switch:
  case NR_OP_scf_while:
  case NR_OP_scf_for:
  case NR_OP_rt_check:
  case NR_OP_rt_poll: break;
  default:
    if (nr_op_has(op, NR_TERMINATOR)) break;
    if (op->num_regions) return "has no form in lanes";
    if (nr_op_has(op, NR_CALL)) return "calls a function";
    if (nr_op_has(op, NR_ALLOCATES) || nr_op_has(op, NR_FREES)) return "allocates memory in each iteration";
    if (!nr_op_is_pure(op)) return "has effects that have no form in lanes";
    if (!any_operand_varies(l, op)) return NULL;
    if (!nr_op_has(op, NR_ELEMENTWISE)) return "has no form in lanes";
  }
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *value = nr_operand(op, i);
    if (nr_lanes_varies(l, value) && !is_lane_type(value->type)) return "has values of a type that vectors lack";
  }
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrValue *value = nr_result(op, i);
    if (nr_lanes_varies(l, value) && !is_lane_type(value->type)) return "has values of a type that vectors lack";
  }
  return NULL;
}

static const char *refuse_block(NrLanes *l, NrBlock *block, NrOp **out_op) {
  for (NrOp *op = block->first; op; op = op->next) {
    if (op == block->last && block == l->body) return NULL; /* of the loop itself: reductions */
    const char *why = refuse_op(l, op);
    *out_op = op;
    for (uint32_t r = 0; r < op->num_regions && !why; r++)
      if (nr_op_body(op, r)) why = refuse_block(l, nr_op_body(op, r), out_op);
    if (why) return why;
  }
  return NULL;
}

const char *nr_lanes_refuse(NrLanes *l, NrOp **out_op) { return refuse_block(l, l->body, out_op); }

/* ---- branches ---------------------------------------------------------------------------------------------------- */

enum { PREDICATED_SLOTS = 6 }; /* the work of both sides that is cheaper than a branch: that of ispc */

bool nr_lanes_is_predicated(const NrOp *branch) {
  int64_t slots = 0;
  for (uint32_t r = 0; r < branch->num_regions; r++)
    for (NrOp *op = nr_op_body(branch, r) ? nr_op_body(branch, r)->first : NULL; op && op->next; op = op->next) {
      int64_t libm;
      if (op->num_regions || !nr_op_is_pure(op) || !nr_op_is_speculatable(op)) return false;
      if (!nr_op_has(op, NR_CONSTANT_LIKE)) slots += nr_cost_slots(op, &libm) + libm;
    }
  return slots < PREDICATED_SLOTS;
}
