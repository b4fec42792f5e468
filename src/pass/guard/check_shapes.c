/* check_shapes.c - the part of check-bounds that is about shapes: what casts and reshapes claim, what copies, transfers
 * and structured ops take for granted, and views that must lie in their buffer. A wrong one would let accesses that
 * were checked leave their buffer. */
#include "dialect/affine/affine.h"
#include "dialect/arith/arith.h"
#include "dialect/linalg/linalg.h"
#include "dialect/memref/memref.h"
#include "dialect/scf/scf.h"
#include "dialect/tensor/tensor.h"
#include "pass/core/checks.h"
#include "pass/loop/loops.h"
#include "pass/analysis/prover.h"

#include <stdio.h>

static NrValue *number(NrBuilder *b, int64_t n) { return nr_arith_constant_index(b, n); }
static NrValue *both(NrBuilder *b, NrValue *x, NrValue *y) {
  return x ? nr_fold_binary(b, NR_OP_arith_andi, x, y) : y;
}

NrValue *nr_check_size_of(NrBuilder *b, NrValue *shaped, uint32_t dim) {
  bool bound = shaped->type->kind == NR_TYPE_DISPATCH_TENSOR;
  NrType type = bound ? shaped->type->elem : shaped->type;
  if (type->dims[dim] != NR_DYNAMIC) return number(b, type->dims[dim]);
  if (bound) {
    NrOp *op = nr_build_op(b, NR_OP_flow_dispatch_tensor_dim, &shaped, 1, (NrType[]){nr_type_index(b->ctx)}, 1);
    nr_op_set_attr(op, "dimension", nr_attr_int(nr_type_index(b->ctx), dim));
    return nr_result(op, 0);
  }
  unsigned id = shaped->type->kind == NR_TYPE_MEMREF ? NR_OP_memref_dim : NR_OP_tensor_dim;
  return nr_build_value(b, id, nr_type_index(b->ctx), (NrValue *[]){shaped, number(b, dim)}, 2);
}

NrValue *nr_check_product(NrBuilder *b, NrValue *x, NrValue *y) {
  int64_t n, m;
  if (nr_value_constant_int(x, &n) && n == 1) return y;
  if (nr_value_constant_int(y, &m) && m == 1) return x;
  NrType i64 = nr_type_i64(b->ctx), types[2] = {i64, i64};
  NrValue *wide[2] = {nr_build_value(b, NR_OP_arith_index_cast, i64, &x, 1),
                      nr_build_value(b, NR_OP_arith_index_cast, i64, &y, 1)};
  NrOp *op = nr_build_op(b, NR_OP_arith_mului_extended, wide, 2, types, 2);
  NrValue *none = nr_arith_constant_int(b, i64, 0);
  NrValue *fits = both(b, nr_arith_cmpi(b, NR_CMPI_EQ, nr_result(op, 1), none),
                       nr_arith_cmpi(b, NR_CMPI_SGE, nr_result(op, 0), none));
  NrValue *low = nr_result(op, 0), *index = nr_build_value(b, NR_OP_arith_index_cast, nr_type_index(b->ctx), &low, 1);
  return nr_arith_select(b, fits, index, number(b, INT64_MAX));
}

bool nr_check_is_product(const NrValue *value, NrValue **out_x, NrValue **out_y) {
  const NrOp *op = value->op, *cast, *wide;
  int64_t otherwise;
  if (!nr_op_is(op, NR_OP_arith_select) || !nr_value_constant_int(nr_operand(op, 2), &otherwise)) return false;
  cast = nr_operand(op, 1)->op;
  wide = otherwise == INT64_MAX && nr_op_is(cast, NR_OP_arith_index_cast) ? nr_operand(cast, 0)->op : NULL;
  if (!nr_op_is(wide, NR_OP_arith_mului_extended) || nr_operand(cast, 0)->index != 0) return false;
  NrValue **out[] = {out_x, out_y};
  for (size_t i = 0; i < 2; i++) {
    const NrOp *from = nr_operand(wide, i)->op;
    if (!nr_op_is(from, NR_OP_arith_index_cast) || !nr_type_is_index(nr_operand(from, 0)->type)) return false;
    *out[i] = nr_operand(from, 0);
  }
  return true;
}

