/* double_buffer_loops.c - double buffering: a loop that allocates and frees buffers of one type in every iteration
 * reuses two buffers.
 *
 *   before  scf.for .. iter_args(%old = %a) {       after  %b = memref.alloc() : memref<64xf32>
 *             %new = memref.alloc() ..                     %r:2 = scf.for .. iter_args(%old = %a, %new = %b) {
 *             ..                                             ..
 *             memref.dealloc %old                            scf.yield %new, %old
 *             scf.yield %new                               }
 *           }                                              memref.dealloc %r#1
 *
 * An iteration that frees one buffer and allocates another of the same type can reuse the freed one in the next
 * iteration, or at once if the dealloc precedes the alloc. Where sizes may change between iterations, a buffer of
 * another size is replaced. */
#include "dialect/memref/memref.h"
#include "dialect/scf/scf.h"
#include "pass/bufferize/buffers.h"
#include "pass/core/pass.h"

typedef struct Turn {
  NrOp *alloc;    /* in every iteration .. */
  NrOp *dealloc;  /* .. and of a buffer of the same type, defined in the same block */
  NrValue *spare; /* argument that carries the spare buffer; NULL: dealloc precedes alloc */
  size_t waiting; /* position + 1 of the next unpaired entry of the same type, while pairing */
} Turn;

typedef struct Turns {
  NR_VEC(Turn) list;
} Turns;

/* ---- finding ---------------------------------------------------------------------------------------------------- */

static bool is_own_free(NrOp *op, NrBlock *block) {
  if (!nr_op_is(op, NR_OP_memref_dealloc)) return false;
  NrValue *value = nr_memref_dealloc_memref(op);
  return value->type->kind == NR_TYPE_MEMREF && !value->type->layout && nr_value_block(value) == block &&
         nr_buffer_dealloc(value) == op;
}

/* Pairs the allocs of block with its frees of the same type. */
static void find_turns(NrBlock *block, Turns *out) {
  NrMap allocs = {0}, frees = {0}; /* type -> position + 1 of the last one without a partner */
  for (NrOp *op = block->first; op; op = op->next) {
    bool alloc = nr_op_is(op, NR_OP_memref_alloc) && !nr_op_result(op)->type->layout;
    if (!alloc && !is_own_free(op, block)) continue;
    NrType t = alloc ? nr_op_result(op)->type : nr_memref_dealloc_memref(op)->type;
    NrMap *partners = alloc ? &frees : &allocs, *own = alloc ? &allocs : &frees;
    size_t at = (size_t)(uintptr_t)nr_map_get(partners, t);
    if (at) nr_map_set(partners, t, (void *)(uintptr_t)out->list.data[at - 1].waiting);
    else {
      nr_vec_push(&out->list, ((Turn){.waiting = (size_t)(uintptr_t)nr_map_get(own, t)}));
      at = out->list.size;
      nr_map_set(own, t, (void *)(uintptr_t)at);
    }
    if (alloc) out->list.data[at - 1].alloc = op;
    else out->list.data[at - 1].dealloc = op;
  }
  size_t paired = 0;
  for (size_t i = 0; i < out->list.size; i++)
    if (out->list.data[i].alloc && out->list.data[i].dealloc) out->list.data[paired++] = out->list.data[i];
  out->list.size = paired;
  nr_map_deinit(&allocs);
  nr_map_deinit(&frees);
}

/* ---- rewriting -------------------------------------------------------------------------------------------------- */

#define ANY_SIZE "noria.any_size" /* on the alloc of a spare, which may be replaced by one of another size */

/* The spare buffer if it has the sizes of alloc, else a new one for it. */
static NrValue *fitting(NrOp *alloc, NrValue *spare) {
  NrType t = spare->type;
  if (nr_type_has_static_shape(t) || nr_op_attr(alloc, NR_A_noria_any_size)) return spare;
  NrBuilder b = nr_builder_before(alloc);
  NrValue *same = NULL;
  size_t next = 0;
  for (uint32_t i = 0; i < t->rank; i++) {
    if (t->dims[i] != NR_DYNAMIC) continue;
    NrValue *sizes[2] = {nr_index_value(&b, nr_dim_build(&b, spare, i)), nr_operand(alloc, next++)};
    NrValue *equal = nr_build_value(&b, NR_OP_arith_cmpi, nr_type_i1(b.ctx), sizes, 2);
    nr_op_set_attr(equal->op, NR_A_predicate, nr_attr_i64(b.ctx, 0));
    same = same ? nr_build_value(&b, NR_OP_arith_andi, equal->type, (NrValue *[]){same, equal}, 2) : equal;
  }
  NrOp *branch = nr_scf_if(&b, same, &t, 1, true);
  for (size_t r = 0; r < 2; r++) {
    NrBuilder inner = nr_scf_body_builder(nr_op_body(branch, r));
    NrValue *result = spare;
    if (r == 1) {
      nr_build_op(&inner, NR_OP_memref_dealloc, &spare, 1, NULL, 0);
      NrMap map = {0};
      NrOp *fresh = nr_op_clone(b.module, alloc, &map);
      nr_map_deinit(&map);
      nr_builder_insert(&inner, fresh);
      result = nr_op_result(fresh);
    }
    nr_scf_yield(&inner, &result, 1);
  }
  return nr_op_result(branch);
}

