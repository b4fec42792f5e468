/* fold_one_element_views.c - accesses to views of one element become accesses to the buffer.
 *   before  %v = memref.subview %m[%i] [1] [1]          after  %x = memref.load %s[%c0]
 *           memref.copy %s, %v                                 memref.store %x, %m[%i]
 *           %y = memref.load %v[%c0]                           %y = memref.load %m[%i]
 * An iteration of an scf.forall writes its result to such a view, by a copy from a buffer of one element. As loads and
 * stores they let mem2reg make a value of that buffer. */
#include "dialect/arith/arith.h"
#include "dialect/memref/memref.h"
#include "dialect/operands.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

static bool has_one_element(const NrValue *memref) {
  int64_t count;
  return nr_type_is_memref(memref->type) && nr_type_is_ranked(memref->type) &&
         nr_type_num_elements(memref->type, &count) && count == 1;
}

/* The only element: of the buffer that a view of one element is of, or of the memref itself. */
typedef struct Element {
  NrValue *memref, *at[NR_MAX_RANK];
  size_t rank;
} Element;

static Element element_of(NrBuilder *b, NrValue *memref) {
  Element e = {.memref = memref, .rank = memref->type->rank};
  NrOp *view = memref->op;
  if (nr_op_is(view, NR_OP_memref_subview)) {
    e.memref = nr_memref_subview_source(view);
    e.rank = e.memref->type->rank;
    for (size_t d = 0; d < e.rank; d++)
      e.at[d] = nr_index_value(b, nr_index_list_get(view, nr_extract_slice_slots[0], d));
    return e;
  }
  for (size_t d = 0; d < e.rank; d++) e.at[d] = nr_arith_constant_index(b, 0);
  return e;
}

static void fold_copy(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  Element from = element_of(&b, nr_memref_copy_source(op)), to = element_of(&b, nr_memref_copy_target(op));
  NrValue *value = nr_build_load(&b, from.memref, from.at, from.rank);
  nr_build_store(&b, value, to.memref, to.at, to.rank);
  nr_op_erase(op);
}

static void fold_access(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  Element e = element_of(&b, nr_op_memref(op));
  if (op->num_results) nr_op_replace(op, nr_build_load(&b, e.memref, e.at, e.rank));
  else {
    nr_build_store(&b, nr_op_value(op), e.memref, e.at, e.rank);
    nr_op_erase(op);
  }
}

static NrStatus fold_run(NrPassContext *pass, NrOp *root) {
  NrOpList ops = {0};
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++) {
    NrOp *op = ops.data[i];
    bool access = nr_op_is(op, NR_OP_memref_load) || nr_op_is(op, NR_OP_memref_store);
    if (nr_op_is(op, NR_OP_memref_copy)) {
      if (has_one_element(nr_memref_copy_source(op)) && has_one_element(nr_memref_copy_target(op))) fold_copy(op);
    } else if (access && nr_op_is(nr_op_memref(op)->op, NR_OP_memref_subview) && has_one_element(nr_op_memref(op))) {
      fold_access(op);
    }
  }
  for (size_t i = 0; i < ops.size; i++)
    if (!nr_is_erased(ops.data[i]) && nr_op_is(ops.data[i], NR_OP_memref_subview)) nr_erase_if_dead(ops.data[i]);
  nr_vec_deinit(&ops);
  return NR_OK;
}

NR_PASS(fold_one_element_views, .name = "fold-one-element-views", .on_while = NR_WHILE_BARRIER, .run = fold_run,
        .doc = "accesses to views of one element become accesses to the buffer")
