/* canonicalize.c - brings ops to their simplest form.
 *   before  %0 = arith.constant 2 : index          after  %c6 = arith.constant 6 : index
 *           %1 = arith.constant 3 : index                 scf.yield %c6 : index
 *           %2 = arith.muli %0, %1 : index
 *           scf.yield %2 : index
 *
 * Sweeps over all ops, outer and earlier ones first, until a sweep changes nothing. A sweep erases dead ops, keeps one
 * copy of each constant at the entry of the nearest isolated region, and applies the folds and canonicalizations of op
 * definitions. A sweep is linear, and because values flow forwards the second one mostly finds nothing left. Each
 * isolated op is swept by itself. */
#include "base/guard.h"
#include "interp/interp.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

enum { MAX_ROUNDS = 32, MAX_STACK_OPERANDS = 16, AHEAD = 24 };

/* The constants at the entry of one isolated region. */
typedef struct Pool {
  NrMap by_value; /* NrAttr -> NrOp*, the first op with this attribute */
  NrOp *last;     /* the pool's last constant in the entry block; later ones go behind it */
} Pool;

typedef struct Canonicalizer {
  NrPassContext *pass;
  NrMap pools; /* NrRegion* -> Pool* in the scratch arena */
  NR_VEC(Pool *) all_pools;
  bool forwards;                   /* direction of a sweep */
  enum { AS_THEY_ARE, SIMPLIFIED, MERGED } blocks;
  int64_t max_sweeps, rewrites_left; /* INT64_MAX: no limit */
  bool stopped;                    /* max_sweeps ended the simplification of an op */
} Canonicalizer;

/* ---- constants --------------------------------------------------------------------------------------------------- */

static Pool *pool_of(Canonicalizer *c, NrRegion *region) {
  Pool *pool = nr_map_get(&c->pools, region);
  if (pool) return pool;
  pool = NR_NEW(c->pass->scratch, Pool);
  nr_map_set(&c->pools, region, pool);
  nr_vec_push(&c->all_pools, pool);
  return pool;
}

static NrOp *known_constant(const Pool *pool, NrAttr value) {
  NrOp *op = nr_map_get(&pool->by_value, value);
  return op && !nr_is_erased(op) ? op : NULL;
}

/* Moves op behind the pool's last constant in the entry block. */
static void move_to_pool(Pool *pool, NrRegion *region, NrOp *op) {
  if (pool->last && nr_is_erased(pool->last)) pool->last = NULL;
  NrOp *at = pool->last ? pool->last->next : region->first->first;
  if (at != op) {
    nr_op_unlink(op);
    if (pool->last) nr_op_insert_after(op, pool->last);
    else nr_op_prepend(region->first, op);
  }
  pool->last = op;
}

/* Moves a constant to the entry, or replaces it by the equal one there. True when the program changed. */
static bool unify_constant(Canonicalizer *c, NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  if (op->num_attrs != 1 || !value || op->num_results != 1) return false;
  NrRegion *region = nr_isolated_region(op);
  Pool *pool = pool_of(c, region);
  NrOp *known = known_constant(pool, value);
  if (known == op) return false;
  if (known) {
    if (known->info != op->info || nr_op_result(known)->type != nr_op_result(op)->type) return false;
    return nr_op_replace(op, nr_op_result(known));
  }
  nr_map_set(&pool->by_value, value, op);
  bool moves = op->block != region->first;
  move_to_pool(pool, region, op);
  return moves;
}

static NrValue *constant_for(Canonicalizer *c, NrOp *op, NrAttr value, NrType type) {
  NrRegion *region = nr_isolated_region(op);
  Pool *pool = pool_of(c, region);
  NrOp *known = known_constant(pool, value);
  if (known && nr_op_result(known)->type == type) return nr_op_result(known);
  NrBuilder b = nr_builder_before(op);
  NrOp *made = nr_build_constant(&b, value, type);
  if (!made) return NULL;
  if (!known) {
    nr_map_set(&pool->by_value, value, made);
    move_to_pool(pool, region, made);
  }
  return nr_op_result(made);
}

