/* limit_inlining.c - marks calls no_inline whose inlining would make a function too large for LLVM.
 *
 *   before  func.func @f(..) {                after  func.func @f(..) {
 *             call @large_enough(..)                   call @large_enough(..) {no_inline}
 *             .. thousands of them                     .. all but the smallest callees
 *           }                                        }
 *
 * LLVM's inliner weighs the benefit of a call, not the size of the caller, and LLVM's other passes take more than
 * linear time in the blocks of a function: 3,100 calls of a function with one loop took 40 s. The pass visits callees
 * before callers, so that a callee's size includes what is inlined into it. For each caller, the callees whose calls
 * add the least in total come first; so one call in an inner loop is still inlined beside thousands of calls of another
 * function. */
#include <stdlib.h>

#include "dialect/func/ops.h"
#include "pass/core/pass.h"

/* Bounds on the size of code, not on time: whether inlining gains, LLVM decides. */
enum {
  TINY_OPS = 8,   /* smaller than a call and the test of its status: always inlined */
  SMALL_OPS = 80, /* the largest function that LLVM inlines at every call */
};

typedef struct Function {
  NrOp *op;
  size_t ops; /* includes the ops inlined into it once it is DONE */
  size_t num_calls; /* of it, in the program */
  NR_VEC(NrOp *) calls;
  size_t next; /* the next call to visit */
  enum { NEW, OPEN, DONE } state;
} Function;

typedef struct Limiter {
  NrPassContext *pass;
  NrSymbolTables symbols;
  NrMap by_op; /* Function of a func.func */
  NR_VEC(Function *) all;
  Function *current; /* whose ops are counted */
  size_t max;
} Limiter;

static bool collect_function(NrOp *op, void *user) {
  Limiter *l = user;
  if (!nr_op_is(op, NR_OP_func_func) || !nr_func_func_body(op)) return true;
  Function *f = NR_NEW(l->pass->scratch, Function);
  *f = (Function){.op = op};
  nr_vec_push(&l->all, f);
  nr_map_set(&l->by_op, op, f);
  return true;
}

static Function *callee_of(Limiter *l, NrOp *call) {
  NrOp *callee = nr_symbol_find(&l->symbols, call, nr_op_attr(call, NR_A_callee));
  return callee ? nr_map_get(&l->by_op, callee) : NULL;
}

static bool collect_op(NrOp *op, void *user) {
  Limiter *l = user;
  l->current->ops++;
  Function *callee = nr_op_is(op, NR_OP_func_call) ? callee_of(l, op) : NULL;
  if (!callee) return true;
  callee->num_calls++;
  nr_vec_push(&l->current->calls, op);
  return true;
}

/* ---- one function ------------------------------------------------------------------------------------------------ */

/* All calls of one function in one caller. */
typedef struct Group {
  Function *callee;
  size_t calls, order;
} Group;

static size_t added_by(const Group *g) { return g->calls * g->callee->ops; }

static int compare_added(const void *a, const void *b) {
  const Group *x = a, *y = b;
  if (added_by(x) != added_by(y)) return added_by(x) < added_by(y) ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* Whether LLVM would inline the call. A recursive callee is not DONE here, so its calls are not counted as inlined. */
static bool may_be_inlined(const NrOp *call, const Function *callee) {
  bool is_wanted = callee->ops <= SMALL_OPS || callee->num_calls == 1;
  return is_wanted && callee->state == DONE && !nr_op_attr(call, NR_A_no_inline) &&
         !nr_op_attr(callee->op, NR_A_no_inline);
}

static void limit(Limiter *l, Function *f) {
  NR_VEC(Group) groups = {0};
  NrMap index = {0}, kept = {0}; /* index: callee -> number of its group + 1 */
  for (size_t i = 0; i < f->calls.size; i++) {
    Function *callee = callee_of(l, f->calls.data[i]);
    if (!may_be_inlined(f->calls.data[i], callee)) continue;
    uintptr_t at = (uintptr_t)nr_map_get(&index, callee);
    if (!at) {
      nr_vec_push(&groups, ((Group){.callee = callee, .order = groups.size}));
      nr_map_set(&index, callee, (void *)(at = groups.size));
    }
    groups.data[at - 1].calls++;
  }
  if (groups.size) qsort(groups.data, groups.size, sizeof(Group), compare_added);
  for (size_t i = 0; i < groups.size; i++) {
    bool keep = groups.data[i].callee->ops <= TINY_OPS || f->ops + added_by(&groups.data[i]) <= l->max;
    if (keep) f->ops += added_by(&groups.data[i]);
    else nr_map_set(&kept, groups.data[i].callee, f);
  }
  for (size_t i = 0; i < f->calls.size; i++)
    if (nr_map_has(&kept, callee_of(l, f->calls.data[i])))
      nr_op_set_attr(f->calls.data[i], NR_A_no_inline, nr_attr_unit(l->pass->ctx));
  nr_vec_deinit(&groups);
  nr_map_deinit(&index);
  nr_map_deinit(&kept);
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

/* Visits the functions that root calls depth first, so that callees are limited before their callers. */
static void limit_from(Limiter *l, Function *root) {
  NR_VEC(Function *) stack = {0};
  nr_vec_push(&stack, root);
  while (stack.size) {
    Function *f = nr_vec_last(&stack);
    f->state = OPEN;
    if (f->next == f->calls.size) {
      limit(l, f);
      f->state = DONE;
      (void)nr_vec_pop(&stack);
      continue;
    }
    Function *callee = callee_of(l, f->calls.data[f->next++]);
    if (callee->state == NEW) nr_vec_push(&stack, callee);
  }
  nr_vec_deinit(&stack);
}

static NrStatus limit_inlining_run(NrPassContext *pass, NrOp *module) {
  Limiter l = {.pass = pass, .max = (size_t)nr_pass_int(pass, "max-ops")};
  nr_walk_pre(module, collect_function, &l);
  for (size_t i = 0; i < l.all.size; i++) {
    l.current = l.all.data[i];
    nr_walk_pre(l.current->op, collect_op, &l);
  }
  for (size_t i = 0; i < l.all.size; i++)
    if (l.all.data[i]->state == NEW) limit_from(&l, l.all.data[i]);
  for (size_t i = 0; i < l.all.size; i++) nr_vec_deinit(&l.all.data[i]->calls);
  nr_vec_deinit(&l.all);
  nr_symbol_tables_deinit(&l.symbols);
  nr_map_deinit(&l.by_op);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_INT("max-ops", 5000, 1, INT64_MAX, "largest size of a function after inlining, in ops"),
    {0},
};
NR_PASS(limit_inlining, .name = "limit-inlining", .on_while = NR_WHILE_BARRIER, .of_table = true,
        .run = limit_inlining_run, .options = options,
        .doc = "keeps calls whose inlining would make a function too large for LLVM")
