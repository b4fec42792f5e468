/* access_origins.c - the element that an access touches, as seen from the memrefs that its view was made of; see
 * dependence_test.h.
 *
 *   %w = memref.subview %m[%i, 2] [1, 4] [1, 3] : .. to memref<4xf32, ..>
 *   memref.store %x, %w[%j]                            is element [%i, 2 + 3 * %j] of %m
 *
 * From each memref that both accesses lead back to comes an equation a dim, "both indices are equal", and one of the
 * places in memory where the strides are known. */
#include "dialect/affine/affine.h"
#include "dialect/shared/shaped.h"
#include "pass/analysis/dependence_test.h"

enum { MAX_VIEWS = 8, MAX_PLACE_RANK = 8 };

/* An element of memref: where known, rows[d] is its index in dim d. */
typedef struct Place {
  NrValue *memref;
  uint32_t rank;
  bool runs_over; /* several elements, which may go on in the next row */
  bool known[MAX_PLACE_RANK];
  NrEquation rows[MAX_PLACE_RANK];
} Place;

/* Different indices are different places: row-major, or strides that do not let rows overlap. */
static bool has_places_of_its_own(NrValue *memref) {
  NrType type = memref->type;
  int64_t strides[NR_MAX_RANK], offset;
  uint64_t done = 0;
  int64_t reach = 1; /* what the dims done span: the next stride is no smaller */
  if (type->rank == 0 || nr_memref_is_identity(type)) return true;
  if (nr_op_is(memref->op, NR_OP_memref_cast)) return has_places_of_its_own(nr_operand(memref->op, 0));
  if (nr_op_is(memref->op, NR_OP_memref_subview)) { /* every place of the source at most once, unless a stride is 0 */
    NrAttr steps = nr_op_attr(memref->op, "static_strides");
    bool known = steps && steps->kind == NR_ATTR_DENSE_ARRAY;
    for (size_t i = 0; known && i < steps->data_size / sizeof(int64_t); i++) {
      int64_t step = ((const int64_t *)steps->data)[i];
      known = step != NR_DYNAMIC && step != 0;
    }
    if (known && has_places_of_its_own(nr_operand(memref->op, 0))) return true;
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

/* The memref that memref shows elements of, in a way that is understood. */
static NrValue *source_of(const NrValue *memref) {
  switch (memref->op ? memref->op->info->id : 0) {
  case NR_OP_memref_cast:
  case NR_OP_memref_memory_space_cast:
  case NR_OP_memref_assume_alignment:
  case NR_OP_memref_subview:
  case NR_OP_memref_transpose:
  case NR_OP_memref_expand_shape:
  case NR_OP_memref_collapse_shape: {
    NrValue *source = nr_operand(memref->op, 0);
    return source->type->kind == NR_TYPE_MEMREF && source->type->rank <= MAX_PLACE_RANK ? source : NULL;
  }
  default: return NULL;
  }
}

static bool add_index(NrProblem *p, NrEquation *row, NrIndex index, int side) {
  if (!index.value) return nr_equation_add_constant(row, 1, index.constant);
  return nr_problem_add_value(p, row, index.value, side, 1);
}

static void through_subview(NrProblem *p, NrOp *op, const Place *from, int side, Place *to) {
  bool keep[MAX_PLACE_RANK];
  uint32_t at = 0;
  if (!nr_slice_keeps(op, from->memref->type, keep)) return;
  for (uint32_t d = 0; d < to->rank; d++) {
    NrIndex stride = nr_index_list_get(op, nr_extract_slice_slots[2], d);
    to->known[d] = add_index(p, &to->rows[d], nr_index_list_get(op, nr_extract_slice_slots[0], d), side);
    if (!keep[d]) continue; /* its index is 0 */
    to->known[d] = to->known[d] && from->known[at] && !stride.value &&
                   nr_equation_add_scaled(&to->rows[d], &from->rows[at], stride.constant);
    at++;
  }
}

static void through_transpose(NrOp *op, const Place *from, Place *to) {
  NrAttr map = nr_op_attr(op, "permutation");
  for (uint32_t i = 0; i < from->rank; i++) {
    uint32_t d = (uint32_t)map->exprs[i]->value;
    to->known[d] = from->known[i];
    to->rows[d] = from->rows[i];
  }
}

/* The index of a joined dim is the row-major number in its group. */
static void through_expansion(NrOp *op, const Place *from, Place *to) {
  NrGroups groups;
  if (!nr_groups_of(op, &groups)) return;
  for (uint32_t d = 0; d < to->rank; d++) {
    int64_t stride = 1;
    to->known[d] = true;
    for (uint32_t k = groups.size[d]; k-- > 0;) {
      uint32_t i = groups.begin[d] + k;
      int64_t size = from->memref->type->dims[i];
      to->known[d] = to->known[d] && from->known[i] && nr_equation_add_scaled(&to->rows[d], &from->rows[i], stride);
      if (k > 0 && (size == NR_DYNAMIC || !nr_mul_i64(stride, size, &stride))) to->known[d] = false;
    }
  }
}

/* Indices of a group: numbers below its sizes whose row-major number is the index of the joined dim. */
static void through_collapse(NrProblem *p, NrOp *op, const Place *from, int side, Place *to) {
  NrGroups groups;
  if (!nr_groups_of(op, &groups)) return;
  for (uint32_t d = 0; d < from->rank; d++) {
    NrEquation sum = {0};
    int64_t stride = 1;
    bool ok = from->known[d] && nr_equation_add_scaled(&sum, &from->rows[d], -1);
    for (uint32_t k = groups.size[d]; k-- > 0;) {
      uint32_t i = groups.begin[d] + k;
      int64_t size = to->memref->type->dims[i];
      int index = nr_problem_number(p, op, (int)i, side, k || !from->runs_over ? size : NR_DYNAMIC);
      to->known[i] = index >= 0 && nr_equation_add(&to->rows[i], (uint32_t)index, 1);
      ok = ok && to->known[i] && nr_equation_add(&sum, (uint32_t)index, stride);
      if (k > 0 && (size == NR_DYNAMIC || !nr_mul_i64(stride, size, &stride))) ok = false;
    }
    if (ok) nr_system_add(&p->system, &sum);
    for (uint32_t k = 0; k < groups.size[d]; k++) to->known[groups.begin[d] + k] &= ok;
  }
}

static Place in_source(NrProblem *p, const Place *from, int side) {
  NrOp *op = from->memref->op;
  Place to = {.memref = source_of(from->memref), .runs_over = from->runs_over};
  to.rank = to.memref->type->rank;
  switch (op->info->id) {
  case NR_OP_memref_subview: through_subview(p, op, from, side, &to); break;
  case NR_OP_memref_transpose: through_transpose(op, from, &to); break;
  case NR_OP_memref_expand_shape: through_expansion(op, from, &to); break;
  case NR_OP_memref_collapse_shape: through_collapse(p, op, from, side, &to); break;
  default:
    for (uint32_t d = 0; d < to.rank; d++) {
      to.known[d] = from->known[d];
      to.rows[d] = from->rows[d];
    }
  }
  return to;
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

/* How many elements in dim d, from the place on. */
static int64_t extent_of(const NrMemAccess *access, uint32_t d) {
  NrType vector = access->vector, memref = access->memref->type;
  if (!vector || d + vector->rank < memref->rank) return 1;
  return vector->dims[d + vector->rank - memref->rank];
}

static Place place_of(NrProblem *p, const NrMemAccess *access, int side) {
  Place place = {.memref = access->memref, .rank = access->memref->type->rank, .runs_over = access->vector != NULL};
  for (uint32_t d = 0; d < place.rank; d++) {
    int64_t extent = access->num_indices ? extent_of(access, d) : access->memref->type->dims[d];
    bool ok = true;
    if (access->num_indices && access->map)
      ok = nr_problem_add_result(p, &place.rows[d], access->map, d, access->op, access->first_index, side, 1);
    else if (access->num_indices)
      ok = nr_problem_add_value(p, &place.rows[d], nr_operand(access->op, access->first_index + d), side, 1);
    if (extent != 1 || !access->num_indices) {
      int more = nr_problem_number(p, access, (int)d, side, extent);
      ok = ok && more >= 0 && nr_equation_add(&place.rows[d], (uint32_t)more, 1);
    }
    place.known[d] = ok;
  }
  return place;
}

/* The place as it is seen from a memref that it leads back to. */
static Place place_in(NrProblem *p, const NrMemAccess *access, int side, const NrValue *memref) {
  Place place = place_of(p, access, side);
  while (place.memref != memref) place = in_source(p, &place, side);
  return place;
}

/* ---- equal places ------------------------------------------------------------------------------------------------ */

/* Both rows of dim d are the same number. */
static void add_equal(NrProblem *p, const NrEquation *a, const NrEquation *b) {
  NrEquation eq = *b;
  if (nr_equation_add_scaled(&eq, a, -1)) nr_system_add(&p->system, &eq);
}

/* The place in memory, in elements behind the first one; false when it is not known. */
static bool address_of(const Place *place, NrEquation *out) {
  int64_t strides[NR_MAX_RANK], offset;
  bool known = nr_memref_strides(place->memref->type, strides, &offset);
  *out = (NrEquation){0};
  for (uint32_t d = 0; d < place->rank && known; d++)
    known = place->known[d] && strides[d] != NR_DYNAMIC && nr_equation_add_scaled(out, &place->rows[d], strides[d]);
  return known;
}

/* One element of the memref, at indices that are operands. */
static bool is_indexed(const NrMemAccess *access, const NrValue *memref) {
  return access->memref == memref && !access->map && !access->vector && access->num_indices;
}

static void add_equal_in(NrProblem *p, NrValue *memref) {
  Place a = place_in(p, p->a, 0, memref), b = place_in(p, p->b, 1, memref);
  NrEquation addresses[2];
  bool apart = has_places_of_its_own(memref), run_over = a.rank > 1 && (a.runs_over || b.runs_over);
  for (uint32_t d = 0; d < a.rank && apart && !run_over; d++)
    if (a.known[d] && b.known[d]) add_equal(p, &a.rows[d], &b.rows[d]);
  for (uint32_t d = 0; d < a.rank && apart && !run_over; d++)
    if (is_indexed(p->a, memref) && is_indexed(p->b, memref))
      nr_problem_add_rows(p, nr_operand(p->a->op, p->a->first_index + d), nr_operand(p->b->op, p->b->first_index + d));
  if ((a.rank > 1 || !apart) && address_of(&a, &addresses[0]) && address_of(&b, &addresses[1]))
    add_equal(p, &addresses[0], &addresses[1]);
}

void nr_problem_add_places(NrProblem *p) {
  NrValue *seen[MAX_VIEWS];
  size_t count = 0;
  if (p->a->memref->type->kind != NR_TYPE_MEMREF || p->b->memref->type->kind != NR_TYPE_MEMREF) return;
  if (p->a->memref->type->rank > MAX_PLACE_RANK || p->b->memref->type->rank > MAX_PLACE_RANK) return;
  for (NrValue *at = p->a->memref; at && count < MAX_VIEWS; at = source_of(at)) seen[count++] = at;
  for (NrValue *at = p->b->memref; at; at = source_of(at))
    for (size_t i = 0; i < count; i++)
      if (seen[i] == at && nr_problem_is_same(p, at)) add_equal_in(p, at);
}
