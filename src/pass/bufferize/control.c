/* control.c - ownership of buffers across regions and calls.
 *
 * A value that enters a region as an argument, or leaves it through the terminator, changes its owner. Its buffer moves
 * when the block owns it and no later op needs it; else a copy moves. So a swap (`yield %b, %a`) moves two buffers and
 * copies none, and a value yielded twice is copied once. */
#include "ir/region_flow.h"
#include "pass/bufferize/bufferize.h"

/* ---- moving ----------------------------------------------------------------------------------------------------- */

NrStatus nr_bufferize_terminator(NrBufferize *s, NrOp *op) {
  for (size_t i = 0; i < op->num_operands; i++)
    if (nr_bufferize_binding(s, nr_operand(op, i)))
      nr_op_set_operand(op, i, nr_bufferize_take(s, nr_operand(op, i), op));
  return NR_OK;
}

/* ---- buffers whose last use is in a region that runs once----------------------------------------------------------
 */

/* A buffer of the enclosing block whose last use is inside op. Every region of op then owns it, and moves or frees
 * it. */
typedef struct Handover {
  NrBuffer *buffer;
  uint32_t *last; /* per region: the number of the last op directly in it that uses the buffer; 0 = none */
  bool wanted;    /* some region could move or overwrite it */
} Handover;

typedef struct Handovers {
  NrBufferize *s;
  NrOp *op;
  NR_VEC(Handover) list;
  NrMap index; /* buffer -> position + 1 */
  size_t region;
  uint32_t top; /* number of the current op directly in the region */
} Handovers;

/* Whether operand i becomes an argument of a region. */
static bool is_carried(const NrOp *op, size_t i) {
  NrRegionFlow flow = nr_region_flow(op, NULL);
  NrRegionEdge edge;
  while (nr_region_flow_next(&flow, &edge))
    if (i >= edge.first_operand && i - edge.first_operand < edge.num_operands) return true;
  return false;
}

/* Whether op benefits from owning operand i. */
static bool wants_to_own(NrOp *op, size_t i) {
  size_t begin, count;
  if (nr_op_has(op, NR_RETURN_LIKE) || is_carried(op, i)) return true;
  switch (op->info->id) {
  case NR_OP_scf_forall:
  case NR_OP_flow_dispatch:
  case NR_OP_rt_call: return true;
  default: return nr_op_destinations(op, &begin, &count) && i >= begin && i < begin + count;
  }
}

static bool note_uses(NrOp *op, void *user) {
  Handovers *h = user;
  uint32_t number = nr_bufferize_number(h->s, h->op);
  for (size_t i = 0; i < op->num_operands; i++) {
    NrBufferBinding *binding = nr_bufferize_binding(h->s, nr_operand(op, i));
    NrBuffer *buffer = binding ? binding->buffer : NULL;
    if (!buffer || buffer->owner != h->op->block || buffer->moved || buffer->last != number) continue;
    size_t at = (size_t)(uintptr_t)nr_map_get(&h->index, buffer);
    if (!at) {
      nr_vec_push(&h->list, ((Handover){buffer, NR_NEW_ARRAY(h->s->arena, uint32_t, h->op->num_regions), false}));
      at = h->list.size;
      nr_map_set(&h->index, buffer, (void *)(uintptr_t)at);
    }
    Handover *handover = &h->list.data[at - 1];
    handover->last[h->region] = h->top;
    handover->wanted |= wants_to_own(op, i);
  }
  return true;
}

static void find_handovers(Handovers *h) {
  for (h->region = 0; h->region < h->op->num_regions; h->region++) {
    NrBlock *block = nr_op_body(h->op, h->region);
    for (NrOp *inner = block ? block->first : NULL; inner; inner = inner->next) {
      h->top = nr_bufferize_number(h->s, inner);
      nr_walk_pre(inner, note_uses, h);
    }
  }
}

static NrStatus regions_once(NrBufferize *s, NrOp *op) {
  Handovers h = {.s = s, .op = op};
  NrStatus status = NR_OK;
  /* Without results no buffer can leave, and a region may be missing. */
  if (op->num_results) find_handovers(&h);
  for (size_t r = 0; r < op->num_regions && !status; r++) {
    NrBlock *block = nr_op_body(op, r);
    if (!block) continue;
    size_t base = s->owned.size;
    for (size_t i = 0; i < h.list.size; i++) {
      Handover *handover = &h.list.data[i];
      if (!handover->wanted) continue;
      handover->buffer->owner = block;
      handover->buffer->last = handover->last[r];
      handover->buffer->moved = false;
      nr_vec_push(&s->owned, handover->buffer);
    }
    status = nr_bufferize_ops(s, block, base);
  }
  for (size_t i = 0; i < h.list.size; i++) {
    if (!h.list.data[i].wanted) continue;
    h.list.data[i].buffer->owner = op->block;
    h.list.data[i].buffer->moved = true;
  }
  nr_vec_deinit(&h.list);
  nr_map_deinit(&h.index);
  return status;
}

/* ---- all ops with regions ---------------------------------------------------------------------------------------- */

