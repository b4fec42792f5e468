/* memref_alloc.c - new buffers of any shape, for finalize-memref: one dim, of as many elements as the shape needs.
 *   before  %m = memref.alloc(%n) : memref<?x4xf32>     after  %c = .. %n * 4, or what no run has where it is too many
 *                                                              %p = memref.alloc(%c) : memref<?xf32> */
#include "dialect/arith/arith.h"
#include "dialect/memref/memref.h"
#include "noria/exec_abi.h"
#include "pass/expand/descriptor.h"

typedef NrDescriptors X;
typedef NrDescriptor D;

static NrIndex binary(X *x, unsigned op_id, NrIndex a, NrIndex b) {
  NrValue *lhs = nr_index_value(&x->b, a), *rhs = nr_index_value(&x->b, b);
  return (NrIndex){nr_arith_binary(&x->b, op_id, lhs, rhs), 0};
}

static NrIndex larger(X *x, NrIndex a, int64_t b) {
  if (!a.value) return nr_index_const(NR_MAX(a.constant, b));
  return binary(x, NR_OP_arith_maxsi, a, nr_index_const(b));
}

static NrIndex smaller(X *x, NrIndex a, int64_t b) {
  if (!a.value) return nr_index_const(NR_MIN(a.constant, b));
  return binary(x, NR_OP_arith_minsi, a, nr_index_const(b));
}

static NrValue *compare(X *x, NrCmpI predicate, NrIndex a, int64_t b) {
  return nr_arith_cmpi(&x->b, predicate, nr_index_value(&x->b, a), nr_arith_constant_index(&x->b, b));
}

static NrIndex unless(X *x, NrValue *condition, NrIndex usual, int64_t otherwise) {
  NrValue *rare = nr_arith_constant_index(&x->b, otherwise);
  return (NrIndex){nr_arith_select(&x->b, condition, rare, nr_index_value(&x->b, usual)), 0};
}

/* More elements than a buffer can have; sums of a few such numbers do not overflow. */
#define TOO_MANY ((int64_t)NORIA_MAX_ELEMENTS + 1)

/* a * b, or TOO_MANY where the product is larger. A negative factor gives TOO_MANY as well. */
static NrIndex product(X *x, NrIndex a, NrIndex b) {
  int64_t out;
  if (!a.value && !b.value) {
    bool fits = a.constant >= 0 && b.constant >= 0 && nr_mul_i64(a.constant, b.constant, &out) && out < TOO_MANY;
    return nr_index_const(fits ? out : TOO_MANY);
  }
  if (nr_index_is(a, 0) || nr_index_is(b, 0)) return nr_index_const(0);
  if (nr_index_is(a, 1) || nr_index_is(b, 1)) {
    NrIndex same = nr_index_is(a, 1) ? b : a;
    return unless(x, compare(x, NR_CMPI_UGT, same, TOO_MANY), same, TOO_MANY);
  }
  NrType types[] = {nr_type_index(x->b.ctx), nr_type_index(x->b.ctx)};
  NrValue *factors[] = {nr_index_value(&x->b, a), nr_index_value(&x->b, b)};
  NrOp *wide = nr_build_op(&x->b, NR_OP_arith_mului_extended, factors, 2, types, 2);
  NrIndex low = {nr_arith_mului_extended_low(wide), 0};
  NrValue *carries = compare(x, NR_CMPI_NE, (NrIndex){nr_arith_mului_extended_high(wide), 0}, 0);
  NrValue *is_large = compare(x, NR_CMPI_UGT, low, TOO_MANY);
  return unless(x, nr_arith_binary(&x->b, NR_OP_arith_ori, carries, is_large), low, TOO_MANY);
}

/* The number of elements of a row-major buffer. TOO_MANY where the product of the sizes that are not 0 is too large,
 * even if another size is 0: passes rely on it. */
static NrIndex dense_count(X *x, const D *d, uint32_t rank) {
  NrIndex measure = nr_index_const(1), count = nr_index_const(1);
  bool is_empty = false;
  for (uint32_t i = 0; i < rank; i++) {
    NrIndex size = d->sizes[i];
    is_empty |= nr_index_is(size, 0);
    /* An unsigned maximum, so that a negative size stays too large. */
    if (size.value) size = binary(x, NR_OP_arith_maxui, size, nr_index_const(1));
    else if (!size.constant) size.constant = 1;
    measure = product(x, measure, size);
  }
  for (uint32_t i = 0; i < rank; i++) count = is_empty ? nr_index_const(0) : nr_index_mul(&x->b, count, d->sizes[i]);
  if (!measure.value) return measure.constant < TOO_MANY ? count : measure;
  return unless(x, compare(x, NR_CMPI_UGE, measure, TOO_MANY), count, TOO_MANY);
}

/* The number of elements from the start of a strided buffer to its last one; TOO_MANY where elements would lie
 * before the start. */
