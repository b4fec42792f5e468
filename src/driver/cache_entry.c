/* cache_entry.c - a file of the cache: a program's objects and constants, or the names of its external files.
 *
 *   Header | names, diagnostics, types | Slice of each object, of each constant | objects and constants, each at a
 *   multiple of 64 bytes
 *
 * The header has the file's size and a checksum of all else. The file is in this machine's byte order: the key
 * says which machine that is. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/new_file.h"
#include "driver/cache.h"
#include "driver/cache_sum.h"

enum { ALIGN = 64, IN_FILE = -1, PARAMETER = -2 };
static const char magic[8] = "NORIAC2";

typedef struct Header {
  char magic[8];
  uint64_t size, sum;
  uint64_t names, diagnostics, types; /* bytes */
  uint64_t objects, constants;        /* how many */
} Header;

_Static_assert(sizeof(Header) == ALIGN, "what is behind the header is aligned");

typedef struct Slice {
  uint64_t at, size;
  int64_t file; /* IN_FILE, PARAMETER or the number of an external file */
} Slice;

/* The sum so far: of the header, but for the sum in it. */
static NrCacheSum begin_sum(Header h) {
  h.sum = 0;
  return nr_cache_sum_begin(&h, sizeof h);
}

/* ---- maps ------------------------------------------------------------------------------------------------------- */

typedef struct NrCacheMap {
  struct NrCacheMap *next;
  NrHold *hold;
  const char *data;
  size_t size;
} Map;

static void unmap(void *map) {
  Map *m = map;
  if (m->size) munmap((void *)m->data, m->size);
}

static void close_file(void *fd) { close(*(int *)fd); }

/* Maps a file, which the entry owns, and closes it. NULL when that is not possible. */
static Map *map_file(NrCacheEntry *entry, int fd) {
  struct stat about;
  NrHold *hold = nr_hold(close_file);
  if (fd >= 0) hold->what = &fd;
  Map *m = nr_calloc(1, sizeof *m);
  m->hold = nr_hold(unmap);
  bool good = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0;
  void *data = good ? mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  if (fd >= 0) close(fd);
  hold->what = NULL;
  nr_hold_end(hold);
  if (data != MAP_FAILED) m->data = data, m->size = (size_t)about.st_size;
  m->hold->what = m;
  m->next = entry->maps;
  entry->maps = m;
  return m->size ? m : NULL;
}

void nr_cache_entry_deinit(NrCacheEntry *entry) {
  nr_compiled_destroy(entry->code);
  while (entry->maps) {
    Map *m = entry->maps;
    entry->maps = m->next;
    nr_hold_end(m->hold);
    unmap(m);
    nr_free(m);
  }
  *entry = (NrCacheEntry){0};
}

