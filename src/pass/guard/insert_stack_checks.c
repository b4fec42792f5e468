/* insert_stack_checks.c - inserts a check of the stack at the entry of recursive functions, so that an endless
 * recursion is an error and not a crash, and limits and interrupts can end it.
 *
 *   before  func.func @f(%n: i64) -> i64 {     after  func.func @f(%n: i64) -> i64 {
 *             .. call @f(%m) ..                         rt.enter ".."
 *                                                       .. call @f(%m) ..
 * One function of each cycle of the call graph gets the check. Any indirect call may call any function whose address is
 * taken. */
#include "dialect/func/ops.h"
#include "pass/core/pass.h"

typedef struct Function {
  NrOp *op;                    /* NULL: the node for indirect calls */
  NR_VEC(struct Function *) callees;
  size_t next;                 /* the next callee to visit */
  enum { NEW, OPEN, DONE } state;
  bool recursive;
} Function;

typedef struct Graph {
  NrArena *arena;
  NrStrMap by_name;
  NR_VEC(Function *) all;
  Function *values;  /* its callees are the functions whose address is taken */
  Function *current; /* whose calls are collected */
} Graph;

static Function *add_function(Graph *g, NrOp *op) {
  Function *f = NR_NEW(g->arena, Function);
  *f = (Function){.op = op};
  nr_vec_push(&g->all, f);
  return f;
}

/* Nested modules have their own symbols; calls are resolved by the last component of the symbol, as in code
 * generation. */
static bool collect_function(NrOp *op, void *user) {
  Graph *g = user;
  if (nr_op_is(op, NR_OP_func_func) && nr_func_func_body(op))
    nr_strmap_set(&g->by_name, nr_op_attr_str(op, NR_A_sym_name), add_function(g, op));
  return true;
}

static Function *named(const Graph *g, const NrOp *op, const char *attr) {
  NrAttr symbol = nr_op_attr_named(op, attr);
  return symbol && symbol->kind == NR_ATTR_SYMBOL ? nr_strmap_get(&g->by_name, symbol->s) : NULL;
}

static bool collect_call(NrOp *op, void *user) {
  Graph *g = user;
  Function *callee = nr_op_is(op, NR_OP_func_call) ? named(g, op, "callee") : NULL;
  if (nr_op_is(op, NR_OP_func_call_indirect)) callee = g->values;
  if (callee) nr_vec_push(&g->current->callees, callee);
  Function *value = nr_op_is(op, NR_OP_func_constant) ? named(g, op, "value") : NULL;
  if (value) nr_vec_push(&g->values->callees, value);
  return true;
}

/* Finds cycles depth first: an edge to a function that is still on the stack closes one. */
static void find_circles(Function *root) {
  NR_VEC(Function *) stack = {0};
  nr_vec_push(&stack, root);
  while (stack.size) {
    Function *f = stack.data[stack.size - 1];
    f->state = OPEN;
    if (f->next == f->callees.size) {
      f->state = DONE;
      (void)nr_vec_pop(&stack);
      continue;
    }
    Function *callee = f->callees.data[f->next++];
    if (callee->state == NEW) nr_vec_push(&stack, callee);
    else if (callee->state == OPEN) (callee->op ? callee : f)->recursive = true;
  }
  nr_vec_deinit(&stack);
}

static void guard(Graph *g, NrOp *func) {
  NrStr name = nr_str_doubled(g->arena, nr_op_attr_str(func, NR_A_sym_name), '%');
  const char *text = nr_arena_printf(g->arena, "'func.func' op @%.*s calls itself too deep: the stack is full",
                                     NR_STR_ARG(name));
  NrBuilder b = nr_builder_before(nr_func_func_body(func)->first);
  b.loc = func->loc;
  NrOp *op = nr_build_op(&b, NR_OP_rt_enter, NULL, 0, NULL, 0);
  nr_op_set_attr(op, NR_A_text, nr_attr_string(b.ctx, nr_str(text)));
}

static NrStatus insert_stack_checks_run(NrPassContext *pass, NrOp *module) {
  Graph g = {.arena = pass->scratch};
  g.values = add_function(&g, NULL);
  nr_walk_pre(module, collect_function, &g);
  for (size_t i = 1; i < g.all.size; i++) {
    g.current = g.all.data[i];
    nr_walk_pre(g.current->op, collect_call, &g);
  }
  for (size_t i = 1; i < g.all.size; i++)
    if (g.all.data[i]->state == NEW) find_circles(g.all.data[i]);
  for (size_t i = 0; i < g.all.size; i++) {
    Function *f = g.all.data[i];
    if (f->recursive) guard(&g, f->op);
    nr_vec_deinit(&f->callees);
  }
  nr_vec_deinit(&g.all);
  nr_strmap_deinit(&g.by_name);
  return NR_OK;
}

NR_PASS(insert_stack_checks, .name = "insert-stack-checks", .on_while = NR_WHILE_BARRIER, .of_table = true,
        .run = insert_stack_checks_run, .doc = "checks the stack at the entry of recursive functions")