static NrIndex strided_count(X *x, const D *d, uint32_t rank) {
  NrIndex first = larger(x, smaller(x, d->offset, TOO_MANY), -1);
  NrIndex count = nr_descriptor_add(x, first, nr_index_const(1));
  for (uint32_t i = 0; i < rank; i++) {
    NrIndex steps = larger(x, nr_descriptor_add(x, d->sizes[i], nr_index_const(-1)), 0), stride = d->strides[i];
    NrIndex ahead = product(x, steps, larger(x, stride, 0));
    NrIndex back = product(x, steps, larger(x, nr_descriptor_mul(x, stride, nr_index_const(-1)), 0));
    count = nr_descriptor_add(x, count, ahead);
    first = nr_descriptor_add(x, first, nr_descriptor_mul(x, back, nr_index_const(-1)));
  }
  if (!first.value && !count.value) return nr_index_const(first.constant < 0 ? TOO_MANY : count.constant);
  return unless(x, compare(x, NR_CMPI_SLT, first, 0), count, TOO_MANY);
}

/* ---- layouts ---------------------------------------------------------------------------------------------------- */

/* The value of a sum of products of dims and symbols; returns false for divisions. */
static bool affine_value(X *x, NrAffineExpr e, const NrIndex *dims, const NrIndex *symbols, NrIndex *out) {
  NrIndex a, b;
  switch (e->kind) {
  case NR_AFFINE_CONSTANT: *out = nr_index_const(e->value); return true;
  case NR_AFFINE_DIM: *out = dims[e->value]; return true;
  case NR_AFFINE_SYMBOL: *out = symbols[e->value]; return true;
  case NR_AFFINE_ADD:
  case NR_AFFINE_MUL:
    if (!affine_value(x, e->lhs, dims, symbols, &a) || !affine_value(x, e->rhs, dims, symbols, &b)) return false;
    *out = e->kind == NR_AFFINE_ADD ? nr_index_add(&x->b, a, b) : nr_descriptor_mul(x, a, b);
    return true;
  default: return false;
  }
}

/* Sets the offset and strides that the type leaves dynamic, from the symbols of its layout. Returns false where they
 * are not known. */
static bool fill_layout(X *x, NrOp *op, NrType type, D *d) {
  NrIndex dims[NR_MAX_RANK] = {0}, *symbols, begin, next;
  bool known = nr_descriptor_is_known(d->offset);
  for (uint32_t i = 0; i < type->rank; i++) known &= nr_descriptor_is_known(d->strides[i]);
  if (known) return true;
  if (type->layout->kind != NR_ATTR_AFFINE_MAP) return false;
  bool on_heap = nr_op_is(op, NR_OP_memref_alloc);
  NrGroup given = on_heap ? nr_memref_alloc_symbols(op) : nr_memref_alloca_symbols(op);
  symbols = NR_NEW_ARRAY(x->arena, NrIndex, given.count + 1);
  for (size_t i = 0; i < given.count; i++) symbols[i] = nr_index_of(nr_operand(op, given.begin + i));
  if (!affine_value(x, type->layout->exprs[0], dims, symbols, &begin)) return false;
  nr_descriptor_set(&d->offset, begin);
  for (uint32_t i = 0; i < type->rank; i++) {
    dims[i].constant = 1;
    affine_value(x, type->layout->exprs[0], dims, symbols, &next);
    dims[i].constant = 0;
    if (nr_descriptor_is_known(d->strides[i])) continue;
    d->strides[i] = nr_descriptor_add(x, next, nr_descriptor_mul(x, begin, nr_index_const(-1)));
  }
  return true;
}

/* ---- buffers ---------------------------------------------------------------------------------------------------- */

bool nr_descriptor_is_new_buffer(const NrOp *op) {
  if (!nr_op_is(op, NR_OP_memref_alloc) && !nr_op_is(op, NR_OP_memref_alloca)) return false;
  NrType type = nr_op_result(op)->type;
  return type->rank != 1 || !nr_memref_is_identity(type);
}

NrDescriptor *nr_descriptor_of_new_buffer(NrDescriptors *x, NrOp *op) {
  NrType type = nr_op_result(op)->type;
  D *d = nr_descriptor_new(x, type, NULL);
  bool row_major = nr_descriptor_is_row_major(type);
  NrGroup sizes = nr_op_is(op, NR_OP_memref_alloc) ? nr_memref_alloc_sizes(op) : nr_memref_alloca_sizes(op);
  size_t next = sizes.begin;
  for (uint32_t i = 0; i < type->rank; i++)
    if (!nr_descriptor_is_known(d->sizes[i])) d->sizes[i] = nr_index_of(nr_operand(op, next++));
  if (row_major) nr_descriptor_set_row_major(x, type, d);
  else if (!fill_layout(x, op, type, d)) return NULL;
  NrIndex count = row_major ? dense_count(x, d, type->rank) : strided_count(x, d, type->rank);
  /* No type has so large a static size. */
  if (!count.value && count.constant >= TOO_MANY) count.value = nr_index_value(&x->b, count);
  NrType flat = nr_type_memref_layout((int64_t[]){count.value ? NR_DYNAMIC : count.constant}, 1, type->elem, NULL,
                                      type->space);
  NrOp *buffer = nr_build_op(&x->b, op->info->id, &count.value, count.value ? 1 : 0, &flat, 1);
  NrAttr alignment = nr_op_attr(op, NR_A_alignment);
  if (alignment) nr_op_set_attr(buffer, NR_A_alignment, alignment);
  nr_op_set_segments(buffer, (uint32_t[]){count.value ? 1 : 0, 0}, 2);
  d->data = nr_descriptor_pointer(x, nr_op_result(buffer), nr_index_const(0), type->elem, type->space);
  return d;
}
