/* check_life.c - the checks of check-bounds for the lifetime of buffers: a freed buffer must not be used, and elements
 * that were never written are 0, as in the interpreter.
 *
 *   before  %m = memref.alloc() : memref<4xf32>       after  %alive = memref.alloca() : memref<i1>
 *           scf.if %c { memref.dealloc %m }                  memref.store %true, %alive[]
 *           %x = memref.load %m[%i]                          scf.if %c { memref.store %false, %alive[] .. }
 *                                                            %yes = memref.load %alive[]
 *                                                            rt.check %yes, "'memref.load' op uses memory that .."
 *
 * A buffer's flag belongs to the root value of its views: an allocation, an argument, a result. The pass does not see a
 * buffer that is freed through one root and used through another (carried by a loop, freed by a called function). A use
 * in front of every dealloc needs no check. */
#include "dialect/arith/arith.h"
#include "dialect/arith/fold.h"
#include "dialect/linalg/linalg.h"
#include "dialect/memref/memref.h"
#include "dialect/scf/scf.h"
#include "pass/core/checks.h"
#include "pass/analysis/dependence.h"

/* ---- never written ---------------------------------------------------------------------------------------------- */

/* The zero of elem; NULL when elem is not a number type. */
static NrValue *zero_of(NrBuilder *b, NrType elem) {
  if (elem->kind == NR_TYPE_COMPLEX) {
    NrValue *part = zero_of(b, elem->elem);
    return nr_build_value(b, NR_OP_complex_create, elem, (NrValue *[]){part, part}, 2);
  }
  bool number = nr_type_is_int_or_index(elem) || nr_type_is_float(elem);
  return number ? nr_arith_constant(b, nr_zero_attr(elem)) : NULL;
}

/* Fills with zeros the part that memref.realloc adds. */
static void clear_grown(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *grown = nr_op_result(op), *index, *old = nr_check_size_of(&b, nr_memref_realloc_source(op), 0);
  b = nr_builder_after(op);
  NrValue *zero = zero_of(&b, grown->type->elem), *one = nr_arith_constant_index(&b, 1);
  if (!zero) return;
  NrOp *loop = nr_scf_open_for(&b, old, nr_check_size_of(&b, grown, 0), one, NULL, 0, &index);
  nr_build_op(&b, NR_OP_memref_store, (NrValue *[]){zero, grown, index}, 3, NULL, 0);
  nr_scf_close_for(&b, loop, NULL, 0);
}

void nr_check_written(NrOp *op) {
  NrValue *made = nr_op_result(op);
  if (nr_op_is(op, NR_OP_memref_realloc)) {
    clear_grown(op);
    return;
  }
  NrBuilder b = nr_builder_after(op);
  NrValue *zero = zero_of(&b, made->type->elem);
  if (!zero) return;
  NrValue *filled = nr_build_fill(&b, zero, made);
  if (filled != made) nr_value_replace_uses_except(made, filled, filled->op);
}

/* ---- freed ------------------------------------------------------------------------------------------------------ */

typedef struct Life {
  NrValue *root;
  NR_VEC(NrOp *) frees;
  NrValue *flag; /* memref<i1>, created for the first check */
} Life;

typedef struct Lives {
  NrMap by_root; /* NrValue* -> Life* */
  NR_VEC(Life *) all;
  NR_VEC(NrOp *) users;
} Lives;

static NrValue *bool_of(NrBuilder *b, bool on) { return nr_arith_constant(b, nr_attr_bool(b->ctx, on)); }

static NrValue *freed_by(const NrOp *op) {
  if (nr_op_is(op, NR_OP_memref_dealloc)) return nr_memref_root(nr_memref_dealloc_memref(op));
  return nr_op_is(op, NR_OP_memref_realloc) ? nr_memref_root(nr_memref_realloc_source(op)) : NULL;
}

static bool accesses_memory(const NrOp *op) {
  return (op->info->traits & (NR_READS | NR_WRITES | NR_FREES)) && !nr_op_is(op, NR_OP_memref_reshape);
}

