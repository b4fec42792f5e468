/* lift_cycles.c - lifts cycles of blocks to scf.while; see lift_cf_to_scf.c. */
#include "dialect/arith/arith.h"
#include "dialect/cf/cf.h"
#include "dialect/scf/scf.h"
#include "pass/cfg/lift.h"

/* ---- cycles ------------------------------------------------------------------------------------------------------ */

/* A strongly connected component, which becomes a loop. */
typedef struct Cycle {
  NrRegion *region;
  const NrDominance *dom; /* of the region before it was changed */
  NrBlockList blocks;
  NrMap members;
  NrBlock *head;
  NrEdgeList entering, back, leaving;
  NrValueList values, handed_for; /* values used outside the cycle, and the latch's argument for each */
} Cycle;

static bool in_cycle(const Cycle *c, const NrBlock *block) { return block && nr_map_has(&c->members, block); }

static void add_block(Cycle *c, NrBlock *block) {
  nr_vec_push(&c->blocks, block);
  nr_map_set(&c->members, block, block);
}

/* The block of the region that contains user, at any depth. */
static NrBlock *block_around(const NrRegion *region, const NrOp *user) {
  const NrOp *op = user;
  while (op && op->block && op->block->region != region) op = op->block->region->op;
  return op ? op->block : NULL;
}

static void find_edges(Cycle *c) {
  c->entering.size = c->back.size = c->leaving.size = 0;
  for (NrSuccessor *pred = c->head->first_pred; pred; pred = pred->next) {
    if (in_cycle(c, pred->owner->block)) nr_vec_push(&c->back, pred);
    else nr_vec_push(&c->entering, pred);
  }
  for (size_t i = 0; i < c->blocks.size; i++) {
    NrOp *last = c->blocks.data[i]->last;
    for (uint32_t s = 0; s < last->num_successors; s++)
      if (!in_cycle(c, last->successors[s].block)) nr_vec_push(&c->leaving, &last->successors[s]);
  }
}

static bool is_entered(const Cycle *c, const NrBlock *block) {
  for (const NrSuccessor *pred = block->first_pred; pred; pred = pred->next)
    if (!in_cycle(c, pred->owner->block)) return true;
  return false;
}

/* Gives a cycle with several entries one head, a multiplexer of them. */
static void make_head(NrLifter *l, Cycle *c) {
  NrMultiplexer m = {0};
  for (size_t i = 0; i < c->blocks.size; i++)
    if (is_entered(c, c->blocks.data[i])) nr_lift_add_target(&m, c->blocks.data[i]);
  c->head = m.targets.data[0];
  if (m.targets.size > 1) {
    NrEdgeList edges = {0};
    for (size_t t = 0; t < m.targets.size; t++)
      for (NrSuccessor *pred = m.targets.data[t]->first_pred; pred; pred = pred->next) nr_vec_push(&edges, pred);
    m.block = nr_lift_new_block(c->region);
    nr_lift_add_target_args(m.block, &m);
    for (size_t i = 0; i < edges.size && !l->status; i++) {
      NrValueList old = {0}, operands = {0};
      nr_lift_successor_operands(edges.data[i], &old);
      nr_lift_push_target(l, &m, edges.data[i]->block, &old, &operands);
      if (!l->status) nr_lift_redirect(edges.data[i], m.block, operands.data, operands.size);
      nr_vec_deinit(&old);
      nr_vec_deinit(&operands);
    }
    nr_lift_dispatch(&m, m.block, 0);
    add_block(c, m.block);
    c->head = m.block;
    nr_vec_deinit(&edges);
  }
  nr_lift_deinit_multiplexer(&m);
}

static void note_value(Cycle *c, NrValue *value) {
  for (const NrUse *use = value->first_use; use; use = use->next) {
    if (in_cycle(c, block_around(c->region, use->owner))) continue;
    nr_vec_push(&c->values, value);
    nr_vec_push(&c->handed_for, value);
    return;
  }
}

