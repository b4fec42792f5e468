/* verify_initialization_order.c - checks what initializers read and write.
 *   util.initializer {                              error: 'util.global.load' op reads @g, which is defined below the
 *     %v = util.global.load @g : i32                       initializer
 *     .. }
 *   util.global @g = 4 : i32
 * Initializers run in the order of the module. One touches globals above it only, and reads none that a later one is
 * the first to store to. A global that is not mutable and has no initial value is stored to by initializers only, also
 * through functions that nothing else calls. */
#include "dialect/util/util.h"
#include "pass/core/pass.h"
#include "pass/scalar/globals.h"

static bool stores(const NrGlobalAccess *a) { return nr_op_is(a->op, NR_OP_util_global_store); }

static NrStr name_of(const NrOp *global) { return nr_op_attr_str(global, NR_A_sym_name); }

static NrStatus verify_place(const NrGlobals *g, const NrGlobalAccess *a) {
  if (a->at == NR_NEVER || nr_global_place(g, a->global) <= a->at) return NR_OK;
  bool loads = nr_op_is(a->op, NR_OP_util_global_load);
  const char *what = stores(a) ? "stores to" : loads ? "reads" : "takes the address of";
  NrStatus status = nr_op_error(a->op, "%s @%.*s, which is defined below the initializer that runs this", what,
                                NR_STR_ARG(name_of(a->global)));
  nr_note(nr_op_context(a->op), a->global->loc, "it is defined here");
  return status;
}

/* first: the first access of an initializer that stores to the global, or NULL. */
static NrStatus verify_load(const NrGlobalAccess *a, const NrGlobalAccess *first) {
  bool begins = nr_op_attr(a->global, NR_A_initial_value) || nr_global_initializer(a->global);
  if (begins || !nr_op_is(a->op, NR_OP_util_global_load) || a->at == NR_NEVER || !first || first->at <= a->at)
    return NR_OK;
  NrStatus status = nr_op_error(a->op, "reads @%.*s before it is initialized", NR_STR_ARG(name_of(a->global)));
  nr_note(nr_op_context(a->op), first->op->loc, "a later initializer stores to it first");
  return status;
}

static NrStatus verify_store(const NrGlobalAccess *a) {
  NrStr name = name_of(a->global);
  if (!stores(a) || nr_op_attr(a->global, NR_A_is_mutable)) return NR_OK;
  if (nr_op_attr(a->global, NR_A_initial_value) || nr_global_initializer(a->global))
    return nr_op_error(a->op, "stores to @%.*s, which has an initial value and is not mutable", NR_STR_ARG(name));
  if (a->elsewhere)
    return nr_op_error(a->op, "stores to @%.*s, which is not mutable, where not only initializers do",
                       NR_STR_ARG(name));
  return NR_OK;
}

static NrStatus verify_initialization_order_run(NrPassContext *pass, NrOp *module) {
  NrGlobals g;
  NrMap first = {0}; /* util.global -> the store that runs first in initializers */
  NrStatus status = NR_OK;
  (void)pass;
  nr_globals_collect(module, &g);
  for (size_t i = 0; i < g.accesses.size; i++) {
    const NrGlobalAccess *a = &g.accesses.data[i], *known = nr_map_get(&first, a->global);
    if (stores(a) && a->at != NR_NEVER && (!known || a->at < known->at)) nr_map_set(&first, a->global, (void *)a);
  }
  for (size_t i = 0; i < g.accesses.size; i++) {
    const NrGlobalAccess *a = &g.accesses.data[i];
    NrStatus found = verify_place(&g, a);
    if (!found) found = verify_load(a, nr_map_get(&first, a->global));
    if (!found) found = verify_store(a);
    if (found) status = found;
  }
  nr_map_deinit(&first);
  nr_globals_deinit(&g);
  return status;
}

NR_PASS(verify_initialization_order, .name = "verify-initialization-order", .on_while = NR_WHILE_BARRIER,
        .of_table = true, .run = verify_initialization_order_run,
        .doc = "reports initializers that read what is not initialized, and stores to globals that do not change")