static NrValue *count_of(NrBuilder *b, NrValue *shaped, uint32_t begin, uint32_t end) {
  NrValue *n = number(b, 1);
  for (uint32_t d = begin; d < end; d++) n = nr_check_product(b, n, nr_check_size_of(b, shaped, d));
  return n;
}

/* ---- casts ---------------------------------------------------------------------------------------------------- */

/* The size of a dim is the number that the type of the result says. */
static void check_static_dim(NrBuilder *b, NrOp *op, uint32_t d, NrValue *size) {
  char text[96];
  int64_t want = nr_result(op, 0)->type->dims[d], have;
  if (want == NR_DYNAMIC || (nr_value_constant_int(size, &have) && have == want)) return;
  snprintf(text, sizeof text, "dim %u is %%0, where %lld is expected", d, (long long)want);
  nr_check_unless(b, op, nr_fold_cmpi(b, NR_CMPI_EQ, size, number(b, want)), text, &size, 1);
}

/* Strides and offset that the result's type fixes and the source's leaves open. */
static NrValue *same_layout(NrBuilder *b, NrValue *source, NrType to) {
  int64_t have[NR_MAX_RANK], want[NR_MAX_RANK], have_offset, want_offset;
  uint32_t rank = to->rank;
  if (!nr_memref_strides(source->type, have, &have_offset) || !nr_memref_strides(to, want, &want_offset)) return NULL;
  bool open = have_offset == NR_DYNAMIC && want_offset != NR_DYNAMIC;
  for (uint32_t d = 0; d < rank; d++) open |= have[d] == NR_DYNAMIC && want[d] != NR_DYNAMIC;
  if (!open) return NULL;
  NrType types[2 + 2 * NR_MAX_RANK], index = nr_type_index(b->ctx);
  types[0] = nr_type_memref_layout(NULL, 0, source->type->elem, NULL, source->type->space);
  for (uint32_t i = 1; i < 2 + 2 * rank; i++) types[i] = index;
  NrOp *parts = nr_build_op(b, NR_OP_memref_extract_strided_metadata, &source, 1, types, 2 + 2 * rank);
  NrValue *same = NULL;
  if (have_offset == NR_DYNAMIC && want_offset != NR_DYNAMIC)
    same = both(b, same, nr_arith_cmpi(b, NR_CMPI_EQ, nr_result(parts, 1), number(b, want_offset)));
  for (uint32_t d = 0; d < rank; d++)
    if (have[d] == NR_DYNAMIC && want[d] != NR_DYNAMIC)
      same = both(b, same, nr_arith_cmpi(b, NR_CMPI_EQ, nr_result(parts, 2 + rank + d), number(b, want[d])));
  return same;
}

/* A memref of unknown rank as one of rank `to->rank` whose sizes, strides and offset are open. */
static NrValue *with_open_layout(NrBuilder *b, NrValue *source, NrType to) {
  int64_t open[NR_MAX_RANK];
  for (uint32_t d = 0; d < to->rank; d++) open[d] = NR_DYNAMIC;
  NrAttr layout = nr_attr_strided(b->ctx, open, to->rank, NR_DYNAMIC);
  NrType type = nr_type_memref_layout(open, to->rank, to->elem, layout, to->space);
  return nr_build_value(b, NR_OP_memref_cast, type, &source, 1);
}

static void check_cast(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *source = nr_operand(op, 0);
  NrType from = source->type, to = nr_result(op, 0)->type, index = nr_type_index(b.ctx);
  bool memref = nr_type_is_memref(from);
  if (!nr_type_is_ranked(to)) return;
  if (!nr_type_is_ranked(from)) {
    NrValue *rank = nr_build_value(&b, memref ? NR_OP_memref_rank : NR_OP_tensor_rank, index, &source, 1);
    char text[96];
    snprintf(text, sizeof text, "the value has rank %%0, where %u is expected", to->rank);
    nr_check_unless(&b, op, nr_arith_cmpi(&b, NR_CMPI_EQ, rank, number(&b, to->rank)), text, &rank, 1);
  }
  for (uint32_t d = 0; d < to->rank; d++) {
    if (to->dims[d] == NR_DYNAMIC || (nr_type_is_ranked(from) && from->dims[d] != NR_DYNAMIC)) continue;
    NrValue *operands[] = {source, number(&b, d)};
    check_static_dim(&b, op, d, nr_build_value(&b, memref ? NR_OP_memref_dim : NR_OP_tensor_dim, index, operands, 2));
  }
  if (memref && !nr_type_is_ranked(from)) source = with_open_layout(&b, source, to);
  NrValue *layout = memref ? same_layout(&b, source, to) : NULL;
  if (layout)
    nr_check_unless(&b, op, layout, "the value does not have the strides and offset that are expected", NULL, 0);
}

