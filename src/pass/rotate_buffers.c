/* rotate_buffers.c - a loop that makes a new buffer for a carried value and frees the old one uses two buffers in turns.
 *
 *   before  scf.for .. iter_args(%old = %a) {       after  %b = memref.alloc() : memref<64xf32>
 *             %new = memref.alloc() ..                     %r:2 = scf.for .. iter_args(%old = %a, %new = %b) {
 *             ..                                             ..
 *             memref.dealloc %old                            scf.yield %new, %old
 *             scf.yield %new                               }
 *           }                                              memref.dealloc %r#1
 *
 * An old buffer that is free before the new one is needed becomes the new one. Where sizes may change from iteration to
 * iteration, the spare buffer is replaced when it has another size. */
#include "dialect/memref/memref.h"
#include "pass/buffers.h"
#include "pass/pass.h"

typedef struct Turn {
  NrOp *alloc;    /* the new buffer, handed to the next iteration */
  NrOp *dealloc;  /* of the old one, an argument of the block */
  NrValue *spare; /* argument that carries it */
} Turn;

typedef struct Turns {
  NR_VEC(Turn) list;
} Turns;

/* ---- finding ---------------------------------------------------------------------------------------------------- */

static bool is_used_once_by(const NrValue *value, const NrOp *op) {
  size_t count = 0;
  for (const NrUse *use = value->first_use; use; use = use->next) count += use->owner == op;
  return count == 1;
}

/* The frees of arguments of block, which lie in block itself. */
static void find_frees(NrBlock *block, Turns *out) {
  for (size_t i = 0; i < block->num_args; i++) {
    NrOp *dealloc = nr_type_is_memref(block->args[i]->type) ? nr_buffer_dealloc(block->args[i]) : NULL;
    if (dealloc && dealloc->block == block) nr_vec_push(&out->list, ((Turn){.dealloc = dealloc}));
  }
}

/* Pairs buffers that the terminator hands on with freed ones of the same type. Unpaired entries are dropped. */
static void find_turns(NrBlock *block, Turns *out) {
  NrOp *last = nr_block_terminator(block);
  out->list.size = 0;
  find_frees(block, out);
  size_t paired = 0;
  for (size_t i = 0; last && i < last->num_operands && paired < out->list.size; i++) {
    NrValue *value = nr_operand(last, i);
    if (!nr_op_is(value->op, NR_OP_memref_alloc) || value->op->block != block || value->type->layout ||
        !is_used_once_by(value, last) || nr_buffer_dealloc(value))
      continue;
    for (size_t k = paired; k < out->list.size; k++) {
      if (nr_operand(out->list.data[k].dealloc, 0)->type != value->type) continue;
      Turn turn = out->list.data[k];
      turn.alloc = value->op;
      out->list.data[k] = out->list.data[paired];
      out->list.data[paired++] = turn;
      break;
    }
  }
  out->list.size = paired;
}

/* ---- rewriting -------------------------------------------------------------------------------------------------- */

/* The spare buffer if it has the sizes of alloc, else a new one for it. */
static NrValue *fitting(NrOp *alloc, NrValue *spare) {
  NrType t = spare->type;
  if (nr_type_has_static_shape(t)) return spare;
  NrBuilder b = nr_builder_before(alloc);
  NrValue *same = NULL;
  size_t next = 0;
  for (uint32_t i = 0; i < t->rank; i++) {
    if (t->dims[i] != NR_DYNAMIC) continue;
    NrValue *sizes[2] = {nr_index_value(&b, nr_dim_build(&b, spare, i)), nr_operand(alloc, next++)};
    NrValue *equal = nr_build_value(&b, NR_OP_arith_cmpi, nr_type_i1(b.ctx), sizes, 2);
    nr_op_set_attr(equal->op, "predicate", nr_attr_i64(b.ctx, 0));
    same = same ? nr_build_value(&b, NR_OP_arith_andi, equal->type, (NrValue *[]){same, equal}, 2) : equal;
  }
  NrOp *branch = nr_build(&b, &(NrOpState){.info = nr_op_infos[NR_OP_scf_if],
                                           .operands = &same,
                                           .num_operands = 1,
                                           .result_types = &t,
                                           .num_results = 1,
                                           .num_regions = 2});
  for (size_t r = 0; r < 2; r++) {
    NrBlock *block = nr_block_create(b.module);
    nr_block_append(nr_op_region(branch, r), block);
    NrBuilder inner = nr_builder_at_end(b.module, block, alloc->loc);
    NrValue *result = spare;
    if (r == 1) {
      nr_build_op(&inner, NR_OP_memref_dealloc, &spare, 1, NULL, 0);
      NrOp *fresh = nr_op_clone(b.module, alloc, NULL);
      nr_op_append(block, fresh);
      result = nr_result(fresh, 0);
    }
    nr_build_op(&inner, NR_OP_scf_yield, &result, 1, NULL, 0);
  }
  return nr_result(branch, 0);
}

