/* gradient.c - gives op Gradient a body: copies of the nodes between its inputs and y, as a function of the values that
 * attributes xs and zs name.
 *
 *   c = Add (a, b)                              body(a', b') { c' = Add (a', b')  d' = Mul (c', a')  yield d' }
 *   d = Mul (c, a)                         ->
 *   da, db = Gradient <xs = [a, b], y = d> (a, b)
 *
 * Values that depend on none of xs and zs are captured. */
#include "dialect/onnx/attrs.h"
#include "dialect/onnx/ops.h"
#include "onnx/import/import.h"

typedef struct Copy {
  NrMap map;    /* value -> its copy */
  NrMap needed; /* op -> itself: y depends on it */
  bool found;
} Copy;

/* Stops at an op that uses a value with a copy, also in its graphs. */
static bool uses_any(NrOp *op, void *user) {
  Copy *c = user;
  for (uint32_t i = 0; i < op->num_operands && !c->found; i++) c->found = nr_map_has(&c->map, nr_operand(op, i));
  return !c->found;
}

static bool depends(Copy *c, NrOp *op) {
  c->found = false;
  nr_walk_pre(op, uses_any, c);
  return c->found;
}

/* Marks what defines the operands of op, and of the ops in it. */
static bool mark_operands(NrOp *op, void *user) {
  Copy *c = user;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrOp *source = nr_operand(op, i)->op;
    if (source) nr_map_set(&c->needed, source, source);
  }
  return true;
}

static bool count_op(NrOp *op, void *user) { return (void)op, ++*(size_t *)user; }

/* Gradients of Gradients would copy the bodies of those before them: their number doubles from one to the next. */
static NrStatus take_copies(NrOp *gradient, NrOp *copied, size_t *num_copied) {
  enum { MOST = 1 << 16 };
  nr_walk_pre(copied, count_op, num_copied);
  if (*num_copied <= MOST) return NR_OK;
  nr_onnx_op_error(gradient, "the model's Gradients copy more than 65536 nodes");
  return NR_ERROR_LIMIT;
}

NrStatus nr_import_gradient(NrOp *op, NrValue *y, NrValue *const *independent, size_t count, size_t *num_copied) {
  NrModule *module = op->module;
  NrBlock *body = nr_block_create(module);
  nr_block_append(nr_onnx_training_gradient_region(op), body);
  Copy c = {0};
  for (size_t i = 0; i < count; i++) {
    NrValue *arg = nr_block_add_arg(body, nr_operand(op, i)->type, op->loc);
    arg->name = independent[i]->name;
    nr_map_set(&c.map, independent[i], arg);
  }
  NrOp *last = nr_map_has(&c.map, y) ? NULL : y->op;
  if (last) nr_map_set(&c.needed, last, last);
  for (NrOp *o = last; o; o = o->prev)
    if (nr_map_has(&c.needed, o)) nr_walk_pre(o, mark_operands, &c);
  NrStatus status = NR_OK;
  for (NrOp *o = last ? last->block->first : NULL; o && !status; o = o == last ? NULL : o->next) {
    bool given = false; /* one of xs and zs: what it is computed from does not matter */
    for (uint32_t i = 0; i < o->num_results; i++) given = given || nr_map_has(&c.map, nr_result(o, i));
    if (given || !nr_map_has(&c.needed, o) || !depends(&c, o)) continue;
    status = take_copies(op, o, num_copied);
    if (!status) nr_op_append(body, nr_op_clone(module, o, &c.map));
  }
  NrValue *result = nr_map_get(&c.map, y);
  NrBuilder b = nr_builder_at_end(module, body, op->loc);
  nr_build_op(&b, NR_OP_onnx_Yield, (NrValue *[]){result ? result : y}, 1, NULL, 0);
  nr_map_deinit(&c.map);
  nr_map_deinit(&c.needed);
  return status;
}
