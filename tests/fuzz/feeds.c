/* feeds.c - see feeds.h. */
#include "feeds.h"

#include <math.h>

#include "base/dtype.h"
#include "random.h"

/* The interpreter is slow. */
enum { MAX_ELEMENTS = 1 << 14, MAX_ITEMS = 3 };

static int64_t size_of_dim(FuzzFeeds *f, const char *name) {
  static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 0};
  bool usual = f->usual_size && fuzz_below(f->random, 8);
  int64_t size = usual ? f->usual_size : sizes[fuzz_below(f->random, NR_COUNTOF(sizes))];
  if (!name || !*name) return size;
  for (size_t i = 0; i < f->num_symbols; i++)
    if (strcmp(f->symbols[i].name, name) == 0) return f->symbols[i].size;
  if (f->num_symbols == NR_COUNTOF(f->symbols)) return size;
  f->symbols[f->num_symbols].name = name;
  f->symbols[f->num_symbols++].size = size;
  return size;
}

uint64_t fuzz_bits(uint64_t *random, NoriaDType dtype, bool wild) {
  static const int64_t edges[] = {INT64_MIN, INT64_MAX, -1, INT32_MIN, 1ll << 32, 1000000};
  static const double special[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1e30, 0.5, -1e9};
  const NrDTypeInfo *info = nr_dtype_info(dtype);
  uint64_t bits = 0;
  if (info->class == NR_DTYPE_BOOL) return fuzz_below(random, 2);
  if (dtype == NORIA_F32 || dtype == NORIA_F64) {
    double d = wild && !fuzz_below(random, 3) ? special[fuzz_below(random, NR_COUNTOF(special))]
                                              : (double)fuzz_below(random, 64) / 8 - 3;
    float f = (float)d;
    if (dtype == NORIA_F32) memcpy(&bits, &f, sizeof f);
    else memcpy(&bits, &d, sizeof d);
    return bits;
  }
  if (info->class == NR_DTYPE_FLOAT || info->class == NR_DTYPE_COMPLEX) return fuzz_random(random);
  if (wild && !fuzz_below(random, 3)) return (uint64_t)edges[fuzz_below(random, NR_COUNTOF(edges))];
  return fuzz_below(random, 6) - (info->class == NR_DTYPE_SIGNED ? 2 : 0);
}

const char *fuzz_word(uint64_t *random) {
  static const char *const words[] = {"", "a", "7", "-1.5", "monday", "nan", "\xc3\xa9", "a long line of words"};
  return words[fuzz_below(random, NR_COUNTOF(words))];
}

static NoriaValue *strings(const int64_t *dims, int64_t rank, int64_t count, uint64_t *random) {
  const char **items = nr_calloc((size_t)count + 1, sizeof *items);
  NoriaValue *value = NULL;
  for (int64_t i = 0; i < count; i++) items[i] = fuzz_word(random);
  NoriaStatus status = noria_tensor_create_strings(rank, dims, items, NULL, &value, NULL);
  nr_free(items);
  return status ? NULL : value;
}

static NoriaValue *tensor(FuzzFeeds *f, const NoriaValueInfo *info) {
  int64_t dims[NORIA_MAX_RANK], count = 1, rank = info->rank < 0 ? (int64_t)fuzz_below(f->random, 4) : info->rank;
  NoriaDType dtype = (NoriaDType)info->dtype;
  for (int64_t i = 0; i < rank; i++) {
    bool open = info->rank < 0 || info->dims[i] < 0;
    dims[i] = open ? size_of_dim(f, info->rank < 0 ? NULL : info->dim_names[i]) : info->dims[i];
    if (!nr_mul_i64(count, dims[i], &count) || count > MAX_ELEMENTS) return NULL;
  }
  if (dtype == NORIA_STRING) return strings(dims, rank, count, f->random);
  size_t size = noria_dtype_size(dtype);
  bool wild = !fuzz_below(f->random, 3);
  unsigned char *data = nr_calloc((size_t)count + 1, size + sizeof(uint64_t));
  for (int64_t i = 0; i < count; i++) {
    uint64_t bits = fuzz_bits(f->random, dtype, wild);
    memcpy(data + (size_t)i * size, &bits, NR_MIN(size, sizeof bits));
  }
  NoriaValue *value = NULL;
  NoriaStatus status = noria_tensor_create(dtype, rank, dims, data, &value, NULL);
  nr_free(data);
  return status ? NULL : value;
}

static NoriaValue *map(FuzzFeeds *f, const NoriaValueInfo *info) {
  int64_t size = (int64_t)fuzz_below(f->random, MAX_ITEMS + 1);
  NoriaValueInfo part = {.name = info->name, .dtype = info->key_dtype, .rank = 1, .dims = &size};
  NoriaValue *keys = tensor(f, &part), *values = NULL, *value = NULL;
  part.dtype = info->dtype;
  values = tensor(f, &part);
  if (keys && values) noria_map_create(keys, values, &value, NULL);
  noria_value_release(keys);
  noria_value_release(values);
  return value;
}

static NoriaValue *value_of(FuzzFeeds *f, const NoriaValueInfo *info, NoriaKind kind) {
  NoriaValue *items[MAX_ITEMS] = {0}, *value = NULL;
  if (kind == NORIA_KIND_TENSOR) return tensor(f, info);
  if (kind == NORIA_KIND_MAP) return map(f, info);
  size_t count = kind == NORIA_KIND_OPTIONAL ? fuzz_below(f->random, 2) : fuzz_below(f->random, MAX_ITEMS + 1);
  NoriaKind item_kind =
      kind == NORIA_KIND_OPTIONAL ? (NoriaKind)info->item_kind : info->key_dtype ? NORIA_KIND_MAP : NORIA_KIND_TENSOR;
  bool made = true;
  for (size_t i = 0; i < count && made; i++) made = (items[i] = value_of(f, info, item_kind)) != NULL;
  if (made && kind == NORIA_KIND_OPTIONAL)
    made = !noria_optional_create(items[0], item_kind, (NoriaDType)info->dtype, &value, NULL);
  else if (made)
    made = !noria_sequence_create((NoriaDType)info->dtype, (const NoriaValue *const *)items, (int64_t)count, &value,
                                  NULL);
  for (size_t i = 0; i < count; i++) noria_value_release(items[i]);
  return made ? value : NULL;
}

NoriaValue *fuzz_feed(FuzzFeeds *f, const NoriaValueInfo *info) { return value_of(f, info, (NoriaKind)info->kind); }
