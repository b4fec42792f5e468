/* limit_vectorization.c - marks loops with a large body so that LLVM does not vectorise them.
 *
 *   before  ^body: .. more than max-ops ops          after  .. the same ..
 *           cf.cond_br %more, ^body, ^exit                  cf.cond_br %more, ^body, ^exit
 *                                                             {noria.loop = {vectorize = false}}
 *
 * The time that LLVM 22 takes to vectorise a loop grows with the cube of its body: 1 s for 1,000 ops, 50 s for 8,000.
 * Ops count as they are before stage `expand`, and a body is what lies between the loop's header and the branch back to
 * it in the order in which machine code is emitted: reverse post-order. */
#include "dialect/func/ops.h"
#include "pass/core/pass.h"

/* Blocks that are reached, in post-order. */
typedef struct Order {
  NR_VEC(NrBlock *) post, stack;
  NR_VEC(uint32_t) next; /* per block on the stack: the successor to visit next */
  NrMap begins;          /* block that is reached -> 1; later the number of ops before it, and 1 */
} Order;

static void visit(Order *order, NrBlock *block) {
  if (nr_map_has(&order->begins, block)) return;
  nr_map_set(&order->begins, block, (void *)1);
  nr_vec_push(&order->stack, block);
  nr_vec_push(&order->next, 0);
}

static void order_blocks(Order *order, NrBlock *entry) {
  visit(order, entry);
  while (order->stack.size) {
    NrOp *last = nr_vec_last(&order->stack)->last;
    uint32_t i = nr_vec_last(&order->next)++;
    if (last && i < last->num_successors) {
      visit(order, last->successors[i].block);
      continue;
    }
    nr_vec_push(&order->post, nr_vec_last(&order->stack));
    (void)nr_vec_pop(&order->stack);
    (void)nr_vec_pop(&order->next);
  }
}

/* Whether op, which has `count` ops before it, branches back over more than max_ops ops. */
static bool ends_large_loop(const Order *order, const NrOp *op, size_t count, size_t max_ops) {
  for (uint32_t i = 0; i < op->num_successors; i++) {
    size_t begin = (uintptr_t)nr_map_get(&order->begins, op->successors[i].block);
    if (begin && count + 1 > begin && count - (begin - 1) > max_ops) return true;
  }
  return false;
}

static void limit_function(NrOp *func, size_t max_ops) {
  NrContext *ctx = nr_op_context(func);
  NrNamedAttr no = {nr_context_intern(ctx, NR_STR("vectorize")), nr_attr_bool(ctx, false)};
  NrAttr value = nr_attr_dict(ctx, &no, 1);
  Order order = {0};
  size_t count = 0;
  order_blocks(&order, nr_func_func_body(func));
  for (size_t i = 0; i < order.post.size; i++) nr_map_set(&order.begins, order.post.data[i], NULL); /* not begun */
  for (size_t i = order.post.size; i-- > 0;) {
    NrBlock *block = order.post.data[i];
    nr_map_set(&order.begins, block, (void *)(uintptr_t)(count + 1));
    for (NrOp *op = block->first; op; op = op->next, count++)
      if (op->num_successors && !nr_op_attr(op, NR_A_noria_loop) && ends_large_loop(&order, op, count, max_ops))
        nr_op_set_attr(op, NR_A_noria_loop, value);
  }
  nr_vec_deinit(&order.post);
  nr_vec_deinit(&order.stack);
  nr_vec_deinit(&order.next);
  nr_map_deinit(&order.begins);
}

static NrStatus limit_vectorization_run(NrPassContext *pass, NrOp *func) {
  NrBlock *entry = nr_func_func_body(func);
  if (entry && entry->next) limit_function(func, (size_t)nr_pass_int(pass, "max-ops"));
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_INT("max-ops", 1000, 1, INT64_MAX, "ops in the body of a loop that may be vectorised"),
    {0},
};
NR_PASS(limit_vectorization, .name = "limit-vectorization", .on_while = NR_WHILE_BARRIER, .on = "func.func",
        .run = limit_vectorization_run, .options = options,
        .doc = "tells LLVM not to vectorise loops with a large body")
