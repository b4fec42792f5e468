/* memref_copy.c - copies of memrefs, for finalize-memref: an rt.copy for the inner dims that have no gaps in both,
 * in loops over the other dims. A copy that may be large is split into pieces with safepoints between them. */
#include "dialect/arith/arith.h"
#include "dialect/cf/cf.h"
#include "dialect/memref/memref.h"
#include "dialect/scf/scf.h"
#include "pass/expand/descriptor.h"

typedef NrDescriptors X;
typedef NrDescriptor D;

enum {
  PIECE = 1 << 25,      /* bytes between two safepoints: about 5 ms, or 20 ms where the pages are new */
  STRIP = 1 << 16,      /* elements */
  SMALL_COPY = 256,     /* elements: see nr_descriptor_copy */
  QUICK_COPY = 1 << 21, /* elements that are copied without safepoints */
};

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

NrBlock *nr_append_block(X *x) {
  NrBlock *block = nr_block_create(x->b.module);
  nr_block_insert_after(block, x->b.block);
  return block;
}

void nr_build_in(X *x, NrBlock *block) { x->b = nr_builder_at_end(x->b.module, block, x->b.loc); }

NrBlock *nr_split_at(X *x, NrOp *op) {
  NrBlock *before = op->block, *rest = nr_block_create(x->b.module);
  if (nr_op_has(nr_op_parent(op), NR_SINGLE_BLOCK)) {
    x->b = nr_builder_before(op);
    NrOp *around = nr_build(&x->b, &(NrOpState){.info = nr_op_infos[NR_OP_scf_execute_region], .num_regions = 1});
    nr_block_append(nr_op_only_region(around), rest);
    nr_build_in(x, rest);
    return NULL;
  }
  nr_block_split(before, op, rest);
  nr_build_in(x, before);
  return rest;
}

void nr_rejoin(X *x, NrBlock *rest, NrOp *op) {
  if (rest) nr_cf_br(&x->b, rest, NULL, 0);
  else nr_scf_yield(&x->b, NULL, 0);
  x->b = nr_builder_before(op);
}

typedef struct Loop {
  NrBlock *head, *after;
  NrValue *i;
} Loop;

static NrValue *value(X *x, NrIndex i) { return nr_index_value(&x->b, i); }

/* for (i = from; i < to; ..) { */
static Loop open_loop(X *x, NrIndex from, NrIndex to) {
  Loop loop = {.head = nr_append_block(x)};
  NrValue *first = value(x, from), *end = value(x, to);
  nr_cf_br(&x->b, loop.head, &first, 1);
  loop.i = nr_block_add_arg(loop.head, nr_type_index(x->b.ctx), x->b.loc);
  nr_build_in(x, loop.head);
  NrBlock *body = nr_append_block(x);
  nr_block_insert_after(loop.after = nr_block_create(x->b.module), body);
  nr_cf_cond_br(&x->b, nr_arith_cmpi(&x->b, NR_CMPI_SLT, loop.i, end), body, NULL, 0, loop.after, NULL, 0);
  nr_build_in(x, body);
  return loop;
}

/* i += step } */
static void close_loop(X *x, const Loop *loop, int64_t step) {
  NrValue *next = value(x, nr_descriptor_add(x, (NrIndex){loop->i, 0}, nr_index_const(step)));
  nr_cf_br(&x->b, loop->head, &next, 1);
  nr_build_in(x, loop->after);
}

static NrValue *binary(X *x, unsigned op_id, NrValue *a, NrIndex b) {
  return nr_arith_binary(&x->b, op_id, a, value(x, b));
}

static NrIndex smaller(X *x, NrIndex a, NrIndex b) {
  return (NrIndex){binary(x, NR_OP_arith_minui, value(x, a), b), 0};
}

static NrIndex minus(X *x, NrIndex a, NrIndex b) {
  return nr_index_is(b, 0) ? a : (NrIndex){binary(x, NR_OP_arith_subi, value(x, a), b), 0};
}

static void safepoint(X *x) { nr_build_op(&x->b, NR_OP_rt_safepoint, NULL, 0, NULL, 0); }

/* ---- elements --------------------------------------------------------------------------------------------------- */

static void copy_element(X *x, const D *to, NrIndex to_at, const D *from, NrIndex from_at) {
  NrValue *source = value(x, from_at), *target = value(x, to_at);
  nr_build_store(&x->b, nr_build_load(&x->b, from->data, &source, 1), to->data, &target, 1);
}

static void build_copy(X *x, const D *to, NrIndex to_at, const D *from, NrIndex from_at, NrIndex count) {
  NrValue *operands[] = {from->data, value(x, from_at), to->data, value(x, to_at), value(x, count)};
  nr_build_op(&x->b, NR_OP_rt_copy, operands, 5, NULL, 0);
}

