/* attr.c - unique attributes: constructors, and elements of dense ones. */
#include "ir/context.h"
#include "ir/type_info.h"

#include "base/float_format.h"

#include <stdlib.h>

/* ---- uniquing ---- */

/* Kinds that are determined by kind, type, i and bits. */
static bool is_scalar(const struct NrAttrData *a) {
  return a->kind == NR_ATTR_FLOAT || a->kind == NR_ATTR_TYPE || (a->kind == NR_ATTR_INTEGER && !a->num_words);
}

static uint64_t attr_hash(const struct NrAttrData *a) {
  uint64_t h = nr_hash_mix(a->kind, (uintptr_t)a->type);
  h = nr_hash_mix(h, (uint64_t)a->i);
  h = nr_hash_mix(h, a->bits);
  if (is_scalar(a)) return h;
  if (a->kind == NR_ATTR_STRING) return nr_hash_mix(h, nr_hash_bytes(a->s.data, a->s.size));
  h = nr_hash_mix(h, nr_hash_bytes(a->words, a->num_words * sizeof *a->words));
  h = nr_hash_mix(h, nr_hash_bytes(a->s.data, a->s.size));
  if (!a->strings) h = nr_hash_mix(h, nr_hash_bytes(a->items, a->size * sizeof *a->items));
  for (size_t i = 0; i < a->num_named; i++)
    h = nr_hash_mix(nr_hash_mix(h, (uintptr_t)a->named[i].name.data), (uintptr_t)a->named[i].value);
  h = nr_hash_mix(h, (uint64_t)a->num_dims << 32 | a->num_symbols);
  h = nr_hash_mix(h, nr_hash_bytes(a->exprs, a->num_exprs * sizeof *a->exprs));
  h = nr_hash_mix(h, nr_hash_bytes(a->is_equality, a->is_equality ? a->num_exprs : 0));
  if (a->kind == NR_ATTR_RESOURCE) h = nr_hash_mix(h, (uintptr_t)a->data);
  else h = nr_hash_mix(h, nr_hash_bytes(a->data, a->data_size));
  h = nr_hash_mix(h, nr_hash_bytes(a->strides, a->num_strides * sizeof *a->strides));
  h = nr_hash_mix(h, (uint64_t)a->offset);
  return nr_hash_mix(h, (uintptr_t)a->loc);
}

static bool same(const void *a, const void *b, size_t size) { return size == 0 || memcmp(a, b, size) == 0; }

static bool same_strings(const struct NrAttrData *x, const struct NrAttrData *y) {
  for (size_t i = 0; x->strings && i < x->size; i++)
    if (!nr_str_eq(x->strings[i], y->strings[i])) return false;
  return true;
}

static bool attr_equal(const void *node, const void *key) {
  const struct NrAttrData *x = node, *y = key;
  if (x->kind != y->kind || x->type != y->type || x->i != y->i || x->bits != y->bits || x->num_words != y->num_words)
    return false;
  if (is_scalar(x)) return true;
  if (x->size != y->size || x->num_named != y->num_named || x->num_dims != y->num_dims ||
      x->num_symbols != y->num_symbols || x->num_exprs != y->num_exprs || x->splat != y->splat ||
      x->data_size != y->data_size || x->num_strides != y->num_strides || x->offset != y->offset || x->loc != y->loc)
    return false;
  if (x->kind == NR_ATTR_RESOURCE) return x->data == y->data && nr_str_eq(x->s, y->s);
  return same(x->words, y->words, x->num_words * sizeof *x->words) && nr_str_eq(x->s, y->s) &&
         (x->strings ? same_strings(x, y) : same(x->items, y->items, x->size * sizeof *x->items)) &&
         same(x->named, y->named, x->num_named * sizeof *x->named) &&
         same(x->exprs, y->exprs, x->num_exprs * sizeof *x->exprs) &&
         (x->is_equality == NULL) == (y->is_equality == NULL) &&
         same(x->is_equality, y->is_equality, x->is_equality ? x->num_exprs : 0) &&
         same(x->data, y->data, x->data_size) && same(x->strides, y->strides, x->num_strides * sizeof *x->strides);
}

/* A copy in the context; NULL for NULL. */
static const void *keep(NrContext *ctx, const void *data, size_t size) {
  return data && size ? nr_arena_copy(&ctx->arena, data, size) : data ? "" : NULL;
}