/* A buffer to begin with: of no size where the size is not known yet. */
static NrValue *first_spare(NrBuilder *b, NrType t) {
  NrIndex dims[NR_MAX_RANK];
  for (uint32_t i = 0; i < t->rank; i++) dims[i] = nr_index_const(t->dims[i] == NR_DYNAMIC ? 0 : t->dims[i]);
  for (uint32_t i = 0; i < t->rank; i++)
    if (t->dims[i] == NR_DYNAMIC) dims[i] = (NrIndex){nr_index_value(b, dims[i]), 0};
  return nr_build_alloc(b, NR_OP_memref_alloc, t->elem, dims, t->rank);
}

static NrValue *add_arg(NrBlock *block, NrType t) { return nr_block_add_arg(block, t, NULL); }

static void append_operand(NrOp *op, NrValue *value) { nr_op_insert_operand(op, op->num_operands, value); }

/* The loop with one more carried buffer per turn; its spares are freed after it. Region r of the loop is the one that the turns are in.
 * Erases the old loop. */
static NrOp *carry_spares(NrOp *loop, size_t r, Turns *turns, NrArena *scratch) {
  NrBuilder b = nr_builder_before(loop);
  size_t extra = turns->list.size;
  NrValue **operands = NR_NEW_ARRAY(scratch, NrValue *, loop->num_operands + extra);
  NrType *types = NR_NEW_ARRAY(scratch, NrType, loop->num_results + extra);
  for (size_t i = 0; i < loop->num_operands; i++) operands[i] = nr_operand(loop, i);
  for (size_t i = 0; i < loop->num_results; i++) types[i] = nr_result(loop, i)->type;
  for (size_t i = 0; i < extra; i++) {
    NrType t = nr_result(turns->list.data[i].alloc, 0)->type;
    operands[loop->num_operands + i] = first_spare(&b, t);
    types[loop->num_results + i] = t;
  }
  NrOp *wider = nr_build(&b, &(NrOpState){.info = loop->info,
                                          .operands = operands,
                                          .num_operands = loop->num_operands + extra,
                                          .result_types = types,
                                          .num_results = loop->num_results + extra,
                                          .attrs = loop->attrs,
                                          .num_attrs = loop->num_attrs,
                                          .num_regions = loop->num_regions});
  NrBuilder after = nr_builder_after(loop);
  for (size_t i = 0; i < loop->num_regions; i++) nr_region_take(nr_op_region(wider, i), nr_op_region(loop, i));
  for (size_t i = 0; i < loop->num_results; i++) nr_value_replace_uses(nr_result(loop, i), nr_result(wider, i));
  for (size_t i = 0; i < extra; i++) {
    Turn *turn = &turns->list.data[i];
    NrType t = types[loop->num_results + i];
    NrValue *left = nr_result(wider, loop->num_results + i);
    for (size_t k = 0; k < wider->num_regions; k++) {
      NrBlock *block = nr_op_body(wider, k);
      NrValue *arg = add_arg(block, t);
      if (k == r) turn->spare = arg;
      append_operand(nr_block_terminator(block), k == r ? nr_operand(turn->dealloc, 0) : arg);
    }
    nr_build_op(&after, NR_OP_memref_dealloc, &left, 1, NULL, 0);
  }
  nr_op_erase(loop);
  return wider;
}

static NrOp *rotate_region(NrOp *loop, size_t r, NrArena *scratch) {
  Turns turns = {0};
  find_turns(nr_op_body(loop, r), &turns);
  size_t kept = 0;
  for (size_t i = 0; i < turns.list.size; i++) {
    Turn turn = turns.list.data[i];
    NrValue *old = nr_operand(turn.dealloc, 0), *fresh = nr_result(turn.alloc, 0);
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
    nr_value_replace_uses(nr_result(turn.alloc, 0), fitting(turn.alloc, turn.spare));
    nr_op_erase(turn.alloc);
    nr_op_erase(turn.dealloc);
  }
  nr_vec_deinit(&turns.list);
  return loop;
}

static bool collect_loop(NrOp *op, void *user) {
  Turns *loops = user;
  if (nr_op_is(op, NR_OP_scf_for) || nr_op_is(op, NR_OP_scf_while)) nr_vec_push(&loops->list, ((Turn){.alloc = op}));
  return true;
}

static NrStatus rotate_buffers_run(NrPassContext *pass, NrOp *func) {
  Turns loops = {0};
  nr_walk_post(func, collect_loop, &loops);
  for (size_t i = 0; i < loops.list.size; i++) {
    NrOp *loop = loops.list.data[i].alloc;
    for (size_t r = 0; r < loop->num_regions; r++) loop = rotate_region(loop, r, pass->scratch);
  }
  nr_vec_deinit(&loops.list);
  return NR_OK;
}

NR_PASS(rotate_buffers, .name = "rotate-buffers", .on = "func.func", .run = rotate_buffers_run,
        .doc = "lets loops use two buffers in turns instead of a new one in every iteration")
