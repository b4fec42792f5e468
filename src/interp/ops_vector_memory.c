/* ops_vector_memory.c - vector loads and stores, checked element by element. */
#include "dialect/operands.h"
#include "dialect/vector/vector.h"
#include "interp/ops.h"

/* The access of one op. */
typedef struct Access {
  NrIView *base;
  int64_t first[NR_MAX_RANK]; /* the op's indices */
  const NrIView *mask, *index; /* or NULL; index: each lane's offset in the last dim from the op's index */
  bool packed;                 /* the active lanes are contiguous in memory */
} Access;

static NrIView *view_of(NrInterp *in, NrValue *value) { return nr_get(in, value).view; }

static bool begin(NrInterp *in, NrOp *op, bool writes, Access *out) {
  out->base = view_of(in, nr_interp_accessed(op));
  if (out->base->elem->kind == NR_TYPE_VECTOR) return nr_interp_fail(in, op, "accesses elements that are vectors");
  if (!nr_interp_alive(in, op, out->base) || (writes && !nr_interp_writable(in, op, out->base))) return false;
  return nr_interp_indices(in, op, out->base->rank, out->first);
}

static bool is_set(NrInterp *in, const NrIView *mask, const int64_t *at) {
  return !mask || nr_ivalue_load(mask->elem, nr_iview_at(mask, at)).bits != 0;
}

/* The indices of lane `at` of a vector in the base; count: active lanes before it. An index that overflows wraps and is
 * out of bounds then. */
static void lane_place(NrInterp *in, const Access *a, const NrIView *vector, const int64_t *at, int64_t count,
                       int64_t *out) {
  size_t rank = a->base->rank;
  for (size_t d = 0; d < rank; d++) {
    bool moves = !a->index && !a->packed && d + vector->rank >= rank;
    int64_t along = moves ? at[d + vector->rank - rank] : 0;
    if (a->index && d + 1 == rank)
      along = nr_ivalue_int(a->index->elem, nr_ivalue_load(a->index->elem, nr_iview_at(a->index, at)));
    if (a->packed && d + 1 == rank) along = count;
    out[d] = (int64_t)((uint64_t)a->first[d] + (uint64_t)along);
  }
}

/* Updates the smallest index of dim d that is out of bounds. */
static void note_outside(const NrIView *base, size_t d, int64_t index, bool *io_any, int64_t *io_least) {
  if (index >= 0 && index < base->dims[d]) return;
  if (!*io_any || index < *io_least) *io_least = index;
  *io_any = true;
}

static bool fail_outside(NrInterp *in, NrOp *op, const NrIView *base, size_t d, int64_t index) {
  return nr_interp_fail(in, op, "index %lld of dim %zu is out of bounds: the dim is %lld", (long long)index, d,
                        (long long)base->dims[d]);
}

/* Checks that each accessed lane is inside every dim; an access past the end of a row is out of bounds even where the
 * next row follows. */
static bool lanes_inside(NrInterp *in, NrOp *op, const Access *a, const NrIView *vector) {
  for (size_t d = 0; d < a->base->rank; d++) {
    int64_t at[NR_MAX_RANK] = {0}, place[NR_MAX_RANK], count = 0, least = 0;
    bool any = false;
    do {
      if (!is_set(in, a->mask, at)) continue;
      lane_place(in, a, vector, at, count++, place);
      note_outside(a->base, d, place[d], &any, &least);
    } while (nr_interp_next(in, vector->dims, vector->rank, at));
    if (any) return fail_outside(in, op, a->base, d, least);
  }
  return true;
}

/* Reads or writes the active lanes of vector. */
static bool transfer(NrInterp *in, NrOp *op, const Access *a, NrIView *vector, bool writes) {
  int64_t at[NR_MAX_RANK] = {0}, place[NR_MAX_RANK], count = 0;
  if (!lanes_inside(in, op, a, vector)) return false;
  do {
    if (!is_set(in, a->mask, at)) continue;
    lane_place(in, a, vector, at, count++, place);
    unsigned char *memory = nr_iview_at(a->base, place);
    if (writes) memcpy(memory, nr_iview_at(vector, at), vector->elem_size);
    else memcpy(nr_iview_at(vector, at), memory, vector->elem_size);
  } while (nr_interp_next(in, vector->dims, vector->rank, at));
  return true;
}