static NrAttr attr_get(NrContext *ctx, const struct NrAttrData *key) {
  /* strings are not hashed item by item: DENSE_STRINGS of one type share a bucket, and there are few of them. */
  uint64_t hash = attr_hash(key);
  NrAttr found = nr_unique_find(&ctx->attrs, hash, attr_equal, key);
  if (found) return found;
  struct NrAttrData *a = nr_arena_copy(&ctx->arena, key, sizeof *key);
  a->ctx = ctx;
  a->words = keep(ctx, key->words, key->num_words * sizeof *key->words);
  a->s = key->s.size ? nr_str_copy(&ctx->arena, key->s) : NR_STR("");
  a->items = keep(ctx, key->items, key->size * sizeof *key->items);
  a->named = keep(ctx, key->named, key->num_named * sizeof *key->named);
  a->exprs = keep(ctx, key->exprs, key->num_exprs * sizeof *key->exprs);
  a->is_equality = keep(ctx, key->is_equality, key->num_exprs * sizeof *key->is_equality);
  if (key->kind != NR_ATTR_RESOURCE) a->data = keep(ctx, key->data, key->data_size);
  a->strides = keep(ctx, key->strides, key->num_strides * sizeof *key->strides);
  if (key->strings) {
    NrStr *strings = NR_NEW_ARRAY(&ctx->arena, NrStr, key->size);
    for (size_t i = 0; i < key->size; i++) strings[i] = nr_str_copy(&ctx->arena, key->strings[i]);
    a->strings = strings;
  }
  nr_unique_add(&ctx->attrs, hash, a);
  return a;
}

/* ---- makers ---- */

NrAttr nr_attr_unit(NrContext *ctx) { return attr_get(ctx, &(struct NrAttrData){.kind = NR_ATTR_UNIT}); }
NrAttr nr_attr_bool(NrContext *ctx, bool value) {
  if (!ctx->bools[value]) ctx->bools[value] = nr_attr_int(nr_type_i1(ctx), value);
  return ctx->bools[value];
}

/* The value as its type holds it: i1 (not si1) and unsigned types zero-extended, others sign-extended. */
static int64_t wrap(NrType type, int64_t value) {
  uint32_t width = nr_type_is_index(type) ? 64 : type->width;
  if (width == 0) return 0;
  if (width >= 64) return value;
  uint64_t bits = (uint64_t)value & ((1ull << width) - 1);
  bool is_bool = width == 1 && type->signedness == NR_SIGNLESS;
  if (is_bool || type->signedness == NR_UNSIGNED) return (int64_t)bits;
  return (int64_t)(bits << (64 - width)) >> (64 - width);
}

NrAttr nr_attr_int(NrType type, int64_t value) {
  if (type->kind == NR_TYPE_INTEGER && type->width > 64) {
    size_t count = ((size_t)type->width + 63) / 64;
    uint64_t *words = nr_calloc(count, sizeof *words);
    words[0] = (uint64_t)value;
    for (size_t i = 1; i < count; i++) words[i] = value < 0 ? UINT64_MAX : 0;
    NrAttr attr = nr_attr_int_wide(type, words, count);
    nr_free(words);
    return attr;
  }
  return attr_get(type->ctx, &(struct NrAttrData){.kind = NR_ATTR_INTEGER, .type = type, .i = wrap(type, value)});
}

NrAttr nr_attr_int_wide(NrType type, const uint64_t *words, size_t num_words) {
  if (type->kind != NR_TYPE_INTEGER || type->width <= 64) return nr_attr_int(type, num_words ? (int64_t)words[0] : 0);
  size_t count = ((size_t)type->width + 63) / 64;
  uint64_t *exact = nr_calloc(count, sizeof *exact);
  memcpy(exact, words, NR_MIN(count, num_words) * sizeof *words);
  /* Bits above the width repeat the sign, or are 0 without one, so that equal values are equal words. */
  unsigned used = type->width % 64;
  if (used && type->signedness == NR_UNSIGNED) exact[count - 1] &= (1ull << used) - 1;
  else if (used) exact[count - 1] = (uint64_t)((int64_t)(exact[count - 1] << (64 - used)) >> (64 - used));
  NrAttr attr = attr_get(type->ctx, &(struct NrAttrData){.kind = NR_ATTR_INTEGER,
                                                         .type = type,
                                                         .i = (int64_t)exact[0],
                                                         .words = exact,
                                                         .num_words = count});
  nr_free(exact);
  return attr;
}

