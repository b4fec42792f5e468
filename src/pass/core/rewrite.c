/* rewrite.c - helpers for passes that rewrite ops; see rewrite.h. */
#include "pass/core/rewrite.h"

#include "dialect/arith/arith.h"

static bool collect(NrOp *op, void *user) {
  nr_vec_push((NrOpList *)user, op);
  return true;
}

void nr_collect_ops(NrOp *root, NrOpList *out) {
  for (uint32_t r = 0; r < root->num_regions; r++)
    for (NrBlock *block = root->regions[r].first; block; block = block->next)
      for (NrOp *op = block->first; op; op = op->next) nr_walk_pre(op, collect, out);
}

typedef struct Collect {
  bool (*wanted)(const NrOp *op);
  NrOpList *out;
} Collect;

static bool collect_wanted(NrOp *op, void *user) {
  const Collect *c = user;
  if (c->wanted(op)) nr_vec_push(c->out, op);
  return true;
}

void nr_collect_pre(NrOp *root, bool (*wanted)(const NrOp *op), NrOpList *out) {
  nr_walk_pre(root, collect_wanted, &(Collect){wanted, out});
}
void nr_collect_post(NrOp *root, bool (*wanted)(const NrOp *op), NrOpList *out) {
  nr_walk_post(root, collect_wanted, &(Collect){wanted, out});
}

/* ---- dead ops ---------------------------------------------------------------------------------------------------- */

static bool has_uses(const NrOp *op) {
  for (uint32_t i = 0; i < op->num_results; i++)
    if (nr_value_has_uses(&op->results[i])) return true;
  return false;
}

bool nr_op_is_dead(NrOp *op) {
  if (has_uses(op) || nr_op_has(op, NR_TERMINATOR) || nr_op_has(op, NR_SYMBOL)) return false;
  bool only_allocates = nr_op_has(op, NR_ALLOCATES) && !(op->info->traits & (NR_READS | NR_WRITES | NR_FREES));
  return (only_allocates && op->num_regions == 0) || nr_op_only_reads(op);
}

/* Collects the ops that define operands of op and of nested ops: they may be dead once op is erased. */
static bool collect_operands(NrOp *op, void *user) {
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_operand(op, i)->op) nr_vec_push((NrOpList *)user, nr_operand(op, i)->op);
  return true;
}

void nr_erase_with_operands(NrOp *op) {
  NrOpList work = {0};
  nr_walk_pre(op, collect_operands, &work);
  nr_op_erase(op);
  while (work.size) {
    NrOp *next = nr_vec_pop(&work);
    if (nr_is_erased(next) || !nr_op_is_dead(next)) continue;
    nr_walk_pre(next, collect_operands, &work);
    nr_op_erase(next);
  }
  nr_vec_deinit(&work);
}