/* Reads into `to`, which has the values of inactive lanes; NULL when out of memory. */
static bool read_vector(NrInterp *in, NrOp *op, NrIView *to, const NrIView *mask, bool packed, const NrIView *index) {
  Access a = {.mask = mask, .packed = packed, .index = index};
  if (to && begin(in, op, false, &a) && transfer(in, op, &a, to, false)) {
    nr_set(in, nr_op_result(op), (NrIValue){.view = to});
    return true;
  }
  nr_iview_release(to);
  return false;
}

bool nr_run_vector_load(NrInterp *in, NrOp *op) {
  NrType t = nr_op_result(op)->type;
  if (nr_interp_accessed(op)->type->elem == t) return nr_run_load(in, op);
  return read_vector(in, op, nr_iview_new(in, t->elem, t->dims, t->rank), NULL, false, NULL);
}

bool nr_run_vector_store(NrInterp *in, NrOp *op) {
  Access a = {0};
  NrValue *value = nr_op_value(op);
  if (nr_interp_accessed(op)->type->elem == value->type) return nr_run_store(in, op);
  return begin(in, op, true, &a) && transfer(in, op, &a, view_of(in, value), true);
}

/* The lanes that the mask leaves out keep the elements of operand pass_thru. */
static bool read_masked(NrInterp *in, NrOp *op, bool packed, const NrIView *index) {
  NrIView *mask = view_of(in, nr_op_mask(op));
  return read_vector(in, op, nr_iview_dense_copy(in, view_of(in, nr_op_pass_thru(op))), mask, packed, index);
}

bool nr_run_maskedload(NrInterp *in, NrOp *op) { return read_masked(in, op, false, NULL); }

/* With noria.readable, machine code may read as many elements as there are lanes. */
bool nr_run_expandload(NrInterp *in, NrOp *op) {
  Access all = {0};
  bool reads_all = nr_op_attr(op, NR_A_noria_readable) != NULL;
  if (reads_all && !(begin(in, op, false, &all) && lanes_inside(in, op, &all, view_of(in, nr_op_pass_thru(op)))))
    return false;
  return read_masked(in, op, true, NULL);
}

static bool write_masked(NrInterp *in, NrOp *op, bool packed, const NrIView *index) {
  Access a = {.mask = view_of(in, nr_op_mask(op)), .packed = packed, .index = index};
  return begin(in, op, true, &a) && transfer(in, op, &a, view_of(in, nr_op_value(op)), true);
}

bool nr_run_maskedstore(NrInterp *in, NrOp *op) { return write_masked(in, op, false, NULL); }
bool nr_run_compressstore(NrInterp *in, NrOp *op) { return write_masked(in, op, true, NULL); }

bool nr_run_vector_gather(NrInterp *in, NrOp *op) {
  return read_masked(in, op, false, view_of(in, nr_vector_gather_index_vec(op)));
}

bool nr_run_vector_scatter(NrInterp *in, NrOp *op) {
  return write_masked(in, op, false, view_of(in, nr_vector_scatter_index_vec(op)));
}

/* ---- transfers: any dims of a buffer or tensor, with padding outside --------------------------------------------- */

/* The base's indices for element `at` of the vector; returns whether they are in bounds. asked[d]: dim d must be in
 * bounds; elsewhere, elements out of bounds are padding. */
static bool transfer_place(NrInterp *in, NrOp *op, const NrIView *base, const int64_t *at, int64_t *out, bool *asked) {
  bool reads = nr_op_is(op, NR_OP_vector_transfer_read);
  size_t first = reads ? NR_VECTOR_TRANSFER_READ_INDICES : NR_VECTOR_TRANSFER_WRITE_INDICES;
  NrAttr map = nr_op_attr(op, NR_A_permutation_map);
  bool inside = true;
  for (size_t d = 0; d < base->rank; d++) {
    out[d] = nr_get_index(in, nr_operand(op, first + d));
    asked[d] = true;
  }
  for (uint32_t r = 0; r < map->num_exprs; r++) {
    if (map->exprs[r]->kind != NR_AFFINE_DIM) continue;
    int64_t d = map->exprs[r]->value;
    out[d] = (int64_t)((uint64_t)out[d] + (uint64_t)at[r]);
    asked[d] = nr_transfer_in_bounds(op, r);
  }
  for (size_t d = 0; d < base->rank; d++) inside &= out[d] >= 0 && out[d] < base->dims[d];
  return inside;
}

