/* imports_string.c - element-wise work on string tensors for compiled code. Signatures: base/imports.def. */
#include "runtime/imports.h"

#include <stdlib.h>

#include "base/murmur.h"

bool nr_put_string(NrExec *e, NoriaString **to, const char *data, size_t size) {
  *to = nr_string_new(data, size);
  if (*to) return nr_exec_hold_string(e, *to);
  nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "the system has no memory for a string");
  return false;
}

/* ---- pairs of elements, with NumPy's broadcasting ---------------------------------------------------------------- */

typedef struct Pairs {
  int64_t rank, dims[NORIA_MAX_RANK], a_stride[NORIA_MAX_RANK], b_stride[NORIA_MAX_RANK];
  int64_t index[NORIA_MAX_RANK], a, b; /* where the walk is */
} Pairs;

static bool pairs_init(NrExec *e, int32_t site, const NoriaDesc *a, const NoriaDesc *b, Pairs *p) {
  *p = (Pairs){.rank = NR_MAX(a->rank, b->rank)};
  int64_t a_step = 1, b_step = 1;
  for (int64_t d = p->rank - 1; d >= 0; d--) {
    int64_t ad = d - (p->rank - a->rank), bd = d - (p->rank - b->rank);
    int64_t m = ad >= 0 ? a->dims[ad] : 1, n = bd >= 0 ? b->dims[bd] : 1;
    if (m != n && m != 1 && n != 1) {
      nr_exec_fail(e, NORIA_ERROR_FAILED, site, "dims %lld and %lld do not broadcast", (long long)m, (long long)n);
      return false;
    }
    p->dims[d] = m == 1 ? n : m;
    p->a_stride[d] = m == 1 ? 0 : a_step;
    p->b_stride[d] = n == 1 ? 0 : b_step;
    a_step *= m;
    b_step *= n;
  }
  return true;
}

static void pairs_next(Pairs *p) {
  for (int64_t d = p->rank - 1; d >= 0; d--) {
    p->a += p->a_stride[d];
    p->b += p->b_stride[d];
    if (++p->index[d] < p->dims[d]) return;
    p->a -= p->a_stride[d] * p->dims[d];
    p->b -= p->b_stride[d] * p->dims[d];
    p->index[d] = 0;
  }
}

int32_t nr_import_string_equal(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  Pairs p;
  if (!pairs_init(e, nr_arg_i32(&args[0]), &args[1], &args[2], &p)) return 1;
  if (nr_result_tensor(e, &results[0], NORIA_BOOL, p.rank, p.dims)) return 1;
  NoriaString *const *a = args[1].data, *const *b = args[2].data;
  uint8_t *equal = results[0].data;
  for (int64_t i = 0, n = nr_desc_count(&results[0]); i < n; i++, pairs_next(&p)) {
    if (nr_import_stopped(e, i)) return 1;
    const NoriaString *s = a[p.a], *t = b[p.b];
    equal[i] = s == t || (s->size == t->size && memcmp(s->data, t->data, (size_t)s->size) == 0);
  }
  return 0;
}

int32_t nr_import_string_concat(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  Pairs p;
  if (!pairs_init(e, nr_arg_i32(&args[0]), &args[1], &args[2], &p)) return 1;
  if (nr_result_tensor(e, &results[0], NORIA_STRING, p.rank, p.dims)) return 1;
  NoriaString *const *a = args[1].data, *const *b = args[2].data, **joined = results[0].data;
  for (int64_t i = 0, n = nr_desc_count(&results[0]); i < n; i++, pairs_next(&p)) {
    if (nr_import_stopped(e, i)) return 1;
    const NoriaString *s = a[p.a], *t = b[p.b];
    if (!(joined[i] = nr_string_join(s->data, (size_t)s->size, t->data, (size_t)t->size)))
      return nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "the system has no memory for a string");
    if (!nr_exec_hold_string(e, joined[i])) return 1;
  }
  return 0;
}

int32_t nr_import_string_find(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  int64_t num_keys = nr_desc_count(&args[0]), n = nr_desc_count(&args[1]);
  if (nr_result_tensor(e, &results[0], NORIA_I64, 1, &n)) return 1;
  NoriaString *const *keys = args[0].data, *const *x = args[1].data;
  int64_t *places = results[0].data;
  for (int64_t i = 0; i < n; i++) {
    if (nr_import_stopped(e, i)) return 1;
    int64_t low = 0, high = num_keys;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (nr_string_order(keys[middle], x[i]) < 0) low = middle + 1;
      else high = middle;
    }
    places[i] = low < num_keys && nr_string_order(keys[low], x[i]) == 0 ? low : num_keys;
  }
  return 0;
}

static int order_entries(const void *a, const void *b) {
  return nr_string_order(*(NoriaString *const *)a, *(NoriaString *const *)b);
}

int32_t nr_import_string_rank(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  int64_t n = nr_desc_count(&args[0]), num_keys = 0;
  if (nr_result_tensor(e, &results[0], NORIA_I64, 1, &n)) return 1;
  NoriaString *const *x = args[0].data, **keys = malloc((size_t)n * sizeof *keys + 1);
  if (!keys) return nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "the system has no memory for %lld strings", (long long)n);
  if (n) memcpy(keys, x, (size_t)n * sizeof *keys);
  qsort(keys, (size_t)n, sizeof *keys, order_entries);
  for (int64_t i = 0; i < n; i++)
    if (!num_keys || nr_string_order(keys[num_keys - 1], keys[i])) keys[num_keys++] = keys[i];
  int64_t *ranks = results[0].data, i = 0;
  for (; i < n && !nr_import_stopped(e, i); i++)
    ranks[i] = (NoriaString **)bsearch(&x[i], keys, (size_t)num_keys, sizeof *keys, order_entries) - keys;
  free(keys);
  return i < n ? 1 : 0;
}

int32_t nr_import_string_hash(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  if (nr_result_tensor(e, &results[0], NORIA_I32, args[1].rank, args[1].dims)) return 1;
  uint32_t seed = (uint32_t)nr_arg_i32(&args[0]), *hashes = results[0].data;
  NoriaString *const *x = args[1].data;
  for (int64_t i = 0, n = nr_desc_count(&args[1]); i < n; i++) {
    if (nr_import_stopped(e, i)) return 1;
    hashes[i] = nr_murmur_hash(x[i]->data, (size_t)x[i]->size, seed);
  }
  return 0;
}
