/* cache.c - finds the place of a program in the cache. */
#include "driver/cache.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/guard.h"
#include "target/target.h"

struct NrCacheSlot {
  int folder;
  NrHold *hold;
  char *path;  /* of the program; NULL: it is in memory */
  char *base;  /* the real path of the folder that external data is in; NULL: there is none */
  int64_t begun;           /* nr_file_clock, before anything was read */
  NrFileIdentity identity; /* of path, when its digest was made */
  NrDigest contents;       /* of the program's bytes */
  NrDigest key;
};

static void close_folder(void *slot) { close(((NrCacheSlot *)slot)->folder); }

void nr_cache_slot_destroy(NrCacheSlot *slot) {
  if (!slot) return;
  nr_hold_end(slot->hold);
  close_folder(slot);
  nr_free(slot->path);
  nr_free(slot->base);
  nr_free(slot);
}

/* ---- contents of files ------------------------------------------------------------------------------------------ */

static NrDigest digest_of(NrStr a) {
  NrHasher h;
  nr_hasher_init(&h);
  nr_hasher_add_str(&h, a);
  return nr_hasher_end(&h);
}

static bool hash_file(int fd, NrDigest *out) {
  enum { CHUNK = 1 << 20 };
  char *chunk = nr_malloc(CHUNK);
  NrHasher h;
  nr_hasher_init(&h);
  ssize_t n = 1;
  for (off_t at = 0; (n = pread(fd, chunk, CHUNK, at)) > 0; at += n) {
    nr_hasher_add(&h, chunk, (size_t)n);
    nr_poll_slow();
  }
  nr_free(chunk);
  *out = nr_hasher_end(&h);
  return n == 0;
}

/* The digest of a file's bytes is kept in the cache under the digest of its identity, with a sum behind it. */
typedef struct Known {
  NrDigest contents;
  uint64_t sum;
} Known;

static uint64_t sum_of(const NrDigest *digest) {
  NrChecksum sum = NR_CHECKSUM_INIT;
  nr_checksum_add(&sum, digest->bytes, sizeof digest->bytes);
  return nr_checksum_end(&sum);
}

static NrDigest name_of_contents(const NrFileIdentity *identity) {
  NrHasher h;
  nr_hasher_init(&h);
  nr_hasher_add_str(&h, NR_STR("contents"));
  nr_hasher_add(&h, identity->words, sizeof identity->words);
  return nr_hasher_end(&h);
}

static bool read_known(int folder, const NrDigest *name, NrDigest *out) {
  Known known;
  int fd = nr_cache_file_open(folder, name);
  if (fd < 0) return false;
  bool good = pread(fd, &known, sizeof known, 0) == (ssize_t)sizeof known && known.sum == sum_of(&known.contents);
  if (good) *out = known.contents, nr_cache_file_touch(fd);
  close(fd);
  return good;
}

static void write_known(int folder, const NrDigest *name, const NrDigest *contents) {
  Known known = {*contents, sum_of(contents)};
  NrCacheFile file = nr_cache_file_create(folder);
  bool good = file.fd >= 0 && write(file.fd, &known, sizeof known) == (ssize_t)sizeof known;
  nr_cache_file_commit(folder, &file, name, good);
}

static void close_file(void *fd) { close(*(int *)fd); }

static bool find_contents(NrCacheSlot *slot) {
  NrHold *hold = nr_hold(close_file);
  int fd = open(slot->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0) hold->what = &fd;
  bool good = fd >= 0 && nr_file_identity(fd, &slot->identity);
  if (good) {
    NrDigest name = name_of_contents(&slot->identity);
    if (!read_known(slot->folder, &name, &slot->contents)) {
      good = hash_file(fd, &slot->contents);
      if (good && !nr_file_is_recent(&slot->identity, slot->begun)) write_known(slot->folder, &name, &slot->contents);
    }
  }
  nr_hold_end(hold);
  if (fd >= 0) close(fd);
  return good;
}

