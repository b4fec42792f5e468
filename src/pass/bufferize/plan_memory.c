/* plan_memory.c - places the static-size buffers of a block in one allocation by their lifetimes.
 *
 *   before  %a = memref.alloc() : memref<64xf32>      after  %arena = memref.alloc() : memref<512xi8>
 *           ..                                                %a = memref.view %arena[%c0][] ..
 *           memref.dealloc %a                                 ..
 *           %b = memref.alloc() : memref<64xf32>              %b = memref.view %arena[%c0][] ..
 *
 * Each buffer takes a free 64-byte aligned range at its alloc; its dealloc frees the range. */
#include "dialect/memref/memref.h"
#include "pass/bufferize/buffers.h"
#include "pass/core/pass.h"

enum { ALIGN = 64 };

typedef struct Gap {
  int64_t offset, size; /* the last gap has no end */
} Gap;

typedef struct Planned {
  NrOp *alloc, *dealloc;
  int64_t size, offset;
} Planned;

typedef struct Plan {
  NR_VEC(Planned) buffers;
  NR_VEC(Gap) gaps; /* by offset, never adjacent */
  NrMap by_dealloc; /* dealloc -> position in buffers + 1 */
  int64_t size;
} Plan;

/* ---- gaps ------------------------------------------------------------------------------------------------------- */

/* Takes the smallest gap that is large enough, the lowest of several; returns its offset. */
static int64_t take(Plan *p, int64_t size) {
  size_t best = p->gaps.size - 1;
  for (size_t i = 0; i < p->gaps.size; i++)
    if (p->gaps.data[i].size >= size && p->gaps.data[i].size < p->gaps.data[best].size) best = i;
  Gap *gap = &p->gaps.data[best];
  int64_t offset = gap->offset;
  gap->offset += size;
  gap->size -= size;
  if (gap->size == 0) {
    memmove(gap, gap + 1, (p->gaps.size - best - 1) * sizeof *gap);
    p->gaps.size--;
  }
  return offset;
}

static void give_back(Plan *p, int64_t offset, int64_t size) {
  size_t low = 0, high = p->gaps.size; /* the first gap behind offset; there always is one */
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (p->gaps.data[middle].offset > offset) high = middle;
    else low = middle + 1;
  }
  Gap *next = &p->gaps.data[low], *before = low ? next - 1 : NULL;
  bool joins_next = offset + size == next->offset, joins_before = before && before->offset + before->size == offset;
  if (joins_next) {
    next->offset = offset;
    next->size += size;
    if (!joins_before) return;
    before->size += next->size;
    memmove(next, next + 1, (p->gaps.size - low - 1) * sizeof *next);
    p->gaps.size--;
  } else if (joins_before) before->size += size;
  else {
    nr_vec_push(&p->gaps, ((Gap){0}));
    next = &p->gaps.data[low];
    memmove(next + 1, next, (p->gaps.size - 1 - low) * sizeof *next);
    *next = (Gap){offset, size};
  }
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

static void plan_alloc(Plan *p, NrOp *alloc) {
  int64_t size;
  NrOp *dealloc = nr_buffer_dealloc(nr_op_result(alloc));
  if (!dealloc || dealloc->block != alloc->block || !nr_buffer_bytes(nr_op_result(alloc)->type, &size)) return;
  if (nr_op_attr_int(alloc, NR_A_alignment, 0) > ALIGN || !nr_add_i64(size, ALIGN - 1, &size)) return;
  size = NR_MAX(size / ALIGN, 1) * ALIGN;
  int64_t offset = take(p, size), end;
  if (!nr_add_i64(offset, size, &end)) return; /* too large for any memory: the alloc stays and fails in the run */
  p->size = NR_MAX(p->size, end);
  nr_vec_push(&p->buffers, ((Planned){alloc, dealloc, size, offset}));
  nr_map_set(&p->by_dealloc, dealloc, (void *)(uintptr_t)p->buffers.size);
}

static void rewrite(Plan *p) {
  NrOp *first = p->buffers.data[0].alloc, *last = p->buffers.data[0].dealloc;
  for (size_t i = 1; i < p->buffers.size; i++)
    if (nr_op_is_before(last, p->buffers.data[i].dealloc)) last = p->buffers.data[i].dealloc;
  NrBuilder b = nr_builder_before(first), end = nr_builder_after(last);
  NrIndex size = nr_index_const(p->size);
  NrValue *arena = nr_build_alloc(&b, NR_OP_memref_alloc, nr_type_int(b.ctx, 8), &size, 1);
  nr_build_op(&end, NR_OP_memref_dealloc, &arena, 1, NULL, 0);
  for (size_t i = 0; i < p->buffers.size; i++) {
    Planned *buffer = &p->buffers.data[i];
    NrValue *memref = nr_op_result(buffer->alloc);
    b = nr_builder_before(buffer->alloc);
    NrValue *operands[2] = {arena, nr_index_value(&b, nr_index_const(buffer->offset))};
    nr_value_replace_uses(memref, nr_build_value(&b, NR_OP_memref_view, memref->type, operands, 2));
    nr_op_erase(buffer->alloc);
    nr_op_erase(buffer->dealloc);
  }
}

static void plan_block(NrBlock *block) {
  Plan p = {0};
  nr_vec_push(&p.gaps, ((Gap){0, INT64_MAX}));
  for (NrOp *op = block->first; op; op = op->next) {
    if (nr_op_is(op, NR_OP_memref_alloc)) plan_alloc(&p, op);
    size_t at = (size_t)(uintptr_t)nr_map_get(&p.by_dealloc, op);
    if (at) give_back(&p, p.buffers.data[at - 1].offset, p.buffers.data[at - 1].size);
  }
  if (p.buffers.size > 1) rewrite(&p);
  nr_vec_deinit(&p.buffers);
  nr_vec_deinit(&p.gaps);
  nr_map_deinit(&p.by_dealloc);
}

static bool plan_regions(NrOp *op, void *user) {
  (void)user;
  for (size_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next) plan_block(block);
  return true;
}

static NrStatus plan_memory_run(NrPassContext *pass, NrOp *func) {
  (void)pass;
  nr_walk_post(func, plan_regions, NULL);
  return NR_OK;
}

NR_PASS(plan_memory, .name = "plan-memory", .on_while = NR_WHILE_BARRIER, .on = "func.func", .run = plan_memory_run,
        .doc = "places the static-size buffers of a block in one allocation by their lifetimes")
