/* fold_globals.c - simplifies globals by all accesses that the module has.
 *   before  util.global private mutable @g = 4 : i32           after  util.global private @g = 4 : i32
 *           %v = util.global.load @g : i32                            %v = arith.constant 4 : i32
 * Of private globals whose address is not taken:
 *   - one that is stored to in initializers only is not mutable;
 *   - stores of the value that a global begins with are dropped, and one of a constant that an initializer begins with
 *     becomes the initial value;
 *   - loads of one that is not mutable become its initial value, or loads of the global that it is a copy of;
 *   - one that is never read is not stored to. symbol-dce then removes it. */
#include "dialect/arith/arith.h"
#include "dialect/util/util.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"
#include "pass/scalar/globals.h"

/* What the module does with a global. */
typedef struct Use {
  NrOp *global;
  size_t num_loads, num_stores;
  bool is_private, address, changes; /* changes: a store outside of initializers */
  size_t first_load;                 /* place of the first initializer that loads it */
  NrGlobalAccess *store;             /* the only one, or one of several */
  NR_VEC(NrGlobalAccess *) accesses;
  NrAttr stored;                     /* the constant that all stores store; NULL: there is none */
} Use;

static NrAttr constant_of(NrOp *store) { return nr_value_constant(nr_util_global_store_value(store)); }

static void note(Use *use, NrGlobalAccess *a) {
  nr_vec_push(&use->accesses, a);
  if (nr_op_is(a->op, NR_OP_util_global_load)) {
    use->num_loads++;
    use->first_load = NR_MIN(use->first_load, a->at);
  } else if (nr_op_is(a->op, NR_OP_util_global_store)) {
    NrAttr constant = constant_of(a->op);
    if (!use->num_stores++) use->stored = constant;
    else if (use->stored != constant) use->stored = NULL;
    use->store = a;
    use->changes |= a->elsewhere || a->at == NR_NEVER;
  } else {
    use->address = true;
  }
}

/* Whether an initializer always runs op, and first. */
static bool begins_initializer(const NrOp *op) {
  const NrOp *initializer = nr_op_parent(op);
  if (!nr_op_is(initializer, NR_OP_util_initializer) || op->block->prev) return false;
  for (const NrOp *before = op->prev; before; before = before->prev)
    if (!nr_op_has(before, NR_PURE) && !nr_op_is(before, NR_OP_util_global_load) &&
        !nr_op_is(before, NR_OP_util_global_store))
      return false;
  return true;
}

static bool has_type(const NrOp *global, NrAttr value) {
  return value && value->kind != NR_ATTR_TYPE && value->type == nr_op_attr(global, NR_A_type)->type;
}

static void erase_stores(Use *use) {
  for (size_t i = 0; i < use->accesses.size; i++)
    if (nr_op_is(use->accesses.data[i]->op, NR_OP_util_global_store)) nr_op_erase(use->accesses.data[i]->op);
  use->num_stores = 0;
}

/* The global whose value an initializer copies to this one, both of which do not change otherwise; or NULL. */
static NrOp *copied_global(const Use *use, const NrMap *uses, const NrMap *accesses) {
  if (use->num_stores != 1 || use->changes || nr_op_attr(use->global, NR_A_initial_value)) return NULL;
  if (use->first_load != NR_NEVER || !begins_initializer(use->store->op)) return NULL;
  NrOp *load = nr_util_global_store_value(use->store->op)->op;
  const NrGlobalAccess *access = load ? nr_map_get(accesses, load) : NULL;
  if (!access || !nr_op_is(load, NR_OP_util_global_load)) return NULL;
  const Use *from = nr_map_get(uses, access->global);
  bool fixed = from && from->is_private && !from->address && !from->num_stores;
  bool same = nr_op_attr(access->global, NR_A_type) == nr_op_attr(use->global, NR_A_type);
  return fixed && same ? access->global : NULL;
}

