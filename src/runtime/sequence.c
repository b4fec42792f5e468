/* sequence.c - sequences and optionals.
 *
 * A sequence is a slice of an NrItems block that other sequences may share. Inserting at the end of the slice, when
 * the block's items end there too, adds an item to the block and changes nobody else's slice: so a loop that carries
 * a sequence and appends to it pays O(1) per trip, whoever holds the older ones. All other edits are in place when
 * the block has one owner and copy the references otherwise. */
#include "runtime/internal.h"

#include <stdlib.h>

static NrItems *items_new(int64_t capacity) {
  size_t bytes;
  if (!nr_mul_size((size_t)capacity, sizeof(NoriaValue *), &bytes) || !nr_add_size(bytes, sizeof(NrItems), &bytes))
    return NULL;
  NrItems *items = malloc(bytes);
  if (!items) return NULL;
  atomic_init(&items->refs, 1);
  atomic_init(&items->used, 0);
  items->capacity = capacity;
  return items;
}

void nr_items_release(NrItems *items) {
  if (!items || atomic_fetch_sub_explicit(&items->refs, 1, memory_order_acq_rel) != 1) return;
  int64_t used = atomic_load_explicit(&items->used, memory_order_relaxed);
  for (int64_t i = 0; i < used; i++) noria_value_release(items->at[i]);
  free(items);
}

NoriaValue *nr_handle_new(NoriaKind kind, NoriaDType dtype) {
  NoriaValue *v = calloc(1, sizeof(NoriaValue));
  if (!v) return NULL;
  atomic_init(&v->refs, 1);
  v->kind = (uint8_t)kind;
  v->dtype = dtype;
  return v;
}

NoriaValue *nr_sequence_new(NoriaDType dtype) { return nr_handle_new(NORIA_KIND_SEQUENCE, dtype); }

NoriaValue *nr_handle_copy(const NoriaValue *handle) {
  NoriaValue *v = nr_handle_new((NoriaKind)handle->kind, handle->dtype);
  if (!v) return NULL;
  v->key_dtype = handle->key_dtype;
  if (handle->kind == NORIA_KIND_OPTIONAL) {
    v->item_kind = handle->item_kind;
    v->as.item = noria_value_retain(handle->as.item);
  } else if (handle->kind == NORIA_KIND_MAP) {
    v->as.map.keys = noria_value_retain(handle->as.map.keys);
    v->as.map.values = noria_value_retain(handle->as.map.values);
  } else {
    v->as.sequence = handle->as.sequence;
    if (v->as.sequence.items) atomic_fetch_add_explicit(&v->as.sequence.items->refs, 1, memory_order_relaxed);
  }
  return v;
}

/* ---- edits ------------------------------------------------------------------------------------------------------ */

/* Gives the sequence a block of its own with room for as many items again. */
static bool own_copy(NoriaValue *sequence) {
  NrItems *old = sequence->as.sequence.items;
  int64_t length = sequence->as.sequence.length, first = sequence->as.sequence.first;
  NrItems *fresh = items_new(NR_MAX(2 * length, (int64_t)4));
  if (!fresh) return false;
  for (int64_t i = 0; i < length; i++) fresh->at[i] = noria_value_retain(old->at[first + i]);
  atomic_init(&fresh->used, length);
  sequence->as.sequence.items = fresh;
  sequence->as.sequence.first = 0;
  nr_items_release(old);
  return true;
}

/* When no other sequence sees the block: lets go of what lies after the slice, and says true. */
static bool own_block(NoriaValue *sequence) {
  NrItems *items = sequence->as.sequence.items;
  if (!items || atomic_load_explicit(&items->refs, memory_order_acquire) != 1) return false;
  int64_t end = sequence->as.sequence.first + sequence->as.sequence.length;
  int64_t used = atomic_load_explicit(&items->used, memory_order_relaxed);
  for (int64_t i = end; i < used; i++) noria_value_release(items->at[i]);
  atomic_store_explicit(&items->used, end, memory_order_relaxed);
  return true;
}

static bool append(NoriaValue *sequence, NoriaValue *item) {
  own_block(sequence);
  for (;;) {
    NrItems *items = sequence->as.sequence.items;
    int64_t end = sequence->as.sequence.first + sequence->as.sequence.length, expected = end;
    /* Two sequences that end at the same place may append at once: one moves `used`, the other copies. */
    if (items && end < items->capacity &&
        atomic_compare_exchange_strong_explicit(&items->used, &expected, end + 1, memory_order_relaxed,
                                                memory_order_relaxed)) {
      items->at[end] = item;
      sequence->as.sequence.length++;
      return true;
    }
    if (!own_copy(sequence)) return false;
  }
}

static bool insert_before(NoriaValue *sequence, int64_t position, NoriaValue *item) {
  if (!own_block(sequence) && !own_copy(sequence)) return false;
  int64_t end = sequence->as.sequence.first + sequence->as.sequence.length;
  if (end == sequence->as.sequence.items->capacity && !own_copy(sequence)) return false;
  NrItems *items = sequence->as.sequence.items;
  int64_t at = sequence->as.sequence.first + position;
  end = sequence->as.sequence.first + sequence->as.sequence.length++;
  memmove(items->at + at + 1, items->at + at, (size_t)(end - at) * sizeof(NoriaValue *));
  items->at[at] = item;
  atomic_store_explicit(&items->used, end + 1, memory_order_relaxed);
  return true;
}

bool nr_sequence_insert(NoriaValue *sequence, int64_t position, NoriaValue *item) {
  bool ok = position == sequence->as.sequence.length ? append(sequence, item) : insert_before(sequence, position, item);
  if (!ok) noria_value_release(item);
  return ok;
}

