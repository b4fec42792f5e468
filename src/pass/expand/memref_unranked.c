/* memref_unranked.c - memrefs without a rank, for finalize-memref: up to NORIA_MAX_RANK sizes and strides in a
 * vector. Loops over them use a copy in a buffer on the stack. */
#include "dialect/arith/arith.h"
#include "dialect/cf/cf.h"
#include "dialect/memref/memref.h"
#include "dialect/vector/vector.h"
#include "noria/exec_abi.h"
#include "pass/expand/descriptor.h"

typedef NrDescriptors X;
typedef NrDescriptor D;

enum { RANK = NORIA_MAX_RANK };

static NrType shape_memory(NrContext *ctx) {
  return nr_type_memref_layout((int64_t[]){RANK}, 1, nr_type_index(ctx), NULL, NULL);
}

NrType nr_sizes_type(NrContext *ctx) { return nr_type_vector((int64_t[]){RANK}, 1, nr_type_index(ctx)); }

/* ---- vectors of sizes ------------------------------------------------------------------------------------------- */

static NrValue *zeros(X *x) {
  return nr_arith_constant(&x->b, nr_attr_dense(nr_sizes_type(x->b.ctx), &(int64_t){0}, sizeof(int64_t)));
}

static NrValue *number(X *x, int64_t i) { return nr_arith_constant_index(&x->b, i); }

static NrValue *stack_buffer(X *x) {
  NrOp *op = nr_build_op(&x->b, NR_OP_memref_alloca, NULL, 0, (NrType[]){shape_memory(x->b.ctx)}, 1);
  nr_op_set_segments(op, (uint32_t[]){0, 0}, 2);
  NrType type = shape_memory(x->b.ctx);
  return nr_descriptor_pointer(x, nr_op_result(op), nr_index_const(0), type->elem, type->space);
}

static void put_vector(X *x, NrValue *vector, NrValue *buffer) {
  NrValue *zero = number(x, 0);
  nr_build_vector_store(&x->b, vector, buffer, &zero, 1);
}

static NrValue *in_memory(X *x, NrValue *vector) {
  NrValue *buffer = stack_buffer(x);
  put_vector(x, vector, buffer);
  return buffer;
}

static NrValue *from_memory(X *x, NrValue *buffer) {
  NrValue *zero = number(x, 0);
  return nr_build_vector_load(&x->b, nr_sizes_type(x->b.ctx), buffer, &zero, 1);
}

static NrValue *item(X *x, NrValue *buffer, NrValue *i) { return nr_build_load(&x->b, buffer, &i, 1); }

static NrValue *binary(X *x, unsigned op_id, NrValue *a, NrValue *b) { return nr_arith_binary(&x->b, op_id, a, b); }

/* ---- with and without a rank ------------------------------------------------------------------------------------ */

static NrStatus too_many_dims(X *x, NrOp *op) {
  if (!x->status)
    x->status = nr_op_error(op, "is compiled for up to %d dims of a memref of unknown rank", NORIA_MAX_RANK);
  return x->status;
}

static NrValue *vector_of(X *x, const NrIndex *items, uint32_t count) {
  NrValue *out = zeros(x);
  for (uint32_t i = 0; i < count; i++) {
    NrIndex at = nr_index_const(i);
    out = nr_build_vector_insert(&x->b, nr_index_value(&x->b, items[i]), out, &at, 1);
  }
  return out;
}

D *nr_descriptor_forget_rank(X *x, NrOp *op, NrValue *memref) {
  D *source = nr_descriptor_of(x, memref);
  if (!nr_descriptor_has_rank(memref)) return source;
  uint32_t rank = memref->type->rank;
  if (rank > RANK && too_many_dims(x, op)) return NULL;
  D *d = NR_NEW(x->arena, D);
  *d = (D){.data = source->data, .allocation = source->allocation, .offset = source->offset, .rank = number(x, rank),
           .all_sizes = vector_of(x, source->sizes, rank), .all_strides = vector_of(x, source->strides, rank)};
  return d;
}