static bool note_op(NrOp *op, void *user) {
  Lives *lives = user;
  NrValue *root = freed_by(op);
  if (accesses_memory(op)) nr_vec_push(&lives->users, op);
  if (!root) return true;
  Life *life = nr_map_get(&lives->by_root, root);
  if (!life) {
    life = nr_calloc(1, sizeof *life);
    life->root = root;
    nr_map_set(&lives->by_root, root, life);
    nr_vec_push(&lives->all, life);
  }
  nr_vec_push(&life->frees, op);
  return true;
}

/* The op of this block that is op or contains it. */
static NrOp *ancestor_in(const NrBlock *block, NrOp *op) {
  while (op && op->block != block) op = nr_op_parent(op);
  return op;
}

/* Whether the use precedes all deallocs in the root's block. */
static bool is_before_frees(const Life *life, NrOp *user) {
  const NrBlock *block = life->root->block ? life->root->block : life->root->op->block;
  NrOp *use = ancestor_in(block, user);
  for (size_t i = 0; i < life->frees.size; i++) {
    NrOp *frees = ancestor_in(block, life->frees.data[i]);
    bool itself = user == life->frees.data[i] && use == user && frees == user;
    if (!use || !frees || !(itself || nr_op_is_before(use, frees))) return false;
  }
  return true;
}

static void set_flag(NrBuilder *b, NrValue *flag, bool alive) {
  nr_build_op(b, NR_OP_memref_store, (NrValue *[]){bool_of(b, alive), flag}, 2, NULL, 0);
}

static void open_flag(Life *life) {
  NrValue *root = life->root;
  NrBuilder b = nr_builder_before(life->frees.data[0]);
  b = root->block ? nr_builder_at_start(b.module, root->block, b.loc) : nr_builder_after(root->op);
  life->flag = nr_build_alloc(&b, NR_OP_memref_alloca, nr_type_i1(b.ctx), NULL, 0);
  set_flag(&b, life->flag, true);
  for (size_t i = 0; i < life->frees.size; i++) {
    b = nr_builder_before(life->frees.data[i]);
    set_flag(&b, life->flag, false);
  }
}

/* Builds the check before user; for a dealloc, before the store that open_flag inserted. */
static void check_use(Life *life, NrOp *user) {
  if (!life->flag) open_flag(life);
  bool frees = freed_by(user) == life->root;
  NrBuilder b = nr_builder_before(frees ? user->prev->prev : user);
  b.loc = user->loc;
  NrValue *alive = nr_build_value(&b, NR_OP_memref_load, nr_type_i1(b.ctx), &life->flag, 1);
  nr_check_unless(&b, user, alive, "uses memory that was freed", NULL, 0);
}

static void check_user(Lives *lives, NrOp *user) {
  NrValue *done[2] = {NULL, NULL}; /* an op has at most two buffers: source and target */
  for (size_t i = 0, n = 0; i < user->num_operands; i++) {
    NrValue *v = nr_operand(user, i);
    if (!nr_type_is_memref(v->type)) continue;
    NrValue *root = nr_memref_root(v);
    Life *life = nr_map_get(&lives->by_root, root);
    if (!life || root == done[0] || root == done[1] || is_before_frees(life, user)) continue;
    check_use(life, user);
    done[n++ % 2] = root;
  }
}

void nr_check_life(NrOp *root) {
  Lives lives = {0};
  nr_walk_pre(root, note_op, &lives);
  for (size_t i = 0; i < lives.users.size && lives.by_root.size; i++) check_user(&lives, lives.users.data[i]);
  for (size_t i = 0; i < lives.all.size; i++) {
    nr_vec_deinit(&lives.all.data[i]->frees);
    nr_free(lives.all.data[i]);
  }
  nr_map_deinit(&lives.by_root);
  nr_vec_deinit(&lives.all);
  nr_vec_deinit(&lives.users);
}
