/* cache_folder.c - see cache_folder.h. */
#include "driver/cache_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/guard.h"

enum { NAME = 2 * sizeof(NrDigest), RECENT_S = 2, STALE_S = 3600 };
static const char temporary[] = "new.";

/* ---- identities ------------------------------------------------------------------------------------------------- */

static bool identify(const struct stat *s, NrFileIdentity *out) {
  *out = (NrFileIdentity){{s->st_dev, s->st_ino, (uint64_t)s->st_size, (uint64_t)s->st_mtim.tv_sec,
                           (uint64_t)s->st_mtim.tv_nsec, (uint64_t)s->st_ctim.tv_sec, (uint64_t)s->st_ctim.tv_nsec},
                          NR_MAX(s->st_mtim.tv_sec, s->st_ctim.tv_sec)};
  return S_ISREG(s->st_mode);
}

int64_t nr_file_clock(void) { return (int64_t)time(NULL); }

bool nr_file_is_recent(const NrFileIdentity *identity, int64_t when) { return when - identity->changed < RECENT_S; }

bool nr_file_identity(int fd, NrFileIdentity *out) {
  struct stat about;
  return fstat(fd, &about) == 0 && identify(&about, out);
}

bool nr_file_identity_at(const char *path, NrFileIdentity *out) {
  struct stat about;
  return stat(path, &about) == 0 && identify(&about, out);
}

/* ---- the folder ------------------------------------------------------------------------------------------------- */

char *nr_cache_path(const char *option) {
  NrBuf path = {0};
  if (option && strcmp(option, "default") == 0) option = secure_getenv("NORIA_CACHE");
  else if (!option) option = "off";
  if (option && *option) {
    if (strcmp(option, "off") != 0) nr_buf_puts(&path, option);
    return path.data;
  }
  const char *caches = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
  if (caches && *caches == '/') nr_buf_printf(&path, "%s/noria", caches);
  else if (home && *home == '/') nr_buf_printf(&path, "%s/.cache/noria", home);
  return path.data;
}

/* Makes the folder, and the one around it; those further out must exist. */
static void make_folder(const char *path) {
  if (mkdir(path, 0700) == 0 || errno != ENOENT) return;
  NrBuf outer = {0};
  const char *slash = strrchr(path, '/');
  nr_buf_append(&outer, path, slash ? (size_t)(slash - path) : 0);
  if (outer.size && mkdir(outer.data, 0700) == 0) mkdir(path, 0700);
  nr_buf_deinit(&outer);
}

int nr_cache_folder_open(const char *path, NrBuf *out_why) {
  struct stat about;
  make_folder(path);
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const char *why = fd < 0 || fstat(fd, &about) ? strerror(errno)
                    : about.st_uid != geteuid() ? "belongs to another user"
                    : about.st_mode & 077       ? "is open to other users (chmod 700 closes it)"
                                                : NULL;
  if (!why) return fd;
  if (out_why) nr_buf_printf(out_why, fd < 0 ? "cannot be opened: %s" : "%s", why);
  if (fd >= 0) close(fd);
  return -1;
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static void put_name(const NrDigest *digest, char out[NAME + 1]) {
  for (size_t i = 0; i < sizeof digest->bytes; i++) snprintf(out + 2 * i, 3, "%02x", digest->bytes[i]);
}

int nr_cache_file_open(int folder, const NrDigest *digest) {
  char name[NAME + 1];
  struct stat about;
  put_name(digest, name);
  int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return -1;
  if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() && !(about.st_mode & 022))
    return fd;
  close(fd);
  return -1;
}

NrCacheFile nr_cache_file_create(int folder) {
  static atomic_uint count;
  NrCacheFile file;
  snprintf(file.name, sizeof file.name, "%s%lx.%llx.%x", temporary, (long)getpid(),
           (unsigned long long)nr_now_ns(), atomic_fetch_add(&count, 1));
  file.fd = openat(folder, file.name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  return file;
}

void nr_cache_file_commit(int folder, NrCacheFile *file, const NrDigest *digest, bool keep) {
  char name[NAME + 1];
  put_name(digest, name);
  if (file->fd < 0) return;
  if (!keep || renameat(folder, file->name, folder, name)) unlinkat(folder, file->name, 0);
  close(file->fd);
  file->fd = -1;
}

void nr_cache_file_touch(int fd) { futimens(fd, NULL); }

/* ---- its size --------------------------------------------------------------------------------------------------- */

int64_t nr_cache_most_bytes(void) {
  int64_t bytes;
  return nr_parse_size(secure_getenv("NORIA_CACHE_SIZE"), &bytes) ? bytes : (int64_t)4 << 30;
}

typedef struct Entry {
  char name[80];
  int64_t size, used; /* seconds */
  long used_ns;
} Entry;

static bool is_name(const char *name) { return strlen(name) == NAME && strspn(name, "0123456789abcdef") == NAME; }

static bool is_temporary(const char *name) {
  return strncmp(name, temporary, strlen(temporary)) == 0 && strlen(name) < sizeof((Entry *)NULL)->name;
}

static int oldest_first(const void *a, const void *b) {
  const Entry *x = a, *y = b;
  if (x->used != y->used) return x->used < y->used ? -1 : 1;
  return x->used_ns < y->used_ns ? -1 : x->used_ns > y->used_ns;
}

static void close_dir(void *dir) {
  if (dir) closedir(dir);
}

NrCacheUse nr_cache_folder_trim(int folder, int64_t most) {
  NR_VEC(Entry) entries = {0};
  NrCacheUse use = {0};
  int64_t now = nr_file_clock();
  NrHold *hold = nr_hold(close_dir);
  int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = copy < 0 ? NULL : fdopendir(copy);
  hold->what = dir;
  if (copy >= 0 && !dir) close(copy);
  for (struct dirent *at; dir && (at = readdir(dir));) {
    struct stat about;
    bool unfinished = is_temporary(at->d_name);
    if (!unfinished && !is_name(at->d_name)) continue;
    if (fstatat(folder, at->d_name, &about, AT_SYMLINK_NOFOLLOW) || !S_ISREG(about.st_mode)) continue;
    /* What a process left that was killed while it wrote. */
    if (unfinished && most >= 0 && (!most || now - about.st_mtim.tv_sec > STALE_S)) unlinkat(folder, at->d_name, 0);
    if (unfinished) continue;
    Entry entry = {.size = about.st_size, .used = about.st_mtim.tv_sec, .used_ns = about.st_mtim.tv_nsec};
    memcpy(entry.name, at->d_name, strlen(at->d_name) + 1);
    nr_vec_push(&entries, entry);
    use.files++;
    use.bytes += about.st_size;
  }
  nr_hold_end(hold);
  close_dir(dir);
  if (most >= 0 && use.bytes > most) qsort(entries.data, entries.size, sizeof(Entry), oldest_first);
  for (size_t i = 0; i < entries.size && most >= 0 && use.bytes > most; i++) {
    if (unlinkat(folder, entries.data[i].name, 0)) continue;
    use.files--;
    use.bytes -= entries.data[i].size;
  }
  nr_vec_deinit(&entries);
  return use;
}