/* ---- equal shapes --------------------------------------------------------------------------------------------- */

static void check_same_shape(NrBuilder *b, NrOp *op, NrValue *x, NrValue *y, const char *text) {
  NrValue *same = NULL;
  if (!nr_type_is_ranked(x->type) || !nr_type_is_ranked(y->type) || x->type->rank != y->type->rank) return;
  for (uint32_t d = 0; d < x->type->rank; d++)
    if (x->type->dims[d] == NR_DYNAMIC || y->type->dims[d] == NR_DYNAMIC)
      same = both(b, same, nr_arith_cmpi(b, NR_CMPI_EQ, nr_check_size_of(b, x, d), nr_check_size_of(b, y, d)));
  if (same) nr_check_unless(b, op, same, text, NULL, 0);
}

static void check_elementwise(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *first = NULL;
  if (nr_op_selects_whole(op)) return;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *v = nr_operand(op, i);
    if (v->type->kind != NR_TYPE_TENSOR) continue;
    if (first) check_same_shape(&b, op, first, v, "its operands have different shapes");
    first = first ? first : v;
  }
}

/* ---- structured ops ------------------------------------------------------------------------------------------- */

/* A number that an expression never passes, up or down, where each dim runs from 0 to last: its value at an end where
 * it adds and multiplies, the divisor of a rest. */
static NrValue *bound_of(NrBuilder *b, NrAffineExpr e, NrValue *const *last, bool upper) {
  static const unsigned quotients[] = {NR_OP_arith_floordivsi, NR_OP_arith_ceildivsi};
  if (e->kind == NR_AFFINE_CONSTANT) return number(b, e->value);
  if (e->kind == NR_AFFINE_DIM) return upper ? last[e->value] : number(b, 0);
  if (e->kind == NR_AFFINE_ADD)
    return nr_fold_binary(b, NR_OP_arith_addi, bound_of(b, e->lhs, last, upper), bound_of(b, e->rhs, last, upper));
  if (e->kind == NR_AFFINE_MOD) {
    NrValue *most = nr_fold_binary(b, NR_OP_arith_subi, bound_of(b, e->rhs, last, true), number(b, 1));
    return upper ? most : number(b, 0);
  }
  bool falls = e->rhs->kind == NR_AFFINE_CONSTANT && e->rhs->value < 0;
  NrValue *x = bound_of(b, e->lhs, last, upper != falls), *y = bound_of(b, e->rhs, last, upper);
  if (e->kind == NR_AFFINE_MUL) return nr_fold_binary(b, NR_OP_arith_muli, x, y);
  return nr_fold_binary(b, quotients[e->kind == NR_AFFINE_CEILDIV], x, y);
}

