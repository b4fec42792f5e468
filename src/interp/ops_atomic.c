/* ops_atomic.c - atomic read-modify-write ops and DMA transfers. One thread runs a program, so each op is atomic. */
#include "dialect/affine/affine.h"
#include "interp/ops.h"

bool nr_run_prefetch(NrInterp *in, NrOp *op) {
  (void)in;
  (void)op;
  return true;
}

bool nr_interp_combine(int64_t kind, NrType type, NrIValue a, NrIValue b, NrIValue *out) {
  const NrCombine *combine = nr_combine_of_atomic(kind);
  if (combine) return nr_scalar_combine(combine, type, a, b, out);
  *out = b; /* assign */
  return true;
}

bool nr_run_atomic_rmw(NrInterp *in, NrOp *op) {
  unsigned char *p;
  NrIView *view;
  if (!nr_interp_element(in, op, &p, &view) || !nr_interp_writable(in, op, view)) return false;
  NrIValue old = nr_ivalue_load(view->elem, p), value = nr_get(in, nr_memref_atomic_rmw_value(op)), next;
  if (!nr_interp_combine(nr_op_attr_int(op, NR_A_kind, 0), view->elem, old, value, &next))
    return nr_interp_fail(in, op, "the interpreter cannot compute it");
  nr_ivalue_store(view->elem, p, next);
  nr_set(in, nr_op_result(op), old);
  return true;
}

bool nr_run_generic_atomic_rmw(NrInterp *in, NrOp *op) {
  unsigned char *p;
  NrIView *view;
  if (!nr_interp_element(in, op, &p, &view) || !nr_interp_writable(in, op, view)) return false;
  NrIValue old = nr_ivalue_load(view->elem, p), next;
  if (!nr_run_region(in, nr_memref_generic_atomic_rmw_region(op), &old, 1, &next, 1)) return false;
  nr_ivalue_store(view->elem, p, next);
  nr_set(in, nr_op_result(op), old);
  return true;
}

/* ---- transfers -------------------------------------------------------------------------------------------------- */

typedef struct Place {
  NrIView *view;
  int64_t start; /* row-major index of the first element */
} Place;

/* Of the buffer that is operand `memref` of a transfer, whose indices follow it. map: their affine map, or NULL. */
static bool indices_of(NrInterp *in, NrOp *op, size_t memref, NrAttr map, NrIView **out, int64_t *indices) {
  *out = nr_get(in, nr_operand(op, memref)).view;
  if ((*out)->buffer->freed) return nr_interp_fail(in, op, "uses memory that was freed");
  return nr_interp_mapped_indices(in, op, memref + 1, map, (*out)->rank, indices);
}

static bool place_of(NrInterp *in, NrOp *op, size_t memref, NrAttr map, Place *out) {
  int64_t indices[NR_MAX_RANK];
  out->start = 0;
  if (!indices_of(in, op, memref, map, &out->view, indices)) return false;
  for (size_t i = 0; i < out->view->rank; i++) out->start = out->start * out->view->dims[i] + indices[i];
  return true;
}

static unsigned char *nth(NrInterp *in, NrOp *op, Place place, int64_t k) {
  int64_t at = place.start + k, index[NR_MAX_RANK];
  if (at < 0 || at >= nr_iview_count(place.view)) {
    nr_interp_fail(in, op, "the transfer leaves a buffer of %lld elements", (long long)nr_iview_count(place.view));
    return NULL;
  }
  for (size_t i = place.view->rank; i-- > 0; at /= place.view->dims[i]) index[i] = at % place.view->dims[i];
  return nr_iview_at(place.view, index);
}

/* The tag is never written, because a transfer completes at once. */
static bool check_tag(NrInterp *in, NrOp *op, size_t tag) {
  int64_t indices[NR_MAX_RANK];
  NrIView *view;
  return indices_of(in, op, tag, nr_op_attr(op, NR_A_tag_map), &view, indices) &&
         nr_interp_in_bounds(in, op, view, indices);
}

bool nr_run_dma_wait(NrInterp *in, NrOp *op) {
  return check_tag(in, op, nr_op_is(op, NR_OP_affine_dma_wait) ? NR_AFFINE_DMA_WAIT_TAG : NR_MEMREF_DMA_WAIT_TAG);
}

bool nr_run_dma_start(NrInterp *in, NrOp *op) {
  NrDmaParts parts;
  Place from, to;
  if (nr_op_is(op, NR_OP_affine_dma_start)) nr_affine_dma_parts(op, &parts);
  else nr_memref_dma_parts(op, &parts);
  if (!place_of(in, op, parts.source, nr_op_attr(op, NR_A_src_map), &from) ||
      !place_of(in, op, parts.target, nr_op_attr(op, NR_A_dst_map), &to))
    return false;
  if (!nr_interp_writable(in, op, to.view)) return false;
  int64_t n = nr_get_index(in, nr_operand(op, parts.n)), stride = 1, run = 1;
  if (parts.stride < op->num_operands) {
    stride = nr_get_index(in, nr_operand(op, parts.stride));
    run = nr_get_index(in, nr_operand(op, parts.run));
    if (run <= 0) return nr_interp_fail(in, op, "has %lld elements per stride", (long long)run);
  }
  bool strides_target = nr_memref_dma_strides_target(op, parts);
  for (int64_t k = 0; k < n; k++) {
    int64_t far = k / run * stride + k % run;
    unsigned char *source = nth(in, op, from, strides_target ? k : far);
    unsigned char *target = nth(in, op, to, strides_target ? far : k);
    if (!source || !target) return false;
    memmove(target, source, to.view->elem_size);
  }
  return check_tag(in, op, parts.tag);
}
