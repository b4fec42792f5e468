/* globals.c - collects the accesses to globals; see globals.h. */
#include "dialect/util/util.h"
#include "pass/core/rewrite.h"
#include "pass/scalar/globals.h"

/* ---- which code runs when ---------------------------------------------------------------------------------------- */

typedef struct Reach {
  NrGlobals *g;
  NrMap *seen;   /* function -> value */
  void *value;
  NR_VEC(NrOp *) work;
} Reach;

static void reach(Reach *r, NrOp *func) {
  if (!func || !nr_op_has(func, NR_FUNCTION) || nr_map_has(r->seen, func)) return;
  nr_map_set(r->seen, func, r->value);
  nr_vec_push(&r->work, func);
}

static void reach_symbols(Reach *r, NrOp *op, NrAttr attr) {
  if (attr->kind == NR_ATTR_SYMBOL) reach(r, nr_symbol_find(&r->g->symbols, op, attr));
  for (size_t i = 0; attr->kind == NR_ATTR_ARRAY && i < attr->size; i++) reach_symbols(r, op, attr->items[i]);
}

/* A function that is only named may be called too. */
static bool reach_functions(NrOp *op, void *user) {
  for (uint32_t i = 0; i < op->num_attrs; i++) reach_symbols(user, op, op->attrs[i].value);
  return true;
}

static void reach_all(Reach *r) {
  while (r->work.size) nr_walk_pre(nr_vec_pop(&r->work), reach_functions, r);
}

NrAttr nr_global_initializer(const NrOp *global) {
  NrAttr by = nr_op_attr(global, NR_A_initializer);
  return by && by->kind == NR_ATTR_SYMBOL ? by : NULL;
}

/* Initializers run first, in the order of the module; what a later one runs again is left out. */
static void follow_initializers(NrGlobals *g, NrOp *module) {
  size_t place = 0;
  Reach r = {.g = g, .seen = &g->reached};
  for (NrOp *op = nr_op_only_body(module)->first; op; op = op->next) {
    bool is_global = nr_op_is(op, NR_OP_util_global), initializes = nr_op_is(op, NR_OP_util_initializer);
    if (!is_global && !initializes) continue;
    r.value = (void *)(place + 1);
    if (is_global) nr_map_set(&g->places, op, r.value);
    if (initializes) {
      nr_map_set(&g->reached, op, r.value);
      nr_vec_push(&r.work, op);
    } else if (nr_global_initializer(op)) {
      reach(&r, nr_symbol_find(&g->symbols, op, nr_global_initializer(op)));
    }
    reach_all(&r);
    place++;
  }
  nr_vec_deinit(&r.work);
}

static void follow_program(NrGlobals *g, NrOp *module) {
  Reach r = {.g = g, .seen = &g->elsewhere, .value = module};
  for (NrOp *op = nr_op_only_body(module)->first; op; op = op->next) {
    bool is_private = nr_str_is(nr_op_attr_str(op, NR_A_sym_visibility), "private");
    if (nr_op_has(op, NR_FUNCTION) && !is_private) reach(&r, op);
    else if (!nr_op_has(op, NR_FUNCTION) && !nr_op_is(op, NR_OP_util_initializer) && !nr_op_is(op, NR_OP_util_global))
      nr_walk_pre(op, reach_functions, &r);
  }
  reach_all(&r);
  nr_vec_deinit(&r.work);
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static bool is_access(const NrOp *op) {
  return nr_op_is(op, NR_OP_util_global_load) || nr_op_is(op, NR_OP_util_global_store) ||
         nr_op_is(op, NR_OP_util_global_address);
}

static void note_access(NrGlobals *g, NrOp *op) {
  NrOp *global = nr_symbol_find(&g->symbols, op, nr_op_attr(op, NR_A_global)), *func = nr_op_parent(op);
  if (!nr_op_is(global, NR_OP_util_global)) return;
  while (func && !nr_op_has(func, NR_FUNCTION) && !nr_op_is(func, NR_OP_util_initializer)) func = nr_op_parent(func);
  uintptr_t reached = (uintptr_t)nr_map_get(&g->reached, func);
  bool initializes = nr_op_is(func, NR_OP_util_initializer);
  NrGlobalAccess access = {op, global, reached ? reached - 1 : NR_NEVER,
                           !initializes && (!func || nr_map_has(&g->elsewhere, func))};
  nr_vec_push(&g->accesses, access);
}

void nr_globals_collect(NrOp *module, NrGlobals *out) {
  NrOpList found = {0};
  *out = (NrGlobals){0};
  follow_initializers(out, module);
  follow_program(out, module);
  nr_collect_pre(module, is_access, &found);
  for (size_t i = 0; i < found.size; i++) note_access(out, found.data[i]);
  nr_vec_deinit(&found);
}

void nr_globals_deinit(NrGlobals *g) {
  nr_vec_deinit(&g->accesses);
  nr_map_deinit(&g->places);
  nr_map_deinit(&g->reached);
  nr_map_deinit(&g->elsewhere);
  nr_symbol_tables_deinit(&g->symbols);
}

size_t nr_global_place(const NrGlobals *g, const NrOp *global) {
  uintptr_t place = (uintptr_t)nr_map_get(&g->places, global);
  return place ? place - 1 : NR_NEVER;
}