static void check_generic(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrAttr maps = nr_op_attr(op, "indexing_maps");
  uint32_t loops = maps->size ? maps->items[0]->num_dims : 0;
  NrValue *ranges[NR_MAX_RANK] = {NULL}, *last[NR_MAX_RANK], *runs = NULL;
  if (loops > NR_MAX_RANK || maps->size != op->num_operands) return;
  for (uint32_t d = 0; d < loops; d++)
    for (uint32_t k = 0; k < op->num_operands; k++)
      for (uint32_t r = 0; nr_type_is_shaped(nr_operand(op, k)->type) && r < maps->items[k]->num_exprs; r++) {
        NrAffineExpr e = maps->items[k]->exprs[r];
        if (e->kind != NR_AFFINE_DIM || (uint32_t)e->value != d) continue;
        NrValue *size = nr_check_size_of(&b, nr_operand(op, k), r), *first = ranges[d];
        char text[96];
        snprintf(text, sizeof text, "operands disagree on the range of loop %u: %%0 and %%1", d);
        if (first)
          nr_check_unless(&b, op, nr_fold_cmpi(&b, NR_CMPI_EQ, first, size), text, (NrValue *[]){first, size}, 2);
        ranges[d] = size;
      }
  for (uint32_t d = 0; d < loops; d++) {
    if (!ranges[d]) return;
    last[d] = nr_fold_binary(&b, NR_OP_arith_subi, ranges[d], number(&b, 1));
    runs = both(&b, runs, nr_fold_cmpi(&b, NR_CMPI_SGT, ranges[d], number(&b, 0)));
  }
  for (uint32_t k = 0; k < op->num_operands; k++)
    for (uint32_t r = 0; nr_type_is_shaped(nr_operand(op, k)->type) && r < maps->items[k]->num_exprs; r++) {
      NrAffineExpr e = maps->items[k]->exprs[r];
      if (e->kind == NR_AFFINE_DIM) continue;
      NrValue *size = nr_check_size_of(&b, nr_operand(op, k), r);
      NrValue *inside = nr_fold_cmpi(&b, NR_CMPI_SGE, bound_of(&b, e, last, false), number(&b, 0));
      inside = both(&b, inside, nr_arith_cmpi(&b, NR_CMPI_SLT, bound_of(&b, e, last, true), size));
      if (runs) inside = nr_arith_select(&b, runs, inside, nr_arith_constant(&b, nr_attr_bool(b.ctx, true)));
      nr_check_unless(&b, op, inside, "an indexing map leaves an operand's bounds", NULL, 0);
    }
}

/* ---- other shapes of the same elements ------------------------------------------------------------------------ */

static void check_counts(NrBuilder *b, NrOp *op, NrValue *have, NrValue *want) {
  nr_check_unless(b, op, nr_fold_cmpi(b, NR_CMPI_EQ, have, want), "the shapes have %0 and %1 elements",
                  (NrValue *[]){have, want}, 2);
}

/* The size of a dim that the program computed: one that a tensor can have. */
static void check_size(NrBuilder *b, NrOp *op, uint32_t d, NrValue *size) {
  char text[96];
  int64_t known;
  if (nr_value_constant_int(size, &known) && known >= 0 && known <= NR_MAX_DIM) return;
  snprintf(text, sizeof text, "dim %u of the result would be %%0", d);
  nr_check_unless(b, op, nr_arith_cmpi(b, NR_CMPI_ULE, size, number(b, NR_MAX_DIM)), text, &size, 1);
}

/* Also of no elements the other dims must not be out of all measure (prover.h): those that are not 0 are multiplied. */
static void check_measure(NrBuilder *b, NrOp *op, NrValue *const *sizes, uint32_t rank) {
  NrValue *n = number(b, 1);
  uint32_t open = 0;
  int64_t known;
  for (uint32_t d = 0; d < rank; d++) {
    open += !nr_value_constant_int(sizes[d], &known);
    n = nr_check_product(b, n, nr_fold_binary(b, NR_OP_arith_maxui, sizes[d], number(b, 1)));
  }
  if (open > 1)
    nr_check_unless(b, op, nr_arith_cmpi(b, NR_CMPI_ULE, n, number(b, NR_MAX_DIM)), "gives a tensor that is too large",
                    NULL, 0);
}

static void check_expand_shape(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *source = nr_operand(op, 0), *sizes[NR_MAX_RANK];
  uint32_t rank = nr_result(op, 0)->type->rank;
  NrGroups groups;
  if (nr_index_list_size(op, nr_output_shape_slot.attr) != rank || !nr_groups_of(op, &groups)) return;
  for (uint32_t d = 0; d < rank; d++) {
    sizes[d] = nr_index_value(&b, nr_index_list_get(op, nr_output_shape_slot, d));
    check_size(&b, op, d, sizes[d]);
  }
  for (uint32_t g = 0; g < groups.count; g++) {
    NrValue *n = number(&b, 1);
    for (uint32_t i = 0; i < groups.size[g]; i++) n = nr_check_product(&b, n, sizes[groups.begin[g] + i]);
    check_counts(&b, op, nr_check_size_of(&b, source, g), n);
  }
  check_measure(&b, op, sizes, rank);
}

