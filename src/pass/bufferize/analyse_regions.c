/* analyse_regions.c - decides which block owns a buffer across regions and calls.
 *
 * A value that enters a region as an argument, or leaves it through the terminator, changes its owner. Its buffer moves
 * when the block owns it and no later op needs it; else a copy moves. So a swap (`yield %b, %a`) moves two buffers and
 * copies none, and a value yielded twice is copied once. */
#include "dialect/rt/ops.h"
#include "dialect/scf/ops.h"
#include "ir/region_flow.h"
#include "pass/bufferize/analysis.h"

/* ---- buffers whose last use is in a region that runs once -------------------------------------------------------- */

/* A buffer of the enclosing block whose last use is inside op. Every region of op then owns it, and moves or frees
 * it. */
typedef struct Handover {
  NrBuffer *buffer;
  uint32_t *last; /* per region: the number of the last op directly in it that uses the buffer; 0 = none */
  bool wanted;    /* some region could move or overwrite it */
} Handover;

typedef struct Handovers {
  NrAnalysis *a;
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
static bool wants_to_own(const NrOp *op, size_t i) {
  size_t begin, count;
  if (nr_op_has(op, NR_RETURN_LIKE) || is_carried(op, i)) return true;
  if (nr_op_destinations(op, &begin, &count)) return i >= begin && i < begin + count;
  /* a tied argument, an owned variant, a target */
  return nr_op_is(op, NR_OP_flow_dispatch) || nr_op_is(op, NR_OP_rt_call) || nr_flow_is_collective(op);
}

static bool note_uses(NrOp *op, void *user) {
  Handovers *h = user;
  uint32_t number = nr_analysis_number(h->a, h->op);
  for (size_t i = 0; i < op->num_operands; i++) {
    NrBufferBinding *binding = nr_analysis_binding(h->a, nr_operand(op, i));
    NrBuffer *buffer = binding ? binding->buffer : NULL;
    if (!buffer || buffer->owner != h->op->block || buffer->moved || buffer->last != number) continue;
    size_t at = (size_t)(uintptr_t)nr_map_get(&h->index, buffer);
    if (!at) {
      nr_vec_push(&h->list, ((Handover){buffer, NR_NEW_ARRAY(h->a->arena, uint32_t, h->op->num_regions), false}));
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
      h->top = nr_analysis_number(h->a, inner);
      nr_walk_pre(inner, note_uses, h);
    }
  }
}

static NrStatus regions_once(NrAnalysis *a, NrOp *op) {
  Handovers h = {.a = a, .op = op};
  NrStatus status = NR_OK;
  /* Without results no buffer can leave, and a region may be missing. */
  if (op->num_results) find_handovers(&h);
  for (size_t r = 0; r < op->num_regions && !status; r++) {
    NrBlock *block = nr_op_body(op, r);
    if (!block) continue;
    size_t base = a->owned.size;
    for (size_t i = 0; i < h.list.size; i++) {
      Handover *handover = &h.list.data[i];
      if (!handover->wanted) continue;
      handover->buffer->owner = block;
      handover->buffer->last = handover->last[r];
      handover->buffer->moved = false;
      nr_vec_push(&a->owned, handover->buffer);
    }
    status = nr_analyse_ops(a, block, base);
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

static bool has_branches(const NrOp *op) {
  for (size_t r = 0; r < op->num_regions; r++)
    if (op->regions[r].first != op->regions[r].last) return true;
  return false;
}

/* ---- terminators ------------------------------------------------------------------------------------------------- */

/* Plans for each operand with a buffer to move the buffer or, on a conflict, a copy. */
static void take_all(NrAnalysis *a, NrOp *op) {
  for (size_t i = 0; i < op->num_operands; i++)
    if (nr_analysis_binding(a, nr_operand(op, i))) nr_analysis_take(a, op, i);
}

NrStatus nr_analyse_terminator(NrAnalysis *a, NrOp *op) {
  take_all(a, op);
  return NR_OK;
}

NrStatus nr_analyse_regions(NrAnalysis *a, NrOp *op) {
  NrStatus status = refuse_branches(op);
  if (status) return status;
  for (size_t i = 0; i < op->num_results; i++)
    if (nr_op_is(op, NR_OP_scf_parallel) && nr_needs_buffer(nr_result(op, i)->type))
      return nr_op_error(op, "reduces tensors, which cannot be bufferized");
  if (nr_op_runs_one_region(op) && !has_branches(op)) status = regions_once(a, op);
  else {
    nr_analysis_mark_captured(a, op);
    take_all(a, op);
    for (size_t r = 0; r < op->num_regions && !status; r++)
      for (NrBlock *block = op->regions[r].first; block && !status; block = block->next)
        status = nr_analyse_block(a, block);
  }
  for (size_t i = 0; i < op->num_results && !status; i++)
    if (nr_needs_buffer(nr_result(op, i)->type)) nr_analysis_adopt(a, nr_result(op, i), op->block);
  return status;
}

/* ---- scf.forall -------------------------------------------------------------------------------------------------- */

static bool same_lists(const NrOp *slice, const NrOp *insert) {
  const NrIndexListSlot *of_slice = nr_slice_slots(slice), *of_insert = nr_slice_slots(insert);
  size_t rank = nr_index_list_size(insert, of_insert[0].attr);
  if (rank != nr_index_list_size(slice, of_slice[0].attr)) return false;
  for (size_t k = 0; k < 3; k++)
    for (size_t i = 0; i < rank; i++)
      if (!nr_index_eq(nr_index_list_get(slice, of_slice[k], i), nr_index_list_get(insert, of_insert[k], i)))
        return false;
  return true;
}

/* Whether the output is read outside the slice that is written. */
static bool is_read_elsewhere(const NrValue *output) {
  NrOp *insert = NULL;
  for (const NrUse *use = output->first_use; use; use = use->next) {
    if (!nr_op_is(use->owner, NR_OP_tensor_parallel_insert_slice)) continue;
    if (insert) return true;
    insert = use->owner;
  }
  for (const NrUse *use = output->first_use; use; use = use->next)
    if (use->owner != insert &&
        !(nr_op_is(use->owner, NR_OP_tensor_extract_slice) && insert && same_lists(use->owner, insert)))
      return true;
  return false;
}

NrStatus nr_analyse_in_parallel(NrAnalysis *a, NrOp *op) {
  NrBlock *block = nr_scf_forall_in_parallel_body(op);
  nr_analysis_add_plan(a, op);
  for (NrOp *insert = block ? block->first : NULL; insert; insert = insert->next) {
    if (!nr_op_is(insert, NR_OP_tensor_parallel_insert_slice)) return nr_op_error(insert, "cannot be bufferized");
    NrBufferBinding *source = nr_analysis_binding(a, nr_tensor_parallel_insert_slice_source(insert)),
                    *dest = nr_analysis_binding(a, nr_tensor_parallel_insert_slice_dest(insert));
    NrConflict none = {0};
    nr_analysis_decide(a, insert, NR_TENSOR_PARALLEL_INSERT_SLICE_SOURCE, NR_INSERTED, none, source->memory);
    nr_analysis_decide(a, insert, NR_TENSOR_PARALLEL_INSERT_SLICE_DEST, NR_IN_PLACE, none, dest->buffer->root);
    if (!source->memory) continue;
    NrMemory *part = nr_analysis_make_slice(a, op, dest->buffer->root, insert, source->value->type);
    nr_analysis_copy_contents(a, op, source->memory, part);
  }
  return NR_OK;
}

/* An iteration reads the outputs as they were before the loop: where it reads more of an output than the slice that it
 * writes, it reads from a copy. */
NrStatus nr_analyse_forall(NrAnalysis *a, NrOp *op) {
  NrBlock *body = nr_scf_forall_body(op);
  NrGroup outputs = nr_scf_forall_outputs(op);
  size_t rank = nr_index_list_size(op, "staticLowerBound");
  if (!body || body->num_args != rank + outputs.count)
    return nr_op_error(op, "does not have an argument of its body for every loop and output");
  nr_analysis_mark_captured(a, op);
  NrMemory **memory = NR_NEW_ARRAY(a->arena, NrMemory *, outputs.count + 1);
  for (size_t i = 0; i < outputs.count; i++) {
    NrValue *arg = nr_block_arg(body, rank + i);
    NrMemory *read = memory[i] = nr_analysis_take(a, op, outputs.begin + i);
    if (is_read_elsewhere(arg)) {
      read = nr_analysis_copy_of(a, op, &(NrBufferBinding){.value = arg, .memory = memory[i]});
      nr_analysis_own(a, read, op->block, nr_analysis_number(a, op));
    }
    NrBuffer *buffer = nr_analysis_own(a, memory[i], NULL, 0);
    buffer->shared = true;
    nr_analysis_join(a, arg, buffer, read);
  }
  NrStatus status = nr_analyse_ops(a, body, a->owned.size);
  for (size_t i = 0; i < outputs.count && !status; i++) {
    NrBuffer *buffer = nr_analysis_own(a, memory[i], op->block, nr_analysis_number(a, op));
    nr_analysis_join(a, nr_result(op, i), buffer, memory[i]);
  }
  return status;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

bool nr_is_grow(const NrOp *op) {
  return nr_op_is(op, NR_OP_rt_call) && nr_str_is(nr_op_attr_str(op, NR_A_name), "tensor_grow");
}

const char *nr_owned_variant(const NrOp *op) {
  static const struct {
    const char *name, *owned;
  } rows[] = {{"seq_append", "seq_append_owned"}, {"seq_insert", "seq_insert_owned"}, {"seq_erase", "seq_erase_owned"}};
  if (!nr_op_is(op, NR_OP_rt_call)) return NULL;
  NrStr name = nr_op_attr_str(op, NR_A_name);
  for (size_t i = 0; i < NR_COUNTOF(rows); i++)
    if (nr_str_is(name, rows[i].name)) return rows[i].owned;
  return NULL;
}

size_t nr_handle_operand(const NrOp *op) {
  size_t i = 0;
  while (i < op->num_operands && !nr_type_is_handle(nr_operand(op, i)->type)) i++;
  return i;
}

NrValue *nr_grow_rows(const NrOp *op) {
  NrGroup args = nr_rt_call_args(op);
  return nr_operand(op, args.begin + args.count - 1);
}

static NrStatus grow(NrAnalysis *a, NrOp *op) {
  if (op->num_operands != 2 || op->num_results != 1)
    return nr_op_error(op, "takes a tensor and its new number of rows");
  NrValue *result = nr_op_result(op);
  NrMemory *memory = nr_analysis_make(a, op, (NrMemory){.kind = NR_MEMORY_GROWN,
                                                        .from = nr_analysis_take(a, op, nr_rt_call_args(op).begin),
                                                        .of = op, .type = nr_bufferized_type(result->type)});
  nr_analysis_join(a, result, nr_analysis_own(a, memory, op->block, nr_analysis_number(a, op)), memory);
  return NR_OK;
}

NrStatus nr_analyse_call(NrAnalysis *a, NrOp *op) {
  if (nr_is_grow(op)) return grow(a, op);
  size_t given = nr_owned_variant(op) ? nr_handle_operand(op) : op->num_operands;
  for (size_t i = 0; i < op->num_operands; i++) {
    NrBufferBinding *binding = nr_analysis_binding(a, nr_operand(op, i));
    if (!binding) continue;
    NrConflict why = nr_analysis_conflict(a, op, binding->buffer);
    if (i == given && why.kind == NR_NO_CONFLICT) {
      binding->buffer->moved = true;
      nr_analysis_decide(a, op, i, NR_MOVED, why, binding->memory);
    } else nr_analysis_read_dense(a, op, i, NULL);
  }
  for (size_t i = 0; i < op->num_results; i++)
    if (nr_needs_buffer(nr_result(op, i)->type)) nr_analysis_adopt(a, nr_result(op, i), op->block);
  return NR_OK;
}
