/* map.c - open-addressing hash maps from pointers and from strings. Removal shifts the run back, so there are no
 * tombstones and a map that is filled and emptied again stays fast. */
#include "base/guard.h"

struct NrMapSlot {
  const void *key;
  void *value;
};

/* The low bits choose the slot, and a product's low bits do not depend on the key's high bits. Keys in an arena have
 * equal distances, which after one product make a few long runs: two rounds spread them. */
static uint64_t hash_pointer(const void *p) {
  uint64_t h = nr_hash_mix(0, (uint64_t)(uintptr_t)p >> 3);
  return (h ^ h >> 29) * 0xbf58476d1ce4e5b9ull >> 32;
}

void nr_map_deinit(NrMap *map) {
  nr_free(map->slots);
  *map = (NrMap){0};
}

void nr_map_clear(NrMap *map) {
  if (map->slots) memset(map->slots, 0, map->capacity * sizeof *map->slots);
  map->size = 0;
}

static struct NrMapSlot *map_find(const NrMap *map, const void *key) {
  size_t mask = map->capacity - 1;
  for (size_t i = hash_pointer(key) & mask;; i = (i + 1) & mask)
    if (!map->slots[i].key || map->slots[i].key == key) return &map->slots[i];
}

/* Polls, because long work uses maps often. */
void nr_map_set(NrMap *map, const void *key, void *value) {
  nr_poll();
  assert(key);
  if ((map->size + 1) * 4 > map->capacity * 3) {
    NrMap bigger = {.capacity = map->capacity ? map->capacity * 2 : 16};
    bigger.slots = nr_calloc(bigger.capacity, sizeof *bigger.slots);
    bigger.size = map->size;
    for (size_t i = 0; i < map->capacity; i++)
      if (map->slots[i].key) *map_find(&bigger, map->slots[i].key) = map->slots[i];
    nr_free(map->slots);
    *map = bigger;
  }
  struct NrMapSlot *slot = map_find(map, key);
  map->size += !slot->key;
  slot->key = key;
  slot->value = value;
}

void *nr_map_get(const NrMap *map, const void *key) {
  nr_poll();
  return map->size ? map_find(map, key)->value : NULL;
}
bool nr_map_has(const NrMap *map, const void *key) { return map->size && map_find(map, key)->key; }

bool nr_map_remove(NrMap *map, const void *key) {
  if (!map->size) return false;
  struct NrMapSlot *slot = map_find(map, key);
  if (!slot->key) return false;
  size_t mask = map->capacity - 1, hole = (size_t)(slot - map->slots);
  for (size_t i = (hole + 1) & mask; map->slots[i].key; i = (i + 1) & mask) {
    size_t home = hash_pointer(map->slots[i].key) & mask;
    if (((i - home) & mask) < ((i - hole) & mask)) continue;
    map->slots[hole] = map->slots[i];
    hole = i;
  }
  map->slots[hole] = (struct NrMapSlot){0};
  map->size--;
  return true;
}

struct NrStrMapSlot {
  NrStr key;
  void *value;
  uint64_t hash; /* 0 = free slot */
};

static uint64_t hash_key(NrStr key) { return nr_hash_bytes(key.data, key.size) | 1; }

void nr_strmap_deinit(NrStrMap *map) {
  nr_free(map->slots);
  *map = (NrStrMap){0};
}

void nr_strmap_clear(NrStrMap *map) {
  if (map->slots) memset(map->slots, 0, map->capacity * sizeof *map->slots);
  map->size = 0;
}

static struct NrStrMapSlot *strmap_find(const NrStrMap *map, NrStr key, uint64_t hash) {
  size_t mask = map->capacity - 1;
  for (size_t i = (hash >> 1) & mask;; i = (i + 1) & mask) {
    struct NrStrMapSlot *slot = &map->slots[i];
    if (!slot->hash || (slot->hash == hash && nr_str_eq(slot->key, key))) return slot;
  }
}

/* The slot of key, or a free slot for it. */
static struct NrStrMapSlot *strmap_slot(NrStrMap *map, NrStr key, uint64_t hash) {
  if ((map->size + 1) * 4 > map->capacity * 3) {
    NrStrMap bigger = {.capacity = map->capacity ? map->capacity * 2 : 16};
    bigger.slots = nr_calloc(bigger.capacity, sizeof *bigger.slots);
    bigger.size = map->size;
    for (size_t i = 0; i < map->capacity; i++)
      if (map->slots[i].hash) *strmap_find(&bigger, map->slots[i].key, map->slots[i].hash) = map->slots[i];
    nr_free(map->slots);
    *map = bigger;
  }
  return strmap_find(map, key, hash);
}

void nr_strmap_set(NrStrMap *map, NrStr key, void *value) {
  uint64_t hash = hash_key(key);
  struct NrStrMapSlot *slot = strmap_slot(map, key, hash);
  map->size += !slot->hash;
  *slot = (struct NrStrMapSlot){key, value, hash};
}

void *nr_strmap_add(NrStrMap *map, NrStr key, void *value) {
  uint64_t hash = hash_key(key);
  struct NrStrMapSlot *slot = strmap_slot(map, key, hash);
  if (slot->hash) return slot->value;
  map->size++;
  *slot = (struct NrStrMapSlot){key, value, hash};
  return NULL;
}

void *nr_strmap_get(const NrStrMap *map, NrStr key) {
  return map->size ? strmap_find(map, key, hash_key(key))->value : NULL;
}

bool nr_strmap_has(const NrStrMap *map, NrStr key) { return map->size && strmap_find(map, key, hash_key(key))->hash; }

bool nr_strmap_remove(NrStrMap *map, NrStr key) {
  if (!map->size) return false;
  struct NrStrMapSlot *slot = strmap_find(map, key, hash_key(key));
  if (!slot->hash) return false;
  size_t mask = map->capacity - 1, hole = (size_t)(slot - map->slots);
  for (size_t i = (hole + 1) & mask; map->slots[i].hash; i = (i + 1) & mask) {
    size_t home = (map->slots[i].hash >> 1) & mask;
    if (((i - home) & mask) < ((i - hole) & mask)) continue;
    map->slots[hole] = map->slots[i];
    hole = i;
  }
  map->slots[hole] = (struct NrStrMapSlot){0};
  map->size--;
  return true;
}