enum { MAX_UNRANKED = 16 }; /* dims of a value of unknown rank in machine code */

/* Of a value whose rank the run knows: the dims are multiplied one by one. */
static NrValue *count_unranked(NrBuilder *b, NrValue *shaped) {
  bool memref = nr_type_is_memref(shaped->type);
  NrType type = nr_type_index(b->ctx);
  NrValue *index, *n = number(b, 1);
  NrValue *rank = nr_build_value(b, memref ? NR_OP_memref_rank : NR_OP_tensor_rank, type, &shaped, 1);
  NrOp *loop = nr_scf_open_for(b, number(b, 0), rank, number(b, 1), &n, 1, &index);
  n = nr_check_product(b, n, nr_build_value(b, memref ? NR_OP_memref_dim : NR_OP_tensor_dim, type,
                                   (NrValue *[]){shaped, index}, 2));
  nr_scf_close_for(b, loop, &n, 1);
  return n;
}

/* The shape stands in memory, or is a tensor. */
static void check_reshape(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *source = nr_operand(op, 0), *shape = nr_operand(op, 1), *index, *n = number(&b, 1);
  if (!nr_type_is_ranked(shape->type)) return;
  bool memref = nr_type_is_memref(shape->type);
  NrValue *rank = nr_check_size_of(&b, shape, 0);
  NrValue *fits = nr_arith_cmpi(&b, NR_CMPI_ULE, rank, number(&b, MAX_UNRANKED));
  nr_check_unless(&b, op, fits, "gives a value of %0 dims", &rank, 1);
  NrOp *loop = nr_scf_open_for(&b, number(&b, 0), rank, number(&b, 1), &n, 1, &index);
  NrValue *dim = nr_build_value(&b, memref ? NR_OP_memref_load : NR_OP_tensor_extract, shape->type->elem,
                                (NrValue *[]){shape, index}, 2);
  if (!nr_type_is_index(dim->type)) dim = nr_build_value(&b, NR_OP_arith_index_cast, nr_type_index(b.ctx), &dim, 1);
  nr_check_unless(&b, op, nr_arith_cmpi(&b, NR_CMPI_SGE, dim, number(&b, 0)), "dim %0 of the shape is %1",
                  (NrValue *[]){index, dim}, 2);
  n = nr_check_product(&b, n, dim);
  nr_scf_close_for(&b, loop, &n, 1);
  bool ranked = nr_type_is_ranked(source->type);
  check_counts(&b, op, ranked ? count_of(&b, source, 0, source->type->rank) : count_unranked(&b, source), n);
}

/* ---- views ---------------------------------------------------------------------------------------------------- */

static void check_view(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrType type = nr_result(op, 0)->type;
  NrValue *bytes = nr_check_size_of(&b, nr_operand(op, 0), 0), *shift = nr_operand(op, 1);
  NrValue *need = number(&b, (int64_t)nr_type_byte_size(type->elem)), *elem = need;
  for (uint32_t d = 0, k = 2; d < type->rank; d++)
    need = nr_check_product(&b, need, type->dims[d] == NR_DYNAMIC ? nr_operand(op, k++) : number(&b, type->dims[d]));
  NrValue *rest = nr_arith_binary(&b, NR_OP_arith_remui, shift, elem);
  NrValue *fits = both(&b, nr_arith_cmpi(&b, NR_CMPI_ULE, shift, bytes),
                       nr_arith_cmpi(&b, NR_CMPI_EQ, rest, number(&b, 0)));
  NrValue *left = nr_arith_binary(&b, NR_OP_arith_subi, bytes, shift);
  nr_check_unless(&b, op, both(&b, fits, nr_arith_cmpi(&b, NR_CMPI_ULE, need, left)),
                  "does not lie in its source, or not on a multiple of its elements' size", NULL, 0);
}

/* What a view of views shows a part of, or the value whose memory is not known to be larger than it says. */
static NrValue *root_of(NrValue *v) {
  for (;;) {
    switch (v->op ? v->op->info->id : 0) {
    case NR_OP_memref_extract_strided_metadata:
      if (v->index) return v;
      break;
    case NR_OP_memref_reinterpret_cast:
    case NR_OP_memref_subview:
    case NR_OP_memref_cast:
    case NR_OP_memref_transpose:
    case NR_OP_memref_memory_space_cast:
    case NR_OP_memref_assume_alignment: break;
    default: return v;
    }
    if (nr_operand(v->op, 0)->type->kind != NR_TYPE_MEMREF) return v;
    v = nr_operand(v->op, 0);
  }
}