/* ---- one op ------------------------------------------------------------------------------------------------------ */

static bool constants_to_the_right(NrOp *op) {
  enum { LEFT, RIGHT }; /* the operands of a binary op of any dialect */
  if (!nr_op_has(op, NR_COMMUTATIVE) || op->num_operands != 2) return false;
  NrValue *lhs = nr_operand(op, LEFT), *rhs = nr_operand(op, RIGHT);
  if (!nr_value_constant(lhs) || nr_value_constant(rhs)) return false;
  nr_op_set_operand(op, LEFT, rhs);
  nr_op_set_operand(op, RIGHT, lhs);
  return true;
}

static bool replace_by_folded(Canonicalizer *c, NrOp *op, const NrFold *folded) {
  NrValue **values = NR_NEW_ARRAY(c->pass->scratch, NrValue *, op->num_results + 1);
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrType type = nr_result(op, i)->type;
    values[i] = folded[i].value ? folded[i].value : folded[i].attr ? constant_for(c, op, folded[i].attr, type) : NULL;
    if (!values[i] || values[i]->type != type || values[i] == nr_result(op, i)) return false;
  }
  bool changed = false;
  for (uint32_t i = 0; i < op->num_results; i++) {
    changed |= nr_value_has_uses(nr_result(op, i));
    nr_value_replace_uses(nr_result(op, i), values[i]);
  }
  return nr_erase_if_dead(op) || changed;
}

/* Scalars and small vectors, which the interpreter evaluates quickly and with the results of machine code. */
static bool is_small(NrType type) {
  enum { MAX_ELEMENTS = 256 };
  int64_t count = 1;
  if (type->kind == NR_TYPE_VECTOR) {
    if (type->scalable) return false;
    for (uint32_t i = 0; i < type->rank; i++)
      if (!nr_mul_i64(count, type->dims[i], &count) || count > MAX_ELEMENTS) return false;
    type = type->elem;
  }
  return (nr_type_is_int_or_index(type) || nr_type_is_float(type)) && nr_type_bits(type) <= 64;
}

/* Folds a vector op on constants by interpreting it, which saves a fold for each of the many vector ops. */
static bool fold_by_running(NrOp *op, const NrAttr *constants, NrFold *out) {
  enum { MAX_STEPS = 100 };
  NrAttr results[MAX_STACK_OPERANDS];
  if (strcmp(op->info->dialect, "vector") != 0 || !nr_op_has(op, NR_PURE) || op->num_operands == 0) return false;
  if (op->num_results > MAX_STACK_OPERANDS || op->num_regions) return false;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    bool known = constants[i] && (nr_attr_is_elements(constants[i]) || constants[i]->kind == NR_ATTR_INTEGER ||
                                  constants[i]->kind == NR_ATTR_FLOAT);
    if (!known || !is_small(nr_operand(op, i)->type)) return false;
  }
  for (uint32_t i = 0; i < op->num_results; i++)
    if (!is_small(nr_result(op, i)->type)) return false;
  if (!nr_interp_fold(op, constants, MAX_STEPS, results)) return false;
  for (uint32_t i = 0; i < op->num_results; i++) out[i] = (NrFold){.attr = results[i]};
  return true;
}

static bool fold(Canonicalizer *c, NrOp *op) {
  if (op->num_results == 0 || (!op->info->fold && strcmp(op->info->dialect, "vector") != 0)) return false;
  NrAttr constants_buffer[MAX_STACK_OPERANDS];
  NrFold folded_buffer[MAX_STACK_OPERANDS] = {0};
  bool small = op->num_operands <= MAX_STACK_OPERANDS && op->num_results <= MAX_STACK_OPERANDS;
  NrAttr *constants = small ? constants_buffer : NR_NEW_ARRAY(c->pass->scratch, NrAttr, op->num_operands + 1);
  NrFold *folded = small ? folded_buffer : NR_NEW_ARRAY(c->pass->scratch, NrFold, op->num_results + 1);
  for (uint32_t i = 0; i < op->num_operands; i++) constants[i] = nr_value_constant(nr_operand(op, i));
  if (op->info->fold && op->info->fold(op, constants, folded)) return replace_by_folded(c, op, folded);
  memset(folded, 0, op->num_results * sizeof *folded);
  return fold_by_running(op, constants, folded) && replace_by_folded(c, op, folded);
}

