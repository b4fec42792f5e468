/* loops.c - loops that a person would write as `for` and `while`.
 *
 *   before  i = 0;                               after  for (i64 i = 0; i < n; i++) {
 *           for (;;) {                                    sum = sum + a[i];
 *             if (!(i < n)) { last = sum; break; }      }
 *             sum = sum + a[i];                         last = sum;
 *             i = i + 1;
 *           }
 *
 * What the test's exit assigns stands behind the loop where the loop is left in no other way; so does what both
 * branches of an if assign last. A `for` has one back edge, whose value for the counter is the counter plus something
 * that the loop does not change. */
#include "codegen/c/loops.h"

#include "dialect/arith/ops.h"
#include "dialect/cf/ops.h"
#include "ir/op_info.h"

/* The branch of a loop's header, which stands in the loop's first two nodes; NULL: the loop begins with no test. */
static NrCNode *test_of(const NrCNode *loop) {
  NrCNode *head = loop->body.first, *test = head ? head->next : NULL;
  bool tests = test && head->kind == NR_C_BLOCK && test->kind == NR_C_IF && !test->other.first && test->body.last &&
               test->body.last->kind == NR_C_BREAK;
  return tests ? test : NULL;
}

/* How many statements leave the loop that `list` is in for what follows it. */
static size_t count_breaks(const NrCList *list) {
  size_t count = 0;
  for (const NrCNode *node = list->first; node; node = node->next) {
    count += node->kind == NR_C_BREAK;
    if (node->kind == NR_C_LOOP) continue;
    count += count_breaks(&node->body) + count_breaks(&node->other);
    for (uint32_t i = 0; node->cases && i < node->op->num_successors; i++) count += count_breaks(&node->cases[i]);
  }
  return count;
}

/* Moves what the test's exit assigns behind the loop. */
static void move_exit(NrCList *list, NrCNode *loop) {
  NrCNode *test = test_of(loop), *edge = test ? test->body.first : NULL;
  if (!edge || edge->kind != NR_C_EDGE || edge->next != test->body.last || count_breaks(&loop->body) != 1) return;
  const NrSuccessor *exit = &edge->op->successors[edge->successor];
  for (uint32_t i = 0; i < exit->num_operands; i++) {
    const NrOp *from = nr_successor_operand(edge->op, edge->successor, i)->op;
    if (from && from->block == test->op->block) return; /* known in the loop only */
  }
  test->body.first = edge->next;
  edge->next = loop->next;
  loop->next = edge;
  if (list->last == loop) list->last = edge;
}

static bool is_edge_to(const NrCNode *node, const NrBlock *block) {
  return node && node->kind == NR_C_EDGE && node->op->successors[node->successor].block == block;
}

static size_t count_edges(const NrCList *list, const NrBlock *to) {
  size_t count = 0;
  for (const NrCNode *node = list->first; node; node = node->next) {
    count += is_edge_to(node, to) + count_edges(&node->body, to) + count_edges(&node->other, to);
    for (uint32_t i = 0; node->cases && i < node->op->num_successors; i++) count += count_edges(&node->cases[i], to);
  }
  return count;
}

/* Blocks are numbered so that a loop's header comes before the loop, and behind all that dominates it. */
static bool is_known_before(const NrValue *value, const NrBlock *header) {
  const NrBlock *block = value->op ? value->op->block : value->block;
  return block->mark < header->mark || (value->op && nr_op_is(value->op, NR_OP_arith_constant));
}

/* The comparison that the loop tests, if its header does nothing else, and compares an argument of the block. */
static NrOp *comparison(const NrCNode *loop) {
  NrCNode *test = test_of(loop);
  NrOp *compare = test && test->body.first == test->body.last ? nr_cf_cond_br_condition(test->op)->op : NULL;
  if (!compare || compare->block != loop->block || !nr_op_is(compare, NR_OP_arith_cmpi)) return NULL;
  for (const NrOp *op = loop->block->first; op != loop->block->last; op = op->next)
    if (op != compare && !nr_op_is(op, NR_OP_arith_constant)) return NULL;
  NrValue *counter = nr_arith_cmpi_lhs(compare);
  bool counts = nr_value_has_one_use(nr_op_result(compare)) && counter->block == loop->block && !counter->op;
  return counts && is_known_before(nr_arith_cmpi_rhs(compare), loop->block) ? compare : NULL;
}