/* The initial spare buffer, with size 0 where the size is not known yet. */
static NrValue *first_spare(NrBuilder *b, NrType t) {
  NrIndex dims[NR_MAX_RANK];
  for (uint32_t i = 0; i < t->rank; i++) dims[i] = nr_index_const(t->dims[i] == NR_DYNAMIC ? 0 : t->dims[i]);
  for (uint32_t i = 0; i < t->rank; i++)
    if (t->dims[i] == NR_DYNAMIC) dims[i] = (NrIndex){nr_index_value(b, dims[i]), 0};
  NrValue *spare = nr_build_alloc(b, NR_OP_memref_alloc, t->elem, dims, t->rank);
  if (!nr_type_has_static_shape(t)) nr_op_set_attr(spare->op, NR_A_noria_any_size, nr_attr_unit(b->ctx));
  return spare;
}

static void append_operand(NrOp *op, NrValue *value) { nr_op_insert_operand(op, op->num_operands, value); }

/* Rebuilds the loop with a carried buffer for each turn of region r, freed behind it, and erases the old loop. */
static NrOp *carry_spares(NrOp *loop, size_t r, Turns *turns, NrArena *scratch) {
  NrBuilder b = nr_builder_before(loop);
  size_t extra = turns->list.size;
  NrValue **operands = NR_NEW_ARRAY(scratch, NrValue *, loop->num_operands + extra);
  NrType *types = NR_NEW_ARRAY(scratch, NrType, loop->num_results + extra);
  for (size_t i = 0; i < loop->num_operands; i++) operands[i] = nr_operand(loop, i);
  for (size_t i = 0; i < loop->num_results; i++) types[i] = nr_result(loop, i)->type;
  for (size_t i = 0; i < extra; i++) {
    NrType t = nr_op_result(turns->list.data[i].alloc)->type;
    operands[loop->num_operands + i] = first_spare(&b, t);
    types[loop->num_results + i] = t;
  }
  NrOp *wider = nr_op_rebuild(loop, operands, loop->num_operands + extra, types, loop->num_results + extra);
  NrBuilder after = nr_builder_after(loop);
  for (size_t i = 0; i < loop->num_results; i++) nr_value_replace_uses(nr_result(loop, i), nr_result(wider, i));
  for (size_t i = 0; i < extra; i++) {
    Turn *turn = &turns->list.data[i];
    NrType t = types[loop->num_results + i];
    NrValue *left = nr_result(wider, loop->num_results + i);
    for (size_t k = 0; k < wider->num_regions; k++) {
      NrBlock *block = nr_op_body(wider, k);
      NrValue *arg = nr_block_add_arg(block, t, NULL);
      if (k == r) turn->spare = arg;
      append_operand(nr_block_terminator(block), k == r ? nr_memref_dealloc_memref(turn->dealloc) : arg);
    }
    nr_build_op(&after, NR_OP_memref_dealloc, &left, 1, NULL, 0);
  }
  nr_op_erase(loop);
  return wider;
}

static NrOp *rotate_region(NrOp *loop, size_t r, NrArena *scratch) {
  Turns turns = {0};
  if (!nr_op_body(loop, r)) return loop;
  find_turns(nr_op_body(loop, r), &turns);
  size_t kept = 0;
  for (size_t i = 0; i < turns.list.size; i++) {
    Turn turn = turns.list.data[i];
    NrValue *old = nr_memref_dealloc_memref(turn.dealloc), *fresh = nr_op_result(turn.alloc);
    if (!nr_op_is_before(turn.dealloc, turn.alloc)) {
      turns.list.data[kept++] = turn;
      continue;
    }
    nr_op_erase(turn.dealloc);
    nr_value_replace_uses(fresh, fitting(turn.alloc, old));
    nr_op_erase(turn.alloc);
  }
  turns.list.size = kept;
  if (kept) loop = carry_spares(loop, r, &turns, scratch);
  for (size_t i = 0; i < kept; i++) {
    Turn turn = turns.list.data[i];
    nr_op_erase(turn.dealloc);
    nr_value_replace_uses(nr_op_result(turn.alloc), fitting(turn.alloc, turn.spare));
    nr_op_erase(turn.alloc);
  }
  nr_vec_deinit(&turns.list);
  return loop;
}

static bool collect_loop(NrOp *op, void *user) {
  Turns *loops = user;
  if (nr_op_is(op, NR_OP_scf_for) || nr_op_is(op, NR_OP_scf_while)) nr_vec_push(&loops->list, ((Turn){.alloc = op}));
  return true;
}

static NrStatus double_buffer_loops_run(NrPassContext *pass, NrOp *func) {
  Turns loops = {0};
  nr_walk_post(func, collect_loop, &loops);
  for (size_t i = 0; i < loops.list.size; i++) {
    NrOp *loop = loops.list.data[i].alloc;
    for (size_t r = 0; r < loop->num_regions; r++) loop = rotate_region(loop, r, pass->scratch);
  }
  nr_vec_deinit(&loops.list);
  return NR_OK;
}

NR_PASS(double_buffer_loops, .name = "double-buffer-loops", .on_while = NR_WHILE_HANDLES, .on = "func.func",
        .run = double_buffer_loops_run,
        .doc = "lets loops alternate between two buffers instead of allocating in every iteration")