/* The lowest and the highest element lie in the root: a dim's steps go down where its stride is negative. None may take
 * more than there is, so that the sums do not wrap. */
static void check_reinterpret_cast(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *root = root_of(nr_operand(op, 0)), *zero = number(&b, 0), *empty = NULL, *inside;
  int64_t strides[NR_MAX_RANK], offset;
  if (root->type->kind != NR_TYPE_MEMREF) return;
  if (!nr_memref_strides(root->type, strides, &offset) || offset != 0) return;
  NrValue *room = count_of(&b, root, 0, root->type->rank);
  NrValue *low = nr_index_value(&b, nr_index_list_get(op, nr_extract_slice_slots[0], 0)), *high = low;
  inside = nr_arith_cmpi(&b, NR_CMPI_ULT, low, room);
  for (uint32_t d = 0; d < nr_result(op, 0)->type->rank; d++) {
    NrValue *size = nr_index_value(&b, nr_index_list_get(op, nr_extract_slice_slots[1], d));
    NrValue *stride = nr_index_value(&b, nr_index_list_get(op, nr_extract_slice_slots[2], d));
    NrValue *none = nr_fold_cmpi(&b, NR_CMPI_EQ, size, zero);
    empty = empty ? nr_fold_binary(&b, NR_OP_arith_ori, empty, none) : none;
    NrValue *down = nr_fold_cmpi(&b, NR_CMPI_SLT, stride, zero);
    NrValue *distance = nr_arith_select(&b, down, nr_fold_binary(&b, NR_OP_arith_subi, zero, stride), stride);
    NrValue *steps = nr_check_product(&b, nr_fold_binary(&b, NR_OP_arith_subi, size, number(&b, 1)), distance);
    low = nr_arith_select(&b, down, nr_fold_binary(&b, NR_OP_arith_subi, low, steps), low);
    high = nr_arith_select(&b, down, high, nr_fold_binary(&b, NR_OP_arith_addi, high, steps));
    inside = both(&b, inside, nr_arith_cmpi(&b, NR_CMPI_ULT, steps, room));
    inside = both(&b, inside, nr_arith_cmpi(&b, NR_CMPI_SGE, size, zero));
  }
  inside = both(&b, inside, nr_arith_cmpi(&b, NR_CMPI_SGE, low, zero));
  inside = both(&b, inside, nr_arith_cmpi(&b, NR_CMPI_SLT, high, room));
  if (empty) inside = nr_arith_select(&b, empty, nr_arith_constant(&b, nr_attr_bool(b.ctx, true)), inside);
  nr_check_unless(&b, op, inside, "has elements outside of the buffer", NULL, 0);
}

static void check_dim(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *source = nr_operand(op, 0), *index = nr_operand(op, 1);
  unsigned id = nr_type_is_memref(source->type) ? NR_OP_memref_rank : NR_OP_tensor_rank;
  NrValue *rank = nr_type_is_ranked(source->type) ? number(&b, source->type->rank)
                                                  : nr_build_value(&b, id, nr_type_index(b.ctx), &source, 1);
  nr_check_unless(&b, op, nr_fold_cmpi(&b, NR_CMPI_ULT, index, rank), "dim %0 of a value of rank %1",
                  (NrValue *[]){index, rank}, 2);
}

/* ---- transfers ------------------------------------------------------------------------------------------------ */

static NrValue *start_of(NrBuilder *b, NrOp *op, size_t memref) {
  NrValue *at = number(b, 0), *m = nr_operand(op, memref);
  for (uint32_t d = 0; d < m->type->rank; d++) {
    at = nr_fold_binary(b, NR_OP_arith_muli, at, nr_check_size_of(b, m, d));
    at = nr_fold_binary(b, NR_OP_arith_addi, at, nr_operand(op, memref + 1 + d));
  }
  return at;
}