static void find_values_used_outside(Cycle *c) {
  for (size_t i = 0; i < c->blocks.size; i++) {
    NrBlock *block = c->blocks.data[i];
    for (uint32_t a = 0; a < block->num_args; a++) note_value(c, block->args[a]);
    for (NrOp *op = block->first; op; op = op->next)
      for (uint32_t r = 0; r < op->num_results; r++) note_value(c, nr_result(op, r));
  }
}

/* Creates one latch block for all edges back and out, with a flag that is true for back. Its arguments: the head's,
 * those of the exits, the values used outside, the flag. */
static void make_latch(NrLifter *l, Cycle *c) {
  NrMultiplexer exits = {0};
  for (size_t i = 0; i < c->leaving.size; i++) nr_lift_add_target(&exits, c->leaving.data[i]->block);
  NrBlock *latch = nr_lift_new_block(c->region), *outside = nr_lift_new_block(c->region);
  NrLoc loc = c->region->op->loc;
  for (uint32_t i = 0; i < c->head->num_args; i++) nr_block_add_arg(latch, c->head->args[i]->type, loc);
  uint32_t first_exit = latch->num_args;
  nr_lift_add_target_args(latch, &exits);
  nr_lift_add_target_args(outside, &exits);
  nr_lift_dispatch(&exits, outside, 0);
  uint32_t first_value = latch->num_args;
  for (size_t v = 0; v < c->values.size; v++) nr_block_add_arg(latch, c->values.data[v]->type, loc);
  NrValue *flag = nr_block_add_arg(latch, nr_type_i1(nr_op_context(l->root)), loc);
  for (size_t e = 0; e < c->back.size + c->leaving.size && !l->status; e++) {
    bool goes_back = e < c->back.size;
    NrSuccessor *edge = goes_back ? c->back.data[e] : c->leaving.data[e - c->back.size];
    NrValueList old = {0}, operands = {0};
    nr_lift_successor_operands(edge, &old);
    for (uint32_t i = 0; i < c->head->num_args; i++)
      nr_vec_push(&operands, goes_back ? old.data[i] : nr_lift_zero(l, c->head->args[i]->type));
    nr_lift_push_target(l, &exits, goes_back ? NULL : edge->block, &old, &operands);
    for (size_t v = 0; v < c->values.size; v++) {
      bool there = nr_value_dominates(c->dom, c->values.data[v], edge->owner);
      nr_vec_push(&operands, there ? c->values.data[v] : nr_lift_zero(l, c->values.data[v]->type));
    }
    nr_vec_push(&operands, nr_lift_constant(l, nr_attr_bool(flag->type->ctx, goes_back)));
    if (!l->status) nr_lift_redirect(edge, latch, operands.data, operands.size);
    nr_vec_deinit(&old);
    nr_vec_deinit(&operands);
  }
  NrBuilder b = nr_lift_at_end(latch);
  nr_cf_cond_br(&b, flag, c->head, latch->args, first_exit, outside, latch->args + first_exit,
                first_value - first_exit);
  for (size_t v = 0; v < c->values.size; v++) c->handed_for.data[v] = latch->args[first_value + v];
  add_block(c, latch);
  find_edges(c);
  nr_lift_deinit_multiplexer(&exits);
}

/* The operands of scf.condition, without duplicates. */
typedef struct Handed {
  NrValueList values;
  NrMap number; /* NrValue* -> number + 1 */
} Handed;

static size_t hand(Handed *h, NrValue *value) {
  uintptr_t known = (uintptr_t)nr_map_get(&h->number, value);
  if (known) return known - 1;
  nr_vec_push(&h->values, value);
  nr_map_set(&h->number, value, (void *)(uintptr_t)h->values.size);
  return h->values.size - 1;
}

static bool is_handed(const Handed *h, const NrValue *value) { return nr_map_has(&h->number, value); }