static int64_t bytes_of(NrType elem) {
  int64_t lanes = 1, size = (int64_t)nr_type_byte_size(nr_type_elem(elem));
  if (elem->kind == NR_TYPE_VECTOR) nr_type_num_elements(elem, &lanes);
  return NR_MAX(size ? size * lanes : (int64_t)sizeof(void *), 1);
}

void nr_descriptor_copy_row(X *x, const D *to, NrIndex to_at, const D *from, NrIndex from_at, NrIndex count) {
  int64_t most = NR_MAX(PIECE / bytes_of(to->data->type->elem), 1);
  if (!count.value && count.constant <= most) {
    build_copy(x, to, to_at, from, from_at, count);
    return;
  }
  NrBlock *head = nr_append_block(x);
  NrValue *zero = value(x, nr_index_const(0)), *all = value(x, count);
  nr_cf_br(&x->b, head, &zero, 1);
  NrIndex at = {nr_block_add_arg(head, zero->type, x->b.loc), 0};
  nr_build_in(x, head);
  NrIndex size = smaller(x, minus(x, (NrIndex){all, 0}, at), nr_index_const(most));
  build_copy(x, to, nr_descriptor_add(x, to_at, at), from, nr_descriptor_add(x, from_at, at), size);
  NrValue *next = binary(x, NR_OP_arith_addi, at.value, size);
  NrBlock *again = nr_append_block(x), *after = nr_block_create(x->b.module);
  nr_block_insert_after(after, again);
  NrOp *branch = nr_cf_cond_br(&x->b, nr_arith_cmpi(&x->b, NR_CMPI_UGE, next, all), after, NULL, 0, again, NULL, 0);
  nr_cf_set_odds(branch, 1 << 20, 1);
  nr_build_in(x, again);
  safepoint(x);
  nr_cf_br(&x->b, head, &next, 1);
  nr_build_in(x, after);
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

typedef struct Copy {
  X *x;
  uint32_t rank, loops; /* over the first dims */
  D to, from;
  NrIndex sizes[NR_MAX_RANK];
  bool is_quick;
} Copy;

/* The number of innermost dims that are contiguous in both memrefs. */
static uint32_t dense_dims(const Copy *c, bool row_major) {
  NrIndex expect = nr_index_const(1);
  uint32_t n = 0;
  if (row_major) return c->rank;
  for (uint32_t i = c->rank; i-- > 0 && !expect.value; n++) {
    if (!nr_index_eq(c->to.strides[i], expect) || !nr_index_eq(c->from.strides[i], expect)) break;
    if (c->sizes[i].value || !nr_mul_i64(expect.constant, c->sizes[i].constant, &expect.constant))
      expect.value = c->to.data; /* a size that is not known ends the loop */
  }
  return n;
}

/* The number of elements of the dims from `first` on; INT64_MAX if it is not known. */
static int64_t most_elements(const Copy *c, uint32_t first) {
  int64_t count = 1;
  for (uint32_t i = first; i < c->rank; i++)
    if (c->sizes[i].value || !nr_mul_i64(count, c->sizes[i].constant, &count)) return INT64_MAX;
  return count;
}

/* Copies the dims from `dim` on. at_to and at_from are the element numbers that the outer loops are at. */
static void copy_dims(Copy *c, uint32_t dim, NrIndex at_to, NrIndex at_from) {
  X *x = c->x;
  if (dim == c->loops) {
    NrIndex count = nr_index_const(1);
    for (uint32_t i = dim; i < c->rank; i++) count = nr_descriptor_mul(x, count, c->sizes[i]);
    if (dim && dim == c->rank) copy_element(x, &c->to, at_to, &c->from, at_from);
    else nr_descriptor_copy_row(x, &c->to, at_to, &c->from, at_from, count);
    return;
  }
  bool last = dim + 1 == c->loops, in_strips = !c->is_quick && last && c->loops == c->rank;
  NrIndex from = nr_index_const(0), to = c->sizes[dim], strip = nr_index_const(STRIP);
  Loop strips, loop;
  if (in_strips) {
    strips = open_loop(x, from, to);
    from = (NrIndex){strips.i, 0};
    to = nr_descriptor_add(x, from, smaller(x, minus(x, to, from), strip));
  }
  loop = open_loop(x, from, to);
  NrIndex i = {loop.i, 0};
  copy_dims(c, dim + 1, nr_descriptor_add(x, at_to, nr_descriptor_mul(x, i, c->to.strides[dim])),
            nr_descriptor_add(x, at_from, nr_descriptor_mul(x, i, c->from.strides[dim])));
  if (!in_strips && !c->is_quick && last) safepoint(x);
  close_loop(x, &loop, 1);
  if (!in_strips) return;
  safepoint(x);
  close_loop(x, &strips, STRIP);
}

/* A small copy is a loop over elements, because LLVM can keep their values in registers; a block copy is opaque to
 * it. */
void nr_descriptor_copy(NrDescriptors *x, NrOp *at, NrValue *target, NrValue *source) {
  if (!nr_descriptor_has_rank(target) || !nr_descriptor_has_rank(source)) {
    D *to = nr_descriptor_forget_rank(x, at, target), *from = nr_descriptor_forget_rank(x, at, source);
    if (to && from) nr_descriptor_copy_unranked(x, at, to, from);
    return;
  }
  Copy c = {.x = x, .rank = target->type->rank, .to = *nr_descriptor_of(x, target),
            .from = *nr_descriptor_of(x, source)};
  bool row_major = nr_descriptor_is_row_major(target->type) && nr_descriptor_is_row_major(source->type);
  for (uint32_t i = 0; i < c.rank; i++) c.sizes[i] = c.to.sizes[i].value ? c.from.sizes[i] : c.to.sizes[i];
  uint32_t dense = dense_dims(&c, row_major);
  c.loops = most_elements(&c, c.rank - dense) <= SMALL_COPY ? c.rank : c.rank - dense;
  c.is_quick = most_elements(&c, 0) <= QUICK_COPY;
  bool straight = !c.loops && most_elements(&c, 0) <= PIECE / bytes_of(target->type->elem);
  NrBlock *rest = straight ? NULL : nr_split_at(x, at);
  copy_dims(&c, 0, c.to.offset, c.from.offset);
  if (!straight) nr_rejoin(x, rest, at);
}

D *nr_descriptor_clone(X *x, NrOp *at, NrValue *source) {
  NrType type = source->type;
  NrValue *copy = nr_build_alloc(&x->b, NR_OP_memref_alloc, type->elem, nr_descriptor_of(x, source)->sizes, type->rank);
  nr_descriptor_copy(x, at, copy, source);
  D *d = nr_descriptor_of(x, copy);
  if (nr_descriptor_is_new_buffer(copy->op)) nr_op_erase(copy->op); /* d describes the 1-D buffer that replaces it */
  return d;
}

/* ---- transfers: a copy, done when dma_start is ------------------------------------------------------------------ */

typedef struct Place {
  D *memref;
  uint32_t rank;
  bool row_major;
  NrIndex start; /* row-major number of the first element */
} Place;

static Place place_of(X *x, NrOp *op, size_t memref) {
  NrValue *whole = nr_operand(op, memref);
  Place place = {nr_descriptor_of(x, whole), whole->type->rank, nr_descriptor_is_row_major(whole->type)};
  for (uint32_t i = 0; i < place.rank; i++)
    place.start = nr_descriptor_add(x, nr_descriptor_mul(x, place.start, place.memref->sizes[i]),
                                    nr_index_of(nr_operand(op, memref + 1 + i)));
  return place;
}

/* The number in memory of the element that is k after the first, in row-major order. */
static NrIndex nth(X *x, Place place, NrIndex k) {
  NrIndex at = nr_descriptor_add(x, place.start, k), out = place.memref->offset;
  if (place.row_major) return nr_descriptor_add(x, out, at);
  for (uint32_t i = place.rank; i-- > 0;) {
    NrIndex size = place.memref->sizes[i], index = at;
    if (i) {
      index.value = binary(x, NR_OP_arith_remui, value(x, at), size);
      at.value = binary(x, NR_OP_arith_divui, value(x, at), size);
    }
    out = nr_descriptor_add(x, out, nr_descriptor_mul(x, index, place.memref->strides[i]));
  }
  return out;
}

void nr_descriptor_transfer(NrDescriptors *x, NrOp *op) {
  NrDmaParts parts;
  nr_memref_dma_parts(op, &parts);
  Place from = place_of(x, op, parts.source), to = place_of(x, op, parts.target);
  bool strides_target = nr_memref_dma_strides_target(op, parts);
  NrBlock *rest = nr_split_at(x, op);
  Loop loop = open_loop(x, nr_index_const(0), nr_index_of(nr_operand(op, parts.n)));
  NrIndex k = {loop.i, 0}, far = k;
  if (parts.stride < op->num_operands) {
    NrIndex stride = nr_index_of(nr_operand(op, parts.stride)), run = nr_index_of(nr_operand(op, parts.run));
    NrIndex runs = {binary(x, NR_OP_arith_divui, k.value, run), 0};
    NrIndex left = {binary(x, NR_OP_arith_remui, k.value, run), 0};
    far = nr_descriptor_add(x, nr_descriptor_mul(x, runs, stride), left);
  }
  NrIndex target = nth(x, to, strides_target ? far : k), source = nth(x, from, strides_target ? k : far);
  copy_element(x, to.memref, target, from.memref, source);
  close_loop(x, &loop, 1);
  nr_rejoin(x, rest, op);
}
