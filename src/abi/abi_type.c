/* abi_type.c - builds the conversions to and from ABI types, as one linalg.generic for tensors and memrefs; see
 * abi_type.h. */
#include "abi/abi_type.h"

#include "dialect/arith/arith.h"
#include "dialect/linalg/linalg.h"
#include "dialect/memref/memref.h"
#include "dialect/tensor/tensor.h"
#include "dialect/onnx/dtype.h"
#include "pass/linalg/unranked.h"

/* ---- ABI types -------------------------------------------------------------------------------------------------- */

static bool int_carrier(NrType t, NrAbiType *out) {
  if (t->width == 0 || t->width > NR_MAX_INT_BITS) return false;
  out->words = t->width > 64 ? ((int64_t)t->width + 63) / 64 : 0;
  uint32_t width = 8;
  while (width < NR_MIN(t->width, 64)) width *= 2;
  bool is_unsigned = out->words || t->signedness == NR_UNSIGNED;
  out->dtype = nr_dtype_of(is_unsigned ? nr_type_int_signed(t->ctx, width, NR_UNSIGNED) : nr_type_int(t->ctx, width));
  out->elem = nr_type_int(t->ctx, width);
  return true;
}

/* NULL for f80 and f128, which have no arithmetic here. */
static NrType float_carrier(NrType t) { return t->width > 64 ? NULL : nr_type_float(t->ctx, NR_F32); }

bool nr_abi_type_of(NrType t, NrAbiType *out) {
  NrType plain = t->kind == NR_TYPE_INTEGER && t->signedness == NR_SIGNED ? nr_type_int(t->ctx, t->width) : t;
  *out = (NrAbiType){.type = t, .elem = t, .dtype = nr_type_is_index(t) ? NORIA_I64 : NORIA_UNDEFINED};
  if (!out->dtype && !nr_type_is_shaped(t)) out->dtype = nr_dtype_of(plain);
  if (out->dtype) return true;
  switch (t->kind) {
  case NR_TYPE_INTEGER: return int_carrier(t, out);
  case NR_TYPE_FLOAT: out->elem = float_carrier(t); break;
  case NR_TYPE_COMPLEX:
    out->elem = nr_type_is_float(t->elem) ? float_carrier(t->elem) : NULL;
    if (out->elem) out->elem = nr_type_complex(out->elem);
    break;
  default: return false;
  }
  if (out->elem) out->dtype = nr_dtype_of(out->elem);
  return out->elem != NULL;
}

/* ---- one element ------------------------------------------------------------------------------------------------ */

static NrValue *as(NrBuilder *b, unsigned op_id, NrValue *x, NrType type) {
  return x->type == type ? x : nr_build_value(b, op_id, type, &x, 1);
}

/* Casts between signed or unsigned and signless integers, because only signless ones have arithmetic. */
static NrValue *retyped(NrBuilder *b, NrValue *x, NrType type) {
  return as(b, NR_OP_builtin_unrealized_conversion_cast, x, type);
}

static NrValue *convert_float(NrBuilder *b, NrValue *x, NrType type) {
  return as(b, x->type->width < type->width ? NR_OP_arith_extf : NR_OP_arith_truncf, x, type);
}

static NrValue *convert_complex(NrBuilder *b, NrValue *x, NrType type) {
  NrValue *parts[2];
  for (size_t i = 0; i < 2; i++)
    parts[i] = convert_float(b, as(b, i ? NR_OP_complex_im : NR_OP_complex_re, x, x->type->elem), type->elem);
  return nr_build_value(b, NR_OP_complex_create, type, parts, 2);
}

/* 64 times the index of the loop over words. */
static NrValue *word_shift(NrBuilder *b, NrType type, uint32_t dim) {
  NrOp *index = nr_build_op(b, NR_OP_linalg_index, NULL, 0, (NrType[]){nr_type_index(b->ctx)}, 1);
  nr_op_set_attr(index, NR_A_dim, nr_attr_i64(b->ctx, dim));
  NrValue *word = as(b, NR_OP_arith_index_castui, nr_op_result(index), type);
  return nr_arith_binary(b, NR_OP_arith_muli, word, nr_arith_constant_int(b, type, 64));
}

static NrValue *element_out(NrBuilder *b, const NrAbiType *c, NrValue *x, uint32_t word_dim) {
  if (c->type->kind == NR_TYPE_FLOAT) return convert_float(b, x, c->elem);
  if (c->type->kind == NR_TYPE_COMPLEX) return convert_complex(b, x, c->elem);
  bool is_unsigned = c->type->signedness == NR_UNSIGNED;
  NrType plain = nr_type_int(b->ctx, c->type->width);
  x = retyped(b, x, plain);
  if (!c->words) return as(b, is_unsigned ? NR_OP_arith_extui : NR_OP_arith_extsi, x, c->elem);
  x = nr_arith_binary(b, is_unsigned ? NR_OP_arith_shrui : NR_OP_arith_shrsi, x, word_shift(b, plain, word_dim));
  return as(b, NR_OP_arith_trunci, x, c->elem);
}

/* so_far: the value of the words before, for wide integers. */
static NrValue *element_in(NrBuilder *b, const NrAbiType *c, NrValue *x, NrValue *so_far, uint32_t word_dim) {
  if (c->type->kind == NR_TYPE_FLOAT) return convert_float(b, x, c->type);
  if (c->type->kind == NR_TYPE_COMPLEX) return convert_complex(b, x, c->type);
  NrType plain = nr_type_int(b->ctx, c->type->width);
  if (!c->words) return retyped(b, as(b, NR_OP_arith_trunci, x, plain), c->type);
  x = nr_arith_binary(b, NR_OP_arith_shli, as(b, NR_OP_arith_extui, x, plain), word_shift(b, plain, word_dim));
  return retyped(b, nr_arith_binary(b, NR_OP_arith_ori, retyped(b, so_far, plain), x), c->type);
}