/* Creates a block in front of the cycle with an scf.while that has empty regions. */
static NrOp *build_while(Cycle *c, const Handed *h) {
  NrBlock *block = nr_block_create(c->region->op->module);
  nr_block_insert_before(block, c->head);
  for (uint32_t i = 0; i < c->head->num_args; i++)
    nr_block_add_arg(block, c->head->args[i]->type, c->region->op->loc)->name = c->head->args[i]->name;
  for (size_t i = 0; i < c->entering.size; i++)
    nr_op_set_successor(c->entering.data[i]->owner, nr_lift_successor_number(c->entering.data[i]), block);
  NR_VEC(NrType) types = {0};
  for (size_t i = 0; i < h->values.size; i++) nr_vec_push(&types, h->values.data[i]->type);
  NrBuilder b = nr_builder_at_end(block->module, block, c->head->last->loc);
  NrOp *loop = nr_scf_while(&b, block->args, block->num_args, types.data, types.size);
  for (size_t i = 0; i < h->values.size; i++) {
    nr_result(loop, i)->name = h->values.data[i]->name;
    nr_scf_while_after_body(loop)->args[i]->name = h->values.data[i]->name;
  }
  nr_block_erase(nr_scf_while_before_body(loop));
  nr_vec_deinit(&types);
  return loop;
}

static void move_block(NrBlock *block, NrRegion *to) {
  nr_block_unlink(block);
  nr_block_append(to, block);
}

/* Replaces a branch by an scf.condition that is true where the branch takes successor `on`. */
static void build_condition(NrOp *branch, uint32_t on, const Handed *h) {
  NrBuilder b = nr_builder_before(branch);
  NrValue *flag = nr_cf_cond_br_condition(branch);
  if (on == 1)
    flag = nr_arith_binary(&b, NR_OP_arith_xori, flag, nr_arith_constant(&b, nr_attr_bool(b.ctx, true)));
  nr_scf_condition(&b, flag, h->values.data, h->values.size);
  nr_op_erase(branch);
}

static void leave_loop(NrOp *loop, NrBlock *to, const NrValueList *operands, const Handed *h) {
  NrValueList results = {0};
  for (size_t i = 0; i < operands->size; i++) {
    uintptr_t number = (uintptr_t)nr_map_get(&h->number, operands->data[i]);
    nr_vec_push(&results, number ? nr_result(loop, number - 1) : operands->data[i]);
  }
  NrBuilder b = nr_lift_at_end(loop->block);
  nr_cf_br(&b, to, results.data, results.size);
  nr_vec_deinit(&results);
}

/* Replaces uses of value outside the cycle and, unless inside is NULL, in its blocks other than the head. */
static void replace_uses_around(const Cycle *c, NrValue *value, NrValue *outside, NrValue *inside) {
  for (NrUse *use = value->first_use, *next; use; use = next) {
    next = use->next;
    NrBlock *block = block_around(c->region, use->owner);
    NrValue *by = !in_cycle(c, block) ? outside : block != c->head ? inside : NULL;
    if (by) nr_op_set_operand(use->owner, nr_use_index(use), by);
  }
}

/* The last block has the condition: the whole cycle becomes the first region. */
static void lift_do_while(NrLifter *l, Cycle *c) {
  Handed h = {0};
  NrOp *branch = c->back.data[0]->owner;
  NrBlock *exit = c->leaving.data[0]->block;
  NrValueList back = {0}, leave = {0};
  nr_lift_successor_operands(c->back.data[0], &back);
  nr_lift_successor_operands(c->leaving.data[0], &leave);
  for (size_t i = 0; i < back.size; i++) hand(&h, back.data[i]);
  for (size_t i = 0; i < leave.size; i++) hand(&h, leave.data[i]);
  for (size_t i = 0; i < c->values.size; i++) hand(&h, c->handed_for.data[i]);
  uint32_t on = (uint32_t)nr_lift_successor_number(c->back.data[0]);
  NrOp *loop = build_while(c, &h);
  for (size_t i = 0; i < c->values.size; i++)
    replace_uses_around(c, c->values.data[i], nr_result(loop, hand(&h, c->handed_for.data[i])), NULL);
  leave_loop(loop, exit, &leave, &h);
  move_block(c->head, nr_scf_while_before_region(loop));
  for (size_t i = 0; i < c->blocks.size; i++)
    if (c->blocks.data[i] != c->head) move_block(c->blocks.data[i], nr_scf_while_before_region(loop));
  build_condition(branch, on, &h);
  NrBlock *after = nr_scf_while_after_body(loop);
  NrValueList next = {0};
  for (size_t i = 0; i < back.size; i++) nr_vec_push(&next, after->args[hand(&h, back.data[i])]);
  NrBuilder b = nr_lift_at_end(after);
  nr_scf_yield(&b, next.data, next.size);
  nr_lift_queue(l, nr_scf_while_before_region(loop));
  nr_vec_deinit(&next);
  nr_vec_deinit(&back);
  nr_vec_deinit(&leave);
  nr_vec_deinit(&h.values);
  nr_map_deinit(&h.number);
}

