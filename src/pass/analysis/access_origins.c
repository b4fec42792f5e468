/* access_origins.c - translates the indices of an access through views to the memrefs that they are views of; see
 * dependence_test.h.
 *
 *   %w = memref.subview %m[%i, 2] [1, 4] [1, 3] : .. to memref<4xf32, ..>
 *   memref.store %x, %w[%j]                            is element [%i, 2 + 3 * %j] of %m
 *
 * Each memref that is a source of both accesses gives an equality of the indices in each dim, and one of the addresses
 * where the strides are static. */
#include "dialect/affine/affine.h"
#include "dialect/operands.h"
#include "dialect/shared/shaped.h"
#include "pass/analysis/dependence_test.h"

enum { MAX_VIEWS = 8, MAX_LOCATION_RANK = 8 };

/* An element of memref: indices[d] is its index in dim d, where known[d]. */
typedef struct Location {
  NrValue *memref;
  uint32_t rank;
  bool runs_over; /* a vector access, whose elements may continue in the next row */
  bool known[MAX_LOCATION_RANK];
  NrEquality indices[MAX_LOCATION_RANK];
} Location;

/* Whether different indices have different addresses: the layout is row-major, or its strides do not overlap. */
static bool has_distinct_locations(NrValue *memref) {
  NrType type = memref->type;
  int64_t strides[NR_MAX_RANK], offset;
  uint64_t done = 0;
  int64_t reach = 1; /* extent of the dims in done, which the next stride must not be below */
  if (type->rank == 0 || nr_memref_is_identity(type)) return true;
  if (nr_op_is(memref->op, NR_OP_memref_cast)) return has_distinct_locations(nr_memref_cast_source(memref->op));
  if (nr_op_is(memref->op, NR_OP_memref_subview)) { /* visits no element of the source twice, unless a stride is 0 */
    NrAttr steps = nr_op_attr(memref->op, NR_A_static_strides);
    bool known = steps && steps->kind == NR_ATTR_DENSE_ARRAY;
    for (size_t i = 0; known && i < steps->data_size / sizeof(int64_t); i++) {
      int64_t step = ((const int64_t *)steps->data)[i];
      known = step != NR_DYNAMIC && step != 0;
    }
    if (known && has_distinct_locations(nr_memref_subview_source(memref->op))) return true;
  }
  if (!nr_memref_strides(type, strides, &offset)) return false;
  for (uint32_t n = 0; n < type->rank; n++) {
    int best = -1;
    for (uint32_t d = 0; d < type->rank; d++)
      if (!(done >> d & 1) && strides[d] != NR_DYNAMIC && (best < 0 || strides[d] < strides[best])) best = (int)d;
    if (best < 0 || strides[best] < reach) return false;
    done |= UINT64_C(1) << best;
    if (n + 1 < type->rank && (type->dims[best] == NR_DYNAMIC || !nr_mul_i64(strides[best], type->dims[best], &reach)))
      return false;
    reach = NR_MAX(reach, 1);
  }
  return true;
}

/* ---- from view to view ------------------------------------------------------------------------------------------- */

/* The source of a view whose indices can be translated. */
static NrValue *source_of(const NrValue *memref) {
  switch (memref->op ? memref->op->info->id : 0) {
  case NR_OP_memref_cast:
  case NR_OP_memref_memory_space_cast:
  case NR_OP_memref_assume_alignment:
  case NR_OP_memref_subview:
  case NR_OP_memref_transpose:
  case NR_OP_memref_expand_shape:
  case NR_OP_memref_collapse_shape: {
    NrValue *source = nr_op_source(memref->op);
    return source->type->kind == NR_TYPE_MEMREF && source->type->rank <= MAX_LOCATION_RANK ? source : NULL;
  }
  default: return NULL;
  }
}

static bool add_index(NrDependenceTest *t, NrEquality *row, NrIndex index, int side) {
  if (!index.value) return nr_equality_add_constant(row, 1, index.constant);
  return nr_dependence_add_value(t, row, index.value, side, 1);
}

