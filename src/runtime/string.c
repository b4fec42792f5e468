/* string.c - the elements of string tensors: immutable bytes with a reference count that is safe to change anywhere. */
#include "runtime/internal.h"

#include <stdlib.h>

NoriaString *nr_string_join(const char *a, size_t a_size, const char *b, size_t b_size) {
  size_t size, bytes;
  if (!nr_add_size(a_size, b_size, &size) || !nr_add_size(size, sizeof(NoriaString) + 1, &bytes)) return NULL;
  NoriaString *s = malloc(bytes);
  if (!s) return NULL;
  s->refs = 1;
  s->size = (int64_t)size;
  if (a_size) memcpy(s->data, a, a_size);
  if (b_size) memcpy(s->data + a_size, b, b_size);
  s->data[size] = 0;
  return s;
}

NoriaString *nr_string_new(const char *data, size_t size) { return nr_string_join(data, size, NULL, 0); }

NoriaString *nr_string_retain(NoriaString *string) {
  if (__atomic_load_n(&string->refs, __ATOMIC_RELAXED) == 0) return nr_string_new(string->data, (size_t)string->size);
  __atomic_fetch_add(&string->refs, 1, __ATOMIC_RELAXED);
  return string;
}

int nr_string_order(const NoriaString *a, const NoriaString *b) {
  int order = memcmp(a->data, b->data, (size_t)NR_MIN(a->size, b->size));
  return order ? order : (a->size > b->size) - (a->size < b->size);
}

void nr_string_release(NoriaString *string) {
  if (!string || __atomic_load_n(&string->refs, __ATOMIC_RELAXED) == 0) return;
  if (__atomic_fetch_sub(&string->refs, 1, __ATOMIC_ACQ_REL) == 1) free(string);
}