static void hand_head_value(const Cycle *c, Handed *h, NrValue *value) {
  if (is_handed(h, value)) return;
  for (const NrUse *use = value->first_use; use; use = use->next)
    if (block_around(c->region, use->owner) != c->head) {
      hand(h, value);
      return;
    }
}

/* Only the head leaves: it becomes the first region, the other blocks the second. */
static void lift_while(NrLifter *l, Cycle *c) {
  Handed h = {0};
  NrBlock *head = c->head, *exit = c->leaving.data[0]->block;
  NrOp *branch = head->last;
  uint32_t on = 1 - (uint32_t)nr_lift_successor_number(c->leaving.data[0]);
  NrBlock *first = branch->successors[on].block;
  NrValueList enter = {0}, leave = {0};
  nr_lift_successor_operands(&branch->successors[on], &enter);
  nr_lift_successor_operands(c->leaving.data[0], &leave);
  for (size_t i = 0; i < enter.size; i++)
    if (nr_value_block(enter.data[i]) == head) hand(&h, enter.data[i]);
  for (size_t i = 0; i < leave.size; i++)
    if (nr_value_block(leave.data[i]) == head) hand(&h, leave.data[i]);
  for (uint32_t i = 0; i < head->num_args; i++) hand_head_value(c, &h, head->args[i]);
  for (NrOp *op = head->first; op; op = op->next)
    for (uint32_t i = 0; i < op->num_results; i++) hand_head_value(c, &h, nr_result(op, i));
  NrOp *loop = build_while(c, &h);
  NrBlock *after = nr_scf_while_after_body(loop);
  for (size_t i = 0; i < h.values.size; i++)
    replace_uses_around(c, h.values.data[i], nr_result(loop, i), after->args[i]);
  leave_loop(loop, exit, &leave, &h);

  for (size_t i = 0; i < enter.size; i++)
    if (is_handed(&h, enter.data[i])) enter.data[i] = after->args[hand(&h, enter.data[i])];
  NrBuilder b = nr_lift_at_end(after);
  nr_cf_br(&b, first, enter.data, enter.size);
  move_block(head, nr_scf_while_before_region(loop));
  for (size_t i = 0; i < c->blocks.size; i++)
    if (c->blocks.data[i] != head) move_block(c->blocks.data[i], nr_scf_while_after_region(loop));
  build_condition(branch, on, &h);
  for (size_t i = 0; i < c->back.size; i++) {
    NrValueList next = {0};
    nr_lift_successor_operands(c->back.data[i], &next);
    b = nr_lift_at_end(nr_lift_block_of_edge(c->back.data[i]));
    nr_scf_yield(&b, next.data, next.size);
    nr_vec_deinit(&next);
  }
  nr_lift_queue(l, nr_scf_while_after_region(loop));
  nr_vec_deinit(&enter);
  nr_vec_deinit(&leave);
  nr_vec_deinit(&h.values);
  nr_map_deinit(&h.number);
}

