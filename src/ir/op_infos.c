/* op_infos.c - the table of all op definitions and look-up by name. */
#include "ir/op_info.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define OP(dialect, op, ...) extern const NrOpInfo nr_row_##dialect##_##op;
#include "dialect/all.def"
#undef OP

const NrOpInfo nr_unregistered_op_info = {.id = NR_OP_unregistered, .dialect = "", .name = ""};

const NrOpInfo *const nr_op_infos[] = {
    &nr_unregistered_op_info,
#define OP(dialect, op, ...) &nr_row_##dialect##_##op,
#include "dialect/all.def"
#undef OP
};

/* Current and 2020 names of every op, hashed with open addressing. Built at the first look-up, then read-only. */
enum { TABLE_SIZE = 1 << 13, MAX_DIALECTS = 64, NAME_BYTES = 96 };
_Static_assert(TABLE_SIZE >= 4 * NR_OP_COUNT, "the table must stay sparse");

typedef struct Entry {
  const NrOpInfo *info; /* NULL = free */
  NrStr name;
  bool legacy;
} Entry;

static Entry table[TABLE_SIZE];
static char name_text[NR_OP_COUNT][NAME_BYTES];
static NrStr full_names[NR_OP_COUNT];   /* "scf.for", NUL-terminated */
static NrStr legacy_names[NR_OP_COUNT]; /* the first one, or the full name */
static const char *dialects[MAX_DIALECTS];
static size_t num_dialects;
static pthread_once_t table_once = PTHREAD_ONCE_INIT;
static atomic_bool table_is_there; /* saves the call of call_once */

static void add_entry(Entry e) {
  uint64_t h = nr_hash_bytes(e.name.data, e.name.size);
  while (table[h % TABLE_SIZE].info) h++;
  table[h % TABLE_SIZE] = e;
}

static void add_dialect(const char *name) {
  for (size_t i = 0; i < num_dialects; i++)
    if (strcmp(dialects[i], name) == 0) return;
  assert(num_dialects < MAX_DIALECTS);
  dialects[num_dialects++] = name;
}

static bool is_known(NrStr dialect) {
  for (size_t i = 0; i < num_dialects; i++)
    if (nr_str_is(dialect, dialects[i])) return true;
  return false;
}

/* Cuts the first of "a|b|c" off. */
static NrStr take_spelling(NrStr *rest) {
  const char *bar = memchr(rest->data, '|', rest->size);
  NrStr first = {rest->data, bar ? (size_t)(bar - rest->data) : rest->size};
  size_t used = first.size + (bar != NULL);
  *rest = (NrStr){rest->data + used, rest->size - used};
  return first;
}

/* A name of another dialect. */
static void add_name(const NrOpInfo *info, const char *name) {
  static char dialect_text[MAX_DIALECTS][NAME_BYTES];
  const char *dot = strchr(name, '.');
  assert(dot && dot - name < NAME_BYTES && num_dialects < MAX_DIALECTS);
  add_entry((Entry){info, nr_str(name), false});
  if (is_known((NrStr){name, (size_t)(dot - name)})) return;
  memcpy(dialect_text[num_dialects], name, (size_t)(dot - name));
  add_dialect(dialect_text[num_dialects]);
}

static void build_table(void) {
  full_names[NR_OP_unregistered] = legacy_names[NR_OP_unregistered] = NR_STR("");
  for (size_t id = 1; id < NR_OP_COUNT; id++) {
    const NrOpInfo *info = nr_op_infos[id];
    int size = snprintf(name_text[id], NAME_BYTES, "%s.%s", info->dialect, info->name);
    assert(size > 0 && size < NAME_BYTES);
    full_names[id] = (NrStr){name_text[id], (size_t)size};
    add_entry((Entry){info, full_names[id], false});
    legacy_names[id] = full_names[id];
    for (NrStr rest = nr_str(info->legacy); rest.size;) {
      NrStr spelling = take_spelling(&rest);
      if (spelling.data == info->legacy) legacy_names[id] = spelling;
      add_entry((Entry){info, spelling, true});
    }
    if (info->renamed) add_name(info, info->renamed);
    for (NrStr rest = nr_str(info->also); rest.size;) add_entry((Entry){info, take_spelling(&rest), false});
    add_dialect(info->dialect);
  }
  add_dialect("std"); /* dialects of the 2020 syntax only */
  add_dialect("loop");
  atomic_store_explicit(&table_is_there, true, memory_order_release);
}

static inline void need_table(void) {
  if (!atomic_load_explicit(&table_is_there, memory_order_acquire)) pthread_once(&table_once, build_table);
}

static const Entry *find_entry(NrStr name) {
  for (uint64_t h = nr_hash_bytes(name.data, name.size); table[h % TABLE_SIZE].info; h++)
    if (nr_str_eq(table[h % TABLE_SIZE].name, name)) return &table[h % TABLE_SIZE];
  return NULL;
}

NrStr nr_op_info_name(const NrOpInfo *info) {
  need_table();
  return full_names[info->id];
}

NrStr nr_op_info_legacy_name(const NrOpInfo *info) {
  need_table();
  return legacy_names[info->id];
}

const char *nr_op_info_missing_in_2020(const NrOpInfo *info) {
  static const struct {
    const char *name, *of_2020;
  } renamed[] = {
#define DIALECT(name, of_2020) {#name, of_2020},
#include "dialect/since_2020.def"
#undef DIALECT
  };
  if (info->legacy) return NULL;
  if (info->since_2020) return info->dialect;
  for (size_t i = 0; i < NR_COUNTOF(renamed); i++)
    if (strcmp(info->dialect, renamed[i].name) == 0) return renamed[i].of_2020;
  return NULL;
}

const NrOpInfo *nr_op_info_find(NrStr name, bool *out_legacy) {
  need_table();
  const Entry *e = find_entry(name);
  /* In 2020 the prefix of the standard dialect was optional: "std.addf" is `addf`. */
  if (!e && nr_str_starts(name, "std.")) {
    NrStr rest = {name.data + 4, name.size - 4};
    if (!memchr(rest.data, '.', rest.size)) e = find_entry(rest);
  }
  if (out_legacy) *out_legacy = e && e->legacy;
  return e ? e->info : NULL;
}

bool nr_dialect_exists(NrStr dialect) {
  need_table();
  return is_known(dialect);
}

NrStr nr_op_info_suggest(NrStr name) {
  need_table();
  NrNearest nearest = nr_nearest(name);
  for (size_t i = 0; i < TABLE_SIZE; i++)
    if (table[i].info) nr_nearest_try(&nearest, table[i].name);
  return nearest.best;
}
