/* buffers.h - shared by the passes on allocated memory. */
#ifndef NORIA_PASS_BUFFERIZE_BUFFERS_H
#define NORIA_PASS_BUFFERIZE_BUFFERS_H

#include "ir/op_info.h"

/* The only memref.dealloc of the value itself; NULL when there is none, or more than one. A buffer that the allocating
 * block frees never leaves that block: an owner that moves a buffer does not free it. */
static inline NrOp *nr_buffer_dealloc(const NrValue *memref) {
  NrOp *found = NULL;
  for (const NrUse *use = memref->first_use; use; use = use->next) {
    if (!nr_op_is(use->owner, NR_OP_memref_dealloc)) continue;
    if (found) return NULL;
    found = use->owner;
  }
  return found;
}

/* Bytes of a buffer of static shape; false when dynamic, too large or of elements without memory. */
static inline bool nr_buffer_bytes(NrType memref, int64_t *out) {
  int64_t count;
  size_t size = memref->layout ? 0 : nr_type_byte_size(memref->elem);
  return size && nr_type_num_elements(memref, &count) && nr_mul_i64(count, (int64_t)size, out);
}

#endif