D *nr_descriptor_with_rank(X *x, NrType type, const D *source) {
  D *d = nr_descriptor_new(x, type, source->data);
  d->allocation = source->allocation;
  nr_descriptor_set(&d->offset, source->offset);
  for (uint32_t i = 0; i < type->rank; i++) {
    NrIndex at = nr_index_const(NR_MIN(i, RANK - 1)); /* such a memref has at most RANK dims */
    if (!nr_descriptor_is_known(d->sizes[i]))
      d->sizes[i] = (NrIndex){nr_build_vector_extract(&x->b, source->all_sizes, &at, 1), 0};
    if (!nr_descriptor_is_known(d->strides[i]))
      d->strides[i] = (NrIndex){nr_build_vector_extract(&x->b, source->all_strides, &at, 1), 0};
  }
  return d;
}

/* ---- loops over dims and elements ------------------------------------------------------------------------------- */

/* A loop that counts down. begin_loop sets the builder to its body, where index goes from count - 1 to 0 and carried
 * has the loop-carried values. end_loop closes it with their next values; behind the loop carried has the last ones. */
typedef struct Down {
  NrBlock *head, *after;
  NrValue *index, *carried[3];
  size_t count;
} Down;

static Down begin_loop(X *x, NrValue *count, NrValue *const *carried, size_t num_carried) {
  Down l = {.head = nr_append_block(x), .count = num_carried};
  NrValue *first[4] = {count};
  for (size_t i = 0; i < num_carried; i++) first[1 + i] = carried[i];
  nr_cf_br(&x->b, l.head, first, 1 + num_carried);
  NrValue *left = nr_block_add_arg(l.head, count->type, x->b.loc);
  for (size_t i = 0; i < num_carried; i++) l.carried[i] = nr_block_add_arg(l.head, carried[i]->type, x->b.loc);
  nr_build_in(x, l.head);
  NrBlock *body = nr_append_block(x);
  nr_block_insert_after(l.after = nr_block_create(x->b.module), body);
  NrValue *more = nr_arith_cmpi(&x->b, NR_CMPI_SGT, left, number(x, 0));
  nr_cf_cond_br(&x->b, more, body, NULL, 0, l.after, NULL, 0);
  nr_build_in(x, body);
  l.index = binary(x, NR_OP_arith_subi, left, number(x, 1));
  return l;
}

static void end_loop(X *x, const Down *l, NrValue *const *next) {
  NrValue *values[4] = {l->index};
  for (size_t i = 0; i < l->count; i++) values[1 + i] = next[i];
  nr_cf_br(&x->b, l->head, values, 1 + l->count);
  nr_build_in(x, l->after);
}

/* Stores the row-major strides of the sizes in memory; returns the number of elements. */
static NrValue *row_major(X *x, NrValue *rank, NrValue *sizes, NrValue *strides) {
  put_vector(x, zeros(x), strides);
  NrValue *one = number(x, 1);
  Down dims = begin_loop(x, rank, &one, 1);
  nr_build_store(&x->b, dims.carried[0], strides, &dims.index, 1);
  NrValue *next = binary(x, NR_OP_arith_muli, dims.carried[0], item(x, sizes, dims.index));
  end_loop(x, &dims, &next);
  return dims.carried[0];
}

/* Whether blocks can be built at op; if not, x->status becomes an error. */
static bool is_among_blocks(X *x, NrOp *op) {
  if (!nr_op_has(nr_op_parent(op), NR_SINGLE_BLOCK)) return true;
  if (!x->status) x->status = nr_op_error(op, "takes a memref of unknown rank, which is compiled in blocks only");
  return false;
}