static void check_element(NrBuilder *b, NrOp *op, NrValue *memref, NrValue *start, NrValue *k) {
  NrValue *count = count_of(b, memref, 0, memref->type->rank);
  NrValue *inside = nr_arith_cmpi(b, NR_CMPI_ULT, nr_arith_binary(b, NR_OP_arith_addi, start, k), count);
  nr_check_unless(b, op, inside, "the transfer leaves a buffer of %0 elements", &count, 1);
}

/* Element by element, in a loop of its own: that is simple, and right for any stride. */
static void check_dma_start(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrDmaParts parts;
  nr_memref_dma_parts(op, &parts);
  NrValue *source = start_of(&b, op, 0), *target = start_of(&b, op, parts.target), *k, *run = NULL;
  if (parts.stride < op->num_operands) {
    run = nr_operand(op, parts.stride + 1);
    nr_check_unless(&b, op, nr_arith_cmpi(&b, NR_CMPI_SGT, run, number(&b, 0)), "has %0 elements per stride", &run, 1);
  }
  NrOp *loop = nr_scf_open_for(&b, number(&b, 0), nr_operand(op, parts.n), number(&b, 1), NULL, 0, &k);
  NrValue *far = k;
  if (run) {
    NrValue *steps = nr_arith_binary(&b, NR_OP_arith_divui, k, run);
    NrValue *rest = nr_arith_binary(&b, NR_OP_arith_remui, k, run);
    far = nr_arith_binary(&b, NR_OP_arith_muli, steps, nr_operand(op, parts.stride));
    far = nr_arith_binary(&b, NR_OP_arith_addi, far, rest);
  }
  bool strides_target = nr_memref_dma_strides_target(op, parts);
  check_element(&b, op, nr_operand(op, 0), source, strides_target ? k : far);
  check_element(&b, op, nr_operand(op, parts.target), target, strides_target ? far : k);
  nr_scf_close_for(&b, loop, NULL, 0);
}

/* ---- dims of results ----------------------------------------------------------------------------------------------
 */

static void check_sizes(NrOp *op, size_t first) {
  NrBuilder b = nr_builder_before(op);
  NrType type = nr_result(op, 0)->type;
  for (uint32_t d = 0; d < type->rank; d++)
    if (type->dims[d] == NR_DYNAMIC) check_size(&b, op, d, nr_operand(op, first++));
}

static void check_collapse_shape(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrGroups groups;
  if (!nr_groups_of(op, &groups)) return;
  for (uint32_t g = 0; g < groups.count; g++)
    check_static_dim(&b, op, g, count_of(&b, nr_operand(op, 0), groups.begin[g], groups.begin[g] + groups.size[g]));
}

/* insert-ub-checks asks whether the padding cuts. */
static void check_pad(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  for (uint32_t d = 0; d < nr_result(op, 0)->type->rank; d++) {
    NrValue *size = nr_check_size_of(&b, nr_operand(op, 0), d), *fits = NULL, *pads[2];
    for (size_t k = 0; k < 2; k++) {
      pads[k] = nr_index_value(&b, nr_index_list_get(op, nr_pad_slots[k], d));
      fits = both(&b, fits, nr_fold_cmpi(&b, NR_CMPI_ULE, pads[k], number(&b, NR_MAX_DIM)));
    }
    char text[96];
    snprintf(text, sizeof text, "the padding of dim %u is %%0 and %%1", d);
    nr_check_unless(&b, op, fits, text, pads, 2);
    for (size_t k = 0; k < 2; k++) size = nr_fold_binary(&b, NR_OP_arith_addi, size, pads[k]);
    check_static_dim(&b, op, d, size);
  }
}

static void check_concat(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  uint32_t axis = (uint32_t)nr_op_attr_int(op, "dim", 0);
  for (uint32_t d = 0; d < nr_result(op, 0)->type->rank; d++) {
    NrValue *first = nr_check_size_of(&b, nr_operand(op, 0), d), *total = first;
    for (uint32_t i = 1; i < op->num_operands; i++) {
      NrValue *size = nr_check_size_of(&b, nr_operand(op, i), d);
      if (d == axis) total = nr_fold_binary(&b, NR_OP_arith_addi, total, size);
      else nr_check_unless(&b, op, nr_fold_cmpi(&b, NR_CMPI_EQ, first, size), "joins tensors with dims of %0 and %1",
                           (NrValue *[]){first, size}, 2);
    }
    check_static_dim(&b, op, d, total);
  }
}