NrAttr nr_attr_i64(NrContext *ctx, int64_t value) { return nr_attr_int(nr_type_i64(ctx), value); }
NrAttr nr_attr_index(NrContext *ctx, int64_t value) { return nr_attr_int(nr_type_index(ctx), value); }

const NrFloatFormat *nr_float_format(NrFloatKind kind) {
  switch (kind) {
  case NR_F16: return &nr_format_f16;
  case NR_BF16: return &nr_format_bf16;
  case NR_TF32: return &nr_format_tf32;
  case NR_F8E5M2: return &nr_format_f8e5m2;
  case NR_F8E4M3: return &nr_format_f8e4m3;
  case NR_F8E4M3FN: return &nr_format_f8e4m3fn;
  case NR_F8E5M2FNUZ: return &nr_format_f8e5m2fnuz;
  case NR_F8E4M3FNUZ: return &nr_format_f8e4m3fnuz;
  case NR_F8E4M3B11FNUZ: return &nr_format_f8e4m3b11fnuz;
  case NR_F8E3M4: return &nr_format_f8e3m4;
  case NR_F8E8M0FNU: return &nr_format_f8e8m0fnu;
  case NR_F4E2M1FN: return &nr_format_f4e2m1fn;
  case NR_F6E2M3FN: return &nr_format_f6e2m3fn;
  case NR_F6E3M2FN: return &nr_format_f6e3m2fn;
  default: return NULL; /* f32 and f64 are native; f80 and f128 are held as f64 */
  }
}

NrAttr nr_attr_float_bits(NrType type, uint64_t bits) {
  const NrFloatFormat *format = nr_float_format(type->float_kind);
  double value;
  if (format) value = nr_float_decode(format, bits);
  else if (type->float_kind == NR_F32) {
    float f;
    uint32_t low = (uint32_t)bits;
    memcpy(&f, &low, sizeof f);
    value = f;
  } else memcpy(&value, &bits, sizeof value);
  return attr_get(type->ctx, &(struct NrAttrData){.kind = NR_ATTR_FLOAT, .type = type, .f = value, .bits = bits});
}

NrAttr nr_attr_float(NrType type, double value) {
  const NrFloatFormat *format = nr_float_format(type->float_kind);
  uint64_t bits = 0;
  if (format) bits = nr_float_encode(format, value, false);
  else if (type->float_kind == NR_F32) {
    float f = (float)value;
    memcpy(&bits, &f, sizeof f);
  } else memcpy(&bits, &value, sizeof bits);
  return nr_attr_float_bits(type, bits);
}

NrAttr nr_attr_string(NrContext *ctx, NrStr value) {
  return attr_get(ctx, &(struct NrAttrData){.kind = NR_ATTR_STRING, .s = value});
}
NrAttr nr_attr_string_typed(NrType type, NrStr value) {
  return attr_get(type->ctx, &(struct NrAttrData){.kind = NR_ATTR_STRING, .s = value, .type = type});
}
NrAttr nr_attr_array(NrContext *ctx, const NrAttr *items, size_t count) {
  return attr_get(ctx, &(struct NrAttrData){.kind = NR_ATTR_ARRAY, .items = items, .size = count});
}

static int compare_named(const void *a, const void *b) {
  return nr_str_cmp(((const NrNamedAttr *)a)->name, ((const NrNamedAttr *)b)->name);
}

NrAttr nr_attr_dict(NrContext *ctx, const NrNamedAttr *items, size_t count) {
  if (!count && ctx->empty_dict) return ctx->empty_dict;
  NrNamedAttr *sorted = nr_malloc(count * sizeof *sorted);
  for (size_t i = 0; i < count; i++) sorted[i] = (NrNamedAttr){nr_context_intern(ctx, items[i].name), items[i].value};
  if (count) qsort(sorted, count, sizeof *sorted, compare_named);
  NrAttr attr = attr_get(ctx, &(struct NrAttrData){.kind = NR_ATTR_DICT, .named = sorted, .num_named = count});
  nr_free(sorted);
  if (!count) ctx->empty_dict = attr;
  return attr;
}

