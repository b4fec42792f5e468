/* effects.c - memory effects of an op, from its traits and those of the ops in its regions. */
#include "ir/op_info.h"

/* A terminator that only passes values on has no effect inside its parent op. */
static bool ends_region(const NrOp *op) {
  return nr_op_has(op, NR_TERMINATOR) && (op->info->traits & (NR_RETURN_LIKE | NR_BRANCH));
}

static bool has_buffer(const NrOp *op) {
  for (size_t i = 0; i < op->num_operands; i++)
    if (nr_type_is_memref(nr_operand(op, i)->type)) return true;
  return false;
}

/* Depth is bounded by NR_MAX_NESTING. `nested`: op is inside the queried op. */
static bool effects_within(const NrOp *op, uint32_t allowed, bool nested) {
  uint32_t own = op->info->traits & (NR_READS | NR_WRITES | NR_ALLOCATES | NR_FREES);
  bool values_only = own && nr_op_has(op, NR_ON_BUFFERS) && !has_buffer(op);
  if (values_only) own = 0;
  bool known = own || values_only || nr_op_has(op, NR_PURE) || (nested && ends_region(op)) ||
               nr_op_has(op, NR_RECURSIVE_EFFECTS);
  if (!known || (own & ~allowed)) return false;
  if (!nr_op_has(op, NR_RECURSIVE_EFFECTS)) return true;
  for (size_t i = 0; i < op->num_regions; i++)
    for (const NrBlock *block = op->regions[i].first; block; block = block->next)
      for (const NrOp *inner = block->first; inner; inner = inner->next)
        if (!effects_within(inner, allowed, true)) return false;
  return true;
}

bool nr_op_is_pure(NrOp *op) { return effects_within(op, 0, false); }

bool nr_op_only_reads(NrOp *op) { return effects_within(op, NR_READS, false); }
