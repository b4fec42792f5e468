/* pad_by_planes.c - fills padded buffers, and copies into them, a plane at a time.
 *
 *   before  linalg.fill ins(%z) outs(%b : memref<8x96x58x58xf32>)
 *           %s = memref.subview %b[0, 0, 1, 1] [8, 96, 56, 56] [1, 1, 1, 1]
 *           memref.copy %x, %s
 *   after   scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c96) step (%c1, %c1) {
 *             fill the plane %b[%i, %j]; copy %x[%i, %j] to its part
 *           }
 *
 * The copy finds the plane in a cache, and threads share the planes out (parallel-to-dispatch). Planes of less than
 * LEAST_PLANE bytes stay together: a loop over them would cost more than it saves. */
#include "dialect/arith/arith.h"
#include "dialect/linalg/linalg.h"
#include "dialect/memref/memref.h"
#include "dialect/scf/scf.h"
#include "pass/analysis/dependence.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"
#include "target/cost.h"

enum { LEAST_PLANE = 1024 };

typedef struct Pad {
  NrOp *fill, *view, *copy;
  NrValue *buffer;
  uint32_t planes; /* the leading dims of the buffer that are not padded */
} Pad;

/* Returns the memref.copy that follows the fill, if no op between them accesses memory; else NULL. */
static NrOp *copy_behind(const NrOp *fill) {
  NrOp *op = fill->next;
  while (op && (nr_op_is_pure(op) || nr_op_has(op, NR_CONSTANT_LIKE)) && !op->num_regions) op = op->next;
  return op && nr_op_is(op, NR_OP_memref_copy) ? op : NULL;
}

static bool same_size(NrIndex a, NrIndex b) {
  return a.value ? a.value == b.value : !b.value && a.constant == b.constant;
}

static bool find(NrOp *fill, Pad *out) {
  NrValue *buffer = nr_linalg_fill_output(fill);
  NrOp *copy = copy_behind(fill), *view = copy ? nr_memref_copy_target(copy)->op : NULL;
  if (!nr_op_is(view, NR_OP_memref_subview) || nr_memref_subview_source(view) != buffer || view->block != fill->block ||
      !nr_op_is(buffer->op, NR_OP_memref_alloc) || nr_op_result(view)->type->rank != buffer->type->rank ||
      nr_memref_root(nr_memref_copy_source(copy)) == buffer)
    return false;
  *out = (Pad){.fill = fill, .view = view, .copy = copy, .buffer = buffer};
  NrBuilder b = nr_builder_before(fill);
  uint32_t rank = buffer->type->rank;
  for (uint32_t i = 0; i < rank; i++) {
    NrIndex step = nr_index_list_get(view, nr_extract_slice_slots[2], i);
    if (!nr_index_is(step, 1)) return false;
  }
  while (out->planes + 1 < rank) {
    uint32_t i = out->planes;
    NrIndex size = nr_index_list_get(view, nr_extract_slice_slots[1], i);
    if (!nr_index_is(nr_index_list_get(view, nr_extract_slice_slots[0], i), 0) ||
        !same_size(size, nr_dim_build(&b, buffer, i)))
      break;
    out->planes++;
  }
  return out->planes > 0;
}

/* The part of a memref that plane `ivs` has: all of it behind the dims of planes. */
static NrValue *plane_of(NrBuilder *b, const Pad *p, NrValue *memref, NrValue *const *ivs) {
  NrIndex from[NR_MAX_RANK], size[NR_MAX_RANK], step[NR_MAX_RANK];
  for (uint32_t i = 0; i < memref->type->rank; i++) {
    bool outer = i < p->planes;
    from[i] = outer ? nr_index_of(ivs[i]) : nr_index_const(0);
    size[i] = outer ? nr_index_const(1) : nr_dim_build(b, memref, i);
    step[i] = nr_index_const(1);
  }
  return nr_build_subview(b, memref, from, size, step, NULL);
}

/* The part of the plane that is not padding. */
static NrValue *inside(NrBuilder *b, const Pad *p, NrValue *plane) {
  NrIndex lists[3][NR_MAX_RANK];
  for (uint32_t i = 0; i < plane->type->rank; i++)
    for (uint32_t k = 0; k < 3; k++)
      lists[k][i] = i < p->planes ? nr_index_const(k > 0) : nr_index_list_get(p->view, nr_extract_slice_slots[k], i);
  return nr_build_subview(b, plane, lists[0], lists[1], lists[2], NULL);
}

static double bytes_of(const Pad *p, uint32_t first) {
  double bytes = (double)nr_type_byte_size(p->buffer->type->elem);
  for (uint32_t i = first; i < p->buffer->type->rank; i++) bytes *= (double)p->buffer->type->dims[i];
  return bytes;
}

static void split(NrPassContext *pass, const Pad *p) {
  NrBuilder b = nr_builder_before(p->copy);
  NrValue *lower[NR_MAX_RANK], *upper[NR_MAX_RANK], *step[NR_MAX_RANK];
  bool known = true;
  for (uint32_t i = 0; i < p->buffer->type->rank; i++) known &= p->buffer->type->dims[i] >= 0;
  if (known && bytes_of(p, p->planes) < LEAST_PLANE) return;
  for (uint32_t i = 0; i < p->planes; i++) {
    lower[i] = nr_arith_constant_index(&b, 0);
    upper[i] = nr_index_value(&b, nr_dim_build(&b, p->buffer, i));
    step[i] = nr_arith_constant_index(&b, 1);
  }
  NrOp *loop = nr_scf_parallel(&b, lower, upper, step, p->planes, NULL, 0);
  if (known) { /* a plane is filled, and read and written by the copy */
    NrCost cost = {0, 3 * bytes_of(p, p->planes)};
    double ns = nr_cost_ns(pass->target, cost, 2 * bytes_of(p, 0));
    nr_op_set_attr(loop, NR_A_noria_point_ns, nr_attr_i64(pass->ctx, NR_MAX((int64_t)ns, 1)));
  }
  NrBuilder body = nr_scf_body_builder(nr_scf_parallel_body(loop));
  NrValue *const *ivs = nr_scf_parallel_body(loop)->args;
  NrValue *plane = plane_of(&body, p, p->buffer, ivs);
  nr_build_fill(&body, nr_linalg_fill_value(p->fill), plane);
  NrValue *from = plane_of(&body, p, nr_memref_copy_source(p->copy), ivs);
  nr_build_op(&body, NR_OP_memref_copy, (NrValue *[]){from, inside(&body, p, plane)}, 2, NULL, 0);
  nr_scf_reduce(&body, NULL, 0);
  nr_op_erase(p->copy);
  nr_op_erase(p->fill);
  nr_erase_if_dead(p->view);
}

static NrStatus pad_by_planes_run(NrPassContext *pass, NrOp *func) {
  if (nr_op_attr(func, NR_A_noria_dispatch)) return NR_OK;
  NrOpList ops = {0};
  nr_collect_ops(func, &ops);
  for (size_t i = 0; i < ops.size; i++) {
    Pad p;
    if (nr_op_is(ops.data[i], NR_OP_linalg_fill) && find(ops.data[i], &p)) split(pass, &p);
  }
  nr_vec_deinit(&ops);
  return NR_OK;
}

NR_PASS(pad_by_planes, .name = "pad-by-planes", .on_while = NR_WHILE_BARRIER, .on = "func.func",
        .run = pad_by_planes_run, .doc = "fills padded buffers, and copies into them, a plane at a time")
