/* type.c - unique types: constructors, predicates, shapes and sizes. */
#include "ir/context.h"
#include "ir/type_info.h"

static uint64_t type_hash(const struct NrTypeData *t) {
  uint64_t h = nr_hash_mix(t->kind, (uint64_t)t->width << 8 | (uint64_t)t->signedness);
  h = nr_hash_mix(h, (uint64_t)t->float_kind << 32 | t->rank);
  h = nr_hash_mix(h, t->scalable);
  h = nr_hash_mix(h, nr_hash_bytes(t->dims, t->rank * sizeof *t->dims));
  h = nr_hash_mix(h, (uintptr_t)t->elem);
  h = nr_hash_mix(h, (uintptr_t)t->layout);
  h = nr_hash_mix(h, (uintptr_t)t->space);
  h = nr_hash_mix(h, nr_hash_bytes(t->inputs, t->num_inputs * sizeof *t->inputs));
  h = nr_hash_mix(h, nr_hash_bytes(t->results, t->num_results * sizeof *t->results));
  h = nr_hash_mix(h, nr_hash_bytes(t->params, t->num_params * sizeof *t->params));
  return nr_hash_mix(h, nr_hash_bytes(t->text.data, t->text.size));
}

static bool same_bytes(const void *a, const void *b, size_t size) { return size == 0 || memcmp(a, b, size) == 0; }

static bool type_equal(const void *node, const void *key) {
  const struct NrTypeData *x = node, *y = key;
  return x->kind == y->kind && x->width == y->width && x->signedness == y->signedness &&
         x->float_kind == y->float_kind && x->rank == y->rank && x->scalable == y->scalable &&
         x->elem == y->elem && x->layout == y->layout && x->space == y->space && x->num_inputs == y->num_inputs &&
         x->num_results == y->num_results && x->num_params == y->num_params &&
         same_bytes(x->params, y->params, x->num_params * sizeof *x->params) &&
         same_bytes(x->dims, y->dims, x->rank * sizeof *x->dims) &&
         same_bytes(x->inputs, y->inputs, x->num_inputs * sizeof *x->inputs) &&
         same_bytes(x->results, y->results, x->num_results * sizeof *x->results) && nr_str_eq(x->text, y->text);
}

static NrType type_get(NrContext *ctx, const struct NrTypeData *key) {
  uint64_t hash = type_hash(key);
  NrType found = nr_unique_find(&ctx->types, hash, type_equal, key);
  if (found) return found;
  struct NrTypeData *t = nr_arena_copy(&ctx->arena, key, sizeof *key);
  t->ctx = ctx;
  t->dims = nr_arena_copy(&ctx->arena, key->dims, key->rank * sizeof *key->dims);
  t->inputs = nr_arena_copy(&ctx->arena, key->inputs, key->num_inputs * sizeof *key->inputs);
  t->results = nr_arena_copy(&ctx->arena, key->results, key->num_results * sizeof *key->results);
  t->params = nr_arena_copy(&ctx->arena, key->params, key->num_params * sizeof *key->params);
  if (key->text.size) t->text = nr_str_copy(&ctx->arena, key->text);
  nr_unique_add(&ctx->types, hash, t);
  return t;
}

NrType nr_type_int(NrContext *ctx, uint32_t width) { return nr_type_int_signed(ctx, width, NR_SIGNLESS); }
NrType nr_type_int_signed(NrContext *ctx, uint32_t width, NrSignedness signedness) {
  bool usual = signedness == NR_SIGNLESS && width < NR_COUNTOF(ctx->int_types);
  if (usual && ctx->int_types[width]) return ctx->int_types[width];
  NrType type = type_get(ctx, &(struct NrTypeData){.kind = NR_TYPE_INTEGER, .width = width, .signedness = signedness});
  if (usual) ctx->int_types[width] = type;
  return type;
}
NrType nr_type_i1(NrContext *ctx) { return nr_type_int(ctx, 1); }
NrType nr_type_i32(NrContext *ctx) { return nr_type_int(ctx, 32); }
NrType nr_type_i64(NrContext *ctx) { return nr_type_int(ctx, 64); }
NrType nr_type_index(NrContext *ctx) {
  if (!ctx->index_type) ctx->index_type = type_get(ctx, &(struct NrTypeData){.kind = NR_TYPE_INDEX});
  return ctx->index_type;
}