/* Whether the program is still the one whose digest was made. */
static bool is_unchanged(const NrCacheSlot *slot) {
  NrFileIdentity now;
  NrDigest contents;
  if (!slot->path) return true;
  NrHold *hold = nr_hold(close_file);
  int fd = open(slot->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0) hold->what = &fd;
  bool same = fd >= 0 && nr_file_identity(fd, &now) && !memcmp(now.words, slot->identity.words, sizeof now.words);
  if (same && nr_file_is_recent(&now, slot->begun))
    same = hash_file(fd, &contents) && !memcmp(contents.bytes, slot->contents.bytes, sizeof contents.bytes);
  nr_hold_end(hold);
  if (fd >= 0) close(fd);
  return same;
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

/* The size and the time of a library stand for its version. Their paths do not: two builds may lie at one. */
static bool add_library(NrHasher *h, const char *path) {
  NrFileIdentity id;
  if (!path || !nr_file_identity_at(path, &id)) return false;
  nr_hasher_add(h, id.words + 2, 3 * sizeof id.words[0]);
  return true;
}

static bool add_libraries(NrHasher *h) {
  Dl_info self;
  NrBuf backend = {0};
  nr_codegen_library_path(&backend);
  bool good = dladdr((const void *)&nr_cache_look, &self) && add_library(h, self.dli_fname) &&
              add_library(h, backend.data);
  nr_buf_deinit(&backend);
  return good;
}

static void add_machine(NrHasher *h) {
  NrBuf text = {0};
  nr_target_print(&text, nr_target_host());
  nr_hasher_add_str(h, (NrStr){text.data, text.size});
  nr_buf_deinit(&text);
}

/* All options that change what is compiled. */
static void add_options(NrHasher *h, const NoriaCompileOptions *o, const char *path) {
  const char *texts[] = {o->cpu, o->features, o->entry, o->format, o->shard};
  const int32_t numbers[] = {o->opt_level, o->check_bounds != 0, o->check_input != 0};
  for (size_t i = 0; i < NR_COUNTOF(texts); i++) {
    nr_hasher_add(h, &(char){texts[i] != NULL}, 1);
    nr_hasher_add_str(h, nr_str(texts[i]));
  }
  nr_hasher_add(h, numbers, sizeof numbers);
  nr_hasher_add(h, &o->fold_memory, sizeof o->fold_memory);
  nr_hasher_add(h, &(uint64_t){o->num_shapes}, sizeof(uint64_t));
  for (size_t i = 0; i < o->num_shapes; i++) nr_hasher_add_str(h, nr_str(o->shapes[i]));
  /* Messages and the program's name have the file's, whose ending may say what it is. */
  const char *slash = path ? strrchr(path, '/') : NULL;
  nr_hasher_add_str(h, nr_str(slash ? slash + 1 : path));
  bool is_text = path && !nr_str_ends(nr_str(path), ".onnx");
  nr_hasher_add_str(h, nr_str(is_text ? path : NULL));
}

static bool make_key(NrCacheSlot *slot, const NoriaCompileOptions *options) {
  NrHasher h;
  nr_hasher_init(&h);
  nr_hasher_add_str(&h, nr_str(noria_version()));
  if (!add_libraries(&h)) return false;
  add_machine(&h);
  add_options(&h, options, slot->path);
  nr_hasher_add(&h, slot->contents.bytes, sizeof slot->contents.bytes);
  slot->key = nr_hasher_end(&h);
  return true;
}

static bool is_cacheable(const char *path, const NoriaCompileOptions *o) {
  return o && !o->interpret_after && !o->sanitize && !o->outline_parameters && !(o->cpu && strchr(o->cpu, ',')) &&
         !nr_injection.step && !nr_injection.allocation && !(path && strcmp(path, "-") == 0);
}

static char *copy_text(const char *text) {
  size_t size = text ? strlen(text) + 1 : 0;
  return text ? memcpy(nr_malloc(size), text, size) : NULL;
}

static char *folder_of(const char *path, const char *folder) {
  char *real = path ? nr_file_real_path(path) : folder ? nr_file_real_path(folder) : NULL;
  char *slash = path && real ? strrchr(real, '/') : NULL;
  if (slash) *slash = 0;
  return real;
}

NrCacheSlot *nr_cache_look(const char *path, NrStr data, const char *folder, const NoriaCompileOptions *options) {
  if (!is_cacheable(path, options)) return NULL;
  char *cache = nr_cache_path(options->cache);
  if (!cache) return NULL;
  NrCacheSlot *slot = nr_calloc(1, sizeof *slot);
  slot->hold = nr_hold(close_folder);
  slot->folder = nr_cache_folder_open(cache, NULL);
  nr_free(cache);
  if (slot->folder < 0) {
    nr_hold_end(slot->hold);
    nr_free(slot);
    return NULL;
  }
  slot->hold->what = slot;
  slot->begun = nr_file_clock();
  slot->path = copy_text(path);
  slot->base = folder_of(path, folder);
  if (!path) slot->contents = digest_of(data);
  if ((!path || find_contents(slot)) && make_key(slot, options)) return slot;
  nr_cache_slot_destroy(slot);
  return NULL;
}

/* ---- external data ---------------------------------------------------------------------------------------------- */

typedef struct Externals {
  NR_VEC(NrCacheExternal) files;
  NR_VEC(NrFileIdentity) identities;
  NrArena arena;
} Externals;

static void externals_deinit(Externals *e) {
  nr_vec_deinit(&e->files);
  nr_vec_deinit(&e->identities);
  nr_arena_deinit(&e->arena);
}

static const char *path_of(Externals *e, const NrCacheSlot *slot, const char *name) {
  return nr_arena_printf(&e->arena, "%s/%s", slot->base, name);
}

/* The key of the program with these files. False where one is not as it was, or may yet change without a trace. */
static bool make_external_key(const NrCacheSlot *slot, const Externals *e, NrDigest *out) {
  NrHasher h;
  nr_hasher_init(&h);
  nr_hasher_add(&h, slot->key.bytes, sizeof slot->key.bytes);
  for (size_t i = 0; i < e->files.size; i++) {
    if (nr_file_is_recent(&e->identities.data[i], slot->begun)) return false;
    nr_hasher_add_str(&h, nr_str(e->files.data[i].name));
    nr_hasher_add(&h, e->identities.data[i].words, sizeof e->identities.data[i].words);
  }
  *out = nr_hasher_end(&h);
  return true;
}

static bool add_external(Externals *e, const NrCacheSlot *slot, NrCacheExternal file) {
  NrFileIdentity id;
  if (!nr_file_identity_at(path_of(e, slot, file.name), &id)) return false;
  nr_vec_push(&e->files, file);
  nr_vec_push(&e->identities, id);
  return true;
}

static bool is_own(const NrCacheSlot *slot, NrStr path) { return slot->path && nr_str_is(path, slot->path); }

/* The files that a model maps beside its own. False where one lies elsewhere than below the model's folder. */
static bool collect_externals(const NrCacheSlot *slot, const NrOnnxModel *model, Externals *e) {
  NrOnnxFile file;
  size_t base = slot->base ? strlen(slot->base) : 0;
  for (size_t i = 0; model && nr_onnx_model_file(model, i, &file); i++) {
    if (is_own(slot, file.path)) continue;
    if (!base || file.path.size <= base + 1 || memcmp(file.path.data, slot->base, base) || file.path.data[base] != '/')
      return false;
    NrStr name = {file.path.data + base + 1, file.path.size - base - 1};
    if (!add_external(e, slot, (NrCacheExternal){nr_str_copy(&e->arena, name).data, file.data, file.size}))
      return false;
  }
  return true;
}

/* ---- loading and storing ---------------------------------------------------------------------------------------- */

/* The program's file is that of the slot's key; with external data that file only names the external files. */
static bool load_with_externals(NrCacheSlot *slot, NrStr names, NrCacheEntry *out) {
  Externals e = {0};
  nr_arena_init(&e.arena);
  bool good = slot->base != NULL;
  for (const char *at = names.data; good && at < names.data + names.size; at += strlen(at) + 1)
    good = add_external(&e, slot, (NrCacheExternal){.name = nr_str_copy(&e.arena, nr_str(at)).data});
  NrDigest key;
  bool has_code = false;
  NrStr again;
  nr_cache_entry_deinit(out);
  good = good && make_external_key(slot, &e, &key) &&
         nr_cache_entry_open(slot->folder, &key, out, &again, &has_code) && has_code;
  for (size_t i = 0; good && i < e.files.size; i++)
    good = nr_cache_entry_map(out, path_of(&e, slot, e.files.data[i].name), &e.identities.data[i], &e.files.data[i]);
  good = good && nr_cache_entry_link(out, e.files.data, e.files.size);
  externals_deinit(&e);
  return good;
}

bool nr_cache_load(NrCacheSlot *slot, NrCacheEntry *out) {
  NrStr names;
  bool has_code;
  *out = (NrCacheEntry){0};
  bool good = nr_cache_entry_open(slot->folder, &slot->key, out, &names, &has_code);
  if (good) good = has_code ? nr_cache_entry_link(out, NULL, 0) : load_with_externals(slot, names, out);
  if (!good) nr_cache_entry_deinit(out);
  return good;
}

static void write_entries(NrCacheSlot *slot, const NrCacheContents *contents, const Externals *e) {
  NrDigest key = slot->key;
  NrBuf names = {0};
  for (size_t i = 0; i < e->files.size; i++) {
    const char *name = e->files.data[i].name;
    nr_buf_append(&names, name, strlen(name) + 1);
  }
  bool known = true;
  if (names.size) {
    known = make_external_key(slot, e, &key);
    if (known) nr_cache_entry_write(slot->folder, &slot->key, (NrStr){names.data, names.size}, NULL, NULL, 0);
  }
  if (known) nr_cache_entry_write(slot->folder, &key, (NrStr){0}, contents, e->files.data, e->files.size);
  nr_buf_deinit(&names);
}

void nr_cache_store(NrCacheSlot *slot, const NrCacheContents *contents) {
  Externals e = {0};
  nr_arena_init(&e.arena);
  if (is_unchanged(slot) && collect_externals(slot, contents->model, &e)) {
    write_entries(slot, contents, &e);
    nr_cache_folder_trim(slot->folder, nr_cache_most_bytes());
  }
  externals_deinit(&e);
}