NrAttr nr_attr_type(NrType type) {
  return attr_get(type->ctx, &(struct NrAttrData){.kind = NR_ATTR_TYPE, .type = type});
}
NrAttr nr_attr_symbol(NrContext *ctx, NrStr root) { return nr_attr_symbol_nested(ctx, root, NULL, 0); }
NrAttr nr_attr_symbol_nested(NrContext *ctx, NrStr root, const NrStr *nested, size_t count) {
  NrAttr *parts = nr_malloc(count * sizeof *parts);
  for (size_t i = 0; i < count; i++) parts[i] = nr_attr_string(ctx, nested[i]);
  NrAttr attr = attr_get(ctx, &(struct NrAttrData){.kind = NR_ATTR_SYMBOL, .s = root, .items = parts, .size = count});
  nr_free(parts);
  return attr;
}
NrAttr nr_attr_affine_map(NrContext *ctx, uint32_t dims, uint32_t symbols, const NrAffineExpr *exprs, size_t count) {
  return attr_get(ctx, &(struct NrAttrData){.kind = NR_ATTR_AFFINE_MAP,
                                            .num_dims = dims,
                                            .num_symbols = symbols,
                                            .exprs = exprs,
                                            .num_exprs = (uint32_t)count});
}
NrAttr nr_attr_affine_identity(NrContext *ctx, uint32_t dims) {
  NrAffineExpr *exprs = nr_malloc(dims * sizeof *exprs);
  for (uint32_t i = 0; i < dims; i++) exprs[i] = nr_affine_dim(ctx, i);
  NrAttr attr = nr_attr_affine_map(ctx, dims, 0, exprs, dims);
  nr_free(exprs);
  return attr;
}
NrAttr nr_attr_affine_set(NrContext *ctx, uint32_t dims, uint32_t symbols, const NrAffineExpr *exprs,
                          const bool *is_equality, size_t count) {
  return attr_get(ctx, &(struct NrAttrData){.kind = NR_ATTR_AFFINE_SET,
                                            .num_dims = dims,
                                            .num_symbols = symbols,
                                            .exprs = exprs,
                                            .is_equality = is_equality,
                                            .num_exprs = (uint32_t)count});
}

NrAttr nr_attr_dense(NrType shaped, const void *data, size_t size) {
  size_t elem = nr_type_byte_size(shaped->elem);
  int64_t count = INT64_MAX; /* for an oversized type: only a splat can be given, and it is rejected later */
  bool known = nr_type_num_elements(shaped, &count);
  assert(elem && (size == elem || (known && size == elem * (size_t)count)));
  (void)known;
  bool splat = size == elem && count != 0;
  if (!splat && size > elem) {
    /* Equal to itself shifted by one element: all elements are equal. */
    splat = memcmp(data, (const char *)data + elem, size - elem) == 0;
  }
  return attr_get(shaped->ctx, &(struct NrAttrData){.kind = NR_ATTR_DENSE,
                                                    .type = shaped,
                                                    .data = data,
                                                    .data_size = count == 0 ? 0 : splat ? elem : size,
                                                    .splat = splat});
}
NrAttr nr_attr_dense_strings(NrType shaped, const NrStr *strings, size_t count) {
  return attr_get(shaped->ctx, &(struct NrAttrData){
                                   .kind = NR_ATTR_DENSE_STRINGS, .type = shaped, .strings = strings, .size = count});
}
NrAttr nr_attr_resource(NrType shaped, NrStr key, const void *data, size_t size) {
  return attr_get(
      shaped->ctx,
      &(struct NrAttrData){.kind = NR_ATTR_RESOURCE, .type = shaped, .s = key, .data = data, .data_size = size});
}
NrAttr nr_attr_sparse(NrType shaped, NrAttr indices, NrAttr values) {
  return attr_get(shaped->ctx, &(struct NrAttrData){.kind = NR_ATTR_SPARSE,
                                                    .type = shaped,
                                                    .items = (NrAttr[]){indices, values},
                                                    .size = 2});
}
NrAttr nr_attr_dense_array(NrType elem, const void *data, size_t size) {
  return attr_get(elem->ctx,
                  &(struct NrAttrData){.kind = NR_ATTR_DENSE_ARRAY, .type = elem, .data = data, .data_size = size});
}
NrAttr nr_attr_i64_array(NrContext *ctx, const int64_t *values, size_t count) {
  return nr_attr_dense_array(nr_type_i64(ctx), values, count * sizeof *values);
}
NrAttr nr_attr_strided(NrContext *ctx, const int64_t *strides, size_t count, int64_t offset) {
  return attr_get(ctx, &(struct NrAttrData){
                           .kind = NR_ATTR_STRIDED, .strides = strides, .num_strides = count, .offset = offset});
}
NrAttr nr_attr_loc(NrContext *ctx, NrLoc loc) {
  return attr_get(ctx, &(struct NrAttrData){.kind = NR_ATTR_LOC, .loc = loc});
}
NrAttr nr_attr_distinct(NrContext *ctx, NrAttr referenced) {
  /* The running number makes each attribute distinct. */
  return attr_get(ctx,
                  &(struct NrAttrData){
                      .kind = NR_ATTR_DISTINCT, .i = (int64_t)ctx->next_distinct++, .items = &referenced, .size = 1});
}
NrAttr nr_attr_of_dialect(NrContext *ctx, NrAttrKind kind, const NrAttr *params, NrType type) {
  size_t count = nr_type_info_num_params(nr_attr_info(kind));
  return attr_get(ctx, &(struct NrAttrData){.kind = kind, .items = params, .size = count, .type = type});
}
NrAttr nr_attr_opaque(NrContext *ctx, NrStr text, NrType type) {
  return attr_get(ctx, &(struct NrAttrData){.kind = NR_ATTR_OPAQUE, .s = text, .type = type});
}

