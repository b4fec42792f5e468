/* vectors_schedule.c - the order of ops on rows in lower-vectors; see lower_vectors.h. An op becomes one op for each
 * row, and its rows stand together. Where they have masks, all ops on one row come before those on the next:
 *
 *   %c0 = arith.cmpi .. %a0       %c0 = arith.cmpi .. %a0
 *   %c1 = arith.cmpi .. %a1       %d0 = arith.select %c0, ..
 *   %d0 = arith.select %c0, ..    %c1 = arith.cmpi .. %a1
 *   %d1 = arith.select %c1, ..    %d1 = arith.select %c1, ..
 *
 * LLVM keeps about this order, and so few masks live at a time: AVX-512 has seven registers for them, and the next
 * iteration waits long for one that went through memory (Collatz lengths in four vectors of 32 bytes, on Zen 4: 64 ns
 * in the first order, 44 in the second). */
#include <stdlib.h>

#include "pass/expand/lower_vectors.h"

typedef struct Place {
  NrOp *op;
  size_t row, at;
} Place;
typedef NR_VEC(Place) Places;

static bool can_move(NrOp *op) {
  return !op->num_regions && !op->num_successors && !nr_op_has(op, NR_TERMINATOR) && nr_op_is_pure(op);
}

/* The row that op works on, or the last one that it needs. */
static size_t row_of(const NrRows *r, const NrMap *rows, const NrOp *op) {
  size_t row = (size_t)(uintptr_t)nr_map_get(&r->row_of, op);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    const NrOp *from = nr_operand(op, i)->op;
    size_t needs = from ? (size_t)(uintptr_t)nr_map_get(rows, from) : 0;
    row = NR_MAX(row, needs);
  }
  return row;
}

static int compare(const void *a_, const void *b_) {
  const Place *a = a_, *b = b_;
  if (a->row != b->row) return a->row < b->row ? -1 : 1;
  return a->at < b->at ? -1 : a->at > b->at;
}

/* Ops of one row keep their order, and no op needs one of a later row: so each stays behind what it needs. */
static void order_run(const Places *run, NrOp *end) {
  if (run->size) qsort(run->data, run->size, sizeof *run->data, compare);
  for (size_t i = 0; i < run->size; i++) {
    nr_op_unlink(run->data[i].op);
    nr_op_insert_before(run->data[i].op, end);
  }
}

static void order_block(const NrRows *r, NrBlock *block) {
  Places run = {0};
  NrMap rows = {0}; /* NrOp * of the run -> its row */
  for (NrOp *op = block->first; op; op = op->next) {
    if (can_move(op)) {
      size_t row = row_of(r, &rows, op);
      nr_map_set(&rows, op, (void *)(uintptr_t)row);
      nr_vec_push(&run, ((Place){op, row, run.size}));
      continue;
    }
    order_run(&run, op);
    run.size = 0;
    nr_map_clear(&rows);
  }
  nr_vec_deinit(&run);
  nr_map_deinit(&rows);
}

void nr_rows_order(NrRows *r) {
  for (size_t i = 0; i < r->masked.size; i++) order_block(r, r->masked.data[i]);
}
