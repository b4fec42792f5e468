/* ops_vector_memory.c - vectors read from and written to memory, checked element by element. */
#include "dialect/vector/vector.h"
#include "interp/ops.h"

/* What one op accesses. */
typedef struct Access {
  NrIView *base;
  int64_t first[NR_MAX_RANK]; /* the op's indices */
} Access;

static NrIView *view_of(NrInterp *in, NrOp *op, size_t i) { return nr_get(in, nr_operand(op, i)).view; }

static bool begin(NrInterp *in, NrOp *op, size_t base, bool writes, Access *out) {
  out->base = view_of(in, op, base);
  if (out->base->elem->kind == NR_TYPE_VECTOR) return nr_interp_fail(in, op, "accesses elements that are vectors");
  if (out->base->buffer->freed) return nr_interp_fail(in, op, "uses memory that was freed");
  if (writes && out->base->buffer->borrowed) return nr_interp_fail(in, op, "writes to a constant or an input");
  return nr_interp_indices(in, op, base, out->base->rank, out->first);
}

/* The element at first + offset along the last dims; `along` more elements in the last one. Rows of a vector may run on
 * into the next row of memory: what counts is that each element lies in the buffer. */
static unsigned char *element(NrInterp *in, NrOp *op, const Access *a, const int64_t *offset, size_t rank,
                              int64_t along) {
  const NrIView *base = a->base;
  int64_t at = base->offset + along * (base->rank ? base->strides[base->rank - 1] : 1);
  for (size_t i = 0; i < base->rank; i++) {
    int64_t move = i + rank >= base->rank ? offset[i + rank - base->rank] : 0;
    at += (a->first[i] + move) * base->strides[i];
  }
  if (at >= 0 && (size_t)at < base->buffer->size / base->elem_size)
    return base->buffer->data + (size_t)at * base->elem_size;
  nr_interp_fail(in, op, "accesses element %lld of a buffer of %zu", (long long)at,
                 base->buffer->size / base->elem_size);
  return NULL;
}

static bool is_set(NrInterp *in, const NrIView *mask, const int64_t *at) {
  return !mask || nr_ivalue_load(in, mask->elem, nr_iview_at(mask, at)).bits != 0;
}

/* Reads into or writes from vector where mask is set. packed: the elements lie behind each other in memory. index: the
 * element's place counted from the first. */
static bool transfer(NrInterp *in, NrOp *op, const Access *a, NrIView *vector, bool writes, const NrIView *mask,
                     bool packed, const NrIView *index) {
  int64_t at[NR_MAX_RANK] = {0}, none[NR_MAX_RANK] = {0}, count = 0;
  do {
    if (!is_set(in, mask, at)) continue;
    int64_t along = index    ? nr_ivalue_int(index->elem, nr_ivalue_load(in, index->elem, nr_iview_at(index, at)))
                    : packed ? count++
                             : 0;
    bool direct = !index && !packed;
    unsigned char *memory = element(in, op, a, direct ? at : none, direct ? vector->rank : 0, along);
    if (!memory) return false;
    if (writes) memcpy(memory, nr_iview_at(vector, at), vector->elem_size);
    else memcpy(nr_iview_at(vector, at), memory, vector->elem_size);
  } while (nr_next_index(vector->dims, vector->rank, at));
  return true;
}

/* Reads into what pass_thru, or zeros, give. */
static bool read_vector(NrInterp *in, NrOp *op, NrIView *to, const NrIView *mask, bool packed, const NrIView *index) {
  Access a;
  if (begin(in, op, 0, false, &a) && transfer(in, op, &a, to, false, mask, packed, index)) {
    nr_set(in, nr_result(op, 0), (NrIValue){.view = to});
    return true;
  }
  nr_iview_release(to);
  return false;
}

bool nr_run_vector_load(NrInterp *in, NrOp *op) {
  NrType t = nr_result(op, 0)->type;
  return read_vector(in, op, nr_iview_new(t->elem, t->dims, t->rank), NULL, false, NULL);
}

bool nr_run_vector_store(NrInterp *in, NrOp *op) {
  Access a;
  return begin(in, op, 1, true, &a) && transfer(in, op, &a, view_of(in, op, 0), true, NULL, false, NULL);
}

static NrIView *pass_through(NrInterp *in, NrOp *op) {
  return nr_iview_dense_copy(view_of(in, op, op->num_operands - 1));
}

bool nr_run_maskedload(NrInterp *in, NrOp *op) {
  return read_vector(in, op, pass_through(in, op), view_of(in, op, op->num_operands - 2), false, NULL);
}

bool nr_run_expandload(NrInterp *in, NrOp *op) {
  return read_vector(in, op, pass_through(in, op), view_of(in, op, op->num_operands - 2), true, NULL);
}

static bool write_masked(NrInterp *in, NrOp *op, bool packed, const NrIView *index) {
  Access a;
  uint32_t n = op->num_operands;
  return begin(in, op, 0, true, &a) &&
         transfer(in, op, &a, view_of(in, op, n - 1), true, view_of(in, op, n - 2), packed, index);
}