/* The addition that the back edge gives to the counter. */
static NrOp *addition(const NrCNode *back, const NrValue *counter) {
  NrOp *op = nr_successor_operand(back->op, back->successor, counter->index)->op;
  if (!op || !nr_op_is(op, NR_OP_arith_addi) || nr_arith_addi_lhs(op) != counter) return NULL;
  return is_known_before(nr_arith_addi_rhs(op), counter->block) ? op : NULL;
}

static bool has_block(const NrCList *list, const NrBlock *block) {
  for (const NrCNode *node = list->first; node; node = node->next) {
    if (node->kind == NR_C_BLOCK && node->block == block) return true;
    if (has_block(&node->body, block) || has_block(&node->other, block)) return true;
    for (uint32_t i = 0; node->cases && i < node->op->num_successors; i++)
      if (has_block(&node->cases[i], block)) return true;
  }
  return false;
}

/* Whether the variable is read in the loop only. The test's exit is an edge of the header, but stands behind it. */
static bool is_of_loop(const NrCNode *loop, const NrValue *counter) {
  for (const NrUse *use = counter->first_use; use; use = use->next)
    if (use->owner == loop->block->last || !has_block(&loop->body, use->owner->block)) return false;
  return true;
}

/* Whether edges give the value to the argument, and nothing else reads it. */
static bool is_only_for(NrValue *value, const NrValue *argument) {
  for (const NrUse *use = value->first_use; use; use = use->next) {
    NrOp *op = use->owner;
    for (size_t i = 0; i < nr_op_num_plain_operands(op); i++)
      if (nr_operand(op, i) == value) return false;
    for (uint32_t s = 0; s < op->num_successors; s++)
      for (uint32_t i = 0; i < op->successors[s].num_operands; i++)
        if (nr_successor_operand(op, s, i) == value && nr_block_arg(op->successors[s].block, i) != argument)
          return false;
  }
  return true;
}

/* entry: the node before the loop. */
static void find_for(NrCNode *loop, NrCNode *entry, NrMap *live) {
  NrOp *compare = comparison(loop);
  NrCNode *back = loop->body.last;
  if (!compare || !is_edge_to(back, loop->block) || count_edges(&loop->body, loop->block) != 1) return;
  NrValue *counter = nr_arith_cmpi_lhs(compare);
  NrOp *add = addition(back, counter);
  if (!add) return;
  loop->counter = back->counter = counter;
  loop->test = compare;
  loop->step = add;
  if (is_only_for(nr_op_result(add), counter)) nr_map_remove(live, nr_op_result(add)); /* the `for` says it */
  if (!is_edge_to(entry, loop->block) || !is_of_loop(loop, counter)) return;
  entry->counter = counter;
  loop->begin = nr_successor_operand(entry->op, entry->successor, counter->index);
}

static bool are_same_edges(const NrCNode *a, const NrCNode *b) {
  if (!a || !b || a->kind != NR_C_EDGE || !is_edge_to(b, a->op->successors[a->successor].block)) return false;
  for (uint32_t i = 0; i < a->op->successors[a->successor].num_operands; i++)
    if (nr_successor_operand(a->op, a->successor, i) != nr_successor_operand(b->op, b->successor, i)) return false;
  return true;
}

static void drop_last(NrCList *list) {
  NrCNode *before = NULL;
  for (NrCNode *node = list->first; node != list->last; node = node->next) before = node;
  if (before) before->next = NULL;
  else list->first = NULL;
  list->last = before;
}

/* What both branches of an if assign last stands behind it. */
static void merge_ends(NrCList *list, NrCNode *node) {
  NrCNode *edge = node->body.last;
  if (!are_same_edges(edge, node->other.last)) return;
  drop_last(&node->body);
  drop_last(&node->other);
  if (!node->body.first) {
    node->body = node->other;
    node->other = (NrCList){0};
    node->negated = !node->negated;
  }
  edge->next = node->next;
  node->next = edge;
  if (list->last == node) list->last = edge;
}

void nr_c_find_fors(NrCList *tree, NrMap *live) {
  NrCNode *before = NULL;
  for (NrCNode *node = tree->first; node; node = node->next) {
    nr_c_find_fors(&node->body, live);
    nr_c_find_fors(&node->other, live);
    for (uint32_t i = 0; node->cases && i < node->op->num_successors; i++) nr_c_find_fors(&node->cases[i], live);
    if (node->kind == NR_C_IF) merge_ends(tree, node);
    if (node->kind == NR_C_LOOP) move_exit(tree, node), find_for(node, before, live);
    if (node->kind != NR_C_LABEL || node->used) before = node;
  }
}
