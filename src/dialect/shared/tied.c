/* tied.c - the attribute tied_operands; see tied.h. */
#include "dialect/shared/tied.h"

int64_t nr_tied_operand(const NrOp *op, size_t result) {
  NrAttr tied = nr_op_attr(op, NR_A_tied_operands);
  int64_t argument;
  if (!tied || tied->kind != NR_ATTR_ARRAY || result >= tied->size) return -1;
  return nr_attr_is_int(tied->items[result], &argument) ? argument : -1;
}

NrAttr nr_tied_attr(NrContext *ctx, const int64_t *tied, size_t count) {
  bool any = false;
  NrAttr *items = nr_calloc(count + 1, sizeof *items);
  for (size_t i = 0; i < count; i++) {
    items[i] = nr_attr_index(ctx, tied[i]);
    any |= tied[i] >= 0;
  }
  NrAttr attr = any ? nr_attr_array(ctx, items, count) : NULL;
  nr_free(items);
  return attr;
}
