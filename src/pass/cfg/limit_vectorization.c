/* limit_vectorization.c - marks loops with a large body so that LLVM does not vectorise them.
 *
 *   before  ^body: .. more than max-ops ops          after  .. the same ..
 *           cf.cond_br %more, ^body, ^exit                  cf.cond_br %more, ^body, ^exit
 *                                                             {noria.loop = {vectorize = false}}
 *
 * The time that LLVM 22 takes to vectorise a loop grows with the cube of its body: 1 s for 1,000 ops, 50 s for 8,000.
 * Ops count as they are before stage `expand`. A body is all blocks on a path from the loop's header to the branch back
 * to it: the natural loop (A. Aho et al., Compilers, 2nd edition, 2006, section 9.6.6). */
#include "dialect/func/ops.h"
#include "pass/core/pass.h"

/* The blocks that are reached. */
typedef struct Blocks {
  NR_VEC(NrBlock *) post; /* in post-order */
  NR_VEC(NrBlock *) stack;
  NR_VEC(uint32_t) next; /* per block on the stack: the successor to visit next */
  NrMap places;          /* block -> 1 and how many blocks are ahead of it in post-order; 1 while it is on the stack */
  NrMap sizes;           /* block -> the number of its ops */
} Blocks;

static size_t number_of(const NrMap *map, const NrBlock *block) { return (uintptr_t)nr_map_get(map, block); }

static void visit(Blocks *blocks, NrBlock *block) {
  if (nr_map_has(&blocks->places, block)) return;
  size_t count = 0;
  for (NrOp *op = block->first; op; op = op->next) count++;
  nr_map_set(&blocks->places, block, (void *)1);
  nr_map_set(&blocks->sizes, block, (void *)(uintptr_t)count);
  nr_vec_push(&blocks->stack, block);
  nr_vec_push(&blocks->next, 0);
}

static void find_blocks(Blocks *blocks, NrBlock *entry) {
  visit(blocks, entry);
  while (blocks->stack.size) {
    NrBlock *block = nr_vec_last(&blocks->stack);
    uint32_t i = nr_vec_last(&blocks->next)++;
    if (block->last && i < block->last->num_successors) {
      visit(blocks, block->last->successors[i].block);
      continue;
    }
    nr_vec_push(&blocks->post, block);
    nr_map_set(&blocks->places, block, (void *)(uintptr_t)blocks->post.size);
    (void)nr_vec_pop(&blocks->stack);
    (void)nr_vec_pop(&blocks->next);
  }
}

/* Whether a reached branch to a block goes back. */
static bool goes_back(const Blocks *blocks, const NrSuccessor *edge) {
  size_t from = number_of(&blocks->places, edge->owner->block);
  return from && number_of(&blocks->places, edge->block) >= from;
}

/* Whether the loop with that header, which all branches back to it close, has more than max_ops ops. */
static bool is_large(const Blocks *blocks, NrBlock *header, size_t max_ops) {
  NR_VEC(NrBlock *) work = {0};
  NrMap seen = {0};
  size_t count = 0;
  nr_map_set(&seen, header, header);
  nr_vec_push(&work, header);
  while (work.size && count <= max_ops) {
    NrBlock *block = nr_vec_pop(&work);
    count += number_of(&blocks->sizes, block);
    for (NrSuccessor *use = block->first_pred; use; use = use->next) {
      NrBlock *before = use->owner->block;
      bool is_inside = block == header ? goes_back(blocks, use) : nr_map_has(&blocks->places, before);
      if (!is_inside || nr_map_has(&seen, before)) continue;
      nr_map_set(&seen, before, before);
      nr_vec_push(&work, before);
    }
  }
  nr_map_deinit(&seen);
  nr_vec_deinit(&work);
  return count > max_ops;
}

static void limit_function(NrOp *func, size_t max_ops) {
  NrContext *ctx = nr_op_context(func);
  NrNamedAttr no = {nr_context_intern(ctx, NR_STR("vectorize")), nr_attr_bool(ctx, false)};
  NrAttr value = nr_attr_dict(ctx, &no, 1);
  Blocks blocks = {0};
  find_blocks(&blocks, nr_func_func_body(func));
  for (size_t b = 0; b < blocks.post.size; b++) {
    NrBlock *header = blocks.post.data[b];
    bool is_header = false;
    for (NrSuccessor *use = header->first_pred; use; use = use->next) is_header |= goes_back(&blocks, use);
    if (!is_header || !is_large(&blocks, header, max_ops)) continue;
    for (NrSuccessor *use = header->first_pred; use; use = use->next)
      if (goes_back(&blocks, use) && !nr_op_attr(use->owner, NR_A_noria_loop))
        nr_op_set_attr(use->owner, NR_A_noria_loop, value);
  }
  nr_vec_deinit(&blocks.post);
  nr_vec_deinit(&blocks.stack);
  nr_vec_deinit(&blocks.next);
  nr_map_deinit(&blocks.places);
  nr_map_deinit(&blocks.sizes);
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