/* The dims stand in a tensor of known length. */
static void check_tensor_reshape(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *source = nr_operand(op, 0), *shape = nr_operand(op, 1), *n = number(&b, 1);
  NrType index = nr_type_index(b.ctx);
  NrValue *sizes[NR_MAX_RANK];
  int64_t rank = shape->type->dims[0];
  for (int64_t i = 0; i < rank; i++) {
    NrValue *dim = nr_build_value(&b, NR_OP_tensor_extract, shape->type->elem, (NrValue *[]){shape, number(&b, i)}, 2);
    if (dim->type != index) dim = nr_build_value(&b, NR_OP_arith_index_cast, index, &dim, 1);
    check_size(&b, op, (uint32_t)i, dim);
    sizes[i] = dim;
    if (nr_type_is_ranked(nr_result(op, 0)->type)) check_static_dim(&b, op, (uint32_t)i, dim);
    n = nr_check_product(&b, n, dim);
  }
  check_counts(&b, op, count_of(&b, source, 0, source->type->rank), n);
  check_measure(&b, op, sizes, (uint32_t)rank);
}

/* ---- by op --------------------------------------------------------------------------------------------------------
 */

void nr_check_claims(NrOp *op) {
  switch (op->info->id) {
  case NR_OP_tensor_extract: nr_check_indices(op, 0, 1, NULL); return;
  case NR_OP_tensor_insert: nr_check_indices(op, 1, 2, NULL); return;
  case NR_OP_tensor_empty:
  case NR_OP_tensor_generate:
  case NR_OP_bufferization_alloc_tensor: check_sizes(op, 0); return;
  case NR_OP_tensor_splat: check_sizes(op, 1); return;
  case NR_OP_tensor_extract_slice: nr_check_slice(op, nr_operand(op, 0), nr_extract_slice_slots); return;
  case NR_OP_tensor_insert_slice:
  case NR_OP_tensor_parallel_insert_slice:
    nr_check_slice(op, nr_operand(op, 1), nr_insert_slice_slots);
    nr_check_inserted(op);
    return;
  case NR_OP_tensor_collapse_shape: check_collapse_shape(op); return;
  case NR_OP_tensor_pad: check_pad(op); return;
  case NR_OP_tensor_concat: check_concat(op); return;
  case NR_OP_tensor_reshape:
    if (nr_type_is_ranked(nr_operand(op, 1)->type) && nr_operand(op, 1)->type->dims[0] != NR_DYNAMIC &&
        nr_operand(op, 1)->type->dims[0] <= NR_MAX_RANK &&
        nr_type_is_ranked(nr_operand(op, 0)->type))
      check_tensor_reshape(op);
    else check_reshape(op);
    return;
  case NR_OP_vector_transfer_read: nr_check_transfer(op, 1); return;
  case NR_OP_vector_transfer_write: nr_check_transfer(op, 2); return;
  default: nr_check_shapes(op);
  }
}

void nr_check_shapes(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  switch (op->info->id) {
  case NR_OP_memref_cast:
  case NR_OP_tensor_cast: check_cast(op); return;
  case NR_OP_memref_copy:
    check_same_shape(&b, op, nr_operand(op, 0), nr_operand(op, 1), "copies between different shapes");
    return;
  case NR_OP_linalg_generic: check_generic(op); return;
  case NR_OP_memref_expand_shape:
  case NR_OP_tensor_expand_shape: check_expand_shape(op); return;
  case NR_OP_memref_reshape:
  case NR_OP_tensor_reshape: check_reshape(op); return;
  case NR_OP_memref_view: check_view(op); return;
  case NR_OP_memref_reinterpret_cast: check_reinterpret_cast(op); return;
  case NR_OP_memref_dim:
  case NR_OP_tensor_dim: check_dim(op); return;
  case NR_OP_memref_dma_start: check_dma_start(op); return;
  default:
    if (nr_op_has(op, NR_ELEMENTWISE) && op->num_results && nr_result(op, 0)->type->kind == NR_TYPE_TENSOR)
      check_elementwise(op);
  }
}