bool nr_cache_entry_map(NrCacheEntry *entry, const char *path, const NrFileIdentity *identity, NrCacheExternal *out) {
  NrFileIdentity now;
  Map *m = map_file(entry, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!m || !nr_file_identity_at(path, &now) || memcmp(now.words, identity->words, sizeof now.words)) return false;
  out->data = m->data;
  out->size = m->size;
  return true;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static uint64_t aligned(uint64_t size) { return (size + ALIGN - 1) / ALIGN * ALIGN; }

/* Takes size bytes at *io_at of the file. */
static const void *take(const Map *m, uint64_t *io_at, uint64_t size) {
  if (*io_at > m->size || size > m->size - *io_at) return NULL;
  *io_at += size;
  return m->data + (*io_at - size);
}

typedef struct Layout {
  NrStr names, diagnostics, types;
  const Slice *objects, *constants;
} Layout;

static bool take_text(const Map *m, uint64_t *io_at, uint64_t size, NrStr *out) {
  *out = (NrStr){take(m, io_at, size), size};
  return out->data != NULL;
}

/* Where the parts of the file are, as far as its size allows them. */
static bool lay_out(const Map *m, const Header *h, Layout *out) {
  uint64_t at = sizeof *h, most = m->size / sizeof(Slice);
  if (!take_text(m, &at, h->names, &out->names) || !take_text(m, &at, h->diagnostics, &out->diagnostics) ||
      !take_text(m, &at, h->types, &out->types) || h->objects > most || h->constants > most)
    return false;
  if (h->names && out->names.data[h->names - 1]) return false;
  at = aligned(at);
  out->objects = take(m, &at, h->objects * sizeof(Slice));
  out->constants = take(m, &at, h->constants * sizeof(Slice));
  return out->objects && out->constants;
}

bool nr_cache_entry_open(int folder, const NrDigest *key, NrCacheEntry *out, NrStr *out_names, bool *out_has_code) {
  int fd = nr_cache_file_open(folder, key);
  if (fd < 0) return false;
  nr_cache_file_touch(fd);
  const Map *m = map_file(out, fd);
  const Header *h = m ? (const Header *)m->data : NULL;
  if (!h || m->size < sizeof *h || m->size % ALIGN || memcmp(h->magic, magic, sizeof magic) || h->size != m->size)
    return false;
  NrCacheSum sum = begin_sum(*h);
  nr_cache_sum_add_shared(&sum, m->data + sizeof *h, m->size - sizeof *h, nr_machine_cpus());
  Layout layout;
  if (nr_cache_sum_end(&sum) != h->sum || !lay_out(m, h, &layout)) return false;
  out->diagnostics = layout.diagnostics;
  out->types = layout.types;
  *out_names = layout.names;
  *out_has_code = h->objects > 0;
  return true;
}

static bool find_slice(const Map *m, const NrCacheExternal *files, size_t num_files, const Slice *s,
                       const void **out_data) {
  *out_data = NULL;
  if (s->file == PARAMETER) return true;
  if (s->file != IN_FILE && (s->file < 0 || (uint64_t)s->file >= num_files)) return false;
  const char *data = s->file == IN_FILE ? m->data : files[s->file].data;
  size_t size = s->file == IN_FILE ? m->size : files[s->file].size;
  if (s->at % ALIGN || s->at > size || s->size > size - s->at) return false;
  *out_data = data + s->at;
  return true;
}

/* The file with the code is the one that was mapped first. */
static const Map *code_of(const NrCacheEntry *entry) {
  const Map *m = entry->maps;
  while (m->next) m = m->next;
  return m;
}

/* The errors of linking go to a context of their own and are dropped with it: where linking fails, the program is
 * compiled instead. */
static bool link_parts(NrCacheEntry *entry, const NrCodeParts *parts) {
  NrContext *ctx = nr_context_create();
  bool good = nr_codegen_link(ctx, parts, &entry->code) == NR_OK;
  nr_context_destroy(ctx);
  return good;
}

bool nr_cache_entry_link(NrCacheEntry *entry, const NrCacheExternal *files, size_t num_files) {
  const Map *m = code_of(entry);
  const Header *h = (const Header *)m->data;
  Layout layout;
  if (!lay_out(m, h, &layout)) return false;
  NrStr *objects = nr_calloc(h->objects, sizeof *objects);
  NrCodeRegion *constants = nr_calloc(h->constants, sizeof *constants);
  bool good = true;
  for (size_t i = 0; good && i < h->objects; i++) {
    const void *data;
    good = layout.objects[i].file == IN_FILE && find_slice(m, files, num_files, &layout.objects[i], &data);
    if (good) objects[i] = (NrStr){data, layout.objects[i].size};
  }
  for (size_t i = 0; good && i < h->constants; i++) {
    constants[i].size = layout.constants[i].size;
    good = find_slice(m, files, num_files, &layout.constants[i], &constants[i].data);
  }
  good = good && link_parts(entry, &(NrCodeParts){objects, h->objects, constants, h->constants});
  nr_free(objects);
  nr_free(constants);
  return good;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

typedef struct Writer {
  int fd;
  NrCacheSum sum;
  bool good;
} Writer;

/* Writes the bytes, and zeros up to a multiple of ALIGN. */
static void write_padded(Writer *w, const void *data, size_t size) {
  char last[ALIGN] = {0};
  size_t whole = size / ALIGN * ALIGN, rest = size - whole;
  if (rest) memcpy(last, (const char *)data + whole, rest);
  nr_cache_sum_add(&w->sum, data, whole);
  w->good = w->good && nr_fd_write(w->fd, data, whole);
  if (rest) {
    nr_cache_sum_add(&w->sum, last, ALIGN);
    w->good = w->good && nr_fd_write(w->fd, last, ALIGN);
  }
}

/* A constant that lies in an external file, where it is aligned, else one for this file. */
static Slice place(const NrCodeRegion *constant, const NrCacheExternal *files, size_t num_files, uint64_t *io_at) {
  if (!constant->data) return (Slice){.file = PARAMETER};
  for (size_t i = 0; i < num_files; i++) {
    uintptr_t begin = (uintptr_t)files[i].data, at = (uintptr_t)constant->data;
    if (at >= begin && at - begin <= files[i].size && constant->size <= files[i].size - (at - begin))
      return (Slice){at - begin, constant->size, (int64_t)i};
  }
  uint64_t at = *io_at;
  *io_at += aligned(constant->size);
  return (Slice){at, constant->size, IN_FILE};
}

static void write_all(Writer *w, Header *h, const NrBuf *texts, const Slice *slices, const NrCacheContents *c) {
  size_t count = (size_t)(h->objects + h->constants);
  w->good = nr_fd_write(w->fd, h, sizeof *h);
  write_padded(w, texts->data, texts->size);
  write_padded(w, slices, count * sizeof *slices);
  for (size_t i = 0; i < h->objects; i++) write_padded(w, c->parts.objects[i].data, c->parts.objects[i].size);
  for (size_t i = 0; i < h->constants; i++)
    if (slices[h->objects + i].file == IN_FILE)
      write_padded(w, c->parts.constants[i].data, c->parts.constants[i].size);
  h->sum = nr_cache_sum_end(&w->sum);
  w->good = w->good && pwrite(w->fd, h, sizeof *h, 0) == (ssize_t)sizeof *h;
}

void nr_cache_entry_write(int folder, const NrDigest *key, NrStr names, const NrCacheContents *contents,
                          const NrCacheExternal *files, size_t num_files) {
  static const NrCacheContents none;
  const NrCacheContents *c = contents ? contents : &none;
  const NrCodeParts *parts = &c->parts;
  Header h = {.names = names.size, .diagnostics = c->diagnostics.size, .types = c->types.size,
              .objects = parts->num_objects, .constants = parts->num_constants};
  memcpy(h.magic, magic, sizeof magic);
  NrBuf texts = {0};
  nr_buf_str(&texts, names);
  nr_buf_str(&texts, c->diagnostics);
  nr_buf_str(&texts, c->types);
  size_t count = parts->num_objects + parts->num_constants;
  Slice *slices = nr_calloc(count, sizeof *slices);
  uint64_t at = sizeof h + aligned(texts.size) + aligned(count * sizeof *slices);
  for (size_t i = 0; i < parts->num_objects; i++) {
    slices[i] = (Slice){at, parts->objects[i].size, IN_FILE};
    at += aligned(parts->objects[i].size);
  }
  for (size_t i = 0; i < parts->num_constants; i++)
    slices[parts->num_objects + i] = place(&parts->constants[i], files, num_files, &at);
  h.size = at;
  if (at <= (uint64_t)nr_cache_most_bytes() / 2) { /* a larger one would push out the rest */
    NrCacheFile file = nr_cache_file_create(folder);
    Writer w = {.fd = file.fd, .sum = begin_sum(h)};
    if (file.fd >= 0) write_all(&w, &h, &texts, slices, c);
    nr_cache_file_commit(folder, &file, key, w.good);
  }
  nr_free(slices);
  nr_buf_deinit(&texts);
}