/* ---- all elements ----------------------------------------------------------------------------------------------- */

static NrValue *new_like(NrBuilder *b, NrValue *shaped, NrType elem, const NrIndex *dims, size_t rank) {
  return shaped->type->kind == NR_TYPE_TENSOR ? nr_build_empty(b, elem, dims, rank)
                                              : nr_build_alloc(b, NR_OP_memref_alloc, elem, dims, rank);
}

static NrAttr leading_dims(NrContext *ctx, uint32_t num_dims, size_t count) {
  NrAffineExpr exprs[NORIA_MAX_RANK];
  for (uint32_t i = 0; i < count; i++) exprs[i] = nr_affine_dim(ctx, i);
  return nr_attr_affine_map(ctx, num_dims, 0, exprs, count);
}

/* The loops run over the side with more dims; the loop over words is the last. */
static NrValue *convert(NrBuilder *b, const NrAbiType *c, NrValue *from, NrValue *to, bool out) {
  size_t rank = NR_MAX(from->type->rank, to->type->rank);
  char iterators[NORIA_MAX_RANK + 1] = {0};
  memset(iterators, 'p', rank);
  if (c->words && !out) iterators[rank - 1] = 'r';
  NrAttr maps[] = {leading_dims(b->ctx, (uint32_t)rank, from->type->rank),
                   leading_dims(b->ctx, (uint32_t)rank, to->type->rank)};
  NrOp *generic = nr_build_generic(b, &from, 1, &to, 1, maps, iterators);
  NrBlock *block = nr_linalg_generic_body(generic);
  NrBuilder body = nr_builder_at_end(b->module, block, generic->loc);
  NrValue *x = nr_block_arg(block, 0);
  NrValue *y = out ? element_out(&body, c, x, (uint32_t)rank - 1)
                   : element_in(&body, c, x, nr_block_arg(block, 1), (uint32_t)rank - 1);
  nr_build_op(&body, NR_OP_linalg_yield, &y, 1, NULL, 0);
  return generic->num_results ? nr_op_result(generic) : to;
}

NrValue *nr_abi_type_build_out(NrBuilder *b, const NrAbiType *c, NrValue *shaped) {
  NrIndex dims[NORIA_MAX_RANK];
  size_t rank = shaped->type->rank;
  if (c->elem == c->type) return shaped;
  for (size_t i = 0; i < rank; i++) dims[i] = nr_dim_build(b, shaped, i);
  if (c->words) dims[rank++] = nr_index_const(c->words);
  return convert(b, c, shaped, new_like(b, shaped, c->elem, dims, rank), true);
}

NrValue *nr_abi_type_build_in(NrBuilder *b, const NrAbiType *c, NrValue *shaped) {
  NrIndex dims[NORIA_MAX_RANK];
  size_t rank = shaped->type->rank - (c->words ? 1 : 0);
  if (c->elem == c->type) return shaped;
  for (size_t i = 0; i < rank; i++) dims[i] = nr_dim_build(b, shaped, i);
  NrValue *to = new_like(b, shaped, c->type, dims, rank);
  NrType plain = nr_type_int(b->ctx, c->type->width);
  if (c->words) to = nr_build_fill(b, retyped(b, nr_arith_constant_int(b, plain, 0), c->type), to);
  return convert(b, c, shaped, to, false);
}

/* ---- unranked tensors, as 1-D tensors ---------------------------------------------------------------------------- */

/* Reshapes to tensor<?xelem> or tensor<?xwordsxelem>. */
static NrValue *in_a_row(NrBuilder *b, NrValue *tensor, NrValue *count, int64_t words) {
  int64_t dims[2] = {NR_DYNAMIC, words}, rank = words ? 2 : 1;
  NrValue *sizes[2] = {count, words ? nr_arith_constant_index(b, words) : NULL};
  NrType shape = nr_type_tensor(&rank, 1, nr_type_index(b->ctx));
  NrValue *row = nr_build_from_elements(b, shape, sizes, (size_t)rank);
  return nr_build_reshape(b, tensor, row, nr_type_tensor(dims, (size_t)rank, tensor->type->elem));
}

NrValue *nr_abi_type_build_out_unranked(NrBuilder *b, const NrAbiType *c, NrValue *tensor) {
  if (c->elem == c->type) return tensor;
  NrValue *count, *shape = nr_unranked_shape(b, tensor, 0, c->words, &count);
  NrValue *row = nr_abi_type_build_out(b, c, in_a_row(b, tensor, count, 0));
  return nr_build_reshape(b, row, shape, nr_type_tensor_unranked(c->elem));
}

NrValue *nr_abi_type_build_in_unranked(NrBuilder *b, const NrAbiType *c, NrValue *tensor) {
  if (c->elem == c->type) return tensor;
  NrValue *count, *shape = nr_unranked_shape(b, tensor, c->words ? 1 : 0, 0, &count);
  NrValue *row = nr_abi_type_build_in(b, c, in_a_row(b, tensor, count, c->words));
  return nr_build_reshape(b, row, shape, nr_type_tensor_unranked(c->type));
}