NrType nr_type_float(NrContext *ctx, NrFloatKind kind) {
  static const uint8_t width[] = {
      [NR_F16] = 16,          [NR_BF16] = 16,         [NR_F32] = 32,      [NR_F64] = 64,      [NR_TF32] = 19,
      [NR_F80] = 80,          [NR_F128] = 128,        [NR_F8E5M2] = 8,    [NR_F8E4M3] = 8,    [NR_F8E4M3FN] = 8,
      [NR_F8E5M2FNUZ] = 8,    [NR_F8E4M3FNUZ] = 8,    [NR_F8E4M3B11FNUZ] = 8, [NR_F8E3M4] = 8, [NR_F8E8M0FNU] = 8,
      [NR_F4E2M1FN] = 4,      [NR_F6E2M3FN] = 6,      [NR_F6E3M2FN] = 6,
  };
  if (!ctx->float_types[kind])
    ctx->float_types[kind] =
        type_get(ctx, &(struct NrTypeData){.kind = NR_TYPE_FLOAT, .float_kind = kind, .width = width[kind]});
  return ctx->float_types[kind];
}
NrType nr_type_f32(NrContext *ctx) { return nr_type_float(ctx, NR_F32); }
NrType nr_type_f64(NrContext *ctx) { return nr_type_float(ctx, NR_F64); }

NrType nr_type_complex(NrType elem) {
  return type_get(elem->ctx, &(struct NrTypeData){.kind = NR_TYPE_COMPLEX, .elem = elem});
}
NrType nr_type_none(NrContext *ctx) { return type_get(ctx, &(struct NrTypeData){.kind = NR_TYPE_NONE}); }
NrType nr_type_tuple(NrContext *ctx, const NrType *members, size_t count) {
  return type_get(ctx, &(struct NrTypeData){.kind = NR_TYPE_TUPLE, .num_inputs = (uint32_t)count, .inputs = members});
}
NrType nr_type_function(NrContext *ctx, const NrType *inputs, size_t num_inputs, const NrType *results,
                        size_t num_results) {
  return type_get(ctx, &(struct NrTypeData){.kind = NR_TYPE_FUNCTION,
                                            .num_inputs = (uint32_t)num_inputs,
                                            .inputs = inputs,
                                            .num_results = (uint32_t)num_results,
                                            .results = results});
}

/* Bytes of one element; of a memref's descriptor if elements are memrefs. At least 1. */
static int64_t element_bytes(NrType elem) {
  int64_t bytes = (int64_t)nr_type_byte_size(nr_type_elem(elem));
  if (elem->kind == NR_TYPE_VECTOR && nr_type_num_bytes(elem, &bytes)) return NR_MAX(bytes, 1);
  if (nr_type_is_memref(elem)) bytes = (3 + 2 * NR_MAX_RANK) * 8;
  return NR_MAX(bytes, 1);
}

static bool is_oversized(const int64_t *dims, size_t rank, NrType elem) {
  int64_t bytes = element_bytes(elem);
  for (size_t i = 0; i < rank; i++)
    if (dims[i] != NR_DYNAMIC && dims[i] != 0 && !nr_mul_i64(bytes, dims[i], &bytes)) return true;
  return false;
}

static NrType shaped(NrTypeKind kind, const int64_t *dims, size_t rank, NrType elem, NrAttr layout, NrAttr space,
                     uint64_t scalable) {
  bool oversized = rank && is_oversized(dims, rank, elem);
  NrType type = type_get(elem->ctx, &(struct NrTypeData){.kind = kind,
                                                         .rank = (uint32_t)rank,
                                                         .dims = dims,
                                                         .elem = elem,
                                                         .layout = layout,
                                                         .space = space,
                                                         .scalable = scalable,
                                                         .oversized = oversized});
  if (oversized) elem->ctx->oversized = type;
  return type;
}
NrType nr_context_take_oversized(NrContext *ctx) {
  NrType type = ctx->oversized;
  ctx->oversized = NULL;
  return type;
}

