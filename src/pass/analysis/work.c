/* work.c - see work.h. */
#include "pass/analysis/work.h"

#include "dialect/bufferization/ops.h"
#include "dialect/memref/ops.h"
#include "target/cost.h"

int64_t nr_work_times(int64_t work, uint64_t times) {
  return nr_mul_i64_saturated(work, (int64_t)NR_MIN(times, (uint64_t)INT64_MAX));
}

/* The number of ops on scalars or 32-byte vectors that one op on this type takes. */
static int64_t width_of(NrType type) {
  NrType elem = nr_type_elem(type);
  int64_t size = nr_type_is_int(elem) ? (elem->width + 7) / 8 : 8, count = 1;
  if (type->kind == NR_TYPE_VECTOR)
    for (uint32_t i = 0; i < type->rank; i++) count = nr_work_times(count, (uint64_t)NR_MAX(type->dims[i], 1));
  int64_t words = NR_MAX(size / 8, 1);
  return NR_MAX(nr_work_times(nr_work_times(count, (uint64_t)size), (uint64_t)words) / 32, words * words);
}

/* The width of the widest result, or operand where op has no result. */
static int64_t widest(const NrOp *op) {
  int64_t width = 1;
  for (uint32_t i = 0; i < op->num_results; i++) width = NR_MAX(width, width_of(nr_result(op, i)->type));
  for (uint32_t i = 0; i < op->num_operands && !op->num_results; i++)
    width = NR_MAX(width, width_of(nr_operand(op, i)->type));
  return width;
}

static int64_t copied_bytes(NrType type) {
  int64_t bytes = 8;
  for (uint32_t i = 0; i < type->rank && type->kind == NR_TYPE_MEMREF; i++)
    bytes = type->dims[i] == NR_DYNAMIC ? INT64_MAX : nr_work_times(bytes, (uint64_t)type->dims[i]);
  return bytes;
}

/* The work of a copy up to a safepoint: code generation splits copies into strips. */
static int64_t copy_work(NrType type) { return NR_MIN(copied_bytes(type) / 16, NR_STRIP_WORK / 16); }

static int64_t weight_of(const NrOp *op) {
  int64_t libm, slots = nr_cost_slots(op, &libm);
  if (NR_MAX(slots, libm) > 1) return NR_MAX(slots, libm);
  return nr_op_has(op, NR_READS) || nr_op_has(op, NR_WRITES) ? 2 : 1;
}

int64_t nr_work_of(const NrOp *op) {
  if (nr_op_has(op, NR_CONSTANT_LIKE)) return 0;
  switch (op->info->id) {
  case NR_OP_memref_copy: return copy_work(nr_memref_copy_source(op)->type);
  case NR_OP_bufferization_clone: return copy_work(nr_bufferization_clone_input(op)->type);
  case NR_OP_memref_realloc: return NR_STRIP_WORK / 256; /* large blocks move by remapping their pages */
  case NR_OP_rt_call: return NR_STRIP_WORK / 32; /* runtime functions that take longer check the stop flag themselves */
  case NR_OP_memref_generic_atomic_rmw: return 64;
  default: break;
  }
  if (nr_op_has(op, NR_ALLOCATES) || nr_op_has(op, NR_FREES)) return 64;
  return nr_work_times(widest(op), (uint64_t)weight_of(op));
}

int64_t nr_strip_length(int64_t work) {
  int64_t length = 1;
  while (length * NR_MAX(work, 1) < NR_STRIP_WORK) length *= 2;
  return length;
}