bool nr_run_maskedstore(NrInterp *in, NrOp *op) { return write_masked(in, op, false, NULL); }
bool nr_run_compressstore(NrInterp *in, NrOp *op) { return write_masked(in, op, true, NULL); }

bool nr_run_vector_gather(NrInterp *in, NrOp *op) {
  NrIView *index = view_of(in, op, op->num_operands - 3), *mask = view_of(in, op, op->num_operands - 2);
  return read_vector(in, op, pass_through(in, op), mask, false, index);
}

bool nr_run_vector_scatter(NrInterp *in, NrOp *op) {
  return write_masked(in, op, false, view_of(in, op, op->num_operands - 3));
}

/* ---- transfers: any dims of a buffer or tensor, with padding outside --------------------------------------------- */

/* The base's element for element `at` of the vector; *out_inside false where it is outside and may be. */
static bool transfer_place(NrInterp *in, NrOp *op, const NrIView *base, size_t first, const int64_t *at, int64_t *out,
                           bool *out_inside) {
  NrAttr map = nr_op_attr(op, "permutation_map");
  bool checked[NR_MAX_RANK];
  for (size_t d = 0; d < base->rank; d++) {
    out[d] = nr_get_index(in, nr_operand(op, first + d));
    checked[d] = false;
  }
  for (uint32_t r = 0; r < map->num_exprs; r++) {
    if (map->exprs[r]->kind != NR_AFFINE_DIM) continue;
    int64_t d = map->exprs[r]->value;
    out[d] += at[r];
    checked[d] = !nr_transfer_in_bounds(op, r);
  }
  *out_inside = true;
  for (size_t d = 0; d < base->rank; d++) {
    if (out[d] >= 0 && out[d] < base->dims[d]) continue;
    *out_inside = false;
    if (!checked[d])
      return nr_interp_fail(in, op, "index %lld of dim %zu is out of bounds: the dim is %lld", (long long)out[d], d,
                            (long long)base->dims[d]);
  }
  return true;
}

/* The mask has a dim for each dim of the base that the vector moves along, in the base's order. */
static bool is_transferred(NrInterp *in, NrOp *op, const NrIView *base, const int64_t *at) {
  NrValue *value = nr_transfer_mask(op);
  NrAttr map = nr_op_attr(op, "permutation_map");
  int64_t place[NR_MAX_RANK];
  size_t count = 0;
  for (size_t d = 0; d < base->rank; d++)
    for (uint32_t r = 0; r < map->num_exprs; r++)
      if (map->exprs[r]->kind == NR_AFFINE_DIM && map->exprs[r]->value == (int64_t)d) place[count++] = at[r];
  return !value || is_set(in, nr_get(in, value).view, place);
}

bool nr_run_transfer_read(NrInterp *in, NrOp *op) {
  NrIView *base = view_of(in, op, 0);
  NrType t = nr_result(op, 0)->type;
  NrIValue padding = nr_get(in, nr_operand(op, 1 + base->rank));
  if (base->buffer->freed) return nr_interp_fail(in, op, "uses memory that was freed");
  NrIView *to = nr_iview_new(t->elem, t->dims, t->rank);
  int64_t at[NR_MAX_RANK] = {0}, place[NR_MAX_RANK];
  do {
    bool inside = false;
    if (is_transferred(in, op, base, at) && !transfer_place(in, op, base, 1, at, place, &inside))
      return nr_iview_release(to), false;
    if (inside) memcpy(nr_iview_at(to, at), nr_iview_at(base, place), to->elem_size);
    else nr_ivalue_store(to->elem, nr_iview_at(to, at), padding);
  } while (nr_next_index(to->dims, to->rank, at));
  nr_set(in, nr_result(op, 0), (NrIValue){.view = to});
  return true;
}

bool nr_run_transfer_write(NrInterp *in, NrOp *op) {
  NrIView *vector = view_of(in, op, 0), *base = view_of(in, op, 1);
  bool is_tensor = op->num_results != 0, ok = true;
  if (base->buffer->freed) return nr_interp_fail(in, op, "uses memory that was freed");
  if (!is_tensor && base->buffer->borrowed) return nr_interp_fail(in, op, "writes to a constant or an input");
  if (is_tensor) base = nr_iview_dense_copy(base);
  int64_t at[NR_MAX_RANK] = {0}, place[NR_MAX_RANK];
  do {
    bool inside = false;
    if (is_transferred(in, op, base, at)) ok = transfer_place(in, op, base, 2, at, place, &inside);
    if (ok && inside) memcpy(nr_iview_at(base, place), nr_iview_at(vector, at), vector->elem_size);
  } while (ok && nr_next_index(vector->dims, vector->rank, at));
  if (ok && is_tensor) nr_set(in, nr_result(op, 0), (NrIValue){.view = base});
  else if (is_tensor) nr_iview_release(base);
  return ok;
}