bool nr_erase_if_dead(NrOp *op) {
  if (!nr_op_is_dead(op)) return false;
  nr_erase_with_operands(op);
  return true;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

void nr_collect_blocks(NrRegion *region, NrBlockList *out) {
  NrBlockList stack = {0};
  NR_VEC(uint32_t) next = {0}; /* per block on the stack: the successor to visit next */
  uint64_t reached = ++region->first->module->num_walks;
  region->first->walk = reached;
  nr_vec_push(&stack, region->first);
  nr_vec_push(&next, 0);
  while (stack.size) {
    NrBlock *block = nr_vec_last(&stack);
    uint32_t i = nr_vec_last(&next)++;
    if (block->last && i < block->last->num_successors) {
      NrBlock *to = block->last->successors[i].block;
      if (to->walk == reached) continue;
      to->walk = reached;
      nr_vec_push(&stack, to);
      nr_vec_push(&next, 0);
    } else {
      nr_vec_push(out, nr_vec_pop(&stack));
      (void)nr_vec_pop(&next);
    }
  }
  for (size_t i = 0, j = out->size; i + 1 < j--; i++) { /* reverses the post-order */
    NrBlock *block = out->data[i];
    out->data[i] = out->data[j];
    out->data[j] = block;
  }
  nr_vec_deinit(&stack);
  nr_vec_deinit(&next);
}

/* Marks reachable blocks with `reached` and adds the others to out. Most programs list a block behind its predecessors;
 * then one pass over the list is enough. A block that is reached only after the pass went over it goes through a work
 * list. */
static void reach_blocks(NrRegion *region, uint64_t passed, uint64_t reached, NrBlockList *out) {
  NrBlockList work = {0};
  region->first->walk = reached;
  for (NrBlock *listed = region->first; listed; listed = listed->next) {
    nr_block_prefetch(listed);
    if (listed->walk != reached) {
      listed->walk = passed;
      nr_vec_push(out, listed);
      continue;
    }
    nr_vec_push(&work, listed);
    while (work.size) {
      const NrOp *last = nr_vec_pop(&work)->last;
      for (uint32_t i = last ? last->num_successors : 0; i-- > 0;) {
        NrBlock *next = last->successors[i].block;
        if (next->walk == passed) nr_vec_push(&work, next);
        next->walk = reached;
      }
    }
  }
  size_t left = 0;
  for (size_t i = 0; i < out->size; i++)
    if (out->data[i]->walk == passed) out->data[left++] = out->data[i];
  out->size = left;
  nr_vec_deinit(&work);
}

bool nr_erase_unreachable_blocks(NrRegion *region) {
  if (region->first == region->last) return false;
  NrModule *module = region->first->module;
  uint64_t passed = ++module->num_walks, reached = ++module->num_walks;
  NrBlockList unreached = {0};
  reach_blocks(region, passed, reached, &unreached);
  for (size_t i = 0; i < unreached.size; i++) /* drops all uses first, because the blocks may use each other's values */
    for (NrOp *op = unreached.data[i]->first; op; op = op->next) nr_op_drop_uses(op);
  for (size_t i = 0; i < unreached.size; i++) nr_block_erase(unreached.data[i]);
  bool changed = unreached.size != 0;
  nr_vec_deinit(&unreached);
  return changed;
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

NrOp *nr_isolated_parent(const NrOp *op) {
  NrOp *up = nr_op_parent(op);
  while (up && !nr_op_has(up, NR_ISOLATED) && nr_op_parent(up)) up = nr_op_parent(up);
  return up;
}

NrRegion *nr_isolated_region(const NrOp *op) {
  NrOp *isolated = nr_isolated_parent(op);
  NrRegion *region = op->block->region;
  while (region->op != isolated) region = region->op->block->region;
  return region;
}

NrOp *nr_build_constant(NrBuilder *b, NrAttr value, NrType type) {
  bool arith = (value->kind == NR_ATTR_INTEGER || value->kind == NR_ATTR_FLOAT || nr_attr_is_elements(value)) &&
               value->type == type;
  bool function = value->kind == NR_ATTR_SYMBOL && type->kind == NR_TYPE_FUNCTION;
  bool complex = value->kind == NR_ATTR_ARRAY && type->kind == NR_TYPE_COMPLEX;
  if ((!arith && !function && !complex) || !nr_arith_is_constant_type(type)) return NULL;
  unsigned id = arith ? NR_OP_arith_constant : function ? NR_OP_func_constant : NR_OP_complex_constant;
  NrOp *op = nr_build_op(b, id, NULL, 0, &type, 1);
  nr_op_set_attr(op, NR_A_value, value);
  return op;
}

/* ---- expansion --------------------------------------------------------------------------------------------------- */

static bool has_expansion(const NrOp *op) { return op->info->expand != NULL; }

NrStatus nr_expand_ops(NrOp *root, bool (*wanted)(const NrOp *op)) {
  NrOpList found = {0};
  size_t expanded;
  NrStatus status = NR_OK;
  do {
    found.size = expanded = 0;
    nr_collect_post(root, has_expansion, &found);
    for (size_t i = 0; i < found.size && !status; i++) {
      if (wanted && !wanted(found.data[i])) continue;
      status = nr_op_expand(found.data[i]);
      expanded++;
    }
  } while (expanded && !status);
  nr_vec_deinit(&found);
  return status;
}