/* The mask has the vector's dims in the base's order. */
static bool is_transferred(NrInterp *in, NrOp *op, const NrIView *base, const int64_t *at) {
  NrValue *value = nr_transfer_mask(op);
  NrAttr map = nr_op_attr(op, NR_A_permutation_map);
  int64_t place[NR_MAX_RANK];
  size_t count = 0;
  for (size_t d = 0; d < base->rank; d++)
    for (uint32_t r = 0; r < map->num_exprs; r++)
      if (map->exprs[r]->kind == NR_AFFINE_DIM && map->exprs[r]->value == (int64_t)d) place[count++] = at[r];
  return !value || is_set(in, nr_get(in, value).view, place);
}

/* Checks that all transferred elements are inside the dims that are marked in_bounds. */
static bool transfer_inside(NrInterp *in, NrOp *op, const NrIView *base, const NrIView *vector) {
  for (size_t d = 0; d < base->rank; d++) {
    int64_t at[NR_MAX_RANK] = {0}, place[NR_MAX_RANK], least = 0;
    bool any = false, asked[NR_MAX_RANK];
    do {
      if (!is_transferred(in, op, base, at)) continue;
      transfer_place(in, op, base, at, place, asked);
      if (asked[d]) note_outside(base, d, place[d], &any, &least);
    } while (nr_interp_next(in, vector->dims, vector->rank, at));
    if (any) return fail_outside(in, op, base, d, least);
  }
  return true;
}

bool nr_run_transfer_read(NrInterp *in, NrOp *op) {
  NrIView *base = view_of(in, nr_vector_transfer_read_base(op));
  NrType t = nr_op_result(op)->type;
  NrIValue padding = nr_get(in, nr_vector_transfer_read_padding(op));
  if (!nr_interp_alive(in, op, base)) return false;
  NrIView *to = nr_iview_new(in, t->elem, t->dims, t->rank);
  if (!to) return false;
  if (!transfer_inside(in, op, base, to)) return nr_iview_release(to), false;
  int64_t at[NR_MAX_RANK] = {0}, place[NR_MAX_RANK];
  bool asked[NR_MAX_RANK];
  do {
    bool inside = is_transferred(in, op, base, at) && transfer_place(in, op, base, at, place, asked);
    if (inside) memcpy(nr_iview_at(to, at), nr_iview_at(base, place), to->elem_size);
    else nr_ivalue_store(to->elem, nr_iview_at(to, at), padding);
  } while (nr_interp_next(in, to->dims, to->rank, at));
  nr_set(in, nr_op_result(op), (NrIValue){.view = to});
  return true;
}

bool nr_run_transfer_write(NrInterp *in, NrOp *op) {
  NrIView *vector = view_of(in, nr_vector_transfer_write_value(op));
  NrIView *base = view_of(in, nr_vector_transfer_write_base(op));
  bool is_tensor = op->num_results != 0, asked[NR_MAX_RANK];
  if (!nr_interp_alive(in, op, base) || (!is_tensor && !nr_interp_writable(in, op, base))) return false;
  if (!transfer_inside(in, op, base, vector)) return false;
  if (is_tensor && !(base = nr_iview_dense_copy(in, base))) return false;
  int64_t at[NR_MAX_RANK] = {0}, place[NR_MAX_RANK];
  do {
    bool inside = is_transferred(in, op, base, at) && transfer_place(in, op, base, at, place, asked);
    if (inside) memcpy(nr_iview_at(base, place), nr_iview_at(vector, at), vector->elem_size);
  } while (nr_interp_next(in, vector->dims, vector->rank, at));
  if (is_tensor) nr_set(in, nr_vector_transfer_write_result(op), (NrIValue){.view = base});
  return true;
}