NrType nr_type_vector(const int64_t *dims, size_t rank, NrType elem) {
  return shaped(NR_TYPE_VECTOR, dims, rank, elem, NULL, NULL, 0);
}
NrType nr_type_vector_scalable(const int64_t *dims, size_t rank, NrType elem, uint64_t scalable) {
  return shaped(NR_TYPE_VECTOR, dims, rank, elem, NULL, NULL, scalable);
}
NrType nr_type_tensor(const int64_t *dims, size_t rank, NrType elem) {
  return shaped(NR_TYPE_TENSOR, dims, rank, elem, NULL, NULL, 0);
}
NrType nr_type_tensor_encoded(const int64_t *dims, size_t rank, NrType elem, NrAttr encoding) {
  return shaped(NR_TYPE_TENSOR, dims, rank, elem, encoding, NULL, 0);
}
NrType nr_type_tensor_unranked(NrType elem) { return shaped(NR_TYPE_UNRANKED_TENSOR, NULL, 0, elem, NULL, NULL, 0); }
NrType nr_type_memref(const int64_t *dims, size_t rank, NrType elem) {
  return shaped(NR_TYPE_MEMREF, dims, rank, elem, NULL, NULL, 0);
}

static bool layout_is_identity(NrAttr layout, const int64_t *dims, size_t rank) {
  if (!layout) return true;
  if (layout->kind == NR_ATTR_AFFINE_MAP) {
    if (layout->num_symbols || layout->num_dims != rank || layout->num_exprs != rank) return false;
    for (size_t i = 0; i < rank; i++)
      if (layout->exprs[i]->kind != NR_AFFINE_DIM || layout->exprs[i]->value != (int64_t)i) return false;
    return true;
  }
  (void)dims;
  return false; /* strided<[4, 1]> is kept as written, as MLIR does, though it may equal the identity */
}

/* Memory space 0 is the default and is omitted. */
static NrAttr named_space(NrAttr space) {
  int64_t number;
  return space && nr_attr_is_int(space, &number) && number == 0 ? NULL : space;
}
NrType nr_type_memref_layout(const int64_t *dims, size_t rank, NrType elem, NrAttr layout, NrAttr space) {
  if (layout_is_identity(layout, dims, rank)) layout = NULL;
  return shaped(NR_TYPE_MEMREF, dims, rank, elem, layout, named_space(space), 0);
}
NrType nr_type_memref_unranked(NrType elem, NrAttr space) {
  return shaped(NR_TYPE_UNRANKED_MEMREF, NULL, 0, elem, NULL, named_space(space), 0);
}
NrType nr_type_of_dialect(NrContext *ctx, NrTypeKind kind, const NrAttr *params) {
  const NrTypeInfo *info = nr_type_info(kind);
  struct NrTypeData key = {.kind = kind, .info = info, .params = params};
  key.num_params = (uint32_t)nr_type_info_num_params(info);
  for (uint32_t i = 0; i < key.num_params && !key.elem; i++)
    if (params[i]->kind == NR_ATTR_TYPE) key.elem = params[i]->type;
  return type_get(ctx, &key);
}
NrType nr_type_opaque(NrContext *ctx, NrStr text) {
  return type_get(ctx, &(struct NrTypeData){.kind = NR_TYPE_OPAQUE, .text = text});
}

/* ---- predicates ---- */