static void through_subview(NrDependenceTest *t, NrOp *op, const Location *from, int side, Location *to) {
  bool keep[MAX_LOCATION_RANK];
  uint32_t at = 0;
  if (!nr_slice_keeps(op, from->memref->type, keep)) return;
  for (uint32_t d = 0; d < to->rank; d++) {
    NrIndex stride = nr_index_list_get(op, nr_extract_slice_slots[2], d);
    to->known[d] = add_index(t, &to->indices[d], nr_index_list_get(op, nr_extract_slice_slots[0], d), side);
    if (!keep[d]) continue; /* a dropped unit dim: its index is 0 */
    to->known[d] = to->known[d] && from->known[at] && !stride.value &&
                   nr_equality_add_scaled(&to->indices[d], &from->indices[at], stride.constant);
    at++;
  }
}

static void through_transpose(NrOp *op, const Location *from, Location *to) {
  NrAttr map = nr_op_attr(op, NR_A_permutation);
  for (uint32_t i = 0; i < from->rank; i++) {
    uint32_t d = (uint32_t)map->exprs[i]->value;
    to->known[d] = from->known[i];
    to->indices[d] = from->indices[i];
  }
}

/* Sets the index of each collapsed dim to the row-major index in its group. */
static void through_expansion(NrOp *op, const Location *from, Location *to) {
  NrGroups groups;
  if (!nr_groups_of(op, &groups)) return;
  for (uint32_t d = 0; d < to->rank; d++) {
    int64_t stride = 1;
    to->known[d] = true;
    for (uint32_t k = groups.size[d]; k-- > 0;) {
      uint32_t i = groups.begin[d] + k;
      int64_t size = from->memref->type->dims[i];
      to->known[d] =
          to->known[d] && from->known[i] && nr_equality_add_scaled(&to->indices[d], &from->indices[i], stride);
      if (k > 0 && (size == NR_DYNAMIC || !nr_mul_i64(stride, size, &stride))) to->known[d] = false;
    }
  }
}

/* Makes the indices of a group unknowns below its sizes whose row-major index equals that of the collapsed dim. */
static void through_collapse(NrDependenceTest *t, NrOp *op, const Location *from, int side, Location *to) {
  NrGroups groups;
  if (!nr_groups_of(op, &groups)) return;
  for (uint32_t d = 0; d < from->rank; d++) {
    NrEquality sum = {0};
    int64_t stride = 1;
    bool ok = from->known[d] && nr_equality_add_scaled(&sum, &from->indices[d], -1);
    for (uint32_t k = groups.size[d]; k-- > 0;) {
      uint32_t i = groups.begin[d] + k;
      int64_t size = to->memref->type->dims[i];
      int index = nr_dependence_unknown(t, op, (int)i, side, k || !from->runs_over ? size : NR_DYNAMIC);
      to->known[i] = index >= 0 && nr_equality_add(&to->indices[i], (uint32_t)index, 1);
      ok = ok && to->known[i] && nr_equality_add(&sum, (uint32_t)index, stride);
      if (k > 0 && (size == NR_DYNAMIC || !nr_mul_i64(stride, size, &stride))) ok = false;
    }
    if (ok) nr_constraints_add(&t->constraints, &sum);
    for (uint32_t k = 0; k < groups.size[d]; k++) to->known[groups.begin[d] + k] &= ok;
  }
}