static void lift_cycle(NrLifter *l, Cycle *c) {
  make_head(l, c);
  if (l->status) return;
  find_edges(c);
  const NrSuccessor *out = c->leaving.data[0];
  bool one_out = c->leaving.size == 1 && nr_op_is(out->owner, NR_OP_cf_cond_br);
  NrOp *last = c->head->last;
  if (one_out && out->owner == last && last->successors[1 - nr_lift_successor_number(out)].block != c->head) {
    lift_while(l, c);
    return;
  }
  find_values_used_outside(c);
  if (!one_out || c->back.size != 1 || c->back.data[0]->owner != out->owner) make_latch(l, c);
  if (!l->status) lift_do_while(l, c);
}

static void deinit_cycle(Cycle *c) {
  nr_vec_deinit(&c->blocks);
  nr_vec_deinit(&c->entering);
  nr_vec_deinit(&c->back);
  nr_vec_deinit(&c->leaving);
  nr_vec_deinit(&c->values);
  nr_vec_deinit(&c->handed_for);
  nr_map_deinit(&c->members);
}

typedef NR_VEC(Cycle *) CycleList;

typedef struct CycleFinder {
  NrRegion *region;
  NrArena *arena;
  CycleList cycles;
} CycleFinder;

static void keep_cycle(CycleFinder *f, NrBlock **blocks, size_t count) {
  Cycle *c = NR_NEW(f->arena, Cycle);
  c->region = f->region;
  for (size_t i = 0; i < count; i++) add_block(c, blocks[i]);
  nr_vec_push(&f->cycles, c);
}

/* Tarjan's algorithm (1972) with an explicit stack. */
typedef struct Visit {
  NrBlock *block;
  uint32_t next;
} Visit;
typedef struct Node {
  size_t number, low; /* from 1 */
  bool on_stack;
} Node;

static bool goes_to_itself(const NrBlock *block) {
  for (uint32_t i = 0; i < block->last->num_successors; i++)
    if (block->last->successors[i].block == block) return true;
  return false;
}

static void find_cycles(CycleFinder *f) {
  NrMap nodes = {0};
  NrBlockList stack = {0};
  NR_VEC(Visit) visits = {0};
  size_t count = 0;
  nr_vec_push(&visits, ((Visit){f->region->first, 0}));
  while (visits.size) {
    Visit *v = &nr_vec_last(&visits);
    NrBlock *block = v->block;
    Node *node = nr_map_get(&nodes, block);
    if (!node) {
      node = NR_NEW(f->arena, Node);
      count++;
      *node = (Node){count, count, true};
      nr_map_set(&nodes, block, node);
      nr_vec_push(&stack, block);
    }
    if (v->next < block->last->num_successors) {
      NrBlock *to = block->last->successors[v->next++].block;
      Node *other = nr_map_get(&nodes, to);
      if (!other) nr_vec_push(&visits, ((Visit){to, 0}));
      else if (other->on_stack) node->low = NR_MIN(node->low, other->number);
      continue;
    }
    (void)nr_vec_pop(&visits);
    if (visits.size) {
      Node *parent = nr_map_get(&nodes, nr_vec_last(&visits).block);
      parent->low = NR_MIN(parent->low, node->low);
    }
    if (node->low != node->number) continue;
    size_t begin = stack.size;
    do ((Node *)nr_map_get(&nodes, stack.data[--begin]))->on_stack = false;
    while (stack.data[begin] != block);
    if (stack.size - begin > 1 || goes_to_itself(block)) keep_cycle(f, stack.data + begin, stack.size - begin);
    stack.size = begin;
  }
  nr_map_deinit(&nodes);
  nr_vec_deinit(&stack);
  nr_vec_deinit(&visits);
}

void nr_lift_cycles(NrLifter *l, NrRegion *region) {
  CycleFinder f = {.region = region, .arena = l->pass->scratch};
  find_cycles(&f);
  NrDominance *dom = f.cycles.size ? nr_dominance_create(region) : NULL;
  for (size_t i = 0; i < f.cycles.size; i++) {
    f.cycles.data[i]->dom = dom;
    if (!l->status) lift_cycle(l, f.cycles.data[i]);
    deinit_cycle(f.cycles.data[i]);
  }
  nr_dominance_destroy(dom);
  nr_vec_deinit(&f.cycles);
}