/* ---- reading ---- */

bool nr_attr_is_int(NrAttr a, int64_t *out) {
  if (!a || a->kind != NR_ATTR_INTEGER || a->num_words) return false;
  if (out) *out = a->i;
  return true;
}

NrAttr nr_dict_get(NrAttr dict, const char *name) {
  if (!dict || dict->kind != NR_ATTR_DICT) return NULL;
  for (size_t i = 0; i < dict->num_named; i++)
    if (nr_str_is(dict->named[i].name, name)) return dict->named[i].value;
  return NULL;
}

NrAttr nr_attr_sparse_to_dense(NrAttr sparse) {
  NrType type = sparse->type, elem = type->elem;
  NrAttr indices = sparse->items[0], values = sparse->items[1];
  size_t elem_size = nr_type_byte_size(elem), size;
  int64_t count, rank = (int64_t)type->rank, numbers = 0, given = 0;
  if (!nr_attr_is_elements(indices) || !nr_attr_is_elements(values) || !elem_size) return NULL;
  if (!nr_type_num_elements(type, &count) || !nr_mul_size((size_t)count, elem_size, &size)) return NULL;
  nr_type_num_elements(indices->type, &numbers);
  nr_type_num_elements(values->type, &given);
  if (size > NR_MAX_DENSIFIED || (rank && numbers != given * rank)) return NULL;
  char *data = nr_calloc(size ? size : 1, 1);
  bool inside = true;
  for (int64_t i = 0; i < given && inside; i++) {
    int64_t at = 0, index = 0;
    for (int64_t d = 0; d < rank && inside; d++) {
      inside = nr_attr_is_int(nr_attr_element(indices, i * rank + d), &index) && index >= 0 && index < type->dims[d];
      at = at * type->dims[d] + index;
    }
    if (inside) memcpy(data + (size_t)at * elem_size, nr_attr_element_ptr(values, i), elem_size);
  }
  NrAttr dense = inside ? nr_attr_dense(type, data, size) : NULL;
  nr_free(data);
  return dense;
}

bool nr_attr_is_elements(NrAttr a) {
  return a && (a->kind == NR_ATTR_DENSE || (a->kind == NR_ATTR_RESOURCE && a->data));
}

const void *nr_attr_element_ptr(NrAttr a, int64_t i) {
  size_t elem = nr_type_byte_size(a->type->elem);
  return (const char *)a->data + (a->splat ? 0 : (size_t)i * elem);
}

NrAttr nr_attr_element(NrAttr a, int64_t i) {
  NrType type = a->type->elem;
  const void *p = nr_attr_element_ptr(a, i);
  size_t size = nr_type_byte_size(type);
  if (type->kind == NR_TYPE_COMPLEX) {
    NrAttr parts[2];
    for (int k = 0; k < 2; k++) {
      uint64_t bits = 0;
      memcpy(&bits, (const char *)p + (size_t)k * size / 2, size / 2);
      parts[k] =
          nr_type_is_float(type->elem) ? nr_attr_float_bits(type->elem, bits) : nr_attr_int(type->elem, (int64_t)bits);
    }
    return nr_attr_array(type->ctx, parts, 2);
  }
  uint64_t words[64] = {0};
  assert(size <= sizeof words);
  memcpy(words, p, size);
  if (nr_type_is_float(type)) return nr_attr_float_bits(type, words[0]);
  return size > 8 ? nr_attr_int_wide(type, words, size / 8) : nr_attr_int(type, (int64_t)words[0]);
}