static Location in_source(NrDependenceTest *t, const Location *from, int side) {
  NrOp *op = from->memref->op;
  Location to = {.memref = source_of(from->memref), .runs_over = from->runs_over};
  to.rank = to.memref->type->rank;
  switch (op->info->id) {
  case NR_OP_memref_subview: through_subview(t, op, from, side, &to); break;
  case NR_OP_memref_transpose: through_transpose(op, from, &to); break;
  case NR_OP_memref_expand_shape: through_expansion(op, from, &to); break;
  case NR_OP_memref_collapse_shape: through_collapse(t, op, from, side, &to); break;
  default:
    for (uint32_t d = 0; d < to.rank; d++) {
      to.known[d] = from->known[d];
      to.indices[d] = from->indices[d];
    }
  }
  return to;
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

/* The number of elements in dim d from the location on. */
static int64_t extent_of(const NrMemAccess *access, uint32_t d) {
  NrType vector = access->vector, memref = access->memref->type;
  if (!vector || d + vector->rank < memref->rank) return 1;
  return vector->dims[d + vector->rank - memref->rank];
}

static Location location_of(NrDependenceTest *t, const NrMemAccess *access, int side) {
  Location location = {
      .memref = access->memref, .rank = access->memref->type->rank, .runs_over = access->vector != NULL};
  for (uint32_t d = 0; d < location.rank; d++) {
    int64_t extent = access->num_indices ? extent_of(access, d) : access->memref->type->dims[d];
    bool ok = true;
    if (access->num_indices && access->map)
      ok = nr_dependence_add_result(t, &location.indices[d], access->map, d, access->op, access->first_index, side, 1);
    else if (access->num_indices)
      ok = nr_dependence_add_value(t, &location.indices[d], nr_operand(access->op, access->first_index + d), side, 1);
    if (extent != 1 || !access->num_indices) {
      int more = nr_dependence_unknown(t, access, (int)d, side, extent);
      ok = ok && more >= 0 && nr_equality_add(&location.indices[d], (uint32_t)more, 1);
    }
    location.known[d] = ok;
  }
  return location;
}

/* The location of the access in memref, of which the access's memref is a view. */
static Location location_in(NrDependenceTest *t, const NrMemAccess *access, int side, const NrValue *memref) {
  Location location = location_of(t, access, side);
  while (location.memref != memref) location = in_source(t, &location, side);
  return location;
}

/* ---- equal locations -------------------------------------------------------------------------------------------- */

/* Adds the equality a = b. */
static void add_equal(NrDependenceTest *t, const NrEquality *a, const NrEquality *b) {
  NrEquality eq = *b;
  if (nr_equality_add_scaled(&eq, a, -1)) nr_constraints_add(&t->constraints, &eq);
}

/* Computes the offset in elements; false when it is not known. */
static bool address_of(const Location *location, NrEquality *out) {
  int64_t strides[NR_MAX_RANK], offset;
  bool known = nr_memref_strides(location->memref->type, strides, &offset);
  *out = (NrEquality){0};
  for (uint32_t d = 0; d < location->rank && known; d++)
    known = location->known[d] && strides[d] != NR_DYNAMIC &&
            nr_equality_add_scaled(out, &location->indices[d], strides[d]);
  return known;
}

/* Whether the access is to one element of the memref, at indices that are operands. */
static bool is_indexed(const NrMemAccess *access, const NrValue *memref) {
  return access->memref == memref && !access->map && !access->vector && access->num_indices;
}

static void add_equal_in(NrDependenceTest *t, NrValue *memref) {
  Location a = location_in(t, t->a, 0, memref), b = location_in(t, t->b, 1, memref);
  NrEquality addresses[2];
  bool apart = has_distinct_locations(memref), run_over = a.rank > 1 && (a.runs_over || b.runs_over);
  for (uint32_t d = 0; d < a.rank && apart && !run_over; d++)
    if (a.known[d] && b.known[d]) add_equal(t, &a.indices[d], &b.indices[d]);
  for (uint32_t d = 0; d < a.rank && apart && !run_over; d++)
    if (is_indexed(t->a, memref) && is_indexed(t->b, memref))
      nr_dependence_delinearize(t, nr_operand(t->a->op, t->a->first_index + d),
                                nr_operand(t->b->op, t->b->first_index + d));
  if ((a.rank > 1 || !apart) && address_of(&a, &addresses[0]) && address_of(&b, &addresses[1]))
    add_equal(t, &addresses[0], &addresses[1]);
}

void nr_dependence_add_locations(NrDependenceTest *t) {
  NrValue *seen[MAX_VIEWS];
  size_t count = 0;
  if (t->a->memref->type->kind != NR_TYPE_MEMREF || t->b->memref->type->kind != NR_TYPE_MEMREF) return;
  if (t->a->memref->type->rank > MAX_LOCATION_RANK || t->b->memref->type->rank > MAX_LOCATION_RANK) return;
  for (NrValue *at = t->a->memref; at && count < MAX_VIEWS; at = source_of(at)) seen[count++] = at;
  for (NrValue *at = t->b->memref; at; at = source_of(at))
    for (size_t i = 0; i < count; i++)
      if (seen[i] == at && nr_dependence_is_same(t, at)) add_equal_in(t, at);
}