/* Ownership follows the nesting of blocks; it is not known between the blocks of one region. */
static NrStatus refuse_branches(NrOp *op) {
  for (size_t r = 0; r < op->num_regions; r++) {
    NrRegion *region = &op->regions[r];
    if (region->first == region->last) continue;
    for (size_t i = 0; i < op->num_results; i++)
      if (nr_needs_buffer(nr_result(op, i)->type))
        return nr_op_error(op, "returns a tensor from a region of several blocks, which cannot be bufferized");
    for (NrBlock *block = region->first; block; block = block->next) {
      for (size_t i = 0; i < block->num_args; i++)
        if (nr_needs_buffer(block->args[i]->type))
          return nr_op_error(op, "passes tensors between blocks; only regions of one block can be bufferized");
      for (NrOp *inner = block->first; inner; inner = inner->next)
        for (size_t i = 0; i < inner->num_results; i++)
          if (nr_needs_buffer(nr_result(inner, i)->type))
            return nr_op_error(inner, "computes a tensor in a region of several blocks, which cannot be bufferized");
    }
  }
  return NR_OK;
}

NrStatus nr_bufferize_regions(NrBufferize *s, NrOp *op) {
  NrStatus status = refuse_branches(op);
  if (status) return status;
  for (size_t i = 0; i < op->num_results; i++)
    if (nr_op_is(op, NR_OP_scf_parallel) && nr_needs_buffer(nr_result(op, i)->type))
      return nr_op_error(op, "reduces tensors, which cannot be bufferized");
  if (nr_op_runs_one_region(op)) status = regions_once(s, op);
  else {
    nr_bufferize_mark_captured(s, op);
    for (size_t i = 0; i < op->num_operands; i++)
      if (nr_bufferize_binding(s, nr_operand(op, i)))
        nr_op_set_operand(op, i, nr_bufferize_take(s, nr_operand(op, i), op));
    for (size_t r = 0; r < op->num_regions && !status; r++)
      for (NrBlock *block = op->regions[r].first; block && !status; block = block->next)
        status = nr_bufferize_block(s, block);
  }
  for (size_t i = 0; i < op->num_results && !status; i++)
    if (nr_needs_buffer(nr_result(op, i)->type)) nr_bufferize_adopt(s, nr_result(op, i), op->block);
  return status;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* "tensor_grow"(%t, %rows): the tensor with memory for more rows. */
static void grow(NrBufferize *s, NrOp *op) {
  NrValue *result = nr_result(op, 0), *buffer = nr_bufferize_take(s, nr_operand(op, 0), op);
  NrBuilder b = nr_builder_before(op);
  NrIndex dims[NR_MAX_RANK] = {nr_index_of(nr_operand(op, 1))};
  for (uint32_t i = 1; i < buffer->type->rank; i++) dims[i] = nr_dim_build(&b, buffer, i);
  buffer = nr_bufferize_resize(&b, buffer, nr_bufferized_type(result->type), dims);
  nr_bufferize_join(s, result, nr_bufferize_own(s, buffer, op->block, nr_bufferize_number(s, op)), buffer);
  nr_vec_push(&s->dead, op);
}

/* The variant of a sequence op that works in place on the only reference. */
static const char *owned_variant(NrOp *op) {
  static const struct {
    const char *name, *owned;
  } rows[] = {{"seq_append", "seq_append_owned"}, {"seq_insert", "seq_insert_owned"}, {"seq_erase", "seq_erase_owned"}};
  NrStr name = nr_op_attr_str(op, NR_A_name);
  for (size_t i = 0; i < NR_COUNTOF(rows); i++)
    if (nr_str_is(name, rows[i].name)) return rows[i].owned;
  return NULL;
}

static void give_handle(NrBufferize *s, NrOp *op) {
  const char *owned = owned_variant(op);
  for (size_t i = 0; owned && i < op->num_operands; i++) {
    if (!nr_is_handle(nr_operand(op, i)->type)) continue;
    NrBuffer *buffer = nr_bufferize_binding(s, nr_operand(op, i))->buffer;
    if (!nr_bufferize_may_write(s, op, buffer)) return;
    buffer->moved = true;
    nr_op_set_attr(op, NR_A_name, nr_attr_string(s->ctx, nr_str(owned)));
    return;
  }
}

NrStatus nr_bufferize_call(NrBufferize *s, NrOp *op) {
  if (nr_op_is(op, NR_OP_rt_call) && nr_str_is(nr_op_attr_str(op, NR_A_name), "tensor_grow")) {
    if (op->num_operands != 2 || op->num_results != 1)
      return nr_op_error(op, "takes a tensor and its new number of rows");
    grow(s, op);
    return NR_OK;
  }
  if (nr_op_is(op, NR_OP_rt_call)) give_handle(s, op);
  for (size_t i = 0; i < op->num_operands; i++) {
    NrValue *value = nr_operand(op, i);
    if (nr_bufferize_binding(s, value)) nr_op_set_operand(op, i, nr_bufferize_read_dense(s, value, op, NULL));
  }
  for (size_t i = 0; i < op->num_results; i++)
    if (nr_needs_buffer(nr_result(op, i)->type)) nr_bufferize_adopt(s, nr_result(op, i), op->block);
  return NR_OK;
}