/* Replaces the loads of a global by its value (from NULL), or by loads of another one. */
static bool replace_loads(Use *use, NrAttr value, NrOp *from) {
  bool changed = false;
  for (size_t i = 0; i < use->accesses.size; i++) {
    NrGlobalAccess *access = use->accesses.data[i];
    NrOp *op = access->op;
    if (nr_is_erased(op) || access->global != use->global || !nr_op_is(op, NR_OP_util_global_load)) continue;
    if (!from && nr_op_result(op)->type != value->type) continue;
    changed = true;
    if (from) {
      nr_op_set_attr(op, NR_A_global, nr_attr_symbol(nr_op_context(op), nr_op_attr_str(from, NR_A_sym_name)));
      access->global = from;
    } else {
      NrBuilder b = nr_builder_before(op);
      nr_op_replace(op, nr_arith_constant(&b, value));
    }
  }
  return changed;
}

static bool fold(Use *use, const NrMap *uses, const NrMap *accesses) {
  NrOp *global = use->global;
  NrAttr value = nr_op_attr(global, NR_A_initial_value);
  bool is_mutable = nr_op_attr(global, NR_A_is_mutable) != NULL, closed = use->is_private && !use->address;
  NrAttr stored = use->num_stores == 1 ? constant_of(use->store->op) : use->stored;
  if (nr_global_initializer(global)) return false;
  if (closed && use->num_stores && (!use->num_loads || (value && stored == value)))
    return erase_stores(use), true;
  if (closed && use->num_stores == 1 && !value && !use->changes && has_type(global, stored) &&
      begins_initializer(use->store->op) && (use->first_load == NR_NEVER || use->first_load > use->store->at)) {
    nr_op_set_attr(global, NR_A_initial_value, stored);
    return erase_stores(use), true;
  }
  if (closed && is_mutable && !use->changes && !(value && use->num_stores))
    return nr_op_remove_attr(global, NR_A_is_mutable), true;
  if (!is_mutable && !use->num_stores && !use->address && has_type(global, value))
    return replace_loads(use, value, NULL);
  NrOp *from = closed && !is_mutable ? copied_global(use, uses, accesses) : NULL;
  return from && replace_loads(use, NULL, from);
}

static void collect_uses(NrOp *module, NrGlobals *g, NrArena *arena, NrMap *uses, NrMap *accesses) {
  for (NrOp *op = nr_op_only_body(module)->first; op; op = op->next) {
    if (!nr_op_is(op, NR_OP_util_global)) continue;
    Use *use = NR_NEW(arena, Use);
    *use = (Use){.global = op, .first_load = NR_NEVER};
    use->is_private = nr_str_is(nr_op_attr_str(op, NR_A_sym_visibility), "private");
    nr_map_set(uses, op, use);
  }
  for (size_t i = 0; i < g->accesses.size; i++) {
    Use *use = nr_map_get(uses, g->accesses.data[i].global);
    if (use) note(use, &g->accesses.data[i]);
    nr_map_set(accesses, g->accesses.data[i].op, &g->accesses.data[i]);
  }
}

/* Folds each global until nothing changes. What another one becomes is seen by the next call. */
static bool fold_all(NrOp *module, NrArena *arena) {
  NrGlobals g;
  NrMap uses = {0}, accesses = {0};
  bool changed = false;
  nr_globals_collect(module, &g);
  collect_uses(module, &g, arena, &uses, &accesses);
  for (NrOp *op = nr_op_only_body(module)->first; op; op = op->next) {
    Use *use = nr_op_is(op, NR_OP_util_global) ? nr_map_get(&uses, op) : NULL;
    while (use && fold(use, &uses, &accesses)) changed = true;
    if (use) nr_vec_deinit(&use->accesses);
  }
  nr_map_deinit(&uses);
  nr_map_deinit(&accesses);
  nr_globals_deinit(&g);
  return changed;
}

static NrStatus fold_globals_run(NrPassContext *pass, NrOp *module) {
  while (fold_all(module, pass->scratch)) continue;
  return NR_OK;
}

NR_PASS(fold_globals, .name = "fold-globals", .on_while = NR_WHILE_BARRIER, .of_table = true, .run = fold_globals_run,
        .doc = "makes globals that do not change immutable, and their loads constants")