static bool visit(Canonicalizer *c, NrOp *op) {
  if (nr_erase_if_dead(op)) return true;
  if (nr_op_has(op, NR_CONSTANT_LIKE)) return unify_constant(c, op);
  bool changed = constants_to_the_right(op);
  if (fold(c, op)) return true;
  if (!op->info->canonicalize) return changed;
  NrBuilder b = nr_builder_before(op);
  return op->info->canonicalize(op, &b) || changed;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* The value that all branches to the block pass to argument i, ignoring the argument itself; NULL when they differ. */
static NrValue *only_incoming(const NrBlock *block, uint32_t i) {
  NrValue *only = NULL;
  for (const NrSuccessor *pred = block->first_pred; pred; pred = pred->next) {
    NrValue *value = nr_successor_operand(pred->owner, (size_t)(pred - pred->owner->successors), i);
    if (value == block->args[i]) continue;
    if (only && only != value) return NULL;
    only = value;
  }
  return only;
}

static bool all_hand_over(const NrBlock *block) {
  for (const NrSuccessor *pred = block->first_pred; pred; pred = pred->next)
    if (pred->num_operands != block->num_args) return false;
  return block->first_pred != NULL;
}

/* Drops arguments that always have the same value or are unused. */
static bool drop_arguments(NrBlock *block) {
  bool changed = false;
  if (!block->num_args || !all_hand_over(block)) return false;
  for (uint32_t i = block->num_args; i-- > 0;) {
    NrValue *only = only_incoming(block, i);
    if (!only && nr_value_has_uses(block->args[i])) continue;
    if (only) nr_value_replace_uses(block->args[i], only);
    for (NrSuccessor *pred = block->first_pred; pred; pred = pred->next)
      nr_successor_erase_operand(pred->owner, (size_t)(pred - pred->owner->successors), i);
    nr_block_erase_arg(block, i);
    changed = true;
  }
  return changed;
}

/* Simplifies the blocks of op's regions until no block changes. */
static bool simplify_regions(const Canonicalizer *c, NrOp *op) {
  bool changed = false;
  for (uint32_t r = 0; r < op->num_regions; r++) {
    NrRegion *region = &op->regions[r];
    if (region->first == region->last) continue;
    changed |= nr_erase_unreachable_blocks(region);
    changed |= c->blocks == MERGED && nr_merge_equal_blocks(region);
    bool again = true;
    for (int i = 0; i < MAX_ROUNDS && again; i++) {
      again = false;
      for (NrBlock *block = region->first->next; block; block = block->next) {
        nr_block_prefetch(block);
        again |= drop_arguments(block);
      }
      changed |= again;
    }
  }
  return changed;
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------ */

static void forget_constants(Canonicalizer *c) {
  for (size_t i = 0; i < c->all_pools.size; i++) nr_map_deinit(&c->all_pools.data[i]->by_value);
  c->all_pools.size = 0;
  nr_map_clear(&c->pools);
}

typedef struct Inside {
  NrOpList ops, isolated; /* isolated ops are in both */
} Inside;

/* Collects the ops nested in op, but not those in isolated ops. */
static void collect_inside(NrOp *op, Inside *out) {
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next)
      for (NrOp *inner = block->first; inner; inner = inner->next) {
        nr_op_prefetch_head(inner);
        nr_vec_push(&out->ops, inner);
        if (!inner->num_regions) continue;
        if (nr_op_has(inner, NR_ISOLATED)) nr_vec_push(&out->isolated, inner);
        else collect_inside(inner, out);
      }
}

/* Visits the ops in root once; returns whether any changed. inside is a buffer for them. The blocks of root are
 * simplified before, so that their simplification does not cause another sweep. */
static bool sweep(Canonicalizer *c, NrOp *root, Inside *inside) {
  bool changed = false;
  if (c->blocks) simplify_regions(c, root);
  inside->ops.size = inside->isolated.size = 0;
  collect_inside(root, inside);
  const NrOpList *ops = &inside->ops;
  for (size_t k = 0; k < ops->size && c->rewrites_left; k++) {
    size_t i = c->forwards ? k : ops->size - 1 - k;
    NrOp *op = ops->data[i];
    if (c->forwards && i + AHEAD < ops->size) nr_prefetch(ops->data[i + AHEAD], 0, NR_OP_LINES);
    if (nr_is_erased(op)) continue;
    nr_guard_at(op->loc);
    if (c->blocks && op->num_regions && !nr_op_has(op, NR_ISOLATED)) changed |= simplify_regions(c, op);
    if (nr_is_erased(op) || !visit(c, op)) continue;
    changed = true;
    if (c->rewrites_left != INT64_MAX) c->rewrites_left--;
  }
  forget_constants(c);
  return changed;
}

/* Sweeps over root until nothing changes, then does the same for each isolated op in it: each stays in the caches while
 * it is simplified. */
static void simplify(Canonicalizer *c, NrOp *root) {
  Inside inside = {0};
  bool goes_on = true;
  for (int64_t i = 0; i < c->max_sweeps && goes_on; i++) goes_on = sweep(c, root, &inside);
  c->stopped |= goes_on;
  for (size_t i = 0; i < inside.isolated.size; i++)
    if (!nr_is_erased(inside.isolated.data[i])) simplify(c, inside.isolated.data[i]);
  nr_vec_deinit(&inside.ops);
  nr_vec_deinit(&inside.isolated);
}

/* The value of an option that is a limit; -1 means no limit. */
static int64_t limit(const NrPassContext *pass, const char *option) {
  int64_t value = nr_pass_int(pass, option);
  return value < 0 ? INT64_MAX : value;
}

static NrStatus canonicalize_run(NrPassContext *pass, NrOp *op) {
  Canonicalizer c = {.pass = pass,
                     .forwards = nr_pass_flag(pass, "top-down"),
                     .blocks = (int)nr_pass_int(pass, "region-simplify"),
                     .max_sweeps = limit(pass, "max-iterations"),
                     .rewrites_left = limit(pass, "max-num-rewrites")};
  simplify(&c, op);
  nr_map_deinit(&c.pools);
  nr_vec_deinit(&c.all_pools);
  if ((c.stopped || !c.rewrites_left) && nr_pass_flag(pass, "test-convergence"))
    return nr_error(pass->ctx, op->loc, "canonicalize: did not converge within the limit of sweeps or rewrites");
  return NR_OK;
}

static const char *const region_words[] = {"disabled", "normal", "aggressive", NULL}; /* as Canonicalizer.blocks */
static const NrPassOption options[] = {
    NR_FLAG("top-down", true, "sweep from the first op to the last, else from the last to the first"),
    NR_WORD("region-simplify", 1, region_words,
            "normal: removes unreachable blocks and block arguments that are always one value; aggressive: also merges "
            "equal blocks"),
    NR_INT("max-iterations", 32, -1, INT64_MAX,
           "maximum number of sweeps over an isolated op; -1: until a sweep changes nothing"),
    NR_INT("max-num-rewrites", -1, -1, INT64_MAX, "maximum number of rewrites; -1: no limit"),
    NR_FLAG("test-convergence", false, "report an error when a limit ends it"),
    {0},
};
NR_PASS(canonicalize, .name = "canonicalize", .on_while = NR_WHILE_HANDLES, .run = canonicalize_run, .options = options,
        .doc = "simplifies ops: folds constants, applies identities, removes dead ops")
