/* emit.c - finds the row of an op and emits it. */
#include "codegen/llvm/ll.h"

static NrStatus emit_lanes(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef args[4];
  assert(op->num_operands <= 4);
  for (uint32_t i = 0; i < op->num_operands; i++) args[i] = nr_ll_value(g, nr_operand(op, i));
  LLVMValueRef out = row->lane(g, op, row, args);
  if (!out) return nr_op_error(op, "cannot be compiled for type %s", nr_type_text(g->ctx, nr_op_result(op)->type));
  nr_ll_set(g, nr_op_result(op), out);
  return NR_OK;
}

NrStatus nr_ll_emit_op(NrLl *g, NrOp *op) {
  nr_poll();
  nr_guard_at(op->loc);
  const NrLlRow *row = g->rows[op->info->id];
  if (!row) return nr_op_error(op, "has no machine code: an earlier stage should have lowered it");
  for (uint32_t i = 0; i < op->num_results; i++)
    if (!nr_ll_type(g, nr_result(op, i)->type))
      return nr_op_error(op, "has a result of type %s, which machine code does not have",
                         nr_type_text(g->ctx, nr_result(op, i)->type));
  nr_ll_sanitize_op(g, op);
  if (row->emit) return row->emit(g, op, row);
  return emit_lanes(g, op, row);
}

static void add_rows(NrLl *g, const NrLlRow *rows) {
  for (; rows->op; rows++) {
    const NrOpInfo *info = nr_op_info_find(nr_str(rows->op), NULL);
    assert(info && "a row of code generation names an op that does not exist");
    g->rows[info->id] = rows;
  }
}

void nr_ll_add_rows(NrLl *g) {
  static const NrLlRow *const tables[] = {
      nr_ll_control_rows,
      nr_ll_arith_rows,
      nr_ll_math_rows,
      nr_ll_complex_rows,
      nr_ll_memref_rows,
      nr_ll_frame_rows,
      nr_ll_boundary_rows,
      nr_ll_pointer_rows,
      nr_ll_memref_global_rows,
      nr_ll_atomic_rows,
      nr_ll_rt_rows,
      nr_ll_vector_rows,
      nr_ll_vector_reduce_rows,
  };
  for (size_t i = 0; i < NR_COUNTOF(tables); i++) add_rows(g, tables[i]);
  g->emit_op = nr_ll_emit_op;
}