bool nr_type_is_int(NrType t) { return t->kind == NR_TYPE_INTEGER; }
bool nr_type_is_int_width(NrType t, uint32_t width) { return t->kind == NR_TYPE_INTEGER && t->width == width; }
bool nr_type_is_index(NrType t) { return t->kind == NR_TYPE_INDEX; }
bool nr_type_is_int_or_index(NrType t) { return nr_type_is_int(t) || nr_type_is_index(t); }
bool nr_type_is_float(NrType t) { return t->kind == NR_TYPE_FLOAT; }
bool nr_type_is_float_kind(NrType t, NrFloatKind kind) { return t->kind == NR_TYPE_FLOAT && t->float_kind == kind; }
bool nr_type_is_handle(NrType t) { return t->info && t->info->traits & NR_TYPE_IS_HANDLE; }
bool nr_type_is_scalar(NrType t) {
  return nr_type_is_int_or_index(t) || nr_type_is_float(t) || t->kind == NR_TYPE_COMPLEX ||
         (t->info && t->info->traits & NR_TYPE_IS_SCALAR);
}
bool nr_type_is_ranked(NrType t) {
  return t->kind == NR_TYPE_VECTOR || t->kind == NR_TYPE_TENSOR || t->kind == NR_TYPE_MEMREF;
}
bool nr_type_is_shaped(NrType t) {
  return nr_type_is_ranked(t) || t->kind == NR_TYPE_UNRANKED_TENSOR || t->kind == NR_TYPE_UNRANKED_MEMREF;
}
bool nr_type_is_tensor(NrType t) { return t->kind == NR_TYPE_TENSOR || t->kind == NR_TYPE_UNRANKED_TENSOR; }
bool nr_type_is_memref(NrType t) { return t->kind == NR_TYPE_MEMREF || t->kind == NR_TYPE_UNRANKED_MEMREF; }
bool nr_type_has_static_shape(NrType t) { return nr_type_is_ranked(t) && nr_type_num_dynamic(t) == 0; }

size_t nr_type_num_dynamic(NrType t) {
  size_t n = 0;
  for (uint32_t i = 0; i < t->rank; i++) n += t->dims[i] == NR_DYNAMIC;
  return n;
}

NrType nr_type_elem(NrType t) { return nr_type_is_shaped(t) ? t->elem : t; }

bool nr_type_num_elements(NrType t, int64_t *out) {
  int64_t n = 1;
  if (!nr_type_is_ranked(t)) return false;
  for (uint32_t i = 0; i < t->rank; i++)
    if (t->dims[i] == NR_DYNAMIC || !nr_mul_i64(n, t->dims[i], &n)) return false;
  *out = n;
  return true;
}

bool nr_type_num_bytes(NrType t, int64_t *out) {
  int64_t n;
  return nr_type_num_elements(t, &n) && nr_mul_i64(n, (int64_t)nr_type_byte_size(t->elem), out);
}

NrType nr_type_with_elem(NrType t, NrType elem) {
  if (!nr_type_is_shaped(t)) return elem;
  return shaped(t->kind, t->dims, t->rank, elem, t->layout, t->space, t->scalable);
}

NrType nr_type_with_dims(NrType t, const int64_t *dims, size_t rank) {
  return shaped(t->kind, dims, rank, t->elem, NULL, t->space, 0);
}

/* Without a layout that no strides describe. */
static NrType with_strides(NrType t) {
  int64_t strides[NR_MAX_RANK], offset;
  if (t->kind != NR_TYPE_MEMREF || nr_memref_strides(t, strides, &offset)) return t;
  return nr_type_memref_layout(t->dims, t->rank, t->elem, NULL, t->space);
}

bool nr_types_alike(NrType a, NrType b) {
  a = with_strides(a);
  b = with_strides(b);
  if (a == b) return true;
  if (nr_type_is_shaped(a) && nr_type_is_shaped(b))
    return nr_types_alike(a->elem, b->elem) && nr_type_with_elem(a, b->elem) == b;
  return a->kind == NR_TYPE_INTEGER && b->kind == NR_TYPE_INTEGER && a->width == b->width;
}