static D *dense(X *x, NrValue *data, NrValue *rank, NrValue *sizes, NrValue *strides) {
  D *d = NR_NEW(x->arena, D);
  *d = (D){.data = data, .rank = rank, .all_sizes = from_memory(x, sizes), .all_strides = from_memory(x, strides)};
  return d;
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

/* An i1: whether both lists of strides are the row-major ones of the sizes in memory. *out_count is the number of
 * elements. */
static NrValue *are_dense(X *x, NrValue *rank, NrValue *sizes, NrValue *to, NrValue *from, NrValue **out_count) {
  NrValue *yes = nr_arith_constant(&x->b, nr_attr_int(nr_type_int(x->b.ctx, 1), 1));
  Down dims = begin_loop(x, rank, (NrValue *[]){number(x, 1), yes}, 2);
  NrValue *count = dims.carried[0];
  NrValue *here = nr_arith_cmpi(&x->b, NR_CMPI_EQ, item(x, to, dims.index), count);
  NrValue *there = nr_arith_cmpi(&x->b, NR_CMPI_EQ, item(x, from, dims.index), count);
  NrValue *both = binary(x, NR_OP_arith_andi, here, there);
  NrValue *next[] = {binary(x, NR_OP_arith_muli, count, item(x, sizes, dims.index)),
                     binary(x, NR_OP_arith_andi, dims.carried[1], both)};
  end_loop(x, &dims, next);
  *out_count = count;
  return dims.carried[1];
}

/* Copies element by element. The indices of an element are computed from its number. */
static void copy_elements(X *x, NrValue *rank, NrValue *sizes, NrValue *count, const D *to, NrValue *to_strides,
                          const D *from, NrValue *from_strides) {
  NrValue *to_begin = nr_index_value(&x->b, to->offset), *from_begin = nr_index_value(&x->b, from->offset);
  Down elements = begin_loop(x, count, NULL, 0);
  Down dims = begin_loop(x, rank, (NrValue *[]){elements.index, to_begin, from_begin}, 3);
  NrValue *size = item(x, sizes, dims.index), *at = binary(x, NR_OP_arith_remui, dims.carried[0], size);
  NrValue *to_step = binary(x, NR_OP_arith_muli, at, item(x, to_strides, dims.index));
  NrValue *from_step = binary(x, NR_OP_arith_muli, at, item(x, from_strides, dims.index));
  NrValue *next[] = {binary(x, NR_OP_arith_divui, dims.carried[0], size),
                     binary(x, NR_OP_arith_addi, dims.carried[1], to_step),
                     binary(x, NR_OP_arith_addi, dims.carried[2], from_step)};
  end_loop(x, &dims, next);
  nr_build_store(&x->b, nr_build_load(&x->b, from->data, &dims.carried[2], 1), to->data, &dims.carried[1], 1);
  nr_build_op(&x->b, NR_OP_rt_safepoint, NULL, 0, NULL, 0);
  end_loop(x, &elements, NULL);
}

/* Copies one block if both are row-major without gaps, else element by element. */
void nr_descriptor_copy_unranked(X *x, NrOp *at, const D *to, const D *from) {
  if (!is_among_blocks(x, at)) return;
  NrBlock *rest = nr_split_at(x, at), *after = nr_block_create(x->b.module), *gaps = nr_block_create(x->b.module);
  NrValue *sizes = in_memory(x, from->all_sizes), *count;
  NrValue *to_strides = in_memory(x, to->all_strides), *from_strides = in_memory(x, from->all_strides);
  NrValue *both = are_dense(x, from->rank, sizes, to_strides, from_strides, &count);
  NrBlock *whole = nr_append_block(x);
  nr_block_insert_after(gaps, whole);
  nr_block_insert_after(after, gaps);
  nr_cf_cond_br(&x->b, both, whole, NULL, 0, gaps, NULL, 0);
  nr_build_in(x, whole);
  nr_descriptor_copy_row(x, to, to->offset, from, from->offset, (NrIndex){count, 0});
  nr_cf_br(&x->b, after, NULL, 0);
  nr_build_in(x, gaps);
  copy_elements(x, from->rank, sizes, count, to, to_strides, from, from_strides);
  nr_cf_br(&x->b, after, NULL, 0);
  nr_build_in(x, after);
  nr_rejoin(x, rest, at);
}

D *nr_descriptor_clone_unranked(X *x, NrOp *at, NrType elem, const D *from) {
  if (!is_among_blocks(x, at)) return NULL;
  NrBlock *rest = nr_split_at(x, at);
  NrValue *sizes = in_memory(x, from->all_sizes), *strides = stack_buffer(x);
  NrIndex count = {row_major(x, from->rank, sizes, strides), 0};
  NrValue *memory = nr_build_alloc(&x->b, NR_OP_memref_alloc, elem, &count, 1);
  D *copy = dense(x, memory, from->rank, sizes, strides);
  nr_rejoin(x, rest, at);
  nr_descriptor_copy_unranked(x, at, copy, from);
  return copy;
}

/* ---- whole memrefs ---------------------------------------------------------------------------------------------- */

D *nr_descriptor_read_unranked(X *x, NrValue *memref) {
  NrOp *at = x->b.before;
  NrType type = memref->type;
  if (!is_among_blocks(x, at)) return NULL;
  NrBlock *rest = nr_split_at(x, at);
  NrValue *rank = nr_build_value(&x->b, NR_OP_memref_rank, nr_type_index(x->b.ctx), &memref, 1);
  NrValue *sizes = in_memory(x, zeros(x)), *strides = stack_buffer(x);
  Down dims = begin_loop(x, rank, NULL, 0);
  NrValue *size = nr_build_value(&x->b, NR_OP_memref_dim, rank->type, (NrValue *[]){memref, dims.index}, 2);
  nr_build_store(&x->b, size, sizes, &dims.index, 1);
  end_loop(x, &dims, NULL);
  row_major(x, rank, sizes, strides);
  NrValue *data = nr_descriptor_pointer(x, memref, nr_index_const(0), type->elem, type->space);
  D *d = dense(x, data, rank, sizes, strides);
  nr_rejoin(x, rest, at);
  return d;
}

/* Builds a memref.reshape whose shape operand has the sizes in memory. */
NrValue *nr_descriptor_whole_unranked(X *x, const D *d, NrType type) {
  NrType list = nr_type_memref_layout((int64_t[]){NR_DYNAMIC}, 1, nr_type_index(x->b.ctx), NULL, NULL);
  D sizes = {.data = in_memory(x, d->all_sizes), .sizes = &(NrIndex){d->rank, 0}, .strides = &(NrIndex){NULL, 1}};
  NrValue *operands[] = {d->data, nr_descriptor_whole(x, &sizes, list)};
  return nr_build_value(&x->b, NR_OP_memref_reshape, type, operands, 2);
}

/* ---- reshape ---------------------------------------------------------------------------------------------------- */

D *nr_descriptor_reshape_unranked(X *x, NrOp *op) {
  D *source = nr_descriptor_of(x, nr_memref_reshape_source(op)),
    *list = nr_descriptor_of(x, nr_memref_reshape_shape(op));
  NrType type = nr_op_result(op)->type;
  NrIndex length = list->sizes[0];
  if (!length.value && length.constant > RANK && too_many_dims(x, op)) return NULL;
  if (!is_among_blocks(x, op)) return NULL;
  NrBlock *rest = nr_split_at(x, op);
  NrValue *rank = nr_index_value(&x->b, length), *sizes = in_memory(x, zeros(x)), *strides = stack_buffer(x);
  Down dims = begin_loop(x, rank, NULL, 0);
  NrValue *at = nr_index_value(&x->b, nr_descriptor_element(x, list, &dims.index, 1));
  NrValue *size = nr_build_load(&x->b, list->data, &at, 1);
  if (size->type != rank->type) size = nr_build_value(&x->b, NR_OP_arith_index_cast, rank->type, &size, 1);
  nr_build_store(&x->b, size, sizes, &dims.index, 1);
  end_loop(x, &dims, NULL);
  row_major(x, rank, sizes, strides);
  NrValue *data = nr_descriptor_pointer(x, source->data, source->offset, type->elem, type->space);
  D *d = dense(x, data, rank, sizes, strides);
  d->allocation = source->allocation ? source->allocation : source->data;
  nr_rejoin(x, rest, op);
  return d;
}