bool nr_sequence_erase(NoriaValue *sequence, int64_t position) {
  int64_t last = sequence->as.sequence.length - 1;
  bool mine = own_block(sequence);
  if (!mine && position > 0 && position < last) {
    if (!own_copy(sequence)) return false;
    mine = true;
  }
  /* The items at the ends go by narrowing the slice. */
  NrItems *items = sequence->as.sequence.items;
  int64_t at = sequence->as.sequence.first + position, end = at - position + last;
  if (mine) {
    noria_value_release(items->at[at]);
    items->at[at] = NULL;
    if (position > 0) {
      memmove(items->at + at, items->at + at + 1, (size_t)(end - at) * sizeof(NoriaValue *));
      atomic_store_explicit(&items->used, end, memory_order_relaxed);
    }
  }
  if (position == 0) sequence->as.sequence.first++;
  sequence->as.sequence.length--;
  return true;
}

/* ---- the public face -------------------------------------------------------------------------------------------- */

static const char *item_name(const NoriaValue *item) {
  return item->kind == NORIA_KIND_TENSOR ? "a tensor"
         : item->key_dtype == NORIA_I64  ? "a map from integers"
                                         : "a map from strings";
}

NoriaStatus noria_sequence_create(NoriaDType dtype, const NoriaValue *const *items, int64_t count,
                                  NoriaValue **out_value, NoriaError *error) {
  *out_value = NULL;
  if (noria_dtype_size(dtype) == 0)
    return nr_error_set(error, NORIA_ERROR_INVALID, "%d is not an element type", (int)dtype);
  if (count < 0 || (count > 0 && !items)) return nr_error_set(error, NORIA_ERROR_INVALID, "the items are missing");
  for (int64_t i = 0; i < count; i++) {
    if (!items[i] || (items[i]->kind != NORIA_KIND_TENSOR && items[i]->kind != NORIA_KIND_MAP))
      return nr_error_set(error, NORIA_ERROR_INVALID, "item %lld of the sequence is neither a tensor nor a map",
                          (long long)i);
    if (items[i]->key_dtype != items[0]->key_dtype)
      return nr_error_set(error, NORIA_ERROR_INVALID, "items 0 and %lld of the sequence are %s and %s", (long long)i,
                          item_name(items[0]), item_name(items[i]));
    if (items[i]->dtype != dtype)
      return nr_error_set(error, NORIA_ERROR_INVALID, "item %lld is %s in a sequence of %s", (long long)i,
                      noria_dtype_name(items[i]->dtype), noria_dtype_name(dtype));
  }
  NoriaValue *v = nr_sequence_new(dtype);
  if (!v) return nr_error_set_memory(error, sizeof(NoriaValue));
  if (count > 0 && !(v->as.sequence.items = items_new(count))) {
    noria_value_release(v);
    return nr_error_set_memory(error, (size_t)count * sizeof(NoriaValue *));
  }
  for (int64_t i = 0; i < count; i++) v->as.sequence.items->at[i] = noria_value_retain(items[i]);
  if (count > 0) v->key_dtype = items[0]->key_dtype;
  if (count > 0) atomic_init(&v->as.sequence.items->used, count);
  v->as.sequence.length = count;
  *out_value = v;
  return NORIA_OK;
}

int64_t noria_sequence_length(const NoriaValue *sequence) {
  return sequence->kind == NORIA_KIND_SEQUENCE ? sequence->as.sequence.length : 0;
}

const NoriaValue *noria_sequence_at(const NoriaValue *sequence, int64_t index) {
  if (index < 0 || index >= noria_sequence_length(sequence)) return NULL;
  return sequence->as.sequence.items->at[sequence->as.sequence.first + index];
}

NoriaValue *nr_optional_new(NoriaValue *item, NoriaKind kind, NoriaDType dtype) {
  NoriaValue *v = nr_handle_new(NORIA_KIND_OPTIONAL, item ? item->dtype : dtype);
  if (!v) {
    noria_value_release(item);
    return NULL;
  }
  v->item_kind = item ? item->kind : (uint8_t)kind;
  v->key_dtype = item ? item->key_dtype : 0;
  v->as.item = item;
  return v;
}

NoriaStatus noria_optional_create(const NoriaValue *item, NoriaKind kind, NoriaDType dtype, NoriaValue **out_value,
                                  NoriaError *error) {
  *out_value = NULL;
  if (item) {
    kind = noria_value_kind(item);
    dtype = item->dtype;
  }
  if (kind != NORIA_KIND_TENSOR && kind != NORIA_KIND_SEQUENCE && kind != NORIA_KIND_MAP)
    return nr_error_set(error, NORIA_ERROR_INVALID, "an optional holds a tensor, a sequence or a map");
  if (noria_dtype_size(dtype) == 0)
    return nr_error_set(error, NORIA_ERROR_INVALID, "%d is not an element type", (int)dtype);
  if (!(*out_value = nr_optional_new(noria_value_retain(item), kind, dtype)))
    return nr_error_set_memory(error, sizeof(NoriaValue));
  return NORIA_OK;
}

const NoriaValue *noria_optional_item(const NoriaValue *optional) {
  return optional->kind == NORIA_KIND_OPTIONAL ? optional->as.item : NULL;
}

NoriaKind noria_optional_item_kind(const NoriaValue *optional) {
  return optional->kind == NORIA_KIND_OPTIONAL ? (NoriaKind)optional->item_kind : NORIA_KIND_TENSOR;
}