size_t nr_type_byte_size(NrType t) {
  switch (t->kind) {
  case NR_TYPE_INDEX: return 8;
  case NR_TYPE_COMPLEX: return 2 * nr_type_byte_size(t->elem);
  case NR_TYPE_INTEGER:
  case NR_TYPE_FLOAT: {
    /* Wider than 64 bits: whole words. */
    if (t->width > 64) return ((size_t)t->width + 63) / 64 * 8;
    size_t bytes = ((size_t)t->width + 7) / 8, size = 1;
    while (size < bytes) size *= 2;
    return size;
  }
  default: return t->info ? t->info->bytes : 0;
  }
}

uint32_t nr_type_bits(NrType t) {
  if (t->kind == NR_TYPE_INDEX) return 64;
  if (t->kind == NR_TYPE_COMPLEX) return 2 * t->elem->width;
  return t->width;
}

bool nr_memref_is_identity(NrType t) { return t->kind == NR_TYPE_MEMREF && !t->layout; }

static bool has_dims(NrAffineExpr e) {
  if (e->kind == NR_AFFINE_DIM) return true;
  return e->lhs && (has_dims(e->lhs) || has_dims(e->rhs));
}

static int64_t times(int64_t a, int64_t b) {
  int64_t r;
  return a == NR_DYNAMIC || b == NR_DYNAMIC || !nr_mul_i64(a, b, &r) ? NR_DYNAMIC : r;
}

static void add_to(int64_t *sum, int64_t a) {
  if (*sum == NR_DYNAMIC || a == NR_DYNAMIC || !nr_add_i64(*sum, a, sum)) *sum = NR_DYNAMIC;
}

/* Adds factor * e; strides and offsets with symbols are dynamic. */
static bool add_strided(NrAffineExpr e, int64_t factor, uint32_t rank, int64_t *strides, int64_t *offset) {
  if (!has_dims(e)) {
    add_to(offset, e->kind == NR_AFFINE_CONSTANT ? times(factor, e->value) : NR_DYNAMIC);
    return true;
  }
  if (e->kind == NR_AFFINE_DIM) {
    if (e->value < (int64_t)rank) add_to(&strides[e->value], factor);
    return e->value < (int64_t)rank;
  }
  if (e->kind == NR_AFFINE_ADD)
    return add_strided(e->lhs, factor, rank, strides, offset) && add_strided(e->rhs, factor, rank, strides, offset);
  if (e->kind != NR_AFFINE_MUL || (has_dims(e->lhs) && has_dims(e->rhs))) return false;
  NrAffineExpr by = has_dims(e->lhs) ? e->rhs : e->lhs;
  return add_strided(has_dims(e->lhs) ? e->lhs : e->rhs,
                     by->kind == NR_AFFINE_CONSTANT ? times(factor, by->value) : NR_DYNAMIC, rank, strides, offset);
}

static bool map_strides(NrAttr map, uint32_t rank, int64_t *strides, int64_t *offset) {
  if (map->num_exprs != 1 || map->num_dims != rank) return false;
  for (uint32_t i = 0; i < rank; i++) strides[i] = 0;
  *offset = 0;
  return add_strided(map->exprs[0], 1, rank, strides, offset);
}

bool nr_memref_strides(NrType t, int64_t *strides, int64_t *offset) {
  if (t->kind != NR_TYPE_MEMREF || t->rank > NR_MAX_RANK) return false;
  if (t->layout) {
    if (t->layout->kind == NR_ATTR_AFFINE_MAP) return map_strides(t->layout, t->rank, strides, offset);
    if (t->layout->kind != NR_ATTR_STRIDED || t->layout->num_strides != t->rank) return false;
    if (t->rank) memcpy(strides, t->layout->strides, t->rank * sizeof *strides);
    *offset = t->layout->offset;
    return true;
  }
  *offset = 0;
  int64_t stride = 1;
  for (uint32_t i = t->rank; i-- > 0;) {
    strides[i] = stride;
    if (stride == NR_DYNAMIC || t->dims[i] == NR_DYNAMIC) stride = NR_DYNAMIC;
    else if (!nr_mul_i64(stride, t->dims[i], &stride)) return false;
  }
  return true;
}
